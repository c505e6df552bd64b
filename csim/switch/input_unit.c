/* SPDX-License-Identifier: Apache-2.0 */
/* input_unit.c - twin of rtl/switch/loom_input_unit.v, written from docs/input_unit.md
 *
 * All outputs of the store are registers, so the unit looks at these. One in which nothing happened
 * for long has no edges. What comes once a packet is asked for by one flag, so that a flit in the
 * middle of a packet costs little. */
#include "switch/input_unit.h"

#include <string.h>

#include <loom/head.h>

enum { READ_CYCLES = 7 }; /* the page's: a packet is read so late that W is less by them */
enum { LINK_MGMT = 15, NO_VL = 15, NO_LANE = 0xFF };
enum { CAUSE_BAD = 1, CAUSE_FULL = 2, CAUSE_UNKNOWN = 3, CAUSE_NO_VL = 4, CAUSE_MTU = 5 };

/* A record: the info of the store, and above it what the queue has besides. */
enum { MORE_AT = 0, SL_AT = 1, VL_AT = 6, OUT_AT = 11, DROP_AT = 17, SERIAL_AT = 18, SIDE_AT = 24 };
enum { SERIAL_W = 6, INFO_W = SIDE_AT + 1 };
enum { LANE_AT = INFO_W, LEN_AT = LANE_AT + 5, RECORD_W = LEN_AT + 12 };
enum { SL_W = 5, LANE_W = 5, OUT_W = 6 };

enum { MPORT_PORTS = 4, LEAST_MPORTS = 2 };

/* ---- init ------------------------------------------------------------------------------------ */

static struct loom_packet_store_cfg store_cfg(const struct loom_input_unit_cfg *cfg) {
  return (struct loom_packet_store_cfg){.VLS = cfg->VLS,
                                        .CELLS = cfg->CELLS,
                                        .LANES = 4 / (4 / cfg->SPEEDUP),
                                        .RD_FLITS = cfg->SPEEDUP,
                                        .INFO_W = INFO_W,
                                        .MTU_UNITS = cfg->MTU_UNITS,
                                        .EARLY = cfg->EARLY,
                                        .PREFETCH = 1};
}

static struct loom_delay_cfg delay_cfg(const struct loom_input_unit_cfg *cfg) {
  return (struct loom_delay_cfg){.DEPTH = cfg->IN_DELAY, .WIDTH = RECORD_W};
}

bool loom_input_unit_cfg_ok(const struct loom_input_unit_cfg *cfg) {
  if (loom_input_unit_bad_param(cfg))
    return false;
  struct loom_packet_store_cfg store = store_cfg(cfg);
  struct loom_delay_cfg delay = delay_cfg(cfg);
  bool in_mports = cfg->PORTS % MPORT_PORTS == 0 && cfg->PORTS >= LEAST_MPORTS * MPORT_PORTS;
  return (!cfg->RULE || in_mports) && loom_packet_store_cfg_ok(&store) && loom_delay_cfg_ok(&delay);
}

size_t loom_input_unit_storage_size(const struct loom_input_unit_cfg *cfg) {
  struct loom_packet_store_cfg store = store_cfg(cfg);
  struct loom_delay_cfg delay = delay_cfg(cfg);
  return loom_packet_store_storage_size(&store) + loom_delay_storage_size(&delay);
}

static void set_lanes(struct loom_input_unit *s, uint32_t vls) {
  s->vls = vls;
  s->mgmt = loom_min(LINK_MGMT, vls - 1);
  for (uint32_t vl = 0; vl < LOOM_VLS; vl++) {
    bool is_lane = vl < vls - 1 || (vls > LINK_MGMT + 1 && vl < vls);
    s->lane_of[vl] = (uint8_t)(is_lane ? vl : NO_LANE);
  }
  s->lane_of[LINK_MGMT] = (uint8_t)s->mgmt;
}

void loom_input_unit_init(struct loom_input_unit *s, const struct loom_input_unit_cfg *cfg,
                          void *storage) {
  struct loom_packet_store_cfg store = store_cfg(cfg);
  struct loom_delay_cfg delay = delay_cfg(cfg);
  memset(s, 0, sizeof *s);
  s->ports = cfg->PORTS;
  s->speedup = cfg->SPEEDUP;
  s->unit_words = (LOOM_UNIT_FLITS + s->speedup - 1) / s->speedup;
  s->in_delay = cfg->IN_DELAY;
  s->stall = cfg->STALL_CYCLES;
  s->by_sc = cfg->RULE != 0;
  s->sweep = s->by_sc ? cfg->VLS : 0; /* then there is nothing to sweep */
  loom_departure_init(&s->departure, cfg->SPEEDUP, cfg->EARLY);
  set_lanes(s, cfg->VLS);
  for (uint32_t lane = 0; lane < s->vls; lane++)
    s->mtu[lane] = (uint16_t)cfg->MTU_UNITS; /* nothing shows before the sweep is over */
  loom_packet_store_init(&s->store, &store, storage);
  loom_delay_init(&s->delay, &delay, (char *)storage + loom_packet_store_storage_size(&store));
}

static bool has(uint64_t set, uint32_t member) { return set >> member & 1; }

/* ---- arrival --------------------------------------------------------------------------------- */

static uint32_t len_of(uint64_t head) { return (uint32_t)LOOM_GET64(LOOM_HEAD_LEN, head); }

/* A flit comes while no packet is open. */
static bool is_link_error(const struct loom_input_cycle *in) {
  uint32_t len = len_of(in->data);
  return !in->head || (len && (len == 1) != in->tail);
}

uint16_t loom_input_unit_waits_for(const struct loom_input_unit *s, uint64_t head) {
  uint32_t len = len_of(head);
  uint32_t crosses =
      len / LOOM_UNIT_FLITS * s->unit_words + (len % LOOM_UNIT_FLITS + s->speedup - 1) / s->speedup;
  uint32_t less = crosses + s->in_delay + READ_CYCLES + s->stall;
  return (uint16_t)(len > less ? len - less : 0);
}

/* A packet begins; gives whether it is announced. */
static bool open_packet(struct loom_input_unit *s, const struct loom_input_cycle *in) {
  uint32_t len = len_of(in->data);
  uint8_t lane = s->lane_of[in->vl];
  s->s1 = (struct loom_input_flit){.valid = true,
                                   .begins = true,
                                   .last = len <= 1,
                                   .good = len && lane != NO_LANE,
                                   .lane = lane == NO_LANE ? in->vl : lane,
                                   .data = in->data};
  s->left = (uint16_t)(loom_max(len, 1) - 1);
  return s->s1.good;
}

/* Stage 0: the flit on the link. Gives whether it is announced. */
static bool stage_0(struct loom_input_unit *s, const struct loom_input_cycle *in) {
  s->link_error = false;
  s->s1 = (struct loom_input_flit){.lane = s->s1.lane}; /* of the head, for all its flits */
  if (!in->valid)
    return false;
  if (!s->left) {
    s->link_error = is_link_error(in);
    return in->head && open_packet(s, in);
  }
  s->link_error = in->head || (s->left == 1) != in->tail;
  s->s1.valid = true;
  s->s1.last = s->left == 1;
  s->s1.data = in->data;
  s->left--;
  return false;
}

/* Stage 1: the answer of the forwarding table is there, that of the map is asked for. */
static void stage_1(struct loom_input_unit *s, const struct loom_input_cycle *in) {
  s->s2 = s->s1;
  if (!s->s1.begins)
    return;
  uint32_t port = in->found_port;
  s->s2.known = in->found_known;
  s->s2.target = (uint8_t)port;
  s->s2.w = loom_input_unit_waits_for(s, s->s1.data);
  uint32_t sc = (uint32_t)LOOM_GET64(LOOM_HEAD_SC, s->s1.data);
  if (port < s->ports)
    s->s2.entry = s->map[port * LOOM_INPUT_SLS + sc];
  if (s->by_sc)
    s->s2.sl1 = loom_sc_tables_sl(&s->sc, sc);
}

/* The lane at the output, if there is one. */
static void rule(const struct loom_input_unit *s, bool map_on, struct loom_input_flit *head) {
  head->vl = head->lane;
  head->has_vl = true;
  if (head->lane == s->mgmt || !map_on)
    return;
  head->vl = s->lane_of[head->entry];
  head->has_vl = head->entry != NO_VL && head->vl != NO_LANE;
}

/* The same by the rule of Omni-Path, so far as it goes: the SC it has from here on. */
static void change_sc(const struct loom_input_unit *s, uint32_t map_mode,
                      struct loom_input_flit *head) {
  uint32_t sc = (uint32_t)LOOM_GET64(LOOM_HEAD_SC, head->data);
  struct loom_sc_change change =
      loom_sc_tables_change(&s->sc, map_mode, sc, head->entry, head->sl1);
  head->sc = change.sc;
  head->has_vl = loom_sc_tables_has_vl(&s->sc, change);
}

/* Stage 2: the entry of the map, and the answer of the store to the announcement. */
static void stage_2(struct loom_input_unit *s, const struct loom_input_cycle *in) {
  s->s3 = s->s2;
  if (!s->s2.valid)
    return;
  if (s->s2.begins) {
    s->keep = s->s2.good && s->store.ok;
    if (!s->keep)
      s->s3.refused = s->s2.good ? CAUSE_FULL : CAUSE_BAD;
    else if (s->by_sc)
      change_sc(s, in->map_mode, &s->s3);
    else
      rule(s, in->map_on, &s->s3);
  }
  s->s3.valid = s->keep;
}

/* The cause for which a packet is dropped, or 0. */
static uint8_t drop_cause(const struct loom_input_unit *s, const struct loom_input_flit *head) {
  uint32_t len = len_of(head->data);
  if (!head->known)
    return CAUSE_UNKNOWN;
  if (!head->has_vl)
    return CAUSE_NO_VL;
  uint32_t most = s->by_sc ? s->sc.verdict[head->sc].mtu : s->mtu[head->vl];
  return (len + LOOM_UNIT_FLITS - 1) / LOOM_UNIT_FLITS > most ? CAUSE_MTU : 0;
}

/* What the verdict says of the SC, which the head has from here on. */
static void judge_sc(struct loom_input_unit *s) {
  struct loom_input_flit *head = &s->s3;
  head->vl = s->sc.verdict[head->sc].lane;
  head->data =
      (head->data & ~LOOM_PUT64(LOOM_HEAD_SC, UINT64_MAX)) | LOOM_PUT64(LOOM_HEAD_SC, head->sc);
}

static uint32_t side_of(const struct loom_input_flit *head, uint8_t side) {
  return side == LOOM_INPUT_OF_OUT ? head->target & 1 : side;
}

static uint64_t record_of(const struct loom_input_unit *s, uint8_t cause, uint8_t side) {
  const struct loom_input_flit *head = &s->s3;
  bool goes = cause != CAUSE_UNKNOWN && cause != CAUSE_NO_VL;
  uint64_t sc = LOOM_GET64(LOOM_HEAD_SC, head->data);
  return LOOM_GET64(LOOM_HEAD_MORE, head->data) << MORE_AT |
         (s->by_sc ? s->sc.verdict[sc].sl : sc) << SL_AT |
         (goes ? (uint64_t)head->vl << VL_AT | (uint64_t)head->target << OUT_AT : 0) |
         (uint64_t)(cause != 0) << DROP_AT | (uint64_t)s->serial << SERIAL_AT |
         (uint64_t)side_of(head, side) << SIDE_AT | (uint64_t)head->lane << LANE_AT |
         LOOM_GET64(LOOM_HEAD_LEN, head->data) << LEN_AT;
}

static void tell_trap(struct loom_input_unit *s, uint8_t cause) {
  s->trap.valid = true;
  s->trap.cause = cause;
  s->trap.vl = s->s3.lane;
  s->trap.dest = (uint16_t)LOOM_GET64(LOOM_HEAD_DEST, s->s3.data);
}

/* Stage 3: a head is judged. Gives whether a record goes, and it. */
static struct loom_delay_in stage_3(struct loom_input_unit *s, const struct loom_input_cycle *in) {
  const struct loom_input_flit *f = &s->s3;
  memset(&s->accept, 0, sizeof s->accept);
  memset(&s->trap, 0, sizeof s->trap);
  if (f->refused)
    tell_trap(s, f->refused);
  if (!f->valid)
    return (struct loom_delay_in){0};
  s->arrives = !f->last;
  if (!f->begins) {
    bool goes = s->wait == 1;
    s->wait = (uint16_t)(s->wait - (s->wait > 0));
    return (struct loom_delay_in){.valid = goes, .data = goes ? s->held : 0};
  }
  if (s->by_sc)
    judge_sc(s);
  uint8_t cause = drop_cause(s, f);
  if (cause)
    tell_trap(s, cause);
  s->accept.valid = true;
  s->accept.vl = f->lane;
  s->accept.len = (uint16_t)len_of(f->data);
  s->wait = f->w;
  s->serial = (uint8_t)((s->serial + 1) % LOOM_DEPARTURE_NUMBERS);
  s->held = record_of(s, cause, in->side);
  return (struct loom_delay_in){.valid = !s->wait, .data = s->wait ? 0 : s->held};
}

/* What comes out of the delay. */
static struct loom_delay_out pass_delay(struct loom_input_unit *s, struct loom_delay_in record) {
  struct loom_delay_out out = {0};
  if (record.valid || s->delayed) {
    loom_delay_step(&s->delay, &record, &out);
    s->delayed += record.valid != 0;
    s->delayed -= out.valid != 0;
  }
  return out;
}

/* ---- heads, starts and words ----------------------------------------------------------------- */

static bool is_drop(const struct loom_input_unit *s) { return has(s->store.head_info, DROP_AT); }

static struct loom_departure_event head_of(const struct loom_input_unit *s) {
  const struct loom_packet_store *p = &s->store;
  return (struct loom_departure_event){
      .drop = is_drop(s),
      .lane = p->head_vl,
      .number = (uint8_t)(p->head_info >> SERIAL_AT & loom_mask(SERIAL_W)),
      .len = p->head_len};
}

/* Before stage 3 writes; gives what the store is to take. */
static struct loom_departure_take departure_edge(struct loom_input_unit *s,
                                                 const struct loom_input_cycle *in) {
  const struct loom_packet_store *p = &s->store;
  const struct loom_departure_take take =
      loom_departure_edge(&s->departure, p->soon, p->rd.valid && p->rd.last, in->free);
  bool ends = s->s3.valid && s->s3.last;
  if (in->book)
    loom_departure_book(&s->departure, in->book_lane, in->book_target,
                        (struct loom_departure_written){s->serial, s->arrives, ends});
  else if (ends)
    loom_departure_ends(&s->departure);
  if (p->event)
    loom_departure_see(&s->departure, head_of(s));
  return take;
}

/* ---- the edge -------------------------------------------------------------------------------- */

/* Something is to be done in this cycle, or what is done may depend on the inputs. */
static bool is_busy(const struct loom_input_unit *s, const struct loom_input_cycle *in) {
  const struct loom_packet_store *p = &s->store;
  return in->valid || in->book || !loom_input_unit_ready(s) || s->s1.valid || s->s2.valid ||
         s->s3.valid || s->s3.refused || s->delayed || p->event || p->rd.valid || p->free ||
         !loom_departure_rests(&s->departure);
}

static void edge(struct loom_input_unit *s, const struct loom_input_cycle *in) {
  const struct loom_departure_take take = departure_edge(s, in);
  const struct loom_delay_out record = pass_delay(s, stage_3(s, in));
  const struct loom_input_flit *f = &s->s3;
  const uint64_t data[] = {f->data, f->data, f->data, f->data}; /* in whichever lane it is kept */
  struct loom_packet_store_cycle store = {.queue = record.valid,
                                          .queue_vl =
                                              (uint8_t)(record.data >> LANE_AT & loom_mask(LANE_W)),
                                          .queue_len = (uint16_t)(record.data >> LEN_AT),
                                          .queue_info = record.data & loom_mask(INFO_W),
                                          .word = f->valid,
                                          .word_vl = f->lane,
                                          .word_last = f->last,
                                          .word_flits = 1,
                                          .word_data = data,
                                          .take = take.valid,
                                          .take_vl = take.lane};
  stage_2(s, in); /* from the last stage to the first: each looks at what is before the edge */
  stage_1(s, in);
  if (stage_0(s, in)) {
    store.announce = true;
    store.announce_len = (uint16_t)len_of(in->data);
  }
  s->sweep += s->sweep < s->vls;
  loom_packet_store_edge(&s->store, &store);
}

void loom_input_unit_edge(struct loom_input_unit *s, const struct loom_input_cycle *in) {
  if (is_busy(s, in))
    s->still = 0;
  else if (s->still < LOOM_INPUT_STILL)
    s->still++;
  else
    return;
  edge(s, in);
}

/* ---- many cycles at once --------------------------------------------------------------------- */

static bool is_middle(const struct loom_input_flit *f) {
  return f->valid && !f->begins && !f->last;
}

/* Flits, none of them the last, that are still to come to the store when the tail has come from the
 * link: the stages before that of the tail. */
static uint32_t before_tail(const struct loom_input_unit *s) {
  if (s->s1.valid)
    return s->s1.last && is_middle(&s->s2) && is_middle(&s->s3) ? 2 : 0;
  return s->s2.valid && s->s2.last && is_middle(&s->s3) ? 1 : 0;
}

/* Cycles in which flits of the open packet come to the store, none the last; or none do. */
static uint32_t arrives_for(const struct loom_input_unit *s, uint32_t most) {
  bool stages = s->s1.valid || s->s2.valid || s->s3.valid;
  if (!s->left && !stages)
    return s->s3.refused || s->arrives || s->store.word ? 0 : most;
  if (!s->keep || !s->arrives || !s->store.word)
    return 0;
  if (!s->left)
    most = loom_min(most, before_tail(s));
  else if (is_middle(&s->s1) && is_middle(&s->s2) && is_middle(&s->s3))
    most = loom_min(most, s->left - 1u);
  else
    return 0;
  return s->wait ? loom_min(most, s->wait - 1u) : most;
}

/* Cycles in which the crossing sees the word that it saw in the last one: in the next one it sees
 * another, of an edge. */
static uint32_t word_stays(const struct loom_input_unit *s, uint32_t most) {
  const struct loom_packet_store_word *rd = &s->store.rd;
  return rd->valid && rd->last ? 0 : loom_packet_store_word_stays(&s->store, most + 1) - 1;
}

uint32_t loom_input_unit_steady(struct loom_input_unit *s, uint32_t most) {
  if (loom_input_unit_tells(s) || s->delayed || !loom_input_unit_ready(s))
    return 0;
  most = loom_departure_steady(&s->departure, arrives_for(s, most));
  most = most ? loom_packet_store_steady(&s->store, most) : 0;
  return most ? word_stays(s, most) : 0;
}

/* The stages once the tail has come. */
static void pass_tail(struct loom_input_unit *s, uint32_t cycles) {
  for (; cycles && (s->s1.valid || s->s2.valid); cycles--) {
    s->s3 = s->s2;
    s->s2 = s->s1;
    s->s1 = (struct loom_input_flit){.lane = s->s1.lane};
  }
}

void loom_input_unit_pass(struct loom_input_unit *s, uint32_t cycles) {
  if (s->store.word)
    s->wait = (uint16_t)(s->wait ? s->wait - cycles : 0);
  if (s->left)
    s->left = (uint16_t)(s->left - cycles);
  else
    pass_tail(s, cycles);
  loom_departure_pass(&s->departure, s->store.soon, cycles);
  loom_packet_store_pass(&s->store, cycles);
}

void loom_input_unit_write_map(struct loom_input_unit *s, uint64_t addr, uint64_t data) {
  if (addr < s->ports * LOOM_INPUT_SLS)
    s->map[addr] = (uint8_t)data;
}

void loom_input_unit_write_mtu(struct loom_input_unit *s, uint64_t vl, uint64_t units) {
  if (vl < s->vls)
    s->mtu[vl] = (uint16_t)units;
}

void loom_input_unit_write_rule(struct loom_input_unit *s, uint32_t sc, uint32_t word) {
  loom_sc_tables_write(&s->sc, sc, word);
}

/* ---- what the outputs show ------------------------------------------------------------------- */

/* The number of the target of a packet for this output of the switch. */
static uint32_t target_of(const struct loom_input_unit *s, uint32_t out, uint32_t side) {
  if (!s->by_sc)
    return out;
  return out / MPORT_PORTS == s->mport ? out % MPORT_PORTS : MPORT_PORTS + side;
}

bool loom_input_unit_offers(const struct loom_input_unit *s, struct loom_departure_offer *offer) {
  uint64_t info = s->store.head_info;
  uint32_t out = (uint32_t)(info >> OUT_AT & loom_mask(OUT_W));
  *offer = (struct loom_departure_offer){
      .lane = s->store.head_vl,
      .target = (uint8_t)target_of(s, out, info >> SIDE_AT & 1),
      .out = (uint8_t)out,
      .vl = (uint8_t)(info >> VL_AT & loom_mask(LANE_W)),
      .info = loom_departure_info(s->store.head_len, (uint32_t)(info >> SL_AT & loom_mask(SL_W)),
                                  info >> MORE_AT & 1)};
  return !is_drop(s);
}

uint8_t loom_input_unit_link_vl(const struct loom_input_unit *s, uint8_t lane) {
  return lane == s->mgmt ? LINK_MGMT : lane;
}

static void show_head(const struct loom_input_unit *s, struct loom_input_unit_out *out) {
  struct loom_departure_offer offer;
  if (!s->store.event || !loom_input_unit_offers(s, &offer))
    return;
  out->head_event = 1;
  out->head_lane = offer.lane;
  out->head_target = offer.target;
  out->head_vl = offer.vl;
  out->head_info = offer.info;
  out->head_out = offer.out;
}

static void show_word(const struct loom_input_unit *s, struct loom_input_unit_out *out) {
  const struct loom_packet_store_word *word = loom_input_unit_word(s);
  if (!word)
    return;
  out->word_valid = 1;
  out->word_target = s->departure.tag.target;
  out->word_last = word->last;
  out->word_flits = word->flits;
  memcpy(out->word_data, word->data, sizeof out->word_data);
}

void loom_input_unit_show(const struct loom_input_unit *s, const struct loom_input_unit_in *in,
                          struct loom_input_unit_out *out) {
  *out = (struct loom_input_unit_out){
      .in_cr_valid = s->store.free,
      .in_cr_vl = s->store.free ? loom_input_unit_credit_vl(s) : 0,
      .ready = loom_input_unit_ready(s),
      .source_ready = loom_input_unit_source_ready(s, in->free),
      .start_ok = loom_input_unit_start_ok(s),
      .sure = loom_input_unit_sure(s),
      .end = loom_input_unit_end(s),
      .accept = s->accept.valid,
      .accept_vl = s->accept.vl,
      .accept_len = s->accept.len,
      .link_error = s->link_error,
      .trap = s->trap.valid,
      .trap_cause = s->trap.cause,
      .trap_vl = s->trap.vl,
      .trap_dest = s->trap.dest,
      .total = s->store.total,
  };
  show_head(s, out);
  show_word(s, out);
}

/* ---- with the ports of the list -------------------------------------------------------------- */

static uint8_t side_in(const struct loom_input_unit_in *in) {
  return !in->adaptive || in->central_equal ? LOOM_INPUT_OF_OUT : (uint8_t)in->central_less;
}

void loom_input_unit_step(struct loom_input_unit *s, const struct loom_input_unit_in *in,
                          struct loom_input_unit_out *out) {
  const struct loom_input_cycle cycle = {.valid = in->in_valid != 0,
                                         .head = in->in_head != 0,
                                         .tail = in->in_tail != 0,
                                         .vl = (uint8_t)in->in_vl,
                                         .data = in->in_data,
                                         .map_on = in->map_on != 0,
                                         .map_mode = (uint8_t)in->map_mode,
                                         .side = side_in(in),
                                         .found_known = in->found_known != 0,
                                         .found_port = (uint8_t)in->found_port,
                                         .book = in->book != 0,
                                         .book_lane = (uint8_t)in->book_lane,
                                         .book_target = (uint8_t)in->book_target,
                                         .free = in->free};
  s->mport = (uint8_t)in->mport;
  loom_input_unit_show(s, in, out);
  loom_input_unit_edge(s, &cycle);
  if (in->map_we)
    loom_input_unit_write_map(s, in->map_addr, in->map_data);
  if (in->mtu_we)
    loom_input_unit_write_mtu(s, in->mtu_vl, in->mtu_units);
  if (in->rule_we)
    loom_input_unit_write_rule(s, (uint32_t)in->rule_sc, (uint32_t)in->rule_data);
}

void loom_input_unit_probe(const struct loom_input_unit *s, struct loom_input_unit_probe *p) {
  const struct loom_departure *d = &s->departure;
  p->left = s->left;
  p->booked = d->booked;
  p->drops = d->drops;
  p->settle = d->settle;
  p->busy = d->busy;
  p->tail = d->tail;
  p->turn = d->turn;
  p->loom_end = 0;
}

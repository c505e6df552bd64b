/* SPDX-License-Identifier: Apache-2.0 */
/* output_unit.c - twin of rtl/switch/loom_output_unit.v, written from docs/output_unit.md
 *
 * All outputs of the three parts are registers. So a cycle looks at them first, and makes of them
 * and of the unit's own registers what goes into the parts; then comes the edge. */
#include "switch/output_unit.h"

#include <string.h>

enum { SL_W = LOOM_OUTPUT_SL_W, INFO_W = SL_W + 1, EARLY = 16, COUNT_W = 12, SIZE_W = 10 };
enum { SETTLE = 2 };
enum { SETTLES = 16 };   /* no path through the parts has as many registers */
enum { LINK_MGMT = 15 }; /* the VL of management on a link (IB-02, OP-18) */

/* The need that is written in this cycle. */
struct need {
  bool of_grant; /* back to the largest packet */
  bool of_look;  /* the size of the head that was looked at */
  uint8_t vl;
  uint32_t size;
};

/* ---- init ------------------------------------------------------------------------------------ */

static uint32_t mgmt_of(uint32_t vls) { return loom_min(LINK_MGMT, vls - 1); }

static struct loom_packet_store_cfg store_cfg(const struct loom_output_unit_cfg *cfg) {
  return (struct loom_packet_store_cfg){.VLS = cfg->VLS,
                                        .CELLS = cfg->CELLS,
                                        .LANES = cfg->LANES,
                                        .RD_FLITS = 1,
                                        .INFO_W = INFO_W,
                                        .MTU_UNITS = cfg->MTU_UNITS,
                                        .EARLY = EARLY};
}

static struct loom_room_tracker_cfg tracker_cfg(const struct loom_output_unit_cfg *cfg) {
  return (struct loom_room_tracker_cfg){.VLS = cfg->VLS,
                                        .COUNT_W = COUNT_W,
                                        .SIZE_W = SIZE_W,
                                        .UNITS = cfg->REMOTE_UNITS,
                                        .MAX_UNITS = cfg->REMOTE_UNITS,
                                        .RESERVED = cfg->REMOTE_RESERVED,
                                        .NEED = cfg->MTU_UNITS};
}

static struct loom_output_choice_cfg choice_cfg(const struct loom_output_unit_cfg *cfg) {
  return (struct loom_output_choice_cfg){.sched = (enum loom_output_sched)cfg->SCHED,
                                         .vls = cfg->VLS,
                                         .keys = cfg->KEYS,
                                         .arb_key = cfg->ARB_KEY,
                                         .mgmt_vl = mgmt_of(cfg->VLS),
                                         .entries = cfg->ENTRIES,
                                         .n_high = cfg->N_HIGH,
                                         .n_low = cfg->N_LOW};
}

bool loom_output_unit_cfg_ok(const struct loom_output_unit_cfg *cfg) {
  if (loom_output_unit_bad_param(cfg))
    return false;
  struct loom_packet_store_cfg store = store_cfg(cfg);
  struct loom_room_tracker_cfg tracker = tracker_cfg(cfg);
  struct loom_output_choice_cfg choice = choice_cfg(cfg);
  return loom_packet_store_cfg_ok(&store) && loom_room_tracker_cfg_ok(&tracker) &&
         loom_output_choice_cfg_ok(&choice);
}

size_t loom_output_unit_storage_size(const struct loom_output_unit_cfg *cfg) {
  struct loom_packet_store_cfg store = store_cfg(cfg);
  return loom_packet_store_storage_size(&store);
}

void loom_output_unit_init(struct loom_output_unit *s, const struct loom_output_unit_cfg *cfg,
                           void *storage) {
  struct loom_packet_store_cfg store = store_cfg(cfg);
  struct loom_room_tracker_cfg tracker = tracker_cfg(cfg);
  struct loom_output_choice_cfg choice = choice_cfg(cfg);
  memset(s, 0, sizeof *s);
  s->vls = cfg->VLS;
  s->mtu = cfg->MTU_UNITS;
  s->mgmt = mgmt_of(cfg->VLS);
  loom_packet_store_init(&s->store, &store, storage);
  loom_room_tracker_init(&s->tracker, &tracker);
  loom_output_choice_init(&s->choice, &choice);
}

/* ---- what goes into the parts ---------------------------------------------------------------- */

static bool has(uint64_t set, uint64_t lane) { return set >> lane & 1; }

/* In units of 64 bytes. */
static uint32_t head_size(const struct loom_output_unit *s) {
  return ((uint32_t)s->store.head_len + LOOM_UNIT_FLITS - 1) / LOOM_UNIT_FLITS;
}

/* True, and its lane, if a VL of the link has one. */
static bool lane_of(const struct loom_output_unit *s, uint64_t vl, uint32_t *lane) {
  *lane = vl == LINK_MGMT ? s->mgmt : (uint32_t)vl;
  return vl == LINK_MGMT || vl < s->vls - 1 || (s->vls > LINK_MGMT + 1 && vl < s->vls);
}

static struct need need_now(const struct loom_output_unit *s) {
  uint64_t vl = s->choice.shows.grant.vl;
  if (s->choice.shows.grant.valid && has(s->exact, vl))
    return (struct need){.of_grant = true, .vl = (uint8_t)vl, .size = s->mtu};
  bool lacks = s->look && !has(s->tracker.room, s->look_vl);
  if (!lacks)
    return (struct need){0};
  return (struct need){.of_look = true, .vl = s->look_vl, .size = s->look_size};
}

/* The lane that the store is to take, as soon as it takes one. */
static bool wants_take(const struct loom_output_unit *s, uint8_t *vl) {
  *vl = s->booked ? s->booked_vl : (uint8_t)s->choice.shows.grant.vl;
  return s->booked || s->choice.shows.grant.valid;
}

static struct loom_packet_store_cycle store_in(const struct loom_output_unit *s,
                                               const struct loom_output_unit_in *in) {
  uint8_t vl;
  bool take = wants_take(s, &vl) && s->store.soon;
  return (struct loom_packet_store_cycle){
      .announce = in->announce != 0,
      .announce_len = (uint16_t)in->announce_len,
      .queue = in->queue != 0,
      .queue_vl = (uint8_t)in->queue_vl,
      .queue_len = (uint16_t)in->queue_len,
      .queue_info = in->queue_more << SL_W | in->queue_sl,
      .word = in->wr_valid != 0,
      .word_vl = (uint8_t)in->wr_vl,
      .word_last = in->wr_last != 0,
      .word_flits = (uint8_t)in->wr_flits,
      .word_data = in->wr_data,
      .take = take,
      .take_vl = vl,
  };
}

static bool requests(const struct loom_output_unit *s, uint64_t hold) {
  return s->store.soon && !hold && !s->booked && !s->settle;
}

/* Lanes whose head has credits. */
static uint32_t ready_heads(const struct loom_output_unit *s) {
  return s->waits & (uint32_t)s->tracker.room;
}

static struct loom_sched_cycle choice_in(const struct loom_output_unit *s,
                                         const struct loom_output_unit_in *in) {
  return (struct loom_sched_cycle){
      .ready = ready_heads(s),
      .request = requests(s, in->hold),
      .head_valid = s->store.event,
      .head_vl = s->store.head_vl,
      .head_size = (uint16_t)head_size(s),
      .head_sl = loom_output_unit_head_sl(s),
      .head_last = s->store.event && !has(s->store.head_info, SL_W),
      .table_we = in->table_we,
      .table_addr = (uint32_t)in->table_addr,
      .table_data = (uint32_t)in->table_data,
  };
}

/* ---- the edge of the unit's own registers ---------------------------------------------------- */

/* Lanes whose head was judged, and lacks credits for the largest packet. */
static uint32_t lacking(const struct loom_output_unit *s) {
  return s->waits & s->judged & ~s->exact & ~(uint32_t)s->tracker.room;
}

/* The scan: one of those is looked at. */
static void scan_edge(struct loom_output_unit *s, const struct need *need) {
  if (s->look && need->of_grant)
    return;
  s->look = has(lacking(s), s->scan) && loom_output_unit_ready(s);
  s->look_vl = (uint8_t)s->scan;
  s->look_size = s->size[s->scan];
  s->scan = s->scan + 1 == s->vls ? 0 : s->scan + 1;
}

/* Lanes that the tracker has judged. */
static void verdict_edge(struct loom_output_unit *s) {
  s->judged |= s->seen2 ? 1u << s->seen2_vl : 0;
  s->seen2 = s->seen1;
  s->seen2_vl = s->seen1_vl;
  s->seen1 = s->tracker.visit[1].valid;
  s->seen1_vl = s->tracker.visit[1].vl;
}

static void heads_edge(struct loom_output_unit *s, const struct need *need) {
  uint32_t needs = 1u << need->vl;
  uint32_t granted = s->choice.shows.grant.valid ? 1u << s->choice.shows.grant.vl : 0;
  if (need->of_grant)
    s->exact &= ~needs;
  else if (need->of_look)
    s->exact |= needs;
  verdict_edge(s);
  s->judged &= ~granted;
  s->waits &= ~granted;
  if (s->store.event) {
    s->waits |= 1u << s->store.head_vl;
    s->size[s->store.head_vl] = (uint16_t)head_size(s);
  }
}

/* What goes ahead of the scheduler was alone when that was decided. */
static void count_edge(struct loom_output_unit *s) {
  const struct loom_lone_granted *grant = &s->choice.shows.grant;
  uint32_t ready = s->waits & (uint32_t)s->tracker.room & ~(1u << s->mgmt);
  if (grant->valid && grant->vl != s->mgmt)
    loom_sched_count(&s->grants, grant->early ? 0 : ready);
}

static void tracker_edge(struct loom_output_unit *s, const struct need *need,
                         const struct loom_output_unit_in *in) {
  const struct loom_lone_granted *grant = &s->choice.shows.grant;
  bool needs = need->of_grant || need->of_look;
  if (loom_room_tracker_rests(&s->tracker) && !grant->valid && !needs && !in->cr_valid &&
      !in->cfg_we)
    return;
  uint32_t lane = 0;
  bool back = in->cr_valid && lane_of(s, in->cr_vl, &lane);
  const struct loom_room_cycle tracker = {.consume = grant->valid,
                                          .give = back,
                                          .need = needs,
                                          .cfg = in->cfg_we != 0,
                                          .consume_vl = grant->vl,
                                          .give_vl = (uint8_t)lane,
                                          .need_vl = need->vl,
                                          .cfg_addr = (uint8_t)in->cfg_addr,
                                          .consume_size = grant->size,
                                          .need_size = (uint16_t)need->size,
                                          .cfg_data = (uint16_t)in->cfg_data};
  loom_room_tracker_edge(&s->tracker, &tracker);
}

static void grant_edge(struct loom_output_unit *s) {
  uint8_t vl;
  s->booked = wants_take(s, &vl) && !s->store.soon;
  s->booked_vl = vl;
  s->settle = s->choice.shows.grant.size > 1 ? SETTLE : (uint8_t)(s->settle - (s->settle > 0));
}

static void link_edge(struct loom_output_unit *s, const struct loom_packet_store_word *rd) {
  if (!rd->valid) {
    if (s->out.valid)
      memset(&s->out, 0, sizeof s->out);
    return;
  }
  s->out.valid = true;
  s->out.head = rd->first;
  s->out.tail = rd->last;
  s->out.vl = (uint8_t)(rd->vl == s->mgmt ? LINK_MGMT : rd->vl);
  s->out.data = rd->data[rd->lane];
}

/* ---- a cycle --------------------------------------------------------------------------------- */

void loom_output_unit_show(const struct loom_output_unit *s, struct loom_output_unit_out *out) {
  *out = (struct loom_output_unit_out){.space = s->store.space,
                                       .announce_ok = s->store.ok,
                                       .table_rdata = s->choice.shows.table_rdata,
                                       .busy = s->choice.shows.busy,
                                       .ready = loom_output_unit_ready(s),
                                       .out_valid = s->out.valid,
                                       .out_head = s->out.head,
                                       .out_tail = s->out.tail,
                                       .out_vl = s->out.vl,
                                       .out_data = s->out.data,
                                       .grant_valid = s->choice.shows.grant.valid,
                                       .grant_vl = s->choice.shows.grant.vl,
                                       .grant_key = s->choice.shows.grant.key,
                                       .grant_size = s->choice.shows.grant.size,
                                       .head_event = s->store.event,
                                       .head_vl = s->store.head_vl,
                                       .head_len = s->store.head_len,
                                       .head_sl = loom_output_unit_head_sl(s),
                                       .free_valid = s->store.free,
                                       .free_vl = s->store.free_vl,
                                       .idle = s->tracker.idle,
                                       .config_ok = s->tracker.config_ok,
                                       .error = s->tracker.error,
                                       .total = s->store.total,
                                       .far = s->tracker.total};
}

/* Something is to be done in this cycle, or what is done may depend on the inputs. */
static bool is_busy(const struct loom_output_unit *s, const struct loom_output_unit_in *in) {
  bool comes = in->announce || in->queue || in->wr_valid || in->cr_valid || in->cfg_we ||
               in->table_we || in->table_addr != s->choice.table_addr || in->hold != s->hold;
  bool works = s->look || s->booked || s->settle || s->out.valid || s->seen1 || s->seen2;
  return comes || works || lacking(s) || !loom_room_tracker_rests(&s->tracker) ||
         !loom_packet_store_is_calm(&s->store) || !loom_output_choice_rests(&s->choice);
}

static void edge(struct loom_output_unit *s, const struct loom_output_unit_in *in) {
  const struct need need = need_now(s);
  const struct loom_packet_store_cycle store = store_in(s, in);
  const struct loom_sched_cycle choice = choice_in(s, in);
  count_edge(s);
  scan_edge(s, &need);
  heads_edge(s, &need);
  grant_edge(s);
  link_edge(s, &s->store.rd);
  loom_packet_store_edge(&s->store, &store);
  tracker_edge(s, &need, in);
  loom_output_choice_edge(&s->choice, &choice);
  s->hold = in->hold != 0;
}

void loom_output_unit_edge(struct loom_output_unit *s, const struct loom_output_unit_in *in) {
  if (is_busy(s, in))
    s->still = 0;
  else if (s->still < LOOM_OUTPUT_STILL)
    s->still++;
  if (loom_output_unit_rests(s))
    loom_output_unit_skip(s, 1);
  else
    edge(s, in);
}

void loom_output_unit_step(struct loom_output_unit *s, const struct loom_output_unit_in *in,
                           struct loom_output_unit_out *out) {
  loom_output_unit_show(s, out);
  loom_output_unit_edge(s, in);
}

void loom_output_unit_skip(struct loom_output_unit *s, uint64_t cycles) {
  s->scan = (uint32_t)((s->scan + cycles) % s->vls);
  loom_output_choice_skip(&s->choice, cycles);
}

/* ---- many cycles at once --------------------------------------------------------------------- */

bool loom_output_unit_wakes(const struct loom_output_unit *s) {
  return s->look || s->choice.shows.grant.valid || lacking(s);
}

bool loom_output_unit_tracks(const struct loom_output_unit *s) {
  const struct loom_output_choice *c = &s->choice;
  bool same = requests(s, s->hold) == c->request && ready_heads(s) == c->ready;
  return !same || !loom_room_tracker_rests(&s->tracker) || s->seen1 || s->seen2 ||
         !(loom_output_choice_rests(c) || c->counts);
}

/* Cycles in which the link shows what it does now, nothing or a flit in the midst of a packet: it
 * is a cycle behind the store. */
static uint32_t link_stays(const struct loom_output_unit *s, uint32_t most) {
  const struct loom_packet_store_word *rd = &s->store.rd;
  if (s->out.head || s->out.tail)
    return 0;
  bool alike = rd->valid == s->out.valid && !(rd->valid && (rd->first || rd->last));
  return alike ? loom_min(most, 1 + loom_packet_store_word_stays(&s->store, most)) : 1;
}

uint32_t loom_output_unit_steady(struct loom_output_unit *s, uint32_t most) {
  if (s->booked || s->settle || loom_output_unit_wakes(s) || !loom_output_unit_ready(s) ||
      s->choice.table_addr)
    return 0;
  most = loom_packet_store_steady(&s->store, most);
  return most ? link_stays(s, most) : 0;
}

void loom_output_unit_pass(struct loom_output_unit *s, uint32_t cycles) {
  const struct loom_packet_store_word rd = loom_packet_store_word_after(&s->store, cycles - 1);
  s->scan = (uint32_t)((s->scan + cycles) % s->vls);
  loom_packet_store_pass(&s->store, cycles);
  link_edge(s, &rd);
}

bool loom_output_unit_defer(struct loom_output_unit *s, struct loom_room_late *late, uint8_t vl,
                            uint64_t now) {
  uint32_t lane;
  bool seen =
      (s->seen1 && !has(s->judged, s->seen1_vl)) || (s->seen2 && !has(s->judged, s->seen2_vl));
  bool sees = s->tracker.visit[1].valid && !has(s->judged, s->tracker.visit[1].vl);
  return !loom_output_unit_consumes(s) && !seen && !sees && lane_of(s, vl, &lane) &&
         loom_room_tracker_defer(&s->tracker, late, lane, s->judged | loom_room_late_judged(late),
                                 now);
}

bool loom_output_unit_foresee(struct loom_output_unit *s, struct loom_room_late *late,
                              uint64_t now) {
  return !s->seen1 && !s->seen2 && loom_room_tracker_foresee(&s->tracker, late, UINT32_MAX, now);
}

void loom_output_unit_turn(struct loom_output_unit *s, struct loom_room_late *late, uint64_t now) {
  s->judged |= loom_room_tracker_turn(&s->tracker, late, now);
  s->still = 0; /* an edge must not leave out what follows */
}

void loom_output_unit_tell(struct loom_output_unit *s, struct loom_room_late *late, uint64_t now) {
  /* Verdicts that were on their way then are on lanes that were judged, and stay so until now. */
  for (uint64_t at = loom_room_tracker_from(&s->tracker, late, now); at < now; at++) {
    verdict_edge(s);
    loom_room_tracker_tell(&s->tracker, late, at);
  }
  late->count = 0;
}

uint32_t loom_output_unit_track(struct loom_output_unit *s, bool credit, uint8_t vl) {
  static const struct need none = {0};
  const struct loom_output_unit_in in = {.hold = s->hold, .cr_valid = credit, .cr_vl = vl};
  const struct loom_sched_cycle choice = choice_in(s, &in);
  s->still = 0; /* an edge of the whole must not leave these out */
  verdict_edge(s);
  tracker_edge(s, &none, &in);
  return loom_output_choice_edge_to_rest(&s->choice, &choice);
}

void loom_output_unit_probe(const struct loom_output_unit *s, struct loom_output_unit_probe *p) {
  p->waits = s->waits;
  p->judged = s->judged;
  p->exact = s->exact;
  p->booked = s->booked;
  p->settle = s->settle;
  p->look = s->look;
  p->loom_end = 0;
}

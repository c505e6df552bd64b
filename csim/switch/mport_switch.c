/* SPDX-License-Identifier: Apache-2.0 */
/* mport_switch.c - twin of rtl/switch/loom_mport_switch.v, written from docs/mport_switch.md
 *
 * Ports, registers and counters are in csim/switch/chassis; here are the central units, and what
 * joins them and the ports. The edges come against the way of the packets: of the crossings and
 * outputs, of the central units, of the inputs, of the allocation. */
#include "switch/mport_switch.h"

#include <loom/head.h>

#include "switch/chassis_device.h"
#include "switch/chassis_edge.h"

enum { EARLY = 16 }; /* flits left of a packet at which the next may be booked */
enum { LEAST_END_CYCLES = 5 };
enum { MPORT_PORTS = 4, MPORT_CENTRALS = 2 };
enum { PORTS_OF_MPORT = 15, CENTRALS_OF_MPORT = 3 }; /* as sets */
enum { OUTER = LOOM_MPORT_OUTER, CENTRAL = LOOM_MPORT_CENTRAL };
enum { OUT_AT = LOOM_HEAD_INFO_MORE_AT + LOOM_HEAD_INFO_MORE_BITS, INFO_W = OUT_AT + 6 };
enum { BUFFER_ERROR = 1 << 9 }; /* its pulse */
enum { DELAY_BYTES = 4096 };

/* ---- init ------------------------------------------------------------------------------------ */

/* Lanes of a word of so many flits. */
static uint32_t lanes_for(uint32_t speedup) { return 4 / (4 / speedup); }

/* A packet whose source showed its end is over so many cycles later. */
static uint32_t end_cycles(uint32_t speedup) {
  return loom_max(loom_departure_last_word(speedup, EARLY) + 1, LEAST_END_CYCLES);
}

static struct loom_input_unit_cfg input_cfg(const struct loom_mport_switch_cfg *cfg) {
  return (struct loom_input_unit_cfg){.PORTS = MPORT_PORTS * cfg->MPORTS,
                                      .VLS = cfg->VLS,
                                      .SPEEDUP = cfg->MPORT_SPEEDUP,
                                      .CELLS = cfg->CELLS_IN,
                                      .MTU_UNITS = cfg->MTU_UNITS,
                                      .IN_DELAY = cfg->IN_DELAY,
                                      .STALL_CYCLES = cfg->STALL_CYCLES,
                                      .EARLY = EARLY,
                                      .RULE = 1};
}

static struct loom_crossing_cfg crossing_cfg(const struct loom_mport_switch_cfg *cfg) {
  return (struct loom_crossing_cfg){
      .PORTS = MPORT_PORTS + MPORT_CENTRALS * cfg->MPORTS,
      .VLS = cfg->VLS,
      .SPEEDUP = cfg->MPORT_SPEEDUP,
      .FAST_FROM = MPORT_PORTS,
      .FAST_SPEEDUP = cfg->CENTRAL_SPEEDUP,
      .CELLS = cfg->CELLS_OUT,
      .RESERVED = cfg->RESERVED_OUT,
      .MTU_UNITS = cfg->MTU_UNITS,
      .OUT_DELAY = cfg->OUT_DELAY,
      .SHORT = EARLY,
      .END_CYCLES = loom_max(end_cycles(cfg->MPORT_SPEEDUP), end_cycles(cfg->CENTRAL_SPEEDUP))};
}

static struct loom_output_unit_cfg output_cfg(const struct loom_mport_switch_cfg *cfg) {
  return (struct loom_output_unit_cfg){
      .VLS = cfg->VLS,
      .SCHED = cfg->SCHED,
      .KEYS = cfg->KEYS,
      .ARB_KEY = cfg->ARB_KEY,
      .ENTRIES = cfg->ENTRIES,
      .N_HIGH = cfg->N_HIGH,
      .N_LOW = cfg->N_LOW,
      .CELLS = cfg->CELLS_OUT,
      .LANES = lanes_for(loom_max(cfg->MPORT_SPEEDUP, cfg->CENTRAL_SPEEDUP)),
      .MTU_UNITS = cfg->MTU_UNITS,
      .REMOTE_UNITS = cfg->REMOTE_UNITS,
      .REMOTE_RESERVED = cfg->REMOTE_RESERVED};
}

/* Of each lane of a central unit, so that their numbers have five bits. */
static uint32_t queues_of(const struct loom_mport_switch_cfg *cfg) {
  return 2 * cfg->VLS <= LOOM_VLS ? 2 : 1;
}

static struct loom_central_cfg central_cfg(const struct loom_mport_switch_cfg *cfg) {
  return (struct loom_central_cfg){
      .crossing = {.PORTS = MPORT_PORTS,
                   .VLS = cfg->VLS,
                   .SPEEDUP = cfg->MPORT_SPEEDUP,
                   .FAST_SPEEDUP = 1,
                   .CELLS = cfg->CELLS_CENTRAL,
                   .RESERVED = cfg->RESERVED_CENTRAL,
                   .MTU_UNITS = cfg->MTU_UNITS,
                   .AHEAD = 1,
                   .SHORT = EARLY,
                   .END_CYCLES = end_cycles(cfg->MPORT_SPEEDUP)},
      .store = {.CELLS = cfg->CELLS_CENTRAL,
                .LANES = lanes_for(loom_max(cfg->MPORT_SPEEDUP, cfg->CENTRAL_SPEEDUP)),
                .RD_FLITS = cfg->CENTRAL_SPEEDUP,
                .MTU_UNITS = cfg->MTU_UNITS,
                .EARLY = EARLY,
                .PREFETCH = 1},
      .delay = cfg->CENTRAL_DELAY,
      .queues = queues_of(cfg)};
}

static struct loom_mport_alloc_cfg alloc_cfg(const struct loom_mport_switch_cfg *cfg) {
  return (struct loom_mport_alloc_cfg){.MPORTS = cfg->MPORTS,
                                       .LANES = cfg->VLS,
                                       .QUEUES = queues_of(cfg),
                                       .INFO_W = INFO_W,
                                       .PATIENCE = cfg->PATIENCE};
}

static struct loom_chassis_cfg chassis_cfg(const struct loom_mport_switch_cfg *cfg) {
  return (struct loom_chassis_cfg){.input = input_cfg(cfg),
                                   .crossing = crossing_cfg(cfg),
                                   .output = output_cfg(cfg),
                                   .device = LOOM_DEVICE_ID_MPORT_SWITCH,
                                   .lids = cfg->LIDS,
                                   .pulses = LOOM_CHASSIS_PULSES,
                                   .map_bits = LOOM_GET(LOOM_SWITCH_REG_CONTROL_MODE, UINT32_MAX),
                                   .entry_bits = LOOM_PUT(LOOM_SWITCH_REG_LFT_OUT, UINT32_MAX)};
}

bool loom_mport_switch_cfg_ok(const struct loom_mport_switch_cfg *cfg) {
  if (loom_mport_switch_bad_param(cfg))
    return false;
  struct loom_chassis_cfg chassis = chassis_cfg(cfg);
  struct loom_central_cfg central = central_cfg(cfg);
  struct loom_mport_alloc_cfg alloc = alloc_cfg(cfg);
  return loom_chassis_cfg_ok(&chassis) && loom_central_unit_cfg_ok(&central) &&
         loom_mport_alloc_cfg_ok(&alloc);
}

size_t loom_mport_switch_storage_size(const struct loom_mport_switch_cfg *cfg) {
  struct loom_chassis_cfg chassis = chassis_cfg(cfg);
  struct loom_central_cfg central = central_cfg(cfg);
  central.delay = 0; /* it is in DELAY_BYTES */
  return loom_chassis_storage_size(&chassis) +
         MPORT_CENTRALS * cfg->MPORTS * (loom_central_unit_storage_size(&central) + DELAY_BYTES);
}

/* The SC_WORD of this SC, to all inputs. */
static void write_word(struct loom_mport_switch *s, uint32_t sc) {
  uint32_t word = loom_sc_rule_word(&s->rule, s->chassis.mtu, sc);
  for (uint32_t port = 0; port < s->chassis.ports; port++)
    loom_input_unit_write_rule(&s->chassis.port[port].input, sc, word);
}

static void write_words(struct loom_mport_switch *s) {
  for (uint32_t sc = 0; sc < LOOM_SCS; sc++)
    write_word(s, sc);
}

void loom_mport_switch_start(struct loom_mport_switch *s, const struct loom_mport_switch_cfg *cfg,
                             void *storage) {
  struct loom_chassis_cfg chassis = chassis_cfg(cfg);
  struct loom_central_cfg central = central_cfg(cfg);
  struct loom_mport_alloc_cfg alloc = alloc_cfg(cfg);
  char *left = loom_chassis_init(&s->chassis, &chassis, storage);
  s->mports = cfg->MPORTS;
  s->centrals = MPORT_CENTRALS * cfg->MPORTS;
  s->lanes = central.store.LANES;
  s->input_lanes = lanes_for(cfg->MPORT_SPEEDUP);
  s->equal = (uint32_t)loom_mask(s->mports);
  s->all = s->awake = s->idle_central = s->free = (uint32_t)loom_mask(s->centrals);
  loom_mport_alloc_init(&s->alloc, &alloc);
  loom_sc_rule_init(&s->rule, cfg->VLS);
  for (uint32_t port = 0; port < s->chassis.ports; port++)
    s->chassis.port[port].input.mport = (uint8_t)(port / MPORT_PORTS);
  for (uint32_t b = 0; b < s->centrals; b++, left += loom_central_unit_storage_size(&central))
    loom_central_unit_init(&s->central[b], &central, left);
  write_words(s);
}

void loom_mport_switch_init(struct loom_mport_switch *s, const struct loom_mport_switch_cfg *cfg,
                            void *storage) {
  memset(s, 0, sizeof *s);
  loom_mport_switch_start(s, cfg, storage);
  loom_chassis_clear(&s->chassis);
}

/* ---- registers ------------------------------------------------------------------------------- */

/* The entry of the three tables at this address, or NULL. */
static uint8_t *entry_at(struct loom_sc_rule *rule, uint32_t addr) {
  uint32_t at = addr - LOOM_OPA_REG_SC2VL;
  uint8_t *const table[] = {rule->sc2vl, rule->sc2sl, rule->sl2sc};
  return at < 3 * LOOM_SCS ? &table[at / LOOM_SCS][at % LOOM_SCS] : NULL;
}

static void answer(struct loom_mport_switch *s, struct loom_chassis_access *read) {
  const uint8_t *entry = entry_at(&s->rule, read->addr);
  if (entry)
    read->data = *entry;
}

/* A write of the cycle before takes effect in the tables of the rule; it is `late` no more. */
static void write_rule(struct loom_mport_switch *s, struct loom_chassis_access late) {
  uint8_t *entry = entry_at(&s->rule, late.addr);
  if (!late.we)
    return;
  if (entry) { /* all three tables have the same field */
    *entry = (uint8_t)LOOM_GET(LOOM_OPA_REG_SC2VL_VL, late.data);
    write_word(s, (late.addr - LOOM_OPA_REG_SC2VL) % LOOM_SCS);
  }
  if (late.addr - LOOM_SWITCH_REG_MTU < s->chassis.vls)
    write_words(s);
}

/* ---- what a cycle has ------------------------------------------------------------------------ */

struct cycle {
  struct loom_chassis_cycle of; /* the chassis */
  uint64_t free;                /* crossings of outputs that are, in this cycle; */
  uint32_t central_free;        /* and of central units */
  uint32_t centrals;            /* central units that have an edge in this cycle */
  uint32_t limits;              /* those whose crossing has a limit written */
  const struct loom_chassis_access *limit[LOOM_MPORT_CENTRALS];
  uint32_t less, equal; /* in the next cycle */
};

static bool has(uint64_t set, uint32_t member) { return loom_chassis_has(set, member); }

/* A limit for the tracker of a central unit, which sees the bus of every other port. */
static void look_for_limits(const struct loom_mport_switch *s, struct cycle *c) {
  c->limits = 0;
  for (uint32_t b = 0; s->chassis.under_way && b < s->centrals; b++) {
    const struct loom_chassis_access *x = loom_chassis_seen(&s->chassis, 2 * b);
    if (!x || !x->we)
      continue;
    uint32_t window = (x->addr - LOOM_SWITCH_REG_CENTRALS) / LOOM_REG_WINDOW;
    uint32_t limit = x->addr % LOOM_REG_WINDOW - LOOM_OPA_WIN_TRACKER;
    if ((window == b || window == LOOM_SWITCH_EVERY) && limit < LOOM_OPA_WIN_TRACKER_WORDS) {
      c->limits |= 1u << b;
      c->limit[b] = x;
    }
  }
}

/* Central unit 2m + k counts its errors at port 4m + k. */
static void tell_errors(const struct loom_mport_switch *s, struct cycle *c) {
  for (uint32_t left = c->centrals; left; left &= left - 1) {
    uint32_t b = loom_ctz(left), port = MPORT_PORTS * (b / 2) + b % 2;
    if (!s->central[b].crossing.tracker.error)
      continue;
    c->of.pulsed |= 1ull << port;
    c->of.pulses[port] = BUFFER_ERROR;
  }
}

static void begin(struct loom_mport_switch *s, const struct loom_chassis_arrival *in,
                  struct cycle *c) {
  loom_chassis_begin(&s->chassis, in, in, &c->of);
  if (c->of.bus.read)
    answer(s, c->of.bus.read);
  look_for_limits(s, c);
  c->free = s->chassis.free;
  c->central_free = s->free;
  c->of.inputs |= s->alloc.sources[OUTER].took;
  c->of.crossings |= s->alloc.targets[OUTER].booked;
  c->centrals = s->awake | c->limits | (c->of.mtu_we ? s->all : 0) |
                (uint32_t)(s->alloc.sources[CENTRAL].took | s->alloc.targets[CENTRAL].booked);
  tell_errors(s, c);
}

/* ---- what inputs and central units show ------------------------------------------------------ */

/* The targets of an input of this MPort that are free. */
static uint64_t free_for(const struct cycle *c, uint32_t mport) {
  return (c->free >> MPORT_PORTS * mport & PORTS_OF_MPORT) |
         (uint64_t)(c->central_free >> MPORT_CENTRALS * mport & CENTRALS_OF_MPORT) << MPORT_PORTS;
}

/* A head for the allocation. */
static void tell_head(struct loom_mport_switch *s, uint32_t bank, uint32_t place,
                      const struct loom_departure_offer *offer) {
  s->to_alloc.head_event[bank] |= 1ull << place;
  s->to_alloc.head[loom_mport_alloc_index(bank, place)] = (struct loom_mport_alloc_head){
      offer->lane, {(uint64_t)offer->out << OUT_AT | offer->info, offer->target, offer->vl}};
}

static void look_at_inputs(struct loom_mport_switch *s, const struct cycle *c) {
  struct loom_departure_offer offer;
  s->to_alloc.head_event[OUTER] = 0;
  loom_chassis_begin_inputs(&s->chassis, &c->of);
  for (uint64_t left = c->of.inputs; left; left &= left - 1) {
    uint32_t port = loom_ctz(left);
    const struct loom_input_unit *u = &s->chassis.port[port].input;
    loom_chassis_look_at_input(&s->chassis, port, free_for(c, port / MPORT_PORTS));
    if (u->store.event && loom_input_unit_offers(u, &offer))
      tell_head(s, OUTER, port, &offer);
  }
  s->to_alloc.source_ready[OUTER] = s->chassis.source_ready;
}

static void look_at_central(struct loom_mport_switch *s, const struct cycle *c, uint32_t b) {
  const struct loom_central_unit *u = &s->central[b];
  const struct loom_departure *d = &u->departure;
  bool soon = u->store.soon;
  s->source_ready |= (uint32_t)loom_departure_source_ready(d, soon, c->free) << b;
  s->start_ok |= (uint32_t)loom_departure_start_ok(d, soon) << b;
  s->sure |= (uint32_t)loom_departure_sure(d) << b;
  s->end |= (uint32_t)loom_departure_end(d, soon) << b;
  s->quiet |= (uint32_t)(!u->store.total && u->crossing.tracker.idle) << b;
  if (u->store.event) {
    const struct loom_departure_offer offer = loom_central_unit_offer(u);
    tell_head(s, CENTRAL, b, &offer);
  }
}

/* Which of the two has less in it. */
static void compare(const struct loom_mport_switch *s, struct cycle *c) {
  c->less = s->less;
  c->equal = s->equal;
  for (uint32_t m = 0; c->centrals && m < s->mports; m++) {
    uint32_t first = s->central[2 * m].store.total, second = s->central[2 * m + 1].store.total;
    c->less = (c->less & ~(1u << m)) | (uint32_t)(second < first) << m;
    c->equal = (c->equal & ~(1u << m)) | (uint32_t)(second == first) << m;
  }
}

static void look_at_centrals(struct loom_mport_switch *s, struct cycle *c) {
  s->to_alloc.head_event[CENTRAL] = 0;
  s->source_ready &= ~c->centrals;
  s->start_ok &= ~c->centrals;
  s->sure &= ~c->centrals;
  s->end &= ~c->centrals;
  s->quiet &= ~c->centrals;
  for (uint32_t left = c->centrals; left; left &= left - 1)
    look_at_central(s, c, loom_ctz(left));
  s->to_alloc.source_ready[CENTRAL] = s->source_ready;
  compare(s, c);
}

/* ---- words ----------------------------------------------------------------------------------- */

/* One of an input that is written to a store of more lanes. */
static const struct loom_packet_store_word *widen(const struct loom_mport_switch *s,
                                                  const struct loom_packet_store_word *word,
                                                  struct loom_packet_store_word *wide) {
  if (!word || s->input_lanes == s->lanes)
    return word;
  *wide = *word;
  for (uint32_t k = s->input_lanes; k < s->lanes; k++)
    wide->data[k] = word->data[k % s->input_lanes];
  return wide;
}

/* The word of an input for the target that it knows by this number. */
static const struct loom_packet_store_word *word_of_input(const struct loom_mport_switch *s,
                                                          uint32_t port, uint32_t number,
                                                          struct loom_packet_store_word *wide) {
  const struct loom_input_unit *from = &s->chassis.port[port].input;
  return from->departure.tag.target == number ? widen(s, loom_input_unit_word(from), wide) : NULL;
}

/* That of a central unit needs no widening: its flits stand in the lanes of their places in the
 * packet, where the store of the output reads them. */
static const struct loom_packet_store_word *word_for_output(const struct loom_mport_switch *s,
                                                            uint32_t port,
                                                            struct loom_packet_store_word *wide) {
  const struct loom_crossing *x = &s->chassis.port[port].crossing;
  uint32_t mport = port / MPORT_PORTS;
  if (!x->receives)
    return NULL;
  if (x->source < MPORT_PORTS)
    return word_of_input(s, MPORT_PORTS * mport + x->source, port % MPORT_PORTS, wide);
  const struct loom_central_unit *from = &s->central[x->source - MPORT_PORTS];
  return from->departure.tag.target == port ? loom_central_unit_word(from) : NULL;
}

static const struct loom_packet_store_word *word_for_central(const struct loom_mport_switch *s,
                                                             uint32_t b,
                                                             struct loom_packet_store_word *wide) {
  const struct loom_crossing *x = &s->central[b].crossing;
  uint32_t mport = b / MPORT_CENTRALS;
  if (!x->receives)
    return NULL;
  return word_of_input(s, MPORT_PORTS * mport + x->source, MPORT_PORTS + b % MPORT_CENTRALS, wide);
}

/* ---- crossings and outputs ------------------------------------------------------------------- */

/* The booking of a target. Gives the upper bits of its info. */
static uint8_t fill_booking(const struct loom_mport_switch *s, uint32_t bank, uint32_t place,
                            struct loom_crossing_cycle *in) {
  uint32_t number = s->alloc.target[loom_mport_alloc_index(bank, place)].booked_source;
  struct loom_alloc_end source = loom_mport_alloc_source(bank, place, number);
  const struct loom_alloc_record *r = loom_mport_alloc_record(
      &s->alloc, loom_mport_alloc_index(source.bank, source.place), LOOM_ALLOC_DONE);
  in->book = true;
  in->book_source = (uint8_t)number;
  in->book_vl = r->vl;
  in->book_info = (uint32_t)(r->info & loom_mask(OUT_AT));
  return (uint8_t)(r->info >> OUT_AT);
}

/* A set of inputs and one of central units, as the sources of an output. */
static uint64_t sources_of(uint32_t mport, uint64_t inputs, uint32_t centrals) {
  return (inputs >> MPORT_PORTS * mport & PORTS_OF_MPORT) | (uint64_t)centrals << MPORT_PORTS;
}

/* What the output gets from its crossing, whose edge comes meanwhile; false: nothing. */
static bool cross(struct loom_mport_switch *s, const struct cycle *c, uint32_t port) {
  const struct loom_chassis *chassis = &s->chassis;
  uint32_t mport = port / MPORT_PORTS;
  struct loom_packet_store_word wide;
  struct loom_crossing_cycle in = {.start_ok = sources_of(mport, chassis->start_ok, s->start_ok),
                                   .sure = sources_of(mport, chassis->sure, s->sure),
                                   .end = sources_of(mport, chassis->end, s->end),
                                   .word = word_for_output(s, port, &wide)};
  if (has(s->alloc.targets[OUTER].booked, port))
    fill_booking(s, OUTER, port, &in);
  s->to_alloc.room[loom_mport_alloc_index(OUTER, port)] = chassis->port[port].crossing.tracker.room;
  return loom_chassis_cross(&s->chassis, &c->of, port, &in);
}

static void output_edges(struct loom_mport_switch *s, struct cycle *c) {
  loom_chassis_begin_outputs(&s->chassis, &c->of);
  for (uint64_t left = c->of.crossings | c->of.outputs; left; left &= left - 1) {
    uint32_t port = loom_ctz(left);
    loom_chassis_begin_output(&s->chassis, &c->of, port);
    bool arrives = has(c->of.crossings, port) && cross(s, c, port);
    loom_chassis_end_output(&s->chassis, &c->of, port, arrives);
  }
  s->to_alloc.target_ready[OUTER] = s->chassis.target_ready;
}

/* ---- central units --------------------------------------------------------------------------- */

/* What is written to its tracker; false: nothing. */
static bool fill_write(const struct cycle *c, uint32_t b, struct loom_crossing_write *write) {
  *write = (struct loom_crossing_write){.need = c->of.mtu_we,
                                        .need_vl = (uint8_t)c->of.mtu_lane,
                                        .need_units = (uint16_t)c->of.mtu_units,
                                        .cfg = has(c->limits, b)};
  if (write->cfg) {
    write->cfg_addr = (uint8_t)(c->limit[b]->addr % LOOM_REG_WINDOW - LOOM_OPA_WIN_TRACKER);
    write->cfg_data = (uint16_t)(c->limit[b]->data & loom_mask(12));
  }
  return write->need || write->cfg;
}

static void central_edge(struct loom_mport_switch *s, const struct cycle *c, uint32_t b) {
  struct loom_central_unit *u = &s->central[b];
  uint32_t mport = b / MPORT_CENTRALS, index = loom_mport_alloc_index(CENTRAL, b);
  struct loom_packet_store_word wide;
  struct loom_crossing_write write;
  struct loom_central_cycle in = {
      .crossing = {.start_ok = s->chassis.start_ok >> MPORT_PORTS * mport & PORTS_OF_MPORT,
                   .sure = s->chassis.sure >> MPORT_PORTS * mport & PORTS_OF_MPORT,
                   .end = s->chassis.end >> MPORT_PORTS * mport & PORTS_OF_MPORT,
                   .word = word_for_central(s, b, &wide)},
      .free = c->free};
  if (has(s->alloc.targets[CENTRAL].booked, b))
    in.book_out = fill_booking(s, CENTRAL, b, &in.crossing);
  if (has(s->alloc.sources[CENTRAL].took, b)) {
    in.take = true;
    in.take_lane = (uint8_t)loom_mport_alloc_lane(&s->alloc, index, LOOM_ALLOC_DONE);
    in.take_target = loom_mport_alloc_record(&s->alloc, index, LOOM_ALLOC_DONE)->target;
  }
  if (fill_write(c, b, &write))
    in.crossing.write = &write;
  s->to_alloc.room[index] = u->crossing.tracker.room;
  s->target_ready |= (uint32_t)loom_central_unit_edge(u, &in) << b;
  s->free |= (uint32_t)loom_crossing_is_free(&u->crossing) << b;
  s->awake |= (uint32_t)!loom_central_unit_rests(u) << b;
}

static void central_edges(struct loom_mport_switch *s, const struct cycle *c) {
  s->target_ready &= ~c->centrals;
  s->free &= ~c->centrals;
  s->awake = 0;
  for (uint32_t left = c->centrals; left; left &= left - 1)
    central_edge(s, c, loom_ctz(left));
  s->to_alloc.target_ready[CENTRAL] = s->target_ready;
}

/* ---- inputs ---------------------------------------------------------------------------------- */

/* How the central unit of a packet is chosen in this cycle. */
static uint8_t side_for(const struct loom_mport_switch *s, uint32_t mport) {
  bool adaptive = LOOM_GET(LOOM_SWITCH_REG_CONTROL_CENTRAL, s->chassis.control);
  return !adaptive || has(s->equal, mport) ? LOOM_INPUT_OF_OUT : (uint8_t)has(s->less, mport);
}

static void input_edge(struct loom_mport_switch *s, const struct cycle *c, uint32_t port) {
  uint32_t mport = port / MPORT_PORTS, index = loom_mport_alloc_index(OUTER, port);
  struct loom_input_cycle in = {
      .map_mode = (uint8_t)LOOM_GET(LOOM_SWITCH_REG_CONTROL_MODE, s->chassis.control),
      .side = side_for(s, mport),
      .free = free_for(c, mport)};
  if (has(s->alloc.sources[OUTER].took, port)) {
    in.book = true;
    in.book_lane = (uint8_t)loom_mport_alloc_lane(&s->alloc, index, LOOM_ALLOC_DONE);
    in.book_target = loom_mport_alloc_record(&s->alloc, index, LOOM_ALLOC_DONE)->target;
  }
  if (loom_chassis_input_edge(&s->chassis, &c->of, port, &in))
    loom_chassis_look_up(&s->chassis, port, (uint32_t)LOOM_GET64(LOOM_HEAD_DEST, in.data));
}

static void input_edges(struct loom_mport_switch *s, const struct cycle *c) {
  s->chassis.input_awake = 0;
  for (uint64_t left = c->of.inputs; left; left &= left - 1)
    input_edge(s, c, loom_ctz(left));
  loom_chassis_write_inputs(&s->chassis, &c->of);
}

/* ---- a cycle --------------------------------------------------------------------------------- */

static bool is_ready(const struct loom_mport_switch *s) {
  bool ready = true;
  for (uint32_t b = 0; b < s->centrals; b++)
    ready = ready && s->central[b].crossing.tracker.ready;
  return ready;
}

void loom_mport_switch_cycle(struct loom_mport_switch *s, const struct loom_chassis_arrival *in) {
  struct cycle c;
  const struct loom_chassis_access late = s->chassis.late;
  begin(s, in, &c);
  s->ready = s->ready || is_ready(s);
  look_at_inputs(s, &c);
  look_at_centrals(s, &c);
  loom_chassis_watch(&s->chassis, &c.of);
  output_edges(s, &c);
  central_edges(s, &c);
  input_edges(s, &c);
  s->less = c.less;
  s->equal = c.equal;
  loom_mport_alloc_edge(&s->alloc, &s->to_alloc);
  loom_chassis_end(&s->chassis, &c.of, s->idle_central == s->all);
  s->idle_central = s->quiet;
  write_rule(s, late);
}

bool loom_mport_switch_sleeps(const struct loom_mport_switch *s) {
  return !s->awake && s->ready && s->idle_central == s->quiet &&
         loom_chassis_sleeps(&s->chassis, s->idle_central == s->all) &&
         loom_mport_alloc_rests(&s->alloc, &s->to_alloc);
}

void loom_mport_switch_skip(struct loom_mport_switch *s, uint64_t cycles) {
  loom_mport_alloc_skip(&s->alloc, cycles);
  loom_chassis_skip(&s->chassis, cycles);
}

/* ---- what waits ------------------------------------------------------------------------------ */

struct loom_mport_goal loom_mport_switch_goal(const struct loom_mport_switch *s, uint32_t port,
                                              uint32_t lane) {
  const struct loom_alloc_source *from = &s->alloc.source[loom_mport_alloc_index(OUTER, port)];
  const struct loom_alloc_record *r = &from->record[lane];
  uint32_t mport = port / MPORT_PORTS;
  if (r->target < MPORT_PORTS)
    return (struct loom_mport_goal){(uint8_t)(MPORT_PORTS * mport + r->target), r->vl};
  uint32_t b = MPORT_CENTRALS * mport + r->target - MPORT_PORTS;
  const struct loom_alloc_source *central = &s->alloc.source[loom_mport_alloc_index(CENTRAL, b)];
  uint8_t out = (uint8_t)(r->info >> OUT_AT);
  uint32_t queues = s->central[b].queues,
           own = r->vl * queues + loom_central_unit_side(&s->central[b], out);
  uint32_t of_lane = central->present & (uint32_t)loom_mask(queues) << r->vl * queues;
  if (!of_lane)
    return (struct loom_mport_goal){out, r->vl};
  uint32_t queue = of_lane >> own & 1 ? own : loom_ctz(of_lane);
  return (struct loom_mport_goal){central->record[queue].target, central->record[queue].vl};
}

/* ---- with the ports of the list -------------------------------------------------------------- */

void loom_mport_switch_step(struct loom_mport_switch *s, const struct loom_mport_switch_in *in,
                            struct loom_mport_switch_out *out) {
  LOOM_CHASSIS_STEP(&s->chassis, in, out, loom_mport_switch_cycle(s, &arrival));
}

void loom_mport_switch_probe(const struct loom_mport_switch *s, struct loom_mport_switch_probe *p) {
  memset(p, 0, sizeof *p);
  p->idle = s->chassis.idle;
  p->ready = s->chassis.ready && s->ready;
  for (uint32_t b = 0; b < s->centrals; b++) {
    p->central_booked |= (uint64_t)s->central[b].crossing.booked << b;
    p->central_leaves |= (uint64_t)s->central[b].departure.booked << b;
    p->central_open |= (uint64_t)s->central[b].open << 2 * b;
  }
  p->central_less = s->less;
}

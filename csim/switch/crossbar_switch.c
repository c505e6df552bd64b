/* SPDX-License-Identifier: Apache-2.0 */
/* crossbar_switch.c - twin of rtl/switch/loom_crossbar_switch.v, written from
 * docs/crossbar_switch.md
 *
 * Each unit is stepped once a cycle, and gives what it shows in it: first the inputs, for which the
 * allocation and the crossings have registers; then the crossings, which want what the inputs show;
 * then the outputs, which want what the crossings show; at last the allocation. A unit in which
 * nothing happens is not stepped, and shows what it did. */
#include "switch/crossbar_switch.h"

#include <string.h>

#include <loom/head.h>

#define LOOM_NAMES "switch/input_unit.fields"
#include <loom/names.h>

enum { EARLY = 8 }; /* flits left of a packet at which the next may be booked */
enum { INFO_W = LOOM_HEAD_INFO_MORE_AT + LOOM_HEAD_INFO_MORE_BITS };
enum { STREAMS = 3, INDEX_W = 5, PULSES = 10 };
enum { ACCEPTED, BY_LANE, BY_SL }; /* streams */
enum { LINK_ERROR = 1 << 0, TRAP_LOST = 1 << 6, FAR_ERROR = 1 << 7, BUFFER_ERROR = 1 << 9 };
enum { TRAPS_MOST = 13 }; /* words in the queue of traps with which one more is moved */
enum { DELAY_BYTES = 4096, LFT_BYTES = 65536 };

/* ---- init ------------------------------------------------------------------------------------ */

static struct loom_input_unit_cfg input_cfg(const struct loom_crossbar_switch_cfg *cfg) {
  return (struct loom_input_unit_cfg){.PORTS = cfg->PORTS,
                                      .VLS = cfg->VLS,
                                      .SPEEDUP = cfg->SPEEDUP,
                                      .CELLS = cfg->CELLS_IN,
                                      .MTU_UNITS = cfg->MTU_UNITS,
                                      .IN_DELAY = cfg->IN_DELAY,
                                      .STALL_CYCLES = cfg->STALL_CYCLES,
                                      .EARLY = EARLY};
}

static struct loom_crossing_cfg crossing_cfg(const struct loom_crossbar_switch_cfg *cfg) {
  return (struct loom_crossing_cfg){.PORTS = cfg->PORTS,
                                    .VLS = cfg->VLS,
                                    .SPEEDUP = cfg->SPEEDUP,
                                    .CELLS = cfg->CELLS_OUT,
                                    .RESERVED = cfg->RESERVED_OUT,
                                    .MTU_UNITS = cfg->MTU_UNITS,
                                    .OUT_DELAY = cfg->OUT_DELAY,
                                    .SHORT = EARLY,
                                    .END_CYCLES = cfg->SPEEDUP == 1 ? EARLY + 1 : EARLY / 2 + 2};
}

static struct loom_output_unit_cfg output_cfg(const struct loom_crossbar_switch_cfg *cfg) {
  return (struct loom_output_unit_cfg){.VLS = cfg->VLS,
                                       .SCHED = cfg->SCHED,
                                       .KEYS = cfg->KEYS,
                                       .ARB_KEY = cfg->ARB_KEY,
                                       .ENTRIES = cfg->ENTRIES,
                                       .N_HIGH = cfg->N_HIGH,
                                       .N_LOW = cfg->N_LOW,
                                       .CELLS = cfg->CELLS_OUT,
                                       .LANES = cfg->SPEEDUP,
                                       .MTU_UNITS = cfg->MTU_UNITS,
                                       .REMOTE_UNITS = cfg->REMOTE_UNITS,
                                       .REMOTE_RESERVED = cfg->REMOTE_RESERVED};
}

static struct loom_pipelined_alloc_cfg alloc_cfg(const struct loom_crossbar_switch_cfg *cfg) {
  return (struct loom_pipelined_alloc_cfg){
      .PORTS = cfg->PORTS, .LANES = cfg->VLS, .INFO_W = INFO_W, .PATIENCE = cfg->PATIENCE};
}

bool loom_crossbar_switch_cfg_ok(const struct loom_crossbar_switch_cfg *cfg) {
  if (loom_crossbar_switch_bad_param(cfg))
    return false;
  struct loom_input_unit_cfg input = input_cfg(cfg);
  struct loom_crossing_cfg crossing = crossing_cfg(cfg);
  struct loom_output_unit_cfg output = output_cfg(cfg);
  struct loom_pipelined_alloc_cfg alloc = alloc_cfg(cfg);
  return loom_input_unit_cfg_ok(&input) && loom_crossing_cfg_ok(&crossing) &&
         loom_output_unit_cfg_ok(&output) && loom_pipelined_alloc_cfg_ok(&alloc);
}

size_t loom_crossbar_switch_storage_size(const struct loom_crossbar_switch_cfg *cfg) {
  struct loom_input_unit_cfg input = input_cfg(cfg);
  struct loom_output_unit_cfg output = output_cfg(cfg);
  input.IN_DELAY = 0; /* it is in DELAY_BYTES */
  return cfg->PORTS * (loom_input_unit_storage_size(&input) +
                       loom_output_unit_storage_size(&output) + DELAY_BYTES) +
         LFT_BYTES;
}

/* The units of a port take their storage from `storage`; gives what is left of it. */
static char *init_port(struct loom_crossbar_port *p, const struct loom_crossbar_switch_cfg *cfg,
                       char *storage) {
  struct loom_input_unit_cfg input = input_cfg(cfg);
  struct loom_crossing_cfg crossing = crossing_cfg(cfg);
  struct loom_output_unit_cfg output = output_cfg(cfg);
  const struct loom_event_counters_cfg counters = {
      .STREAMS = STREAMS, .INDEX_W = INDEX_W, .PULSES = PULSES};
  loom_input_unit_init(&p->input, &input, storage);
  storage += loom_input_unit_storage_size(&input);
  loom_crossing_init(&p->crossing, &crossing, storage);
  storage += loom_crossing_storage_size(&crossing);
  loom_output_unit_init(&p->output, &output, storage);
  storage += loom_output_unit_storage_size(&output);
  loom_event_counters_init(&p->counters, &counters);
  return storage;
}

void loom_crossbar_switch_init(struct loom_crossbar_switch *s,
                               const struct loom_crossbar_switch_cfg *cfg, void *storage) {
  struct loom_pipelined_alloc_cfg alloc = alloc_cfg(cfg);
  char *left = storage;
  memset(s, 0, sizeof *s);
  s->ports = cfg->PORTS;
  s->vls = cfg->VLS;
  s->speedup = cfg->SPEEDUP;
  s->mtu_units = cfg->MTU_UNITS;
  s->lids = cfg->LIDS;
  s->all = s->input_awake = s->crossing_awake = s->output_awake = s->idle_port = s->free =
      loom_mask(s->ports);
  s->idle = true;
  s->counting = s->all;
  for (uint32_t lane = 0; lane < s->vls; lane++)
    s->mtu[lane] = (uint16_t)cfg->MTU_UNITS;
  loom_rr_arbiter_init(&s->trap_arbiter, &(struct loom_rr_arbiter_cfg){.N = s->ports});
  loom_pipelined_alloc_init(&s->alloc, &alloc);
  for (uint32_t port = 0; port < s->ports; port++)
    left = init_port(&s->port[port], cfg, left);
  s->lft = (uint8_t *)left;
  memset(s->lft, 0, s->lids);
}

/* ---- sets ------------------------------------------------------------------------------------ */

static bool has(uint64_t set, uint32_t member) { return set >> member & 1; }

static void put(uint64_t *set, uint32_t member, uint64_t is) {
  *set = (*set & ~(1ull << member)) | (uint64_t)(is != 0) << member;
}

/* ---- what a cycle has ------------------------------------------------------------------------ */

struct cycle {
  const struct loom_crossbar_arrival *in;
  struct loom_crossbar_bus bus;
  struct loom_pipelined_alloc_out booked; /* where `book` and `take` say so */
  uint64_t inputs, crossings, outputs;    /* that are stepped in this cycle */
  bool mtu_we;
  uint32_t mtu_lane, mtu_units;
};

/* A write to this array of registers of the port, and its offset there. */
static bool writes(const struct cycle *c, uint32_t port, uint32_t base, uint32_t size,
                   uint32_t *offset) {
  if (!has(c->bus.ports, port) || !c->bus.access[port]->we)
    return false;
  *offset = c->bus.access[port]->addr % LOOM_REG_WINDOW - base;
  return *offset < size;
}

static void begin(struct loom_crossbar_switch *s, const struct loom_crossbar_arrival *in,
                  struct cycle *c) {
  c->in = in;
  loom_crossbar_bus_look(s, &c->bus);
  c->booked.take = s->alloc.took;
  c->booked.book = s->alloc.booked;
  if (s->alloc.took | s->alloc.booked)
    loom_pipelined_alloc_show(&s->alloc, &c->booked);
  uint32_t lane = s->late.addr - LOOM_SWITCH_REG_MTU;
  c->mtu_we = s->late.we && lane < s->vls;
  c->mtu_lane = c->mtu_we ? lane : 0;
  c->mtu_units = c->mtu_we ? LOOM_GET(LOOM_SWITCH_REG_MTU_UNITS, s->late.data) : 0;
}

/* ---- inputs ---------------------------------------------------------------------------------- */

static struct loom_input_unit_in input_in(const struct loom_crossbar_switch *s,
                                          const struct cycle *c, uint32_t port) {
  uint32_t map;
  bool map_we = writes(c, port, LOOM_SWITCH_WIN_MAP, s->ports * LOOM_INPUT_SLS, &map);
  bool book = has(c->booked.take, port), flit = has(c->in->valid, port);
  return (struct loom_input_unit_in){
      .in_valid = flit,
      .in_head = flit && has(c->in->head, port),
      .in_tail = flit && has(c->in->tail, port),
      .in_vl = flit ? c->in->port[port].vl : 0,
      .in_data = flit ? c->in->port[port].data : 0,
      .found_known = s->port[port].found_known,
      .found_port = s->port[port].found_port,
      .map_on = LOOM_GET(LOOM_SWITCH_REG_CONTROL_MODE, s->control) & 1,
      .map_we = map_we,
      .map_addr = map_we ? map : 0,
      .map_data = map_we ? LOOM_GET(LOOM_SWITCH_WIN_MAP_ENTRY, c->bus.access[port]->data) : 0,
      .mtu_we = c->mtu_we,
      .mtu_vl = c->mtu_lane,
      .mtu_units = c->mtu_units,
      .book = book,
      .book_lane = book ? c->booked.take_lane[port] : 0,
      .book_target = book ? c->booked.take_target[port] : 0,
      .free = s->free,
  };
}

/* What the input shows goes to the allocation and to the crossings. */
static void spread_input(struct loom_crossbar_switch *s, uint32_t port) {
  const struct loom_input_unit_out *o = &s->port[port].input_shows;
  struct loom_pipelined_alloc_in *alloc = &s->to_alloc;
  struct loom_crossing_in *words = &s->to_crossing;
  put(&alloc->source_ready, port, o->source_ready);
  put(&words->start_ok, port, o->start_ok);
  put(&words->sure, port, o->sure);
  put(&words->end, port, o->end);
  put(&s->input_used, port, o->total);
  if (o->head_event) {
    alloc->head_event |= 1ull << port;
    alloc->head_lane[port] = o->head_lane;
    alloc->head_target[port] = o->head_target;
    alloc->head_vl[port] = o->head_vl;
    alloc->head_info[port] = o->head_info;
  }
  if (o->word_valid) {
    words->word_valid |= 1ull << port;
    words->word_last |= o->word_last << port;
    words->word_target[port] = o->word_target;
    words->word_flits[port] = o->word_flits;
    memcpy(&words->word_data[port * s->speedup], o->word_data, s->speedup * sizeof(uint64_t));
  }
}

/* The table is read for a head on the link. */
static void look_up(struct loom_crossbar_switch *s, const struct cycle *c, uint32_t port) {
  uint32_t lid = (uint32_t)LOOM_GET64(LOOM_HEAD_DEST, c->in->port[port].data);
  struct loom_crossbar_port *p = &s->port[port];
  p->found_port = lid < s->lids ? s->lft[lid] : 0;
  p->found_known = lid < s->lft_count && p->found_port < s->ports;
}

/* What the input shows to its link. */
static void show_credit(struct loom_crossbar_switch *s, uint32_t port) {
  const struct loom_input_unit_out *o = &s->port[port].input_shows;
  if (!o->in_cr_valid)
    return;
  s->shown.credit |= 1ull << port;
  s->shown.cr_vl[port] = (uint8_t)o->in_cr_vl;
}

static void inputs(struct loom_crossbar_switch *s, struct cycle *c) {
  uint64_t woken = c->in->valid | c->booked.take | c->bus.ports | (c->mtu_we ? s->all : 0);
  s->to_alloc.head_event = 0;
  s->to_crossing.word_valid = s->to_crossing.word_last = 0;
  s->input_awake = c->inputs = s->input_awake | woken;
  for (uint64_t left = c->inputs; left; left &= left - 1) {
    uint32_t port = loom_ctz(left);
    struct loom_crossbar_port *p = &s->port[port];
    const struct loom_input_unit_in in = input_in(s, c, port);
    loom_input_unit_step(&p->input, &in, &p->input_shows);
    spread_input(s, port);
    show_credit(s, port);
    put(&s->input_awake, port, !loom_input_unit_rests(&p->input));
  }
  for (uint64_t left = c->in->valid & c->in->head; left; left &= left - 1)
    look_up(s, c, loom_ctz(left));
}

/* ---- crossings ------------------------------------------------------------------------------- */

/* The ports of the crossing that are its own; the others stand in `to_crossing` for all. */
static void crossing_in(struct loom_crossbar_switch *s, const struct cycle *c, uint32_t port) {
  struct loom_crossing_in *in = &s->to_crossing;
  uint32_t limit;
  in->book = has(c->booked.book, port);
  in->book_source = in->book ? c->booked.book_source[port] : 0;
  in->book_vl = in->book ? c->booked.book_vl[port] : 0;
  in->book_info = in->book ? c->booked.book_info[port] : 0;
  in->number = port;
  in->space = s->port[port].output.store.space;
  in->free_valid = has(s->freed, port);
  in->free_vl = in->free_valid ? s->port[port].output.store.free_vl : 0;
  in->need_we = c->mtu_we;
  in->need_vl = c->mtu_lane;
  in->need_units = c->mtu_units;
  in->cfg_we =
      writes(c, port, LOOM_SWITCH_WIN_TRACKER_OUT, LOOM_SWITCH_WIN_TRACKER_OUT_WORDS, &limit);
  in->cfg_addr = in->cfg_we ? limit : 0;
  in->cfg_data = in->cfg_we ? c->bus.access[port]->data & loom_mask(12) : 0;
}

static void crossings(struct loom_crossbar_switch *s, struct cycle *c) {
  uint64_t woken = c->booked.book | c->bus.ports | s->freed | (c->mtu_we ? s->all : 0);
  s->crossing_awake = c->crossings = s->crossing_awake | woken;
  s->arrives = 0;
  for (uint64_t left = c->crossings; left; left &= left - 1) {
    uint32_t port = loom_ctz(left);
    struct loom_crossbar_port *p = &s->port[port];
    crossing_in(s, c, port);
    loom_crossing_step(&p->crossing, &s->to_crossing, &p->crossing_shows);
    put(&s->free, port, loom_crossing_is_free(&p->crossing));
    put(&s->arrives, port,
        p->crossing_shows.announce | p->crossing_shows.queue | p->crossing_shows.wr_valid);
    put(&s->to_alloc.target_ready, port, p->crossing_shows.target_ready);
    s->to_alloc.room[port] = p->crossing_shows.room;
    put(&s->quiet, port, p->crossing_shows.idle);
    put(&s->crossing_awake, port, !loom_crossing_rests(&p->crossing));
  }
}

/* ---- outputs --------------------------------------------------------------------------------- */

static struct loom_output_unit_in output_in(const struct loom_crossbar_switch *s,
                                            const struct cycle *c, uint32_t port) {
  const struct loom_crossing_out *x = &s->port[port].crossing_shows;
  bool credit = has(c->in->credit, port), access = has(c->bus.ports, port);
  uint32_t far = 0, offset = 0;
  bool cfg_we =
      writes(c, port, LOOM_SWITCH_WIN_TRACKER_FAR, LOOM_SWITCH_WIN_TRACKER_FAR_WORDS, &far);
  bool table_we = writes(c, port, LOOM_SWITCH_WIN_TABLE, LOOM_SWITCH_WIN_TABLE_WORDS, &offset);
  uint32_t data = cfg_we || table_we ? c->bus.access[port]->data : 0;
  struct loom_output_unit_in in = {
      .announce = x->announce,
      .announce_len = x->announce_len,
      .queue = x->queue,
      .queue_vl = x->queue_vl,
      .queue_len = x->queue_len,
      .queue_sl = x->queue_sl,
      .queue_more = x->queue_more,
      .wr_valid = x->wr_valid,
      .wr_vl = x->wr_vl,
      .wr_last = x->wr_last,
      .wr_flits = x->wr_flits,
      .hold = s->port[port].hold,
      .cfg_we = cfg_we,
      .cfg_addr = cfg_we ? far : 0,
      .cfg_data = data & loom_mask(12),
      .table_we = table_we,
      .table_addr =
          access ? (c->bus.access[port]->addr - LOOM_SWITCH_WIN_TABLE) & loom_mask(10) : 0,
      .table_data = data,
      .cr_valid = credit,
      .cr_vl = credit ? c->in->port[port].cr_vl : 0,
  };
  if (x->wr_valid)
    memcpy(in.wr_data, x->wr_data, sizeof in.wr_data);
  return in;
}

/* Lengths and SLs of the heads, and the packet that is counted in the next cycle. */
static void note_grant(struct loom_crossbar_switch *s, uint32_t port) {
  struct loom_crossbar_port *p = &s->port[port];
  const struct loom_output_unit_out *o = &p->output_shows;
  if (o->grant_valid) {
    p->granted = p->head[o->grant_vl];
    s->granted |= 1ull << port;
  }
  if (o->head_event)
    p->head[o->head_vl] = (struct loom_crossbar_packet){
        .lane = (uint8_t)o->head_vl, .sl = (uint8_t)o->head_sl, .len = (uint16_t)o->head_len};
}

static void step_output(struct loom_crossbar_switch *s, const struct cycle *c, uint32_t port) {
  struct loom_crossbar_port *p = &s->port[port];
  const struct loom_output_unit_in in = output_in(s, c, port);
  if (!has(s->output_awake, port))
    loom_output_unit_skip(&p->output, s->now - p->output_slept - 1);
  loom_output_unit_step(&p->output, &in, &p->output_shows);
  p->output_slept = s->now;
  put(&s->output_awake, port, !loom_output_unit_rests(&p->output));
}

/* What the output shows to its link. */
static void show_flit(struct loom_crossbar_switch *s, uint32_t port) {
  const struct loom_output_unit_out *o = &s->port[port].output_shows;
  if (!o->out_valid)
    return;
  s->shown.valid |= 1ull << port;
  s->shown.head |= o->out_head << port;
  s->shown.tail |= o->out_tail << port;
  s->shown.vl[port] = (uint8_t)o->out_vl;
  s->shown.data[port] = o->out_data;
}

static void outputs(struct loom_crossbar_switch *s, struct cycle *c) {
  uint64_t woken = s->arrives | c->in->credit | c->bus.ports;
  c->outputs = s->output_awake | woken;
  for (uint64_t left = c->outputs; left; left &= left - 1) {
    uint32_t port = loom_ctz(left), offset;
    struct loom_crossbar_port *p = &s->port[port];
    step_output(s, c, port);
    show_flit(s, port);
    put(&s->output_used, port, p->output_shows.total);
    put(&s->freed, port, p->output.store.free);
    if (writes(c, port, LOOM_SWITCH_WIN_HOLD, 1, &offset)) {
      p->hold = c->bus.access[port]->data & 1;
      s->output_awake |= 1ull << port; /* sees it in the next cycle */
    }
  }
}

/* ---- traps ----------------------------------------------------------------------------------- */

/* The port keeps a trap, or has lost one. */
static bool keep_trap(struct loom_crossbar_switch *s, uint32_t port) {
  const struct loom_input_unit_out *o = &s->port[port].input_shows;
  if (has(s->trapped & ~s->moved, port))
    return false;
  s->port[port].trap = (struct loom_crossbar_trap){
      .cause = (uint8_t)o->trap_cause, .lane = (uint8_t)o->trap_vl, .dest = (uint16_t)o->trap_dest};
  return true;
}

static uint32_t trap_word(const struct loom_crossbar_switch *s, uint32_t port) {
  const struct loom_crossbar_trap *t = &s->port[port].trap;
  return LOOM_PUT(LOOM_SWITCH_REG_TRAP_VALID, 1) | LOOM_PUT(LOOM_SWITCH_REG_TRAP_CAUSE, t->cause) |
         LOOM_PUT(LOOM_SWITCH_REG_TRAP_PORT, port) | LOOM_PUT(LOOM_SWITCH_REG_TRAP_LANE, t->lane) |
         LOOM_PUT(LOOM_SWITCH_REG_TRAP_DEST, t->dest);
}

/* From the ports to the queue. `fresh`: ports that kept a new trap in this cycle; what they had
 * moved before is in `word`. */
static void traps_edge(struct loom_crossbar_switch *s, uint64_t fresh, uint32_t word, bool pop) {
  uint64_t request = s->trapped & ~s->moved, moved = 0;
  if (request && s->traps <= TRAPS_MOST) {
    uint32_t port = loom_rr_arbiter_pick(&s->trap_arbiter, request);
    loom_rr_arbiter_advance(&s->trap_arbiter, port);
    moved = 1ull << port;
  }
  pop = pop && s->traps;
  if (s->moved)
    s->trap_word[(s->trap_first + s->traps) % LOOM_CROSSBAR_TRAPS] = word;
  s->trap_first = (s->trap_first + pop) % LOOM_CROSSBAR_TRAPS;
  s->traps = s->traps + (s->moved != 0) - pop;
  s->trapped = (s->trapped & ~s->moved) | fresh;
  s->moved = moved;
}

/* ---- counters -------------------------------------------------------------------------------- */

/* What happened at the input; a trap that is lost is counted, too. */
static uint32_t input_pulses(const struct loom_input_unit_out *o) {
  return (o->link_error ? LINK_ERROR : 0u) | (o->trap ? 1u << o->trap_cause : 0u);
}

/* Counters at rest only turn; the turns that they missed come first. */
static void count(struct loom_crossbar_switch *s, uint32_t port, uint32_t pulses) {
  struct loom_crossbar_port *p = &s->port[port];
  const struct loom_input_unit_out *i = &p->input_shows;
  loom_event_counters_skip(&p->counters, s->now - p->counted);
  p->counted = s->now + 1;
  loom_event_counters_turn(&p->counters);
  if (!p->counters.ready) {
    loom_event_counters_sweep(&p->counters);
    return;
  }
  if (i->accept)
    loom_event_counters_event(&p->counters, ACCEPTED, (uint32_t)i->accept_vl,
                              (uint32_t)i->accept_len);
  if (has(s->granted, port)) {
    loom_event_counters_event(&p->counters, BY_LANE, p->granted.lane, p->granted.len);
    loom_event_counters_event(&p->counters, BY_SL, p->granted.sl, p->granted.len);
  }
  if (pulses)
    loom_event_counters_pulse(&p->counters, pulses);
  put(&s->counting, port, !loom_event_counters_rest(&p->counters));
}

/* All that the ports do beside moving packets. What a port that is not stepped shows says nothing.
 */
static void watch(struct loom_crossbar_switch *s, const struct cycle *c) {
  uint64_t fresh = 0;
  uint32_t word = s->moved ? trap_word(s, loom_ctz(s->moved)) : 0;
  uint64_t look = s->counting | s->granted | c->inputs | c->crossings | c->outputs;
  for (; look; look &= look - 1) {
    uint32_t port = loom_ctz(look);
    const struct loom_crossbar_port *p = &s->port[port];
    uint32_t pulses = input_pulses(&p->input_shows);
    if (p->input_shows.trap) {
      bool kept = keep_trap(s, port);
      fresh |= (uint64_t)kept << port;
      pulses |= kept ? 0 : TRAP_LOST;
    }
    pulses |= p->output_shows.error ? FAR_ERROR : 0;
    pulses |= p->crossing_shows.error ? BUFFER_ERROR : 0;
    if (pulses || p->input_shows.accept || has(s->counting | s->granted, port))
      count(s, port, pulses);
  }
  s->granted = 0;
  for (uint64_t left = c->outputs; left; left &= left - 1)
    note_grant(s, loom_ctz(left));
  if (s->trapped | s->moved | fresh || c->bus.pops_trap)
    traps_edge(s, fresh, word, c->bus.pops_trap);
}

/* ---- a cycle --------------------------------------------------------------------------------- */

static bool all_ready(const struct loom_crossbar_switch *s) {
  bool ready = true;
  for (uint32_t port = 0; port < s->ports; port++) {
    const struct loom_crossbar_port *p = &s->port[port];
    ready = ready && p->input_shows.ready && p->crossing_shows.ready && p->output_shows.ready &&
            p->counters.ready;
  }
  return ready;
}

void loom_crossbar_switch_cycle(struct loom_crossbar_switch *s,
                                const struct loom_crossbar_arrival *in) {
  struct cycle c;
  s->shown.valid = s->shown.head = s->shown.tail = s->shown.credit = 0;
  s->shown.trap = s->traps != 0;
  loom_crossbar_bus_show(s);
  begin(s, in, &c);
  inputs(s, &c);
  crossings(s, &c);
  outputs(s, &c);
  loom_pipelined_alloc_edge(&s->alloc, &s->to_alloc);
  loom_crossbar_bus_tables(s);
  bool ready = s->ready || all_ready(s);
  watch(s, &c);
  s->ready = ready;
  s->idle = s->idle_port == s->all;
  s->idle_port = s->quiet & ~s->input_used & ~s->output_used & s->all;
  loom_crossbar_bus_edge(s, &c.bus, in);
  s->now++;
}

bool loom_crossbar_switch_sleeps(const struct loom_crossbar_switch *s) {
  uint64_t awake = s->input_awake | s->crossing_awake | s->output_awake | s->counting | s->granted |
                   s->moved | s->under_way;
  bool settled = s->ready &&
                 s->idle_port == (s->quiet & ~s->input_used & ~s->output_used & s->all) &&
                 s->idle == (s->idle_port == s->all);
  return !awake && !s->late.we && settled && (!s->trapped || s->traps > TRAPS_MOST) &&
         loom_pipelined_alloc_rests(&s->alloc, &s->to_alloc);
}

void loom_crossbar_switch_skip(struct loom_crossbar_switch *s, uint64_t cycles) {
  loom_pipelined_alloc_skip(&s->alloc, cycles);
  s->now += cycles;
}

/* ---- with the ports of the list -------------------------------------------------------------- */

static void arrive(const struct loom_crossbar_switch *s, const struct loom_crossbar_switch_in *in,
                   struct loom_crossbar_arrival *to, struct loom_link_in *port) {
  /* Both bounds: under its sanitizers gcc does not see that no switch has more ports than this. */
  for (uint32_t p = 0; p < s->ports && p < LOOM_CROSSBAR_PORTS; p++) {
    to->valid |= in->in_valid[p] << p;
    to->head |= in->in_head[p] << p;
    to->tail |= in->in_tail[p] << p;
    to->credit |= in->out_cr_valid[p] << p;
    port[p] = (struct loom_link_in){
        .data = in->in_data[p], .vl = (uint8_t)in->in_vl[p], .cr_vl = (uint8_t)in->out_cr_vl[p]};
  }
}

static void show(const struct loom_crossbar_shown *shown, struct loom_crossbar_switch_out *out) {
  memset(out, 0, sizeof *out);
  for (uint64_t left = shown->credit; left; left &= left - 1) {
    uint32_t port = loom_ctz(left);
    out->in_cr_valid[port] = 1;
    out->in_cr_vl[port] = shown->cr_vl[port];
  }
  for (uint64_t left = shown->valid; left; left &= left - 1) {
    uint32_t port = loom_ctz(left);
    out->out_valid[port] = 1;
    out->out_head[port] = has(shown->head, port);
    out->out_tail[port] = has(shown->tail, port);
    out->out_vl[port] = shown->vl[port];
    out->out_data[port] = shown->data[port];
  }
  out->reg_rvalid = shown->rvalid;
  out->reg_rdata = shown->rdata;
  out->trap = shown->trap;
}

void loom_crossbar_switch_step(struct loom_crossbar_switch *s,
                               const struct loom_crossbar_switch_in *in,
                               struct loom_crossbar_switch_out *out) {
  struct loom_link_in port[LOOM_CROSSBAR_PORTS];
  struct loom_crossbar_arrival arrival = {.port = port,
                                          .reg_we = in->reg_we != 0,
                                          .reg_re = in->reg_re != 0,
                                          .reg_addr = (uint32_t)in->reg_addr,
                                          .reg_wdata = (uint32_t)in->reg_wdata};
  arrive(s, in, &arrival, port);
  loom_crossbar_switch_cycle(s, &arrival);
  show(&s->shown, out);
}

void loom_crossbar_switch_probe(const struct loom_crossbar_switch *s,
                                struct loom_crossbar_switch_probe *p) {
  p->idle = s->idle;
  p->ready = s->ready;
  p->loom_end = 0;
}

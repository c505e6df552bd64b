/* SPDX-License-Identifier: Apache-2.0 */
/* chassis.c - what the switches of the second edition have in common, written from
 * docs/crossbar_switch.md
 *
 * Inside: crossbar_switch, mport_switch.
 *
 * What goes from unit to unit are registers, or follows from few of them. So a cycle looks at the
 * inputs first; then come the edges, against the way of the packets, so that each finds the unit
 * before it as it is in this cycle. A unit in which nothing happens has no edges, and shows what it
 * did. */
#include "switch/chassis.h"

#include "switch/chassis_state.h"

#include <string.h>

enum { STREAMS = 3, INDEX_W = 5 };
enum { ACCEPTED, BY_LANE, BY_SL }; /* streams */
enum { LINK_ERROR = 1 << 0, TRAP_LOST = 1 << 6, FAR_ERROR = 1 << 7, BUFFER_ERROR = 1 << 9 };
enum { TRAPS_MOST = 13 }; /* words in the queue of traps with which one more is moved */
enum { DELAY_BYTES = 4096, LFT_BYTES = 65536 };

static bool has(uint64_t set, uint32_t member) { return loom_chassis_has(set, member); }

/* ---- init ------------------------------------------------------------------------------------ */

bool loom_chassis_cfg_ok(const struct loom_chassis_cfg *cfg) {
  return loom_input_unit_cfg_ok(&cfg->input) && loom_crossing_cfg_ok(&cfg->crossing) &&
         loom_output_unit_cfg_ok(&cfg->output);
}

size_t loom_chassis_storage_size(const struct loom_chassis_cfg *cfg) {
  struct loom_input_unit_cfg input = cfg->input;
  input.IN_DELAY = 0; /* it is in DELAY_BYTES */
  return cfg->input.PORTS * (loom_input_unit_storage_size(&input) +
                             loom_output_unit_storage_size(&cfg->output) + DELAY_BYTES) +
         LFT_BYTES;
}

/* The units of a port take their storage from `storage`; gives what is left of it. */
static char *init_port(struct loom_chassis_port *p, const struct loom_chassis_cfg *cfg,
                       char *storage) {
  const struct loom_event_counters_cfg counters = {
      .STREAMS = STREAMS, .INDEX_W = INDEX_W, .PULSES = cfg->pulses};
  loom_input_unit_init(&p->input, &cfg->input, storage);
  storage += loom_input_unit_storage_size(&cfg->input);
  loom_crossing_init(&p->crossing, &cfg->crossing, storage);
  storage += loom_crossing_storage_size(&cfg->crossing);
  loom_output_unit_init(&p->output, &cfg->output, storage);
  storage += loom_output_unit_storage_size(&cfg->output);
  loom_event_counters_init(&p->counters, &counters);
  return storage;
}

void *loom_chassis_init(struct loom_chassis *s, const struct loom_chassis_cfg *cfg, void *storage) {
  char *left = storage;
  s->ports = cfg->input.PORTS;
  s->vls = cfg->input.VLS;
  s->mtu_units = cfg->input.MTU_UNITS;
  s->device = cfg->device;
  s->lids = cfg->lids;
  s->map_bits = cfg->map_bits;
  s->entry_bits = cfg->entry_bits;
  s->all = s->input_awake = s->crossing_awake = s->output_awake = s->idle_port = s->free =
      loom_mask(s->ports);
  s->idle = true;
  s->counting = s->all;
  for (uint32_t lane = 0; lane < s->vls; lane++)
    s->mtu[lane] = (uint16_t)s->mtu_units;
  loom_rr_arbiter_init(&s->trap_arbiter, &(struct loom_rr_arbiter_cfg){.N = s->ports});
  for (uint32_t port = 0; port < s->ports; port++)
    left = init_port(&s->port[port], cfg, left);
  s->lft = (uint8_t *)left;
  return left + LFT_BYTES;
}

void loom_chassis_clear(struct loom_chassis *s) { memset(s->lft, 0, s->lids); }

/* ---- the begin of a cycle -------------------------------------------------------------------- */

static bool all_ready(const struct loom_chassis *s) {
  bool ready = true;
  for (uint32_t port = 0; port < s->ports; port++) {
    const struct loom_chassis_port *p = &s->port[port];
    ready = ready && loom_input_unit_ready(&p->input) && p->crossing.tracker.ready &&
            loom_output_unit_ready(&p->output) && p->counters.ready;
  }
  return ready;
}

void loom_chassis_begin(struct loom_chassis *s, const struct loom_chassis_arrival *in,
                        const struct loom_chassis_arrival *flits, struct loom_chassis_cycle *c) {
  s->shown.valid = s->shown.head = s->shown.tail = s->shown.credit = s->shown.stream = 0;
  s->shown.trap = s->traps != 0;
  c->in = in;
  c->flits = flits;
  c->pulsed = 0;
  c->credit = in->credit;
  loom_chassis_bus_show(s);
  loom_chassis_bus_look(s, &c->bus);
  uint32_t lane = s->late.addr - LOOM_SWITCH_REG_MTU;
  c->mtu_we = s->late.we && lane < s->vls;
  c->mtu_lane = c->mtu_we ? lane : 0;
  c->mtu_units = c->mtu_we ? LOOM_GET(LOOM_SWITCH_REG_MTU_UNITS, s->late.data) : 0;
  c->inputs = s->input_awake | flits->valid;
  c->crossings = s->crossing_awake | c->bus.ports | s->freed;
  if (c->mtu_we)
    c->crossings |= s->all;
  c->outputs = s->output_awake | in->credit | c->bus.ports;
  c->room = c->far = c->freed = c->input_freed = c->output_freed = c->stepped = 0;
  if (s->packets)
    loom_chassis_packets_begin(s, c);
  s->ready = s->ready || all_ready(s);
}

/* ---- writes ---------------------------------------------------------------------------------- */

void loom_chassis_write_inputs(struct loom_chassis *s, const struct loom_chassis_cycle *c) {
  for (uint64_t left = c->bus.ports; left; left &= left - 1) {
    uint32_t port = loom_ctz(left), map;
    if (loom_chassis_writes(&c->bus, port, LOOM_SWITCH_WIN_MAP, s->ports * LOOM_INPUT_SLS, &map))
      loom_input_unit_write_map(&s->port[port].input, map,
                                LOOM_GET(LOOM_SWITCH_WIN_MAP_ENTRY, c->bus.access[port]->data));
  }
  for (uint32_t port = 0; c->mtu_we && port < s->ports; port++)
    loom_input_unit_write_mtu(&s->port[port].input, c->mtu_lane, c->mtu_units);
}

bool loom_chassis_crossing_write(const struct loom_chassis_cycle *c, uint32_t port,
                                 struct loom_crossing_write *write) {
  uint32_t limit = 0, lane = 0;
  bool cfg = loom_chassis_writes(&c->bus, port, LOOM_SWITCH_WIN_TRACKER_OUT,
                                 LOOM_SWITCH_WIN_TRACKER_OUT_WORDS, &limit);
  bool most = loom_chassis_writes(&c->bus, port, LOOM_SWITCH_WIN_RING_MOST,
                                  LOOM_SWITCH_WIN_RING_MOST_WORDS, &lane);
  if (!cfg && !most && !c->mtu_we)
    return false;
  *write = (struct loom_crossing_write){.need = c->mtu_we,
                                        .need_vl = (uint8_t)c->mtu_lane,
                                        .need_units = (uint16_t)c->mtu_units,
                                        .cfg = cfg,
                                        .most = most,
                                        .most_vl = (uint8_t)lane};
  if (most)
    write->most_units =
        LOOM_GET(LOOM_SWITCH_WIN_RING_MOST_UNITS, c->bus.access[port]->data) & UINT16_MAX;
  if (cfg) {
    write->cfg_addr = (uint8_t)limit;
    write->cfg_data = (uint16_t)(c->bus.access[port]->data & loom_mask(12));
  }
  return true;
}

void loom_chassis_access_output(const struct loom_chassis_cycle *c, uint32_t port,
                                struct loom_output_unit_in *in) {
  const struct loom_chassis_access *x = c->bus.access[port];
  uint32_t offset;
  in->table_addr = (x->addr - LOOM_SWITCH_WIN_TABLE) & loom_mask(10);
  if (loom_chassis_writes(&c->bus, port, LOOM_SWITCH_WIN_TABLE, LOOM_SWITCH_WIN_TABLE_WORDS,
                          &offset)) {
    in->table_we = 1;
    in->table_data = x->data;
  }
  if (loom_chassis_writes(&c->bus, port, LOOM_SWITCH_WIN_TRACKER_FAR,
                          LOOM_SWITCH_WIN_TRACKER_FAR_WORDS, &offset)) {
    in->cfg_we = 1;
    in->cfg_addr = offset;
    in->cfg_data = x->data & loom_mask(12);
  }
}

/* ---- traps ----------------------------------------------------------------------------------- */

/* The port keeps a trap, or has lost one. */
static bool keep_trap(struct loom_chassis *s, uint32_t port) {
  const struct loom_input_unit *u = &s->port[port].input;
  if (has(s->trapped & ~s->moved, port))
    return false;
  s->port[port].trap =
      (struct loom_chassis_trap){.cause = u->trap.cause, .lane = u->trap.vl, .dest = u->trap.dest};
  return true;
}

static uint32_t trap_word(const struct loom_chassis *s, uint32_t port) {
  const struct loom_chassis_trap *t = &s->port[port].trap;
  return LOOM_PUT(LOOM_SWITCH_REG_TRAP_VALID, 1) | LOOM_PUT(LOOM_SWITCH_REG_TRAP_CAUSE, t->cause) |
         LOOM_PUT(LOOM_SWITCH_REG_TRAP_PORT, port) | LOOM_PUT(LOOM_SWITCH_REG_TRAP_LANE, t->lane) |
         LOOM_PUT(LOOM_SWITCH_REG_TRAP_DEST, t->dest);
}

/* From the ports to the queue. `fresh`: ports that kept a new trap in this cycle; what they had
 * moved before is in `word`. */
static void traps_edge(struct loom_chassis *s, uint64_t fresh, uint32_t word, bool pop) {
  uint64_t request = s->trapped & ~s->moved, moved = 0;
  if (request && s->traps <= TRAPS_MOST) {
    uint32_t port = loom_rr_arbiter_pick(&s->trap_arbiter, request);
    loom_rr_arbiter_advance(&s->trap_arbiter, port);
    moved = 1ull << port;
  }
  pop = pop && s->traps;
  if (s->moved)
    s->trap_word[(s->trap_first + s->traps) % LOOM_CHASSIS_TRAPS] = word;
  s->trap_first = (s->trap_first + pop) % LOOM_CHASSIS_TRAPS;
  s->traps = s->traps + (s->moved != 0) - pop;
  s->trapped = (s->trapped & ~s->moved) | fresh;
  s->moved = moved;
}

/* ---- counters -------------------------------------------------------------------------------- */

/* What is counted of this cycle; a trap that is lost is, too. */
static uint32_t pulses_of(const struct loom_chassis_port *p) {
  return (p->input.link_error ? LINK_ERROR : 0u) |
         (p->input.trap.valid ? 1u << p->input.trap.cause : 0u) |
         (p->output.tracker.error ? FAR_ERROR : 0u) |
         (p->crossing.tracker.error ? BUFFER_ERROR : 0u);
}

/* Counters at rest only turn; the turns that they missed come first. */
static void count(struct loom_chassis *s, uint32_t port, uint32_t pulses) {
  struct loom_chassis_port *p = &s->port[port];
  loom_event_counters_skip(&p->counters, s->now - p->counted);
  p->counted = s->now + 1;
  loom_event_counters_turn(&p->counters);
  if (!p->counters.ready) {
    loom_event_counters_sweep(&p->counters);
    return;
  }
  if (p->input.accept.valid)
    loom_event_counters_event(&p->counters, ACCEPTED, p->input.accept.vl, p->input.accept.len);
  if (has(s->granted, port)) {
    loom_event_counters_event(&p->counters, BY_LANE, p->granted.lane, p->granted.len);
    loom_event_counters_event(&p->counters, BY_SL, p->granted.sl, p->granted.len);
  }
  if (pulses)
    loom_event_counters_pulse(&p->counters, pulses);
  loom_chassis_put(&s->counting, port, !loom_event_counters_rest(&p->counters));
}

void loom_chassis_watch(struct loom_chassis *s, const struct loom_chassis_cycle *c) {
  uint64_t fresh = 0, due = s->counting | s->granted;
  uint32_t word = s->moved ? trap_word(s, loom_ctz(s->moved)) : 0;
  for (uint64_t left = due | s->noted | c->pulsed; left; left &= left - 1) {
    uint32_t port = loom_ctz(left);
    const struct loom_chassis_port *p = &s->port[port];
    uint32_t pulses = pulses_of(p);
    if (has(c->pulsed, port))
      pulses |= c->pulses[port];
    if (p->input.trap.valid) {
      bool kept = keep_trap(s, port);
      fresh |= (uint64_t)kept << port;
      pulses |= kept ? 0 : TRAP_LOST;
    }
    count(s, port, pulses);
  }
  s->granted = s->noted = 0;
  if (s->trapped | s->moved | fresh || c->bus.pops_trap)
    traps_edge(s, fresh, word, c->bus.pops_trap);
}

/* ---- the end of a cycle ---------------------------------------------------------------------- */

static uint64_t idle_ports(const struct loom_chassis *s) {
  return s->quiet & ~s->input_used & ~s->output_used & s->all;
}

void loom_chassis_note_idle(struct loom_chassis *s, bool idle) {
  s->idle = idle && s->idle_port == s->all;
  s->idle_port = idle_ports(s);
}

void loom_chassis_end(struct loom_chassis *s, const struct loom_chassis_cycle *c, bool idle) {
  loom_chassis_bus_tables(s);
  loom_chassis_note_idle(s, idle);
  if (s->packets)
    loom_chassis_packets_end(s, c);
  loom_chassis_bus_edge(s, &c->bus, c->in);
  s->now++;
}

bool loom_chassis_is_settled(const struct loom_chassis *s, bool idle) {
  return s->ready && s->idle_port == idle_ports(s) && s->idle == (idle && s->idle_port == s->all);
}

bool loom_chassis_sleeps(const struct loom_chassis *s, bool idle) {
  uint64_t awake = s->input_awake | s->crossing_awake | s->output_awake | s->counting | s->granted |
                   s->moved | s->under_way;
  return !awake && !s->late.we && loom_chassis_is_settled(s, idle) &&
         (!s->packets || loom_chassis_packets_sleep(s)) && (!s->trapped || s->traps > TRAPS_MOST);
}

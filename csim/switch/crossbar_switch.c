/* SPDX-License-Identifier: Apache-2.0 */
/* crossbar_switch.c - twin of rtl/switch/loom_crossbar_switch.v, written from
 * docs/crossbar_switch.md
 *
 * Ports, registers and counters are in csim/switch/chassis; here is what joins the ports. The edges
 * come against the way of the packets: of a crossing and its output, of the inputs, of the
 * allocation. */
#include "switch/crossbar_switch.h"

#include "switch/chassis_device.h"
#include "switch/chassis_edge.h"

#include <string.h>

#include <loom/head.h>

enum { EARLY = 8 }; /* flits left of a packet at which the next may be booked */
enum { INFO_W = LOOM_HEAD_INFO_MORE_AT + LOOM_HEAD_INFO_MORE_BITS };
enum { GROUP_PULSES = 3 };

/* ---- init ------------------------------------------------------------------------------------ */

/* By coordinates, not by the LFT; the values of ROUTE are those of the kinds. */
static bool is_kns(const struct loom_crossbar_switch_cfg *cfg) { return cfg->ROUTE != 0; }

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
                                    .FAST_SPEEDUP = 1,
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

static struct loom_chassis_cfg chassis_cfg(const struct loom_crossbar_switch_cfg *cfg) {
  return (struct loom_chassis_cfg){
      .input = input_cfg(cfg),
      .crossing = crossing_cfg(cfg),
      .output = output_cfg(cfg),
      .device = LOOM_DEVICE_ID_CROSSBAR_SWITCH,
      .lids = is_kns(cfg) ? 0 : cfg->LIDS,
      .pulses = LOOM_CHASSIS_PULSES + (cfg->GROUPS ? GROUP_PULSES : 0),
      .map_bits = 1,
      .entry_bits = LOOM_PUT(LOOM_SWITCH_REG_LFT_OUT, UINT32_MAX) |
                    (cfg->GROUPS ? LOOM_PUT(LOOM_SWITCH_REG_LFT_MODE, UINT32_MAX) : 0)};
}

static struct loom_pipelined_alloc_cfg alloc_cfg(const struct loom_crossbar_switch_cfg *cfg) {
  return (struct loom_pipelined_alloc_cfg){.PORTS = cfg->PORTS,
                                           .LANES = cfg->BUBBLE ? 2 * cfg->VLS : cfg->VLS,
                                           .INFO_W = INFO_W,
                                           .PATIENCE = cfg->PATIENCE};
}

/* With an LFT the coordinates mean nothing, so they need not fit; only an LFT names groups. */
static bool place_ok(const struct loom_crossbar_switch_cfg *cfg) {
  return !is_kns(cfg) || (!cfg->GROUPS && loom_kns_fits(cfg->HOSTS, cfg->DIMS, cfg->W) &&
                          (cfg->ROUTE != LOOM_KNS_NODE || cfg->PORTS == cfg->HOSTS + cfg->DIMS));
}

bool loom_crossbar_switch_cfg_ok(const struct loom_crossbar_switch_cfg *cfg) {
  if (loom_crossbar_switch_bad_param(cfg) || !place_ok(cfg) ||
      (cfg->BUBBLE && 2 * cfg->VLS > LOOM_VLS))
    return false;
  struct loom_chassis_cfg chassis = chassis_cfg(cfg);
  struct loom_pipelined_alloc_cfg alloc = alloc_cfg(cfg);
  return loom_chassis_cfg_ok(&chassis) && loom_pipelined_alloc_cfg_ok(&alloc);
}

size_t loom_crossbar_switch_storage_size(const struct loom_crossbar_switch_cfg *cfg) {
  struct loom_chassis_cfg chassis = chassis_cfg(cfg);
  return loom_chassis_storage_size(&chassis) + loom_crossbar_groups_storage_size(cfg);
}

void loom_crossbar_switch_start(struct loom_crossbar_switch *s,
                                const struct loom_crossbar_switch_cfg *cfg, void *storage) {
  struct loom_chassis_cfg chassis = chassis_cfg(cfg);
  struct loom_pipelined_alloc_cfg alloc = alloc_cfg(cfg);
  void *left = loom_chassis_init(&s->chassis, &chassis, storage);
  loom_pipelined_alloc_init(&s->alloc, &alloc);
  s->bubble = cfg->BUBBLE;
  for (uint32_t port = 0; s->bubble && port < cfg->PORTS; port++)
    loom_ring_entry_init(&s->chassis.port[port].crossing.entry, true);
  if (cfg->GROUPS)
    loom_crossbar_groups_init(s, cfg, left);
  if (is_kns(cfg))
    loom_kns_place_init(&s->place, (enum loom_kns_kind)cfg->ROUTE, cfg->HOSTS, cfg->DIMS, cfg->W);
}

void loom_crossbar_switch_init(struct loom_crossbar_switch *s,
                               const struct loom_crossbar_switch_cfg *cfg, void *storage) {
  memset(s, 0, sizeof *s);
  loom_crossbar_switch_start(s, cfg, storage);
  loom_chassis_clear(&s->chassis);
}

size_t loom_crossbar_switch_packets_size(const struct loom_crossbar_switch_cfg *cfg) {
  struct loom_chassis_cfg chassis = chassis_cfg(cfg);
  return loom_chassis_packets_size(&chassis);
}

void loom_crossbar_switch_follow_packets(struct loom_crossbar_switch *s,
                                         const struct loom_crossbar_switch_cfg *cfg,
                                         void *storage) {
  struct loom_chassis_cfg chassis = chassis_cfg(cfg);
  loom_chassis_packets_init(&s->chassis, &chassis, storage);
  s->chassis.packets->loads = cfg->GROUPS || cfg->BUBBLE;
}

static bool has(uint64_t set, uint32_t member) { return loom_chassis_has(set, member); }

/* ---- registers ------------------------------------------------------------------------------- */

/* What is read of those that only this switch has: 0 where it has none. */
static void answer(const struct loom_crossbar_switch *s, struct loom_chassis_access *read) {
  if (s->groups)
    read->data |= loom_crossbar_groups_read(s, read->addr);
  else
    read->data |= loom_kns_place_read(&s->place, read->addr); /* 0 for ever without a place */
}

/* A write of the cycle before takes effect. */
static void write_own(struct loom_crossbar_switch *s) {
  const struct loom_chassis_access *late = &s->chassis.late;
  if (!late->we)
    return;
  if (s->place.kind)
    loom_kns_place_write(&s->place, late->addr, late->data);
  else if (s->groups)
    loom_crossbar_groups_write(s, late->addr, late->data);
}

/* ---- inputs ---------------------------------------------------------------------------------- */

/* What a cycle has. */
struct cycle {
  struct loom_chassis_cycle of; /* the chassis */
  uint64_t groups;              /* inputs whose port_group has an edge */
  uint64_t free;                /* crossings that are, in this cycle */
};

/* `flits`: those that come to the input units. */
static void begin(struct loom_crossbar_switch *s, const struct loom_chassis_arrival *in,
                  const struct loom_chassis_arrival *flits, struct cycle *c) {
  c->groups = s->groups ? s->group.awake | (in->valid & in->head) : 0;
  loom_chassis_begin(&s->chassis, in, flits, &c->of);
  if (c->of.bus.read)
    answer(s, c->of.bus.read);
  c->of.inputs |= s->alloc.sources->took;
  c->of.crossings |= s->alloc.targets->booked;
  c->of.pulsed = c->groups;
  for (uint64_t left = c->groups; left; left &= left - 1) {
    uint32_t port = loom_ctz(left);
    c->of.pulses[port] = loom_crossbar_groups_pulses(s, port) << LOOM_CHASSIS_PULSES;
  }
  c->free = s->chassis.free;
}

/* ---- rings ----------------------------------------------------------------------------------- */

/* Writes of this cycle take effect. */
static void write_rings(struct loom_crossbar_switch *s, const struct loom_chassis_bus *bus) {
  for (uint64_t left = bus->ports; left; left &= left - 1) {
    uint32_t port = loom_ctz(left), at = 0;
    if (!loom_chassis_writes(bus, port, LOOM_SWITCH_WIN_RING, 1, &at))
      continue;
    uint32_t data = bus->access[port]->data;
    loom_chassis_put(&s->ring_on, port, LOOM_GET(LOOM_SWITCH_WIN_RING_ON, data));
    s->ring_from[port] = (uint8_t)LOOM_GET(LOOM_SWITCH_WIN_RING_FROM, data);
  }
}

/* The lane in the allocation of a head of an input. */
static uint8_t lane_of(const struct loom_crossbar_switch *s, uint32_t port, uint32_t target,
                       uint8_t vl) {
  bool enters = has(s->ring_on, target) && s->ring_from[target] != port;
  return (uint8_t)(enters ? s->chassis.vls + vl : vl);
}

/* What the crossing of an output tells the allocation: of each lane, and of packets that enter. */
static uint64_t room_of_port(const struct loom_crossbar_switch *s, uint32_t port) {
  const struct loom_crossing *x = &s->chassis.port[port].crossing;
  uint64_t enter = x->tracker.room & x->entry.enter;
  return x->tracker.room | enter << (s->bubble ? s->chassis.vls : 0);
}

/* A head for the allocation. */
static void tell_head(struct loom_crossbar_switch *s, uint32_t port) {
  struct loom_pipelined_alloc_in *alloc = &s->to_alloc;
  struct loom_departure_offer offer;
  if (!loom_input_unit_offers(&s->chassis.port[port].input, &offer))
    return;
  alloc->head_event |= 1ull << port;
  alloc->head_lane[port] = offer.lane;
  alloc->head_target[port] = offer.target;
  alloc->head_vl[port] = lane_of(s, port, offer.target, offer.vl);
  alloc->head_info[port] = offer.info;
}

static void look_at_inputs(struct loom_crossbar_switch *s, const struct cycle *c) {
  s->to_alloc.head_event = 0;
  loom_chassis_begin_inputs(&s->chassis, &c->of);
  for (uint64_t left = c->of.inputs; left; left &= left - 1) {
    uint32_t port = loom_ctz(left);
    loom_chassis_look_at_input(&s->chassis, port, c->free);
    if (s->chassis.port[port].input.store.event)
      tell_head(s, port);
  }
  s->to_alloc.source_ready = s->chassis.source_ready;
}

/* A head on the link: its coordinates say its output, or the table. */
static void look_up(struct loom_crossbar_switch *s, uint32_t port, uint64_t head) {
  uint32_t dest = (uint32_t)LOOM_GET64(LOOM_HEAD_DEST, head), out = 0;
  if (!s->place.kind) {
    loom_chassis_look_up(&s->chassis, port, dest);
    return;
  }
  struct loom_chassis_port *p = &s->chassis.port[port];
  p->found_known = loom_kns_place_finds(&s->place, dest, &out) && out < s->chassis.ports;
  p->found_port = (uint8_t)out;
}

static void input_edge(struct loom_crossbar_switch *s, const struct cycle *c, uint32_t port) {
  struct loom_input_cycle in = {.map_on = loom_chassis_map_on(&s->chassis), .free = c->free};
  if (has(s->alloc.sources->took, port)) {
    in.book = true;
    in.book_lane = (uint8_t)loom_pipelined_alloc_lane(&s->alloc, port, LOOM_ALLOC_DONE);
    in.book_target = loom_pipelined_alloc_record(&s->alloc, port, LOOM_ALLOC_DONE)->target;
  }
  if (loom_chassis_input_edge(&s->chassis, &c->of, port, &in) && !s->groups)
    look_up(s, port, in.data); /* with groups port_group says what was found */
}

static void input_edges(struct loom_crossbar_switch *s, const struct cycle *c) {
  s->chassis.input_awake = 0;
  for (uint64_t left = c->of.inputs; left; left &= left - 1)
    input_edge(s, c, loom_ctz(left));
  loom_chassis_write_inputs(&s->chassis, &c->of);
}

/* ---- crossings and outputs ------------------------------------------------------------------- */

/* The word that the input from which the crossing receives sends here. */
static const struct loom_packet_store_word *word_for(const struct loom_crossbar_switch *s,
                                                     uint32_t port) {
  const struct loom_crossing *x = &s->chassis.port[port].crossing;
  const struct loom_input_unit *from = &s->chassis.port[x->source].input;
  return x->receives && from->departure.tag.target == port ? loom_input_unit_word(from) : NULL;
}

/* What the output gets from its crossing, whose edge comes meanwhile; false: nothing. */
static bool cross(struct loom_crossbar_switch *s, const struct cycle *c, uint32_t port) {
  struct loom_chassis *chassis = &s->chassis;
  struct loom_crossing_cycle in = {.start_ok = chassis->start_ok,
                                   .sure = chassis->sure,
                                   .end = chassis->end,
                                   .word = word_for(s, port)};
  if (has(s->alloc.targets->booked, port)) {
    uint8_t source = s->alloc.target[port].booked_source;
    const struct loom_alloc_record *r =
        loom_pipelined_alloc_record(&s->alloc, source, LOOM_ALLOC_DONE);
    in.book = true;
    in.book_source = source;
    in.book_vl = (uint8_t)loom_crossbar_switch_lane(s, r->vl);
    in.book_info = (uint32_t)r->info;
  }
  s->to_alloc.room[port] = room_of_port(s, port);
  return loom_chassis_cross(chassis, &c->of, port, &in);
}

static void output_edges(struct loom_crossbar_switch *s, struct cycle *c) {
  loom_chassis_begin_outputs(&s->chassis, &c->of);
  for (uint64_t left = c->of.crossings | c->of.outputs; left; left &= left - 1) {
    uint32_t port = loom_ctz(left);
    loom_chassis_begin_output(&s->chassis, &c->of, port);
    bool arrives = has(c->of.crossings, port) && cross(s, c, port);
    loom_chassis_end_output(&s->chassis, &c->of, port, arrives);
  }
  s->to_alloc.target_ready = s->chassis.target_ready;
}

static void allocate(struct loom_crossbar_switch *s) {
  if (!s->to_alloc.head_event && loom_pipelined_alloc_rests(&s->alloc, &s->to_alloc))
    loom_pipelined_alloc_skip(&s->alloc, 1);
  else
    loom_pipelined_alloc_edge(&s->alloc, &s->to_alloc);
}

/* Where a tracker may have an edge without its crossing: what it shows in the next cycle. */
static void note_rooms(struct loom_crossbar_switch *s, uint64_t trackers) {
  for (uint64_t left = trackers; left; left &= left - 1) {
    uint32_t port = loom_ctz(left);
    s->to_alloc.room[port] = room_of_port(s, port);
  }
}

/* A cycle in which packets do no more than go on, and heads are offered. */
static bool goes_on(struct loom_crossbar_switch *s, const struct loom_chassis_arrival *in) {
  bool books = s->alloc.sources->took || s->alloc.targets->booked;
  struct loom_chassis_cycle c;
  if (books || s->groups || !loom_chassis_packets_go_on(&s->chassis, in, &c))
    return false;
  s->to_alloc.head_event = 0;
  allocate(s);
  note_rooms(s, c.room | c.room_turned);
  return true;
}

/* ---- a cycle --------------------------------------------------------------------------------- */

void loom_crossbar_switch_cycle(struct loom_crossbar_switch *s,
                                const struct loom_chassis_arrival *in) {
  struct loom_chassis_arrival late;
  struct cycle c;
  if (s->chassis.packets && goes_on(s, in))
    return;
  if (s->groups)
    late = loom_crossbar_groups_late(s);
  begin(s, in, s->groups ? &late : in, &c);
  look_at_inputs(s, &c);
  loom_chassis_watch(&s->chassis, &c.of);
  output_edges(s, &c);
  input_edges(s, &c);
  if (s->groups)
    loom_crossbar_groups_edge(s, in, c.groups,
                              c.of.crossings | c.of.outputs | c.of.room | c.of.far);
  allocate(s);
  write_own(s);
  if (s->bubble)
    write_rings(s, &c.of.bus);
  loom_chassis_end(&s->chassis, &c.of, true);
  if (s->chassis.packets)
    note_rooms(s, c.of.room | c.of.crossings | c.of.room_turned);
}

bool loom_crossbar_switch_sleeps(const struct loom_crossbar_switch *s) {
  return loom_chassis_sleeps(&s->chassis, true) && !(s->groups && loom_crossbar_groups_move(s)) &&
         loom_pipelined_alloc_rests(&s->alloc, &s->to_alloc);
}

uint64_t loom_crossbar_switch_spare(const struct loom_crossbar_switch *s) {
  if (s->groups || !loom_pipelined_alloc_rests(&s->alloc, &s->to_alloc))
    return 0;
  return loom_chassis_packets_spare(&s->chassis);
}

void loom_crossbar_switch_skip(struct loom_crossbar_switch *s, uint64_t cycles) {
  loom_pipelined_alloc_skip(&s->alloc, cycles);
  loom_chassis_skip(&s->chassis, cycles);
}

/* ---- with the ports of the list -------------------------------------------------------------- */

void loom_crossbar_switch_step(struct loom_crossbar_switch *s,
                               const struct loom_crossbar_switch_in *in,
                               struct loom_crossbar_switch_out *out) {
  LOOM_CHASSIS_STEP(&s->chassis, in, out, loom_crossbar_switch_cycle(s, &arrival));
}

void loom_crossbar_switch_probe(const struct loom_crossbar_switch *s,
                                struct loom_crossbar_switch_probe *p) {
  p->idle = s->chassis.idle;
  p->ready = s->chassis.ready;
  p->loom_end = 0;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* crossbar_switch.c - twin of rtl/switch/loom_crossbar_switch.v, written from
 * docs/crossbar_switch.md
 *
 * What goes from unit to unit are registers, or follows from few of them. So a cycle looks at the
 * inputs first; then come the edges, against the way of the packets, so that each finds the unit
 * before it as it is in this cycle: of a crossing and its output, of the inputs, of the allocation.
 * A unit in which nothing happens has no edges, and shows what it did. */
#include "switch/crossbar_switch.h"

#include <string.h>

#include <loom/head.h>

#define LOOM_NAMES "switch/input_unit.fields"
#include <loom/names.h>

enum { EARLY = 8 }; /* flits left of a packet at which the next may be booked */
enum { INFO_W = LOOM_HEAD_INFO_MORE_AT + LOOM_HEAD_INFO_MORE_BITS };
enum { STREAMS = 3, INDEX_W = 5, PULSES = 10, GROUP_PULSES = 3 };
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

static struct loom_pipelined_alloc_cfg alloc_cfg(const struct loom_crossbar_switch_cfg *cfg) {
  return (struct loom_pipelined_alloc_cfg){
      .PORTS = cfg->PORTS, .LANES = cfg->VLS, .INFO_W = INFO_W, .PATIENCE = cfg->PATIENCE};
}

/* By coordinates, not by the LFT; the values of ROUTE are those of the kinds. */
static bool is_kns(const struct loom_crossbar_switch_cfg *cfg) { return cfg->ROUTE != 0; }

/* With an LFT the coordinates mean nothing, so they need not fit; only an LFT names groups. */
static bool place_ok(const struct loom_crossbar_switch_cfg *cfg) {
  return !is_kns(cfg) || (!cfg->GROUPS && loom_kns_fits(cfg->HOSTS, cfg->DIMS, cfg->W) &&
                          (cfg->ROUTE != LOOM_KNS_NODE || cfg->PORTS == cfg->HOSTS + cfg->DIMS));
}

bool loom_crossbar_switch_cfg_ok(const struct loom_crossbar_switch_cfg *cfg) {
  if (loom_crossbar_switch_bad_param(cfg) || !place_ok(cfg))
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
         loom_crossbar_groups_storage_size(cfg) + LFT_BYTES;
}

/* The units of a port take their storage from `storage`; gives what is left of it. */
static char *init_port(struct loom_crossbar_port *p, const struct loom_crossbar_switch_cfg *cfg,
                       char *storage) {
  struct loom_input_unit_cfg input = input_cfg(cfg);
  struct loom_crossing_cfg crossing = crossing_cfg(cfg);
  struct loom_output_unit_cfg output = output_cfg(cfg);
  const struct loom_event_counters_cfg counters = {.STREAMS = STREAMS,
                                                   .INDEX_W = INDEX_W,
                                                   .PULSES = cfg->GROUPS ? PULSES + GROUP_PULSES
                                                                         : PULSES};
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
  s->lids = is_kns(cfg) ? 0 : cfg->LIDS;
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
  if (cfg->GROUPS)
    loom_crossbar_groups_init(s, cfg, left);
  s->lft = (uint8_t *)left + loom_crossbar_groups_storage_size(cfg);
  memset(s->lft, 0, s->lids);
  if (is_kns(cfg))
    loom_kns_place_init(&s->place, (enum loom_kns_kind)cfg->ROUTE, cfg->HOSTS, cfg->DIMS, cfg->W);
}

/* ---- sets ------------------------------------------------------------------------------------ */

static bool has(uint64_t set, uint32_t member) { return set >> member & 1; }

static void put(uint64_t *set, uint32_t member, uint64_t is) {
  *set = (*set & ~(1ull << member)) | (uint64_t)(is != 0) << member;
}

/* ---- what a cycle has ------------------------------------------------------------------------ */

struct cycle {
  const struct loom_crossbar_arrival *in;
  const struct loom_crossbar_arrival *flits; /* those of the input units: of the links, or late */
  struct loom_crossbar_arrival late;
  struct loom_crossbar_bus bus;
  uint64_t inputs, crossings; /* that have an edge in this cycle */
  uint64_t outputs;           /* the same; those that get a packet or a word do, too */
  uint64_t groups;            /* inputs whose port_group has an edge */
  uint64_t free;              /* crossings that are, in this cycle */
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

static void begin_groups(const struct loom_crossbar_switch *s, struct cycle *c) {
  c->late = loom_crossbar_groups_late(s);
  c->flits = &c->late;
  c->groups = s->group.awake | (c->in->valid & c->in->head);
}

static void begin(struct loom_crossbar_switch *s, const struct loom_crossbar_arrival *in,
                  struct cycle *c) {
  c->in = c->flits = in;
  c->groups = 0;
  if (s->groups)
    begin_groups(s, c);
  loom_crossbar_bus_look(s, &c->bus);
  c->free = s->free;
  uint32_t lane = s->late.addr - LOOM_SWITCH_REG_MTU;
  c->mtu_we = s->late.we && lane < s->vls;
  c->mtu_lane = c->mtu_we ? lane : 0;
  c->mtu_units = c->mtu_we ? LOOM_GET(LOOM_SWITCH_REG_MTU_UNITS, s->late.data) : 0;
  c->inputs = s->input_awake | c->flits->valid | s->alloc.sources->took;
  c->crossings = s->crossing_awake | s->alloc.targets->booked | c->bus.ports | s->freed;
  if (c->mtu_we)
    c->crossings |= s->all;
  c->outputs = s->output_awake | in->credit | c->bus.ports;
}

/* ---- inputs ---------------------------------------------------------------------------------- */

/* A head for the allocation. */
static void tell_head(struct loom_crossbar_switch *s, uint32_t port) {
  struct loom_pipelined_alloc_in *alloc = &s->to_alloc;
  struct loom_departure_offer offer;
  if (!loom_input_unit_offers(&s->port[port].input, &offer))
    return;
  alloc->head_event |= 1ull << port;
  alloc->head_lane[port] = offer.lane;
  alloc->head_target[port] = offer.target;
  alloc->head_vl[port] = offer.vl;
  alloc->head_info[port] = offer.info;
}

/* What the input shows to its link, to the allocation and to the crossings. */
static void look_at_input(struct loom_crossbar_switch *s, const struct cycle *c, uint32_t port) {
  const struct loom_input_unit *u = &s->port[port].input;
  s->to_alloc.source_ready |= (uint64_t)loom_input_unit_source_ready(u, c->free) << port;
  s->start_ok |= (uint64_t)loom_input_unit_start_ok(u) << port;
  s->sure |= (uint64_t)loom_input_unit_sure(u) << port;
  s->end |= (uint64_t)loom_input_unit_end(u) << port;
  s->input_used |= (uint64_t)(u->store.total > 0) << port;
  if (u->store.event)
    tell_head(s, port);
  if (u->store.free) {
    s->shown.credit |= 1ull << port;
    s->shown.cr_vl[port] = loom_input_unit_credit_vl(u);
  }
}

static void look_at_inputs(struct loom_crossbar_switch *s, const struct cycle *c) {
  s->to_alloc.head_event = 0;
  s->to_alloc.source_ready &= ~c->inputs;
  s->start_ok &= ~c->inputs;
  s->sure &= ~c->inputs;
  s->end &= ~c->inputs;
  s->input_used &= ~c->inputs;
  for (uint64_t left = c->inputs; left; left &= left - 1)
    look_at_input(s, c, loom_ctz(left));
}

/* The coordinates of a head on the link say its output. */
static void find_place(const struct loom_crossbar_switch *s, struct loom_crossbar_port *p,
                       uint32_t dest) {
  uint32_t out = 0;
  p->found_known = loom_kns_place_finds(&s->place, dest, &out) && out < s->ports;
  p->found_port = (uint8_t)out;
}

/* The table is read for a head on the link; with groups port_group says what was found. */
static void look_up(struct loom_crossbar_switch *s, const struct cycle *c, uint32_t port) {
  uint32_t lid = (uint32_t)LOOM_GET64(LOOM_HEAD_DEST, c->in->port[port].data);
  struct loom_crossbar_port *p = &s->port[port];
  if (s->place.kind) {
    find_place(s, p, lid);
    return;
  }
  p->found_port = lid < s->lids ? s->lft[lid] : 0;
  p->found_known = lid < s->lft_count && p->found_port < s->ports;
}

static void input_edge(struct loom_crossbar_switch *s, const struct cycle *c, uint32_t port) {
  struct loom_crossbar_port *p = &s->port[port];
  struct loom_input_cycle in = {.map_on = LOOM_GET(LOOM_SWITCH_REG_CONTROL_MODE, s->control) & 1,
                                .found_known = p->found_known,
                                .found_port = p->found_port,
                                .free = c->free};
  if (has(c->flits->valid, port)) {
    in.valid = true;
    in.head = has(c->flits->head, port);
    in.tail = has(c->flits->tail, port);
    in.vl = c->flits->port[port].vl;
    in.data = c->flits->port[port].data;
  }
  if (has(s->alloc.sources->took, port)) {
    in.book = true;
    in.book_lane = (uint8_t)loom_pipelined_alloc_lane(&s->alloc, port, LOOM_ALLOC_DONE);
    in.book_target = loom_pipelined_alloc_record(&s->alloc, port, LOOM_ALLOC_DONE)->target;
  }
  loom_input_unit_edge(&p->input, &in);
  if (in.head && !s->groups)
    look_up(s, c, port);
}

static void write_inputs(struct loom_crossbar_switch *s, const struct cycle *c) {
  for (uint64_t left = c->bus.ports; left; left &= left - 1) {
    uint32_t port = loom_ctz(left), map;
    if (writes(c, port, LOOM_SWITCH_WIN_MAP, s->ports * LOOM_INPUT_SLS, &map))
      loom_input_unit_write_map(&s->port[port].input, map,
                                LOOM_GET(LOOM_SWITCH_WIN_MAP_ENTRY, c->bus.access[port]->data));
  }
  for (uint32_t port = 0; c->mtu_we && port < s->ports; port++)
    loom_input_unit_write_mtu(&s->port[port].input, c->mtu_lane, c->mtu_units);
}

static void input_edges(struct loom_crossbar_switch *s, const struct cycle *c) {
  uint64_t awake = 0;
  for (uint64_t left = c->inputs; left; left &= left - 1) {
    uint32_t port = loom_ctz(left);
    input_edge(s, c, port);
    awake |= (uint64_t)!loom_input_unit_rests(&s->port[port].input) << port;
  }
  s->input_awake = awake;
  write_inputs(s, c);
}

/* ---- crossings ------------------------------------------------------------------------------- */

/* What is written to the tracker of the crossing; false: nothing. */
static bool crossing_write(const struct cycle *c, uint32_t port,
                           struct loom_crossing_write *write) {
  uint32_t limit = 0;
  bool cfg =
      writes(c, port, LOOM_SWITCH_WIN_TRACKER_OUT, LOOM_SWITCH_WIN_TRACKER_OUT_WORDS, &limit);
  if (!cfg && !c->mtu_we)
    return false;
  *write = (struct loom_crossing_write){.need = c->mtu_we,
                                        .need_vl = (uint8_t)c->mtu_lane,
                                        .need_units = (uint16_t)c->mtu_units,
                                        .cfg = cfg};
  if (cfg) {
    write->cfg_addr = (uint8_t)limit;
    write->cfg_data = (uint16_t)(c->bus.access[port]->data & loom_mask(12));
  }
  return true;
}

/* The word that the input from which the crossing receives sends here. */
static const struct loom_packet_store_word *word_for(const struct loom_crossbar_switch *s,
                                                     uint32_t port) {
  const struct loom_crossing *x = &s->port[port].crossing;
  const struct loom_input_unit *from = &s->port[x->source].input;
  return x->receives && from->departure.tag.target == port ? loom_input_unit_word(from) : NULL;
}

static void crossing_edge(struct loom_crossbar_switch *s, const struct cycle *c, uint32_t port,
                          struct loom_crossing_shown *shown) {
  struct loom_crossbar_port *p = &s->port[port];
  struct loom_crossing_write write;
  struct loom_crossing_cycle in = {.start_ok = s->start_ok,
                                   .sure = s->sure,
                                   .end = s->end,
                                   .space = p->output.store.space,
                                   .free = p->output.store.free,
                                   .free_vl = p->output.store.free_vl,
                                   .word = word_for(s, port)};
  if (has(s->alloc.targets->booked, port)) {
    uint8_t source = s->alloc.target[port].booked_source;
    const struct loom_alloc_record *r =
        loom_pipelined_alloc_record(&s->alloc, source, LOOM_ALLOC_DONE);
    in.book = true;
    in.book_source = source;
    in.book_vl = r->vl;
    in.book_info = (uint32_t)r->info;
  }
  if ((c->mtu_we || has(c->bus.ports, port)) && crossing_write(c, port, &write))
    in.write = &write;
  loom_crossing_edge(&p->crossing, &in, shown);
}

/* ---- outputs --------------------------------------------------------------------------------- */

/* An access to the registers of the output. */
static void access_output(const struct cycle *c, uint32_t port, struct loom_output_unit_in *in) {
  const struct loom_crossbar_access *x = c->bus.access[port];
  uint32_t offset;
  in->table_addr = (x->addr - LOOM_SWITCH_WIN_TABLE) & loom_mask(10);
  if (writes(c, port, LOOM_SWITCH_WIN_TABLE, LOOM_SWITCH_WIN_TABLE_WORDS, &offset)) {
    in->table_we = 1;
    in->table_data = x->data;
  }
  if (writes(c, port, LOOM_SWITCH_WIN_TRACKER_FAR, LOOM_SWITCH_WIN_TRACKER_FAR_WORDS, &offset)) {
    in->cfg_we = 1;
    in->cfg_addr = offset;
    in->cfg_data = x->data & loom_mask(12);
  }
}

/* What the output gets from elsewhere than the crossing. */
static void begin_output(struct loom_crossbar_switch *s, const struct cycle *c, uint32_t port) {
  struct loom_output_unit_in *in = &s->to_output;
  in->announce = in->queue = in->wr_valid = in->cfg_we = in->table_we = in->table_addr = 0;
  in->hold = s->port[port].hold;
  in->cr_valid = has(c->in->credit, port);
  if (in->cr_valid)
    in->cr_vl = c->in->port[port].cr_vl;
  if (has(c->bus.ports, port))
    access_output(c, port, in);
}

/* What it gets from the crossing, whose edge comes meanwhile; false: nothing. */
static bool cross(struct loom_crossbar_switch *s, const struct cycle *c, uint32_t port) {
  struct loom_output_unit_in *in = &s->to_output;
  struct loom_crossing *x = &s->port[port].crossing;
  struct loom_crossing_shown shown;
  if (x->wr.valid) {
    in->wr_valid = 1;
    in->wr_vl = x->wr.vl;
    in->wr_last = x->wr.last;
    in->wr_flits = x->wr.flits;
    memcpy(in->wr_data, x->wr.data, sizeof in->wr_data);
  }
  s->to_alloc.room[port] = x->tracker.room;
  s->quiet |= (uint64_t)x->tracker.idle << port;
  crossing_edge(s, c, port, &shown);
  s->to_alloc.target_ready |= (uint64_t)shown.target_ready << port;
  s->free |= (uint64_t)loom_crossing_is_free(x) << port;
  s->crossing_awake |= (uint64_t)!loom_crossing_rests(x) << port;
  if (has(s->alloc.targets->booked, port)) {
    in->announce = 1;
    in->announce_len = LOOM_GET(LOOM_HEAD_INFO_LEN, x->booked_info);
  }
  if (shown.queue) {
    in->queue = 1;
    in->queue_vl = shown.queue_vl;
    in->queue_len = LOOM_GET(LOOM_HEAD_INFO_LEN, shown.queue_info);
    in->queue_sl = LOOM_GET(LOOM_HEAD_INFO_SL, shown.queue_info);
    in->queue_more = LOOM_GET(LOOM_HEAD_INFO_MORE, shown.queue_info);
  }
  return in->wr_valid || in->announce || in->queue;
}

/* Lengths and SLs of the heads, and the packet that is counted in the next cycle. */
static void note_grant(struct loom_crossbar_switch *s, uint32_t port) {
  struct loom_crossbar_port *p = &s->port[port];
  const struct loom_output_unit *u = &p->output;
  if (u->choice.shows.grant.valid) {
    p->granted = p->head[u->choice.shows.grant.vl];
    s->granted |= 1ull << port;
  }
  if (u->store.event)
    p->head[u->store.head_vl] = (struct loom_crossbar_packet){
        .lane = u->store.head_vl, .sl = loom_output_unit_head_sl(u), .len = u->store.head_len};
}

/* What the output shows to its link. */
static void show_flit(struct loom_crossbar_switch *s, uint32_t port) {
  const struct loom_output_unit *u = &s->port[port].output;
  if (!u->out.valid)
    return;
  s->shown.valid |= 1ull << port;
  s->shown.head |= (uint64_t)u->out.head << port;
  s->shown.tail |= (uint64_t)u->out.tail << port;
  s->shown.vl[port] = u->out.vl;
  s->shown.data[port] = u->out.data;
}

static void step_output(struct loom_crossbar_switch *s, uint32_t port) {
  struct loom_crossbar_port *p = &s->port[port];
  if (!has(s->output_awake, port))
    loom_output_unit_skip(&p->output, s->now - p->output_slept - 1);
  p->output_slept = s->now;
  p->table_rdata = p->output.choice.shows.table_rdata;
  put(&s->output_used, port, p->output.store.total);
  note_grant(s, port);
  show_flit(s, port);
  loom_output_unit_edge(&p->output, &s->to_output);
  put(&s->output_awake, port, !loom_output_unit_rests(&p->output));
  put(&s->freed, port, p->output.store.free);
}

/* Crossings and outputs. */
static void output_edges(struct loom_crossbar_switch *s, const struct cycle *c) {
  s->to_alloc.target_ready &= ~c->crossings;
  s->free &= ~c->crossings;
  s->quiet &= ~c->crossings;
  s->crossing_awake = 0;
  for (uint64_t left = c->crossings | c->outputs; left; left &= left - 1) {
    uint32_t port = loom_ctz(left), offset;
    begin_output(s, c, port);
    bool arrives = has(c->crossings, port) && cross(s, c, port);
    if (arrives || has(c->outputs, port))
      step_output(s, port);
    if (writes(c, port, LOOM_SWITCH_WIN_HOLD, 1, &offset)) {
      s->port[port].hold = c->bus.access[port]->data & 1;
      s->output_awake |= 1ull << port; /* sees it in the next cycle */
    }
  }
}

/* ---- traps ----------------------------------------------------------------------------------- */

/* The port keeps a trap, or has lost one. */
static bool keep_trap(struct loom_crossbar_switch *s, uint32_t port) {
  const struct loom_input_unit *u = &s->port[port].input;
  if (has(s->trapped & ~s->moved, port))
    return false;
  s->port[port].trap =
      (struct loom_crossbar_trap){.cause = u->trap.cause, .lane = u->trap.vl, .dest = u->trap.dest};
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

/* What is counted of this cycle; a trap that is lost is, too. */
static uint32_t pulses_of(const struct loom_crossbar_port *p) {
  return (p->input.link_error ? LINK_ERROR : 0u) |
         (p->input.trap.valid ? 1u << p->input.trap.cause : 0u) |
         (p->output.tracker.error ? FAR_ERROR : 0u) |
         (p->crossing.tracker.error ? BUFFER_ERROR : 0u);
}

/* Counters at rest only turn; the turns that they missed come first. */
static void count(struct loom_crossbar_switch *s, uint32_t port, uint32_t pulses) {
  struct loom_crossbar_port *p = &s->port[port];
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
  put(&s->counting, port, !loom_event_counters_rest(&p->counters));
}

/* All that the ports do beside moving packets. */
static void watch(struct loom_crossbar_switch *s, const struct cycle *c) {
  uint64_t fresh = 0, due = s->counting | s->granted;
  uint32_t word = s->moved ? trap_word(s, loom_ctz(s->moved)) : 0;
  uint64_t all = due | c->inputs | c->groups | c->crossings | c->outputs;
  for (uint64_t left = all; left; left &= left - 1) {
    uint32_t port = loom_ctz(left);
    const struct loom_crossbar_port *p = &s->port[port];
    uint32_t pulses = pulses_of(p);
    if (has(c->groups, port))
      pulses |= loom_crossbar_groups_pulses(s, port) << PULSES;
    if (p->input.trap.valid) {
      bool kept = keep_trap(s, port);
      fresh |= (uint64_t)kept << port;
      pulses |= kept ? 0 : TRAP_LOST;
    }
    if (pulses || p->input.accept.valid || has(due, port))
      count(s, port, pulses);
  }
  s->granted = 0;
  if (s->trapped | s->moved | fresh || c->bus.pops_trap)
    traps_edge(s, fresh, word, c->bus.pops_trap);
}

/* ---- a cycle --------------------------------------------------------------------------------- */

static bool all_ready(const struct loom_crossbar_switch *s) {
  bool ready = true;
  for (uint32_t port = 0; port < s->ports; port++) {
    const struct loom_crossbar_port *p = &s->port[port];
    ready = ready && p->input.sweep == s->vls && p->crossing.tracker.ready &&
            loom_output_unit_ready(&p->output) && p->counters.ready;
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
  s->ready = s->ready || all_ready(s);
  look_at_inputs(s, &c);
  watch(s, &c);
  output_edges(s, &c);
  input_edges(s, &c);
  if (s->groups)
    loom_crossbar_groups_edge(s, in, c.groups, c.crossings | c.outputs);
  loom_pipelined_alloc_edge(&s->alloc, &s->to_alloc);
  loom_crossbar_bus_tables(s);
  s->idle = s->idle_port == s->all;
  s->idle_port = s->quiet & ~s->input_used & ~s->output_used & s->all;
  loom_crossbar_bus_edge(s, &c.bus, in);
  s->now++;
}

bool loom_crossbar_switch_sleeps(const struct loom_crossbar_switch *s) {
  uint64_t awake = s->input_awake | s->crossing_awake | s->output_awake | s->counting | s->granted |
                   s->moved | s->under_way | (s->groups && loom_crossbar_groups_move(s));
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

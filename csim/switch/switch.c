/* SPDX-License-Identifier: Apache-2.0 */
/* switch.c - init and the order of an edge in the twins of both switches; written from
 * docs/switch.md
 *
 * Inside: ib_switch, opa_switch, kns_node, and kns_switch. */
#include "switch/switch.h"

#include <string.h>

enum { IN = LOOM_SWITCH_IN, CENTRAL = LOOM_SWITCH_CENTRAL, OUT = LOOM_SWITCH_OUT };
enum { PORTS_OF_MPORT = 4, COUNT_W = 12, SIZE_W = 10 };

/* ---- init ------------------------------------------------------------------------------------ */

static void init_lanes(struct loom_switch *s, uint32_t vls) {
  s->vls = vls;
  s->all_lanes = (uint32_t)loom_mask(vls);
  s->mgmt = loom_min(LOOM_SWITCH_VL15, vls - 1);
  memset(s->lane_of, LOOM_SWITCH_NO_LANE, sizeof s->lane_of);
  for (uint32_t vl = 0; vl < vls; vl++)
    if (vl < vls - 1 || vls > LOOM_SWITCH_VL15 + 1)
      s->lane_of[vl] = (uint8_t)vl;
  s->lane_of[LOOM_SWITCH_VL15] = (uint8_t)s->mgmt;
  for (uint32_t lane = 0; lane < vls; lane++)
    s->vl_of[lane] = (uint8_t)lane;
  s->vl_of[s->mgmt] = LOOM_SWITCH_VL15;
}

/* The buffers of one tier, and the delay in front of them; gives the word after their memories.
 * The first records of all buffers stand together, so do the second ones, and so on: few are in
 * use. */
static uint64_t *init_buffers(struct loom_switch *s, const struct loom_switch_cfg *cfg,
                              uint32_t tier, uint64_t *word) {
  const uint32_t depth[LOOM_SWITCH_TIERS] = {
      [IN] = cfg->ROUTING_CYCLES - 2 + cfg->BUFFER_CYCLES - 2 + cfg->ALLOCATION_CYCLES - 1,
      [CENTRAL] = cfg->ALLOCATION_CYCLES - 1 + cfg->CROSSBAR_CYCLES,
      [OUT] = cfg->CROSSBAR_CYCLES + cfg->BUFFER_CYCLES - 2 + cfg->FLIGHT_CYCLES - 1,
  };
  struct loom_switch_wheel *w = &s->wheel[tier];
  w->slots = depth[tier] + 1;
  w->lanes = tier == CENTRAL ? cfg->CENTRALS : cfg->PORTS;
  w->full = word;
  w->record = (struct loom_switch_record *)(word + w->slots);
  loom_switch_wheel_init(w);
  struct loom_packet *packet = (struct loom_packet *)(w->record + (size_t)w->slots * w->lanes);
  for (uint32_t i = 0; i < w->lanes; i++) {
    loom_packet_queues_init(&s->buffer[tier][i], loom_switch_reader(s, tier, i), s->vls,
                            cfg->CELLS[tier], loom_switch_reserved(cfg, tier),
                            tier == OUT ? LOOM_SWITCH_EARLY : 0, packet + i, w->lanes);
  }
  return (uint64_t *)(packet + (size_t)w->lanes * cfg->CELLS[tier]);
}

/* Hands out the storage, what is aligned to 8 first (loom_switch_bytes). Memory that no packet ever
 * needs is never touched: flits and links of cells and records of packets, which are read only
 * after a write. */
static void init_memories(struct loom_switch *s, const struct loom_switch_cfg *cfg, void *storage) {
  const struct loom_fifo_cfg traps = {.DEPTH = LOOM_SWITCH_TRAPS, .WIDTH = 32};
  uint32_t cells =
      cfg->PORTS * (cfg->CELLS[IN] + cfg->CELLS[OUT]) + cfg->CENTRALS * cfg->CELLS[CENTRAL];
  uint64_t *word = storage;
  s->cells.cells = cells;
  s->cells.flit = word;
  word += (size_t)cells * LOOM_UNIT_FLITS;
  loom_fifo_init(&s->trap_fifo, &traps, word);
  word += LOOM_SWITCH_TRAPS;
  for (uint32_t k = 0; k < LOOM_SWITCH_TIERS; k++)
    word = init_buffers(s, cfg, k, word);
  s->cells.link = (uint32_t *)word;
  s->maps = (uint8_t *)(s->cells.link + cells);
  s->lft = s->maps + (size_t)cfg->PORTS * cfg->PORTS * LOOM_SWITCH_MAP;
}

void loom_switch_clear(struct loom_switch *s) {
  memset(s->maps, 0, (size_t)s->ports * s->ports * LOOM_SWITCH_MAP + s->lids);
}

static void init_arbiters(struct loom_switch *s) {
  for (uint32_t k = IN; k <= CENTRAL; k++)
    for (uint32_t i = 0; i < (k == IN ? s->ports : s->centrals); i++) {
      struct loom_switch_source *source = &s->source[k][i];
      source->arbiter.n = s->vls;
      source->number = (uint8_t)(k == CENTRAL  ? PORTS_OF_MPORT + i
                                 : s->centrals ? i % PORTS_OF_MPORT
                                               : i);
    }
  for (uint32_t i = 0; i < s->ports; i++) {
    s->target[CENTRAL][i].arbiter.n = PORTS_OF_MPORT;
    s->target[OUT][i].arbiter.n = s->centrals ? PORTS_OF_MPORT + s->centrals : s->ports;
  }
  s->trap_arbiter.n = s->ports;
}

static void init_port(struct loom_switch *s, uint32_t port, const struct loom_switch_cfg *cfg,
                      const struct loom_switch_sched_cfg *sched) {
  struct loom_switch_output *u = &s->output[port];
  const struct loom_credit_tracker_cfg far = {.VLS = s->vls,
                                              .COUNT_W = COUNT_W,
                                              .SIZE_W = SIZE_W,
                                              .UNITS = cfg->REMOTE_UNITS,
                                              .MAX_UNITS = cfg->REMOTE_UNITS,
                                              .RESERVED = cfg->REMOTE_RESERVED};
  loom_credit_tracker_init(&u->far, &far);
  loom_switch_sched_init(loom_switch_scheduler(s, port), s->sched, sched);
}

/* The parameters of its schedulers. */
static struct loom_switch_sched_cfg sched_cfg(const struct loom_switch_cfg *cfg) {
  return (struct loom_switch_sched_cfg){
      .VLS = cfg->VLS,
      .KEYS = cfg->KEYS,
      .ARB_KEY = cfg->ARB_KEY,
      .MGMT_VL = loom_min(LOOM_SWITCH_VL15, cfg->VLS - 1),
      .ENTRIES = cfg->ENTRIES,
      .IB_WEIGHTS = cfg->IB_WEIGHTS,
      .N_HIGH = cfg->N_HIGH,
      .N_LOW = cfg->N_LOW,
  };
}

void loom_switch_init(struct loom_switch *s, const struct loom_switch_cfg *cfg, void *storage) {
  const struct loom_switch_sched_cfg sched = sched_cfg(cfg);
  s->ports = cfg->PORTS;
  s->centrals = cfg->CENTRALS;
  s->lids = cfg->LIDS;
  s->sched = cfg->SCHED;
  s->sched_bytes = loom_switch_sched_bytes(cfg->SCHED);
  s->central_sched = cfg->CENTRAL_SCHED;
  s->choosers = cfg->CENTRALS && cfg->CENTRAL_SCHED < LOOM_SWITCH_LANES_RR;
  s->idle = true;
  s->rd_flits[IN] = cfg->RD_IN;
  s->rd_flits[CENTRAL] = cfg->RD_CENTRAL;
  init_lanes(s, cfg->VLS);
  for (uint32_t lane = 0; lane < s->vls; lane++)
    s->mtu[lane] = (uint16_t)cfg->MTU_UNITS;
  init_memories(s, cfg, storage);
  s->lead = s->wheel[IN].slots - 1 + LOOM_SWITCH_LEAD + cfg->STALL_CYCLES;
  init_arbiters(s);
  for (uint32_t port = 0; port < s->ports; port++)
    init_port(s, port, cfg, &sched);
  for (uint32_t i = 0; i < s->centrals && s->choosers; i++)
    loom_switch_sched_init(&s->chooser[i].scheduler, s->central_sched, &sched);
  s->touched[CENTRAL] = loom_mask(s->centrals);
  s->touched[OUT] = loom_mask(s->ports);
  loom_switch_rooms(s);
}

/* ---- one edge -------------------------------------------------------------------------------- */

static void finish_add(struct loom_counter *counter, const struct loom_switch_add *add) {
  counter->packets++;
  counter->flits += add->flits;
}

/* Errors that show in this cycle; counters of the last cycle's packets. */
static void count_edge(struct loom_switch *s) {
  if (!(s->far_error | s->buffer_error | s->counted_in | s->counted_out))
    return;
  for (loom_ports set = s->far_error; set; set &= set - 1)
    s->port[loom_ctz(set)].counter[LOOM_SWITCH_FAR_ERRORS]++;
  for (loom_ports set = s->buffer_error; set; set &= set - 1)
    s->port[loom_ctz(set)].counter[LOOM_SWITCH_BUFFER_ERRORS]++;
  for (loom_ports set = s->counted_in; set; set &= set - 1)
    finish_add(&s->counted[s->port[loom_ctz(set)].accepted.index][loom_ctz(set)].accepted,
               &s->port[loom_ctz(set)].accepted);
  for (loom_ports set = s->counted_out; set; set &= set - 1) {
    uint32_t port = loom_ctz(set);
    struct loom_switch_port *p = &s->port[port];
    finish_add(&s->counted[p->granted.index][port].granted, &p->granted);
    finish_add(&s->counted[p->granted_by_sl.index][port].granted_by_sl, &p->granted_by_sl);
  }
  s->far_error = s->buffer_error = s->counted_in = s->counted_out = 0;
}

/* Credits of lanes that there are. */
static void credits_edge(struct loom_switch *s, const struct loom_switch_in *in) {
  for (loom_ports set = s->credits; set; set &= set - 1) {
    uint32_t port = loom_ctz(set);
    uint8_t lane = s->lane_of[in->port[port].cr_vl];
    s->output[port].cr_lane = lane;
    if (lane == LOOM_SWITCH_NO_LANE)
      s->credits &= ~(1ull << port);
  }
}

static void bus_edge(struct loom_switch *s, const struct loom_switch_in *in) {
  s->reg.we = in->reg_we;
  s->reg.re = in->reg_re;
  s->reg.addr = in->reg_addr;
  s->reg.wdata = in->reg_wdata;
}

/* An access is under way, or was a moment ago. */
static bool bus_busy(const struct loom_switch *s) {
  loom_ports written = s->far_written;
  for (uint32_t k = 0; k < LOOM_SWITCH_TIERS; k++)
    written |= s->written[k] | s->written_last[k];
  return written || s->reg.we || s->reg.re || s->read[0].valid || s->read[1].valid;
}

/* A header is in front of routing or in it. */
static bool routes(const struct loom_switch *s) {
  return s->in_entry | s->in_lft | s->wheel[IN].busy;
}

/* Pieces that would find their sets empty are not entered: most cycles of most switches have work
 * for few of them. */
void loom_switch_edge(struct loom_switch *s, const struct loom_switch_family *family,
                      const struct loom_switch_in *in) {
  bool idle = s->units == 0, bus = bus_busy(s);
  /* What looks at registers that others change. */
  if (bus)
    loom_switch_read_edge(s, family);
  count_edge(s);
  if (bus)
    loom_switch_write_trackers(s);
  if (s->traps | s->reg.re)
    loom_switch_traps(s, loom_switch_reads_trap(s));
  if (s->in_entry)
    loom_switch_route(s, family);
  /* Units are asked for before they come back, so that the answer is that of the state. */
  if (in->valid)
    loom_switch_arrive(s, in);
  loom_switch_outputs(s);
  loom_ports chosen = s->choosers_awake ? loom_switch_choose(s) : 0;
  loom_switch_move(s);
  loom_switch_allocate(s, chosen);
  /* What the next cycle sees. */
  loom_switch_appear(s);
  if (routes(s))
    loom_switch_lookups(s, family);
  if (s->reg.we)
    loom_switch_write(s, family);
  loom_switch_rooms(s);
  s->credits = in->credit;
  if (s->credits)
    credits_edge(s, in);
  bus_edge(s, in);
  s->idle = idle;
  s->now++;
}

/* ---- sleep ----------------------------------------------------------------------------------- */

/* Sets of buffers that have something to do. Targets that are locked stay so; what parked sources
 * wait for is somebody else's work. */
static loom_ports busy_buffers(const struct loom_switch *s) {
  loom_ports busy = 0;
  for (uint32_t k = 0; k < LOOM_SWITCH_TIERS; k++)
    busy |= s->reading[k] | s->loading[k] | s->granted[k] | s->wake[k] | s->targeted[k] |
            s->written[k] | s->written_last[k] | s->room_moves[k];
  return busy;
}

bool loom_switch_sleeps(const struct loom_switch *s) {
  if (s->shown_out) /* as it mostly is: nothing else needs a look */
    return false;
  if (s->shown_cr | s->awake | s->credits | s->in_lft | s->in_entry | s->counted_in |
      s->counted_out | s->far_written | s->far_error | s->buffer_error | s->choosers_awake |
      s->words[!s->sending].count)
    return false;
  if (s->wheel[IN].busy | s->wheel[CENTRAL].busy | s->wheel[OUT].busy)
    return false;
  bool bus = s->reg.we || s->reg.re || s->read[0].valid || s->read[1].valid;
  bool trap = s->traps && loom_fifo_ready(&s->trap_fifo);
  return !bus && !trap && s->idle == (s->units == 0) && !busy_buffers(s);
}

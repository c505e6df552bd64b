/* SPDX-License-Identifier: Apache-2.0 */
/* crossbar_switch_groups.c - crossbar_switch with groups of ports, written from
 * docs/crossbar_switch.md and docs/port_groups.md
 *
 * Inside: crossbar_switch.
 *
 * All edges come after those of inputs and outputs, so the trackers show the totals of the next
 * cycle by then: those of this cycle are kept. An input whose port_group rests has no edge of it,
 * nor has an output whose crossing and output unit rest: these do so only when their totals have
 * stayed for more cycles than load and above take. */
#include "switch/crossbar_switch.h"

#include <string.h>

#include <loom/head.h>

enum { LOAD_TIMES = 4, LOAD_MOST = 8191 }; /* GROUP_LOAD after reset: MTU_UNITS, by 4 each */
enum { MEMBERS_BITS = 32 };                /* of a half of the members */

static struct loom_port_group_cfg part_cfg(const struct loom_crossbar_switch_cfg *cfg) {
  return (struct loom_port_group_cfg){.PORTS = cfg->PORTS, .GROUPS = cfg->GROUPS};
}

size_t loom_crossbar_groups_storage_size(const struct loom_crossbar_switch_cfg *cfg) {
  const struct loom_port_group_cfg part = part_cfg(cfg);
  return loom_port_group_storage_size(&part);
}

void loom_crossbar_groups_init(struct loom_crossbar_switch *s,
                               const struct loom_crossbar_switch_cfg *cfg, void *storage) {
  const struct loom_port_group_cfg part = part_cfg(cfg);
  struct loom_crossbar_groups *g = &s->group;
  uint32_t units = cfg->MTU_UNITS;
  s->groups = cfg->GROUPS;
  memset(storage, 0, loom_crossbar_groups_storage_size(cfg));
  g->tables.groups = cfg->GROUPS;
  g->tables.members = storage;
  g->tables.slots = (uint8_t *)(g->tables.members + cfg->GROUPS);
  g->sls = UINT32_MAX;
  for (uint32_t k = 0; k < LOOM_GROUP_THRESHOLDS; k++, units *= LOAD_TIMES)
    g->threshold[k] = (uint16_t)loom_min(units, LOAD_MOST);
  for (uint32_t port = 0; port < cfg->PORTS; port++)
    loom_port_group_init(&g->input[port], &part, NULL);
}

/* ---- registers ------------------------------------------------------------------------------- */

void loom_crossbar_groups_write(struct loom_crossbar_switch *s, uint32_t addr, uint32_t data) {
  struct loom_crossbar_groups *g = &s->group;
  uint32_t k = addr - LOOM_SWITCH_REG_GROUP_LOAD;
  uint32_t half = addr - LOOM_SWITCH_REG_GROUP_MEMBERS;
  uint32_t slot = addr - LOOM_SWITCH_REG_GROUP_SLOTS;
  if (half < LOOM_SWITCH_REG_GROUP_MEMBERS_WORDS) {
    loom_port_group_write_members(&g->tables, s->chassis.ports, half, data);
  } else if (slot < LOOM_SWITCH_REG_GROUP_SLOTS_WORDS) {
    loom_port_group_write_slot(&g->tables, slot, LOOM_GET(LOOM_SWITCH_REG_GROUP_SLOTS_PORT, data));
  } else if (k < LOOM_GROUP_THRESHOLDS) {
    g->threshold[k] = (uint16_t)LOOM_GET(LOOM_SWITCH_REG_GROUP_LOAD_UNITS, data);
    g->compare = true;
  } else if (addr == LOOM_SWITCH_REG_GROUP_COUNT) {
    g->count = loom_min(data & UINT16_MAX, s->groups);
  } else if (addr == LOOM_SWITCH_REG_GROUP_HASH) {
    g->hash = LOOM_GET(LOOM_SWITCH_REG_GROUP_HASH_PART, data);
  } else if (addr == LOOM_SWITCH_REG_GROUP_SLS) {
    g->sls = data;
  }
}

static uint32_t read_members(const struct loom_crossbar_groups *g, uint32_t half) {
  uint32_t group = half / 2;
  return group < g->count ? (uint32_t)(g->tables.members[group] >> half % 2 * MEMBERS_BITS) : 0;
}

static uint32_t read_slot(const struct loom_crossbar_groups *g, uint32_t slot) {
  return slot / LOOM_GROUP_SLOTS < g->count ? g->tables.slots[slot] : 0;
}

uint32_t loom_crossbar_groups_read(const struct loom_crossbar_switch *s, uint32_t addr) {
  const struct loom_crossbar_groups *g = &s->group;
  uint32_t k = addr - LOOM_SWITCH_REG_GROUP_LOAD;
  uint32_t half = addr - LOOM_SWITCH_REG_GROUP_MEMBERS;
  uint32_t slot = addr - LOOM_SWITCH_REG_GROUP_SLOTS;
  if (half < LOOM_SWITCH_REG_GROUP_MEMBERS_WORDS)
    return read_members(g, half);
  if (slot < LOOM_SWITCH_REG_GROUP_SLOTS_WORDS)
    return read_slot(g, slot);
  if (k < LOOM_GROUP_THRESHOLDS)
    return g->threshold[k];
  switch (addr) {
  case LOOM_SWITCH_REG_GROUP_COUNT:
    return LOOM_PUT(LOOM_SWITCH_REG_GROUP_COUNT_COUNT, g->count) |
           LOOM_PUT(LOOM_SWITCH_REG_GROUP_COUNT_GROUPS, s->groups);
  case LOOM_SWITCH_REG_GROUP_HASH:
    return g->hash;
  case LOOM_SWITCH_REG_GROUP_SLS:
    return g->sls;
  default:
    return 0;
  }
}

/* ---- flits ----------------------------------------------------------------------------------- */

struct loom_chassis_arrival loom_crossbar_groups_late(const struct loom_crossbar_switch *s) {
  const struct loom_crossbar_flits *late =
      &s->group.late[s->chassis.now % LOOM_CROSSBAR_GROUP_CYCLES];
  return (struct loom_chassis_arrival){
      .valid = late->valid, .head = late->head, .tail = late->tail, .port = late->port};
}

/* What is on the links takes the place of what has come to the inputs. */
static void late_edge(struct loom_crossbar_switch *s, const struct loom_chassis_arrival *in) {
  struct loom_crossbar_flits *late = &s->group.late[s->chassis.now % LOOM_CROSSBAR_GROUP_CYCLES];
  late->valid = in->valid;
  late->head = in->head;
  late->tail = in->tail;
  for (uint64_t left = in->valid; left; left &= left - 1) {
    uint32_t port = loom_ctz(left);
    late->port[port] = in->port[port];
  }
}

/* ---- ports ----------------------------------------------------------------------------------- */

uint32_t loom_crossbar_groups_pulses(const struct loom_crossbar_switch *s, uint32_t port) {
  const struct loom_port_group *u = &s->group.input[port];
  return (uint32_t)u->free | (uint32_t)u->turned << 1 | (uint32_t)u->crowded << 2;
}

/* The table is read for a head on the link. */
static void look_up(struct loom_crossbar_switch *s, uint32_t port, uint64_t head) {
  struct loom_crossbar_entry *e = &s->group.entry[port];
  uint32_t lid = LOOM_GET(LOOM_HEAD_DEST, head),
           word = lid < s->chassis.lids ? s->chassis.lft[lid] : 0;
  e->mode = (uint8_t)LOOM_GET(LOOM_SWITCH_REG_LFT_MODE, word);
  e->out = (uint8_t)LOOM_GET(LOOM_SWITCH_REG_LFT_OUT, word);
  e->known =
      lid < s->chassis.lft_count && (e->mode != LOOM_SWITCH_BY_PORT || e->out < s->chassis.ports);
}

static void input_edge(struct loom_crossbar_switch *s, const struct loom_chassis_arrival *in,
                       uint32_t port) {
  struct loom_crossbar_groups *g = &s->group;
  struct loom_port_group *u = &g->input[port];
  struct loom_port_group_cycle cycle = {.found = g->entry[port].known,
                                        .mode = g->entry[port].mode,
                                        .out = g->entry[port].out,
                                        .count = (uint8_t)g->count,
                                        .hash = (uint8_t)g->hash,
                                        .sls = g->sls};
  memcpy(cycle.above, g->above, sizeof cycle.above);
  if (in->valid & in->head & 1ull << port) {
    cycle.head = true;
    cycle.vl = in->port[port].vl;
    cycle.data = in->port[port].data;
    look_up(s, port, cycle.data);
  }
  loom_port_group_edge(u, &cycle, &g->tables);
  s->chassis.port[port].found_known = u->e.valid;
  s->chassis.port[port].found_port = (uint8_t)loom_port_group_port(u);
}

/* ---- loads ----------------------------------------------------------------------------------- */

static void load_edge(struct loom_crossbar_switch *s, uint32_t port) {
  struct loom_crossbar_groups *g = &s->group;
  const struct loom_chassis_port *p = &s->chassis.port[port];
  for (uint32_t k = 0; k < LOOM_GROUP_THRESHOLDS; k++) {
    uint64_t is = (uint64_t)(g->load[port] >= g->threshold[k]) << port;
    g->above[k] = (g->above[k] & ~(1ull << port)) | is;
  }
  g->load[port] = g->total[port];
  g->total[port] = (uint16_t)(p->crossing.tracker.total + p->output.tracker.total);
}

/* ---- a cycle --------------------------------------------------------------------------------- */

void loom_crossbar_groups_edge(struct loom_crossbar_switch *s,
                               const struct loom_chassis_arrival *in, uint64_t inputs,
                               uint64_t outputs) {
  struct loom_crossbar_groups *g = &s->group;
  g->awake = 0;
  for (uint64_t left = inputs; left; left &= left - 1) {
    uint32_t port = loom_ctz(left);
    input_edge(s, in, port);
    g->awake |= (uint64_t)!loom_port_group_rests(&g->input[port]) << port;
  }
  late_edge(s, in);
  for (uint64_t left = g->compare ? s->chassis.all : outputs; left; left &= left - 1)
    load_edge(s, loom_ctz(left));
  g->compare = false;
}

bool loom_crossbar_groups_move(const struct loom_crossbar_switch *s) {
  const struct loom_crossbar_groups *g = &s->group;
  uint64_t moves = g->awake;
  for (uint32_t i = 0; i < LOOM_CROSSBAR_GROUP_CYCLES; i++)
    moves |= g->late[i].valid;
  return moves || g->compare;
}

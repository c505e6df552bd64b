/* SPDX-License-Identifier: Apache-2.0 */
/* port_group.c - twin of rtl/switch/loom_port_group.v, written from docs/port_groups.md
 *
 * The stages take their values from the last one to the first, so that each sees the one before it
 * as it was. */
#include "switch/port_group.h"

#include <loom/head.h>
#include <string.h>

#include "parts/crc16.h"

enum { BY_PORT, BY_LID, BY_FLOW, BY_LOAD }; /* modes of an entry */
enum { MGMT_VL = 15 };
enum { SLOT_BITS = 6, HALF_BITS = 32 };

/* ---- init ------------------------------------------------------------------------------------ */

bool loom_port_group_cfg_ok(const struct loom_port_group_cfg *cfg) {
  return !loom_port_group_bad_param(cfg);
}

size_t loom_port_group_storage_size(const struct loom_port_group_cfg *cfg) {
  return (size_t)cfg->GROUPS * (sizeof(uint64_t) + LOOM_GROUP_SLOTS);
}

void loom_port_group_init(struct loom_port_group *s, const struct loom_port_group_cfg *cfg,
                          void *storage) {
  memset(s, 0, sizeof *s);
  s->ports = cfg->PORTS;
  if (!storage)
    return;
  memset(storage, 0, loom_port_group_storage_size(cfg));
  s->own.groups = cfg->GROUPS;
  s->own.members = storage;
  s->own.slots = (uint8_t *)(s->own.members + cfg->GROUPS);
}

/* ---- the tables ------------------------------------------------------------------------------ */

void loom_port_group_write_members(const struct loom_port_group_tables *tables, uint32_t ports,
                                   uint32_t addr, uint32_t data) {
  uint32_t group = addr / 2, place = addr % 2 * HALF_BITS;
  if (group >= tables->groups)
    return;
  uint64_t *members = &tables->members[group];
  *members &= ~(loom_mask(HALF_BITS) << place);
  *members |= (uint64_t)data << place & loom_mask(ports);
}

void loom_port_group_write_slot(const struct loom_port_group_tables *tables, uint32_t addr,
                                uint32_t port) {
  if (addr / LOOM_GROUP_SLOTS < tables->groups)
    tables->slots[addr] = (uint8_t)port;
}

/* ---- the edge -------------------------------------------------------------------------------- */

uint32_t loom_port_group_port(const struct loom_port_group *s) {
  return s->e.choose ? loom_ctz(s->e.set) : s->e.port;
}

static void pulses_edge(struct loom_port_group *s) {
  s->free = s->e.choose;
  s->turned = s->e.choose && loom_port_group_port(s) != s->e.port;
  s->crowded = s->e.choose && s->e.full;
}

/* From the port of the slot on, if there is one. */
static void ahead_edge(struct loom_port_group *s) {
  s->e = s->d;
  uint64_t ahead = s->d.set >> s->d.port << s->d.port;
  if (ahead)
    s->e.set = ahead;
}

/* Those of the lowest class. */
static uint64_t best_of(uint64_t members, const uint64_t *above) {
  for (uint32_t k = 0; k < LOOM_GROUP_THRESHOLDS; k++) {
    uint64_t below = members & ~above[k];
    if (below)
      return below;
  }
  return members;
}

static void best_edge(struct loom_port_group *s, const uint64_t *above) {
  memset(&s->d, 0, sizeof s->d);
  uint8_t port = s->b.grouped ? s->b.slot : s->b.port;
  bool choose = s->b.loose && s->b.members;
  if (!s->b.valid || !(choose || port < s->ports))
    return;
  s->d.valid = true;
  s->d.port = port;
  if (!choose)
    return;
  s->d.choose = true;
  s->d.set = best_of(s->b.members, above);
  s->d.full = !(s->b.members & ~above[LOOM_GROUP_THRESHOLDS - 1]);
}

static void read_edge(struct loom_port_group *s, const struct loom_port_group_cycle *in,
                      const struct loom_port_group_tables *tables) {
  memset(&s->b, 0, sizeof s->b);
  if (!s->a.valid || !in->found || (in->mode != BY_PORT && in->out >= in->count))
    return;
  s->b.valid = true;
  if (in->mode == BY_PORT) {
    s->b.port = in->out;
    return;
  }
  s->b.grouped = true;
  s->b.loose = s->a.loose && in->mode == BY_LOAD;
  if (in->out >= tables->groups)
    return;
  uint32_t slot = in->mode == BY_LID ? s->a.by_lid : s->a.by_flow;
  s->b.slot = tables->slots[in->out * LOOM_GROUP_SLOTS + slot];
  s->b.members = tables->members[in->out];
}

static uint8_t by_lid(uint32_t dest) {
  return (uint8_t)((dest ^ dest >> SLOT_BITS ^ dest >> 2 * SLOT_BITS) & loom_mask(SLOT_BITS));
}

static void head_edge(struct loom_port_group *s, const struct loom_port_group_cycle *in) {
  memset(&s->a, 0, sizeof s->a);
  if (!in->head)
    return;
  uint32_t src = LOOM_GET(LOOM_HEAD_SRC, in->data), dest = LOOM_GET(LOOM_HEAD_DEST, in->data);
  bool train = LOOM_GET(LOOM_HEAD_AFTER, in->data) || LOOM_GET(LOOM_HEAD_MORE, in->data);
  s->a.valid = true;
  s->a.loose = in->sls >> LOOM_GET(LOOM_HEAD_SC, in->data) & 1 && in->vl != MGMT_VL && !train;
  s->a.by_lid = by_lid(dest);
  s->a.by_flow = (uint8_t)loom_crc16_slot(src, dest, in->hash);
}

void loom_port_group_edge(struct loom_port_group *s, const struct loom_port_group_cycle *in,
                          const struct loom_port_group_tables *tables) {
  pulses_edge(s);
  ahead_edge(s);
  best_edge(s, in->above);
  read_edge(s, in, tables);
  head_edge(s, in);
}

/* ---- with the ports of the list -------------------------------------------------------------- */

static void show(const struct loom_port_group *s, struct loom_port_group_out *out) {
  *out = (struct loom_port_group_out){
      .known = s->e.valid,
      .port = loom_port_group_port(s),
      .free = s->free,
      .turned = s->turned,
      .crowded = s->crowded,
  };
}

/* A set of ports for each threshold, of a set of thresholds for each port. */
static void gather_above(const struct loom_port_group *s, const uint64_t *of_port,
                         uint64_t *above) {
  for (uint32_t o = 0; o < s->ports; o++)
    for (uint32_t k = 0; k < LOOM_GROUP_THRESHOLDS; k++)
      above[k] |= (of_port[o] >> k & 1) << o;
}

void loom_port_group_step(struct loom_port_group *s, const struct loom_port_group_in *in,
                          struct loom_port_group_out *out) {
  struct loom_port_group_cycle cycle = {.head = in->head != 0,
                                        .vl = (uint8_t)in->vl,
                                        .data = in->data,
                                        .found = in->found_known != 0,
                                        .mode = (uint8_t)in->found_mode,
                                        .out = (uint8_t)in->found_out,
                                        .count = (uint8_t)in->count,
                                        .hash = (uint8_t)in->hash,
                                        .sls = (uint32_t)in->sls};
  gather_above(s, in->above, cycle.above);
  show(s, out);
  loom_port_group_edge(s, &cycle, &s->own);
  if (in->members_we)
    loom_port_group_write_members(&s->own, s->ports, (uint32_t)in->members_addr,
                                  (uint32_t)in->members_data);
  if (in->slot_we)
    loom_port_group_write_slot(&s->own, (uint32_t)in->slot_addr, (uint32_t)in->slot_data);
}

void loom_port_group_probe(const struct loom_port_group *s, struct loom_port_group_probe *p) {
  p->a_valid = s->a.valid;
  p->b_valid = s->b.valid;
  p->e_valid = s->e.valid;
  p->e_choose = s->e.choose;
  p->loom_end = 0;
}

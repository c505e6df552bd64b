/* SPDX-License-Identifier: Apache-2.0 */
/* switch_groups.c - groups of ports: their tables, what is written to them, and the ports that are
 * right for a packet, from docs/port_groups.md; see switch_traffic.h
 */
#include "tb/cosim/switch_traffic.h"

enum { MODES = 4, NOWHERE_CHANCE = 12 };

/* ---- the rule -------------------------------------------------------------------------------- */

/* CRC of {src, dest}, bit by bit: 0x1021, begun with ones, high bits first. */
static uint32_t flow_crc(uint32_t src, uint32_t dest) {
  uint32_t bytes = src << 16 | dest, crc = 0xFFFF;
  for (uint32_t k = 32; k--;) {
    uint32_t out = (crc >> 15 ^ bytes >> k) & 1;
    crc = (crc << 1 & 0xFFFF) ^ (out ? 0x1021 : 0);
  }
  return crc;
}

static uint32_t slot_by_flow(const struct switch_groups *g, uint64_t head) {
  uint32_t crc =
      flow_crc((uint32_t)LOOM_GET(LOOM_HEAD_SRC, head), (uint32_t)LOOM_GET(LOOM_HEAD_DEST, head));
  return crc >> (g->hash < 3 ? 5 * g->hash : 0) & (SWITCH_SLOTS - 1);
}

static uint32_t slot_by_lid(uint64_t head) {
  uint32_t dest = (uint32_t)LOOM_GET(LOOM_HEAD_DEST, head);
  return (dest ^ dest >> 6 ^ dest >> 12) & (SWITCH_SLOTS - 1);
}

/* Trains, management and masked SLs go by their slot. */
static bool loose_packet(const struct switch_groups *g, uint64_t head, uint32_t vl) {
  return (g->sls >> LOOM_GET(LOOM_HEAD_SC, head) & 1) && vl != 15 &&
         !LOOM_GET(LOOM_HEAD_AFTER, head) && !LOOM_GET(LOOM_HEAD_MORE, head);
}

static uint64_t port_bit(const struct switch_facts *f, uint32_t port) {
  return port < f->ports ? 1ull << port : 0;
}

struct switch_right switch_right_ports(const struct switch_facts *f, const struct switch_tables *t,
                                       const struct switch_groups *g, uint64_t head, uint32_t vl) {
  uint32_t lid = (uint32_t)LOOM_GET(LOOM_HEAD_DEST, head);
  uint32_t mode = f->groups && lid < t->lids ? t->lft[lid] >> LOOM_SWITCH_REG_LFT_MODE_AT : 0;
  struct switch_right right = {.mode = mode, .own = SWITCH_NONE};
  if (mode == LOOM_SWITCH_BY_PORT) {
    right.own = switch_port_for(f, t, lid);
    right.ports = port_bit(f, right.own);
    return right;
  }
  uint32_t group = LOOM_GET(LOOM_SWITCH_REG_LFT_OUT, t->lft[lid]);
  if (group >= g->count)
    return right;
  right.own =
      g->slots[group][mode == LOOM_SWITCH_BY_LID ? slot_by_lid(head) : slot_by_flow(g, head)];
  right.ports = port_bit(f, right.own);
  if (mode == LOOM_SWITCH_BY_LOAD && loose_packet(g, head, vl) && g->members[group])
    right.ports = g->members[group];
  return right;
}

/* ---- tables ---------------------------------------------------------------------------------- */

static void take_members(const struct switch_facts *f, struct switch_groups *g, uint32_t at,
                         uint32_t data) {
  uint32_t group = at / 2, low = at % 2 * 32;
  uint64_t half = 0xFFFFFFFFull << low;
  if (group < f->groups)
    g->members[group] =
        (g->members[group] & ~half) | ((uint64_t)data << low & ((1ull << f->ports) - 1));
}

void switch_groups_take(const struct switch_facts *f, struct switch_groups *g, uint32_t addr,
                        uint32_t data) {
  uint32_t members = addr - LOOM_SWITCH_REG_GROUP_MEMBERS,
           slot = addr - LOOM_SWITCH_REG_GROUP_SLOTS;
  if (addr == LOOM_SWITCH_REG_GROUP_COUNT)
    g->count = loom_min(data & 0xFFFF, f->groups);
  else if (addr == LOOM_SWITCH_REG_GROUP_HASH)
    g->hash = LOOM_GET(LOOM_SWITCH_REG_GROUP_HASH_PART, data);
  else if (addr == LOOM_SWITCH_REG_GROUP_SLS)
    g->sls = data;
  else if (members < LOOM_SWITCH_REG_GROUP_MEMBERS_WORDS)
    take_members(f, g, members, data);
  else if (slot < LOOM_SWITCH_REG_GROUP_SLOTS_WORDS && slot / SWITCH_SLOTS < f->groups)
    g->slots[slot / SWITCH_SLOTS][slot % SWITCH_SLOTS] =
        (uint8_t)LOOM_GET(LOOM_SWITCH_REG_GROUP_SLOTS_PORT, data);
}

static void write_group_register(struct switch_state *s, uint32_t addr, uint32_t data) {
  switch_plan_write(s, addr, data);
  switch_groups_take(&s->facts, &s->plan.tables.groups, addr, data);
}

/* ---- drawing them ---------------------------------------------------------------------------- */

static uint64_t some_members(struct switch_state *s) {
  static const uint32_t density[] = {40, 100, 180, 256};
  struct rng *r = &s->ends.rng;
  return rng_bits(r, s->facts.ports, density[rng_below(r, 4)]);
}

static uint32_t any_port(struct switch_state *s) { return rng_below(&s->ends.rng, s->facts.ports); }

/* Member number n, counted round. */
static uint32_t member(uint64_t members, uint32_t n) {
  for (n %= (uint32_t)__builtin_popcountll(members); n; n--)
    members &= members - 1;
  return (uint32_t)__builtin_ctzll(members);
}

/* The members in turn, or any ports, of which some are nowhere. */
static void draw_slots(struct switch_state *s, uint32_t group, uint64_t members) {
  struct rng *r = &s->ends.rng;
  bool fair = members && rng_chance(r, 200);
  bool nowhere = !s->plan.moving && rng_chance(r, 40);
  uint32_t first = rng_below(r, SWITCH_SLOTS);
  for (uint32_t k = 0; k < SWITCH_SLOTS; k++) {
    uint32_t port = fair ? member(members, first + k) : any_port(s);
    if (nowhere && rng_chance(r, NOWHERE_CHANCE))
      port = rng_range(r, s->facts.ports, 63);
    write_group_register(s, LOOM_SWITCH_REG_GROUP_SLOTS + SWITCH_SLOTS * group + k, port);
  }
}

static void draw_group(struct switch_state *s, uint32_t group) {
  uint64_t members = some_members(s);
  uint32_t at = LOOM_SWITCH_REG_GROUP_MEMBERS + 2 * group;
  write_group_register(s, at, (uint32_t)members);
  write_group_register(s, at + 1, (uint32_t)(members >> 32));
  draw_slots(s, group, members);
}

/* Few units, so that stores of tests reach them; not always rising. */
static uint32_t some_threshold(struct switch_state *s) {
  return rng_below(&s->ends.rng, (s->facts.cells_out + s->facts.remote_units) / 2);
}

void switch_groups_plan(struct switch_state *s) {
  struct rng *r = &s->ends.rng;
  struct switch_groups *g = &s->plan.tables.groups;
  g->sls = 0xFFFFFFFF;
  s->plan.groups = rng_chance(r, 128) ? s->facts.groups : rng_range(r, 1, s->facts.groups);
  for (uint32_t k = 0; k < s->plan.groups; k++)
    draw_group(s, k);
  write_group_register(s, LOOM_SWITCH_REG_GROUP_COUNT, s->plan.groups);
  write_group_register(s, LOOM_SWITCH_REG_GROUP_HASH, rng_below(r, 4));
  if (rng_chance(r, 64))
    write_group_register(s, LOOM_SWITCH_REG_GROUP_SLS, (uint32_t)rng_next(r));
  for (uint32_t k = 0; k < LOOM_SWITCH_REG_GROUP_LOAD_WORDS; k++)
    if (rng_chance(r, 224))
      switch_plan_write(s, LOOM_SWITCH_REG_GROUP_LOAD + k, some_threshold(s));
}

uint8_t switch_groups_entry(struct switch_state *s) {
  struct rng *r = &s->ends.rng;
  uint32_t mode = rng_range(r, 1, MODES - 1);
  uint32_t group = rng_below(r, rng_chance(r, 8) ? 64 : s->plan.groups);
  return (uint8_t)(mode << LOOM_SWITCH_REG_LFT_MODE_AT | group);
}

/* ---- the bus while traffic runs -------------------------------------------------------------- */

static struct switch_access write_to(uint32_t addr, uint32_t data) {
  return (struct switch_access){.we = true, .addr = addr, .data = data};
}

static uint32_t some_group(struct switch_state *s) {
  return rng_below(&s->ends.rng, s->plan.groups);
}

struct switch_access switch_groups_read(struct switch_state *s) {
  struct rng *r = &s->ends.rng;
  uint32_t addr;
  switch (rng_below(r, 4)) {
  case 0:
    addr = LOOM_SWITCH_REG_GROUP_COUNT + rng_below(r, 6);
    break;
  case 1:
    addr = LOOM_SWITCH_REG_GROUP_MEMBERS + rng_below(r, 2 * s->plan.groups + 3);
    break;
  case 2:
    addr = LOOM_SWITCH_REG_GROUP_SLOTS + rng_below(r, SWITCH_SLOTS * s->plan.groups + 66);
    break;
  default:
    addr = switch_of_port(any_port(s), LOOM_SWITCH_WIN_GROUP_FREE + rng_below(r, 4));
  }
  return (struct switch_access){.re = true, .addr = addr};
}

/* A group that is not there: nothing is kept. */
static struct switch_access write_beyond(struct switch_state *s) {
  struct rng *r = &s->ends.rng;
  uint32_t group = rng_range(r, s->facts.groups, 63), data = (uint32_t)rng_next(r);
  return rng_chance(r, 128)
             ? write_to(LOOM_SWITCH_REG_GROUP_MEMBERS + 2 * group + rng_below(r, 2), data)
             : write_to(LOOM_SWITCH_REG_GROUP_SLOTS + SWITCH_SLOTS * group + rng_below(r, 64),
                        data);
}

/* What stands there, and bits that are not kept. */
static struct switch_access write_same(struct switch_state *s) {
  const struct switch_groups *g = &s->plan.tables.groups;
  struct rng *r = &s->ends.rng;
  uint32_t junk = (uint32_t)rng_next(r), group = some_group(s), slot = rng_below(r, SWITCH_SLOTS);
  switch (rng_below(r, 5)) {
  case 0:
    return write_to(LOOM_SWITCH_REG_GROUP_COUNT, g->count | junk << 16);
  case 1:
    return write_to(LOOM_SWITCH_REG_GROUP_HASH, g->hash | junk << 2);
  case 2:
    return write_to(LOOM_SWITCH_REG_GROUP_SLS, g->sls);
  case 3:
    if (s->facts.ports >= 32)
      junk = 0;
    return write_to(LOOM_SWITCH_REG_GROUP_MEMBERS + 2 * group,
                    (uint32_t)g->members[group] | junk << (s->facts.ports & 31));
  default:
    return write_to(LOOM_SWITCH_REG_GROUP_SLOTS + SWITCH_SLOTS * group + slot,
                    g->slots[group][slot] | junk << 6);
  }
}

/* Other members, another port that exists, another part of the hash, other SLs: each of them is
 * legal by itself, so every packet still comes out. */
static struct switch_access write_other(struct switch_state *s) {
  struct rng *r = &s->ends.rng;
  uint32_t group = some_group(s), half = rng_below(r, s->facts.ports > 32 ? 2 : 1);
  switch (rng_below(r, 8)) {
  case 0:
    return write_to(LOOM_SWITCH_REG_GROUP_HASH, rng_below(r, 4));
  case 1:
    return write_to(LOOM_SWITCH_REG_GROUP_SLS, (uint32_t)rng_bits(r, 32, 200));
  case 2:
  case 3:
    return write_to(LOOM_SWITCH_REG_GROUP_MEMBERS + 2 * group + half,
                    (uint32_t)(some_members(s) >> 32 * half));
  default:
    return write_to(LOOM_SWITCH_REG_GROUP_SLOTS + SWITCH_SLOTS * group + rng_below(r, SWITCH_SLOTS),
                    any_port(s));
  }
}

struct switch_access switch_groups_same(struct switch_state *s) {
  struct rng *r = &s->ends.rng;
  if (rng_chance(r, 48))
    return write_to(LOOM_SWITCH_REG_GROUP_LOAD + rng_below(r, LOOM_SWITCH_REG_GROUP_LOAD_WORDS),
                    some_threshold(s) | (uint32_t)rng_next(r) << 13);
  if (s->facts.groups < 64 && rng_chance(r, 16))
    return write_beyond(s);
  return s->plan.moving ? write_other(s) : write_same(s);
}

struct switch_access switch_groups_write(struct switch_state *s) {
  struct rng *r = &s->ends.rng;
  uint32_t most =
      s->plan.groups == s->facts.groups && rng_chance(r, 32) ? 0x10000 : s->plan.groups + 1;
  uint32_t group = some_group(s), junk = (uint32_t)rng_next(r);
  switch (rng_below(r, 6)) {
  case 0:
    return write_to(LOOM_SWITCH_REG_GROUP_COUNT, rng_below(r, most));
  case 1:
    return write_to(LOOM_SWITCH_REG_GROUP_COUNT, s->plan.groups);
  case 2:
    return write_to(LOOM_SWITCH_REG_GROUP_MEMBERS + 2 * group + rng_below(r, 2), junk);
  case 3:
    return write_to(LOOM_SWITCH_REG_GROUP_SLOTS + SWITCH_SLOTS * group + rng_below(r, SWITCH_SLOTS),
                    junk);
  case 4:
    return write_other(s);
  default:
    return switch_groups_same(s);
  }
}

/* SPDX-License-Identifier: Apache-2.0 */
/* switch_kns.c - addresses of kns_node and kns_switch in place of LIDs, from docs/kns.md; see
 * switch_traffic.h
 */
#include "tb/cosim/switch_traffic.h"

enum { ON = 1 << LOOM_KNS_REG_ADDRESS_ON_AT, HIGHEST = 0xBFFF };

/* ---- addresses ------------------------------------------------------------------------------- */

static uint32_t host_bits(const struct switch_facts *f) { return loom_clog2(f->hosts); }

/* Bits below the prefix. */
static uint32_t low_bits(const struct switch_facts *f) { return host_bits(f) + f->dims * f->w; }

static uint32_t field(uint32_t address, uint32_t at, uint32_t bits) {
  return address >> at & ((1u << bits) - 1);
}

static uint32_t coordinate(const struct switch_facts *f, uint32_t address, uint32_t d) {
  return field(address, host_bits(f) + d * f->w, f->w);
}

static void set_coordinate(const struct switch_facts *f, uint32_t *address, uint32_t d,
                           uint32_t value) {
  uint32_t at = host_bits(f) + d * f->w;
  *address = (*address & ~(((1u << f->w) - 1) << at)) | value << at;
}

static uint32_t out_of_node(const struct switch_facts *f, uint32_t own, uint32_t dest) {
  uint32_t host = field(dest, 0, host_bits(f));
  for (uint32_t d = 0; d < f->dims; d++)
    if (coordinate(f, dest, d) != coordinate(f, own, d))
      return f->hosts + d;
  return host < f->hosts ? host : SWITCH_NONE;
}

uint32_t switch_kns_port_for(const struct switch_facts *f, const struct switch_tables *t,
                             uint32_t dest) {
  uint32_t prefix = field(t->address, low_bits(f), 16 - low_bits(f));
  if (!(t->address & ON) || dest >> low_bits(f) != prefix)
    return SWITCH_NONE;
  if (f->finds == FINDS_NODE)
    return out_of_node(f, t->address, dest);
  if (t->dimension >= f->dims)
    return SWITCH_NONE;
  uint32_t out = coordinate(f, dest, t->dimension);
  return out < f->ports ? out : SWITCH_NONE;
}

uint32_t switch_kns_reach(const struct switch_facts *f) {
  return f->finds == FINDS_NODE ? f->ports : loom_min(f->ports, 1u << f->w);
}

uint16_t switch_kns_address(struct switch_state *s, uint32_t port) {
  const struct switch_facts *f = &s->facts;
  const struct switch_tables *t = &s->plan.tables;
  struct rng *r = &s->ends.rng;
  uint32_t low = rng_below(r, 1u << low_bits(f)), own = t->address & 0xFFFF;
  if (f->finds == FINDS_DIMENSION) {
    set_coordinate(f, &low, t->dimension % f->dims, port);
  } else if (port >= f->hosts) {
    uint32_t d = port - f->hosts, here = coordinate(f, own, d);
    for (uint32_t k = 0; k < d; k++)
      set_coordinate(f, &low, k, coordinate(f, own, k));
    set_coordinate(f, &low, d, here ^ rng_range(r, 1, (1u << f->w) - 1));
  } else {
    low = (own >> host_bits(f) << host_bits(f) | port) & ((1u << low_bits(f)) - 1);
  }
  return (uint16_t)(own >> low_bits(f) << low_bits(f) | low);
}

uint16_t switch_kns_any(struct switch_state *s) {
  const struct switch_facts *f = &s->facts;
  struct rng *r = &s->ends.rng;
  uint32_t own = s->plan.tables.address & 0xFFFF, all = 1u << low_bits(f), address = own;
  switch (rng_below(r, 5)) {
  case 0:
    return (uint16_t)rng_next(r);
  case 1: /* another prefix, by one bit */
    return (uint16_t)(own ^ 1u << rng_range(r, low_bits(f), 15));
  case 2: /* this fabric: coordinates and hosts that may not exist */
    return (uint16_t)((own & ~(all - 1)) | rng_below(r, all));
  case 3: /* the last coordinate of some dimension */
    set_coordinate(f, &address, rng_below(r, f->dims), (1u << f->w) - 1);
    return (uint16_t)address;
  default: /* a host of this node that may not exist */
    return (uint16_t)(own ^ rng_below(r, 1u << host_bits(f)));
  }
}

/* ---- registers ------------------------------------------------------------------------------- */

static void write_place(struct switch_state *s) {
  const struct switch_tables *t = &s->plan.tables;
  switch_plan_write(s, LOOM_KNS_REG_ADDRESS, t->address);
  if (s->facts.finds == FINDS_DIMENSION)
    switch_plan_write(s, LOOM_KNS_REG_DIMENSION, t->dimension);
}

static void draw_place(struct switch_state *s) {
  struct rng *r = &s->ends.rng;
  s->plan.tables.lids = 0;
  s->plan.tables.address = (uint32_t)ON | rng_range(r, 1, HIGHEST);
  s->plan.tables.dimension = rng_below(r, s->facts.dims);
}

void switch_kns_plan(struct switch_state *s) {
  draw_place(s);
  write_place(s);
}

void switch_kns_plan_random(struct switch_state *s) {
  struct rng *r = &s->ends.rng;
  struct switch_tables *t = &s->plan.tables;
  draw_place(s);
  if (rng_chance(r, 128)) /* destinations that do not exist */
    s->plan.bad = rng_range(r, 20, 80);
  if (rng_chance(r, 8))
    t->address &= ~(uint32_t)ON;
  if (rng_chance(r, 8))
    t->dimension = s->facts.finds == FINDS_DIMENSION ? rng_below(r, 4) : 0;
  write_place(s);
}

static struct switch_access write_to(uint32_t addr, uint32_t data) {
  return (struct switch_access){.we = true, .addr = addr, .data = data};
}

/* Bits that are not there, a register or an LFT that is not there, and what stands there. */
struct switch_access switch_kns_same(struct switch_state *s) {
  const struct switch_tables *t = &s->plan.tables;
  struct rng *r = &s->ends.rng;
  uint32_t junk = (uint32_t)rng_next(r);
  switch (rng_below(r, 4)) {
  case 0:
    return write_to(LOOM_KNS_REG_ADDRESS, t->address | junk << 17);
  case 1:
    return write_to(LOOM_KNS_REG_DIMENSION,
                    s->facts.finds == FINDS_NODE ? junk : t->dimension | junk << 2);
  case 2:
    return write_to(LOOM_SWITCH_REG_LFT + rng_below(r, 65536), junk);
  default:
    return write_to(rng_chance(r, 128) ? LOOM_SWITCH_REG_LFT_COUNT
                                       : LOOM_KNS_REG_ADDRESS + rng_range(r, 2, 15),
                    junk);
  }
}

/* Most of the time the place of the plan, so that packets go somewhere. */
struct switch_access switch_kns_write(struct switch_state *s) {
  const struct switch_facts *f = &s->facts;
  const struct switch_tables *t = &s->plan.tables;
  struct rng *r = &s->ends.rng;
  switch (rng_below(r, 12)) {
  case 0: /* off, or on */
    return write_to(LOOM_KNS_REG_ADDRESS, t->address ^ ON);
  case 1: /* another node of this fabric */
    return write_to(LOOM_KNS_REG_ADDRESS, t->address ^ rng_below(r, 1u << low_bits(f)));
  case 2:
    return write_to(LOOM_KNS_REG_ADDRESS, (uint32_t)ON | switch_kns_any(s));
  case 3:
    return write_to(LOOM_KNS_REG_ADDRESS, (uint32_t)rng_next(r));
  case 4:
  case 5:
    return write_to(LOOM_KNS_REG_DIMENSION, rng_below(r, 4));
  case 6:
  case 7:
    return write_to(LOOM_KNS_REG_DIMENSION, t->dimension);
  default:
    return write_to(LOOM_KNS_REG_ADDRESS, t->address);
  }
}

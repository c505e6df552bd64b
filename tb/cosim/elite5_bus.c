/* SPDX-License-Identifier: Apache-2.0 */
/* elite5_bus.c - the register bus of a run of an Elite5 router, see elite5_traffic.h
 *
 * First the writes of the plan, then whatever is queued, then what is drawn; at the end of a judged
 * run the traps and all that the judge wants to know of each link.
 */
#include "tb/cosim/elite5_traffic.h"

enum { SWEEP_REGISTERS = 19, TRAP_WORDS = 16 };

static struct elite5_access write_to(uint32_t addr, uint32_t data) {
  return (struct elite5_access){.we = true, .addr = addr, .data = data};
}

static struct elite5_access read_of(uint32_t addr) {
  return (struct elite5_access){.re = true, .addr = addr};
}

static void queue(struct elite5_ends *e, struct elite5_access a) {
  const uint32_t room = sizeof e->queue / sizeof e->queue[0];
  if (e->queued - e->queue_done < room)
    e->queue[e->queued++ % room] = a;
}

void elite5_bus_queue(struct elite5_state *s, uint32_t addr, uint32_t data) {
  queue(&s->ends, write_to(addr, data));
}

void elite5_bus_read_all(struct elite5_state *s, uint32_t at) {
  for (uint32_t l = 0; l < s->facts.links; l++)
    queue(&s->ends, read_of(elite5_of_link(l, at)));
}

void elite5_bus_read_traps(struct elite5_state *s) {
  for (uint32_t k = 0; k < TRAP_WORDS; k++)
    queue(&s->ends, read_of(LOOM_ELITE5_REG_TRAP));
}

static uint32_t some_link(struct elite5_state *s) {
  return rng_chance(&s->ends.rng, 24) ? (uint32_t)LOOM_ELITE5_REG_ALL_LINKS
                                      : rng_below(&s->ends.rng, s->facts.links + 1);
}

static struct elite5_access some_read(struct elite5_state *s) {
  const struct elite5_tables *t = &s->plan.tables;
  struct rng *r = &s->ends.rng;
  switch (rng_below(r, 8)) {
  case 0:
    return read_of(LOOM_ELITE5_REG_TRAP);
  case 1:
    return read_of(rng_below(r, 0x20));
  case 2:
    return read_of(LOOM_ELITE5_REG_DEST + rng_below(r, t->dest_count + 2));
  case 3:
    return read_of(LOOM_ELITE5_REG_MASK + rng_below(r, 2 * t->class_count + 4));
  case 4:
    return read_of(LOOM_ELITE5_REG_MASK + 2 * s->facts.classes +
                   rng_below(r, 4 * t->group_count + 8));
  case 5:
    return read_of(rng_below(r, 1 << 20));
  default:
    return read_of(elite5_of_link(some_link(s), rng_below(r, 0x30)));
  }
}

/* Nothing that changes where packets may go. */
static struct elite5_access harmless_write(struct elite5_state *s) {
  const struct elite5_tables *t = &s->plan.tables;
  struct rng *r = &s->ends.rng;
  uint32_t at;
  switch (rng_below(r, 6)) {
  case 0:
    return write_to(LOOM_ELITE5_REG_CONTROL, rng_below(r, 8));
  case 1:
    return write_to(LOOM_ELITE5_REG_THRESHOLD, rng_below(r, 64));
  case 2:
    return write_to(LOOM_ELITE5_REG_SEED, (uint32_t)rng_next(r));
  case 3:
    at = rng_below(r, t->dest_count);
    return write_to(LOOM_ELITE5_REG_DEST + at, t->class_of[at]);
  case 4:
    at = rng_below(r, t->class_count);
    return write_to(LOOM_ELITE5_REG_MASK + 2 * at + t->class[at].all, t->class[at].mask);
  default: /* read only, or nothing there */
    return write_to(elite5_of_link(some_link(s), rng_range(r, 8, 0x40)), (uint32_t)rng_next(r));
  }
}

/* Anything, but counts only as far as the tables were written. */
static struct elite5_access any_write(struct elite5_state *s) {
  const struct elite5_tables *t = &s->plan.tables;
  struct rng *r = &s->ends.rng;
  uint32_t data = rng_chance(r, 128) ? rng_below(r, 64) : (uint32_t)rng_next(r);
  switch (rng_below(r, 12)) {
  case 0:
    return write_to(LOOM_ELITE5_REG_DEST_COUNT, rng_below(r, t->dest_count + 1));
  case 1:
    return write_to(LOOM_ELITE5_REG_CLASS_COUNT, rng_below(r, t->class_count + 1));
  case 2:
    return write_to(LOOM_ELITE5_REG_GROUP_COUNT, rng_below(r, t->group_count + 1));
  case 3:
    return write_to(rng_range(r, 7, 0x20), data);
  case 4:
    return write_to(LOOM_ELITE5_REG_DEST + rng_below(r, t->dest_count), data);
  case 5:
    return write_to(LOOM_ELITE5_REG_MASK + rng_below(r, 2 * t->class_count), (uint32_t)rng_next(r));
  case 6:
    return write_to(LOOM_ELITE5_REG_MASK + 2 * s->facts.classes +
                        rng_below(r, 4 * t->group_count + 4),
                    (uint32_t)rng_next(r));
  case 7:
    return write_to(elite5_of_link(some_link(s), LOOM_ELITE5_REG_LINK_CONTROL),
                    rng_chance(r, 200) ? FLAG_ENABLE | FLAG_QUICK : rng_below(r, 16));
  case 8:
    return write_to(elite5_of_link(some_link(s), rng_range(r, 1, 0x40)), rng_below(r, 64));
  default:
    return harmless_write(s);
  }
}

/* The traps, as many as there may be, then the registers of each link. */
static struct elite5_access sweep(struct elite5_state *s) {
  uint32_t k = s->ends.swept++, traps = TRAP_WORDS + 2 * s->facts.links;
  if (k < traps)
    return read_of(LOOM_ELITE5_REG_TRAP);
  k -= traps;
  uint32_t link = k / SWEEP_REGISTERS, at = k % SWEEP_REGISTERS;
  static const uint8_t state[] = {LOOM_ELITE5_REG_LINK_STATE, LOOM_ELITE5_REG_LINK_ALLOCATED,
                                  LOOM_ELITE5_REG_LINK_NOT_IDLE, LOOM_ELITE5_REG_LINK_PENDING};
  if (link >= s->facts.links)
    return (struct elite5_access){0};
  return read_of(elite5_of_link(link, at < sizeof state ? state[at]
                                                        : LOOM_ELITE5_REG_LINK_WORDS_IN + at -
                                                              (uint32_t)sizeof state));
}

struct elite5_access elite5_bus(struct elite5_state *s, uint64_t cycle) {
  const struct elite5_plan *p = &s->plan;
  struct elite5_ends *e = &s->ends;
  if (e->written < p->writes)
    return p->write[e->written++];
  if (e->queued != e->queue_done)
    return e->queue[e->queue_done++ % (sizeof e->queue / sizeof e->queue[0])];
  if (p->sweep && cycle >= p->sweep)
    return elite5_judged(p) ? sweep(s) : (struct elite5_access){0};
  if (!e->bus || cycle < p->start || !rng_chance(&e->rng, e->bus))
    return (struct elite5_access){0};
  if (rng_chance(&e->rng, 150))
    return some_read(s);
  return p->loose ? any_write(s) : harmless_write(s);
}

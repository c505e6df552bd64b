/* SPDX-License-Identifier: Apache-2.0 */
/* elite5_plan.c - tables, limits and traffic of a run of an Elite5 router, see elite5_traffic.h */
#include "tb/cosim/elite5_traffic.h"

enum {
  QUIET = 12000, /* nothing new from then on */
  SWEEP = 18000, /* all registers are read */
  MANY = 128,    /* entries of a table */
  SOME = 20,
  SETTLE = 40,  /* cycles until the links are up */
  BUDGET = 2500 /* words that a link carries off until then, whatever else there is */
};

struct elite5_way elite5_route(const struct elite5_facts *f, const struct elite5_tables *t,
                               uint32_t link, uint32_t vc, uint32_t type, uint32_t dest) {
  struct elite5_way w = {.cause = TRAP_NONE};
  bool conditional = type == LOOM_ELITE5_CONDITIONAL;
  bool group = type == LOOM_ELITE5_BROADCAST || (conditional && dest & LOOM_ELITE5_GROUP_BIT);
  uint32_t at = conditional ? dest & LOOM_ELITE5_DEST_MASK : dest;
  if (group != (vc >= f->unicast_vcs)) {
    w.cause = TRAP_CLASS;
  } else if (group) {
    if (at < t->group_count)
      w.set = t->group[at][t->uplinks >> link & 1];
    else
      w.cause = TRAP_NO_ROUTE;
  } else if (at < t->dest_count && t->class_of[at] < t->class_count) {
    w.set = t->class[t->class_of[at]];
  } else {
    w.cause = TRAP_NO_ROUTE;
  }
  return w;
}

/* ---- writing it down ------------------------------------------------------------------------- */

void elite5_plan_write(struct elite5_state *s, uint32_t addr, uint32_t data) {
  struct elite5_plan *p = &s->plan;
  if (p->writes < ELITE5_WRITES)
    p->write[p->writes++] = (struct elite5_access){.we = true, .addr = addr, .data = data};
}

static void write_set(struct elite5_state *s, uint32_t entry, const struct elite5_set *set) {
  elite5_plan_write(s, LOOM_ELITE5_REG_MASK + 2 * entry + set->all, set->mask);
}

void elite5_plan_tables(struct elite5_state *s) {
  const struct elite5_tables *t = &s->plan.tables;
  for (uint32_t d = 0; d < t->dest_count; d++)
    elite5_plan_write(s, LOOM_ELITE5_REG_DEST + d, t->class_of[d]);
  for (uint32_t c = 0; c < t->class_count; c++)
    write_set(s, c, &t->class[c]);
  for (uint32_t g = 0; g < t->group_count; g++)
    for (uint32_t up = 0; up < 2; up++)
      write_set(s, s->facts.classes + 2 * g + up, &t->group[g][up]);
  elite5_plan_write(s, LOOM_ELITE5_REG_UPLINKS, t->uplinks);
  elite5_plan_write(s, LOOM_ELITE5_REG_DEST_COUNT, t->dest_count);
  elite5_plan_write(s, LOOM_ELITE5_REG_CLASS_COUNT, t->class_count);
  elite5_plan_write(s, LOOM_ELITE5_REG_GROUP_COUNT, t->group_count);
}

void elite5_plan_links(struct elite5_state *s) {
  for (uint32_t l = 0; l < s->facts.links; l++) {
    const struct elite5_cable *c = &s->plan.cable[l];
    elite5_plan_write(s, elite5_of_link(l, LOOM_ELITE5_REG_LINK_EXPECTED), c->expected);
    elite5_plan_write(s, elite5_of_link(l, LOOM_ELITE5_REG_LINK_VC_LIMIT), c->vc_limit);
    elite5_plan_write(s, elite5_of_link(l, LOOM_ELITE5_REG_LINK_CAP), c->cap);
    elite5_plan_write(s, elite5_of_link(l, LOOM_ELITE5_REG_LINK_CONTROL), c->flags);
  }
  if (!s->plan.start)
    s->plan.start = s->plan.writes + SETTLE;
}

/* ---- a plain plan ---------------------------------------------------------------------------- */

static void plain_cable(struct elite5_state *s, uint32_t link) {
  s->plan.cable[link] = (struct elite5_cable){.alive = true,
                                              .flags = FLAG_ENABLE | FLAG_QUICK,
                                              .chip = 0x100 + link,
                                              .number = 255 - link,
                                              .protocol = s->plan.protocol,
                                              .vc_limit = s->facts.vcs,
                                              .cap = LOOM_ELITE5_REG_ALL_LINKS};
  s->plan.cable[link].expected = (0x100 + link) << 8 | (255 - link);
}

void elite5_plan_plain(struct elite5_state *s) {
  const struct elite5_facts *f = &s->facts;
  struct elite5_plan *p = &s->plan;
  struct elite5_tables *t = &p->tables;
  p->protocol = 0x51;
  p->prbs_words = 1024;
  t->class_count = loom_min(f->links, f->classes);
  t->dest_count = loom_min(t->class_count, f->dests);
  for (uint32_t d = 0; d < t->dest_count; d++) {
    t->class_of[d] = (uint16_t)d;
    t->class[d].mask = 1u << d;
  }
  for (uint32_t l = 0; l < f->links; l++) {
    plain_cable(s, l);
    s->ends.receiver[l].give = 256;
  }
  p->traffic.vcs = (uint32_t)loom_mask(f->vcs);
  p->traffic.shortest = p->traffic.longest = 4;
  p->traffic.pattern = PATTERN_OTHERS;
}

/* ---- a random plan --------------------------------------------------------------------------- */

/* One link, a few, most, all, now and then none. */
uint32_t elite5_some_links(struct elite5_state *s) {
  struct rng *r = &s->ends.rng;
  uint32_t links = s->facts.links, all = (uint32_t)loom_mask(links);
  uint32_t one = 1u << rng_below(r, links);
  switch (rng_below(r, 8)) {
  case 0:
    return all;
  case 1:
    return rng_chance(r, 64) ? 0 : all & ~one;
  case 2:
  case 3:
    return one;
  case 4:
    return (uint32_t)rng_bits(r, links, 200) | one;
  default:
    return (uint32_t)rng_bits(r, links, 60) | one;
  }
}

static void random_tables(struct elite5_state *s) {
  const struct elite5_facts *f = &s->facts;
  struct elite5_tables *t = &s->plan.tables;
  struct rng *r = &s->ends.rng;
  t->class_count = rng_range(r, 1, loom_min(f->classes, rng_chance(r, 128) ? 8 : MANY));
  t->dest_count = rng_range(r, 1, loom_min(f->dests, MANY));
  t->group_count = rng_range(r, rng_chance(r, 200), loom_min(f->groups, SOME));
  t->uplinks = (uint32_t)rng_bits(r, f->links, 90);
  for (uint32_t c = 0; c < t->class_count; c++)
    t->class[c] = (struct elite5_set){.mask = elite5_some_links(s), .all = rng_chance(r, 40)};
  for (uint32_t d = 0; d < t->dest_count; d++)
    t->class_of[d] =
        (uint16_t)(rng_chance(r, 2) ? rng_below(r, 4096) : rng_below(r, t->class_count));
  for (uint32_t g = 0; g < t->group_count; g++)
    for (uint32_t up = 0; up < 2; up++)
      t->group[g][up] =
          (struct elite5_set){.mask = elite5_some_links(s), .all = rng_chance(r, 180)};
}

static void random_control(struct elite5_state *s) {
  struct elite5_plan *p = &s->plan;
  struct rng *r = &s->ends.rng;
  p->mode = rng_below(r, 8);
  elite5_plan_write(s, LOOM_ELITE5_REG_CONTROL, p->mode);
  elite5_plan_write(s, LOOM_ELITE5_REG_THRESHOLD,
                    rng_chance(r, 128) ? rng_below(r, 4) : rng_below(r, 64));
  elite5_plan_write(s, LOOM_ELITE5_REG_SEED, (uint32_t)rng_next(r));
  if (rng_chance(r, 64)) {
    p->expire = rng_range(r, 4, 2000);
    elite5_plan_write(s, LOOM_ELITE5_REG_EXPIRE, p->expire);
  }
  p->protocol = rng_chance(r, 128) ? 0x51 : rng_below(r, 256);
  p->chip = rng_below(r, 65536);
  p->prbs_words = rng_range(r, 1, 200);
  elite5_plan_write(s, LOOM_ELITE5_REG_PROTOCOL, p->protocol);
  elite5_plan_write(s, LOOM_ELITE5_REG_CHIP_ID, p->chip);
  elite5_plan_write(s, LOOM_ELITE5_REG_PRBS_WORDS, p->prbs_words);
  elite5_plan_write(s, LOOM_ELITE5_REG_PRBS_LIMIT, rng_below(r, 4));
  elite5_plan_write(s, LOOM_ELITE5_REG_TIMEOUT,
                    rng_chance(r, 64) ? 0 : rng_range(r, 2 * p->prbs_words + 300, 2000));
  elite5_plan_write(s, LOOM_ELITE5_REG_WINDOW, rng_chance(r, 128) ? 65536 : rng_below(r, 2000));
  elite5_plan_write(s, LOOM_ELITE5_REG_LIMIT_REDUNDANT, rng_below(r, 20));
  elite5_plan_write(s, LOOM_ELITE5_REG_LIMIT_SINGLE, rng_below(r, 1000));
}

/* A link that comes up without faults, or with one of all that can be wrong at first. */
static void random_cable(struct elite5_state *s, uint32_t link, bool trouble) {
  struct rng *r = &s->ends.rng;
  struct elite5_cable *c = &s->plan.cable[link];
  plain_cable(s, link);
  c->alive = !trouble || !rng_chance(r, 16);
  c->flags = FLAG_ENABLE | (rng_chance(r, 180) || !trouble ? (uint32_t)FLAG_QUICK : 0) |
             (rng_chance(r, 128) ? (uint32_t)FLAG_SINGLE : 0) |
             (rng_chance(r, 128) ? (uint32_t)FLAG_CHECK : 0);
  c->polite = rng_chance(r, 128);
  c->vc_limit = rng_chance(r, 128) ? s->facts.vcs : rng_range(r, 1, 63);
  c->cap = rng_chance(r, 160) ? LOOM_ELITE5_REG_ALL_LINKS : rng_range(r, 1, 8);
  if (!trouble || !rng_chance(r, 90))
    return;
  c->start = rng_below(r, 4000);
  switch (rng_below(r, 5)) {
  case 0:
    c->bit_errors = rng_range(r, 1, 8);
    break;
  case 1:
    c->chip ^= 1u << rng_below(r, 16);
    break;
  case 2:
    c->silent = true;
    break;
  case 3:
    c->protocol ^= 1;
    break;
  default: /* comes late, no more */
    break;
  }
}

static void random_traffic(struct elite5_state *s) {
  static const uint32_t longest[] = {1, 4, 8, 40, 133};
  struct elite5_traffic *t = &s->plan.traffic;
  struct rng *r = &s->ends.rng;
  t->pattern = PATTERN_TABLES;
  t->shortest = 1;
  t->longest = longest[rng_below(r, 5)];
  t->odd = rng_chance(r, 128) ? rng_below(r, 64) : 0;
  t->load = rng_chance(r, 80) ? 0 : 0.02 + rng_below(r, 256) / 200.0;
  t->vcs = (uint32_t)loom_mask(s->facts.vcs);
  if (rng_chance(r, 128))
    t->vcs &= (uint32_t)rng_bits(r, s->facts.vcs, 160) | 1u << rng_below(r, s->facts.vcs);
  t->groups = rng_chance(r, 180) ? rng_below(r, 128) : 0;
  t->conditionals = rng_chance(r, 128) ? rng_below(r, 128) : 0;
  t->priorities = rng_chance(r, 128) ? rng_range(r, 1, 256) : 0;
  t->bad = rng_chance(r, 128) ? rng_below(r, 16) : 0;
  t->weave = rng_chance(r, 128);
  t->gap = rng_chance(r, 128) ? 0 : rng_below(r, 200);
  t->corrupt = rng_chance(r, 128) ? 0 : rng_below(r, rng_chance(r, 128) ? 64 : 800);
  t->budget = BUDGET;
}

void elite5_plan_random(struct elite5_state *s) {
  struct elite5_plan *p = &s->plan;
  struct rng *r = &s->ends.rng;
  uint32_t kind = rng_below(r, 10);
  bool trouble = rng_chance(r, 128);
  p->random = true;
  p->loose = kind == 0 || kind == 1;
  p->rude = kind == 2 || kind == 3;
  random_tables(s);
  elite5_plan_tables(s);
  random_control(s);
  for (uint32_t l = 0; l < s->facts.links; l++)
    random_cable(s, l, trouble);
  random_traffic(s);
  elite5_plan_links(s);
  p->calm = !trouble;
  p->faults = trouble ? rng_below(r, 200) : 0;
  p->patience = rng_range(r, 1000, 1500);
  p->quiet_from = QUIET;
  p->sweep = SWEEP;
  p->end = ELITE5_EPISODE - SETTLE;
}

/* What changes from phase to phase: how the receivers answer, how busy the bus is. */
void elite5_new_phase(struct elite5_state *s, uint64_t cycle) {
  static const uint32_t give[] = {0, 8, 40, 128, 256, 256, 256};
  struct elite5_receiving *v = &s->plan.receiving;
  struct elite5_ends *e = &s->ends;
  struct rng *r = &e->rng;
  bool quiet = cycle >= s->plan.quiet_from;
  bool alike = rng_chance(r, 100);
  uint32_t all = give[rng_below(r, 7)];
  for (uint32_t l = 0; l < s->facts.links; l++)
    e->receiver[l].give = quiet ? 256 : alike ? all : give[rng_below(r, 7)];
  e->bus = rng_chance(r, 128) ? 4 : rng_chance(r, 128) ? 60 : 256;
  v->nack = quiet || rng_chance(r, 128) ? 0 : rng_below(r, 100);
  v->soonest = quiet || rng_chance(r, 128) ? 0 : rng_below(r, 200);
  v->longest = v->soonest + (quiet || rng_chance(r, 128) ? 0 : rng_below(r, 300));
  if (quiet)
    s->plan.traffic.corrupt = s->plan.traffic.gap = 0;
  uint64_t length = rng_range(r, 50, 2500);
  bool last = !quiet && cycle + length > s->plan.quiet_from;
  e->phase_end = last ? s->plan.quiet_from : cycle + length;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* port_group.c - traffic for port_group: heads in every cycle and now and then, entries of all
 * modes, groups that are there and not, ports of all classes; all tables are rewritten under the
 * lookups, often the words that are read, and groups beyond the last one are written, too
 *
 * Memories are undefined after reset: `count` takes in a group only when all of its words were
 * written. */
#include "switch/port_group.h"

#include <loom/head.h>

#define DUT_NAME port_group
#define DUT_LIST "switch/port_group.def"
#include "tb/cosim/dut.h"

enum { SLOTS = LOOM_GROUP_SLOTS, FLOWS = 16, CLASSES = 4, BY_PORT = 0, BY_LOAD = 3, MODES };

struct state {
  struct rng rng;
  struct loom_port_group_cfg cfg;
  uint32_t used;                            /* groups that are written at all */
  uint32_t filled;                          /* words of slots that were written in order */
  uint32_t head, known, load, write, moves; /* chances in 256 */
  uint32_t rising;                          /* chance of ports whose bits are those of a class */
  uint32_t focus;                           /* a group that lookups and writes prefer */
  uint32_t few;                             /* heads of some flows only */
  uint64_t flow[FLOWS];
  uint64_t above[48];
  uint32_t hash, sls;
  uint64_t phase_end;
  bool had_head; /* in the last cycle */
};

static void init(void *st, struct rng *rng, const void *cfg, const struct scenario *sc) {
  struct state *s = st;
  (void)sc;
  s->rng = *rng;
  s->cfg = *(const struct loom_port_group_cfg *)cfg;
  s->used = rng_chance(&s->rng, 128) ? s->cfg.GROUPS : rng_range(&s->rng, 1, s->cfg.GROUPS);
}

static void new_phase(struct state *s, uint64_t cycle) {
  static const uint32_t chance[] = {0, 16, 128, 240, 256};
  s->head = chance[1 + rng_below(&s->rng, 4)];
  s->known = chance[2 + rng_below(&s->rng, 3)];
  s->load = chance[rng_below(&s->rng, 5)];
  s->write = chance[rng_below(&s->rng, 4)];
  s->moves = chance[rng_below(&s->rng, 5)];
  s->rising = chance[rng_below(&s->rng, 5)];
  s->few = chance[rng_below(&s->rng, 5)];
  s->focus = rng_below(&s->rng, s->used);
  for (uint32_t i = 0; i < FLOWS; i++)
    s->flow[i] = rng_bits(&s->rng, 64, 128);
  s->hash = rng_below(&s->rng, 4);
  s->sls = (uint32_t)rng_bits(&s->rng, 32, chance[1 + rng_below(&s->rng, 4)]);
  s->phase_end = cycle + rng_range(&s->rng, 20, 600);
}

/* ---- tables ---------------------------------------------------------------------------------- */

static uint64_t any_port(struct state *s) {
  return rng_below(&s->rng, rng_chance(&s->rng, 240) ? s->cfg.PORTS : SLOTS);
}

static uint64_t any_members(struct state *s) {
  static const uint32_t density[] = {0, 8, 32, 128, 256};
  return rng_bits(&s->rng, 32, density[rng_below(&s->rng, 5)]);
}

/* The words of the groups in order, so that each is written once. */
static void fill(struct state *s, struct loom_port_group_in *i) {
  i->slot_we = 1;
  i->slot_addr = s->filled;
  i->slot_data = any_port(s);
  i->members_we = s->filled % SLOTS < 2;
  i->members_addr = i->members_we ? s->filled / SLOTS * 2 + s->filled % SLOTS : 0;
  i->members_data = i->members_we ? any_members(s) : 0;
}

/* Groups that were never written stay so, but not those beyond the last one. */
static uint32_t written_group(struct state *s) {
  if (rng_chance(&s->rng, 128))
    return s->focus;
  if (s->cfg.GROUPS < 64 && rng_chance(&s->rng, 16))
    return rng_range(&s->rng, s->cfg.GROUPS, 63);
  return rng_below(&s->rng, s->used);
}

static void rewrite(struct state *s, struct loom_port_group_in *i) {
  if (rng_chance(&s->rng, s->write)) {
    i->slot_we = 1;
    i->slot_addr = written_group(s) * SLOTS + rng_below(&s->rng, SLOTS);
    i->slot_data = any_port(s);
  }
  if (rng_chance(&s->rng, s->write)) {
    i->members_we = 1;
    i->members_addr = 2 * written_group(s) + rng_below(&s->rng, 2);
    i->members_data = any_members(s);
  }
}

/* ---- lookups --------------------------------------------------------------------------------- */

static uint64_t any_flit(struct state *s) {
  uint64_t data =
      rng_chance(&s->rng, s->few) ? s->flow[rng_below(&s->rng, FLOWS)] : rng_bits(&s->rng, 64, 128);
  if (rng_chance(&s->rng, 208)) /* of no train */
    data &= ~(LOOM_PUT64(LOOM_HEAD_AFTER, 1) | LOOM_PUT64(LOOM_HEAD_MORE, 1));
  return data;
}

static uint32_t any_out(struct state *s) {
  if (rng_chance(&s->rng, 128))
    return s->focus;
  return rng_below(&s->rng, rng_chance(&s->rng, 192) ? s->used : 64);
}

/* For the flit of the last cycle; the rule of its ports is for heads alone. */
static void answer(struct state *s, struct loom_port_group_in *i) {
  bool load = rng_chance(&s->rng, s->load);
  i->found_mode = load ? BY_LOAD : rng_below(&s->rng, MODES);
  i->found_out = any_out(s);
  i->found_known = rng_chance(&s->rng, s->known);
  if (s->had_head && i->found_mode == BY_PORT && i->found_out >= s->cfg.PORTS)
    i->found_known = 0;
}

static void move_loads(struct state *s) {
  for (uint32_t o = 0; o < s->cfg.PORTS; o++)
    if (rng_chance(&s->rng, s->moves))
      s->above[o] = rng_chance(&s->rng, s->rising) ? loom_mask(rng_below(&s->rng, CLASSES))
                                                   : rng_below(&s->rng, 8);
}

static uint32_t any_count(struct state *s) {
  uint32_t ready = s->filled / SLOTS;
  return rng_chance(&s->rng, 240) ? ready : rng_below(&s->rng, ready + 1);
}

static void next(void *st, uint64_t cycle, const void *out, void *in) {
  struct state *s = st;
  struct loom_port_group_in *i = in;
  (void)out;
  if (cycle >= s->phase_end)
    new_phase(s, cycle);
  i->count = any_count(s); /* of groups that were written before this cycle */
  if (s->filled < s->used * SLOTS) {
    fill(s, i);
    s->filled++;
  } else {
    rewrite(s, i);
  }
  answer(s, i);
  move_loads(s);
  for (uint32_t o = 0; o < s->cfg.PORTS; o++)
    i->above[o] = s->above[o];
  i->head = rng_chance(&s->rng, s->head);
  i->vl = rng_below(&s->rng, 32);
  i->data = any_flit(s);
  i->hash = rng_chance(&s->rng, 8) ? rng_below(&s->rng, 4) : s->hash;
  i->sls = s->sls;
  s->had_head = i->head;
}

/* What was found, and what load picked. */
static void observe(void *st, uint64_t cycle, const void *in, const void *out, const void *probe,
                    struct stats *stats) {
  const struct loom_port_group_out *o = out;
  (void)st;
  (void)in;
  (void)probe;
  stats->grants += o->free;
  if (o->known) {
    struct packet_note n = {.cycle = cycle, .port = (uint32_t)o->port};
    stats->packets++;
    stats_note(stats, &n);
  }
}

static const struct stim stim = {
    .size = sizeof(struct state), .episode = 20000, .init = init, .next = next, .observe = observe};
const struct dut port_group_dut = DUT_INIT(&stim);

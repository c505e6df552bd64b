/* SPDX-License-Identifier: Apache-2.0 */
/* counter_bank.c - traffic for counter_bank: an add every cycle or now and then, one counter again
 * and again until its flits wrap, adds and reads of counters that are not there
 */
#include "parts/counter_bank.h"

#include <inttypes.h>

#define DUT_NAME counter_bank
#define DUT_LIST "parts/counter_bank.def"
#include "tb/cosim/dut.h"

enum { COUNTERS = 64, ADDS = 2 };

struct state {
  struct rng rng;
  struct loom_counter_bank_cfg cfg;
  uint32_t load, same; /* chances in 256 of an add, and that it is to the hot counter */
  uint32_t hot;
  uint64_t phase_end;
  /* What must stand in the counters: adds of the last two cycles are still under way. */
  uint32_t packets[COUNTERS], flits[COUNTERS];
  struct loom_counter_bank_in last[ADDS]; /* newest first */
  uint32_t read_packets, read_flits;      /* to be shown */
  char wrong[160];
};

static void init(void *st, struct rng *rng, const void *cfg, const struct scenario *sc) {
  struct state *s = st;
  (void)sc;
  s->rng = *rng;
  s->cfg = *(const struct loom_counter_bank_cfg *)cfg;
  s->hot = rng_below(&s->rng, s->cfg.DEPTH);
}

static void new_phase(struct state *s, uint64_t cycle) {
  static const uint32_t load[] = {8, 128, 256, 256, 256}, same[] = {0, 128, 240, 256};
  s->load = load[rng_below(&s->rng, 5)];
  s->same = same[rng_below(&s->rng, 4)];
  s->phase_end = cycle + rng_range(&s->rng, 20, 4000);
}

static uint32_t some_index(struct state *s) {
  uint32_t near = (s->hot + rng_below(&s->rng, 3)) % COUNTERS;
  return rng_chance(&s->rng, 128) ? near : rng_below(&s->rng, COUNTERS);
}

static void next(void *st, uint64_t cycle, const void *out, void *in) {
  struct state *s = st;
  struct loom_counter_bank_in *i = in;
  (void)out;
  if (cycle >= s->phase_end)
    new_phase(s, cycle);
  i->add = rng_chance(&s->rng, s->load);
  i->add_index = some_index(s);
  i->add_flits = rng_bits(&s->rng, 12, 128);
  if (rng_chance(&s->rng, s->same)) {
    i->add_index = s->hot;
    i->add_flits = loom_mask(12);
  }
  i->read_index = rng_chance(&s->rng, 128) ? i->add_index : some_index(s);
}

static void add(struct state *s, const struct loom_counter_bank_in *i) {
  if (!i->add || i->add_index >= s->cfg.DEPTH)
    return;
  s->packets[i->add_index]++;
  s->flits[i->add_index] += (uint32_t)i->add_flits;
}

static void observe(void *st, uint64_t cycle, const void *in, const void *out, const void *probe,
                    struct stats *stats) {
  const struct loom_counter_bank_in *i = in;
  const struct loom_counter_bank_out *o = out;
  struct state *s = st;
  (void)probe;
  if ((o->read_packets != s->read_packets || o->read_flits != s->read_flits) && !s->wrong[0])
    snprintf(s->wrong, sizeof s->wrong,
             "cycle %" PRIu64 ": read %" PRIu64 " packets %" PRIu64 " flits, must be %" PRIu32
             " and %" PRIu32,
             cycle, o->read_packets, o->read_flits, s->read_packets, s->read_flits);
  add(s, &s->last[1]);
  bool there = i->read_index < s->cfg.DEPTH;
  s->read_packets = there ? s->packets[i->read_index] : 0;
  s->read_flits = there ? s->flits[i->read_index] : 0;
  s->last[1] = s->last[0];
  s->last[0] = *i;
  stats->packets += i->add;
}

static bool check(const void *st, char *why, size_t why_size) {
  const struct state *s = st;
  if (s->wrong[0])
    snprintf(why, why_size, "%s", s->wrong);
  return !s->wrong[0];
}

/* Nothing, a long packet for one of two counters or a short one for a counter that is not there;
 * a read of each of them. */
enum { DEPTH = 9, INDEXES = 3 };

static uint32_t bfs_depth(const void *cfg) {
  (void)cfg;
  return DEPTH;
}

static uint32_t bfs_inputs(const void *cfg) {
  (void)cfg;
  return (1 + INDEXES) * INDEXES;
}

static bool bfs_input(const void *cfg, const void *twin, uint32_t i, void *in) {
  struct loom_counter_bank_in *b = in;
  uint32_t what = i / INDEXES;
  (void)cfg;
  (void)twin;
  b->read_index = i % INDEXES;
  b->add = what > 0;
  b->add_index = what ? what - 1 : 0;
  b->add_flits = what == 2 ? 1 : what ? loom_mask(12) : 0;
  return true;
}

static const struct stim stim = {.size = sizeof(struct state),
                                 .episode = 2000000,
                                 .init = init,
                                 .next = next,
                                 .observe = observe,
                                 .check = check,
                                 .bfs_depth = bfs_depth,
                                 .bfs_inputs = bfs_inputs,
                                 .bfs_input = bfs_input};
const struct dut counter_bank_dut = DUT_INIT(&stim);

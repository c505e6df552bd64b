/* SPDX-License-Identifier: Apache-2.0 */
/* lfsr.c - traffic for lfsr: long runs, pauses, new seeds, the seed 0 and its neighbours */
#include "parts/lfsr.h"

#define DUT_NAME lfsr
#define DUT_LIST "parts/lfsr.def"
#include "tb/cosim/dut.h"

struct state {
  struct rng rng;
  uint32_t load, enable;
  uint64_t phase_end;
};

static void init(void *st, struct rng *rng, const void *cfg, const struct scenario *sc) {
  (void)cfg;
  (void)sc;
  ((struct state *)st)->rng = *rng;
}

/* A seed that is 0 becomes 1, so it must be seen that each bit by itself makes it another. */
static uint64_t draw_seed(struct rng *rng) {
  if (rng_chance(rng, 16))
    return 0;
  return rng_chance(rng, 32) ? 1u << rng_below(rng, 32) : rng_bits(rng, 32, 128);
}

static void next(void *st, uint64_t cycle, const void *out, void *in) {
  struct state *s = st;
  struct loom_lfsr_in *i = in;
  (void)out;
  if (cycle >= s->phase_end) {
    static const uint32_t chance[] = {0, 0, 4, 64, 200, 256};
    s->load = chance[rng_below(&s->rng, 5)];
    s->enable = chance[1 + rng_below(&s->rng, 5)];
    s->phase_end = cycle + rng_range(&s->rng, 10, 1000);
  }
  i->load = rng_chance(&s->rng, s->load);
  i->enable = rng_chance(&s->rng, s->enable);
  i->seed = draw_seed(&s->rng);
}

static void observe(void *st, uint64_t cycle, const void *in, const void *out, const void *probe,
                    struct stats *stats) {
  (void)probe;
  const struct loom_lfsr_in *i = in;
  const struct loom_lfsr_out *o = out;
  (void)st;
  if (i->enable) {
    struct packet_note n = {.cycle = cycle, .id = (uint32_t)o->value};
    stats->packets++;
    stats_note(stats, &n);
  }
}

/* The states are too many to visit: every path of this depth from every one-bit seed. The circuit
 * is linear in its state, so these stand for every state. */
enum { DEPTH = 24, SEED_BITS = 32 };

static uint32_t bfs_depth(const void *cfg) {
  (void)cfg;
  return DEPTH;
}

static uint32_t bfs_inputs(const void *cfg) {
  (void)cfg;
  return 4 + SEED_BITS;
}

static bool bfs_input(const void *cfg, const void *twin, uint32_t i, void *in) {
  struct loom_lfsr_in *g = in;
  (void)cfg;
  (void)twin;
  g->enable = i & 1;
  g->load = i >= 2;
  if (i >= 4)
    g->seed = 1ull << (i - 4);
  return true;
}

static const struct stim stim = {.size = sizeof(struct state),
                                 .episode = 100000,
                                 .init = init,
                                 .next = next,
                                 .observe = observe,
                                 .bfs_depth = bfs_depth,
                                 .bfs_inputs = bfs_inputs,
                                 .bfs_input = bfs_input};
const struct dut lfsr_dut = DUT_INIT(&stim);

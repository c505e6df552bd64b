/* SPDX-License-Identifier: Apache-2.0 */
/* crc32.c - traffic for crc32: streams of every length, new starts in and between words, illegal
 * byte counts */
#include "parts/crc32.h"

#define DUT_NAME crc32
#define DUT_LIST "parts/crc32.def"
#include "tb/cosim/dut.h"

struct state {
  struct rng rng;
  uint32_t valid, restart, full;
  uint64_t phase_end;
};

static void init(void *st, struct rng *rng, const void *cfg, const struct scenario *sc) {
  (void)cfg;
  (void)sc;
  ((struct state *)st)->rng = *rng;
}

static void next(void *st, uint64_t cycle, const void *out, void *in) {
  struct state *s = st;
  struct loom_crc32_in *i = in;
  (void)out;
  if (cycle >= s->phase_end) {
    static const uint32_t chance[] = {0, 8, 64, 128, 224, 256};
    s->valid = chance[1 + rng_below(&s->rng, 5)];
    s->restart = chance[rng_below(&s->rng, 4)];
    s->full = chance[rng_below(&s->rng, 6)];
    s->phase_end = cycle + rng_range(&s->rng, 10, 400);
  }
  i->valid = rng_chance(&s->rng, s->valid);
  i->init = rng_chance(&s->rng, s->restart);
  i->bytes = rng_chance(&s->rng, s->full) ? 8 : rng_below(&s->rng, 16);
  i->data = rng_bits(&s->rng, 64, rng_chance(&s->rng, 16) ? 0 : 128);
}

static void observe(void *st, uint64_t cycle, const void *in, const void *out, const void *probe,
                    struct stats *stats) {
  (void)probe;
  const struct loom_crc32_in *i = in;
  (void)st;
  (void)out;
  if (i->valid && i->bytes >= 1 && i->bytes <= 8) {
    struct packet_note n = {.cycle = cycle, .length = (uint32_t)i->bytes, .id = (uint32_t)i->data};
    stats->packets++;
    stats_note(stats, &n);
  }
}

/* 2^32 values are too many to visit: every path of this depth, each data bit and each count in it.
 * The state and the data enter linearly, so the single bits stand for every word. */
enum { DEPTH = 2, BITS = 64, COUNTS = 8 };

static uint32_t bfs_depth(const void *cfg) {
  (void)cfg;
  return DEPTH;
}

static uint32_t bfs_inputs(const void *cfg) {
  (void)cfg;
  return (BITS + 1) * COUNTS + 4;
}

static bool bfs_input(const void *cfg, const void *twin, uint32_t i, void *in) {
  struct loom_crc32_in *c = in;
  (void)cfg;
  (void)twin;
  c->valid = 1;
  if (i >= (BITS + 1) * COUNTS) {
    i -= (BITS + 1) * COUNTS;
    c->init = i & 1;
    c->valid = i >> 1;
    c->bytes = i >> 1 ? 9 : 0; /* not taken */
    c->data = ~0ull;
    return true;
  }
  c->bytes = i % COUNTS + 1;
  c->data = i / COUNTS < BITS ? 1ull << i / COUNTS : 0;
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
const struct dut crc32_dut = DUT_INIT(&stim);

/* SPDX-License-Identifier: Apache-2.0 */
/* fifo.c - traffic for fifo: fills, drains and runs at every level, ignored pushes and pops
 * included */
#include "parts/fifo.h"

#define DUT_NAME fifo
#define DUT_LIST "parts/fifo.def"
#include "tb/cosim/dut.h"

struct state {
  struct rng rng;
  uint32_t width, push, pop; /* chances in 256, drawn anew a phase */
  uint64_t phase_end;
};

static void init(void *st, struct rng *rng, const void *cfg, const struct scenario *sc) {
  struct state *s = st;
  (void)sc;
  s->rng = *rng;
  s->width = ((const struct loom_fifo_cfg *)cfg)->WIDTH;
}

static void next(void *st, uint64_t cycle, const void *out, void *in) {
  struct state *s = st;
  struct loom_fifo_in *i = in;
  (void)out;
  if (cycle >= s->phase_end) {
    static const uint32_t chance[] = {0, 8, 64, 128, 200, 256, 256};
    s->push = chance[rng_below(&s->rng, 7)];
    s->pop = chance[rng_below(&s->rng, 7)];
    s->phase_end = cycle + rng_range(&s->rng, 4, 120);
  }
  i->push = rng_chance(&s->rng, s->push);
  i->pop = rng_chance(&s->rng, s->pop);
  i->data = rng_bits(&s->rng, s->width, 128);
}

static void observe(void *st, uint64_t cycle, const void *in, const void *out, const void *probe,
                    struct stats *stats) {
  (void)probe;
  const struct loom_fifo_in *i = in;
  const struct loom_fifo_out *o = out;
  (void)st;
  if (i->push && o->ready) {
    struct packet_note n = {.cycle = cycle, .length = 1, .id = (uint32_t)i->data};
    stats->packets++;
    stats_note(stats, &n);
  }
  stats->grants += i->pop && o->valid;
}

static uint32_t bfs_inputs(const void *cfg) {
  const struct loom_fifo_cfg *c = cfg;
  return 4u << c->WIDTH;
}

static bool bfs_input(const void *cfg, const void *twin, uint32_t i, void *in) {
  struct loom_fifo_in *f = in;
  (void)cfg;
  (void)twin;
  f->push = i & 1;
  f->pop = i >> 1 & 1;
  f->data = i >> 2;
  return true;
}

static const struct stim stim = {.size = sizeof(struct state),
                                 .episode = 50000,
                                 .init = init,
                                 .next = next,
                                 .observe = observe,
                                 .bfs_inputs = bfs_inputs,
                                 .bfs_input = bfs_input};
const struct dut fifo_dut = DUT_INIT(&stim);

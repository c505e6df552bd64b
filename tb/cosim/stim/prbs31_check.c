/* SPDX-License-Identifier: Apache-2.0 */
/* prbs31_check.c - traffic for prbs31_check: a true stream with pauses, bit errors of every number,
 * slips to another place of the sequence, dead lines and restarts */
#include "parts/prbs31_check.h"

#include "parts/prbs31_gen.h"

#define DUT_NAME prbs31_check
#define DUT_LIST "parts/prbs31_check.def"
#include "tb/cosim/dut.h"

struct state {
  struct rng rng;
  uint32_t sender; /* the last 31 bits sent */
  uint32_t valid, error, burst, restart;
  uint64_t phase_end;
};

static void init(void *st, struct rng *rng, const void *cfg, const struct scenario *sc) {
  struct state *s = st;
  (void)cfg;
  (void)sc;
  s->rng = *rng;
  s->sender = 0x7fffffff;
}

static uint64_t some_errors(struct state *s) {
  uint64_t e = 0;
  for (uint32_t n = rng_range(&s->rng, 1, s->burst); n > 0; n--)
    e |= 1ull << rng_below(&s->rng, 64);
  return e;
}

static void next(void *st, uint64_t cycle, const void *out, void *in) {
  struct state *s = st;
  struct loom_prbs31_check_in *i = in;
  (void)out;
  if (cycle >= s->phase_end) {
    static const uint32_t chance[] = {0, 0, 2, 16, 64, 200, 256};
    static const uint32_t burst[] = {1, 2, 17, 100};
    s->valid = chance[3 + rng_below(&s->rng, 4)];
    s->error = chance[rng_below(&s->rng, 7)];
    s->burst = burst[rng_below(&s->rng, 4)];
    s->restart = rng_chance(&s->rng, 40) ? 16 : 0;
    if (rng_chance(&s->rng, 40)) /* a slip; 0: the line is dead until the next one */
      s->sender = rng_chance(&s->rng, 64) ? 0 : (uint32_t)rng_bits(&s->rng, 31, 128);
    s->phase_end = cycle + rng_range(&s->rng, 4, 150);
  }
  i->restart = rng_chance(&s->rng, s->restart);
  i->valid = rng_chance(&s->rng, s->valid);
  i->data = loom_prbs31_word(s->sender);
  if (i->valid)
    s->sender = (uint32_t)(i->data & 0x7fffffff);
  if (rng_chance(&s->rng, s->error))
    i->data ^= some_errors(s);
}

static void observe(void *st, uint64_t cycle, const void *in, const void *out, const void *probe,
                    struct stats *stats) {
  (void)probe;
  const struct loom_prbs31_check_in *i = in;
  const struct loom_prbs31_check_out *o = out;
  (void)st;
  if (i->valid) {
    struct packet_note n = {.cycle = cycle, .length = 1, .id = (uint32_t)i->data};
    stats->packets++;
    stats_note(stats, &n);
  }
  stats->grants += o->check; /* words checked */
}

/* Words as the checker expects them, with few and with many errors, and what never is a stream. */
enum { DEPTH = 9 };

static uint32_t bfs_depth(const void *cfg) {
  (void)cfg;
  return DEPTH;
}

static uint32_t bfs_inputs(const void *cfg) {
  (void)cfg;
  return 7;
}

static bool bfs_input(const void *cfg, const void *twin, uint32_t i, void *in) {
  const struct loom_prbs31_check *t = twin;
  const struct loom_prbs31_check_cfg *c = cfg;
  struct loom_prbs31_check_in *w = in;
  uint64_t right = loom_prbs31_word(t->state);
  const uint64_t data[] = {right,
                           right,
                           right ^ 1,
                           right ^ (loom_mask(c->LOSS_ERRORS) << (64 - c->LOSS_ERRORS)),
                           right ^ (loom_mask(c->LOSS_ERRORS) >> 1),
                           0,
                           0x123456789abcdef0u};
  w->restart = i == 0;
  w->valid = 1;
  w->data = data[i];
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
const struct dut prbs31_check_dut = DUT_INIT(&stim);

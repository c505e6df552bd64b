/* SPDX-License-Identifier: Apache-2.0 */
/* rr_arbiter.c - traffic for rr_arbiter: requests held until granted and requests at will, every
 * density */
#include "parts/rr_arbiter.h"

#define DUT_NAME rr_arbiter
#define DUT_LIST "parts/rr_arbiter.def"
#include "tb/cosim/dut.h"

struct state {
  struct rng rng;
  uint32_t n, density, advance; /* chances in 256 */
  bool hold;                    /* a request stays until it is granted */
  uint64_t request, phase_end;
};

static void init(void *st, struct rng *rng, const void *cfg, const struct scenario *sc) {
  struct state *s = st;
  (void)sc;
  s->rng = *rng;
  s->n = ((const struct loom_rr_arbiter_cfg *)cfg)->N;
}

static void next(void *st, uint64_t cycle, const void *out, void *in) {
  struct state *s = st;
  struct loom_rr_arbiter_in *i = in;
  (void)out;
  if (cycle >= s->phase_end) {
    static const uint32_t chance[] = {0, 4, 32, 128, 224, 256};
    s->density = chance[rng_below(&s->rng, 6)];
    s->advance = chance[1 + rng_below(&s->rng, 5)];
    s->hold = rng_chance(&s->rng, 128);
    s->phase_end = cycle + rng_range(&s->rng, 2, 200);
  }
  uint64_t fresh = rng_bits(&s->rng, s->n, s->density);
  s->request = s->hold ? s->request | (fresh & rng_bits(&s->rng, s->n, 64)) : fresh;
  i->request = s->request;
  i->advance = rng_chance(&s->rng, s->advance);
  if (s->hold && i->advance && s->request) /* some request goes: its grant is not known yet */
    s->request &= ~(1ull << loom_ctz_from(s->request, rng_below(&s->rng, s->n)));
}

static void observe(void *st, uint64_t cycle, const void *in, const void *out, const void *probe,
                    struct stats *stats) {
  (void)probe;
  const struct loom_rr_arbiter_in *i = in;
  const struct loom_rr_arbiter_out *o = out;
  (void)st;
  if (i->advance && o->grant) {
    struct packet_note n = {.cycle = cycle, .port = loom_ctz(o->grant)};
    stats->grants++;
    stats_note(stats, &n);
  }
}

static uint32_t bfs_inputs(const void *cfg) {
  return 2u << ((const struct loom_rr_arbiter_cfg *)cfg)->N;
}

static bool bfs_input(const void *cfg, const void *twin, uint32_t i, void *in) {
  struct loom_rr_arbiter_in *r = in;
  (void)cfg;
  (void)twin;
  r->advance = i & 1;
  r->request = i >> 1;
  return true;
}

static const struct stim stim = {.size = sizeof(struct state),
                                 .episode = 100000,
                                 .init = init,
                                 .next = next,
                                 .observe = observe,
                                 .bfs_inputs = bfs_inputs,
                                 .bfs_input = bfs_input};
const struct dut rr_arbiter_dut = DUT_INIT(&stim);

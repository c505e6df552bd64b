/* SPDX-License-Identifier: Apache-2.0 */
/* delay.c - traffic for delay: words alone, in a row and with gaps, noise on the data without valid
 */
#include "parts/delay.h"

#include <inttypes.h>

#define DUT_NAME delay
#define DUT_LIST "parts/delay.def"
#include "tb/cosim/dut.h"

enum { RING = 256 };

struct state {
  struct rng rng;
  struct loom_delay_cfg cfg;
  uint32_t load; /* in 256 */
  uint64_t phase_end;
  /* What came in, by cycle; cycles of this episode. */
  struct loom_delay_in came[RING];
  uint64_t seen;
  char wrong[160];
};

static void init(void *st, struct rng *rng, const void *cfg, const struct scenario *sc) {
  struct state *s = st;
  (void)sc;
  s->rng = *rng;
  s->cfg = *(const struct loom_delay_cfg *)cfg;
}

static void next(void *st, uint64_t cycle, const void *out, void *in) {
  static const uint32_t load[] = {0, 8, 128, 240, 256};
  struct state *s = st;
  struct loom_delay_in *i = in;
  (void)out;
  if (cycle >= s->phase_end) {
    s->load = load[rng_below(&s->rng, 5)];
    s->phase_end = cycle + rng_range(&s->rng, 1, 3 * s->cfg.DEPTH + 20);
  }
  i->valid = rng_chance(&s->rng, s->load);
  i->data = rng_bits(&s->rng, s->cfg.WIDTH, 128);
}

static void observe(void *st, uint64_t cycle, const void *in, const void *out, const void *probe,
                    struct stats *stats) {
  const struct loom_delay_in *i = in;
  const struct loom_delay_out *o = out;
  struct state *s = st;
  (void)probe;
  s->came[s->seen % RING] = *i;
  struct loom_delay_in must = {0};
  if (s->seen >= s->cfg.DEPTH)
    must = s->came[(s->seen - s->cfg.DEPTH) % RING];
  if ((o->valid != must.valid || o->data != (must.valid ? must.data : 0)) && !s->wrong[0])
    snprintf(s->wrong, sizeof s->wrong,
             "cycle %" PRIu64 ": valid %" PRIu64 " data 0x%" PRIx64 " is not what came in %" PRIu32
             " cycles ago",
             cycle, o->valid, o->data, s->cfg.DEPTH);
  s->seen++;
  stats->packets += i->valid;
  stats->grants += o->valid;
}

static bool check(const void *st, char *why, size_t why_size) {
  const struct state *s = st;
  if (s->wrong[0])
    snprintf(why, why_size, "%s", s->wrong);
  return !s->wrong[0];
}

/* Nothing, or a word of 0 or 1; no noise: each stale word would be one more state. */
static uint32_t bfs_inputs(const void *cfg) {
  (void)cfg;
  return 3;
}

static bool bfs_input(const void *cfg, const void *twin, uint32_t i, void *in) {
  struct loom_delay_in *b = in;
  (void)cfg;
  (void)twin;
  b->valid = i > 0;
  b->data = i == 2;
  return true;
}

static const struct stim stim = {.size = sizeof(struct state),
                                 .episode = 20000,
                                 .init = init,
                                 .next = next,
                                 .observe = observe,
                                 .check = check,
                                 .bfs_inputs = bfs_inputs,
                                 .bfs_input = bfs_input};
const struct dut delay_dut = DUT_INIT(&stim);

/* SPDX-License-Identifier: Apache-2.0 */
/* crc16.c - traffic for crc16: streams of every length, new starts in and between words, illegal
 * byte counts */
#include "parts/crc16.h"

#define DUT_NAME crc16
#define DUT_LIST "parts/crc16.def"
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
  struct loom_crc16_in *i = in;
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
  const struct loom_crc16_in *i = in;
  (void)st;
  (void)out;
  if (i->valid && i->bytes >= 1 && i->bytes <= 8) {
    struct packet_note n = {.cycle = cycle, .length = (uint32_t)i->bytes, .id = (uint32_t)i->data};
    stats->packets++;
    stats_note(stats, &n);
  }
}

/* A new start, a step without bytes, illegal counts, and enough single bytes to reach every value.
 */
static uint32_t bfs_inputs(const void *cfg) {
  (void)cfg;
  return 13;
}

static bool bfs_input(const void *cfg, const void *twin, uint32_t i, void *in) {
  static const uint8_t byte[] = {0x00, 0x01, 0x80, 0xa5};
  struct loom_crc16_in *c = in;
  (void)cfg;
  (void)twin;
  c->init = i == 0 || i == 12;
  c->valid = i >= 2;
  if (i < 4) {
    c->bytes = i == 2 ? 0 : 9; /* not taken */
  } else if (i < 8) {
    c->bytes = 1;
    c->data = (uint64_t)byte[i - 4] << 56 | 0x00fedcba98765432u;
  } else {
    c->bytes = i - 5; /* 3..7 */
    c->data = 0x0123456789abcdefu * i;
  }
  return true;
}

static const struct stim stim = {.size = sizeof(struct state),
                                 .episode = 100000,
                                 .init = init,
                                 .next = next,
                                 .observe = observe,
                                 .bfs_inputs = bfs_inputs,
                                 .bfs_input = bfs_input};
const struct dut crc16_dut = DUT_INIT(&stim);

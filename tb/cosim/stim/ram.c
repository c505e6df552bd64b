/* SPDX-License-Identifier: Apache-2.0 */
/* ram.c - traffic for ram: writes every word once, then anything, often both ports at one address
 *
 * Words and rdata_o are undefined until written and read, so the first cycles are not compared.
 */
#include "parts/ram.h"

#define DUT_NAME ram
#define DUT_LIST "parts/ram.def"
#include "tb/cosim/dut.h"

struct state {
  struct rng rng;
  uint32_t depth, width, write, read, span;
  uint64_t phase_end;
};

static void init(void *st, struct rng *rng, const void *cfg, const struct scenario *sc) {
  const struct loom_ram_cfg *c = cfg;
  struct state *s = st;
  (void)sc;
  s->rng = *rng;
  s->depth = c->DEPTH;
  s->width = c->WIDTH;
}

static void next(void *st, uint64_t cycle, const void *out, void *in) {
  struct state *s = st;
  struct loom_ram_in *i = in;
  (void)out;
  i->wdata = rng_bits(&s->rng, s->width, 128);
  if (cycle <= s->depth) {
    i->we = cycle < s->depth;
    i->waddr = i->we ? cycle : 0;
    i->re = cycle == s->depth;
    return;
  }
  if (cycle >= s->phase_end) {
    s->write = rng_below(&s->rng, 257);
    s->read = rng_below(&s->rng, 257);
    s->span = rng_chance(&s->rng, 128) ? s->depth : rng_range(&s->rng, 1, 2);
    s->phase_end = cycle + rng_range(&s->rng, 10, 300);
  }
  i->we = rng_chance(&s->rng, s->write);
  i->re = rng_chance(&s->rng, s->read);
  i->waddr = rng_below(&s->rng, s->span);
  i->raddr = rng_below(&s->rng, s->span);
}

static void observe(void *st, uint64_t cycle, const void *in, const void *out, const void *probe,
                    struct stats *stats) {
  (void)probe;
  const struct loom_ram_in *i = in;
  (void)st;
  (void)out;
  if (i->we) {
    struct packet_note n = {.cycle = cycle, .dest = (uint32_t)i->waddr, .id = (uint32_t)i->wdata};
    stats->packets++;
    stats_note(stats, &n);
  }
}

static uint64_t warmup(const void *cfg) { return ((const struct loom_ram_cfg *)cfg)->DEPTH + 1; }

/* Every combination of the two ports; the search starts from memory that is 0 on both sides. */
static uint32_t bfs_inputs(const void *cfg) {
  const struct loom_ram_cfg *c = cfg;
  return (c->DEPTH << c->WIDTH) * c->DEPTH * 4;
}

static bool bfs_input(const void *cfg, const void *twin, uint32_t i, void *in) {
  const struct loom_ram_cfg *c = cfg;
  struct loom_ram_in *r = in;
  (void)twin;
  r->we = i & 1;
  r->re = i >> 1 & 1;
  r->wdata = (i >> 2) & loom_mask(c->WIDTH);
  r->waddr = (i >> 2 >> c->WIDTH) % c->DEPTH;
  r->raddr = (i >> 2 >> c->WIDTH) / c->DEPTH;
  return true;
}

static const struct stim stim = {.size = sizeof(struct state),
                                 .episode = 100000,
                                 .init = init,
                                 .next = next,
                                 .observe = observe,
                                 .warmup = warmup,
                                 .bfs_inputs = bfs_inputs,
                                 .bfs_input = bfs_input};
const struct dut ram_dut = DUT_INIT(&stim);

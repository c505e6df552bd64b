/* SPDX-License-Identifier: Apache-2.0 */
/* sched_ibarb.c - traffic for sched_ibarb: both tables with gaps, every limit from 0 to 255, both
 * roundings, both low grants */
#include "sched/sched_ibarb.h"

#include "tb/cosim/sched_traffic.h"

#define DUT_NAME sched_ibarb
#define DUT_LIST "sched/sched_ibarb.def"
#include "tb/cosim/dut.h"

SCHED_SAME(sched_ibarb);

static struct table_write some_entry(struct rng *rng, const void *cfg) {
  const struct loom_sched_ibarb_cfg *c = cfg;
  static const uint32_t weight[] = {1, 3, 16, 40, 130, 256};
  bool low = rng_chance(rng, 128);
  uint32_t key = rng_below(rng, rng_chance(rng, 240) ? c->KEYS : 32);
  uint32_t w = rng_chance(rng, 40) ? 0 : rng_below(rng, weight[rng_below(rng, 6)]);
  return (struct table_write){low ? LOOM_IBARB_REG_LOW + rng_below(rng, c->N_LOW)
                                  : rng_below(rng, c->N_HIGH),
                              sched_entry(key, w)};
}

static uint32_t some_limit(struct rng *rng) {
  static const uint32_t limit[] = {0, 1, 1, 2, 8, 254, 255};
  return rng_chance(rng, 220) ? limit[rng_below(rng, 7)] : rng_below(rng, 256);
}

static struct table_write some_write(struct rng *rng, const void *cfg) {
  uint32_t what = rng_below(rng, 32);
  if (what < 27)
    return some_entry(rng, cfg);
  if (what < 29)
    return (struct table_write){LOOM_IBARB_REG_LIMIT, some_limit(rng)};
  if (what < 31)
    return (struct table_write){LOOM_IBARB_REG_MODE, rng_below(rng, 4)};
  return (struct table_write){rng_below(rng, 1024), (uint32_t)rng_next(rng)};
}

static uint32_t some_read(struct rng *rng, const void *cfg) {
  (void)cfg;
  return rng_chance(rng, 64) ? LOOM_IBARB_REG_LIMIT + rng_below(rng, 8)
                             : rng_below(rng, rng_chance(rng, 200) ? 0x108 : 1024);
}

static uint32_t whole_table(struct rng *rng, const void *cfg, struct table_write *w) {
  uint32_t n = rng_range(rng, 2, 200);
  for (uint32_t e = 0; e < n; e++)
    w[e] = some_entry(rng, cfg);
  w[n] = (struct table_write){LOOM_IBARB_REG_LIMIT, some_limit(rng)};
  w[n + 1] = (struct table_write){LOOM_IBARB_REG_MODE, rng_below(rng, 4)};
  return n + 2;
}

/* An entry in each table, for either key; limits 0 (as after reset) and 255, all modes. Each
 * is written once at most: rewriting while running is left to the random traffic. */
enum { WRITES = 8, MOST_SENT = 6 };

static void bfs_write(const void *cfg, uint32_t i, sched_in *in) {
  static const struct table_write write[WRITES] = {
      {LOOM_IBARB_REG_HIGH, 0x001}, {LOOM_IBARB_REG_HIGH, 0x102}, {LOOM_IBARB_REG_LOW, 0x101},
      {LOOM_IBARB_REG_LOW, 0x002},  {LOOM_IBARB_REG_LIMIT, 0xff}, {LOOM_IBARB_REG_MODE, 1},
      {LOOM_IBARB_REG_MODE, 2},     {LOOM_IBARB_REG_MODE, 3}};
  (void)cfg;
  in->table_we = 1;
  in->table_addr = write[i].addr;
  in->table_data = write[i].data;
}

const struct sched_kind sched_ibarb_kind = {.scheduler = LOOM_PUBLISHED_IBARB,
                                            .some_write = some_write,
                                            .some_read = some_read,
                                            .whole_table = whole_table};

static void init(void *st, struct rng *rng, const void *cfg, const struct scenario *sc) {
  sched_init(st, &sched_ibarb_kind, rng, cfg, sc);
}

static uint32_t bfs_inputs(const void *cfg) { return sched_bfs_heads(cfg) + WRITES; }

static bool bfs_input(const void *cfg, const void *twin, uint32_t i, void *in) {
  const struct loom_sched_ibarb *t = twin;
  /* The counter of high units would make every state 16384 states: it stops at a few. */
  if (i < sched_bfs_heads(cfg) && (i & 1) && t->sent > MOST_SENT)
    return false;
  if (i < sched_bfs_heads(cfg)) {
    sched_bfs_head(cfg, i, in);
    return true;
  }
  i -= sched_bfs_heads(cfg);
  bfs_write(cfg, i, in);
  return i < 2   ? t->side[0].table.weight[0] == 0
         : i < 4 ? t->side[1].table.weight[0] == 0
         : i < 5 ? t->limit == 0
                 : t->mode == 0;
}

static const struct stim stim = {.size = sizeof(struct sched_state),
                                 .episode = 20000,
                                 .init = init,
                                 .next = sched_next,
                                 .observe = sched_observe,
                                 .verdict = sched_verdict,
                                 .bfs_inputs = bfs_inputs,
                                 .bfs_input = bfs_input};
const struct dut sched_ibarb_dut = DUT_INIT(&stim);

/* SPDX-License-Identifier: Apache-2.0 */
/* sched_sbt.c - traffic for sched_sbt: weights from none to 255, all modes, changes on the way */
#include "sched/sched_sbt.h"

#include "tb/cosim/sched_traffic.h"

#define DUT_NAME sched_sbt
#define DUT_LIST "sched/sched_sbt.def"
#include "tb/cosim/dut.h"

SCHED_SAME(sched_sbt);

static uint32_t some_weight(struct rng *rng) {
  return rng_chance(rng, 64) ? rng_below(rng, 2) : rng_below(rng, rng_chance(rng, 128) ? 6 : 256);
}

static struct table_write some_write(struct rng *rng, const void *cfg) {
  uint32_t keys = ((const sched_cfg *)cfg)->KEYS, what = rng_below(rng, 16);
  if (what < 13)
    return (struct table_write){rng_below(rng, keys), some_weight(rng)};
  if (what < 15)
    return (struct table_write){32, rng_below(rng, 4)};
  return (struct table_write){rng_below(rng, 1024), (uint32_t)rng_next(rng)};
}

static uint32_t some_read(struct rng *rng, const void *cfg) {
  (void)cfg;
  return rng_below(rng, rng_chance(rng, 240) ? 34 : 1024);
}

static uint32_t whole_table(struct rng *rng, const void *cfg, struct table_write *w) {
  uint32_t keys = ((const sched_cfg *)cfg)->KEYS;
  for (uint32_t k = 0; k < keys; k++)
    w[k] = (struct table_write){k, some_weight(rng)};
  w[keys] = (struct table_write){32, rng_below(rng, 4)};
  return keys + 1;
}

/* Weights 0..2 of each of two keys, and the modes. */
enum { WRITES = 9 };

static void bfs_write(const void *cfg, uint32_t i, sched_in *in) {
  (void)cfg;
  in->table_we = 1;
  in->table_addr = i < 6 ? i / 3 : 32;
  in->table_data = i % 3;
}

const struct sched_kind sched_sbt_kind = {.scheduler = LOOM_PUBLISHED_SBT,
                                          .some_write = some_write,
                                          .some_read = some_read,
                                          .whole_table = whole_table};

static void init(void *st, struct rng *rng, const void *cfg, const struct scenario *sc) {
  sched_init(st, &sched_sbt_kind, rng, cfg, sc);
}

static uint32_t bfs_inputs(const void *cfg) { return sched_bfs_heads(cfg) + WRITES; }

static bool bfs_input(const void *cfg, const void *twin, uint32_t i, void *in) {
  (void)twin;
  if (i < sched_bfs_heads(cfg))
    sched_bfs_head(cfg, i, in);
  else
    bfs_write(cfg, i - sched_bfs_heads(cfg), in);
  return true;
}

static const struct stim stim = {.size = sizeof(struct sched_state),
                                 .episode = 20000,
                                 .init = init,
                                 .next = sched_next,
                                 .observe = sched_observe,
                                 .verdict = sched_verdict,
                                 .bfs_inputs = bfs_inputs,
                                 .bfs_input = bfs_input};
const struct dut sched_sbt_dut = DUT_INIT(&stim);

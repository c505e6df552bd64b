/* SPDX-License-Identifier: Apache-2.0 */
/* deficit_round_robin.c - traffic for deficit_round_robin: that of ready_traffic.h, with quanta
 * that are written, and deficits that are read, meanwhile */
#include "sched/deficit_round_robin.h"

#define DUT_NAME deficit_round_robin
#define DUT_LIST "sched/deficit_round_robin.def"
#include "tb/cosim/dut.h"
#include "tb/cosim/ready_traffic.h"

READY_SAME(deficit_round_robin);

static uint32_t keys(const void *cfg) {
  return ((const struct loom_deficit_round_robin_cfg *)cfg)->KEYS;
}

/* Small quanta now and then, so that packets take several turns, and none at all. */
static uint32_t quantum(struct rng *rng) {
  return rng_chance(rng, 60) ? rng_below(rng, 5) : ready_some_weight(rng);
}

static struct table_write load(struct rng *rng, const void *cfg, uint32_t n) {
  (void)cfg;
  return (struct table_write){LOOM_DRR_REG_QUANTUM + n, quantum(rng)};
}

static struct table_write some_write(struct rng *rng, const void *cfg) {
  return (struct table_write){LOOM_DRR_REG_QUANTUM + rng_below(rng, keys(cfg)), quantum(rng)};
}

/* Quanta, and what is beyond them. */
static uint32_t some_address(struct rng *rng) {
  return rng_chance(rng, 240) ? rng_below(rng, LOOM_DRR_REG_QUANTUM + 34) : rng_below(rng, 1024);
}

/* In searches a quantum of either key. */
static const struct ready_kind kind = {
    .apart = 7,
    .gap = 1,
    .bfs_depth = 20,
    .loads = keys,
    .load = load,
    .some_write = some_write,
    .some_address = some_address,
    .search = {{LOOM_DRR_REG_QUANTUM, 2}, {LOOM_DRR_REG_QUANTUM + 1, 1}}};

READY_STIM(kind);
const struct dut deficit_round_robin_dut = DUT_INIT(&stim);

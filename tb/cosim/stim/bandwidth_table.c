/* SPDX-License-Identifier: Apache-2.0 */
/* bandwidth_table.c - traffic for bandwidth_table: that of ready_traffic.h, with weights and modes
 * that are written and read meanwhile */
#include "sched/bandwidth_table.h"

#define DUT_NAME bandwidth_table
#define DUT_LIST "sched/bandwidth_table.def"
#include "tb/cosim/dut.h"
#include "tb/cosim/ready_traffic.h"

READY_SAME(bandwidth_table);

static uint32_t loads(const void *cfg) {
  return ((const struct loom_bandwidth_table_cfg *)cfg)->KEYS + 1;
}

/* Small weights mostly, so that they are used up and restored within a phase. */
static uint32_t weight(struct rng *rng) {
  return rng_chance(rng, 200) ? rng_below(rng, 4) : ready_some_weight(rng);
}

/* The mode first, then all weights. */
static struct table_write load(struct rng *rng, const void *cfg, uint32_t n) {
  (void)cfg;
  return n ? (struct table_write){LOOM_SBT_REG_WEIGHT + n - 1, weight(rng)}
           : (struct table_write){LOOM_SBT_REG_MODE, rng_below(rng, 4)};
}

static struct table_write some_write(struct rng *rng, const void *cfg) {
  const uint32_t keys = ((const struct loom_bandwidth_table_cfg *)cfg)->KEYS;
  if (rng_below(rng, 8) == 0)
    return (struct table_write){LOOM_SBT_REG_MODE, rng_below(rng, 4)};
  return (struct table_write){LOOM_SBT_REG_WEIGHT + rng_below(rng, keys), weight(rng)};
}

/* Weights, the mode, and what is beyond them. */
static uint32_t some_address(struct rng *rng) {
  return rng_chance(rng, 240) ? rng_below(rng, LOOM_SBT_REG_MODE + 2) : rng_below(rng, 1024);
}

/* In searches a weight of either key. */
static const struct ready_kind kind = {
    .apart = 6,
    .gap = 1,
    .bfs_depth = 20,
    .loads = loads,
    .load = load,
    .some_write = some_write,
    .some_address = some_address,
    .search = {{LOOM_SBT_REG_WEIGHT, 2}, {LOOM_SBT_REG_WEIGHT + 1, 1}}};

READY_STIM(kind);
const struct dut bandwidth_table_dut = DUT_INIT(&stim);

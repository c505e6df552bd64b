/* SPDX-License-Identifier: Apache-2.0 */
/* fair_queueing.c - traffic for fair_queueing: that of ready_traffic.h, with prices that are
 * written and read meanwhile */
#include "sched/fair_queueing.h"

#define DUT_NAME fair_queueing
#define DUT_LIST "sched/fair_queueing.def"
#include "tb/cosim/dut.h"
#include "tb/cosim/ready_traffic.h"

READY_SAME(fair_queueing);

static uint32_t keys(const void *cfg) { return ((const struct loom_fair_queueing_cfg *)cfg)->KEYS; }

/* Prices of a kind now and then, so that stamps are equal, and none at all. */
static uint32_t price(struct rng *rng) {
  return rng_chance(rng, 60) ? rng_below(rng, 5) : ready_some_weight(rng);
}

static struct table_write load(struct rng *rng, const void *cfg, uint32_t n) {
  (void)cfg;
  return (struct table_write){LOOM_FAIR_REG_PRICE + n, price(rng)};
}

static struct table_write some_write(struct rng *rng, const void *cfg) {
  return (struct table_write){LOOM_FAIR_REG_PRICE + rng_below(rng, keys(cfg)), price(rng)};
}

/* Prices, and what is beyond them. */
static uint32_t some_address(struct rng *rng) {
  return rng_chance(rng, 240) ? rng_below(rng, LOOM_FAIR_REG_PRICE + 34) : rng_below(rng, 1024);
}

/* In searches a price of either key. */
static const struct ready_kind kind = {
    .apart = 7,
    .gap = 1,
    .bfs_depth = 20,
    .loads = keys,
    .load = load,
    .some_write = some_write,
    .some_address = some_address,
    .search = {{LOOM_FAIR_REG_PRICE, 2}, {LOOM_FAIR_REG_PRICE + 1, 1}}};

READY_STIM(kind);
const struct dut fair_queueing_dut = DUT_INIT(&stim);

/* SPDX-License-Identifier: Apache-2.0 */
/* two_table.c - traffic for two_table: that of ready_traffic.h, with a limit of either table, modes
 * and entries that are written and read meanwhile */
#include "sched/two_table.h"

#define DUT_NAME two_table
#define DUT_LIST "sched/two_table.def"
#include "tb/cosim/dut.h"
#include "tb/cosim/ready_traffic.h"

READY_SAME(two_table);

typedef struct loom_two_table_cfg two_table_cfg;

static uint32_t loads(const void *cfg) {
  const two_table_cfg *c = cfg;
  return c->N_HIGH + c->N_LOW;
}

/* The entries that both tables begin with: high first, then low. */
static struct table_write load(struct rng *rng, const void *cfg, uint32_t n) {
  const two_table_cfg *c = cfg;
  uint32_t addr = n < c->N_HIGH ? LOOM_IBARB_REG_HIGH + n : LOOM_IBARB_REG_LOW + n - c->N_HIGH;
  return (struct table_write){addr, ready_some_entry(rng, cfg)};
}

/* Seldom the limit or the mode, else some entry. */
static struct table_write some_write(struct rng *rng, const void *cfg) {
  const two_table_cfg *c = cfg;
  uint32_t what = rng_below(rng, 16);
  bool low = rng_chance(rng, 128);
  struct table_write w;
  if (what > 1) {
    w.addr = low ? LOOM_IBARB_REG_LOW + rng_below(rng, c->N_LOW)
                 : LOOM_IBARB_REG_HIGH + rng_below(rng, c->N_HIGH);
    w.data = ready_some_entry(rng, cfg);
  } else if (what) {
    w.addr = LOOM_IBARB_REG_LIMIT;
    w.data = rng_chance(rng, 64) ? 255 : rng_below(rng, 3);
  } else {
    w.addr = LOOM_IBARB_REG_MODE;
    w.data = rng_below(rng, 4);
  }
  return w;
}

/* Any register, and often one beyond a table. */
static uint32_t some_address(struct rng *rng) {
  static const uint32_t base[] = {LOOM_IBARB_REG_HIGH, LOOM_IBARB_REG_HIGH + 32, LOOM_IBARB_REG_LOW,
                                  LOOM_IBARB_REG_LOW + 32, LOOM_IBARB_REG_LIMIT};
  uint32_t b = base[rng_below(rng, 5)];
  return rng_chance(rng, 32) ? rng_below(rng, 1024)
                             : b + rng_below(rng, b == LOOM_IBARB_REG_LIMIT ? 7 : 40);
}

/* In searches a write of either entry; the first grant is in cycle 18. */
static const struct ready_kind kind = {
    .apart = 5,
    .gap = 4,
    .bfs_depth = 26,
    .loads = loads,
    .load = load,
    .some_write = some_write,
    .some_address = some_address,
    .search = {{LOOM_IBARB_REG_HIGH, 0x003}, {LOOM_IBARB_REG_LOW, 0x101}}};

READY_STIM(kind);
const struct dut two_table_dut = DUT_INIT(&stim);

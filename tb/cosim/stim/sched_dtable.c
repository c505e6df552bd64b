/* SPDX-License-Identifier: Apache-2.0 */
/* sched_dtable.c - traffic for sched_dtable: tables with gaps, repeated and illegal keys, weights
 * under and over the packet sizes */
#include "sched/sched_dtable.h"

#include "tb/cosim/sched_traffic.h"

#define DUT_NAME sched_dtable
#define DUT_LIST "sched/sched_dtable.def"
#include "tb/cosim/dut.h"

SCHED_SAME(sched_dtable);

static struct table_write some_entry(struct rng *rng, const void *cfg) {
  const struct loom_sched_dtable_cfg *c = cfg;
  static const uint32_t weight[] = {1, 3, 16, 40, 130, 256};
  uint32_t key = rng_below(rng, rng_chance(rng, 240) ? c->KEYS : 32);
  uint32_t w = rng_chance(rng, 40) ? 0 : rng_below(rng, weight[rng_below(rng, 6)]);
  return (struct table_write){rng_below(rng, c->ENTRIES), sched_entry(key, w)};
}

static struct table_write some_write(struct rng *rng, const void *cfg) {
  if (rng_chance(rng, 240))
    return some_entry(rng, cfg);
  return (struct table_write){rng_below(rng, 1024), (uint32_t)rng_next(rng)};
}

static uint32_t some_read(struct rng *rng, const void *cfg) {
  static const uint32_t base[] = {LOOM_DTABLE_REG_ENTRY,
                                  LOOM_DTABLE_REG_DEFICIT,
                                  LOOM_DTABLE_REG_DEFICIT + LOOM_DTABLE_REG_DEFICIT_WORDS,
                                  LOOM_DTABLE_REG_ACC,
                                  LOOM_DTABLE_REG_IB_HIGH,
                                  LOOM_DTABLE_REG_IB_HIGH + 32,
                                  LOOM_DTABLE_REG_IB_LOW,
                                  LOOM_DTABLE_REG_IB_LOW + 32};
  (void)cfg;
  return rng_chance(rng, 32) ? rng_below(rng, 1024) : base[rng_below(rng, 8)] + rng_below(rng, 32);
}

static uint32_t whole_table(struct rng *rng, const void *cfg, struct table_write *w) {
  const struct loom_sched_dtable_cfg *c = cfg;
  uint32_t n = rng_chance(rng, 128) ? c->ENTRIES : rng_range(rng, 1, c->ENTRIES);
  for (uint32_t e = 0; e < n; e++) {
    w[e] = some_entry(rng, cfg);
    w[e].addr = e;
  }
  return n;
}

static void selection(const void *probe, uint32_t *acc, uint32_t *ptr, uint32_t *cur) {
  const struct loom_sched_dtable_probe *p = probe;
  *acc = (uint32_t)p->acc;
  *ptr = (uint32_t)p->ptr;
  *cur = (uint32_t)p->cur;
}

/* Each of two entries for either key, under, at and over the packet sizes. */
enum { WRITES = 6 };

static void bfs_write(const void *cfg, uint32_t i, sched_in *in) {
  static const struct table_write write[WRITES] = {{0, 0x001}, {0, 0x003}, {0, 0x102},
                                                   {1, 0x101}, {1, 0x002}, {1, 0x000}};
  (void)cfg;
  in->table_we = 1;
  in->table_addr = write[i].addr;
  in->table_data = write[i].data;
}
const struct sched_kind sched_dtable_kind = {.scheduler = LOOM_PUBLISHED_DTABLE,
                                             .some_write = some_write,
                                             .some_read = some_read,
                                             .whole_table = whole_table,
                                             .selection = selection};

static void init(void *st, struct rng *rng, const void *cfg, const struct scenario *sc) {
  sched_init(st, &sched_dtable_kind, rng, cfg, sc);
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
const struct dut sched_dtable_dut = DUT_INIT(&stim);

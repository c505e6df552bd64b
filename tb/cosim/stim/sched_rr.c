/* SPDX-License-Identifier: Apache-2.0 */
/* sched_rr.c - traffic for sched_rr: no tables: writes and reads must do nothing */
#include "sched/sched_rr.h"

#include "tb/cosim/sched_traffic.h"

#define DUT_NAME sched_rr
#define DUT_LIST "sched/sched_rr.def"
#include "tb/cosim/dut.h"

SCHED_SAME(sched_rr);

static struct table_write some_write(struct rng *rng, const void *cfg) {
  (void)cfg;
  return (struct table_write){rng_below(rng, 1024), (uint32_t)rng_next(rng)};
}

static uint32_t some_read(struct rng *rng, const void *cfg) {
  (void)cfg;
  return rng_below(rng, 1024);
}

static uint32_t whole_table(struct rng *rng, const void *cfg, struct table_write *w) {
  (void)rng;
  (void)cfg;
  (void)w;
  return 0;
}

/* A write, which must do nothing. */
enum { WRITES = 1 };

static void bfs_write(const void *cfg, uint32_t i, sched_in *in) {
  (void)cfg;
  in->table_we = 1;
  in->table_addr = i;
  in->table_data = 0x1f01;
}

const struct sched_kind sched_rr_kind = {.scheduler = LOOM_PUBLISHED_RR,
                                         .some_write = some_write,
                                         .some_read = some_read,
                                         .whole_table = whole_table};

static void init(void *st, struct rng *rng, const void *cfg, const struct scenario *sc) {
  sched_init(st, &sched_rr_kind, rng, cfg, sc);
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
const struct dut sched_rr_dut = DUT_INIT(&stim);

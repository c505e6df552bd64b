/* SPDX-License-Identifier: Apache-2.0 */
/* deficit_table.c - traffic for deficit_table: that of ready_traffic.h, with messages of several
 * packets, and a table that is written and read meanwhile */
#include "sched/deficit_table.h"

#define DUT_NAME deficit_table
#define DUT_LIST "sched/deficit_table.def"
#include "tb/cosim/dut.h"
#include "tb/cosim/ready_traffic.h"

READY_SAME_OUT(deficit_table);

typedef struct loom_deficit_table_in deficit_in;

static uint32_t loads(const void *cfg) {
  return ((const struct loom_deficit_table_cfg *)cfg)->ENTRIES;
}

static uint32_t some_entry(struct rng *rng, const void *cfg) {
  return LOOM_PUT(LOOM_MESSAGE_ENTRY_MESSAGE, rng_chance(rng, 64)) | ready_some_entry(rng, cfg);
}

static struct table_write load(struct rng *rng, const void *cfg, uint32_t n) {
  return (struct table_write){n, some_entry(rng, cfg)};
}

static struct table_write some_write(struct rng *rng, const void *cfg) {
  return load(rng, cfg, rng_below(rng, loads(cfg)));
}

/* Any register, and often one beyond a table. */
static uint32_t some_address(struct rng *rng) {
  static const uint32_t base[] = {LOOM_DTABLE_REG_ENTRY,        LOOM_DTABLE_REG_DEFICIT,
                                  LOOM_DTABLE_REG_DEFICIT + 16, LOOM_DTABLE_REG_ACC,
                                  LOOM_DTABLE_REG_IB_HIGH,      LOOM_DTABLE_REG_IB_HIGH + 32,
                                  LOOM_DTABLE_REG_IB_LOW,       LOOM_DTABLE_REG_IB_LOW + 32};
  return rng_chance(rng, 32) ? rng_below(rng, 1024) : base[rng_below(rng, 8)] + rng_below(rng, 32);
}

/* In searches a write of either entry; the first grant is in cycle 16. */
static const struct ready_kind kind = {.apart = 4,
                                       .gap = 4,
                                       .messages = true,
                                       .bfs_depth = 24,
                                       .loads = loads,
                                       .load = load,
                                       .some_write = some_write,
                                       .some_address = some_address,
                                       .search = {{0, 0x003}, {1, 0x2101}}};

/* It alone has head_last_i. */
static ready_in without_last(const deficit_in *g) {
  return (ready_in){.request = g->request,
                    .ready = g->ready,
                    .head_valid = g->head_valid,
                    .head_vl = g->head_vl,
                    .head_size = g->head_size,
                    .head_sl = g->head_sl,
                    .table_we = g->table_we,
                    .table_addr = g->table_addr,
                    .table_data = g->table_data};
}

static deficit_in with_last(const ready_in *i, bool last) {
  return (deficit_in){.request = i->request,
                      .ready = i->ready,
                      .head_valid = i->head_valid,
                      .head_vl = i->head_vl,
                      .head_size = i->head_size,
                      .head_sl = i->head_sl,
                      .head_last = last,
                      .table_we = i->table_we,
                      .table_addr = i->table_addr,
                      .table_data = i->table_data};
}

static void init(void *st, struct rng *rng, const void *cfg, const struct scenario *sc) {
  (void)sc;
  ready_init(st, &kind, rng, cfg);
}

static void next(void *st, uint64_t cycle, const void *out, void *in) {
  ready_in i = {0};
  bool last = ready_next(st, cycle, out, &i);
  *(deficit_in *)in = with_last(&i, last);
}

static void observe(void *st, uint64_t cycle, const void *in, const void *out, const void *probe,
                    struct stats *stats) {
  ready_in i = without_last(in);
  (void)probe;
  ready_observe(st, cycle, &i, out, stats);
}

static uint32_t bfs_depth(const void *cfg) {
  (void)cfg;
  return kind.bfs_depth;
}

static bool bfs_input(const void *cfg, const void *twin, uint32_t n, void *in) {
  ready_in i = {0};
  (void)cfg;
  (void)twin;
  ready_bfs_input(&kind, n, &i);
  *(deficit_in *)in = with_last(&i, i.head_vl);
  return true;
}

static bool bfs_legal(const void *cfg, const void *note, void *in) {
  deficit_in *g = in;
  ready_in i = without_last(g);
  (void)cfg;
  bool legal = ready_bfs_legal(note, &i);
  g->ready = i.ready;
  return legal;
}

static void bfs_after(void *note, const void *in, const void *out) {
  ready_in i = without_last(in);
  ready_bfs_after(note, &i, out);
}

static const struct stim stim = READY_STIM_INIT;
const struct dut deficit_table_dut = DUT_INIT(&stim);

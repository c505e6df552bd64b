/* SPDX-License-Identifier: Apache-2.0 */
/* ready_bench.h - a scheduler that has a word for each key before queues of packets, and the tests
 * that such schedulers have in common (docs/turns.md, docs/fair_queueing.md)
 *
 * Included once, by the test of READY_DUT, which says in APART how many cycles lie between two
 * grants, and in SETTLES how many cycles a VL may take until nothing changes any more.
 */
#ifndef READY_DUT
#error "define READY_DUT, APART and SETTLES before including this file"
#endif

#include "tb/unit/sched/ready_sim.h"

#define READY_OF(suffix) LOOM_GLUE3(loom_, READY_DUT, suffix)

READY_SIM_STEP_OF(READY_DUT);

struct options {
  uint32_t vls, keys, by_vl, mgmt_vl, stay;
};

/* The scheduler and its queues; NULL as a state of cmocka, each test makes its own. */
struct bench {
  struct ready_sim sim;
  struct READY_OF() scheduler;
  struct READY_OF(_cfg) cfg;
};

static void start(struct bench *b, struct options o) {
  memset(b, 0, sizeof *b);
  READY_OF(_defaults)(&b->cfg);
  b->cfg.VLS = o.vls ? o.vls : b->cfg.VLS;
  b->cfg.KEYS = o.keys ? o.keys : b->cfg.KEYS;
  b->cfg.ARB_KEY = !o.by_vl;
  b->cfg.MGMT_VL = o.mgmt_vl ? o.mgmt_vl : b->cfg.MGMT_VL;
  b->cfg.STAY_CYCLES = o.stay;
  assert_true(READY_OF(_cfg_ok)(&b->cfg));
  READY_OF(_init)(&b->scheduler, &b->cfg);
  b->sim = (struct ready_sim){.scheduler = &b->scheduler,
                              .step = LOOM_GLUE3(, READY_DUT, _sim_step),
                              .vls = b->cfg.VLS,
                              .apart = APART,
                              .random = 1};
  ready_sim_idle(&b->sim, b->cfg.KEYS);
}

static void settle(struct bench *b) { ready_sim_idle(&b->sim, SETTLES * b->cfg.VLS + 16); }

/* SC-09: the words that are given make VLs 0, 1 and 2 share by 1 : 2 : 3 in units, with packets of
 * 3, 2 and 7 units. */
static void expect_shares_1_2_3(const uint32_t *word) {
  static const uint32_t size[] = {3, 2, 7};
  struct bench b;
  start(&b, (struct options){.stay = 8});
  for (uint32_t v = 0; v < 3; v++) {
    ready_sim_write(&b.sim, v, word[v]);
    ready_sim_queue(&b.sim, v, v, size[v], ENDLESS);
  }
  for (uint32_t n = 0; n < 30000; n++)
    ready_sim_next(&b.sim);
  double all = (double)(b.sim.flow[0].sent + b.sim.flow[1].sent + b.sim.flow[2].sent);
  for (uint32_t v = 0; v < 3; v++)
    assert_true((double)b.sim.flow[v].sent / all - (v + 1) / 6.0 < 0.0005 &&
                (v + 1) / 6.0 - (double)b.sim.flow[v].sent / all < 0.0005);
}

static void a_head_without_a_size_or_a_key_never_goes(void **state) {
  (void)state;
  struct bench b;
  start(&b, (struct options){.keys = 20});
  ready_sim_queue(&b.sim, 0, 20, 1, 1);
  ready_sim_queue(&b.sim, 1, 0, 0, 1);
  settle(&b);
  for (uint32_t i = 0; i < 200; i++)
    assert_int_equal(ready_sim_cycle(&b.sim, true), NO_GRANT);
}

static void memories_are_swept_after_reset(void **state) {
  (void)state;
  struct bench b;
  start(&b, (struct options){0});
  /* `start` has taken the cycles of the sweep: its last one was busy, the next is not */
  assert_true(b.sim.shown.busy && !b.sim.shown.ready);
  ready_sim_cycle(&b.sim, false);
  assert_true(!b.sim.shown.busy && b.sim.shown.ready);
}

static void writes_hold_no_grant_up(void **state) {
  (void)state;
  struct bench b;
  start(&b, (struct options){.stay = 8});
  ready_sim_queue(&b.sim, 0, 0, 1, ENDLESS);
  settle(&b);
  uint64_t granted = 0;
  for (uint32_t i = 0; i < 70 * APART; i++) {
    b.sim.table.table_we = true;
    b.sim.table.table_data = 1;
    granted += ready_sim_cycle(&b.sim, true) == 0;
  }
  assert_true(granted >= 69);
}

static void parameters_that_do_not_fit_are_refused(void **state) {
  (void)state;
  struct READY_OF(_cfg) c;
  READY_OF(_defaults)(&c);
  c.ARB_KEY = 0;
  c.KEYS = 15;
  assert_false(READY_OF(_cfg_ok)(&c));
  c.KEYS = 16;
  assert_true(READY_OF(_cfg_ok)(&c));
  c.STAY_CYCLES = 9;
  assert_string_equal(READY_OF(_bad_param)(&c), "STAY_CYCLES");
}

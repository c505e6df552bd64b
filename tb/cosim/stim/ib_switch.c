/* SPDX-License-Identifier: Apache-2.0 */
/* ib_switch.c - traffic for ib_switch: live endpoints on every port, see switch_traffic.h */
#include "switch/ib_switch.h"

#include "tb/cosim/switch_traffic.h"

#define DUT_NAME ib_switch
#define DUT_LIST "switch/ib_switch.def"
#include "tb/cosim/dut.h"

END_SAME_PORTS(ib_switch);

static void init(void *st, struct rng *rng, const void *cfg, const struct scenario *sc) {
  struct switch_state *s = st;
  const struct loom_ib_switch_cfg *c = cfg;
  s->facts = (struct switch_facts){SWITCH_FACTS(c), .rate = c->SPEEDUP, .ports = c->PORTS,
                                   .lids = c->LIDS};
  s->facts.central = s->facts.local;
  s->facts.sched =
      switch_sched_of(&s->facts, c->SCHED, c->ENTRIES, c->IB_WEIGHTS, c->N_HIGH, c->N_LOW);
  switch_init(s, rng, sc);
}

static void next(void *st, uint64_t cycle, const void *out, void *in) {
  switch_next(st, cycle, out, in);
}

static void observe(void *st, uint64_t cycle, const void *in, const void *out, const void *probe,
                    struct stats *stats) {
  const struct loom_ib_switch_probe *p = probe;
  switch_observe(st, cycle, in, out, p->idle, stats);
}

static const struct stim stim = {.size = sizeof(struct switch_state),
                                 .episode = 20000,
                                 .init = init,
                                 .next = next,
                                 .observe = observe,
                                 .check = switch_check,
                                 .verdict = switch_verdict};
const struct dut ib_switch_dut = DUT_INIT(&stim);

/* SPDX-License-Identifier: Apache-2.0 */
/* crossbar_switch.c - traffic for crossbar_switch: live endpoints on every port, see
 * switch_traffic.h */
#include "switch/crossbar_switch.h"

#include "tb/cosim/switch_traffic.h"

#define DUT_NAME crossbar_switch
#define DUT_LIST "switch/crossbar_switch.def"
#include "tb/cosim/dut.h"

END_SAME_PORTS(crossbar_switch);

/* docs/crossbar_switch.md: what groups add to the latency of a packet. */
enum { GROUPED = 3 };

/* The values of ROUTE are those of switch_finds. */
_Static_assert(FINDS_LFT == 0 && FINDS_NODE == 1 && FINDS_DIMENSION == 2, "ROUTE");

static void init(void *st, struct rng *rng, const void *cfg, const struct scenario *sc) {
  struct switch_state *s = st;
  const struct loom_crossbar_switch_cfg *c = cfg;
  s->facts = (struct switch_facts){
      SWITCH_FACTS_2(c),   .rate = c->SPEEDUP,  .finds = (enum switch_finds)c->ROUTE,
      .hosts = c->HOSTS,   .dims = c->DIMS,     .w = c->W,
      .groups = c->GROUPS, .bubble = c->BUBBLE, .ports = c->PORTS};
  s->facts.local = s->facts.central =
      switch_alone_2(c->IN_DELAY, c->OUT_DELAY) + (c->GROUPS ? (uint32_t)GROUPED : 0);
  /* quanta and prices have the addresses of weights */
  uint32_t which = c->SCHED >= LOOM_OUTPUT_DEFICIT_ROUND_ROBIN ? 1 : (uint32_t)c->SCHED;
  s->facts.sched = switch_sched_of(&s->facts, which, c->ENTRIES, 0, c->N_HIGH, c->N_LOW);
  switch_init(s, rng, sc);
}

static void next(void *st, uint64_t cycle, const void *out, void *in) {
  switch_next(st, cycle, out, in);
}

static void observe(void *st, uint64_t cycle, const void *in, const void *out, const void *probe,
                    struct stats *stats) {
  const struct loom_crossbar_switch_probe *p = probe;
  switch_observe(st, cycle, in, out, p->idle, stats);
}

static const struct stim stim = {.size = sizeof(struct switch_state),
                                 .episode = 20000,
                                 .init = init,
                                 .next = next,
                                 .observe = observe,
                                 .check = switch_check,
                                 .verdict = switch_verdict};
const struct dut crossbar_switch_dut = DUT_INIT(&stim);

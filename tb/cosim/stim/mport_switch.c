/* SPDX-License-Identifier: Apache-2.0 */
/* mport_switch.c - traffic for mport_switch: live endpoints on every port, see switch_traffic.h */
#include "switch/mport_switch.h"

#include "tb/cosim/switch_traffic.h"

#define DUT_NAME mport_switch
#define DUT_LIST "switch/mport_switch.def"
#include "tb/cosim/dut.h"

END_SAME_PORTS(mport_switch);

/* docs/mport_switch.md: what the way through the centre adds to a packet that is alone, and how
 * long the rule takes to be told to the inputs. */
enum { CENTRE = 6, RULE_CYCLES = 40 };

static void init(void *st, struct rng *rng, const void *cfg, const struct scenario *sc) {
  struct switch_state *s = st;
  const struct loom_mport_switch_cfg *c = cfg;
  s->facts = (struct switch_facts){SWITCH_FACTS_2(c),
                                   .opa = true,
                                   .ports = 4 * c->MPORTS,
                                   .centrals = 2 * c->MPORTS,
                                   .rate = c->MPORT_SPEEDUP,
                                   .cells_central = c->CELLS_CENTRAL,
                                   .reserved_central = c->RESERVED_CENTRAL,
                                   .told = RULE_CYCLES};
  s->facts.local = switch_alone_2(c->IN_DELAY, c->OUT_DELAY);
  s->facts.central = s->facts.local + CENTRE + c->CENTRAL_DELAY;
  s->facts.sched = switch_sched_of(&s->facts, c->SCHED, c->ENTRIES, 0, c->N_HIGH, c->N_LOW);
  switch_init(s, rng, sc);
}

static void next(void *st, uint64_t cycle, const void *out, void *in) {
  switch_next(st, cycle, out, in);
}

static void observe(void *st, uint64_t cycle, const void *in, const void *out, const void *probe,
                    struct stats *stats) {
  const struct loom_mport_switch_probe *p = probe;
  switch_observe(st, cycle, in, out, p->idle, stats);
}

static const struct stim stim = {.size = sizeof(struct switch_state),
                                 .episode = 20000,
                                 .init = init,
                                 .next = next,
                                 .observe = observe,
                                 .check = switch_check,
                                 .verdict = switch_verdict};
const struct dut mport_switch_dut = DUT_INIT(&stim);

/* SPDX-License-Identifier: Apache-2.0 */
/* opa_switch.c - traffic for opa_switch: live endpoints on every port, see switch_traffic.h */
#include "switch/opa_switch.h"

#include "tb/cosim/switch_traffic.h"

#define DUT_NAME opa_switch
#define DUT_LIST "switch/opa_switch.def"
#include "tb/cosim/dut.h"

END_SAME_PORTS(opa_switch);

enum { CENTRAL_RR = 4, CENTRAL_SCHED_CYCLES = 4 };

static void init(void *st, struct rng *rng, const void *cfg, const struct scenario *sc) {
  struct switch_state *s = st;
  const struct loom_opa_switch_cfg *c = cfg;
  s->facts = (struct switch_facts){SWITCH_FACTS(c),
                                   .opa = true,
                                   .ports = 4 * c->MPORTS,
                                   .centrals = 2 * c->MPORTS,
                                   .rate = c->MPORT_SPEEDUP,
                                   .central_rate = 2 * c->MPORT_SPEEDUP,
                                   .cells_central = c->CELLS_CENTRAL,
                                   .reserved_central = c->RESERVED_CENTRAL,
                                   .lids = c->LIDS};
  struct switch_facts *f = &s->facts;
  f->central = f->local + c->ALLOCATION_CYCLES + c->CROSSBAR_CYCLES +
               (c->CENTRAL_SCHED < CENTRAL_RR ? CENTRAL_SCHED_CYCLES : 0);
  f->sched = switch_sched_of(f, c->SCHED, c->ENTRIES, c->IB_WEIGHTS, c->N_HIGH, c->N_LOW);
  f->central_sched =
      switch_sched_of(f, c->CENTRAL_SCHED, c->ENTRIES, c->IB_WEIGHTS, c->N_HIGH, c->N_LOW);
  switch_init(s, rng, sc);
}

static void next(void *st, uint64_t cycle, const void *out, void *in) {
  switch_next(st, cycle, out, in);
}

static void observe(void *st, uint64_t cycle, const void *in, const void *out, const void *probe,
                    struct stats *stats) {
  const struct loom_opa_switch_probe *p = probe;
  switch_observe(st, cycle, in, out, p->idle, stats);
}

/* OP-04: at most 2 * MPORT_SPEEDUP flits a cycle go from an MPort to the central buffers. */
static void look_inside(void *st, const void *twin) {
  struct switch_state *s = st;
  const struct loom_switch *t = &((const struct loom_opa_switch *)twin)->core;
  uint32_t flits[LOOM_SWITCH_CENTRALS / 2] = {0};
  const struct loom_switch_words *written = &t->words[!t->sending];
  for (uint32_t k = 0; k < written->count; k++) {
    uint32_t word = written->word[k], node = LOOM_QUEUE_NODE(word / LOOM_WORD_FLITS);
    if (LOOM_SWITCH_BUFFER_TIER(node) == LOOM_SWITCH_CENTRAL) {
      flits[LOOM_SWITCH_BUFFER_INDEX(node) / 2] += word % LOOM_WORD_FLITS;
      s->central.flits += word % LOOM_WORD_FLITS;
    }
  }
  for (uint32_t m = 0; m < s->facts.ports / 4; m++)
    s->central.most = loom_max(s->central.most, flits[m]);
  s->central.cycles++;
}

static bool check(const void *st, char *why, size_t why_size) {
  const struct switch_state *s = st;
  if (s->central.most <= s->facts.central_rate)
    return switch_check(st, why, why_size);
  snprintf(why, why_size, "%u flits in a cycle from an MPort to the central", s->central.most);
  return false;
}

static const struct stim stim = {.size = sizeof(struct switch_state),
                                 .episode = 20000,
                                 .init = init,
                                 .next = next,
                                 .observe = observe,
                                 .look_inside = look_inside,
                                 .check = check,
                                 .verdict = switch_verdict};
const struct dut opa_switch_dut = DUT_INIT(&stim);

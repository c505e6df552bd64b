/* SPDX-License-Identifier: Apache-2.0 */
/* crossbar_switch.c - traffic for crossbar_switch: live endpoints on every port, see
 * switch_traffic.h */
#include "switch/crossbar_switch.h"

#include "tb/cosim/switch_traffic.h"

#define DUT_NAME crossbar_switch
#define DUT_LIST "switch/crossbar_switch.def"
#include "tb/cosim/dut.h"

END_SAME_PORTS(crossbar_switch);

/* docs/crossbar_switch.md: the latency of a packet that is alone, and what groups add; without
 * OUT_DELAY its first word is waited for. */
enum { ALONE = 19, GROUPED = 3 };

/* The values of ROUTE are those of switch_finds. */
_Static_assert(FINDS_LFT == 0 && FINDS_NODE == 1 && FINDS_DIMENSION == 2, "ROUTE");

/* Senders begin with half of the units shared alike, as the far end of another switch would say. */
static uint32_t reserved_in(const struct loom_crossbar_switch_cfg *c) {
  return loom_max(c->CELLS_IN / 2 / c->VLS, loom_min(c->MTU_UNITS, c->CELLS_IN / c->VLS));
}

static void init(void *st, struct rng *rng, const void *cfg, const struct scenario *sc) {
  struct switch_state *s = st;
  const struct loom_crossbar_switch_cfg *c = cfg;
  s->facts = (struct switch_facts){.vls = c->VLS,
                                   .mgmt = loom_min(15, c->VLS - 1),
                                   .cells_in = c->CELLS_IN,
                                   .cells_out = c->CELLS_OUT,
                                   .reserved_in = reserved_in(c),
                                   .reserved_out = c->RESERVED_OUT,
                                   .remote_units = c->REMOTE_UNITS,
                                   .remote_reserved = c->REMOTE_RESERVED,
                                   .mtu_units = c->MTU_UNITS,
                                   .keys = c->KEYS,
                                   .arb_key = c->ARB_KEY,
                                   .ahead = 7 + c->IN_DELAY + c->STALL_CYCLES,
                                   .rate = c->SPEEDUP,
                                   .finds = (enum switch_finds)c->ROUTE,
                                   .hosts = c->HOSTS,
                                   .dims = c->DIMS,
                                   .w = c->W,
                                   .groups = c->GROUPS,
                                   .ports = c->PORTS,
                                   .lids = c->LIDS,
                                   .sweep = LOOM_CHASSIS_START,
                                   .pace = LOOM_CHASSIS_PACE,
                                   .gentle = true};
  s->facts.local = s->facts.central =
      ALONE + (c->GROUPS ? (uint32_t)GROUPED : 0) + c->IN_DELAY + loom_max(c->OUT_DELAY, 1);
  s->facts.sched = switch_sched_of(&s->facts, c->SCHED, c->ENTRIES, 0, c->N_HIGH, c->N_LOW);
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

/* SPDX-License-Identifier: Apache-2.0 */
/* crosspoint_router.c - traffic for crosspoint_router: live ends on every link, see
 * elite5_traffic.h */
#include "elite5/crosspoint_router.h"

#include "tb/cosim/elite5_traffic.h"

#define DUT_NAME crosspoint_router
#define DUT_LIST "elite5/crosspoint_router.def"
#include "tb/cosim/dut.h"

END_SAME_ELITE5_PORTS(crosspoint_router);

static void init(void *st, struct rng *rng, const void *cfg, const struct scenario *sc) {
  struct elite5_state *s = st;
  const struct loom_crosspoint_router_cfg *c = cfg;
  s->facts = (struct elite5_facts){.links = c->LINKS,
                                   .vcs = c->VCS,
                                   .bvcs = c->BVCS,
                                   .pool = c->POOL,
                                   .dests = c->DESTS,
                                   .classes = c->CLASSES,
                                   .groups = c->GROUPS,
                                   .unicast_vcs = c->VCS - c->BVCS,
                                   .header = 8 + c->PIPE,
                                   .broadcast = 16 + c->PIPE,
                                   .reply = 4,
                                   .answer = c->LINKS + 3,
                                   .aged = c->PIPE < 3 ? 2 : 3,
                                   .one_test = true};
  elite5_init(s, rng, sc);
}

static void next(void *st, uint64_t cycle, const void *out, void *in) {
  elite5_next(st, cycle, out, in);
}

static void observe(void *st, uint64_t cycle, const void *in, const void *out, const void *probe,
                    struct stats *stats) {
  const struct loom_crosspoint_router_probe *p = probe;
  elite5_observe(st, cycle, in, out, (uint32_t)p->up, stats);
}

static const struct stim stim = {.size = sizeof(struct elite5_state),
                                 .episode = ELITE5_EPISODE,
                                 .init = init,
                                 .next = next,
                                 .observe = observe,
                                 .check = elite5_check,
                                 .verdict = elite5_verdict};
const struct dut crosspoint_router_dut = DUT_INIT(&stim);

/* SPDX-License-Identifier: Apache-2.0 */
/* elite5_router.h - twin of loom_elite5_router: the crosspoint router of QsNetIII
 * (docs/elite5.md; E5-01..40)
 *
 * Registers in another form than in the circuit:
 *   time: now + time_base
 */
#ifndef LOOM_ELITE5_ELITE5_ROUTER_H
#define LOOM_ELITE5_ELITE5_ROUTER_H

#define LOOM_DUT elite5_router
#define LOOM_DEF "elite5/elite5_router.def"
#include <loom/def.h>

#include "elite5/elite5_state.h"

/* The parameters are legal together. */
bool loom_elite5_router_cfg_ok(const struct loom_elite5_router_cfg *cfg);
void loom_elite5_router_init(struct loom_elite5_router *s,
                             const struct loom_elite5_router_cfg *cfg);
/* The same, of a struct that is all 0: what stays so is not touched. */
void loom_elite5_router_start(struct loom_elite5_router *s,
                              const struct loom_elite5_router_cfg *cfg);
void loom_elite5_router_step(struct loom_elite5_router *s, const struct loom_elite5_router_in *in,
                             struct loom_elite5_router_out *out);
void loom_elite5_router_probe(const struct loom_elite5_router *s,
                              struct loom_elite5_router_probe *p);

/* ---- for fabrics, instead of step ------------------------------------------------------------ */

/* In each cycle first look at the outputs of all routers, then do the edge of each. Costs what is
 * on the links, not what there are of them. */

/* out_valid_o, out_head_o, out_tail_o, out_vl_o, out_data_o. */
static inline const struct loom_elite5_words *
loom_elite5_router_words(const struct loom_elite5_router *s) {
  return &s->way[s->now % LOOM_ELITE5_STAGES];
}

/* in_cr_*_o and in_rep_*_o. */
static inline const struct loom_elite5_returns *
loom_elite5_router_returns(const struct loom_elite5_router *s) {
  return &s->back;
}

/* out_signal_o. */
static inline loom_links loom_elite5_router_signal(const struct loom_elite5_router *s) {
  return s->enabled & ~(s->failed | s->fallen);
}

/* The edge of a cycle with these inputs; bits of links that the router does not have are 0, as are
 * head and tail where valid is, and rep_ack where rep_valid is. */
void loom_elite5_router_edge(struct loom_elite5_router *s, const struct loom_elite5_lanes *lanes);

/* A write that no edge looks at before a packet comes, of tables and how much of them is in use: it
 * is done at once. False: it is none. */
bool loom_elite5_router_load(struct loom_elite5_router *s, uint32_t addr, uint32_t data);

/* Nothing shows, the signals are those that were shown in the last cycle, and edges with the signal
 * of the last one and nothing else on their inputs change nothing but what loom_elite5_router_skip
 * makes up for (docs/elite5.md, section Sleep). */
bool loom_elite5_router_sleeps(const struct loom_elite5_router *s);
/* So many edges of a router that sleeps. */
void loom_elite5_router_skip(struct loom_elite5_router *s, uint64_t cycles);

#endif

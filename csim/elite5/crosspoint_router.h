/* SPDX-License-Identifier: Apache-2.0 */
/* crosspoint_router.h - twin of loom_crosspoint_router: the router of QsNetIII, second edition
 * (docs/crosspoint_router.md; E5-01..40)
 *
 * Registers in another form than in the circuit:
 *   time: now + time_base
 *   access: table
 *   settings: set
 *   rvalid, rdata: bus and answer_word of the accesses under way
 */
#ifndef LOOM_ELITE5_CROSSPOINT_ROUTER_H
#define LOOM_ELITE5_CROSSPOINT_ROUTER_H

#define LOOM_DUT crosspoint_router
#define LOOM_DEF "elite5/crosspoint_router.def"
#include <loom/def.h>

#include "elite5/crosspoint_state.h"

/* The parameters are legal together. */
bool loom_crosspoint_router_cfg_ok(const struct loom_crosspoint_router_cfg *cfg);
/* Bytes of storage that init needs, aligned to 8. */
size_t loom_crosspoint_router_storage_size(const struct loom_crosspoint_router_cfg *cfg);
void loom_crosspoint_router_init(struct loom_crosspoint_router *s,
                                 const struct loom_crosspoint_router_cfg *cfg, void *storage);
/* The same, of a struct and a storage that are all 0: what stays so is not touched. */
void loom_crosspoint_router_start(struct loom_crosspoint_router *s,
                                  const struct loom_crosspoint_router_cfg *cfg, void *storage);
void loom_crosspoint_router_step(struct loom_crosspoint_router *s,
                                 const struct loom_crosspoint_router_in *in,
                                 struct loom_crosspoint_router_out *out);
void loom_crosspoint_router_probe(const struct loom_crosspoint_router *s,
                                  struct loom_crosspoint_router_probe *p);

/* ---- for fabrics, instead of step ------------------------------------------------------------ */

/* In each cycle first look at the outputs of all routers, then do the edge of each. */

/* out_valid_o, out_head_o, out_tail_o, out_vl_o, out_data_o. */
static inline const struct loom_elite5_words *
loom_crosspoint_router_words(const struct loom_crosspoint_router *s) {
  return &s->way[(s->now + LOOM_CROSSPOINT_WAY - 1) % LOOM_CROSSPOINT_WAY];
}

/* in_cr_*_o and in_rep_*_o. */
static inline const struct loom_elite5_returns *
loom_crosspoint_router_returns(const struct loom_crosspoint_router *s) {
  return &s->back;
}

/* out_signal_o. */
static inline loom_links loom_crosspoint_router_signal(const struct loom_crosspoint_router *s) {
  return s->enabled & ~(s->failed | s->fallen);
}

/* reg_rdata_o: the answer to the access that came LINKS + 3 cycles ago. */
static inline uint32_t loom_crosspoint_router_answer(const struct loom_crosspoint_router *s) {
  uint64_t asked = s->now - s->size.links - LOOM_CROSSPOINT_ANSWER_CYCLES;
  return s->answer_word[asked % LOOM_CROSSPOINT_BUS];
}

/* The edge of a cycle with these inputs; bits of links that the router does not have are 0, as are
 * head and tail where valid is, and rep_ack where rep_valid is. */
void loom_crosspoint_router_edge(struct loom_crosspoint_router *s,
                                 const struct loom_elite5_lanes *lanes);

/* A write that no edge looks at before a packet comes, of tables and how much of them is in use: it
 * is done at once. False: it is none. */
bool loom_crosspoint_router_load(struct loom_crosspoint_router *s, uint32_t addr, uint32_t data);

/* Nothing shows, the signals are those that were shown in the last cycle, and edges with the signal
 * of the last one and nothing else on their inputs change nothing but what
 * loom_crosspoint_router_skip makes up for (docs/crosspoint_router.md, section Sleep). */
bool loom_crosspoint_router_sleeps(const struct loom_crosspoint_router *s);
/* So many edges of a router that sleeps. */
void loom_crosspoint_router_skip(struct loom_crosspoint_router *s, uint64_t cycles);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* pipelined_alloc.h - twin of loom_pipelined_alloc: which packet of which input goes to which
 * output next (docs/allocation.md; OP-11)
 */
#ifndef LOOM_SWITCH_PIPELINED_ALLOC_H
#define LOOM_SWITCH_PIPELINED_ALLOC_H

#define LOOM_DUT pipelined_alloc
#define LOOM_DEF "switch/pipelined_alloc.def"
#include <loom/def.h>

#include <stdbool.h>

#include "switch/allocation.h"

/* What is one bit a port is a set of ports here. There is one bank of each, as all know all. */
struct loom_pipelined_alloc {
  uint32_t ports, patience; /* parameters: PORTS, PATIENCE */
  uint32_t time;            /* cycles */
  struct loom_alloc_sources sources[1];
  struct loom_alloc_targets targets[1];
  struct loom_alloc_source source[LOOM_ALLOC_PORTS];
  struct loom_alloc_target target[LOOM_ALLOC_PORTS];
};

bool loom_pipelined_alloc_cfg_ok(const struct loom_pipelined_alloc_cfg *cfg);
void loom_pipelined_alloc_init(struct loom_pipelined_alloc *s,
                               const struct loom_pipelined_alloc_cfg *cfg);
/* show, then edge. */
void loom_pipelined_alloc_step(struct loom_pipelined_alloc *s,
                               const struct loom_pipelined_alloc_in *in,
                               struct loom_pipelined_alloc_out *out);
void loom_pipelined_alloc_probe(const struct loom_pipelined_alloc *s,
                                struct loom_pipelined_alloc_probe *p);

/* The two halves of a cycle: the outputs, which depend on registers alone, and the edge. An edge
 * costs what the heads ask for, not what there are of ports and lanes. */
void loom_pipelined_alloc_show(const struct loom_pipelined_alloc *s,
                               struct loom_pipelined_alloc_out *out);
void loom_pipelined_alloc_edge(struct loom_pipelined_alloc *s,
                               const struct loom_pipelined_alloc_in *in);
/* The lane that is offered at this stage, and what the offer is about; for a source in `took` and
 * the stage DONE, what is booked. */
static inline uint32_t loom_pipelined_alloc_lane(const struct loom_pipelined_alloc *s,
                                                 uint32_t source, uint32_t stage) {
  return loom_alloc_lane(&s->source[source], s->time, stage);
}
static inline const struct loom_alloc_record *
loom_pipelined_alloc_record(const struct loom_pipelined_alloc *s, uint32_t source, uint32_t stage) {
  return loom_alloc_record(&s->source[source], s->time, stage);
}
/* With these inputs, and no head event, nothing happens at any edge but what `skip` does. */
bool loom_pipelined_alloc_rests(const struct loom_pipelined_alloc *s,
                                const struct loom_pipelined_alloc_in *in);
void loom_pipelined_alloc_skip(struct loom_pipelined_alloc *s, uint64_t cycles);

#endif

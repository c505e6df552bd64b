/* SPDX-License-Identifier: Apache-2.0 */
/* mport_alloc.h - twin of loom_mport_alloc: which packet of which input or central unit of an
 * Omni-Path switch goes to which output or central unit next (docs/mport_switch.md,
 * docs/allocation.md; OP-11)
 *
 * Registers in another form than in the circuit:
 *   central_known, central_hold, central_took: known, hold and took of the second bank
 */
#ifndef LOOM_SWITCH_MPORT_ALLOC_H
#define LOOM_SWITCH_MPORT_ALLOC_H

#define LOOM_DUT mport_alloc
#define LOOM_DEF "switch/mport_alloc.def"
#include <loom/def.h>

#include <stdbool.h>

#include "switch/allocation.h"

enum {
  LOOM_MPORT_OUTER = 0,   /* bank of the inputs, and of the outputs */
  LOOM_MPORT_CENTRAL = 1, /* bank of the central units */
  LOOM_MPORT_BANKS = 2,
  LOOM_MPORT_CENTRALS = 24,
  LOOM_MPORT_ENDS = LOOM_ALLOC_PORTS + LOOM_MPORT_CENTRALS,
};

/* Index in an array of both banks: the central units begin at LOOM_ALLOC_PORTS, however many ports
 * there are. */
static inline uint32_t loom_mport_alloc_index(uint32_t bank, uint32_t place) {
  return bank * LOOM_ALLOC_PORTS + place;
}

struct loom_mport_alloc {
  uint32_t mports, patience; /* parameters: MPORTS, PATIENCE */
  uint32_t time;             /* cycles */
  struct loom_alloc_sources sources[LOOM_MPORT_BANKS];
  struct loom_alloc_targets targets[LOOM_MPORT_BANKS];
  struct loom_alloc_source source[LOOM_MPORT_ENDS];
  struct loom_alloc_target target[LOOM_MPORT_ENDS];
};

/* A head, if there is an event. */
struct loom_mport_alloc_head {
  uint8_t lane;
  struct loom_alloc_record record;
};

/* What a cycle brings, by bank: sets of sources and of targets, heads of sources, and sets of lanes
 * of targets. */
struct loom_mport_alloc_cycle {
  uint64_t head_event[LOOM_MPORT_BANKS];
  uint64_t source_ready[LOOM_MPORT_BANKS], target_ready[LOOM_MPORT_BANKS];
  struct loom_mport_alloc_head head[LOOM_MPORT_ENDS];
  uint32_t room[LOOM_MPORT_ENDS];
};

/* The parameters are legal together. */
bool loom_mport_alloc_cfg_ok(const struct loom_mport_alloc_cfg *cfg);
void loom_mport_alloc_init(struct loom_mport_alloc *s, const struct loom_mport_alloc_cfg *cfg);
/* show, then edge. */
void loom_mport_alloc_step(struct loom_mport_alloc *s, const struct loom_mport_alloc_in *in,
                           struct loom_mport_alloc_out *out);
void loom_mport_alloc_probe(const struct loom_mport_alloc *s, struct loom_mport_alloc_probe *p);

/* The two halves of a cycle: the outputs, which depend on registers alone, and the edge. An edge
 * costs what the heads ask for, not what there are of ports and lanes. */
void loom_mport_alloc_show(const struct loom_mport_alloc *s, struct loom_mport_alloc_out *out);
void loom_mport_alloc_edge(struct loom_mport_alloc *s, const struct loom_mport_alloc_cycle *in);
/* The target that this source knows by this number, with the number that it has for the source; and
 * the source that this target knows so. */
struct loom_alloc_end loom_mport_alloc_target(uint32_t bank, uint32_t source, uint32_t number);
struct loom_alloc_end loom_mport_alloc_source(uint32_t bank, uint32_t target, uint32_t number);
/* The lane that is offered at this stage, and what the offer is about; for a source in `took` and
 * the stage DONE, what is booked. `index`: of the source. */
static inline uint32_t loom_mport_alloc_lane(const struct loom_mport_alloc *s, uint32_t index,
                                             uint32_t stage) {
  return loom_alloc_lane(&s->source[index], s->time, stage);
}
static inline const struct loom_alloc_record *
loom_mport_alloc_record(const struct loom_mport_alloc *s, uint32_t index, uint32_t stage) {
  return loom_alloc_record(&s->source[index], s->time, stage);
}
/* With these inputs, and no head event, nothing happens at any edge but what `skip` does. */
bool loom_mport_alloc_rests(const struct loom_mport_alloc *s,
                            const struct loom_mport_alloc_cycle *in);
void loom_mport_alloc_skip(struct loom_mport_alloc *s, uint64_t cycles);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* pipelined_alloc.h - twin of loom_pipelined_alloc: which packet of which input goes to which
 * output next (docs/allocation.md; OP-11)
 */
#ifndef LOOM_SWITCH_PIPELINED_ALLOC_H
#define LOOM_SWITCH_PIPELINED_ALLOC_H

#define LOOM_DUT pipelined_alloc
#define LOOM_DEF "switch/pipelined_alloc.def"
#include <loom/def.h>

#include <loom/limits.h>
#include <stdbool.h>

#include "parts/rr_arbiter.h"

enum { LOOM_ALLOC_PORTS = 48, LOOM_ALLOC_STAGES = 4 };
enum { LOOM_ALLOC_PICK, LOOM_ALLOC_LOOK, LOOM_ALLOC_ASK, LOOM_ALLOC_DONE }; /* stages of an offer */

/* What comes with a head event. */
struct loom_alloc_record {
  uint64_t info;
  uint8_t target, vl;
};

/* The offers at one stage: sets of sources. `turn`: the lane had the turn when it was picked. */
struct loom_alloc_stage {
  uint64_t valid, turn;
};

struct loom_alloc_source {
  uint32_t wait, present; /* sets of lanes */
  uint8_t next;
  uint8_t turn; /* of a source without heads: less turn_spin, modulo LANES */
  uint8_t turn_target, turn_vl;
  uint8_t lane[LOOM_ALLOC_STAGES]; /* of the offers; which stage is where turns with the cycle */
  struct loom_alloc_record record[LOOM_VLS];
};

struct loom_alloc_target {
  uint64_t wanted; /* set of sources: those that are known with a turn that goes here */
  uint32_t was;    /* set of lanes, kept only in the cycle after rest[0] */
  uint8_t due;     /* while nobody wants it: less due_spin, modulo PORTS */
  uint8_t count;
  uint8_t hold_vl;
  uint8_t booked_source;
  struct loom_rr_arbiter arbiter;
};

/* What is one bit a port is a set of ports here. */
struct loom_pipelined_alloc {
  uint32_t ports, lanes, patience; /* parameters: PORTS, LANES, PATIENCE */

  /* Sources. */
  uint64_t busy; /* those with a head */
  uint64_t known, mine, insist;
  uint64_t source_ready, source_rest;
  uint64_t took; /* those with a target that has booked them */
  struct loom_alloc_stage pick, look, ask, done;
  uint64_t ask_good;

  /* Targets. */
  uint64_t sought; /* those that somebody wants */
  uint64_t booked, rest0, rest1, target_ready;
  uint64_t hold, hold_room;

  uint32_t turn_spin, due_spin; /* cycles, modulo LANES and modulo PORTS */
  uint32_t time;                /* cycles */
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
 * the stage DONE, what is booked. It stays in its RAM: no event changes it meanwhile. */
static inline uint32_t loom_pipelined_alloc_lane(const struct loom_pipelined_alloc *s,
                                                 uint32_t source, uint32_t stage) {
  return s->source[source].lane[(s->time - stage) % LOOM_ALLOC_STAGES];
}
static inline const struct loom_alloc_record *
loom_pipelined_alloc_record(const struct loom_pipelined_alloc *s, uint32_t source, uint32_t stage) {
  return &s->source[source].record[loom_pipelined_alloc_lane(s, source, stage)];
}
/* With these inputs, and no head event, nothing happens at any edge but what `skip` does. */
bool loom_pipelined_alloc_rests(const struct loom_pipelined_alloc *s,
                                const struct loom_pipelined_alloc_in *in);
void loom_pipelined_alloc_skip(struct loom_pipelined_alloc *s, uint64_t cycles);

#endif

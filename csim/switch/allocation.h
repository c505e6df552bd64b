/* SPDX-License-Identifier: Apache-2.0 */
/* allocation.h - what the twins of allocations are made of: sources, targets and the offers between
 * them (docs/allocation.md, docs/mport_switch.md; OP-11)
 * Inside: pipelined_alloc, mport_alloc.
 *
 * Sources stand in banks, and so do targets, so that a set of those of a bank is one word.
 */
#ifndef LOOM_SWITCH_ALLOCATION_H
#define LOOM_SWITCH_ALLOCATION_H

#include <loom/limits.h>
#include <stdint.h>

#include "parts/rr_arbiter.h"

enum { LOOM_ALLOC_PORTS = 48, LOOM_ALLOC_STAGES = 4 };                      /* of a bank, at most */
enum { LOOM_ALLOC_PICK, LOOM_ALLOC_LOOK, LOOM_ALLOC_ASK, LOOM_ALLOC_DONE }; /* stages of an offer */

/* What comes with a head event. */
struct loom_alloc_record {
  uint64_t info;
  uint8_t target, vl; /* the target as the source knows it */
};

/* The offers at one stage: sets of sources. `turn`: the lane had the turn when it was picked. */
struct loom_alloc_stage {
  uint64_t valid, turn;
};

struct loom_alloc_source {
  uint32_t present; /* set of lanes */
  uint8_t next;
  uint8_t turn; /* of a source without heads: less turn_spin, modulo what it has of lanes */
  uint8_t turn_target, turn_vl;
  uint8_t lane[LOOM_ALLOC_STAGES]; /* of the offers; which stage is where turns with the cycle */
  struct loom_alloc_record record[LOOM_VLS];
};

/* It knows its sources by numbers of its own. */
struct loom_alloc_target {
  uint64_t wanted; /* set of sources: those that are known with a turn that goes here */
  uint32_t was;    /* set of lanes, kept only in the cycle after rest[0] */
  uint8_t due;     /* while nobody wants it: less due_spin, modulo what it has of sources */
  uint8_t count;
  uint8_t hold_vl;
  uint8_t booked_source;
  struct loom_rr_arbiter arbiter;
};

/* Sets of the sources of a bank. */
struct loom_alloc_sources {
  uint32_t lanes;     /* that each of them has */
  uint32_t turn_spin; /* cycles, modulo those */
  uint64_t busy;      /* those with a head */
  uint64_t known, mine, insist;
  uint64_t ready, rest;
  uint64_t took; /* those with a target that has booked them */
  struct loom_alloc_stage pick, look;
  uint64_t ask; /* those that ask a target which has room */
};

/* Sets of the targets of a bank. */
struct loom_alloc_targets {
  uint64_t sought; /* those that somebody wants */
  uint64_t booked, rest0, rest1, ready;
  uint64_t hold, hold_room;
  uint32_t sources;  /* that each of them has */
  uint32_t due_spin; /* cycles, modulo those */
};

/* A source or a target, as the other end of an offer finds it. */
struct loom_alloc_end {
  uint32_t bank, place; /* where it stands, */
  uint32_t name;        /* and of a target: the number by which it knows the source */
};

/* The lane that is offered at this stage, `time` cycles after the beginning. */
static inline uint32_t loom_alloc_lane(const struct loom_alloc_source *source, uint32_t time,
                                       uint32_t stage) {
  return source->lane[(time - stage) % LOOM_ALLOC_STAGES];
}

/* What the offer is about. It stays in its RAM: no event changes it meanwhile. */
static inline const struct loom_alloc_record *
loom_alloc_record(const struct loom_alloc_source *source, uint32_t time, uint32_t stage) {
  return &source->record[loom_alloc_lane(source, time, stage)];
}

#endif

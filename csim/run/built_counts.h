/* SPDX-License-Identifier: Apache-2.0 */
/* built_counts.h - what a built fabric counts beside its experiment (docs/fabric.md) */
#ifndef LOOM_RUN_BUILT_COUNTS_H
#define LOOM_RUN_BUILT_COUNTS_H

#include <stdbool.h>
#include <stdint.h>

enum { LOOM_COUNTED_COLLECTIVES = 16 };

struct loom_built_counts {
  uint64_t flit_hops; /* flits, or words, that went over links */
  uint64_t spoilt;    /* of these with a wrong bit */
  uint64_t stray;     /* packets where they do not belong: never */
  uint64_t dropped;   /* packets that switches refused or dropped: never */
  uint64_t nacks;     /* elite5: refused packets, sent again */
  uint64_t grants;    /* of the outputs of switches; not of elite5 */
  uint64_t contended; /* of these: more than one VL could go */
  uint64_t compared;  /* cycles of circuits beside twins; the run counts them */
  bool exhausted;     /* memory ran out */
  /* Elite5, in the order of the file: collectives that are over, conditionals of their roots. */
  struct {
    uint64_t over, polls;
  } collective[LOOM_COUNTED_COLLECTIVES];
};

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* vef_generate.h - synthetic traces (docs/vef.md) */
#ifndef LOOM_VEF_VEF_GENERATE_H
#define LOOM_VEF_VEF_GENERATE_H

#include "vef/vef.h"

enum loom_vef_pattern {
  LOOM_VEF_PATTERN_RING,      /* each task to the next */
  LOOM_VEF_PATTERN_ALLTOALL,  /* each task to all others */
  LOOM_VEF_PATTERN_STENCIL,   /* each task to its neighbours in a grid that wraps around */
  LOOM_VEF_PATTERN_RANDOM,    /* each task to some other */
  LOOM_VEF_PATTERN_COLLECTIVE /* all tasks do `op`; task 0 is the root */
};

struct loom_vef_generate_cfg {
  uint64_t seed;
  enum loom_vef_pattern pattern;
  uint32_t tasks;      /* 2..; of a stencil: the product of `grid` */
  uint32_t grid[3];    /* of a stencil: tasks in each dimension, 1 for none */
  uint32_t rounds;     /* 1.. */
  uint32_t bytes;      /* of each message; of a collective: its block */
  uint32_t compute;    /* largest dTime before a round */
  uint32_t clock;      /* picoseconds a unit of dTime */
  uint32_t version;    /* 2: without trigger flags, 3: with */
  enum loom_vef_op op; /* of a collective */
};

/* Messages that the trace would have, or parts of collectives. */
uint64_t loom_vef_generate_size(const struct loom_vef_generate_cfg *cfg);

/* NULL: out of memory, or more than LOOM_VEF_ID_MAX messages. */
struct loom_vef_trace *loom_vef_generate(const struct loom_vef_generate_cfg *cfg);

#endif

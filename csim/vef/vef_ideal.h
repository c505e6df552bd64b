/* SPDX-License-Identifier: Apache-2.0 */
/* vef_ideal.h - a trace replayed on a network without contention (docs/vef.md) */
#ifndef LOOM_VEF_VEF_IDEAL_H
#define LOOM_VEF_VEF_IDEAL_H

#include "vef/vef_replay.h"

struct loom_vef_ideal_cfg {
  uint32_t latency;                   /* cycles of every message */
  uint32_t bandwidth;                 /* and one for so many of its bytes; 0: none */
  uint32_t cycle_ps;                  /* as in struct loom_vef_replay_cfg */
  uint32_t window;                    /* likewise */
  const struct loom_vef_names *names; /* NULL: each task has a node of its own */
};

struct loom_vef_ideal {
  uint64_t cycles; /* until all is done */
  struct loom_vef_counts counts;
};

/* Replays a trace without collectives. Messages within a node take the time of the names, or none.
 * False: out of memory. */
bool loom_vef_ideal(const struct loom_vef_trace *trace, const struct loom_vef_ideal_cfg *cfg,
                    struct loom_vef_ideal *result);

#endif

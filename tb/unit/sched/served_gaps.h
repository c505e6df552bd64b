/* SPDX-License-Identifier: Apache-2.0 */
/* served_gaps.h - for how long a table does not serve a key that it serves before and after
 * (docs/tables.md)
 *
 * Whoever waits for a served key takes 4 cycles for the end of it: loom_lone_grant does. So a gap
 * is 1 cycle long, or 5 and more. */
#ifndef LOOM_TB_UNIT_SCHED_SERVED_GAPS_H
#define LOOM_TB_UNIT_SCHED_SERVED_GAPS_H

#include "tb/unit/unit.h"

#include <loom/bits.h>
#include <stdbool.h>

struct served_gaps {
  uint32_t keys;        /* that are looked at */
  uint32_t missing[32]; /* cycles for which a key has not been served, up to this one */
  uint32_t ends[8];     /* gaps that ended, by length; the last: of 7 cycles and more */
};

/* `served`: keys that are, in this cycle. */
static inline void count_served_gaps(struct served_gaps *g, uint32_t served) {
  for (uint32_t k = 0; k < g->keys; k++) {
    bool is_served = served >> k & 1;
    if (is_served)
      g->ends[loom_min(g->missing[k], 7)]++;
    g->missing[k] = is_served ? 0 : g->missing[k] + 1;
  }
}

/* No gap is of 2 to 4 cycles, and both kinds of others were there. */
static inline void check_served_gaps(const struct served_gaps *g) {
  assert_int_equal(g->ends[2] | g->ends[3] | g->ends[4], 0);
  assert_true(g->ends[1] > 100 && g->ends[5] > 100);
}

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* cut.h - which rank has which device of a fabric (docs/ranks.md#the-cut) */
#ifndef LOOM_RUN_CUT_H
#define LOOM_RUN_CUT_H

#include "run/plan.h"

/* The ranks of all devices of the topology: rank[device], the same for the same plan. Of those that
 * no host reaches, and of one rank, 0. False: out of memory. */
bool loom_cut(const struct loom_plan *plan, uint32_t ranks, uint32_t *rank);

#endif

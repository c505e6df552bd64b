/* SPDX-License-Identifier: Apache-2.0 */
/* division.h - a built fabric of which this process has a part, and what it exchanges with the
 * others (docs/ranks.md) */
#ifndef LOOM_RUN_DIVISION_H
#define LOOM_RUN_DIVISION_H

#include "run/build.h"
#include "traffic/experiment.h"

struct loom_division;
struct loom_statistics;

/* What the ranks of a run cannot do yet, by the file; false: *err says what. */
bool loom_division_fits(const struct loom_plan *plan, uint32_t ranks, struct loom_plan_error *err);

/* Which rank has what, as plan->ranks says. NULL: out of memory. */
struct loom_division *loom_division_create(const struct loom_plan *plan);
/* By device of the topology: this rank has it. */
const bool *loom_division_mine(const struct loom_division *d);
/* The same by host. */
const bool *loom_division_hosts(const struct loom_division *d);
/* From now on the fabric, built for this rank, is a part: before loom_built_share. False: out of
 * memory. */
bool loom_division_begin(struct loom_division *d, struct loom_built *b);
void loom_division_destroy(struct loom_division *d);
/* The experiment's view of a network that is a part: the built one's, or what stands before it. */
struct loom_network loom_division_network(struct loom_division *d, const struct loom_network *part);

/* What was measured and counted. */
struct loom_division_results {
  struct loom_experiment *experiment;
  struct loom_statistics *statistics; /* NULL: there are none */
  struct loom_built_counts *counts;
  struct loom_vef_progress *trace; /* by trace */
  uint32_t traces;
};

/* After the run: rank 0 has what all of them measured and counted; the others have their own.
 * False: *err says what went wrong. */
bool loom_division_gather(struct loom_division *d, const struct loom_division_results *results,
                          struct loom_plan_error *err);

#endif

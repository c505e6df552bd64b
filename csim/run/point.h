/* SPDX-License-Identifier: Apache-2.0 */
/* point.h - one run of a fabric with one seed, and what came of it (docs/fabric.md,
 * docs/traffic.md)
 */
#ifndef LOOM_RUN_POINT_H
#define LOOM_RUN_POINT_H

#include "run/built_counts.h"
#include "run/plan_error.h"
#include "run/spec.h"

struct loom_plan;
struct loom_shadow;
struct loom_statistics;

struct loom_point {
  struct loom_plan_error refused; /* status 0: it ran */
  uint64_t seed;
  uint32_t classes, hosts, switches;
  struct loom_experiment_result result; /* metrics and rows are the point's */
  struct loom_built_counts counts;
  struct loom_vef_progress trace[LOOM_SPEC_TRACES]; /* when the run ended */
  uint32_t traces;
  bool lost;   /* its process ended without a result, and so did another, or memory ended in it */
  bool cut;    /* it was to end with its traces, but they were not done */
  char *waits; /* of a stuck run; the point's */
  /* Lines of its statistics, by file; the point's. */
  struct loom_point_lines {
    char *text;
    size_t size;
  } lines[LOOM_STATISTICS_FILES];
};

/* Runs a plan with a seed. `tick` is called now and then (NULL: never). */
void loom_point_run(struct loom_point *point, const struct loom_plan *plan, uint64_t seed,
                    const struct loom_shadow *shadow, void (*tick)(void *context, uint64_t cycle),
                    void *context);
void loom_point_free(struct loom_point *point);

/* Keeps a copy of a result, and what statistics say of a run that it ended: for runs that are none
 * of an experiment, too. False: the point is refused, *point says why. */
bool loom_point_keep(struct loom_point *point, const struct loom_experiment_result *from);
bool loom_point_tell(struct loom_point *point, const struct loom_spec *spec,
                     struct loom_statistics *statistics);

/* Messages that are gone for good, and those that were on their way when the run ended. */
uint64_t loom_point_lost(const struct loom_point *point);
uint64_t loom_point_under_way(const struct loom_point *point);
/* Some trace was not done when the run ended, whatever was to end it. */
bool loom_point_unfinished(const struct loom_point *point);
/* It drained, its traces ended it if they were to, and everything came whole. */
bool loom_point_good(const struct loom_point *point);

/* How it ended: that of the experiment, or `unfinished` if all that is wrong with a run, drained or
 * not, is that it was cut. */
const char *loom_point_outcome(const struct loom_point *point);
/* The larger the worse. */
unsigned loom_point_rank(const struct loom_point *point);
extern const char *const loom_outcome_names[LOOM_OUTCOME_NO_MEMORY + 1];

/* A point as bytes, for the same program in another process: the caller's, NULL out of memory. */
void *loom_point_pack(const struct loom_point *point, size_t *size);
/* False: the bytes are no point, or out of memory; the point is then refused. */
bool loom_point_unpack(struct loom_point *point, const void *bytes, size_t size);

#endif

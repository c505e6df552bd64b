/* SPDX-License-Identifier: Apache-2.0 */
/* forecast.h - what a run will need, before it is run (docs/fabric.md, section Results) */
#ifndef LOOM_RUN_FORECAST_H
#define LOOM_RUN_FORECAST_H

#include <stdio.h>

#include "run/build.h"

struct loom_forecast {
  const char *name; /* of the file's fabric, NULL: it has none */
  uint32_t hosts, switches, links;
  uint32_t seeds, runs, workers; /* runs: at a time; workers: of each */
  uint32_t ranks;                /* that have a part each (docs/ranks.md); 0: one process has all */
  /* Bytes: of the process with the plan, which runs share; of a device, a run, all runs that are
   * done at a time; that are left, UINT64_MAX: nothing says so. Of ranks: a run is the largest
   * rank's, without `shared`; all is of all ranks. */
  uint64_t shared, per_switch, per_host, run, all, left;
};

/* Of the plan with so many jobs; some devices are made for it, and circuits put beside them. All
 * ranks come here, and each gets the same. False: a run would be refused, and *err says why. */
bool loom_forecast_make(struct loom_forecast *f, const struct loom_plan *plan, uint32_t jobs,
                        const struct loom_shadow *shadow, struct loom_plan_error *err);
void loom_forecast_print(const struct loom_forecast *f, FILE *out);
/* As one object. False: out of memory. */
bool loom_forecast_print_json(const struct loom_forecast *f, FILE *out);

#endif

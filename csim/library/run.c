/* SPDX-License-Identifier: Apache-2.0 */
/* run.c - a fabric under the traffic of its file, for programs */
#include <loom/run.h>

#include <stdlib.h>

#include "library/setup.h"
#include "run/point.h"
#include "run/report.h"

struct loom_run {
  const struct loom_setup *setup;
  uint32_t points;
  struct loom_point *point; /* by seed */
  struct loom_provenance from;
  struct loom_report report;
};

static bool run_seeds(struct loom_run *run, struct loom_refusal *why) {
  const struct loom_spec *spec = &run->setup->file->spec;
  for (; run->points < spec->run.seeds; run->points++) {
    struct loom_point *point = &run->point[run->points];
    loom_point_run(point, run->setup->plan, spec->run.seed + run->points, NULL, NULL, NULL);
    if (point->refused.status)
      return loom_library_refuse_plan(why, run->setup, &point->refused);
  }
  return loom_report_make(&run->report, spec, run->point, run->points, &run->from) ||
         loom_library_refuse(why, 1, "out of memory");
}

struct loom_run *loom_run_create(const struct loom_setup *setup, struct loom_refusal *why) {
  struct loom_run *run = calloc(1, sizeof *run);
  if (run) {
    run->setup = setup;
    run->from.configuration = loom_kept_hash(&setup->file->kept, LOOM_HASH_START);
    run->point = calloc(setup->file->spec.run.seeds, sizeof *run->point);
  }
  bool ok = run && run->point ? run_seeds(run, why) : loom_library_refuse(why, 1, "out of memory");
  if (ok)
    return run;
  loom_run_free(run);
  return NULL;
}

void loom_run_free(struct loom_run *run) {
  if (!run)
    return;
  loom_report_free(&run->report);
  for (uint32_t i = 0; run->point && i < run->setup->file->spec.run.seeds; i++)
    loom_point_free(&run->point[i]);
  free(run->point);
  free(run);
}

bool loom_run_good(const struct loom_run *run) { return loom_report_good(&run->report); }

const char *loom_run_outcome(const struct loom_run *run, uint32_t seed) {
  return seed < run->points ? loom_point_outcome(&run->point[seed]) : NULL;
}

/* ---- metrics --------------------------------------------------------------------------------- */

static struct loom_mean mean_of(const struct loom_sample *s) {
  return (struct loom_mean){.mean = s->mean,
                            .interval = loom_sample_half(s),
                            .min = s->min,
                            .max = s->max,
                            .seeds = s->count};
}

static struct loom_latencies latencies_of(const struct loom_summary_latency *l) {
  return (struct loom_latencies){.mean = mean_of(&l->mean),
                                 .q50 = mean_of(&l->quantile[0]),
                                 .q90 = mean_of(&l->quantile[1]),
                                 .q99 = mean_of(&l->quantile[2]),
                                 .q999 = mean_of(&l->quantile[3])};
}

bool loom_run_metrics(const struct loom_run *run, uint32_t traffic_class,
                      struct loom_metrics_of_class *metrics) {
  const struct loom_summary *summary = run->report.summary;
  if (traffic_class > summary->classes)
    return false;
  const struct loom_summary_class *c = &summary->traffic_class[traffic_class];
  *metrics = (struct loom_metrics_of_class){.offered = mean_of(&c->offered),
                                            .accepted = mean_of(&c->accepted),
                                            .total = latencies_of(&c->total),
                                            .net = latencies_of(&c->net)};
  return true;
}

/* ---- results --------------------------------------------------------------------------------- */

char *loom_run_json(const struct loom_run *run) {
  size_t size = 0;
  return loom_results_summary(&run->report, &size);
}

bool loom_run_write(const struct loom_run *run, const char *folder, struct loom_refusal *why) {
  struct loom_error err = {.line = ""};
  return loom_results_write(folder, &run->report, &run->setup->file->kept, &err) ||
         loom_library_refuse(why, 2, err.line);
}

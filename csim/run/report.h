/* SPDX-License-Identifier: Apache-2.0 */
/* report.h - what the runs of a fabric file say: summary, series, histograms, table
 * (docs/fabric.md; OP-22) */
#ifndef LOOM_RUN_REPORT_H
#define LOOM_RUN_REPORT_H

#include <jansson.h>

#include "run/point.h"
#include "run/provenance.h"
#include "traffic/summary.h"

/* What happened to a cable or a switch, besides faults of the file. */
struct loom_report_event {
  uint64_t cycle;
  const char *what;                /* cut, join, tables */
  char where[LOOM_TOPO_NAME + 12]; /* a switch, or one end of a cable as S0/1 */
};

/* The points of all seeds, in order of the seeds. */
struct loom_report {
  const struct loom_spec *spec;
  uint32_t points;
  struct loom_point *point;
  struct loom_summary *summary;       /* owned */
  const struct loom_provenance *from; /* NULL: nobody said */
  const struct loom_report_event *event;
  uint32_t events; /* none, of a file with faults */
};

/* False: out of memory. */
bool loom_report_make(struct loom_report *r, const struct loom_spec *spec, struct loom_point *point,
                      uint32_t points, const struct loom_provenance *from);
void loom_report_free(struct loom_report *r);

/* Every run drained and lost nothing. */
bool loom_report_good(const struct loom_report *r);

/* NULL: out of memory. */
json_t *loom_report_json(const struct loom_report *r);
void loom_report_series(const struct loom_report *r, FILE *out);  /* series.csv */
void loom_report_latency(const struct loom_report *r, FILE *out); /* latency.csv */
void loom_report_table(const struct loom_report *r, FILE *out);   /* for people */
/* What went wrong in which run, with the circle of a stuck one. */
void loom_report_faults(const struct loom_report *r, const char *command, FILE *out);

/* Keys of a class in summary.json that are numbers with an interval, NULL at the end. */
extern const char *const loom_report_metrics[];

/* The head of series.csv. */
/* What is asked whether it has settled: keys of `settled` in summary.json. */
extern const char *const loom_report_settled[LOOM_SETTLE_QUANTITIES];

#define LOOM_REPORT_SERIES "seed,cycle,class,offered_flits,flits,messages,total_mean,net_mean\n"

#endif

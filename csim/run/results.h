/* SPDX-License-Identifier: Apache-2.0 */
/* results.h - directories of results that are made as a whole or not at all */
#ifndef LOOM_RUN_RESULTS_H
#define LOOM_RUN_RESULTS_H

#include <stdio.h>

#include "run/report.h"
#include "run/spec.h"

/* Of a fabric and its routing, of its offers, of its traces. */
enum { LOOM_KEPT_FILES = 5 + LOOM_SPEC_OFFERS + 3 * LOOM_SPEC_TRACES };

/* The fabric file as it is kept beside its results: with the files that it names copied next to it
 * under their own names. */
struct loom_kept {
  struct loom_source yaml; /* owned */
  uint32_t files;
  struct loom_kept_file {
    char name[LOOM_SPEC_FILE + 1];
    struct loom_source content; /* owned */
  } file[LOOM_KEPT_FILES];
};

/* `src` is what `spec` was read from. False: *err says why. */
bool loom_keep(struct loom_kept *kept, const struct loom_source *src, const struct loom_spec *spec,
               struct loom_error *err);
void loom_kept_free(struct loom_kept *kept);
/* On top of a hash (provenance.h): the same wherever the files lie. */
uint64_t loom_kept_hash(const struct loom_kept *kept, uint64_t hash);

#define LOOM_RESULTS_SUMMARY "summary.json"

/* There is nothing at `folder`, or where it leads as a link, that results may not replace: nothing,
 * an empty directory, or results and nothing else, and they can be put there. Else *err says so and
 * names what is in the way. */
bool loom_results_may(const char *folder, struct loom_error *err);
/* There is nothing in `folder`, or no such directory. Else *err says so. */
bool loom_results_none(const char *folder, struct loom_error *err);
/* Writes summary.json, series.csv, latency.csv, statistics, fabric.yaml and its files: into a
 * directory beside `folder`, which then takes its place. False: nothing changed, *err says why (or
 * what is left of older results that could not be removed). */
bool loom_results_write(const char *folder, const struct loom_report *report,
                        const struct loom_kept *kept, struct loom_error *err);

/* Writes the statistic `trace` into a file. False: nothing changed, *err says why. */
bool loom_results_trace(const char *file, const struct loom_report *report, struct loom_error *err);

/* Removes directories inside `folder` that were being made when a process was killed. */
void loom_results_clean(const char *folder);

/* The configuration that is kept beside the results in `folder` is this one, to the byte: its
 * fabric.yaml and all files that it names. */
bool loom_results_keep(const char *folder, const struct loom_kept *kept);

/* The summary of the results in `folder`, the caller's. NULL: there is none that is whole, which
 * has been said on `err`. */
json_t *loom_results_read(const char *folder, FILE *err);

/* A text of its own: the caller's, NULL out of memory. */
char *loom_results_summary(const struct loom_report *report, size_t *size);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* jobs.h - many points side by side, each in a process of its own */
#ifndef LOOM_RUN_JOBS_H
#define LOOM_RUN_JOBS_H

#include <stdio.h>

#include "run/point.h"

struct loom_jobs {
  uint32_t count;
  uint32_t jobs; /* processes at a time */
  /* Does point `index`; nothing that it changes but the point comes back. */
  void (*run)(void *context, uint32_t index, struct loom_point *point,
              void (*tick)(void *context, uint64_t cycle), void *tick_context);
  /* A point is there, in any order; its content may be taken (and zeroed). False: stop. */
  bool (*done)(void *context, uint32_t index, struct loom_point *point);
  void *context;
  FILE *progress;  /* NULL: none; a terminal has a line that changes, others a line a minute */
  uint64_t cycles; /* of a point, for the progress */
  double pause;    /* seconds from such a line to the next; 0: a minute */
};

/* This process outlives any point, and signals end it in order. A process that ends without a
 * result, or whose point is `lost` to it, is tried once more, alone, and half as many go on then;
 * the second time its point is `lost`, and refused with what ended it. SIGINT, SIGTERM and SIGHUP,
 * unless they are ignored, end the processes. False: stopped, out of processes or memory, or by
 * such a signal (*why says so, else it is empty). */
bool loom_jobs_run(const struct loom_jobs *jobs, char *why, size_t size);

/* Cores of this machine. */
uint32_t loom_cores(void);
/* For each of `count` runs that share so many cores. */
static inline uint32_t loom_cores_each(uint32_t cores, uint32_t count) {
  return cores > count && count ? cores / count : 1;
}

#endif

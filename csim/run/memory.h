/* SPDX-License-Identifier: Apache-2.0 */
/* memory.h - what memory a fabric takes, before it takes all of it (docs/failures.md) */
#ifndef LOOM_RUN_MEMORY_H
#define LOOM_RUN_MEMORY_H

#include "run/plan_error.h"

/* What a process has, bytes. */
struct loom_memory {
  uint64_t addresses; /* what a limit of addresses counts */
  uint64_t resident;
};

/* All 0 where the system does not say it. */
struct loom_memory loom_memory_now(void);

/* What like devices take while they are made: the process had `before` when there was none, and had
 * `resident` when there were `done`, as was looked last. */
struct loom_memory_growth {
  struct loom_memory before;
  uint64_t resident;
  uint32_t done;
};

/* There is none yet. */
struct loom_memory_growth loom_memory_begin(void);

/* `done` of `all` are made: what the others will take must be there. Looks now and then only.
 * False: it is not, and *err says how much it would be. */
bool loom_memory_check(struct loom_memory_growth *growth, uint32_t done, uint32_t all,
                       const char *devices, struct loom_plan_error *err);

/* What like devices will take each, when some of them have been made. */
struct loom_memory_sample {
  uint32_t made;        /* of `most` */
  uint32_t most;        /* that are made, 1 at least */
  uint64_t from, until; /* bytes of the process when measuring began, and when all were made */
  uint64_t each;        /* bytes of a device */
};

/* One more is made. The first quarter brings what all have in common, and does not count. */
void loom_memory_note(struct loom_memory_sample *sample);
/* What is left, by all limits; UINT64_MAX: nothing says so. */
uint64_t loom_memory_left(void);

#endif

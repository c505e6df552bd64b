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

/* `done` of `all` like devices are made, and the process had `before` when there was none: what the
 * others will take must be there. Looks now and then only. False: it is not, and *err says how much
 * it would be. */
bool loom_memory_check(const struct loom_memory *before, uint32_t done, uint32_t all,
                       const char *devices, struct loom_plan_error *err);

#endif

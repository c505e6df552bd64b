/* SPDX-License-Identifier: Apache-2.0 */
/* plan_error.h - why a fabric cannot be planned or built (docs/fabric.md) */
#ifndef LOOM_RUN_PLAN_ERROR_H
#define LOOM_RUN_PLAN_ERROR_H

#include "io/source.h"

/* Why there is no plan: what the file should say otherwise (`key` of the fabric file, exit status
 * 2) or what does not hold (status 1). */
struct loom_plan_error {
  int status;
  char key[100];
  char text[1600];        /* of a difference it has several lines */
  struct loom_error file; /* of a file that the fabric file names; its line is whole */
};

/* Refuses a plan or what is built of it. Always false. */
#ifdef __GNUC__
__attribute__((format(printf, 4, 5)))
#endif
bool loom_plan_fail(struct loom_plan_error *err, int status, const char *key, const char *format,
                    ...);
/* The key of what only memory is in the way of. */
#define LOOM_PLAN_MEMORY "memory"
bool loom_plan_no_memory(struct loom_plan_error *err);
/* Only memory was in the way: another process may have more. */
bool loom_plan_lacked_memory(const struct loom_plan_error *err);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
#include "run/plan_error.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "io/streams.h"

bool loom_plan_fail(struct loom_plan_error *err, int status, const char *key, const char *format,
                    ...) {
  va_list args;
  va_start(args, format);
  vsnprintf(err->text, sizeof err->text, format, args);
  va_end(args);
  snprintf(err->key, sizeof err->key, "%s", key);
  err->status = status;
  return false;
}

bool loom_plan_no_memory(struct loom_plan_error *err) {
  return loom_plan_fail(err, LOOM_EXIT_FAILED, LOOM_PLAN_MEMORY, "out of memory");
}

bool loom_plan_lacked_memory(const struct loom_plan_error *err) {
  return !strcmp(err->key, LOOM_PLAN_MEMORY);
}

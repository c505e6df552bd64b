/* SPDX-License-Identifier: Apache-2.0 */
/* setup.h - what a setup of <loom/fabric.h> holds */
#ifndef LOOM_LIBRARY_SETUP_H
#define LOOM_LIBRARY_SETUP_H

#include <loom/fabric.h>

#include "run/edited_spec.h"

struct loom_setup {
  char *name;
  struct loom_edited_spec *file;
  struct loom_plan *plan;
};

/* Refuses with status and text; `why` may be NULL. Always false. */
bool loom_library_refuse(struct loom_refusal *why, int status, const char *text);
/* The same of what a plan, or what is built of it, was refused for. */
bool loom_library_refuse_plan(struct loom_refusal *why, const struct loom_setup *setup,
                              const struct loom_plan_error *err);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* edited_spec.h - a fabric file with changes, and all that it names, in memory */
#ifndef LOOM_RUN_EDITED_SPEC_H
#define LOOM_RUN_EDITED_SPEC_H

#include "io/yaml_edit.h"
#include "run/plan.h"
#include "run/results.h"

struct loom_edited_spec {
  struct loom_source src; /* with the changes */
  struct loom_spec spec;
  struct loom_kept kept;
};

/* NULL: refused, *err says why. Of a file that the changes make wrong the line is 0. */
struct loom_edited_spec *loom_edited_spec_read(const char *file, const struct loom_edit *edit,
                                               size_t edits, struct loom_error *err);
/* The same of a file in memory, which is taken over. */
struct loom_edited_spec *loom_edited_spec_take(struct loom_source *plain,
                                               const struct loom_edit *edit, size_t edits,
                                               struct loom_error *err);
void loom_edited_spec_free(struct loom_edited_spec *c);

/* Says on `out` what a plan or a point was refused for; the exit status. */
int loom_edited_spec_refuse(const struct loom_edited_spec *c, const struct loom_plan_error *why,
                            const char *command, FILE *out);

#endif

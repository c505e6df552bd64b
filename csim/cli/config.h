/* config.h - a fabric file with changes, and all that it names, in memory */
#ifndef LOOM_CLI_CONFIG_H
#define LOOM_CLI_CONFIG_H

#include "cli/plan.h"
#include "cli/results.h"
#include "cli/yaml_edit.h"

struct loom_config {
  struct loom_source src; /* with the changes */
  struct loom_setup setup;
  struct loom_kept kept;
  bool changed;
};

/* NULL: refused, *err says why. Of a file that the changes make wrong the line is 0. */
struct loom_config *loom_config_read(const char *file, const struct loom_edit *edit, size_t edits,
                                     struct loom_error *err);
void loom_config_free(struct loom_config *c);

/* Says on `out` what a plan or a point was refused for; the exit status. */
int loom_config_refuse(const struct loom_config *c, const struct loom_plan_error *why,
                       const char *command, FILE *out);

#endif

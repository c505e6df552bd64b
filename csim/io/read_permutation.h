/* SPDX-License-Identifier: Apache-2.0 */
/* read_permutation.h - permutation files: who sends to whom (docs/formats.md; TR-01) */
#ifndef LOOM_IO_READ_PERMUTATION_H
#define LOOM_IO_READ_PERMUTATION_H

#include "io/source.h"

enum { LOOM_PERMUTATION_TASKS = 65536 };

struct loom_permutation {
  uint32_t count; /* one above the highest task */
  uint32_t *to;   /* destination by task, LOOM_PATTERN_SILENT: it has no line; owned */
  uint32_t *line; /* by task, 0: none; owned */
};

/* False: refused, *err says why and *p is empty. */
bool loom_read_permutation(struct loom_permutation *p, const struct loom_source *src,
                           struct loom_error *err);
/* Whether all tasks are below `tasks`; else *err names the first line with another in the file
 * `name`. */
bool loom_permutation_fits(const struct loom_permutation *p, uint32_t tasks, const char *name,
                           struct loom_error *err);
void loom_permutation_free(struct loom_permutation *p);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* yaml_edit.h - changed copies of YAML files: values set by their paths
 *
 * A change is `path=value`. Paths are those of refusals, `run.measure`, `traffic[0].load`; the
 * value is YAML, `{kind: rr}` as well as `12`; without a value the key goes. The innermost key, or
 * the entry after the last of a list, may be new.
 */
#ifndef LOOM_IO_YAML_EDIT_H
#define LOOM_IO_YAML_EDIT_H

#include "io/source.h"

struct loom_edit {
  const char *path;
  const char *value; /* NULL or empty: remove */
};

/* `load` and `load.CLASS` multiply the loads of all offers, or of a class, with the value. */
bool loom_yaml_edit(const struct loom_source *src, const struct loom_edit *edit, size_t edits,
                    struct loom_source *out, struct loom_error *err);

#endif

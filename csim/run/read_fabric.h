/* SPDX-License-Identifier: Apache-2.0 */
/* read_fabric.h - reads a fabric file, without the files that it names (docs/fabric.md) */
#ifndef LOOM_RUN_READ_FABRIC_H
#define LOOM_RUN_READ_FABRIC_H

#include "run/spec.h"

/* False: refused, *err says why and *spec is empty. */
bool loom_read_fabric(struct loom_spec *spec, const struct loom_source *src,
                      struct loom_error *err);
/* Refuses what only the built fabric shows: `file:line: key: text`. Always false. */
bool loom_spec_refuse(const struct loom_source *src, const char *key, const char *text,
                      struct loom_error *err);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* read_dtable.h - the input of `loom dtable` (docs/formats.md) */
#ifndef LOOM_IO_READ_DTABLE_H
#define LOOM_IO_READ_DTABLE_H

#include "io/source.h"
#include "io/yaml_schema.h"
#include "qos/dtable.h"

/* What the file may say. */
extern const struct loom_yaml_schema loom_dtable_schema;

enum { LOOM_DTABLE_NAME = 15, LOOM_DTABLE_WARNINGS = LOOM_DTABLE_FLOWS + 2 };

struct loom_dtable_input {
  struct loom_dtable_config
      config; /* config.flow is `flow` below; k and w are those found if `search` */
  struct loom_dtable_flow flow[LOOM_DTABLE_FLOWS];
  char name[LOOM_DTABLE_FLOWS][LOOM_DTABLE_NAME + 1]; /* empty: none given */
  bool search;
  struct loom_dtable_result result;
  struct loom_warning warning
      [LOOM_DTABLE_WARNINGS]; /* weights above M (INC-23), phi that sums to less than 1, shares
                                        with weights rounded up */
  uint32_t warning_count;
};

/* Reads the file and solves it, so that what is wrong with the numbers can be told by file, line
 * and key, too. False: refused, *err says why. */
bool loom_read_dtable(struct loom_dtable_input *input, const struct loom_source *src,
                      struct loom_error *err);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* read_wishes.h - what VLs ask of arbitration tables (docs/vlarb.md) */
#ifndef LOOM_IO_READ_WISHES_H
#define LOOM_IO_READ_WISHES_H

#include "io/read_opensm_conf.h"
#include "io/yaml_schema.h"
#include "qos/vlarb_wish.h"

/* What the file may say. */
extern const struct loom_yaml_schema loom_wishes_schema;

enum { LOOM_WISH_NAME = 15 };

struct loom_wishes {
  struct loom_wish wish;
  char name[LOOM_WISH_VLS][LOOM_WISH_NAME + 1]; /* empty: none given */
  uint8_t sl[LOOM_WISH_VLS];                    /* the first SL of each VL */
  uint8_t vl_of_sl[LOOM_OPENSM_SLS];            /* SLs that no VL names go where most may be sent */
};

/* False: refused, *err says why. */
bool loom_read_wishes(struct loom_wishes *wishes, const struct loom_source *src,
                      struct loom_error *err);
/* The same of a file. */
bool loom_load_wishes(struct loom_wishes *wishes, const char *file, struct loom_error *err);

#endif

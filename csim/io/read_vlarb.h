/* SPDX-License-Identifier: Apache-2.0 */
/* read_vlarb.h - InfiniBand arbitration tables from text: CSV lines or OpenSM's lists
 * (docs/formats.md) */
#ifndef LOOM_IO_READ_VLARB_H
#define LOOM_IO_READ_VLARB_H

#include "io/source.h"
#include "qos/vlarb.h"

enum { LOOM_VLARB_TABLE = 128 };

struct loom_vlarb_table {
  struct loom_vlarb_entry entry[LOOM_VLARB_TABLE];
  size_t count; /* 1.. after reading */
};

/* Which table the file is read for. A high table needs an entry with a weight above 0. */
enum loom_vlarb_side { LOOM_VLARB_SIDE_HIGH, LOOM_VLARB_SIDE_LOW };

/* False: refused, *err says why. */
bool loom_read_vlarb(struct loom_vlarb_table *table, const struct loom_source *src,
                     enum loom_vlarb_side side, struct loom_error *err);

#endif

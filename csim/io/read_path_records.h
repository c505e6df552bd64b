/* SPDX-License-Identifier: Apache-2.0 */
/* read_path_records.h - service levels of paths from text: what saquery prints of OpenSM's path
 * records (docs/formats.md; KN-08) */
#ifndef LOOM_IO_READ_PATH_RECORDS_H
#define LOOM_IO_READ_PATH_RECORDS_H

#include "io/source.h"
#include "routing/routing.h"

/* Gives a routing layers by path: class and layer are the SL of the path's record. Each path that
 * the tables have between two hosts needs one. False: refused, *err says why. */
bool loom_read_path_records(const struct loom_source *src, struct loom_routing *r,
                            struct loom_error *err);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* read_lfts.h - forwarding tables from text: what OpenSM, ibroute and dump_lfts print
 * (docs/formats.md) */
#ifndef LOOM_IO_READ_LFTS_H
#define LOOM_IO_READ_LFTS_H

#include "io/source.h"
#include "routing/routing.h"

/* The tables of a fabric whose HCAs have 2^lmc LIDs a port, one table for each switch. It refers to
 * `topo`, which must outlive it. NULL: refused, *err says why. */
struct loom_routing *loom_read_lfts(const struct loom_source *src, const struct loom_topo *topo,
                                    uint32_t lmc, struct loom_error *err);

#endif

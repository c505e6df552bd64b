/* SPDX-License-Identifier: Apache-2.0 */
/* crosspoint_class.h - Elite5 routers of the second edition as devices of a fabric (docs/fabric.md,
 * docs/crosspoint_router.md) */
#ifndef LOOM_FABRIC_CROSSPOINT_CLASS_H
#define LOOM_FABRIC_CROSSPOINT_CLASS_H

#include "elite5/crosspoint_router.h"
#include "fabric/fabric.h"

/* The device is a struct loom_crosspoint_router; port l is its link l. One that sleeps stands at an
 * earlier cycle. */
extern const struct loom_fabric_class loom_crosspoint_router_class;

/* A router after reset, in the memory of a fabric. NULL: parameters that are not legal, or no
 * memory. */
struct loom_crosspoint_router *
loom_crosspoint_router_new(struct loom_fabric *f, const struct loom_crosspoint_router_cfg *cfg);
/* The edges that a router has slept through, so that it stands at cycle `now` of the fabric. */
void loom_crosspoint_router_catch_up(struct loom_crosspoint_router *s, uint64_t now);

#endif

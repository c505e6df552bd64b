/* SPDX-License-Identifier: Apache-2.0 */
/* net_fabric.h - fabrics of `.net` files as they are routed: with LIDs, their switches placed
 * (docs/formats.md, docs/route.md; KN-06, KN-10) */
#ifndef LOOM_IO_NET_FABRIC_H
#define LOOM_IO_NET_FABRIC_H

#include "io/source.h"
#include "topo/topo.h"

/* The fabric of a file. One without a LID, such as those of ibsim's examples, is numbered as the
 * generators number theirs; the numbers at the end of a switch's name, `S1-0-2`, are its
 * coordinates. The caller destroys it. NULL: refused, also for more LIDs than there are; *err says
 * why. */
struct loom_topo *loom_net_fabric(const struct loom_source *src, struct loom_error *err);

/* LIDs that a fabric takes: one for each switch and each port of an HCA that has a cable. */
uint32_t loom_net_lids(const struct loom_topo *t);

#endif

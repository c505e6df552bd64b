/* SPDX-License-Identifier: Apache-2.0 */
/* read_net.h - fabrics from ibsim's `.net` files (docs/formats.md; KN-10), and from what the tools
 * of a subnet print (docs/cluster.md) */
#ifndef LOOM_IO_READ_NET_H
#define LOOM_IO_READ_NET_H

#include "io/source.h"
#include "topo/topo.h"

/* The fabric, sound by loom_topo_check, its names unique; the caller destroys it. NULL: refused,
 * *err says why. */
struct loom_topo *loom_read_net(const struct loom_source *src, struct loom_error *err);

#endif

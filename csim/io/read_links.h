/* SPDX-License-Identifier: Apache-2.0 */
/* read_links.h - fabrics from the ports that `ibnetdiscover -p` lists, or iblinkinfo
 * (docs/cluster.md) */
#ifndef LOOM_IO_READ_LINKS_H
#define LOOM_IO_READ_LINKS_H

#include "io/source.h"
#include "topo/topo.h"

/* The first line that says something is one of these tools'. */
bool loom_is_links(const struct loom_source *src);

/* The fabric, as loom_read_net has it (io/read_net.h). */
struct loom_topo *loom_read_links(const struct loom_source *src, struct loom_error *err);

#endif

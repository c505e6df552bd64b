/* SPDX-License-Identifier: Apache-2.0 */
/* discovered.h - what all fabrics have in common that the tools of a subnet found: their names, the
 * order of their devices, their aggregation nodes (docs/cluster.md) */
#ifndef LOOM_IO_DISCOVERED_H
#define LOOM_IO_DISCOVERED_H

#include "topo/topo.h"

/* A node description; it may have any characters. */
struct loom_description {
  const char *text; /* not owned */
  size_t size;
};

/* The GUID in a name as ibnetdiscover makes it, `S-0002c90000000002`; 0: it is no such name. */
uint64_t loom_guid_in(const char *name);

/* Devices whose name is a GUID are named by their descriptions, where no two are the same, and
 * adapters that a switch has for aggregation are marked. `description` and `first` by device: one
 * that is not the first of its name will go. False: out of memory. */
bool loom_name_discovered(struct loom_topo *t, const struct loom_description *description,
                          const uint32_t *first);

/* Orders the devices: adapters, then switches, both by LID, by GUID where they have none; the first
 * of each name is left. False: out of memory. */
bool loom_order_discovered(struct loom_topo *t, const uint32_t *first);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* discovered.h - what all files of fabrics have in common that the tools of a subnet print: their
 * first line, their cables, the names and the order of their devices (docs/cluster.md) */
#ifndef LOOM_IO_DISCOVERED_H
#define LOOM_IO_DISCOVERED_H

#include "io/words.h"
#include "topo/topo.h"

/* A node description; it may have any characters. */
struct loom_description {
  const char *text; /* not owned */
  size_t size;
};

/* The GUID in a name as ibnetdiscover makes it, `S-0002c90000000002`; 0: it is no such name. */
uint64_t loom_guid_in(const char *name);

/* A first line `# devices: N` promises N devices, of which there are so many, and an end of the
 * last line; errors have the line that `w` is at. */
bool loom_keeps_promise(struct loom_words *w, uint32_t devices);

/* Refuses a fabric for what loom_topo_check found; `line` is that of the device and the port.
 * Always false. */
bool loom_refuse_cable(const struct loom_topo *t, struct loom_topo_verdict v, const char *file,
                       size_t line, struct loom_error *err);

/* Devices whose name is a GUID are named by their descriptions, where no two are the same, and
 * adapters that a switch has for aggregation are marked. Then come adapters, then switches, both by
 * LID, by GUID where they have none. `description` and `first` by device: one that is not the first
 * of its name goes; NULL: all are. False: out of memory. */
bool loom_settle_discovered(struct loom_topo *t, const struct loom_description *description,
                            const uint32_t *first);

#endif

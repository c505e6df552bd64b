/* SPDX-License-Identifier: Apache-2.0 */
/* read_chakra.h - execution traces of MLCommons Chakra (docs/formats.md) */
#ifndef LOOM_IO_READ_CHAKRA_H
#define LOOM_IO_READ_CHAKRA_H

#include "io/chakra_node.h"
#include "vef/vef_graph.h"

struct loom_chakra_cfg {
  uint32_t dimensions; /* of the grid that involved_dim means; 0: unknown */
  uint32_t grid[LOOM_CHAKRA_DIMENSIONS];
};

/* The files of a program, and what they say. */
struct loom_chakra {
  struct loom_vef_graph graph; /* one node for each of the files */
  uint64_t *id;                /* by node: its number in its file */
  size_t id_room;
  char **name; /* by rank: its file */
};

/* The graph of PREFIX.0.et, PREFIX.1.et, ...: as many as there are. False: refused, *err says why.
 * Ends with loom_chakra_free. */
bool loom_read_chakra(struct loom_chakra *chakra, const char *prefix,
                      const struct loom_chakra_cfg *cfg, struct loom_error *err);
/* The same of files in memory. */
bool loom_read_chakra_sources(struct loom_chakra *chakra, const struct loom_source *src,
                              uint32_t ranks, const struct loom_chakra_cfg *cfg,
                              struct loom_error *err);
void loom_chakra_free(struct loom_chakra *chakra);

/* What is wrong with the graph of one, by file and node. Always false. */
bool loom_chakra_graph_fail(const struct loom_chakra *chakra, const struct loom_vef_error *e,
                            struct loom_error *err);

#endif

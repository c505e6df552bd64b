/* SPDX-License-Identifier: Apache-2.0 */
/* vef_graph.h - a parallel program as a graph of operations, and the trace that it makes
 * (docs/vef.md)
 *
 * Formats of others say for each operation of a rank which others it waits for; what does not wait
 * for each other goes side by side. A task of VEF does one thing after the other. So a rank becomes
 * as many tasks as it has things to do at a time, all on one tile (VF-04).
 */
#ifndef LOOM_VEF_VEF_GRAPH_H
#define LOOM_VEF_VEF_GRAPH_H

#include "vef/vef.h"

enum loom_vef_operation {
  LOOM_VEF_CALC, /* computes */
  LOOM_VEF_SEND, /* a message leaves: done at once */
  LOOM_VEF_RECV, /* a message is here */
  LOOM_VEF_PART, /* a rank's part in a collective */
};

/* A collective: one PART of each of its ranks, in the order of these. */
struct loom_vef_joint {
  uint32_t root;  /* rank */
  uint32_t block; /* bytes, as in docs/vef.md */
  uint8_t op;     /* enum loom_vef_op */
};

struct loom_vef_node {
  uint64_t time; /* CALC: units of the clock */
  uint32_t rank;
  uint32_t peer, tag, bytes; /* SEND, RECV; PART: `peer` is the index of its collective */
  uint32_t line;             /* of the file, for messages */
  uint8_t kind;              /* enum loom_vef_operation */
};

/* A node waits for another one of its rank. */
struct loom_vef_edge {
  uint32_t node, on; /* indices */
  bool start;        /* only until it begins */
};

struct loom_vef_graph {
  uint32_t ranks; /* 1.. */
  uint32_t clock; /* picoseconds of a unit of time */
  uint32_t nodes, edges, joints;
  size_t node_room, edge_room, joint_room;
  struct loom_vef_node *node;
  struct loom_vef_edge *edge;
  struct loom_vef_joint *joint;
};

/* Adds a node, an edge or a collective. False: out of memory, or too many. */
bool loom_vef_graph_node(struct loom_vef_graph *graph, const struct loom_vef_node *node);
bool loom_vef_graph_edge(struct loom_vef_graph *graph, const struct loom_vef_edge *edge);
bool loom_vef_graph_joint(struct loom_vef_graph *graph, const struct loom_vef_joint *joint);
void loom_vef_graph_free(struct loom_vef_graph *graph);

/* The trace of a graph, and the tile of each of its tasks, which is the rank. Messages between two
 * ranks with one tag are received in the order of the nodes; a collective begins when all of its
 * ranks can begin it. NULL: *error says why, with the line
 * of a node; it has no key if memory ran out. */
struct loom_vef_trace *loom_vef_graph_trace(const struct loom_vef_graph *graph,
                                            struct loom_vef_names **names,
                                            struct loom_vef_error *error);

#endif

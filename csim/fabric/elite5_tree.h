/* elite5_tree.h - folded Clos trees of Elite5 routers: shape, route tables, broadcast groups
 * (docs/elan5.md; E5-19, E5-22..26, E5-28, E5-40, E5-41)
 */
#ifndef LOOM_FABRIC_ELITE5_TREE_H
#define LOOM_FABRIC_ELITE5_TREE_H

#include <stdbool.h>
#include <stdint.h>

#include "fabric/elite5_net.h"

enum {
  LOOM_TREE_LEVELS = 5,
  LOOM_TREE_CLASSES = 64, /* beside one a node: masks that failures bring about */
};
/* As a way up: the packet is there. No router has this many links up. */
#define LOOM_TREE_HERE 0xFFFFFFFFu

struct loom_elite5_tree_cfg {
  uint32_t arity;      /* links down and links up of a router below the top */
  uint32_t levels;     /* 1..5 */
  uint32_t top;        /* links down of a top switch: subtrees */
  uint32_t hosted;     /* top switches in a router, divides arity (E5-23) */
  uint32_t node_links; /* 1, 2 or 4 (E5-24) */
  bool spread;         /* the links of a node lead to different routers */
  uint32_t latency;    /* of each link, cycles */
  uint32_t groups;     /* that routers have entries for */
  bool slow;           /* links come up with negotiation, identity and test (E5-35) */
};

struct loom_elite5_tree {
  struct loom_elite5_tree_cfg cfg;
  struct loom_elite5_net *net;
  uint32_t routers, nodes;
  uint32_t per_level[LOOM_TREE_LEVELS]; /* routers */
  uint32_t first[LOOM_TREE_LEVELS];     /* number of the first of them */
  bool *avoided;                        /* by link: the tables do not use it */
  bool *off;                            /* by router: neither it */
  /* What the routers' tables hold: masks of their classes, by router; the class of
   * each destination, by router and node. */
  loom_links *masks;
  uint32_t *classes;
  uint16_t *dest_class;
  /* While tables are worked out, by router: links towards the node or group at hand; down links
   * with members of the group; members below. */
  loom_links *way, *group;
  uint32_t *members;
};

void loom_elite5_tree_defaults(struct loom_elite5_tree_cfg *cfg);
/* Nodes and routers of such a tree; 0 if it cannot be. */
uint32_t loom_elite5_tree_nodes(const struct loom_elite5_tree_cfg *cfg);
uint32_t loom_elite5_tree_routers(const struct loom_elite5_tree_cfg *cfg);
/* Level of a router, and which one of the level it is. */
void loom_elite5_tree_place(const struct loom_elite5_tree_cfg *cfg, uint32_t router,
                            uint32_t *level, uint32_t *index);

/* Writes into `net` what follows from the tree: its counts, LINKS, DESTS, CLASSES and GROUPS. */
void loom_elite5_tree_net(const struct loom_elite5_tree_cfg *cfg, struct loom_elite5_net_cfg *net);

/* Builds the fabric: `net` says what is not given by the tree (VCs, packet size, ...). Tables are
 * written, links up when it returns. NULL if it cannot be. */
struct loom_elite5_tree *loom_elite5_tree_create(const struct loom_elite5_tree_cfg *cfg,
                                                 const struct loom_elite5_net_cfg *net);
void loom_elite5_tree_destroy(struct loom_elite5_tree *tree);

/* Router `index` of level `level` (0: the leaves). */
static inline uint32_t loom_elite5_tree_router(const struct loom_elite5_tree *tree, uint32_t level,
                                               uint32_t index) {
  return tree->first[level] + index;
}
/* Where link `link` of a node is plugged in. */
struct loom_net_end loom_elite5_tree_plug(const struct loom_elite5_tree *tree, uint32_t node,
                                          uint32_t link);

/* Writes the route tables of all routers, over the links that are not avoided (E5-26). The writes
 * wait in the net's queues. False if a router has no class free for another mask. */
bool loom_elite5_tree_routes(struct loom_elite5_tree *tree);
/* Writes the entries of a broadcast group (E5-28). `member` by node, NULL: nobody. With `fixed` it
 * goes up towards the root only (E5-40), else over any router that spans it. */
void loom_elite5_tree_group(struct loom_elite5_tree *tree, uint32_t group, const bool *member,
                            bool fixed);
/* The root of broadcasts: the lowest router of the top level that is not off (E5-40). */
uint32_t loom_elite5_tree_root(const struct loom_elite5_tree *tree);

/* All links of the tree that are joined are UP at both ends. */
bool loom_elite5_tree_up(const struct loom_elite5_tree *tree);

#endif

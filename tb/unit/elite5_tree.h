/* SPDX-License-Identifier: Apache-2.0 */
/* elite5_tree.h - folded trees of Elite5 routers and Elan5 endpoints for unit tests (docs/elan5.md)
 */
#ifndef LOOM_TB_UNIT_ELITE5_TREE_H
#define LOOM_TB_UNIT_ELITE5_TREE_H

#include "run/elite5_fabric.h"
#include "topo/generate.h"

enum { TREE_LEVELS = 5 };

struct tree {
  struct loom_topo_tree_cfg shape;
  struct loom_topo *topo;
  struct loom_elite5_fabric *e;
  struct loom_fabric *fabric;
  uint32_t routers, nodes;
  uint32_t per_level[TREE_LEVELS]; /* routers */
  uint32_t first[TREE_LEVELS];     /* number of the first of them */
};

/* What the fabric is like, but for its graph: endpoints with a small memory. */
struct loom_elite5_fabric_cfg small_fabric(void);
/* A tree of three levels of 4 x 4-way routers. */
struct loom_topo_tree_cfg small_tree(void);
/* Its links are UP. */
struct tree *open_tree(const struct loom_topo_tree_cfg *shape,
                       const struct loom_elite5_fabric_cfg *cfg);
/* The same of any graph of folded trees, which becomes the tree's: without its shape. */
struct tree *open_graph(struct loom_topo *topo, const struct loom_elite5_fabric_cfg *cfg);
void free_tree(struct tree *tree);

static inline uint64_t tree_now(const struct tree *tree) { return loom_fabric_now(tree->fabric); }
static inline void tree_step(struct tree *tree) { loom_fabric_step(tree->fabric); }
static inline struct loom_elan5 *node(const struct tree *tree, uint32_t number) {
  return tree->e->node[number];
}
/* Router `index` of level `level` (0: the leaves). */
static inline uint32_t tree_router(const struct tree *tree, uint32_t level, uint32_t index) {
  return tree->first[level] + index;
}
/* Words that a link of the fabric has carried, both ways; all links. */
uint64_t link_words(const struct tree *tree, uint32_t link);
uint64_t words_on_links(const struct tree *tree);

#endif

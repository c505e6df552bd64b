/* SPDX-License-Identifier: Apache-2.0 */
/* elite5_tree.c - folded trees of Elite5 routers and Elan5 endpoints for unit tests */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>

#include "tb/unit/elite5_tree.h"

struct loom_elite5_fabric_cfg small_fabric(void) {
  struct loom_elite5_fabric_cfg cfg;
  loom_elite5_fabric_defaults(&cfg, NULL);
  cfg.endpoint.memory = 32768;
  return cfg;
}

struct loom_topo_tree_cfg small_tree(void) {
  return (struct loom_topo_tree_cfg){.k = 4, .n = 3, .trunk = 1};
}

static void find_levels(struct tree *tree) {
  for (uint32_t r = 0; r < tree->routers; r++)
    tree->per_level[tree->topo->device[tree->e->routes->router_device[r]].level]++;
  for (uint32_t level = 1; level < tree->shape.n; level++)
    tree->first[level] = tree->first[level - 1] + tree->per_level[level - 1];
}

struct tree *open_graph(struct loom_topo *topo, const struct loom_elite5_fabric_cfg *given) {
  struct loom_elite5_fabric_cfg cfg = *given;
  struct tree *tree = calloc(1, sizeof *tree);
  assert_non_null(tree);
  assert_non_null(topo);
  cfg.topo = tree->topo = topo;
  assert_true(loom_elite5_fabric_fit(&cfg));
  tree->e = loom_elite5_fabric_create(&cfg);
  assert_non_null(tree->e);
  tree->fabric = tree->e->fabric;
  tree->routers = tree->e->routers;
  tree->nodes = tree->e->nodes;
  assert_true(loom_elite5_fabric_up(tree->e));
  return tree;
}

struct tree *open_tree(const struct loom_topo_tree_cfg *shape,
                       const struct loom_elite5_fabric_cfg *cfg) {
  struct tree *tree = open_graph(loom_topo_tree_make(shape), cfg);
  tree->shape = *shape;
  find_levels(tree);
  return tree;
}

void free_tree(struct tree *tree) {
  loom_elite5_fabric_destroy(tree->e);
  loom_topo_destroy(tree->topo);
  free(tree);
}

uint64_t link_words(const struct tree *tree, uint32_t link) {
  uint64_t flits[2];
  loom_fabric_link_flits(tree->fabric, link, flits);
  return flits[0] + flits[1];
}

uint64_t words_on_links(const struct tree *tree) {
  uint64_t words = 0;
  for (uint32_t link = 0; link < tree->e->links; link++)
    words += link_words(tree, link);
  return words;
}

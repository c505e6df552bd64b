/* SPDX-License-Identifier: Apache-2.0 */
/* shape_slim.c - the slimmed fat tree of 8-port switches (docs/topo.md; KN-07) */
#include <inttypes.h>

#include "topo/generate.h"

enum { GROUPS = 3, SIDE = 3, LEAF_DOWN = 5, CENTRAL_UP = 2, RADIX = 8 };

const char *loom_topo_slim_bad(const struct loom_topo_slim_cfg *c) {
  return c->nodes < 1 || c->nodes > LEAF_DOWN ? "nodes" : NULL;
}

static uint32_t add_level(struct loom_topo *t, uint32_t level, uint32_t count) {
  uint32_t first = t->devices;
  for (uint32_t i = 0; i < count; i++) {
    uint32_t d = loom_topo_add(t, LOOM_TOPO_SWITCH, RADIX, "S%" PRIu32 "-%" PRIu32, level, i);
    loom_topo_place(t, d, 2, (const uint32_t[]){level, i});
    loom_topo_raise(t, d, level);
  }
  return first;
}

/* Leaf i: ports 1..5 nodes, 6..8 up to the middle switches of its group. */
static void join_leaf(struct loom_topo *t, uint32_t nodes, uint32_t i, uint32_t leaf,
                      uint32_t middle) {
  for (uint32_t j = 0; j < nodes; j++)
    loom_topo_connect(t, i * nodes + j, 1, leaf + i, j + 1);
  for (uint32_t j = 0; j < SIDE; j++)
    loom_topo_connect(t, leaf + i, LEAF_DOWN + j + 1, middle + i / SIDE * SIDE + j, i % SIDE + 1);
}

/* Middle switch i: ports 1..3 leaves, 4..5 both to the top switch of its place in the group, where
 * each group has two ports. */
static void join_middle(struct loom_topo *t, uint32_t i, uint32_t middle, uint32_t top) {
  for (uint32_t j = 0; j < CENTRAL_UP; j++)
    loom_topo_connect(t, middle + i, SIDE + j + 1, top + i % SIDE, i / SIDE * CENTRAL_UP + j + 1);
}

static void build_slim(struct loom_topo *t, const void *cfg) {
  const struct loom_topo_slim_cfg *c = cfg;
  for (uint32_t i = 0; i < GROUPS * SIDE * c->nodes; i++) {
    uint32_t d = loom_topo_add(t, LOOM_TOPO_HCA, 1, "H%" PRIu32, i);
    loom_topo_place(t, d, 1, &i);
  }
  uint32_t leaf = add_level(t, 0, GROUPS * SIDE);
  uint32_t middle = add_level(t, 1, GROUPS * SIDE);
  uint32_t top = add_level(t, 2, SIDE);
  for (uint32_t i = 0; i < GROUPS * SIDE; i++) {
    join_leaf(t, c->nodes, i, leaf, middle);
    join_middle(t, i, middle, top);
  }
}

struct loom_topo *loom_topo_slim_make(const struct loom_topo_slim_cfg *cfg) {
  return loom_topo_slim_bad(cfg) ? NULL : loom_topo_make(build_slim, cfg);
}

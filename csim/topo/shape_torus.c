/* SPDX-License-Identifier: Apache-2.0 */
/* shape_torus.c - tori, meshes and HyperX with trunks (docs/topo.md; TP-02) */
#include <inttypes.h>
#include <string.h>

#include "topo/generate.h"
#include "topo/shape_tree.h"

enum { DIMS_MAX = 3 };

static uint32_t switches_of(const struct loom_topo_torus_cfg *c) {
  uint32_t all = 1;
  for (uint32_t i = 0; i < c->dims; i++)
    all = loom_topo_times(all, c->size[i]);
  return all;
}

/* Trunks of a switch in the dimensions below `dim`. */
static uint32_t trunks_below(const struct loom_topo_torus_cfg *c, uint32_t dim) {
  uint32_t trunks = 0;
  for (uint32_t i = 0; i < dim; i++)
    trunks += c->joined == LOOM_TOPO_ALL ? c->size[i] - 1 : 2;
  return trunks;
}

const char *loom_topo_torus_bad(const struct loom_topo_torus_cfg *c) {
  if (c->dims < 1 || c->dims > DIMS_MAX)
    return "size";
  for (uint32_t i = 0; i < c->dims; i++)
    if (c->size[i] < 2)
      return "size";
  if (switches_of(c) > LOOM_TOPO_DEVICES || trunks_below(c, c->dims) >= LOOM_TOPO_PORTS)
    return "size";
  if (c->nodes < 1 || c->nodes > LOOM_TOPO_PORTS)
    return "nodes";
  return c->trunk < 1 ||
                 loom_topo_times(trunks_below(c, c->dims), c->trunk) > LOOM_TOPO_PORTS - c->nodes
             ? "trunk"
             : NULL;
}

static void coordinates(const struct loom_topo_torus_cfg *c, uint32_t w, uint32_t *coord) {
  for (uint32_t i = 0; i < c->dims; i++) {
    coord[i] = w % c->size[i];
    w /= c->size[i];
  }
}

static void add_switch(struct loom_topo *t, const struct loom_topo_torus_cfg *c, uint32_t w) {
  uint32_t coord[DIMS_MAX] = {0};
  char name[LOOM_TOPO_NAME] = "S";
  coordinates(c, w, coord);
  for (uint32_t i = 0; i < c->dims; i++) {
    size_t used = strlen(name);
    snprintf(name + used, sizeof name - used, i ? "-%" PRIu32 : "%" PRIu32, coord[i]);
  }
  uint32_t d = loom_topo_add(t, LOOM_TOPO_SWITCH, c->nodes + trunks_below(c, c->dims) * c->trunk,
                             "%s", name);
  loom_topo_place(t, d, c->dims, coord);
}

/* The trunk of dimension `dim` with this number: 0 up and 1 down, or of a HyperX one for each other
 * coordinate. */
static void join_trunk(struct loom_topo *t, const struct loom_topo_torus_cfg *c, uint32_t dim,
                       const uint32_t end[2], const uint32_t trunk[2]) {
  uint32_t below = trunks_below(c, dim);
  for (uint32_t lane = 1; lane <= c->trunk; lane++)
    loom_topo_connect(t, end[0], c->nodes + (below + trunk[0]) * c->trunk + lane, end[1],
                      c->nodes + (below + trunk[1]) * c->trunk + lane);
}

/* Cables of switch w up each dimension: to the next, or to all. */
static void join(struct loom_topo *t, const struct loom_topo_torus_cfg *c, uint32_t first,
                 uint32_t w) {
  static const uint32_t up_to_down[2] = {0, 1};
  uint32_t weight = 1;
  for (uint32_t i = 0; i < c->dims; i++) {
    uint32_t at = w / weight % c->size[i], origin = first + w - at * weight;
    if (c->joined != LOOM_TOPO_ALL && (at + 1 < c->size[i] || c->joined == LOOM_TOPO_RING))
      join_trunk(t, c, i, (uint32_t[2]){first + w, origin + (at + 1) % c->size[i] * weight},
                 up_to_down);
    for (uint32_t to = at + 1; c->joined == LOOM_TOPO_ALL && to < c->size[i]; to++)
      join_trunk(t, c, i, (uint32_t[2]){first + w, origin + to * weight},
                 (uint32_t[2]){to - 1, at});
    weight *= c->size[i];
  }
}

static void build_torus(struct loom_topo *t, const void *cfg) {
  const struct loom_topo_torus_cfg *c = cfg;
  uint32_t switches = switches_of(c);
  for (uint32_t i = 0; i < switches * c->nodes && !t->overflow; i++) {
    uint32_t coord[DIMS_MAX + 1] = {0};
    coordinates(c, i / c->nodes, coord);
    coord[c->dims] = i % c->nodes;
    loom_topo_place(t, loom_topo_add(t, LOOM_TOPO_HCA, 1, "H%" PRIu32, i), c->dims + 1, coord);
  }
  uint32_t first = t->devices;
  for (uint32_t w = 0; w < switches && !t->overflow; w++)
    add_switch(t, c, w);
  for (uint32_t w = 0; t->device && w < switches; w++) {
    for (uint32_t j = 0; j < c->nodes; j++)
      loom_topo_connect(t, w * c->nodes + j, 1, first + w, j + 1);
    join(t, c, first, w);
  }
}

struct loom_topo *loom_topo_torus_make(const struct loom_topo_torus_cfg *cfg) {
  return loom_topo_torus_bad(cfg) ? NULL : loom_topo_make(build_torus, cfg);
}

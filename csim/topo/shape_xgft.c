/* SPDX-License-Identifier: Apache-2.0 */
/* shape_xgft.c - extended generalised fat trees: every level as wide as one likes (docs/topo.md) */
#include <inttypes.h>

#include "topo/generate.h"
#include "topo/shape_tree.h"

/* Switches of a level that one path up leads to: y digits. */
static uint32_t ways_to(const struct loom_topo_xgft_cfg *c, uint32_t level) {
  uint32_t ways = 1;
  for (uint32_t i = 0; i < level; i++)
    ways = loom_topo_times(ways, c->up[i]);
  return ways;
}

/* Parts of the fabric that a level joins: x digits. */
static uint32_t parts_of(const struct loom_topo_xgft_cfg *c, uint32_t level) {
  uint32_t parts = 1;
  for (uint32_t i = level; i < c->levels; i++)
    parts = loom_topo_times(parts, c->down[i]);
  return parts;
}

uint32_t loom_topo_xgft_switches(const struct loom_topo_xgft_cfg *c, uint32_t level) {
  return loom_topo_times(parts_of(c, level + 1), ways_to(c, level));
}

static uint32_t trunk_at(const struct loom_topo_xgft_cfg *c, uint32_t level) {
  return level ? c->trunk : 1;
}

static uint32_t ports_of(const struct loom_topo_xgft_cfg *c, uint32_t level) {
  uint32_t up = level + 1 < c->levels ? loom_topo_times(c->up[level], c->trunk) : 0;
  return loom_topo_times(c->down[level], trunk_at(c, level)) + up;
}

const char *loom_topo_xgft_bad(const struct loom_topo_xgft_cfg *c) {
  if (c->levels < 1 || c->levels > LOOM_TOPO_XGFT_LEVELS)
    return "down";
  for (uint32_t i = 0; i < c->levels; i++)
    if (c->down[i] < 1 || c->down[i] > LOOM_TOPO_PORTS)
      return "down";
  if (c->ups + 1 != c->levels)
    return "up";
  for (uint32_t i = 0; i < c->ups; i++)
    if (c->up[i] < 1 || c->up[i] > LOOM_TOPO_PORTS)
      return "up";
  if (c->trunk < 1)
    return "trunk";
  for (uint32_t i = 0; i < c->levels; i++)
    if (ports_of(c, i) > LOOM_TOPO_PORTS)
      return c->trunk > 1 ? "trunk" : "up";
  if (parts_of(c, 0) > LOOM_TOPO_DEVICES)
    return "down";
  for (uint32_t i = 0; i < c->levels; i++)
    if (loom_topo_xgft_switches(c, i) > LOOM_TOPO_DEVICES)
      return "up";
  return NULL;
}

/* Cables of the switches of a level, the first of which is `lower`, to the next one, `upper`: a
 * switch is the port down of its lowest x digit, which its parents have not. */
static void join_levels(struct loom_topo *t, const struct loom_topo_xgft_cfg *c, uint32_t level,
                        uint32_t lower, uint32_t upper) {
  uint32_t ways = ways_to(c, level), parents = c->up[level];
  uint32_t first = c->down[level] * trunk_at(c, level) + 1;
  for (uint32_t w = 0; w < upper - lower; w++)
    for (uint32_t j = 0; j < parents * c->trunk; j++) {
      uint32_t x = w / ways, y = w % ways, lane = j % c->trunk;
      uint32_t to = x / c->down[level + 1] * ways * parents + y * parents + j / c->trunk;
      loom_topo_connect(t, lower + w, first + j, upper + to,
                        x % c->down[level + 1] * c->trunk + lane + 1);
    }
}

static void add_level(struct loom_topo *t, const struct loom_topo_xgft_cfg *c, uint32_t level) {
  for (uint32_t w = 0; w < loom_topo_xgft_switches(c, level) && !t->overflow; w++) {
    const uint32_t at[2] = {level, w};
    uint32_t d =
        loom_topo_add(t, LOOM_TOPO_SWITCH, ports_of(c, level), "S%" PRIu32 "-%" PRIu32, level, w);
    loom_topo_place(t, d, 2, at);
    loom_topo_raise(t, d, level);
  }
}

static void build_xgft(struct loom_topo *t, const void *cfg) {
  const struct loom_topo_xgft_cfg *c = cfg;
  uint32_t nodes = parts_of(c, 0), lower = nodes;
  for (uint32_t i = 0; i < nodes && !t->overflow; i++)
    loom_topo_place(t, loom_topo_add(t, LOOM_TOPO_HCA, 1, "H%" PRIu32, i), 1, &i);
  for (uint32_t level = 0; level < c->levels; level++)
    add_level(t, c, level);
  for (uint32_t i = 0; t->device && i < nodes; i++)
    loom_topo_connect(t, i, 1, nodes + i / c->down[0], i % c->down[0] + 1);
  for (uint32_t level = 0; t->device && level + 1 < c->levels; level++) {
    uint32_t upper = lower + loom_topo_xgft_switches(c, level);
    join_levels(t, c, level, lower, upper);
    lower = upper;
  }
}

struct loom_topo *loom_topo_xgft_make(const struct loom_topo_xgft_cfg *cfg) {
  return loom_topo_xgft_bad(cfg) ? NULL : loom_topo_make(build_xgft, cfg);
}

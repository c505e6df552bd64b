/* SPDX-License-Identifier: Apache-2.0 */
/* shape_dragonfly.c - groups of switches that are joined each with each, and so are the groups
 * (docs/topo.md) */
#include <inttypes.h>

#include "topo/generate.h"
#include "topo/shape_tree.h"

uint32_t loom_topo_dragonfly_groups(const struct loom_topo_dragonfly_cfg *c) {
  uint32_t all = loom_topo_times(c->routers, c->globals);
  return c->groups ? c->groups : all < UINT32_MAX ? all + 1 : all;
}

uint32_t loom_topo_dragonfly_cables(const struct loom_topo_dragonfly_cfg *c) {
  uint32_t groups = loom_topo_dragonfly_groups(c);
  return groups > 1 ? c->routers * c->globals / (groups - 1) : 0;
}

static uint32_t ports_of(const struct loom_topo_dragonfly_cfg *c) {
  return c->nodes + c->routers - 1 + c->globals;
}

const char *loom_topo_dragonfly_bad(const struct loom_topo_dragonfly_cfg *c) {
  if (c->routers < 1 || c->routers > LOOM_TOPO_PORTS)
    return "routers";
  if (c->globals < 1 || c->globals + c->routers - 1 > LOOM_TOPO_PORTS - 1)
    return "globals";
  if (c->groups > c->routers * c->globals + 1)
    return "groups";
  if (c->nodes < 1 || c->nodes > LOOM_TOPO_PORTS || ports_of(c) > LOOM_TOPO_PORTS)
    return "nodes";
  return loom_topo_times(loom_topo_dragonfly_groups(c), c->routers) > LOOM_TOPO_DEVICES ? "groups"
                                                                                        : NULL;
}

/* The m-th cable of a group to the one `apart` after it begins at its port
 * m (groups - 1) + apart - 1 of all that lead to other groups, of which each router has as many; it
 * ends at the port of that group which leads as far back. */
static void join_groups(struct loom_topo *t, const struct loom_topo_dragonfly_cfg *c,
                        uint32_t first) {
  uint32_t groups = loom_topo_dragonfly_groups(c), cables = loom_topo_dragonfly_cables(c);
  uint32_t before = c->nodes + c->routers; /* first port of these, from 1 on */
  for (uint32_t g = 0; g < groups; g++)
    for (uint32_t to = g + 1; to < groups; to++)
      for (uint32_t m = 0; m < cables; m++) {
        uint32_t p = m * (groups - 1) + to - g - 1;
        uint32_t q = m * (groups - 1) + groups - (to - g) - 1;
        loom_topo_connect(t, first + g * c->routers + p / c->globals, before + p % c->globals,
                          first + to * c->routers + q / c->globals, before + q % c->globals);
      }
}

/* Router r has router s at port nodes + s + 1, those after itself a port earlier. */
static void join_group(struct loom_topo *t, const struct loom_topo_dragonfly_cfg *c,
                       uint32_t first) {
  for (uint32_t r = 0; r < c->routers; r++)
    for (uint32_t s = r + 1; s < c->routers; s++)
      loom_topo_connect(t, first + r, c->nodes + s, first + s, c->nodes + r + 1);
}

static void build_dragonfly(struct loom_topo *t, const void *cfg) {
  const struct loom_topo_dragonfly_cfg *c = cfg;
  uint32_t switches = loom_topo_dragonfly_groups(c) * c->routers;
  for (uint32_t i = 0; i < switches * c->nodes && !t->overflow; i++) {
    uint32_t router = i / c->nodes;
    const uint32_t at[3] = {router / c->routers, router % c->routers, i % c->nodes};
    loom_topo_place(t, loom_topo_add(t, LOOM_TOPO_HCA, 1, "H%" PRIu32, i), 3, at);
  }
  uint32_t first = t->devices;
  for (uint32_t w = 0; w < switches && !t->overflow; w++) {
    const uint32_t at[2] = {w / c->routers, w % c->routers};
    loom_topo_place(
        t, loom_topo_add(t, LOOM_TOPO_SWITCH, ports_of(c), "S%" PRIu32 "-%" PRIu32, at[0], at[1]),
        2, at);
  }
  for (uint32_t i = 0; t->device && i < switches * c->nodes; i++)
    loom_topo_connect(t, i, 1, first + i / c->nodes, i % c->nodes + 1);
  for (uint32_t w = 0; t->device && w < switches; w += c->routers)
    join_group(t, c, first + w);
  if (t->device)
    join_groups(t, c, first);
}

struct loom_topo *loom_topo_dragonfly_make(const struct loom_topo_dragonfly_cfg *cfg) {
  return loom_topo_dragonfly_bad(cfg) ? NULL : loom_topo_make(build_dragonfly, cfg);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* shape_dragonfly.c - groups of switches that are joined each with each, or of leaves and spines,
 * and all groups are joined (docs/topo.md) */
#include <inttypes.h>

#include "topo/generate.h"
#include "topo/shape_tree.h"

/* What leads from group to group. */
struct gates {
  uint32_t groups;        /* 0: as many as a group can reach */
  uint32_t routers;       /* of a group, those with such ports; they stand together */
  uint32_t globals;       /* ports of each of them */
  uint32_t first, stride; /* the first of them, and from there to that of the next group */
  uint32_t before;        /* the port before those */
};

static uint32_t groups_of(const struct gates *k) {
  uint32_t all = loom_topo_times(k->routers, k->globals);
  return k->groups ? k->groups : all < UINT32_MAX ? all + 1 : all;
}

/* From each group to each other one. */
static uint32_t cables_of(const struct gates *k) {
  uint32_t groups = groups_of(k);
  return groups > 1 ? k->routers * k->globals / (groups - 1) : 0;
}

/* The m-th cable of a group to the one `apart` after it begins at its port
 * m (groups - 1) + apart - 1 of all that lead to other groups, of which each router has as many; it
 * ends at the port of that group which leads as far back. */
static void join_groups(struct loom_topo *t, const struct gates *k) {
  uint32_t groups = groups_of(k), cables = cables_of(k);
  for (uint32_t g = 0; g < groups; g++)
    for (uint32_t to = g + 1; to < groups; to++)
      for (uint32_t m = 0; m < cables; m++) {
        uint32_t p = m * (groups - 1) + to - g - 1;
        uint32_t q = m * (groups - 1) + groups - (to - g) - 1;
        loom_topo_connect(
            t, k->first + g * k->stride + p / k->globals, k->before + 1 + p % k->globals,
            k->first + to * k->stride + q / k->globals, k->before + 1 + q % k->globals);
      }
}

/* ---- dragonfly ------------------------------------------------------------------------------- */

static struct gates gates_of(const struct loom_topo_dragonfly_cfg *c) {
  return (struct gates){.groups = c->groups,
                        .routers = c->routers,
                        .globals = c->globals,
                        .stride = c->routers,
                        .before = c->nodes + c->routers - 1};
}

uint32_t loom_topo_dragonfly_groups(const struct loom_topo_dragonfly_cfg *c) {
  const struct gates k = gates_of(c);
  return groups_of(&k);
}

uint32_t loom_topo_dragonfly_cables(const struct loom_topo_dragonfly_cfg *c) {
  const struct gates k = gates_of(c);
  return cables_of(&k);
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
  struct gates k = gates_of(c);
  k.first = first;
  if (t->device)
    join_groups(t, &k);
}

struct loom_topo *loom_topo_dragonfly_make(const struct loom_topo_dragonfly_cfg *cfg) {
  return loom_topo_dragonfly_bad(cfg) ? NULL : loom_topo_make(build_dragonfly, cfg);
}

/* ---- dragonfly+ ------------------------------------------------------------------------------ */

static struct gates spines_of(const struct loom_topo_dragonflyplus_cfg *c) {
  return (struct gates){.groups = c->groups,
                        .routers = c->spines,
                        .globals = c->globals,
                        .stride = c->leaves + c->spines,
                        .before = c->leaves};
}

uint32_t loom_topo_dragonflyplus_groups(const struct loom_topo_dragonflyplus_cfg *c) {
  const struct gates k = spines_of(c);
  return groups_of(&k);
}

uint32_t loom_topo_dragonflyplus_cables(const struct loom_topo_dragonflyplus_cfg *c) {
  const struct gates k = spines_of(c);
  return cables_of(&k);
}

const char *loom_topo_dragonflyplus_bad(const struct loom_topo_dragonflyplus_cfg *c) {
  if (c->leaves < 1 || c->leaves > LOOM_TOPO_PORTS - 1)
    return "leaves";
  if (c->spines < 1 || c->spines > LOOM_TOPO_PORTS - 1)
    return "spines";
  if (c->globals < 1 || c->globals > LOOM_TOPO_PORTS - c->leaves)
    return "globals";
  if (c->groups > c->spines * c->globals + 1)
    return "groups";
  if (c->nodes < 1 || c->nodes > LOOM_TOPO_PORTS - c->spines)
    return "nodes";
  return loom_topo_times(loom_topo_dragonflyplus_groups(c), c->leaves + c->spines) >
                 LOOM_TOPO_DEVICES
             ? "groups"
             : NULL;
}

/* Leaf i has spine s at port nodes + s + 1, and is at port i + 1 there. */
static void join_leaves(struct loom_topo *t, const struct loom_topo_dragonflyplus_cfg *c,
                        uint32_t first) {
  for (uint32_t i = 0; i < c->leaves; i++)
    for (uint32_t s = 0; s < c->spines; s++)
      loom_topo_connect(t, first + i, c->nodes + s + 1, first + c->leaves + s, i + 1);
}

/* The leaves of a group, then its spines. */
static void add_group(struct loom_topo *t, const struct loom_topo_dragonflyplus_cfg *c,
                      uint32_t group) {
  for (uint32_t i = 0; i < c->leaves + c->spines && !t->overflow; i++) {
    bool spine = i >= c->leaves;
    const uint32_t at[3] = {group, spine, spine ? i - c->leaves : i};
    uint32_t ports = spine ? c->leaves + c->globals : c->nodes + c->spines;
    uint32_t d = loom_topo_add(t, LOOM_TOPO_SWITCH, ports, "S%" PRIu32 "-%" PRIu32 "-%" PRIu32,
                               at[0], at[1], at[2]);
    loom_topo_place(t, d, 3, at);
    loom_topo_raise(t, d, spine);
  }
}

static void build_dragonflyplus(struct loom_topo *t, const void *cfg) {
  const struct loom_topo_dragonflyplus_cfg *c = cfg;
  struct gates k = spines_of(c);
  uint32_t groups = groups_of(&k), leaves = groups * c->leaves;
  for (uint32_t i = 0; i < leaves * c->nodes && !t->overflow; i++) {
    uint32_t leaf = i / c->nodes;
    const uint32_t at[4] = {leaf / c->leaves, 0, leaf % c->leaves, i % c->nodes};
    loom_topo_place(t, loom_topo_add(t, LOOM_TOPO_HCA, 1, "H%" PRIu32, i), 4, at);
  }
  uint32_t first = t->devices;
  for (uint32_t g = 0; g < groups && !t->overflow; g++)
    add_group(t, c, g);
  if (!t->device)
    return;
  for (uint32_t i = 0; i < leaves * c->nodes; i++) {
    uint32_t leaf = i / c->nodes;
    loom_topo_connect(t, i, 1, first + leaf / c->leaves * k.stride + leaf % c->leaves,
                      i % c->nodes + 1);
  }
  for (uint32_t g = 0; g < groups; g++)
    join_leaves(t, c, first + g * k.stride);
  k.first = first + c->leaves;
  join_groups(t, &k);
}

struct loom_topo *loom_topo_dragonflyplus_make(const struct loom_topo_dragonflyplus_cfg *cfg) {
  return loom_topo_dragonflyplus_bad(cfg) ? NULL : loom_topo_make(build_dragonflyplus, cfg);
}

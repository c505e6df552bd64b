/* SPDX-License-Identifier: Apache-2.0 */
#include "io/shape.h"

#include <stdio.h>
#include <string.h>

const char *const loom_shape_names[LOOM_SHAPE_KINDS] = {
    "tree",      "xgft",          "slim",    "torus", "mesh",   "hyperx",
    "dragonfly", "dragonflyplus", "slimfly", "kns",   "qsnet3", NULL};

bool loom_shape_numbers(const char *text, uint32_t min, uint32_t most, uint32_t value[],
                        uint32_t *values) {
  char part[16];
  for (*values = 0; *values < most;) {
    uint64_t number = 0;
    size_t length = strcspn(text, "x");
    snprintf(part, sizeof part, "%.*s", (int)(length < 15 ? length : 15), text);
    if (loom_decimal(part, 0, LOOM_TOPO_DEVICES, &number) != LOOM_DECIMAL_OK || number < min)
      return false;
    value[(*values)++] = (uint32_t)number;
    text += length;
    if (!*text++)
      return true;
  }
  return false;
}

bool loom_shape_size(struct loom_shape *s, const char *text) {
  return loom_shape_numbers(text, 2, 3, s->size, &s->dims);
}

static uint32_t or_else(uint32_t value, uint32_t otherwise) { return value ? value : otherwise; }

static struct loom_topo *make_tree(const struct loom_shape *s, const char **bad) {
  const struct loom_topo_tree_cfg c = {.k = s->k,
                                       .n = s->n,
                                       .trunk = or_else(s->trunk, 1),
                                       .full = s->full,
                                       .top = s->top,
                                       .hosted = s->hosted,
                                       .links = s->links,
                                       .spread = s->spread};
  *bad = loom_topo_tree_bad(&c);
  return loom_topo_tree_make(&c);
}

static struct loom_topo *make_xgft(const struct loom_shape *s, const char **bad) {
  struct loom_topo_xgft_cfg c = {.levels = s->levels, .ups = s->ups, .trunk = or_else(s->trunk, 1)};
  memcpy(c.down, s->down, sizeof c.down);
  memcpy(c.up, s->up, sizeof c.up);
  *bad = loom_topo_xgft_bad(&c);
  return loom_topo_xgft_make(&c);
}

static struct loom_topo *make_torus(const struct loom_shape *s, const char **bad) {
  static const enum loom_topo_joined joined[LOOM_SHAPE_KINDS] = {
      [LOOM_SHAPE_MESH] = LOOM_TOPO_LINE, [LOOM_SHAPE_HYPERX] = LOOM_TOPO_ALL};
  const struct loom_topo_torus_cfg c = {.joined = joined[s->kind],
                                        .dims = s->dims,
                                        .size = {s->size[0], s->size[1], s->size[2]},
                                        .nodes = or_else(s->nodes, 1),
                                        .trunk = or_else(s->trunk, 1)};
  *bad = loom_topo_torus_bad(&c);
  return loom_topo_torus_make(&c);
}

static struct loom_topo_dragonfly_cfg dragonfly_of(const struct loom_shape *s) {
  return (struct loom_topo_dragonfly_cfg){.routers = s->routers,
                                          .globals = s->globals,
                                          .nodes = or_else(s->nodes, 1),
                                          .groups = s->groups};
}

static struct loom_topo *make_dragonfly(const struct loom_shape *s, const char **bad) {
  const struct loom_topo_dragonfly_cfg c = dragonfly_of(s);
  *bad = loom_topo_dragonfly_bad(&c);
  return loom_topo_dragonfly_make(&c);
}

static struct loom_topo *make_dragonflyplus(const struct loom_shape *s, const char **bad) {
  const struct loom_topo_dragonflyplus_cfg c = {.leaves = s->leaves,
                                                .spines = s->spines,
                                                .globals = s->globals,
                                                .nodes = or_else(s->nodes, 1),
                                                .groups = s->groups};
  *bad = loom_topo_dragonflyplus_bad(&c);
  return loom_topo_dragonflyplus_make(&c);
}

static struct loom_topo *make_slimfly(const struct loom_shape *s, const char **bad) {
  const struct loom_topo_slimfly_cfg c = {.q = s->q, .nodes = or_else(s->nodes, 1)};
  *bad = loom_topo_slimfly_bad(&c);
  return loom_topo_slimfly_make(&c);
}

static struct loom_topo_kns_cfg kns_of(const struct loom_shape *s) {
  return (struct loom_topo_kns_cfg){.k = s->k,
                                    .n = s->n,
                                    .nodes = or_else(s->nodes, 1),
                                    .trunk = or_else(s->trunk, 1),
                                    .radix = s->radix,
                                    .ports = s->ports};
}

static struct loom_topo *make_kns(const struct loom_shape *s, const char **bad) {
  const struct loom_topo_kns_cfg c = kns_of(s);
  *bad = loom_topo_kns_bad(&c);
  return loom_topo_kns_make(&c);
}

static struct loom_topo *make_qsnet3(const struct loom_shape *s, const char **bad) {
  const struct loom_topo_qsnet3_cfg c = {.nodes = s->nodes,
                                         .links = or_else(s->links, 1),
                                         .rails = or_else(s->rails, 1),
                                         .spread = s->spread,
                                         .blade = s->blade};
  *bad = loom_topo_qsnet3_bad(&c);
  return loom_topo_qsnet3_make(&c);
}

static struct loom_topo *make(const struct loom_shape *s, const char **bad) {
  switch (s->kind) {
  case LOOM_SHAPE_TREE:
    return make_tree(s, bad);
  case LOOM_SHAPE_XGFT:
    return make_xgft(s, bad);
  case LOOM_SHAPE_SLIM: {
    const struct loom_topo_slim_cfg c = {.nodes = or_else(s->nodes, 5)};
    *bad = loom_topo_slim_bad(&c);
    return loom_topo_slim_make(&c);
  }
  case LOOM_SHAPE_TORUS:
  case LOOM_SHAPE_MESH:
  case LOOM_SHAPE_HYPERX:
    return make_torus(s, bad);
  case LOOM_SHAPE_DRAGONFLY:
    return make_dragonfly(s, bad);
  case LOOM_SHAPE_DRAGONFLYPLUS:
    return make_dragonflyplus(s, bad);
  case LOOM_SHAPE_SLIMFLY:
    return make_slimfly(s, bad);
  case LOOM_SHAPE_KNS:
    return make_kns(s, bad);
  case LOOM_SHAPE_QSNET3:
    return make_qsnet3(s, bad);
  case LOOM_SHAPE_FILE:
  case LOOM_SHAPE_KINDS:
    break;
  }
  return NULL;
}

/* If the devices of a KNS would have too many ports: the number that makes them so many. */
static const char *ports_of_what(const struct loom_shape *s) {
  struct loom_topo_kns_cfg c = kns_of(s);
  c.trunk = 1;
  if (!loom_topo_kns_bad(&c))
    return "trunk";
  c.nodes = 1;
  return loom_topo_kns_bad(&c) ? "radix" : "nodes";
}

/* A number that was not given is not to blame, but one that leaves no room for its default. */
static const char *to_blame(const struct loom_shape *s, const char *bad) {
  if (!strcmp(bad, "trunk") && !s->trunk)
    return loom_shape_is_grid(s->kind) ? "nodes" : "k";
  if (!strcmp(bad, "groups") && !s->groups)
    return s->kind == LOOM_SHAPE_DRAGONFLYPLUS ? "spines" : "routers";
  if (!strcmp(bad, "nodes") && !s->nodes)
    return s->kind == LOOM_SHAPE_SLIMFLY         ? "q"
           : s->kind == LOOM_SHAPE_DRAGONFLYPLUS ? "spines"
                                                 : "globals";
  if (!strcmp(bad, "radix") && !s->radix)
    return "k";
  if (!strcmp(bad, "ports") && !s->ports)
    return ports_of_what(s);
  return bad;
}

struct loom_topo *loom_shape_make(const struct loom_shape *s, const char **bad) {
  *bad = NULL;
  struct loom_topo *t = make(s, bad);
  if (*bad)
    *bad = to_blame(s, *bad);
  return t;
}

/* base^exponent, or more than any fabric has. */
static double power(uint32_t base, uint32_t exponent) {
  double value = 1;
  for (uint32_t i = 0; i < exponent && base > 1 && value < 1e300; i++)
    value *= base;
  return value;
}

/* Nodes, whatever their number. */
static double nodes_of(const struct loom_shape *s) {
  double nodes = or_else(s->nodes, 1);
  switch (s->kind) {
  case LOOM_SHAPE_TREE:
    return power(s->k, s->n);
  case LOOM_SHAPE_KNS:
    return power(s->k, s->n) * nodes;
  case LOOM_SHAPE_XGFT:
    for (uint32_t i = 0; i < s->levels; i++)
      nodes *= s->down[i];
    return nodes;
  case LOOM_SHAPE_DRAGONFLY:
    return nodes * s->routers *
           (s->groups ? (double)s->groups : (double)s->routers * s->globals + 1);
  case LOOM_SHAPE_DRAGONFLYPLUS:
    return nodes * s->leaves * (s->groups ? (double)s->groups : (double)s->spines * s->globals + 1);
  case LOOM_SHAPE_SLIMFLY:
    return nodes * 2 * s->q * s->q;
  case LOOM_SHAPE_TORUS:
  case LOOM_SHAPE_MESH:
  case LOOM_SHAPE_HYPERX:
    for (uint32_t d = 0; d < s->dims; d++)
      nodes *= s->size[d];
    return nodes;
  case LOOM_SHAPE_SLIM:
  case LOOM_SHAPE_QSNET3:
  case LOOM_SHAPE_FILE:
  case LOOM_SHAPE_KINDS:
    break;
  }
  return nodes;
}

void loom_shape_why(const struct loom_shape *s, char why[LOOM_SHAPE_WHY]) {
  double nodes = nodes_of(s);
  if (nodes > LOOM_TOPO_DEVICES)
    snprintf(why, LOOM_SHAPE_WHY, "cannot be so: %.10g nodes, but a fabric has up to %d devices",
             nodes, LOOM_TOPO_DEVICES);
  else
    snprintf(why, LOOM_SHAPE_WHY, "cannot be so; docs/topo.md gives the bounds");
}

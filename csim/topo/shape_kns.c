/* SPDX-License-Identifier: Apache-2.0 */
/* shape_kns.c - KNS: k-ary n-direct s-indirect fabrics (docs/topo.md; KN-01, KN-05, KN-11) */
#include <inttypes.h>
#include <string.h>

#include "topo/generate.h"
#include "topo/shape_tree.h"

static uint32_t radix_of(const struct loom_topo_kns_cfg *c) { return c->radix ? c->radix : c->k; }

uint32_t loom_topo_kns_stages(const struct loom_topo_kns_cfg *c) {
  uint32_t stages = 1;
  for (uint32_t reach = radix_of(c); reach < c->k; reach = loom_topo_times(reach, radix_of(c)))
    stages++;
  return stages;
}

/* Ports that a router and a switch use. */
static uint32_t router_ports(const struct loom_topo_kns_cfg *c) {
  return c->nodes + c->n * c->trunk;
}

static uint32_t switch_ports(const struct loom_topo_kns_cfg *c) {
  return (loom_topo_kns_stages(c) > 1 ? 2 : 1) * radix_of(c) * c->trunk;
}

const char *loom_topo_kns_bad(const struct loom_topo_kns_cfg *c) {
  uint32_t ports = c->ports ? c->ports : LOOM_TOPO_PORTS;
  if (c->k < 2 || c->k > LOOM_TOPO_DEVICES)
    return "k";
  if (c->n < 1 || c->n > LOOM_TOPO_COORDS || loom_topo_power(c->k, c->n) > LOOM_TOPO_DEVICES)
    return "n";
  if (c->nodes < 1 || c->nodes > LOOM_TOPO_PORTS)
    return "nodes";
  if (c->trunk < 1 || c->trunk > LOOM_TOPO_PORTS)
    return "trunk";
  if (radix_of(c) < 2 || radix_of(c) > LOOM_TOPO_PORTS)
    return "radix";
  return c->ports > LOOM_TOPO_PORTS || router_ports(c) > ports || switch_ports(c) > ports ? "ports"
                                                                                          : NULL;
}

/* Coordinate d of router r. */
static uint32_t digit(const struct loom_topo_kns_cfg *c, uint32_t r, uint32_t d) {
  return r / loom_topo_power(c->k, d) % c->k;
}

/* Names give the highest coordinate first, as the paper does. */
static void add_router(struct loom_topo *t, const struct loom_topo_kns_cfg *c, uint32_t r) {
  uint32_t coord[LOOM_TOPO_COORDS] = {0};
  char name[LOOM_TOPO_NAME] = "R";
  uint32_t ports = router_ports(c) > c->ports ? router_ports(c) : c->ports;
  for (uint32_t i = c->n; i--;) {
    size_t used = strlen(name);
    coord[i] = digit(c, r, i);
    snprintf(name + used, sizeof name - used, i ? "%" PRIu32 "-" : "%" PRIu32, coord[i]);
  }
  loom_topo_place(t, loom_topo_add(t, LOOM_TOPO_SWITCH, ports, "%s", name), c->n, coord);
}

static void add_node(struct loom_topo *t, const struct loom_topo_kns_cfg *c, uint32_t i) {
  uint32_t coord[LOOM_TOPO_COORDS] = {0};
  for (uint32_t d = 0; d < c->n; d++)
    coord[d] = digit(c, i / c->nodes, d);
  loom_topo_place(t, loom_topo_add(t, LOOM_TOPO_HCA, 1, "H%" PRIu32, i), c->n, coord);
}

/* Network p of dimension d; its first switch. */
static uint32_t add_network(struct loom_topo *t, const struct loom_topo_kns_cfg *c,
                            struct loom_topo_stages *s, uint32_t d, uint32_t p) {
  *s = (struct loom_topo_stages){.hosted = 1,
                                 .arity = radix_of(c),
                                 .levels = loom_topo_kns_stages(c),
                                 .top = radix_of(c),
                                 .ends = c->k,
                                 .trunk = c->trunk,
                                 .hold = c->trunk,
                                 .ports = c->ports,
                                 .coords = 2,
                                 .coord = {d, p}};
  snprintf(s->name, sizeof s->name, "S%" PRIu32 "-%" PRIu32 "-", d, p);
  if (s->levels > 1)
    return loom_topo_stages_add(t, s);
  uint32_t ports = switch_ports(c) > c->ports ? switch_ports(c) : c->ports;
  uint32_t first = loom_topo_add(t, LOOM_TOPO_SWITCH, ports, "S%" PRIu32 "-%" PRIu32, d, p);
  loom_topo_place(t, first, 2, s->coord);
  return first;
}

/* Router r, node port first, then dimensions ascending. `first` is the first router. */
static void join(struct loom_topo *t, const struct loom_topo_kns_cfg *c,
                 const struct loom_topo_stages *s, uint32_t router, uint32_t end, uint32_t d,
                 uint32_t network) {
  for (uint32_t lane = 0; lane < c->trunk; lane++) {
    struct loom_topo_plug plug = loom_topo_stages_plug(s, end, lane);
    loom_topo_connect(t, router, c->nodes + d * c->trunk + lane + 1, network + plug.leaf,
                      plug.port);
  }
}

static void add_dimension(struct loom_topo *t, const struct loom_topo_kns_cfg *c, uint32_t d,
                          uint32_t first) {
  uint32_t weight = loom_topo_power(c->k, d);
  uint32_t networks = loom_topo_power(c->k, c->n - 1);
  for (uint32_t p = 0; p < networks && !t->overflow; p++) {
    struct loom_topo_stages s;
    uint32_t network = add_network(t, c, &s, d, p);
    uint32_t lowest = p / weight * weight * c->k + p % weight;
    for (uint32_t i = 0; t->device && i < c->k; i++)
      join(t, c, &s, first + lowest + i * weight, i, d, network);
  }
}

static void build_kns(struct loom_topo *t, const void *cfg) {
  const struct loom_topo_kns_cfg *c = cfg;
  uint32_t routers = loom_topo_power(c->k, c->n);
  for (uint32_t i = 0; i < loom_topo_times(routers, c->nodes) && !t->overflow; i++)
    add_node(t, c, i);
  uint32_t first = t->devices;
  for (uint32_t r = 0; r < routers && !t->overflow; r++)
    add_router(t, c, r);
  for (uint32_t i = 0; t->device && i < routers * c->nodes; i++)
    loom_topo_connect(t, i, 1, first + i / c->nodes, i % c->nodes + 1);
  for (uint32_t d = 0; d < c->n; d++)
    add_dimension(t, c, d, first);
}

struct loom_topo *loom_topo_kns_make(const struct loom_topo_kns_cfg *cfg) {
  return loom_topo_kns_bad(cfg) ? NULL : loom_topo_make(build_kns, cfg);
}

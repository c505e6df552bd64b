/* elite5_tree.c - folded Clos trees of Elite5 routers: their shape (docs/elan5.md) */
#include "fabric/elite5_tree.h"

#include <loom/bits.h>
#include <stdlib.h>
#include <string.h>

enum { BRING_UP_MAX = 20000, NODE_CHIPS = 0x8000 };

void loom_elite5_tree_defaults(struct loom_elite5_tree_cfg *cfg) {
  *cfg = (struct loom_elite5_tree_cfg){
      .arity = 4, .levels = 3, .top = 4, .hosted = 1, .node_links = 1, .latency = 1, .groups = 16};
}

/* ---- counts ---------------------------------------------------------------------------------- */

static uint32_t power(uint32_t base, uint32_t exponent) {
  uint32_t result = 1;
  for (; exponent; exponent--)
    result *= base;
  return result;
}

static bool shape_ok(const struct loom_elite5_tree_cfg *c) {
  bool counts = c->arity >= 1 && c->levels >= 1 && c->levels <= LOOM_TREE_LEVELS && c->top >= 1 &&
                c->hosted >= 1 && c->node_links >= 1 && c->node_links <= LOOM_ELAN5_LINKS;
  if (!counts || c->arity % c->hosted)
    return false;
  if (c->levels == 1)
    return c->hosted == 1 && !c->spread && c->top % c->node_links == 0;
  return (c->spread ? c->top : c->arity) % c->node_links == 0;
}

/* Leaf routers; the links down of one. */
static uint32_t leaves(const struct loom_elite5_tree_cfg *c) {
  return c->levels == 1 ? 1 : c->top * power(c->arity, c->levels - 2);
}

static uint32_t leaf_links(const struct loom_elite5_tree_cfg *c) {
  return c->levels == 1 ? c->top : c->arity;
}

uint32_t loom_elite5_tree_nodes(const struct loom_elite5_tree_cfg *c) {
  return shape_ok(c) ? leaves(c) * leaf_links(c) / c->node_links : 0;
}

static uint32_t routers_at(const struct loom_elite5_tree_cfg *c, uint32_t level) {
  return level + 1 < c->levels ? leaves(c) : power(c->arity, c->levels - 1) / c->hosted;
}

uint32_t loom_elite5_tree_routers(const struct loom_elite5_tree_cfg *c) {
  uint32_t all = 0;
  for (uint32_t level = 0; level < c->levels; level++)
    all += routers_at(c, level);
  return all;
}

void loom_elite5_tree_place(const struct loom_elite5_tree_cfg *c, uint32_t router, uint32_t *level,
                            uint32_t *index) {
  *index = router;
  for (*level = 0; *index >= routers_at(c, *level); ++*level)
    *index -= routers_at(c, *level);
}

/* ---- wiring ---------------------------------------------------------------------------------- */

/* The router of level + 1, and its link, that up link j of router w leads to. */
static struct loom_net_end above(const struct loom_elite5_tree *tree, uint32_t level, uint32_t w,
                                 uint32_t j) {
  const struct loom_elite5_tree_cfg *c = &tree->cfg;
  /* Digits below the top one have weight arity^i; the top one is the highest. */
  uint32_t weight = power(c->arity, level), digit = w / weight;
  bool top = level + 2 == c->levels;
  if (!top)
    digit %= c->arity;
  uint32_t at = w - digit * weight + j * weight;
  if (!top)
    return loom_net_router_end(tree->first[level + 1] + at, digit);
  /* Top switch {j, rest} stands in router {j / hosted, rest}. */
  uint32_t rest = w - digit * weight;
  return loom_net_router_end(tree->first[level + 1] + j / c->hosted * weight + rest,
                             j % c->hosted * c->top + digit);
}

struct loom_net_end loom_elite5_tree_plug(const struct loom_elite5_tree *tree, uint32_t node,
                                          uint32_t link) {
  const struct loom_elite5_tree_cfg *c = &tree->cfg;
  uint32_t ports = leaf_links(c);
  if (!c->spread) {
    uint32_t port = node * c->node_links + link;
    return loom_net_router_end(port / ports, port % ports);
  }
  /* The leaves of a node differ in the highest digit. */
  uint32_t weight = power(c->arity, c->levels - 2), leaf = node / ports;
  uint32_t digit = leaf / weight * c->node_links + link;
  return loom_net_router_end(digit * weight + leaf % weight, node % ports);
}

static void wire(struct loom_elite5_tree *tree) {
  const struct loom_elite5_tree_cfg *c = &tree->cfg;
  for (uint32_t node = 0; node < tree->nodes; node++)
    for (uint32_t link = 0; link < c->node_links; link++)
      loom_elite5_net_connect(tree->net, loom_net_node_end(node, link),
                              loom_elite5_tree_plug(tree, node, link), c->latency);
  for (uint32_t level = 0; level + 1 < c->levels; level++)
    for (uint32_t w = 0; w < tree->per_level[level]; w++)
      for (uint32_t j = 0; j < c->arity; j++)
        loom_elite5_net_connect(tree->net,
                                loom_net_router_end(tree->first[level] + w, c->arity + j),
                                above(tree, level, w, j), c->latency);
}

/* ---- making ---------------------------------------------------------------------------------- */

void loom_elite5_tree_net(const struct loom_elite5_tree_cfg *c, struct loom_elite5_net_cfg *net) {
  struct loom_elite5_router_cfg *router = &net->router;
  net->routers = loom_elite5_tree_routers(c);
  net->nodes = loom_elite5_tree_nodes(c);
  net->links =
      net->nodes * c->node_links + (net->routers - routers_at(c, c->levels - 1)) * c->arity;
  net->latency = c->latency;
  router->LINKS = loom_max(c->levels > 1 ? 2 * c->arity : 2, c->hosted * c->top);
  router->DESTS = loom_max(16, net->nodes);
  /* A class is a mask. */
  router->CLASSES = loom_min(4096, net->nodes + LOOM_TREE_CLASSES);
  router->GROUPS = c->groups;
  net->endpoint.links = c->node_links;
  net->endpoint.nodes = net->nodes;
  net->endpoint.vcs = router->VCS;
  net->endpoint.bvcs = router->BVCS;
  net->endpoint.pool = router->POOL;
  net->commands = loom_max(net->commands, router->DESTS + 2 * router->CLASSES + 4 * c->groups + 64);
}

static struct loom_elite5_net *make_net(const struct loom_elite5_tree_cfg *c,
                                        const struct loom_elite5_net_cfg *given) {
  struct loom_elite5_net_cfg cfg = *given;
  loom_elite5_tree_net(c, &cfg);
  return loom_elite5_net_create(&cfg);
}

static bool make_tables(struct loom_elite5_tree *tree) {
  uint32_t routers = tree->routers;
  tree->avoided = calloc(tree->net->cfg.links, sizeof *tree->avoided);
  tree->off = calloc(routers, sizeof *tree->off);
  tree->masks = calloc((size_t)routers * tree->net->cfg.router.CLASSES, sizeof *tree->masks);
  tree->classes = calloc(routers, sizeof *tree->classes);
  tree->dest_class = calloc((size_t)routers * tree->nodes, sizeof *tree->dest_class);
  tree->way = calloc(routers, sizeof *tree->way);
  tree->group = calloc(routers, sizeof *tree->group);
  tree->members = calloc(routers, sizeof *tree->members);
  if (!tree->avoided || !tree->off || !tree->masks || !tree->classes || !tree->dest_class ||
      !tree->way || !tree->group || !tree->members)
    return false;
  /* No class: each entry is written once. */
  memset(tree->dest_class, 0xFF, (size_t)routers * tree->nodes * sizeof *tree->dest_class);
  return true;
}

/* Chip of a device, as its links say it (E5-35). */
static uint32_t chip_of(struct loom_net_end end) {
  return end.router ? end.device : NODE_CHIPS | end.device;
}

/* One end of a link that checks what it is plugged into. */
static void prepare_end(struct loom_elite5_tree *tree, struct loom_net_end end,
                        struct loom_net_end far) {
  uint32_t expected = chip_of(far) << 8 | far.lane;
  if (end.router) {
    uint32_t a = loom_elite5_link_register(end.lane, LOOM_ELITE5_REG_LINK_EXPECTED);
    loom_elite5_net_write(tree->net, end.device, a, expected);
    return;
  }
  struct loom_elan5_port_cfg port;
  loom_elan5_port_defaults(&port);
  port.quick = false;
  port.check = true;
  port.expected = expected;
  port.chip_id = chip_of(end);
  port.link = end.lane;
  loom_elan5_set_port(tree->net->node[end.device].endpoint, end.lane, &port);
}

static void prepare_links(struct loom_elite5_tree *tree) {
  for (uint32_t link = 0; tree->cfg.slow && link < tree->net->links; link++) {
    const struct loom_net_end *end = tree->net->link[link].end;
    prepare_end(tree, end[0], end[1]);
    prepare_end(tree, end[1], end[0]);
  }
}

/* Links up and down, time, tables; then the links come up. */
static void start(struct loom_elite5_tree *tree) {
  struct loom_elite5_net *net = tree->net;
  for (uint32_t r = 0; r < tree->routers; r++) {
    bool top = r >= tree->first[tree->cfg.levels - 1];
    loom_links up = top ? 0 : (loom_links)loom_mask(tree->cfg.arity) << tree->cfg.arity;
    loom_elite5_net_write(net, r, LOOM_ELITE5_REG_UPLINKS, up);
    loom_elite5_net_write(net, r, LOOM_ELITE5_REG_CHIP_ID, r);
    loom_elite5_net_write(net, r, LOOM_ELITE5_REG_SEED, (r + 1) * 2654435761u);
  }
  prepare_links(tree);
  loom_elite5_tree_routes(tree);
  for (uint32_t group = 0; group < tree->cfg.groups; group++)
    loom_elite5_tree_group(tree, group, NULL, false);
  for (uint32_t r = 0; r < tree->routers; r++) {
    loom_elite5_net_write(net, r, LOOM_ELITE5_REG_DEST_COUNT, tree->nodes);
    loom_elite5_net_write(net, r, LOOM_ELITE5_REG_GROUP_COUNT, tree->cfg.groups);
    loom_elite5_net_write(net, r, LOOM_ELITE5_REG_TIME, 0);
    loom_elite5_net_write(
        net, r, loom_elite5_link_register(LOOM_ELITE5_REG_ALL_LINKS, LOOM_ELITE5_REG_LINK_CONTROL),
        LOOM_ELITE5_ENABLE | (tree->cfg.slow ? LOOM_ELITE5_CHECK : LOOM_ELITE5_QUICK));
  }
  loom_elite5_net_flush(net);
  for (uint32_t cycle = 0; cycle < BRING_UP_MAX && !loom_elite5_tree_up(tree); cycle++)
    loom_elite5_net_step(net);
  loom_elite5_net_run(net, net->cfg.endpoint.settle);
}

struct loom_elite5_tree *loom_elite5_tree_create(const struct loom_elite5_tree_cfg *cfg,
                                                 const struct loom_elite5_net_cfg *net) {
  struct loom_elite5_tree *tree = shape_ok(cfg) ? calloc(1, sizeof *tree) : NULL;
  if (!tree)
    return NULL;
  tree->cfg = *cfg;
  tree->nodes = loom_elite5_tree_nodes(cfg);
  for (uint32_t level = 0; level < cfg->levels; level++) {
    tree->first[level] = tree->routers;
    tree->per_level[level] = routers_at(cfg, level);
    tree->routers += tree->per_level[level];
  }
  tree->net = make_net(cfg, net);
  if (!tree->net || !make_tables(tree)) {
    loom_elite5_tree_destroy(tree);
    return NULL;
  }
  wire(tree);
  start(tree);
  return tree;
}

void loom_elite5_tree_destroy(struct loom_elite5_tree *tree) {
  if (tree->net)
    loom_elite5_net_destroy(tree->net);
  free(tree->avoided);
  free(tree->off);
  free(tree->masks);
  free(tree->classes);
  free(tree->dest_class);
  free(tree->way);
  free(tree->group);
  free(tree->members);
  free(tree);
}

static bool end_up(const struct loom_elite5_net *net, struct loom_net_end end) {
  if (end.router)
    return net->router[end.device].twin->up >> end.lane & 1;
  return net->node[end.device].endpoint->link[end.lane].port.state == LOOM_ELAN5_PORT_UP;
}

bool loom_elite5_tree_up(const struct loom_elite5_tree *tree) {
  const struct loom_elite5_net *net = tree->net;
  for (uint32_t link = 0; link < net->links; link++)
    if (net->link[link].joined &&
        !(end_up(net, net->link[link].end[0]) && end_up(net, net->link[link].end[1])))
      return false;
  return true;
}

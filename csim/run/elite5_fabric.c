/* SPDX-License-Identifier: Apache-2.0 */
/* elite5_fabric.c - an Elite5 fabric on a graph (docs/elan5.md, section Fabric) */
#include "run/elite5_fabric.h"

#include <loom/bits.h>
#include <stdlib.h>
#include <string.h>

enum { READ_CYCLES = 3, WRITE_CYCLES = 2, BRING_UP_MAX = 20000, NODE_CHIPS = 0x8000 };
/* Nodes whose entries are written router by router, so that neighbours in a table come together. */
enum { AT_A_TIME = 32 };

/* ---- what follows from the graph ------------------------------------------------------------- */

void loom_elite5_fabric_defaults(struct loom_elite5_fabric_cfg *cfg, const struct loom_topo *topo) {
  *cfg = (struct loom_elite5_fabric_cfg){
      .topo = topo, .latency = 1, .host_latency = 1, .groups = 16, .seed = 1};
  loom_elite5_policy_defaults(&cfg->policy);
  loom_elite5_router_defaults(&cfg->router);
  loom_elan5_defaults(&cfg->endpoint);
}

static bool is_cabled(const struct loom_topo *t, uint32_t d, uint32_t port) {
  return loom_topo_port(t, d, port)->device != LOOM_TOPO_NONE;
}

/* Of a device: up to the highest port with a cable. */
static uint32_t links_of(const struct loom_topo *t, uint32_t d) {
  uint32_t links = 0;
  for (uint32_t port = 1; port <= t->device[d].ports; port++)
    links = is_cabled(t, d, port) ? port : links;
  return links;
}

bool loom_elite5_fabric_fit(struct loom_elite5_fabric_cfg *cfg) {
  const struct loom_topo *t = cfg->topo;
  struct loom_elite5_router_cfg *router = &cfg->router;
  uint32_t nodes = 0;
  router->LINKS = 2;
  cfg->endpoint.links = 1;
  for (uint32_t d = 0; d < t->devices; d++) {
    bool node = t->device[d].kind == LOOM_TOPO_HCA;
    uint32_t *most = node ? &cfg->endpoint.links : &router->LINKS;
    nodes += node;
    *most = loom_max(*most, links_of(t, d));
  }
  router->DESTS = loom_max(16, nodes);
  /* A class is a mask. */
  router->CLASSES = loom_min(4096, nodes + LOOM_ELITE5_CLASSES_SPARE);
  router->GROUPS = cfg->groups;
  cfg->endpoint.nodes = nodes;
  cfg->endpoint.vcs = router->VCS;
  cfg->endpoint.bvcs = router->BVCS;
  cfg->endpoint.pool = router->POOL;
  return router->LINKS <= LOOM_ELITE5_LINKS && cfg->endpoint.links <= LOOM_ELAN5_LINKS;
}

/* ---- making ---------------------------------------------------------------------------------- */

static bool make_rooms(struct loom_elite5_fabric *e) {
  const struct loom_topo *t = e->cfg.topo;
  const struct loom_fabric_cfg room = {.devices = t->devices,
                                       .links = t->ports / 2 + 1,
                                       .latency = loom_max(e->cfg.latency, e->cfg.host_latency),
                                       .seed = e->cfg.seed};
  e->routes = loom_elite5_routes_create(t);
  e->fabric = loom_fabric_create(&room);
  if (!e->routes || !e->fabric)
    return false;
  e->routers = e->routes->routers;
  e->nodes = e->routes->nodes;
  e->router = calloc((size_t)e->routers + 1, sizeof(void *));
  e->crosspoint = calloc((size_t)e->routers + 1, sizeof(void *));
  e->node = calloc((size_t)e->nodes + 1, sizeof(void *));
  e->device = calloc((size_t)t->devices + 1, sizeof *e->device);
  e->masks = calloc((size_t)e->routers * e->cfg.router.CLASSES + 1, sizeof *e->masks);
  e->classes = calloc((size_t)e->routers + 1, sizeof *e->classes);
  e->ways = calloc((size_t)AT_A_TIME * e->routers + 1, sizeof *e->ways);
  /* No class: each entry is written once. */
  size_t entries = (size_t)e->routers * e->nodes + 1;
  e->class_of = malloc(entries * sizeof *e->class_of);
  if (!e->class_of)
    return false;
  memset(e->class_of, 0xFF, entries * sizeof *e->class_of);
  return e->router && e->crosspoint && e->node && e->device && e->masks && e->classes && e->ways;
}

static uint32_t add_crosspoint(struct loom_elite5_fabric *e, uint32_t router) {
  const struct loom_elite5_router_cfg *c = &e->cfg.router;
  const struct loom_crosspoint_router_cfg cfg = {.LINKS = c->LINKS,
                                                 .VCS = c->VCS,
                                                 .BVCS = c->BVCS,
                                                 .POOL = c->POOL,
                                                 .DESTS = c->DESTS,
                                                 .CLASSES = c->CLASSES,
                                                 .GROUPS = c->GROUPS,
                                                 .PIPE = e->cfg.pipe};
  e->crosspoint[router] = loom_crosspoint_router_new(e->fabric, &cfg);
  return e->crosspoint[router]
             ? loom_fabric_add(e->fabric, &loom_crosspoint_router_class, e->crosspoint[router])
             : LOOM_FABRIC_NONE;
}

static uint32_t add_first_edition(struct loom_elite5_fabric *e, uint32_t router) {
  e->router[router] = loom_elite5_router_new(e->fabric, &e->cfg.router);
  return e->router[router]
             ? loom_fabric_add(e->fabric, &loom_elite5_router_class, e->router[router])
             : LOOM_FABRIC_NONE;
}

static bool add_router(struct loom_elite5_fabric *e, uint32_t router) {
  uint32_t device = e->cfg.second ? add_crosspoint(e, router) : add_first_edition(e, router);
  e->device[e->routes->router_device[router]] = device;
  return device != LOOM_FABRIC_NONE &&
         (!e->cfg.added || e->cfg.added(e->cfg.context, e->fabric, router, device));
}

static bool add_node(struct loom_elite5_fabric *e, uint32_t node) {
  struct loom_elan5_cfg cfg = e->cfg.endpoint;
  cfg.links = links_of(e->cfg.topo, e->routes->node_device[node]);
  struct loom_elan5 *endpoint = e->node[node] = loom_elan5_new(e->fabric, &cfg, node);
  if (!endpoint)
    return false;
  uint32_t device = e->cfg.add_node
                        ? e->cfg.add_node(e->cfg.context, e->fabric, endpoint)
                        : loom_elan5_add(e->fabric, &loom_elan5_class, endpoint, endpoint);
  e->device[e->routes->node_device[node]] = device;
  return device != LOOM_FABRIC_NONE;
}

static bool add_devices(struct loom_elite5_fabric *e) {
  bool added = true;
  for (uint32_t r = 0; added && r < e->routers; r++)
    added = add_router(e, r);
  for (uint32_t n = 0; added && n < e->nodes; n++)
    added = add_node(e, n);
  return added;
}

/* Each cable once: from the device with the lower number. */
static void join(struct loom_elite5_fabric *e, uint32_t d) {
  const struct loom_topo *t = e->cfg.topo;
  for (uint32_t port = 1; port <= t->device[d].ports; port++) {
    const struct loom_topo_port *far = loom_topo_port(t, d, port);
    if (far->device == LOOM_TOPO_NONE || far->device < d)
      continue;
    bool node = t->device[d].kind == LOOM_TOPO_HCA || t->device[far->device].kind == LOOM_TOPO_HCA;
    loom_fabric_connect(e->fabric, e->device[d], port - 1, e->device[far->device], far->port - 1u,
                        node ? e->cfg.host_latency : e->cfg.latency);
    e->links++;
  }
}

/* ---- bring-up -------------------------------------------------------------------------------- */

/* The chip of a device of the graph, as its links say it (E5-35). */
static uint32_t chip_of(const struct loom_elite5_fabric *e, uint32_t d) {
  bool node = e->cfg.topo->device[d].kind == LOOM_TOPO_HCA;
  return e->routes->number[d] | (node ? NODE_CHIPS : 0);
}

/* A link end that checks what it is plugged into. */
static void prepare_end(struct loom_elite5_fabric *e, uint32_t d, uint32_t link) {
  const struct loom_topo_port *far = loom_topo_port(e->cfg.topo, d, link + 1);
  uint32_t expected = chip_of(e, far->device) << 8 | (far->port - 1u);
  uint32_t number = e->routes->number[d];
  if (e->cfg.topo->device[d].kind == LOOM_TOPO_SWITCH) {
    uint32_t a = loom_elite5_link_register(link, LOOM_ELITE5_REG_LINK_EXPECTED);
    loom_elite5_fabric_write(e, number, a, expected);
    return;
  }
  struct loom_elan5_port_cfg port;
  loom_elan5_port_defaults(&port);
  port.quick = false;
  port.check = true;
  port.expected = expected;
  port.chip_id = chip_of(e, d);
  port.link = link;
  loom_elan5_set_port(e->node[number], link, &port);
}

static void prepare_links(struct loom_elite5_fabric *e) {
  const struct loom_topo *t = e->cfg.topo;
  for (uint32_t d = 0; e->cfg.slow && d < t->devices; d++)
    for (uint32_t port = 1; port <= t->device[d].ports; port++)
      if (is_cabled(t, d, port))
        prepare_end(e, d, port - 1);
}

static void write_policy(struct loom_elite5_fabric *e, uint32_t router) {
  const struct loom_elite5_policy *p = &e->cfg.policy;
  loom_elite5_fabric_write(e, router, LOOM_ELITE5_REG_CONTROL, loom_elite5_policy_control(p));
  loom_elite5_fabric_write(e, router, LOOM_ELITE5_REG_THRESHOLD, loom_elite5_policy_threshold(p));
  loom_elite5_fabric_write(e, router, LOOM_ELITE5_REG_EXPIRE, p->expire);
}

/* Links up and down, time, tables; then the links come up. */
static bool start(struct loom_elite5_fabric *e) {
  uint32_t control = LOOM_ELITE5_ENABLE | (e->cfg.slow ? LOOM_ELITE5_CHECK : LOOM_ELITE5_QUICK);
  for (uint32_t r = 0; r < e->routers; r++) {
    loom_elite5_fabric_write(e, r, LOOM_ELITE5_REG_UPLINKS, e->routes->up[r]);
    loom_elite5_fabric_write(e, r, LOOM_ELITE5_REG_CHIP_ID, r);
    loom_elite5_fabric_write(e, r, LOOM_ELITE5_REG_SEED, (r + 1) * 2654435761u);
    write_policy(e, r);
  }
  prepare_links(e);
  if (!loom_elite5_fabric_route(e))
    return false;
  for (uint32_t group = 0; group < e->cfg.groups; group++)
    loom_elite5_fabric_group(e, group, NULL, false);
  bool written = true;
  for (uint32_t r = 0; r < e->routers; r++) {
    loom_elite5_fabric_write(e, r, LOOM_ELITE5_REG_DEST_COUNT, e->nodes);
    loom_elite5_fabric_write(e, r, LOOM_ELITE5_REG_GROUP_COUNT, e->cfg.groups);
    loom_elite5_fabric_write(e, r, LOOM_ELITE5_REG_TIME, 0);
    written &= loom_elite5_fabric_write(
        e, r, loom_elite5_link_register(LOOM_ELITE5_REG_ALL_LINKS, LOOM_ELITE5_REG_LINK_CONTROL),
        control);
  }
  loom_elite5_fabric_flush(e);
  for (uint32_t cycle = 0; cycle < BRING_UP_MAX && !loom_elite5_fabric_up(e); cycle++)
    loom_fabric_step(e->fabric);
  loom_fabric_run(e->fabric, e->cfg.endpoint.settle);
  loom_fabric_begin(e->fabric);
  return written;
}

struct loom_elite5_fabric *loom_elite5_fabric_create(const struct loom_elite5_fabric_cfg *cfg) {
  struct loom_elite5_fabric *e = calloc(1, sizeof *e);
  if (!e)
    return NULL;
  e->cfg = *cfg;
  if (make_rooms(e) && add_devices(e)) {
    for (uint32_t d = 0; d < cfg->topo->devices; d++)
      join(e, d);
    if (start(e))
      return e;
  }
  loom_elite5_fabric_destroy(e);
  return NULL;
}

bool loom_elite5_fabric_sample(const struct loom_elite5_fabric_cfg *cfg, uint32_t routers,
                               uint32_t nodes) {
  struct loom_elite5_fabric *e = calloc(1, sizeof *e);
  if (!e)
    return false;
  e->cfg = *cfg;
  bool made = make_rooms(e);
  for (uint32_t r = 0; made && r < routers; r++)
    made = add_router(e, (uint32_t)((uint64_t)r * e->routers / routers));
  for (uint32_t n = 0; made && n < nodes; n++)
    made = add_node(e, n);
  loom_elite5_fabric_destroy(e);
  return made;
}

void loom_elite5_fabric_destroy(struct loom_elite5_fabric *e) {
  if (!e)
    return;
  loom_fabric_destroy(e->fabric);
  loom_elite5_routes_destroy(e->routes);
  free(e->router);
  free(e->crosspoint);
  free(e->node);
  free(e->device);
  free(e->masks);
  free(e->classes);
  free(e->ways);
  free(e->class_of);
  free(e);
}

uint32_t loom_elite5_router_link(const struct loom_elite5_fabric *e, uint32_t router,
                                 uint32_t lane) {
  return loom_fabric_link(e->fabric, loom_elite5_router_device(e, router), lane);
}

uint32_t loom_elite5_node_link(const struct loom_elite5_fabric *e, uint32_t node, uint32_t lane) {
  return loom_fabric_link(e->fabric, loom_elite5_node_device(e, node), lane);
}

/* ---- registers ------------------------------------------------------------------------------- */

bool loom_elite5_fabric_write(struct loom_elite5_fabric *e, uint32_t router, uint32_t addr,
                              uint32_t data) {
  uint32_t device = loom_elite5_router_device(e, router);
  /* The cycle in which the time will be in the register. */
  if (addr == LOOM_ELITE5_REG_TIME)
    data = (uint32_t)(loom_fabric_now(e->fabric) + loom_fabric_waiting(e->fabric, device) +
                      WRITE_CYCLES);
  return loom_fabric_access(e->fabric, device,
                            &(struct loom_fabric_access){.addr = addr, .data = data});
}

/* The bus of the second edition goes from link to link, and its settings are a cycle late. */
static uint32_t bus_cycles(const struct loom_elite5_fabric *e) {
  return e->cfg.second ? e->cfg.router.LINKS + 1 : 0;
}

void loom_elite5_fabric_flush(struct loom_elite5_fabric *e) {
  while (loom_fabric_waiting(e->fabric, LOOM_FABRIC_NONE))
    loom_fabric_step(e->fabric);
  loom_fabric_run(e->fabric, WRITE_CYCLES + bus_cycles(e));
}

uint32_t loom_elite5_fabric_read(struct loom_elite5_fabric *e, uint32_t router, uint32_t addr) {
  uint32_t device = loom_elite5_router_device(e, router);
  while (loom_fabric_waiting(e->fabric, device))
    loom_fabric_step(e->fabric);
  if (!loom_fabric_access(e->fabric, device,
                          &(struct loom_fabric_access){.addr = addr, .read = true}))
    return 0;
  if (!e->cfg.second) {
    loom_fabric_run(e->fabric, READ_CYCLES);
    return e->router[router]->read[1].data;
  }
  loom_fabric_run(e->fabric, READ_CYCLES + e->cfg.router.LINKS);
  return loom_crosspoint_router_answer(e->crosspoint[router]);
}

/* ---- tables ---------------------------------------------------------------------------------- */

/* The class of a mask in a router. A class once written never changes, so that tables can be
 * rewritten under traffic; false when there is no room for another one. */
static bool find_class(struct loom_elite5_fabric *e, uint32_t router, uint32_t mask,
                       uint16_t *class) {
  uint32_t room = e->cfg.router.CLASSES;
  uint32_t *masks = e->masks + (size_t)router * room;
  uint32_t k = 0;
  while (k < e->classes[router] && masks[k] != mask)
    k++;
  if (k == room)
    return false;
  *class = (uint16_t)k;
  if (k == e->classes[router]) {
    masks[e->classes[router]++] = mask;
    loom_elite5_fabric_write(e, router, LOOM_ELITE5_REG_MASK + 2 * k, mask);
    loom_elite5_fabric_write(e, router, LOOM_ELITE5_REG_CLASS_COUNT, k + 1);
  }
  return true;
}

static void find_ways(struct loom_elite5_fabric *e, uint32_t node) {
  if (e->cfg.policy.choice == LOOM_ELITE5_STATIC)
    loom_elite5_routes_find_static(e->routes, node);
  else
    loom_elite5_routes_find(e->routes, node);
}

/* The entries of a router for some nodes from `node` on, by the ways to them. */
static bool write_ways(struct loom_elite5_fabric *e, uint32_t router, uint32_t node,
                       uint32_t nodes) {
  uint16_t *written = &e->class_of[(size_t)router * e->nodes + node], class;
  for (uint32_t i = 0; i < nodes; i++, written++) {
    if (!find_class(e, router, e->ways[(size_t)i * e->routers + router], &class))
      return false;
    if (*written != class &&
        !loom_elite5_fabric_write(e, router, LOOM_ELITE5_REG_DEST + node + i, class))
      return false;
    *written = class;
  }
  return true;
}

bool loom_elite5_fabric_route(struct loom_elite5_fabric *e) {
  bool written = true;
  for (uint32_t node = 0; written && node < e->nodes; node += AT_A_TIME) {
    uint32_t nodes = loom_min(AT_A_TIME, e->nodes - node);
    for (uint32_t i = 0; i < nodes; i++) {
      find_ways(e, node + i);
      memcpy(e->ways + (size_t)i * e->routers, e->routes->way, e->routers * sizeof *e->ways);
    }
    for (uint32_t r = 0; written && r < e->routers; r++)
      written = write_ways(e, r, node, nodes);
  }
  return written;
}

void loom_elite5_fabric_group_on(struct loom_elite5_fabric *e, uint32_t group, const bool *member,
                                 uint32_t tree) {
  const struct loom_elite5_routes *routes = e->routes;
  uint32_t entry = LOOM_ELITE5_REG_MASK + 2 * (e->cfg.router.CLASSES + 2 * group);
  loom_elite5_routes_group_on(e->routes, member, tree);
  for (uint32_t r = 0; r < e->routers; r++) {
    loom_elite5_fabric_write(e, r, entry + routes->all[r], routes->below[r]);
    loom_elite5_fabric_write(e, r, entry + 3, routes->above[r]);
  }
}

void loom_elite5_fabric_group(struct loom_elite5_fabric *e, uint32_t group, const bool *member,
                              bool fixed) {
  loom_elite5_fabric_group_on(e, group, member, fixed ? 0 : LOOM_ELITE5_ANY_TREE);
}

/* ---- state ----------------------------------------------------------------------------------- */

static bool is_end_up(const struct loom_elite5_fabric *e, uint32_t d, uint32_t port) {
  uint32_t number = e->routes->number[d];
  if (e->cfg.topo->device[d].kind == LOOM_TOPO_SWITCH)
    return (e->cfg.second ? e->crosspoint[number]->up : e->router[number]->up) >> (port - 1) & 1;
  return e->node[number]->link[port - 1].port.state == LOOM_ELITE5_UP;
}

bool loom_elite5_fabric_up(const struct loom_elite5_fabric *e) {
  const struct loom_topo *t = e->cfg.topo;
  for (uint32_t d = 0; d < t->devices; d++)
    for (uint32_t port = 1; port <= t->device[d].ports; port++)
      if (is_cabled(t, d, port) && !is_end_up(e, d, port) &&
          loom_fabric_is_joined(e->fabric, loom_fabric_link(e->fabric, e->device[d], port - 1)))
        return false;
  return true;
}

/* No packet is in a router. */
static bool is_idle(const struct loom_elite5_fabric *e, uint32_t router) {
  if (e->cfg.second) {
    const struct loom_crosspoint_router *s = e->crosspoint[router];
    return !(s->not_idle | s->allocated | s->stocked);
  }
  const struct loom_elite5_router *s = e->router[router];
  return !(s->not_idle | s->allocated | s->used);
}

bool loom_elite5_fabric_idle(const struct loom_elite5_fabric *e) {
  for (uint32_t n = 0; n < e->nodes; n++)
    if (!loom_elan5_idle(e->node[n]))
      return false;
  for (uint32_t r = 0; r < e->routers; r++)
    if (!is_idle(e, r))
      return false;
  return true;
}

void loom_elite5_fabric_power(struct loom_elite5_fabric *e, uint32_t router, bool on) {
  for (uint32_t lane = 0; lane < LOOM_ELITE5_LINKS; lane++) {
    uint32_t link = loom_elite5_router_link(e, router, lane);
    if (link != LOOM_FABRIC_NONE)
      loom_fabric_join(e->fabric, link, on);
  }
}

void loom_elite5_fabric_catch_up(struct loom_elite5_fabric *e) {
  for (uint32_t r = 0; r < e->routers; r++)
    if (e->cfg.second)
      loom_crosspoint_router_catch_up(e->crosspoint[r], loom_fabric_now(e->fabric));
    else
      loom_elite5_router_catch_up(e->router[r], loom_fabric_now(e->fabric));
}

uint32_t loom_elite5_fabric_used(const struct loom_elite5_fabric *e, uint32_t router, uint32_t link,
                                 uint32_t vc) {
  return e->cfg.second ? e->crosspoint[router]->port[link].store.used[vc]
                       : e->router[router]->buffer[link].units.used[vc];
}

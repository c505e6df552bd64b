/* SPDX-License-Identifier: Apache-2.0 */
/* elite5_fabric.h - an Elite5 fabric on a graph: routers, endpoints and links as devices of the one
 * engine, and what its management does: brings links up, writes route tables and broadcast groups
 * (docs/elan5.md; E5-19, E5-22..26, E5-28, E5-35, E5-40, E5-41)
 *
 * Router r is switch r of the graph, node n its HCA n; link l is port l + 1. Memory is allocated by
 * _create, and for register accesses that wait.
 */
#ifndef LOOM_RUN_ELITE5_FABRIC_H
#define LOOM_RUN_ELITE5_FABRIC_H

#include "elite5/elite5_registers.h"
#include "fabric/crosspoint_class.h"
#include "fabric/elite5_class.h"
#include "routing/elite5_routes.h"
#include "run/elite5_policy.h"

enum { LOOM_ELITE5_CLASSES_SPARE = 64 /* masks that failures bring about, beside one a node */ };

struct loom_elite5_fabric_cfg {
  const struct loom_topo *topo;   /* stays while the fabric lives */
  uint32_t latency, host_latency; /* of links between routers, to nodes, cycles */
  uint32_t groups;                /* that routers have entries for */
  struct loom_elite5_policy policy;
  bool slow;     /* links come up with negotiation, identity and test (E5-35) */
  uint64_t seed; /* of the links' bit errors */
  bool second;   /* the routers are of the second edition, */
  uint32_t pipe; /* with this PIPE */
  struct loom_elite5_router_cfg router; /* for both editions */
  struct loom_elan5_cfg endpoint;
  /* The device of an endpoint; NULL: it is one of loom_elan5_class. LOOM_FABRIC_NONE: no memory. */
  uint32_t (*add_node)(void *context, struct loom_fabric *f, struct loom_elan5 *endpoint);
  /* Called when a router has been added, before the first cycle. False: there is to be no fabric.
   * NULL: nobody wants to know. */
  bool (*added)(void *context, struct loom_fabric *f, uint32_t router, uint32_t device);
  void *context;
};

struct loom_elite5_fabric {
  struct loom_elite5_fabric_cfg cfg;
  struct loom_elite5_routes *routes;
  struct loom_fabric *fabric;
  uint32_t routers, nodes, links;
  struct loom_elite5_router **router;         /* of the first edition, */
  struct loom_crosspoint_router **crosspoint; /* or of the second one */
  struct loom_elan5 **node;
  uint32_t *device; /* of the fabric, by device of the graph */
  /* What the routers' tables hold: masks of their classes, by router; class by router and node. */
  uint32_t *masks, *classes;
  uint16_t *class_of;
  uint32_t *ways; /* to some nodes, by router */
};

void loom_elite5_fabric_defaults(struct loom_elite5_fabric_cfg *cfg, const struct loom_topo *topo);
/* Sets what follows from the graph: of routers LINKS, DESTS, CLASSES and GROUPS, of endpoints
 * links, nodes, and what they have in common with the routers. False: the graph is none of Elite5
 * routers (more than 32 links, or 4 of a node). */
bool loom_elite5_fabric_fit(struct loom_elite5_fabric_cfg *cfg);

/* Builds the fabric, writes its tables and waits for the links to be UP; then its cycle 0 begins
 * (loom_fabric_begin). NULL: `cfg`, which was fitted, is not legal, a hook wanted none, or there is
 * no memory. */
struct loom_elite5_fabric *loom_elite5_fabric_create(const struct loom_elite5_fabric_cfg *cfg);
/* Makes only some routers, of all levels, and nodes, so that the hooks see what they take; then
 * they are gone. False: as above. */
bool loom_elite5_fabric_sample(const struct loom_elite5_fabric_cfg *cfg, uint32_t routers,
                               uint32_t nodes);
void loom_elite5_fabric_destroy(struct loom_elite5_fabric *e);

static inline uint32_t loom_elite5_router_device(const struct loom_elite5_fabric *e,
                                                 uint32_t router) {
  return e->device[e->routes->router_device[router]];
}
static inline uint32_t loom_elite5_node_device(const struct loom_elite5_fabric *e, uint32_t node) {
  return e->device[e->routes->node_device[node]];
}
/* The link of the fabric at link `lane` of a router, of a node; LOOM_FABRIC_NONE: none. */
uint32_t loom_elite5_router_link(const struct loom_elite5_fabric *e, uint32_t router,
                                 uint32_t lane);
uint32_t loom_elite5_node_link(const struct loom_elite5_fabric *e, uint32_t node, uint32_t lane);

/* Segment buffers of a link of a router that a VC has in use. */
uint32_t loom_elite5_fabric_used(const struct loom_elite5_fabric *e, uint32_t router, uint32_t link,
                                 uint32_t vc);

/* ---- registers ------------------------------------------------------------------------------- */

/* A register write waits its turn: one a cycle and router; time registers get the time of the
 * fabric. False: out of memory. */
bool loom_elite5_fabric_write(struct loom_elite5_fabric *e, uint32_t router, uint32_t addr,
                              uint32_t data);
/* Steps until all writes are done. */
void loom_elite5_fabric_flush(struct loom_elite5_fabric *e);
/* Steps until the data are there: after waiting writes of this router. */
uint32_t loom_elite5_fabric_read(struct loom_elite5_fabric *e, uint32_t router, uint32_t addr);

/* ---- tables ---------------------------------------------------------------------------------- */

/* Writes the route tables of all routers, over the links that e->routes does not avoid (E5-26). The
 * writes wait. False: a router has no class free for another mask. */
bool loom_elite5_fabric_route(struct loom_elite5_fabric *e);
/* Writes the entries of a broadcast group (E5-28): loom_elite5_routes_group. */
void loom_elite5_fabric_group(struct loom_elite5_fabric *e, uint32_t group, const bool *member,
                              bool fixed);
/* The same over one of several trees (Q-VII): loom_elite5_routes_group_on. */
void loom_elite5_fabric_group_on(struct loom_elite5_fabric *e, uint32_t group, const bool *member,
                                 uint32_t tree);

/* ---- state ----------------------------------------------------------------------------------- */

/* All links that are joined are UP at both ends. */
bool loom_elite5_fabric_up(const struct loom_elite5_fabric *e);
/* Nothing is under way in any endpoint and any router. */
bool loom_elite5_fabric_idle(const struct loom_elite5_fabric *e);
/* Cuts or joins all links of a router, as if its power went or came (E5-24, E5-40). */
void loom_elite5_fabric_power(struct loom_elite5_fabric *e, uint32_t router, bool on);
/* All twins as if no router had slept; for who looks into them by other ways than registers. */
void loom_elite5_fabric_catch_up(struct loom_elite5_fabric *e);

#endif

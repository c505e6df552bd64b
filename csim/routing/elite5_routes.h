/* SPDX-License-Identifier: Apache-2.0 */
/* elite5_routes.h - what the route tables of Elite5 routers say in a folded tree: for each
 * destination the links that lead there, for each broadcast group the links that its packets take
 * (docs/elan5.md; E5-19, E5-22, E5-24, E5-26, E5-28, E5-40)
 *
 * Switches are numbered in the order of the graph, and so are nodes, its HCAs. Link l is port l + 1
 * of the graph.
 */
#ifndef LOOM_ROUTING_ELITE5_ROUTES_H
#define LOOM_ROUTING_ELITE5_ROUTES_H

#include "topo/topo.h"

enum { LOOM_ELITE5_ROUTES_LINKS = 32 /* of a switch, at most */ };
#define LOOM_ELITE5_ROUTES_NONE UINT32_MAX
#define LOOM_ELITE5_ANY_TREE UINT32_MAX

/* The far end of a link of a switch: a switch or a node, the other is NONE. */
struct loom_elite5_far {
  uint32_t router, node;
};

struct loom_elite5_routes {
  const struct loom_topo *topo;
  uint32_t routers, nodes;
  uint32_t *router_device, *node_device; /* of the graph */
  uint32_t *number;                      /* by device of the graph: of its kind */
  struct loom_elite5_far *far;           /* by router and link */
  /* Sets of links of each router. */
  uint32_t *up, *down; /* to higher routers, or as high ones; to lower ones and to nodes */
  uint32_t *cross;     /* of `up`: to as high ones */
  uint32_t *avoided;   /* by the tables */
  bool *off;           /* by router: its links too */
  /* For static ways: in how many ways a node's number was split below a router, and the links up of
   * each router by turns: one to each router above, then the second ones, ... */
  uint32_t *spread;
  uint8_t *turn;   /* by router and place */
  uint32_t *order; /* routers from the leaves up */
  uint32_t *rail;  /* of a router: networks that nothing joins have different numbers */
  uint32_t rails;
  /* Answers, by router. */
  uint32_t *way;           /* links towards the node at hand */
  uint32_t *below, *above; /* of a packet of the group at hand, by where it comes from */
  bool *all;               /* a packet from below goes to all of `below`, else to any of it */
  /* While they are worked out. */
  uint32_t *straight, *members, *start, *root, *size;
};

/* NULL: some switch is in no folded tree or has more than 32 links, or out of memory. The graph
 * stays while it lives. */
struct loom_elite5_routes *loom_elite5_routes_create(const struct loom_topo *topo);
void loom_elite5_routes_destroy(struct loom_elite5_routes *r);

/* The tables leave a link out, or take it again, at both ends. */
void loom_elite5_routes_avoid(struct loom_elite5_routes *r, uint32_t router, uint32_t link,
                              bool avoid);

/* r->way of all routers for this node: down if they can, else up. */
void loom_elite5_routes_find(struct loom_elite5_routes *r, uint32_t node);

/* The same, but r->way is one link at most (docs/elan5.md, Static ways). */
void loom_elite5_routes_find_static(struct loom_elite5_routes *r, uint32_t node);

/* r->below, above and all of all routers for a group: `member` by node; NULL: nobody. With `fixed`
 * its packets go up towards the root only (E5-40), else to any router that spans it. On each rail
 * all members have a copy. */
void loom_elite5_routes_group(struct loom_elite5_routes *r, const bool *member, bool fixed);

/* The same over one of several trees (Q-VII), which have different roots as far as there are
 * enough: `tree` 0 is the one with the root of broadcasts; LOOM_ELITE5_ANY_TREE: not fixed. */
void loom_elite5_routes_group_on(struct loom_elite5_routes *r, const bool *member, uint32_t tree);

/* The root of a rail's broadcasts: its lowest router of the top level that is not off (E5-40). */
uint32_t loom_elite5_routes_root(const struct loom_elite5_routes *r, uint32_t rail);

#endif

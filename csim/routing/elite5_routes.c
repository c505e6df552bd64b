/* SPDX-License-Identifier: Apache-2.0 */
/* elite5_routes.c - route tables and broadcast groups of Elite5 routers in a folded tree
 * (docs/elan5.md; E5-19, E5-22, E5-26, E5-28, E5-40)
 *
 * Routers are gone through from the leaves up, when what is below a router is known, or from the
 * top down, when what is above it is. Where two routers of the top level are joined, as in two
 * chassis back to back, each is the way up for the other: a packet crosses such a link once, from
 * its way up to its way down.
 */
#include "routing/elite5_routes.h"

#include <stdlib.h>
#include <string.h>

enum { LINKS = LOOM_ELITE5_ROUTES_LINKS };
#define NONE LOOM_ELITE5_ROUTES_NONE
/* As a way up: the packet turns here. */
#define HERE UINT32_MAX

/* ---- the graph ------------------------------------------------------------------------------- */

static uint32_t lowest(uint32_t links) { return links & (~links + 1); }

static uint32_t index_of(uint32_t links) { return (uint32_t)__builtin_ctz(links); }

static const struct loom_elite5_far *far_of(const struct loom_elite5_routes *r, uint32_t router,
                                            uint32_t link) {
  return &r->far[(size_t)router * LINKS + link];
}

static uint32_t level_of(const struct loom_elite5_routes *r, uint32_t router) {
  return r->topo->device[r->router_device[router]].level;
}

static bool number_devices(struct loom_elite5_routes *r) {
  for (uint32_t d = 0; d < r->topo->devices; d++) {
    const struct loom_topo_device *device = &r->topo->device[d];
    bool router = device->kind == LOOM_TOPO_SWITCH;
    if (router && (device->level == LOOM_TOPO_NONE || device->ports > LINKS))
      return false;
    uint32_t *count = router ? &r->routers : &r->nodes;
    (router ? r->router_device : r->node_device)[*count] = d;
    r->number[d] = (*count)++;
  }
  return true;
}

/* The links of a router. */
static void look_at(struct loom_elite5_routes *r, uint32_t router) {
  const struct loom_topo *t = r->topo;
  uint32_t d = r->router_device[router];
  for (uint32_t link = 0; link < LINKS; link++) {
    struct loom_elite5_far *far = &r->far[(size_t)router * LINKS + link];
    *far = (struct loom_elite5_far){NONE, NONE};
    uint32_t peer = link < t->device[d].ports ? loom_topo_port(t, d, link + 1)->device : NONE;
    if (peer == LOOM_TOPO_NONE)
      continue;
    bool node = t->device[peer].kind == LOOM_TOPO_HCA;
    *(node ? &far->node : &far->router) = r->number[peer];
    bool up = !node && t->device[peer].level >= t->device[d].level;
    *(up ? &r->up[router] : &r->down[router]) |= 1u << link;
    if (up && t->device[peer].level == t->device[d].level)
      r->cross[router] |= 1u << link;
  }
}

/* Routers by level; of one level by number. */
static void sort_routers(struct loom_elite5_routes *r) {
  uint32_t sorted = 0;
  for (uint32_t level = 0; sorted < r->routers; level++)
    for (uint32_t router = 0; router < r->routers; router++)
      if (level_of(r, router) == level)
        r->order[sorted++] = router;
}

/* All that is joined with a router is on its rail. `stack` has room for all routers. */
static void find_rail(struct loom_elite5_routes *r, uint32_t router, uint32_t *stack) {
  uint32_t count = 0;
  r->rail[router] = r->rails;
  stack[count++] = router;
  while (count) {
    uint32_t at = stack[--count];
    for (uint32_t links = r->up[at] | r->down[at]; links; links &= links - 1) {
      uint32_t far = far_of(r, at, index_of(links))->router;
      if (far == NONE || r->rail[far] != NONE)
        continue;
      r->rail[far] = r->rails;
      stack[count++] = far;
    }
  }
  r->rails++;
}

/* The links up of a router by turns; how many routers they lead to. */
static uint32_t take_turns(struct loom_elite5_routes *r, uint32_t router) {
  uint8_t *turn = &r->turn[(size_t)router * LINKS];
  uint32_t left = r->up[router] & ~r->cross[router], count = 0, above = 0;
  while (left) {
    uint32_t begun = count;
    for (uint32_t links = left; links; links &= links - 1) {
      uint32_t link = index_of(links), i = begun;
      while (i < count && far_of(r, router, turn[i])->router != far_of(r, router, link)->router)
        i++;
      if (i == count) {
        turn[count++] = (uint8_t)link;
        left &= ~(1u << link);
      }
    }
    above = begun ? above : count;
  }
  return above;
}

/* A router and those below it tell nodes apart by different digits of their numbers. */
static void find_spreads(struct loom_elite5_routes *r) {
  for (uint32_t i = 0; i < r->routers; i++) {
    uint32_t router = r->order[i], own = r->spread[router] ? r->spread[router] : 1;
    uint32_t spread = own * take_turns(r, router);
    r->spread[router] = own;
    for (uint32_t links = r->up[router] & ~r->cross[router]; links; links &= links - 1) {
      uint32_t *above = &r->spread[far_of(r, router, index_of(links))->router];
      *above = spread > *above ? spread : *above;
    }
  }
}

static void look_around(struct loom_elite5_routes *r) {
  for (uint32_t router = 0; router < r->routers; router++) {
    look_at(r, router);
    r->rail[router] = NONE;
  }
  sort_routers(r);
  for (uint32_t router = 0; router < r->routers; router++)
    if (r->rail[router] == NONE)
      find_rail(r, router, r->members);
  find_spreads(r);
}

static bool allocate(struct loom_elite5_routes *r, uint32_t devices) {
  uint32_t **const list[] = {&r->router_device, &r->node_device, &r->number,  &r->up,    &r->down,
                             &r->avoided,       &r->order,       &r->rail,    &r->way,   &r->below,
                             &r->above,         &r->straight,    &r->members, &r->start, &r->root,
                             &r->size,          &r->cross,       &r->spread};
  bool ok = true;
  for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
    *list[i] = calloc((size_t)devices + 1, sizeof **list[i]);
    ok = ok && *list[i];
  }
  r->off = calloc((size_t)devices + 1, sizeof *r->off);
  r->all = calloc((size_t)devices + 1, sizeof *r->all);
  r->far = calloc((size_t)devices * LINKS + 1, sizeof *r->far);
  r->turn = calloc((size_t)devices * LINKS + 1, sizeof *r->turn);
  return ok && r->off && r->all && r->far && r->turn;
}

struct loom_elite5_routes *loom_elite5_routes_create(const struct loom_topo *topo) {
  struct loom_elite5_routes *r = calloc(1, sizeof *r);
  if (!r)
    return NULL;
  r->topo = topo;
  if (allocate(r, topo->devices) && number_devices(r)) {
    look_around(r);
    return r;
  }
  loom_elite5_routes_destroy(r);
  return NULL;
}

void loom_elite5_routes_destroy(struct loom_elite5_routes *r) {
  if (!r)
    return;
  uint32_t *const list[] = {r->router_device, r->node_device, r->number,  r->up,    r->down,
                            r->avoided,       r->order,       r->rail,    r->way,   r->below,
                            r->above,         r->straight,    r->members, r->start, r->root,
                            r->size,          r->cross,       r->spread};
  for (size_t i = 0; i < sizeof list / sizeof *list; i++)
    free(list[i]);
  free(r->off);
  free(r->all);
  free(r->far);
  free(r->turn);
  free(r);
}

/* ---- links that may be used ------------------------------------------------------------------ */

static void mark(uint32_t *set, uint32_t link, bool member) {
  *set = member ? *set | 1u << link : *set & ~(1u << link);
}

void loom_elite5_routes_avoid(struct loom_elite5_routes *r, uint32_t router, uint32_t link,
                              bool avoid) {
  uint32_t far = far_of(r, router, link)->router;
  mark(&r->avoided[router], link, avoid);
  if (far != NONE)
    mark(&r->avoided[far], loom_topo_port(r->topo, r->router_device[router], link + 1)->port - 1u,
         avoid);
}

/* Of these links of a router, those that the tables may use. */
static uint32_t usable(const struct loom_elite5_routes *r, uint32_t router, uint32_t links) {
  return r->off[router] ? 0 : links & ~r->avoided[router];
}

/* Of these links, those to routers with something in `way`. */
static uint32_t to_routers(const struct loom_elite5_routes *r, uint32_t router, uint32_t links,
                           const uint32_t *way) {
  uint32_t found = 0;
  for (links = usable(r, router, links); links; links &= links - 1) {
    uint32_t far = far_of(r, router, index_of(links))->router;
    if (far != NONE && !r->off[far] && way[far])
      found |= lowest(links);
  }
  return found;
}

/* Of the links up, those to routers that have a way; of the links across, those to routers from
 * which it goes straight down. */
static uint32_t to_higher(const struct loom_elite5_routes *r, uint32_t router) {
  uint32_t cross = r->cross[router];
  return to_routers(r, router, r->up[router] & ~cross, r->way) |
         to_routers(r, router, cross, r->straight);
}

/* ---- routes to nodes ------------------------------------------------------------------------- */

/* The router and the link at the far end of a port of a device; NONE: there is none. */
static uint32_t far_router(const struct loom_elite5_routes *r, uint32_t device, uint32_t port,
                           uint32_t *link) {
  const struct loom_topo_port *far = loom_topo_port(r->topo, device, port);
  if (far->device == LOOM_TOPO_NONE || r->topo->device[far->device].kind != LOOM_TOPO_SWITCH)
    return NONE;
  *link = 1u << (far->port - 1);
  return r->number[far->device];
}

/* Routers to which the node is joined. */
static void begin_at(struct loom_elite5_routes *r, uint32_t node) {
  uint32_t d = r->node_device[node], link = 0;
  for (uint32_t port = 1; port <= r->topo->device[d].ports; port++) {
    uint32_t router = far_router(r, d, port, &link);
    if (router != NONE)
      r->straight[router] |= usable(r, router, link);
  }
}

/* The routers above one from which it goes straight down. Who has the node itself needs no other
 * link. */
static void go_up(struct loom_elite5_routes *r, uint32_t router, uint32_t node) {
  uint32_t link = 0;
  for (uint32_t up = r->up[router] & ~r->cross[router]; up; up &= up - 1) {
    uint32_t above = far_router(r, r->router_device[router], index_of(up) + 1, &link);
    uint32_t has = r->straight[above];
    if (!has || far_of(r, above, index_of(has))->node != node)
      r->straight[above] |= usable(r, above, link);
  }
}

/* As few routers have a way straight down, these are followed up. */
static void find_straight(struct loom_elite5_routes *r, uint32_t node) {
  memset(r->straight, 0, r->routers * sizeof *r->straight);
  begin_at(r, node);
  for (uint32_t i = 0; i < r->routers; i++)
    if (r->straight[r->order[i]])
      go_up(r, r->order[i], node);
}

void loom_elite5_routes_find(struct loom_elite5_routes *r, uint32_t node) {
  find_straight(r, node);
  memcpy(r->way, r->straight, r->routers * sizeof *r->way);
  bool all = true, above = true; /* so far, and of the levels above, none is without a way */
  for (uint32_t i = r->routers; i-- > 0;) {
    uint32_t router = r->order[i];
    if (i + 1 < r->routers && level_of(r, router) != level_of(r, r->order[i + 1]))
      above = all;
    if (!r->way[router])
      r->way[router] =
          above && !r->cross[router] ? usable(r, router, r->up[router]) : to_higher(r, router);
    all = all && r->way[router];
  }
}

/* Of these links up, the one whose turn a node's number is; 0: there is none. */
static uint32_t one_up(const struct loom_elite5_routes *r, uint32_t router, uint32_t links,
                       uint32_t node) {
  const uint8_t *turn = &r->turn[(size_t)router * LINKS];
  uint32_t count = (uint32_t)__builtin_popcount(links);
  uint32_t number = count ? node / r->spread[router] % count : 0;
  for (uint32_t i = 0; count; i++)
    if (links >> turn[i] & 1 && number-- == 0)
      return 1u << turn[i];
  return 0;
}

/* Of the links down, the one that its lower router would take up for the node, else the lowest. */
static uint32_t one_down(const struct loom_elite5_routes *r, uint32_t router, uint32_t node) {
  for (uint32_t links = r->way[router]; links; links &= links - 1) {
    uint32_t link = index_of(links), far = far_of(r, router, link)->router;
    uint32_t port = loom_topo_port(r->topo, r->router_device[router], link + 1)->port;
    if (far == NONE)
      continue;
    uint32_t up = usable(r, far, r->up[far] & ~r->cross[far]);
    if (one_up(r, far, up, node) == 1u << (port - 1))
      return 1u << link;
  }
  return lowest(r->way[router]);
}

/* Of the links across, by the node's number. */
static uint32_t one_across(uint32_t links, uint32_t node) {
  for (uint32_t number = links ? node % (uint32_t)__builtin_popcount(links) : 0; number; number--)
    links &= links - 1;
  return lowest(links);
}

void loom_elite5_routes_find_static(struct loom_elite5_routes *r, uint32_t node) {
  loom_elite5_routes_find(r, node);
  for (uint32_t router = 0; router < r->routers; router++) {
    uint32_t way = r->way[router], up = way & ~r->cross[router];
    if (way & r->down[router])
      r->way[router] = one_down(r, router, node);
    else
      r->way[router] = up ? one_up(r, router, up, node) : one_across(way, node);
  }
}

/* ---- broadcast groups ------------------------------------------------------------------------ */

uint32_t loom_elite5_routes_root(const struct loom_elite5_routes *r, uint32_t rail) {
  uint32_t root = NONE;
  for (uint32_t router = 0; router < r->routers; router++) {
    if (r->rail[router] != rail)
      continue;
    bool higher = root == NONE || level_of(r, router) > level_of(r, root);
    bool level = root != NONE && level_of(r, router) == level_of(r, root);
    if (higher || (level && r->off[root]))
      root = router;
  }
  return root;
}

/* Where a member is reached: on each rail over its first link that can be used. Adds it to the
 * sizes of the group on its rails. */
static void enter(struct loom_elite5_routes *r, uint32_t node) {
  uint32_t d = r->node_device[node];
  memset(r->start, 0, r->routers * sizeof *r->start);
  for (uint32_t port = 1; port <= r->topo->device[d].ports; port++) {
    const struct loom_topo_port *far = loom_topo_port(r->topo, d, port);
    if (far->device == LOOM_TOPO_NONE || r->topo->device[far->device].kind != LOOM_TOPO_SWITCH)
      continue;
    uint32_t router = r->number[far->device], link = 1u << (far->port - 1), rail = r->rail[router];
    if (!usable(r, router, link) || r->root[rail] == node + 1)
      continue;
    r->root[rail] = node + 1; /* this member has its link */
    r->start[router] = link;
    r->size[rail]++;
  }
}

/* r->way of all routers down to the member at hand, over one link each, but those in `out`. */
static void find_ways_down(struct loom_elite5_routes *r, const uint32_t *out) {
  for (uint32_t i = 0; i < r->routers; i++) {
    uint32_t router = r->order[i], near = r->start[router];
    uint32_t way = near ? near : lowest(to_routers(r, router, r->down[router], r->way));
    r->way[router] = out[router] ? 0 : way;
  }
}

/* Where lower routers of a router have a way each, as in a chassis with several top switches, all
 * but the one that it takes are left out: they would send copies that nobody misses. */
static bool leave_out(const struct loom_elite5_routes *r, uint32_t *out) {
  bool any = false;
  for (uint32_t router = 0; router < r->routers; router++) {
    if (!r->way[router] || r->start[router])
      continue;
    uint32_t taken = far_of(r, router, index_of(r->way[router]))->router;
    for (uint32_t links = to_routers(r, router, r->down[router], r->way); links;
         links &= links - 1) {
      uint32_t other = far_of(r, router, index_of(links))->router;
      out[other] |= other != taken;
      any |= other != taken;
    }
  }
  return any;
}

/* Adds a member: which routers it is below, over which down link of each. */
static void add_member(struct loom_elite5_routes *r, uint32_t node) {
  uint32_t *out = r->straight;
  memset(out, 0, r->routers * sizeof *out);
  enter(r, node);
  find_ways_down(r, out);
  if (leave_out(r, out))
    find_ways_down(r, out);
  for (uint32_t router = 0; router < r->routers; router++) {
    r->above[router] |= r->way[router];
    r->members[router] += r->way[router] != 0;
  }
}

/* A link across to a router below which the members are that are not below this one; 0: none. */
static uint32_t other_half(const struct loom_elite5_routes *r, uint32_t router) {
  for (uint32_t links = usable(r, router, r->cross[router]); links; links &= links - 1) {
    uint32_t far = far_of(r, router, index_of(links))->router;
    if (!r->off[far] && r->members[router] + r->members[far] == r->size[r->rail[router]])
      return lowest(links);
  }
  return 0;
}

/* A link across leads to the root. */
static bool is_next_to_root(const struct loom_elite5_routes *r, uint32_t router) {
  uint32_t root = r->root[r->rail[router]];
  for (uint32_t links = usable(r, router, r->cross[router]); links; links &= links - 1)
    if (far_of(r, router, index_of(links))->router == root && !r->off[root])
      return true;
  return false;
}

/* From the top down: where packets from below turn, and over which links they come there. They turn
 * in any router that reaches all members, or only in the root and next to it. */
static void find_ways_up(struct loom_elite5_routes *r, bool fixed) {
  for (uint32_t i = r->routers; i-- > 0;) {
    uint32_t router = r->order[i];
    bool spans = r->members[router] == r->size[r->rail[router]];
    uint32_t half = spans ? 0 : other_half(r, router);
    uint32_t up = to_routers(r, router, r->up[router] & ~r->cross[router], r->way);
    bool root = router == r->root[r->rail[router]] || is_next_to_root(r, router);
    bool turn = fixed ? root : spans || half;
    r->all[router] = spans || (turn && half);
    r->way[router] = turn ? HERE : fixed ? lowest(up) : up;
    if (r->all[router])
      r->below[router] = r->above[router] | half;
    else
      r->below[router] = turn ? 0 : r->way[router];
  }
}

/* Packets of the group at hand may turn there. */
static bool reaches_all(const struct loom_elite5_routes *r, uint32_t router) {
  return !r->off[router] &&
         (r->members[router] == r->size[r->rail[router]] || other_half(r, router));
}

/* The root of a tree: of the routers as high as the root of broadcasts that reach all members, the
 * one whose turn it is; the root of broadcasts if there is none. */
static uint32_t root_of(const struct loom_elite5_routes *r, uint32_t rail, uint32_t tree) {
  uint32_t top = loom_elite5_routes_root(r, rail), count = 0;
  for (uint32_t pass = 0; pass < 2; pass++) {
    uint32_t left = count ? tree % count : 0;
    for (uint32_t router = 0; router < r->routers; router++) {
      if (r->rail[router] != rail || level_of(r, router) != level_of(r, top) ||
          !reaches_all(r, router))
        continue;
      if (pass && !left--)
        return router;
      count += !pass;
    }
  }
  return top;
}

void loom_elite5_routes_group_on(struct loom_elite5_routes *r, const bool *member, uint32_t tree) {
  size_t bytes = r->routers * sizeof *r->above;
  memset(r->above, 0, bytes);
  memset(r->members, 0, bytes);
  memset(r->size, 0, bytes);
  memset(r->root, 0, bytes);
  for (uint32_t node = 0; member && node < r->nodes; node++)
    if (member[node])
      add_member(r, node);
  for (uint32_t rail = 0; rail < r->rails; rail++)
    r->root[rail] = root_of(r, rail, tree);
  find_ways_up(r, tree != LOOM_ELITE5_ANY_TREE);
}

void loom_elite5_routes_group(struct loom_elite5_routes *r, const bool *member, bool fixed) {
  loom_elite5_routes_group_on(r, member, fixed ? 0 : LOOM_ELITE5_ANY_TREE);
}

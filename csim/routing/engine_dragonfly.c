/* SPDX-License-Identifier: Apache-2.0 */
/* engine_dragonfly.c - ways in a dragonfly or a Dragonfly+: the shortest ones, or each LID over
 * another group (docs/route.md)
 *
 * The switches have their group and their place in it from the fabric. In a dragonfly a way inside
 * a group is one cable, so what can close a circle are the cables between groups, and layers follow
 * from these. In a Dragonfly+ ways go up to a spine and down to a leaf, and only those that go up
 * again can close one.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "routing/engine.h"

/* A cable out of a group. */
struct gate {
  uint32_t row, to;
  uint32_t port; /* of `row` */
};

/* Cables from one switch of a group to another. */
struct bundle {
  uint8_t first, width;
};

struct dragonfly {
  struct loom_routing *r;
  bool plus;                /* leaves and spines */
  bool valiant;             /* each LID of a host over another group */
  bool ugal;                /* or the shortest way, by load */
  uint32_t groups, routers; /* routers: of a group */
  uint32_t leaves;          /* of them, the first ones; plus */
  uint32_t *row_at;         /* [group * routers + router] */
  struct bundle *bundle;    /* [row * routers + router] */
  struct gate *gate;        /* by group, by the group that they lead to, then as they are found */
  uint32_t *first;          /* [group * groups + to], and one more: where its gates begin */
};

static uint32_t group_of(const struct dragonfly *f, uint32_t row) {
  return f->r->topo->device[f->r->device[row]].coord[0];
}

static bool is_spine(const struct dragonfly *f, uint32_t row) {
  return f->plus && f->r->topo->device[f->r->device[row]].coord[1];
}

static uint32_t router_of(const struct dragonfly *f, uint32_t row) {
  const uint32_t *at = f->r->topo->device[f->r->device[row]].coord;
  return f->plus ? at[2] + (at[1] ? f->leaves : 0) : at[1];
}

static uint32_t pair_of(const struct dragonfly *f, uint32_t row, uint32_t peer) {
  return group_of(f, row) * f->groups + group_of(f, peer);
}

/* ---- is it a dragonfly? ---------------------------------------------------------------------- */

static const char *kind_of(const struct dragonfly *f) {
  return f->plus ? "Dragonfly+" : "dragonfly";
}

/* Group, and place; or of a Dragonfly+ group, level 0 or 1, and place. */
static bool has_place(const struct dragonfly *f, const struct loom_topo_device *d) {
  uint32_t most = f->r->switches;
  if (d->coords != (f->plus ? 3u : 2u) || d->coord[0] >= most)
    return false;
  return f->plus ? d->coord[1] < 2 && d->coord[2] < most : d->coord[1] < most;
}

static bool measure(struct dragonfly *f, struct loom_routing_error *err) {
  const struct loom_routing *r = f->r;
  uint32_t places[2] = {0, 0}; /* by level */
  for (uint32_t i = 0; i < r->switches; i++) {
    const struct loom_topo_device *d = &r->topo->device[r->device[i]];
    if (!has_place(f, d))
      return loom_routing_fail(err, "no %s: \"%s\" has no group and place in it", kind_of(f),
                               loom_routing_name(r, i));
    uint32_t level = f->plus ? d->coord[1] : 0, place = d->coord[f->plus ? 2 : 1];
    f->groups = d->coord[0] < f->groups ? f->groups : d->coord[0] + 1;
    places[level] = place < places[level] ? places[level] : place + 1;
  }
  f->leaves = places[0];
  f->routers = places[0] + places[1];
  return (uint64_t)f->groups * f->routers == r->switches ||
         loom_routing_fail(err, "no %s: %" PRIu32 " switches do not fill its groups", kind_of(f),
                           r->switches);
}

static bool settle(struct dragonfly *f, struct loom_routing_error *err) {
  for (uint32_t i = 0; i < f->r->switches; i++)
    f->row_at[i] = LOOM_TOPO_NONE;
  for (uint32_t row = 0; row < f->r->switches; row++) {
    uint32_t *at = &f->row_at[group_of(f, row) * f->routers + router_of(f, row)];
    if (*at != LOOM_TOPO_NONE)
      return loom_routing_fail(err, "no %s: \"%s\" has the place of another", kind_of(f),
                               loom_routing_name(f->r, row));
    *at = row;
  }
  return true;
}

/* Counts the cables of a switch: into its group in `bundle`, out of it in `first`. */
static void count_cables(struct dragonfly *f, uint32_t row) {
  for (uint32_t p = 1; p <= loom_routing_ports(f->r, row); p++) {
    uint32_t peer = loom_routing_peer(f->r, row, p);
    if (peer == LOOM_TOPO_NONE)
      continue;
    if (group_of(f, peer) != group_of(f, row)) {
      f->first[pair_of(f, row, peer) + 1]++;
      continue;
    }
    struct bundle *b = &f->bundle[row * f->routers + router_of(f, peer)];
    b->first = b->width++ ? b->first : (uint8_t)p;
  }
}

/* Whether a cable must join two switches of a group; no other may in a Dragonfly+. */
static bool is_pair(const struct dragonfly *f, uint32_t router, uint32_t other) {
  return f->plus ? (router < f->leaves) != (other < f->leaves) : router != other;
}

static bool check_bundles(const struct dragonfly *f, struct loom_routing_error *err) {
  for (uint32_t row = 0; row < f->r->switches; row++)
    for (uint32_t router = 0; router < f->routers; router++)
      if (is_pair(f, router_of(f, row), router) && !f->bundle[row * f->routers + router].width)
        return loom_routing_fail(
            err, "no %s: no cable joins \"%s\" and \"%s\"", kind_of(f),
            loom_routing_name(f->r, row),
            loom_routing_name(f->r, f->row_at[group_of(f, row) * f->routers + router]));
  return true;
}

/* Cables of a Dragonfly+ that no way in it would take up, or down. */
static bool check_levels(const struct dragonfly *f, struct loom_routing_error *err) {
  const struct loom_routing *r = f->r;
  for (uint32_t row = 0; row < r->switches; row++)
    for (uint32_t p = 1; p <= loom_routing_ports(r, row); p++) {
      uint32_t device = loom_routing_port(r, row, p)->device;
      if (device == LOOM_TOPO_NONE || (r->row[device] == LOOM_TOPO_NONE && !is_spine(f, row)))
        continue;
      uint32_t peer = r->row[device];
      if (peer == LOOM_TOPO_NONE)
        return loom_routing_fail(err, "no Dragonfly+: spine \"%s\" has a host",
                                 loom_routing_name(r, row));
      bool fits = group_of(f, peer) == group_of(f, row) ? is_spine(f, row) != is_spine(f, peer)
                                                        : is_spine(f, row) && is_spine(f, peer);
      if (!fits)
        return loom_routing_fail(err, "no Dragonfly+: a cable joins \"%s\" and \"%s\"",
                                 loom_routing_name(r, row), loom_routing_name(r, peer));
    }
  return true;
}

/* Puts the gates in order; `first` has their numbers, and then where they begin. */
static bool list_gates(struct dragonfly *f, struct loom_routing_error *err) {
  uint32_t pairs = f->groups * f->groups;
  for (uint32_t i = 0; i < pairs; i++)
    if (i / f->groups != i % f->groups && !f->first[i + 1])
      return loom_routing_fail(err, "no %s: no cable joins groups %" PRIu32 " and %" PRIu32,
                               kind_of(f), i / f->groups, i % f->groups);
  for (uint32_t i = 0; i < pairs; i++)
    f->first[i + 1] += f->first[i];
  uint32_t *next = malloc((pairs + 1) * sizeof *next);
  f->gate = malloc((f->first[pairs] + 1) * sizeof *f->gate);
  bool ok = next && f->gate;
  for (uint32_t i = 0; ok && i < pairs; i++)
    next[i] = f->first[i];
  for (uint32_t row = 0; ok && row < f->r->switches; row++)
    for (uint32_t p = 1; p <= loom_routing_ports(f->r, row); p++) {
      uint32_t peer = loom_routing_peer(f->r, row, p);
      if (peer != LOOM_TOPO_NONE && group_of(f, peer) != group_of(f, row))
        f->gate[next[pair_of(f, row, peer)]++] = (struct gate){row, peer, p};
    }
  free(next);
  return ok || loom_routing_no_memory(err);
}

static bool discover(struct dragonfly *f, struct loom_routing_error *err) {
  size_t switches = f->r->switches;
  f->row_at = malloc(switches * sizeof *f->row_at);
  f->bundle = calloc(switches * f->routers, sizeof *f->bundle);
  f->first = calloc((size_t)f->groups * f->groups + 1, sizeof *f->first);
  if (!f->row_at || !f->bundle || !f->first)
    return loom_routing_no_memory(err);
  if (!settle(f, err) || (f->plus && !check_levels(f, err)))
    return false;
  for (uint32_t row = 0; row < switches; row++)
    count_cables(f, row);
  return check_bundles(f, err) && list_gates(f, err);
}

/* ---- routes ---------------------------------------------------------------------------------- */

/* Which of several cables a LID takes: the LIDs of a switch, and those of a group, take turns. */
static uint32_t turn_of(const struct dragonfly *f, const struct loom_routing_target *to) {
  uint32_t place = loom_routing_hosts_below(f->r, to->row, to->port);
  uint32_t hosts = loom_routing_hosts(f->r, to->row);
  return ((place + hosts * router_of(f, to->row)) << f->r->lmc) + to->offset;
}

/* Cables from one switch of a group to another. */
static struct bundle bundle_to(const struct dragonfly *f, uint32_t row, uint32_t peer) {
  return f->bundle[row * f->routers + router_of(f, peer)];
}

/* To another switch of the group; between two leaves over a spine, between two spines over a leaf,
 * which take turns. */
static uint32_t port_inside(const struct dragonfly *f, uint32_t row, uint32_t peer, uint32_t turn) {
  if (!bundle_to(f, row, peer).width) {
    uint32_t first = is_spine(f, row) ? 0 : f->leaves;
    uint32_t count = is_spine(f, row) ? f->leaves : f->routers - f->leaves;
    peer = f->row_at[group_of(f, row) * f->routers + first + turn % count];
    turn /= count;
  }
  struct bundle b = bundle_to(f, row, peer);
  uint32_t port = b.first;
  for (uint32_t lane = turn % b.width; lane; lane--)
    do
      port++;
    while (loom_routing_peer(f->r, row, port) != peer);
  return port;
}

static uint32_t links_inside(const struct dragonfly *f, uint32_t row, uint32_t peer) {
  return row == peer ? 0 : bundle_to(f, row, peer).width ? 1 : 2;
}

/* Links from `row` to the target's switch over a gate, less that of the gate; LOOM_TOPO_NONE: any
 * switch of its group will do. */
static uint32_t more_links(const struct dragonfly *f, const struct gate *g, uint32_t row,
                           uint32_t target) {
  return links_inside(f, g->row, row) +
         (target == LOOM_TOPO_NONE ? 0 : links_inside(f, g->to, target));
}

/* To another group, over the gates that make the shortest way, in turn. */
static uint32_t port_outside(const struct dragonfly *f, uint32_t row, uint32_t group,
                             uint32_t target, uint32_t turn) {
  uint32_t pair = group_of(f, row) * f->groups + group, count = 1;
  const struct gate *end = &f->gate[f->first[pair + 1]], *g = &f->gate[f->first[pair]];
  uint32_t least = more_links(f, g, row, target);
  for (const struct gate *i = g + 1; i < end; i++) {
    uint32_t links = more_links(f, i, row, target);
    count = links < least ? 1 : count + (links == least);
    least = links < least ? links : least;
  }
  for (uint32_t skip = turn % count; more_links(f, g, row, target) != least || skip; g++)
    skip -= more_links(f, g, row, target) == least;
  return g->row == row ? g->port : port_inside(f, row, g->row, turn);
}

/* The group that the cable of a port leads to, from another one; LOOM_TOPO_NONE: it does not. */
static uint32_t beyond(const struct dragonfly *f, uint32_t row, uint32_t port) {
  uint32_t peer = port && port <= loom_routing_ports(f->r, row) ? loom_routing_peer(f->r, row, port)
                                                                : LOOM_TOPO_NONE;
  if (peer == LOOM_TOPO_NONE || group_of(f, peer) == group_of(f, row))
    return LOOM_TOPO_NONE;
  return group_of(f, peer);
}

static bool is_gate(const struct dragonfly *f, uint32_t row, uint32_t port) {
  return beyond(f, row, port) != LOOM_TOPO_NONE;
}

/* The group that a LID goes by, never the target's own; LOOM_TOPO_NONE: the shortest way. */
static uint32_t via_of(const struct dragonfly *f, const struct loom_routing_target *to,
                       uint32_t turn) {
  if (!f->valiant || !to->port || f->groups < 3)
    return LOOM_TOPO_NONE;
  uint32_t via = turn % (f->groups - 1);
  return via + (via >= group_of(f, to->row));
}

static uint32_t port_of(const struct dragonfly *f, uint32_t row,
                        const struct loom_routing_target *to, uint32_t via, uint32_t turn) {
  uint32_t group = group_of(f, to->row), here = group_of(f, row);
  if (row == to->row)
    return to->port;
  if (here == group)
    return port_inside(f, row, to->row, turn);
  if (via == LOOM_TOPO_NONE || here == via)
    return port_outside(f, row, group, to->row, turn);
  return port_outside(f, row, via, LOOM_TOPO_NONE, turn);
}

/* A port that leads there as well, by load: over `via` where *port is on the shortest way. A switch
 * that only one of both leaves the group from sends there, and has no choice. */
static uint32_t choose(const struct dragonfly *f, uint32_t row,
                       const struct loom_routing_target *to, uint32_t via, uint32_t turn,
                       uint32_t *port) {
  uint32_t group = group_of(f, to->row), here = group_of(f, row);
  if (via == LOOM_TOPO_NONE || here == group || here == via)
    return 0;
  uint32_t over = *port, shortest = port_outside(f, row, group, to->row, turn);
  bool out = is_gate(f, row, shortest), over_out = is_gate(f, row, over);
  *port = out || !over_out ? shortest : over;
  return out == over_out && over != shortest ? over : 0;
}

static void route(struct dragonfly *f) {
  struct loom_routing_target to;
  for (uint32_t lid = 0; lid < f->r->lids; lid++) {
    if (!loom_routing_find(f->r, lid, &to))
      continue;
    uint32_t turn = turn_of(f, &to), via = via_of(f, &to, turn);
    turn /= via == LOOM_TOPO_NONE ? 1 : f->groups - 1; /* all LIDs over one group take turns */
    for (uint32_t row = 0; row < f->r->switches; row++) {
      uint32_t port = port_of(f, row, &to, via, turn);
      if (f->ugal)
        f->r->other[(size_t)row * f->r->lids + lid] =
            (uint8_t)choose(f, row, &to, via, turn, &port);
      loom_routing_set(f->r, row, lid, port);
    }
  }
}

/* ---- layers ---------------------------------------------------------------------------------- */

/* On shortest ways: by turn or, of one class, by path. */
static uint8_t shortest_layer(const struct dragonfly *f, uint32_t row, uint32_t in, uint32_t out) {
  return is_gate(f, row, in) || is_gate(f, row, out);
}

/* It leads from a leaf to a spine. */
static bool leads_up(const struct dragonfly *f, uint32_t row, uint32_t port) {
  return f->plus && !is_spine(f, row) && port && port <= loom_routing_ports(f->r, row) &&
         loom_routing_peer(f->r, row, port) != LOOM_TOPO_NONE;
}

/* By turn over another group: the next one behind each gate; in a Dragonfly+ where a way goes up
 * again, or from gate to gate. */
static uint8_t turned_layer(const struct dragonfly *f, uint32_t row, uint32_t in, uint32_t out) {
  bool next = is_gate(f, row, in);
  if (f->plus)
    next = (next && is_gate(f, row, out)) || (leads_up(f, row, in) && leads_up(f, row, out));
  return next ? LOOM_ROUTING_NEXT : LOOM_ROUTING_KEEP;
}

/* Of ways over another group, and of those in a Dragonfly+ by their last gate. */
enum { UP_DOWN, DOWN_UP, CLASSES };
enum { LAST_UP, LAST_DOWN };

/* By path over another group. */
static uint8_t class_layer(const struct dragonfly *f, uint32_t row, uint32_t in, uint32_t out,
                           uint32_t class) {
  uint32_t from = beyond(f, row, in);
  if (is_gate(f, row, out))
    return class == DOWN_UP;
  if (class == DOWN_UP)
    return from == LOOM_TOPO_NONE ? 1 : 2;
  return from != LOOM_TOPO_NONE && from > group_of(f, row);
}

/* The same in a Dragonfly+: what goes the way of the last gate has a layer of its own, 1 or 2, and
 * what comes before it 0. */
static uint8_t plus_layer(const struct dragonfly *f, uint32_t row, uint32_t in, uint32_t out,
                          uint32_t class) {
  uint32_t from = beyond(f, row, in), to = beyond(f, row, out), here = group_of(f, row);
  bool late = leads_up(f, row, in) && leads_up(f, row, out);
  if (to != LOOM_TOPO_NONE)
    late = (to < here) == (class == LAST_DOWN);
  else if (from != LOOM_TOPO_NONE)
    late = (from > here) == (class == LAST_DOWN);
  return (uint8_t)(!late ? 0 : class == LAST_DOWN ? 2 : 1);
}

/* Of a way to another group. */
static uint8_t class_of(const struct dragonfly *f, uint32_t from, uint32_t via, uint32_t to) {
  if (!f->plus) /* down to a group with a lower number, then up */
    return via < from && via < to ? DOWN_UP : UP_DOWN;
  return (via == LOOM_TOPO_NONE ? from : via) > to ? LAST_DOWN : LAST_UP;
}

static void class_paths(struct dragonfly *f) {
  struct loom_routing *r = f->r;
  struct loom_routing_target to;
  for (uint32_t lid = 0; f->valiant && lid < r->lids; lid++) {
    if (!loom_routing_find(r, lid, &to))
      continue;
    uint32_t via = via_of(f, &to, turn_of(f, &to)), group = group_of(f, to.row);
    for (uint32_t e = 0; e < r->ends; e++) {
      uint32_t leaf = loom_routing_leaf(r, e);
      if (leaf != LOOM_TOPO_NONE && group_of(f, leaf) != group)
        r->path[(size_t)e * r->lids + lid] = class_of(f, group_of(f, leaf), via, group);
    }
  }
}

static uint8_t path_layer(const struct dragonfly *f, uint32_t row, uint32_t in, uint32_t out,
                          uint32_t class) {
  if (!f->valiant)
    return shortest_layer(f, row, in, out);
  return f->plus ? plus_layer(f, row, in, out, class) : class_layer(f, row, in, out, class);
}

static bool layer_paths(struct dragonfly *f, struct loom_routing_error *err) {
  struct loom_routing *r = f->r;
  uint32_t classes = f->valiant ? CLASSES : 1;
  if (!loom_routing_layer_paths(r, f->valiant ? 3 : 2, classes))
    return loom_routing_no_memory(err);
  memset(r->inject, 0, sizeof r->inject);
  uint8_t *at = r->layer;
  for (uint32_t row = 0; row < r->switches; row++)
    for (uint32_t in = 0; in < r->ports; in++)
      for (uint32_t out = 0; out < r->ports; out++)
        for (uint32_t class = 0; class < classes; class ++)
          *at++ = path_layer(f, row, in, out, class);
  class_paths(f);
  return true;
}

static bool layer_turns(struct dragonfly *f, struct loom_routing_error *err) {
  struct loom_routing *r = f->r;
  if (!loom_routing_layer_turns(r, f->valiant && !f->plus ? 3 : 2))
    return loom_routing_no_memory(err);
  uint8_t *at = r->turn;
  for (uint32_t row = 0; row < r->switches; row++)
    for (uint32_t in = 0; in < r->ports; in++)
      for (uint32_t out = 0; out < r->ports; out++)
        *at++ = f->valiant ? turned_layer(f, row, in, out) : shortest_layer(f, row, in, out);
  return true;
}

static bool layer(struct dragonfly *f, enum loom_routing_avoid avoid,
                  struct loom_routing_error *err) {
  if (f->groups == 1 || avoid == LOOM_ROUTING_AVOID_NONE || (f->plus && !f->valiant))
    return true;
  return avoid == LOOM_ROUTING_DATELINE_PATH ? layer_paths(f, err) : layer_turns(f, err);
}

static bool make(struct dragonfly *f, const struct loom_routing_options *o,
                 struct loom_routing_error *err) {
  bool ok = measure(f, err) && discover(f, err);
  if (ok && f->ugal) {
    f->r->other = calloc(f->r->switches, f->r->lids);
    ok = f->r->other || loom_routing_no_memory(err);
  }
  if (ok) {
    route(f);
    ok = layer(f, o->avoid, err) && loom_routing_check_groups(f->r, err);
  }
  free(f->row_at);
  free(f->bundle);
  free(f->gate);
  free(f->first);
  return ok;
}

bool loom_routing_dragonfly(struct loom_routing *r, const struct loom_routing_options *o,
                            struct loom_routing_error *err) {
  return make(&(struct dragonfly){.r = r}, o, err);
}

bool loom_routing_dragonfly_valiant(struct loom_routing *r, const struct loom_routing_options *o,
                                    struct loom_routing_error *err) {
  return make(&(struct dragonfly){.r = r, .valiant = true}, o, err);
}

bool loom_routing_dragonfly_ugal(struct loom_routing *r, const struct loom_routing_options *o,
                                 struct loom_routing_error *err) {
  return make(&(struct dragonfly){.r = r, .valiant = true, .ugal = true}, o, err);
}

bool loom_routing_dragonflyplus(struct loom_routing *r, const struct loom_routing_options *o,
                                struct loom_routing_error *err) {
  return make(&(struct dragonfly){.r = r, .plus = true}, o, err);
}

bool loom_routing_dragonflyplus_valiant(struct loom_routing *r,
                                        const struct loom_routing_options *o,
                                        struct loom_routing_error *err) {
  return make(&(struct dragonfly){.r = r, .plus = true, .valiant = true}, o, err);
}

bool loom_routing_dragonflyplus_ugal(struct loom_routing *r, const struct loom_routing_options *o,
                                     struct loom_routing_error *err) {
  return make(&(struct dragonfly){.r = r, .plus = true, .valiant = true, .ugal = true}, o, err);
}

uint32_t loom_routing_vias(const struct loom_routing *r, bool plus) {
  struct dragonfly f = {.r = (struct loom_routing *)r, .plus = plus};
  struct loom_routing_error err = {.text = ""};
  return measure(&f, &err) ? f.groups - 1 : 0;
}

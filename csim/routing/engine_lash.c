/* SPDX-License-Identifier: Apache-2.0 */
/* engine_lash.c - layered shortest paths, LASH: any two switches have their ways there and back in
 * one layer, and no layer has a cycle (docs/route.md; KN-08)
 */
#include <inttypes.h>
#include <stdlib.h>

#include "routing/dependencies.h"
#include "routing/engine.h"

/* Two switches that have their ways in one layer. */
struct pair {
  uint32_t a, b; /* rows, a < b */
  uint32_t layer;
  uint64_t weight; /* paths between hosts */
};

struct lash {
  struct loom_routing *r;
  bool all;         /* pairs with switches that have no host, too */
  uint8_t *next;    /* [row * switches + target]: port, the first of its cables */
  uint32_t *hosts;  /* by row: LIDs of hosts there */
  uint32_t *parent; /* by row, of one tree */
  uint32_t *queue;
  struct pair *pair;
  uint32_t pairs;
  uint32_t layers, layers_max;
  struct loom_dependencies layer[LOOM_ROUTING_VLS];
  uint64_t weight[LOOM_ROUTING_VLS];
  uint32_t *way, *back; /* channels, room for all switches */
};

static void lash_free(struct lash *l) {
  for (uint32_t i = 0; i < LOOM_ROUTING_VLS; i++)
    loom_dependencies_drop(&l->layer[i]);
  free(l->next);
  free(l->hosts);
  free(l->parent);
  free(l->queue);
  free(l->pair);
  free(l->way);
  free(l->back);
}

static bool lash_make(struct lash *l) {
  size_t switches = l->r->switches;
  l->next = calloc(switches * switches, 1);
  l->hosts = calloc(switches, sizeof *l->hosts);
  l->parent = calloc(switches, sizeof *l->parent);
  l->queue = calloc(switches, sizeof *l->queue);
  l->pair = calloc(switches * (switches - 1) / 2 + 1, sizeof *l->pair);
  l->way = calloc(switches, sizeof *l->way);
  l->back = calloc(switches, sizeof *l->back);
  return l->next && l->hosts && l->parent && l->queue && l->pair && l->way && l->back;
}

/* ---- ways ------------------------------------------------------------------------------------ */

static uint8_t *next_of(const struct lash *l, uint32_t row, uint32_t target) {
  return &l->next[(size_t)row * l->r->switches + target];
}

/* The first port that leads to a neighbour. */
static uint32_t port_to(const struct loom_routing *r, uint32_t row, uint32_t peer) {
  uint32_t p = 1;
  while (loom_routing_peer(r, row, p) != peer)
    p++;
  return p;
}

/* Breadth first from `root`: `parent` and `queue`; how many switches it found. */
static uint32_t grow(struct lash *l, uint32_t root) {
  uint32_t tail = 1;
  for (uint32_t i = 0; i < l->r->switches; i++)
    l->parent[i] = LOOM_TOPO_NONE;
  l->parent[root] = root;
  l->queue[0] = root;
  for (uint32_t head = 0; head < tail; head++)
    for (uint32_t p = 1; p <= loom_routing_ports(l->r, l->queue[head]); p++) {
      uint32_t peer = loom_routing_peer(l->r, l->queue[head], p);
      if (peer == LOOM_TOPO_NONE || l->parent[peer] != LOOM_TOPO_NONE)
        continue;
      l->parent[peer] = l->queue[head];
      l->queue[tail++] = peer;
    }
  return tail;
}

/* Each switch takes from the tree its ways to all below it that it has no way to yet. Any part of a
 * shortest path is one, so what comes together is shortest. */
static void take_tree(struct lash *l, uint32_t root) {
  uint32_t found = grow(l, root);
  for (uint32_t i = 1; i < found; i++) {
    uint32_t target = l->queue[i];
    for (uint32_t at = target; at != root; at = l->parent[at]) {
      uint8_t *port = next_of(l, l->parent[at], target);
      if (!*port)
        *port = (uint8_t)port_to(l->r, l->parent[at], at);
    }
  }
}

/* The channels from a switch to another; 0: there is no way. */
static uint32_t follow(const struct lash *l, uint32_t from, uint32_t to, uint32_t *channel) {
  uint32_t length = 0;
  for (uint32_t at = from; at != to;) {
    uint32_t port = *next_of(l, at, to);
    if (!port)
      return 0;
    channel[length++] = loom_dependencies_channel(l->r, at, port);
    at = loom_routing_peer(l->r, at, port);
  }
  return length;
}

/* ---- layers ---------------------------------------------------------------------------------- */

/* False: it would close a cycle, and nothing has changed. */
static bool put(struct lash *l, const struct pair *p, uint32_t layer) {
  struct loom_dependencies *d = &l->layer[layer];
  uint32_t there = follow(l, p->a, p->b, l->way);
  uint32_t back = follow(l, p->b, p->a, l->back);
  if (!loom_dependencies_add(d, l->way, there))
    return false;
  if (loom_dependencies_add(d, l->back, back)) {
    l->weight[layer] += p->weight;
    return true;
  }
  loom_dependencies_remove(d, l->way, there);
  return false;
}

static void take_away(struct lash *l, const struct pair *p) {
  loom_dependencies_remove(&l->layer[p->layer], l->way, follow(l, p->a, p->b, l->way));
  loom_dependencies_remove(&l->layer[p->layer], l->back, follow(l, p->b, p->a, l->back));
  l->weight[p->layer] -= p->weight;
}

static bool open_layer(struct lash *l, struct loom_routing_error *err) {
  if (l->layers == l->layers_max)
    return loom_routing_fail(err, "lash: %" PRIu32 " VLs do not suffice", l->layers_max);
  if (!loom_dependencies_make(&l->layer[l->layers], l->r))
    return loom_routing_no_memory(err);
  l->layers++;
  return true;
}

/* Each pair is put into the first layer that has no cycle with it. */
static bool fill_layers(struct lash *l, struct loom_routing_error *err) {
  for (uint32_t i = 0; i < l->pairs; i++) {
    struct pair *p = &l->pair[i];
    p->layer = 0;
    while (p->layer < l->layers && !put(l, p, p->layer))
      p->layer++;
    if (p->layer == l->layers && !(open_layer(l, err) && put(l, p, p->layer)))
      return false;
  }
  return true;
}

static void list_pairs(struct lash *l) {
  for (uint32_t a = 0; a < l->r->switches; a++)
    for (uint32_t b = a + 1; b < l->r->switches; b++)
      if (*next_of(l, a, b) && (l->all || (l->hosts[a] && l->hosts[b])))
        l->pair[l->pairs++] =
            (struct pair){.a = a, .b = b, .weight = (uint64_t)2 * l->hosts[a] * l->hosts[b]};
}

/* ---- balance --------------------------------------------------------------------------------- */

static uint32_t fullest(const struct lash *l) {
  uint32_t best = 0;
  for (uint32_t i = 1; i < l->layers; i++)
    if (l->weight[i] > l->weight[best])
      best = i;
  return best;
}

/* The emptiest layer that is still open for pairs of layer `from`; `from`: there is none. */
static uint32_t emptiest(const struct lash *l, uint32_t from, const bool *closed) {
  uint32_t best = from;
  for (uint32_t i = 0; i < l->layers; i++)
    if (i != from && !closed[i] && (best == from || l->weight[i] < l->weight[best]))
      best = i;
  return best;
}

/* Moves pairs to a layer as long as the layer that they leave stays the fuller one of the two.
 * False: none could be moved. */
static bool move_some(struct lash *l, uint32_t from, uint32_t to) {
  bool moved = false;
  for (uint32_t i = 0; i < l->pairs; i++) {
    struct pair *p = &l->pair[i];
    if (p->layer != from || !p->weight || l->weight[to] + p->weight >= l->weight[from] ||
        !put(l, p, to))
      continue;
    take_away(l, p);
    p->layer = to;
    moved = true;
  }
  return moved;
}

/* From the fullest layer to the emptiest that takes something, until there is none. */
static void balance(struct lash *l) {
  for (bool moved = true; moved;) {
    bool closed[LOOM_ROUTING_VLS] = {false};
    uint32_t from = fullest(l), to;
    moved = false;
    while (!moved && (to = emptiest(l, from, closed)) != from) {
      moved = move_some(l, from, to);
      closed[to] = true;
    }
  }
}

/* ---- tables ---------------------------------------------------------------------------------- */

/* Of parallel cables, the LIDs at a switch take one after the other. */
static uint32_t cable(const struct loom_routing *r, uint32_t row, uint32_t first, uint32_t turn) {
  uint32_t peer = loom_routing_peer(r, row, first), width = 1;
  uint8_t port[LOOM_ROUTING_PORTS] = {(uint8_t)first};
  for (uint32_t p = first + 1; p <= loom_routing_ports(r, row); p++)
    if (loom_routing_peer(r, row, p) == peer)
      port[width++] = (uint8_t)p;
  return port[turn % width];
}

static void route_lid(struct lash *l, uint32_t lid, uint32_t target, uint32_t turn) {
  struct loom_routing_target to;
  if (!loom_routing_find(l->r, lid, &to))
    return;
  for (uint32_t row = 0; row < l->r->switches; row++) {
    uint32_t first = *next_of(l, row, target);
    if (row == target)
      loom_routing_set(l->r, row, lid, to.port);
    else if (first)
      loom_routing_set(l->r, row, lid, cable(l->r, row, first, turn));
  }
}

static bool find_ways(struct lash *l, struct loom_routing_error *err) {
  struct loom_routing_lids lids;
  if (!loom_routing_group(l->r, &lids))
    return loom_routing_no_memory(err);
  for (uint32_t root = 0; root < l->r->switches; root++)
    take_tree(l, root);
  for (uint32_t target = 0; target < l->r->switches; target++)
    for (uint32_t i = lids.first[target]; i < lids.first[target + 1]; i++) {
      l->hosts[target] += l->r->end_of[lids.lid[i]] != LOOM_TOPO_NONE;
      route_lid(l, lids.lid[i], target, i - lids.first[target]);
    }
  loom_routing_ungroup(&lids);
  return true;
}

/* Layers of the paths between ends: those of their switches. `parent` is by row now. */
static bool class_paths(struct lash *l, struct loom_routing_error *err) {
  struct loom_routing *r = l->r;
  uint8_t *layer = calloc((size_t)r->switches * r->switches, 1);
  bool ok = layer && loom_routing_layer_paths(r, l->layers, l->layers);
  for (uint32_t i = 0; ok && i < l->pairs; i++) {
    const struct pair *p = &l->pair[i];
    layer[(size_t)p->a * r->switches + p->b] = (uint8_t)p->layer;
    layer[(size_t)p->b * r->switches + p->a] = (uint8_t)p->layer;
  }
  for (uint32_t lid = 0; ok && lid < r->lids; lid++) {
    struct loom_routing_target to;
    if (!loom_routing_find(r, lid, &to))
      continue;
    for (uint32_t e = 0; e < r->ends; e++) {
      uint32_t leaf = loom_routing_leaf(r, e);
      if (leaf != LOOM_TOPO_NONE)
        r->path[(size_t)e * r->lids + lid] = layer[(size_t)leaf * r->switches + to.row];
    }
  }
  free(layer);
  return ok || loom_routing_no_memory(err);
}

static bool find_layers(struct lash *l, const struct loom_routing_options *o,
                        struct loom_routing_error *err) {
  l->layers_max = o->vls ? o->vls : LOOM_ROUTING_VLS;
  list_pairs(l);
  if (!open_layer(l, err) || !fill_layers(l, err))
    return false;
  while (l->layers < o->vls)
    if (!open_layer(l, err))
      return false;
  balance(l);
  return class_paths(l, err);
}

bool loom_routing_lash(struct loom_routing *r, const struct loom_routing_options *o,
                       struct loom_routing_error *err) {
  struct lash *l = calloc(1, sizeof *l);
  if (!l)
    return loom_routing_no_memory(err);
  l->r = r;
  l->all = o->cover == LOOM_ROUTING_COVER_ALL;
  bool ok = lash_make(l) || loom_routing_no_memory(err);
  ok = ok && find_ways(l, err) && find_layers(l, o, err);
  lash_free(l);
  free(l);
  return ok;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* kns_coordinates.c - discovery of a KNS whatever its cabling (docs/route.md; KN-04, KN-05)
 *
 * Routers are the switches that have hosts. What cables join of the others is a network, and its
 * first switch stands for it. A router's neighbours are those that it shares a network with: they
 * differ from it in one coordinate. Coordinates begin at one router and spread: one that differs
 * from it in m > 1 coordinates has at least two neighbours that differ from it in m - 1, and each
 * of them has all its coordinates but one, which is 0. What comes out is checked as a whole.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "routing/engine.h"

struct search {
  const struct loom_routing *r;
  struct loom_routing_kns *kns;
  bool *router;       /* by row */
  uint32_t *first;    /* by row: where its neighbours begin in */
  uint32_t *peer;     /* networks of a router and routers of a network, */
  uint32_t *peers;    /* so many, in the order of their first switches and ports */
  uint32_t *distance; /* of a router from the first, in coordinates */
  uint32_t *queue;
  struct loom_routing_error *err;
};

static uint32_t *coord(const struct search *s, uint32_t row) {
  return &s->kns->coord[(size_t)row * s->kns->n];
}

static uint32_t peer(const struct search *s, uint32_t row, uint32_t i) {
  return s->peer[s->first[row] + i];
}

/* ---- routers, networks, sizes ---------------------------------------------------------------- */

/* KN-04. */
static void find_routers(struct search *s) {
  for (uint32_t e = 0; e < s->r->ends; e++) {
    uint32_t leaf = loom_routing_leaf(s->r, e);
    if (leaf != LOOM_TOPO_NONE)
      s->router[leaf] = true;
  }
}

static bool is_network(const struct search *s, uint32_t row) {
  return !s->router[row] && s->kns->part[row] == row;
}

/* A router or network has no more neighbours than its switches have ports. */
static void make_room(struct search *s) {
  uint32_t first = 0;
  for (uint32_t row = 0; row < s->r->switches; row++)
    s->peers[s->kns->part[row]] += loom_routing_ports(s->r, row);
  for (uint32_t row = 0; row < s->r->switches; row++) {
    s->first[row] = first;
    first += s->peers[row];
    s->peers[row] = 0;
  }
}

static void add_peer(struct search *s, uint32_t row, uint32_t other) {
  uint32_t *list = &s->peer[s->first[row]];
  for (uint32_t i = 0; i < s->peers[row]; i++)
    if (list[i] == other)
      return;
  list[s->peers[row]++] = other;
}

static bool find_peers(struct search *s, uint32_t row) {
  for (uint32_t p = 1; p <= loom_routing_ports(s->r, row); p++) {
    uint32_t other = loom_routing_peer(s->r, row, p);
    if (other == LOOM_TOPO_NONE || s->kns->part[other] == s->kns->part[row])
      continue;
    if (s->router[other] == s->router[row])
      return loom_routing_fail(s->err, "no KNS: a cable joins two routers, \"%s\" and \"%s\"",
                               loom_routing_name(s->r, row), loom_routing_name(s->r, other));
    add_peer(s, s->kns->part[row], s->kns->part[other]);
  }
  return true;
}

/* A router has as many networks as all others, a network as many routers. */
static bool measure_one(struct search *s, uint32_t row) {
  uint32_t *size = s->router[row] ? &s->kns->n : &s->kns->k;
  if (!*size)
    *size = s->peers[row];
  if (s->peers[row] && s->peers[row] == *size)
    return true;
  return loom_routing_fail(s->err, "no KNS: \"%s\" is joined to %" PRIu32 " %s, others to %" PRIu32,
                           loom_routing_name(s->r, row), s->peers[row],
                           s->router[row] ? "networks" : "routers", *size);
}

static bool measure(struct search *s) {
  uint32_t routers = 0;
  make_room(s);
  for (uint32_t row = 0; row < s->r->switches; row++)
    if (!find_peers(s, row))
      return false;
  for (uint32_t row = 0; row < s->r->switches; row++) {
    routers += s->router[row];
    if ((s->router[row] || is_network(s, row)) && !measure_one(s, row))
      return false;
  }
  uint64_t all = 1;
  for (uint32_t d = 0; d < s->kns->n && all <= routers && s->kns->k > 1; d++)
    all *= s->kns->k;
  if (s->kns->k < 2 || all != routers)
    return loom_routing_fail(
        s->err, "no KNS: %" PRIu32 " routers with %" PRIu32 " networks each of %" PRIu32 " routers",
        routers, s->kns->n, s->kns->k);
  return true;
}

/* ---- coordinates ----------------------------------------------------------------------------- */

static void place(struct search *s, uint32_t row, uint32_t distance, uint32_t *tail) {
  s->distance[row] = distance;
  s->queue[(*tail)++] = row;
}

/* The routers on a network of the first one differ from it in dimension `dim`: 1, 2, .. by the
 * network's switches and ports. */
static void place_line(struct search *s, uint32_t line, uint32_t dim, uint32_t *tail) {
  uint32_t value = 1;
  for (uint32_t i = 0; i < s->peers[line]; i++) {
    uint32_t row = peer(s, line, i);
    if (s->distance[row] != LOOM_TOPO_NONE)
      continue; /* the first one, or no KNS */
    place(s, row, 1, tail);
    coord(s, row)[dim] = value++;
  }
}

/* The first network has dimension 0 and its first router is 0, .., 0; that router's other networks
 * have dimensions 1, 2, .. by its ports. */
static void place_first(struct search *s, uint32_t *tail) {
  uint32_t first = 0;
  uint32_t dim = 1;
  while (s->router[first])
    first++;
  uint32_t origin = peer(s, first, 0);
  place(s, origin, 0, tail);
  place_line(s, first, 0, tail);
  for (uint32_t i = 0; i < s->peers[origin]; i++)
    if (peer(s, origin, i) != first)
      place_line(s, peer(s, origin, i), dim++, tail);
}

/* Each coordinate is the largest that a neighbour nearer to the first router has. */
static void merge(struct search *s, uint32_t row, uint32_t near) {
  for (uint32_t d = 0; d < s->kns->n; d++)
    if (coord(s, near)[d] > coord(s, row)[d])
      coord(s, row)[d] = coord(s, near)[d];
}

/* Visits the neighbours of a router: those nearer have their coordinates, those farther are new. */
static void visit(struct search *s, uint32_t row, uint32_t *tail) {
  for (uint32_t i = 0; i < s->peers[row]; i++)
    for (uint32_t j = 0; j < s->kns->k; j++) {
      uint32_t other = peer(s, peer(s, row, i), j);
      if (s->distance[other] == LOOM_TOPO_NONE)
        place(s, other, s->distance[row] + 1, tail);
      else if (s->distance[row] > 1 && s->distance[other] < s->distance[row])
        merge(s, row, other);
    }
}

static void place_all(struct search *s) {
  uint32_t tail = 0;
  for (uint32_t row = 0; row < s->r->switches; row++)
    s->distance[row] = LOOM_TOPO_NONE;
  place_first(s, &tail);
  for (uint32_t head = 0; head < tail; head++)
    visit(s, s->queue[head], &tail);
}

/* ---- the proof ------------------------------------------------------------------------------- */

static bool no_grid(const struct search *s, uint32_t row) {
  return loom_routing_fail(s->err, "no KNS: the routers around \"%s\" form no grid",
                           loom_routing_name(s->r, row));
}

/* The dimension in which the first two routers of a network differ; n: in none. */
static uint32_t dim_of(const struct search *s, uint32_t row) {
  uint32_t d = 0;
  while (d < s->kns->n && coord(s, peer(s, row, 0))[d] == coord(s, peer(s, row, 1))[d])
    d++;
  return d;
}

/* All routers of a network have other coordinates in its dimension, and the same in the others. The
 * routers have at most k values there, so the network has all. */
static bool settle_network(struct search *s, uint32_t row) {
  uint32_t dim = dim_of(s, row);
  if (dim == s->kns->n)
    return no_grid(s, row);
  s->kns->dim[row] = dim;
  memcpy(coord(s, row), coord(s, peer(s, row, 0)), s->kns->n * sizeof(uint32_t));
  coord(s, row)[dim] = 0;
  for (uint32_t i = 0; i < s->kns->k; i++) {
    const uint32_t *a = coord(s, peer(s, row, i));
    for (uint32_t d = 0; d < s->kns->n; d++)
      if (d != dim && a[d] != coord(s, row)[d])
        return no_grid(s, row);
    for (uint32_t j = 0; j < i; j++)
      if (coord(s, peer(s, row, j))[dim] == a[dim])
        return no_grid(s, row);
  }
  return true;
}

/* A router has a network of each dimension, and coordinates of its own. */
static bool settle_router(struct search *s, uint32_t row, bool *used) {
  uint32_t number = 0;
  for (uint32_t i = 0; i < s->kns->n; i++)
    for (uint32_t j = 0; j < i; j++)
      if (s->kns->dim[peer(s, row, i)] == s->kns->dim[peer(s, row, j)])
        return no_grid(s, row);
  for (uint32_t d = s->kns->n; d--;) {
    if (coord(s, row)[d] >= s->kns->k)
      return no_grid(s, row);
    number = number * s->kns->k + coord(s, row)[d];
  }
  if (used[number] || s->distance[row] == LOOM_TOPO_NONE)
    return no_grid(s, row);
  used[number] = true;
  return true;
}

static bool settle(struct search *s) {
  bool *used = calloc(s->r->switches, sizeof *used);
  bool ok = used || loom_routing_no_memory(s->err);
  for (uint32_t row = 0; ok && row < s->r->switches; row++)
    ok = !is_network(s, row) || settle_network(s, row);
  for (uint32_t row = 0; ok && row < s->r->switches; row++)
    ok = !s->router[row] || settle_router(s, row, used);
  free(used);
  return ok;
}

/* The other switches of a network stand where its first one stands. */
static void settle_members(struct search *s) {
  for (uint32_t row = 0; row < s->r->switches; row++) {
    uint32_t first = s->kns->part[row];
    if (first == row)
      continue;
    s->kns->dim[row] = s->kns->dim[first];
    memcpy(coord(s, row), coord(s, first), s->kns->n * sizeof(uint32_t));
  }
}

/* ---- all of it ------------------------------------------------------------------------------- */

static bool find(struct search *s) {
  find_routers(s);
  for (uint32_t row = 0; row < s->r->switches; row++)
    s->kns->dim[row] = LOOM_TOPO_NONE;
  loom_routing_parts(s->r, s->router, s->kns->part, s->queue);
  if (!measure(s))
    return false;
  s->kns->coord = calloc((size_t)s->r->switches * s->kns->n, sizeof *s->kns->coord);
  if (!s->kns->coord)
    return loom_routing_no_memory(s->err);
  place_all(s);
  if (!settle(s))
    return false;
  settle_members(s);
  return true;
}

static bool room(struct search *s) {
  uint32_t rows = s->r->switches;
  s->kns->dim = calloc(rows, sizeof *s->kns->dim);
  s->kns->part = calloc(rows, sizeof *s->kns->part);
  s->router = calloc(rows, sizeof *s->router);
  s->first = calloc(rows, sizeof *s->first);
  s->peer = calloc((size_t)rows * s->r->ports, sizeof *s->peer);
  s->peers = calloc(rows, sizeof *s->peers);
  s->distance = calloc(rows, sizeof *s->distance);
  s->queue = calloc(rows, sizeof *s->queue);
  return s->kns->dim && s->kns->part && s->router && s->first && s->peer && s->peers &&
         s->distance && s->queue;
}

bool loom_routing_kns_find(const struct loom_routing *r, struct loom_routing_kns *kns,
                           struct loom_routing_error *err) {
  struct search s = {.r = r, .kns = kns, .err = err};
  *kns = (struct loom_routing_kns){.k = 0};
  bool ok = (room(&s) || loom_routing_no_memory(err)) && find(&s);
  free(s.router);
  free(s.first);
  free(s.peer);
  free(s.peers);
  free(s.distance);
  free(s.queue);
  if (!ok)
    loom_routing_kns_free(kns);
  return ok;
}

void loom_routing_kns_free(struct loom_routing_kns *kns) {
  free(kns->coord);
  free(kns->dim);
  free(kns->part);
  free(kns->level);
  free(kns->place);
  *kns = (struct loom_routing_kns){.k = 0};
}

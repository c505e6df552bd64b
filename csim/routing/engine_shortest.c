/* SPDX-License-Identifier: Apache-2.0 */
/* engine_shortest.c - shortest paths: minhop, and up*, then down*, updn (docs/route.md; KN-08)
 *
 * Towards each switch the ways of all others are searched breadth first; then each LID at it takes,
 * at every switch, of the ports that lead nearer the one that has the fewest LIDs of hosts so far.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "routing/check.h"
#include "routing/engine.h"

struct search {
  struct loom_routing *r;
  const uint32_t *order; /* by row: place, those above have lower ones; NULL: no up and down */
  uint32_t *distance;    /* by row, in links to the target; LOOM_TOPO_NONE: no way */
  bool *down;            /* by row: the way on leads down only */
  uint32_t *queue;
  uint32_t *load; /* [row * ports + port]: LIDs of hosts that leave there */
};

static void search_free(struct search *s) {
  free(s->distance);
  free(s->down);
  free(s->queue);
  free(s->load);
}

static bool search_make(struct search *s, struct loom_routing *r, const uint32_t *order) {
  *s = (struct search){.r = r, .order = order};
  s->distance = calloc(r->switches, sizeof *s->distance);
  s->down = calloc(r->switches, sizeof *s->down);
  s->queue = calloc(r->switches, sizeof *s->queue);
  s->load = calloc((size_t)r->switches * r->ports, sizeof *s->load);
  if (s->distance && s->down && s->queue && s->load)
    return true;
  search_free(s);
  return false;
}

static bool above(const struct search *s, uint32_t a, uint32_t b) {
  return s->order[a] < s->order[b];
}

/* Takes in the neighbours of `at` that can send to it: those above it, which then send down, or
 * those below. Without an order all. */
static uint32_t widen(struct search *s, uint32_t at, bool down, uint32_t tail) {
  for (uint32_t p = 1; p <= loom_routing_ports(s->r, at); p++) {
    uint32_t peer = loom_routing_peer(s->r, at, p);
    if (peer == LOOM_TOPO_NONE || s->distance[peer] != LOOM_TOPO_NONE ||
        (s->order && above(s, peer, at) != down))
      continue;
    s->distance[peer] = s->distance[at] + 1;
    s->down[peer] = down;
    s->queue[tail++] = peer;
  }
  return tail;
}

/* Ways of all switches to `target`. Of two as short a switch takes the one down, which others can
 * use that come from above. So each switch above the target on the tree of ranks keeps its way
 * down, and every pair has a way (docs/route.md). */
static void find_ways(struct search *s, uint32_t target) {
  uint32_t tail = 1;
  for (uint32_t i = 0; i < s->r->switches; i++)
    s->distance[i] = LOOM_TOPO_NONE;
  s->distance[target] = 0;
  s->down[target] = true;
  s->queue[0] = target;
  for (uint32_t head = 0, next; head < tail; head = next) {
    next = tail;
    for (uint32_t i = head; i < next; i++)
      if (s->down[s->queue[i]])
        tail = widen(s, s->queue[i], true, tail);
    for (uint32_t i = head; s->order && i < next; i++)
      tail = widen(s, s->queue[i], false, tail);
  }
}

/* A port by which `row` may send on. */
static bool leads(const struct search *s, uint32_t row, uint32_t port) {
  uint32_t peer = loom_routing_peer(s->r, row, port);
  if (peer == LOOM_TOPO_NONE || s->distance[peer] == LOOM_TOPO_NONE ||
      s->distance[peer] + 1 != s->distance[row])
    return false;
  if (!s->order)
    return true;
  return s->down[row] ? above(s, row, peer) && s->down[peer] : above(s, peer, row);
}

static uint32_t pick(const struct search *s, uint32_t row) {
  uint32_t best = LOOM_ROUTING_UNREACHABLE;
  const uint32_t *load = &s->load[(size_t)row * s->r->ports];
  for (uint32_t p = 1; p <= loom_routing_ports(s->r, row); p++)
    if (leads(s, row, p) && (best == LOOM_ROUTING_UNREACHABLE || load[p] < load[best]))
      best = p;
  return best;
}

static void route_lid(struct search *s, uint32_t lid, uint32_t target) {
  struct loom_routing_target t;
  if (!loom_routing_find(s->r, lid, &t))
    return;
  for (uint32_t row = 0; row < s->r->switches; row++) {
    uint32_t port = row == target ? t.port : pick(s, row);
    loom_routing_set(s->r, row, lid, port);
    if (t.port && port != LOOM_ROUTING_UNREACHABLE)
      s->load[(size_t)row * s->r->ports + port]++;
  }
}

static bool route_all(struct loom_routing *r, const uint32_t *order,
                      struct loom_routing_error *err) {
  struct search s;
  struct loom_routing_lids lids;
  if (!loom_routing_group(r, &lids))
    return loom_routing_no_memory(err);
  bool ok = search_make(&s, r, order);
  for (uint32_t target = 0; ok && target < r->switches; target++) {
    find_ways(&s, target);
    for (uint32_t i = lids.first[target]; i < lids.first[target + 1]; i++)
      route_lid(&s, lids.lid[i], target);
  }
  if (ok)
    search_free(&s);
  loom_routing_ungroup(&lids);
  return ok || loom_routing_no_memory(err);
}

bool loom_routing_minhop(struct loom_routing *r, struct loom_routing_error *err) {
  return route_all(r, NULL, err);
}

/* ---- roots ----------------------------------------------------------------------------------- */

/* What updn works with, by row. */
struct ranks {
  uint32_t *root;
  uint32_t roots;
  uint32_t *rank; /* links to the nearest root */
  uint32_t *queue;
  uint32_t *order;
};

static void ranks_free(struct ranks *k) {
  free(k->root);
  free(k->rank);
  free(k->queue);
  free(k->order);
}

static bool ranks_make(struct ranks *k, uint32_t switches) {
  *k = (struct ranks){.root = calloc(switches, sizeof *k->root)};
  k->rank = calloc(switches, sizeof *k->rank);
  k->queue = calloc(switches, sizeof *k->queue);
  k->order = calloc(switches, sizeof *k->order);
  if (k->root && k->rank && k->queue && k->order)
    return true;
  ranks_free(k);
  return false;
}

/* Ranks by breadth-first search from the roots; how many switches it found. They stand in `queue`
 * by rank. */
static uint32_t spread(const struct loom_routing *r, struct ranks *k) {
  uint32_t tail = 0;
  for (uint32_t i = 0; i < r->switches; i++)
    k->rank[i] = LOOM_TOPO_NONE;
  for (uint32_t i = 0; i < k->roots; i++) {
    if (!k->rank[k->root[i]])
      continue;
    k->rank[k->root[i]] = 0;
    k->queue[tail++] = k->root[i];
  }
  for (uint32_t head = 0; head < tail; head++)
    for (uint32_t p = 1; p <= loom_routing_ports(r, k->queue[head]); p++) {
      uint32_t peer = loom_routing_peer(r, k->queue[head], p);
      if (peer == LOOM_TOPO_NONE || k->rank[peer] != LOOM_TOPO_NONE)
        continue;
      k->rank[peer] = k->rank[k->queue[head]] + 1;
      k->queue[tail++] = peer;
    }
  return tail;
}

/* Parts of the fabric that no root reaches get one each: their first switch. */
static void complete(const struct loom_routing *r, struct ranks *k) {
  while (spread(r, k) < r->switches) {
    uint32_t i = 0;
    while (k->rank[i] != LOOM_TOPO_NONE)
      i++;
    k->root[k->roots++] = i;
  }
}

/* The one root that is nearest to all: the farthest switch, then the sum of links, then the first
 * counts. */
static void choose_central(const struct loom_routing *r, struct ranks *k) {
  uint32_t best = 0;
  uint64_t least = UINT64_MAX;
  k->roots = 1;
  for (uint32_t i = 0; i < r->switches; i++) {
    k->root[0] = i;
    uint32_t found = spread(r, k);
    uint64_t sum = 0;
    for (uint32_t j = 0; j < found; j++)
      sum += k->rank[k->queue[j]];
    /* Of a fabric in parts, the largest part. */
    uint64_t cost = (uint64_t)(r->switches - found) << 48 |
                    (uint64_t)k->rank[k->queue[found - 1]] << 32 | (sum & UINT32_MAX);
    if (cost < least) {
      least = cost;
      best = i;
    }
  }
  k->root[0] = best;
}

/* The switches of the top level, if cables join neighbouring levels only. */
static bool choose_tops(const struct loom_routing *r, struct ranks *k) {
  struct loom_routing_error ignored = {.text = ""};
  uint32_t top = 0;
  if (!loom_routing_levels(r, k->rank, &ignored))
    return false;
  for (uint32_t i = 0; i < r->switches; i++)
    if (k->rank[i] > top)
      top = k->rank[i];
  k->roots = 0;
  for (uint32_t i = 0; i < r->switches; i++)
    if (k->rank[i] == top)
      k->root[k->roots++] = i;
  return true;
}

static void put_in_order(const struct loom_routing *r, struct ranks *k) {
  uint32_t place = 0;
  uint32_t last = k->rank[k->queue[r->switches - 1]];
  for (uint32_t rank = 0; rank <= last; rank++)
    for (uint32_t i = 0; i < r->switches; i++)
      if (k->rank[i] == rank)
        k->order[i] = place++;
}

/* Every leaf has an entry for each host of its part of the fabric. */
static bool is_complete(const struct loom_routing *r, struct ranks *k) {
  uint32_t *part = k->rank;
  loom_routing_parts(r, NULL, part, k->queue);
  for (uint32_t e = 0; e < r->ends; e++) {
    uint32_t leaf = loom_routing_leaf(r, e);
    for (uint32_t i = 0; leaf != LOOM_TOPO_NONE && i < r->ends; i++)
      if (loom_routing_leaf(r, i) != LOOM_TOPO_NONE &&
          part[loom_routing_leaf(r, i)] == part[leaf] &&
          loom_routing_out(r, leaf, r->end[i].lid) == LOOM_ROUTING_UNREACHABLE)
        return false;
  }
  return true;
}

static bool route_ranked(struct loom_routing *r, struct ranks *k, struct loom_routing_error *err) {
  complete(r, k);
  put_in_order(r, k);
  return route_all(r, k->order, err);
}

/* What the routing with one root is worth. */
struct trial {
  uint32_t root;
  uint64_t most;    /* flows on the busiest link, all to all */
  uint64_t squares; /* of the flows on each link, added up: what all flows meet */
};

static int by_worth(const void *a, const void *b) {
  const struct trial *x = a, *y = b;
  if (x->most != y->most)
    return x->most < y->most ? -1 : 1;
  if (x->squares != y->squares)
    return x->squares < y->squares ? -1 : 1;
  return x->root < y->root ? -1 : x->root > y->root;
}

static uint64_t square_loads(const struct loom_routing *r, const uint64_t *load) {
  uint64_t sum = 0;
  for (size_t i = 0; i < (size_t)r->switches * r->ports; i++)
    sum = load[i] * load[i] > UINT64_MAX - sum ? UINT64_MAX : sum + load[i] * load[i];
  return sum;
}

static bool try_root(struct loom_routing *r, struct ranks *k, struct trial *t,
                     struct loom_routing_error *err) {
  struct loom_routing_report report;
  k->root[0] = t->root;
  k->roots = 1;
  if (!route_ranked(r, k, err))
    return false;
  if (!loom_routing_check(r, &report))
    return loom_routing_no_memory(err);
  t->most = report.load_max;
  t->squares = square_loads(r, report.load);
  loom_routing_report_free(&report);
  return true;
}

/* Tries every switch as the root and takes the best, or the median. */
static bool choose_by_worth(struct loom_routing *r, enum loom_routing_choose choose,
                            struct ranks *k, struct loom_routing_error *err) {
  struct trial *trial = calloc(r->switches, sizeof *trial);
  bool ok = trial || loom_routing_no_memory(err);
  for (uint32_t i = 0; ok && i < r->switches; i++) {
    trial[i].root = i;
    ok = try_root(r, k, &trial[i], err);
  }
  if (ok) {
    qsort(trial, r->switches, sizeof *trial, by_worth);
    k->root[0] = trial[choose == LOOM_ROUTING_CHOOSE_BEST ? 0 : (r->switches - 1) / 2].root;
    k->roots = 1;
  }
  free(trial);
  return ok;
}

static bool take_roots(const struct loom_routing *r, const struct loom_routing_options *o,
                       struct ranks *k, struct loom_routing_error *err) {
  for (uint32_t i = 0; i < o->roots; i++) {
    if (o->root[i] >= r->topo->devices || r->row[o->root[i]] == LOOM_TOPO_NONE)
      return loom_routing_fail(err, "device %" PRIu32 " is no switch and so no root", o->root[i]);
    k->root[k->roots] = r->row[o->root[i]];
    for (uint32_t j = 0; j < k->roots; j++)
      if (k->root[j] == k->root[k->roots])
        return loom_routing_fail(err, "\"%s\" is a root twice", loom_routing_name(r, k->root[j]));
    k->roots++;
  }
  return true;
}

static bool updn_with(struct loom_routing *r, const struct loom_routing_options *o, struct ranks *k,
                      struct loom_routing_error *err) {
  if (o->roots)
    return take_roots(r, o, k, err) && route_ranked(r, k, err);
  if (o->choose != LOOM_ROUTING_CHOOSE_USUAL)
    return choose_by_worth(r, o->choose, k, err) && route_ranked(r, k, err);
  if (choose_tops(r, k)) {
    if (!route_ranked(r, k, err))
      return false;
    if (is_complete(r, k))
      return true;
  }
  choose_central(r, k);
  return route_ranked(r, k, err);
}

bool loom_routing_updn(struct loom_routing *r, const struct loom_routing_options *o,
                       struct loom_routing_error *err) {
  struct ranks k;
  if (!ranks_make(&k, r->switches))
    return loom_routing_no_memory(err);
  bool ok = updn_with(r, o, &k, err);
  ranks_free(&k);
  return ok;
}

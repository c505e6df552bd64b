/* SPDX-License-Identifier: Apache-2.0 */
/* engine_ftree.c - d-mod-k on fat trees, and Valiant by LIDs (docs/route.md; KN-07, KN-08, TP-04)
 *
 * Hosts are numbered as they stand below the top: d. A LID of host d goes up to the parent that a
 * digit of d plus the LID's offset chooses, the next digit chooses among parallel cables; then down
 * along the tree, on parallel cables by the same digit.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "routing/engine.h"

/* ---- levels ---------------------------------------------------------------------------------- */

static uint32_t add_leaves(const struct loom_routing *r, uint32_t *level, uint32_t *queue) {
  uint32_t tail = 0;
  for (uint32_t i = 0; i < r->switches; i++)
    level[i] = LOOM_TOPO_NONE;
  for (uint32_t e = 0; e < r->ends; e++) {
    uint32_t leaf = loom_routing_leaf(r, e);
    if (leaf == LOOM_TOPO_NONE || !level[leaf])
      continue;
    level[leaf] = 0;
    queue[tail++] = leaf;
  }
  return tail;
}

static bool search_levels(const struct loom_routing *r, uint32_t *level, uint32_t *queue,
                          struct loom_routing_error *err) {
  uint32_t tail = add_leaves(r, level, queue);
  for (uint32_t head = 0; head < tail; head++) {
    uint32_t at = queue[head];
    for (uint32_t p = 1; p <= loom_routing_ports(r, at); p++) {
      uint32_t peer = loom_routing_peer(r, at, p);
      if (peer == LOOM_TOPO_NONE)
        continue;
      if (level[peer] == level[at])
        return loom_routing_fail(err, "no fat tree: a cable joins \"%s\" and \"%s\" of one level",
                                 loom_routing_name(r, at), loom_routing_name(r, peer));
      if (level[peer] != LOOM_TOPO_NONE)
        continue;
      level[peer] = level[at] + 1;
      queue[tail++] = peer;
    }
  }
  for (uint32_t i = 0; i < r->switches; i++)
    if (level[i] == LOOM_TOPO_NONE)
      return loom_routing_fail(err, "no fat tree: no host is below \"%s\"",
                               loom_routing_name(r, i));
  return true;
}

bool loom_routing_levels(const struct loom_routing *r, uint32_t *level,
                         struct loom_routing_error *err) {
  uint32_t *queue = calloc(r->switches, sizeof *queue);
  if (!queue)
    return loom_routing_no_memory(err);
  bool ok = search_levels(r, level, queue, err);
  free(queue);
  return ok;
}

/* ---- the tree -------------------------------------------------------------------------------- */

enum { LEVELS_MAX = 32 };

struct tree {
  struct loom_routing *r;
  uint32_t *level;  /* by row */
  uint32_t *number; /* by end: d */
  uint32_t *by_top; /* rows, highest level first */
  uint32_t *part;   /* by row: which connected part */
  uint32_t levels;
  uint32_t weight[LEVELS_MAX + 1]; /* of a level's digit; above the top: all ways up from a leaf */
  uint8_t *lane; /* [row * ports + port]: lower ports that lead to the same switch */

  /* For one target switch, by row. */
  uint32_t *cost; /* links to it; LOOM_TOPO_NONE: no way */
  bool *down;     /* it is below */
  uint8_t *port;  /* [row * ports + i]: the ports that lead there, */
  uint8_t *ports; /* so many */
};

static void tree_free(struct tree *t) {
  free(t->level);
  free(t->number);
  free(t->by_top);
  free(t->part);
  free(t->cost);
  free(t->down);
  free(t->lane);
  free(t->port);
  free(t->ports);
}

static bool tree_room(struct tree *t, struct loom_routing *r) {
  *t = (struct tree){.r = r};
  t->level = calloc(r->switches, sizeof *t->level);
  t->number = calloc(r->ends, sizeof *t->number);
  t->by_top = calloc(r->switches, sizeof *t->by_top);
  t->part = calloc(r->switches, sizeof *t->part);
  t->cost = calloc(r->switches, sizeof *t->cost);
  t->down = calloc(r->switches, sizeof *t->down);
  t->lane = calloc((size_t)r->switches * r->ports, 1);
  t->port = calloc((size_t)r->switches * r->ports, 1);
  t->ports = calloc(r->switches, 1);
  return t->level && t->number && t->by_top && t->part && t->cost && t->down && t->lane &&
         t->port && t->ports;
}

static bool is_up(const struct tree *t, uint32_t row, uint32_t peer) {
  return peer != LOOM_TOPO_NONE && t->level[peer] > t->level[row];
}

static bool is_down(const struct tree *t, uint32_t row, uint32_t peer) {
  return peer != LOOM_TOPO_NONE && t->level[peer] < t->level[row];
}

static void count_lanes(struct tree *t) {
  for (uint32_t row = 0; row < t->r->switches; row++) {
    uint8_t *lane = &t->lane[(size_t)row * t->r->ports];
    for (uint32_t p = 1; p <= loom_routing_ports(t->r, row); p++)
      for (uint32_t q = 1; q < p; q++)
        lane[p] = (uint8_t)(lane[p] +
                            (loom_routing_peer(t->r, row, q) == loom_routing_peer(t->r, row, p)));
  }
}

/* Weights: the digit of a level has as many values as a switch there has parents, at most. */
static void weigh(struct tree *t) {
  uint32_t most[LEVELS_MAX] = {0};
  for (uint32_t i = 0; i < t->r->switches; i++) {
    uint32_t up = 0;
    for (uint32_t p = 1; p <= loom_routing_ports(t->r, i); p++)
      up += is_up(t, i, loom_routing_peer(t->r, i, p)) && !t->lane[(size_t)i * t->r->ports + p];
    if (up > most[t->level[i]])
      most[t->level[i]] = up;
  }
  t->weight[0] = 1;
  for (uint32_t l = 0; l < t->levels; l++) {
    uint64_t next = (uint64_t)t->weight[l] * (most[l] ? most[l] : 1);
    t->weight[l + 1] = next < UINT32_MAX ? (uint32_t)next : UINT32_MAX;
  }
}

static bool sort_levels(struct tree *t, struct loom_routing_error *err) {
  uint32_t place = 0;
  if (!loom_routing_levels(t->r, t->level, err))
    return false;
  for (uint32_t i = 0; i < t->r->switches; i++)
    if (t->level[i] >= t->levels)
      t->levels = t->level[i] + 1;
  if (t->levels > LEVELS_MAX)
    return loom_routing_fail(err, "no fat tree: more than %d levels", LEVELS_MAX);
  for (uint32_t l = t->levels; l--;)
    for (uint32_t i = 0; i < t->r->switches; i++)
      if (t->level[i] == l)
        t->by_top[place++] = i;
  count_lanes(t);
  weigh(t);
  return true;
}

/* Numbers the hosts of a leaf by its ports. */
static uint32_t number_leaf(struct tree *t, uint32_t leaf, uint32_t next) {
  const struct loom_topo *topo = t->r->topo;
  for (uint32_t p = 1; p <= loom_routing_ports(t->r, leaf); p++) {
    const struct loom_topo_port *port = loom_routing_port(t->r, leaf, p);
    if (port->device == LOOM_TOPO_NONE || topo->device[port->device].kind != LOOM_TOPO_HCA)
      continue;
    uint32_t lid = (uint32_t)loom_topo_port(topo, port->device, port->port)->lid << t->r->shift;
    t->number[t->r->end_of[lid]] = next++;
  }
  return next;
}

/* Numbers what is below `row` and not numbered, leaf by leaf, so that leaves below one switch
 * follow each other whatever order the devices have. `stack` has room for all rows; `seen` is by
 * row. */
static uint32_t number_below(struct tree *t, uint32_t row, bool *seen, uint32_t *stack,
                             uint32_t next) {
  uint32_t depth = 1;
  stack[0] = row;
  seen[row] = true;
  while (depth) {
    uint32_t at = stack[--depth];
    if (!t->level[at])
      next = number_leaf(t, at, next);
    for (uint32_t p = loom_routing_ports(t->r, at); p; p--) {
      uint32_t peer = loom_routing_peer(t->r, at, p);
      if (!is_down(t, at, peer) || seen[peer])
        continue;
      seen[peer] = true;
      stack[depth++] = peer;
    }
  }
  return next;
}

static bool number_hosts(struct tree *t, struct loom_routing_error *err) {
  bool *seen = calloc(t->r->switches, sizeof *seen);
  uint32_t *stack = calloc(t->r->switches, sizeof *stack);
  uint32_t next = 0;
  for (uint32_t i = 0; seen && stack && i < t->r->switches; i++)
    if (!seen[t->by_top[i]])
      next = number_below(t, t->by_top[i], seen, stack, next);
  bool ok = seen && stack;
  free(seen);
  free(stack);
  return ok || loom_routing_no_memory(err);
}

/* ---- one target ------------------------------------------------------------------------------ */

/* Adds a port that leads to `peer`, if none is shorter. */
static void offer(struct tree *t, uint32_t row, uint32_t port, uint32_t peer) {
  if (t->cost[peer] == LOOM_TOPO_NONE || t->cost[peer] >= t->cost[row])
    return;
  if (t->cost[peer] + 1 < t->cost[row]) {
    t->cost[row] = t->cost[peer] + 1;
    t->ports[row] = 0;
  }
  t->port[(size_t)row * t->r->ports + t->ports[row]++] = (uint8_t)port;
}

/* Ways down, from the target upwards: `by_top` backwards. */
static void lead_down(struct tree *t, uint32_t target) {
  for (uint32_t i = t->r->switches; i--;) {
    uint32_t row = t->by_top[i];
    t->cost[row] = row == target ? 0 : LOOM_TOPO_NONE;
    t->ports[row] = 0;
    for (uint32_t p = 1; row != target && p <= loom_routing_ports(t->r, row); p++) {
      uint32_t peer = loom_routing_peer(t->r, row, p);
      if (is_down(t, row, peer) && t->down[peer])
        offer(t, row, p, peer);
    }
    t->down[row] = t->cost[row] != LOOM_TOPO_NONE;
  }
}

/* Puts the first cables to each neighbour before the second, and so on. */
static void sort_lanes(struct tree *t, uint32_t row) {
  uint8_t *port = &t->port[(size_t)row * t->r->ports];
  const uint8_t *lane = &t->lane[(size_t)row * t->r->ports];
  for (uint32_t i = 1; i < t->ports[row]; i++)
    for (uint32_t j = i; j && lane[port[j]] < lane[port[j - 1]]; j--) {
      uint8_t swap = port[j];
      port[j] = port[j - 1];
      port[j - 1] = swap;
    }
}

/* And up, to the nearest switches that have one. */
static void lead_up(struct tree *t) {
  for (uint32_t i = 0; i < t->r->switches; i++) {
    uint32_t row = t->by_top[i];
    for (uint32_t p = 1; !t->down[row] && p <= loom_routing_ports(t->r, row); p++) {
      uint32_t peer = loom_routing_peer(t->r, row, p);
      if (is_up(t, row, peer))
        offer(t, row, p, peer);
    }
    if (!t->down[row])
      sort_lanes(t, row);
  }
}

/* From the others, first down: only to switches of the upper levels, and no host's way to another
 * comes here. */
static void lead_back(struct tree *t) {
  for (uint32_t i = t->r->switches; i--;) {
    uint32_t row = t->by_top[i];
    if (t->cost[row] != LOOM_TOPO_NONE)
      continue;
    for (uint32_t p = 1; p <= loom_routing_ports(t->r, row); p++) {
      uint32_t peer = loom_routing_peer(t->r, row, p);
      if (is_down(t, row, peer))
        offer(t, row, p, peer);
    }
  }
}

static uint32_t choose(const struct tree *t, uint32_t row, uint32_t d) {
  if (!t->ports[row])
    return LOOM_ROUTING_UNREACHABLE;
  uint32_t digit = d / t->weight[t->level[row]];
  return t->port[(size_t)row * t->r->ports + digit % t->ports[row]];
}

static void route_lid(struct tree *t, uint32_t lid, uint32_t target) {
  struct loom_routing_target to;
  if (!loom_routing_find(t->r, lid, &to))
    return;
  uint32_t d = to.port ? t->number[t->r->end_of[lid]] + to.offset : target;
  for (uint32_t row = 0; row < t->r->switches; row++)
    loom_routing_set(t->r, row, lid, row == target ? to.port : choose(t, row, d));
}

/* All leaves of its part of the fabric reach the target, if it is a leaf. */
static bool check_target(const struct tree *t, uint32_t target, struct loom_routing_error *err) {
  for (uint32_t i = 0; !t->level[target] && i < t->r->switches; i++)
    if (!t->level[i] && t->cost[i] == LOOM_TOPO_NONE && t->part[i] == t->part[target])
      return loom_routing_fail(err, "no fat tree: no way up and then down from \"%s\" to \"%s\"",
                               loom_routing_name(t->r, i), loom_routing_name(t->r, target));
  return true;
}

static bool route_targets(struct tree *t, const struct loom_routing_lids *lids,
                          struct loom_routing_error *err) {
  loom_routing_parts(t->r, NULL, t->part, t->cost);
  for (uint32_t target = 0; target < t->r->switches; target++) {
    lead_down(t, target);
    lead_up(t);
    lead_back(t);
    if (!check_target(t, target, err))
      return false;
    for (uint32_t i = lids->first[target]; i < lids->first[target + 1]; i++)
      route_lid(t, lids->lid[i], target);
  }
  return true;
}

bool loom_routing_ftree(struct loom_routing *r, struct loom_routing_error *err) {
  struct tree t;
  struct loom_routing_lids lids;
  if (!loom_routing_group(r, &lids))
    return loom_routing_no_memory(err);
  bool ok = tree_room(&t, r) || loom_routing_no_memory(err);
  ok = ok && sort_levels(&t, err) && number_hosts(&t, err) && route_targets(&t, &lids, err);
  tree_free(&t);
  loom_routing_ungroup(&lids);
  return ok;
}

uint32_t loom_routing_ways(const struct loom_routing *r) {
  struct tree t = {.r = (struct loom_routing *)r};
  struct loom_routing_error ignored = {.text = ""};
  t.level = calloc(r->switches, sizeof *t.level);
  t.by_top = calloc(r->switches, sizeof *t.by_top);
  t.lane = calloc((size_t)r->switches * r->ports, 1);
  uint32_t ways =
      t.level && t.by_top && t.lane && sort_levels(&t, &ignored) ? t.weight[t.levels] : 0;
  free(t.level);
  free(t.by_top);
  free(t.lane);
  return ways;
}

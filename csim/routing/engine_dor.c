/* SPDX-License-Identifier: Apache-2.0 */
/* engine_dor.c - dimension order routing on tori, meshes and HyperX with trunks, or each LID of a
 * host over another switch, or by load over another coordinate (docs/route.md; TP-02, TP-03, TP-04)
 *
 * The switches have their coordinates from the fabric. In each dimension, the first first, the
 * shorter way; half way round a ring the LID decides. A LID keeps to one cable of each trunk.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "routing/engine.h"

enum { UP, DOWN, WAYS };

/* What the cables of a dimension make of its switches. */
enum form { LINE, RING, COMPLETE };

/* Cables of one switch to one neighbour. */
struct trunk {
  uint8_t port[LOOM_ROUTING_PORTS];
  uint32_t width;
};

struct torus {
  struct loom_routing *r;
  enum loom_routing_ties ties;
  uint32_t dims;
  uint32_t size[LOOM_TOPO_COORDS];
  enum form form[LOOM_TOPO_COORDS];
  uint32_t width[LOOM_TOPO_COORDS]; /* of the first switch's first trunk */
  uint32_t ways;                    /* from a switch in a dimension, at most */
  uint32_t others;                  /* coordinates that LIDs offer beside their own, by load */
  bool open, complete;              /* any dimension is a line of three or more, or complete */
  struct trunk *trunk;              /* [(row * dims + dim) * ways + way] */
  uint8_t *dim_of;                  /* [row * ports + port]: dimension; dims: none */
};

static const uint32_t *coord(const struct torus *t, uint32_t row) {
  return t->r->topo->device[t->r->device[row]].coord;
}

static struct trunk *trunk(const struct torus *t, uint32_t row, uint32_t dim, uint32_t way) {
  return &t->trunk[((size_t)row * t->dims + dim) * t->ways + way];
}

/* ---- is it a torus? -------------------------------------------------------------------------- */

/* Sizes by the largest coordinates; together they have as many points as there are switches. */
static bool measure(struct torus *t, struct loom_routing_error *err) {
  const struct loom_routing *r = t->r;
  uint64_t points = 1;
  t->dims = r->topo->device[r->device[0]].coords;
  for (uint32_t i = 0; i < r->switches; i++) {
    if (!t->dims || r->topo->device[r->device[i]].coords != t->dims)
      return loom_routing_fail(err, "no torus: \"%s\" has no coordinates as others have",
                               loom_routing_name(r, i));
    for (uint32_t d = 0; d < t->dims; d++)
      if (coord(t, i)[d] >= t->size[d] && coord(t, i)[d] < LOOM_TOPO_DEVICES)
        t->size[d] = coord(t, i)[d] + 1;
  }
  for (uint32_t d = 0; d < t->dims && points <= r->switches; d++)
    points *= t->size[d];
  return points == r->switches ||
         loom_routing_fail(err, "no torus: %" PRIu32 " switches do not fill its points",
                           r->switches);
}

/* No two switches are at one point; `seen` is by point. */
static bool settle(const struct torus *t, bool *seen, struct loom_routing_error *err) {
  for (uint32_t row = 0; row < t->r->switches; row++) {
    uint64_t point = 0;
    for (uint32_t d = t->dims; d--;)
      point = point * t->size[d] + coord(t, row)[d];
    if (point >= t->r->switches || seen[point])
      return loom_routing_fail(err, "no torus: \"%s\" has coordinates that another has",
                               loom_routing_name(t->r, row));
    seen[point] = true;
  }
  return true;
}

/* The dimension in which neighbours differ; `dims`: in none, or in several. */
static uint32_t find_step(const struct torus *t, uint32_t row, uint32_t peer) {
  uint32_t found = t->dims;
  for (uint32_t d = 0; d < t->dims; d++) {
    if (coord(t, row)[d] == coord(t, peer)[d])
      continue;
    if (found != t->dims)
      return t->dims;
    found = d;
  }
  return found;
}

static enum form form_of(const struct torus *t, uint32_t d, uint32_t a, uint32_t b) {
  uint32_t apart = a < b ? b - a : a - b;
  return apart == 1 ? LINE : apart == t->size[d] - 1 ? RING : COMPLETE;
}

static bool refuse_cable(const struct torus *t, uint32_t row, uint32_t peer,
                         struct loom_routing_error *err) {
  return loom_routing_fail(err, "no torus: a cable joins \"%s\" and \"%s\"",
                           loom_routing_name(t->r, row), loom_routing_name(t->r, peer));
}

/* A cable that closes a ring makes one of a line. Where switches are complete, a third of the
 * cables or more are neither along a ring nor close it; fewer than a quarter are plugged wrong. */
static void form(struct torus *t, uint32_t d, const uint32_t cables[COMPLETE + 1]) {
  uint32_t all = cables[LINE] + cables[RING] + cables[COMPLETE];
  t->form[d] = all && 4 * cables[COMPLETE] >= all ? COMPLETE : cables[RING] ? RING : LINE;
  if (t->form[d] == COMPLETE && t->size[d] > t->ways)
    t->ways = t->size[d];
  t->open = t->open || (t->form[d] == LINE && t->size[d] > 2);
  t->complete = t->complete || t->form[d] == COMPLETE;
}

static bool find_forms(struct torus *t, struct loom_routing_error *err) {
  uint32_t cables[LOOM_TOPO_COORDS][COMPLETE + 1] = {{0}};
  for (uint32_t row = 0; row < t->r->switches; row++)
    for (uint32_t p = 1; p <= loom_routing_ports(t->r, row); p++) {
      uint32_t peer = loom_routing_peer(t->r, row, p);
      if (peer == LOOM_TOPO_NONE)
        continue;
      uint32_t d = find_step(t, row, peer);
      if (d == t->dims)
        return refuse_cable(t, row, peer, err);
      cables[d][form_of(t, d, coord(t, row)[d], coord(t, peer)[d])]++;
    }
  t->ways = WAYS;
  for (uint32_t d = 0; d < t->dims; d++)
    form(t, d, cables[d]);
  return true;
}

/* From coordinate a to b, which a cable joins: in a line or a ring up or down, of two switches up,
 * else to the other switch's coordinate. */
static uint32_t way_of(const struct torus *t, uint32_t d, uint32_t a, uint32_t b) {
  if (t->form[d] == COMPLETE)
    return b;
  return (a + 1) % t->size[d] == b ? UP : DOWN;
}

static bool add_cable(struct torus *t, uint32_t row, uint32_t port,
                      struct loom_routing_error *err) {
  uint32_t peer = loom_routing_peer(t->r, row, port);
  uint8_t *dim_of = &t->dim_of[(size_t)row * t->r->ports + port];
  *dim_of = (uint8_t)t->dims;
  if (peer == LOOM_TOPO_NONE)
    return true;
  uint32_t d = find_step(t, row, peer), a = coord(t, row)[d], b = coord(t, peer)[d];
  if (t->form[d] != COMPLETE && form_of(t, d, a, b) == COMPLETE)
    return refuse_cable(t, row, peer, err);
  struct trunk *k = trunk(t, row, d, way_of(t, d, a, b));
  k->port[k->width++] = (uint8_t)port;
  *dim_of = (uint8_t)d;
  return true;
}

/* Whether a switch must have a cable this way. */
static bool is_wanted(const struct torus *t, uint32_t row, uint32_t d, uint32_t way) {
  uint32_t at = coord(t, row)[d], size = t->size[d];
  switch (t->form[d]) {
  case COMPLETE:
    return way < size && way != at;
  case RING:
    return way < WAYS;
  default:
    return way < WAYS && size > 1 && (size == 2 ? way == UP : way == UP ? at + 1 < size : at > 0);
  }
}

static bool check_trunks(const struct torus *t, uint32_t row, struct loom_routing_error *err) {
  for (uint32_t d = 0; d < t->dims; d++)
    for (uint32_t way = UP; way < t->ways; way++)
      if (is_wanted(t, row, d, way) && !trunk(t, row, d, way)->width)
        return t->form[d] == COMPLETE
                   ? loom_routing_fail(err,
                                       "no torus: \"%s\" has no cable to coordinate %" PRIu32
                                       " of dimension %" PRIu32,
                                       loom_routing_name(t->r, row), way, d)
                   : loom_routing_fail(err, "no torus: \"%s\" has no cable %s dimension %" PRIu32,
                                       loom_routing_name(t->r, row), way == UP ? "up" : "down", d);
  return true;
}

static bool find_trunks(struct torus *t, struct loom_routing_error *err) {
  for (uint32_t row = 0; row < t->r->switches; row++) {
    for (uint32_t p = 1; p <= loom_routing_ports(t->r, row); p++)
      if (!add_cable(t, row, p, err))
        return false;
    if (!check_trunks(t, row, err))
      return false;
  }
  for (uint32_t d = 0; d < t->dims; d++)
    for (uint32_t way = t->ways; way-- > UP;)
      if (trunk(t, 0, d, way)->width)
        t->width[d] = trunk(t, 0, d, way)->width;
  return true;
}

/* ---- routes ---------------------------------------------------------------------------------- */

/* A LID as its routes see it: where it is, and what chooses cables and ways. */
struct goal {
  const uint32_t *at;
  uint32_t sum;   /* of the coordinates */
  uint32_t place; /* among the LIDs at its switch */
  uint32_t hosts; /* LIDs at its switch */
};

static struct goal goal_of(const struct torus *t, const struct loom_routing_target *to) {
  const struct loom_routing *r = t->r;
  struct goal g = {.at = coord(t, to->row),
                   .place = (loom_routing_hosts_below(r, to->row, to->port) << r->lmc) + to->offset,
                   .hosts = loom_routing_hosts(r, to->row) << r->lmc};
  for (uint32_t d = 0; d < t->dims; d++)
    g.sum += g.at[d];
  return g;
}

/* Which way from coordinate `at` of dimension d. Half way round, unless all go up, one LID of
 * a switch goes up and the next that has the same cable goes down, so that both ways have as many.
 */
static uint32_t way_to(const struct torus *t, const struct goal *g, uint32_t d, uint32_t at) {
  uint32_t size = t->size[d];
  if (t->form[d] == COMPLETE)
    return g->at[d];
  if (t->form[d] == LINE && size > 2)
    return g->at[d] > at ? UP : DOWN;
  uint32_t up = (g->at[d] + size - at) % size;
  if (size == 2 || 2 * up < size)
    return UP;
  if (2 * up > size)
    return DOWN;
  bool down = t->ties == LOOM_ROUTING_TIES_SPLIT && (g->place / t->width[d] + g->sum) % 2;
  return down ? DOWN : UP;
}

/* Three switches of a HyperX are a ring, too, but no way in it has two cables. */
static bool has_dateline(const struct torus *t, uint32_t d) {
  return t->form[d] == RING && !(t->size[d] == 3 && t->complete);
}

/* No way takes two cables in any dimension. */
static bool is_hyperx(const struct torus *t) {
  for (uint32_t d = 0; d < t->dims; d++)
    if (has_dateline(t, d) || (t->form[d] == LINE && t->size[d] > 2))
      return false;
  return true;
}

/* Port of `row` for a LID that is elsewhere, by the first dimension in which it is, or the last. */
static uint32_t port_by(const struct torus *t, uint32_t row, const struct goal *g, bool last) {
  const uint32_t *at = coord(t, row);
  uint32_t d = last ? t->dims - 1 : 0;
  while (at[d] == g->at[d])
    d = last ? d - 1 : d + 1;
  const struct trunk *k = trunk(t, row, d, way_to(t, g, d, at[d]));
  return k->width ? k->port[(g->place + g->hosts * g->sum) % k->width] : LOOM_ROUTING_UNREACHABLE;
}

static uint32_t port_to(const struct torus *t, uint32_t row, const struct goal *g) {
  return port_by(t, row, g, false);
}

/* A LID of a host by way of another switch. The switches on the way from there go on; all others
 * send there. `on` is by row, and false again afterwards. */
static void route_over(struct torus *t, uint32_t lid, const struct loom_routing_target *to,
                       const struct goal *g, bool *on) {
  struct loom_routing *r = t->r;
  uint32_t via = g->place % (r->switches - 1), row = 0;
  struct goal over = *g;
  bool last = is_hyperx(t);
  via += via >= to->row;
  over.at = coord(t, via);
  for (row = via; row != to->row; row = loom_routing_peer(r, row, loom_routing_out(r, row, lid))) {
    loom_routing_set(r, row, lid, port_by(t, row, g, last));
    on[row] = true;
  }
  loom_routing_set(r, row, lid, to->port);
  on[row] = true;
  for (row = 0; row < r->switches; row++) {
    if (!on[row])
      loom_routing_set(r, row, lid, port_to(t, row, &over));
    on[row] = false;
  }
}

static bool route_valiant(struct torus *t, struct loom_routing_error *err) {
  struct loom_routing_target to;
  bool *on = calloc(t->r->switches, sizeof *on);
  for (uint32_t lid = 0; on && lid < t->r->lids; lid++) {
    if (!loom_routing_find(t->r, lid, &to) || !to.port || t->r->switches < 2)
      continue;
    struct goal g = goal_of(t, &to);
    route_over(t, lid, &to, &g, on);
  }
  free(on);
  return on || loom_routing_no_memory(err);
}

/* ---- routes by load -------------------------------------------------------------------------- */

/* All switches that differ in one coordinate are joined, those of three by a ring. */
static bool is_joined(const struct torus *t, struct loom_routing_error *err) {
  for (uint32_t d = 0; d < t->dims; d++)
    if (t->form[d] != COMPLETE && t->size[d] > (t->form[d] == RING ? 3u : 2u))
      return loom_routing_fail(
          err, "no HyperX: not all coordinates of dimension %" PRIu32 " are joined", d);
  return true;
}

/* Coordinates other than the target's that LIDs offer in a dimension: as many as there are groups
 * of ports for; 0: for not even one. */
static uint32_t others_of(const struct torus *t) {
  uint32_t others = 0, most = 0;
  for (uint32_t d = 0; d < t->dims; d++)
    most = t->size[d] - 1 > most ? t->size[d] - 1 : most;
  for (uint64_t groups = 0; others < most; others++) {
    for (uint32_t d = 0; d < t->dims; d++)
      if (others < t->size[d] - 1)
        groups += (uint64_t)t->width[d] * (t->size[d] - 2);
    if (groups > LOOM_ROUTING_GROUPS)
      break;
  }
  return others;
}

/* The port to another coordinate of the first dimension in which the LID is elsewhere, from which
 * the way goes on to the LID's; 0: that is the coordinate of the switch itself. */
static uint32_t port_over(const struct torus *t, uint32_t row, const struct goal *g,
                          uint32_t other) {
  uint32_t d = 0, at[LOOM_TOPO_COORDS] = {0};
  struct goal over = *g;
  while (coord(t, row)[d] == g->at[d])
    d++;
  uint32_t size = t->size[d], others = size - 1 < t->others ? size - 1 : t->others;
  memcpy(at, g->at, t->dims * sizeof at[0]);
  at[d] = (g->at[d] + 1 + other % others) % size;
  over.at = at;
  return at[d] == coord(t, row)[d] ? 0 : port_to(t, row, &over);
}

/* LIDs of hosts by load; LIDs of a switch that offer the same coordinate share the cables of a
 * trunk. */
static bool route_by_load(struct torus *t, struct loom_routing_error *err) {
  struct loom_routing *r = t->r;
  struct loom_routing_target to;
  t->others = others_of(t) ? others_of(t) : 1;
  r->other = calloc(r->switches, r->lids);
  for (uint32_t lid = 0; r->other && lid < r->lids; lid++) {
    if (!loom_routing_find(r, lid, &to) || !to.port)
      continue;
    struct goal g = goal_of(t, &to);
    uint32_t other = g.place % t->others;
    g.place /= t->others;
    for (uint32_t row = 0; row < r->switches; row++) {
      if (row == to.row)
        continue;
      loom_routing_set(r, row, lid, port_to(t, row, &g));
      r->other[(size_t)row * r->lids + lid] = (uint8_t)port_over(t, row, &g, other);
    }
  }
  return r->other ? loom_routing_check_groups(r, err) : loom_routing_no_memory(err);
}

static void route(struct torus *t) {
  struct loom_routing_target to;
  for (uint32_t lid = 0; lid < t->r->lids; lid++) {
    if (!loom_routing_find(t->r, lid, &to))
      continue;
    struct goal g = goal_of(t, &to);
    for (uint32_t row = 0; row < t->r->switches; row++)
      loom_routing_set(t->r, row, lid, row == to.row ? to.port : port_to(t, row, &g));
  }
}

/* ---- the dateline ---------------------------------------------------------------------------- */

/* A cable from the last switch of a ring to the first, or back. */
static bool crosses(const struct torus *t, uint32_t row, uint32_t port, uint32_t d) {
  uint32_t a = coord(t, row)[d];
  uint32_t b = coord(t, loom_routing_peer(t->r, row, port))[d];
  return has_dateline(t, d) && (a > b ? a - b : b - a) > 1;
}

/* Layer 1 from the dateline to the end of the dimension. */
static bool layer_turns(struct torus *t, struct loom_routing_error *err) {
  struct loom_routing *r = t->r;
  if (!loom_routing_layer_turns(r, 2))
    return loom_routing_no_memory(err);
  for (uint32_t row = 0; row < r->switches; row++)
    for (uint32_t out = 1; out <= loom_routing_ports(r, row); out++) {
      const uint8_t *dim_of = &t->dim_of[(size_t)row * r->ports];
      if (dim_of[out] == t->dims)
        continue;
      bool cross = crosses(t, row, out, dim_of[out]);
      for (uint32_t in = 0; in <= loom_routing_ports(r, row); in++)
        if (cross || !in || dim_of[in] != dim_of[out])
          r->turn[((size_t)row * r->ports + in) * r->ports + out] = cross;
    }
  return true;
}

/* A bit for each dimension in which the way from a switch to a LID crosses the dateline. */
static uint8_t class_of(const struct torus *t, uint32_t row, const struct goal *g) {
  unsigned class = 0;
  for (uint32_t d = 0; d < t->dims; d++) {
    uint32_t at = coord(t, row)[d];
    if (at == g->at[d] || !has_dateline(t, d))
      continue;
    uint32_t way = way_to(t, g, d, at);
    class |= (unsigned)(way == UP ? at > g->at[d] : at < g->at[d]) << d;
  }
  return (uint8_t) class;
}

static void class_paths(struct torus *t) {
  struct loom_routing *r = t->r;
  struct loom_routing_target to;
  for (uint32_t lid = 0; lid < r->lids; lid++) {
    if (!loom_routing_find(r, lid, &to))
      continue;
    struct goal g = goal_of(t, &to);
    for (uint32_t e = 0; e < r->ends; e++)
      if (loom_routing_leaf(r, e) != LOOM_TOPO_NONE)
        r->path[(size_t)e * r->lids + lid] = class_of(t, loom_routing_leaf(r, e), &g);
  }
}

/* The layer is the class's bit of the dimension of the port out. */
static bool layer_paths(struct torus *t, struct loom_routing_error *err) {
  struct loom_routing *r = t->r;
  if (1u << t->dims > LOOM_ROUTING_CLASSES)
    return loom_routing_fail(err, "%" PRIu32 " dimensions need more than %d path classes", t->dims,
                             LOOM_ROUTING_CLASSES);
  if (!loom_routing_layer_paths(r, 2, 1u << t->dims))
    return loom_routing_no_memory(err);
  memset(r->inject, 0, sizeof r->inject);
  size_t at = 0;
  for (uint32_t row = 0; row < r->switches; row++)
    for (uint32_t in = 0; in < r->ports; in++)
      for (uint32_t out = 0; out < r->ports; out++)
        for (uint32_t class = 0; class < r->classes; class ++, at++) {
          bool used = out && out <= loom_routing_ports(r, row);
          uint32_t d = used ? t->dim_of[(size_t)row * r->ports + out] : t->dims;
          r->layer[at] = (uint8_t)(d < t->dims && class >> d & 1);
        }
  class_paths(t);
  return true;
}

/* ---- bubbles --------------------------------------------------------------------------------- */

/* Packets that go on in a ring leave by the cable of a trunk that has the place of the one before.
 */
static uint8_t port_before(const struct torus *t, uint32_t row, uint32_t d, uint32_t way,
                           uint32_t place) {
  const struct trunk *back = trunk(t, row, d, way == UP ? DOWN : UP);
  if (!back->width)
    return 0;
  uint32_t before = loom_routing_peer(t->r, row, back->port[0]);
  const struct trunk *k = trunk(t, before, d, way);
  if (place >= k->width)
    return 0;
  return (uint8_t)loom_routing_port(t->r, before, k->port[place])->port;
}

static bool find_rings(struct torus *t, struct loom_routing_error *err) {
  struct loom_routing *r = t->r;
  r->ring = calloc((size_t)r->switches * r->ports, 1);
  if (!r->ring)
    return loom_routing_no_memory(err);
  for (uint32_t row = 0; row < r->switches; row++)
    for (uint32_t d = 0; d < t->dims; d++)
      for (uint32_t way = UP; has_dateline(t, d) && way < WAYS; way++) {
        const struct trunk *k = trunk(t, row, d, way);
        for (uint32_t i = 0; i < k->width; i++)
          r->ring[(size_t)row * r->ports + k->port[i]] = port_before(t, row, d, way, i);
      }
  return true;
}

/* ---- layers over another switch -------------------------------------------------------------- */

/* In a HyperX dimensions ascend to the switch between and descend from there: layer 1 begins with
 * the first that does not ascend. By load they ascend, and layer 1 has the second cable in one. */
static bool layer_hyperx(struct torus *t, bool path, struct loom_routing_error *err) {
  struct loom_routing *r = t->r;
  if (path ? !loom_routing_layer_paths(r, 2, 1) : !loom_routing_layer_turns(r, 2))
    return loom_routing_no_memory(err);
  uint8_t *at = path ? r->layer : r->turn;
  memset(r->inject, 0, sizeof r->inject);
  for (uint32_t row = 0; row < r->switches; row++) {
    const uint8_t *dim_of = &t->dim_of[(size_t)row * r->ports];
    for (uint32_t in = 0; in < r->ports; in++)
      for (uint32_t out = 0; out < r->ports; out++, at++)
        *at = in && in <= loom_routing_ports(r, row) && dim_of[in] < t->dims && out &&
              out <= loom_routing_ports(r, row) &&
              (r->other ? dim_of[out] == dim_of[in] : dim_of[out] <= dim_of[in]);
  }
  return true;
}

/* Elsewhere they ascend twice: a layer ends where they begin again, and at each dateline. */
static bool layer_again(struct torus *t, struct loom_routing_error *err) {
  struct loom_routing *r = t->r;
  uint32_t rings = 0;
  for (uint32_t d = 0; d < t->dims; d++)
    rings += has_dateline(t, d);
  if (!loom_routing_layer_turns(r, 2 + 2 * rings))
    return loom_routing_no_memory(err);
  for (uint32_t row = 0; row < r->switches; row++) {
    const uint8_t *dim_of = &t->dim_of[(size_t)row * r->ports];
    for (uint32_t in = 0; in <= loom_routing_ports(r, row); in++)
      for (uint32_t out = 1; out <= loom_routing_ports(r, row); out++) {
        uint32_t to = dim_of[out], from = in ? dim_of[in] : t->dims;
        bool again = from < t->dims && (to < from || (to == from && t->form[to] == COMPLETE));
        if (to < t->dims && (again || crosses(t, row, out, to)))
          r->turn[((size_t)row * r->ports + in) * r->ports + out] = LOOM_ROUTING_NEXT;
      }
  }
  return true;
}

static bool layer_valiant(struct torus *t, enum loom_routing_avoid avoid,
                          struct loom_routing_error *err) {
  if (avoid == LOOM_ROUTING_AVOID_NONE)
    return true;
  if (is_hyperx(t) || t->r->other)
    return layer_hyperx(t, avoid == LOOM_ROUTING_DATELINE_PATH, err);
  return avoid == LOOM_ROUTING_DATELINE_TURN
             ? layer_again(t, err)
             : loom_routing_fail(err, "no HyperX: only by turn do ways over another switch of it "
                                      "have layers");
}

/* One layer is enough for a mesh or a HyperX. */
static bool layer(struct torus *t, const struct loom_routing_options *o,
                  struct loom_routing_error *err) {
  bool any = false;
  for (uint32_t d = 0; d < t->dims; d++)
    any = any || has_dateline(t, d);
  if (!any && (t->open || t->complete))
    return true;
  switch (o->avoid) {
  case LOOM_ROUTING_DATELINE_TURN:
    return layer_turns(t, err);
  case LOOM_ROUTING_DATELINE_PATH:
    return layer_paths(t, err);
  case LOOM_ROUTING_AVOID_BUBBLE:
    return find_rings(t, err);
  case LOOM_ROUTING_AVOID_NONE:
    break;
  }
  return true;
}

enum ways { STRAIGHT, OVER, BY_LOAD }; /* over another switch, or another coordinate */

static bool make(struct loom_routing *r, enum ways ways, const struct loom_routing_options *o,
                 struct loom_routing_error *err) {
  struct torus t = {.r = r, .ties = o->ties, .size = {1, 1, 1, 1}, .width = {1, 1, 1, 1}};
  if (!measure(&t, err))
    return false;
  bool *seen = calloc(r->switches, sizeof *seen);
  bool ok = seen ? settle(&t, seen, err) && find_forms(&t, err) : loom_routing_no_memory(err);
  free(seen);
  if (!ok)
    return false;
  t.trunk = calloc((size_t)r->switches * t.dims * t.ways, sizeof *t.trunk);
  t.dim_of = calloc((size_t)r->switches * r->ports, 1);
  ok = ((t.trunk && t.dim_of) || loom_routing_no_memory(err)) && find_trunks(&t, err);
  if (ok) {
    route(&t);
    if (ways == STRAIGHT)
      ok = layer(&t, o, err);
    else
      ok = (ways == OVER ? route_valiant(&t, err) : is_joined(&t, err) && route_by_load(&t, err)) &&
           layer_valiant(&t, o->avoid, err);
  }
  free(t.trunk);
  free(t.dim_of);
  return ok;
}

bool loom_routing_dor(struct loom_routing *r, const struct loom_routing_options *o,
                      struct loom_routing_error *err) {
  return make(r, STRAIGHT, o, err);
}

bool loom_routing_dor_valiant(struct loom_routing *r, const struct loom_routing_options *o,
                              struct loom_routing_error *err) {
  return make(r, OVER, o, err);
}

bool loom_routing_dor_ugal(struct loom_routing *r, const struct loom_routing_options *o,
                           struct loom_routing_error *err) {
  return make(r, BY_LOAD, o, err);
}

uint32_t loom_routing_others(const struct loom_routing *r) {
  struct torus t = {.r = (struct loom_routing *)r, .size = {1, 1, 1, 1}, .width = {1, 1, 1, 1}};
  struct loom_routing_error err = {.text = ""};
  return measure(&t, &err) ? others_of(&t) : 0;
}

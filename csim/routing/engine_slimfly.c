/* SPDX-License-Identifier: Apache-2.0 */
/* engine_slimfly.c - shortest ways where two cables are enough, each on a layer of its own, or two
 * of them, each LID of a host over another switch (docs/route.md; TP-04) */
#include <stdlib.h>
#include <string.h>

#include "routing/engine.h"

/* From `row` the LID comes to the switch that it is at over two cables, or one. */
static bool is_near(const struct loom_routing *r, uint32_t row, uint32_t lid, uint32_t target) {
  for (uint32_t cables = 0; cables < 2 && row != target; cables++) {
    uint32_t port = loom_routing_out(r, row, lid);
    if (port == LOOM_ROUTING_UNREACHABLE)
      return false;
    row = loom_routing_peer(r, row, port);
  }
  return row == target;
}

static bool check(const struct loom_routing *r, struct loom_routing_error *err) {
  struct loom_routing_target to;
  for (uint32_t lid = 0; lid < r->lids; lid++)
    for (uint32_t row = 0; row < r->switches && loom_routing_find(r, lid, &to); row++)
      if (!is_near(r, row, lid, to.row))
        return loom_routing_fail(err,
                                 "no Slim Fly: \"%s\" and \"%s\" are more than two cables apart",
                                 loom_routing_name(r, row), loom_routing_name(r, to.row));
  return true;
}

/* Each further cable of a way is that of a packet that came from a switch: layer 1, or the next. */
static void layer(struct loom_routing *r, uint8_t *at, uint8_t first, uint8_t further) {
  for (uint32_t row = 0; row < r->switches; row++)
    for (uint32_t in = 0; in < r->ports; in++, at += r->ports) {
      bool second =
          in && in <= loom_routing_ports(r, row) && loom_routing_peer(r, row, in) != LOOM_TOPO_NONE;
      memset(at, second ? further : first, r->ports);
    }
}

static bool layer_shortest(struct loom_routing *r, enum loom_routing_avoid avoid,
                           struct loom_routing_error *err) {
  bool path = avoid == LOOM_ROUTING_DATELINE_PATH;
  if (avoid == LOOM_ROUTING_AVOID_NONE)
    return true;
  if (path ? !loom_routing_layer_paths(r, 2, 1) : !loom_routing_layer_turns(r, 2))
    return loom_routing_no_memory(err);
  layer(r, path ? r->layer : r->turn, 0, 1);
  return true;
}

/* ---- over another switch --------------------------------------------------------------------- */

/* The tables of shortest ways, and the LIDs at each switch. */
struct shortest {
  uint8_t *out;
  struct loom_routing_lids lids;
  bool *on; /* by row: on the way from the switch between; false again behind each LID */
};

/* The switches on the shortest way from the one between go on; all others send there, as they do to
 * one of the LIDs there. */
static void route_over(struct loom_routing *r, const struct shortest *s, uint32_t lid,
                       const struct loom_routing_target *to) {
  uint32_t place = (loom_routing_hosts_below(r, to->row, to->port) << r->lmc) + to->offset;
  uint32_t via = place % (r->switches - 1);
  via += via >= to->row;
  uint32_t first = s->lids.first[via], count = s->lids.first[via + 1] - first;
  uint32_t over = s->lids.lid[first + place % count];
  uint32_t row;
  for (row = via; row != to->row;
       row = loom_routing_peer(r, row, s->out[(size_t)row * r->lids + lid]))
    s->on[row] = true;
  s->on[row] = true;
  for (row = 0; row < r->switches; row++) {
    if (!s->on[row])
      loom_routing_set(r, row, lid, s->out[(size_t)row * r->lids + over]);
    s->on[row] = false;
  }
}

static bool route_valiant(struct loom_routing *r, struct loom_routing_error *err) {
  size_t size = (size_t)r->switches * r->lids;
  struct loom_routing_target to;
  struct shortest s = {.out = malloc(size ? size : 1), .on = calloc(r->switches, sizeof *s.on)};
  bool ok = loom_routing_group(r, &s.lids) && s.out && s.on;
  if (ok)
    memcpy(s.out, r->out, size);
  for (uint32_t lid = 0; ok && lid < r->lids; lid++)
    if (loom_routing_find(r, lid, &to) && to.port && r->switches > 1)
      route_over(r, &s, lid, &to);
  loom_routing_ungroup(&s.lids);
  free(s.out);
  free(s.on);
  return ok || loom_routing_no_memory(err);
}

/* Up to four cables, which a switch cannot count by a path's class. */
static bool layer_valiant(struct loom_routing *r, enum loom_routing_avoid avoid,
                          struct loom_routing_error *err) {
  if (avoid == LOOM_ROUTING_AVOID_NONE)
    return true;
  if (avoid != LOOM_ROUTING_DATELINE_TURN)
    return loom_routing_fail(err, "only by turn do ways over another switch of a Slim Fly have "
                                  "layers");
  if (!loom_routing_layer_turns(r, 4))
    return loom_routing_no_memory(err);
  layer(r, r->turn, LOOM_ROUTING_KEEP, LOOM_ROUTING_NEXT);
  return true;
}

bool loom_routing_slimfly(struct loom_routing *r, const struct loom_routing_options *o,
                          struct loom_routing_error *err) {
  return loom_routing_minhop(r, err) && check(r, err) && layer_shortest(r, o->avoid, err);
}

bool loom_routing_slimfly_valiant(struct loom_routing *r, const struct loom_routing_options *o,
                                  struct loom_routing_error *err) {
  return loom_routing_minhop(r, err) && check(r, err) && route_valiant(r, err) &&
         layer_valiant(r, o->avoid, err);
}

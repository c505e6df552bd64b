/* SPDX-License-Identifier: Apache-2.0 */
/* engine_hdor.c - Hybrid-DOR: dimension order from router to router over the switch between them
 * (docs/route.md; KN-02, KN-06)
 *
 * Goals are routers. A switch's LID stands for its router of coordinate 0 until a switch or router
 * is reached that has the target itself at a port (KN-06).
 */
#include <stdlib.h>

#include "routing/engine.h"

struct hdor {
  struct loom_routing *r;
  struct loom_routing_kns kns;
};

static const uint32_t *coord(const struct hdor *h, uint32_t row) {
  return &h->kns.coord[(size_t)row * h->kns.n];
}

static bool is_router(const struct hdor *h, uint32_t row) {
  return h->kns.dim[row] == LOOM_TOPO_NONE;
}

/* Does a router's first wrong coordinate, or a switch's dimension, lead from `row` to `peer`? */
static bool leads(const struct hdor *h, uint32_t row, uint32_t peer, const uint32_t *goal) {
  uint32_t dim = 0;
  if (!is_router(h, row))
    return coord(h, peer)[h->kns.dim[row]] == goal[h->kns.dim[row]];
  while (dim + 1 < h->kns.n && coord(h, row)[dim] == goal[dim])
    dim++;
  return h->kns.dim[peer] == dim;
}

/* The ports of `row` towards a switch or router that is at one of them; else towards `goal`. */
static uint32_t find_ports(const struct hdor *h, uint32_t row, uint32_t target,
                           uint8_t port[LOOM_ROUTING_PORTS]) {
  uint32_t direct = 0;
  uint32_t count = 0;
  for (uint32_t p = 1; p <= loom_routing_ports(h->r, row); p++) {
    uint32_t peer = loom_routing_peer(h->r, row, p);
    if (peer == LOOM_TOPO_NONE)
      continue;
    if (peer == target && !direct)
      count = 0;
    direct |= peer == target;
    if (direct ? peer == target : leads(h, row, peer, coord(h, target)))
      port[count++] = (uint8_t)p;
  }
  return count;
}

/* Of parallel cables, LIDs take one after the other. */
static void route_row(struct hdor *h, uint32_t row, uint32_t target,
                      const struct loom_routing_lids *lids) {
  struct loom_routing_target to;
  uint8_t port[LOOM_ROUTING_PORTS];
  uint32_t count = row == target ? 0 : find_ports(h, row, target, port);
  for (uint32_t i = lids->first[target]; i < lids->first[target + 1]; i++) {
    uint32_t lid = lids->lid[i];
    if (row == target && loom_routing_find(h->r, lid, &to))
      loom_routing_set(h->r, row, lid, to.port);
    else if (count)
      loom_routing_set(h->r, row, lid, port[(i - lids->first[target]) % count]);
  }
}

bool loom_routing_hdor(struct loom_routing *r, struct loom_routing_error *err) {
  struct hdor h = {.r = r};
  struct loom_routing_lids lids;
  if (!loom_routing_kns_find(r, &h.kns, err))
    return false;
  bool ok = loom_routing_group(r, &lids) || loom_routing_no_memory(err);
  for (uint32_t target = 0; ok && target < r->switches; target++)
    for (uint32_t row = 0; row < r->switches; row++)
      route_row(&h, row, target, &lids);
  if (ok)
    loom_routing_ungroup(&lids);
  loom_routing_kns_free(&h.kns);
  return ok;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* engine_hdor.c - Hybrid-DOR: dimension order from router to router over the network between them
 * (docs/route.md; KN-01, KN-02, KN-06)
 *
 * Goals are routers. A switch's LID stands for the router of coordinate 0 at its network until a
 * router of this network is reached, which sends it there (KN-06).
 */
#include <stdlib.h>

#include "routing/engine.h"
#include "routing/kns_network.h"

struct hdor {
  struct loom_routing *r;
  struct loom_routing_kns kns;
  struct loom_routing_lids lids; /* at each router and switch */
};

static const uint32_t *coord(const struct hdor *h, uint32_t row) {
  return &h->kns.coord[(size_t)row * h->kns.n];
}

static bool is_router(const struct hdor *h, uint32_t row) {
  return h->kns.dim[row] == LOOM_TOPO_NONE;
}

/* ---- routers --------------------------------------------------------------------------------- */

/* The first dimension in which a router is not where `goal` is; the last if there is none. */
static uint32_t next_dim(const struct hdor *h, uint32_t row, const uint32_t *goal) {
  uint32_t dim = 0;
  while (dim + 1 < h->kns.n && coord(h, row)[dim] == goal[dim])
    dim++;
  return dim;
}

/* The ports of a router towards the network that the target is in, if it is at one of them; else
 * towards the network of the next dimension. */
static uint32_t find_ports(const struct hdor *h, uint32_t row, uint32_t target,
                           uint8_t port[LOOM_ROUTING_PORTS]) {
  uint32_t dim = next_dim(h, row, coord(h, target));
  uint32_t direct = 0;
  uint32_t count = 0;
  for (uint32_t p = 1; p <= loom_routing_ports(h->r, row); p++) {
    uint32_t peer = loom_routing_peer(h->r, row, p);
    if (peer == LOOM_TOPO_NONE)
      continue;
    bool there = h->kns.part[peer] == h->kns.part[target];
    if (there && !direct)
      count = 0;
    direct |= there;
    if (direct ? there : h->kns.dim[peer] == dim)
      port[count++] = (uint8_t)p;
  }
  return count;
}

/* Of parallel cables, LIDs take one after the other. */
static void route_router(struct hdor *h, uint32_t row, uint32_t target) {
  struct loom_routing_target to;
  uint8_t port[LOOM_ROUTING_PORTS];
  uint32_t count = row == target ? 0 : find_ports(h, row, target, port);
  for (uint32_t i = h->lids.first[target]; i < h->lids.first[target + 1]; i++) {
    uint32_t lid = h->lids.lid[i];
    if (row == target && loom_routing_find(h->r, lid, &to))
      loom_routing_set(h->r, row, lid, to.port);
    else if (count)
      loom_routing_set(h->r, row, lid, port[(i - h->lids.first[target]) % count]);
  }
}

/* ---- networks -------------------------------------------------------------------------------- */

/* What LID number i at the target is in a network: that of a switch if the target is in it; else of
 * a cable to the router that has the target's coordinate, of parallel ones one after the other. */
static uint32_t lid_in(const struct hdor *h, const struct loom_routing_network *n, uint32_t first,
                       uint32_t target, uint32_t i) {
  if (h->kns.part[target] == first) {
    uint32_t row = 0;
    while (n->row[row] != target)
      row++;
    return loom_routing_switch_lid(n->routing, row);
  }
  uint32_t router = coord(h, target)[h->kns.dim[first]];
  uint32_t cables = n->topo->device[router].ports;
  return loom_topo_lid(n->topo, router, i % cables + 1);
}

static bool route_network(struct hdor *h, uint32_t first, struct loom_routing_error *err) {
  struct loom_routing_network n;
  if (!loom_routing_network_make(&n, h->r, &h->kns, first, err))
    return false;
  for (uint32_t target = 0; target < h->r->switches; target++)
    for (uint32_t i = h->lids.first[target]; i < h->lids.first[target + 1]; i++) {
      uint32_t lid = lid_in(h, &n, first, target, i - h->lids.first[target]);
      for (uint32_t row = 0; row < n.routing->switches; row++)
        loom_routing_set(h->r, n.row[row], h->lids.lid[i], loom_routing_out(n.routing, row, lid));
    }
  loom_routing_network_free(&n);
  return true;
}

static bool route(struct hdor *h, struct loom_routing_error *err) {
  for (uint32_t row = 0; row < h->r->switches; row++) {
    bool router = is_router(h, row);
    for (uint32_t target = 0; router && target < h->r->switches; target++)
      route_router(h, row, target);
    if (!router && h->kns.part[row] == row && !route_network(h, row, err))
      return false;
  }
  return true;
}

/* ---- VLs ------------------------------------------------------------------------------------- */

/* By LID at each router: the sum of its coordinates, and on by one for each LID of a host. */
static void class_router(struct hdor *h, uint32_t router, uint32_t vls) {
  uint32_t class = 0;
  for (uint32_t d = 0; d < h->kns.n; d++)
    class += coord(h, router)[d];
  for (uint32_t i = h->lids.first[router]; i < h->lids.first[router + 1]; i++) {
    uint32_t lid = h->lids.lid[i];
    if (h->r->row_of[lid] != LOOM_TOPO_NONE)
      continue;
    for (uint32_t e = 0; e < h->r->ends; e++)
      h->r->path[(size_t)e * h->r->lids + lid] = (uint8_t)(class % vls);
    class ++;
  }
}

static bool spread(struct hdor *h, uint32_t vls, struct loom_routing_error *err) {
  if (vls < 2)
    return true;
  if (!loom_routing_layer_paths(h->r, vls, vls))
    return loom_routing_no_memory(err);
  for (uint32_t row = 0; row < h->r->switches; row++)
    if (is_router(h, row))
      class_router(h, row, vls);
  return true;
}

bool loom_routing_hdor(struct loom_routing *r, const struct loom_routing_options *o,
                       struct loom_routing_error *err) {
  struct hdor h = {.r = r};
  if (!loom_routing_kns_find(r, &h.kns, err))
    return false;
  bool ok = loom_routing_group(r, &h.lids) || loom_routing_no_memory(err);
  if (ok) {
    ok = route(&h, err) && spread(&h, o->vls, err);
    loom_routing_ungroup(&h.lids);
  }
  loom_routing_kns_free(&h.kns);
  return ok;
}

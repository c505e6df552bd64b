/* SPDX-License-Identifier: Apache-2.0 */
#include "routing/kns_network.h"

#include <stdlib.h>

#include "routing/engine.h"

struct builder {
  struct loom_routing_network *n;
  const struct loom_routing *r;
  const struct loom_routing_kns *kns;
  uint32_t first;
  uint32_t *cables; /* of each router */
  uint32_t *device; /* by row: here */
};

static bool belongs(const struct builder *b, uint32_t row) { return b->kns->part[row] == b->first; }

/* The device that a router is. */
static uint32_t device_of(const struct builder *b, uint32_t router) {
  return b->kns->coord[(size_t)router * b->kns->n + b->kns->dim[b->first]];
}

static bool is_router(const struct builder *b, uint32_t row) {
  return row != LOOM_TOPO_NONE && b->kns->dim[row] == LOOM_TOPO_NONE;
}

/* Its switches, the ports of them and of the routers, with port 0. */
static uint32_t count(struct builder *b, uint32_t *ports) {
  uint32_t switches = 0;
  *ports = b->kns->k;
  for (uint32_t row = 0; row < b->r->switches; row++) {
    if (!belongs(b, row))
      continue;
    switches++;
    *ports += loom_routing_ports(b->r, row) + 1;
    for (uint32_t p = 1; p <= loom_routing_ports(b->r, row); p++) {
      uint32_t peer = loom_routing_peer(b->r, row, p);
      if (!is_router(b, peer))
        continue;
      b->cables[device_of(b, peer)]++;
      ++*ports;
    }
  }
  return switches;
}

static void add_devices(struct builder *b) {
  for (uint32_t i = 0; i < b->kns->k; i++) {
    loom_topo_add(b->n->topo, LOOM_TOPO_HCA, b->cables[i], "%u", (unsigned)i);
    b->cables[i] = 0;
  }
  uint32_t row_here = 0;
  for (uint32_t row = 0; row < b->r->switches; row++)
    if (belongs(b, row)) {
      b->device[row] = loom_topo_add(b->n->topo, LOOM_TOPO_SWITCH, loom_routing_ports(b->r, row),
                                     "%s", loom_routing_name(b->r, row));
      b->n->row[row_here++] = row;
    }
}

/* Cables between switches are met twice. */
static void add_cables(struct builder *b, uint32_t row) {
  for (uint32_t p = 1; p <= loom_routing_ports(b->r, row); p++) {
    uint32_t peer = loom_routing_peer(b->r, row, p);
    if (is_router(b, peer)) {
      uint32_t router = device_of(b, peer);
      loom_topo_connect(b->n->topo, router, ++b->cables[router], b->device[row], p);
    } else if (peer != LOOM_TOPO_NONE && peer > row) {
      loom_topo_connect(b->n->topo, b->device[row], p, b->device[peer],
                        loom_routing_port(b->r, row, p)->port);
    }
  }
}

static bool build(struct builder *b) {
  uint32_t ports = 0;
  uint32_t switches = count(b, &ports);
  b->n->topo = loom_topo_create(b->kns->k + switches, ports);
  b->n->row = calloc(switches, sizeof *b->n->row);
  if (!b->n->topo || !b->n->row)
    return false;
  add_devices(b);
  for (uint32_t i = 0; i < switches; i++)
    add_cables(b, b->n->row[i]);
  loom_topo_number(b->n->topo);
  return true;
}

bool loom_routing_network_make(struct loom_routing_network *n, const struct loom_routing *r,
                               const struct loom_routing_kns *kns, uint32_t first,
                               struct loom_routing_error *err) {
  struct builder b = {.n = n, .r = r, .kns = kns, .first = first};
  const struct loom_routing_options options = {.lmc = 0};
  *n = (struct loom_routing_network){.topo = NULL};
  b.cables = calloc(kns->k, sizeof *b.cables);
  b.device = calloc(r->switches, sizeof *b.device);
  bool ok = (b.cables && b.device && build(&b)) || loom_routing_no_memory(err);
  free(b.cables);
  free(b.device);
  if (ok)
    n->routing = loom_routing_make(n->topo, LOOM_ROUTING_FTREE, &options, err);
  if (!n->routing)
    loom_routing_network_free(n);
  return n->routing != NULL;
}

void loom_routing_network_free(struct loom_routing_network *n) {
  loom_routing_destroy(n->routing);
  loom_topo_destroy(n->topo);
  free(n->row);
  *n = (struct loom_routing_network){.topo = NULL};
}

/* ---- where switches stand -------------------------------------------------------------------- */

static bool find_levels(const struct loom_routing_network *n, struct loom_routing_kns *kns,
                        struct loom_routing_error *err) {
  uint32_t rows = n->routing->switches;
  uint32_t *here = calloc(rows, sizeof *here);
  bool ok = here || loom_routing_no_memory(err);
  ok = ok && loom_routing_levels(n->routing, here, err);
  for (uint32_t i = 0; ok && i < rows; i++) {
    kns->level[n->row[i]] = here[i];
    for (uint32_t j = 0; j < i; j++)
      kns->place[n->row[i]] += here[j] == here[i];
  }
  free(here);
  return ok;
}

bool loom_routing_kns_levels(const struct loom_routing *r, struct loom_routing_kns *kns,
                             struct loom_routing_error *err) {
  kns->level = calloc(r->switches, sizeof *kns->level);
  kns->place = calloc(r->switches, sizeof *kns->place);
  bool ok = (kns->level && kns->place) || loom_routing_no_memory(err);
  for (uint32_t row = 0; ok && row < r->switches; row++) {
    struct loom_routing_network n;
    if (kns->dim[row] == LOOM_TOPO_NONE || kns->part[row] != row)
      continue;
    ok = loom_routing_network_make(&n, r, kns, row, err);
    if (!ok)
      break;
    ok = find_levels(&n, kns, err);
    loom_routing_network_free(&n);
  }
  return ok;
}

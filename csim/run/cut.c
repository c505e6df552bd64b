/* SPDX-License-Identifier: Apache-2.0 */
/* cut.c - which rank has which device of a fabric (docs/ranks.md#the-cut) */
#include "run/cut.h"

#include <stdlib.h>

#include "topo/topo.h"

enum { FINE = 1 << 10 }; /* parts of the place of a host */

/* A device of the present layer. */
struct placed {
  uint64_t place; /* of its neighbours in the layer before, on average */
  uint32_t device;
};

struct cutting {
  const struct loom_topo *topo;
  uint32_t ranks;
  uint32_t *rank;      /* by device */
  uint32_t *layer;     /* the same: 0 hosts, LOOM_TOPO_NONE: none yet */
  uint64_t *place;     /* the same */
  struct placed *list; /* of the present layer */
  uint32_t count;
};

static int by_place(const void *a, const void *b) {
  const struct placed *x = a, *y = b;
  if (x->place != y->place)
    return x->place < y->place ? -1 : 1;
  return (x->device > y->device) - (x->device < y->device);
}

static void add_hosts(struct cutting *c, const struct loom_plan *plan) {
  for (uint32_t h = 0; h < plan->hosts; h++) {
    c->layer[plan->host[h].device] = 0;
    c->place[plan->host[h].device] = (uint64_t)h * FINE;
  }
}

/* The neighbours of a device in a layer; the sum of their places. */
static uint32_t neighbours(const struct cutting *c, uint32_t device, uint32_t layer,
                           uint64_t *sum) {
  uint32_t count = 0;
  *sum = 0;
  for (uint32_t port = 1; port <= c->topo->device[device].ports; port++) {
    uint32_t far = loom_topo_port(c->topo, device, port)->device;
    if (far == LOOM_TOPO_NONE || c->layer[far] != layer)
      continue;
    *sum += c->place[far];
    count++;
  }
  return count;
}

/* The devices next to a layer that are in none yet, in the order of their places. */
static void list_next(struct cutting *c, uint32_t layer) {
  c->count = 0;
  for (uint32_t d = 0; d < c->topo->devices; d++) {
    uint64_t sum;
    uint32_t count = c->layer[d] == LOOM_TOPO_NONE ? neighbours(c, d, layer, &sum) : 0;
    if (count)
      c->list[c->count++] = (struct placed){sum / count, d};
  }
  if (c->count)
    qsort(c->list, c->count, sizeof *c->list, by_place);
}

/* Equal parts of the list to the ranks. */
static void deal(struct cutting *c, uint32_t layer) {
  for (uint32_t i = 0; i < c->count; i++) {
    uint32_t d = c->list[i].device;
    c->layer[d] = layer;
    c->place[d] = c->list[i].place;
    c->rank[d] = (uint32_t)((uint64_t)i * c->ranks / c->count);
  }
}

/* A host stands with the switch at its first port. */
static void follow(struct cutting *c, const struct loom_plan *plan) {
  for (uint32_t h = 0; h < plan->hosts; h++) {
    const struct loom_plan_host *host = &plan->host[h];
    uint32_t far = loom_topo_port(c->topo, host->device, host->port)->device;
    c->rank[host->device] = far == LOOM_TOPO_NONE ? 0 : c->rank[far];
  }
}

static void cut(struct cutting *c, const struct loom_plan *plan) {
  uint32_t layer = 0;
  for (uint32_t d = 0; d < c->topo->devices; d++) {
    c->rank[d] = 0;
    c->layer[d] = LOOM_TOPO_NONE;
  }
  add_hosts(c, plan);
  do {
    list_next(c, layer);
    deal(c, ++layer);
  } while (c->count);
  follow(c, plan);
}

bool loom_cut(const struct loom_plan *plan, uint32_t ranks, uint32_t *rank) {
  const struct loom_topo *t = plan->topo;
  struct cutting c = {.topo = t, .ranks = ranks, .rank = rank};
  c.layer = calloc((size_t)t->devices + 1, sizeof *c.layer);
  c.place = calloc((size_t)t->devices + 1, sizeof *c.place);
  c.list = calloc((size_t)t->devices + 1, sizeof *c.list);
  bool ok = c.layer && c.place && c.list;
  if (ok)
    cut(&c, plan);
  free(c.layer);
  free(c.place);
  free(c.list);
  return ok;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* bisect.c - effective bisection bandwidth, flow by flow (docs/route.md; KN-09) */
#include <loom/random.h>
#include <stdlib.h>
#include <string.h>

#include "routing/check.h"
#include "routing/engine.h"

struct flow {
  uint32_t from; /* end */
  uint32_t lid;
};

struct matching {
  const struct loom_routing *r;
  uint32_t *order; /* ends */
  struct flow *flow;
  uint32_t flows;
  uint32_t *load; /* [row * ports + port]: flows that leave there */
  uint32_t *row;  /* a way */
  uint8_t *port;
  uint32_t rate_max; /* of a host's cable, Mb/s; 0: no rate is known */
};

static void matching_free(struct matching *m) {
  free(m->order);
  free(m->flow);
  free(m->load);
  free(m->row);
  free(m->port);
}

static uint32_t fastest_host(const struct loom_routing *r) {
  uint32_t max = 0;
  for (uint32_t e = 0; e < r->ends; e++) {
    uint32_t rate = loom_topo_rate(r->topo, r->end[e].device, r->end[e].port);
    bool host = loom_topo_is_host(r->topo, r->end[e].device);
    max = host && rate > max ? rate : max;
  }
  return max;
}

static bool matching_make(struct matching *m, const struct loom_routing *r) {
  *m = (struct matching){.r = r};
  m->order = calloc(r->ends, sizeof *m->order);
  m->flow = calloc(r->ends, sizeof *m->flow);
  m->load = calloc((size_t)r->switches * r->ports, sizeof *m->load);
  m->row = calloc(r->switches, sizeof *m->row);
  m->port = calloc(r->switches, 1);
  return m->order && m->flow && m->load && m->row && m->port;
}

/* How much slower than the fastest host's cable a cable is; 1 if nobody says. */
static double slowness(const struct matching *m, uint32_t d, uint32_t port) {
  uint32_t rate = m->rate_max ? loom_topo_rate(m->r->topo, d, port) : 0;
  return rate ? (double)m->rate_max / rate : 1;
}

static void add_flow(struct matching *m, uint32_t from, uint32_t to, uint64_t *seed) {
  uint32_t lid = m->r->end[to].lid + loom_below(seed, 1u << m->r->lmc);
  m->flow[m->flows++] = (struct flow){.from = from, .lid = lid};
}

/* The first half of a random order sends to the second. */
static void draw(struct matching *m, enum loom_routing_match match, uint64_t *seed) {
  uint32_t n = 0;
  m->flows = 0;
  for (uint32_t i = 0; i < m->r->ends; i++) {
    if (!loom_topo_is_host(m->r->topo, m->r->end[i].device))
      continue;
    uint32_t j = loom_below(seed, n + 1);
    m->order[n++] = m->order[j];
    m->order[j] = i;
  }
  for (uint32_t i = 0; i < n / 2; i++) {
    add_flow(m, m->order[i], m->order[n / 2 + i], seed);
    if (match == LOOM_ROUTING_EXCHANGE)
      add_flow(m, m->order[n / 2 + i], m->order[i], seed);
  }
}

static uint32_t *load_of(const struct matching *m, uint32_t step) {
  return &m->load[(size_t)m->row[step] * m->r->ports + m->port[step]];
}

static double measure(struct matching *m) {
  double sum = 0;
  memset(m->load, 0, (size_t)m->r->switches * m->r->ports * sizeof *m->load);
  for (uint32_t i = 0; i < m->flows; i++) {
    uint32_t steps = loom_routing_walk(m->r, m->flow[i].from, m->flow[i].lid, m->row, m->port);
    for (uint32_t j = 0; j < steps; j++)
      ++*load_of(m, j);
  }
  for (uint32_t i = 0; i < m->flows; i++) {
    const struct loom_routing_end *from = &m->r->end[m->flow[i].from];
    double most = slowness(m, from->device, from->port);
    uint32_t steps = loom_routing_walk(m->r, m->flow[i].from, m->flow[i].lid, m->row, m->port);
    for (uint32_t j = 0; j < steps; j++) {
      double load = *load_of(m, j) * slowness(m, m->r->device[m->row[j]], m->port[j]);
      most = load > most ? load : most;
    }
    sum += steps ? 1 / most : 0;
  }
  return m->flows ? sum / m->flows : 0;
}

double loom_routing_bisection(const struct loom_routing *r, enum loom_routing_match match,
                              uint32_t samples, uint64_t seed) {
  struct matching m;
  double sum = -1;
  if (matching_make(&m, r)) {
    m.rate_max = fastest_host(r);
    sum = 0;
    for (uint32_t i = 0; i < samples; i++) {
      draw(&m, match, &seed);
      sum += measure(&m);
    }
  }
  matching_free(&m);
  return samples && sum > 0 ? sum / samples : sum;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* check.c - all to all: reach, links, loads (docs/route.md; KN-03, GV-7) */
#include "routing/check.h"

#include <stdlib.h>
#include <string.h>

#include "routing/engine.h"

#define ON_WAY (UINT32_MAX - 1) /* seen while a way is followed */

struct survey {
  const struct loom_routing *r;
  struct loom_routing_report *report;
  uint32_t *leaf;     /* by end: row, LOOM_TOPO_NONE: an HCA is at the other end */
  uint32_t *part;     /* by end: which connected part of the fabric it is in */
  uint32_t *distance; /* by row: links to the LID, the host's counted; LOOM_TOPO_NONE: none */
  uint32_t *stack;
  uint32_t *by_distance; /* rows */
  uint32_t *count;       /* by distance: rows */
  uint64_t *flow;        /* by row: pairs that pass */
};

static void survey_free(struct survey *s) {
  free(s->leaf);
  free(s->part);
  free(s->distance);
  free(s->stack);
  free(s->by_distance);
  free(s->count);
  free(s->flow);
}

static bool survey_make(struct survey *s, const struct loom_routing *r,
                        struct loom_routing_report *report) {
  *s = (struct survey){.r = r, .report = report};
  *report = (struct loom_routing_report){.hops_max = 0};
  s->leaf = calloc(r->ends, sizeof *s->leaf);
  s->part = calloc(r->ends, sizeof *s->part);
  s->distance = calloc(r->switches, sizeof *s->distance);
  s->stack = calloc(r->switches, sizeof *s->stack);
  s->by_distance = calloc(r->switches, sizeof *s->by_distance);
  s->count = calloc((size_t)r->switches + 2, sizeof *s->count);
  s->flow = calloc(r->switches, sizeof *s->flow);
  report->hops = calloc((size_t)r->switches + 3, sizeof *report->hops);
  report->load = calloc((size_t)r->switches * r->ports, sizeof *report->load);
  return s->leaf && s->part && s->distance && s->stack && s->by_distance && s->count && s->flow &&
         report->hops && report->load;
}

/* ---- which ports are connected --------------------------------------------------------------- */

static void find_parts(struct survey *s) {
  const struct loom_routing *r = s->r;
  loom_routing_parts(r, NULL, s->by_distance, s->stack);
  for (uint32_t e = 0; e < r->ends; e++) {
    const struct loom_routing_end *end = &r->end[e];
    uint32_t peer = loom_topo_port(r->topo, end->device, end->port)->device;
    uint32_t lower = peer < end->device ? peer : end->device;
    s->leaf[e] = loom_routing_leaf(r, e);
    /* Two HCAs at one cable are a part of their own, numbered above the rows. */
    s->part[e] = s->leaf[e] != LOOM_TOPO_NONE ? s->by_distance[s->leaf[e]] : r->switches + lower;
  }
}

/* Ends `a` and `b` should reach each other: they are of two hosts, neither an aggregation node, and
 * connected or the only hope. */
static bool is_pair(const struct survey *s, uint32_t a, uint32_t b) {
  const struct loom_routing_end *end = s->r->end;
  if (end[a].device == end[b].device || !loom_topo_is_host(s->r->topo, end[a].device) ||
      !loom_topo_is_host(s->r->topo, end[b].device))
    return false;
  if (s->part[a] == s->part[b])
    return true;
  uint32_t first = a;
  while (first && end[first - 1].device == end[a].device)
    first--;
  for (; first < s->r->ends && end[first].device == end[a].device; first++)
    if (s->part[first] == s->part[b])
      return false;
  return true;
}

/* ---- one LID --------------------------------------------------------------------------------- */

/* Where a switch sends a LID: its next switch; LOOM_TOPO_NONE: out of the fabric, *arrived says
 * whether to the right place. */
static uint32_t next_of(const struct loom_routing *r, uint32_t row, uint32_t lid, bool *arrived) {
  uint32_t port = loom_routing_out(r, row, lid);
  *arrived = false;
  if (port == LOOM_ROUTING_UNREACHABLE)
    return LOOM_TOPO_NONE;
  if (!port) {
    *arrived = r->row_of[lid] == row;
    return LOOM_TOPO_NONE;
  }
  const struct loom_topo_port *near = loom_routing_port(r, row, port);
  if (near->device == LOOM_TOPO_NONE || r->row[near->device] != LOOM_TOPO_NONE)
    return near->device == LOOM_TOPO_NONE ? LOOM_TOPO_NONE : r->row[near->device];
  uint32_t end = r->end_of[lid];
  *arrived =
      end != LOOM_TOPO_NONE && r->end[end].device == near->device && r->end[end].port == near->port;
  return LOOM_TOPO_NONE;
}

/* Distance of a switch that is not known yet, and of all on its way. */
static void follow(struct survey *s, uint32_t row, uint32_t lid) {
  uint32_t depth = 0;
  bool arrived = false;
  uint32_t at = row;
  while (at != LOOM_TOPO_NONE && !s->distance[at]) {
    s->distance[at] = ON_WAY;
    s->stack[depth++] = at;
    at = next_of(s->r, at, lid, &arrived);
  }
  uint32_t distance = arrived ? 0 : LOOM_TOPO_NONE;
  if (at != LOOM_TOPO_NONE && s->distance[at] < ON_WAY)
    distance = s->distance[at];
  while (depth)
    s->distance[s->stack[--depth]] = distance == LOOM_TOPO_NONE ? distance : ++distance;
}

/* Counts a pair at the cables that its flow takes. */
static void count_flow(struct survey *s, uint32_t end, uint32_t lid) {
  const struct loom_routing *r = s->r;
  for (uint32_t row = s->leaf[end]; s->distance[row] > 1;) {
    uint32_t port = loom_routing_member_of(r, row, loom_routing_out(r, row, lid), end, lid);
    s->report->load[(size_t)row * r->ports + port]++;
    row = loom_routing_peer(r, row, port);
  }
}

/* Counts the pairs with this LID; those that arrive become flows at their leaves. */
static void count_pairs(struct survey *s, uint32_t lid) {
  struct loom_routing_report *report = s->report;
  uint32_t to = s->r->end_of[lid];
  for (uint32_t e = 0; e < s->r->ends; e++) {
    if (!is_pair(s, e, to))
      continue;
    report->pairs++;
    uint32_t leaf = s->leaf[e];
    bool direct = leaf == LOOM_TOPO_NONE && s->part[e] == s->part[to];
    uint32_t links = direct ? 1 : LOOM_TOPO_NONE;
    if (leaf != LOOM_TOPO_NONE && s->distance[leaf] != LOOM_TOPO_NONE)
      links = s->distance[leaf] + 1;
    if (links == LOOM_TOPO_NONE) {
      report->unreachable++;
      report->bad_end = e;
      report->bad_lid = lid;
      continue;
    }
    report->hops[links]++;
    if (links > report->hops_max)
      report->hops_max = links;
    if (!direct && s->r->trunk == LOOM_ROUTING_TRUNK_FLOW)
      count_flow(s, e, lid);
    else if (!direct)
      s->flow[leaf]++;
  }
}

/* Sorts the rows that arrive by distance; how many. */
static uint32_t sort_rows(struct survey *s) {
  uint32_t rows = 0;
  memset(s->count, 0, ((size_t)s->r->switches + 2) * sizeof *s->count);
  for (uint32_t row = 0; row < s->r->switches; row++)
    if (s->distance[row] != LOOM_TOPO_NONE) {
      s->count[s->distance[row] + 1]++;
      rows++;
    }
  for (uint32_t i = 1; i < s->r->switches + 2; i++)
    s->count[i] += s->count[i - 1];
  for (uint32_t row = 0; row < s->r->switches; row++)
    if (s->distance[row] != LOOM_TOPO_NONE)
      s->by_distance[s->count[s->distance[row]]++] = row;
  return rows;
}

/* Passes flows on, from the farthest switches. */
static void pass_flows(struct survey *s, uint32_t lid) {
  for (uint32_t i = sort_rows(s); i--;) {
    uint32_t row = s->by_distance[i];
    uint32_t port = loom_routing_out(s->r, row, lid);
    uint32_t next = s->distance[row] > 1 ? loom_routing_peer(s->r, row, port) : LOOM_TOPO_NONE;
    if (next != LOOM_TOPO_NONE) {
      s->report->load[(size_t)row * s->r->ports + port] += s->flow[row];
      s->flow[next] += s->flow[row];
    }
    s->flow[row] = 0;
  }
}

/* A packet arrives from where the other port leads, if there is one. */
static bool arrives_otherwise(const struct survey *s, uint32_t row, uint32_t lid) {
  uint32_t port = loom_routing_other(s->r, row, lid);
  uint32_t peer = port ? loom_routing_peer(s->r, row, port) : row;
  return peer != LOOM_TOPO_NONE && s->distance[peer] != LOOM_TOPO_NONE;
}

static void survey_lid(struct survey *s, uint32_t lid) {
  memset(s->distance, 0, s->r->switches * sizeof *s->distance);
  for (uint32_t row = 0; row < s->r->switches; row++)
    if (!s->distance[row])
      follow(s, row, lid);
  for (uint32_t row = 0; s->r->other && row < s->r->switches; row++)
    if (!arrives_otherwise(s, row, lid))
      s->distance[row] = LOOM_TOPO_NONE;
  count_pairs(s, lid);
  pass_flows(s, lid);
}

/* By load each cable of a trunk gets its part, as far as flows are whole. */
static void spread(struct survey *s) {
  const struct loom_routing *r = s->r;
  uint8_t list[LOOM_ROUTING_PORTS];
  for (uint32_t row = 0; row < r->switches; row++)
    for (uint32_t port = 1; port <= loom_routing_ports(r, row); port++) {
      uint64_t *load = &s->report->load[(size_t)row * r->ports], sum = 0;
      uint32_t count = loom_routing_members(r, row, port, list);
      if (list[0] != port)
        continue;
      for (uint32_t i = 0; i < count; i++)
        sum += load[list[i]];
      for (uint32_t i = 0; i < count; i++)
        load[list[i]] = sum / count + (i < sum % count);
    }
}

bool loom_routing_check(const struct loom_routing *r, struct loom_routing_report *report) {
  struct survey s;
  bool ok = survey_make(&s, r, report);
  if (ok)
    find_parts(&s);
  for (uint32_t lid = 0; ok && lid < r->lids; lid++)
    if (r->end_of[lid] != LOOM_TOPO_NONE)
      survey_lid(&s, lid);
  if (ok && r->trunk == LOOM_ROUTING_TRUNK_LOAD)
    spread(&s);
  for (size_t i = 0; ok && i < (size_t)r->switches * r->ports; i++)
    if (report->load[i] > report->load_max)
      report->load_max = report->load[i];
  survey_free(&s);
  if (!ok)
    loom_routing_report_free(report);
  return ok;
}

void loom_routing_report_free(struct loom_routing_report *report) {
  free(report->hops);
  free(report->load);
  report->hops = NULL;
  report->load = NULL;
}

uint32_t loom_routing_walk(const struct loom_routing *r, uint32_t end, uint32_t lid, uint32_t *row,
                           uint8_t *port) {
  bool arrived = false;
  uint32_t steps = 0;
  uint32_t at = loom_routing_leaf(r, end);
  while (at != LOOM_TOPO_NONE && steps < r->switches) {
    row[steps] = at;
    port[steps++] = (uint8_t)loom_routing_member_of(r, at, loom_routing_out(r, at, lid), end, lid);
    at = next_of(r, at, lid, &arrived);
  }
  return arrived ? steps : 0;
}

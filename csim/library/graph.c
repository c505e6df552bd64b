/* SPDX-License-Identifier: Apache-2.0 */
/* graph.c - topologies and routings for programs, which do not see the structs */
#include "routing/check.h"
#include "routing/routing.h"
#include "topo/topo.h"

/* ---- topologies ------------------------------------------------------------------------------ */

uint32_t loom_topo_devices(const struct loom_topo *t) { return t->devices; }

const char *loom_topo_name_of(const struct loom_topo *t, uint32_t d) { return t->device[d].name; }

enum loom_topo_kind loom_topo_kind_of(const struct loom_topo *t, uint32_t d) {
  return t->device[d].kind;
}

uint32_t loom_topo_ports_of(const struct loom_topo *t, uint32_t d) { return t->device[d].ports; }

uint32_t loom_topo_lid_of(const struct loom_topo *t, uint32_t d, uint32_t port) {
  return port <= t->device[d].ports ? loom_topo_lid(t, d, port) : 0;
}

bool loom_topo_peer(const struct loom_topo *t, uint32_t d, uint32_t port, uint32_t *e,
                    uint32_t *peer) {
  if (port > t->device[d].ports)
    return false;
  const struct loom_topo_port *p = loom_topo_port(t, d, port);
  if (p->device == LOOM_TOPO_NONE)
    return false;
  *e = p->device;
  *peer = p->port;
  return true;
}

/* ---- routings -------------------------------------------------------------------------------- */

uint32_t loom_routing_port_to(const struct loom_routing *r, uint32_t device, uint32_t lid) {
  if (device >= r->topo->devices || r->row[device] == LOOM_TOPO_NONE || lid >= r->lids)
    return LOOM_ROUTING_UNREACHABLE;
  return loom_routing_out(r, r->row[device], lid);
}

uint32_t loom_routing_layers(const struct loom_routing *r) { return r->layers; }

static double mean_hops(const struct loom_routing_report *report) {
  double pairs = 0, hops = 0;
  for (uint32_t i = 0; i <= report->hops_max; i++) {
    pairs += (double)report->hops[i];
    hops += (double)i * (double)report->hops[i];
  }
  return pairs > 0 ? hops / pairs : 0;
}

bool loom_routing_judge(const struct loom_routing *r, struct loom_routing_worth *worth) {
  struct loom_routing_report report;
  struct loom_routing_cycle cycle;
  if (!loom_routing_check(r, &report))
    return false;
  *worth = (struct loom_routing_worth){.pairs = report.pairs,
                                       .unreachable = report.unreachable,
                                       .hops_mean = mean_hops(&report),
                                       .load_max = report.load_max};
  loom_routing_report_free(&report);
  if (!loom_routing_find_cycle(r, &cycle))
    return false;
  worth->may_deadlock = cycle.channels != 0;
  loom_routing_cycle_free(&cycle);
  return true;
}

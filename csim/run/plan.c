/* SPDX-License-Identifier: Apache-2.0 */
#include "run/plan.h"

#include <inttypes.h>
#include <loom/bits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fabric/preempt_class.h"
#include "io/net_fabric.h"
#include "io/read_lfts.h"
#include "io/read_path_records.h"
#include "io/streams.h"
#include "routing/check.h"
#include "run/collectives.h"
#include "run/elite5_fabric.h"

enum { PORTS_MAX = 48, FAR_MAX = 4095, SHOWN = 12, LIDS_MAX = 65536 };

static bool bad(struct loom_plan_error *err, const char *key, const char *text) {
  return loom_plan_fail(err, LOOM_EXIT_BAD_INPUT, key, "%s", text);
}

/* ---- topology -------------------------------------------------------------------------------- */

static bool make_topo(struct loom_plan *p, struct loom_plan_error *err) {
  const struct loom_spec *s = p->spec;
  const char *number = NULL;
  char key[40];
  p->own_topo = s->shape.kind != LOOM_SHAPE_FILE;
  p->topo = p->own_topo ? loom_shape_make(&s->shape, &number) : s->topo;
  if (p->topo)
    return true;
  snprintf(key, sizeof key, "topology%s%s", number ? "." : "", number ? number : "");
  char why[LOOM_SHAPE_WHY];
  loom_shape_why(&s->shape, why);
  return bad(err, key, number ? why : "too large, or out of memory");
}

static uint32_t ports_in_use(const struct loom_topo *t, uint32_t d) {
  uint32_t highest = 0;
  for (uint32_t port = 1; port <= t->device[d].ports; port++)
    if (loom_topo_port(t, d, port)->device != LOOM_TOPO_NONE)
      highest = port;
  return highest;
}

/* All switches, and as many ports as the largest of them needs. */
static bool find_switches(struct loom_plan *p, struct loom_plan_error *err) {
  const struct loom_topo *t = p->topo;
  p->row = calloc(t->devices, sizeof *p->row);
  if (!p->row)
    return loom_plan_no_memory(err);
  for (uint32_t d = 0; d < t->devices; d++) {
    if (t->device[d].kind != LOOM_TOPO_SWITCH)
      continue;
    p->row[p->switches++] = d;
    p->ports = loom_max(p->ports, ports_in_use(t, d));
  }
  if (p->ports > PORTS_MAX)
    return loom_plan_fail(err, LOOM_EXIT_BAD_INPUT, "topology",
                          "a switch needs %u ports, the devices have %d at most",
                          (unsigned)p->ports, PORTS_MAX);
  p->ports = loom_max(p->ports, 2);
  return p->switches || bad(err, "topology", "there is no switch");
}

/* ---- routing --------------------------------------------------------------------------------- */

static bool find_roots(const struct loom_plan *p, uint32_t *device, struct loom_plan_error *err) {
  const struct loom_spec *s = p->spec;
  for (uint32_t i = 0; i < s->roots; i++) {
    uint32_t d = 0;
    while (d < p->topo->devices && strcmp(p->topo->device[d].name, s->root[i]) != 0)
      d++;
    if (d == p->topo->devices || p->topo->device[d].kind != LOOM_TOPO_SWITCH)
      return loom_plan_fail(err, LOOM_EXIT_BAD_INPUT, "routing.roots", "no switch is called `%s`",
                            s->root[i]);
    device[i] = d;
  }
  return true;
}

static bool run_engine(struct loom_plan *p, struct loom_plan_error *err) {
  const struct loom_spec *s = p->spec;
  struct loom_routing_error why = {""};
  uint32_t *root = calloc((size_t)s->roots + 1, sizeof *root);
  const struct loom_routing_options options = {.lmc = s->lmc,
                                               .avoid = s->avoid,
                                               .ties = s->ties,
                                               .vls = s->routing_vls,
                                               .cover = s->cover,
                                               .root = s->roots ? root : NULL,
                                               .roots = s->roots,
                                               .choose = s->choose,
                                               .trunk = s->trunk};
  bool ok = root ? find_roots(p, root, err) : loom_plan_no_memory(err);
  if (ok) {
    p->routing = loom_routing_make(p->topo, s->engine, &options, &why);
    ok = p->routing != NULL;
    if (!ok)
      bad(err, "routing.engine", why.text);
  }
  free(root);
  return ok;
}

static bool take_lfts(void *what, const struct loom_source *src, struct loom_error *err) {
  struct loom_plan *p = what;
  p->routing = loom_read_lfts(src, p->topo, p->spec->lmc, err);
  return p->routing != NULL;
}

static bool take_path_records(void *what, const struct loom_source *src, struct loom_error *err) {
  struct loom_plan *p = what;
  return loom_read_path_records(src, p->routing, err);
}

static bool read_tables(struct loom_plan *p, struct loom_plan_error *err) {
  const struct loom_spec *s = p->spec;
  err->status = LOOM_EXIT_BAD_INPUT;
  if (!loom_spec_read(s, s->lfts, true, take_lfts, p, &err->file) ||
      (s->path_records[0] &&
       !loom_spec_read(s, s->path_records, true, take_path_records, p, &err->file)))
    return false;
  struct loom_routing_error why = {""};
  return loom_routing_choose_trunk(p->routing, s->trunk, &why) ||
         bad(err, "routing.trunk", why.text);
}

/* Pairs of hosts of two devices, a host's LIDs counted. */
static uint64_t all_pairs(const struct loom_routing *r) {
  uint64_t pairs = 0;
  for (uint32_t first = 0, next = 0; first < r->ends; first = next) {
    while (next < r->ends && r->end[next].device == r->end[first].device)
      next++;
    pairs += (uint64_t)(next - first) * (r->ends - (next - first));
  }
  return pairs << r->lmc;
}

/* Packets between all hosts arrive. Rails that nothing connects are no pairs of the check, but each
 * of their ports is a host here. */
static bool check_reach(const struct loom_plan *p, struct loom_plan_error *err) {
  const struct loom_routing *r = p->routing;
  struct loom_routing_report report;
  if (!loom_routing_check(r, &report))
    return loom_plan_no_memory(err);
  uint64_t apart = all_pairs(r) - report.pairs;
  bool ok = report.unreachable == 0 && apart == 0;
  if (report.unreachable)
    loom_plan_fail(err, LOOM_EXIT_FAILED, "routing",
                   "%llu of %llu pairs of hosts are unreachable: %s to LID %u among them",
                   (unsigned long long)report.unreachable, (unsigned long long)report.pairs,
                   p->topo->device[r->end[report.bad_end].device].name, (unsigned)report.bad_lid);
  else if (apart)
    loom_plan_fail(err, LOOM_EXIT_FAILED, "routing",
                   "%llu of %llu pairs of hosts are on rails that nothing connects",
                   (unsigned long long)apart, (unsigned long long)all_pairs(r));
  loom_routing_report_free(&report);
  return ok;
}

static bool fail_cycle(const struct loom_plan *p, const struct loom_routing_cycle *c,
                       struct loom_plan_error *err) {
  char list[300] = "";
  size_t used = 0;
  for (uint32_t i = 0; i < c->channels && i < SHOWN && used < sizeof list; i++)
    used += (size_t)snprintf(list + used, sizeof list - used, " %s[%u]/%u",
                             p->topo->device[p->routing->device[c->channel[i].row]].name,
                             (unsigned)c->channel[i].port, (unsigned)c->channel[i].layer);
  return loom_plan_fail(err, LOOM_EXIT_FAILED, "routing",
                        "may deadlock: %u channels (switch[port]/layer) wait for each other in a "
                        "circle:%.240s%s; routing.allow_cycles takes it all the same",
                        (unsigned)c->channels, list, c->channels > SHOWN ? " ..." : "");
}

static bool check_cycles(const struct loom_plan *p, struct loom_plan_error *err) {
  struct loom_routing_cycle cycle;
  if (p->spec->allow_cycles)
    return true;
  if (!loom_routing_find_cycle(p->routing, &cycle))
    return loom_plan_no_memory(err);
  bool ok = cycle.channels == 0 || fail_cycle(p, &cycle, err);
  loom_routing_cycle_free(&cycle);
  return ok;
}

/* A class needs a VL for each layer; of InfiniBand an SL for each class of paths. */
static bool check_layers(const struct loom_plan *p, struct loom_plan_error *err) {
  const struct loom_spec *s = p->spec;
  const struct loom_routing *r = p->routing;
  bool path = r->layering == LOOM_ROUTING_LAYER_PATH && r->classes > 1;
  bool turn = r->layering == LOOM_ROUTING_LAYER_TURN && r->layers > 1;
  if (path && loom_device_is_opa(s->kind))
    return bad(err, "routing.layering", "opa finds layers by turn (SC2SC), not by path");
  if (turn && loom_device_is_ib(s->kind))
    return bad(err, "routing.layering", "ib finds layers by path (SL2VL), not by turn");
  if (path && loom_parameter_value(&s->parameters, s->kind, "ARB_KEY"))
    return bad(err, "switch.parameters", "layers by path take several SLs a class: ARB_KEY 0");
  for (uint32_t i = 0; i < s->classes; i++) {
    char key[40];
    snprintf(key, sizeof key, "classes[%u].vls", (unsigned)i);
    if (s->traffic_class[i].layers < r->layers)
      return loom_plan_fail(err, LOOM_EXIT_BAD_INPUT, key,
                            "the routing needs %u layers: so many VLs a class",
                            (unsigned)r->layers);
    snprintf(key, sizeof key, "classes[%u].sl", (unsigned)i);
    if (path && s->traffic_class[i].sl + r->classes > 32)
      return loom_plan_fail(err, LOOM_EXIT_BAD_INPUT, key,
                            "the routing needs %u SLs from here on; there are 32",
                            (unsigned)r->classes);
  }
  return true;
}

/* Two classes whose SLs meet must mean the same by them. */
static bool check_levels(const struct loom_plan *p, struct loom_plan_error *err) {
  const struct loom_spec *s = p->spec;
  uint32_t classes =
      p->routing && p->routing->layering == LOOM_ROUTING_LAYER_PATH ? p->routing->classes : 1;
  uint32_t layers = p->routing ? p->routing->layers : 1;
  for (uint32_t i = 0; i < s->classes; i++)
    for (uint32_t j = 0; j < i; j++) {
      const struct loom_spec_class *c = &s->traffic_class[i], *d = &s->traffic_class[j];
      uint32_t apart = c->sl > d->sl ? c->sl - d->sl : d->sl - c->sl;
      bool same = c->sl == d->sl && !memcmp(c->vl, d->vl, layers);
      char key[40];
      if (apart >= classes || same)
        continue;
      snprintf(key, sizeof key, "classes[%u].sl", (unsigned)i);
      return loom_plan_fail(err, LOOM_EXIT_BAD_INPUT, key,
                            "classes %s and %s share an SL (each takes %u) but not their VLs",
                            d->name, c->name, (unsigned)classes);
    }
  return true;
}

static bool take_ends(struct loom_plan *p, struct loom_plan_error *err) {
  const struct loom_routing *r = p->routing;
  p->hosts = r->ends;
  p->host = calloc((size_t)p->hosts + 1, sizeof *p->host);
  p->lid = calloc((size_t)p->hosts + 1, sizeof *p->lid);
  if (!p->host || !p->lid)
    return loom_plan_no_memory(err);
  for (uint32_t h = 0; h < p->hosts; h++) {
    p->host[h] = (struct loom_plan_host){r->end[h].device, r->end[h].port};
    p->lid[h] = (uint16_t)r->end[h].lid;
  }
  return r->lids <= LIDS_MAX || bad(err, "topology", "needs more LIDs than there are");
}

/* A generator gives a fabric that is too large no LIDs at all. */
static bool check_lids(const struct loom_plan *p, struct loom_plan_error *err) {
  uint32_t lids = loom_net_lids(p->topo);
  return lids <= LOOM_TOPO_LID_MAX ||
         loom_plan_fail(err, LOOM_EXIT_BAD_INPUT, "topology", "needs %u LIDs, there are %d",
                        (unsigned)lids, LOOM_TOPO_LID_MAX);
}

static bool make_routing(struct loom_plan *p, struct loom_plan_error *err) {
  if (!check_lids(p, err))
    return false;
  bool ok = p->spec->routed ? run_engine(p, err) : read_tables(p, err);
  if (!ok || !p->routing)
    return false;
  p->port_groups = loom_routing_most_groups(p->routing);
  return check_layers(p, err) && take_ends(p, err) && check_reach(p, err) && check_cycles(p, err);
}

/* ---- KNS devices ----------------------------------------------------------------------------- */

/* Host number in the lowest bits, then the coordinates (docs/kns.md). */
static uint32_t kns_address(const struct loom_plan *p, const struct loom_topo_device *d,
                            uint32_t host) {
  const struct loom_shape *shape = &p->spec->shape;
  uint32_t at = loom_clog2(shape->nodes ? shape->nodes : 1);
  uint32_t address = host | p->kns_prefix;
  for (uint32_t i = 0; i < shape->n; i++)
    address |= d->coord[i] << (at + i * p->kns_w);
  return address;
}

static bool check_kns(struct loom_plan *p, struct loom_plan_error *err) {
  const struct loom_shape *shape = &p->spec->shape;
  uint32_t nodes = shape->nodes ? shape->nodes : 1;
  if (shape->kind != LOOM_SHAPE_KNS)
    return bad(err, "topology.kind", "kns devices make a kns only; others: ib or opa with hdor");
  if (shape->trunk > 1)
    return bad(err, "topology.trunk", "kns devices know one cable to each switch");
  if (shape->radix && shape->radix < shape->k)
    return bad(err, "topology.radix", "kns devices know one switch in each indirect network");
  p->kns_w = loom_max(loom_clog2(shape->k), 1);
  uint32_t bits = loom_clog2(nodes) + shape->n * p->kns_w;
  if (nodes > 8 || shape->n > 4 || shape->k > PORTS_MAX || bits > 15)
    return bad(err, "topology", "out of the bounds of kns devices (docs/kns.md)");
  p->kns_prefix = 1u << bits;
  return true;
}

bool loom_plan_is_router(const struct loom_plan *p, uint32_t row) {
  const struct loom_topo *t = p->topo;
  uint32_t d = p->row[row];
  for (uint32_t port = 1; port <= t->device[d].ports; port++) {
    uint32_t peer = loom_topo_port(t, d, port)->device;
    if (peer != LOOM_TOPO_NONE && t->device[peer].kind == LOOM_TOPO_HCA)
      return true;
  }
  return false;
}

static bool find_nodes(struct loom_plan *p, struct loom_plan_error *err) {
  const struct loom_topo *t = p->topo;
  p->host = calloc(t->devices, sizeof *p->host);
  p->lid = calloc(t->devices, sizeof *p->lid);
  if (!p->host || !p->lid)
    return loom_plan_no_memory(err);
  for (uint32_t d = 0; d < t->devices; d++) {
    const struct loom_topo_port *port = loom_topo_port(t, d, 1);
    if (t->device[d].kind != LOOM_TOPO_HCA)
      continue;
    p->host[p->hosts] = (struct loom_plan_host){d, 1};
    p->lid[p->hosts++] =
        (uint16_t)kns_address(p, &t->device[port->device], (uint32_t)port->port - 1);
  }
  return true;
}

/* ---- buffers --------------------------------------------------------------------------------- */

static void find_lanes(struct loom_plan *p) {
  const struct loom_spec *s = p->spec;
  uint32_t layers = p->routing ? p->routing->layers : 1;
  for (uint32_t c = 0; c < s->classes; c++)
    for (uint32_t l = 0; l < layers; l++) {
      uint32_t vl = s->traffic_class[c].vl[l];
      p->used |= 1u << vl;
      p->units[vl] = (uint16_t)loom_max(p->units[vl], loom_spec_train(&s->traffic_class[c]));
    }
}

/* Rings with bubbles: the lanes of switches share nothing, and each has two packets. */
static bool share_ring(const struct loom_plan *p, uint32_t vl, const struct loom_plan_share *s,
                       struct loom_plan_error *err) {
  uint32_t least = 2u * p->units[vl];
  return (s->reserved[vl] >= least && s->most[vl] == s->reserved[vl]) ||
         loom_plan_fail(err, LOOM_EXIT_BAD_INPUT, "vls",
                        "with bubbles VL %u needs reserved from %u bytes on, two of its packets, "
                        "and max the same",
                        (unsigned)vl, (unsigned)least * LOOM_UNIT_BYTES);
}

/* Half of a buffer is reserved in equal parts, each at least a packet; all may have the rest. Of a
 * switch with bubbles all of it is. */
static bool share_out(const struct loom_plan *p, uint32_t total, const char *what,
                      struct loom_plan_share *out, struct loom_plan_error *err) {
  const struct loom_spec *s = p->spec;
  bool rings = p->routing && p->routing->ring && out != &p->nic;
  uint32_t lanes = loom_popcount(p->used), least = 0, sum = 0;
  *out = (struct loom_plan_share){.total = total};
  for (uint32_t vls = p->used; vls; vls &= vls - 1)
    least += p->units[loom_ctz(vls)];
  for (uint32_t vls = p->used; vls; vls &= vls - 1) {
    uint32_t vl = loom_ctz(vls), units = p->units[vl];
    const struct loom_spec_share *given = &s->share[vl];
    uint32_t spare = total > least ? (total - least) / 2 / lanes : 0;
    uint32_t usual = loom_max(units, loom_min(total / 2 / lanes, units + spare));
    if (rings)
      usual = total / lanes;
    out->reserved[vl] = (uint16_t)(given->reserved_given ? given->reserved : usual);
    out->most[vl] = (uint16_t)(given->most_given ? loom_min(given->most, total)
                               : rings           ? out->reserved[vl]
                                                 : total);
    sum += out->reserved[vl];
    if (out->reserved[vl] < units || out->most[vl] < out->reserved[vl])
      return loom_plan_fail(err, LOOM_EXIT_BAD_INPUT, "vls",
                            "VL %u needs reserved from %u bytes on, its largest packet, and max "
                            "not below",
                            (unsigned)vl, (unsigned)units * LOOM_UNIT_BYTES);
    if (rings && !share_ring(p, vl, out, err))
      return false;
  }
  return sum <= total ||
         loom_plan_fail(err, LOOM_EXIT_BAD_INPUT, "vls", "%u bytes are reserved of %u in %s",
                        (unsigned)sum * LOOM_UNIT_BYTES, (unsigned)total * LOOM_UNIT_BYTES, what);
}

static bool share_buffers(struct loom_plan *p, struct loom_plan_error *err) {
  const struct loom_spec *s = p->spec;
  uint32_t in = loom_parameter_value(&s->parameters, s->kind, "CELLS_IN");
  uint32_t central = loom_parameter_value(&s->parameters, s->kind, "CELLS_CENTRAL");
  return share_out(p, loom_min(in, FAR_MAX), "an input buffer", &p->in, err) &&
         share_out(p, loom_parameter_value(&s->parameters, s->kind, "CELLS_OUT"),
                   "an output buffer", &p->out, err) &&
         (!central || share_out(p, central, "a central buffer", &p->central, err)) &&
         share_out(p, s->host_units, "a host's buffer", &p->nic, err);
}

/* ---- bubbles --------------------------------------------------------------------------------- */

enum { BUBBLE_VLS = 16 };

/* All packets of a message have as many units as the largest one. */
static bool fills(const struct loom_spec_class *c, uint32_t flits) {
  uint32_t rest = flits % c->mtu;
  return !rest || (rest + LOOM_UNIT_FLITS - 1) / LOOM_UNIT_FLITS == loom_spec_train(c);
}

static bool check_ring_class(const struct loom_plan *p, uint32_t i, struct loom_plan_error *err) {
  const struct loom_spec_class *c = &p->spec->traffic_class[i];
  char key[40];
  snprintf(key, sizeof key, "classes[%u].mtu", (unsigned)i);
  if (c->trains)
    return bad(err, key, "bubbles are for packets, not for trains");
  if (loom_spec_train(c) != p->units[c->vl[0]])
    return loom_plan_fail(err, LOOM_EXIT_BAD_INPUT, key,
                          "with bubbles all classes of VL %u have the same", (unsigned)c->vl[0]);
  if (p->spec->traces && loom_spec_train(c) > 1)
    return loom_plan_fail(err, LOOM_EXIT_BAD_INPUT, key,
                          "messages of traces have packets of any size: with bubbles at most %d",
                          LOOM_UNIT_BYTES);
  return true;
}

/* What bubbles need besides their shares of buffers (docs/crossbar_switch.md). */
static bool check_rings(const struct loom_plan *p, struct loom_plan_error *err) {
  const struct loom_spec *s = p->spec;
  char key[40];
  if (!p->routing->ring)
    return true;
  if (loom_parameter_value(&s->parameters, s->kind, "VLS") > BUBBLE_VLS)
    return bad(err, "switch.parameters.VLS", "with bubbles there are 16 at most");
  for (uint32_t i = 0; i < s->classes; i++)
    if (!check_ring_class(p, i, err))
      return false;
  for (uint32_t i = 0; i < s->offers; i++) {
    snprintf(key, sizeof key, "traffic[%u].size", (unsigned)i);
    if (!fills(&s->traffic_class[s->offer[i].cfg.traffic_class], s->offer[i].cfg.flits))
      return bad(err, key, "with bubbles all packets are as large as the mtu of the class");
  }
  return true;
}

/* ---- tables ---------------------------------------------------------------------------------- */

enum { DTABLE = 2, IBARB = 3 };

static bool has_entry(const struct loom_spec_tables *t, uint32_t key) {
  for (uint32_t i = 0; i < t->high_count; i++)
    if (t->high[i].key == key && t->high[i].weight)
      return true;
  for (uint32_t i = 0; i < t->low_count; i++)
    if (t->low[i].key == key && t->low[i].weight)
      return true;
  return false;
}

/* What stands in no table would never leave. */
static bool check_entries(const struct loom_plan *p, struct loom_plan_error *err) {
  const struct loom_spec *s = p->spec;
  uint32_t sched = loom_parameter_value(&s->parameters, s->kind, "SCHED");
  uint32_t by_sl = loom_parameter_value(&s->parameters, s->kind, "ARB_KEY");
  uint32_t layers = p->routing ? p->routing->layers : 1;
  const char *where = s->tables.opensm[0]   ? "opensm"
                      : sched == IBARB      ? "high"
                      : s->tables.dtable[0] ? "dtable"
                                            : "table";
  for (uint32_t c = 0; c < s->classes; c++)
    for (uint32_t l = 0; sched >= DTABLE && l < layers; l++) {
      uint32_t key = by_sl ? s->traffic_class[c].sl : s->traffic_class[c].vl[l];
      if (!has_entry(&s->tables, key))
        return loom_plan_fail(err, LOOM_EXIT_BAD_INPUT, where,
                              "class %s would never be served: no entry of %s %u has a weight",
                              s->traffic_class[c].name, by_sl ? "SL" : "VL", (unsigned)key);
    }
  return true;
}

/* ---- elite5 ---------------------------------------------------------------------------------- */

enum { MESSAGE_MAX = 1 << 20, MEMORY_MAX = 1 << 24 };

/* Bytes of the longest message. */
static uint32_t longest_message(const struct loom_spec *s) {
  uint32_t flits = 0;
  for (uint32_t i = 0; i < s->offers; i++)
    flits = loom_max(flits, s->offer[i].cfg.flits);
  for (uint32_t i = 0; i < s->traces; i++) {
    const struct loom_vef_trace *t = s->trace[i].expanded;
    for (uint32_t r = 0; r < t->count; r++)
      flits = loom_max(flits, loom_experiment_flits(t->record[r].length, LOOM_FLIT_BYTES, 0));
  }
  return flits > UINT32_MAX / LOOM_FLIT_BYTES ? UINT32_MAX : flits * LOOM_FLIT_BYTES;
}

/* Each HCA is a host, with all its links. */
static bool find_adapters(struct loom_plan *p, struct loom_plan_error *err) {
  const struct loom_topo *t = p->topo;
  p->host = calloc(t->devices, sizeof *p->host);
  if (!p->host)
    return loom_plan_no_memory(err);
  for (uint32_t d = 0; d < t->devices; d++)
    if (t->device[d].kind == LOOM_TOPO_HCA)
      p->host[p->hosts++] = (struct loom_plan_host){d, 1};
  return true;
}

/* Of a file: from each router with a node it goes up, perhaps across, and down to every node. */
static bool check_ways(struct loom_elite5_routes *r, struct loom_plan_error *err) {
  for (uint32_t node = 0; node < r->nodes; node++) {
    loom_elite5_routes_find(r, node);
    for (uint32_t router = 0; router < r->routers; router++) {
      const struct loom_topo_device *from = &r->topo->device[r->router_device[router]];
      if (from->level == 0 && !r->way[router])
        return loom_plan_fail(err, LOOM_EXIT_BAD_INPUT, "topology.file",
                              "is no folded tree: no way goes up and then down from %s to %s",
                              from->name, r->topo->device[r->node_device[node]].name);
    }
  }
  return true;
}

static bool check_file(struct loom_plan *p, struct loom_plan_error *err) {
  loom_topo_raise_all(p->topo);
  struct loom_elite5_routes *r = loom_elite5_routes_create(p->topo);
  bool ok = r ? check_ways(r, err)
              : bad(err, "topology.file",
                    "a switch has more than 32 ports, or no way leads from it to a node");
  loom_elite5_routes_destroy(r);
  return ok;
}

/* What messages and collectives take in each node. */
static bool check_memory(struct loom_plan *p, struct loom_plan_error *err) {
  uint64_t collectives = 0;
  p->longest = longest_message(p->spec);
  if (p->longest > MESSAGE_MAX)
    return loom_plan_fail(err, LOOM_EXIT_BAD_INPUT, "traffic",
                          "a message has more than the %d bytes that an Elan5 is given here",
                          MESSAGE_MAX);
  if (!loom_collectives_check(p->spec, p->hosts, &collectives, &p->groups, err))
    return false;
  if (collectives > MEMORY_MAX)
    return loom_plan_fail(err, LOOM_EXIT_BAD_INPUT, "traffic",
                          "collectives need %" PRIu64 " bytes in a node, there are %d", collectives,
                          MEMORY_MAX);
  p->memory = p->longest + (uint32_t)collectives;
  return true;
}

static bool check_elite5(struct loom_plan *p, struct loom_plan_error *err) {
  const struct loom_topo *t = p->topo;
  struct loom_elite5_fabric_cfg cfg;
  if (!p->own_topo && !check_file(p, err))
    return false;
  bool folded = p->spec->shape.kind != LOOM_SHAPE_DRAGONFLYPLUS;
  for (uint32_t d = 0; d < t->devices; d++)
    if (!folded || (t->device[d].kind == LOOM_TOPO_SWITCH && t->device[d].level == LOOM_TOPO_NONE))
      return bad(err, "topology.kind", "Elite5 makes folded trees: a tree, a slim or a qsnet3");
  loom_elite5_fabric_defaults(&cfg, t);
  loom_parameters_elite5(&p->spec->parameters, &cfg.router);
  if (!loom_elite5_fabric_fit(&cfg))
    return loom_plan_fail(err, LOOM_EXIT_BAD_INPUT, "topology",
                          "a router would have %u links, a node %u; there are %d and %d at most",
                          (unsigned)cfg.router.LINKS, (unsigned)cfg.endpoint.links,
                          LOOM_ELITE5_LINKS, LOOM_ELAN5_LINKS);
  if (!loom_elite5_router_cfg_ok(&cfg.router))
    return loom_plan_fail(err, LOOM_EXIT_BAD_INPUT, "switch.parameters",
                          "BVCS must be below VCS: %u, %u", (unsigned)cfg.router.BVCS,
                          (unsigned)cfg.router.VCS);
  return check_memory(p, err);
}

/* ---- traffic --------------------------------------------------------------------------------- */

static bool check_traces(const struct loom_plan *p, struct loom_plan_error *err) {
  for (uint32_t i = 0; i < p->spec->traces; i++) {
    const struct loom_spec_trace *t = &p->spec->trace[i];
    char key[60];
    uint32_t j = 0;
    while (j < t->place_count && t->places[j] < p->hosts)
      j++;
    if (j == t->place_count)
      continue;
    if (t->mapping == LOOM_SPEC_NAMES) {
      snprintf(key, sizeof key, "traces[%u].names", (unsigned)i);
      return loom_plan_fail(err, LOOM_EXIT_BAD_INPUT, key,
                            "task %u is on tile %u, but there are %u hosts", (unsigned)j,
                            (unsigned)t->places[j], (unsigned)p->hosts);
    }
    snprintf(key, sizeof key, "traces[%u].places[%u]", (unsigned)i, (unsigned)j);
    return loom_plan_fail(err, LOOM_EXIT_BAD_INPUT, key, "there are %u hosts", (unsigned)p->hosts);
  }
  return true;
}

/* What a permutation file says is refused where it stands there. */
static bool check_permutation(const struct loom_plan *p, const struct loom_spec_offer *o,
                              uint32_t tasks, struct loom_plan_error *err) {
  if (!o->file[0])
    return true;
  char *name = loom_spec_path(p->spec, o->file);
  if (!name)
    return loom_plan_no_memory(err);
  bool ok = loom_permutation_fits(&o->permutation, tasks, name, &err->file);
  if (!ok)
    err->status = LOOM_EXIT_BAD_INPUT;
  free(name);
  return ok;
}

static bool check_traffic(const struct loom_plan *p, struct loom_plan_error *err) {
  for (uint32_t i = 0; i < p->spec->offers; i++) {
    const struct loom_spec_offer *o = &p->spec->offer[i];
    struct loom_pattern_cfg c = o->cfg.pattern;
    char key[60];
    uint32_t tasks = c.tasks ? c.tasks : p->hosts;
    c.hosts = p->hosts;
    c.targets = o->targets;
    c.file = o->permutation.to;
    snprintf(key, sizeof key, "traffic[%u].pattern", (unsigned)o->entry);
    if (!check_permutation(p, o, tasks, err))
      return false;
    const char *wrong = loom_pattern_bad(&c);
    struct loom_pattern *made = wrong ? NULL : loom_pattern_create(&c);
    if (!made)
      return loom_plan_fail(err, LOOM_EXIT_BAD_INPUT, key, "cannot be for %u hosts: %s",
                            (unsigned)p->hosts, wrong ? wrong : "a task stands twice");
    loom_pattern_destroy(made);
  }
  return check_traces(p, err);
}

/* ---- names ----------------------------------------------------------------------------------- */

void loom_plan_name(const struct loom_plan *p, uint32_t number, char name[LOOM_TOPO_NAME]) {
  snprintf(name, LOOM_TOPO_NAME, "%s", p->topo->device[p->row[number]].name);
}

bool loom_plan_is_shadowed(const struct loom_plan *p, const char *name) {
  for (uint32_t i = 0; i < p->spec->shadows; i++)
    if (!strcmp(p->spec->shadow[i], name))
      return true;
  return false;
}

static bool has_switch(const struct loom_plan *p, const char *name) {
  char other[LOOM_TOPO_NAME];
  for (uint32_t number = 0; number < p->switches; number++) {
    loom_plan_name(p, number, other);
    if (!strcmp(name, other))
      return true;
  }
  return false;
}

static bool check_shadows(const struct loom_plan *p, struct loom_plan_error *err) {
  const struct loom_spec *s = p->spec;
  if (s->shadows && loom_device_is_crossbar(s->kind))
    return bad(err, "shadow", "there are no circuits of crossbar_switch for fabrics");
  if (s->shadows && s->kind == LOOM_DEVICE_CROSSPOINT)
    return bad(err, "shadow", "there are no circuits of crosspoint_router for fabrics");
  for (uint32_t i = 0; i < s->shadows; i++) {
    char key[40];
    snprintf(key, sizeof key, "shadow[%u]", (unsigned)i);
    if (!has_switch(p, s->shadow[i]))
      return loom_plan_fail(err, LOOM_EXIT_BAD_INPUT, key, "no switch is called `%s`",
                            s->shadow[i]);
  }
  return true;
}

/* It has such a cable, or is a switch all of whose cables are meant. */
static bool can_fail(const struct loom_topo *t, uint32_t d, const struct loom_spec_fault *fault) {
  if (!fault->port)
    return t->device[d].kind == LOOM_TOPO_SWITCH;
  return fault->port <= t->device[d].ports &&
         loom_topo_port(t, d, fault->port)->device != LOOM_TOPO_NONE;
}

uint32_t loom_plan_fault(const struct loom_plan *p, const struct loom_spec_fault *fault) {
  for (uint32_t d = 0; d < p->topo->devices; d++)
    if (!strcmp(p->topo->device[d].name, fault->device))
      return can_fail(p->topo, d, fault) ? d : LOOM_TOPO_NONE;
  return LOOM_TOPO_NONE;
}

static bool check_faults(const struct loom_plan *p, struct loom_plan_error *err) {
  const struct loom_spec *s = p->spec;
  for (uint32_t i = 0; i < s->faults; i++) {
    const struct loom_spec_fault *f = &s->fault[i];
    if (loom_plan_fault(p, f) != LOOM_TOPO_NONE)
      continue;
    if (f->port)
      return loom_plan_fail(err, LOOM_EXIT_BAD_INPUT, "faults", "there is no cable at %s/%u",
                            f->device, (unsigned)f->port);
    return loom_plan_fail(err, LOOM_EXIT_BAD_INPUT, "faults", "no switch is called `%s`",
                          f->device);
  }
  return true;
}

/* ---- plan ------------------------------------------------------------------------------------ */

/* Hosts of the fabric, how packets find their ways, and what its buffers and tables hold. */
static bool plan_elite5(struct loom_plan *p, struct loom_plan_error *err) {
  return find_adapters(p, err) && check_elite5(p, err);
}

static bool plan_buffers(struct loom_plan *p, struct loom_plan_error *err) {
  find_lanes(p);
  return share_buffers(p, err) && check_entries(p, err);
}

/* What preemption cannot be together with (docs/preemption.md). */
static bool check_preempt(const struct loom_plan *p, struct loom_plan_error *err) {
  if (!p->spec->express)
    return true;
  if (loom_spec_wants_waits(p->spec))
    return bad(err, "run.stats", "links that preempt have no stalls and no packets");
  if (p->routing->ring)
    return bad(err, "switch.preempt", "rings that keep a bubble have one buffer a VL: not both");
  if (!(p->used & ~p->spec->express) || !(p->used & p->spec->express))
    return bad(err, "switch.preempt", "some VLs of the classes must preempt, and others not");
  for (uint32_t used = p->used; used; used &= used - 1)
    if (loom_preempt_depth(p->units[loom_ctz(used)]) > LOOM_PREEMPT_DEPTH_MAX)
      return bad(err, "switch.preempt", "no packet may have more than 32256 bytes");
  return true;
}

static bool plan_ib(struct loom_plan *p, struct loom_plan_error *err) {
  return make_routing(p, err) && check_levels(p, err) && plan_buffers(p, err) &&
         check_rings(p, err) && check_preempt(p, err);
}

static bool plan_opa(struct loom_plan *p, struct loom_plan_error *err) {
  return make_routing(p, err) && plan_buffers(p, err);
}

static bool plan_kns(struct loom_plan *p, struct loom_plan_error *err) {
  return find_nodes(p, err) && check_levels(p, err) && plan_buffers(p, err);
}

/* ---- links ----------------------------------------------------------------------------------- */

enum { PS_PER_CM = 50 }; /* in glass, and much the same in copper */

/* Cycles in which a flit is at the far end of so many cm, at least one. */
static uint64_t cycles_of(const struct loom_spec *s, uint32_t cm) {
  uint64_t mbps = (uint64_t)(loom_spec_rate(s) * 1000 + 0.5);
  uint64_t flit = LOOM_FLIT_BYTES * 8 * 1000000ull; /* ps times Mb/s */
  return ((uint64_t)cm * PS_PER_CM * mbps + flit - 1) / flit;
}

static bool find_latency(const struct loom_spec *s, const char *key, uint32_t latency, uint32_t cm,
                         uint32_t *cycles, struct loom_plan_error *err) {
  uint64_t all = cm ? cycles_of(s, cm) : latency;
  *cycles = (uint32_t)all;
  return all <= LOOM_FABRIC_LATENCY ||
         loom_plan_fail(err, LOOM_EXIT_BAD_INPUT, key,
                        "%u.%02u m take %" PRIu64 " cycles at %g Gb/s, but a link takes %d at most",
                        (unsigned)cm / 100, (unsigned)cm % 100, all, loom_spec_rate(s),
                        LOOM_FABRIC_LATENCY);
}

static bool find_latencies(struct loom_plan *p, struct loom_plan_error *err) {
  const struct loom_spec *s = p->spec;
  return find_latency(s, "link.length", s->latency, s->length, &p->latency, err) &&
         find_latency(s, "link.host_length", s->host_latency, s->host_length, &p->host_latency,
                      err);
}

static bool fill(struct loom_plan *p, struct loom_plan_error *err) {
  static bool (*const plans[LOOM_DEVICE_KINDS])(struct loom_plan *, struct loom_plan_error *) = {
      [LOOM_DEVICE_IB] = plan_ib,         [LOOM_DEVICE_CROSSBAR] = plan_ib,
      [LOOM_DEVICE_OPA] = plan_opa,       [LOOM_DEVICE_MPORT] = plan_opa,
      [LOOM_DEVICE_KNS] = plan_kns,       [LOOM_DEVICE_KNS_CROSSBAR] = plan_kns,
      [LOOM_DEVICE_ELITE5] = plan_elite5, [LOOM_DEVICE_CROSSPOINT] = plan_elite5};
  enum loom_device_kind kind = p->spec->kind;
  if ((loom_device_is_kns(kind) && !check_kns(p, err)) || !make_topo(p, err) ||
      !find_switches(p, err) || !plans[kind](p, err))
    return false;
  if (p->hosts < 2)
    return bad(err, "topology", "there are fewer than 2 hosts");
  return find_latencies(p, err) && check_traffic(p, err) && check_faults(p, err) &&
         check_shadows(p, err);
}

struct loom_plan *loom_plan_create(const struct loom_spec *spec, struct loom_plan_error *err) {
  struct loom_plan *p = calloc(1, sizeof *p);
  if (!p) {
    loom_plan_no_memory(err);
    return NULL;
  }
  p->spec = spec;
  if (fill(p, err))
    return p;
  loom_plan_destroy(p);
  return NULL;
}

const char *const loom_engine_names[LOOM_ENGINE_BOTH + 2] = {"step", "packet", "both", NULL};

bool loom_engine_fits(enum loom_device_kind kind, enum loom_engine engine,
                      struct loom_plan_error *err) {
  return engine == LOOM_ENGINE_STEP || loom_device_is_crossbar(kind) ||
         loom_plan_fail(err, LOOM_EXIT_BAD_INPUT, "switch.kind",
                        "`%s` is stepped flit by flit only, not with --engine %s",
                        loom_device_names[kind], loom_engine_names[engine]);
}

bool loom_plan_engine(struct loom_plan *p, enum loom_engine engine, struct loom_plan_error *err) {
  if (!loom_engine_fits(p->spec->kind, engine, err))
    return false;
  if (engine != LOOM_ENGINE_STEP && p->spec->express)
    return loom_plan_fail(err, LOOM_EXIT_BAD_INPUT, "switch.preempt",
                          "packets that are interrupted are stepped flit by flit only, not with "
                          "--engine %s",
                          loom_engine_names[engine]);
  /* Why packets wait is seen where they are stepped flit by flit, with the same results. */
  bool steps = engine == LOOM_ENGINE_PACKET && loom_spec_wants_waits(p->spec);
  p->engine = steps ? LOOM_ENGINE_STEP : engine;
  return true;
}

void loom_plan_destroy(struct loom_plan *p) {
  if (!p)
    return;
  loom_routing_destroy(p->routing);
  if (p->own_topo)
    loom_topo_destroy(p->topo);
  free(p->host);
  free(p->lid);
  free(p->row);
  free(p);
}

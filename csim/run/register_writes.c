/* SPDX-License-Identifier: Apache-2.0 */
#include "run/register_writes.h"

#include "fabric/fabric.h"
#include "sched/sched_port.h"
#include "switch/ib_rule.h"
#include "switch/kns_node.h"
#include "switch/opa_switch.h"
#include "switch/output_choice.h"
#include "switch/port_group.h"
#include <loom/switch_registers.h>

#include <loom/bits.h>
#include <stdlib.h>
#include <string.h>

enum { VLS = LOOM_VLS, SCS = 32 };

/* A register of all ports; of all central buffers. */
static uint32_t of_ports(uint32_t addr) {
  return loom_switch_window(LOOM_SWITCH_REG_PORTS, LOOM_SWITCH_EVERY) + addr;
}

static uint32_t of_centrals(uint32_t addr) {
  return loom_switch_window(LOOM_SWITCH_REG_CENTRALS, LOOM_SWITCH_EVERY) + addr;
}

static void put(const struct loom_register_bus *bus, uint32_t addr, uint32_t data) {
  bus->write(bus->context, addr, data);
}

static uint32_t parameter(const struct loom_plan *p, const char *name) {
  return loom_parameter_value(&p->spec->parameters, p->spec->kind, name);
}

/* ---- buffers and schedulers ------------------------------------------------------------------ */

static void share(const struct loom_register_bus *bus, uint32_t base,
                  const struct loom_plan_share *s, uint32_t vls) {
  for (uint32_t vl = 0; vl < vls && vl < VLS; vl++) {
    put(bus, base + LOOM_TRACKER_REG_RESERVED + vl, s->reserved[vl]);
    put(bus, base + LOOM_TRACKER_REG_CAP + vl, s->most[vl]);
  }
  put(bus, base + LOOM_TRACKER_REG_TOTAL, s->total);
}

static void table(const struct loom_plan *p, const struct loom_register_bus *bus, uint32_t base,
                  uint32_t sched) {
  const struct loom_spec_tables *t = &p->spec->tables;
  for (uint32_t i = 0; i < t->high_count; i++) {
    const struct loom_spec_entry *e = &t->high[i];
    if (sched == LOOM_PORT_SBT)
      put(bus, base + LOOM_SBT_REG_WEIGHT + e->key, e->weight);
    else if (sched == LOOM_OUTPUT_DEFICIT_ROUND_ROBIN)
      put(bus, base + LOOM_DRR_REG_QUANTUM + e->key, e->weight);
    else if (sched == LOOM_OUTPUT_FAIR_QUEUEING)
      put(bus, base + LOOM_FAIR_REG_PRICE + e->key, loom_spec_price_of_all(t) / e->weight);
    else if (sched == LOOM_PORT_DTABLE || sched == LOOM_PORT_IBARB)
      put(bus, base + i, loom_sched_entry(e->key, e->weight));
  }
  for (uint32_t i = 0; sched == LOOM_PORT_IBARB && i < t->low_count; i++)
    put(bus, base + LOOM_IBARB_REG_LOW + i, loom_sched_entry(t->low[i].key, t->low[i].weight));
  if (sched == LOOM_PORT_SBT)
    put(bus, base + LOOM_SBT_REG_MODE, t->mode);
  if (sched == LOOM_PORT_IBARB) {
    put(bus, base + LOOM_IBARB_REG_LIMIT, t->limit);
    put(bus, base + LOOM_IBARB_REG_MODE, t->mode);
  }
}

static void program_buffers(const struct loom_plan *p, const struct loom_register_bus *bus) {
  uint32_t vls = parameter(p, "VLS"), sched = parameter(p, "SCHED");
  for (uint32_t used = p->used; used; used &= used - 1)
    put(bus, LOOM_SWITCH_REG_MTU + loom_ctz(used), p->units[loom_ctz(used)]);
  share(bus, of_ports(LOOM_SWITCH_WIN_TRACKER_IN), &p->in, vls);
  share(bus, of_ports(LOOM_SWITCH_WIN_TRACKER_OUT), &p->out, vls);
  put(bus, of_ports(LOOM_SWITCH_WIN_HOLD), 1); /* as the far limits of crossbar_switch ask for */
  share(bus, of_ports(LOOM_SWITCH_WIN_TRACKER_FAR), &p->in, vls);
  put(bus, of_ports(LOOM_SWITCH_WIN_HOLD), 0);
  table(p, bus, of_ports(LOOM_SWITCH_WIN_TABLE), sched);
  if (!loom_device_is_opa(p->spec->kind))
    return;
  share(bus, of_centrals(LOOM_OPA_WIN_TRACKER), &p->central, vls);
  if (p->spec->kind == LOOM_DEVICE_OPA && parameter(p, "CENTRAL_SCHED") == sched)
    table(p, bus, of_centrals(LOOM_OPA_WIN_TABLE), sched);
}

/* The rings of its outputs, and how full these may be for packets that enter. */
static void program_rings(const struct loom_plan *p, uint32_t row,
                          const struct loom_register_bus *bus) {
  const struct loom_routing *r = p->routing;
  for (uint32_t used = p->used; used; used &= used - 1) {
    uint32_t vl = loom_ctz(used);
    put(bus, of_ports(LOOM_SWITCH_WIN_RING_MOST) + vl, p->out.most[vl] - 2u * p->units[vl]);
  }
  for (uint32_t out = 1; out <= loom_min(r->ports - 1, p->ports); out++) {
    uint32_t from = r->ring[(size_t)row * r->ports + out];
    if (from)
      put(bus, loom_switch_window(LOOM_SWITCH_REG_PORTS, out - 1) + LOOM_SWITCH_WIN_RING,
          LOOM_PUT(LOOM_SWITCH_WIN_RING_ON, 1) | LOOM_PUT(LOOM_SWITCH_WIN_RING_FROM, from - 1));
  }
}

/* ---- maps ------------------------------------------------------------------------------------ */

/* The map entry of {in, out, what}, what: an SC or SL. */
typedef uint32_t entry_of(const struct loom_plan *p, uint32_t row, uint32_t in, uint32_t out,
                          uint32_t what);

/* SC2SC: the channel of the layer that the packet goes on. */
static uint32_t next_channel(const struct loom_plan *p, uint32_t row, uint32_t in, uint32_t out,
                             uint32_t sc) {
  const struct loom_spec *s = p->spec;
  for (uint32_t c = 0; c < s->classes; c++)
    for (uint32_t l = 0; l < p->routing->layers; l++)
      if (s->traffic_class[c].sc[l] == sc)
        return s->traffic_class[c].sc[loom_routing_layer(p->routing, row, in, out, 0, l)];
  return sc;
}

/* SL2VL: the lane of the layer that its class of paths is on here. */
static uint32_t lane_of_level(const struct loom_plan *p, uint32_t row, uint32_t in, uint32_t out,
                              uint32_t sl) {
  const struct loom_spec *s = p->spec;
  bool path = p->routing && p->routing->layering == LOOM_ROUTING_LAYER_PATH;
  uint32_t classes = path ? p->routing->classes : 1;
  for (uint32_t c = 0; c < s->classes; c++)
    if (sl >= s->traffic_class[c].sl && sl - s->traffic_class[c].sl < classes) {
      uint32_t layer =
          path ? loom_routing_layer(p->routing, row, in, out, sl - s->traffic_class[c].sl, 0) : 0;
      return s->traffic_class[c].vl[layer];
    }
  return sl;
}

/* The value that most inputs have for {out, what}. */
static uint32_t usual_entry(const uint32_t *value, uint32_t ports) {
  uint32_t count[SCS] = {0}, best = 0;
  for (uint32_t i = 0; i < ports; i++)
    count[value[i] % SCS]++;
  for (uint32_t v = 1; v < SCS; v++)
    if (count[v] > count[best])
      best = v;
  return best;
}

/* The maps of one switch. */
struct maps {
  const struct loom_plan *p;
  uint32_t row, ports;
  entry_of *entry;
  const struct loom_register_bus *bus;
};

/* Writes the map of {out, what}: what most inputs have to all of them, then the others. */
static void program_map(const struct maps *m, uint32_t out, uint32_t what) {
  uint32_t value[LOOM_FABRIC_PORTS];
  uint32_t at = LOOM_SWITCH_WIN_MAP + LOOM_SWITCH_MAP * out + what;
  for (uint32_t in = 0; in < m->ports; in++)
    value[in] = m->entry(m->p, m->row, in + 1, out + 1, what);
  uint32_t usual = usual_entry(value, m->ports);
  put(m->bus, of_ports(at), usual);
  for (uint32_t in = 0; in < m->ports; in++)
    if (value[in] != usual)
      put(m->bus, loom_switch_window(LOOM_SWITCH_REG_PORTS, in) + at, value[in]);
}

/* SLs or SCs that packets of the fabric have, a bit each. */
static uint32_t channels(const struct loom_plan *p) {
  const struct loom_spec *s = p->spec;
  bool path = p->routing && p->routing->layering == LOOM_ROUTING_LAYER_PATH;
  uint32_t layers = p->routing ? p->routing->layers : 1, set = 0;
  for (uint32_t c = 0; c < s->classes; c++) {
    if (loom_device_is_opa(s->kind))
      for (uint32_t l = 0; l < layers; l++)
        set |= 1u << s->traffic_class[c].sc[l];
    else
      for (uint32_t k = 0; k < (path ? p->routing->classes : 1); k++)
        set |= 1u << (s->traffic_class[c].sl + k);
  }
  return set;
}

/* A port that the topology's switch does not have is never asked for. */
static void program_maps(const struct loom_plan *p, uint32_t row, entry_of *entry,
                         const struct loom_register_bus *bus) {
  const struct maps m = {.p = p,
                         .row = row,
                         .ports = loom_min(p->topo->device[p->row[row]].ports, p->ports),
                         .entry = entry,
                         .bus = bus};
  for (uint32_t set = channels(p); set; set &= set - 1)
    for (uint32_t out = 0; out < m.ports; out++)
      program_map(&m, out, loom_ctz(set));
}

static void program_opa(const struct loom_plan *p, uint32_t row,
                        const struct loom_register_bus *bus) {
  const struct loom_spec *s = p->spec;
  bool turn = p->routing->layering == LOOM_ROUTING_LAYER_TURN && p->routing->layers > 1;
  for (uint32_t c = 0; c < s->classes; c++) {
    for (uint32_t l = 0; l < p->routing->layers; l++) {
      put(bus, LOOM_OPA_REG_SC2VL + s->traffic_class[c].sc[l], s->traffic_class[c].vl[l]);
      put(bus, LOOM_OPA_REG_SC2SL + s->traffic_class[c].sc[l], s->traffic_class[c].sl);
    }
    put(bus, LOOM_OPA_REG_SL2SC + s->traffic_class[c].sl, s->traffic_class[c].sc[0]);
  }
  if (turn)
    program_maps(p, row, next_channel, bus);
  put(bus, LOOM_SWITCH_REG_CONTROL,
      LOOM_PUT(LOOM_SWITCH_REG_CONTROL_MODE, turn ? LOOM_OPA_MODE_SC2SC : 0) |
          LOOM_PUT(LOOM_SWITCH_REG_CONTROL_CENTRAL, s->central_least));
}

/* ---- ways ------------------------------------------------------------------------------------ */

/* Members of a group, the first `slots` of which have its slots in turn. */
static void program_group(uint32_t group, const uint8_t *list, uint32_t count, uint32_t slots,
                          const struct loom_register_bus *bus) {
  uint64_t members = 0;
  for (uint32_t i = 0; i < count; i++)
    members |= 1ull << (list[i] - 1);
  put(bus, LOOM_SWITCH_REG_GROUP_MEMBERS + 2 * group, (uint32_t)members);
  put(bus, LOOM_SWITCH_REG_GROUP_MEMBERS + 2 * group + 1, (uint32_t)(members >> 32));
  for (uint32_t k = 0, i = 0; k < LOOM_GROUP_SLOTS; k++, i = i + 1 < slots ? i + 1 : 0)
    put(bus, LOOM_SWITCH_REG_GROUP_SLOTS + LOOM_GROUP_SLOTS * group + k, list[i] - 1u);
}

/* Groups of trunks, whose slots have all members; `group` tells them by LID. */
static uint32_t program_trunks(const struct loom_routing *r, uint32_t row, uint8_t *group,
                               const struct loom_register_bus *bus) {
  uint8_t of_port[LOOM_ROUTING_UNREACHABLE + 1], list[LOOM_ROUTING_PORTS];
  memset(of_port, LOOM_ROUTING_NO_GROUP, sizeof of_port);
  uint32_t groups = loom_routing_groups(r, row, of_port), next = 0;
  for (uint32_t lid = 0; lid < r->lids; lid++) {
    uint32_t port = loom_routing_out(r, row, lid);
    group[lid] = of_port[port];
    if (next == groups || group[lid] != next)
      continue;
    uint32_t count = loom_routing_members(r, row, port, list);
    program_group(next++, list, count, count, bus);
  }
  return groups;
}

/* Groups of a port on the shortest way, which all slots have, and another one. */
static uint32_t program_pairs(const struct loom_routing *r, uint32_t row, uint8_t *group,
                              const struct loom_register_bus *bus) {
  uint32_t groups = loom_routing_pairs(r, row, group), next = 0;
  for (uint32_t lid = 0; next < groups; lid++) {
    const uint8_t list[2] = {loom_routing_out(r, row, lid), loom_routing_other(r, row, lid)};
    if (group[lid] == next)
      program_group(next++, list, 2, 1, bus);
  }
  return groups;
}

static void program_groups(const struct loom_plan *p, uint32_t row, uint8_t *group,
                           const struct loom_register_bus *bus) {
  const struct loom_routing *r = p->routing;
  uint32_t groups =
      r->other ? program_pairs(r, row, group, bus) : program_trunks(r, row, group, bus);
  for (uint32_t k = 0; groups && p->spec->loads_given && k < LOOM_SPEC_LOADS; k++)
    put(bus, LOOM_SWITCH_REG_GROUP_LOAD + k, p->spec->loads[k]);
  if (groups) {
    put(bus, LOOM_SWITCH_REG_GROUP_HASH, r->hash ? r->hash[row] : 0);
    put(bus, LOOM_SWITCH_REG_GROUP_COUNT, groups);
  }
}

/* What the table says where the routing says `port`, or which group it is in. */
static uint32_t entry(const struct loom_plan *p, uint32_t port, uint32_t group) {
  bool none = port == 0 || port == LOOM_ROUTING_UNREACHABLE || port > p->ports;
  uint32_t mode = loom_spec_by_load(p->spec) ? LOOM_SWITCH_BY_LOAD : LOOM_SWITCH_BY_FLOW;
  if (none || group == LOOM_ROUTING_NO_GROUP)
    return none ? LOOM_SWITCH_NOWHERE : port - 1;
  return LOOM_PUT(LOOM_SWITCH_REG_LFT_MODE, mode) | LOOM_PUT(LOOM_SWITCH_REG_LFT_OUT, group);
}

static void program_lft(const struct loom_plan *p, uint32_t row,
                        const struct loom_register_bus *bus) {
  const struct loom_routing *r = p->routing;
  uint8_t group[LOOM_TOPO_LID_MAX + 1];
  if (r->ring)
    program_rings(p, row, bus);
  program_groups(p, row, group, bus);
  for (uint32_t lid = 0; lid < r->lids; lid++)
    put(bus, LOOM_SWITCH_REG_LFT + lid, entry(p, loom_routing_out(r, row, lid), group[lid]));
  put(bus, LOOM_SWITCH_REG_LFT_COUNT, r->lids);
}

static void program_kns(const struct loom_plan *p, uint32_t row,
                        const struct loom_register_bus *bus) {
  const struct loom_topo_device *d = &p->topo->device[p->row[row]];
  const struct loom_shape *shape = &p->spec->shape;
  uint32_t at = loom_clog2(shape->nodes ? shape->nodes : 1);
  uint32_t address = p->kns_prefix;
  bool router = loom_plan_is_router(p, row);
  for (uint32_t i = 0; router && i < shape->n; i++)
    address |= d->coord[i] << (at + i * p->kns_w);
  if (!router)
    put(bus, LOOM_KNS_REG_DIMENSION, d->coord[0]);
  put(bus, LOOM_KNS_REG_ADDRESS, address | LOOM_PUT(LOOM_KNS_REG_ADDRESS_ON, 1));
}

void loom_write_switch_registers(const struct loom_plan *p, uint32_t row,
                                 const struct loom_register_bus *bus) {
  program_buffers(p, bus);
  if (loom_device_is_opa(p->spec->kind)) {
    program_opa(p, row, bus);
  } else {
    program_maps(p, row, lane_of_level, bus);
    put(bus, LOOM_SWITCH_REG_CONTROL, LOOM_IB_MODE_SL2VL);
  }
  if (loom_device_is_kns(p->spec->kind))
    program_kns(p, row, bus);
  else
    program_lft(p, row, bus);
}

uint32_t loom_host_sched(const struct loom_plan *p) {
  uint32_t sched = parameter(p, "SCHED");
  return sched >= LOOM_OUTPUT_DEFICIT_ROUND_ROBIN ? LOOM_PORT_DTABLE : sched;
}

void loom_write_host_registers(const struct loom_plan *p, const struct loom_register_bus *bus) {
  uint32_t vls = 32 - (uint32_t)__builtin_clz(p->used | 1);
  share(bus, LOOM_PORT_REG_BUFFER, &p->nic, vls);
  share(bus, LOOM_PORT_REG_TRACKER, &p->in, vls);
  table(p, bus, LOOM_PORT_REG_TABLE, loom_host_sched(p));
}

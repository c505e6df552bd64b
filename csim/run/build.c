/* SPDX-License-Identifier: Apache-2.0 */

#include "run/build_state.h"

#include <inttypes.h>
#include <loom/bits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fabric/crew.h"
#include "fabric/ledger_part.h"
#include "fabric/preempt_class.h"
#include "io/streams.h"
#include "io/text_stream.h"
#include "run/register_writes.h"

enum { CIRCLE_MAX = 256, NO_VL = 255 };
enum { SHARED_FROM = 16 }; /* switches: with fewer it does not pay */

/* How the fabrics of a kind are built and looked at. */
struct system {
  bool (*build)(struct loom_built *b, const struct loom_build_cfg *cfg,
                struct loom_plan_error *err);
  bool (*post)(const struct loom_built *b, uint32_t host, const struct loom_message *message);
  bool (*is_empty)(const struct loom_built *b); /* all messages have arrived, and packets */
  void (*count)(const struct loom_built *b, struct loom_built_counts *c);
};

/* ---- some of the devices --------------------------------------------------------------------- */

/* A device of the topology is made in this process. */
static bool is_mine(const struct loom_build_cfg *cfg, uint32_t device) {
  return !cfg->mine || cfg->mine[device];
}

/* The ports of a device of another process that are joined with this one's. */
static uint64_t joined_with(const struct loom_build_cfg *cfg, uint32_t device) {
  const struct loom_topo *t = cfg->plan->topo;
  uint64_t ports = 0;
  for (uint32_t port = 1; port <= t->device[device].ports; port++) {
    uint32_t far = loom_topo_port(t, device, port)->device;
    ports |= (uint64_t)(far != LOOM_TOPO_NONE && is_mine(cfg, far)) << (port - 1);
  }
  return ports;
}

/* Switches, or hosts, that are made here. */
static uint32_t switches_of(const struct loom_build_cfg *cfg) {
  uint32_t count = 0;
  for (uint32_t row = 0; row < cfg->plan->switches; row++)
    count += is_mine(cfg, cfg->plan->row[row]);
  return count;
}

static uint32_t hosts_of(const struct loom_build_cfg *cfg) {
  uint32_t count = 0;
  for (uint32_t h = 0; h < cfg->plan->hosts; h++)
    count += is_mine(cfg, cfg->plan->host[h].device);
  return count;
}

/* Of so many, how many are made. */
static uint32_t made_of(const struct loom_memory_sample *sample, uint32_t all) {
  return sample ? sample->most : all;
}

/* One more device is there: of those that are to be measured, or of all, which need the memory. */
static bool made_one(struct loom_memory_sample *sample, struct loom_memory_growth *growth,
                     uint32_t done, uint32_t all, const char *devices,
                     struct loom_plan_error *err) {
  if (!sample)
    return loom_memory_check(growth, done, all, devices, err);
  loom_memory_note(sample);
  return true;
}

/* ---- switches -------------------------------------------------------------------------------- */

/* The parameters of every kind of switch. */
union parameters {
  struct loom_ib_switch_cfg ib;
  struct loom_crossbar_switch_cfg crossbar;
  struct loom_opa_switch_cfg opa;
  struct loom_mport_switch_cfg mport;
  struct loom_kns_node_cfg node;
  struct loom_kns_switch_cfg switch_;
};

/* Those that follow from the fabric; registers do the rest. */
#define FOLLOW(cfg, plan)                                                                          \
  do {                                                                                             \
    (cfg)->RESERVED_IN = (cfg)->RESERVED_OUT = (cfg)->REMOTE_RESERVED = 0;                         \
    (cfg)->REMOTE_UNITS = (plan)->in.total;                                                        \
  } while (0)

static uint32_t lids(const struct loom_plan *p) {
  return loom_max(p->routing->lids, loom_max(p->lid_room, 16));
}

static void ib_parameters(const struct loom_plan *p, struct loom_ib_switch_cfg *cfg) {
  loom_ib_switch_defaults(cfg);
  loom_parameters_ib(&p->spec->parameters, cfg);
  FOLLOW(cfg, p);
  cfg->PORTS = p->ports;
  cfg->LIDS = lids(p);
}

/* The units of the largest packet. */
static uint32_t largest(const struct loom_plan *p) {
  uint32_t units = 1;
  for (uint32_t used = p->used; used; used &= used - 1)
    units = loom_max(units, p->units[loom_ctz(used)]);
  return units;
}

static void crossbar_parameters(const struct loom_plan *p, struct loom_crossbar_switch_cfg *cfg) {
  loom_crossbar_switch_defaults(cfg);
  loom_parameters_crossbar(&p->spec->parameters, cfg);
  cfg->RESERVED_OUT = cfg->REMOTE_RESERVED = 0;
  cfg->REMOTE_UNITS = p->in.total;
  cfg->MTU_UNITS = largest(p);
}

/* By an LFT. What groups of ports take is a part of the delay at the input, so that the latencies
 * of stages stay. */
static void table_parameters(const struct loom_plan *p, struct loom_crossbar_switch_cfg *cfg) {
  cfg->PORTS = p->ports;
  cfg->LIDS = lids(p);
  cfg->GROUPS = p->port_groups;
  cfg->BUBBLE = p->routing->ring != NULL;
  if (cfg->GROUPS && cfg->IN_DELAY >= LOOM_CROSSBAR_GROUP_CYCLES)
    cfg->IN_DELAY -= LOOM_CROSSBAR_GROUP_CYCLES;
  if (p->spec->express && cfg->IN_DELAY >= LOOM_PREEMPT_CYCLES)
    cfg->IN_DELAY -= LOOM_PREEMPT_CYCLES;
}

/* By coordinates, as a node or a switch of a KNS. */
static void place_parameters(const struct loom_plan *p, uint32_t row,
                             struct loom_crossbar_switch_cfg *cfg) {
  const struct loom_shape *shape = &p->spec->shape;
  bool router = loom_plan_is_router(p, row);
  cfg->ROUTE = router ? LOOM_KNS_NODE : LOOM_KNS_SWITCH;
  cfg->HOSTS = shape->nodes ? shape->nodes : 1;
  cfg->DIMS = shape->n;
  cfg->W = p->kns_w;
  cfg->PORTS = router ? cfg->HOSTS + cfg->DIMS : shape->k;
}

static uint32_t mports(const struct loom_plan *p) { return loom_max(2, (p->ports + 3) / 4); }

static void opa_parameters(const struct loom_plan *p, struct loom_opa_switch_cfg *cfg) {
  loom_opa_switch_defaults(cfg);
  loom_parameters_opa(&p->spec->parameters, cfg);
  FOLLOW(cfg, p);
  cfg->RESERVED_CENTRAL = 0;
  cfg->MPORTS = mports(p);
  cfg->LIDS = lids(p);
}

static void mport_parameters(const struct loom_plan *p, struct loom_mport_switch_cfg *cfg) {
  loom_mport_switch_defaults(cfg);
  loom_parameters_mport(&p->spec->parameters, cfg);
  cfg->RESERVED_CENTRAL = cfg->RESERVED_OUT = cfg->REMOTE_RESERVED = 0;
  cfg->REMOTE_UNITS = p->in.total;
  cfg->MTU_UNITS = largest(p);
  cfg->MPORTS = mports(p);
  cfg->LIDS = lids(p);
}

static void node_parameters(const struct loom_plan *p, struct loom_kns_node_cfg *cfg) {
  const struct loom_shape *shape = &p->spec->shape;
  loom_kns_node_defaults(cfg);
  loom_parameters_kns_node(&p->spec->parameters, cfg);
  FOLLOW(cfg, p);
  cfg->HOSTS = shape->nodes ? shape->nodes : 1;
  cfg->DIMS = shape->n;
  cfg->W = p->kns_w;
}

static void kns_switch_parameters(const struct loom_plan *p, struct loom_kns_switch_cfg *cfg) {
  const struct loom_shape *shape = &p->spec->shape;
  loom_kns_switch_defaults(cfg);
  loom_parameters_kns_switch(&p->spec->parameters, cfg);
  FOLLOW(cfg, p);
  cfg->K = shape->k;
  cfg->HOSTS = shape->nodes ? shape->nodes : 1;
  cfg->DIMS = shape->n;
  cfg->W = p->kns_w;
}

typedef struct loom_crossbar_device *new_of(struct loom_fabric *f,
                                            const struct loom_crossbar_switch_cfg *cfg);
static new_of *const new_crossbar[] = {[LOOM_ENGINE_STEP] = loom_crossbar_switch_new,
                                       [LOOM_ENGINE_PACKET] = loom_crossbar_packets_new,
                                       [LOOM_ENGINE_BOTH] = loom_crossbar_pair_new};

static const struct loom_fabric_class *const crossbar_class[] = {
    [LOOM_ENGINE_STEP] = &loom_crossbar_switch_class,
    [LOOM_ENGINE_PACKET] = &loom_crossbar_packets_class,
    [LOOM_ENGINE_BOTH] = &loom_crossbar_pair_class};

/* A switch after reset; its class and parameters. */
static void *new_switch(const struct loom_built *b, uint32_t row, union parameters *cfg,
                        const struct loom_fabric_class **class) {
  const struct loom_plan *p = b->plan;
  switch (p->spec->kind) {
  case LOOM_DEVICE_IB:
    ib_parameters(p, &cfg->ib);
    *class = &loom_ib_switch_class;
    return loom_ib_switch_new(b->fabric, &cfg->ib);
  case LOOM_DEVICE_CROSSBAR:
  case LOOM_DEVICE_KNS_CROSSBAR:
    crossbar_parameters(p, &cfg->crossbar);
    if (loom_device_is_kns(p->spec->kind))
      place_parameters(p, row, &cfg->crossbar);
    else
      table_parameters(p, &cfg->crossbar);
    *class = p->spec->express ? &loom_preempt_class : crossbar_class[p->engine];
    if (p->spec->express)
      return loom_preempt_new(b->fabric, &cfg->crossbar, p->spec->express);
    return new_crossbar[p->engine](b->fabric, &cfg->crossbar);
  case LOOM_DEVICE_OPA:
    opa_parameters(p, &cfg->opa);
    *class = &loom_opa_switch_class;
    return loom_opa_switch_new(b->fabric, &cfg->opa);
  case LOOM_DEVICE_MPORT:
    mport_parameters(p, &cfg->mport);
    *class = &loom_mport_switch_class;
    return loom_mport_switch_new(b->fabric, &cfg->mport);
  case LOOM_DEVICE_KNS:
    if (loom_plan_is_router(p, row)) {
      node_parameters(p, &cfg->node);
      *class = &loom_kns_node_class;
      return loom_kns_node_new(b->fabric, &cfg->node);
    }
    kns_switch_parameters(p, &cfg->switch_);
    *class = &loom_kns_switch_class;
    return loom_kns_switch_new(b->fabric, &cfg->switch_);
  case LOOM_DEVICE_ELITE5:
  case LOOM_DEVICE_CROSSPOINT:
  case LOOM_DEVICE_KINDS:
    break;
  }
  return NULL;
}

/* A device's register bus in the fabric. */
struct bus {
  struct loom_fabric *fabric;
  uint32_t device;
};

static void write_register(void *context, uint32_t addr, uint32_t data) {
  const struct bus *b = context;
  loom_fabric_write(b->fabric, b->device, addr, data);
}

/* A circuit beside the twin, if the file wants one. */
static bool attach_shadow(const struct loom_build_cfg *cfg, const struct loom_shadow_switch *s,
                          struct loom_plan_error *err) {
  char why[400] = "this command was built without circuits";
  if (!loom_plan_is_shadowed(cfg->plan, s->name) ||
      (cfg->shadow && cfg->shadow->attach(cfg->shadow->context, s, why, sizeof why)))
    return true;
  return loom_plan_fail(err, LOOM_EXIT_BAD_INPUT, "shadow", "%s: %s", s->name, why);
}

/* Somebody may count what arrives at a device. */
static bool watch(const struct loom_built *b, struct loom_fabric *f, uint32_t device,
                  struct loom_plan_error *err) {
  return !b->watch || loom_watch_device(b->watch, f, device) || loom_plan_no_memory(err);
}

static bool add_switch(struct loom_built *b, const struct loom_build_cfg *cfg, uint32_t row,
                       struct loom_plan_error *err) {
  const struct loom_plan *p = b->plan;
  const struct loom_fabric_class *class = NULL;
  union parameters parameters;
  char name[LOOM_TOPO_NAME];
  loom_plan_name(p, row, name);
  b->device[row] = new_switch(b, row, &parameters, &class);
  if (!b->device[row])
    return loom_plan_fail(err, LOOM_EXIT_FAILED, "switch.parameters",
                          "not legal together, or out of memory: %s", name);
  uint32_t device = loom_fabric_add(b->fabric, class, b->device[row]);
  const struct loom_shadow_switch shadow = {.fabric = b->fabric,
                                            .device = device,
                                            .name = name,
                                            .device_class = class,
                                            .cfg = &parameters};
  b->number[p->row[row]] = device;
  if (!attach_shadow(cfg, &shadow, err) || !watch(b, b->fabric, device, err))
    return false;
  struct bus bus = {b->fabric, device};
  loom_write_switch_registers(p, row, &(struct loom_register_bus){write_register, &bus});
  return true;
}

/* Nothing looks at the class of a device of another process but for the ports. */
static const struct loom_fabric_class foreign_class = {.name = "foreign"};

static bool add_foreign(const struct loom_built *b, uint32_t number, uint64_t ports,
                        struct loom_plan_error *err) {
  b->number[number] = loom_fabric_add_foreign(b->fabric, &foreign_class, ports);
  return b->number[number] != LOOM_FABRIC_NONE || loom_plan_no_memory(err);
}

static bool add_switches(struct loom_built *b, const struct loom_build_cfg *cfg,
                         struct loom_plan_error *err) {
  const struct loom_plan *p = b->plan;
  struct loom_memory_sample *sample = cfg->sample ? &cfg->sample->switches : NULL;
  struct loom_memory_growth growth = loom_memory_begin();
  uint32_t all = switches_of(cfg), made = made_of(sample, all), done = 0, number = 0;
  bool ok = true;
  for (uint32_t row = 0; ok && row < p->switches; row++) {
    bool mine = is_mine(cfg, p->row[row]);
    if (!mine && !sample)
      ok = add_foreign(b, p->row[row], joined_with(cfg, p->row[row]), err);
    if (!mine || number++ != (uint64_t)done * all / made)
      continue;
    ok = add_switch(b, cfg, row, err) && made_one(sample, &growth, ++done, all, "switches", err);
  }
  return ok;
}

/* ---- hosts ----------------------------------------------------------------------------------- */

/* The link's VL and the scheduler's key of everything that a head may say. */
static void host_maps(const struct loom_plan *p, struct loom_host_cfg *cfg) {
  const struct loom_spec *s = p->spec;
  bool opa = loom_device_is_opa(s->kind);
  bool path = p->routing && p->routing->layering == LOOM_ROUTING_LAYER_PATH;
  uint32_t classes = path ? p->routing->classes : 1;
  memset(cfg->vl, (int)loom_ctz(p->used), sizeof cfg->vl); /* of heads that nobody sends */
  for (uint32_t c = 0; c < s->classes; c++) {
    const struct loom_spec_class *class = &s->traffic_class[c];
    uint32_t first = opa ? class->sc[0] : class->sl;
    cfg->sc[c] = (uint8_t)first;
    cfg->mtu[c] = (uint16_t) class->mtu;
    cfg->packet[c] = class->trains ? (uint16_t) class->packet : 0;
    for (uint32_t k = 0; k < classes; k++) {
      cfg->vl[first + k] = class->vl[path ? p->routing->inject[k] : 0];
      cfg->sl[first + k] = (uint8_t) class->sl;
    }
  }
}

static void host_cfg(const struct loom_plan *p, uint64_t seed, struct loom_host_cfg *cfg) {
  const struct loom_parameters *given = &p->spec->parameters;
  enum loom_device_kind kind = p->spec->kind;
  const struct loom_routing *r = p->routing;
  *cfg = (struct loom_host_cfg){.classes = p->spec->classes,
                                .lid = p->lid,
                                .paths = r ? 1u << r->lmc : 1,
                                .steady = p->spec->steady,
                                .express = p->spec->express,
                                .seed = seed};
  loom_sched_port_defaults(&cfg->port);
  cfg->port.SCHED = loom_host_sched(p);
  cfg->port.KEYS = loom_parameter_value(given, kind, "KEYS");
  cfg->port.ARB_KEY = loom_parameter_value(given, kind, "ARB_KEY");
  cfg->port.ENTRIES = loom_parameter_value(given, kind, "ENTRIES");
  cfg->port.IB_WEIGHTS = loom_parameter_value(given, kind, "IB_WEIGHTS");
  cfg->port.N_HIGH = loom_parameter_value(given, kind, "N_HIGH");
  cfg->port.N_LOW = loom_parameter_value(given, kind, "N_LOW");
  cfg->port.VLS = 32 - (uint32_t)__builtin_clz(p->used);
  cfg->port.CELLS = p->nic.total;
  cfg->port.REMOTE_UNITS = p->in.total;
  cfg->port.RESERVED = cfg->port.REMOTE_RESERVED = 0;
  if (r && r->layering == LOOM_ROUTING_LAYER_PATH && r->classes > 1) {
    cfg->path = r->path;
    cfg->stride = r->lids;
  }
  host_maps(p, cfg);
}

static const struct loom_topo_port *far_of_host(const struct loom_plan *p, uint32_t h) {
  return loom_topo_port(p->topo, p->host[h].device, p->host[h].port);
}

static bool add_host(struct loom_built *b, const struct loom_host_cfg *cfg, uint32_t number,
                     struct loom_plan_error *err) {
  const struct loom_plan *p = b->plan;
  struct loom_host *h = loom_host_create(cfg, b->ledger, number);
  if (!h)
    return loom_plan_fail(err, LOOM_EXIT_FAILED, "host",
                          "what the classes ask for is not legal together, or out of memory");
  b->host[number] = h;
  struct bus bus = {b->fabric, loom_fabric_add(b->fabric, &loom_host_class, h)};
  loom_host_attach(h, b->fabric, bus.device);
  b->number[p->topo->devices + number] = bus.device;
  loom_write_host_registers(p, &(struct loom_register_bus){write_register, &bus});
  return watch(b, b->fabric, bus.device, err);
}

/* Its packets are known by its LID. */
static bool add_foreign_host(const struct loom_built *b, const struct loom_build_cfg *cfg,
                             uint32_t number, struct loom_plan_error *err) {
  const struct loom_plan *p = b->plan;
  loom_ledger_name(b->ledger, p->lid[number], number);
  return add_foreign(b, p->topo->devices + number,
                     is_mine(cfg, far_of_host(p, number)->device) ? 1 : 0, err);
}

static bool add_hosts(struct loom_built *b, const struct loom_build_cfg *build,
                      struct loom_plan_error *err) {
  const struct loom_plan *p = b->plan;
  struct loom_memory_sample *sample = build->sample ? &build->sample->hosts : NULL;
  struct loom_memory_growth growth = loom_memory_begin();
  struct loom_host_cfg cfg;
  uint32_t all = hosts_of(build), made = made_of(sample, all), done = 0;
  bool ok = true;
  host_cfg(p, build->seed, &cfg);
  for (uint32_t h = 0; ok && h < p->hosts && (!sample || done < made); h++) {
    bool mine = is_mine(build, p->host[h].device);
    if (mine)
      ok = add_host(b, &cfg, h, err) && made_one(sample, &growth, ++done, all, "hosts", err);
    else if (!sample)
      ok = add_foreign_host(b, build, h, err);
  }
  return ok;
}

/* ---- cables ---------------------------------------------------------------------------------- */

static void spoil(const struct loom_built *b, uint32_t link) {
  if (b->plan->spec->bit_errors)
    loom_fabric_errors(b->fabric, link, (double)b->plan->spec->bit_errors / 1e12);
}

/* Each cable once: from the device with the lower number. */
static void join_switches(struct loom_built *b, uint32_t d) {
  const struct loom_topo *t = b->plan->topo;
  for (uint32_t port = 1; port <= t->device[d].ports; port++) {
    const struct loom_topo_port *far = loom_topo_port(t, d, port);
    if (far->device == LOOM_TOPO_NONE || far->device < d ||
        t->device[far->device].kind != LOOM_TOPO_SWITCH)
      continue;
    spoil(b, loom_fabric_connect(b->fabric, b->number[d], port - 1, b->number[far->device],
                                 far->port - 1u, b->plan->latency));
  }
}

static bool are_hosts_at_switches(const struct loom_plan *p, struct loom_plan_error *err) {
  for (uint32_t h = 0; h < p->hosts; h++)
    if (p->topo->device[far_of_host(p, h)->device].kind != LOOM_TOPO_SWITCH)
      return loom_plan_fail(err, LOOM_EXIT_BAD_INPUT, "topology", "%s is not joined to a switch",
                            p->topo->device[p->host[h].device].name);
  return true;
}

static void join_host(struct loom_built *b, uint32_t h) {
  const struct loom_plan *p = b->plan;
  const struct loom_topo_port *far = far_of_host(p, h);
  spoil(b, loom_fabric_connect(b->fabric, b->number[p->topo->devices + h], 0,
                               b->number[far->device], far->port - 1u, p->host_latency));
}

static void join(struct loom_built *b) {
  const struct loom_plan *p = b->plan;
  for (uint32_t row = 0; row < p->switches; row++)
    join_switches(b, p->row[row]);
  for (uint32_t h = 0; h < p->hosts; h++)
    join_host(b, h);
}

/* ---- fabrics of switches and hosts ----------------------------------------------------------- */

static bool make_rooms(struct loom_built *b, const struct loom_build_cfg *cfg) {
  const struct loom_plan *p = cfg->plan;
  const struct loom_fabric_cfg room = {.devices = p->switches + p->hosts,
                                       .links = p->topo->ports / 2 + 1,
                                       .latency = loom_max(p->latency, p->host_latency),
                                       .seed = loom_scramble(cfg->seed + 1)};
  b->fabric = loom_fabric_create(&room);
  if (b->fabric && p->engine != LOOM_ENGINE_STEP)
    loom_fabric_allow_streams(b->fabric);
  b->ledger = loom_ledger_create(p->hosts, cfg->receive, cfg->context);
  if (b->ledger)
    loom_ledger_on_packet(b->ledger, cfg->packet);
  b->host = calloc(p->hosts, sizeof(void *));
  b->device = calloc(p->switches, sizeof *b->device);
  b->granted = calloc(p->switches, sizeof(void *));
  return b->fabric && b->ledger && b->host && b->device && b->granted;
}

static bool build_switches(struct loom_built *b, const struct loom_build_cfg *cfg,
                           struct loom_plan_error *err) {
  if (!make_rooms(b, cfg))
    return loom_plan_no_memory(err);
  if (!add_switches(b, cfg, err) || !add_hosts(b, cfg, err) || !are_hosts_at_switches(b->plan, err))
    return false;
  if (cfg->sample)
    return true;
  join(b);
  loom_fabric_begin(b->fabric);
  return true;
}

static bool post_to_host(const struct loom_built *b, uint32_t host,
                         const struct loom_message *message) {
  return loom_host_post(b->host[host], message);
}

/* A fabric in which packets wait for each other for ever is silent, too, but not empty. */
static bool are_switches_empty(const struct loom_built *b) {
  struct loom_ledger_counts l = loom_ledger_counts(b->ledger);
  return l.received == l.posted && loom_fabric_quiet(b->fabric);
}

/* Packets that a switch refused or dropped. */
static uint64_t dropped_by(const struct loom_switch *s, uint32_t ports) {
  uint64_t sum = 0;
  for (uint32_t port = 0; port < ports; port++)
    for (uint32_t c = LOOM_SWITCH_REFUSED_HEADER; c <= LOOM_SWITCH_DROPPED_MTU; c++)
      sum += s->port[port].counter[c];
  return sum;
}

/* A device of theirs begins with its twin, and that with its chassis. */
const struct loom_chassis *loom_built_chassis(const struct loom_built *b, uint32_t row) {
  return b->device[row];
}

uint32_t loom_built_ports(const struct loom_built *b, uint32_t row) {
  return loom_device_has_chassis(b->plan->spec->kind)
             ? loom_built_chassis(b, row)->ports
             : ((const struct loom_switch *)b->device[row])->ports;
}

static struct loom_sched_grants *grants_of(const struct loom_built *b, uint32_t row,
                                           uint32_t port) {
  struct loom_chassis *chassis = b->device[row];
  struct loom_switch *s = b->device[row];
  return loom_device_has_chassis(b->plan->spec->kind) ? &chassis->port[port].output.grants
                                                      : &s->output[port].grants;
}

const struct loom_sched_grants *loom_built_grants(const struct loom_built *b, uint32_t row,
                                                  uint32_t port) {
  return b->device[row] ? grants_of(b, row, port) : &b->granted[row][port];
}

bool loom_built_put_grants(struct loom_built *b, uint32_t row, uint32_t port,
                           const struct loom_sched_grants *grants) {
  if (!b->granted[row])
    b->granted[row] = calloc(LOOM_FABRIC_PORTS, sizeof **b->granted);
  if (b->granted[row])
    b->granted[row][port] = *grants;
  return b->granted[row];
}

static void count_grants(const struct loom_built *b, struct loom_built_counts *c) {
  for (uint32_t row = 0; row < b->plan->switches; row++)
    for (uint32_t port = 0; b->device[row] && port < loom_built_ports(b, row); port++) {
      const struct loom_sched_grants *g = loom_built_grants(b, row, port);
      c->grants += g->all;
      c->contended += g->contended;
    }
}

static void count_switches(const struct loom_built *b, struct loom_built_counts *c) {
  struct loom_ledger_counts l = loom_ledger_counts(b->ledger);
  c->stray = l.stray;
  c->exhausted = l.exhausted;
  bool chassis = loom_device_has_chassis(b->plan->spec->kind);
  for (uint32_t row = 0; row < b->plan->switches; row++)
    if (b->device[row])
      c->dropped += chassis ? loom_chassis_dropped(loom_built_chassis(b, row))
                            : dropped_by(b->device[row], b->plan->ports);
  count_grants(b, c);
}

/* ---- fabrics of Elite5 routers and Elan5 endpoints ------------------------------------------- */

enum { MEMORY_LEAST = 64 };

/* The tables of a router that is only measured. */
static void fill_tables(const struct loom_built *b, struct loom_fabric *f, uint32_t device) {
  const struct loom_fabric_class *class = loom_fabric_class_of(f, device);
  for (uint32_t node = 0; class->load && node < b->plan->hosts; node++)
    class->load(loom_fabric_device(f, device), LOOM_ELITE5_REG_DEST + node, 0);
}

/* While such a fabric is being made. */
struct making {
  struct loom_built *b;
  const struct loom_build_cfg *cfg;
  const struct loom_elite5_router_cfg *parameters;
  struct loom_memory_growth growth; /* of routers, then of nodes */
  uint32_t routers;
  struct loom_plan_error *err;
};

static bool router_added(void *context, struct loom_fabric *f, uint32_t router, uint32_t device) {
  struct making *m = context;
  const struct loom_plan *p = m->b->plan;
  char name[LOOM_TOPO_NAME];
  loom_plan_name(p, router, name);
  m->b->number[p->row[router]] = device;
  const struct loom_shadow_switch shadow = {.fabric = f,
                                            .device = device,
                                            .name = name,
                                            .device_class = &loom_elite5_router_class,
                                            .cfg = m->parameters};
  struct loom_memory_sample *sample = m->cfg->sample ? &m->cfg->sample->switches : NULL;
  if (!attach_shadow(m->cfg, &shadow, m->err) || !watch(m->b, f, device, m->err))
    return false;
  if (sample)
    fill_tables(m->b, f, device);
  return made_one(sample, &m->growth, ++m->routers, p->switches, "routers", m->err);
}

static uint32_t add_elan5(void *context, struct loom_fabric *f, struct loom_elan5 *endpoint) {
  struct making *m = context;
  if (!m->b->hosts)
    m->growth = loom_memory_begin();
  struct loom_memory_sample *sample = m->cfg->sample ? &m->cfg->sample->hosts : NULL;
  if (!made_one(sample, &m->growth, m->b->hosts, m->b->plan->hosts, "nodes", m->err))
    return LOOM_FABRIC_NONE;
  uint32_t device = loom_elan5_host_add(m->b->elan5, f, endpoint);
  m->b->number[m->b->plan->topo->devices + m->b->hosts++] = device;
  return device == LOOM_FABRIC_NONE || watch(m->b, f, device, m->err) ? device : LOOM_FABRIC_NONE;
}

static struct loom_elan5_hosts *make_elan5(const struct loom_build_cfg *cfg) {
  const struct loom_spec *s = cfg->plan->spec;
  struct loom_elan5_hosts_cfg hosts = {.hosts = cfg->plan->hosts,
                                       .classes = s->classes,
                                       .take = s->take,
                                       .jobs = cfg->collectives ? cfg->collectives->jobs : 0,
                                       .job = cfg->collectives ? cfg->collectives->job : NULL,
                                       .receive = cfg->receive,
                                       .context = cfg->context};
  for (uint32_t c = 0; c < s->classes; c++)
    hosts.prio[c] = (uint8_t)s->traffic_class[c].sl;
  return loom_elan5_hosts_create(&hosts);
}

static void elite5_cfg(const struct loom_plan *p, uint64_t seed,
                       struct loom_elite5_fabric_cfg *cfg) {
  loom_elite5_fabric_defaults(cfg, p->topo);
  loom_parameters_elite5(&p->spec->parameters, &cfg->router);
  cfg->second = p->spec->kind == LOOM_DEVICE_CROSSPOINT;
  if (cfg->second)
    cfg->pipe = loom_parameter_value(&p->spec->parameters, p->spec->kind, "PIPE");
  cfg->policy = p->spec->policy;
  cfg->seed = seed;
  cfg->latency = p->latency;
  cfg->host_latency = p->host_latency;
  cfg->endpoint.packet = p->spec->traffic_class[0].mtu * LOOM_FLIT_BYTES;
  cfg->endpoint.queue = p->spec->queue;
  cfg->endpoint.memory = loom_max(MEMORY_LEAST, p->memory);
  cfg->groups = loom_max(cfg->groups, p->groups);
  loom_elite5_fabric_fit(cfg);
}

/* Their groups stand in the tables when the run begins. */
static void prepare_collectives(const struct loom_built *b, const struct loom_collectives *c) {
  if (!c || !c->groups)
    return;
  loom_collectives_write(c, b->elite5);
  loom_elite5_fabric_flush(b->elite5);
  loom_fabric_begin(b->fabric);
}

static bool build_elite5(struct loom_built *b, const struct loom_build_cfg *cfg,
                         struct loom_plan_error *err) {
  struct loom_elite5_fabric_cfg elite5;
  struct making m = {
      .b = b, .cfg = cfg, .parameters = &elite5.router, .growth = loom_memory_begin(), .err = err};
  elite5_cfg(cfg->plan, cfg->seed, &elite5);
  elite5.add_node = add_elan5;
  elite5.added = router_added;
  elite5.context = &m;
  b->elan5 = make_elan5(cfg);
  if (b->elan5 && cfg->sample)
    return loom_elite5_fabric_sample(&elite5, cfg->sample->switches.most,
                                     cfg->sample->hosts.most) ||
           (err->status ? false : loom_plan_no_memory(err));
  b->elite5 = b->elan5 ? loom_elite5_fabric_create(&elite5) : NULL;
  if (!b->elite5)
    return err->status ? false : loom_plan_no_memory(err);
  b->fabric = b->elite5->fabric;
  prepare_collectives(b, cfg->collectives);
  for (uint32_t l = 0; l < b->elite5->links; l++)
    spoil(b, l);
  b->faults =
      cfg->plan->spec->faults ? loom_faults_create(cfg->plan, b->elite5, cfg->collectives) : NULL;
  return b->faults || !cfg->plan->spec->faults || loom_plan_no_memory(err);
}

static bool post_to_elan5(const struct loom_built *b, uint32_t host,
                          const struct loom_message *message) {
  return loom_elan5_host_post(b->elan5, host, message);
}

static bool is_elite5_empty(const struct loom_built *b) {
  return !loom_elan5_hosts_busy(b->elan5) && loom_elite5_fabric_idle(b->elite5);
}

static void count_elite5(const struct loom_built *b, struct loom_built_counts *c) {
  c->nacks = loom_elan5_hosts_nacks(b->elan5);
  c->stray = loom_elan5_hosts_stray(b->elan5) + loom_elan5_hosts_wrong(b->elan5);
  c->exhausted = loom_elan5_hosts_exhausted(b->elan5);
  uint32_t job = 0;
  for (uint32_t i = 0; i < b->plan->spec->collectives; i++)
    for (uint32_t k = 0; k < b->plan->spec->collective[i].jobs; k++) {
      struct loom_elan5_job_counts of = loom_elan5_hosts_job(b->elan5, job++);
      c->collective[i].over += of.over;
      c->collective[i].polls += of.polls;
    }
}

/* ---- the whole ------------------------------------------------------------------------------- */

static const struct system of_switches = {.build = build_switches,
                                          .post = post_to_host,
                                          .is_empty = are_switches_empty,
                                          .count = count_switches};
static const struct system of_elite5 = {.build = build_elite5,
                                        .post = post_to_elan5,
                                        .is_empty = is_elite5_empty,
                                        .count = count_elite5};

static const struct system *const systems[LOOM_DEVICE_KINDS] = {
    [LOOM_DEVICE_IB] = &of_switches,   [LOOM_DEVICE_CROSSBAR] = &of_switches,
    [LOOM_DEVICE_OPA] = &of_switches,  [LOOM_DEVICE_MPORT] = &of_switches,
    [LOOM_DEVICE_KNS] = &of_switches,  [LOOM_DEVICE_KNS_CROSSBAR] = &of_switches,
    [LOOM_DEVICE_ELITE5] = &of_elite5, [LOOM_DEVICE_CROSSPOINT] = &of_elite5};

struct loom_built *loom_build(const struct loom_build_cfg *cfg, struct loom_plan_error *err) {
  struct loom_built *b = calloc(1, sizeof *b);
  if (!b) {
    loom_plan_no_memory(err);
    return NULL;
  }
  b->plan = cfg->plan;
  b->shadow = cfg->shadow;
  b->watch = cfg->watch;
  b->system = systems[cfg->plan->spec->kind];
  b->number = calloc((size_t)cfg->plan->topo->devices + cfg->plan->hosts, sizeof *b->number);
  if (b->number ? b->system->build(b, cfg, err) : loom_plan_no_memory(err))
    return b;
  loom_built_destroy(b);
  return NULL;
}

bool loom_build_measure(const struct loom_build_cfg *cfg, struct loom_plan_error *err) {
  struct loom_built *b = loom_build(cfg, err);
  loom_built_destroy(b);
  return b != NULL;
}

void loom_built_destroy(struct loom_built *b) {
  if (!b)
    return;
  for (uint32_t h = 0; b->host && h < b->plan->hosts; h++)
    loom_host_destroy(b->host[h]);
  loom_ledger_destroy(b->ledger);
  if (b->elite5)
    loom_elite5_fabric_destroy(b->elite5);
  else
    loom_fabric_destroy(b->fabric);
  loom_elan5_hosts_destroy(b->elan5);
  loom_faults_destroy(b->faults);
  for (uint32_t row = 0; b->granted && row < b->plan->switches; row++)
    free(b->granted[row]);
  free(b->granted);
  free(b->host);
  free(b->device);
  free(b->number);
  free(b);
}

/* ---- as a network ---------------------------------------------------------------------------- */

static bool post(void *context, uint32_t host, const struct loom_message *message) {
  const struct loom_built *b = context;
  return b->system->post(b, host, message);
}

/* What fails, and what is cured, in this cycle. */
static void fail(const struct loom_built *b) {
  uint64_t now = loom_fabric_cycle(b->fabric);
  if (b->faults && loom_faults_next(b->faults) <= now)
    loom_faults_step(b->faults, now);
}

static void step(void *context) {
  const struct loom_built *b = context;
  fail(b);
  loom_fabric_step(b->fabric);
}

static bool quiet(void *context) {
  const struct loom_built *b = context;
  return b->system->is_empty(b);
}

/* The fabric's clock in this cycle of the run. */
static uint64_t clock_of(const struct loom_built *b, uint64_t cycle) {
  return cycle + loom_fabric_now(b->fabric) - loom_fabric_cycle(b->fabric);
}

/* Nothing is under way but, perhaps, what devices do before they sleep. */
static void go(const struct loom_built *b, uint64_t cycle) {
  while (!loom_fabric_quiet(b->fabric) && loom_fabric_cycle(b->fabric) < cycle)
    loom_fabric_step(b->fabric);
  loom_fabric_advance(b->fabric, clock_of(b, cycle));
}

static void advance(void *context, uint64_t cycle) {
  const struct loom_built *b = context;
  while (b->faults && loom_faults_next(b->faults) < cycle) {
    go(b, loom_faults_next(b->faults));
    fail(b);
  }
  go(b, cycle);
}

/* A crew costs a little in each cycle, and what cannot be shared is done by one worker anyway: so
 * without threads it goes on alone. */
void loom_built_share(struct loom_built *b) {
  const struct loom_plan *p = b->plan;
  if (p->switches < SHARED_FROM || p->engine != LOOM_ENGINE_STEP)
    return;
  if (p->workers > 1)
    loom_fabric_share(b->fabric, loom_min(p->workers, LOOM_CREW_WORKERS));
  if (!b->elite5 && (!p->spec->run.watchdog || p->spec->run.watchdog >= LOOM_FABRIC_LAG))
    loom_fabric_lag(b->fabric, LOOM_FABRIC_LAG);
}

bool loom_built_unmanaged(const struct loom_built *b) {
  return b->faults && loom_faults_full(b->faults);
}

/* The first switch, by cycle, whose engines differ; NULL: none does. */
static const struct loom_crossbar_difference *difference(const struct loom_built *b,
                                                         uint32_t *number) {
  const struct loom_crossbar_difference *first = NULL;
  for (uint32_t row = 0; b->plan->engine == LOOM_ENGINE_BOTH && row < b->plan->switches; row++) {
    const struct loom_crossbar_difference *d = loom_crossbar_pair_difference(b->device[row]);
    if (!d || (first && first->cycle <= d->cycle))
      continue;
    first = d;
    *number = row;
  }
  return first;
}

bool loom_built_differs(const struct loom_built *b, struct loom_plan_error *err) {
  uint32_t number = 0;
  const struct loom_crossbar_difference *d = difference(b, &number);
  char name[LOOM_TOPO_NAME];
  if (!d)
    return false;
  loom_plan_name(b->plan, number, name);
  loom_plan_fail(err, LOOM_EXIT_FAILED, "engine",
                 "%s, cycle %" PRIu64 ", port %" PRIu32
                 ", VL %u: one of both shows a %s, the other "
                 "does not",
                 name, d->cycle - clock_of(b, 0), d->port + 1, (unsigned)d->vl, d->what);
  return true;
}

static bool stopped(void *context) {
  const struct loom_built *b = context;
  uint32_t number;
  return difference(b, &number) || loom_built_unmanaged(b) ||
         (b->shadow && b->shadow->stopped(b->shadow->context));
}

/* Before the run there were only words of links that came up. */
static uint64_t last_flit(void *context) {
  const struct loom_built *b = context;
  uint64_t last = loom_fabric_last_flit(b->fabric), first = clock_of(b, 0);
  return last > first ? last - first : 0;
}

struct loom_network loom_built_network(struct loom_built *b) {
  return (struct loom_network){.context = b,
                               .hosts = b->plan->hosts,
                               .post = post,
                               .step = step,
                               .quiet = quiet,
                               .advance = advance,
                               .stopped = stopped,
                               .last_flit = last_flit};
}

struct loom_built_counts loom_built_counts(const struct loom_built *b) {
  struct loom_fabric_counts f = loom_fabric_counts(b->fabric);
  struct loom_built_counts c = {.flit_hops = f.flits, .spoilt = f.spoilt};
  b->system->count(b, &c);
  return c;
}

/* ---- waits ----------------------------------------------------------------------------------- */

/* The name of a device of the fabric. */
static const char *name_of(const struct loom_built *b, uint32_t number) {
  const struct loom_plan *p = b->plan;
  for (uint32_t row = 0; row < p->switches; row++)
    if (b->number[p->row[row]] == number)
      return p->topo->device[p->row[row]].name;
  for (uint32_t h = 0; h < p->hosts; h++)
    if (b->number[p->topo->devices + h] == number)
      return p->topo->device[p->host[h].device].name;
  return "?";
}

static void print_place(const struct loom_built *b, const struct loom_fabric_place *at, FILE *out) {
  fprintf(out, "  %s port %u %s VL %u\n", name_of(b, at->device), at->port + 1u,
          at->output ? "output" : "input", (unsigned)at->vl);
}

char *loom_built_waits(const struct loom_built *b) {
  struct loom_fabric_place place[CIRCLE_MAX];
  char *text = NULL;
  size_t size = 0;
  bool ok = true;
  uint32_t count = loom_fabric_waiting_cycle(b->fabric, place, CIRCLE_MAX, &ok);
  FILE *out = ok ? loom_text_open(&text, &size) : NULL;
  if (!out)
    return NULL;
  if (count)
    fprintf(out, "deadlock: %" PRIu32 " places wait for each other in a circle\n", count);
  else
    fprintf(out, "nothing moves, but no circle of waiting packets was found\n");
  for (uint32_t i = 0; i < count && i < CIRCLE_MAX; i++)
    print_place(b, &place[i], out);
  if (fclose(out)) {
    free(text);
    return NULL;
  }
  return text;
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "ibsim/living.h"

#include <stdlib.h>

#include <loom/bits.h>
#include <loom/random.h>
#include <loom/switch_registers.h>

#include "ibsim/living_notes.h"
#include "io/streams.h"
#include "run/managed.h"
#include "run/spec_offers.h"
#include "sched/sched_ibarb.h"
#include "sched/sched_table.h"
#include "switch/switch.h"

enum { WORDS_OF_FLIT = 2, SLS = 16, LOST_LANE = 15, LID_ROOM = 1024, IBARB = 3, LOOK = 64 };

/* Registers of a port of a switch that are counted together over all lanes. */
static const struct {
  uint32_t first, lanes;
  enum loom_subnet_counter count;
  uint32_t times;
} counted[] = {
    {LOOM_SWITCH_WIN_OUT_FLITS, 32, LOOM_COUNT_XMIT_DATA, WORDS_OF_FLIT},
    {LOOM_SWITCH_WIN_IN_FLITS, 32, LOOM_COUNT_RCV_DATA, WORDS_OF_FLIT},
    {LOOM_SWITCH_WIN_OUT_PACKETS, 32, LOOM_COUNT_XMIT_PACKETS, 1},
    {LOOM_SWITCH_WIN_IN_PACKETS, 32, LOOM_COUNT_RCV_PACKETS, 1},
    {LOOM_SWITCH_WIN_STALLS, 32, LOOM_COUNT_XMIT_WAIT, 1},
    {LOOM_SWITCH_WIN_REFUSED_HEADER, 2, LOOM_COUNT_RCV_ERRORS, 1},
    {LOOM_SWITCH_WIN_DROPPED_LID, 3, LOOM_COUNT_RELAY_ERRORS, 1},
};
enum { COUNTED = sizeof counted / sizeof *counted };

struct loom_living {
  struct loom_plan *plan;
  struct loom_built *built;
  struct loom_network network;
  struct loom_managed *managed;
  struct loom_subnet *subnet;
  struct loom_spec_offers of_spec;
  struct loom_offers *offers;
  bool over;                   /* no more messages */
  uint64_t now, begin;         /* cycles; `begin` counts only once traffic has begun */
  uint64_t *injected;          /* of the last message that came, by class, source and destination */
  uint32_t (*before)[COUNTED]; /* registers when they were last read, by port of the topology */
  struct loom_living_counts counts;
  struct loom_living_notes *notes; /* NULL: nobody asks for results */
};

/* ---- registers ------------------------------------------------------------------------------- */

static uint32_t window(uint32_t port, uint32_t addr) {
  return loom_switch_window(LOOM_SWITCH_REG_PORTS, port - 1) + addr;
}

static void put(struct loom_living *l, uint32_t device, uint32_t addr, uint32_t data) {
  l->counts.exhausted |= !loom_managed_register(l->managed, device, addr, data);
}

static void set_linear(void *context, uint32_t device, uint32_t first, uint32_t count) {
  struct loom_living *l = context;
  const uint8_t *linear = l->subnet->node[device].linear;
  for (uint32_t lid = first; lid < first + count; lid++) {
    uint32_t out = linear[lid];
    bool none = !out || out > l->plan->ports; /* port 0 takes nothing but management */
    put(l, device, LOOM_SWITCH_REG_LFT + lid, none ? LOOM_SWITCH_NOWHERE : out - 1);
  }
  if (l->notes)
    loom_living_notes_tables(l->notes, l->now, device);
}

/* The lane of an SL as an SLtoVLMappingTable says; one without room loses what goes there. */
static uint8_t lane(const struct loom_living *l, const uint8_t *map, uint32_t sl) {
  uint8_t vl = sl % 2 ? map[sl / 2] & 15 : map[sl / 2] >> 4;
  return l->plan->used >> vl & 1 ? vl : LOST_LANE;
}

static uint8_t *map_of(const struct loom_living *l, uint32_t device, uint32_t in, uint32_t out) {
  uint32_t ports = l->plan->topo->device[device].ports + 1;
  return l->subnet->node[device].sl2vl + ((size_t)out * ports + in) * 8;
}

static void set_switch_sl2vl(struct loom_living *l, uint32_t device, uint32_t in, uint32_t out) {
  const uint8_t *map = map_of(l, device, in, out);
  for (uint32_t sl = 0; in && out && sl < SLS; sl++)
    put(l, device, window(in, LOOM_SWITCH_WIN_MAP) + LOOM_SWITCH_MAP * (out - 1) + sl,
        lane(l, map, sl));
}

/* The lanes of a host; what has none stays on the lowest. */
static void set_host_sl2vl(struct loom_living *l, uint32_t device, uint32_t port) {
  uint32_t host = loom_managed_host(l->managed, device, port);
  const uint8_t *map = loom_subnet_port(l->subnet, device, port)->sl2vl;
  for (uint32_t sl = 0; host != LOOM_TOPO_NONE && sl < SLS; sl++)
    if (lane(l, map, sl) != LOST_LANE)
      loom_managed_map(l->managed, host, sl, lane(l, map, sl));
}

static void set_sl2vl(void *context, uint32_t device, uint32_t in, uint32_t out) {
  struct loom_living *l = context;
  if (loom_subnet_is_switch(l->subnet, device))
    set_switch_sl2vl(l, device, in, out);
  else
    set_host_sl2vl(l, device, out);
}

static uint32_t parameter(const struct loom_plan *p, const char *name) {
  return loom_parameter_value(&p->spec->parameters, p->spec->kind, name);
}

/* No grants are made while the tables change. */
static void set_vlarb(void *context, uint32_t device, uint32_t port) {
  struct loom_living *l = context;
  const struct loom_subnet_port *p = loom_subnet_port(l->subnet, device, port);
  uint32_t table = window(port, LOOM_SWITCH_WIN_TABLE);
  if (!port || !l->subnet->cfg.high || !loom_subnet_is_switch(l->subnet, device))
    return;
  put(l, device, window(port, LOOM_SWITCH_WIN_HOLD), 1);
  for (uint32_t i = 0; i < LOOM_SUBNET_ENTRIES; i++) {
    const uint8_t *low = p->vlarb + 2 * i, *high = low + 2 * LOOM_SMP_BYTES;
    if (i < l->subnet->cfg.high)
      put(l, device, table + i, loom_sched_entry(high[0] & 15, high[1]));
    if (i < l->subnet->cfg.low)
      put(l, device, table + LOOM_IBARB_REG_LOW + i, loom_sched_entry(low[0] & 15, low[1]));
  }
  put(l, device, table + LOOM_IBARB_REG_LIMIT,
      (uint32_t)loom_mad_get(p->info, LOOM_PORT_HIGH_LIMIT));
  put(l, device, window(port, LOOM_SWITCH_WIN_HOLD), 0);
}

/* ---- ports ----------------------------------------------------------------------------------- */

static void note_cable(void *context, uint32_t device, uint32_t port, bool joined) {
  const struct loom_living *l = context;
  if (l->notes)
    loom_living_notes_cable(l->notes, l->now, device, port, joined);
}

/* Data pass a link whose ends are both active. */
static void set_link(struct loom_living *l, uint32_t device, uint32_t port) {
  struct loom_subnet_place far;
  bool up = loom_subnet_far(l->subnet, device, port, &far) &&
            loom_subnet_state(l->subnet, device, port) == LOOM_PORT_ACTIVE &&
            loom_subnet_state(l->subnet, far.device, far.port) == LOOM_PORT_ACTIVE;
  if (loom_subnet_is_switch(l->subnet, device))
    loom_managed_link(l->managed, device, port, up);
}

static void set_port(void *context, uint32_t device, uint32_t port) {
  struct loom_living *l = context;
  const struct loom_topo_port *t = loom_topo_port(l->plan->topo, device, port);
  const uint8_t *info = loom_subnet_port(l->subnet, device, port)->info;
  if (!port || t->device == LOOM_TOPO_NONE)
    return;
  set_link(l, device, port);
  set_link(l, t->device, t->port);
  uint32_t host = loom_subnet_is_switch(l->subnet, device)
                      ? LOOM_TOPO_NONE
                      : loom_managed_host(l->managed, device, port);
  uint16_t lid = (uint16_t)loom_mad_get(info, LOOM_PORT_LID);
  if (host != LOOM_TOPO_NONE && lid && lid != l->plan->lid[host])
    loom_managed_renumber(l->managed, host, lid);
  if (l->subnet->cfg.high && loom_subnet_is_switch(l->subnet, device))
    put(l, device, window(port, LOOM_SWITCH_WIN_TABLE) + LOOM_IBARB_REG_LIMIT,
        (uint32_t)loom_mad_get(info, LOOM_PORT_HIGH_LIMIT));
}

static bool is_ready(const struct loom_living *l, uint32_t host) {
  const struct loom_plan_host *at = &l->plan->host[host];
  const uint8_t *info = loom_subnet_port(l->subnet, at->device, at->port)->info;
  return loom_mad_get(info, LOOM_PORT_STATE) == LOOM_PORT_ACTIVE &&
         loom_mad_get(info, LOOM_PORT_LID);
}

/* Traffic can begin. */
static bool is_up(const struct loom_living *l) {
  const struct loom_topo *t = l->plan->topo;
  for (uint32_t h = 0; h < l->plan->hosts; h++)
    if (!is_ready(l, h))
      return false;
  for (uint32_t d = 0; d < t->devices; d++)
    for (uint32_t port = 1; port <= t->device[d].ports; port++) {
      uint32_t state = loom_subnet_state(l->subnet, d, port);
      if (state != LOOM_PORT_DOWN && state != LOOM_PORT_ACTIVE)
        return false;
    }
  return loom_managed_waiting(l->managed) == 0;
}

/* ---- counters -------------------------------------------------------------------------------- */

static uint32_t sum_of(const struct loom_living *l, uint32_t device, uint32_t port, uint32_t i) {
  uint32_t sum = 0;
  for (uint32_t lane = 0; lane < counted[i].lanes; lane++)
    sum += loom_managed_ask(l->managed, device, window(port, counted[i].first + lane));
  return sum;
}

/* Registers go round; what has been added since they were last read does not. */
static void count_registers(struct loom_living *l, uint32_t device, uint32_t port) {
  struct loom_subnet_port *p = loom_subnet_port(l->subnet, device, port);
  uint32_t *before = l->before[l->plan->topo->device[device].first + port];
  for (uint32_t i = 0; i < COUNTED; i++) {
    uint32_t now = sum_of(l, device, port, i);
    p->count[counted[i].count] += (uint64_t)(now - before[i]) * counted[i].times;
    before[i] = now;
  }
}

/* Packets that the link layers of both ends of a cable have dropped, on their way from here. */
static uint64_t discards(const struct loom_living *l, uint32_t device, uint32_t port) {
  const struct loom_topo_port *t = loom_topo_port(l->plan->topo, device, port);
  uint64_t packets = 0;
  if (loom_subnet_is_switch(l->subnet, device))
    packets += loom_managed_dropped(l->managed, device, port, true).packets;
  if (t->device != LOOM_TOPO_NONE && loom_subnet_is_switch(l->subnet, t->device))
    packets += loom_managed_dropped(l->managed, t->device, t->port, false).packets;
  return packets;
}

/* A host's counters are those of the switch at the other end of its cable. */
static void count(void *context, uint32_t device, uint32_t port) {
  struct loom_living *l = context;
  const struct loom_topo_port *t = loom_topo_port(l->plan->topo, device, port);
  struct loom_subnet_port *p = loom_subnet_port(l->subnet, device, port);
  if (!port)
    return;
  p->count[LOOM_COUNT_XMIT_DISCARDS] = discards(l, device, port);
  if (loom_subnet_is_switch(l->subnet, device)) {
    count_registers(l, device, port);
    return;
  }
  if (t->device == LOOM_TOPO_NONE)
    return;
  count_registers(l, t->device, t->port);
  const struct loom_subnet_port *far = loom_subnet_port(l->subnet, t->device, t->port);
  p->count[LOOM_COUNT_XMIT_DATA] = far->count[LOOM_COUNT_RCV_DATA];
  p->count[LOOM_COUNT_XMIT_PACKETS] = far->count[LOOM_COUNT_RCV_PACKETS];
  p->count[LOOM_COUNT_RCV_DATA] = far->count[LOOM_COUNT_XMIT_DATA];
  p->count[LOOM_COUNT_RCV_PACKETS] = far->count[LOOM_COUNT_XMIT_PACKETS];
}

/* ---- making ---------------------------------------------------------------------------------- */

static bool bad(struct loom_plan_error *err, const char *key, const char *text) {
  return loom_plan_fail(err, LOOM_EXIT_BAD_INPUT, key, "%s", text);
}

static bool check(const struct loom_plan *plan, struct loom_plan_error *err) {
  const struct loom_spec *s = plan->spec;
  if (s->kind != LOOM_DEVICE_IB)
    return bad(err, "switch.kind", "only switches of kind ib are programmed while they run");
  if (!(plan->used & 1))
    return bad(err, "classes", "some class must be on VL 0, which every port has");
  if (plan->routing->lmc || plan->routing->layers > 1)
    return bad(err, "routing", "one LID a host and one layer, as the subnet manager routes");
  if (s->traces || s->collectives || s->faults || s->shadows)
    return bad(err,
               s->traces   ? "traces"
               : s->faults ? "faults"
                           : "traffic",
               "not while the fabric is served");
  for (uint32_t i = 0; i < s->offers; i++)
    if (s->offer[i].cfg.process == LOOM_PROCESS_PING_PONG)
      return bad(err, "traffic", "no ping-pong while the fabric is served");
  return true;
}

/* Data VLs that all ports have, as VLCap can say it. */
static uint32_t lanes(const struct loom_plan *plan) {
  static const uint32_t may[] = {15, 8, 4, 2, 1};
  uint32_t i = 0;
  while (may[i] > 1 && (plan->used & loom_mask(may[i])) != loom_mask(may[i]))
    i++;
  return may[i];
}

static void subnet_cfg(const struct loom_plan *p, struct loom_subnet_cfg *cfg) {
  bool tables = parameter(p, "SCHED") == IBARB && !parameter(p, "ARB_KEY");
  *cfg = (struct loom_subnet_cfg){
      .vls = lanes(p),
      .high = tables ? loom_min(parameter(p, "N_HIGH"), LOOM_SUBNET_ENTRIES) : 0,
      .low = tables ? loom_min(parameter(p, "N_LOW"), LOOM_SUBNET_ENTRIES) : 0,
      .lids = p->lid_room};
}

/* What the twins map at the start is what a subnet manager reads. */
static void show_map(struct loom_living *l, uint32_t device, uint32_t in, uint32_t out) {
  uint8_t *map = map_of(l, device, in, out);
  for (uint32_t sl = 0; sl < SLS; sl++) {
    uint32_t addr = window(in, LOOM_SWITCH_WIN_MAP) + LOOM_SWITCH_MAP * (out - 1) + sl;
    uint32_t vl = loom_managed_ask(l->managed, device, addr) & 15;
    map[sl / 2] |= (uint8_t)(sl % 2 ? vl : vl << 4);
  }
}

static void show_tables(struct loom_living *l, uint32_t device, uint32_t port) {
  const struct loom_spec_tables *t = &l->plan->spec->tables;
  struct loom_subnet_port *p = loom_subnet_port(l->subnet, device, port);
  for (uint32_t i = 0; i < loom_min(l->subnet->cfg.high, t->high_count); i++) {
    p->vlarb[2 * (LOOM_SMP_BYTES + i)] = t->high[i].key;
    p->vlarb[2 * (LOOM_SMP_BYTES + i) + 1] = t->high[i].weight;
  }
  for (uint32_t i = 0; i < loom_min(l->subnet->cfg.low, t->low_count); i++) {
    p->vlarb[2 * i] = t->low[i].key;
    p->vlarb[2 * i + 1] = t->low[i].weight;
  }
  if (l->subnet->cfg.high)
    loom_mad_put(p->info, LOOM_PORT_HIGH_LIMIT, t->limit);
}

static void show_registers(struct loom_living *l) {
  const struct loom_topo *t = l->plan->topo;
  for (uint32_t d = 0; d < t->devices; d++)
    for (uint32_t in = 1; t->device[d].kind == LOOM_TOPO_SWITCH && in <= t->device[d].ports; in++) {
      for (uint32_t out = 1; out <= t->device[d].ports; out++)
        show_map(l, d, in, out);
      show_tables(l, d, in);
    }
}

static void receive(void *context, const struct loom_message *m, bool damaged) {
  struct loom_living *l = context;
  uint64_t hosts = l->plan->hosts;
  uint64_t *last = &l->injected[(m->traffic_class * hosts + m->src) * hosts + m->dst];
  if (damaged) {
    l->counts.lost++;
    l->counts.last_lost = l->now - l->begin;
    return;
  }
  if (l->notes)
    loom_living_notes_received(l->notes, m);
  l->counts.delivered++;
  l->counts.overtaken += m->injected < *last;
  *last = m->injected;
}

static bool make_twins(struct loom_living *l, bool noted, struct loom_plan_error *err) {
  const struct loom_spec *s = l->plan->spec;
  const struct loom_build_cfg cfg = {
      .plan = l->plan, .seed = loom_scramble(s->run.seed), .receive = receive, .context = l};
  uint64_t hosts = l->plan->hosts;
  l->injected = calloc(s->classes * hosts * hosts + 1, sizeof *l->injected);
  l->before = calloc((size_t)l->plan->topo->ports + 1, sizeof *l->before);
  l->built = l->injected && l->before ? loom_build(&cfg, err) : NULL;
  if (!l->built)
    return err->status ? false : loom_plan_no_memory(err);
  l->network = loom_built_network(l->built);
  l->managed = loom_managed_create(l->built, l->plan);
  l->notes = l->managed && noted ? loom_living_notes_create(l->plan, l->built) : NULL;
  return (l->managed && (l->notes || !noted)) || loom_plan_no_memory(err);
}

static bool make_subnet(struct loom_living *l, struct loom_plan_error *err) {
  struct loom_subnet_cfg cfg;
  subnet_cfg(l->plan, &cfg);
  l->subnet = loom_subnet_create(l->plan->topo, &cfg);
  if (!l->subnet)
    return loom_plan_no_memory(err);
  show_registers(l);
  l->subnet->hooks = (struct loom_subnet_hooks){.linear = set_linear,
                                                .sl2vl = set_sl2vl,
                                                .vlarb = set_vlarb,
                                                .port = set_port,
                                                .cable = note_cable,
                                                .counters = count,
                                                .context = l};
  return true;
}

static bool make_offers(struct loom_living *l, struct loom_plan_error *err) {
  const struct loom_spec *s = l->plan->spec;
  if (!loom_spec_offers_make(&l->of_spec, s, l->plan->hosts, s->run.seed))
    return loom_plan_no_memory(err);
  for (uint32_t i = 0; i < s->offers; i++) {
    const char *wrong = loom_offer_bad(&l->of_spec.offer[i], s->classes, l->plan->hosts);
    if (wrong)
      return loom_plan_fail(err, LOOM_EXIT_BAD_INPUT, "traffic", "cannot be: %s", wrong);
  }
  l->offers = loom_offers_create(l->of_spec.offer, s->offers, l->plan->hosts, s->run.seed);
  return l->offers || loom_plan_no_memory(err);
}

struct loom_living *loom_living_create(struct loom_plan *plan, bool noted,
                                       struct loom_plan_error *err) {
  if (!check(plan, err))
    return NULL;
  struct loom_living *l = calloc(1, sizeof *l);
  if (!l) {
    loom_plan_no_memory(err);
    return NULL;
  }
  uint32_t room = loom_max(LID_ROOM, 2 * plan->routing->lids);
  plan->lid_room = loom_min(LOOM_SUBNET_LIDS, (room + 63) / 64 * 64);
  l->plan = plan;
  if (make_twins(l, noted, err) && make_subnet(l, err) && make_offers(l, err))
    return l;
  loom_living_destroy(l);
  return NULL;
}

void loom_living_destroy(struct loom_living *l) {
  if (!l)
    return;
  loom_offers_destroy(l->offers);
  loom_spec_offers_free(&l->of_spec);
  loom_subnet_destroy(l->subnet);
  loom_managed_destroy(l->managed);
  loom_built_destroy(l->built);
  loom_living_notes_destroy(l->notes);
  free(l->injected);
  free(l->before);
  free(l);
}

struct loom_subnet *loom_living_subnet(const struct loom_living *l) {
  return l->subnet;
}

const struct loom_managed *loom_living_managed(const struct loom_living *l) { return l->managed; }

/* ---- running --------------------------------------------------------------------------------- */

static void post(struct loom_living *l, const struct loom_offered *due) {
  const struct loom_offer_cfg *offer = &l->of_spec.offer[due->offer];
  const struct loom_message message = {.src = due->host,
                                       .dst = due->dst,
                                       .traffic_class = (uint8_t)offer->traffic_class,
                                       .flits = offer->flits,
                                       .generated = l->now};
  for (uint32_t i = 0; i < due->messages; i++) {
    bool can = is_ready(l, due->host);
    l->counts.unsent += !can;
    if (!can)
      continue;
    bool ok = l->network.post(l->network.context, due->host, &message);
    l->counts.sent += ok;
    if (ok && l->notes)
      loom_living_notes_posted(l->notes, &message);
    l->counts.exhausted |= !ok;
  }
}

static void post_due(struct loom_living *l) {
  struct loom_offered due;
  while (!l->over && loom_offers_next(l->offers, l->now - l->begin, &due))
    post(l, &due);
}

/* Whether traffic has begun; whether it can is looked at now and then. */
static bool has_begun(struct loom_living *l) {
  if (!l->counts.begun && l->now % LOOK == 0 && is_up(l)) {
    l->counts.begun = true;
    l->begin = l->now;
    if (l->notes)
      loom_living_notes_begin(l->notes, l->now, &l->network);
  }
  return l->counts.begun;
}

void loom_living_run(struct loom_living *l, uint64_t cycles) {
  bool begun = l->counts.begun;
  for (; cycles; cycles--) {
    if (has_begun(l) && !begun)
      return;
    if (begun && l->notes)
      loom_living_notes_cycle(l->notes, l->now);
    if (begun)
      post_due(l);
    l->network.step(l->network.context);
    l->now++;
  }
}

void loom_living_drain(struct loom_living *l, uint64_t cycles) {
  l->over = true;
  if (l->notes)
    loom_living_notes_over(l->notes, l->now);
  for (; cycles && !l->network.quiet(l->network.context); cycles--)
    loom_living_run(l, 1);
}

bool loom_living_rests(const struct loom_living *l) {
  bool waits = !l->over && l->counts.begun && loom_offers_when(l->offers) != LOOM_OFFERS_NEVER;
  return !waits && l->network.quiet(l->network.context) && loom_managed_waiting(l->managed) == 0;
}

struct loom_living_counts loom_living_counts(const struct loom_living *l) {
  struct loom_living_counts c = l->counts;
  c.cycles = c.begun ? l->now - l->begin : 0;
  c.exhausted |= loom_built_counts(l->built).exhausted;
  return c;
}

bool loom_living_point(struct loom_living *l, struct loom_point *point) {
  return loom_living_notes_point(l->notes, l->now, l->counts.sent, l->counts.delivered, point);
}

const struct loom_report_event *loom_living_events(const struct loom_living *l, uint32_t *events) {
  *events = l->notes->events;
  return l->notes->event;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* switch_plan.c - tables, limits and traffic of a run, and the register bus, see switch_traffic.h
 */
#include "tb/cosim/switch_traffic.h"

/* ---- the switch ------------------------------------------------------------------------------ */

struct switch_sched switch_sched_of(const struct switch_facts *f, uint32_t which, uint32_t entries,
                                    uint32_t ib8, uint32_t n_high, uint32_t n_low) {
  static const struct sched_kind *const kinds[] = {&sched_rr_kind, &sched_sbt_kind,
                                                   &sched_dtable_kind, &sched_ibarb_kind, NULL};
  struct switch_sched s = {.kind = kinds[which]};
  const sched_cfg common = {.VLS = f->vls,
                            .KEYS = f->keys,
                            .ARB_KEY = f->arb_key,
                            .MGMT_VL = f->mgmt,
                            .SIZE_W = 10,
                            .CREDIT_W = 12};
  s.cfg.common = common;
  if (s.kind == &sched_dtable_kind) {
    s.cfg.dtable.ENTRIES = entries;
    s.cfg.dtable.IB_WEIGHTS = ib8;
  } else if (s.kind == &sched_ibarb_kind) {
    s.cfg.ibarb.N_HIGH = n_high;
    s.cfg.ibarb.N_LOW = n_low;
  }
  return s;
}

/* docs/ib.md, docs/opa.md: the rule of routing but for known LIDs and the MTU. */
static void rule_ib(const struct switch_facts *f, const struct switch_tables *t, uint32_t in,
                    uint32_t sc, uint32_t lane, struct switch_way *w) {
  w->sl = w->sc = sc;
  w->lane = lane;
  if (lane == f->mgmt || !(t->map_mode & 1))
    return;
  uint32_t v = t->map[in][w->out][sc];
  w->lane = v == 15 ? END_NO_LANE : switch_lane(f, v);
}

static void rule_opa(const struct switch_facts *f, const struct switch_tables *t, uint32_t in,
                     uint32_t sc, struct switch_way *w) {
  w->sc = t->map_mode == 1   ? t->map[in][w->out][sc]
          : t->map_mode == 2 ? t->sl2sc[t->sc2sl[sc]]
                             : sc;
  if (sc == 15)
    w->sc = 15;
  w->sl = t->sc2sl[w->sc];
  uint32_t v = t->sc2vl[w->sc];
  w->lane = v == 15 || w->sc == 15 ? END_NO_LANE : switch_lane(f, v);
  if (sc == 15)
    w->lane = f->mgmt;
}

uint32_t switch_port_for(const struct switch_facts *f, const struct switch_tables *t,
                         uint32_t lid) {
  if (f->finds != FINDS_LFT)
    return switch_kns_port_for(f, t, lid);
  return lid < t->lids && t->lft[lid] < f->ports ? t->lft[lid] : SWITCH_NONE;
}

struct switch_way switch_route_to(const struct switch_facts *f, const struct switch_tables *t,
                                  uint32_t in, uint32_t out, uint32_t sc, uint32_t lane,
                                  uint32_t length) {
  struct switch_way w = {.cause = 3, .out = out};
  if (w.out == SWITCH_NONE)
    return w;
  if (f->opa)
    rule_opa(f, t, in, sc, &w);
  else
    rule_ib(f, t, in, sc, lane, &w);
  w.cause = w.lane == END_NO_LANE ? 4 : end_units(length) > t->mtu[w.lane] ? 5 : 0;
  return w;
}

struct switch_way switch_route(const struct switch_facts *f, const struct switch_tables *t,
                               uint32_t in, uint32_t lid, uint32_t sc, uint32_t lane,
                               uint32_t length) {
  return switch_route_to(f, t, in, switch_port_for(f, t, lid), sc, lane, length);
}

/* ---- writing the plan ------------------------------------------------------------------------ */

void switch_plan_write(struct switch_state *s, uint32_t addr, uint32_t data) {
  if (s->plan.writes < SWITCH_WRITES)
    s->plan.write[s->plan.writes++] = (struct table_write){addr, data};
}

uint64_t switch_plan_start(const struct switch_state *s) {
  const struct switch_facts *f = &s->facts;
  uint64_t to_ports = f->pace ? f->ports : 0; /* the bus goes from port to port */
  return f->sweep + s->plan.writes * (uint64_t)loom_max(1, f->pace) + to_ports + 4 + f->told;
}

static uint32_t of_central(uint32_t central, uint32_t at) {
  return LOOM_SWITCH_REG_CENTRALS + LOOM_REG_WINDOW * central + at;
}

static void write_sched(struct switch_state *s, uint32_t window, const struct table_write *w,
                        uint32_t n) {
  for (uint32_t k = 0; k < n; k++)
    switch_plan_write(s, window + LOOM_SWITCH_WIN_TABLE + w[k].addr, w[k].data);
}

/* A table in which every key has its turn; weights from `low` to `high` units. */
static uint32_t fair_table(struct switch_state *s, const struct switch_sched *d, uint32_t low,
                           uint32_t high, struct table_write *w) {
  struct rng *r = &s->ends.rng;
  uint32_t keys = loom_max(1, s->facts.arb_key ? s->facts.keys : s->facts.vls);
  uint32_t n = 0, dt = 0, hi = 0, lo = 0;
  if (d->kind == &sched_sbt_kind)
    for (; n < keys; n++)
      w[n] = (struct table_write){n, rng_range(r, loom_min(low, 255), loom_min(high, 255))};
  if (d->kind == &sched_dtable_kind)
    dt = d->cfg.dtable.ENTRIES;
  if (d->kind == &sched_ibarb_kind) {
    hi = d->cfg.ibarb.N_HIGH;
    lo = d->cfg.ibarb.N_LOW;
    w[n++] = (struct table_write){LOOM_IBARB_REG_LIMIT, rng_below(r, 4)};
  }
  for (uint32_t k = 0; k < dt + hi + lo; k++) {
    uint32_t base = k < dt + hi ? k : LOOM_IBARB_REG_LOW + k - dt - hi;
    uint32_t weight = rng_range(r, loom_min(low, 255), loom_min(high, 255));
    w[n++] = (struct table_write){base, sched_entry(k % keys, weight)};
  }
  return n;
}

static void plain_tables(struct switch_state *s) {
  const struct switch_facts *f = &s->facts;
  struct switch_tables *t = &s->plan.tables;
  for (uint32_t k = 0; k < 32; k++)
    t->sc2vl[k] = t->sc2sl[k] = t->sl2sc[k] = (uint8_t)k;
  for (uint32_t l = 0; l < f->vls; l++)
    t->mtu[l] = (uint16_t)f->mtu_units;
}

static void write_lft(struct switch_state *s) {
  for (uint32_t lid = 0; lid < s->plan.tables.lids; lid++)
    switch_plan_write(s, LOOM_SWITCH_REG_LFT + lid, s->plan.tables.lft[lid]);
  switch_plan_write(s, LOOM_SWITCH_REG_LFT_COUNT, s->plan.tables.lids);
}

void switch_plan_plain(struct switch_state *s) {
  const struct switch_facts *f = &s->facts;
  plain_tables(s);
  if (f->finds != FINDS_LFT) {
    switch_kns_plan(s);
    return;
  }
  s->plan.tables.lids = f->ports;
  for (uint32_t p = 0; p < f->ports; p++)
    s->plan.tables.lft[p] = (uint8_t)p;
  write_lft(s);
}

void switch_plan_groups(struct switch_state *s) {
  struct switch_tables *t = &s->plan.tables;
  s->plan.moving = true;
  switch_groups_plan(s);
  t->lids = loom_min(loom_min(s->facts.lids, SWITCH_LIDS - 1), 8 * s->facts.ports);
  for (uint32_t lid = 0; lid < t->lids; lid++)
    t->lft[lid] = switch_groups_entry(s);
  write_lft(s);
}

void switch_plan_fair(struct switch_state *s) {
  const struct switch_facts *f = &s->facts;
  struct table_write w[SCHED_WRITES];
  uint32_t weight = loom_max(1, loom_min(f->mtu_units, 255));
  uint32_t n = fair_table(s, &f->sched, weight, weight, w);
  write_sched(s, switch_of_port(LOOM_SWITCH_EVERY, 0), w, n);
  if (!f->central_sched.kind)
    return;
  n = fair_table(s, &f->central_sched, weight, weight, w);
  write_sched(s, of_central(LOOM_SWITCH_EVERY, 0), w, n);
}

/* ---- random: tables -------------------------------------------------------------------------- */

/* VL of a data lane. */
static uint32_t data_vl(struct switch_state *s) {
  uint32_t vl;
  do
    vl = rng_below(&s->ends.rng, loom_min(s->facts.vls, 32));
  while (vl == 15 || switch_lane(&s->facts, vl) == END_NO_LANE);
  return vl;
}

/* What an SC or SL may be mapped to: mostly a VL that has a lane. */
static uint8_t some_vl(struct switch_state *s) {
  return (uint8_t)(rng_chance(&s->ends.rng, 10) ? rng_below(&s->ends.rng, 32) : data_vl(s));
}

/* Entry of the map at {out, sc}: a VL (ib_switch) or an SC (opa_switch). */
static uint8_t some_map_entry(struct switch_state *s) {
  if (!s->facts.opa)
    return some_vl(s);
  return (uint8_t)rng_below(&s->ends.rng, rng_chance(&s->ends.rng, 10) ? 32 : 15);
}

/* Keys of SLs that the schedulers know, mostly. */
static uint8_t some_sl(struct switch_state *s) {
  return (uint8_t)rng_below(&s->ends.rng, rng_chance(&s->ends.rng, 8) ? 32 : s->facts.keys);
}

static void random_lft(struct switch_state *s) {
  struct rng *r = &s->ends.rng;
  struct switch_tables *t = &s->plan.tables;
  uint32_t ports = s->facts.ports;
  t->lids = loom_min(loom_min(s->facts.lids, SWITCH_LIDS - 1), ports * rng_range(r, 1, 4));
  for (uint32_t lid = 0; lid < t->lids; lid++) {
    uint32_t any = rng_chance(r, 8) ? rng_below(r, 64) : rng_below(r, ports);
    t->lft[lid] = (uint8_t)(lid < ports ? (lid * 5 + 3) % ports : any);
    if (lid < ports && ports % 5 == 0)
      t->lft[lid] = (uint8_t)(ports - 1 - lid);
    if (lid >= ports && s->plan.groups && rng_chance(r, 200))
      t->lft[lid] = switch_groups_entry(s);
  }
  write_lft(s);
}

/* One entry of the map, of one input or all of them; with groups for all outputs alike, as the page
 * asks for the members of a group. */
static void map_entry(struct switch_state *s, uint32_t window, uint32_t o, uint32_t k,
                      uint8_t entry) {
  uint32_t ports = s->facts.ports, first = s->plan.groups ? 0 : o;
  for (uint32_t out = first; out < (s->plan.groups ? ports : o + 1); out++) {
    for (uint32_t p = 0; p < ports; p++)
      if (window == p || window == LOOM_SWITCH_EVERY)
        s->plan.tables.map[p][out][k] = entry;
    switch_plan_write(s, switch_of_port(window, LOOM_SWITCH_WIN_MAP + 32 * out + k), entry);
  }
}

/* All entries that can be looked at: one for all inputs, then some for one input. */
static void random_map(struct switch_state *s) {
  struct rng *r = &s->ends.rng;
  uint32_t ports = s->facts.ports;
  for (uint32_t o = 0; o < (s->plan.groups ? 1 : ports); o++)
    for (uint32_t k = 0; k < 32; k++)
      map_entry(s, LOOM_SWITCH_EVERY, o, k, some_map_entry(s));
  for (uint32_t n = 0; n < 200; n++) {
    uint32_t p = rng_below(r, ports), o = rng_below(r, ports), k = rng_below(r, 32);
    map_entry(s, p, o, k, some_map_entry(s));
  }
}

static void random_sc_tables(struct switch_state *s) {
  struct switch_tables *t = &s->plan.tables;
  for (uint32_t k = 0; k < 32; k++) {
    t->sc2vl[k] = some_vl(s);
    t->sc2sl[k] = some_sl(s);
    t->sl2sc[k] = (uint8_t)rng_below(&s->ends.rng, rng_chance(&s->ends.rng, 10) ? 32 : 15);
    switch_plan_write(s, LOOM_OPA_REG_SC2VL + k, t->sc2vl[k]);
    switch_plan_write(s, LOOM_OPA_REG_SC2SL + k, t->sc2sl[k]);
    switch_plan_write(s, LOOM_OPA_REG_SL2SC + k, t->sl2sc[k]);
  }
}

static void random_mtu(struct switch_state *s) {
  struct rng *r = &s->ends.rng;
  struct switch_tables *t = &s->plan.tables;
  for (uint32_t l = 0; l < s->facts.vls; l++) {
    if (rng_chance(r, 128))
      continue;
    t->mtu[l] = (uint16_t)rng_range(r, 1, s->facts.mtu_units);
    switch_plan_write(s, LOOM_SWITCH_REG_MTU + l, t->mtu[l]);
  }
}

/* ---- random: limits -------------------------------------------------------------------------- */

/* One limit of a tracker of `units` units that leaves every lane room for its largest packet, most
 * of the time: reserved, cap or total. */
static void random_limit(struct switch_state *s, uint32_t window, uint32_t tracker,
                         uint32_t units) {
  struct rng *r = &s->ends.rng;
  uint32_t vls = s->facts.vls, kind = rng_below(r, 16), lane = rng_below(r, vls);
  uint32_t most = loom_min(s->facts.mtu_units, units);
  if (kind == 0)
    switch_plan_write(s, window + tracker + 64, rng_range(r, units - units / 8, units));
  else if (kind < 8)
    switch_plan_write(s, window + tracker + lane, rng_below(r, units / vls + 1));
  else
    switch_plan_write(s, window + tracker + 32 + lane,
                      rng_chance(r, 8) ? rng_below(r, units + 1) : rng_range(r, most, units));
}

static void random_limits(struct switch_state *s) {
  const struct switch_facts *f = &s->facts;
  struct rng *r = &s->ends.rng;
  for (uint32_t n = rng_below(r, 40); n; n--) {
    uint32_t port = rng_chance(r, 128) ? (uint32_t)LOOM_SWITCH_EVERY : rng_below(r, f->ports);
    uint32_t window = switch_of_port(port, 0);
    switch (rng_below(r, f->centrals ? 4 : 3)) {
    case 0:
      if (!f->gentle)
        random_limit(s, window, LOOM_SWITCH_WIN_TRACKER_IN, f->cells_in);
      break;
    case 1:
      random_limit(s, window, LOOM_SWITCH_WIN_TRACKER_OUT, f->cells_out);
      break;
    case 2:
      if (f->gentle)
        switch_plan_write(s, window + LOOM_SWITCH_WIN_HOLD, 1);
      random_limit(s, window, LOOM_SWITCH_WIN_TRACKER_FAR, f->remote_units);
      if (f->gentle)
        switch_plan_write(s, window + LOOM_SWITCH_WIN_HOLD, 0);
      break;
    default:
      port = rng_chance(r, 128) ? (uint32_t)LOOM_SWITCH_EVERY : rng_below(r, f->centrals);
      random_limit(s, of_central(port, 0), LOOM_SWITCH_WIN_TRACKER_IN, f->cells_central);
    }
  }
}

/* Rings of any inputs; the lowest limits let packets enter only while nothing else is there. */
static void random_rings(struct switch_state *s) {
  struct rng *r = &s->ends.rng;
  const struct switch_facts *f = &s->facts;
  for (uint32_t port = 0; port < f->ports; port++) {
    uint32_t window = switch_of_port(port, 0);
    if (rng_chance(r, 180))
      switch_plan_write(s, window + LOOM_SWITCH_WIN_RING,
                        LOOM_PUT(LOOM_SWITCH_WIN_RING_ON, rng_chance(r, 220)) |
                            LOOM_PUT(LOOM_SWITCH_WIN_RING_FROM, rng_below(r, f->ports + 1)));
    for (uint32_t lane = 0; lane < f->vls + 1; lane++)
      if (rng_chance(r, 200))
        switch_plan_write(s, window + LOOM_SWITCH_WIN_RING_MOST + lane,
                          rng_below(r, rng_chance(r, 60) ? 3 : f->cells_out));
  }
}

static void random_sched(struct switch_state *s, uint32_t window, const struct switch_sched *d) {
  struct table_write w[SCHED_WRITES];
  if (!d->kind)
    return;
  if (rng_chance(&s->ends.rng, 64)) /* often one that leaves keys out */
    write_sched(s, window, w, d->kind->whole_table(&s->ends.rng, &d->cfg, w));
  else
    write_sched(s, window, w, fair_table(s, d, rng_chance(&s->ends.rng, 128) ? 1 : 32, 255, w));
}

/* ---- random: traffic ------------------------------------------------------------------------- */

static void random_class(struct switch_state *s, struct switch_class *c) {
  struct rng *r = &s->ends.rng;
  uint32_t ports = s->facts.ports, most = LOOM_UNIT_FLITS * s->facts.mtu_units;
  const uint32_t longest[] = {1, 3, 9, 20, 64, most};
  *c = (struct switch_class){.sc = (uint8_t)rng_below(r, rng_chance(r, 200) ? 15 : 32),
                             .vl = (uint8_t)data_vl(s),
                             .share = 1 + rng_below(r, 8),
                             .shortest = 1,
                             .longest = loom_min(longest[rng_below(r, 6)], most),
                             .pattern = rng_below(r, PATTERNS),
                             .shift = rng_below(r, ports),
                             .hot = rng_below(r, ports),
                             .hot_share = rng_range(r, 10, 200),
                             .burst = rng_chance(r, 64) ? rng_range(r, 2, 20) : 0};
  if (!s->facts.opa)
    c->sc = some_sl(s);
  if (rng_chance(r, 128))
    c->shortest = c->longest;
  if (rng_chance(r, 12)) { /* management */
    c->vl = 15;
    c->sc = 15;
  }
  for (uint32_t p = 0; p < ports; p++)
    c->fixed[p] = (uint8_t)p;
  for (uint32_t p = ports - 1; p; p--) { /* a permutation */
    uint32_t q = rng_below(r, p + 1);
    uint8_t x = c->fixed[p];
    c->fixed[p] = c->fixed[q];
    c->fixed[q] = x;
  }
}

static void random_classes(struct switch_state *s) {
  static const double loads[] = {0.02, 0.1, 0.4, 0.8, 1.0, 1.0, 1.0};
  struct switch_plan *p = &s->plan;
  struct rng *r = &s->ends.rng;
  double sum = 0;
  p->classes = rng_range(r, 1, loom_min(s->facts.vls + 2, SWITCH_CLASSES));
  for (uint32_t k = 0; k < p->classes; k++) {
    random_class(s, &p->class[k]);
    sum += p->class[k].share;
  }
  for (uint32_t k = 0; k < p->classes; k++)
    p->class[k].share /= sum;
  p->load[0] = loads[rng_below(r, 7)];
}

void switch_plan_random(struct switch_state *s) {
  struct switch_plan *p = &s->plan;
  struct rng *r = &s->ends.rng;
  p->random = true;
  p->loose = rng_chance(r, 80);
  p->rude = rng_chance(r, 32) && !s->facts.gentle;
  p->refusals = (p->rude || rng_chance(r, 128)) && !s->facts.gentle;
  p->bad = rng_chance(r, 100) ? rng_range(r, 1, 40) : 0;
  plain_tables(s);
  if (rng_chance(r, 100))
    random_mtu(s);
  if (rng_chance(r, 128))
    random_limits(s);
  if (s->facts.bubble)
    random_rings(s);
  if (s->facts.opa && rng_chance(r, 200))
    random_sc_tables(s);
  if (s->facts.groups && rng_chance(r, 230)) {
    p->moving = !p->loose && rng_chance(r, 128);
    switch_groups_plan(s);
  }
  if (s->facts.finds == FINDS_LFT)
    random_lft(s);
  else
    switch_kns_plan_random(s);
  random_sched(s, switch_of_port(LOOM_SWITCH_EVERY, 0), &s->facts.sched);
  if (rng_chance(r, 64))
    random_sched(s, switch_of_port(rng_below(r, s->facts.ports), 0), &s->facts.sched);
  random_sched(s, of_central(LOOM_SWITCH_EVERY, 0), &s->facts.central_sched);
  if (p->loose || rng_chance(r, 128)) {
    random_map(s);
    p->tables.map_mode = 1;
  } else if (rng_chance(r, 128)) {
    p->tables.map_mode = s->facts.opa ? rng_range(r, 2, 3) : 2;
  }
  p->tables.central_choice = s->facts.opa && rng_chance(r, 100);
  switch_plan_write(s, LOOM_SWITCH_REG_CONTROL, p->tables.map_mode | p->tables.central_choice << 4);
  random_classes(s);
}

/* ---- the bus while traffic runs -------------------------------------------------------------- */

static struct switch_access write_to(uint32_t addr, uint32_t data) {
  return (struct switch_access){.we = true, .addr = addr, .data = data};
}

static uint32_t some_window(struct switch_state *s) {
  const struct switch_facts *f = &s->facts;
  struct rng *r = &s->ends.rng;
  if (f->centrals && rng_chance(r, 50))
    return of_central(rng_below(r, f->centrals + (rng_chance(r, 16) ? 2 : 0)), 0);
  return switch_of_port(rng_below(r, rng_chance(r, 8) ? 64 : f->ports), 0);
}

static struct switch_access some_read(struct switch_state *s) {
  const struct switch_facts *f = &s->facts;
  struct rng *r = &s->ends.rng;
  if (s->plan.groups && rng_chance(r, 60))
    return switch_groups_read(s);
  uint32_t addr, what = rng_below(r, 16);
  if (what < 4)
    addr = f->finds == FINDS_LFT || rng_chance(r, 128) ? rng_below(r, 6)
                                                       : LOOM_KNS_REG_ADDRESS + rng_below(r, 3);
  else if (what < 6)
    addr = rng_below(r, 0xC0);
  else if (what < 11)
    addr = some_window(s) + LOOM_SWITCH_WIN_IN_FLITS +
           rng_below(r, LOOM_SWITCH_WIN_BUFFER_ERRORS + 1 - LOOM_SWITCH_WIN_IN_FLITS);
  else if (what < 12)
    addr = some_window(s) + LOOM_SWITCH_WIN_TABLE + f->sched.kind->some_read(r, &f->sched.cfg);
  else if (what < 13)
    addr = some_window(s) + rng_below(r, LOOM_REG_WINDOW);
  else if (what < 14)
    addr = LOOM_SWITCH_REG_LFT + rng_below(r, s->plan.tables.lids + 2);
  else if (what < 15 && s->plan.tables.map_mode == 1)
    addr =
        switch_of_port(rng_below(r, f->ports), LOOM_SWITCH_WIN_MAP) + rng_below(r, 32 * f->ports);
  else
    addr = rng_below(r, 1 << 20);
  return (struct switch_access){.re = true, .addr = addr};
}

/* Nothing that changes where packets go. */
static struct switch_access harmless_write(struct switch_state *s) {
  const struct switch_facts *f = &s->facts;
  const struct switch_tables *t = &s->plan.tables;
  struct rng *r = &s->ends.rng;
  uint32_t port = rng_chance(r, 64) ? (uint32_t)LOOM_SWITCH_EVERY : rng_below(r, f->ports), lane,
           lid;
  struct table_write w;
  if (s->plan.groups && rng_chance(r, 128))
    return switch_groups_same(s);
  switch (rng_below(r, 8)) {
  case 0: /* hold: rarely, and then free again soon */
    return rng_chance(r, 24) ? write_to(switch_of_port(port, 0), 1)
                             : write_to(switch_of_port(LOOM_SWITCH_EVERY, 0), 0);
  case 1: /* the tracker of an input, output or far end: a lane that is not there */
    if (!s->plan.refusals || f->vls == 32 || f->gentle)
      return some_read(s);
    return write_to(
        switch_of_port(port, (uint32_t)LOOM_SWITCH_WIN_TRACKER_IN * rng_range(r, 1, 3) + 31),
        rng_below(r, 16));
  case 2:
    if (f->gentle)
      return some_read(s);
    lane = rng_below(r, f->vls);
    return write_to(LOOM_SWITCH_REG_MTU + lane, t->mtu[lane]);
  case 3:
    if (f->finds != FINDS_LFT)
      return switch_kns_same(s);
    lid = rng_below(r, t->lids);
    return write_to(LOOM_SWITCH_REG_LFT + lid, t->lft[lid]);
  case 4:
    return write_to(LOOM_SWITCH_REG_CONTROL, t->map_mode | t->central_choice << 4);
  case 5: /* read only, or nothing there */
    return write_to(rng_chance(r, 128)
                        ? LOOM_SWITCH_REG_TRAP_COUNT
                        : switch_of_port(port, LOOM_SWITCH_WIN_IN_FLITS + rng_below(r, 0x180)),
                    1);
  default:
    w = f->sched.kind->some_write(r, &f->sched.cfg);
    return write_to(switch_of_port(port, LOOM_SWITCH_WIN_TABLE + w.addr), w.data);
  }
}

/* Anything; map mode 1 only if the maps were written. */
static struct switch_access any_write(struct switch_state *s) {
  const struct switch_facts *f = &s->facts;
  struct rng *r = &s->ends.rng;
  uint32_t port = rng_chance(r, 64) ? (uint32_t)LOOM_SWITCH_EVERY : rng_below(r, f->ports);
  uint32_t map = LOOM_SWITCH_WIN_MAP + rng_below(r, 32 * f->ports), what = rng_below(r, 10);
  if (f->finds != FINDS_LFT && (what == 1 || what == 2))
    return switch_kns_write(s);
  bool of_scs = what == 4 || what == 5; /* with `told` before traffic only, too */
  if ((f->gentle && (what == 3 || what == 6)) || (f->told && of_scs))
    return harmless_write(s);
  if (s->plan.groups && rng_chance(r, 100))
    return switch_groups_write(s);
  switch (what) {
  case 0:
    return write_to(LOOM_SWITCH_REG_CONTROL, rng_below(r, 32));
  case 1:
    return write_to(LOOM_SWITCH_REG_LFT_COUNT, rng_chance(r, 64)
                                                   ? rng_below(r, s->plan.tables.lids + 1)
                                                   : s->plan.tables.lids);
  case 2:
    return write_to(LOOM_SWITCH_REG_LFT + rng_below(r, s->plan.tables.lids),
                    rng_below(r, s->plan.groups ? 256 : 64));
  case 3:
    return write_to(LOOM_SWITCH_REG_MTU + rng_below(r, 32), rng_range(r, 1, f->mtu_units));
  case 4:
    return write_to(LOOM_OPA_REG_SC2VL + rng_below(r, 32), some_vl(s));
  case 5:
    return write_to(LOOM_OPA_REG_SC2SL + rng_below(r, 64), rng_below(r, 32));
  case 6:
    return write_to(some_window(s) + LOOM_SWITCH_WIN_TRACKER_IN * rng_range(r, 1, 3) +
                        rng_below(r, 0x42),
                    rng_below(r, f->cells_in + 1));
  case 7:
    return write_to(switch_of_port(port, map), some_map_entry(s));
  case 8:
    return write_to(switch_of_port(port, 0), rng_chance(r, 16));
  default:
    return harmless_write(s);
  }
}

struct switch_access switch_bus_access(struct switch_state *s, uint64_t cycle) {
  const struct switch_plan *p = &s->plan;
  struct switch_ends *e = &s->ends;
  if (cycle < s->facts.sweep)
    return (struct switch_access){0};
  if (e->written < p->writes) {
    if (s->facts.pace && (cycle - s->facts.sweep) % s->facts.pace)
      return (struct switch_access){0};
    struct table_write w = p->write[e->written++];
    return write_to(w.addr, w.data);
  }
  if (!p->random || cycle < p->start || !rng_chance(&e->rng, e->bus))
    return (struct switch_access){0};
  if (rng_chance(&e->rng, 150))
    return some_read(s);
  return p->loose ? any_write(s) : harmless_write(s);
}

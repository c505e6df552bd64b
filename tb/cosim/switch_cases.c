/* SPDX-License-Identifier: Apache-2.0 */
/* switch_cases.c - directed cases of the switches, each with its verdict, see switch_traffic.h */
#include "tb/cosim/switch_traffic.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <string.h>

enum { PACKET = 16, LOADS = 10, DRAIN = 40000, SLS = 3 };

static const struct switch_class plain_class = {
    .share = 1, .shortest = PACKET, .longest = PACKET, .pattern = PATTERN_UNIFORM};

/* ---- helpers --------------------------------------------------------------------------------- */

/* `n` classes on VLs and SCs 0, 1, ... that share the load alike. */
static void even_classes(struct switch_state *s, uint32_t n, uint32_t shortest, uint32_t longest) {
  struct switch_plan *p = &s->plan;
  for (uint32_t k = 0; k < n; k++) {
    struct switch_class *c = &p->class[k];
    *c = plain_class;
    c->sc = c->vl = (uint8_t)k;
    c->share = 1.0 / n;
    c->shortest = shortest;
    c->longest = longest;
  }
  p->classes = n;
}

static uint32_t data_lanes(const struct switch_state *s) { return loom_min(s->facts.vls - 1, 8); }

static void begin(struct switch_state *s, double load) {
  switch_plan_plain(s);
  switch_plan_fair(s);
  s->plan.load[0] = load;
}

/* Loads 0.1, 0.2 ... 1.0, each for a tenth of the run. */
static void loads(struct switch_state *s) {
  struct switch_plan *p = &s->plan;
  p->start = switch_plan_start(s);
  p->segments = LOADS;
  p->segment_length = (s->cycles - p->start) / LOADS;
  for (uint32_t k = 0; k < LOADS; k++)
    p->load[k] = (k + 1) / (double)LOADS;
}

static uint64_t accepted(const struct switch_segment *g) {
  uint64_t sum = 0;
  for (uint32_t k = 0; k < SWITCH_CLASSES; k++)
    sum += g->accepted[k];
  return sum;
}

/* Flits a cycle and port. */
static double rate(const struct switch_state *s, const struct switch_segment *g, uint64_t flits) {
  return g->cycles ? (double)flits / (double)g->cycles / s->facts.ports : 0;
}

static double latency(const struct switch_segment *g) {
  return g->packets ? (double)g->latency / (double)g->packets : 0;
}

static bool say(bool good, char *text, size_t size, const char *format, ...) {
  va_list a;
  va_start(a, format);
  vsnprintf(text, size, format, a);
  va_end(a);
  return good;
}

static bool nothing_inside(const struct switch_state *s) {
  return s->judge.packets_in == s->judge.packets_out && s->judge.sum == 0;
}

/* ---- latency: a packet alone, OP-14, OP-15 --------------------------------------------------- */

static void plan_latency(struct switch_state *s) {
  begin(s, 0.5);
  even_classes(s, data_lanes(s), 1, PACKET);
  s->plan.alone = true;
  s->plan.period = s->facts.central + switch_wait(&s->facts, PACKET) + PACKET + 10;
}

static bool verdict_latency(const struct switch_state *s, char *text, size_t size) {
  const struct switch_judge *j = &s->judge;
  uint64_t pairs = s->facts.ports * s->facts.ports;
  if (j->packets_out < pairs)
    return say(false, text, size, "%" PRIu64 " packets, there are %" PRIu64 " pairs of ports",
               j->packets_out, pairs);
  return say(true, text, size, "%" PRIu64 " packets alone, header latency %u local, %u central",
             j->packets_out, s->facts.local, s->facts.central);
}

/* ---- shift: a fixed partner, OP-04, OP-17 ---------------------------------------------------- */

static void plan_shift(struct switch_state *s, uint32_t shift) {
  begin(s, 0);
  even_classes(s, 1, PACKET, PACKET);
  s->plan.class[0].pattern = PATTERN_SHIFT;
  s->plan.class[0].shift = shift;
  s->plan.class[0].steady = true;
  loads(s);
}

static void plan_shift1(struct switch_state *s) { plan_shift(s, 1); }
static void plan_shift4(struct switch_state *s) { plan_shift(s, 4); }

/* What every packet alone would take, on average. */
static double alone(const struct switch_state *s, uint32_t shift) {
  const struct switch_facts *f = &s->facts;
  uint64_t sum = 0;
  for (uint32_t p = 0; p < f->ports; p++)
    sum += f->opa && p / 4 != (p + shift) % f->ports / 4 ? f->central : f->local;
  return (double)sum / f->ports + switch_wait(f, PACKET);
}

/* Offered is accepted; the header latency stays within 1 % of `must` (0: not looked at). */
static bool verdict_shift(const struct switch_state *s, double must, char *text, size_t size) {
  double most = 0;
  for (uint32_t k = 0; k < LOADS; k++) {
    const struct switch_segment *g = &s->judge.segment[k];
    double load = s->plan.load[k], is = rate(s, g, accepted(g));
    if (fabs(is - load) > 0.01 * load + 32.0 / (double)g->cycles)
      return say(false, text, size, "load %.1f: accepted %.4f flits a cycle and port", load, is);
    if (must > 0 && fabs(latency(g) - must) > 0.01 * must)
      return say(false, text, size, "load %.1f: mean header latency %.3f, must be %.3f", load,
                 latency(g), must);
    most = latency(g) > most ? latency(g) : most;
  }
  const struct switch_segment *full = &s->judge.segment[LOADS - 1];
  return say(true, text, size,
             "load 1.0: accepted %.4f; mean header latency at most %.3f, alone %.3f",
             rate(s, full, accepted(full)), most, must > 0 ? must : alone(s, 4));
}

static bool verdict_shift1(const struct switch_state *s, char *text, size_t size) {
  return verdict_shift(s, alone(s, 1), text, size);
}

static bool verdict_shift4(const struct switch_state *s, char *text, size_t size) {
  const struct switch_central *c = &s->central;
  if (!verdict_shift(s, 0, text, size))
    return false;
  size_t n = strlen(text);
  if (s->facts.opa)
    snprintf(text + n, size - n, "; to the central at most %u flits a cycle and MPort", c->most);
  return true;
}

/* ---- full load ------------------------------------------------------------------------------- */

static void plan_uniform(struct switch_state *s) {
  begin(s, 1);
  even_classes(s, data_lanes(s), 1, 2 * PACKET);
  if (s->cycles > 3 * DRAIN)
    s->plan.quiet_from = s->cycles - DRAIN;
}

/* A tenth of everything goes to one port. */
static void plan_hotspot(struct switch_state *s) {
  begin(s, 1);
  even_classes(s, data_lanes(s), 1, 2 * PACKET);
  for (uint32_t k = 0; k < s->plan.classes; k++) {
    s->plan.class[k].pattern = PATTERN_HOT;
    s->plan.class[k].hot = 7 % s->facts.ports;
    s->plan.class[k].hot_share = 26;
  }
}

/* Everything goes through the central buffers of opa_switch and to ports far away. */
static void plan_central(struct switch_state *s) {
  begin(s, 1);
  even_classes(s, data_lanes(s), 5, 2 * PACKET);
  for (uint32_t k = 0; k < s->plan.classes; k++) {
    s->plan.class[k].pattern = PATTERN_SHIFT;
    s->plan.class[k].shift = 4 + 4 * k % (s->facts.ports - 4);
  }
}

/* Short packets only. */
static void plan_short(struct switch_state *s) {
  begin(s, 1);
  even_classes(s, data_lanes(s), 1, 4);
  if (s->cycles > 3 * DRAIN)
    s->plan.quiet_from = s->cycles - DRAIN;
}

static bool verdict_traffic(const struct switch_state *s, char *text, size_t size) {
  const struct switch_segment *g = &s->judge.segment[0];
  double flits = rate(s, g, accepted(g));
  if (s->plan.quiet_from && !nothing_inside(s))
    return say(false, text, size, "%" PRIu64 " packets sent, %" PRIu64 " came out",
               s->judge.packets_in, s->judge.packets_out);
  say(true, text, size,
      "%" PRIu64 " packets out, %.4f flits a cycle and port, mean header latency %.1f",
      s->judge.packets_out, flits, latency(g));
  size_t n = strlen(text);
  if (s->facts.opa)
    snprintf(text + n, size - n, ", to the central at most %u flits a cycle and MPort",
             s->central.most);
  return flits > 0;
}

static void plan_sweep(struct switch_state *s) {
  begin(s, 0);
  even_classes(s, data_lanes(s), PACKET, PACKET);
  loads(s);
}

/* Below saturation what is offered is accepted. */
static bool verdict_sweep(const struct switch_state *s, char *text, size_t size) {
  int n = snprintf(text, size, "accepted (latency):");
  for (uint32_t k = 0; k < LOADS; k++) {
    const struct switch_segment *g = &s->judge.segment[k];
    double load = s->plan.load[k], is = rate(s, g, accepted(g));
    if (k < LOADS / 2 && fabs(is - load) > 0.05 * load)
      return say(false, text, size, "load %.1f: accepted %.4f flits a cycle and port", load, is);
    n += snprintf(text + n, size - (size_t)n, " %.3f (%.0f)", is, latency(g));
    if ((size_t)n >= size)
      break;
  }
  return true;
}

/* ---- shares: T-Tab2.2, SC-07, SC-08 ---------------------------------------------------------- */

struct shares {
  double offered[SLS], weight[SLS]; /* by SL, percent */
  uint32_t classes;
  uint8_t sl[4], vl[4]; /* of SCs 0..3 */
  double share[4];
};

static const struct shares shares_a = {.offered = {50, 40, 10},
                                       .weight = {60, 30, 10},
                                       .classes = 3,
                                       .sl = {0, 1, 2},
                                       .vl = {0, 1, 2},
                                       .share = {0.5, 0.4, 0.1}};
static const struct shares shares_b = {.offered = {40, 50, 10},
                                       .weight = {50, 30, 20},
                                       .classes = 4,
                                       .sl = {0, 0, 1, 2},
                                       .vl = {0, 1, 2, 2},
                                       .share = {0.2, 0.2, 0.5, 0.1}};

/* Tenths of the table, the largest weight spread evenly. */
static void share_entries(struct switch_state *s, uint32_t base, uint32_t entries,
                          const struct shares *d) {
  double due[SLS] = {0};
  for (uint32_t k = 0; k < entries / 10 * 10; k++) {
    uint32_t best = 0;
    for (uint32_t l = 0; l < SLS; l++) {
      due[l] += d->weight[l];
      best = due[l] > due[best] ? l : best;
    }
    due[best] -= 100;
    switch_plan_write(s, switch_of_port(LOOM_SWITCH_EVERY, LOOM_SWITCH_WIN_TABLE + base + k),
                      sched_entry(best, end_units(PACKET)));
  }
}

static void share_tables(struct switch_state *s, const struct shares *d) {
  const struct switch_sched *q = &s->facts.sched;
  if (q->kind == &sched_sbt_kind)
    for (uint32_t l = 0; l < SLS; l++)
      switch_plan_write(s, switch_of_port(LOOM_SWITCH_EVERY, LOOM_SWITCH_WIN_TABLE + l),
                        (uint32_t)d->weight[l]);
  if (q->kind == &sched_dtable_kind)
    share_entries(s, 0, q->cfg.dtable.ENTRIES, d);
  if (q->kind == &sched_ibarb_kind) {
    share_entries(s, 0, q->cfg.ibarb.N_HIGH, d);
    switch_plan_write(
        s, switch_of_port(LOOM_SWITCH_EVERY, LOOM_SWITCH_WIN_TABLE + LOOM_IBARB_REG_LIMIT), 255);
  }
}

/* The largest packet of every lane: so few units that guaranteed ones hold several. */
static void small_mtu(struct switch_state *s) {
  for (uint32_t l = 0; l < s->facts.vls; l++) {
    s->plan.tables.mtu[l] = (uint16_t)end_units(PACKET);
    switch_plan_write(s, LOOM_SWITCH_REG_MTU + l, end_units(PACKET));
  }
}

/* To all outputs alike, or two inputs to each of half the outputs: twice what they can take. */
static void plan_shares(struct switch_state *s, const struct shares *d, bool twice) {
  struct switch_plan *p = &s->plan;
  switch_plan_plain(s);
  small_mtu(s);
  share_tables(s, d);
  even_classes(s, d->classes, PACKET, PACKET);
  for (uint32_t k = 0; k < d->classes; k++) {
    struct switch_class *c = &p->class[k];
    c->share = d->share[k];
    c->pattern = twice ? PATTERN_FIXED : PATTERN_UNIFORM;
    for (uint32_t in = 0; in < SWITCH_PORTS; in++)
      c->fixed[in] = (uint8_t)(in / 2);
    c->vl = p->tables.sc2vl[k] = d->vl[k];
    p->tables.sc2sl[k] = d->sl[k];
    if (s->facts.opa) {
      switch_plan_write(s, LOOM_OPA_REG_SC2VL + k, d->vl[k]);
      switch_plan_write(s, LOOM_OPA_REG_SC2SL + k, d->sl[k]);
    }
  }
  p->start = switch_plan_start(s);
  p->segments = 2; /* the first one fills the buffers */
  p->segment_length = (s->cycles - p->start) / 2;
  p->load[0] = p->load[1] = 1;
}

static void plan_shares_a(struct switch_state *s) { plan_shares(s, &shares_a, false); }
static void plan_shares_b(struct switch_state *s) { plan_shares(s, &shares_b, false); }
static void plan_overload(struct switch_state *s) { plan_shares(s, &shares_a, true); }

/* What `all` percent of the links in gives to each SL: by weight, but none more than it offers. */
static void max_min(const struct shares *d, bool even, double all, double *must) {
  bool full[SLS] = {false};
  for (uint32_t round = 0; round < SLS; round++) {
    double weights = 0, left = all;
    for (uint32_t l = 0; l < SLS; l++) {
      left -= full[l] ? must[l] : 0;
      weights += full[l] ? 0 : even ? 1 : d->weight[l];
    }
    for (uint32_t l = 0; l < SLS; l++)
      if (!full[l])
        must[l] = left * (even ? 1 : d->weight[l]) / weights;
    for (uint32_t l = 0; l < SLS; l++)
      if (!full[l] && must[l] >= d->offered[l]) {
        full[l] = true;
        must[l] = d->offered[l];
      }
  }
}

static bool verdict_shares(const struct switch_state *s, const struct shares *d, char *text,
                           size_t size) {
  const struct switch_segment *g = &s->judge.segment[1];
  double is[SLS] = {0}, must[SLS] = {0}, sum = 0;
  bool good = true;
  for (uint32_t k = 0; k < d->classes; k++) {
    double flits = 100 * rate(s, g, g->accepted[k]);
    is[d->sl[k]] += flits;
    sum += flits;
  }
  max_min(d, s->facts.sched.kind == &sched_rr_kind, sum, must);
  for (uint32_t l = 0; l < SLS; l++)
    good = good && fabs(is[l] - must[l]) <= 0.02 * sum;
  return say(good, text, size, "accepted %.4f, shares %.1f %.1f %.1f %%, must be %.1f %.1f %.1f %%",
             sum / 100, 100 * is[0] / sum, 100 * is[1] / sum, 100 * is[2] / sum,
             100 * must[0] / sum, 100 * must[1] / sum, 100 * must[2] / sum);
}

static bool verdict_shares_a(const struct switch_state *s, char *text, size_t size) {
  return verdict_shares(s, &shares_a, text, size);
}

static bool verdict_shares_b(const struct switch_state *s, char *text, size_t size) {
  return verdict_shares(s, &shares_b, text, size);
}

/* ---- starve: OP-06 --------------------------------------------------------------------------- */

/* Lane 0 is never given a credit back and fills every buffer as far as it may; lane 1 has its
 * guaranteed units left. */
static void plan_starve(struct switch_state *s) {
  struct switch_plan *p = &s->plan;
  begin(s, 0);
  even_classes(s, 2, PACKET, PACKET);
  p->class[0].share = 0.7;
  p->class[1].share = 0.3;
  p->far_lanes = ~1u;
  small_mtu(s);
  p->start = switch_plan_start(s);
  p->segments = 3;
  p->segment_length = (s->cycles - p->start) / 3;
  p->load[0] = p->load[1] = p->load[2] = 1;
}

static bool verdict_starve(const struct switch_state *s, char *text, size_t size) {
  const struct switch_segment *g = &s->judge.segment[2];
  double stuck = rate(s, g, g->accepted[0]), free = rate(s, g, g->accepted[1]);
  return say(stuck == 0 && fabs(free - 0.3) < 0.01, text, size,
             "lane 0 stands still (%.4f), lane 1 accepted %.4f of 0.3000", stuck, free);
}

/* ---- nine tenths: busy, but below saturation ------------------------------------------------- */

static void plan_busy(struct switch_state *s) {
  begin(s, 0.9);
  even_classes(s, data_lanes(s), PACKET,
               loom_min(8 * PACKET, LOOM_UNIT_FLITS * s->facts.mtu_units));
}

/* ---- groups: everything drawn, tables rewritten under traffic -------------------------------- */

static void plan_groups(struct switch_state *s) {
  struct switch_plan *p = &s->plan;
  begin(s, 0.8);
  even_classes(s, data_lanes(s), 1, 2 * PACKET);
  switch_plan_groups(s);
  p->random = true;
  p->bad = 6;
}

static bool verdict_groups(const struct switch_state *s, char *text, size_t size) {
  const struct switch_group_judge *g = &s->judge.groups;
  bool good = g->out[LOOM_SWITCH_BY_LID] && g->out[LOOM_SWITCH_BY_FLOW] &&
              g->out[LOOM_SWITCH_BY_LOAD] && g->turned;
  return say(good, text, size,
             "packets by LID %" PRIu64 ", by flow %" PRIu64 ", by load %" PRIu64
             ", not by their slot %" PRIu64,
             g->out[LOOM_SWITCH_BY_LID], g->out[LOOM_SWITCH_BY_FLOW], g->out[LOOM_SWITCH_BY_LOAD],
             g->turned);
}

/* ---- one per cent ---------------------------------------------------------------------------- */

static void plan_idle(struct switch_state *s) {
  begin(s, 0.01);
  even_classes(s, data_lanes(s), PACKET, PACKET);
}

const struct switch_case switch_cases[] = {
    {"latency", plan_latency, verdict_latency},    {"shift1", plan_shift1, verdict_shift1},
    {"shift4", plan_shift4, verdict_shift4},       {"uniform", plan_uniform, verdict_traffic},
    {"hotspot", plan_hotspot, verdict_traffic},    {"central", plan_central, verdict_traffic},
    {"short", plan_short, verdict_traffic},        {"one_percent", plan_idle, verdict_traffic},
    {"nine_tenths", plan_busy, verdict_traffic},   {"sweep", plan_sweep, verdict_sweep},
    {"shares_a", plan_shares_a, verdict_shares_a}, {"shares_b", plan_shares_b, verdict_shares_b},
    {"overload", plan_overload, verdict_shares_a}, {"starve", plan_starve, verdict_starve},
    {"groups", plan_groups, verdict_groups},       {0}};

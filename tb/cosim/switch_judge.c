/* SPDX-License-Identifier: Apache-2.0 */
/* switch_judge.c - what comes out of a switch is what went in, in order, where and as it should be;
 * see switch_traffic.h
 *
 * It looks at the links of the circuit and at the plan, nothing else.
 */
#include "tb/cosim/switch_traffic.h"

#include <inttypes.h>
#include <string.h>

enum { IDLE_LONG = 64, WARM = 4 };

static void wrong(struct switch_judge *j, uint64_t cycle, uint32_t port, const char *what,
                  uint64_t is, uint64_t must) {
  if (!j->wrong[0])
    snprintf(j->wrong, sizeof j->wrong,
             "cycle %" PRIu64 ", port out %u: %s is 0x%" PRIx64 ", must be 0x%" PRIx64, cycle, port,
             what, is, must);
}

void switch_judge_init(struct switch_state *s) {
  const struct switch_facts *f = &s->facts;
  const struct loom_credit_tracker_cfg c = {.VLS = f->vls,
                                            .COUNT_W = 12,
                                            .SIZE_W = 10,
                                            .UNITS = f->remote_units,
                                            .MAX_UNITS = f->remote_units,
                                            .RESERVED = f->remote_reserved};
  for (uint32_t p = 0; p < f->ports; p++)
    loom_credit_tracker_init(&s->judge.far[p], &c);
  s->judge.groups.old.sls = 0xFFFFFFFF;
}

/* ---- groups of ports ------------------------------------------------------------------------- */

/* A write is at the inputs 2 cycles after it was on the bus, and heads from 2 cycles before that
 * until 2 cycles after it may go by the old words or by the new ones. */
enum { SEEN_AFTER = 4 };

static void groups_pass(struct switch_state *s, uint64_t cycle, const switch_in *i) {
  struct switch_group_judge *g = &s->judge.groups;
  uint32_t done = 0;
  while (done < g->recents && g->recent[done].cycle + SEEN_AFTER < cycle) {
    switch_groups_take(&s->facts, &g->old, g->recent[done].addr, g->recent[done].data);
    done++;
  }
  g->recents -= done;
  memmove(g->recent, g->recent + done, g->recents * sizeof g->recent[0]);
  if (i->reg_we)
    g->recent[g->recents++] = (struct switch_group_write){
        .cycle = cycle, .addr = (uint32_t)i->reg_addr, .data = (uint32_t)i->reg_wdata};
}

/* What is right by the old words, or by any of the new ones. */
static struct switch_right right_ports(const struct switch_state *s, uint64_t head, uint32_t vl) {
  const struct switch_group_judge *j = &s->judge.groups;
  const struct switch_tables *t = &s->plan.tables;
  struct switch_right right = switch_right_ports(&s->facts, t, &j->old, head, vl);
  struct switch_groups now;
  if (j->recents)
    now = j->old;
  for (uint32_t n = 0; n < j->recents; n++) {
    switch_groups_take(&s->facts, &now, j->recent[n].addr, j->recent[n].data);
    right.ports |= switch_right_ports(&s->facts, t, &now, head, vl).ports;
  }
  return right;
}

static struct switch_inside *inside(struct switch_judge *j, uint64_t head) {
  uint32_t port = LOOM_GET(LOOM_HEAD_SRC, head) & 63;
  return &j->groups.inside[port][LOOM_GET(LOOM_HEAD_ID, head) % SWITCH_WAITING];
}

static void group_in(struct switch_judge *j, uint64_t head, const struct switch_right *right) {
  *inside(j, head) = (struct switch_inside){.ports = right->ports,
                                            .number = ++j->groups.heads,
                                            .mode = (uint8_t)right->mode,
                                            .own = (uint8_t)right->own};
}

/* Out of a right port, after all of its class that came in before it and went there. */
static void group_out(struct switch_judge *j, uint64_t cycle, uint32_t port, uint64_t head) {
  struct switch_group_judge *g = &j->groups;
  struct switch_inside *p = inside(j, head);
  uint32_t src = LOOM_GET(LOOM_HEAD_SRC, head);
  uint32_t *last = &g->last[src & 63][src >> 6 & 31][port];
  if (!(p->ports >> port & 1))
    wrong(j, cycle, port, "the set of ports with its port", 1ull << port, p->ports);
  if (p->number <= *last)
    wrong(j, cycle, port, "the number of a packet that came in before the last one", p->number,
          *last);
  *last = p->number;
  g->out[p->mode]++;
  g->turned += p->own != port;
  p->ports = 0;
}

/* ---- in -------------------------------------------------------------------------------------- */

static void note(uint64_t cycle, uint32_t port, const switch_in *i, struct stats *stats) {
  uint64_t head = i->in_data[port];
  const struct packet_note n = {.cycle = cycle,
                                .port = port,
                                .vl = (uint32_t)i->in_vl[port],
                                .dest = LOOM_GET(LOOM_HEAD_DEST, head),
                                .length = LOOM_GET(LOOM_HEAD_LEN, head),
                                .id = LOOM_GET(LOOM_HEAD_ID, head)};
  stats->packets++;
  stats_note(stats, &n);
}

static void look_in(struct switch_state *s, uint64_t cycle, uint32_t port, const switch_in *i,
                    struct switch_segment *g, struct stats *stats) {
  struct switch_judge *j = &s->judge;
  uint64_t head = i->in_data[port];
  if (g)
    g->sent++;
  if (j->in_left[port]) {
    j->in_left[port]--;
    return;
  }
  if (!i->in_head[port])
    return;
  uint32_t length = LOOM_GET(LOOM_HEAD_LEN, head), src = LOOM_GET(LOOM_HEAD_SRC, head);
  note(cycle, port, i, stats);
  j->in_left[port] = length ? length - 1 : 0;
  if (src >> 15)
    return;
  j->packets_in++;
  j->sum += switch_base(head);
  struct switch_right right = right_ports(s, head, (uint32_t)i->in_vl[port]);
  if (s->facts.groups)
    group_in(j, head, &right);
  for (uint64_t left = right.ports; left; left &= left - 1)
    j->since[port][__builtin_ctzll(left)][(head + (src >> 6) * 8) & 63] = (uint32_t)cycle;
}

/* ---- out ------------------------------------------------------------------------------------- */

static void check_order(struct switch_judge *j, uint64_t cycle, uint32_t port, uint64_t head) {
  uint32_t src = LOOM_GET(LOOM_HEAD_SRC, head);
  uint16_t *number = &j->number[src & 63][src >> 6 & 31][port];
  if (LOOM_GET(LOOM_HEAD_ID, head) != (*number & (LOOM_PACKET_IDS - 1u)))
    wrong(j, cycle, port, "the number of a packet", LOOM_GET(LOOM_HEAD_ID, head),
          *number & (LOOM_PACKET_IDS - 1u));
  (*number)++;
}

/* Where it is and how: as the tables say. */
static void check_way(struct switch_state *s, uint64_t cycle, uint32_t port, uint32_t vl,
                      uint64_t head) {
  const struct switch_plan *p = &s->plan;
  uint32_t src = LOOM_GET(LOOM_HEAD_SRC, head), class = src >> 6 & 31;
  uint32_t in_lane = switch_lane(&s->facts, p->class[class].vl);
  uint32_t out = s->facts.groups
                     ? port
                     : switch_port_for(&s->facts, &p->tables, LOOM_GET(LOOM_HEAD_DEST, head));
  struct switch_way w = switch_route_to(&s->facts, &p->tables, src & 63, out, p->class[class].sc,
                                        in_lane, LOOM_GET(LOOM_HEAD_LEN, head));
  if (w.cause)
    wrong(&s->judge, cycle, port, "a dropped packet's head", head, 0);
  if (w.out != port)
    wrong(&s->judge, cycle, w.out, "its port", port, w.out);
  if (w.sc != LOOM_GET(LOOM_HEAD_SC, head))
    wrong(&s->judge, cycle, port, "the SC", LOOM_GET(LOOM_HEAD_SC, head), w.sc);
  if (switch_vl(&s->facts, w.lane) != vl)
    wrong(&s->judge, cycle, port, "the VL", vl, switch_vl(&s->facts, w.lane));
  /* Over two central links a flow may overtake itself. */
  bool same_way = !p->tables.central_choice || (src & 63) / 4 == port / 4;
  if (s->facts.groups)
    group_out(&s->judge, cycle, port, head);
  else if (!s->facts.opa || same_way)
    check_order(&s->judge, cycle, port, head);
}

static void check_credit(struct switch_state *s, uint64_t cycle, uint32_t port, uint32_t vl,
                         uint32_t length) {
  const struct loom_credit_tracker_in ask = {.consume_valid = 1,
                                             .consume_vl = switch_lane(&s->facts, vl),
                                             .consume_size = end_units(length)};
  if (!loom_credit_tracker_cycle(&s->judge.far[port], &ask))
    wrong(&s->judge, cycle, port, "the length of a packet that the far end has no room for", length,
          0);
}

static void time_it(struct switch_state *s, uint64_t cycle, uint32_t port, uint64_t head,
                    struct switch_segment *g) {
  uint32_t src = LOOM_GET(LOOM_HEAD_SRC, head);
  uint32_t late = (uint32_t)cycle - s->judge.since[src & 63][port][(head + (src >> 6) * 8) & 63];
  g->packets++;
  g->latency += late;
  if (late > g->latency_max)
    g->latency_max = late;
  if (late < g->latency_min || g->packets == 1)
    g->latency_min = late;
}

uint32_t switch_wait(const struct switch_facts *f, uint32_t length) {
  uint32_t cycles = 0; /* to read it: words end where cells do */
  for (uint32_t place = 0, end; place < length; place = end, cycles++)
    end = loom_min(loom_min(place + f->rate, place - place % LOOM_UNIT_FLITS + LOOM_UNIT_FLITS),
                   length);
  return length > cycles + f->ahead ? length - cycles - f->ahead : 0;
}

/* In a run of single packets the header latency is what the page says, to the cycle. */
static void check_latency(struct switch_state *s, uint64_t cycle, uint32_t port, uint64_t head) {
  uint32_t src = LOOM_GET(LOOM_HEAD_SRC, head), in = src & 63;
  uint32_t late = (uint32_t)cycle - s->judge.since[in][port][(head + (src >> 6) * 8) & 63];
  uint32_t must = (s->facts.opa && in / 4 != port / 4 ? s->facts.central : s->facts.local) +
                  switch_wait(&s->facts, LOOM_GET(LOOM_HEAD_LEN, head));
  if (late != must)
    wrong(&s->judge, cycle, port, "the header latency", late, must);
}

static void look_head(struct switch_state *s, uint64_t cycle, uint32_t port, const switch_out *o,
                      struct switch_segment *g) {
  struct switch_judge *j = &s->judge;
  struct switch_open *p = &j->out[port];
  uint64_t head = o->out_data[port];
  uint32_t src = LOOM_GET(LOOM_HEAD_SRC, head), vl = (uint32_t)o->out_vl[port];
  p->length = p->left = LOOM_GET(LOOM_HEAD_LEN, head);
  p->vl = vl;
  p->base = switch_base(head);
  if (!o->out_head[port] || !p->length || src >> 15 || (src & 63) >= s->facts.ports ||
      (src >> 6 & 31) >= s->plan.classes || switch_lane(&s->facts, vl) == END_NO_LANE) {
    wrong(j, cycle, port, "a head that nobody sent", head, 0);
    p->left = 1;
    return;
  }
  j->packets_out++;
  j->sum -= p->base;
  if (s->plan.loose)
    return;
  check_way(s, cycle, port, vl, head);
  check_credit(s, cycle, port, vl, p->length);
  if (s->plan.alone)
    check_latency(s, cycle, port, head);
  if (g)
    time_it(s, cycle, port, head, g);
}

static void look_out(struct switch_state *s, uint64_t cycle, uint32_t port, const switch_out *o,
                     struct switch_segment *g) {
  struct switch_judge *j = &s->judge;
  struct switch_open *p = &j->out[port];
  if (!o->out_valid[port]) {
    if (o->out_head[port] | o->out_tail[port] | o->out_vl[port] | o->out_data[port])
      wrong(j, cycle, port, "what stands on a silent link", o->out_data[port], 0);
    return;
  }
  if (!p->left) {
    look_head(s, cycle, port, o, g);
    if (g)
      g->accepted[o->out_data[port] >> 21 & 31] += p->length;
  } else if (o->out_head[port] || o->out_data[port] != switch_body(p->base, p->length - p->left)) {
    wrong(j, cycle, port, "a flit of the body", o->out_data[port],
          switch_body(p->base, p->length - p->left));
  }
  p->left--;
  j->flits_out++;
  if (o->out_vl[port] != p->vl)
    wrong(j, cycle, port, "the VL of a flit", o->out_vl[port], p->vl);
  if (o->out_tail[port] != (p->left == 0))
    wrong(j, cycle, port, "the tail flag", o->out_tail[port], p->left == 0);
}

static void credit_back(struct switch_state *s, uint32_t port, const switch_in *i) {
  const struct loom_credit_tracker_in back = {
      .return_valid = 1, .return_vl = switch_lane(&s->facts, (uint32_t)i->out_cr_vl[port])};
  loom_credit_tracker_cycle(&s->judge.far[port], &back);
}

/* Limits of the far ends, written before traffic. */
static void far_limits(struct switch_state *s, const switch_in *i) {
  uint32_t a = (uint32_t)i->reg_addr, at = a % LOOM_REG_WINDOW;
  if (a < LOOM_SWITCH_REG_PORTS || a >= LOOM_SWITCH_REG_CENTRALS ||
      at < LOOM_SWITCH_WIN_TRACKER_FAR ||
      at >= LOOM_SWITCH_WIN_TRACKER_FAR + LOOM_SWITCH_WIN_TRACKER_IN_WORDS)
    return;
  const struct loom_credit_tracker_in w = {
      .cfg_we = 1, .cfg_addr = at - LOOM_SWITCH_WIN_TRACKER_FAR, .cfg_data = i->reg_wdata & 0xfff};
  uint32_t window = (a - LOOM_SWITCH_REG_PORTS) / LOOM_REG_WINDOW;
  for (uint32_t p = 0; p < s->facts.ports; p++)
    if (window == p || window == LOOM_SWITCH_EVERY)
      loom_credit_tracker_cycle(&s->judge.far[p], &w);
}

/* A switch that has been idle for long, with silent links, holds nothing. */
static void check_empty(struct switch_state *s, uint64_t cycle, bool idle) {
  struct switch_judge *j = &s->judge;
  j->idle = idle ? j->idle + 1 : 0;
  if (j->idle != IDLE_LONG || s->plan.refusals || s->plan.loose)
    return;
  if (j->packets_in != j->packets_out || j->sum)
    wrong(j, cycle, 0, "packets out of an idle switch", j->packets_out, j->packets_in);
}

/* The segment that a cycle is measured in; NULL while it warms up. */
static struct switch_segment *measured(struct switch_state *s, uint64_t cycle) {
  const struct switch_plan *p = &s->plan;
  if (cycle < p->start || p->random || (p->quiet_from && cycle >= p->quiet_from))
    return NULL;
  uint32_t k = switch_segment_of(p, cycle);
  if (p->segments > 1 && (cycle - p->start) % p->segment_length < p->segment_length / WARM)
    return NULL;
  s->judge.segment[k].cycles++;
  return &s->judge.segment[k];
}

void switch_observe(struct switch_state *s, uint64_t cycle, const switch_in *i, const switch_out *o,
                    bool idle, struct stats *stats) {
  struct switch_segment *g = measured(s, cycle);
  uint64_t before = s->judge.packets_out;
  bool busy = false;
  if (i->reg_we && !s->plan.loose)
    far_limits(s, i);
  if (s->facts.groups)
    groups_pass(s, cycle, i);
  for (uint32_t p = 0; p < s->facts.ports; p++) {
    if (i->in_valid[p]) {
      look_in(s, cycle, p, i, g, stats);
      busy = true;
    }
    look_out(s, cycle, p, o, g);
    if (i->out_cr_valid[p] && !s->plan.loose)
      credit_back(s, p, i);
  }
  stats->grants += s->judge.packets_out - before;
  check_empty(s, cycle, idle && !busy);
}

bool switch_check(const void *st, char *why, size_t why_size) {
  const struct switch_state *s = st;
  if (s->judge.wrong[0])
    snprintf(why, why_size, "%s", s->judge.wrong);
  return !s->judge.wrong[0];
}

bool switch_verdict(const void *st, const struct stats *stats, char *why, size_t why_size) {
  const struct switch_state *s = st;
  (void)stats;
  return !s->directed || s->directed->verdict(s, why, why_size);
}

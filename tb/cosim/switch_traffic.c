/* SPDX-License-Identifier: Apache-2.0 */
/* switch_traffic.c - senders and far ends on every link of a switch, see switch_traffic.h */
#include "tb/cosim/switch_traffic.h"

#include <string.h>

enum { TICK = 16 };

/* ---- packets --------------------------------------------------------------------------------- */

static uint32_t pick_port(struct switch_state *s, const struct switch_class *c, uint32_t port) {
  struct rng *r = &s->ends.rng;
  uint32_t ports = s->facts.ports;
  switch (c->pattern) {
  case PATTERN_SHIFT:
    return (port + c->shift) % ports;
  case PATTERN_FIXED:
    return c->fixed[port];
  case PATTERN_HOT:
    if (rng_chance(r, c->hot_share))
      return c->hot;
    break;
  default:
    break;
  }
  uint32_t other = rng_below(r, ports - 1);
  return other + (other >= port);
}

/* Exponential with mean 1 << TICK, by a logarithm of straight pieces. */
static uint64_t exponential(struct rng *r) {
  uint64_t u = rng_next(r) | 1;
  uint32_t zeros = (uint32_t)__builtin_clzll(u);
  uint64_t part = (u << zeros) << 1 >> 48; /* 16 bits after the leading one */
  return ((((uint64_t)zeros + 1) << TICK) - part) * 2 / 3;
}

/* Cycles (in ticks) from one packet of the class to the next. */
static uint64_t gap(struct switch_state *s, const struct switch_class *c, struct switch_head *h) {
  const struct switch_plan *p = &s->plan;
  double rate = c->share * p->load[s->ends.segment];
  double mean = (double)(c->shortest + c->longest) / 2;
  if (c->steady)
    return (uint64_t)((double)h->length / rate * (1 << TICK));
  if (h->in_burst > 1) {
    h->in_burst--;
    return (uint64_t)h->length << TICK;
  }
  h->in_burst = c->burst;
  double packets = c->burst > 1 ? c->burst : 1;
  double wait = mean * packets / rate - (packets - 1) * mean;
  return (uint64_t)((wait > 1 ? wait : 1) * (double)exponential(&s->ends.rng));
}

/* Of a switch without LFT: perhaps one that leads somewhere. */
static void any_address(struct switch_state *s, struct switch_head *h) {
  h->lid = switch_kns_any(s);
  uint32_t out = switch_port_for(&s->facts, &s->plan.tables, h->lid);
  h->out = (uint8_t)(out == SWITCH_NONE ? h->out : out);
}

static void make_bad(struct switch_state *s, struct switch_head *h) {
  struct rng *r = &s->ends.rng;
  const struct switch_tables *t = &s->plan.tables;
  h->bad = (uint8_t)rng_range(r, 1, BADS - 1);
  if (h->bad == BAD_VL && s->facts.vls == 32)
    h->bad = BAD_ZERO;
  if (h->bad == BAD_LID && s->facts.finds == FINDS_LFT)
    h->lid = (uint16_t)rng_range(r, t->lids, 65535);
  else if (h->bad == BAD_LID)
    any_address(s, h);
  else if (h->bad == BAD_ZERO)
    h->length = 0;
  else if (h->bad == BAD_MTU)
    h->length = (uint16_t)rng_range(
        r, 1,
        loom_min(4095, LOOM_UNIT_FLITS * loom_min(2 * s->facts.mtu_units, s->facts.cells_in)));
}

/* The next packet of a class; `at` is when the one before it came, and moves on. */
static void next_head(struct switch_state *s, uint32_t port, uint32_t class) {
  struct switch_ends *e = &s->ends;
  const struct switch_class *c = &s->plan.class[class];
  struct switch_head *h = &e->sender[port].head[class];
  h->length = (uint16_t)(c->shortest == c->longest ? c->shortest
                                                   : rng_range(&e->rng, c->shortest, c->longest));
  h->out = (uint8_t)(pick_port(s, c, port) % e->reach);
  h->lid = e->lid_of[h->out][s->plan.random ? rng_below(&e->rng, 4) : 0];
  h->bad = BAD_NONE;
  h->at += gap(s, c, h);
  if (s->plan.bad && rng_chance(&e->rng, s->plan.bad))
    make_bad(s, h);
}

static void begin(struct switch_state *s, uint64_t cycle) {
  struct switch_ends *e = &s->ends;
  e->begun = true;
  for (uint32_t p = 0; p < s->facts.ports; p++)
    for (uint32_t c = 0; c < s->plan.classes; c++) {
      struct switch_head *h = &e->sender[p].head[c];
      next_head(s, p, c);
      /* Not all at once: somewhere in the first gap. */
      h->at = (cycle << TICK) + (uint64_t)rng_below(&e->rng, 256) * h->at / 256;
    }
}

/* ---- senders --------------------------------------------------------------------------------- */

/* Whether the sender's credits allow it; what was freed in the last cycle is not known yet. */
static bool may_send(const struct switch_state *s, const struct switch_sender *n,
                     const struct switch_head *h, uint32_t vl) {
  uint32_t lane = switch_lane(&s->facts, vl);
  if (lane == END_NO_LANE || h->length == 0)
    return true;
  return end_may_send(&n->credit, lane, h->length);
}

/* Whether the page says that this packet comes out. Maps are such that it does by each port that is
 * right for it, or by none. */
static bool comes_out(const struct switch_state *s, uint32_t port, uint64_t head, uint32_t vl) {
  const struct switch_tables *t = &s->plan.tables;
  uint32_t lane = switch_lane(&s->facts, vl), length = LOOM_GET(LOOM_HEAD_LEN, head);
  if (lane == END_NO_LANE || length == 0)
    return false;
  if (s->plan.loose)
    return true;
  uint64_t ports = switch_right_ports(&s->facts, t, &t->groups, head, vl).ports;
  uint32_t out = ports ? (uint32_t)__builtin_ctzll(ports) : (uint32_t)SWITCH_NONE;
  return switch_route_to(&s->facts, t, port, out, LOOM_GET(LOOM_HEAD_SC, head), lane, length)
             .cause == 0;
}

/* A VL that has no lane; there is one unless VLS is 32. */
static uint32_t no_lane(struct switch_state *s) {
  uint32_t start = rng_below(&s->ends.rng, 32), k = 0;
  while (switch_lane(&s->facts, (start + k) & 31) != END_NO_LANE)
    k++;
  return (start + k) & 31;
}

/* The marks of a head: alone, then a train of three, and so on. Where packets are to be alone there
 * are no trains: an output keeps one together, and whoever comes between waits for it. */
static uint64_t train_marks(const struct switch_state *s, uint32_t number) {
  uint32_t after = number >> 1 & 1;
  if (s->plan.alone)
    return 0;
  return LOOM_PUT64(LOOM_HEAD_AFTER, after) | LOOM_PUT64(LOOM_HEAD_MORE, (number & 1) ^ after);
}

/* It says in its source whether it must never come out, and by its source its flow may find another
 * slot; so one that comes out only with this mark gets a LID that nobody knows. */
static uint64_t make_flit(struct switch_state *s, uint32_t port, uint32_t class, uint32_t vl,
                          bool *good) {
  struct switch_head *h = &s->ends.sender[port].head[class];
  uint32_t sc = s->plan.class[class].sc, number = s->ends.number[port][class][h->out];
  uint32_t id = s->facts.groups ? s->ends.heads[port]++ : number;
  uint64_t marks = train_marks(s, number);
  uint64_t flit = end_head(sc, h->length, h->lid, switch_src(port, class, false), id) | marks;
  *good = comes_out(s, port, flit, vl);
  if (*good)
    return flit;
  flit = end_head(sc, h->length, h->lid, switch_src(port, class, true), id) | marks;
  if (!comes_out(s, port, flit, vl))
    return flit;
  return end_head(sc, h->length, s->plan.tables.lids, switch_src(port, class, true), id) | marks;
}

/* The head flit of the oldest packet of a class. */
static void send_head(struct switch_state *s, uint32_t port, uint32_t class, switch_in *i) {
  struct switch_sender *n = &s->ends.sender[port];
  struct switch_head *h = &n->head[class];
  const struct switch_class *c = &s->plan.class[class];
  uint32_t vl = h->bad == BAD_VL ? no_lane(s) : c->vl;
  uint32_t lane = switch_lane(&s->facts, vl);
  bool good;
  uint64_t flit = make_flit(s, port, class, vl, &good);
  uint16_t *number = &s->ends.number[port][class][h->out];
  end_put_flit(i, port, true, h->length == 1, vl, flit);
  n->asked = lane != END_NO_LANE && h->length > 0;
  n->asked_lane = (uint8_t)lane;
  n->asked_class = (uint8_t) class;
  n->asked_out = h->out;
  n->asked_units = (uint16_t)end_units(h->length);
  n->asked_counts = good;
  *number = (uint16_t)(*number + good);
  n->length = h->length;
  n->left = h->length ? h->length - 1u : 0;
  n->vl = vl;
  n->base = switch_base(flit);
  n->turn = class + 1;
  next_head(s, port, class);
}

static void send_body(struct switch_state *s, uint32_t port, switch_in *i) {
  struct switch_sender *n = &s->ends.sender[port];
  end_put_flit(i, port, false, n->left == 1, n->vl, switch_body(n->base, n->length - n->left));
  n->left--;
}

/* Which class goes next: in turn, among those whose packet is there and may go. */
static uint32_t choose(struct switch_state *s, uint32_t port, uint64_t now, bool rude) {
  const struct switch_sender *n = &s->ends.sender[port];
  uint32_t classes = s->plan.classes, class = n->turn < classes ? n->turn : 0;
  for (uint32_t k = 0; k < classes; k++) {
    const struct switch_head *h = &n->head[class];
    if (h->at <= now && (rude || may_send(s, n, h, s->plan.class[class].vl)))
      return class;
    class = class + 1 < classes ? class + 1 : 0;
  }
  return classes;
}

/* Flags of a flit that do not fit its packet, a flit without a packet: link errors. */
static void spoil(struct switch_state *s, uint32_t port, switch_in *i) {
  struct switch_ends *e = &s->ends;
  if (!i->in_valid[port]) {
    end_put_flit(i, port, false, rng_chance(&e->rng, 128), rng_below(&e->rng, 32),
                 rng_next(&e->rng));
    return;
  }
  i->in_tail[port] ^= rng_chance(&e->rng, 128);
  if (!i->in_head[port]) { /* the flags of a body flit and its VL are not looked at */
    i->in_head[port] = rng_chance(&e->rng, 128);
    i->in_vl[port] = rng_below(&e->rng, 32);
  }
}

static void send(struct switch_state *s, uint64_t cycle, switch_in *i) {
  struct switch_ends *e = &s->ends;
  bool quiet = s->plan.quiet_from && cycle >= s->plan.quiet_from;
  for (uint32_t p = 0; p < s->facts.ports; p++) {
    struct switch_sender *n = &e->sender[p];
    if (n->left) {
      send_body(s, p, i);
    } else if (!quiet) {
      uint32_t class = choose(s, p, cycle << TICK, e->rude && rng_chance(&e->rng, e->rude));
      if (class < s->plan.classes)
        send_head(s, p, class, i);
    }
    if (e->broken && rng_chance(&e->rng, e->broken))
      spoil(s, p, i);
  }
}

/* One packet in the switch: pair number n of inputs and outputs begins in cycle start + n * period.
 */
static void send_alone(struct switch_state *s, uint64_t cycle, switch_in *i) {
  const struct switch_plan *plan = &s->plan;
  uint64_t pair = (cycle - plan->start) / plan->period;
  uint32_t ports = s->facts.ports;
  uint32_t port = (uint32_t)(pair / ports % ports);
  if ((cycle - plan->start) % plan->period == 0) {
    uint32_t class = (uint32_t)(pair % plan->classes);
    struct switch_head *h = &s->ends.sender[port].head[class];
    h->out = (uint8_t)(pair % ports);
    h->lid = s->ends.lid_of[h->out][0];
    send_head(s, port, class, i);
  } else if (s->ends.sender[port].left) {
    send_body(s, port, i);
  }
}

/* ---- what came back in the last cycle -------------------------------------------------------- */

/* The write of a tracker of an input buffer that was decoded in the last cycle. */
static bool tracker_write(const struct switch_access *a, uint32_t port,
                          struct loom_credit_tracker_in *t) {
  uint32_t window = (a->addr - LOOM_SWITCH_REG_PORTS) / LOOM_REG_WINDOW,
           at = a->addr % LOOM_REG_WINDOW;
  if (!a->we || a->addr < LOOM_SWITCH_REG_PORTS || a->addr >= LOOM_SWITCH_REG_CENTRALS ||
      (window != port && window != LOOM_SWITCH_EVERY) || at < LOOM_SWITCH_WIN_TRACKER_IN ||
      at >= LOOM_SWITCH_WIN_TRACKER_IN + LOOM_SWITCH_WIN_TRACKER_IN_WORDS)
    return false;
  t->cfg_we = 1;
  t->cfg_addr = at - LOOM_SWITCH_WIN_TRACKER_IN;
  t->cfg_data = a->data;
  return true;
}

/* Brings the sender's tracker to where the input buffer's was at the end of the last cycle; a head
 * that was refused there gives its number back. */
static void settle(struct switch_state *s, uint32_t port, const switch_out *o) {
  struct switch_sender *n = &s->ends.sender[port];
  if (o->in_cr_valid[port])
    end_credit(&n->credit, switch_lane(&s->facts, (uint32_t)o->in_cr_vl[port]));
  struct loom_credit_tracker_in in = {
      .consume_valid = n->asked, .consume_vl = n->asked_lane, .consume_size = n->asked_units};
  if (!tracker_write(&s->ends.issued[1], port, &in) && !n->asked)
    return;
  if (!loom_credit_tracker_cycle(&n->credit, &in) && n->asked && n->asked_counts)
    s->ends.number[port][n->asked_class][n->asked_out]--;
  n->asked = false;
}

/* The far end of a link out. */
static void receive(struct switch_state *s, uint32_t port, const switch_out *o, switch_in *i) {
  struct switch_far *f = &s->ends.far[port];
  if (o->out_valid[port]) {
    if (o->out_head[port])
      f->lane = switch_lane(&s->facts, (uint32_t)o->out_vl[port]) & 31;
    end_receive(&f->receiver, f->lane, o->out_tail[port]);
  }
  uint32_t can = f->receiver.mask & s->plan.far_lanes;
  if (!can || (f->give < 256 && !rng_chance(&s->ends.rng, f->give)))
    return;
  uint32_t from = can & (can - 1) ? rng_below(&s->ends.rng, 32) : 0; /* in no order */
  end_put_credit(i, port, switch_vl(&s->facts, end_give(&f->receiver, can, from)));
}

/* ---- phases ---------------------------------------------------------------------------------- */

static void new_phase(struct switch_state *s, uint64_t cycle) {
  static const uint32_t give[] = {0, 8, 40, 128, 256, 256, 256};
  struct switch_ends *e = &s->ends;
  bool alike = rng_chance(&e->rng, 100);
  uint32_t all = give[rng_below(&e->rng, 7)];
  for (uint32_t p = 0; p < s->facts.ports; p++)
    e->far[p].give = alike ? all : give[rng_below(&e->rng, 7)];
  e->bus = rng_chance(&e->rng, 128) ? 4 : rng_chance(&e->rng, 128) ? 60 : 256;
  e->broken = rng_chance(&e->rng, 32) ? 2 : 0;
  e->rude = s->plan.rude ? 64 : 0;
  e->phase_end = cycle + rng_range(&e->rng, 50, 2500);
}

static void segment(struct switch_state *s, uint64_t cycle) {
  s->ends.segment = switch_segment_of(&s->plan, cycle);
}

void switch_next(struct switch_state *s, uint64_t cycle, const switch_out *o, switch_in *i) {
  struct switch_ends *e = &s->ends;
  segment(s, cycle);
  if (s->plan.random && cycle >= e->phase_end)
    new_phase(s, cycle);
  for (uint32_t p = 0; p < s->facts.ports; p++) {
    settle(s, p, o);
    receive(s, p, o, i);
  }
  struct switch_access a = switch_bus_access(s, cycle);
  i->reg_we = a.we;
  i->reg_re = a.re;
  i->reg_addr = a.addr;
  i->reg_wdata = a.data;
  e->issued[1] = e->issued[0];
  e->issued[0] = a;
  if (cycle < s->plan.start)
    return;
  if (!e->begun)
    begin(s, cycle);
  if (s->plan.alone)
    send_alone(s, cycle, i);
  else
    send(s, cycle, i);
}

/* ---- beginning and end ----------------------------------------------------------------------- */

/* Up to four LIDs of each port; the first again where there are fewer. LIDs of groups are shared
 * out over all ports. */
static void lids_of_ports(struct switch_state *s) {
  const struct switch_facts *f = &s->facts;
  uint32_t have[SWITCH_PORTS] = {0}, turn = 0;
  for (uint32_t lid = 0; lid < s->plan.tables.lids; lid++) {
    uint32_t p = s->plan.tables.lft[lid];
    if (s->plan.groups && p >> LOOM_SWITCH_REG_LFT_MODE_AT)
      p = turn;
    turn = turn + 1 < f->ports ? turn + 1 : 0;
    for (uint32_t k = p < f->ports ? have[p] : 4; k < 4; k++)
      s->ends.lid_of[p][k] = (uint16_t)lid;
    if (p < f->ports)
      have[p]++;
  }
}

/* Four addresses of each port that any leads to. */
static void addresses_of_ports(struct switch_state *s) {
  s->ends.reach = switch_kns_reach(&s->facts);
  for (uint32_t p = 0; p < s->ends.reach; p++)
    for (uint32_t k = 0; k < 4; k++)
      s->ends.lid_of[p][k] = switch_kns_address(s, p);
}

static void ends_init(struct switch_state *s) {
  const struct switch_facts *f = &s->facts;
  struct switch_ends *e = &s->ends;
  uint32_t count_w = loom_max(4, loom_clog2(f->cells_in + 1)); /* as the input buffer has */
  for (uint32_t p = 0; p < f->ports; p++) {
    end_account_init(&e->sender[p].credit, f->vls, count_w, f->cells_in, f->reserved_in);
    e->far[p].give = 256;
  }
  e->reach = f->ports;
  if (f->finds == FINDS_LFT)
    lids_of_ports(s);
  else
    addresses_of_ports(s);
}

static const struct switch_case *find_case(const char *name) {
  for (const struct switch_case *c = switch_cases; c->name; c++)
    if (strcmp(c->name, name) == 0)
      return c;
  return NULL;
}

void switch_init(struct switch_state *s, struct rng *rng, const struct scenario *sc) {
  s->ends.rng = *rng;
  s->plan.far_lanes = ~0u;
  s->plan.segments = 1;
  s->plan.segment_length = ~0ull;
  s->directed = sc && sc->directed ? find_case(sc->directed) : NULL;
  s->cycles = s->directed ? sc->cycles : 0;
  if (s->directed)
    s->directed->plan(s);
  else
    switch_plan_random(s);
  if (!s->plan.start)
    s->plan.start = switch_plan_start(s);
  ends_init(s);
  switch_judge_init(s);
}

uint32_t switch_segment_of(const struct switch_plan *p, uint64_t cycle) {
  uint64_t at = cycle < p->start ? 0 : (cycle - p->start) / p->segment_length;
  return at < p->segments ? (uint32_t)at : p->segments - 1;
}

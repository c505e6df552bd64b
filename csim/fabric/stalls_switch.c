/* SPDX-License-Identifier: Apache-2.0 */
/* stalls_switch.c - why packets wait in switches of the first edition (docs/fabric.md#stalls) */
#include "fabric/stalls_state.h"

#include <loom/head.h>

#include "switch/switch.h"

enum { IN = LOOM_SWITCH_IN, CENTRAL = LOOM_SWITCH_CENTRAL, OUT = LOOM_SWITCH_OUT };
enum { SOURCES = CENTRAL + 1, TIERS = LOOM_SWITCH_TIERS };
/* Cycles from where a packet alone is in view of a scheduler: to its link; to its grant. */
enum { TO_LINK = 4, TO_CHOICE = 4 };
/* From where a record leaves the delay of an input to where it is in view. */
enum { ROUTING = 3 };

static const unsigned place_of_tier[TIERS] = {
    [IN] = LOOM_STALL_INPUT, [CENTRAL] = LOOM_STALL_CENTRAL, [OUT] = LOOM_STALL_OUTPUT};

/* What is kept of a switch from step to step. */
struct kept {
  /* As the next step begins: sets of sources and ports. */
  loom_ports granted[SOURCES], loading[SOURCES], joins;
  loom_ports targeted[TIERS];
  loom_ports moves[TIERS]; /* targets whose room may change */
  loom_ports awake, taking;
  uint8_t taken_lane[LOOM_SWITCH_PORTS];
  /* After the last one. */
  loom_ports busy[SOURCES], used[TIERS]; /* sources that read; targets that are written */
  loom_ports fresh[SOURCES];             /* sources with a head that comes into view now */
  loom_ports sending;                    /* outputs */
  uint8_t grant_lane[SOURCES][LOOM_SWITCH_PORTS];
  loom_ports waiting[TIERS][LOOM_SWITCH_PORTS][SOURCES]; /* sources with a head for a target */
};

static struct loom_stall_lane *lane_of(const struct loom_stall_device *d, uint32_t tier,
                                       uint32_t index, uint32_t lane) {
  return &d->place[place_of_tier[tier]][index].lane[lane];
}

static uint32_t *present_of(const struct loom_stall_device *d, uint32_t tier, uint32_t index) {
  return &d->place[place_of_tier[tier]][index].present;
}

/* ---- what the next step begins with ---------------------------------------------------------- */

/* Sources of a tier, and targets of one. */
static inline void remember_tier(const struct loom_switch *s, struct kept *k, uint32_t from,
                                 uint32_t to) {
  k->granted[from] = s->granted[from];
  k->loading[from] = s->loading[from];
  k->targeted[to] = s->targeted[to];
  k->moves[to] = 0;
  for (loom_ports set = s->room_moves[to]; set; set &= set - 1) {
    const struct loom_switch_target *t = &s->target[to][loom_ctz(set)];
    k->moves[to] |= t->room != t->room_next ? set & -set : 0;
  }
}

static void remember(const struct loom_switch *s, struct kept *k) {
  remember_tier(s, k, IN, OUT);
  if (s->centrals)
    remember_tier(s, k, CENTRAL, CENTRAL);
  k->joins = s->in_entry;
  k->awake = s->awake | s->credits;
  k->taking = 0;
  for (loom_ports set = s->awake; set; set &= set - 1) {
    uint32_t port = loom_ctz(set);
    const struct loom_sched_front *front = loom_switch_front(s, port);
    if (!front->grant_valid)
      continue;
    k->taking |= set & -set;
    k->taken_lane[port] = (uint8_t)front->grant_vl;
  }
}

/* ---- packets --------------------------------------------------------------------------------- */

/* A head has come over a link. */
static void arrive(struct loom_stalls *all, const struct loom_stall_device *d, uint64_t now,
                   const struct loom_fabric_arrival *in) {
  const struct loom_switch *s = d->state;
  for (loom_ports set = in->valid & in->head; set; set &= set - 1) {
    uint32_t port = loom_ctz(set), at = loom_stall_arrive(all, d, port, now);
    if (at == LOOM_STALL_NONE)
      continue;
    if (!(s->open & ~s->discarding & set & -set)) { /* it was refused */
      loom_stall_free(all, at);
      continue;
    }
    struct loom_stall_record *r = loom_stall_at(all, at);
    uint32_t wait = loom_switch_record_wait(s, r->packet.flits);
    r->transit = wait + s->wheel[IN].slots - 1 + ROUTING;
    r->since = now + r->transit;
    loom_stall_push(all, &lane_of(d, IN, port, s->lane_of[in->port[port].vl])->queue, at);
  }
}

/* The head of a source was granted in this cycle. */
static void grant(struct loom_stalls *all, const struct loom_stall_device *d, uint32_t tier,
                  uint32_t index, uint64_t now) {
  const struct loom_switch *s = d->state;
  struct kept *k = d->more;
  uint32_t number = s->source[tier][index].grant_vl;
  struct loom_stall_lane *lane = lane_of(d, tier, index, number);
  k->grant_lane[tier][index] = (uint8_t)number;
  uint32_t at = loom_stall_take(all, lane, now);
  if (at == LOOM_STALL_NONE)
    return;
  struct loom_stall_record *r = loom_stall_at(all, at);
  const struct loom_packet *head = loom_packet_queues_head(&s->buffer[tier][index], number);
  struct loom_route route = loom_route_unpack(head->info);
  uint32_t last = tier == CENTRAL && s->choosers ? TO_CHOICE : 0;
  loom_stall_trim(all, r, last);
  loom_stall_leave(r, lane, r->transit + last);
  if (route.drop) {
    loom_stall_free(all, at);
    return;
  }
  uint32_t next = LOOM_SWITCH_BUFFER_TIER(route.target);
  r->transit = s->wheel[next].slots;
  r->since = now + r->transit;
  loom_stall_push(all, &lane_of(d, next, LOOM_SWITCH_BUFFER_INDEX(route.target), route.lane)->queue,
                  at);
}

/* The head of an output was taken in this cycle, to be sent. */
static void take(struct loom_stalls *all, const struct loom_stall_device *d, uint32_t port,
                 uint64_t now) {
  const struct kept *k = d->more;
  uint32_t number = k->taken_lane[port];
  uint32_t at = loom_stall_take(all, lane_of(d, OUT, port, number), now + 1);
  *present_of(d, OUT, port) &= ~(1u << number);
  if (at == LOOM_STALL_NONE)
    return;
  loom_stall_at(all, at)->last = TO_LINK;
  loom_stall_push(all, &d->leaving[port], at);
}

/* Heads that come into view in the next cycle; true: there are some. */
static inline bool appear(struct loom_stalls *all, const struct loom_stall_device *d, uint32_t tier,
                          uint32_t index, uint64_t now) {
  const struct loom_switch *s = d->state;
  uint32_t *present = present_of(d, tier, index);
  uint32_t heads = s->buffer[tier][index].head_valid & ~*present;
  if (!heads)
    return false;
  for (uint32_t set = heads; set; set &= set - 1)
    loom_stall_head(all, lane_of(d, tier, index, loom_ctz(set)), now + 1);
  *present |= heads;
  return true;
}

/* ---- causes at sources ----------------------------------------------------------------------- */

/* What happened in this cycle, as the registers after it and those before it say. */
struct cycle {
  uint64_t now;
  loom_ports free[SOURCES];                /* sources that could ask */
  loom_ports open[TIERS];                  /* targets that could be granted */
  loom_ports busy[SOURCES], used[TIERS];   /* as in `kept`, after it */
  loom_ports granted[SOURCES], got[TIERS]; /* sources and targets of its grants */
};

static void look_at_source(struct loom_stalls *all, const struct loom_stall_device *d,
                           const struct cycle *c, uint32_t tier, uint32_t index) {
  const struct loom_switch *s = d->state;
  struct kept *k = d->more;
  bool granted = c->granted[tier] >> index & 1, busy = c->busy[tier] >> index & 1;
  uint32_t lanes = s->buffer[tier][index].head_valid & *present_of(d, tier, index);
  if (granted)
    lanes &= ~(1u << k->grant_lane[tier][index]);
  for (; lanes; lanes &= lanes - 1) {
    uint32_t number = loom_ctz(lanes);
    struct loom_stall_lane *lane = lane_of(d, tier, index, number);
    const struct loom_packet *head = loom_packet_queues_head(&s->buffer[tier][index], number);
    struct loom_route route = loom_route_unpack(head->info);
    uint32_t to = LOOM_SWITCH_BUFFER_TIER(route.target),
             at = LOOM_SWITCH_BUFFER_INDEX(route.target);
    bool way = route.drop, room = route.drop || s->target[to][at].room >> route.lane & 1;
    bool used = !way && c->used[to] >> at & 1, got = !way && c->got[to] >> at & 1;
    if (!route.drop)
      k->waiting[to][at][tier] |= 1ull << index;
    if (got || granted)
      lane->lost = c->free[tier] >> index & 1 && (way || c->open[to] >> at & 1);
    if (!busy && !used)
      lane->lost = false;
    loom_stall_set(all, lane, c->now,
                   room ? loom_stall_of_way(busy || used, lane->lost) : LOOM_STALL_ROOM);
  }
}

static void end_of_cycle(const struct loom_stall_device *d, struct cycle *c) {
  const struct loom_switch *s = d->state;
  const struct kept *k = d->more;
  for (uint32_t t = 0; t < SOURCES; t++) {
    c->granted[t] = s->granted[t];
    c->busy[t] = s->granted[t] | s->reading[t];
    c->free[t] = ~(k->granted[t] | s->reading[t]);
  }
  for (uint32_t t = CENTRAL; t < TIERS; t++) {
    c->got[t] = s->targeted[t];
    c->used[t] = s->targeted[t] | s->locked[t];
    c->open[t] = s->targeted[t] | ~(k->targeted[t] | s->locked[t]);
  }
}

/* Sources whose heads may have another cause than in the last cycle. */
static void find_changed(const struct loom_stall_device *d, const struct cycle *c,
                         loom_ports changed[SOURCES]) {
  struct kept *k = d->more;
  for (uint32_t t = 0; t < SOURCES; t++) {
    changed[t] = (c->busy[t] ^ k->busy[t]) | c->granted[t] | k->fresh[t];
    k->busy[t] = c->busy[t];
  }
  for (uint32_t t = CENTRAL; t < TIERS; t++) {
    loom_ports targets = (c->used[t] ^ k->used[t]) | c->got[t] | k->moves[t];
    k->used[t] = c->used[t];
    for (; targets; targets &= targets - 1) {
      loom_ports *waiting = k->waiting[t][loom_ctz(targets)];
      for (uint32_t from = 0; from < SOURCES; from++) {
        changed[from] |= waiting[from];
        waiting[from] = 0;
      }
    }
  }
}

/* Something happened at the sources of a tier. */
static inline loom_ports moves_from(const struct loom_switch *s, const struct kept *k,
                                    uint32_t tier) {
  return k->granted[tier] | k->loading[tier] | k->fresh[tier] | s->granted[tier] |
         (k->busy[tier] ^ (s->granted[tier] | s->reading[tier]));
}

/* Something happened at the targets of a tier. */
static inline loom_ports moves_to(const struct loom_switch *s, const struct kept *k,
                                  uint32_t tier) {
  return k->moves[tier] | (k->used[tier] ^ (s->targeted[tier] | s->locked[tier]));
}

static bool moves(const struct loom_switch *s, const struct kept *k) {
  loom_ports any = k->joins | moves_from(s, k, IN) | moves_to(s, k, OUT);
  if (s->centrals)
    any |= moves_from(s, k, CENTRAL) | moves_to(s, k, CENTRAL) | s->wake[CENTRAL];
  return any != 0;
}

static void look_at_sources(struct loom_stalls *all, const struct loom_stall_device *d,
                            uint64_t now) {
  const struct loom_switch *s = d->state;
  struct kept *k = d->more;
  struct cycle c;
  loom_ports changed[SOURCES];
  if (!moves(s, k))
    return;
  c.now = now;
  end_of_cycle(d, &c);
  for (uint32_t t = 0; t < SOURCES; t++) {
    for (loom_ports set = k->granted[t]; set; set &= set - 1) /* they were taken */
      *present_of(d, t, loom_ctz(set)) &= ~(1u << k->grant_lane[t][loom_ctz(set)]);
    for (loom_ports set = c.granted[t]; set; set &= set - 1)
      grant(all, d, t, loom_ctz(set), now);
  }
  find_changed(d, &c, changed);
  for (uint32_t t = 0; t < SOURCES; t++)
    for (loom_ports set = changed[t]; set; set &= set - 1)
      look_at_source(all, d, &c, t, loom_ctz(set));
  const loom_ports may[SOURCES] = {
      [IN] = k->granted[IN] | k->loading[IN] | k->joins, [CENTRAL] = s->wake[CENTRAL]};
  for (uint32_t t = 0; t < SOURCES; t++) {
    k->fresh[t] = 0;
    for (loom_ports set = may[t]; set; set &= set - 1)
      if (appear(all, d, t, loom_ctz(set), now))
        k->fresh[t] |= set & -set;
  }
}

/* ---- causes at outputs ----------------------------------------------------------------------- */

static void look_at_output(struct loom_stalls *all, const struct loom_stall_device *d,
                           uint32_t port, uint64_t now) {
  const struct loom_switch *s = d->state;
  const struct loom_switch_output *u = &s->output[port];
  const struct loom_sched_front *front = loom_switch_front(s, port);
  bool busy = s->reading[OUT] >> port & 1, chosen = front->grant_valid;
  for (uint32_t set = *present_of(d, OUT, port); set; set &= set - 1) {
    uint32_t number = loom_ctz(set);
    struct loom_stall_lane *lane = lane_of(d, OUT, port, number);
    bool credit = u->stalled >> number & 1, other = chosen && front->grant_vl != number;
    if (chosen)
      lane->lost = other && front->elig >> number & 1;
    else if (!busy)
      lane->lost = false;
    loom_stall_set(all, lane, now,
                   credit       ? LOOM_STALL_CREDIT
                   : lane->lost ? LOOM_STALL_LOST
                   : busy       ? LOOM_STALL_BUSY
                                : LOOM_STALL_DECIDING);
  }
}

static void look_at_outputs(struct loom_stalls *all, const struct loom_stall_device *d,
                            uint64_t now) {
  const struct loom_switch *s = d->state;
  struct kept *k = d->more;
  loom_ports changed = k->awake | s->awake | (k->sending ^ s->reading[OUT]);
  k->sending = s->reading[OUT];
  for (loom_ports set = k->taking; set; set &= set - 1)
    take(all, d, loom_ctz(set), now);
  for (loom_ports set = changed; set; set &= set - 1) {
    look_at_output(all, d, loom_ctz(set), now);
    appear(all, d, OUT, loom_ctz(set), now);
  }
}

/* ---- the device ------------------------------------------------------------------------------ */

static void after(void *device, uint64_t now, const struct loom_fabric_arrival *in) {
  const struct loom_stall_device *d = device;
  struct loom_stalls *all = d->all;
  arrive(all, d, now, in);
  look_at_sources(all, d, now);
  look_at_outputs(all, d, now);
  remember(d->state, d->more);
}

static uint32_t vl_of(const struct loom_stall_device *d, uint32_t lane) {
  return ((const struct loom_switch *)d->state)->vl_of[lane];
}

bool loom_stalls_switch(struct loom_stalls *all, uint32_t device, const struct loom_switch *s) {
  const uint32_t ports[LOOM_STALL_PLACES] = {[LOOM_STALL_INPUT] = s->ports,
                                             [LOOM_STALL_CENTRAL] = s->centrals,
                                             [LOOM_STALL_OUTPUT] = s->ports};
  struct loom_stall_device *d = &all->device[device];
  if (!loom_stall_device_init(all, device, s, ports, s->vls, s->ports, sizeof(struct kept)))
    return false;
  remember(s, d->more);
  loom_watch_on_step(all->watch, device, after, d);
  d->vl_of = vl_of;
  return true;
}

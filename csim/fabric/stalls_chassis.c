/* SPDX-License-Identifier: Apache-2.0 */
/* stalls_chassis.c - why packets wait in switches of the second edition (docs/fabric.md#stalls)
 *
 * A packet leaves a place when the allocation books it, and is in the next one from then on. */
#include "fabric/stalls_state.h"

#include <string.h>

#include "switch/chassis_state.h"
#include "switch/crossbar_switch.h"
#include "switch/mport_switch.h"

#define LOOM_NAMES "switch/input_unit.fields"
#include <loom/names.h>

/* Inputs and outputs stand in the one bank of ends, central units in the other. */
enum { OUTER = LOOM_MPORT_OUTER, CENTRAL = LOOM_MPORT_CENTRAL, BANKS = LOOM_MPORT_BANKS };
enum { ENDS = LOOM_MPORT_ENDS };
/* Cycles of a packet alone. */
enum {
  TO_VIEW = 4,       /* from the link into view at an input, without delays */
  TO_BOOKING = 5,    /* from there to where it is booked */
  CROSSES = 2,       /* from the booking into view at an output, without delays */
  AHEAD_CROSSES = 1, /* the same where records go ahead */
  FIRST_WORD = 1,    /* after which its first word is there, too */
  TO_LINK = 8,       /* from there to the link */
};
enum {
  OUT_AT = LOOM_HEAD_INFO_MORE_AT + LOOM_HEAD_INFO_MORE_BITS
};                         /* of a head's info: its output */
enum { MOST_REFUSED = 2 }; /* causes of traps up to this one: the packet did not come in */

/* Where a head goes. */
struct goal {
  uint8_t bank, place, vl;
};

/* What the allocation of a switch has after a cycle. */
struct seen {
  uint32_t time;
  const struct loom_alloc_sources *sources; /* by bank */
  const struct loom_alloc_targets *targets;
  const struct loom_alloc_source *source; /* by index */
  const struct loom_alloc_target *target;
  uint64_t events[BANKS], source_ready[BANKS], target_ready[BANKS];
};

/* What differs between the switches. */
struct kind {
  uint32_t banks;
  void (*see)(const void *state, struct seen *seen);
  uint32_t (*event_lane)(const void *state, uint32_t index);
  struct loom_alloc_end (*target_of)(uint32_t bank, uint32_t source, uint32_t number);
  struct loom_alloc_end (*source_of)(uint32_t bank, uint32_t target, uint32_t number);
  const struct loom_crossing *(*crossing)(const void *state, uint32_t bank, uint32_t place);
  uint32_t (*crosses)(const void *state, uint32_t bank, uint32_t place);
  /* The queue that a packet for this target joins there. */
  uint32_t (*queue)(const void *state, struct loom_alloc_end target,
                    const struct loom_alloc_record *r);
};

/* A booked packet whose record has still to go to its queue. */
struct entry {
  uint32_t at; /* the packet */
  uint64_t booked;
};

/* What is kept of a switch from step to step. */
struct kept {
  const struct kind *kind;
  uint32_t late;                                      /* cycles from the link to the input units */
  uint32_t queues;                                    /* of a lane of a central unit */
  struct loom_stall_queue coming[LOOM_CHASSIS_PORTS]; /* at inputs, without a verdict */
  uint32_t heads[ENDS];                               /* lanes of sources with a head in view */
  uint32_t drops[LOOM_CHASSIS_PORTS];                 /* those of inputs that will be dropped */
  struct goal goal[ENDS][LOOM_VLS];                   /* of these heads */
  uint64_t waiting[BANKS][ENDS];                      /* sources with a head for a target */
  uint64_t fresh[BANKS];                              /* sources with a new one */
  uint64_t source_used[BANKS], target_used[BANKS];
  uint64_t sought[BANKS]; /* targets with such sources */
  uint64_t entering[BANKS];
  struct entry entry[ENDS];
  uint64_t sending; /* outputs */
  uint64_t shows;   /* those with a head that came into view in the last cycle */
};

static uint32_t index_of(uint32_t bank, uint32_t place) {
  return loom_mport_alloc_index(bank, place);
}

/* First come all units with the first queues of their lanes, then all with the second ones. */
static struct loom_stall_lane *central_lane(const struct loom_stall_device *d, uint32_t unit,
                                            uint32_t queue) {
  uint32_t queues = ((const struct kept *)d->more)->queues, side = queue % queues;
  return &d->place[LOOM_STALL_CENTRAL][side * d->ports[LOOM_STALL_CENTRAL] + unit]
              .lane[queue / queues];
}

static struct loom_stall_lane *source_lane(const struct loom_stall_device *d, uint32_t bank,
                                           uint32_t place, uint32_t queue) {
  return bank == CENTRAL ? central_lane(d, place, queue)
                         : &d->place[LOOM_STALL_INPUT][place].lane[queue];
}

static struct loom_stall_lane *target_lane(const struct loom_stall_device *d,
                                           struct loom_alloc_end target, uint32_t queue) {
  return target.bank == CENTRAL ? central_lane(d, target.place, queue)
                                : &d->place[LOOM_STALL_OUTPUT][target.place].lane[queue];
}

/* ---- arrival --------------------------------------------------------------------------------- */

/* A head has come over a link. */
static void arrive(struct loom_stalls *all, const struct loom_stall_device *d, uint64_t now,
                   const struct loom_fabric_arrival *in) {
  const struct loom_chassis *s = d->state;
  struct kept *k = d->more;
  for (uint64_t set = in->valid & in->head; set; set &= set - 1) {
    uint32_t port = loom_ctz(set), at = loom_stall_arrive(all, d, port, now);
    if (at == LOOM_STALL_NONE)
      continue;
    const struct loom_input_unit *u = &s->port[port].input;
    struct loom_stall_record *r = loom_stall_at(all, at);
    r->transit =
        k->late + TO_VIEW + u->in_delay + loom_input_unit_waits_for(u, in->port[port].data);
    r->since = now + r->transit;
    loom_stall_push(all, &k->coming[port], at);
  }
}

/* The input has taken a packet, or refused it. */
static void judge(struct loom_stalls *all, const struct loom_stall_device *d, uint32_t port) {
  const struct loom_input_unit *u = &((const struct loom_chassis *)d->state)->port[port].input;
  struct kept *k = d->more;
  bool refused = u->trap.valid && u->trap.cause <= MOST_REFUSED;
  uint32_t at =
      u->accept.valid || refused ? loom_stall_pop(all, &k->coming[port]) : LOOM_STALL_NONE;
  if (at == LOOM_STALL_NONE)
    return;
  if (refused)
    loom_stall_free(all, at);
  else
    loom_stall_push(all, &source_lane(d, OUTER, port, u->accept.vl)->queue, at);
}

/* A head that comes into view in the next cycle will be dropped; one that was to be is taken. */
static void drop(struct loom_stalls *all, const struct loom_stall_device *d, uint32_t port,
                 uint64_t now) {
  const struct loom_input_unit *u = &((const struct loom_chassis *)d->state)->port[port].input;
  struct kept *k = d->more;
  struct loom_departure_offer offer;
  if (u->store.take && k->drops[port] >> u->store.take_vl & 1) {
    struct loom_stall_lane *lane = source_lane(d, OUTER, port, u->store.take_vl);
    uint32_t at = loom_stall_take(all, lane, now);
    k->drops[port] &= ~(1u << u->store.take_vl);
    if (at != LOOM_STALL_NONE) {
      struct loom_stall_record *r = loom_stall_at(all, at);
      loom_stall_leave(r, lane, r->transit);
      loom_stall_free(all, at);
    }
  }
  if (u->store.event && !loom_input_unit_offers(u, &offer)) {
    loom_stall_head(all, source_lane(d, OUTER, port, u->store.head_vl), now + 1);
    k->drops[port] |= 1u << u->store.head_vl;
  }
}

static void look_at_inputs(struct loom_stalls *all, const struct loom_stall_device *d,
                           uint64_t now) {
  const struct loom_chassis *s = d->state;
  for (uint64_t set = s->input_awake; set; set &= set - 1) {
    judge(all, d, loom_ctz(set));
    drop(all, d, loom_ctz(set), now);
  }
}

/* ---- bookings -------------------------------------------------------------------------------- */

/* The record of a booked packet goes to its queue: later than that of one alone, as the packet
 * before it is still on its way. */
static void look_at_entries(struct loom_stalls *all, const struct loom_stall_device *d,
                            uint64_t now) {
  struct kept *k = d->more;
  for (uint32_t bank = 0; bank < k->kind->banks; bank++)
    for (uint64_t set = k->entering[bank]; set; set &= set - 1) {
      uint32_t place = loom_ctz(set);
      const struct loom_crossing *x = k->kind->crossing(d->state, bank, place);
      const struct entry *entry = &k->entry[index_of(bank, place)];
      if (x->ahead ? x->late : x->booked)
        continue;
      struct loom_stall_record *r = loom_stall_at(all, entry->at);
      uint32_t later = (uint32_t)(now - entry->booked) - !x->ahead;
      r->here[LOOM_STALL_BUSY] += later;
      r->since += later;
      k->entering[bank] &= ~(1ull << place);
    }
}

/* Heads that came into view in this cycle. */
static void look_at_events(struct loom_stalls *all, const struct loom_stall_device *d,
                           const struct seen *seen, uint64_t now) {
  struct kept *k = d->more;
  for (uint32_t bank = 0; bank < k->kind->banks; bank++) {
    k->fresh[bank] = seen->events[bank];
    for (uint64_t set = seen->events[bank]; set; set &= set - 1) {
      uint32_t place = loom_ctz(set), index = index_of(bank, place);
      uint32_t lane = k->kind->event_lane(d->state, index);
      const struct loom_alloc_record *r = &seen->source[index].record[lane];
      struct loom_alloc_end target = k->kind->target_of(bank, place, r->target);
      k->goal[index][lane] = (struct goal){(uint8_t)target.bank, (uint8_t)target.place, r->vl};
      k->heads[index] |= 1u << lane;
      loom_stall_head(all, source_lane(d, bank, place, lane), now);
    }
  }
}

/* A packet is booked in the next cycle. */
static void book(struct loom_stalls *all, const struct loom_stall_device *d,
                 const struct seen *seen, struct loom_alloc_end target, uint64_t now) {
  struct kept *k = d->more;
  uint32_t index = index_of(target.bank, target.place);
  uint32_t number = seen->target[index].booked_source;
  struct loom_alloc_end source = k->kind->source_of(target.bank, target.place, number);
  const struct loom_alloc_source *from = &seen->source[index_of(source.bank, source.place)];
  uint32_t queue = loom_alloc_lane(from, seen->time, LOOM_ALLOC_DONE);
  struct loom_stall_lane *lane = source_lane(d, source.bank, source.place, queue);
  uint32_t at = loom_stall_take(all, lane, now + 1);
  k->heads[index_of(source.bank, source.place)] &= ~(1u << queue);
  if (at == LOOM_STALL_NONE)
    return;
  struct loom_stall_record *r = loom_stall_at(all, at);
  loom_stall_trim(all, r, TO_BOOKING);
  loom_stall_leave(r, lane, r->transit + TO_BOOKING);
  r->transit = k->kind->crosses(d->state, target.bank, target.place);
  r->since = now + 1 + r->transit;
  queue = k->kind->queue(d->state, target, &from->record[queue]);
  loom_stall_push(all, &target_lane(d, target, queue)->queue, at);
  k->entering[target.bank] |= 1ull << target.place;
  k->entry[index] = (struct entry){.at = at, .booked = now + 1};
}

/* ---- causes at sources ----------------------------------------------------------------------- */

/* Sources, and targets, that are in use: they take no booking, or have just got one. */
static void find_used(const struct loom_stall_device *d, const struct seen *seen, uint32_t bank,
                      uint64_t *source, uint64_t *target) {
  const struct loom_alloc_sources *s = &seen->sources[bank];
  const struct loom_alloc_targets *t = &seen->targets[bank];
  uint64_t all = loom_mask(d->ports[bank == CENTRAL ? LOOM_STALL_CENTRAL : LOOM_STALL_INPUT]);
  *source = all & (~seen->source_ready[bank] | s->took | s->rest);
  *target = all & (~seen->target_ready[bank] | t->booked | t->rest0);
}

/* Units were taken or given back in the last edge. */
static bool counts_moved(const struct loom_room_tracker *t) {
  return t->take || t->give || t->back;
}

/* There is room for the largest packet of a lane; above them, in rings, to enter. */
static bool has_room(const struct loom_crossing *x, uint32_t vl) {
  const struct loom_room_tracker *t = &x->tracker;
  uint32_t lane = vl % t->vls;
  bool bars = vl >= t->vls && loom_room_tracker_used(t, lane) > x->entry.most[lane];
  return !bars && !loom_room_tracker_lacks(t, lane, t->lane[lane].need);
}

static void look_at_source(struct loom_stalls *all, const struct loom_stall_device *d,
                           const struct seen *seen, uint32_t bank, uint32_t place, uint64_t now) {
  struct kept *k = d->more;
  uint32_t index = index_of(bank, place);
  bool took = seen->sources[bank].took >> place & 1, used = k->source_used[bank] >> place & 1;
  for (uint32_t set = k->heads[index]; set; set &= set - 1) {
    uint32_t number = loom_ctz(set);
    struct loom_stall_lane *lane = source_lane(d, bank, place, number);
    const struct goal goal = k->goal[index][number];
    bool booked = seen->targets[goal.bank].booked >> goal.place & 1;
    bool room = has_room(k->kind->crossing(d->state, goal.bank, goal.place), goal.vl);
    bool ready =
        seen->source_ready[bank] >> place & seen->target_ready[goal.bank] >> goal.place & 1;
    bool way = used || k->target_used[goal.bank] >> goal.place & 1;
    k->waiting[bank][index_of(goal.bank, goal.place)] |= 1ull << place;
    k->sought[goal.bank] |= 1ull << goal.place;
    if (took || booked)
      lane->lost = ready && room;
    else if (!way)
      lane->lost = false;
    loom_stall_set(all, lane, now, room ? loom_stall_of_way(way, lane->lost) : LOOM_STALL_ROOM);
  }
}

/* Those that wait for a target at which something changed. */
static void wake(struct kept *k, uint32_t bank, uint32_t place, uint64_t changed[BANKS]) {
  uint32_t index = index_of(bank, place);
  for (uint32_t from = 0; from < k->kind->banks; from++) {
    changed[from] |= k->waiting[from][index];
    k->waiting[from][index] = 0;
  }
  k->sought[bank] &= ~(1ull << place);
}

/* Sources whose heads may have another cause than in the last cycle. */
static void find_changed(const struct loom_stall_device *d, const struct seen *seen,
                         uint64_t changed[BANKS]) {
  struct kept *k = d->more;
  for (uint32_t bank = 0; bank < k->kind->banks; bank++) {
    uint64_t source, target;
    find_used(d, seen, bank, &source, &target);
    changed[bank] |= (source ^ k->source_used[bank]) | seen->sources[bank].took | k->fresh[bank];
    uint64_t moved = (target ^ k->target_used[bank]) | seen->targets[bank].booked;
    k->source_used[bank] = source;
    k->target_used[bank] = target;
    for (uint64_t set = k->sought[bank]; set; set &= set - 1) {
      uint32_t place = loom_ctz(set);
      if (moved >> place & 1 || counts_moved(&k->kind->crossing(d->state, bank, place)->tracker))
        wake(k, bank, place, changed);
    }
  }
}

static void look_at_sources(struct loom_stalls *all, const struct loom_stall_device *d,
                            uint64_t now) {
  struct kept *k = d->more;
  struct seen seen;
  uint64_t changed[BANKS] = {0};
  k->kind->see(d->state, &seen);
  look_at_events(all, d, &seen, now);
  for (uint32_t bank = 0; bank < k->kind->banks; bank++)
    for (uint64_t set = seen.targets[bank].booked; set; set &= set - 1)
      book(all, d, &seen, (struct loom_alloc_end){.bank = bank, .place = loom_ctz(set)}, now);
  find_changed(d, &seen, changed);
  for (uint32_t bank = 0; bank < k->kind->banks; bank++)
    for (uint64_t set = changed[bank]; set; set &= set - 1)
      if (k->heads[index_of(bank, loom_ctz(set))])
        look_at_source(all, d, &seen, bank, loom_ctz(set), now);
}

/* ---- causes at outputs ----------------------------------------------------------------------- */

/* The head of an output is granted in the next cycle. */
static void grant(struct loom_stalls *all, const struct loom_stall_device *d, uint32_t port,
                  uint64_t now) {
  const struct loom_chassis *s = d->state;
  struct loom_stall_port *heads = &d->place[LOOM_STALL_OUTPUT][port];
  uint32_t number = s->port[port].output.choice.shows.grant.vl;
  uint32_t at = loom_stall_take(all, &heads->lane[number], now + 1);
  heads->present &= ~(1u << number);
  if (at == LOOM_STALL_NONE)
    return;
  loom_stall_at(all, at)->last = TO_LINK;
  loom_stall_push(all, &d->leaving[port], at);
}

/* A packet is on its way to the link. */
static bool is_sending(const struct loom_output_unit *u) {
  return u->choice.shows.grant.valid || u->booked || u->store.take || u->store.owed ||
         u->store.active;
}

static void look_at_output(struct loom_stalls *all, const struct loom_stall_device *d,
                           uint32_t port, uint64_t now) {
  const struct loom_output_unit *u = &((const struct loom_chassis *)d->state)->port[port].output;
  struct kept *k = d->more;
  const struct loom_stall_port *heads = &d->place[LOOM_STALL_OUTPUT][port];
  bool chosen = u->choice.shows.grant.valid, busy = is_sending(u);
  uint64_t bit = 1ull << port, sending = busy ? bit : 0;
  if (!(chosen || counts_moved(&u->tracker) || (k->shows & bit) || sending != (k->sending & bit)))
    return;
  k->shows &= ~bit;
  k->sending ^= (k->sending & bit) ^ sending;
  for (uint32_t set = heads->present; set; set &= set - 1) {
    uint32_t number = loom_ctz(set);
    struct loom_stall_lane *lane = &heads->lane[number];
    bool credit = loom_room_tracker_lacks(&u->tracker, number, u->size[number]);
    if (chosen)
      lane->lost = u->waits & (uint32_t)u->tracker.room & 1u << number;
    else if (!busy)
      lane->lost = false;
    loom_stall_set(all, lane, now,
                   credit ? LOOM_STALL_CREDIT : loom_stall_of_way(busy, lane->lost));
  }
}

static void look_at_outputs(struct loom_stalls *all, const struct loom_stall_device *d,
                            uint64_t now) {
  const struct loom_chassis *s = d->state;
  for (uint64_t set = s->output_awake; set; set &= set - 1) {
    uint32_t port = loom_ctz(set);
    const struct loom_output_unit *u = &s->port[port].output;
    if (u->choice.shows.grant.valid)
      grant(all, d, port, now);
    look_at_output(all, d, port, now);
    if (!u->store.event)
      continue;
    struct loom_stall_port *heads = &d->place[LOOM_STALL_OUTPUT][port];
    loom_stall_head(all, &heads->lane[u->store.head_vl], now + 1);
    heads->present |= 1u << u->store.head_vl;
    ((struct kept *)d->more)->shows |= set & -set;
  }
}

/* ---- the device ------------------------------------------------------------------------------ */

static void after(void *device, uint64_t now, const struct loom_fabric_arrival *in) {
  const struct loom_stall_device *d = device;
  struct loom_stalls *all = d->all;
  arrive(all, d, now, in);
  look_at_inputs(all, d, now);
  look_at_entries(all, d, now);
  look_at_sources(all, d, now);
  look_at_outputs(all, d, now);
}

static uint32_t vl_of(const struct loom_stall_device *d, uint32_t lane) {
  return loom_input_unit_link_vl(&((const struct loom_chassis *)d->state)->port[0].input,
                                 (uint8_t)lane);
}

static bool watch(struct loom_stalls *all, uint32_t device, const struct loom_chassis *s,
                  const struct kind *kind, const uint32_t ports[LOOM_STALL_PLACES]) {
  struct loom_stall_device *d = &all->device[device];
  if (!loom_stall_device_init(all, device, s, ports, s->vls, s->ports, sizeof(struct kept)))
    return false;
  ((struct kept *)d->more)->kind = kind;
  loom_watch_on_step(all->watch, device, after, d);
  d->vl_of = vl_of;
  return true;
}

static uint32_t crosses_output(const struct loom_chassis *s, uint32_t port) {
  return CROSSES + loom_max(FIRST_WORD, s->port[port].crossing.delay.depth);
}

/* ---- crossbar_switch ------------------------------------------------------------------------- */

static void crossbar_see(const void *state, struct seen *seen) {
  const struct loom_crossbar_switch *s = state;
  *seen = (struct seen){.time = s->alloc.time,
                        .sources = s->alloc.sources,
                        .targets = s->alloc.targets,
                        .source = s->alloc.source,
                        .target = s->alloc.target,
                        .events = {s->to_alloc.head_event},
                        .source_ready = {s->to_alloc.source_ready},
                        .target_ready = {s->to_alloc.target_ready}};
}

static uint32_t crossbar_event_lane(const void *state, uint32_t index) {
  return (uint32_t)((const struct loom_crossbar_switch *)state)->to_alloc.head_lane[index];
}

/* All ends know all others, by their places. */
static struct loom_alloc_end crossbar_end(uint32_t bank, uint32_t place, uint32_t number) {
  (void)place;
  return (struct loom_alloc_end){.bank = bank, .place = number};
}

static const struct loom_crossing *crossbar_crossing(const void *state, uint32_t bank,
                                                     uint32_t place) {
  (void)bank;
  return &((const struct loom_chassis *)state)->port[place].crossing;
}

static uint32_t crossbar_crosses(const void *state, uint32_t bank, uint32_t place) {
  (void)bank;
  return crosses_output(state, place);
}

static uint32_t crossbar_queue(const void *state, struct loom_alloc_end target,
                               const struct loom_alloc_record *r) {
  (void)target;
  return loom_crossbar_switch_lane(state, r->vl);
}

static const struct kind crossbar = {.banks = 1,
                                     .see = crossbar_see,
                                     .event_lane = crossbar_event_lane,
                                     .target_of = crossbar_end,
                                     .source_of = crossbar_end,
                                     .crossing = crossbar_crossing,
                                     .crosses = crossbar_crosses,
                                     .queue = crossbar_queue};

bool loom_stalls_crossbar(struct loom_stalls *all, uint32_t device,
                          const struct loom_crossbar_switch *s) {
  uint32_t n = s->chassis.ports;
  const uint32_t ports[LOOM_STALL_PLACES] = {[LOOM_STALL_INPUT] = n, [LOOM_STALL_OUTPUT] = n};
  if (!watch(all, device, &s->chassis, &crossbar, ports))
    return false;
  struct kept *k = all->device[device].more;
  k->late = s->groups ? LOOM_CROSSBAR_GROUP_CYCLES : 0;
  return true;
}

/* ---- mport_switch ---------------------------------------------------------------------------- */

static void mport_see(const void *state, struct seen *seen) {
  const struct loom_mport_switch *s = state;
  *seen = (struct seen){.time = s->alloc.time,
                        .sources = s->alloc.sources,
                        .targets = s->alloc.targets,
                        .source = s->alloc.source,
                        .target = s->alloc.target};
  memcpy(seen->events, s->to_alloc.head_event, sizeof seen->events);
  memcpy(seen->source_ready, s->to_alloc.source_ready, sizeof seen->source_ready);
  memcpy(seen->target_ready, s->to_alloc.target_ready, sizeof seen->target_ready);
}

static uint32_t mport_event_lane(const void *state, uint32_t index) {
  return ((const struct loom_mport_switch *)state)->to_alloc.head[index].lane;
}

static const struct loom_crossing *mport_crossing(const void *state, uint32_t bank,
                                                  uint32_t place) {
  const struct loom_mport_switch *s = state;
  return bank == CENTRAL ? &s->central[place].crossing : &s->chassis.port[place].crossing;
}

static uint32_t mport_crosses(const void *state, uint32_t bank, uint32_t place) {
  const struct loom_mport_switch *s = state;
  return bank == CENTRAL ? AHEAD_CROSSES + s->central[place].delay.depth
                         : crosses_output(&s->chassis, place);
}

static uint32_t mport_queue(const void *state, struct loom_alloc_end target,
                            const struct loom_alloc_record *r) {
  const struct loom_mport_switch *s = state;
  if (target.bank != CENTRAL)
    return r->vl;
  const struct loom_central_unit *u = &s->central[target.place];
  return r->vl * u->queues + loom_central_unit_side(u, (uint32_t)(r->info >> OUT_AT));
}

static const struct kind mport = {.banks = 2,
                                  .see = mport_see,
                                  .event_lane = mport_event_lane,
                                  .target_of = loom_mport_alloc_target,
                                  .source_of = loom_mport_alloc_source,
                                  .crossing = mport_crossing,
                                  .crosses = mport_crosses,
                                  .queue = mport_queue};

/* The queues of a lane of a central unit count together. */
static void share_counts(struct loom_stall_device *d, uint32_t units) {
  struct loom_stall_port *port = d->place[LOOM_STALL_CENTRAL];
  for (uint32_t i = units; i < d->ports[LOOM_STALL_CENTRAL]; i++)
    for (uint32_t lane = 0; lane < d->lanes; lane++)
      port[i].lane[lane].count = port[i % units].lane[lane].count;
  d->ports[LOOM_STALL_CENTRAL] = units;
}

bool loom_stalls_mport(struct loom_stalls *all, uint32_t device,
                       const struct loom_mport_switch *s) {
  uint32_t n = s->chassis.ports, queues = s->central[0].queues;
  const uint32_t ports[LOOM_STALL_PLACES] = {
      [LOOM_STALL_INPUT] = n, [LOOM_STALL_CENTRAL] = queues * s->centrals, [LOOM_STALL_OUTPUT] = n};
  struct loom_stall_device *d = &all->device[device];
  if (!watch(all, device, &s->chassis, &mport, ports))
    return false;
  ((struct kept *)d->more)->queues = queues;
  share_counts(d, s->centrals);
  return true;
}

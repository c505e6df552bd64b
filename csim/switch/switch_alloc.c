/* SPDX-License-Identifier: Apache-2.0 */
/* switch_alloc.c - moves packets from buffer to buffer: allocation in two stages, the readers of
 * the sources, the joining of queues; written from docs/switch.md
 *
 * Inside: ib_switch, opa_switch, kns_node, and kns_switch. */
#include "switch/switch.h"

#include <loom/head.h>

enum { IN = LOOM_SWITCH_IN, CENTRAL = LOOM_SWITCH_CENTRAL, OUT = LOOM_SWITCH_OUT };
enum { PORTS_OF_MPORT = 4, CHOICE_SETTLE = 2, ALL_CREDITS = 4095 };

/* ---- waking ---------------------------------------------------------------------------------- */

static void wake_parked(struct loom_switch *s, struct loom_switch_target *t) {
  s->wake[IN] |= t->parked[IN];
  s->wake[CENTRAL] |= t->parked[CENTRAL];
  t->parked[IN] = t->parked[CENTRAL] = 0;
}

static struct loom_switch_target *target_of(struct loom_switch *s, uint32_t node) {
  return &s->target[LOOM_SWITCH_BUFFER_TIER(node)][LOOM_SWITCH_BUFFER_INDEX(node)];
}

/* ---- readers of the sources ------------------------------------------------------------------ */

/* The packet of a source has left it: its target is free in this cycle, unless it was granted in
 * the last one. */
static void release(struct loom_switch *s, uint32_t node) {
  s->locked[LOOM_SWITCH_BUFFER_TIER(node)] &= ~(1ull << LOOM_SWITCH_BUFFER_INDEX(node));
  wake_parked(s, target_of(s, node));
}

static void show_credit(struct loom_switch *s, uint32_t port) {
  s->shown.cr_vl[port] = s->vl_of[loom_switch_reader(s, IN, port)->vl];
  s->shown_cr |= 1ull << port;
}

/* The new SC goes into the head flit, where an input reads it. */
static void mark_head(struct loom_switch *s, const struct loom_packet *packet, uint32_t sc) {
  uint64_t *head = &s->cells.flit[(size_t)packet->first * LOOM_UNIT_FLITS];
  *head = (*head & loom_mask(LOOM_HEAD_SC_AT)) | LOOM_PUT64(LOOM_HEAD_SC, sc);
}

/* A source begins the packet that it was granted. */
static void take(struct loom_switch *s, uint32_t tier, uint32_t index) {
  const struct loom_packet_queues *q = &s->buffer[tier][index];
  uint32_t lane = s->source[tier][index].grant_vl;
  loom_switch_take(s, tier, index, lane);
  struct loom_route route = loom_route_unpack(q->now.info);
  loom_switch_reader(s, tier, index)->to =
      route.drop ? LOOM_QUEUE_NOWHERE : LOOM_QUEUE(route.target, route.lane);
  if (tier == IN && !route.drop)
    mark_head(s, &q->now, route.sc);
  if (tier == CENTRAL)
    s->chooser[index].dirty |= 1u << lane;
}

/* The run of a reader is over: the last flits of a cell or of the packet are read. */
static void cell_edge(struct loom_switch *s, uint32_t tier, uint32_t index) {
  struct loom_packet_reader *r = loom_switch_reader(s, tier, index);
  bool drop = r->to == LOOM_QUEUE_NOWHERE;
  loom_switch_give_back(s, tier, index);
  if (tier == IN)
    show_credit(s, index);
  if (drop)
    r->at = loom_switch_cells_drop(&s->cells, (r->at - 1) / LOOM_UNIT_FLITS) * LOOM_UNIT_FLITS;
  if (r->left) {
    loom_switch_begin_run(r, tier);
    return;
  }
  if (!drop)
    release(s, loom_route_unpack(s->buffer[tier][index].now.info).target);
  loom_switch_finish(s, tier, index);
  s->reading[tier] &= ~(1ull << index);
}

/* The sources read a word of their packet, if there is one. */
static void read_words(struct loom_switch *s, uint32_t tier) {
  for (loom_ports set = s->granted[tier]; set; set &= set - 1)
    take(s, tier, loom_ctz(set));
  s->reading[tier] |= s->granted[tier];
  struct loom_switch_words *words = &s->words[s->sending];
  uint32_t most = s->rd_flits[tier];
  loom_ports ends = 0;
  for (loom_ports set = s->reading[tier]; set; set &= set - 1) {
    uint32_t index = loom_ctz(set);
    struct loom_packet_reader *r = loom_switch_reader(s, tier, index);
    uint16_t *there = &s->there[r->from];
    uint32_t n = loom_min(loom_min(most, r->run), *there);
    if (!n)
      continue;
    *there = (uint16_t)(*there - n);
    if (r->to != LOOM_QUEUE_NOWHERE)
      loom_switch_send(words, r->to, n);
    r->at += n;
    r->run = (uint16_t)(r->run - n);
    if (!r->run)
      ends |= set & -set;
  }
  for (loom_ports set = ends; set; set &= set - 1)
    cell_edge(s, tier, loom_ctz(set));
}

void loom_switch_move(struct loom_switch *s) {
  s->shown_cr = 0;
  for (uint32_t k = IN; k <= CENTRAL; k++) {
    s->taken[k] = s->granted[k];
    if (s->granted[k] | s->reading[k])
      read_words(s, k);
  }
}

/* ---- allocation ------------------------------------------------------------------------------ */

struct requests {
  uint32_t lanes;
  uint8_t target[LOOM_SWITCH_LANES]; /* nodes */
  uint32_t drops;                    /* lanes whose head goes nowhere */
};

/* A target takes a packet of this lane. */
static bool takes(const struct loom_switch *s, const loom_ports *free, struct loom_route route) {
  uint32_t tier = LOOM_SWITCH_BUFFER_TIER(route.target),
           index = LOOM_SWITCH_BUFFER_INDEX(route.target);
  return free[tier] >> index & s->target[tier][index].room >> route.lane & 1;
}

/* The lanes of a source that request, out of `lanes`. One that has none is parked. */
static struct requests find_requests(struct loom_switch *s, const loom_ports *free, uint32_t tier,
                                     uint32_t index, uint32_t lanes) {
  const struct loom_packet_queues *q = &s->buffer[tier][index];
  struct requests r = {.lanes = 0};
  for (uint32_t set = lanes; set; set &= set - 1) {
    uint32_t lane = loom_ctz(set);
    struct loom_route route = loom_route_unpack(loom_packet_queues_head(q, lane)->info);
    r.target[lane] = route.target;
    if (route.drop)
      r.drops |= 1u << lane;
    if (route.drop || takes(s, free, route))
      r.lanes |= 1u << lane;
  }
  if (r.lanes)
    return r;
  s->wake[tier] &= ~(1ull << index);
  for (uint32_t set = lanes; set; set &= set - 1)
    target_of(s, r.target[loom_ctz(set)])->parked[tier] |= 1ull << index;
  return r;
}

/* A source has its grant: it takes in the next cycle. */
static void grant_source(struct loom_switch *s, loom_ports *granted, uint32_t tier, uint32_t index,
                         uint32_t lane) {
  struct loom_switch_source *source = &s->source[tier][index];
  granted[tier] |= 1ull << index;
  source->grant_vl = (uint8_t)lane;
  if (tier == CENTRAL && s->choosers) {
    s->choices &= ~(1ull << index);
    s->choosers_awake |= 1ull << index;
  } else {
    loom_rr_arbiter_advance(&source->arbiter, lane);
  }
}

/* What is common to the two stages. */
struct allocation {
  loom_ports free[LOOM_SWITCH_TIERS];     /* targets that can be granted */
  loom_ports asked[LOOM_SWITCH_TIERS];    /* targets with a request */
  loom_ports granted[LOOM_SWITCH_TIERS];  /* sources */
  loom_ports targeted[LOOM_SWITCH_TIERS]; /* targets */
  uint8_t pick[CENTRAL + 1][LOOM_SWITCH_PORTS];
};

/* Lanes whose heads may request at all: with a scheduler, its choice. */
static uint32_t heads_of(const struct loom_switch *s, uint32_t tier, uint32_t index) {
  uint32_t heads = s->buffer[tier][index].head_valid;
  if (tier == IN || !s->choosers)
    return heads;
  return s->choices >> index & 1 ? heads & 1u << s->chooser[index].choice_vl : 0;
}

/* Stage 1 of one source: it asks the target of the lane that it picks. */
static void ask(struct loom_switch *s, struct allocation *a, uint32_t tier, uint32_t index) {
  struct loom_switch_source *source = &s->source[tier][index];
  struct requests r = find_requests(s, a->free, tier, index, heads_of(s, tier, index));
  if (!r.lanes)
    return;
  uint32_t lane = loom_rr_arbiter_pick(&source->arbiter, r.lanes);
  if (r.drops >> lane & 1) {
    grant_source(s, a->granted, tier, index, lane);
    return;
  }
  uint32_t target = r.target[lane];
  a->pick[tier][index] = (uint8_t)lane;
  a->asked[LOOM_SWITCH_BUFFER_TIER(target)] |= 1ull << LOOM_SWITCH_BUFFER_INDEX(target);
  target_of(s, target)->request |= 1ull << source->number;
}

/* The source that has this number at a target. */
static uint32_t source_node(const struct loom_switch *s, uint32_t tier, uint32_t index,
                            uint32_t number) {
  if (!s->centrals)
    return LOOM_SWITCH_BUFFER(IN, number);
  if (number >= PORTS_OF_MPORT)
    return LOOM_SWITCH_BUFFER(CENTRAL, number - PORTS_OF_MPORT);
  uint32_t mport = tier == OUT ? index / PORTS_OF_MPORT : index / 2;
  return LOOM_SWITCH_BUFFER(IN, mport * PORTS_OF_MPORT + number);
}

/* The packet that a target is granted is announced to it; its record is on its way there. */
static void announce(struct loom_switch *s, uint32_t tier, uint32_t index,
                     const struct loom_packet *packet) {
  struct loom_switch_record record = {
      .route = loom_route_unpack(packet->info), .first = packet->first, .len = packet->len};
  loom_switch_announce(s, tier, index, record.route.lane, record.len);
  record.route.target = (uint8_t)LOOM_SWITCH_BUFFER(OUT, record.route.out);
  loom_switch_wheel_put(&s->wheel[tier], index, &record);
}

/* Stage 2 of one target. */
static void grant_target(struct loom_switch *s, struct allocation *a, uint32_t tier,
                         uint32_t index) {
  struct loom_switch_target *t = &s->target[tier][index];
  uint32_t number = loom_rr_arbiter_pick(&t->arbiter, t->request);
  uint32_t node = source_node(s, tier, index, number);
  uint32_t from = LOOM_SWITCH_BUFFER_TIER(node), from_index = LOOM_SWITCH_BUFFER_INDEX(node);
  uint32_t lane = a->pick[from][from_index];
  t->request = 0;
  loom_rr_arbiter_advance(&t->arbiter, number);
  a->targeted[tier] |= 1ull << index;
  announce(s, tier, index, loom_packet_queues_head(&s->buffer[from][from_index], lane));
  grant_source(s, a->granted, from, from_index, lane);
}

/* Sources that look for a target. */
static loom_ports askers(const struct loom_switch *s, uint32_t tier) {
  return s->wake[tier] & ~s->granted[tier] & ~s->reading[tier];
}

static void stage_1(struct loom_switch *s, struct allocation *a, uint32_t tier) {
  for (loom_ports set = askers(s, tier); set; set &= set - 1)
    ask(s, a, tier, loom_ctz(set));
}

static void stage_2(struct loom_switch *s, struct allocation *a, uint32_t tier) {
  for (loom_ports set = a->asked[tier]; set; set &= set - 1)
    grant_target(s, a, tier, loom_ctz(set));
}

/* The registers of this cycle's grants. A target whose packet was done in the cycle after its
 * grant is free from the next cycle on; so is one whose tracker was written. */
static void grant_edge(struct loom_switch *s, const struct allocation *a, uint32_t tier) {
  loom_ports up = (s->targeted[tier] & ~s->locked[tier]) | s->written_last[tier];
  for (; up; up &= up - 1)
    wake_parked(s, &s->target[tier][loom_ctz(up)]);
  s->granted[tier] = a->granted[tier];
  s->targeted[tier] = a->targeted[tier];
  s->locked[tier] |= a->targeted[tier];
}

/* A grant can be made, or the registers of the last one's change. */
static bool allocates(const struct loom_switch *s) {
  loom_ports moves = askers(s, IN) | askers(s, CENTRAL);
  for (uint32_t k = 0; k < LOOM_SWITCH_TIERS; k++)
    moves |= s->granted[k] | s->targeted[k] | s->written_last[k];
  return moves != 0;
}

static void allocate(struct loom_switch *s) {
  struct allocation a;
  for (uint32_t k = 0; k < LOOM_SWITCH_TIERS; k++) {
    a.free[k] = ~(s->targeted[k] | s->locked[k] | s->written[k] | s->written_last[k]);
    a.asked[k] = a.granted[k] = a.targeted[k] = 0;
  }
  stage_1(s, &a, IN);
  stage_1(s, &a, CENTRAL);
  stage_2(s, &a, CENTRAL);
  stage_2(s, &a, OUT);
  for (uint32_t k = 0; k < LOOM_SWITCH_TIERS; k++)
    grant_edge(s, &a, k);
}

void loom_switch_allocate(struct loom_switch *s, loom_ports chosen) {
  if (allocates(s))
    allocate(s);
  s->choices |= chosen;
  s->wake[CENTRAL] |= chosen;
}

/* ---- central buffers with a scheduler in place of stage 1 ------------------------------------ */

/* The snapshot of the heads that have changed, or the room for which has. */
static void choice_snapshot(struct loom_switch *s, uint32_t index) {
  struct loom_switch_chooser *c = &s->chooser[index];
  const struct loom_packet_queues *q = &s->buffer[CENTRAL][index];
  for (; c->dirty; c->dirty &= c->dirty - 1) {
    uint32_t lane = loom_ctz(c->dirty);
    bool valid = q->head_valid >> lane & 1;
    struct loom_route route = {.drop = 0};
    uint32_t size = 0, credits = 0;
    if (valid) {
      const struct loom_packet *head = loom_packet_queues_head(q, lane);
      route = loom_route_unpack(head->info);
      size = loom_packet_units(head->len);
      credits = s->target[OUT][route.out].room >> lane & 1 ? ALL_CREDITS : 0;
    }
    loom_sched_snap(&c->scheduler.front, lane, valid, size, route.sl, credits);
  }
}

/* The edge of one; true if a choice is made that counts from the next cycle on. */
static bool choose_edge(struct loom_switch *s, uint32_t index) {
  struct loom_switch_chooser *c = &s->chooser[index];
  struct loom_sched_front *front = &c->scheduler.front;
  const struct loom_sched_policy *policy = loom_switch_policy(s->central_sched);
  bool granted = s->granted[CENTRAL] >> index & 1, chosen = front->grant_valid;
  bool choice = s->choices >> index & 1;
  if (chosen)
    c->choice_vl = (uint8_t)front->grant_vl;
  bool request = !choice && !chosen && !granted && c->settle == 0;
  c->settle = granted ? CHOICE_SETTLE : c->settle ? (uint8_t)(c->settle - 1) : 0;
  if (!loom_sched_phase_edge(front, policy, request))
    choice_snapshot(s, index);
  bool searches = !choice && (front->elig || !loom_switch_sched_settled(policy, front));
  if (!(front->phase || front->grant_valid || c->settle || c->dirty || searches))
    s->choosers_awake &= ~(1ull << index);
  return chosen;
}

/* Runs before allocation, whose choices are those of the registers; new ones count afterwards. */
loom_ports loom_switch_choose(struct loom_switch *s) {
  loom_ports chosen = 0;
  for (loom_ports set = s->choosers_awake; set; set &= set - 1)
    if (choose_edge(s, loom_ctz(set)))
      chosen |= set & -set;
  return chosen;
}

/* ---- what becomes visible at the end of the cycle -------------------------------------------- */

/* A head of a source has come into view. */
static void head_appears(struct loom_switch *s, uint32_t tier, uint32_t index, uint32_t lanes) {
  s->wake[tier] |= 1ull << index;
  if (tier == CENTRAL && s->choosers) {
    s->chooser[index].dirty |= lanes;
    s->choosers_awake |= 1ull << index;
  }
}

static void join_central_or_out(struct loom_switch *s, uint32_t tier) {
  const struct loom_switch_record *record;
  for (loom_ports set = loom_switch_wheel_out(&s->wheel[tier], &record); set; set &= set - 1) {
    uint32_t index = loom_ctz(set);
    const struct loom_switch_record *r = &record[index];
    loom_packet_queues_join(&s->buffer[tier][index], r->route.lane, loom_route_pack(r->route),
                            r->first, r->len);
    if (tier == CENTRAL) {
      head_appears(s, CENTRAL, index, 1u << r->route.lane);
    } else {
      s->output[index].dirty |= 1u << r->route.lane;
      s->awake |= 1ull << index;
    }
  }
}

static void join_in(struct loom_switch *s) {
  for (loom_ports set = s->in_entry; set; set &= set - 1) {
    uint32_t port = loom_ctz(set);
    const struct loom_switch_lookup *l = &s->port[port].entry;
    loom_packet_queues_join(&s->buffer[IN][port], l->lane, loom_route_pack(l->record.route),
                            l->record.first, l->record.len);
    head_appears(s, IN, port, 1u << l->lane);
  }
}

/* Heads after those that were taken in the last cycle come into view. */
static void load_heads(struct loom_switch *s, uint32_t tier) {
  for (loom_ports set = s->loading[tier]; set; set &= set - 1) {
    uint32_t index = loom_ctz(set);
    head_appears(s, tier, index, s->buffer[tier][index].loading);
    loom_packet_queues_load(&s->buffer[tier][index]);
  }
  s->loading[tier] = s->taken[tier];
}

/* Words read in the last cycle are written; those of this cycle will be in the next. */
static void write_words(struct loom_switch *s) {
  s->sending = !s->sending;
  struct loom_switch_words *words = &s->words[s->sending];
  for (uint32_t i = 0, n = words->count; i < n; i++) {
    uint32_t word = words->word[i];
    uint16_t *there = &s->there[word / LOOM_WORD_FLITS];
    *there = (uint16_t)(*there + word % LOOM_WORD_FLITS);
  }
  words->count = 0;
}

void loom_switch_appear(struct loom_switch *s) {
  if (s->words[0].count | s->words[1].count)
    write_words(s);
  for (uint32_t k = IN; k <= CENTRAL; k++)
    if (s->loading[k] | s->taken[k])
      load_heads(s, k);
  if (s->in_entry)
    join_in(s);
  for (uint32_t k = CENTRAL; k <= OUT; k++)
    if (s->wheel[k].busy)
      join_central_or_out(s, k);
}

/* ---- room ------------------------------------------------------------------------------------ */

/* Lanes of a target that take their largest packet. */
static uint32_t room_of(const struct loom_switch *s, const struct loom_credit_tracker *t) {
  uint32_t room = 0;
  for (uint32_t lane = 0; lane < s->vls; lane++)
    room |= (uint32_t)(loom_credit_tracker_avail(t, lane) >= s->mtu[lane]) << lane;
  return room;
}

/* room_q takes what was found in the last cycle. */
static void room_edge(struct loom_switch *s, uint32_t tier, uint32_t index) {
  struct loom_switch_target *t = &s->target[tier][index];
  if (t->room_next & ~t->room)
    wake_parked(s, t);
  if (tier == OUT && s->choosers && t->room_next != t->room) {
    for (uint32_t i = 0; i < s->centrals; i++)
      s->chooser[i].dirty |= s->buffer[CENTRAL][i].head_valid;
    s->choosers_awake = loom_mask(s->centrals);
  }
  t->room = t->room_next;
}

static void raise_peak(struct loom_switch *s, uint32_t tier, uint32_t index) {
  struct loom_switch_peak *p = &s->peak[tier][index];
  uint16_t used = s->buffer[tier][index].tracker.lane[p->announced].used;
  if (used <= p->most[p->announced])
    return;
  p->lane = p->announced;
  p->before = p->most[p->lane];
  p->most[p->lane] = used;
  p->since = s->now + 1;
}

void loom_switch_rooms(struct loom_switch *s) {
  if (!(s->announced[IN] | s->announced[CENTRAL] | s->announced[OUT] | s->touched[IN] |
        s->touched[CENTRAL] | s->touched[OUT] | s->room_moves[CENTRAL] | s->room_moves[OUT]))
    return;
  for (uint32_t k = CENTRAL; k <= OUT; k++) {
    for (loom_ports set = s->room_moves[k]; set; set &= set - 1)
      room_edge(s, k, loom_ctz(set));
    s->room_moves[k] = s->touched[k];
    for (loom_ports set = s->touched[k]; set; set &= set - 1) {
      uint32_t index = loom_ctz(set);
      uint32_t room = room_of(s, &s->buffer[k][index].tracker);
      s->target[k][index].room_next = room;
      s->scarce[k] = (s->scarce[k] & ~(set & -set)) | (room == s->all_lanes ? 0 : set & -set);
    }
  }
  for (uint32_t k = IN; k <= OUT; k++) {
    for (loom_ports set = s->announced[k]; set; set &= set - 1)
      raise_peak(s, k, loom_ctz(set));
    s->announced[k] = s->touched[k] = 0;
  }
}

/* SPDX-License-Identifier: Apache-2.0 */
/* crosspoint_input.c - inputs of the Elite5 router, second edition: the second way and the request
 * of each, their stores, and what comes from the links; written from docs/crosspoint_router.md
 *
 * Inside: crosspoint_router. */
#include "elite5/crosspoint_cycle.h"
#include "elite5/elite5_header.h"

enum { STANDS_CYCLES = 7 };

/* What is worked out of an input before anything of it changes. */
struct view {
  uint32_t i;
  uint32_t ready, top, asks; /* ready and top: of the next cycle; asks: of this one */
  bool granted, lost, stays;
  bool leaves; /* the pick does, or there is none, but for its request */
  bool may_ask;
  struct loom_crosspoint_request request; /* of the pick, if it may ask */
};

/* ---- ready, top ------------------------------------------------------------------------------ */

static uint32_t ready_vcs(const struct loom_crosspoint_router *s,
                          const struct loom_crosspoint_port *port) {
  const struct loom_crosspoint_input *x = &port->input;
  uint32_t can = port->store.head_valid & ~x->asks & ~x->passed;
  uint32_t near = x->in_state[LOOM_ELITE5_SINK];
  if (x->take.valid)
    can &= ~(1u << x->take.v);
  if (!can)
    return 0;
  for (loom_links set = x->interest & s->near; set; set &= set - 1)
    near |= x->aimed[loom_ctz(set)];
  for (uint32_t set = can & x->in_state[LOOM_ELITE5_BOPEN]; set; set &= set - 1)
    if (x->vc[loom_ctz(set)].todo & s->near)
      near |= set & -set;
  return can & near;
}

/* ---- pick ------------------------------------------------------------------------------------ */

/* Links of a broadcast that its first segment in view can go to. */
static loom_links branches(const struct loom_crosspoint_router *s,
                           const struct loom_crosspoint_vc *vc) {
  loom_links outs = 0;
  for (loom_links set = vc->todo & s->near; set; set &= set - 1)
    if (loom_crosspoint_credit(s, loom_ctz(set), vc->ovc))
      outs |= set & -set;
  return outs;
}

static loom_links pool_users(const struct loom_crosspoint_router *s, loom_links outs, uint32_t w) {
  loom_links users = 0;
  for (loom_links set = outs; set; set &= set - 1)
    if (loom_crosspoint_needs_pool(s, loom_ctz(set), w))
      users |= set & -set;
  return users;
}

/* Rules 2 and 3 of the pick, and what it asks for if they do not apply. */
enum fate { ASKS, LEAVES, PASSES };

static enum fate look_at_pick(const struct loom_crosspoint_router *s,
                              const struct loom_crosspoint_vc *vc,
                              struct loom_crosspoint_request *q) {
  loom_links target = 1u << vc->target;
  q->ovc = vc->ovc;
  switch (vc->state) {
  case LOOM_ELITE5_SINK:
    q->sink = true;
    return ASKS;
  case LOOM_ELITE5_WAIT:
    q->is_new = true;
    q->outs = target;
    if (!(s->near & target))
      return LEAVES;
    return s->newvc & target ? ASKS : PASSES;
  case LOOM_ELITE5_OPEN:
    q->outs = target;
    q->pool = pool_users(s, target, vc->ovc);
    if (!(s->near & target))
      return LEAVES;
    return loom_crosspoint_credit(s, vc->target, vc->ovc) ? ASKS : PASSES;
  case LOOM_ELITE5_BOPEN:
    q->outs = branches(s, vc);
    q->pool = pool_users(s, q->outs, vc->ovc);
    if (!(s->near & vc->todo))
      return LEAVES;
    return q->outs ? ASKS : PASSES;
  default:
    return LEAVES;
  }
}

/* The pick leaves by rules 1 to 3, or may ask. */
static void judge_pick(struct loom_crosspoint_router *s, struct loom_crosspoint_cycle *c,
                       struct view *w) {
  struct loom_crosspoint_input *x = &s->port[w->i].input;
  w->leaves = !x->pick.valid;
  w->may_ask = false;
  if (w->leaves)
    return;
  uint32_t v = x->pick.v, bit = 1u << v;
  const struct loom_crosspoint_vc *vc = &x->vc[v];
  w->request = (struct loom_crosspoint_request){.valid = true,
                                                .small = (x->small & bit) != 0,
                                                .v = (uint8_t)v,
                                                .prio = (uint8_t)loom_crosspoint_prio(x, v)};
  if (vc->state == LOOM_ELITE5_WAIT && !(s->up >> vc->target & 1)) {
    loom_crosspoint_aim(x, v, vc->target, false);
    loom_crosspoint_set_state(s, w->i, v, LOOM_ELITE5_ROUTE);
    x->retry |= bit;
    x->asks &= ~bit;
    w->leaves = true;
    return;
  }
  enum fate fate = look_at_pick(s, vc, &w->request);
  w->may_ask = fate == ASKS;
  w->leaves = fate != ASKS;
  if (fate == ASKS)
    return;
  x->asks &= ~bit;
  if (fate == PASSES) {
    x->passed |= bit;
    loom_crosspoint_pulse(c, w->i, LOOM_ELITE5_PASSED);
  }
}

/* Another pick, of those that were on top before this cycle. */
static void pick(struct loom_crosspoint_input *x, uint32_t among) {
  x->pick.valid = among != 0;
  if (!among)
    return;
  if (among >> x->turn & 1) {
    x->pick.v = x->turn;
  } else {
    x->pick.v = (uint8_t)loom_rr_arbiter_pick(&x->picking, among);
    loom_rr_arbiter_advance(&x->picking, x->pick.v);
  }
  x->asks |= 1u << x->pick.v;
}

/* The VC in turn, in the next cycle. */
static void take_turns(const struct loom_crosspoint_router *s, struct loom_crosspoint_input *x,
                       uint32_t head_valid, bool lost) {
  x->turn_at = s->now + 1;
  if (!(head_valid >> x->turn & 1)) {
    x->turn = x->turn + 1u == s->vcs ? 0 : (uint8_t)(x->turn + 1);
    x->losses = 0;
  } else if (lost && x->losses < s->hold) {
    x->losses++;
  }
}

/* ---- request --------------------------------------------------------------------------------- */

/* A request that lost stands on if the turn of its VC came to it long ago. */
static bool holds(const struct loom_crosspoint_router *s, const struct loom_crosspoint_input *x) {
  const struct loom_crosspoint_request *q = &x->req;
  if (q->v != x->turn || x->losses < s->hold || q->v >= s->unicast_vcs)
    return false;
  if (q->is_new)
    return (s->newvc & q->outs) != 0;
  return !q->pool || ((s->spare | ~s->up) & q->outs);
}

static void judge_request(const struct loom_crosspoint_router *s,
                          const struct loom_crosspoint_cycle *c, struct view *w) {
  const struct loom_crosspoint_input *x = &s->port[w->i].input;
  const struct loom_crosspoint_request *q = &x->req;
  w->granted = w->lost = w->stays = false;
  if (!q->valid)
    return;
  bool shown = c->shown >> w->i & 1;
  w->granted = shown && (q->sink || c->granted[w->i]);
  w->lost = !w->granted && (q->outs & c->granting);
  bool stands = q->outs & s->near && q->age < STANDS_CYCLES && (!w->lost || holds(s, x));
  w->stays = !w->granted && !q->once && (q->sink || stands);
}

/* The store takes the segment of the request in the next cycle. */
static void take(struct loom_crosspoint_router *s, const struct loom_crosspoint_cycle *c,
                 const struct view *w) {
  struct loom_crosspoint_input *x = &s->port[w->i].input;
  x->opening = false;
  x->take.valid = w->granted;
  if (!w->granted)
    return;
  uint32_t v = x->req.v;
  struct loom_crosspoint_vc *vc = &x->vc[v];
  x->take.v = (uint8_t)v;
  x->take.keep = false;
  if (vc->state == LOOM_ELITE5_WAIT) {
    loom_crosspoint_set_state(s, w->i, v, LOOM_ELITE5_OPEN);
    x->opening = true;
  } else if (vc->state == LOOM_ELITE5_BOPEN) {
    vc->todo &= ~c->granted[w->i];
    x->take.keep = vc->todo != 0;
    if (!vc->todo)
      vc->todo = vc->bset;
  }
}

static struct loom_crosspoint_request ask_for(const struct loom_crosspoint_fresh *f) {
  loom_links out = 1u << f->target;
  return (struct loom_crosspoint_request){.valid = true,
                                          .is_new = f->is_new,
                                          .once = f->once,
                                          .small = f->small,
                                          .v = f->v,
                                          .prio = f->prio,
                                          .ovc = f->ovc,
                                          .outs = out,
                                          .pool = f->pool ? out : 0};
}

/* The next request; says whether it is that of the pick. */
static bool replace_request(struct loom_crosspoint_input *x, const struct view *w,
                            const struct loom_crosspoint_fresh *f) {
  struct loom_crosspoint_request *q = &x->req;
  bool by_fresh = f->valid && (!w->stays || q->prio < f->prio);
  bool by_pick = !by_fresh && w->may_ask && (!w->stays || q->prio < w->request.prio);
  if (!by_fresh && !by_pick && w->stays) {
    q->age++;
    return false;
  }
  if (q->valid)
    x->asks &= ~(1u << q->v);
  if (by_fresh) {
    *q = ask_for(f);
    x->asks |= 1u << f->v;
  } else if (by_pick) {
    *q = w->request;
  } else {
    q->valid = false;
  }
  return by_pick;
}

/* ---- counts ---------------------------------------------------------------------------------- */

static void count_segments(struct loom_crosspoint_router *s, const struct loom_crosspoint_cycle *c,
                           uint32_t i, bool taken, uint32_t taken_v) {
  struct loom_crosspoint_input *x = &s->port[i].input;
  const struct loom_crosspoint_word *w = loom_crosspoint_place(s, i, s->stage_w);
  bool written = c->writing >> i & 1;
  if (taken) {
    x->vc[taken_v].count--;
    x->small &= ~(1u << taken_v);
  }
  if (!written)
    return;
  uint32_t v = x->cur_vc;
  if (c->store[i].wr_head) {
    x->vc[v].count++;
    x->small &= ~(1u << v);
  }
  if (w->ends)
    loom_elite5_include(&x->small, v, w->few && x->vc[v].count == 1);
}

/* Passed VCs whose link has something new. */
static void clear_passed(const struct loom_crosspoint_router *s, struct loom_crosspoint_input *x) {
  for (uint32_t set = x->passed; set; set &= set - 1) {
    uint32_t v = loom_ctz(set);
    const struct loom_crosspoint_vc *vc = &x->vc[v];
    if (v < s->unicast_vcs ? s->wake >> vc->target & 1 : (s->wake & vc->todo) != 0)
      x->passed &= ~(1u << v);
  }
}

/* ---- a cycle of an input --------------------------------------------------------------------- */

/* What a retry would enter in the next cycle is taken. */
static bool is_taken(const struct loom_crosspoint_router *s, uint32_t i) {
  const struct loom_crosspoint_input *x = &s->port[i].input;
  uint32_t stage_2 = s->stage_1 + 1;
  bool retry = s->pipe ? x->retry_3.valid : x->retry_w.valid;
  return retry || loom_crosspoint_has_head(s, i, stage_2) ||
         loom_crosspoint_has_head(s, i, stage_2 + 1);
}

static void move_retries(const struct loom_crosspoint_router *s, struct loom_crosspoint_input *x,
                         const struct loom_crosspoint_retry *next) {
  if (!s->pipe) {
    x->retry_w = *next;
    return;
  }
  x->retry_w = x->retry_3;
  x->retry_3 = *next;
}

/* The turn went on while the input was not looked at. */
static void catch_up(const struct loom_crosspoint_router *s, struct loom_crosspoint_input *x) {
  uint64_t cycles = s->now - x->turn_at;
  if (!cycles)
    return;
  x->turn = (uint8_t)((x->turn + cycles) % s->vcs);
  x->losses = 0;
}

static void step_input(struct loom_crosspoint_router *s, struct loom_crosspoint_cycle *c,
                       uint32_t i) {
  struct loom_crosspoint_port *port = &s->port[i];
  struct loom_crosspoint_input *x = &port->input;
  struct view w = {.i = i, .asks = x->asks};
  uint32_t passed = x->passed, taken_v = x->take.v;
  bool taken = x->take.valid && !x->take.keep, opens = x->opening;
  catch_up(s, x);
  w.ready = ready_vcs(s, port);
  w.top = loom_crosspoint_highest(x->ready, x->prio);
  judge_request(s, c, &w);
  struct loom_crosspoint_retry next = loom_crosspoint_retry(s, x, is_taken(s, i));
  judge_pick(s, c, &w);
  c->store[i] = (struct loom_segment_store_in){
      .take = x->take.valid, .take_vc = x->take.v, .take_keep = x->take.keep};
  struct loom_crosspoint_fresh f = loom_crosspoint_write(s, c, i);
  loom_crosspoint_front(s, i);
  move_retries(s, x, &next);
  count_segments(s, c, i, taken, taken_v);
  if (opens) {
    struct loom_crosspoint_vc *vc = &x->vc[taken_v];
    vc->ovc = s->port[vc->target].output.lock[0].w;
  }
  take(s, c, &w);
  bool turn_lost = w.lost && x->req.v == x->turn;
  if (replace_request(x, &w, &f) || w.leaves)
    pick(x, x->top & ~w.asks & ~passed);
  take_turns(s, x, port->store.head_valid, turn_lost);
  x->ready = w.ready;
  x->top = w.top;
  if (x->passed && s->wake)
    clear_passed(s, x);
}

void loom_crosspoint_inputs(struct loom_crosspoint_router *s, struct loom_crosspoint_cycle *c) {
  for (uint32_t k = 1; k <= s->stage_w; k++)
    s->awake |= s->traffic[loom_crosspoint_came(s, k)];
  for (loom_links set = s->awake; set; set &= set - 1)
    step_input(s, c, loom_ctz(set));
}

/* ---- what comes from the links --------------------------------------------------------------- */

/* The word that ends what was cut short on a link that is not UP (E5-25). */
static void close_link(struct loom_crosspoint_router *s, uint32_t i) {
  struct loom_crosspoint_port *port = &s->port[i];
  const struct loom_segment_store *store = &port->store;
  uint32_t place = loom_crosspoint_came(s, s->stage_1 - 1);
  uint32_t vcs = port->input.open & (store->pool < store->most ? s->all_vcs : store->own);
  struct loom_crosspoint_word *w = &port->input.word[place];
  if (port->input.inside)
    *w = (struct loom_crosspoint_word){.tail = true};
  else if (vcs)
    *w = (struct loom_crosspoint_word){.data = loom_elite5_void(loom_ctz(vcs)),
                                       .vl = (uint8_t)loom_ctz(vcs),
                                       .head = true,
                                       .tail = true};
  else
    return;
  s->traffic[place] |= 1u << i;
}

/* The dest table, at the end of the cycle before stage 1. */
static void look_dests_up(const struct loom_crosspoint_router *s) {
  uint32_t place = loom_crosspoint_came(s, s->stage_1 - 1);
  for (loom_links set = s->traffic[place]; set; set &= set - 1) {
    struct loom_crosspoint_input *x = &s->port[loom_ctz(set)].input;
    uint64_t word = x->word[place].data;
    uint32_t dest = loom_elite5_dest_of(word);
    if (loom_elite5_type_of(word) == LOOM_ELITE5_CONDITIONAL)
      dest &= LOOM_ELITE5_DEST_MASK;
    x->looked_up[place] = dest < s->size.dests ? loom_crosspoint_dests(s)[dest] : 0;
  }
}

static void latch_words(struct loom_crosspoint_router *s, const struct loom_elite5_lanes *in) {
  uint32_t place = loom_crosspoint_came(s, 0);
  s->traffic[place] = in->valid & s->up;
  for (loom_links set = s->traffic[place]; set; set &= set - 1) {
    uint32_t i = loom_ctz(set);
    s->port[i].input.word[place] = (struct loom_crosspoint_word){.data = in->port[i].data,
                                                                 .vl = in->port[i].vl,
                                                                 .head = in->head >> i & 1,
                                                                 .tail = in->tail >> i & 1};
  }
  s->training[place].valid = in->valid & s->striving;
  s->training[place].head = in->head & s->training[place].valid;
  for (loom_links set = s->training[place].valid; set; set &= set - 1)
    s->training[place].data[loom_ctz(set)] = in->port[loom_ctz(set)].data;
}

static void latch_returns(struct loom_crosspoint_router *s, const struct loom_elite5_lanes *in) {
  s->cr_valid = in->cr_valid & s->up;
  s->rep_valid = in->rep_valid & s->up;
  s->rep_ack = in->rep_ack & s->rep_valid;
  for (loom_links set = s->cr_valid; set; set &= set - 1)
    s->cr_vl[loom_ctz(set)] = in->port[loom_ctz(set)].cr_vl;
  for (loom_links set = s->rep_valid; set; set &= set - 1)
    s->rep_vc[loom_ctz(set)] = in->port[loom_ctz(set)].rep_vc;
}

void loom_crosspoint_latch(struct loom_crosspoint_router *s,
                           const struct loom_crosspoint_cycle *c) {
  loom_links closing = ~s->up & (s->inside | s->open);
  for (uint32_t k = 1; k <= s->stage_w; k++)
    closing &= ~s->traffic[loom_crosspoint_came(s, k)];
  latch_words(s, c->lanes);
  latch_returns(s, c->lanes);
  for (; closing; closing &= closing - 1)
    close_link(s, loom_ctz(closing));
  look_dests_up(s);
}

/* ---- stores ---------------------------------------------------------------------------------- */

/* Nothing of it moves until a word comes. */
static bool rests(const struct loom_crosspoint_port *port) {
  const struct loom_crosspoint_input *x = &port->input;
  bool chooses = x->retry || x->again.valid || x->retry_3.valid || x->retry_w.valid;
  bool asks = (x->ready | x->top) || x->pick.valid || x->req.valid || x->take.valid || x->opening;
  return !chooses && !asks && loom_segment_store_rests(&port->store);
}

/* The cycle of a store; a packet in SINK that has been read to its end gets a NACK. */
static void step_store(struct loom_crosspoint_router *s, const struct loom_crosspoint_cycle *c,
                       uint32_t i) {
  struct loom_crosspoint_port *port = &s->port[i];
  struct loom_crosspoint_input *x = &port->input;
  struct loom_segment_store *store = &port->store;
  if (store->done && store->done_tail && x->vc[store->done_vc].state == LOOM_ELITE5_SINK) {
    x->own |= 1u << store->done_vc;
    s->owns |= 1u << i;
  }
  store->phase = c->phase;
  loom_segment_store_edge(store, &c->store[i]);
  loom_elite5_include(&s->stocked, i, !store->empty);
  if (store->free_valid) {
    s->back.cr_valid |= 1u << i;
    s->back.cr_vl[i] = store->free_vc;
  }
  if (rests(port))
    s->awake &= ~(1u << i);
}

void loom_crosspoint_stores(struct loom_crosspoint_router *s, struct loom_crosspoint_cycle *c) {
  s->back.cr_valid = 0;
  for (loom_links set = s->awake; set; set &= set - 1)
    step_store(s, c, loom_ctz(set));
}

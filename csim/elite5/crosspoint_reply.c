/* SPDX-License-Identifier: Apache-2.0 */
/* crosspoint_reply.c - replies that go back through the Elite5 router, second edition, written from
 * docs/crosspoint_router.md
 *
 * Inside: crosspoint_router. */
#include "elite5/crosspoint_cycle.h"

/* ---- input ----------------------------------------------------------------------------------- */

/* The packet is over: the input answers it and its VC is free. */
static void go_out(struct loom_crosspoint_router *s, struct loom_crosspoint_cycle *c, uint32_t i,
                   uint32_t v, bool ack) {
  loom_links bit = 1u << i;
  loom_crosspoint_set_state(s, i, v, LOOM_ELITE5_IDLE);
  if (!(s->up & bit))
    return;
  s->back.rep_valid |= bit;
  s->back.rep_ack |= ack ? bit : 0;
  s->back.rep_vc[i] = (uint8_t)v;
  loom_crosspoint_pulse(c, i, ack ? LOOM_ELITE5_ACKS : LOOM_ELITE5_NACKS);
}

/* The reply that stands at an output comes back (E5-12, E5-29). */
static void accept_reply(struct loom_crosspoint_router *s, struct loom_crosspoint_cycle *c,
                         uint32_t i, uint32_t o) {
  struct loom_crosspoint_output *u = &s->port[o].output;
  struct loom_crosspoint_input *x = &s->port[i].input;
  uint32_t w = u->due.reply & LOOM_ELITE5_REPLY_VC, v = u->due.v;
  bool ack = u->due.reply & LOOM_ELITE5_REPLY_ACK;
  struct loom_crosspoint_vc *vc = &x->vc[v];
  u->alloc &= ~(1u << w);
  u->sent &= ~(1u << w);
  u->replied &= ~(1u << w);
  loom_elite5_include(&s->allocated, o, u->alloc != 0);
  s->pending[o]--;
  s->unordered |= 1u << o;
  c->freed |= 1u << o;
  if (vc->state == LOOM_ELITE5_OPEN) {
    loom_crosspoint_aim(x, v, vc->target, false);
    go_out(s, c, i, v, ack);
  } else if (vc->state == LOOM_ELITE5_BOPEN) {
    x->nacked |= (uint32_t)!ack << v;
    if (--vc->left == 0)
      go_out(s, c, i, v, !(x->nacked >> v & 1));
  }
}

/* The NACK of a packet that went nowhere. */
static void answer_own(struct loom_crosspoint_router *s, struct loom_crosspoint_cycle *c,
                       uint32_t i) {
  struct loom_crosspoint_input *x = &s->port[i].input;
  uint32_t v = loom_ctz(x->own);
  x->own &= ~(1u << v);
  loom_elite5_include(&s->owns, i, x->own != 0);
  if (s->up >> i & 1)
    loom_crosspoint_pulse(c, i, LOOM_ELITE5_OWN_NACKS);
  go_out(s, c, i, v, false);
}

/* Each input chooses one of the outputs that have a reply for it, and of its own NACKs. */
static void choose(struct loom_crosspoint_router *s, loom_links gone, loom_links answers_own) {
  uint64_t request[LOOM_ELITE5_LINKS];
  loom_links inputs = s->owns & ~answers_own;
  for (loom_links set = inputs; set; set &= set - 1)
    request[loom_ctz(set)] = 1ull << s->size.links;
  for (loom_links set = s->due & ~gone; set; set &= set - 1) {
    uint32_t i = s->port[loom_ctz(set)].output.due.input;
    request[i] = (inputs >> i & 1 ? request[i] : 0) | 1ull << loom_ctz(set);
    inputs |= 1u << i;
  }
  s->chosens = inputs;
  for (; inputs; inputs &= inputs - 1) {
    struct loom_crosspoint_input *x = &s->port[loom_ctz(inputs)].input;
    uint32_t place = loom_rr_arbiter_pick(&x->replying, request[loom_ctz(inputs)]);
    loom_rr_arbiter_advance(&x->replying, place);
    x->chosen.own = place == s->size.links;
    x->chosen.output = (uint8_t)place;
  }
}

/* ---- output ---------------------------------------------------------------------------------- */

/* The reply of this cycle: of the link, or of one that is not there (E5-25). */
static bool take_reply(struct loom_crosspoint_router *s, struct loom_crosspoint_cycle *c,
                       uint32_t o, uint8_t *reply) {
  struct loom_crosspoint_output *u = &s->port[o].output;
  loom_links bit = 1u << o;
  if (s->rep_valid & s->up & bit) {
    uint32_t w = s->rep_vc[o];
    if (u->alloc & u->sent & ~u->replied & 1u << w) {
      *reply = (uint8_t)(w | (s->rep_ack & bit ? LOOM_ELITE5_REPLY_ACK : 0));
      return true;
    }
    loom_crosspoint_pulse(c, o, LOOM_ELITE5_REPLY_ERRORS);
  }
  *reply = u->swallow;
  return s->swallows & bit;
}

/* The next VC of an output that is not UP whose packet is swallowed. */
static void swallow(struct loom_crosspoint_router *s, uint32_t o) {
  struct loom_crosspoint_output *u = &s->port[o].output;
  uint32_t vcs = u->alloc & u->sent & ~u->replied;
  bool finds = !((s->up | s->swallows) >> o & 1) && vcs;
  loom_elite5_include(&s->swallows, o, finds);
  if (finds)
    u->swallow = (uint8_t)loom_ctz(vcs);
}

static void push_reply(struct loom_crosspoint_router *s, uint32_t o, uint8_t reply) {
  struct loom_crosspoint_output *u = &s->port[o].output;
  u->reply[(uint32_t)(u->reply_head + u->reply_count++) % LOOM_ELITE5_VCS] = reply;
  s->queued |= 1u << o;
}

static uint8_t pop_reply(struct loom_crosspoint_router *s, uint32_t o) {
  struct loom_crosspoint_output *u = &s->port[o].output;
  uint8_t reply = u->reply[u->reply_head];
  u->reply_head = (uint8_t)((u->reply_head + 1) % LOOM_ELITE5_VCS);
  loom_elite5_include(&s->queued, o, --u->reply_count != 0);
  return reply;
}

/* What stands for an input in the next cycle. */
static void set_due(struct loom_crosspoint_router *s, uint32_t o, bool valid, uint8_t reply) {
  struct loom_crosspoint_output *u = &s->port[o].output;
  loom_elite5_include(&s->due, o, valid);
  if (!valid)
    return;
  const struct loom_crosspoint_back *back = &u->back[reply & LOOM_ELITE5_REPLY_VC];
  u->due.reply = reply;
  u->due.input = back->input;
  u->due.v = back->vc;
}

static void step_output(struct loom_crosspoint_router *s, struct loom_crosspoint_cycle *c,
                        uint32_t o, loom_links gone) {
  struct loom_crosspoint_output *u = &s->port[o].output;
  uint8_t reply;
  bool replies = take_reply(s, c, o, &reply);
  bool empty = !(s->due >> o & 1) || gone >> o & 1;
  swallow(s, o);
  if (replies)
    u->replied |= 1u << (reply & LOOM_ELITE5_REPLY_VC);
  if (!empty) {
    if (replies)
      push_reply(s, o, reply);
  } else if (s->queued >> o & 1) {
    uint8_t first = pop_reply(s, o);
    set_due(s, o, true, first);
    if (replies)
      push_reply(s, o, reply);
  } else {
    set_due(s, o, replies, reply);
  }
}

/* ---- both ------------------------------------------------------------------------------------ */

/* Outputs whose reply is chosen in this cycle, and inputs that choose an own NACK. */
static loom_links gone_replies(const struct loom_crosspoint_router *s, loom_links *answers_own) {
  loom_links gone = 0;
  for (loom_links set = s->chosens; set; set &= set - 1) {
    const struct loom_crosspoint_input *x = &s->port[loom_ctz(set)].input;
    if (x->chosen.own)
      *answers_own |= set & -set;
    else
      gone |= 1u << x->chosen.output;
  }
  return gone;
}

void loom_crosspoint_reply(struct loom_crosspoint_router *s, struct loom_crosspoint_cycle *c) {
  loom_links answers_own = 0, gone = gone_replies(s, &answers_own), chosens = s->chosens;
  loom_links outputs = s->rep_valid | s->swallows | s->due | s->queued | (~s->up & s->allocated);
  s->back.rep_valid = s->back.rep_ack = 0;
  if (chosens | outputs | s->owns) {
    uint8_t output[LOOM_ELITE5_LINKS];
    for (loom_links set = chosens; set; set &= set - 1)
      output[loom_ctz(set)] = s->port[loom_ctz(set)].input.chosen.output;
    choose(s, gone, answers_own);
    for (loom_links set = chosens; set; set &= set - 1) {
      uint32_t i = loom_ctz(set);
      if (answers_own >> i & 1)
        answer_own(s, c, i);
      else
        accept_reply(s, c, i, output[i]);
    }
  }
  for (; outputs; outputs &= outputs - 1)
    step_output(s, c, loom_ctz(outputs), gone);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* elite5_reply.c - replies that go back through the Elite5 router, written from docs/elite5.md
 *
 * Inside: elite5_router. */
#include "elite5/elite5_cycle.h"

/* What goes out of the inputs in the next cycle. */
struct tally {
  loom_links acks, nacks, own;
};

/* ---- to the inputs --------------------------------------------------------------------------- */

/* The packet is over: the input answers it and its VC is free. */
static void answer(struct loom_elite5_router *s, uint32_t i, uint32_t v, bool ack,
                   struct tally *t) {
  struct loom_elite5_input *x = &s->input[i];
  loom_links bit = (1u << i) & s->up;
  loom_elite5_set_state(s, i, v, LOOM_ELITE5_IDLE);
  loom_elite5_include(&s->not_idle, i, x->in_state[LOOM_ELITE5_IDLE] != s->all_vcs);
  s->back.rep_valid |= bit;
  s->back.rep_vc[i] = (uint8_t)v;
  if (ack)
    t->acks |= bit;
  else
    t->nacks |= bit;
}

/* The reply at the head of an output's fifo has come back to its input (E5-12, E5-29). */
static void accept_reply(struct loom_elite5_router *s, uint32_t o, struct tally *t) {
  struct loom_elite5_output *u = &s->output[o];
  uint32_t reply = u->reply[u->reply_head], w = reply & LOOM_ELITE5_REPLY_VC;
  uint32_t i = u->back[w].input, v = u->back[w].vc;
  struct loom_elite5_input *x = &s->input[i];
  struct loom_elite5_packet *p = &x->packet[v];
  bool ack = reply & LOOM_ELITE5_REPLY_ACK;

  u->reply_head = (uint8_t)((u->reply_head + 1) % LOOM_ELITE5_VCS);
  loom_elite5_include(&s->replies, o, --u->reply_count != 0);
  u->alloc &= ~(1u << w);
  u->sent &= ~(1u << w);
  u->replied &= ~(1u << w);
  s->dirty |= 1u << o;

  if (p->state == LOOM_ELITE5_OPEN) {
    x->opens[o] &= ~(1u << v);
    loom_elite5_aim(x, o);
    answer(s, i, v, ack, t);
    return;
  }
  x->nacked |= (uint32_t)!ack << v;
  if (--p->left == 0)
    answer(s, i, v, !(x->nacked >> v & 1), t);
}

/* The NACK of a packet that went nowhere. */
static void answer_own(struct loom_elite5_router *s, uint32_t i, struct tally *t) {
  struct loom_elite5_input *x = &s->input[i];
  uint32_t v = loom_ctz(x->own);
  x->own &= ~(1u << v);
  loom_elite5_include(&s->owns, i, x->own != 0);
  t->own |= (1u << i) & s->up;
  answer(s, i, v, false, t);
}

/* Each input takes one of the replies that ask it. */
static void answer_inputs(struct loom_elite5_router *s, struct tally *t) {
  uint64_t request[LOOM_ELITE5_LINKS];
  loom_links inputs = s->owns;
  for (loom_links set = inputs; set; set &= set - 1)
    request[loom_ctz(set)] = 1ull << s->size.links;
  for (loom_links set = s->replies; set; set &= set - 1) {
    uint32_t o = loom_ctz(set);
    const struct loom_elite5_output *u = &s->output[o];
    uint32_t i = u->back[u->reply[u->reply_head] & LOOM_ELITE5_REPLY_VC].input;
    request[i] = (inputs >> i & 1 ? request[i] : 0) | 1ull << o;
    inputs |= 1u << i;
  }
  for (; inputs; inputs &= inputs - 1) {
    uint32_t i = loom_ctz(inputs);
    struct loom_rr_arbiter *a = &s->input[i].replying;
    uint32_t place = loom_rr_arbiter_pick(a, request[i]);
    loom_rr_arbiter_advance(a, place);
    if (place == s->size.links)
      answer_own(s, i, t);
    else
      accept_reply(s, place, t);
  }
}

/* ---- from the outputs ------------------------------------------------------------------------ */

static void push_reply(struct loom_elite5_router *s, uint32_t o, uint32_t w, bool ack) {
  struct loom_elite5_output *u = &s->output[o];
  uint32_t place = (uint32_t)(u->reply_head + u->reply_count++) % LOOM_ELITE5_VCS;
  u->reply[place] = (uint8_t)(w | (ack ? LOOM_ELITE5_REPLY_ACK : 0));
  u->replied |= 1u << w;
  s->replies |= 1u << o;
}

/* Replies of the links, and NACKs of links that are not there (E5-25). */
static void take_replies(struct loom_elite5_router *s) {
  loom_links errors = 0;
  for (loom_links set = s->returned.rep_valid & s->up; set; set &= set - 1) {
    uint32_t o = loom_ctz(set), w = s->returned.rep_vc[o];
    const struct loom_elite5_output *u = &s->output[o];
    if (u->alloc & u->sent & ~u->replied & 1u << w)
      push_reply(s, o, w, s->returned.rep_ack >> o & 1);
    else
      errors |= 1u << o;
  }
  for (loom_links set = s->allocated & ~s->up; set; set &= set - 1) {
    uint32_t o = loom_ctz(set);
    const struct loom_elite5_output *u = &s->output[o];
    uint32_t vcs = u->alloc & u->sent & ~u->replied;
    if (vcs)
      push_reply(s, o, loom_ctz(vcs), false);
  }
  loom_elite5_count(s, LOOM_ELITE5_REPLY_ERRORS, errors);
}

/* Packets whose tail was read in this cycle. */
static void note_ends(struct loom_elite5_router *s, const struct loom_elite5_cycle *c) {
  for (uint32_t k = 0; k < c->ends; k++) {
    const struct loom_elite5_end *e = &s->end[k];
    for (loom_links set = e->outs; set; set &= set - 1)
      s->output[loom_ctz(set)].sent |= 1u << s->input[e->input].packet[e->vc].ovc;
    if (s->input[e->input].packet[e->vc].state == LOOM_ELITE5_SINK) {
      s->input[e->input].own |= 1u << e->vc;
      s->owns |= 1u << e->input;
    }
  }
}

void loom_elite5_reply(struct loom_elite5_router *s, const struct loom_elite5_cycle *c) {
  struct tally t = {0};
  s->back.rep_valid = 0;
  answer_inputs(s, &t);
  s->back.rep_ack = t.acks;
  take_replies(s);
  note_ends(s, c);
  loom_elite5_count(s, LOOM_ELITE5_ACKS, t.acks);
  loom_elite5_count(s, LOOM_ELITE5_NACKS, t.nacks);
  loom_elite5_count(s, LOOM_ELITE5_OWN_NACKS, t.own);
}

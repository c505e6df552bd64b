/* SPDX-License-Identifier: Apache-2.0 */
/* elite5_choice.c - which way packets go in the Elite5 router, written from docs/elite5.md
 *
 * Inside: elite5_router. */
#include "elite5/elite5_cycle.h"

#include "parts/lfsr.h"

enum { MODE_NEXT = 1, MODE_RANDOM = 2 };
enum { LFSR_STEPS = 32, RANDOM_BITS = 16, TS_MASK = 0x3FFF };

/* ---- pick one of a set ----------------------------------------------------------------------- */

/* The member with number k, from the lowest. */
static uint32_t member(loom_links set, uint32_t k) {
  for (; k; k--)
    set &= set - 1;
  return loom_ctz(set);
}

/* One link of a set that is not empty (E5-20..22). */
static uint32_t pick_link(const struct loom_elite5_router *s, struct loom_elite5_input *x,
                          loom_links set) {
  uint32_t link = loom_ctz(set);
  if (s->set.mode == MODE_NEXT) {
    link = loom_ctz_from(set, x->last + 1u);
  } else if (s->set.mode == MODE_RANDOM) {
    uint32_t value = x->random & (uint32_t)loom_mask(RANDOM_BITS);
    link = member(set, value * loom_popcount(set) >> RANDOM_BITS);
    x->random = loom_lfsr_after(x->random, LFSR_STEPS);
  }
  x->last = (uint8_t)link;
  return link;
}

/* The members with the least VCs allocated (E5-24). */
static loom_links least_pending(const struct loom_elite5_router *s, loom_links set) {
  uint32_t least = LOOM_ELITE5_VCS + 1;
  loom_links found = 0;
  for (; set; set &= set - 1) {
    uint32_t o = loom_ctz(set);
    if (s->pending[o] < least) {
      least = s->pending[o];
      found = 0;
    }
    if (s->pending[o] == least)
      found |= 1u << o;
  }
  return found;
}

/* ---- decisions ------------------------------------------------------------------------------- */

static void set_bwait(struct loom_elite5_router *s, uint32_t i, uint32_t v, loom_links bmask) {
  s->input[i].packet[v].bmask = bmask;
  loom_elite5_set_state(s, i, v, LOOM_ELITE5_BWAIT);
  s->bwaits |= 1u << i;
}

static void set_wait(struct loom_elite5_router *s, uint32_t i, uint32_t v, uint32_t target) {
  struct loom_elite5_input *x = &s->input[i];
  x->packet[v].target = (uint8_t)target;
  x->waits[target] |= 1u << v;
  x->interest |= 1u << target;
  loom_elite5_set_state(s, i, v, LOOM_ELITE5_WAIT);
}

/* Why a packet goes nowhere; 0 if it does not (E5-17, E5-18, E5-30). */
static uint32_t refusal(const struct loom_elite5_router *s, const struct loom_elite5_question *q,
                        const struct loom_elite5_record *r) {
  uint32_t age = (loom_elite5_time(s) - r->ts) & TS_MASK;
  if (q->fresh && q->group != (q->vc >= s->unicast_vcs))
    return LOOM_ELITE5_TRAP_CLASS;
  if (q->fresh && !q->known)
    return LOOM_ELITE5_TRAP_UNKNOWN;
  if (q->fresh && s->set.expire && age > s->set.expire)
    return LOOM_ELITE5_TRAP_EXPIRED;
  return r->mask & s->up ? 0 : LOOM_ELITE5_TRAP_UNKNOWN;
}

/* The decision of an input; true if it found no VC (E5-19..24). */
static bool decide(struct loom_elite5_router *s, const struct loom_elite5_cycle *c, uint32_t i,
                   const struct loom_elite5_question *q) {
  struct loom_elite5_input *x = &s->input[i];
  const struct loom_elite5_record *r = &x->record[q->vc];
  bool broadcast = q->vc >= s->unicast_vcs;
  uint32_t cause = refusal(s, q, r);
  if (cause) {
    loom_elite5_set_state(s, i, q->vc, LOOM_ELITE5_SINK);
    loom_elite5_trap(s, i, (enum loom_elite5_cause)cause, q->vc, r);
    return false;
  }
  if (broadcast && r->all) {
    set_bwait(s, i, q->vc, r->mask);
    return false;
  }
  loom_links candidates = r->mask & s->up & (broadcast ? s->bfree : s->newvc);
  if (!candidates) {
    loom_elite5_set_retry(s, i, q->vc);
    return true;
  }
  loom_links light = candidates & s->under & (s->set.activity ? ~c->locked : ~0u);
  uint32_t link = pick_link(s, x, light ? light : least_pending(s, candidates));
  if (broadcast)
    set_bwait(s, i, q->vc, 1u << link);
  else
    set_wait(s, i, q->vc, link);
  return false;
}

void loom_elite5_decide(struct loom_elite5_router *s, const struct loom_elite5_cycle *c) {
  loom_links none = 0;
  for (loom_links set = s->deciding[c->phase]; set; set &= set - 1) {
    uint32_t i = loom_ctz(set);
    none |= (loom_links)decide(s, c, i, &s->question[c->phase][i]) << i;
  }
  loom_elite5_count(s, LOOM_ELITE5_NO_VC, none);
}

/* ---- retries --------------------------------------------------------------------------------- */

void loom_elite5_retry(struct loom_elite5_router *s, const struct loom_elite5_cycle *c) {
  loom_links set = s->retries & ~c->fresh;
  s->deciding[!c->phase] |= set;
  for (; set; set &= set - 1) {
    uint32_t i = loom_ctz(set);
    struct loom_elite5_input *x = &s->input[i];
    uint32_t v = loom_rr_arbiter_pick(&x->retrying, x->retry);
    loom_rr_arbiter_advance(&x->retrying, v);
    x->retry &= ~(1u << v);
    loom_elite5_include(&s->retries, i, x->retry != 0);
    s->question[!c->phase][i] = (struct loom_elite5_question){.vc = (uint8_t)v};
  }
}

/* Packets that wait for a link that is no longer UP decide again. */
static void leave_link(struct loom_elite5_router *s, uint32_t o) {
  for (uint32_t i = 0; i < s->size.links; i++) {
    struct loom_elite5_input *x = &s->input[i];
    for (uint32_t vcs = x->waits[o]; vcs; vcs &= vcs - 1) {
      loom_elite5_set_state(s, i, loom_ctz(vcs), LOOM_ELITE5_ROUTE);
      loom_elite5_set_retry(s, i, loom_ctz(vcs));
    }
    x->waits[o] = 0;
    loom_elite5_aim(x, o);
  }
}

void loom_elite5_reopen(struct loom_elite5_router *s) {
  for (loom_links set = s->returned.cr_valid | s->fallen; set; set &= set - 1) {
    uint32_t o = loom_ctz(set);
    struct loom_elite5_output *u = &s->output[o];
    for (; u->passed; u->passed &= u->passed - 1) {
      struct loom_elite5_input *x = &s->input[loom_ctz(u->passed)];
      x->passed &= ~x->opens[o];
    }
  }
  for (loom_links set = s->fallen; set; set &= set - 1)
    leave_link(s, loom_ctz(set));
}

/* ---- broadcast ------------------------------------------------------------------------------- */

static void leave_bwait(struct loom_elite5_router *s, uint32_t i, uint32_t v,
                        enum loom_elite5_vc_state state) {
  struct loom_elite5_input *x = &s->input[i];
  loom_elite5_set_state(s, i, v, state);
  loom_elite5_include(&s->bwaits, i, x->in_state[LOOM_ELITE5_BWAIT] != 0);
  s->bsel.valid = false;
}

/* All outputs of a broadcast give it the same VC (E5-28). */
static void open_broadcast(struct loom_elite5_router *s, uint32_t i, uint32_t v, loom_links live,
                           uint32_t w) {
  struct loom_elite5_input *x = &s->input[i];
  struct loom_elite5_packet *p = &x->packet[v];
  for (loom_links set = live; set; set &= set - 1)
    loom_elite5_allocate(s, loom_ctz(set), w, i, v);
  p->ovc = (uint8_t)w;
  p->bset = p->todo = live;
  p->left = (uint8_t)loom_popcount(live);
  if (p->bmask & ~s->up)
    x->nacked |= 1u << v;
  else
    x->nacked &= ~(1u << v);
  leave_bwait(s, i, v, LOOM_ELITE5_BOPEN);
}

/* The broadcast that is selected. One that goes up does not wait here, so that nothing that goes
 * down waits for it (E5-28). */
static void serve_broadcast(struct loom_elite5_router *s, uint32_t i, uint32_t v) {
  loom_links live = s->input[i].packet[v].bmask & s->up;
  uint32_t vcs = s->all_vcs & ~(uint32_t)loom_mask(s->unicast_vcs);
  for (loom_links set = live; set; set &= set - 1)
    vcs &= ~s->output[loom_ctz(set)].alloc;
  if (!live)
    leave_bwait(s, i, v, LOOM_ELITE5_SINK);
  else if (vcs)
    open_broadcast(s, i, v, live, loom_ctz(vcs));
  else
    s->bsel.valid = s->input[i].record[v].all;
}

void loom_elite5_broadcast(struct loom_elite5_router *s) {
  if (s->bsel.valid) {
    serve_broadcast(s, s->bsel.input, s->bsel.vc);
  } else if (s->bwaits) {
    uint32_t i = loom_rr_arbiter_pick(&s->bsel_arbiter, s->bwaits);
    loom_rr_arbiter_advance(&s->bsel_arbiter, i);
    struct loom_elite5_input *x = &s->input[i];
    uint32_t b =
        loom_rr_arbiter_pick(&x->offering, x->in_state[LOOM_ELITE5_BWAIT] >> s->unicast_vcs);
    loom_rr_arbiter_advance(&x->offering, b);
    s->bsel.valid = true;
    s->bsel.input = (uint8_t)i;
    s->bsel.vc = (uint8_t)(s->unicast_vcs + b);
  }
}

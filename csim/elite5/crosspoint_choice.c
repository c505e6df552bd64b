/* SPDX-License-Identifier: Apache-2.0 */
/* crosspoint_choice.c - order and choice of the Elite5 router, second edition, written from
 * docs/crosspoint_router.md
 *
 * Inside: crosspoint_router. */
#include "elite5/crosspoint_cycle.h"

#include "parts/lfsr.h"

enum { MODE_NEXT = 1, MODE_RANDOM = 2 };
enum { LFSR_STEPS = 32, DRAW_MASK = 0xFF };

/* ---- order ----------------------------------------------------------------------------------- */

static void set_light(struct loom_crosspoint_router *s, loom_links set) {
  for (; set; set &= set - 1) {
    uint32_t o = loom_ctz(set);
    s->pending_was[o] = s->pending[o];
    loom_elite5_include(&s->under, o, s->pending[o] < s->set.threshold);
  }
}

void loom_crosspoint_order(struct loom_crosspoint_router *s) {
  loom_links set = s->unordered;
  if (s->threshold_was != s->set.threshold)
    set = s->all_links;
  s->threshold_was = s->set.threshold;
  s->unordered = 0;
  set_light(s, set);
  s->light = s->under & ~(s->set.activity ? s->locked[0] : 0);
  s->draw[s->now % LOOM_CROSSPOINT_DRAWS] = s->value & DRAW_MASK;
  if (s->set.mode == MODE_RANDOM)
    s->value = loom_lfsr_after(s->value, LFSR_STEPS);
  s->mode_was = s->set.mode;
}

/* ---- the links to pick from ------------------------------------------------------------------ */

/* E5-24: the members with the least VCs allocated. */
static loom_links least_pending(const struct loom_crosspoint_router *s, loom_links cand) {
  uint32_t least = LOOM_ELITE5_VCS + 1;
  loom_links found = 0;
  for (; cand; cand &= cand - 1) {
    uint32_t o = loom_ctz(cand);
    if (s->pending_was[o] < least) {
      least = s->pending_was[o];
      found = 0;
    }
    if (s->pending_was[o] == least)
      found |= 1u << o;
  }
  return found;
}

void loom_crosspoint_choose(const struct loom_crosspoint_router *s, uint32_t v,
                            struct loom_crosspoint_ways *w) {
  loom_links cand = w->live & (v < s->unicast_vcs ? s->newvc : s->group_new);
  w->none = !cand;
  w->set = cand & s->light ? cand & s->light : least_pending(s, cand);
}

/* ---- the pick -------------------------------------------------------------------------------- */

/* The one with the lowest key, of several the lowest link (E5-20). */
static uint32_t pick_random(const struct loom_crosspoint_router *s, uint32_t i, loom_links set) {
  uint32_t best = DRAW_MASK + 1, link = 0;
  for (; set; set &= set - 1) {
    uint32_t o = loom_ctz(set);
    uint32_t key = s->draw[(s->now - 2 - i - o) % LOOM_CROSSPOINT_DRAWS];
    if (key < best) {
      best = key;
      link = o;
    }
  }
  return link;
}

/* E5-20..22. */
static uint32_t pick_link(const struct loom_crosspoint_router *s, uint32_t i, loom_links set) {
  if (s->mode_was == MODE_NEXT)
    return loom_ctz_from(set, s->port[i].input.last + 1u);
  return s->mode_was == MODE_RANDOM ? pick_random(s, i, set) : loom_ctz(set);
}

/* ---- retries --------------------------------------------------------------------------------- */

struct loom_crosspoint_retry loom_crosspoint_retry(const struct loom_crosspoint_router *s,
                                                   struct loom_crosspoint_input *x, bool taken) {
  struct loom_crosspoint_retry r = {.valid = false};
  if (!x->again.valid && x->retry) {
    uint32_t v = loom_rr_arbiter_pick(&x->retrying, x->retry);
    loom_rr_arbiter_advance(&x->retrying, v);
    x->retry &= ~(1u << v);
    x->again.valid = true;
    x->again.v = (uint8_t)v;
  } else if (x->again.valid && !taken) {
    const struct loom_elite5_record *record = &x->record[x->again.v];
    x->again.valid = false;
    r.valid = true;
    r.v = x->again.v;
    r.ways.live = record->mask & s->up;
    r.ways.mask = record->mask;
    r.ways.all = record->all;
  }
  return r;
}

/* ---- decisions ------------------------------------------------------------------------------- */

static void go_nowhere(struct loom_crosspoint_router *s, struct loom_crosspoint_cycle *c,
                       uint32_t i, uint32_t v, uint32_t cause) {
  loom_crosspoint_set_state(s, i, v, LOOM_ELITE5_SINK);
  c->trapping |= 1u << i;
  c->trap[i] =
      loom_elite5_trap_word(i, (enum loom_elite5_cause)cause, v, &s->port[i].input.record[v]);
}

static void wait_for_vcs(struct loom_crosspoint_router *s, uint32_t i, uint32_t v,
                         loom_links bmask) {
  s->port[i].input.vc[v].bmask = bmask;
  loom_crosspoint_set_state(s, i, v, LOOM_ELITE5_BWAIT);
  s->bwaits |= 1u << i;
}

uint32_t loom_crosspoint_decide(struct loom_crosspoint_router *s, struct loom_crosspoint_cycle *c,
                                uint32_t i, uint32_t v, const struct loom_crosspoint_ways *w,
                                bool fresh, uint32_t cause) {
  struct loom_crosspoint_input *x = &s->port[i].input;
  bool of_class = v >= s->unicast_vcs, again = x->decided == s->now;
  if (!fresh && !w->live)
    cause = LOOM_ELITE5_TRAP_UNKNOWN;
  if (cause) {
    go_nowhere(s, c, i, v, cause);
    return LOOM_ELITE5_LINKS;
  }
  if (of_class && w->all) {
    wait_for_vcs(s, i, v, w->mask);
    return LOOM_ELITE5_LINKS;
  }
  if (again || w->none) {
    loom_crosspoint_set_state(s, i, v, LOOM_ELITE5_ROUTE);
    x->retry |= 1u << v;
    if (!again) {
      x->decided = s->now + 1;
      loom_crosspoint_pulse(c, i, LOOM_ELITE5_NO_VC);
    }
    return LOOM_ELITE5_LINKS;
  }
  x->decided = s->now + 1;
  uint32_t link = pick_link(s, i, w->set);
  x->last = (uint8_t)link;
  if (of_class) {
    wait_for_vcs(s, i, v, 1u << link);
    return LOOM_ELITE5_LINKS;
  }
  x->vc[v].target = (uint8_t)link;
  loom_crosspoint_aim(x, v, link, true);
  loom_crosspoint_set_state(s, i, v, LOOM_ELITE5_WAIT);
  return link;
}

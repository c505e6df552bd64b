/* SPDX-License-Identifier: Apache-2.0 */
/* crosspoint_bsel.c - VCs of broadcasts in the Elite5 router, second edition, written from
 * docs/crosspoint_router.md
 *
 * Inside: crosspoint_router. */
#include "elite5/crosspoint_cycle.h"

/* The VC of the selected input whose turn it is. */
static void ask(struct loom_crosspoint_router *s) {
  struct loom_crosspoint_input *x = &s->port[s->at.i].input;
  uint32_t place =
      loom_rr_arbiter_pick(&x->offering, x->in_state[LOOM_ELITE5_BWAIT] >> s->unicast_vcs);
  uint32_t v = s->unicast_vcs + place;
  loom_rr_arbiter_advance(&x->offering, place);
  s->ask.valid = true;
  s->ask.i = s->at.i;
  s->ask.v = (uint8_t)v;
  s->ask.mask = x->vc[v].bmask;
  s->ask.all = x->record[v].all;
  s->at.valid = false;
}

/* All links give it the same VC. One that goes up does not wait here, so that nothing that goes
 * down waits for it (E5-28). */
static void find_vc(struct loom_crosspoint_router *s) {
  loom_links live = s->ask.mask & s->up;
  uint32_t vcs = s->class_vcs;
  for (loom_links set = live; set; set &= set - 1)
    vcs &= ~s->port[loom_ctz(set)].output.alloc;
  s->answer.valid = !live || vcs;
  if (!s->answer.valid) {
    s->ask.valid = s->ask.all;
    return;
  }
  s->answer.sink = !live;
  s->answer.i = s->ask.i;
  s->answer.v = s->ask.v;
  s->answer.w = vcs ? (uint8_t)loom_ctz(vcs) : 0;
  s->answer.live = live;
  s->answer.left = (uint8_t)loom_popcount(live);
  s->answer.nacked = (s->ask.mask & ~s->up) != 0;
  s->ask.valid = false;
}

void loom_crosspoint_select(struct loom_crosspoint_router *s) {
  s->answers = s->answer.valid;
  if (s->answer.valid)
    return;
  if (s->ask.valid) {
    find_vc(s);
  } else if (s->at.valid) {
    ask(s);
  } else if (s->bwaits) {
    uint32_t i = loom_rr_arbiter_pick(&s->bsel_arbiter, s->bwaits);
    loom_rr_arbiter_advance(&s->bsel_arbiter, i);
    s->at.valid = true;
    s->at.i = (uint8_t)i;
  }
}

void loom_crosspoint_answer(struct loom_crosspoint_router *s) {
  if (!s->answers)
    return;
  struct loom_crosspoint_input *x = &s->port[s->answer.i].input;
  struct loom_crosspoint_vc *vc = &x->vc[s->answer.v];
  s->answer.valid = false;
  loom_crosspoint_set_state(s, s->answer.i, s->answer.v,
                            s->answer.sink ? LOOM_ELITE5_SINK : LOOM_ELITE5_BOPEN);
  loom_elite5_include(&s->bwaits, s->answer.i, x->in_state[LOOM_ELITE5_BWAIT] != 0);
  if (s->answer.sink)
    return;
  for (loom_links set = s->answer.live; set; set &= set - 1)
    loom_crosspoint_allocate(s, loom_ctz(set), s->answer.w, s->answer.i, s->answer.v);
  vc->ovc = s->answer.w;
  vc->bset = vc->todo = s->answer.live;
  vc->left = s->answer.left;
  loom_elite5_include(&x->nacked, s->answer.v, s->answer.nacked);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* round_robin.c - twin of rtl/sched/loom_round_robin.v, written from docs/turns.md */
#include "sched/round_robin.h"

#include <string.h>

#include "sched/sched_front.h"

enum { PAUSE = 4 };

bool loom_round_robin_cfg_ok(const struct loom_round_robin_cfg *cfg) {
  return !loom_round_robin_bad_param(cfg) && LOOM_SCHED_KEYS_OK(cfg);
}

void loom_round_robin_init(struct loom_round_robin *s, const struct loom_round_robin_cfg *cfg) {
  struct loom_turns_cfg turns = {.vls = cfg->VLS,
                                 .keys = cfg->KEYS,
                                 .mgmt_vl = cfg->MGMT_VL,
                                 .stay_cycles = cfg->STAY_CYCLES,
                                 .pause = PAUSE,
                                 .arb_key = cfg->ARB_KEY};
  loom_turns_init(&s->turns, &turns);
  s->turns.cur = cfg->KEYS - 1;
}

void loom_round_robin_show(const struct loom_round_robin *s, struct loom_round_robin_out *out) {
  const struct loom_turns *t = &s->turns;
  memset(out, 0, sizeof *out);
  out->ready = loom_turns_ready(t);
  out->busy = !loom_turns_ready(t);
  out->grant_valid = t->grant_valid;
  out->grant_vl = t->grant_vl;
  out->grant_key = t->grant_key;
  out->grant_size = t->grant_size;
}

/* The eligible VLs of which one comes next: those ahead, if there are some. */
static uint32_t ahead(const struct loom_turns *t) {
  uint32_t eligible = loom_turns_eligible(t), above = eligible & loom_turns_order(t).above;
  return above ? above : eligible;
}

bool loom_round_robin_edge(struct loom_round_robin *s, const struct loom_sched_cycle *in) {
  struct loom_turns *t = &s->turns;
  struct loom_turns_left c1 = loom_turns_step1(t, ahead(t));
  struct loom_turns_left c2 = loom_turns_step2(t), c3 = loom_turns_step3(t);
  struct loom_turns_next c4 = loom_turns_step4(t);

  loom_turns_edge(t, in, loom_turns_decide(t, false));
  t->c1 = c1, t->c2 = c2, t->c3 = c3, t->next = c4;
  return true;
}

void loom_round_robin_step(struct loom_round_robin *s, const struct loom_round_robin_in *in,
                           struct loom_round_robin_out *out) {
  loom_round_robin_show(s, out);
  loom_round_robin_edge(s, &LOOM_SCHED_CYCLE(in));
}

void loom_round_robin_probe(const struct loom_round_robin *s, struct loom_round_robin_probe *p) {
  p->cur = s->turns.cur;
  p->pause = s->turns.pause;
  p->held = s->turns.held;
  p->c4_some = s->turns.next.some;
  p->loom_end = 0;
}

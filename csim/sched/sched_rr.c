/* SPDX-License-Identifier: Apache-2.0 */
/* sched_rr.c - twin of rtl/sched/loom_sched_rr.v, written from docs/sched.md */
#include "sched/sched_rr.h"

#include <string.h>

bool loom_sched_rr_cfg_ok(const struct loom_sched_rr_cfg *cfg) {
  return !loom_sched_rr_bad_param(cfg) && LOOM_SCHED_KEYS_OK(cfg);
}

void loom_sched_rr_init(struct loom_sched_rr *s, const struct loom_sched_rr_cfg *cfg) {
  memset(s, 0, sizeof *s);
  loom_sched_front_init(&s->front, cfg->VLS, cfg->KEYS, cfg->ARB_KEY, cfg->MGMT_VL);
  loom_rr_arbiter_init(&s->arbiter, &(struct loom_rr_arbiter_cfg){.N = cfg->KEYS});
}

static bool search(struct loom_sched_front *f) {
  struct loom_sched_rr *s = (struct loom_sched_rr *)f;
  if (!f->active)
    return false;
  s->key = loom_rr_arbiter_pick(&s->arbiter, f->active);
  loom_rr_arbiter_advance(&s->arbiter, s->key);
  return true;
}

static void decide(struct loom_sched_front *f) {
  struct loom_sched_rr *s = (struct loom_sched_rr *)f;
  loom_sched_grant(f, loom_sched_choose(f, s->key));
}

const struct loom_sched_policy loom_sched_rr_policy = {.search = search, .decide = decide};

void loom_sched_rr_step(struct loom_sched_rr *s, const struct loom_sched_rr_in *in,
                        struct loom_sched_rr_out *out) {
  LOOM_SCHED_SHOW(&s->front, out);
  loom_sched_edge(&s->front, &loom_sched_rr_policy, LOOM_SCHED_INPUTS(in));
}

void loom_sched_rr_probe(const struct loom_sched_rr *s, struct loom_sched_rr_probe *p) {
  LOOM_SCHED_PROBE(&s->front, p);
}

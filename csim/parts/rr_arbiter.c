/* SPDX-License-Identifier: Apache-2.0 */
/* rr_arbiter.c - twin of rtl/parts/loom_rr_arbiter.v, written from docs/parts.md */
#include "parts/rr_arbiter.h"

bool loom_rr_arbiter_cfg_ok(const struct loom_rr_arbiter_cfg *cfg) {
  return !loom_rr_arbiter_bad_param(cfg);
}

void loom_rr_arbiter_init(struct loom_rr_arbiter *s, const struct loom_rr_arbiter_cfg *cfg) {
  s->n = cfg->N;
  s->p = 0;
}

void loom_rr_arbiter_step(struct loom_rr_arbiter *s, const struct loom_rr_arbiter_in *in,
                          struct loom_rr_arbiter_out *out) {
  out->grant = 0;
  if (!in->request)
    return;
  uint32_t place = loom_rr_arbiter_pick(s, in->request);
  out->grant = 1ull << place;
  if (in->advance)
    loom_rr_arbiter_advance(s, place);
}

void loom_rr_arbiter_probe(const struct loom_rr_arbiter *s, struct loom_rr_arbiter_probe *p) {
  (void)s;
  p->loom_end = 0;
}

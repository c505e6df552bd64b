/* SPDX-License-Identifier: Apache-2.0 */
/* sched_rr.h - twin of loom_sched_rr: round robin over keys, in packets (docs/sched.md; SC-01) */
#ifndef LOOM_SCHED_SCHED_RR_H
#define LOOM_SCHED_SCHED_RR_H

#define LOOM_DUT sched_rr
#define LOOM_DEF "sched/sched_rr.def"
#include <loom/def.h>

#include "parts/rr_arbiter.h"
#include "sched/sched_front.h"

struct loom_sched_rr {
  struct loom_sched_front front;
  struct loom_rr_arbiter arbiter;
  uint32_t key; /* latched by SEARCH */
};

/* The parameters are legal together. */
bool loom_sched_rr_cfg_ok(const struct loom_sched_rr_cfg *cfg);
void loom_sched_rr_init(struct loom_sched_rr *s, const struct loom_sched_rr_cfg *cfg);
void loom_sched_rr_step(struct loom_sched_rr *s, const struct loom_sched_rr_in *in,
                        struct loom_sched_rr_out *out);
void loom_sched_rr_probe(const struct loom_sched_rr *s, struct loom_sched_rr_probe *p);

extern const struct loom_sched_policy loom_sched_rr_policy;

#endif

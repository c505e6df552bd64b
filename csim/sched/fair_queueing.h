/* SPDX-License-Identifier: Apache-2.0 */
/* fair_queueing.h - twin of loom_fair_queueing: self-clocked fair queueing, prices by key
 * (docs/fair_queueing.md; SC-09)
 *
 * Registers in another form than in the circuit:
 *   stamp_granted: grant_valid of `turns`, with another VL than the management VL
 *   behind, then, from2: `base` of the job
 */
#ifndef LOOM_SCHED_FAIR_QUEUEING_H
#define LOOM_SCHED_FAIR_QUEUEING_H

#define LOOM_DUT fair_queueing
#define LOOM_DEF "sched/fair_queueing.def"
#include <loom/def.h>

#include "sched/turns.h"

#define LOOM_NAMES "sched/fair_queueing.regs"
#include <loom/names.h>

/* A place of the steps that find the smallest stamp; without `some` it is empty. */
struct loom_fair_place {
  bool some;
  uint8_t vl;
  uint32_t stamp;
};

/* The engine: what it works at, `step` 1 to 3; without `stamps` it raises what fell behind. */
struct loom_fair_job {
  uint32_t step;
  bool stamps;
  uint32_t vl, key, size, price, from, base, cost;
};

/* Stamps have SIZE_W + 17 bits; prices are for a unit of 64 bytes. */
struct loom_fair_queueing {
  struct loom_turns turns; /* with heads, held VLs and grants */
  uint32_t stamp_mask;
  uint8_t price[LOOM_KEYS];
  uint32_t finish[LOOM_KEYS]; /* the last stamp of the key */
  uint32_t stamp[LOOM_VLS];
  uint32_t stamped, fresh, kept; /* a bit a VL */
  uint32_t now;

  struct loom_fair_job job;
  uint32_t scan;  /* the VL that is raised next, or */
  bool scan_keys; /* the key */

  /* c1 to c5, with half as many places each as the one before. */
  struct loom_fair_place c1[16], c2[8], c3[4], c4[2], c5;

  uint32_t addr, table_rdata; /* the address of the last cycle */
};

/* The parameters are legal together. */
bool loom_fair_queueing_cfg_ok(const struct loom_fair_queueing_cfg *cfg);
void loom_fair_queueing_init(struct loom_fair_queueing *s,
                             const struct loom_fair_queueing_cfg *cfg);
void loom_fair_queueing_step(struct loom_fair_queueing *s, const struct loom_fair_queueing_in *in,
                             struct loom_fair_queueing_out *out);
/* The edge that ends the cycle, for users that look at the registers themselves. Gives whether
 * something may have changed: true. */
bool loom_fair_queueing_edge(struct loom_fair_queueing *s, const struct loom_sched_cycle *in);
/* What the outputs show in the present cycle: all of them are registers. */
void loom_fair_queueing_show(const struct loom_fair_queueing *s,
                             struct loom_fair_queueing_out *out);
/* Nothing is under way: if its inputs stay as they are, with no head and no write, and no VL of
 * those that are ready comes next for want of a request, a few cycles later nothing changes. */
bool loom_fair_queueing_is_calm(const struct loom_fair_queueing *s);
void loom_fair_queueing_probe(const struct loom_fair_queueing *s,
                              struct loom_fair_queueing_probe *p);

#endif

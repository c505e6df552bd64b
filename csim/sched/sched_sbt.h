/* SPDX-License-Identifier: Apache-2.0 */
/* sched_sbt.h - twin of loom_sched_sbt: simple bandwidth table (docs/sched.md; SC-02..04, INC-12)
 *
 * Registers in another form than in the circuit:
 *   lane: choice.vl
 */
#ifndef LOOM_SCHED_SCHED_SBT_H
#define LOOM_SCHED_SCHED_SBT_H

#define LOOM_DUT sched_sbt
#define LOOM_DEF "sched/sched_sbt.def"
#include <loom/def.h>

#include "sched/sched_front.h"

#define LOOM_NAMES "sched/sched_sbt.regs"
#include <loom/names.h>

/* When all weights of the keys that want to send are used up: */
enum loom_sbt_mode {
  LOOM_SBT_TEXT = 0,     /* every key gets its weight again */
  LOOM_SBT_LITERAL = 1,  /* the published algorithm to the letter */
  LOOM_SBT_SUM_ZERO = 2, /* the same only when the weights of all keys are used up */
};

/* What SEARCH decided. */
struct loom_sbt_choice {
  bool literal; /* for a VL; else for a key, whose VL comes by round robin */
  bool charged;
  bool restore;
  uint8_t key, vl;
};

/* Weights in packets. */
struct loom_sched_sbt {
  struct loom_sched_front front;
  uint8_t weight[LOOM_KEYS];
  uint8_t remaining[LOOM_KEYS];
  uint32_t weighted; /* keys with weight > 0; follows from weight */
  uint32_t rich;     /* keys with remaining > 0; follows from remaining */
  uint32_t mode;     /* 2 bits; 3 acts as LOOM_SBT_TEXT */
  uint32_t cur;      /* key granted last */
  uint32_t last;     /* VL granted last in literal mode */
  struct loom_sbt_choice choice;
};

/* The parameters are legal together. */
bool loom_sched_sbt_cfg_ok(const struct loom_sched_sbt_cfg *cfg);
void loom_sched_sbt_init(struct loom_sched_sbt *s, const struct loom_sched_sbt_cfg *cfg);
void loom_sched_sbt_step(struct loom_sched_sbt *s, const struct loom_sched_sbt_in *in,
                         struct loom_sched_sbt_out *out);
void loom_sched_sbt_probe(const struct loom_sched_sbt *s, struct loom_sched_sbt_probe *p);

extern const struct loom_sched_policy loom_sched_sbt_policy;

#endif

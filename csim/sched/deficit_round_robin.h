/* SPDX-License-Identifier: Apache-2.0 */
/* deficit_round_robin.h - twin of loom_deficit_round_robin: quanta by key, in units
 * (docs/turns.md#deficit_round_robin; SC-09)
 */
#ifndef LOOM_SCHED_DEFICIT_ROUND_ROBIN_H
#define LOOM_SCHED_DEFICIT_ROUND_ROBIN_H

#define LOOM_DUT deficit_round_robin
#define LOOM_DEF "sched/deficit_round_robin.def"
#include <loom/def.h>

#include "sched/turns.h"

#define LOOM_NAMES "sched/deficit_round_robin.regs"
#include <loom/names.h>

/* Step 0: of these VLs one comes next, those in `first` before the others. */
struct loom_deficit_c0 {
  uint32_t set, first;
};

/* Steps 4 and 5, beside the VL: what its key may send, in units; and whether its head fits. */
struct loom_deficit_c4 {
  struct loom_turns_next next;
  uint32_t base;
};

struct loom_deficit_c5 {
  bool fits;
  uint32_t base, rest;
};

/* Quanta and deficits in units of 64 bytes. */
struct loom_deficit_round_robin {
  struct loom_turns turns; /* with cur, last_vl, c1 to c3, and the VL of c5 as `next` */
  uint8_t quantum[LOOM_KEYS];
  uint16_t deficit[LOOM_KEYS]; /* what is left of the turn while it is open, else saved */
  bool open;                   /* the turn of `cur` goes on */
  bool forget;                 /* the deficit of this key is lost: */
  uint32_t forget_key;

  struct loom_deficit_c0 c0;
  struct loom_deficit_c4 c4;
  struct loom_deficit_c5 c5;

  uint32_t addr, table_rdata; /* the address of the last cycle */
};

/* The parameters are legal together. */
bool loom_deficit_round_robin_cfg_ok(const struct loom_deficit_round_robin_cfg *cfg);
void loom_deficit_round_robin_init(struct loom_deficit_round_robin *s,
                                   const struct loom_deficit_round_robin_cfg *cfg);
void loom_deficit_round_robin_step(struct loom_deficit_round_robin *s,
                                   const struct loom_deficit_round_robin_in *in,
                                   struct loom_deficit_round_robin_out *out);
/* The edge that ends the cycle, for users that look at the registers themselves. Gives whether
 * something may have changed: true. */
bool loom_deficit_round_robin_edge(struct loom_deficit_round_robin *s,
                                   const struct loom_sched_cycle *in);
/* What the outputs show in the present cycle: all of them are registers. */
void loom_deficit_round_robin_show(const struct loom_deficit_round_robin *s,
                                   struct loom_deficit_round_robin_out *out);
/* Nothing is under way: if its inputs stay as they are, with no head and no write, and no VL of
 * those that are ready comes next for want of a request, a few cycles later nothing changes. */
bool loom_deficit_round_robin_is_calm(const struct loom_deficit_round_robin *s);
void loom_deficit_round_robin_probe(const struct loom_deficit_round_robin *s,
                                    struct loom_deficit_round_robin_probe *p);

#endif

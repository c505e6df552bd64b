/* SPDX-License-Identifier: Apache-2.0 */
/* round_robin.h - twin of loom_round_robin: round robin over keys, in packets
 * (docs/turns.md#round_robin; SC-01)
 *
 * Registers in another form than in the circuit:
 *   c4_some: turns.next.some
 */
#ifndef LOOM_SCHED_ROUND_ROBIN_H
#define LOOM_SCHED_ROUND_ROBIN_H

#define LOOM_DUT round_robin
#define LOOM_DEF "sched/round_robin.def"
#include <loom/def.h>

#include "sched/turns.h"

struct loom_round_robin {
  struct loom_turns turns;
};

/* The parameters are legal together. */
bool loom_round_robin_cfg_ok(const struct loom_round_robin_cfg *cfg);
void loom_round_robin_init(struct loom_round_robin *s, const struct loom_round_robin_cfg *cfg);
void loom_round_robin_step(struct loom_round_robin *s, const struct loom_round_robin_in *in,
                           struct loom_round_robin_out *out);
/* The edge that ends the cycle, for users that look at the registers themselves. Gives whether
 * something may have changed: true. */
bool loom_round_robin_edge(struct loom_round_robin *s, const struct loom_sched_cycle *in);
/* What the outputs show in the present cycle: all of them are registers. */
void loom_round_robin_show(const struct loom_round_robin *s, struct loom_round_robin_out *out);
/* Nothing is under way: if its inputs stay as they are, with no head, nothing changes any more
 * after a few cycles. */
static inline bool loom_round_robin_is_calm(const struct loom_round_robin *s) {
  return loom_turns_is_calm(&s->turns);
}
void loom_round_robin_probe(const struct loom_round_robin *s, struct loom_round_robin_probe *p);

#endif

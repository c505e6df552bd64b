/* SPDX-License-Identifier: Apache-2.0 */
/* switch_sched.h - any of the four schedulers in one place (docs/switch.md; OP-13)
 *
 * Inside: ib_switch, opa_switch, kns_node, and kns_switch. */
#ifndef LOOM_SWITCH_SWITCH_SCHED_H
#define LOOM_SWITCH_SWITCH_SCHED_H

#include "sched/sched_dtable.h"
#include "sched/sched_ibarb.h"
#include "sched/sched_rr.h"
#include "sched/sched_sbt.h"

/* Parameters SCHED and CENTRAL_SCHED; the last is for central buffers only. */
enum loom_switch_sched {
  LOOM_SWITCH_RR = 0,
  LOOM_SWITCH_SBT = 1,
  LOOM_SWITCH_DTABLE = 2,
  LOOM_SWITCH_IBARB = 3,
  LOOM_SWITCH_LANES_RR = 4,
};

union loom_switch_scheduler {
  struct loom_sched_front front; /* first member of each */
  struct loom_sched_rr rr;
  struct loom_sched_sbt sbt;
  struct loom_sched_dtable dtable;
  struct loom_sched_ibarb ibarb;
};

/* A scheduler stands in whole lines of the cache; bytes of the largest one. */
enum {
  LOOM_SWITCH_SCHED_LINE = 64,
  LOOM_SWITCH_SCHED_MOST = (sizeof(union loom_switch_scheduler) + LOOM_SWITCH_SCHED_LINE - 1) /
                           LOOM_SWITCH_SCHED_LINE * LOOM_SWITCH_SCHED_LINE,
};

struct loom_switch_sched_cfg {
  uint32_t VLS, KEYS, ARB_KEY, MGMT_VL, ENTRIES, IB_WEIGHTS, N_HIGH, N_LOW;
};

/* sched < LOOM_SWITCH_LANES_RR, for both. */
const struct loom_sched_policy *loom_switch_policy(uint32_t sched);
/* Bytes of one of this kind, in whole lines. */
uint32_t loom_switch_sched_bytes(uint32_t sched);
void loom_switch_sched_init(union loom_switch_scheduler *s, uint32_t sched,
                            const struct loom_switch_sched_cfg *cfg);

/* A search that finds no active key would change nothing. */
static inline bool loom_switch_sched_settled(const struct loom_sched_policy *policy,
                                             const struct loom_sched_front *front) {
  return !policy->settled || policy->settled(front);
}

#endif

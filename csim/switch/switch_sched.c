/* SPDX-License-Identifier: Apache-2.0 */
/* switch_sched.c - any of the four schedulers in one place, written from docs/switch.md
 *
 * Inside: ib_switch, opa_switch, kns_node, and kns_switch. */
#include "switch/switch_sched.h"

enum { SIZE_W = 10, CREDIT_W = 12 };

const struct loom_sched_policy *loom_switch_policy(uint32_t sched) {
  static const struct loom_sched_policy *const policies[] = {
      [LOOM_SWITCH_RR] = &loom_sched_rr_policy,
      [LOOM_SWITCH_SBT] = &loom_sched_sbt_policy,
      [LOOM_SWITCH_DTABLE] = &loom_sched_dtable_policy,
      [LOOM_SWITCH_IBARB] = &loom_sched_ibarb_policy,
  };
  return policies[sched];
}

uint32_t loom_switch_sched_bytes(uint32_t sched) {
  static const size_t bytes[] = {[LOOM_SWITCH_RR] = sizeof(struct loom_sched_rr),
                                 [LOOM_SWITCH_SBT] = sizeof(struct loom_sched_sbt),
                                 [LOOM_SWITCH_DTABLE] = sizeof(struct loom_sched_dtable),
                                 [LOOM_SWITCH_IBARB] = sizeof(struct loom_sched_ibarb)};
  size_t lines = (bytes[sched] + LOOM_SWITCH_SCHED_LINE - 1) / LOOM_SWITCH_SCHED_LINE;
  return (uint32_t)(lines * LOOM_SWITCH_SCHED_LINE);
}

/* What every scheduler needs to know, in the struct of each. */
#define COMMON(cfg)                                                                                \
  .VLS = (cfg)->VLS, .KEYS = (cfg)->KEYS, .ARB_KEY = (cfg)->ARB_KEY, .MGMT_VL = (cfg)->MGMT_VL,    \
  .SIZE_W = SIZE_W, .CREDIT_W = CREDIT_W

void loom_switch_sched_init(union loom_switch_scheduler *s, uint32_t sched,
                            const struct loom_switch_sched_cfg *cfg) {
  switch (sched) {
  case LOOM_SWITCH_RR:
    loom_sched_rr_init(&s->rr, &(struct loom_sched_rr_cfg){COMMON(cfg)});
    break;
  case LOOM_SWITCH_SBT:
    loom_sched_sbt_init(&s->sbt, &(struct loom_sched_sbt_cfg){COMMON(cfg)});
    break;
  case LOOM_SWITCH_DTABLE:
    loom_sched_dtable_init(&s->dtable,
                           &(struct loom_sched_dtable_cfg){COMMON(cfg), .ENTRIES = cfg->ENTRIES,
                                                           .IB_WEIGHTS = cfg->IB_WEIGHTS});
    break;
  default:
    loom_sched_ibarb_init(&s->ibarb, &(struct loom_sched_ibarb_cfg){
                                         COMMON(cfg), .N_HIGH = cfg->N_HIGH, .N_LOW = cfg->N_LOW});
    break;
  }
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "run/elite5_policy.h"

#include <loom/bits.h>
#include <stddef.h>

#include "elite5/elite5_registers.h"

enum { BEST_THRESHOLD = 16 };

const char *const loom_elite5_choice_names[LOOM_ELITE5_STATIC + 2] = {
    "first", "next", "random", "oblivious", "static", NULL};

void loom_elite5_policy_defaults(struct loom_elite5_policy *p) {
  *p = (struct loom_elite5_policy){.choice = LOOM_ELITE5_FIRST, .threshold = 1};
}

void loom_elite5_policy_best(struct loom_elite5_policy *p) {
  *p = (struct loom_elite5_policy){
      .choice = LOOM_ELITE5_RANDOM, .threshold = BEST_THRESHOLD, .activity = true};
}

bool loom_elite5_policy_is_adaptive(const struct loom_elite5_policy *p) {
  return p->choice <= LOOM_ELITE5_RANDOM;
}

/* A static table leaves nothing to choose. */
uint32_t loom_elite5_policy_control(const struct loom_elite5_policy *p) {
  uint32_t mode = p->choice == LOOM_ELITE5_OBLIVIOUS ? (uint32_t)LOOM_ELITE5_RANDOM
                  : p->choice == LOOM_ELITE5_STATIC  ? (uint32_t)LOOM_ELITE5_FIRST
                                                     : (uint32_t)p->choice;
  return LOOM_PUT(LOOM_ELITE5_REG_CONTROL_MODE, mode) |
         LOOM_PUT(LOOM_ELITE5_REG_CONTROL_ACTIVITY,
                  p->activity && loom_elite5_policy_is_adaptive(p));
}

/* More than a link has VCs: all links are alike. */
uint32_t loom_elite5_policy_threshold(const struct loom_elite5_policy *p) {
  return loom_elite5_policy_is_adaptive(p) ? p->threshold : LOOM_ELITE5_THRESHOLD_MAX;
}

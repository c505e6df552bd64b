/* SPDX-License-Identifier: Apache-2.0 */
/* elite5_policy.h - how the routers of an Elite5 fabric choose among links that lead to a node
 * (docs/fabric.md, Elite5; E5-18, E5-20, E5-21) */
#ifndef LOOM_RUN_ELITE5_POLICY_H
#define LOOM_RUN_ELITE5_POLICY_H

#include <stdbool.h>
#include <stdint.h>

enum loom_elite5_choice {
  LOOM_ELITE5_FIRST, /* the first three are modes of the router */
  LOOM_ELITE5_NEXT,
  LOOM_ELITE5_RANDOM,
  LOOM_ELITE5_OBLIVIOUS, /* at random, whatever the load */
  LOOM_ELITE5_STATIC     /* the tables have one link for each node */
};
extern const char *const loom_elite5_choice_names[LOOM_ELITE5_STATIC + 2];

enum { LOOM_ELITE5_THRESHOLD_MAX = 63, LOOM_ELITE5_EXPIRE_MAX = 0x3FFF };

struct loom_elite5_policy {
  enum loom_elite5_choice choice;
  uint32_t threshold; /* VCs: links with fewer of them pending are alike; 0..63 */
  bool activity;      /* links that are in use count as loaded */
  uint32_t expire;    /* cycles after which a packet is refused, 0..16383; 0: never */
};

/* As a router is after reset. */
void loom_elite5_policy_defaults(struct loom_elite5_policy *p);
/* What a fabric file has that says nothing: the best of vectors/sweep/e520.yaml. */
void loom_elite5_policy_best(struct loom_elite5_policy *p);
/* It looks at loads, so threshold and activity mean something. */
bool loom_elite5_policy_is_adaptive(const struct loom_elite5_policy *p);
/* What it comes to in the registers CONTROL and THRESHOLD of a router. */
uint32_t loom_elite5_policy_control(const struct loom_elite5_policy *p);
uint32_t loom_elite5_policy_threshold(const struct loom_elite5_policy *p);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* vlarb_solve.h - InfiniBand's High and Low tables from what VLs ask for (docs/vlarb.md; IB-14)
 *
 * All is found by whole numbers and from fixed seeds: the same wishes give the same tables.
 */
#ifndef LOOM_QOS_VLARB_SOLVE_H
#define LOOM_QOS_VLARB_SOLVE_H

#include "qos/vlarb_certificate.h"
#include "qos/vlarb_plan.h"

/* Tables, and what they do. */
struct loom_wish_answer {
  bool found;
  struct loom_wish_tables tables;
  struct loom_vlarb_certificate certificate;
  uint32_t error; /* the largest of a share, parts per million */
  uint32_t wait;  /* the largest gap or distance, in thousandths of what is asked for */
  bool shares;    /* all shares are within the tolerance */
  bool waits;     /* all gaps and distances are as asked for */
};

/* Memory to work in, from the caller. */
struct loom_vlarb_solver {
  struct loom_plans low;      /* plans of the low table */
  struct loom_plans exact;    /* whole plans: least errors first */
  struct loom_plans easy;     /* least loads first, of those within the tolerance */
  struct loom_plans balanced; /* errors in large steps, then loads */
  struct {
    struct loom_plan plan;
    struct loom_order order;
    uint64_t excess;
    bool done; /* in this pass */
  } tried[3 * LOOM_PLANS];
  uint32_t tries;
};

struct loom_wish_solution {
  struct loom_wish_answer best; /* shares and waits hold: the wishes are met */
  /* If they are not, the nearest that was found: tables that keep gaps and distances, with the
   * least error of shares; tables that keep the shares, with the least wait. */
  struct loom_wish_answer waits_kept;
  struct loom_wish_answer shares_kept;
};

/* True: the wishes are met by solution->best. */
bool loom_vlarb_solve(const struct loom_wish *wish, struct loom_vlarb_solver *solver,
                      struct loom_wish_solution *solution);

/* What the tables do with packets of the wish, and how that fits it. False: the period is too long
 * to follow (loom_vlarb_certify). */
bool loom_wish_judge(const struct loom_wish *wish, struct loom_wish_answer *answer);

#endif

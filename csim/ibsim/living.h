/* SPDX-License-Identifier: Apache-2.0 */
/* living.h - a fabric of twins below the agents of its subnet: what is set goes into the registers
 * of its switches, what they count is what is read, and traffic moves (docs/ibsim.md) */
#ifndef LOOM_IBSIM_LIVING_H
#define LOOM_IBSIM_LIVING_H

#include "ibsim/subnet.h"
#include "run/plan.h"
#include "run/report.h"

struct loom_living;

/* The fabric of a plan, without forwarding tables, its links in INIT. `noted`: results will be
 * asked for, with the statistics of the plan. NULL: *err says why. */
struct loom_living *loom_living_create(struct loom_plan *plan, bool noted,
                                       struct loom_plan_error *err);
void loom_living_destroy(struct loom_living *l);

struct loom_subnet *loom_living_subnet(const struct loom_living *l);

/* Its switches, to look at. */
struct loom_managed;
const struct loom_managed *loom_living_managed(const struct loom_living *l);

/* So many cycles. Before traffic begins, which it does when all links that are not down are active
 * and all hosts have a LID, they are not counted; when it can begin, it returns. */
void loom_living_run(struct loom_living *l, uint64_t cycles);
/* No more messages; on until nothing moves, but at most so many cycles. */
void loom_living_drain(struct loom_living *l, uint64_t cycles);
/* Nothing moves, and nothing will before somebody sets something. */
bool loom_living_rests(const struct loom_living *l);

struct loom_living_counts {
  bool begun;                     /* traffic has */
  uint64_t cycles;                /* of traffic */
  uint64_t sent, delivered, lost; /* messages; the rest is under way */
  uint64_t unsent;                /* that hosts with a port that is not active did not send */
  uint64_t last_lost;             /* cycle; 0: none was */
  uint64_t overtaken;             /* that came after a later one of their pair and class */
  bool exhausted;                 /* memory ran out */
};
struct loom_living_counts loom_living_counts(const struct loom_living *l);

/* Of a fabric that is noted, once, when it has drained: its traffic as a run, the caller's (false:
 * *point says why not), and what happened meanwhile, *events of them, the fabric's. */
bool loom_living_point(struct loom_living *l, struct loom_point *point);
const struct loom_report_event *loom_living_events(const struct loom_living *l, uint32_t *events);

#endif

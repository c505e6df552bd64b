/* SPDX-License-Identifier: Apache-2.0 */
/* faults.h - cables of an Elite5 fabric that fail, return and err while it runs, and the management
 * that reacts (docs/fabric.md, Faults; E5-24, E5-26, E5-37) */
#ifndef LOOM_RUN_FAULTS_H
#define LOOM_RUN_FAULTS_H

#include "run/collectives.h"
#include "run/elite5_fabric.h"
#include "run/plan.h"

struct loom_faults;

/* All must outlive it. `collectives`, whose groups are cured, too: NULL: there are none. NULL: out
 * of memory. */
struct loom_faults *loom_faults_create(const struct loom_plan *plan, struct loom_elite5_fabric *e,
                                       const struct loom_collectives *collectives);
void loom_faults_destroy(struct loom_faults *f);

/* The cycle of the next fault or cure; UINT64_MAX: there is none any more. */
uint64_t loom_faults_next(const struct loom_faults *f);
/* All that is due in the present cycle of the run, `now`. */
void loom_faults_step(struct loom_faults *f, uint64_t now);
/* A router has no class free for another mask, so its tables could not be written. */
bool loom_faults_full(const struct loom_faults *f);

#endif

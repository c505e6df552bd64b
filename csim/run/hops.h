/* SPDX-License-Identifier: Apache-2.0 */
/* hops.h - the packets of a run from link to link, as a trace (docs/trace.md) */
#ifndef LOOM_RUN_HOPS_H
#define LOOM_RUN_HOPS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct loom_built;
struct loom_plan;
struct loom_watch;
struct loom_hops;

/* Before the fabric is built, by way of who watches its links. NULL: out of memory. */
struct loom_hops *loom_hops_create(const struct loom_plan *plan, struct loom_watch *watch);
void loom_hops_destroy(struct loom_hops *h);
/* Once it is built, before its first cycle. */
void loom_hops_begin(struct loom_hops *h, const struct loom_built *b);
/* Memory ran out. */
bool loom_hops_exhausted(const struct loom_hops *h);
/* The trace, after the last cycle. */
void loom_hops_print(struct loom_hops *h, uint64_t seed, FILE *out);

#endif

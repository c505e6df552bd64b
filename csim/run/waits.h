/* SPDX-License-Identifier: Apache-2.0 */
/* waits.h - what the packets of a run waited for: stalls.csv, waits.csv and packets.csv
 * (docs/fabric.md#stalls) */
#ifndef LOOM_RUN_WAITS_H
#define LOOM_RUN_WAITS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct loom_built;
struct loom_plan;
struct loom_watch;
struct loom_waits;

/* The causes in the heads of the tables: loom_stall_names. */
#define LOOM_WAITS_CAUSES "behind,room,credit,lost,busy,deciding,gap"

/* Before the fabric is built, by way of who watches its links. NULL: out of memory. */
struct loom_waits *loom_waits_create(const struct loom_plan *plan, struct loom_watch *watch);
void loom_waits_destroy(struct loom_waits *w);
/* Once it is built, before its first cycle. False: out of memory. */
bool loom_waits_begin(struct loom_waits *w, const struct loom_built *b);
/* Memory ran out. */
bool loom_waits_exhausted(const struct loom_waits *w);
/* Packets whose cycles did not add up to their latency: never. */
uint64_t loom_waits_wrong(const struct loom_waits *w);

/* The lines of the tables, after the last cycle. */
void loom_waits_places(const struct loom_waits *w, uint64_t seed, FILE *out);
void loom_waits_flows(struct loom_waits *w, uint64_t seed, FILE *out);
void loom_waits_packets(const struct loom_waits *w, uint64_t seed, FILE *out);

#endif

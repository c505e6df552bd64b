/* SPDX-License-Identifier: Apache-2.0 */
/* statistics.h - where the traffic of a run went and what it waited for (docs/fabric.md) */
#ifndef LOOM_RUN_STATISTICS_H
#define LOOM_RUN_STATISTICS_H

#include <stdbool.h>
#include <stddef.h>

#include "fabric/watch.h"
#include "run/spec_statistics.h"
#include "traffic/experiment.h"

struct loom_plan;
struct loom_built;
struct loom_statistics;

/* Files that statistics have. */
struct loom_statistics_file {
  enum loom_statistic of;
  const char *name, *head; /* head: the first line */
};
extern const struct loom_statistics_file loom_statistics_file[LOOM_STATISTICS_FILES];

/* What the plan's spec asks for; before the fabric is built. NULL: out of memory. */
struct loom_statistics *loom_statistics_create(const struct loom_plan *plan);
void loom_statistics_destroy(struct loom_statistics *s);
/* Who watches the links; NULL: nobody. */
struct loom_watch *loom_statistics_watch(const struct loom_statistics *s);
/* The network of a built fabric, with samples taken now and then. */
struct loom_network loom_statistics_network(struct loom_statistics *s, struct loom_built *b);
/* The run begins with the fabric's present cycle, not with its first: cycles count from here. */
void loom_statistics_begin(struct loom_statistics *s);
void loom_statistics_receive(struct loom_statistics *s, const struct loom_message *message);
/* What this process has of its devices, mine[device of the fabric], as bytes for the same program
 * in another one, after the last cycle (the caller's; NULL: out of memory); and what another one
 * has.
 * False: it fits nothing, or out of memory. Of links, flows and routes. */
void *loom_statistics_pack(struct loom_statistics *s, const bool *mine, size_t *size);
bool loom_statistics_join(struct loom_statistics *s, const void *bytes, size_t size);
/* Packets whose cycles do not add up to their latency: never. */
uint64_t loom_statistics_wrong(const struct loom_statistics *s);
/* The lines of a file after the head, once, after `cycles` of a run: the caller's, not closed by
 * 0. NULL: out of memory, or it was once. */
char *loom_statistics_lines(struct loom_statistics *s, uint32_t file, uint64_t seed,
                            uint64_t cycles, size_t *size);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* times.h - how many flits each link brought in each interval of a run (docs/fabric.md) */
#ifndef LOOM_RUN_TIMES_H
#define LOOM_RUN_TIMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Of a link that brought something in an interval. */
struct loom_time {
  uint64_t begin, flits; /* first cycle of the interval; flits in it */
  uint32_t link;
};

struct loom_times {
  uint64_t *seen;         /* by link: flits until the end of the last interval */
  struct loom_time *time; /* in the order in which they were noted */
  size_t count, room;
};

/* For so many links. False: out of memory. */
bool loom_times_open(struct loom_times *t, uint32_t links);
void loom_times_free(struct loom_times *t);
/* At the end of the interval that began in `begin` a link has brought so many flits since the
 * first cycle of the run. False: out of memory. */
bool loom_times_note(struct loom_times *t, uint64_t begin, uint32_t link, uint64_t flits);

#endif

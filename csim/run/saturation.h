/* SPDX-License-Identifier: Apache-2.0 */
/* saturation.h - the search for the largest load that a fabric carries (docs/fabric.md, Sweeps) */
#ifndef LOOM_RUN_SATURATION_H
#define LOOM_RUN_SATURATION_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

/* A bisection of loads in rising order, by their numbers: if one is carried, so are those below. */
struct loom_saturation {
  uint32_t carried; /* the loads below this number are */
  uint32_t refused; /* those from this one on are not */
};

/* Nothing is known of any of `loads` loads. */
struct loom_saturation loom_saturation_begin(uint32_t loads);
/* Which load to look at next; false: found, `carried` and `refused` are one. */
bool loom_saturation_next(const struct loom_saturation *s, uint32_t *load);
/* What the look has shown. */
void loom_saturation_tell(struct loom_saturation *s, uint32_t load, bool carried);

/* Whether a fabric carried what it was offered, by its summary.json: it ran to its end, at least
 * 95 % of the load of each class was accepted, and the total latency of all did not grow. Else
 * `why` says in a few words what failed. */
enum { LOOM_SATURATION_WHY = 120 };
bool loom_saturation_carries(const json_t *summary, char why[LOOM_SATURATION_WHY]);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* latency.h - latencies: count, sum, extremes and a histogram of logarithmic bins (docs/traffic.md;
 * OP-22)
 */
#ifndef LOOM_TRAFFIC_LATENCY_H
#define LOOM_TRAFFIC_LATENCY_H

#include <stdint.h>

enum { LOOM_HISTOGRAM = 64 * 16 }; /* 16 bins to each power of two */

struct loom_latency {
  uint64_t count, sum, min, max; /* cycles */
  double squares;                /* sum of squares; exact below 2^53 */
  uint64_t bin[LOOM_HISTOGRAM];
};

/* The bin of a latency, and the largest latency of a bin. */
uint32_t loom_latency_bin(uint64_t cycles);
uint64_t loom_latency_bin_end(uint32_t bin);

void loom_latency_add(struct loom_latency *l, uint64_t cycles);
void loom_latency_merge(struct loom_latency *into, const struct loom_latency *from);

/* Cycles; 0: none counted. */
double loom_latency_mean(const struct loom_latency *l);

/* The latency that `part` (0..1) of all do not pass, to the upper end of its bin; 0: none counted.
 */
uint64_t loom_latency_quantile(const struct loom_latency *l, double part);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* sample.h - mean, deviation and confidence interval of values (docs/traffic.md; OP-22) */
#ifndef LOOM_TRAFFIC_SAMPLE_H
#define LOOM_TRAFFIC_SAMPLE_H

#include <stdint.h>

/* Values of one kind: one a seed, or one a batch of cycles. */
struct loom_sample {
  uint32_t count;
  double mean;
  double squares; /* sum of the squares of the deviations from the mean */
  double min, max;
};

void loom_sample_add(struct loom_sample *s, double value);
/* Standard deviation of the values (n - 1); 0 for fewer than two. */
double loom_sample_deviation(const struct loom_sample *s);
/* Half width of the 95 % confidence interval of the mean; 0 for fewer than two: there is none. */
double loom_sample_half(const struct loom_sample *s);
/* 0.975 quantile of Student's distribution, to 10^-4; freedom: 1.. */
double loom_student(uint32_t freedom);

#endif

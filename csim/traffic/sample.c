/* SPDX-License-Identifier: Apache-2.0 */
#include "traffic/sample.h"

/* Newton's way down from above: no mathematics library is needed. */
static double root(double x) {
  double r = 0;
  double next = x > 1 ? x : 1;
  if (x <= 0)
    return 0;
  do {
    r = next;
    next = (r + x / r) / 2;
  } while (next < r);
  return r;
}

/* Mean and squares are kept so that nothing cancels out (Welford). */
void loom_sample_add(struct loom_sample *s, double value) {
  double off = value - s->mean;
  s->min = s->count && s->min < value ? s->min : value;
  s->max = s->count && s->max > value ? s->max : value;
  s->count++;
  s->mean += off / s->count;
  s->squares += off * (value - s->mean);
}

double loom_sample_deviation(const struct loom_sample *s) {
  return s->count < 2 ? 0 : root(s->squares / (s->count - 1));
}

double loom_student(uint32_t freedom) {
  static const double quantile[] = {12.7062, 4.3027, 3.1824, 2.7764, 2.5706, 2.4469, 2.3646, 2.3060,
                                    2.2622,  2.2281, 2.2010, 2.1788, 2.1604, 2.1448, 2.1314, 2.1199,
                                    2.1098,  2.1009, 2.0930, 2.0860, 2.0796, 2.0739, 2.0687, 2.0639,
                                    2.0595,  2.0555, 2.0518, 2.0484, 2.0452, 2.0423};
  const double z = 1.959963985; /* of the normal distribution */
  const double n = freedom;
  if (freedom < 1)
    return 0;
  if (freedom <= sizeof quantile / sizeof quantile[0])
    return quantile[freedom - 1];
  /* Abramowitz and Stegun 26.7.5: below 10^-4 off from here on. */
  const double z3 = z * z * z;
  const double z5 = z3 * z * z;
  return z + (z3 + z) / (4 * n) + (5 * z5 + 16 * z3 + 3 * z) / (96 * n * n);
}

double loom_sample_half(const struct loom_sample *s) {
  return s->count < 2 ? 0 : loom_student(s->count - 1) * loom_sample_deviation(s) / root(s->count);
}

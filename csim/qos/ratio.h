/* SPDX-License-Identifier: Apache-2.0 */
/* ratio.h - quotients of whole numbers, rounded without floating point */
#ifndef LOOM_QOS_RATIO_H
#define LOOM_QOS_RATIO_H

#include <stdint.h>

/* scale * a / b in units of 10^-digits, rounded half up; 0 if b is 0. The caller keeps scale * a,
 * 20 * b and the result below 2^64. */
uint64_t loom_ratio(uint64_t a, uint64_t b, uint64_t scale, unsigned digits);

/* a / b rounded up, b > 0. */
uint64_t loom_ratio_up(uint64_t a, uint64_t b);

/* a / b rounded to the nearest whole number, half away from zero, b > 0. */
int64_t loom_ratio_round(int64_t a, int64_t b);

#endif

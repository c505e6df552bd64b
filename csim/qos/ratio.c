/* SPDX-License-Identifier: Apache-2.0 */
#include "qos/ratio.h"

uint64_t loom_ratio(uint64_t a, uint64_t b, uint64_t scale, unsigned digits) {
  if (!b)
    return 0;
  uint64_t whole = a * scale / b;
  uint64_t rest = a * scale % b;
  for (; digits; digits--) {
    whole = whole * 10 + rest * 10 / b;
    rest = rest * 10 % b;
  }
  return whole + (rest * 2 >= b);
}

uint64_t loom_ratio_up(uint64_t a, uint64_t b) { return a / b + (a % b != 0); }

int64_t loom_ratio_round(int64_t a, int64_t b) {
  int64_t magnitude = a < 0 ? -a : a;
  int64_t rounded = magnitude / b + (magnitude % b >= b - magnitude % b);
  return a < 0 ? -rounded : rounded;
}

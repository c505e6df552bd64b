/* SPDX-License-Identifier: Apache-2.0 */
#include "traffic/latency.h"

enum { FINE = 4, BINS = 1 << FINE }; /* bins to a power of two */

uint32_t loom_latency_bin(uint64_t cycles) {
  uint32_t log = 0;
  if (cycles < BINS)
    return (uint32_t)cycles;
  for (uint32_t step = 32; step; step /= 2)
    if (cycles >> (log + step))
      log += step;
  return (log - FINE + 1) * BINS + (uint32_t)(cycles >> (log - FINE) & (BINS - 1));
}

uint64_t loom_latency_bin_end(uint32_t bin) {
  if (bin < BINS)
    return bin;
  uint32_t shift = bin / BINS - 1;
  return ((UINT64_C(1) << shift) - 1) + ((uint64_t)(BINS + bin % BINS) << shift);
}

void loom_latency_add(struct loom_latency *l, uint64_t cycles) {
  l->min = l->count && l->min < cycles ? l->min : cycles;
  l->max = l->max > cycles ? l->max : cycles;
  l->count++;
  l->sum += cycles;
  l->squares += (double)cycles * (double)cycles;
  l->bin[loom_latency_bin(cycles)]++;
}

void loom_latency_merge(struct loom_latency *into, const struct loom_latency *from) {
  if (!from->count)
    return;
  into->min = into->count && into->min < from->min ? into->min : from->min;
  into->max = into->max > from->max ? into->max : from->max;
  into->count += from->count;
  into->sum += from->sum;
  into->squares += from->squares;
  for (uint32_t i = 0; i < LOOM_HISTOGRAM; i++)
    into->bin[i] += from->bin[i];
}

double loom_latency_mean(const struct loom_latency *l) {
  return l->count ? (double)l->sum / (double)l->count : 0;
}

/* part * count rounded up, 1..count; what is a rounding error above a whole number counts as it. */
static uint64_t rank_of(uint64_t count, double part) {
  double exact = part * (double)count * (1 - 1e-12);
  if (exact >= (double)count)
    return count;
  uint64_t rank = exact > 0 ? (uint64_t)exact : 0;
  rank += (double)rank < exact;
  return rank ? rank : 1;
}

uint64_t loom_latency_quantile(const struct loom_latency *l, double part) {
  if (!l->count)
    return 0;
  uint64_t rank = rank_of(l->count, part);
  uint64_t seen = 0;
  uint32_t bin = 0;
  for (; bin < LOOM_HISTOGRAM - 1; bin++) {
    seen += l->bin[bin];
    if (seen >= rank)
      break;
  }
  uint64_t end = loom_latency_bin_end(bin);
  return end < l->max ? end : l->max;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Bins, quantiles and sums of latencies (docs/traffic.md; OP-22). */
#include "tb/unit/unit.h"

#include <loom/random.h>
#include <stdlib.h>
#include <string.h>

#include "traffic/latency.h"

static void bins_follow_without_a_gap_and_are_at_most_a_sixteenth_wide(void **state) {
  (void)state;
  uint32_t last = 0;
  for (uint64_t v = 0; v < 100000; v++) {
    uint32_t bin = loom_latency_bin(v);
    uint64_t end = loom_latency_bin_end(bin);
    assert_true(bin == last || bin == last + 1);
    assert_true(end >= v && (end - v) * 16 <= v);
    assert_int_equal(loom_latency_bin(end), bin);
    assert_int_equal(loom_latency_bin(end + 1), bin + 1);
    assert_int_equal(v < 32, v < 32 && end == v);
    last = bin;
  }
  for (uint32_t k = 5; k < 64; k++) {
    uint64_t v = UINT64_C(1) << k;
    assert_int_equal(loom_latency_bin(v), (k - 3) * 16);
    assert_int_equal(loom_latency_bin(v - 1), (k - 3) * 16 - 1);
    assert_int_equal(loom_latency_bin_end((k - 3) * 16 - 1), v - 1);
    assert_int_equal(loom_latency_bin(v + v / 16 * 5), (k - 3) * 16 + 5);
  }
  assert_true(loom_latency_bin(UINT64_MAX) < LOOM_HISTOGRAM);
  assert_true(loom_latency_bin_end(loom_latency_bin(UINT64_MAX)) == UINT64_MAX);
}

static int by_value(const void *a, const void *b) {
  uint64_t x = *(const uint64_t *)a;
  uint64_t y = *(const uint64_t *)b;
  return (x > y) - (x < y);
}

/* At least the true quantile, at most 1/16 more, never above the largest. */
static void a_quantile_is_at_most_a_sixteenth_too_large(void **state) {
  (void)state;
  enum { N = 5000 };
  static const double parts[] = {0, 0.001, 0.07, 0.5, 0.9, 0.99, 0.999, 0.9999, 1};
  static const uint64_t ranks[] = {1, 5, 350, 2500, 4500, 4950, 4995, 5000, 5000};
  static uint64_t v[N];
  struct loom_latency *l = calloc(1, sizeof *l);
  uint64_t random = 4;
  assert_int_equal(loom_latency_quantile(l, 0.5), 0);
  assert_true(loom_latency_mean(l) == 0);
  for (uint32_t i = 0; i < N; i++) {
    v[i] = loom_random(&random) >> (40 + loom_below(&random, 16));
    loom_latency_add(l, v[i]);
  }
  /* Half of five is three of them. */
  struct loom_latency *five = calloc(1, sizeof *five);
  for (uint64_t i = 1; i <= 5; i++)
    loom_latency_add(five, i);
  assert_int_equal(loom_latency_quantile(five, 0.5), 3);
  assert_int_equal(loom_latency_quantile(five, 0.4), 2);
  assert_int_equal(loom_latency_quantile(five, 0.41), 3);
  free(five);
  qsort(v, N, sizeof *v, by_value);
  assert_int_equal(l->min, v[0]);
  assert_int_equal(l->max, v[N - 1]);
  for (unsigned i = 0; i < sizeof parts / sizeof *parts; i++) {
    uint64_t got = loom_latency_quantile(l, parts[i]);
    uint64_t want = v[ranks[i] - 1];
    assert_true(got >= want && (got - want) * 16 <= want && got <= l->max);
    assert_int_equal(loom_latency_bin(got), loom_latency_bin(want));
  }
  free(l);
}

static void merged_latencies_are_those_of_both_parts(void **state) {
  (void)state;
  struct loom_latency *part = calloc(4, sizeof *part); /* two parts, empty, both at once */
  uint64_t random = 4;
  for (uint32_t i = 0; i < 100; i++) {
    uint64_t v = loom_below(&random, 1000) + (i % 2 ? 0 : 5000);
    loom_latency_add(&part[i % 2], v);
    loom_latency_add(&part[3], v);
  }
  loom_latency_merge(&part[2], &part[0]);
  assert_memory_equal(&part[2], &part[0], sizeof *part);
  loom_latency_merge(&part[2], &part[1]);
  assert_memory_equal(&part[2], &part[3], sizeof *part);
  memset(&part[0], 0, sizeof *part);
  loom_latency_merge(&part[2], &part[0]);
  assert_memory_equal(&part[2], &part[3], sizeof *part);
  free(part);
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(bins_follow_without_a_gap_and_are_at_most_a_sixteenth_wide),
      cmocka_unit_test(a_quantile_is_at_most_a_sixteenth_too_large),
      cmocka_unit_test(merged_latencies_are_those_of_both_parts),
  };
  return UNIT_RUN("latency", tests, NULL, NULL);
}

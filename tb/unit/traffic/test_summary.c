/* SPDX-License-Identifier: Apache-2.0 */
/* Confidence intervals against known numbers; what several seeds say together (docs/traffic.md;
 * OP-22). */
#include "tb/unit/unit.h"

#include <stdlib.h>
#include <string.h>

#include "traffic/summary.h"

static void near(double got, double want, double off) {
  if (got < want - off || got > want + off)
    fail_msg("%.6f instead of %.6f", got, want);
}

static void confidence_intervals_follow_students_distribution(void **state) {
  (void)state;
  /* Quantiles of Student's distribution from tables. */
  static const struct {
    uint32_t freedom;
    double t;
  } known[] = {{1, 12.7062}, {2, 4.3027},   {4, 2.7764},   {9, 2.2622},    {29, 2.0452},
               {30, 2.0423}, {31, 2.03951}, {40, 2.02108}, {120, 1.97993}, {1000000, 1.95997}};
  for (unsigned i = 0; i < sizeof known / sizeof *known; i++)
    near(loom_student(known[i].freedom), known[i].t, 1e-4);
  /* What the series leaves out is positive. */
  for (unsigned i = 0; i < sizeof known / sizeof *known; i++)
    assert_true(loom_student(known[i].freedom) < known[i].t + 1e-5);
  for (uint32_t n = 1; n < 100; n++)
    assert_true(loom_student(n) > loom_student(n + 1));
  /* 2, 4, 4, 4, 5, 5, 7, 9: mean 5, squares 32, s = 2.13809, half 2.3646 s / sqrt 8 = 1.78748 */
  static const double v[] = {2, 4, 4, 4, 5, 5, 7, 9};
  struct loom_sample s = {0};
  assert_true(loom_sample_half(&s) == 0);
  for (unsigned i = 0; i < 8; i++) {
    loom_sample_add(&s, v[i] + 1e6);
    assert_true(i || (loom_sample_half(&s) == 0 && loom_sample_deviation(&s) == 0));
  }
  near(s.mean, 1e6 + 5, 1e-6);
  near(s.squares, 32, 1e-6);
  near(loom_sample_deviation(&s), 2.138090, 1e-6);
  near(loom_sample_half(&s), 1.787484, 1e-4);
  assert_true(s.min == 1e6 + 2 && s.max == 1e6 + 9);
  /* Equal values: no width. Tiny ones: no less exact. */
  struct loom_sample same = {0};
  struct loom_sample tiny = {0};
  for (unsigned i = 0; i < 8; i++) {
    loom_sample_add(&same, 0.25);
    loom_sample_add(&tiny, v[i] * 1e-9);
  }
  assert_true(loom_sample_half(&same) == 0);
  near(loom_sample_half(&tiny) * 1e9, 1.787484, 1e-4);
}

static void a_summary_says_what_all_seeds_say_together(void **state) {
  (void)state;
  struct loom_metrics *m = calloc(3, sizeof *m);
  struct loom_summary *s = loom_summary_create(2, 4);
  struct loom_experiment_result r = {.metrics = m, .measured = 100, .complete = true};
  static const uint64_t flits[] = {200, 240, 220};
  for (unsigned i = 0; i < 3; i++) {
    memset(m, 0, 3 * sizeof *m);
    m[0].offered = 400;
    m[0].flits = flits[i];
    for (unsigned k = 0; k < 100; k++)
      loom_latency_add(&m[0].total, 10 + i);
    if (i)
      loom_latency_add(&m[1].net, 7); /* of two seeds only */
    m[2] = m[0];
    r.replayed = i == 2 ? 0 : 1000 + 100 * i;
    r.outcome = i == 1 ? LOOM_OUTCOME_BUSY : LOOM_OUTCOME_DONE;
    loom_summary_add(s, &r);
  }
  r.outcome = LOOM_OUTCOME_STUCK; /* says nothing but that */
  r.complete = false;
  loom_summary_add(s, &r);
  assert_int_equal(s->outcome[LOOM_OUTCOME_DONE], 2);
  assert_int_equal(s->outcome[LOOM_OUTCOME_BUSY], 1);
  assert_int_equal(s->outcome[LOOM_OUTCOME_STUCK], 1);
  assert_int_equal(s->complete, 3);
  for (uint32_t class = 0; class <= 2; class += 2) {
    const struct loom_summary_class *c = &s->traffic_class[class];
    near(c->offered.mean, 1, 1e-12);
    near(c->accepted.mean, 0.55, 1e-12);
    near(loom_sample_half(&c->accepted), 4.3027 * 0.05 / 1.7320508, 1e-5);
    near(c->percent.mean, 55, 1e-9);
    near(c->total.mean.mean, 11, 1e-12);
    near(loom_sample_half(&c->total.mean), 4.3027 / 1.7320508, 1e-4);
    near(c->total.quantile[1].mean, 11, 1e-12);
    assert_int_equal(c->total.all.count, 300);
    assert_int_equal(c->total.all.bin[12], 100);
  }
  assert_int_equal(s->traffic_class[1].percent.count, 0);
  assert_int_equal(s->traffic_class[1].net.mean.count, 2);
  near(s->traffic_class[1].net.mean.mean, 7, 1e-12);
  assert_int_equal(s->replayed.count, 2);
  near(s->replayed.mean, 1050, 1e-9);
  near(loom_throughput(30, 10, 3), 1, 1e-12);
  assert_true(loom_throughput(0, 0, 3) == 0);
  loom_summary_destroy(s);
  free(m);
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(confidence_intervals_follow_students_distribution),
      cmocka_unit_test(a_summary_says_what_all_seeds_say_together),
  };
  return UNIT_RUN("summary", tests, NULL, NULL);
}

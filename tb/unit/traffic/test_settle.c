/* SPDX-License-Identifier: Apache-2.0 */
/* Whether a record over time has settled: against series whose answer is known
 * (docs/traffic.md, Has it settled?; OP-22). */
#include "tb/unit/unit.h"

#include "tb/unit/model_network.h"
#include "traffic/sample.h"
#include "traffic/settle.h"
#include "traffic/summary.h"
#include <loom/random.h>

/* ---- records --------------------------------------------------------------------------------- */

static void spans_follow_from_the_time_alone(void **state) {
  (void)state;
  for (uint64_t time = 1; time < 100000; time += 1 + time / 7) {
    struct loom_settle_record busy, calm;
    loom_settle_begin(&busy, 50);
    loom_settle_begin(&calm, 50);
    for (uint64_t now = 50; now < 50 + time; now++)
      loom_settle_received(&busy, now, &(struct loom_settle_span){.flits = now, .messages = 1});
    loom_settle_until(&busy, 50 + time);
    loom_settle_until(&calm, 50 + time);
    assert_int_equal(busy.length, calm.length);
    assert_int_equal(busy.spans, calm.spans);
    assert_int_equal(busy.spans, time / busy.length);
    assert_true(busy.spans < LOOM_SETTLE_SPANS);
    assert_true(time < LOOM_SETTLE_SPANS || busy.spans >= LOOM_SETTLE_SPANS / 2);
    for (uint32_t i = 0; i < busy.spans; i++) {
      uint64_t first = 50 + i * busy.length;
      assert_int_equal(busy.span[i].messages, busy.length);
      assert_int_equal(busy.span[i].flits,
                       busy.length * first + busy.length * (busy.length - 1) / 2);
    }
  }
}

static void records_of_the_same_times_are_added(void **state) {
  (void)state;
  struct loom_settle_record a, b, later;
  loom_settle_begin(&a, 0);
  loom_settle_begin(&b, 0);
  loom_settle_begin(&later, 1);
  for (uint64_t now = 0; now < 1000; now++) {
    loom_settle_received(&a, now, &(struct loom_settle_span){1, 2, 3, 4});
    loom_settle_received(&b, now, &(struct loom_settle_span){10, 20, 30, 40});
  }
  loom_settle_until(&a, 1000);
  loom_settle_until(&b, 1000);
  loom_settle_until(&later, 1001);
  assert_false(loom_settle_merge(&a, &later));
  assert_true(loom_settle_merge(&a, &b));
  for (uint32_t i = 0; i < a.spans; i++) {
    assert_int_equal(a.span[i].flits, 11 * a.length);
    assert_int_equal(a.span[i].messages, 22 * a.length);
    assert_int_equal(a.span[i].total, 33 * a.length);
    assert_int_equal(a.span[i].net, 44 * a.length);
  }
  loom_settle_until(&b, 2000);
  assert_false(loom_settle_merge(&a, &b));
}

/* ---- series ---------------------------------------------------------------------------------- */

enum { SPANS = 300 };

/* A record of so many spans, `value` flits in each. */
static void fill(struct loom_settle_record *r, const double value[SPANS]) {
  loom_settle_begin(r, 1000);
  r->length = 64;
  r->spans = SPANS;
  for (uint32_t i = 0; i < SPANS; i++)
    r->span[i] = (struct loom_settle_span){.flits = (uint64_t)(1e6 * value[i] + 0.5),
                                           .messages = 1000,
                                           .total = (uint64_t)(1e6 * value[i] + 0.5),
                                           .net = 1000000};
}

/* About normal, mean 0, deviation 1. */
static double noise(uint64_t *seed) {
  double sum = 0;
  for (unsigned i = 0; i < 12; i++)
    sum += (double)(loom_random(seed) >> 32) / 4294967296.0;
  return sum - 6;
}

/* Series of noise, one value depending on the one before by `keep`, around 1 + drift * x,
 * x = 0..1 over the record. How many of 200 are called stationary. */
static unsigned stationary_of(double deviation, double keep, double drift) {
  uint64_t seed = 42;
  unsigned found = 0;
  for (unsigned k = 0; k < 200; k++) {
    struct loom_settle_record r;
    double value[SPANS], last = 0;
    for (unsigned i = 0; i < SPANS; i++) {
      last = keep * last + deviation * noise(&seed);
      value[i] = 1 + last + drift * i / SPANS;
    }
    fill(&r, value);
    const struct loom_settle_verdict v = loom_settle_judge(&r, LOOM_SETTLE_ACCEPTED);
    assert_true(v.judged);
    found += v.stationary;
  }
  return found;
}

static void noise_is_stationary_and_what_grows_is_not(void **state) {
  (void)state;
  assert_int_equal(stationary_of(0, 0, 0), 200);
  assert_true(stationary_of(0.02, 0, 0) == 200); /* what it drifts is below 1 % */
  assert_true(stationary_of(0.3, 0, 0) >= 190);
  assert_true(stationary_of(0.1, 0.8, 0) >= 190);
  assert_true(stationary_of(0.1, 0.95, 0) >= 160); /* what it keeps for long looks like a drift */
  assert_int_equal(stationary_of(0, 0, 0.1), 0);
  assert_true(stationary_of(0.02, 0, 0.1) <= 4);
  assert_true(stationary_of(0.1, 0, 0.3) <= 20);
  assert_int_equal(stationary_of(0, 0, 0.03), 200); /* less than 1 % of the mean */
}

/* MSER-5 leaves out what is different at the beginning, to the group. */
static void what_is_left_out_ends_with_the_transient(void **state) {
  (void)state;
  for (unsigned out = 0; out <= 30; out += 5) {
    struct loom_settle_record r;
    double value[SPANS];
    for (unsigned i = 0; i < SPANS; i++)
      value[i] = i < 5 * out ? 0.5 : 1 + (i / 5 % 2 ? 0.001 : -0.001);
    fill(&r, value);
    const struct loom_settle_verdict v = loom_settle_judge(&r, LOOM_SETTLE_ACCEPTED);
    assert_true(v.judged);
    assert_int_equal(v.from, 1000 + 5 * 64 * (uint64_t)out);
    assert_int_equal(v.stationary, !out);
    double all = 1 - 0.5 * 5 * out / SPANS;
    assert_true(v.drift > 1 / all - 1 - 1e-4 && v.drift < 1 / all - 1 + 1e-4);
  }
}

static void batch_means_give_the_interval_of_what_is_kept(void **state) {
  (void)state;
  struct loom_settle_record r;
  struct loom_sample s = {0};
  double value[SPANS];
  for (unsigned i = 0; i < SPANS; i++)
    value[i] = i < 100 ? 2 : 1 + 0.01 * (i / 10 % 7);
  for (unsigned i = 0; i < 20; i++)
    loom_sample_add(&s, 1 + 0.01 * ((10 + i) % 7));
  fill(&r, value);
  const struct loom_settle_verdict v = loom_settle_judge(&r, LOOM_SETTLE_ACCEPTED);
  double want = loom_sample_half(&s) / s.mean;
  assert_int_equal(v.from, 1000 + 100 * 64);
  assert_true(v.within > want - 1e-6 && v.within < want + 1e-6);
}

static void each_quantity_is_judged_by_itself(void **state) {
  (void)state;
  struct loom_settle_record r;
  double value[SPANS];
  for (unsigned i = 0; i < SPANS; i++)
    value[i] = 1 + 0.5 * i / SPANS;
  fill(&r, value);
  assert_false(loom_settle_judge(&r, LOOM_SETTLE_ACCEPTED).stationary);
  assert_false(loom_settle_judge(&r, LOOM_SETTLE_TOTAL).stationary);
  assert_true(loom_settle_judge(&r, LOOM_SETTLE_NET).stationary);
}

static void too_little_is_not_judged(void **state) {
  (void)state;
  struct loom_settle_record r;
  double value[SPANS];
  for (unsigned i = 0; i < SPANS; i++)
    value[i] = 1;
  fill(&r, value);
  for (unsigned i = 150; i < 155; i++)
    r.span[i] = (struct loom_settle_span){0};
  assert_false(loom_settle_judge(&r, LOOM_SETTLE_TOTAL).judged); /* no latency there */
  assert_true(loom_settle_judge(&r, LOOM_SETTLE_ACCEPTED).judged);
  fill(&r, value);
  for (unsigned i = 0; i < 10; i++)
    r.span[i] = (struct loom_settle_span){0};
  const struct loom_settle_verdict late = loom_settle_judge(&r, LOOM_SETTLE_TOTAL);
  assert_true(late.judged && late.stationary); /* the first messages are on their way */
  assert_int_equal(late.from, 1000 + 10 * 64);
  r.spans = LOOM_SETTLE_LEAST - 1;
  assert_false(loom_settle_judge(&r, LOOM_SETTLE_ACCEPTED).judged);
  loom_settle_begin(&r, 0);
  loom_settle_until(&r, 10000);
  assert_false(loom_settle_judge(&r, LOOM_SETTLE_ACCEPTED).judged); /* nothing came at all */
}

/* ---- experiments ----------------------------------------------------------------------------- */

/* A model network with a server that is offered `load`, and what several seeds say. */
static struct loom_settle_verdict run_at(uint64_t load, enum loom_settle_quantity quantity) {
  struct loom_summary *s = loom_summary_create(2, 4);
  for (uint64_t seed = 1; seed <= 3; seed++) {
    struct model m = {.hosts = 4, .latency = 20, .serve = 10};
    struct loom_offer_cfg o = offer_of(4, LOOM_PROCESS_POISSON, 8, load);
    struct loom_experiment_cfg c = cfg_of(&o, 1);
    c.warmup = 2000;
    c.measure = 40000;
    c.drain = 100;
    c.seed = seed;
    loom_summary_add(s, run(&m, &c));
    model_free(&m);
  }
  const struct loom_settle_verdict v = loom_summary_settled(s, 0, quantity);
  const struct loom_settle_verdict all = loom_summary_settled(s, 2, quantity);
  assert_true(v.judged && all.judged && v.drift == all.drift); /* there is one class */
  loom_summary_destroy(s);
  return v;
}

static void a_queue_settles_below_the_rate_of_its_server_and_grows_above(void **state) {
  (void)state;
  assert_true(run_at(100000000, LOOM_SETTLE_ACCEPTED).stationary); /* 0.5 of the rate */
  assert_true(run_at(100000000, LOOM_SETTLE_TOTAL).stationary);
  assert_true(run_at(250000000, LOOM_SETTLE_ACCEPTED).stationary); /* the server is never idle */
  const struct loom_settle_verdict grows = run_at(250000000, LOOM_SETTLE_TOTAL);
  assert_false(grows.stationary);
  assert_true(grows.drift > 0.3);
}

/* The model with a server at half of its rate, or above it. */
static const struct loom_experiment_result *run_exact(struct model *m, uint64_t load, uint64_t seed,
                                                      uint64_t precision, uint64_t limit) {
  struct loom_offer_cfg o = offer_of(4, LOOM_PROCESS_POISSON, 8, load);
  struct loom_experiment_cfg c = cfg_of(&o, 1);
  *m = (struct model){.hosts = 4, .latency = 20, .serve = 10};
  c.warmup = 2000;
  c.measure = 2000;
  c.drain = 100;
  c.seed = seed;
  c.precision = precision;
  c.limit = limit;
  return run(m, &c);
}

static void a_measurement_goes_on_until_it_is_exact_enough(void **state) {
  (void)state;
  uint64_t before = 0;
  struct model m;
  for (uint64_t parts = 80000000; parts >= 5000000; parts /= 2) { /* 8 % .. 0.5 % */
    const struct loom_experiment_result *r = run_exact(&m, 100000000, 1, parts, 100000000);
    struct loom_settle_record all = r->metrics[2].window;
    assert_true(r->complete && r->measured >= before && r->measured < 100000000);
    assert_int_equal(all.spans, r->measured / all.length);
    for (unsigned q = 0; q < LOOM_SETTLE_QUANTITIES; q++) {
      const struct loom_settle_verdict v = loom_settle_judge(&all, q);
      assert_true(v.judged && v.stationary && v.within <= (double)parts / 1e9);
    }
    before = r->measured;
    model_free(&m);
  }
  assert_true(before > 100000); /* errors fall with the root of the time */
}

static void a_measurement_ends_at_its_limit(void **state) {
  (void)state;
  struct model m;
  /* Above the rate of the server the latency never comes to rest. */
  assert_int_equal(run_exact(&m, 250000000, 1, 500000000, 30001)->measured, 30001);
  model_free(&m);
  assert_int_equal(run_exact(&m, 100000000, 1, 100000, 2000)->measured, 2000);
  model_free(&m);
}

static void of_seeds_that_were_measured_for_different_times_the_worst_one_is_told(void **state) {
  (void)state;
  struct loom_summary *s = loom_summary_create(2, 4);
  struct loom_settle_verdict worst = {0};
  uint64_t first = 0, differ = 0;
  for (uint64_t seed = 1; seed <= 4; seed++) {
    struct model m;
    const struct loom_experiment_result *r = run_exact(&m, 100000000, seed, 10000000, 100000000);
    const struct loom_settle_verdict v =
        loom_settle_judge(&r->metrics[0].window, LOOM_SETTLE_TOTAL);
    worst.within = v.within > worst.within ? v.within : worst.within;
    first = first ? first : r->measured;
    differ += r->measured != first;
    loom_summary_add(s, r);
    model_free(&m);
  }
  const struct loom_settle_verdict told = loom_summary_settled(s, 0, LOOM_SETTLE_TOTAL);
  assert_true(differ && told.judged && told.stationary && told.within == worst.within);
  struct model m;
  loom_summary_add(s, run_exact(&m, 250000000, 1, 10000000, 40000));
  model_free(&m);
  assert_false(loom_summary_settled(s, 0, LOOM_SETTLE_TOTAL).stationary);
  assert_true(loom_summary_settled(s, 0, LOOM_SETTLE_ACCEPTED).stationary);
  loom_summary_destroy(s);
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(spans_follow_from_the_time_alone),
      cmocka_unit_test(records_of_the_same_times_are_added),
      cmocka_unit_test(noise_is_stationary_and_what_grows_is_not),
      cmocka_unit_test(what_is_left_out_ends_with_the_transient),
      cmocka_unit_test(batch_means_give_the_interval_of_what_is_kept),
      cmocka_unit_test(each_quantity_is_judged_by_itself),
      cmocka_unit_test(too_little_is_not_judged),
      cmocka_unit_test(a_queue_settles_below_the_rate_of_its_server_and_grows_above),
      cmocka_unit_test(a_measurement_goes_on_until_it_is_exact_enough),
      cmocka_unit_test(a_measurement_ends_at_its_limit),
      cmocka_unit_test(of_seeds_that_were_measured_for_different_times_the_worst_one_is_told),
  };
  return UNIT_RUN("settle", tests, NULL, NULL);
}

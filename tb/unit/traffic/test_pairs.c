/* SPDX-License-Identifier: Apache-2.0 */
/* What is counted: of pairs of hosts and of classes (docs/fabric.md, docs/traffic.md; OP-22). */
#include "tb/unit/unit.h"

#include "traffic/measure.h"
#include "traffic/pairs.h"

enum { HOSTS = 30 };

/* More pairs than the first table has room for, of packets without latencies, in no order. */
static void no_pair_is_lost_when_the_table_grows(void **state) {
  (void)state;
  struct loom_pairs p = {.room = 0};
  for (uint32_t n = 0; n < HOSTS * HOSTS; n++) {
    uint32_t i = n * 7 % (HOSTS * HOSTS);
    for (uint32_t times = 0; times <= i % 3; times++)
      assert_true(loom_pairs_count(&p, i / HOSTS, i % HOSTS, i % 2));
  }
  assert_int_equal(p.count, HOSTS * HOSTS);
  loom_pairs_sort(&p);
  for (uint32_t i = 0; i < HOSTS * HOSTS; i++) {
    assert_int_equal(p.pair[i].src, i / HOSTS);
    assert_int_equal(p.pair[i].dst, i % HOSTS);
    assert_int_equal(p.pair[i].traffic_class, i % 2);
    assert_int_equal(p.pair[i].packets, 1 + i % 3);
  }
  loom_pairs_free(&p);
  assert_null(p.pair);
  assert_int_equal(p.count + p.room, 0);
}

static void classes_of_a_pair_are_counted_apart_and_in_order(void **state) {
  (void)state;
  struct loom_pairs p = {.room = 0};
  for (uint32_t class = 3; class -- > 0;)
    assert_true(loom_pairs_add(&p,
                               &(struct loom_message){.src = 5,
                                                      .dst = 4,
                                                      .traffic_class = (uint8_t) class,
                                                      .flits = 8 + class,
                                                      .injected = 2,
                                                      .received = 10 + class},
                               2));
  loom_pairs_sort(&p);
  for (uint32_t class = 0; class < 3; class ++) {
    assert_int_equal(p.pair[class].traffic_class, class);
    assert_int_equal(p.pair[class].flits, 8 + class);
    assert_int_equal(p.pair[class].total_max, 10 + class);
    assert_int_equal(p.pair[class].net_sum, 8 + class);
  }
  loom_pairs_free(&p);
}

/* DT-10: each packet of a train counts for the class of its message, and for all. */
static void packets_count_for_their_class_and_for_all(void **state) {
  (void)state;
  struct loom_measure m;
  const struct loom_message message = {.traffic_class = 1, .mark = 0, .generated = 10};
  assert_true(loom_measure_open(&m, 2, 4, 0));
  loom_measure_packet(&m, &message, 12, 20); /* before it begins: not counted */
  loom_measure_start(&m, 15);
  loom_measure_packet(&m, &message, 12, 20);
  loom_measure_packet(&m, &message, 13, 30);
  loom_measure_end(&m, 40);
  const struct loom_metrics *of = m.metrics;
  assert_int_equal(of[0].packet_total.count, 0);
  for (uint32_t class = 1; class <= 2; class ++) {
    assert_int_equal(of[class].packet_total.count, 2);
    assert_int_equal(of[class].packet_total.sum, 10 + 20);
    assert_int_equal(of[class].packet_net.sum, 8 + 17);
  }
  loom_measure_close(&m);
}

/* The last row is of the rest: 25 cycles are two intervals and a half, also where nothing came. */
static void a_series_has_a_row_of_each_interval_up_to_the_end(void **state) {
  (void)state;
  static const uint64_t end[] = {10, 20, 25};
  struct loom_measure m;
  assert_true(loom_measure_open(&m, 1, 4, 10));
  loom_measure_end(&m, 25);
  assert_int_equal(m.rows, 3);
  for (uint32_t i = 0; i < 3; i++)
    assert_int_equal(m.row[i].cycle, end[i]);
  loom_measure_close(&m);
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(no_pair_is_lost_when_the_table_grows),
      cmocka_unit_test(classes_of_a_pair_are_counted_apart_and_in_order),
      cmocka_unit_test(packets_count_for_their_class_and_for_all),
      cmocka_unit_test(a_series_has_a_row_of_each_interval_up_to_the_end),
  };
  return UNIT_RUN("pairs", tests, NULL, NULL);
}

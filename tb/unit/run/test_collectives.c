/* SPDX-License-Identifier: Apache-2.0 */
/* Collectives as traffic of a fabric file (docs/fabric.md, Collectives; E5-28..32, E5-40): all give
 * the right results, also over cables that fail and err, and each is as fast as its way allows. */
#include "tb/unit/unit.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>

#include "tb/unit/run_bench.h"

#define HEAD(topology)                                                                             \
  "---\nname: c\ntopology: {" topology "}\nswitch: {kind: elite5}\n"                               \
  "classes: [{name: A, sl: 0, mtu: 256}, {name: B, sl: 1, mtu: 256}]\n"
#define TREE HEAD("kind: tree, k: 4, n: 2")
#define RUN_OF(measure) "run: {warmup: 0, measure: " measure ", drain: 100000, interval: 0}\n...\n"
#define ALL                                                                                        \
  "  - {class: B, kind: barrier}\n"                                                                \
  "  - {class: B, kind: barrier, algorithm: events, arity: 3, skew: 300}\n"                        \
  "  - {class: B, kind: broadcast, size: 1000}\n"                                                  \
  "  - {class: B, kind: broadcast, algorithm: adapters, size: 1000, arity: 2}\n"                   \
  "  - {class: B, kind: reduction, size: 320, arity: 5, gap: 50, skew: 50}\n"                      \
  "  - {class: B, kind: gather, size: 40, arity: 3, skew: 50}\n"                                   \
  "  - {class: B, kind: reduction, size: 24, jobs: 3, tasks: 5, mapping: random, trees: 4}\n"      \
  "  - {class: B, kind: broadcast, size: 9000, jobs: 2, trees: any, mapping: random}\n"            \
  "  - {class: B, kind: gather, size: 8, tasks: 2}\n"
enum { KINDS = 9 };

static const json_t *collective(const json_t *root, size_t number) {
  const json_t *list = json_object_get(root, "collectives");
  assert_true(number < json_array_size(list));
  return json_array_get(list, number);
}

static uint64_t count(const json_t *root, size_t number, const char *key) {
  return (uint64_t)json_integer_value(json_object_get(collective(root, number), key));
}

/* ---- right ----------------------------------------------------------------------------------- */

static void expect_all(const char *text, uint64_t least) {
  json_t *root = delivered_by(text);
  assert_int_equal(json_integer_value(json_object_get(root, "stray")), 0);
  assert_int_equal(json_array_size(json_object_get(root, "collectives")), KINDS);
  for (size_t i = 0; i < KINDS; i++)
    assert_true(count(root, i, "over") >= least);
  json_decref(root);
}

static void all_collectives_are_right_side_by_side(void **state) {
  (void)state;
  expect_all(TREE "traffic:\n" ALL RUN_OF("20000"), 9);
  expect_all(HEAD("kind: qsnet3, nodes: 32, links: 2") "traffic:\n" ALL RUN_OF("10000"), 5);
  expect_all(HEAD("kind: qsnet3, nodes: 32, rails: 2") "traffic:\n" ALL RUN_OF("10000"), 6);
}

#define CUTS                                                                                       \
  "faults:\n  - {at: 3000, what: cut, link: S0-0/5}\n  - {at: 5000, what: cut, switch: S1-1}\n"    \
  "  - {at: 9000, what: join, link: S0-0/5}\n  - {at: 12000, what: join, switch: S1-1}\n"

static void all_collectives_are_right_beside_messages_and_over_bad_cables(void **state) {
  (void)state;
  static const char *const cures[] = {"links", "tables"};
  for (size_t i = 0; i < 2; i++) {
    char text[2500];
    snprintf(text, sizeof text,
             TREE "link: {bit_errors: 0.0001}\n"
                  "traffic:\n  - {class: A, pattern: uniform, size: 512, load: 0.2}\n" ALL CUTS
                  "management: {cure: %s, delay: 500}\n" RUN_OF("20000"),
             cures[i]);
    expect_all(text, 2);
  }
}

static void as_many_as_were_asked_for_are_done(void **state) {
  (void)state;
  json_t *root = delivered_by(
      TREE "traffic: [{class: A, kind: barrier, messages: 7, skew: 1000},\n"
           "  {class: B, kind: reduction, size: 8, messages: 5, jobs: 4}]\n" RUN_OF("20000"));
  assert_int_equal(count(root, 0, "over"), 7);
  assert_true(count(root, 0, "polls") > 14);
  assert_int_equal(count(root, 1, "over"), 4 * 5);
  json_decref(root);
}

/* ---- fast ------------------------------------------------------------------------------------ */

static json_t *run_of(const char *topology, const char *entry) {
  char text[1000];
  snprintf(text, sizeof text, HEAD("%s") "traffic: [{class: A, %s}]\n" RUN_OF("20000"), topology,
           entry);
  return delivered_by(text);
}

static double mean_latency(const char *topology, const char *entry, const char *which) {
  json_t *root = run_of(topology, entry);
  double mean = mean_of(json_object_get(root, "all"), which);
  json_decref(root);
  return mean;
}

#define TREE3 "kind: tree, k: 4, n: 3"

/* Data go to all in much the same time as to one (Q-IV). */
static void routers_are_faster_than_adapters_that_store_and_forward(void **state) {
  (void)state;
  double one = mean_latency(TREE3, "pattern: shift, size: 1024, load: 0.01", "net_mean");
  double routers = mean_latency(TREE3, "kind: broadcast, size: 1016", "net_mean");
  double adapters =
      mean_latency(TREE3, "kind: broadcast, algorithm: adapters, size: 1016", "net_mean");
  assert_true(routers < 1.5 * one);
  assert_true(adapters > 3 * routers);
}

/* Events wait; conditionals ask again and again (E5-32). */
static void only_polls_cost_packets_while_members_are_late(void **state) {
  (void)state;
  json_t *poll = run_of(TREE3, "kind: barrier, skew: 2000, messages: 5");
  json_t *events = run_of(TREE3, "kind: barrier, algorithm: events, skew: 2000, messages: 5");
  assert_true(count(poll, 0, "polls") > 6 * 5);
  assert_int_equal(count(events, 0, "polls"), 0);
  assert_true(mean_of(json_object_get(poll, "all"), "net_mean") < 250);
  assert_true(mean_of(json_object_get(events, "all"), "net_mean") < 250);
  assert_true(mean_of(json_object_get(poll, "all"), "total_mean") > 1500);
  json_decref(poll);
  json_decref(events);
}

/* Q-VII. */
static void jobs_on_trees_of_their_own_do_not_hold_each_other_up(void **state) {
  (void)state;
#define JOBS "kind: barrier, jobs: 16, mapping: random, trees: "
  double one = mean_latency(TREE3, JOBS "1", "net_mean");
  double many = mean_latency(TREE3, JOBS "16", "net_mean");
  double any = mean_latency(TREE3, JOBS "any", "net_mean");
  assert_true(one > 2 * many && one > 2 * any);
}

/* A word a cycle for each child. */
static void sums_take_a_cycle_a_word(void **state) {
  (void)state;
#define SUM(size) "kind: reduction, tasks: 2, size: " size
  double few = mean_latency(TREE3, SUM("64"), "net_mean");
  double more = mean_latency(TREE3, SUM("128"), "net_mean");
  /* 8 words more: on the way up, in the sum, on the way down. */
  assert_in_range((uint64_t)(more - few), 24, 28);
}

/* ---- refused --------------------------------------------------------------------------------- */

static void what_cannot_be_is_refused(void **state) {
  (void)state;
  static const struct {
    const char *entry, *why;
  } cases[] = {
      {"kind: dance", "traffic[0].kind: `dance` is none of messages, barrier, broadcast"},
      {"size: 8, load: 1", "traffic[0].pattern: missing key"},
      {"pattern: uniform, size: 8, load: 1, jobs: 2",
       "traffic[0].jobs: means nothing for kind messages"},
      {"kind: barrier, pattern: uniform", "traffic[0].pattern: means nothing for kind barrier"},
      {"kind: barrier, load: 1", "traffic[0].load: means nothing for kind barrier"},
      {"kind: barrier, size: 8", "traffic[0].size: means nothing for kind barrier"},
      {"kind: barrier, arity: 3", "traffic[0].arity: means nothing for algorithm poll"},
      {"kind: barrier, algorithm: routers", "`routers` is none of poll, events"},
      {"kind: gather, size: 8, algorithm: poll",
       "traffic[0].algorithm: means nothing for kind gather"},
      {"kind: gather, size: 8, trees: 2", "means nothing where routers copy nothing"},
      {"kind: gather", "traffic[0].size: missing key"},
      {"kind: broadcast, size: 8, skew: 4", "traffic[0].skew: means nothing for kind broadcast"},
      {"kind: barrier, trees: 65", "traffic[0].trees: 65 is outside 1..64"},
      {"kind: barrier, jobs: 9", "traffic: 9 jobs of a barrier with 1 tasks each cannot be on 16"},
      {"kind: barrier, tasks: 9, jobs: 2", "traffic: 2 jobs of a barrier with 9 tasks each"},
      {"kind: barrier, gap: 20000", "run.watchdog: is not more than gap and skew of a barrier"},
      {"kind: gather, size: 1048576, arity: 64", "traffic: collectives need 16777344 bytes"}};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    char text[1000];
    snprintf(text, sizeof text, TREE "traffic: [{class: A, %s}]\n" RUN_OF("100"), cases[i].entry);
    write_file("bad.yaml", text);
    assert_says(cases[i].why, "run @", in_folder("bad.yaml"), "");
  }
}

static void only_elite5_has_collectives(void **state) {
  (void)state;
  write_file("ib.yaml",
             "---\nname: i\ntopology: {kind: tree, k: 2, n: 2}\nswitch: {kind: ib, scheduler: rr}\n"
             "classes: [{name: A, sl: 0, vl: 0, mtu: 256}]\n"
             "traffic: [{class: A, kind: barrier}]\n" RUN_OF("100"));
  assert_says("traffic[0].kind: only elite5 and crosspoint have it", "run @", in_folder("ib.yaml"),
              "");
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(all_collectives_are_right_side_by_side),
      cmocka_unit_test(all_collectives_are_right_beside_messages_and_over_bad_cables),
      cmocka_unit_test(as_many_as_were_asked_for_are_done),
      cmocka_unit_test(routers_are_faster_than_adapters_that_store_and_forward),
      cmocka_unit_test(only_polls_cost_packets_while_members_are_late),
      cmocka_unit_test(jobs_on_trees_of_their_own_do_not_hold_each_other_up),
      cmocka_unit_test(sums_take_a_cycle_a_word),
      cmocka_unit_test(what_cannot_be_is_refused),
      cmocka_unit_test(only_elite5_has_collectives),
  };
  return UNIT_RUN("collectives", tests, make_folder, remove_folder);
}

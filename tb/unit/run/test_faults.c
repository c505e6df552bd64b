/* SPDX-License-Identifier: Apache-2.0 */
/* Faults of a fabric file (docs/fabric.md, Faults; E5-24, E5-26): cables that are cut and joined
 * lose nothing, cures end the refusals, and all is told in the summary. */
#include "tb/unit/unit.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tb/unit/run_bench.h"

/* 16 nodes, 4 leaves; all choices are made at random, so a quarter of all ways lead to each top. */
#define TREE                                                                                       \
  "---\nname: faults\ntopology: {kind: tree, k: 4, n: 2}\n"                                        \
  "switch: {kind: elite5, choice: oblivious}\nclasses: [{name: A, sl: 0, mtu: 64}]\n"
#define CUT "{at: 3000, what: cut, link: S0-0/5}"
#define RUN_OF(measure)                                                                            \
  "run: {warmup: 0, measure: " measure ", drain: 50000, interval: 1000}\n...\n"

static json_t *run_text(const char *text) {
  write_file("faults.yaml", text);
  json_t *root = json_of("run --json @", in_folder("faults.yaml"), "");
  assert_delivered(root);
  return root;
}

static uint64_t count(const json_t *root, const char *key) {
  const json_t *run = json_array_get(json_object_get(root, "runs"), 0);
  return (uint64_t)json_integer_value(json_object_get(run, key));
}

static uint64_t nacks_of(const char *text) {
  json_t *root = run_text(text);
  uint64_t nacks = count(root, "nacks");
  json_decref(root);
  return nacks;
}

#define UNIFORM "traffic: [{class: A, pattern: uniform, size: 64, load: 0.1}]\n"

static void a_cut_cable_refuses_packets_until_it_is_cured(void **state) {
  (void)state;
  uint64_t none = nacks_of(TREE UNIFORM "faults: [" CUT "]\n" RUN_OF("30000"));
  uint64_t links = nacks_of(TREE UNIFORM "faults: [" CUT "]\n"
                                         "management: {cure: links, delay: 500}\n" RUN_OF("30000"));
  uint64_t tables =
      nacks_of(TREE UNIFORM "faults: [" CUT "]\n"
                            "management: {cure: tables, delay: 500}\n" RUN_OF("30000"));
  uint64_t joined = nacks_of(TREE UNIFORM "faults: [" CUT ", {at: 3500, what: join, "
                                          "link: S0-0/5}]\n" RUN_OF("30000"));
  assert_true(none > 200);
  assert_in_range(links, 1, none / 10);
  assert_in_range(tables, 1, none / 10);
  assert_in_range(joined, 1, none / 10);
  assert_int_equal(nacks_of(TREE UNIFORM RUN_OF("30000")), 0);
}

static void a_cure_is_undone_when_the_cable_is_back(void **state) {
  (void)state;
  static const char *const cures[] = {"links", "tables"};
  for (size_t i = 0; i < 2; i++) {
    char text[1500];
    snprintf(text, sizeof text,
             TREE UNIFORM "faults:\n  - {at: 2000, what: cut, switch: S1-2}\n"
                          "  - {at: 9000, what: join, switch: S1-2}\n"
                          "  - {at: 20000, what: cut, switch: S1-0}\n"
                          "  - {at: 20000, what: cut, switch: S1-1}\n"
                          "  - {at: 20000, what: cut, switch: S1-3}\n"
                          "management: {cure: %s, delay: 300}\n" RUN_OF("30000"),
             cures[i]);
    /* In the end all goes over S1-2, or nothing would arrive. */
    json_t *root = run_text(text);
    json_decref(root);
  }
}

static void events_stand_in_the_summary_in_order(void **state) {
  (void)state;
  static const struct {
    int cycle;
    const char *what, *where;
  } wanted[] = {{1000, "cut", "S1-2"},     {1500, "errors", "S0-1/5"}, {2000, "join", "S1-2"},
                {4000, "cut", "S0-0/5"},   {4000, "tables", "S1-2"},   {5000, "tables", "S1-2"},
                {7000, "tables", "S0-0/5"}};
  json_t *root = run_text(TREE UNIFORM "faults:\n  - {at: 4000, what: cut, link: S0-0/5}\n"
                                       "  - {at: 1000, what: cut, switch: S1-2}\n"
                                       "  - {at: 2000, what: join, switch: S1-2}\n"
                                       "  - {at: 1500, what: errors, link: S0-1/5, chance: 0}\n"
                                       "management: {cure: tables, delay: 3000}\n" RUN_OF("6000"));
  const json_t *events = json_object_get(root, "events");
  assert_int_equal(json_array_size(events), sizeof wanted / sizeof wanted[0]);
  for (size_t i = 0; i < sizeof wanted / sizeof wanted[0]; i++) {
    const json_t *e = json_array_get(events, i);
    assert_int_equal(json_integer_value(json_object_get(e, "cycle")), wanted[i].cycle);
    assert_string_equal(json_string_value(json_object_get(e, "what")), wanted[i].what);
    assert_string_equal(json_string_value(json_object_get(e, "where")), wanted[i].where);
  }
  json_decref(root);
}

/* The only cable of node 15, while nothing moves: what it is sent waits until the cable is back, as
 * if the run had not leapt over the idle time. */
static void faults_of_idle_times_are_not_leapt_over(void **state) {
  (void)state;
  static const char format[] =
      TREE "traffic: [{class: A, pattern: file, file: to-15.perm, size: 64, load: 0.0002}]\n"
           "faults:\n  - {at: %s, what: cut, link: S0-3/4}\n"
           "  - {at: %s, what: join, link: S0-3/4}\n" RUN_OF("400000");
  char text[1500];
  double most[2];
  write_file("to-15.perm", "# pairs: 1\n0 15\n");
  for (size_t i = 0; i < 2; i++) {
    snprintf(text, sizeof text, format, "1000", i ? "200000" : "1001");
    json_t *root = run_text(text);
    const json_t *class = json_array_get(json_object_get(root, "classes"), 0);
    most[i] = json_number_value(json_object_get(class, "total_max"));
    assert_true(mean_of(class, "accepted") > 0);
    json_decref(root);
  }
  assert_true(most[0] < 1000);
  assert_true(most[1] > 100000);
}

static void wrong_places_are_refused(void **state) {
  (void)state;
  write_file("faults.yaml",
             TREE UNIFORM "faults: [{at: 0, what: cut, link: S0-0/9}]\n" RUN_OF("9"));
  assert_says("faults.yaml:7: faults: there is no cable at S0-0/9", "run @",
              in_folder("faults.yaml"), "");
  write_file("faults.yaml", TREE UNIFORM "faults: [{at: 0, what: cut, switch: H0}]\n" RUN_OF("9"));
  assert_says("faults.yaml:7: faults: no switch is called `H0`", "run @", in_folder("faults.yaml"),
              "");
}

static void runs_with_faults_give_the_same_bits_and_are_drawn(void **state) {
  (void)state;
  write_file("faults.yaml",
             TREE UNIFORM "faults: [" CUT "]\nmanagement: {cure: tables}\n" RUN_OF("20000"));
  assert_run(0, "run @ --seeds 3 --jobs 1 -o @", in_folder("faults.yaml"), in_folder("f1"));
  assert_run(0, "run @ --seeds 3 --jobs 3 -o @", in_folder("faults.yaml"), in_folder("f2"));
  assert_same_file("f1/summary.json", "f2/summary.json");
  assert_same_file("f1/series.csv", "f2/series.csv");
  assert_run(0, "plot @", in_folder("f1"), "");
  char *svg = read_file(in_folder("f1/plots/throughput.svg"));
  assert_non_null(svg);
  assert_non_null(strstr(svg, "cut S0-0/5"));
  assert_non_null(strstr(svg, "tables S0-0/5"));
  free(svg);
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_cut_cable_refuses_packets_until_it_is_cured),
      cmocka_unit_test(a_cure_is_undone_when_the_cable_is_back),
      cmocka_unit_test(events_stand_in_the_summary_in_order),
      cmocka_unit_test(faults_of_idle_times_are_not_leapt_over),
      cmocka_unit_test(wrong_places_are_refused),
      cmocka_unit_test(runs_with_faults_give_the_same_bits_and_are_drawn),
  };
  return UNIT_RUN("faults", tests, make_folder, remove_folder);
}

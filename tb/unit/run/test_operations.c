/* SPDX-License-Identifier: Apache-2.0 */
/* Operations of an Elan5 as traffic of a fabric file (docs/fabric.md, Elite5; E5-14, E5-24, E5-31,
 * E5-46): all of them arrive and happen once, also over cables that fail and err. */
#include "tb/unit/unit.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tb/unit/run_bench.h"

#define HEAD(topology)                                                                             \
  "---\nname: o\ntopology: {" topology "}\nswitch: {kind: elite5}\n"                               \
  "classes: [{name: A, sl: 0, mtu: 256}, {name: B, sl: 1, mtu: 256}]\n"
#define TREE HEAD("kind: tree, k: 4, n: 2")
#define ALL                                                                                        \
  "traffic:\n"                                                                                     \
  "  - {class: A, operation: put, pattern: uniform, size: 512, load: 0.2}\n"                       \
  "  - {class: A, operation: get, pattern: uniform, size: 512, load: 0.2}\n"                       \
  "  - {class: B, operation: queue, pattern: uniform, size: 64, load: 0.1}\n"                      \
  "  - {class: B, operation: event, pattern: uniform, load: 0.02}\n"                               \
  "  - {class: B, operation: conditional, pattern: uniform, load: 0.02}\n"
#define RUN_OF(measure) "run: {warmup: 0, measure: " measure ", drain: 100000, interval: 0}\n...\n"

static uint64_t count(const json_t *root, const char *key) {
  const json_t *first = json_array_get(json_object_get(root, "runs"), 0);
  return (uint64_t)json_integer_value(json_object_get(first, key));
}

static void all_operations_happen_once_over_cables_that_fail_and_err(void **state) {
  (void)state;
  json_t *root = delivered_by(TREE "link: {bit_errors: 0.0001}\n" ALL
                                   "faults:\n  - {at: 5000, what: cut, link: S0-0/5}\n"
                                   "  - {at: 8000, what: join, link: S0-0/5}\n" RUN_OF("10000"));
  assert_true(count(root, "nacks") > 100);
  assert_true(count(root, "received") > 1000);
  assert_int_equal(count(root, "stray"), 0);
  json_decref(root);
}

static void a_slow_program_refuses_messages_and_loses_none(void **state) {
  (void)state;
#define QUEUES "traffic: [{class: B, operation: queue, pattern: uniform, size: 64, load: 0.1}]\n"
  json_t *fast = delivered_by(TREE QUEUES RUN_OF("10000"));
  json_t *slow = delivered_by(TREE "host: {queue: 2, take: 100}\n" QUEUES RUN_OF("10000"));
  assert_int_equal(count(fast, "nacks"), 0);
  assert_true(count(slow, "nacks") > 100);
  json_decref(fast);
  json_decref(slow);
}

/* All go there and back: of a queue write a reply comes back, of a get a packet with the data. */
static double latency_of(const char *operation) {
  char text[1000];
  snprintf(text, sizeof text,
           TREE
           "traffic: [{class: A, operation: %s, pattern: shift, size: 64, load: 0.01}]\n" RUN_OF(
               "10000"),
           operation);
  json_t *root = delivered_by(text);
  double mean = mean_of(json_object_get(root, "all"), "net_mean");
  json_decref(root);
  return mean;
}

static void a_get_brings_its_data_back_and_a_put_waits_for_the_memory(void **state) {
  (void)state;
  double queue = latency_of("queue"), get = latency_of("get"), put = latency_of("put");
  assert_true(get > queue + 8);
  assert_true(put > queue + 100); /* E5-15 */
}

/* A load of 1 fills one link; with two there is room for twice as much. */
static double accepted_over(const char *topology) {
  char text[1000];
  snprintf(text, sizeof text,
           HEAD("%s") "traffic: [{class: A, pattern: bisection, size: 1024, load: 2}]\n"
                      "run: {warmup: 2000, measure: 10000, drain: 1, interval: 0}\n...\n",
           topology);
  write_file("links.yaml", text);
  struct outcome o = run("run --json @", in_folder("links.yaml"), "");
  json_t *root = json_loads(o.out, 0, NULL);
  assert_non_null(root);
  double mean = mean_of(json_object_get(root, "all"), "accepted");
  drop(&o);
  json_decref(root);
  return mean;
}

static void more_links_of_a_node_carry_as_much_more_in_a_fabric_file(void **state) {
  (void)state;
  double one = accepted_over("kind: qsnet3, nodes: 32");
  static const char *const two[] = {"kind: qsnet3, nodes: 32, links: 2",
                                    "kind: qsnet3, nodes: 32, links: 2, spread: true",
                                    "kind: qsnet3, nodes: 32, rails: 2"};
  assert_true(one > 0.8 && one < 1);
  for (size_t i = 0; i < sizeof two / sizeof two[0]; i++)
    assert_true(accepted_over(two[i]) > 1.75 * one);
}

/* Node 0 has four links, two to each of two leaves, node 1 has two, the others one. */
static const char mixed[] =
    "Hca 4 \"H0\"\n[1] \"L0\"[1]\n[2] \"L0\"[2]\n[3] \"L1\"[1]\n[4] \"L1\"[2]\n\n"
    "Hca 2 \"H1\"\n[1] \"L0\"[3]\n[2] \"L0\"[4]\n\nHca 1 \"H2\"\n[1] \"L0\"[5]\n\n"
    "Hca 1 \"H3\"\n[1] \"L1\"[3]\n\nHca 1 \"H4\"\n[1] \"L1\"[4]\n\n"
    "Switch 9 \"L0\"\n[1] \"H0\"[1]\n[2] \"H0\"[2]\n[3] \"H1\"[1]\n[4] \"H1\"[2]\n[5] "
    "\"H2\"[1]\n[6] \"T0\"[1]\n[7] \"T0\"[2]\n[8] \"T1\"[1]\n[9] \"T1\"[2]\n\n"
    "Switch 8 \"L1\"\n[1] \"H0\"[3]\n[2] \"H0\"[4]\n[3] \"H3\"[1]\n[4] \"H4\"[1]\n[5] "
    "\"T0\"[3]\n[6] \"T0\"[4]\n[7] \"T1\"[3]\n[8] \"T1\"[4]\n\n"
    "Switch 4 \"T0\"\n[1] \"L0\"[6]\n[2] \"L0\"[7]\n[3] \"L1\"[5]\n[4] \"L1\"[6]\n\n"
    "Switch 4 \"T1\"\n[1] \"L0\"[8]\n[2] \"L0\"[9]\n[3] \"L1\"[7]\n[4] \"L1\"[8]\n";

/* What all together get to one node. */
static double accepted_by(const char *node) {
  char text[1000];
  snprintf(text, sizeof text,
           HEAD("file: mixed.net") "traffic: [{class: A, pattern: hotspot, heat: 1, targets: [%s], "
                                   "size: 256, load: 1}]\n"
                                   "run: {warmup: 2000, measure: 10000, drain: 200000}\n...\n",
           node);
  write_file("mixed.net", mixed);
  json_t *root = delivered_by(text);
  double mean = mean_of(json_object_get(root, "all"), "accepted");
  json_decref(root);
  return mean;
}

/* The hot node itself sends to the others. */
static void nodes_with_one_two_and_four_links_share_a_network(void **state) {
  (void)state;
  assert_true(accepted_by("0") > 0.75);
  double one = accepted_by("3"), two = accepted_by("1");
  assert_true(one < 0.45 && two > 1.3 * one);
}

static void a_network_that_is_no_folded_tree_is_refused(void **state) {
  (void)state;
  assert_run(0, "topo torus --size 4x4 -o @", in_folder("mixed.net"), "");
  write_file("torus.yaml", HEAD("file: mixed.net") ALL RUN_OF("100"));
  assert_says("torus.yaml:3: topology.file: is no folded tree: no way goes up and then down from",
              "run @", in_folder("torus.yaml"), "");
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(all_operations_happen_once_over_cables_that_fail_and_err),
      cmocka_unit_test(a_slow_program_refuses_messages_and_loses_none),
      cmocka_unit_test(a_get_brings_its_data_back_and_a_put_waits_for_the_memory),
      cmocka_unit_test(more_links_of_a_node_carry_as_much_more_in_a_fabric_file),
      cmocka_unit_test(nodes_with_one_two_and_four_links_share_a_network),
      cmocka_unit_test(a_network_that_is_no_folded_tree_is_refused),
  };
  return UNIT_RUN("operations", tests, make_folder, remove_folder);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* test_cores.c - loom run with several cores for a run, and with switches that are behind the
 * hosts: the results are the same to the bit (docs/fabric.md, section Every core) */
#include "tb/unit/unit.h"

#include <stdio.h>
#include <string.h>

#include "tb/unit/run_bench.h"

enum { TEXT = 2000 };

#define ONE_VL                                                                                     \
  "link: {latency: 9, host_latency: 8, bit_errors: 0.0001}\n"                                      \
  "classes: [{name: A, sl: 0, vl: 0, mtu: 128}, {name: B, sl: 1, vl: 1, mtu: 64}]\n"
#define TWO_VLS                                                                                    \
  "link: {latency: 5, host_latency: 40, bit_errors: 0.0001}\n"                                     \
  "classes: [{name: A, sl: 0, vls: [0, 1], mtu: 128}, {name: B, sl: 8, vls: [2, 3], mtu: 64}]\n"
#define MESSAGES                                                                                   \
  "traffic:\n"                                                                                     \
  "  - {class: A, pattern: uniform, size: 256, load: 0.4}\n"                                       \
  "  - {class: B, pattern: random, size: 64, load: 0.3, process: poisson}\n"

/* Fabrics with enough switches to be shared, of every kind. */
static const struct {
  const char *name, *shape, *rest, *stats;
} fabrics[] = {
    {"ib", "topology: {kind: tree, k: 2, n: 4}\nswitch: {kind: ib, scheduler: rr}\n",
     ONE_VL MESSAGES, "links,flows,occupancy,times"},
    {"opa",
     "topology: {kind: tree, k: 2, n: 4}\nswitch: {kind: opa, scheduler: sbt}\n"
     "table: [{sl: 0, weight: 3}, {sl: 1, weight: 1}]\n",
     ONE_VL MESSAGES, "links,flows,stalls"},
    {"crossbar", "topology: {kind: torus, size: 4x4}\nswitch: {kind: crossbar, scheduler: rr}\n",
     TWO_VLS MESSAGES, "links,flows,occupancy,times"},
    {"mport", "topology: {kind: tree, k: 2, n: 4}\nswitch: {kind: mport, scheduler: rr}\n",
     ONE_VL MESSAGES, "routes"},
    {"kns", "topology: {kind: kns, k: 4, n: 2}\nswitch: {kind: kns, scheduler: rr}\n",
     ONE_VL MESSAGES, "links,flows,occupancy,times"},
    {"kns_crossbar",
     "topology: {kind: kns, k: 4, n: 2}\nswitch: {kind: kns_crossbar, scheduler: rr}\n",
     ONE_VL MESSAGES, "links,flows,occupancy,times"},
    {"elite5", "topology: {kind: tree, k: 4, n: 3}\nswitch: {kind: elite5}\n",
     "link: {bit_errors: 0.0001}\nclasses: [{name: A, sl: 0, mtu: 256}]\n"
     "traffic: [{class: A, pattern: random, size: 256, load: 0.5}]\n"
     "faults: [{at: 200, what: cut, link: S0-0/5}]\n",
     "links,occupancy,times"},
    {"crosspoint", "topology: {kind: tree, k: 4, n: 3}\nswitch: {kind: crosspoint}\n",
     "classes: [{name: A, sl: 0, mtu: 256}]\n"
     "traffic: [{class: A, pattern: uniform, size: 256, load: 0.5}]\n",
     "links"},
};
/* The last two are of Elite5, where all are stepped in the same cycle. */
enum { KINDS = sizeof fabrics / sizeof fabrics[0], BEHIND = KINDS - 2 };

static void write_fabric(uint32_t kind) {
  char text[TEXT];
  snprintf(text, sizeof text,
           "---\nname: %s\n%s%srun: {warmup: 100, measure: 500, drain: 50000, seeds: 1, "
           "interval: 100}\n...\n",
           fabrics[kind].name, fabrics[kind].shape, fabrics[kind].rest);
  write_file("fabric.yaml", text);
}

static void run_with(uint32_t kind, const char *cores, const char *stats, const char *what) {
  char command[COMMAND];
  snprintf(command, sizeof command, "run --quiet -j %s --stats %s -o @/%s%s @", cores, stats,
           fabrics[kind].name, what);
  assert_run(0, command, bench_folder, in_folder("fabric.yaml"));
}

/* Each file of the results, if the run has it. */
static void assert_same_results(uint32_t kind) {
  static const char *const files[] = {"summary.json", "series.csv",    "links.csv",  "flows.csv",
                                      "outputs.csv",  "occupancy.csv", "routes.csv", "stalls.csv",
                                      "waits.csv",    "packets.csv",   "times.csv"};
  for (uint32_t i = 0; i < sizeof files / sizeof files[0]; i++) {
    char one[PATH], more[PATH];
    snprintf(one, sizeof one, "%s1/%s", fabrics[kind].name, files[i]);
    snprintf(more, sizeof more, "%s3/%s", fabrics[kind].name, files[i]);
    assert_int_equal(is_there(one), is_there(more));
    if (is_there(one))
      assert_same_file(one, more);
  }
}

static void three_cores_give_the_same_results_as_one(void **state) {
  (void)state;
  for (uint32_t kind = 0; kind < KINDS; kind++) {
    write_fabric(kind);
    run_with(kind, "1", fabrics[kind].stats, "1");
    run_with(kind, "3", fabrics[kind].stats, "3");
    assert_same_results(kind);
  }
}

/* Who hears of all heads does so in order, so then all devices are stepped in the same cycle. */
static void switches_that_are_behind_the_hosts_change_nothing(void **state) {
  (void)state;
  for (uint32_t kind = 0; kind < BEHIND; kind++) {
    static const char *const files[] = {"summary.json", "series.csv"};
    write_fabric(kind);
    run_with(kind, "1", "links", "behind");
    run_with(kind, "1", "routes", "together");
    for (uint32_t i = 0; i < 2; i++) {
      char behind[PATH], together[PATH];
      snprintf(behind, sizeof behind, "%sbehind/%s", fabrics[kind].name, files[i]);
      snprintf(together, sizeof together, "%stogether/%s", fabrics[kind].name, files[i]);
      (i ? assert_same_file : assert_same_summary)(behind, together);
    }
  }
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(three_cores_give_the_same_results_as_one),
      cmocka_unit_test(switches_that_are_behind_the_hosts_change_nothing),
  };
  return UNIT_RUN("cores", tests, make_folder, remove_folder);
}

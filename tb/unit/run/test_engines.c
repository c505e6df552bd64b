/* SPDX-License-Identifier: Apache-2.0 */
/* test_engines.c - loom run --engine on random fabrics: whichever it is, the results are the same,
 * and both side by side show the same in every cycle (docs/packet_engine.md) */
#include "tb/unit/unit.h"

#include <loom/random.h>
#include <stdio.h>

#include "tb/unit/run_bench.h"

#define WEIGHTS "[{vl: 0, weight: 4}, {vl: 1, weight: 4}, {vl: 2, weight: 9}, {vl: 3, weight: 4}]\n"

enum { FABRICS = 16, TEXT = 4000 };

static uint64_t seed;

static unsigned between(unsigned low, unsigned high) {
  return low + (unsigned)loom_below(&seed, high - low + 1);
}

static const char *one_of(const char *const *list, unsigned count) {
  return list[between(0, count - 1)];
}

/* A fabric of few switches, of any shape, scheduler and load. */
static void draw_fabric(char text[TEXT]) {
  static const char *const shapes[] = {
      "topology: {kind: tree, k: 2, n: 3}\nswitch: {kind: crossbar, ",
      "topology: {kind: tree, k: 3, n: 2}\nswitch: {kind: crossbar, ",
      "topology: {kind: torus, size: 3x3, nodes: 2}\nswitch: {kind: crossbar, ",
      "topology: {kind: kns, k: 3, n: 2}\nswitch: {kind: kns_crossbar, "};
  static const char *const schedulers[] = {"rr", "sbt", "dtable", "ibarb"};
  static const char *const sizes[] = {"64", "128", "256", "1024"};
  const char *mtu = one_of(sizes, 4);
  const char *scheduler = one_of(schedulers, 4);
  bool plain = scheduler == schedulers[0], two = scheduler == schedulers[3];
  snprintf(text, TEXT,
           "---\nname: random\n%sscheduler: %s, parameters: {CELLS_IN: %u, CELLS_OUT: %u}}\n"
           "link: {latency: %u, host_latency: %u, bit_errors: %s}\n"
           "classes: [{name: A, sl: 0, vls: [0, 1], mtu: %s%s}, {name: B, sl: 8, vls: [2, 3], mtu: "
           "64}]\n%s%s"
           "traffic:\n"
           "  - {class: A, pattern: uniform, size: %s, load: 0.%u, process: poisson}\n"
           "  - {class: B, pattern: random, size: 64, load: 0.%u}\n"
           "run: {warmup: 300, measure: 1500, drain: 100000, seeds: 1, seed: %u, interval: 300}\n"
           "...\n",
           one_of(shapes, 4), scheduler, between(64, 200), between(64, 200), between(1, 9),
           between(1, 9), between(0, 3) ? "0" : "0.0001", mtu, between(0, 2) ? "" : ", packet: 32",
           plain ? ""
           : two ? "high: " WEIGHTS
                 : "table: " WEIGHTS,
           two ? "low: [{vl: 0, weight: 4}]\n" : "", one_of(sizes, 4), between(1, 9), between(1, 5),
           between(1, 999));
}

static void both_engines_show_the_same_in_random_fabrics(void **state) {
  (void)state;
  char text[TEXT];
  for (seed = 1; seed <= FABRICS; seed++) {
    uint64_t number = seed;
    draw_fabric(text);
    write_file("fabric.yaml", text);
    assert_run(0, "run --quiet --engine both @", in_folder("fabric.yaml"), "");
    assert_run(0, "run --quiet --engine step --stats occupancy -o @/step @", bench_folder,
               in_folder("fabric.yaml"));
    assert_run(0, "run --quiet --engine packet --stats occupancy -o @/packet @", bench_folder,
               in_folder("fabric.yaml"));
    assert_same_file("step/summary.json", "packet/summary.json");
    assert_same_file("step/series.csv", "packet/series.csv");
    assert_same_file("step/occupancy.csv", "packet/occupancy.csv");
    seed = number;
  }
}

static void a_sweep_has_engines_too(void **state) {
  (void)state;
  char text[TEXT];
  seed = 1;
  draw_fabric(text);
  write_file("fabric.yaml", text);
  write_file("sweep.yaml", "---\nname: loads\nfabric: fabric.yaml\n"
                           "grid: [{key: load, values: [0.5, 1]}]\n...\n");
  assert_run(0, "sweep --quiet --engine step -o @/s @", bench_folder, in_folder("sweep.yaml"));
  assert_run(0, "sweep --quiet --engine packet -o @/p @", bench_folder, in_folder("sweep.yaml"));
  assert_same_file("s/sweep.csv", "p/sweep.csv");
}

static void other_switches_are_stepped_only(void **state) {
  (void)state;
  write_file("fabric.yaml", TINY_TREE);
  write_file("sweep.yaml", "---\nname: loads\nfabric: fabric.yaml\n"
                           "grid: [{key: load, values: [0.5, 1]}]\n...\n");
  assert_says("switch.kind: `opa` is stepped flit by flit only, not with --engine packet",
              "sweep --engine packet -o @/s2 @", bench_folder, in_folder("sweep.yaml"));
  assert_says("switch.kind: `opa` is stepped flit by flit only, not with --engine packet",
              "run --engine packet @", in_folder("fabric.yaml"), "");
  assert_says("switch.kind: `mport` is stepped flit by flit only, not with --engine both",
              "run --engine both @ --set switch.kind=mport", in_folder("fabric.yaml"), "");
  assert_says(
      "switch.preempt: packets that are interrupted are stepped flit by flit only, not with "
      "--engine packet",
      "run --engine packet @", "vectors/fabric/preempt.yaml", "");
  assert_says("switch.preempt: some VLs of the classes must preempt, and others not", "run @ @",
              "vectors/fabric/preempt.yaml", "--set switch.preempt=[7]");
  assert_says("`flits` is none of step, packet, both", "run --engine flits @",
              in_folder("fabric.yaml"), "");
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(both_engines_show_the_same_in_random_fabrics),
      cmocka_unit_test(a_sweep_has_engines_too),
      cmocka_unit_test(other_switches_are_stepped_only),
  };
  return UNIT_RUN("engines", tests, make_folder, remove_folder);
}

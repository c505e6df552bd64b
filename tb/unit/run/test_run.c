/* SPDX-License-Identifier: Apache-2.0 */
/* The command `loom run` on tiny fabrics (docs/fabric.md): everything arrives, the same seed gives
 * the same bits, figures say the same, and what goes wrong is said (OP-08, OP-22, TP-03, KN-02). */
#define _GNU_SOURCE /* strtok_r */

#include "tb/unit/unit.h"

#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "fabric/fabric.h"
#include "run/build.h"
#include "run/edited_spec.h"
#include "run/point.h"
#include "run/report.h"
#include "tb/unit/run_bench.h"
#include <loom/switch_registers.h>
#include <loom/version.h>

/* ---- fabrics --------------------------------------------------------------------------------- */

static const struct tiny {
  const char *name, *text;
} fabrics[] = {
    {"opa-tree", TINY_TREE},
    {"ib-valiant", "---\nname: b\ntopology: {kind: tree, k: 2, n: 3}\nrouting: {engine: valiant}\n"
                   "switch: {kind: ib, scheduler: rr}\n" ONE},
    {"opa-torus", "---\nname: c\ntopology: {kind: torus, size: 3x3, nodes: 2, trunk: 2}\n"
                  "switch: {kind: opa, scheduler: rr, central: least, parameters: {CELLS_IN: 64, "
                  "CELLS_OUT: 64, CELLS_CENTRAL: 64}}\n" TWO},
    {"ib-torus", "---\nname: d\ntopology: {kind: torus, size: 4x3}\n"
                 "switch: {kind: ib, scheduler: ibarb, parameters: {CELLS_IN: 64, CELLS_OUT: 64}}\n"
                 "high: [{sl: 0, weight: 4}]\nlow: [{sl: 8, weight: 4}]\n" TWO},
    {"crossbar-torus",
     "---\nname: j\ntopology: {kind: torus, size: 4x3}\n"
     "switch: {kind: crossbar, scheduler: ibarb, parameters: {CELLS_IN: 64, CELLS_OUT: 64}}\n"
     "high: [{vl: 0, weight: 4}, {vl: 1, weight: 4}]\n"
     "low: [{vl: 2, weight: 4}, {vl: 3, weight: 4}]\n" TWO},
    {"crossbar-by-load",
     "---\nname: j\ntopology: {kind: torus, size: 4x3, nodes: 2, trunk: 2}\n"
     "routing: {engine: dor, trunk: load, loads: [8, 16, 32]}\n"
     "switch: {kind: crossbar, scheduler: rr, parameters: {CELLS_IN: 64, CELLS_OUT: 64}}\n" TWO},
    {"crossbar-by-flow", "---\nname: j\ntopology: {kind: xgft, down: 3x2, up: 1, trunk: 2}\n"
                         "routing: {trunk: flow}\nswitch: {kind: crossbar, scheduler: rr}\n" TWO},
    {"crossbar-drr",
     "---\nname: l\ntopology: {kind: torus, size: 4x3}\n"
     "switch: {kind: crossbar, scheduler: drr, parameters: {CELLS_IN: 64, CELLS_OUT: 64}}\n"
     "table: [{vl: 0, weight: 4}, {vl: 1, weight: 4}, {vl: 2, weight: 1}, {vl: 3, weight: "
     "4}]\n" TWO},
    {"mport-tree", "---\nname: m\ntopology: {kind: tree, k: 3, n: 2}\nrouting: {engine: valiant}\n"
                   "switch: {kind: mport, scheduler: dtable}\n"
                   "table: [{sl: 0, weight: 3}, {sl: 1, weight: 1}]\n" ONE},
    {"mport-torus", "---\nname: n\ntopology: {kind: torus, size: 3x3, nodes: 2, trunk: 2}\n"
                    "switch: {kind: mport, scheduler: rr, central: least, parameters: {CELLS_IN: "
                    "64, CELLS_OUT: 64, CELLS_CENTRAL: 64}}\n" TWO},
    {"crossbar-scfq",
     "---\nname: l\ntopology: {kind: torus, size: 4x3}\n"
     "switch: {kind: crossbar, scheduler: scfq, parameters: {CELLS_IN: 64, CELLS_OUT: 64}}\n"
     "table: [{vl: 0, weight: 4}, {vl: 1, weight: 4}, {vl: 2, weight: 1}, {vl: 3, weight: "
     "4}]\n" TWO},
    {"ib-mesh", "---\nname: q\ntopology: {kind: mesh, size: 3x2}\n"
                "switch: {kind: ib, scheduler: rr}\n" ONE},
    {"opa-hyperx", "---\nname: r\ntopology: {kind: hyperx, size: 4x2}\n"
                   "switch: {kind: opa, scheduler: rr, parameters: {CELLS_IN: 64, CELLS_OUT: 64, "
                   "CELLS_CENTRAL: 64}}\n" ONE},
    {"ib-dragonfly", "---\nname: s\ntopology: {kind: dragonfly, routers: 2, globals: 1}\n"
                     "switch: {kind: ib, scheduler: rr}\n" TWO},
    {"opa-dragonfly", "---\nname: t\ntopology: {kind: dragonfly, routers: 2, globals: 2, "
                      "groups: 3}\nswitch: {kind: opa, scheduler: rr, parameters: {CELLS_IN: 64, "
                      "CELLS_OUT: 64, CELLS_CENTRAL: 64}}\n" TWO},
    {"ib-fly-valiant", "---\nname: v\ntopology: {kind: dragonfly, routers: 2, globals: 1}\n"
                       "routing: {engine: dragonfly-valiant}\nhost: {paths: pair}\n"
                       "switch: {kind: ib, scheduler: rr}\n" THREE},
    {"opa-fly-valiant", "---\nname: w\ntopology: {kind: dragonfly, routers: 2, globals: 2}\n"
                        "routing: {engine: dragonfly-valiant}\nswitch: {kind: opa, scheduler: rr, "
                        "parameters: {CELLS_IN: 64, CELLS_OUT: 64, CELLS_CENTRAL: 64}}\n" THREE},
    {"crossbar-fly-ugal", "---\nname: z\ntopology: {kind: dragonfly, routers: 3, globals: 1}\n"
                          "routing: {engine: dragonfly-ugal}\n"
                          "switch: {kind: crossbar, scheduler: rr}\n" THREE},
    {"ib-plus", "---\nname: c\ntopology: {kind: dragonflyplus, leaves: 2, spines: 2, globals: 1}\n"
                "switch: {kind: ib, scheduler: rr}\n" ONE},
    {"ib-plus-valiant",
     "---\nname: d\ntopology: {kind: dragonflyplus, leaves: 2, spines: 2, globals: 1}\n"
     "routing: {engine: dragonflyplus-valiant}\nswitch: {kind: ib, scheduler: rr}\n" THREE},
    {"opa-plus-valiant",
     "---\nname: g\ntopology: {kind: dragonflyplus, leaves: 2, spines: 2, globals: 1}\n"
     "routing: {engine: dragonflyplus-valiant}\nswitch: {kind: opa, scheduler: rr, "
     "parameters: {CELLS_IN: 64, CELLS_OUT: 64, CELLS_CENTRAL: 64}}\n" TWO},
    {"crossbar-plus-ugal",
     "---\nname: i\ntopology: {kind: dragonflyplus, leaves: 2, spines: 2, globals: 2}\n"
     "routing: {engine: dragonflyplus-ugal}\nswitch: {kind: crossbar, scheduler: rr}\n" THREE},
    {"ib-hyperx-valiant",
     "---\nname: a\ntopology: {kind: hyperx, size: 4x2}\n"
     "routing: {engine: dor-valiant}\nswitch: {kind: ib, scheduler: rr}\n" TWO},
    {"crossbar-hyperx-ugal",
     "---\nname: j\ntopology: {kind: hyperx, size: 4x3}\n"
     "routing: {engine: dor-ugal}\nswitch: {kind: crossbar, scheduler: rr}\n" TWO},
    {"opa-torus-valiant", "---\nname: b\ntopology: {kind: torus, size: 3x4}\n"
                          "routing: {engine: dor-valiant}\nswitch: {kind: opa, scheduler: rr, "
                          "parameters: {CELLS_IN: 64, CELLS_OUT: 64, CELLS_CENTRAL: 64}}\n" SIX},
    {"ib-slimfly", "---\nname: x\ntopology: {kind: slimfly, q: 3}\n"
                   "switch: {kind: ib, scheduler: rr}\n" TWO},
    {"opa-slimfly", "---\nname: y\ntopology: {kind: slimfly, q: 3}\n"
                    "switch: {kind: opa, scheduler: rr, parameters: {CELLS_IN: 64, CELLS_OUT: 64, "
                    "CELLS_CENTRAL: 64}}\n" TWO},
    {"ib-xgft", "---\nname: u\ntopology: {kind: xgft, down: 3x2, up: 1, trunk: 2}\n"
                "switch: {kind: ib, scheduler: rr}\n" ONE},
    {"slim", "---\nname: e\ntopology: {kind: slim, nodes: 2}\nlink: {latency: 5}\n"
             "switch: {kind: ib, scheduler: rr, stages: B}\n" ONE},
    {"kns-nodes", "---\nname: f\ntopology: {kind: kns, k: 3, n: 2, nodes: 2}\n"
                  "switch: {kind: kns, scheduler: rr}\n" ONE},
    {"kns-crossbar", "---\nname: k\ntopology: {kind: kns, k: 3, n: 2, nodes: 2}\n"
                     "switch: {kind: kns_crossbar, scheduler: rr}\n" ONE},
    {"net", TINY_NET},
    {"elite5", "---\nname: h\ntopology: {kind: tree, k: 2, n: 2}\nswitch: {kind: elite5}\n"
               "classes: [{name: A, sl: 0, mtu: 128}, {name: B, sl: 3, mtu: 128}]\n"
               "traffic:\n"
               "  - {class: A, pattern: uniform, size: 256, load: 0.4}\n"
               "  - {class: B, pattern: shift, size: 8, load: 0.05}\n" RUN},
    {"crosspoint", "---\nname: h\ntopology: {kind: tree, k: 2, n: 2}\n"
                   "switch: {kind: crosspoint, parameters: {PIPE: 1}}\n"
                   "classes: [{name: A, sl: 0, mtu: 128}, {name: B, sl: 3, mtu: 128}]\n"
                   "traffic:\n"
                   "  - {class: A, pattern: uniform, size: 256, load: 0.4}\n"
                   "  - {class: B, pattern: shift, size: 8, load: 0.05}\n" RUN},
    {"qsnet3", "---\nname: i\ntopology: {kind: qsnet3, nodes: 32}\nswitch: {kind: elite5}\n"
               "classes: [{name: A, sl: 0, mtu: 1024}]\n"
               "traffic: [{class: A, pattern: uniform, size: 1024, load: 0.3}]\n" RUN},
};

static void every_kind_of_fabric_delivers_all_messages(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof fabrics / sizeof fabrics[0]; i++) {
    write_file("fabric.yaml", fabrics[i].text);
    json_t *root = json_of("run --json @", in_folder("fabric.yaml"), "");
    assert_delivered(root);
    assert_int_equal(count_of(root, "damaged"), 0);
    json_decref(root);
  }
}

/* A KNS of its own devices is a KNS of InfiniBand switches with Hybrid-DOR (KN-02), in both
 * editions. */
static void a_kns_of_its_own_devices_runs_as_one_of_infiniband_switches(void **state) {
  (void)state;
  static const char command[] = "run --json vectors/fabric/@.yaml --set name=x --set switch.kind=@";
  static const struct {
    const char *fabric, *own, *ib;
  } cases[] = {{"kns-2-2", "kns", "ib"},
               {"kns-2-2", "kns_crossbar", "crossbar"},
               {"kns-6-2-crossbar", "kns_crossbar", "crossbar"}};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    json_t *own = json_of(command, cases[i].fabric, cases[i].own);
    json_t *ib = json_of(command, cases[i].fabric, cases[i].ib);
    assert_delivered(own);
    json_object_del(own, "kind");
    json_object_del(ib, "kind");
    assert_same_figures(own, ib);
  }
}

static void wrong_bits_damage_messages_and_lose_none(void **state) {
  (void)state;
  json_t *root =
      json_of("run --json vectors/fabric/tree-2-2.yaml --set link.bit_errors=0.001", "", "");
  assert_delivered(root);
  assert_true(count_of(root, "damaged") > 0);
  json_decref(root);
}

/* What summary.json counts of them, the table says; of a run where nothing happens it is silent. */
static void the_table_tells_what_summary_json_counts(void **state) {
  (void)state;
  static const char command[] = "run @ vectors/fabric/tree-2-2.yaml --set link.bit_errors=0.001";
  json_t *root = json_of(command, "--json", "");
  char line[100];
  snprintf(line, sizeof line, "counted: %" PRId64 " messages damaged, %" PRId64 " flits spoilt\n",
           count_of(root, "damaged"),
           count_of(json_array_get(json_object_get(root, "runs"), 0), "spoilt_flits"));
  struct outcome o = run(command, "--quiet", "");
  assert_non_null(strstr(o.out, line));
  drop(&o);
  json_decref(root);
  o = loom("run vectors/fabric/tree-2-2.yaml");
  assert_null(strstr(o.out, "counted: "));
  drop(&o);
}

/* As many as asked for, on every hop: 31 of the 32 flits of a packet are no heads. */
static void wrong_bits_come_as_often_as_asked_for_on_every_hop(void **state) {
  (void)state;
  json_t *root =
      json_of("run --json vectors/fabric/tree-2-2.yaml --set link.bit_errors=0.05", "", "");
  int64_t spoilt = count_of(json_array_get(json_object_get(root, "runs"), 0), "spoilt_flits");
  double expected = 0.05 * 31 / 32 * (double)count_of(root, "flit_hops");
  assert_true(expected > 500);
  assert_true((double)spoilt > 0.85 * expected && (double)spoilt < 1.15 * expected);
  json_decref(root);
}

/* A message alone, of a switch to the next one: two links to hosts and one between. */
static double latency_over(const char *link) {
  char text[600];
  snprintf(text, sizeof text,
           "---\nname: p\ntopology: {kind: torus, size: 3, nodes: 1}\nrouting: {engine: updn}\n"
           "link: {%s}\nswitch: {kind: ib, scheduler: rr}\n"
           "classes: [{name: A, sl: 0, vl: 0, mtu: 128}]\n"
           "traffic: [{class: A, pattern: pairs, size: 128, process: ping-pong}]\n" RUN,
           link);
  write_file("link.yaml", text);
  json_t *root = json_of("run --json @", in_folder("link.yaml"), "");
  assert_delivered(root);
  double mean = mean_of(json_object_get(root, "all"), "net_mean");
  json_decref(root);
  return mean;
}

static void a_longer_link_adds_its_cycles_to_the_latency(void **state) {
  (void)state;
  double least = latency_over("latency: 1, host_latency: 1");
  assert_true(latency_over("latency: 11, host_latency: 1") == least + 10);
  assert_true(latency_over("latency: 1, host_latency: 11") == least + 20);
  assert_true(latency_over("latency: 11") == least + 30);
}

/* A scheduler, and its tables. */
struct tables {
  const char *scheduler, *text;
};

/* Of a packet alone, through a switch or two. */
static double latency_of(const char *kind, const struct tables *t, const char *stages) {
  char text[1000];
  snprintf(text, sizeof text,
           "---\nname: q\ntopology: {kind: torus, size: 3, nodes: 1}\nrouting: {engine: updn}\n"
           "switch: {kind: %s, scheduler: %s, stages: %s}\n%s"
           "classes: [{name: A, sl: 0, vl: 0, mtu: 64}]\n"
           "traffic: [{class: A, pattern: pairs, size: 64, process: ping-pong}]\n" RUN,
           kind, t->scheduler, stages, t->text);
  write_file("stages.yaml", text);
  json_t *root = json_of("run --json @", in_folder("stages.yaml"), "");
  assert_delivered(root);
  double mean = mean_of(json_object_get(root, "all"), "net_mean");
  json_decref(root);
  return mean;
}

static void published_sets_take_the_same_time_in_both_editions(void **state) {
  (void)state;
  static const char *const sets[] = {"A", "B"};
  static const struct tables tables[] = {
      {"rr", ""},
      {"sbt", "table: [{sl: 0, weight: 200}]\n"},
      {"dtable", "table: [{sl: 0, weight: 200}]\n"},
      {"ibarb", "high: [{sl: 0, weight: 200}]\nlow: [{sl: 0, weight: 1}]\n"},
  };
  for (unsigned i = 0; i < 8; i++) {
    const char *set = sets[i / 4];
    const struct tables *t = &tables[i % 4];
    assert_true(latency_of("crossbar", t, set) == latency_of("ib", t, set));
    assert_true(latency_of("mport", t, set) == latency_of("opa", t, set));
  }
}

/* Of a message of 8 bytes alone, up to its ACK: half of them go through one router, half through
 * three. */
static double elite5_latency_of(const char *switches) {
  char text[1000];
  snprintf(text, sizeof text,
           "---\nname: r\ntopology: {kind: tree, k: 2, n: 2}\nswitch: {%s}\n"
           "classes: [{name: A, sl: 0, mtu: 128}]\n"
           "traffic: [{class: A, pattern: shift, size: 8, load: 0.01}]\n" RUN,
           switches);
  write_file("routers.yaml", text);
  json_t *root = json_of("run --json @", in_folder("routers.yaml"), "");
  assert_delivered(root);
  double mean = mean_of(json_object_get(root, "all"), "net_mean");
  json_decref(root);
  return mean;
}

/* E5-33: in each router of the second edition a header takes 1 + PIPE cycles more, a reply 1. */
static void a_second_edition_takes_its_cycles_in_each_router(void **state) {
  (void)state;
  double first = elite5_latency_of("kind: elite5");
  for (uint32_t pipe = 0; pipe < 5; pipe++) {
    char switches[64];
    snprintf(switches, sizeof switches, "kind: crosspoint, parameters: {PIPE: %u}", (unsigned)pipe);
    assert_true(elite5_latency_of(switches) == first + 2 * (2 + pipe));
  }
}

/* ---- the same bits --------------------------------------------------------------------------- */

static void results_are_the_same_whatever_the_number_of_jobs(void **state) {
  (void)state;
  static const char *const files[] = {"summary.json", "series.csv", "latency.csv", "fabric.yaml"};
  static const char command[] = "run vectors/fabric/tree-2-2.yaml --seeds 3 --quiet -o @ --jobs @";
  char a[PATH], b[PATH];
  assert_run(0, command, in_folder("one"), "1");
  assert_run(0, command, in_folder("two"), "2");
  assert_run(0, command, in_folder("three"), "3");
  assert_run(0, "run @ -o @", in_folder("one/fabric.yaml"), in_folder("again"));
  assert_same_summary("one/summary.json", "again/summary.json");
  for (unsigned f = 0; f < 4; f++)
    for (unsigned d = 0; d < (f ? 3 : 2); d++) {
      static const char *const others[] = {"two", "three", "again"};
      snprintf(a, sizeof a, "one/%s", files[f]);
      snprintf(b, sizeof b, "%s/%s", others[d], files[f]);
      assert_same_file(a, b);
    }
}

/* What a shell would not take as a word is quoted; what changes no result is left out. */
static void results_say_where_they_come_from(void **state) {
  (void)state;
  static const char command[] = "run @ --seeds 1 --quiet --set run.measure=700 --set name=@ --json";
  static const char as[] = "loom run %s --set run.measure=700 --set 'name=\"it'\\''s\"' --seeds 1";
  write_file("from.yaml", TINY_TREE);
  json_t *root = json_of(command, in_folder("from.yaml"), "\"it's\"");
  char line[COMMAND];
  snprintf(line, sizeof line, as, in_folder("from.yaml"));
  assert_string_equal(json_string_value(json_object_get(root, "command")), line);
  assert_string_equal(json_string_value(json_object_get(root, "revision")), loom_revision());
  assert_string_equal(json_string_value(json_object_get(root, "loom")), loom_version());
  json_decref(root);
}

static char *configuration_of(const char *file, const char *set) {
  json_t *root = json_of("run @ --json --set @", in_folder(file), set);
  const char *hash = json_string_value(json_object_get(root, "configuration"));
  assert_int_equal(strspn(hash, "0123456789abcdef"), 16);
  char *copy = strdup(hash);
  json_decref(root);
  return copy;
}

/* Its hash is of what the files say, not of where they lie. */
static void a_configuration_has_the_same_hash_on_any_machine(void **state) {
  (void)state;
  write_file("net.yaml", TINY_NET);
  assert_run(0, "run @ -o @ --set run.seed=3", in_folder("net.yaml"), in_folder("moved"));
  char *here = configuration_of("net.yaml", "run.seed=3");
  char *there = configuration_of("moved/fabric.yaml", "run.seed=3");
  char *other = configuration_of("net.yaml", "run.seed=4");
  assert_string_equal(here, there);
  assert_string_not_equal(here, other);
  free(here);
  free(there);
  free(other);
}

/* ---- what tables decide, and units ----------------------------------------------------------- */

/* Of a tree under two classes on VLs 0 and 1: what a run of `kind` with `scheduler` prints, A
 * with B beside it or not. */
static struct outcome decided(const char *kind, const char *scheduler, bool beside) {
  char text[700];
  snprintf(
      text, sizeof text,
      "---\nname: c\ntopology: {kind: tree, k: 3, n: 2}\nswitch: {kind: %s, %s\n"
      "classes: [{name: A, sl: 0, vl: 0, mtu: 128}, {name: B, sl: 1, vl: 1, mtu: 128}]\n"
      "traffic:\n  - {class: A, pattern: shift, size: 128, load: 0.45, process: poisson}\n%s" RUN,
      kind, scheduler,
      beside ? "  - {class: B, pattern: shift, shift: 2, size: 128, load: 0.45, process: poisson}\n"
             : "");
  write_file("decided.yaml", text);
  struct outcome o = run("run @", in_folder("decided.yaml"), "");
  assert_int_equal(o.status, 0);
  return o;
}

/* Two flows to each host meet at its switch, where a table decides; one alone never does. */
static void grants_are_counted_where_tables_decide(void **state) {
  (void)state;
  static const char *const kinds[] = {"ib", "crossbar", "opa", "mport"};
  static const char line[] = "\ntables decided 0 of ";
  static const char sbt[] = "scheduler: sbt}\ntable: [{sl: 0, weight: 3}, {sl: 1, weight: 1}]";
  for (unsigned k = 0; k < 4; k++)
    for (unsigned beside = 0; beside < 2; beside++) {
      struct outcome o = decided(kinds[k], sbt, beside);
      assert_int_equal(strstr(o.out, line) != NULL, !beside);
      drop(&o);
      json_t *root = json_of("run --json @", in_folder("decided.yaml"), "");
      assert_true(count_of(root, "grants") > 100);
      assert_int_equal(count_of(root, "contended") > 10, beside);
      assert_true(count_of(root, "contended") < count_of(root, "grants"));
      json_decref(root);
    }
  struct outcome o = decided("ib", "scheduler: rr}", false);
  assert_null(strstr(o.out, line));
  drop(&o);
}

static double number_of(const json_t *object, const char *key) {
  assert_true(json_is_real(json_object_get(object, key)));
  return json_real_value(json_object_get(object, key));
}

static void assert_close(double a, double b) { assert_true(fabs(a - b) <= 1e-9 * fabs(b)); }

/* The length of a cycle in ns with these changes of a fabric; every figure goes by it. */
static double cycle_with(const char *fabric, const char *set) {
  static const char command[] = "run vectors/fabric/@.yaml --json --set run.measure=600 --set @";
  static const char *const latencies[] = {"total_mean", "total_q50", "net_q99", "net_mean"};
  json_t *root = json_of(command, fabric, set);
  double cycle = number_of(root, "cycle_ns"), rate = number_of(root, "link_gbps");
  const json_t *all = json_object_get(root, "all");
  assert_close(cycle * rate, 64);
  assert_close(number_of(all, "accepted_gbps"), mean_of(all, "accepted") * rate);
  assert_close(number_of(all, "offered_gbps"), mean_of(all, "offered") * rate);
  for (unsigned k = 0; k < 4; k++) {
    char key[40];
    snprintf(key, sizeof key, "%s_ns", latencies[k]);
    assert_close(number_of(all, key), mean_of(all, latencies[k]) * cycle);
  }
  double most = (double)count_of(all, "total_max") * cycle;
  assert_close(number_of(all, "total_max_ns"), most);
  json_decref(root);
  return cycle;
}

static void results_are_told_in_gigabits_and_nanoseconds(void **state) {
  (void)state;
  assert_close(cycle_with("tree-2-2", "run.seed=1"), 2);
  assert_close(cycle_with("tree-2-2", "link.rate=64"), 1);
  assert_close(cycle_with("tree-2-2", "link.rate=0.125"), 512);
  assert_close(cycle_with("trains-4-2", "run.seed=1"), 0.64);
  assert_close(cycle_with("trace-8-2", "run.cycle=800 --set run.measure=60000"), 0.8);
  assert_says("link.rate: 0 is outside 0.001..10000",
              "run vectors/fabric/tree-2-2.yaml --set link.rate=@", "0", "");
  assert_says("link.rate: ", "run vectors/fabric/tree-2-2.yaml --set link.rate=@", "1.0001", "");
}

static void another_seed_gives_another_run(void **state) {
  (void)state;
  struct outcome a = loom("run vectors/fabric/tree-2-2.yaml --json");
  struct outcome b = loom("run vectors/fabric/tree-2-2.yaml --json --set run.seed=2");
  assert_int_equal(a.status, 0);
  assert_int_equal(b.status, 0);
  assert_string_not_equal(a.out, b.out);
  drop(&a);
  drop(&b);
}

/* Places of tasks and bit errors are others for each seed, also where the traffic is not. */
static void each_seed_has_its_own_places_and_wrong_bits(void **state) {
  (void)state;
  char text[600];
  for (unsigned i = 0; i < 2; i++) {
    snprintf(
        text, sizeof text,
        "---\nname: p\ntopology: {kind: tree, k: 2, n: 2}\nlink: {bit_errors: 0.05}\n"
        "switch: {kind: ib, scheduler: rr}\nclasses: [{name: A, sl: 0, vl: 0, mtu: 128}]\n"
        "traffic: [{class: A, pattern: pairs, size: 128, process: ping-pong, mapping: %s}]\n" RUN,
        i ? "random" : "linear");
    write_file("seeds.yaml", text);
    json_t *root = json_of("run --json --seeds 8 @", in_folder("seeds.yaml"), "");
    const json_t *runs = json_object_get(root, "runs");
    const json_t *net = json_object_get(json_object_get(root, "all"), "net_mean");
    double spread = json_number_value(json_object_get(net, "max")) -
                    json_number_value(json_object_get(net, "min"));
    assert_int_equal(spread > 0, i);
    uint32_t same = 0;
    for (size_t k = 0; k < 8; k++)
      same += count_of(json_array_get(runs, k), "spoilt_flits") ==
              count_of(json_array_get(runs, 0), "spoilt_flits");
    assert_in_range(same, 1, 4);
    json_decref(root);
  }
}

/* ---- results --------------------------------------------------------------------------------- */

static void assert_metric(const json_t *class, const char *key) {
  const json_t *metric = json_object_get(class, key);
  assert_true(json_is_number(json_object_get(metric, "mean")));
  assert_true(json_is_number(json_object_get(metric, "interval")));
  assert_int_equal(count_of(metric, "seeds"), 2);
}

static void summary_json_has_every_count_and_metric(void **state) {
  (void)state;
  static const char *const counts[] = {"hosts",    "switches", "seeds",     "posted",
                                       "received", "lost",     "under_way", "damaged",
                                       "dropped",  "stray",    "flit_hops", "cycles"};
  static const char *const metrics[] = {"offered",  "accepted",   "percent",   "share",
                                        "worst",    "total_mean", "total_q50", "total_q999",
                                        "net_mean", "net_q99"};
  json_t *root = json_of("run vectors/fabric/tree-2-2.yaml --json --seeds 2", "", "");
  for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++)
    count_of(root, counts[i]);
  const json_t *class = json_array_get(json_object_get(root, "classes"), 0);
  assert_string_equal(json_string_value(json_object_get(class, "name")), "A");
  for (size_t i = 0; i < sizeof metrics / sizeof metrics[0]; i++) {
    assert_metric(class, metrics[i]);
    assert_metric(json_object_get(root, "all"), metrics[i]);
  }
  assert_int_equal(json_array_size(json_object_get(root, "runs")), 2);
  json_decref(root);
}

static double table_of(const json_t *root, size_t class, const char *key) {
  const json_t *c = json_array_get(json_object_get(root, "classes"), class);
  return json_number_value(json_object_get(c, key));
}

#define TABLED                                                                                     \
  "---\nname: p\ntopology: {kind: tree, k: 2, n: 2}\nswitch: {kind: ib, scheduler: %s}\n"          \
  "classes: [{name: A, sl: 0, vl: 0, mtu: 256}, {name: B, sl: 1, vl: 1, mtu: 1024}]\n%s\n"         \
  "traffic: [{class: A, pattern: uniform, size: 256, load: 0.1}]\n"                                \
  "run: {warmup: 0, measure: 100}\n...\n"

static json_t *tabled(const char *scheduler, const char *keys) {
  char text[700];
  snprintf(text, sizeof text, TABLED, scheduler, keys);
  write_file("tabled.yaml", text);
  return json_of("run --json @", in_folder("tabled.yaml"), "");
}

/* Weights of a simple bandwidth table are packets, those of the others are not; InfiniBand has two
 * tables, and round robin none. */
static void summary_json_has_the_part_of_each_class_of_its_table(void **state) {
  (void)state;
  json_t *sbt = tabled("sbt", "table: [{sl: 0, weight: 4}, {sl: 1, weight: 4}]");
  assert_true(table_of(sbt, 0, "table") == 20);
  assert_true(table_of(sbt, 1, "table") == 80);
  json_decref(sbt);
  json_t *dtable = tabled("dtable", "table: [{sl: 0, weight: 48}, {sl: 1, weight: 112}, {sl: 0, "
                                    "weight: 32}]");
  assert_true(fabs(table_of(dtable, 0, "table") - 100 * 80 / 192.0) < 1e-6);
  assert_null(json_object_get(json_object_get(dtable, "all"), "table"));
  json_decref(dtable);
  json_t *ib = tabled("ibarb", "high: [{vl: 0, weight: 3}]\n"
                               "low: [{vl: 0, weight: 1}, {vl: 1, weight: 3}]");
  assert_true(table_of(ib, 0, "table") == 100 && table_of(ib, 1, "table") == 0);
  assert_true(table_of(ib, 0, "table_low") == 25 && table_of(ib, 1, "table_low") == 75);
  json_decref(ib);
  json_t *rr = tabled("rr", "");
  const json_t *class = json_array_get(json_object_get(rr, "classes"), 0);
  assert_null(json_object_get(class, "table"));
  json_decref(rr);
}

/* ---- messages of several packets (DT-10) ----------------------------------------------------- */

/* A ping-pong alone on two switches: 32 packets of 8 flits follow one another without a gap. */
static void packets_of_a_train_follow_one_another_without_a_gap(void **state) {
  (void)state;
  static const char text[] =
      "---\nname: p\ntopology: {kind: torus, size: 3, nodes: 1}\nrouting: {engine: updn}\n"
      "switch: {kind: ib, scheduler: rr}\n"
      "classes: [{name: A, sl: 0, vl: 0, mtu: 2048, packet: 64}]\n"
      "traffic: [{class: A, pattern: pairs, size: 2048, process: ping-pong, messages: 4}]\n"
      "run: {warmup: 0, measure: 9000, drain: 1000}\n...\n";
  write_file("trains.yaml", text);
  json_t *root = json_of("run --json @", in_folder("trains.yaml"), "");
  assert_delivered(root);
  const json_t *class = json_array_get(json_object_get(root, "classes"), 0);
  assert_int_equal(count_of(class, "packets"), 32 * count_of(class, "messages"));
  double packet = mean_of(class, "packet_net_mean");
  assert_true(packet > 7 + 3);
  assert_true(mean_of(class, "net_mean") == packet + 31 * 8);
  assert_true(mean_of(class, "total_mean") - mean_of(class, "packet_total_mean") == 31 * 8 / 2.0);
  json_decref(root);
}

/* Without the key, and with packets as large as trains, all else says the same. */
static void a_train_of_one_packet_is_a_packet(void **state) {
  (void)state;
  json_t *plain = json_of("run vectors/fabric/tree-2-2.yaml --json", "", "");
  json_t *trains =
      json_of("run vectors/fabric/tree-2-2.yaml --json --set @", "classes[0].packet=256", "");
  const json_t *a = json_array_get(json_object_get(plain, "classes"), 0);
  const json_t *b = json_array_get(json_object_get(trains, "classes"), 0);
  assert_null(json_object_get(a, "packets"));
  assert_int_equal(count_of(b, "packets"), count_of(b, "messages"));
  assert_true(json_equal(json_object_get(plain, "runs"), json_object_get(trains, "runs")));
  assert_true(json_equal(json_object_get(b, "packet_net_mean"), json_object_get(b, "net_mean")));
  assert_true(json_equal(json_object_get(a, "total_mean"), json_object_get(b, "total_mean")));
  assert_true(json_equal(json_object_get(b, "packet_total_q99"), json_object_get(a, "total_q99")));
  json_decref(plain);
  json_decref(trains);
}

/* A trace's message of 1000 bytes: 125 words in packets of a head and 7 words. */
static void messages_of_traces_are_cut_into_packets_as_well(void **state) {
  (void)state;
  write_file("x.vef", "VEF3 2 1 1 0 0 0 1000\nC0 0 1\n0 0 1 1000 0 0 -1\n");
  write_file("trace.yaml", "---\nname: p\ntopology: {kind: tree, k: 2, n: 2}\n"
                           "switch: {kind: ib, scheduler: rr}\n"
                           "classes: [{name: A, sl: 0, vl: 0, mtu: 256, packet: 64}]\n"
                           "traces: [{file: x.vef, class: A}]\n...\n");
  json_t *root = json_of("run --json @", in_folder("trace.yaml"), "");
  const json_t *class = json_array_get(json_object_get(root, "classes"), 0);
  assert_int_equal(count_of(class, "messages"), 1);
  assert_int_equal(count_of(class, "packets"), 18);
  json_decref(root);
}

/* ---- the files of results say the same ------------------------------------------------------- */

enum { CLASSES = 2, SEEDS = 2, FROM = 200, TO = 800 /* the measurement of RUN */ };

/* Of a class in the measurement of a seed. */
struct sums {
  uint64_t offered, flits, messages;
  double total, net; /* latencies */
};

static void read_series(struct sums sums[SEEDS][CLASSES]) {
  char *text = read_file(in_folder("figures_of/series.csv")), *rest = NULL;
  assert_non_null(text);
  memset(sums, 0, SEEDS * sizeof *sums);
  strtok_r(text, "\n", &rest);
  for (const char *line; (line = strtok_r(NULL, "\n", &rest)) != NULL;) {
    uint64_t seed, cycle, offered, flits, messages;
    char class;
    double total, net;
    assert_int_equal(
        sscanf(line, "%" SCNu64 ",%" SCNu64 ",%c,%" SCNu64 ",%" SCNu64 ",%" SCNu64 ",%lf,%lf",
               &seed, &cycle, &class, &offered, &flits, &messages, &total, &net),
        8);
    if (cycle <= FROM || cycle > TO)
      continue;
    struct sums *s = &sums[seed - 1][class - 'A'];
    s->offered += offered;
    s->flits += flits;
    s->messages += messages;
    s->total += total * (double)messages;
    s->net += net * (double)messages;
  }
  free(text);
}

/* Bins of a class: one above the other, at places that are multiples of their size; all messages.
 */
static uint64_t read_bins(const char *class, const char *latency) {
  char *text = read_file(in_folder("figures_of/latency.csv")), *rest = NULL, prefix[20];
  int length = snprintf(prefix, sizeof prefix, "%s,%s,", class, latency);
  uint64_t sum = 0, above = 0;
  assert_non_null(text);
  for (const char *line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
    uint64_t from, to, messages;
    if (strncmp(line, prefix, (size_t)length) != 0)
      continue;
    assert_int_equal(
        sscanf(line + length, "%" SCNu64 ",%" SCNu64 ",%" SCNu64, &from, &to, &messages), 3);
    assert_true(from >= above && to >= from && from % (to + 1 - from) == 0);
    above = to + 1;
    sum += messages;
  }
  free(text);
  return sum;
}

/* A metric is the mean of those of the two seeds, each of them off by `rounding` at most. */
static void assert_mean(const json_t *class, const char *metric, double one, double two,
                        double rounding) {
  const double t = 12.7062; /* of one degree of freedom */
  const json_t *m = json_object_get(class, metric);
  double off = json_number_value(json_object_get(m, "mean")) - (one + two) / 2;
  double wide = json_number_value(json_object_get(m, "interval")) -
                t * (one > two ? one - two : two - one) / 2;
  double most = rounding + 1e-6;
  if (off > most || -off > most || wide > t * most || -wide > t * most)
    fail_msg("%s: off by %f, its interval by %f", metric, off, wide);
}

/* Quantiles rise with their part. */
static void assert_quantiles(const json_t *class, const char *latency) {
  static const char *const names[] = {"q50", "q90", "q99", "q999"};
  double last = 0;
  char key[20];
  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
    snprintf(key, sizeof key, "%s_%s", latency, names[i]);
    assert_true(mean_of(class, key) >= last);
    last = mean_of(class, key);
  }
  snprintf(key, sizeof key, "%s_max", latency);
  assert_true((double)count_of(class, key) >= last);
}

/* What stands beside the runs is their sum. */
static void assert_sums(const json_t *root) {
  static const char *const keys[] = {"posted", "received", "flit_hops", "cycles"};
  const json_t *runs = json_object_get(root, "runs");
  assert_int_equal(json_array_size(runs), SEEDS);
  for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++)
    assert_int_equal(count_of(root, keys[i]), count_of(json_array_get(runs, 0), keys[i]) +
                                                  count_of(json_array_get(runs, 1), keys[i]));
}

/* Latencies, loads and shares of summary.json follow from series.csv. */
static void figures_of_the_summary_follow_from_the_series(void **state) {
  (void)state;
  const double rounding = 0.005; /* of latencies in the series */
  struct sums s[SEEDS][CLASSES];
  write_file("fabric.yaml", TINY_TREE);
  assert_run(0, "run @ --seeds 2 -o @", in_folder("fabric.yaml"), in_folder("figures_of"));
  json_t *root = json_load_file(in_folder("figures_of/summary.json"), 0, NULL);
  assert_non_null(root);
  assert_sums(root);
  read_series(s);
  double hosts = (double)count_of(root, "hosts") * (TO - FROM);
  for (size_t c = 0; c < CLASSES; c++) {
    const json_t *class = json_array_get(json_object_get(root, "classes"), c);
    const struct sums *a = &s[0][c], *b = &s[1][c];
    uint64_t messages = a->messages + b->messages;
    assert_true(messages > 0);
    assert_int_equal(count_of(class, "messages"), messages);
    assert_int_equal(read_bins(c ? "B" : "A", "total"), messages);
    assert_int_equal(read_bins(c ? "B" : "A", "net"), messages);
    assert_quantiles(class, "total");
    assert_quantiles(class, "net");
    assert_mean(class, "offered", (double)a->offered / hosts, (double)b->offered / hosts, 0);
    assert_mean(class, "accepted", (double)a->flits / hosts, (double)b->flits / hosts, 0);
    assert_mean(class, "percent", 100 * (double)a->flits / (double)a->offered,
                100 * (double)b->flits / (double)b->offered, 0);
    assert_mean(class, "share", 100 * (double)a->flits / (double)(s[0][0].flits + s[0][1].flits),
                100 * (double)b->flits / (double)(s[1][0].flits + s[1][1].flits), 0);
    assert_mean(class, "total_mean", a->total / (double)a->messages, b->total / (double)b->messages,
                rounding);
    assert_mean(class, "net_mean", a->net / (double)a->messages, b->net / (double)b->messages,
                rounding);
  }
  json_decref(root);
}

static void wrong_options_of_run_are_refused_with_one_line(void **state) {
  (void)state;
  assert_refused("run", "loom run: FILE: missing");
  assert_refused("run a b", "loom run: argument: `b` is one file too many");
  assert_refused("run a --set b", "loom run: --set: `b` is not KEY=VALUE");
  assert_refused("run a --jobs 0", "loom run: --jobs: 0 is outside 1..256");
  assert_refused("run vectors/fabric/tree-2-2.yaml --set run.x=1",
                 "vectors/fabric/tree-2-2.yaml:0: run.x: unknown key (after changes)");
  assert_refused(
      "run vectors/fabric/tree-2-2.yaml --set topology.trunk=200",
      "vectors/fabric/tree-2-2.yaml:0: topology.trunk: cannot be so; docs/topo.md gives the "
      "bounds (after changes)");
  assert_refused("run vectors/fabric/tree-2-2.yaml --set topology.k=200",
                 "vectors/fabric/tree-2-2.yaml:0: topology.k: cannot be so; docs/topo.md gives the "
                 "bounds (after changes)");
  assert_refused("run vectors/fabric/qsnet3-1024.yaml --set switch.parameters.VCS=2",
                 "vectors/fabric/qsnet3-1024.yaml:0: switch.parameters: BVCS must be below "
                 "VCS: 4, 2 (after changes)");
  assert_refused("sweep a", "loom sweep: --output: missing");
  setenv("LOOM_JOBS", "many", 1);
  assert_refused("run a", "loom run: LOOM_JOBS: `many` is not a whole number");
  assert_refused("run a --jobs 1", "a:0: file: cannot open: No such file or directory");
  setenv("LOOM_JOBS", "257", 1);
  assert_refused("sweep a -o b", "loom sweep: LOOM_JOBS: 257 is outside 1..256");
  unsetenv("LOOM_JOBS");
  assert_refused("plot", "loom plot: DIR: missing");
  assert_refused("plot build", "loom plot: DIR: build holds no sweep and no run");
}

/* ---- shapes ---------------------------------------------------------------------------------- */

/* The engine that is usual for a shape can route it: also a KNS whose networks are trees. */
static void the_usual_engine_of_a_shape_can_route_it(void **state) {
  (void)state;
  static const char *const shapes[] = {"kind: kns, k: 4, n: 2, radix: 2",
                                       "kind: kns, k: 5, n: 2, radix: 2, nodes: 2, trunk: 2",
                                       "kind: kns, k: 4, n: 2, radix: 4",
                                       "kind: tree, k: 2, n: 3, full: true",
                                       "kind: slim",
                                       "kind: torus, size: 3x3, nodes: 1",
                                       "kind: qsnet3, nodes: 32, links: 2"};
  for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++) {
    char text[800];
    snprintf(text, sizeof text,
             "---\nname: u\ntopology: {%s}\n"
             "switch: {kind: ib, scheduler: rr, parameters: {ARB_KEY: 0}}\n" TWO,
             shapes[i]);
    json_decref(delivered_by(text));
  }
}

/* What cannot be is blamed on a number that was given. */
static void a_shape_that_cannot_be_is_blamed_on_a_given_number(void **state) {
  (void)state;
  static const struct {
    const char *shape, *option;
  } bad[] = {{"tree --k 128 --n 2", "--k: a tree"},
             {"tree --k 8 --n 2 --trunk 90", "--trunk: a tree"},
             {"torus --size 8x8 --nodes 255", "--nodes: a torus"},
             {"torus --size 8x8 --nodes 5 --trunk 90", "--trunk: a torus"},
             {"kns --k 256 --n 2", "--k: a kns"},
             {"kns --k 256 --n 2 --radix 1", "--radix: a kns"},
             {"kns --k 200 --n 2 --radix 150", "--radix: a kns"},
             {"kns --k 16 --n 2 --nodes 254", "--nodes: a kns"},
             {"kns --k 16 --n 2 --trunk 20", "--trunk: a kns"},
             {"kns --k 16 --n 2 --ports 15", "--ports: a kns"}};
  for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
    char command[80], line[120];
    snprintf(command, sizeof command, "topo %s", bad[i].shape);
    snprintf(line, sizeof line, "loom topo: %s cannot be so; docs/topo.md gives the bounds",
             bad[i].option);
    assert_refused(command, line);
  }
}

/* ---- memory ---------------------------------------------------------------------------------- */

#ifndef __SANITIZE_ADDRESS__ /* which takes more addresses than any limit leaves */
static int run_with_little_memory(void) {
  enum { ROOM = 1 << 29 };
  const struct rlimit little = {.rlim_cur = ROOM, .rlim_max = ROOM};
  setrlimit(RLIMIT_AS, &little);
  struct outcome o = run("run @ --quiet --jobs 1", in_folder("large.yaml"), "");
  bool one = strchr(o.err, '\n') == o.err + strlen(o.err) - 1;
  return one && strstr(o.err, "loom run: memory: 192 switches take about ") &&
                 strstr(o.err, " MB more, but only ")
             ? o.status
             : 98;
}

/* The first of its switches tell what all will take. */
static void a_fabric_that_memory_does_not_suffice_for_says_how_much_it_takes(void **state) {
  (void)state;
  write_file("large.yaml", "---\nname: l\ntopology: {kind: tree, k: 8, n: 3}\n"
                           "switch: {kind: ib, scheduler: rr, parameters: {ARB_KEY: 0}}\n" TWO);
  assert_int_equal(in_child(run_with_little_memory), 1);
}
#endif

static uint64_t whole(const json_t *object, const char *key) {
  const json_t *value = json_object_get(object, key);
  assert_true(json_is_integer(value));
  return (uint64_t)json_integer_value(value);
}

/* Nothing is written, and the parts make the sum. */
static void a_dry_run_says_what_the_run_will_need(void **state) {
  (void)state;
  static const char command[] = "run --dry-run vectors/fabric/tree-8-3.yaml -o @ --jobs 6 @";
  struct outcome o = run(command, in_folder("dry"), "--seeds 2");
  assert_int_equal(o.status, 0);
  assert_string_equal(o.err, "");
  assert_non_null(strstr(o.out, "tree-8-3: 512 hosts, 192 switches, 1536 links; seeds: 2\n"));
  assert_non_null(strstr(o.out, "\nmemory: about "));
  assert_non_null(strstr(o.out, " bytes for 2 runs at a time"));
  assert_non_null(strstr(o.out, "\ncores: 3 for each of 2 runs at a time\n"));
  drop(&o);
  json_t *root = json_of(command, in_folder("dry"), "--seeds 2 --json");
  const json_t *bytes = json_object_get(root, "bytes");
  assert_int_equal(whole(root, "hosts"), 512);
  assert_int_equal(whole(root, "switches"), 192);
  assert_int_equal(whole(root, "links"), 1536);
  assert_int_equal(whole(root, "seeds"), 2);
  assert_int_equal(whole(root, "runs"), 2);
  assert_int_equal(whole(root, "workers"), 3);
  assert_int_equal(whole(bytes, "all"), whole(bytes, "shared") + 2 * whole(bytes, "run"));
  uint64_t devices = 512 * whole(bytes, "host") + 192 * whole(bytes, "switch");
  assert_in_range(whole(bytes, "run"), devices, devices + devices / 4);
  json_decref(root);
  assert_int_equal(access(in_folder("dry"), F_OK), -1);
}

/* As the run itself would be. */
static void a_dry_run_refuses_what_the_run_would(void **state) {
  (void)state;
  static const char *const wrong[] = {
      "vectors/fabric/qsnet3-1024.yaml --set switch.parameters.VCS=2",
      "vectors/fabric/shadow-tree-4-3.yaml", "vectors/fabric/tree-2-2.yaml --engine packet",
      "nowhere.yaml"};
  for (uint32_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    struct outcome real = run("run @", wrong[i], ""), dry = run("run --dry-run @", wrong[i], "");
    assert_int_not_equal(real.status, 0);
    assert_int_equal(dry.status, real.status);
    assert_string_equal(dry.err, real.err);
    assert_string_equal(dry.out, "");
    drop(&real);
    drop(&dry);
  }
}

/* ---- what goes wrong ------------------------------------------------------------------------- */

static void a_ring_with_one_lane_is_refused_or_deadlocks(void **state) {
  (void)state;
  write_file("ring.yaml", RING("{layering: none}"));
  struct outcome o = run("run @", in_folder("ring.yaml"), "");
  assert_int_equal(o.status, 1);
  assert_non_null(strstr(o.err, "may deadlock"));
  drop(&o);
  write_file("ring.yaml", RING("{layering: none, allow_cycles: true}"));
  o = run("run @", in_folder("ring.yaml"), "");
  assert_int_equal(o.status, 1);
  assert_non_null(strstr(o.err, "stuck in cycle "));
  assert_non_null(strstr(o.err, "deadlock: "));
  /* Ports 1..4 are the hosts'. */
  assert_non_null(strstr(o.err, "  S1 port 5 output VL 0\n  S2 port 6 input VL 0\n"));
  drop(&o);
}

#define BUBBLES(routing)                                                                           \
  "---\nname: ring\ntopology: {kind: torus, size: 4, nodes: 2}\nrouting: " routing "\n"            \
  "switch: {kind: crossbar, scheduler: rr, parameters: {CELLS_IN: 32, CELLS_OUT: 32}}\n"           \
  "host: {buffer: 4096}\nclasses: [{name: A, sl: 0, vl: 0, mtu: 1024}]\n"                          \
  "traffic: [{class: A, pattern: uniform, size: 2048, load: 1}]\n"                                 \
  "run: {warmup: 0, measure: 12000, drain: 200000, watchdog: 3000, seeds: 1}\n...\n"

/* Rings of different length and trunks, and crossed ones, with the least buffers: without a bubble
 * all get stuck, with one none does. */
static void a_ring_with_one_lane_goes_on_with_a_bubble(void **state) {
  (void)state;
  static const char *const rings[][3] = {
      {"5", "2", "1"}, {"6", "2", "1"}, {"8", "2", "1"}, {"7", "4", "2"}, {"4x4", "4", "1"}};
  for (size_t i = 0; i < sizeof rings / sizeof rings[0]; i++) {
    char set[200];
    snprintf(set, sizeof set,
             "--set topology.size=%s --set topology.nodes=%s --set topology.trunk=%s", rings[i][0],
             rings[i][1], rings[i][2]);
    write_file("ring.yaml", BUBBLES("{layering: none, allow_cycles: true}"));
    struct outcome o = run("run @ @", set, in_folder("ring.yaml"));
    assert_int_equal(o.status, 1);
    assert_non_null(strstr(o.err, "deadlock: "));
    drop(&o);
    write_file("ring.yaml", BUBBLES("{layering: bubble}"));
    json_t *root = json_of("run --json @ @", set, in_folder("ring.yaml"));
    assert_delivered(root);
    json_decref(root);
  }
  assert_run(0, "run --quiet --engine both @", in_folder("ring.yaml"), "");
}

static void what_would_fill_a_bubble_is_refused(void **state) {
  (void)state;
  static const char *const wrong[][2] = {
      {"--set traffic[0].size=1536", "traffic[0].size: with bubbles all packets are as large as"},
      {"--set classes[0].packet=64", "classes[0].mtu: bubbles are for packets, not for trains"},
      {"--set switch.parameters.VLS=17", "switch.parameters.VLS: with bubbles there are 16"},
      {"--set switch.parameters.CELLS_OUT=31", "vls: with bubbles VL 0 needs reserved from 2048"},
      {"--set switch.kind=ib", "routing.layering: ib switches keep no bubbles"}};
  write_file("ring.yaml", BUBBLES("{layering: bubble}"));
  for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++)
    assert_says(wrong[i][1], "run @ @", wrong[i][0], in_folder("ring.yaml"));
}

/* With three hosts the way on leads from one MPort to the other, through a central unit. */
static void a_ring_of_mport_switches_deadlocks_through_their_centre(void **state) {
  (void)state;
  write_file("ring.yaml", RING_OF("mport", "CELLS_IN: 16, CELLS_CENTRAL: 16, CELLS_OUT: 16",
                                  "{layering: none, allow_cycles: true}", "vl: 0"));
  static const char command[] = "run @ --set topology.nodes=@";
  for (unsigned nodes = 3; nodes <= 4; nodes++) {
    struct outcome o = run(command, in_folder("ring.yaml"), nodes == 3 ? "3" : "4");
    char up[100], down[100]; /* the circle of either direction */
    snprintf(up, sizeof up, "  S1 port %u output VL 0\n  S2 port %u input VL 0\n", nodes + 1,
             nodes + 2);
    snprintf(down, sizeof down, "  S2 port %u output VL 0\n  S1 port %u input VL 0\n", nodes + 2,
             nodes + 1);
    assert_int_equal(o.status, 1);
    assert_non_null(strstr(o.err, "deadlock: "));
    assert_true(strstr(o.err, up) || strstr(o.err, down));
    drop(&o);
  }
}

/* Packets that change the lane behind the dateline go on, whoever changes it: the path (SL2VL) or
 * the turn (SC2SC). */
static void packets_that_change_the_lane_at_the_dateline_go_on(void **state) {
  (void)state;
  static const char *const rings[] = {
      RING_OF("ib", "ARB_KEY: 0, CELLS_IN: 32, CELLS_OUT: 32", "{layering: path}", "vls: [0, 1]"),
      RING_OF("opa", "CELLS_IN: 32, CELLS_CENTRAL: 32, CELLS_OUT: 32", "{layering: turn}",
              "vls: [0, 1]"),
      RING_OF("mport", "CELLS_IN: 32, CELLS_CENTRAL: 32, CELLS_OUT: 32", "{layering: turn}",
              "vls: [0, 1]")};
  for (size_t i = 0; i < sizeof rings / sizeof rings[0]; i++) {
    write_file("ring.yaml", rings[i]);
    json_t *root = json_of("run --json --set run.measure=8000 @", in_folder("ring.yaml"), "");
    assert_delivered(root);
    json_decref(root);
  }
}

/* In the place of a circuit: a switch that sends all packets to one port from the first cycle on.
 */
struct fault {
  struct loom_fabric *fabric;
  uint32_t device, port;
  bool done;
};

static bool attach_fault(void *context, const struct loom_shadow_switch *s, char *why,
                         size_t size) {
  struct fault *f = context;
  (void)why;
  (void)size;
  f->fabric = s->fabric;
  f->device = s->device;
  return true;
}

static bool begin_fault(void *context) {
  struct fault *f = context;
  for (uint32_t lid = 0; lid < 16 && !f->done; lid++)
    loom_fabric_write(f->fabric, f->device, LOOM_SWITCH_REG_LFT + lid, f->port);
  f->done = true;
  return false;
}

static enum loom_shadow_verdict finish_fault(void *context, uint64_t *compared, char *text,
                                             size_t size) {
  (void)context;
  (void)compared;
  (void)text;
  (void)size;
  return LOOM_SHADOW_SAME;
}

static struct loom_built_counts counts_with_fault(uint32_t port) {
  const struct loom_edit edit = {"shadow", "[S0-0]"};
  struct loom_error err = {.line = ""};
  struct loom_plan_error refused = {.status = 0};
  struct fault fault = {.port = port};
  const struct loom_shadow shadow = {
      .attach = attach_fault, .stopped = begin_fault, .finish = finish_fault, .context = &fault};
  struct loom_point point;
  struct loom_edited_spec *c =
      loom_edited_spec_read("vectors/fabric/tree-2-2.yaml", &edit, 1, &err);
  assert_non_null(c);
  struct loom_plan *plan = loom_plan_create(&c->spec, &refused);
  assert_non_null(plan);
  loom_point_run(&point, plan, 1, &shadow, NULL, NULL);
  assert_int_equal(point.refused.status, 0);
  assert_false(loom_point_good(&point));
  const struct loom_built_counts counts = point.counts;
  loom_point_free(&point);
  loom_plan_destroy(plan);
  loom_edited_spec_free(c);
  return counts;
}

/* Packets that a switch drops, and those that come to a host that they are not for. */
static void packets_of_wrong_tables_are_counted_as_dropped_or_stray(void **state) {
  (void)state;
  struct loom_built_counts c = counts_with_fault(LOOM_SWITCH_NOWHERE);
  assert_true(c.dropped > 0);
  assert_int_equal(c.stray, 0);
  c = counts_with_fault(0);
  assert_true(c.stray > 0);
  assert_int_equal(c.dropped, 0);
}

/* Each of these alone is enough. */
static void each_count_of_something_wrong_alone_makes_a_point_bad(void **state) {
  (void)state;
  const struct loom_point good = {.result = {.posted = 5, .received = 5}};
  struct loom_point bad[] = {good, good, good, good, good, good};
  assert_true(loom_point_good(&good));
  bad[0].result.received = 4;
  bad[1].result.outcome = LOOM_OUTCOME_BUSY;
  bad[2].counts.dropped = 1;
  bad[3].counts.stray = 1;
  bad[4].refused.status = 1;
  bad[5].cut = true;
  for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
    assert_false(loom_point_good(&bad[i]));
}

/* Of several seeds. */
static void the_worst_outcome_of_several_seeds_counts(void **state) {
  (void)state;
  struct loom_error err = {.line = ""};
  static const enum loom_outcome outcome[] = {LOOM_OUTCOME_DONE, LOOM_OUTCOME_BUSY,
                                              LOOM_OUTCOME_DONE, LOOM_OUTCOME_STUCK};
  static const char *const worst[] = {"done", "busy", "unfinished", "stuck"};
  struct loom_point point[4];
  struct loom_edited_spec *c = loom_edited_spec_read("vectors/fabric/tree-2-2.yaml", NULL, 0, &err);
  assert_non_null(c);
  for (size_t i = 0; i < 4; i++) {
    point[i] = (struct loom_point){
        .classes = 1, .hosts = 4, .cut = i >= 2, .result = {.outcome = outcome[i]}};
    point[i].result.metrics = calloc(2, sizeof *point[i].result.metrics);
    assert_non_null(point[i].result.metrics);
  }
  for (uint32_t i = 0; i < 4; i++)
    for (uint32_t j = 0; j < 4; j++) {
      struct loom_point pair[] = {point[i], point[j]};
      struct loom_report report;
      assert_true(loom_report_make(&report, &c->spec, pair, 2, NULL));
      json_t *root = loom_report_json(&report);
      assert_string_equal(json_string_value(json_object_get(root, "outcome")),
                          worst[i > j ? i : j]);
      json_decref(root);
      loom_report_free(&report);
    }
  for (size_t i = 0; i < 4; i++)
    loom_point_free(&point[i]);
  loom_edited_spec_free(c);
}

/* What builds the circuits is said: there are none beside a test. */
static void a_run_without_circuits_says_what_builds_them(void **state) {
  (void)state;
  struct outcome o = loom("run vectors/fabric/shadow-tree-4-3.yaml");
  assert_int_equal(o.status, 2);
  assert_non_null(strstr(o.err, "shadow: no circuits here: "));
  assert_non_null(strstr(o.err, "; `make shadow FABRIC=FILE` builds them\n"));
  drop(&o);
}

static void messages_that_are_not_drained_are_said_and_fail_the_run(void **state) {
  (void)state;
  struct outcome o = loom("run vectors/fabric/tree-2-2.yaml --set load=2 --set run.drain=1");
  assert_int_equal(o.status, 1);
  assert_non_null(strstr(o.err, "messages still under way after 1 cycles of drain"));
  assert_non_null(strstr(o.out, " messages under way\n"));
  drop(&o);
}

/* ---- files that a fabric names --------------------------------------------------------------- */

/* OpenSM's LASH: tables, and the SL of each path from its records. They are kept, too. */
static void opensms_lash_runs_by_its_path_records(void **state) {
  (void)state;
  static const char fabric[] =
      "---\nname: l\ntopology: {file: ../../vectors/net/kns-2-2.net}\n"
      "routing: {lfts: ../../vectors/net/kns-2-2-lash.lfts, path_records: lash.paths}\n"
      "switch: {kind: ib, scheduler: rr}\n"
      "classes: [{name: A, sl: 0, vls: [0, 1, 2], mtu: 128}]\n"
      "traffic: [{class: A, pattern: uniform, size: 256, load: 0.4, process: poisson}]\n"
      "run: {warmup: 200, measure: 600}\n...\n";
  struct loom_source src;
  struct loom_error err = {.line = ""};
  assert_true(loom_source_read_all(&src, "vectors/net/kns-2-2-lash.paths", &err));
  write_file("lash.paths", src.text);
  write_file("lash.yaml", fabric);
  json_t *root = json_of("run --json @ -o @", in_folder("lash.yaml"), in_folder("lash"));
  assert_delivered(root);
  json_decref(root);
  assert_true(is_there("lash/lash.paths"));
  assert_run(0, "run @ -o @", in_folder("lash/fabric.yaml"), in_folder("lash2"));
  assert_same_summary("lash/summary.json", "lash2/summary.json");
  src.text[src.size / 2] = 0;
  write_file("lash.paths", src.text);
  struct outcome o = run("run @", in_folder("lash.yaml"), "");
  assert_int_equal(o.status, 2);
  assert_non_null(strstr(o.err, "lash.paths:"));
  drop(&o);
  loom_source_free(&src);
}

/* Our own, with a lane for each layer. */
static void lash_and_dfsssp_run_on_the_lanes_of_their_layers(void **state) {
  (void)state;
  static const char *const engine[] = {"lash, cover: all", "lash, vls: 3", "dfsssp, vls: 3"};
  for (size_t i = 0; i < sizeof engine / sizeof engine[0]; i++) {
    char fabric[600];
    snprintf(fabric, sizeof fabric,
             "---\nname: l\ntopology: {kind: torus, size: 3x3}\nrouting: {engine: %s}\n"
             "switch: {kind: ib, scheduler: rr}\n"
             "classes: [{name: A, sl: 4, vls: [3, 0, 1], mtu: 128}]\n"
             "traffic: [{class: A, pattern: uniform, size: 256, load: 0.4, process: poisson}]\n"
             "run: {warmup: 200, measure: 600}\n...\n",
             engine[i]);
    write_file("layers.yaml", fabric);
    json_t *root = json_of("run --json @", in_folder("layers.yaml"), "");
    assert_delivered(root);
    json_decref(root);
  }
}

/* Tables and limit from opensm.conf: the same run as with tables in the file; they are kept, too.
 */
static void tables_from_opensm_conf_run_as_tables_in_the_file(void **state) {
  (void)state;
  static const char fabric[] =
      "---\nname: l\ntopology: {kind: tree, k: 2, n: 2}\n"
      "switch: {kind: ib, scheduler: ibarb}\n"
      "classes: [{name: A, sl: 0, vl: 0, mtu: 128}, {name: B, sl: 1, vl: 3, mtu: 128}]\n"
      "%s\n"
      "traffic: [{class: A, pattern: uniform, size: 256, load: 0.9, process: poisson},\n"
      "          {class: B, pattern: uniform, size: 256, load: 0.9, process: poisson}]\n"
      "run: {warmup: 200, measure: 2000}\n...\n";
  char text[1000];
  snprintf(text, sizeof text, fabric,
           "high: [{vl: 0, weight: 9}, {vl: 3, weight: 4}, {vl: 0, weight: 0}]\n"
           "low: [{vl: 3, weight: 60}, {vl: 0, weight: 7}]\nlimit: 2");
  write_file("inline.yaml", text);
  snprintf(text, sizeof text, fabric, "opensm: opensm.conf");
  write_file("conf.yaml", text);
#define TABLES "qos_vlarb_high 0:9,5:4,3:4,0:0\nqos_vlarb_low 3:60,7:1,0:7\n"
  write_file("opensm.conf", TABLES "qos_swe_high_limit 2\nqos_ca_high_limit 2\n");
  assert_run(0, "run @ -o @", in_folder("inline.yaml"), in_folder("inline"));
  assert_run(0, "run @ -o @", in_folder("conf.yaml"), in_folder("conf"));
  assert_same_summary("inline/summary.json", "conf/summary.json");
  assert_run(0, "run @ -o @", in_folder("conf/fabric.yaml"), in_folder("conf2"));
  assert_same_summary("conf/summary.json", "conf2/summary.json");
  /* Entries of VLs that no class has take no place in the switch. */
  assert_run(0, "run @ --set switch.parameters.N_HIGH=3 -o @", in_folder("conf.yaml"),
             in_folder("conf3"));
  assert_says("opensm.conf:0: qos_vlarb_high: more entries of VLs in use than the 2 of the switch",
              "run @ --set switch.parameters.N_HIGH=2", in_folder("conf.yaml"), "");
  static const struct {
    const char *text, *why;
  } bad[] = {
      {TABLES "qos_swe_high_limit 2\n",
       "opensm.conf:0: qos_ca_vlarb_high: tables and limit of hosts must be those of switches"},
      {TABLES "qos_ca_vlarb_low 3:60,0:7\n", "opensm.conf:0: qos_ca_vlarb_high: tables and limit"},
      {TABLES "qos_swe_vlarb_high 0:9\n", "opensm.conf:0: qos_ca_vlarb_high: tables and limit"},
      {"qos_vlarb_high 0:9\nqos_vlarb_low 0:9\n",
       "conf.yaml:6: opensm: class B would never be served"},
      {"qos_vlarb_high 0:9\nqos x\n", "opensm.conf:2: qos: must be TRUE or FALSE"},
  };
  for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
    write_file("opensm.conf", bad[i].text);
    struct outcome o = run("run @", in_folder("conf.yaml"), "");
    assert_int_equal(o.status, 2);
    assert_non_null(strstr(o.err, bad[i].why));
    drop(&o);
  }
}

/* With one flit a cycle the crossbar takes the VLs in turn, whatever the tables say (IB-01). */
static void tables_of_infiniband_decide_unless_the_file_asks_for_speedup_1(void **state) {
  (void)state;
  static const char fabric[] =
      "---\nname: t\ntopology: {kind: torus, size: 4x4, nodes: 1}\n"
      "switch: {kind: ib, scheduler: %s}\n"
      "classes: [{name: HI, sl: 0, vls: [0, 1], mtu: 256},\n"
      "          {name: LO, sl: 4, vls: [2, 3], mtu: 2048}]\n%s"
      "traffic: [{class: HI, pattern: random, size: 256, load: 0.2, process: poisson},\n"
      "          {class: LO, pattern: random, size: 2048, load: 0.6, process: poisson}]\n"
      "run: {warmup: 2000, measure: 12000, seeds: 1}\n...\n";
  static const char tables[] = "high: [{vl: 0, weight: 32}, {vl: 1, weight: 32}]\n"
                               "low: [{vl: 2, weight: 32}, {vl: 3, weight: 32}]\nlimit: 255\n";
  char text[1200];
  double hi[2][2]; /* by speed-up less one, by scheduler */
  for (unsigned table = 0; table < 2; table++) {
    snprintf(text, sizeof text, fabric, table ? "ibarb" : "rr", table ? tables : "");
    write_file("decide.yaml", text);
    for (unsigned two = 0; two < 2; two++) {
      json_t *root =
          json_of(two ? "run @ --json" : "run @ --json --set switch.parameters.SPEEDUP=1",
                  in_folder("decide.yaml"), "");
      hi[two][table] = mean_of(json_array_get(json_object_get(root, "classes"), 0), "net_mean");
      json_decref(root);
    }
  }
  assert_true(hi[1][1] < 0.7 * hi[1][0]);
  assert_true(hi[0][1] > 0.9 * hi[0][0]);
}

static void what_opensm_conf_leaves_out_is_the_default_of_opensm(void **state) {
  (void)state;
  static const char fabric[] =
      "---\nname: l\ntopology: {kind: tree, k: 2, n: 2}\n"
      "switch: {kind: ib, scheduler: ibarb}\n"
      "classes: [{name: A, sl: 0, vl: 0, mtu: 128}, {name: B, sl: 1, vl: 3, mtu: 128}]\n"
      "%s\n"
      "traffic: [{class: A, pattern: uniform, size: 256, load: 0.9, process: poisson},\n"
      "          {class: B, pattern: uniform, size: 256, load: 0.9, process: poisson}]\n"
      "run: {warmup: 200, measure: 2000}\n...\n";
  char text[1000];
  snprintf(text, sizeof text, fabric,
           "high: [{vl: 0, weight: 4}, {vl: 3, weight: 0}]\n"
           "low: [{vl: 0, weight: 0}, {vl: 3, weight: 4}]\nlimit: 0");
  write_file("inline.yaml", text);
  snprintf(text, sizeof text, fabric, "opensm: opensm.conf");
  write_file("conf.yaml", text);
  write_file("opensm.conf", "qos FALSE\nqos_vlarb_high (null)\n");
  assert_run(0, "run @ -o @", in_folder("inline.yaml"), in_folder("inline"));
  assert_run(0, "run @ -o @", in_folder("conf.yaml"), in_folder("defaults"));
  assert_same_summary("inline/summary.json", "defaults/summary.json");
}

/* Ways over other groups are longer or shorter by LID. All messages of a pair go as its first one
 * does, or each its own way. */
static void hosts_draw_a_lid_for_each_message_or_once_for_each_pair(void **state) {
  (void)state;
  static const char *const fabric =
      "---\nname: v\ntopology: {kind: dragonfly, routers: 2, globals: 1}\n"
      "routing: {engine: dragonfly-valiant}\nhost: {paths: %s}\nswitch: {kind: ib, scheduler: rr}\n"
      "classes: [{name: A, sl: 0, vls: [0, 1, 2], mtu: 128}]\n"
      "traffic: [{class: A, pattern: shift, shift: 2, size: 128, load: 0.1, messages: %d}]\n" RUN;
  static const struct {
    const char *paths;
    int messages;
  } run[] = {{"pair", 1}, {"pair", 5}, {"message", 5}};
  int64_t hops[3];
  for (unsigned i = 0; i < 3; i++) {
    char text[600];
    snprintf(text, sizeof text, fabric, run[i].paths, run[i].messages);
    json_t *root = delivered_by(text);
    hops[i] = count_of(root, "flit_hops");
    json_decref(root);
  }
  assert_int_equal(hops[1], 5 * hops[0]);
  assert_int_not_equal(hops[2], 5 * hops[0]);
}

/* Thresholds that no load reaches leave all packets on the shortest way, low ones do not. */
static void assert_longer_under_load(const char *topology, const char *engine, unsigned shift) {
  static const char *const fabric =
      "---\nname: v\ntopology: {%s}\n"
      "routing: {engine: %s, loads: [%s]}\nswitch: {kind: crossbar, scheduler: rr}\n"
      "classes: [{name: A, sl: 0, vls: [0, 1, 2], mtu: 128}]\n"
      "traffic: [{class: A, pattern: shift, shift: %u, size: 128, load: 0.5, messages: 20}]\n" RUN;
  static const char *const loads[] = {"8189, 8190, 8191", "2, 8, 32"};
  int64_t hops[2], cycles[2];
  for (unsigned i = 0; i < 2; i++) {
    char text[600];
    snprintf(text, sizeof text, fabric, topology, engine, loads[i], shift);
    json_t *root = delivered_by(text);
    hops[i] = count_of(root, "flit_hops");
    cycles[i] = count_of(root, "cycles");
    json_decref(root);
  }
  assert_true(hops[1] > hops[0]);
  assert_true(cycles[1] < cycles[0]);
}

static void ugal_takes_the_longer_way_where_the_shorter_one_is_loaded(void **state) {
  (void)state;
  assert_longer_under_load("kind: dragonfly, routers: 3, globals: 1, nodes: 2", "dragonfly-ugal",
                           6);
  assert_longer_under_load("kind: dragonflyplus, leaves: 2, spines: 2, globals: 2, nodes: 2",
                           "dragonflyplus-ugal", 4);
  assert_longer_under_load("kind: hyperx, size: 4, nodes: 4", "dor-ugal", 4);
}

/* A run that a signal ends says that nothing of it is kept, and what was there stays. */
static void a_run_that_is_ended_says_so_and_keeps_nothing(void **state) {
  (void)state;
  int status = 0;
  pid_t child = 0;
  char why[COMMAND];
  assert_run(0, "run @ -o @", "vectors/fabric/tree-2-2.yaml", in_folder("ended"));
  char *before = read_file(in_folder("ended/summary.json"));
  pid_t pid = fork();
  assert_true(pid >= 0);
  if (pid == 0) {
    struct outcome o = run("run @ --set run.measure=100000000 --seeds 3 --jobs 1 -o @",
                           "vectors/fabric/tree-2-2.yaml", in_folder("ended"));
    write_file("ended.txt", o.err);
    _exit(o.status);
  }
  for (unsigned i = 0; i < 5000 && !child; i++) {
    usleep(1000);
    child = child_of(pid);
  }
  assert_true(child > 0);
  kill(pid, SIGTERM);
  assert_int_equal(waitpid(pid, &status, 0), pid);
  assert_true(WIFEXITED(status));
  assert_int_equal(WEXITSTATUS(status), 1);
  snprintf(why, sizeof why,
           "loom run: runs: ended by signal 15 (Terminated); 0 of 3 seeds were done, nothing is "
           "kept, %s is as it was\n",
           in_folder("ended"));
  char *said = read_file(in_folder("ended.txt"));
  assert_string_equal(said, why);
  char *after = read_file(in_folder("ended/summary.json"));
  assert_string_equal(after, before);
  free(said);
  free(after);
  free(before);
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_kind_of_fabric_delivers_all_messages),
      cmocka_unit_test(a_kns_of_its_own_devices_runs_as_one_of_infiniband_switches),
      cmocka_unit_test(wrong_bits_damage_messages_and_lose_none),
      cmocka_unit_test(the_table_tells_what_summary_json_counts),
      cmocka_unit_test(wrong_bits_come_as_often_as_asked_for_on_every_hop),
      cmocka_unit_test(a_longer_link_adds_its_cycles_to_the_latency),
      cmocka_unit_test(published_sets_take_the_same_time_in_both_editions),
      cmocka_unit_test(a_second_edition_takes_its_cycles_in_each_router),
      cmocka_unit_test(results_are_the_same_whatever_the_number_of_jobs),
      cmocka_unit_test(results_say_where_they_come_from),
      cmocka_unit_test(a_configuration_has_the_same_hash_on_any_machine),
      cmocka_unit_test(grants_are_counted_where_tables_decide),
      cmocka_unit_test(results_are_told_in_gigabits_and_nanoseconds),
      cmocka_unit_test(another_seed_gives_another_run),
      cmocka_unit_test(each_seed_has_its_own_places_and_wrong_bits),
      cmocka_unit_test(packets_of_a_train_follow_one_another_without_a_gap),
      cmocka_unit_test(a_train_of_one_packet_is_a_packet),
      cmocka_unit_test(messages_of_traces_are_cut_into_packets_as_well),
      cmocka_unit_test(summary_json_has_every_count_and_metric),
      cmocka_unit_test(summary_json_has_the_part_of_each_class_of_its_table),
      cmocka_unit_test(figures_of_the_summary_follow_from_the_series),
      cmocka_unit_test(wrong_options_of_run_are_refused_with_one_line),
      cmocka_unit_test(the_usual_engine_of_a_shape_can_route_it),
      cmocka_unit_test(a_shape_that_cannot_be_is_blamed_on_a_given_number),
#ifndef __SANITIZE_ADDRESS__
      cmocka_unit_test(a_fabric_that_memory_does_not_suffice_for_says_how_much_it_takes),
#endif
      cmocka_unit_test(a_ring_with_one_lane_is_refused_or_deadlocks),
      cmocka_unit_test(a_ring_with_one_lane_goes_on_with_a_bubble),
      cmocka_unit_test(what_would_fill_a_bubble_is_refused),
      cmocka_unit_test(a_ring_of_mport_switches_deadlocks_through_their_centre),
      cmocka_unit_test(packets_that_change_the_lane_at_the_dateline_go_on),
      cmocka_unit_test(packets_of_wrong_tables_are_counted_as_dropped_or_stray),
      cmocka_unit_test(each_count_of_something_wrong_alone_makes_a_point_bad),
      cmocka_unit_test(the_worst_outcome_of_several_seeds_counts),
      cmocka_unit_test(a_dry_run_says_what_the_run_will_need),
      cmocka_unit_test(a_dry_run_refuses_what_the_run_would),
      cmocka_unit_test(a_run_without_circuits_says_what_builds_them),
      cmocka_unit_test(messages_that_are_not_drained_are_said_and_fail_the_run),
      cmocka_unit_test(opensms_lash_runs_by_its_path_records),
      cmocka_unit_test(lash_and_dfsssp_run_on_the_lanes_of_their_layers),
      cmocka_unit_test(tables_from_opensm_conf_run_as_tables_in_the_file),
      cmocka_unit_test(tables_of_infiniband_decide_unless_the_file_asks_for_speedup_1),
      cmocka_unit_test(what_opensm_conf_leaves_out_is_the_default_of_opensm),
      cmocka_unit_test(hosts_draw_a_lid_for_each_message_or_once_for_each_pair),
      cmocka_unit_test(ugal_takes_the_longer_way_where_the_shorter_one_is_loaded),
      cmocka_unit_test(a_run_that_is_ended_says_so_and_keeps_nothing),
  };
  return UNIT_RUN("run", tests, make_folder, remove_folder);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* What fabrics of twins measure against what queueing theory says (docs/traffic.md): closed forms,
 * and limits that the literature has. Tolerances are those of the statistics themselves. */
#include "tb/unit/unit.h"

#include <jansson.h>
#include <loom/random.h>
#include <math.h>
#include <stdio.h>

#include "tb/unit/run_bench.h"

/* A tree of N levels is a single switch with K hosts when N is 1. */
#define FABRIC(K, N, PATTERN, SIZE, LOAD, MORE)                                                    \
  "---\nname: t\ntopology: {kind: tree, k: " #K ", n: " #N "}\n"                                   \
  "switch: {kind: ib, scheduler: rr, parameters: {CELLS_IN: 256, CELLS_OUT: 256" MORE "}}\n"       \
  "host: {buffer: 16384}\nclasses: [{name: A, sl: 0, vl: 0, mtu: 1024}]\n"                         \
  "traffic: [{class: A, pattern: " PATTERN ", size: " #SIZE ", load: " #LOAD

/* ---- a packet alone -------------------------------------------------------------------------- */

/* Cycles of a packet of `flits` that meets no other, by the transits of docs/fabric.md: into the
 * NIC, out of it over a link, through each switch and over the link behind it, its tail. */
static double alone(unsigned switches, unsigned flits) {
  enum { SOURCE = 1, NIC = 9, INPUT = 3, OUTPUT = 5, LINK = 1 };
  return SOURCE + NIC + LINK + switches * (INPUT + OUTPUT + LINK) + flits - 1.0;
}

static void a_packet_alone_takes_the_sum_of_its_transits(void **state) {
  (void)state;
  /* Through the top of the tree and down again. */
  static const struct {
    const char *text;
    unsigned switches;
  } tree[] = {{FABRIC(4, 1, "complement", 128, 0.001, "") "}]\nrun: {measure: 50000}\n...\n", 1},
              {FABRIC(2, 2, "complement", 128, 0.001, "") "}]\nrun: {measure: 50000}\n...\n", 3},
              {FABRIC(2, 3, "complement", 128, 0.001, "") "}]\nrun: {measure: 50000}\n...\n", 5},
              {FABRIC(2, 4, "complement", 128, 0.001, "") "}]\nrun: {measure: 50000}\n...\n", 7}};
  for (unsigned i = 0; i < sizeof tree / sizeof tree[0]; i++) {
    json_t *root = delivered_by(tree[i].text);
    assert_true(mean_of(json_object_get(root, "all"), "total_mean") == alone(tree[i].switches, 16));
    json_decref(root);
  }
}

/* ---- a single server ------------------------------------------------------------------------- */

static double half_of(const json_t *class, const char *metric) {
  return json_number_value(json_object_get(json_object_get(class, metric), "interval"));
}

/* Within three half widths of the 95 % interval: 6.8 standard errors of ten seeds. */
static void assert_within(const json_t *class, const char *metric, double want, double more) {
  double got = mean_of(class, metric), off = 3 * half_of(class, metric) + more;
  if (fabs(got - want) > off)
    fail_msg("%s is %f instead of %f +- %f", metric, got, want, off);
}

/* The link of a host serves a packet of D flits in D cycles, and one comes in each cycle with
 * chance p: the mean wait is that of Geo/D/1, p D (D - 1) / (2 (1 - p D)), which M/D/1 is for small
 * p. */
static void the_link_of_a_host_makes_packets_wait_as_geo_d_1_does(void **state) {
  (void)state;
  static const struct {
    const char *text;
    double load;
  } run[] = {{FABRIC(2, 1, "pairs", 128, 0.3, "") ", process: poisson}]\n"
                                                  "run: {measure: 100000, seeds: 10}\n...\n",
              0.3},
             {FABRIC(2, 1, "pairs", 128, 0.6, "") ", process: poisson}]\n"
                                                  "run: {measure: 100000, seeds: 10}\n...\n",
              0.6},
             {FABRIC(2, 1, "pairs", 128, 0.8, "") ", process: poisson}]\n"
                                                  "run: {measure: 200000, seeds: 10}\n...\n",
              0.8}};
  for (unsigned i = 0; i < sizeof run / sizeof run[0]; i++) {
    json_t *root = delivered_by(run[i].text);
    const json_t *all = json_object_get(root, "all");
    double wait = run[i].load * 15 / (2 * (1 - run[i].load));
    assert_within(all, "total_mean", alone(1, 16) + wait, 0);
    assert_true(half_of(all, "total_mean") < 0.1 * wait); /* sharp enough to fail */
    json_decref(root);
  }
}

/* ---- an input-queued switch ------------------------------------------------------------------ */

enum { PORTS_MAX = 16, SLOTS = 60000 };

/* The share of slots in which an output is busy, when all inputs are always full and only heads may
 * go: each head picks an output, with `own` also that of its own port, and each output a head. */
static double head_of_line(unsigned ports, bool own) {
  unsigned to[PORTS_MAX];
  uint64_t chance = 1, sent = 0;
  bool fresh[PORTS_MAX];
  for (unsigned i = 0; i < ports; i++)
    fresh[i] = true;
  for (unsigned slot = 0; slot < SLOTS; slot++) {
    unsigned heads[PORTS_MAX] = {0}, winner[PORTS_MAX] = {0};
    for (unsigned i = 0; i < ports; i++) {
      if (fresh[i])
        to[i] = own ? loom_below(&chance, ports) : (i + 1 + loom_below(&chance, ports - 1)) % ports;
      fresh[i] = false;
      if (loom_below(&chance, ++heads[to[i]]) == 0)
        winner[to[i]] = i;
    }
    for (unsigned o = 0; o < ports; o++) {
      fresh[winner[o]] = fresh[winner[o]] || heads[o];
      sent += heads[o] > 0;
    }
  }
  return (double)sent / SLOTS / ports;
}

static void assert_limit(const char *text, unsigned ports) {
  json_t *root = delivered_by(text);
  assert_within(json_object_get(root, "all"), "accepted", head_of_line(ports, false), 0.003);
  json_decref(root);
}

#define FULL(K, MORE)                                                                              \
  FABRIC(K, 1, "uniform", 1024, 1, MORE)                                                           \
  ", process: poisson}]\nrun: {warmup: 10000, measure: 20000, drain: 2000000, seeds: 5}\n...\n"

/* The published limits of the model: 0.75, 0.6553, 0.6184, and 2 - sqrt 2 for many ports. Hosts
 * send nothing to themselves, so that of the fabric is the same model without an input's own
 * output. */
static void one_lane_without_speed_up_carries_the_head_of_line_limit(void **state) {
  (void)state;
  static const struct {
    unsigned ports;
    double limit;
  } published[] = {{2, 0.75}, {4, 0.6553}, {8, 0.6184}};
  for (unsigned i = 0; i < sizeof published / sizeof published[0]; i++)
    assert_true(fabs(head_of_line(published[i].ports, true) - published[i].limit) < 0.003);
  assert_true(head_of_line(PORTS_MAX, true) > 2 - sqrt(2));
  assert_true(head_of_line(PORTS_MAX, true) < 0.6184);
  assert_limit(FULL(4, ", SPEEDUP: 1"), 4);
  assert_limit(FULL(8, ", SPEEDUP: 1"), 8);
  assert_limit(FULL(16, ", SPEEDUP: 1"), 16);
}

/* With a crossbar of twice the speed it is another switch. */
static void speed_up_lifts_the_head_of_line_limit(void **state) {
  (void)state;
  json_t *root = delivered_by(FULL(8, ""));
  assert_true(mean_of(json_object_get(root, "all"), "accepted") > 0.8);
  json_decref(root);
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_packet_alone_takes_the_sum_of_its_transits),
      cmocka_unit_test(the_link_of_a_host_makes_packets_wait_as_geo_d_1_does),
      cmocka_unit_test(one_lane_without_speed_up_carries_the_head_of_line_limit),
      cmocka_unit_test(speed_up_lifts_the_head_of_line_limit),
  };
  return UNIT_RUN("theory", tests, make_folder, remove_folder);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Why packets wait (docs/fabric.md#stalls): the cycles of each packet add up to its latency, a
 * packet alone never waits, and what waits for credits is what the registers count. */
#include "tb/unit/unit.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fabric/stalls.h"
#include "run/build.h"
#include "run/edited_spec.h"
#include "run/plan.h"
#include "run/point.h"
#include "run/statistics.h"
#include "run/waits.h"
#include "switch/mport_switch.h"
#include "switch/switch.h"
#include "tb/unit/run_bench.h"
#include <loom/random.h>

enum { CYCLES = 1 + LOOM_STALLS }; /* columns: transit, then the causes */

/* The cycles at the end of each line of a table, added up; and how many lines there are. */
struct sums {
  uint64_t lines, cycles[CYCLES];
};

/* The numbers after the first `skip` fields of a line; false: they are no such line. */
static bool numbers(const char *line, unsigned skip, uint64_t *number, unsigned count) {
  for (unsigned k = 0; k < skip; k++) {
    line = strchr(line, ',');
    if (!line)
      return false;
    line++;
  }
  for (unsigned k = 0; k < count; k++) {
    char *end;
    number[k] = strtoull(line, &end, 10);
    if (end == line || *end != (k + 1 < count ? ',' : '\n'))
      return false;
    line = end + 1;
  }
  return true;
}

static const char *next_line(const char *at) { return strchr(at, '\n') + 1; }

static struct sums sums_of(const char *text, unsigned skip) {
  struct sums s = {.lines = 0};
  for (const char *at = next_line(text); *at; at = next_line(at), s.lines++) {
    uint64_t cycles[CYCLES];
    assert_true(numbers(at, skip, cycles, CYCLES));
    for (unsigned k = 0; k < CYCLES; k++)
      s.cycles[k] += cycles[k];
  }
  return s;
}

/* Packets whose cycles are not their latency. */
static unsigned wrong_packets(const char *text) {
  enum { SKIP = 5, TIMES = 3 };
  unsigned wrong = 0;
  for (const char *at = next_line(text); *at; at = next_line(at)) {
    uint64_t number[TIMES + CYCLES], sum = 0;
    assert_true(numbers(at, SKIP, number, TIMES + CYCLES));
    for (unsigned k = 0; k < CYCLES; k++)
      sum += number[TIMES + k];
    wrong += sum != number[2] - number[0] || number[1] < number[0] || number[1] >= number[2];
  }
  return wrong;
}

/* Of the lines of stalls.csv of a place, added up: packets, transit, causes. */
static void sum_place(const char *text, const char *place, uint64_t sum[1 + CYCLES]) {
  char name[20];
  int length = snprintf(name, sizeof name, ",%s,", place);
  memset(sum, 0, (1 + CYCLES) * sizeof *sum);
  for (const char *at = next_line(text); *at; at = next_line(at)) {
    const char *device = strchr(at, ',') + 1;
    uint64_t number[1 + CYCLES];
    if (strncmp(strchr(device, ','), name, (size_t)length) != 0)
      continue;
    assert_true(numbers(at, 6, number, 1 + CYCLES));
    for (unsigned k = 0; k < 1 + CYCLES; k++)
      sum[k] += number[k];
  }
}

/* Each packet has left a source, a NIC and a receiver, and as many outputs as inputs. */
static void assert_places(const char *stalls, uint64_t packets) {
  static const char *const once[] = {"source", "nic", "receiver"};
  uint64_t sum[1 + CYCLES], inputs;
  for (unsigned i = 0; i < 3; i++) {
    sum_place(stalls, once[i], sum);
    assert_int_equal(sum[0], packets);
  }
  sum_place(stalls, "input", sum);
  inputs = sum[0];
  assert_true(inputs >= packets);
  sum_place(stalls, "output", sum);
  assert_int_equal(sum[0], inputs);
}

/* The three tables of a run say the same, and each packet adds up. */
static struct sums assert_tables(const char *folder) {
  char name[3][60];
  snprintf(name[0], sizeof name[0], "%s/packets.csv", folder);
  snprintf(name[1], sizeof name[1], "%s/stalls.csv", folder);
  snprintf(name[2], sizeof name[2], "%s/waits.csv", folder);
  char *packets = read_file(in_folder(name[0])), *stalls = read_file(in_folder(name[1]));
  char *waits = read_file(in_folder(name[2]));
  assert_int_equal(wrong_packets(packets), 0);
  struct sums all = sums_of(packets, 8), places = sums_of(stalls, 7), flows = sums_of(waits, 6);
  assert_memory_equal(all.cycles, places.cycles, sizeof all.cycles);
  assert_memory_equal(all.cycles, flows.cycles, sizeof all.cycles);
  assert_places(stalls, all.lines);
  free(packets);
  free(stalls);
  free(waits);
  return all;
}

/* ---- random fabrics -------------------------------------------------------------------------- */

/* What differs between the fabrics. */
enum {
  STAGES,
  CENTRAL,
  STALLING,
  IN,
  OUT,
  LATENCY,
  HOST_LATENCY,
  BUFFER,
  MTU,
  LOAD,
  PATTERN,
  PICKS
};
static const char *const choices[PICKS][3] = {
    [STAGES] = {"smallest", "A", "B"},
    [CENTRAL] = {"CENTRAL_SCHED: 4", "CENTRAL_SCHED: 0", "CENTRAL_SCHED: 1"},
    [STALLING] = {"0", "8", "4095"},
    [IN] = {"24", "40", "200"},
    [OUT] = {"24", "40", "200"},
    [LATENCY] = {"1", "2", "7"},
    [HOST_LATENCY] = {"1", "3", "5"},
    [BUFFER] = {"1024", "4096", "32768"},
    [MTU] = {"256", "384", "512"},
    [LOAD] = {"0.2", "0.4", "0.6"},
    [PATTERN] = {"uniform", "reversal", "shift"},
};

/* Two classes may share a VL where there are no tables. */
static void write_random(uint32_t number, bool second) {
  static const char *const topologies[2][3] = {
      {"tree, k: 2, n: 3", "tree, k: 4, n: 2", "kns, k: 4, n: 2"},
      {"tree, k: 2, n: 2", "tree, k: 4, n: 2", "kns, k: 2, n: 2"}};
  static const char *const kinds[2][3] = {{"ib", "opa", "kns"},
                                          {"crossbar", "mport", "kns_crossbar"}};
  const char *pick[PICKS];
  char text[1500], central[60] = "";
  unsigned kind = number % 3;
  bool table = number / 3 % 2, share = !table && kind != 1;
  uint64_t seed = number;
  for (unsigned k = 0; k < PICKS; k++)
    pick[k] = choices[k][loom_below(&seed, 3)];
  if (kind == 1)
    snprintf(central, sizeof central, "CELLS_CENTRAL: 64, %s%s", second ? "" : pick[CENTRAL],
             second ? "" : ", ");
  snprintf(text, sizeof text,
           "---\nname: r\ntopology: {kind: %s}\nswitch: {kind: %s, scheduler: %s, stages: %s, "
           "parameters: {%sSTALL_CYCLES: %s, CELLS_IN: %s, CELLS_OUT: %s}}\n"
           "link: {latency: %s, host_latency: %s}\nhost: {buffer: %s}\n"
           "classes: [{name: A, sl: 0, vl: 0, mtu: %s}, {name: C, sl: 2, vl: %s, mtu: 64}, "
           "{name: B, sl: 1, vl: 1, mtu: 128, packet: 64}]\n%s"
           "traffic:\n  - {class: A, pattern: uniform, size: 1000, load: %s, process: poisson}\n"
           "  - {class: B, pattern: %s, size: 300, load: 0.2, process: bursts}\n"
           "  - {class: C, pattern: random, size: 24, load: 0.05}\n"
           "run: {warmup: 0, measure: %u}\n...\n",
           topologies[second][kind], kinds[second][kind], table ? "sbt" : "rr", pick[STAGES],
           central, pick[STALLING], pick[IN], pick[OUT], pick[LATENCY], pick[HOST_LATENCY],
           pick[BUFFER], pick[MTU], share ? "1" : "2",
           table ? "table: [{sl: 0, weight: 3}, {sl: 1, weight: 1}, {sl: 2, weight: 2}]\n" : "",
           pick[LOAD], pick[PATTERN], second ? 900u : 1500u);
  write_file("random.yaml", text);
}

static void assert_random(uint32_t fabrics, bool second) {
  uint64_t total[CYCLES] = {0};
  for (uint32_t seed = 0; seed < fabrics; seed++) {
    write_random(seed, second);
    assert_run(0, "run @ --stats stalls,packets -o @", in_folder("random.yaml"), in_folder("all"));
    const struct sums s = assert_tables("all");
    assert_true(s.lines > 100);
    for (unsigned k = 0; k < CYCLES; k++)
      total[k] += s.cycles[k];
  }
  for (unsigned k = 0; k + 1 < CYCLES; k++) /* the last one is `gap` */
    assert_true(total[k] > 1000);
}

static void cycles_of_each_packet_are_its_latency_in_random_fabrics(void **state) {
  (void)state;
  assert_random(18, false);
}

static void cycles_of_each_packet_are_its_latency_in_the_second_edition(void **state) {
  (void)state;
  assert_random(12, true);
}

/* The check of this file finds a cycle that is not there. */
static void a_cycle_too_few_is_found(void **state) {
  (void)state;
  assert_run(0, "run vectors/fabric/kns-2-2.yaml --stats stalls,packets -o @", in_folder("one"),
             "");
  char *text = read_file(in_folder("one/packets.csv"));
  assert_int_equal(wrong_packets(text), 0);
  char *last = strrchr(text, ',') + 1;
  *last = (char)(*last == '9' ? '8' : *last + 1);
  assert_int_equal(wrong_packets(text), 1);
  free(text);
}

/* The heads of the tables name the causes in the order in which their columns stand. */
static void heads_of_tables_name_the_causes_in_their_order(void **state) {
  (void)state;
  char names[100] = "";
  for (size_t k = 0, used = 0; k < LOOM_STALLS; k++)
    used += (size_t)snprintf(names + used, sizeof names - used, "%s%s", k ? "," : "",
                             loom_stall_names[k]);
  assert_string_equal(names, LOOM_WAITS_CAUSES);
}

/* ---- a packet alone -------------------------------------------------------------------------- */

static void assert_alone(const char *what, uint64_t packets) {
  char text[900];
  snprintf(
      text, sizeof text,
      "---\nname: lone\n%s\nclasses: [{name: A, sl: 0, vl: 0, mtu: 512}]\n"
      "traffic: [{class: A, pattern: uniform, size: 400, load: 0.001, messages: 3, tasks: 2}]\n"
      "run: {warmup: 0, measure: 300000}\n...\n",
      what);
  write_file("lone.yaml", text);
  assert_run(0, "run @ --stats stalls,packets -o @", in_folder("lone.yaml"), in_folder("lone"));
  const struct sums s = assert_tables("lone");
  assert_int_equal(s.lines, packets);
  assert_true(s.cycles[0] > 0);
  for (unsigned k = 1; k < CYCLES; k++)
    assert_int_equal(s.cycles[k], 0);
}

static void a_packet_alone_never_waits(void **state) {
  (void)state;
  assert_alone("topology: {kind: tree, k: 2, n: 3}\nswitch: {kind: ib, scheduler: rr}", 6);
  assert_alone("topology: {kind: tree, k: 2, n: 3}\nswitch: {kind: ib, scheduler: rr, stages: B, "
               "parameters: {STALL_CYCLES: 3}}\nlink: {latency: 9}",
               6);
  assert_alone("topology: {kind: tree, k: 4, n: 2}\nswitch: {kind: opa, scheduler: rr, stages: A}",
               6);
  assert_alone("topology: {kind: tree, k: 4, n: 2}\nswitch: {kind: opa, scheduler: rr, "
               "parameters: {CENTRAL_SCHED: 0}}",
               6);
  assert_alone("topology: {kind: kns, k: 2, n: 2}\nswitch: {kind: kns, scheduler: rr}", 6);
  assert_alone("topology: {kind: tree, k: 2, n: 3}\nswitch: {kind: crossbar, scheduler: rr}", 6);
  assert_alone("topology: {kind: tree, k: 2, n: 3}\nswitch: {kind: crossbar, scheduler: rr, "
               "stages: B, parameters: {STALL_CYCLES: 3}}\nlink: {latency: 9}",
               6);
  assert_alone(
      "topology: {kind: mesh, size: 2x2, trunk: 2}\nrouting: {layering: none, trunk: load}\n"
      "switch: {kind: crossbar, scheduler: rr, parameters: {OUT_DELAY: 1}}",
      6);
  assert_alone("topology: {kind: kns, k: 2, n: 2}\nswitch: {kind: kns_crossbar, scheduler: rr}", 6);
  assert_alone("topology: {kind: tree, k: 4, n: 2}\nswitch: {kind: mport, scheduler: rr}", 6);
  assert_alone(
      "topology: {kind: tree, k: 4, n: 2}\nswitch: {kind: mport, scheduler: rr, stages: A}", 6);
}

/* ---- packets for one output ------------------------------------------------------------------ */

/* Causes of a place, none but those of `some` (bits); each of these there is. */
static void assert_causes(const uint64_t sum[1 + CYCLES], uint32_t some) {
  for (unsigned cause = 0; cause < LOOM_STALLS; cause++)
    assert_int_equal(sum[2 + cause] > 0, some >> cause & 1);
}

/* Three hosts send as fast as they can to a fourth one over one switch. */
static char *run_incast(const char *kind, uint64_t packets) {
  char text[600];
  snprintf(text, sizeof text,
           "---\nname: i\ntopology: {kind: tree, k: 4, n: 1}\n"
           "switch: {kind: %s, scheduler: rr, "
           "parameters: {SPEEDUP: 1, CELLS_IN: 64, CELLS_OUT: 40}}\nhost: {buffer: 1024}\n"
           "classes: [{name: A, sl: 0, vl: 0, mtu: 512}]\n"
           "traffic: [{class: A, pattern: incast, targets: [3], size: 512, load: 0.5, "
           "process: cbr, messages: 40}]\nrun: {warmup: 0, measure: 300000}\n...\n",
           kind);
  write_file("incast.yaml", text);
  assert_run(0, "run @ --stats stalls,packets -o @", in_folder("incast.yaml"), in_folder("incast"));
  assert_int_equal(assert_tables("incast").lines, packets);
  return read_file(in_folder("incast/stalls.csv"));
}

/* The NICs before it wait for credits, and the sources for room. */
static void assert_full_hosts(const char *stalls, uint64_t packets) {
  uint64_t sum[1 + CYCLES];
  sum_place(stalls, "nic", sum);
  assert_causes(sum, 1 << LOOM_STALL_BEHIND | 1 << LOOM_STALL_CREDIT);
  sum_place(stalls, "source", sum);
  assert_causes(sum, 1 << LOOM_STALL_BEHIND | 1 << LOOM_STALL_ROOM | 1 << LOOM_STALL_DECIDING);
  assert_true(sum[2 + LOOM_STALL_DECIDING] <= packets); /* a cycle, once there is room */
  sum_place(stalls, "receiver", sum);
  assert_causes(sum, 0);
}

/* The output is in use all the time, so the heads in the inputs wait for packets that were chosen,
 * and for nothing else. */
static void packets_for_one_output_wait_for_those_that_were_chosen(void **state) {
  (void)state;
  enum { PACKETS = 120, FLITS = 64 };
  uint64_t sum[1 + CYCLES];
  char *stalls = run_incast("ib", PACKETS);
  sum_place(stalls, "input", sum);
  assert_causes(sum, 1 << LOOM_STALL_BEHIND | 1 << LOOM_STALL_LOST | 1 << LOOM_STALL_BUSY);
  /* Two packets of others go before each. */
  assert_true(sum[2 + LOOM_STALL_LOST] >= PACKETS * FLITS);
  assert_in_range(sum[2 + LOOM_STALL_LOST] + sum[2 + LOOM_STALL_BUSY], 2 * PACKETS * FLITS,
                  3 * PACKETS * FLITS);
  sum_place(stalls, "output", sum);
  assert_causes(sum, 0);
  assert_full_hosts(stalls, PACKETS);
  free(stalls);
}

/* The same in the second edition, where what is booked waits for the words before its own. */
static void packets_that_are_booked_wait_for_the_words_before_them(void **state) {
  (void)state;
  enum { PACKETS = 120, FLITS = 64, DECIDES = 4, WORDS = 12 };
  uint64_t sum[1 + CYCLES];
  char *stalls = run_incast("crossbar", PACKETS);
  sum_place(stalls, "input", sum);
  assert_causes(sum, 1 << LOOM_STALL_BEHIND | 1 << LOOM_STALL_LOST | 1 << LOOM_STALL_BUSY |
                         1 << LOOM_STALL_DECIDING);
  assert_true(sum[2 + LOOM_STALL_LOST] >= PACKETS * FLITS);
  assert_in_range(sum[2 + LOOM_STALL_LOST] + sum[2 + LOOM_STALL_BUSY], 2 * PACKETS * FLITS,
                  3 * PACKETS * FLITS);
  assert_true(sum[2 + LOOM_STALL_DECIDING] <= PACKETS * DECIDES);
  sum_place(stalls, "output", sum);
  assert_causes(sum, 1 << LOOM_STALL_BUSY);
  assert_true(sum[2 + LOOM_STALL_BUSY] <= PACKETS * WORDS);
  assert_full_hosts(stalls, PACKETS);
  free(stalls);
}

/* Two lanes, and inputs that are faster than the output, whose buffer fills: heads in inputs wait
 * for room, nearly all of the time, and the lanes of the output for each other. */
static void assert_full_output(const char *kind, uint64_t decides, uint64_t ratio) {
  enum { PACKETS = 240, FLITS = 64 };
  uint64_t sum[1 + CYCLES];
  char text[700];
  snprintf(text, sizeof text,
           "---\nname: f\ntopology: {kind: tree, k: 4, n: 1}\n"
           "switch: {kind: %s, scheduler: rr, "
           "parameters: {SPEEDUP: 2, CELLS_IN: 64, CELLS_OUT: 48}}\n"
           "classes: [{name: A, sl: 0, vl: 0, mtu: 512}, {name: B, sl: 1, vl: 1, mtu: 512}]\n"
           "traffic: [{class: A, pattern: incast, targets: [3], size: 512, load: 0.5, "
           "process: cbr, messages: 40}, {class: B, pattern: incast, targets: [3], size: 512, "
           "load: 0.5, process: cbr, messages: 40}]\nrun: {warmup: 0, measure: 300000}\n...\n",
           kind);
  write_file("full.yaml", text);
  assert_run(0, "run @ --stats stalls,packets -o @", in_folder("full.yaml"), in_folder("full"));
  assert_int_equal(assert_tables("full").lines, PACKETS);
  char *stalls = read_file(in_folder("full/stalls.csv"));
  sum_place(stalls, "input", sum);
  uint64_t chosen = sum[2 + LOOM_STALL_LOST] + sum[2 + LOOM_STALL_BUSY];
  assert_int_equal(sum[2 + LOOM_STALL_CREDIT], 0);
  assert_true(sum[2 + LOOM_STALL_ROOM] > ratio * (chosen + sum[2 + LOOM_STALL_DECIDING]));
  assert_in_range(sum[2 + LOOM_STALL_DECIDING], PACKETS, decides * PACKETS);
  sum_place(stalls, "output", sum);
  assert_causes(sum, 1 << LOOM_STALL_BEHIND | 1 << LOOM_STALL_LOST | 1 << LOOM_STALL_BUSY);
  assert_in_range(sum[2 + LOOM_STALL_LOST], (PACKETS - 10) * FLITS, PACKETS * FLITS);
  sum_place(stalls, "nic", sum);
  assert_true(
      sum[2 + LOOM_STALL_CREDIT] >
      10 * (sum[2 + LOOM_STALL_LOST] + sum[2 + LOOM_STALL_BUSY] + sum[2 + LOOM_STALL_DECIDING]));
  sum_place(stalls, "source", sum);
  assert_causes(sum, 0);
  free(stalls);
}

static void packets_for_a_full_output_wait_for_room(void **state) {
  (void)state;
  assert_full_output("ib", 8, 10);
  /* That there is room again shows late, and then it takes a while to be booked. */
  assert_full_output("crossbar", 30, 5);
}

/* ---- registers ------------------------------------------------------------------------------- */

enum { FLITS_IN, PACKETS_IN, FLITS_OUT, PACKETS_OUT, WAYS };

/* Of a switch, while its run stands: the register STALLS by port and lane, and what passed. */
struct asked {
  const struct loom_switch *s;
  uint32_t ports, lanes; /* the latter without that of management */
  uint32_t stalls[LOOM_SWITCH_PORTS][LOOM_SWITCH_LANES];
  uint64_t passed[WAYS][LOOM_SWITCH_PORTS]
                 [LOOM_SWITCH_LANES]; /* what IN_FLITS .. OUT_PACKETS say */
};

static bool attach(void *context, const struct loom_shadow_switch *s, char *why, size_t size) {
  struct asked *a = context;
  (void)why;
  (void)size;
  a->s = loom_fabric_device(s->fabric, s->device);
  return true;
}

static bool stopped(void *context) {
  (void)context;
  return false;
}

static enum loom_shadow_verdict finish(void *context, uint64_t *compared, char *text, size_t size) {
  struct asked *a = context;
  (void)compared;
  (void)text;
  (void)size;
  a->ports = a->s->ports;
  a->lanes = a->s->mgmt;
  for (uint32_t port = 0; port < a->ports; port++)
    for (uint32_t lane = 0; lane < a->lanes; lane++) {
      const struct loom_switch_counted *c = &a->s->counted[lane][port];
      a->stalls[port][lane] = a->s->output[port].stalls[lane];
      a->passed[FLITS_IN][port][lane] = c->accepted.flits;
      a->passed[PACKETS_IN][port][lane] = c->accepted.packets;
      a->passed[FLITS_OUT][port][lane] = c->granted.flits;
      a->passed[PACKETS_OUT][port][lane] = c->granted.packets;
    }
  return LOOM_SHADOW_SAME;
}

/* The cycles of `credit` that the lines of stalls.csv have of an output and VL. */
static uint64_t credits_of(const char *lines, const char *device, uint32_t port, uint32_t vl) {
  char begin[80];
  uint64_t sum = 0, cycles[CYCLES];
  int length =
      snprintf(begin, sizeof begin, "1,%s,output,%u,%u,", device, (unsigned)port + 1, (unsigned)vl);
  for (const char *at = lines; *at; at = next_line(at))
    if (!strncmp(at, begin, (size_t)length)) {
      assert_true(numbers(at, 7, cycles, CYCLES));
      sum += cycles[1 + LOOM_STALL_CREDIT];
    }
  return sum;
}

/* What the lines of links.csv have of the links of a switch. */
static void add_links(const char *lines, const char *device, struct asked *sum) {
  char from[32], to[32];
  unsigned out, in, vl;
  uint64_t flits, packets;
  for (const char *at = lines; *at; at = next_line(at)) {
    if (sscanf(at, "%*u,%31[^,],%u,%31[^,],%u,%u,%" SCNu64 ",%" SCNu64, from, &out, to, &in, &vl,
               &flits, &packets) != 7)
      continue; /* a direction that carried nothing */
    if (!strcmp(from, device)) {
      sum->passed[FLITS_OUT][out - 1][vl] += flits;
      sum->passed[PACKETS_OUT][out - 1][vl] += packets;
    }
    if (!strcmp(to, device)) {
      sum->passed[FLITS_IN][in - 1][vl] += flits;
      sum->passed[PACKETS_IN][in - 1][vl] += packets;
    }
  }
}

/* A copy of a table with a 0 behind it: the caller's. */
static char *lines_of(const struct loom_point *point, const char *name) {
  for (uint32_t i = 0; i < LOOM_STATISTICS_FILES; i++)
    if (!strcmp(loom_statistics_file[i].name, name)) {
      char *lines = calloc(1, point->lines[i].size + 1);
      assert_non_null(lines);
      memcpy(lines, point->lines[i].text, point->lines[i].size);
      return lines;
    }
  fail();
  return NULL;
}

static void assert_counters(const struct loom_point *point, const struct asked *asked) {
  char *stalls = lines_of(point, "stalls.csv"), *links = lines_of(point, "links.csv");
  uint64_t credits = 0, flits = 0;
  struct asked *sum = calloc(1, sizeof *sum);
  assert_non_null(sum);
  add_links(links, "S1-0", sum);
  for (uint32_t port = 0; port < asked->ports; port++)
    for (uint32_t lane = 0; lane < asked->lanes; lane++) {
      assert_int_equal(credits_of(stalls, "S1-0", port, lane), asked->stalls[port][lane]);
      credits += asked->stalls[port][lane];
      flits += asked->passed[FLITS_OUT][port][lane];
    }
  assert_true(credits > 1000 && flits > 10000);
  assert_memory_equal(sum->passed, asked->passed, sizeof sum->passed);
  free(sum);
  free(stalls);
  free(links);
}

static void waits_and_links_are_what_the_registers_count(void **state) {
  (void)state;
  const struct loom_edit edits[] = {{"shadow", "[S1-0]"},
                                    {"run.stats", "[stalls, links]"},
                                    {"switch.parameters", "{CELLS_IN: 120, CELLS_OUT: 120}"},
                                    {"run.measure", "4000"},
                                    {"traffic[0].load", "1"}};
  struct asked *asked = calloc(1, sizeof *asked);
  assert_non_null(asked);
  const struct loom_shadow shadow = {
      .attach = attach, .stopped = stopped, .finish = finish, .context = asked};
  struct loom_error err = {.line = ""};
  struct loom_plan_error refused = {.status = 0};
  struct loom_point point;
  struct loom_edited_spec *c =
      loom_edited_spec_read("vectors/fabric/tree-4-3.yaml", edits, 5, &err);
  assert_string_equal(err.line, "");
  struct loom_plan *plan = loom_plan_create(&c->spec, &refused);
  assert_string_equal(refused.text, "");
  assert_non_null(plan);
  loom_point_run(&point, plan, 1, &shadow, NULL, NULL);
  assert_int_equal(point.refused.status, 0);
  assert_counters(&point, asked);
  loom_point_free(&point);
  loom_plan_destroy(plan);
  loom_edited_spec_free(c);
  free(asked);
}

/* ---- a planted fault ------------------------------------------------------------------------- */

/* The inputs of a switch say that they delay records by a cycle more than they do. */
static bool plant(void *context, const struct loom_shadow_switch *s, char *why, size_t size) {
  struct loom_mport_switch *m = loom_fabric_device(s->fabric, s->device);
  (void)context;
  (void)why;
  (void)size;
  for (uint32_t port = 0; port < m->chassis.ports; port++)
    m->chassis.port[port].input.in_delay++;
  return true;
}

static enum loom_shadow_verdict say_same(void *context, uint64_t *compared, char *text,
                                         size_t size) {
  (void)context;
  (void)compared;
  (void)text;
  (void)size;
  return LOOM_SHADOW_SAME;
}

static void a_cycle_too_many_in_a_switch_refuses_the_run(void **state) {
  (void)state;
  static const char *const says = "cycles of ";
  const struct loom_edit edits[] = {{"run.stats", "[stalls]"}, {"run.measure", "500"}};
  const struct loom_shadow faulty = {.attach = plant, .stopped = stopped, .finish = say_same};
  struct loom_error err = {.line = ""};
  struct loom_plan_error refused = {.status = 0};
  struct loom_point point;
  struct loom_edited_spec *c =
      loom_edited_spec_read("vectors/fabric/shadow-mport-4-2.yaml", edits, 2, &err);
  assert_string_equal(err.line, "");
  struct loom_plan *plan = loom_plan_create(&c->spec, &refused);
  assert_non_null(plan);
  loom_point_run(&point, plan, 1, &faulty, NULL, NULL);
  assert_int_equal(point.refused.status, 1);
  assert_memory_equal(point.refused.text, says, strlen(says));
  loom_point_free(&point);
  loom_plan_destroy(plan);
  loom_edited_spec_free(c);
}

/* ---- what is refused, and what is left alone ------------------------------------------------- */

static void stalls_change_no_result_and_packets_can_be_a_sample(void **state) {
  (void)state;
  assert_run(0, "run vectors/fabric/trains-4-2.yaml --set run.measure=500 -o @", in_folder("no"),
             "");
  assert_run(0, "run vectors/fabric/trains-4-2.yaml --set run.measure=500 -o @ --stats packets:10",
             in_folder("yes"), "");
  assert_run(0, "run vectors/fabric/trains-4-2.yaml --set run.measure=500 -o @ --stats packets",
             in_folder("full"), "");
  assert_same_summary("no/summary.json", "yes/summary.json");
  assert_same_file("no/series.csv", "yes/series.csv");
  assert_false(is_there("yes/stalls.csv"));
  char *some = read_file(in_folder("yes/packets.csv")),
       *all = read_file(in_folder("full/packets.csv"));
  uint64_t packets = sums_of(all, 8).lines;
  assert_int_equal(sums_of(some, 8).lines, (packets + 9) / 10);
  free(some);
  free(all);
}

/* Where packets are followed, causes are looked for flit by flit. */
static void causes_are_the_same_with_each_engine(void **state) {
  (void)state;
  static const char *const engines[] = {"step", "packet", "both"};
  char command[160], folder[20], tables[3][40];
  for (unsigned i = 0; i < 3; i++) {
    snprintf(command, sizeof command,
             "run vectors/fabric/tree-2-2.yaml --set switch.kind=crossbar --set "
             "traffic[0].load=0.9 --stats stalls --engine %s -o @",
             engines[i]);
    snprintf(folder, sizeof folder, "engine-%s", engines[i]);
    snprintf(tables[i], sizeof tables[i], "%s/stalls.csv", folder);
    assert_run(0, command, in_folder(folder), "");
    assert_same_file(tables[0], tables[i]);
  }
}

static void other_kinds_and_wrong_samples_are_refused(void **state) {
  (void)state;
  assert_says("run.stats: links that preempt have no stalls and no packets",
              "run vectors/fabric/preempt.yaml --stats stalls -o @", in_folder("none"), "");
  assert_says("run.stats: elite5 has no packets",
              "run vectors/fabric/shadow-elite5-4-3.yaml --stats packets -o @", in_folder("none"),
              "");
  assert_says("run.stats[0]: ", "run vectors/fabric/tree-2-2.yaml --stats packets:0 -o @",
              in_folder("none"), "");
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(cycles_of_each_packet_are_its_latency_in_random_fabrics),
      cmocka_unit_test(cycles_of_each_packet_are_its_latency_in_the_second_edition),
      cmocka_unit_test(a_cycle_too_few_is_found),
      cmocka_unit_test(heads_of_tables_name_the_causes_in_their_order),
      cmocka_unit_test(a_packet_alone_never_waits),
      cmocka_unit_test(packets_for_one_output_wait_for_those_that_were_chosen),
      cmocka_unit_test(packets_that_are_booked_wait_for_the_words_before_them),
      cmocka_unit_test(packets_for_a_full_output_wait_for_room),
      cmocka_unit_test(waits_and_links_are_what_the_registers_count),
      cmocka_unit_test(a_cycle_too_many_in_a_switch_refuses_the_run),
      cmocka_unit_test(stalls_change_no_result_and_packets_can_be_a_sample),
      cmocka_unit_test(causes_are_the_same_with_each_engine),
      cmocka_unit_test(other_kinds_and_wrong_samples_are_refused),
  };
  return UNIT_RUN("stalls", tests, make_folder, remove_folder);
}

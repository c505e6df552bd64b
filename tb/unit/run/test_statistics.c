/* SPDX-License-Identifier: Apache-2.0 */
/* Statistics of `loom run` (docs/fabric.md#statistics): links, flows and occupancy add up to what
 * summary.json says, and change nothing of it. */
#include "tb/unit/unit.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tb/unit/run_bench.h"

enum { FIELDS = 12, FIELD = 40 };

/* A line of a table. */
struct row {
  char field[FIELDS][FIELD];
};

/* Goes to the next line of a table; false: there is none. */
static bool next_row(const char **at, struct row *r) {
  if (!**at)
    return false;
  for (unsigned k = 0; k < FIELDS; k++) {
    size_t length = strcspn(*at, ",\n");
    assert_true(length < FIELD);
    snprintf(r->field[k], FIELD, "%.*s", (int)length, *at);
    *at += length;
    if (*(*at)++ == '\n')
      return true;
  }
  fail();
  return false;
}

static uint64_t number(const struct row *r, unsigned field) {
  return strtoull(r->field[field], NULL, 10);
}

/* The text of a file of results, which begins with this head; the caller's. */
static char *table(const char *name, const char *head, const char **rows) {
  char *text = read_file(in_folder(name));
  assert_non_null(text);
  assert_int_equal(strncmp(text, head, strlen(head)), 0);
  *rows = text + strlen(head);
  return text;
}

#define LINKS "seed,from,from_port,to,to_port,vl,flits,packets,utilisation\n"
#define FLOWS                                                                                      \
  "seed,source,destination,class,messages,packets,flits,total_mean,total_max,net_mean,net_max\n"
#define OCCUPANCY "seed,switch,buffer,port,vl,samples,mean,max\n"

static uint64_t sum_of(const char *name, const char *head, unsigned field) {
  struct row r;
  const char *at;
  char *text = table(name, head, &at);
  uint64_t sum = 0;
  while (next_row(&at, &r))
    sum += number(&r, field);
  free(text);
  return sum;
}

#define TIMES "seed,from,from_port,to,to_port,cycle,flits\n"

#define ALL "--stats links,flows,occupancy,times -o @"

/* What links, flows, outputs and intervals add up to is what the summary says. */
static void assert_adds_up(const char *fabric, const char *set, int status) {
  char line[COMMAND];
  snprintf(line, sizeof line, "run vectors/fabric/%s.yaml %s %s", fabric, set,
           "--set run.warmup=100 --set run.measure=400 --quiet " ALL);
  assert_run(status, line, in_folder("all"), "");
  json_t *root = json_load_file(in_folder("all/summary.json"), 0, NULL);
  assert_int_equal(sum_of("all/links.csv", LINKS, 6), count_of(root, "flit_hops"));
  assert_int_equal(sum_of("all/times.csv", TIMES, 6), count_of(root, "flit_hops"));
  assert_int_equal(sum_of("all/flows.csv", FLOWS, 4), count_of(root, "received"));
  uint64_t grants = sum_of("all/outputs.csv", "seed,switch,port,grants,contended\n", 3);
  uint64_t contended = sum_of("all/outputs.csv", "seed,switch,port,grants,contended\n", 4);
  assert_int_equal(grants, count_of(root, "grants"));
  assert_int_equal(contended, count_of(root, "contended"));
  assert_true(count_of(root, "flit_hops") > 0);
  json_decref(root);
}

static void links_and_flows_add_up_in_every_kind_of_fabric(void **state) {
  (void)state;
  assert_adds_up("tree-2-2", "", 0);
  assert_adds_up("tree-2-2", "--set switch.kind=crossbar --seeds 2", 0);
  assert_adds_up("trains-4-2", "", 0);
  assert_adds_up("trains-4-2", "--set switch.kind=mport", 0);
  assert_adds_up("kns-2-2", "", 0);
  assert_adds_up("kns-6-2-crossbar", "", 0);
  assert_adds_up("shadow-elite5-4-3", "--set shadow= --set link.latency=3", 0);
}

/* Flits that are on their way when a run ends count, too. */
static void links_add_up_when_a_run_ends_too_early(void **state) {
  (void)state;
  assert_adds_up("tree-2-2", "--set run.drain=1 --set link.latency=9", 1);
  assert_adds_up("trains-4-2", "--set run.drain=1 --set link.latency=30", 1);
}

/* Over each link go as many packets by route as by VL, and from source to destination each packet
 * leaves one host and comes to one. */
static void routes_are_the_packets_of_links_by_their_hosts(void **state) {
  (void)state;
  static const char head[] = "seed,from,from_port,to,to_port,source,destination,packets\n";
  static const char *const fabrics[] = {"trains-4-2", "kns-2-2", "kns-6-2-crossbar", "tree-2-2"};
  for (unsigned k = 0; k < 4; k++) {
    assert_run(0, "run vectors/fabric/@.yaml --set run.measure=900 --stats links,flows,routes -o @",
               fabrics[k], in_folder("routes"));
    uint64_t packets = sum_of("routes/links.csv", LINKS, 7);
    assert_int_equal(sum_of("routes/routes.csv", head, 7), packets);
    struct row r;
    const char *at;
    char *text = table("routes/routes.csv", head, &at);
    uint64_t sent = 0, received = 0;
    while (next_row(&at, &r)) {
      assert_string_not_equal(r.field[5], r.field[6]);
      if (r.field[1][0] == 'H') {
        assert_string_equal(r.field[1], r.field[5]);
        sent += number(&r, 7);
      }
      if (r.field[3][0] == 'H') {
        assert_string_equal(r.field[3], r.field[6]);
        received += number(&r, 7);
      }
    }
    free(text);
    assert_true(sent > 0);
    assert_int_equal(sent, received);
    assert_int_equal(sum_of("routes/flows.csv", FLOWS, 5), sent);
  }
}

static void statistics_change_no_result(void **state) {
  (void)state;
  static const char plain[] = "run vectors/fabric/trains-4-2.yaml --set run.measure=2000 -o @";
  assert_run(0, plain, in_folder("plain"), "");
  assert_run(0, "run vectors/fabric/trains-4-2.yaml --set run.measure=2000 " ALL, in_folder("with"),
             "");
  assert_same_summary("plain/summary.json", "with/summary.json");
  assert_same_file("plain/series.csv", "with/series.csv");
  assert_same_file("plain/latency.csv", "with/latency.csv");
  assert_false(is_there("plain/links.csv"));
  assert_run(0, "run @ -o @", in_folder("with/fabric.yaml"), in_folder("again"));
  assert_same_file("with/links.csv", "again/links.csv");
  assert_same_file("with/flows.csv", "again/flows.csv");
  assert_same_file("with/occupancy.csv", "again/occupancy.csv");
  assert_same_file("with/times.csv", "again/times.csv");
}

enum { ONCE_INTERVAL = 90, ONCE_LATENCY = 40, ONCE_FLITS = 16 };

/* Cycles in which the first flit of the packet of a host comes over its link and over the one
 * behind the switch, as packets.csv has it. */
static void read_arrivals(uint64_t arrival[2][2]) {
  char *text = read_file(in_folder("once/packets.csv"));
  assert_non_null(text);
  const char *at = strchr(text, '\n') + 1;
  while (*at) {
    unsigned from = 2;
    uint64_t injected = 0, received = 0;
    int read =
        sscanf(at, "%*u,H%u,%*[^,],A,16,%*u,%" SCNu64 ",%" SCNu64, &from, &injected, &received);
    assert_int_equal(read, 3);
    assert_true(from < 2);
    arrival[from][0] = injected + ONCE_LATENCY;
    arrival[from][1] = received - (ONCE_FLITS - 1);
    at = strchr(at, '\n') + 1;
  }
  free(text);
}

/* Of flits one after the other from cycle `first` on, those in an interval. */
static uint64_t flits_in(uint64_t first, uint64_t begin) {
  uint64_t flits = 0;
  for (uint64_t i = first; i < first + ONCE_FLITS; i++)
    flits += i >= begin && i < begin + ONCE_INTERVAL;
  return flits;
}

/* Two hosts at a switch send each other a packet, with a long pause between: each link has its
 * flits in the intervals in which packets.csv lets them come, and nothing else. */
static void times_tell_when_a_link_was_busy(void **state) {
  (void)state;
  write_file("once.yaml", "---\nname: once\ntopology: {kind: tree, k: 2, n: 2}\n"
                          "switch: {kind: ib, scheduler: rr}\nlink: {latency: 40}\n"
                          "classes: [{name: A, sl: 0, vl: 0, mtu: 256}]\n"
                          "traffic: [{class: A, pattern: shift, tasks: 2, size: 128, load: 0.01, "
                          "messages: 1}]\n"
                          "run: {warmup: 0, measure: 4000, interval: 90, seed: 2}\n...\n");
  assert_run(0, "run @ --stats times,packets -o @", in_folder("once.yaml"), in_folder("once"));
  struct row r;
  const char *at;
  uint64_t arrival[2][2] = {{0}}, flits[2][2] = {{0}}; /* by host, to and from the switch */
  read_arrivals(arrival);
  assert_true(arrival[1][0] > arrival[0][1] + 5 * ONCE_INTERVAL);
  char *text = table("once/times.csv", TIMES, &at);
  while (next_row(&at, &r)) {
    bool behind = r.field[1][0] == 'S';
    const char *host = r.field[behind ? 3 : 1];
    unsigned from = (host[1] == '1') != behind;
    assert_true(!strcmp(host, "H0") || !strcmp(host, "H1"));
    assert_int_equal(number(&r, 6), flits_in(arrival[from][behind], number(&r, 5)));
    flits[from][behind] += number(&r, 6);
  }
  free(text);
  for (unsigned from = 0; from < 2; from++)
    for (unsigned behind = 0; behind < 2; behind++)
      assert_int_equal(flits[from][behind], ONCE_FLITS);
}

/* Flits that are under way at the end belong to the last interval, whoever counts links beside. */
static void times_alone_add_up_when_a_run_ends_too_early(void **state) {
  (void)state;
  assert_run(1,
             "run vectors/fabric/tree-2-2.yaml --set run.drain=1 --set link.latency=9 --set "
             "run.warmup=100 --set run.measure=400 --quiet --stats times -o @",
             in_folder("early"), "");
  json_t *root = json_load_file(in_folder("early/summary.json"), 0, NULL);
  assert_int_equal(sum_of("early/times.csv", TIMES, 6), count_of(root, "flit_hops"));
  json_decref(root);
}

/* Every host sends one packet to every other one: each cable between a router and a switch carries
 * 30 packets each way, and each host's cable 35. */
static void all_pairs_of_a_kns_load_its_inner_cables_alike(void **state) {
  (void)state;
  char text[6000];
  size_t used = (size_t)snprintf(
      text, sizeof text,
      "---\nname: pairs\ntopology: {kind: kns, k: 6, n: 2}\nswitch: {kind: kns, scheduler: rr}\n"
      "classes: [{name: A, sl: 0, vl: 0, mtu: 128}]\ntraffic:\n");
  for (unsigned shift = 1; shift < 36; shift++)
    used += (size_t)snprintf(
        text + used, sizeof text - used,
        "  - {class: A, pattern: shift, shift: %u, size: 128, load: 0.01, messages: 1}\n", shift);
  snprintf(text + used, sizeof text - used, "run: {warmup: 0, measure: 9000}\n...\n");
  write_file("pairs.yaml", text);
  assert_run(0, "run @ --stats links,flows -o @", in_folder("pairs.yaml"), in_folder("pairs"));
  struct row r;
  const char *at;
  char *links = table("pairs/links.csv", LINKS, &at);
  unsigned inner = 0, outer = 0;
  while (next_row(&at, &r)) {
    bool host = r.field[1][0] == 'H' || r.field[3][0] == 'H';
    assert_int_equal(number(&r, 7), host ? 35 : 30);
    assert_int_equal(number(&r, 6), 16 * number(&r, 7));
    inner += !host;
    outer += host;
  }
  free(links);
  assert_int_equal(inner, 2 * 72);
  assert_int_equal(outer, 2 * 36);
  char *flows = table("pairs/flows.csv", FLOWS, &at);
  unsigned pairs = 0;
  for (; next_row(&at, &r); pairs++) {
    assert_int_equal(number(&r, 4), 1);
    assert_string_equal(r.field[3], "A");
    assert_true(strtod(r.field[7], NULL) >= strtod(r.field[9], NULL));
    assert_int_equal(number(&r, 8), (uint64_t)strtod(r.field[7], NULL));
  }
  free(flows);
  assert_int_equal(pairs, 36 * 35);
}

/* Two hosts on one that takes all that its link carries: the buffer on the way fills up to what it
 * holds. */
static void occupancy_tells_which_buffer_was_full(void **state) {
  (void)state;
  write_file("full.yaml",
             "---\nname: full\ntopology: {kind: tree, k: 2, n: 2}\n"
             "switch: {kind: ib, scheduler: rr, parameters: {CELLS_IN: 16, CELLS_OUT: 24}}\n"
             "classes: [{name: A, sl: 0, vl: 3, mtu: 256}]\n"
             "traffic: [{class: A, pattern: hotspot, heat: 1, targets: [0], size: 256, load: 1}]\n"
             "run: {warmup: 0, measure: 4000, interval: 100}\n...\n");
  assert_run(0, "run @ --stats occupancy -o @", in_folder("full.yaml"), in_folder("full"));
  struct row r;
  const char *at;
  char *text = table("full/occupancy.csv", OCCUPANCY, &at);
  uint64_t most[2] = {0, 0};
  while (next_row(&at, &r)) {
    unsigned out = !strcmp(r.field[2], "output");
    assert_string_equal(r.field[4], "3");
    assert_true(number(&r, 5) >= 40);
    assert_true(strtod(r.field[6], NULL) <= (double)number(&r, 7));
    assert_true(number(&r, 7) <= (out ? 24 : 16));
    most[out] = number(&r, 7) > most[out] ? number(&r, 7) : most[out];
  }
  free(text);
  assert_int_equal(most[0], 16);
  assert_int_equal(most[1], 24);
}

/* Likewise at an Omni-Path switch of the second edition, where units of lanes are not told apart:
 * its central units lead to the busy output, and hold what they can. */
static void occupancy_tells_which_central_buffer_was_full(void **state) {
  (void)state;
  write_file(
      "full.yaml",
      "---\nname: full\ntopology: {kind: tree, k: 4, n: 2}\nswitch: {kind: mport, scheduler: "
      "rr, parameters: {CELLS_IN: 16, CELLS_CENTRAL: 20, CELLS_OUT: 24}}\n"
      "classes: [{name: A, sl: 0, vl: 3, mtu: 256}]\n"
      "traffic: [{class: A, pattern: hotspot, heat: 1, targets: [0], size: 256, load: 1}]\n"
      "run: {warmup: 0, measure: 4000, interval: 100}\n...\n");
  assert_run(0, "run @ --stats occupancy -o @", in_folder("full.yaml"), in_folder("full"));
  static const char *const buffers[] = {"input", "central", "output"};
  static const uint64_t cells[] = {16, 20, 24};
  struct row r;
  const char *at;
  char *text = table("full/occupancy.csv", OCCUPANCY, &at);
  uint64_t most[3] = {0};
  while (next_row(&at, &r)) {
    unsigned k = !strcmp(r.field[2], buffers[1]) ? 1 : !strcmp(r.field[2], buffers[2]) ? 2 : 0;
    assert_string_equal(r.field[2], buffers[k]);
    assert_string_equal(r.field[4], "");
    assert_true(number(&r, 7) <= cells[k]);
    most[k] = number(&r, 7) > most[k] ? number(&r, 7) : most[k];
  }
  free(text);
  for (unsigned k = 0; k < 3; k++)
    assert_int_equal(most[k], cells[k]);
}

static void wrong_statistics_are_refused(void **state) {
  (void)state;
  assert_says("run.stats[1]: ", "run vectors/fabric/tree-2-2.yaml --stats links,stall -o @",
              in_folder("none"), "");
  assert_says("loom run: --stats: needs a directory for its files: --output",
              "run vectors/fabric/tree-2-2.yaml --stats links", "", "");
  assert_says("run.stats[0]: ", "run vectors/fabric/tree-2-2.yaml --stats trace:0 -o @",
              in_folder("none"), "");
  assert_says("run.stats[0]: ", "run vectors/fabric/tree-2-2.yaml --stats links:3 -o @",
              in_folder("none"), "");
  assert_says("loom run: --perfetto: elite5 has no trace: heads name no source",
              "run vectors/fabric/shadow-elite5-4-3.yaml --set shadow= --perfetto @",
              in_folder("none"), "");
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(links_and_flows_add_up_in_every_kind_of_fabric),
      cmocka_unit_test(links_add_up_when_a_run_ends_too_early),
      cmocka_unit_test(routes_are_the_packets_of_links_by_their_hosts),
      cmocka_unit_test(statistics_change_no_result),
      cmocka_unit_test(times_tell_when_a_link_was_busy),
      cmocka_unit_test(times_alone_add_up_when_a_run_ends_too_early),
      cmocka_unit_test(all_pairs_of_a_kns_load_its_inner_cables_alike),
      cmocka_unit_test(occupancy_tells_which_buffer_was_full),
      cmocka_unit_test(occupancy_tells_which_central_buffer_was_full),
      cmocka_unit_test(wrong_statistics_are_refused),
  };
  return UNIT_RUN("statistics", tests, make_folder, remove_folder);
}

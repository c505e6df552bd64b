/* SPDX-License-Identifier: Apache-2.0 */
/* test_library.c - what programs can do: devices, setups, messages of their own, runs, graphs */
#include "tb/unit/unit.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <loom/loom.h>

#define FABRIC                                                                                     \
  "name: small\n"                                                                                  \
  "topology: {kind: tree, k: 2, n: 2}\n"                                                           \
  "routing: {engine: ftree}\n"                                                                     \
  "switch: {kind: ib, scheduler: rr}\n"                                                            \
  "classes:\n"                                                                                     \
  "  - {name: A, sl: 0, vl: 0, mtu: 64}\n"                                                         \
  "  - {name: B, sl: 1, vl: 1, mtu: 64}\n"                                                         \
  "traffic: [{class: A, pattern: uniform, size: 64, load: 0.2}]\n"                                 \
  "run: {warmup: 200, measure: 1000, seeds: 2, seed: 1}\n"

static struct loom_setup *parse(const char *text) {
  struct loom_refusal why;
  struct loom_setup *setup = loom_setup_parse("small.yaml", text, NULL, 0, &why);
  if (!setup)
    fail_msg("%s", why.text);
  return setup;
}

/* ---- version and devices --------------------------------------------------------------------- */

static void the_library_is_as_old_as_its_headers(void **state) {
  char text[40];
  (void)state;
  snprintf(text, sizeof text, "%d.%d.%d", LOOM_VERSION_MAJOR, LOOM_VERSION_MINOR,
           LOOM_VERSION_PATCH);
  assert_string_equal(text, LOOM_VERSION);
  assert_string_equal(loom_version(), LOOM_VERSION);
  assert_true(strlen(loom_revision()) >= 7);
  assert_int_equal(loom_version_number(), LOOM_VERSION_NUMBER);
}

/* What comes out of a queue in the cycles after one push of `data`. */
static uint64_t after_push(struct loom_fifo *fifo, uint64_t data) {
  struct loom_fifo_in in = {.push = 1, .data = data};
  struct loom_fifo_out out;
  loom_fifo_step(fifo, &in, &out);
  in = (struct loom_fifo_in){.push = 0};
  loom_fifo_step(fifo, &in, &out);
  assert_int_equal(out.valid, 1);
  return out.data;
}

static void a_device_steps_and_a_reset_makes_it_as_new(void **state) {
  struct loom_fifo_cfg cfg;
  struct loom_fifo_probe probe;
  (void)state;
  loom_fifo_defaults(&cfg);
  cfg.DEPTH = 3;
  struct loom_fifo *fifo = loom_fifo_create(&cfg);
  assert_non_null(fifo);
  assert_int_equal(after_push(fifo, 77), 77);
  assert_int_equal(after_push(fifo, 78), 77);
  loom_fifo_reset(fifo);
  loom_fifo_probe(fifo, &probe);
  assert_int_equal(probe.count, 0);
  assert_int_equal(after_push(fifo, 79), 79);
  loom_fifo_destroy(fifo);
  loom_fifo_destroy(NULL);
}

static void parameters_that_are_not_legal_make_no_device(void **state) {
  struct loom_fifo_cfg fifo;
  struct loom_ib_switch_cfg ib;
  (void)state;
  loom_fifo_defaults(&fifo);
  fifo.DEPTH = 0;
  assert_null(loom_fifo_create(&fifo));
  loom_ib_switch_defaults(&ib);
  ib.RESERVED_IN = ib.CELLS_IN; /* each in its range, but too many for nine lanes */
  assert_null(loom_ib_switch_bad_param(&ib));
  assert_null(loom_ib_switch_create(&ib));
}

#define COMES_AND_GOES(device)                                                                     \
  do {                                                                                             \
    struct loom_##device##_cfg cfg;                                                                \
    struct loom_##device##_in in;                                                                  \
    struct loom_##device##_out out;                                                                \
    memset(&in, 0, sizeof in);                                                                     \
    loom_##device##_defaults(&cfg);                                                                \
    struct loom_##device *d = loom_##device##_create(&cfg);                                        \
    assert_non_null(d);                                                                            \
    for (unsigned cycle = 0; cycle < 3; cycle++)                                                   \
      loom_##device##_step(d, &in, &out);                                                          \
    loom_##device##_destroy(d);                                                                    \
  } while (0)

static void every_kind_of_device_can_be_made_with_its_defaults(void **state) {
  (void)state;
  COMES_AND_GOES(fifo);
  COMES_AND_GOES(ram);
  COMES_AND_GOES(rr_arbiter);
  COMES_AND_GOES(vl_buffer);
  COMES_AND_GOES(packet_buffer);
  COMES_AND_GOES(packet_store);
  COMES_AND_GOES(credit_tracker);
  COMES_AND_GOES(room_tracker);
  COMES_AND_GOES(counter_bank);
  COMES_AND_GOES(event_counters);
  COMES_AND_GOES(delay);
  COMES_AND_GOES(crc16);
  COMES_AND_GOES(crc32);
  COMES_AND_GOES(lfsr);
  COMES_AND_GOES(prbs31_gen);
  COMES_AND_GOES(prbs31_check);
  COMES_AND_GOES(sched_rr);
  COMES_AND_GOES(sched_sbt);
  COMES_AND_GOES(sched_dtable);
  COMES_AND_GOES(sched_ibarb);
  COMES_AND_GOES(deficit_table);
  COMES_AND_GOES(two_table);
  COMES_AND_GOES(round_robin);
  COMES_AND_GOES(bandwidth_table);
  COMES_AND_GOES(deficit_round_robin);
  COMES_AND_GOES(fair_queueing);
  COMES_AND_GOES(lone_grant);
  COMES_AND_GOES(sched_port);
  COMES_AND_GOES(opa_switch);
  COMES_AND_GOES(ib_switch);
  COMES_AND_GOES(kns_node);
  COMES_AND_GOES(kns_switch);
  COMES_AND_GOES(pipelined_alloc);
  COMES_AND_GOES(mport_alloc);
  COMES_AND_GOES(crossbar_switch);
  COMES_AND_GOES(mport_switch);
  COMES_AND_GOES(crossing);
  COMES_AND_GOES(input_unit);
  COMES_AND_GOES(output_unit);
  COMES_AND_GOES(link_preempt);
  COMES_AND_GOES(port_group);
  COMES_AND_GOES(segment_buffer);
  COMES_AND_GOES(segment_store);
  COMES_AND_GOES(elite5_router);
  COMES_AND_GOES(crosspoint_router);
}

/* ---- setups ---------------------------------------------------------------------------------- */

static void a_setup_tells_what_its_text_says(void **state) {
  (void)state;
  struct loom_setup *setup = parse(FABRIC);
  assert_string_equal(loom_setup_name(setup), "small");
  assert_int_equal(loom_setup_hosts(setup), 4);
  assert_int_equal(loom_setup_switches(setup), 4);
  assert_int_equal(loom_setup_seeds(setup), 2);
  assert_int_equal(loom_setup_classes(setup), 2);
  assert_string_equal(loom_setup_class_name(setup, 1), "B");
  assert_null(loom_setup_class_name(setup, 2));
  loom_setup_free(setup);
  loom_setup_free(NULL);
}

static void a_setup_takes_changes_of_its_text(void **state) {
  static const struct loom_change change[] = {{"run.seeds", "5"}, {"topology.k", "3"}};
  (void)state;
  struct loom_setup *setup = loom_setup_parse("small.yaml", FABRIC, change, 2, NULL);
  assert_non_null(setup);
  assert_int_equal(loom_setup_seeds(setup), 5);
  assert_int_equal(loom_setup_hosts(setup), 9);
  loom_setup_free(setup);
}

static void assert_refused(const char *text, const struct loom_change *change, int status,
                           const char *words) {
  struct loom_refusal why = {.status = 0};
  assert_null(loom_setup_parse("small.yaml", text, change, change ? 1 : 0, &why));
  assert_int_equal(why.status, status);
  if (strncmp(why.text, words, strlen(words)) != 0)
    fail_msg("`%s` does not begin with `%s`", why.text, words);
  assert_null(strchr(why.text, '\n'));
  assert_null(loom_setup_parse("small.yaml", text, change, change ? 1 : 0, NULL));
}

static void a_setup_is_refused_by_file_line_and_key(void **state) {
  static const struct loom_change unknown = {"topology.q", "3"}, none = {"topology.k", "no"};
  (void)state;
  assert_refused("name: x\n", NULL, 2, "small.yaml:");
  assert_refused(FABRIC "mistake: 1\n", NULL, 2, "small.yaml:10: mistake: ");
  assert_refused(FABRIC, &unknown, 2, "small.yaml:0: ");
  assert_refused(FABRIC, &none, 2, "small.yaml:0: ");
  struct loom_refusal why;
  assert_null(loom_setup_read("no such file", NULL, 0, &why));
  assert_int_equal(why.status, 2);
  assert_non_null(strstr(why.text, "no such file"));
}

/* ---- sims ------------------------------------------------------------------------------------ */

struct seen {
  struct loom_sim *sim;
  struct loom_arrival last;
  uint32_t arrivals, answers;
};

static void arrived(void *context, const struct loom_arrival *arrival) {
  struct seen *seen = context;
  seen->arrivals++;
  seen->last = *arrival;
  if (seen->answers) {
    seen->answers--;
    assert_true(loom_sim_post(seen->sim, arrival->dst, arrival->src, 1, 56, arrival->tag + 1));
  }
}

static void a_message_arrives_with_its_tag_and_its_times(void **state) {
  struct seen seen = {.answers = 1};
  (void)state;
  struct loom_setup *setup = parse(FABRIC);
  seen.sim = loom_sim_create(setup, 1, arrived, &seen, NULL);
  assert_non_null(seen.sim);
  loom_sim_step(seen.sim);
  assert_int_equal(loom_sim_now(seen.sim), 1);
  assert_true(loom_sim_post(seen.sim, 0, 3, 0, 56, 40));
  assert_false(loom_sim_run(seen.sim, 5));
  assert_int_equal(loom_sim_now(seen.sim), 6);
  assert_true(loom_sim_run(seen.sim, UINT64_MAX));
  assert_int_equal(seen.arrivals, 2);
  assert_int_equal(seen.last.tag, 41);
  assert_int_equal(seen.last.src, 3);
  assert_int_equal(seen.last.dst, 0);
  assert_int_equal(seen.last.traffic_class, 1);
  assert_int_equal(seen.last.flits, 8); /* seven and a head */
  assert_false(seen.last.damaged);
  assert_true(seen.last.posted > 1 && seen.last.posted <= seen.last.injected &&
              seen.last.injected < seen.last.received &&
              seen.last.received < loom_sim_now(seen.sim));
  const struct loom_sim_counts counts = loom_sim_counts(seen.sim);
  assert_int_equal(counts.posted, 2);
  assert_int_equal(counts.received, 2);
  assert_int_equal(counts.flit_hops, 2 * 8 * 4);
  assert_false(counts.exhausted);
  loom_sim_destroy(seen.sim);
  loom_sim_destroy(NULL);
  loom_setup_free(setup);
}

/* Its arrivals and their times, of some messages. */
static uint64_t hash_of(struct loom_setup *setup) {
  struct seen seen = {.answers = 30};
  uint64_t hash = 0;
  seen.sim = loom_sim_create(setup, 1, arrived, &seen, NULL);
  assert_non_null(seen.sim);
  for (uint32_t i = 0; i < 30; i++)
    assert_true(loom_sim_post(seen.sim, i % 4, (i + 1) % 4, i % 2, 40 + 9 * i, i));
  while (seen.arrivals < 60) {
    loom_sim_step(seen.sim);
    hash = 31 * hash + seen.arrivals + seen.last.received + seen.last.tag;
  }
  hash = 31 * hash + loom_sim_counts(seen.sim).flit_hops;
  loom_sim_destroy(seen.sim);
  return hash;
}

static void whichever_engine_it_is_a_sim_gives_the_same(void **state) {
  static const struct loom_change second = {"switch.kind", "crossbar"};
  struct loom_refusal why;
  (void)state;
  struct loom_setup *setup = loom_setup_parse("small.yaml", FABRIC, &second, 1, &why);
  assert_non_null(setup);
  uint64_t stepped = hash_of(setup);
  assert_true(loom_setup_engine(setup, "packet", &why));
  assert_true(hash_of(setup) == stepped);
  assert_false(loom_setup_engine(setup, "both", &why));
  assert_string_equal(why.text, "engine: it is none of step, packet");
  assert_true(loom_setup_engine(setup, "step", NULL));
  assert_true(hash_of(setup) == stepped);
  loom_setup_free(setup);
  setup = parse(FABRIC);
  assert_false(loom_setup_engine(setup, "packet", &why));
  assert_int_equal(why.status, 2);
  assert_non_null(strstr(why.text, "`ib` is stepped flit by flit only"));
  loom_setup_free(setup);
}

static void a_pattern_says_where_messages_go(void **state) {
  struct loom_pattern_cfg cfg = {.kind = LOOM_PATTERN_SHIFT, .shift = 1};
  uint64_t random = 1;
  (void)state;
  struct loom_setup *setup = parse(FABRIC);
  struct loom_sim *sim = loom_sim_create(setup, 1, NULL, NULL, NULL);
  cfg.hosts = loom_setup_hosts(setup);
  struct loom_pattern *pattern = loom_pattern_create(&cfg);
  assert_non_null(pattern);
  for (uint32_t src = 0; src < cfg.hosts; src++) {
    uint32_t dst = loom_pattern_next(pattern, src, &random);
    assert_int_equal(dst, (src + 1) % cfg.hosts);
    assert_true(loom_sim_post(sim, src, dst, 0, 8, 0));
  }
  assert_true(loom_sim_run(sim, 10000));
  assert_int_equal(loom_sim_counts(sim).received, 4);
  loom_pattern_destroy(pattern);
  loom_sim_destroy(sim);
  loom_setup_free(setup);
}

static void messages_that_are_not_legal_are_not_posted(void **state) {
  (void)state;
  struct loom_setup *setup = parse(FABRIC);
  struct loom_sim *sim = loom_sim_create(setup, 1, NULL, NULL, NULL);
  assert_false(loom_sim_post(sim, 4, 0, 0, 64, 0));
  assert_false(loom_sim_post(sim, 0, 4, 0, 64, 0));
  assert_false(loom_sim_post(sim, 1, 1, 0, 64, 0));
  assert_false(loom_sim_post(sim, 0, 1, 2, 64, 0));
  assert_int_equal(loom_sim_counts(sim).posted, 0);
  assert_true(loom_sim_post(sim, 0, 1, 0, 0, 0));
  assert_true(loom_sim_run(sim, 10000));
  assert_int_equal(loom_sim_counts(sim).received, 1);
  loom_sim_destroy(sim);
  loom_setup_free(setup);
}

static void a_fabric_that_wants_circuits_is_no_sim(void **state) {
  struct loom_refusal why;
  (void)state;
  struct loom_setup *setup = parse(FABRIC "shadow: [S0-0]\n");
  assert_null(loom_sim_create(setup, 1, NULL, NULL, &why));
  assert_non_null(strstr(why.text, "shadow"));
  loom_setup_free(setup);
}

/* ---- runs ------------------------------------------------------------------------------------ */

static void a_run_has_the_metrics_of_its_classes(void **state) {
  struct loom_metrics_of_class a = {.offered = {.seeds = 0}}, b = a, all = a;
  (void)state;
  struct loom_setup *setup = parse(FABRIC);
  struct loom_run *run = loom_run_create(setup, NULL);
  assert_non_null(run);
  assert_true(loom_run_good(run));
  assert_string_equal(loom_run_outcome(run, 1), "done");
  assert_null(loom_run_outcome(run, 2));
  assert_true(loom_run_metrics(run, 0, &a) && loom_run_metrics(run, 1, &b) &&
              loom_run_metrics(run, 2, &all));
  assert_false(loom_run_metrics(run, 3, &all));
  assert_int_equal(a.total.mean.seeds, 2);
  assert_true(a.total.mean.mean > 20 && a.total.mean.mean >= a.net.mean.mean);
  assert_true(a.total.q50.mean <= a.total.q99.mean && a.accepted.mean > 0.1);
  assert_int_equal(b.total.mean.seeds, 0);
  assert_memory_equal(&a.total, &all.total, sizeof a.total);
  char *json = loom_run_json(run);
  assert_non_null(strstr(json, "\"total_mean\""));
  free(json);
  loom_run_free(run);
  loom_run_free(NULL);
  loom_setup_free(setup);
}

static void results_that_cannot_be_written_are_refused(void **state) {
  struct loom_refusal why;
  (void)state;
  struct loom_setup *setup = parse(FABRIC);
  struct loom_run *run = loom_run_create(setup, NULL);
  assert_false(loom_run_write(run, "/dev/null/results", &why));
  assert_int_equal(why.status, 2);
  assert_non_null(strstr(why.text, "/dev/null"));
  loom_run_free(run);
  loom_setup_free(setup);
}

/* ---- graphs ---------------------------------------------------------------------------------- */

static void a_setup_shows_its_topology_and_routing(void **state) {
  struct loom_topo_counts counts;
  struct loom_routing_worth worth;
  uint32_t e, peer, back, port;
  (void)state;
  struct loom_setup *setup = parse(FABRIC);
  const struct loom_topo *t = loom_setup_topo(setup);
  const struct loom_routing *r = loom_setup_routing(setup);
  loom_topo_count(t, &counts);
  assert_int_equal(counts.nodes, 4);
  assert_int_equal(loom_topo_devices(t), 8);
  for (uint32_t d = 0; d < 8; d++) {
    bool is_host = loom_topo_kind_of(t, d) == LOOM_TOPO_HCA;
    assert_true(loom_topo_name_of(t, d)[0]);
    assert_int_equal(loom_topo_ports_of(t, d), is_host ? 1 : 4);
    if (loom_topo_peer(t, d, 1, &e, &peer)) {
      assert_true(loom_topo_peer(t, e, peer, &back, &port));
      assert_true(back == d && port == 1);
    }
    assert_false(loom_topo_peer(t, d, 5, &e, &peer));
    assert_int_equal(loom_topo_lid_of(t, d, 5), 0);
    uint32_t lid = loom_topo_lid_of(t, d, 1);
    assert_true(lid > 0);
    if (!is_host)
      assert_int_equal(loom_routing_port_to(r, d, lid), 0);
    else
      assert_int_equal(loom_routing_port_to(r, d, lid), 255);
  }
  assert_int_equal(loom_routing_port_to(r, 99, 1), 255);
  assert_int_equal(loom_routing_layers(r), 1);
  assert_true(loom_routing_judge(r, &worth));
  assert_int_equal(worth.pairs, 12);
  assert_int_equal(worth.unreachable, 0);
  assert_false(worth.may_deadlock);
  assert_true(worth.hops_mean > 3.3 && worth.hops_mean < 3.4); /* 4 pairs of 2 links, 8 of 4 */
  loom_setup_free(setup);
}

int main(int argc, char **argv) {
  static const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_library_is_as_old_as_its_headers),
      cmocka_unit_test(a_device_steps_and_a_reset_makes_it_as_new),
      cmocka_unit_test(parameters_that_are_not_legal_make_no_device),
      cmocka_unit_test(every_kind_of_device_can_be_made_with_its_defaults),
      cmocka_unit_test(a_setup_tells_what_its_text_says),
      cmocka_unit_test(a_setup_takes_changes_of_its_text),
      cmocka_unit_test(a_setup_is_refused_by_file_line_and_key),
      cmocka_unit_test(whichever_engine_it_is_a_sim_gives_the_same),
      cmocka_unit_test(a_message_arrives_with_its_tag_and_its_times),
      cmocka_unit_test(a_pattern_says_where_messages_go),
      cmocka_unit_test(messages_that_are_not_legal_are_not_posted),
      cmocka_unit_test(a_fabric_that_wants_circuits_is_no_sim),
      cmocka_unit_test(a_run_has_the_metrics_of_its_classes),
      cmocka_unit_test(results_that_cannot_be_written_are_refused),
      cmocka_unit_test(a_setup_shows_its_topology_and_routing),
  };
  return UNIT_RUN("library", tests, NULL, NULL);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Traces: the published example, dependencies, trigger flags, mappings, messages within a node,
 * collectives, text, the synthetic ones, and the command `loom vef` (VF-01..10, VF-12, GV-4). */
#define _GNU_SOURCE /* open_memstream */

#include "tb/unit/unit.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "io/read_vef.h"
#include "io/streams.h"
#include "tb/unit/cli_run.h"
#include "vef/vef_generate.h"
#include "vef/vef_ideal.h"

enum { FLYING = 8192, LIMIT = 1000000 };

/* ---- a network without contention ------------------------------------------------------------ */

struct flying {
  uint64_t arrival;
  uint32_t trace, id;
};

/* Each message takes `latency` cycles, and up to `spread` more that depend on its id. */
struct network {
  uint32_t latency, spread;
  bool by_task; /* polled task by task instead of all at once */
  uint32_t tasks;
  size_t count;
  struct flying flying[FLYING];
};

static void take(struct network *n, uint64_t now, const struct loom_vef_message *m) {
  assert_int_not_equal(m->src_node, m->dst_node);
  assert_true(n->count < FLYING);
  uint32_t more = n->spread ? (m->id * 2654435761u >> 8) % n->spread : 0;
  n->flying[n->count++] = (struct flying){now + n->latency + more, m->trace, m->id};
}

static void poll(struct network *n, struct loom_vef_replay *r) {
  struct loom_vef_message m;
  for (uint32_t t = n->by_task ? n->tasks : 0; t-- > 0;)
    while (loom_vef_poll(r, 0, t, &m))
      take(n, loom_vef_now(r), &m);
  while (!n->by_task && loom_vef_next(r, &m))
    take(n, loom_vef_now(r), &m);
}

static void arrive(struct network *n, struct loom_vef_replay *r) {
  for (size_t i = 0; i < n->count;) {
    if (n->flying[i].arrival != loom_vef_now(r)) {
      i++;
      continue;
    }
    assert_true(loom_vef_deliver(r, n->flying[i].trace, n->flying[i].id));
    assert_false(loom_vef_deliver(r, n->flying[i].trace, n->flying[i].id));
    n->flying[i] = n->flying[--n->count];
  }
}

/* One cycle; a message that arrives may be answered in the same cycle. */
static void cycle(struct network *n, struct loom_vef_replay *r) {
  poll(n, r);
  arrive(n, r);
  poll(n, r);
  loom_vef_tick(r);
}

static void run(struct network *n, struct loom_vef_replay *r) {
  for (unsigned i = 0; !loom_vef_done(r); i++) {
    assert_true(i < LIMIT);
    if (!n->count && loom_vef_when(r) != LOOM_VEF_NEVER)
      loom_vef_advance(r, loom_vef_when(r));
    cycle(n, r);
  }
}

static struct loom_vef_trace *parse(const char *text) {
  struct loom_vef_error e;
  struct loom_vef_trace *t = loom_vef_parse(text, strlen(text), NULL, &e);
  if (!t)
    fail_msg("line %zu: %s: %s", e.line, e.key, e.message ? e.message : "range");
  return t;
}

static struct loom_vef_trace *parse_file(const char *name) {
  struct loom_source src;
  struct loom_error err = {.line = ""};
  struct loom_vef_error e;
  assert_true(loom_source_read_all(&src, name, &err));
  struct loom_vef_trace *t = loom_vef_parse(src.text, src.size, NULL, &e);
  assert_non_null(t);
  loom_source_free(&src);
  return t;
}

static struct loom_vef_replay *replay_on(uint32_t nodes, uint32_t traces) {
  struct loom_vef_replay *r =
      loom_vef_replay_create(&(struct loom_vef_replay_cfg){.nodes = nodes, .traces = traces});
  assert_non_null(r);
  return r;
}

static uint32_t add_at(struct loom_vef_replay *r, const struct loom_vef_trace *t, uint64_t start) {
  uint32_t *node = calloc(t->size.tasks, sizeof *node);
  uint32_t number = LOOM_VEF_NONE;
  loom_vef_map(LOOM_VEF_MAP_BLOCK, t->size.tasks, t->size.tasks, 0, node);
  assert_true(
      loom_vef_add(r, &(struct loom_vef_load){.trace = t, .start = start, .node = node}, &number));
  free(node);
  return number;
}

/* Replays a trace alone, each task on its node. */
static struct loom_vef_replay *replayed(const struct loom_vef_trace *t, uint32_t latency,
                                        uint32_t spread) {
  struct network *n = calloc(1, sizeof *n);
  struct loom_vef_replay *r = replay_on(t->size.tasks, 1);
  *n = (struct network){.latency = latency, .spread = spread};
  add_at(r, t, 0);
  run(n, r);
  free(n);
  return r;
}

static void assert_sent(const struct loom_vef_replay *r, uint32_t id, uint64_t cycle_sent) {
  assert_int_equal(loom_vef_sent_at(r, 0, id), cycle_sent);
}

static void assert_same_schedule(const struct loom_vef_trace *t, const struct loom_vef_replay *a,
                                 const struct loom_vef_replay *b) {
  for (uint32_t i = 0; i < t->count; i++) {
    uint32_t id = t->record[i].id;
    assert_int_equal(loom_vef_sent_at(a, 0, id), loom_vef_sent_at(b, 0, id));
    assert_int_equal(loom_vef_received_at(a, 0, id), loom_vef_received_at(b, 0, id));
  }
}

/* ---- dependencies ---------------------------------------------------------------------------- */

/* GV-4: the published example on a network of two cycles. */
static void the_published_trace_is_sent_at_its_published_times(void **state) {
  (void)state;
  static const uint32_t id[] = {0, 1, 3, 4, 5, 6, 7, 8};
  static const uint64_t sent[] = {17, 17, 21, 21, 25, 25, 27, 27};
  struct loom_vef_counts c;
  struct loom_vef_trace *t = parse_file("vectors/vef/gv-4.vef");
  for (unsigned by_task = 0; by_task < 2; by_task++) {
    struct network *n = calloc(1, sizeof *n);
    struct loom_vef_replay *r = replay_on(50, 1);
    *n = (struct network){.latency = 2, .by_task = by_task, .tasks = 50};
    add_at(r, t, 0);
    assert_int_equal(loom_vef_when(r), 17);
    while (!loom_vef_done(r))
      cycle(n, r);
    for (unsigned i = 0; i < 8; i++) {
      assert_sent(r, id[i], sent[i]);
      assert_int_equal(loom_vef_received_at(r, 0, id[i]), sent[i] + 2);
    }
    assert_int_equal(loom_vef_now(r), 30);
    loom_vef_count(r, &c);
    assert_int_equal(c.sent, 8);
    assert_int_equal(c.received, 8);
    assert_int_equal(c.searches, 6);
    assert_int_equal(c.searches_saved, 2);
    assert_int_equal(loom_vef_sent_at(r, 0, 2), LOOM_VEF_NEVER);
    assert_false(loom_vef_deliver(r, 0, 2));
    assert_false(loom_vef_deliver(r, 1, 0));
    loom_vef_replay_destroy(r);
    free(n);
  }
  loom_vef_destroy(t);
}

/* VF-06: the message is there before the record's turn, long before or just before; or it is not.
 */
static void a_record_waits_only_for_a_message_that_is_not_there_yet(void **state) {
  (void)state;
  struct loom_vef_trace *t = parse("VEF2 2 5 1 0 0 0 1\nC0 0 1\n"
                                   "0 0 1 8 0 0 -1\n"   /* arrives at 2 */
                                   "1 1 0 8 0 50 -1\n"  /* busy until 50; arrives at 52 */
                                   "2 1 0 8 2 5 0\n"    /* 2 + 5 is past */
                                   "3 1 0 8 2 100 0\n"  /* 2 + 100 is not */
                                   "4 0 1 8 2 10 3\n"); /* waits until 104 */
  struct loom_vef_replay *r = replayed(t, 2, 0);
  assert_sent(r, 0, 0);
  assert_sent(r, 1, 50);
  assert_sent(r, 2, 50);
  assert_sent(r, 3, 102);
  assert_sent(r, 4, 114);
  loom_vef_replay_destroy(r);
  loom_vef_destroy(t);
}

/* A message that the network takes late moves everything after it. */
static void a_message_taken_late_moves_everything_after_it(void **state) {
  (void)state;
  struct loom_vef_trace *t = parse("VEF2 2 2 1 0 0 0 1\nC0 0 1\n0 0 1 8 0 3 -1\n1 0 1 8 1 4 0\n");
  struct loom_vef_replay *r = replay_on(2, 1);
  struct loom_vef_message m;
  add_at(r, t, 0);
  assert_false(loom_vef_poll(r, 0, 0, &m));
  loom_vef_advance(r, 10);
  assert_false(loom_vef_poll(r, 0, 1, &m));
  assert_true(loom_vef_poll(r, 0, 0, &m));
  assert_int_equal(loom_vef_when(r), 14);
  assert_false(loom_vef_next(r, &m));
  loom_vef_advance(r, 14);
  assert_true(loom_vef_next(r, &m));
  assert_int_equal(m.id, 1);
  assert_int_equal(m.length, 8);
  assert_true(loom_vef_deliver(r, 0, 1));
  assert_false(loom_vef_done(r));
  assert_true(loom_vef_deliver(r, 0, 0));
  assert_true(loom_vef_done(r));
  loom_vef_replay_destroy(r);
  loom_vef_destroy(t);
}

static const struct loom_vef_generate_cfg patterns[] = {
    {1, LOOM_VEF_PATTERN_RING, 16, {1, 1, 1}, 20, 64, 50, 1000, 3, LOOM_VEF_BROADCAST},
    {2, LOOM_VEF_PATTERN_ALLTOALL, 9, {1, 1, 1}, 6, 64, 50, 1000, 3, LOOM_VEF_BROADCAST},
    {3, LOOM_VEF_PATTERN_STENCIL, 20, {5, 4, 1}, 10, 64, 50, 1000, 3, LOOM_VEF_BROADCAST},
    {4, LOOM_VEF_PATTERN_STENCIL, 24, {2, 3, 4}, 10, 64, 50, 1000, 3, LOOM_VEF_BROADCAST},
    {5, LOOM_VEF_PATTERN_RANDOM, 30, {1, 1, 1}, 40, 64, 50, 1000, 3, LOOM_VEF_BROADCAST},
};
enum { PATTERNS = sizeof patterns / sizeof patterns[0] };

/* VF-08: the same schedule with and without the flags, on networks of all sorts; searches are
 * saved.
 */
static void the_schedule_is_the_same_with_and_without_trigger_flags(void **state) {
  (void)state;
  for (unsigned i = 0; i < PATTERNS * 3; i++) {
    struct loom_vef_counts with;
    struct loom_vef_counts without;
    struct loom_vef_trace *t = loom_vef_generate(&patterns[i / 3]);
    struct loom_vef_replay *a = replayed(t, 1 + i % 3, i % 3 * 40);
    loom_vef_count(a, &with);
    loom_vef_strip_triggers(t);
    struct loom_vef_replay *b = replayed(t, 1 + i % 3, i % 3 * 40);
    loom_vef_count(b, &without);
    assert_same_schedule(t, a, b);
    assert_int_equal(with.sent, t->count);
    assert_int_equal(without.searches, t->count);
    assert_int_equal(without.searches_saved, 0);
    assert_true(with.searches_saved > 0);
    assert_int_equal(with.searches + with.searches_saved, t->count);
    assert_int_equal(with.repaired, 0);
    loom_vef_replay_destroy(a);
    loom_vef_replay_destroy(b);
    loom_vef_destroy(t);
  }
}

/* A flag that is missing is found, and does not stop the replay: here that of the first message
 * that its receiver waits for, without which it would never go on. */
static void a_missing_trigger_flag_is_found_and_does_not_stop_the_replay(void **state) {
  (void)state;
  struct loom_vef_triggers found;
  struct loom_vef_counts c;
  uint8_t wanted[8];
  struct loom_vef_trace *t = parse_file("vectors/vef/gv-4.vef");
  struct loom_vef_replay *whole = replayed(t, 2, 0);
  t->record[2].dep &= 3;
  loom_vef_check_triggers(t, wanted, &found);
  assert_int_equal(found.missing, 1);
  assert_int_equal(found.first, 3);
  assert_int_equal(found.idle, 2);
  struct loom_vef_replay *r = replayed(t, 2, 0);
  loom_vef_count(r, &c);
  assert_int_equal(c.repaired, 1);
  assert_same_schedule(t, whole, r);
  loom_vef_set_triggers(t);
  loom_vef_check_triggers(t, wanted, &found);
  assert_int_equal(found.missing + found.idle, 0);
  loom_vef_replay_destroy(whole);
  loom_vef_replay_destroy(r);
  loom_vef_destroy(t);
}

/* ---- nodes ----------------------------------------------------------------------------------- */

/* VF-09: message 5 stays within the node; message 6 follows it. */
static void a_message_within_a_node_never_enters_the_network(void **state) {
  (void)state;
  static const uint32_t table[9] = {0, 7, 0, 0, 0, 0, 0, 0, 0};
  static const uint32_t node[] = {0, 0, 1};
  const struct loom_vef_load load[] = {
      {.intra = LOOM_VEF_INTRA_ONE},
      {.intra = LOOM_VEF_INTRA_LATENCY, .latency = 4},
      {.intra = LOOM_VEF_INTRA_BANDWIDTH, .bandwidth = 16},
      {.intra = LOOM_VEF_INTRA_TABLE, .table = table},
  };
  static const uint64_t latency[] = {1, 4, 5, 7};
  struct loom_vef_trace *t = parse("VEF3 3 4 1 0 0 0 1000\nC0 0 1 2\n"
                                   "5 0 1 72 4 10 -1\n"
                                   "6 0 2 8 1 2 5\n"
                                   "7 1 2 8 2 3 5\n"
                                   "8 0 2 8 1 20 5\n");
  for (unsigned i = 0; i < 4; i++) {
    struct network *n = calloc(1, sizeof *n);
    struct loom_vef_replay *r = replay_on(2, 1);
    struct loom_vef_load l = load[i];
    struct loom_vef_counts c;
    uint32_t number = 0;
    n->latency = 2;
    l.trace = t;
    l.node = node;
    assert_true(loom_vef_add(r, &l, &number));
    run(n, r);
    assert_sent(r, 5, 10);
    assert_int_equal(loom_vef_received_at(r, 0, 5), 10 + latency[i]);
    assert_sent(r, 6, 10 + (latency[i] > 2 ? latency[i] : 2));
    assert_sent(r, 7, 10 + latency[i] + 3);
    assert_sent(r, 8, 30);
    loom_vef_count(r, &c);
    assert_int_equal(c.inside, 1);
    assert_int_equal(c.sent, 3);
    loom_vef_replay_destroy(r);
    free(n);
  }
  loom_vef_destroy(t);
}

/* All on one node: no network at all, and done only when the last message has arrived. */
static void a_trace_on_one_node_ends_with_its_last_arrival(void **state) {
  (void)state;
  uint32_t node[16] = {0};
  uint32_t number = 0;
  struct loom_vef_trace *t = loom_vef_generate(&patterns[0]);
  struct loom_vef_replay *r = replay_on(1, 1);
  struct network *n = calloc(1, sizeof *n);
  assert_true(loom_vef_add(r, &(struct loom_vef_load){.trace = t, .node = node}, &number));
  assert_int_equal(loom_vef_when(r), LOOM_VEF_NEVER);
  assert_false(loom_vef_done(r));
  run(n, r);
  uint64_t last = 0;
  for (uint32_t i = 0; i < t->count; i++)
    if (loom_vef_received_at(r, 0, i) > last)
      last = loom_vef_received_at(r, 0, i);
  assert_int_equal(loom_vef_now(r), last);
  node[3] = 1;
  assert_false(loom_vef_add(r, &(struct loom_vef_load){.trace = t, .node = node}, &number));
  free(n);
  loom_vef_replay_destroy(r);
  loom_vef_destroy(t);
}

static void block_linear_and_random_mappings_spread_the_tasks(void **state) {
  (void)state;
  uint32_t node[512];
  uint32_t again[512];
  uint32_t load[64] = {0};
  loom_vef_map(LOOM_VEF_MAP_BLOCK, 512, 64, 0, node);
  for (uint32_t t = 0; t < 512; t++)
    assert_int_equal(node[t], t / 8);
  loom_vef_map(LOOM_VEF_MAP_LINEAR, 512, 64, 0, node);
  for (uint32_t t = 0; t < 512; t++)
    assert_int_equal(node[t], t % 64);
  loom_vef_map(LOOM_VEF_MAP_RANDOM, 512, 64, 7, again);
  assert_memory_not_equal(node, again, sizeof node);
  loom_vef_map(LOOM_VEF_MAP_RANDOM, 512, 64, 7, node);
  assert_memory_equal(node, again, sizeof node);
  for (uint32_t t = 0; t < 512; t++)
    load[node[t]]++;
  for (uint32_t i = 0; i < 64; i++)
    assert_int_equal(load[i], 8);
}

/* VF-04: the tile of each device; DMA devices on node 0. */
static void a_names_file_gives_the_tile_of_each_device(void **state) {
  (void)state;
  static const char text[] = "NODES:3:6\n0:L1Cache_0\n1:Directory_2\n2:DMA_3\n";
  static const struct {
    const char *text;
    size_t line;
    const char *key, *message; /* NULL: it is outside its range */
  } bad[] = {
      {"NODES:3\n", 1, "n", "is not followed by `:`"},
      {"NODES:1:70000\n0:A_0\n", 1, "m", NULL},
      {"NODE:1:1\n0:A_0\n", 1, "NODES", "is missing at the start"},
      {"NODES:1:1\n1:A_0\n", 2, "id", NULL},
      {"NODES:1:1\n0:A\n", 2, "element", "is not followed by `_`"},
      {"NODES:1:1\n0:_1\n", 2, "element", "has no kind of 1..31 letters, digits and `-`"},
      {"NODES:1:1\n0:A+B_1\n", 2, "element", "has no kind of 1..31 letters, digits and `-`"},
      {"NODES:1:1\n0:A_0", 2, "file", "is cut short: the last line does not end"},
      {"NODES:1:1\n0:A_0\n1:A_0\n", 3, "file", "has more lines than its header promises"},
  };
  struct loom_vef_error e;
  uint32_t node[3];
  struct loom_vef_names *names = loom_vef_names_parse(text, sizeof text - 1, &e);
  assert_non_null(names);
  assert_int_equal(names->latency, 6);
  loom_vef_map_names(names, node);
  assert_int_equal(node[0], 0);
  assert_int_equal(node[1], 2);
  assert_int_equal(node[2], 0);
  loom_vef_names_destroy(names);
  for (unsigned i = 0; i < sizeof bad / sizeof bad[0]; i++) {
    assert_null(loom_vef_names_parse(bad[i].text, strlen(bad[i].text), &e));
    assert_int_equal(e.line, bad[i].line);
    assert_string_equal(e.key, bad[i].key);
    assert_true(!bad[i].message == !e.message);
    if (e.message)
      assert_string_equal(e.message, bad[i].message);
  }
}

/* The network has nodes up to the highest tile, whichever device is there. */
static void an_ideal_network_has_a_node_for_each_tile(void **state) {
  (void)state;
  static const uint32_t tiles[][3] = {{2, 0, 1}, {0, 0, 2}, {1, 3, 0}};
  struct loom_vef_trace *t = parse("VEF3 3 2 1 0 0 0 1\nC0 0 1 2\n0 0 1 8 4 5 -1\n1 1 2 8 2 0 0\n");
  for (unsigned i = 0; i < sizeof tiles / sizeof tiles[0]; i++) {
    char text[80];
    struct loom_vef_error e;
    struct loom_vef_ideal result;
    snprintf(text, sizeof text, "NODES:3:2\n0:A_%u\n1:A_%u\n2:A_%u\n", (unsigned)tiles[i][0],
             (unsigned)tiles[i][1], (unsigned)tiles[i][2]);
    struct loom_vef_names *names = loom_vef_names_parse(text, strlen(text), &e);
    assert_non_null(names);
    assert_true(
        loom_vef_ideal(t, &(struct loom_vef_ideal_cfg){.latency = 10, .names = names}, &result));
    /* Within a tile a message takes the 2 cycles of the file. */
    assert_int_equal(result.cycles, 5 + (tiles[i][0] == tiles[i][1] ? 2 : 10) + 10);
    loom_vef_names_destroy(names);
  }
  loom_vef_destroy(t);
}

/* Of tasks that are ready in the same cycle the first sends first. */
static void messages_of_a_cycle_leave_in_the_order_of_their_tasks(void **state) {
  (void)state;
  struct loom_vef_message m;
  struct loom_vef_trace *t =
      parse("VEF2 5 5 1 0 0 0 1\nC0 0 1 2 3 4\n0 3 0 8 0 4 -1\n1 1 0 8 0 4 -1\n"
            "2 4 0 8 0 3 -1\n3 2 0 8 0 4 -1\n4 0 1 8 0 4 -1\n");
  static const uint32_t want[] = {4, 0, 1, 2, 3};
  struct loom_vef_replay *r = replay_on(5, 1);
  add_at(r, t, 0);
  loom_vef_advance(r, 4);
  for (unsigned i = 0; i < 5; i++) {
    assert_true(loom_vef_next(r, &m));
    assert_int_equal(m.src, want[i]);
  }
  assert_false(loom_vef_next(r, &m));
  loom_vef_replay_destroy(r);
  loom_vef_destroy(t);
}

/* VF-12: traces at different starts, one of them added on the way, keep their schedules. */
static void traces_with_different_starts_keep_their_schedules(void **state) {
  (void)state;
  struct loom_vef_trace *t = parse_file("vectors/vef/gv-4.vef");
  struct loom_vef_replay *alone = replayed(t, 2, 0);
  struct loom_vef_replay *r = replay_on(50, 3);
  struct network *n = calloc(1, sizeof *n);
  uint32_t number[3] = {add_at(r, t, 0), add_at(r, t, 5), 0};
  static const uint64_t start[] = {0, 5, 100};
  n->latency = 2;
  for (unsigned i = 0; i < 12; i++)
    cycle(n, r);
  number[2] = add_at(r, t, 100);
  run(n, r);
  for (unsigned k = 0; k < 3; k++)
    for (uint32_t i = 0; i < t->count; i++) {
      uint32_t id = t->record[i].id;
      assert_int_equal(number[k], k);
      assert_int_equal(loom_vef_sent_at(r, k, id), loom_vef_sent_at(alone, 0, id) + start[k]);
    }
  uint32_t node[50] = {0};
  assert_false(loom_vef_add(r, &(struct loom_vef_load){.trace = t, .node = node}, number));
  free(n);
  loom_vef_replay_destroy(alone);
  loom_vef_replay_destroy(r);
  loom_vef_destroy(t);
}

/* dTime in units of the trace's clock, cycles of 640 ps: rounded up. */
static void times_of_the_clock_of_a_trace_are_rounded_up_to_cycles(void **state) {
  (void)state;
  struct loom_vef_trace *t =
      parse("VEF3 2 2 1 0 0 0 1000\nC0 0 1\n0 0 1 8 0 16 -1\n1 0 1 8 1 1 0\n");
  struct loom_vef_replay *r = loom_vef_replay_create(
      &(struct loom_vef_replay_cfg){.nodes = 2, .traces = 1, .cycle_ps = 640});
  struct network *n = calloc(1, sizeof *n);
  n->latency = 1;
  add_at(r, t, 0);
  run(n, r);
  assert_sent(r, 0, 25);
  assert_sent(r, 1, 27);
  free(n);
  loom_vef_replay_destroy(r);
  loom_vef_destroy(t);
}

/* ---- collectives ----------------------------------------------------------------------------- */

/* n tasks enter an operation at cycles 10, 20, ...; then each sends a message. */
static struct loom_vef_trace *collective(const char *op, uint32_t n, uint32_t root) {
  char *text = NULL;
  size_t size = 0;
  FILE *f = open_memstream(&text, &size);
  fprintf(f, "VEF2 %u %u 1 1 %u FALSE\nC0", n, n, n);
  bool down = !strcmp(op, "broadcast") || !strcmp(op, "scatter");
  bool up = !strcmp(op, "reduce") || !strcmp(op, "gather");
  for (uint32_t t = n; t-- > 0;)
    fprintf(f, " %u", t);
  fputc('\n', f);
  for (uint32_t t = 0; t < n; t++) {
    uint32_t sent = !strcmp(op, "barrier") || (down && t != root) ? 0 : 100;
    uint32_t received = !up || t == root ? 100 : 0;
    fprintf(f, "G4 0 %s %u %u %u 0 %u -1\n", op, t, sent, received, 10 * (t + 1));
    fprintf(f, "%u %u %u 1 3 0 G4\n", t, t, (t + 1) % n);
  }
  fclose(f);
  struct loom_vef_trace *t = parse(text);
  free(text);
  return t;
}

static uint32_t log2_up(uint32_t n) {
  uint32_t bits = 0;
  while (1u << bits < n)
    bits++;
  return bits;
}

/* Messages that n tasks need for an operation. */
static uint32_t messages_for(enum loom_vef_op op, enum loom_vef_algorithm how, uint32_t n) {
  uint32_t folded = n - (1u << (log2_up(n + 1) - 1));
  bool doubling = how == LOOM_VEF_DOUBLING;
  switch (op) {
  case LOOM_VEF_ALLREDUCE:
    return how == LOOM_VEF_RING ? 2 * n * (n - 1)
           : doubling           ? 2 * folded + (n - folded) * log2_up(n - folded)
                                : 2 * (n - 1);
  case LOOM_VEF_ALLGATHER:
    return how == LOOM_VEF_RING ? n * (n - 1) : doubling ? n * log2_up(n) : 2 * (n - 1);
  case LOOM_VEF_BARRIER:
    return doubling ? n * log2_up(n) : 2 * (n - 1);
  case LOOM_VEF_ALLTOALL:
    return doubling ? n * log2_up(n) : n * (n - 1);
  default:
    return n - 1;
  }
}

/* Nobody leaves before all have entered, where the operation means that. */
static void check_collective(enum loom_vef_op op, enum loom_vef_algorithm how, uint32_t n) {
  uint32_t root = n / 3;
  struct loom_vef_trace *file = collective(loom_vef_op_names[op], n, root);
  file->size.version = 2 + n % 2;
  struct loom_vef_trace *t = loom_vef_expand(file, how);
  uint32_t node[16];
  uint32_t number = 0;
  assert_non_null(t);
  struct loom_vef_replay *r = replay_on(n, 1);
  struct network *net = calloc(1, sizeof *net);
  net->latency = 2;
  loom_vef_map(LOOM_VEF_MAP_LINEAR, n, n, 0, node);
  assert_false(loom_vef_add(r, &(struct loom_vef_load){.trace = file, .node = node}, &number));
  assert_true(loom_vef_add(r, &(struct loom_vef_load){.trace = t, .node = node}, &number));
  run(net, r);
  struct loom_vef_counts c;
  loom_vef_count(r, &c);
  assert_int_equal(c.sent + c.inside, messages_for(op, how, n) + n);
  assert_int_equal(c.repaired, 0);
  assert_int_equal(c.searches_saved, n % 2 ? n : 0);
  bool all = op == LOOM_VEF_ALLREDUCE || op == LOOM_VEF_ALLGATHER || op == LOOM_VEF_BARRIER ||
             op == LOOM_VEF_ALLTOALL;
  bool up = op == LOOM_VEF_REDUCE || op == LOOM_VEF_GATHER;
  for (uint32_t i = 0; i < n; i++) {
    assert_true(loom_vef_sent_at(r, 0, i) >= 10 * (i + 1));
    if (all || (up && i == root))
      assert_true(loom_vef_sent_at(r, 0, i) >= 10 * n);
    if (op == LOOM_VEF_BROADCAST || op == LOOM_VEF_SCATTER)
      assert_true(loom_vef_sent_at(r, 0, i) >= 10 * (root + 1));
  }
  free(net);
  loom_vef_replay_destroy(r);
  loom_vef_destroy(t);
  loom_vef_destroy(file);
}

static void every_collective_gives_every_task_what_it_needs(void **state) {
  (void)state;
  for (unsigned op = 0; op < LOOM_VEF_OPS; op++)
    for (unsigned how = 0; loom_vef_algorithm_names[how]; how++)
      for (uint32_t n = 1; n <= 13; n++)
        check_collective((enum loom_vef_op)op, (enum loom_vef_algorithm)how, n);
}

/* Bytes that an operation of blocks of 100 moves. */
static void collectives_move_as_many_bytes_as_their_closed_form_says(void **state) {
  (void)state;
  static const struct {
    const char *op;
    enum loom_vef_algorithm how;
    uint32_t n;
    uint64_t bytes;
  } want[] = {
      {"gather", LOOM_VEF_LINEAR, 8, 700},       {"gather", LOOM_VEF_RING, 8, 2800},
      {"gather", LOOM_VEF_DOUBLING, 8, 1200},    {"scatter", LOOM_VEF_DOUBLING, 8, 1200},
      {"scatter", LOOM_VEF_DOUBLING, 6, 700},    {"reduce", LOOM_VEF_RING, 8, 700},
      {"allreduce", LOOM_VEF_RING, 4, 600},      {"allreduce", LOOM_VEF_DOUBLING, 4, 800},
      {"allgather", LOOM_VEF_DOUBLING, 6, 3000}, {"allgather", LOOM_VEF_RING, 6, 3000},
      {"alltoall", LOOM_VEF_LINEAR, 6, 3000},    {"alltoall", LOOM_VEF_DOUBLING, 8, 9600},
      {"alltoall", LOOM_VEF_DOUBLING, 6, 4200},  {"barrier", LOOM_VEF_DOUBLING, 8, 0},
      {"allreduce", LOOM_VEF_TREE, 8, 1400},     {"allgather", LOOM_VEF_TREE, 8, 6800},
      {"gather", LOOM_VEF_TREE, 8, 1200},        {"alltoall", LOOM_VEF_TREE, 6, 3000},
      {"broadcast", LOOM_VEF_TREE, 8, 700},
  };
  for (unsigned i = 0; i < sizeof want / sizeof want[0]; i++) {
    struct loom_vef_trace *file = collective(want[i].op, want[i].n, 1);
    struct loom_vef_trace *t = loom_vef_expand(file, want[i].how);
    uint64_t bytes = 0;
    assert_non_null(t);
    for (uint32_t k = 0; k < t->count; k++)
      if (t->record[k].kind == LOOM_VEF_MESSAGE && t->record[k].id >= want[i].n)
        bytes += t->record[k].length;
    assert_int_equal(bytes, want[i].bytes);
    loom_vef_destroy(t);
    loom_vef_destroy(file);
  }
}

/* Rounds of an all-reduce of 2^k tasks: messages, bytes and steps of the page's table. */
static void an_allreduce_has_the_steps_messages_and_bytes_of_its_closed_form(void **state) {
  (void)state;
  enum { ROUNDS = 3, BLOCK = 1000 };
  for (uint32_t k = 1; k <= 5; k++) {
    const uint32_t n = 1u << k, part = (BLOCK + n - 1) / n;
    const struct {
      uint32_t steps, messages, bytes; /* bytes: of a message */
    } want[] = {[LOOM_VEF_LINEAR] = {2, 2 * (n - 1), BLOCK},
                [LOOM_VEF_TREE] = {2 * k, 2 * (n - 1), BLOCK},
                [LOOM_VEF_RING] = {2 * (n - 1), 2 * n * (n - 1), part},
                [LOOM_VEF_DOUBLING] = {k, n * k, BLOCK}};
    for (unsigned how = 0; loom_vef_algorithm_names[how]; how++) {
      struct loom_vef_trace *file =
          loom_vef_generate(&(struct loom_vef_generate_cfg){.pattern = LOOM_VEF_PATTERN_COLLECTIVE,
                                                            .op = LOOM_VEF_ALLREDUCE,
                                                            .tasks = n,
                                                            .rounds = ROUNDS,
                                                            .bytes = BLOCK,
                                                            .clock = 1,
                                                            .version = 3});
      assert_non_null(file);
      struct loom_vef_trace *t = loom_vef_expand(file, (enum loom_vef_algorithm)how);
      struct loom_vef_ideal result;
      assert_non_null(t);
      assert_true(loom_vef_ideal(t, &(struct loom_vef_ideal_cfg){.latency = 10}, &result));
      assert_int_equal(result.cycles, 10 * ROUNDS * want[how].steps);
      assert_int_equal(result.counts.sent, ROUNDS * want[how].messages);
      uint64_t bytes = 0;
      for (uint32_t i = 0; i < t->count; i++)
        bytes += t->record[i].kind == LOOM_VEF_MESSAGE ? t->record[i].length : 0;
      assert_int_equal(bytes, (uint64_t)ROUNDS * want[how].messages * want[how].bytes);
      loom_vef_destroy(t);
      loom_vef_destroy(file);
    }
  }
}

/* In a ring of messages each waits for the one before; else all go at once. */
static void an_alltoall_has_the_steps_of_its_algorithm(void **state) {
  (void)state;
  static const uint32_t steps[] = {
      [LOOM_VEF_LINEAR] = 1, [LOOM_VEF_TREE] = 1, [LOOM_VEF_RING] = 5, [LOOM_VEF_DOUBLING] = 3};
  for (unsigned how = 0; loom_vef_algorithm_names[how]; how++) {
    struct loom_vef_trace *file = collective("alltoall", 6, 1);
    struct loom_vef_trace *t = loom_vef_expand(file, (enum loom_vef_algorithm)how);
    struct loom_vef_ideal result;
    assert_non_null(t);
    assert_true(loom_vef_ideal(t, &(struct loom_vef_ideal_cfg){.latency = 1000}, &result));
    /* The last enters in cycle 60; the message after it is one more step. */
    assert_in_range(result.cycles, 1000 * (steps[how] + 1), 1000 * (steps[how] + 1) + 60);
    loom_vef_destroy(t);
    loom_vef_destroy(file);
  }
}

/* The root of a gather receives of the ranks behind it, each message of its own sender. */
static void a_receive_waits_for_the_message_of_its_sender(void **state) {
  (void)state;
  enum { TASKS = 5, ROOT = 2 }; /* task t has rank 4 - t */
  struct loom_vef_trace *file = collective("gather", TASKS, ROOT);
  struct loom_vef_trace *t = loom_vef_expand(file, LOOM_VEF_LINEAR);
  uint32_t next = ROOT;
  assert_non_null(t);
  assert_int_equal(t->comm[1] - t->comm[0], TASKS);
  for (uint32_t i = 0; i < TASKS; i++)
    assert_int_equal(t->member[i], i);
  for (uint32_t i = 0; i < t->count; i++) {
    const struct loom_vef_record *r = &t->record[i];
    if ((r->dep & 3) != LOOM_VEF_RECEIVED)
      continue;
    next = (next + TASKS - 1) % TASKS;
    assert_int_equal(r->src, ROOT);
    assert_int_equal(t->record[r->on].src, next);
    assert_int_equal(t->record[r->on].dst, ROOT);
  }
  assert_int_equal(next, (ROOT + 1) % TASKS);
  loom_vef_destroy(t);
  loom_vef_destroy(file);
}

static void a_collective_of_two_tasks_concerns_no_other(void **state) {
  (void)state;
  struct loom_vef_trace *file =
      parse("VEF2 40 0 2 1 2 FALSE\n"
            "C0 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 "
            "23 24 25 26 27 28 29 30 31 32 33 34 35 36 37 38 39\n"
            "C1 39 17\nG0 1 reduce 17 8 0 0 5 -1\n"
            "G0 1 reduce 39 8 8 0 0 -1\n");
  struct loom_vef_trace *t = loom_vef_expand(file, LOOM_VEF_LINEAR);
  struct loom_vef_ideal result;
  assert_non_null(t);
  assert_true(loom_vef_ideal(t, &(struct loom_vef_ideal_cfg){.latency = 3}, &result));
  assert_int_equal(result.cycles, 5 + 3);
  assert_int_equal(result.counts.sent, 1);
  for (uint32_t i = 0; i < t->count; i++)
    assert_true(t->record[i].src == 17 || t->record[i].src == 39);
  loom_vef_destroy(t);
  loom_vef_destroy(file);
}

/* A message waits for the last record of its task's part, whatever stands between. */
static void a_message_after_a_collective_waits_for_its_end(void **state) {
  (void)state;
  struct loom_vef_trace *file = parse("VEF2 3 1 1 1 3 FALSE\nC0 0 1 2\nG0 0 barrier 0 0 0 0 0 -1\n"
                                      "0 0 1 8 3 7 G0\nG0 0 barrier 2 0 0 0 40 -1\n"
                                      "G0 0 barrier 1 0 0 0 0 -1\n");
  for (uint32_t task = 0; task < 3; task++) {
    assert_non_null(loom_vef_part_of(file, 0, task));
    assert_int_equal(loom_vef_part_of(file, 0, task)->task, task);
  }
  struct loom_vef_trace *t = loom_vef_expand(file, LOOM_VEF_LINEAR);
  assert_non_null(t);
  struct loom_vef_replay *r = replayed(t, 2, 0);
  assert_sent(r, 0, 40 + 2 + 7);
  loom_vef_replay_destroy(r);
  loom_vef_destroy(t);
  loom_vef_destroy(file);
}

/* ---- text ------------------------------------------------------------------------------------ */

struct text {
  char bytes[1 << 16];
  size_t size;
};

static bool keep(void *context, const char *bytes, size_t size) {
  struct text *t = context;
  if (size > sizeof t->bytes - t->size)
    return false;
  memcpy(t->bytes + t->size, bytes, size);
  t->size += size;
  return true;
}

/* By a table that is full to four fifths, whatever the ids are. */
static void records_are_found_by_their_ids(void **state) {
  (void)state;
  enum { RECORDS = 5000 };
  static const uint32_t steps[] = {1, 2, 65536, 2654435769u, 0x80000001u, 3u << 30 | 1};
  const struct loom_vef_size size = {.version = 3, .tasks = 2, .comms = 1, .records = RECORDS};
  for (unsigned s = 0; s < sizeof steps / sizeof steps[0]; s++) {
    struct loom_vef_trace *t = loom_vef_create(&size);
    assert_non_null(t);
    assert_true(t->slots * 4 / RECORDS <= 5); /* bytes a record */
    for (uint32_t i = 0; i < RECORDS; i++) {
      struct loom_vef_record r = {.id = i * steps[s], .on = LOOM_VEF_NONE};
      assert_true(loom_vef_append(t, &r));
      if (i == RECORDS / 2)
        assert_false(loom_vef_append(t, &r)); /* there already */
    }
    for (uint32_t i = 0; i < RECORDS; i++)
      assert_int_equal(loom_vef_find(t, i * steps[s]), i);
    assert_int_equal(loom_vef_find(t, RECORDS * steps[s]), LOOM_VEF_NONE);
    loom_vef_destroy(t);
  }
}

/* What is written is what is read; read again, it is the same text. */
static void a_written_trace_is_read_back_as_the_same_text(void **state) {
  (void)state;
  static const char *const files[] = {"vectors/vef/gv-4.vef", "vectors/vef/stencil.vef",
                                      "vectors/vef/random.vef", "vectors/vef/collectives.vef"};
  struct text *first = malloc(sizeof *first);
  struct text *second = malloc(sizeof *second);
  for (unsigned i = 0; i < 4; i++) {
    struct loom_vef_error e;
    struct loom_vef_trace *t = parse_file(files[i]);
    first->size = second->size = 0;
    assert_true(loom_vef_write(t, keep, first));
    struct loom_vef_trace *again = loom_vef_parse(first->bytes, first->size, NULL, &e);
    assert_non_null(again);
    assert_int_equal(again->count, t->count);
    assert_memory_equal(again->record, t->record, t->count * sizeof *t->record);
    assert_true(loom_vef_write(again, keep, second));
    assert_int_equal(first->size, second->size);
    assert_memory_equal(first->bytes, second->bytes, first->size);
    first->size = sizeof first->bytes;
    assert_false(loom_vef_write(t, keep, first));
    loom_vef_destroy(t);
    loom_vef_destroy(again);
  }
  free(first);
  free(second);
}

/* Other words for the operations (VF-10). */
static void operations_may_have_other_words(void **state) {
  (void)state;
  static const char *const codes[LOOM_VEF_OPS] = {"0", "1", "2", "3", "4", "5", "6", "7"};
  static const char text[] = "VEF2 1 0 1 1 1 TRUE\nC0 0\nG0 0 6 0 0 0 0 0 -1\n";
  struct loom_vef_error e;
  struct loom_vef_trace *t = loom_vef_parse(text, sizeof text - 1, codes, &e);
  assert_non_null(t);
  assert_int_equal(t->record[0].op, LOOM_VEF_BARRIER);
  assert_int_equal(t->no_recv_dep, 1);
  assert_int_equal(t->clock, 1000);
  loom_vef_destroy(t);
  assert_null(loom_vef_parse(text, sizeof text - 1, NULL, &e));
}

/* A table of latencies: a line for each source, a number for each destination. */
static void a_table_of_latencies_has_a_line_for_each_source(void **state) {
  (void)state;
  static const char text[] = "0 1\t2\r\n3 4 5 \n6 7 65535\n";
  static const uint32_t want[] = {0, 1, 2, 3, 4, 5, 6, 7, 65535};
  struct loom_source src;
  struct loom_error err = {.line = ""};
  assert_true(loom_source_copy(&src, "t", text, sizeof text - 1));
  uint32_t *table = loom_read_vef_latencies(&src, 3, &err);
  assert_string_equal(err.line, "");
  assert_memory_equal(table, want, sizeof want);
  free(table);
  assert_null(loom_read_vef_latencies(&src, 2, &err));
  assert_string_equal(err.line, "t:1: latency: is followed by something");
  assert_null(loom_read_vef_latencies(&src, 4, &err));
  assert_string_equal(err.line, "t:1: latency: is missing");
  loom_source_free(&src);
}

#define HEAD3 "VEF3 2 1 1 0 0 0 1000\nC0 0 1\n"
#define HEAD2 "VEF2 2 0 1 1 2 FALSE\nC0 0 1\n"

static void wrong_traces_are_refused_where_they_are_wrong(void **state) {
  (void)state;
  static const struct {
    const char *text;
    const char *line; /* how the refusal starts */
  } bad[] = {
      {"", "t:1: file: is cut short"},
      {"VEF4 1 0 1 0 0 0 1\nC0 0\n", "t:1: version: is none of"},
      {"VEF3 0 0 1 0 0 0 1\nC0 0\n", "t:1: nNodes: is outside 1..65536"},
      {"VEF3 1 0 1 0 0 0\nC0 0\n", "t:1: clock: is missing"},
      {"VEF3 1 0 1 0 0 2 1\nC0 0\n", "t:1: noRecvDep: is none of"},
      {"VEF3 1 0 1 0 0 0 1 1\nC0 0\n", "t:1: clock: is followed by something"},
      {"VEF3 1 0 1 0 0 0 0\nC0 0\n", "t:1: clock: is outside 1..65535"},
      {"VEF 1 0 1 1 1 0\nC0 0\nG0 0 barrier 0 0 0 0 0 -1\n", "t:1: nCollComm: is not 0"},
      {"VEF 1 0 1 1 0 0\nC0 0\n", "t:1: nCollComm: is not 0"},
      {"VEF3 1 0 01 0 0 0 1\nC0 0\n", "t:1: nCOMM: is a number with a leading zero"},
      {"VEF3 1 -1 1 0 0 0 1\nC0 0\n", "t:1: nMsgs: is not a plain decimal number"},
      {"VEF3 4 4294967294 1 0 0 0 1\nC0 0 1 2 3\n", "t:3: file: is cut short"},
      {"VEF3 2 0 1 0 0 0 1\nC0 0\n", "t:2: communicator: 0 does not hold all tasks"},
      {"VEF3 2 0 1 0 0 0 1\nC0 0 0\n", "t:2: task: stands twice"},
      {"VEF3 2 0 1 0 0 0 1\nC0 0 2\n", "t:2: task: is outside 0..1"},
      {"VEF3 2 0 1 0 0 0 1\n\n", "t:2: communicator: is missing"},
      {"VEF3 2 0 1 0 0 0 1\nC1 0 1\n", "t:2: communicator: is not 0"},
      {"VEF3 2 0 1 0 0 0 1\n0 0 1\n", "t:2: communicator: does not start with `C`"},
      {HEAD3 "0 0 1 8 0 0 -1\n\n", "t:4: file: has more lines"},
      {HEAD3 "0 0 1 8 0 0 -1", "t:3: file: is cut short"},
      {HEAD3 "0 2 1 8 0 0 -1\n", "t:3: src: is outside 0..1"},
      {HEAD3 "0 0 2 8 0 0 -1\n", "t:3: dst: is outside 0..1"},
      {HEAD3 "0 0 1 4294967296 0 0 -1\n", "t:3: length: is outside"},
      {HEAD3 "0 0 1 8 8 0 -1\n", "t:3: Dep: is outside 0..7"},
      {HEAD3 "0 0 1 8 0 140737488355328 -1\n", "t:3: dTime: is outside"},
      {HEAD3 "0 0 1 8 0 0 0\n", "t:3: IDdep: of an independent record is not -1"},
      {HEAD3 "0 0 1 8 1 0 0\n", "t:3: IDdep: stands at or after this line"},
      {HEAD3 "0 0 1 8 1 0 7\n", "t:3: IDdep: is no message of the file"},
      {HEAD3 "0 0 1 8 3 0 7\n", "t:3: IDdep: of a group dependency does not start with `G`"},
      {HEAD3 "0 0 1 8 3 0 G7\n", "t:3: IDdep: is no collective of this task"},
      {HEAD3 "G0 0 barrier 0 0 0 0 0 -1\n", "t:3: nLocalCollComm: is less"},
      {"VEF3 2 2 1 0 0 0 1\nC0 0 1\n0 0 1 8 0 0 -1\n0 0 1 8 0 0 -1\n",
       "t:4: ID: is that of another message"},
      {"VEF3 2 2 1 0 0 0 1\nC0 0 1\n0 0 1 8 0 0 -1\n1 1 0 8 1 0 0\n",
       "t:4: IDdep: is not sent by this task"},
      {"VEF3 2 2 1 0 0 0 1\nC0 0 1\n0 0 1 8 0 0 -1\n1 0 1 8 2 0 0\n",
       "t:4: IDdep: is not received by this task"},
      {"VEF3 2 2 1 0 0 0 1\nC0 0 1\n0 0 1 8 2 0 1\n1 1 0 8 2 0 0\n",
       "t:3: IDdep: can never come about"},
      {"VEF2 2 1 1 0 0 0\nC0 0 1\n0 0 1 8 4 0 -1\n", "t:3: Dep: is outside 0..3"},
      {HEAD2 "G0 0 barrier 0 0 0 0 0 -1\n0 0 1 8 0 0 -1\n", "t:4: nMsgs: is less"},
      {HEAD2 "G0 0 barriers 0 0 0 0 0 -1\nG0 0 barrier 1 0 0 0 0 -1\n", "t:3: op: is not"},
      {HEAD2 "G0 0 barrier 0 0 0 0 0 -1\nG0 0 barrier 0 0 0 0 0 -1\n", "t:4: task: is none of"},
      {HEAD2 "G0 0 barrier 0 0 0 0 0 -1\nG0 0 gather 1 0 0 0 0 -1\n", "t:4: ID: names another"},
      {HEAD2 "G0 0 barrier 0 0 0 0 0 -1\nG1 0 barrier 1 0 0 0 0 -1\n",
       "t:3: task: others of the communicator are missing"},
      {HEAD2 "G0 0 broadcast 0 1 0 0 0 -1\nG0 0 broadcast 1 1 0 0 0 -1\n",
       "t:4: send_size: makes a second root"},
      {"VEF2 1 0 1 2 1 FALSE\nC0 0\nG0 0 barrier 0 0 0 0 0 -1\n", "t:1: nCollComm: is not"},
  };
  for (unsigned i = 0; i < sizeof bad / sizeof bad[0]; i++) {
    struct loom_source src;
    struct loom_error err = {.line = ""};
    struct loom_vef_input in;
    assert_true(loom_source_copy(&src, "t", bad[i].text, strlen(bad[i].text)));
    assert_false(loom_read_vef(&in, &src, LOOM_VEF_LINEAR, NULL, &err));
    if (strncmp(err.line, bad[i].line, strlen(bad[i].line)) != 0)
      fail_msg("`%s` instead of `%s`", err.line, bad[i].line);
    loom_source_free(&src);
  }
}

/* ---- the command ----------------------------------------------------------------------------- */

static json_t *info(const char *arguments) {
  char line[300];
  snprintf(line, sizeof line, "vef info --json %s", arguments);
  return run_json(line);
}

static json_int_t number(const json_t *root, const char *group, const char *key) {
  const json_t *value = json_object_get(group ? json_object_get(root, group) : root, key);
  assert_true(json_is_integer(value));
  return json_integer_value(value);
}

static void vef_info_prints_the_counts_of_a_trace(void **state) {
  (void)state;
  json_t *root = info("vectors/vef/gv-4.vef --names vectors/vef/gv-4.names");
  assert_int_equal(number(root, NULL, "version"), 3);
  assert_int_equal(number(root, NULL, "tasks"), 50);
  assert_int_equal(number(root, NULL, "messages"), 8);
  assert_int_equal(number(root, NULL, "bytes"), 128);
  assert_int_equal(number(root, "dependencies", "received"), 4);
  assert_int_equal(number(root, "triggers", "missing"), 0);
  assert_int_equal(number(root, "triggers", "idle"), 2);
  assert_int_equal(number(root, "chain", "messages"), 6);
  assert_int_equal(number(root, "chain", "dtime"), 23);
  assert_int_equal(number(root, "names", "latency"), 2);
  json_decref(root);
  root = info("vectors/vef/collectives.vef --collectives ring");
  assert_int_equal(number(root, NULL, "version"), 2);
  assert_int_equal(number(root, NULL, "communicators"), 2);
  assert_int_equal(number(root, "collectives", "count"), 4);
  assert_int_equal(number(root, "collectives", "lines"), 14);
  assert_int_equal(number(root, "dependencies", "group"), 10);
  assert_int_equal(number(root, "chain", "messages"), 17);
  json_decref(root);
  root = info("vectors/vef/collectives.vef"); /* doubling, as in a fabric */
  assert_int_equal(number(root, "chain", "messages"), 11);
  json_decref(root);
}

/* A window as in T-3.3.1.5: task 1 waits for message 9 and behind it for message 0, which comes
 * first; nobody waits for message 5, and only its flag says so. */
static void a_search_in_a_window_goes_through_the_records_up_to_the_one_that_waits(void **state) {
  (void)state;
  static const struct {
    uint32_t window;
    bool strip;
    uint64_t looked_at, false_fails;
  } runs[] = {{10, false, 2 + 1, 0},   {10, true, 2 + 2 + 1, 0}, {1, false, 1 + 1, 1},
              {1, true, 1 + 1 + 1, 1}, {0, false, 0, 0},         {0, true, 0, 0}};
  for (unsigned i = 0; i < sizeof runs / sizeof runs[0]; i++) {
    struct loom_vef_trace *t = parse("VEF3 2 5 1 0 0 0 1000\nC0 0 1\n"
                                     "0 0 1 8 4 0 -1\n5 0 1 8 0 1 -1\n9 0 1 8 4 50 -1\n"
                                     "3 1 0 8 2 1 9\n4 1 0 8 2 1 0\n");
    struct loom_vef_ideal result;
    if (runs[i].strip)
      loom_vef_strip_triggers(t);
    assert_true(loom_vef_ideal(
        t, &(struct loom_vef_ideal_cfg){.latency = 2, .window = runs[i].window}, &result));
    assert_int_equal(result.cycles, 50 + 2 + 1 + 2);
    assert_int_equal(result.counts.looked_at, runs[i].looked_at);
    assert_int_equal(result.counts.false_fails, runs[i].false_fails);
    loom_vef_destroy(t);
  }
  json_t *root = run_json("vef replay --json --latency 2 --window 1 vectors/vef/gv-4.vef");
  assert_int_equal(number(root, NULL, "looked_at"), 4);
  assert_int_equal(number(root, NULL, "false_fails"), 2);
  json_decref(root);
}

static void vef_generate_writes_the_messages_and_chains_asked_for(void **state) {
  (void)state;
  static const struct {
    const char *arguments;
    json_int_t messages, chain;
  } runs[] = {{"ring --tasks 8 --rounds 5 --seed 3", 40, 5},
              {"ring --tasks 1000 --rounds 60", 60000, 60}, /* more than 1 MiB */
              {"alltoall --tasks 8 --rounds 2", 112, 8},
              {"stencil --grid 4x4 --rounds 3", 192, 6},
              {"stencil --grid 3x3x3 --rounds 2 --format 2", 324, 7},
              {"random --tasks 10 --rounds 7 --clock 640", 70, 0}};
  char file[64];
  snprintf(file, sizeof file, "build/test_vef.%ld", (long)getpid());
  for (unsigned i = 0; i < sizeof runs / sizeof runs[0]; i++) {
    char line[200];
    snprintf(line, sizeof line, "vef generate %s -o %s", runs[i].arguments, file);
    struct outcome o = loom(line);
    assert_string_equal(o.err, "");
    assert_string_equal(o.out, "");
    assert_int_equal(o.status, LOOM_EXIT_DONE);
    drop(&o);
    json_t *root = info(file);
    assert_int_equal(number(root, NULL, "messages"), runs[i].messages);
    if (runs[i].chain)
      assert_int_equal(number(root, "chain", "messages"), runs[i].chain);
    assert_int_equal(number(root, "triggers", "missing"), 0);
    assert_int_equal(number(root, "triggers", "idle"), 0);
    json_decref(root);
  }
  remove(file);
}

static void wrong_options_of_vef_are_refused_with_one_line(void **state) {
  (void)state;
  static const char *const bad[][2] = {
      {"vef info gone.vef", "gone.vef:0: file: cannot open: No such file or directory"},
      {"vef info", "loom vef info: FILE: missing"},
      {"vef info vectors/vef/gv-4.names", "vectors/vef/gv-4.names:1: version: is none of `VEF`, "
                                          "`VEF2`, `VEF3`"},
      {"vef info vectors/vef/random.vef --names vectors/vef/gv-4.names",
       "vectors/vef/gv-4.names:1: n: is not 4, the tasks of the trace"},
      {"vef info x --ops a,b", "loom vef info: --ops: is not a list of 8 words"},
      {"vef info x --ops a,b,c,d,e,f,g,a", "loom vef info: --ops: `a` stands twice"},
      {"vef info vectors/vef/collectives.vef --ops 0,1,2,3,4,5,6,7",
       "vectors/vef/collectives.vef:5: op: is not the name of a collective"},
      {"vef generate ring", "loom vef generate: --output: missing"},
      {"vef generate -o x", "loom vef generate: KIND: missing"},
      {"vef generate stencil -o x", "loom vef generate: --grid: a stencil has a grid, and no "
                                    "--tasks"},
      {"vef generate stencil --grid 1x1 -o x", "loom vef generate: --grid: 1x1 has not 2..65536 "
                                               "tasks"},
      {"vef generate ring --grid 2x2 -o x", "loom vef generate: --grid: only a stencil has one"},
      {"vef generate alltoall --tasks 65536 -o x",
       "loom vef generate: --rounds: more than 100000000 messages"},
      {"vef generate ring -o build/gone/x",
       "build/gone/x:0: file: cannot write: No such file or directory"},
  };
  for (unsigned i = 0; i < sizeof bad / sizeof bad[0]; i++)
    assert_refused(bad[i][0], bad[i][1]);
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_published_trace_is_sent_at_its_published_times),
      cmocka_unit_test(a_record_waits_only_for_a_message_that_is_not_there_yet),
      cmocka_unit_test(a_message_taken_late_moves_everything_after_it),
      cmocka_unit_test(the_schedule_is_the_same_with_and_without_trigger_flags),
      cmocka_unit_test(a_missing_trigger_flag_is_found_and_does_not_stop_the_replay),
      cmocka_unit_test(a_search_in_a_window_goes_through_the_records_up_to_the_one_that_waits),
      cmocka_unit_test(a_message_within_a_node_never_enters_the_network),
      cmocka_unit_test(a_trace_on_one_node_ends_with_its_last_arrival),
      cmocka_unit_test(block_linear_and_random_mappings_spread_the_tasks),
      cmocka_unit_test(a_names_file_gives_the_tile_of_each_device),
      cmocka_unit_test(an_ideal_network_has_a_node_for_each_tile),
      cmocka_unit_test(messages_of_a_cycle_leave_in_the_order_of_their_tasks),
      cmocka_unit_test(traces_with_different_starts_keep_their_schedules),
      cmocka_unit_test(times_of_the_clock_of_a_trace_are_rounded_up_to_cycles),
      cmocka_unit_test(every_collective_gives_every_task_what_it_needs),
      cmocka_unit_test(collectives_move_as_many_bytes_as_their_closed_form_says),
      cmocka_unit_test(an_allreduce_has_the_steps_messages_and_bytes_of_its_closed_form),
      cmocka_unit_test(an_alltoall_has_the_steps_of_its_algorithm),
      cmocka_unit_test(a_receive_waits_for_the_message_of_its_sender),
      cmocka_unit_test(a_collective_of_two_tasks_concerns_no_other),
      cmocka_unit_test(a_message_after_a_collective_waits_for_its_end),
      cmocka_unit_test(records_are_found_by_their_ids),
      cmocka_unit_test(a_written_trace_is_read_back_as_the_same_text),
      cmocka_unit_test(operations_may_have_other_words),
      cmocka_unit_test(a_table_of_latencies_has_a_line_for_each_source),
      cmocka_unit_test(wrong_traces_are_refused_where_they_are_wrong),
      cmocka_unit_test(vef_info_prints_the_counts_of_a_trace),
      cmocka_unit_test(vef_generate_writes_the_messages_and_chains_asked_for),
      cmocka_unit_test(wrong_options_of_vef_are_refused_with_one_line),
  };
  return UNIT_RUN("vef", tests, NULL, NULL);
}

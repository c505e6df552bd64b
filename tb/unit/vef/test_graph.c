/* SPDX-License-Identifier: Apache-2.0 */
/* Schedules of others as traces: graphs of operations, GOAL, `loom vef import` (docs/vef.md). */
#include "tb/unit/unit.h"

#include <loom/random.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/read_goal.h"
#include "tb/unit/cli_run.h"
#include "vef/vef_generate.h"
#include "vef/vef_graph.h"
#include "vef/vef_ideal.h"

enum { RANKS = 5, NODES = 120 };

static uint64_t later(uint64_t a, uint64_t b) { return a > b ? a : b; }

/* ---- random graphs --------------------------------------------------------------------------- */

/* Of the open sends any, but none before an older one of its stream: streams stay in order. */
static uint32_t choose(const struct loom_vef_graph *g, const uint32_t open[], uint32_t opened,
                       uint64_t *seed) {
  const struct loom_vef_node *s = &g->node[open[loom_below(seed, opened)]];
  uint32_t k = 0;
  for (const struct loom_vef_node *o = &g->node[open[0]];
       o->rank != s->rank || o->peer != s->peer || o->tag != s->tag; o = &g->node[open[k]])
    k++;
  return k;
}

/* A graph in whose order everything could happen: a message is received below its send. */
static void draw(struct loom_vef_graph *g, uint64_t *seed) {
  uint32_t open[NODES]; /* sends that are not received yet */
  uint32_t opened = 0;
  *g = (struct loom_vef_graph){.ranks = RANKS, .clock = 1000};
  for (uint32_t i = 0; i < NODES; i++) {
    struct loom_vef_node n = {.rank = loom_below(seed, RANKS), .line = i + 1};
    uint32_t what = loom_below(seed, 3);
    if (what == 2 && opened) {
      uint32_t k = choose(g, open, opened, seed);
      const struct loom_vef_node *s = &g->node[open[k]];
      n = (struct loom_vef_node){.rank = s->peer,
                                 .peer = s->rank,
                                 .tag = s->tag,
                                 .bytes = s->bytes,
                                 .line = i + 1,
                                 .kind = LOOM_VEF_RECV};
      memmove(open + k, open + k + 1, (--opened - k) * sizeof *open);
    } else if (what == 1) {
      n.kind = LOOM_VEF_SEND;
      n.peer = (n.rank + 1 + loom_below(seed, RANKS - 1)) % RANKS;
      n.tag = loom_below(seed, 2);
      n.bytes = 1 + i;
      open[opened++] = i;
    } else {
      n.time = loom_below(seed, 100);
    }
    assert_true(loom_vef_graph_node(g, &n));
    for (uint32_t k = loom_below(seed, 4); i && k; k--) {
      struct loom_vef_edge e = {i, loom_below(seed, i), loom_below(seed, 4) == 0};
      if (g->node[e.on].rank == n.rank)
        assert_true(loom_vef_graph_edge(g, &e));
    }
  }
}

/* When all is done, worked out node by node. */
static uint64_t end_of(const struct loom_vef_graph *g, uint64_t latency) {
  uint64_t begin[NODES];
  uint64_t done[NODES];
  bool taken[NODES] = {false};
  uint64_t end = 0;
  for (uint32_t i = 0; i < g->nodes; i++) {
    const struct loom_vef_node *n = &g->node[i];
    begin[i] = 0;
    for (uint32_t e = 0; e < g->edges; e++)
      if (g->edge[e].node == i)
        begin[i] = later(begin[i], g->edge[e].start ? begin[g->edge[e].on] : done[g->edge[e].on]);
    done[i] = begin[i] + (n->kind == LOOM_VEF_CALC ? n->time : 0);
    for (uint32_t s = 0; n->kind == LOOM_VEF_RECV && s < i; s++) {
      const struct loom_vef_node *o = &g->node[s];
      if (o->kind == LOOM_VEF_SEND && !taken[s] && o->rank == n->peer && o->peer == n->rank &&
          o->tag == n->tag) {
        taken[s] = true;
        done[i] = later(done[i], done[s] + latency);
        break;
      }
    }
    end = later(end, n->kind == LOOM_VEF_SEND ? done[i] + latency : done[i]);
  }
  return end;
}

static uint64_t replayed(const struct loom_vef_trace *t, const struct loom_vef_names *names,
                         uint32_t latency) {
  struct loom_vef_ideal r;
  const struct loom_vef_ideal_cfg cfg = {.latency = latency, .names = names};
  assert_true(loom_vef_ideal(t, &cfg, &r));
  return r.cycles;
}

static void a_graph_takes_as_long_as_its_longest_way(void **state) {
  (void)state;
  static const uint32_t latencies[] = {0, 7, 1000};
  uint64_t seed = 1;
  uint32_t most = 0;
  for (unsigned time = 0; time < 300; time++) {
    struct loom_vef_graph g;
    struct loom_vef_names *names = NULL;
    struct loom_vef_error error;
    draw(&g, &seed);
    struct loom_vef_trace *t = loom_vef_graph_trace(&g, &names, &error);
    assert_non_null(t);
    assert_int_equal(names->count, t->size.tasks);
    assert_int_equal(t->clock, g.clock);
    for (uint32_t i = 0; i < t->count; i++)
      assert_int_equal(t->record[i].origin, i);
    most = t->size.tasks > most ? t->size.tasks : most;
    for (unsigned i = 0; i < 3; i++)
      assert_int_equal(replayed(t, names, latencies[i]), end_of(&g, latencies[i]));
    loom_vef_destroy(t);
    loom_vef_names_destroy(names);
    loom_vef_graph_free(&g);
  }
  assert_true(most > 2 * RANKS); /* there was something side by side */
}

/* ---- collectives ----------------------------------------------------------------------------- */

/* Each of `ranks` ranks from `first` on takes part in a collective, when it is done with the node
 * `after` that it added that long ago; 0: at once. */
static void add_collective(struct loom_vef_graph *g, const struct loom_vef_joint *joint,
                           uint32_t first, uint32_t ranks, uint32_t after) {
  assert_true(loom_vef_graph_joint(g, joint));
  for (uint32_t r = first; r < first + ranks; r++) {
    struct loom_vef_edge e = {.node = g->nodes, .on = g->nodes - after};
    assert_true(loom_vef_graph_node(
        g, &(struct loom_vef_node){.rank = r, .peer = g->joints - 1, .kind = LOOM_VEF_PART}));
    assert_true(!after || loom_vef_graph_edge(g, &e));
  }
}

/* Cycles that a graph takes when its collectives become messages by an algorithm. */
static uint64_t played(const struct loom_vef_graph *g, enum loom_vef_algorithm algorithm) {
  struct loom_vef_names *names = NULL;
  struct loom_vef_error error;
  struct loom_vef_trace *t = loom_vef_graph_trace(g, &names, &error);
  assert_non_null(t);
  struct loom_vef_trace *expanded = loom_vef_expand(t, algorithm);
  assert_non_null(expanded);
  uint64_t cycles = replayed(expanded, names, 7);
  loom_vef_destroy(expanded);
  loom_vef_destroy(t);
  loom_vef_names_destroy(names);
  return cycles;
}

/* The same rounds of the generator have no tiles, no threads and one communicator. */
static void a_graph_of_collectives_takes_as_long_as_their_trace(void **state) {
  (void)state;
  for (unsigned op = 0; op < LOOM_VEF_OPS; op++)
    for (unsigned a = LOOM_VEF_LINEAR; a <= LOOM_VEF_TREE; a++) {
      const struct loom_vef_joint joint = {.op = (uint8_t)op,
                                           .block = op == LOOM_VEF_BARRIER ? 0 : 96};
      const struct loom_vef_generate_cfg cfg = {.pattern = LOOM_VEF_PATTERN_COLLECTIVE,
                                                .op = (enum loom_vef_op)op,
                                                .version = 3,
                                                .tasks = RANKS,
                                                .rounds = 3,
                                                .bytes = 96,
                                                .clock = 1000};
      struct loom_vef_graph g = {.ranks = RANKS, .clock = 1000};
      for (uint32_t round = 0; round < 3; round++)
        add_collective(&g, &joint, 0, RANKS, round ? RANKS : 0);
      struct loom_vef_trace *t = loom_vef_generate(&cfg);
      struct loom_vef_trace *expanded = loom_vef_expand(t, (enum loom_vef_algorithm)a);
      assert_int_equal(played(&g, (enum loom_vef_algorithm)a), replayed(expanded, NULL, 7));
      loom_vef_destroy(expanded);
      loom_vef_destroy(t);
      loom_vef_graph_free(&g);
    }
}

/* Two groups that share a rank, side by side there; then what waits for both. */
static void collectives_that_do_not_wait_for_each_other_go_side_by_side(void **state) {
  (void)state;
  const struct loom_vef_joint joint = {.op = LOOM_VEF_ALLREDUCE, .block = 64};
  struct loom_vef_graph g = {.ranks = 5, .clock = 1000};
  struct loom_vef_names *names = NULL;
  struct loom_vef_error error;
  add_collective(&g, &joint, 0, 3, 0);
  add_collective(&g, &joint, 2, 3, 0);
  assert_int_equal(played(&g, LOOM_VEF_RING), 4 * 7);
  add_collective(&g, &joint, 0, 5, 0); /* nodes 6..10 */
  for (uint32_t r = 0; r < 5; r++)
    for (uint32_t e = 0; e < 6; e++)
      if (g.node[e].rank == r)
        assert_true(loom_vef_graph_edge(&g, &(struct loom_vef_edge){.node = 6 + r, .on = e}));
  assert_int_equal(played(&g, LOOM_VEF_RING), (4 + 8) * 7);
  add_collective(&g, &joint, 0, 3, 5); /* of the tasks of the first: the same communicator */
  struct loom_vef_trace *t = loom_vef_graph_trace(&g, &names, &error);
  assert_non_null(t);
  assert_int_equal(t->size.comms, 4);
  assert_int_equal(t->groups, 4);
  assert_int_equal(t->parts, 3 + 3 + 5 + 3);
  loom_vef_destroy(t);
  loom_vef_names_destroy(names);
  loom_vef_graph_free(&g);
}

static void collectives_in_two_orders_are_refused(void **state) {
  (void)state;
  const struct loom_vef_joint joint = {.op = LOOM_VEF_BARRIER};
  struct loom_vef_graph g = {.ranks = 2, .clock = 1000};
  struct loom_vef_names *names = NULL;
  struct loom_vef_error error = {.line = 0};
  add_collective(&g, &joint, 0, 2, 0);
  add_collective(&g, &joint, 0, 2, 0);
  assert_true(loom_vef_graph_edge(&g, &(struct loom_vef_edge){.node = 2, .on = 0}));
  assert_true(loom_vef_graph_edge(&g, &(struct loom_vef_edge){.node = 1, .on = 3}));
  assert_null(loom_vef_graph_trace(&g, &names, &error));
  assert_string_equal(error.message, "can never come about: operations wait for each other");
  loom_vef_graph_free(&g);
}

/* The lines of an allgather say what all ranks receive together. */
static void a_collective_of_more_bytes_than_a_line_can_say_is_refused(void **state) {
  (void)state;
  const struct loom_vef_joint joint = {.op = LOOM_VEF_ALLGATHER, .block = UINT32_MAX / 2 + 1};
  struct loom_vef_graph g = {.ranks = 2, .clock = 1000};
  struct loom_vef_names *names = NULL;
  struct loom_vef_error error = {.line = 0};
  add_collective(&g, &joint, 0, 2, 0);
  assert_null(loom_vef_graph_trace(&g, &names, &error));
  assert_string_equal(error.key, "bytes");
  loom_vef_graph_free(&g);
}

/* ---- GOAL ------------------------------------------------------------------------------------ */

static bool read_text(struct loom_vef_graph *g, const char *text, struct loom_error *err) {
  struct loom_source src;
  assert_true(loom_source_copy(&src, "x.goal", text, strlen(text)));
  bool ok = loom_read_goal(g, &src, err);
  loom_source_free(&src);
  return ok;
}

static void a_schedule_is_read_with_comments_and_in_any_order_of_ranks(void **state) {
  (void)state;
  struct loom_vef_graph g;
  struct loom_error err = {.line = ""};
  assert_true(
      read_text(&g,
                "// all\n num_ranks 2\nrank 1 {\r\n a : calc 7 cpu 2\nb: recv 5 b from 0 /* "
                "\n */ nic 1 tag 9\n a requires b\n b irequires a\n}\n\nrank 0 { send 5b to "
                "1 tag 9\n}\n",
                &err));
  assert_int_equal(g.nodes, 3);
  assert_int_equal(g.edges, 2);
  assert_int_equal(g.node[0].time, 7);
  assert_int_equal(g.node[1].kind, LOOM_VEF_RECV);
  assert_int_equal(g.node[1].rank, 1);
  assert_int_equal(g.node[1].tag, 9);
  assert_int_equal(g.node[1].line, 5);
  assert_int_equal(g.node[2].rank, 0);
  assert_false(g.edge[0].start);
  assert_true(g.edge[1].start);
  loom_vef_graph_free(&g);
}

/* Many labels, so that some share a place of the table. */
static void each_of_many_labels_is_that_of_its_operation(void **state) {
  (void)state;
  enum { LABELS = 500 };
  static char text[64 * LABELS];
  size_t used = (size_t)snprintf(text, sizeof text, "num_ranks 1\nrank 0 {\n");
  for (unsigned i = 0; i < LABELS; i++)
    used += (size_t)snprintf(text + used, sizeof text - used, "l%u: calc %u\n", i, i);
  for (unsigned i = 1; i < LABELS; i++)
    used += (size_t)snprintf(text + used, sizeof text - used, "l%u requires l%u\n", i, i - 1);
  snprintf(text + used, sizeof text - used, "}\n");
  struct loom_vef_graph g;
  struct loom_error err = {.line = ""};
  assert_true(read_text(&g, text, &err));
  assert_int_equal(g.nodes, LABELS);
  assert_int_equal(g.edges, LABELS - 1);
  for (uint32_t i = 1; i < LABELS; i++) {
    assert_int_equal(g.edge[i - 1].node, i);
    assert_int_equal(g.edge[i - 1].on, i - 1);
  }
  loom_vef_graph_free(&g);
}

static void wrong_schedules_are_refused_where_they_are_wrong(void **state) {
  (void)state;
#define ONE(lines) "num_ranks 1\nrank 0 {\n" lines "}\n"
  static const char *const bad[][2] = {
      {"", "x.goal:1: file: is cut short: the last line does not end"},
      {"rank 0 {\n}\n", "x.goal:1: num_ranks: is missing"},
      {"num_ranks 0\n", "x.goal:1: num_ranks: is 0"},
      {"num_ranks 2\nrank 0 {\n}\n", "x.goal:4: rank: 1 is missing"},
      {"num_ranks 1\nrank 0 {\n}", "x.goal:3: file: is cut short: the last line does not end"},
      {"num_ranks 1\nrank 0 {\ncalc 5\n",
       "x.goal:4: file: is cut short: the last line does not end"},
      {"num_ranks 1\n/* \n", "x.goal:2: file: is cut short: a comment does not end"},
      {ONE("calc /* 5\n"), "x.goal:4: file: is cut short: a comment does not end"},
      {ONE("calc 5 /* \n"), "x.goal:4: file: is cut short: a comment does not end"},
      {ONE("send 5b to 0 /*\n"), "x.goal:4: file: is cut short: a comment does not end"},
      {"num_ranks 1 /*\n", "x.goal:1: file: is cut short: a comment does not end"},
      {"num_ranks 1\nrank 1 {\n}\n", "x.goal:2: rank: is above 0"},
      {"num_ranks 1\nrank 0 {\n}\nrank 0 {\n}\n", "x.goal:4: rank: stands twice"},
      {"num_ranks 1\ncalc 5\n", "x.goal:2: line: is outside of a rank"},
      {ONE("calc\n"), "x.goal:3: time: is not a number"},
      {ONE("calc 5 6\n"), "x.goal:3: line: is followed by something"},
      {ONE("calc 5 tag 6\n"), "x.goal:3: line: is followed by something"},
      {ONE("send 5 to 0\n"), "x.goal:3: line: has no `b` where there must be one"},
      {ONE("send 5b from 0\n"), "x.goal:3: line: has no `to` where there must be one"},
      {ONE("recv 5b from -1\n"),
       "x.goal:3: rank: is any that comes: only a schedule that names all can be replayed"},
      {ONE("recv 5b from 0 tag -1\n"),
       "x.goal:3: tag: is any that comes: only a schedule that names all can be replayed"},
      {ONE("a: calc 5\na: calc 5\n"), "x.goal:4: label: stands twice"},
      {ONE("a: calc 5\na requires b\n"),
       "x.goal:4: label: is that of no operation above in this rank"},
      {ONE("a: calc 5\na requires a\n"), "x.goal:4: label: waits for itself"},
      {ONE("a needs a\n"), "x.goal:3: line: is neither an operation nor a requirement"},
      {ONE("a: calk 5\n"), "x.goal:3: operation: is none of calc, send, recv"},
      {ONE("1: calc 5\n"), "x.goal:3: label: does not begin with a letter"},
      {ONE("a calc 5\n"), "x.goal:3: line: is neither an operation nor a requirement"},
      {ONE("a ? 5\n"), "x.goal:3: line: has no `:` where there must be one"},
  };
#undef ONE
  for (unsigned i = 0; i < sizeof bad / sizeof bad[0]; i++) {
    struct loom_vef_graph g;
    struct loom_error err = {.line = ""};
    assert_false(read_text(&g, bad[i][0], &err));
    assert_string_equal(err.line, bad[i][1]);
  }
}

static void schedules_that_cannot_happen_are_refused(void **state) {
  (void)state;
  static const struct {
    const char *text;
    size_t line;
    const char *message;
  } bad[] = {
      {"a: calc 1\nb: calc 1\na requires b\nb requires a\n", 3,
       "can never come about: operations wait for each other"},
      {"a: recv 1b from 0\nb: send 1b to 0\nb requires a\n", 3,
       "can never come about: operations wait for each other"},
      {"recv 1b from 0 tag 2\nsend 1b to 0 tag 3\n", 3, "nobody sends this message"},
      {"recv 1b from 0\nsend 2b to 0\n", 3, "has another size than the message"},
  };
  for (unsigned i = 0; i < sizeof bad / sizeof bad[0]; i++) {
    char text[200];
    struct loom_vef_graph g;
    struct loom_error err = {.line = ""};
    struct loom_vef_error error = {.line = 0};
    struct loom_vef_names *names = NULL;
    snprintf(text, sizeof text, "num_ranks 1\nrank 0 {\n%s}\n", bad[i].text);
    assert_true(read_text(&g, text, &err));
    assert_null(loom_vef_graph_trace(&g, &names, &error));
    assert_int_equal(error.line, bad[i].line);
    assert_string_equal(error.message, bad[i].message);
    loom_vef_graph_free(&g);
  }
}

static void vef_import_writes_a_trace_and_its_names(void **state) {
  (void)state;
  struct outcome o = loom("vef import goal vectors/vef/overlap.goal -o build/overlap.vef");
  assert_int_equal(o.status, 0);
  assert_string_equal(o.out, "build/overlap.vef: 3 ranks, 4 tasks, 12 records\n");
  drop(&o);
  json_t *root =
      run_json("vef replay build/overlap.vef --names build/overlap.names --latency 2000 --json");
  assert_int_equal(count_of(root, "cycles"), 4050);
  json_decref(root);
  remove("build/overlap.vef");
  remove("build/overlap.names");
  static const char *const bad[][2] = {
      {"vef import", "loom vef import: FORM: missing"},
      {"vef import goal -o x", "loom vef import: FILE: missing"},
      {"vef import goal y", "loom vef import: --output: missing"},
      {"vef import gold y -o x", "loom vef import: FORM: `gold` is none of goal, chakra"},
      {"vef import goal gone -o x", "gone:0: file: cannot open: No such file or directory"},
      {"vef import goal vectors/vef/overlap.goal -o build/gone/x",
       "build/gone/x.names:0: file: cannot write: No such file or directory"},
  };
  for (unsigned i = 0; i < sizeof bad / sizeof bad[0]; i++)
    assert_refused(bad[i][0], bad[i][1]);
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_graph_takes_as_long_as_its_longest_way),
      cmocka_unit_test(a_graph_of_collectives_takes_as_long_as_their_trace),
      cmocka_unit_test(collectives_that_do_not_wait_for_each_other_go_side_by_side),
      cmocka_unit_test(collectives_in_two_orders_are_refused),
      cmocka_unit_test(a_collective_of_more_bytes_than_a_line_can_say_is_refused),
      cmocka_unit_test(a_schedule_is_read_with_comments_and_in_any_order_of_ranks),
      cmocka_unit_test(each_of_many_labels_is_that_of_its_operation),
      cmocka_unit_test(wrong_schedules_are_refused_where_they_are_wrong),
      cmocka_unit_test(schedules_that_cannot_happen_are_refused),
      cmocka_unit_test(vef_import_writes_a_trace_and_its_names),
  };
  return UNIT_RUN("graph", tests, NULL, NULL);
}

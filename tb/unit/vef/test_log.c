/* SPDX-License-Identifier: Apache-2.0 */
/* Logs of the ranks of an MPI program, the trace that they make, and the commands `loom record` and
 * `loom vef replay` (docs/record.md; VF-13). */
#define _GNU_SOURCE /* open_memstream */

#include "tb/unit/unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/read_logs.h"
#include "tb/unit/cli_run.h"
#include "tb/unit/scratch.h"
#include "vef/vef_ideal.h"

enum { RANKS = 8 };

/* ---- logs and traces ------------------------------------------------------------------------- */

/* The log of a rank: its lines are given, what stands around them is not. */
static void read_body(struct loom_vef_log *log, unsigned rank, unsigned ranks, const char *body) {
  char text[2000];
  struct loom_source src;
  struct loom_error err = {.line = ""};
  unsigned lines = 0;
  for (const char *c = body; *c; c++)
    lines += *c == '\n';
  snprintf(text, sizeof text, "LOG1 %u %u\n%send 0 %u\n", rank, ranks, body, lines);
  assert_true(loom_source_copy(&src, "log", text, strlen(text)));
  if (!loom_read_log(log, &src, &err))
    fail_msg("%s", err.line);
  loom_source_free(&src);
}

/* The trace of a program; NULL: *error says why. */
static struct loom_vef_trace *merged(unsigned ranks, const char *const body[],
                                     const struct loom_vef_merge_cfg *cfg,
                                     struct loom_vef_merged *found, struct loom_vef_error *error) {
  struct loom_vef_log log[RANKS] = {{0}};
  uint32_t rank = 0;
  for (unsigned r = 0; r < ranks; r++)
    read_body(&log[r], r, ranks, body[r]);
  struct loom_vef_trace *t = loom_vef_merge(log, ranks, cfg, found, error, &rank);
  for (unsigned r = 0; r < ranks; r++) {
    loom_vef_log_free(&log[r]);
    loom_vef_log_free(&log[r]); /* it is empty then */
    assert_int_equal(log[r].events, 0);
  }
  return t;
}

static bool put(void *context, const char *text, size_t size) {
  return fwrite(text, 1, size, context) == size;
}

/* The trace is this text. */
static void assert_trace(unsigned ranks, const char *const body[],
                         const struct loom_vef_merge_cfg *cfg, const char *want) {
  struct loom_vef_merged found;
  struct loom_vef_error error = {.line = 0};
  char *text = NULL;
  size_t size = 0;
  struct loom_vef_trace *t = merged(ranks, body, cfg, &found, &error);
  FILE *file = open_memstream(&text, &size);
  assert_non_null(t);
  assert_true(loom_vef_write(t, put, file));
  fclose(file);
  assert_string_equal(text, want);
  for (uint32_t i = 0; i < t->count; i++)
    assert_int_equal(t->record[i].origin, i);
  free(text);
  loom_vef_destroy(t);
}

/* These logs do not make one. */
static void assert_not_merged(unsigned ranks, const char *const body[], size_t line,
                              const char *key, const char *message) {
  struct loom_vef_merged found;
  struct loom_vef_error error = {.line = 0};
  assert_null(merged(ranks, body, &LOOM_VEF_MERGE_ALL, &found, &error));
  assert_int_equal(error.line, line);
  assert_string_equal(error.key, key);
  assert_string_equal(error.message, message);
}

static uint64_t cycles_of(const struct loom_vef_trace *t, uint32_t latency, uint32_t bandwidth) {
  struct loom_vef_ideal result;
  struct loom_vef_trace *expanded = loom_vef_expand(t, LOOM_VEF_LINEAR);
  const struct loom_vef_ideal_cfg cfg = {.latency = latency, .bandwidth = bandwidth};
  assert_non_null(expanded);
  assert_true(loom_vef_ideal(expanded, &cfg, &result));
  loom_vef_destroy(expanded);
  return result.cycles;
}

/* ---- tests ----------------------------------------------------------------------------------- */

static void a_message_and_its_reception_become_a_record_and_a_pause(void **state) {
  (void)state;
  static const char *const body[] = {"send 100 1 0 7 64\n",
                                     "recv 30 0 0 0 7 64\nsend 50 0 0 7 8\n"};
  assert_trace(2, body, &LOOM_VEF_MERGE_ALL,
               "VEF3 2 4 1 0 0 0 1000\nC0 0 1\n"
               "0 0 1 64 4 100 -1\n" /* it is waited for */
               "1 1 1 0 0 30 -1\n"   /* computing before the reception */
               "2 1 1 0 2 0 0\n"     /* the reception */
               "3 1 0 8 1 50 2\n");
}

/* The published way, a record that waits for one message, would do without pauses here. */
static void a_record_without_computing_waits_for_the_message_itself(void **state) {
  (void)state;
  static const char *const body[] = {"send 100 1 0 7 64\n", "recv 0 0 0 0 7 64\nsend 0 0 0 7 8\n"};
  assert_trace(2, body, &LOOM_VEF_MERGE_ALL,
               "VEF3 2 2 1 0 0 0 1000\nC0 0 1\n0 0 1 64 4 100 -1\n1 1 0 8 2 0 0\n");
}

/* A rank goes on at the latest of what it did itself and all that it waited for, whichever comes
 * first. */
static void a_rank_waits_for_its_computing_and_for_all_messages(void **state) {
  (void)state;
  static const uint64_t sends[][2] = {{10, 20}, {10, 900}, {900, 10}, {700, 800}};
  for (unsigned i = 0; i < 4; i++) {
    char from[2][64];
    const char *const body[] = {from[0], from[1],
                                "recv 500 0 0 0 7 64\nrecv 0 1 1 0 7 64\nsend 30 0 0 7 8\n"};
    struct loom_vef_merged found;
    struct loom_vef_error error;
    for (unsigned k = 0; k < 2; k++)
      snprintf(from[k], sizeof from[k], "send %u 2 0 7 64\n", (unsigned)sends[i][k]);
    struct loom_vef_trace *t = merged(3, body, &LOOM_VEF_MERGE_ALL, &found, &error);
    uint64_t last = 500;
    for (unsigned latency = 0; latency < 200; latency += 60) {
      for (unsigned k = 0; k < 2; k++)
        last = sends[i][k] + latency > last ? sends[i][k] + latency : last;
      assert_int_equal(cycles_of(t, latency, 0), last + 30 + latency);
    }
    assert_int_equal(found.messages, 3);
    assert_int_equal(found.bytes, 136);
    loom_vef_destroy(t);
  }
}

/* Two messages of a kind: the first was posted last, so it takes the second. */
static void receptions_get_messages_in_the_order_of_their_posts(void **state) {
  (void)state;
  static const char *const body[] = {"send 0 1 0 7 64\nsend 0 1 0 8 16\nsend 0 1 0 7 32\n",
                                     "recv 0 2 0 0 7 32\nrecv 0 1 0 0 8 16\nrecv 0 0 0 0 7 64\n"};
  assert_trace(2, body, &LOOM_VEF_MERGE_ALL,
               "VEF3 2 6 1 0 0 0 1000\nC0 0 1\n0 0 1 64 4 0 -1\n1 0 1 16 5 0 0\n2 0 1 32 5 0 1\n"
               "3 1 1 0 2 0 2\n4 1 1 0 2 0 1\n5 1 1 0 2 0 0\n");
}

/* Two communicators of the same ranks, numbered in another order by the other rank; a message in
 * each, with the same tag. */
static void communicators_of_the_same_ranks_are_told_apart(void **state) {
  (void)state;
  static const char *const body[] = {
      "comm 2 1 0\ncomm 3 1 0\nsend 0 1 3 7 64\nsend 0 1 2 7 32\n",
      "comm 2 1\ncomm 3 1 0\ncomm 4 1 0\nrecv 0 0 0 3 7 32\nrecv 0 1 0 4 7 64\n"};
  assert_trace(2, body, &LOOM_VEF_MERGE_ALL,
               "VEF3 2 4 1 0 0 0 1000\nC0 0 1\n0 0 1 64 4 0 -1\n1 0 1 32 5 0 0\n"
               "2 1 1 0 2 0 1\n3 1 1 0 2 0 0\n");
}

/* The k-th of one rank is the k-th of the other. */
static void communicators_of_the_same_ranks_are_joined_in_their_order(void **state) {
  (void)state;
  static const char *const body[] = {"comm 2 1 0\ncomm 3 1 0\ncomm 4 1 0\n"
                                     "send 0 1 2 7 64\nsend 0 1 3 7 32\nsend 0 1 4 7 16\n",
                                     "comm 2 1 0\ncomm 3 1 0\ncomm 4 1 0\n"
                                     "recv 0 0 0 3 7 32\nrecv 0 1 0 4 7 16\nrecv 0 2 0 2 7 64\n"};
  assert_trace(2, body, &LOOM_VEF_MERGE_ALL,
               "VEF3 2 6 1 0 0 0 1000\nC0 0 1\n0 0 1 64 4 0 -1\n1 0 1 32 5 0 0\n"
               "2 0 1 16 5 0 1\n3 1 1 0 2 0 1\n4 1 1 0 2 0 2\n5 1 1 0 2 0 0\n");
}

static void messages_of_two_ranks_are_told_apart(void **state) {
  (void)state;
  static const char *const body[] = {"send 0 2 0 7 64\n", "send 0 2 0 7 32\n",
                                     "recv 0 0 1 0 7 32\nrecv 0 1 0 0 7 64\n"};
  assert_trace(3, body, &LOOM_VEF_MERGE_ALL,
               "VEF3 3 4 1 0 0 0 1000\nC0 0 1 2\n0 0 2 64 4 0 -1\n1 1 2 32 4 0 -1\n"
               "2 2 2 0 2 0 1\n3 2 2 0 2 0 0\n");
}

static void collectives_have_a_line_of_each_rank(void **state) {
  (void)state;
  static const char *const body[] = {
      "coll 10 0 0 broadcast 1 64\ncomm 2 2 0\ncoll 5 2 0 gather 2 8\nsend 1 2 0 7 4\n",
      "coll 20 0 0 broadcast 1 64\n",
      "comm 2 2 0\ncoll 30 0 0 broadcast 1 64\ncoll 0 2 0 gather 2 8\nrecv 0 0 0 0 7 4\n"};
  assert_trace(
      3, body, &LOOM_VEF_MERGE_ALL,
      "VEF3 3 2 2 2 5 0 1000\nC0 0 1 2\nC1 2 0\n"
      "G0 0 broadcast 0 0 64 0 10 -1\nG0 0 broadcast 1 64 0 0 20 -1\n"
      "G0 0 broadcast 2 0 64 0 30 -1\nG1 1 gather 0 8 0 3 5 G0\nG1 1 gather 2 8 16 3 0 G0\n"
      "0 0 2 4 7 1 G1\n1 2 2 0 2 0 0\n");
}

/* Messages of a collective between the same two ranks go by their sizes. */
static void parts_of_a_collective_find_each_other(void **state) {
  (void)state;
  static const char *const body[] = {
      "part-send 0 1 0 4 8\npart-send 0 1 0 4 16\nsend 0 1 0 4 32\n",
      "part-recv 0 0 0 0 4 16\npart-recv 0 1 0 0 4 8\nrecv 0 2 0 0 4 32\n"};
  struct loom_vef_merged found;
  struct loom_vef_error error;
  struct loom_vef_trace *t = merged(2, body, &LOOM_VEF_MERGE_ALL, &found, &error);
  assert_non_null(t);
  assert_int_equal(found.parts, 2);
  assert_int_equal(found.messages, 1);
  assert_int_equal(found.bytes, 32);
  assert_int_equal(t->count, 6);
  loom_vef_destroy(t);
}

static void what_is_left_out_is_left_out_at_both_ends(void **state) {
  (void)state;
  static const char *const body[] = {
      "send 10 1 0 7 64\ntrace 5 0\nsend 20 1 0 7 32\ncoll 0 0 0 barrier 0 0\ntrace 1000 1\n"
      "coll 7 0 1 barrier 0 0\n",
      "recv 0 0 0 0 7 64\nrecv 0 1 0 0 7 32\ncoll 0 0 0 barrier 0 0\ncoll 0 0 1 barrier 0 0\n"};
  assert_trace(2, body, &LOOM_VEF_MERGE_ALL,
               "VEF3 2 1 1 1 2 0 1000\nC0 0 1\n0 0 1 64 4 10 -1\nG0 0 barrier 1 0 0 2 0 0\n"
               "G0 0 barrier 0 0 0 1 12 0\n");
}

static void a_region_lies_between_two_collectives_of_all_ranks(void **state) {
  (void)state;
  static const char *const body[] = {
      "send 9 1 0 7 1\ncoll 9 0 0 barrier 0 0\nsend 3 1 0 7 2\ncoll 4 0 1 barrier 0 0\n"
      "send 9 1 0 7 3\ncoll 9 0 2 barrier 0 0\nsend 9 1 0 7 4\n",
      "recv 0 0 0 0 7 1\ncoll 0 0 0 barrier 0 0\nrecv 0 1 0 0 7 2\ncoll 0 0 1 barrier 0 0\n"
      "recv 0 2 0 0 7 3\ncoll 0 0 2 barrier 0 0\nrecv 0 3 0 0 7 4\n"};
  struct loom_vef_merge_cfg cfg = LOOM_VEF_MERGE_ALL;
  cfg.to = 1;
  cfg.from = 1;
  assert_trace(2, body, &cfg,
               "VEF3 2 0 1 1 2 0 1000\nC0 0 1\nG0 0 barrier 0 0 0 0 4 -1\n"
               "G0 0 barrier 1 0 0 0 0 -1\n");
  cfg.from = 0;
  assert_trace(2, body, &cfg,
               "VEF3 2 2 1 2 4 0 1000\nC0 0 1\n0 0 1 1 4 9 -1\nG0 0 barrier 0 0 0 1 9 0\n"
               "G0 0 barrier 1 0 0 2 0 0\n1 0 1 2 7 3 G0\nG1 0 barrier 0 0 0 1 4 1\n"
               "G1 0 barrier 1 0 0 2 0 1\n");
}

static void computing_times_are_multiplied(void **state) {
  (void)state;
  static const char *const body[] = {"send 1001 1 0 7 64\n", "recv 0 0 0 0 7 64\n"};
  struct loom_vef_merge_cfg cfg = LOOM_VEF_MERGE_ALL;
  cfg.scale = 500;
  assert_trace(2, body, &cfg, "VEF3 2 2 1 0 0 0 1000\nC0 0 1\n0 0 1 64 4 500 -1\n1 1 1 0 2 0 0\n");
  cfg.scale = 0;
  assert_trace(2, body, &cfg, "VEF3 2 2 1 0 0 0 1000\nC0 0 1\n0 0 1 64 4 0 -1\n1 1 1 0 2 0 0\n");
}

static void logs_that_do_not_belong_together_are_refused(void **state) {
  (void)state;
  static const struct {
    const char *body[2];
    size_t line;
    const char *key, *message;
  } bad[] = {
      {{"", "recv 0 0 0 0 7 64\n"}, 2, "from", "has sent no such message"},
      {{"send 0 1 0 7 64\n", "recv 0 0 0 0 8 64\n"}, 2, "from", "has sent no such message"},
      {{"send 0 1 0 7 64\n", "recv 0 0 0 0 7 63\n"}, 2, "bytes", "are not those that were sent"},
      {{"part-send 0 1 0 7 64\n", "recv 0 0 0 0 7 64\n"}, 2, "from", "has sent no such message"},
      {{"recv 0 0 1 0 7 1\nsend 0 1 0 7 1\n", "recv 0 0 0 0 7 1\nsend 0 0 0 7 1\n"},
       2,
       "from",
       "waits for this rank itself: a circle"},
      {{"coll 0 0 0 barrier 0 0\n", ""},
       2,
       "number",
       "is not in the logs of all ranks of the communicator"},
      {{"coll 0 0 0 reduce 0 8\n", "coll 0 0 0 reduce 1 8\n"},
       2,
       "operation",
       "is not what another rank noted under this number"},
      {{"coll 0 0 0 reduce 0 8\n", "coll 0 0 0 reduce 0 4\n"},
       2,
       "operation",
       "is not what another rank noted under this number"},
      {{"coll 0 0 0 barrier 0 0\ncoll 0 0 0 barrier 0 0\n", "coll 0 0 0 barrier 0 0\n"},
       3,
       "number",
       "stands twice"},
      {{"coll 0 1 0 barrier 0 0\n", ""}, 2, "comm", "has one rank alone"},
      {{"comm 2 0 1\n", ""}, 2, "comm", "is not in the logs of all ranks that it names"},
      {{"comm 2 1 0\ntrace 0 1\ncomm 3 0 1\n", "comm 2 1 0\n"},
       4,
       "comm",
       "is not in the logs of all ranks that it names"},
      {{"comm 2 1 0\ncoll 0 2 0 gather 0 2147483648\n",
        "comm 2 1 0\ncoll 0 2 0 gather 0 2147483648\n"},
       3,
       "bytes",
       "of all ranks together are more than 4294967295"},
      {{"send 140737488355327 1 0 7 64\ncoll 0 0 0 barrier 0 0\n", ""},
       3,
       "number",
       "is not in the logs of all ranks of the communicator"},
  };
  for (unsigned i = 0; i < sizeof bad / sizeof bad[0]; i++)
    assert_not_merged(2, bad[i].body, bad[i].line, bad[i].key, bad[i].message);
}

static void wrong_logs_are_refused_where_they_are_wrong(void **state) {
  (void)state;
  static const char *const bad[][2] = {
      {"LOG2 0 2\nend 0 0\n", "log:1: version: is not LOG1"},
      {"LOG1 2 2\nend 0 0\n", "log:1: rank: is not below the number of ranks"},
      {"LOG1 0 2 3\nend 0 0\n", "log:1: ranks: is followed by something"},
      {"LOG1 0 2\n", "log:2: file: is cut short: the rank did not come to its end"},
      {"LOG1 0 2\nend 0 0", "log:2: file: is cut short: the last line does not end"},
      {"LOG1 0 2\nend 0 1\n", "log:2: lines: is not the number of lines of the log"},
      {"LOG1 0 2\nend 0 0\nend 0 0\n", "log:2: end: is followed by something"},
      {"LOG1 0 2\ngo 0\nend 0 1\n", "log:2: line: begins with a word that is none of a log's"},
      {"LOG1 0 2\nsend 0 2 0 7 8\nend 0 1\n", "log:2: to: is outside 0..1"},
      {"LOG1 0 2\nsend 0 1 2 7 8\nend 0 1\n",
       "log:2: comm: has no line above that says who is in it"},
      {"LOG1 0 2\nsend 0 1 0 7 4294967296\nend 0 1\n", "log:2: bytes: is outside 0..4294967295"},
      {"LOG1 0 2\nsend 0 1 0 7 8 9\nend 0 1\n", "log:2: line: is followed by something"},
      {"LOG1 0 2\nrecv 0 1 0 7 8\nend 0 1\n",
       "log:2: comm: has no line above that says who is in it"},
      {"LOG1 0 2\ncoll 0 0 0 sum 0 8\nend 0 1\n",
       "log:2: operation: is not the name of a collective"},
      {"LOG1 0 2\ncomm 3 0\nend 0 1\n", "log:2: comm: is not the next number"},
      {"LOG1 0 2\ncomm 2\nend 0 1\n", "log:2: rank: is missing"},
      {"LOG1 0 2\ncomm 2 1\nend 0 1\n", "log:2: rank: of this log is not in its communicator"},
      {"LOG1 0 2\ncomm 2 0 0\nend 0 1\n", "log:2: rank: stands twice"},
      {"LOG1 0 2\ncomm 2 0 1 0\nend 0 1\n", "log:2: rank: is one more than there can be"},
      {"LOG1 0 2\ntrace 0 2\nend 0 1\n", "log:2: on: is outside 0..1"},
  };
  for (unsigned i = 0; i < sizeof bad / sizeof bad[0]; i++) {
    struct loom_source src;
    struct loom_vef_log log;
    struct loom_error err = {.line = ""};
    assert_true(loom_source_copy(&src, "log", bad[i][0], strlen(bad[i][0])));
    assert_false(loom_read_log(&log, &src, &err));
    assert_string_equal(err.line, bad[i][1]);
    loom_source_free(&src);
  }
}

/* GV-4 on a network of 2 cycles: its last message is received in cycle 29. */
static void an_ideal_network_gives_the_published_times(void **state) {
  (void)state;
  json_t *root = run_json("vef replay vectors/vef/gv-4.vef --latency 2 --json");
  assert_int_equal(count_of(root, "cycles"), 29);
  assert_int_equal(count_of(root, "messages"), 8);
  json_decref(root);
  root = run_json("vef replay vectors/vef/gv-4.vef --latency 2 --json --strip");
  assert_int_equal(count_of(root, "cycles"), 29);
  assert_int_equal(count_of(root, "searches"), 8);
  json_decref(root);
}

static void a_message_takes_its_latency_and_a_cycle_for_so_many_bytes(void **state) {
  (void)state;
  static const char *const body[] = {"send 100 1 0 7 65\n", "recv 0 0 0 0 7 65\n"};
  struct loom_vef_merged found;
  struct loom_vef_error error;
  struct loom_vef_trace *t = merged(2, body, &LOOM_VEF_MERGE_ALL, &found, &error);
  assert_int_equal(cycles_of(t, 0, 0), 100);
  assert_int_equal(cycles_of(t, 7, 0), 107);
  assert_int_equal(cycles_of(t, 7, 64), 109);
  loom_vef_destroy(t);
}

static void logs_in_a_folder_make_a_trace(void **state) {
  (void)state;
  char folder[SCRATCH_FOLDER];
  char name[100];
  char text[200];
  scratch_make(folder);
  snprintf(name, sizeof name, "%s/rank.0", folder);
  scratch_write(name, "LOG1 0 2\nsend 5 1 0 7 64\nsend 5 1 0 7 64\nend 9 2\n");
  snprintf(text, sizeof text, "record --merge %s -o %s/x.vef", folder, folder);
  char wrong[200];
  snprintf(wrong, sizeof wrong, "%s/rank.1:0: file: cannot open: No such file or directory",
           folder);
  assert_refused(text, wrong);
  snprintf(name, sizeof name, "%s/rank.1", folder);
  scratch_write(name, "LOG1 1 2\nrecv 0 0 0 0 7 64\nend 3 1\n");
  struct outcome o = loom(text);
  assert_int_equal(o.status, 0);
  snprintf(wrong, sizeof wrong,
           "%s/x.vef: 2 tasks, 2 messages of 128 bytes, 0 collectives\n"
           "1 messages were never received\n",
           folder);
  assert_string_equal(o.out, wrong);
  drop(&o);
  scratch_write(name, "LOG1 0 2\nend 0 0\n");
  snprintf(wrong, sizeof wrong, "%s/rank.1:1: rank: is not 1", folder);
  assert_refused(text, wrong);
  static const char *const files[] = {"rank.0", "rank.1", "x.vef"};
  for (unsigned i = 0; i < 3; i++) {
    snprintf(name, sizeof name, "%s/%s", folder, files[i]);
    remove(name);
  }
  remove(folder);
}

static void wrong_options_are_refused_with_one_line(void **state) {
  (void)state;
  static const char *const bad[][2] = {
      {"record", "loom record: --output: missing"},
      {"record -o x", "loom record: program: missing: give it after --"},
      {"record -o x -n 0 true", "loom record: --ranks: 0 is outside 1..65536"},
      {"record -o x --clock sun true", "loom record: --clock: `sun` is none of cpu, wall, none"},
      {"record -o x --scale 0.0001 true", "loom record: --scale: `0.0001` is not a number 0..1000 "
                                          "with up to 3 digits after the point"},
      {"record -o x --region 5 true", "loom record: --region: `5` is not FROM:TO"},
      {"record -o x --merge y true", "loom record: --merge: runs no program and keeps no logs"},
      {"record -o x --keep build true", "loom record: --keep: `build`: File exists"},
      {"record -o build/gone/x true",
       "build/gone/x:0: file: cannot make a folder beside it: No such "
       "file or directory"},
      {"record -o build/x --library gone.so true",
       "loom record: gone.so:0: file: cannot open: No such file or directory"},
      {"record -o x --merge gone", "gone/rank.0:0: file: cannot open: No such file or directory"},
      {"vef replay", "loom vef replay: FILE: missing"},
      {"vef replay x --bandwidth 0", "loom vef replay: --bandwidth: 0 is outside 1..4294967295"},
      {"vef replay gone.vef", "gone.vef:0: file: cannot open: No such file or directory"},
  };
  for (unsigned i = 0; i < sizeof bad / sizeof bad[0]; i++)
    assert_refused(bad[i][0], bad[i][1]);
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_message_and_its_reception_become_a_record_and_a_pause),
      cmocka_unit_test(a_record_without_computing_waits_for_the_message_itself),
      cmocka_unit_test(a_rank_waits_for_its_computing_and_for_all_messages),
      cmocka_unit_test(receptions_get_messages_in_the_order_of_their_posts),
      cmocka_unit_test(communicators_of_the_same_ranks_are_told_apart),
      cmocka_unit_test(communicators_of_the_same_ranks_are_joined_in_their_order),
      cmocka_unit_test(messages_of_two_ranks_are_told_apart),
      cmocka_unit_test(collectives_have_a_line_of_each_rank),
      cmocka_unit_test(parts_of_a_collective_find_each_other),
      cmocka_unit_test(what_is_left_out_is_left_out_at_both_ends),
      cmocka_unit_test(a_region_lies_between_two_collectives_of_all_ranks),
      cmocka_unit_test(computing_times_are_multiplied),
      cmocka_unit_test(logs_that_do_not_belong_together_are_refused),
      cmocka_unit_test(wrong_logs_are_refused_where_they_are_wrong),
      cmocka_unit_test(an_ideal_network_gives_the_published_times),
      cmocka_unit_test(a_message_takes_its_latency_and_a_cycle_for_so_many_bytes),
      cmocka_unit_test(logs_in_a_folder_make_a_trace),
      cmocka_unit_test(wrong_options_are_refused_with_one_line),
  };
  return UNIT_RUN("log", tests, NULL, NULL);
}

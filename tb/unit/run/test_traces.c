/* SPDX-License-Identifier: Apache-2.0 */
/* Traces under `loom run` (docs/vef.md, docs/fabric.md): mappings, latencies within a host,
 * collectives, several traces, and runs that end before they do (VF-02..12). */
#include "tb/unit/unit.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tb/unit/run_bench.h"

static void a_trace_is_replayed_with_every_mapping(void **state) {
  (void)state;
  static const char *const mappings[] = {"mapping: linear", "mapping: random",
                                         "mapping: list, places: [3, 2, 1, 0, 1, 2]"};
  char text[1000];
  for (unsigned m = 0; m < 3; m++) {
    snprintf(text, sizeof text,
             "---\nname: trace\ntopology: {kind: tree, k: 2, n: 2}\n"
             "switch: {kind: ib, scheduler: rr}\n"
             "classes: [{name: A, sl: 0, vl: 0, mtu: 128}, {name: B, sl: 1, vl: 1, mtu: 64}]\n"
             "traffic: [{class: B, pattern: uniform, size: 64, load: 0.2}]\n"
             "traces: [{file: ../../vectors/vef/stencil.vef, class: A, start: 50, %s}]\n"
             "run: {measure: 100000}\n...\n",
             mappings[m]);
    write_file("trace.yaml", text);
    json_t *root = json_of("run --json @", in_folder("trace.yaml"), "");
    assert_delivered(root);
    const json_t *one = json_array_get(json_object_get(root, "runs"), 0);
    assert_in_range(count_of(one, "replayed"), 51, 99999);
    assert_true(count_of(json_array_get(json_object_get(root, "classes"), 0), "messages") > 0);
    json_decref(root);
  }
}

/* A fabric of 4 hosts with these traces and this of the run. */
#define REPLAY(traces, more)                                                                       \
  "---\nname: trace\ntopology: {kind: tree, k: 2, n: 2}\nswitch: {kind: ib, scheduler: rr}\n"      \
  "classes: [{name: A, sl: 0, vl: 0, mtu: 128}]\ntraces: [" traces "]\n"                           \
  "run: {measure: 100000" more "}\n...\n"
#define STENCIL "file: ../../vectors/vef/stencil.vef, class: A"
#define COLLECTIVES "file: ../../vectors/vef/collectives.vef, class: A"

static int64_t replayed(const char *text) {
  json_t *root = delivered_by(text);
  int64_t cycle = count_of(json_array_get(json_object_get(root, "runs"), 0), "replayed");
  json_decref(root);
  return cycle;
}

/* The trace of collectives with numbers for the operations. */
static void write_numbered(void) {
  static const char *const names[] = {"broadcast", "reduce",    "allreduce", "gather",
                                      "scatter",   "allgather", "barrier",   "alltoall"};
  char *text = read_file("vectors/vef/collectives.vef"), out[4000];
  size_t size = 0;
  assert_non_null(text);
  for (const char *at = text; *at;) {
    size_t word = strcspn(at, " \n"), op = 0;
    while (op < 8 && (strlen(names[op]) != word || strncmp(names[op], at, word) != 0))
      op++;
    size += (size_t)(op < 8 ? snprintf(out + size, sizeof out - size, "%zu", op)
                            : snprintf(out + size, sizeof out - size, "%.*s", (int)word, at));
    at += word;
    if (*at)
      out[size++] = *at++;
    assert_true(size < sizeof out - 100);
  }
  out[size] = 0;
  assert_non_null(strstr(out, "\nG1 0 2 0 64 64 "));
  write_file("numbers.vef", out);
  free(text);
}

static void a_trace_with_numbers_for_collectives_is_replayed_with_ops(void **state) {
  (void)state;
  write_numbered();
  json_t *names = delivered_by(REPLAY("{" COLLECTIVES "}", ""));
  json_t *numbers =
      delivered_by(REPLAY("{file: numbers.vef, class: A, ops: \"0,1,2,3,4,5,6,7\"}", ""));
  assert_same_figures(names, numbers);
  write_file("ops.yaml", REPLAY("{file: numbers.vef, class: A}", ""));
  assert_says("numbers.vef:5: op: is not the name of a collective", "run @", in_folder("ops.yaml"),
              "");
  write_file("ops.yaml", REPLAY("{file: numbers.vef, class: A, ops: \"0,1,2,3\"}", ""));
  assert_says("traces[0].ops: is not a list of 8 words", "run @", in_folder("ops.yaml"), "");
  write_file("ops.yaml", REPLAY("{file: numbers.vef, class: A, ops: \"0,1,2,3,4,5,6,0\"}", ""));
  assert_says("traces[0].ops: `0` stands twice", "run @", in_folder("ops.yaml"), "");
}

/* Without its trigger flags a trace has the same schedule (VF-08): every figure is the same. */
static void a_trace_without_trigger_flags_has_the_same_schedule(void **state) {
  (void)state;
  json_t *kept = delivered_by(REPLAY("{" STENCIL "}", ""));
  json_t *stripped = delivered_by(REPLAY("{" STENCIL ", triggers: strip}", ""));
  assert_same_figures(kept, stripped);
}

/* Messages within a host take as long as the file says (VF-09). */
static void messages_within_a_host_take_as_long_as_the_file_says(void **state) {
  (void)state;
#define WITHIN(more) REPLAY("{" STENCIL ", mapping: list, places: [0, 0, 1, 1, 2, 2]" more "}", "")
#define FORTY "40 40 40 40 40 40\n"
  write_file("forty.txt", FORTY FORTY FORTY FORTY FORTY FORTY);
#undef FORTY
  int64_t one = replayed(WITHIN(""));
  int64_t forty = replayed(WITHIN(", intra: {latency: 40}"));
  assert_int_equal(one, replayed(WITHIN(", intra: {latency: 1}")));
  assert_int_equal(one, replayed(WITHIN(", intra: {bandwidth: 64}")));
  assert_true(forty > one);
  assert_int_equal(forty, replayed(WITHIN(", intra: {table: forty.txt}")));
  assert_int_equal(forty,
                   replayed(WITHIN(", intra: {table: ../../vectors/vef/stencil.latencies}")));
  /* 64 bytes each */
  assert_int_equal(replayed(WITHIN(", intra: {latency: 22}")),
                   replayed(WITHIN(", intra: {bandwidth: 3}")));
#undef WITHIN
}

/* A .names file says where tasks are and how far apart those of a tile (VF-04). */
static void a_names_file_says_where_tasks_are(void **state) {
  (void)state;
  write_file("six.names", "NODES:6:40\n0:A_0\n1:A_0\n2:A_1\n3:DMA_9\n4:A_2\n5:A_2\n");
#define PLACED(keys) replayed(REPLAY("{" STENCIL ", " keys "}", ""))
#define LIST "mapping: list, places: [0, 0, 1, 0, 2, 2]"
  assert_int_equal(PLACED("names: six.names"), PLACED(LIST ", intra: {latency: 40}"));
  assert_int_equal(PLACED("mapping: names, names: six.names, intra: {latency: 1}"), PLACED(LIST));
  assert_int_equal(PLACED("names: six.names, mapping: linear"),
                   PLACED("mapping: linear, intra: {latency: 40}"));
#undef LIST
#undef PLACED
  write_file("replay.yaml", REPLAY("{" STENCIL ", names: six.names}", ""));
  assert_run(0, "run @ -o @", in_folder("replay.yaml"), in_folder("named"));
  assert_true(is_there("named/six.names"));
  assert_run(0, "run @ -o @", in_folder("named/fabric.yaml"), in_folder("named2"));
  assert_same_summary("named/summary.json", "named2/summary.json");
}

/* Files of a trace that do not fit it. */
static void files_that_do_not_fit_their_trace_are_refused(void **state) {
  (void)state;
  static const struct {
    const char *keys, *text, *why;
  } bad[] = {
      {"names: bad", "NODES:1:2\n0:A_0\n", "bad:1: n: is not 6, the tasks of the trace"},
      {"names: bad", "NODES:6:2\n0:A_0\n", "bad:3: file: is cut short"},
      {"names: bad", "NODES:6:2\n0:A_0\n1:A_1\n2:A_2\n3:A_3\n4:A_4\n5:A_0\n",
       "replay.yaml:6: traces[0].names: task 4 is on tile 4, but there are 4 hosts"},
      {"intra: {table: bad}", "", "bad:1: file: has fewer lines than the trace has tasks"},
      {"intra: {table: bad}", "1 2 3\n", "bad:1: latency: is missing"},
      {"intra: {table: bad}", "1 2 3 4 5 6\n", "bad:2: file: has fewer lines than"},
      {"intra: {table: bad}", "1 2 3 4 5 6", "bad:1: file: is cut short"},
      {"intra: {table: bad}", "1 2 3 4 5 6 7\n", "bad:1: latency: is followed by something"},
      {"intra: {table: bad}", "1 2 3 4 5 65536\n", "bad:1: latency: is outside 0..65535"},
      {"intra: {table: bad}",
       "0 0 0 0 0 0\n0 0 0 0 0 0\n0 0 0 0 0 0\n0 0 0 0 0 0\n0 0 0 0 0 0\n0 0 0 0 0 0\n\n",
       "bad:7: file: has more lines than the trace has tasks"},
  };
  for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
    char text[600];
    snprintf(text, sizeof text, REPLAY("{" STENCIL ", %s}", ""), bad[i].keys);
    write_file("replay.yaml", text);
    write_file("bad", bad[i].text);
    struct outcome o = run("run @", in_folder("replay.yaml"), "");
    assert_int_equal(o.status, 2);
    if (!strstr(o.err, bad[i].why))
      assert_string_equal(o.err, bad[i].why);
    drop(&o);
  }
}

/* How collectives become messages (VF-10), and how long a cycle is. */
static void collectives_become_messages_as_the_file_says(void **state) {
  (void)state;
  static const char *const how[] = {"linear", "ring", "doubling"};
  int64_t received[3];
  for (unsigned i = 0; i < 3; i++) {
    char text[600];
    snprintf(text, sizeof text, REPLAY("{" COLLECTIVES ", mapping: linear, collectives: %s}", ""),
             how[i]);
    json_t *root = delivered_by(text);
    received[i] = count_of(root, "received");
    json_decref(root);
  }
  assert_int_not_equal(received[0], received[1]);
  assert_int_not_equal(received[1], received[2]);
  assert_int_not_equal(received[0], received[2]);
  /* The clock of this trace is 1000 ps. */
  int64_t units = replayed(REPLAY("{" COLLECTIVES "}", ""));
  assert_int_equal(replayed(REPLAY("{" COLLECTIVES "}", ", cycle: 1000")), units);
  assert_true(replayed(REPLAY("{" COLLECTIVES "}", ", cycle: 10")) > units);
}

/* A collective without a file sends what its closed form says, as the trace of `vef generate`. */
static void a_program_of_collectives_needs_no_trace(void **state) {
  (void)state;
  static const struct {
    const char *how;
    int64_t messages; /* of an all-reduce of 8 tasks, once */
  } want[] = {{"linear", 14}, {"ring", 112}, {"doubling", 24}, {"tree", 14}};
  struct outcome o = run("vef generate allreduce --tasks 8 --rounds 5 --bytes 512 --compute 0 -o @",
                         in_folder("program.vef"), "");
  assert_int_equal(o.status, 0);
  drop(&o);
  for (unsigned i = 0; i < sizeof want / sizeof want[0]; i++) {
    char made[600], read[600];
    snprintf(made, sizeof made,
             REPLAY("{program: allreduce, tasks: 8, rounds: 5, bytes: 512, mapping: linear, "
                    "class: A, collectives: %s}",
                    ""),
             want[i].how);
    snprintf(read, sizeof read,
             REPLAY("{file: program.vef, mapping: linear, class: A, collectives: %s}", ""),
             want[i].how);
    json_t *root = delivered_by(made);
    /* Tasks 4 apart share a host: what they tell each other is no message of the network. */
    if (i == 1)
      assert_int_equal(count_of(root, "received"), 5 * want[i].messages);
    else
      assert_in_range(count_of(root, "received"), 5, 5 * want[i].messages - 1);
    assert_int_equal(replayed(made), replayed(read));
    json_decref(root);
  }
}

/* Several traces beside each other, each from its own cycle on (VF-12). */
static void several_traces_run_beside_each_other(void **state) {
  (void)state;
  int64_t alone = replayed(REPLAY("{" STENCIL "}", ""));
  int64_t late = replayed(REPLAY("{" STENCIL ", start: 5000}", ""));
  assert_int_equal(late, alone + 5000);
  assert_int_equal(replayed(REPLAY("{" STENCIL "}", ", until: measure")), alone);
  json_t *root = delivered_by(REPLAY("{" STENCIL "}, {" COLLECTIVES ", start: 2000}, "
                                     "{" STENCIL ", start: 5000, triggers: strip}",
                                     ""));
  json_t *other = delivered_by(REPLAY("{" COLLECTIVES "}", ""));
  json_t *one = delivered_by(REPLAY("{" STENCIL "}", ""));
  assert_int_equal(count_of(json_array_get(json_object_get(root, "runs"), 0), "replayed"), late);
  assert_int_equal(count_of(root, "received"),
                   2 * count_of(one, "received") + count_of(other, "received"));
  json_decref(root);
  /* Each goes as the class that it names. */
  root = delivered_by(
      "---\nname: trace\ntopology: {kind: tree, k: 2, n: 2}\n"
      "switch: {kind: ib, scheduler: rr}\n"
      "classes: [{name: A, sl: 0, vl: 0, mtu: 128}, {name: B, sl: 1, vl: 1, mtu: 64}]\n"
      "traces: [{" STENCIL "}, {file: ../../vectors/vef/collectives.vef, class: B}]\n"
      "run: {measure: 100000}\n...\n");
  for (size_t i = 0; i < 2; i++)
    assert_int_equal(count_of(json_array_get(json_object_get(root, "classes"), i), "messages"),
                     count_of(i ? other : one, "received"));
  json_decref(root);
  json_decref(other);
  json_decref(one);
  /* Both at once are in each other's way. */
  assert_true(replayed(REPLAY("{" STENCIL "}, {" STENCIL "}", "")) > alone);
}

/* What the table and the JSON say of a run that is cut, and what is wrong with it. */
static void assert_cut(const char *text, int status, const char *outcome, const char *line) {
  write_file("replay.yaml", text);
  struct outcome o = run("run @", in_folder("replay.yaml"), "");
  assert_int_equal(o.status, status);
  assert_non_null(strstr(o.out, line));
  assert_non_null(strstr(o.out, outcome));
  assert_int_equal(strstr(o.err, "the traces were not finished when `measure` ended") != NULL,
                   status);
  drop(&o);
  o = run("run --json @", in_folder("replay.yaml"), "");
  assert_int_equal(o.status, status);
  json_t *root = json_loads(o.out, 0, NULL);
  assert_string_equal(json_string_value(json_object_get(root, "outcome")), outcome);
  assert_int_equal(count_of(root, "unfinished"), 1);
  assert_int_equal(count_of(root, "lost"), 0);
  const json_t *one = json_array_get(json_object_get(root, "runs"), 0);
  assert_int_equal(count_of(one, "replayed"), 0);
  const json_t *trace = json_array_get(json_object_get(one, "traces"), 0);
  assert_true(json_is_false(json_object_get(trace, "finished")));
  assert_true(count_of(trace, "received") < count_of(trace, "messages"));
  assert_null(json_object_get(root, "replayed"));
  json_decref(root);
  drop(&o);
}

/* A trace that is cut, or never begins, is no trace that is done: a failure if the run was to end
 * with it, and said in any case. */
static void a_trace_that_is_cut_is_not_done_and_said_to_be_so(void **state) {
  (void)state;
#define CUT(start, more)                                                                           \
  "---\nname: trace\ntopology: {kind: tree, k: 2, n: 2}\nswitch: {kind: ib, scheduler: rr}\n"      \
  "classes: [{name: A, sl: 0, vl: 0, mtu: 128}]\ntraces: [{" STENCIL start "}]\n"                  \
  "run: {" more "}\n...\n"
  assert_cut(CUT(", start: 3000", "measure: 2000"), 1, "unfinished",
             "trace stencil.vef: 0 of 72 messages, not finished\n");
  assert_cut(CUT(", start: 3000", "measure: 2000, until: measure"), 0, "done",
             "trace stencil.vef: 0 of 72 messages, not finished\n");
  assert_cut(CUT("", "measure: 60"), 1, "unfinished", " of 72 messages, not finished\n");
  assert_cut(CUT("", "measure: 60, drain: 0"), 1, "unfinished", " of 72 messages, not finished\n");
  assert_cut(CUT("", "measure: 60, until: measure"), 0, "done", " of 72 messages, not finished\n");
  /* One that is done beside one that is not. */
  write_file("replay.yaml", REPLAY("{" STENCIL "}, {" COLLECTIVES ", start: 60000}", ""));
  struct outcome o = run("run --seeds 2 @", in_folder("replay.yaml"), "");
  assert_int_equal(o.status, 0);
  assert_null(strstr(o.out, "not finished"));
  assert_non_null(strstr(o.out, "traces done in cycle "));
  drop(&o);
  o = run("run --seeds 2 --set run.measure=50000 @", in_folder("replay.yaml"), "");
  assert_int_equal(o.status, 1);
  assert_null(strstr(o.out, "trace stencil.vef"));
  assert_non_null(strstr(o.out, "trace collectives.vef: 0 of "));
  assert_non_null(strstr(o.out, " messages, not finished in 2 of 2 seeds\n"));
  drop(&o);
#undef CUT
}

/* The mean of the ends says of how many seeds it is. */
static void the_mean_of_the_ends_says_of_how_many_seeds_it_is(void **state) {
  (void)state;
  static const char text[] =
      "---\nname: trace\ntopology: {kind: tree, k: 2, n: 2}\nswitch: {kind: ib, scheduler: rr}\n"
      "classes: [{name: A, sl: 0, vl: 0, mtu: 128}]\n"
      "traces: [{" STENCIL ", mapping: random}]\nrun: {measure: 100000, seeds: 8}\n...\n";
  char set[80];
  json_t *root = delivered_by(text);
  const json_t *ends = json_object_get(root, "replayed");
  double least = json_number_value(json_object_get(ends, "min"));
  double most = json_number_value(json_object_get(ends, "max"));
  assert_int_equal(count_of(root, "unfinished"), 0);
  assert_true(most > least + 1);
  json_decref(root);
  snprintf(set, sizeof set, "run --set run.drain=0 --set run.measure=%.0f @", (least + most) / 2);
  struct outcome o = run(set, in_folder("from.yaml"), "");
  assert_int_equal(o.status, 1);
  const char *ended = strstr(o.out, "traces done in cycle ");
  const char *cut = strstr(o.out, "messages, not finished in ");
  assert_non_null(ended);
  assert_non_null(cut);
  unsigned in = 0, not_in = 0;
  assert_int_equal(sscanf(strstr(ended, ", in "), ", in %u of 8 seeds", &in), 1);
  assert_int_equal(sscanf(cut, "messages, not finished in %u of 8 seeds", &not_in), 1);
  assert_int_equal(in + not_in, 8);
  assert_in_range(in, 1, 7);
  drop(&o);
}

/* A sweep says so, too, and does not end as if all were well. */
static void a_sweep_with_an_unfinished_trace_says_so(void **state) {
  (void)state;
  write_file("replay.yaml", REPLAY("{" STENCIL "}", ""));
  write_file("cut.yaml", "---\nname: c\nfabric: replay.yaml\n"
                         "grid: [{key: run.measure, values: [60, 100000]}]\n...\n");
  assert_run(1, "sweep @ -o @ --quiet", in_folder("cut.yaml"), in_folder("cut"));
  char *csv = read_file(in_folder("cut/sweep.csv"));
  assert_non_null(csv);
  assert_non_null(strstr(csv, "\n60,unfinished,"));
  assert_non_null(strstr(csv, "\n100000,done,"));
  free(csv);
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_trace_is_replayed_with_every_mapping),
      cmocka_unit_test(a_trace_with_numbers_for_collectives_is_replayed_with_ops),
      cmocka_unit_test(a_trace_without_trigger_flags_has_the_same_schedule),
      cmocka_unit_test(messages_within_a_host_take_as_long_as_the_file_says),
      cmocka_unit_test(a_names_file_says_where_tasks_are),
      cmocka_unit_test(files_that_do_not_fit_their_trace_are_refused),
      cmocka_unit_test(collectives_become_messages_as_the_file_says),
      cmocka_unit_test(a_program_of_collectives_needs_no_trace),
      cmocka_unit_test(several_traces_run_beside_each_other),
      cmocka_unit_test(a_trace_that_is_cut_is_not_done_and_said_to_be_so),
      cmocka_unit_test(the_mean_of_the_ends_says_of_how_many_seeds_it_is),
      cmocka_unit_test(a_sweep_with_an_unfinished_trace_says_so),
  };
  return UNIT_RUN("traces", tests, make_folder, remove_folder);
}

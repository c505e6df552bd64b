/* The commands `loom run`, `loom sweep` and `loom plot` on tiny fabrics (docs/fabric.md):
 * everything arrives, the same seed gives the same bits, results are whole or not there (OP-08,
 * OP-22, TP-03, KN-02, VF-12). */
#define _GNU_SOURCE /* mkdtemp, kill */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <jansson.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/cli.h"
#include "tb/unit/cli_run.h"

enum { PATH = 200, COMMAND = 400 };

static char folder[] = "build/test_run.XXXXXX";

/* ---- files ----------------------------------------------------------------------------------- */

static const char *in_folder(const char *name) {
  static char path[4][PATH];
  static unsigned next;
  char *out = path[next++ % 4];
  snprintf(out, PATH, "%s/%s", folder, name);
  return out;
}

static void write_file(const char *name, const char *text) {
  FILE *file = fopen(in_folder(name), "w");
  assert_non_null(file);
  fputs(text, file);
  assert_int_equal(fclose(file), 0);
}

/* The caller's. */
static char *read_file(const char *path) {
  FILE *file = fopen(path, "rb");
  if (!file)
    return NULL;
  char *text = calloc(1, 1 << 20);
  assert_non_null(text);
  assert_true(fread(text, 1, (1 << 20) - 1, file) < (1 << 20) - 1);
  fclose(file);
  return text;
}

static bool is_there(const char *name) { return !access(in_folder(name), R_OK); }

static void assert_same_file(const char *a, const char *b) {
  char *left = read_file(in_folder(a)), *right = read_file(in_folder(b));
  assert_non_null(left);
  assert_non_null(right);
  assert_string_equal(left, right);
  free(left);
  free(right);
}

static int remove_folder(void **state) {
  char command[COMMAND];
  (void)state;
  snprintf(command, sizeof command, "rm -rf %s", folder);
  return system(command);
}

static int make_folder(void **state) {
  (void)state;
  mkdir("build", 0777);
  return !mkdtemp(folder);
}

/* ---- running --------------------------------------------------------------------------------- */

/* `command` with `a` and `b` in the places of its @. */
static const char *filled(char out[COMMAND], const char *command, const char *a, const char *b) {
  size_t used = 0;
  for (; *command && used < COMMAND - 1; command++) {
    if (*command != '@') {
      out[used++] = *command;
      continue;
    }
    used += (size_t)snprintf(out + used, COMMAND - used, "%s", a);
    assert_in_range(used, 0, COMMAND - 1);
    a = b;
  }
  out[used] = 0;
  return out;
}

static struct outcome run(const char *command, const char *a, const char *b) {
  char line[COMMAND];
  return loom(filled(line, command, a, b));
}

static void assert_run(int status, const char *command, const char *a, const char *b) {
  struct outcome o = run(command, a, b);
  if (o.status != status)
    fprintf(stderr, "%s\n", o.err);
  assert_int_equal(o.status, status);
  drop(&o);
}

static int64_t count_of(const json_t *root, const char *key) {
  const json_t *value = json_object_get(root, key);
  assert_true(json_is_integer(value));
  return (int64_t)json_integer_value(value);
}

/* Everything was delivered whole, and something was. */
static void assert_delivered(const json_t *root) {
  assert_string_equal(json_string_value(json_object_get(root, "outcome")), "done");
  assert_int_equal(count_of(root, "lost"), 0);
  assert_int_equal(count_of(root, "under_way"), 0);
  assert_int_equal(count_of(root, "dropped"), 0);
  assert_int_equal(count_of(root, "stray"), 0);
  assert_int_equal(count_of(root, "posted"), count_of(root, "received"));
  assert_true(count_of(root, "received") > 0);
  assert_true(count_of(root, "flit_hops") > 0);
}

static json_t *json_of(const char *command, const char *a, const char *b) {
  char line[COMMAND];
  return run_json(filled(line, command, a, b));
}

/* ---- fabrics --------------------------------------------------------------------------------- */

#define RUN "run: {warmup: 200, measure: 600, drain: 20000, seeds: 1, interval: 200}\n...\n"
#define ONE                                                                                        \
  "classes: [{name: A, sl: 0, vl: 0, mtu: 128}, {name: B, sl: 1, vl: 1, mtu: 64}]\n"               \
  "traffic:\n"                                                                                     \
  "  - {class: A, pattern: uniform, size: 256, load: 0.4}\n"                                       \
  "  - {class: B, pattern: uniform, size: 64, load: 0.2, process: poisson}\n" RUN
#define TWO                                                                                        \
  "classes: [{name: A, sl: 0, vls: [0, 1], mtu: 128}, {name: B, sl: 8, vls: [2, 3], mtu: 64}]\n"   \
  "traffic:\n"                                                                                     \
  "  - {class: A, pattern: uniform, size: 256, load: 0.5}\n"                                       \
  "  - {class: B, pattern: random, size: 64, load: 0.4}\n" RUN

static const struct tiny {
  const char *name, *text;
} fabrics[] = {
    {"opa-tree", "---\nname: a\ntopology: {kind: tree, k: 3, n: 2}\n"
                 "switch: {kind: opa, scheduler: sbt}\n"
                 "table: [{sl: 0, weight: 3}, {sl: 1, weight: 1}]\n" ONE},
    {"ib-valiant", "---\nname: b\ntopology: {kind: tree, k: 2, n: 3}\nrouting: {engine: valiant}\n"
                   "switch: {kind: ib, scheduler: rr}\n" ONE},
    {"opa-torus", "---\nname: c\ntopology: {kind: torus, size: 3x3, nodes: 2, trunk: 2}\n"
                  "switch: {kind: opa, scheduler: rr, central: least, parameters: {CELLS_IN: 64, "
                  "CELLS_OUT: 64, CELLS_CENTRAL: 64}}\n" TWO},
    {"ib-torus", "---\nname: d\ntopology: {kind: torus, size: 4x3}\n"
                 "switch: {kind: ib, scheduler: ibarb, parameters: {CELLS_IN: 64, CELLS_OUT: 64}}\n"
                 "high: [{sl: 0, weight: 4}]\nlow: [{sl: 8, weight: 4}]\n" TWO},
    {"slim", "---\nname: e\ntopology: {kind: slim, nodes: 2}\nlink: {latency: 5}\n"
             "switch: {kind: ib, scheduler: rr, stages: B}\n" ONE},
    {"kns-nodes", "---\nname: f\ntopology: {kind: kns, k: 3, n: 2, nodes: 2}\n"
                  "switch: {kind: kns, scheduler: rr}\n" ONE},
    {"net", "---\nname: g\ntopology: {file: ../../vectors/net/kns-2-2.net}\n"
            "routing: {engine: hdor}\nswitch: {kind: ib, scheduler: rr}\n" ONE},
    {"elite5", "---\nname: h\ntopology: {kind: tree, k: 2, n: 2}\nswitch: {kind: elite5}\n"
               "classes: [{name: A, sl: 0, mtu: 128}, {name: B, sl: 3, mtu: 128}]\n"
               "traffic:\n"
               "  - {class: A, pattern: uniform, size: 256, load: 0.4}\n"
               "  - {class: B, pattern: shift, size: 8, load: 0.05}\n" RUN},
    {"qsnet3", "---\nname: i\ntopology: {kind: qsnet3, nodes: 32}\nswitch: {kind: elite5}\n"
               "classes: [{name: A, sl: 0, mtu: 1024}]\n"
               "traffic: [{class: A, pattern: uniform, size: 1024, load: 0.3}]\n" RUN},
};

static void test_fabrics(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof fabrics / sizeof fabrics[0]; i++) {
    write_file("fabric.yaml", fabrics[i].text);
    json_t *root = json_of("run --json @", in_folder("fabric.yaml"), "");
    assert_delivered(root);
    assert_int_equal(count_of(root, "damaged"), 0);
    json_decref(root);
  }
}

/* A KNS of its own devices is a KNS of InfiniBand switches with Hybrid-DOR (KN-02). */
static void test_kns(void **state) {
  (void)state;
  json_t *own = json_of("run --json vectors/fabric/kns-2-2.yaml --set name=x", "", "");
  json_t *ib =
      json_of("run --json vectors/fabric/kns-2-2.yaml --set name=x --set switch.kind=ib", "", "");
  assert_delivered(own);
  json_object_del(own, "kind");
  json_object_del(ib, "kind");
  assert_true(json_equal(own, ib));
  json_decref(own);
  json_decref(ib);
}

static void test_errors_on_links(void **state) {
  (void)state;
  json_t *root =
      json_of("run --json vectors/fabric/tree-2-2.yaml --set link.bit_errors=0.001", "", "");
  assert_delivered(root);
  assert_true(count_of(root, "damaged") > 0);
  json_decref(root);
}

/* ---- the same bits --------------------------------------------------------------------------- */

static void test_same_bits(void **state) {
  (void)state;
  static const char *const files[] = {"summary.json", "series.csv", "latency.csv", "fabric.yaml"};
  static const char command[] = "run vectors/fabric/tree-2-2.yaml --seeds 3 --quiet -o @ --jobs @";
  char a[PATH], b[PATH];
  assert_run(0, command, in_folder("one"), "1");
  assert_run(0, command, in_folder("two"), "2");
  assert_run(0, command, in_folder("three"), "3");
  assert_run(0, "run @ -o @", in_folder("one/fabric.yaml"), in_folder("again"));
  for (unsigned f = 0; f < 4; f++)
    for (unsigned d = 0; d < 3; d++) {
      static const char *const others[] = {"two", "three", "again"};
      snprintf(a, sizeof a, "one/%s", files[f]);
      snprintf(b, sizeof b, "%s/%s", others[d], files[f]);
      assert_same_file(a, b);
    }
}

static void test_other_seed(void **state) {
  (void)state;
  struct outcome a = loom("run vectors/fabric/tree-2-2.yaml --json");
  struct outcome b = loom("run vectors/fabric/tree-2-2.yaml --json --set run.seed=2");
  assert_int_equal(a.status, 0);
  assert_int_equal(b.status, 0);
  assert_string_not_equal(a.out, b.out);
  drop(&a);
  drop(&b);
}

/* ---- results --------------------------------------------------------------------------------- */

static void assert_metric(const json_t *class, const char *key) {
  const json_t *metric = json_object_get(class, key);
  assert_true(json_is_number(json_object_get(metric, "mean")));
  assert_true(json_is_number(json_object_get(metric, "interval")));
  assert_int_equal(count_of(metric, "seeds"), 2);
}

static void test_summary(void **state) {
  (void)state;
  static const char *const counts[] = {"hosts",    "switches", "seeds",     "posted",
                                       "received", "lost",     "under_way", "damaged",
                                       "dropped",  "stray",    "flit_hops", "cycles"};
  static const char *const metrics[] = {"offered",    "accepted",   "percent",
                                        "share",      "total_mean", "total_q50",
                                        "total_q999", "net_mean",   "net_q99"};
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

/* Results are replaced by results, and nothing else is. */
static void test_results_directory(void **state) {
  (void)state;
  static const char command[] = "run vectors/fabric/tree-2-2.yaml -o @";
  assert_run(0, command, in_folder("results"), "");
  assert_run(0, command, in_folder("results"), "");
  mkdir(in_folder("other"), 0777);
  write_file("other/file", "precious\n");
  assert_run(2, command, in_folder("other"), "");
  assert_true(is_there("other/file"));
  assert_run(2, command, in_folder("other/file"), "");
  assert_run(2, command, in_folder("no/such/place"), "");
}

static void test_refusals(void **state) {
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
  assert_refused("sweep a", "loom sweep: --output: missing");
  assert_refused("plot", "loom plot: DIR: missing");
  assert_refused("plot build", "loom plot: DIR: build holds no sweep and no run");
}

/* ---- what goes wrong ------------------------------------------------------------------------- */

/* A ring without a dateline: it is refused, and taken all the same it gets stuck (TP-03). */
#define RING(routing)                                                                              \
  "---\nname: ring\ntopology: {kind: torus, size: 8, nodes: 4}\nrouting: " routing "\n"            \
  "switch: {kind: ib, scheduler: rr, parameters: {CELLS_IN: 16, CELLS_OUT: 16}}\n"                 \
  "host: {buffer: 4096}\nclasses: [{name: A, sl: 0, vl: 0, mtu: 1024}]\n"                          \
  "traffic: [{class: A, pattern: uniform, size: 1024, load: 1}]\n"                                 \
  "run: {warmup: 1000, measure: 100000, watchdog: 3000}\n...\n"

static void test_deadlock(void **state) {
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
  assert_non_null(strstr(o.err, "  S0 port "));
  drop(&o);
}

static void test_not_drained(void **state) {
  (void)state;
  struct outcome o = loom("run vectors/fabric/tree-2-2.yaml --set load=2 --set run.drain=1");
  assert_int_equal(o.status, 1);
  assert_non_null(strstr(o.err, "messages still under way after 1 cycles of drain"));
  drop(&o);
}

/* ---- traces ---------------------------------------------------------------------------------- */

static void test_traces(void **state) {
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

/* What comes of a fabric, but for its name. */
static json_t *json_of_text(const char *text) {
  write_file("replay.yaml", text);
  json_t *root = json_of("run --json @", in_folder("replay.yaml"), "");
  assert_delivered(root);
  return root;
}

static int64_t replayed(const char *text) {
  json_t *root = json_of_text(text);
  int64_t cycle = count_of(json_array_get(json_object_get(root, "runs"), 0), "replayed");
  json_decref(root);
  return cycle;
}

/* Without its trigger flags a trace has the same schedule (VF-08): every figure is the same. */
static void test_triggers(void **state) {
  (void)state;
  json_t *kept = json_of_text(REPLAY("{" STENCIL "}", ""));
  json_t *stripped = json_of_text(REPLAY("{" STENCIL ", triggers: strip}", ""));
  assert_true(json_equal(kept, stripped));
  json_decref(kept);
  json_decref(stripped);
}

/* Messages within a host take as long as the file says (VF-09). */
static void test_intra(void **state) {
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
  /* 64 bytes each */
  assert_int_equal(replayed(WITHIN(", intra: {latency: 22}")),
                   replayed(WITHIN(", intra: {bandwidth: 3}")));
#undef WITHIN
}

/* A .names file says where tasks are and how far apart those of a tile (VF-04). */
static void test_trace_names(void **state) {
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
  assert_same_file("named/summary.json", "named2/summary.json");
}

/* Files of a trace that do not fit it. */
static void test_trace_files(void **state) {
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
static void test_collectives(void **state) {
  (void)state;
  static const char *const how[] = {"linear", "ring", "doubling"};
  int64_t received[3];
  for (unsigned i = 0; i < 3; i++) {
    char text[600];
    snprintf(text, sizeof text, REPLAY("{" COLLECTIVES ", mapping: linear, collectives: %s}", ""),
             how[i]);
    json_t *root = json_of_text(text);
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

/* Several traces beside each other, each from its own cycle on (VF-12). */
static void test_several_traces(void **state) {
  (void)state;
  int64_t alone = replayed(REPLAY("{" STENCIL "}", ""));
  int64_t late = replayed(REPLAY("{" STENCIL ", start: 5000}", ""));
  assert_int_equal(late, alone + 5000);
  json_t *root = json_of_text(REPLAY("{" STENCIL "}, {" COLLECTIVES ", start: 2000}, "
                                     "{" STENCIL ", start: 5000, triggers: strip}",
                                     ""));
  json_t *other = json_of_text(REPLAY("{" COLLECTIVES "}", ""));
  json_t *one = json_of_text(REPLAY("{" STENCIL "}", ""));
  assert_int_equal(count_of(json_array_get(json_object_get(root, "runs"), 0), "replayed"), late);
  assert_int_equal(count_of(root, "received"),
                   2 * count_of(one, "received") + count_of(other, "received"));
  json_decref(root);
  json_decref(other);
  json_decref(one);
  /* Both at once are in each other's way. */
  assert_true(replayed(REPLAY("{" STENCIL "}, {" STENCIL "}", "")) > alone);
}

/* What a file names is kept beside its results, so that they can be run again. */
static void test_kept_files(void **state) {
  (void)state;
  write_file("net.yaml", fabrics[6].text);
  assert_run(0, "run @ -o @", in_folder("net.yaml"), in_folder("kept"));
  assert_true(is_there("kept/kns-2-2.net"));
  assert_run(0, "run @ -o @", in_folder("kept/fabric.yaml"), in_folder("kept2"));
  assert_same_file("kept/summary.json", "kept2/summary.json");
  assert_same_file("kept/fabric.yaml", "kept2/fabric.yaml");
}

/* Tables and a permutation from files; who has no line in it is silent. */
static void test_named_files(void **state) {
  (void)state;
  struct outcome o;
  write_file("files.yaml",
             "---\nname: l\ntopology: {file: ../../vectors/net/kns-2-2.net}\n"
             "routing: {lfts: ../../tb/fuzz/good/kns-2-2.lfts}\n"
             "switch: {kind: ib, scheduler: rr}\n"
             "classes: [{name: A, sl: 0, vl: 0, mtu: 128}]\n"
             "traffic: [{class: A, pattern: file, file: p.txt, size: 256, load: 0.4}]\n"
             "run: {warmup: 200, measure: 600}\n...\n");
  write_file("p.txt", "# pairs\n0 1\n1 2\n2 0\n");
  json_t *root = json_of("run --json @", in_folder("files.yaml"), "");
  assert_delivered(root);
  json_decref(root);
  static const struct {
    const char *text, *why;
  } bad[] = {{"0 1\n0 2\n", "p.txt:2: source: 0 stands twice"},
             {"0 1\n1 2", "p.txt:2: line: has no newline"},
             {"0 x\n", "p.txt:1: line: is not"},
             {"0 65536\n", "p.txt:1: destination: "},
             {"# none\n", "p.txt:1: line: nobody sends"},
             {"0 9\n", "the file names 10 tasks, there are 4"}};
  for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
    write_file("p.txt", bad[i].text);
    o = run("run @", in_folder("files.yaml"), "");
    assert_int_equal(o.status, 2);
    assert_non_null(strstr(o.err, bad[i].why));
    drop(&o);
  }
}

/* ---- sweeps ---------------------------------------------------------------------------------- */

static void write_sweep(const char *measure) {
  char text[600];
  snprintf(
      text, sizeof text,
      "---\nname: s\nfabric: ../../vectors/fabric/tree-2-2.yaml\nseeds: 2\n"
      "set: [run.warmup=100, run.measure=%s]\n"
      "grid:\n  - {key: load, values: [0.5, 1, 1.5]}\n"
      "  - {name: size, points: [{name: long}, {name: short, set: [\"traffic[0].size=64\"]}]}\n"
      "...\n",
      measure);
  write_file("sweep.yaml", text);
}

static void test_sweep(void **state) {
  (void)state;
  write_sweep("400");
  assert_run(0, "sweep @ -o @ --jobs 2", in_folder("sweep.yaml"), in_folder("s1"));
  assert_run(0, "sweep @ -o @ --jobs 1", in_folder("sweep.yaml"), in_folder("s2"));
  assert_same_file("s1/sweep.csv", "s2/sweep.csv");
  assert_same_file("s1/sweep.json", "s2/sweep.json");
  assert_same_file("s1/points/load=1,size=short/summary.json",
                   "s2/points/load=1,size=short/summary.json");
  assert_true(is_there("s1/points/load=0.5,size=long/fabric.yaml"));
}

/* Finished points stay as they are, missing ones are done again. */
static void test_sweep_goes_on(void **state) {
  (void)state;
  struct stat before, after;
  char *csv = read_file(in_folder("s1/sweep.csv"));
  assert_non_null(csv);
  assert_int_equal(stat(in_folder("s1/points/load=1,size=long"), &before), 0);
  assert_int_equal(remove(in_folder("s1/sweep.csv")), 0);
  assert_int_equal(remove(in_folder("s1/points/load=1,size=short/summary.json")), 0);
  assert_int_equal(remove(in_folder("s1/points/load=1,size=short/series.csv")), 0);
  assert_int_equal(remove(in_folder("s1/points/load=1,size=short/latency.csv")), 0);
  assert_int_equal(remove(in_folder("s1/points/load=1,size=short/fabric.yaml")), 0);
  assert_run(0, "sweep @ -o @", in_folder("sweep.yaml"), in_folder("s1"));
  assert_int_equal(stat(in_folder("s1/points/load=1,size=long"), &after), 0);
  assert_int_equal(before.st_ino, after.st_ino);
  assert_same_file("s1/sweep.csv", "s2/sweep.csv");
  free(csv);
}

static void test_sweep_of_another_configuration(void **state) {
  (void)state;
  struct outcome o;
  write_sweep("401");
  o = run("sweep @ -o @", in_folder("sweep.yaml"), in_folder("s1"));
  assert_int_equal(o.status, 2);
  assert_non_null(strstr(o.err, "holds the results of another configuration"));
  drop(&o);
  assert_run(2, "sweep @ -o @", in_folder("sweep.yaml"), in_folder("other"));
}

/* A sweep that is killed goes on where it was, and ends with the same bits. */
static void test_sweep_killed(void **state) {
  (void)state;
  write_sweep("20000");
  assert_run(0, "sweep @ -o @", in_folder("sweep.yaml"), in_folder("whole"));
  pid_t pid = fork();
  assert_true(pid >= 0);
  if (pid == 0) {
    struct outcome o = run("sweep @ -o @ --jobs 2", in_folder("sweep.yaml"), in_folder("killed"));
    _exit(o.status);
  }
  for (unsigned i = 0; i < 2000 && !is_there("killed/points/load=0.5,size=long"); i++)
    usleep(2000);
  kill(pid, SIGKILL);
  waitpid(pid, NULL, 0);
  mkdir(in_folder("killed/points/load=9.part77"), 0777);
  assert_run(0, "sweep @ -o @", in_folder("sweep.yaml"), in_folder("killed"));
  assert_same_file("whole/sweep.csv", "killed/sweep.csv");
  assert_false(is_there("killed/points/load=9.part77"));
}

/* ---- figures --------------------------------------------------------------------------------- */

static void assert_svg(const char *name) {
  char *text = read_file(in_folder(name));
  assert_non_null(text);
  assert_non_null(strstr(text, "<svg"));
  assert_non_null(strstr(text, "</svg>"));
  assert_null(strstr(text, "nan"));
  free(text);
}

static void test_plot(void **state) {
  (void)state;
  assert_run(0, "plot @", in_folder("s2"), "");
  assert_svg("s2/plots/throughput.svg");
  assert_svg("s2/plots/latency.svg");
  assert_svg("s2/plots/network-latency.svg");
  assert_svg("s2/plots/latency-99.svg");
  assert_run(0, "plot @ -x size -o @", in_folder("s2"), in_folder("figures"));
  assert_svg("figures/throughput.svg");
  assert_run(2, "plot @ -x colour", in_folder("s2"), "");
}

/* A single run over time, classes and seeds together; what is no whole run is refused. */
static void test_plot_run(void **state) {
  (void)state;
  static const char *const bad[] = {"seed,cycle\n1,2,A\n", "h\n1,0,A,1,1,1,1.0,1.0\n",
                                    "h\n1,9,A,1,1,1,1.0,1.0\n1,8,A,1,1,1,1.0,1.0\n",
                                    "h\n1,9,A,1,1,1,1.0,1.0", ""};
  struct outcome o;
  assert_run(0, "run vectors/fabric/tree-2-2.yaml --seeds 2 --quiet -o @", in_folder("single"), "");
  assert_run(0, "plot @", in_folder("single"), "");
  assert_svg("single/plots/throughput.svg");
  assert_svg("single/plots/latency.svg");
  assert_svg("single/plots/network-latency.svg");
  assert_run(2, "plot @ -x load", in_folder("single"), "");
  for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
    write_file("single/series.csv", bad[i]);
    o = run("plot @", in_folder("single"), "");
    assert_int_equal(o.status, 2);
    assert_non_null(strstr(o.err, "single holds no whole results\n"));
    drop(&o);
  }
  write_file("single/series.csv", "seed,cycle,class\n");
  o = run("plot @", in_folder("single"), "");
  assert_int_equal(o.status, 2);
  assert_non_null(strstr(o.err, "single has no series: run.interval was 0\n"));
  drop(&o);
}

static void test_plot_without_gnuplot(void **state) {
  (void)state;
  char path[4096];
  const char *found = getenv("PATH");
  snprintf(path, sizeof path, "%s", found ? found : "");
  setenv("PATH", "", 1);
  struct outcome o = run("plot @", in_folder("s2"), "");
  setenv("PATH", path, 1);
  assert_int_equal(o.status, 2);
  assert_string_equal(o.err, "loom plot: gnuplot: is not installed; it draws the figures\n");
  drop(&o);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_fabrics),
      cmocka_unit_test(test_kns),
      cmocka_unit_test(test_errors_on_links),
      cmocka_unit_test(test_same_bits),
      cmocka_unit_test(test_other_seed),
      cmocka_unit_test(test_summary),
      cmocka_unit_test(test_results_directory),
      cmocka_unit_test(test_refusals),
      cmocka_unit_test(test_deadlock),
      cmocka_unit_test(test_not_drained),
      cmocka_unit_test(test_traces),
      cmocka_unit_test(test_triggers),
      cmocka_unit_test(test_intra),
      cmocka_unit_test(test_trace_names),
      cmocka_unit_test(test_trace_files),
      cmocka_unit_test(test_collectives),
      cmocka_unit_test(test_several_traces),
      cmocka_unit_test(test_kept_files),
      cmocka_unit_test(test_named_files),
      cmocka_unit_test(test_sweep),
      cmocka_unit_test(test_sweep_goes_on),
      cmocka_unit_test(test_sweep_of_another_configuration),
      cmocka_unit_test(test_sweep_killed),
      cmocka_unit_test(test_plot),
      cmocka_unit_test(test_plot_run),
      cmocka_unit_test(test_plot_without_gnuplot),
  };
  return cmocka_run_group_tests_name("run", tests, make_folder, remove_folder);
}

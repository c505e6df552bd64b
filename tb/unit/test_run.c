/* The commands `loom run`, `loom sweep` and `loom plot` on tiny fabrics (docs/fabric.md):
 * everything arrives, the same seed gives the same bits, results are whole or not there (OP-08,
 * OP-22, TP-03, KN-02, VF-12). */
#define _GNU_SOURCE /* mkdtemp, kill, symlink */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <dirent.h>
#include <inttypes.h>
#include <jansson.h>
#include <linux/capability.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/config.h"
#include "cli/gnuplot.h"
#include "cli/point.h"
#include "cli/report.h"
#include "route/registers.h"
#include "tb/unit/cli_run.h"
#include "tb/unit/scratch.h"

enum { PATH = 200, COMMAND = 400 };

static char folder[SCRATCH_FOLDER];

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

static void write_bytes(const char *name, const char *bytes, size_t size) {
  FILE *file = fopen(in_folder(name), "wb");
  assert_non_null(file);
  assert_int_equal(fwrite(bytes, 1, size, file), size);
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
  scratch_make(folder);
  return 0;
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

/* It is refused, and what it says has `why` in it. */
static void assert_says(const char *why, const char *command, const char *a, const char *b) {
  struct outcome o = run(command, a, b);
  assert_int_equal(o.status, 2);
  if (!strstr(o.err, why))
    assert_string_equal(o.err, why);
  assert_ptr_equal(strchr(o.err, '\n'), o.err + strlen(o.err) - 1); /* in one line */
  drop(&o);
}

/* `act` in a process of its own; what it gives. */
static int in_child(int act(void)) {
  int status = 0;
  pid_t pid = fork();
  assert_true(pid >= 0);
  if (pid == 0)
    _exit(act());
  assert_int_equal(waitpid(pid, &status, 0), pid);
  assert_true(WIFEXITED(status));
  return WEXITSTATUS(status);
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

static double mean_of(const json_t *class, const char *metric) {
  const json_t *mean = json_object_get(json_object_get(class, metric), "mean");
  assert_true(json_is_number(mean));
  return json_number_value(mean);
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

/* What summary.json counts of them, the table says; of a run where nothing happens it is silent. */
static void test_errors_in_the_table(void **state) {
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
static void test_rate_of_errors(void **state) {
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

static void test_latencies_of_links(void **state) {
  (void)state;
  double least = latency_over("latency: 1, host_latency: 1");
  assert_true(latency_over("latency: 11, host_latency: 1") == least + 10);
  assert_true(latency_over("latency: 1, host_latency: 11") == least + 20);
  assert_true(latency_over("latency: 11") == least + 30);
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

/* Places of tasks and bit errors are others for each seed, also where the traffic is not. */
static void test_what_seeds_change(void **state) {
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
static void test_figures(void **state) {
  (void)state;
  const double rounding = 0.005; /* of latencies in the series */
  struct sums s[SEEDS][CLASSES];
  write_file("fabric.yaml", fabrics[0].text);
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

/* No directory stands beside results that was there for a while. */
static void assert_nothing_beside(void) {
  DIR *dir = opendir(folder);
  assert_non_null(dir);
  for (const struct dirent *e; (e = readdir(dir)) != NULL;)
    assert_null(strchr(e->d_name, '~'));
  closedir(dir);
}

/* What no run wrote is in the way of new results, and stays. */
static void test_results_beside_others(void **state) {
  (void)state;
  static const char command[] = "run vectors/fabric/tree-2-2.yaml --quiet -o @";
  assert_run(0, command, in_folder("mixed"), "");
  write_file("mixed/notes.txt", "precious\n");
  assert_says("mixed:0: directory: holds `notes.txt`, which no run wrote\n", command,
              in_folder("mixed"), "");
  assert_true(is_there("mixed/notes.txt") && is_there("mixed/summary.json"));
  assert_int_equal(remove(in_folder("mixed/notes.txt")), 0);
  mkdir(in_folder("mixed/mine"), 0777);
  assert_says("mixed:0: directory: holds `mine`, which no run wrote\n", command, in_folder("mixed"),
              "");
  assert_int_equal(remove(in_folder("mixed/mine")), 0);
  assert_run(0, "plot @", in_folder("mixed"), "");
  write_file("mixed/plots/mine.svg", "precious\n");
  assert_says("mixed:0: directory: holds `plots/mine.svg`, which no run wrote\n", command,
              in_folder("mixed"), "");
  assert_int_equal(remove(in_folder("mixed/plots/mine.svg")), 0);
  assert_run(0, command, in_folder("mixed"), "");
  assert_false(is_there("mixed/plots"));
  mkdir(in_folder("source"), 0777);
  write_file("source/fabric.yaml", fabrics[0].text);
  assert_says("source:0: directory: holds no results but `fabric.yaml`\n", "run @ -o @",
              in_folder("source/fabric.yaml"), in_folder("source"));
  assert_says("cannot be replaced: give its own name\n", command, ".", "");
  assert_nothing_beside();
}

/* What a link leads to is replaced, the link stays. */
static void test_results_through_link(void **state) {
  (void)state;
  static const char command[] = "run vectors/fabric/tree-2-2.yaml --quiet -o @";
  struct stat s;
  mkdir(in_folder("target"), 0777);
  assert_int_equal(symlink("target", in_folder("link")), 0);
  for (unsigned i = 0; i < 2; i++)
    assert_run(0, command, in_folder(i ? "link/" : "link"), "");
  assert_int_equal(lstat(in_folder("link"), &s), 0);
  assert_true(S_ISLNK(s.st_mode));
  assert_true(is_there("target/summary.json"));
  assert_int_equal(symlink("nowhere", in_folder("loose")), 0);
  assert_says("loose:0: directory: is a link that leads nowhere", command, in_folder("loose"), "");
  assert_nothing_beside();
}

/* Without root's right to write everywhere. */
static int run_without_rights(void) {
  struct __user_cap_header_struct all = {.version = _LINUX_CAPABILITY_VERSION_3};
  const struct __user_cap_data_struct none[2] = {{.effective = 0}, {.effective = 0}};
  if (syscall(SYS_capset, &all, none))
    return 99;
  struct outcome o = run("run vectors/fabric/tree-2-2.yaml --quiet -o @", in_folder("fixed"), "");
  return strstr(o.err, "fixed:0: directory: cannot be used: Permission denied\n") ? o.status : 98;
}

/* A directory that cannot be written into, in one that can. */
static void test_results_without_permission(void **state) {
  (void)state;
  assert_run(0, "run vectors/fabric/tree-2-2.yaml --quiet -o @", in_folder("fixed"), "");
  assert_int_equal(chmod(in_folder("fixed"), 0555), 0);
  int status = in_child(run_without_rights);
  assert_int_equal(chmod(in_folder("fixed"), 0755), 0);
  assert_int_equal(status, 2);
  assert_true(is_there("fixed/summary.json"));
  assert_nothing_beside();
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
  assert_refused("run vectors/fabric/tree-2-2.yaml --set topology.k=200",
                 "vectors/fabric/tree-2-2.yaml:0: topology.k: cannot be so; docs/topo.md gives the "
                 "bounds (after changes)");
  assert_refused("run vectors/fabric/qsnet3-1024.yaml --set switch.parameters.VCS=2",
                 "vectors/fabric/qsnet3-1024.yaml:0: switch.parameters: BVCS must be below "
                 "VCS: 4, 2 (after changes)");
  assert_refused("sweep a", "loom sweep: --output: missing");
  assert_refused("plot", "loom plot: DIR: missing");
  assert_refused("plot build", "loom plot: DIR: build holds no sweep and no run");
}

/* ---- fabrics from files -----------------------------------------------------------------------
 */

/* As ibsim's own examples are: no LIDs, ports that are left out, two cables between switches. */
static const char two_paths[] = "Switch\t8 \"Switch1\"\n[1]\t\"Hca1\"[1]\n[3]\t\"Switch2\"[3]\n"
                                "[5]\t\"Switch2\"[5]\n\nSwitch 8 \"Switch2\"\n[1]\t\"Hca2\"[1]\n"
                                "[3]\t\"Switch1\"[3]\n[5]\t\"Switch1\"[5]\n\n"
                                "Hca\t2 \"Hca1\"\n[1]\t\"Switch1\"[1]\n\n"
                                "Hca\t2 \"Hca2\"\n[1]\t\"Switch2\"[1]\n";

#define FROM_FILE(topology, routing)                                                               \
  "---\nname: f\ntopology: {" topology "}\nrouting: {" routing "}\n"                               \
  "switch: {kind: ib, scheduler: rr, parameters: {ARB_KEY: 0}}\n" TWO

static json_t *delivered_by(const char *text) {
  write_file("from.yaml", text);
  json_t *root = json_of("run --json @", in_folder("from.yaml"), "");
  assert_delivered(root);
  return root;
}

static void assert_same_run(const char *a, const char *b) {
  json_t *left = delivered_by(a), *right = delivered_by(b);
  assert_true(json_equal(left, right));
  json_decref(left);
  json_decref(right);
}

/* A fabric without LIDs is numbered as `loom route` numbers it, and fits the tables that `loom
 * route` wrote for it. */
static void test_fabric_without_lids(void **state) {
  (void)state;
  static const char *const engines[] = {"updn", "minhop"};
  write_file("two.net", two_paths);
  for (size_t i = 0; i < 2; i++) {
    char command[60];
    snprintf(command, sizeof command, "route @ --engine %s -o @", engines[i]);
    assert_run(0, command, in_folder("two.net"), in_folder("two.lfts"));
    assert_same_run(i ? FROM_FILE("file: two.net", "engine: minhop")
                      : FROM_FILE("file: two.net", "engine: updn"),
                    FROM_FILE("file: two.net", "lfts: two.lfts"));
  }
}

/* Dimension order by the names of the switches: the torus of a file is the one that is made. */
static void test_torus_of_a_file(void **state) {
  (void)state;
  assert_run(0, "topo torus --size 4x3 --nodes 2 --trunk 2 -o @", in_folder("torus.net"), "");
  char *text = read_file(in_folder("torus.net"));
  assert_non_null(text);
  FILE *plain = fopen(in_folder("plain.net"), "w");
  assert_non_null(plain);
  for (const char *at = text; *at; at += strcspn(at, "\n") + 1)
    fprintf(plain, "%.*s\n", (int)strcspn(at, "#\n"), at);
  assert_int_equal(fclose(plain), 0);
  free(text);
  assert_same_run(FROM_FILE("kind: torus, size: 4x3, nodes: 2, trunk: 2", "engine: dor"),
                  FROM_FILE("file: torus.net", "engine: dor"));
  assert_same_run(FROM_FILE("file: torus.net", "engine: dor"),
                  FROM_FILE("file: plain.net", "engine: dor"));
}

/* The engine that is usual for a shape can route it: also a KNS whose networks are trees. */
static void test_usual_engines(void **state) {
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

/* More switches and nodes than there are LIDs: that is what is said. */
static void test_too_many_lids(void **state) {
  (void)state;
  static const char *const commands[] = {"route @ --engine dor", "run @"};
  write_file("from.yaml", FROM_FILE("file: large.net", "engine: dor"));
  assert_run(0, "topo torus --size 40x40 --nodes 40 -o @", in_folder("large.net"), "");
  for (size_t i = 0; i < 2; i++) {
    struct outcome o = run(commands[i], in_folder(i ? "from.yaml" : "large.net"), "");
    assert_int_equal(o.status, 2);
    assert_non_null(
        strstr(o.err, "large.net:0: lid: the fabric needs 65600 LIDs, there are 49151"));
    drop(&o);
  }
  remove(in_folder("large.net"));
}

/* What cannot be is blamed on a number that was given. */
static void test_shapes_that_cannot_be(void **state) {
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

/* ---- what goes wrong ------------------------------------------------------------------------- */

/* A ring without a dateline: it is refused, and taken all the same it gets stuck (TP-03). */
#define RING_OF(kind, parameters, routing, vls)                                                    \
  "---\nname: ring\ntopology: {kind: torus, size: 8, nodes: 4}\nrouting: " routing "\n"            \
  "switch: {kind: " kind ", scheduler: rr, parameters: {" parameters "}}\n"                        \
  "host: {buffer: 4096}\nclasses: [{name: A, sl: 0, " vls ", mtu: 1024}]\n"                        \
  "traffic: [{class: A, pattern: uniform, size: 1024, load: 1}]\n"                                 \
  "run: {warmup: 1000, measure: 100000, watchdog: 3000}\n...\n"

#define RING(routing) RING_OF("ib", "CELLS_IN: 16, CELLS_OUT: 16", routing, "vl: 0")

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
  /* Ports 1..4 are the hosts'. */
  assert_non_null(strstr(o.err, "  S1 port 5 output VL 0\n  S2 port 6 input VL 0\n"));
  drop(&o);
}

/* Packets that change the lane behind the dateline go on, whoever changes it: the path (SL2VL) or
 * the turn (SC2SC). */
static void test_dateline(void **state) {
  (void)state;
  static const char *const rings[] = {
      RING_OF("ib", "ARB_KEY: 0, CELLS_IN: 32, CELLS_OUT: 32", "{layering: path}", "vls: [0, 1]"),
      RING_OF("opa", "CELLS_IN: 32, CELLS_CENTRAL: 32, CELLS_OUT: 32", "{layering: turn}",
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
  struct loom_error err = {""};
  struct loom_plan_error refused = {.status = 0};
  struct fault fault = {.port = port};
  const struct loom_shadow shadow = {
      .attach = attach_fault, .stopped = begin_fault, .finish = finish_fault, .context = &fault};
  struct loom_point point;
  struct loom_config *c = loom_config_read("vectors/fabric/tree-2-2.yaml", &edit, 1, &err);
  assert_non_null(c);
  struct loom_plan *plan = loom_plan_create(&c->setup, &refused);
  assert_non_null(plan);
  loom_point_run(&point, plan, 1, &shadow, NULL, NULL);
  assert_int_equal(point.refused.status, 0);
  assert_false(loom_point_good(&point));
  const struct loom_built_counts counts = point.counts;
  loom_point_free(&point);
  loom_plan_destroy(plan);
  loom_config_free(c);
  return counts;
}

/* Packets that a switch drops, and those that come to a host that they are not for. */
static void test_wrong_tables(void **state) {
  (void)state;
  struct loom_built_counts c = counts_with_fault(LOOM_SWITCH_NOWHERE);
  assert_true(c.dropped > 0);
  assert_int_equal(c.stray, 0);
  c = counts_with_fault(0);
  assert_true(c.stray > 0);
  assert_int_equal(c.dropped, 0);
}

/* Each of these alone is enough. */
static void test_bad_points(void **state) {
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
static void test_worst_outcome(void **state) {
  (void)state;
  struct loom_error err = {""};
  static const enum loom_outcome outcome[] = {LOOM_OUTCOME_DONE, LOOM_OUTCOME_BUSY,
                                              LOOM_OUTCOME_DONE, LOOM_OUTCOME_STUCK};
  static const char *const worst[] = {"done", "busy", "unfinished", "stuck"};
  struct loom_point point[4];
  struct loom_config *c = loom_config_read("vectors/fabric/tree-2-2.yaml", NULL, 0, &err);
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
      assert_true(loom_report_make(&report, &c->setup, pair, 2));
      json_t *root = loom_report_json(&report);
      assert_string_equal(json_string_value(json_object_get(root, "outcome")),
                          worst[i > j ? i : j]);
      json_decref(root);
      loom_report_free(&report);
    }
  for (size_t i = 0; i < 4; i++)
    loom_point_free(&point[i]);
  loom_config_free(c);
}

/* What builds the circuits is said: there are none beside a test. */
static void test_no_circuits(void **state) {
  (void)state;
  struct outcome o = loom("run vectors/fabric/shadow-tree-4-3.yaml");
  assert_int_equal(o.status, 2);
  assert_non_null(strstr(o.err, "shadow: no circuits here: "));
  assert_non_null(strstr(o.err, "; `make shadow FABRIC=FILE` builds them\n"));
  drop(&o);
}

static void test_not_drained(void **state) {
  (void)state;
  struct outcome o = loom("run vectors/fabric/tree-2-2.yaml --set load=2 --set run.drain=1");
  assert_int_equal(o.status, 1);
  assert_non_null(strstr(o.err, "messages still under way after 1 cycles of drain"));
  assert_non_null(strstr(o.out, " messages under way\n"));
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
  assert_int_equal(forty,
                   replayed(WITHIN(", intra: {table: ../../vectors/vef/stencil.latencies}")));
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
  assert_int_equal(replayed(REPLAY("{" STENCIL "}", ", until: measure")), alone);
  json_t *root = json_of_text(REPLAY("{" STENCIL "}, {" COLLECTIVES ", start: 2000}, "
                                     "{" STENCIL ", start: 5000, triggers: strip}",
                                     ""));
  json_t *other = json_of_text(REPLAY("{" COLLECTIVES "}", ""));
  json_t *one = json_of_text(REPLAY("{" STENCIL "}", ""));
  assert_int_equal(count_of(json_array_get(json_object_get(root, "runs"), 0), "replayed"), late);
  assert_int_equal(count_of(root, "received"),
                   2 * count_of(one, "received") + count_of(other, "received"));
  json_decref(root);
  /* Each goes as the class that it names. */
  root = json_of_text(
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
static void test_unfinished_traces(void **state) {
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
static void test_some_seeds_unfinished(void **state) {
  (void)state;
  static const char text[] =
      "---\nname: trace\ntopology: {kind: tree, k: 2, n: 2}\nswitch: {kind: ib, scheduler: rr}\n"
      "classes: [{name: A, sl: 0, vl: 0, mtu: 128}]\n"
      "traces: [{" STENCIL ", mapping: random}]\nrun: {measure: 100000, seeds: 8}\n...\n";
  char set[80];
  json_t *root = json_of_text(text);
  const json_t *ends = json_object_get(root, "replayed");
  double least = json_number_value(json_object_get(ends, "min"));
  double most = json_number_value(json_object_get(ends, "max"));
  assert_int_equal(count_of(root, "unfinished"), 0);
  assert_true(most > least + 1);
  json_decref(root);
  snprintf(set, sizeof set, "run --set run.drain=0 --set run.measure=%.0f @", (least + most) / 2);
  struct outcome o = run(set, in_folder("replay.yaml"), "");
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
static void test_sweep_unfinished(void **state) {
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

/* What a file names is kept beside its results, so that they can be run again. */
static void test_kept_files(void **state) {
  (void)state;
  write_file("net.yaml", fabrics[6].text);
  assert_run(0, "run @ -o @", in_folder("net.yaml"), in_folder("kept"));
  assert_true(is_there("kept/kns-2-2.net"));
  assert_run(0, "run @ -o @", in_folder("kept/fabric.yaml"), in_folder("kept2"));
  assert_same_file("kept/summary.json", "kept2/summary.json");
  assert_same_file("kept/fabric.yaml", "kept2/fabric.yaml");
  /* They are results, too, as long as fabric.yaml names them. */
  assert_run(0, "run @ -o @", in_folder("net.yaml"), in_folder("kept2"));
  assert_run(0, "run @ -o @", in_folder("kept/fabric.yaml"), in_folder("kept"));
  write_file("kept/fabric.yaml", fabrics[0].text);
  assert_says("kept:0: directory: holds `kns-2-2.net`, which no run wrote\n", "run @ -o @",
              in_folder("net.yaml"), in_folder("kept"));
}

/* OpenSM's LASH: tables, and the SL of each path from its records. They are kept, too. */
static void test_path_records(void **state) {
  (void)state;
  static const char fabric[] =
      "---\nname: l\ntopology: {file: ../../vectors/net/kns-2-2.net}\n"
      "routing: {lfts: ../../vectors/net/kns-2-2-lash.lfts, path_records: lash.paths}\n"
      "switch: {kind: ib, scheduler: rr}\n"
      "classes: [{name: A, sl: 0, vls: [0, 1, 2], mtu: 128}]\n"
      "traffic: [{class: A, pattern: uniform, size: 256, load: 0.4, process: poisson}]\n"
      "run: {warmup: 200, measure: 600}\n...\n";
  struct loom_source src;
  struct loom_error err = {""};
  assert_true(loom_source_read_all(&src, "vectors/net/kns-2-2-lash.paths", &err));
  write_file("lash.paths", src.text);
  write_file("lash.yaml", fabric);
  json_t *root = json_of("run --json @ -o @", in_folder("lash.yaml"), in_folder("lash"));
  assert_delivered(root);
  json_decref(root);
  assert_true(is_there("lash/lash.paths"));
  assert_run(0, "run @ -o @", in_folder("lash/fabric.yaml"), in_folder("lash2"));
  assert_same_file("lash/summary.json", "lash2/summary.json");
  src.text[src.size / 2] = 0;
  write_file("lash.paths", src.text);
  struct outcome o = run("run @", in_folder("lash.yaml"), "");
  assert_int_equal(o.status, 2);
  assert_non_null(strstr(o.err, "lash.paths:"));
  drop(&o);
  loom_source_free(&src);
}

/* Tables and limit from opensm.conf: the same run as with tables in the file; they are kept, too.
 */
static void test_opensm(void **state) {
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
  assert_same_file("inline/summary.json", "conf/summary.json");
  assert_run(0, "run @ -o @", in_folder("conf/fabric.yaml"), in_folder("conf2"));
  assert_same_file("conf/summary.json", "conf2/summary.json");
  static const struct {
    const char *text, *why;
  } bad[] = {
      {TABLES "qos_swe_high_limit 2\n",
       "opensm.conf:0: qos_ca_vlarb_high: tables and limit of hosts must be those of switches"},
      {TABLES "qos_ca_vlarb_low 3:60,0:7\n", "opensm.conf:0: qos_ca_vlarb_high: tables and limit"},
      {TABLES "qos_swe_vlarb_high 0:9\n", "opensm.conf:0: qos_ca_vlarb_high: tables and limit"},
      {"qos_vlarb_low 0:9\n", "opensm.conf:0: qos_vlarb_high: missing"},
      {"qos_vlarb_high 0:9\n", "conf.yaml:6: opensm: class B would never be served"},
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

/* Tables and a permutation from files; who has no line in it is silent. */
static void test_named_files(void **state) {
  (void)state;
  write_file("files.yaml",
             "---\nname: l\ntopology: {file: ../../vectors/net/kns-2-2.net}\n"
             "routing: {lfts: ../../tb/fuzz/good/kns-2-2.lfts}\n"
             "switch: {kind: ib, scheduler: rr}\n"
             "classes: [{name: A, sl: 0, vl: 0, mtu: 128}]\n"
             "traffic: [{class: A, pattern: file, file: p.txt, size: 256, load: 0.4}]\n"
             "run: {warmup: 200, measure: 600}\n...\n");
  write_file("p.txt", "# a ring of three\n0 1\n1 2\n2 0\n");
  json_t *root = json_of("run --json @", in_folder("files.yaml"), "");
  assert_delivered(root);
  json_decref(root);
}

/* As the rule says it, so does the file of vectors. */
static void test_permutation(void **state) {
  (void)state;
#define REVERSAL(pattern)                                                                          \
  "---\nname: p\ntopology: {kind: tree, k: 4, n: 2}\nswitch: {kind: ib, scheduler: rr}\n"          \
  "classes: [{name: A, sl: 0, vl: 0, mtu: 128}]\n"                                                 \
  "traffic: [{class: A, " pattern                                                                  \
  ", size: 256, load: 0.4}]\nrun: {warmup: 200, measure: 600}\n...\n"
  assert_same_run(REVERSAL("pattern: reversal"),
                  REVERSAL("pattern: file, file: ../../vectors/traffic/reversal-16.perm"));
  write_file("p.perm", "# one pair, a remark after it\r\n\n \t3 12\t# that is all\r\n");
  json_t *root = delivered_by(REVERSAL("pattern: file, file: p.perm"));
  json_decref(root);
#undef REVERSAL
}

/* Of 4 hosts; nothing of a permutation file is passed over, what is wrong is named where it is. */
static void test_bad_permutations(void **state) {
  (void)state;
#define LONG "                                                                                  "
  static const struct {
    const char *text;
    size_t size; /* 0: up to the NUL */
    const char *why;
  } bad[] = {{"0 1\n0 2\n", 0, "p.txt:2: source: 0 stands in line 1, too"},
             {"0 1\n\n2 1\n", 0, "p.txt:3: destination: 1 stands in line 1, too"},
             {"0 1\n1 2", 0, "p.txt:2: line: has no newline: the file is cut short"},
             {"0 x\n", 0, "p.txt:1: destination: `x` is not a number"},
             {"-0 1\n", 0, "p.txt:1: source: `-0 1` is not a number"},
             {"0 1.5\n", 0, "p.txt:1: destination: `1.5` is not a number"},
             {"0\n", 0, "p.txt:1: destination: missing number"},
             {"0 1 2\n", 0, "p.txt:1: destination: something follows it"},
             {"0 01\n", 0, "p.txt:1: destination: number with a leading zero"},
             {"0 65536\n", 0, "p.txt:1: destination: 65536 is outside 0..65535"},
             {"# none\n", 0, "p.txt:1: line: nobody sends anything"},
             {"1 1\n", 0, "p.txt:1: line: nobody sends anything"},
             {"", 0, "p.txt:0: line: nobody sends anything"},
             {"0 1\n\0junk 99\n2 3\n", 16, "p.txt:2: source: "},
             {"0 1\n1 2\0\n", 9, "p.txt:2: destination: "},
             {"0 1" LONG "junk\n", 0, "p.txt:1: destination: something follows it"},
             {"0" LONG "1\n1" LONG "1\n", 0, "p.txt:2: destination: 1 stands in line 1, too"},
             {"# pairs: 3\n0 1\n1 2\n", 0, "p.txt:3: pairs: the file is cut short: 2 of 3 pairs"},
             {"# pairs: 1\n0 1\n1 2\n", 0, "p.txt:3: pairs: more pairs than the first line says"},
             {"# pairs: 1 x\n0 1\n", 0, "p.txt:1: pairs: something follows the number"},
             {"1 2\n0 9\n8 3\n", 0, "p.txt:2: destination: 9 is outside 0..3: there are 4 tasks"},
             {"1 2\n8 3\n0 9\n", 0, "p.txt:2: source: 8 is outside 0..3: there are 4 tasks"}};
  for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
    char line[PATH + 100];
    write_bytes("p.txt", bad[i].text, bad[i].size ? bad[i].size : strlen(bad[i].text));
    struct outcome o = run("run @", in_folder("files.yaml"), "");
    snprintf(line, sizeof line, "%s/%s", folder, bad[i].why);
    assert_int_equal(o.status, 2);
    if (strncmp(o.err, line, strlen(line)) != 0)
      assert_string_equal(o.err, line);
    drop(&o);
  }
#undef LONG
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
  mkdir(in_folder("killed/points/load=9~part77"), 0777);
  assert_run(0, "sweep @ -o @", in_folder("sweep.yaml"), in_folder("killed"));
  assert_same_file("whole/sweep.csv", "killed/sweep.csv");
  assert_false(is_there("killed/points/load=9~part77"));
}

/* The configuration goes away while the sweep runs: that is said. */
static int sweep_without_fabric(void) {
  struct outcome o = run("sweep @ -o @ --jobs 1", in_folder("gone.yaml"), in_folder("gone"));
  return strstr(o.err, "fabric-of-gone.yaml:0: file: cannot open") ? o.status : 98;
}

static void test_sweep_loses_its_fabric(void **state) {
  (void)state;
  int status = 0;
  char *text = read_file("vectors/fabric/tree-2-2.yaml");
  assert_non_null(text);
  write_file("fabric-of-gone.yaml", text);
  free(text);
  /* Many points, so that the file goes long before the last. */
  char sweep[600];
  int used = snprintf(sweep, sizeof sweep,
                      "---\nname: s\nfabric: fabric-of-gone.yaml\nset: [run.measure=20000]\n"
                      "grid:\n  - {key: load, values: [0.5, 0.6, 0.7, 0.8]}\n"
                      "  - {key: run.seed, values: [1");
  for (unsigned seed = 2; seed <= 64; seed++)
    used += snprintf(sweep + used, sizeof sweep - (size_t)used, ", %u", seed);
  snprintf(sweep + used, sizeof sweep - (size_t)used, "]}\n...\n");
  write_file("gone.yaml", sweep);
  pid_t pid = fork();
  assert_true(pid >= 0);
  if (pid == 0)
    _exit(sweep_without_fabric());
  for (unsigned i = 0; i < 2000 && !is_there("gone/points/load=0.5,run.seed=1"); i++)
    usleep(2000);
  assert_int_equal(remove(in_folder("fabric-of-gone.yaml")), 0);
  assert_int_equal(waitpid(pid, &status, 0), pid);
  assert_true(WIFEXITED(status));
  assert_int_equal(WEXITSTATUS(status), 2);
}

/* A point that gets stuck says where, has no figures, and keeps what it said. */
static void test_sweep_stuck(void **state) {
  (void)state;
  static const char circle[] = "S1 port 5 output VL 0, S2 port 6 input VL 0, ";
  write_file("ring.yaml", RING("{layering: none, allow_cycles: true}"));
  write_file("stuck.yaml",
             "---\nname: s\nfabric: ring.yaml\nset: [run.warmup=0, run.measure=9000]\n"
             "grid: [{key: load, values: [0.001, 1]}]\n...\n");
  for (unsigned i = 0; i < 2; i++) { /* the second time from what was kept */
    struct outcome o = run("sweep @ -o @", in_folder("stuck.yaml"), in_folder("stuck"));
    assert_int_equal(o.status, 1);
    assert_non_null(strstr(o.err, "loom sweep: load=1: seed 1: stuck in cycle "));
    assert_non_null(strstr(o.err, ": deadlock: "));
    assert_non_null(strstr(o.err, circle));
    assert_ptr_equal(strchr(o.err, '\n'), o.err + strlen(o.err) - 1);
    assert_non_null(strstr(o.out, "stuck             -        -          -          -\n"));
    drop(&o);
  }
  json_t *root = json_load_file(in_folder("stuck/points/load=1/summary.json"), 0, NULL);
  const json_t *runs = json_object_get(root, "runs");
  const json_t *waits = json_object_get(json_array_get(runs, 0), "waits");
  assert_int_equal(json_array_size(waits), 1 + 16);
  assert_string_equal(json_string_value(json_array_get(waits, 0)),
                      "deadlock: 16 places wait for each other in a circle");
  json_decref(root);
  char *csv = read_file(in_folder("stuck/sweep.csv"));
  assert_non_null(csv);
  const char *row = strstr(csv, "\n1,stuck,0,A,");
  assert_non_null(row);
  row += strlen("\n1,stuck,0,A,");
  row += strspn(row, "0123456789");
  assert_int_equal(strcspn(row, "\n"), strspn(row, ","));
  free(csv);
}

/* Damage is named, and what to do; so is what is in the way of a point before anything runs. */
static void test_sweep_damaged(void **state) {
  (void)state;
  static const char why[] = "damaged/points/load=0.6/summary.json:0: file: is no whole summary; "
                            "remove its directory and run again\n";
  char command[COMMAND];
  write_file("damaged.yaml", "---\nname: s\nfabric: ../../vectors/fabric/tree-2-2.yaml\n"
                             "grid: [{key: load, values: [0.5, 0.6]}]\n...\n");
  assert_run(0, "sweep @ -o @", in_folder("damaged.yaml"), in_folder("damaged"));
  write_file("damaged/points/load=0.6/summary.json", "{}\n");
  assert_says(why, "sweep @ -o @", in_folder("damaged.yaml"), in_folder("damaged"));
  assert_says(why, "plot @", in_folder("damaged"), "");
  write_file("damaged/points/load=0.6/summary.json", "{\n\"name\": ");
  assert_says("load=0.6/summary.json:2: file: is no whole summary;", "sweep @ -o @",
              in_folder("damaged.yaml"), in_folder("damaged"));
  snprintf(command, sizeof command, "rm -r %s", in_folder("damaged/points/load=0.6"));
  assert_int_equal(system(command), 0);
  assert_run(0, "sweep @ -o @", in_folder("damaged.yaml"), in_folder("damaged"));
  assert_int_equal(remove(in_folder("damaged/points/load=0.6/summary.json")), 0);
  snprintf(command, sizeof command, "rm -r %s", in_folder("damaged/points/load=0.5"));
  assert_int_equal(system(command), 0);
  assert_says("points/load=0.6:0: directory: holds no results but `fabric.yaml`\n", "sweep @ -o @",
              in_folder("damaged.yaml"), in_folder("damaged"));
  assert_false(is_there("damaged/points/load=0.5"));
  assert_run(0, "run vectors/fabric/tree-2-2.yaml --quiet -o @", in_folder("of-run"), "");
  assert_says("of-run:0: directory: holds no sweep but `fabric.yaml`\n", "sweep @ -o @",
              in_folder("damaged.yaml"), in_folder("of-run"));
}

/* As on a disk that is full. */
static int with_little_room(const char *command, const char *a, const char *b, const char *why) {
  const struct rlimit room = {4000, 4000};
  signal(SIGXFSZ, SIG_IGN);
  if (setrlimit(RLIMIT_FSIZE, &room))
    return 99;
  struct outcome o = run(command, a, b);
  return strstr(o.err, why) ? o.status : 98;
}

static int sweep_with_little_room(void) {
  return with_little_room("sweep @ -o @ --jobs 1", in_folder("sweep.yaml"), in_folder("little"),
                          "/summary.json:0: file: cannot write: ");
}

static void test_sweep_cannot_write(void **state) {
  (void)state;
  write_sweep("400");
  assert_int_equal(in_child(sweep_with_little_room), 2);
  assert_false(is_there("little/points/load=0.5,size=long"));
  assert_run(0, "sweep @ -o @", in_folder("sweep.yaml"), in_folder("little"));
  assert_same_file("s2/sweep.csv", "little/sweep.csv");
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

/* Curves that differ late, or in `-` and `_` alone, have directories and figures of their own. */
static void test_sweep_names(void **state) {
  (void)state;
  write_file("names.yaml",
             "---\nname: s\nfabric: ../../vectors/fabric/ib13-a.yaml\n"
             "set: [run.warmup=500, run.measure=1000]\ngrid:\n  - {key: load, values: [1]}\n"
             "  - name: 40-characters-that-differ-in-the-last--a\n    points:\n"
             "      - {name: its-own-twenty-six-letters-a_b}\n"
             "      - {name: its-own-twenty-six-letters-a-b, set: [\"traffic[0].load=0.9\"]}\n"
             "      - {name: its-own-twenty-six-letters-a-c}\n...\n");
  assert_run(0, "sweep @ -o @ --jobs 2", in_folder("names.yaml"), in_folder("names"));
  assert_true(is_there("names/points/load=1,40-characters-that-differ-in-the-last--a="
                       "its-own-twenty-six-letters-a-b/summary.json"));
  assert_run(0, "plot @", in_folder("names"), "");
  assert_svg("names/plots/shares-40-characters-that-differ-in-the-last--a-"
             "its-own-twenty-six-letters-a-b.svg");
  assert_svg("names/plots/shares-40-characters-that-differ-in-the-last--a-"
             "its-own-twenty-six-letters-a-b~2.svg");
  assert_svg("names/plots/shares-40-characters-that-differ-in-the-last--a-"
             "its-own-twenty-six-letters-a-c.svg");
}

/* A text of a figure. */
static void assert_shows(const char *name, const char *label) {
  char *text = read_file(in_folder(name));
  assert_non_null(text);
  if (!strstr(text, label))
    fail_msg("%s shows no %s", name, label);
  free(text);
}

/* Labels in a sweep file, and as an SVG has them; `%s`: the folder. */
static const char *const odd[][2] = {
    {"`touch %s/DONE`", "`touch %s/DONE`"},
    {"$(touch %s/DONE)", "$(touch %s/DONE)"},
    {"a''b\"c\\d\\n", "a'b\"c\\d\\n"},
    {"@x %g 100% <&>", "@x %g 100% &lt;&amp;>"},
    {"^a_b {c} ~d $0; # e", "^a_b {c} ~d $0; # e"},
};
enum { ODD = sizeof odd / sizeof odd[0], ODD_LABEL = 120 };

/* A label with the folder in it. */
static const char *odd_label(char out[ODD_LABEL], const char *label) {
  const char *at = strstr(label, "%s");
  int before = at ? (int)(at - label) : 0;
  snprintf(out, ODD_LABEL, "%.*s%s%s", before, label, at ? folder : "", at ? at + 2 : label);
  return out;
}

/* A sweep over the odd labels, with another axis before. */
static void sweep_odd(const char *name, const char *axis) {
  char text[1500], file[40], label[ODD_LABEL];
  int used = snprintf(text, sizeof text,
                      "---\nname: s\nfabric: ../../vectors/fabric/ib13-a.yaml\n"
                      "set: [run.warmup=100, run.measure=500]\ngrid:\n%s"
                      "  - name: 'of `touch %s/DONE`'\n    points:\n",
                      axis, folder);
  for (size_t i = 0; i < ODD; i++)
    used += snprintf(text + used, sizeof text - (size_t)used, "      - {name: '%s'}\n",
                     odd_label(label, odd[i][0]));
  snprintf(text + used, sizeof text - (size_t)used, "...\n");
  snprintf(file, sizeof file, "%s.yaml", name);
  write_file(file, text);
  assert_run(0, "sweep @ -o @", in_folder(file), in_folder(name));
}

/* Names are shown as they are, and nothing in them is done: as curves, titles, places of an axis,
 * axes, directories. */
static void test_plot_of_odd_names(void **state) {
  (void)state;
  char label[ODD_LABEL], title[2 * ODD_LABEL];
  sweep_odd("curves", "  - {key: load, values: [1]}\n");
  sweep_odd("places", "");
  assert_run(0, "plot @", in_folder("curves"), "");
  assert_false(is_there("DONE"));
  assert_run(0, "plot @ -o @", in_folder("places"), in_folder("a'b\\c\"d`touch"));
  for (size_t i = 0; i < ODD; i++) {
    assert_shows("curves/plots/throughput.svg", odd_label(label, odd[i][1]));
    assert_shows("a'b\\c\"d`touch/throughput.svg", label);
  }
  snprintf(title, sizeof title, ">of `touch %s/DONE`<", folder);
  assert_shows("a'b\\c\"d`touch/throughput.svg", title);
  snprintf(title, sizeof title, "of `touch %s/DONE` a'b\"c\\d\\n<", folder);
  snprintf(label, sizeof label, "curves/plots/shares-of--touch-%s-DONE--a-b-c-d-n.svg", folder);
  *strchr(label + strlen("curves/plots/"), '/') = '-';
  assert_shows(label, title);
  assert_false(is_there("DONE"));
}

/* What no name has, but a file that somebody changed. */
static void test_text_of_figures(void **state) {
  (void)state;
  char *text = NULL;
  size_t size = 0;
  FILE *out = open_memstream(&text, &size);
  assert_non_null(out);
  loom_figure_text("set title ", "a\nb\tc\033'`d`\177", out);
  loom_figure_tic("5%", 7, out);
  assert_int_equal(fclose(out), 0);
  assert_string_equal(text, "set title 'a'.\"\\n\".'b?c?''`d`?''5%%' 7");
  free(text);
}

/* No two look the same. */
static void test_curves_differ(void **state) {
  (void)state;
  const struct loom_figure_page page = {.title = "t", .unit = "u", .curves = LOOM_FIGURE_CURVES};
  char *text = NULL, *rest = NULL, *style[LOOM_FIGURE_CURVES];
  size_t size = 0, curves = 0;
  FILE *out = open_memstream(&text, &size);
  assert_non_null(out);
  loom_figure_page(&page, out);
  assert_int_equal(fclose(out), 0);
  for (char *line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
    unsigned number = 0;
    int used = 0;
    if (sscanf(line, "set linetype %u %n", &number, &used) != 1)
      continue;
    assert_true(curves < LOOM_FIGURE_CURVES);
    assert_int_equal(number, loom_figure_curve(curves));
    style[curves] = line + used;
    for (size_t c = 0; c < curves; c++)
      assert_string_not_equal(style[c], style[curves]);
    curves++;
  }
  assert_int_equal(curves, LOOM_FIGURE_CURVES);
  free(text);
}

/* The files in a directory. */
static unsigned files_in(const char *name) {
  unsigned files = 0;
  DIR *dir = opendir(in_folder(name));
  assert_non_null(dir);
  for (const struct dirent *e; (e = readdir(dir)) != NULL;)
    files += e->d_name[0] != '.';
  closedir(dir);
  return files;
}

static int plot_with_little_room(void) {
  return with_little_room("plot @ -o @", in_folder("s2"), in_folder("room"),
                          "room/throughput.svg:0: file: cannot write: ");
}

/* A figure that cannot be written as a whole is not there, and that is said. */
static void test_plot_cannot_write(void **state) {
  (void)state;
  char path[4096];
  const char *found = getenv("PATH");
  assert_int_equal(in_child(plot_with_little_room), 2);
  assert_int_equal(files_in("room"), 0);
  mkdir(in_folder("full"), 0777);
  assert_int_equal(symlink("/dev/full", in_folder("full/throughput.svg")), 0);
  assert_says("full/throughput.svg:0: file: cannot write: No space left on device\n", "plot @ -o @",
              in_folder("s2"), in_folder("full"));
  /* A gnuplot that ends too early, and says that all is well. */
  mkdir(in_folder("bin"), 0777);
  write_file("bin/gnuplot", "#!/bin/sh\necho '<svg>'\n");
  assert_int_equal(chmod(in_folder("bin/gnuplot"), 0755), 0);
  assert_non_null(found);
  snprintf(path, sizeof path, "%s", found);
  setenv("PATH", in_folder("bin"), 1);
  struct outcome o = run("plot @ -o @", in_folder("s2"), in_folder("room"));
  setenv("PATH", path, 1);
  assert_int_equal(o.status, 2);
  assert_string_equal(o.err, "loom plot: gnuplot: could not draw throughput.svg\n");
  assert_int_equal(files_in("room"), 0);
  drop(&o);
}

#define SERIES "seed,cycle,class,offered_flits,flits,messages,total_mean,net_mean\n"

/* A single run over time, classes and seeds together; what is no whole run is refused. */
static void test_plot_run(void **state) {
  (void)state;
  static const char *const bad[][2] = {
      {"", "1: series: is no head of a series"},
      {"garbage\n", "1: series: is no head of a series"},
      {"seed,cycle\n1,2,A\n", "1: series: is no head of a series"},
      {SERIES, "1: series: has no rows: run.interval was 0"},
      {SERIES "1,9,A,1,1,1,1.0,1.0\ngarbage\n", "3: series: is no row of a series"},
      {SERIES "1,9,A,1,1,1,1.0,1.0,7\n", "2: series: is no row of a series"},
      {SERIES "1,9,A,1,1,1,1.0,\n1.0\n", "2: series: is no row of a series"},
      {SERIES "1,9,A,1,1,1,nan,1.0\n", "2: series: is no row of a series"},
      {SERIES "1,9,A,1,-1,1,1.0,1.0\n", "2: series: is no row of a series"},
      {SERIES "1,0,A,1,1,1,1.0,1.0\n", "2: series: ends before the row above"},
      {SERIES "1,9,A,1,1,1,1.0,1.0\n1,8,A,1,1,1,1.0,1.0\n", "3: series: ends before the row above"},
      {SERIES "1,9,A,1,1,1,1.0,1.0", "2: series: is cut short"}};
  char why[200];
  assert_run(0, "run vectors/fabric/tree-2-2.yaml --seeds 2 --quiet -o @", in_folder("single"), "");
  assert_run(0, "plot @", in_folder("single"), "");
  assert_svg("single/plots/throughput.svg");
  assert_svg("single/plots/latency.svg");
  assert_svg("single/plots/network-latency.svg");
  assert_run(2, "plot @ -x load", in_folder("single"), "");
  for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
    write_file("single/series.csv", bad[i][0]);
    snprintf(why, sizeof why, "single/series.csv:%s\n", bad[i][1]);
    assert_says(why, "plot @", in_folder("single"), "");
  }
  write_file("single/summary.json", "{}");
  assert_says("single/summary.json:0: file: is no whole summary; ", "plot @", in_folder("single"),
              "");
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
      cmocka_unit_test(test_errors_in_the_table),
      cmocka_unit_test(test_rate_of_errors),
      cmocka_unit_test(test_latencies_of_links),
      cmocka_unit_test(test_same_bits),
      cmocka_unit_test(test_other_seed),
      cmocka_unit_test(test_what_seeds_change),
      cmocka_unit_test(test_summary),
      cmocka_unit_test(test_figures),
      cmocka_unit_test(test_results_directory),
      cmocka_unit_test(test_results_beside_others),
      cmocka_unit_test(test_results_through_link),
      cmocka_unit_test(test_results_without_permission),
      cmocka_unit_test(test_refusals),
      cmocka_unit_test(test_fabric_without_lids),
      cmocka_unit_test(test_torus_of_a_file),
      cmocka_unit_test(test_usual_engines),
      cmocka_unit_test(test_too_many_lids),
      cmocka_unit_test(test_shapes_that_cannot_be),
      cmocka_unit_test(test_deadlock),
      cmocka_unit_test(test_dateline),
      cmocka_unit_test(test_wrong_tables),
      cmocka_unit_test(test_bad_points),
      cmocka_unit_test(test_worst_outcome),
      cmocka_unit_test(test_no_circuits),
      cmocka_unit_test(test_not_drained),
      cmocka_unit_test(test_traces),
      cmocka_unit_test(test_triggers),
      cmocka_unit_test(test_intra),
      cmocka_unit_test(test_trace_names),
      cmocka_unit_test(test_trace_files),
      cmocka_unit_test(test_collectives),
      cmocka_unit_test(test_several_traces),
      cmocka_unit_test(test_unfinished_traces),
      cmocka_unit_test(test_some_seeds_unfinished),
      cmocka_unit_test(test_sweep_unfinished),
      cmocka_unit_test(test_kept_files),
      cmocka_unit_test(test_path_records),
      cmocka_unit_test(test_opensm),
      cmocka_unit_test(test_named_files),
      cmocka_unit_test(test_permutation),
      cmocka_unit_test(test_bad_permutations),
      cmocka_unit_test(test_sweep),
      cmocka_unit_test(test_sweep_goes_on),
      cmocka_unit_test(test_sweep_of_another_configuration),
      cmocka_unit_test(test_sweep_killed),
      cmocka_unit_test(test_sweep_names),
      cmocka_unit_test(test_sweep_loses_its_fabric),
      cmocka_unit_test(test_sweep_stuck),
      cmocka_unit_test(test_sweep_damaged),
      cmocka_unit_test(test_sweep_cannot_write),
      cmocka_unit_test(test_plot),
      cmocka_unit_test(test_plot_of_odd_names),
      cmocka_unit_test(test_text_of_figures),
      cmocka_unit_test(test_curves_differ),
      cmocka_unit_test(test_plot_cannot_write),
      cmocka_unit_test(test_plot_run),
      cmocka_unit_test(test_plot_without_gnuplot),
  };
  return cmocka_run_group_tests_name("run", tests, make_folder, remove_folder);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* run_bench.c - the commands loom run, sweep and plot in a folder of their own, and what they leave
 * there */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <dirent.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tb/unit/run_bench.h"

char bench_folder[SCRATCH_FOLDER];

/* ---- files ----------------------------------------------------------------------------------- */

const char *in_folder(const char *name) {
  static char path[4][PATH];
  static unsigned next;
  char *out = path[next++ % 4];
  snprintf(out, PATH, "%s/%s", bench_folder, name);
  return out;
}

void write_file(const char *name, const char *text) { scratch_write(in_folder(name), text); }

/* The caller's. */
char *read_file(const char *path) {
  FILE *file = fopen(path, "rb");
  if (!file)
    return NULL;
  char *text = calloc(1, 1 << 20);
  assert_non_null(text);
  assert_true(fread(text, 1, (1 << 20) - 1, file) < (1 << 20) - 1);
  fclose(file);
  return text;
}

bool is_there(const char *name) { return !access(in_folder(name), R_OK); }

void assert_same_file(const char *a, const char *b) {
  char *left = read_file(in_folder(a)), *right = read_file(in_folder(b));
  assert_non_null(left);
  assert_non_null(right);
  assert_string_equal(left, right);
  free(left);
  free(right);
}

int remove_folder(void **state) {
  char command[COMMAND];
  (void)state;
  snprintf(command, sizeof command, "rm -rf %s", bench_folder);
  return system(command);
}

int make_folder(void **state) {
  (void)state;
  scratch_make(bench_folder);
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

struct outcome run(const char *command, const char *a, const char *b) {
  char line[COMMAND];
  return loom(filled(line, command, a, b));
}

void assert_run(int status, const char *command, const char *a, const char *b) {
  struct outcome o = run(command, a, b);
  if (o.status != status)
    fprintf(stderr, "%s\n", o.err);
  assert_int_equal(o.status, status);
  drop(&o);
}

/* It is one line, but for those that show a place in a file, which are indented. */
static void assert_one_line(const char *text) {
  const char *end = strchr(text, '\n');
  assert_non_null(end);
  for (; end[1]; end = strchr(end + 1, '\n')) {
    assert_int_equal(strncmp(end + 1, "  ", 2), 0);
    assert_non_null(strchr(end + 1, '\n'));
  }
}

/* It is refused, and what it says has `why` in it. */
void assert_says(const char *why, const char *command, const char *a, const char *b) {
  struct outcome o = run(command, a, b);
  assert_int_equal(o.status, 2);
  if (!strstr(o.err, why))
    assert_string_equal(o.err, why);
  assert_one_line(o.err);
  drop(&o);
}

/* The first process that `pid` has started; 0: it has none. */
pid_t child_of(pid_t pid) {
  char path[64], text[64] = "";
  snprintf(path, sizeof path, "/proc/%d/task/%d/children", (int)pid, (int)pid);
  FILE *file = fopen(path, "r");
  assert_non_null(file);
  size_t size = fread(text, 1, sizeof text - 1, file);
  fclose(file);
  text[size] = 0;
  return (pid_t)strtol(text, NULL, 10);
}

/* `act` in a process of its own; what it gives. */
int in_child(int act(void)) {
  int status = 0;
  pid_t pid = fork();
  assert_true(pid >= 0);
  if (pid == 0)
    _exit(act());
  assert_int_equal(waitpid(pid, &status, 0), pid);
  assert_true(WIFEXITED(status));
  return WEXITSTATUS(status);
}

/* As on a disk that is full. */
int with_little_room(const char *command, const char *a, const char *b, const char *why) {
  const struct rlimit room = {4000, 4000};
  signal(SIGXFSZ, SIG_IGN);
  if (setrlimit(RLIMIT_FSIZE, &room))
    return 99;
  struct outcome o = run(command, a, b);
  return strstr(o.err, why) ? o.status : 98;
}

/* ---- what comes of it ------------------------------------------------------------------------ */

/* Everything was delivered whole, and something was. */
void assert_delivered(const json_t *root) {
  assert_string_equal(json_string_value(json_object_get(root, "outcome")), "done");
  assert_int_equal(count_of(root, "lost"), 0);
  assert_int_equal(count_of(root, "under_way"), 0);
  assert_int_equal(count_of(root, "dropped"), 0);
  assert_int_equal(count_of(root, "stray"), 0);
  assert_int_equal(count_of(root, "posted"), count_of(root, "received"));
  assert_true(count_of(root, "received") > 0);
  assert_true(count_of(root, "flit_hops") > 0);
}

double mean_of(const json_t *class, const char *metric) {
  const json_t *mean = json_object_get(json_object_get(class, metric), "mean");
  assert_true(json_is_number(mean));
  return json_number_value(mean);
}

json_t *json_of(const char *command, const char *a, const char *b) {
  char line[COMMAND];
  return run_json(filled(line, command, a, b));
}

json_t *delivered_by(const char *text) {
  write_file("from.yaml", text);
  json_t *root = json_of("run --json @", in_folder("from.yaml"), "");
  assert_delivered(root);
  return root;
}

void assert_same_figures(json_t *left, json_t *right) {
  static const char *const own[] = {"command", "configuration"};
  for (unsigned k = 0; k < 2; k++) {
    assert_int_equal(json_object_del(left, own[k]), 0);
    assert_int_equal(json_object_del(right, own[k]), 0);
  }
  assert_true(json_equal(left, right));
  json_decref(left);
  json_decref(right);
}

void assert_same_summary(const char *a, const char *b) {
  json_t *left = json_load_file(in_folder(a), 0, NULL);
  assert_same_figures(left, json_load_file(in_folder(b), 0, NULL));
}

void assert_same_run(const char *a, const char *b) {
  json_t *left = delivered_by(a);
  assert_same_figures(left, delivered_by(b));
}

void write_sweep(const char *measure) {
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

/* SPDX-License-Identifier: Apache-2.0 */
/* The command `loom sweep` on tiny fabrics (docs/fabric.md): points are done once, go on after an
 * interrupt and end with the same bits, and what is wrong with one is said (TP-03). */
#define _GNU_SOURCE /* kill, usleep, setrlimit */

#include "tb/unit/unit.h"

#include <jansson.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tb/unit/run_bench.h"

static void a_sweep_gives_the_same_bits_whatever_the_number_of_jobs(void **state) {
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
static void a_sweep_keeps_its_finished_points_and_does_the_missing(void **state) {
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

/* A sweep with this name over these loads. */
static void write_loads(const char *name, const char *loads, const char *measure) {
  char text[COMMAND];
  snprintf(text, sizeof text,
           "---\nname: %s\nfabric: ../../vectors/fabric/tree-2-2.yaml\n"
           "set: [run.warmup=0, run.measure=%s]\ngrid: [{key: load, values: [%s]}]\n...\n",
           name, measure, loads);
  write_file("loads.yaml", text);
}

static void assert_sweep_of_loads(const char *folder) {
  assert_run(0, "sweep @ -o @", in_folder("loads.yaml"), in_folder(folder));
}

static void a_sweep_with_new_values_runs_only_the_new_points(void **state) {
  (void)state;
  struct stat before, after;
  write_loads("grows", "0.5, 0.7, 0.9", "400");
  assert_sweep_of_loads("at-once");
  write_loads("grows", "0.5, 0.8, 0.9", "400");
  assert_sweep_of_loads("grown");
  assert_int_equal(stat(in_folder("grown/points/load=0.9"), &before), 0);
  write_loads("grows", "0.5, 0.7, 0.9", "400");
  assert_sweep_of_loads("grown");
  assert_int_equal(stat(in_folder("grown/points/load=0.9"), &after), 0);
  assert_int_equal(before.st_ino, after.st_ino);
  assert_same_file("at-once/sweep.csv", "grown/sweep.csv");
  assert_same_file("at-once/sweep.json", "grown/sweep.json");
  assert_true(is_there("grown/points/load=0.8/summary.json"));
}

/* Points that are there, those that would be run, and not a byte on the disk. */
static void a_dry_sweep_says_which_points_are_missing_and_writes_nothing(void **state) {
  (void)state;
  write_loads("dry", "0.5, 0.8", "400");
  json_t *all = json_of("sweep @ -o @ --dry-run --json", in_folder("loads.yaml"), in_folder("dry"));
  const json_t *first = json_array_get(json_object_get(all, "points"), 0);
  assert_int_equal(json_array_size(json_object_get(all, "points")), 2);
  assert_false(json_is_true(json_object_get(first, "there")));
  assert_false(is_there("dry"));
  json_decref(all);
  assert_sweep_of_loads("dry");
  write_loads("dry", "0.5, 0.7, 0.8", "400");
  json_t *grown =
      json_of("sweep @ -o @ --dry-run --json", in_folder("loads.yaml"), in_folder("dry"));
  const json_t *points = json_object_get(grown, "points");
  for (size_t p = 0; p < 3; p++)
    assert_int_equal(json_is_true(json_object_get(json_array_get(points, p), "there")), p != 1);
  assert_string_equal(json_string_value(json_object_get(json_array_get(points, 1), "name")),
                      "load=0.7");
  assert_false(is_there("dry/points/load=0.7"));
  json_decref(grown);
}

static void a_sweep_refuses_points_of_another_configuration(void **state) {
  (void)state;
  write_loads("grows", "0.4, 0.9", "401");
  assert_says("/at-once/points/load=0.9 holds the results of another configuration\n",
              "sweep @ -o @", in_folder("loads.yaml"), in_folder("at-once"));
  assert_false(is_there("at-once/points/load=0.4"));
  write_loads("other", "0.4", "400");
  assert_says("/at-once holds the results of another sweep\n", "sweep @ -o @",
              in_folder("loads.yaml"), in_folder("at-once"));
  write_file("at-once/sweep.json", "{\"name\": \"other\", \"loom\": \"0.1\"}\n");
  assert_says("/at-once was made by another version of Loom\n", "sweep @ -o @",
              in_folder("loads.yaml"), in_folder("at-once"));
}

/* A file that the fabric file names counts as much as the file itself. */
static void a_sweep_refuses_points_whose_trace_was_another(void **state) {
  (void)state;
  write_file("trace.yaml", "---\nname: s\nfabric: ../../vectors/fabric/trace-8-2.yaml\n"
                           "grid: [{key: run.seed, values: [1]}]\n...\n");
  assert_run(0, "sweep @ -o @", in_folder("trace.yaml"), in_folder("traces"));
  assert_run(0, "sweep @ -o @", in_folder("trace.yaml"), in_folder("traces"));
  write_file("traces/points/run.seed=1/trace-8-2.vef", "");
  assert_says("/traces/points/run.seed=1 holds the results of another configuration\n",
              "sweep @ -o @", in_folder("trace.yaml"), in_folder("traces"));
}

/* The command line changes what the file's `set` says, and not what an axis says. */
static void changes_of_the_command_line_stand_between_file_and_axis(void **state) {
  (void)state;
  write_loads("said", "0.5", "300");
  assert_sweep_of_loads("said-by-file");
  write_loads("said", "0.5", "400");
  assert_run(0, "sweep @ -o @ -j 1 --set run.measure=300 --seeds 1", in_folder("loads.yaml"),
             in_folder("said-by-command"));
  assert_same_file("said-by-file/points/load=0.5/series.csv",
                   "said-by-command/points/load=0.5/series.csv");
  write_file("axis.yaml", "---\nname: said\nfabric: ../../vectors/fabric/tree-2-2.yaml\n"
                          "set: [run.warmup=0]\ngrid: [{key: run.measure, values: [300]}]\n...\n");
  assert_run(0, "sweep @ -o @ --set run.measure=900 --set load=0.5", in_folder("axis.yaml"),
             in_folder("said-by-axis"));
  assert_same_file("said-by-file/points/load=0.5/series.csv",
                   "said-by-axis/points/run.measure=300/series.csv");
}

static void a_sweep_says_in_json_what_its_files_hold(void **state) {
  (void)state;
  json_t *said = json_of("sweep @ -o @ --json", in_folder("loads.yaml"), in_folder("said-json"));
  json_t *held = json_load_file(in_folder("said-json/sweep.json"), 0, NULL);
  json_t *summary = json_load_file(in_folder("said-json/points/load=0.5/summary.json"), 0, NULL);
  assert_non_null(summary);
  json_object_set_new(json_array_get(json_object_get(held, "points"), 0), "summary", summary);
  assert_true(json_equal(said, held));
  json_decref(said);
  json_decref(held);
}

static void a_sweep_refuses_a_directory_of_anything_else(void **state) {
  (void)state;
  write_sweep("401");
  mkdir(in_folder("other"), 0777);
  write_file("other/file", "precious\n");
  assert_run(2, "sweep @ -o @", in_folder("sweep.yaml"), in_folder("other"));
}

/* A sweep that is killed goes on where it was, and ends with the same bits. */
static void a_killed_sweep_goes_on_and_ends_with_the_same_bits(void **state) {
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

/* The status, if the one line on stderr begins so. */
static int sweep_of_gone(const char *folder, const char *message) {
  struct outcome o = run("sweep @ -o @ --jobs 1", in_folder("gone.yaml"), in_folder(folder));
  const char *said = strstr(o.err, message);
  return said && strchr(o.err, '\n') == o.err + strlen(o.err) - 1 ? o.status : 98;
}

/* A sweep whose fabric file becomes another one, or NULL goes, after the first point. */
static void assert_sweep_ends_with_its_fabric(const char *folder, const char *other,
                                              const char *message) {
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
    _exit(sweep_of_gone(folder, message));
  char first[200];
  snprintf(first, sizeof first, "%s/points/load=0.5,run.seed=1", folder);
  for (unsigned i = 0; i < 2000 && !is_there(first); i++)
    usleep(2000);
  if (other)
    write_file("fabric-of-gone.yaml", other);
  else
    assert_int_equal(remove(in_folder("fabric-of-gone.yaml")), 0);
  assert_int_equal(waitpid(pid, &status, 0), pid);
  assert_true(WIFEXITED(status));
  assert_int_equal(WEXITSTATUS(status), 2);
}

/* The configuration goes away while the sweep runs: that is said. */
static void a_sweep_that_loses_its_fabric_file_ends_with_status_2(void **state) {
  (void)state;
  assert_sweep_ends_with_its_fabric("gone", NULL, "fabric-of-gone.yaml:0: file: cannot open");
}

/* It is written anew meanwhile: no point is kept of another configuration. */
static void a_sweep_whose_fabric_file_changes_ends_with_status_2(void **state) {
  (void)state;
  assert_sweep_ends_with_its_fabric(
      "changed", TINY_TREE,
      "fabric-of-gone.yaml:0: file: it, or a file that it names, was changed in the sweep\n");
}

/* A point that gets stuck says where, has no figures, and keeps what it said. */
static void a_point_that_gets_stuck_says_where_and_has_no_figures(void **state) {
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
static void damaged_results_of_a_sweep_are_named_before_anything_runs(void **state) {
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

static void names_with_commas_are_quoted_in_head_and_rows_of_sweep_csv(void **state) {
  (void)state;
  write_file("quoted.yaml", "---\nname: s\nfabric: ../../vectors/fabric/tree-2-2.yaml\n"
                            "set: [run.warmup=0, run.measure=100]\n"
                            "grid:\n  - name: sched, kind\n    points:\n"
                            "      - {name: 'rr, \"plain\"', set: [switch.scheduler=rr]}\n...\n");
  assert_run(0, "sweep @ -o @", in_folder("quoted.yaml"), in_folder("quoted"));
  char *csv = read_file(in_folder("quoted/sweep.csv"));
  assert_non_null(csv);
  static const char head[] = "\"sched, kind\",outcome,lost,class,messages,";
  static const char row[] = "\n\"rr, \"\"plain\"\"\",done,0,";
  assert_int_equal(strncmp(csv, head, sizeof head - 1), 0);
  assert_int_equal(strncmp(strchr(csv, '\n'), row, sizeof row - 1), 0);
  free(csv);
}

/* A process may have a second of time: one point takes less, the other has no end. */
static int sweep_with_little_time(void) {
  const struct rlimit second = {.rlim_cur = 1, .rlim_max = 60};
  setrlimit(RLIMIT_CPU, &second);
  struct outcome o = run("sweep @ -o @ --jobs 2", in_folder("time.yaml"), in_folder("time"));
  bool says = strstr(o.err, "loom sweep: length=endless: run 1 of 1: its process was killed twice, "
                            "by signal ") &&
              strchr(o.err, '\n') == o.err + strlen(o.err) - 1;
  bool shows = strstr(o.out, "length=endless") && strstr(o.out, " failed");
  return says && shows ? o.status : 98;
}

static void a_killed_worker_fails_its_point_and_no_other(void **state) {
  (void)state;
  write_file("time.yaml", "---\nname: s\nfabric: ../../vectors/fabric/tree-2-2.yaml\n"
                          "set: [run.warmup=0]\ngrid:\n  - name: length\n    points:\n"
                          "      - {name: endless, set: [run.measure=1000000000000]}\n"
                          "      - {name: short, set: [run.measure=100]}\n...\n");
  assert_int_equal(in_child(sweep_with_little_time), 1);
  assert_false(is_there("time/points/length=endless"));
  assert_true(is_there("time/points/length=short/summary.json"));
  char *csv = read_file(in_folder("time/sweep.csv"));
  assert_non_null(csv);
  const char *row = strstr(csv, "\nendless,failed,,all,,");
  assert_non_null(row);
  const char *next = strchr(row + 1, '\n');
  unsigned commas = 0, wanted = 0; /* as many fields as the head has */
  for (const char *c = row + 1; c < next; c++)
    commas += *c == ',';
  for (const char *c = csv; *c != '\n'; c++)
    wanted += *c == ',';
  assert_int_equal(commas, wanted);
  assert_non_null(strstr(next, "\nshort,done,0,A,"));
  free(csv);
}

static void a_point_whose_worker_is_killed_once_is_done_again(void **state) {
  (void)state;
  int status = 0;
  pid_t child = 0;
  write_sweep("20000");
  assert_run(0, "sweep @ -o @", in_folder("sweep.yaml"), in_folder("calm"));
  pid_t pid = fork();
  assert_true(pid >= 0);
  if (pid == 0) {
    struct outcome o = run("sweep @ -o @ --jobs 1", in_folder("sweep.yaml"), in_folder("once"));
    _exit(o.err[0] ? 98 : o.status);
  }
  for (unsigned i = 0; i < 2000 && !child; i++) {
    usleep(1000);
    child = child_of(pid);
  }
  assert_true(child > 0);
  kill(child, SIGKILL);
  assert_int_equal(waitpid(pid, &status, 0), pid);
  assert_true(WIFEXITED(status));
  assert_int_equal(WEXITSTATUS(status), 0);
  assert_same_file("calm/sweep.csv", "once/sweep.csv");
}

static void a_sweep_that_is_interrupted_says_what_is_done_and_goes_on(void **state) {
  (void)state;
  int status = 0;
  char text[COMMAND];
  write_sweep("20000");
  pid_t pid = fork();
  assert_true(pid >= 0);
  if (pid == 0) {
    struct outcome o = run("sweep @ -o @ --jobs 1", in_folder("sweep.yaml"), in_folder("broken"));
    write_file("broken.txt", o.err);
    _exit(o.status);
  }
  for (unsigned i = 0; i < 5000 && !is_there("broken/points/load=0.5,size=long"); i++)
    usleep(1000);
  kill(pid, SIGINT);
  assert_int_equal(waitpid(pid, &status, 0), pid);
  assert_true(WIFEXITED(status));
  assert_int_equal(WEXITSTATUS(status), 1);
  char *said = read_file(in_folder("broken.txt"));
  assert_non_null(said);
  assert_non_null(strstr(said, "loom sweep: runs: ended by signal 2 (Interrupt); "));
  snprintf(text, sizeof text,
           " of 6 points are done and kept in %s; the same command does the rest\n",
           in_folder("broken"));
  assert_non_null(strstr(said, text));
  free(said);
  assert_false(is_there("broken/sweep.csv"));
  assert_run(0, "sweep @ -o @", in_folder("sweep.yaml"), in_folder("broken"));
  assert_same_file("calm/sweep.csv", "broken/sweep.csv");
}

static int sweep_with_little_room(void) {
  return with_little_room("sweep @ -o @ --jobs 1", in_folder("sweep.yaml"), in_folder("little"),
                          "/summary.json:0: file: cannot write: ");
}

static void a_point_that_cannot_be_written_is_not_there(void **state) {
  (void)state;
  write_sweep("400");
  assert_int_equal(in_child(sweep_with_little_room), 2);
  assert_false(is_there("little/points/load=0.5,size=long"));
  assert_run(0, "sweep @ -o @", in_folder("sweep.yaml"), in_folder("little"));
  assert_same_file("s2/sweep.csv", "little/sweep.csv");
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_sweep_gives_the_same_bits_whatever_the_number_of_jobs),
      cmocka_unit_test(names_with_commas_are_quoted_in_head_and_rows_of_sweep_csv),
      cmocka_unit_test(a_sweep_keeps_its_finished_points_and_does_the_missing),
      cmocka_unit_test(a_sweep_with_new_values_runs_only_the_new_points),
      cmocka_unit_test(a_dry_sweep_says_which_points_are_missing_and_writes_nothing),
      cmocka_unit_test(a_sweep_refuses_points_of_another_configuration),
      cmocka_unit_test(a_sweep_refuses_points_whose_trace_was_another),
      cmocka_unit_test(changes_of_the_command_line_stand_between_file_and_axis),
      cmocka_unit_test(a_sweep_says_in_json_what_its_files_hold),
      cmocka_unit_test(a_sweep_refuses_a_directory_of_anything_else),
      cmocka_unit_test(a_killed_sweep_goes_on_and_ends_with_the_same_bits),
      cmocka_unit_test(a_sweep_that_loses_its_fabric_file_ends_with_status_2),
      cmocka_unit_test(a_sweep_whose_fabric_file_changes_ends_with_status_2),
      cmocka_unit_test(a_point_that_gets_stuck_says_where_and_has_no_figures),
      cmocka_unit_test(damaged_results_of_a_sweep_are_named_before_anything_runs),
      cmocka_unit_test(a_point_that_cannot_be_written_is_not_there),
      cmocka_unit_test(a_killed_worker_fails_its_point_and_no_other),
      cmocka_unit_test(a_point_whose_worker_is_killed_once_is_done_again),
      cmocka_unit_test(a_sweep_that_is_interrupted_says_what_is_done_and_goes_on),
  };
  return UNIT_RUN("sweep", tests, make_folder, remove_folder);
}

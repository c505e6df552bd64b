/* SPDX-License-Identifier: Apache-2.0 */
/* The command loom: what it prints, in text and JSON, its refusals and its exit status. */
#define _GNU_SOURCE /* open_memstream */

#include "tb/unit/unit.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "io/read_vlarb.h"
#include "tb/unit/cli_run.h"

#define PAPERS "vectors/papers/"
#define TABLES_A "--high " PAPERS "tab6.1-a-high.csv --low " PAPERS "tab6.1-a-low.csv "
#define UNIT_A TABLES_A "--mode unit "

static double number(const json_t *object, const char *key) {
  const json_t *value = json_object_get(object, key);
  assert_true(json_is_number(value));
  return json_number_value(value);
}

static void assert_near(double a, double b, double by) {
  if (fabs(a - b) > by)
    fail_msg("%.10g is not within %g of %.10g", a, by, b);
}

static void vlarb_analyze_prints_shares_and_distances_as_json(void **state) {
  (void)state;
  static const double share[] = {45.7159, 27.3603, 18.3556, 8.5683};
  static const double avg[] = {2.258, 4.516, 4.516, 8.758};
  static const int max[] = {3, 5, 5, 9};
  static const char *const options[] = {"--runs 300 --json", "--runs 300 --packet 4096 --json",
                                        "--json --runs 300 --limit 1 --mode unit --packet 64"};
  for (unsigned i = 0; i < 3; i++) {
    char line[300];
    snprintf(line, sizeof line, "vlarb analyze " UNIT_A "%s", options[i]);
    json_t *root = run_json(line);
    assert_int_equal(json_object_size(root), 2);
    assert_int_equal(number(root, "low_turns"), 2474);
    json_t *list = json_object_get(root, "vl");
    assert_int_equal(json_array_size(list), 4);
    for (unsigned vl = 0; vl < 4; vl++) {
      json_t *v = json_array_get(list, vl);
      assert_int_equal(json_object_size(v), 5);
      assert_int_equal(number(v, "vl"), vl);
      assert_near(number(v, "share"), share[vl], 0.00005);
      assert_near(number(v, "distance_avg"), avg[vl], 0.0005);
      assert_int_equal(number(v, "distance_max"), max[vl]);
    }
    assert_int_equal(number(json_array_get(list, 3), "packets"), 14844);
    json_decref(root);
  }
}

static double share_of_sl3(const char *options) {
  char line[300];
  snprintf(line, sizeof line, "vlarb analyze " TABLES_A "--json %s", options);
  json_t *root = run_json(line);
  double share = number(json_array_get(json_object_get(root, "vl"), 3), "share");
  json_decref(root);
  return share;
}

/* Each option does what it says; the defaults are limit 1, 30 runs, roundup, 4096 bytes, by entry:
 * InfiniBand's rule with its usual MTU. */
static void each_option_of_vlarb_analyze_does_what_it_says(void **state) {
  (void)state;
  assert_near(share_of_sl3("--runs 3000"), 50.0, 0.05);
  assert_near(share_of_sl3("--limit 1 --runs 30 --mode roundup --packet 4096 --low-grant entry"),
              share_of_sl3(""), 0);
  assert_near(share_of_sl3("--mode unit"), 8.5556, 0.00005);
  assert_near(share_of_sl3("--mode unit --runs 1"), 8.3333, 0.00005);
  assert_near(share_of_sl3("--mode unit --runs 300 --limit 16"), 0.580, 0.0005);
  assert_near(share_of_sl3("--mode unit --limit 0"), 85.71, 0.005);
  assert_near(share_of_sl3("--mode unit --limit 0 --low-grant packet"), 50, 1e-9);
  assert_near(share_of_sl3("--limit 255"), 0, 0);
  assert_near(share_of_sl3("--runs 3000 --packet 64"), 8.571, 0.0005);
  assert_near(share_of_sl3("--runs 3000 --packet 64 --low-grant packet"), 1.538, 0.0005);
  assert_near(share_of_sl3("--mode deficit --runs 30000"), 8.571, 0.0005);
  assert_near(share_of_sl3("--mode packet --runs 300"), 85.7142, 0.00005);
}

/* Tables and limit of opensm.conf are those of the CSV files; each kind of port has its own. */
static void tables_of_opensm_conf_are_those_of_the_csv_files(void **state) {
  (void)state;
  struct outcome csv = loom("vlarb analyze " TABLES_A "--limit 1 --runs 300 --json");
  struct outcome conf = loom("vlarb analyze --opensm " PAPERS "tab6.1-a.conf --runs 300 --json");
  assert_int_equal(conf.status, LOOM_EXIT_DONE);
  assert_string_equal(conf.out, csv.out);
  drop(&csv);
  drop(&conf);
  conf = loom("vlarb analyze --opensm tb/fuzz/good/opensm.conf --ports swe");
  assert_non_null(strstr(conf.out, "mode roundup, packets of 4096 bytes, limit 255,"));
  drop(&conf);
  conf = loom("vlarb analyze --opensm tb/fuzz/good/opensm.conf --ports ca");
  assert_int_equal(conf.status, LOOM_EXIT_DONE);
  assert_non_null(
      strstr(conf.out, "\nOpenSM's defaults for qos_ca_high_limit, qos_ca_vlarb_high\n"));
  drop(&conf);
  assert_refused("vlarb analyze --opensm " PAPERS "tab6.1-a.opensm",
                 PAPERS "tab6.1-a.opensm:3: qos: the file has no option of QoS");
  assert_refused("vlarb analyze " TABLES_A "--opensm x",
                 "loom vlarb analyze: --opensm: has the tables and the limit already");
  assert_refused("vlarb analyze --opensm x --limit 1",
                 "loom vlarb analyze: --opensm: has the tables and the limit already");
  assert_refused("vlarb analyze " TABLES_A "--ports ca",
                 "loom vlarb analyze: --ports: is an option of --opensm");
  assert_refused("vlarb analyze --opensm x --ports hca",
                 "loom vlarb analyze: --ports: `hca` is none of all, ca, sw0, swe, rtr");
}

static void vlarb_analyze_prints_a_table_of_shares_and_distances(void **state) {
  (void)state;
  struct outcome o = loom("vlarb analyze " UNIT_A "--runs 300");
  assert_int_equal(o.status, LOOM_EXIT_DONE);
  assert_string_equal(o.out, "mode unit, limit 1, low grant by entry, 300 runs\n"
                             "low turns 2474\n"
                             "\n"
                             "VL   share %       packets  distance avg  distance max\n"
                             " 0   45.7159         79200         2.258             3\n"
                             " 1   27.3603         47400         4.516             5\n"
                             " 2   18.3556         31800         4.516             5\n"
                             " 3    8.5683         14844         8.758             9\n");
  drop(&o);
  o = loom("vlarb analyze --high " PAPERS "tab6.1-a.opensm --mode deficit --packet 128");
  assert_int_equal(o.status, LOOM_EXIT_DONE);
  assert_non_null(strstr(o.out, "mode deficit, packets of 128 bytes, limit 1, low grant by entry"));
  assert_non_null(strstr(o.out, "low turns 0\n"));
  drop(&o);
}

static void dtable_prints_every_step_of_a_table_as_json(void **state) {
  (void)state;
  static const int before[] = {128, 176, 312, 360, 42, 37, 17};
  static const int d[] = {-27, 0, 10, 15, 1, 2, 0};
  static const int after[] = {101, 176, 322, 375, 43, 39, 17};
  static const int weight[] = {4, 11, 39, 90, 21, 37, 17};
  static const double phi[] = {.094, .164, .3, .35, .04, .036, .016};
  struct outcome o = loom("dtable " PAPERS "dtable/tab5.4.yaml --json");
  assert_int_equal(o.status, LOOM_EXIT_DONE);
  json_t *root = json_loads(o.out, JSON_REJECT_DUPLICATES, NULL);
  assert_non_null(root);
  drop(&o);
  assert_int_equal(json_object_size(root), 4);
  assert_near(number(root, "k"), 0.5, 0);
  assert_near(number(root, "w"), 3, 0);
  json_t *flows = json_object_get(root, "flows");
  assert_int_equal(json_array_size(flows), 7);
  for (unsigned i = 0; i < 7; i++) {
    json_t *f = json_array_get(flows, i);
    assert_int_equal(json_object_size(f), 9);
    assert_int_equal(number(f, "sl"), i);
    assert_near(number(f, "phi"), phi[i], 1e-12);
    assert_int_equal(number(f, "entry_weight"), weight[i]);
    assert_int_equal(number(f, "before"), before[i]);
    assert_int_equal(number(f, "d"), d[i]);
    assert_int_equal(number(f, "after"), after[i]);
    assert_near(number(f, "share"), after[i] / 1073.0, 1e-11);
  }
  assert_near(number(json_array_get(flows, 1), "min_phi"), 0.03125, 1e-12);
  assert_near(number(json_array_get(flows, 6), "max_phi"), 0.09375, 1e-12);
  json_t *entries = json_object_get(root, "entries");
  assert_int_equal(json_array_size(entries), 64);
  assert_int_equal(json_object_size(json_array_get(entries, 0)), 2);
  assert_int_equal(number(json_array_get(entries, 7), "sl"), 3);
  assert_int_equal(number(json_array_get(entries, 7), "weight"), 93);
  assert_int_equal(number(json_array_get(entries, 63), "sl"), 6);
  json_decref(root);
}

/* A warning goes to stderr and changes nothing else. */
static void a_warning_goes_to_stderr_and_changes_nothing_else(void **state) {
  (void)state;
  struct outcome o = loom("dtable --csv " PAPERS "dtable/tab4.8.yaml");
  assert_int_equal(o.status, LOOM_EXIT_DONE);
  assert_string_equal(o.err, PAPERS
                      "dtable/tab4.8.yaml:11: flows[2].phi: warning: entry weight "
                      "130 of SL 2 is above M = 128.0\n" PAPERS
                      "dtable/tab4.8.yaml:10: flows[1].phi: warning: InfiniBand, which rounds "
                      "weights up to packets, gives SL 1 28.99 %, not 30.00 %: `loom vlarb "
                      "solve` makes tables for it\n");
  assert_memory_equal(o.out, "0,7\n1,39\n0,7\n2,130\n", 18);
  struct loom_source src;
  struct loom_vlarb_table table;
  struct loom_error err = {.line = ""};
  assert_true(loom_source_copy(&src, "csv", o.out, strlen(o.out)));
  assert_true(loom_read_vlarb(&table, &src, LOOM_VLARB_SIDE_HIGH, &err));
  assert_int_equal(table.count, 128);
  loom_source_free(&src);
  drop(&o);
}

static void dtable_prints_the_published_table_as_text(void **state) {
  (void)state;
  static const char *const lines[] = {
      "N = 128, GMTU = 3, k = 3.0, w = 4.0, pool = 1152.0, M = 12.0\n",
      " 0  SL0                    2   64    50.000    1   0.05556   0.66667       0.3334\n",
      " 1  SL1                    4   32    25.000    2   0.05556   0.33333       0.3333\n",
      " 2  SL2                    4   32    25.000    3   0.08333   0.33333       0.3333\n",
      " 0  SL0                  7     384.0768    448  0.36842   0.03502    -43    405  0.33333"
      "     6-7\n",
      " 1  SL1                 12     383.9616    384  0.31579  -0.01751     21    405  0.33333"
      "   12-13\n",
      "    total                                 1216                             1215\n",
      "entry  SL,weight\n    0  0,7    1,12   0,7    2,12   0,7    1,12   0,7    2,12\n",
      "  120  0,6    1,13   0,6    2,13   0,6    1,13   0,6    2,13\n",
  };
  struct outcome o = loom("dtable " PAPERS "dtable/tab4.4.yaml");
  assert_int_equal(o.status, LOOM_EXIT_DONE);
  for (unsigned i = 0; i < sizeof lines / sizeof lines[0]; i++)
    if (!strstr(o.out, lines[i]))
      fail_msg("missing: %s", lines[i]);
  drop(&o);
  o = loom("dtable " PAPERS "dtable/tab5.4-search.yaml");
  assert_non_null(strstr(o.out, "k = 0.5, w = 2.9 (searched), pool = 1024.0, M = 92.8\n"));
  drop(&o);
}

static void wrong_commands_options_and_files_are_refused_with_one_line(void **state) {
  (void)state;
  assert_refused("", "loom: command: missing; `--help` lists them");
  assert_refused("weave", "loom: command: `weave` is not one; `--help` lists them");
  assert_refused("vlarb", "loom vlarb: command: missing; `--help` lists them");
  assert_refused("vlarb solv", "loom vlarb: command: `solv` is not one; `--help` lists them");
  assert_refused("vlarb solve", "loom vlarb solve: FILE: missing");
  assert_refused("vlarb solve a b", "loom vlarb solve: argument: `b` is one file too many");
  assert_refused("vlarb solve /none/x", "/none/x:0: file: cannot open: No such file or directory");
  assert_refused("vlarb solve -o x.csv a",
                 "loom vlarb solve: --output: `x.csv` ends in none of .conf, .yaml");
  assert_refused("vlarb analyze", "loom vlarb analyze: --high: missing");
  assert_refused("vlarb analyze --high /none/x",
                 "/none/x:0: file: cannot open: No such file or directory");
  assert_refused("vlarb analyze --high /none", "/none:0: file: cannot open: No such file or "
                                               "directory");
  assert_refused("vlarb analyze --high .", ".:0: file: cannot read: Is a directory");
  assert_refused("vlarb analyze --high /dev/zero", "/dev/zero:0: file: larger than 1048576 bytes");
  assert_refused("vlarb analyze --high /dev/null", "/dev/null:0: entry: the table has no entry");
  assert_refused("vlarb analyze " TABLES_A "x", "loom vlarb analyze: argument: `x` is not an "
                                                "option");
  assert_refused("vlarb analyze " TABLES_A "--limit 256",
                 "loom vlarb analyze: --limit: 256 is outside 0..255");
  assert_refused("vlarb analyze " TABLES_A "--limit 1x",
                 "loom vlarb analyze: --limit: `1x` is not a whole number");
  assert_refused("vlarb analyze " TABLES_A "--runs 0",
                 "loom vlarb analyze: --runs: 0 is outside 1..1000000");
  assert_refused("vlarb analyze " TABLES_A "--packet 65",
                 "loom vlarb analyze: --packet: 65 is not a multiple of 64");
  assert_refused("vlarb analyze " TABLES_A "--packet 65536",
                 "loom vlarb analyze: --packet: 65536 is outside 64..65472");
  assert_refused("vlarb analyze " TABLES_A "--mode exact",
                 "loom vlarb analyze: --mode: `exact` is none of unit, roundup, deficit, packet");
  assert_refused("vlarb analyze " TABLES_A "--low-grant all",
                 "loom vlarb analyze: --low-grant: `all` is none of entry, packet");
  assert_refused("dtable", "loom dtable: FILE: missing");
  assert_refused("dtable a b", "loom dtable: argument: `b`: one file is enough");
  assert_refused("dtable --json --csv a", "loom dtable: --csv: not together with --json");
  assert_refused("dtable " PAPERS "tab4.5.yaml", PAPERS "tab4.5.yaml:2: name: unknown key");
}

/* A result that cannot be written is an error. */
static void a_result_that_cannot_be_written_is_an_error(void **state) {
  (void)state;
  char *argv[] = {"loom", "dtable", PAPERS "dtable/tab5.4.yaml", NULL};
  char *text = NULL;
  size_t size = 0;
  struct loom_streams io = {.out = fopen("/dev/full", "w"), .err = open_memstream(&text, &size)};
  assert_int_equal(loom_cli(3, argv, &io), LOOM_EXIT_BAD_INPUT);
  fclose(io.out);
  fclose(io.err);
  assert_string_equal(text, "loom dtable: output: cannot write: No space left on device\n");
  free(text);
}

/* A whole line of a command of its own, and its status. */
static int shell(const char *command, char *line, size_t size) {
  FILE *pipe = popen(command, "r");
  assert_non_null(pipe);
  line[0] = 0;
  if (!fgets(line, (int)size, pipe))
    line[0] = 0;
  char rest[256];
  while (fgets(rest, sizeof rest, pipe))
    continue;
  return pclose(pipe);
}

/* What ends the process, on the program itself. */
static void the_program_itself_ends_with_the_right_status(void **state) {
  (void)state;
  static const struct {
    const char *command;
    const char *line;
    int status;
  } runs[] = {
      {"build/loom --version", "loom 0.1.0\n", 0},
      {"build/loom --help", "Usage: loom [OPTION...] COMMAND [OPTION...] [FILE...]\n", 0},
      {"build/loom vlarb --help", "Usage: loom vlarb [OPTION...] COMMAND [OPTION...] [FILE...]\n",
       0},
      {"build/loom vlarb analyze --help", "Usage: loom vlarb analyze [OPTION...] --high FILE\n", 0},
      {"build/loom dtable --help", "Usage: loom dtable [OPTION...] FILE\n", 0},
      {"build/loom --bogus 2>&1", "loom: unrecognized option '--bogus'\n", 2},
      {"build/loom dtable --bogus 2>&1", "loom dtable: unrecognized option '--bogus'\n", 2},
      {"build/loom vlarb analyze --high 2>&1",
       "loom vlarb analyze: option '--high' requires an argument\n", 2},
      {"build/loom dtable --bogus 2>/dev/null", "", 2},
      {"build/loom dtable " PAPERS "dtable/tab5.4.yaml 2>&1 >/dev/full",
       "loom dtable: output: cannot write: No space left on device\n", 2},
  };
  for (unsigned i = 0; i < sizeof runs / sizeof runs[0]; i++) {
    char line[200];
    int status = shell(runs[i].command, line, sizeof line);
    assert_string_equal(line, runs[i].line);
    assert_int_equal(status, runs[i].status << 8);
  }
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(vlarb_analyze_prints_shares_and_distances_as_json),
      cmocka_unit_test(each_option_of_vlarb_analyze_does_what_it_says),
      cmocka_unit_test(vlarb_analyze_prints_a_table_of_shares_and_distances),
      cmocka_unit_test(tables_of_opensm_conf_are_those_of_the_csv_files),
      cmocka_unit_test(dtable_prints_every_step_of_a_table_as_json),
      cmocka_unit_test(a_warning_goes_to_stderr_and_changes_nothing_else),
      cmocka_unit_test(dtable_prints_the_published_table_as_text),
      cmocka_unit_test(wrong_commands_options_and_files_are_refused_with_one_line),
      cmocka_unit_test(a_result_that_cannot_be_written_is_an_error),
      cmocka_unit_test(the_program_itself_ends_with_the_right_status),
  };
  return UNIT_RUN("cli", tests, NULL, NULL);
}

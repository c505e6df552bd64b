/* SPDX-License-Identifier: Apache-2.0 */
/* The commands below `loom vlarb` that read and write files of their own (docs/vlarb.md). */
#include "tb/unit/unit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "io/streams.h"
#include "tb/unit/run_bench.h"

#define THREE "vectors/wishes/three.yaml"

static double number(const json_t *object, const char *key) {
  const json_t *value = json_object_get(object, key);
  assert_true(json_is_number(value));
  return json_number_value(value);
}

static void assert_near(double a, double b, double by) {
  if (fabs(a - b) > by)
    fail_msg("%.10g is not within %g of %.10g", a, by, b);
}

/* The text has the words. */
static void assert_has(const char *text, const char *words) {
  if (!strstr(text, words))
    fail_msg("`%s` is not in `%s`", words, text);
}

/* ---- solve ----------------------------------------------------------------------------------- */

/* IB-14: what is said of the tables is what the analyzer says of the file that is written. */
static void solved_tables_do_what_the_command_says(void **state) {
  (void)state;
  json_t *root = json_of("vlarb solve " THREE " --json -o @", in_folder("x.conf"), "");
  assert_true(json_is_true(json_object_get(root, "met")));
  assert_true(json_is_null(json_object_get(root, "conflict")));
  json_t *vls = json_object_get(json_object_get(root, "solved"), "vl");
  json_t *conf = json_of("vlarb analyze --json --mode roundup --packet 2048 --runs 1000 --opensm @",
                         in_folder("x.conf"), "");
  json_t *analyzed = json_object_get(conf, "vl");
  assert_int_equal(json_array_size(vls), 3);
  assert_int_equal(json_array_size(analyzed), 3);
  for (unsigned i = 0; i < 3; i++) {
    static const double wish[] = {10, 60, 30};
    json_t *v = json_array_get(vls, i);
    json_t *a = json_array_get(analyzed, i);
    assert_near(number(v, "wish"), wish[i], 1e-9);
    assert_near(number(v, "share"), wish[i], 0.5);
    assert_near(number(v, "share"), number(a, "share"), 1e-6);
    assert_near(number(v, "distance"), number(a, "distance_max"), 0);
  }
  assert_true(number(json_array_get(vls, 0), "gap") <= 20480);
  assert_true(number(json_array_get(vls, 1), "distance") <= 3);
  json_decref(conf);
  json_decref(root);
}

/* Nothing is written for wishes that cannot be met, and the exit status says so. */
static void a_conflict_is_named_and_the_nearest_is_shown(void **state) {
  (void)state;
  write_file("w.yaml", "vls:\n  - {vl: 0, share: 10, gap: 4096}\n"
                       "  - {vl: 2, share: 60}\n  - {vl: 5, share: 30}\n");
  struct outcome o = run("vlarb solve @ -o @", in_folder("w.yaml"), in_folder("none.conf"));
  assert_int_equal(o.status, LOOM_EXIT_FAILED);
  assert_string_equal(o.err, "");
  assert_has(o.out, "Gap or distance of VL 0 give it at least 50.0000 %.\n");
  assert_has(o.out, "\nThe nearest tables that keep gaps and distances:\n");
  assert_has(o.out, "  50.0000*        4096       4096 ");
  assert_has(o.out, "\nThe nearest tables that keep the shares:\n");
  drop(&o);
  assert_false(is_there("none.conf"));
  o = run("vlarb solve --json @", in_folder("w.yaml"), "");
  assert_int_equal(o.status, LOOM_EXIT_FAILED);
  json_t *root = json_loads(o.out, JSON_REJECT_DUPLICATES, NULL);
  assert_non_null(root);
  json_t *conflict = json_object_get(root, "conflict");
  assert_string_equal(json_string_value(json_object_get(conflict, "kind")), "share");
  assert_near(number(conflict, "value"), 50, 1e-9);
  assert_int_equal(json_array_size(json_object_get(conflict, "vls")), 1);
  assert_true(json_is_null(json_object_get(root, "solved")));
  assert_true(json_is_object(json_object_get(root, "waits_kept")));
  assert_true(json_is_object(json_object_get(root, "shares_kept")));
  json_decref(root);
  drop(&o);
}

/* IB-06 leaves open what a low turn sends, and OpenSM cuts tables off in ports of 64 entries. */
static void the_command_warns_of_what_others_make_of_its_tables(void **state) {
  (void)state;
  write_file("low.yaml", "limit: 4\nhigh: 8\nvls:\n  - {vl: 0, share: 60}\n"
                         "  - {vl: 1, share: 40, table: low}\n");
  struct outcome o = run("vlarb solve @", in_folder("low.yaml"), "");
  assert_int_equal(o.status, LOOM_EXIT_DONE);
  assert_has(o.err, "low.yaml: warning: where a low turn sends one packet, not an entry, VL 0 gets "
                    "80.0000 %\n");
  drop(&o);
  write_file("long.yaml", "vls: [{vl: 0, share: 3, distance: 33}, {vl: 1, share: 97}]\n");
  o = run("vlarb solve @ -o @", in_folder("long.yaml"), in_folder("long.conf"));
  assert_int_equal(o.status, LOOM_EXIT_DONE);
  assert_has(o.err, "OpenSM writes only the first 32");
  drop(&o);
  o = run("vlarb solve @", in_folder("long.yaml"), "");
  assert_string_equal(o.err, "");
  drop(&o);
}

/* Files that cannot be written leave nothing behind. */
static void an_answer_that_cannot_be_written_is_an_error(void **state) {
  (void)state;
  assert_says("/none/x.conf:0: file: cannot write: No such file or directory",
              "vlarb solve " THREE " -o /none/x.conf", "", "");
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(solved_tables_do_what_the_command_says),
      cmocka_unit_test(a_conflict_is_named_and_the_nearest_is_shown),
      cmocka_unit_test(the_command_warns_of_what_others_make_of_its_tables),
      cmocka_unit_test(an_answer_that_cannot_be_written_is_an_error),
  };
  return UNIT_RUN("vlarb_command", tests, make_folder, remove_folder);
}

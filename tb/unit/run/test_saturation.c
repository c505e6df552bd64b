/* SPDX-License-Identifier: Apache-2.0 */
/* The search for saturation (docs/fabric.md): it finds the border wherever it is, and by what a
 * load is judged; `loom sweep` with a search runs few points, goes on, and says what it found. */
#include "tb/unit/unit.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "run/saturation.h"
#include "tb/unit/run_bench.h"

/* ---- the search ------------------------------------------------------------------------------ */

/* The largest number of looks that a search among `loads` may take. */
static uint32_t looks_for(uint32_t loads) {
  uint32_t looks = 0;
  while ((1u << looks) < loads + 1)
    looks++;
  return looks;
}

static void a_search_finds_every_border_in_few_looks(void **state) {
  (void)state;
  for (uint32_t loads = 1; loads <= 128; loads++)
    for (uint32_t border = 0; border <= loads; border++) {
      struct loom_saturation s = loom_saturation_begin(loads);
      uint32_t load = 0, looks = 0;
      for (; loom_saturation_next(&s, &load); looks++) {
        assert_in_range(load, 0, loads - 1);
        loom_saturation_tell(&s, load, load < border);
      }
      assert_int_equal(s.carried, border);
      assert_int_equal(s.refused, border);
      assert_true(looks <= looks_for(loads));
    }
}

/* ---- what is carried ------------------------------------------------------------------------- */

static const char carried[] =
    "{\"outcome\": \"busy\","
    " \"classes\": [{\"name\": \"A\", \"percent\": {\"mean\": 95.0, \"seeds\": 2}},"
    "               {\"name\": \"B\", \"percent\": {\"mean\": 0, \"seeds\": 0}}],"
    " \"all\": {\"settled\": {\"total\": {\"stationary\": true, \"drift\": 0.2}}}}";

/* What is said of a summary with `to` in the place of `from`. */
static void assert_judged(const char *from, const char *to, const char *wanted) {
  char text[600], why[LOOM_SATURATION_WHY] = "?";
  const char *at = strstr(carried, from);
  assert_non_null(at);
  snprintf(text, sizeof text, "%.*s%s%s", (int)(at - carried), carried, to, at + strlen(from));
  json_t *summary = json_loads(text, 0, NULL);
  assert_non_null(summary);
  assert_int_equal(loom_saturation_carries(summary, why), !wanted[0]);
  assert_string_equal(why, wanted);
  json_decref(summary);
}

static void a_load_is_carried_that_is_accepted_and_calm(void **state) {
  (void)state;
  assert_judged("busy", "busy", "");
  assert_judged("busy", "done", "");
  assert_judged("busy", "stuck", "stuck");
  assert_judged("95.0", "94.9", "94.9 % of A accepted");
  assert_judged("\"seeds\": 0", "\"seeds\": 1", "0.0 % of B accepted");
  assert_judged("true", "false", "latency not stationary, +20.0 %");
  assert_judged("true, \"drift\": 0.2", "false, \"drift\": -0.2", ""); /* a long warm-up */
  assert_judged("{\"total\": {\"stationary\": true, \"drift\": 0.2}}", "{}", "");
}

/* ---- loom sweep ------------------------------------------------------------------------------ */

static void write_search(const char *loads) {
  char text[600];
  snprintf(text, sizeof text,
           "---\nname: s\nfabric: ../../vectors/fabric/tree-2-2.yaml\nseeds: 2\n"
           "set: [run.warmup=500, run.measure=2000]\ngrid:\n  - name: crossbar\n    points:\n"
           "      - {name: slow, set: [switch.parameters.SPEEDUP=1]}\n      - {name: fast}\n"
           "  - {key: load, saturation: %s}\n...\n",
           loads);
  write_file("search.yaml", text);
}

static void a_search_says_what_is_carried_and_runs_few_points(void **state) {
  (void)state;
  write_search("{from: 0.2, to: 2, step: 0.2}");
  struct outcome o = run("sweep @ -o @ --jobs 1", in_folder("search.yaml"), in_folder("one"));
  assert_int_equal(o.status, 0);
  assert_non_null(strstr(o.out, "\nsaturation crossbar=slow: load 1.6 is carried, 1.8 is not ("));
  assert_non_null(strstr(o.out, "\nsaturation crossbar=fast: load 1.8 is carried, 2 is not ("));
  drop(&o);
  static const char head[] = "crossbar,carried,refused,offered,accepted\nslow,1.6,1.8,";
  char *csv = read_file(in_folder("one/saturation.csv"));
  assert_non_null(csv);
  assert_int_equal(strncmp(csv, head, sizeof head - 1), 0);
  free(csv);
  assert_true(is_there("one/points/crossbar=slow,load=1.6"));
  assert_true(is_there("one/points/crossbar=slow,load=1.8"));
  assert_false(is_there("one/points/crossbar=slow,load=0.2"));
  assert_false(is_there("one/points/crossbar=slow,load=2"));
}

/* Whatever the number of jobs, and also where a point is missing. */
static void a_search_that_goes_on_ends_with_the_same_bits(void **state) {
  (void)state;
  char command[COMMAND];
  assert_run(0, "sweep @ -o @ --jobs 4", in_folder("search.yaml"), in_folder("two"));
  snprintf(command, sizeof command, "rm -r %s %s", in_folder("two/points/crossbar=slow,load=1.6"),
           in_folder("two/saturation.csv"));
  assert_int_equal(system(command), 0);
  assert_run(0, "sweep @ -o @", in_folder("search.yaml"), in_folder("two"));
  snprintf(command, sizeof command, "diff -r %s %s", in_folder("one"), in_folder("two"));
  assert_int_equal(system(command), 0);
}

static void a_search_beyond_its_loads_says_so(void **state) {
  (void)state;
  write_search("{from: 0.2, to: 0.4, step: 0.2}");
  struct outcome o = run("sweep @ -o @", in_folder("search.yaml"), in_folder("low"));
  assert_non_null(strstr(o.out, "crossbar=slow: load 0.4, the largest one, is carried\n"));
  drop(&o);
  write_search("{from: 1.9, to: 2, step: 0.1}");
  o = run("sweep @ -o @", in_folder("search.yaml"), in_folder("high"));
  assert_non_null(strstr(o.out, "crossbar=slow: load 1.9, the smallest one, is not carried ("));
  drop(&o);
  char *csv = read_file(in_folder("high/saturation.csv"));
  assert_non_null(csv);
  assert_non_null(strstr(csv, "\nslow,,1.9,,\n"));
  free(csv);
}

static void the_points_of_a_search_are_drawn(void **state) {
  (void)state;
  assert_run(0, "plot @", in_folder("one"), "");
  assert_true(is_there("one/plots/throughput.svg"));
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_search_finds_every_border_in_few_looks),
      cmocka_unit_test(a_load_is_carried_that_is_accepted_and_calm),
      cmocka_unit_test(a_search_says_what_is_carried_and_runs_few_points),
      cmocka_unit_test(a_search_that_goes_on_ends_with_the_same_bits),
      cmocka_unit_test(a_search_beyond_its_loads_says_so),
      cmocka_unit_test(the_points_of_a_search_are_drawn),
  };
  return UNIT_RUN("saturation", tests, make_folder, remove_folder);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Wishes and the files of their answer (docs/vlarb.md; IB-14): what is wrong is named where it is,
 * and what is written can be read. */
#define _GNU_SOURCE /* open_memstream */

#include "tb/unit/unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/published_table.h"
#include "io/write_testbed.h"
#include "io/write_wishes.h"

static bool read_wishes(struct loom_wishes *w, const char *text, struct loom_error *err) {
  struct loom_source src;
  err->line[0] = 0;
  assert_true(loom_source_copy(&src, "w.yaml", text, strlen(text)));
  bool ok = loom_read_wishes(w, &src, err);
  loom_source_free(&src);
  return ok;
}

static struct loom_wishes wishes(const char *text) {
  struct loom_wishes w;
  struct loom_error err;
  if (!read_wishes(&w, text, &err))
    fail_msg("%s", err.line);
  return w;
}

static void defaults_fill_what_wishes_leave_out(void **state) {
  (void)state;
  struct loom_wishes w = wishes("vls: [{vl: 3, share: 60.5}, {vl: 0, share: 39.5, gap: 0}]\n");
  assert_int_equal(w.wish.packet_bytes, 4096);
  assert_int_equal(w.wish.high, 64);
  assert_int_equal(w.wish.low, 64);
  assert_int_equal(w.wish.tolerance, 5000);
  assert_false(w.wish.limit_given);
  assert_int_equal(w.wish.count, 2);
  assert_int_equal(w.wish.vl[0].vl, 3);
  assert_int_equal(w.wish.vl[0].share, 605000);
  assert_int_equal(w.wish.vl[0].gap, LOOM_WISH_ANY);
  assert_int_equal(w.wish.vl[0].distance, LOOM_WISH_ANY);
  assert_int_equal(w.wish.vl[0].table, LOOM_WISH_EITHER);
  assert_int_equal(w.wish.vl[1].gap, 0);
}

static void every_key_of_wishes_is_read(void **state) {
  (void)state;
  struct loom_wishes w =
      wishes("---\nmtu: 256\nhigh: 8\nlow: 0\nlimit: 255\ntolerance: 0.0001\nvls:\n"
             "  - {vl: 14, share: 100, gap: 512, distance: 3, table: low, name: all, sls: [2, 9]}\n"
             "...\n");
  assert_int_equal(w.wish.packet_bytes, 256);
  assert_int_equal(w.wish.high, 8);
  assert_int_equal(w.wish.low, 0);
  assert_true(w.wish.limit_given);
  assert_int_equal(w.wish.limit, 255);
  assert_int_equal(w.wish.tolerance, 1);
  assert_int_equal(w.wish.vl[0].gap, 512);
  assert_int_equal(loom_wish_gap_packets(&w.wish, 0), 2);
  assert_int_equal(w.wish.vl[0].distance, 3);
  assert_int_equal(w.wish.vl[0].table, LOOM_WISH_LOW);
  assert_string_equal(w.name[0], "all");
  assert_int_equal(w.sl[0], 2);
}

/* An SL that no VL has must not end where nothing is served. */
static void every_sl_has_a_vl_that_is_served(void **state) {
  (void)state;
  struct loom_wishes w = wishes("vls: [{vl: 1, share: 10}, {vl: 5, share: 70, sls: [0, 15]}, "
                                "{vl: 2, share: 20, sls: [2]}]\n");
  static const uint8_t expected[16] = {5, 1, 2, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5};
  assert_memory_equal(w.vl_of_sl, expected, sizeof expected);
  assert_int_equal(w.sl[0], 1);
  assert_int_equal(w.sl[1], 0);
  w = wishes("vls: [{vl: 3, share: 30, sls: [0]}, {vl: 6, share: 40, sls: [1]}, "
             "{vl: 7, share: 40, sls: [2]}]\n");
  assert_int_equal(w.vl_of_sl[3], 6); /* the first of the largest */
  w = wishes("vls: [{vl: 3, share: 50, sls: [0]}, {vl: 6, share: 50, sls: [1]}]\n");
  assert_int_equal(w.vl_of_sl[2], 3);
}

static void wrong_wishes_are_refused_where_they_are_wrong(void **state) {
  (void)state;
#define VLS "vls: [{vl: 0, share: 100}]\n"
  static const struct {
    const char *text;
    const char *why;
  } bad[] = {
      {"", "w.yaml:1: document: empty file"},
      {"mtu: 4096\n", "w.yaml:1: vls: missing key"},
      {"vls: []\n", "w.yaml:1: vls: too few entries"},
      {"mtu: 100\n" VLS, "w.yaml:1: mtu: 100 is not a multiple of 64"},
      {"mtu: 65536\n" VLS, "w.yaml:1: mtu: 65536 is outside 64..65472"},
      {"high: 0\n" VLS, "w.yaml:1: high: 0 is outside 1..64"},
      {"low: 65\n" VLS, "w.yaml:1: low: 65 is outside 0..64"},
      {"limit: 256\n" VLS, "w.yaml:1: limit: 256 is outside 0..255"},
      {"tolerance: 0.00001\n" VLS, "w.yaml:1: tolerance: 0.00001 has more than 4 decimals"},
      {"vls:\n  - {vl: 15, share: 1}\n", "w.yaml:2: vls[0].vl: 15 is outside 0..14"},
      {"vls:\n  - {vl: 0}\n", "w.yaml:2: vls[0].share: missing key"},
      {"vls:\n  - {vl: 0, share: 0}\n", "w.yaml:2: vls[0].share: 0 is outside"},
      {"vls:\n  - {vl: 0, share: 101}\n", "w.yaml:2: vls[0].share: 101 is outside"},
      {"vls:\n  - {vl: 0, share: 1, gap: -1}\n", "w.yaml:2: vls[0].gap: `-1` is not a"},
      {"vls:\n  - {vl: 0, share: 1, distance: 0}\n", "w.yaml:2: vls[0].distance: 0 is outside"},
      {"vls:\n  - {vl: 0, share: 1, table: mid}\n",
       "w.yaml:2: vls[0].table: `mid` is none of either, high, low"},
      {"vls:\n  - {vl: 0, share: 1}\n  - {vl: 0, share: 2}\n",
       "w.yaml:3: vls[1].vl: VL 0 is already that of vls[0]"},
      {"vls:\n  - {vl: 0, share: 1}\n  - {vl: 1, share: 1}\n  - {vl: 1, share: 2}\n",
       "w.yaml:4: vls[2].vl: VL 1 is already that of vls[1]"},
      {"vls:\n  - {vl: 0, share: 1, sls: [3, 3]}\n", "w.yaml:2: vls[0].sls[1]: SL 3 has VL 0"},
      {"vls:\n  - {vl: 0, share: 1, sls: [16]}\n", "w.yaml:2: vls[0].sls[0]: 16 is outside 0..15"},
      {"vls:\n  - {vl: 0, share: 1, sls: [1]}\n  - {vl: 1, share: 2}\n",
       "w.yaml:3: vls[1].vl: SL 1 has VL 0 already: give it `sls`"},
      {"vls:\n  - {vl: 0, share: 1, weight: 3}\n", "w.yaml:2: vls[0].weight: unknown key"},
      {"---\n" VLS, "w.yaml:3: end: the file is cut short"},
  };
  for (unsigned i = 0; i < sizeof bad / sizeof bad[0]; i++) {
    struct loom_wishes w;
    struct loom_error err;
    assert_false(read_wishes(&w, bad[i].text, &err));
    if (strncmp(err.line, bad[i].why, strlen(bad[i].why)) != 0)
      fail_msg("`%s`, not `%s`", err.line, bad[i].why);
  }
}

/* ---- what is written ------------------------------------------------------------------------- */

static struct loom_wish_answer solve(const struct loom_wishes *w) {
  struct loom_wish_solution s;
  struct loom_vlarb_solver *solver = malloc(sizeof *solver);
  assert_non_null(solver);
  assert_true(loom_vlarb_solve(&w->wish, solver, &s));
  free(solver);
  return s.best;
}

static struct loom_source written(const struct loom_wishes *w, const struct loom_wish_answer *a,
                                  bool conf) {
  struct loom_source src = {.name = "written"};
  FILE *file = open_memstream(&src.text, &src.size);
  assert_non_null(file);
  if (conf)
    loom_write_wishes_conf(file, w, a);
  else
    loom_write_wishes_fixture(file, w, a, 1000);
  fclose(file);
  return src;
}

static void assert_table(const struct loom_vlarb_table *t, const struct loom_vlarb_entry *entry,
                         uint32_t count) {
  assert_int_equal(t->count, count);
  assert_memory_equal(t->entry, entry, count * sizeof *entry);
}

static const char two_tables[] = "mtu: 2048\nlimit: 3\nvls: [{vl: 1, share: 60, sls: [0]}, "
                                 "{vl: 8, share: 20}, {vl: 4, share: 20, table: low}]\n";

static void the_conf_that_is_written_says_the_same_when_it_is_read(void **state) {
  (void)state;
  struct loom_wishes w = wishes(two_tables);
  struct loom_wish_answer a = solve(&w);
  struct loom_source src = written(&w, &a, true);
  struct loom_opensm_conf conf;
  struct loom_error err = {.line = ""};
  if (!loom_read_opensm_conf(&conf, &src, &err))
    fail_msg("%s", err.line);
  struct loom_opensm_qos q = loom_opensm_of(&conf, LOOM_OPENSM_SWE);
  assert_true(conf.qos);
  assert_int_equal(q.defaults, 0);
  assert_int_equal(q.max_vls, 15);
  assert_int_equal(q.high_limit, 3);
  assert_table(&q.high, a.tables.high, a.tables.high_count);
  assert_table(&q.low, a.tables.low, a.tables.low_count);
  assert_memory_equal(q.sl2vl, w.vl_of_sl, sizeof q.sl2vl);
  static const uint8_t flows[][2] = {{0, 1}, {4, 4}, {8, 8}};
  struct loom_testbed testbed = {.count = 9};
  assert_int_equal(loom_testbed_flows(&testbed, &q), -1);
  assert_int_equal(testbed.count, 3);
  for (uint32_t i = 0; i < 3; i++) {
    assert_int_equal(testbed.flow[i].sl, flows[i][0]);
    assert_int_equal(testbed.flow[i].vl, flows[i][1]);
  }
  loom_source_free(&src);
}

/* Without the option OpenSM would have a low table of its own. */
static void an_empty_low_table_is_written_as_one(void **state) {
  (void)state;
  struct loom_wishes w = wishes("vls: [{vl: 0, share: 50}, {vl: 1, share: 50}]\n");
  struct loom_wish_answer a = solve(&w);
  struct loom_source src = written(&w, &a, true);
  assert_int_equal(a.tables.low_count, 0);
  assert_non_null(strstr(src.text, "\nqos_vlarb_low 0:0\n"));
  assert_non_null(strstr(src.text, "\nqos_max_vls 2\n"));
  loom_source_free(&src);
}

static void a_port_is_told_as_many_vls_as_it_needs(void **state) {
  (void)state;
  static const uint32_t highest[] = {0, 1, 2, 3, 4, 7, 8, 14};
  static const uint32_t vls[] = {1, 2, 4, 4, 8, 8, 15, 15};
  for (size_t i = 0; i < sizeof vls / sizeof vls[0]; i++) {
    char text[60];
    char line[40];
    snprintf(text, sizeof text, "vls: [{vl: %u, share: 100}]\n", (unsigned)highest[i]);
    snprintf(line, sizeof line, "\nqos_max_vls %u\n", (unsigned)vls[i]);
    struct loom_wishes w = wishes(text);
    struct loom_wish_answer a = solve(&w);
    struct loom_source src = written(&w, &a, true);
    assert_non_null(strstr(src.text, line));
    loom_source_free(&src);
  }
}

static void the_fixture_that_is_written_can_be_read(void **state) {
  (void)state;
  struct loom_wishes w = wishes(two_tables);
  struct loom_wish_answer a = solve(&w);
  struct loom_source src = written(&w, &a, false);
  struct loom_published f;
  struct loom_error err = {.line = ""};
  if (!loom_published_parse(&f, &src, &err))
    fail_msg("%s", err.line);
  assert_int_equal(f.scheduler, LOOM_PUBLISHED_IBARB);
  assert_int_equal(f.high.count, a.tables.high_count);
  assert_int_equal(f.low.count, a.tables.low_count);
  for (uint32_t e = 0; e < f.high.count; e++) {
    assert_int_equal(f.high.entry[e].id, a.tables.high[e].vl);
    assert_int_equal(f.high.entry[e].weight, a.tables.high[e].weight);
  }
  assert_int_equal(f.case_count, 1);
  assert_int_equal(f.cases[0].limit, 3);
  assert_int_equal(f.cases[0].measure, LOOM_PUBLISHED_PACKETS);
  assert_int_equal(f.cases[0].tolerance_ppm, 1000);
  assert_int_equal(f.cases[0].flow_count, 3);
  assert_int_equal(f.cases[0].flow[2].size, 32);
  for (uint32_t i = 0; i < 3; i++)
    assert_int_equal(f.cases[0].share[i].ppm,
                     loom_vlarb_certified_share(&a.certificate, f.cases[0].share[i].id));
  loom_published_free(&f);
  loom_source_free(&src);
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(defaults_fill_what_wishes_leave_out),
      cmocka_unit_test(every_key_of_wishes_is_read),
      cmocka_unit_test(every_sl_has_a_vl_that_is_served),
      cmocka_unit_test(wrong_wishes_are_refused_where_they_are_wrong),
      cmocka_unit_test(the_conf_that_is_written_says_the_same_when_it_is_read),
      cmocka_unit_test(an_empty_low_table_is_written_as_one),
      cmocka_unit_test(a_port_is_told_as_many_vls_as_it_needs),
      cmocka_unit_test(the_fixture_that_is_written_can_be_read),
  };
  return UNIT_RUN("wishes", tests, NULL, NULL);
}

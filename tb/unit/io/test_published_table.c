/* SPDX-License-Identifier: Apache-2.0 */
/* Published tables: the files of vectors/papers, and what the reader refuses. */
#include "tb/unit/unit.h"

#include <glob.h>
#include <stdio.h>
#include <string.h>

#include "io/published_table.h"

static void load(struct loom_published *f, const char *file) {
  struct loom_error err = {.line = ""};
  if (!loom_published_load(f, file, &err))
    fail_msg("%s", err.line);
}

static const struct loom_published_case *find(const struct loom_published *f, const char *name) {
  for (uint32_t i = 0; i < f->case_count; i++)
    if (!strcmp(f->cases[i].name, name))
      return &f->cases[i];
  fail_msg("no case %s in %s", name, f->name);
  return NULL;
}

/* All of them are good, and each is called as its file is. */
static void every_published_table_is_good_and_named_as_its_file(void **state) {
  (void)state;
  glob_t files;
  assert_int_equal(glob("vectors/papers/*.yaml", 0, NULL, &files), 0);
  assert_true(files.gl_pathc >= 18);
  for (size_t i = 0; i < files.gl_pathc; i++) {
    struct loom_published f;
    char name[100];
    load(&f, files.gl_pathv[i]);
    snprintf(name, sizeof name, "vectors/papers/%s.yaml", f.name);
    assert_string_equal(name, files.gl_pathv[i]);
    loom_published_free(&f);
  }
  globfree(&files);
}

/* GV-3: grants and selections tell the same story. */
static void grants_and_selections_of_table_4_5_tell_the_same_story(void **state) {
  (void)state;
  struct loom_published f;
  load(&f, "vectors/papers/tab4.5.yaml");
  assert_int_equal(f.scheduler, LOOM_PUBLISHED_DTABLE);
  assert_int_equal(f.key, LOOM_PUBLISHED_KEY_SL);
  assert_int_equal(f.vl_count, 3);
  assert_int_equal(f.table.count, 8);
  const struct loom_published_case *c = find(&f, "gv-3");
  assert_int_equal(c->mode, LOOM_PUBLISHED_DTABLE_WIDE);
  assert_int_equal(c->selection_count, 16);
  uint32_t grant = 0;
  for (uint32_t i = 0; i < c->selection_count; i++) {
    const struct loom_published_selection *s = &c->selection[i];
    assert_int_equal(s->acc, s->packets * c->flow[s->sl].size + s->deficit);
    for (uint32_t p = 0; p < s->packets; p++)
      assert_int_equal(c->grant[grant++], s->sl);
  }
  assert_int_equal(grant, c->grant_count);
  loom_published_free(&f);
}

static void table_6_1_is_read_with_both_its_tables(void **state) {
  (void)state;
  struct loom_published f;
  load(&f, "vectors/papers/tab6.1-a.yaml");
  assert_int_equal(f.scheduler, LOOM_PUBLISHED_IBARB);
  assert_int_equal(f.key, LOOM_PUBLISHED_KEY_VL);
  assert_int_equal(f.high.count, 64);
  assert_int_equal(f.low.count, 1);
  assert_int_equal(f.table.count, 0);
  assert_null(f.table.entry);
  assert_int_equal(f.vl_count, 4);
  const struct loom_published_case *c = find(&f, "unit");
  assert_int_equal(c->limit, 1);
  assert_int_equal(c->low_grant, LOOM_PUBLISHED_LOW_ENTRY);
  assert_int_equal(c->measure, LOOM_PUBLISHED_CREDITS);
  assert_int_equal(c->tolerance_ppm, 500);
  assert_int_equal(c->share[0].ppm, 457160);
  assert_int_equal(c->share[3].ppm, 85680);
  assert_null(c->grant);
  c = find(&f, "deficit-entry-4096");
  assert_int_equal(c->mode, LOOM_PUBLISHED_IBARB_DEFICIT);
  assert_int_equal(c->flow[3].size, 64);
  c = find(&f, "unit-limit-255");
  assert_int_equal(c->limit, 255);
  c = find(&f, "roundup-packet-64");
  assert_int_equal(c->low_grant, LOOM_PUBLISHED_LOW_PACKET);
  assert_string_equal(loom_published_mode_name(f.scheduler, c->mode), "roundup");
  assert_string_equal(loom_published_scheduler_name(f.scheduler), "ibarb");
  loom_published_free(&f);
}

static void figure_6_1_is_read_with_its_grants(void **state) {
  (void)state;
  static const uint8_t grants[] = {0, 0, 2, 2, 0};
  struct loom_published f;
  load(&f, "vectors/papers/fig6.1.yaml");
  const struct loom_published_case *c = &f.cases[0];
  assert_int_equal(c->skip * 64, 3968);
  assert_int_equal(c->grant_count, 5);
  assert_memory_equal(c->grant, grants, 5);
  assert_int_equal(c->flow[0].count, 65);
  assert_int_equal(c->flow[1].vl, 2);
  assert_int_equal(c->flow[1].count, 2);
  loom_published_free(&f);
}

static void a_flow_without_an_sl_takes_those_of_its_vl(void **state) {
  (void)state;
  struct loom_published f;
  load(&f, "vectors/papers/tab2.2-b.yaml");
  const struct loom_published_case *c = find(&f, "text-shared-vl");
  assert_int_equal(c->flow[1].sl_count, 1);
  assert_int_equal(c->flow[1].sl[0], 0); /* vl_to_sl */
  assert_int_equal(c->flow[2].sl_count, 2);
  assert_int_equal(c->flow[2].sl[0], 1);
  assert_int_equal(c->flow[2].sl[1], 2);
  loom_published_free(&f);
}

static const char good[] = "name: n\n"
                           "source: s\n"
                           "scheduler: sbt\n"
                           "table: [{sl: 0, weight: 2}, {sl: 1, weight: 1}]\n"
                           "vl_to_sl: [0, 1]\n"
                           "cases:\n"
                           "  - name: a\n"
                           "    mode: literal\n"
                           "    traffic: [{vl: 0, size: 1}, {vl: 1, size: 1}]\n"
                           "    shares: [{sl: 0, share: 66.6667}]\n"
                           "    skip: 3\n"
                           "    grants: [0, 0, 1]\n"
                           "...\n";

static const char good_ib[] = "name: n\n"
                              "source: s\n"
                              "scheduler: ibarb\n"
                              "high: [{vl: 0, weight: 2}]\n"
                              "cases:\n"
                              "  - {name: a, traffic: [{vl: 0, size: 1, count: 3}], grants: [0]}\n"
                              "...\n";

static struct loom_error read_with(const char *base, const char *from, const char *to) {
  char text[800];
  struct loom_error err = {.line = ""};
  struct loom_source src;
  struct loom_published f;
  const char *at = strstr(base, from);
  assert_non_null(at);
  snprintf(text, sizeof text, "%.*s%s%s", (int)(at - base), base, to, at + strlen(from));
  assert_true(loom_source_copy(&src, "t", text, strlen(text)));
  bool ok = loom_published_parse(&f, &src, &err);
  assert_int_equal(ok, err.line[0] == 0);
  loom_published_free(&f);
  loom_source_free(&src);
  return err;
}

static void good_tables_are_accepted(void **state) {
  (void)state;
  assert_string_equal(read_with(good, "", "").line, "");
  assert_string_equal(read_with(good_ib, "", "").line, "");
}

static void wrong_tables_are_refused_where_they_are_wrong(void **state) {
  (void)state;
  static const struct {
    const char *from;
    const char *to;
    const char *error;
  } bad[] = {
      {"sbt", "drr", "t:3: scheduler: `drr` is none of rr, sbt, dtable, ibarb"},
      {"sbt", "rr", "t:4: table: scheduler rr does not have it"},
      {"sbt", "ibarb", "t:4: table: scheduler ibarb does not have it"},
      {"sbt", "sbt\nkey: x", "t:4: key: `x` is none of vl, sl"},
      {"sbt", "sbt\nkey: vl", "t:5: table[0].sl: the key of this published table is vl"},
      {"table: [{sl: 0, weight: 2}, {sl: 1, weight: 1}]\n", "",
       "t:1: table: scheduler sbt needs it"},
      {"sbt\n", "sbt\nlow: [{sl: 0, weight: 1}]\n", "t:4: low: scheduler sbt does not have it"},
      {"sbt\n", "sbt\nhigh: [{sl: 0, weight: 1}]\n", "t:4: high: scheduler sbt does not have it"},
      {"{sl: 1, weight: 1}", "{sl: 0, weight: 1}",
       "t:4: table[1].sl: repeated: this table has one entry for each"},
      {"{sl: 1, weight: 1}", "{sl: 1, weight: 256}", "t:4: table[1].weight: 256 is outside 0..255"},
      {"{sl: 1, weight: 1}", "{sl: 1}", "t:4: table[1].weight: missing key"},
      {"{sl: 1, weight: 1}", "{weight: 1}", "t:4: table[1].sl: missing key"},
      {"{sl: 0, weight: 2}, {sl: 1, weight: 1}", "{sl: 0, weight: 0}",
       "t:4: table: no entry has a weight above 0"},
      {"vl_to_sl: [0, 1]\n", "vl_to_sl: [0, 32]\n", "t:5: vl_to_sl[1]: 32 is outside 0..31"},
      {"vl_to_sl: [0, 1]\n", "vl_to_sl: [0]\n",
       "t:9: cases[0].traffic[1].sls: VL1 is not in vl_to_sl"},
      {"{vl: 1, size: 1}", "{vl: 3, size: 1}",
       "t:9: cases[0].traffic[1].sls: VL3 is not in vl_to_sl"},
      {"name: a", "nam: a", "t:7: cases[0].nam: unknown key"},
      {"literal", "roundup", "t:8: cases[0].mode: `roundup` is none of text, literal, sumzero"},
      {"    skip: 3\n", "    limit: 3\n", "t:11: cases[0].limit: scheduler sbt has no limit"},
      {"    skip: 3\n", "    low_grant: entry\n",
       "t:11: cases[0].low_grant: scheduler sbt has no low table"},
      {"    skip: 3\n", "    skip: -3\n", "t:11: cases[0].skip: `-3` is not a whole number"},
      {"    grants: [0, 0, 1]\n", "", "t:11: cases[0].skip: there are no grants to skip to"},
      {"    grants: [0, 0, 1]\n", "    grants: [0, 2]\n",
       "t:12: cases[0].grants[1]: VL2 has no traffic"},
      {"    grants: [0, 0, 1]\n",
       "    selections: [{entry: 0, sl: 0, acc: 1, packets: 1, deficit: 0}]\n",
       "t:11: cases[0].skip: there are no grants to skip to"},
      {"    skip: 3\n", "    selections: [{entry: 0, sl: 0, acc: 1, packets: 1, deficit: 0}]\n",
       "t:11: cases[0].selections: only scheduler dtable with key sl has them"},
      {"{vl: 1, size: 1}", "{vl: 0, size: 1}", "t:9: cases[0].traffic[1].vl: repeated VL"},
      {"{vl: 1, size: 1}", "{vl: 15, size: 1}",
       "t:9: cases[0].traffic[1].vl: VL15 is management traffic"},
      {"{vl: 1, size: 1}", "{vl: 1, size: 1024}",
       "t:9: cases[0].traffic[1].size: 1024 is outside 1..1023"},
      {"{vl: 1, size: 1}", "{vl: 1, size: 1, count: 4}",
       "t:10: cases[0].shares: shares need traffic without a count"},
      {"{vl: 1, size: 1}", "{vl: 1, size: 1, sls: [0, 0, 0, 0, 0, 0, 0, 0, 0]}",
       "t:9: cases[0].traffic[1].sls[8]: too many entries"},
      {"share: 66.6667", "share: 66.66667",
       "t:10: cases[0].shares[0].share: 66.66667 has more than 4 decimals"},
      {"share: 66.6667", "share: 100.1", "t:10: cases[0].shares[0].share: 100.1 is outside 0..100"},
      {"{sl: 0, share: 66.6667}", "{sl: 0, share: 66.6667}, {sl: 0, share: 1}",
       "t:10: cases[0].shares[1].sl: repeated"},
      {"{sl: 0, share: 66.6667}", "{sl: 0, share: 66.6667}, {sl: 1, share: 34}",
       "t:10: cases[0].shares: shares sum to more than 100"},
      {"{sl: 0, share: 66.6667}", "{vl: 0, share: 66.6667}",
       "t:10: cases[0].shares[0].vl: the key of this published table is sl"},
      {"    skip: 3\n    grants: [0, 0, 1]\n", "    tolerance: 1.1\n",
       "t:11: cases[0].tolerance: 1.1 is outside 0..1"},
      {"    shares: [{sl: 0, share: 66.6667}]\n    skip: 3\n    grants: [0, 0, 1]\n", "",
       "t:7: cases[0]: nothing is expected: give shares, grants or selections"},
      {"    grants: [0, 0, 1]\n",
       "    grants: [0]\n  - {name: a, traffic: [{vl: 0, size: 1}], grants: [0]}\n",
       "t:13: cases[1].name: repeated name"},
      {"cases:\n", "cases: []\nx:\n", "t:6: cases: too few entries"},
  };
  for (unsigned i = 0; i < sizeof bad / sizeof bad[0]; i++)
    assert_string_equal(read_with(good, bad[i].from, bad[i].to).line, bad[i].error);
  assert_string_equal(read_with(good_ib, "high: [{vl: 0, weight: 2}]\n", "").line,
                      "t:1: high: scheduler ibarb needs it");
  assert_string_equal(read_with(good_ib, "vl: 0, weight", "vl: 15, weight").line,
                      "t:4: high[0].vl: VL15 is management traffic");
  assert_string_equal(read_with(good_ib, "count: 3", "count: 0").line,
                      "t:6: cases[0].traffic[0].count: 0 is outside 1..65535");
  assert_string_equal(read_with(good_ib, "name: a,", "name: a, limit: 256,").line,
                      "t:6: cases[0].limit: 256 is outside 0..255");
}

/* The last line is `...`, so that a file that lost a case or a grant is not taken for a whole one.
 */
static void a_file_that_is_cut_short_is_refused(void **state) {
  (void)state;
  static const char error[] = ": end: the file is cut short: it must end with a line \"...\"";
  static const struct {
    const char *to; /* instead of the last line */
    const char *line;
  } bad[] = {{"", "t:13"},
             {"...", "t:13"},
             {"...\n\n", "t:15"},
             {"...\n# end\n", "t:15"},
             {"... # end\n", "t:14"},
             {"# ...\n", "t:14"}};
  for (unsigned i = 0; i < sizeof bad / sizeof bad[0]; i++) {
    struct loom_error err = read_with(good, "...\n", bad[i].to);
    assert_memory_equal(err.line, bad[i].line, strlen(bad[i].line));
    assert_string_equal(err.line + strlen(bad[i].line), error);
  }
  assert_string_equal(read_with(good, "...\n", "...\r\n").line, "");
}

static void the_round_robin_scheduler_has_no_modes(void **state) {
  (void)state;
  static const char rr[] = "name: n\nsource: s\nscheduler: rr\nvl_to_sl: [0]\ncases:\n"
                           "  - {name: a, traffic: [{vl: 0, size: 1}], grants: [0]}\n...\n";
  assert_string_equal(read_with(rr, "", "").line, "");
  assert_string_equal(read_with(rr, "name: a,", "name: a, mode: text,").line,
                      "t:6: cases[0].mode: scheduler rr has no modes");
}

static void selections_must_agree_with_the_table(void **state) {
  (void)state;
  static const char dt[] =
      "name: n\nsource: s\nscheduler: dtable\ntable: [{sl: 2, weight: 3}]\nvl_to_sl: [2]\ncases:\n"
      "  - name: a\n    traffic: [{vl: 0, size: 1}]\n"
      "    selections: [{entry: 0, sl: 2, acc: 3, packets: 3, deficit: 0}]\n...\n";
  assert_string_equal(read_with(dt, "", "").line, "");
  assert_string_equal(read_with(dt, "entry: 0", "entry: 1").line,
                      "t:9: cases[0].selections[0].entry: 1 is outside 0..0");
  assert_string_equal(read_with(dt, "0, sl: 2", "0, sl: 1").line,
                      "t:9: cases[0].selections[0].sl: table entry 0 is of SL 2");
}

static void a_missing_file_is_an_error(void **state) {
  (void)state;
  struct loom_published f;
  struct loom_error err = {.line = ""};
  assert_false(loom_published_load(&f, "vectors/papers/none.yaml", &err));
  assert_string_equal(err.line,
                      "vectors/papers/none.yaml:0: file: cannot open: No such file or directory");
  assert_int_equal(f.case_count, 0);
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_published_table_is_good_and_named_as_its_file),
      cmocka_unit_test(grants_and_selections_of_table_4_5_tell_the_same_story),
      cmocka_unit_test(table_6_1_is_read_with_both_its_tables),
      cmocka_unit_test(figure_6_1_is_read_with_its_grants),
      cmocka_unit_test(a_flow_without_an_sl_takes_those_of_its_vl),
      cmocka_unit_test(good_tables_are_accepted),
      cmocka_unit_test(wrong_tables_are_refused_where_they_are_wrong),
      cmocka_unit_test(the_round_robin_scheduler_has_no_modes),
      cmocka_unit_test(selections_must_agree_with_the_table),
      cmocka_unit_test(a_missing_file_is_an_error),
      cmocka_unit_test(a_file_that_is_cut_short_is_refused),
  };
  return UNIT_RUN("published_table", tests, NULL, NULL);
}

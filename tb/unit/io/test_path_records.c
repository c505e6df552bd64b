/* SPDX-License-Identifier: Apache-2.0 */
/* Service levels of paths from saquery's answers (docs/formats.md; KN-08). */
#define _GNU_SOURCE /* open_memstream */

#include "tb/unit/unit.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "io/read_lfts.h"
#include "io/read_net.h"
#include "io/read_path_records.h"
#include "routing/check.h"
#include "tb/unit/cli_run.h"
#include "tb/unit/scratch.h"
#include "topo/generate.h"

#define NET "vectors/net/kns-2-2.net"
#define LFTS "vectors/net/kns-2-2-lash.lfts"
#define PATHS "vectors/net/kns-2-2-lash.paths"

/* ---- fabrics --------------------------------------------------------------------------------- */

/* OpenSM's LASH on the smallest KNS. */
static struct loom_routing *lash(struct loom_topo **topo) {
  struct loom_error err = {.line = ""};
  struct loom_source net = scratch_read(NET);
  struct loom_source lfts = scratch_read(LFTS);
  *topo = loom_read_net(&net, &err);
  assert_non_null(*topo);
  struct loom_routing *r = loom_read_lfts(&lfts, *topo, 0, &err);
  assert_string_equal(err.line, "");
  loom_source_free(&net);
  loom_source_free(&lfts);
  return r;
}

static bool parse(const char *text, size_t size, struct loom_routing *r, struct loom_error *err) {
  struct loom_source src;
  assert_true(loom_source_copy(&src, "f", text, size));
  bool ok = loom_read_path_records(&src, r, err);
  loom_source_free(&src);
  return ok;
}

static uint32_t end_of(const struct loom_routing *r, uint32_t lid) {
  assert_int_not_equal(r->end_of[lid], LOOM_TOPO_NONE);
  return r->end_of[lid];
}

static bool acyclic(const struct loom_routing *r) {
  struct loom_routing_cycle cycle;
  assert_true(loom_routing_find_cycle(r, &cycle));
  bool none = cycle.channels == 0;
  loom_routing_cycle_free(&cycle);
  return none;
}

/* ---- what is read ---------------------------------------------------------------------------- */

/* By hand from the file: {SL} from LID 1..4 to LID 1..4. */
static void the_levels_of_the_example_are_those_worked_out_by_hand(void **state) {
  (void)state;
  static const uint8_t sl[4][4] = {{0, 0, 0, 2}, {0, 0, 1, 2}, {0, 1, 0, 2}, {2, 2, 2, 0}};
  struct loom_topo *t = NULL;
  struct loom_routing *r = lash(&t);
  struct loom_error err = {.line = ""};
  struct loom_source src = scratch_read(PATHS);
  assert_true(loom_read_path_records(&src, r, &err));
  assert_string_equal(err.line, "");
  assert_int_equal(r->layering, LOOM_ROUTING_LAYER_PATH);
  assert_int_equal(r->layers, 3);
  assert_int_equal(r->classes, 3);
  for (uint32_t a = 1; a <= 4; a++)
    for (uint32_t b = 1; b <= 4; b++)
      assert_int_equal(loom_routing_class(r, end_of(r, a), b), sl[a - 1][b - 1]);
  for (uint32_t class = 0; class < 3; class ++)
    assert_int_equal(loom_routing_layer(r, 0, 1, 2, class, 0), class);
  loom_source_free(&src);
  loom_routing_destroy(r);
  loom_topo_destroy(t);
}

/* One dimension of five switches: the class that its own dateline gives each path, as an SL. */
static char *ring_records(const struct loom_routing *r, bool levels, size_t *size) {
  char *text = NULL;
  FILE *file = open_memstream(&text, size);
  assert_non_null(file);
  for (uint32_t a = 0; a < r->ends; a++)
    for (uint32_t b = 0; b < r->ends; b++)
      if (a != b)
        fprintf(file, "PathRecord dump:\n\t\tdlid....0x%x\n\t\tslid....%u\n\t\tsl......0x%x\n",
                (unsigned)r->end[b].lid, (unsigned)r->end[a].lid,
                levels ? (unsigned)loom_routing_class(r, a, r->end[b].lid) : 0u);
  fclose(file);
  return text;
}

/* Tables that can deadlock on one layer cannot with the levels, and can if all are 0. */
static void levels_break_the_deadlock_of_a_ring(void **state) {
  (void)state;
  struct loom_topo *t = loom_topo_torus_make(
      &(struct loom_topo_torus_cfg){.dims = 1, .size = {5}, .nodes = 1, .trunk = 1});
  assert_non_null(t);
  struct loom_routing_error why = {""};
  struct loom_routing *r =
      loom_routing_make(t, LOOM_ROUTING_DOR,
                        &(struct loom_routing_options){.avoid = LOOM_ROUTING_DATELINE_PATH}, &why);
  assert_non_null(r);
  assert_int_equal(r->classes, 2);
  for (int levels = 0; levels < 2; levels++) {
    struct loom_error err = {.line = ""};
    size_t size = 0;
    struct loom_routing *tables = loom_routing_create(t, 0, &why);
    assert_non_null(tables);
    memcpy(tables->out, r->out, (size_t)r->switches * r->lids);
    assert_false(acyclic(tables));
    char *text = ring_records(r, levels, &size);
    assert_true(parse(text, size, tables, &err));
    assert_int_equal(tables->layers, 1 + levels);
    assert_int_equal(acyclic(tables), levels);
    free(text);
    loom_routing_destroy(tables);
  }
  loom_routing_destroy(r);
  loom_topo_destroy(t);
}

/* ---- what is refused ------------------------------------------------------------------------- */

#define TITLE "PathRecord dump:\n"
#define RECORD(from, to, level) TITLE "\tdlid.." to "\n\tslid.." from "\n\tsl.." level "\n"

/* Two hosts, LIDs 1 and 2, at one switch, LID 3. */
static struct loom_routing *pair(struct loom_topo **topo) {
  static const char net[] = "Switch 2 \"s\" # \"s\" base port 0 lid 3 lmc 0\n"
                            "[1] \"a\"[1]\n[2] \"b\"[1]\n\n"
                            "Hca 1 \"a\"\n[1] \"s\"[1] # \"s\" lid 1 4xQDR\n\n"
                            "Hca 1 \"b\"\n[1] \"s\"[2] # \"s\" lid 2 4xQDR\n";
  struct loom_error err = {.line = ""};
  struct loom_routing_error why = {""};
  struct loom_source src;
  assert_true(loom_source_copy(&src, "net", net, sizeof net - 1));
  *topo = loom_read_net(&src, &err);
  assert_string_equal(err.line, "");
  loom_source_free(&src);
  struct loom_routing *r = loom_routing_create(*topo, 0, &why);
  assert_non_null(r);
  loom_routing_set(r, 0, 1, 1);
  loom_routing_set(r, 0, 2, 2);
  return r;
}

static void wrong_records_are_refused_where_they_are_wrong(void **state) {
  (void)state;
  static const struct {
    const char *text;
    const char *line;
  } files[] = {
      {"", "f:0: record: there is none"},
      {"\n# nothing\n", "f:0: record: there is none"},
      {"hello\n", "f:1: entry: a line is `PathRecord dump:`, or a field as in `dlid....9`"},
      {"....\n", "f:1: entry: a line is `PathRecord dump:`, or a field as in `dlid....9`"},
      {"\nsl..1\n", "f:2: entry: belongs to no record"},
      {"PathRecord dump: 1\n", "f:1: entry: something follows `PathRecord dump:`"},
      {TITLE "dlid..x\n", "f:2: dlid: missing number"},
      {TITLE "dlid..0xffff\n", "f:2: dlid: ffff is above 49151"},
      {TITLE "slid..49152\n", "f:2: slid: 49152 is above 49151"},
      {TITLE "sl..16\n", "f:2: sl: 16 is above 15"},
      {TITLE "sl..1 2\n", "f:2: sl: something follows the number"},
      {TITLE "sl..1\nsl..1\n", "f:3: sl: stands twice"},
      {TITLE, "f:1: slid: missing"},
      {TITLE "sl..0\nslid..1\n", "f:1: dlid: missing"},
      {"#\n" TITLE "dlid..2\nslid..1\n", "f:2: sl: missing"},
      {RECORD("1", "4", "0"), "f:1: dlid: no port of the fabric has LID 4"},
      {RECORD("1", "2", "0") RECORD("0", "1", "0"), "f:5: slid: no port of the fabric has LID 0"},
      {RECORD("1", "2", "0") RECORD("0x1", "0x2", "0x3"),
       "f:5: sl: is 3, and 0 in a record of this path before it"},
      {RECORD("1", "2", "0") RECORD("2", "1", "0") "mtu..1\n",
       "f:5: record: has 4 fields, the first one has 3"},
      {RECORD("1", "2", "0"), "f:0: record: there is none of the path from LID 2 to LID 1"},
      {RECORD("1", "2", "0") RECORD("3", "1", "0"),
       "f:0: record: there is none of the path from LID 2 to LID 1"},
      {RECORD("1", "2", "0") TITLE "dlid..1\nslid..2\nsl..1",
       "f:8: record: the file is cut short: the last line does not end"},
  };
  struct loom_topo *t = NULL;
  struct loom_routing *r = pair(&t);
  for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
    struct loom_error err = {.line = ""};
    assert_false(parse(files[i].text, strlen(files[i].text), r, &err));
    assert_string_equal(err.line, files[i].line);
    assert_int_equal(r->layering, LOOM_ROUTING_LAYER_NONE);
  }
  loom_routing_destroy(r);
  loom_topo_destroy(t);
}

/* In any order, of switches as well, with titles that saquery prints, twice the same. */
static void other_forms_of_the_same_records_are_accepted(void **state) {
  (void)state;
  static const char *const files[] = {
      RECORD("1", "2", "1") RECORD("2", "1", "15"),
      RECORD("2", "1", "0xF") RECORD("3", "1", "3") RECORD("1", "3", "2") RECORD("1", "2", "0x1")
          RECORD("0x001", "002", "01") RECORD("3", "3", "0"),
      "Path record for a -> b\r\nPathRecord dump:\r\n\t\tdlid....2\r\n\t\tslid....1 \r\n"
      "\t\tsl......0x1\r\n\t\tdgid....fe80::10:11\r\n\r\nPath record for b -> a\r\n"
      "PathRecord "
      "dump:\r\n\t\tservice_id..0x0\r\n\t\tslid....2\r\n\t\tsl......0xf\r\n\t\tdlid....1\r\n"};
  struct loom_topo *t = NULL;
  for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
    struct loom_routing *r = pair(&t);
    struct loom_error err = {.line = ""};
    bool ok = parse(files[i], strlen(files[i]), r, &err);
    assert_string_equal(err.line, "");
    assert_true(ok);
    assert_int_equal(r->layers, 16);
    assert_int_equal(loom_routing_class(r, end_of(r, 1), 2), 1);
    assert_int_equal(loom_routing_class(r, end_of(r, 2), 1), 15);
    loom_routing_destroy(r);
    loom_topo_destroy(t);
  }
}

/* Pairs that the tables do not connect need no record. */
static void pairs_that_the_tables_do_not_connect_need_no_record(void **state) {
  (void)state;
  struct loom_topo *t = NULL;
  struct loom_routing *r = pair(&t);
  struct loom_error err = {.line = ""};
  loom_routing_set(r, 0, 1, LOOM_ROUTING_UNREACHABLE);
  const char *text = RECORD("1", "2", "0");
  assert_true(parse(text, strlen(text), r, &err));
  loom_routing_destroy(r);
  loom_topo_destroy(t);
}

/* No beginning of a file is taken for the whole. */
static void no_beginning_of_a_file_of_records_is_taken_for_the_whole(void **state) {
  (void)state;
  struct loom_topo *t = NULL;
  struct loom_routing *r = lash(&t);
  struct loom_source src = scratch_read(PATHS);
  for (size_t size = 0; size < src.size; size++) {
    struct loom_error err = {.line = ""};
    assert_false(parse(src.text, size, r, &err));
    assert_int_equal(strncmp(err.line, "f:", 2), 0);
  }
  loom_source_free(&src);
  loom_routing_destroy(r);
  loom_topo_destroy(t);
}

/* ---- the command ----------------------------------------------------------------------------- */

static void route_counts_the_layers_and_classes_of_path_records(void **state) {
  (void)state;
  json_t *root = run_json("route " NET " --json --lfts " LFTS);
  assert_int_equal(count_of(root, "layers"), 1);
  json_decref(root);
  root = run_json("route " NET " --json --lfts " LFTS " --path-records " PATHS);
  assert_int_equal(count_of(root, "layers"), 3);
  assert_int_equal(count_of(root, "classes"), 3);
  json_decref(root);
  root = run_json("route path " NET " --json --lfts " LFTS " --path-records " PATHS " 2 3");
  const json_t *way = json_array_get(root, 0);
  const json_t *links = json_object_get(way, "links");
  assert_int_equal(count_of(way, "class"), 1);
  assert_int_equal(json_array_size(links), 6);
  for (size_t i = 1; i < 6; i++)
    assert_int_equal(count_of(json_array_get(links, i), "layer"), 1);
  json_decref(root);
}

/* SL2VL of opensm.conf: the VLs of SLs that paths have are the layers. */
static void the_layers_are_the_vls_that_opensm_conf_gives_the_levels(void **state) {
  (void)state;
  char folder[SCRATCH_FOLDER];
  char file[64];
  char line[300];
  char error[200];
  scratch_make(folder);
  snprintf(file, sizeof file, "%s/opensm.conf", folder);
  scratch_write(file, "qos_sl2vl 0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0\n"
                      "qos_swe_sl2vl 4,2,1,15,15,9,9,9,9,9,9,9,9,9,9,9\n");
  snprintf(line, sizeof line,
           "route path " NET " --json --lfts " LFTS " --path-records " PATHS " --opensm %s 2 3",
           file);
  json_t *root = run_json(line);
  const json_t *links = json_object_get(json_array_get(root, 0), "links");
  for (size_t i = 1; i < 6; i++)
    assert_int_equal(count_of(json_array_get(links, i), "layer"), 2);
  json_decref(root);
  snprintf(line, sizeof line,
           "route " NET " --json --lfts " LFTS " --path-records " PATHS " --opensm %s", file);
  root = run_json(line);
  assert_int_equal(count_of(root, "layers"), 5);
  assert_int_equal(count_of(root, "classes"), 3);
  json_decref(root);
  scratch_write(file, "qos_sl2vl 0,15,0,0,0,0,0,0,0,0,0,0,0,0,0,0\n");
  snprintf(error, sizeof error, "%s:0: qos_swe_sl2vl: drops SL 1, which paths have", file);
  assert_refused(line, error);
  scratch_write(file, "qos TRUE\n"); /* OpenSM's own: SL 0 has VL 0, and so on */
  root = run_json(line);
  assert_int_equal(count_of(root, "layers"), 3);
  json_decref(root);
  assert_int_equal(unlink(file), 0);
  assert_int_equal(rmdir(folder), 0);
}

/* The form of opensm-sl2vl.dump is what it always was. */
static void the_sl2vl_dump_of_path_records_is_what_it_always_was(void **state) {
  (void)state;
  char folder[SCRATCH_FOLDER];
  char file[64];
  char line[300];
  scratch_make(folder);
  snprintf(file, sizeof file, "%s/f.sl2vl", folder);
  snprintf(line, sizeof line, "route " NET " --json --lfts " LFTS " --path-records " PATHS " -o %s",
           file);
  json_decref(run_json(line));
  struct loom_source made = scratch_read(file);
  struct loom_source kept = scratch_read("vectors/net/kns-2-2-lash.sl2vl");
  assert_string_equal(made.text, kept.text);
  loom_source_free(&made);
  loom_source_free(&kept);
  assert_int_equal(unlink(file), 0);
  assert_int_equal(rmdir(folder), 0);
}

static void wrong_options_for_path_records_are_refused_with_one_line(void **state) {
  (void)state;
  assert_refused("route " NET " --engine hdor --path-records " PATHS,
                 "loom route: --path-records: belongs to tables that are read: --lfts");
  assert_refused("route " NET " --lfts " LFTS " --opensm /none/f",
                 "loom route: --opensm: belongs to --path-records");
  assert_refused("route " NET " --lfts " LFTS " --path-records " PATHS " --opensm /none/f",
                 "/none/f:0: file: cannot open: No such file or directory");
  assert_refused("route " NET " --lfts " LFTS " --path-records /none/f",
                 "/none/f:0: file: cannot open: No such file or directory");
  assert_refused("route " NET " --lfts " LFTS " --path-records " LFTS,
                 LFTS ":1: entry: a line is `PathRecord dump:`, or a field as in `dlid....9`");
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_levels_of_the_example_are_those_worked_out_by_hand),
      cmocka_unit_test(levels_break_the_deadlock_of_a_ring),
      cmocka_unit_test(wrong_records_are_refused_where_they_are_wrong),
      cmocka_unit_test(other_forms_of_the_same_records_are_accepted),
      cmocka_unit_test(pairs_that_the_tables_do_not_connect_need_no_record),
      cmocka_unit_test(no_beginning_of_a_file_of_records_is_taken_for_the_whole),
      cmocka_unit_test(route_counts_the_layers_and_classes_of_path_records),
      cmocka_unit_test(the_layers_are_the_vls_that_opensm_conf_gives_the_levels),
      cmocka_unit_test(the_sl2vl_dump_of_path_records_is_what_it_always_was),
      cmocka_unit_test(wrong_options_for_path_records_are_refused_with_one_line),
  };
  return UNIT_RUN("path_records", tests, NULL, NULL);
}

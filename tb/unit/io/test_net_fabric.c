/* SPDX-License-Identifier: Apache-2.0 */
/* Fabrics of `.net` files under traffic (docs/formats.md, docs/route.md; KN-06, KN-10): with their
 * LIDs or without any, they are those that are made. */
#include "tb/unit/unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/net_fabric.h"
#include "tb/unit/run_bench.h"

/* As ibsim's own examples are: no LIDs, ports that are left out, two cables between switches. */
static const char two_paths[] = "Switch\t8 \"Switch1\"\n[1]\t\"Hca1\"[1]\n[3]\t\"Switch2\"[3]\n"
                                "[5]\t\"Switch2\"[5]\n\nSwitch 8 \"Switch2\"\n[1]\t\"Hca2\"[1]\n"
                                "[3]\t\"Switch1\"[3]\n[5]\t\"Switch1\"[5]\n\n"
                                "Hca\t2 \"Hca1\"\n[1]\t\"Switch1\"[1]\n\n"
                                "Hca\t2 \"Hca2\"\n[1]\t\"Switch2\"[1]\n";

#define FROM_FILE(topology, routing)                                                               \
  "---\nname: f\ntopology: {" topology "}\nrouting: {" routing "}\n"                               \
  "switch: {kind: ib, scheduler: rr, parameters: {ARB_KEY: 0}}\n" TWO

/* A fabric without LIDs is numbered as `loom route` numbers it, and fits the tables that `loom
 * route` wrote for it. */
static void a_fabric_without_lids_is_numbered_as_route_numbers_it(void **state) {
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

/* LIDs that a file has are kept. */
static void lids_that_a_file_has_are_kept(void **state) {
  (void)state;
  write_file("lids.net", "Switch 8 \"s\" # \"s\" base port 0 lid 9 lmc 0\n"
                         "[1] \"a\"[1] # \"a\" lid 30 4xQDR\n[2] \"b\"[1] # \"b\" lid 20 4xQDR\n\n"
                         "Hca 1 \"a\"\n[1] \"s\"[1] # \"s\" lid 30 4xQDR\n\n"
                         "Hca 1 \"b\"\n[1] \"s\"[2] # \"s\" lid 20 4xQDR\n");
  json_t *root = json_of("route path @ --engine minhop --json b a", in_folder("lids.net"), "");
  assert_int_equal(count_of(json_array_get(root, 0), "lid"), 30);
  json_decref(root);
}

/* Dimension order by the names of the switches: the torus of a file is the one that is made. */
static void the_torus_of_a_file_runs_as_the_one_that_is_made(void **state) {
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

/* More switches and nodes than there are LIDs: that is what is said. */
static void more_devices_than_lids_are_refused(void **state) {
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

/* A row of switches, and so many nodes in turn. */
static void write_row(const char *name, unsigned switches, unsigned nodes) {
  FILE *file = fopen(in_folder(name), "w");
  assert_non_null(file);
  for (unsigned s = 0; s < switches; s++) {
    fprintf(file, "Switch 255 \"s%u\"\n", s);
    for (unsigned n = s; n < nodes; n += switches)
      fprintf(file, "[%u] \"n%u\"[1]\n", n / switches + 1, n);
    if (s + 1 < switches)
      fprintf(file, "[254] \"s%u\"[255]\n", s + 1);
    if (s)
      fprintf(file, "[255] \"s%u\"[254]\n", s - 1);
    fputc('\n', file);
  }
  for (unsigned n = 0; n < nodes; n++)
    fprintf(file, "Hca 1 \"n%u\"\n[1] \"s%u\"[%u]\n\n", n, n % switches, n / switches + 1);
  assert_int_equal(fclose(file), 0);
}

static void a_fabric_may_need_every_lid_and_no_more(void **state) {
  (void)state;
  for (unsigned more = 0; more < 2; more++) {
    struct loom_source src;
    struct loom_error err = {.line = ""};
    write_row("all.net", 194, LOOM_TOPO_LID_MAX - 194 + more);
    assert_true(loom_source_read_all(&src, in_folder("all.net"), &err));
    struct loom_topo *t = loom_net_fabric(&src, &err);
    assert_true(more ? !t : t && t->devices == LOOM_TOPO_LID_MAX);
    assert_true(!more == !err.line[0]);
    assert_true(!more || strstr(err.line, "the fabric needs 49152 LIDs, there are 49151"));
    loom_topo_destroy(t);
    loom_source_free(&src);
    remove(in_folder("all.net"));
  }
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_fabric_without_lids_is_numbered_as_route_numbers_it),
      cmocka_unit_test(lids_that_a_file_has_are_kept),
      cmocka_unit_test(the_torus_of_a_file_runs_as_the_one_that_is_made),
      cmocka_unit_test(more_devices_than_lids_are_refused),
      cmocka_unit_test(a_fabric_may_need_every_lid_and_no_more),
  };
  return UNIT_RUN("net_fabric", tests, make_folder, remove_folder);
}

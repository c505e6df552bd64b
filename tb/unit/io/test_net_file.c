/* SPDX-License-Identifier: Apache-2.0 */
/* Fabrics as files, and the command `loom topo`: KN-10, and what it prints and refuses. */
#define _GNU_SOURCE /* open_memstream */

#include "tb/unit/unit.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "io/read_net.h"
#include "io/save.h"
#include "io/streams.h"
#include "run/read_fabric.h"
#include "tb/unit/cli_run.h"
#include "tb/unit/scratch.h"
#include "topo/generate.h"

/* ---- round trips ----------------------------------------------------------------------------- */

typedef void write_fabric(const struct loom_topo *t, FILE *file);

/* The fabric as text; the caller frees it. */
static char *text_of(const struct loom_topo *t, write_fabric *write, size_t *size) {
  char *text = NULL;
  FILE *file = open_memstream(&text, size);
  assert_non_null(file);
  write(t, file);
  fclose(file);
  assert_non_null(text);
  return text;
}

static struct loom_topo *parse(const char *text, struct loom_error *err) {
  struct loom_source src;
  assert_true(loom_source_copy(&src, "f", text, strlen(text)));
  struct loom_topo *t = loom_read_net(&src, err);
  loom_source_free(&src);
  return t;
}

static void assert_same(const struct loom_topo *a, const struct loom_topo *b) {
  assert_int_equal(a->devices, b->devices);
  assert_int_equal(a->ports, b->ports);
  for (uint32_t d = 0; d < a->devices; d++) {
    assert_string_equal(a->device[d].name, b->device[d].name);
    assert_int_equal(a->device[d].kind, b->device[d].kind);
    assert_int_equal(a->device[d].ports, b->device[d].ports);
  }
  for (uint32_t p = 0; p < a->ports; p++) {
    assert_int_equal(a->port[p].device, b->port[p].device);
    assert_int_equal(a->port[p].port, b->port[p].port);
    assert_int_equal(a->port[p].lid, b->port[p].lid);
  }
}

/* Destroys `t`. */
static void assert_round_trip(struct loom_topo *t) {
  struct loom_error err = {.line = ""};
  size_t size = 0;
  assert_non_null(t);
  char *text = text_of(t, loom_topo_write_net, &size);
  struct loom_topo *back = parse(text, &err);
  assert_string_equal(err.line, "");
  assert_non_null(back);
  assert_same(t, back);
  loom_topo_destroy(back);
  loom_topo_destroy(t);
  free(text);
}

static void fabrics_are_read_back_as_they_were_written(void **state) {
  (void)state;
  assert_round_trip(loom_topo_tree_make(&(struct loom_topo_tree_cfg){.k = 8, .n = 3, .trunk = 1}));
  assert_round_trip(loom_topo_tree_make(&(struct loom_topo_tree_cfg){.k = 24, .n = 2, .trunk = 1}));
  assert_round_trip(
      loom_topo_tree_make(&(struct loom_topo_tree_cfg){.k = 3, .n = 3, .trunk = 2, .full = true}));
  assert_round_trip(loom_topo_slim_make(&(struct loom_topo_slim_cfg){.nodes = 5}));
  assert_round_trip(loom_topo_torus_make(
      &(struct loom_topo_torus_cfg){.dims = 2, .size = {8, 8}, .nodes = 8, .trunk = 10}));
  assert_round_trip(loom_topo_kns_make(
      &(struct loom_topo_kns_cfg){.k = 6, .n = 2, .nodes = 1, .trunk = 1, .ports = 8}));
  assert_round_trip(loom_topo_kns_make(
      &(struct loom_topo_kns_cfg){.k = 5, .n = 2, .nodes = 2, .trunk = 2, .radix = 3}));
  assert_round_trip(loom_topo_qsnet3_make(
      &(struct loom_topo_qsnet3_cfg){.nodes = 256, .links = 2, .rails = 2, .spread = true}));
}

/* The file is what it always was, and what the documentation shows. */
static void the_file_of_a_fabric_is_what_it_always_was(void **state) {
  (void)state;
  static const char *const names[] = {"vectors/net/kns-2-2.net", "vectors/net/kns-6-2.net"};
  const struct loom_topo_kns_cfg cfg[] = {{.k = 2, .n = 2, .nodes = 1, .trunk = 1, .ports = 4},
                                          {.k = 6, .n = 2, .nodes = 1, .trunk = 1, .ports = 8}};
  for (size_t i = 0; i < 2; i++) {
    struct loom_source src;
    struct loom_error err = {.line = ""};
    size_t size = 0;
    struct loom_topo *t = loom_topo_kns_make(&cfg[i]);
    assert_non_null(t);
    char *text = text_of(t, loom_topo_write_net, &size);
    assert_true(loom_source_read(&src, names[i], &err));
    assert_string_equal(src.text, text);
    loom_source_free(&src);
    loom_topo_destroy(t);
    free(text);
  }
}

static void a_fabric_is_drawn_as_a_graph_for_graphviz(void **state) {
  (void)state;
  struct loom_topo *t =
      loom_topo_tree_make(&(struct loom_topo_tree_cfg){.k = 1, .n = 2, .trunk = 2});
  assert_non_null(t);
  size_t size = 0;
  char *text = text_of(t, loom_topo_write_dot, &size);
  assert_string_equal(text, "graph fabric {\n"
                            "  \"H0\" [shape=ellipse, pos=\"36,0!\"];\n"
                            "  \"S0-0\" [shape=box, pos=\"36,216!\"];\n"
                            "  \"S1-0\" [shape=box, pos=\"36,432!\"];\n"
                            "  \"H0\" -- \"S0-0\";\n"
                            "  \"S0-0\" -- \"S1-0\" [label=2];\n"
                            "}\n");
  free(text);
  strcpy(t->device[0].name, "a\"b\\");
  text = text_of(t, loom_topo_write_dot, &size);
  assert_non_null(strstr(text, "  \"a\\\"b\\\\\" -- \"S0-0\";\n"));
  free(text);
  loom_topo_destroy(t);
}

/* Devices of a drawing that have a place, none of them two in one. */
static uint32_t places_of(struct loom_topo *t) {
  size_t size = 0;
  uint32_t places = 0;
  char *text = text_of(t, loom_topo_write_dot, &size);
  for (char *at = text; (at = strstr(at, "pos=\"")) != NULL; places++) {
    char *end = strchr(at, '!');
    assert_non_null(end);
    *end = 0; /* so that the copy of a place is found as a whole */
    for (const char *other = end + 1; (other = strstr(other, "pos=\"")) != NULL; other++)
      assert_true(strncmp(other, at, strlen(at)) != 0 || other[strlen(at)] != '!');
    at = end + 1;
  }
  free(text);
  loom_topo_destroy(t);
  return places;
}

/* By level or coordinates; where they tell nothing, and of what has been read, Graphviz places. */
static void a_drawing_has_a_place_of_its_own_for_each_device(void **state) {
  (void)state;
  struct loom_source src;
  struct loom_error err = {.line = ""};
  assert_int_equal(
      places_of(loom_topo_tree_make(&(struct loom_topo_tree_cfg){.k = 3, .n = 3, .trunk = 1})), 54);
  assert_int_equal(places_of(loom_topo_torus_make(&(struct loom_topo_torus_cfg){
                       .dims = 3, .size = {3, 4, 2}, .nodes = 3, .trunk = 1})),
                   96);
  assert_int_equal(places_of(loom_topo_kns_make(
                       &(struct loom_topo_kns_cfg){.k = 3, .n = 3, .nodes = 1, .trunk = 1})),
                   81);
  assert_int_equal(places_of(loom_topo_kns_make(&(struct loom_topo_kns_cfg){
                       .k = 4, .n = 2, .nodes = 1, .trunk = 1, .radix = 2})),
                   0);
  assert_true(loom_source_read(&src, "tb/fuzz/good/discovered.net", &err));
  struct loom_topo *t = loom_read_net(&src, &err);
  loom_source_free(&src);
  assert_non_null(t);
  assert_int_equal(places_of(t), 0);
}

/* Hosts of a switch stand below it in their order, and a switch that joins a row beside it. */
static void a_grid_is_drawn_by_its_coordinates(void **state) {
  (void)state;
  static const char *const lines[] = {"  \"S1-0\" [shape=box, pos=\"144,0!\"];\n",
                                      "  \"H2\" [shape=ellipse, pos=\"120,-54!\"];\n",
                                      "  \"H3\" [shape=ellipse, pos=\"168,-54!\"];\n"};
  size_t size = 0;
  struct loom_topo *t = loom_topo_torus_make(
      &(struct loom_topo_torus_cfg){.dims = 2, .size = {2, 2}, .nodes = 2, .trunk = 1});
  char *text = text_of(t, loom_topo_write_dot, &size);
  for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++)
    if (!strstr(text, lines[i]))
      fail_msg("no line %s", lines[i]);
  free(text);
  loom_topo_destroy(t);
  t = loom_topo_kns_make(&(struct loom_topo_kns_cfg){.k = 2, .n = 2, .nodes = 1, .trunk = 1});
  text = text_of(t, loom_topo_write_dot, &size);
  assert_non_null(strstr(text, "  \"S0-1\" [shape=box, pos=\"288,144!\"];\n"));
  assert_non_null(strstr(text, "  \"S1-1\" [shape=box, pos=\"144,288!\"];\n"));
  free(text);
  loom_topo_destroy(t);
}

/* Two switches with hosts on a diagonal, one of which has its cable at its second port; a third
 * switch joins them, or has no cable. */
static char *drawn_diagonal(bool joined) {
  size_t size = 0;
  struct loom_topo *t = loom_topo_create(6, 64);
  assert_non_null(t);
  loom_topo_add(t, LOOM_TOPO_HCA, 2, "far");
  for (unsigned i = 0; i < 2; i++)
    loom_topo_add(t, LOOM_TOPO_HCA, 1, "h%u", i);
  for (uint32_t i = 0; i < 2; i++)
    loom_topo_place(t, loom_topo_add(t, LOOM_TOPO_SWITCH, 3, "s%u", (unsigned)i), 2,
                    (uint32_t[]){i, i});
  uint32_t joint = loom_topo_add(t, LOOM_TOPO_SWITCH, 2, "joint");
  for (uint32_t i = 0; i < 2; i++) {
    assert_true(loom_topo_connect(t, 1 + i, 1, 3, 1 + i));
    assert_true(!joined || loom_topo_connect(t, joint, 1 + i, 3 + i, 3));
  }
  assert_true(loom_topo_connect(t, 0, 2, 4, 1));
  char *text = text_of(t, loom_topo_write_dot, &size);
  loom_topo_destroy(t);
  return text;
}

static void a_switch_without_hosts_stands_amid_those_that_it_joins(void **state) {
  (void)state;
  char *text = drawn_diagonal(true);
  assert_non_null(strstr(text, "  \"joint\" [shape=box, pos=\"144,144!\"];\n"));
  assert_non_null(strstr(text, "  \"far\" [shape=ellipse, pos=\"144,90!\"];\n"));
  free(text);
  text = drawn_diagonal(false); /* it has no place, so it is no grid */
  assert_null(strstr(text, "inf"));
  assert_null(strstr(text, "pos=\"144,90!\""));
  free(text);
}

/* What ibnetdiscover prints is understood: both LIDs, GUIDs, descriptions, speeds. */
static void the_output_of_ibnetdiscover_is_understood(void **state) {
  (void)state;
  struct loom_source src;
  struct loom_error err = {.line = ""};
  assert_true(loom_source_read(&src, "tb/fuzz/good/discovered.net", &err));
  struct loom_topo *t = loom_read_net(&src, &err);
  loom_source_free(&src);
  assert_string_equal(err.line, "");
  assert_non_null(t);
  assert_int_equal(t->devices, 4);
  assert_string_equal(t->device[1].name, "two HCA-1");
  assert_string_equal(t->device[3].name, "S-0002c90000000004"); /* without a description */
  assert_int_equal(t->device[1].kind, LOOM_TOPO_HCA);
  assert_int_equal(loom_topo_port(t, 1, 1)->device, LOOM_TOPO_NONE);
  assert_int_equal(loom_topo_lid(t, 1, 2), 2);
  assert_int_equal(loom_topo_lid(t, 0, 1), 1);
  assert_int_equal(loom_topo_lid(t, 2, 1), 3);
  assert_int_equal(loom_topo_lid(t, 3, 1), 4); /* only its peers say so */
  assert_int_equal(loom_topo_port(t, 2, 36)->port, 8);
  loom_topo_destroy(t);
}

/* ---- files that are refused ------------------------------------------------------------------ */

#define PAIR "Hca 1 \"a\"\n[1] \"b\"[1]\n\nHca 1 \"b\"\n[1] \"a\"[1]\n"

static void wrong_fabrics_are_refused_where_they_are_wrong(void **state) {
  (void)state;
  static const struct {
    const char *text;
    const char *line;
  } files[] = {
      {"", "f:0: device: the file has no device"},
      {"# nothing\n", "f:1: device: the file has no device"},
      {"Router 1 \"a\"\n", "f:1: device: a line starts with `Hca`, `Switch`, `[` or `#`"},
      {"Switch\n", "f:1: device: no number of ports"},
      {"Switch x \"a\"\n", "f:1: ports: missing number"},
      {"Switch 08 \"a\"\n", "f:1: ports: number with a leading zero"},
      {"Switch 256 \"a\"\n", "f:1: ports: 256 is outside 1..255"},
      {"Switch 0 \"a\"\n", "f:1: ports: 0 is outside 1..255"},
      {"Switch 8 a\n", "f:1: name: must stand in double quotes"},
      {"Switch 8 \"a\n", "f:1: name: the closing quote is missing"},
      {"Switch 8 \"\"\n", "f:1: name: a name has 1..63 characters"},
      {"Switch 8 \"a@b\"\n", "f:1: name: a name is plain text without `#` and `@`"},
      {"Switch 8 \"a\" b\n", "f:1: device: something follows the name"},
      {"Switch 8 \"a\" # b\n", "f:1: description: must stand in double quotes"},
      {"Switch 8 \"a\" # \"a\" base port 0 lid 49152 lmc 0\n",
       "f:1: lid: 49152 is outside 0..49151"},
      {"Switch 8 \"a\" # \"a\" base port 0 lid 1 lmc 1\n", "f:1: lmc: 1 is outside 0..0"},
      {"Switch 8 \"a\" # \"a\" base port 0 lid 1 lmc 0 x\n",
       "f:1: lid: something follows that is not understood"},
      {"Hca 1 \"a\" # \"a\" base port 0 lid 1\n", "f:1: lid: an HCA has no port 0"},
      {"Hca 1 \"a\"\n\nHca 1 \"a\"\n", "f:3: name: \"a\" is the name in line 1, too"},
      {"Hca 1 \"a\"\n\n[1] \"b\"[1]\n",
       "f:3: port: belongs to no device: an empty line ends a device"},
      {"Hca 1 \"a\"\n[2] \"b\"[1]\n", "f:2: port: 2 is outside 1..1"},
      {"Hca 1 \"a\"\n[1 \"b\"[1]\n", "f:2: port: the closing `]` is missing"},
      {"Hca 1 \"a\"\n[1](xyz) \"b\"[1]\n", "f:2: guid: must have 1..16 hexadecimal digits"},
      {"Hca 1 \"a\"\n[1] \"b\"[1]\n", "f:2: peer: there is no device \"b\""},
      {"Hca 1 \"a\"\n[1] \"b\"\n\nHca 1 \"b\"\n", "f:2: peer port: must be `[port]`"},
      {"Hca 1 \"a\"\n[1] \"b\"[2]\n\nHca 1 \"b\"\n", "f:2: peer port: 2 is outside 1..1"},
      {"Hca 1 \"a\"\n[1] \"b\"[1] w=4\n\nHca 1 \"b\"\n", "f:2: port: something follows the peer"},
      {"Hca 1 \"a\"\n[1] \"b\"[1]\n\nHca 1 \"b\"\n",
       "f:2: peer: [1] of \"b\" does not lead back here"},
      {"Hca 1 \"a\"\n[1] \"b\"[1]\n[1] \"b\"[1]\n\nHca 1 \"b\"\n",
       "f:3: port: [1] stands in line 2, too"},
      {"Hca 2 \"a\"\n[1] \"a\"[2]\n[2] \"a\"[1]\n", "f:2: peer: is the device itself"},
      {"Hca 1 \"a\"\n[1] \"b\"[1] # \"b\" lid 1\n\nHca 1 \"b\"\n",
       "f:2: speed: must be a width and a speed, such as `4xQDR`"},
      {"Hca 1 \"a\"\n[1] \"b\"[1] # \"b\" lid 1 4xQD\n\nHca 1 \"b\"\n",
       "f:2: speed: must be SDR, DDR, QDR, FDR10, FDR, EDR, HDR, NDR, XDR or ??? after the "
       "width"},
      {"Hca 1 \"a\"\n[1] \"b\"[1] # \"b\" lod 1 4xQDR\n\nHca 1 \"b\"\n",
       "f:2: lid: must be `lid N`"},
      {"Hca 1 \"a\"\n[1] \"b\"[1] # lid 1 \"b\" lid 1 4xQDR\n\nHca 1 \"b\"\n",
       "f:2: lmc: must be `lmc N` after the LID"},
      {"Hca 1 \"a\"\n[1] \"b\"[1] # \"b\" lid 7 4xQDR\n\n"
       "Hca 1 \"b\"\n[1] \"a\"[1] # \"a\" lid 7 4xQDR\n",
       "f:5: lid: 7 is the LID of another port, too"},
      {"Hca 1 \"a\"\n[1] \"b\"[1] # \"b\" lid 7 4xQDR\n\n"
       "Switch 1 \"b\"\n[1] \"a\"[1] # \"a\" lid 8 4xQDR\n",
       "f:5: lid: the peer has LID 7, not 8"},
      {"# devices: 3\n" PAIR, "f:6: devices: the file has 2, the first line says 3"},
      {"# devices: x\n" PAIR, "f:1: devices: missing number"},
  };
  for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
    struct loom_error err = {.line = ""};
    assert_null(parse(files[i].text, &err));
    assert_string_equal(err.line, files[i].line);
  }
  struct loom_error err = {.line = ""};
  struct loom_topo *t = parse(PAIR, &err);
  assert_non_null(t);
  loom_topo_destroy(t);
}

/* ---- saving ---------------------------------------------------------------------------------- */

static void assert_content(const char *name, const char *text) {
  struct loom_source src;
  struct loom_error err = {.line = ""};
  assert_true(loom_source_read(&src, name, &err));
  assert_string_equal(src.text, text);
  loom_source_free(&src);
}

static void a_saved_file_is_whole_or_unchanged_also_through_a_link(void **state) {
  (void)state;
  char folder[SCRATCH_FOLDER];
  char name[64];
  char link[64];
  struct loom_error err = {.line = ""};
  scratch_make(folder);
  snprintf(name, sizeof name, "%s/f", folder);
  snprintf(link, sizeof link, "%s/link", folder);
  assert_true(loom_save(name, "one\n", 4, &err));
  assert_content(name, "one\n");
  assert_int_equal(symlink("f", link), 0);
  assert_true(loom_save(link, "two\n", 4, &err));
  assert_content(name, "two\n");
  assert_false(loom_save(folder, "x", 1, &err));
  assert_false(loom_save("/dev/full", "x", 1, &err));
  assert_string_equal(err.line, "/dev/full:0: file: cannot write: No space left on device");
  assert_false(loom_save("build/none/f", "x", 1, &err));
  assert_string_equal(err.line, "build/none/f:0: file: cannot write: No such file or directory");
  char part[100]; /* of another that makes the same file */
  snprintf(part, sizeof part, "%s.part%ld", name, (long)getpid());
  scratch_write(part, "three\n");
  assert_false(loom_save(name, "four\n", 5, &err));
  assert_content(name, "two\n");
  assert_content(part, "three\n");
  unlink(part);
  unlink(link);
  unlink(name);
  assert_int_equal(rmdir(folder), 0); /* nothing else is left */
}

/* ---- the command ----------------------------------------------------------------------------- */

static void topo_prints_the_counts_of_a_fabric(void **state) {
  (void)state;
  struct outcome o = loom("topo kns --k 6 --n 2 --hops");
  assert_int_equal(o.status, LOOM_EXIT_DONE);
  assert_string_equal(o.out, "nodes                      36\n"
                             "switches                   48\n"
                             "  with nodes               36\n"
                             "ports of a switch           3\n"
                             "  to                        6\n"
                             "node links                 36\n"
                             "switch links               72\n"
                             "links                     108\n"
                             "stages                      1\n"
                             "\n"
                             "links        pairs\n"
                             "    4          360\n"
                             "    6          900\n");
  drop(&o);
  o = loom("topo qsnet3 --nodes 16384");
  assert_int_equal(o.status, LOOM_EXIT_DONE);
  assert_non_null(strstr(o.out, "\nnode chassis              128\n"
                                "top switches              128\n"
                                "  links down              128\n"
                                "  routers                   0\n"
                                "top chassis               128\n"
                                "cables                  32768\n"));
  drop(&o);
}

static void topo_prints_the_counts_of_a_fabric_as_json(void **state) {
  (void)state;
  json_t *root = run_json("topo qsnet3 --nodes 1280 --json");
  assert_int_equal(json_object_size(root), 15);
  assert_string_equal(json_string_value(json_object_get(root, "kind")), "qsnet3");
  assert_int_equal(count_of(root, "nodes"), 1280);
  assert_int_equal(count_of(root, "top_routers"), 43);
  assert_int_equal(count_of(root, "top_chassis"), 6);
  assert_int_equal(count_of(root, "cables"), 2560);
  json_decref(root);
  root = run_json("topo torus --size 4x4x2 --nodes 2 --trunk 3 --json --hops");
  assert_int_equal(count_of(root, "nodes"), 64);
  assert_int_equal(count_of(root, "ports_max"), 20);
  assert_int_equal(count_of(root, "switch_links"), 32 * 9);
  assert_int_equal(count_of(root, "unreachable"), 0);
  assert_int_equal(json_array_size(json_object_get(root, "hops")), 6);
  json_decref(root);
  root = run_json("topo tree --k 16 --n 2 --full --json");
  assert_int_equal(count_of(root, "nodes"), 512);
  json_decref(root);
  root = run_json("topo kns --k 2 --n 2 --trunk 3 --json");
  assert_int_equal(count_of(root, "node_links"), 4);
  assert_int_equal(count_of(root, "switch_links"), 8 * 3);
  json_decref(root);
  root = run_json("topo kns --k 9 --n 2 --radix 3 --nodes 2 --trunk 2 --json");
  assert_int_equal(count_of(root, "stages"), 2);
  assert_int_equal(count_of(root, "node_links"), 162);
  json_decref(root);
}

/* -o writes what the reader reads; a file that is refused writes nothing. */
static void topo_writes_what_the_reader_reads_and_nothing_of_a_refused_file(void **state) {
  (void)state;
  char folder[SCRATCH_FOLDER];
  char line[200];
  char net[64];
  char dot[64];
  scratch_make(folder);
  snprintf(net, sizeof net, "%s/f.net", folder);
  snprintf(dot, sizeof dot, "%s/f.gv", folder);
  snprintf(line, sizeof line, "topo kns --k 2 --n 2 --ports 4 --json -o %s", net);
  json_t *made = run_json(line);
  snprintf(line, sizeof line, "topo net %s --json --output %s", net, dot);
  json_t *read = run_json(line);
  assert_int_equal(count_of(made, "links"), count_of(read, "links"));
  assert_string_equal(json_string_value(json_object_get(read, "kind")), "net");
  json_decref(made);
  json_decref(read);
  assert_int_equal(access(dot, R_OK), 0);
  assert_int_equal(unlink(dot), 0);
  snprintf(line, sizeof line, "topo net vectors/papers/gv-2.yaml -o %s", dot);
  assert_refused(
      line, "vectors/papers/gv-2.yaml:3: device: a line starts with `Hca`, `Switch`, `[` or `#`");
  assert_int_equal(access(dot, F_OK), -1);
  assert_int_equal(unlink(net), 0);
  assert_int_equal(rmdir(folder), 0);
}

/* ---- large files ----------------------------------------------------------------------------- */

/* What the command prints of the fabric, or tables, in a folder. */
static json_t *run_in(const char *format, const char *folder) {
  char line[300];
  size_t used = 0;
  for (; *format && used < sizeof line - 1; format++)
    if (*format == '@')
      used += (size_t)snprintf(line + used, sizeof line - used, "%s", folder);
    else
      line[used++] = *format;
  assert_in_range(used, 0, sizeof line - 1);
  line[used] = 0;
  return run_json(line);
}

static void remove_in(const char *folder, const char *name) {
  char path[100];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  assert_int_equal(unlink(path), 0);
}

/* A 14-ary 3-tree is read back, and every engine that knows trees routes it. */
static void a_14_ary_3_tree_is_read_back_and_routed_by_every_tree_engine(void **state) {
  (void)state;
  static const char *const routes[] = {
      "route @/t.net --engine minhop --json", "route @/t.net --engine updn --json",
      "route @/t.net --engine ftree --json", "route @/t.net --engine valiant --json"};
  char folder[SCRATCH_FOLDER];
  scratch_make(folder);
  json_decref(run_in("topo tree --k 14 --n 3 --json -o @/t.net", folder));
  json_t *root = run_in("topo net @/t.net --json", folder);
  assert_int_equal(count_of(root, "nodes"), 2744);
  assert_int_equal(count_of(root, "switches"), 588);
  json_decref(root);
  for (size_t i = 0; i < sizeof routes / sizeof routes[0]; i++) {
    root = run_in(routes[i], folder);
    assert_int_equal(count_of(root, "nodes"), 2744);
    json_decref(root);
  }
  root = run_in("route check @/t.net --engine ftree --samples 1 --json", folder);
  assert_int_equal(count_of(root, "pairs"), 2744 * 2743);
  assert_int_equal(count_of(root, "unreachable"), 0);
  assert_true(json_is_true(json_object_get(root, "acyclic")));
  json_decref(root);
  remove_in(folder, "t.net");
  assert_int_equal(rmdir(folder), 0);
}

/* Fabrics and tables of more than 1 MiB: by `loom topo`, `loom route` and a fabric file. */
static void fabrics_and_tables_may_be_larger_than_1_mib(void **state) {
  (void)state;
  static const char text[] = "name: t\ntopology: {file: large.net}\nswitch: {kind: elite5}\n"
                             "classes: [{name: A, sl: 0, mtu: 64}]\n"
                             "traffic: [{class: A, pattern: uniform, size: 8, load: 1}]\n";
  char folder[SCRATCH_FOLDER];
  char path[64];
  struct loom_source src;
  struct loom_error err = {.line = ""};
  scratch_make(folder);
  json_decref(run_in("topo tree --k 16 --n 3 --json -o @/large.net", folder));
  snprintf(path, sizeof path, "%s/large.net", folder);
  assert_true(loom_source_read_all(&src, path, &err));
  assert_true(src.size > LOOM_SOURCE_MAX);
  loom_source_free(&src);
  json_t *root = run_in("topo net @/large.net --json", folder);
  assert_int_equal(count_of(root, "nodes"), 4096);
  json_decref(root);
  json_decref(run_in("route @/large.net --engine ftree --json", folder));
  struct loom_spec *s = calloc(1, sizeof *s);
  assert_non_null(s);
  snprintf(path, sizeof path, "%s/t.yaml", folder);
  assert_true(loom_source_copy(&src, path, text, strlen(text)));
  assert_true(loom_read_fabric(s, &src, &err));
  assert_true(loom_spec_load(s, &err));
  assert_int_equal(s->topo->devices, 4096 + 768);
  loom_spec_free(s);
  free(s);
  loom_source_free(&src);
  json_decref(run_in("topo tree --k 8 --n 3 --json -o @/t.net", folder));
  json_decref(run_in("route @/t.net --engine ftree -o @/large.lfts --json", folder));
  root = run_in("route check @/t.net --lfts @/large.lfts --samples 1 --json", folder);
  assert_int_equal(count_of(root, "unreachable"), 0);
  json_decref(root);
  remove_in(folder, "large.net");
  remove_in(folder, "large.lfts");
  remove_in(folder, "t.net");
  assert_int_equal(rmdir(folder), 0);
}

static void wrong_options_of_topo_are_refused_with_one_line(void **state) {
  (void)state;
  assert_refused("topo", "loom topo: KIND: missing; `--help` lists them");
  assert_refused("topo ring",
                 "loom topo: KIND: `ring` is none of tree, xgft, slim, torus, mesh, hyperx, "
                 "dragonfly, dragonflyplus, slimfly, kns, qsnet3, net");
  assert_refused("topo kns x", "loom topo: argument: `x` is too many");
  assert_refused("topo kns --k 6", "loom topo: --n: missing");
  assert_refused("topo torus", "loom topo: --size: missing");
  assert_refused("topo net", "loom topo: FILE: missing");
  assert_refused("topo net /none/f", "/none/f:0: file: cannot open: No such file or directory");
  assert_refused("topo kns --k 6 --n 2 --size 3x3", "loom topo: --size: is no option of kns");
  assert_refused("topo tree --k 4 --n 2 --blade", "loom topo: --blade: is no option of tree");
  assert_refused("topo tree --k 0 --n 2", "loom topo: --k: 0 is outside 1..1000000000");
  assert_refused("topo tree --k four --n 2", "loom topo: --k: `four` is not a whole number");
#define MANY " nodes, but a fabric has up to 1048576 devices"
  assert_refused("topo tree --k 4 --n 40",
                 "loom topo: --n: a tree cannot be so: 1.20892582e+24" MANY);
  assert_refused("topo tree --k 1000 --n 10", "loom topo: --k: a tree cannot be so: 1e+30" MANY);
  assert_refused("topo torus --size 4096x4096x4096",
                 "loom topo: --size: a torus cannot be so: 6.871947674e+10" MANY);
  assert_refused("topo xgft --down 300x400x500 --up 1x1",
                 "loom topo: --down: a xgft cannot be so: 60000000" MANY);
  assert_refused("topo dragonfly --routers 100 --globals 100 --nodes 200",
                 "loom topo: --nodes: a dragonfly cannot be so: 200020000" MANY);
  assert_refused("topo dragonflyplus --leaves 100 --spines 100 --globals 100 --nodes 100",
                 "loom topo: --spines: a dragonflyplus cannot be so: 100010000" MANY);
  assert_refused("topo dragonflyplus --leaves 4 --spines 4 --globals 2 --routers 4",
                 "loom topo: --routers: is no option of dragonflyplus");
  assert_refused("topo torus --size 4x1", "loom topo: --size: 1 is outside 2..1048576");
  assert_refused("topo torus --size 4x", "loom topo: --size: `` is not a whole number");
  assert_refused("topo torus --size 4x4x4x4",
                 "loom topo: --size: `4x4x4x4` has more than 3 numbers");
  assert_refused(
      "topo torus --size 1024x1024 --nodes 9",
      "loom topo: fabric: more than 1048576 devices or 16777216 ports, or out of memory");
  assert_refused("topo slim -o build/f.net -o build/f.dot",
                 "loom topo: --output: more than one file");
  assert_refused("topo slim -o f.txt",
                 "loom topo: --output: `f.txt` ends in none of .net, .dot, .gv");
  assert_refused("topo slim -o build/none/f.net",
                 "build/none/f.net:0: file: cannot write: No such file or directory");
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(fabrics_are_read_back_as_they_were_written),
      cmocka_unit_test(the_file_of_a_fabric_is_what_it_always_was),
      cmocka_unit_test(a_fabric_is_drawn_as_a_graph_for_graphviz),
      cmocka_unit_test(a_drawing_has_a_place_of_its_own_for_each_device),
      cmocka_unit_test(a_grid_is_drawn_by_its_coordinates),
      cmocka_unit_test(a_switch_without_hosts_stands_amid_those_that_it_joins),
      cmocka_unit_test(the_output_of_ibnetdiscover_is_understood),
      cmocka_unit_test(wrong_fabrics_are_refused_where_they_are_wrong),
      cmocka_unit_test(a_saved_file_is_whole_or_unchanged_also_through_a_link),
      cmocka_unit_test(topo_prints_the_counts_of_a_fabric),
      cmocka_unit_test(topo_prints_the_counts_of_a_fabric_as_json),
      cmocka_unit_test(topo_writes_what_the_reader_reads_and_nothing_of_a_refused_file),
      cmocka_unit_test(a_14_ary_3_tree_is_read_back_and_routed_by_every_tree_engine),
      cmocka_unit_test(fabrics_and_tables_may_be_larger_than_1_mib),
      cmocka_unit_test(wrong_options_of_topo_are_refused_with_one_line),
  };
  return UNIT_RUN("net_file", tests, NULL, NULL);
}

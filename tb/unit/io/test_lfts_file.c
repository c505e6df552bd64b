/* SPDX-License-Identifier: Apache-2.0 */
/* Forwarding tables as files, OpenSM's QoS options, and the command `loom route`. */
#define _GNU_SOURCE /* open_memstream */

#include "tb/unit/unit.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "io/read_lfts.h"
#include "io/read_net.h"
#include "io/read_opensm_conf.h"
#include "io/streams.h"
#include "tb/unit/cli_run.h"
#include "tb/unit/scratch.h"
#include "topo/generate.h"

/* ---- round trips ----------------------------------------------------------------------------- */

typedef bool write_routing(const struct loom_routing *r, FILE *file);

/* The caller frees it. */
static char *text_of(const struct loom_routing *r, write_routing *write, size_t *size) {
  char *text = NULL;
  FILE *file = open_memstream(&text, size);
  assert_non_null(file);
  assert_true(write(r, file));
  fclose(file);
  assert_non_null(text);
  return text;
}

static struct loom_routing *parse(const char *text, size_t size, const struct loom_topo *t,
                                  uint32_t lmc, struct loom_error *err) {
  struct loom_source src;
  assert_true(loom_source_copy(&src, "f", text, size));
  struct loom_routing *r = loom_read_lfts(&src, t, lmc, err);
  loom_source_free(&src);
  return r;
}

static struct loom_routing *route(const struct loom_topo *t, enum loom_routing_engine engine,
                                  uint32_t lmc) {
  struct loom_routing_error err = {""};
  assert_non_null(t);
  struct loom_routing *r =
      loom_routing_make(t, engine, &(struct loom_routing_options){.lmc = lmc}, &err);
  assert_string_equal(err.text, "");
  assert_non_null(r);
  return r;
}

/* Destroys `t`. */
static void assert_round_trip(struct loom_topo *t, enum loom_routing_engine engine, uint32_t lmc) {
  struct loom_error err = {.line = "of a file before"};
  size_t size = 0;
  struct loom_routing *r = route(t, engine, lmc);
  char *text = text_of(r, loom_routing_write_lfts, &size);
  struct loom_routing *back = parse(text, size, t, r->lmc, &err);
  assert_string_equal(err.line, "");
  assert_non_null(back);
  assert_int_equal(back->lids, r->lids);
  assert_memory_equal(back->out, r->out, (size_t)r->switches * r->lids);
  loom_routing_destroy(back);
  loom_routing_destroy(r);
  loom_topo_destroy(t);
  free(text);
}

static struct loom_topo *small(void) {
  return loom_topo_kns_make(
      &(struct loom_topo_kns_cfg){.k = 2, .n = 2, .nodes = 1, .trunk = 1, .ports = 4});
}

static void forwarding_tables_are_read_back_as_they_were_written(void **state) {
  (void)state;
  assert_round_trip(small(), LOOM_ROUTING_HDOR, 0);
  assert_round_trip(loom_topo_tree_make(&(struct loom_topo_tree_cfg){.k = 4, .n = 3, .trunk = 1}),
                    LOOM_ROUTING_VALIANT, LOOM_ROUTING_LMC_AUTO);
  assert_round_trip(loom_topo_slim_make(&(struct loom_topo_slim_cfg){.nodes = 5}),
                    LOOM_ROUTING_UPDN, 1);
  assert_round_trip(loom_topo_torus_make(&(struct loom_topo_torus_cfg){
                        .dims = 2, .size = {4, 4}, .nodes = 8, .trunk = 10}),
                    LOOM_ROUTING_DOR, 0);
  assert_round_trip(loom_topo_qsnet3_make(&(struct loom_topo_qsnet3_cfg){
                        .nodes = 64, .links = 2, .rails = 2, .spread = true}),
                    LOOM_ROUTING_FTREE, 0);
}

/* The file is what it always was, and what the documentation shows. */
static void the_file_of_tables_is_what_it_always_was(void **state) {
  (void)state;
  size_t size = 0;
  struct loom_topo *t = loom_topo_kns_make(
      &(struct loom_topo_kns_cfg){.k = 6, .n = 2, .nodes = 1, .trunk = 1, .ports = 8});
  struct loom_routing *r = route(t, LOOM_ROUTING_HDOR, 0);
  char *text = text_of(r, loom_routing_write_lfts, &size);
  struct loom_source src = scratch_read("vectors/net/kns-6-2.lfts");
  assert_string_equal(src.text, text);
  loom_source_free(&src);
  free(text);
  loom_routing_destroy(r);
  loom_topo_destroy(t);
}

/* What ibroute and dump_lfts print says the same. */
static void the_output_of_ibroute_says_the_same(void **state) {
  (void)state;
  struct loom_error err = {.line = ""};
  struct loom_topo *t = small();
  struct loom_source ours = scratch_read("tb/fuzz/good/kns-2-2.lfts");
  struct loom_source theirs = scratch_read("tb/fuzz/good/ibroute.lfts");
  struct loom_routing *a = loom_read_lfts(&ours, t, 0, &err);
  struct loom_routing *b = loom_read_lfts(&theirs, t, 0, &err);
  assert_string_equal(err.line, "");
  assert_true(a && b);
  assert_memory_equal(a->out, b->out, (size_t)a->switches * a->lids);
  loom_routing_destroy(a);
  loom_routing_destroy(b);
  loom_source_free(&ours);
  loom_source_free(&theirs);
  loom_topo_destroy(t);
}

/* ---- what is refused ------------------------------------------------------------------------- */

/* Two hosts at one switch, which has LID 3. */
static struct loom_topo *pair(void) {
  struct loom_topo *t = loom_topo_create(3, 7);
  assert_non_null(t);
  loom_topo_add(t, LOOM_TOPO_HCA, 1, "a");
  loom_topo_add(t, LOOM_TOPO_HCA, 1, "b");
  loom_topo_add(t, LOOM_TOPO_SWITCH, 2, "s");
  loom_topo_connect(t, 0, 1, 2, 1);
  loom_topo_connect(t, 1, 1, 2, 2);
  loom_topo_number(t);
  return t;
}

#define HEAD "Unicast lids [0-3] of switch Lid 3 guid 0x00200000 ('s'):\n"
#define TABLE HEAD "0x0001 001 # a\n0x0002 002\n0x0003 000\n"

static void wrong_tables_are_refused_where_they_are_wrong(void **state) {
  (void)state;
  static const struct {
    const char *text;
    const char *line;
  } files[] = {
      {"", "f:0: switch: there is no table for \"s\""},
      {"# nothing\n", "f:1: switch: there is no table for \"s\""},
      {"hello\n", "f:1: entry: a line starts with `Unicast lids`, a LID, a number or `#`"},
      {"Multicast mlids [0xc000-0xc3ff] of switch Lid 3 guid 0x1 (s):\n",
       "f:1: entry: multicast tables are not read"},
      {"0x0001 001\n", "f:1: entry: belongs to no switch"},
      {"3 lids dumped\n", "f:1: entry: belongs to no switch"},
      {"Unicast lids [x-3] of switch Lid 3\n", "f:1: range: missing number"},
      {"Unicast lids [0:3] of switch Lid 3\n", "f:1: range: must be `[first-last]`"},
      {"Unicast lids [0-65536] of switch Lid 3\n", "f:1: range: 65536 is above 65535"},
      {"Unicast lids [0-3] on switch Lid 3\n",
       "f:1: switch: must be ` of switch ` after the range"},
      {"Unicast lids [0-3] of switch 3\n", "f:1: switch: must be `Lid N` or `DR path`"},
      {"Unicast lids [0-3] of switch Lid 3 (s):\n", "f:1: guid: must be ` guid 0x` and a number"},
      {"Unicast lids [0-3] of switch Lid 3 guid 0x (s):\n",
       "f:1: guid: must have 1..16 hexadecimal digits"},
      {"Unicast lids [0-3] of switch Lid 3 guid 0x1 (s)\n",
       "f:1: name: must be ` (name):` at the end of the line"},
      {"Unicast lids [0-3] of switch Lid 2 guid 0x1 (s):\n",
       "f:1: switch: no switch of the fabric has LID 2"},
      {"Unicast lids [0-3] of switch Lid 3 guid 0x1 (a):\n",
       "f:1: name: LID 3 is \"s\" in the fabric, not \"a\""},
      {"Unicast lids [0-3] of switch DR path slid 0; dlid 0; 0,1 guid 0x1 (t):\n",
       "f:1: name: is no switch of the fabric, nor is the GUID, and there is no LID"},
      {HEAD HEAD, "f:2: switch: the table before it has no end: `N lids dumped`"},
      {TABLE "3 lids dumped\n" HEAD, "f:6: switch: \"s\" has the table in line 1, too"},
      {HEAD "0x0004 001\n", "f:2: lid: is outside the range of the table"},
      {HEAD "0x0001\n", "f:2: port: missing number"},
      {HEAD "0x0001 x\n", "f:2: port: missing number"},
      {HEAD "0x0001 256\n", "f:2: port: 256 is above 255"},
      {HEAD "0x0001 003\n", "f:2: port: 3 is outside 0..2"},
      {HEAD "0x0001 000\n", "f:2: port: 0 is the way to the switch itself"},
      {HEAD "0x0003 001\n", "f:2: port: the way to the switch itself is port 0"},
      {HEAD "0x0001 001\n0x0001 001\n", "f:3: lid: 1 stands in line 2, too"},
      {HEAD "0x0000 001\n", "f:2: lid: no port of the fabric has LID 0"},
      {HEAD "0x0001 001 x\n", "f:2: entry: something follows the port that is not understood"},
      {HEAD "0x0001 001 # Channel Adapter portguid 0x1: 'b'\n",
       "f:2: name: LID 1 is \"a\" in the fabric, not \"b\""},
      {HEAD "0x0001 001 : (Channel Adapter portguid 0x1: 'b')\n",
       "f:2: name: LID 1 is \"a\" in the fabric, not \"b\""},
      {TABLE "2 lids dumped\n", "f:5: count: the table has 3 lines, not 2"},
      {TABLE "2 valid lids dumped\n", "f:5: count: the table has 3 lines, not 2"},
      {HEAD "0x0001 001\n3 valid lids dumped\n", "f:3: count: the table has 1 lines, not 3"},
      {TABLE "3 lids\n", "f:5: count: must be `N lids dumped`"},
      {TABLE, "f:4: count: the file is cut short: the last table has no end"},
      {TABLE "3 lids dumped", "f:5: count: the file is cut short: the last line does not end"},
  };
  struct loom_topo *t = pair();
  for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
    struct loom_error err = {.line = ""};
    assert_null(parse(files[i].text, strlen(files[i].text), t, 0, &err));
    assert_string_equal(err.line, files[i].line);
  }
  loom_topo_destroy(t);
}

/* Forms that say the same; what nobody has and what leads nowhere is passed over. */
static void other_forms_of_the_same_tables_are_accepted(void **state) {
  (void)state;
  static const char *const files[] = {
      TABLE "3 lids dumped\n",
      "# remark\n\n" TABLE "3 lids dumped\n\n",
      "Unicast lids [0x0-0x3] of switch DR path slid 0; dlid 0; 0,1,19 guid 0x00200000 (s):\n"
      "  Lid  Out   Destination\n"
      "       Port     Info \n"
      "0x0000 255 : (illegal port)\n"
      "0x0001 001 : (Channel Adapter portguid 0x1: 'a')\n"
      "0x0002 002 : (path #1 out of 2: portguid 0x2)\n"
      "0x0003 000 : (Switch portguid 0x00200000: 's')\n"
      "4 lids dumped \n"
      "\n*** WARNING ***: this command has been replaced by dump_fts\n\n\n",
      "Unicast lids [0-9] of switch Lid 3 guid 0x00200000 ('a description: it''s'):\r\n"
      "0x0001 001 # Channel Adapter portguid 0x1: 'node-1 HCA-1'\r\n"
      "0x0002 002 # Channel Adapter portguid 0x1: 'node-2 HCA-1'\r\n"
      "0x0003 000 # Switch portguid 0x1: 'a description: it''s'\r\n"
      "0x0007 001 # unknown node and type\r\n"
      "9 lids dumped\r\n",
  };
  struct loom_topo *t = pair();
  for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
    struct loom_error err = {.line = ""};
    struct loom_routing *r = parse(files[i], strlen(files[i]), t, 0, &err);
    assert_string_equal(err.line, "");
    assert_non_null(r);
    assert_int_equal(loom_routing_out(r, 0, 1), 1);
    assert_int_equal(loom_routing_out(r, 0, 2), 2);
    assert_int_equal(loom_routing_out(r, 0, 3), 0);
    loom_routing_destroy(r);
  }
  loom_topo_destroy(t);
}

/* No beginning of a file is taken for the whole. */
static void no_beginning_of_a_file_of_tables_is_taken_for_the_whole(void **state) {
  (void)state;
  static const char *const names[] = {"tb/fuzz/good/kns-2-2.lfts", "tb/fuzz/good/ibroute.lfts"};
  struct loom_topo *t = small();
  for (size_t i = 0; i < 2; i++) {
    struct loom_source src = scratch_read(names[i]);
    for (size_t size = 0; size < src.size; size++) {
      struct loom_error err = {.line = ""};
      assert_null(parse(src.text, size, t, 0, &err));
      assert_int_equal(strncmp(err.line, "f:", 2), 0);
    }
    loom_source_free(&src);
  }
  loom_topo_destroy(t);
}

/* ---- opensm.conf ----------------------------------------------------------------------------- */

static bool read_conf(const char *text, struct loom_opensm_conf *conf, struct loom_error *err) {
  struct loom_source src;
  assert_true(loom_source_copy(&src, "f", text, strlen(text)));
  bool ok = loom_read_opensm_conf(conf, &src, err);
  loom_source_free(&src);
  return ok;
}

static void opensm_conf_is_read_with_the_options_of_every_port(void **state) {
  (void)state;
  struct loom_opensm_conf conf;
  struct loom_error err = {.line = ""};
  struct loom_source src = scratch_read("tb/fuzz/good/opensm.conf");
  assert_true(loom_read_opensm_conf(&conf, &src, &err));
  loom_source_free(&src);
  assert_string_equal(err.line, "");
  assert_true(conf.qos);
  const struct loom_opensm_qos *q = &conf.ports[LOOM_OPENSM_SWE];
  assert_true(q->max_vls_given && q->high_limit_given && q->sl2vl_given);
  assert_int_equal(q->max_vls, 8);
  assert_int_equal(q->high_limit, 255);
  assert_int_equal(q->high.count, 2);
  assert_int_equal(q->high.entry[1].vl, 1);
  assert_int_equal(q->high.entry[1].weight, 64);
  assert_int_equal(q->low.count, 15);
  assert_int_equal(q->sl2vl[14], 14);
  assert_int_equal(q->sl2vl[15], 7);
  q = &conf.ports[LOOM_OPENSM_ALL];
  assert_false(q->max_vls_given || q->high_limit_given || q->sl2vl_given || q->high.count);
  assert_int_equal(q->low.count, 1);
}

/* A kind of port has its own options, else those of all; OpenSM's limit is 0. */
static void a_kind_of_port_has_its_own_options_or_those_of_all(void **state) {
  (void)state;
  struct loom_opensm_conf conf;
  struct loom_error err = {.line = ""};
  assert_true(read_conf("qos_vlarb_high 0:1\nqos_vlarb_low 1:2\nqos_max_vls 3\n"
                        "qos_sl2vl 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15\n"
                        "qos_swe_vlarb_high 2:3,4:5\nqos_swe_high_limit 6\nqos_ca_max_vls 7\n"
                        "qos_ca_sl2vl 1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1\n",
                        &conf, &err));
  struct loom_opensm_qos q = loom_opensm_of(&conf, LOOM_OPENSM_SWE);
  assert_int_equal(q.high.count, 2);
  assert_int_equal(q.high.entry[0].vl, 2);
  assert_int_equal(q.low.count, 1);
  assert_int_equal(q.low.entry[0].weight, 2);
  assert_int_equal(q.high_limit, 6);
  assert_int_equal(q.max_vls, 3);
  assert_int_equal(q.sl2vl[9], 9);
  q = loom_opensm_of(&conf, LOOM_OPENSM_CA);
  assert_int_equal(q.high.count, 1);
  assert_int_equal(q.high_limit, 0);
  assert_false(q.high_limit_given);
  assert_int_equal(q.defaults, LOOM_OPENSM_HIGH_LIMIT);
  assert_int_equal(q.max_vls, 7);
  assert_int_equal(q.sl2vl[9], 1);
}

static void an_empty_opensm_conf_means_the_values_of_its_manual_page(void **state) {
  (void)state;
  struct loom_opensm_conf conf;
  struct loom_error err = {.line = ""};
  assert_true(read_conf("qos_max_vls 0\nqos_high_limit -1\nqos_vlarb_high (null)\n"
                        "qos_vlarb_low (null)\nqos_sl2vl (null)\n",
                        &conf, &err));
  const struct loom_opensm_qos q = loom_opensm_of(&conf, LOOM_OPENSM_RTR);
  assert_int_equal(q.max_vls, 15);
  assert_int_equal(q.high_limit, 0);
  assert_int_equal(q.high.count, 15);
  assert_int_equal(q.low.count, 15);
  for (unsigned vl = 0; vl < 15; vl++) {
    assert_int_equal(q.high.entry[vl].vl, vl);
    assert_int_equal(q.high.entry[vl].weight, vl ? 0 : 4);
    assert_int_equal(q.low.entry[vl].vl, vl);
    assert_int_equal(q.low.entry[vl].weight, vl ? 4 : 0);
    assert_int_equal(q.sl2vl[vl], vl);
  }
  assert_int_equal(q.sl2vl[15], 7);
  assert_int_equal(q.defaults, LOOM_OPENSM_MAX_VLS | LOOM_OPENSM_HIGH_LIMIT |
                                   LOOM_OPENSM_VLARB_HIGH | LOOM_OPENSM_VLARB_LOW |
                                   LOOM_OPENSM_SL2VL);
}

/* SLs of a routing whose layer is the class, as LASH and DFSSSP have it. */
static void a_written_opensm_conf_maps_each_sl_to_its_layer(void **state) {
  (void)state;
  struct loom_opensm_conf conf;
  struct loom_error err = {.line = ""};
  size_t size = 0;
  struct loom_topo *t = small();
  struct loom_routing *r = route(t, LOOM_ROUTING_MINHOP, 0);
  assert_true(loom_routing_layer_paths(r, 4, 4));
  char *text = text_of(r, loom_routing_write_conf, &size);
  assert_true(read_conf(text, &conf, &err));
  const struct loom_opensm_qos *q = &conf.ports[LOOM_OPENSM_ALL];
  assert_int_equal(q->max_vls, 4);
  assert_int_equal(q->high.count, 4);
  for (unsigned sl = 0; sl < 16; sl++)
    assert_int_equal(q->sl2vl[sl], sl % 4);
  text[size - 1] = 0; /* the newline */
  assert_false(read_conf(text, &conf, &err));
  free(text);
  r->layer[3] = 1; /* of one turn */
  FILE *file = open_memstream(&text, &size);
  assert_non_null(file);
  assert_false(loom_routing_write_conf(r, file));
  assert_true(loom_routing_layer_turns(r, 2));
  assert_false(loom_routing_write_conf(r, file));
  assert_false(loom_routing_write_sl2vl(r, file));
  fclose(file);
  assert_int_equal(size, 0);
  free(text);
  loom_routing_destroy(r);
  loom_topo_destroy(t);
}

static void wrong_options_of_opensm_are_refused_where_they_stand(void **state) {
  (void)state;
  static const struct {
    const char *text;
    const char *line;
  } files[] = {
      {"", "f:0: qos: the file has no option of QoS"},
      {"guid 0x1\nlmc 0\n", "f:2: qos: the file has no option of QoS"},
      {"qos yes\n", "f:1: qos: must be TRUE or FALSE"},
      {"qos TRUE\nqos FALSE\n", "f:2: qos: stands twice"},
      {"\nqos_swx_sl2vl 0\n", "f:2: qos_swx_sl2vl: is no option of QoS that is known"},
      {"qos_max_vls\n", "f:1: qos_max_vls: has no value"},
      {"qos_max_vls 16\n", "f:1: qos_max_vls: `16` is not a whole number up to 15"},
      {"qos_high_limit -2\n", "f:1: qos_high_limit: `-2` is not a whole number up to 255"},
      {"qos_high_limit 1\n#\nqos_high_limit 1\n", "f:3: qos_high_limit: stands twice"},
      {"#\n\nqos_vlarb_high 0:4,1\n", "f:3: entry: must be `vl,weight` or `vl:weight`"},
      {"  \tqos_max_vls 16\n", "f:1: qos_max_vls: `16` is not a whole number up to 15"},
      {"qos_vlarb_low 0:4,15:1\n", "f:1: vl: VL15 is management traffic and stands in no table"},
      {"qos_sl2vl 0,1,2\n", "f:1: qos_sl2vl: must be the VLs of 16 SLs, with commas between"},
      {"qos_sl2vl 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,0\n",
       "f:1: qos_sl2vl: must be the VLs of 16 SLs, with commas between"},
      {"qos_sl2vl 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,16\n",
       "f:1: qos_sl2vl: `16` is not a whole number up to 15"},
      {"# options: 1\nqos TRUE\nqos_max_vls 2\n",
       "f:3: options: the file has 2, the first line says 1"},
      {"# options: 2\nqos TRUE\n", "f:2: options: the file has 1, the first line says 2"},
      {"# options: 1\nqos TRUE", "f:2: options: the file is cut short: the last line does not end"},
  };
  struct loom_opensm_conf conf;
  for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
    struct loom_error err = {.line = ""};
    assert_false(read_conf(files[i].text, &conf, &err));
    assert_string_equal(err.line, files[i].line);
  }
}

/* The form of opensm-sl2vl.dump; the layer of dor's dateline by path at a port of dimension 0 is
 * the class's lowest bit. */
static void an_sl2vl_dump_shows_the_layers_of_the_dateline(void **state) {
  (void)state;
  struct loom_routing_error err = {""};
  size_t size = 0;
  struct loom_topo *t = loom_topo_torus_make(
      &(struct loom_topo_torus_cfg){.dims = 2, .size = {3, 3}, .nodes = 1, .trunk = 1});
  struct loom_routing *r = loom_routing_make(
      t, LOOM_ROUTING_DOR,
      &(struct loom_routing_options){.lmc = 0, .avoid = LOOM_ROUTING_DATELINE_PATH}, &err);
  assert_non_null(r);
  char *text = text_of(r, loom_routing_write_sl2vl, &size);
  assert_int_equal(strncmp(text,
                           "Switch 0x0000000000200000, base LID 10, \"S0-0\"\n"
                           "#in out : 0  1  2  3  4  5  6  7  8  9  10 11 12 13 14 15\n"
                           "#--------------------------------------------------------\n"
                           "0   1   : 0  0  0  0  0  0  0  0  0  0  0  0  0  0  0  0 \n",
                           220),
                   0);
  assert_non_null(strstr(text, "1   2   : 0  1  0  1  0  1  0  1  0  1  0  1  0  1  0  1 \n"));
  assert_non_null(strstr(text, "2   4   : 0  0  1  1  0  0  1  1  0  0  1  1  0  0  1  1 \n"));
  free(text);
  loom_routing_destroy(r);
  loom_topo_destroy(t);
}

/* ---- the command ----------------------------------------------------------------------------- */

static void route_check_prints_hops_loads_and_layers(void **state) {
  (void)state;
  struct outcome o = loom("route check vectors/net/kns-6-2.net --lfts vectors/net/kns-6-2.lfts");
  assert_int_equal(o.status, LOOM_EXIT_DONE);
  assert_string_equal(o.out, "engine                     lfts\n"
                             "pairs                      1260\n"
                             "unreachable                   0\n"
                             "max link load                30\n"
                             "ebb                       0.838\n"
                             "ebb both ways             0.701\n"
                             "layers                        1\n"
                             "acyclic                     yes\n"
                             "\n"
                             "links        pairs\n"
                             "    4          360\n"
                             "    6          900\n");
  drop(&o);
  json_t *root = run_json("route check vectors/net/kns-6-2.net --engine hdor --json");
  assert_int_equal(json_object_size(root), 12);
  assert_int_equal(count_of(root, "pairs"), 1260);
  assert_int_equal(count_of(root, "unreachable"), 0);
  assert_int_equal(count_of(root, "max_link_load"), 30);
  assert_int_equal(count_of(root, "layers"), 1);
  assert_true(json_is_true(json_object_get(root, "acyclic")));
  assert_int_equal(json_array_size(json_object_get(root, "cycle")), 0);
  assert_int_equal(json_array_size(json_object_get(root, "hops")), 2);
  json_decref(root);
}

/* A cycle, or a pair that is cut off, is a failed check; what there is to say is said. */
static void a_cycle_or_an_unreachable_pair_is_a_failed_check(void **state) {
  (void)state;
  struct outcome o = loom("route check vectors/net/kns-6-2.net --engine minhop --json");
  assert_int_equal(o.status, LOOM_EXIT_FAILED);
  json_t *root = json_loads(o.out, 0, NULL);
  assert_non_null(root);
  assert_true(json_is_false(json_object_get(root, "acyclic")));
  const json_t *cycle = json_object_get(root, "cycle");
  size_t count = json_array_size(cycle);
  assert_true(count > 1);
  for (size_t i = 0; i < count; i++) {
    const json_t *here = json_array_get(cycle, i);
    const json_t *next = json_array_get(cycle, (i + 1) % count);
    assert_string_equal(json_string_value(json_object_get(here, "peer")),
                        json_string_value(json_object_get(next, "switch")));
  }
  json_decref(root);
  drop(&o);
  o = loom("route check vectors/net/kns-6-2.net --engine minhop --samples 1");
  assert_int_equal(o.status, LOOM_EXIT_FAILED);
  assert_non_null(strstr(o.out, "\ncycle of 8 channels\n  R0-0[2] -> S0-0, layer 0\n"));
  drop(&o);
}

static void route_check_names_pairs_that_are_cut_off(void **state) {
  (void)state;
  char folder[SCRATCH_FOLDER];
  char net[64];
  char lfts[64];
  char line[200];
  scratch_make(folder);
  snprintf(net, sizeof net, "%s/f.net", folder);
  snprintf(lfts, sizeof lfts, "%s/f.lfts", folder);
  FILE *out = fopen(net, "w");
  assert_non_null(out);
  struct loom_topo *t = pair();
  loom_topo_write_net(t, out);
  loom_topo_destroy(t);
  fclose(out);
  scratch_write(lfts, HEAD "0x0001 001\n0x0003 000\n3 lids dumped\n");
  snprintf(line, sizeof line, "route check %s --lfts %s", net, lfts);
  struct outcome o = loom(line);
  assert_int_equal(o.status, LOOM_EXIT_FAILED);
  assert_non_null(strstr(o.out, "\nunreachable                   1\n"));
  assert_non_null(strstr(o.out, "\nunreachable: LID 2 of b from a\n"));
  drop(&o);
  snprintf(line, sizeof line, "route path %s --lfts %s a b", net, lfts);
  o = loom(line);
  assert_int_equal(o.status, LOOM_EXIT_FAILED);
  assert_string_equal(o.out, "a to b, LID 2, class 0: does not arrive\n");
  drop(&o);
  unlink(net);
  unlink(lfts);
  assert_int_equal(rmdir(folder), 0);
}

static void route_writes_tables_that_the_reader_takes(void **state) {
  (void)state;
  char folder[SCRATCH_FOLDER];
  char line[300];
  char lfts[64];
  scratch_make(folder);
  snprintf(lfts, sizeof lfts, "%s/f.lfts", folder);
  snprintf(line, sizeof line, "route vectors/net/kns-6-2.net --engine hdor --json -o %s", lfts);
  json_t *root = run_json(line);
  assert_int_equal(json_object_size(root), 9);
  assert_int_equal(count_of(root, "nodes"), 36);
  assert_int_equal(count_of(root, "lids"), 84);
  assert_int_equal(count_of(root, "classes"), 1);
  json_decref(root);
  struct loom_source a = scratch_read(lfts);
  struct loom_source b = scratch_read("vectors/net/kns-6-2.lfts");
  assert_string_equal(a.text, b.text);
  loom_source_free(&a);
  loom_source_free(&b);
  assert_int_equal(unlink(lfts), 0);
  snprintf(line, sizeof line, "route vectors/net/kns-6-2.net --engine dor -o %s", lfts);
  assert_refused(line, "loom route: dor: no torus: 48 switches do not fill its points");
  assert_int_equal(access(lfts, F_OK), -1);
  assert_int_equal(rmdir(folder), 0);
}

static void route_prints_the_coordinates_of_a_kns(void **state) {
  (void)state;
  struct outcome o = loom("route vectors/net/kns-2-2.net --engine hdor --coordinates");
  assert_int_equal(o.status, LOOM_EXIT_DONE);
  assert_non_null(strstr(o.out, "\n"
                                "k                             2\n"
                                "n                             2\n"
                                "R0-0               router  [0,0]\n"
                                "R0-1               router  [0,1]\n"
                                "R1-0               router  [1,0]\n"
                                "R1-1               router  [1,1]\n"
                                "S0-0               network [0,0]\n"
                                "S0-1               network [0,1]\n"
                                "S1-0               network [1,0]\n"
                                "S1-1               network [1,1]\n"));
  drop(&o);
  json_t *root = run_json("route vectors/net/kns-2-2.net --engine hdor --coordinates --json");
  assert_int_equal(count_of(root, "k"), 2);
  const json_t *router = json_array_get(json_object_get(root, "routers"), 1);
  const json_t *list = json_object_get(router, "coordinates");
  assert_int_equal(json_integer_value(json_array_get(list, 0)), 1); /* r_0 */
  assert_int_equal(json_integer_value(json_array_get(list, 1)), 0);
  const json_t *network = json_array_get(json_object_get(root, "networks"), 3);
  assert_int_equal(count_of(network, "dimension"), 1);
  assert_int_equal(count_of(network, "position"), 1);
  json_decref(root);
}

/* KN-01: the switches of a network of two stages, with their levels. */
static void route_prints_the_stages_of_a_kns(void **state) {
  (void)state;
  char folder[SCRATCH_FOLDER];
  char net[64];
  char line[300];
  scratch_make(folder);
  snprintf(net, sizeof net, "%s/f.net", folder);
  snprintf(line, sizeof line, "topo kns --k 4 --n 2 --radix 2 --json -o %s", net);
  json_decref(run_json(line));
  snprintf(line, sizeof line, "route %s --engine hdor --coordinates", net);
  struct outcome o = loom(line);
  assert_int_equal(o.status, LOOM_EXIT_DONE);
  assert_non_null(strstr(o.out, "\n"
                                "S1-2-0-0           network [1,2,0,0]\n"
                                "S1-2-0-1           network [1,2,0,1]\n"
                                "S1-2-1-0           network [1,2,1,0]\n"
                                "S1-2-1-1           network [1,2,1,1]\n"));
  drop(&o);
  snprintf(line, sizeof line, "route %s --engine hdor --coordinates --json", net);
  json_t *root = run_json(line);
  const json_t *network = json_array_get(json_object_get(root, "networks"), 3);
  assert_string_equal(json_string_value(json_object_get(network, "name")), "S0-0-1-1");
  assert_int_equal(count_of(network, "dimension"), 0);
  assert_int_equal(count_of(network, "position"), 0);
  assert_int_equal(count_of(network, "level"), 1);
  assert_int_equal(count_of(network, "place"), 1);
  json_decref(root);
  assert_int_equal(unlink(net), 0);
  assert_int_equal(rmdir(folder), 0);
}

/* KN-02: dimension 0 first. */
static void route_path_shows_dimension_0_first(void **state) {
  (void)state;
  struct outcome o = loom("route path vectors/net/kns-6-2.net --engine hdor H0 H29");
  assert_int_equal(o.status, LOOM_EXIT_DONE);
  assert_string_equal(o.out, "H0 to H29, LID 30, class 0\n"
                             "  H0[1] -> R0-0[1], layer 0\n"
                             "  R0-0[2] -> S0-0[1], layer 0\n"
                             "  S0-0[6] -> R0-5[2], layer 0\n"
                             "  R0-5[3] -> S1-5[1], layer 0\n"
                             "  S1-5[5] -> R4-5[3], layer 0\n"
                             "  R4-5[1] -> H29[1], layer 0\n");
  drop(&o);
  json_t *root = run_json("route path vectors/net/kns-6-2.net --engine hdor 1 84 --json");
  const json_t *way = json_array_get(root, 0);
  assert_int_equal(json_array_size(root), 1);
  assert_string_equal(json_string_value(json_object_get(way, "to")), "S1-5");
  assert_int_equal(count_of(way, "lid"), 84);
  assert_int_equal(json_array_size(json_object_get(way, "links")), 4);
  json_decref(root);
  root = run_json("route path vectors/net/kns-6-2.net --engine hdor H1 --json");
  assert_int_equal(json_array_size(root), 35);
  const json_t *link =
      json_array_get(json_object_get(json_array_get(root, 34), "links"), 5); /* the last */
  assert_string_equal(json_string_value(json_object_get(link, "peer")), "H35");
  assert_int_equal(count_of(link, "peer_port"), 1);
  json_decref(root);
}

/* With lash a path is on one layer, from the host on. */
static void a_path_of_lash_is_on_its_layer_from_end_to_end(void **state) {
  (void)state;
  json_t *root =
      run_json("route path vectors/net/kns-6-2.net --engine lash --cover all --vls 8 --json H1");
  uint32_t highest = 0;
  assert_int_equal(json_array_size(root), 35);
  for (size_t i = 0; i < 35; i++) {
    const json_t *way = json_array_get(root, i), *links = json_object_get(way, "links");
    if (count_of(way, "class") > highest)
      highest = (uint32_t)count_of(way, "class");
    for (size_t j = 0; j < json_array_size(links); j++)
      assert_int_equal(count_of(json_array_get(links, j), "layer"), count_of(way, "class"));
  }
  assert_in_range(highest, 1, 7);
  json_decref(root);
}

/* A packet that crosses the dateline of a torus goes on on layer 1. */
static void a_path_across_the_dateline_goes_on_on_layer_1(void **state) {
  (void)state;
  char folder[SCRATCH_FOLDER];
  char net[64];
  char line[300];
  scratch_make(folder);
  snprintf(net, sizeof net, "%s/f.net", folder);
  snprintf(line, sizeof line, "topo torus --size 5x5 --json -o %s", net);
  json_decref(run_json(line));
  for (int by_path = 0; by_path < 2; by_path++) {
    snprintf(line, sizeof line, "route path %s --engine dor --dateline %s --json H4 H1", net,
             by_path ? "path" : "turn");
    json_t *root = run_json(line);
    const json_t *links = json_object_get(json_array_get(root, 0), "links");
    assert_int_equal(count_of(json_array_get(root, 0), "class"), by_path);
    assert_int_equal(json_array_size(links), 4);
    assert_int_equal(count_of(json_array_get(links, 0), "layer"), 0);
    assert_int_equal(count_of(json_array_get(links, 1), "layer"), 1);
    assert_int_equal(count_of(json_array_get(links, 2), "layer"), 1);
    json_decref(root);
  }
  unlink(net);
  assert_int_equal(rmdir(folder), 0);
}

/* Tori have their coordinates in their names; a root is named; LIDs may be many. */
static void each_engine_takes_the_options_that_are_its_own(void **state) {
  (void)state;
  char folder[SCRATCH_FOLDER];
  char line[300];
  scratch_make(folder);
  snprintf(line, sizeof line, "topo torus --size 4x4x4 --json -o %s/t.net", folder);
  json_decref(run_json(line));
  snprintf(line, sizeof line, "route check %s/t.net --engine dor --lmc 1 --dateline path --json",
           folder);
  json_t *root = run_json(line);
  assert_int_equal(count_of(root, "layers"), 2);
  assert_int_equal(count_of(root, "pairs"), 2 * 64 * 63);
  json_decref(root);
  snprintf(line, sizeof line, "route check %s/t.net --engine dor --dateline none", folder);
  struct outcome o = loom(line);
  assert_int_equal(o.status, LOOM_EXIT_FAILED);
  drop(&o);
  snprintf(line, sizeof line, "route %s/t.net --engine dor -o %s/t.sl2vl", folder, folder);
  assert_refused(line, "loom route: --output: the layers of this routing do not fit `.sl2vl`");
  snprintf(line, sizeof line, "route %s/t.net --engine dor -o %s/t.lfts -o %s/t.sl2vl", folder,
           folder, folder); /* all of them, or none */
  assert_refused(line, "loom route: --output: the layers of this routing do not fit `.sl2vl`");
  snprintf(line, sizeof line, "%s/t.lfts", folder);
  assert_int_equal(access(line, F_OK), -1);
  snprintf(line, sizeof line, "route check %s/t.net --engine updn --root S0-0-0 --json", folder);
  root = run_json(line);
  assert_int_equal(count_of(root, "layers"), 1);
  json_decref(root);
  snprintf(line, sizeof line, "%s/t.net", folder);
  assert_int_equal(unlink(line), 0);
  assert_int_equal(rmdir(folder), 0);
}

static void wrong_options_of_route_are_refused_with_one_line(void **state) {
  (void)state;
#define NET "vectors/net/kns-2-2.net"
  assert_refused("route", "loom route: FILE: missing; `--help` tells more");
  assert_refused("route check", "loom route: FILE: missing; `--help` tells more");
  assert_refused("route " NET " x", "loom route: argument: `x` is too many");
  assert_refused("route " NET,
                 "loom route: --engine: missing, or --lfts for tables that are there");
  assert_refused("route " NET " --engine magic",
                 "loom route: --engine: `magic` is none of minhop, "
                 "updn, ftree, valiant, dor, hdor, lash, dfsssp, dragonfly, dragonfly-valiant, "
                 "dragonfly-ugal, slimfly, dor-valiant, dragonflyplus, dragonflyplus-valiant, "
                 "dragonflyplus-ugal, slimfly-valiant, dor-ugal");
  assert_refused("route " NET " --engine hdor --lfts x",
                 "loom route: --engine: there are tables already: --lfts");
  assert_refused("route " NET " --lfts /none/f",
                 "/none/f:0: file: cannot open: No such file or directory");
  assert_refused("route /none/f --engine hdor",
                 "/none/f:0: file: cannot open: No such file or directory");
  assert_refused("route " NET " --lfts " NET,
                 NET ":3: entry: a line starts with `Unicast lids`, a LID, a number or `#`");
  assert_refused("route " NET " --engine hdor --lmc 8", "loom route: --lmc: 8 is outside 0..7");
  assert_refused("route " NET " --engine hdor --root S0-0",
                 "loom route: --root: is an option of updn");
  assert_refused("route " NET " --engine updn --root H0",
                 "loom route: --root: `H0` is no switch of the fabric");
  assert_refused("route " NET " --engine updn --dateline turn",
                 "loom route: --dateline: is an option of the engines of dor, of slimfly and of "
                 "dragonflies");
  assert_refused("route " NET " --engine dor --dateline maybe",
                 "loom route: --dateline: `maybe` is none of turn, path, none, bubble");
  assert_refused("route " NET " --engine minhop --choose best",
                 "loom route: --choose: is an option of updn, without --root");
  assert_refused("route " NET " --engine updn --choose best --root S0-0",
                 "loom route: --choose: is an option of updn, without --root");
  assert_refused("route " NET " --engine updn --choose worst",
                 "loom route: --choose: `worst` is none of usual, best, median");
  assert_refused("route " NET " --engine updn --vls 2",
                 "loom route: --vls: is an option of hdor, lash and dfsssp");
  assert_refused("route " NET " --engine hdor --ties up",
                 "loom route: --ties: is an option of dor");
  assert_refused("route " NET " --engine dor --ties down",
                 "loom route: --ties: `down` is none of split, up");
  assert_refused("route " NET " --engine dragonfly --dateline bubble",
                 "loom route: --dateline: bubbles are for the rings of dor");
  assert_refused("route " NET " --engine dor --trunk best",
                 "loom route: --trunk: `best` is none of lid, flow, load");
  assert_refused("route " NET " --engine hdor --cover all",
                 "loom route: --cover: is an option of lash and dfsssp");
  assert_refused("route " NET " --engine lash --cover some",
                 "loom route: --cover: `some` is none of hosts, all");
  assert_refused("route " NET " --engine lash --vls 16", "loom route: --vls: 16 is outside 1..15");
  assert_refused("route " NET " --engine updn --coordinates",
                 "loom route: --coordinates: is an option of hdor, without `check` and `path`");
  assert_refused("route " NET " --engine hdor --seed 1",
                 "loom route: --seed: is an option of `check`");
  assert_refused("route " NET " --engine hdor --samples 1",
                 "loom route: --samples: is an option of `check`");
  assert_refused("route path " NET " --engine hdor",
                 "loom route: SRC: missing; `--help` tells more");
  assert_refused("route path " NET " --engine hdor R0-0",
                 "loom route: SRC: `R0-0` is no node of the fabric");
  assert_refused("route path " NET " --engine hdor H0 13",
                 "loom route: DST: `13` is no device of the fabric");
  assert_refused("route path " NET " --engine hdor H0 H1 H2",
                 "loom route: argument: `H2` is too many");
  assert_refused("route " NET " --engine hdor -o f.txt",
                 "loom route: --output: `f.txt` ends in none of .lfts, .sl2vl, .conf");
  assert_refused("route " NET " --engine hdor -o build/none/f.lfts",
                 "build/none/f.lfts:0: file: cannot write: No such file or directory");
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(forwarding_tables_are_read_back_as_they_were_written),
      cmocka_unit_test(the_file_of_tables_is_what_it_always_was),
      cmocka_unit_test(the_output_of_ibroute_says_the_same),
      cmocka_unit_test(wrong_tables_are_refused_where_they_are_wrong),
      cmocka_unit_test(other_forms_of_the_same_tables_are_accepted),
      cmocka_unit_test(no_beginning_of_a_file_of_tables_is_taken_for_the_whole),
      cmocka_unit_test(opensm_conf_is_read_with_the_options_of_every_port),
      cmocka_unit_test(a_written_opensm_conf_maps_each_sl_to_its_layer),
      cmocka_unit_test(a_kind_of_port_has_its_own_options_or_those_of_all),
      cmocka_unit_test(wrong_options_of_opensm_are_refused_where_they_stand),
      cmocka_unit_test(an_sl2vl_dump_shows_the_layers_of_the_dateline),
      cmocka_unit_test(route_check_prints_hops_loads_and_layers),
      cmocka_unit_test(a_cycle_or_an_unreachable_pair_is_a_failed_check),
      cmocka_unit_test(route_check_names_pairs_that_are_cut_off),
      cmocka_unit_test(route_writes_tables_that_the_reader_takes),
      cmocka_unit_test(route_prints_the_coordinates_of_a_kns),
      cmocka_unit_test(route_prints_the_stages_of_a_kns),
      cmocka_unit_test(route_path_shows_dimension_0_first),
      cmocka_unit_test(a_path_of_lash_is_on_its_layer_from_end_to_end),
      cmocka_unit_test(a_path_across_the_dateline_goes_on_on_layer_1),
      cmocka_unit_test(each_engine_takes_the_options_that_are_its_own),
      cmocka_unit_test(wrong_options_of_route_are_refused_with_one_line),
      cmocka_unit_test(an_empty_opensm_conf_means_the_values_of_its_manual_page),
  };
  return UNIT_RUN("lfts_file", tests, NULL, NULL);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* A real subnet as its administrator sees it: the files of ibnetdiscover and dump_lfts
 * (docs/formats.md). Switches are known by their GUIDs there, hosts may have several LIDs. */
#include "tb/unit/unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "io/read_lfts.h"
#include "io/read_net.h"
#include "routing/check.h"
#include "tb/unit/cli_run.h"
#include "tb/unit/scratch.h"

#define NET "vectors/net/subnet.net"
#define LFTS "vectors/net/subnet.lfts"

static struct loom_topo *net_of(const char *text, struct loom_error *err) {
  struct loom_source src;
  err->line[0] = 0;
  assert_true(loom_source_copy(&src, "f", text, strlen(text)));
  struct loom_topo *t = loom_read_net(&src, err);
  loom_source_free(&src);
  return t;
}

static struct loom_topo *subnet(void) {
  struct loom_error err = {.line = ""};
  struct loom_source src = scratch_read(NET);
  struct loom_topo *t = loom_read_net(&src, &err);
  loom_source_free(&src);
  assert_string_equal(err.line, "");
  assert_non_null(t);
  return t;
}

/* The dump of the subnet with `from` replaced by `to` everywhere. */
static char *dump_with(const char *from, const char *to) {
  struct loom_source src = scratch_read(LFTS);
  size_t room = 3 * src.size, size = 0;
  char *text = calloc(room, 1);
  assert_non_null(text);
  for (const char *at = src.text; *at;) {
    bool here = !strncmp(at, from, strlen(from));
    size += (size_t)snprintf(text + size, room - size, here ? "%s" : "%.1s", here ? to : at);
    at += here ? strlen(from) : 1;
    assert_true(size < room - 1);
  }
  loom_source_free(&src);
  return text;
}

static struct loom_routing *tables_of(const struct loom_topo *t, const char *text,
                                      struct loom_error *err) {
  struct loom_source src;
  assert_true(loom_source_copy(&src, "f", text, strlen(text)));
  struct loom_routing *r = loom_read_lfts(&src, t, 0, err);
  loom_source_free(&src);
  return r;
}

static void guids_of_devices_and_ports_are_kept(void **state) {
  (void)state;
  struct loom_topo *t = subnet();
  assert_int_equal(t->devices, 7);
  assert_int_equal(loom_topo_guid(t, 0, 0), UINT64_C(0x5a02000000000010));
  assert_int_equal(loom_topo_guid(t, 0, 1), UINT64_C(0x5a02000000000011));
  assert_int_equal(loom_topo_guid(t, 4, 0), UINT64_C(0x5a010000000000b1));
  assert_int_equal(loom_topo_guid(t, 4, 1), 0);
  assert_int_equal(loom_topo_guid(t, 5, 0), UINT64_C(0x5a010000000000a1));
  loom_topo_destroy(t);
  struct loom_error err = {.line = ""};
  t = net_of("Switch 1 \"S-0002c90000000002\"\n\nswitchguid=0x77\nSwitch 1 \"b\"\n\n"
             "Switch 1 \"S-2\"\n\nCa 1 \"H-000000000000000A\"\n",
             &err);
  assert_non_null(t);
  assert_int_equal(loom_topo_guid(t, 0, 0), 10); /* of its name */
  assert_int_equal(loom_topo_guid(t, 1, 0), 0);  /* S-2 */
  assert_int_equal(loom_topo_guid(t, 2, 0), 0x77);
  assert_int_equal(loom_topo_guid(t, 3, 0), UINT64_C(0x2c90000000002));
  loom_topo_destroy(t);
}

static void a_dump_without_lids_is_checked_by_the_guids_of_its_switches(void **state) {
  (void)state;
  json_t *root = run_json("route check " NET " --lfts " LFTS " --json");
  assert_int_equal(count_of(root, "unreachable"), 0);
  assert_int_equal(count_of(root, "pairs"), 24); /* 12 of hosts, two LIDs each */
  assert_true(json_is_true(json_object_get(root, "acyclic")));
  json_decref(root);
}

static void a_table_of_another_switch_changes_the_verdict(void **state) {
  (void)state;
  struct loom_error err = {.line = ""};
  struct loom_topo *t = subnet();
  /* The leaves exchange their GUIDs, so their tables: the ports lead elsewhere. */
  char *text = dump_with("0,1 guid 0x5a010000000000a1", "0,1 guid 0x5a010000000000a2");
  assert_null(tables_of(t, text, &err));
  assert_non_null(strstr(err.line, "0 is the way to the switch itself"));
  free(text);
  loom_topo_destroy(t);
}

static void a_guid_goes_before_the_lid_and_the_lid_before_the_name(void **state) {
  (void)state;
  struct loom_error err = {.line = ""};
  struct loom_topo *t = subnet();
  /* By LID where the fabric does not know the GUID. */
  char *text = dump_with("DR path slid 0; dlid 0; 0 guid", "DR path 0 guid");
  struct loom_routing *r = tables_of(t, text, &err);
  assert_non_null(r);
  loom_routing_destroy(r);
  free(text);
  text = dump_with("DR path slid 0; dlid 0; 0,1 guid 0x5a010000000000a1", "Lid 3 guid 0x1");
  r = tables_of(t, text, &err);
  assert_non_null(r);
  loom_routing_destroy(r);
  free(text);
  /* A dump of another time: the LID is no longer that of the switch. */
  text = dump_with("DR path slid 0; dlid 0; 0,1 guid", "Lid 7 guid");
  assert_null(tables_of(t, text, &err));
  assert_string_equal(err.line, "f:1: switch: \"leaf _A_ rack 1\" has LID 3 in the fabric, not 7");
  free(text);
  text = dump_with("guid 0x5a010000000000b1 (spine; 12V)", "guid 0x5a010000000000b2 (x)");
  assert_null(tables_of(t, text, &err));
  assert_non_null(strstr(err.line, ": name: is no switch of the fabric, nor is the GUID, and there "
                                   "is no LID"));
  free(text);
  /* By name at last. */
  text = dump_with("guid 0x5a010000000000b1 (spine; 12V)", "guid 0x1 (spine; 12V)");
  r = tables_of(t, text, &err);
  assert_non_null(r);
  loom_routing_destroy(r);
  free(text);
  loom_topo_destroy(t);
}

static void two_switches_with_one_guid_are_refused(void **state) {
  (void)state;
  struct loom_error err = {.line = ""};
  struct loom_topo *t =
      net_of("switchguid=0x5\nSwitch 2 \"a\"\n[1] \"h\"[1]\n[2] \"b\"[2]\n\n"
             "switchguid=0x5\nSwitch 2 \"b\" # \"b\" base port 0 lid 2 lmc 0\n[2] \"a\"[2] # \"a\" "
             "lid 3 4xQDR\n\nCa 1 \"h\"\n[1] \"a\"[1] # \"a\" lid 1 4xQDR\n",
             &err);
  assert_non_null(t);
  assert_null(tables_of(t, "\n", &err));
  assert_string_equal(err.line, "f:0: fabric: two switches have GUID 0x0000000000000005");
  loom_topo_destroy(t);
}

static void all_lids_of_a_host_with_an_lmc_are_its_own(void **state) {
  (void)state;
  struct loom_error err = {.line = ""};
  struct loom_routing_error why = {""};
  struct loom_topo *t = subnet();
  assert_int_equal(t->lmc, 1);
  struct loom_routing *r = loom_routing_create(t, 0, &why);
  assert_non_null(r);
  assert_int_equal(r->lmc, 1);
  assert_int_equal(r->lids, 16);
  assert_int_equal(r->end_of[8], 0);
  assert_int_equal(r->end_of[9], 0);
  assert_int_equal(r->end_of[15], 3);
  assert_int_equal(loom_routing_switch_lid(r, 0), 1);
  loom_routing_destroy(r);
  assert_null(loom_routing_create(t, 2, &why));
  assert_string_equal(why.text, "the fabric has LMC 1, not 2");
  loom_topo_destroy(t);
  assert_null(net_of("Ca 2 \"h\"\n[1] \"a\"[1] # lid 2 lmc 1 \"a\" lid 8 4xQDR\n"
                     "[2] \"a\"[2] # lid 4 lmc 0 \"a\" lid 8 4xQDR\n\nSwitch 2 \"a\"\n"
                     "[1] \"h\"[1]\n[2] \"h\"[2]\n",
                     &err));
  assert_string_equal(err.line, "f:3: lmc: 0 is not 1, that of line 2");
}

static void written_tables_have_the_guids_of_the_subnet(void **state) {
  (void)state;
  char folder[SCRATCH_FOLDER], path[64], line[200];
  scratch_make(folder);
  snprintf(path, sizeof path, "%s/f.lfts", folder);
  snprintf(line, sizeof line, "route " NET " --engine updn --json -o %s", path);
  json_decref(run_json(line));
  struct loom_source src = scratch_read(path);
  assert_non_null(strstr(src.text, "switch Lid 3 guid 0x5a010000000000a1 ('leaf _A_ rack 1'):"));
  assert_non_null(strstr(src.text, "\n0x0009 001 # Channel Adapter portguid 0x5a02000000000011: "));
  loom_source_free(&src);
  assert_int_equal(unlink(path), 0);
  assert_int_equal(rmdir(folder), 0);
}

static void other_lines_of_ibnetdiscover_are_understood(void **state) {
  (void)state;
  static const char *const comments[] = {
      "",
      " # \"\" lid 2 4xQDR",
      " # \"the \"old\" one\" lid 2 4xQDR",
      " # \"it's 5\"\" lid 2 12xXDR",
      " # \"x\" lid 2 4x???",
      " # \"x\" lid 2 ?????",
      " # \"x\" lid 2 4xXDR s=4 w=2 v=4",
      " # \"x\" lid 2 4xSDR s=1 w=2 v=4 slot 3",
      " # \"x\" lid 2 ??NDR s=4 w=0 v=15 (scp)",
  };
  for (size_t i = 0; i < sizeof comments / sizeof comments[0]; i++) {
    char text[400];
    struct loom_error err = {.line = ""};
    snprintf(
        text, sizeof text,
        "Chassis 1 (guid 0x1)\nHostname: x\nNon-Chassis Nodes\n\nSwitch 1 \"a\"\n[1] \"r\"[1]%s\n\n"
        "vendid=0x1\nrtguid=0x9\nRt 1 \"r\" # \"to another subnet\"\n[1](a) \"a\"[1]\n",
        comments[i]);
    struct loom_topo *t = net_of(text, &err);
    assert_string_equal(err.line, "");
    assert_int_equal(t->device[0].kind, LOOM_TOPO_HCA); /* a router is an end of the subnet */
    assert_int_equal(loom_topo_guid(t, 0, 0), 9);
    assert_int_equal(loom_topo_guid(t, 0, 1), 10);
    loom_topo_destroy(t);
  }
}

/* vectors/net/chassis.net with `from` replaced by `to` once, after the first `skip` places. */
static struct loom_topo *chassis_with(const char *from, const char *to, unsigned skip,
                                      struct loom_error *err) {
  struct loom_source src = scratch_read("vectors/net/chassis.net");
  char *at = strstr(src.text, from);
  while (skip--) {
    assert_non_null(at);
    at = strstr(at + 1, from);
  }
  if (!at) {
    fail();
    return NULL;
  }
  assert_int_equal(strlen(from), strlen(to));
  for (size_t i = 0; to[i]; i++)
    at[i] = to[i];
  struct loom_topo *t = net_of(src.text, err);
  loom_source_free(&src);
  return t;
}

static void a_switch_of_a_chassis_stands_twice(void **state) {
  (void)state;
  struct loom_error err = {.line = ""};
  struct loom_topo *t = chassis_with("# devices: 13", "# devices: 13", 0, &err);
  assert_string_equal(err.line, "");
  assert_int_equal(t->devices, 10);
  struct loom_topo_counts c;
  loom_topo_count(t, &c);
  assert_int_equal(c.switches, 4);
  assert_int_equal(c.switch_links, 5);
  assert_int_equal(c.node_links, 7);
  loom_topo_destroy(t);
  /* The second time the cable is at another port, or the switch another one. */
  assert_null(
      chassis_with("[1]\t\"S-00005a0300000200\"[21]", "[1]\t\"S-00005a0300000200\"[25]", 1, &err));
  assert_string_equal(err.line, "f:72: peer: is another one in line 14");
  assert_null(
      chassis_with("[1]\t\"S-00005a0300000200\"[21]", "[1]\t\"S-00005a0300000300\"[21]", 1, &err));
  assert_string_equal(err.line, "f:72: peer: is another one in line 14");
  assert_null(chassis_with("Switch\t41 \"S-00005a0300000300\"", "Switch\t40 \"S-00005a0300000300\"",
                           1, &err));
  assert_string_equal(err.line, "f:48: name: \"S-00005a0300000300\" is the name in line 35, too");
  assert_null(chassis_with(
      "Switch\t41 \"S-00005a0300000300\"\t\t# \"director line 2\" enhanced port 0 lid 5",
      "Switch\t41 \"S-00005a0300000300\"\t\t# \"director line 2\" enhanced port 0 lid 6", 1, &err));
  assert_string_equal(err.line, "f:48: name: \"S-00005a0300000300\" is the name in line 35, too");
}

static void all_lids_of_an_enhanced_port_0_are_the_switch(void **state) {
  (void)state;
  struct loom_error err = {.line = ""};
  struct loom_routing_error why = {""};
  struct loom_topo *t = chassis_with("lid 20 lmc 1", "lid 20 lmc 1", 0, &err);
  struct loom_routing *r = loom_routing_create(t, 0, &why);
  assert_non_null(r);
  assert_int_not_equal(r->row_of[20], LOOM_TOPO_NONE);
  assert_int_equal(r->row_of[21], r->row_of[20]);
  assert_int_equal(r->row_of[22], LOOM_TOPO_NONE);
  assert_int_equal(r->row_of[4], LOOM_TOPO_NONE);
  loom_routing_destroy(r);
  loom_topo_destroy(t);
  t = chassis_with("lid 20 lmc 1", "lid 20 lmc 3", 0, &err); /* 20..27, and the router has 24 */
  assert_null(loom_routing_create(t, 0, &why));
  assert_string_equal(why.text, "LID 24 stands twice");
  loom_topo_destroy(t);
  assert_null(chassis_with("base port 0 lid 1 lmc 0", "base port 0 lid 1 lmc 1", 0, &err));
  assert_string_equal(err.line, "f:13: lmc: 1 is outside 0..0");
}

/* Names of devices in their order, one after the other. */
static void assert_names(const char *text, const char *names) {
  struct loom_error err = {.line = ""};
  char all[400] = "";
  size_t size = 0;
  struct loom_topo *t = net_of(text, &err);
  assert_string_equal(err.line, "");
  for (uint32_t d = 0; d < t->devices; d++)
    size += (size_t)snprintf(all + size, sizeof all - size, "%s|", t->device[d].name);
  assert_string_equal(all, names);
  loom_topo_destroy(t);
}

#define SWITCH(n, text, lid)                                                                       \
  "Switch 9 \"S-000000000000000" n "\" # \"" text "\" base port 0 lid " lid " lmc 0\n\n"

static void a_device_is_called_by_its_description_if_no_other_is(void **state) {
  (void)state;
  assert_names(SWITCH("1", " top  1\t", "7") SWITCH("2", "a \"b\" #1 @\x7f\xc3", "3"),
               "a _b_ _1 ___|top  1|");
  /* The same, none, or a GUID: the name stays. */
  assert_names(SWITCH("1", "x", "1") SWITCH("2", "y", "2") SWITCH("3", "x", "3")
                   SWITCH("4", "", "4") SWITCH("5", "S-0000000000000001", "5")
                       SWITCH("6", "x#", "6") SWITCH("7", "x@", "8"),
               "S-0000000000000001|y|S-0000000000000003|S-0000000000000004|S-0000000000000005|"
               "S-0000000000000006|S-0000000000000007|");
  /* A name that is none of ibnetdiscover's is nobody else's. */
  assert_names(SWITCH("1", "x", "1") "Switch 9 \"x\" # \"y\" base port 0 lid 2 lmc 0\n",
               "S-0000000000000001|x|");
  assert_names(SWITCH("1", "0123456789012345678901234567890123456789012345678901234567890123", "1"),
               "012345678901234567890123456789012345678901234567890123456789012|");
  /* Without a GUID anywhere descriptions are not looked at, and the order is the file's. */
  assert_names("Switch 9 \"x\" # \"y\" base port 0 lid 2 lmc 0\n\nHca 1 \"a\" # \"b\"\n", "x|a|");
}

static void adapters_come_first_and_lids_ascend(void **state) {
  (void)state;
  assert_names(SWITCH("3", "c", "0") SWITCH("2", "b", "0") SWITCH("9", "z", "5")
                   SWITCH("8", "y", "4") "Ca 1 \"H-0000000000000010\" # \"h\"\n",
               "h|y|z|b|c|");
  struct loom_error err = {.line = ""};
  struct loom_topo *t = chassis_with("lid 3 lmc 0", "lid 3 lmc 0", 0, &err);
  static const char *const names[] = {"login mlx5_0",
                                      "node1 mlx5_0",
                                      "node2 mlx5_0",
                                      "node3 _ rack _7",
                                      "Mellanox Technologies Aggregation Node",
                                      "Mellanox Technologies Router",
                                      "director spine 1",
                                      "director line 1",
                                      "director line 2",
                                      "top of rack _7_"};
  for (uint32_t d = 0; d < t->devices; d++)
    assert_string_equal(t->device[d].name, names[d]);
  assert_int_equal(loom_topo_guid(t, 7, 0), UINT64_C(0x5a0300000200));
  assert_int_equal(loom_topo_port(t, 7, 21)->device, 6);
  assert_int_equal(loom_topo_port(t, 3, 2)->device, 9);
  loom_topo_destroy(t);
}

static void an_aggregation_node_is_no_host(void **state) {
  (void)state;
  json_t *root = run_json("topo net vectors/net/chassis.net --hops --json");
  assert_int_equal(count_of(root, "nodes"), 5);
  assert_int_equal(count_of(root, "aggregation_nodes"), 1);
  assert_int_equal(count_of(root, "node_links"), 7);
  json_decref(root);
  root = run_json("route check vectors/net/chassis.net --engine updn --json");
  /* 6 ports, 2 of them of one host: 28 pairs, two LIDs each. */
  assert_int_equal(count_of(root, "pairs"), 56);
  json_decref(root);
  root = run_json("route path vectors/net/chassis.net --engine updn 8 18 --json");
  assert_int_equal(json_array_size(json_object_get(json_array_get(root, 0), "links")), 2);
  json_decref(root);
}

/* A switch with two hosts, `a` and `b` their cables' width and speed as each end prints it. */
static struct loom_topo *two_hosts(const char *a, const char *far_a, const char *b) {
  struct loom_error err = {.line = ""};
  char text[600];
  snprintf(text, sizeof text,
           "Switch 2 \"S-0000000000000009\" # \"s\" base port 0 lid 9 lmc 0\n"
           "[1] \"H-0000000000000001\"[1] # \"a\" lid 1 %s\n"
           "[2] \"H-0000000000000002\"[1] # \"b\" lid 2 %s\n\n"
           "Ca 1 \"H-0000000000000001\" # \"a\"\n[1] \"S-0000000000000009\"[1] # lid 1 lmc 0 \"s\" "
           "lid 9 "
           "%s\n\n"
           "Ca 1 \"H-0000000000000002\" # \"b\"\n[1] \"S-0000000000000009\"[2] # lid 2 lmc 0 \"s\" "
           "lid 9 "
           "%s\n",
           far_a, b, a, b);
  struct loom_topo *t = net_of(text, &err);
  assert_string_equal(err.line, "");
  return t;
}

static void width_times_speed_is_the_rate_of_a_link(void **state) {
  (void)state;
  static const struct {
    const char *word;
    uint32_t mbps;
  } rates[] = {{"1xSDR", 2000},   {"4xDDR", 16000},  {"4xQDR", 32000},  {"4xFDR10", 40000},
               {"4xFDR", 54545},  {"4xEDR", 100000}, {"2xHDR", 100000}, {"4xHDR", 200000},
               {"4xNDR", 400000}, {"8xNDR", 800000}, {"4xXDR", 800000}, {"12xXDR", 2400000},
               {"??NDR", 0},      {"4x???", 0},      {"?????", 0}};
  for (size_t i = 0; i < sizeof rates / sizeof rates[0]; i++) {
    struct loom_topo *t = two_hosts(rates[i].word, rates[i].word, "4x???");
    assert_int_equal(loom_topo_rate(t, 0, 1), rates[i].mbps);
    assert_int_equal(loom_topo_rate(t, 2, 1), rates[i].mbps);
    assert_int_equal(loom_topo_rate(t, 2, 2), 0);
    loom_topo_destroy(t);
  }
  struct loom_topo *t = two_hosts("4x???", "4xEDR", "4xHDR"); /* one end of the cable knows */
  uint32_t min = 0, max = 0;
  assert_int_equal(loom_topo_rate(t, 0, 1), 100000);
  loom_topo_rates(t, &min, &max);
  assert_int_equal(min, 100000);
  assert_int_equal(max, 200000);
  loom_topo_destroy(t);
  struct loom_error err = {.line = ""};
  t = net_of("Hca 1 \"a\"\n[1] \"b\"[1] # \"b\" lid 1 4xEDR\n\nHca 1 \"b\"\n[1] \"a\"[1]\n", &err);
  assert_null(t->rate); /* ibsim's form */
  loom_topo_destroy(t);
}

static void a_slow_link_gives_its_flows_less(void **state) {
  (void)state;
  static const struct {
    const char *a, *b;
    double ebb;
  } cases[] = {{"4xNDR", "4xNDR", 1},
               {"4xNDR", "4xHDR", .5},
               {"1xEDR", "4xEDR", .25},
               {"4xNDR", "4x???", 1},
               {"?????", "4x???", 1}};
  struct loom_routing_error why = {""};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    struct loom_topo *t = two_hosts(cases[i].a, cases[i].a, cases[i].b);
    struct loom_routing *r = loom_routing_create(t, 0, &why);
    assert_non_null(r);
    loom_routing_set(r, 0, 1, 1);
    loom_routing_set(r, 0, 2, 2);
    double ebb = loom_routing_bisection(r, LOOM_ROUTING_BISECT, 8, 1);
    assert_true(ebb > cases[i].ebb - 1e-9 && ebb < cases[i].ebb + 1e-9);
    loom_routing_destroy(r);
    loom_topo_destroy(t);
  }
}

static void a_run_has_the_rate_of_the_file_or_must_say_one(void **state) {
  (void)state;
  static const char fabric[] =
      "---\nname: x\ntopology: {file: f.net}\n%sswitch: {kind: ib, scheduler: rr}\nclasses:\n"
      "  - {name: A, sl: 0, vl: 0, mtu: 256}\ntraffic:\n"
      "  - {class: A, pattern: uniform, size: 256, load: 0.5, process: cbr}\n"
      "run: {warmup: 10, measure: 100, drain: 1000}\n...\n";
  static const char net[] = "Switch 2 \"S-0000000000000009\" # \"s\" base port 0 lid 9 lmc 0\n"
                            "[1] \"H-0000000000000001\"[1] # \"a\" lid 1 4x%s\n[2] "
                            "\"H-0000000000000002\"[1] # \"b\" lid 2 "
                            "4x%s\n\nCa 1 \"H-0000000000000001\"\n[1] \"S-0000000000000009\"[1]\n\n"
                            "Ca 1 \"H-0000000000000002\"\n[1] \"S-0000000000000009\"[2]\n";
  static const struct {
    const char *a, *b, *link, *says;
  } cases[] = {
      {"HDR", "HDR", "", "at 200 Gb/s"},
      {"HDR", "???", "", "at 200 Gb/s"},
      {"???", "???", "", "at 32 Gb/s"},
      {"HDR", "HDR", "link: {rate: 40}\n", "at 40 Gb/s"},
      {"HDR", "NDR", "link: {rate: 40}\n", "at 40 Gb/s"},
      {"HDR", "NDR", "",
       "f.net:0: rate: links carry 200 to 400 Gb/s, and those of a run are all "
       "alike: link.rate must say what they carry\n"},
  };
  char folder[SCRATCH_FOLDER], path[64], text[1000], line[200];
  scratch_make(folder);
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    snprintf(path, sizeof path, "%s/f.net", folder);
    snprintf(text, sizeof text, net, cases[i].a, cases[i].b);
    scratch_write(path, text);
    snprintf(path, sizeof path, "%s/f.yaml", folder);
    snprintf(text, sizeof text, fabric, cases[i].link);
    scratch_write(path, text);
    snprintf(line, sizeof line, "run %s", path);
    struct outcome o = loom(line);
    bool refused = !strncmp(cases[i].says, "f.net", 5);
    assert_int_equal(o.status, refused ? 2 : 0);
    assert_non_null(strstr(refused ? o.err : o.out, cases[i].says));
    drop(&o);
    assert_int_equal(unlink(path), 0);
  }
  snprintf(path, sizeof path, "%s/f.net", folder);
  assert_int_equal(unlink(path), 0);
  assert_int_equal(rmdir(folder), 0);
}

/* As `loom run` has it: the node's cable is gone, its LIDs in the tables are passed over. */
static void tables_may_lead_to_an_aggregation_node_that_is_not_there(void **state) {
  (void)state;
  struct loom_error err = {.line = ""};
  struct loom_source src = scratch_read("vectors/net/chassis.lfts");
  struct loom_topo *t = chassis_with("lid 3 lmc 0", "lid 3 lmc 0", 0, &err);
  loom_topo_unplug_aggregation(t);
  assert_int_equal(loom_topo_check(t).fault, LOOM_TOPO_SOUND);
  struct loom_routing *r = tables_of(t, src.text, &err);
  assert_string_equal(err.line, "");
  assert_int_equal(r->ends, 6);
  assert_int_equal(loom_routing_out(r, 0, 18), LOOM_ROUTING_UNREACHABLE);
  assert_int_equal(loom_routing_out(r, 0, 17), 4);
  loom_routing_destroy(r);
  /* Nobody has LID 22, and nobody ever had. */
  char *at = strstr(src.text, "0x0013 002");
  assert_non_null(at);
  at[3] = '0';
  at[4] = '1';
  at[5] = '6';
  assert_null(tables_of(t, src.text, &err));
  assert_non_null(strstr(err.line, ": lid: no port of the fabric has LID 22"));
  loom_source_free(&src);
  loom_topo_destroy(t);
}

static void a_path_is_found_by_guids(void **state) {
  (void)state;
  json_t *root =
      run_json("route path " NET " --lfts " LFTS " 0x5a02000000000011 0x5a010000000000b1 --json");
  assert_string_equal(json_string_value(json_object_get(json_array_get(root, 0), "from")),
                      "node1 HCA-1");
  assert_string_equal(json_string_value(json_object_get(json_array_get(root, 0), "to")),
                      "spine; 12V");
  json_decref(root);
}

static void a_port_without_a_lid_says_nothing_of_the_lmc(void **state) {
  (void)state;
  struct loom_error err = {.line = ""};
  struct loom_topo *t = chassis_with("# lid 14 lmc 1", "# lid 0 lmc  1", 0, &err);
  assert_null(t);
  assert_non_null(strstr(err.line, ": lmc: missing number"));
  t = net_of("Ca 1 \"h\"\n[1] \"a\"[1] # lid 2 lmc 1 \"a\" lid 8 4xQDR\n\nCa 1 \"i\"\n[1](b) "
             "\"a\"[2] # lid 0 lmc 0 \"a\" lid 8 4xQDR\n\nSwitch 2 \"a\"\n[1] \"h\"[1] (7) \n"
             "[2] \"i\"[1](b) \n",
             &err);
  assert_string_equal(err.line, "");
  assert_int_equal(t->lmc, 1);
  loom_topo_destroy(t);
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(guids_of_devices_and_ports_are_kept),
      cmocka_unit_test(a_dump_without_lids_is_checked_by_the_guids_of_its_switches),
      cmocka_unit_test(a_table_of_another_switch_changes_the_verdict),
      cmocka_unit_test(a_guid_goes_before_the_lid_and_the_lid_before_the_name),
      cmocka_unit_test(two_switches_with_one_guid_are_refused),
      cmocka_unit_test(all_lids_of_a_host_with_an_lmc_are_its_own),
      cmocka_unit_test(written_tables_have_the_guids_of_the_subnet),
      cmocka_unit_test(other_lines_of_ibnetdiscover_are_understood),
      cmocka_unit_test(a_switch_of_a_chassis_stands_twice),
      cmocka_unit_test(all_lids_of_an_enhanced_port_0_are_the_switch),
      cmocka_unit_test(a_device_is_called_by_its_description_if_no_other_is),
      cmocka_unit_test(adapters_come_first_and_lids_ascend),
      cmocka_unit_test(an_aggregation_node_is_no_host),
      cmocka_unit_test(tables_may_lead_to_an_aggregation_node_that_is_not_there),
      cmocka_unit_test(width_times_speed_is_the_rate_of_a_link),
      cmocka_unit_test(a_slow_link_gives_its_flows_less),
      cmocka_unit_test(a_run_has_the_rate_of_the_file_or_must_say_one),
      cmocka_unit_test(a_path_is_found_by_guids),
      cmocka_unit_test(a_port_without_a_lid_says_nothing_of_the_lmc),
  };
  return UNIT_RUN("discovered", tests, NULL, NULL);
}

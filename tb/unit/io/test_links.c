/* SPDX-License-Identifier: Apache-2.0 */
/* Fabrics from lists of ports: `ibnetdiscover -p`, iblinkinfo (docs/cluster.md). */
#include "tb/unit/unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/read_net.h"
#include "tb/unit/cli_run.h"
#include "tb/unit/scratch.h"

static struct loom_topo *fabric_of(const char *text, struct loom_error *err) {
  struct loom_source src;
  err->line[0] = 0;
  assert_true(loom_source_copy(&src, "f", text, strlen(text)));
  struct loom_topo *t = loom_read_net(&src, err);
  loom_source_free(&src);
  return t;
}

static struct loom_topo *fabric_in(const char *path) {
  struct loom_error err = {.line = ""};
  struct loom_source src = scratch_read(path);
  struct loom_topo *t = loom_read_net(&src, &err);
  loom_source_free(&src);
  assert_string_equal(err.line, "");
  assert_non_null(t);
  return t;
}

static const char *const forms[] = {"vectors/net/chassis-ports.net",
                                    "vectors/net/chassis-links.net",
                                    "vectors/net/chassis-lines.net"};
enum { FORMS = sizeof forms / sizeof forms[0] };

static void all_forms_of_a_subnet_are_the_same_fabric(void **state) {
  (void)state;
  struct loom_topo *whole = fabric_in("vectors/net/chassis.net");
  for (unsigned f = 0; f < FORMS; f++) {
    struct loom_topo *t = fabric_in(forms[f]);
    assert_int_equal(t->devices, whole->devices);
    for (uint32_t d = 0; d < t->devices; d++) {
      assert_string_equal(t->device[d].name, whole->device[d].name);
      assert_int_equal(t->device[d].kind, whole->device[d].kind);
      assert_int_equal(t->device[d].ports, whole->device[d].ports);
      assert_int_equal(t->device[d].aggregates, whole->device[d].aggregates);
      for (uint32_t p = 0; p <= t->device[d].ports; p++) {
        const struct loom_topo_port *a = loom_topo_port(t, d, p);
        const struct loom_topo_port *b = loom_topo_port(whole, d, p);
        assert_int_equal(a->device, b->device);
        assert_int_equal(a->port, b->port);
        assert_int_equal(a->lid, b->lid);
        assert_int_equal(loom_topo_rate(t, d, p), loom_topo_rate(whole, d, p));
        if (p || t->device[d].kind == LOOM_TOPO_SWITCH)
          assert_int_equal(loom_topo_guid(t, d, p), loom_topo_guid(whole, d, p));
      }
    }
    loom_topo_destroy(t);
  }
  loom_topo_destroy(whole);
}

/* None of these forms says what the LMC is. */
static void an_lmc_is_said_or_the_first_lids_are_checked(void **state) {
  (void)state;
  char line[200];
  json_t *whole =
      run_json("route check vectors/net/chassis.net --lfts vectors/net/chassis.lfts --json");
  for (unsigned f = 0; f < FORMS; f++) {
    snprintf(line, sizeof line, "route check %s --lfts vectors/net/chassis.lfts --lmc 1 --json",
             forms[f]);
    json_t *same = run_json(line);
    assert_true(json_equal(whole, same));
    json_decref(same);
    snprintf(line, sizeof line, "route check %s --lfts vectors/net/chassis.lfts --json", forms[f]);
    json_t *half = run_json(line);
    assert_int_equal(count_of(half, "pairs"), 28);
    assert_int_equal(count_of(half, "unreachable"), 0);
    json_decref(half);
  }
  json_decref(whole);
}

#define NODE(n, lid, port)                                                                         \
  "CA: node" n ":\n      0x1000" n "  " lid                                                        \
  "  1[  ] ==( 4X  53.125 Gbps Active/  LinkUp)==>  9  " port "[  ] \"sw\" ( )\n"
#define PORT(n, lid, peer)                                                                         \
  "           9    " n "[  ] ==( 4X  53.125 Gbps Active/  LinkUp)==>  " lid "  1[  ] \"" peer      \
  "\" (Could be 12X )\n"

static void what_only_others_name_is_an_adapter(void **state) {
  (void)state;
  struct loom_error err = {.line = ""};
  /* As `iblinkinfo --switches-only` prints it; two have one description and keep their LIDs. */
  struct loom_topo *t = fabric_of(
      "Switch 0x99 sw:\n" PORT("1", "3", "x") PORT("2", "4", "y") PORT("5", "6", "y"), &err);
  assert_string_equal(err.line, "");
  assert_int_equal(t->devices, 4);
  assert_string_equal(t->device[0].name, "x");
  assert_string_equal(t->device[1].name, "LID 4");
  assert_string_equal(t->device[2].name, "LID 6");
  assert_string_equal(t->device[3].name, "sw");
  assert_int_equal(t->device[3].ports, 5);
  assert_int_equal(loom_topo_port(t, 3, 5)->device, 2);
  assert_int_equal(loom_topo_rate(t, 1, 1), 200000);
  loom_topo_destroy(t);
  /* A host beside it that is in the list. */
  t = fabric_of(
      NODE("1", "3", "1") "Switch: 0x99 sw:\n" PORT("1", "3", "node1") PORT("2", "4", "y"), &err);
  assert_string_equal(err.line, "");
  assert_int_equal(t->devices, 3);
  assert_int_equal(loom_topo_guid(t, 0, 1), 0x10001);
  loom_topo_destroy(t);
}

static void ports_of_an_adapter_are_one_device_if_their_guids_say_so(void **state) {
  (void)state;
#define ADAPTER(port, guid, lid, to)                                                               \
  "CA  " lid " " port " 0x" guid " 4x HDR - SW 9 " to " 0x99 ( 'a' - 's' )\n"
#define SWITCH(port, lid, to, guid)                                                                \
  "SW 9 " port " 0x99 4x HDR - CA " lid " " to " 0x" guid " ( 's' - 'a' )\n"
  struct loom_error err = {.line = ""};
  struct loom_topo *t = fabric_of(ADAPTER("2", "12", "5", "2") ADAPTER("1", "11", "4", "1")
                                      SWITCH("2", "5", "2", "12") SWITCH("1", "4", "1", "11"),
                                  &err);
  assert_string_equal(err.line, "");
  assert_int_equal(t->devices, 2);
  assert_int_equal(t->device[0].ports, 2);
  loom_topo_destroy(t);
  t = fabric_of(ADAPTER("2", "12", "5", "2") ADAPTER("1", "31", "4", "1")
                    SWITCH("2", "5", "2", "12") SWITCH("1", "4", "1", "31"),
                &err);
  assert_string_equal(err.line, "");
  assert_int_equal(t->devices, 3);
  loom_topo_destroy(t);
}

static void wrong_lists_are_refused_where_they_are_wrong(void **state) {
  (void)state;
  static const struct {
    const char *text;
    const char *line;
  } files[] = {
      {"SW 1 1 0x9 4x HDR - XX 1 1 0x9 ( 'a' - 'b' )\n", "f:1: device: must be SW, CA or RT"},
      {"SW 1 1 0x9 4x HDR - CA 49152 1 0x8 ( 'a' - 'b' )\n", "f:1: lid: 49152 is outside 0..49151"},
      {"SW 1 0 0x9 4x HDR 'a'\n", "f:1: port: 0 is outside 1..255"},
      {"SW 1 1 9 4x HDR 'a'\n", "f:1: guid: must be `0x` here"},
      {"SW 1 1 0x9 3x HDR 'a'\n", "f:1: speed: must be a width and a speed, such as `4x QDR`"},
      {"SW 1 1 0x9 4x ZDR 'a'\n", "f:1: speed: is none of InfiniBand's"},
      {"SW 1 1 0x9 4x HDR a\n", "f:1: description: must be `'` here"},
      {"SW 1 1 0x9 4x HDR - CA 2 1 0x8 ( 'a', 'b' )\n",
       "f:1: description: the closing quote is missing"},
      {"SW 1 1 0x9 4x HDR - CA 2 1 0x8 ( 'a' - 'b'\n",
       "f:1: description: the closing quote is missing"},
      {"SW 1 1 0x9 4x HDR 'a'\nSW 1 1 0x9 4x HDR 'a'\n",
       "f:2: guid: this port stands in line 1, too"},
      {"SW 1 1 0x9 4x HDR 'a'\nSW 1 1 0x8 4x HDR 'b'\n",
       "f:2: lid: this port stands in line 1, too"},
      {"SW 1 1 0x9 4x HDR 'a'\nSW 1 2 0x8 4x HDR 'b'\n",
       "f:2: lid: 1 is the LID of another port, too"},
      {"SW 1 1 0x9 4x HDR - SW 2 1 0x8 ( 'a' - 'b' )\nSW 2 1 0x8 4x HDR 'b'\n",
       "f:1: peer: [1] of \"S-0000000000000008\" does not lead back here"},
      {"SW 1 1 0x9 4x HDR - SW 2 1 0x8 ( 'a' - 'b' )\nSW 3 1 0x8 4x HDR - SW 1 1 0x9 ( 'b' - 'a' "
       ")\n",
       "f:1: lid: the peer has LID 3, not 2"},
      {"SW 1 1 0x9 4x HDR - SW 1 2 0x9 ( 'a' - 'a' )\nSW 1 2 0x9 4x HDR - SW 1 1 0x9 ( 'a' - 'a' "
       ")\n",
       "f:1: peer: is the device itself"},
      {"Switch: 0x9 a:\n", "f:0: device: the file has no device"},
      {"Switch: 0x9 a\n", "f:1: description: must end in `:`"},
      {"Switch: 0xg a:\n  1 1[ ] ==( Down/ Polling)==> [  ] \"\" ( )\n",
       "f:1: guid: must have 1..16 hexadecimal digits"},
      {"Switch: 0x9 a:\nsomething\n", "f:2: port: a line is a header or has `==(`"},
      {"Switch: 0x9 a:\n  1 1[ ==( Down/ Polling)==> [  ] \"\" ( )\n",
       "f:2: port: must be `==(` here"},
      {"Switch: 0x9 a:\n  1 1 ==( Down/ Polling)==>\n",
       "f:2: port: must be `port[number on the front]`"},
      {"Switch: 0x9 a:\n  1 1[ ] ==( 4X 3.0 Gbps Active/ LinkUp)==> 2 1[ ] \"b\" ( )\n",
       "f:2: speed: is none of InfiniBand's"},
      {"Switch: 0x9 a:\n  1 1[ ] ==( 4X 5.0 Gbps Active/ LinkUp) 2 1[ ] \"b\" ( )\n",
       "f:2: port: `)==>` is missing"},
      {"Switch: 0x9 a:\n  1 1[ ] ==( 4X 5.0 Gbps Active/ LinkUp)==> 2 1[ ] b ( )\n",
       "f:2: description: must be `\"` here"},
      {"Switch: 0x9 a:\n  1 1[ ] ==( 4X 5.0 Gbps Active/ LinkUp)==> 2 1[ ] \"b\"\n",
       "f:2: description: must be `\"description\" ( )` at the end of the line"},
      {"Switch: 0x9 a:\n  1 1[ ] ==( 4X 5.0 Gbps Active/ LinkUp)==> 0 1[ ] \"b\" ( )\n",
       "f:2: lid: the peer has neither a LID nor a GUID"},
      {"Switch: 0x9 a:\n  1 1[ ] ==( Down/ Polling)==> [  ] \"\" ( ) x\n",
       "f:2: peer: must be nothing"},
      {"0x9 \"a\" 1 1[ ] ==( 4X 5.0 Gbps Active/ LinkUp)==> 2 1[ ] \"b\" ( )\n",
       "f:1: guid: must be `0x` here"},
      {"0x9 1 1[ ] ==( 4X 5.0 Gbps Active/ LinkUp)==> 2 1[ ] \"b\" ( )\n",
       "f:1: port: belongs to no device"},
      {"# devices: 2\nSwitch: 0x9 a:\n  1 1[ ] ==( Down/ Polling)==> [  ] \"\" ( )\n",
       "f:3: devices: the file has 1, the first line says 2"},
      {"# devices: 1 or so\nSwitch: 0x9 a:\n  1 1[ ] ==( Down/ Polling)==> [  ] \"\" ( )\n",
       "f:1: devices: something follows that is not understood"},
      {"# devices: 1\nSwitch: 0x9 a:\n  1 1[ ] ==( Down/ Polling)==> [  ] \"\" ( )",
       "f:3: devices: the file is cut short: the last line does not end"},
  };
  for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
    struct loom_error err;
    assert_null(fabric_of(files[i].text, &err));
    assert_string_equal(err.line, files[i].line);
  }
}

/* What the tool does not know, and a speed that two words name. */
static void speeds_of_iblinkinfo_are_rates(void **state) {
  (void)state;
  static const struct {
    const char *words;
    uint32_t mbps;
  } links[] = {{"4X 2.5 Gbps Active", 8000},      {"1X 5.0 Gbps Init", 4000},
               {"4X 10.0 Gbps Active", 32000},    {"4X 10.0 Gbps (FDR10) Active", 40000},
               {"4X 14.0625 Gbps Active", 54545}, {"12X 25.78125 Gbps Active", 300000},
               {"2X 53.125 Gbps Armed", 100000},  {"4X 106.25 Gbps Active", 400000},
               {"4X 212.5 Gbps Active", 800000},  {"undefined (0) 10.0 Gbps Active", 0},
               {"4X undefined (16) Active", 0},   {"4X Extended speed Active", 0},
               {"4X No Extended Speed Active", 0}};
  for (size_t i = 0; i < sizeof links / sizeof links[0]; i++) {
    struct loom_error err;
    char text[300];
    snprintf(text, sizeof text,
             "Switch: 0x9 a:\n  1 1[ ] ==( %s/ LinkUp)==> 2 1[ ] \"b \"c\" (d)\" ( )\n",
             links[i].words);
    struct loom_topo *t = fabric_of(text, &err);
    assert_string_equal(err.line, "");
    assert_string_equal(t->device[0].name, "b _c_ (d)");
    assert_int_equal(loom_topo_rate(t, 1, 1), links[i].mbps);
    loom_topo_destroy(t);
  }
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(all_forms_of_a_subnet_are_the_same_fabric),
      cmocka_unit_test(an_lmc_is_said_or_the_first_lids_are_checked),
      cmocka_unit_test(what_only_others_name_is_an_adapter),
      cmocka_unit_test(ports_of_an_adapter_are_one_device_if_their_guids_say_so),
      cmocka_unit_test(wrong_lists_are_refused_where_they_are_wrong),
      cmocka_unit_test(speeds_of_iblinkinfo_are_rates),
  };
  return UNIT_RUN("links", tests, NULL, NULL);
}

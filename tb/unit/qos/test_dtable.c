/* SPDX-License-Identifier: Apache-2.0 */
/* DTable's configuration: T-Tab4.4, 4.5, 4.8, 4.9 and 5.4, DT-05..09, and its reader. */
#include "tb/unit/unit.h"

#include <stdio.h>
#include <string.h>

#include "io/published_table.h"
#include "io/read_dtable.h"
#include "qos/vlarb.h"

static void load(struct loom_dtable_input *in, const char *name) {
  char file[100];
  struct loom_source src;
  struct loom_error err = {.line = ""};
  memset(in, 0, sizeof *in);
  snprintf(file, sizeof file, "vectors/papers/dtable/%s.yaml", name);
  if (!loom_source_read(&src, file, &err) || !loom_read_dtable(in, &src, &err))
    fail_msg("%s", err.line);
  loom_source_free(&src);
}

struct row {
  uint32_t n;
  uint32_t entry_weight;
  uint32_t before;
  int32_t d;
  uint32_t after;
  uint32_t low;
  uint32_t high;
};

static void assert_rows(const struct loom_dtable_input *in, const struct row *rows, uint32_t count,
                        uint32_t before, uint32_t after) {
  assert_int_equal(in->config.flow_count, count);
  assert_int_equal(in->result.before, before);
  assert_int_equal(in->result.after, after);
  for (uint32_t i = 0; i < count; i++) {
    const struct loom_dtable_row *r = &in->result.row[i];
    assert_int_equal(r->n, rows[i].n);
    assert_int_equal(r->entry_weight, rows[i].entry_weight);
    assert_int_equal(r->before, rows[i].before);
    assert_int_equal(r->d, rows[i].d);
    assert_int_equal(r->after, rows[i].after);
    assert_int_equal(r->low, rows[i].low);
    assert_int_equal(r->high, rows[i].high);
  }
}

/* How many entries of the flow have the weight. */
static uint32_t with_weight(const struct loom_dtable_input *in, unsigned flow, uint32_t weight) {
  uint32_t count = 0;
  for (uint32_t e = 0; e < in->config.entries; e++)
    count += in->result.owner[e] == flow && in->result.weight[e] == weight;
  return count;
}

/* The largest distance between consecutive entries of a flow, around the end of the table. */
static uint32_t max_distance(const struct loom_dtable_input *in, unsigned flow) {
  uint32_t largest = 0;
  uint32_t gap = 0;
  for (uint32_t e = 0; e < 2 * in->config.entries; e++) {
    bool again = e >= in->config.entries;
    gap++;
    if (in->result.owner[again ? e - in->config.entries : e] != flow)
      continue;
    if (again && gap > largest)
      largest = gap;
    gap = 0;
  }
  return largest;
}

static void assert_phis(const struct loom_dtable_input *in, const uint64_t (*phi)[2],
                        unsigned digits) {
  for (uint32_t i = 0; i < in->config.flow_count; i++) {
    assert_int_equal(loom_dtable_min_phi(&in->config, i, digits), phi[i][0]);
    assert_int_equal(loom_dtable_max_phi(&in->config, i, digits), phi[i][1]);
  }
}

/* The corrected table is the one that the circuits get. */
static void assert_is_published(const struct loom_dtable_input *in, const char *file) {
  struct loom_published f;
  struct loom_error err = {.line = ""};
  if (!loom_published_load(&f, file, &err))
    fail_msg("%s", err.line);
  assert_int_equal(f.table.count, in->config.entries);
  for (uint32_t e = 0; e < in->config.entries; e++) {
    assert_int_equal(f.table.entry[e].id, in->flow[in->result.owner[e]].sl);
    assert_int_equal(f.table.entry[e].weight, in->result.weight[e]);
  }
  loom_published_free(&f);
}

static void table_4_4_follows_from_its_shares(void **state) {
  (void)state;
  static const struct row rows[] = {
      {64, 7, 448, -43, 405, 6, 7}, {32, 12, 384, 21, 405, 12, 13}, {32, 12, 384, 21, 405, 12, 13}};
  static const uint64_t phi[][2] = {{5556, 66667}, {5556, 33333}, {8333, 33333}};
  struct loom_dtable_input in;
  load(&in, "tab4.4");
  assert_rows(&in, rows, 3, 1216, 1215);
  assert_phis(&in, phi, 5);
  assert_int_equal(with_weight(&in, 0, 7), 21);
  assert_int_equal(with_weight(&in, 0, 6), 43);
  for (unsigned flow = 1; flow < 3; flow++) {
    assert_int_equal(with_weight(&in, flow, 13), 21);
    assert_int_equal(with_weight(&in, flow, 12), 11);
  }
  assert_int_equal(in.warning_count, 3); /* 13 above M = 12, INC-23, and rounding */
  assert_string_equal(in.warning[0].line,
                      "vectors/papers/dtable/tab4.4.yaml:9: flows[1].phi: warning: entry weight 13 "
                      "of SL 1 is above M = 12.0");
  assert_is_published(&in, "vectors/papers/tab4.4.yaml");
}

/* T-Tab4.5 starts from a table that no phi gives; the spreading alone. */
static void spreading_alone_gives_table_4_5(void **state) {
  (void)state;
  static const uint8_t owner[] = {0, 1, 0, 2, 0, 1, 0, 2};
  static const uint32_t corrected[] = {4, 2, 3, 4, 3, 3, 3, 4};
  uint32_t weight[] = {4, 2, 4, 3, 4, 2, 4, 3};
  loom_dtable_spread(weight, owner, 8, 0, -3);
  loom_dtable_spread(weight, owner, 8, 1, 1);
  loom_dtable_spread(weight, owner, 8, 2, 2);
  assert_memory_equal(weight, corrected, sizeof weight);
  loom_dtable_spread(weight, owner, 8, 2, 5); /* more than once around */
  assert_int_equal(weight[3], 6);
  assert_int_equal(weight[7], 7);
  loom_dtable_spread(weight, owner, 8, 3, 5); /* a flow without entries */
  assert_int_equal(weight[7], 7);
}

static void table_4_9_follows_from_its_shares(void **state) {
  (void)state;
  static const struct row rows[] = {{64, 7, 448, -32, 416, 6, 7},
                                    {32, 39, 1248, 0, 1248, 39, 39},
                                    {16, 128, 2048, 32, 2080, 130, 130},
                                    {8, 26, 208, 0, 208, 26, 26},
                                    {8, 26, 208, 0, 208, 26, 26}};
  static const uint64_t phi[][2] = {
      {3125, 200000}, {3125, 100000}, {3125, 50000}, {3125, 25000}, {3125, 25000}};
  static const uint32_t distance[] = {2, 4, 8, 16, 16};
  struct loom_dtable_input in;
  load(&in, "tab4.8");
  assert_rows(&in, rows, 5, 4160, 4160);
  assert_phis(&in, phi, 5);
  for (unsigned flow = 0; flow < 5; flow++)
    assert_int_equal(max_distance(&in, flow), distance[flow]);
  unsigned seen = 0;
  for (uint32_t e = 0; e < 128; e++)
    if (in.result.owner[e] == 0)
      assert_int_equal(in.result.weight[e], seen++ < 32 ? 7 : 6);
  assert_int_equal(in.warning_count, 2); /* 130 above M = 128, and rounding */
  assert_is_published(&in, "vectors/papers/tab4.9.yaml");
}

static void table_5_4_follows_from_its_shares(void **state) {
  (void)state;
  static const struct row rows[] = {{32, 4, 128, -27, 101, 3, 4},  {16, 11, 176, 0, 176, 11, 11},
                                    {8, 39, 312, 10, 322, 40, 41}, {4, 90, 360, 15, 375, 93, 94},
                                    {2, 21, 42, 1, 43, 21, 22},    {1, 37, 37, 2, 39, 39, 39},
                                    {1, 17, 17, 0, 17, 17, 17}};
  static const uint64_t phi[][2] = {{93750, 3000000}, {31250, 1500000}, {250000, 750000},
                                    {125000, 375000}, {31250, 187500},  {15625, 93750},
                                    {15625, 93750}}; /* INC-26 */
  static const uint32_t distance[] = {2, 4, 8, 16, 32, 64, 64};
  struct loom_dtable_input in;
  load(&in, "tab5.4");
  assert_rows(&in, rows, 7, 1072, 1073);
  assert_phis(&in, phi, 6);
  for (unsigned flow = 0; flow < 7; flow++)
    assert_int_equal(max_distance(&in, flow), distance[flow]);
  assert_int_equal(with_weight(&in, 0, 4), 5);
  assert_int_equal(with_weight(&in, 0, 3), 27);
  assert_int_equal(with_weight(&in, 2, 40), 6);
  assert_int_equal(with_weight(&in, 2, 41), 2);
  assert_int_equal(in.result.weight[7], 93);
  assert_int_equal(with_weight(&in, 3, 94), 3);
  assert_int_equal(in.result.weight[15], 21);
  assert_int_equal(in.result.weight[47], 22);
  assert_int_equal(in.warning_count, 1); /* rounding */
  assert_is_published(&in, "vectors/papers/tab5.4.yaml");
}

/* DT-05: 0 mod 2, 1 mod 4, 3 mod 8, 7 mod 16, 15 mod 32, 31 and 63, in whatever order the flows
 * stand. */
static void entries_are_dealt_in_ruler_order_whatever_the_order_of_flows(void **state) {
  (void)state;
  struct loom_dtable_flow flow[7];
  struct loom_dtable_config config = {.entries = 64, .flow = flow, .flow_count = 7};
  uint8_t owner[LOOM_DTABLE_ENTRIES];
  for (uint32_t i = 0; i < 7; i++)
    flow[6 - i] = (struct loom_dtable_flow){.distance = i < 6 ? 2U << i : 64};
  assert_int_equal(loom_dtable_layout(&config, owner).status, LOOM_DTABLE_OK);
  for (uint32_t e = 0; e < 64; e++) {
    uint32_t ones = 0; /* trailing ones of e */
    while (e >> ones & 1)
      ones++;
    uint32_t expected = ones >= 6 ? 1 : ones == 5 ? 0 : 6 - ones;
    /* of the two flows of distance 64 the first stands first */
    assert_int_equal(owner[e], ones >= 6 ? 1 : ones == 5 ? 0 : expected);
  }
}

/* DT-09: exact tenths, strict. */
static void the_search_finds_k_and_w_in_exact_tenths(void **state) {
  (void)state;
  static const struct {
    const char *name;
    uint32_t k;
    uint32_t w;
  } found[] = {{"tab4.4-search", 8, 11}, {"tab4.8-search", 13, 53}, {"tab5.4-search", 5, 29}};
  for (unsigned i = 0; i < 3; i++) {
    struct loom_dtable_input in;
    load(&in, found[i].name);
    assert_true(in.search);
    assert_int_equal(in.config.k, found[i].k);
    assert_int_equal(in.config.w, found[i].w);
  }
}

/* A bound that equals phi will not do: at k = 0.5 minphi is 0.5, at w = k = 0.6 maxphi is. */
static void a_bound_that_equals_phi_will_not_do(void **state) {
  (void)state;
  const struct loom_dtable_flow flow[] = {{.sl = 0, .phi = 500000000, .distance = 2, .mtu = 1},
                                          {.sl = 1, .phi = 500000000, .distance = 2, .mtu = 1}};
  struct loom_dtable_config config = {.entries = 2, .gmtu = 2, .flow = flow, .flow_count = 2};
  assert_int_equal(loom_dtable_search(&config).status, LOOM_DTABLE_OK);
  assert_int_equal(config.k, 6);
  assert_int_equal(config.w, 7);
}

/* DT-08: half away from zero. Two entries of weight 1 and shares that miss by exactly half a unit.
 */
static void weights_are_rounded_half_away_from_zero(void **state) {
  (void)state;
  const struct loom_dtable_flow flow[] = {{.sl = 0, .phi = 375000000, .distance = 2, .mtu = 1},
                                          {.sl = 1, .phi = 625000000, .distance = 2, .mtu = 1}};
  struct loom_dtable_config config = {
      .entries = 2, .gmtu = 1, .k = 20, .w = 40, .flow = flow, .flow_count = 2};
  struct loom_dtable_result r;
  /* pool 4: 1.5 -> 2 and 2.5 -> 3, sum 5; wanted 1.875 and 3.125: D 0 and 0 */
  assert_int_equal(loom_dtable_solve(&config, &r).status, LOOM_DTABLE_OK);
  assert_int_equal(r.row[0].d, 0);
  assert_int_equal(r.row[1].d, 0);
  /* pool 3.2: 1.2 -> 2 and 2.0 -> 2, sum 4; wanted 1.5 and 2.5: D -1 and +1 */
  config.k = 16;
  assert_int_equal(loom_dtable_solve(&config, &r).status, LOOM_DTABLE_OK);
  assert_int_equal(r.row[0].entry_weight, 2);
  assert_int_equal(r.row[0].d, -1);
  assert_int_equal(r.row[1].d, 1);
}

static const char good[] = "entries: 4\n"
                           "gmtu: 2\n"
                           "k: 2\n"
                           "w: 4\n"
                           "flows:\n"
                           "  - {sl: 3, phi: 0.5, distance: 2, mtu: 1}\n"
                           "  - {sl: 4, phi: 0.25, distance: 4, mtu: 2}\n"
                           "  - {sl: 5, phi: 0.25, distance: 4, mtu: 2}\n";

/* The good file with `from` replaced by `to`; what comes is the refusal, empty for none. */
static struct loom_error read_with(const char *from, const char *to, struct loom_dtable_input *in) {
  char text[600];
  struct loom_error err = {.line = ""};
  struct loom_source src;
  const char *at = strstr(good, from);
  assert_non_null(at);
  snprintf(text, sizeof text, "%.*s%s%s", (int)(at - good), good, to, at + strlen(from));
  assert_true(loom_source_copy(&src, "t", text, strlen(text)));
  bool ok = loom_read_dtable(in, &src, &err);
  assert_int_equal(ok, err.line[0] == 0);
  loom_source_free(&src);
  return err;
}

static void the_reader_accepts_good_requests(void **state) {
  (void)state;
  struct loom_dtable_input in;
  struct loom_error err = read_with("", "", &in);
  assert_string_equal(err.line, "");
  assert_int_equal(in.result.owner[0], 0);
  assert_int_equal(in.result.owner[1], 1);
  assert_int_equal(in.result.owner[3], 2);
  assert_int_equal(in.result.weight[0], 4);
  assert_int_equal(in.warning_count, 0);
  err = read_with("0.25", "0.24", &in);
  assert_string_equal(err.line, "");
  assert_int_equal(in.warning_count, 2); /* and rounding */
  assert_string_equal(in.warning[0].line, "t:6: flows: warning: phi sums to less than 1: every "
                                          "flow gets more than it asks for");
}

/* Shares with weights rounded up are what the analyzer of InfiniBand's tables counts (IB-05). */
static void a_table_that_rounding_up_would_change_is_warned_of(void **state) {
  (void)state;
  static const char text[] = "entries: 16\ngmtu: 16\nk: 2\nw: 8\nflows:\n"
                             "  - {sl: 0, phi: 0.5, distance: 2, mtu: 16}\n"
                             "  - {sl: 1, phi: 0.3, distance: 4, mtu: 16}\n"
                             "  - {sl: 2, phi: 0.2, distance: 4, mtu: 16}\n";
  struct loom_dtable_input in;
  struct loom_error err = {.line = ""};
  struct loom_source src;
  struct loom_vlarb_entry entry[16];
  struct loom_vlarb_result r;
  assert_true(loom_source_copy(&src, "t", text, strlen(text)));
  assert_true(loom_read_dtable(&in, &src, &err));
  loom_source_free(&src);
  for (unsigned e = 0; e < 16; e++)
    entry[e] = (struct loom_vlarb_entry){.vl = in.flow[in.result.owner[e]].sl,
                                         .weight = (uint8_t)in.result.weight[e]};
  const struct loom_vlarb_config config = {.high = entry,
                                           .high_count = 16,
                                           .limit = 255,
                                           .runs = 1,
                                           .mode = LOOM_VLARB_ROUNDUP,
                                           .packet_bytes = 1024};
  loom_vlarb_analyze(&config, &r);
  for (unsigned i = 0; i < 3; i++)
    assert_int_equal((loom_dtable_rounded_up(&in.config, &in.result, i) + 500) / 1000,
                     loom_vlarb_share(&r, i, 4));
  assert_int_equal(loom_vlarb_share(&r, 0, 0), 47);
  assert_int_equal(in.warning_count, 1);
  assert_string_equal(in.warning[0].line,
                      "t:6: flows[0].phi: warning: InfiniBand, which rounds weights up to packets, "
                      "gives SL 0 47.37 %, not 50.00 %: `loom vlarb solve` makes tables for it");
}

static void the_reader_refuses_wrong_requests_where_they_are_wrong(void **state) {
  (void)state;
  static const struct {
    const char *from;
    const char *to;
    const char *error;
  } bad[] = {
      {"entries: 4", "entries: 129", "t:1: entries: 129 is outside 1..128"},
      {"entries: 4", "entries: 0", "t:1: entries: 0 is outside 1..128"},
      {"entries: 4", "entries: 0x4", "t:1: entries: `0x4` is not a whole number"},
      {"entries: 4", "entries: 4.0", "t:1: entries: `4.0` is not a whole number"},
      {"entries: 4", "entries: [4]", "t:1: entries: must be a single value"},
      {"entries: 4", "entries:", "t:1: entries: has no value"},
      {"entries: 4\n", "", "t:1: entries: missing key"},
      {"gmtu: 2", "gmtu: 256", "t:2: gmtu: 256 is outside 1..255"},
      {"gmtu: 2", "gmtu: 2\ngmtu: 2", "t:3: gmtu: repeated key"},
      {"gmtu: 2", "gmtu: 2\nx: 2", "t:3: x: unknown key"},
      {"k: 2", "k: 2.05", "t:3: k: 2.05 has more than 1 decimal"},
      {"k: 2", "k: 4.1", "t:3: k: 4.1 is larger than w, which is 4"},
      {"k: 2", "k: 0", "t:3: k: 0 is outside 0.1..255.9"},
      {"k: 2", "k: -2", "t:3: k: `-2` is not a plain decimal number"},
      {"k: 2\n", "", "t:1: k: missing key: give k and w or `search: true`"},
      {"k: 2\n", "search: true\n", "t:4: w: not together with `search: true`"},
      {"k: 2\nw: 4\n", "search: maybe\n", "t:3: search: `maybe` is none of false, true"},
      {"sl: 4", "sl: 3", "t:7: flows[1].sl: SL 3 is already that of flows[0]"},
      {"sl: 5", "sl: 4", "t:8: flows[2].sl: SL 4 is already that of flows[1]"},
      {"sl: 4", "sl: 32", "t:7: flows[1].sl: 32 is outside 0..31"},
      {"phi: 0.5", "phi: 1.5", "t:6: flows[0].phi: 1.5 is outside 0.000000001..1"},
      {"phi: 0.5", "phi: .5", "t:6: flows[0].phi: `.5` is not a plain decimal number"},
      {"phi: 0.5", "phi: 5e-1", "t:6: flows[0].phi: `5e-1` is not a plain decimal number"},
      {"phi: 0.5", "phi: 0.5000000000", "t:6: flows[0].phi: 0.5000000000 has more than 9 decimals"},
      {"phi: 0.5", "phi: 0.51", "t:8: flows[2].phi: phi sums to more than 1 up to here"},
      {"distance: 2", "distance: 3",
       "t:6: flows[0].distance: 3 is not a power of two that divides the 4 entries"},
      {"distance: 2", "distance: 8", "t:6: flows[0].distance: 8 is outside 1..4"},
      {"distance: 2", "distance: 1",
       "t:7: flows[1].distance: the table has no room for 1 entries "
       "of SL 4"},
      {"distance: 2", "distance: 4",
       "t:6: flows: 1 of 4 entries are free: the distances are too large"},
      {"mtu: 1", "mtu: 3", "t:6: flows[0].mtu: 3 is outside 1..2"},
      {"k: 2", "k: 0.5",
       "t:7: flows[1].phi: entry weight 1 of SL 4 is below its MTU of 2: raise phi or k"},
      {"k: 2\nw: 4", "k: 200\nw: 200", "t:6: flows[0].phi: entry weight 400 of SL 3 is above 255"},
      {"k: 2\nw: 4\nflows:\n  - {sl: 3, phi: 0.5", "search: true\nflows:\n  - {sl: 3, phi: 0.0001",
       "t:5: flows[0].phi: no k up to 255.9 makes minphi lower"},
      {", mtu: 1}", "}", "t:6: flows[0].mtu: missing key"},
      {"  - {sl: 4", "  - 4\n  - {sl: 4", "t:7: flows[1]: must be a mapping of keys to values"},
      {"flows:\n", "flows: {}\nx:\n", "t:5: flows: must be a list"},
      {"flows:\n", "flows: []\nx:\n", "t:5: flows: too few entries"},
      {"mtu: 1}", "mtu: 1, mtu: 1}", "t:6: flows[0].mtu: repeated key"},
      {"mtu: 1}", "mtu: 1, name: abcdefghijklmnop}", "t:6: flows[0].name: value is too long"},
      {"mtu: 1}", "mtu: &a 1}", "t:6: flows[0].mtu: anchors and tags are not supported"},
      {"mtu: 1}", "mtu: !!int 1}", "t:6: flows[0].mtu: anchors and tags are not supported"},
      {"mtu: 1}", "mtu: *a}", "t:6: flows[0].mtu: aliases are not supported"},
      {"mtu: 1}", "[mtu]: 1}", "t:6: flows[0]: a key must be a word"},
      {"mtu: 1}", "mtu: 1", "t:6: flows[0].mtu: `1 -` is not a whole number"},
      {"mtu: 1}", "mtu: 1, name: n", "t:7: flows[0]: did not find expected ',' or '}'"},
      {"entries: 4", "\tentries: 4", "t:1: document: found character that cannot start any token"},
      {"entries: 4", "entries: 4\x01", "t:1: document: control characters are not allowed"},
      {"  - {sl: 5", "...\n---\n  - {sl: 5", "t:9: document: more than one document"},
      {"entries: 4", "---\nentries: 4",
       "t:10: end: the file is cut short: it starts with \"---\" and must end with a line \"...\""},
  };
  for (unsigned i = 0; i < sizeof bad / sizeof bad[0]; i++) {
    struct loom_dtable_input in;
    struct loom_error err = read_with(bad[i].from, bad[i].to, &in);
    assert_string_equal(err.line, bad[i].error);
  }
}

static void the_reader_refuses_empty_files(void **state) {
  (void)state;
  static const char *const text[] = {"", "# nothing\n", "---\n", "- 1\n", "x\n"};
  static const char *const error[] = {"t:1: document: empty file", "t:2: document: empty file",
                                      "t:2: document: must be a mapping of keys to values",
                                      "t:1: document: must be a mapping of keys to values",
                                      "t:1: document: must be a mapping of keys to values"};
  for (unsigned i = 0; i < 5; i++) {
    struct loom_dtable_input in;
    struct loom_error err = {.line = ""};
    struct loom_source src;
    assert_true(loom_source_copy(&src, "t", text[i], strlen(text[i])));
    assert_false(loom_read_dtable(&in, &src, &err));
    assert_string_equal(err.line, error[i]);
    loom_source_free(&src);
  }
}

/* loom_decimal is exact up to its bounds. */
static void decimals_are_exact_up_to_their_bounds(void **state) {
  (void)state;
  uint64_t v = 7;
  assert_int_equal(loom_decimal("18446744073709551614", 0, UINT64_MAX - 1, &v), LOOM_DECIMAL_OK);
  assert_true(v == UINT64_MAX - 1);
  assert_int_equal(loom_decimal("18446744073709551615", 0, UINT64_MAX - 1, &v), LOOM_DECIMAL_LARGE);
  assert_int_equal(loom_decimal("99999999999999999999999", 0, UINT64_MAX - 1, &v),
                   LOOM_DECIMAL_LARGE);
  assert_int_equal(loom_decimal("3", 0, 2, &v), LOOM_DECIMAL_LARGE);
  assert_int_equal(loom_decimal("10", 0, 9, &v), LOOM_DECIMAL_LARGE);
  assert_int_equal(loom_decimal("0", 0, 9, &v), LOOM_DECIMAL_OK);
  assert_int_equal(v, 0);
  assert_int_equal(loom_decimal("0.1", 1, 9, &v), LOOM_DECIMAL_OK);
  assert_int_equal(v, 1);
  assert_int_equal(loom_decimal("1", 1, 9, &v), LOOM_DECIMAL_LARGE);
  assert_int_equal(loom_decimal("0.3334", 9, 1000000000, &v), LOOM_DECIMAL_OK);
  assert_int_equal(v, 333400000);
  static const char *const bad[] = {"",   ".",  "1.", ".1",    "01", "00",
                                    "+1", " 1", "1 ", "1.1.1", "a"};
  for (unsigned i = 0; i < sizeof bad / sizeof bad[0]; i++)
    assert_int_equal(loom_decimal(bad[i], 1, 99, &v), LOOM_DECIMAL_BAD);
  assert_int_equal(loom_decimal("0.01", 1, 99, &v), LOOM_DECIMAL_FINE);
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(table_4_4_follows_from_its_shares),
      cmocka_unit_test(spreading_alone_gives_table_4_5),
      cmocka_unit_test(table_4_9_follows_from_its_shares),
      cmocka_unit_test(table_5_4_follows_from_its_shares),
      cmocka_unit_test(entries_are_dealt_in_ruler_order_whatever_the_order_of_flows),
      cmocka_unit_test(the_search_finds_k_and_w_in_exact_tenths),
      cmocka_unit_test(a_bound_that_equals_phi_will_not_do),
      cmocka_unit_test(weights_are_rounded_half_away_from_zero),
      cmocka_unit_test(the_reader_accepts_good_requests),
      cmocka_unit_test(a_table_that_rounding_up_would_change_is_warned_of),
      cmocka_unit_test(the_reader_refuses_wrong_requests_where_they_are_wrong),
      cmocka_unit_test(the_reader_refuses_empty_files),
      cmocka_unit_test(decimals_are_exact_up_to_their_bounds),
  };
  return UNIT_RUN("dtable", tests, NULL, NULL);
}

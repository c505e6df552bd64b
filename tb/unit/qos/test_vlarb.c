/* SPDX-License-Identifier: Apache-2.0 */
/* Analysis of InfiniBand tables: every number of IB-08..12, GV-1 and GV-2, to the digits printed
 * there. */
#include "tb/unit/unit.h"

#include <string.h>

#include "io/read_vlarb.h"
#include "qos/ratio.h"

struct tables {
  struct loom_vlarb_table high;
  struct loom_vlarb_table low;
};

static void load(struct loom_vlarb_table *table, const char *file, enum loom_vlarb_side side) {
  struct loom_source src;
  struct loom_error err = {.line = ""};
  if (!loom_source_read(&src, file, &err) || !loom_read_vlarb(table, &src, side, &err))
    fail_msg("%s", err.line);
  loom_source_free(&src);
}

static struct tables config_a(void) {
  struct tables t;
  load(&t.high, "vectors/papers/tab6.1-a-high.csv", LOOM_VLARB_SIDE_HIGH);
  load(&t.low, "vectors/papers/tab6.1-a-low.csv", LOOM_VLARB_SIDE_LOW);
  return t;
}

static struct tables config_b(void) {
  struct tables t;
  load(&t.high, "vectors/papers/tab6.1-b-high.csv", LOOM_VLARB_SIDE_HIGH);
  load(&t.low, "vectors/papers/tab6.1-b-low.csv", LOOM_VLARB_SIDE_LOW);
  return t;
}

static struct loom_vlarb_config unit(const struct tables *t, uint32_t runs) {
  return (struct loom_vlarb_config){
      .high = t->high.entry,
      .high_count = t->high.count,
      .low = t->low.entry,
      .low_count = t->low.count,
      .limit = 1,
      .runs = runs,
      .mode = LOOM_VLARB_UNIT,
      .packet_bytes = 4096,
  };
}

static struct loom_vlarb_result run(struct loom_vlarb_config config) {
  struct loom_vlarb_result result;
  loom_vlarb_analyze(&config, &result);
  return result;
}

static void assert_shares(const struct loom_vlarb_result *r, unsigned digits, uint64_t s0,
                          uint64_t s1, uint64_t s2, uint64_t s3) {
  const uint64_t expected[] = {s0, s1, s2, s3};
  for (unsigned vl = 0; vl < 4; vl++)
    assert_int_equal(loom_vlarb_share(r, vl, digits), expected[vl]);
}

static void assert_distances(const struct loom_vlarb_result *r, const uint64_t avg[4],
                             const uint64_t max[4]) {
  for (unsigned vl = 0; vl < 4; vl++) {
    assert_int_equal(loom_vlarb_distance(r, vl, 3), avg[vl]);
    assert_int_equal(r->vl[vl].distance_max, max[vl]);
  }
}

static unsigned sum(const struct loom_vlarb_table *table, unsigned vl) {
  unsigned weight = 0;
  for (size_t i = 0; i < table->count; i++)
    if (table->entry[i].vl == vl)
      weight += table->entry[i].weight;
  return weight;
}

/* IB-08: the exact tables. */
static void the_published_configurations_have_their_exact_weights(void **state) {
  (void)state;
  struct tables a = config_a();
  struct tables b = config_b();
  assert_int_equal(a.high.count, 64);
  for (unsigned e = 0; e < 64; e++) {
    const struct loom_vlarb_entry *entry = &a.high.entry[e];
    unsigned vl = e % 2 == 0 ? 0 : e % 4 == 1 ? 1 : 2;
    unsigned weight = vl == 0   ? (e >= 48 ? 9 : 8)
                      : vl == 1 ? (e == 57 || e == 61 ? 9 : 10)
                                : (e >= 43 ? 6 : 7);
    assert_int_equal(entry->vl, vl);
    assert_int_equal(entry->weight, weight);
    assert_int_equal(b.high.entry[e].vl, vl);
    assert_int_equal(b.high.entry[e].weight, vl == 0 ? 22 : vl == 1 ? 27 : 18);
  }
  assert_int_equal(sum(&a.high, 0), 264);
  assert_int_equal(sum(&a.high, 1), 158);
  assert_int_equal(sum(&a.high, 2), 106);
  assert_int_equal(sum(&a.low, 3), 6);
  assert_int_equal(sum(&b.low, 3), 2);
}

/* IB-09, IB-10, GV-1 first row. */
static void configuration_a_has_its_published_shares_and_distances(void **state) {
  (void)state;
  struct tables t = config_a();
  struct loom_vlarb_result r = run(unit(&t, 300));
  assert_shares(&r, 4, 457159, 273603, 183556, 85683);
  assert_distances(&r, (const uint64_t[]){2258, 4516, 4516, 8758}, (const uint64_t[]){3, 5, 5, 9});
  assert_int_equal(r.low_turns, 2474);
}

static void configuration_b_has_its_published_shares_and_distances(void **state) {
  (void)state;
  struct tables t = config_b();
  struct loom_vlarb_result r = run(unit(&t, 300));
  assert_shares(&r, 4, 479403, 294179, 196119, 30299);
  assert_distances(&r, (const uint64_t[]){2695, 5390, 5390, 3877}, (const uint64_t[]){3, 6, 6, 5});
  assert_int_equal(r.low_turns, 6674);
}

/* GV-1: a weight point is a packet of 4096 bytes; with the limit compared literally the same. */
static void weights_may_count_packets_of_4096_bytes(void **state) {
  (void)state;
  for (uint32_t limit_bytes = 0; limit_bytes < 2; limit_bytes++) {
    struct tables a = config_a();
    struct tables b = config_b();
    struct loom_vlarb_config config = unit(&a, 300);
    config.mode = LOOM_VLARB_PACKET;
    config.limit_bytes = limit_bytes;
    struct loom_vlarb_result r = run(config);
    assert_shares(&r, 4, 71429, 42749, 28680, 857142);
    config = unit(&b, 300);
    config.mode = LOOM_VLARB_PACKET;
    config.limit_bytes = limit_bytes;
    r = run(config);
    assert_shares(&r, 4, 164794, 101124, 67416, 666666);
  }
}

/* GV-1: 64-byte weights rounded up to packets of 4096 bytes. */
static void weights_of_64_bytes_may_be_rounded_up_to_packets(void **state) {
  (void)state;
  struct tables a = config_a();
  struct tables b = config_b();
  const struct tables *both[] = {&a, &b};
  for (unsigned i = 0; i < 2; i++) {
    struct loom_vlarb_config config = unit(both[i], 300);
    config.mode = LOOM_VLARB_ROUNDUP;
    struct loom_vlarb_result r = run(config);
    assert_shares(&r, 1, 250, 125, 125, 500);
  }
}

/* GV-1: convergence to 6/70. */
static void the_low_share_converges_to_6_of_70(void **state) {
  (void)state;
  static const uint32_t runs[] = {1, 10, 30, 300, 3000, 1000000};
  static const uint64_t share[] = {83333, 85239, 85556, 85683, 85711, 85714};
  struct tables t = config_a();
  for (unsigned i = 0; i < 6; i++) {
    struct loom_vlarb_result r = run(unit(&t, runs[i]));
    assert_int_equal(loom_vlarb_share(&r, 3, 4), share[i]);
  }
}

/* GV-1: entries in blocks instead of ruler order give the same shares, but other distances. */
static void entries_in_blocks_keep_the_shares_but_not_the_distances(void **state) {
  (void)state;
  struct tables t = config_a();
  struct tables block = t;
  size_t at = 0;
  for (unsigned vl = 0; vl < 3; vl++)
    for (size_t i = 0; i < t.high.count; i++)
      if (t.high.entry[i].vl == vl)
        block.high.entry[at++] = t.high.entry[i];
  struct loom_vlarb_result r = run(unit(&block, 300));
  assert_shares(&r, 4, 457159, 273603, 183556, 85683);
  assert_int_equal(r.vl[0].distance_max, 38);
  assert_int_equal(r.vl[1].distance_max, 55);
  assert_int_equal(r.vl[2].distance_max, 56);
  assert_int_equal(r.vl[3].distance_max, 11);
}

/* IB-11. */
static void the_low_share_falls_with_the_limit_as_published(void **state) {
  (void)state;
  static const struct {
    uint32_t limit;
    unsigned digits;
    uint64_t share;
  } sweep[] = {{0, 2, 8571}, {1, 3, 8568}, {2, 3, 4476}, {3, 3, 3027}, {4, 3, 2287},
               {8, 3, 1157}, {16, 3, 580}, {254, 3, 34}, {255, 9, 0}};
  struct tables t = config_a();
  for (unsigned i = 0; i < sizeof sweep / sizeof sweep[0]; i++) {
    struct loom_vlarb_config config = unit(&t, 300);
    config.limit = sweep[i].limit;
    struct loom_vlarb_result r = run(config);
    assert_int_equal(loom_vlarb_share(&r, 3, sweep[i].digits), sweep[i].share);
  }
  struct loom_vlarb_config config = unit(&t, 300);
  config.limit = 0;
  config.low_grant = LOOM_VLARB_LOW_PACKET;
  struct loom_vlarb_result r = run(config);
  assert_int_equal(loom_vlarb_share(&r, 3, 9), 50 * UINT64_C(1000000000));
}

/* IB-12: the share of SL3 in percent with real packets. */
static void real_packets_give_the_low_share_as_published(void **state) {
  (void)state;
  static const struct {
    uint32_t packet;
    unsigned digits[2];
    uint64_t entry;
    uint64_t one;
  } row[] = {{64, {3, 3}, 8571, 1538},  {128, {3, 3}, 8571, 3030}, {256, {2, 3}, 1111, 5882},
             {512, {2, 2}, 1111, 1111}, {1024, {1, 1}, 200, 200},  {2048, {1, 1}, 333, 333},
             {4096, {1, 1}, 500, 500}};
  struct tables t = config_a();
  for (unsigned i = 0; i < sizeof row / sizeof row[0]; i++) {
    struct loom_vlarb_config config = unit(&t, 30000);
    config.packet_bytes = row[i].packet;
    config.mode = LOOM_VLARB_ROUNDUP;
    struct loom_vlarb_result r = run(config);
    assert_int_equal(loom_vlarb_share(&r, 3, row[i].digits[0]), row[i].entry);
    config.low_grant = LOOM_VLARB_LOW_PACKET;
    r = run(config);
    assert_int_equal(loom_vlarb_share(&r, 3, row[i].digits[1]), row[i].one);
    config.low_grant = LOOM_VLARB_LOW_ENTRY;
    config.mode = LOOM_VLARB_DEFICIT;
    r = run(config);
    assert_int_equal(loom_vlarb_share(&r, 3, 3), 8571);
  }
}

struct trace {
  uint8_t vl[64];
  size_t count;
};

static void note(void *context, unsigned vl, uint64_t packets) {
  struct trace *t = context;
  for (; packets && t->count < sizeof t->vl; packets--)
    t->vl[t->count++] = (uint8_t)vl;
}

static void run_mini(struct trace *t, enum loom_vlarb_mode mode, uint8_t scale) {
  const struct loom_vlarb_entry high[] = {{0, (uint8_t)(2 * scale)}, {1, scale}};
  const struct loom_vlarb_entry low[] = {{2, scale}};
  struct loom_vlarb_config config = {
      .high = high,
      .high_count = 2,
      .low = low,
      .low_count = 1,
      .limit = scale == 1 ? 4 : 1,
      .limit_bytes = scale == 1 ? 64 : 4096,
      .runs = 20,
      .mode = mode,
      .packet_bytes = 64 * (uint32_t)scale,
      .sent = note,
      .context = t,
  };
  struct loom_vlarb_result r;
  loom_vlarb_analyze(&config, &r);
}

/* GV-2, and the same in packets of 1024 bytes. */
static void the_small_example_is_served_in_the_published_order(void **state) {
  (void)state;
  static const uint8_t expected[] = {0, 0, 1, 0, 2, 0, 1, 0, 0, 2, 1, 0, 0, 1, 2, 0, 0, 1, 0, 2};
  static const struct {
    enum loom_vlarb_mode mode;
    uint8_t scale;
  } as[] = {{LOOM_VLARB_UNIT, 1},    {LOOM_VLARB_PACKET, 1},   {LOOM_VLARB_ROUNDUP, 1},
            {LOOM_VLARB_DEFICIT, 1}, {LOOM_VLARB_ROUNDUP, 16}, {LOOM_VLARB_DEFICIT, 16}};
  for (unsigned i = 0; i < sizeof as / sizeof as[0]; i++) {
    struct trace t = {.count = 0};
    run_mini(&t, as[i].mode, as[i].scale);
    assert_true(t.count >= sizeof expected);
    assert_memory_equal(t.vl, expected, sizeof expected);
  }
}

/* A low entry that is served packet by packet goes on where it was, then the next one comes. */
static void a_low_entry_served_by_packet_goes_on_where_it_was(void **state) {
  (void)state;
  static const uint8_t expected[] = {0, 1, 0, 1, 0, 2, 0, 1, 0, 1, 0, 2};
  const struct loom_vlarb_entry high[] = {{0, 1}, {3, 0}};
  const struct loom_vlarb_entry low[] = {{1, 2}, {4, 0}, {2, 1}};
  struct trace t = {.count = 0};
  struct loom_vlarb_config config = {
      .high = high,
      .high_count = 2,
      .low = low,
      .low_count = 3,
      .limit = 1,
      .limit_bytes = 64,
      .runs = 20,
      .mode = LOOM_VLARB_UNIT,
      .low_grant = LOOM_VLARB_LOW_PACKET,
      .sent = note,
      .context = &t,
  };
  struct loom_vlarb_result r;
  loom_vlarb_analyze(&config, &r);
  assert_memory_equal(t.vl, expected, sizeof expected);
  assert_int_equal(r.vl[3].packets, 0);
  assert_int_equal(r.vl[4].packets, 0);
}

/* Without a low table, or with weights 0 only, there are no low turns (IB-03, IB-06). */
static void without_low_weights_there_are_no_low_turns(void **state) {
  (void)state;
  struct tables t = config_a();
  const struct loom_vlarb_entry zero[] = {{3, 0}, {4, 0}};
  struct loom_vlarb_config config = unit(&t, 30);
  for (config.limit = 0; config.limit < 2; config.limit++)
    for (config.low_count = 0; config.low_count <= 2; config.low_count += 2) {
      config.low = zero;
      struct loom_vlarb_result r = run(config);
      assert_int_equal(r.low_turns, 0);
      assert_shares(&r, 4, 500000, 299242, 200758, 0);
      assert_int_equal(loom_vlarb_distance(&r, 0, 3), 2000);
    }
}

static void ratios_are_rounded_exactly(void **state) {
  (void)state;
  assert_int_equal(loom_ratio(1, 3, 1, 5), 33333);
  assert_int_equal(loom_ratio(2, 3, 1, 5), 66667);
  assert_int_equal(loom_ratio(1, 8, 1, 2), 13); /* .125 goes up */
  assert_int_equal(loom_ratio(5, 0, 100, 2), 0);
  assert_int_equal(loom_ratio_up(6, 3), 2);
  assert_int_equal(loom_ratio_up(7, 3), 3);
  assert_int_equal(loom_ratio_round(5, 2), 3);
  assert_int_equal(loom_ratio_round(-5, 2), -3);
  assert_int_equal(loom_ratio_round(4, 3), 1);
  assert_int_equal(loom_ratio_round(-4, 3), -1);
  assert_int_equal(loom_ratio_round(0, 3), 0);
}

/* Reads a table from a string; what comes is the refusal, empty for none. */
static struct loom_error read_text(const char *text, enum loom_vlarb_side side,
                                   struct loom_vlarb_table *table) {
  struct loom_error err = {.line = ""};
  struct loom_source src;
  assert_true(loom_source_copy(&src, "t", text, strlen(text)));
  bool ok = loom_read_vlarb(table, &src, side, &err);
  assert_int_equal(ok, err.line[0] == 0);
  loom_source_free(&src);
  return err;
}

static void the_reader_takes_csv_and_opensm_for_the_same(void **state) {
  (void)state;
  static const char *const same[] = {
      "0,4\n1,0\n14,255\n",
      "# entries: 3\n0,4\n1,0\n14,255\n",
      "# entries:3\r\n\n0:4,1:0,\t14:255 # tail\r\n",
      "# all\n# entries: 7\n0,4\n1,0\n14,255",
      "# head\n\n 0 , 4 # first\r\n1,0\r\n\t14,255",
      "0:4,1:0,14:255",
      "0:4, 1:0 ,14:255 # tail\n",
      "0:4,1:0\n14:255\n",
      "qos_swe_vlarb_high 0:4,1:0,14:255\n",
      "qos_vlarb_high\t0:4,1:0,14:255\n",
  };
  for (unsigned i = 0; i < sizeof same / sizeof same[0]; i++) {
    struct loom_vlarb_table t;
    struct loom_error err = read_text(same[i], LOOM_VLARB_SIDE_HIGH, &t);
    assert_string_equal(err.line, "");
    assert_int_equal(t.count, 3);
    assert_int_equal(t.entry[0].vl * 1000 + t.entry[0].weight, 4);
    assert_int_equal(t.entry[1].vl * 1000 + t.entry[1].weight, 1000);
    assert_int_equal(t.entry[2].vl * 1000 + t.entry[2].weight, 14255);
  }
  struct tables csv = config_a();
  struct loom_vlarb_table opensm;
  load(&opensm, "vectors/papers/tab6.1-a.opensm", LOOM_VLARB_SIDE_HIGH);
  assert_int_equal(opensm.count, csv.high.count);
  for (size_t i = 0; i < opensm.count; i++) {
    assert_int_equal(opensm.entry[i].vl, csv.high.entry[i].vl);
    assert_int_equal(opensm.entry[i].weight, csv.high.entry[i].weight);
  }
}

static void the_reader_refuses_wrong_entries_where_they_stand(void **state) {
  (void)state;
  static const struct {
    const char *text;
    const char *error;
  } bad[] = {
      {"", "t:0: entry: the table has no entry"},
      {"# nothing\n", "t:1: entry: the table has no entry"},
      {"0,4\n1", "t:2: entry: must be `vl,weight` or `vl:weight`"},
      {"0,4\n1,", "t:2: weight: missing number"},
      {"0,4\n1,x", "t:2: weight: `x` is not a number"},
      {"0,4\n1,256", "t:2: weight: 256 is outside 0..255"},
      {"0,4\n1,99999999999999999999", "t:2: weight: 99999999999999999999 is outside 0..255"},
      {"0,4\n16,1", "t:2: vl: 16 is outside 0..15"},
      {"0,4\n15,1", "t:2: vl: VL15 is management traffic and stands in no table"},
      {"0,4\n-1,1", "t:2: vl: `-1,1` is not a number"},
      {"0,04", "t:1: weight: number with a leading zero"},
      {"0,4,5", "t:1: entry: something follows the weight"},
      {"0,4 5", "t:1: entry: something follows the weight"},
      {"0:4,", "t:1: vl: missing number"},
      {"0:4,1,5", "t:1: entry: `vl,weight` and `vl:weight` in one file"},
      {"0:4\n1,5", "t:2: entry: `vl,weight` and `vl:weight` in one file"},
      {"0,0\n1,0", "t:2: weight: no entry has a weight above 0"},
      {"qos_swe_vlarb_low 0:4",
       "t:1: option: `qos_swe_vlarb_low` is not the option of a high table"},
      {"qos_vlarb_high", "t:1: vl: missing number"},
      {"# entries: 2\n0,4\n", "t:2: entries: the file is cut short: 1 of 2 entries"},
      {"# entries: 2", "t:1: entries: the file is cut short: 0 of 2 entries"},
      {"# entries: 2\n0,4\n1,1", "t:3: entries: the file is cut short: the last line does not end"},
      {"# entries: 2\n0,4\n1,1\n2,1\n", "t:3: entries: something follows the last entry"},
      {"# entries: 2\n0,4\n1,1\n\n", "t:3: entries: something follows the last entry"},
      {"# entries: 2\n0:4,1:1,2:1\n", "t:2: entries: more entries than the first line says"},
      {"# entries: many\n0,4\n", "t:1: entries: `many` is not a number"},
      {"# entries:\n0,4\n", "t:1: entries: missing number"},
      {"# entries: 0\n", "t:1: entries: 0 is outside 1..128"},
      {"# entries: 129\n", "t:1: entries: 129 is outside 1..128"},
      {"# entries: 1 or 2\n0,4\n", "t:1: entries: something follows the number"},
      {"x", "t:1: vl: `x` is not a number"},
      {"\001", "t:1: vl: `?` is not a number"},
  };
  for (unsigned i = 0; i < sizeof bad / sizeof bad[0]; i++) {
    struct loom_vlarb_table t;
    struct loom_error err = read_text(bad[i].text, LOOM_VLARB_SIDE_HIGH, &t);
    assert_string_equal(err.line, bad[i].error);
  }
}

static void the_reader_takes_128_entries_and_no_more(void **state) {
  (void)state;
  char text[129 * 4 + 1];
  struct loom_vlarb_table t;
  for (unsigned i = 0; i < 129; i++)
    memcpy(text + i * 4, "1,2\n", 4);
  text[128 * 4] = 0;
  struct loom_error err = read_text(text, LOOM_VLARB_SIDE_HIGH, &t);
  assert_string_equal(err.line, "");
  assert_int_equal(t.count, 128);
  memcpy(text + 128 * 4, "1,2", 4);
  err = read_text(text, LOOM_VLARB_SIDE_HIGH, &t);
  assert_string_equal(err.line, "t:129: entry: more than 128 entries");
  err = read_text("3,0", LOOM_VLARB_SIDE_LOW, &t);
  assert_string_equal(err.line, "");
  struct loom_source src;
  assert_true(loom_source_copy(&src, "t", "0,4\n1\0,5", 8));
  assert_false(loom_read_vlarb(&t, &src, LOOM_VLARB_SIDE_HIGH, &err));
  assert_string_equal(err.line, "t:2: entry: must be `vl,weight` or `vl:weight`");
  loom_source_free(&src);
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_published_configurations_have_their_exact_weights),
      cmocka_unit_test(configuration_a_has_its_published_shares_and_distances),
      cmocka_unit_test(configuration_b_has_its_published_shares_and_distances),
      cmocka_unit_test(weights_may_count_packets_of_4096_bytes),
      cmocka_unit_test(weights_of_64_bytes_may_be_rounded_up_to_packets),
      cmocka_unit_test(the_low_share_converges_to_6_of_70),
      cmocka_unit_test(entries_in_blocks_keep_the_shares_but_not_the_distances),
      cmocka_unit_test(the_low_share_falls_with_the_limit_as_published),
      cmocka_unit_test(real_packets_give_the_low_share_as_published),
      cmocka_unit_test(the_small_example_is_served_in_the_published_order),
      cmocka_unit_test(a_low_entry_served_by_packet_goes_on_where_it_was),
      cmocka_unit_test(without_low_weights_there_are_no_low_turns),
      cmocka_unit_test(ratios_are_rounded_exactly),
      cmocka_unit_test(the_reader_takes_csv_and_opensm_for_the_same),
      cmocka_unit_test(the_reader_refuses_wrong_entries_where_they_stand),
      cmocka_unit_test(the_reader_takes_128_entries_and_no_more),
  };
  return UNIT_RUN("vlarb", tests, NULL, NULL);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Between wishes and tables: plans and the order of entries (docs/vlarb.md; IB-14). */
#include "tb/unit/unit.h"

#include <string.h>

#include "qos/vlarb_certificate.h"
#include "qos/vlarb_plan.h"

/* ---- the order of entries -------------------------------------------------------------------- */

/* An order of entries of one packet each, whose VLs are the digits of `text`. */
static struct loom_order order_of(const char *text, uint32_t vls) {
  struct loom_order o = {.count = vls, .most = 4};
  for (uint32_t i = 0; i < vls; i++)
    o.vl[i].gap = o.vl[i].distance = UINT32_MAX;
  for (; *text; text++) {
    uint32_t i = (uint32_t)(*text - '0');
    o.slot[o.entries++] = (struct loom_order_slot){.vl = (uint8_t)i, .packets = 1};
    o.vl[i].entries++;
    o.vl[i].packets++;
    o.packets++;
  }
  return o;
}

static void assert_order(const struct loom_order *o, const char *text) {
  for (uint32_t e = 0; e < o->entries; e++)
    assert_int_equal(o->slot[e].vl, text[e] - '0');
}

static void entries_are_dealt_by_whose_part_ends_first(void **state) {
  (void)state;
  struct loom_order o = order_of("0001111", 2);
  loom_order_deal(&o, false);
  assert_order(&o, "1010101");
  o = order_of("001122", 3);
  loom_order_deal(&o, false);
  assert_order(&o, "012012");
}

/* What is too much counts in 256ths of what may be, and one more; it counts from 1. */
static void an_excess_is_what_gaps_and_distances_are_beyond(void **state) {
  (void)state;
  struct loom_order o = order_of("101", 2);
  o.vl[0].gap = 2;
  assert_int_equal(loom_order_excess(&o), 0);
  o.vl[0].gap = 1; /* round the end there are two of the other */
  assert_int_equal(loom_order_excess(&o), 256 / 2 + 1);
  o.vl[0].distance = 2; /* and it is the third selection */
  assert_int_equal(loom_order_excess(&o), 256 / 2 + 1 + 256 / 3 + 1);
}

/* A turn of the other table falls before each packet: inside an entry, too. */
static void a_turn_of_the_other_table_counts_in_a_gap(void **state) {
  (void)state;
  struct loom_order other = order_of("1", 2);
  struct loom_order o = order_of("0", 1);
  o.turn = 1;
  loom_order_count_rows(&other, &o.other);
  o.vl[0].gap = 1;
  assert_int_equal(loom_order_excess(&o), 0);
  o.vl[0].gap = 0;
  assert_int_equal(loom_order_excess(&o), 256 + 1);
  o.slot[0].packets = 2;
  o.vl[0].packets = o.packets = 2;
  assert_int_equal(loom_order_excess(&o), 2 * (256 + 1));
}

static void the_best_order_is_kept(void **state) {
  (void)state;
  uint64_t seed = 1;
  for (uint32_t steps = 1; steps < 200; steps += 7) {
    struct loom_order o = order_of("0000111122", 3);
    for (uint32_t i = 0; i < 3; i++)
      o.vl[i].gap = 1; /* too little for any order */
    uint64_t before = loom_order_excess(&o);
    uint64_t after = loom_order_improve(&o, steps, &seed);
    assert_true(after <= before);
    assert_int_equal(loom_order_excess(&o), after);
  }
}

/* Nothing is drawn for an order that keeps all, so what comes after it does not depend on it. */
static void an_order_that_keeps_all_stays(void **state) {
  (void)state;
  uint64_t seed = 5;
  struct loom_order o = order_of("0101", 2);
  o.vl[0].gap = o.vl[1].gap = 1;
  assert_int_equal(loom_order_improve(&o, 100, &seed), 0);
  assert_order(&o, "0101");
  assert_int_equal(seed, 5);
}

/* ---- plans ----------------------------------------------------------------------------------- */

static struct loom_plans plans;

static void a_full_list_keeps_the_best_plans(void **state) {
  (void)state;
  plans = (struct loom_plans){.count = 0};
  for (uint32_t n = 2 * LOOM_PLANS; n > 0; n--) {
    struct loom_plan p = {.load = n};
    loom_plans_add(&plans, &p, n);
  }
  struct loom_plan worse = {.load = 1000};
  loom_plans_add(&plans, &worse, 1000);
  assert_int_equal(plans.count, LOOM_PLANS);
  for (uint32_t n = 0; n < LOOM_PLANS; n++) {
    assert_int_equal(plans.plan[n].load, n + 1);
    assert_int_equal(plans.key[n], n + 1);
  }
}

/* VLs with these shares in percent, packets of 1024 bytes, no waits. */
static struct loom_wish wish_of(uint32_t count, const uint32_t share[]) {
  struct loom_wish w = {
      .packet_bytes = 1024, .high = 64, .low = 16, .tolerance = 5000, .count = count};
  for (uint32_t i = 0; i < count; i++)
    w.vl[i] = (struct loom_wish_vl){.vl = (uint8_t)i,
                                    .share = share[i] * 10000,
                                    .gap = LOOM_WISH_ANY,
                                    .distance = LOOM_WISH_ANY};
  return w;
}

static uint32_t off_by(uint32_t a, uint32_t b) { return a > b ? a - b : b - a; }

/* A plan of the low table: its sums, its error, entries that have a packet each and keep the gaps.
 */
static void assert_low_plan(const struct loom_wish *w, const struct loom_plan *p) {
  uint32_t entries = 0;
  uint32_t packets = 0;
  uint32_t error = 0;
  for (uint32_t i = 0; i < w->count; i++) {
    if (!(p->low >> i & 1))
      continue;
    uint32_t gap = loom_wish_gap_packets(w, i);
    uint32_t off = off_by(loom_plan_share(p, i), w->vl[i].share);
    uint64_t others = (uint64_t)p->low_entries * p->turn + p->low_packets - p->packets[i];
    assert_in_range(p->entries[i], 1, p->packets[i]);
    assert_true(p->packets[i] <= p->entries[i] * loom_wish_entry_packets(w));
    assert_true(gap == UINT32_MAX || (uint64_t)p->entries[i] * gap >= others);
    entries += p->entries[i];
    packets += p->packets[i];
    error = off > error ? off : error;
  }
  assert_int_equal(entries, p->low_entries);
  assert_int_equal(packets, p->low_packets);
  assert_true(off_by(error, p->error) <= 1); /* of rounding */
}

/* Small errors first, in steps of 0.05 points, then short turns, then few entries. */
static bool comes_before(const struct loom_plan *a, const struct loom_plan *b) {
  enum { STEP = 500 };
  if (a->error / STEP != b->error / STEP)
    return a->error / STEP < b->error / STEP;
  if (a->turn != b->turn)
    return a->turn < b->turn;
  return a->low_entries <= b->low_entries;
}

static void assert_low_plans(const struct loom_wish *w, uint16_t low) {
  loom_plan_low(w, low, &plans);
  assert_true(plans.count > 0);
  for (uint32_t n = 0; n < plans.count; n++) {
    const struct loom_plan *p = &plans.plan[n];
    assert_low_plan(w, p);
    assert_int_equal(p->turn, loom_vlarb_turn_packets(p->limit, w->packet_bytes));
    assert_int_not_equal(p->turn, loom_vlarb_turn_packets(p->limit + 1, w->packet_bytes));
    assert_true(!n || comes_before(&p[-1], p));
  }
}

static void plans_of_the_low_table_share_it_as_asked(void **state) {
  (void)state;
  struct loom_wish w = wish_of(5, (const uint32_t[]){40, 30, 5, 17, 8});
  assert_low_plans(&w, 1U << 2 | 1U << 3 | 1U << 4);
  w.packet_bytes = 8192; /* several limits come to as many packets */
  assert_low_plans(&w, 1U << 2 | 1U << 3 | 1U << 4);
  w.packet_bytes = 1024;
  w.vl[3].gap = 40 * 1024;
  assert_low_plans(&w, 1U << 2 | 1U << 3);
  w.vl[3].gap = 8 * 1024;
  assert_low_plans(&w, 1U << 3 | 1U << 4);
  w = wish_of(3, (const uint32_t[]){33, 59, 8});
  w.vl[2].gap = 6 * 1024; /* with 8 packets in 4 entries it would need two for its only packet */
  assert_low_plans(&w, 1U << 1 | 1U << 2);
}

/* A turn of it falls between two packets of the high one. */
static void a_low_table_alone_has_no_plan(void **state) {
  (void)state;
  struct loom_wish w = wish_of(2, (const uint32_t[]){50, 50});
  loom_plan_low(&w, 3, &plans);
  assert_int_equal(plans.count, 0);
}

static void a_plan_without_waits_has_no_load(void **state) {
  (void)state;
  const struct loom_order_rows none = {.entries = 0};
  struct loom_wish w = wish_of(2, (const uint32_t[]){25, 75});
  struct loom_plan p = {.limit = 255};
  assert_true(loom_plan_high(&w, &p, &none, 4, false));
  assert_int_equal(p.load, 0);
  assert_int_equal(p.error, 0);
  w.vl[0].gap = 6 * 1024; /* 3 of 6 packets */
  assert_true(loom_plan_high(&w, &p, &none, 4, false));
  assert_int_equal(p.load, 500);
}

/* One low packet after each two high ones: of a gap of 4 packets 2 are for high ones. */
static void low_turns_are_part_of_a_high_wait(void **state) {
  (void)state;
  struct loom_order low = order_of("2", 3);
  struct loom_order_rows rows;
  struct loom_wish w = wish_of(3, (const uint32_t[]){40, 27, 33});
  struct loom_plan start = {
      .limit = 1, .turn = 2, .low = 4, .low_entries = 1, .low_packets = 1, .packets = {0, 0, 1}};
  struct loom_plan p = start;
  start.entries[2] = 1;
  loom_order_count_rows(&low, &rows);
  assert_true(loom_plan_high(&w, &p, &rows, 10, false));
  assert_int_equal(p.packets[0], 6);
  assert_int_equal(p.packets[1], 4);
  assert_int_equal(p.entries[1], 1);
  p = start;
  w.vl[1].gap = 4 * 1024; /* 6 others in windows of 2 */
  assert_true(loom_plan_high(&w, &p, &rows, 10, false));
  assert_int_equal(p.entries[1], 3);
  p = start;
  w.vl[1].gap = 1024; /* a low packet, and none of the high table */
  assert_false(loom_plan_high(&w, &p, &rows, 10, false));
  p = start;
  w.vl[1].gap = LOOM_WISH_ANY;
  w.vl[1].distance = 4; /* of 3 high and 5 low selections */
  assert_true(loom_plan_high(&w, &p, &rows, 10, false));
  assert_int_equal(p.entries[1], 2);
  assert_int_equal(p.high_entries, 3);
  p = start;
  assert_true(loom_plan_high(&w, &p, &rows, 10, true)); /* of 10 and 5 */
  assert_int_equal(p.entries[1], 4);
  assert_int_equal(p.high_entries, 10);
}

/* IB-14: as many VLs as there are, with as many entries as there are. */
static void fifteen_vls_fill_the_table(void **state) {
  (void)state;
  const struct loom_order_rows none = {.entries = 0};
  uint32_t share[LOOM_WISH_VLS];
  for (uint32_t i = 0; i < LOOM_WISH_VLS; i++)
    share[i] = i < 10 ? 7 : 6;
  struct loom_wish w = wish_of(LOOM_WISH_VLS, share);
  struct loom_plan p[2] = {{.limit = 255}};
  assert_true(loom_plan_high(&w, p, &none, 100, true));
  uint32_t entries = 0;
  for (uint32_t i = 0; i < LOOM_WISH_VLS; i++) {
    assert_int_equal(p->packets[i], share[i]);
    assert_in_range(p->entries[i], 1, share[i]);
    entries += p->entries[i];
  }
  assert_int_equal(entries, 64);
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(entries_are_dealt_by_whose_part_ends_first),
      cmocka_unit_test(an_excess_is_what_gaps_and_distances_are_beyond),
      cmocka_unit_test(a_turn_of_the_other_table_counts_in_a_gap),
      cmocka_unit_test(the_best_order_is_kept),
      cmocka_unit_test(an_order_that_keeps_all_stays),
      cmocka_unit_test(a_full_list_keeps_the_best_plans),
      cmocka_unit_test(plans_of_the_low_table_share_it_as_asked),
      cmocka_unit_test(a_low_table_alone_has_no_plan),
      cmocka_unit_test(a_plan_without_waits_has_no_load),
      cmocka_unit_test(low_turns_are_part_of_a_high_wait),
      cmocka_unit_test(fifteen_vls_fill_the_table),
  };
  return UNIT_RUN("vlarb_plan", tests, NULL, NULL);
}

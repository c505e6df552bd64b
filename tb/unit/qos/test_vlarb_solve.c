/* SPDX-License-Identifier: Apache-2.0 */
/* Tables from wishes (docs/vlarb.md; IB-14): what can be met is met, what cannot is said, and the
 * certificate is right. */
#include "tb/unit/unit.h"

#include <stdlib.h>
#include <string.h>

#include <loom/random.h>

#include "qos/vlarb_conflict.h"
#include "qos/vlarb_solve.h"

enum { UNIT = 64 };

static struct loom_vlarb_solver *solver;

static int make_solver(void **state) {
  (void)state;
  solver = malloc(sizeof *solver);
  return solver ? 0 : -1;
}

static int free_solver(void **state) {
  (void)state;
  free(solver);
  return 0;
}

/* ---- a port, packet by packet ---------------------------------------------------------------- */

/* The two tables served as docs/sched.md has it, with packets of one size on all VLs. */
struct port {
  const struct loom_wish_tables *t;
  uint32_t units;
  uint32_t at[2]; /* entry of high, low */
  int left[2];    /* of the entry's weight; at first there is none */
  uint64_t sent;  /* units of high since low had its turn */
  bool turn;      /* low is being served to its end */
};

static const struct loom_vlarb_entry *entry_of(const struct port *p, unsigned side) {
  return side ? &p->t->low[p->at[side]] : &p->t->high[p->at[side]];
}

/* The VL of the next packet; *selected: its entry has just been chosen. */
static unsigned serve(struct port *p, bool *selected) {
  uint64_t limit = (uint64_t)p->t->limit * 4096 / UNIT;
  bool due = p->t->limit != 255 && p->sent && p->sent >= limit && p->t->low_count;
  unsigned side = p->turn || due;
  *selected = p->left[side] <= 0;
  if (*selected) {
    uint32_t count = side ? p->t->low_count : p->t->high_count;
    p->at[side] = (p->at[side] + 1) % count;
    p->left[side] = entry_of(p, side)->weight;
  }
  p->left[side] -= (int)p->units;
  p->turn = side && p->left[side] > 0;
  p->sent = side ? 0 : p->sent + p->units;
  return entry_of(p, side)->vl;
}

struct observed {
  uint64_t packets, last_packet, last_selection, gap, distance;
};

/* Serves a port for some packets; the first `skip` are not counted, but waits are. */
static void observe(const struct loom_wish_tables *t, uint32_t packet_bytes, uint64_t skip,
                    uint64_t packets, struct observed o[LOOM_IB_VLS]) {
  struct port p = {.t = t,
                   .units = packet_bytes / UNIT,
                   .at = {t->high_count - 1, t->low_count ? t->low_count - 1 : 0}};
  uint64_t selections = 0;
  memset(o, 0, LOOM_IB_VLS * sizeof *o);
  for (uint64_t n = 1; n <= skip + packets; n++) {
    bool selected = false;
    struct observed *v = &o[serve(&p, &selected)];
    selections += selected;
    if (v->last_packet && n - v->last_packet - 1 > v->gap)
      v->gap = n - v->last_packet - 1;
    if (selected && v->last_selection && selections - v->last_selection > v->distance)
      v->distance = selections - v->last_selection;
    v->last_packet = n;
    v->last_selection = selected ? selections : v->last_selection;
    v->packets += n > skip;
  }
}

/* ---- random tables and wishes ---------------------------------------------------------------- */

static uint32_t some_mtu(uint64_t *seed) { return 256U << loom_below(seed, 5); }

/* Tables whose entries send up to `most` packets; high ones of the first VLs, low ones of the
 * rest. */
static struct loom_wish_tables some_tables(uint32_t mtu, uint32_t high_vls, uint32_t low_vls,
                                           uint32_t entries, uint64_t *seed) {
  struct loom_wish_tables t = {.high_count = entries, .low_count = low_vls, .limit = 255};
  uint32_t units = mtu / UNIT;
  uint32_t most = (255 + units - 1) / units < 8 ? (255 + units - 1) / units : 8;
  for (uint32_t e = 0; e < entries; e++) {
    uint32_t weight = units * (1 + loom_below(seed, most));
    t.high[e].vl = (uint8_t)(e < high_vls ? e : loom_below(seed, high_vls));
    t.high[e].weight = (uint8_t)(weight < 255 ? weight : 255);
  }
  for (uint32_t e = 0; e < low_vls; e++)
    t.low[e] = (struct loom_vlarb_entry){.vl = (uint8_t)(high_vls + e), .weight = (uint8_t)units};
  if (low_vls)
    t.limit = 1 + loom_below(seed, 16);
  return t;
}

/* The wishes that these tables meet, of gaps and distances some. */
static struct loom_wish wishes_of(const struct loom_wish_tables *t, uint32_t mtu, uint32_t vls,
                                  uint32_t percent, uint64_t *seed) {
  struct loom_wish w = {
      .packet_bytes = mtu, .high = 64, .low = 64, .tolerance = 5000, .count = vls};
  struct loom_wish_answer a = {.tables = *t};
  for (uint32_t i = 0; i < vls; i++)
    w.vl[i] = (struct loom_wish_vl){
        .vl = (uint8_t)i, .share = 1, .gap = LOOM_WISH_ANY, .distance = LOOM_WISH_ANY};
  assert_true(loom_wish_judge(&w, &a));
  for (uint32_t i = 0; i < vls; i++) {
    w.vl[i].share = loom_vlarb_certified_share(&a.certificate, i);
    if (i < vls - t->low_count && loom_chance(seed, percent))
      w.vl[i].gap = (uint32_t)a.certificate.vl[i].gap * mtu;
    if (i < vls - t->low_count && loom_chance(seed, percent))
      w.vl[i].distance = (uint32_t)a.certificate.vl[i].distance;
  }
  return w;
}

static void assert_met(const struct loom_wish *w) {
  struct loom_wish_solution s;
  assert_true(loom_vlarb_solve(w, solver, &s));
  assert_true(loom_wish_judge(w, &s.best)); /* by these wishes, whatever it was solved with */
  assert_true(s.best.shares && s.best.waits);
  assert_int_equal(loom_wish_conflict(w).conflict, LOOM_CONFLICT_NONE);
}

/* ---- the certificate ------------------------------------------------------------------------- */

/* IB-14: shares, gaps and distances are those of a port that serves packet after packet. */
static void a_certificate_is_what_a_port_does_packet_by_packet(void **state) {
  (void)state;
  uint64_t seed = 1;
  for (unsigned n = 0; n < 40; n++) {
    uint32_t mtu = some_mtu(&seed);
    uint32_t high = 1 + loom_below(&seed, 5);
    uint32_t low = loom_below(&seed, 4);
    struct loom_wish_tables t = some_tables(mtu, high, low, high + loom_below(&seed, 12), &seed);
    struct loom_wish w = wishes_of(&t, mtu, high + low, 0, &seed);
    struct loom_wish_answer a = {.tables = t};
    struct observed o[LOOM_IB_VLS];
    if (low)
      t.low[0].weight = a.tables.low[0].weight = 255;
    assert_true(loom_wish_judge(&w, &a));
    observe(&t, mtu, 2 * a.certificate.packets, a.certificate.packets, o);
    for (unsigned vl = 0; vl < LOOM_IB_VLS; vl++) {
      assert_int_equal(o[vl].packets, a.certificate.vl[vl].packets);
      assert_int_equal(o[vl].gap, a.certificate.vl[vl].gap);
      assert_int_equal(o[vl].distance, a.certificate.vl[vl].distance);
    }
  }
}

/* A period is the shortest number of rounds after which both tables are where they were. */
static void a_period_ends_where_both_tables_begin(void **state) {
  (void)state;
  const struct loom_vlarb_entry high[] = {{0, 64}, {1, 128}};
  const struct loom_vlarb_entry low[] = {{2, 64}, {3, 64}};
  struct loom_vlarb_config c = {.high = high,
                                .high_count = 2,
                                .low = low,
                                .low_count = 2,
                                .limit = 2,
                                .mode = LOOM_VLARB_ROUNDUP,
                                .packet_bytes = 4096};
  struct loom_vlarb_certificate a;
  assert_true(loom_vlarb_certify(&c, &a));
  /* 3 packets a round, a turn after 2, two low entries: 4 rounds, 12 packets, 6 turns. */
  assert_int_equal(a.rounds, 4);
  assert_int_equal(a.packets, 18);
  assert_int_equal(a.low_turns, 6);
  assert_int_equal(loom_vlarb_certified_share(&a, 2), 166667);
  c.limit = 255;
  assert_true(loom_vlarb_certify(&c, &a));
  assert_int_equal(a.rounds, 1);
  assert_int_equal(a.vl[2].packets, 0);
}

/* ---- what can be met ------------------------------------------------------------------------- */

/* The tables of four entries, three VLs and up to four packets an entry, one in `step`. */
static void tables_of_four(uint32_t step, bool gaps, bool distances) {
  uint64_t seed = 1;
  for (uint32_t n = 0; n < 12 * 12 * 12 * 12; n += step) {
    struct loom_wish_tables t = {.high_count = 4, .limit = 255};
    unsigned seen = 0;
    for (uint32_t e = 0, rest = n; e < 4; e++, rest /= 12) {
      static const uint8_t weight[] = {64, 128, 192, 255};
      t.high[e] =
          (struct loom_vlarb_entry){.vl = (uint8_t)(rest % 3), .weight = weight[rest / 3 % 4]};
      seen |= 1U << t.high[e].vl;
    }
    if (seen != 7)
      continue;
    struct loom_wish w = wishes_of(&t, 4096, 3, 100, &seed);
    w.high = 4;
    w.low = 0;
    w.tolerance = 1;
    for (uint32_t i = 0; i < 3; i++) {
      w.vl[i].gap = gaps ? w.vl[i].gap : LOOM_WISH_ANY;
      w.vl[i].distance = distances ? w.vl[i].distance : LOOM_WISH_ANY;
    }
    assert_met(&w);
  }
}

/* IB-14: an exhaustive search finds nothing that is not found here. */
static void what_any_table_of_four_entries_does_can_be_wished_for(void **state) {
  (void)state;
  tables_of_four(31, true, false);
  tables_of_four(37, false, true);
  tables_of_four(41, true, true);
}

static void what_large_tables_do_can_be_wished_for(void **state) {
  (void)state;
  uint64_t seed = 1;
  for (unsigned n = 0; n < 40; n++) {
    uint32_t mtu = some_mtu(&seed);
    uint32_t low = loom_below(&seed, 3);
    uint32_t high = 2 + loom_below(&seed, 11);
    struct loom_wish_tables t =
        some_tables(mtu, high, low, high + loom_below(&seed, 65 - high), &seed);
    struct loom_wish w = wishes_of(&t, mtu, high + low, 40, &seed);
    assert_met(&w);
  }
}

/* DT-05: distances that fill a table leave one order, the ruler. */
static void distances_that_fill_the_table_are_met(void **state) {
  (void)state;
  static const uint32_t distance[] = {2, 4, 8, 16, 32, 64, 64};
  struct loom_wish w = {.packet_bytes = 1024, .high = 64, .tolerance = 5000, .count = 7};
  for (uint32_t i = 0; i < 7; i++)
    w.vl[i] = (struct loom_wish_vl){.vl = (uint8_t)i,
                                    .share = LOOM_WISH_WHOLE / distance[i],
                                    .gap = LOOM_WISH_ANY,
                                    .distance = distance[i]};
  assert_met(&w);
}

/* The same wishes give the same tables. */
static void the_same_wishes_give_the_same_tables(void **state) {
  (void)state;
  struct loom_wish_solution a;
  struct loom_wish_solution b;
  struct loom_wish w = {.packet_bytes = 2048, .high = 64, .low = 64, .tolerance = 5000, .count = 3};
  for (uint32_t i = 0; i < 3; i++)
    w.vl[i] = (struct loom_wish_vl){.vl = (uint8_t)i,
                                    .share = 100000 * (2 * i + 1) + (i == 2 ? 100000 : 0),
                                    .gap = 2048 * (9 - 3 * i),
                                    .distance = LOOM_WISH_ANY};
  assert_true(loom_vlarb_solve(&w, solver, &a));
  assert_true(loom_vlarb_solve(&w, solver, &b));
  assert_memory_equal(&a.best.tables, &b.best.tables, sizeof a.best.tables);
}

/* VLs that must be in the low table are there, and the limit that is given is kept. */
static void tables_and_limit_are_as_asked_for(void **state) {
  (void)state;
  struct loom_wish w = {.packet_bytes = 512,
                        .high = 16,
                        .low = 16,
                        .limit_given = true,
                        .limit = 2,
                        .tolerance = 5000,
                        .count = 3};
  struct loom_wish_solution s;
  for (uint32_t i = 0; i < 3; i++)
    w.vl[i] = (struct loom_wish_vl){.vl = (uint8_t)(4 * i),
                                    .share = i == 2 ? 200000 : 400000,
                                    .gap = LOOM_WISH_ANY,
                                    .distance = LOOM_WISH_ANY,
                                    .table = i == 2 ? LOOM_WISH_LOW : LOOM_WISH_HIGH};
  assert_true(loom_vlarb_solve(&w, solver, &s));
  assert_int_equal(s.best.tables.limit, 2);
  assert_true(s.best.tables.low_count > 0 && s.best.tables.high_count <= 16);
  for (uint32_t e = 0; e < s.best.tables.low_count; e++)
    assert_int_equal(s.best.tables.low[e].vl, 8);
  for (uint32_t e = 0; e < s.best.tables.high_count; e++)
    assert_int_not_equal(s.best.tables.high[e].vl, 8);
}

/* Distances of 2 and 5, 8 and 9 are in each other's way; 2, 4 and 8 are not, and keep them. */
static void waits_in_each_others_way_are_met_by_shorter_ones(void **state) {
  (void)state;
  static const uint32_t share[] = {125000, 500000, 200000, 175000};
  static const uint32_t distance[] = {8, 2, 5, 9};
  struct loom_wish w = {.packet_bytes = 4096, .high = 29, .tolerance = 100000, .count = 4};
  for (uint32_t i = 0; i < 4; i++)
    w.vl[i] = (struct loom_wish_vl){
        .vl = (uint8_t)i, .share = share[i], .gap = LOOM_WISH_ANY, .distance = distance[i]};
  assert_met(&w);
}

/* A VL whose entries may stand in either table goes into the low one where the high one has no room
 * for all. */
static void a_vl_without_waits_goes_into_the_low_table_for_room(void **state) {
  (void)state;
  struct loom_wish w = {.packet_bytes = 4096, .high = 1, .low = 1, .tolerance = 5000, .count = 2};
  struct loom_wish_solution s;
  for (uint32_t i = 0; i < 2; i++)
    w.vl[i] = (struct loom_wish_vl){
        .vl = (uint8_t)i, .share = 500000, .gap = LOOM_WISH_ANY, .distance = LOOM_WISH_ANY};
  w.vl[1].table = LOOM_WISH_HIGH;
  assert_met(&w);
  assert_true(loom_vlarb_solve(&w, solver, &s));
  assert_int_equal(s.best.tables.high_count, 1);
  assert_int_equal(s.best.tables.high[0].vl, 1);
  assert_int_equal(s.best.tables.low_count, 1);
  assert_int_equal(s.best.tables.low[0].vl, 0);
}

/* ---- what cannot be met ---------------------------------------------------------------------- */

/* Wishes of packets of 4096 bytes: shares in percent, gaps in packets and distances, 0: any. */
static struct loom_wish some_wishes(uint32_t count, const uint32_t share[], const uint32_t gap[],
                                    const uint32_t distance[]) {
  struct loom_wish w = {
      .packet_bytes = 4096, .high = 64, .low = 64, .tolerance = 5000, .count = count};
  for (uint32_t i = 0; i < count; i++)
    w.vl[i] = (struct loom_wish_vl){.vl = (uint8_t)i,
                                    .share = share[i] * 10000,
                                    .gap = gap[i] ? gap[i] * 4096 : LOOM_WISH_ANY,
                                    .distance = distance[i] ? distance[i] : LOOM_WISH_ANY};
  return w;
}

static void assert_conflict(const struct loom_wish *w, enum loom_wish_conflict conflict,
                            unsigned who, uint32_t value) {
  struct loom_wish_solution s;
  struct loom_wish_finding f = loom_wish_conflict(w);
  assert_int_equal(f.conflict, conflict);
  assert_int_equal(f.who, who);
  assert_int_equal(f.value, value);
  assert_false(loom_vlarb_solve(w, solver, &s));
  assert_false(s.best.found);
}

/* IB-14: which wishes conflict, and by how much. */
static void wishes_that_no_tables_meet_are_named(void **state) {
  (void)state;
  static const uint32_t any[4] = {0};
  struct loom_wish w = some_wishes(2, (const uint32_t[]){80, 40}, any, any);
  assert_conflict(&w, LOOM_CONFLICT_SUM, 3, 1200000);
  w = some_wishes(2, (const uint32_t[]){50, 40}, any, any);
  assert_conflict(&w, LOOM_CONFLICT_SUM, 3, 900000);
  w = some_wishes(3, (const uint32_t[]){10, 30, 60}, (const uint32_t[]){3, 0, 0}, any);
  assert_conflict(&w, LOOM_CONFLICT_SHARE, 1, 250000);
  w = some_wishes(3, (const uint32_t[]){10, 30, 60}, any, (const uint32_t[]){0, 0, 1});
  assert_conflict(&w, LOOM_CONFLICT_SHARE, 4, 1000000);
  w = some_wishes(3, (const uint32_t[]){10, 30, 60}, any, (const uint32_t[]){2, 0, 0});
  assert_conflict(&w, LOOM_CONFLICT_SHARE, 1, 200000);
  w = some_wishes(3, (const uint32_t[]){34, 33, 33}, any, (const uint32_t[]){2, 3, 4});
  assert_conflict(&w, LOOM_CONFLICT_DISTANCES, 7, 1083333);
  w = some_wishes(4, (const uint32_t[]){40, 30, 15, 15}, any, (const uint32_t[]){2, 2, 0, 8});
  assert_conflict(&w, LOOM_CONFLICT_DISTANCES, 11, 1125000);
  w = some_wishes(4, (const uint32_t[]){10, 40, 35, 15}, any, (const uint32_t[]){0, 2, 2, 8});
  assert_conflict(&w, LOOM_CONFLICT_DISTANCES, 14, 1125000);
  w = some_wishes(3, (const uint32_t[]){50, 25, 25}, (const uint32_t[]){1, 3, 3}, any);
  w.tolerance = 0;
  assert_met(&w);
  w = some_wishes(4, (const uint32_t[]){50, 25, 24, 1}, (const uint32_t[]){1, 3, 3, 0}, any);
  w.tolerance = 10000;
  w.vl[3].share = 20000;
  assert_conflict(&w, LOOM_CONFLICT_OTHERS, 7, 1000000);
  w.vl[3].distance = 64; /* gives it no more than it asks for */
  assert_conflict(&w, LOOM_CONFLICT_OTHERS, 7, 1000000);
}

static void entries_and_the_low_table_are_not_endless(void **state) {
  (void)state;
  static const uint32_t any[4] = {0};
  static const uint32_t shares[] = {25, 25, 25, 25};
  struct loom_wish w = some_wishes(4, shares, any, any);
  w.high = 1;
  w.low = 2;
  assert_conflict(&w, LOOM_CONFLICT_ENTRIES, 15, 0);
  w = some_wishes(4, shares, any, any);
  w.low = 0;
  w.vl[2].table = LOOM_WISH_LOW;
  assert_conflict(&w, LOOM_CONFLICT_ENTRIES, 4, 0);
  w = some_wishes(4, shares, any, any);
  for (uint32_t i = 0; i < 4; i++)
    w.vl[i].table = LOOM_WISH_LOW;
  assert_conflict(&w, LOOM_CONFLICT_ENTRIES, 15, 0);
  w = some_wishes(4, shares, any, any);
  w.vl[3].table = LOOM_WISH_LOW;
  w.limit_given = true;
  w.limit = 16; /* 4 of 16 + 4 packets */
  assert_conflict(&w, LOOM_CONFLICT_LOW, 8, 200001);
  w.limit = 255;
  assert_conflict(&w, LOOM_CONFLICT_LOW, 8, 0);
}

/* IB-14: whoever takes the nearest answer as a wish gets it. */
static void the_nearest_wishes_can_be_met(void **state) {
  (void)state;
  static const uint32_t any[4] = {0};
  struct loom_wish wish[] = {
      some_wishes(3, (const uint32_t[]){10, 30, 60}, (const uint32_t[]){2, 0, 0}, any),
      some_wishes(3, (const uint32_t[]){10, 30, 60}, any, (const uint32_t[]){2, 5, 0}),
      some_wishes(4, (const uint32_t[]){60, 30, 40, 20}, (const uint32_t[]){4, 0, 0, 30}, any),
      some_wishes(4, (const uint32_t[]){4, 6, 30, 60}, (const uint32_t[]){10, 8, 0, 0}, any),
  };
  for (unsigned n = 0; n < sizeof wish / sizeof wish[0]; n++) {
    struct loom_wish_solution s;
    struct loom_wish w = wish[n];
    assert_false(loom_vlarb_solve(&w, solver, &s));
    assert_true(s.waits_kept.found && s.waits_kept.waits);
    assert_false(s.waits_kept.shares);
    for (uint32_t i = 0; i < w.count; i++)
      w.vl[i].share = loom_vlarb_certified_share(&s.waits_kept.certificate, i);
    assert_met(&w);
    if (loom_wish_conflict(&wish[n]).conflict == LOOM_CONFLICT_SUM)
      continue;
    assert_true(s.shares_kept.found && s.shares_kept.shares);
    assert_false(s.shares_kept.waits);
    w = wish[n];
    for (uint32_t i = 0; i < w.count; i++) {
      if (w.vl[i].gap != LOOM_WISH_ANY)
        w.vl[i].gap = (uint32_t)s.shares_kept.certificate.vl[i].gap * 4096;
      if (w.vl[i].distance != LOOM_WISH_ANY)
        w.vl[i].distance = (uint32_t)s.shares_kept.certificate.vl[i].distance;
    }
    assert_met(&w);
  }
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_certificate_is_what_a_port_does_packet_by_packet),
      cmocka_unit_test(a_period_ends_where_both_tables_begin),
      cmocka_unit_test(what_any_table_of_four_entries_does_can_be_wished_for),
      cmocka_unit_test(what_large_tables_do_can_be_wished_for),
      cmocka_unit_test(distances_that_fill_the_table_are_met),
      cmocka_unit_test(the_same_wishes_give_the_same_tables),
      cmocka_unit_test(tables_and_limit_are_as_asked_for),
      cmocka_unit_test(waits_in_each_others_way_are_met_by_shorter_ones),
      cmocka_unit_test(a_vl_without_waits_goes_into_the_low_table_for_room),
      cmocka_unit_test(wishes_that_no_tables_meet_are_named),
      cmocka_unit_test(entries_and_the_low_table_are_not_endless),
      cmocka_unit_test(the_nearest_wishes_can_be_met),
  };
  return UNIT_RUN("vlarb_solve", tests, make_solver, free_solver);
}

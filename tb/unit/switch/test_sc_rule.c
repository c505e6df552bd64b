/* SPDX-License-Identifier: Apache-2.0 */
/* test_sc_rule.c - the rule of Omni-Path in stages, docs/mport_switch.md, against the rule as
 * docs/opa.md says it of a packet */
#include "tb/unit/unit.h"

#include <loom/bits.h>
#include <loom/random.h>
#include <string.h>

#include "switch/sc_rule.h"

enum { SCS = LOOM_SCS, VLS = LOOM_VLS, SC_MGMT = 15, NO_VL = 15, NO_LANE = 99, MODES = 4 };

/* ---- the rule of docs/opa.md ----------------------------------------------------------------- */

struct tables {
  uint32_t vls;
  uint32_t sc2vl[SCS], sc2sl[SCS], sl2sc[SCS], mtu[VLS];
};

struct verdict {
  uint32_t sc, sl, lane; /* lane: NO_LANE if it is dropped for cause 4 */
};

static uint32_t mgmt_of(const struct tables *t) { return t->vls > SC_MGMT ? SC_MGMT : t->vls - 1; }

/* Lanes of VLs, docs/switch.md. */
static uint32_t lane_of(const struct tables *t, uint32_t vl) {
  if (vl == mgmt_of(t) && t->vls <= SC_MGMT)
    return NO_LANE;
  return vl < t->vls ? vl : NO_LANE;
}

static struct verdict rule(const struct tables *t, uint32_t mode, uint32_t sc, uint32_t entry) {
  struct verdict v = {.sc = sc};
  if (sc == SC_MGMT) {
    v.lane = mgmt_of(t);
  } else {
    if (mode == 1)
      v.sc = entry;
    else if (mode == 2)
      v.sc = t->sl2sc[t->sc2sl[sc]];
    uint32_t vl = t->sc2vl[v.sc];
    v.lane = vl == NO_VL || v.sc == SC_MGMT ? NO_LANE : lane_of(t, vl);
  }
  v.sl = t->sc2sl[v.sc];
  return v;
}

/* ---- tests ----------------------------------------------------------------------------------- */

static const uint32_t sizes[] = {2, 3, 5, 9, 15, 16, 17, 18, 31, 32};
enum { SIZES = sizeof sizes / sizeof sizes[0] };

/* The rule as the bus has it, and as an input unit gets it from there. */
struct bench {
  struct loom_sc_rule rule;
  uint16_t mtu[VLS];
  struct loom_sc_tables s;
};

/* A word for each SC. */
static void write_words(struct bench *b) {
  for (uint32_t sc = 0; sc < SCS; sc++)
    loom_sc_tables_write(&b->s, sc, loom_sc_rule_word(&b->rule, b->mtu, sc));
}

static void expect_same(const struct loom_sc_tables *s, const struct tables *t) {
  for (uint32_t mode = 0; mode < MODES; mode++)
    for (uint32_t sc = 0; sc < SCS; sc++)
      for (uint32_t entry = 0; entry < SCS; entry++) {
        struct verdict is = rule(t, mode, sc, entry);
        struct loom_sc_change change =
            loom_sc_tables_change(s, mode, sc, entry, loom_sc_tables_sl(s, sc));
        assert_int_equal(change.sc, is.sc);
        assert_int_equal(s->verdict[change.sc].sl, is.sl);
        assert_int_equal(loom_sc_tables_has_vl(s, change), is.lane != NO_LANE);
        if (is.lane == NO_LANE)
          continue;
        assert_int_equal(s->verdict[change.sc].lane, is.lane);
        assert_int_equal(s->verdict[change.sc].mtu, t->mtu[is.lane]);
      }
}

static void reset(struct bench *b, struct tables *t, uint32_t vls) {
  memset(b, 0xA5, sizeof *b); /* what was never written must not show */
  loom_sc_rule_init(&b->rule, vls);
  *t = (struct tables){.vls = vls};
  for (uint32_t i = 0; i < SCS; i++) {
    t->sc2vl[i] = t->sc2sl[i] = t->sl2sc[i] = i;
    t->mtu[i] = i < vls ? 32 : 0;
    b->mtu[i] = 32;
  }
  write_words(b);
}

static void after_reset_each_sc_has_the_vl_and_the_sl_of_its_number(void **state) {
  (void)state;
  for (uint32_t n = 0; n < SIZES; n++) {
    struct bench b;
    struct tables t;
    reset(&b, &t, sizes[n]);
    expect_same(&b.s, &t);
  }
}

/* OP-10, OP-18, OP-19: all modes, all SCs, all entries. */
static void every_mode_maps_as_the_rule_says_whatever_the_tables_hold(void **state) {
  (void)state;
  uint64_t seed = 7;
  for (uint32_t n = 0; n < SIZES; n++)
    for (uint32_t round = 0; round < 40; round++) {
      struct bench b;
      struct tables t;
      reset(&b, &t, sizes[n]);
      for (uint32_t i = 0; i < 60; i++) {
        uint32_t at = loom_below(&seed, SCS), to = loom_below(&seed, SCS);
        b.rule.sc2vl[at] = (uint8_t)(t.sc2vl[at] = to);
        at = loom_below(&seed, SCS);
        b.rule.sc2sl[at] = (uint8_t)(t.sc2sl[at] = loom_below(&seed, SCS));
        at = loom_below(&seed, SCS);
        b.rule.sl2sc[at] = (uint8_t)(t.sl2sc[at] = loom_below(&seed, SCS));
        at = loom_below(&seed, sizes[n]);
        b.mtu[at] = (uint16_t)(t.mtu[at] = 1 + loom_below(&seed, 32));
      }
      write_words(&b);
      expect_same(&b.s, &t);
    }
}

static void management_keeps_its_sc_and_its_lane_in_every_mode(void **state) {
  (void)state;
  for (uint32_t n = 0; n < SIZES; n++)
    for (uint32_t mode = 0; mode < MODES; mode++) {
      struct bench b;
      struct tables t;
      reset(&b, &t, sizes[n]);
      b.rule.sc2vl[SC_MGMT] = 0; /* is not looked at */
      b.rule.sl2sc[SC_MGMT] = 3;
      write_words(&b);
      struct loom_sc_change change = loom_sc_tables_change(&b.s, mode, SC_MGMT, 4, SC_MGMT);
      assert_int_equal(change.sc, SC_MGMT);
      assert_false(change.unlawful);
      assert_true(loom_sc_tables_has_vl(&b.s, change));
      assert_int_equal(b.s.verdict[SC_MGMT].lane, mgmt_of(&t));
    }
}

static void no_other_packet_may_become_management(void **state) {
  (void)state;
  struct bench b;
  struct tables t;
  reset(&b, &t, 9);
  b.rule.sl2sc[2] = SC_MGMT;
  write_words(&b);
  for (uint32_t mode = 1; mode <= 2; mode++) {
    struct loom_sc_change change = loom_sc_tables_change(&b.s, mode, 2, SC_MGMT, 2);
    assert_true(change.unlawful);
    assert_true(b.s.verdict[change.sc].has);
    assert_false(loom_sc_tables_has_vl(&b.s, change));
  }
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(after_reset_each_sc_has_the_vl_and_the_sl_of_its_number),
      cmocka_unit_test(every_mode_maps_as_the_rule_says_whatever_the_tables_hold),
      cmocka_unit_test(management_keeps_its_sc_and_its_lane_in_every_mode),
      cmocka_unit_test(no_other_packet_may_become_management),
  };
  return UNIT_RUN("sc_rule", tests, NULL, NULL);
}

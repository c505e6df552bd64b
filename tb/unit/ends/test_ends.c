/* SPDX-License-Identifier: Apache-2.0 */
/* test_ends.c - the ends of links that the benches share (tb/ends): lanes, heads, what a sender may
 * send, what a receiver gives back; a bench with wrong ends would not load what it means to test
 */
#include "tb/unit/unit.h"

#include "tb/ends/credits.h"
#include "tb/ends/elite5_ports.h"

static void vl_15_has_the_last_lane_or_lane_15(void **state) {
  (void)state;
  static const uint32_t vls[] = {2, 4, 16, 17, 32};
  for (uint32_t i = 0; i < 5; i++) {
    uint32_t lanes = 0;
    for (uint32_t vl = 0; vl < LOOM_VLS; vl++) {
      uint32_t lane = end_lane(vls[i], vl);
      if (lane == END_NO_LANE)
        continue;
      assert_true(lane < vls[i]);
      assert_int_equal(end_vl(vls[i], lane), vl);
      lanes++;
    }
    assert_int_equal(lanes, vls[i]);
    assert_int_equal(end_lane(vls[i], 15), vls[i] < 17 ? vls[i] - 1 : 15);
  }
}

static void a_head_has_its_fields_at_their_bits(void **state) {
  (void)state;
  assert_true(end_head(31, 0xFFF, 0, 0, 0) == 0xFFFF800000000000);
  assert_true(end_head(0, 0, 0xFFFF, 0, 0) == 0x00007FFF80000000);
  assert_true(end_head(0, 0, 0, 0xFFFF, 0xFFFFFFFF) == 0x7FFF9FFF);
}

/* OP-06, OP-08. */
static void a_sender_sends_whole_packets_as_long_as_units_are_left(void **state) {
  (void)state;
  struct loom_credit_tracker a;
  end_account_init(&a, 2, 8, 4, 1);
  assert_true(end_may_send(&a, 0, 24) && !end_may_send(&a, 0, 25)); /* a unit is lane 1's */
  assert_true(end_send(&a, 0, 17));
  assert_false(end_send(&a, 0, 1));
  assert_true(end_send(&a, 1, 8));
  assert_true(end_credit(&a, 0));
  assert_true(end_send(&a, 0, 1));
  assert_true(end_credit(&a, 1));
  assert_false(end_credit(&a, 1));
}

static void a_unit_is_owed_when_its_last_flit_has_come(void **state) {
  (void)state;
  struct end_receiver r = {0};
  for (uint32_t flit = 1; flit <= 19; flit++) {
    end_receive(&r, 3, flit == 19);
    assert_int_equal(r.owed[3], flit < 8 ? 0 : flit < 16 ? 1 : flit < 19 ? 2 : 3);
  }
  end_receive(&r, 3, false); /* the next packet begins a unit of its own */
  assert_int_equal(r.owed[3], 3);
}

static void units_go_back_from_the_lane_that_is_asked_first(void **state) {
  (void)state;
  struct end_receiver r = {0};
  static const uint32_t lanes[] = {1, 4, 4, 31};
  for (uint32_t i = 0; i < 4; i++)
    end_receive(&r, lanes[i], true);
  assert_int_equal(end_give(&r, ~0u, 2), 4);
  assert_int_equal(end_give(&r, ~(1u << 4), 2), 31);
  assert_int_equal(end_give(&r, ~(1u << 4), 2), 1);
  assert_int_equal(end_give(&r, ~(1u << 4), 2), END_NO_LANE);
  assert_int_equal(end_give(&r, ~0u, 5), 4);
  assert_int_equal(end_give(&r, ~0u, 5), END_NO_LANE);
}

/* E5-08, E5-10. */
static void each_vc_has_one_segment_and_the_pool_is_for_all(void **state) {
  (void)state;
  struct end_segments s = {0};
  for (uint32_t i = 0; i < 3; i++) {
    assert_int_equal(end_segments_there(&s, 2, 0xF), 0xF);
    end_segments_take(&s, 1);
  }
  assert_int_equal(end_segments_there(&s, 2, 0xF), 0xD);
  end_segments_take(&s, 0);
  assert_int_equal(end_segments_there(&s, 2, 0xF), 0xC);
  assert_true(end_segments_back(&s, 1));
  assert_int_equal(end_segments_there(&s, 2, 0xF), 0xF);
  assert_true(end_segments_back(&s, 1) && end_segments_back(&s, 1));
  assert_false(end_segments_back(&s, 1));
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(vl_15_has_the_last_lane_or_lane_15),
      cmocka_unit_test(a_head_has_its_fields_at_their_bits),
      cmocka_unit_test(a_sender_sends_whole_packets_as_long_as_units_are_left),
      cmocka_unit_test(a_unit_is_owed_when_its_last_flit_has_come),
      cmocka_unit_test(units_go_back_from_the_lane_that_is_asked_first),
      cmocka_unit_test(each_vc_has_one_segment_and_the_pool_is_for_all),
  };
  return UNIT_RUN("ends", tests, NULL, NULL);
}

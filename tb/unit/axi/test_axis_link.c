/* SPDX-License-Identifier: Apache-2.0 */
/* test_axis_link.c - the twins of axis_link_tx and axis_link_rx, one behind the other, against what
 * docs/axi.md says, without a circuit */
#include "tb/unit/unit.h"

#include <loom/head.h>
#include <stdlib.h>

#include "axi/axis_link_rx.h"
#include "axi/axis_link_tx.h"

enum { MTU = 10, UNITS = 16, SC = 5, SRC = 77 };

static struct loom_axis_link_tx tx;
static struct loom_axis_link_rx rx;
static struct loom_axis_link_tx_in in;
static struct loom_axis_link_tx_out link;
static struct loom_axis_link_rx_out out;
static void *storage[2];
static bool take;
static uint32_t heads, credits;

static void reset_for(uint32_t units, uint32_t mtu_flits) {
  const struct loom_axis_link_tx_cfg to = {.VLS = 4,
                                           .UNITS = units,
                                           .RESERVED = 2,
                                           .MTU_FLITS = mtu_flits,
                                           .WORDS = 8 * units,
                                           .PACKETS = 8};
  const struct loom_axis_link_rx_cfg from = {.UNITS = units};
  assert_true(loom_axis_link_tx_cfg_ok(&to) && loom_axis_link_rx_cfg_ok(&from));
  storage[0] = realloc(storage[0], loom_axis_link_tx_storage_size(&to));
  storage[1] = realloc(storage[1], loom_axis_link_rx_storage_size(&from));
  loom_axis_link_tx_init(&tx, &to, storage[0]);
  loom_axis_link_rx_init(&rx, &from, storage[1]);
  in = (struct loom_axis_link_tx_in){.src = SRC};
  out = (struct loom_axis_link_rx_out){0};
  take = true;
  heads = credits = 0;
}

static void reset(void) { reset_for(UNITS, MTU); }

static int done(void **state) {
  (void)state;
  free(storage[0]);
  free(storage[1]);
  return 0;
}

/* One cycle of both: what they show goes from one to the other. */
static void step(void) {
  in.cr_valid = rx.cr_valid; /* an output that depends on the state alone */
  in.cr_vl = rx.cr_vl;
  loom_axis_link_tx_step(&tx, &in, &link);
  const struct loom_axis_link_rx_in arrives = {.in_valid = link.out_valid,
                                               .in_head = link.out_head,
                                               .in_tail = link.out_tail,
                                               .in_vl = link.out_vl,
                                               .in_data = link.out_data,
                                               .tready = take};
  loom_axis_link_rx_step(&rx, &arrives, &out);
  heads += (uint32_t)link.out_head;
  credits += (uint32_t)out.cr_valid;
  assert_true(!link.error && !out.error && !out.empty);
}

static void offer(uint64_t word, bool last, uint32_t vl) {
  in.tvalid = 1;
  in.tdata = word;
  in.tlast = last;
  in.tdest = 1000 + vl;
  in.tid = 123;
  in.tuser = SC << 5 | vl;
  do
    step();
  while (!link.tready);
  in.tvalid = 0;
}

/* OP-08 */
static void a_frame_comes_out_as_it_went_in(void **state) {
  (void)state;
  reset();
  for (uint64_t w = 1; w <= 5; w++)
    offer(w, w == 5, 2);
  uint64_t seen = 0;
  for (int c = 0; c < 40; c++) {
    step();
    assert_int_equal(link.out_head, c == 3);
    assert_true(seen || out.tvalid == (c == 6));
    if (!out.tvalid)
      continue;
    assert_int_equal(out.tdata, ++seen);
    assert_int_equal(out.tlast, seen == 5);
    assert_true(out.tdest == 1002 && out.tid == 123);
    assert_int_equal(out.tuser, (uint64_t)SRC << 10 | SC << 5 | 2);
  }
  assert_int_equal(seen, 5);
  assert_true(heads == 1 && credits == 1);
}

/* DT-10 */
static void a_long_frame_becomes_a_train(void **state) {
  (void)state;
  reset();
  for (uint64_t w = 0; w < 30; w++)
    offer(w, w == 29, 0);
  for (int c = 0; c < 60; c++)
    step();
  assert_int_equal(heads, 4); /* 9 + 9 + 9 + 3 words */
  reset();
  take = false;
  for (uint64_t w = 0; w < 30; w++)
    offer(w, w == 29, 0);
  for (int c = 0; c < 60; c++)
    step();
  take = true;
  uint32_t last = 0;
  for (uint32_t word = 0; word < 30;) {
    step();
    if (!out.tvalid)
      continue;
    assert_int_equal(out.tdata, word);
    assert_int_equal(out.tuser >> 27, word >= 9);     /* after */
    assert_int_equal(out.tuser >> 26 & 1, word < 27); /* more */
    last += (uint32_t)out.tlast;
    word++;
  }
  assert_int_equal(last, 4);
}

/* OP-06, OP-08 */
static void nothing_goes_without_credits_and_nothing_is_lost(void **state) {
  (void)state;
  reset();
  take = false;
  uint64_t word = 0;
  in.tvalid = 1;
  in.tlast = 1;
  for (int c = 0; c < 300; c++) { /* frames of one word, as many as there is room for */
    in.tdata = word;
    step();
    word += link.tready;
  }
  in.tvalid = 0;
  /* 16 units less the reserves of three other lanes, and one packet has left its unit: its word is
   * in view. */
  assert_int_equal(heads, UNITS - 3 * 2 + 1);
  take = true;
  uint64_t seen = 0;
  for (int c = 0; c < 300; c++) {
    step();
    assert_true(!out.tvalid || out.tdata == seen);
    seen += out.tvalid;
  }
  assert_true(seen == word && credits == word);
}

static void a_packet_on_a_vl_without_a_lane_is_dropped(void **state) {
  (void)state;
  reset();
  uint32_t dropped = 0, words = 0;
  for (uint32_t vl = 0; vl < 32; vl++) {
    offer(vl, false, vl);
    offer(vl, true, vl);
    for (int c = 0; c < 20; c++) {
      step();
      dropped += (uint32_t)link.dropped;
      words += (uint32_t)out.tvalid;
      assert_true(!out.tvalid || vl < 3 || vl == 15);
    }
  }
  assert_true(dropped == 28 && words == 8);
}

static void offer_frame(uint32_t words, uint32_t vl) {
  for (uint32_t w = 1; w <= words; w++)
    offer(w, w == words, vl);
}

/* Cycles until the next head, and of them those without a flit. */
static uint32_t until_head(uint32_t *without) {
  uint32_t cycles = 0;
  *without = 0;
  do {
    step();
    *without += !link.out_valid;
  } while (++cycles < 1000 && !link.out_head);
  return cycles;
}

/* OP-08 */
static void credits_are_taken_by_fours_before_a_packet_goes(void **state) {
  (void)state;
  uint32_t without;
  for (uint32_t flits = 2; flits <= 256; flits++) {
    uint32_t units = (flits + 7) / 8;
    reset_for(64, 256);
    offer_frame(flits - 1, 15);
    /* Two of the units are the lane's own, and by fours come those of the pool only. */
    uint32_t own = units < 2 ? units : 2;
    assert_int_equal(until_head(&without), 3 + own + (units - own) / 4 + (units - own) % 4);
  }
}

/* OP-08 */
static void packets_of_one_length_leave_no_gap(void **state) {
  (void)state;
  uint32_t without;
  for (uint32_t flits = 2; flits <= MTU; flits++) {
    reset();
    for (uint32_t n = 0; n < 4; n++)
      offer_frame(flits - 1, 0);
    while (heads < 3)
      assert_true(until_head(&without) < 20);
    until_head(&without);
    assert_int_equal(without, 0);
  }
}

/* OP-08: the gap that the page names. */
static void a_long_packet_behind_a_short_one_waits_for_its_credits(void **state) {
  (void)state;
  uint32_t without;
  reset_for(64, 256);
  tx.waits = 300; /* until both are there */
  offer_frame(1, 0);
  offer_frame(255, 0);
  until_head(&without);
  until_head(&without);
  /* 32 units: 1 of the reserve, as the packet before has the other, then 7 fours and 3. */
  assert_int_equal(without, 1 + 7 + 3 + 1 - 2);
}

/* A unit that the packet which waits for its head has taken itself is not in use at the far end:
 * its credit is wrong, whatever the lane. */
static void a_credit_for_a_unit_in_hand_is_an_error(void **state) {
  (void)state;
  static const uint32_t vls[] = {0, 1, 2, 15};
  for (unsigned i = 0; i < 4; i++) {
    reset_for(64, 256);
    uint32_t errors = 0;
    for (uint32_t c = 0, words = 0; c < 200; c++) {
      in.tvalid = words < 100;
      in.tlast = words == 99;
      in.tuser = SC << 5 | vls[i];
      in.cr_valid = tx.next_valid && tx.hand == 1;
      in.cr_vl = vls[i];
      bool wrong = in.cr_valid;
      loom_axis_link_tx_step(&tx, &in, &link);
      words += (uint32_t)(in.tvalid && link.tready);
      errors += wrong;
      assert_int_equal(tx.error, wrong);
    }
    assert_int_equal(errors, 1);
  }
}

/* DT-10: a flit that is head and tail has no words. */
static void a_head_without_words_is_told(void **state) {
  (void)state;
  reset();
  uint32_t told = 0;
  for (int c = 0; c < 20; c++) {
    const struct loom_axis_link_rx_in arrives = {
        .in_valid = c == 0, .in_head = c == 0, .in_tail = c == 0, .tready = 1};
    loom_axis_link_rx_step(&rx, &arrives, &out);
    told += (uint32_t)out.empty;
    assert_true(!out.tvalid && !out.error);
  }
  assert_int_equal(told, 1);
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_frame_comes_out_as_it_went_in),
      cmocka_unit_test(a_long_frame_becomes_a_train),
      cmocka_unit_test(nothing_goes_without_credits_and_nothing_is_lost),
      cmocka_unit_test(a_packet_on_a_vl_without_a_lane_is_dropped),
      cmocka_unit_test(credits_are_taken_by_fours_before_a_packet_goes),
      cmocka_unit_test(packets_of_one_length_leave_no_gap),
      cmocka_unit_test(a_long_packet_behind_a_short_one_waits_for_its_credits),
      cmocka_unit_test(a_credit_for_a_unit_in_hand_is_an_error),
      cmocka_unit_test(a_head_without_words_is_told),
  };
  return UNIT_RUN("axis_link", tests, NULL, done);
}

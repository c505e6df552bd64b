/* SPDX-License-Identifier: Apache-2.0 */
/* test_packet_store.c - the twin of packet_store against what docs/parts.md says, without a circuit
 *
 * Each rule of the page has a test of its own in which the cycles are counted out; then a user who
 * keeps to the contract runs beside the twin under random traffic.
 */
#include "tb/unit/unit.h"

#include <loom/bits.h>
#include <loom/random.h>
#include <stdlib.h>
#include <string.h>

#include "parts/packet_store.h"

enum { CELL = 8 };

/* ---- packet_store under a bench -------------------------------------------------------------- */

struct bench {
  struct loom_packet_store s;
  struct loom_packet_store_cfg cfg;
  struct loom_packet_store_in in;   /* of the next cycle */
  struct loom_packet_store_out out; /* of the last cycle */
  uint32_t now;                     /* the next cycle */
  void *storage;
};

static struct loom_packet_store_cfg shape(uint32_t lanes, uint32_t rd_flits, uint32_t early) {
  struct loom_packet_store_cfg cfg;
  loom_packet_store_defaults(&cfg);
  cfg.VLS = 4;
  cfg.CELLS = 32;
  cfg.LANES = lanes;
  cfg.RD_FLITS = rd_flits;
  cfg.MTU_UNITS = 4;
  cfg.EARLY = early;
  return cfg;
}

static void open_bench(struct bench *b, struct loom_packet_store_cfg cfg) {
  memset(b, 0, sizeof *b);
  b->cfg = cfg;
  assert_null(loom_packet_store_bad_param(&cfg));
  assert_true(loom_packet_store_cfg_ok(&cfg));
  b->storage = malloc(loom_packet_store_storage_size(&cfg));
  assert_non_null(b->storage);
  memset(b->storage, 0xA5, loom_packet_store_storage_size(&cfg)); /* must not show */
  loom_packet_store_init(&b->s, &cfg, b->storage);
}

static void close_bench(struct bench *b) { free(b->storage); }

static void cycle(struct bench *b) {
  loom_packet_store_step(&b->s, &b->in, &b->out);
  b->in = (struct loom_packet_store_in){0};
  b->now++;
}

static void cycles(struct bench *b, uint32_t n) {
  while (n--)
    cycle(b);
}

static void announce(struct bench *b, uint32_t len) {
  b->in.announce = 1;
  b->in.announce_len = len;
}

static void queue(struct bench *b, uint32_t vl, uint32_t len, uint64_t info) {
  b->in.queue = 1;
  b->in.queue_vl = vl;
  b->in.queue_len = len;
  b->in.queue_info = info;
}

static void take(struct bench *b, uint32_t vl) {
  b->in.take = 1;
  b->in.take_vl = vl;
}

/* The flit at this place of this packet. */
static uint64_t flit(uint64_t packet, uint32_t place) {
  return loom_scramble(packet << 16 | place) | 1;
}

static void word(struct bench *b, uint32_t vl, uint64_t packet, uint32_t place, uint32_t n,
                 bool last) {
  b->in.wr_valid = 1;
  b->in.wr_vl = vl;
  b->in.wr_last = last;
  b->in.wr_flits = n;
  for (uint32_t i = 0; i < n; i++)
    b->in.wr_data[(place + i) % b->cfg.LANES] = flit(packet, place + i);
}

/* A packet of one word, from its announcement to its place in the queue; it is whole afterwards. */
static void put(struct bench *b, uint32_t vl, uint64_t packet, uint32_t flits) {
  announce(b, flits);
  queue(b, vl, flits, packet);
  cycle(b);
  word(b, vl, packet, 0, flits, true);
  cycle(b);
}

/* ---- announce -------------------------------------------------------------------------------- */

/* OP-05 */
static void an_announcement_is_answered_two_cycles_later(void **state) {
  (void)state;
  struct bench b;
  open_bench(&b, shape(4, 1, 8));
  announce(&b, 9);
  cycle(&b);
  assert_int_equal(b.out.space, 1);
  cycle(&b);
  assert_int_equal(b.out.announce_ok, 0);
  assert_int_equal(b.out.total, 0);
  cycle(&b);
  assert_int_equal(b.out.announce_ok, 1);
  assert_int_equal(b.out.total, 2);
  cycle(&b);
  assert_int_equal(b.out.announce_ok, 0);
  close_bench(&b);
}

static void what_does_not_fit_is_refused_and_counts_nothing(void **state) {
  (void)state;
  struct bench b;
  open_bench(&b, shape(4, 1, 8));
  const struct {
    uint32_t len, ok, total;
  } step[] = {{31 * CELL, 1, 31}, {CELL + 1, 0, 31}, {0, 0, 31}, {CELL, 1, 32}, {1, 0, 32}};
  for (uint32_t i = 0; i < sizeof step / sizeof step[0]; i++) {
    announce(&b, step[i].len);
    cycles(&b, 3);
    assert_int_equal(b.out.announce_ok, step[i].ok);
    assert_int_equal(b.out.total, step[i].total);
  }
  close_bench(&b);
}

static void with_space_a_packet_of_the_mtu_is_never_refused(void **state) {
  (void)state;
  for (uint32_t seed = 1; seed <= 20; seed++) {
    struct bench b;
    uint32_t admitted = 0, asked[2] = {0};
    open_bench(&b, shape(4, 1, 8));
    for (uint32_t c = 0; c < 600; c++) {
      struct loom_packet_store_out now;
      loom_packet_store_show(&b.s, &now);
      bool ask = now.space && loom_scramble(seed << 8 | c) % seed == 0;
      uint32_t len = 1 + (uint32_t)(loom_scramble(c << 8 | seed) % (4 * CELL));
      if (ask)
        announce(&b, len);
      cycle(&b);
      assert_int_equal(b.out.announce_ok, asked[1] > 0);
      admitted += asked[1];
      assert_int_equal(b.out.total, admitted);
      asked[1] = asked[0];
      asked[0] = ask ? (len + CELL - 1) / CELL : 0;
    }
    assert_true(admitted > 28); /* full but for less than an MTU */
    close_bench(&b);
  }
}

/* ---- queues ---------------------------------------------------------------------------------- */

/* OP-02 */
static void a_packet_in_an_empty_queue_is_in_view_three_cycles_later(void **state) {
  (void)state;
  struct bench b;
  open_bench(&b, shape(4, 1, 8));
  announce(&b, 5);
  queue(&b, 2, 5, 0xABCDEF);
  cycles(&b, 3);
  assert_int_equal(b.out.head_valid, 0);
  cycle(&b);
  assert_int_equal(b.out.head_valid, 1 << 2);
  assert_int_equal(b.out.head_event, 1);
  assert_int_equal(b.out.head_vl, 2);
  assert_int_equal(b.out.head_len, 5);
  assert_int_equal(b.out.head_info, 0xABCDEF);
  cycle(&b);
  assert_int_equal(b.out.head_valid, 1 << 2);
  assert_int_equal(b.out.head_event | b.out.head_vl | b.out.head_len | b.out.head_info, 0);
  close_bench(&b);
}

static void the_next_packet_is_in_view_four_cycles_after_a_take(void **state) {
  (void)state;
  struct bench b;
  open_bench(&b, shape(4, 1, 8));
  put(&b, 1, 7, 2);
  put(&b, 1, 8, 3);
  cycles(&b, 6);
  take(&b, 1);
  cycle(&b);
  for (uint32_t i = 1; i < 4; i++) {
    cycle(&b);
    assert_int_equal(b.out.head_valid, 0);
  }
  cycle(&b);
  assert_int_equal(b.out.head_valid, 1 << 1);
  assert_int_equal(b.out.head_len, 3);
  assert_int_equal(b.out.head_info, 8);
  close_bench(&b);
}

/* A packet that joins an empty queue goes before one that was fetched; then no take. */
static void one_head_comes_into_view_a_cycle(void **state) {
  (void)state;
  struct bench b;
  open_bench(&b, shape(4, 1, 8));
  put(&b, 1, 7, 2);
  put(&b, 1, 8, 3);
  cycles(&b, 6);
  take(&b, 1);
  cycle(&b); /* c */
  announce(&b, 1);
  queue(&b, 3, 1, 9);
  cycles(&b, 3);
  assert_int_equal(b.out.soon, 1);
  cycle(&b); /* c + 4 */
  assert_int_equal(b.out.head_valid, 1 << 3);
  assert_int_equal(b.out.head_info, 9);
  assert_int_equal(b.out.soon, 0);
  cycle(&b);
  assert_int_equal(b.out.head_valid, 1 << 3 | 1 << 1);
  assert_int_equal(b.out.head_info, 8);
  close_bench(&b);
}

/* ---- read ------------------------------------------------------------------------------------ */

/* OP-04 */
static void a_take_shows_the_first_flits_four_cycles_later(void **state) {
  (void)state;
  struct bench b;
  open_bench(&b, shape(4, 2, 8));
  put(&b, 1, 7, 3);
  cycles(&b, 6);
  take(&b, 1);
  cycles(&b, 4);
  assert_int_equal(b.out.rd_valid, 0);
  assert_int_equal(b.out.free_valid, 0);
  cycle(&b);
  assert_int_equal(b.out.rd_valid, 1);
  assert_int_equal(b.out.rd_vl, 1);
  assert_int_equal(b.out.rd_first, 1);
  assert_int_equal(b.out.rd_last, 0);
  assert_int_equal(b.out.rd_flits, 2);
  assert_int_equal(b.out.rd_data[0], flit(7, 0));
  assert_int_equal(b.out.rd_data[1], flit(7, 1));
  assert_int_equal(b.out.free_valid, 1); /* a cycle before the last flits show */
  assert_int_equal(b.out.free_vl, 1);
  assert_int_equal(b.out.total, 1);
  cycle(&b);
  assert_int_equal(b.out.rd_first, 0);
  assert_int_equal(b.out.rd_last, 1);
  assert_int_equal(b.out.rd_flits, 1);
  assert_int_equal(b.out.rd_lane, 2);
  assert_int_equal(b.out.rd_data[2], flit(7, 2));
  assert_int_equal(b.out.total, 0);
  cycle(&b);
  assert_int_equal(b.out.rd_valid | b.out.rd_flits | b.out.rd_data[2], 0);
  close_bench(&b);
}

static void a_word_shows_four_cycles_later_if_the_reader_waits(void **state) {
  (void)state;
  struct bench b;
  open_bench(&b, shape(4, 4, 8));
  announce(&b, 20);
  queue(&b, 0, 20, 0);
  cycles(&b, 4);
  take(&b, 0);
  cycles(&b, 6);
  for (uint32_t i = 0; i < 5 + 4; i++) { /* 5 words, one a cycle */
    if (i < 5)
      word(&b, 0, 3, 4 * i, 4, i == 4);
    cycle(&b);
    assert_int_equal(b.out.rd_valid, i >= 4);
    for (uint32_t l = 0; i >= 4 && l < 4; l++)
      assert_int_equal(b.out.rd_data[l], flit(3, 4 * (i - 4) + l));
    assert_int_equal(b.out.rd_last, i == 8);
  }
  close_bench(&b);
}

/* Sends `n` packets of one word on the VLs in turn, taken as fast as soon_o lets; gives the cycles
 * from the first word out to the last. */
static uint32_t train(struct bench *b, uint32_t n, uint32_t flits) {
  uint32_t shown = 0, first = 0;
  for (uint32_t i = 0; i < n; i++)
    put(b, i % 4, i, flits);
  cycles(b, 6);
  uint32_t turn = 0;
  while (shown < n) {
    struct loom_packet_store_out now;
    loom_packet_store_show(&b->s, &now);
    if (now.soon && now.head_valid >> turn % 4 & 1)
      take(b, turn++ % 4);
    cycle(b);
    if (!b->out.rd_valid)
      continue;
    if (b->out.rd_first)
      assert_int_equal(b->out.rd_data[0], flit(shown, 0));
    if (!shown && b->out.rd_first)
      first = b->now;
    shown += (uint32_t)b->out.rd_last;
  }
  return b->now - first + 1;
}

static void packets_follow_without_an_empty_cycle(void **state) {
  (void)state;
  for (uint32_t flits = 1; flits <= 4; flits++) {
    struct bench b;
    open_bench(&b, shape(4, 1, 16));
    assert_int_equal(train(&b, 24, flits), 24 * flits);
    close_bench(&b);
    open_bench(&b, shape(4, 4, 16));
    assert_int_equal(train(&b, 24, flits), 24);
    close_bench(&b);
  }
}

static void the_next_packet_is_booked_when_early_flits_are_left(void **state) {
  (void)state;
  struct bench b;
  open_bench(&b, shape(4, 1, 5));
  announce(&b, 8);
  queue(&b, 1, 8, 0);
  cycle(&b);
  word(&b, 1, 7, 0, 4, false);
  cycle(&b);
  word(&b, 1, 7, 4, 4, true);
  cycles(&b, 6);
  take(&b, 1);
  cycle(&b); /* c: active from c + 2 on, 8 flits owed from c + 2 on */
  for (uint32_t i = 1; i <= 10; i++) {
    cycle(&b);
    /* In c + i those before c + i - 2 are read, the first in c + 2: 5 are owed in c + 6. */
    assert_int_equal(b.out.soon, i < 3 || i >= 7);
  }
  close_bench(&b);
}

/* ---- everything ------------------------------------------------------------------------------ */

static void packet_store_refuses_parameters_out_of_range(void **state) {
  (void)state;
  struct loom_packet_store_cfg cfg = shape(4, 4, 8);
  assert_true(loom_packet_store_cfg_ok(&cfg));
  cfg.LANES = 3;
  assert_false(loom_packet_store_cfg_ok(&cfg));
  cfg = shape(2, 4, 8);
  assert_false(loom_packet_store_cfg_ok(&cfg));
  cfg = shape(4, 4, 8);
  cfg.MTU_UNITS = cfg.CELLS + 1;
  assert_false(loom_packet_store_cfg_ok(&cfg));
  cfg = shape(4, 4, 8);
  cfg.CELLS = 3;
  assert_string_equal(loom_packet_store_bad_param(&cfg), "CELLS");
}

/* Packets that are written a word a cycle while they are read leave in their order, each whole. */
static void what_goes_in_comes_out_once_and_in_order(void **state) {
  (void)state;
  struct bench b;
  open_bench(&b, shape(4, 3, 16));
  uint32_t sent = 0, place = 0, turn = 0, got = 0, out = 0;
  for (uint32_t c = 0; c < 20000; c++) {
    struct loom_packet_store_out now;
    uint32_t len = 1 + (uint32_t)(loom_scramble(sent) % 32);
    loom_packet_store_show(&b.s, &now);
    if (place == 0 && now.space && loom_scramble(c) % 3) {
      announce(&b, len);
      queue(&b, sent % 4, len, sent & 0xFFFFFF);
      place = 1;
    } else if (place) {
      uint32_t at = place - 1, n = loom_min(4, len - at);
      word(&b, sent % 4, sent, at, n, at + n == len);
      place += n;
      if (at + n == len) {
        place = 0;
        sent++;
      }
    }
    if (now.soon && now.head_valid >> turn % 4 & 1)
      take(&b, turn++ % 4);
    cycle(&b);
    for (uint32_t k = 0; k < b.out.rd_flits; k++, out++)
      assert_int_equal(b.out.rd_data[out % 4], flit(got, out));
    if (b.out.rd_last) {
      assert_int_equal(out, 1 + loom_scramble(got++) % 32);
      out = 0;
    }
  }
  assert_true(got > 1000 && sent - got < 32);
  close_bench(&b);
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(an_announcement_is_answered_two_cycles_later),
      cmocka_unit_test(what_does_not_fit_is_refused_and_counts_nothing),
      cmocka_unit_test(with_space_a_packet_of_the_mtu_is_never_refused),
      cmocka_unit_test(a_packet_in_an_empty_queue_is_in_view_three_cycles_later),
      cmocka_unit_test(the_next_packet_is_in_view_four_cycles_after_a_take),
      cmocka_unit_test(one_head_comes_into_view_a_cycle),
      cmocka_unit_test(a_take_shows_the_first_flits_four_cycles_later),
      cmocka_unit_test(a_word_shows_four_cycles_later_if_the_reader_waits),
      cmocka_unit_test(packets_follow_without_an_empty_cycle),
      cmocka_unit_test(the_next_packet_is_booked_when_early_flits_are_left),
      cmocka_unit_test(packet_store_refuses_parameters_out_of_range),
      cmocka_unit_test(what_goes_in_comes_out_once_and_in_order),
  };
  return UNIT_RUN("packet_store", tests, NULL, NULL);
}

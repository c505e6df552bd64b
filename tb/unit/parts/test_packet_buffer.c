/* SPDX-License-Identifier: Apache-2.0 */
/* test_packet_buffer.c - the twin of packet_buffer against what docs/parts.md says, without a
 * circuit
 *
 * Each rule of the page has a test of its own in which the cycles are counted out; then a model
 * made of plain queues runs beside the twin under random traffic.
 */
#include "tb/unit/unit.h"

#include <loom/random.h>
#include <stdlib.h>
#include <string.h>

#include "parts/credit_tracker.h"
#include "parts/packet_buffer.h"

enum { CELL = 8, BANKS = 4 };

/* ---- packet_buffer under a bench ------------------------------------------------------------- */

struct bench {
  struct loom_packet_buffer s;
  struct loom_packet_buffer_cfg cfg;
  struct loom_packet_buffer_in in; /* of the next cycle */
  struct loom_packet_buffer_out out;
  struct loom_packet_buffer_probe probe; /* registers in the cycle of `out` */
  void *storage;
};

static struct loom_packet_buffer_cfg shape(uint32_t lanes, uint32_t rd_flits, uint32_t early) {
  struct loom_packet_buffer_cfg cfg;
  loom_packet_buffer_defaults(&cfg);
  cfg.VLS = 4;
  cfg.CELLS = 32;
  cfg.LANES = lanes;
  cfg.RD_FLITS = rd_flits;
  cfg.RESERVED = 4;
  cfg.EARLY = early;
  return cfg;
}

static void open_bench(struct bench *b, struct loom_packet_buffer_cfg cfg) {
  memset(b, 0, sizeof *b);
  b->cfg = cfg;
  assert_null(loom_packet_buffer_bad_param(&cfg));
  assert_true(loom_packet_buffer_cfg_ok(&cfg));
  b->storage = malloc(loom_packet_buffer_storage_size(&cfg));
  assert_non_null(b->storage);
  memset(b->storage, 0xA5, loom_packet_buffer_storage_size(&cfg)); /* must not show */
  loom_packet_buffer_init(&b->s, &cfg, b->storage);
}

static void close_bench(struct bench *b) { free(b->storage); }

static void cycle(struct bench *b) {
  loom_packet_buffer_probe(&b->s, &b->probe);
  loom_packet_buffer_step(&b->s, &b->in, &b->out);
  b->in = (struct loom_packet_buffer_in){0};
}

static void cycles(struct bench *b, uint32_t n) {
  while (n--)
    cycle(b);
}

static void announce(struct bench *b, uint32_t vl, uint32_t len) {
  b->in.announce = 1;
  b->in.announce_vl = vl;
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

/* The lane in which the flit at this place stands; LANES is a power of two. */
static uint32_t lane_of(const struct bench *b, uint32_t place) {
  return place & (b->cfg.LANES - 1);
}

/* The flit at this place of this packet. */
static uint64_t flit(uint32_t vl, uint64_t packet, uint32_t place) {
  return loom_scramble((uint64_t)vl << 56 | packet << 16 | place) | 1;
}

/* A word of `n` flits from `place` on; the lanes without a flit carry something as well. */
static void word(struct bench *b, uint32_t vl, uint64_t packet, uint32_t place, uint32_t n) {
  b->in.wr_valid = 1;
  b->in.wr_vl = vl;
  b->in.wr_first = place == 0;
  b->in.wr_flits = n;
  for (uint32_t i = 0; i < b->cfg.LANES; i++)
    b->in.wr_data[i] = 0xDEAD0000ull + i;
  for (uint32_t i = 0; i < n; i++)
    b->in.wr_data[lane_of(b, place + i)] = flit(vl, packet, place + i);
}

/* Flits that a word may hold at most: from this place to the end of the cell and of the packet. */
static uint32_t widest(uint32_t flits, uint32_t place, uint32_t left) {
  return loom_min(flits, loom_min(left, CELL - place % CELL));
}

/* A packet put inside whole, a step after the other; it is queued in the last cycle. */
static void put(struct bench *b, uint32_t vl, uint64_t packet, uint32_t len) {
  announce(b, vl, len);
  cycle(b);
  assert_int_equal(b->out.announce_ok, 1);
  for (uint32_t place = 0, n; place < len; place += n) {
    n = widest(b->cfg.LANES, place, len - place);
    word(b, vl, packet, place, n);
    if (place + n == len)
      queue(b, vl, len, packet);
    cycle(b);
  }
}

static void expect_silence(const struct bench *b) {
  uint64_t seen = b->out.rd_valid | b->out.rd_vl | b->out.rd_first | b->out.rd_last |
                  b->out.rd_flits | b->out.rd_lane;
  for (uint32_t i = 0; i < BANKS; i++)
    seen |= b->out.rd_data[i];
  assert_true(seen == 0);
}

/* The word that is shown: `n` flits of this packet, the first of them at `place`, and 0 elsewhere.
 */
static void expect_word(const struct bench *b, uint32_t vl, uint64_t packet, uint32_t place,
                        uint32_t n, bool last) {
  assert_int_equal(b->out.rd_valid, 1);
  assert_int_equal(b->out.rd_vl, vl);
  assert_int_equal(b->out.rd_first, place == 0);
  assert_int_equal(b->out.rd_last, last);
  assert_int_equal(b->out.rd_flits, n);
  assert_int_equal(b->out.rd_lane, lane_of(b, place));
  uint64_t data[BANKS] = {0};
  for (uint32_t i = 0; i < n; i++)
    data[lane_of(b, place + i)] = flit(vl, packet, place + i);
  assert_memory_equal(b->out.rd_data, data, sizeof data);
}

static void expect_head(const struct bench *b, uint32_t vl, uint32_t len, uint64_t info) {
  assert_int_equal(b->out.head_valid >> vl & 1, len > 0);
  assert_int_equal(b->out.head_len[vl], len);
  assert_int_equal(b->out.head_info[vl], info);
}

/* ---- packet_buffer: announce, queue, take ---------------------------------------------------- */

/* OP-06, OP-08: an announced packet of n flits takes ceil(n / 8) units, from the next cycle on. */
static void an_announcement_reserves_whole_units(void **state) {
  (void)state;
  for (uint32_t len = 1; len <= 64; len++) {
    struct bench b;
    open_bench(&b, shape(4, 1, 8));
    uint32_t units = (len + 7) / 8;
    announce(&b, 2, len);
    cycle(&b);
    assert_int_equal(b.out.announce_ok, 1); /* in the same cycle */
    assert_int_equal(b.out.used[2], 0);
    assert_int_equal(b.out.avail[2], 32 - 3 * 4);
    cycle(&b);
    assert_int_equal(b.out.announce_ok, 0);
    assert_int_equal(b.out.used[2], units);
    assert_int_equal(b.out.avail[2], 20 - units);
    assert_int_equal(b.out.total, units);
    assert_int_equal(b.probe.total, units);
    assert_int_equal(b.out.head_valid, 0); /* nothing else happens */
    assert_int_equal(b.out.avail[0], 20 - (units > 4 ? units - 4 : 0));
    close_bench(&b);
  }
}

/* OP-06: what does not fit is refused and leaves no trace; a VL's reserve stays its own. */
static void a_refused_announcement_changes_nothing(void **state) {
  (void)state;
  struct bench b;
  open_bench(&b, shape(4, 1, 8));
  announce(&b, 0, 20 * 8 + 1);
  cycle(&b);
  assert_int_equal(b.out.announce_ok, 0);
  announce(&b, 0, 0); /* no packet has no flit */
  cycle(&b);
  assert_int_equal(b.out.announce_ok, 0);
  announce(&b, 0, 20 * 8);
  cycle(&b);
  assert_int_equal(b.out.announce_ok, 1);
  announce(&b, 0, 1);
  cycle(&b);
  assert_int_equal(b.out.announce_ok, 0);
  announce(&b, 1, 4 * 8 + 1);
  cycle(&b);
  assert_int_equal(b.out.announce_ok, 0);
  announce(&b, 1, 4 * 8);
  cycle(&b);
  assert_int_equal(b.out.announce_ok, 1);
  cycle(&b);
  assert_int_equal(b.out.total, 24);
  assert_int_equal(b.out.used[0], 20);
  assert_int_equal(b.out.used[1], 4);
  close_bench(&b);
}

/* OP-06: the tracker does not admit anything in a cycle in which it is written; written with units
 * in use it says error in the next cycle, and nothing else ever does. */
static void limits_are_set_while_the_buffer_is_empty(void **state) {
  (void)state;
  struct bench b;
  open_bench(&b, shape(4, 1, 8));
  announce(&b, 0, 8);
  b.in.cfg_we = 1, b.in.cfg_addr = 32, b.in.cfg_data = 3; /* cap of VL0 */
  cycle(&b);
  assert_int_equal(b.out.announce_ok, 0);
  announce(&b, 0, 4 * 8);
  cycle(&b);
  assert_int_equal(b.out.avail[0], 3);
  assert_int_equal(b.out.announce_ok, 0);
  announce(&b, 0, 3 * 8);
  cycle(&b);
  assert_int_equal(b.out.announce_ok, 1);
  b.in.cfg_we = 1, b.in.cfg_addr = 64, b.in.cfg_data = 16;
  cycle(&b);
  assert_int_equal(b.out.error, 0);
  cycle(&b);
  assert_int_equal(b.out.error, 1);
  assert_int_equal(b.out.avail[1], 20);
  cycle(&b);
  assert_int_equal(b.out.error, 0);
  close_bench(&b);
}

/* OP-02: a packet that joins an empty list in cycle c is in view in c + 1, whatever came of its
 * flits. */
static void a_queued_packet_is_in_view_in_the_next_cycle(void **state) {
  (void)state;
  struct bench b;
  open_bench(&b, shape(4, 1, 8));
  announce(&b, 1, 9);
  queue(&b, 1, 9, 0xABCDEF); /* both in one cycle */
  cycle(&b);
  assert_int_equal(b.out.head_valid, 0);
  announce(&b, 3, 95);
  cycle(&b);
  assert_int_equal(b.out.head_valid, 1 << 1);
  expect_head(&b, 1, 9, 0xABCDEF);
  announce(&b, 1, 8);
  queue(&b, 1, 8, 1); /* after it */
  cycle(&b);
  queue(&b, 3, 95, 0);
  cycle(&b);
  expect_head(&b, 1, 9, 0xABCDEF);
  expect_head(&b, 3, 0, 0);
  cycle(&b);
  expect_head(&b, 1, 9, 0xABCDEF);
  expect_head(&b, 3, 95, 0);
  expect_head(&b, 0, 0, 0);
  assert_int_equal(b.out.head_valid, 1 << 1 | 1 << 3);
  close_bench(&b);
}

/* OP-02: taken in c with more after: nothing in view in c + 1, the next packet in c + 2. */
static void the_next_packet_is_in_view_two_cycles_after_a_take(void **state) {
  (void)state;
  struct bench b;
  open_bench(&b, shape(4, 4, 0));
  for (uint32_t i = 0; i < 4; i++)
    put(&b, 1, 10 + i, 1);
  for (uint32_t i = 0; i < 3; i++) {
    take(&b, 1);
    cycle(&b);
    expect_head(&b, 1, 1, 10 + i);
    take(&b, 1); /* of nothing: ignored */
    cycle(&b);
    expect_word(&b, 1, 10 + i, 0, 1, true);
    expect_head(&b, 1, 0, 0);
  }
  cycle(&b);
  expect_silence(&b);
  expect_head(&b, 1, 1, 13);
  take(&b, 1);
  cycle(&b);
  cycle(&b);
  expect_word(&b, 1, 13, 0, 1, true);
  expect_head(&b, 1, 0, 0);
  cycles(&b, 3);
  expect_head(&b, 1, 0, 0);
  assert_int_equal(b.out.total, 0);
  close_bench(&b);
}

/* OP-02: one that joins while the only packet is taken is in view in the next cycle; one that joins
 * a cycle later is in view a cycle later; one that joins after a packet that moves up waits for
 * its turn. */
static void a_packet_that_joins_during_a_take_is_in_view_in_the_next_cycle(void **state) {
  (void)state;
  for (uint32_t late = 0; late < 2; late++) {
    struct bench b;
    open_bench(&b, shape(4, 4, 0));
    put(&b, 2, 1, 1);
    announce(&b, 2, 5);
    cycle(&b);
    take(&b, 2);
    if (late == 0)
      queue(&b, 2, 5, 77);
    cycle(&b);
    expect_head(&b, 2, 1, 1);
    if (late == 1)
      queue(&b, 2, 5, 77);
    cycle(&b);
    expect_head(&b, 2, late ? 0 : 5, late ? 0 : 77);
    cycle(&b);
    expect_head(&b, 2, 5, 77);
    close_bench(&b);
  }
}

/* OP-02. */
static void a_packet_that_joins_while_one_moves_up_waits_for_its_turn(void **state) {
  (void)state;
  for (uint32_t when = 0; when < 3; when++) {
    struct bench b;
    open_bench(&b, shape(4, 4, 8));
    put(&b, 0, 1, 1);
    put(&b, 0, 2, 1);
    announce(&b, 0, 6);
    cycle(&b);
    for (uint32_t c = 0; c < 5; c++) { /* cycle 0 takes packet 1, cycle 2 packet 2 */
      if (c == 0 || c == 2)
        take(&b, 0);
      if (c == when)
        queue(&b, 0, 6, 3);
      cycle(&b);
      if (c == 0)
        expect_head(&b, 0, 1, 1);
      else if (c == 2)
        expect_head(&b, 0, 1, 2);
      else if (c == 1 || (c == 3 && when != 2))
        expect_head(&b, 0, 0, 0);
      else
        expect_head(&b, 0, 6, 3);
    }
    close_bench(&b);
  }
}

/* ---- packet_buffer: read --------------------------------------------------------------------- */

/* OP-08: a take while nothing is read gives its first flits one cycle later, and says so at once if
 * they are all. */
static void a_take_reads_in_the_same_cycle(void **state) {
  (void)state;
  for (uint32_t len = 1; len <= 5; len++) {
    struct bench b;
    open_bench(&b, shape(4, 4, 0));
    put(&b, 0, 1, len);
    cycle(&b);
    expect_silence(&b);
    assert_int_equal(b.out.take_ready, 1);
    take(&b, 0);
    cycle(&b);
    expect_silence(&b);
    assert_int_equal(b.out.rd_done, len <= 4); /* combinational */
    assert_int_equal(b.out.rd_busy, 0);        /* from the state */
    cycle(&b);
    expect_word(&b, 0, 1, 0, loom_min(len, 4), len <= 4);
    assert_int_equal(b.out.rd_busy, len > 4);
    assert_int_equal(b.probe.active, len > 4);
    assert_int_equal(b.out.rd_done, len > 4);
    cycle(&b);
    if (len > 4)
      expect_word(&b, 0, 1, 4, len - 4, true);
    else
      expect_silence(&b);
    assert_int_equal(b.out.rd_busy | b.out.rd_done, 0);
    close_bench(&b);
  }
}

/* OP-04: a word ends where a cell ends, place p stands in lane p mod LANES. All LANES, RD_FLITS. */
static void words_never_cross_a_cell(void **state) {
  (void)state;
  for (uint32_t lanes = 1; lanes <= 4; lanes *= 2)
    for (uint32_t rd = 1; rd <= lanes; rd++)
      for (uint32_t len = 1; len <= 40; len++) {
        struct bench b;
        open_bench(&b, shape(lanes, rd, 0));
        put(&b, 3, len, len);
        cycle(&b);
        take(&b, 3);
        cycle(&b);
        for (uint32_t place = 0, n; place < len; place += n) {
          cycle(&b);
          n = widest(rd, place, len - place);
          expect_word(&b, 3, len, place, n, place + n == len);
          bool next_ends = place + n + widest(rd, place + n, len - place - n) == len;
          assert_int_equal(b.out.rd_done, place + n < len && next_ends);
        }
        cycle(&b);
        expect_silence(&b);
        close_bench(&b);
      }
}

/* OP-04: three flits a cycle move a cell in 3 cycles: 3 3 2. */
static void three_flits_a_cycle_move_a_cell_in_three_cycles(void **state) {
  (void)state;
  struct bench b;
  open_bench(&b, shape(4, 3, 0));
  put(&b, 0, 1, 20);
  cycle(&b);
  take(&b, 0);
  cycle(&b);
  static const uint32_t flits[] = {3, 3, 2, 3, 3, 2, 3, 1}, lane[] = {0, 3, 2, 0, 3, 2, 0, 3};
  for (uint32_t i = 0; i < 8; i++) {
    cycle(&b);
    assert_int_equal(b.out.rd_flits, flits[i]);
    assert_int_equal(b.out.rd_lane, lane[i]);
  }
  close_bench(&b);
}

/* OP-04: what arrives as one kind of words leaves as another: the lanes of a flit depend on its
 * place only. */
static void words_in_and_out_need_not_agree(void **state) {
  (void)state;
  static const uint32_t in[] = {1, 3, 4, 3, 3, 2,
                                2, 2, 1, 3, 4}; /* cells 1 3 4 | 3 3 2 | 2 2 1 3 */
  struct bench b;
  open_bench(&b, shape(4, 3, 0));
  announce(&b, 0, 28);
  queue(&b, 0, 28, 5);
  cycle(&b);
  for (uint32_t i = 0, place = 0; i < 11; place += in[i++]) {
    word(&b, 0, 5, place, in[i]);
    cycle(&b);
  }
  take(&b, 0);
  cycle(&b);
  for (uint32_t place = 0, n; place < 28; place += n) {
    cycle(&b);
    n = widest(3, place, 28 - place);
    expect_word(&b, 0, 5, place, n, place + n == 28);
  }
  close_bench(&b);
}

/* OP-08, virtual cut-through: the reader takes what was there before the edge, and waits. */
static void the_reader_waits_for_flits(void **state) {
  (void)state;
  struct bench b;
  open_bench(&b, shape(4, 4, 8));
  announce(&b, 1, 12);
  queue(&b, 1, 12, 9);
  cycle(&b);
  take(&b, 1);
  cycle(&b); /* cycle 0: the take */
  assert_int_equal(b.out.rd_done, 0);
  static const uint32_t arrives[] = {0, 1, 0, 2, 1, 3, 0, 1, 4}; /* flits written in cycle 1 + i */
  static const uint32_t shows[] = {0, 0, 0, 1, 0, 2, 1, 3, 0, 1, 4};
  uint32_t written = 0, shown = 0;
  for (uint32_t i = 0; i < 11; i++) {
    if (i < 9 && arrives[i])
      word(&b, 1, 9, written, arrives[i]);
    written += i < 9 ? arrives[i] : 0;
    cycle(&b);
    assert_int_equal(b.out.rd_busy, i < 10);
    if (!shows[i]) {
      expect_silence(&b);
      continue;
    }
    expect_word(&b, 1, 9, shown, shows[i], shown + shows[i] == 12);
    shown += shows[i];
  }
  assert_int_equal(shown, 12);
  close_bench(&b);
}

/* OP-08: a cell that ends in the middle of what is there: the word ends with it. */
static void a_word_ends_with_the_cell_in_the_middle_of_what_is_there(void **state) {
  (void)state;
  struct bench b;
  open_bench(&b, shape(4, 4, 8));
  put(&b, 0, 1, 2);
  put(&b, 0, 2, 7);
  cycle(&b);
  take(&b, 0);
  cycle(&b);
  cycle(&b);
  expect_word(&b, 0, 1, 0, 2, true);
  take(&b, 0);
  cycle(&b);
  cycle(&b);
  expect_word(&b, 0, 2, 0, 4, false);
  cycle(&b);
  expect_word(&b, 0, 2, 4, 3, true);
  close_bench(&b);
}

/* OP-13: take_ready = not pending and (not active or left <= EARLY); left is what is still to be
 * read. */
static void a_take_is_ready_from_early_on(void **state) {
  (void)state;
  for (uint32_t early = 0; early <= 12; early++) {
    struct bench b;
    open_bench(&b, shape(4, 1, early));
    put(&b, 0, 1, 10);
    put(&b, 1, 2, 1);
    put(&b, 1, 3, 1);
    cycle(&b);
    take(&b, 0);
    cycle(&b);
    bool pending = false;
    for (uint32_t left = 9; left > 0; left--) {
      take(&b, 1);
      cycle(&b);
      bool ready = !pending && left <= early;
      assert_int_equal(b.out.take_ready, ready);
      assert_int_equal(b.probe.pending, pending);
      pending = pending || (ready && left > 1);
    }
    cycle(&b);
    expect_word(&b, 0, 1, 9, 1, true);
    assert_int_equal(b.out.take_ready, 1);
    cycle(&b);
    if (early > 0)
      expect_word(&b, 1, 2, 0, 1, true);
    else
      expect_silence(&b);
    close_bench(&b);
  }
}

/* OP-13: with `pending` filled in time packets follow without a gap, also when the take comes in
 * the very cycle in which the last flits are read. */
static void packets_follow_without_a_gap(void **state) {
  (void)state;
  for (uint32_t rd = 1; rd <= 4; rd++)
    for (uint32_t len = 1; len <= 17; len++) {
      uint32_t words = 0;
      for (uint32_t place = 0; place < len; words++)
        place += widest(rd, place, len - place);
      for (uint32_t at = 1; at == 1 || at < words; at++) {
        struct bench b;
        open_bench(&b, shape(4, rd, 4095));
        put(&b, 0, 1, len);
        put(&b, 2, 2, 3);
        cycle(&b);
        for (uint32_t c = 0; c <= words + 1; c++) {
          if (c == 0 || c == at)
            take(&b, c == 0 ? 0 : 2);
          cycle(&b);
          assert_int_equal(b.out.rd_valid, c > 0);
          assert_int_equal(b.probe.pending, c > at && c < words);
          if (c == words)
            assert_int_equal(b.out.rd_last, 1);
        }
        expect_word(&b, 2, 2, 0, loom_min(rd, 3), rd >= 3);
        close_bench(&b);
      }
    }
}

/* OP-08: a unit is free when the last flit of its cell, or of the packet, is read: one pulse, one
 * unit less in use, both in the next cycle. */
static void a_unit_is_freed_when_its_last_flit_is_read(void **state) {
  (void)state;
  for (uint32_t len = 1; len <= 33; len++) {
    struct bench b;
    open_bench(&b, shape(4, 2, 0));
    put(&b, 3, 1, len);
    cycle(&b);
    uint32_t units = (len + 7) / 8;
    take(&b, 3);
    cycle(&b);
    for (uint32_t place = 0; place < len;) {
      assert_int_equal(b.out.free_valid, place > 0 && place % CELL == 0);
      assert_int_equal(b.out.free_vl, b.out.free_valid ? 3 : 0);
      assert_int_equal(b.out.used[3], units - place / CELL);
      assert_int_equal(b.out.total, units - place / CELL);
      assert_int_equal(b.out.avail[3], 20 - units + place / CELL);
      cycle(&b);
      place += widest(2, place, len - place);
    }
    assert_int_equal(b.out.rd_last, 1);
    assert_int_equal(b.out.free_valid, 1);
    assert_int_equal(b.out.total | b.out.used[3], 0);
    cycle(&b);
    assert_int_equal(b.out.free_valid | b.out.free_vl | b.out.error, 0);
    close_bench(&b);
  }
}

/* OP-06: the whole memory in use, again and again: each cell is given out, freed and given out
 * again. */
static void every_cell_is_used_again_and_again(void **state) {
  (void)state;
  struct loom_packet_buffer_cfg cfg = shape(4, 4, 0);
  cfg.RESERVED = 0;
  struct bench b;
  open_bench(&b, cfg);
  for (uint32_t round = 0; round < 5; round++) {
    for (uint32_t i = 0; i < 32; i++)
      put(&b, i % 4, round * 32 + i, 1 + (i + round) % 8);
    cycle(&b);
    assert_int_equal(b.out.total, 32);
    assert_int_equal(b.out.avail[0] | b.out.avail[1] | b.out.avail[2] | b.out.avail[3], 0);
    for (uint32_t i = 0; i < 32; i++) {
      uint32_t vl = (i * 3 + round) % 4, n = 4 * (i / 4) + vl, len = 1 + (n + round) % 8;
      cycles(&b, 2);
      take(&b, vl);
      cycle(&b);
      cycle(&b);
      expect_word(&b, vl, round * 32 + n, 0, loom_min(len, 4), len <= 4);
    }
    cycles(&b, 2);
    assert_int_equal(b.out.total, 0);
  }
  close_bench(&b);
}

/* OP-06. */
static void packet_buffer_refuses_parameters_out_of_range(void **state) {
  (void)state;
  struct loom_packet_buffer_cfg c;
  loom_packet_buffer_defaults(&c);
  assert_true(loom_packet_buffer_cfg_ok(&c));
  c.LANES = 3;
  assert_false(loom_packet_buffer_cfg_ok(&c));
  c.LANES = 2, c.RD_FLITS = 3;
  assert_false(loom_packet_buffer_cfg_ok(&c));
  c.RD_FLITS = 2;
  assert_true(loom_packet_buffer_cfg_ok(&c));
  c.RESERVED = 29; /* 9 * 29 = 261 */
  assert_false(loom_packet_buffer_cfg_ok(&c));
  c.CELLS = 261;
  assert_true(loom_packet_buffer_cfg_ok(&c));
  c.INFO_W = 49;
  assert_false(loom_packet_buffer_cfg_ok(&c));
  assert_string_equal(loom_packet_buffer_bad_param(&c), "INFO_W");
}

/* ---- packet_buffer against a model of queues ------------------------------------------------- */

enum { VLS = 32, RING = 512 };

struct packet {
  uint64_t info, number;
  uint32_t vl, len;
};

/* A VL of the model and of the traffic. Packets are numbered; [from, to) stand in a ring. */
struct model_vl {
  struct packet ring[RING];
  uint32_t announced, written, queued, taken; /* packets so far */
  uint32_t place;                             /* flits written of the packet that arrives */
  uint32_t count;                             /* flits inside */
  bool head, moving;                          /* in view; moves up at this edge */
};

struct model {
  struct loom_credit_tracker tracker;
  struct model_vl vl[VLS];
  struct packet active, pending;
  uint32_t place, left; /* of the active packet; left 0: none */
  bool pends, freed;
  uint32_t freed_vl;
  struct loom_packet_buffer_out rd; /* what rd_* show in this cycle */
};

static uint32_t waiting(const struct model_vl *v) { return v->queued - v->taken; }

static struct packet *head_of(struct model_vl *v) { return &v->ring[v->taken % RING]; }

static bool model_take_ready(const struct model *m, const struct bench *b) {
  return !m->pends && (m->left == 0 || m->left <= b->cfg.EARLY);
}

/* A word of n flits of the active packet, into the registers of the read side. */
static void model_shows(struct model *m, const struct bench *b, uint32_t n) {
  struct loom_packet_buffer_out *o = &m->rd;
  *o = (struct loom_packet_buffer_out){0};
  if (n == 0)
    return;
  o->rd_valid = 1;
  o->rd_vl = m->active.vl;
  o->rd_first = m->place == 0;
  o->rd_last = n == m->left;
  o->rd_flits = n;
  o->rd_lane = lane_of(b, m->place);
  for (uint32_t i = 0; i < n; i++)
    o->rd_data[lane_of(b, m->place + i)] = flit(m->active.vl, m->active.number, m->place + i);
}

/* The read side in this cycle: true if a packet ends. Says which unit is freed. */
static bool model_reads(struct model *m, const struct bench *b) {
  m->freed = false;
  uint32_t *count = &m->vl[m->active.vl].count;
  uint32_t n = m->left ? loom_min(widest(b->cfg.RD_FLITS, m->place, m->left), *count) : 0;
  model_shows(m, b, n);
  if (n == 0)
    return false;
  *count -= n;
  m->place += n;
  m->left -= n;
  m->freed = m->left == 0 || m->place % CELL == 0;
  m->freed_vl = m->active.vl;
  return m->left == 0;
}

static void model_starts(struct model *m, const struct packet *p) {
  m->active = *p;
  m->place = 0;
  m->left = p->len;
}

/* Take and read of one cycle. Gives rd_done. */
static bool model_take_and_read(struct model *m, const struct bench *b) {
  struct model_vl *v = &m->vl[b->in.take_vl];
  bool taken = b->in.take && v->head && model_take_ready(m, b);
  struct packet p = *head_of(v);
  bool was_active = m->left > 0;
  if (taken) {
    v->taken++;
    v->head = false;
  }
  if (taken && !was_active)
    model_starts(m, &p);
  bool done = model_reads(m, b);
  bool free_reader = m->left == 0;
  if (free_reader && m->pends) {
    model_starts(m, &m->pending);
    m->pends = false;
  } else if (free_reader && taken && was_active) {
    model_starts(m, &p);
  } else if (taken && was_active) {
    m->pending = p;
    m->pends = true;
  }
  return done;
}

/* The lists: what is in view in the next cycle. `took` VLs lost their head in this cycle. */
static void model_lists(struct model *m, const struct bench *b, uint32_t before) {
  for (uint32_t vl = 0; vl < b->cfg.VLS; vl++) {
    struct model_vl *v = &m->vl[vl];
    bool took = before >> vl & 1 && !v->head;
    bool empty = waiting(v) == 0;
    if (v->moving)
      v->head = true;
    v->moving = took && !empty;
    if (b->in.queue && b->in.queue_vl == vl) {
      v->ring[v->queued % RING].info = b->in.queue_info;
      v->queued++;
      v->head = v->head || empty;
    }
  }
}

static uint32_t model_heads(struct model *m, const struct bench *b,
                            struct loom_packet_buffer_out *o) {
  for (uint32_t vl = 0; vl < b->cfg.VLS; vl++)
    if (m->vl[vl].head) {
      o->head_valid |= 1u << vl;
      o->head_len[vl] = head_of(&m->vl[vl])->len;
      o->head_info[vl] = head_of(&m->vl[vl])->info;
    }
  return (uint32_t)o->head_valid;
}

/* One cycle of the model: what the twin must show. */
static void model_cycle(struct model *m, const struct bench *b, struct loom_packet_buffer_out *o) {
  *o = m->rd;
  uint32_t heads = model_heads(m, b, o);
  o->take_ready = model_take_ready(m, b);
  o->rd_busy = m->left > 0;
  o->free_valid = m->freed;
  o->free_vl = m->freed ? m->freed_vl : 0;
  o->rd_done = model_take_and_read(m, b);
  const struct loom_credit_tracker_in t = {.cfg_we = b->in.cfg_we,
                                           .cfg_addr = b->in.cfg_addr,
                                           .cfg_data = b->in.cfg_data,
                                           .consume_valid = b->in.announce,
                                           .consume_vl = b->in.announce_vl,
                                           .consume_size = (b->in.announce_len + 7) / 8,
                                           .return_valid = m->freed,
                                           .return_vl = m->freed ? m->freed_vl : 0};
  struct loom_credit_tracker_out seen;
  loom_credit_tracker_step(&m->tracker, &t, &seen);
  o->announce_ok = seen.consume_ok;
  o->error = seen.error;
  for (uint32_t vl = 0; vl < VLS; vl++) {
    o->used[vl] = seen.used[vl];
    o->avail[vl] = seen.avail[vl];
    o->total += seen.used[vl];
  }
  model_lists(m, b, heads);
  if (b->in.wr_valid)
    m->vl[b->in.wr_vl].count += (uint32_t)b->in.wr_flits;
}

static void model_new(struct model *m, const struct bench *b) {
  memset(m, 0, sizeof *m);
  const struct loom_credit_tracker_cfg c = {.VLS = b->cfg.VLS,
                                            .COUNT_W = loom_max(4, loom_clog2(b->cfg.CELLS + 1)),
                                            .SIZE_W = 10,
                                            .UNITS = b->cfg.CELLS,
                                            .MAX_UNITS = b->cfg.CELLS,
                                            .RESERVED = b->cfg.RESERVED};
  assert_true(loom_credit_tracker_cfg_ok(&c));
  loom_credit_tracker_init(&m->tracker, &c);
}

/* Traffic within the contract: in each VL packets are announced, written and queued in one order.
 */
struct traffic {
  uint64_t seed;
  uint32_t longest, announces, writes, queues, takes; /* percent of the cycles */
};

static void traffic_announces(struct traffic *t, struct model *m, struct bench *b) {
  uint32_t vl = loom_below(&t->seed, b->cfg.VLS);
  struct model_vl *v = &m->vl[vl];
  if (!loom_chance(&t->seed, t->announces) || v->announced - v->taken >= RING - 1)
    return;
  announce(b, vl,
           loom_chance(&t->seed, 2) ? loom_below(&t->seed, 4096)
                                    : 1 + loom_below(&t->seed, t->longest));
  uint32_t units = (uint32_t)(b->in.announce_len + 7) / 8;
  if (!b->in.cfg_we && units && units <= loom_credit_tracker_avail(&m->tracker, vl)) {
    v->ring[v->announced % RING] =
        (struct packet){.vl = vl, .len = (uint32_t)b->in.announce_len, .number = v->announced};
    v->announced++;
  }
}

static void traffic_queues(struct traffic *t, struct model *m, struct bench *b) {
  uint32_t vl = loom_below(&t->seed, b->cfg.VLS);
  struct model_vl *v = &m->vl[vl];
  if (!loom_chance(&t->seed, t->queues) || v->queued == v->announced)
    return;
  queue(b, vl, v->ring[v->queued % RING].len, loom_random(&t->seed) & loom_mask(b->cfg.INFO_W));
}

/* Words go to packets that were announced in an earlier cycle: this comes before the announcing. */
static void traffic_writes(struct traffic *t, struct model *m, struct bench *b) {
  uint32_t vl = loom_below(&t->seed, b->cfg.VLS);
  struct model_vl *v = &m->vl[vl];
  if (!loom_chance(&t->seed, t->writes) || v->written == v->announced)
    return;
  uint32_t left = v->ring[v->written % RING].len - v->place;
  uint32_t n = widest(1 + loom_below(&t->seed, b->cfg.LANES), v->place, left);
  word(b, vl, v->written, v->place, n);
  v->place += n;
  if (n == left) {
    v->place = 0;
    v->written++;
  }
}

static void traffic_configures(struct traffic *t, const struct model *m, struct bench *b) {
  if (!loom_chance(&t->seed, m->tracker.used_mask ? 1 : 30))
    return;
  uint32_t share = b->cfg.CELLS / b->cfg.VLS, what = loom_below(&t->seed, 4);
  b->in.cfg_we = 1;
  b->in.cfg_addr =
      what == 3 ? 64 + loom_below(&t->seed, 64) : loom_below(&t->seed, b->cfg.VLS) + what * 32;
  b->in.cfg_data = what == 0
                       ? loom_below(&t->seed, share + 1)
                       : b->cfg.CELLS - loom_below(&t->seed, loom_chance(&t->seed, 10) ? 4 : 1);
  if (what == 1) /* a cap */
    b->in.cfg_data = 1 + loom_below(&t->seed, b->cfg.CELLS);
}

static void traffic_cycle(struct traffic *t, struct model *m, struct bench *b) {
  traffic_writes(t, m, b);
  traffic_configures(t, m, b);
  traffic_announces(t, m, b);
  traffic_queues(t, m, b);
  if (loom_chance(&t->seed, t->takes))
    take(b, loom_below(&t->seed, b->cfg.VLS));
}

static void compare_cycle(struct model *m, struct bench *b) {
  struct loom_packet_buffer_out expected;
  uint32_t active = m->left > 0, pending = m->pends;
  model_cycle(m, b, &expected);
  cycle(b);
  assert_memory_equal(&b->out, &expected, sizeof expected);
  assert_int_equal(b->probe.active, active);
  assert_int_equal(b->probe.pending, pending);
  assert_int_equal(b->probe.total, expected.total);
}

static void play(struct loom_packet_buffer_cfg cfg, uint32_t longest, uint64_t seed) {
  struct bench b;
  struct model *m = malloc(sizeof *m);
  assert_non_null(m);
  open_bench(&b, cfg);
  model_new(m, &b);
  struct traffic t = {.seed = seed, .longest = longest};
  uint64_t flits = 0;
  for (uint32_t c = 0; c < 12000; c++) {
    if (c % 500 == 0) { /* another mood; every eighth time only reading, so that it runs empty */
      t.announces = c % 4000 < 3500 ? 10 + loom_below(&t.seed, 80) : 0;
      t.queues = 20 + loom_below(&t.seed, 80);
      t.writes = t.announces ? loom_below(&t.seed, 100) : 100;
      t.takes = t.announces ? loom_below(&t.seed, 100) : 90;
    }
    traffic_cycle(&t, m, &b);
    compare_cycle(m, &b);
    flits += b.out.rd_flits;
  }
  assert_true(flits > 500);
  close_bench(&b);
  free(m);
}

/* OP-06. */
static void packet_buffer_equals_plain_queues(void **state) {
  (void)state;
  uint64_t seed = 1;
  static const uint32_t vls[] = {1, 2, 4, 9, 32};
  for (uint32_t i = 0; i < 5; i++)
    for (uint32_t lanes = 1; lanes <= 4; lanes *= 2)
      for (uint32_t rd = 1; rd <= lanes; rd++) {
        struct loom_packet_buffer_cfg cfg = shape(lanes, rd, loom_below(&seed, 3) * 8);
        cfg.VLS = vls[i];
        cfg.CELLS = loom_max(4, vls[i] * (2 + loom_below(&seed, 6)) + loom_below(&seed, 10));
        cfg.RESERVED = loom_below(&seed, 3);
        cfg.INFO_W = 1 + loom_below(&seed, 48);
        play(cfg, 4 + loom_below(&seed, 60), loom_random(&seed));
      }
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(an_announcement_reserves_whole_units),
      cmocka_unit_test(a_refused_announcement_changes_nothing),
      cmocka_unit_test(limits_are_set_while_the_buffer_is_empty),
      cmocka_unit_test(a_queued_packet_is_in_view_in_the_next_cycle),
      cmocka_unit_test(the_next_packet_is_in_view_two_cycles_after_a_take),
      cmocka_unit_test(a_packet_that_joins_during_a_take_is_in_view_in_the_next_cycle),
      cmocka_unit_test(a_packet_that_joins_while_one_moves_up_waits_for_its_turn),
      cmocka_unit_test(a_take_reads_in_the_same_cycle),
      cmocka_unit_test(words_never_cross_a_cell),
      cmocka_unit_test(three_flits_a_cycle_move_a_cell_in_three_cycles),
      cmocka_unit_test(words_in_and_out_need_not_agree),
      cmocka_unit_test(the_reader_waits_for_flits),
      cmocka_unit_test(a_word_ends_with_the_cell_in_the_middle_of_what_is_there),
      cmocka_unit_test(a_take_is_ready_from_early_on),
      cmocka_unit_test(packets_follow_without_a_gap),
      cmocka_unit_test(a_unit_is_freed_when_its_last_flit_is_read),
      cmocka_unit_test(every_cell_is_used_again_and_again),
      cmocka_unit_test(packet_buffer_refuses_parameters_out_of_range),
      cmocka_unit_test(packet_buffer_equals_plain_queues),
  };
  return UNIT_RUN("packet_buffer", tests, NULL, NULL);
}

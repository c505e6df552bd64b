/* SPDX-License-Identifier: Apache-2.0 */
/* test_segment_buffer.c - the twin of segment_buffer against what docs/elite5.md says, without a
 * circuit
 *
 * The requirement of a test stands above it. Cycles are counted as on the page: a word
 * written in cycle w, a segment granted in g and taken in g + 1.
 */
#include "tb/unit/unit.h"

#include <stdlib.h>
#include <string.h>

#include "elite5/segment_buffer.h"

#include <loom/bits.h>
#include <loom/random.h>

enum { WORDS = 32, VCS_MAX = 32, SLOTS_MAX = 64 };

/* ---- bench ----------------------------------------------------------------------------------- */

struct bench {
  struct loom_segment_buffer_cfg cfg;
  struct loom_segment_buffer *s;
  void *storage;
  struct loom_segment_buffer_in in; /* of the next cycle */
  struct loom_segment_buffer_out out;
  struct loom_segment_buffer_probe probe;
  uint32_t cycle; /* the next one, from 0 */
};

/* Bytes that the list asks for, at least 8. */
static size_t listed_storage(const struct loom_segment_buffer_cfg *c) {
  size_t bytes = 8;
#define P(NAME) c->NAME
#define LOOM_STORAGE(size) bytes = (size);
#include <loom/def_rest.h>

#include "elite5/segment_buffer.def"
#include <loom/def_undef.h>
  (void)c;
  return bytes;
}

static void open_bench(struct bench *b, uint32_t vcs, uint32_t pool) {
  memset(b, 0, sizeof *b);
  b->cfg.VCS = vcs;
  b->cfg.POOL = pool;
  assert_true(loom_segment_buffer_cfg_ok(&b->cfg));
  b->s = malloc(sizeof *b->s);
  b->storage = malloc(listed_storage(&b->cfg));
  assert_non_null(b->s);
  assert_non_null(b->storage);
  memset(b->storage, 0xA5, listed_storage(&b->cfg)); /* must not show */
  loom_segment_buffer_init(b->s, &b->cfg
#define LOOM_STORAGE(size) , b->storage
#include <loom/def_rest.h>

#include "elite5/segment_buffer.def"
#include <loom/def_undef.h>
  );
}

static void close_bench(struct bench *b) {
  free(b->s);
  free(b->storage);
}

static void cycle(struct bench *b) {
  loom_segment_buffer_probe(b->s, &b->probe);
  loom_segment_buffer_step(b->s, &b->in, &b->out);
  memset(&b->in, 0, sizeof b->in);
  b->cycle++;
}

static void cycles(struct bench *b, uint32_t n) {
  while (n--)
    cycle(b);
}

/* Cycle c, run; nothing happens before. */
static void cycle_to(struct bench *b, uint32_t c) {
  assert_true(b->cycle <= c);
  cycles(b, c + 1 - b->cycle);
}

/* In the next cycle. */
static void put(struct bench *b, uint32_t vc, bool head, bool tail, uint64_t data) {
  b->in.wr_valid = 1;
  b->in.wr_vc = vc;
  b->in.wr_head = head;
  b->in.wr_tail = tail;
  b->in.wr_data = data;
}

static void take(struct bench *b, uint32_t vc, bool keep) {
  b->in.take = 1;
  b->in.take_vc = vc;
  b->in.take_keep = keep;
}

static uint64_t word(uint32_t tag, uint32_t i) { return loom_scramble((uint64_t)tag << 8 | i); }

/* A segment, a word a cycle; the last has the tail if asked. */
static void fill(struct bench *b, uint32_t vc, uint32_t tag, uint32_t words, bool tail) {
  for (uint32_t i = 0; i < words; i++) {
    put(b, vc, i == 0, tail && i + 1 == words, word(tag, i));
    cycle(b);
  }
}

/* The reader that a take in the next cycle gives the segment to. */
static uint32_t next_reader(const struct bench *b) { return b->cycle & 1; }

/* What reader r shows in the cycle just run: the word that it read in the one before. */
static void expect_word(const struct bench *b, uint32_t r, bool head, bool tail, uint64_t data) {
  assert_int_equal(b->out.rd_valid >> r & 1, 1);
  assert_int_equal(b->out.rd_head >> r & 1, head);
  assert_int_equal(b->out.rd_tail >> r & 1, tail);
  assert_true(b->out.rd_data[r] == data);
}

static void expect_no_word(const struct bench *b, uint32_t r) {
  assert_int_equal((b->out.rd_valid | b->out.rd_head | b->out.rd_tail) >> r & 1, 0);
  assert_true(b->out.rd_data[r] == 0);
}

/* What reader r does in the cycle just run. */
static void expect_reads(const struct bench *b, uint32_t r, uint32_t vc, bool now, bool done,
                         bool last) {
  assert_int_equal(b->out.rd_vc[r], vc);
  assert_int_equal(b->out.rd_now >> r & 1, now);
  assert_int_equal(b->out.rd_done >> r & 1, done);
  assert_int_equal(b->out.rd_last >> r & 1, last);
}

/* ---- one segment ----------------------------------------------------------------------------- */

/* E5-09. */
static void an_empty_buffer_accepts_and_shows_nothing(void **state) {
  (void)state;
  struct bench b;
  open_bench(&b, 5, 3);
  for (uint32_t c = 0; c < 6; c++) {
    cycle(&b);
    struct loom_segment_buffer_out idle = {.wr_ok = 31, .phase = c & 1, .rd_free = 1, .empty = 1};
    assert_memory_equal(&b.out, &idle, sizeof idle);
    assert_int_equal(b.probe.phase, c & 1);
    assert_int_equal(b.probe.active, 0);
    assert_int_equal(b.probe.used, 0);
  }
  close_bench(&b);
}

/* E5-08: a packet of one word, written in w: in view and granted in w + 1, taken and read in w + 2,
 * shown in w + 3; its slot is freed at the end of w + 2 and shows in w + 4. Whatever the phase. */
static void one_word_takes_its_steps_exactly(void **state) {
  (void)state;
  for (uint32_t w = 4; w < 6; w++) {
    struct bench b;
    open_bench(&b, 4, 2);
    cycles(&b, w);
    put(&b, 2, true, true, word(7, 0));
    cycle(&b); /* w */
    assert_int_equal(b.out.seg_valid, 0);
    assert_int_equal(b.out.empty, 1);
    cycle(&b); /* w + 1 */
    assert_int_equal(b.out.seg_valid, 1 << 2);
    assert_int_equal(b.out.rd_free, 1);
    assert_int_equal(b.out.empty, 0);
    assert_int_equal(b.probe.used, 1);
    uint32_t r = next_reader(&b);
    take(&b, 2, false);
    cycle(&b); /* w + 2 */
    expect_reads(&b, r, 2, true, true, true);
    expect_reads(&b, !r, 0, false, false, false);
    assert_int_equal(b.out.seg_valid, 0);
    assert_int_equal(b.probe.active, 0);
    expect_no_word(&b, r);
    cycle(&b); /* w + 3 */
    expect_word(&b, r, true, true, word(7, 0));
    expect_no_word(&b, !r);
    expect_reads(&b, r, 0, false, false, false);
    assert_int_equal(b.probe.active, 0);
    assert_int_equal(b.out.empty, 0);
    assert_int_equal(b.out.free_valid, 0);
    cycle(&b); /* w + 4 */
    assert_int_equal(b.out.free_valid, 1);
    assert_int_equal(b.out.free_vc, 2);
    assert_int_equal(b.out.empty, 1);
    assert_int_equal(b.probe.used, 0);
    expect_no_word(&b, r);
    cycle(&b);
    assert_int_equal(b.out.free_valid, 0);
    assert_int_equal(b.out.free_vc, 0);
    close_bench(&b);
  }
}

/* E5-08: a segment goes through while it arrives: every word is read two cycles after it is
 * written. */
static void a_segment_is_read_while_it_arrives(void **state) {
  (void)state;
  for (uint32_t w = 2; w < 4; w++) {
    struct bench b;
    open_bench(&b, 2, 0);
    cycles(&b, w);
    uint32_t r = (w + 2) & 1;
    for (uint32_t i = 0; i < WORDS + 3; i++) {
      if (i < WORDS)
        put(&b, 1, i == 0, false, word(1, i));
      if (i == 2)
        take(&b, 1, false);
      cycle(&b);
      bool reads = i >= 2 && i < WORDS + 2, done = i == WORDS + 1;
      expect_reads(&b, r, reads, reads, done, false);
      assert_int_equal(b.probe.active >> r & 1, i > 2 && reads);
      if (i >= 3)
        expect_word(&b, r, i == 3, false, word(1, i - 3));
      else
        expect_no_word(&b, r);
    }
    close_bench(&b);
  }
}

/* E5-04: ends: by a tail early, by a tail with the 32nd word, by the 32nd word alone. */
static void a_segment_ends_with_its_tail_or_its_32nd_word(void **state) {
  (void)state;
  static const uint32_t words[] = {1, 2, 31, 32, 32};
  for (uint32_t k = 0; k < 5; k++) {
    struct bench b;
    open_bench(&b, 2, 4);
    bool tail = k != 4;
    fill(&b, 1, 1, words[k], tail);
    fill(&b, 1, 2, 1, true);
    cycles(&b, 2);
    uint32_t r = next_reader(&b);
    take(&b, 1, false);
    for (uint32_t i = 0; i < words[k]; i++) {
      cycle(&b);
      bool end = i + 1 == words[k];
      expect_reads(&b, r, 1, true, end, end && tail);
      assert_int_equal(b.out.seg_valid, end ? 1 << 1 : 0); /* the second is after it */
    }
    cycle(&b);
    expect_word(&b, r, words[k] == 1, tail, word(1, words[k] - 1));
    close_bench(&b);
  }
}

/* E5-09: in phase f reader r reads word p only if p mod 2 = f xor r: a word that comes late by an
 * odd number of cycles costs one more. */
static void a_late_word_waits_for_its_phase(void **state) {
  (void)state;
  for (uint32_t late = 0; late < 9; late++) {
    struct bench b;
    open_bench(&b, 2, 0);
    put(&b, 0, true, false, word(3, 0));
    cycle(&b); /* 0 */
    cycle(&b); /* 1: granted */
    take(&b, 0, false);
    uint32_t wanted = 2 + late; /* cycle in which word 1 is written */
    for (uint32_t c = 2; c < 20; c++) {
      if (c == wanted)
        put(&b, 0, false, true, word(3, 1));
      cycle(&b);
      uint32_t at = wanted + 1 + (late & 1); /* read: an odd number of cycles after word 0 */
      bool reads = c == 2 || c == at;
      expect_reads(&b, 0, 0, reads, c == at, c == at);
      if (c == at + 1)
        expect_word(&b, 0, false, true, word(3, 1));
    }
    close_bench(&b);
  }
}

/* E5-08: the reader stops where there is nothing yet, and is not done although it has all that
 * came. */
static void a_reader_waits_for_the_end_of_its_segment(void **state) {
  (void)state;
  struct bench b;
  open_bench(&b, 2, 0);
  fill(&b, 1, 4, 5, false); /* cycles 0 .. 4 */
  cycle(&b);                /* 5 */
  take(&b, 1, false);       /* in 6, reader 0: words 0 .. 4 in 6 .. 10 */
  cycle_to(&b, 10);
  expect_reads(&b, 0, 1, true, false, false);
  for (uint32_t c = 11; c < 21; c++) {
    cycle(&b);
    expect_reads(&b, 0, 1, false, false, false);
    assert_int_equal(b.probe.active, 1);
    assert_int_equal(b.out.seg_valid, 0);
  }
  put(&b, 1, false, true, word(4, 5));
  cycle(&b); /* 21: word 5 is read in odd cycles */
  cycle(&b); /* 22 */
  expect_reads(&b, 0, 1, false, false, false);
  cycle(&b); /* 23 */
  expect_reads(&b, 0, 1, true, true, true);
  close_bench(&b);
}

/* E5-08: only the head says which VC a segment is of. */
static void only_the_head_says_the_vc_of_a_segment(void **state) {
  (void)state;
  struct bench b;
  open_bench(&b, 8, 8);
  put(&b, 5, true, false, word(1, 0));
  cycle(&b);
  put(&b, 2, false, false, word(1, 1));
  cycle(&b);
  put(&b, 31, false, true, word(1, 2));
  cycle(&b);
  cycle(&b);
  assert_int_equal(b.out.seg_valid, 1 << 5);
  assert_int_equal(b.out.wr_ok, 0xFF);
  uint32_t r = next_reader(&b);
  take(&b, 5, false);
  for (uint32_t i = 0; i < 3; i++) {
    cycle(&b);
    expect_reads(&b, r, 5, true, i == 2, i == 2);
  }
  close_bench(&b);
}

/* ---- two readers ----------------------------------------------------------------------------- */

/* E5-09: two segments taken one cycle apart: both readers read a word in every cycle. */
static void two_readers_read_a_word_in_every_cycle(void **state) {
  (void)state;
  for (uint32_t start = 0; start < 2; start++) {
    struct bench b;
    open_bench(&b, 4, 0);
    cycles(&b, start);
    fill(&b, 0, 10, WORDS, false);
    fill(&b, 3, 11, WORDS, true);
    cycle(&b);
    assert_int_equal(b.out.seg_valid, 9);
    uint32_t r = next_reader(&b);
    for (uint32_t i = 0; i < WORDS + 2; i++) {
      if (i == 0)
        take(&b, 0, false);
      if (i == 1)
        take(&b, 3, false);
      cycle(&b);
      bool first = i < WORDS, second = i >= 1 && i <= WORDS;
      expect_reads(&b, r, 0, first, i == WORDS - 1, false);
      expect_reads(&b, !r, second ? 3 : 0, second, i == WORDS, i == WORDS);
      if (i >= 1 && i <= WORDS)
        expect_word(&b, r, i == 1, false, word(10, i - 1));
      if (i >= 2)
        expect_word(&b, !r, i == 2, i == WORDS + 1, word(11, i - 2));
    }
    close_bench(&b);
  }
}

/* E5-09: rd_free of a cycle: the reader that a take in the next one would get is idle or done. */
static void rd_free_names_the_reader_that_a_take_would_get(void **state) {
  (void)state;
  struct bench b;
  open_bench(&b, 4, 0);
  fill(&b, 0, 1, 4, true);
  cycle(&b); /* 4 */
  cycle(&b); /* 5 */
  assert_int_equal(b.out.rd_free, 1);
  take(&b, 0, false); /* in 6: reader 0, words in 6 .. 9 */
  for (uint32_t c = 6; c < 14; c++) {
    cycle(&b);
    bool other = c % 2 == 0; /* not phase is reader 1, which is idle */
    assert_int_equal(b.out.rd_free, other || c >= 9);
  }
  close_bench(&b);
}

/* E5-09: segments of one VC follow without a gap on one reader: the next one is granted in the
 * cycle in which the first is done. */
static void segments_follow_without_a_gap(void **state) {
  (void)state;
  struct bench b;
  open_bench(&b, 2, 4);
  for (uint32_t s = 0; s < 3; s++)
    fill(&b, 1, s, WORDS, s == 2);
  cycle(&b);
  uint32_t r = next_reader(&b);
  for (uint32_t i = 0; i < 3 * WORDS; i++) {
    if (i % WORDS == 0)
      take(&b, 1, false);
    cycle(&b);
    bool done = i % WORDS == WORDS - 1, more = i < 2 * WORDS;
    expect_reads(&b, r, 1, true, done, i == 3 * WORDS - 1);
    assert_int_equal(b.out.seg_valid, done && more ? 1 << 1 : 0);
    if (done)
      assert_int_equal(b.out.rd_free, 1);
    if (i > 0)
      expect_word(&b, r, i % WORDS == 1, false, word((i - 1) / WORDS, (i - 1) % WORDS));
  }
  close_bench(&b);
}

/* ---- keep ------------------------------------------------------------------------------------ */

/* E5-31: a kept segment is read again from its first word, by either reader; its slot stays in
 * use. */
static void a_kept_segment_is_read_again_from_its_first_word(void **state) {
  (void)state;
  for (uint32_t gap = 0; gap < 3; gap++) {
    struct bench b;
    open_bench(&b, 2, 1);
    fill(&b, 1, 5, 3, true);
    cycle(&b);
    for (uint32_t copy = 0; copy < 4; copy++) {
      uint32_t r = next_reader(&b);
      take(&b, 1, copy < 3);
      for (uint32_t i = 0; i < 3; i++) {
        cycle(&b);
        expect_reads(&b, r, 1, true, i == 2, i == 2);
        assert_int_equal(b.out.seg_valid, i == 2 && copy < 3 ? 1 << 1 : 0);
        assert_int_equal(b.out.free_valid, 0);
        if (i > 0)
          expect_word(&b, r, i == 1, false, word(5, i - 1));
      }
      for (uint32_t i = 0; i < gap && copy < 3; i++) {
        cycle(&b);
        assert_int_equal(b.out.seg_valid, 1 << 1);
        assert_int_equal(b.probe.used, 1);
        assert_int_equal(b.out.free_valid, 0);
      }
    }
    cycle(&b);
    assert_int_equal(b.out.seg_valid, 0);
    cycle(&b);
    assert_int_equal(b.out.free_valid, 1);
    assert_int_equal(b.out.empty, 1);
    close_bench(&b);
  }
}

/* E5-31: a kept segment stays in front of the one after it. */
static void a_kept_segment_keeps_its_place_in_front(void **state) {
  (void)state;
  struct bench b;
  open_bench(&b, 2, 3);
  fill(&b, 0, 1, 2, true);
  fill(&b, 0, 2, 1, true);
  cycle(&b);
  static const struct {
    bool keep;
    uint32_t tag, words;
  } read[] = {{true, 1, 2}, {false, 1, 2}, {false, 2, 1}};
  for (uint32_t k = 0; k < 3; k++) {
    uint32_t r = next_reader(&b);
    take(&b, 0, read[k].keep);
    cycle(&b);
    if (read[k].words == 2) {
      cycle(&b);
      expect_word(&b, r, true, false, word(read[k].tag, 0));
    }
    cycle(&b);
    expect_word(&b, r, read[k].words == 1, true, word(read[k].tag, read[k].words - 1));
  }
  close_bench(&b);
}

/* ---- slots ----------------------------------------------------------------------------------- */

/* E5-08: two readers done in one cycle: the lower slot is released first, the other one cycle
 * later. */
static void of_two_slots_freed_in_one_cycle_the_lower_goes_first(void **state) {
  (void)state;
  for (uint32_t lower = 0; lower < 2; lower++) {
    struct bench b;
    open_bench(&b, 4, 0);
    /* Slot 0 is of VC 1, slot 1 of VC 3; the one with 6 words is taken first. */
    fill(&b, 1, 1, lower ? 6 : 5, true);
    fill(&b, 3, 2, lower ? 5 : 6, true);
    cycle(&b);
    take(&b, lower ? 1 : 3, false);
    cycle(&b);
    take(&b, lower ? 3 : 1, false);
    cycles(&b, 5);
    assert_int_equal(b.out.rd_done, 3);
    assert_int_equal(b.probe.used, 3);
    cycle(&b);
    assert_int_equal(b.out.free_valid, 0);
    assert_int_equal(b.probe.used, 3);
    cycle(&b);
    assert_int_equal(b.out.free_valid, 1);
    assert_int_equal(b.out.free_vc, 1);
    assert_int_equal(b.probe.used, 2);
    assert_int_equal(b.out.empty, 0);
    cycle(&b);
    assert_int_equal(b.out.free_valid, 1);
    assert_int_equal(b.out.free_vc, 3);
    assert_int_equal(b.probe.used, 0);
    assert_int_equal(b.out.empty, 1);
    cycle(&b);
    assert_int_equal(b.out.free_valid, 0);
    close_bench(&b);
  }
}

/* E5-08: a head takes the lowest slot that was not in use in its cycle: not one that is just
 * released. */
static void a_head_takes_the_lowest_slot_not_in_use(void **state) {
  (void)state;
  for (uint32_t late = 0; late < 2; late++) {
    struct bench b;
    open_bench(&b, 4, 1);
    for (uint32_t v = 0; v < 3; v++)
      fill(&b, v, v, 1, true); /* cycles 0 .. 2, slots 0 .. 2 */
    assert_int_equal(b.out.empty, 0);
    cycle(&b); /* 3 */
    assert_int_equal(b.probe.used, 7);
    take(&b, 1, false);
    cycle(&b); /* 4: read, freed at its end; released at the end of 5 */
    if (late)
      cycle(&b); /* 5 */
    put(&b, 3, true, true, word(9, 0));
    cycle(&b); /* 5, late 6 */
    cycle(&b);
    assert_int_equal(b.probe.used, late ? 7 : 13);
    close_bench(&b);
  }
}

/* E5-08: one slot for each VC, POOL for whoever needs more. */
static void each_vc_has_one_slot_and_the_pool_is_for_more(void **state) {
  (void)state;
  static const uint32_t pools[] = {0, 1, 3, 32};
  for (uint32_t k = 0; k < 4; k++)
    for (uint32_t greedy = 0; greedy < 4; greedy += 3) {
      struct bench b;
      open_bench(&b, 4, pools[k]);
      for (uint32_t n = 0; n < 1 + pools[k]; n++) {
        cycle(&b);
        assert_int_equal(b.out.wr_ok, 15);
        fill(&b, greedy, n, 1, true);
      }
      uint32_t room = 15 & ~(1u << greedy);
      for (uint32_t v = 0; v < 4; v++) {
        cycle(&b);
        assert_int_equal(b.out.wr_ok, room);
        if (v == greedy)
          continue;
        fill(&b, v, v, 1, true);
        assert_int_equal(b.out.wr_ok, room); /* in the cycle of the head still */
        room &= ~(1u << v);
      }
      cycle(&b);
      assert_int_equal(b.out.wr_ok, 0);
      assert_true(b.probe.used == loom_mask(4 + pools[k]));
      close_bench(&b);
    }
}

/* E5-08: room comes back with the release: it shows together with the pulse. */
static void room_comes_back_with_the_release(void **state) {
  (void)state;
  struct bench b;
  open_bench(&b, 2, 0);
  fill(&b, 0, 0, 1, true);
  fill(&b, 1, 1, 1, true);
  cycle(&b);
  assert_int_equal(b.out.wr_ok, 0);
  take(&b, 1, false);
  cycles(&b, 2);
  assert_int_equal(b.out.wr_ok, 0);
  cycle(&b);
  assert_int_equal(b.out.free_valid, 1);
  assert_int_equal(b.out.free_vc, 1);
  assert_int_equal(b.out.wr_ok, 2);
  close_bench(&b);
}

/* E5-08: a slot of the pool that comes back serves any VC. */
static void a_slot_of_the_pool_serves_any_vc(void **state) {
  (void)state;
  struct bench b;
  open_bench(&b, 3, 1);
  fill(&b, 0, 0, 1, true);
  fill(&b, 0, 1, 1, true);
  fill(&b, 1, 2, 1, true);
  cycle(&b);
  assert_int_equal(b.out.wr_ok, 1 << 2);
  take(&b, 0, false);
  cycles(&b, 3);
  assert_int_equal(b.out.wr_ok, 7);
  fill(&b, 1, 3, 1, true);
  cycle(&b);
  assert_int_equal(b.out.wr_ok, 1 << 2);
  close_bench(&b);
}

/* ---- what can be granted --------------------------------------------------------------------- */

/* E5-09: while a reader is at a VC its next segment is not in view before the reader is done; other
 * VCs are. Also in the cycle of the take itself. */
static void the_next_segment_of_a_vc_is_hidden_while_one_is_read(void **state) {
  (void)state;
  for (uint32_t behind = 0; behind < 2; behind++)
    for (uint32_t words = 1; words <= 4; words++) {
      struct bench b;
      open_bench(&b, 4, 4);
      fill(&b, 1, 1, words, true);
      fill(&b, 2, 2, 1, true);
      if (behind)
        fill(&b, 1, 3, 1, true);
      cycle(&b);
      assert_int_equal(b.out.seg_valid, 6);
      take(&b, 1, false);
      for (uint32_t i = 0; i < words; i++) {
        cycle(&b);
        assert_int_equal(b.out.seg_valid, behind && i + 1 == words ? 6 : 4);
      }
      cycle(&b);
      assert_int_equal(b.out.seg_valid, behind ? 6 : 4);
      close_bench(&b);
    }
}

/* E5-09: a head that is written in the cycle in which the reader is done does not count in it. */
static void a_head_counts_from_the_next_cycle_on(void **state) {
  (void)state;
  for (uint32_t early = 0; early < 2; early++) {
    struct bench b;
    open_bench(&b, 2, 2);
    fill(&b, 1, 1, 2, true);
    cycle(&b);
    take(&b, 1, false);
    if (early)
      put(&b, 1, true, true, word(2, 0));
    cycle(&b);
    if (!early)
      put(&b, 1, true, true, word(2, 0));
    cycle(&b);
    assert_int_equal(b.out.rd_done != 0, 1);
    assert_int_equal(b.out.seg_valid, early ? 2 : 0);
    cycle(&b);
    assert_int_equal(b.out.seg_valid, 2);
    close_bench(&b);
  }
}

/* ---- against a model ------------------------------------------------------------------------- */

struct slot {
  bool used, freed, ended, tail;
  uint32_t vc, count;
  uint64_t word[WORDS];
};

struct reader {
  bool active, keep;
  uint32_t vc, place;
};

/* The page, spelled out. */
struct model {
  uint32_t vcs, slots, phase, writing;
  struct slot slot[SLOTS_MAX];
  uint32_t queue[VCS_MAX][SLOTS_MAX], segs[VCS_MAX];
  struct reader reader[2];
  struct loom_segment_buffer_out reg; /* outputs that are registers */
};

static uint32_t model_wr_ok(const struct model *m) {
  uint32_t used[VCS_MAX] = {0}, shared = 0, ok = 0;
  for (uint32_t s = 0; s < m->slots; s++)
    if (m->slot[s].used && used[m->slot[s].vc]++)
      shared++;
  for (uint32_t v = 0; v < m->vcs; v++)
    if (!used[v] || shared < m->slots - m->vcs)
      ok |= 1u << v;
  return ok;
}

static uint64_t model_used(const struct model *m) {
  uint64_t used = 0;
  for (uint32_t s = 0; s < m->slots; s++)
    used |= (uint64_t)m->slot[s].used << s;
  return used;
}

static struct slot *slot_of(struct model *m, const struct reader *r) {
  return &m->slot[m->queue[r->vc][0]];
}

/* The combinational outputs of reader r, that is at a segment. */
static void model_look(struct model *m, uint32_t r, struct loom_segment_buffer_out *o) {
  const struct reader *reader = &m->reader[r];
  const struct slot *s = slot_of(m, reader);
  uint32_t p = reader->place;
  bool now = p % 2 == (m->phase ^ r) && p < s->count;
  bool done = now && (p == WORDS - 1 || (s->ended && p + 1 == s->count));
  o->rd_vc[r] = reader->vc;
  o->rd_now |= (uint64_t)now << r;
  o->rd_done |= (uint64_t)done << r;
  o->rd_last |= (uint64_t)(done && s->tail) << r;
  bool next = done && (reader->keep || m->segs[reader->vc] >= 2);
  o->seg_valid &= ~(1ull << reader->vc);
  o->seg_valid |= (uint64_t)next << reader->vc;
}

/* The edge of reader r. */
static void model_read(struct model *m, uint32_t r, const struct loom_segment_buffer_out *o) {
  struct reader *reader = &m->reader[r];
  if (!(o->rd_now >> r & 1))
    return;
  struct slot *s = slot_of(m, reader);
  bool done = o->rd_done >> r & 1;
  m->reg.rd_valid |= 1ull << r;
  m->reg.rd_head |= (uint64_t)(reader->place == 0) << r;
  m->reg.rd_tail |= o->rd_last & 1ull << r;
  m->reg.rd_data[r] = s->word[reader->place++];
  if (!done)
    return;
  reader->active = false;
  if (reader->keep)
    return;
  s->freed = true;
  m->segs[reader->vc]--;
  memmove(m->queue[reader->vc], m->queue[reader->vc] + 1,
          m->segs[reader->vc] * sizeof m->queue[0][0]);
}

static void model_release(struct model *m) {
  for (uint32_t s = 0; s < m->slots; s++)
    if (m->slot[s].freed) {
      m->slot[s].used = m->slot[s].freed = false;
      m->reg.free_valid = 1;
      m->reg.free_vc = m->slot[s].vc;
      return;
    }
}

static void model_write(struct model *m, const struct loom_segment_buffer_in *in) {
  if (!in->wr_valid)
    return;
  if (in->wr_head) {
    m->writing = loom_ctz(~model_used(m));
    uint32_t vc = (uint32_t)in->wr_vc;
    m->slot[m->writing] = (struct slot){.used = true, .vc = vc};
    m->queue[vc][m->segs[vc]++] = m->writing;
  }
  struct slot *s = &m->slot[m->writing];
  s->word[s->count++] = in->wr_data;
  s->ended = in->wr_tail || s->count == WORDS;
  s->tail = in->wr_tail;
}

/* A cycle: gives the outputs, then does the edge. */
static void model_cycle(struct model *m, const struct loom_segment_buffer_in *in,
                        struct loom_segment_buffer_out *o) {
  if (in->take)
    m->reader[m->phase] = (struct reader){true, in->take_keep, (uint32_t)in->take_vc, 0};
  *o = m->reg;
  memset(&m->reg, 0, sizeof m->reg);
  o->wr_ok = model_wr_ok(m);
  o->empty = model_used(m) == 0;
  o->phase = m->phase;
  for (uint32_t v = 0; v < m->vcs; v++)
    o->seg_valid |= (uint64_t)(m->segs[v] > 0) << v;
  for (uint32_t r = 0; r < 2; r++)
    if (m->reader[r].active)
      model_look(m, r, o);
  o->rd_free = !m->reader[!m->phase].active || o->rd_done >> !m->phase & 1;
  /* In this order: a head does not find the slot that is released now, and a slot that is freed now
   * is not released before the next cycle. */
  model_write(m, in);
  model_release(m);
  for (uint32_t r = 0; r < 2; r++)
    model_read(m, r, o);
  m->phase = !m->phase;
}

/* Traffic within the contract. */
struct traffic {
  uint64_t seed;
  bool open; /* a segment is being written */
  uint32_t vc, left, place;
  uint32_t write, take, keep, full; /* percent */
  uint64_t words, copies;           /* read so far; segments read with keep */
};

static void traffic_mood(struct traffic *t) {
  t->write = loom_below(&t->seed, 4) ? 20 + loom_below(&t->seed, 81) : 100;
  t->take = loom_below(&t->seed, 4) ? loom_below(&t->seed, 101) : 100;
  t->keep = loom_below(&t->seed, 60);
  t->full = loom_below(&t->seed, 101);
}

static void traffic_writes(struct traffic *t, uint32_t wr_ok, struct bench *b) {
  if (!loom_chance(&t->seed, t->write))
    return;
  bool head = !t->open;
  if (head) {
    t->vc = loom_below(&t->seed, (uint32_t)b->cfg.VCS);
    if (!(wr_ok >> t->vc & 1))
      return;
    t->left = loom_chance(&t->seed, t->full) ? WORDS : 1 + loom_below(&t->seed, WORDS);
    t->place = 0;
  }
  bool last = --t->left == 0, full = ++t->place == WORDS;
  bool tail = last && (!full || loom_chance(&t->seed, 50));
  put(b, head ? t->vc : loom_below(&t->seed, 32), head, tail, loom_random(&t->seed));
  t->open = !last;
}

/* By what the cycle just run offered. */
static void traffic_takes(struct traffic *t, struct bench *b) {
  if (!b->out.rd_free || !b->out.seg_valid || !loom_chance(&t->seed, t->take))
    return;
  bool keep = loom_chance(&t->seed, t->keep);
  take(b, loom_ctz_from(b->out.seg_valid, loom_below(&t->seed, VCS_MAX)), keep);
  t->copies += keep;
}

static void compare(struct model *m, struct bench *b) {
  struct loom_segment_buffer_out expected;
  uint64_t active = m->reader[0].active | (uint64_t)m->reader[1].active << 1;
  uint64_t phase = m->phase, used = model_used(m);
  model_cycle(m, &b->in, &expected);
  cycle(b);
  assert_memory_equal(&b->out, &expected, sizeof expected);
  assert_int_equal(b->probe.active, active);
  assert_int_equal(b->probe.phase, phase);
  assert_true(b->probe.used == used);
}

static void play(uint32_t vcs, uint32_t pool, uint64_t seed) {
  struct bench b;
  struct model *m = calloc(1, sizeof *m);
  assert_non_null(m);
  open_bench(&b, vcs, pool);
  m->vcs = vcs;
  m->slots = vcs + pool;
  struct traffic t = {.seed = seed};
  for (uint32_t c = 0; c < 8000; c++) {
    if (c % 500 == 0)
      traffic_mood(&t);
    traffic_writes(&t, model_wr_ok(m), &b);
    traffic_takes(&t, &b);
    compare(m, &b);
    t.words += loom_popcount(b.out.rd_now);
  }
  assert_true(t.words > 1000);
  assert_true(t.copies > 10);
  close_bench(&b);
  free(m);
}

/* E5-08: all outputs of all cycles, order and contents with them. */
static void random_traffic_equals_a_model_in_every_cycle(void **state) {
  (void)state;
  static const uint32_t vcs[] = {2, 3, 8, 31, 32}, pools[] = {0, 1, 6, 16, 32};
  uint64_t seed = 8;
  for (uint32_t i = 0; i < 5; i++)
    for (uint32_t k = 0; k < 5; k++)
      play(vcs[i], pools[k], loom_random(&seed));
}

/* E5-08. */
static void parameters_out_of_range_are_refused(void **state) {
  (void)state;
  struct loom_segment_buffer_cfg c;
  loom_segment_buffer_defaults(&c);
  assert_int_equal(c.VCS, 32);
  assert_int_equal(c.POOL, 16);
  assert_true(loom_segment_buffer_cfg_ok(&c));
  c.POOL = 33;
  assert_false(loom_segment_buffer_cfg_ok(&c));
  c.POOL = 0, c.VCS = 1;
  assert_false(loom_segment_buffer_cfg_ok(&c));
  c.VCS = 33;
  assert_false(loom_segment_buffer_cfg_ok(&c));
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(an_empty_buffer_accepts_and_shows_nothing),
      cmocka_unit_test(one_word_takes_its_steps_exactly),
      cmocka_unit_test(a_segment_is_read_while_it_arrives),
      cmocka_unit_test(a_segment_ends_with_its_tail_or_its_32nd_word),
      cmocka_unit_test(a_late_word_waits_for_its_phase),
      cmocka_unit_test(a_reader_waits_for_the_end_of_its_segment),
      cmocka_unit_test(only_the_head_says_the_vc_of_a_segment),
      cmocka_unit_test(two_readers_read_a_word_in_every_cycle),
      cmocka_unit_test(rd_free_names_the_reader_that_a_take_would_get),
      cmocka_unit_test(segments_follow_without_a_gap),
      cmocka_unit_test(a_kept_segment_is_read_again_from_its_first_word),
      cmocka_unit_test(a_kept_segment_keeps_its_place_in_front),
      cmocka_unit_test(of_two_slots_freed_in_one_cycle_the_lower_goes_first),
      cmocka_unit_test(a_head_takes_the_lowest_slot_not_in_use),
      cmocka_unit_test(each_vc_has_one_slot_and_the_pool_is_for_more),
      cmocka_unit_test(room_comes_back_with_the_release),
      cmocka_unit_test(a_slot_of_the_pool_serves_any_vc),
      cmocka_unit_test(the_next_segment_of_a_vc_is_hidden_while_one_is_read),
      cmocka_unit_test(a_head_counts_from_the_next_cycle_on),
      cmocka_unit_test(random_traffic_equals_a_model_in_every_cycle),
      cmocka_unit_test(parameters_out_of_range_are_refused),
  };
  return UNIT_RUN("segment_buffer", tests, NULL, NULL);
}

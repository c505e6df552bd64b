/* SPDX-License-Identifier: Apache-2.0 */
/* test_segment_store.c - the twin of segment_store against what docs/elite5.md says, without a
 * circuit
 *
 * The requirement of a test stands above it. Cycles are counted as on the page: a head in w, a take
 * in t, a reader that is done in y.
 */
#include "tb/unit/unit.h"

#include <stdlib.h>
#include <string.h>

#include "elite5/segment_store.h"

#include <loom/bits.h>
#include <loom/random.h>

enum { WORDS = 32 };

/* ---- bench ----------------------------------------------------------------------------------- */

struct bench {
  struct loom_segment_store_cfg cfg;
  struct loom_segment_store *s;
  struct loom_segment_store_in in; /* of the next cycle */
  struct loom_segment_store_out out;
  struct loom_segment_store_probe probe;
  uint32_t cycle; /* the next one, from 0 */
};

static void open_bench(struct bench *b, uint32_t vcs, uint32_t pool) {
  memset(b, 0, sizeof *b);
  b->cfg.VCS = vcs;
  b->cfg.POOL = pool;
  assert_true(loom_segment_store_cfg_ok(&b->cfg));
  b->s = malloc(sizeof *b->s);
  assert_non_null(b->s);
  memset(b->s, 0xA5, sizeof *b->s); /* must not show */
  loom_segment_store_init(b->s, &b->cfg);
}

static void close_bench(struct bench *b) { free(b->s); }

static void cycle(struct bench *b) {
  loom_segment_store_probe(b->s, &b->probe);
  loom_segment_store_step(b->s, &b->in, &b->out);
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

/* In the next cycle, whose number is returned. */
static uint32_t take(struct bench *b, uint32_t vc, bool keep) {
  assert_true(b->out.rd_free);
  b->in.take = 1;
  b->in.take_vc = vc;
  b->in.take_keep = keep;
  return b->cycle;
}

static uint64_t word(uint32_t tag, uint32_t i) { return loom_scramble((uint64_t)tag << 8 | i); }

/* A segment, a word a cycle; the last has the tail if asked. */
static void fill(struct bench *b, uint32_t vc, uint32_t tag, uint32_t words, bool tail) {
  for (uint32_t i = 0; i < words; i++) {
    put(b, vc, i == 0, tail && i + 1 == words, word(tag, i));
    cycle(b);
  }
}

/* Word i of a segment in the cycle just run, in the lane of its place. */
static void expect_word(const struct bench *b, uint32_t i, bool last, bool tail, uint64_t data) {
  uint32_t lane = i & 1;
  assert_int_equal(b->out.rd_valid >> lane & 1, 1);
  assert_int_equal(b->out.rd_head >> lane & 1, i == 0);
  assert_int_equal(b->out.rd_last >> lane & 1, last);
  assert_int_equal(b->out.rd_tail >> lane & 1, tail);
  assert_true(b->out.rd_data[lane] == data);
}

static void expect_no_word(const struct bench *b, uint32_t lane) {
  uint64_t any = b->out.rd_valid | b->out.rd_head | b->out.rd_last | b->out.rd_tail;
  assert_int_equal(any >> lane & 1, 0);
  assert_true(b->out.rd_data[lane] == 0);
}

/* The cycle in which a reader is done that took n words, all there, in t. */
static uint32_t done_at(uint32_t t, uint32_t n) { return t + (n < 3 ? 2 : (n - 1) / 2 * 2); }

/* ---- one segment ----------------------------------------------------------------------------- */

/* E5-09. */
static void an_empty_store_has_room_and_shows_nothing(void **state) {
  (void)state;
  for (uint32_t pool = 0; pool < 4; pool += 3) {
    struct bench b;
    open_bench(&b, 5, pool);
    for (uint32_t c = 0; c < 6; c++) {
      cycle(&b);
      struct loom_segment_store_out idle = {
          .own = 31, .spare = pool > 0, .phase = c & 1, .rd_free = 1, .empty = 1};
      assert_memory_equal(&b.out, &idle, sizeof idle);
      assert_int_equal(b.probe.phase, c & 1);
      assert_int_equal(b.probe.pool, 0);
    }
    close_bench(&b);
  }
}

/* E5-08: a packet of one word: in view in w + 2, taken in t = w + 2, shown in t + 2; the reader is
 * done in t + 2. Whatever the phase. */
static void one_word_takes_its_steps_exactly(void **state) {
  (void)state;
  for (uint32_t w = 4; w < 6; w++) {
    struct bench b;
    open_bench(&b, 4, 2);
    cycles(&b, w);
    put(&b, 2, true, true, word(7, 0));
    cycle(&b); /* w */
    assert_int_equal(b.out.own, 15);
    assert_int_equal(b.out.empty, 1);
    cycle(&b); /* w + 1 */
    assert_int_equal(b.out.own, 11);
    assert_int_equal(b.out.empty, 0);
    assert_int_equal(b.out.head_valid | b.out.head_event, 0);
    take(&b, 2, false);
    cycle(&b); /* w + 2 */
    assert_int_equal(b.out.head_valid, 1 << 2);
    assert_int_equal(b.out.head_event, 1);
    assert_int_equal(b.out.head_vc, 2);
    cycle(&b); /* t + 1 */
    assert_int_equal(b.out.head_valid | b.out.head_event | b.out.head_vc, 0);
    assert_int_equal(b.out.rd_free, 0);
    expect_no_word(&b, 0);
    cycle(&b); /* t + 2 */
    assert_int_equal(b.out.rd_free, 1);
    expect_word(&b, 0, true, true, word(7, 0));
    expect_no_word(&b, 1);
    assert_int_equal(b.out.done, 0);
    cycle(&b); /* t + 3 */
    assert_int_equal(b.out.done, 1);
    assert_int_equal(b.out.done_vc, 2);
    assert_int_equal(b.out.done_tail, 1);
    assert_int_equal(b.out.rd_free, 1);
    assert_int_equal(b.out.free_valid, 0);
    expect_no_word(&b, 0);
    cycle(&b); /* t + 4 */
    assert_int_equal(b.out.done | b.out.done_vc | b.out.done_tail, 0);
    assert_int_equal(b.out.free_valid, 1);
    assert_int_equal(b.out.free_vc, 2);
    assert_int_equal(b.out.own, 15);
    assert_int_equal(b.out.empty, 0);
    cycle(&b); /* t + 5 */
    assert_int_equal(b.out.free_valid | b.out.free_vc, 0);
    assert_int_equal(b.out.empty, 1);
    close_bench(&b);
  }
}

/* E5-08: a segment goes through while it arrives: every word shows four cycles after it came. */
static void a_segment_is_read_while_it_arrives(void **state) {
  (void)state;
  for (uint32_t w = 2; w < 4; w++) {
    struct bench b;
    open_bench(&b, 2, 0);
    cycles(&b, w);
    for (uint32_t i = 0; i < WORDS + 5; i++) {
      if (i < WORDS)
        put(&b, 1, i == 0, false, word(1, i));
      if (i == 2)
        take(&b, 1, false);
      cycle(&b);
      if (i >= 4 && i < WORDS + 4)
        expect_word(&b, i - 4, i == WORDS + 3, false, word(1, i - 4));
      else
        expect_no_word(&b, i & 1);
      expect_no_word(&b, ~i & 1);
      assert_int_equal(b.out.done, i == WORDS + 1); /* its end is known from WORDS on */
      assert_int_equal(b.out.free_valid, i == WORDS + 2);
    }
    close_bench(&b);
  }
}

/* E5-04: ends: by a tail early, by a tail with the 32nd word, by the 32nd word alone. */
static void a_segment_ends_with_its_tail_or_its_32nd_word(void **state) {
  (void)state;
  static const uint32_t words[] = {1, 2, 3, 4, 5, 30, 31, 32, 32};
  for (uint32_t k = 0; k < 9; k++) {
    struct bench b;
    open_bench(&b, 2, 4);
    bool tail = k != 8;
    uint32_t n = words[k];
    fill(&b, 1, 1, n, tail);
    fill(&b, 1, 2, 1, true);
    cycles(&b, 2);
    uint32_t t = take(&b, 1, false), y = done_at(t, n);
    while (b.cycle < y + 4) {
      uint32_t c = b.cycle;
      cycle(&b);
      if (c >= t + 2 && c < t + 2 + n)
        expect_word(&b, c - t - 2, c == t + 1 + n, tail && c == t + 1 + n, word(1, c - t - 2));
      else
        assert_int_equal(b.out.rd_valid, 0);
      assert_int_equal(b.out.done, c == y + 1);
      assert_int_equal(b.out.done_tail, tail && c == y + 1);
      assert_int_equal(b.out.free_valid, c == y + 2);
      assert_int_equal(b.out.head_event, c == y + 2); /* the second one */
    }
    close_bench(&b);
  }
}

/* E5-09: a reader is at a memory in every other cycle: a word that comes late by an odd number of
 * cycles costs one more. */
static void a_late_word_waits_for_its_memory(void **state) {
  (void)state;
  for (uint32_t wanted = 3; wanted < 12; wanted++) {
    struct bench b;
    open_bench(&b, 2, 0);
    put(&b, 0, true, false, word(3, 0));
    cycles(&b, 2);
    assert_int_equal(take(&b, 0, false), 2);
    uint32_t shows = ((wanted + 1) | 1) + 2; /* it is read in an odd cycle */
    for (uint32_t c = 2; c < 20; c++) {
      if (c == wanted)
        put(&b, 0, false, true, word(3, 1));
      cycle(&b);
      if (c == shows)
        expect_word(&b, 1, true, true, word(3, 1));
      else
        expect_no_word(&b, 1);
      /* Known after it came, at the even memory, where the word is as good as read. */
      assert_int_equal(b.out.done, c == ((wanted + 2) & ~1u) + 1);
    }
    close_bench(&b);
  }
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
  assert_int_equal(b.out.head_valid, 1 << 5);
  assert_int_equal(b.out.own, 0xFF & ~(1 << 5));
  take(&b, 5, false);
  cycles(&b, 4);
  expect_word(&b, 1, false, false, word(1, 1));
  cycle(&b);
  expect_word(&b, 2, true, true, word(1, 2));
  assert_int_equal(b.out.done_vc, 0);
  close_bench(&b);
}

/* ---- two readers ----------------------------------------------------------------------------- */

/* E5-09: two segments taken one cycle apart: a word in each lane in every cycle. */
static void two_readers_read_a_word_in_every_cycle(void **state) {
  (void)state;
  struct bench b;
  open_bench(&b, 2, 0);
  fill(&b, 0, 1, WORDS, true);
  fill(&b, 1, 2, WORDS, true);
  cycles(&b, 2);
  uint32_t t = take(&b, 0, false);
  cycle(&b);
  take(&b, 1, false);
  cycles(&b, 2);
  expect_word(&b, 0, false, false, word(1, 0));
  for (uint32_t i = 1; i < WORDS; i++) {
    cycle(&b);
    bool last = i + 1 == WORDS;
    expect_word(&b, i, last, last, word(1, i));
    expect_word(&b, i - 1, false, false, word(2, i - 1));
    if (b.cycle - 1 < t + WORDS - 1)
      assert_int_equal(b.out.rd_free, 0);
  }
  close_bench(&b);
}

/* E5-09: a reader takes segments of any one length as often as the page's table says. */
static void a_reader_is_free_again_in_time(void **state) {
  (void)state;
  for (uint32_t n = 1; n <= WORDS; n++) {
    struct bench b;
    open_bench(&b, 4, 0);
    for (uint32_t v = 0; v < 4; v++)
      fill(&b, v, v, n, true);
    cycles(&b, 3 + (b.cycle & 1));
    uint32_t t = take(&b, 0, false), gap = n < 5 ? 4 : (n + 1) / 2 * 2, given = 1;
    while (b.cycle < t + 2 * gap + 1) {
      uint32_t c = b.cycle;
      cycle(&b);
      bool mine = (c - t) % 2 == 1; /* rd_free speaks of the same reader */
      if (mine)
        assert_int_equal(b.out.rd_free, c + 1 == t + given * gap);
      if (mine && b.out.rd_free)
        take(&b, given++, false);
    }
    assert_int_equal(given, 3);
    close_bench(&b);
  }
}

/* ---- queues ---------------------------------------------------------------------------------- */

/* E5-29: what is kept comes into view again and is read from its first word on; its slot stays. */
static void a_kept_segment_is_read_again_in_front_of_the_others(void **state) {
  (void)state;
  struct bench b;
  open_bench(&b, 2, 2);
  fill(&b, 0, 1, 3, false);
  put(&b, 0, false, true, word(1, 3));
  cycle(&b);
  fill(&b, 0, 2, 1, true);
  cycles(&b, 2);
  for (uint32_t k = 0; k < 3; k++) {
    uint32_t t = take(&b, 0, k < 2), y = done_at(t, 4);
    for (uint32_t i = 0; i < 4; i++) {
      cycle_to(&b, t + 2 + i);
      expect_word(&b, i, i == 3, i == 3, word(1, i));
    }
    assert_int_equal(b.cycle - 1, y + 3);
    assert_int_equal(b.out.head_valid, 1);
    assert_int_equal(b.probe.pool, k < 2); /* two slots, one of the pool */
  }
  uint32_t t = take(&b, 0, false);
  cycle_to(&b, t + 2);
  expect_word(&b, 0, true, true, word(2, 0));
  close_bench(&b);
}

/* E5-09: if a segment joins an empty queue as another is brought, it comes into view first. */
static void who_joins_comes_into_view_before_who_is_brought(void **state) {
  (void)state;
  struct bench b;
  open_bench(&b, 3, 1);
  fill(&b, 0, 1, 1, true);
  fill(&b, 0, 2, 1, true);
  cycles(&b, 2);
  uint32_t t = take(&b, 0, false), y = done_at(t, 1);
  cycle_to(&b, y - 1);
  fill(&b, 1, 3, 1, true); /* y: joins in y + 1 */
  fill(&b, 2, 4, 1, true);
  cycle(&b); /* y + 2 */
  assert_int_equal(b.out.head_event, 1);
  assert_int_equal(b.out.head_vc, 1);
  cycle(&b);
  assert_int_equal(b.out.head_event, 1);
  assert_int_equal(b.out.head_vc, 2);
  cycle(&b);
  assert_int_equal(b.out.head_event, 1);
  assert_int_equal(b.out.head_vc, 0);
  assert_int_equal(b.out.head_valid, 7);
  cycle(&b);
  assert_int_equal(b.out.head_event, 0);
  close_bench(&b);
}

/* E5-09: a head that comes about when the only segment leaves: none is lost, and slots count. */
static void a_head_may_come_while_the_queue_runs_empty(void **state) {
  (void)state;
  for (uint32_t late = 1; late < 7; late++) {
    struct bench b;
    open_bench(&b, 2, 1);
    fill(&b, 1, 1, 1, true);
    cycles(&b, 2);
    uint32_t t = take(&b, 1, false), y = done_at(t, 1), w = y - 2 + late;
    cycle_to(&b, w - 1);
    fill(&b, 1, 2, 1, true);
    uint32_t view = w + 2 > y + 2 ? w + 2 : y + 2, seen = 0;
    while (b.cycle < view + 3) {
      uint32_t c = b.cycle;
      cycle(&b);
      assert_int_equal(b.out.head_event, c == view);
      seen += (uint32_t)b.out.head_event;
      assert_int_equal(b.out.free_valid, c == y + 2);
      assert_int_equal(b.probe.pool, c > w && c < y + 2);
    }
    assert_int_equal(seen, 1);
    t = take(&b, 1, false);
    cycle_to(&b, t + 2);
    expect_word(&b, 0, true, true, word(2, 0));
    close_bench(&b);
  }
}

/* ---- room ------------------------------------------------------------------------------------ */

/* E5-08: one VC holds 1 + POOL segments, then each other VC holds one. */
static void each_vc_has_one_slot_and_the_pool_is_for_more(void **state) {
  (void)state;
  static const uint32_t size[][2] = {{2, 0}, {2, 1}, {5, 3}, {32, 16}, {32, 32}};
  for (uint32_t k = 0; k < 5; k++) {
    struct bench b;
    uint32_t vcs = size[k][0], pool = size[k][1];
    open_bench(&b, vcs, pool);
    cycle(&b);
    for (uint32_t i = 0; i <= pool; i++) {
      assert_true(i == 0 ? b.out.own & 1 : b.out.spare);
      put(&b, 0, true, true, word(0, i));
      cycles(&b, 2);
      assert_int_equal(b.probe.pool, i);
    }
    for (uint32_t v = 1; v < vcs; v++) {
      assert_int_equal(b.out.spare, 0);
      assert_int_equal(b.out.own, loom_mask(vcs) & ~loom_mask(v));
      put(&b, v, true, true, word(v, 0));
      cycles(&b, 2);
    }
    assert_int_equal(b.out.own | b.out.spare, 0);
    cycle(&b);
    assert_int_equal(b.out.head_valid, loom_mask(vcs));
    close_bench(&b);
  }
}

/* E5-09: slots go round for long, while the store is full again and again; all words stay right. */
static void slots_go_round(void **state) {
  (void)state;
  struct bench b;
  open_bench(&b, 3, 2);
  uint32_t begun[3] = {0}, read[3] = {0}, full = 0, shown = 0;
  uint64_t must[2] = {0}; /* shows after two cycles */
  cycle(&b);
  for (uint32_t k = 0; k < 4000; k++) {
    uint32_t v = k / 2 % 3, u = k / 5 % 3;
    bool room = b.out.spare || b.out.own >> v & 1;
    full += !room;
    if (k % 2 == 0 && room) /* own and spare do not yet speak of a head of the last cycle */
      put(&b, v, true, true, word(v, begun[v]++));
    uint64_t now = must[k & 1];
    must[k & 1] = 0;
    if (k / 200 % 2 && k % 5 == 4 && b.out.rd_free && b.out.head_valid >> u & 1) {
      take(&b, u, false);
      must[k & 1] = word(u, read[u]++);
    }
    cycle(&b);
    assert_true(b.out.rd_data[0] == now);
    shown += now != 0;
  }
  assert_true(full > 500);
  assert_true(shown > 200);
  close_bench(&b);
}

/* E5-08. */
static void room_comes_back_with_the_pulse_of_the_release(void **state) {
  (void)state;
  struct bench b;
  open_bench(&b, 2, 0);
  fill(&b, 1, 1, 5, true);
  cycles(&b, 2);
  uint32_t t = take(&b, 1, false), y = done_at(t, 5);
  while (b.cycle < y + 4) {
    uint32_t c = b.cycle;
    if (c == y + 2)
      put(&b, 1, true, true, word(2, 0));
    cycle(&b);
    assert_int_equal(b.out.free_valid, c == y + 2);
    assert_int_equal(b.out.own, c == y + 2 ? 3 : 1);
    assert_int_equal(b.out.empty, 0);
  }
  close_bench(&b);
}

static void parameters_out_of_range_are_refused(void **state) {
  (void)state;
  struct loom_segment_store_cfg c;
  loom_segment_store_defaults(&c);
  assert_int_equal(c.VCS, 32);
  assert_int_equal(c.POOL, 16);
  assert_true(loom_segment_store_cfg_ok(&c));
  c.POOL = 33;
  assert_false(loom_segment_store_cfg_ok(&c));
  c.POOL = 0, c.VCS = 1;
  assert_false(loom_segment_store_cfg_ok(&c));
  c.VCS = 33;
  assert_false(loom_segment_store_cfg_ok(&c));
}

/* ---- what is said ahead ---------------------------------------------------------------------- */

/* docs/elite5.md: a reader has at most 8 words left at the even memory, and is not done; the bit
 * stays while it is at the odd one. Segments that are whole, each with the other reader idle. */
static void a_reader_says_that_it_ends_soon(void **state) {
  (void)state;
  for (uint32_t n = 1; n <= WORDS; n++) {
    struct bench b;
    open_bench(&b, 2, 0);
    fill(&b, 0, 1, n, true);
    cycles(&b, 3 + (b.cycle & 1));
    uint32_t t = take(&b, 0, false), y = done_at(t, n), reader = !b.out.phase;
    assert_int_equal(b.out.soon, 0);
    while (b.cycle < y + 4) {
      uint32_t c = b.cycle, even = t + ((c - 1 - t) & ~1u); /* when it was looked at */
      cycle(&b);
      bool soon = c > t && even > t && even < y && n - (even - t) <= 8;
      assert_int_equal(b.out.soon, soon ? 1u << reader : 0);
    }
    close_bench(&b);
  }
}

/* The same of a segment that comes a word a cycle: from word 24 on. */
static void a_reader_of_an_open_segment_says_so_from_word_24_on(void **state) {
  (void)state;
  struct bench b;
  open_bench(&b, 2, 0);
  uint32_t t = 0, reader = 0;
  for (uint32_t i = 0; i < WORDS + 5; i++) {
    if (i < WORDS)
      put(&b, 1, i == 0, false, word(1, i));
    if (i == 2) {
      t = take(&b, 1, false);
      reader = !b.out.phase;
    }
    uint32_t c = b.cycle;
    cycle(&b);
    uint32_t looked = t + 24; /* it is at word 24 then */
    assert_int_equal(b.out.soon, i > 2 && c > looked && c < t + 31 ? 1u << reader : 0);
  }
  close_bench(&b);
}

/* docs/elite5.md: in the cycle in which the reader is done with an odd length from 5 on.
 */
static void a_segment_of_odd_length_ends_a_cycle_early(void **state) {
  (void)state;
  for (uint32_t n = 1; n <= WORDS; n++) {
    struct bench b;
    open_bench(&b, 2, 0);
    fill(&b, 0, 1, n, true);
    cycles(&b, 3);
    uint32_t t = take(&b, 0, false), y = done_at(t, n);
    while (b.cycle < y + 3) {
      uint32_t c = b.cycle;
      cycle(&b);
      assert_int_equal(b.out.early, c == y && n % 2 && n >= 5);
      assert_int_equal(b.out.done, c == y + 1);
    }
    close_bench(&b);
  }
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(an_empty_store_has_room_and_shows_nothing),
      cmocka_unit_test(one_word_takes_its_steps_exactly),
      cmocka_unit_test(a_segment_is_read_while_it_arrives),
      cmocka_unit_test(a_segment_ends_with_its_tail_or_its_32nd_word),
      cmocka_unit_test(a_late_word_waits_for_its_memory),
      cmocka_unit_test(only_the_head_says_the_vc_of_a_segment),
      cmocka_unit_test(two_readers_read_a_word_in_every_cycle),
      cmocka_unit_test(a_reader_is_free_again_in_time),
      cmocka_unit_test(a_kept_segment_is_read_again_in_front_of_the_others),
      cmocka_unit_test(who_joins_comes_into_view_before_who_is_brought),
      cmocka_unit_test(a_head_may_come_while_the_queue_runs_empty),
      cmocka_unit_test(each_vc_has_one_slot_and_the_pool_is_for_more),
      cmocka_unit_test(slots_go_round),
      cmocka_unit_test(room_comes_back_with_the_pulse_of_the_release),
      cmocka_unit_test(a_reader_says_that_it_ends_soon),
      cmocka_unit_test(a_reader_of_an_open_segment_says_so_from_word_24_on),
      cmocka_unit_test(a_segment_of_odd_length_ends_a_cycle_early),
      cmocka_unit_test(parameters_out_of_range_are_refused),
  };
  return UNIT_RUN("segment_store", tests, NULL, NULL);
}

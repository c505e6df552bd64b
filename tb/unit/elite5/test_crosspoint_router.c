/* SPDX-License-Identifier: Apache-2.0 */
/* test_crosspoint_router.c - the twin of crosspoint_router against what docs/crosspoint_router.md
 * says, without a circuit
 *
 * The requirement of a test stands above it. In the comments c is the cycle in which a header is on
 * the link in. What both editions promise of all traffic, test_elite5_traffic asks of both.
 */
#include "tb/unit/unit.h"

#include <string.h>

#include "parts/lfsr.h"
#include "tb/unit/elite5_bench.h"

/* Cycles of the page's table, with PIPE 0. */
enum { PIPES = 5, CROSS = 8, BROADCAST = 16, ANSWER = 4 };
enum { FIRST = S_UNICAST /* the first VC for broadcasts */, TINY_LINKS = 2 };

static struct elite5_bench *open_pipe(uint32_t pipe) { return open_crosspoint_up(SMALL, pipe); }

/* Registers of PIPE before the store. */
static uint32_t before_store(uint32_t pipe) { return (pipe >= 1 ? 1u : 0u) + (pipe >= 3); }

static uint32_t counter(struct elite5_bench *b, uint32_t link, uint32_t reg) {
  cycles(b, 9); /* it is behind by so many */
  return read_link(b, link, reg);
}

/* ---- one packet ------------------------------------------------------------------------------ */

/* The cycle in which the credit of a segment of n words shows, of which the first came in c: its
 * words are read from c + 5 on, and its reader is done when it is at the even memory. */
static uint64_t freed_at(uint64_t c, uint32_t n, uint32_t pipe) {
  uint32_t done = n < 3 ? 2 : (n - 1) / 2 * 2;
  return c + before_store(pipe) + 5 + done + 2;
}

/* E5-33: header out in c + 8 + PIPE, the words after it without a gap, also those of later
 * segments; the reply 4 cycles after it came. */
static void a_packet_alone_takes_its_cycles_exactly(void **state) {
  (void)state;
  static const uint32_t words[] = {1, 2, 3, 4, 5, 31, 32, 33, 63, 64, 65, 100, 160};
  for (uint32_t pipe = 0; pipe < PIPES; pipe++)
    for (uint32_t k = 0; k < sizeof words / sizeof *words; k++)
      for (uint32_t start = 0; start < 2; start++) {
        struct elite5_bench *b = open_pipe(pipe);
        cycles(b, start);
        struct elite5_packet p = unicast(3, 5, words[k]);
        uint64_t c = send(b, 0, p), tail = c + p.words - 1;
        cycles(b, p.words + 30);
        expect_packet(b, 5, p, 0, c + CROSS + pipe);
        expect_reply(b, 0, 3, true, tail + CROSS + pipe + 1 + ANSWER);
        for (uint32_t i = 0; i < p.words; i += SEGMENT)
          expect_freed(b, 0, 3, freed_at(c + i, loom_min(SEGMENT, p.words - i), pipe));
        assert_int_equal(b->freed[0].count, b->freed[0].seen);
        expect_nothing_else(b);
        expect_quiet(b);
        close_router(b);
      }
}

/* E5-01: from every link to every link, also back on the same one. */
static void every_link_of_the_router_reaches_every_link(void **state) {
  (void)state;
  struct elite5_bench *b = open_pipe(0);
  for (uint32_t in = 0; in < S_LINKS; in++)
    for (uint32_t out = 0; out < S_LINKS; out++) {
      struct elite5_packet p = unicast((in + out) % S_UNICAST, out, 3);
      uint64_t c = send(b, in, p);
      cycles(b, 30);
      expect_packet(b, out, p, 0, c + CROSS);
      expect_reply(b, in, p.vc, true, c + 2 + CROSS + 1 + ANSWER);
    }
  expect_nothing_else(b);
  expect_quiet(b);
  close_router(b);
}

/* E5-01: sizes at both ends of the range. */
static void crosspoint_routers_at_both_ends_of_the_range_pass_packets(void **state) {
  (void)state;
  static const char *const params[] = {"LINKS=2 VCS=2 BVCS=1 POOL=0 DESTS=16 CLASSES=2 GROUPS=1",
                                       "LINKS=3 VCS=9 BVCS=8 POOL=1 DESTS=17 CLASSES=3 GROUPS=3",
                                       "LINKS=32 DESTS=64 CLASSES=64 GROUPS=2"};
  for (uint32_t k = 0; k < 3; k++) {
    struct elite5_bench *b = open_crosspoint_up(params[k], k);
    uint32_t last = b->cfg.LINKS - 1, vc = b->cfg.VCS - b->cfg.BVCS - 1;
    struct elite5_packet p = unicast(vc, last, 20), q = unicast(0, 0, 32);
    uint64_t c = send(b, 0, p), d = send(b, last, q);
    cycles(b, 80);
    expect_packet(b, last, p, 0, c + CROSS + k);
    expect_packet(b, 0, q, 0, d + CROSS + k);
    expect_reply(b, 0, vc, true, c + 19 + CROSS + k + 1 + ANSWER);
    expect_reply(b, last, 0, true, d + 31 + CROSS + k + 1 + ANSWER);
    expect_nothing_else(b);
    expect_quiet(b);
    close_router(b);
  }
}

/* E5-33: a later segment on a circuit that stands idle takes 8 cycles as well, whenever it comes.
 */
static void a_later_segment_takes_as_long_as_the_first(void **state) {
  (void)state;
  for (uint32_t pipe = 0; pipe < PIPES; pipe++)
    for (uint32_t pause = 0; pause < 12; pause++) {
      struct elite5_bench *b = open_pipe(pipe);
      struct elite5_packet p = unicast(1, 2, 40);
      uint64_t c = send_part(b, 0, p, 0, SEGMENT);
      cycles(b, SEGMENT + pause);
      uint64_t d = send_part(b, 0, p, SEGMENT, 40);
      cycles(b, 60);
      expect_part(b, 2, p, 0, SEGMENT, 0, c + CROSS + pipe);
      expect_part(b, 2, p, SEGMENT, 40, 0, d + CROSS + pipe);
      expect_quiet(b);
      close_router(b);
    }
}

/* E5-06: only the VC and the CRC change on the way, whatever the fields are. */
static void only_vc_and_crc_change_through_the_crosspoint(void **state) {
  (void)state;
  struct elite5_bench *b = open_pipe(4);
  uint64_t seed = 6;
  for (uint32_t i = 0; i < 200; i++) {
    struct elite5_packet p = unicast(loom_below(&seed, S_UNICAST), loom_below(&seed, S_LINKS), 0);
    p.dest += S_CLASSES * loom_below(&seed, 2); /* another destination of this class */
    p.prio = loom_below(&seed, 4);
    p.ts = loom_below(&seed, 1 << 14);
    p.words = 1 + loom_below(&seed, 70);
    p.tag = (uint32_t)loom_random(&seed);
    uint64_t c = send(b, loom_below(&seed, S_LINKS), p);
    cycles(b, p.words + 30);
    expect_packet(b, p.dest % S_CLASSES, p, 0, c + CROSS + 4);
    forget_logs(b);
  }
  expect_quiet(b);
  close_router(b);
}

/* ---- several --------------------------------------------------------------------------------- */

/* E5-01: a permutation at full rate: every output has a word in every cycle. */
static void a_permutation_crosses_at_full_rate(void **state) {
  (void)state;
  enum { PACKETS = 8, WORDS = 64 };
  struct elite5_bench *b = open_pipe(0);
  struct elite5_packet p[S_LINKS][PACKETS];
  uint64_t c = b->cycle;
  for (uint32_t l = 0; l < S_LINKS; l++)
    for (uint32_t k = 0; k < PACKETS; k++) {
      p[l][k] = unicast(k % S_UNICAST, (l + 3) % S_LINKS, WORDS);
      p[l][k].tag = l << 8 | k;
      send(b, l, p[l][k]);
    }
  cycles(b, PACKETS * WORDS + 30);
  for (uint32_t l = 0; l < S_LINKS; l++)
    for (uint32_t k = 0; k < PACKETS; k++)
      expect_packet(b, (l + 3) % S_LINKS, p[l][k], k % 2, c + WORDS * k + CROSS);
  expect_quiet(b);
  close_router(b);
}

/* Of packets of n words that come together for one output: from one grant to the next. Who loses
 * asks again five cycles later. A head whose tail is not there when it asks is not small, so its
 * output is near when it is free, and the others begin their second way then. */
static uint32_t gap_of(uint32_t words, bool first) {
  return first && words > 4 ? words + 5 : loom_max(words, 5);
}

/* E5-11: round robin; with odd lengths there is no gap either. */
static void inputs_take_turns_at_an_output_of_the_crosspoint(void **state) {
  (void)state;
  static const uint32_t inputs[] = {1, 3, 4, 7};
  for (uint32_t words = 1; words <= 8; words++) {
    struct elite5_bench *b = open_pipe(0);
    b->answers = 0;
    uint64_t at = CROSS;
    for (uint32_t i = 0; i < 4; i++)
      at = send(b, inputs[i], unicast(2, 5, words)) + CROSS;
    cycles(b, 80);
    for (uint32_t i = 0; i < 4; i++) {
      expect_packet(b, 5, unicast(2, 5, words), i, at);
      at += gap_of(words, i == 0);
    }
    expect_nothing_else(b);
    close_router(b);
  }
}

/* E5-11: the highest priority first. */
static void an_output_of_the_crosspoint_takes_the_highest_priority_first(void **state) {
  (void)state;
  static const uint32_t prio[][4] = {{0, 3, 1, 3}, {0, 2, 1, 3}};
  static const uint32_t order[][4] = {{1, 3, 2, 0}, {3, 1, 2, 0}};
  for (uint32_t k = 0; k < 2; k++) {
    struct elite5_bench *b = open_pipe(0);
    b->answers = 0;
    struct elite5_packet p[4];
    uint64_t at = 0;
    for (uint32_t i = 0; i < 4; i++) {
      p[i] = unicast(1, 6, 6);
      p[i].prio = prio[k][i];
      p[i].tag = i;
      at = send(b, i, p[i]) + CROSS;
    }
    cycles(b, 80);
    for (uint32_t i = 0; i < 4; i++) {
      expect_packet(b, 6, p[order[k][i]], i, at);
      at += gap_of(6, i == 0);
    }
    close_router(b);
  }
}

/* E5-11: a packet of high priority waits for the segment before it at most: 39 cycles from head to
 * head. */
static void a_high_priority_packet_overtakes_within_39_cycles(void **state) {
  (void)state;
  uint64_t longest = 0;
  for (uint32_t late = 1; late < 40; late++) {
    struct elite5_bench *b = open_pipe(0);
    struct elite5_packet p = unicast(1, 6, 133), q = unicast(2, 6, 20);
    q.prio = 3;
    send(b, 0, p);
    cycles(b, late);
    uint64_t c = send(b, 1, q);
    cycles(b, 250);
    struct elite5_event e;
    do
      e = next_word(b, 6);
    while (e.data != packet_word(&q, 0, e.vc));
    longest = e.cycle - c > longest ? e.cycle - c : longest;
    close_router(b);
  }
  assert_int_equal(longest, 39);
}

/* ---- VCs of the far end ---------------------------------------------------------------------- */

/* E5-19: a packet that finds no VC is decided anew every three cycles, four with a stage 3; the
 * reply of another lets it go. */
static void a_packet_without_a_vc_tries_again(void **state) {
  (void)state;
  for (uint32_t pipe = 0; pipe < 2; pipe++) {
    struct elite5_bench *b = open_pipe(pipe);
    b->answers = 0;
    write_link(b, 6, LOOM_ELITE5_REG_LINK_VC_LIMIT, 1);
    struct elite5_packet p = unicast(0, 6, 5), q = unicast(1, 6, 9);
    uint64_t c = send(b, 0, p);
    cycles(b, 10);
    uint64_t d = send(b, 1, q);
    cycles(b, 40);
    uint32_t before = counter(b, 1, LOOM_ELITE5_REG_LINK_NO_VC);
    cycles(b, 240 - 9 - S_LINKS - 4);
    uint32_t tries = counter(b, 1, LOOM_ELITE5_REG_LINK_NO_VC) - before, gap = 3 + pipe;
    assert_in_range(tries, 240 / gap - 3, 240 / gap + 3);
    expect_packet(b, 6, p, 0, c + CROSS + pipe);
    uint64_t r = b->cycle;
    reply(b, 6, 0, true);
    cycles(b, 40);
    uint64_t at = b->words[6].event[b->words[6].seen].cycle;
    expect_packet(b, 6, q, 0, at);
    /* The VC gets free in r + 3, so there is a new one from r + 5 on; a decision is 5 cycles before
     * the header, and a whole number of tries after the first one. */
    assert_in_range(at - pipe, r + 10, r + 10 + gap);
    assert_int_equal((at - (d + CROSS + pipe)) % gap, 0);
    expect_reply(b, 0, 0, true, r + ANSWER);
    close_router(b);
  }
}

/* So do two of an input, in turn. */
static void two_packets_without_a_vc_try_in_turn(void **state) {
  (void)state;
  for (uint32_t pipe = 0; pipe < 2; pipe++) {
    struct elite5_bench *b = open_pipe(pipe);
    b->answers = 0;
    write_link(b, 6, LOOM_ELITE5_REG_LINK_VC_LIMIT, 1);
    send(b, 0, unicast(0, 6, 5));
    cycles(b, 10);
    send(b, 1, unicast(1, 6, 9));
    send(b, 1, unicast(2, 6, 9));
    cycles(b, 60);
    uint32_t before = counter(b, 1, LOOM_ELITE5_REG_LINK_NO_VC);
    cycles(b, 240 - 9 - S_LINKS - 4);
    assert_in_range(counter(b, 1, LOOM_ELITE5_REG_LINK_NO_VC) - before, 117, 123);
    close_router(b);
  }
}

/* A head in stage 2 or W keeps a retry back, which leaves in the cycle after. One that is decided
 * right behind a try tries again itself, before the other. */
static void a_head_keeps_a_retry_back(void **state) {
  (void)state;
  static const uint32_t shift[] = {2, 1, 1}; /* by the cycles from head to head */
  for (uint32_t late = 0; late < 3; late++) {
    struct elite5_bench *b = open_pipe(0);
    b->answers = 0;
    write_link(b, 6, LOOM_ELITE5_REG_LINK_VC_LIMIT, 1);
    send(b, 0, unicast(0, 6, 5));
    cycles(b, 10);
    uint64_t d = send(b, 1, unicast(1, 6, 9));
    cycles(b, 30 + late);
    uint64_t c = send(b, 1, unicast(0, 4, 1));
    cycles(b, 30);
    forget_logs(b);
    reply(b, 6, 0, true);
    cycles(b, 40);
    assert_int_equal((next_word(b, 6).cycle - d - CROSS) % 3, shift[(c - d) % 3]);
    close_router(b);
  }
}

/* A packet that has a link and finds its only VC taken waits until that is free. */
static void a_packet_waits_for_the_vc_of_its_link(void **state) {
  (void)state;
  struct elite5_bench *b = open_pipe(0);
  b->answers = 0;
  write_link(b, 6, LOOM_ELITE5_REG_LINK_VC_LIMIT, 1);
  cycles(b, 70);
  send(b, 0, unicast(0, 6, 5));
  send(b, 1, unicast(0, 6, 5));
  cycles(b, 60);
  assert_int_equal(words_left(b, 6), 5);
  reply(b, 6, 0, true);
  cycles(b, 40);
  assert_int_equal(words_left(b, 6), 10);
  close_router(b);
}

/* E5-19: pending counts circuits until they are answered, and the choice follows it: light links
 * first, then those with the least. */
static void the_choice_follows_what_is_pending(void **state) {
  (void)state;
  static const uint32_t order[] = {1, 2, 5, 1, 2, 5, 1, 2};
  struct elite5_bench *b = open_pipe(0);
  b->answers = 0;
  set_class(b, 20, 1 << 1 | 1 << 2 | 1 << 5, false);
  uint32_t pending[S_LINKS] = {0};
  for (uint32_t k = 0; k < 8; k++) {
    struct elite5_packet p = unicast(k % S_UNICAST, 20, 4);
    uint64_t c = send(b, k / S_UNICAST, p);
    cycles(b, 20);
    expect_packet(b, order[k], p, pending[order[k]], c + CROSS);
    pending[order[k]]++;
    for (uint32_t l = 0; l < S_LINKS; l++)
      assert_int_equal(read_link(b, l, LOOM_ELITE5_REG_LINK_PENDING), pending[l]);
  }
  expect_nothing_else(b);
  reply(b, 2, 0, true);
  cycles(b, 10);
  assert_int_equal(read_link(b, 2, LOOM_ELITE5_REG_LINK_PENDING), 2);
  struct elite5_packet p = unicast(0, 20, 4);
  uint64_t c = send(b, 7, p);
  cycles(b, 20);
  expect_packet(b, 2, p, 0, c + CROSS);
  close_router(b);
}

/* Links are light below the threshold, and the first of them is taken. */
static void light_links_are_those_below_the_threshold(void **state) {
  (void)state;
  static const uint32_t order[] = {1, 1, 2, 2, 5, 5};
  struct elite5_bench *b = open_pipe(0);
  b->answers = 0;
  set_class(b, 20, 1 << 1 | 1 << 2 | 1 << 5, false);
  write_reg(b, LOOM_ELITE5_REG_THRESHOLD, 2);
  for (uint32_t k = 0; k < 6; k++) {
    struct elite5_packet p = unicast(k % S_UNICAST, 20, 4);
    uint64_t c = send(b, k / S_UNICAST, p);
    cycles(b, 20);
    expect_packet(b, order[k], p, k % 2, c + CROSS);
  }
  close_router(b);
}

/* E5-24: what is pending is known two cycles later: two packets of one cycle take the same link,
 * one that comes four cycles later does not. */
static void a_choice_knows_what_was_pending_before(void **state) {
  (void)state;
  for (uint32_t late = 0; late < 8; late++) {
    struct elite5_bench *b = open_pipe(0);
    set_class(b, 20, 1 << 3 | 1 << 4, false);
    struct elite5_packet p = unicast(0, 20, 4);
    send(b, 0, p);
    cycles(b, late);
    send(b, 1, p);
    cycles(b, 30);
    /* Decided in c + 3, granted in c + 4, allocated from c + 6 on, light follows in c + 7. */
    assert_int_equal(b->words[3].count, late < 4 ? 8 : 4);
    assert_int_equal(b->words[4].count, late < 4 ? 0 : 4);
    close_router(b);
  }
}

/* E5-09: own slots and the pool; a segment without room is skipped, an error of the link. */
static void a_segment_that_finds_no_room_is_skipped(void **state) {
  (void)state;
  struct elite5_bench *b = open_pipe(0);
  write_link(b, 2, LOOM_ELITE5_REG_LINK_CAP, 0);
  cycles(b, 70);
  struct elite5_packet p = unicast(1, 2, (S_POOL + 3) * SEGMENT);
  send(b, 0, p);
  cycles(b, p.words + 20);
  assert_int_equal(counter(b, 0, LOOM_ELITE5_REG_LINK_LINK_ERRORS), 2);
  assert_int_equal(counter(b, 0, LOOM_ELITE5_REG_LINK_WORDS_IN), (S_POOL + 1) * SEGMENT);
  assert_int_equal(counter(b, 0, LOOM_ELITE5_REG_LINK_SEGMENTS_IN), S_POOL + 1);
  assert_int_equal(counter(b, 0, LOOM_ELITE5_REG_LINK_PACKETS_IN), 1);
  assert_int_equal(words_left(b, 2), 0);
  close_router(b);
}

/* E5-10: no segment goes without a credit; one that comes lets the next go. */
static void a_credit_lets_the_next_segment_cross(void **state) {
  (void)state;
  struct elite5_bench *b = open_pipe(0);
  b->credits = ~(1ull << 2);
  write_link(b, 2, LOOM_ELITE5_REG_LINK_CAP, 1);
  cycles(b, 70);
  struct elite5_packet p = unicast(1, 2, 70);
  uint64_t c = send(b, 0, p);
  cycles(b, 120);
  expect_part(b, 2, p, 0, SEGMENT, 0, c + CROSS);
  assert_int_equal(words_left(b, 2), 0);
  uint64_t r = b->cycle;
  credit(b, 2, 0);
  cycles(b, 60);
  /* cr in r + 1, wake and below in r + 2, not passed in r + 3; ready r + 4, top, pick, request in
   * r + 7, which is granted: out four cycles later. */
  expect_part(b, 2, p, SEGMENT, 2 * SEGMENT, 0, r + 11);
  assert_true(counter(b, 0, LOOM_ELITE5_REG_LINK_PASSED) >= 1);
  credit(b, 2, 0);
  cycles(b, 40);
  assert_int_equal(words_left(b, 2), 6);
  close_router(b);
}

/* E5-09: without credits one segment goes, and one more for each slot of the pool; a link that
 * comes back has all of them. */
static void segments_without_credits_take_the_pool(void **state) {
  (void)state;
  struct elite5_bench *b = open_pipe(0);
  b->credits = ~(1ull << 2);
  send(b, 0, unicast(1, 2, (S_POOL + 1) * SEGMENT));
  cycles(b, 250);
  send(b, 1, unicast(1, 2, 2));
  cycles(b, 40);
  assert_int_equal(words_left(b, 2), (S_POOL + 1) * SEGMENT + 2);
  unplug(b, 2);
  cycles(b, 60);
  bring_up(b, 1 << 2);
  write_link(b, 2, LOOM_ELITE5_REG_LINK_VC_LIMIT, 1);
  write_link(b, 2, LOOM_ELITE5_REG_LINK_CAP, 1);
  cycles(b, 70);
  send(b, 3, unicast(0, 2, 7));
  cycles(b, 40);
  assert_int_equal(words_left(b, 2), 7);
  close_router(b);
}

/* A broadcast that waits for a credit of one link does not look again when another has one. */
static void a_broadcast_passes_until_its_own_link_has_news(void **state) {
  (void)state;
  struct elite5_bench *b = open_pipe(0);
  b->credits = ~(1ull << 2);
  write_link(b, 2, LOOM_ELITE5_REG_LINK_CAP, 1);
  set_group(b, 1, 1 << 2, true, 1 << 2, true);
  cycles(b, 70);
  send(b, 0, broadcast(FIRST, 1, 40));
  cycles(b, 80);
  uint32_t passed = counter(b, 0, LOOM_ELITE5_REG_LINK_PASSED);
  assert_true(passed > 0);
  for (uint32_t k = 0; k < 5; k++) {
    send(b, 1, unicast(0, 6, 3));
    cycles(b, 30);
  }
  assert_int_equal(counter(b, 0, LOOM_ELITE5_REG_LINK_PASSED), passed);
  close_router(b);
}

/* ---- modes ----------------------------------------------------------------------------------- */

/* E5-21, E5-22. */
static void next_free_goes_on_from_the_last_link(void **state) {
  (void)state;
  static const uint32_t order[] = {1, 2, 5, 1, 2, 5};
  struct elite5_bench *b = open_pipe(2);
  set_class(b, 20, 1 << 1 | 1 << 2 | 1 << 5, false);
  write_reg(b, LOOM_ELITE5_REG_CONTROL, 1);
  write_reg(b, LOOM_ELITE5_REG_THRESHOLD, 30);
  for (uint32_t k = 0; k < 6; k++) {
    struct elite5_packet p = unicast(0, 20, 4);
    uint64_t c = send(b, 3, p);
    cycles(b, 40);
    expect_packet(b, order[k], p, 0, c + CROSS + 2);
    assert_int_equal(words_left(b, 1) + words_left(b, 2) + words_left(b, 5), 0);
  }
  close_router(b);
}

enum { DRAWS = 2000 };

/* E5-20: the link with the lowest key, which was drawn x - 2 - input - link, x the decision. */
static void random_takes_the_link_with_the_lowest_key(void **state) {
  (void)state;
  for (uint32_t pipe = 0; pipe < 2; pipe++) {
    struct elite5_bench *b = open_pipe(pipe);
    set_class(b, 20, 0xFF, false);
    write_reg(b, LOOM_ELITE5_REG_THRESHOLD, 30);
    write_reg(b, LOOM_ELITE5_REG_CONTROL, 2);
    uint64_t loaded = b->cycle + 2; /* the first cycle with the seed */
    write_reg(b, LOOM_ELITE5_REG_SEED, 12345);
    static uint8_t draw[DRAWS];
    uint32_t value = 12345;
    for (uint32_t k = 0; k < DRAWS; k++, value = loom_lfsr_after(value, 32))
      draw[k] = (uint8_t)value;
    cycles(b, 30);
    for (uint32_t k = 0; k < 40; k++) {
      uint32_t in = k % S_LINKS, best = 0;
      uint64_t x = send(b, in, unicast(0, 20, 4)) + 3 + pipe - loaded;
      for (uint32_t o = 1; o < S_LINKS; o++)
        if (draw[x - 2 - in - o] < draw[x - 2 - in - best])
          best = o;
      cycles(b, 31);
      assert_int_equal(words_left(b, best), 4);
      forget_logs(b);
    }
    close_router(b);
  }
}

/* ---- broadcasts ------------------------------------------------------------------------------ */

/* E5-28, E5-29: one copy to each member, 16 cycles after the header came; one reply for all. */
static void a_broadcast_takes_16_cycles(void **state) {
  (void)state;
  static const uint32_t words[] = {1, 2, 5, 32, 33, 100}, groups[] = {0x01, 0x26, 0x81, 0xFF};
  for (uint32_t pipe = 0; pipe < PIPES; pipe++)
    for (uint32_t k = 0; k < 6; k++)
      for (uint32_t g = 0; g < 4; g++) {
        struct elite5_bench *b = open_pipe(pipe);
        set_group(b, 1, groups[g], true, groups[g], true);
        struct elite5_packet p = broadcast(FIRST, 1, words[k]);
        uint64_t c = send(b, 0, p), last = c + p.words - 1 + BROADCAST + pipe;
        cycles(b, p.words + 60);
        for (uint32_t l = 0; l < S_LINKS; l++)
          if (groups[g] >> l & 1)
            expect_part(b, l, p, 0, loom_min(p.words, SEGMENT), FIRST, c + BROADCAST + pipe);
        struct elite5_event e = next_reply(b, 0);
        assert_true(e.ack && e.vc == FIRST);
        assert_true(e.cycle >= last + 1 + ANSWER + loom_popcount(groups[g]) - 1);
        if (words[k] <= SEGMENT)
          assert_int_equal(e.cycle, last + 1 + ANSWER + loom_popcount(groups[g]) - 1);
        expect_quiet(b);
        close_router(b);
      }
}

/* E5-29: one NACK makes the reply a NACK, once all have answered. */
static void one_nack_refuses_a_broadcast(void **state) {
  (void)state;
  struct elite5_bench *b = open_pipe(0);
  b->refuses = 1 << 5;
  set_group(b, 1, 0x26, true, 0x26, true);
  send(b, 3, broadcast(FIRST + 1, 1, 6));
  cycles(b, 60);
  struct elite5_event e = next_reply(b, 3);
  assert_true(!e.ack && e.vc == FIRST + 1);
  assert_int_equal(replies_left(b, 3), 0);
  assert_int_equal(counter(b, 3, LOOM_ELITE5_REG_LINK_NACKS), 1);
  assert_int_equal(counter(b, 3, LOOM_ELITE5_REG_LINK_OWN_NACKS), 0);
  expect_quiet(b);
  close_router(b);
}

/* Two of an input ask in turn, also while the first finds no VC: two inputs want the last one of a
 * link, and who loses it still asks for another link. */
static void a_broadcast_without_a_vc_lets_the_next_one_ask(void **state) {
  (void)state;
  struct elite5_bench *b = open_pipe(0);
  b->answers = 0;
  set_group(b, 1, 1 << 5, false, 1 << 5, false);
  set_group(b, 2, 1 << 6, false, 1 << 6, false);
  send(b, 2, broadcast(FIRST, 1, 5));
  cycles(b, 40);
  send(b, 0, broadcast(FIRST, 1, 5));
  send(b, 1, broadcast(FIRST, 1, 5));
  cycles(b, 60);
  assert_int_equal(words_left(b, 5), 10);
  send(b, 0, broadcast(FIRST + 1, 2, 5));
  send(b, 1, broadcast(FIRST + 1, 2, 5));
  cycles(b, 60);
  assert_int_equal(words_left(b, 6), 10);
  close_router(b);
}

/* ---- wrong words ----------------------------------------------------------------------------- */

/* E5-07: a first word with any turned bit is drained and refused. */
static void a_turned_bit_of_a_header_is_found(void **state) {
  (void)state;
  struct elite5_bench *b = open_pipe(0);
  write_reg(b, LOOM_ELITE5_REG_LIMIT_REDUNDANT, 64); /* or the link is removed */
  for (uint32_t bit = 0; bit < 64; bit++) {
    struct elite5_packet p = unicast(0, 5, 3);
    send_word(b, 0, true, false, 0, packet_word(&p, 0, 0) ^ 1ull << bit);
    send_part(b, 0, p, 1, 3);
    cycles(b, 25);
    struct elite5_event e = next_reply(b, 0);
    assert_true(!e.ack && e.vc == 0);
  }
  expect_nothing_else(b);
  assert_int_equal(counter(b, 0, LOOM_ELITE5_REG_LINK_HEADER_ERRORS), 64);
  assert_int_equal(counter(b, 0, LOOM_ELITE5_REG_LINK_OWN_NACKS), 64);
  expect_quiet(b);
  close_router(b);
}

/* E5-07: a continuation with a wrong CRC goes on as a void segment of the same length. */
static void a_turned_bit_of_a_continuation_makes_it_void(void **state) {
  (void)state;
  struct elite5_bench *b = open_pipe(0);
  struct elite5_packet p = unicast(1, 5, 40);
  uint64_t c = send_part(b, 0, p, 0, SEGMENT);
  send_word(b, 0, true, false, 1, packet_word(&p, SEGMENT, 1) ^ 1ull << 50);
  send_part(b, 0, p, SEGMENT + 1, 40);
  cycles(b, 80);
  expect_part(b, 5, p, 0, SEGMENT, 0, c + CROSS);
  struct elite5_event e = next_word(b, 5);
  assert_true(e.head && e.data == loom_elite5_void(0));
  for (uint32_t i = 1; i < 8; i++)
    expect_word(b, 5, false, i == 7, 0, 0, e.cycle + i);
  assert_int_equal(counter(b, 0, LOOM_ELITE5_REG_LINK_HEADER_ERRORS), 1);
  expect_quiet(b);
  close_router(b);
}

/* E5-17, E5-18: dead ends have a trap and a NACK. */
static void a_packet_without_a_way_is_refused_with_a_trap(void **state) {
  (void)state;
  struct elite5_bench *b = open_pipe(0);
  struct elite5_packet p = unicast(2, 40, 5); /* its class leads nowhere */
  p.ts = 77;
  uint64_t c = send(b, 3, p);
  cycles(b, 30);
  /* It is read from c + 9 on (the second way begins in c + 5): its end leaves in c + 12. */
  struct elite5_event e = next_reply(b, 3);
  assert_true(!e.ack && e.vc == 2 && e.cycle > c + 12 && e.cycle < c + 25);
  expect_trap(b, UNKNOWN, 3, 2, 40, 77);
  send(b, 4, unicast(FIRST, 1, 2));
  cycles(b, 30);
  expect_trap(b, WRONG_CLASS, 4, FIRST, 1, 0);
  send(b, 4, unicast(FIRST, 40, 2)); /* and it leads nowhere */
  cycles(b, 30);
  expect_trap(b, WRONG_CLASS, 4, FIRST, 40, 0);
  expect_no_trap(b);
  close_router(b);
}

/* E5-12: replies that belong to nothing are errors. */
static void a_reply_for_nothing_is_an_error(void **state) {
  (void)state;
  struct elite5_bench *b = open_pipe(0);
  b->answers = 0;
  reply(b, 5, 0, true);
  cycles(b, 5);
  reply(b, 5, 31, true);
  cycles(b, 5);
  assert_int_equal(counter(b, 5, LOOM_ELITE5_REG_LINK_REPLY_ERRORS), 2);
  send(b, 0, unicast(0, 5, 4));
  cycles(b, 20);
  uint64_t r = b->cycle;
  reply(b, 5, 0, false);
  cycle(b);
  reply(b, 5, 0, true); /* it is replied */
  cycles(b, 10);
  expect_reply(b, 0, 0, false, r + ANSWER);
  assert_int_equal(replies_left(b, 0), 0);
  assert_int_equal(counter(b, 5, LOOM_ELITE5_REG_LINK_REPLY_ERRORS), 3);
  close_router(b);
}

/* An input that has a reply of output 4 first goes on behind it. */
static void an_input_takes_replies_in_turn(void **state) {
  (void)state;
  static const uint32_t outputs[] = {4, 1, 6};
  struct elite5_bench *b = open_pipe(0);
  b->answers = 0;
  for (uint32_t v = 0; v < 3; v++)
    send(b, 0, unicast(v, outputs[v], 4));
  cycles(b, 40);
  uint64_t r = b->cycle;
  reply(b, 4, 0, true);
  cycle(b);
  reply(b, 1, 0, true);
  reply(b, 6, 0, true);
  cycles(b, 10);
  expect_reply(b, 0, 0, true, r + ANSWER);
  expect_reply(b, 0, 2, true, r + 1 + ANSWER);
  expect_reply(b, 0, 1, true, r + 2 + ANSWER);
  close_router(b);
}

/* E5-36: errors of a link remove that link; E5-35: a link that is not enabled goes down. */
static void a_link_with_errors_or_disabled_is_removed_alone(void **state) {
  (void)state;
  struct elite5_bench *b = open_pipe(0);
  write_reg(b, LOOM_ELITE5_REG_LIMIT_REDUNDANT, 2);
  for (uint32_t k = 0; k < 3; k++)
    send_word(b, S_LINKS - 1, false, false, 0, 0);
  cycles(b, 30);
  expect_trap(b, WINDOW_ERRORS, S_LINKS - 1, 0, 0, 0);
  assert_int_equal(read_reg(b, LOOM_ELITE5_REG_UP), 0x7F);
  write_link(b, 3, LOOM_ELITE5_REG_LINK_CONTROL, 0);
  cycles(b, 5);
  expect_trap(b, LINK_DOWN, 3, 0, 0, 0);
  expect_no_trap(b);
  assert_int_equal(read_reg(b, LOOM_ELITE5_REG_UP), 0x77);
  close_router(b);
}

/* ---- links that fall ------------------------------------------------------------------------- */

/* E5-25: what was cut short ends; the packets that are open get closing words one after the other.
 */
static void open_packets_of_a_lost_input_end(void **state) {
  (void)state;
  for (uint32_t pipe = 0; pipe < PIPES; pipe++) {
    struct elite5_bench *b = open_pipe(pipe);
    uint32_t gap = 4 + (pipe >= 1 ? 1u : 0u);
    for (uint32_t v = 0; v < 3; v++)
      send_part(b, 0, unicast(v, 1 + v, 100), 0, SEGMENT);
    send_part(b, 0, unicast(3, 4, 100), 0, 10);
    cycles(b, 3 * SEGMENT + 10 + 30);
    forget_logs(b);
    uint64_t s = b->cycle;
    unplug(b, 0);
    cycles(b, 120);
    /* Not UP from s + 1 on: the word that ends the segment is in stage 1 in s + 2, and goes out as
     * if it had been on the link in s + 1, or a cycle earlier, as the reader waits for it. */
    uint64_t first = s + 1 - (pipe >= 3);
    struct elite5_event e = next_word(b, 4);
    assert_true(e.tail && !e.head && e.data == 0);
    assert_in_range(e.cycle, first + CROSS + pipe - 1, first + CROSS + pipe);
    for (uint32_t v = 0; v < 3; v++) {
      e = next_word(b, 1 + v);
      assert_true(e.tail && e.head && e.data == loom_elite5_void(0));
      assert_int_equal(e.cycle, first + gap * (v + 1) + CROSS + pipe);
    }
    cycles(b, 30);
    expect_trap(b, LINK_DOWN, 0, 0, 0, 0);
    expect_nothing_else(b);
    close_router(b);
  }
}

/* E5-25: a packet on a link that went down is swallowed and NACKed. */
static void a_packet_on_a_lost_output_is_refused(void **state) {
  (void)state;
  struct elite5_bench *b = open_pipe(0);
  b->answers = 0;
  struct elite5_packet p = unicast(0, 5, 100);
  send(b, 0, p);
  cycles(b, 40);
  unplug(b, 5);
  cycles(b, 120);
  struct elite5_event e = next_reply(b, 0);
  assert_true(!e.ack && e.vc == 0);
  assert_int_equal(read_link(b, 5, LOOM_ELITE5_REG_LINK_ALLOCATED), 0);
  close_router(b);
}

/* ---- bus ------------------------------------------------------------------------------------- */

/* E5-39: who this is; what a table holds shows while it is counted, and at once. */
static void the_registers_are_those_of_the_first_edition(void **state) {
  (void)state;
  struct elite5_bench *b = open_pipe(0);
  assert_int_equal(read_reg(b, LOOM_ELITE5_REG_ID),
                   0x4C090000 | S_LINKS << 8 | S_VCS); /* device 9 */
  assert_int_equal(read_reg(b, LOOM_ELITE5_REG_UP), 0xFF);
  put_reg(b, LOOM_ELITE5_REG_DEST + 7, 31);
  cycle(b);
  assert_int_equal(read_reg(b, LOOM_ELITE5_REG_DEST + 7), 31);
  put_reg(b, LOOM_ELITE5_REG_MASK + 2 * 9 + 1, 0xFF6);
  cycle(b);
  assert_int_equal(read_reg(b, LOOM_ELITE5_REG_MASK + 2 * 9), 0xF6);
  assert_int_equal(read_reg(b, LOOM_ELITE5_REG_MASK + 2 * 9 + 1), 1);
  put_reg(b, LOOM_ELITE5_REG_MASK + 2 * 9, 0x1);
  cycle(b);
  assert_int_equal(read_reg(b, LOOM_ELITE5_REG_MASK + 2 * 9 + 1), 0);
  write_reg(b, LOOM_ELITE5_REG_DEST_COUNT, 7);
  assert_int_equal(read_reg(b, LOOM_ELITE5_REG_DEST + 7), 0);
  write_reg(b, LOOM_ELITE5_REG_TIME, 100);
  uint32_t now = read_reg(b, LOOM_ELITE5_REG_TIME);
  assert_int_equal(now, 100 + S_LINKS + 3 - 1);
  assert_int_equal(read_reg(b, LOOM_ELITE5_REG_TIME), now + S_LINKS + 4);
  write_link(b, ALL, LOOM_ELITE5_REG_LINK_EXPECTED, 0x123456);
  for (uint32_t l = 0; l < S_LINKS; l++)
    assert_int_equal(read_link(b, l, LOOM_ELITE5_REG_LINK_EXPECTED), 0x123456);
  assert_int_equal(read_link(b, ALL, LOOM_ELITE5_REG_LINK_EXPECTED), 0);
  close_router(b);
}

/* E5-12: a table is used one cycle after its copy shows it: a head that comes with the write in the
 * bus gets the old word, one that comes a cycle later the new one. */
static void a_lookup_of_the_crosspoint_sees_the_old_or_the_new_entry(void **state) {
  (void)state;
  for (uint32_t late = 0; late < 6; late++) {
    struct elite5_bench *b = open_pipe(0);
    uint64_t w = b->cycle; /* the access is on the bus in w, served in w + 1 */
    put_reg(b, LOOM_ELITE5_REG_DEST + 5, 6);
    cycles(b, late);
    uint64_t c = send(b, 0, unicast(0, 5, 2)); /* the table is read at the end of c */
    cycles(b, 30);
    uint32_t link = c <= w + 2 ? 5 : 6;
    assert_int_equal(words_left(b, link), 2);
    close_router(b);
  }
}

/* ---- sleep ----------------------------------------------------------------------------------- */

/* A router without work sleeps; the bench tries whether that changes anything, here in each mode
 * and over ends of windows. What a long sleep does is what as many short ones do. */
static void a_router_without_work_sleeps(void **state) {
  (void)state;
  for (uint32_t mode = 0; mode < 4; mode++) {
    struct elite5_bench *b = open_pipe(mode);
    write_reg(b, LOOM_ELITE5_REG_CONTROL, mode);
    for (uint32_t window = 1; window < 200; window += 13) {
      write_reg(b, LOOM_ELITE5_REG_WINDOW, window);
      send_word(b, 0, false, false, 0, 0); /* an error of the link */
      send(b, 1, unicast(0, window % S_LINKS, 7));
      cycles(b, 200);
      forget_logs(b);
    }
    assert_true(b->naps > 40);
    while (!b->asleep)
      cycle(b);
    copy_crosspoint(b, 0);
    copy_crosspoint(b, 1);
    loom_crosspoint_router_skip(b->x_slept, 100000);
    for (uint32_t k = 0; k < 100; k++)
      loom_crosspoint_router_skip(b->x_stepped, 1000);
    b->x_slept->port = b->x_stepped->port;
    assert_memory_equal(b->x_slept, b->x_stepped, sizeof *b->x_slept);
    close_router(b);
  }
}

/* ---- the same again -------------------------------------------------------------------------- */

/* All that shows while something of everything goes on, as one number. */
static uint64_t play(struct elite5_bench *b) {
  uint64_t seed = 9, sum = 0;
  for (uint32_t k = 0; k < 400; k++) {
    uint32_t l = loom_below(&seed, S_LINKS), words = 1 + loom_below(&seed, 40);
    struct elite5_packet p = unicast(k % S_UNICAST, loom_below(&seed, 24), words);
    send(b, l, p);
    cycles(b, loom_below(&seed, 30));
    for (uint32_t i = 0; i < S_LINKS; i++)
      sum = loom_scramble(sum ^ b->out.out_data[i] ^ b->out.in_rep_vc[i] << 3 ^
                          b->out.out_valid[i] << 1 ^ b->out.in_cr_vl[i]);
    forget_logs(b);
  }
  return sum;
}

/* The storage and the state need not be clean before init, and nothing but the inputs counts. */
static void a_router_that_starts_again_does_the_same(void **state) {
  (void)state;
  uint64_t sum[2];
  for (uint32_t k = 0; k < 2; k++) {
    struct elite5_bench *b = open_pipe(0);
    write_reg(b, LOOM_ELITE5_REG_CONTROL, 2 | 4);
    sum[k] = play(b);
    close_router(b);
  }
  assert_true(sum[0] == sum[1]);
}

static void parameters_of_the_crosspoint_out_of_range_are_refused(void **state) {
  (void)state;
  struct loom_crosspoint_router_cfg c;
  loom_crosspoint_router_defaults(&c);
  assert_true(loom_crosspoint_router_cfg_ok(&c));
  c.PIPE = 5;
  assert_false(loom_crosspoint_router_cfg_ok(&c));
  c.PIPE = 4, c.VCS = 4, c.BVCS = 4;
  assert_false(loom_crosspoint_router_cfg_ok(&c));
  c.BVCS = 3;
  assert_true(loom_crosspoint_router_cfg_ok(&c));
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_packet_alone_takes_its_cycles_exactly),
      cmocka_unit_test(every_link_of_the_router_reaches_every_link),
      cmocka_unit_test(crosspoint_routers_at_both_ends_of_the_range_pass_packets),
      cmocka_unit_test(a_later_segment_takes_as_long_as_the_first),
      cmocka_unit_test(only_vc_and_crc_change_through_the_crosspoint),
      cmocka_unit_test(a_permutation_crosses_at_full_rate),
      cmocka_unit_test(inputs_take_turns_at_an_output_of_the_crosspoint),
      cmocka_unit_test(an_output_of_the_crosspoint_takes_the_highest_priority_first),
      cmocka_unit_test(a_high_priority_packet_overtakes_within_39_cycles),
      cmocka_unit_test(a_packet_without_a_vc_tries_again),
      cmocka_unit_test(two_packets_without_a_vc_try_in_turn),
      cmocka_unit_test(a_head_keeps_a_retry_back),
      cmocka_unit_test(a_packet_waits_for_the_vc_of_its_link),
      cmocka_unit_test(the_choice_follows_what_is_pending),
      cmocka_unit_test(light_links_are_those_below_the_threshold),
      cmocka_unit_test(a_choice_knows_what_was_pending_before),
      cmocka_unit_test(a_segment_that_finds_no_room_is_skipped),
      cmocka_unit_test(a_credit_lets_the_next_segment_cross),
      cmocka_unit_test(segments_without_credits_take_the_pool),
      cmocka_unit_test(a_broadcast_passes_until_its_own_link_has_news),
      cmocka_unit_test(next_free_goes_on_from_the_last_link),
      cmocka_unit_test(random_takes_the_link_with_the_lowest_key),
      cmocka_unit_test(a_broadcast_takes_16_cycles),
      cmocka_unit_test(one_nack_refuses_a_broadcast),
      cmocka_unit_test(a_broadcast_without_a_vc_lets_the_next_one_ask),
      cmocka_unit_test(a_turned_bit_of_a_header_is_found),
      cmocka_unit_test(a_turned_bit_of_a_continuation_makes_it_void),
      cmocka_unit_test(a_packet_without_a_way_is_refused_with_a_trap),
      cmocka_unit_test(a_reply_for_nothing_is_an_error),
      cmocka_unit_test(an_input_takes_replies_in_turn),
      cmocka_unit_test(a_link_with_errors_or_disabled_is_removed_alone),
      cmocka_unit_test(open_packets_of_a_lost_input_end),
      cmocka_unit_test(a_packet_on_a_lost_output_is_refused),
      cmocka_unit_test(the_registers_are_those_of_the_first_edition),
      cmocka_unit_test(a_lookup_of_the_crosspoint_sees_the_old_or_the_new_entry),
      cmocka_unit_test(a_router_without_work_sleeps),
      cmocka_unit_test(a_router_that_starts_again_does_the_same),
      cmocka_unit_test(parameters_of_the_crosspoint_out_of_range_are_refused),
  };
  return UNIT_RUN("crosspoint_router", tests, NULL, NULL);
}

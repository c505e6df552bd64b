/* SPDX-License-Identifier: Apache-2.0 */
/* test_elite5_router.c - the way of a packet through the twin of elite5_router, from arrival to the
 * reply, against what docs/elite5.md says, without a circuit
 *
 * The requirement of a test stands above it, or the case of `Arrival`. In the comments c
 * is the cycle in which a header is on the link in, x the first one without signal.
 */
#include "tb/unit/unit.h"

#include "tb/unit/elite5_bench.h"

/* Header in to header out of another segment, if its circuit stands idle: no decision to wait for.
 */
enum { NEXT_LATENCY = LATENCY - 1 };

/* ---- one packet ------------------------------------------------------------------------------ */

/* E5-33: header out in c + 7, the words after it without a gap; the reply 3 cycles after it came;
 * each slot is given back 6 cycles after the last word of its segment arrived. */
static void a_packet_alone_takes_its_cycles_exactly(void **state) {
  (void)state;
  static const uint32_t words[] = {1, 2, 3, 31, 32, 33, 63, 64, 65, 100, 160};
  for (uint32_t k = 0; k < sizeof words / sizeof *words; k++)
    for (uint32_t start = 0; start < 2; start++) {
      struct elite5_bench *b = open_small();
      cycles(b, start);
      struct elite5_packet p = unicast(3, 5, words[k]);
      uint64_t c = send(b, 0, p), tail = c + p.words - 1;
      cycles(b, p.words + 20);
      expect_packet(b, 5, p, 0, c + LATENCY);
      expect_reply(b, 0, 3, true, tail + LATENCY + 1 + REPLY_LATENCY);
      for (uint32_t i = 0; i < p.words; i += SEGMENT)
        expect_freed(b, 0, 3, loom_min((uint32_t)(c + i) + SEGMENT - 1, (uint32_t)tail) + 6);
      expect_nothing_else(b);
      expect_quiet(b);
      close_router(b);
    }
}

/* E5-01: from every link to every link, also back on the same one. */
static void every_link_reaches_every_link(void **state) {
  (void)state;
  struct elite5_bench *b = open_small();
  for (uint32_t in = 0; in < S_LINKS; in++)
    for (uint32_t out = 0; out < S_LINKS; out++) {
      struct elite5_packet p = unicast((in + out) % S_UNICAST, out, 3);
      uint64_t c = send(b, in, p);
      cycles(b, 25);
      expect_packet(b, out, p, 0, c + 7);
      expect_reply(b, in, p.vc, true, c + 13);
    }
  expect_nothing_else(b);
  expect_quiet(b);
  close_router(b);
}

/* E5-01: sizes at both ends of the range. */
static void routers_at_both_ends_of_the_range_pass_packets(void **state) {
  (void)state;
  static const char *const params[] = {"LINKS=2 VCS=2 BVCS=1 POOL=0 DESTS=16 CLASSES=2 GROUPS=1",
                                       "LINKS=3 VCS=9 BVCS=8 POOL=1 DESTS=17 CLASSES=3 GROUPS=3",
                                       "LINKS=32 DESTS=64 CLASSES=64 GROUPS=2"};
  for (uint32_t k = 0; k < 3; k++) {
    struct elite5_bench *b = open_up(params[k]);
    uint32_t last = b->cfg.LINKS - 1, vc = b->cfg.VCS - b->cfg.BVCS - 1;
    struct elite5_packet p = unicast(vc, last, 20), q = unicast(0, 0, 32);
    uint64_t c = send(b, 0, p), d = send(b, last, q);
    cycles(b, 70);
    expect_packet(b, last, p, 0, c + 7);
    expect_packet(b, 0, q, 0, d + 7);
    expect_reply(b, 0, vc, true, c + 19 + 11);
    expect_reply(b, last, 0, true, d + 31 + 11);
    expect_nothing_else(b);
    expect_quiet(b);
    close_router(b);
  }
}

/* E5-06: only the VC and the CRC change on the way, whatever the fields are. */
static void only_the_vc_and_the_crc_change_on_the_way(void **state) {
  (void)state;
  struct elite5_bench *b = open_small();
  uint64_t seed = 6;
  for (uint32_t i = 0; i < 200; i++) {
    struct elite5_packet p = unicast(loom_below(&seed, S_UNICAST), loom_below(&seed, S_LINKS), 0);
    p.dest += S_CLASSES * loom_below(&seed, 2); /* another destination of this class */
    p.prio = loom_below(&seed, 4);
    p.ts = loom_below(&seed, 1 << 14);
    p.words = 1 + loom_below(&seed, 70);
    p.tag = (uint32_t)loom_random(&seed);
    uint64_t c = send(b, loom_below(&seed, S_LINKS), p);
    cycles(b, p.words + 20);
    expect_packet(b, p.dest % S_CLASSES, p, 0, c + 7);
    forget_logs(b);
  }
  expect_quiet(b);
  close_router(b);
}

/* ---- rates ----------------------------------------------------------------------------------- */

/* E5-01: a permutation at full rate: every output has a word in every cycle; the VC of the packet
 * before waits for its reply meanwhile. */
static void a_permutation_runs_at_full_rate(void **state) {
  (void)state;
  enum { PACKETS = 8, WORDS = 64 };
  struct elite5_bench *b = open_small();
  struct elite5_packet p[S_LINKS][PACKETS];
  uint64_t c = b->cycle;
  for (uint32_t l = 0; l < S_LINKS; l++)
    for (uint32_t k = 0; k < PACKETS; k++) {
      p[l][k] = unicast(k % S_UNICAST, (l + 3) % S_LINKS, WORDS);
      p[l][k].tag = l << 8 | k;
      send(b, l, p[l][k]);
    }
  cycles(b, PACKETS * WORDS + 20);
  for (uint32_t l = 0; l < S_LINKS; l++)
    for (uint32_t k = 0; k < PACKETS; k++)
      expect_packet(b, (l + 3) % S_LINKS, p[l][k], k % 2, c + WORDS * k + 7);
  expect_quiet(b);
  close_router(b);
}

/* E5-09: two segments that wait in one buffer leave side by side, each at full rate. */
static void two_segments_of_one_input_leave_side_by_side(void **state) {
  (void)state;
  struct elite5_bench *b = open_small();
  write_link(b, 1, LOOM_ELITE5_REG_LINK_CAP, 0);
  write_link(b, 2, LOOM_ELITE5_REG_LINK_CAP, 0);
  struct elite5_packet p = unicast(0, 1, 32), q = unicast(1, 2, 32);
  send(b, 0, p);
  send(b, 0, q);
  cycles(b, 80);
  write_link(b, ALL, LOOM_ELITE5_REG_LINK_CAP, 63);
  cycles(b, 60);
  uint64_t at = b->words[1].event[0].cycle, later = b->words[2].event[0].cycle;
  assert_true(at + 3 >= later && later + 3 >= at && at != later);
  expect_packet(b, 1, p, 0, at);
  expect_packet(b, 2, q, 0, later);
  expect_quiet(b);
  close_router(b);
}

/* E5-01: segments of two packets take turns on a link and leave on two outputs. A segment whose
 * circuit stands waits for no decision: if it finds the reader idle it is out one cycle earlier. */
static void segments_of_two_packets_interleave_on_a_link(void **state) {
  (void)state;
  struct elite5_bench *b = open_small();
  struct elite5_packet p = unicast(0, 1, 96), q = unicast(1, 2, 80);
  uint64_t c = b->cycle;
  for (uint32_t i = 0; i < 96; i += 32) {
    send_part(b, 0, p, i, i + 32);
    send_part(b, 0, q, i, loom_min(i + 32, 80));
  }
  cycles(b, 220);
  for (uint32_t i = 0; i < 96; i += 32) {
    uint64_t way = i ? NEXT_LATENCY : LATENCY;
    expect_part(b, 1, p, i, i + 32, 0, c + 2 * i + way);
    expect_part(b, 2, q, i, loom_min(i + 32, 80), 0, c + 2 * i + 32 + way);
  }
  expect_reply(b, 0, 0, true, c + 159 + 10);
  expect_reply(b, 0, 1, true, c + 175 + 10);
  expect_nothing_else(b);
  expect_quiet(b);
  close_router(b);
}

/* Word i is read 4 cycles after it came, and could be after 2: pauses of up to two cycles do not
 * show. Longer ones do, by an even number of cycles, because a word waits for its phase. */
static uint64_t shown(uint64_t late) { return late > 2 ? (late - 1) & ~1ull : 0; }

/* E5-09. */
static void a_pause_inside_a_segment_delays_the_rest_only(void **state) {
  (void)state;
  for (uint32_t late = 0; late < 9; late++) {
    struct elite5_bench *b = open_small();
    struct elite5_packet p = unicast(0, 1, 6);
    uint64_t c = send_part(b, 0, p, 0, 3);
    cycles(b, 3 + late);
    send_part(b, 0, p, 3, 6);
    cycles(b, 40);
    uint64_t wait = shown(late);
    expect_part(b, 1, p, 0, 3, 0, c + 7);
    expect_part(b, 1, p, 3, 6, 0, c + 10 + wait);
    expect_reply(b, 0, 0, true, c + 5 + wait + 11);
    expect_quiet(b);
    close_router(b);
  }
}

/* ---- who goes first -------------------------------------------------------------------------- */

/* E5-11: packets of n words for one output at once: they follow without a gap, each on the lowest
 * VC that is free; inputs take turns. */
static void inputs_take_turns_at_an_output(void **state) {
  (void)state;
  static const uint32_t inputs[] = {1, 3, 4, 7};
  for (uint32_t words = 1; words <= 32; words *= 2) {
    struct elite5_bench *b = open_small();
    b->answers = 0;
    uint64_t c = 0;
    for (uint32_t i = 0; i < 4; i++)
      c = send(b, inputs[i], unicast(2, 5, words));
    cycles(b, 4 * words + 20);
    for (uint32_t i = 0; i < 4; i++)
      expect_packet(b, 5, unicast(2, 5, words), i, c + 7 + i * words);
    for (uint32_t i = 0; i < 4; i++) {
      reply(b, 5, i, true);
      cycle(b);
    }
    cycles(b, 10);
    for (uint32_t i = 0; i < 4; i++)
      expect_reply(b, inputs[i], 2, true, b->cycle - 14 + i + REPLY_LATENCY);
    /* The output's arbiter stands after input 7 now; it goes on from input 0. */
    b->answers = ~0ull;
    c = send(b, 7, unicast(0, 5, 1));
    send(b, 2, unicast(1, 5, 1));
    cycles(b, 20);
    expect_packet(b, 5, unicast(1, 5, 1), 0, c + 7);
    expect_packet(b, 5, unicast(0, 5, 1), 1, c + 8);
    close_router(b);
  }
}

/* E5-11. */
static void the_output_takes_the_highest_priority_first(void **state) {
  (void)state;
  static const uint32_t prio[] = {0, 3, 1, 3}, order[] = {1, 3, 2, 0};
  struct elite5_bench *b = open_small();
  b->answers = 0;
  struct elite5_packet p[4];
  uint64_t c = 0;
  for (uint32_t i = 0; i < 4; i++) {
    p[i] = unicast(1, 6, 5);
    p[i].prio = prio[i];
    p[i].tag = i;
    c = send(b, i, p[i]);
  }
  cycles(b, 40);
  for (uint32_t i = 0; i < 4; i++)
    expect_packet(b, 6, p[order[i]], i, c + 7 + 5 * i);
  close_router(b);
}

/* E5-11: packets that wait in one input for an output that is busy: the highest priority first, VCs
 * take turns. */
static void the_input_sends_the_highest_priority_first(void **state) {
  (void)state;
  static const uint32_t prio[] = {0, 2, 2}, order[] = {1, 2, 0};
  struct elite5_bench *b = open_small();
  struct elite5_packet first = unicast(0, 6, 32), p[3];
  uint64_t c = send(b, 7, first);
  cycles(b, 4);
  for (uint32_t v = 0; v < 3; v++) {
    p[v] = unicast(v, 6, 2);
    p[v].prio = prio[v];
    send(b, 0, p[v]);
  }
  cycles(b, 60);
  expect_packet(b, 6, first, 0, c + 7);
  for (uint32_t i = 0; i < 3; i++)
    expect_packet(b, 6, p[order[i]], i + 1, c + 7 + 32 + 2 * i);
  close_router(b);
}

/* E5-11: a packet that waits for a busy output does not hold up one for another output. */
static void a_packet_that_waits_does_not_block_one_for_another_output(void **state) {
  (void)state;
  struct elite5_bench *b = open_small();
  send(b, 7, unicast(0, 6, 96));
  cycles(b, 4);
  send(b, 0, unicast(0, 6, 4));
  struct elite5_packet q = unicast(1, 3, 4);
  uint64_t c = send(b, 0, q);
  cycles(b, 20);
  expect_packet(b, 3, q, 0, c + 7);
  cycles(b, 120);
  expect_quiet(b);
  close_router(b);
}

/* E5-11: locked for a segment at a time: two long packets for one output take turns segment by
 * segment. */
static void long_packets_for_one_output_take_turns_by_segment(void **state) {
  (void)state;
  struct elite5_bench *b = open_small();
  struct elite5_packet p = unicast(0, 6, 96), q = unicast(0, 6, 96);
  q.tag = 77;
  uint64_t c = send(b, 0, p);
  send(b, 1, q);
  cycles(b, 260);
  for (uint32_t i = 0; i < 96; i += 32) {
    expect_part(b, 6, p, i, i + 32, 0, c + 7 + 2 * i);
    expect_part(b, 6, q, i, i + 32, 1, c + 7 + 2 * i + 32);
  }
  expect_quiet(b);
  close_router(b);
}

/* ---- credits --------------------------------------------------------------------------------- */

/* E5-10: a VC has one buffer of its own at the far end and what the pool has; without a credit no
 * segment goes. A credit in cycle x lets the next header go out in x + 6. */
static void no_segment_goes_without_a_credit(void **state) {
  (void)state;
  enum { SEGMENTS = S_POOL + 3 };
  struct elite5_bench *b = open_small();
  b->credits = 0;
  struct elite5_packet p = unicast(0, 5, SEGMENTS * SEGMENT);
  uint64_t c = send(b, 0, p);
  cycles(b, p.words + 50);
  expect_part(b, 5, p, 0, (1 + S_POOL) * SEGMENT, 0, c + 7);
  assert_int_equal(words_left(b, 5), 0);
  assert_int_equal(read_link(b, 0, LOOM_ELITE5_REG_LINK_PASSED), 1);
  for (uint32_t s = 1 + S_POOL; s < SEGMENTS; s++) {
    uint64_t x = b->cycle;
    credit(b, 5, 0);
    cycles(b, 60);
    expect_part(b, 5, p, s * SEGMENT, (s + 1) * SEGMENT, 0, x + 6);
    assert_int_equal(words_left(b, 5), 0);
  }
  assert_int_equal(read_link(b, 0, LOOM_ELITE5_REG_LINK_PASSED), 2);
  close_router(b);
}

/* E5-11: the credit that a segment waits for, in every cycle around the one in which it would go:
 * in time, it follows without a gap; else it is passed over, and goes 6 cycles after the credit. */
static void a_credit_that_comes_too_late_lets_the_segment_be_passed_over(void **state) {
  (void)state;
  for (uint32_t late = 0; late < 12; late++) {
    struct elite5_bench *b = open_small();
    b->credits = 0;
    write_link(b, 5, LOOM_ELITE5_REG_LINK_CAP, 1);
    struct elite5_packet p = unicast(0, 5, 64);
    uint64_t c = send(b, 0, p), x = c + 28 + late;
    cycle_to(b, x - 1);
    credit(b, 5, 0);
    cycles(b, 80);
    bool in_time = x <= c + 33; /* it counts from c + 35 on, when the first segment is read */
    expect_part(b, 5, p, 0, 32, 0, c + 7);
    expect_part(b, 5, p, 32, 64, 0, in_time ? c + 39 : x + 6);
    assert_int_equal(read_link(b, 0, LOOM_ELITE5_REG_LINK_PASSED), !in_time);
    close_router(b);
  }
}

/* E5-10: credits that nobody owes, also for VCs that are not and on a link that is down:
 * nothing. */
static void credits_that_nobody_owes_do_nothing(void **state) {
  (void)state;
  struct elite5_bench *b = open_small();
  for (uint32_t v = 0; v < VCS_MAX; v++) {
    credit(b, 5, v);
    cycle(b);
  }
  unplug(b, 5);
  cycles(b, 10);
  for (uint32_t v = 0; v < VCS_MAX; v++) {
    credit(b, 5, v);
    cycle(b);
  }
  bring_up(b, 1 << 5);
  b->credits = 0;
  struct elite5_packet p = unicast(0, 5, (S_POOL + 2) * SEGMENT);
  uint64_t c = send(b, 0, p);
  cycles(b, p.words + 30);
  expect_part(b, 5, p, 0, (1 + S_POOL) * SEGMENT, 0, c + 7);
  assert_int_equal(words_left(b, 5), 0);
  close_router(b);
}

/* E5-10: the pool is empty: every other VC still has its own buffer. */
static void each_vc_has_its_own_buffer_when_the_pool_is_empty(void **state) {
  (void)state;
  struct elite5_bench *b = open_small();
  b->credits = 0;
  b->answers = 0;
  send(b, 0, unicast(0, 5, 6 * SEGMENT));
  cycles(b, 6 * SEGMENT + 20);
  b->words[5].seen = b->words[5].count;
  for (uint32_t i = 1; i < 4; i++) {
    struct elite5_packet p = unicast(0, 5, 33);
    uint64_t c = send(b, i, p);
    cycles(b, 60);
    expect_part(b, 5, p, 0, 32, i, c + 7);
    assert_int_equal(words_left(b, 5), 0);
  }
  close_router(b);
}

/* E5-10: `cap`: most buffers that a VC may use. 0: no VC has any, the packet is not even routed. */
static void the_cap_limits_the_buffers_of_a_vc(void **state) {
  (void)state;
  for (uint32_t cap = 0; cap < 4; cap++) {
    struct elite5_bench *b = open_small();
    b->credits = 0;
    write_link(b, 5, LOOM_ELITE5_REG_LINK_CAP, cap);
    struct elite5_packet p = unicast(0, 5, 4 * SEGMENT);
    uint64_t c = send(b, 0, p);
    cycles(b, 180);
    expect_part(b, 5, p, 0, cap * SEGMENT, 0, c + 7);
    assert_int_equal(words_left(b, 5), 0);
    assert_int_equal(read_link(b, 0, LOOM_ELITE5_REG_LINK_NO_VC) != 0, cap == 0);
    /* Raised, and the credits come back: the rest follows. Whoever was passed over waits for a
     * credit. */
    write_link(b, 5, LOOM_ELITE5_REG_LINK_CAP, 63);
    b->credits = ~0ull;
    if (cap)
      credit(b, 5, 0);
    cycles(b, 150);
    expect_part(b, 5, p, cap * SEGMENT, p.words, 0, b->words[5].event[cap * SEGMENT].cycle);
    close_router(b);
  }
}

/* E5-11: a packet that was passed over for want of a credit does not hold up the others of its
 * input. */
static void others_go_while_one_is_passed_over(void **state) {
  (void)state;
  struct elite5_bench *b = open_small();
  b->credits = ~(1ull << 5);
  write_link(b, 5, LOOM_ELITE5_REG_LINK_CAP, 1);
  struct elite5_packet p = unicast(0, 5, 64), q = unicast(1, 3, 64);
  send(b, 0, p);
  uint64_t c = send(b, 0, q);
  cycles(b, 150);
  expect_packet(b, 3, q, 0, c + 7);
  assert_int_equal(words_left(b, 5), 32);
  close_router(b);
}

/* ---- VCs ------------------------------------------------------------------------------------- */

/* E5-12, E5-13: pending counts the VCs that are allocated; one is free again with its reply. */
static void pending_counts_the_vcs_that_are_allocated(void **state) {
  (void)state;
  struct elite5_bench *b = open_small();
  b->answers = 0;
  for (uint32_t i = 0; i < 4; i++) {
    send(b, i, unicast(i, 5, 2));
    cycles(b, 20);
    assert_int_equal(read_link(b, 5, LOOM_ELITE5_REG_LINK_PENDING), i + 1);
    assert_int_equal(read_link(b, 5, LOOM_ELITE5_REG_LINK_ALLOCATED), (1u << (i + 1)) - 1);
    assert_int_equal(read_link(b, i, LOOM_ELITE5_REG_LINK_NOT_IDLE), 1u << i);
  }
  static const uint32_t order[] = {1, 3, 0, 2};
  uint32_t allocated = 15;
  for (uint32_t k = 0; k < 4; k++) {
    uint32_t w = order[k];
    uint64_t r = b->cycle;
    reply(b, 5, w, k & 1);
    cycles(b, 6);
    expect_reply(b, w, w, k & 1, r + REPLY_LATENCY);
    allocated &= ~(1u << w);
    assert_int_equal(read_link(b, 5, LOOM_ELITE5_REG_LINK_PENDING), 3 - k);
    assert_int_equal(read_link(b, 5, LOOM_ELITE5_REG_LINK_ALLOCATED), allocated);
    assert_int_equal(read_link(b, w, LOOM_ELITE5_REG_LINK_NOT_IDLE), 0);
  }
  expect_quiet(b);
  close_router(b);
}

/* E5-13: `vc_limit` keeps the upper VCs from being allocated; never those for broadcasts. */
static void vc_limit_keeps_the_upper_vcs_from_being_allocated(void **state) {
  (void)state;
  for (uint32_t limit = 0; limit < 7; limit++) {
    struct elite5_bench *b = open_small();
    b->answers = 0;
    write_link(b, 5, LOOM_ELITE5_REG_LINK_VC_LIMIT, limit);
    for (uint32_t i = 0; i < 7; i++)
      send(b, i, unicast(0, 5, 1));
    cycles(b, 60);
    uint32_t vcs = loom_min(limit, S_UNICAST);
    assert_int_equal(words_left(b, 5), vcs);
    assert_int_equal(read_link(b, 5, LOOM_ELITE5_REG_LINK_ALLOCATED), (1u << vcs) - 1);
    close_router(b);
  }
}

/* E5-13: the lowest VC that is free. */
static void a_packet_takes_the_lowest_free_vc(void **state) {
  (void)state;
  struct elite5_bench *b = open_small();
  b->answers = 0;
  for (uint32_t i = 0; i < 4; i++)
    send(b, i, unicast(0, 5, 1));
  cycles(b, 20);
  reply(b, 5, 2, true);
  cycle(b);
  reply(b, 5, 1, true);
  cycles(b, 10);
  b->words[5].seen = b->words[5].count;
  for (uint32_t w = 1; w < 3; w++) {
    uint64_t c = send(b, 4 + w, unicast(3, 5, 1));
    cycles(b, 20);
    expect_packet(b, 5, unicast(3, 5, 1), w, c + 7);
  }
  close_router(b);
}

/* ---- replies --------------------------------------------------------------------------------- */

/* E5-12: the tail is read in the fourth cycle after its arrival; a reply that comes in this cycle
 * is the first that is not an error. */
static void the_earliest_reply_comes_as_the_tail_is_read(void **state) {
  (void)state;
  for (uint32_t early = 0; early < 3; early++) {
    struct elite5_bench *b = open_small();
    b->answers = 0;
    uint64_t c = send(b, 0, unicast(1, 5, 3)), r = c + 2 + 4 - early;
    cycle_to(b, r - 1);
    reply(b, 5, 0, true);
    cycles(b, 30);
    if (early == 0)
      expect_reply(b, 0, 1, true, r + REPLY_LATENCY);
    assert_int_equal(replies_left(b, 0), 0);
    assert_int_equal(read_link(b, 5, LOOM_ELITE5_REG_LINK_REPLY_ERRORS), early != 0);
    assert_int_equal(read_link(b, 5, LOOM_ELITE5_REG_LINK_PENDING), early != 0);
    close_router(b);
  }
}

/* E5-12: replies that belong to nothing: of a VC that is free, that does not exist, that has had
 * its reply. */
static void a_reply_that_belongs_to_nothing_is_an_error(void **state) {
  (void)state;
  struct elite5_bench *b = open_small();
  b->answers = 0;
  static const uint32_t odd[] = {0, 3, 4, 5, 6, 31};
  for (uint32_t i = 0; i < 6; i++) {
    reply(b, 5, odd[i], true);
    cycles(b, 6);
    assert_int_equal(read_link(b, 5, LOOM_ELITE5_REG_LINK_REPLY_ERRORS), i + 1);
  }
  send(b, 0, unicast(1, 5, 3));
  cycles(b, 20);
  uint64_t r = b->cycle;
  reply(b, 5, 0, false);
  cycle(b);
  reply(b, 5, 0, true);
  cycles(b, 10);
  expect_reply(b, 0, 1, false, r + REPLY_LATENCY);
  assert_int_equal(replies_left(b, 0), 0);
  assert_int_equal(read_link(b, 5, LOOM_ELITE5_REG_LINK_REPLY_ERRORS), 7);
  for (uint32_t l = 0; l < S_LINKS; l++)
    assert_int_equal(read_link(b, l, LOOM_ELITE5_REG_LINK_REPLY_ERRORS), l == 5 ? 7 : 0);
  expect_packet(b, 5, unicast(1, 5, 3), 0, b->words[5].event[0].cycle);
  expect_quiet(b);
  close_router(b);
}

/* E5-12: replies of two outputs for one input in one cycle: one after the other, in turns. */
static void replies_of_two_outputs_for_one_input_take_turns(void **state) {
  (void)state;
  struct elite5_bench *b = open_small();
  b->answers = 0;
  static const uint32_t first[] = {2, 2, 6};
  for (uint32_t k = 0; k < 3; k++) {
    send(b, 0, unicast(0, 2, 1));
    send(b, 0, unicast(1, 6, 1));
    cycles(b, 20);
    if (k == 2) { /* a reply of output 2 alone before: output 6 is first then */
      reply(b, 2, 0, true);
      cycles(b, 10);
      next_reply(b, 0);
      send(b, 0, unicast(0, 2, 1));
      cycles(b, 20);
    }
    uint64_t r = b->cycle;
    reply(b, 2, 0, true);
    reply(b, 6, 0, true);
    cycles(b, 10);
    bool six = first[k] == 6;
    expect_reply(b, 0, six, true, r + 3);
    expect_reply(b, 0, !six, true, r + 4);
  }
  expect_no_trap(b);
  close_router(b);
}

/* E5-12: a VC takes its next packet when its reply has gone: the header may be on the link in the
 * cycle before the reply is. One cycle earlier it is a link error, and skipped. */
static void a_vc_is_used_again_after_its_reply(void **state) {
  (void)state;
  for (uint32_t early = 0; early < 2; early++) {
    struct elite5_bench *b = open_small();
    b->answers = 0;
    send(b, 0, unicast(1, 5, 1));
    cycles(b, 20);
    next_word(b, 5);
    uint64_t r = b->cycle;
    reply(b, 5, 0, true);
    cycle_to(b, r + 1 - early);
    struct elite5_packet p = unicast(1, 6, 3);
    uint64_t c = send(b, 0, p);
    assert_int_equal(c, r + 2 - early);
    b->answers = ~0ull;
    cycles(b, 30);
    expect_reply(b, 0, 1, true, r + 3);
    if (!early) {
      expect_packet(b, 6, p, 0, c + 7);
      expect_reply(b, 0, 1, true, c + 2 + 11);
    }
    assert_int_equal(read_link(b, 0, LOOM_ELITE5_REG_LINK_LINK_ERRORS), early);
    assert_int_equal(read_link(b, 0, LOOM_ELITE5_REG_LINK_PACKETS_IN), 2 - early);
    expect_nothing_else(b);
    expect_quiet(b);
    close_router(b);
  }
}

/* ---- arrival --------------------------------------------------------------------------------- */

static void expect_errors(struct elite5_bench *b, uint32_t link, uint32_t header, uint32_t links) {
  assert_int_equal(read_link(b, link, LOOM_ELITE5_REG_LINK_HEADER_ERRORS), header);
  assert_int_equal(read_link(b, link, LOOM_ELITE5_REG_LINK_LINK_ERRORS), links);
}

/* The next packet on this link and VC goes through as if nothing had been. */
static void expect_works(struct elite5_bench *b, uint32_t link, uint32_t vc) {
  struct elite5_packet p = unicast(vc, 3, 40);
  uint64_t c = send(b, link, p);
  cycles(b, 60);
  expect_packet(b, 3, p, 0, c + 7);
  expect_reply(b, link, vc, true, c + 39 + 11);
  expect_nothing_else(b);
  expect_quiet(b);
}

/* Case 1: a VC that does not exist. The segment is skipped, in silence. */
static void a_segment_on_a_vc_that_does_not_exist_is_skipped(void **state) {
  (void)state;
  for (uint32_t words = 1; words <= 64; words += 21) {
    struct elite5_bench *b = open_small();
    send(b, 0, unicast(S_VCS, 5, words));
    cycles(b, words + 20);
    expect_errors(b, 0, 0, words > 32 ? 2 : 1); /* one a segment */
    assert_int_equal(read_link(b, 0, LOOM_ELITE5_REG_LINK_WORDS_IN), 0);
    assert_int_equal(b->freed[0].count, 0);
    expect_works(b, 0, 0);
    close_router(b);
  }
}

/* E5-36: case 2: READY of a link that is UP already means nothing. */
static void ready_on_a_link_that_is_up_means_nothing(void **state) {
  (void)state;
  struct elite5_bench *b = open_small();
  struct elite5_packet p = unicast(0, 3, 64);
  uint64_t c = send_part(b, 0, p, 0, 32);
  for (uint32_t i = 0; i < 4; i++)
    send_control(b, 0, LOOM_ELITE5_READY, 0);
  send_part(b, 0, p, 32, 64);
  cycles(b, 100);
  expect_part(b, 3, p, 0, 32, 0, c + 7);
  expect_part(b, 3, p, 32, 64, 0, c + 36 + NEXT_LATENCY);
  expect_reply(b, 0, 0, true, c + 67 + 10);
  expect_errors(b, 0, 0, 0);
  expect_works(b, 0, 0);
  close_router(b);
}

/* Other link control, and READY without a tail, are no packets: drained and refused. */
static void other_link_control_is_drained_and_refused(void **state) {
  (void)state;
  static const struct {
    uint64_t info;
    uint32_t sub;
    bool tail;
  } odd[] = {{1, 2, true}, {0x5100000000, 0, true}, {0, 1, true}, {0, 2, false}};
  for (uint32_t k = 0; k < 4; k++) {
    struct elite5_bench *b = open_small();
    uint64_t word = loom_elite5_control((enum loom_elite5_sub)odd[k].sub, odd[k].info);
    uint64_t c = send_word(b, 0, true, odd[k].tail, 2, word);
    if (!odd[k].tail)
      send_word(b, 0, false, true, 2, 0);
    cycles(b, 20);
    expect_reply(b, 0, 2, false, c + (odd[k].tail ? 5 : 6));
    expect_errors(b, 0, 0, 1);
    expect_works(b, 0, 2);
    close_router(b);
  }
}

/* E5-08: case 3: more segments than the buffer has room for. The one that does not fit is
 * skipped. */
static void a_segment_without_room_is_skipped(void **state) {
  (void)state;
  struct elite5_bench *b = open_small();
  write_link(b, 5, LOOM_ELITE5_REG_LINK_CAP, 0);
  struct elite5_packet p = unicast(0, 5, (S_POOL + 3) * SEGMENT);
  const uint32_t fits = (S_POOL + 1) * SEGMENT;
  send_part(b, 0, p, 0, fits + SEGMENT);
  cycles(b, fits + SEGMENT + 10);
  expect_errors(b, 0, 0, 1);
  assert_int_equal(read_link(b, 0, LOOM_ELITE5_REG_LINK_WORDS_IN), fits);
  assert_int_equal(read_link(b, 0, LOOM_ELITE5_REG_LINK_SEGMENTS_IN), S_POOL + 1);
  write_link(b, 5, LOOM_ELITE5_REG_LINK_CAP, 63);
  cycles(b, fits + 30);
  expect_part(b, 5, p, 0, fits, 0, b->words[5].event[0].cycle);
  uint64_t c = send_part(b, 0, p, fits + SEGMENT, p.words);
  cycles(b, 60);
  expect_part(b, 5, p, fits + SEGMENT, p.words, 0, c + NEXT_LATENCY);
  expect_reply(b, 0, 0, true, c + 31 + 10);
  expect_works(b, 0, 0);
  close_router(b);
}

/* Case 3: a packet on a VC whose packet is complete but has no reply yet. */
static void a_packet_on_a_vc_without_its_reply_is_skipped(void **state) {
  (void)state;
  struct elite5_bench *b = open_small();
  b->answers = ~(1ull << 5);
  struct elite5_packet p = unicast(1, 5, 3);
  uint64_t c = send(b, 0, p);
  send(b, 0, unicast(1, 3, 40));
  cycles(b, 70);
  expect_packet(b, 5, p, 0, c + 7);
  expect_errors(b, 0, 0, 2);
  assert_int_equal(read_link(b, 0, LOOM_ELITE5_REG_LINK_PACKETS_IN), 1);
  uint64_t r = b->cycle;
  reply(b, 5, 0, true);
  cycles(b, 10);
  expect_reply(b, 0, 1, true, r + 3);
  expect_works(b, 0, 1);
  close_router(b);
}

/* Case 5: a first word with a wrong CRC: not routed, drained, refused after its tail. */
static void a_first_word_with_a_wrong_crc_is_drained_and_refused(void **state) {
  (void)state;
  static const uint32_t words[] = {1, 2, 32, 33, 70};
  for (uint32_t k = 0; k < 5; k++) {
    struct elite5_bench *b = open_small();
    struct elite5_packet p = unicast(1, 5, words[k]);
    uint64_t c = send_word(b, 0, true, words[k] == 1, 1, packet_word(&p, 0, 1) ^ 1);
    send_part(b, 0, p, 1, words[k]);
    cycles(b, words[k] + 20);
    expect_reply(b, 0, 1, false, c + words[k] + 4);
    expect_freed(b, 0, 1, c + loom_min(words[k], 32) + 4);
    expect_errors(b, 0, 1, 0);
    assert_int_equal(read_link(b, 0, LOOM_ELITE5_REG_LINK_PACKETS_IN), 0);
    assert_int_equal(read_link(b, 0, LOOM_ELITE5_REG_LINK_WORDS_IN), words[k]);
    assert_int_equal(read_link(b, 0, LOOM_ELITE5_REG_LINK_OWN_NACKS), 1);
    expect_works(b, 0, 1);
    close_router(b);
  }
}

/* E5-07: case 5: every single bit of the first word turned: never routed. */
static void any_turned_bit_of_a_first_word_is_found(void **state) {
  (void)state;
  struct elite5_bench *b = open_small();
  write_reg(b, LOOM_ELITE5_REG_LIMIT_REDUNDANT, 64);
  struct elite5_packet p = unicast(1, 5, 2);
  for (uint32_t bit = 0; bit < 64; bit++) {
    uint64_t c = send_word(b, 0, true, false, 1, packet_word(&p, 0, 1) ^ 1ull << bit);
    send_part(b, 0, p, 1, 2);
    cycles(b, 20);
    expect_reply(b, 0, 1, false, c + 6);
  }
  expect_nothing_else(b);
  expect_errors(b, 0, 64, 0);
  expect_works(b, 0, 1);
  close_router(b);
}

/* Case 5: a segment that begins no packet, with a right CRC: a link error. */
static void a_continuation_without_a_packet_is_a_link_error(void **state) {
  (void)state;
  static const uint32_t types[] = {3, 4, 5, 6};
  for (uint32_t k = 0; k < 4; k++) {
    struct elite5_bench *b = open_small();
    struct loom_elite5_continuation h = {.type = (uint8_t)types[k], .vc = 1, .len = 4};
    struct loom_elite5_first ack = {.type = 5, .vc = 1};
    uint64_t word =
        types[k] == 5 ? loom_elite5_pack_first(&ack) : loom_elite5_pack_continuation(&h);
    uint64_t c = send_word(b, 0, true, true, 1, word);
    cycles(b, 20);
    expect_reply(b, 0, 1, false, c + 5);
    expect_errors(b, 0, 0, 1);
    expect_works(b, 0, 1);
    close_router(b);
  }
}

/* Case 6: continuations of all three types go through; a void one stays one. */
static void continuations_of_all_types_go_through(void **state) {
  (void)state;
  static const uint8_t types[] = {3, 4, 6};
  struct elite5_bench *b = open_small();
  struct elite5_packet p = unicast(1, 5, 128);
  uint64_t c = send_part(b, 0, p, 0, 32);
  struct loom_elite5_continuation h[3];
  for (uint32_t k = 0; k < 3; k++) {
    h[k] = (struct loom_elite5_continuation){types[k], 1, 252, 0xABC0 + k};
    send_word(b, 0, true, false, 1, loom_elite5_pack_continuation(&h[k]));
    send_part(b, 0, p, 32 * k + 33, 32 * k + 64);
  }
  cycles(b, 150);
  expect_part(b, 5, p, 0, 32, 0, c + 7);
  for (uint32_t k = 0; k < 3; k++) {
    h[k].vc = 0;
    expect_word(b, 5, true, false, 0, loom_elite5_pack_continuation(&h[k]), c + 7 + 32 * (k + 1));
    expect_part(b, 5, p, 32 * k + 33, 32 * k + 64, 0, c + 8 + 32 * (k + 1));
  }
  expect_reply(b, 0, 1, true, c + 127 + 11);
  expect_errors(b, 0, 0, 0);
  expect_works(b, 0, 1);
  close_router(b);
}

/* What the void segment in place of words from .. to - 1 of a packet looks like. */
static void expect_void(struct elite5_bench *b, uint32_t link, const struct elite5_packet *p,
                        uint32_t from, uint32_t to, uint32_t vc, uint64_t at) {
  for (uint32_t i = from; i < to; i++)
    expect_word(b, link, i == from, i + 1 == p->words, vc, i == from ? loom_elite5_void(vc) : 0,
                at + i - from);
}

/* Case 7: a continuation whose header is wrong becomes a void segment: its data are 0, the rest of
 * the packet and its length stay. */
static void a_wrong_continuation_becomes_a_void_segment(void **state) {
  (void)state;
  struct elite5_packet p = unicast(1, 5, 100);
  const uint64_t right = packet_word(&p, 64, 1);
  const struct loom_elite5_first again = {.type = 0, .vc = 1}, ack = {.type = 5, .vc = 1};
  const struct {
    uint64_t word;
    bool header;
  } odd[] = {{right ^ 1ull << 63, true},
             {right ^ 1ull << 56, true},
             {right ^ 1ull << 32, true},
             {loom_elite5_pack_first(&again), false},
             {loom_elite5_pack_first(&again) ^ 2, true},
             {loom_elite5_pack_first(&ack), false},
             {loom_elite5_control(LOOM_ELITE5_IDENTIFY, 3), false},
             {loom_elite5_control(LOOM_ELITE5_READY, 0), false}}; /* no tail: not as in case 2 */
  for (uint32_t k = 0; k < sizeof odd / sizeof *odd; k++) {
    struct elite5_bench *b = open_small();
    uint64_t c = send_part(b, 0, p, 0, 64);
    send_word(b, 0, true, false, 1, odd[k].word);
    send_part(b, 0, p, 65, 100);
    cycles(b, 130);
    expect_part(b, 5, p, 0, 64, 0, c + 7);
    expect_void(b, 5, &p, 64, 96, 0, c + 7 + 64);
    expect_part(b, 5, p, 96, 100, 0, c + 7 + 96);
    expect_reply(b, 0, 1, true, c + 99 + 11); /* what the far end says: it saw the void */
    expect_errors(b, 0, odd[k].header, !odd[k].header);
    assert_int_equal(read_link(b, 0, LOOM_ELITE5_REG_LINK_WORDS_IN), 100);
    expect_works(b, 0, 1);
    close_router(b);
  }
}

/* Case 7 in a last segment of any length. */
static void a_wrong_last_segment_keeps_its_length(void **state) {
  (void)state;
  for (uint32_t words = 33; words <= 64; words += words < 35 ? 1 : 29) {
    struct elite5_bench *b = open_small();
    struct elite5_packet p = unicast(1, 5, words);
    uint64_t c = send_part(b, 0, p, 0, 32);
    send_word(b, 0, true, words == 33, 1, packet_word(&p, 32, 1) ^ 1ull << 40);
    send_part(b, 0, p, 33, words);
    cycles(b, words + 20);
    expect_part(b, 5, p, 0, 32, 0, c + 7);
    expect_void(b, 5, &p, 32, words, 0, c + 7 + 32);
    expect_reply(b, 0, 1, true, c + words + 10);
    expect_errors(b, 0, 1, 0);
    expect_works(b, 0, 1);
    close_router(b);
  }
}

/* A head flag inside a segment is a link error, whatever VC stands beside it; the word belongs to
 * the segment all the same, also the last one. */
static void a_head_inside_a_segment_is_an_error_and_still_belongs_to_it(void **state) {
  (void)state;
  for (uint32_t at = 1; at < 8; at++) {
    struct elite5_bench *b = open_small();
    struct elite5_packet p = unicast(1, 5, 8);
    uint64_t c = send_part(b, 0, p, 0, at);
    send_word(b, 0, true, at == 7, at * 4, packet_word(&p, at, 1));
    send_part(b, 0, p, at + 1, 8);
    cycles(b, 30);
    expect_packet(b, 5, p, 0, c + 7);
    expect_reply(b, 0, 1, true, c + 7 + 11);
    expect_errors(b, 0, 0, 1);
    expect_works(b, 0, 1);
    close_router(b);
  }
}

/* The same in a segment that is skipped. */
static void a_head_inside_a_skipped_segment_is_an_error(void **state) {
  (void)state;
  struct elite5_bench *b = open_small();
  struct elite5_packet p = unicast(S_VCS + 2, 5, 8);
  send_part(b, 0, p, 0, 3);
  send_word(b, 0, true, false, 1, packet_word(&p, 0, 1));
  send_part(b, 0, p, 4, 8);
  cycles(b, 30);
  expect_errors(b, 0, 0, 2);
  expect_works(b, 0, 1);
  close_router(b);
}

/* A word that belongs to no segment: alone, after a tail, as 33rd. */
static void a_word_that_belongs_to_no_segment_is_an_error(void **state) {
  (void)state;
  struct elite5_bench *b = open_small();
  send_word(b, 0, false, false, 1, 5);
  send_word(b, 0, false, true, 1, 6);
  struct elite5_packet p = unicast(1, 5, 3), q = unicast(2, 6, 64);
  uint64_t c = send(b, 0, p);
  send_word(b, 0, false, false, 1, 7);
  uint64_t d = send_part(b, 0, q, 0, 32);
  send_word(b, 0, false, true, 2, 8);
  uint64_t e = send_part(b, 0, q, 32, 64);
  cycles(b, 100);
  expect_packet(b, 5, p, 0, c + 7);
  expect_part(b, 6, q, 0, 32, 0, d + 7);
  expect_part(b, 6, q, 32, 64, 0, e + NEXT_LATENCY);
  expect_reply(b, 0, 1, true, c + 2 + 11);
  expect_reply(b, 0, 2, true, e + 31 + 10);
  expect_errors(b, 0, 0, 4);
  assert_int_equal(read_link(b, 0, LOOM_ELITE5_REG_LINK_WORDS_IN), 67);
  expect_works(b, 0, 1);
  close_router(b);
}

/* E5-06: the VC of a packet is the link's, whatever its header says. */
static void the_vc_of_the_link_counts_and_not_that_of_the_header(void **state) {
  (void)state;
  struct elite5_bench *b = open_small();
  struct elite5_packet p = unicast(3, 5, 40);
  for (uint32_t i = 0; i < 40; i++)
    send_word(b, 0, i % 32 == 0, i == 39, 2, packet_word(&p, i, 3));
  uint64_t c = b->cycle;
  cycles(b, 60);
  expect_packet(b, 5, p, 0, c + 7);
  expect_reply(b, 0, 2, true, c + 39 + 11);
  expect_works(b, 0, 2);
  close_router(b);
}

/* ---- an input goes down ---------------------------------------------------------------------- */

/* E5-25: in mid-segment: a closing word {tail, data 0} enters in x + 2, after a word in x, and
 * ends the packet; nobody is there to hear the reply. */
static void an_input_lost_inside_a_segment_closes_the_packet(void **state) {
  (void)state;
  static const uint32_t words[] = {1, 2, 5, 30, 31, 34, 40};
  for (uint32_t k = 0; k < 7; k++) {
    struct elite5_bench *b = open_small();
    struct elite5_packet p = unicast(1, 5, 64);
    uint64_t c = send_part(b, 0, p, 0, words[k]), x = c + words[k] - 1;
    cycle_to(b, x - 1);
    unplug(b, 0); /* the last word is on the link in x, in which the link is UP still */
    cycle(b);
    assert_int_equal(b->probe.up & 1, 1);
    cycle(b);
    assert_int_equal(b->probe.up & 1, 0);
    cycles(b, 40);
    expect_part(b, 5, p, 0, words[k], 0, c + 7);
    expect_word(b, 5, false, true, 0, 0, x + 1 + LATENCY); /* one cycle late */
    assert_int_equal(replies_left(b, 0), 0);
    expect_trap(b, LINK_DOWN, 0, 0, 0, 0);
    bring_up(b, 1);
    expect_errors(b, 0, 0, 0);
    assert_int_equal(read_link(b, 0, LOOM_ELITE5_REG_LINK_WORDS_IN), words[k] + 1);
    expect_works(b, 0, 1);
    close_router(b);
  }
}

/* E5-25: nothing on the link in x: the closing word enters in x + 1. */
static void an_input_lost_in_a_pause_closes_the_packet_a_cycle_earlier(void **state) {
  (void)state;
  struct elite5_bench *b = open_small();
  struct elite5_packet p = unicast(1, 5, 64);
  uint64_t c = send_part(b, 0, p, 0, 4);
  cycle_to(b, c + 9);
  unplug(b, 0);
  uint64_t x = b->cycle;
  cycles(b, 40);
  expect_part(b, 5, p, 0, 4, 0, c + 7);
  expect_word(b, 5, false, true, 0, 0, c + 4 + LATENCY + shown(x + 1 - (c + 4)));
  expect_trap(b, LINK_DOWN, 0, 0, 0, 0);
  bring_up(b, 1);
  expect_works(b, 0, 1);
  close_router(b);
}

/* E5-25: between two segments: VOID with a tail ends the packet. */
static void an_input_lost_between_segments_closes_the_packet_with_void(void **state) {
  (void)state;
  for (uint32_t segments = 1; segments < 3; segments++) {
    struct elite5_bench *b = open_small();
    struct elite5_packet p = unicast(1, 5, 96);
    uint64_t c = send_part(b, 0, p, 0, 32 * segments);
    cycle_to(b, c + 90);
    unplug(b, 0);
    uint64_t x = b->cycle;
    cycles(b, 40);
    expect_part(b, 5, p, 0, 32 * segments, 0, c + 7);
    expect_word(b, 5, true, true, 0, loom_elite5_void(0), x + 1 + NEXT_LATENCY);
    assert_int_equal(replies_left(b, 0), 0);
    assert_int_equal(b->freed[0].count, segments); /* VOID's slot is not given back any more */
    assert_int_equal(read_link(b, 0, LOOM_ELITE5_REG_LINK_NOT_IDLE), 0);
    assert_int_equal(read_link(b, 5, LOOM_ELITE5_REG_LINK_PENDING), 0);
    expect_trap(b, LINK_DOWN, 0, 0, 0, 0);
    bring_up(b, 1);
    expect_works(b, 0, 1);
    close_router(b);
  }
}

/* E5-25: several packets open: one after the other is closed, the segment on the link first, then
 * the lowest VC. A closing word goes in every other cycle. */
static void all_open_packets_of_a_lost_input_are_closed_in_order(void **state) {
  (void)state;
  struct elite5_bench *b = open_small();
  struct elite5_packet p[3];
  for (uint32_t v = 0; v < 3; v++)
    p[v] = unicast(v, 1 + v, 64);
  send_part(b, 0, p[0], 0, 32);
  send_part(b, 0, p[2], 0, 32);
  uint64_t c = send_part(b, 0, p[1], 0, 10);
  cycle_to(b, c + 9);
  unplug(b, 0);
  uint64_t x = b->cycle;
  cycles(b, 60);
  expect_part(b, 1, p[0], 0, 32, 0, c - 64 + 7);
  expect_part(b, 3, p[2], 0, 32, 0, c - 32 + 7);
  expect_part(b, 2, p[1], 0, 10, 0, c + 7);
  /* Closing words enter in x + 1, x + 3, x + 5. The first is one cycle late. */
  expect_word(b, 2, false, true, 0, 0, x + LATENCY);
  expect_word(b, 1, true, true, 0, loom_elite5_void(0), x + 3 + NEXT_LATENCY);
  expect_word(b, 3, true, true, 0, loom_elite5_void(0), x + 5 + NEXT_LATENCY);
  cycles(b, 20);
  expect_trap(b, LINK_DOWN, 0, 0, 0, 0);
  bring_up(b, 1);
  for (uint32_t v = 0; v < 3; v++)
    expect_works(b, 0, v);
  close_router(b);
}

/* E5-25: a segment that was being skipped is closed too. */
static void a_segment_that_was_being_skipped_is_closed_too(void **state) {
  (void)state;
  struct elite5_bench *b = open_small();
  send_part(b, 0, unicast(S_VCS, 5, 64), 0, 10);
  cycles(b, 15);
  unplug(b, 0);
  cycles(b, 20);
  assert_int_equal(read_link(b, 0, LOOM_ELITE5_REG_LINK_WORDS_IN), 0);
  expect_trap(b, LINK_DOWN, 0, 0, 0, 0);
  bring_up(b, 1);
  expect_works(b, 0, 1);
  expect_errors(b, 0, 0, 1);
  close_router(b);
}

/* ---- an output goes down --------------------------------------------------------------------- */

/* E5-25: after the tail, before the reply: NACKs by itself, the lowest VC first, one a cycle. */
static void an_output_lost_after_the_tail_refuses_every_packet_that_waits(void **state) {
  (void)state;
  struct elite5_bench *b = open_small();
  b->answers = 0;
  for (uint32_t i = 0; i < 3; i++)
    send(b, i, unicast(1, 5, 2));
  cycles(b, 30);
  unplug(b, 5);
  uint64_t x = b->cycle;
  cycles(b, 20);
  for (uint32_t i = 0; i < 3; i++) {
    expect_packet(b, 5, unicast(1, 5, 2), i, b->words[5].event[2 * i].cycle);
    expect_reply(b, i, 1, false, x + 3 + i);
  }
  expect_nothing_else(b);
  expect_trap(b, LINK_DOWN, 5, 0, 0, 0);
  expect_quiet(b);
  close_router(b);
}

/* E5-25: in mid-packet: what is read from x - 1 on does not leave; the packet is swallowed to its
 * tail, also its segments to come, without credits, and refused 7 cycles after its tail arrived. */
static void an_output_lost_inside_a_packet_swallows_the_rest(void **state) {
  (void)state;
  for (uint32_t words = 20; words <= 400; words += 95) {
    struct elite5_bench *b = open_small();
    b->credits = 0;
    struct elite5_packet p = unicast(1, 5, words);
    uint64_t c = send(b, 0, p);
    cycle_to(b, c + 14);
    unplug(b, 5);
    uint64_t x = b->cycle;
    cycles(b, words + 30);
    expect_part(b, 5, p, 0, (uint32_t)(x + 1 - (c + 7)) + 1, 0, c + 7);
    expect_reply(b, 0, 1, false, c + words - 1 + 7);
    expect_nothing_else(b);
    expect_trap(b, LINK_DOWN, 5, 0, 0, 0);
    expect_quiet(b);
    close_router(b);
  }
}

/* E5-25: a packet that stands still for want of credits when its output goes down. */
static void an_output_lost_while_a_packet_has_no_credits_refuses_it(void **state) {
  (void)state;
  struct elite5_bench *b = open_small();
  b->credits = 0;
  write_link(b, 5, LOOM_ELITE5_REG_LINK_CAP, 1);
  struct elite5_packet p = unicast(1, 5, 96);
  send(b, 0, p);
  cycles(b, 130);
  assert_int_equal(words_left(b, 5), 32);
  unplug(b, 5);
  cycles(b, 90);
  assert_int_equal(words_left(b, 5), 32);
  struct elite5_event e = next_reply(b, 0);
  assert_true(!e.ack && e.vc == 1);
  expect_trap(b, LINK_DOWN, 5, 0, 0, 0);
  forget_logs(b);
  expect_quiet(b);
  close_router(b);
}

/* E5-25: several packets of one input are refused here at the same time, each once: they wait for a
 * link that goes down, so both readers drain them side by side. */
static void packets_that_wait_for_a_lost_link_are_refused_once_each(void **state) {
  (void)state;
  for (uint32_t words = 1; words < 9; words++) {
    struct elite5_bench *b = open_small();
    write_link(b, 5, LOOM_ELITE5_REG_LINK_VC_LIMIT, 0);
    for (uint32_t v = 0; v < 4; v++)
      send(b, 0, unicast(v, 5, v & 1 ? 4 : words));
    cycles(b, 40);
    unplug(b, 5);
    cycles(b, 60);
    uint32_t refused = 0;
    for (uint32_t i = 0; i < 4; i++) {
      struct elite5_event e = next_reply(b, 0);
      assert_false(e.ack);
      refused |= 1u << e.vc;
    }
    assert_int_equal(refused, 15);
    expect_nothing_else(b);
    assert_int_equal(read_link(b, 0, LOOM_ELITE5_REG_LINK_OWN_NACKS), 4);
    assert_int_equal(read_reg(b, LOOM_ELITE5_REG_TRAPS), 5);
    while (b->out.trap)
      read_reg(b, LOOM_ELITE5_REG_TRAP);
    expect_quiet(b);
    close_router(b);
  }
}

/* E5-25: a link that came back has all its credits and VCs. */
static void a_link_that_comes_back_has_all_credits_and_vcs(void **state) {
  (void)state;
  struct elite5_bench *b = open_small();
  b->credits = 0;
  send(b, 0, unicast(1, 5, 160));
  cycles(b, 200);
  unplug(b, 5);
  cycles(b, 20);
  expect_trap(b, LINK_DOWN, 5, 0, 0, 0);
  bring_up(b, 1 << 5);
  struct elite5_packet p = unicast(1, 5, 160);
  uint64_t c = send(b, 0, p);
  cycles(b, 200);
  expect_packet(b, 5, p, 0, c + 7);
  close_router(b);
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_packet_alone_takes_its_cycles_exactly),
      cmocka_unit_test(every_link_reaches_every_link),
      cmocka_unit_test(routers_at_both_ends_of_the_range_pass_packets),
      cmocka_unit_test(only_the_vc_and_the_crc_change_on_the_way),
      cmocka_unit_test(a_permutation_runs_at_full_rate),
      cmocka_unit_test(two_segments_of_one_input_leave_side_by_side),
      cmocka_unit_test(segments_of_two_packets_interleave_on_a_link),
      cmocka_unit_test(a_pause_inside_a_segment_delays_the_rest_only),
      cmocka_unit_test(inputs_take_turns_at_an_output),
      cmocka_unit_test(the_output_takes_the_highest_priority_first),
      cmocka_unit_test(the_input_sends_the_highest_priority_first),
      cmocka_unit_test(a_packet_that_waits_does_not_block_one_for_another_output),
      cmocka_unit_test(long_packets_for_one_output_take_turns_by_segment),
      cmocka_unit_test(no_segment_goes_without_a_credit),
      cmocka_unit_test(a_credit_that_comes_too_late_lets_the_segment_be_passed_over),
      cmocka_unit_test(credits_that_nobody_owes_do_nothing),
      cmocka_unit_test(each_vc_has_its_own_buffer_when_the_pool_is_empty),
      cmocka_unit_test(the_cap_limits_the_buffers_of_a_vc),
      cmocka_unit_test(others_go_while_one_is_passed_over),
      cmocka_unit_test(pending_counts_the_vcs_that_are_allocated),
      cmocka_unit_test(vc_limit_keeps_the_upper_vcs_from_being_allocated),
      cmocka_unit_test(a_packet_takes_the_lowest_free_vc),
      cmocka_unit_test(the_earliest_reply_comes_as_the_tail_is_read),
      cmocka_unit_test(a_reply_that_belongs_to_nothing_is_an_error),
      cmocka_unit_test(replies_of_two_outputs_for_one_input_take_turns),
      cmocka_unit_test(a_vc_is_used_again_after_its_reply),
      cmocka_unit_test(a_segment_on_a_vc_that_does_not_exist_is_skipped),
      cmocka_unit_test(ready_on_a_link_that_is_up_means_nothing),
      cmocka_unit_test(other_link_control_is_drained_and_refused),
      cmocka_unit_test(a_segment_without_room_is_skipped),
      cmocka_unit_test(a_packet_on_a_vc_without_its_reply_is_skipped),
      cmocka_unit_test(a_first_word_with_a_wrong_crc_is_drained_and_refused),
      cmocka_unit_test(any_turned_bit_of_a_first_word_is_found),
      cmocka_unit_test(a_continuation_without_a_packet_is_a_link_error),
      cmocka_unit_test(continuations_of_all_types_go_through),
      cmocka_unit_test(a_wrong_continuation_becomes_a_void_segment),
      cmocka_unit_test(a_wrong_last_segment_keeps_its_length),
      cmocka_unit_test(a_head_inside_a_segment_is_an_error_and_still_belongs_to_it),
      cmocka_unit_test(a_head_inside_a_skipped_segment_is_an_error),
      cmocka_unit_test(a_word_that_belongs_to_no_segment_is_an_error),
      cmocka_unit_test(the_vc_of_the_link_counts_and_not_that_of_the_header),
      cmocka_unit_test(an_input_lost_inside_a_segment_closes_the_packet),
      cmocka_unit_test(an_input_lost_in_a_pause_closes_the_packet_a_cycle_earlier),
      cmocka_unit_test(an_input_lost_between_segments_closes_the_packet_with_void),
      cmocka_unit_test(all_open_packets_of_a_lost_input_are_closed_in_order),
      cmocka_unit_test(a_segment_that_was_being_skipped_is_closed_too),
      cmocka_unit_test(an_output_lost_after_the_tail_refuses_every_packet_that_waits),
      cmocka_unit_test(an_output_lost_inside_a_packet_swallows_the_rest),
      cmocka_unit_test(an_output_lost_while_a_packet_has_no_credits_refuses_it),
      cmocka_unit_test(packets_that_wait_for_a_lost_link_are_refused_once_each),
      cmocka_unit_test(a_link_that_comes_back_has_all_credits_and_vcs),
  };
  return UNIT_RUN("elite5_router", tests, NULL, NULL);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* test_elite5_choice.c - which link a packet takes through the twin of elite5_router, who is
 * refused, and the traps, against what docs/elite5.md says, without a circuit
 *
 * The requirement of a test stands above it. In the comments c is the cycle in which a
 * header is on the link in; its decision falls in c + 2.
 */
#include "tb/unit/unit.h"

#include "parts/lfsr.h"

#include "tb/unit/elite5_bench.h"

/* ---- packets that are refused ---------------------------------------------------------------- */

/* A packet alone is drained and refused after its tail, and there is this trap. */
static void expect_refused(struct elite5_bench *b, uint32_t link, struct elite5_packet p,
                           enum cause cause) {
  uint64_t c = send(b, link, p);
  cycle_to(b, c + 3);
  assert_int_equal(b->out.trap, 0);
  cycle(b);
  assert_int_equal(b->out.trap, 1);
  cycles(b, p.words + 20);
  expect_reply(b, link, p.vc, false, c + p.words + 5);
  expect_nothing_else(b);
  expect_trap(b, cause, link, p.vc, p.dest, p.ts);
  expect_no_trap(b);
}

static void expect_goes(struct elite5_bench *b, uint32_t link, struct elite5_packet p,
                        uint32_t out) {
  uint64_t c = send(b, link, p);
  cycles(b, p.words + 20);
  expect_packet(b, out, p, 0, c + 7);
  expect_reply(b, link, p.vc, true, c + p.words - 1 + 11);
  expect_nothing_else(b);
  expect_no_trap(b);
}

/* E5-17. */
static void an_unknown_destination_is_drained_and_refused(void **state) {
  (void)state;
  static const uint32_t words[] = {1, 2, 32, 33, 100};
  struct elite5_bench *b = open_small();
  for (uint32_t k = 0; k < 5; k++) {
    struct elite5_packet p = unicast(k % 4, S_DESTS + 77 * k, words[k]);
    p.ts = 0x1111 * k & LOOM_ELITE5_TS_MASK;
    p.prio = k % 4;
    expect_refused(b, k, p, UNKNOWN);
    assert_int_equal(read_link(b, k, LOOM_ELITE5_REG_LINK_OWN_NACKS), 1);
    assert_int_equal(read_link(b, k, LOOM_ELITE5_REG_LINK_NACKS), 1);
    assert_int_equal(read_link(b, k, LOOM_ELITE5_REG_LINK_PACKETS_IN), 1);
  }
  expect_quiet(b);
  close_router(b);
}

/* E5-17: the counts say up to where the tables are known. */
static void the_counts_say_up_to_where_the_tables_are_known(void **state) {
  (void)state;
  struct elite5_bench *b = open_small();
  write_reg(b, LOOM_ELITE5_REG_DEST_COUNT, 6);
  expect_goes(b, 0, unicast(1, 5, 3), 5);
  expect_refused(b, 0, unicast(1, 6, 3), UNKNOWN);
  expect_refused(b, 0, unicast(1, 0xFFFF, 3), UNKNOWN);
  write_reg(b, LOOM_ELITE5_REG_DEST_COUNT, S_DESTS);
  write_reg(b, LOOM_ELITE5_REG_CLASS_COUNT, 4);
  expect_goes(b, 0, unicast(1, 3, 3), 3);
  expect_goes(b, 0, unicast(1, S_CLASSES + 3, 3), 3);
  expect_refused(b, 0, unicast(1, 4, 3), UNKNOWN);
  set_group(b, 2, 1 << 6, false, 1 << 6, false);
  write_reg(b, LOOM_ELITE5_REG_GROUP_COUNT, 3);
  uint64_t c = send(b, 0, broadcast(4, 2, 2));
  cycles(b, 30);
  expect_packet(b, 6, broadcast(4, 2, 2), 4, c + 9);
  next_reply(b, 0);
  write_reg(b, LOOM_ELITE5_REG_GROUP_COUNT, 2);
  expect_refused(b, 0, broadcast(4, 2, 3), UNKNOWN);
  expect_refused(b, 0, conditional(4, 0x8002, 3), UNKNOWN);
  expect_quiet(b);
  close_router(b);
}

/* E5-17: a class that leads nowhere, or only to links that are down. */
static void a_class_without_a_live_link_is_refused(void **state) {
  (void)state;
  struct elite5_bench *b = open_small();
  expect_refused(b, 0, unicast(1, 20, 3), UNKNOWN);
  set_class(b, 20, 3 << 5, false);
  unplug(b, 5);
  cycles(b, 10);
  expect_trap(b, LINK_DOWN, 5, 0, 0, 0);
  expect_goes(b, 0, unicast(1, 20, 3), 6);
  unplug(b, 6);
  cycles(b, 10);
  expect_trap(b, LINK_DOWN, 6, 0, 0, 0);
  expect_refused(b, 0, unicast(1, 20, 3), UNKNOWN);
  close_router(b);
}

/* E5-18: a packet that is older than `expire` when it is decided; its age is taken modulo 2^14. */
static void a_packet_that_is_too_old_when_decided_is_refused(void **state) {
  (void)state;
  static const uint32_t limits[] = {1, 2, 100, 8191, 16382};
  struct elite5_bench *b = open_small();
  for (uint32_t k = 0; k < 5; k++) {
    write_reg(b, LOOM_ELITE5_REG_EXPIRE, limits[k]);
    for (uint32_t i = 0; i < 4; i++) {
      const uint32_t ages[] = {0, limits[k], limits[k] + 1, LOOM_ELITE5_TS_MASK};
      write_reg(b, LOOM_ELITE5_REG_TIME, i & 1 ? 0x3FFF : 40); /* also around 2^14 */
      cycle(b);
      uint32_t time = (uint32_t)b->probe.time + 3; /* in c + 2 */
      struct elite5_packet p = unicast(i, 5, 4);
      p.ts = (time - ages[i]) & LOOM_ELITE5_TS_MASK;
      if (ages[i] <= limits[k])
        expect_goes(b, 0, p, 5);
      else
        expect_refused(b, 0, p, EXPIRED);
    }
  }
  write_reg(b, LOOM_ELITE5_REG_EXPIRE, 0); /* never */
  struct elite5_packet p = unicast(0, 5, 4);
  cycle(b);
  p.ts = (b->probe.time + 4) & LOOM_ELITE5_TS_MASK;
  expect_goes(b, 0, p, 5);
  expect_quiet(b);
  close_router(b);
}

/* E5-18: the time counts every cycle and wraps; a write wins. */
static void the_time_counts_every_cycle_and_wraps(void **state) {
  (void)state;
  struct elite5_bench *b = open_router(SMALL);
  for (uint32_t c = 0; c < 20; c++) {
    cycle(b);
    assert_int_equal(b->probe.time, c);
  }
  put_reg(b, LOOM_ELITE5_REG_TIME, 0x7FFE); /* 14 bits are kept */
  cycles(b, 2);
  static const uint32_t then[] = {0x3FFE, 0x3FFF, 0, 1};
  for (uint32_t c = 0; c < 4; c++) {
    cycle(b);
    assert_int_equal(b->probe.time, then[c]);
  }
  close_router(b);
}

/* E5-30: broadcasts and conditionals to a group belong on the upper VCs, all others on the
 * lower. */
static void a_packet_on_the_wrong_class_of_vc_is_refused(void **state) {
  (void)state;
  struct elite5_bench *b = open_small();
  for (uint32_t v = 0; v < S_VCS; v++) {
    bool upper = v >= S_UNICAST;
    const struct elite5_packet p[] = {unicast(v, 5, 2), broadcast(v, 1, 2), conditional(v, 5, 2),
                                      conditional(v, 0x8001, 2)};
    for (uint32_t k = 0; k < 4; k++)
      if ((k & 1) != upper)
        expect_refused(b, 2, p[k], WRONG_CLASS);
  }
  expect_quiet(b);
  close_router(b);
}

/* E5-17: one trap a packet, by the first cause that applies: wrong class, unknown, expired, none
 * alive. */
static void a_refused_packet_has_one_trap_by_its_first_cause(void **state) {
  (void)state;
  struct elite5_bench *b = open_small();
  write_reg(b, LOOM_ELITE5_REG_EXPIRE, 10);
  struct elite5_packet p = unicast(4, S_DESTS, 2);
  p.ts = ((uint32_t)b->probe.time - 1000) & LOOM_ELITE5_TS_MASK;
  expect_refused(b, 0, p, WRONG_CLASS);
  p.vc = 0;
  expect_refused(b, 0, p, UNKNOWN);
  p.dest = 20; /* leads nowhere */
  expect_refused(b, 0, p, EXPIRED);
  write_reg(b, LOOM_ELITE5_REG_EXPIRE, 0);
  expect_refused(b, 0, p, UNKNOWN);
  close_router(b);
}

/* E5-28: a conditional goes to the node dest[14:0] or to the group dest[14:0]. */
static void a_conditional_goes_to_its_node_or_to_its_group(void **state) {
  (void)state;
  struct elite5_bench *b = open_small();
  set_group(b, 3, 0x86, true, 0, false);
  expect_goes(b, 0, conditional(2, 3, 40), 3);
  struct elite5_packet p = conditional(5, 0x8003, 40);
  uint64_t c = send(b, 0, p);
  cycles(b, 80);
  expect_packet(b, 1, p, 4, c + 9);
  expect_packet(b, 2, p, 4, c + 9);
  expect_packet(b, 7, p, 4, c + 9);
  assert_true(next_reply(b, 0).ack);
  expect_nothing_else(b);
  expect_quiet(b);
  close_router(b);
}

/* ---- the choice ------------------------------------------------------------------------------ */

enum { FIRST_FREE, NEXT_FREE, RANDOM, LIKE_FIRST, ACTIVITY = 4, MARK = 0x2ABC };

/* Links 1 to 4 with so many VCs in use, some of them locked. */
struct choice {
  uint32_t control, threshold, mask;
  uint32_t pending[4]; /* of links 1..4 */
  uint32_t busy;       /* a bit a link; each has something pending */
  uint32_t last;       /* link that input 0 took before */
  uint32_t expected;
};

static const struct choice choices[] = {
    /* First free: the lowest. */
    {FIRST_FREE, 1, 0x1E, {0, 0, 0, 0}, 0, 7, 1},
    {FIRST_FREE, 1, 0x1C, {0, 0, 0, 0}, 0, 3, 2},
    {FIRST_FREE, 1, 0x10, {0, 0, 0, 0}, 0, 7, 4},
    {LIKE_FIRST, 1, 0x1E, {0, 0, 0, 0}, 0, 2, 1},
    /* Links below the threshold first, then those with the least pending. */
    {FIRST_FREE, 1, 0x1E, {1, 0, 0, 0}, 0, 7, 2},
    {FIRST_FREE, 1, 0x1E, {2, 1, 3, 1}, 0, 7, 2},
    {FIRST_FREE, 2, 0x1E, {2, 3, 1, 0}, 0, 7, 3},
    {FIRST_FREE, 4, 0x1E, {2, 1, 3, 1}, 0, 7, 1},
    {FIRST_FREE, 2, 0x1E, {2, 2, 2, 2}, 0, 7, 1},
    {FIRST_FREE, 0, 0x1E, {1, 0, 0, 0}, 0, 7, 2},
    {FIRST_FREE, 0, 0x1E, {3, 3, 3, 2}, 0, 7, 4},
    {LIKE_FIRST, 1, 0x1E, {2, 1, 3, 1}, 0, 7, 2},
    /* A link whose VCs are all in use is none, whatever the threshold. */
    {FIRST_FREE, 63, 0x1E, {4, 4, 1, 0}, 0, 7, 3},
    {FIRST_FREE, 1, 0x06, {4, 3, 0, 0}, 0, 7, 2},
    /* Activity: links that are locked count as loaded. */
    {FIRST_FREE, 4, 0x1E, {1, 1, 0, 0}, 1 << 1, 7, 1},
    {FIRST_FREE | ACTIVITY, 4, 0x1E, {1, 1, 0, 0}, 1 << 1, 7, 2},
    {FIRST_FREE | ACTIVITY, 4, 0x1E, {1, 1, 1, 3}, 0x0E, 7, 4},
    {FIRST_FREE | ACTIVITY, 4, 0x06, {2, 1, 0, 0}, 0x06, 7, 2},
    {FIRST_FREE | ACTIVITY, 1, 0x06, {2, 1, 0, 0}, 1 << 2, 7, 2},
    /* Next free: after the last one taken, around. */
    {NEXT_FREE, 1, 0x1E, {0, 0, 0, 0}, 0, 7, 1},
    {NEXT_FREE, 1, 0x1E, {0, 0, 0, 0}, 0, 0, 1},
    {NEXT_FREE, 1, 0x1E, {0, 0, 0, 0}, 0, 1, 2},
    {NEXT_FREE, 1, 0x1E, {0, 0, 0, 0}, 0, 3, 4},
    {NEXT_FREE, 1, 0x1E, {0, 0, 0, 0}, 0, 4, 1},
    {NEXT_FREE, 1, 0x1E, {0, 0, 0, 0}, 0, 5, 1},
    {NEXT_FREE, 1, 0x12, {0, 0, 0, 0}, 0, 1, 4},
    {NEXT_FREE, 1, 0x04, {0, 0, 0, 0}, 0, 2, 2},
    {NEXT_FREE, 1, 0x1E, {0, 0, 1, 0}, 0, 2, 4},
    {NEXT_FREE, 1, 0x1E, {1, 1, 1, 1}, 0, 3, 4},
    {NEXT_FREE, 0, 0x1E, {1, 0, 0, 1}, 0, 3, 2},
    {NEXT_FREE | ACTIVITY, 4, 0x1E, {1, 1, 0, 0}, 1 << 2, 1, 3},
    /* Random: with one to choose from there is no choice. */
    {RANDOM, 1, 0x1E, {1, 1, 0, 1}, 0, 7, 3},
    {RANDOM, 1, 0x1E, {3, 2, 3, 3}, 0, 7, 2},
    {RANDOM | ACTIVITY, 4, 0x0C, {0, 1, 1, 0}, 1 << 3, 7, 2}};

/* Input 0 takes this link and is done. */
static void take_link(struct elite5_bench *b, uint32_t link) {
  set_class(b, 30, 1u << link, false);
  uint64_t c = send(b, 0, unicast(0, 30, 1));
  cycles(b, 20);
  expect_packet(b, link, unicast(0, 30, 1), 0, c + 7);
  next_reply(b, 0);
}

/* Input 3 + o uses VCs of link o: packets of one word that have no reply, the last one long if the
 * link is to be busy. */
static void load_links(struct elite5_bench *b, const struct choice *k) {
  b->answers = 0;
  for (uint32_t o = 1; o <= 4; o++)
    for (uint32_t n = 0; n < k->pending[o - 1]; n++) {
      bool lasts = (k->busy >> o & 1) && n + 1 == k->pending[o - 1];
      send(b, 3 + o, unicast(n, o, lasts ? 160 : 1));
    }
  cycles(b, 20);
  assert_int_equal(b->probe.locked, k->busy);
}

/* The link that the marked packet came out of. */
static uint32_t link_taken(const struct elite5_bench *b) {
  for (uint32_t l = 0; l < S_LINKS; l++)
    for (uint32_t i = 0; i < b->words[l].count; i++) {
      const struct elite5_event *e = &b->words[l].event[i];
      if (e->head && loom_elite5_type_of(e->data) == LOOM_ELITE5_UNICAST &&
          (e->data >> 16 & LOOM_ELITE5_TS_MASK) == MARK)
        return l;
    }
  return ~0u;
}

/* E5-20. */
static void each_mode_takes_the_link_that_its_rule_names(void **state) {
  (void)state;
  for (uint32_t i = 0; i < sizeof choices / sizeof *choices; i++) {
    const struct choice *k = &choices[i];
    struct elite5_bench *b = open_small();
    take_link(b, k->last);
    write_reg(b, LOOM_ELITE5_REG_CONTROL, k->control);
    write_reg(b, LOOM_ELITE5_REG_THRESHOLD, k->threshold);
    set_class(b, 31, k->mask, false);
    load_links(b, k);
    struct elite5_packet p = unicast(3, 31, 2);
    p.ts = MARK;
    send(b, 0, p);
    cycles(b, 260);
    if (link_taken(b) != k->expected)
      fail_msg("choice %u takes link %u, not %u", i, link_taken(b), k->expected);
    close_router(b);
  }
}

/* E5-20: next free counts the links taken in any mode, each input for itself, from link 0 after
 * reset. */
static void next_free_goes_around_for_each_input_by_itself(void **state) {
  (void)state;
  static const uint32_t order[] = {1, 3, 6, 1, 3, 6, 1};
  struct elite5_bench *b = open_small();
  write_reg(b, LOOM_ELITE5_REG_CONTROL, NEXT_FREE);
  set_class(b, 31, 0x4A, false);
  for (uint32_t in = 0; in < S_LINKS; in += 7)
    for (uint32_t k = 0; k < 7; k++)
      expect_goes(b, in, unicast(k % 4, 31, 2), order[k]);
  take_link(b, 3);
  expect_goes(b, 0, unicast(0, 31, 2), 6);
  write_reg(b, LOOM_ELITE5_REG_CONTROL, FIRST_FREE);
  expect_goes(b, 0, unicast(0, 31, 2), 1);
  write_reg(b, LOOM_ELITE5_REG_CONTROL, NEXT_FREE);
  expect_goes(b, 0, unicast(0, 31, 2), 3);
  close_router(b);
}

/* E5-20: random: the k-th lowest, k = (value[15:0] * size of the set) >> 16, of the input's own
 * numbers, which go on with each pick. */
static void random_takes_links_by_the_own_numbers_of_the_input(void **state) {
  (void)state;
  static const uint32_t seeds[] = {1, 0x12345678, 0, 3u << 27};
  static const uint32_t members[] = {1, 2, 4, 5, 7};
  for (uint32_t s = 0; s < 4; s++) {
    struct elite5_bench *b = open_small();
    set_class(b, 31, 0xB6, false);
    write_reg(b, LOOM_ELITE5_REG_CONTROL, RANDOM);
    write_reg(b, LOOM_ELITE5_REG_SEED, seeds[s]);
    for (uint32_t in = 0; in < S_LINKS; in += 3) {
      uint32_t value = seeds[s] ^ in << 27;
      value = value ? value : 1;
      for (uint32_t k = 0; k < 30; k++) {
        expect_goes(b, in, unicast(k % 4, 31, 1), members[(value & 0xFFFF) * 5 >> 16]);
        value = loom_lfsr_after(value, 32);
      }
    }
    close_router(b);
  }
}

/* E5-20: without a seed every number begins with 1, and modes without chance leave it alone. */
static void random_numbers_begin_with_1_after_reset(void **state) {
  (void)state;
  struct elite5_bench *b = open_small();
  set_class(b, 31, 0xFF, false);
  uint32_t value = 1;
  for (uint32_t k = 0; k < 20; k++) {
    write_reg(b, LOOM_ELITE5_REG_CONTROL, FIRST_FREE);
    expect_goes(b, 6, unicast(0, 31, 1), 0);
    write_reg(b, LOOM_ELITE5_REG_CONTROL, RANDOM);
    expect_goes(b, 6, unicast(0, 31, 1), (value & 0xFFFF) * 8 >> 16);
    value = loom_lfsr_after(value, 32);
  }
  close_router(b);
}

/* 20,000 draws among these links: each has its share within 2 % of all. */
static void expect_fair(uint32_t mask, uint32_t seed) {
  enum { DRAWS = 20000 };
  struct elite5_bench *b = open_small();
  uint32_t drawn[S_LINKS] = {0};
  set_class(b, 31, mask, false);
  write_reg(b, LOOM_ELITE5_REG_CONTROL, RANDOM);
  write_reg(b, LOOM_ELITE5_REG_THRESHOLD, 63);
  write_reg(b, LOOM_ELITE5_REG_SEED, seed);
  for (uint32_t k = 0; k < DRAWS + 5; k++) {
    if (k < DRAWS)
      send(b, 0, unicast(k % 4, 31, 1));
    for (uint32_t i = 0; i < 4; i++) {
      cycle(b);
      for (uint32_t l = 0; l < S_LINKS; l++)
        drawn[l] += (uint32_t)b->out.out_valid[l];
    }
    forget_logs(b);
  }
  uint32_t all = 0, share = DRAWS / loom_popcount(mask);
  for (uint32_t l = 0; l < S_LINKS; l++) {
    uint32_t wanted = mask >> l & 1 ? share : 0;
    assert_true(drawn[l] + DRAWS / 50 >= wanted && drawn[l] <= wanted + DRAWS / 50);
    assert_true(wanted || !drawn[l]);
    all += drawn[l];
  }
  assert_int_equal(all, DRAWS);
  close_router(b);
}

/* E5-20. */
static void random_takes_each_link_equally_often(void **state) {
  (void)state;
  expect_fair(0x06, 0xACE1);
  expect_fair(0x89, 0x5EED5EED);
}

/* ---- when there is no VC --------------------------------------------------------------------- */

/* E5-24: no VC: the packet is decided anew every second cycle, and each decision is counted; with
 * the first that finds a VC in cycle d the header is out in d + 5. */
static void a_packet_without_a_vc_is_decided_anew_every_second_cycle(void **state) {
  (void)state;
  for (uint32_t pause = 20; pause < 24; pause++) {
    struct elite5_bench *b = open_small();
    write_link(b, 5, LOOM_ELITE5_REG_LINK_VC_LIMIT, 0);
    struct elite5_packet p = unicast(1, 5, 3);
    uint64_t c = send(b, 0, p);
    cycles(b, pause);
    put_reg(b, link_reg(5, LOOM_ELITE5_REG_LINK_VC_LIMIT), 1);
    uint64_t e = b->cycle + 2, d = e + ((e - c) & 1); /* decisions in c + 2, c + 4, ... */
    cycles(b, 40);
    expect_packet(b, 5, p, 0, d + 5);
    assert_int_equal(read_link(b, 0, LOOM_ELITE5_REG_LINK_NO_VC), (d - (c + 2)) / 2);
    expect_quiet(b);
    close_router(b);
  }
}

/* E5-24: retries of one input take turns; new packets are decided at once. */
static void retries_of_one_input_take_turns(void **state) {
  (void)state;
  struct elite5_bench *b = open_small();
  write_link(b, 5, LOOM_ELITE5_REG_LINK_VC_LIMIT, 0);
  write_link(b, 6, LOOM_ELITE5_REG_LINK_VC_LIMIT, 0);
  for (uint32_t v = 0; v < 3; v++)
    send(b, 0, unicast(v, v == 2 ? 6 : 5, 1));
  cycles(b, 30);
  struct elite5_packet p = unicast(3, 3, 3);
  uint64_t c = send(b, 0, p);
  cycles(b, 20);
  expect_packet(b, 3, p, 0, c + 7);
  write_link(b, 6, LOOM_ELITE5_REG_LINK_VC_LIMIT, 6);
  cycles(b, 15);
  assert_int_equal(words_left(b, 6), 1);
  write_link(b, 5, LOOM_ELITE5_REG_LINK_VC_LIMIT, 6);
  cycles(b, 30);
  assert_int_equal(words_left(b, 5), 2);
  expect_quiet(b);
  close_router(b);
}

/* E5-18: only a packet that is decided for the first time can be too old. */
static void a_packet_that_waits_does_not_expire(void **state) {
  (void)state;
  struct elite5_bench *b = open_small();
  write_reg(b, LOOM_ELITE5_REG_EXPIRE, 50);
  write_link(b, 5, LOOM_ELITE5_REG_LINK_VC_LIMIT, 0);
  struct elite5_packet p = unicast(1, 5, 3);
  cycle(b);
  p.ts = b->probe.time & LOOM_ELITE5_TS_MASK;
  send(b, 0, p);
  cycles(b, 300);
  write_link(b, 5, LOOM_ELITE5_REG_LINK_VC_LIMIT, 1);
  cycles(b, 30);
  expect_packet(b, 5, p, 0, b->words[5].event[0].cycle);
  assert_true(next_reply(b, 0).ack);
  expect_quiet(b);
  close_router(b);
}

/* E5-24: the VC that is freed by a reply goes to the one that waits. */
static void a_reply_ends_the_wait_for_a_vc(void **state) {
  (void)state;
  struct elite5_bench *b = open_small();
  b->answers = 0;
  for (uint32_t i = 0; i < 4; i++)
    send(b, i, unicast(0, 5, 1));
  cycles(b, 20);
  b->words[5].seen = b->words[5].count;
  struct elite5_packet p = unicast(0, 5, 1);
  send(b, 4, p);
  cycles(b, 30);
  assert_int_equal(words_left(b, 5), 0);
  reply(b, 5, 2, true);
  cycles(b, 15);
  struct elite5_event e = next_word(b, 5);
  assert_int_equal(e.vc, 2);
  close_router(b);
}

/* E5-24: five packets decide for a link with four VCs in one cycle: the fifth keeps its target and
 * gets the first VC that is free; no decision failed. */
static void a_packet_that_lost_the_last_vc_keeps_its_target(void **state) {
  (void)state;
  struct elite5_bench *b = open_small();
  b->answers = 0;
  set_class(b, 31, 0x60, false); /* link 6 would be free */
  write_reg(b, LOOM_ELITE5_REG_THRESHOLD, 63);
  for (uint32_t i = 0; i < 5; i++)
    send(b, i, unicast(0, 31, 1));
  cycles(b, 40);
  assert_int_equal(words_left(b, 5), 4);
  assert_int_equal(words_left(b, 6), 0);
  assert_int_equal(read_link(b, 4, LOOM_ELITE5_REG_LINK_NO_VC), 0);
  b->words[5].seen = 4;
  uint64_t r = b->cycle;
  reply(b, 5, 1, true);
  cycles(b, 20);
  /* The VC is free from r + 3: g = r + 3. */
  expect_packet(b, 5, unicast(0, 31, 1), 1, r + 3 + 4);
  close_router(b);
}

/* E5-25: the target goes down before the grant: the packet is routed anew, out in x + 8 where x is
 * the first cycle without signal. */
static void a_packet_whose_target_is_lost_is_routed_anew(void **state) {
  (void)state;
  struct elite5_bench *b = open_small();
  set_class(b, 31, 0x60, false);
  write_reg(b, LOOM_ELITE5_REG_THRESHOLD, 63);
  send(b, 1, unicast(0, 5, 160));
  cycles(b, 10);
  struct elite5_packet p = unicast(2, 31, 40);
  send(b, 0, p);
  cycles(b, 10);
  unplug(b, 5);
  uint64_t x = b->cycle;
  cycles(b, 250);
  expect_packet(b, 6, p, 0, x + 8);
  struct elite5_event e = next_reply(b, 1);
  assert_true(!e.ack);
  expect_trap(b, LINK_DOWN, 5, 0, 0, 0);
  assert_int_equal(read_link(b, 0, LOOM_ELITE5_REG_LINK_NO_VC), 0);
  expect_quiet(b);
  close_router(b);
}

/* E5-25: and if there is no other: drained and refused, trap 1. */
static void a_packet_whose_only_target_is_lost_is_refused(void **state) {
  (void)state;
  struct elite5_bench *b = open_small();
  send(b, 1, unicast(0, 5, 160));
  cycles(b, 10);
  struct elite5_packet p = unicast(2, 5, 3);
  p.ts = 0x0123;
  send(b, 0, p);
  cycles(b, 10);
  unplug(b, 5);
  uint64_t x = b->cycle;
  cycles(b, 250);
  expect_reply(b, 0, 2, false, x + 6 + 3);
  expect_trap(b, LINK_DOWN, 5, 0, 0, 0);
  expect_trap(b, UNKNOWN, 0, 2, 5, 0x0123);
  expect_quiet(b);
  close_router(b);
}

/* ---- traps ----------------------------------------------------------------------------------- */

/* E5-17: 16 in the fifo, one in the link's register, the others are lost and counted. */
static void traps_are_lost_and_counted_when_nobody_reads(void **state) {
  (void)state;
  struct elite5_bench *b = open_small();
  for (uint32_t k = 0; k < 20; k++) {
    struct elite5_packet p = unicast(k % 4, 0x4000, 1);
    p.ts = k;
    send(b, 3, p);
    cycles(b, 4);
  }
  cycles(b, 20);
  assert_int_equal(read_reg(b, LOOM_ELITE5_REG_TRAPS), 16);
  assert_int_equal(read_link(b, 3, LOOM_ELITE5_REG_LINK_TRAPS_LOST), 3);
  assert_int_equal(read_reg(b, LOOM_ELITE5_REG_TRAP_TS), 0); /* looking at ts removes nothing */
  for (uint32_t k = 0; k < 17; k++)
    expect_trap(b, UNKNOWN, 3, k % 4, 0x4000, k);
  expect_no_trap(b);
  assert_int_equal(read_link(b, 3, LOOM_ELITE5_REG_LINK_NACKS), 20);
  expect_quiet(b);
  close_router(b);
}

/* E5-17: traps of several links at once: in turns, and none is lost. */
static void traps_of_several_links_take_turns(void **state) {
  (void)state;
  static const uint32_t links[] = {1, 2, 5, 7};
  struct elite5_bench *b = open_small();
  for (uint32_t k = 0; k < 4; k++)
    send(b, links[k], unicast(k, 0x1000, 1));
  cycles(b, 20);
  assert_int_equal(read_reg(b, LOOM_ELITE5_REG_TRAPS), 4);
  for (uint32_t k = 0; k < 4; k++)
    expect_trap(b, UNKNOWN, links[k], k, 0x1000, 0);
  send(b, 0, unicast(0, 0x1000, 1)); /* the arbiter stands at link 0 again */
  send(b, 7, unicast(1, 0x1000, 1));
  cycles(b, 20);
  expect_trap(b, UNKNOWN, 0, 0, 0x1000, 0);
  expect_trap(b, UNKNOWN, 7, 1, 0x1000, 0);
  expect_no_trap(b);
  close_router(b);
}

/* E5-17: a read removes the oldest: a second one right after it finds the next. */
static void traps_can_be_read_back_to_back(void **state) {
  (void)state;
  struct elite5_bench *b = open_small();
  for (uint32_t k = 0; k < 3; k++)
    send(b, k, unicast(0, 0x1000, 1));
  cycles(b, 20);
  for (uint32_t c = 0; c < 8; c++) {
    b->in.reg_re = c < 4;
    b->in.reg_addr = c < 4 ? LOOM_ELITE5_REG_TRAP : 0;
    cycle(b);
    if (c >= 3 && c < 6)
      assert_int_equal(b->out.reg_rdata, 0x90001000 | (c - 3) << 22);
    else
      assert_int_equal(b->out.reg_rdata, 0);
    assert_int_equal(b->out.trap, c < 4); /* three reads, each removes at the end of the next */
  }
  close_router(b);
}

/* E5-17: a trap that comes while the empty list is read is kept for the next read, or was read. */
static void a_trap_is_read_once_whenever_it_comes(void **state) {
  (void)state;
  for (uint32_t late = 0; late < 12; late++) {
    struct elite5_bench *b = open_small();
    send(b, 1, unicast(0, 0x1000, 1));
    cycles(b, late);
    uint32_t first = read_reg(b, LOOM_ELITE5_REG_TRAP);
    cycles(b, 12);
    assert_int_equal(first | read_reg(b, LOOM_ELITE5_REG_TRAP), 0x90001000 | 1 << 22);
    expect_no_trap(b);
    close_router(b);
  }
}

/* E5-17: a link that goes down in the cycle of a decision: its own trap counts, the other is
 * lost. */
static void the_trap_of_a_link_comes_before_that_of_its_packet(void **state) {
  (void)state;
  for (uint32_t apart = 1; apart < 4; apart++) {
    struct elite5_bench *b = open_small();
    uint64_t c = send(b, 3, unicast(0, 0x1000, 1));
    cycle_to(b, c + apart - 1);
    unplug(b, 3); /* x = c + apart: the trap of the link is of this cycle */
    cycles(b, 20);
    bool both = apart == 2;
    assert_int_equal(read_link(b, 3, LOOM_ELITE5_REG_LINK_TRAPS_LOST), both);
    if (apart == 3)
      expect_trap(b, UNKNOWN, 3, 0, 0x1000, 0);
    expect_trap(b, LINK_DOWN, 3, 0, 0, 0);
    if (apart == 1)
      expect_trap(b, UNKNOWN, 3, 0, 0x1000, 0);
    expect_no_trap(b);
    close_router(b);
  }
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(an_unknown_destination_is_drained_and_refused),
      cmocka_unit_test(the_counts_say_up_to_where_the_tables_are_known),
      cmocka_unit_test(a_class_without_a_live_link_is_refused),
      cmocka_unit_test(a_packet_that_is_too_old_when_decided_is_refused),
      cmocka_unit_test(the_time_counts_every_cycle_and_wraps),
      cmocka_unit_test(a_packet_on_the_wrong_class_of_vc_is_refused),
      cmocka_unit_test(a_refused_packet_has_one_trap_by_its_first_cause),
      cmocka_unit_test(a_conditional_goes_to_its_node_or_to_its_group),
      cmocka_unit_test(each_mode_takes_the_link_that_its_rule_names),
      cmocka_unit_test(next_free_goes_around_for_each_input_by_itself),
      cmocka_unit_test(random_takes_links_by_the_own_numbers_of_the_input),
      cmocka_unit_test(random_numbers_begin_with_1_after_reset),
      cmocka_unit_test(random_takes_each_link_equally_often),
      cmocka_unit_test(a_packet_without_a_vc_is_decided_anew_every_second_cycle),
      cmocka_unit_test(retries_of_one_input_take_turns),
      cmocka_unit_test(a_packet_that_waits_does_not_expire),
      cmocka_unit_test(a_reply_ends_the_wait_for_a_vc),
      cmocka_unit_test(a_packet_that_lost_the_last_vc_keeps_its_target),
      cmocka_unit_test(a_packet_whose_target_is_lost_is_routed_anew),
      cmocka_unit_test(a_packet_whose_only_target_is_lost_is_refused),
      cmocka_unit_test(traps_are_lost_and_counted_when_nobody_reads),
      cmocka_unit_test(traps_of_several_links_take_turns),
      cmocka_unit_test(traps_can_be_read_back_to_back),
      cmocka_unit_test(a_trap_is_read_once_whenever_it_comes),
      cmocka_unit_test(the_trap_of_a_link_comes_before_that_of_its_packet),
  };
  return UNIT_RUN("elite5_choice", tests, NULL, NULL);
}

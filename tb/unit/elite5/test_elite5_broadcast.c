/* SPDX-License-Identifier: Apache-2.0 */
/* test_elite5_broadcast.c - broadcasts through the twin of elite5_router and their replies, against
 * what docs/elite5.md says, without a circuit
 *
 * The requirement of a test stands above it. In the comments c is the cycle in which a
 * header is on the link in. Alone in the router a broadcast waits in c + 3, is selected in c + 4,
 * has its VCs in c + 5, and its header goes out in c + 9.
 */
#include "tb/unit/unit.h"

#include "tb/unit/elite5_bench.h"

enum { GROUP = 1, BROADCAST_LATENCY = 9, FIRST = S_UNICAST /* the first VC for broadcasts */ };

/* All links UP; GROUP goes to all of these links, from everywhere. */
static struct elite5_bench *open_group(uint32_t links) {
  struct elite5_bench *b = open_small();
  set_group(b, GROUP, links, true, links, true);
  return b;
}

static void expect_copies(struct elite5_bench *b, uint32_t links, struct elite5_packet p,
                          uint32_t vc, uint64_t at) {
  for (uint32_t l = 0; l < S_LINKS; l++)
    if (links >> l & 1)
      expect_packet(b, l, p, vc, at);
}

/* ---- copies ---------------------------------------------------------------------------------- */

/* E5-28: one copy to each member, all in the same cycles; the reply with the last of theirs. */
static void each_member_of_a_group_gets_one_copy(void **state) {
  (void)state;
  static const uint32_t words[] = {1, 2, 31, 32, 33, 100}, groups[] = {0x01, 0x26, 0x81, 0xFF};
  for (uint32_t k = 0; k < 6; k++)
    for (uint32_t g = 0; g < 4; g++) {
      struct elite5_bench *b = open_group(groups[g]);
      struct elite5_packet p = broadcast(FIRST, GROUP, words[k]);
      uint64_t c = send(b, 0, p), end = c + p.words - 1;
      cycles(b, p.words + 40);
      expect_copies(b, groups[g], p, FIRST, c + BROADCAST_LATENCY);
      expect_reply(b, 0, FIRST, true, end + 9 + 1 + 3 + loom_popcount(groups[g]) - 1);
      for (uint32_t i = 0; i < p.words; i += SEGMENT)
        expect_freed(b, 0, FIRST, loom_min((uint32_t)(c + i) + SEGMENT - 1, (uint32_t)end) + 8);
      assert_int_equal(b->freed[0].count, b->freed[0].seen);
      expect_nothing_else(b);
      expect_quiet(b);
      close_router(b);
    }
}

/* E5-30: all outputs use one VC number, the lowest that is free at all of them; VCs of unicast
 * packets stay theirs. */
static void a_broadcast_takes_the_lowest_vc_that_is_free_at_all_outputs(void **state) {
  (void)state;
  struct elite5_bench *b = open_small();
  b->answers = 0;
  set_group(b, 1, 1 << 2, true, 0, false);
  set_group(b, 2, 0x0E, true, 0, false);
  set_group(b, 3, 1 << 5, true, 0, false);
  struct elite5_packet p = broadcast(FIRST, 1, 3), q = broadcast(FIRST, 2, 3),
                       r = broadcast(FIRST + 1, 3, 3);
  send(b, 0, p);
  cycles(b, 20);
  assert_int_equal(read_link(b, 2, LOOM_ELITE5_REG_LINK_ALLOCATED), 1 << FIRST);
  uint64_t c = send(b, 1, q);
  send(b, 1, r);
  cycles(b, 40);
  next_word(b, 2);
  next_word(b, 2);
  next_word(b, 2);
  expect_copies(b, 0x0E, q, FIRST + 1, c + 9);
  expect_packet(b, 5, r, FIRST, c + 3 + 9);
  assert_int_equal(read_link(b, 2, LOOM_ELITE5_REG_LINK_ALLOCATED), 3 << FIRST);
  assert_int_equal(read_link(b, 1, LOOM_ELITE5_REG_LINK_ALLOCATED), 2 << FIRST);
  assert_int_equal(read_link(b, 2, LOOM_ELITE5_REG_LINK_PENDING), 2);
  close_router(b);
}

/* E5-31: a member whose output is busy gets its copy later; the segment stays until then, and the
 * next one goes to all together. */
static void a_busy_member_gets_its_copy_later(void **state) {
  (void)state;
  for (uint32_t words = 4; words <= 70; words += 33) {
    struct elite5_bench *b = open_group(0x26);
    struct elite5_packet u = unicast(0, 2, 32), p = broadcast(FIRST, GROUP, words);
    uint64_t c = send(b, 7, u);
    send(b, 0, p);
    cycles(b, 3 * words + 80);
    expect_packet(b, 2, u, 0, c + 7);
    uint32_t first = loom_min(words, 32);
    expect_part(b, 1, p, 0, first, FIRST, c + 9);
    expect_part(b, 5, p, 0, first, FIRST, c + 9);
    /* Granted when the unicast is read to its end, and the first copies of this segment are. */
    uint64_t g = c + loom_max(35, 5 + first);
    expect_part(b, 2, p, 0, words, FIRST, g + 4);
    expect_freed(b, 0, FIRST, g + first + 2);
    if (words > 32) {
      uint64_t at = g + 32 + 4; /* all three are free again when the late copy is read */
      expect_part(b, 1, p, 32, words, FIRST, at);
      expect_part(b, 5, p, 32, words, FIRST, at);
    }
    struct elite5_event e = next_reply(b, 0);
    assert_true(e.ack && e.vc == FIRST);
    expect_reply(b, 7, 0, true, c + 31 + 11);
    expect_nothing_else(b);
    expect_quiet(b);
    close_router(b);
  }
}

/* E5-31: the same for a member without a credit; a credit in x lets its copy out in x + 6. */
static void a_member_without_a_credit_gets_its_copy_later(void **state) {
  (void)state;
  struct elite5_bench *b = open_group(0x26);
  b->credits = ~(1ull << 2);
  write_link(b, 2, LOOM_ELITE5_REG_LINK_CAP, 1);
  struct elite5_packet p = broadcast(FIRST, GROUP, 64);
  uint64_t c = send(b, 0, p);
  cycles(b, 120);
  expect_packet(b, 1, p, FIRST, c + 9);
  expect_packet(b, 5, p, FIRST, c + 9);
  expect_part(b, 2, p, 0, 32, FIRST, c + 9);
  assert_int_equal(words_left(b, 2), 0);
  uint64_t x = b->cycle;
  credit(b, 2, FIRST);
  cycles(b, 60);
  expect_part(b, 2, p, 32, 64, FIRST, x + 6);
  assert_true(next_reply(b, 0).ack);
  expect_nothing_else(b);
  assert_int_equal(read_link(b, 0, LOOM_ELITE5_REG_LINK_PASSED), 0);
  close_router(b);
}

/* E5-31: every member busy for another time: as many copies as times, one each. */
static void members_busy_for_different_times_get_a_copy_each(void **state) {
  (void)state;
  struct elite5_bench *b = open_group(0x1E);
  for (uint32_t o = 1; o <= 4; o++)
    send(b, 3 + o, unicast(0, o, 28 - 6 * o));
  struct elite5_packet p = broadcast(FIRST, GROUP, 3);
  uint64_t c = send(b, 0, p);
  cycles(b, 100);
  for (uint32_t o = 1; o <= 4; o++) {
    uint32_t words = 28 - 6 * o;
    expect_packet(b, o, unicast(0, o, words), 0, c + 7);
    expect_packet(b, o, p, FIRST, c + 7 + words);
  }
  assert_true(next_reply(b, 0).ack);
  expect_quiet(b);
  close_router(b);
}

/* ---- replies --------------------------------------------------------------------------------- */

/* The k-th order of n things, a digit each from the lowest; k < n!. */
static uint32_t nth_order(uint32_t n, uint32_t k) {
  uint32_t left[] = {0, 1, 2}, order = 0;
  for (uint32_t i = 0; i < n; i++) {
    uint32_t at = k % (n - i);
    k /= n - i;
    order |= left[at] << 4 * i;
    left[at] = left[n - i - 1];
  }
  return order;
}

static void play_replies(struct elite5_bench *b, uint32_t n, uint32_t acks, uint32_t order) {
  struct elite5_packet p = broadcast(FIRST, GROUP, 2);
  send(b, 0, p);
  cycles(b, 20);
  uint64_t r = 0;
  for (uint32_t i = 0; i < n; i++) {
    uint32_t member = order >> 4 * i & 15;
    assert_int_equal(replies_left(b, 0), 0);
    r = b->cycle;
    reply(b, 1 + member, FIRST, acks >> member & 1);
    cycles(b, 4 + (acks + order) % 3);
  }
  cycles(b, 5);
  expect_reply(b, 0, FIRST, acks == (1u << n) - 1, r + 3);
  assert_int_equal(replies_left(b, 0), 0);
}

/* E5-29: ACK if and only if all are: every pattern of replies in every order. */
static void a_broadcast_is_acked_if_and_only_if_all_replies_are_acks(void **state) {
  (void)state;
  static const uint32_t orders[] = {1, 1, 2, 6};
  for (uint32_t n = 1; n <= 3; n++) {
    struct elite5_bench *b = open_group(((1u << n) - 1) << 1);
    b->answers = 0;
    for (uint32_t acks = 0; acks < 1u << n; acks++)
      for (uint32_t k = 0; k < orders[n]; k++)
        play_replies(b, n, acks, nth_order(n, k));
    assert_int_equal(read_link(b, 0, LOOM_ELITE5_REG_LINK_ACKS), orders[n]);
    assert_int_equal(read_link(b, 0, LOOM_ELITE5_REG_LINK_NACKS), ((1u << n) - 1) * orders[n]);
    forget_logs(b);
    expect_quiet(b);
    close_router(b);
  }
}

/* E5-29: all replies in one cycle: taken one a cycle. */
static void replies_of_one_cycle_are_taken_one_a_cycle(void **state) {
  (void)state;
  for (uint32_t refuses = 0; refuses < 16; refuses++) {
    struct elite5_bench *b = open_group(0x1E);
    b->refuses = refuses << 1;
    struct elite5_packet p = broadcast(FIRST, GROUP, 5);
    uint64_t c = send(b, 0, p);
    cycles(b, 40);
    expect_reply(b, 0, FIRST, refuses == 0, c + 4 + 9 + 1 + 3 + 3);
    close_router(b);
  }
}

/* E5-29: a member that is down when the VCs are given counts as one that refused. */
static void a_member_that_is_down_counts_as_one_that_refused(void **state) {
  (void)state;
  struct elite5_bench *b = open_group(0x26);
  unplug(b, 2);
  cycles(b, 10);
  expect_trap(b, LINK_DOWN, 2, 0, 0, 0);
  struct elite5_packet p = broadcast(FIRST, GROUP, 3);
  uint64_t c = send(b, 0, p);
  cycles(b, 40);
  expect_copies(b, 0x22, p, FIRST, c + 9);
  expect_reply(b, 0, FIRST, false, c + 2 + 9 + 4 + 1);
  expect_nothing_else(b);
  expect_quiet(b);
  close_router(b);
}

/* E5-25: the only member goes down between decision and selection: drained and refused, without a
 * trap of the packet. */
static void a_broadcast_whose_members_are_all_lost_is_drained_and_refused(void **state) {
  (void)state;
  for (uint32_t words = 1; words <= 40; words += 13) {
    struct elite5_bench *b = open_group(1 << 5);
    struct elite5_packet p = broadcast(FIRST, GROUP, words);
    uint64_t c = send(b, 0, p);
    cycle_to(b, c + 1);
    unplug(b, 5);
    cycles(b, words + 30);
    expect_reply(b, 0, FIRST, false, c + words + 7);
    expect_nothing_else(b);
    expect_trap(b, LINK_DOWN, 5, 0, 0, 0);
    expect_quiet(b);
    close_router(b);
  }
}

/* E5-25: a member goes down while its copy is on the way: the others get theirs, the reply is NACK.
 * Its tail leaves in c + 108; its own reply, there in c + 109, counts if the link is UP in c + 110
 * still. */
static void a_member_lost_inside_the_packet_leaves_the_others_their_copies(void **state) {
  (void)state;
  static const uint32_t last_up[] = {5, 7, 8, 9, 25, 63, 107, 109, 110, 120};
  for (uint32_t k = 0; k < sizeof last_up / sizeof *last_up; k++) {
    struct elite5_bench *b = open_group(0x26);
    struct elite5_packet p = broadcast(FIRST, GROUP, 100);
    uint64_t c = send(b, 0, p), x = c + last_up[k];
    cycle_to(b, x - 1);
    unplug(b, 2);
    cycles(b, 250);
    expect_packet(b, 1, p, FIRST, c + 9);
    expect_packet(b, 5, p, FIRST, c + 9);
    uint32_t seen = last_up[k] < 8 ? 0 : loom_min(last_up[k] - 7, 100); /* up to x + 1 */
    expect_part(b, 2, p, 0, seen, FIRST, c + 9);
    struct elite5_event e = next_reply(b, 0);
    assert_int_equal(e.vc, FIRST);
    assert_int_equal(e.ack, last_up[k] >= 110);
    expect_nothing_else(b);
    expect_trap(b, LINK_DOWN, 2, 0, 0, 0);
    expect_quiet(b);
    close_router(b);
  }
}

/* E5-25: a member goes down that holds the others up for want of a credit: they go on. */
static void losing_a_member_without_credit_lets_the_others_go_on(void **state) {
  (void)state;
  struct elite5_bench *b = open_group(0x26);
  b->credits = ~(1ull << 2);
  write_link(b, 2, LOOM_ELITE5_REG_LINK_CAP, 1);
  struct elite5_packet p = broadcast(FIRST, GROUP, 96);
  uint64_t c = send(b, 0, p);
  cycles(b, 150);
  expect_part(b, 1, p, 0, 64, FIRST, c + 9);
  assert_int_equal(words_left(b, 1), 0);
  unplug(b, 2);
  cycles(b, 120);
  expect_part(b, 1, p, 64, 96, FIRST, b->words[1].event[64].cycle);
  assert_int_equal(words_left(b, 5), 96);
  assert_int_equal(words_left(b, 2), 32);
  assert_false(next_reply(b, 0).ack);
  expect_trap(b, LINK_DOWN, 2, 0, 0, 0);
  close_router(b);
}

/* E5-25: the input of a broadcast goes down inside the packet: all copies are ended. */
static void losing_the_input_of_a_broadcast_ends_all_its_copies(void **state) {
  (void)state;
  struct elite5_bench *b = open_group(0x26);
  struct elite5_packet p = broadcast(FIRST, GROUP, 64);
  uint64_t c = send_part(b, 0, p, 0, 10);
  cycle_to(b, c + 8);
  unplug(b, 0); /* x = c + 9, with the last word */
  cycles(b, 60);
  static const uint32_t members[] = {1, 2, 5};
  for (uint32_t i = 0; i < 3; i++) {
    expect_part(b, members[i], p, 0, 10, FIRST, c + 9);
    expect_word(b, members[i], false, true, FIRST, 0, c + 10 + 9);
  }
  expect_nothing_else(b);
  expect_trap(b, LINK_DOWN, 0, 0, 0, 0);
  expect_quiet(b);
  close_router(b);
}

/* ---- up and down ----------------------------------------------------------------------------- */

/* E5-28: on its way up a broadcast takes one of the uplinks, by mode like a unicast packet. */
static void a_broadcast_on_its_way_up_takes_one_of_the_uplinks(void **state) {
  (void)state;
  struct elite5_bench *b = open_small();
  set_group(b, GROUP, 0xC0, false, 0x06, true);
  write_reg(b, LOOM_ELITE5_REG_UPLINKS, 0xC0);
  for (uint32_t k = 0; k < 6; k++) {
    write_reg(b, LOOM_ELITE5_REG_CONTROL, k < 2 ? 0 : 1);
    struct elite5_packet p = broadcast(FIRST + k % 2, GROUP, 5);
    uint64_t c = send(b, k % 4, p);
    cycles(b, 30);
    /* Mode 0: the lowest. Mode 1: inputs 2 and 3 begin at link 0, 0 and 1 go on after link 6. */
    uint32_t out = k < 4 ? 6 : 7;
    expect_packet(b, out, p, FIRST, c + 9);
    expect_reply(b, k % 4, p.vc, true, c + 4 + 9 + 4);
    expect_nothing_else(b);
  }
  expect_quiet(b);
  close_router(b);
}

/* E5-28: from an uplink the entry for packets from above is taken. */
static void a_broadcast_from_above_takes_the_entry_for_the_way_down(void **state) {
  (void)state;
  struct elite5_bench *b = open_small();
  set_group(b, GROUP, 0xC0, false, 0x06, true);
  write_reg(b, LOOM_ELITE5_REG_UPLINKS, 0xC0);
  for (uint32_t in = 6; in < 8; in++) {
    struct elite5_packet p = broadcast(FIRST, GROUP, 5), q = conditional(FIRST, 0x8000 | GROUP, 2);
    uint64_t c = send(b, in, p);
    cycles(b, 40);
    expect_copies(b, 0x06, p, FIRST, c + 9);
    assert_true(next_reply(b, in).ack);
    c = send(b, in, q);
    cycles(b, 40);
    expect_copies(b, 0x06, q, FIRST, c + 9);
    assert_true(next_reply(b, in).ack);
  }
  expect_nothing_else(b);
  expect_quiet(b);
  close_router(b);
}

/* E5-28: the loads and the VCs of one way up count: a link whose VCs for broadcasts are in use is
 * none; when both are, the packet is decided anew. */
static void a_way_up_without_a_free_vc_is_none(void **state) {
  (void)state;
  struct elite5_bench *b = open_small();
  b->answers = 0;
  set_group(b, GROUP, 0xC0, false, 0, false);
  write_reg(b, LOOM_ELITE5_REG_THRESHOLD, 63);
  for (uint32_t k = 0; k < 4; k++) {
    send(b, k, broadcast(FIRST, GROUP, 1));
    cycles(b, 20);
    assert_int_equal(words_left(b, 6) + words_left(b, 7), k + 1);
  }
  assert_int_equal(read_link(b, 6, LOOM_ELITE5_REG_LINK_ALLOCATED), 3 << FIRST);
  assert_int_equal(read_link(b, 7, LOOM_ELITE5_REG_LINK_ALLOCATED), 3 << FIRST);
  send(b, 4, broadcast(FIRST, GROUP, 1));
  cycles(b, 30);
  assert_int_equal(words_left(b, 6) + words_left(b, 7), 4);
  assert_true(read_link(b, 4, LOOM_ELITE5_REG_LINK_NO_VC) > 10);
  b->words[7].seen = b->words[7].count;
  reply(b, 7, FIRST + 1, true);
  cycles(b, 20);
  assert_int_equal(next_word(b, 7).vc, FIRST + 1);
  close_router(b);
}

/* ---- several broadcasts ---------------------------------------------------------------------- */

/* E5-30: three that want the same two VCs: the first two have one each, inputs take turns; the
 * third has nothing until a VC is free everywhere. */
static void broadcasts_queue_for_their_vcs_in_turn(void **state) {
  (void)state;
  struct elite5_bench *b = open_group(0x26);
  b->answers = 0;
  struct elite5_packet p = broadcast(FIRST, GROUP, 2);
  uint64_t c = send(b, 0, p);
  send(b, 3, p);
  send(b, 4, p);
  for (uint32_t t = 0; t < 40; t++) {
    cycle(b);
    assert_int_equal(b->probe.bsel, t == 4 || t == 6 || t >= 8);
  }
  expect_copies(b, 0x26, p, FIRST, c + 9);
  expect_copies(b, 0x26, p, FIRST + 1, c + 11);
  expect_nothing_else(b);
  uint64_t r = b->cycle;
  reply(b, 1, FIRST, true);
  reply(b, 2, FIRST, true);
  reply(b, 5, FIRST, true);
  for (uint32_t t = 0; t < 20; t++) {
    cycle(b);
    assert_int_equal(b->probe.bsel, t < 6); /* the replies are taken in r + 2, 3, 4 */
  }
  expect_reply(b, 0, FIRST, true, r + 5);
  expect_copies(b, 0x26, p, FIRST, r + 10);
  expect_nothing_else(b);
  close_router(b);
}

/* E5-30: while one waits for its VCs, and while it is selected, unicast packets go their way. */
static void unicast_packets_pass_waiting_broadcasts(void **state) {
  (void)state;
  struct elite5_bench *b = open_group(0x26);
  b->answers = 0;
  for (uint32_t i = 0; i < 3; i++)
    send(b, i, broadcast(FIRST, GROUP, 2));
  cycles(b, 40);
  assert_int_equal(b->probe.bsel, 1);
  forget_logs(b);
  for (uint32_t i = 0; i < 3; i++) {
    struct elite5_packet p = unicast(0, 5, 3);
    uint64_t c = send(b, i, p);
    cycles(b, 20);
    expect_packet(b, 5, p, i, c + 7);
  }
  close_router(b);
}

/* E5-25: the selected one waits, and its members go down one after the other. */
static void a_selected_broadcast_may_lose_its_members_one_by_one(void **state) {
  (void)state;
  struct elite5_bench *b = open_group(0x06);
  b->answers = 0;
  for (uint32_t i = 3; i < 6; i++)
    send(b, i, broadcast(FIRST, GROUP, 2));
  cycles(b, 40);
  assert_int_equal(b->probe.bsel, 1);
  forget_logs(b);
  unplug(b, 1);
  cycles(b, 20);
  assert_int_equal(b->probe.bsel, 1); /* link 2 has no VC still */
  unplug(b, 2);
  cycles(b, 20);
  assert_int_equal(b->probe.bsel, 0);
  for (uint32_t i = 3; i < 6; i++)
    assert_false(next_reply(b, i).ack);
  expect_trap(b, LINK_DOWN, 1, 0, 0, 0);
  expect_trap(b, LINK_DOWN, 2, 0, 0, 0);
  expect_nothing_else(b);
  expect_quiet(b);
  close_router(b);
}

/* E5-30: all inputs broadcast to all links on all VCs, segments and credits in each other's way:
 * all are delivered and answered. */
static void broadcasts_of_all_inputs_to_all_links_do_not_deadlock(void **state) {
  (void)state;
  enum { ROUNDS = 12, EACH = 2 * S_LINKS };
  struct elite5_bench *b = open_group(0xFF);
  b->unlogged = ~0ull;
  write_link(b, ALL, LOOM_ELITE5_REG_LINK_CAP,
             1); /* every member waits for a credit after each segment */
  uint64_t seed = 30;
  uint32_t tails[S_LINKS] = {0}, heads[S_LINKS] = {0}, segments = 0;
  for (uint32_t round = 0; round < ROUNDS; round++) {
    for (uint32_t i = 0; i < S_LINKS; i++)
      for (uint32_t v = FIRST; v < S_VCS; v++) {
        uint32_t words = 1 + loom_below(&seed, 3 * SEGMENT);
        segments += (words + SEGMENT - 1) / SEGMENT;
        send(b, i, broadcast(v, GROUP, words));
      }
    uint32_t answered = 0;
    for (uint32_t c = 0; c < 6000 && answered < EACH; c++) {
      cycle(b);
      answered = 0;
      for (uint32_t l = 0; l < S_LINKS; l++) {
        tails[l] += (uint32_t)b->out.out_tail[l];
        heads[l] += (uint32_t)b->out.out_head[l];
        answered += replies_left(b, l);
      }
    }
    assert_int_equal(answered, EACH);
    forget_logs(b);
  }
  for (uint32_t l = 0; l < S_LINKS; l++) {
    assert_int_equal(tails[l], ROUNDS * EACH);
    assert_int_equal(heads[l], segments);
    assert_int_equal(read_link(b, l, LOOM_ELITE5_REG_LINK_ACKS), ROUNDS * 2);
  }
  expect_quiet(b);
  close_router(b);
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(each_member_of_a_group_gets_one_copy),
      cmocka_unit_test(a_broadcast_takes_the_lowest_vc_that_is_free_at_all_outputs),
      cmocka_unit_test(a_busy_member_gets_its_copy_later),
      cmocka_unit_test(a_member_without_a_credit_gets_its_copy_later),
      cmocka_unit_test(members_busy_for_different_times_get_a_copy_each),
      cmocka_unit_test(a_broadcast_is_acked_if_and_only_if_all_replies_are_acks),
      cmocka_unit_test(replies_of_one_cycle_are_taken_one_a_cycle),
      cmocka_unit_test(a_member_that_is_down_counts_as_one_that_refused),
      cmocka_unit_test(a_broadcast_whose_members_are_all_lost_is_drained_and_refused),
      cmocka_unit_test(a_member_lost_inside_the_packet_leaves_the_others_their_copies),
      cmocka_unit_test(losing_a_member_without_credit_lets_the_others_go_on),
      cmocka_unit_test(losing_the_input_of_a_broadcast_ends_all_its_copies),
      cmocka_unit_test(a_broadcast_on_its_way_up_takes_one_of_the_uplinks),
      cmocka_unit_test(a_broadcast_from_above_takes_the_entry_for_the_way_down),
      cmocka_unit_test(a_way_up_without_a_free_vc_is_none),
      cmocka_unit_test(broadcasts_queue_for_their_vcs_in_turn),
      cmocka_unit_test(unicast_packets_pass_waiting_broadcasts),
      cmocka_unit_test(a_selected_broadcast_may_lose_its_members_one_by_one),
      cmocka_unit_test(broadcasts_of_all_inputs_to_all_links_do_not_deadlock),
  };
  return UNIT_RUN("elite5_broadcast", tests, NULL, NULL);
}

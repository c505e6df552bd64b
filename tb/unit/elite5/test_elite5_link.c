/* SPDX-License-Identifier: Apache-2.0 */
/* test_elite5_link.c - how the links of the twin of elite5_router come up, go down and are taken
 * out, against what docs/elite5.md says, without a circuit
 *
 * The requirement of a test stands above it. In the comments e is the first cycle in
 * which a link is enabled, p its first cycle in state PRBS.
 */
#include "tb/unit/unit.h"

#include <string.h>

#include "parts/prbs31_gen.h"

#include "tb/unit/elite5_bench.h"

enum {
  LINK = 3,
  TEST_WORDS = 40,
  LOCK = 3,   /* words of a PRBS31 that a checker sees before it checks */
  EXTRA = 32, /* words that are sent beyond those to be checked */
  TRACE = 4096,
  QUIET_BIT = 8
};

#define READY_WORD 0xE200000000000E68ull
#define NEGOTIATE_INFO (0x51ull << 32)

/* ---- bench ----------------------------------------------------------------------------------- */

/* A router after reset that has been quiet for long. */
static struct elite5_bench *get_quiet(struct elite5_bench *b) {
  write_reg(b, LOOM_ELITE5_REG_PRBS_WORDS, TEST_WORDS);
  write_reg(b, LOOM_ELITE5_REG_CHIP_ID, 0xBEEF);
  cycles(b, 20);
  return b;
}

static struct elite5_bench *open_down(void) { return get_quiet(open_router(SMALL)); }

/* Enables the link whose other end is there; gives e, runs up to it. */
static uint64_t enable(struct elite5_bench *b, uint32_t control) {
  uint64_t e = b->cycle + 2;
  put_reg(b, link_reg(LINK, LOOM_ELITE5_REG_LINK_CONTROL), control | ENABLE);
  b->signal |= 1u << LINK;
  cycle_to(b, e - 1);
  return e;
}

/* The state register of LINK in every cycle that was watched. */
struct trace {
  uint8_t state[TRACE];
};

/* From the cycle after the next one up to `last`, whose state is known 2 cycles later. */
static void watch(struct elite5_bench *b, struct trace *t, uint64_t last) {
  assert_true(last < TRACE);
  while (b->cycle <= last + 2) {
    b->in.reg_re = b->cycle < last;
    b->in.reg_addr = link_reg(LINK, LOOM_ELITE5_REG_LINK_STATE);
    cycle(b);
    if (b->out.reg_rvalid)
      t->state[b->cycle - 3] = (uint8_t)b->out.reg_rdata;
  }
}

/* These states, each from its cycle on until the next one's; the last one in its cycle. */
struct step {
  uint64_t from;
  enum link_state state;
};

static void expect_states(const struct trace *t, const struct step *steps, uint32_t n) {
  for (uint32_t i = 0; i < n; i++)
    for (uint64_t c = steps[i].from; c < (i + 1 < n ? steps[i + 1].from : steps[i].from + 1); c++)
      if ((t->state[c] & 7) != steps[i].state)
        fail_msg("step %u: state %u in cycle %u", i, t->state[c] & 7u, (unsigned)c);
}

/* A word of the far end in this cycle; everything before has run. */
static void control_in(struct elite5_bench *b, uint64_t at, uint32_t sub, uint64_t info) {
  cycle_to(b, at - 1);
  assert_int_equal(b->sender[LINK].count, 0);
  send_control(b, LINK, sub, info);
}

/* n words of PRBS31 from the first one on, after what waits; in word i these bits are wrong. */
static void send_prbs(struct elite5_bench *b, uint32_t n, const uint64_t *wrong) {
  uint32_t s = LOOM_PRBS31_MASK;
  for (uint32_t i = 0; i < n; i++) {
    uint64_t word = loom_prbs31_word(s);
    s = (uint32_t)word & LOOM_PRBS31_MASK;
    send_word(b, LINK, false, false, 0, wrong ? word ^ wrong[i] : word);
  }
}

/* The next words out are this control word, one in each of these cycles. */
static void expect_controls(struct elite5_bench *b, uint32_t sub, uint64_t info, uint64_t from,
                            uint64_t to) {
  for (uint64_t c = from; c <= to; c++)
    expect_word(b, LINK, true, true, 0, loom_elite5_control((enum loom_elite5_sub)sub, info), c);
}

static void expect_prbs(struct elite5_bench *b, uint32_t n, uint64_t from) {
  uint32_t s = LOOM_PRBS31_MASK;
  for (uint32_t i = 0; i < n; i++) {
    uint64_t word = loom_prbs31_word(s);
    s = (uint32_t)word & LOOM_PRBS31_MASK;
    expect_word(b, LINK, false, false, 0, word, from + i);
  }
}

/* Up to PRBS, the far end answering at once; gives p. Logs are empty then. */
static uint64_t bring_to_prbs(struct elite5_bench *b, uint32_t control) {
  uint64_t e = enable(b, control);
  control_in(b, e + 4, LOOM_ELITE5_NEGOTIATE, NEGOTIATE_INFO);
  control_in(b, e + 8, LOOM_ELITE5_IDENTIFY, 0x123456ull << 16);
  cycle_to(b, e + 9);
  forget_logs(b);
  return e + 10;
}

/* ---- quick ----------------------------------------------------------------------------------- */

/* E5-35: enabled in e: READY from e + 1, READY goes out from e + 2 on; a READY that comes in k
 * brings the link UP in k + 3. */
static void a_quick_bring_up_takes_its_cycles_exactly(void **state) {
  (void)state;
  for (uint64_t late = 1; late < 8; late++) {
    struct elite5_bench *b = open_down();
    struct trace t = {{0}};
    write_reg(b, LOOM_ELITE5_REG_TIMEOUT, 4); /* means nothing with `quick` */
    uint64_t e = enable(b, QUICK), k = e + late;
    control_in(b, k, LOOM_ELITE5_READY, 0);
    watch(b, &t, k + 3);
    const struct step steps[] = {{k + 2, READY}, {k + 3, UP}};
    expect_states(&t, steps, 2);
    expect_controls(b, LOOM_ELITE5_READY, 0, e + 2, k + 3);
    cycles(b, 20);
    expect_nothing_else(b);
    assert_int_equal(b->probe.up, 1 << LINK);
    expect_no_trap(b);
    close_router(b);
  }
}

/* E5-36: the signal to the other end is `enable`, whatever the link is at. */
static void the_signal_to_the_other_end_is_the_enable_bit(void **state) {
  (void)state;
  struct elite5_bench *b = open_down();
  put_reg(b, link_reg(LINK, LOOM_ELITE5_REG_LINK_CONTROL), ENABLE | QUICK);
  uint64_t e = b->cycle + 2;
  cycle_to(b, e - 1);
  assert_int_equal(b->out.out_signal[LINK], 0);
  for (uint32_t i = 0; i < 30; i++) {
    cycle(b);
    assert_int_equal(b->out.out_signal[LINK], 1);
  }
  b->signal = 1 << LINK;
  cycles(b, 5);
  send_control(b, LINK, LOOM_ELITE5_READY, 0);
  for (uint32_t i = 0; i < 20; i++) {
    cycle(b);
    for (uint32_t l = 0; l < S_LINKS; l++)
      assert_int_equal(b->out.out_signal[l], l == LINK);
  }
  assert_int_equal(b->probe.up, 1 << LINK);
  uint64_t off = b->cycle + 2; /* the first cycle in which it is not enabled */
  put_reg(b, link_reg(LINK, LOOM_ELITE5_REG_LINK_CONTROL), 0);
  cycle_to(b, off - 1);
  assert_int_equal(b->out.out_signal[LINK], 1);
  cycle(b);
  assert_int_equal(b->out.out_signal[LINK], 0);
  assert_int_equal(b->probe.up, 1 << LINK);
  cycle(b);
  assert_int_equal(b->out.out_signal[LINK], 0);
  assert_int_equal(b->probe.up, 0);
  expect_trap(b, LINK_DOWN, LINK, 0, 0, 0);
  close_router(b);
}

/* E5-36: a link that leaves UP withholds its signal for one cycle, so that the other end falls
 * too. */
static void the_signal_dips_for_one_cycle_when_a_link_falls(void **state) {
  (void)state;
  struct elite5_bench *b = open_small();
  unplug(b, LINK);
  uint64_t x = b->cycle;
  for (uint64_t c = x; c < x + 20; c++) {
    cycle(b);
    assert_int_equal(b->out.out_signal[LINK], c != x + 1);
    assert_int_equal(b->probe.up >> LINK & 1, c == x);
  }
  expect_trap(b, LINK_DOWN, LINK, 0, 0, 0);
  close_router(b);
}

/* E5-36: the signal of the other end comes later than the enable: READY in the cycle after it. */
static void a_link_waits_for_the_signal_of_the_other_end(void **state) {
  (void)state;
  struct elite5_bench *b = open_down();
  write_link(b, LINK, LOOM_ELITE5_REG_LINK_CONTROL, ENABLE | QUICK);
  cycles(b, 30);
  assert_int_equal(b->words[LINK].count, 0);
  uint64_t s = b->cycle;
  b->signal = 1 << LINK;
  cycles(b, 2);
  cycles(b, 4);
  expect_controls(b, LOOM_ELITE5_READY, 0, s + 2, s + 5);
  close_router(b);
}

/* E5-35: a READY that comes before the state, one with wrong CRC, one that is no head, another
 * word. */
static void a_wrong_or_early_ready_brings_no_link_up(void **state) {
  (void)state;
  for (uint32_t k = 0; k < 6; k++) {
    struct elite5_bench *b = open_down();
    uint64_t e = enable(b, QUICK);
    if (k > 0)
      cycle_to(b, e + 3);
    uint64_t word = k == 1   ? READY_WORD ^ 1
                    : k == 3 ? loom_elite5_control(LOOM_ELITE5_IDENTIFY, 0)
                    : k == 4 ? loom_elite5_control(LOOM_ELITE5_NEGOTIATE, NEGOTIATE_INFO)
                             : READY_WORD;
    if (k < 5)
      send_word(b, LINK, k != 2, true, 0, word); /* 0: in e, in which the link is DOWN */
    cycles(b, 60);
    assert_int_equal(b->probe.up, 0);
    assert_int_equal(read_link(b, LINK, LOOM_ELITE5_REG_LINK_STATE) & 7, READY);
    close_router(b);
  }
}

/* E5-35: `quick` stays in READY, whatever the timeout is. */
static void a_quick_bring_up_has_no_timeout(void **state) {
  (void)state;
  struct elite5_bench *b = open_down();
  struct trace t = {{0}};
  write_reg(b, LOOM_ELITE5_REG_TIMEOUT, 20);
  uint64_t e = enable(b, QUICK);
  cycle_to(b, e + 1);
  watch(b, &t, e + 200);
  for (uint64_t c = e + 5; c <= e + 200; c++)
    assert_int_equal(t.state[c] & 7, READY);
  close_router(b);
}

/* E5-35: READY is said only when the link has been quiet for 8 cycles: here a packet that came
 * before the link went down is on its way still. */
static void ready_is_said_only_when_the_link_is_quiet(void **state) {
  (void)state;
  struct elite5_bench *b = open_small();
  b->answers = 0;
  write_link(b, 5, LOOM_ELITE5_REG_LINK_CAP, 0);
  send(b, LINK, unicast(1, 5, 3));
  cycles(b, 10);
  unplug(b, LINK);
  cycles(b, 20);
  expect_trap(b, LINK_DOWN, LINK, 0, 0, 0);
  b->signal |= 1 << LINK;
  b->readies = 1 << LINK;
  cycles(b, 40);
  assert_int_equal(b->words[LINK].count, 0);
  assert_int_equal(read_link(b, LINK, LOOM_ELITE5_REG_LINK_STATE), READY); /* not quiet */
  write_link(b, 5, LOOM_ELITE5_REG_LINK_CAP, 63);
  cycles(b, 40);
  assert_int_equal(words_left(b, 5), 3);
  assert_int_equal(b->words[LINK].count, 0);
  uint64_t r = b->cycle;
  reply(b, 5, 0, true);
  /* All is IDLE from r + 3 on: quiet in r + 11, the word goes out in r + 12, UP in r + 13. */
  cycle_to(b, r + 12);
  assert_int_equal(b->probe.up >> LINK & 1, 0);
  cycle(b);
  assert_int_equal(b->probe.up >> LINK & 1, 1);
  expect_controls(b, LOOM_ELITE5_READY, 0, r + 12, r + 13);
  assert_int_equal(read_link(b, LINK, LOOM_ELITE5_REG_LINK_STATE) & 7, UP);
  assert_int_equal(replies_left(b, LINK), 0); /* it was not UP when the reply came */
  close_router(b);
}

/* ---- full ------------------------------------------------------------------------------------ */

/* E5-35: all the way to the cycle. */
static void a_full_bring_up_takes_its_cycles_exactly(void **state) {
  (void)state;
  for (uint32_t slow = 4; slow < 100; slow += 56) {
    struct elite5_bench *b = open_down();
    struct trace t = {{0}};
    uint64_t e = enable(b, 0), k = e + 10, m = k + 6, p = m + 2, q = p + slow;
    control_in(b, k, LOOM_ELITE5_NEGOTIATE, NEGOTIATE_INFO);
    control_in(b, m, LOOM_ELITE5_IDENTIFY, 0x5A5A77ull << 16 | 0x1234);
    cycle_to(b, q - 1);
    send_prbs(b, TEST_WORDS + LOCK, NULL);
    send_control(b, LINK, LOOM_ELITE5_READY, 0);
    cycle_to(b, q + TEST_WORDS); /* the words are looked at until q + TEST_WORDS + 4 */
    watch(b, &t, q + TEST_WORDS + 60);
    uint64_t ready = q + TEST_WORDS + LOCK + 2, told = p + TEST_WORDS + EXTRA + 1;
    uint64_t up = (told > ready ? told : ready) + 2;
    const struct step steps[] = {{q + TEST_WORDS + 2, PRBS}, {ready, READY}, {up, UP}};
    expect_states(&t, steps, 3);
    expect_controls(b, LOOM_ELITE5_NEGOTIATE, NEGOTIATE_INFO, e + 2, k + 2);
    expect_controls(b, LOOM_ELITE5_IDENTIFY, 0xBEEF03ull << 16, k + 3, m + 2);
    expect_prbs(b, TEST_WORDS + EXTRA, p + 2);
    expect_controls(b, LOOM_ELITE5_READY, 0, up - 1, up);
    cycles(b, 20);
    expect_nothing_else(b);
    assert_int_equal(read_link(b, LINK, LOOM_ELITE5_REG_LINK_FAR), 0x5A5A77);
    assert_int_equal(read_link(b, LINK, LOOM_ELITE5_REG_LINK_CHECKED), TEST_WORDS);
    assert_int_equal(read_link(b, LINK, LOOM_ELITE5_REG_LINK_BIT_ERRORS), 0);
    expect_no_trap(b);
    close_router(b);
  }
}

/* E5-35: the first states to the cycle. */
static void a_full_bring_up_passes_its_first_states_on_time(void **state) {
  (void)state;
  for (uint64_t apart = 1; apart < 4; apart++) {
    struct elite5_bench *b = open_down();
    struct trace t = {{0}};
    uint64_t e = enable(b, 0), k = e + 6, m = k + apart;
    cycle_to(b, k - 1);
    send_control(b, LINK, LOOM_ELITE5_NEGOTIATE, NEGOTIATE_INFO);
    for (uint64_t i = 1; i < apart; i++)
      send_control(b, LINK, LOOM_ELITE5_NEGOTIATE, NEGOTIATE_INFO);
    send_control(b, LINK, LOOM_ELITE5_IDENTIFY, 0);
    watch(b, &t, m + 20);
    const struct step steps[] = {{k + 1, NEGOTIATE}, {k + 2, IDCHECK}, {m + 2, PRBS}};
    expect_states(&t, steps, 3);
    close_router(b);
  }
}

/* E5-35: what leaves NEGOTIATE: the own protocol, or the far end being further. */
static void the_own_protocol_or_a_far_end_that_is_further_ends_negotiate(void **state) {
  (void)state;
  static const struct {
    uint64_t info;
    uint32_t sub;
    bool goes;
  } words[] = {{0x51ull << 32, 0, true},
               {0x52ull << 32, 0, false},
               {0, 0, false},
               {0x51ull << 32 | 1, 0, false},
               {0, 1, true},
               {0x51ull << 32, 1, true},
               {0, 2, false},
               {0x51ull << 32, 2, false}};
  for (uint32_t k = 0; k < 8; k++) {
    struct elite5_bench *b = open_down();
    uint64_t e = enable(b, 0);
    control_in(b, e + 4, words[k].sub, words[k].info);
    cycles(b, 20);
    assert_int_equal(read_link(b, LINK, LOOM_ELITE5_REG_LINK_STATE) & 7,
                     words[k].goes ? IDCHECK : NEGOTIATE);
    close_router(b);
  }
  struct elite5_bench *b = open_down();
  write_reg(b, LOOM_ELITE5_REG_PROTOCOL, 0x62);
  uint64_t e = enable(b, 0);
  control_in(b, e + 4, LOOM_ELITE5_NEGOTIATE, 0x62ull << 32);
  cycles(b, 20);
  assert_int_equal(read_link(b, LINK, LOOM_ELITE5_REG_LINK_STATE) & 7, IDCHECK);
  expect_controls(b, LOOM_ELITE5_NEGOTIATE, 0x62ull << 32, e + 2, e + 6);
  close_router(b);
}

/* E5-36: IDCHECK waits for an identity; the right one passes, a wrong one only if nobody checks. */
static void a_wrong_identity_passes_only_if_nobody_checks(void **state) {
  (void)state;
  for (uint32_t k = 0; k < 4; k++) {
    bool right = k & 1, checks = k & 2;
    struct elite5_bench *b = open_down();
    write_link(b, LINK, LOOM_ELITE5_REG_LINK_EXPECTED, 0x123456);
    uint64_t e = enable(b, checks ? CHECK : 0);
    control_in(b, e + 4, LOOM_ELITE5_NEGOTIATE, NEGOTIATE_INFO);
    control_in(b, e + 8, LOOM_ELITE5_NEGOTIATE, NEGOTIATE_INFO); /* means nothing now */
    control_in(b, e + 12, LOOM_ELITE5_IDENTIFY, (right ? 0x123456ull : 0x123457ull) << 16);
    cycles(b, 20);
    bool bad = checks && !right;
    assert_int_equal(read_link(b, LINK, LOOM_ELITE5_REG_LINK_STATE) & 7, bad ? BADID : PRBS);
    assert_int_equal(read_link(b, LINK, LOOM_ELITE5_REG_LINK_FAR), right ? 0x123456 : 0x123457);
    assert_int_equal(b->out.out_signal[LINK], 1);
    if (bad)
      expect_trap(b, BAD_ID, LINK, 0, 0, 0);
    expect_no_trap(b);
    close_router(b);
  }
}

/* E5-36: BADID and FAILED last until the link is disabled, also when the other end goes. */
static void badid_and_failed_last_until_the_link_is_disabled(void **state) {
  (void)state;
  for (uint32_t failed = 0; failed < 2; failed++) {
    struct elite5_bench *b = open_down();
    if (failed) {
      write_reg(b, LOOM_ELITE5_REG_TIMEOUT, 30);
      bring_to_prbs(b, 0);
    } else {
      write_link(b, LINK, LOOM_ELITE5_REG_LINK_EXPECTED, 7);
      bring_to_prbs(b, CHECK);
    }
    cycles(b, 60);
    expect_trap(b, failed ? FAILED_TEST : BAD_ID, LINK, 0, 0, 0);
    enum link_state bad = failed ? FAILED : BADID;
    assert_int_equal(read_link(b, LINK, LOOM_ELITE5_REG_LINK_STATE) & 7, bad);
    assert_int_equal(b->out.out_signal[LINK], !failed);
    b->signal = 0;
    cycles(b, 20);
    assert_int_equal(read_link(b, LINK, LOOM_ELITE5_REG_LINK_STATE) & 7, bad);
    b->signal = 1 << LINK;
    cycles(b, 20);
    assert_int_equal(read_link(b, LINK, LOOM_ELITE5_REG_LINK_STATE) & 7, bad);
    write_link(b, LINK, LOOM_ELITE5_REG_LINK_CONTROL, 0);
    assert_int_equal(read_link(b, LINK, LOOM_ELITE5_REG_LINK_STATE) & 7, DOWN);
    expect_no_trap(b);
    close_router(b);
  }
}

/* E5-35: bit errors are counted each once; as many as the limit are passed, one more is not. */
static void bit_errors_of_the_test_are_counted_up_to_the_limit(void **state) {
  (void)state;
  static const struct {
    uint32_t limit, wrong;
  } tests[] = {{0, 0}, {0, 1}, {3, 3}, {3, 4}, {100, 100}, {100, 101}};
  for (uint32_t k = 0; k < 6; k++) {
    struct elite5_bench *b = open_down();
    uint64_t wrong[TEST_WORDS + LOCK] = {0}, seed = k;
    write_reg(b, LOOM_ELITE5_REG_PRBS_LIMIT, tests[k].limit);
    for (uint32_t i = 0; i < tests[k].wrong;) { /* few in a word, so that the lock lasts */
      uint64_t *w = &wrong[LOCK + i % TEST_WORDS], bit = 1ull << loom_below(&seed, 64);
      i += !(*w & bit);
      *w |= bit;
    }
    bring_to_prbs(b, 0);
    cycles(b, 3);
    send_prbs(b, TEST_WORDS + LOCK, wrong);
    cycles(b, TEST_WORDS + 60);
    bool passes = tests[k].wrong <= tests[k].limit;
    assert_int_equal(read_link(b, LINK, LOOM_ELITE5_REG_LINK_STATE) & 7, passes ? READY : FAILED);
    assert_int_equal(b->out.out_signal[LINK], passes);
    assert_int_equal(read_link(b, LINK, LOOM_ELITE5_REG_LINK_CHECKED), TEST_WORDS);
    assert_int_equal(read_link(b, LINK, LOOM_ELITE5_REG_LINK_BIT_ERRORS), tests[k].wrong);
    if (!passes)
      expect_trap(b, FAILED_TEST, LINK, 0, 0, 0);
    expect_no_trap(b);
    close_router(b);
  }
}

/* E5-35: wrong bits before the lock cost words, not errors: each time the checker begins anew. */
static void errors_before_the_lock_cost_words_and_are_not_counted(void **state) {
  (void)state;
  struct elite5_bench *b = open_down();
  struct trace t = {{0}};
  uint64_t wrong[TEST_WORDS + 20] = {[1] = 1ull << 63}; /* far from the bits that are kept */
  uint64_t q = bring_to_prbs(b, 0);
  cycle_to(b, q - 1);
  send_prbs(b, TEST_WORDS + 20, wrong);
  cycle_to(b, q + TEST_WORDS - 5);
  watch(b, &t, q + TEST_WORDS + 30);
  /* Word 1 is not what word 0 foretells; words 2 and 3 are: locked with word 3, one word later. */
  const struct step steps[] = {{q + TEST_WORDS, PRBS}, {q + TEST_WORDS + LOCK + 3, READY}};
  expect_states(&t, steps, 2);
  assert_int_equal(read_link(b, LINK, LOOM_ELITE5_REG_LINK_BIT_ERRORS), 0);
  close_router(b);
}

/* E5-35: only words of data are checked: no pauses, no control words. */
static void pauses_and_control_words_are_no_part_of_the_test(void **state) {
  (void)state;
  struct elite5_bench *b = open_down();
  bring_to_prbs(b, 0);
  uint32_t s = LOOM_PRBS31_MASK;
  for (uint32_t i = 0; i < TEST_WORDS + LOCK; i++) {
    uint64_t word = loom_prbs31_word(s);
    s = (uint32_t)word & LOOM_PRBS31_MASK;
    cycles(b, 1 + i % 2);
    send_word(b, LINK, false, false, 0, word);
    if (i % 3 == 0)
      send_control(b, LINK, LOOM_ELITE5_IDENTIFY, 0);
    cycles(b, 1);
  }
  cycles(b, 60);
  assert_int_equal(read_link(b, LINK, LOOM_ELITE5_REG_LINK_STATE) & 7, READY);
  assert_int_equal(read_link(b, LINK, LOOM_ELITE5_REG_LINK_CHECKED), TEST_WORDS);
  assert_int_equal(read_link(b, LINK, LOOM_ELITE5_REG_LINK_BIT_ERRORS), 0);
  close_router(b);
}

/* E5-35: a length of 0: the test is passed at once. */
static void a_test_of_no_words_is_passed_at_once(void **state) {
  (void)state;
  struct elite5_bench *b = open_down();
  struct trace t = {{0}};
  write_reg(b, LOOM_ELITE5_REG_PRBS_WORDS, 0);
  uint64_t e = enable(b, 0);
  cycle_to(b, e + 3);
  send_control(b, LINK, LOOM_ELITE5_NEGOTIATE, NEGOTIATE_INFO);
  send_control(b, LINK, LOOM_ELITE5_IDENTIFY, 0);
  watch(b, &t, e + 20);
  const struct step steps[] = {{e + 6, IDCHECK}, {e + 7, PRBS}, {e + 8, READY}};
  expect_states(&t, steps, 3);
  close_router(b);
}

/* Links 2 and 3 of one router are wired to each other: a cycle of both ends. */
static void wired_cycle(struct elite5_bench *b) {
  for (uint32_t l = 2; l < 4; l++) {
    const uint32_t far = 5 - l;
    b->in.in_valid[l] = b->out.out_valid[far];
    b->in.in_head[l] = b->out.out_head[far];
    b->in.in_tail[l] = b->out.out_tail[far];
    b->in.in_vl[l] = b->out.out_vl[far];
    b->in.in_data[l] = b->out.out_data[far];
    b->signal &= ~(1ull << l);
    b->signal |= b->out.out_signal[far] << l;
  }
  cycle(b);
}

/* Of the first edition or of the second one. */
static struct elite5_bench *open_wired(uint32_t control, bool second) {
  struct elite5_bench *b = second ? get_quiet(open_crosspoint(SMALL, 0)) : open_down();
  write_link(b, 2, LOOM_ELITE5_REG_LINK_EXPECTED, 0xBEEF03);
  write_link(b, 3, LOOM_ELITE5_REG_LINK_EXPECTED, 0xBEEF02);
  write_link(b, ALL, LOOM_ELITE5_REG_LINK_CONTROL, ENABLE | CHECK | control);
  for (uint32_t c = 0; c < 300; c++)
    wired_cycle(b);
  assert_int_equal(b->probe.up, 0x0C);
  return b;
}

/* E5-35: two ends bring each other up, without anybody's help. */
static void two_ends_bring_each_other_up(void **state) {
  (void)state;
  for (uint32_t k = 0; k < 4; k++) {
    uint32_t quick = k & 1;
    struct elite5_bench *b = open_wired(quick * QUICK, k & 2);
    assert_int_equal(read_link(b, 2, LOOM_ELITE5_REG_LINK_FAR), quick ? 0 : 0xBEEF03);
    assert_int_equal(read_link(b, 3, LOOM_ELITE5_REG_LINK_FAR), quick ? 0 : 0xBEEF02);
    for (uint32_t l = 2; l < 4; l++) {
      assert_int_equal(read_link(b, l, LOOM_ELITE5_REG_LINK_CHECKED), quick ? 0 : TEST_WORDS);
      assert_int_equal(read_link(b, l, LOOM_ELITE5_REG_LINK_BIT_ERRORS), 0);
      assert_int_equal(read_link(b, l, LOOM_ELITE5_REG_LINK_LINK_ERRORS), 0);
      assert_int_equal(read_link(b, l, LOOM_ELITE5_REG_LINK_HEADER_ERRORS), 0);
    }
    expect_no_trap(b);
    close_router(b);
  }
}

/* E5-36: one end falls, by a signal that is away for one cycle: the other falls too, and both come
 * back. */
static void two_ends_fall_together_and_come_back(void **state) {
  (void)state;
  for (uint32_t k = 0; k < 4; k++) {
    uint32_t quick = k & 1;
    struct elite5_bench *b = open_wired(quick * QUICK, k & 2);
    uint64_t fallen = 0;
    for (uint32_t c = 0; c < 300; c++) {
      if (c == 0)
        b->out.out_signal[3] = 0; /* as link 2 sees it */
      wired_cycle(b);
      fallen |= ~b->probe.up & 0x0C;
    }
    assert_int_equal(fallen, 0x0C);
    assert_int_equal(b->probe.up, 0x0C);
    expect_trap(b, LINK_DOWN, 2, 0, 0, 0);
    expect_trap(b, LINK_DOWN, 3, 0, 0, 0);
    expect_no_trap(b);
    close_router(b);
  }
}

/* ---- timeouts -------------------------------------------------------------------------------- */

enum { TIMEOUT = 50 };

/* E5-35: the timer is 0 in the first cycle of a state: IDCHECK ends after cycle TIMEOUT of it. An
 * identity that is seen in this very cycle comes too late. */
static void idcheck_times_out_to_the_cycle(void **state) {
  (void)state;
  for (uint32_t late = 0; late < 3; late++) {
    struct elite5_bench *b = open_down();
    struct trace t = {{0}};
    write_reg(b, LOOM_ELITE5_REG_TIMEOUT, TIMEOUT);
    uint64_t e = enable(b, 0), s = e + 6; /* the first cycle of IDCHECK */
    control_in(b, s - 2, LOOM_ELITE5_NEGOTIATE, NEGOTIATE_INFO);
    cycle_to(b, s + 10);
    for (uint64_t c = s + 11; c < s + TIMEOUT - 2 + late; c++)
      send_word(b, LINK, false, false, 0, 0);
    if (late < 2) /* seen in s + TIMEOUT - 1 + late */
      send_control(b, LINK, LOOM_ELITE5_IDENTIFY, 0);
    watch(b, &t, s + TIMEOUT + 10);
    const struct step steps[] = {{s + 12, IDCHECK},
                                 {s + TIMEOUT + (late > 0), late ? NEGOTIATE : PRBS}};
    expect_states(&t, steps, 2);
    expect_no_trap(b);
    close_router(b);
  }
}

/* E5-35. */
static void prbs_times_out_to_failed(void **state) {
  (void)state;
  struct elite5_bench *b = open_down();
  struct trace t = {{0}};
  write_reg(b, LOOM_ELITE5_REG_TIMEOUT, TIMEOUT);
  uint64_t p = bring_to_prbs(b, 0);
  watch(b, &t, p + TIMEOUT + 20);
  const struct step steps[] = {{p + 1, PRBS}, {p + TIMEOUT + 1, FAILED}};
  expect_states(&t, steps, 2);
  assert_int_equal(b->out.out_signal[LINK], 0);
  expect_trap(b, FAILED_TEST, LINK, 0, 0, 0);
  expect_no_trap(b);
  close_router(b);
}

/* E5-35: READY of a link that was tested goes back to NEGOTIATE, and what was seen and told is
 * forgotten: the next time it says READY anew, and waits for it. */
static void ready_of_a_tested_link_times_out_to_negotiate(void **state) {
  (void)state;
  struct elite5_bench *b = open_down();
  struct trace t = {{0}};
  write_reg(b, LOOM_ELITE5_REG_TIMEOUT, 4 * TIMEOUT);
  uint64_t p = bring_to_prbs(b, 0), ready = p + TEST_WORDS + LOCK + 2;
  send_prbs(b, TEST_WORDS + LOCK, NULL);
  watch(b, &t, ready + 4 * TIMEOUT + 20);
  const struct step steps[] = {{p + 1, PRBS}, {ready, READY}, {ready + 4 * TIMEOUT + 1, NEGOTIATE}};
  expect_states(&t, steps, 3);
  expect_no_trap(b);
  uint64_t k = b->cycle + 2;
  control_in(b, k, LOOM_ELITE5_NEGOTIATE, NEGOTIATE_INFO);
  control_in(b, k + 4, LOOM_ELITE5_IDENTIFY, 0);
  cycle_to(b, k + 5);
  forget_logs(b);
  send_prbs(b, TEST_WORDS + LOCK, NULL);
  cycles(b, TEST_WORDS + EXTRA + 20);
  assert_int_equal(read_link(b, LINK, LOOM_ELITE5_REG_LINK_STATE) & 7, READY);
  assert_int_equal(read_link(b, LINK, LOOM_ELITE5_REG_LINK_CHECKED), TEST_WORDS);
  send_control(b, LINK, LOOM_ELITE5_READY, 0);
  cycles(b, 4);
  assert_int_equal(b->probe.up, 1 << LINK);
  close_router(b);
}

/* E5-35. */
static void a_timeout_of_0_is_none(void **state) {
  (void)state;
  struct elite5_bench *b = open_down();
  struct trace t = {{0}};
  write_reg(b, LOOM_ELITE5_REG_TIMEOUT, 0);
  uint64_t p = bring_to_prbs(b, 0);
  watch(b, &t, p + 800);
  for (uint64_t c = p + 1; c <= p + 800; c++)
    assert_int_equal(t.state[c] & 7, PRBS);
  close_router(b);
}

/* E5-36: the other end goes away on the way up: DOWN in the next cycle, without a trap. */
static void a_signal_lost_on_the_way_up_ends_in_down_without_a_trap(void **state) {
  (void)state;
  for (uint32_t k = 0; k < 4; k++) {
    struct elite5_bench *b = open_down();
    uint64_t e = enable(b, k == 3 ? QUICK : 0);
    if (k >= 1 && k < 3)
      control_in(b, e + 3, LOOM_ELITE5_NEGOTIATE, NEGOTIATE_INFO);
    if (k == 2)
      control_in(b, e + 5, LOOM_ELITE5_IDENTIFY, 0);
    cycle_to(b, e + 10);
    unplug(b, LINK); /* x = e + 11: what is made in it leaves in e + 12 */
    for (uint32_t i = 0; i < 10; i++) {
      cycle(b);
      assert_int_equal(b->out.out_signal[LINK], 1);
    }
    assert_int_equal(read_link(b, LINK, LOOM_ELITE5_REG_LINK_STATE) & 7, DOWN);
    assert_int_equal(b->words[LINK].event[b->words[LINK].count - 1].cycle, e + 12);
    expect_no_trap(b);
    close_router(b);
  }
}

/* ---- errors in a window ---------------------------------------------------------------------- */

/* A word without head: a link error. */
static void send_error(struct elite5_bench *b, uint32_t link) {
  send_word(b, link, false, false, 0, 1);
}

/* E5-36: more errors than the limit of the class: FAILED, trap 5, counted. The word of the last
 * error is on the link in c, it counts from c + 2, the link is UP until then. */
static void more_errors_than_the_limit_remove_the_link(void **state) {
  (void)state;
  for (uint32_t k = 0; k < 8; k++) {
    bool single = k & 1, header = k & 2, over = k & 4;
    struct elite5_bench *b = open_small();
    write_reg(b, LOOM_ELITE5_REG_LIMIT_REDUNDANT, single ? 0 : 3);
    write_reg(b, LOOM_ELITE5_REG_LIMIT_SINGLE, single ? 3 : 0);
    write_link(b, 2, LOOM_ELITE5_REG_LINK_CONTROL, ENABLE | QUICK | (single ? SINGLE : 0));
    struct elite5_packet p = unicast(0, 5, 1);
    for (uint32_t i = 0; i < 3u + over; i++)
      if (header)
        send_word(b, 2, true, true, i, packet_word(&p, 0, i) ^ 1);
      else
        send_error(b, 2);
    uint64_t c = b->cycle + 2 + over;
    cycle_to(b, c + 2);
    assert_int_equal(b->probe.up, 0xFF);
    cycle(b);
    assert_int_equal(b->probe.up, over ? 0xFB : 0xFF);
    cycles(b, 20);
    assert_int_equal(b->out.out_signal[2], !over);
    assert_int_equal(read_link(b, 2, LOOM_ELITE5_REG_LINK_STATE) & 7, over ? FAILED : UP);
    assert_int_equal(read_link(b, 2, LOOM_ELITE5_REG_LINK_REMOVALS), over);
    assert_int_equal(
        read_link(b, 2,
                  header ? LOOM_ELITE5_REG_LINK_HEADER_ERRORS : LOOM_ELITE5_REG_LINK_LINK_ERRORS),
        3 + over);
    if (over)
      expect_trap(b, WINDOW_ERRORS, 2, 0, 0, 0);
    expect_no_trap(b);
    close_router(b);
  }
}

/* E5-36: a link that is removed leaves the others their errors. */
static void a_removed_link_leaves_the_errors_of_others(void **state) {
  (void)state;
  struct elite5_bench *b = open_small();
  write_reg(b, LOOM_ELITE5_REG_LIMIT_REDUNDANT, 2);
  for (uint32_t i = 0; i < 3; i++) {
    send_error(b, 2);
    if (i)
      send_error(b, 4);
  }
  cycles(b, 20);
  assert_int_equal(b->probe.up, 0xFB);
  send_error(b, 4);
  cycles(b, 20);
  assert_int_equal(b->probe.up, 0xEB);
  close_router(b);
}

/* E5-36: errors of different windows do not add up. */
static void errors_of_different_windows_do_not_add_up(void **state) {
  (void)state;
  struct elite5_bench *b = open_small();
  write_reg(b, LOOM_ELITE5_REG_LIMIT_REDUNDANT, 2);
  write_reg(b, LOOM_ELITE5_REG_WINDOW, 100); /* the counter is 0 in this cycle */
  uint64_t w = b->cycle;
  for (uint32_t window = 0; window < 4; window++)
    for (uint32_t i = 0; i < 2; i++) {
      cycle_to(b, w + 100 * window + 20 + 60 * i);
      send_error(b, 2);
    }
  cycles(b, 30);
  assert_int_equal(b->probe.up, 0xFF);
  for (uint32_t i = 0; i < 3; i++)
    send_error(b, 2);
  cycles(b, 10);
  assert_int_equal(b->probe.up, 0xFB);
  close_router(b);
}

/* E5-36: the last cycle of a window, to the cycle: an error of it is lost; one of the cycle before
 * is seen in it. */
static void an_error_in_the_last_cycle_of_a_window_is_lost(void **state) {
  (void)state;
  for (uint32_t d = 0; d < 3; d++) {
    struct elite5_bench *b = open_small();
    write_reg(b, LOOM_ELITE5_REG_LIMIT_REDUNDANT, 0);
    write_reg(b, LOOM_ELITE5_REG_WINDOW, 100);
    uint64_t w = b->cycle, last = w + 299; /* of the third window */
    cycle_to(b, last - 1 + d - 1 - 1);
    send_error(b, 2); /* found in last - 1 + d */
    cycles(b, 30);
    assert_int_equal(b->probe.up, d == 1 ? 0xFF : 0xFB);
    assert_int_equal(read_link(b, 2, LOOM_ELITE5_REG_LINK_LINK_ERRORS), 1);
    close_router(b);
  }
}

/* E5-36: a window of 0 counts as 1: no error outlives its cycle. */
static void a_window_of_0_counts_as_1(void **state) {
  (void)state;
  for (uint32_t window = 0; window < 2; window++) {
    struct elite5_bench *b = open_small();
    write_reg(b, LOOM_ELITE5_REG_LIMIT_REDUNDANT, 0);
    write_reg(b, LOOM_ELITE5_REG_WINDOW, window);
    for (uint32_t i = 0; i < 50; i++)
      send_error(b, 2);
    cycles(b, 80);
    assert_int_equal(b->probe.up, 0xFF);
    assert_int_equal(read_link(b, 2, LOOM_ELITE5_REG_LINK_LINK_ERRORS), 50);
    close_router(b);
  }
}

/* E5-36: a removed link is out until it is disabled and enabled; then its errors begin anew. */
static void a_removed_link_comes_back_when_it_is_disabled_and_enabled(void **state) {
  (void)state;
  struct elite5_bench *b = open_small();
  write_reg(b, LOOM_ELITE5_REG_LIMIT_REDUNDANT, 1);
  send_error(b, 2);
  send_error(b, 2);
  cycles(b, 20);
  expect_trap(b, WINDOW_ERRORS, 2, 0, 0, 0);
  write_link(b, 2, LOOM_ELITE5_REG_LINK_CONTROL, 0);
  cycles(b, 10);
  bring_up(b, 1 << 2);
  send_error(b, 2);
  cycles(b, 20);
  assert_int_equal(b->probe.up, 0xFF);
  struct elite5_packet p = unicast(0, 2, 40);
  uint64_t c = send(b, 2, p);
  cycles(b, 60);
  expect_packet(b, 2, p, 0, c + 7);
  expect_reply(b, 2, 0, true, c + 39 + 11);
  expect_nothing_else(b);
  expect_quiet(b);
  close_router(b);
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_quick_bring_up_takes_its_cycles_exactly),
      cmocka_unit_test(the_signal_to_the_other_end_is_the_enable_bit),
      cmocka_unit_test(the_signal_dips_for_one_cycle_when_a_link_falls),
      cmocka_unit_test(a_link_waits_for_the_signal_of_the_other_end),
      cmocka_unit_test(a_wrong_or_early_ready_brings_no_link_up),
      cmocka_unit_test(a_quick_bring_up_has_no_timeout),
      cmocka_unit_test(ready_is_said_only_when_the_link_is_quiet),
      cmocka_unit_test(a_full_bring_up_takes_its_cycles_exactly),
      cmocka_unit_test(a_full_bring_up_passes_its_first_states_on_time),
      cmocka_unit_test(the_own_protocol_or_a_far_end_that_is_further_ends_negotiate),
      cmocka_unit_test(a_wrong_identity_passes_only_if_nobody_checks),
      cmocka_unit_test(badid_and_failed_last_until_the_link_is_disabled),
      cmocka_unit_test(bit_errors_of_the_test_are_counted_up_to_the_limit),
      cmocka_unit_test(errors_before_the_lock_cost_words_and_are_not_counted),
      cmocka_unit_test(pauses_and_control_words_are_no_part_of_the_test),
      cmocka_unit_test(a_test_of_no_words_is_passed_at_once),
      cmocka_unit_test(two_ends_bring_each_other_up),
      cmocka_unit_test(two_ends_fall_together_and_come_back),
      cmocka_unit_test(idcheck_times_out_to_the_cycle),
      cmocka_unit_test(prbs_times_out_to_failed),
      cmocka_unit_test(ready_of_a_tested_link_times_out_to_negotiate),
      cmocka_unit_test(a_timeout_of_0_is_none),
      cmocka_unit_test(a_signal_lost_on_the_way_up_ends_in_down_without_a_trap),
      cmocka_unit_test(more_errors_than_the_limit_remove_the_link),
      cmocka_unit_test(a_removed_link_leaves_the_errors_of_others),
      cmocka_unit_test(errors_of_different_windows_do_not_add_up),
      cmocka_unit_test(an_error_in_the_last_cycle_of_a_window_is_lost),
      cmocka_unit_test(a_window_of_0_counts_as_1),
      cmocka_unit_test(a_removed_link_comes_back_when_it_is_disabled_and_enabled),
  };
  return UNIT_RUN("elite5_link", tests, NULL, NULL);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* test_shift_registers.c - the twins of prbs31_gen, prbs31_check and lfsr: their words bit by bit,
 * their periods, when the checker locks and what it counts, against what docs/parts.md says,
 * without a circuit */
#include "tb/unit/unit.h"

#include <loom/bits.h>
#include <loom/random.h>
#include <string.h>

#include "parts/lfsr.h"
#include "parts/prbs31_check.h"
#include "parts/prbs31_gen.h"

/* A word in which one bit of eight is set. */
static uint64_t sparse(uint64_t *seed) {
  uint64_t a = loom_random(seed), b = loom_random(seed), c = loom_random(seed);
  return a & b & c;
}

/* ---- periods of the shift registers ---------------------------------------------------------- */

/* A shift register is a linear map of its state. As a matrix (column i: what becomes of bit i) its
 * power is quickly had, and its order says how long the sequence is. */

typedef struct {
  uint32_t column[32];
} matrix;

static uint32_t apply(const matrix *m, uint32_t x) {
  uint32_t y = 0;
  for (uint32_t i = 0; i < 32; i++)
    if (x >> i & 1)
      y ^= m->column[i];
  return y;
}

static matrix power(matrix m, uint64_t n) {
  matrix result;
  for (uint32_t i = 0; i < 32; i++)
    result.column[i] = 1u << i;
  for (; n; n >>= 1) {
    matrix square;
    for (uint32_t i = 0; i < 32; i++) {
      if (n & 1)
        result.column[i] = apply(&m, result.column[i]);
      square.column[i] = apply(&m, m.column[i]);
    }
    m = square;
  }
  return result;
}

static bool identity(const matrix *m, uint32_t bits) {
  for (uint32_t i = 0; i < bits; i++)
    if (m->column[i] != 1u << i)
      return false;
  return true;
}

/* ---- prbs31_gen, prbs31_check ---------------------------------------------------------------- */

/* The sequence bit by bit: history, bit 0 the newest. */
static uint64_t prbs_reference(uint32_t *history) {
  uint64_t word = 0;
  for (int i = 0; i < 64; i++) {
    uint32_t bit = (*history >> 27 ^ *history >> 30) & 1;
    *history = (*history << 1 | bit) & 0x7FFFFFFF;
    word = word << 1 | bit;
  }
  return word;
}

static void the_prbs_is_that_of_its_bits_one_by_one(void **state) {
  (void)state;
  uint64_t seed = 8;
  const struct loom_prbs31_gen_cfg cfg = {0};
  struct loom_prbs31_gen s;
  assert_true(loom_prbs31_gen_cfg_ok(&cfg));
  loom_prbs31_gen_init(&s, &cfg);
  uint32_t history = 0x7FFFFFFF;
  uint64_t data = 0;
  bool valid = false;
  for (int i = 0; i < 20000; i++) {
    const struct loom_prbs31_gen_in in = {
        .load = loom_chance(&seed, 3),
        .seed = loom_chance(&seed, 30) ? 0 : loom_random(&seed) & 0x7FFFFFFF,
        .enable = loom_chance(&seed, 80)};
    struct loom_prbs31_gen_out out;
    struct loom_prbs31_gen_probe probe;
    loom_prbs31_gen_step(&s, &in, &out);
    loom_prbs31_gen_probe(&s, &probe);
    assert_true(out.valid == valid && out.data == data);
    valid = in.enable && !in.load;
    if (in.load)
      history = in.seed ? (uint32_t)in.seed : 0x7FFFFFFF;
    data = valid ? prbs_reference(&history) : 0;
    assert_true(probe.state == history);
  }
}

/* 2^31 - 1 is prime: a map whose power to it is 1 and that is not 1 itself has exactly this order.
 */
static void the_prbs_has_its_full_period(void **state) {
  (void)state;
  matrix m = {{0}};
  for (uint32_t i = 0; i < 31; i++)
    m.column[i] = (uint32_t)loom_prbs31_word(1u << i) & LOOM_PRBS31_MASK;
  matrix full = power(m, 0x7FFFFFFF);
  assert_false(identity(&m, 31));
  assert_true(identity(&full, 31));
}

struct checker {
  struct loom_prbs31_check s;
  struct loom_prbs31_check_out out; /* as after the last word */
  uint32_t line;                    /* state of the sender */
};

static void checker_new(struct checker *c, uint32_t lock_words, uint32_t loss_errors,
                        uint32_t loss_words) {
  const struct loom_prbs31_check_cfg cfg = {
      .LOCK_WORDS = lock_words, .LOSS_ERRORS = loss_errors, .LOSS_WORDS = loss_words};
  assert_true(loom_prbs31_check_cfg_ok(&cfg));
  loom_prbs31_check_init(&c->s, &cfg);
  c->line = 0x1234567;
}

/* One cycle; what its edge did to the registered outputs stands in c->out. */
static void checker_cycle(struct checker *c, bool restart, bool valid, uint64_t data) {
  struct loom_prbs31_check_in in = {.restart = restart, .valid = valid, .data = data};
  loom_prbs31_check_step(&c->s, &in, &c->out);
  struct loom_prbs31_check look = c->s;
  in = (struct loom_prbs31_check_in){0};
  loom_prbs31_check_step(&look, &in, &c->out);
}

static void checker_word(struct checker *c, uint64_t flipped) {
  checker_cycle(c, false, true, prbs_reference(&c->line) ^ flipped);
}

static void the_checker_locks_after_its_words(void **state) {
  (void)state;
  for (uint32_t lock = 1; lock <= 15; lock++) {
    struct checker c;
    checker_new(&c, lock, 16, 4);
    for (uint32_t i = 0; i <= lock; i++) { /* the first word is only history */
      assert_false(c.s.locked);
      checker_word(&c, 0);
      assert_false(c.out.check);
      checker_cycle(&c, false, false, ~0ull); /* pauses change nothing */
    }
    assert_true(c.out.locked);
    checker_word(&c, 0);
    assert_true(c.out.check && c.out.errors == 0);
    checker_cycle(&c, true, true, 0);
    assert_false(c.out.locked || c.out.check || c.out.lost);
    checker_word(&c, 0);
    checker_word(&c, 0);
    assert_int_equal(c.out.locked, lock == 1);
  }
}

static void the_checker_counts_each_error_once(void **state) {
  (void)state;
  uint64_t seed = 9, sent = 0, counted = 0;
  struct checker c;
  checker_new(&c, 2, 64, 15);
  for (int i = 0; i < 3; i++)
    checker_word(&c, 0);
  assert_true(c.out.locked);
  for (int i = 0; i < 20000; i++) {
    uint64_t flipped = loom_chance(&seed, 30) ? sparse(&seed) : 0;
    checker_word(&c, flipped);
    assert_int_equal(c.out.errors, loom_popcount(flipped));
    sent += loom_popcount(flipped);
    counted += c.out.errors;
  }
  assert_true(c.out.locked && sent == counted && sent > 10000);
}

static void the_checker_gives_up_after_bad_words_in_a_row(void **state) {
  (void)state;
  struct checker c;
  checker_new(&c, 1, 16, 3);
  checker_word(&c, 0);
  checker_word(&c, 0);
  assert_true(c.out.locked);
  for (int i = 0; i < 10; i++) { /* never three in a row; 15 errors are not many */
    checker_word(&c, 0xFFFF);
    checker_word(&c, 0xFFFF);
    checker_word(&c, 0x7FFF);
    assert_true(c.out.locked && c.out.errors == 15);
  }
  checker_word(&c, 0xFFFF);
  checker_word(&c, 0xFFFF);
  assert_true(c.out.locked && !c.out.lost);
  checker_word(&c, 0xFFFF);
  assert_true(!c.out.locked && c.out.lost && c.out.check && c.out.errors == 16);
  checker_cycle(&c, false, false, 0);
  assert_true(!c.out.lost && !c.out.check && c.out.errors == 0);
  checker_word(&c, 0);
  assert_false(c.out.locked);
  checker_word(&c, 0);
  assert_true(c.out.locked);
}

static void the_checker_does_not_lock_on_zeros(void **state) {
  (void)state;
  struct checker c;
  checker_new(&c, 1, 16, 4);
  for (int i = 0; i < 100; i++) {
    struct loom_prbs31_check_probe probe;
    checker_cycle(&c, false, true, 0);
    loom_prbs31_check_probe(&c.s, &probe);
    assert_true(!probe.locked && probe.good == 0 && probe.bad == 0 && probe.state == 0);
  }
}

/* ---- lfsr ------------------------------------------------------------------------------------ */

static uint32_t lfsr_reference(uint32_t value, uint32_t steps) {
  while (steps--) {
    uint32_t out = value & 1;
    value = value >> 1 ^ (out ? 0x80200003u : 0);
  }
  return value;
}

static void the_lfsr_is_that_of_its_bits_one_by_one(void **state) {
  (void)state;
  uint64_t seed = 10;
  for (uint32_t steps = 1; steps <= 32; steps++) {
    const struct loom_lfsr_cfg cfg = {.STEPS = steps};
    struct loom_lfsr s;
    assert_true(loom_lfsr_cfg_ok(&cfg));
    loom_lfsr_init(&s, &cfg);
    uint32_t value = 1;
    for (int i = 0; i < 3000; i++) {
      const struct loom_lfsr_in in = {.load = loom_chance(&seed, 3),
                                      .seed =
                                          loom_chance(&seed, 30) ? 0 : (uint32_t)loom_random(&seed),
                                      .enable = loom_chance(&seed, 80)};
      struct loom_lfsr_out out;
      struct loom_lfsr_probe probe;
      loom_lfsr_probe(&s, &probe);
      loom_lfsr_step(&s, &in, &out);
      assert_true(out.value == value && probe.value == value);
      if (in.load)
        value = in.seed ? (uint32_t)in.seed : 1;
      else if (in.enable)
        value = lfsr_reference(value, steps);
    }
  }
}

static void the_lfsr_has_its_full_period(void **state) {
  (void)state;
  static const uint32_t primes[] = {3, 5, 17, 257, 65537}; /* of 2^32 - 1 */
  matrix m;
  for (uint32_t i = 0; i < 32; i++)
    m.column[i] = loom_lfsr_after(1u << i, 1);
  matrix full = power(m, UINT32_MAX);
  assert_true(identity(&full, 32));
  for (size_t i = 0; i < sizeof primes / sizeof *primes; i++) {
    matrix part = power(m, UINT32_MAX / primes[i]);
    assert_false(identity(&part, 32));
  }
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_prbs_is_that_of_its_bits_one_by_one),
      cmocka_unit_test(the_prbs_has_its_full_period),
      cmocka_unit_test(the_checker_locks_after_its_words),
      cmocka_unit_test(the_checker_counts_each_error_once),
      cmocka_unit_test(the_checker_gives_up_after_bad_words_in_a_row),
      cmocka_unit_test(the_checker_does_not_lock_on_zeros),
      cmocka_unit_test(the_lfsr_is_that_of_its_bits_one_by_one),
      cmocka_unit_test(the_lfsr_has_its_full_period),
  };
  return UNIT_RUN("shift_registers", tests, NULL, NULL);
}

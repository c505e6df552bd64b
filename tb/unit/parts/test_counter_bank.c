/* SPDX-License-Identifier: Apache-2.0 */
/* test_counter_bank.c - the twin of counter_bank: which adds a read has, and that none is lost,
 * against what docs/parts.md says, without a circuit */
#include "tb/unit/unit.h"

#include <loom/random.h>
#include <string.h>

#include "parts/counter_bank.h"

struct counters {
  struct loom_counter_bank s;
  struct loom_counter_bank_out out;
};

static void counters_new(struct counters *b, uint32_t depth) {
  const struct loom_counter_bank_cfg cfg = {.DEPTH = depth};
  assert_true(loom_counter_bank_cfg_ok(&cfg));
  loom_counter_bank_init(&b->s, &cfg);
}

/* One cycle; flits of ~0 add nothing. */
static void counters_cycle(struct counters *b, uint32_t index, uint32_t flits, uint32_t read) {
  const struct loom_counter_bank_in in = {.add = flits != ~0u,
                                          .add_index = index,
                                          .add_flits = flits == ~0u ? 0 : flits,
                                          .read_index = read};
  loom_counter_bank_step(&b->s, &in, &b->out);
}

/* OP-22: a read in cycle c has the adds up to c - 2 and shows in c + 1. */
static void a_read_of_a_counter_has_the_adds_up_to_two_cycles_before(void **state) {
  (void)state;
  struct counters b;
  counters_new(&b, 32);
  counters_cycle(&b, 7, 100, 7); /* cycle 0 */
  for (uint32_t c = 1; c < 6; c++) {
    counters_cycle(&b, 7, ~0u, 7);
    assert_int_equal(b.out.read_packets, c - 1 >= 2);
    assert_int_equal(b.out.read_flits, c - 1 >= 2 ? 100 : 0);
  }
}

/* OP-22: an add in every cycle to one counter: none is lost, and reads follow two behind. */
static void an_add_in_every_cycle_to_one_counter_loses_none(void **state) {
  (void)state;
  struct counters b;
  counters_new(&b, 32);
  for (uint32_t c = 0; c < 100; c++) {
    counters_cycle(&b, 31, c < 90 ? c : ~0u, 31);
    uint32_t n = c < 3 ? 0 : c - 2; /* read in c - 1: adds of the cycles 0 .. c - 3 */
    n = n > 90 ? 90 : n;
    assert_int_equal(b.out.read_packets, n);
    assert_int_equal(b.out.read_flits, n ? n * (n - 1) / 2 : 0);
  }
}

/* OP-22. */
static void counters_of_two_lanes_add_in_turn(void **state) {
  (void)state;
  for (uint32_t gap = 0; gap < 4; gap++) {
    struct counters b;
    counters_new(&b, 2);
    for (uint32_t c = 0; c < 40; c++)
      counters_cycle(&b, c / (gap + 1) & 1, c % (gap + 1) ? ~0u : 10, 0);
    counters_cycle(&b, 0, ~0u, 0);
    counters_cycle(&b, 0, ~0u, 0);
    counters_cycle(&b, 0, ~0u, 1);
    uint32_t adds = (40 + gap) / (gap + 1);
    assert_int_equal(b.out.read_packets, (adds + 1) / 2);
    assert_int_equal(b.out.read_flits, (adds + 1) / 2 * 10);
    counters_cycle(&b, 0, ~0u, 0);
    assert_int_equal(b.out.read_packets, adds / 2);
  }
}

/* OP-22. */
static void counter_bank_equals_plain_counters(void **state) {
  (void)state;
  static const uint32_t depths[] = {2, 3, 32, 33, 64};
  uint64_t seed = 1;
  for (uint32_t d = 0; d < 5; d++) {
    struct counters b;
    counters_new(&b, depths[d]);
    uint32_t packets[64] = {0}, flits[64] = {0}; /* as they stand in this cycle */
    uint32_t under_way = ~0u, index = 0;         /* the add of the last cycle */
    uint32_t seen_packets = 0, seen_flits = 0;
    for (uint32_t c = 0; c < 20000; c++) {
      uint32_t range = loom_chance(&seed, 50) ? 3 : 64;
      uint32_t add = loom_chance(&seed, 80) ? loom_below(&seed, 4096) : ~0u;
      uint32_t to = loom_below(&seed, range), read = loom_below(&seed, range);
      counters_cycle(&b, to, add, read);
      assert_int_equal(b.out.read_packets, seen_packets);
      assert_int_equal(b.out.read_flits, seen_flits);
      seen_packets = packets[read], seen_flits = flits[read];
      if (under_way != ~0u && index < depths[d])
        packets[index]++, flits[index] += under_way;
      under_way = add, index = to;
    }
  }
}

/* OP-22. */
static void the_count_of_flits_wraps_at_32_bits(void **state) {
  (void)state;
  struct counters b;
  counters_new(&b, 2);
  uint32_t n = 1048833; /* n * 4095 is just beyond 2^32 */
  for (uint32_t i = 0; i < n; i++)
    counters_cycle(&b, 1, 4095, 1);
  for (uint32_t i = 0; i < 4; i++)
    counters_cycle(&b, 1, ~0u, 1);
  assert_int_equal(b.out.read_packets, n);
  assert_int_equal(b.out.read_flits, (uint32_t)(n * 4095ull));
  assert_true(n * 4095ull > UINT32_MAX);
}

/* OP-22. */
static void counter_bank_refuses_parameters_out_of_range(void **state) {
  (void)state;
  struct loom_counter_bank_cfg c;
  loom_counter_bank_defaults(&c);
  assert_true(loom_counter_bank_cfg_ok(&c));
  c.DEPTH = 1;
  assert_false(loom_counter_bank_cfg_ok(&c));
  c.DEPTH = 65;
  assert_false(loom_counter_bank_cfg_ok(&c));
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_read_of_a_counter_has_the_adds_up_to_two_cycles_before),
      cmocka_unit_test(an_add_in_every_cycle_to_one_counter_loses_none),
      cmocka_unit_test(counters_of_two_lanes_add_in_turn),
      cmocka_unit_test(counter_bank_equals_plain_counters),
      cmocka_unit_test(the_count_of_flits_wraps_at_32_bits),
      cmocka_unit_test(counter_bank_refuses_parameters_out_of_range),
  };
  return UNIT_RUN("counter_bank", tests, NULL, NULL);
}

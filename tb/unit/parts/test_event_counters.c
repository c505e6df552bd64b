/* SPDX-License-Identifier: Apache-2.0 */
/* test_event_counters.c - the twin of event_counters: in which cycle a read has which events, and
 * that none is lost at the highest rates, against what docs/parts.md says, without a circuit */
#include "tb/unit/unit.h"

#include "parts/event_counters.h"

enum { N = 32, READY = 4 * N + 1, ALL = -1 };

struct counters {
  struct loom_event_counters s;
  struct loom_event_counters_in in;
  struct loom_event_counters_out out;
  uint32_t cycle;
};

/* The parameters are the defaults: 3 streams of 32 indexes, 10 pulses. */
static void counters_new(struct counters *b) {
  struct loom_event_counters_cfg cfg;
  loom_event_counters_defaults(&cfg);
  *b = (struct counters){0};
  loom_event_counters_init(&b->s, &cfg);
}

static void counters_cycle(struct counters *b) {
  loom_event_counters_step(&b->s, &b->in, &b->out);
  b->in = (struct loom_event_counters_in){0};
  b->cycle++;
}

/* Up to, not through, the first cycle from `from` on whose turn is `turn` (ALL: any). */
static void counters_until(struct counters *b, uint32_t from, int turn) {
  while (b->cycle < from || (turn != ALL && b->cycle % 4 != (uint32_t)turn))
    counters_cycle(b);
}

/* An event of a stream, in the cycle that comes. */
static void counters_event(struct counters *b, uint32_t stream, uint32_t index, uint32_t amount) {
  b->in.valid |= UINT64_C(1) << stream;
  b->in.index[stream] = index;
  b->in.amount[stream] = amount;
}

/* What a read in the coming cycle says, two cycles later. */
static uint32_t counters_read(struct counters *b, uint32_t addr) {
  b->in.read_addr = addr;
  counters_cycle(b);
  counters_cycle(b);
  counters_cycle(b);
  return (uint32_t)b->out.read_data;
}

/* OP-22: the sweep is done in cycle 4 N + 1, and what came before does not count. */
static void counters_are_0_and_ready_after_the_sweep(void **state) {
  (void)state;
  struct counters b;
  counters_new(&b);
  while (b.cycle <= READY) {
    counters_event(&b, 0, 3, 9);
    if (b.cycle < READY)
      b.in.pulse = 1;
    counters_cycle(&b);
    assert_int_equal(b.out.ready, b.cycle - 1 >= READY);
  }
  counters_until(&b, READY + 40, ALL);
  assert_int_equal(counters_read(&b, 3), 9);
  assert_int_equal(counters_read(&b, N + 3), 1);
  assert_int_equal(counters_read(&b, 8 * N), 0);
}

/* OP-22: a read in cycle r has the events of stream 0 of cycles <= r - 2. */
static void a_packet_in_every_cycle_counts_and_a_read_follows_two_behind(void **state) {
  (void)state;
  struct counters b;
  counters_new(&b);
  counters_until(&b, READY, ALL);
  for (uint32_t c = 0; c < 100; c++) {
    counters_event(&b, 0, 31, 4095);
    b.in.read_addr = 31;
    counters_cycle(&b); /* shows the read of c - 2: the events of the cycles 0 .. c - 4 */
    assert_int_equal(b.out.read_data, c < 4 ? 0 : 4095 * (c - 3));
  }
}

/* OP-22: an event of a slow stream is taken in its first turn after it. */
static void an_event_of_a_slow_stream_waits_for_its_turn(void **state) {
  (void)state;
  for (int turn = 0; turn < 4; turn++) {
    for (uint32_t wait = 1; wait < 9; wait++) {
      struct counters b;
      counters_new(&b);
      counters_until(&b, READY, turn);
      uint32_t taken = turn < 1 ? (uint32_t)(1 - turn) : (uint32_t)(5 - turn); /* turn 1 */
      counters_event(&b, 2, 5, 100);
      for (uint32_t c = 0; c < wait; c++)
        counters_cycle(&b);
      assert_int_equal(counters_read(&b, 4 * N + 5), wait >= taken + 2 ? 100 : 0);
    }
  }
}

/* OP-22: events of slow streams in each fourth cycle, packets and all pulses in every cycle. */
static void nothing_is_lost_at_the_highest_rates(void **state) {
  (void)state;
  enum { CYCLES = 4000, LONGEST_WAIT = 14 };
  for (int turn = 0; turn < 4; turn++) {
    struct counters b;
    counters_new(&b);
    counters_until(&b, READY, turn);
    for (uint32_t c = 0; c < CYCLES; c++) {
      counters_event(&b, 0, c % 2, 1);
      if (c % 4 == 0) {
        counters_event(&b, 1, 7, 11);
        counters_event(&b, 2, c / 4 % 2, 13);
      }
      b.in.pulse = 0x3FF;
      counters_cycle(&b);
    }
    counters_until(&b, b.cycle + LONGEST_WAIT - 1, ALL);
    assert_int_equal(counters_read(&b, 8 * N), CYCLES); /* pulses first: they wait longest */
    for (uint32_t p = 1; p < 10; p++)
      assert_int_equal(counters_read(&b, 8 * N + p), CYCLES);
    for (uint32_t i = 0; i < 2; i++) {
      assert_int_equal(counters_read(&b, i), CYCLES / 2);
      assert_int_equal(counters_read(&b, N + i), CYCLES / 2);
      assert_int_equal(counters_read(&b, 4 * N + i), CYCLES / 8 * 13);
      assert_int_equal(counters_read(&b, 5 * N + i), CYCLES / 8);
    }
    assert_int_equal(counters_read(&b, 2 * N + 7), CYCLES / 4 * 11);
    assert_int_equal(counters_read(&b, 3 * N + 7), CYCLES / 4);
  }
}

/* OP-22. */
static void an_address_without_a_counter_reads_0(void **state) {
  (void)state;
  struct counters b;
  counters_new(&b);
  counters_until(&b, READY, ALL);
  for (uint32_t c = 0; c < 400; c++) {
    counters_event(&b, 0, c % N, 5);
    b.in.pulse = 0x3FF;
    counters_cycle(&b);
  }
  for (uint32_t a = 6 * N; a < 16 * N; a++) {
    if (a < 8 * N || a >= 8 * N + 10)
      assert_int_equal(counters_read(&b, a), 0);
  }
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(counters_are_0_and_ready_after_the_sweep),
      cmocka_unit_test(a_packet_in_every_cycle_counts_and_a_read_follows_two_behind),
      cmocka_unit_test(an_event_of_a_slow_stream_waits_for_its_turn),
      cmocka_unit_test(nothing_is_lost_at_the_highest_rates),
      cmocka_unit_test(an_address_without_a_counter_reads_0),
  };
  return UNIT_RUN("event_counters", tests, NULL, NULL);
}

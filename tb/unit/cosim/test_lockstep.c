/* SPDX-License-Identifier: Apache-2.0 */
/* The comparison of a circuit with its twin (docs/cosim.md) on a device of a few lines in C, whose
 * circuit is wrong where the test says so: with a real circuit nothing is wrong unless it is
 * planted after it. */
#include "tb/unit/unit.h"

#include <string.h>

#include "tb/cosim/lockstep.h"
#include "tb/cosim/waves.h"

const struct dut *const loom_duts[] = {NULL};

/* No waves here. */
struct waves *waves_open(const struct circuit *c, const char *dir, uint64_t cycle) {
  (void)c;
  (void)dir;
  (void)cycle;
  return NULL;
}

void waves_cycle(struct waves *w, uint64_t cycle, const void *in, const void *circuit_out,
                 const void *twin_out, const void *circuit_probe, const void *twin_probe) {
  (void)w;
  (void)cycle;
  (void)in;
  (void)circuit_out;
  (void)twin_out;
  (void)circuit_probe;
  (void)twin_probe;
}

void waves_close(struct waves *w, const struct circuit *c) {
  (void)w;
  (void)c;
}

/* ---- a device -------------------------------------------------------------------------------- */

enum { CHUNK = 16, CHUNKS = 5, NEVER = CHUNK * CHUNKS };

/* An input, two outputs side by side, and a sum of inputs that is a probe. */
enum place { LANE_0, LANE_1, SUM, PLACES };

struct device {
  uint64_t now, sum;
  uint64_t wrong_at; /* bit 2 of `wrong` is turned in this cycle */
  enum place wrong;
  bool stops; /* an assertion fails in that cycle instead */
};

static size_t run_device(void *handle, const void *in, void *out, void *probe, size_t n) {
  struct device *d = handle;
  const uint64_t *a = in;
  uint64_t *lanes = out, *sum = probe;
  for (size_t i = 0; i < n; i++) {
    if (d->stops && d->now == d->wrong_at)
      return i;
    lanes[2 * i] = a[i] + 1;
    lanes[2 * i + 1] = ~a[i];
    sum[i] = d->sum;
    d->sum += a[i];
    if (d->now++ == d->wrong_at)
      *(d->wrong == SUM ? &sum[i] : &lanes[2 * i + d->wrong]) ^= 4;
  }
  return n;
}

static uint32_t one(const void *cfg) {
  (void)cfg;
  return 1;
}

static uint32_t two(const void *cfg) {
  (void)cfg;
  return 2;
}

static uint32_t wide(const void *cfg) {
  (void)cfg;
  return 64;
}

static const struct field fields[] = {{"a", FIELD_IN, false, 0, one, wide},
                                      {"lanes", FIELD_OUT, true, 0, two, wide},
                                      {"sum", FIELD_PROBE, false, 0, one, wide}};
static const struct dut dut = {
    .name = "device",
    .fields = fields,
    .field_count = sizeof fields / sizeof fields[0],
    .in_size = sizeof(uint64_t),
    .out_size = 2 * sizeof(uint64_t),
    .probe_size = sizeof(uint64_t),
};
static const struct shim_api api = {.dut = "device", .run = run_device};

/* ---- runs ------------------------------------------------------------------------------------ */

struct bench {
  struct device twin, circuit;
  struct circuit c;
  struct lockstep l;
};

static void open_bench(struct bench *b, enum place wrong, uint64_t wrong_at) {
  b->twin = (struct device){.wrong_at = NEVER};
  b->circuit = (struct device){.wrong = wrong, .wrong_at = wrong_at};
  b->c = (struct circuit){.api = &api, .dut = &dut, .handle = &b->circuit};
  assert_true(lockstep_open(&b->l, &b->c, CHUNK));
}

/* All chunks; the cycle of the first difference, NEVER: none. */
static uint64_t run_all(struct bench *b, size_t blind) {
  uint64_t found = NEVER;
  for (uint64_t cycle = 0; cycle < NEVER; cycle += CHUNK) {
    for (uint64_t i = 0; i < CHUNK; i++)
      memcpy(b->l.in + i * sizeof i, &(uint64_t){3 * (cycle + i)}, sizeof i);
    run_device(&b->twin, b->l.in, b->l.twin_out, b->l.twin_probe, CHUNK);
    size_t good = lockstep_follow(&b->l, cycle, CHUNK, cycle ? 0 : blind);
    if (good < CHUNK) {
      assert_int_equal(found, NEVER); /* only the first is told */
      found = cycle + good;
    }
    assert_int_equal(lockstep_goes_on(&b->l, cycle + CHUNK), found == NEVER);
  }
  assert_int_equal(b->circuit.now, NEVER);
  assert_null(b->l.wrong);
  return found;
}

static void a_circuit_equal_to_its_twin_never_differs(void **state) {
  (void)state;
  struct bench b;
  open_bench(&b, LANE_0, NEVER);
  assert_int_equal(run_all(&b, 0), NEVER);
  assert_false(b.l.differs);
  lockstep_close(&b.l);
}

/* Wherever the circuit itself is wrong, in its outputs or in a register. */
static void a_wrong_output_or_register_is_found_in_its_cycle(void **state) {
  (void)state;
  static const uint64_t cycles[] = {0, 1, CHUNK - 1, CHUNK, 37, NEVER - 1};
  for (enum place wrong = 0; wrong < PLACES; wrong++)
    for (size_t i = 0; i < sizeof cycles / sizeof cycles[0]; i++) {
      struct bench b;
      open_bench(&b, wrong, cycles[i]);
      assert_int_equal(run_all(&b, 0), cycles[i]);
      assert_true(b.l.differs);
      assert_int_equal(b.l.diff.cycle, cycles[i]);
      assert_ptr_equal(b.l.diff.field, &fields[wrong == SUM ? 2 : 1]);
      assert_int_equal(b.l.diff.lane, wrong == LANE_1);
      assert_int_equal(b.l.diff.circuit ^ b.l.diff.twin, 4);
      lockstep_close(&b.l);
    }
}

static void blind_cycles_are_not_compared_and_the_next_one_is(void **state) {
  (void)state;
  struct bench b;
  open_bench(&b, SUM, 2);
  assert_int_equal(run_all(&b, 3), NEVER);
  lockstep_close(&b.l);
  open_bench(&b, SUM, 3);
  assert_int_equal(run_all(&b, 3), 3);
  lockstep_close(&b.l);
}

/* A planted bit is turned in the circuit's outputs only. */
static void a_planted_bit_is_turned_in_the_circuit_only(void **state) {
  (void)state;
  struct bench b;
  open_bench(&b, LANE_0, NEVER);
  b.l.plant = (struct plant){.on = true, .cycle = 40, .field = &fields[1], .bit = 64 + 5};
  assert_int_equal(run_all(&b, 0), 40);
  assert_int_equal(b.l.diff.lane, 1);
  assert_int_equal(b.l.diff.twin, ~(uint64_t)(3 * 40));
  assert_int_equal(b.l.diff.circuit ^ b.l.diff.twin, 1 << 5);
  lockstep_close(&b.l);
}

static void a_failed_assertion_ends_the_comparison_in_its_cycle(void **state) {
  (void)state;
  struct bench b;
  open_bench(&b, LANE_0, 5);
  b.circuit.stops = true;
  memset(b.l.in, 0, CHUNK * sizeof(uint64_t));
  run_device(&b.twin, b.l.in, b.l.twin_out, b.l.twin_probe, CHUNK);
  assert_int_equal(lockstep_follow(&b.l, 0, CHUNK, 0), 5);
  assert_false(b.l.differs);
  assert_string_equal(b.l.wrong, "an assertion of the circuit failed");
  lockstep_close(&b.l);
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_circuit_equal_to_its_twin_never_differs),
      cmocka_unit_test(a_wrong_output_or_register_is_found_in_its_cycle),
      cmocka_unit_test(blind_cycles_are_not_compared_and_the_next_one_is),
      cmocka_unit_test(a_planted_bit_is_turned_in_the_circuit_only),
      cmocka_unit_test(a_failed_assertion_ends_the_comparison_in_its_cycle)};
  return UNIT_RUN("lockstep", tests, NULL, NULL);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* test_bits.c - the helpers of csim/include/loom/bits.h: logarithms, masks, bits that are set */
#include "tb/unit/unit.h"

#include <loom/bits.h>

static void bit_helpers_count_find_and_mask(void **state) {
  (void)state;
  static const uint32_t clog2[] = {0, 0, 1, 2, 2, 3, 3, 3, 3, 4};
  for (uint32_t n = 0; n < 10; n++)
    assert_int_equal(loom_clog2(n), clog2[n]);
  assert_int_equal(loom_clog2(65536), 16);
  assert_int_equal(loom_clog2(65537), 17);
  assert_true(loom_mask(0) == 0 && loom_mask(1) == 1 && loom_mask(64) == UINT64_MAX);
  assert_int_equal(loom_ctz_from(0x12, 2), 4);
  assert_int_equal(loom_ctz_from(0x12, 5), 1);
  assert_int_equal(loom_ctz_from(1ull << 63, 63), 63);
  assert_true(loom_rotl(0x8000000000000001ull, 1) == 3 && loom_rotl(5, 0) == 5);
  assert_int_equal(loom_popcount(0xF0F0), 8);
  assert_true(loom_max(2, 3) == 3 && loom_min(2, 3) == 2);
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(bit_helpers_count_find_and_mask),
  };
  return UNIT_RUN("bits", tests, NULL, NULL);
}

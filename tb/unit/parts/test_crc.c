/* SPDX-License-Identifier: Apache-2.0 */
/* test_crc.c - the twins of crc16 and crc32 beside the same sums bit by bit, against what
 * docs/parts.md says, without a circuit */
#include "tb/unit/unit.h"

#include <loom/random.h>

#include "parts/crc16.h"
#include "parts/crc32.h"

static const uint8_t check_string[] = "123456789";

/* Bit by bit, from the definition. */
static uint32_t crc16_reference(uint32_t crc, uint8_t byte) {
  for (int bit = 7; bit >= 0; bit--) {
    uint32_t out = (crc >> 15 ^ (uint32_t)byte >> bit) & 1;
    crc = (crc << 1 & 0xFFFF) ^ (out ? 0x1021 : 0);
  }
  return crc;
}

static uint32_t crc32_reference(uint32_t crc, uint8_t byte) {
  for (int bit = 0; bit < 8; bit++) {
    uint32_t out = (crc ^ (uint32_t)byte >> bit) & 1;
    crc = crc >> 1 ^ (out ? 0xEDB88320 : 0);
  }
  return crc;
}

/* The two devices side by side: they have the same ports. */
struct crcs {
  struct loom_crc16 c16;
  struct loom_crc32 c32;
};

static void crc_new(struct crcs *s) {
  const struct loom_crc16_cfg cfg16 = {0};
  const struct loom_crc32_cfg cfg32 = {0};
  assert_true(loom_crc16_cfg_ok(&cfg16) && loom_crc32_cfg_ok(&cfg32));
  loom_crc16_init(&s->c16, &cfg16);
  loom_crc32_init(&s->c32, &cfg32);
}

static void crc_cycle(struct crcs *s, bool init, bool valid, uint32_t bytes, uint64_t data,
                      uint32_t *crc16, uint32_t *crc32) {
  const struct loom_crc16_in in16 = {.init = init, .valid = valid, .bytes = bytes, .data = data};
  const struct loom_crc32_in in32 = {.init = init, .valid = valid, .bytes = bytes, .data = data};
  struct loom_crc16_out out16;
  struct loom_crc32_out out32;
  loom_crc16_step(&s->c16, &in16, &out16);
  loom_crc32_step(&s->c32, &in32, &out32);
  *crc16 = (uint32_t)out16.crc;
  *crc32 = (uint32_t)out32.crc;
}

static void the_crc_of_123456789_is_known_however_it_is_cut(void **state) {
  (void)state;
  struct crcs s;
  uint64_t seed = 6;
  crc_new(&s);
  uint32_t crc16, crc32, tried = 0;
  for (uint32_t cuts = 0; cuts < 256; cuts++) { /* a bit set: cut after this byte */
    bool init = true, fits = true;
    struct crcs before = s;
    uint32_t from = 0;
    for (uint32_t i = 0; i < 9; i++) {
      if (i < 8 && !(cuts >> i & 1))
        continue;
      uint32_t bytes = i + 1 - from;
      fits = fits && bytes <= 8;
      uint64_t data = loom_random(&seed); /* what is after the bytes does not matter */
      for (uint32_t b = 0; b < bytes && b < 8; b++) {
        data &= ~(0xFFull << (56 - 8 * b));
        data |= (uint64_t)check_string[from + b] << (56 - 8 * b);
      }
      crc_cycle(&s, init, true, bytes, data, &crc16, &crc32);
      init = false;
      from = i + 1;
    }
    if (!fits) { /* all nine at once: cannot be said */
      s = before;
      continue;
    }
    crc_cycle(&s, false, false, 8, 0, &crc16, &crc32);
    assert_int_equal(crc16, 0x29B1);
    assert_int_equal(crc32, 0xCBF43926);
    tried++;
  }
  assert_int_equal(tried, 255);
}

static void a_crc_is_that_of_its_bits_one_by_one(void **state) {
  (void)state;
  struct crcs s;
  uint64_t seed = 7;
  uint32_t crc16, crc32, ref16 = 0xFFFF, ref32 = 0xFFFFFFFF;
  crc_new(&s);
  for (int i = 0; i < 50000; i++) {
    bool init = loom_chance(&seed, 5), valid = loom_chance(&seed, 80);
    uint32_t bytes = loom_below(&seed, 16);
    uint64_t data = loom_chance(&seed, 20) ? 0 : loom_random(&seed);
    crc_cycle(&s, init, valid, bytes, data, &crc16, &crc32);
    assert_int_equal(crc16, ref16);
    assert_int_equal(crc32, (uint32_t)~ref32);
    struct loom_crc16_probe p16;
    struct loom_crc32_probe p32;
    if (init) {
      ref16 = 0xFFFF;
      ref32 = 0xFFFFFFFF;
    }
    for (uint32_t b = 0; valid && bytes <= 8 && b < bytes; b++) {
      ref16 = crc16_reference(ref16, (uint8_t)(data >> (56 - 8 * b)));
      ref32 = crc32_reference(ref32, (uint8_t)(data >> (56 - 8 * b)));
    }
    loom_crc16_probe(&s.c16, &p16);
    loom_crc32_probe(&s.c32, &p32);
    assert_true(p16.crc == ref16 && p32.crc == ref32);
  }
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_crc_of_123456789_is_known_however_it_is_cut),
      cmocka_unit_test(a_crc_is_that_of_its_bits_one_by_one),
  };
  return UNIT_RUN("crc", tests, NULL, NULL);
}

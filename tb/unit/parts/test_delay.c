/* SPDX-License-Identifier: Apache-2.0 */
/* test_delay.c - the twin of delay: every word exactly DEPTH cycles later, against what
 * docs/parts.md says, without a circuit */
#include "tb/unit/unit.h"

#include <loom/random.h>
#include <string.h>

#include "parts/delay.h"

struct line {
  struct loom_delay s;
  uint64_t storage[255];
};

static void line_new(struct line *l, uint32_t depth, uint32_t width) {
  const struct loom_delay_cfg cfg = {.DEPTH = depth, .WIDTH = width};
  assert_true(loom_delay_cfg_ok(&cfg));
  assert_true(loom_delay_storage_size(&cfg) <= sizeof l->storage);
  memset(l->storage, 0xA5, sizeof l->storage); /* must not show */
  loom_delay_init(&l->s, &cfg, l->storage);
}

static void delay_is_exact(void **state) {
  (void)state;
  static const uint32_t depths[] = {0, 1, 2, 3, 4, 7, 8, 64, 254, 255}, widths[] = {1, 17, 64};
  for (uint32_t d = 0; d < 10; d++)
    for (uint32_t w = 0; w < 3; w++) {
      struct line l;
      line_new(&l, depths[d], widths[w]);
      struct loom_delay_in sent[256] = {{0}}; /* of the cycle c at c mod 256; nothing at first */
      uint64_t seed = d * 3 + w;
      for (uint32_t c = 0; c < 3000; c++) {
        bool valid = loom_chance(&seed, c / 600 % 2 ? 100 : 40);
        struct loom_delay_in in = {.valid = valid,
                                   .data = loom_random(&seed) & loom_mask(widths[w])};
        struct loom_delay_out out;
        sent[c % 256] = in;
        loom_delay_step(&l.s, &in, &out);
        const struct loom_delay_in *then = &sent[(c - depths[d]) % 256];
        bool early = c < depths[d];
        assert_true(out.valid == (early ? 0 : then->valid));
        assert_true(out.data == (early || !then->valid ? 0 : then->data));
      }
    }
}

/* One word alone: nothing before, the word DEPTH cycles later, nothing after. */
static void delay_shows_one_word_depth_cycles_later(void **state) {
  (void)state;
  static const uint32_t depths[] = {0, 1, 2, 3, 255};
  for (uint32_t d = 0; d < 5; d++) {
    struct line l;
    line_new(&l, depths[d], 32);
    for (uint32_t c = 0; c < 600; c++) {
      const struct loom_delay_in in = {.valid = c == 20, .data = 0x1234 + c};
      struct loom_delay_out out;
      loom_delay_step(&l.s, &in, &out);
      assert_int_equal(out.valid, c == 20 + depths[d]);
      assert_int_equal(out.data, c == 20 + depths[d] ? 0x1234 + 20 : 0);
    }
  }
}

static void delay_refuses_parameters_out_of_range(void **state) {
  (void)state;
  struct loom_delay_cfg c;
  loom_delay_defaults(&c);
  assert_true(loom_delay_cfg_ok(&c));
  c.DEPTH = 256;
  assert_false(loom_delay_cfg_ok(&c));
  c.DEPTH = 0, c.WIDTH = 0;
  assert_false(loom_delay_cfg_ok(&c));
  c.WIDTH = 65;
  assert_false(loom_delay_cfg_ok(&c));
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(delay_is_exact),
      cmocka_unit_test(delay_shows_one_word_depth_cycles_later),
      cmocka_unit_test(delay_refuses_parameters_out_of_range),
  };
  return UNIT_RUN("delay", tests, NULL, NULL);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* test_rr_arbiter.c - the twin of rr_arbiter: whom it grants, and how long the others wait, against
 * what docs/parts.md says, without a circuit */
#include "tb/unit/unit.h"

#include <loom/random.h>

#include "parts/rr_arbiter.h"

/* A word in which one bit of eight is set. */
static uint64_t sparse(uint64_t *seed) {
  uint64_t a = loom_random(seed), b = loom_random(seed), c = loom_random(seed);
  return a & b & c;
}

static void arbiter_new(struct loom_rr_arbiter *s, uint32_t n) {
  const struct loom_rr_arbiter_cfg cfg = {.N = n};
  assert_true(loom_rr_arbiter_cfg_ok(&cfg));
  loom_rr_arbiter_init(s, &cfg);
}

static void the_arbiter_takes_the_first_request_from_its_position(void **state) {
  (void)state;
  uint64_t seed = 1;
  for (uint32_t n = 1; n <= 64; n++) {
    struct loom_rr_arbiter s;
    arbiter_new(&s, n);
    uint32_t p = 0;
    for (int i = 0; i < 2000; i++) {
      uint64_t request = sparse(&seed) & loom_mask(n);
      uint64_t expected = 0;
      uint32_t place = 0;
      for (uint32_t k = n; k-- > 0;)
        if (request >> (p + k) % n & 1)
          expected = 1ull << (place = (p + k) % n);
      const struct loom_rr_arbiter_in in = {.request = request, .advance = loom_random(&seed) & 1};
      struct loom_rr_arbiter_out out;
      loom_rr_arbiter_step(&s, &in, &out);
      assert_true(out.grant == expected);
      if (in.advance && request)
        p = (place + 1) % n;
    }
  }
}

static void the_arbiter_serves_a_held_request_within_n_advances(void **state) {
  (void)state;
  uint64_t seed = 2;
  for (uint32_t n = 1; n <= 64; n++) {
    struct loom_rr_arbiter s;
    arbiter_new(&s, n);
    uint32_t longest = 0;
    for (int i = 0; i < 300; i++) {
      uint32_t held = loom_below(&seed, n), advances = 0;
      for (bool served = false; !served;) {
        uint64_t others = loom_chance(&seed, 50) ? loom_mask(n) : loom_random(&seed) & loom_mask(n);
        const struct loom_rr_arbiter_in in = {.request = others | 1ull << held,
                                              .advance = loom_chance(&seed, 80)};
        struct loom_rr_arbiter_out out;
        loom_rr_arbiter_step(&s, &in, &out);
        advances += (uint32_t)in.advance;
        served = in.advance && out.grant == 1ull << held;
        assert_in_range(advances, 0, n);
      }
      longest = loom_max(longest, advances);
    }
    if (n <= 8)
      assert_int_equal(longest, n); /* the bound is met, so it is tight */
  }
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_arbiter_takes_the_first_request_from_its_position),
      cmocka_unit_test(the_arbiter_serves_a_held_request_within_n_advances),
  };
  return UNIT_RUN("rr_arbiter", tests, NULL, NULL);
}

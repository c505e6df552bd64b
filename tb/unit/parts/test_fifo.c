/* SPDX-License-Identifier: Apache-2.0 */
/* test_fifo.c - the twin of fifo: nothing lost, doubled or out of order, and its full rate, against
 * what docs/parts.md says, without a circuit */
#include "tb/unit/unit.h"

#include <loom/random.h>
#include <stdlib.h>

#include "parts/fifo.h"

static void a_fifo_keeps_what_a_model_keeps(void **state) {
  (void)state;
  static const uint32_t depths[] = {1, 2, 3, 16, 4096};
  uint64_t seed = 4;
  for (size_t d = 0; d < sizeof depths / sizeof *depths; d++) {
    const struct loom_fifo_cfg cfg = {.DEPTH = depths[d], .WIDTH = 64};
    assert_true(loom_fifo_cfg_ok(&cfg));
    void *storage = malloc(loom_fifo_storage_size(&cfg));
    assert_non_null(storage);
    struct loom_fifo s;
    loom_fifo_init(&s, &cfg, storage);
    uint64_t pushed = 0, popped = 0; /* the items are numbered */
    uint32_t full = 0, empty = 0;
    for (int i = 0; i < 60000; i++) {
      uint32_t fill = i / 10000 % 2 ? 20 : 80; /* fills and drains in turn */
      const struct loom_fifo_in in = {.push = loom_chance(&seed, fill),
                                      .data = pushed + 1000,
                                      .pop = loom_chance(&seed, 100 - fill)};
      struct loom_fifo_out out;
      struct loom_fifo_probe probe;
      loom_fifo_probe(&s, &probe);
      loom_fifo_step(&s, &in, &out);
      uint64_t count = pushed - popped;
      assert_true(out.count == count && probe.count == count);
      assert_true(out.valid == (count > 0) && out.ready == (count < depths[d]));
      assert_true(out.data == (count ? popped + 1000 : 0));
      pushed += in.push && count < depths[d];
      popped += in.pop && count;
      full += count == depths[d];
      empty += count == 0;
    }
    assert_true(full && empty);
    free(storage);
  }
}

static void a_fifo_sustains_a_push_and_a_pop_every_cycle(void **state) {
  (void)state;
  for (uint32_t fill = 1; fill < 4; fill++) {
    const struct loom_fifo_cfg cfg = {.DEPTH = 4, .WIDTH = 64};
    uint64_t storage[4], next = 0;
    struct loom_fifo s;
    loom_fifo_init(&s, &cfg, storage);
    for (uint32_t i = 0; i < fill; i++)
      loom_fifo_edge(&s, true, next++, false);
    for (uint64_t i = 0; i < 100; i++) {
      assert_true(loom_fifo_valid(&s) && loom_fifo_ready(&s));
      assert_true(loom_fifo_data(&s) == i);
      loom_fifo_edge(&s, true, next++, true);
    }
  }
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_fifo_keeps_what_a_model_keeps),
      cmocka_unit_test(a_fifo_sustains_a_push_and_a_pop_every_cycle),
  };
  return UNIT_RUN("fifo", tests, NULL, NULL);
}

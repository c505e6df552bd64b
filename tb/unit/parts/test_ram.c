/* SPDX-License-Identifier: Apache-2.0 */
/* test_ram.c - the twin of ram beside an array, against what docs/parts.md says,
 * without a circuit */
#include "tb/unit/unit.h"

#include <loom/random.h>
#include <stdlib.h>

#include "parts/ram.h"

static void a_ram_reads_what_a_model_reads(void **state) {
  (void)state;
  static const uint32_t depths[] = {2, 3, 64, 65536};
  uint64_t seed = 3;
  for (size_t d = 0; d < sizeof depths / sizeof *depths; d++) {
    const struct loom_ram_cfg cfg = {.DEPTH = depths[d], .WIDTH = 64};
    assert_true(loom_ram_cfg_ok(&cfg));
    size_t size = loom_ram_storage_size(&cfg);
    void *storage = malloc(size);
    uint64_t *model = calloc(depths[d], sizeof *model);
    assert_true(storage && model && size == depths[d] * sizeof *model);
    struct loom_ram s;
    loom_ram_init(&s, &cfg, storage);
    uint64_t rdata = 0;
    for (int i = 0; i < 20000; i++) {
      uint32_t narrow = depths[d] == 3 ? 4 : depths[d] < 8 ? depths[d] : 8;
      const struct loom_ram_in in = {.we = loom_random(&seed) & 1,
                                     .waddr = loom_below(&seed, narrow),
                                     .wdata = loom_random(&seed),
                                     .re = loom_random(&seed) & 1,
                                     .raddr = loom_below(&seed, narrow)};
      struct loom_ram_out out;
      loom_ram_step(&s, &in, &out);
      assert_true(out.rdata == rdata);
      if (in.re)
        rdata = in.raddr < depths[d] ? model[in.raddr] : 0; /* the old word */
      if (in.we && in.waddr < depths[d])
        model[in.waddr] = in.wdata;
    }
    free(model);
    free(storage);
  }
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_ram_reads_what_a_model_reads),
  };
  return UNIT_RUN("ram", tests, NULL, NULL);
}

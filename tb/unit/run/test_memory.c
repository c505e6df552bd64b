/* SPDX-License-Identifier: Apache-2.0 */
/* test_memory.c - what a fabric will take is foretold by its devices (docs/failures.md) */
#include "tb/unit/unit.h"

#include <stdlib.h>
#include <string.h>

#include "run/memory.h"

/* More devices than machines have room for at 4 MB each, but not at some kilobytes. */
enum { PIECE = 64 << 20, DEVICES = 1 << 20 };

static char *take(void) {
  char *piece = malloc(PIECE);
  assert_non_null(piece);
  memset(piece, 1, PIECE);
  return piece;
}

static void what_all_devices_have_in_common_counts_once(void **state) {
  struct loom_plan_error err = {.status = 0};
  struct loom_memory_growth growth = loom_memory_begin();
  (void)state;
  for (uint32_t done = 8; done <= 16; done += 8) /* what the look itself takes is there then */
    assert_true(loom_memory_check(&growth, done, 2 * done, "devices", &err));
  growth = loom_memory_begin();
  char *common = take();
  for (uint32_t done = 1; done < 32; done++)
    assert_true(loom_memory_check(&growth, done, DEVICES, "devices", &err));
  char *own = take();
  assert_false(loom_memory_check(&growth, 32, DEVICES, "devices", &err));
  assert_non_null(strstr(err.text, "devices take about "));
  free(common);
  free(own);
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(what_all_devices_have_in_common_counts_once),
  };
  return UNIT_RUN("memory", tests, NULL, NULL);
}

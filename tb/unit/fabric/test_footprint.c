/* SPDX-License-Identifier: Apache-2.0 */
/* test_footprint.c - memory that devices of a fabric take: of what they use (docs/fabric.md) */
#define _DEFAULT_SOURCE /* mincore */
#include "tb/unit/unit.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "fabric/arena.h"
#include "fabric/crossbar_class.h"
#include "fabric/mport_class.h"
#include "fabric/switch_class.h"

/* Whole pages of these bytes that are in memory, in bytes. */
static size_t resident(void *from, size_t bytes) {
  size_t page = (size_t)sysconf(_SC_PAGESIZE), there = 0;
  size_t before = (page - (uintptr_t)from % page) % page;
  size_t pages = (bytes - before) / page;
  unsigned char *in = malloc(pages);
  assert_non_null(in);
  assert_int_equal(mincore((char *)from + before, pages * page, in), 0);
  for (size_t i = 0; i < pages; i++)
    there += in[i] & 1;
  free(in);
  return there * page;
}

static void a_piece_of_an_arena_takes_what_is_written(void **state) {
  enum { BYTES = 64 << 20, MOST = 4 << 20 /* two of the largest pages */ };
  struct loom_arena a = {.first = NULL};
  (void)state;
  char *piece = loom_arena_take(&a, BYTES);
  assert_non_null(piece);
  piece[BYTES / 2] = 1;
  assert_in_range(resident(piece, BYTES), 1, MOST);
  assert_int_equal(piece[BYTES / 2 - 1] + piece[BYTES / 2 + 1], 0);
  loom_arena_free(&a);
}

/* The smallest switch of each kind: less than half of a struct that has room for 48 ports. */
#define FOOTPRINT(N, ports, count)                                                                 \
  do {                                                                                             \
    struct loom_fabric *f = loom_fabric_create(&(struct loom_fabric_cfg){.latency = 1});           \
    struct loom_##N##_cfg cfg;                                                                     \
    loom_##N##_defaults(&cfg);                                                                     \
    cfg.ports = count;                                                                             \
    assert_non_null(f);                                                                            \
    struct loom_##N *s = (void *)loom_##N##_new(f, &cfg);                                          \
    assert_non_null(s);                                                                            \
    assert_in_range(resident(s, sizeof *s), 0, sizeof *s / 2);                                     \
    loom_fabric_destroy(f);                                                                        \
  } while (0)

static void switches_of_few_ports_take_little(void **state) {
  (void)state;
  FOOTPRINT(ib_switch, PORTS, 8);
  FOOTPRINT(opa_switch, MPORTS, 2);
  FOOTPRINT(crossbar_switch, PORTS, 8);
  FOOTPRINT(mport_switch, MPORTS, 2);
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_piece_of_an_arena_takes_what_is_written),
      cmocka_unit_test(switches_of_few_ports_take_little),
  };
  return UNIT_RUN("footprint", tests, NULL, NULL);
}

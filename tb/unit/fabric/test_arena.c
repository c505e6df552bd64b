/* SPDX-License-Identifier: Apache-2.0 */
/* test_arena.c - memory for the states of a fabric's devices (docs/fabric.md) */
#define _DEFAULT_SOURCE /* msync */

#include "tb/unit/unit.h"

#include <string.h>
#include <sys/mman.h>

#include "fabric/arena.h"

enum { LINE = 64, PIECES = 300 };

/* Lines of their own, nothing shared: each piece still has what was written into it when all have
 * been written. Sizes on both sides of what lies apart. */
static void pieces_of_an_arena_share_nothing(void **state) {
  (void)state;
  static const size_t sizes[] = {1, 63, 64, 65, 5000, 380000, 524287, 524288, 3000000};
  struct loom_arena a = {.first = NULL};
  unsigned char *piece[PIECES];
  for (uint32_t i = 0; i < PIECES; i++) {
    size_t size = sizes[i % (sizeof sizes / sizeof sizes[0])];
    piece[i] = loom_arena_take(&a, size);
    assert_non_null(piece[i]);
    assert_int_equal((uintptr_t)piece[i] % LINE, 0);
    memset(piece[i], (int)(i & 255), size);
  }
  for (uint32_t i = 0; i < PIECES; i++) {
    size_t size = sizes[i % (sizeof sizes / sizeof sizes[0])];
    assert_int_equal(piece[i][0], i & 255);
    assert_int_equal(piece[i][size / 2], i & 255);
    assert_int_equal(piece[i][size - 1], i & 255);
  }
  loom_arena_free(&a);
}

/* States follow each other without a gap, but from pool to pool. */
static void states_follow_each_other_without_a_gap(void **state) {
  (void)state;
  enum { BYTES = 128 * LINE, STATES = 1024 };
  struct loom_arena a = {.first = NULL};
  uint32_t gaps = 0;
  char *last = loom_arena_take(&a, BYTES);
  for (uint32_t i = 1; i < STATES; i++) {
    char *next = loom_arena_take(&a, BYTES);
    gaps += next != last + BYTES;
    last = next;
  }
  assert_in_range(gaps, 0, 2); /* 2, 2 and 4 MiB: as many again each time */
  loom_arena_free(&a);
}

/* NULL is for want of memory only. */
static void null_is_for_want_of_memory_only(void **state) {
  (void)state;
  struct loom_arena a = {.first = NULL};
  assert_non_null(loom_arena_take(&a, 0));
  loom_arena_free(&a);
}

static void a_freed_arena_can_be_used_again(void **state) {
  (void)state;
  struct loom_arena a = {.first = NULL};
  loom_arena_free(&a);
  for (uint32_t i = 0; i < 3; i++) {
    assert_non_null(loom_arena_take(&a, 100));
    assert_non_null(loom_arena_take(&a, 1000000));
    loom_arena_free(&a);
    assert_null(a.first);
    assert_int_equal(a.left, 0);
  }
}

/* Pools and what lies apart go back to the system: there is nothing any more at their places. */
static void a_freed_arena_has_given_all_memory_back(void **state) {
  (void)state;
  enum { BLOCKS = 3 };
  struct loom_arena a = {.first = NULL};
  char *block[BLOCKS];
  block[0] = loom_arena_take(&a, 100);
  block[1] = loom_arena_take(&a, 1000000);
  block[2] = loom_arena_take(&a, 2000000);
  for (uint32_t i = 0; i < BLOCKS; i++)
    assert_int_equal(msync(block[i], LINE, MS_ASYNC), 0);
  loom_arena_free(&a);
  for (uint32_t i = 0; i < BLOCKS; i++)
    assert_int_equal(msync(block[i], LINE, MS_ASYNC), -1);
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(pieces_of_an_arena_share_nothing),
      cmocka_unit_test(states_follow_each_other_without_a_gap),
      cmocka_unit_test(null_is_for_want_of_memory_only),
      cmocka_unit_test(a_freed_arena_can_be_used_again),
      cmocka_unit_test(a_freed_arena_has_given_all_memory_back),
  };
  return UNIT_RUN("arena", tests, NULL, NULL);
}

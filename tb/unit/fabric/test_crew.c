/* SPDX-License-Identifier: Apache-2.0 */
/* test_crew.c - threads that do the items of a list together (docs/fabric.md, section Every core)
 */
#include "tb/unit/unit.h"

#include <stdatomic.h>
#include <string.h>
#include <threads.h>

#include "fabric/crew.h"

enum { ITEMS = 1000, ROUNDS = 300, WORKERS = 5 };

/* What items leave: plain words, so that the thread sanitizer sees whether one is done by two, or
 * read too early. */
struct board {
  uint32_t times[ITEMS], worker[ITEMS], round[ITEMS];
  uint32_t now;
};

static void mark(void *context, uint32_t worker, uint32_t item) {
  struct board *b = context;
  b->times[item]++;
  b->worker[item] = worker;
  b->round[item] = b->now;
}

static void do_round(struct loom_crew *c, struct board *b, uint32_t items) {
  memset(b->times, 0, sizeof b->times);
  b->now++;
  loom_crew_begin(c, items);
  loom_crew_end(c);
}

static void each_item_of_each_list_is_done_once(void **state) {
  (void)state;
  for (uint32_t workers = 2; workers <= WORKERS; workers++) {
    struct board b = {.now = 0};
    struct loom_crew *c = loom_crew_create(workers, mark, &b);
    assert_non_null(c);
    for (uint32_t n = 0; n < ROUNDS; n++) {
      uint32_t items = n * 7 % (ITEMS + 1);
      do_round(c, &b, items);
      for (uint32_t i = 0; i < ITEMS; i++) {
        assert_int_equal(b.times[i], i < items);
        assert_true(i >= items || (b.round[i] == b.now && b.worker[i] < workers));
      }
    }
    loom_crew_destroy(c);
  }
}

/* The first item waits until the last one is done, by another worker. */
static void wait_for_other(void *context, uint32_t worker, uint32_t item) {
  _Atomic uint32_t *done = context;
  (void)worker;
  while (item == 0 && !atomic_load(done))
    ;
  if (item == 1)
    atomic_store(done, 1);
}

static void items_are_done_beside_each_other(void **state) {
  (void)state;
  _Atomic uint32_t done = 0;
  struct loom_crew *c = loom_crew_create(2, wait_for_other, &done);
  assert_non_null(c);
  loom_crew_begin(c, 2);
  loom_crew_end(c);
  assert_int_equal(atomic_load(&done), 1);
  loom_crew_destroy(c);
}

static void tell(void *context, uint32_t worker, uint32_t item) {
  (void)worker;
  (void)item;
  atomic_fetch_add((_Atomic uint32_t *)context, 1);
}

/* The caller has something else to do, and waits here for what it does not help with. */
static void the_others_begin_without_the_caller(void **state) {
  (void)state;
  _Atomic uint32_t done = 0;
  struct loom_crew *c = loom_crew_create(3, tell, &done);
  assert_non_null(c);
  loom_crew_begin(c, ITEMS);
  while (atomic_load(&done) < ITEMS)
    ;
  loom_crew_end(c);
  assert_int_equal(atomic_load(&done), ITEMS);
  loom_crew_destroy(c);
}

/* Workers that sleep by now are woken. */
static void a_list_that_comes_late_is_done(void **state) {
  (void)state;
  struct board b = {.now = 0};
  struct loom_crew *c = loom_crew_create(3, mark, &b);
  assert_non_null(c);
  for (uint32_t n = 0; n < 3; n++) {
    thrd_sleep(&(struct timespec){.tv_nsec = 30 * 1000 * 1000}, NULL);
    do_round(c, &b, ITEMS);
    for (uint32_t i = 0; i < ITEMS; i++)
      assert_int_equal(b.times[i], 1);
  }
  loom_crew_destroy(c);
}

static void a_crew_of_one_is_refused(void **state) {
  struct board b = {.now = 0};
  (void)state;
  assert_null(loom_crew_create(0, mark, &b));
  assert_null(loom_crew_create(1, mark, &b));
  assert_null(loom_crew_create(LOOM_CREW_WORKERS + 1, mark, &b));
  loom_crew_destroy(NULL);
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(each_item_of_each_list_is_done_once),
      cmocka_unit_test(items_are_done_beside_each_other),
      cmocka_unit_test(the_others_begin_without_the_caller),
      cmocka_unit_test(a_list_that_comes_late_is_done),
      cmocka_unit_test(a_crew_of_one_is_refused),
  };
  return UNIT_RUN("crew", tests, NULL, NULL);
}

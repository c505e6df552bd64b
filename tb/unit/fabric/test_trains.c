/* SPDX-License-Identifier: Apache-2.0 */
/* test_trains.c - the trains that are arriving at a host (docs/fabric.md; DT-10) */
#include "tb/unit/unit.h"

#include <loom/random.h>
#include <string.h>

#include "fabric/trains.h"

enum { FLOWS = 600, LONGEST = 6 };

/* What a flow has sent: packets of trains, one after the other. */
struct flow {
  uint32_t id, offset, left; /* of the train; packets still to come */
};

struct bench {
  struct loom_ledger *ledger;
  struct loom_trains trains;
  struct flow flow[FLOWS];
  uint32_t open;
  uint64_t seed;
};

static void open_bench(struct bench *b) {
  memset(b, 0, sizeof *b);
  b->ledger = loom_ledger_create(1, NULL, NULL);
  assert_non_null(b->ledger);
}

static void close_bench(struct bench *b) {
  loom_trains_free(&b->trains, b->ledger);
  loom_ledger_destroy(b->ledger);
}

/* The next packet of flow `n`, perhaps damaged. */
static struct loom_trains_packet next_packet(struct bench *b, uint32_t n) {
  struct flow *f = &b->flow[n];
  bool after = f->left != 0;
  if (!after)
    *f = (struct flow){.id = loom_below(&b->seed, 8192),
                       .offset = loom_below(&b->seed, 1000),
                       .left = 1 + loom_below(&b->seed, LONGEST)};
  uint32_t len = 2 + loom_below(&b->seed, 9);
  struct loom_trains_packet p = {.src = n / 12,
                                 .lid = (uint16_t)(0x4000 + n / 4 % 3),
                                 .traffic_class = n % 4,
                                 .after = after,
                                 .more = f->left > 1,
                                 .placed = loom_below(&b->seed, 4) != 0,
                                 .id = f->id,
                                 .offset = f->offset,
                                 .len = len};
  if (!p.placed)
    p.offset = 12345;
  b->open += (uint32_t)p.more - (uint32_t)after;
  f->offset += len;
  f->left--;
  return p;
}

/* The flows go on in any order; up to all of them have begun a train. */
static void packets_in_their_places_are_good_in_any_mixture_of_flows(void **state) {
  (void)state;
  struct bench b;
  open_bench(&b);
  for (uint32_t i = 0; i < 400000; i++) {
    uint32_t flows = i / 40000 % 2 ? FLOWS : 20;
    const struct loom_trains_packet p = next_packet(&b, loom_below(&b.seed, flows));
    assert_true(loom_trains_arrive(&b.trains, b.ledger, &p));
    assert_int_equal(b.trains.open, b.open);
  }
  close_bench(&b);
}

/* Any change of a packet that goes on with a train shows; and so does one that begins a train while
 * another goes on. */
static void a_packet_that_is_not_the_next_one_is_seen(void **state) {
  (void)state;
  const struct loom_trains_packet first = {
      .src = 3, .lid = 7, .traffic_class = 2, .more = true, .placed = true, .id = 9, .len = 8};
  struct loom_trains_packet second = first;
  second.after = true;
  second.offset = 8;
  for (uint32_t change = 0; change < 9; change++) {
    struct bench b;
    open_bench(&b);
    struct loom_trains_packet p = second;
    p.src += change == 1;
    p.lid = (uint16_t)(p.lid + (change == 2));
    p.traffic_class = (uint8_t)(p.traffic_class + (change == 3));
    p.id += change == 4;
    p.offset += change == 5;
    p.after = change != 6;
    p.placed = change != 7;
    p.more = change != 8;
    assert_true(loom_trains_arrive(&b.trains, b.ledger, &first));
    assert_int_equal(loom_trains_arrive(&b.trains, b.ledger, &p), !change || change > 6);
    close_bench(&b);
  }
}

/* A damaged packet has no place: the next one is checked by the message, and by its place if any
 * packet of the train had one. */
static void after_a_damaged_packet_the_place_goes_on_by_its_length(void **state) {
  (void)state;
  for (uint32_t lost = 0; lost < 3; lost++)
    for (uint32_t wrong = 0; wrong < 2; wrong++) {
      struct bench b;
      open_bench(&b);
      struct loom_trains_packet p = {.more = true, .placed = lost == 0, .offset = 40, .len = 8};
      assert_true(loom_trains_arrive(&b.trains, b.ledger, &p));
      p = (struct loom_trains_packet){
          .after = true, .more = true, .placed = lost == 2, .offset = 48, .len = 5};
      assert_true(loom_trains_arrive(&b.trains, b.ledger, &p));
      p = (struct loom_trains_packet){
          .after = true, .placed = true, .offset = 53 + wrong, .len = 8};
      assert_int_equal(loom_trains_arrive(&b.trains, b.ledger, &p), !wrong || lost == 1);
      close_bench(&b);
    }
}

/* Without memory the ledger says so, and the run is void. */
static void a_table_without_memory_exhausts_the_ledger(void **state) {
  (void)state;
  struct bench b;
  open_bench(&b);
  const struct loom_trains_packet p = {.more = true, .placed = true, .len = 8};
  loom_ledger_limit(b.ledger, 0);
  loom_trains_arrive(&b.trains, b.ledger, &p);
  assert_true(loom_ledger_counts(b.ledger).exhausted);
  close_bench(&b);
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(packets_in_their_places_are_good_in_any_mixture_of_flows),
      cmocka_unit_test(a_packet_that_is_not_the_next_one_is_seen),
      cmocka_unit_test(after_a_damaged_packet_the_place_goes_on_by_its_length),
      cmocka_unit_test(a_table_without_memory_exhausts_the_ledger)};
  return UNIT_RUN("trains", tests, NULL, NULL);
}

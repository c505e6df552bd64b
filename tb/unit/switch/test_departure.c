/* SPDX-License-Identifier: Apache-2.0 */
/* test_departure.c - the twin of departure against what docs/departure.md says, behind a store that
 * is filled as that of a central unit: packets get their numbers and join their queues before their
 * words come, up to three of them at a time
 *
 * The bench writes packets, plays the allocation and the targets, and finds the words to be those
 * of the packets in the order of their starts. It counts by itself how many packets must still be
 * written until one is whole.
 */
#include "tb/unit/unit.h"

#include <loom/bits.h>
#include <loom/random.h>
#include <stdlib.h>
#include <string.h>

#include "parts/packet_store.h"
#include "switch/departure.h"

#define LOOM_NAMES "switch/input_unit.fields"
#include <loom/names.h>

enum { UNIT = LOOM_UNIT_FLITS, PACKETS = 4096, NEVER = -1, PATIENCE = 100000 };
enum { LANES = 5, TARGETS = 20, CELLS = 256, NUMBERS = 64, OPEN_MOST = 3 };

/* ---- the bench ------------------------------------------------------------------------------- */

struct packet {
  uint32_t lane, target, flits;
  bool drop, sure;
  int booked, started, ended, whole, first, last; /* cycles; NEVER */
};

struct bench {
  struct loom_departure s;
  struct loom_packet_store store;
  void *storage;
  uint32_t speedup, early;
  int now; /* the present cycle */
  uint64_t seed;

  struct packet packet[PACKETS];
  uint32_t packets, numbered, joined, written; /* in this order */
  uint32_t place;                              /* of the next flit that is written */
  int numbered_at;
  uint32_t open_most; /* packets that have a number and are not written */
  uint32_t gap_percent, start_percent;
  bool writes, joins, books, starts;

  int head[LANES]; /* in view */
  int booking, booked_at;
  bool ready;
  uint32_t order[PACKETS], taken, done, word_place;
  uint32_t next_drop; /* the lane whose drop is taken */
};

static uint64_t flit(uint32_t packet, uint32_t place) {
  return loom_scramble((uint64_t)packet << 16 | place) | 1;
}

static uint32_t put(struct bench *b, uint32_t lane, uint32_t flits, uint32_t target) {
  assert_in_range(b->packets, 0, PACKETS - 1);
  b->packet[b->packets] = (struct packet){.lane = lane,
                                          .flits = flits,
                                          .target = target,
                                          .booked = NEVER,
                                          .started = NEVER,
                                          .ended = NEVER,
                                          .whole = NEVER,
                                          .first = NEVER,
                                          .last = NEVER};
  return b->packets++;
}

static uint32_t open_now(const struct bench *b) { return b->numbered - b->written; }

/* What comes into the store in this cycle. */
struct arrival {
  bool number, queue, word, ends;
  uint32_t flits;
  uint64_t data[4];
};

static void write_word(struct bench *b, struct arrival *a) {
  if (!b->writes || b->written == b->numbered || loom_chance(&b->seed, b->gap_percent))
    return;
  const struct packet *p = &b->packet[b->written];
  a->word = true;
  a->flits = loom_min(b->speedup, loom_min(UNIT - b->place % UNIT, p->flits - b->place));
  for (uint32_t k = 0; k < a->flits; k++, b->place++)
    a->data[b->place % b->store.lanes] = flit(b->written, b->place);
  a->ends = b->place == p->flits;
}

/* A packet gets its number at least a cycle before its first word, and joins with it or later. */
static struct arrival arrive(struct bench *b) {
  struct arrival a = {0};
  write_word(b, &a);
  a.number = b->numbered < b->packets && open_now(b) < b->open_most && b->store.space &&
             b->now - b->numbered_at >= 3;
  a.queue = b->joins && b->joined < b->numbered + a.number && loom_chance(&b->seed, 60);
  return a;
}

static void book(struct bench *b, struct loom_departure_written written) {
  uint32_t from = loom_below(&b->seed, LANES);
  for (uint32_t i = 0; i < LANES; i++) {
    uint32_t lane = (from + i) % LANES;
    if (!b->books || !b->ready || b->now - b->booked_at < 3 || b->head[lane] == NEVER ||
        b->packet[b->head[lane]].drop)
      continue;
    b->booking = b->head[lane];
    b->head[lane] = NEVER;
    b->booked_at = b->packet[b->booking].booked = b->now;
    loom_departure_book(&b->s, (uint8_t)lane, (uint8_t)b->packet[b->booking].target, written);
    return;
  }
  if (written.ends)
    loom_departure_ends(&b->s);
}

static struct loom_departure_event see_head(struct bench *b) {
  const struct loom_packet_store *p = &b->store;
  uint32_t packet = (uint32_t)p->head_info;
  const struct packet *q = &b->packet[packet];
  assert_int_equal(p->head_len, q->flits);
  assert_int_equal(b->head[p->head_vl], NEVER);
  b->head[p->head_vl] = (int)packet;
  return (struct loom_departure_event){.drop = q->drop,
                                       .lane = p->head_vl,
                                       .number = (uint8_t)((packet + 1) % NUMBERS),
                                       .len = p->head_len};
}

static void watch_words(struct bench *b) {
  const struct loom_packet_store_word *w = &b->store.rd;
  if (!w->valid)
    return;
  assert_true(b->done < b->taken);
  uint32_t i = b->order[b->done];
  struct packet *p = &b->packet[i];
  if (!b->word_place)
    p->first = b->now;
  assert_true(b->s.tag.valid);
  assert_int_equal(b->s.tag.drop, p->drop);
  if (!p->drop)
    assert_int_equal(b->s.tag.target, p->target);
  for (uint32_t k = 0; k < w->flits; k++, b->word_place++)
    assert_true(w->data[b->word_place % b->store.lanes] == flit(i, b->word_place));
  assert_int_equal(w->last, b->word_place == p->flits);
  if (!w->last)
    return;
  p->last = b->now;
  if (p->sure) {
    assert_int_equal(p->first, p->started + 4);
    assert_int_equal(p->last, p->started + 3 + (int)((p->flits + b->speedup - 1) / b->speedup));
  }
  b->word_place = 0;
  b->done++;
}

/* So many packets must be written before the one that is booked is whole. */
static void watch_part(const struct bench *b) {
  if (b->booking == NEVER)
    return;
  uint32_t i = (uint32_t)b->booking;
  uint32_t part = i < b->written ? 0 : i - b->written + 1;
  uint32_t older = b->numbered - 1 - i; /* a packet of the same number may count */
  if (older < NUMBERS - OPEN_MOST)
    assert_int_equal(b->s.booked_part, part);
  else
    assert_true(b->s.booked_part >= part);
  if (loom_departure_sure(&b->s)) {
    assert_true(b->packet[i].flits <= UNIT);
    assert_true(b->packet[i].whole != NEVER && b->packet[i].whole < b->now);
  }
}

/* What the departure takes must be the booking, or the lowest lane with a head to be dropped. */
static void note_take(struct bench *b, struct loom_departure_take take, bool starts, bool sure) {
  assert_int_equal(take.valid && !starts, b->next_drop != LANES);
  if (!take.valid)
    return;
  uint32_t i = (uint32_t)b->booking;
  if (starts) {
    b->packet[i].sure = sure;
    b->booking = NEVER;
  } else {
    assert_int_equal(take.lane, b->next_drop);
    i = (uint32_t)b->head[take.lane];
    b->head[take.lane] = NEVER;
  }
  assert_int_equal(take.lane, b->packet[i].lane);
  b->packet[i].started = b->now;
  b->order[b->taken++] = i;
}

static uint64_t targets_free(struct bench *b) {
  uint64_t set = loom_random(&b->seed) & loom_mask(TARGETS);
  if (b->booking == NEVER)
    return set;
  uint32_t target = b->packet[b->booking].target;
  bool may = b->starts && loom_chance(&b->seed, b->start_percent);
  return (set & ~(1ull << target)) | (uint64_t)may << target;
}

static void store_edge(struct bench *b, const struct arrival *a, struct loom_departure_take take) {
  const struct packet *n = &b->packet[b->numbered], *q = &b->packet[b->joined],
                      *w = &b->packet[b->written];
  const struct loom_packet_store_cycle in = {.announce = a->number,
                                             .announce_len = (uint16_t)n->flits,
                                             .queue = a->queue,
                                             .queue_vl = (uint8_t)q->lane,
                                             .queue_len = (uint16_t)q->flits,
                                             .queue_info = b->joined,
                                             .word = a->word,
                                             .word_vl = (uint8_t)w->lane,
                                             .word_last = a->ends,
                                             .word_flits = (uint8_t)a->flits,
                                             .word_data = a->data,
                                             .take = take.valid,
                                             .take_vl = take.lane};
  loom_packet_store_edge(&b->store, &in);
  if (a->number)
    b->numbered_at = b->now;
  b->numbered += a->number;
  b->joined += a->queue;
  if (!a->ends)
    return;
  b->packet[b->written++].whole = b->now;
  b->place = 0;
}

static void cycle(struct bench *b) {
  const struct arrival a = arrive(b);
  uint64_t set = targets_free(b);
  bool starts = loom_departure_starts(&b->s, b->store.soon, set), sure = loom_departure_sure(&b->s);
  bool drops = loom_departure_wants_drop(&b->s) && loom_departure_takes(&b->s, b->store.soon);
  const struct loom_departure_written written = {(uint8_t)(b->numbered % NUMBERS),
                                                 (uint8_t)open_now(b), a.ends};
  b->next_drop = drops ? loom_ctz(b->s.drops) : LANES;
  assert_int_equal(b->s.booked, b->booking != NEVER);
  watch_words(b);
  watch_part(b);
  bool ready = loom_departure_source_ready(&b->s, b->store.soon, set);
  struct loom_departure_take take =
      loom_departure_edge(&b->s, b->store.soon, b->store.rd.valid && b->store.rd.last, set);
  note_take(b, take, starts, sure);
  book(b, written);
  if (b->store.event)
    loom_departure_see(&b->s, see_head(b));
  store_edge(b, &a, take);
  b->ready = ready;
  b->now++;
}

static void cycles(struct bench *b, uint32_t n) {
  while (n--)
    cycle(b);
}

/* `mtu`: units of the largest packet. */
static void open_bench(struct bench *b, uint32_t speedup, uint32_t early) {
  const struct loom_packet_store_cfg cfg = {.VLS = LANES,
                                            .CELLS = CELLS,
                                            .LANES = speedup == 3 ? 4 : speedup,
                                            .RD_FLITS = speedup,
                                            .INFO_W = 24,
                                            .MTU_UNITS = 8,
                                            .EARLY = early};
  memset(b, 0, sizeof *b);
  b->storage = malloc(loom_packet_store_storage_size(&cfg));
  assert_non_null(b->storage);
  loom_packet_store_init(&b->store, &cfg, b->storage);
  loom_departure_init(&b->s, speedup, early);
  b->speedup = speedup;
  b->early = early;
  b->writes = b->joins = b->books = b->starts = true;
  b->start_percent = 100;
  b->open_most = OPEN_MOST;
  b->booking = NEVER;
  b->booked_at = b->numbered_at = -100;
  for (uint32_t l = 0; l < LANES; l++)
    b->head[l] = NEVER;
}

static void close_bench(struct bench *b) { free(b->storage); }

static void drain(struct bench *b) {
  for (uint32_t i = 0; b->done < b->packets || b->store.total; i++) {
    assert_true(i < PATIENCE);
    cycle(b);
  }
}

/* ---- tests ----------------------------------------------------------------------------------- */

/* Written and drained with up to three packets that have a number and are not written. */
static void packets_go_in_the_order_of_their_starts_at_every_pace(void **state) {
  (void)state;
  uint32_t sure = 0;
  for (uint32_t speedup = 1; speedup <= 4; speedup++)
    for (uint32_t pace = 0; pace < 16; pace++) {
      struct bench b;
      open_bench(&b, speedup, pace & 8 ? 8 : 12);
      b.seed = 100 * speedup + pace;
      b.gap_percent = pace & 1 ? 60 : 0;
      b.start_percent = pace & 2 ? 15 : 100;
      b.open_most = 1 + pace % OPEN_MOST;
      for (uint32_t i = 0; i < 500; i++) {
        uint32_t p = put(&b, loom_below(&b.seed, LANES),
                         1 + loom_below(&b.seed, loom_chance(&b.seed, 70) ? 12 : 64),
                         loom_below(&b.seed, TARGETS));
        b.packet[p].drop = pace & 4 && loom_chance(&b.seed, 20);
      }
      drain(&b);
      for (uint32_t i = 0; i < b.packets; i++)
        sure += b.packet[i].sure;
      close_bench(&b);
    }
  assert_true(sure > 1000);
}

/* It is booked while it and two before it are open, and whole when the third of them ended. */
static void a_booked_packet_is_whole_when_as_many_were_written_as_stand_before_it(void **state) {
  (void)state;
  struct bench b;
  open_bench(&b, 2, 12);
  b.writes = b.starts = false;
  for (uint32_t i = 0; i < 3; i++)
    put(&b, i, 4, i);
  b.books = false;
  cycles(&b, 30);
  assert_int_equal(open_now(&b), 3);
  b.head[0] = b.head[1] = NEVER; /* the bench forgets them: the third one is booked */
  b.books = true;
  cycle(&b);
  assert_int_equal(b.booking, 2);
  assert_int_equal(b.s.booked_part, 3);
  b.writes = true;
  for (uint32_t i = 0; i < 6; i++) { /* two words each */
    assert_int_equal(b.s.booked_part, 3 - i / 2);
    assert_false(loom_departure_sure(&b.s));
    cycle(&b);
  }
  assert_int_equal(b.s.booked_part, 0);
  assert_true(loom_departure_sure(&b.s));
  close_bench(&b);
}

static void a_packet_that_ends_in_the_cycle_of_a_booking_counts_as_written(void **state) {
  (void)state;
  struct loom_departure s;
  for (uint32_t open = 0; open <= OPEN_MOST; open++)
    for (uint32_t number = 0; number < NUMBERS; number++)
      for (uint32_t before = 0; before < NUMBERS; before++)
        for (uint32_t ends = 0; ends <= 1; ends++) {
          loom_departure_init(&s, 2, 12);
          loom_departure_see(
              &s, (struct loom_departure_event){
                      .lane = 3, .number = (uint8_t)((number - before) % NUMBERS), .len = 8});
          loom_departure_book(
              &s, 3, 17, (struct loom_departure_written){(uint8_t)number, (uint8_t)open, ends});
          int part = (int)open - (int)before;
          part = part > 0 ? part - (int)ends : 0;
          assert_int_equal(s.booked_part, part);
          assert_int_equal(loom_departure_sure(&s), part == 0);
          loom_departure_ends(&s);
          assert_int_equal(s.booked_part, part > 0 ? part - 1 : 0);
        }
}

/* 64 packets later the number is the same: then it is not sure, and nothing worse. */
static void a_whole_packet_with_the_number_of_an_open_one_is_not_sure(void **state) {
  (void)state;
  for (uint32_t later = NUMBERS - 4; later <= NUMBERS + 1; later++) {
    struct bench b;
    open_bench(&b, 2, 12);
    b.books = false;
    put(&b, 0, 4, 1);
    for (uint32_t i = 1; i < later; i++)
      put(&b, 1, 4, 2);
    while (b.written < later)
      cycle(&b);
    b.writes = false;
    put(&b, 1, 4, 2);
    cycles(&b, 20);
    assert_int_equal(open_now(&b), 1); /* the last one */
    b.head[1] = NEVER;
    b.books = true;
    b.starts = false;
    cycle(&b);
    assert_int_equal(b.booking, 0);
    assert_int_equal(loom_departure_sure(&b.s), later != NUMBERS);
    b.starts = b.writes = true;
    cycles(&b, 20);
    assert_true(b.packet[0].last != NEVER);
    close_bench(&b);
  }
}

/* The page: T = max(1, K - 3). */
static void the_tail_counts_from_the_last_word_of_the_store(void **state) {
  (void)state;
  const struct {
    uint32_t speedup, early, tail;
  } of[] = {{1, 12, 9},      {1, 4, 1},  {1, 0, 1}, {2, 12, 4}, {2, 8, 2},      {2, 0, 1},
            {2, 4095, 2045}, {3, 12, 3}, {3, 8, 1}, {3, 14, 3}, {3, 17, 4},     {3, 0, 1},
            {3, 4095, 1534}, {4, 12, 2}, {4, 8, 1}, {4, 30, 6}, {4, 4095, 1022}};
  for (uint32_t i = 0; i < sizeof of / sizeof of[0]; i++) {
    struct loom_departure s;
    loom_departure_init(&s, of[i].speedup, of[i].early);
    loom_departure_see(&s, (struct loom_departure_event){.lane = 1, .len = 9});
    loom_departure_book(&s, 1, 0, (struct loom_departure_written){0});
    struct loom_departure_take take = loom_departure_edge(&s, true, false, 1);
    assert_true(take.valid);
    assert_int_equal(s.tail, of[i].tail);
  }
}

static void after_a_take_that_is_not_sure_nothing_is_taken_for_two_cycles(void **state) {
  (void)state;
  struct loom_departure s;
  loom_departure_init(&s, 2, 12);
  for (uint32_t lane = 0; lane < 3; lane++)
    loom_departure_see(
        &s, (struct loom_departure_event){.drop = true, .lane = (uint8_t)lane, .len = 3});
  for (uint32_t i = 0; i < 9; i++) {
    struct loom_departure_take take = loom_departure_edge(&s, true, false, 0);
    assert_int_equal(take.valid, i % 3 == 0);
    assert_int_equal(take.lane, i % 3 ? 0 : i / 3);
    assert_int_equal(s.settle, 2 - i % 3);
  }
  assert_int_equal(s.drops, 0);
}

/* A head of lane 0 is to be dropped in every cycle, and one of lane 1 is booked again and again. */
static void drops_and_bookings_take_turns(void **state) {
  (void)state;
  struct loom_departure s;
  loom_departure_init(&s, 2, 12);
  uint32_t takes = 0;
  for (uint32_t i = 0; i < 100; i++) {
    loom_departure_see(&s, (struct loom_departure_event){.drop = true, .lane = 0, .len = 3});
    if (!s.booked) {
      loom_departure_see(&s, (struct loom_departure_event){.lane = 1, .len = 9});
      loom_departure_book(&s, 1, 5, (struct loom_departure_written){0});
    }
    struct loom_departure_take take = loom_departure_edge(&s, true, false, 1 << 5);
    if (take.valid)
      assert_int_equal(take.lane, takes++ % 2);
    s.ring_used = 0; /* no words here */
  }
  assert_true(takes > 30);
}

static void what_goes_with_a_head_has_its_units(void **state) {
  (void)state;
  for (uint32_t len = 1; len < 4096; len++) {
    uint32_t info = loom_departure_info(len, len % 32, len & 1);
    assert_int_equal(LOOM_GET(LOOM_HEAD_INFO_LEN, info), len);
    assert_int_equal(LOOM_GET(LOOM_HEAD_INFO_UNITS, info), (len + 7) / 8);
    assert_int_equal(LOOM_GET(LOOM_HEAD_INFO_SL, info), len % 32);
    assert_int_equal(LOOM_GET(LOOM_HEAD_INFO_MORE, info), len & 1);
  }
}

/* It may start again in the cycle after its last word is read, as if each were the first one. */
static void packets_that_are_sure_follow_each_other_word_by_word(void **state) {
  (void)state;
  for (uint32_t speedup = 1; speedup <= 4; speedup++)
    for (uint32_t flits = 1; flits <= UNIT; flits++) {
      struct bench b;
      open_bench(&b, speedup, 12);
      b.books = false;
      for (uint32_t i = 0; i < 20; i++)
        put(&b, i % LANES, flits, i);
      cycles(&b, 400);
      b.books = true;
      drain(&b);
      int words = (int)((flits + speedup - 1) / speedup);
      for (uint32_t i = 1; i < b.taken; i++) {
        const struct packet *p = &b.packet[b.order[i]], *q = &b.packet[b.order[i - 1]];
        assert_true(p->sure);
        assert_true(p->started - q->started >= words);
        if (i < LANES) /* later ones wait for heads */
          assert_int_equal(p->started - q->started, (int)loom_max(3, (uint32_t)words));
      }
      close_bench(&b);
    }
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(packets_go_in_the_order_of_their_starts_at_every_pace),
      cmocka_unit_test(a_booked_packet_is_whole_when_as_many_were_written_as_stand_before_it),
      cmocka_unit_test(a_packet_that_ends_in_the_cycle_of_a_booking_counts_as_written),
      cmocka_unit_test(a_whole_packet_with_the_number_of_an_open_one_is_not_sure),
      cmocka_unit_test(the_tail_counts_from_the_last_word_of_the_store),
      cmocka_unit_test(after_a_take_that_is_not_sure_nothing_is_taken_for_two_cycles),
      cmocka_unit_test(drops_and_bookings_take_turns),
      cmocka_unit_test(what_goes_with_a_head_has_its_units),
      cmocka_unit_test(packets_that_are_sure_follow_each_other_word_by_word),
  };
  return UNIT_RUN("departure", tests, NULL, NULL);
}

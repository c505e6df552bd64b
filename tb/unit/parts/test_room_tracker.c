/* SPDX-License-Identifier: Apache-2.0 */
/* test_room_tracker.c - the twin of room_tracker beside a model of the sums of OP-06: when its bits
 * may be 1, when they must be, and what an event does that should not be, against what
 * docs/parts.md says, without a circuit */
#include "tb/unit/unit.h"

#include <loom/random.h>
#include <string.h>

#include "parts/room_tracker.h"
#include "tb/unit/parts/tracker_model.h"

/* The twin, the model of what was admitted, and the last cycles of both. */
struct bench {
  struct loom_room_tracker s;
  struct loom_room_tracker_out out;
  struct tracker_model now;
  uint32_t need[32], small;
  uint32_t last_vl, last_size;      /* what was admitted of the last cycle */
  bool consumed, error, late_error; /* in the last cycle; what error_o shows next, and after it */
  uint64_t seed, cycle;
  uint32_t admitted, refused, errors, full, configured;
};

static void start(struct bench *b, uint32_t vls, uint32_t units, uint32_t reserved, uint32_t need,
                  uint32_t small) {
  const struct loom_room_tracker_cfg cfg = {.VLS = vls,
                                            .COUNT_W = 10,
                                            .SIZE_W = 6,
                                            .UNITS = units,
                                            .MAX_UNITS = units,
                                            .RESERVED = reserved,
                                            .NEED = need,
                                            .SMALL = small};
  assert_true(loom_room_tracker_cfg_ok(&cfg));
  memset(b, 0, sizeof *b);
  loom_room_tracker_init(&b->s, &cfg);
  b->now = (struct tracker_model){.vls = vls, .total = units, .max_units = units};
  for (uint32_t v = 0; v < vls; v++) {
    b->now.reserved[v] = reserved;
    b->now.cap[v] = units;
    b->need[v] = need;
  }
  b->seed = vls + 7;
  b->small = small;
}

static bool fits(const struct tracker_model *m, uint32_t v, uint32_t need) {
  return need && need <= tracker_model_avail(m, v);
}

/* Room only if OP-06 would admit it, without the consume that another lane had in the last cycle,
 * or this one a small one.
 * Returns may be counted in full: they only make more room. */
static void is_safe(const struct bench *b) {
  for (uint32_t v = 0; v < b->now.vls; v++) {
    struct tracker_model m = b->now;
    if (b->last_vl != v || b->last_size <= b->small)
      m.used[b->last_vl] -= loom_min(b->last_size, m.used[b->last_vl]);
    if (b->out.room >> v & 1)
      assert_true(fits(&m, v, b->need[v]));
  }
}

/* One cycle; in->consume_valid etc. are free. */
static void cycle(struct bench *b, const struct loom_room_tracker_in *in) {
  loom_room_tracker_step(&b->s, in, &b->out);
  assert_int_equal(b->out.error, b->error);
  is_safe(b);
  uint32_t v = (uint32_t)in->consume_vl, r = (uint32_t)in->return_vl, n = (uint32_t)in->need_vl;
  bool admit = in->consume_valid && b->s.event.size_ok && b->s.fit >> v & 1;
  bool promised = in->consume_valid && v < b->now.vls && b->out.room >> v & 1 && !b->consumed &&
                  in->consume_size >= 1 && in->consume_size <= b->need[v];
  assert_true(admit || !promised);
  if (admit) /* by OP-06, with all that was admitted before */
    assert_true(in->consume_size <= b->need[v] &&
                in->consume_size <= tracker_model_avail(&b->now, v));
  bool back = in->return_valid && b->out.ready && r < b->now.vls && b->now.used[r];
  bool cfg = in->cfg_we && b->out.idle && !in->consume_valid; /* of addresses that mean something */
  b->error = b->late_error;
  b->late_error = (in->consume_valid && !admit) || (in->return_valid && !back) ||
                  (in->need_valid && !(b->out.ready && n < b->now.vls)) || (in->cfg_we && !cfg);
  b->last_vl = admit ? v : 0;
  b->last_size = admit ? (uint32_t)in->consume_size : 0;
  if (back)
    b->now.used[r]--;
  if (admit)
    b->now.used[v] += (uint32_t)in->consume_size;
  if (in->need_valid && b->out.ready && n < b->now.vls)
    b->need[n] = (uint32_t)in->need_size;
  if (cfg && in->cfg_addr == 64)
    b->now.total = (uint32_t)in->cfg_data;
  else if (cfg)
    (in->cfg_addr < 32 ? b->now.reserved : b->now.cap)[in->cfg_addr % 32] = (uint32_t)in->cfg_data;
  b->consumed = in->consume_valid;
  b->admitted += admit;
  b->refused += in->consume_valid && !admit;
  b->errors += b->late_error;
  b->configured += cfg;
  b->cycle++;
}

static void cycles(struct bench *b, uint32_t n, struct loom_room_tracker_in in) {
  for (uint32_t i = 0; i < n; i++)
    cycle(b, &in);
}

static const struct loom_room_tracker_in nothing,
    three = {.consume_valid = 1, .consume_vl = 1, .consume_size = 3},
    back = {.return_valid = 1, .return_vl = 1};

/* Quiet cycles until the bits must be exact, and are. */
static void rest(struct bench *b) {
  const struct loom_room_tracker_in none = {0};
  for (uint32_t i = 0; i < 5 + b->now.vls; i++)
    cycle(b, &none);
  cycle(b, &none);
  assert_int_equal(b->out.total, tracker_model_used(&b->now));
  assert_int_equal(b->out.idle, tracker_model_used(&b->now) == 0);
  assert_int_equal(b->out.config_ok, tracker_model_ok(&b->now));
  for (uint32_t v = 0; v < b->now.vls; v++) {
    bool room = fits(&b->now, v, b->need[v]);
    assert_int_equal(b->out.room >> v & 1, room);
    assert_int_equal(loom_room_tracker_used(&b->s, v), b->now.used[v]);
    if (tracker_model_ok(&b->now))
      for (uint32_t units = 1; units <= 12; units++) /* the counts say so of any size */
        assert_int_equal(loom_room_tracker_lacks(&b->s, v, units), !fits(&b->now, v, units));
    b->full += !room;
  }
}

static void random_in(struct bench *b, bool wild, bool drain, struct loom_room_tracker_in *in) {
  uint32_t vls = b->now.vls;
  memset(in, 0, sizeof *in);
  in->consume_vl = loom_below(&b->seed, wild ? 32 : vls);
  in->consume_size = loom_below(&b->seed, b->need[in->consume_vl] + 1 + wild);
  in->consume_valid = loom_chance(&b->seed, drain ? 2 : 70) &&
                      (wild || (b->s.room >> in->consume_vl & 1 && in->consume_size));
  in->return_vl = loom_below(&b->seed, wild ? 32 : vls);
  for (uint32_t v = 0; v < vls && drain; v++)
    if (b->now.used[v])
      in->return_vl = v;
  in->return_valid =
      loom_chance(&b->seed, drain ? 95 : 40) && (wild || b->now.used[in->return_vl] > 0);
  in->need_vl = loom_below(&b->seed, vls);
  in->need_size = loom_below(&b->seed, 24);
  in->need_valid = loom_chance(&b->seed, 10);
  if (drain && loom_chance(&b->seed, 5)) {
    in->cfg_we = 1;
    in->cfg_addr =
        loom_below(&b->seed, 10) ? loom_below(&b->seed, vls) + 32 * loom_below(&b->seed, 2) : 64;
    uint32_t units = b->now.max_units;
    in->cfg_data = in->cfg_addr == 64   ? loom_below(&b->seed, units + 3)
                   : in->cfg_addr >= 32 ? loom_below(&b->seed, units + 1)
                                        : loom_below(&b->seed, 2 * units / vls);
  }
}

static void check_promise(uint32_t small) {
  static const uint32_t vls[] = {1, 2, 9, 32};
  struct bench b;
  uint32_t admitted = 0, refused = 0, errors = 0, full = 0, configured = 0;
  for (size_t k = 0; k < sizeof vls / sizeof *vls; k++) {
    start(&b, vls[k], 200, 5, 8, small);
    for (uint32_t c = 0; c < vls[k]; c++) { /* the sweep */
      cycle(&b, &(struct loom_room_tracker_in){.consume_valid = 1, .consume_size = c & 7});
      assert_int_equal(b.out.ready, 0);
    }
    for (int i = 0; i < 400; i++) {
      bool wild = loom_chance(&b.seed, 30), drain = i % 10 > 6;
      uint32_t cycles = loom_below(&b.seed, drain ? 500 : 60);
      for (uint32_t c = 0; c < cycles; c++) {
        struct loom_room_tracker_in in;
        random_in(&b, wild && !drain, drain, &in);
        cycle(&b, &in);
      }
      rest(&b);
    }
    admitted += b.admitted;
    refused += b.refused;
    errors += b.errors;
    full += b.full;
    configured += b.configured;
  }
  assert_true(admitted > 1000 && refused > 1000 && errors > 1000 && full > 100 && configured > 100);
}

static void room_is_safe_kept_and_exact_at_rest(void **state) {
  (void)state;
  check_promise(0);
}

static void so_it_is_where_lanes_stay_open(void **state) {
  (void)state;
  check_promise(1);
  check_promise(3);
}

/* A consume in cycle 100 of a lane that has the pool to itself: when who sees it. */
static void a_consume_shows_when_the_page_says(void **state) {
  (void)state;
  struct bench b;
  const struct loom_room_tracker_in none = {0};
  start(&b, 3, 30, 4, 16, 0); /* a pool of 18: a lane may take 16, then nobody can */
  while (b.cycle < 100)
    cycle(&b, &none);
  assert_int_equal(b.s.room, 7);
  cycle(&b,
        &(struct loom_room_tracker_in){.consume_valid = 1, .consume_vl = 1, .consume_size = 16});
  cycle(&b, &none); /* c + 1: its own bit */
  assert_int_equal(b.out.room, 5);
  cycle(&b, &none); /* c + 2: all */
  assert_int_equal(b.out.room, 0);
  rest(&b);
  for (int i = 0; i < 6; i++) { /* of 6 free units of the pool and 4 reserved to 16 */
    b.cycle = 200;
    cycle(&b, &(struct loom_room_tracker_in){.return_valid = 1, .return_vl = 1});
  }
  for (int c = 1; c < 7; c++) { /* the last of them in c; in c + 7 it shows */
    cycle(&b, &none);
    assert_int_equal(b.out.room, 0);
  }
  cycle(&b, &none);
  assert_int_equal(b.out.room, 5);
}

/* The need of the head, and the need 0 of no packet; 6 cycles to its verdict. */
static void a_need_is_judged_in_six_cycles(void **state) {
  (void)state;
  struct bench b;
  const struct loom_room_tracker_in none = {0};
  start(&b, 9, 200, 5, 0, 0);
  while (b.cycle < 100)
    cycle(&b, &none);
  assert_int_equal(b.s.room, 0);
  cycle(&b, &(struct loom_room_tracker_in){.need_valid = 1, .need_vl = 4, .need_size = 9});
  for (int c = 1; c < 6; c++) {
    cycle(&b, &none);
    assert_int_equal(b.out.room, 0);
  }
  cycle(&b, &none);
  assert_int_equal(b.out.room, 1 << 4);
}

/* Lane 0 keeps its reserve of 5 free while all others take and give back as fast as they can. */
static void nobody_starves_a_lane_within_its_reserve(void **state) {
  (void)state;
  struct bench b;
  start(&b, 9, 60, 5, 5, 0);
  uint64_t without = 0, longest = 0;
  for (int i = 0; i < 20000; i++) {
    struct loom_room_tracker_in in = {0};
    uint32_t v = 1 + loom_below(&b.seed, 8);
    in.consume_valid = b.s.room >> v & 1;
    in.consume_vl = v;
    in.consume_size = 5;
    v = 1 + loom_below(&b.seed, 8);
    in.return_valid = b.now.used[v] > 0;
    in.return_vl = v;
    cycle(&b, &in);
    without = b.out.room & 1 ? 0 : without + 1;
    longest = i > 30 && without > longest ? without : longest;
  }
  assert_true(b.admitted > 1000 && b.refused > 0);
  assert_int_equal(longest, 0);
}

/* What the bit of lane 1 shows in the cycles after a consume of so many units, the first one in the
 * highest of 8 bits. */
static uint32_t shown_after(struct bench *b, uint32_t size) {
  const struct loom_room_tracker_in none = {0};
  uint32_t shown = 0;
  cycle(b,
        &(struct loom_room_tracker_in){.consume_valid = 1, .consume_vl = 1, .consume_size = size});
  for (int c = 1; c <= 8; c++) {
    cycle(b, &none);
    shown = shown << 1 | (uint32_t)(b->out.room >> 1 & 1);
  }
  return shown;
}

/* A pool of 60, and 20 reserved of which the need takes 8. With 7 small packets of 3 units until
 * the next verdict, a lane is wide while 8 + 21 units are below its cap. */
static void a_lane_stays_open_after_a_small_packet(void **state) {
  (void)state;
  struct bench b;
  start(&b, 3, 120, 20, 8, 3);
  cycles(&b, 100, nothing);
  assert_int_equal(shown_after(&b, 3), 0xFF);
  assert_int_equal(shown_after(&b, 4), 0x07); /* too large: closed until it is judged */
  assert_int_equal(shown_after(&b, 3), 0xFF);
  while (b.now.used[1] <= 120 - 20 - 20 - 8 - 3) { /* the pool, too */
    assert_int_equal(b.out.room >> 1 & 1, 1);
    shown_after(&b, 3);
  }
  assert_int_equal(shown_after(&b, 3) >> 6, 2); /* the pool is seen two cycles later */
  assert_int_equal(b.refused, 0);
}

/* The cap alone stands in the way: from where a lane is not wide any more, it is closed after each
 * packet. */
static void a_lane_near_its_cap_is_closed(void **state) {
  (void)state;
  struct bench b;
  start(&b, 3, 120, 20, 8, 3);
  cycles(&b, 100, nothing);
  cycle(&b, &(struct loom_room_tracker_in){.cfg_we = 1, .cfg_addr = 32 + 1, .cfg_data = 35});
  cycles(&b, 40, nothing);
  assert_int_equal(shown_after(&b, 3), 0xFF); /* 35 - 8 - 21 = 6 units are beyond the margin */
  assert_int_equal(shown_after(&b, 3), 0xFF);
  assert_int_equal(shown_after(&b, 3), 0xFF);
  assert_int_equal(shown_after(&b, 3), 0x07);
  assert_int_equal(b.refused, 0);
}

/* The pool is empty, the lane within its reserve, and a packet goes while the lane is judged. */
static void a_verdict_on_the_reserve_counts_what_went_meanwhile(void **state) {
  (void)state;
  struct bench b;
  start(&b, 3, 120, 20, 8, 3);
  cycles(&b, 100, nothing);
  for (int i = 0; i < 10; i++) {
    cycle(&b, &(struct loom_room_tracker_in){.consume_valid = 1, .consume_size = 8});
    cycles(&b, 10, nothing);
  }
  for (int i = 0; i < 4; i++) { /* 12 of 20, while the pool is empty */
    cycle(&b, &three);
    cycles(&b, 10, nothing);
  }
  assert_int_equal(b.now.used[0] + b.now.used[1], 92);
  assert_int_equal(b.out.room & 2, 2);
  for (uint32_t before = 0; before < 6; before++) {
    cycle(&b, &back);
    cycles(&b, before, nothing);
    cycle(&b, &three); /* is_safe looks */
    cycles(&b, 20, nothing);
    cycles(&b, 2, back);
    cycles(&b, 20, nothing);
  }
  assert_int_equal(b.refused, 0);
}

/* Packets in every cycle, and lanes that are judged in between: the cap holds. */
static void a_cap_holds_in_a_storm(void **state) {
  (void)state;
  struct bench b;
  uint32_t most = 0;
  for (uint32_t cap = 29; cap < 44; cap++)
    for (uint32_t before = 0; before < 4; before++) {
      start(&b, 3, 120, 20, 8, 3);
      cycles(&b, 20, nothing);
      cycle(&b, &(struct loom_room_tracker_in){.cfg_we = 1, .cfg_addr = 33, .cfg_data = cap});
      cycles(&b, 20, nothing);
      for (uint32_t v = 0; v < 3; v += 2)
        for (int i = 0; i < 5; i++) {
          cycle(&b, &(struct loom_room_tracker_in){
                        .consume_valid = 1, .consume_vl = v, .consume_size = 8});
          cycles(&b, 10, nothing);
        }
      for (uint32_t i = 0; i < 40; i++) {
        struct loom_room_tracker_in in = i < before ? nothing : three;
        in.return_valid = 1;
        in.return_vl = i & 2;
        cycle(&b, &in);
      }
      most = b.now.used[1] > most ? b.now.used[1] : most;
    }
  assert_true(most > 29);
}

static void a_room_tracker_refuses_bad_configurations(void **state) {
  (void)state;
  struct loom_room_tracker_cfg cfg;
  loom_room_tracker_defaults(&cfg);
  assert_true(loom_room_tracker_cfg_ok(&cfg));
  cfg.RESERVED = 114; /* 9 * 114 > 1024 */
  assert_false(loom_room_tracker_cfg_ok(&cfg));
  loom_room_tracker_defaults(&cfg);
  cfg.MAX_UNITS = 4096; /* needs 13 bits */
  assert_false(loom_room_tracker_cfg_ok(&cfg));
  loom_room_tracker_defaults(&cfg);
  cfg.NEED = 1024; /* needs 11 */
  assert_false(loom_room_tracker_cfg_ok(&cfg));
  loom_room_tracker_defaults(&cfg);
  cfg.SIZE_W = 12;
  cfg.COUNT_W = 11;
  assert_false(loom_room_tracker_cfg_ok(&cfg));
  loom_room_tracker_defaults(&cfg);
  cfg.SIZE_W = 3;
  cfg.NEED = 7;
  assert_true(loom_room_tracker_cfg_ok(&cfg));
  cfg.SMALL = 8; /* needs 4 bits */
  assert_false(loom_room_tracker_cfg_ok(&cfg));
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(room_is_safe_kept_and_exact_at_rest),
      cmocka_unit_test(so_it_is_where_lanes_stay_open),
      cmocka_unit_test(a_consume_shows_when_the_page_says),
      cmocka_unit_test(a_need_is_judged_in_six_cycles),
      cmocka_unit_test(nobody_starves_a_lane_within_its_reserve),
      cmocka_unit_test(a_lane_stays_open_after_a_small_packet),
      cmocka_unit_test(a_lane_near_its_cap_is_closed),
      cmocka_unit_test(a_verdict_on_the_reserve_counts_what_went_meanwhile),
      cmocka_unit_test(a_cap_holds_in_a_storm),
      cmocka_unit_test(a_room_tracker_refuses_bad_configurations),
  };
  return UNIT_RUN("room_tracker", tests, NULL, NULL);
}

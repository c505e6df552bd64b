/* SPDX-License-Identifier: Apache-2.0 */
/* test_mport_alloc.c - the twin of mport_alloc against docs/mport_switch.md and docs/allocation.md
 *
 * Who sends where stands here as the two tables of the page. In every cycle of every test a plain
 * model of the page shows the same, and a judge looks at every booking. Then users who keep to the
 * contract run under random traffic.
 */
#include "tb/unit/unit.h"

#include <loom/bits.h>
#include <loom/random.h>
#include <stdlib.h>
#include <string.h>

#include "switch/mport_alloc.h"
#include "tb/unit/switch/alloc_model.h"

enum { ENDS = LOOM_MPORT_ENDS, PAST = 4, HELD = 3 };

/* ---- mport_alloc under a bench --------------------------------------------------------------- */

struct head {
  bool there;
  uint32_t number, target, vl, since;
  uint64_t info;
};

struct bench {
  struct loom_mport_alloc s;
  struct loom_mport_alloc_cfg cfg;
  uint32_t ports, ends;
  struct loom_mport_alloc_in in;   /* of the next cycle; events go with it, levels stay */
  struct loom_mport_alloc_out out; /* of the last cycle */
  uint32_t now;                    /* the next cycle */

  struct alloc_model model;

  /* What the judge knows. */
  struct head head[ENDS][LOOM_VLS];
  struct loom_mport_alloc_in past[PAST];       /* by the cycle modulo PAST */
  uint32_t take_after[ENDS], book_after[ENDS]; /* cycles from which the next one may come */
  uint64_t serial;
  uint32_t heads, bookings;
};

/* Central units have two queues of each lane where the lanes are odd and few. */
static struct loom_mport_alloc_cfg shape(uint32_t mports, uint32_t lanes, uint32_t patience) {
  return (struct loom_mport_alloc_cfg){.MPORTS = mports,
                                       .LANES = lanes,
                                       .QUEUES = lanes % 2 && lanes <= 16 ? 2 : 1,
                                       .INFO_W = 34,
                                       .PATIENCE = patience};
}

/* That a source has. */
static uint32_t lanes_of(const struct loom_mport_alloc_cfg *c, uint32_t source) {
  return source < 4 * c->MPORTS ? c->LANES : c->QUEUES * c->LANES;
}

static void set_all(uint64_t *field, uint32_t n, uint64_t value) {
  for (uint32_t i = 0; i < n; i++)
    field[i] = value;
}

/* A bench in which all are ready and there is room for all. */
static struct bench *open_bench(struct loom_mport_alloc_cfg cfg) {
  struct bench *b = calloc(1, sizeof *b);
  assert_non_null(b);
  b->cfg = cfg;
  b->ports = 4 * cfg.MPORTS;
  b->ends = 6 * cfg.MPORTS;
  assert_true(loom_mport_alloc_cfg_ok(&cfg));
  loom_mport_alloc_init(&b->s, &cfg);
  alloc_model_init_mport(&b->model, &cfg);
  set_all(b->in.source_ready, b->ends, 1);
  set_all(b->in.target_ready, b->ends, 1);
  set_all(b->in.room, b->ends, loom_mask(cfg.LANES));
  return b;
}

static bool bit(uint64_t set, uint64_t place) { return set >> place & 1; }

/* ---- who sends where ------------------------------------------------------------------------- */

enum { NONE = 0xFF };

/* The first table of the page: the target that a source has under a number. */
static uint32_t target_of(const struct bench *b, uint32_t source, uint32_t number) {
  if (source < b->ports) {
    uint32_t m = source / 4;
    if (number > 5)
      return NONE;
    return number < 4 ? 4 * m + number : b->ports + 2 * m + number - 4;
  }
  uint32_t m = (source - b->ports) / 2;
  return number < b->ports && number / 4 != m ? number : NONE;
}

/* The second one: the source that a target has under a number. */
static uint32_t source_of(const struct bench *b, uint32_t target, uint32_t number) {
  if (target >= b->ports)
    return number < 4 ? 4 * ((target - b->ports) / 2) + number : NONE;
  uint32_t m = target / 4;
  if (number < 4)
    return 4 * m + number;
  return number < 4 + 2 * b->cfg.MPORTS && (number - 4) / 2 != m ? b->ports + number - 4 : NONE;
}

/* The number that the source has for the target; NONE: it sends nothing there. */
static uint32_t number_of(const struct bench *b, uint32_t source, uint32_t target) {
  for (uint32_t number = 0; number < LOOM_ALLOC_PORTS; number++)
    if (target_of(b, source, number) == target)
      return number;
  return NONE;
}

/* ---- heads and cycles ------------------------------------------------------------------------ */

/* A head event in the next cycle. */
static void offer(struct bench *b, uint32_t source, uint32_t lane, uint32_t target, uint32_t vl) {
  struct head *h = &b->head[source][lane];
  uint32_t number = number_of(b, source, target);
  assert_true(number != NONE);
  assert_false(h->there || b->in.head_event[source]);
  *h = (struct head){.there = true, .number = number, .target = target, .vl = vl, .since = b->now};
  h->info = b->serial++ & loom_mask(b->cfg.INFO_W);
  b->in.head_event[source] = 1;
  b->in.head_lane[source] = lane;
  b->in.head_target[source] = number;
  b->in.head_vl[source] = vl;
  b->in.head_info[source] = h->info;
  b->heads++;
}

/* The inputs `ago` cycles before the one that was just stepped. */
static const struct loom_mport_alloc_in *before(const struct bench *b, uint32_t ago) {
  assert_true(b->now >= ago);
  return &b->past[(b->now - ago) % PAST];
}

/* A booking of this cycle is one of a head that is there, and follows the rules of the page. */
static void judge_booking(struct bench *b, uint32_t source) {
  struct head *h = &b->head[source][b->out.take_lane[source]];
  assert_true(h->there);
  uint32_t target = h->target;
  assert_int_equal(b->out.take_target[source], h->number);
  assert_int_equal(b->out.book[target], 1);
  assert_int_equal(source_of(b, target, (uint32_t)b->out.book_source[target]), source);
  assert_int_equal(h->vl, b->out.book_vl[target]);
  assert_int_equal(h->info, b->out.book_info[target]);
  assert_true(b->now >= h->since + 5);
  assert_true(b->now >= b->take_after[source] && b->now >= b->book_after[target]);
  assert_true(before(b, 2)->source_ready[source] && before(b, 2)->target_ready[target]);
  assert_true(bit(before(b, 2)->room[target], h->vl));
  if (b->now == b->book_after[target] && b->book_after[target])
    assert_int_equal(before(b, 2)->room[target] & ~before(b, 1)->room[target], 0);
  h->there = false;
  b->take_after[source] = b->book_after[target] = b->now + 3;
  b->bookings++;
}

static void judge(struct bench *b) {
  uint64_t taken = 0, booked = 0;
  for (uint32_t p = 0; p < ENDS; p++) {
    if (b->out.take[p])
      judge_booking(b, p);
    else
      assert_int_equal(b->out.take_lane[p] | b->out.take_target[p], 0);
    if (!b->out.book[p])
      assert_int_equal(b->out.book_source[p] | b->out.book_vl[p] | b->out.book_info[p], 0);
    taken += b->out.take[p];
    booked += b->out.book[p];
  }
  assert_int_equal(taken, booked);
}

static void cycle(struct bench *b) {
  struct loom_mport_alloc_out out;
  struct loom_mport_alloc_probe is, probe;
  memset(&b->out, 0xA5, sizeof b->out);
  loom_mport_alloc_step(&b->s, &b->in, &b->out);
  alloc_model_step_mport(&b->model, &b->in, &out);
  assert_memory_equal(&b->out, &out, sizeof out);
  loom_mport_alloc_probe(&b->s, &is);
  alloc_model_probe_mport(&b->model, &probe);
  assert_memory_equal(&is, &probe, sizeof is);
  b->past[b->now % PAST] = b->in;
  judge(b);
  memset(b->in.head_event, 0, sizeof b->in.head_event);
  b->now++;
}

static void cycles(struct bench *b, uint32_t n) {
  while (n--)
    cycle(b);
}

/* Runs cycles up to and with `last`; gives the cycle of the first booking of the source, or 0. */
static uint32_t booked_in(struct bench *b, uint32_t source, uint32_t last) {
  uint32_t found = 0;
  while (b->now <= last) {
    cycle(b);
    if (!found && b->out.take[source])
      found = b->now - 1;
  }
  return found;
}

static bool holds(const struct bench *b, uint32_t target) {
  struct loom_mport_alloc_probe p;
  loom_mport_alloc_probe(&b->s, &p);
  return target < b->ports ? bit(p.hold, target) : bit(p.central_hold, target - b->ports);
}

/* Gives the lowest empty lane of a source from `first` on a new head for a lane of a target. */
static void feed(struct bench *b, uint32_t source, uint32_t first, uint32_t target, uint32_t vl) {
  for (uint32_t lane = first; lane < lanes_of(&b->cfg, source); lane++)
    if (!b->head[source][lane].there) {
      offer(b, source, lane, target, vl);
      return;
    }
}

/* ---- who sends where, and when --------------------------------------------------------------- */

/* OP-02, OP-03 */
static void every_source_reaches_each_target_that_it_knows_in_five_cycles(void **state) {
  (void)state;
  const uint32_t mports[] = {2, 3, 7, 12};
  for (uint32_t i = 0; i < 4; i++) {
    struct bench *b = open_bench(shape(mports[i], 9, 32));
    uint32_t pairs = 0;
    for (uint32_t source = 0; source < b->ends; source++)
      for (uint32_t number = 0; number < LOOM_ALLOC_PORTS; number++) {
        uint32_t target = target_of(b, source, number);
        if (target == NONE)
          continue;
        cycles(b, pairs++ % 3);
        uint32_t start = b->now;
        offer(b, source, pairs % lanes_of(&b->cfg, source), target, number % 9);
        assert_int_equal(booked_in(b, source, start + 6), start + 5);
      }
    /* 4 inputs x 6 targets an MPort, and 2 central units x the ports of the others. */
    assert_int_equal(pairs, mports[i] * (24 + 2 * 4 * (mports[i] - 1)));
    assert_int_equal(b->bookings, pairs);
    free(b);
  }
}

/* The two tables of the page say the same. */
static void a_target_knows_exactly_the_sources_that_know_it(void **state) {
  (void)state;
  for (uint32_t mports = 2; mports <= 12; mports++) {
    struct bench *b = open_bench(shape(mports, 2, 1));
    uint32_t to = 0, from = 0;
    for (uint32_t end = 0; end < b->ends; end++)
      for (uint32_t number = 0; number < LOOM_ALLOC_PORTS; number++) {
        uint32_t target = target_of(b, end, number), source = source_of(b, end, number);
        if (source != NONE)
          assert_true(number_of(b, source, end) != NONE);
        to += target != NONE;
        from += source != NONE;
      }
    assert_int_equal(to, from);
    free(b);
  }
}

/* What a user that looks at the registers asks: the other end of an offer, both ways. */
static void both_ends_of_an_offer_find_each_other(void **state) {
  (void)state;
  struct bench *b = open_bench(shape(5, 2, 1));
  for (uint32_t source = 0; source < b->ends; source++)
    for (uint32_t number = 0; number < b->ports; number++) {
      uint32_t target = target_of(b, source, number);
      if (target == NONE)
        continue;
      uint32_t bank = source >= b->ports, place = source - bank * b->ports;
      struct loom_alloc_end to = loom_mport_alloc_target(bank, place, number);
      assert_int_equal(to.bank * b->ports + to.place, target);
      struct loom_alloc_end from = loom_mport_alloc_source(to.bank, to.place, to.name);
      assert_int_equal(from.bank, bank);
      assert_int_equal(from.place, place);
    }
  free(b);
}

/* What the user must not send does not spoil what others have. */
static void a_head_for_an_output_of_its_own_mport_is_not_heard(void **state) {
  (void)state;
  struct loom_mport_alloc s;
  struct loom_mport_alloc_in in = {.head_event = {0}};
  struct loom_mport_alloc_out out;
  const struct loom_mport_alloc_cfg cfg = shape(2, 9, 32);
  const struct {
    uint32_t source, number;
  } bad[] = {{0, 6}, {7, 63}, {8, 0}, {9, 3}, {10, 4}, {11, 7}, {8, 8}};
  loom_mport_alloc_init(&s, &cfg);
  set_all(in.source_ready, 12, 1);
  set_all(in.target_ready, 12, 1);
  set_all(in.room, 12, loom_mask(9));
  for (uint32_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
    for (uint32_t c = 0; c < 12; c++) {
      in.head_event[bad[i].source] = c == 0;
      in.head_target[bad[i].source] = bad[i].number;
      loom_mport_alloc_step(&s, &in, &out);
      for (uint32_t p = 0; p < ENDS; p++)
        assert_int_equal(out.take[p] | out.book[p], 0);
    }
}

/* ---- turns ----------------------------------------------------------------------------------- */

/* The numbers of the sources of `target`, one after the other, all of which ask it all the time. */
static void grants_in_turn(struct bench *b, uint32_t target) {
  uint32_t seen = 0, last = 0;
  for (uint32_t c = 0; c < 600; c++) {
    for (uint32_t number = 0; number < LOOM_ALLOC_PORTS; number++)
      if (source_of(b, target, number) != NONE)
        feed(b, source_of(b, target, number), 0, target, 0);
    cycle(b);
    if (!b->out.book[target])
      continue;
    uint32_t next = last + 1;
    while (source_of(b, target, next) == NONE)
      next = next < LOOM_ALLOC_PORTS ? next + 1 : 0;
    if (seen++)
      assert_int_equal(b->out.book_source[target], next);
    last = (uint32_t)b->out.book_source[target];
  }
  assert_true(seen > 150);
}

/* OP-11 */
static void a_target_grants_its_sources_in_the_order_of_their_numbers(void **state) {
  (void)state;
  const uint32_t target[] = {0, 7, 11, 12, 15, 16, 23}; /* from 16 on central units */
  for (uint32_t i = 0; i < sizeof target / sizeof target[0]; i++) {
    struct bench *b = open_bench(shape(4, 9, 255));
    grants_in_turn(b, target[i]);
    free(b);
  }
}

/* ---- the hold -------------------------------------------------------------------------------- */

/* A bench in which `source` waits with lane 0 for lane HELD of `target`, which has no room there,
 * and holds for it as `other` was booked often. Nothing else is on its way. */
static struct bench *open_held(uint32_t source, uint32_t target, uint32_t other) {
  struct bench *b = open_bench(shape(3, 9, 2));
  b->in.room[target] &= ~(1ull << HELD);
  offer(b, source, 0, target, HELD);
  while (!holds(b, target)) {
    feed(b, other, 0, target, 1);
    cycle(b);
    assert_true(b->now < 1000);
  }
  while (b->heads > b->bookings + 1)
    cycle(b);
  cycles(b, 5);
  assert_true(b->head[source][0].there && holds(b, target));
  return b;
}

/* Of 3 MPorts, so central units are the ends 12..17: a head of a source, for a target, and another
 * source of that. */
static const struct {
  uint32_t source, target, other;
} holder[] = {{0, 1, 3},    {0, 1, 17}, {14, 1, 0}, {17, 2, 14},
              {14, 11, 12}, {5, 14, 6}, {11, 17, 8}};
enum { HOLDERS = sizeof holder / sizeof holder[0] };

static void what_is_held_for_an_input_or_a_central_unit_refuses_all_others(void **state) {
  (void)state;
  for (uint32_t i = 0; i < HOLDERS; i++) {
    struct bench *b = open_held(holder[i].source, holder[i].target, holder[i].other);
    offer(b, holder[i].other, 3, holder[i].target, HELD);
    cycles(b, 20);
    b->in.room[holder[i].target] |= 1ull << HELD;
    for (uint32_t x = b->now; b->head[holder[i].source][0].there; cycle(b))
      assert_true(b->now < x + 12 && b->head[holder[i].other][3].there);
    cycles(b, 30);
    assert_int_equal(b->heads, b->bookings);
    free(b);
  }
}

/* Other lanes of the target go on, and other targets of the source. */
static void a_hold_stops_nothing_but_its_lane(void **state) {
  (void)state;
  for (uint32_t i = 0; i < HOLDERS; i++) {
    struct bench *b = open_held(holder[i].source, holder[i].target, holder[i].other);
    uint32_t of_source = 0, of_target = 0;
    uint32_t elsewhere = holder[i].source < 12 ? holder[i].source : holder[i].target ^ 3;
    for (uint32_t c = 0; c < 300; c++) {
      feed(b, holder[i].source, 1, elsewhere, 1);
      feed(b, holder[i].other, 0, holder[i].target, 2);
      cycle(b);
      of_source += b->out.take[holder[i].source] != 0;
      of_target += b->out.book[holder[i].target] != 0;
    }
    assert_true(holds(b, holder[i].target));
    assert_true(of_source >= 90 && of_target >= 90);
    free(b);
  }
}

/* ---- edges that are left out ----------------------------------------------------------------- */

static void a_rest_is_skipped_as_it_is_stepped(void **state) {
  (void)state;
  for (uint32_t rest = 1; rest < 40; rest++) {
    struct bench *b = open_bench(shape(3, 7, 2));
    struct loom_mport_alloc_cycle idle = {.head_event = {0}};
    idle.source_ready[0] = idle.target_ready[0] = loom_mask(12);
    idle.source_ready[1] = idle.target_ready[1] = loom_mask(6);
    offer(b, 13, 2, 9, 0);
    cycle(b);
    assert_false(loom_mport_alloc_rests(&b->s, &idle));
    cycles(b, 20);
    assert_true(loom_mport_alloc_rests(&b->s, &idle));
    struct loom_mport_alloc skipped = b->s;
    cycles(b, rest);
    loom_mport_alloc_skip(&skipped, rest);
    b->s = skipped;
    for (uint32_t source = 0; source < b->ends; source++) /* a central unit in the next MPort */
      offer(b, source, source % 7, source < 12 ? source : ((source - 12) / 2 + 1) % 3 * 4, 1);
    cycles(b, 60); /* the model was not told of the skip */
    assert_int_equal(b->heads, b->bookings);
    free(b);
  }
}

/* ---- random traffic -------------------------------------------------------------------------- */

enum { LONGEST = 16, BACK = 40, CAPACITY = 2 };

/* Users that keep to the times that the wait bound speaks of: room for CAPACITY packets of a lane,
 * that comes back within BACK cycles; ports that are busy with a booking for LONGEST. */
struct user {
  struct bench *b;
  uint64_t seed;
  uint32_t used[ENDS][LOOM_VLS], back[ENDS][LOOM_VLS];
  uint32_t source_busy[ENDS], target_busy[ENDS]; /* until this cycle */
  uint32_t longest_wait;
};

/* What shows as booked in the cycle that comes is counted by room two cycles later. */
static void give_back(struct user *u, uint32_t target) {
  struct bench *b = u->b;
  for (uint32_t l = 0; l < b->cfg.LANES; l++)
    if (u->used[target][l] && b->now >= u->back[target][l]) {
      u->used[target][l]--;
      u->back[target][l] = b->now + 1 + loom_below(&u->seed, BACK);
    }
}

static uint64_t room_of(const struct user *u, uint32_t target) {
  uint64_t room = 0;
  for (uint32_t l = 0; l < loom_min(u->b->cfg.LANES, LOOM_VLS); l++)
    room |= (uint64_t)(u->used[target][l] < CAPACITY) << l;
  return room;
}

static void take_bookings(struct user *u) {
  struct bench *b = u->b;
  for (uint32_t t = 0; t < b->ends; t++) {
    if (!b->out.book[t])
      continue;
    uint32_t l = (uint32_t)b->out.book_vl[t],
             source = source_of(b, t, (uint32_t)b->out.book_source[t]);
    if (!u->used[t][l]++)
      u->back[t][l] = b->now + loom_below(&u->seed, BACK);
    u->source_busy[source] = u->target_busy[t] = b->now + loom_below(&u->seed, LONGEST);
  }
}

/* A target of the source: a popular one, if it has that and luck. */
static uint32_t somewhere(struct user *u, uint32_t source, uint32_t hot) {
  struct bench *b = u->b;
  if (loom_chance(&u->seed, hot) && number_of(b, source, 1) != NONE)
    return 1;
  if (loom_chance(&u->seed, hot) && number_of(b, source, b->ends - 1) != NONE)
    return b->ends - 1;
  for (;;) {
    uint32_t target = target_of(b, source, loom_below(&u->seed, LOOM_ALLOC_PORTS));
    if (target != NONE)
      return target;
  }
}

/* A cycle in which a lane of each source has a new head with a chance of `load` percent. */
static void user_cycle(struct user *u, uint32_t load, uint32_t hot) {
  struct bench *b = u->b;
  for (uint32_t p = 0; p < b->ends; p++) {
    b->in.source_ready[p] = b->now >= u->source_busy[p];
    b->in.target_ready[p] = b->now >= u->target_busy[p];
    give_back(u, p);
    b->in.room[p] = room_of(u, p);
    uint32_t lanes = lanes_of(&b->cfg, p), lane = loom_below(&u->seed, lanes);
    if (loom_chance(&u->seed, load) && !b->head[p][lane].there)
      offer(b, p, lane, somewhere(u, p, hot),
            loom_chance(&u->seed, 50) ? lane % b->cfg.LANES : loom_below(&u->seed, b->cfg.LANES));
    for (uint32_t l = 0; l < lanes; l++)
      if (b->head[p][l].there)
        u->longest_wait = loom_max(u->longest_wait, b->now - b->head[p][l].since);
  }
  cycle(b);
  take_bookings(u);
}

/* The longest wait by the page, with the sources of an output for PORTS and the lanes of a central
 * unit for LANES. */
static uint32_t wait_bound(const struct loom_mport_alloc_cfg *c) {
  uint32_t r = BACK + 8, t = LONGEST + 1, ports = 4 + 2 * c->MPORTS;
  uint32_t lanes = c->QUEUES * c->LANES;
  uint32_t due = c->PATIENCE * (t + r + lanes + 8) + (ports + 1) * (t + 8) + r;
  return lanes * ports * (due + ports + lanes + 8);
}

/* Traffic of changing load, then silence. */
static void run_user(struct loom_mport_alloc_cfg cfg, uint64_t seed, uint32_t most) {
  struct user *u = calloc(1, sizeof *u);
  assert_non_null(u);
  u->b = open_bench(cfg);
  u->seed = seed;
  struct bench *b = u->b;
  while (b->now < most) {
    uint32_t load = loom_below(&u->seed, 3) * 45 + 1, hot = loom_below(&u->seed, 4) * 25;
    for (uint32_t c = loom_below(&u->seed, 400); c; c--)
      user_cycle(u, load, hot);
  }
  assert_true(b->bookings > most / 10);
  for (uint32_t c = 0; c < 10 * most && b->heads > b->bookings; c++)
    user_cycle(u, 0, 0);
  assert_int_equal(b->heads, b->bookings); /* the judge saw that none was doubled */
  assert_true(u->longest_wait <= wait_bound(&cfg));
  free(b);
  free(u);
}

static void traffic_loses_and_doubles_no_head(void **state) {
  (void)state;
  const struct loom_mport_alloc_cfg size[] = {
      {.MPORTS = 2, .LANES = 1, .QUEUES = 2, .INFO_W = 1, .PATIENCE = 1},
      {.MPORTS = 2, .LANES = 9, .QUEUES = 2, .INFO_W = 34, .PATIENCE = 32},
      {.MPORTS = 3, .LANES = 2, .QUEUES = 2, .INFO_W = 7, .PATIENCE = 5},
      {.MPORTS = 4, .LANES = 4, .QUEUES = 1, .INFO_W = 34, .PATIENCE = 2},
      {.MPORTS = 7, .LANES = 5, .QUEUES = 2, .INFO_W = 34, .PATIENCE = 7},
  };
  for (uint32_t i = 0; i < sizeof size / sizeof size[0]; i++)
    for (uint64_t seed = 0; seed < 3; seed++)
      run_user(size[i], seed, 6000);
}

static void the_largest_allocator_loses_and_doubles_no_head(void **state) {
  (void)state;
  for (uint32_t queues = 1; queues <= 2; queues++)
    run_user(
        (struct loom_mport_alloc_cfg){
            .MPORTS = 12, .LANES = 32 / queues, .QUEUES = queues, .INFO_W = 48, .PATIENCE = 3},
        7, 3000);
}

static void mport_alloc_refuses_parameters_out_of_range(void **state) {
  (void)state;
  struct loom_mport_alloc_cfg cfg;
  loom_mport_alloc_defaults(&cfg);
  assert_true(loom_mport_alloc_cfg_ok(&cfg));
  const struct {
    uint32_t *value, bad;
    const char *name;
  } param[] = {{&cfg.MPORTS, 1, "MPORTS"},     {&cfg.MPORTS, 13, "MPORTS"},
               {&cfg.LANES, 0, "LANES"},       {&cfg.LANES, 33, "LANES"},
               {&cfg.QUEUES, 0, "QUEUES"},     {&cfg.QUEUES, 3, "QUEUES"},
               {&cfg.INFO_W, 0, "INFO_W"},     {&cfg.INFO_W, 49, "INFO_W"},
               {&cfg.PATIENCE, 0, "PATIENCE"}, {&cfg.PATIENCE, 256, "PATIENCE"}};
  for (uint32_t i = 0; i < sizeof param / sizeof param[0]; i++) {
    uint32_t good = *param[i].value;
    *param[i].value = param[i].bad;
    assert_false(loom_mport_alloc_cfg_ok(&cfg));
    assert_string_equal(loom_mport_alloc_bad_param(&cfg), param[i].name);
    *param[i].value = good;
  }
  cfg.QUEUES = 2; /* the number of a queue has five bits */
  cfg.LANES = 16;
  assert_true(loom_mport_alloc_cfg_ok(&cfg));
  cfg.LANES = 17;
  assert_false(loom_mport_alloc_cfg_ok(&cfg));
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_source_reaches_each_target_that_it_knows_in_five_cycles),
      cmocka_unit_test(a_target_knows_exactly_the_sources_that_know_it),
      cmocka_unit_test(both_ends_of_an_offer_find_each_other),
      cmocka_unit_test(a_head_for_an_output_of_its_own_mport_is_not_heard),
      cmocka_unit_test(a_target_grants_its_sources_in_the_order_of_their_numbers),
      cmocka_unit_test(what_is_held_for_an_input_or_a_central_unit_refuses_all_others),
      cmocka_unit_test(a_hold_stops_nothing_but_its_lane),
      cmocka_unit_test(a_rest_is_skipped_as_it_is_stepped),
      cmocka_unit_test(traffic_loses_and_doubles_no_head),
      cmocka_unit_test(the_largest_allocator_loses_and_doubles_no_head),
      cmocka_unit_test(mport_alloc_refuses_parameters_out_of_range),
  };
  return UNIT_RUN("mport_alloc", tests, NULL, NULL);
}

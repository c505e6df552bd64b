/* SPDX-License-Identifier: Apache-2.0 */
/* test_fair_queueing.c - the twin of fair_queueing against docs/fair_queueing.md, and against the
 * algorithm as it was published
 */
#include "sched/fair_queueing.h"

enum {
  PRICE = LOOM_FAIR_REG_PRICE,
  NOW = LOOM_FAIR_REG_NOW,
  APART = 7,
  SETTLES = 6,
  STAMP_BITS = 27
};

#define READY_DUT fair_queueing
#include "tb/unit/sched/ready_bench.h"

/* ---- the algorithm --------------------------------------------------------------------------- */

/* Golestani: the packet at the head has its stamp from the moment it is there, from the last stamp
 * of its flow or that of the packet that was sent last. VL k has the packets of key k. */
struct published {
  uint64_t price[LOOM_KEYS], finish[LOOM_KEYS], stamp[LOOM_KEYS], now;
  bool stamped[LOOM_KEYS];
};

static void published_heads(struct published *p, const struct bench *b) {
  for (uint32_t v = 0; v < b->cfg.VLS; v++) {
    if (!(b->sim.told >> v & 1) || p->stamped[v])
      continue;
    uint64_t from = p->finish[v] > p->now ? p->finish[v] : p->now;
    p->stamp[v] = p->finish[v] = from + p->price[v] * b->sim.flow[v].head;
    p->stamped[v] = true;
  }
}

static int published_next(struct published *p, uint32_t vls) {
  int best = NO_GRANT;
  for (uint32_t v = 0; v < vls; v++)
    if (p->stamped[v] && (best == NO_GRANT || p->stamp[v] < p->stamp[best]))
      best = (int)v;
  if (best == NO_GRANT)
    return best;
  p->stamped[best] = false;
  p->now = p->stamp[best] > p->now ? p->stamp[best] : p->now;
  return best;
}

/* Scenes in which nothing changes before each grant; stamps go round several times, and flows are
 * away for as long as that. */
static void the_order_of_grants_is_that_of_the_published_algorithm(void **state) {
  (void)state;
  static const uint32_t most[] = {1, 4, 40, 255};
  for (uint32_t scene = 0; scene < 16; scene++) {
    struct bench b;
    struct published p = {0};
    start(&b, (struct options){.vls = 9, .keys = 9, .mgmt_vl = 32, .by_vl = 1});
    b.sim.random = scene;
    bool far = scene % 4 == 1;
    uint32_t largest = far ? 255 : most[ready_sim_below(&b.sim, 4)];
    uint32_t rare = 2 + ready_sim_below(&b.sim, 400);
    uint32_t size = scene % 2 ? 1023 : 1 + ready_sim_below(&b.sim, 64);
    for (uint32_t k = 0; k < 9; k++) {
      p.price[k] = far ? 255 : 1 + ready_sim_below(&b.sim, largest);
      ready_sim_write(&b.sim, PRICE + k, (uint32_t)p.price[k]);
    }
    for (uint32_t n = 0; n < (far ? 12000u : 2000u); n++) {
      for (uint32_t v = 0; v < 9; v++)
        if (!b.sim.flow[v].left && ready_sim_below(&b.sim, v < 3 ? 2 : rare) == 0) {
          ready_sim_queue(&b.sim, v, 0, size, 1 + ready_sim_below(&b.sim, 4));
          b.sim.flow[v].any_size = true;
        }
      b.sim.blocked = UINT32_MAX; /* nothing is ready before every head has its stamp */
      settle(&b);
      published_heads(&p, &b);
      b.sim.blocked = 0;
      assert_int_equal(b.sim.told ? ready_sim_next(&b.sim) : NO_GRANT, published_next(&p, 9));
    }
    assert_true(!far || p.now >> STAMP_BITS > 2);
  }
}

/* All keys always have packets: units by price, whatever the lengths, at any time. */
static void backlogs_share_by_their_prices_whatever_the_lengths(void **state) {
  (void)state;
  enum { FLOWS = 5 };
  for (uint32_t scene = 0; scene < 12; scene++) {
    struct bench b;
    uint64_t price[FLOWS], longest[FLOWS];
    start(&b, (struct options){.vls = 9, .mgmt_vl = 8, .stay = 8});
    b.sim.random = scene;
    b.sim.late = 3;
    for (uint32_t v = 0; v < FLOWS; v++) {
      longest[v] = 1 + ready_sim_below(&b.sim, scene < 6 ? 4 : 64);
      price[v] = 1 + ready_sim_below(&b.sim, scene % 3 ? 40 : 255);
      ready_sim_write(&b.sim, PRICE + v, (uint32_t)price[v]);
      ready_sim_queue(&b.sim, v, v, (uint32_t)longest[v], ENDLESS);
      b.sim.flow[v].any_size = scene & 1;
    }
    for (uint32_t n = 0; n < 4000; n++) {
      assert_true(ready_sim_next(&b.sim) != NO_GRANT);
      for (uint32_t v = 1; v < FLOWS; v++) {
        int64_t a = (int64_t)(b.sim.flow[0].sent * price[0]);
        int64_t c = (int64_t)(b.sim.flow[v].sent * price[v]);
        int64_t least = (int64_t)(price[0] * longest[0] + price[v] * longest[v]);
        assert_true(a - c <= least && c - a <= least);
      }
    }
  }
}

static void prices_6_3_2_give_units_1_2_3(void **state) {
  (void)state;
  expect_shares_1_2_3((const uint32_t[]){6, 3, 2});
}

/* Another key sends less than the head costs and a largest packet of its own. */
static void the_wait_of_a_packet_is_bounded(void **state) {
  (void)state;
  for (uint32_t price = 1; price <= 33; price += 8) {
    struct bench b;
    start(&b, (struct options){.stay = 8});
    ready_sim_write(&b.sim, PRICE + 0, price);
    for (uint32_t v = 1; v < 4; v++) {
      ready_sim_write(&b.sim, PRICE + v, 4 * v);
      ready_sim_queue(&b.sim, v, v, 16, ENDLESS);
      b.sim.flow[v].any_size = true;
    }
    for (uint32_t n = 0; n < 40; n++) {
      uint64_t before[4];
      ready_sim_queue(&b.sim, 0, 0, 32, 1);
      settle(&b);
      for (uint32_t v = 1; v < 4; v++)
        before[v] = b.sim.flow[v].sent;
      while (ready_sim_next(&b.sim) != 0)
        ;
      for (uint32_t v = 1; v < 4; v++)
        assert_true((b.sim.flow[v].sent - before[v]) * 4 * v <= 32 * price + 16 * 4 * v);
    }
  }
}

/* The VLs of one key share what it gets. */
static void the_vls_of_a_key_share_its_price(void **state) {
  (void)state;
  struct bench b;
  start(&b, (struct options){.stay = 8});
  ready_sim_write(&b.sim, PRICE + 4, 2);
  ready_sim_write(&b.sim, PRICE + 9, 4);
  for (uint32_t v = 0; v < 3; v++)
    ready_sim_queue(&b.sim, v, v < 2 ? 4 : 9, 1, ENDLESS);
  for (uint32_t n = 0; n < 3000; n++)
    ready_sim_next(&b.sim);
  for (uint32_t v = 0; v < 3; v++)
    assert_in_range(b.sim.flow[v].sent, 999, 1001);
}

/* A head that was passed by for long goes first, and its key gets nothing for that. */
static void what_fell_behind_goes_first_once(void **state) {
  (void)state;
  struct bench b;
  start(&b, (struct options){.stay = 8});
  for (uint32_t v = 0; v < 2; v++)
    ready_sim_queue(&b.sim, v, v, 1000, ENDLESS);
  ready_sim_write(&b.sim, PRICE + 0, 255);
  ready_sim_write(&b.sim, PRICE + 1, 255);
  ready_sim_queue(&b.sim, 2, 2, 1, ENDLESS);
  ready_sim_write(&b.sim, PRICE + 2, 255);
  settle(&b);
  b.sim.blocked = 4;
  for (uint32_t n = 0; n < 3000; n++) /* stamps go round more than four times */
    assert_in_range(ready_sim_next(&b.sim), 0, 1);
  b.sim.blocked = 0;
  settle(&b);
  ready_sim_expect(&b.sim, "2");
  uint64_t sent = b.sim.flow[2].sent;
  ready_sim_next(&b.sim);
  while (b.sim.flow[2].sent - sent < 3000)
    assert_true(ready_sim_next(&b.sim) != NO_GRANT);
  for (uint32_t v = 0; v < 2; v++)
    assert_true(b.sim.flow[v].sent >= 1502000);
}

/* ---- times ----------------------------------------------------------------------------------- */

/* Packets of one unit, which the stamp of a held VL is for, and longer ones, which take more than
 * 12 cycles on the link. */
static void a_backlog_of_held_vls_is_granted_at_full_pace(void **state) {
  (void)state;
  for (uint32_t n = 0; n < 8; n++) {
    struct bench b;
    uint32_t size = 1 + n % 2;
    start(&b, (struct options){.stay = 8});
    for (uint32_t v = 0; v <= n / 2; v++)
      ready_sim_queue(&b.sim, v, v, size, ENDLESS);
    settle(&b);
    ready_sim_next(&b.sim);
    for (uint32_t i = 0; i < 40; i++) {
      uint64_t last = b.sim.granted_at;
      assert_true(ready_sim_next(&b.sim) != NO_GRANT);
      assert_in_range(b.sim.granted_at - last, APART, size == 1 ? APART : 12);
    }
  }
}

static void a_lone_vl_with_longer_packets_is_granted_each_12_cycles(void **state) {
  (void)state;
  struct bench b;
  start(&b, (struct options){.stay = 8});
  ready_sim_queue(&b.sim, 0, 0, 2, ENDLESS);
  settle(&b);
  ready_sim_next(&b.sim);
  for (uint32_t n = 0; n < 40; n++) {
    uint64_t last = b.sim.granted_at;
    assert_int_equal(ready_sim_next(&b.sim), 0);
    assert_int_equal(b.sim.granted_at - last, 12);
  }
}

static void an_idle_output_grants_11_cycles_after_the_head_event(void **state) {
  (void)state;
  struct bench b;
  start(&b, (struct options){0});
  for (uint32_t i = 0; i < 20; i++)
    assert_int_equal(ready_sim_cycle(&b.sim, true), NO_GRANT);
  ready_sim_queue(&b.sim, 3, 5, 7, 1);
  uint64_t head = b.sim.cycle;
  assert_int_equal(ready_sim_next(&b.sim), 3);
  assert_int_equal(b.sim.granted_at - head, 11);
}

static void a_head_with_a_stamp_goes_7_cycles_after_its_ready_bit(void **state) {
  (void)state;
  struct bench b;
  start(&b, (struct options){0});
  ready_sim_queue(&b.sim, 3, 5, 7, 1);
  b.sim.blocked = 8;
  settle(&b);
  b.sim.blocked = 0;
  uint64_t ready = b.sim.cycle;
  assert_int_equal(ready_sim_next(&b.sim), 3);
  assert_int_equal(b.sim.granted_at - ready, 7);
}

/* A VL that is away is waited for while its next packet could have the smallest stamp. */
static void a_held_vl_is_waited_for_if_it_may_come_next(void **state) {
  (void)state;
  for (uint32_t stay = 0; stay <= 8; stay += 8) {
    struct bench b;
    start(&b, (struct options){.stay = stay});
    for (uint32_t v = 0; v < 2; v++) {
      ready_sim_write(&b.sim, PRICE + v, v ? 3 : 1);
      ready_sim_queue(&b.sim, v, v, 1, ENDLESS);
    }
    b.sim.late = 6;
    settle(&b);
    ready_sim_expect(&b.sim, stay ? "000100010001" : "01010");
  }
}

static void management_packets_go_first_and_cost_nothing(void **state) {
  (void)state;
  struct bench b;
  start(&b, (struct options){.vls = 4, .mgmt_vl = 3});
  ready_sim_queue(&b.sim, 0, 0, 1, ENDLESS);
  ready_sim_write(&b.sim, PRICE + 1, 2);
  ready_sim_queue(&b.sim, 1, 1, 1, ENDLESS);
  ready_sim_queue(&b.sim, 3, 0, 9, 3);
  settle(&b);
  for (uint32_t n = 0; n < 3; n++) {
    assert_int_equal(ready_sim_next(&b.sim), 3);
    settle(&b);
  }
  assert_int_equal(ready_sim_read(&b.sim, NOW), 0);
  for (uint32_t n = 0; n < 6; n++) {
    assert_int_equal(ready_sim_next(&b.sim), n % 3 == 2);
    settle(&b);
  }
  assert_int_equal(ready_sim_read(&b.sim, NOW), 4);
}

/* ---- table accesses -------------------------------------------------------------------------- */

static void prices_read_as_they_were_written_and_0_as_1(void **state) {
  (void)state;
  struct bench b;
  start(&b, (struct options){.keys = 20});
  for (uint32_t a = 0; a < 1024; a++) {
    assert_int_equal(ready_sim_read(&b.sim, PRICE + a), a < 20);
    ready_sim_write(&b.sim, a, 0xABCD0000 + a * 37 % 256);
  }
  for (uint32_t a = 0; a < 1024; a++)
    assert_int_equal(ready_sim_read(&b.sim, PRICE + a), a == 0 ? 1 : a < 20 ? a * 37 % 256 : 0);
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_order_of_grants_is_that_of_the_published_algorithm),
      cmocka_unit_test(backlogs_share_by_their_prices_whatever_the_lengths),
      cmocka_unit_test(prices_6_3_2_give_units_1_2_3),
      cmocka_unit_test(the_wait_of_a_packet_is_bounded),
      cmocka_unit_test(the_vls_of_a_key_share_its_price),
      cmocka_unit_test(what_fell_behind_goes_first_once),
      cmocka_unit_test(a_backlog_of_held_vls_is_granted_at_full_pace),
      cmocka_unit_test(a_lone_vl_with_longer_packets_is_granted_each_12_cycles),
      cmocka_unit_test(an_idle_output_grants_11_cycles_after_the_head_event),
      cmocka_unit_test(a_head_with_a_stamp_goes_7_cycles_after_its_ready_bit),
      cmocka_unit_test(a_held_vl_is_waited_for_if_it_may_come_next),
      cmocka_unit_test(management_packets_go_first_and_cost_nothing),
      cmocka_unit_test(a_head_without_a_size_or_a_key_never_goes),
      cmocka_unit_test(prices_read_as_they_were_written_and_0_as_1),
      cmocka_unit_test(memories_are_swept_after_reset),
      cmocka_unit_test(writes_hold_no_grant_up),
      cmocka_unit_test(parameters_that_do_not_fit_are_refused)};
  return UNIT_RUN("fair_queueing", tests, NULL, NULL);
}

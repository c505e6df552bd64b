/* SPDX-License-Identifier: Apache-2.0 */
/* test_deficit_round_robin.c - the twin of deficit_round_robin against docs/turns.md, and against
 * the algorithm as it was published
 */
#include "sched/deficit_round_robin.h"

#include <stdlib.h>

enum { QUANTUM = LOOM_DRR_REG_QUANTUM, APART = 7, SETTLES = 1 };

#define READY_DUT deficit_round_robin
#include "tb/unit/sched/ready_bench.h"

/* ---- the algorithm --------------------------------------------------------------------------- */

/* Shreedhar and Varghese: the keys with packets, one after the other, each with its quantum. A turn
 * goes on until its next packet does not fit, or there is none, which is known when the next packet
 * is chosen. VL k has the packets of key k. */
struct published {
  uint32_t keys, quantum[LOOM_KEYS], deficit[LOOM_KEYS], turn;
  bool in_turn;
};

/* The key of the next packet; `size` is that of each head, 0 where there is none. */
static int published_next(struct published *p, const uint32_t *size) {
  uint32_t some = 0;
  for (uint32_t k = 0; k < p->keys; k++)
    some += size[k] > 0;
  while (some) {
    uint32_t k = p->turn;
    if (p->in_turn && size[k] && size[k] <= p->deficit[k]) {
      p->deficit[k] -= size[k];
      return (int)k;
    }
    if (p->in_turn && !size[k])
      p->deficit[k] = 0;
    do
      p->turn = (p->turn + 1) % p->keys;
    while (!size[p->turn]);
    p->in_turn = true;
    p->deficit[p->turn] += p->quantum[p->turn];
  }
  return NO_GRANT;
}

static void heads(const struct bench *b, uint32_t *size) {
  for (uint32_t v = 0; v < b->cfg.VLS; v++)
    size[v] = b->sim.told >> v & ~b->sim.blocked >> v & 1 ? b->sim.flow[v].head : 0;
}

/* Scenes in which nothing changes before each grant. */
static void the_order_of_grants_is_that_of_the_published_algorithm(void **state) {
  (void)state;
  static const uint32_t most[] = {1, 4, 40, 255};
  for (uint32_t scene = 0; scene < 60; scene++) {
    struct bench b;
    struct published p = {.keys = 9, .turn = 8};
    start(&b, (struct options){.vls = 9, .keys = 9, .mgmt_vl = 32, .by_vl = 1});
    b.sim.random = scene;
    uint32_t largest = most[ready_sim_below(&b.sim, 4)];
    for (uint32_t k = 0; k < 9; k++) {
      p.quantum[k] = 1 + ready_sim_below(&b.sim, largest);
      ready_sim_write(&b.sim, QUANTUM + k, p.quantum[k]);
    }
    for (uint32_t n = 0; n < 300; n++) {
      uint32_t size[LOOM_VLS];
      for (uint32_t v = 0; v < 9; v++)
        if (!b.sim.flow[v].left && ready_sim_below(&b.sim, 3)) {
          ready_sim_queue(&b.sim, v, 0, 1 + ready_sim_below(&b.sim, 64),
                          1 + ready_sim_below(&b.sim, 4));
          b.sim.flow[v].any_size = true;
        }
      b.sim.blocked = UINT32_MAX; /* nothing is ready before every head is told */
      settle(&b);
      b.sim.blocked = ready_sim_below(&b.sim, 4) ? 0 : ready_sim_below(&b.sim, 512);
      heads(&b, size);
      assert_int_equal(ready_sim_next(&b.sim), published_next(&p, size));
    }
  }
}

/* All keys always have packets: units by quantum, whatever the lengths, at any time. */
static void backlogs_share_by_their_quanta_whatever_the_lengths(void **state) {
  (void)state;
  enum { FLOWS = 5 };
  for (uint32_t scene = 0; scene < 12; scene++) {
    struct bench b;
    uint32_t quantum[FLOWS], longest = 0;
    start(&b, (struct options){.vls = 9, .mgmt_vl = 8, .stay = 8});
    b.sim.random = scene;
    b.sim.late = 3;
    for (uint32_t v = 0; v < FLOWS; v++) {
      ready_sim_queue(&b.sim, v, v, 1 + ready_sim_below(&b.sim, scene < 6 ? 4 : 64), ENDLESS);
      b.sim.flow[v].any_size = scene & 1;
      longest = b.sim.flow[v].size > longest ? b.sim.flow[v].size : longest;
      quantum[v] = 1 + ready_sim_below(&b.sim, scene % 3 ? 40 : 255);
      ready_sim_write(&b.sim, QUANTUM + v, quantum[v]);
    }
    for (uint32_t n = 0; n < 4000; n++) {
      assert_true(ready_sim_next(&b.sim) != NO_GRANT);
      for (uint32_t v = 1; v < FLOWS; v++) {
        double a = (double)b.sim.flow[0].sent / quantum[0];
        double c = (double)b.sim.flow[v].sent / quantum[v];
        double most = 1 + (double)longest / quantum[0] + (double)longest / quantum[v];
        assert_true(a - c <= most && c - a <= most);
      }
    }
    /* After whole rounds: less than a packet beside the sum of the quanta. */
    uint64_t rounds = (b.sim.flow[0].sent + quantum[0] - 1) / quantum[0];
    for (uint32_t v = 1; v < FLOWS; v++)
      assert_true(llabs((long long)b.sim.flow[v].sent - (long long)(rounds * quantum[v])) <
                  (long long)(longest + (1 + longest / quantum[0] + 1) * quantum[v]));
  }
}

static void quanta_1_2_3_give_units_1_2_3(void **state) {
  (void)state;
  expect_shares_1_2_3((const uint32_t[]){7, 14, 21});
}

/* A key is served in its turn ceil(n / q) at the latest; others send less than a quantum and a
 * largest packet in each. */
static void the_wait_of_a_packet_is_bounded(void **state) {
  (void)state;
  for (uint32_t q = 1; q <= 33; q += 8) {
    struct bench b;
    start(&b, (struct options){.stay = 8});
    ready_sim_write(&b.sim, QUANTUM + 0, q);
    for (uint32_t v = 1; v < 4; v++) {
      ready_sim_write(&b.sim, QUANTUM + v, 16 * v);
      ready_sim_queue(&b.sim, v, v, 16, ENDLESS);
      b.sim.flow[v].any_size = true;
    }
    for (uint32_t n = 0; n < 40; n++) {
      uint64_t before[4], turns = (32 + q - 1) / q;
      ready_sim_queue(&b.sim, 0, 0, 32, 1);
      ready_sim_idle(&b.sim, 4);
      for (uint32_t v = 1; v < 4; v++)
        before[v] = b.sim.flow[v].sent;
      while (ready_sim_next(&b.sim) != 0)
        ;
      for (uint32_t v = 1; v < 4; v++)
        assert_true(b.sim.flow[v].sent - before[v] <= turns * 16 * v + 16);
    }
  }
}

/* The VLs of one key take turns, and have one quantum together. */
static void the_vls_of_a_key_share_its_quantum(void **state) {
  (void)state;
  struct bench b;
  start(&b, (struct options){.stay = 8});
  ready_sim_write(&b.sim, QUANTUM + 4, 4);
  ready_sim_write(&b.sim, QUANTUM + 9, 2);
  for (uint32_t v = 0; v < 3; v++)
    ready_sim_queue(&b.sim, v, v < 2 ? 4 : 9, 1, ENDLESS);
  settle(&b);
  ready_sim_expect(&b.sim, "010122010122");
}

static uint32_t deficit(struct bench *b, uint32_t key) {
  return ready_sim_read(&b->sim, QUANTUM + key) >> 16;
}

static void what_does_not_fit_is_saved_and_what_has_no_packet_is_lost(void **state) {
  (void)state;
  struct bench b;
  start(&b, (struct options){0});
  ready_sim_write(&b.sim, QUANTUM + 0, 5);
  ready_sim_write(&b.sim, QUANTUM + 1, 5);
  ready_sim_queue(&b.sim, 0, 0, 3, ENDLESS);
  ready_sim_queue(&b.sim, 1, 1, 3, 1);
  settle(&b);
  ready_sim_expect(&b.sim, "0");
  settle(&b); /* 3 does not fit in 2: the turn passes on before anybody asks */
  assert_int_equal(deficit(&b, 0), 2);
  ready_sim_expect(&b.sim, "1");
  settle(&b);
  assert_int_equal(deficit(&b, 1), 2); /* not known yet that no packet follows */
  ready_sim_expect(&b.sim, "0");
  settle(&b);
  assert_int_equal(deficit(&b, 1), 0);
  assert_int_equal(deficit(&b, 0), 4);
}

/* ---- times ----------------------------------------------------------------------------------- */

static void a_backlog_of_held_vls_is_granted_at_full_pace(void **state) {
  (void)state;
  for (uint32_t vls = 1; vls < 5; vls++) {
    struct bench b;
    start(&b, (struct options){.stay = 8});
    for (uint32_t v = 0; v < vls; v++)
      ready_sim_queue(&b.sim, v, v, 16, ENDLESS); /* four a turn */
    settle(&b);
    ready_sim_next(&b.sim);
    for (uint32_t n = 0; n < 40; n++) {
      uint64_t last = b.sim.granted_at;
      assert_true(ready_sim_next(&b.sim) != NO_GRANT);
      assert_int_equal(b.sim.granted_at - last, APART);
    }
  }
}

static void an_idle_output_grants_8_cycles_after_the_ready_bit_and_7_more_a_pass(void **state) {
  (void)state;
  static const uint32_t quanta[] = {7, 4, 1};
  for (uint32_t n = 0; n < 3; n++) {
    struct bench b;
    uint32_t quantum = quanta[n];
    start(&b, (struct options){0});
    ready_sim_write(&b.sim, QUANTUM + 5, quantum);
    for (uint32_t i = 0; i < 20; i++)
      assert_int_equal(ready_sim_cycle(&b.sim, true), NO_GRANT);
    ready_sim_queue(&b.sim, 3, 5, 7, 1);
    ready_sim_cycle(&b.sim, true); /* the head event */
    uint64_t ready = b.sim.cycle;
    assert_int_equal(ready_sim_next(&b.sim), 3);
    assert_int_equal(b.sim.granted_at - ready, 8 + APART * ((7 + quantum - 1) / quantum - 1));
  }
}

static void a_held_vl_that_comes_next_goes_2_cycles_after_its_ready_bit(void **state) {
  (void)state;
  struct bench b;
  start(&b, (struct options){.stay = 8});
  ready_sim_queue(&b.sim, 3, 5, 7, ENDLESS);
  settle(&b);
  b.sim.late = 6; /* head event in g + 7, ready in g + 8 */
  ready_sim_next(&b.sim);
  uint64_t ready = b.sim.granted_at + 8;
  assert_int_equal(ready_sim_next(&b.sim), 3);
  assert_int_equal(b.sim.granted_at - ready, 2);
}

/* While its turn is open a VL that is away is waited for, STAY_CYCLES long. */
static void an_open_turn_waits_for_a_held_vl_and_no_longer(void **state) {
  (void)state;
  for (uint32_t stay = 0; stay <= 8; stay += 8) {
    struct bench b;
    start(&b, (struct options){.stay = stay});
    for (uint32_t v = 0; v < 2; v++) {
      ready_sim_write(&b.sim, QUANTUM + v, 3);
      ready_sim_queue(&b.sim, v, v, 1, ENDLESS);
    }
    b.sim.late = 6;
    settle(&b);
    ready_sim_expect(&b.sim, stay ? "000111000111" : "0101");
  }
  struct bench b;
  start(&b, (struct options){.stay = 8});
  for (uint32_t v = 0; v < 2; v++)
    ready_sim_queue(&b.sim, v, v, 1, 1); /* no packet follows */
  settle(&b);
  ready_sim_expect(&b.sim, "0");
  uint64_t first = b.sim.granted_at;
  ready_sim_expect(&b.sim, "1");
  assert_true(b.sim.granted_at - first > 8 && b.sim.granted_at - first <= APART + 8 + 10);
}

static void management_packets_go_first_and_count_nowhere(void **state) {
  (void)state;
  struct bench b;
  start(&b, (struct options){.vls = 4, .mgmt_vl = 3});
  ready_sim_write(&b.sim, QUANTUM + 0, 2);
  ready_sim_write(&b.sim, QUANTUM + 1, 1);
  ready_sim_queue(&b.sim, 0, 0, 1, ENDLESS);
  ready_sim_queue(&b.sim, 1, 1, 1, ENDLESS);
  ready_sim_queue(&b.sim, 3, 0, 9, 3);
  settle(&b);
  for (uint32_t n = 0; n < 9; n++) {
    int vl = ready_sim_next(&b.sim);
    settle(&b);
    assert_int_equal(vl, n < 3 ? 3 : n % 3 == 2);
  }
}

/* ---- table accesses -------------------------------------------------------------------------- */

static void quanta_read_as_they_were_written_and_0_as_1(void **state) {
  (void)state;
  struct bench b;
  start(&b, (struct options){.keys = 20});
  assert_int_equal(ready_sim_read(&b.sim, QUANTUM + 7), 64);
  for (uint32_t a = 0; a < 1024; a++)
    ready_sim_write(&b.sim, a, 0xABCD0000 + a * 37 % 256);
  for (uint32_t a = 0; a < 1024; a++)
    assert_int_equal(ready_sim_read(&b.sim, QUANTUM + a), a == 0 ? 1 : a < 20 ? a * 37 % 256 : 0);
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_order_of_grants_is_that_of_the_published_algorithm),
      cmocka_unit_test(backlogs_share_by_their_quanta_whatever_the_lengths),
      cmocka_unit_test(quanta_1_2_3_give_units_1_2_3),
      cmocka_unit_test(the_wait_of_a_packet_is_bounded),
      cmocka_unit_test(the_vls_of_a_key_share_its_quantum),
      cmocka_unit_test(what_does_not_fit_is_saved_and_what_has_no_packet_is_lost),
      cmocka_unit_test(a_backlog_of_held_vls_is_granted_at_full_pace),
      cmocka_unit_test(an_idle_output_grants_8_cycles_after_the_ready_bit_and_7_more_a_pass),
      cmocka_unit_test(a_held_vl_that_comes_next_goes_2_cycles_after_its_ready_bit),
      cmocka_unit_test(an_open_turn_waits_for_a_held_vl_and_no_longer),
      cmocka_unit_test(management_packets_go_first_and_count_nowhere),
      cmocka_unit_test(a_head_without_a_size_or_a_key_never_goes),
      cmocka_unit_test(quanta_read_as_they_were_written_and_0_as_1),
      cmocka_unit_test(memories_are_swept_after_reset),
      cmocka_unit_test(writes_hold_no_grant_up),
      cmocka_unit_test(parameters_that_do_not_fit_are_refused)};
  return UNIT_RUN("deficit_round_robin", tests, NULL, NULL);
}

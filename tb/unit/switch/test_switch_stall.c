/* SPDX-License-Identifier: Apache-2.0 */
/* test_switch_stall.c - how long a crossing of a switch may wait for flits that still come, against
 * what docs/switch.md says
 */
#include "tb/unit/unit.h"

#include <stdio.h>

#include "tb/unit/switch_bench.h"

/* Room for packets of 32 units on two lanes. */
#define LONG                                                                                       \
  "PORTS=8 MPORTS=2 VLS=2 SCHED=0 LIDS=128 MTU_UNITS=32 CELLS_IN=128 CELLS_CENTRAL=128 "           \
  "CELLS_OUT=128 REMOTE_UNITS=128 RESERVED_IN=32 RESERVED_CENTRAL=32 RESERVED_OUT=32 "             \
  "REMOTE_RESERVED=32"
enum { LONGEST = 256, NO_BOUND = 4095 };

static struct loom_switch *core_of(struct switch_bench *b) {
  return b->kind == IB ? &b->ib->core : &b->opa->core;
}

static uint32_t rate_of(const struct switch_bench *b) {
  return b->kind == IB ? b->ib_cfg.SPEEDUP : b->opa_cfg.MPORT_SPEEDUP;
}

/* Cycles in which a packet is read that is there: words of at most `rate` flits end where a cell
 * ends. */
static uint32_t cycles_to_read(uint32_t rate, uint32_t len) {
  uint32_t n = 0;
  for (uint32_t place = 0; place < len; n++) {
    uint32_t word = rate;
    while (word > UNIT - place % UNIT || word > len - place)
      word--;
    place += word;
  }
  return n;
}

/* Flits after the head that come before the record goes to routing. */
static uint32_t wait_of(const struct switch_bench *b, uint32_t len) {
  uint32_t d_in = param(b, "ROUTING_CYCLES") - 2 + param(b, "BUFFER_CYCLES") - 2 +
                  param(b, "ALLOCATION_CYCLES") - 1;
  int64_t wait =
      (int64_t)len - cycles_to_read(rate_of(b), len) - d_in - 2 - (int64_t)param(b, "STALL_CYCLES");
  return wait > 0 ? (uint32_t)wait : 0;
}

/* ---- watching the readers -------------------------------------------------------------------- */

struct watch {
  uint32_t busy[PORTS_MAX]; /* cycles that the reader of the input has spent on its packet */
  uint32_t packets, most;   /* read so far; most cycles that one of them stalled */
};

/* One cycle; a reader that was granted takes in it. */
static void watched_cycle(struct switch_bench *b, struct watch *w) {
  cycle(b);
  struct loom_switch *s = core_of(b);
  for (uint32_t p = 0; p < b->ports; p++) {
    if (b->probe.granted >> p & 1)
      assert_int_equal(w->busy[p], 0);
    else if (!w->busy[p])
      continue;
    w->busy[p]++;
    if (loom_switch_reader(s, LOOM_SWITCH_IN, p)->active)
      continue;
    uint32_t least = cycles_to_read(rate_of(b), s->buffer[LOOM_SWITCH_IN][p].now.len);
    assert_true(w->busy[p] >= least);
    w->most = loom_max(w->most, w->busy[p] - least);
    w->packets++;
    w->busy[p] = 0;
  }
}

static void watch_all(struct switch_bench *b, struct watch *w) {
  for (uint32_t quiet = 0; quiet < 2000; quiet++) {
    uint32_t before = b->delivered;
    watched_cycle(b, w);
    if (b->delivered != before)
      quiet = 0;
  }
  assert_int_equal(w->packets, b->packets - 1);
  drain(b);
}

/* A packet from port 1, alone, and the cycles that it stalls. */
static uint32_t stalls_alone(struct switch_bench *b, uint32_t out, uint32_t len) {
  struct watch w = {.packets = 0};
  uint32_t n = post(b, 1, 0, 0, out, len);
  while (!b->packet[n].tail)
    watched_cycle(b, &w);
  assert_int_equal(w.packets, 1);
  cycles(b, 12);
  return w.most;
}

/* ---- the bound ------------------------------------------------------------------------------- */

/* A switch with stages and rates drawn by lot. */
static struct switch_bench *random_bench(enum switch_kind kind, uint64_t *seed, uint32_t stall) {
  char params[800];
  bool small = loom_chance(seed, 60);
  snprintf(params, sizeof params,
           LONG " ROUTING_CYCLES=%u BUFFER_CYCLES=%u ALLOCATION_CYCLES=%u SPEEDUP=%u "
                "MPORT_SPEEDUP=%u CENTRAL_SPEEDUP=%u STALL_CYCLES=%u",
           2 + loom_below(seed, small ? 3 : 63), 2 + loom_below(seed, small ? 2 : 63),
           1 + loom_below(seed, small ? 2 : 64), 1 + loom_below(seed, 2), 1 + loom_below(seed, 4),
           1 + loom_below(seed, 4), stall);
  return open_bench(kind, params);
}

/* OP-08: on links without gaps no reader waits longer than STALL_CYCLES, whatever the lengths, the
 * stages, the rates and the traffic. */
static void a_crossing_stalls_no_longer_than_it_may(void **state) {
  (void)state;
  uint64_t seed = 8;
  for (uint32_t i = 0; i < 80; i++) {
    uint32_t stall = i % 4 < 2 ? 0 : loom_below(&seed, 40);
    struct switch_bench *b = random_bench(i % 2 ? OPA : IB, &seed, stall);
    struct watch w = {.packets = 0};
    for (uint32_t n = 0; n < 12; n++)
      for (uint32_t p = 0; p < b->ports; p++) {
        uint32_t longest = loom_chance(&seed, 50) ? 24 : LONGEST;
        uint32_t vl = loom_chance(&seed, 70) ? 0 : 15;
        post(b, p, vl, vl, loom_below(&seed, b->ports + 1), 1 + loom_below(&seed, longest));
      }
    watch_all(b, &w);
    if (w.most > stall)
      fail_msg("run %u: a crossing stalled for %u cycles, %u allowed", i, w.most, stall);
    close_bench(b);
  }
}

/* OP-08, OP-14: a packet alone waits for just as many flits as the page says, and stalls for all
 * the cycles that it may if it waits at all: one flit less would be too few. */
static void a_packet_alone_waits_no_longer_than_it_must(void **state) {
  (void)state;
  uint64_t seed = 14;
  for (uint32_t i = 0; i < 80; i++) {
    struct switch_bench *b =
        random_bench(i % 2 ? OPA : IB, &seed, i % 4 < 2 ? 0 : loom_below(&seed, 40));
    for (uint32_t k = 0; k < 8; k++) {
      uint32_t len = 1 + loom_below(&seed, k % 2 ? LONGEST : 40), out = k % 3 ? 2 : 7;
      uint32_t wait = wait_of(b, len);
      expect_latency(b, 1, out, len, latency(b, 1, out) + wait);
      uint32_t stalls = stalls_alone(b, out, len);
      if (wait)
        assert_int_equal(stalls, param(b, "STALL_CYCLES"));
      else
        assert_true(stalls <= param(b, "STALL_CYCLES"));
    }
    drain(b);
    close_bench(b);
  }
}

/* A record that goes one flit too early is found. */
static void a_margin_too_small_by_one_makes_a_crossing_stall(void **state) {
  (void)state;
  static const uint32_t stalls[] = {0, 5};
  for (enum switch_kind kind = IB; kind <= OPA; kind++)
    for (uint32_t i = 0; i < 2; i++) {
      char params[800];
      snprintf(params, sizeof params, LONG " SPEEDUP=2 STALL_CYCLES=%u", stalls[i]);
      struct switch_bench *b = open_bench(kind, params);
      assert_int_equal(stalls_alone(b, 2, 100), stalls[i]);
      core_of(b)->lead++;
      assert_int_equal(stalls_alone(b, 2, 100), stalls[i] + 1);
      close_bench(b);
    }
}

/* ---- what does not change -------------------------------------------------------------------- */

static void post_some(struct switch_bench *b, uint64_t seed) {
  for (uint32_t n = 0; n < 20; n++)
    for (uint32_t p = 0; p < b->ports; p++)
      post(b, p, 0, 0, loom_below(&seed, b->ports), 1 + loom_below(&seed, LONGEST));
  drain(b);
}

/* A path that is no faster than the link never waits, and no bound is as good as the largest. */
static void a_path_as_slow_as_the_link_lets_records_go_at_once(void **state) {
  (void)state;
  for (enum switch_kind kind = IB; kind <= OPA; kind++)
    for (uint32_t rate = 1; rate <= 2; rate++) {
      uint64_t trace[2] = {0};
      for (uint32_t i = 0; i < 2; i++) {
        char params[800];
        uint32_t stall = i ? NO_BOUND : rate == 1 ? 0 : LONGEST;
        snprintf(params, sizeof params, LONG " SPEEDUP=%u MPORT_SPEEDUP=%u STALL_CYCLES=%u", rate,
                 rate, stall);
        struct switch_bench *b = open_bench(kind, params);
        post_some(b, rate);
        for (uint32_t p = 0; p < b->ports; p++)
          trace[i] = loom_scramble(trace[i] ^ b->trace[p]);
        close_bench(b);
      }
      assert_true(trace[0] == trace[1]);
    }
}

/* OP-08: with gaps in packets, with units that come back late, with packets that go nowhere and
 * such as have no lane, all others come out. */
static void nothing_is_lost_while_records_wait(void **state) {
  (void)state;
  uint64_t seed = 21;
  for (uint32_t i = 0; i < 24; i++) {
    struct switch_bench *b = random_bench(i % 2 ? OPA : IB, &seed, loom_below(&seed, 6));
    b->pause = i % 3 * 30;
    b->credits = i % 5 ? 100 : 40;
    for (uint32_t n = 0; n < 12; n++)
      for (uint32_t p = 0; p < b->ports; p++)
        post(b, p, loom_chance(&seed, 90) ? 0 : 7, 0, loom_below(&seed, b->ports + 2),
             1 + loom_below(&seed, LONGEST + 8));
    drain(b);
    check_counters(b);
    close_bench(b);
  }
}

/* What comes late is only the flits: the head in its cycle, and the record with the flit for which
 * it waits, however long that takes. */
static void a_record_goes_with_the_flit_that_it_waits_for(void **state) {
  (void)state;
  enum { LEN = 40 };
  struct switch_bench *b = open_bench(IB, LONG " SPEEDUP=2 STALL_CYCLES=0");
  uint32_t wait = wait_of(b, LEN);
  b->careless = 1 << 1; /* the flits are put on the link by hand */
  assert_int_equal(wait, LEN - LEN / 2 - 2);
  for (uint32_t place = 0; place < LEN; place++) {
    raw_flit(b, 1, 0, place == 0, place + 1 == LEN, place ? place : raw_head(0, LEN, 99));
    cycle(b);
    bool gone = false; /* LID 99 is unknown: the trap shows where the record is */
    for (uint32_t c = 0; c < 8; c++) {
      gone |= b->out.trap;
      cycle(b);
    }
    assert_int_equal(gone || b->out.trap, place >= wait);
  }
  close_bench(b);
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_crossing_stalls_no_longer_than_it_may),
      cmocka_unit_test(a_packet_alone_waits_no_longer_than_it_must),
      cmocka_unit_test(a_margin_too_small_by_one_makes_a_crossing_stall),
      cmocka_unit_test(a_path_as_slow_as_the_link_lets_records_go_at_once),
      cmocka_unit_test(nothing_is_lost_while_records_wait),
      cmocka_unit_test(a_record_goes_with_the_flit_that_it_waits_for),
  };
  return UNIT_RUN("switch_stall", tests, NULL, NULL);
}

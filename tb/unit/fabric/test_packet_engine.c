/* SPDX-License-Identifier: Apache-2.0 */
/* test_packet_engine.c - a crossbar_switch that follows packets beside one that is stepped flit by
 * flit: both show the same in every cycle (docs/packet_engine.md) */
#include "tb/unit/unit.h"

#include <stdlib.h>
#include <string.h>

#include "fabric/crossbar_class.h"
#include "switch/chassis_state.h"
#include "tb/unit/switch/crossbar_bench.h"

enum { RUNS = 40, PACKETS = 300, CYCLES = 3000 };

static uint32_t below(uint64_t *seed, uint32_t n) { return (uint32_t)loom_below(seed, n); }

static uint32_t between(uint64_t *seed, uint32_t low, uint32_t high) {
  return low + below(seed, high - low + 1);
}

static struct loom_crossbar_switch_cfg random_shape(uint64_t *seed) {
  struct loom_crossbar_switch_cfg cfg = shape();
  cfg.PORTS = between(seed, 2, 8);
  cfg.VLS = between(seed, 2, 9);
  cfg.SPEEDUP = between(seed, 1, 2);
  cfg.SCHED = below(seed, 4);
  cfg.MTU_UNITS = between(seed, 1, 12);
  cfg.CELLS_IN = between(seed, 1, 6) * cfg.MTU_UNITS * cfg.VLS + 16;
  cfg.CELLS_OUT = between(seed, 1, 4) * cfg.MTU_UNITS * cfg.VLS + 16;
  cfg.REMOTE_UNITS = between(seed, 1, 4) * cfg.MTU_UNITS * cfg.VLS + 16;
  cfg.RESERVED_OUT = cfg.REMOTE_RESERVED = cfg.MTU_UNITS;
  if (below(seed, 4) == 0)
    cfg.IN_DELAY = below(seed, 20);
  if (below(seed, 4) == 0)
    cfg.OUT_DELAY = below(seed, 20);
  if (below(seed, 4) == 0)
    cfg.STALL_CYCLES = below(seed, 30);
  if (below(seed, 4) == 0)
    cfg.GROUPS = between(seed, 1, 8);
  return cfg;
}

/* A register is read or written that changes nothing of the way of packets. */
static void access_register(struct bench *b, uint64_t *seed) {
  static const uint32_t ports[] = {LOOM_SWITCH_WIN_IN_FLITS, LOOM_SWITCH_WIN_OUT_PACKETS,
                                   LOOM_SWITCH_WIN_SL_FLITS, LOOM_SWITCH_WIN_TABLE,
                                   LOOM_SWITCH_WIN_DROPPED_LID};
  uint32_t port = below(seed, b->cfg.PORTS);
  b->in.reg_re = 1;
  b->in.reg_addr = below(seed, 4) ? port_reg(port, ports[below(seed, 5)] + below(seed, 2))
                                  : LOOM_SWITCH_REG_TRAP;
  cycle(b);
}

/* A port sends nothing for a while. */
static void hold(struct bench *b, uint64_t *seed) {
  uint32_t port = below(seed, b->cfg.PORTS);
  write_reg(b, port_reg(port, LOOM_SWITCH_WIN_HOLD), 1);
  cycles(b, (int)below(seed, 300));
  write_reg(b, port_reg(port, LOOM_SWITCH_WIN_HOLD), 0);
}

/* One more packet, to nowhere now and then, on its way. */
static void post_one(struct bench *b, uint64_t *seed) {
  const struct loom_crossbar_switch_cfg *cfg = &b->cfg;
  uint32_t lane = below(seed, cfg->VLS), most = cfg->MTU_UNITS * UNIT;
  uint32_t len = between(seed, 1, below(seed, 2) ? most : UNIT);
  uint32_t dest = below(seed, 50) ? below(seed, cfg->PORTS) : cfg->PORTS + 1;
  post(b, below(seed, cfg->PORTS), vl_of(b, lane), lane % 4, dest, len);
}

/* Traffic that comes and goes, on links with gaps, to receivers that stop. */
static void trouble(struct bench *b, uint64_t *seed) {
  for (uint32_t i = 0; i < PACKETS; i++) {
    post_one(b, seed);
    if (below(seed, 3) == 0)
      cycles(b, (int)below(seed, 200));
    if (below(seed, 10) == 0)
      access_register(b, seed);
    if (below(seed, 40) == 0)
      hold(b, seed);
    if (below(seed, 40) == 0) {
      struct receiver *r = &b->receiver[below(seed, b->cfg.PORTS)];
      r->stopped = !r->stopped;
    }
  }
  for (uint32_t port = 0; port < b->cfg.PORTS; port++)
    b->receiver[port].stopped = false;
}

static void run(uint64_t seed) {
  const struct loom_crossbar_switch_cfg cfg = random_shape(&seed);
  struct bench *b = open_packets(&cfg);
  b->pause = below(&seed, 4) == 0 ? between(&seed, 1, 30) : 0;
  b->seed = seed;
  trouble(b, &seed);
  expect_came(b, PACKETS);
  close_bench(b);
}

static void random_switches_show_the_same(void **state) {
  (void)state;
  for (uint64_t seed = 1; seed <= RUNS; seed++)
    run(seed);
}

/* One cycle of links on which nobody keeps to anything: heads of any VL and length, also while a
 * packet is open, flags that are wrong, credits for nothing. */
static void anything(struct bench *b, uint32_t left[], uint64_t *seed) {
  for (uint32_t port = 0; port < b->cfg.PORTS; port++) {
    bool head = left[port] ? below(seed, 200) == 0 : below(seed, 30) == 0;
    if (below(seed, 8) == 0) {
      b->in.out_cr_valid[port] = 1;
      b->in.out_cr_vl[port] = below(seed, 10) ? below(seed, b->cfg.VLS) : VL_MGMT;
    }
    if ((!head && !left[port]) || below(seed, 40) == 0)
      continue;
    const struct packet p = {.sl = below(seed, 4),
                             .dest = below(seed, b->cfg.PORTS + 1),
                             .len = below(seed, b->cfg.MTU_UNITS * UNIT + 9)};
    bool begins = head && !left[port];
    left[port] = begins ? loom_max(p.len, 1) - 1 : left[port] - 1;
    b->in.in_valid[port] = 1;
    b->in.in_head[port] = head;
    b->in.in_tail[port] = !left[port] != (below(seed, 100) == 0);
    b->in.in_vl[port] = below(seed, 8) ? below(seed, b->cfg.VLS) : below(seed, LANES);
    b->in.in_data[port] = head ? head_flit(&p, below(seed, 99)) : loom_random(seed);
  }
}

static void links_may_bring_anything(void **state) {
  (void)state;
  for (uint64_t n = 1; n <= RUNS; n++) {
    uint64_t seed = n;
    uint32_t left[PORTS] = {0};
    const struct loom_crossbar_switch_cfg cfg = random_shape(&seed);
    struct bench *b = open_packets(&cfg);
    for (uint32_t c = 0; c < CYCLES; c++) {
      if (c % 1000 < 800)
        anything(b, left, &seed);
      loom_crossbar_switch_step(b->s, &b->in, &b->out);
      step_restless(b);
      memset(&b->in, 0, sizeof b->in);
    }
    close_bench(b);
  }
}

/* Moves the credit of port 1 that is due next by a cycle. */
static void delay_credit(struct loom_crossbar_switch *s) {
  struct loom_chassis_packets *p = s->chassis.packets;
  uint64_t now = s->chassis.now;
  p->input_free[now % LOOM_CHASSIS_AHEAD] = 0;
  p->input_free[(now + 1) % LOOM_CHASSIS_AHEAD] |= 1 << 1;
  p->port[1].input_frees++;
}

/* A fault that is planted: a freed unit of an input comes to its link a cycle late. */
static void a_credit_in_another_cycle_is_found(void **state) {
  (void)state;
  struct loom_crossbar_switch_cfg cfg = shape();
  struct bench *b = open_packets(&cfg);
  post(b, 1, 2, 2, 3, cfg.MTU_UNITS * UNIT);
  b->tolerant = true;
  while (!b->s->chassis.packets->input_free[b->now % LOOM_CHASSIS_AHEAD])
    cycle(b);
  delay_credit(b->s);
  assert_int_equal(b->differences, 0);
  cycles(b, 200);
  assert_int_not_equal(b->differences, 0);
  close_bench(b);
}

/* The same in a fabric, where both are side by side. */
static void a_pair_says_where_it_differs_first(void **state) {
  (void)state;
  const struct loom_crossbar_switch_cfg cfg = shape();
  struct loom_fabric *f = loom_fabric_create(&(struct loom_fabric_cfg){1, 1, 1, 1});
  struct loom_crossbar_device *pair = loom_crossbar_pair_new(f, &cfg);
  const struct loom_fabric_class *class = &loom_crossbar_pair_class;
  const struct packet p = {.dest = 3, .len = 64};
  struct loom_fabric_arrival *in =
      calloc(1, sizeof *in + LOOM_FABRIC_PORTS * sizeof(struct loom_link_in));
  assert_non_null(in);
  struct loom_crossbar_switch *s = loom_crossbar_pair_packets(pair);
  uint64_t planted = 0;
  const struct loom_fabric_show show = {f, loom_fabric_add(f, class, pair)};
  class->write(pair, LOOM_SWITCH_REG_LFT + 3, 3);
  class->write(pair, LOOM_SWITCH_REG_LFT_COUNT, 4);
  class->write(pair, port_reg(LOOM_SWITCH_EVERY, LOOM_SWITCH_WIN_TABLE), entry(0, WEIGHT));
  for (uint32_t c = 0; c < 200; c++) {
    in->valid = c < 64 ? 1 << 1 : 0;
    in->head = c == 0 ? 1 << 1 : 0;
    in->tail = c == 63 ? 1 << 1 : 0;
    in->port[1].data = c ? c : head_flit(&p, 1);
    if (!planted && c && s->chassis.packets->input_free[s->chassis.now % LOOM_CHASSIS_AHEAD]) {
      assert_null(loom_crossbar_pair_difference(pair));
      delay_credit(s);
      planted = c;
    }
    class->step(pair, c, in, &show);
  }
  const struct loom_crossbar_difference *d = loom_crossbar_pair_difference(pair);
  assert_non_null(d);
  assert_string_equal(d->what, "credit");
  assert_int_equal(d->cycle, planted);
  assert_int_equal(d->port, 1);
  free(in);
  loom_fabric_destroy(f);
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(random_switches_show_the_same),
      cmocka_unit_test(links_may_bring_anything),
      cmocka_unit_test(a_credit_in_another_cycle_is_found),
      cmocka_unit_test(a_pair_says_where_it_differs_first),
  };
  return UNIT_RUN("packet_engine", tests, NULL, NULL);
}

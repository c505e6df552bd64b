/* SPDX-License-Identifier: Apache-2.0 */
/* test_packet_engine.c - a crossbar_switch that follows packets beside one that is stepped flit by
 * flit: both show the same in every cycle (docs/packet_engine.md) */
#include "tb/unit/unit.h"

#include <stdlib.h>
#include <string.h>

#include "fabric/crossbar_class.h"
#include "fabric/packets.h"
#include "switch/chassis_state.h"
#include "tb/unit/switch/crossbar_bench.h"

enum { RUNS = 40, PACKETS = 300, CYCLES = 3000, LANE = 2 };

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

/* Both have the same units in use in every store, and are idle at the same time. */
static void expect_used(const struct bench *b) {
  assert_int_equal(b->s->chassis.idle, b->restless->chassis.idle);
  for (uint32_t port = 0; port < b->cfg.PORTS; port++)
    for (uint32_t output = 0; output < 2; output++)
      assert_int_equal(loom_chassis_used(&b->s->chassis, port, output, 0),
                       loom_chassis_used(&b->restless->chassis, port, output, 0));
}

static void links_may_bring_anything(void **state) {
  (void)state;
  for (uint64_t n = 1; n <= RUNS; n++) {
    uint64_t seed = n;
    uint32_t left[PORTS] = {0};
    const struct loom_crossbar_switch_cfg cfg = random_shape(&seed);
    struct bench *b = open_packets(&cfg);
    write_reg(b, LOOM_SWITCH_REG_MTU + (uint32_t)n % cfg.VLS, 1 + (uint32_t)n % cfg.MTU_UNITS);
    for (uint32_t c = 0; c < CYCLES; c++) {
      if (c % 1000 < 800) {
        anything(b, left, &seed);
      } else if (c % 1000 >= 900) {
        b->in.reg_re = 1;
        b->in.reg_addr = port_reg(c % cfg.PORTS, LOOM_SWITCH_WIN_LINK_ERRORS);
      }
      loom_crossbar_switch_step(b->s, &b->in, &b->out);
      step_restless(b);
      expect_used(b);
      memset(&b->in, 0, sizeof b->in);
    }
    close_bench(b);
  }
}

/* A pause lasts until something is due, however far ahead that is. */
static void a_pause_ends_with_what_is_due_next(void **state) {
  (void)state;
  struct loom_crossbar_switch_cfg cfg = shape();
  struct bench *b = open_packets(&cfg);
  struct loom_chassis_packets *p = b->s->chassis.packets;
  cycles(b, LOOM_CHASSIS_AHEAD);
  for (uint64_t ahead = 1; ahead < LOOM_CHASSIS_AHEAD; ahead++) {
    memset(p->events, 0, sizeof p->events);
    loom_set_include(p->events, (uint32_t)((b->s->chassis.now + ahead) % LOOM_CHASSIS_AHEAD));
    assert_int_equal(loom_crossbar_switch_spare(b->s), ahead);
  }
  close_bench(b);
}

/* Moves the credit of port 1 that is due in cycle `now` by one. */
static void delay_credit(struct loom_crossbar_switch *s, uint64_t now) {
  struct loom_chassis_packets *p = s->chassis.packets;
  p->input_free[now % LOOM_CHASSIS_AHEAD] = 0;
  p->input_free[(now + 1) % LOOM_CHASSIS_AHEAD] |= 1 << 1;
  p->input_frees[1]++;
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
  delay_credit(b->s, b->s->chassis.now);
  assert_int_equal(b->differences, 0);
  cycles(b, 200);
  assert_int_not_equal(b->differences, 0);
  close_bench(b);
}

/* What trackers that are ahead of their time are to show after this cycle comes a cycle later. */
static void delay_turns(struct loom_crossbar_switch *s) {
  struct loom_chassis_packets *p = s->chassis.packets;
  uint64_t now = s->chassis.now, ports = p->far_turn[now % LOOM_CHASSIS_AHEAD];
  for (uint64_t left = ports; left; left &= left - 1) {
    struct loom_room_late *late = &p->port[loom_ctz(left)].far;
    if (late->turns && late->turn[0].at == now)
      late->turn[0].at++;
  }
  p->far_turn[now % LOOM_CHASSIS_AHEAD] = 0;
  p->far_turn[(now + 1) % LOOM_CHASSIS_AHEAD] |= ports;
}

static void a_verdict_in_another_cycle_is_found(void **state) {
  (void)state;
  struct loom_crossbar_switch_cfg cfg = shape();
  struct bench *b = open_packets(&cfg);
  b->tolerant = true;
  for (uint32_t i = 0; i < PACKETS; i++)
    post(b, i % 2, 2, 2, 3, UNIT);
  for (uint32_t c = 0; c < CYCLES; c++) {
    delay_turns(b->s);
    cycle(b);
  }
  assert_int_not_equal(b->differences, 0);
  close_bench(b);
}

/* What a pair is told of a packet of 64 flits from port 1 to port 3. */
struct pair_bench {
  struct loom_fabric *fabric;
  struct loom_crossbar_device *pair;
  struct loom_crossbar_switch *packets; /* the one that follows packets */
  uint32_t packet;                      /* in the fabric; 0: its words come with its flits */
  uint64_t planted;                     /* in this cycle; 0: not yet */
};

static void open_pair(struct pair_bench *b, bool streams) {
  const struct loom_crossbar_switch_cfg cfg = shape();
  const struct loom_fabric_class *class = &loom_crossbar_pair_class;
  const struct packet p = {.sl = LANE, .dest = 3, .len = 64};
  memset(b, 0, sizeof *b);
  b->fabric = loom_fabric_create(&(struct loom_fabric_cfg){2, 1, 1, 1});
  b->pair = loom_crossbar_pair_new(b->fabric, &cfg);
  b->packets = loom_crossbar_pair_packets(b->pair);
  assert_true(b->packets->chassis.packets && !b->pair->s.chassis.packets);
  loom_fabric_add(b->fabric, class, b->pair);
  loom_fabric_add(b->fabric, class, loom_crossbar_pair_new(b->fabric, &cfg));
  loom_fabric_connect(b->fabric, 0, 3, 1, 3, 1);
  if (streams) {
    loom_fabric_allow_streams(b->fabric);
    b->packet = loom_packets_add(loom_fabric_packets(b->fabric), head_flit(&p, 1), 5, 0);
  }
  class->write(b->pair, LOOM_SWITCH_REG_LFT + 3, 3);
  class->write(b->pair, LOOM_SWITCH_REG_LFT_COUNT, 4);
  class->write(b->pair, port_reg(LOOM_SWITCH_EVERY, LOOM_SWITCH_WIN_TABLE), entry(LANE, WEIGHT));
}

static void bring_flit(const struct pair_bench *b, uint32_t c, struct loom_fabric_arrival *in) {
  const struct packet p = {.sl = LANE, .dest = 3, .len = 64};
  bool stream = b->packet && c > 0 && c < 63;
  in->valid = c < 64 && !stream ? 1 << 1 : 0;
  in->stream = stream ? 1 << 1 : 0;
  in->head = c == 0 ? 1 << 1 : 0;
  in->tail = c == 63 ? 1 << 1 : 0;
  in->port[1].vl = LANE;
  in->port[1].packet = b->packet;
  in->port[1].data = c ? c : head_flit(&p, 1);
}

/* After cycle c, in a pause, too, the one that follows packets has in use what the other has. */
static void expect_used_as(const struct pair_bench *b, uint64_t c) {
  const struct loom_crossbar_device *packets = (const void *)b->packets; /* its first member */
  for (uint32_t output = 0; output < 2; output++)
    assert_int_equal(loom_crossbar_device_used(packets, c + 1, output ? 3 : 1, output),
                     loom_chassis_used(&b->pair->s.chassis, output ? 3 : 1, output, 0));
}

/* Plants a fault in cycle `now` of the switch, if it can. */
typedef bool plant_fault(struct loom_crossbar_switch *s, uint64_t now);

static bool plant_nothing(struct loom_crossbar_switch *s, uint64_t now) {
  (void)s;
  (void)now;
  return false;
}

/* Runs it, with a fault that is planted whenever it can be, until it is found. */
static void run_pair(struct pair_bench *b, plant_fault *plant) {
  struct loom_fabric_arrival *in =
      calloc(1, sizeof *in + LOOM_FABRIC_PORTS * sizeof(struct loom_link_in));
  assert_non_null(in);
  struct loom_fabric_show show = {.fabric = b->fabric};
  uint64_t first = 0; /* cycle of the switch in that of the head */
  for (uint32_t c = 0; c < 200; c++) {
    bring_flit(b, c, in);
    bool can = c && !loom_crossbar_pair_difference(b->pair);
    if (can && plant(b->packets, first + c))
      b->planted = b->planted ? b->planted : c;
    show.now = c;
    loom_crossbar_pair_class.step(b->pair, c, in, &show);
    first = c ? first : b->packets->chassis.now - 1;
    if (plant == plant_nothing)
      expect_used_as(b, c);
  }
  free(in);
}

static void expect_found(plant_fault *plant, bool streams, const char *what, uint32_t port,
                         uint32_t vl) {
  struct pair_bench b;
  open_pair(&b, streams);
  run_pair(&b, plant);
  const struct loom_crossbar_difference *d = loom_crossbar_pair_difference(b.pair);
  assert_int_not_equal(b.planted, 0);
  assert_non_null(d);
  assert_string_equal(d->what, what);
  assert_int_equal(d->port, port);
  assert_int_equal(d->vl, vl);
  assert_true(d->cycle >= b.planted);
  loom_fabric_destroy(b.fabric);
}

static bool plant_credit(struct loom_crossbar_switch *s, uint64_t now) {
  if (!s->chassis.packets->input_free[now % LOOM_CHASSIS_AHEAD])
    return false;
  delay_credit(s, now);
  return true;
}

/* The output that shows a stream has its next edge a cycle late. */
static bool plant_output(struct loom_crossbar_switch *s, uint64_t now) {
  struct loom_chassis_packets *p = s->chassis.packets;
  if (!(p->sending >> 3 & 1) || !s->chassis.port[3].output.store.known || p->output_ends[3] != now)
    return false;
  p->output_ends[3]++;
  p->output_due[now % LOOM_CHASSIS_AHEAD] = 0;
  p->output_due[(now + 1) % LOOM_CHASSIS_AHEAD] |= 1 << 3;
  loom_set_include(p->events, (uint32_t)((now + 1) % LOOM_CHASSIS_AHEAD));
  return true;
}

/* The switch forgets that something is due, and goes on with its pause. */
static bool plant_pause(struct loom_crossbar_switch *s, uint64_t now) {
  (void)now;
  struct loom_chassis_packets *p = s->chassis.packets;
  if (!(p->sending >> 3 & 1))
    return false;
  memset(p->events, 0, sizeof p->events);
  return true;
}

/* Its output sends nothing. */
static bool plant_hold(struct loom_crossbar_switch *s, uint64_t now) {
  (void)now;
  s->chassis.port[3].output.hold = true;
  return true;
}

/* It rests later than the other one. */
static bool plant_rest(struct loom_crossbar_switch *s, uint64_t now) {
  if (!loom_crossbar_switch_sleeps(s))
    return false;
  s->chassis.packets->rests = now + CYCLES;
  return true;
}

/* In a fabric, where both are side by side, on links that carry streams or do not. */
static void a_pair_says_where_it_differs_first(void **state) {
  (void)state;
  for (uint32_t streams = 0; streams < 2; streams++) {
    struct pair_bench b;
    open_pair(&b, streams);
    run_pair(&b, plant_nothing);
    assert_null(loom_crossbar_pair_difference(b.pair));
    loom_fabric_destroy(b.fabric);
    expect_found(plant_credit, streams, "credit", 1, LANE);
    expect_found(plant_hold, streams, "head", 3, LANE);
    expect_found(plant_rest, streams, "rest", 0, 0);
  }
  expect_found(plant_output, true, "tail", 3, LANE);
  expect_found(plant_pause, true, "credit", 1, LANE);
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(random_switches_show_the_same),
      cmocka_unit_test(links_may_bring_anything),
      cmocka_unit_test(a_pause_ends_with_what_is_due_next),
      cmocka_unit_test(a_credit_in_another_cycle_is_found),
      cmocka_unit_test(a_verdict_in_another_cycle_is_found),
      cmocka_unit_test(a_pair_says_where_it_differs_first),
  };
  return UNIT_RUN("packet_engine", tests, NULL, NULL);
}

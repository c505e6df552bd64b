/* SPDX-License-Identifier: Apache-2.0 */
/* test_crossbar_switch.c - the twin of crossbar_switch against what docs/crossbar_switch.md says,
 * without a circuit; test_crossbar_groups.c has what it does with groups of ports */
#include "tb/unit/unit.h"

#include <stdlib.h>
#include <string.h>

#include "parts/credit_tracker.h"
#include "tb/unit/switch/crossbar_bench.h"

/* ---- packets alone --------------------------------------------------------------------------- */

static int latency(uint32_t sched, uint32_t speedup, uint32_t len, uint32_t in_delay,
                   uint32_t out_delay) {
  struct loom_crossbar_switch_cfg cfg = shape();
  cfg.SCHED = sched;
  cfg.SPEEDUP = speedup;
  cfg.IN_DELAY = in_delay;
  cfg.OUT_DELAY = out_delay;
  struct bench *b = open_bench(&cfg);
  cycles(b, 100);
  const struct packet *p = await(b, post(b, 1, 2, 2, 3, len));
  int took = p->came - p->sent;
  until_idle(b);
  close_bench(b);
  return took;
}

static void a_packet_alone_takes_20_cycles(void **state) {
  (void)state;
  for (uint32_t sched = 0; sched <= TWO_TABLE; sched++)
    for (uint32_t speedup = 1; speedup <= 2; speedup++)
      for (uint32_t len = 1; len <= 64; len += 21)
        assert_int_equal(latency(sched, speedup, len, 0, 0), 20);
}

/* A record that waits for its queue joins it when its words are there. */
static void delays_add_to_the_latency(void **state) {
  (void)state;
  assert_int_equal(latency(TWO_TABLE, 2, 3, 7, 0), 20 + 7);
  assert_int_equal(latency(TWO_TABLE, 2, 3, 0, 9), 19 + 9);
  assert_int_equal(latency(DEFICIT_TABLE, 1, 3, 100, 150), 19 + 250);
}

static void every_pair_of_ports_is_joined(void **state) {
  (void)state;
  struct loom_crossbar_switch_cfg cfg = shape();
  cfg.PORTS = 48;
  struct bench *b = open_bench(&cfg);
  for (uint32_t in = 0; in < 48; in++)
    for (uint32_t out = 0; out < 48; out++)
      post(b, in, out % 4 < 3 ? out % 4 : VL_MGMT, out % 4, (in + out) % 48, 1 + (in + out) % 20);
  for (int i = 0; i < PATIENCE && b->came < 48 * 48; i++)
    cycle(b);
  assert_int_equal(b->came, 48 * 48);
  until_idle(b);
  for (uint32_t port = 0; port < 48; port++) {
    uint32_t packets = 0;
    for (uint32_t lane = 0; lane < 4; lane++)
      packets += read_port(b, port, LOOM_SWITCH_WIN_OUT_PACKETS + lane);
    assert_int_equal(packets, 48);
  }
  close_bench(b);
}

/* ---- what does not go on --------------------------------------------------------------------- */

static void a_head_of_a_vl_without_lane_is_refused(void **state) {
  (void)state;
  struct loom_crossbar_switch_cfg cfg = shape();
  struct bench *b = open_bench(&cfg);
  const struct packet p = {.vl = 9, .dest = 3, .len = 1, .src = 2};
  b->in.in_valid[2] = b->in.in_head[2] = b->in.in_tail[2] = 1;
  b->in.in_vl[2] = p.vl;
  b->in.in_data[2] = head_flit(&p, 0);
  cycle(b);
  expect_trap(b, BAD_HEAD, 2, 9, 3);
  assert_int_equal(read_port(b, 2, LOOM_SWITCH_WIN_LINK_ERRORS), 0);
  close_bench(b);
}

static void a_packet_beyond_the_credits_is_refused(void **state) {
  (void)state;
  struct loom_crossbar_switch_cfg cfg = shape();
  cfg.CELLS_IN = 16;
  struct bench *b = open_bench(&cfg);
  write_reg(b, port_reg(LOOM_SWITCH_EVERY, LOOM_SWITCH_WIN_HOLD), 1);
  b->sender[0].careless = true;
  for (uint32_t i = 0; i < 40; i++)
    post(b, 0, 0, 0, 1, 64);
  cycles(b, 64 * 40 + 100);
  uint32_t refused = read_port(b, 0, LOOM_SWITCH_WIN_REFUSED_FULL);
  uint32_t taken = read_port(b, 0, LOOM_SWITCH_WIN_IN_PACKETS);
  /* What the store at the output has for the lane, and that at the input. */
  assert_int_equal(taken, (128 - 3 * 8) / 8 + 16 / 8);
  assert_int_equal(refused, 40 - taken);
  assert_int_equal(read_port(b, 0, LOOM_SWITCH_WIN_IN_FLITS), 64 * taken);
  assert_int_equal(read_reg(b, LOOM_SWITCH_REG_TRAP), trap_word(OVERRUN, 0, 0, 1));
  close_bench(b);
}

static void an_unknown_lid_is_dropped(void **state) {
  (void)state;
  struct loom_crossbar_switch_cfg cfg = shape();
  for (uint32_t lid = 5; lid < 65536; lid *= 7) {
    struct bench *b = open_bench(&cfg);
    post(b, 3, 1, 1, lid, 30);
    expect_trap(b, UNKNOWN, 3, 1, lid);
    until_idle(b);
    assert_int_equal(b->sender[3].used[1], 0); /* its credits came back */
    close_bench(b);
  }
}

static void a_lid_that_leads_nowhere_is_dropped(void **state) {
  (void)state;
  struct loom_crossbar_switch_cfg cfg = shape();
  struct bench *b = open_bench(&cfg);
  write_reg(b, LOOM_SWITCH_REG_LFT + 10, LOOM_SWITCH_NOWHERE);
  write_reg(b, LOOM_SWITCH_REG_LFT_COUNT, 11);
  cycles(b, 10);
  post(b, 0, VL_MGMT, 0, 10, 5);
  expect_trap(b, UNKNOWN, 0, 3, 10);
  close_bench(b);
}

/* What is counted of grants is what the tables can decide: management goes before them. */
static void grants_leave_out_packets_of_management(void **state) {
  (void)state;
  const struct loom_crossbar_switch_cfg cfg = shape();
  struct bench *b = open_bench(&cfg);
  const struct loom_sched_grants *g = &b->s->chassis.port[1].output.grants;
  for (uint32_t n = 0; n < 9; n++)
    post(b, 2, VL_MGMT, 0, 1, 9);
  until_idle(b);
  assert_int_equal(g->all, 0);
  for (uint32_t n = 0; n < 9; n++) {
    post(b, 2, VL_MGMT, 0, 1, 9);
    post(b, 3, 0, 0, 1, 9);
  }
  until_idle(b);
  expect_came(b, 27);
  assert_int_equal(g->all, 9);
  assert_int_equal(g->contended, 0);
  close_bench(b);
}

static void map_all(struct bench *b, uint32_t shift) {
  for (uint32_t out = 0; out < b->cfg.PORTS; out++)
    for (uint32_t sl = 0; sl < 32; sl++)
      write_reg(b, map_reg(LOOM_SWITCH_EVERY, out, sl), (sl + shift) % 3);
  for (uint32_t sl = 0; sl < 32; sl++)
    b->out_vl[sl] = (sl + shift) % 3;
}

static void a_packet_without_vl_is_dropped(void **state) {
  (void)state;
  struct loom_crossbar_switch_cfg cfg = shape();
  for (uint32_t vl = 3; vl <= 15; vl += 6) { /* 3 has no lane, 15 is nobody's */
    struct bench *b = open_bench(&cfg);
    map_all(b, 1);
    write_reg(b, map_reg(2, 1, 7), vl);
    write_reg(b, LOOM_SWITCH_REG_CONTROL, 1);
    b->map_on = true;
    cycles(b, 10);
    post(b, 2, 0, 7, 1, 12);
    expect_trap(b, NO_VL, 2, 0, 1);
    await(b, post(b, 2, 0, 7, 2, 12));
    await(b, post(b, 3, 0, 7, 1, 12));
    close_bench(b);
  }
}

static void a_packet_beyond_the_mtu_is_dropped(void **state) {
  (void)state;
  struct loom_crossbar_switch_cfg cfg = shape();
  struct bench *b = open_bench(&cfg);
  write_reg(b, LOOM_SWITCH_REG_MTU + 1, 3);
  cycles(b, 40);
  assert_int_equal(read_reg(b, LOOM_SWITCH_REG_MTU + 1), 3);
  await(b, post(b, 2, 1, 1, 3, 24));
  await(b, post(b, 2, 2, 1, 3, 64));
  cycles(b, 64); /* the link is free again */
  uint32_t before = read_port(b, 3, LOOM_SWITCH_WIN_OUT_PACKETS + 1);
  post(b, 2, 1, 1, 3, 25);
  expect_trap(b, TOO_LONG, 2, 1, 3);
  assert_int_equal(read_port(b, 3, LOOM_SWITCH_WIN_OUT_PACKETS + 1), before);
  close_bench(b);
}

static void traps_that_nobody_reads_are_lost_and_counted(void **state) {
  (void)state;
  struct loom_crossbar_switch_cfg cfg = shape();
  struct bench *b = open_bench(&cfg);
  for (uint32_t i = 0; i < 100; i++)
    post(b, i % 4, 0, 0, 20 + i, 3);
  cycles(b, 300);
  uint32_t lost = 0, dropped = 0, read = 0;
  for (uint32_t port = 0; port < 4; port++) {
    lost += read_port(b, port, LOOM_SWITCH_WIN_TRAPS_LOST);
    dropped += read_port(b, port, LOOM_SWITCH_WIN_DROPPED_LID);
  }
  assert_int_equal(dropped, 100);
  for (; read_reg(b, LOOM_SWITCH_REG_TRAP); read++)
    ;
  assert_int_equal(lost + read, 100);
  assert_in_range(read, 14 + 4, 16 + 4); /* in the queue and at the ports */
  close_bench(b);
}

/* A port has room for the next trap again in the cycle in which one is moved, two cycles later. */
static void a_port_keeps_a_trap_every_other_cycle(void **state) {
  (void)state;
  struct loom_crossbar_switch_cfg cfg = shape();
  struct bench *b = open_bench(&cfg);
  for (uint32_t i = 0; i < 6; i++)
    post(b, 0, 0, 0, 20, 1);
  cycles(b, 60);
  assert_int_equal(read_reg(b, LOOM_SWITCH_REG_TRAP_COUNT), 3);
  assert_int_equal(read_port(b, 0, LOOM_SWITCH_WIN_TRAPS_LOST), 3);
  close_bench(b);
}

static void link_errors_are_counted(void **state) {
  (void)state;
  struct loom_crossbar_switch_cfg cfg = shape();
  struct bench *b = open_bench(&cfg);
  for (uint32_t i = 0; i < 5; i++) {
    b->in.in_valid[1] = 1; /* no head */
    cycle(b);
  }
  cycles(b, 40);
  assert_int_equal(read_port(b, 1, LOOM_SWITCH_WIN_LINK_ERRORS), 5);
  assert_int_equal(read_port(b, 0, LOOM_SWITCH_WIN_LINK_ERRORS), 0);
  close_bench(b);
}

/* ---- registers ------------------------------------------------------------------------------- */

static void the_first_register_says_what_it_is(void **state) {
  (void)state;
  struct loom_crossbar_switch_cfg cfg = shape();
  struct bench *b = new_bench(&cfg);
  assert_int_equal(read_reg(b, LOOM_SWITCH_REG_ID),
                   loom_device_id(LOOM_DEVICE_ID_CROSSBAR_SWITCH) | 4 << 8 | 4);
  close_bench(b);
}

static void registers_read_what_was_written(void **state) {
  (void)state;
  struct loom_crossbar_switch_cfg cfg = shape();
  struct bench *b = new_bench(&cfg);
  write_reg(b, LOOM_SWITCH_REG_CONTROL, 0xFFFFFFFF);
  write_reg(b, LOOM_SWITCH_REG_LFT_COUNT, 1000);
  write_reg(b, LOOM_SWITCH_REG_LFT + 63, 0xC5);
  write_reg(b, port_reg(2, LOOM_SWITCH_WIN_HOLD), 3);
  write_reg(b, map_reg(1, 3, 31), 0x2E);
  write_reg(b, map_reg(1, 4, 0), 9); /* there is no output 4 */
  write_reg(b, LOOM_SWITCH_REG_MTU + 3, 5);
  cycles(b, 10);
  assert_int_equal(read_reg(b, LOOM_SWITCH_REG_CONTROL), 0x13);
  assert_int_equal(read_reg(b, LOOM_SWITCH_REG_LFT_COUNT), 64);
  assert_int_equal(read_reg(b, LOOM_SWITCH_REG_LFT + 63), 5);
  for (uint32_t port = 0; port < 4; port++) {
    assert_int_equal(read_port(b, port, LOOM_SWITCH_WIN_HOLD), port == 2);
    if (port == 1)
      assert_int_equal(read_reg(b, map_reg(port, 3, 31)), 0xE);
    assert_int_equal(read_reg(b, map_reg(port, 4, 0)), 0);
  }
  for (uint32_t lane = 0; lane < 6; lane++)
    assert_int_equal(read_reg(b, LOOM_SWITCH_REG_MTU + lane), lane == 3 ? 5 : lane < 4 ? 8 : 0);
  write_reg(b, LOOM_SWITCH_REG_LFT_COUNT, 63);
  write_reg(b, LOOM_SWITCH_REG_CONTROL, 0);
  cycles(b, 2);
  assert_int_equal(read_reg(b, LOOM_SWITCH_REG_LFT + 63), 0);
  assert_int_equal(read_reg(b, map_reg(1, 3, 31)), 0);
  close_bench(b);
}

static void each_port_has_a_table_of_its_own(void **state) {
  (void)state;
  for (uint32_t sched = DEFICIT_TABLE; sched <= TWO_TABLE; sched++) {
    struct loom_crossbar_switch_cfg cfg = shape();
    cfg.SCHED = sched;
    struct bench *b = new_bench(&cfg);
    for (uint32_t port = 0; port < 4; port++)
      write_table(b, port, 5, entry(port, 10 + port));
    write_table(b, LOOM_SWITCH_EVERY, 6, entry(1, 99));
    for (uint32_t port = 0; port < 4; port++) {
      assert_int_equal(read_port(b, port, LOOM_SWITCH_WIN_TABLE + 5), entry(port, 10 + port));
      assert_int_equal(read_port(b, port, LOOM_SWITCH_WIN_TABLE + 6), entry(1, 99));
      assert_int_equal(read_port(b, port, LOOM_SWITCH_WIN_TABLE + 7), 0);
    }
    close_bench(b);
  }
}

static void there_can_be_a_read_in_each_cycle(void **state) {
  (void)state;
  struct loom_crossbar_switch_cfg cfg = shape();
  struct bench *b = new_bench(&cfg);
  for (uint32_t port = 0; port < 4; port++)
    write_table(b, port, 0, entry(port, 20 + port));
  for (uint32_t i = 0; i < 100; i++) {
    if (i < 80) {
      b->in.reg_re = 1;
      b->in.reg_addr = i % 5 < 4 ? port_reg(i % 5, LOOM_SWITCH_WIN_TABLE) : LOOM_SWITCH_REG_ID;
    }
    cycle(b);
    uint32_t asked = i - (cfg.PORTS + ANSWERS);
    bool answers = i >= cfg.PORTS + ANSWERS && asked < 80;
    assert_int_equal(b->out.reg_rvalid, answers);
    uint32_t id = loom_device_id(LOOM_DEVICE_ID_CROSSBAR_SWITCH) | 4 << 8 | 4;
    if (answers)
      assert_int_equal(b->out.reg_rdata, asked % 5 < 4 ? entry(asked % 5, 20 + asked % 5) : id);
  }
  close_bench(b);
}

static void an_mtu_is_refused_while_a_packet_is_inside(void **state) {
  (void)state;
  struct loom_crossbar_switch_cfg cfg = shape();
  struct bench *b = open_bench(&cfg);
  write_reg(b, port_reg(LOOM_SWITCH_EVERY, LOOM_SWITCH_WIN_HOLD), 1);
  uint32_t held = post(b, 0, 0, 0, 1, 8);
  cycles(b, 60);
  assert_false(b->probe.idle);
  write_reg(b, LOOM_SWITCH_REG_MTU, 2);
  write_reg(b, LOOM_SWITCH_REG_MTU + 9, 2); /* no lane: not counted */
  assert_int_equal(read_reg(b, LOOM_SWITCH_REG_MTU_IGNORED), 1);
  assert_int_equal(read_reg(b, LOOM_SWITCH_REG_MTU), 8);
  assert_int_equal(b->packet[held].came, NEVER);
  write_reg(b, port_reg(LOOM_SWITCH_EVERY, LOOM_SWITCH_WIN_HOLD), 0);
  await(b, held);
  until_idle(b);
  write_reg(b, LOOM_SWITCH_REG_MTU, 0);
  write_reg(b, LOOM_SWITCH_REG_MTU, 9);
  write_reg(b, LOOM_SWITCH_REG_MTU, 2);
  cycles(b, 2);
  assert_int_equal(read_reg(b, LOOM_SWITCH_REG_MTU_IGNORED), 3);
  assert_int_equal(read_reg(b, LOOM_SWITCH_REG_MTU), 2);
  close_bench(b);
}

static void limits_of_both_ends_bound_what_goes(void **state) {
  (void)state;
  struct loom_crossbar_switch_cfg cfg = shape();
  struct bench *b = open_bench(&cfg);
  write_reg(b, port_reg(1, LOOM_SWITCH_WIN_HOLD), 1);
  cycles(b, 10);
  write_reg(b, port_reg(1, LOOM_SWITCH_WIN_TRACKER_FAR + LOOM_TRACKER_REG_CAP), 3);
  write_reg(b, port_reg(1, LOOM_SWITCH_WIN_TRACKER_OUT + LOOM_TRACKER_REG_CAP), 16);
  cycles(b, 100);
  write_reg(b, port_reg(1, LOOM_SWITCH_WIN_HOLD), 0);
  b->receiver[1].stopped = true;
  for (uint32_t i = 0; i < 40; i++)
    post(b, 0, 0, 0, 1, 8);
  cycles(b, 2000);
  assert_int_equal(b->came, 3);
  /* The largest packet has 8 units, so there is room for it with up to 8 of 16 in use. */
  assert_int_equal(b->s->chassis.port[1].output.store.total, 9);
  b->receiver[1].stopped = false;
  for (int i = 0; i < PATIENCE && b->came < 40; i++)
    cycle(b);
  assert_int_equal(b->came, 40);
  close_bench(b);
}

static void counters_tell_flits_and_packets_by_lane_and_sl(void **state) {
  (void)state;
  struct loom_crossbar_switch_cfg cfg = shape();
  struct bench *b = open_bench(&cfg);
  map_all(b, 2);
  write_reg(b, LOOM_SWITCH_REG_CONTROL, 1);
  b->map_on = true;
  cycles(b, 10);
  uint32_t in[4] = {0}, out[4] = {0}, by_sl[16] = {0}, packets[16] = {0};
  for (uint32_t i = 0; i < 200; i++) {
    uint32_t vl = i % 3, sl = i % 16, len = 1 + i * 7 % 40;
    post(b, 2, vl, sl, 3, len);
    in[vl] += len;
    out[b->out_vl[sl]] += len;
    by_sl[sl] += len;
    packets[sl]++;
  }
  for (int i = 0; i < PATIENCE && b->came < 200; i++)
    cycle(b);
  until_idle(b);
  for (uint32_t lane = 0; lane < 4; lane++) {
    assert_int_equal(read_port(b, 2, LOOM_SWITCH_WIN_IN_FLITS + lane), in[lane]);
    assert_int_equal(read_port(b, 3, LOOM_SWITCH_WIN_OUT_FLITS + lane), out[lane]);
  }
  for (uint32_t sl = 0; sl < 16; sl++) {
    assert_int_equal(read_port(b, 3, LOOM_SWITCH_WIN_SL_FLITS + sl), by_sl[sl]);
    assert_int_equal(read_port(b, 3, LOOM_SWITCH_WIN_SL_PACKETS + sl), packets[sl]);
    assert_int_equal(read_port(b, 2, LOOM_SWITCH_WIN_SL_PACKETS + sl), 0);
  }
  close_bench(b);
}

/* ---- many packets ---------------------------------------------------------------------------- */

/* Packets of any length with gaps, to any place, while receivers stop and go: none is lost. */
static void nothing_is_lost_whatever_comes(void **state) {
  (void)state;
  for (uint32_t round = 0; round < 8; round++) {
    struct loom_crossbar_switch_cfg cfg = shape();
    cfg.PORTS = 2 + 3 * round % 7;
    cfg.SPEEDUP = 1 + round % 2;
    cfg.SCHED = round / 2 % 4;
    cfg.STALL_CYCLES = round < 4 ? 4095 : 0;
    cfg.IN_DELAY = round / 3;
    cfg.OUT_DELAY = round % 3 * 4;
    struct bench *b = open_bench(&cfg);
    uint32_t dropped = 0, counted = 0;
    b->seed = round;
    b->pause = 20 * (round % 4);
    for (uint32_t i = 0; i < 2000; i++) {
      uint32_t dest = loom_below(&b->seed, cfg.PORTS + 1), vl = loom_below(&b->seed, 4);
      dropped += dest == cfg.PORTS;
      post(b, loom_below(&b->seed, cfg.PORTS), vl_of(b, vl), loom_below(&b->seed, 4), dest,
           1 + loom_below(&b->seed, loom_chance(&b->seed, 50) ? 64 : 12));
    }
    for (int i = 0; i < 20 * PATIENCE && b->came + dropped < 2000; i++) {
      if (i % 64 == 0)
        b->receiver[loom_below(&b->seed, cfg.PORTS)].stopped = loom_chance(&b->seed, 30);
      cycle(b);
    }
    assert_int_equal(b->came + dropped, 2000);
    for (uint32_t port = 0; port < cfg.PORTS; port++)
      b->receiver[port].stopped = false;
    b->pause = 0;
    until_idle(b);
    for (uint32_t port = 0; port < cfg.PORTS; port++) {
      for (uint32_t lane = 0; lane < 4; lane++)
        assert_int_equal(b->sender[port].used[lane], 0);
      counted += read_port(b, port, LOOM_SWITCH_WIN_DROPPED_LID);
      assert_int_equal(read_port(b, port, LOOM_SWITCH_WIN_FAR_ERRORS), 0);
      assert_int_equal(read_port(b, port, LOOM_SWITCH_WIN_BUFFER_ERRORS), 0);
    }
    assert_int_equal(counted, dropped);
    close_bench(b);
  }
}

/* ---- coordinates in place of a table --------------------------------------------------------- */

/* A node of 3 hosts and 2 dimensions; a switch of 6 nodes, which have 3 hosts each. */
static struct loom_crossbar_switch_cfg kns_shape(uint32_t route) {
  struct loom_crossbar_switch_cfg cfg = shape();
  cfg.ROUTE = route;
  cfg.HOSTS = 3;
  cfg.DIMS = 2;
  cfg.W = 3;
  cfg.PORTS = route == BY_NODE ? 3 + 2 : 6;
  return cfg;
}

/* A write in cycle c is in effect at the end of c + 2; there is none in the two cycles after it. */
static void write_place(struct bench *b, struct place place) {
  assert_true(b->now >= b->place_from);
  bool moves = place.address != b->place.address;
  b->before = b->place;
  b->place = place;
  b->place_from = b->now + 3;
  write_reg(b, moves ? LOOM_KNS_REG_ADDRESS : LOOM_KNS_REG_DIMENSION,
            moves ? place.address : place.dimension);
}

static struct bench *open_place(const struct loom_crossbar_switch_cfg *cfg, struct place place) {
  struct bench *b = open_bench(cfg);
  write_place(b, (struct place){place.address, 0});
  cycles(b, 2);
  write_place(b, place);
  cycles(b, 2);
  return b;
}

/* The bench reckons the output of each one; so many addresses are known. */
static void try_every_address(uint32_t route, struct place place, uint32_t known) {
  struct loom_crossbar_switch_cfg cfg = kns_shape(route);
  struct bench *b = open_place(&cfg, place);
  for (uint32_t dest = 0; dest < ADDRESSES; dest++)
    post(b, (dest ^ dest >> 8) % cfg.PORTS, dest % 3, dest % 3, dest, 1);
  expect_came(b, ADDRESSES);
  assert_int_equal(b->came, known);
  close_bench(b);
}

/* 4 * 64 addresses have the prefix; of those of the node itself the one of host 3 is unknown. */
static void a_node_finds_the_output_of_every_address(void **state) {
  (void)state;
  try_every_address(BY_NODE, (struct place){ON | 0x47A9, 0}, 4 * 64 - 1);
  try_every_address(BY_NODE, (struct place){ON, 0}, 4 * 64 - 1);
}

/* Of 8 coordinates 6 are known, whatever the other coordinate and the host are. */
static void a_switch_finds_the_output_of_every_address(void **state) {
  (void)state;
  try_every_address(BY_SWITCH, (struct place){ON | 0x47A9, 0}, 4 * 6 * 8);
  try_every_address(BY_SWITCH, (struct place){ON | 0xFF00, 1}, 4 * 6 * 8);
}

static void an_unknown_address_is_dropped(void **state) {
  (void)state;
  enum { HERE = 0x4700, X = 1 << 2, Y = 1 << 5 }; /* prefix, places of the two coordinates */
  static const struct {
    uint32_t route, address, dimension, dest;
  } cases[] = {{BY_NODE, ON | HERE | 2 * X | 5 * Y, 0, 0x4600 | 2 * X | 5 * Y},
               {BY_NODE, ON | HERE | 2 * X | 5 * Y, 0, 0xC700 | 2 * X | 5 * Y},
               {BY_NODE, ON | HERE | 2 * X | 5 * Y, 0, HERE | 2 * X | 5 * Y | 3}, /* no host */
               {BY_NODE, HERE | 2 * X | 5 * Y, 0, HERE | 2 * X | 5 * Y},          /* off */
               {BY_SWITCH, ON | HERE, 1, 0x4600 | 1 * Y},
               {BY_SWITCH, ON | HERE, 0, HERE | 6 * X},
               {BY_SWITCH, ON | HERE, 1, HERE | 7 * Y},
               {BY_SWITCH, ON | HERE, 2, HERE | 1 * X | 1 * Y}, /* no dimension */
               {BY_SWITCH, ON | HERE, 3, HERE},
               {BY_SWITCH, HERE, 1, HERE | 1 * Y}};
  for (uint32_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    struct loom_crossbar_switch_cfg cfg = kns_shape(cases[i].route);
    struct bench *b = open_place(&cfg, (struct place){cases[i].address, cases[i].dimension});
    post(b, 3, 1, 1, cases[i].dest, 30);
    expect_trap(b, UNKNOWN, 3, 1, cases[i].dest);
    until_idle(b);
    assert_int_equal(b->sender[3].used[1], 0);
    close_bench(b);
  }
}

static void coordinates_take_as_long_as_a_table(void **state) {
  (void)state;
  for (uint32_t route = BY_NODE; route <= BY_SWITCH; route++) {
    struct loom_crossbar_switch_cfg cfg = kns_shape(route);
    struct bench *b = open_place(&cfg, (struct place){ON, 0});
    cycles(b, 100);
    const struct packet *p = await(b, post(b, 1, 2, 2, 1 << 2, 9));
    assert_int_equal(p->came - p->sent, 20);
    close_bench(b);
  }
}

static void only_coordinates_have_a_place_and_only_tables_an_lft(void **state) {
  (void)state;
  for (uint32_t route = BY_LFT; route <= BY_SWITCH; route++) {
    struct loom_crossbar_switch_cfg cfg = kns_shape(route);
    struct bench *b = new_bench(&cfg);
    expect_kept(b, LOOM_KNS_REG_ADDRESS, route == BY_LFT ? 0 : 0x1FFFF);
    expect_kept(b, LOOM_KNS_REG_DIMENSION, route == BY_SWITCH ? 3 : 0);
    expect_kept(b, LOOM_SWITCH_REG_LFT_COUNT, route == BY_LFT ? cfg.LIDS : 0);
    write_reg(b, LOOM_SWITCH_REG_LFT_COUNT, cfg.LIDS);
    for (uint32_t lid = 0; lid < cfg.LIDS + 2; lid += 5)
      expect_kept(b, LOOM_SWITCH_REG_LFT + lid, route == BY_LFT && lid < cfg.LIDS ? 63 : 0);
    close_bench(b);
  }
}

enum { NEAR = 32 * 256 }; /* of 32 prefixes */

/* At one of so many addresses. */
static struct place some_place(struct bench *b, uint32_t addresses) {
  struct place place = b->place;
  if (b->cfg.ROUTE == BY_SWITCH && loom_chance(&b->seed, 50))
    place.dimension = loom_below(&b->seed, 3);
  else
    place.address = (loom_chance(&b->seed, 90) ? ON : 0u) | loom_below(&b->seed, addresses);
  return place;
}

/* Heads on all links, in every third cycle or so, tell when a write takes effect. Most are unknown,
 * so outputs do not hold them up. */
static void a_place_counts_from_the_third_cycle_after_its_write(void **state) {
  (void)state;
  enum { RUN = 6000 };
  for (uint32_t route = BY_NODE; route <= BY_SWITCH; route++) {
    struct loom_crossbar_switch_cfg cfg = kns_shape(route);
    struct bench *b = open_place(&cfg, (struct place){ON, 0});
    uint32_t posted = 0;
    for (uint32_t i = 0; i < RUN; i++) {
      for (uint32_t port = 0; port < cfg.PORTS; port++)
        for (uint32_t lane = 0; lane < 3; lane++)
          if (!b->sender[port].waits[lane].first) {
            post(b, port, lane, 1, loom_below(&b->seed, NEAR), 1);
            posted++;
          }
      if (i % 4 == 0)
        write_place(b, some_place(b, NEAR));
      else
        cycle(b);
    }
    expect_came(b, posted);
    assert_in_range(posted, RUN, cfg.PORTS * RUN + 3 * cfg.PORTS);
    assert_in_range(b->came, posted / 128, posted / 16);
    close_bench(b);
  }
}

static void a_place_must_fit_its_ports_and_below_the_prefix(void **state) {
  (void)state;
  static const struct {
    uint32_t route, ports, hosts, dims, w;
    bool legal;
  } cases[] = {{BY_NODE, 5, 3, 2, 3, true},    {BY_NODE, 6, 3, 2, 3, false},
               {BY_NODE, 4, 3, 2, 3, false},   {BY_NODE, 2, 1, 1, 1, true},
               {BY_NODE, 12, 8, 4, 3, true},   {BY_NODE, 12, 8, 4, 4, false},
               {BY_SWITCH, 6, 3, 2, 3, true},  {BY_SWITCH, 48, 8, 2, 6, true},
               {BY_SWITCH, 6, 1, 3, 5, true},  {BY_SWITCH, 6, 2, 3, 5, false},
               {BY_SWITCH, 6, 1, 3, 6, false}, {BY_SWITCH, 6, 9, 1, 1, false},
               {BY_SWITCH, 6, 0, 1, 1, false}, {BY_SWITCH, 6, 1, 5, 1, false},
               {BY_SWITCH, 6, 1, 0, 1, false}, {BY_SWITCH, 6, 1, 1, 7, false},
               {BY_SWITCH, 6, 1, 1, 0, false}, {3, 6, 1, 1, 1, false},
               {BY_LFT, 36, 1, 2, 3, true},    {BY_LFT, 36, 2, 3, 5, true},
               {BY_LFT, 36, 8, 4, 6, true},    {BY_LFT, 36, 9, 2, 3, false}};
  for (uint32_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    struct loom_crossbar_switch_cfg cfg;
    loom_crossbar_switch_defaults(&cfg);
    assert_true(loom_crossbar_switch_cfg_ok(&cfg));
    cfg.ROUTE = cases[i].route;
    cfg.PORTS = cases[i].ports;
    cfg.HOSTS = cases[i].hosts;
    cfg.DIMS = cases[i].dims;
    cfg.W = cases[i].w;
    assert_int_equal(loom_crossbar_switch_cfg_ok(&cfg), cases[i].legal);
  }
}

/* ---- rest ------------------------------------------------------------------------------------ */

/* By the LFT in the first rounds; then as in a node, then as in a switch. */
static struct loom_crossbar_switch_cfg rest_shape(uint32_t round) {
  uint32_t route = round < 8 ? BY_LFT : round < 12 ? BY_NODE : BY_SWITCH;
  struct loom_crossbar_switch_cfg cfg = route == BY_LFT ? shape() : kns_shape(route);
  cfg.SPEEDUP = 1 + round % 2;
  cfg.SCHED = round / 2 % 4;
  cfg.OUT_DELAY = round / 4 % 2 * 20;
  return cfg;
}

/* Its place changes now and then; soon if no packet knows its output there. */
static void move(struct bench *b) {
  bool lost = !(b->place.address & ON) || b->place.dimension >= b->cfg.DIMS;
  if (loom_below(&b->seed, lost ? 50 : 1000) == 0 && b->now >= b->place_from)
    write_place(b, some_place(b, 4 * 64));
}

/* A packet, to nowhere as well; or what the switch is told meanwhile. */
static void disturb(struct bench *b, bool posts) {
  uint32_t ports = b->cfg.PORTS, dests = b->cfg.ROUTE == BY_LFT ? ports + 1 : 5 * 64;
  if (posts && loom_below(&b->seed, 90) == 0)
    post(b, loom_below(&b->seed, ports), loom_below(&b->seed, 3), loom_below(&b->seed, 3),
         loom_below(&b->seed, dests), 1 + loom_below(&b->seed, 64));
  if (loom_below(&b->seed, 500) == 0) /* so credits wake units, and are scarce */
    b->receiver[loom_below(&b->seed, ports)].stopped = loom_chance(&b->seed, 70);
  if (loom_below(&b->seed, 1000) == 0)
    write_reg(b, port_reg(loom_below(&b->seed, ports), LOOM_SWITCH_WIN_HOLD),
              loom_chance(&b->seed, 30));
  if (b->cfg.ROUTE != BY_LFT)
    move(b);
}

/* Packets now and then. */
static void a_unit_at_rest_shows_what_it_would(void **state) {
  (void)state;
  for (uint32_t round = 0; round < 16; round++) {
    struct loom_crossbar_switch_cfg cfg = rest_shape(round);
    struct bench *b = open_both(&cfg);
    uint32_t asleep = 0;
    b->seed = round;
    if (cfg.ROUTE != BY_LFT)
      write_place(b, (struct place){ON, 0});
    for (uint32_t i = 0; i < 20000; i++) {
      disturb(b, i % 1000 < 600);
      cycle(b);
      asleep += loom_popcount(b->s->chassis.all & ~b->s->chassis.output_awake);
    }
    assert_in_range(asleep, 5000 * cfg.PORTS, 20000 * cfg.PORTS);
    assert_in_range(b->slept, 1000, 18000); /* also while packets wait for credits */
    assert_in_range(b->came, b->packets / 4, b->packets);
    close_bench(b);
  }
}

/* ---- how much goes through ------------------------------------------------------------------- */

/* Uniform traffic, all lanes with packets at any time, entries of so many units: flits out, of
 * those that the links could carry, in 1/1000. */
static uint32_t draw_share(uint32_t sched, uint32_t speedup, uint32_t len, uint32_t weight,
                           uint32_t seed) {
  struct loom_crossbar_switch_cfg cfg;
  loom_crossbar_switch_defaults(&cfg);
  cfg.PORTS = 8;
  cfg.SCHED = sched;
  cfg.SPEEDUP = speedup;
  cfg.LIDS = 64;
  struct bench *b = open_bench_of(&cfg, weight);
  enum { WARM = 4000, RUN = 12000 };
  b->seed += seed;
  uint64_t flits = 0;
  for (int i = 0; i < WARM + RUN; i++) {
    for (uint32_t port = 0; port < 8; port++)
      for (uint32_t lane = 0; lane < 9; lane++)
        if (!b->sender[port].waits[lane].first)
          post(b, port, vl_of(b, lane), lane, loom_below(&b->seed, 8), len);
    if (i == WARM)
      memset(b->flits, 0, sizeof b->flits);
    cycle(b);
  }
  for (uint32_t port = 0; port < 8; port++)
    flits += b->flits[port];
  close_bench(b);
  return (uint32_t)(1000 * flits / (8 * RUN));
}

/* The mean of some draws: of long packets so few go that the draws differ by some percent. */
static uint32_t share(uint32_t sched, uint32_t speedup, uint32_t len, uint32_t weight) {
  uint32_t draws = len < 64 ? 1 : 8, sum = 0;
  for (uint32_t seed = 0; seed < draws; seed++)
    sum += draw_share(sched, speedup, len, weight, seed);
  return sum / draws;
}

static const uint32_t lengths[] = {4, 8, 16, 64};

/* Lanes with weights of one packet; the least share for each length. */
static void expect_shares(uint32_t sched, uint32_t speedup, const uint32_t *least) {
  for (uint32_t i = 0; i < 4; i++)
    assert_in_range(share(sched, speedup, lengths[i], units(lengths[i])), least[i], 1000);
}

/* Lanes with weights of many. */
static void expect_shares_of_lanes(uint32_t speedup, const uint32_t *least) {
  for (uint32_t sched = DEFICIT_TABLE; sched <= TWO_TABLE; sched++)
    for (uint32_t i = 0; i < 4; i++)
      assert_in_range(share(sched, speedup, lengths[i], WEIGHT), least[i], 1000);
}

/* A two_table grants every 5 cycles, which is what bounds packets of 4 flits there. */
static void a_saturated_switch_keeps_its_outputs_busy(void **state) {
  (void)state;
  expect_shares(DEFICIT_TABLE, 2, (const uint32_t[]){870, 970, 980, 960});
  expect_shares(TWO_TABLE, 2, (const uint32_t[]){775, 970, 980, 960});
}

/* A lane is granted every 8 cycles, which is what bounds packets of 4 flits while it has its turn.
 */
static void short_packets_leave_gaps_while_one_lane_has_its_turn(void **state) {
  (void)state;
  expect_shares_of_lanes(2, (const uint32_t[]){540, 960, 980, 960});
}

/* Then what an input sends is not faster than its link, and inputs compete for outputs. */
static void with_speedup_1_inputs_wait_for_outputs(void **state) {
  (void)state;
  expect_shares(DEFICIT_TABLE, 1, (const uint32_t[]){750, 860, 810, 870});
  expect_shares(TWO_TABLE, 1, (const uint32_t[]){730, 860, 810, 870});
  expect_shares_of_lanes(1, (const uint32_t[]){510, 860, 810, 870});
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_packet_alone_takes_20_cycles),
      cmocka_unit_test(delays_add_to_the_latency),
      cmocka_unit_test(every_pair_of_ports_is_joined),
      cmocka_unit_test(a_head_of_a_vl_without_lane_is_refused),
      cmocka_unit_test(a_packet_beyond_the_credits_is_refused),
      cmocka_unit_test(an_unknown_lid_is_dropped),
      cmocka_unit_test(a_lid_that_leads_nowhere_is_dropped),
      cmocka_unit_test(grants_leave_out_packets_of_management),
      cmocka_unit_test(a_packet_without_vl_is_dropped),
      cmocka_unit_test(a_packet_beyond_the_mtu_is_dropped),
      cmocka_unit_test(traps_that_nobody_reads_are_lost_and_counted),
      cmocka_unit_test(a_port_keeps_a_trap_every_other_cycle),
      cmocka_unit_test(link_errors_are_counted),
      cmocka_unit_test(the_first_register_says_what_it_is),
      cmocka_unit_test(registers_read_what_was_written),
      cmocka_unit_test(each_port_has_a_table_of_its_own),
      cmocka_unit_test(there_can_be_a_read_in_each_cycle),
      cmocka_unit_test(an_mtu_is_refused_while_a_packet_is_inside),
      cmocka_unit_test(limits_of_both_ends_bound_what_goes),
      cmocka_unit_test(counters_tell_flits_and_packets_by_lane_and_sl),
      cmocka_unit_test(nothing_is_lost_whatever_comes),
      cmocka_unit_test(a_node_finds_the_output_of_every_address),
      cmocka_unit_test(a_switch_finds_the_output_of_every_address),
      cmocka_unit_test(an_unknown_address_is_dropped),
      cmocka_unit_test(coordinates_take_as_long_as_a_table),
      cmocka_unit_test(only_coordinates_have_a_place_and_only_tables_an_lft),
      cmocka_unit_test(a_place_counts_from_the_third_cycle_after_its_write),
      cmocka_unit_test(a_place_must_fit_its_ports_and_below_the_prefix),
      cmocka_unit_test(a_unit_at_rest_shows_what_it_would),
      cmocka_unit_test(a_saturated_switch_keeps_its_outputs_busy),
      cmocka_unit_test(short_packets_leave_gaps_while_one_lane_has_its_turn),
      cmocka_unit_test(with_speedup_1_inputs_wait_for_outputs),
  };
  return UNIT_RUN("crossbar_switch", tests, NULL, NULL);
}

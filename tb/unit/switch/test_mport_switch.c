/* SPDX-License-Identifier: Apache-2.0 */
/* test_mport_switch.c - the twin of mport_switch against what docs/mport_switch.md says, without a
 * circuit */
#include "tb/unit/unit.h"

#include <string.h>

#include "fabric/mport_class.h"
#include "parts/credit_tracker.h"
#include "tb/unit/switch/crossbar_bench.h"

enum { MPORT_PORTS = 4, WAIT = 40 }; /* from a write of a table of the rule to the first flit */
enum { BY_MAP = 1, BY_SL2SC = 2, ADAPTIVE = 16 };

/* Two MPorts, small stores, keys that are VLs. */
static struct loom_mport_switch_cfg mport_shape(void) {
  struct loom_mport_switch_cfg cfg;
  loom_mport_switch_defaults(&cfg);
  cfg.MPORTS = 2;
  cfg.VLS = 4;
  cfg.KEYS = 16;
  cfg.ARB_KEY = 0;
  cfg.CELLS_IN = cfg.CELLS_CENTRAL = cfg.CELLS_OUT = 128;
  cfg.RESERVED_CENTRAL = cfg.RESERVED_OUT = 8;
  cfg.REMOTE_UNITS = 128;
  cfg.REMOTE_RESERVED = 8;
  cfg.MTU_UNITS = 8;
  cfg.LIDS = 64;
  return cfg;
}

/* A packet of this SC, which is its VL as well. */
static uint32_t send_sc(struct bench *b, uint32_t port, uint32_t sc, uint32_t dest, uint32_t len) {
  return post(b, port, sc, sc, dest, len);
}

/* ---- packets alone --------------------------------------------------------------------------- */

static int latency_of(const struct loom_mport_switch_cfg *cfg, uint32_t in, uint32_t out,
                      uint32_t len) {
  struct bench *b = open_mport_bench(cfg);
  cycles(b, 100);
  const struct packet *p = await(b, send_sc(b, in, 2, out, len));
  int took = p->came - p->sent;
  until_idle(b);
  close_bench(b);
  return took;
}

static void a_packet_alone_takes_20_cycles_and_26_through_the_centre(void **state) {
  (void)state;
  struct loom_mport_switch_cfg cfg = mport_shape();
  for (cfg.MPORT_SPEEDUP = 1; cfg.MPORT_SPEEDUP <= 4; cfg.MPORT_SPEEDUP++)
    for (cfg.CENTRAL_SPEEDUP = 1; cfg.CENTRAL_SPEEDUP <= 4; cfg.CENTRAL_SPEEDUP++)
      for (uint32_t len = 1; len <= 64; len += 21) {
        assert_int_equal(latency_of(&cfg, 1, 3, len), 20);
        assert_int_equal(latency_of(&cfg, 1, 6, len), 26);
        assert_int_equal(latency_of(&cfg, 7, 2, len), 26);
      }
}

/* OP-15: the published sets. */
static void the_published_sets_are_met_to_the_cycle(void **state) {
  (void)state;
  static const struct {
    uint32_t in, central, out;
    int local, across;
  } sets[] = {{78, 4, 53, 150, 160}, {86, 12, 53, 158, 176}, {0, 9, 0, 20, 26 + 9}};
  for (uint32_t i = 0; i < 3; i++) {
    struct loom_mport_switch_cfg cfg = mport_shape();
    cfg.IN_DELAY = sets[i].in;
    cfg.CENTRAL_DELAY = sets[i].central;
    cfg.OUT_DELAY = sets[i].out;
    assert_int_equal(latency_of(&cfg, 0, 2, 8), sets[i].local);
    assert_int_equal(latency_of(&cfg, 0, 5, 8), sets[i].across);
  }
}

/* OP-01, OP-03: each port reaches each other one, in every size that was published. */
static void every_pair_of_ports_is_joined(void **state) {
  (void)state;
  static const uint32_t sizes[] = {2, 4, 7, 12};
  for (uint32_t n = 0; n < 4; n++) {
    struct loom_mport_switch_cfg cfg = mport_shape();
    cfg.MPORTS = sizes[n];
    struct bench *b = open_mport_bench(&cfg);
    uint32_t ports = b->cfg.PORTS;
    cycles(b, WAIT);
    for (uint32_t in = 0; in < ports; in++)
      for (uint32_t out = 0; out < ports; out++)
        send_sc(b, in, out % 4 < 3 ? out % 4 : VL_MGMT, (in + out) % ports, 1 + (in + out) % 20);
    expect_came(b, ports * ports);
    close_bench(b);
  }
}

/* What stands before an output that nobody empties waits for it, also through the centre: the input
 * names it, and the list of the watchdog has the place. */
static void a_head_names_the_output_for_which_it_waits(void **state) {
  (void)state;
  enum { DEVICE = 99, SC = 1, LIST = 64 };
  static const uint32_t ends[][2] = {{1, 2}, {6, 5}, {2, 7}, {7, 0}};
  for (uint32_t k = 0; k < 4; k++) {
    struct loom_mport_switch_cfg cfg = mport_shape();
    struct bench *b = open_mport_bench(&cfg);
    uint32_t in = ends[k][0], out = ends[k][1], found = 0;
    struct loom_fabric_wait list[LIST];
    cycles(b, WAIT);
    b->receiver[out].stopped = true;
    for (uint32_t n = 0; n < 80; n++)
      send_sc(b, in, SC, out, 64);
    cycles(b, 6000);
    assert_int_equal(loom_mport_switch_heads(b->mport, in), 1 << SC);
    struct loom_mport_goal goal = loom_mport_switch_goal(b->mport, in, SC);
    assert_int_equal(goal.out, out);
    assert_int_equal(goal.lane, SC);
    uint32_t count = loom_mport_switch_class.waits(b->mport, DEVICE, list, LIST);
    assert_int_equal(count, 2); /* and the output waits for credits */
    for (uint32_t n = 0; n < count; n++)
      found += list[n].from.port == in && list[n].from.vl == SC && !list[n].from.output &&
               list[n].to.port == out && list[n].to.output && list[n].to.device == DEVICE;
    assert_int_equal(found, 1);
    close_bench(b);
  }
}

/* ---- the rule -------------------------------------------------------------------------------- */

static void write_rule(struct bench *b, uint32_t table, uint32_t at, uint32_t to) {
  write_reg(b, table + at, to);
}

/* The bench expects what OP-10, OP-18 and OP-19 say: `next` of each SC, and the lane of its VL. */
static void expect_scs(struct bench *b, const uint8_t *next, const uint8_t *vl) {
  for (uint32_t sc = 0; sc < 32; sc++) {
    b->sc_out[sc] = next[sc];
    b->out_vl[sc] = lane_of(b, vl[next[sc]]);
  }
}

static void each_map_mode_maps_as_the_rule_says(void **state) {
  (void)state;
  struct loom_mport_switch_cfg cfg = mport_shape();
  for (uint32_t mode = 0; mode < 4; mode++) {
    struct bench *b = open_mport_bench(&cfg);
    uint8_t next[32], vl[32], sl[32], sc[32];
    for (uint32_t i = 0; i < 32; i++) {
      next[i] = (uint8_t)i;
      vl[i] = (uint8_t)((i + 1) % 3);
      sl[i] = (uint8_t)((5 * i + 3) % 16);
      sc[i] = (uint8_t)((7 * i + 2) % 15);
      write_rule(b, LOOM_OPA_REG_SC2VL, i, vl[i]);
      write_rule(b, LOOM_OPA_REG_SC2SL, i, sl[i]);
      write_rule(b, LOOM_OPA_REG_SL2SC, i, sc[i]);
      for (uint32_t out = 0; out < 8; out++)
        write_reg(b, map_reg(LOOM_SWITCH_EVERY, out, i), (i + 4) % 15);
    }
    write_reg(b, LOOM_SWITCH_REG_CONTROL, mode);
    cycles(b, WAIT);
    for (uint32_t i = 0; i < 32; i++)
      if (i != VL_MGMT)
        next[i] = mode == BY_MAP     ? (uint8_t)((i + 4) % 15)
                  : mode == BY_SL2SC ? sc[sl[i]]
                                     : (uint8_t)i;
    expect_scs(b, next, vl);
    uint32_t sent[32] = {0}, packets = 0;
    for (uint32_t i = 0; i < 31 * 8; i++, packets++) {
      uint32_t from = i % 31 < VL_MGMT ? i % 31 : i % 31 + 1; /* management is not among them */
      post(b, i % 8, 0, from, i / 31, 5);                     /* of one lane, so in order */
      sent[sl[next[from]]]++;
    }
    expect_came(b, packets);
    for (uint32_t s = 0; s < 32; s++) { /* OP-19: SLs, at all outputs together */
      uint32_t counted = 0;
      for (uint32_t port = 0; port < 8; port++)
        counted += read_port(b, port, LOOM_SWITCH_WIN_SL_PACKETS + s);
      assert_int_equal(counted, sent[s]);
    }
    close_bench(b);
  }
}

static void an_sc_without_vl_is_dropped_with_a_trap(void **state) {
  (void)state;
  struct loom_mport_switch_cfg cfg = mport_shape();
  struct bench *b = open_mport_bench(&cfg);
  write_rule(b, LOOM_OPA_REG_SC2VL, 9, 15);
  cycles(b, WAIT);
  post(b, 2, 1, 9, 6, 12);
  expect_trap(b, NO_VL, 2, 1, 6);
  await(b, post(b, 2, 1, 1, 6, 12));
  close_bench(b);
}

static void unknown_lids_and_packets_beyond_the_mtu_are_dropped_with_a_trap(void **state) {
  (void)state;
  struct loom_mport_switch_cfg cfg = mport_shape();
  struct bench *b = open_mport_bench(&cfg);
  write_reg(b, LOOM_SWITCH_REG_MTU + 1, 3);
  cycles(b, WAIT);
  await(b, send_sc(b, 5, 1, 2, 24));
  await(b, send_sc(b, 5, 2, 2, 64));
  cycles(b, 64); /* the link is free again */
  assert_int_equal(b->came, 2);
  send_sc(b, 6, 1, 2, 25);
  cycles(b, 40);
  assert_int_equal(read_reg(b, LOOM_SWITCH_REG_TRAP), trap_word(TOO_LONG, 6, 1, 2));
  send_sc(b, 7, 0, 50, 3);
  cycles(b, 40);
  assert_int_equal(read_reg(b, LOOM_SWITCH_REG_TRAP), trap_word(UNKNOWN, 7, 0, 50));
  assert_int_equal(read_port(b, 6, LOOM_SWITCH_WIN_DROPPED_MTU), 1);
  assert_int_equal(read_port(b, 7, LOOM_SWITCH_WIN_DROPPED_LID), 1);
  assert_int_equal(b->came, 2);
  close_bench(b);
}

/* ---- central units --------------------------------------------------------------------------- */

/* Units of the two central units of the first MPort, while the outputs of the second one wait. */
static void fill_centre(uint32_t control, uint32_t to, uint32_t packets, uint32_t *total) {
  struct loom_mport_switch_cfg cfg = mport_shape();
  struct bench *b = open_mport_bench(&cfg);
  b->disordered = control & ADAPTIVE;
  write_reg(b, LOOM_SWITCH_REG_CONTROL, control);
  write_reg(b, port_reg(LOOM_SWITCH_EVERY, LOOM_SWITCH_WIN_HOLD), 1);
  cycles(b, WAIT);
  for (uint32_t i = 0; i < packets; i++) {
    for (uint32_t port = 0; port < MPORT_PORTS; port++)
      send_sc(b, port, 0, to, 64);
  }
  cycles(b, (int)packets * 64 + 1000);
  total[0] = b->mport->central[0].store.total;
  total[1] = b->mport->central[1].store.total;
  write_reg(b, port_reg(LOOM_SWITCH_EVERY, LOOM_SWITCH_WIN_HOLD), 0);
  expect_came(b, MPORT_PORTS * packets);
  close_bench(b);
}

/* OP-05. What an output keeps is one lane's, and the rest waits in the centre. */
static void the_centre_goes_by_the_output_or_by_what_has_less_in_it(void **state) {
  (void)state;
  uint32_t total[2];
  fill_centre(0, 6, 8, total);
  assert_true(total[0] > 64 && total[1] == 0);
  fill_centre(0, 7, 8, total);
  assert_true(total[1] > 64 && total[0] == 0);
  fill_centre(ADAPTIVE, 6, 8, total);
  assert_true(total[0] > 32 && total[1] > 32);
}

/* A limit of 16 units a lane: what waits there are two packets. */
static void limits_of_a_central_unit_bound_what_it_takes(void **state) {
  (void)state;
  struct loom_mport_switch_cfg cfg = mport_shape();
  for (uint32_t way = 0; way < 2; way++) {
    struct bench *b = open_mport_bench(&cfg);
    uint32_t window = way ? LOOM_SWITCH_EVERY : 0;
    uint32_t base = loom_switch_window(LOOM_SWITCH_REG_CENTRALS, window) + LOOM_OPA_WIN_TRACKER;
    write_reg(b, base + LOOM_TRACKER_REG_CAP, 16);
    write_reg(b, port_reg(LOOM_SWITCH_EVERY, LOOM_SWITCH_WIN_HOLD), 1);
    cycles(b, WAIT);
    for (uint32_t i = 0; i < 16; i++) {
      send_sc(b, 0, 0, 4, 64);
      send_sc(b, 4, 0, 0, 64);
    }
    cycles(b, 16 * 64 + 1000);
    uint32_t limited = b->mport->central[0].store.total, other = b->mport->central[2].store.total;
    assert_int_equal(limited, 16);
    assert_int_equal(other > 16, !way);
    write_reg(b, port_reg(LOOM_SWITCH_EVERY, LOOM_SWITCH_WIN_HOLD), 0);
    expect_came(b, 32);
    close_bench(b);
  }
}

/* ---- registers ------------------------------------------------------------------------------- */

static void registers_read_what_was_written(void **state) {
  (void)state;
  struct loom_mport_switch_cfg cfg = mport_shape();
  struct bench *b = new_mport_bench(&cfg);
  assert_int_equal(read_reg(b, LOOM_SWITCH_REG_ID), 0x4C080000 | 8 << 8 | 4);
  expect_kept(b, LOOM_SWITCH_REG_CONTROL, 0x13);
  expect_kept(b, LOOM_SWITCH_REG_LFT_COUNT, 64);
  for (uint32_t i = 0; i < 96; i++) {
    uint32_t addr = LOOM_OPA_REG_SC2VL + i;
    assert_int_equal(read_reg(b, addr), i % 32);
    write_reg(b, addr, ~(i % 32));
    assert_int_equal(read_reg(b, addr), i % 32); /* one cycle later */
    assert_int_equal(read_reg(b, addr), ~(i % 32) & 31);
  }
  write_reg(b, map_reg(3, 7, 31), 0xFFFFFFFF);
  for (uint32_t mode = 0; mode < 4; mode++) {
    write_reg(b, LOOM_SWITCH_REG_CONTROL, mode);
    cycles(b, 2);
    assert_int_equal(read_reg(b, map_reg(3, 7, 31)), mode == BY_MAP ? 31 : 0);
  }
  assert_int_equal(read_reg(b, LOOM_SWITCH_REG_CENTRALS + LOOM_OPA_WIN_TRACKER), 0);
  close_bench(b);
}

static void a_word_of_the_rule_keeps_what_its_tables_hold(void **state) {
  (void)state;
  struct loom_mport_switch_cfg cfg = mport_shape();
  struct bench *b = open_mport_bench(&cfg);
  write_rule(b, LOOM_OPA_REG_SC2VL, 20, 2);
  write_rule(b, LOOM_OPA_REG_SC2SL, 20, 7);
  write_rule(b, LOOM_OPA_REG_SL2SC, 20, 11);
  write_reg(b, LOOM_SWITCH_REG_MTU + 2, 5);
  cycles(b, WAIT);
  for (uint32_t port = 0; port < 8; port++) {
    const struct loom_sc_tables *t = &b->mport->chassis.port[port].input.sc;
    assert_int_equal(t->verdict[20].lane, 2);
    assert_int_equal(t->verdict[20].mtu, 5);
    assert_int_equal(t->verdict[2].mtu, 5);
    assert_int_equal(t->verdict[20].sl, 7);
    assert_int_equal(t->sc2sl[20], 7);
    assert_int_equal(t->sl2sc[20], 11);
  }
  close_bench(b);
}

/* ---- rest ------------------------------------------------------------------------------------ */

static struct loom_mport_switch_cfg rest_shape(uint32_t round) {
  struct loom_mport_switch_cfg cfg = mport_shape();
  cfg.MPORT_SPEEDUP = 1 + round % 4;
  cfg.CENTRAL_SPEEDUP = 1 + round / 2 % 4;
  cfg.SCHED = round / 3 % 4;
  cfg.OUT_DELAY = round / 4 % 2 * 20;
  cfg.CENTRAL_DELAY = round % 3 * 7;
  return cfg;
}

/* Packets now and then, links that stop, schedulers that are held. */
static void disturb(struct bench *b, bool posts) {
  uint32_t ports = b->cfg.PORTS;
  if (posts && loom_below(&b->seed, 15) == 0)
    send_sc(b, loom_below(&b->seed, ports), loom_below(&b->seed, 3),
            loom_below(&b->seed, ports + 1), 1 + loom_below(&b->seed, 64));
  if (loom_below(&b->seed, 500) == 0)
    b->receiver[loom_below(&b->seed, ports)].stopped = loom_chance(&b->seed, 70);
  if (loom_below(&b->seed, 2000) == 0)
    write_reg(b, LOOM_SWITCH_REG_CONTROL, loom_chance(&b->seed, 50) ? ADAPTIVE : 0);
}

static void a_unit_at_rest_shows_what_it_would(void **state) {
  (void)state;
  for (uint32_t round = 0; round < 8; round++) {
    struct loom_mport_switch_cfg cfg = rest_shape(round);
    struct bench *b = open_both_mports(&cfg);
    uint32_t asleep = 0;
    b->seed = round;
    b->disordered = true;
    cycles(b, WAIT);
    for (uint32_t i = 0; i < 12000; i++) {
      disturb(b, i % 1000 < 600);
      cycle(b);
      asleep += loom_popcount(b->mport->all & ~b->mport->awake);
    }
    assert_in_range(asleep, 3000, 12000 * 4);
    assert_in_range(b->slept, 500, 11000);
    assert_true(b->came > 100);
    close_bench(b);
  }
}

/* ---- how much goes through ------------------------------------------------------------------- */

/* Uniform traffic, all lanes with packets at any time: flits out, of those that the links could
 * carry, in 1/1000. Nothing is lost. */
static uint32_t share_of(uint32_t mports, uint32_t len) {
  struct loom_mport_switch_cfg cfg;
  loom_mport_switch_defaults(&cfg);
  cfg.MPORTS = mports;
  cfg.ARB_KEY = 0;
  cfg.LIDS = 64;
  struct bench *b = open_mport_bench(&cfg);
  enum { WARM = 2000, RUN = 6000 };
  uint32_t ports = b->cfg.PORTS, posted = 0;
  uint64_t flits = 0;
  cycles(b, WAIT);
  for (int i = 0; i < WARM + RUN; i++) {
    for (uint32_t port = 0; port < ports; port++)
      for (uint32_t lane = 0; lane < 8; lane++)
        if (!b->sender[port].waits[lane].first) {
          send_sc(b, port, lane, loom_below(&b->seed, ports), len);
          posted++;
        }
    if (i == WARM)
      memset(b->flits, 0, sizeof b->flits);
    cycle(b);
  }
  for (uint32_t port = 0; port < ports; port++)
    flits += b->flits[port];
  expect_came(b, posted);
  close_bench(b);
  return (uint32_t)(1000 * flits / (ports * RUN));
}

static void a_saturated_switch_keeps_its_outputs_busy_and_loses_nothing(void **state) {
  (void)state;
  assert_in_range(share_of(2, 8), 940, 1000);
  assert_in_range(share_of(2, 64), 940, 1000);
  assert_in_range(share_of(7, 16), 960, 1000); /* .89 if bookings were later, with EARLY = 8 */
}

static void parameters_are_legal_only_together(void **state) {
  (void)state;
  struct loom_mport_switch_cfg cfg;
  loom_mport_switch_defaults(&cfg);
  assert_true(loom_mport_switch_cfg_ok(&cfg));
  cfg.RESERVED_CENTRAL = cfg.CELLS_CENTRAL / cfg.VLS + 1;
  assert_false(loom_mport_switch_cfg_ok(&cfg));
  cfg = mport_shape();
  cfg.CELLS_CENTRAL = 16;
  cfg.RESERVED_CENTRAL = 4;
  assert_true(loom_mport_switch_cfg_ok(&cfg));
  cfg.MTU_UNITS = 17;
  assert_false(loom_mport_switch_cfg_ok(&cfg));
  cfg = mport_shape();
  cfg.MPORTS = 1;
  assert_false(loom_mport_switch_cfg_ok(&cfg));
  cfg = mport_shape();
  cfg.KEYS = 3;
  assert_false(loom_mport_switch_cfg_ok(&cfg));
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_packet_alone_takes_20_cycles_and_26_through_the_centre),
      cmocka_unit_test(the_published_sets_are_met_to_the_cycle),
      cmocka_unit_test(every_pair_of_ports_is_joined),
      cmocka_unit_test(a_head_names_the_output_for_which_it_waits),
      cmocka_unit_test(each_map_mode_maps_as_the_rule_says),
      cmocka_unit_test(an_sc_without_vl_is_dropped_with_a_trap),
      cmocka_unit_test(unknown_lids_and_packets_beyond_the_mtu_are_dropped_with_a_trap),
      cmocka_unit_test(the_centre_goes_by_the_output_or_by_what_has_less_in_it),
      cmocka_unit_test(limits_of_a_central_unit_bound_what_it_takes),
      cmocka_unit_test(registers_read_what_was_written),
      cmocka_unit_test(a_word_of_the_rule_keeps_what_its_tables_hold),
      cmocka_unit_test(a_unit_at_rest_shows_what_it_would),
      cmocka_unit_test(a_saturated_switch_keeps_its_outputs_busy_and_loses_nothing),
      cmocka_unit_test(parameters_are_legal_only_together),
  };
  return UNIT_RUN("mport_switch", tests, NULL, NULL);
}

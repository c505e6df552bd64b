/* SPDX-License-Identifier: Apache-2.0 */
/* test_switch.c - the twins of ib_switch and opa_switch against what docs/switch.md, docs/ib.md and
 * docs/opa.md say, without a circuit
 *
 * The requirement of a test stands above it. Most run for both switches; `kind` says
 * which.
 */
#include "tb/unit/unit.h"

#include <stdio.h>

#include "tb/unit/switch_bench.h"

/* ---- sizes and parameters -------------------------------------------------------------------- */

/* OP-01. */
static void every_size_elaborates(void **state) {
  (void)state;
  static const uint32_t mports[] = {2, 4, 7, 12}, ports[] = {2, 3, 8, 36, 48};
  for (uint32_t i = 0; i < 4; i++) {
    char params[32];
    snprintf(params, sizeof params, "MPORTS=%u", mports[i]);
    struct switch_bench *b = new_bench(OPA, params);
    assert_int_equal(b->ports, 4 * mports[i]);
    assert_int_equal(read_reg(b, LOOM_SWITCH_REG_ID), 0x4C020009 | b->ports << 8);
    close_bench(b);
  }
  for (uint32_t i = 0; i < 5; i++) {
    char params[32];
    snprintf(params, sizeof params, "PORTS=%u VLS=%u", ports[i], 16 + i);
    struct switch_bench *b = new_bench(IB, params);
    assert_int_equal(read_reg(b, LOOM_SWITCH_REG_ID), 0x4C010000 | ports[i] << 8 | (16 + i));
    close_bench(b);
  }
}

static bool legal(enum switch_kind kind, const char *params) {
  struct loom_ib_switch_cfg ib;
  struct loom_opa_switch_cfg opa;
  set_params(&ib, &opa, params);
  return kind == IB ? loom_ib_switch_cfg_ok(&ib) : loom_opa_switch_cfg_ok(&opa);
}

/* The lists' own figures for the storage. */
static size_t listed_ib(const struct loom_ib_switch_cfg *c) {
  size_t listed = 0;
#define P(NAME) c->NAME
#define LOOM_STORAGE(bytes) listed = (bytes);
#include <loom/def_rest.h>

#include "switch/ib_switch.def"
#include <loom/def_undef.h>
  return listed;
}

static size_t listed_opa(const struct loom_opa_switch_cfg *c) {
  size_t listed = 0;
#define P(NAME) c->NAME
#define LOOM_STORAGE(bytes) listed = (bytes);
#include <loom/def_rest.h>

#include "switch/opa_switch.def"
#include <loom/def_undef.h>
  return listed;
}

/* OP-01. */
static void the_storage_is_as_large_as_listed(void **state) {
  (void)state;
  static const char *const params[] = {"", SMALL, "LIDS=17 CELLS_IN=99 CELLS_OUT=17 VLS=2"};
  for (uint32_t i = 0; i < 3; i++) {
    struct loom_ib_switch_cfg ib;
    struct loom_opa_switch_cfg opa;
    set_params(&ib, &opa, params[i]);
    assert_int_equal(listed_ib(&ib), loom_ib_switch_storage_size(&ib));
    assert_int_equal(listed_opa(&opa), loom_opa_switch_storage_size(&opa));
  }
}

/* OP-01. */
static void parameters_out_of_range_are_refused(void **state) {
  (void)state;
  static const char *const both[] = {"VLS=1",
                                     "VLS=33",
                                     "SCHED=4",
                                     "KEYS=0",
                                     "KEYS=33",
                                     "ARB_KEY=2",
                                     "ROUTING_CYCLES=1",
                                     "ROUTING_CYCLES=65",
                                     "BUFFER_CYCLES=1",
                                     "BUFFER_CYCLES=65",
                                     "ALLOCATION_CYCLES=0",
                                     "ALLOCATION_CYCLES=65",
                                     "CROSSBAR_CYCLES=17",
                                     "FLIGHT_CYCLES=0",
                                     "FLIGHT_CYCLES=33",
                                     "STALL_CYCLES=4096",
                                     "CELLS_IN=15",
                                     "CELLS_OUT=4097",
                                     "REMOTE_UNITS=4096",
                                     "LIDS=15",
                                     "MTU_UNITS=0",
                                     "MTU_UNITS=513",
                                     "LIDS=65537",
                                     "RESERVED_IN=200",
                                     "RESERVED_OUT=200",
                                     "REMOTE_RESERVED=200",
                                     "KEYS=8 ARB_KEY=0 VLS=9",
                                     "ENTRIES=0",
                                     "N_HIGH=129",
                                     "N_LOW=0",
                                     "IB_WEIGHTS=2"};
  static const char *const ib[] = {"PORTS=1", "PORTS=49", "SPEEDUP=0", "SPEEDUP=3"};
  static const char *const opa[] = {"MPORTS=1",        "MPORTS=13",         "MPORT_SPEEDUP=0",
                                    "MPORT_SPEEDUP=5", "CENTRAL_SPEEDUP=0", "CENTRAL_SPEEDUP=5",
                                    "CENTRAL_SCHED=5", "CELLS_CENTRAL=15",  "RESERVED_CENTRAL=200"};
  for (enum switch_kind kind = IB; kind <= OPA; kind++) {
    assert_true(legal(kind, ""));
    assert_true(legal(kind, SMALL));
    assert_true(legal(kind, "KEYS=9 ARB_KEY=0 VLS=9"));
    assert_true(legal(kind, "KEYS=8 ARB_KEY=1 VLS=9"));
    for (size_t i = 0; i < sizeof both / sizeof *both; i++)
      if (legal(kind, both[i]))
        fail_msg("kind %u takes %s", (unsigned)kind, both[i]);
  }
  for (size_t i = 0; i < sizeof ib / sizeof *ib; i++)
    assert_false(legal(IB, ib[i]));
  for (size_t i = 0; i < sizeof opa / sizeof *opa; i++)
    assert_false(legal(OPA, opa[i]));
}

/* ---- latency --------------------------------------------------------------------------------- */

#define SET_A                                                                                      \
  " ROUTING_CYCLES=32 BUFFER_CYCLES=50 ALLOCATION_CYCLES=8 CROSSBAR_CYCLES=2 FLIGHT_CYCLES=8"
#define SET_B                                                                                      \
  " ROUTING_CYCLES=32 BUFFER_CYCLES=50 ALLOCATION_CYCLES=16 CROSSBAR_CYCLES=2 FLIGHT_CYCLES=8"

/* GV-5: the integers of OP-15, at the published sizes, in both switches and with their own
 * schedulers. */
static void header_latencies_are_the_published_ones(void **state) {
  (void)state;
  static const char *const sets[] = {"", SET_A, SET_B};
  static const uint32_t local[] = {8, 150, 158}, central[] = {9, 160, 176};
  for (enum switch_kind kind = IB; kind <= OPA; kind++)
    for (uint32_t i = 0; i < 3; i++) {
      char params[800];
      snprintf(params, sizeof params, "PORTS=36 MPORTS=12%s", sets[i]);
      struct switch_bench *b = open_bench(kind, params);
      for (uint32_t len = 1; len <= 200; len += 1 + len * 3) {
        expect_latency(b, 4, 7, len, local[i]);
        expect_latency(b, 5, 5, len, local[i]);
        expect_latency(b, 0, 35, len, kind == OPA ? central[i] : local[i]);
        expect_latency(b, 35, 4, len, kind == OPA ? central[i] : local[i]);
      }
      drain(b);
      close_bench(b);
    }
}

/* SC-09: a scheduler at the central buffers adds 4 cycles, whichever it is. */
static void a_central_scheduler_adds_four_cycles(void **state) {
  (void)state;
  for (uint32_t sched = 0; sched < 5; sched++) {
    char params[800];
    snprintf(params, sizeof params, SMALL " SCHED=%u CENTRAL_SCHED=%u%s", sched % 4, sched,
             sched == 1 ? SET_A : "");
    struct switch_bench *b = open_bench(OPA, params);
    uint32_t more = sched < 4 ? 4 : 0;
    for (uint32_t len = 1; len <= 64; len += 9) {
      expect_latency(b, 1, 6, len, (sched == 1 ? 160 : 9) + more);
      expect_latency(b, 1, 2, len, sched == 1 ? 150 : 8);
    }
    drain(b);
    close_bench(b);
  }
}

/* OP-14: any stage latencies. */
static void latencies_follow_from_any_stage_latencies(void **state) {
  (void)state;
  uint64_t seed = 14;
  for (uint32_t i = 0; i < 60; i++) {
    uint32_t rt = 2 + loom_below(&seed, i % 3 ? 8 : 63), sb = 2 + loom_below(&seed, i % 3 ? 8 : 63);
    uint32_t at = 1 + loom_below(&seed, i % 3 ? 6 : 64), x = loom_below(&seed, 17);
    uint32_t fly = 1 + loom_below(&seed, 32), sum = rt + 2 * sb + at + x + fly;
    char params[800];
    snprintf(params, sizeof params,
             SMALL " ROUTING_CYCLES=%u BUFFER_CYCLES=%u ALLOCATION_CYCLES=%u CROSSBAR_CYCLES=%u "
                   "FLIGHT_CYCLES=%u SPEEDUP=%u MPORT_SPEEDUP=%u CENTRAL_SPEEDUP=%u",
             rt, sb, at, x, fly, 1 + i % 2, 1 + i % 4, 1 + i / 4 % 4);
    enum switch_kind kind = i % 2 ? OPA : IB;
    struct switch_bench *b = open_bench(kind, params);
    uint32_t len = 1 + loom_below(&seed, 64);
    expect_latency(b, 3, 1, len, sum);
    expect_latency(b, 3, 4, len, kind == IB ? sum : sum + at + x);
    drain(b);
    close_bench(b);
  }
}

/* OP-14: the longest stages, full of packets: one every 6 cycles, and each takes the same time. */
static void the_longest_stages_take_packets_one_every_6_cycles(void **state) {
  (void)state;
  for (enum switch_kind kind = IB; kind <= OPA; kind++)
    for (uint32_t out = 2; out < 8; out += 4) {
      struct switch_bench *b =
          open_bench(kind, SMALL " ROUTING_CYCLES=64 BUFFER_CYCLES=64 ALLOCATION_CYCLES=64 "
                                 "CROSSBAR_CYCLES=16 FLIGHT_CYCLES=32 CELLS_IN=256");
      for (uint32_t n = 0; n < 60; n++)
        post_at(b, b->cycle + 6 * n, 1, 0, 0, out, 5);
      cycles(b, 60 * 6 + 400);
      for (uint32_t n = 1; n <= 60; n++)
        assert_int_equal(b->packet[n].head - b->packet[n].sent,
                         crosses(b, 1, out) ? 304 + 80 : 304);
      drain(b);
      close_bench(b);
    }
}

/* OP-11: the registers of allocation, cycle by cycle, of a packet in the smallest set. */
static void the_allocation_of_one_packet_takes_its_steps_exactly(void **state) {
  (void)state;
  for (enum switch_kind kind = IB; kind <= OPA; kind++)
    for (uint32_t out = 2; out < 8; out += 3) {
      struct switch_bench *b = open_bench(kind, SMALL);
      bool via = crosses(b, 1, out);
      post(b, 1, 0, 0, out, 3);
      for (uint32_t t = 0; t < 20; t++) {
        cycle(b);
        assert_true(b->probe.granted == (t == 4 ? 1ull << 1 : 0));
        assert_true(b->probe.central_granted == (via && t == 5 ? 1ull << (out & 1) : 0));
        assert_true(b->probe.targeted == (t == (via ? 5 : 4) ? 1ull << out : 0));
        uint32_t head = via ? 9 : 8;
        assert_int_equal(b->out.out_valid[out], t >= head && t < head + 3);
        if (t < 2)
          assert_int_equal(b->probe.idle, 1); /* at the last edge nothing was in use */
        else if (t < head)
          assert_int_equal(b->probe.idle, 0);
      }
      assert_int_equal(b->probe.idle, 1);
      drain(b);
      close_bench(b);
    }
}

/* ---- who crosses the central buffers --------------------------------------------------------- */

/* OP-03, OP-05, all 48 x 48: only packets for another MPort cross the central buffers, over the
 * central buffers buffer of their own MPort that the parity of the output names; each with the
 * latency of its way.
 */
static void only_packets_for_another_mport_cross_the_central_buffers(void **state) {
  (void)state;
  struct switch_bench *b = open_bench(OPA, "MPORTS=12 SCHED=0 VLS=2 LIDS=64");
  for (uint32_t in = 0; in < 48; in++)
    for (uint32_t out = 0; out < 48; out++) {
      b->central_seen = 0;
      const struct packet *p = await(b, post(b, in, 0, 0, out, 1));
      bool via = in / 4 != out / 4;
      assert_true(b->central_seen == (via ? 1ull << (in / 4 * 2 + out % 2) : 0));
      assert_int_equal(p->head - p->sent, via ? 9 : 8);
    }
  drain(b);
  close_bench(b);
}

/* Two packets over the central buffers, the second `apart` cycles after the first, which has 64
 * flits: the central buffer beside that of the first one's output's parity that had a grant, as a
 * bit set. */
static uint64_t central_of_second(uint32_t control, uint32_t first, uint32_t second,
                                  uint32_t apart) {
  struct switch_bench *b = open_bench(OPA, SMALL);
  set_control(b, control);
  cycles(b, 4);
  post(b, 0, 0, 0, first, 64);
  post_at(b, b->cycle + apart, 1, 0, 0, second, 1);
  drain(b);
  uint64_t seen = b->central_seen & ~(1ull << (first & 1));
  close_bench(b);
  return seen;
}

/* OP-05: static by the parity of the output, whatever is in the buffers. */
static void a_static_choice_takes_the_central_buffer_by_parity(void **state) {
  (void)state;
  for (uint32_t apart = 1; apart < 20; apart++) {
    assert_int_equal(central_of_second(0x00, 4, 6, apart), 0);
    assert_int_equal(central_of_second(0x00, 5, 7, apart), 0);
    assert_int_equal(central_of_second(0x00, 4, 7, apart), 1 << 1);
  }
}

/* OP-05: with control bit 4 the one with fewer units in use when the packet is routed, two cycles
 * after its head; the first packet is announced to its buffer three cycles after its own. */
static void an_adaptive_choice_takes_the_least_occupied_central_buffer(void **state) {
  (void)state;
  assert_int_equal(central_of_second(0x10, 4, 6, 1), 0); /* both empty still: parity */
  assert_int_equal(central_of_second(0x10, 5, 7, 1), 0);
  for (uint32_t apart = 2; apart < 40; apart += 3) {
    assert_int_equal(central_of_second(0x10, 4, 6, apart), 1 << 1);
    assert_int_equal(central_of_second(0x10, 4, 7, apart), 1 << 1);
    assert_int_equal(central_of_second(0x10, 5, 7, apart), 1 << 0);
  }
  assert_int_equal(central_of_second(0x10, 4, 6, 200), 0); /* empty again */
}

/* ---- rates ----------------------------------------------------------------------------------- */

/* Mean header latency of the packets that were sent from this cycle on. */
static double mean_latency(const struct switch_bench *b, uint64_t from) {
  uint64_t sum = 0, n = 0;
  for (uint32_t i = 1; i < b->packets; i++)
    if (b->packet[i].sent >= from && b->packet[i].tail) {
      sum += b->packet[i].head - b->packet[i].sent;
      n++;
    }
  assert_true(n > 0);
  return (double)sum / (double)n;
}

static void post_shift(struct switch_bench *b, uint32_t shift, uint64_t when, uint32_t len) {
  for (uint32_t p = 0; p < b->ports; p++)
    post_at(b, when, p, 0, 0, (p + shift) % b->ports, len);
}

/* OP-17: shift by one, 36 flows in their MPorts and 12 over the central buffers: the mean is exact
 * for one packet each, and flat within 1 % for every load. */
static void a_shift_by_one_has_its_exact_mean_latency(void **state) {
  (void)state;
  static const char *const sets[] = {"VLS=2" SET_A, "VLS=2" SET_B};
  static const double mean[] = {152.5, 162.5};
  static const uint32_t every[] = {640, 128, 64}; /* loads 0.1, 0.5, 1.0 of packets of 64 flits */
  for (uint32_t i = 0; i < 2; i++)
    for (uint32_t l = 0; l < 3; l++) {
      struct switch_bench *b = open_bench(OPA, sets[i]);
      post_shift(b, 1, b->cycle, 64);
      cycles(b, 300);
      assert_true(mean_latency(b, 0) == mean[i]);
      uint64_t from = b->cycle;
      for (uint32_t n = 0; n < 1000 / every[l]; n++)
        post_shift(b, 1, from + n * every[l], 64);
      cycles(b, 1300);
      double now = mean_latency(b, from);
      assert_true(now > mean[i] * 0.99 && now < mean[i] * 1.01);
      drain(b);
      close_bench(b);
    }
}

/* Every output busy in every cycle of a window, with all inputs at full rate. */
static void expect_full_rate(enum switch_kind kind, const char *params, uint32_t shift,
                             uint32_t len, uint32_t fill) {
  struct switch_bench *b = open_bench(kind, params);
  for (uint32_t n = 0; n < (fill + 600) / len; n++)
    post_shift(b, shift, b->cycle, len);
  cycles(b, fill);
  for (uint32_t c = 0; c < 400; c++) {
    cycle(b);
    for (uint32_t p = 0; p < b->ports; p++)
      if (!b->out.out_valid[p])
        fail_msg("output %u has a gap in cycle %u", p, c);
  }
  drain(b);
  close_bench(b);
}

/* OP-04: shift by four, all traffic over the central buffers, at 1 flit a cycle and port. */
static void a_shift_by_four_runs_at_full_rate(void **state) {
  (void)state;
  expect_full_rate(OPA, "VLS=2" SET_A, 4, 64, 1500);
  expect_full_rate(OPA, "VLS=2", 4, 64, 1500);
  expect_full_rate(OPA, "MPORTS=2 VLS=2", 4, 32, 3000);
  expect_full_rate(OPA, "MPORTS=2 VLS=2", 1, 16, 1500);
}

/* IB-01: a permutation passes the crossbar at full rate, also without a speed-up. */
static void a_permutation_runs_at_full_rate(void **state) {
  (void)state;
  expect_full_rate(IB, "PORTS=8 SPEEDUP=1", 3, 8, 500);
  expect_full_rate(IB, "PORTS=8 SPEEDUP=2", 0, 16, 500);
  expect_full_rate(IB, "PORTS=36 SPEEDUP=1", 1, 40, 300);
}

/* OP-11: inputs that always want the same output get equal shares, in turn. */
static void saturating_inputs_share_an_output_equally(void **state) {
  (void)state;
  for (enum switch_kind kind = IB; kind <= OPA; kind++) {
    struct switch_bench *b = open_bench(kind, SMALL);
    for (uint32_t n = 0; n < 100; n++)
      for (uint32_t p = 0; p < 4; p++)
        post(b, p, 0, 0, 3, 8);
    cycles(b, 600);
    uint32_t from = b->delivered;
    cycles(b, 8 * 200);
    assert_in_range(b->delivered - from, 198, 200);
    uint32_t share[4] = {0};
    for (uint32_t n = 1; n < b->packets; n++)
      if (b->packet[n].head && b->packet[n].tail >= b->cycle - 8 * 200)
        share[b->packet[n].port]++;
    for (uint32_t p = 0; p < 4; p++)
      assert_in_range(share[p], 49, 51);
    drain(b);
    close_bench(b);
  }
}

/* OP-11, two stages: an output serves its four own inputs and each central buffer in turn, and a
 * central buffer the inputs of its MPort. */
static void central_buffers_share_an_output_like_inputs(void **state) {
  (void)state;
  struct switch_bench *b = open_bench(OPA, SMALL);
  for (uint32_t n = 0; n < 150; n++)
    for (uint32_t p = 0; p < 8; p++)
      post(b, p, 0, 0, 2, 8);
  cycles(b, 1200);
  uint64_t from = b->cycle;
  cycles(b, 8 * 300);
  uint32_t share[8] = {0};
  for (uint32_t n = 1; n < b->packets; n++)
    if (b->packet[n].tail >= from)
      share[b->packet[n].port]++;
  for (uint32_t p = 0; p < 8; p++)
    assert_in_range(share[p], p < 4 ? 59 : 14, p < 4 ? 61 : 16);
  drain(b);
  close_bench(b);
}

/* Words of up to n flits that a packet of 48 flits takes. */
static uint32_t words_of_48(uint32_t n) { return 6 * ((UNIT + n - 1) / n); }

/* Two packets of 48 flits from inputs 0 and 1 that want one target: cycles between the grants of
 * the inputs, and of the central buffer. Long stages, so that every packet is there before it goes.
 */
static void expect_spacing(enum switch_kind kind, uint32_t spd_m, uint32_t spd_c) {
  char params[800];
  snprintf(params, sizeof params,
           SMALL " ROUTING_CYCLES=64 ALLOCATION_CYCLES=64 CROSSBAR_CYCLES=16 SPEEDUP=%u "
                 "MPORT_SPEEDUP=%u CENTRAL_SPEEDUP=%u",
           kind == IB ? spd_m : 1, spd_m, spd_c);
  struct switch_bench *b = open_bench(kind, params);
  uint64_t granted[2] = {0}, central[2] = {0};
  uint32_t grants = 0;
  post(b, 0, 0, 0, 4, 48);
  post(b, 1, 0, 0, kind == IB ? 4 : 6, 48);
  for (uint32_t c = 0; c < 600; c++) {
    cycle(b);
    for (uint32_t p = 0; p < 2; p++)
      if (b->probe.granted >> p & 1)
        granted[p] = b->cycle;
    if (b->probe.central_granted & 1)
      central[grants++] = b->cycle;
  }
  assert_int_equal(granted[1] - granted[0], words_of_48(spd_m));
  if (kind == OPA)
    assert_int_equal(central[1] - central[0], words_of_48(loom_min(spd_m, spd_c)));
  drain(b);
  close_bench(b);
}

/* OP-04, IB-01: so many flits a cycle, and a word ends where a cell ends: 8 flits at 3 a cycle take
 * 3 cycles. */
static void a_word_ends_where_a_cell_ends(void **state) {
  (void)state;
  for (uint32_t m = 1; m <= 4; m++)
    for (uint32_t c = 1; c <= 4; c++)
      expect_spacing(OPA, m, c);
  expect_spacing(IB, 1, 1);
  expect_spacing(IB, 2, 1);
}

/* OP-11, stage 1: an input serves its lanes in turn. Packets of one flit come faster than they go;
 * lane after lane they pile up, and then leave by turns, as the credits show. */
static void an_input_serves_its_lanes_in_turn(void **state) {
  (void)state;
  for (enum switch_kind kind = IB; kind <= OPA; kind++) {
    struct switch_bench *b = open_bench(kind, SMALL);
    for (uint32_t n = 0; n < 60; n++) /* nobody knows their destination, so only the input counts */
      post(b, 1, n / 20, 0, 100, 1);
    uint32_t vl[60], seen = 0;
    for (uint32_t c = 0; c < 300; c++) {
      cycle(b);
      if (b->out.in_cr_valid[1] && c > 46)
        vl[seen++] = (uint32_t)b->out.in_cr_vl[1];
    }
    assert_true(seen > 24);
    for (uint32_t i = 1; i < 20; i++)
      assert_int_equal(vl[i], (vl[i - 1] + 1) % 3);
    drain(b);
    close_bench(b);
  }
}

/* Packets of one unit that this output has sent of these two VLs since a cycle. */
static void shares(const struct switch_bench *b, uint64_t from, uint32_t *share) {
  share[0] = share[1] = 0;
  for (uint32_t n = 1; n < b->packets; n++)
    if (b->packet[n].tail >= from)
      share[b->packet[n].vl]++;
}

static void weigh(struct switch_bench *b, uint32_t window, uint32_t heavy, uint32_t light) {
  for (uint32_t k = 0; k < 32; k++)
    write_reg(b, window + LOOM_SWITCH_WIN_TABLE + k, 0);
  write_reg(b, window + LOOM_SWITCH_WIN_TABLE + 0, 0u << 8 | heavy);
  write_reg(b, window + LOOM_SWITCH_WIN_TABLE + 1, 1u << 8 | light);
}

/* DT-04, IB-04: the weights of the table at an output decide how its lanes share it, if the
 * crossbar brings more than it can send. */
static void the_weights_at_an_output_decide_how_its_lanes_share_it(void **state) {
  (void)state;
  for (enum switch_kind kind = IB; kind <= OPA; kind++)
    for (uint32_t sched = 2; sched < 4; sched++) {
      char params[800];
      snprintf(params, sizeof params, SMALL " ARB_KEY=0 SPEEDUP=2 SCHED=%u", sched);
      struct switch_bench *b = open_bench(kind, params);
      weigh(b, port_reg(2, 0), 12, 4);
      for (uint32_t n = 0; n < 300; n++)
        for (uint32_t p = 0; p < 2; p++)
          post(b, p, p, p, 2, 8);
      cycles(b, 800);
      uint32_t share[2];
      cycles(b, 8 * 160);
      shares(b, b->cycle - 8 * 160, share);
      assert_in_range(share[0], 119, 121);
      assert_in_range(share[1], 39, 41);
      drain(b);
      close_bench(b);
    }
}

/* SC-09: so do those of a scheduler at a central buffer, for two outputs that it feeds at 1 flit a
 * cycle in all. */
static void the_weights_at_a_central_buffer_decide_its_shares(void **state) {
  (void)state;
  struct switch_bench *b = open_bench(OPA, SMALL " ARB_KEY=0 CENTRAL_SCHED=2 CENTRAL_SPEEDUP=1");
  weigh(b, central_reg(0, 0), 12, 4);
  for (uint32_t n = 0; n < 300; n++)
    for (uint32_t p = 0; p < 2; p++)
      post(b, p, p, p, 4 + 2 * p, 8);
  cycles(b, 1000);
  uint32_t share[2];
  cycles(b, 1600);
  shares(b, b->cycle - 1600, share);
  assert_true(share[0] + share[1] > 90);
  assert_true(share[0] + 3 >= 3 * share[1] && share[0] <= 3 * share[1] + 3);
  drain(b);
  close_bench(b);
}

/* ---- lanes ----------------------------------------------------------------------------------- */

/* IB-02, OP-18: which VLs there are, and that VL 15 is the last lane or lane 15. */
static void vl_15_is_the_last_lane_or_lane_15(void **state) {
  (void)state;
  static const struct {
    uint32_t vls, exist, mgmt;
  } golden[] = {{2, 0x00008001, 1},
                {9, 0x000080FF, 8},
                {16, 0x0000FFFF, 15},
                {17, 0x0001FFFF, 15},
                {32, 0xFFFFFFFF, 15}};
  for (enum switch_kind kind = IB; kind <= OPA; kind++)
    for (uint32_t i = 0; i < 5; i++) {
      char params[800];
      snprintf(params, sizeof params, MANY_LANES " VLS=%u", golden[i].vls);
      struct switch_bench *b = open_bench(kind, params);
      for (uint32_t vl = 0; vl < 32; vl++) {
        uint32_t sc = kind == OPA ? 0 : 9, n = post(b, 2, vl, sc, 1, 9);
        if (golden[i].exist >> vl & 1) {
          await(b, n);
          uint32_t lane = vl == 15 ? golden[i].mgmt : vl;
          assert_int_equal(read_port(b, 2, LOOM_SWITCH_WIN_IN_PACKETS + lane), 1);
          assert_int_equal(read_port(b, 2, LOOM_SWITCH_WIN_IN_FLITS + lane), 9);
          assert_int_equal(b->packet[n].fate.vl, kind == OPA ? 0 : vl);
        } else {
          cycles(b, 20);
          assert_int_equal(read_reg(b, LOOM_SWITCH_REG_TRAP), trap_word(BAD_HEAD, 2, vl, 1));
        }
      }
      drain(b);
      check_counters(b);
      close_bench(b);
    }
}

/* What is counted of grants is what the tables can decide: management goes before them. */
static void grants_leave_out_packets_of_management(void **state) {
  (void)state;
  for (enum switch_kind kind = IB; kind <= OPA; kind++) {
    struct switch_bench *b = open_bench(kind, SMALL);
    const struct loom_switch *s = kind == IB ? &b->ib->core : &b->opa->core;
    const struct loom_sched_grants *g = &s->output[1].grants;
    for (uint32_t n = 0; n < 9; n++)
      post(b, 2, 15, 15, 1, 9);
    drain(b);
    assert_int_equal(read_port(b, 1, LOOM_SWITCH_WIN_OUT_PACKETS + 3), 9);
    assert_int_equal(g->all, 0);
    /* Beside another flow each time one of the two is alone, or comes first. */
    for (uint32_t n = 0; n < 9; n++) {
      post(b, 2, 15, 15, 1, 9);
      post(b, 3, 0, 0, 1, 9);
    }
    drain(b);
    assert_int_equal(read_port(b, 1, LOOM_SWITCH_WIN_OUT_PACKETS + 3), 18);
    assert_int_equal(g->all, 9);
    assert_int_equal(g->contended, 0);
    close_bench(b);
  }
}

/* ---- rules of routing ------------------------------------------------------------------------ */

static void expect_out(const struct switch_bench *b, uint32_t out, uint32_t vl, uint32_t sc) {
  const struct packet *p = &b->packet[b->packets - 1];
  assert_int_equal(p->fate.cause, GOES);
  assert_int_equal(p->fate.out, out);
  assert_int_equal(p->fate.vl, vl);
  assert_int_equal(p->fate.sc, sc);
}

/* IB-02: SL2VL per input, output and SL; the SL is never changed. */
static void sl2vl_decides_the_vl_and_the_sl_stays(void **state) {
  (void)state;
  struct switch_bench *b = open_bench(IB, SMALL);
  send_alone(b, 1, 2, 7, 3, 4); /* map off: the VL stays */
  expect_out(b, 3, 2, 7);
  set_control(b, 1);
  set_map(b, 1, 3, 7, 0);
  set_map(b, 1, 4, 7, 1);
  set_map(b, 2, 3, 7, 2);
  set_map(b, 1, 3, 8, 15);
  set_map(b, 1, 3, 9, 3); /* no lane */
  set_map(b, 1, 3, 15, 1);
  assert_int_equal(send_alone(b, 1, 2, 7, 3, 4), 0);
  expect_out(b, 3, 0, 7);
  assert_int_equal(send_alone(b, 1, 2, 7, 4, 4), 0);
  expect_out(b, 4, 1, 7);
  assert_int_equal(send_alone(b, 2, 0, 7, 3, 4), 0);
  expect_out(b, 3, 2, 7);
  assert_int_equal(send_alone(b, 1, 2, 8, 3, 4), trap_word(NO_VL, 1, 2, 3));
  assert_int_equal(send_alone(b, 1, 0, 9, 3, 4), trap_word(NO_VL, 1, 0, 3));
  assert_int_equal(send_alone(b, 1, 0, 15, 3, 4), 0); /* SL 15 is one like others */
  expect_out(b, 3, 1, 15);
  assert_int_equal(send_alone(b, 1, 15, 8, 3, 4), 0); /* VL15 is not mapped */
  expect_out(b, 3, 15, 8);
  set_control(b, 2); /* bit 1 means nothing */
  assert_int_equal(send_alone(b, 1, 2, 8, 3, 4), 0);
  expect_out(b, 3, 2, 8);
  drain(b);
  check_counters(b);
  close_bench(b);
}

/* OP-18: SC decides the VL, whatever VL the packet came on; SC 15 is management and is not looked
 * up; an SC may not become 15. The head says the new SC. */
static void the_sc_decides_the_vl_whatever_vl_the_packet_came_on(void **state) {
  (void)state;
  struct switch_bench *b = open_bench(OPA, SMALL);
  set_sc2vl(b, 9, 1);
  set_sc2vl(b, 10, 15);
  set_sc2vl(b, 11, 3); /* no lane */
  set_sc2vl(b, 15, 0);
  assert_int_equal(send_alone(b, 1, 2, 9, 2, 4), 0);
  expect_out(b, 2, 1, 9);
  assert_int_equal(send_alone(b, 1, 15, 9, 6, 4), 0);
  expect_out(b, 6, 1, 9);
  assert_int_equal(send_alone(b, 1, 2, 10, 2, 4), trap_word(NO_VL, 1, 2, 2));
  assert_int_equal(send_alone(b, 1, 15, 11, 6, 4), trap_word(NO_VL, 1, 3, 6)); /* lane 3 is VL15 */
  assert_int_equal(send_alone(b, 1, 0, 15, 6, 4), 0);
  expect_out(b, 6, 15, 15);
  drain(b);
  check_counters(b);
  close_bench(b);
}

/* OP-10, OP-18: the four ways to a new SC. */
static void there_are_four_ways_to_a_new_sc(void **state) {
  (void)state;
  struct switch_bench *b = open_bench(OPA, SMALL);
  set_map(b, 1, 6, 2, 20); /* SC2SC of input 1, output 6 */
  set_map(b, 1, 6, 15, 2);
  set_map(b, 1, 6, 3, 15);
  set_sc2sl(b, 2, 5);
  set_sl2sc(b, 5, 21);
  set_sc2vl(b, 2, 0);
  set_sc2vl(b, 20, 1);
  set_sc2vl(b, 21, 2);
  static const uint32_t sc[] = {2, 20, 21, 2}, vl[] = {0, 1, 2, 0};
  for (uint32_t mode = 0; mode < 4; mode++) {
    set_control(b, mode);
    assert_int_equal(send_alone(b, 1, 1, 2, 6, 9), 0);
    expect_out(b, 6, vl[mode], sc[mode]);
    assert_int_equal(send_alone(b, 1, 1, 15, 6, 9), 0); /* management stays */
    expect_out(b, 6, 15, 15);
  }
  set_control(b, 1);
  assert_int_equal(send_alone(b, 1, 1, 3, 6, 1), trap_word(NO_VL, 1, 1, 6)); /* sc' = 15 */
  drain(b);
  check_counters(b);
  close_bench(b);
}

/* OP-19: the SL of the packet, under which it is counted at the output, is SC2SL of the new SC. */
static void a_packet_is_counted_under_the_sl_of_its_new_sc(void **state) {
  (void)state;
  struct switch_bench *b = open_bench(OPA, SMALL);
  set_sc2sl(b, 2, 5);
  set_sc2sl(b, 1, 30);
  set_sc2sl(b, 15, 7);
  set_map(b, 1, 6, 2, 1);
  set_control(b, 1);
  send_alone(b, 1, 0, 2, 6, 10);
  send_alone(b, 1, 0, 15, 6, 3);
  assert_int_equal(read_port(b, 6, LOOM_SWITCH_WIN_SL_FLITS + 30), 10);
  assert_int_equal(read_port(b, 6, LOOM_SWITCH_WIN_SL_PACKETS + 30), 1);
  assert_int_equal(read_port(b, 6, LOOM_SWITCH_WIN_SL_FLITS + 7), 3); /* management too */
  assert_int_equal(read_port(b, 6, LOOM_SWITCH_WIN_SL_PACKETS + 5), 0);
  drain(b);
  close_bench(b);
}

/* ---- when tables are looked at --------------------------------------------------------------- */

static void write_lft(struct switch_bench *b) { set_lft(b, 2, 3); }
static void write_lft_count(struct switch_bench *b) { set_lft_count(b, 2); }
static void write_map(struct switch_bench *b) { set_map(b, 1, 2, 1, 2); }
static void write_mode(struct switch_bench *b) { set_control(b, 0); }
static void write_sc2vl(struct switch_bench *b) { set_sc2vl(b, 0, 2); }
static void write_sc2sl(struct switch_bench *b) { set_sc2sl(b, 1, 7); }
static void write_sl2sc(struct switch_bench *b) { set_sl2sc(b, 1, 2); }

/* A write decoded in cycle d changes what becomes of a packet whose head came in cycle 0 iff it
 * takes effect before the look: the LFT and its count are looked at in e, the map in e + 1, the
 * others in e + 2, and a write is seen by looks of later cycles only. */
static void expect_look(enum switch_kind kind, uint32_t mode, void (*change)(struct switch_bench *),
                        uint32_t look) {
  for (uint32_t d_in = 0; d_in < 11; d_in += 10)
    for (uint32_t decoded = 0; decoded < d_in + 5; decoded++) {
      struct switch_bench *b = open_bench(
          kind, d_in ? SMALL " ROUTING_CYCLES=7 BUFFER_CYCLES=5 ALLOCATION_CYCLES=3" : SMALL);
      set_control(b, mode);
      set_map(b, 1, 2, 1, 0); /* SL or SC 1: VL 0, SC 0 */
      set_sl2sc(b, 1, 0);
      b->tables_change = true;
      uint64_t from = b->cycle + 10;
      uint32_t n = post_at(b, from, 1, 1, 1, 2, 1);
      cycle_until(b, from + decoded - 1);
      change(b);
      cycles(b, 60);
      const struct packet *p = &b->packet[n];
      bool old = p->tail && p->out == 2 && p->out_vl == 0;
      assert_int_equal(old, decoded >= d_in + look);
      close_bench(b);
    }
}

/* OP-10. */
static void tables_are_looked_at_in_their_cycle(void **state) {
  (void)state;
  for (enum switch_kind kind = IB; kind <= OPA; kind++) {
    expect_look(kind, 1, write_lft, 0);
    expect_look(kind, 1, write_lft_count, 0);
    expect_look(kind, 1, write_map, 1);
    expect_look(kind, 1, write_mode, 2);
  }
  expect_look(OPA, 1, write_sc2vl, 2);
  expect_look(OPA, 2, write_sc2sl, 2);
  expect_look(OPA, 2, write_sl2sc, 2);
}

/* OP-10: the largest LFT: its last LID is one like others. */
static void the_last_lid_of_the_largest_lft_is_one_like_others(void **state) {
  (void)state;
  for (enum switch_kind kind = IB; kind <= OPA; kind++) {
    struct switch_bench *b = open_bench(kind, SMALL " LIDS=65536");
    set_lft(b, 65535, 6);
    set_lft_count(b, 65536);
    send_alone(b, 1, 0, 0, 65535, 9);
    expect_out(b, 6, 0, 0);
    set_lft_count(b, 65535);
    assert_int_equal(send_alone(b, 1, 0, 0, 65535, 9), trap_word(UNKNOWN, 1, 0, 65535));
    drain(b);
    close_bench(b);
  }
}

/* A VL that has a lane, mostly. */
static uint32_t some_vl(uint64_t *seed, uint32_t vls) {
  return loom_chance(seed, 85) ? end_vl(vls, loom_below(seed, vls)) : loom_below(seed, 32);
}

static void random_tables(struct switch_bench *b, uint64_t *seed) {
  for (uint32_t lid = 0; lid < 40; lid++)
    set_lft(b, lid, loom_chance(seed, 85) ? loom_below(seed, b->ports) : loom_below(seed, 64));
  set_lft_count(b, 36);
  for (uint32_t i = 0; i < 32; i++) {
    if (b->kind == OPA) {
      set_sc2vl(b, i, some_vl(seed, b->vls));
      set_sc2sl(b, i, loom_below(seed, 32));
      set_sl2sc(b, i, loom_below(seed, 32));
    }
    for (uint32_t in = 0; in < b->ports; in++)
      for (uint32_t out = 0; out < b->ports; out++)
        set_map(b, in, out, i, b->kind == OPA ? loom_below(seed, 32) : some_vl(seed, b->vls));
  }
}

/* IB-02, OP-10, OP-18: random tables, packets one after another: each has the fate that the page
 * gives it, a trap if it does not go on, and is counted. */
static void random_tables_give_each_packet_the_fate_of_the_page(void **state) {
  (void)state;
  static const uint32_t vls[] = {2, 4, 9, 16, 32};
  uint64_t seed = 18;
  for (enum switch_kind kind = IB; kind <= OPA; kind++)
    for (uint32_t i = 0; i < 5; i++) {
      char params[800];
      snprintf(params, sizeof params, MANY_LANES " VLS=%u", vls[i]);
      struct switch_bench *b = open_bench(kind, params);
      random_tables(b, &seed);
      for (uint32_t n = 0; n < 160; n++) {
        if (n % 40 == 0)
          set_control(b, n / 40);
        uint32_t port = loom_below(&seed, b->ports), vl = some_vl(&seed, b->vls);
        uint32_t dest = loom_below(&seed, 44),
                 len = 1 + loom_below(&seed, loom_chance(&seed, 90) ? 20 : 80);
        uint32_t trap = send_alone(b, port, vl, loom_below(&seed, 32), dest, len);
        uint32_t cause = b->packet[b->packets - 1].fate.cause;
        uint32_t lane = end_lane(b->vls, vl);
        assert_int_equal(trap,
                         cause ? trap_word(cause, port, lane == END_NO_LANE ? vl : lane, dest) : 0);
      }
      drain(b);
      check_counters(b);
      close_bench(b);
    }
}

/* OP-18, IB-02: management goes before everything that waits at an output. */
static void management_goes_before_everything_that_waits(void **state) {
  (void)state;
  for (enum switch_kind kind = IB; kind <= OPA; kind++)
    for (uint32_t sched = 0; sched < 4; sched++) {
      char params[800];
      snprintf(params, sizeof params, SMALL " SCHED=%u", sched);
      struct switch_bench *b = open_bench(kind, params);
      hold(b, 1, true);
      for (uint32_t n = 0; n < 9; n++)
        post(b, n % 4, n % 3, n % 3, 1, 8);
      cycles(b, 120);
      uint32_t mgmt = post(b, 6, 15, 15, 1, 4);
      cycles(b, 60);
      assert_int_equal(b->delivered, 0);
      hold(b, 1, false);
      await(b, mgmt);
      assert_int_equal(b->delivered, 1);
      drain(b);
      check_counters(b);
      close_bench(b);
    }
}

/* ---- allocation and buffers ------------------------------------------------------------------ */

/* OP-06, OP-08: a buffer takes a packet in while it has room for the largest one of the lane: with
 * 16 units and packets of one, of which 8 must be free, 9. So do a central buffer and an output. */
static void a_buffer_takes_packets_while_the_largest_has_room(void **state) {
  (void)state;
  for (enum switch_kind kind = IB; kind <= OPA; kind++)
    for (uint32_t out = 1; out < 8; out += 4) {
      struct switch_bench *b = open_bench(kind, NO_RESERVE);
      bool via = crosses(b, 2, out);
      hold(b, out, true);
      for (uint32_t n = 0; n < 40; n++)
        post(b, 2, 0, 0, out, 8);
      cycles(b, 500);
      assert_int_equal(read_port(b, out, LOOM_SWITCH_WIN_PEAK_OUT), 9);
      assert_int_equal(read_port(b, 2, LOOM_SWITCH_WIN_PEAK_IN), 16);
      assert_int_equal(read_port(b, 2, LOOM_SWITCH_WIN_IN_PACKETS), via ? 34 : 25);
      for (uint32_t i = 0; i < b->centrals; i++)
        assert_int_equal(read_reg(b, central_reg(i, LOOM_SWITCH_WIN_PEAK_IN)),
                         via && i == 1 ? 9 : 0);
      hold(b, out, false);
      drain(b);
      check_counters(b);
      close_bench(b);
    }
}

/* OP-06: a lane without room at its output does not stand in the way of another lane, neither in
 * the input buffer nor in the central buffers one, whatever chooses there: the other goes as if
 * alone. */
static void a_full_lane_stops_no_other(void **state) {
  (void)state;
  for (uint32_t i = 0; i < 7; i++) {
    enum switch_kind kind = i == 0 ? IB : OPA;
    uint32_t central_sched = i < 2 ? 4 : i - 2, full = i < 2 ? 2 : 4, other = i < 2 ? 3 : 6;
    char params[800];
    snprintf(params, sizeof params, SMALL " VLS=3 CELLS_OUT=32 CELLS_CENTRAL=32 CENTRAL_SCHED=%u",
             central_sched);
    struct switch_bench *b = open_bench(kind, params);
    hold(b, full, true);
    for (uint32_t n = 0; n < 40; n++) /* 9 in each buffer on the way, the rest in the input's */
      post(b, 0, 0, 0, full, 8);
    cycles(b, 500);
    assert_int_equal(read_port(b, full, LOOM_SWITCH_WIN_PEAK_OUT), 9);
    assert_true(read_port(b, 0, LOOM_SWITCH_WIN_PEAK_IN) >= 22);
    for (uint32_t from = 0; from < 4; from += 2) { /* the input that is full itself, and another */
      const struct packet *p = await(b, post(b, from, 1, 1, other, 20));
      assert_int_equal(p->head - p->sent, latency(b, from, other));
      cycles(b, 12);
    }
    assert_int_equal(b->delivered, 2);
    hold(b, full, false);
    drain(b);
    check_counters(b);
    close_bench(b);
  }
}

/* OP-06: a tracker takes the low bits of what is written, as many as its counts have: 6 for 63
 * units, 7 for 64, 12 at the far end. With more, nothing would be admitted. */
static void a_tracker_takes_the_low_bits_of_what_is_written(void **state) {
  (void)state;
  for (enum switch_kind kind = IB; kind <= OPA; kind++)
    for (uint32_t units = 63; units <= 64; units++) {
      char params[800];
      snprintf(params, sizeof params, SMALL " CELLS_IN=%u CELLS_CENTRAL=%u CELLS_OUT=%u", units,
               units, units);
      struct switch_bench *b = open_bench(kind, params);
      uint32_t above = units == 63 ? 0xFFFFFFC0 : 0xFFFFFF80;
      write_reg(b,
                LOOM_SWITCH_REG_PORTS + R_ALL + LOOM_SWITCH_WIN_TRACKER_IN + LOOM_TRACKER_REG_TOTAL,
                above | units);
      write_reg(
          b, LOOM_SWITCH_REG_PORTS + R_ALL + LOOM_SWITCH_WIN_TRACKER_OUT + LOOM_TRACKER_REG_TOTAL,
          above | units);
      write_reg(
          b, LOOM_SWITCH_REG_PORTS + R_ALL + LOOM_SWITCH_WIN_TRACKER_FAR + LOOM_TRACKER_REG_TOTAL,
          0xFFFFF000 | 64);
      write_reg(
          b, LOOM_SWITCH_REG_CENTRALS + R_ALL + LOOM_SWITCH_WIN_TRACKER_IN + LOOM_TRACKER_REG_TOTAL,
          above | units);
      cycles(b, 4);
      for (uint32_t out = 0; out < 8; out++)
        expect_latency(b, 1, out, 60, latency(b, 1, out));
      drain(b);
      close_bench(b);
    }
}

/* Fills a buffer of 24 units, first with lane 0, then with lane 1, after this write to its tracker:
 * the most of both lanes. Of 24 units 8 must be free for a packet to be let in. */
static void expect_limits(enum switch_kind kind, bool central, uint32_t t, uint32_t data,
                          const uint32_t *most) {
  struct switch_bench *b =
      open_bench(kind, NO_RESERVE " VLS=3 CELLS_IN=40 CELLS_CENTRAL=24 CELLS_OUT=24");
  uint32_t out = central ? 7 : 3, window = central ? central_reg(1, 0) : port_reg(out, 0);
  write_reg(b, window + (central ? LOOM_SWITCH_WIN_TRACKER_IN : LOOM_SWITCH_WIN_TRACKER_OUT) + t,
            data);
  hold(b, out, true);
  for (uint32_t lane = 0; lane < 2; lane++) {
    for (uint32_t n = 0; n < 40; n++)
      post(b, lane, lane, lane, out, 8);
    cycles(b, 500);
  }
  for (uint32_t lane = 0; lane < 2; lane++)
    assert_int_equal(
        read_reg(b, window + (central ? LOOM_SWITCH_WIN_PEAK_IN : LOOM_SWITCH_WIN_PEAK_OUT) + lane),
        most[lane]);
  hold(b, out, false);
  drain(b);
  check_counters(b);
  close_bench(b);
}

/* OP-06: reserve and cap of a lane, written by the bus, hold at every buffer: 8 units for lane 1
 * are never lane 0's; with a cap of 11 it gets in while it has 3. */
static void reserve_and_cap_of_a_lane_hold_at_every_buffer(void **state) {
  (void)state;
  enum { RESERVED = LOOM_TRACKER_REG_RESERVED, CAP = LOOM_TRACKER_REG_CAP };
  static const uint32_t free[] = {17, 0}, reserved[] = {9, 8}, cap[] = {4, 13};
  for (uint32_t i = 0; i < 3; i++) {
    enum switch_kind kind = i == 0 ? IB : OPA;
    expect_limits(kind, i == 2, RESERVED + 1, 0, free);
    expect_limits(kind, i == 2, RESERVED + 1, 8, reserved);
    expect_limits(kind, i == 2, CAP + 0, 11, cap);
  }
}

/* OP-06: a target is not free while its tracker is written, nor in the cycle after it. The smallest
 * set: the packet asks for its target in the third cycle, for the output after the central buffers
 * in the fourth. */
static void the_write_of_a_tracker_delays_its_packets(void **state) {
  (void)state;
  for (uint32_t i = 0; i < 4; i++)
    for (uint32_t decoded = 0; decoded < 9; decoded++) {
      struct switch_bench *b = open_bench(i == 0 ? IB : OPA, SMALL);
      uint32_t out = i >= 2 ? 6 : 2, asks = i == 3 ? 4 : 3;
      uint32_t addr = i == 2 ? central_reg(0, LOOM_SWITCH_WIN_TRACKER_IN)
                             : port_reg(out, LOOM_SWITCH_WIN_TRACKER_OUT);
      uint64_t from = b->cycle + 10;
      uint32_t n = post_at(b, from, 1, 0, 0, out, 4);
      cycle_until(b, from + decoded - 1);
      write_reg(b, addr + LOOM_TRACKER_REG_TOTAL, 64);
      const struct packet *p = await(b, n);
      uint32_t delay = decoded == asks ? 2 : decoded == asks - 1 ? 1 : 0;
      assert_int_equal(p->head - p->sent, latency(b, 1, out) + delay);
      drain(b);
      close_bench(b);
    }
}

/* OP-13: a grant that the far tracker refuses, because it is written in this very cycle, is lost
 * and counted; the packet goes five cycles later. */
static void a_grant_that_the_far_tracker_refuses_is_lost_and_counted(void **state) {
  (void)state;
  for (enum switch_kind kind = IB; kind <= OPA; kind++)
    for (uint32_t decoded = 4; decoded < 8; decoded++) {
      struct switch_bench *b = open_bench(kind, SMALL);
      uint64_t from = b->cycle + 10;
      uint32_t n = post_at(b, from, 1, 0, 0, 2, 9);
      cycle_until(b, from + decoded - 1);
      write_reg(b, port_reg(2, LOOM_SWITCH_WIN_TRACKER_FAR + LOOM_TRACKER_REG_TOTAL), 64);
      const struct packet *p = await(b, n);
      assert_int_equal(p->head - p->sent, decoded == 7 ? 13 : 8);
      assert_int_equal(read_port(b, 2, LOOM_SWITCH_WIN_GRANTS_LOST), decoded == 7);
      assert_int_equal(read_port(b, 2, LOOM_SWITCH_WIN_OUT_PACKETS), 1);
      drain(b);
      close_bench(b);
    }
}

/* OP-13: packets of 5 flits and more leave without a gap; shorter ones one every 5 cycles. */
static void packets_of_5_flits_and_more_leave_without_a_gap(void **state) {
  (void)state;
  enum { PACKETS = 30 };
  for (uint32_t i = 0; i < 8; i++)
    for (uint32_t len = 1; len <= 14; len += len < 6 ? 1 : 4) {
      char params[800];
      snprintf(params, sizeof params, MANY_LANES " SCHED=%u", i / 2);
      struct switch_bench *b = open_bench(i % 2 ? OPA : IB, params);
      hold(b, 3, true);
      for (uint32_t n = 0; n < PACKETS; n++)
        post(b, n % 4, n % 3, n % 3, 3, len);
      cycles(b, 300);
      assert_int_equal(b->delivered, 0);
      hold(b, 3, false);
      uint64_t first = ~0ull, last = 0;
      cycles(b, PACKETS * 14 + 40);
      for (uint32_t n = 1; n <= PACKETS; n++) {
        first = b->packet[n].head < first ? b->packet[n].head : first;
        last = b->packet[n].tail > last ? b->packet[n].tail : last;
      }
      assert_int_equal(last - first + 1, len >= 5 ? PACKETS * len : (PACKETS - 1) * 5 + len);
      drain(b);
      close_bench(b);
    }
}

/* OP-13: the next packet is chosen from the cycle on in which 8 flits are left: of what is in view
 * in the cycle before. A packet of 40 flits is read from cycle 57 on, so that is 89; management
 * that is in view in 88, 54 cycles after its head, goes before what waits already, later it does
 * not. */
static void the_next_packet_is_chosen_eight_flits_before_the_end(void **state) {
  (void)state;
  for (enum switch_kind kind = IB; kind <= OPA; kind++)
    for (uint32_t at = 28; at < 40; at++) {
      struct switch_bench *b =
          open_bench(kind, SMALL " ROUTING_CYCLES=52 SPEEDUP=2 MPORT_SPEEDUP=4");
      uint64_t from = b->cycle;
      post(b, 0, 0, 0, 3, 40);
      uint32_t data = post_at(b, from + 25, 1, 1, 1, 3, 1);
      uint32_t mgmt = post_at(b, from + at, 2, 15, 15, 3, 1);
      drain(b);
      assert_int_equal(b->packet[1].head - from, 58);
      assert_int_equal(b->packet[mgmt].head < b->packet[data].head, at + 54 <= 88);
      close_bench(b);
    }
}

/* OP-13: hold stops the searches from the cycle after its write is decoded; what is decided goes
 * out. */
static void hold_stops_the_searches_from_the_cycle_after_its_write(void **state) {
  (void)state;
  for (uint32_t i = 0; i < 3; i++)
    for (uint32_t at = 0; at < 11; at++) {
      struct switch_bench *b = open_bench(i == 0 ? IB : OPA, SMALL);
      uint32_t out = i == 2 ? 5 : 1;
      uint64_t from = b->cycle;
      uint32_t n = post(b, 1, 0, 0, out, 3);
      uint32_t alone = latency(b, 1, out);
      cycle_until(b, from + at);
      hold(b, out, true);
      cycle_until(b, from + 40);
      hold(b, out, false);
      const struct packet *p = await(b, n);
      /* The search is three cycles before the head shows; released, it is in cycle 42. */
      assert_int_equal(p->head - p->sent, at + 2 <= alone - 3 ? 45 : alone);
      assert_int_equal(read_port(b, out, LOOM_SWITCH_WIN_HOLD), 0);
      drain(b);
      close_bench(b);
    }
}

/* OP-08: nothing goes without credits for all of it; each unit that comes back counts. Cycles in
 * which a head waits for credits are counted. */
static void nothing_goes_without_credits_for_all_of_it(void **state) {
  (void)state;
  for (enum switch_kind kind = IB; kind <= OPA; kind++) {
    struct switch_bench *b = open_bench(kind, SMALL " VLS=2 REMOTE_UNITS=16 REMOTE_RESERVED=4");
    b->stopped = 1 << 3;
    for (uint32_t i = 0; i < 3; i++) /* 12 units: all that VL 0 may have */
      post(b, 0, 0, 0, 3, 32);
    cycles(b, 150);
    assert_int_equal(b->delivered, 3);
    assert_int_equal(read_port(b, 3, LOOM_SWITCH_WIN_STALLS), 0);
    cycles(b, 3);
    uint64_t from = b->cycle;
    uint32_t n = post(b, 0, 0, 0, 3, 9); /* two units */
    cycles(b, 50);
    b->stopped = 0; /* two units come back, in cycles 50 and 51 */
    cycles(b, 2);
    b->stopped = 1 << 3;
    const struct packet *p = await(b, n);
    /* The second unit is on the link in 51, returned in 52, seen in 53: search in 54. The head is
     * in view from cycle 4 on, and too large until 52. */
    assert_int_equal(p->head - from, 57);
    assert_int_equal(read_port(b, 3, LOOM_SWITCH_WIN_STALLS), 52 - 4 + 1);
    assert_int_equal(read_port(b, 3, LOOM_SWITCH_WIN_STALLS + 1), 0);
    drain(b);
    check_counters(b);
    close_bench(b);
  }
}

/* ---- everything comes out, once, in order ---------------------------------------------------- */

/* Moods of a run. */
struct crowd {
  uint32_t packets, longest; /* a port; flits */
  uint32_t pause, credits;   /* percent */
};

/* The VL on which a port sends an SC: one, so that a flow has an order. */
static uint32_t vl_of_flow(const struct switch_bench *b, uint32_t port, uint32_t sc) {
  return end_vl(b->vls, (port * 7 + sc * 5) % b->vls);
}

static void crowd_posts(struct switch_bench *b, const struct crowd *c, uint64_t *seed,
                        uint32_t dests) {
  b->pause = c->pause;
  b->credits = c->credits;
  for (uint32_t n = 0; n < c->packets; n++)
    for (uint32_t port = 0; port < b->ports; port++) {
      uint32_t sc = loom_below(seed, 32),
               len = 1 + loom_below(seed, loom_chance(seed, 50) ? 9 : c->longest);
      /* Most want the first ports, so that these are crowded. */
      uint32_t dest = loom_chance(seed, 40) ? loom_below(seed, 4) : loom_below(seed, dests);
      post(b, port, vl_of_flow(b, port, sc), sc, dest, len);
    }
}

static void conserve(enum switch_kind kind, const char *params, uint32_t control,
                     const struct crowd *c, uint64_t seed) {
  struct switch_bench *b = open_bench(kind, params);
  random_tables(b, &seed);
  set_control(b, control);
  b->unordered = control & 0x10;
  cycles(b, 4);
  crowd_posts(b, c, &seed, 40);
  drain(b);
  check_counters(b);
  assert_true(b->delivered > b->ports * c->packets / 8);
  close_bench(b);
}

static const struct crowd crowds[] = {{40, 64, 0, 100}, {30, 70, 30, 30}, {60, 12, 0, 60}};

/* OP-08, OP-11, OP-13: random traffic through random tables, all schedulers, tight buffers. */
static void nothing_is_lost_in_ib_switch(void **state) {
  (void)state;
  static const char *const more[] = {
      " SCHED=0",
      " SCHED=1 SPEEDUP=2 VLS=2 CELLS_IN=24 CELLS_OUT=20",
      " SCHED=2 ARB_KEY=1 ROUTING_CYCLES=5 CROSSBAR_CYCLES=2",
      " SCHED=3 SPEEDUP=2 ALLOCATION_CYCLES=3 FLIGHT_CYCLES=4 RESERVED_IN=16",
      " SCHED=2 IB_WEIGHTS=1 PORTS=3 BUFFER_CYCLES=9 RESERVED_OUT=0",
      " SCHED=3 VLS=32 CELLS_IN=512 CELLS_OUT=512 REMOTE_UNITS=512"};
  for (uint32_t i = 0; i < 18; i++) {
    char params[800];
    snprintf(params, sizeof params, SMALL "%s", more[i % 6]);
    conserve(IB, params, i % 2, &crowds[i / 6], i);
  }
}

/* OP-08. */
static void nothing_is_lost_in_opa_switch(void **state) {
  (void)state;
  static const char *const more[] = {
      " SCHED=0",
      " SCHED=1 CENTRAL_SCHED=0 MPORT_SPEEDUP=1 CENTRAL_SPEEDUP=1 VLS=2 CELLS_IN=24 "
      "CELLS_CENTRAL=18",
      " SCHED=2 CENTRAL_SCHED=1 ARB_KEY=0 ROUTING_CYCLES=5 CROSSBAR_CYCLES=2 MPORT_SPEEDUP=4",
      " SCHED=3 CENTRAL_SCHED=2 MPORT_SPEEDUP=2 CENTRAL_SPEEDUP=3 ALLOCATION_CYCLES=3 "
      "FLIGHT_CYCLES=4 RESERVED_CENTRAL=16",
      " SCHED=2 CENTRAL_SCHED=3 IB_WEIGHTS=1 BUFFER_CYCLES=9 RESERVED_OUT=0 CELLS_OUT=17",
      " SCHED=0 VLS=32 CELLS_IN=512 CELLS_CENTRAL=512 CELLS_OUT=512 REMOTE_UNITS=512"};
  for (uint32_t i = 0; i < 18; i++) {
    char params[800];
    snprintf(params, sizeof params, SMALL "%s", more[i % 6]);
    conserve(OPA, params, i % 4 | (i % 3 == 2 ? 0x10 : 0), &crowds[i / 6], i + 100);
  }
}

/* OP-01: the published sizes, all ports to all ports. */
static void the_published_sizes_deliver_all_to_all(void **state) {
  (void)state;
  static const struct crowd c = {8, 100, 0, 100};
  for (enum switch_kind kind = IB; kind <= OPA; kind++) {
    struct switch_bench *b = open_bench(kind, "SCHED=2");
    uint64_t seed = 1;
    crowd_posts(b, &c, &seed, b->ports + 1);
    drain(b);
    check_counters(b);
    close_bench(b);
  }
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_size_elaborates),
      cmocka_unit_test(the_storage_is_as_large_as_listed),
      cmocka_unit_test(parameters_out_of_range_are_refused),
      cmocka_unit_test(header_latencies_are_the_published_ones),
      cmocka_unit_test(a_central_scheduler_adds_four_cycles),
      cmocka_unit_test(latencies_follow_from_any_stage_latencies),
      cmocka_unit_test(the_longest_stages_take_packets_one_every_6_cycles),
      cmocka_unit_test(the_allocation_of_one_packet_takes_its_steps_exactly),
      cmocka_unit_test(only_packets_for_another_mport_cross_the_central_buffers),
      cmocka_unit_test(a_static_choice_takes_the_central_buffer_by_parity),
      cmocka_unit_test(an_adaptive_choice_takes_the_least_occupied_central_buffer),
      cmocka_unit_test(a_shift_by_one_has_its_exact_mean_latency),
      cmocka_unit_test(a_shift_by_four_runs_at_full_rate),
      cmocka_unit_test(a_permutation_runs_at_full_rate),
      cmocka_unit_test(saturating_inputs_share_an_output_equally),
      cmocka_unit_test(central_buffers_share_an_output_like_inputs),
      cmocka_unit_test(a_word_ends_where_a_cell_ends),
      cmocka_unit_test(an_input_serves_its_lanes_in_turn),
      cmocka_unit_test(the_weights_at_an_output_decide_how_its_lanes_share_it),
      cmocka_unit_test(the_weights_at_a_central_buffer_decide_its_shares),
      cmocka_unit_test(vl_15_is_the_last_lane_or_lane_15),
      cmocka_unit_test(grants_leave_out_packets_of_management),
      cmocka_unit_test(sl2vl_decides_the_vl_and_the_sl_stays),
      cmocka_unit_test(the_sc_decides_the_vl_whatever_vl_the_packet_came_on),
      cmocka_unit_test(there_are_four_ways_to_a_new_sc),
      cmocka_unit_test(a_packet_is_counted_under_the_sl_of_its_new_sc),
      cmocka_unit_test(tables_are_looked_at_in_their_cycle),
      cmocka_unit_test(the_last_lid_of_the_largest_lft_is_one_like_others),
      cmocka_unit_test(random_tables_give_each_packet_the_fate_of_the_page),
      cmocka_unit_test(management_goes_before_everything_that_waits),
      cmocka_unit_test(a_buffer_takes_packets_while_the_largest_has_room),
      cmocka_unit_test(a_full_lane_stops_no_other),
      cmocka_unit_test(a_tracker_takes_the_low_bits_of_what_is_written),
      cmocka_unit_test(reserve_and_cap_of_a_lane_hold_at_every_buffer),
      cmocka_unit_test(the_write_of_a_tracker_delays_its_packets),
      cmocka_unit_test(a_grant_that_the_far_tracker_refuses_is_lost_and_counted),
      cmocka_unit_test(packets_of_5_flits_and_more_leave_without_a_gap),
      cmocka_unit_test(the_next_packet_is_chosen_eight_flits_before_the_end),
      cmocka_unit_test(hold_stops_the_searches_from_the_cycle_after_its_write),
      cmocka_unit_test(nothing_goes_without_credits_for_all_of_it),
      cmocka_unit_test(nothing_is_lost_in_ib_switch),
      cmocka_unit_test(nothing_is_lost_in_opa_switch),
      cmocka_unit_test(the_published_sizes_deliver_all_to_all),
  };
  return UNIT_RUN("switch", tests, NULL, NULL);
}

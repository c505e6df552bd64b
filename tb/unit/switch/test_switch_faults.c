/* SPDX-License-Identifier: Apache-2.0 */
/* test_switch_faults.c - what the twins of ib_switch and opa_switch do with what is wrong, against
 * docs/switch.md, without a circuit: packets that are refused or dropped, traps, errors on the
 * links
 */
#include "tb/unit/unit.h"

#include <string.h>

#include "tb/unit/switch_bench.h"

/* ---- what does not go on --------------------------------------------------------------------- */

/* A drop or refusal alone in the switch: counter, trap record, when the trap shows, credits. */
static void expect_drop(struct switch_bench *b, uint32_t port, uint32_t cause, uint32_t lane,
                        uint32_t dest, uint64_t from) {
  uint32_t d_in =
      param(b, "ROUTING_CYCLES") + param(b, "BUFFER_CYCLES") + param(b, "ALLOCATION_CYCLES") - 5;
  uint64_t shows = from + (cause <= OVERRUN ? 2 : d_in + 4);
  cycle_until(b, shows);
  assert_int_equal(b->out.trap, 0);
  cycle(b);
  assert_int_equal(b->out.trap, 1);
  cycles(b, 100);
  assert_int_equal(read_reg(b, LOOM_SWITCH_REG_TRAP_COUNT), 1);
  assert_int_equal(read_reg(b, LOOM_SWITCH_REG_TRAP), trap_word(cause, port, lane, dest));
  assert_int_equal(read_reg(b, LOOM_SWITCH_REG_TRAP), 0);
  assert_int_equal(read_reg(b, LOOM_SWITCH_REG_TRAP_COUNT), 0);
  assert_int_equal(b->out.trap, 0);
  assert_int_equal(read_port(b, port, W_CAUSE + cause), 1);
  for (uint32_t other = 1; other <= 5; other++)
    if (other != cause)
      assert_int_equal(read_port(b, port, W_CAUSE + other), 0);
  assert_int_equal(read_port(b, port, LOOM_SWITCH_WIN_LINK_ERRORS), 0);
  assert_int_equal(read_port(b, port, LOOM_SWITCH_WIN_TRAPS_LOST), 0);
  drain(b);
}

static void expect_post_drop(enum switch_kind kind, const char *params,
                             void (*set)(struct switch_bench *), uint32_t cause, uint32_t vl,
                             uint32_t sc, uint32_t dest, uint32_t len) {
  struct switch_bench *b = open_bench(kind, params);
  if (set)
    set(b);
  cycles(b, 4);
  uint64_t from = b->cycle;
  post(b, 2, vl, sc, dest, len);
  uint32_t lane = end_lane(b->vls, vl);
  expect_drop(b, 2, cause, lane == END_NO_LANE ? vl : lane, dest, from);
  assert_int_equal(b->delivered, 0);
  close_bench(b);
}

/* Known but unreachable: the port does not exist. */
static void unreachable(struct switch_bench *b) { set_lft(b, 5, 40); }

/* SC or SL 2 has no VL on the way to output 6; 1 has one. */
static void no_vl(struct switch_bench *b) {
  set_control(b, 1);
  for (uint32_t in = 0; in < 4; in++) {
    set_map(b, in, 6, 1, 1);
    set_map(b, in, 6, 2, 15);
    set_map(b, in, 6, 3, b->kind == IB ? 20 : 7);
  }
  if (b->kind == OPA)
    set_sc2vl(b, 7, 20);
}

static void all_wrong(struct switch_bench *b) {
  no_vl(b);
  set_lft_count(b, 6);
}

/* OP-08. */
static void each_cause_drops_its_packet(void **state) {
  (void)state;
  static const char *const params[] = {
      SMALL, SMALL
      " ROUTING_CYCLES=7 BUFFER_CYCLES=5 ALLOCATION_CYCLES=3 CROSSBAR_CYCLES=4 FLIGHT_CYCLES=3"};
  for (enum switch_kind kind = IB; kind <= OPA; kind++)
    for (uint32_t i = 0; i < 2; i++) {
      const char *s = params[i];
      expect_post_drop(kind, s, NULL, BAD_HEAD, 3, 0, 6, 5); /* VL 3 has no lane */
      expect_post_drop(kind, s, NULL, BAD_HEAD, 31, 0, 6, 1);
      expect_post_drop(kind, s, NULL, UNKNOWN, 1, 1, 8, 5);
      expect_post_drop(kind, s, NULL, UNKNOWN, 15, 15, 120, 64);
      expect_post_drop(kind, s, unreachable, UNKNOWN, 1, 1, 5, 9);
      expect_post_drop(kind, s, no_vl, NO_VL, 0, 2, 6, 1);
      expect_post_drop(kind, s, no_vl, NO_VL, 2, 3, 6, 40);
      expect_post_drop(kind, s, NULL, TOO_LONG, 1, 1, 6, 65);
      expect_post_drop(kind, s, NULL, TOO_LONG, 1, 1, 2, 100);
      /* The first cause that applies. */
      expect_post_drop(kind, s, all_wrong, UNKNOWN, 0, 2, 6, 100);
      expect_post_drop(kind, s, no_vl, NO_VL, 0, 2, 6, 100);
    }
}

/* OP-08: a head that says it has no flit is refused, and has no tail to look at; the next is a head
 * again. */
static void a_head_without_a_flit_is_refused_and_has_no_tail(void **state) {
  (void)state;
  for (enum switch_kind kind = IB; kind <= OPA; kind++)
    for (uint32_t tail = 0; tail < 2; tail++) {
      struct switch_bench *b = open_bench(kind, SMALL);
      uint64_t from = b->cycle;
      raw_flit(b, 3, 15, true, tail, raw_head(1, 0, 77));
      cycle(b);
      post(b, 3, 1, 1, 2, 1);
      expect_drop(b, 3, BAD_HEAD, 3, 77, from);
      assert_int_equal(b->delivered, 1);
      close_bench(b);
    }
}

/* OP-08: a sender that does not count its credits: what does not fit is refused whole. 9 units fit
 * into the output (it takes in one more while 8 are free), 16 into the input. */
static void a_packet_beyond_its_credits_is_refused_whole(void **state) {
  (void)state;
  for (enum switch_kind kind = IB; kind <= OPA; kind++) {
    struct switch_bench *b = open_bench(kind, NO_RESERVE);
    b->careless = 1ull << 2;
    hold(b, 1, true);
    for (uint32_t n = 0; n < 40; n++)
      post(b, 2, 0, 0, 1, 8);
    cycles(b, 40 * 8 + 20);
    assert_int_equal(read_port(b, 2, W_CAUSE + OVERRUN), 40 - 25);
    assert_int_equal(read_port(b, 2, LOOM_SWITCH_WIN_IN_PACKETS), 25);
    assert_int_equal(read_port(b, 2, LOOM_SWITCH_WIN_PEAK_IN), 16);
    assert_int_equal(read_port(b, 1, LOOM_SWITCH_WIN_PEAK_OUT), 9);
    for (uint32_t i = 0; i < 15; i++)
      assert_int_equal(read_reg(b, LOOM_SWITCH_REG_TRAP), trap_word(OVERRUN, 2, 0, 1));
    assert_int_equal(read_reg(b, LOOM_SWITCH_REG_TRAP_COUNT), 0);
    hold(b, 1, false);
    drain(b);
    assert_int_equal(b->delivered, 25);
    for (uint32_t n = 1; n <= 40; n++)
      assert_int_equal(b->packet[n].seen, n <= 25 ? 8 : 0);
    assert_int_equal(read_port(b, 2, LOOM_SWITCH_WIN_LINK_ERRORS), 0);
    close_bench(b);
  }
}

/* OP-08: the tracker admits nothing in the cycle in which it is written: cause 2 too. */
static void a_head_that_meets_a_write_of_the_tracker_is_refused(void **state) {
  (void)state;
  for (enum switch_kind kind = IB; kind <= OPA; kind++)
    for (uint32_t apart = 0; apart < 3; apart++) {
      struct switch_bench *b = open_bench(kind, SMALL);
      b->careless = 1ull << 2;
      uint64_t when = b->cycle + 10;
      post_at(b, when + apart, 2, 0, 0, 1, 3);
      cycle_until(b, when);
      write_reg(b, port_reg(2, LOOM_SWITCH_WIN_TRACKER_IN + LOOM_TRACKER_REG_TOTAL),
                64); /* decoded in `when` + 1 */
      if (apart == 1)
        expect_drop(b, 2, OVERRUN, 0, 1, when + 1);
      drain(b);
      assert_int_equal(b->delivered, apart != 1);
      assert_int_equal(read_port(b, 2, W_CAUSE + OVERRUN), apart == 1);
      /* A head in the cycle before: units are in use, the write is an error and does nothing. */
      assert_int_equal(read_port(b, 2, LOOM_SWITCH_WIN_BUFFER_ERRORS), apart == 0);
      close_bench(b);
    }
}

/* ---- traps ----------------------------------------------------------------------------------- */

/* The trap registers, the arbiter and the fifo of the page, for 8 ports. */
struct traps {
  uint32_t reg[8], lost[8], next, fifo[16], count;
  uint32_t drop[3][8]; /* traps of drops in this cycle, the next one, and the one after it */
};

/* Moves one trap into the fifo: the first port at `next` or after it. */
static void traps_move(struct traps *t) {
  for (uint32_t i = 0; i < 8; i++) {
    uint32_t p = (t->next + i) % 8;
    if (!t->reg[p])
      continue;
    t->fifo[t->count++] = t->reg[p];
    t->reg[p] = 0;
    t->next = (p + 1) % 8;
    return;
  }
}

/* The edge of one cycle with these refusals (0: none), and the pop that is decoded in it. */
static void traps_edge(struct traps *t, const uint32_t *refused, bool pop) {
  bool room = t->count < 16; /* the pop of this cycle does not help */
  if (pop && t->count)
    memmove(t->fifo, t->fifo + 1, --t->count * sizeof *t->fifo);
  if (room)
    traps_move(t);
  for (uint32_t p = 0; p < 8; p++) {
    uint32_t drop = t->drop[0][p], one = drop ? drop : refused[p];
    t->lost[p] += drop && refused[p];
    if (one && t->reg[p])
      t->lost[p]++;
    else if (one)
      t->reg[p] = one;
    t->drop[0][p] = t->drop[1][p];
    t->drop[1][p] = t->drop[2][p];
    t->drop[2][p] = 0;
  }
}

/* Heads of one flit on some ports in this cycle, half of them refused, half to be dropped. */
static void traps_cause(struct switch_bench *b, struct traps *t, uint64_t *seed, uint32_t load,
                        uint32_t *refused) {
  for (uint32_t p = 0; p < 8; p++) {
    refused[p] = 0;
    if (!loom_chance(seed, load))
      continue;
    uint32_t dest = 64 + loom_below(seed, 1000);
    bool refuse = loom_chance(seed, 50);
    raw_flit(b, p, refuse ? 9 : 1, true, true, raw_head(1, 1, dest));
    if (refuse)
      refused[p] = trap_word(BAD_HEAD, p, 9, dest);
    else
      t->drop[2][p] = trap_word(UNKNOWN, p, 1, dest); /* e + 2 */
  }
}

/* Reads of the oldest trap: asked in c, decoded in c + 1, answered in c + 3. */
struct trap_reads {
  bool asked[4];      /* in this cycle, in the one before, ... */
  uint32_t answer[4]; /* decoded in the cycle before this one, in the one before that, ... */
};

static void traps_cycle(struct switch_bench *b, struct traps *t, struct trap_reads *r,
                        uint64_t *seed, uint32_t load, uint32_t reads) {
  uint32_t refused[8];
  traps_cause(b, t, seed, load, refused);
  memmove(r->asked + 1, r->asked, 3 * sizeof *r->asked);
  memmove(r->answer + 1, r->answer, 3 * sizeof *r->answer);
  r->asked[0] = loom_chance(seed, reads);
  r->answer[1] = r->asked[1] && t->count ? t->fifo[0] : 0;
  b->in.reg_re = r->asked[0];
  b->in.reg_addr = r->asked[0] ? LOOM_SWITCH_REG_TRAP : 0;
  cycle(b);
  assert_int_equal(b->out.trap, t->count > 0);
  assert_int_equal(b->out.reg_rvalid, r->asked[3]);
  assert_int_equal(b->out.reg_rdata, r->answer[3]);
  traps_edge(t, refused, r->asked[1]);
}

/* OP-08: refusals and drops on all ports at once, and a reader that comes and goes: the same traps
 * in the same order, and the same number lost, as by the words of the page. */
static void traps_come_in_the_order_of_a_model(void **state) {
  (void)state;
  for (enum switch_kind kind = IB; kind <= OPA; kind++)
    for (uint32_t round = 0; round < 4; round++) {
      struct switch_bench *b = open_bench(kind, SMALL);
      struct traps t = {.count = 0};
      struct trap_reads r = {.answer = {0}};
      uint64_t seed = round;
      b->careless = ~0ull;
      for (uint32_t c = 0; c < 3000; c++) { /* at the end nothing new, so that all are counted */
        uint32_t load = c > 2980 ? 0 : c / 100 % 3 == round % 3 ? 25 : 3;
        traps_cycle(b, &t, &r, &seed, load, c / 50 % 2 ? 60 : 0);
      }
      cycles(b, 4);
      uint32_t lost = 0;
      for (uint32_t p = 0; p < 8; p++) {
        lost += t.lost[p];
        assert_int_equal(read_port(b, p, LOOM_SWITCH_WIN_TRAPS_LOST), t.lost[p]);
        assert_int_equal(read_port(b, p, W_CAUSE + OVERRUN), 0);
      }
      assert_true(lost > 50);
      close_bench(b);
    }
}

static void refuse(struct switch_bench *b, uint32_t port, uint32_t dest) {
  raw_flit(b, port, 9, true, true, raw_head(0, 1, dest));
}

/* OP-08: all ports in one cycle: one trap a cycle goes into the fifo, from port 0 on; what it
 * cannot hold waits at the ports. */
static void traps_of_all_ports_enter_the_fifo_one_a_cycle(void **state) {
  (void)state;
  static const char *const params[] = {SMALL, "PORTS=48 MPORTS=12"};
  for (enum switch_kind kind = IB; kind <= OPA; kind++)
    for (uint32_t i = 0; i < 2; i++) {
      struct switch_bench *b = open_bench(kind, params[i]);
      for (uint32_t p = 0; p < b->ports; p++)
        refuse(b, p, 100 + p);
      cycle(b);
      cycles(b, 60);
      assert_int_equal(read_reg(b, LOOM_SWITCH_REG_TRAP_COUNT), loom_min(b->ports, 16));
      for (uint32_t p = 0; p < b->ports; p++)
        assert_int_equal(read_reg(b, LOOM_SWITCH_REG_TRAP), trap_word(BAD_HEAD, p, 9, 100 + p));
      assert_int_equal(read_reg(b, LOOM_SWITCH_REG_TRAP_COUNT), 0);
      assert_int_equal(read_port(b, b->ports - 1, LOOM_SWITCH_WIN_TRAPS_LOST), 0);
      close_bench(b);
    }
}

/* OP-08: a drop and a refusal of one port in one cycle: the refusal's trap is lost, both are
 * counted. */
static void of_two_traps_of_a_port_in_a_cycle_the_refusals_is_lost(void **state) {
  (void)state;
  for (enum switch_kind kind = IB; kind <= OPA; kind++) {
    struct switch_bench *b = open_bench(kind, SMALL);
    post(b, 1, 0, 0, 50, 1);
    cycles(b, 2);
    refuse(b, 1, 60); /* two cycles after the head */
    cycles(b, 20);
    assert_int_equal(read_reg(b, LOOM_SWITCH_REG_TRAP_COUNT), 1);
    assert_int_equal(read_reg(b, LOOM_SWITCH_REG_TRAP), trap_word(UNKNOWN, 1, 0, 50));
    assert_int_equal(read_port(b, 1, LOOM_SWITCH_WIN_TRAPS_LOST), 1);
    assert_int_equal(read_port(b, 1, W_CAUSE + UNKNOWN), 1);
    assert_int_equal(read_port(b, 1, W_CAUSE + BAD_HEAD), 1);
    drain(b);
    close_bench(b);
  }
}

/* OP-08: 16 in the fifo, one in the port's register, the others lost; two in one cycle are lost
 * both. */
static void traps_beyond_the_fifo_are_lost_and_counted(void **state) {
  (void)state;
  for (enum switch_kind kind = IB; kind <= OPA; kind++) {
    struct switch_bench *b = open_bench(kind, SMALL);
    for (uint32_t i = 0; i < 20; i++) { /* one a cycle */
      refuse(b, 5, 200 + i);
      cycle(b);
    }
    cycles(b, 5);
    assert_int_equal(read_reg(b, LOOM_SWITCH_REG_TRAP_COUNT), 16);
    assert_int_equal(read_port(b, 5, LOOM_SWITCH_WIN_TRAPS_LOST), 3);
    post(b, 5, 0, 0, 50, 1);
    cycles(b, 2);
    refuse(b, 5, 60);
    cycles(b, 10);
    assert_int_equal(read_port(b, 5, LOOM_SWITCH_WIN_TRAPS_LOST), 5);
    for (uint32_t i = 0; i < 17; i++)
      assert_int_equal(read_reg(b, LOOM_SWITCH_REG_TRAP), trap_word(BAD_HEAD, 5, 9, 200 + i));
    assert_int_equal(read_reg(b, LOOM_SWITCH_REG_TRAP), 0);
    drain(b);
    close_bench(b);
  }
}

/* ---- errors on the links --------------------------------------------------------------------- */

/* What the words of the page count at one input: arrival without buffers. */
struct arrival {
  uint32_t left, errors, refused, packets[4], flits[4];
  bool untailed; /* the head said 0 flits: no tail to look at */
};

static void arrive(struct arrival *a, uint32_t vl, bool head, bool tail, uint32_t len) {
  bool error;
  if (a->left == 0 && !head) {
    a->errors++;
    return;
  }
  if (a->left == 0) {
    uint32_t lane = end_lane(4, vl);
    a->left = len;
    if (lane == END_NO_LANE || len == 0) {
      a->refused++;
    } else {
      a->packets[lane]++;
      a->flits[lane] += len;
    }
    error = len > 0 && tail != (len == 1);
  } else {
    error = head || tail != (a->left == 1);
  }
  a->errors += error;
  a->left -= a->left > 0;
}

/* OP-08: any flits whatever on all links: errors, refusals and packets are counted as the page
 * says. */
static void link_errors_are_counted_as_the_page_says(void **state) {
  (void)state;
  for (enum switch_kind kind = IB; kind <= OPA; kind++) {
    struct switch_bench *b = open_bench(kind, MANY_LANES);
    struct arrival a[8] = {{.left = 0}};
    uint64_t seed = 3;
    b->careless = ~0ull;
    for (uint32_t c = 0; c < 4000; c++) {
      for (uint32_t p = 0; p < 8; p++) {
        if (!loom_chance(&seed, 40))
          continue;
        bool head = loom_chance(&seed, a[p].left ? 5 : 90);
        bool tail = loom_chance(&seed, 5) ^ (a[p].left == 1);
        uint32_t vl = loom_chance(&seed, 80) ? loom_below(&seed, 3) : loom_below(&seed, 32);
        uint32_t len = loom_below(&seed, 7);
        raw_flit(b, p, vl, head, tail, raw_head(loom_below(&seed, 32), len, 1000));
        arrive(&a[p], vl, head, tail, len);
      }
      cycle(b);
    }
    cycles(b, 50);
    for (uint32_t p = 0; p < 8; p++) {
      assert_int_equal(read_port(b, p, LOOM_SWITCH_WIN_LINK_ERRORS), a[p].errors);
      assert_int_equal(read_port(b, p, W_CAUSE + BAD_HEAD), a[p].refused);
      assert_int_equal(read_port(b, p, W_CAUSE + OVERRUN), 0);
      for (uint32_t l = 0; l < 4; l++) {
        assert_int_equal(read_port(b, p, LOOM_SWITCH_WIN_IN_PACKETS + l), a[p].packets[l]);
        assert_int_equal(read_port(b, p, LOOM_SWITCH_WIN_IN_FLITS + l), a[p].flits[l]);
      }
      assert_true(a[p].errors > 100 && a[p].refused > 20);
    }
    close_bench(b);
  }
}

/* OP-08: wrong flags and VLs inside of a packet: four errors, and the packet comes out right. */
static void wrong_flags_do_not_harm_a_packet(void **state) {
  (void)state;
  for (enum switch_kind kind = IB; kind <= OPA; kind++) {
    struct switch_bench *b = open_bench(kind, SMALL);
    raw_flit(b, 1, 0, false, true, 5); /* before the head: ignored, one error */
    cycle(b);
    uint32_t n = post(b, 1, 0, 0, 2, 5);
    for (uint32_t i = 0; i < 5; i++) {
      feed(b);
      assert_int_equal(b->in.in_valid[1], 1);
      b->in.in_head[1] ^= i == 1;
      b->in.in_tail[1] ^= i == 1 || i == 2 || i == 4; /* in flit 1 both: one error */
      b->in.in_vl[1] = i == 3 ? 31 : b->in.in_vl[1];  /* not looked at */
      cycle(b);
    }
    await(b, n);
    assert_int_equal(read_port(b, 1, LOOM_SWITCH_WIN_LINK_ERRORS), 4);
    drain(b);
    close_bench(b);
  }
}

/* One input gets everything that is wrong, or nothing at all: all other ports, in and out, do the
 * same in every cycle. */
static uint64_t others_do(enum switch_kind kind, const char *params, bool noise) {
  struct switch_bench *b = open_bench(kind, params);
  uint64_t seed = 8, noise_seed = 9;
  b->careless = 1;
  b->credits = 60;
  for (uint32_t n = 0; n < 200; n++)
    for (uint32_t p = 1; p < 8; p++) {
      uint32_t lane = loom_below(&seed, 3);
      post(b, p, lane, lane, 1 + loom_below(&seed, 7), 1 + loom_below(&seed, 40));
    }
  for (uint32_t c = 0; c < 2500; c++) {
    if (noise && loom_chance(&noise_seed, 90))
      raw_flit(b, 0, loom_below(&noise_seed, 32), loom_chance(&noise_seed, 40),
               loom_chance(&noise_seed, 40),
               raw_head(loom_below(&noise_seed, 32), loom_below(&noise_seed, 20),
                        9 + loom_below(&noise_seed, 99)));
    cycle(b);
  }
  uint64_t sum = 0;
  for (uint32_t p = 1; p < 8; p++)
    sum = loom_scramble(sum ^ b->trace[p]);
  assert_true(b->delivered > 300);
  assert_int_equal(b->trace[0] != 0, noise); /* credits of what was dropped */
  close_bench(b);
  return sum;
}

/* OP-08. */
static void a_fault_disturbs_nothing_else(void **state) {
  (void)state;
  static const char *const params[] = {
      SMALL, SMALL " SCHED=2 CENTRAL_SCHED=0 ROUTING_CYCLES=9 CROSSBAR_CYCLES=3",
      SMALL " SCHED=3 SPEEDUP=2 MPORT_SPEEDUP=1"};
  for (enum switch_kind kind = IB; kind <= OPA; kind++)
    for (uint32_t i = 0; i < 3; i++)
      assert_true(others_do(kind, params[i], true) == others_do(kind, params[i], false));
}

/* OP-08: a returned credit of a VL without a lane is ignored; one that nobody owes is an error. */
static void a_false_credit_is_ignored_or_an_error(void **state) {
  (void)state;
  for (enum switch_kind kind = IB; kind <= OPA; kind++) {
    struct switch_bench *b = open_bench(kind, SMALL);
    for (uint32_t vl = 0; vl < 32; vl++) {
      b->in.out_cr_valid[3] = 1;
      b->in.out_cr_vl[3] = vl;
      cycle(b);
    }
    cycles(b, 4);
    assert_int_equal(read_port(b, 3, LOOM_SWITCH_WIN_FAR_ERRORS), 4); /* VL 0, 1, 2, 15 */
    assert_int_equal(read_port(b, 2, LOOM_SWITCH_WIN_FAR_ERRORS), 0);
    expect_latency(b, 0, 3, 8, 8);
    close_bench(b);
  }
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(each_cause_drops_its_packet),
      cmocka_unit_test(a_head_without_a_flit_is_refused_and_has_no_tail),
      cmocka_unit_test(a_packet_beyond_its_credits_is_refused_whole),
      cmocka_unit_test(a_head_that_meets_a_write_of_the_tracker_is_refused),
      cmocka_unit_test(traps_come_in_the_order_of_a_model),
      cmocka_unit_test(traps_of_all_ports_enter_the_fifo_one_a_cycle),
      cmocka_unit_test(of_two_traps_of_a_port_in_a_cycle_the_refusals_is_lost),
      cmocka_unit_test(traps_beyond_the_fifo_are_lost_and_counted),
      cmocka_unit_test(link_errors_are_counted_as_the_page_says),
      cmocka_unit_test(wrong_flags_do_not_harm_a_packet),
      cmocka_unit_test(a_fault_disturbs_nothing_else),
      cmocka_unit_test(a_false_credit_is_ignored_or_an_error),
  };
  return UNIT_RUN("switch_faults", tests, NULL, NULL);
}

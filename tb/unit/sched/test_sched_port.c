/* SPDX-License-Identifier: Apache-2.0 */
/* test_sched_port.c - the twin of sched_port between a sender and a receiver, no circuit
 *
 * The sender keeps the account of the port's buffer as the link asks for, the receiver that of its
 * own buffer. What goes in must come out, in order per VL, with every credit accounted for.
 */
#include "tb/unit/unit.h"
#include <loom/head.h>

#include <loom/random.h>
#include <stdlib.h>
#include <string.h>

#include "sched/sched_port.h"
#include "tb/ends/credits.h"

/* ---- sender, port, receiver ------------------------------------------------------------------ */

enum { VLS = LOOM_VLS, WINDOW = 4096, UNIT = LOOM_UNIT_FLITS };

struct expected {
  uint64_t data;
  bool head, tail;
};

struct bench {
  struct loom_sched_port port;
  struct loom_sched_port_cfg cfg;
  void *storage;
  struct loom_sched_port_in in;
  struct loom_sched_port_out out;
  uint64_t seed, cycle;
  /* Sender: units of the port's buffer in use, and the packet under way of each VL. */
  struct loom_credit_tracker sent;
  uint32_t left[VLS], sequence;
  /* Flits under way of each VL, a ring of WINDOW flits. */
  struct expected *expected[VLS];
  uint32_t first[VLS], last[VLS];
  struct end_receiver receiver;
  uint64_t flits_in, flits_out, packets_in, packets_out, last_out;
  bool receiver_stops; /* gives no credits back */
};

static void open_bench(struct bench *b, uint32_t sched,
                       void (*change)(struct loom_sched_port_cfg *)) {
  memset(b, 0, sizeof *b);
  loom_sched_port_defaults(&b->cfg);
  b->cfg.SCHED = sched;
  if (change)
    change(&b->cfg);
  assert_true(loom_sched_port_cfg_ok(&b->cfg));
  b->storage = malloc(loom_sched_port_storage_size(&b->cfg));
  assert_non_null(b->storage);
  loom_sched_port_init(&b->port, &b->cfg, b->storage);
  end_account_init(&b->sent, b->cfg.VLS, 13, b->cfg.CELLS, b->cfg.RESERVED);
  for (uint32_t vl = 0; vl < VLS; vl++) {
    b->expected[vl] = malloc(WINDOW * 4 * sizeof *b->expected[vl]);
    assert_non_null(b->expected[vl]);
  }
}

static void close_bench(struct bench *b) {
  for (uint32_t vl = 0; vl < VLS; vl++)
    free(b->expected[vl]);
  free(b->storage);
}

static void receive(struct bench *b) {
  if (!b->out.out_valid) {
    assert_int_equal(b->out.out_head | b->out.out_tail | b->out.out_vl | b->out.out_data, 0);
    return;
  }
  uint32_t vl = (uint32_t)b->out.out_vl;
  assert_true(b->first[vl] != b->last[vl]);
  const struct expected *e = &b->expected[vl][b->first[vl]++ % (WINDOW * 4)];
  assert_int_equal(b->out.out_data, e->data);
  assert_int_equal(b->out.out_head, e->head);
  assert_int_equal(b->out.out_tail, e->tail);
  b->flits_out++;
  b->packets_out += e->tail;
  b->last_out = b->cycle;
  end_receive(&b->receiver, vl, e->tail);
}

/* One cycle with the inputs in b->in, which are cleared after it. */
static void cycle(struct bench *b) {
  uint32_t from = loom_below(&b->seed, VLS);
  uint32_t vl = b->receiver_stops ? END_NO_LANE : end_give(&b->receiver, ~0u, from);
  if (vl != END_NO_LANE) {
    b->in.out_cr_valid = 1;
    b->in.out_cr_vl = vl;
  }
  loom_sched_port_step(&b->port, &b->in, &b->out);
  if (b->out.in_cr_valid)
    assert_true(end_credit(&b->sent, (uint32_t)b->out.in_cr_vl));
  receive(b);
  b->in = (struct loom_sched_port_in){0};
  b->cycle++;
}

static void put_flit(struct bench *b, uint32_t vl, uint64_t data, bool head) {
  b->left[vl]--;
  b->expected[vl][b->last[vl]++ % (WINDOW * 4)] =
      (struct expected){.data = data, .head = head, .tail = b->left[vl] == 0};
  b->in.in_valid = 1;
  b->in.in_head = head;
  b->in.in_tail = b->left[vl] == 0;
  b->in.in_vl = vl;
  b->in.in_data = data;
  b->flits_in++;
}

/* Puts the head of a packet on the link if the port's buffer has room for the packet. */
static bool put_head(struct bench *b, uint32_t vl, uint32_t sc, uint32_t len) {
  if (!end_send(&b->sent, vl, len))
    return false;
  b->left[vl] = len;
  put_flit(b, vl, end_head(sc, len, 0, b->sequence / LOOM_PACKET_IDS, b->sequence), true);
  b->sequence++;
  b->packets_in++;
  return true;
}

static void put_body(struct bench *b, uint32_t vl) {
  put_flit(b, vl, loom_random(&b->seed), false);
}

static void send(struct bench *b, uint32_t vl, uint32_t sc, uint32_t len) {
  assert_true(put_head(b, vl, sc, len));
  cycle(b);
  while (b->left[vl]) {
    put_body(b, vl);
    cycle(b);
  }
}

static void write_reg(struct bench *b, uint32_t addr, uint32_t data) {
  b->in.reg_we = 1;
  b->in.reg_addr = addr;
  b->in.reg_wdata = data;
  cycle(b);
}

/* The answer comes in the third cycle after the access and in no other. */
static uint32_t read_reg(struct bench *b, uint32_t addr) {
  b->in.reg_re = 1;
  b->in.reg_addr = addr;
  for (uint32_t i = 0; i < 3; i++) {
    cycle(b);
    assert_int_equal(b->out.reg_rvalid | b->out.reg_rdata, 0);
  }
  cycle(b);
  assert_int_equal(b->out.reg_rvalid, 1);
  uint32_t data = (uint32_t)b->out.reg_rdata;
  cycle(b);
  assert_int_equal(b->out.reg_rvalid | b->out.reg_rdata, 0);
  return data;
}

static uint32_t count(struct bench *b, enum loom_port_counter c) {
  return read_reg(b, LOOM_PORT_REG_FLITS_IN + c);
}

/* Equal weights for every key, whatever the scheduler. */
static void load_tables(struct bench *b) {
  for (uint32_t k = 0; k < b->cfg.KEYS; k++) {
    if (b->cfg.SCHED == LOOM_PORT_SBT)
      write_reg(b, LOOM_PORT_REG_TABLE + k, 4 + k % 3);
    else if (b->cfg.SCHED == LOOM_PORT_DTABLE)
      write_reg(b, LOOM_PORT_REG_TABLE + k, k << 8 | (16 + k));
    else if (b->cfg.SCHED == LOOM_PORT_IBARB)
      write_reg(b, LOOM_PORT_REG_TABLE + (k % 4 ? 0u : (uint32_t)LOOM_IBARB_REG_LOW) + k,
                k << 8 | (8 + k));
  }
  if (b->cfg.SCHED == LOOM_PORT_IBARB)
    write_reg(b, LOOM_PORT_REG_TABLE + LOOM_IBARB_REG_LIMIT, 1);
}

/* Until nothing is under way any more; then every account must be at 0. */
static void drain(struct bench *b) {
  for (uint32_t i = 0; i < 100000 && (b->flits_out != b->flits_in || b->sent.used_mask); i++)
    cycle(b);
  for (uint32_t i = 0; i < 64 * UNIT; i++)
    cycle(b);
  assert_int_equal(b->flits_out, b->flits_in);
  assert_int_equal(b->packets_out, b->packets_in);
  assert_int_equal(b->sent.used_mask, 0);
  assert_int_equal(b->port.buffer.tracker.used_mask, 0);
  assert_int_equal(b->port.buffer.tracker.pool_used, 0);
  assert_int_equal(count(b, LOOM_PORT_FLITS_IN), (uint32_t)b->flits_in);
  assert_int_equal(count(b, LOOM_PORT_PACKETS_IN), (uint32_t)b->packets_in);
  assert_int_equal(count(b, LOOM_PORT_FLITS_OUT), (uint32_t)b->flits_in);
  assert_int_equal(count(b, LOOM_PORT_PACKETS_OUT), (uint32_t)b->packets_in);
  assert_int_equal(count(b, LOOM_PORT_DROPS), 0);
  assert_int_equal(count(b, LOOM_PORT_BUFFER_ERRORS), 0);
  assert_int_equal(count(b, LOOM_PORT_TRACKER_ERRORS), 0);
  if (b->receiver_stops)
    return;
  assert_int_equal(b->port.tracker.used_mask, 0);
  assert_int_equal(b->port.tracker.pool_used, 0);
}

/* ---- tests ----------------------------------------------------------------------------------- */

static void a_packet_leaves_nine_cycles_after_its_head(void **state) {
  (void)state;
  for (uint32_t sched = LOOM_PORT_RR; sched <= LOOM_PORT_IBARB; sched++)
    for (uint32_t len = 1; len < 30; len++)
      for (uint32_t phase = 0; phase < 3; phase++) {
        struct bench b;
        open_bench(&b, sched, NULL);
        load_tables(&b);
        for (uint32_t i = 0; i < 20 + phase; i++)
          cycle(&b);
        uint64_t at = b.cycle;
        send(&b, 3, 3, len);
        while (b.packets_out == 0 && b.cycle < at + 100)
          cycle(&b);
        assert_int_equal(b.last_out - at, 9 + len - 1); /* cut through, without a gap */
        close_bench(&b);
      }
}

static void large_far_end(struct loom_sched_port_cfg *cfg) {
  cfg->REMOTE_UNITS = 4095;
  cfg->CELLS = 4096;
}

/* Packets of 5 flits and more leave without a gap; shorter ones one every 5 cycles. */
static void packets_of_5_flits_and_more_leave_without_a_gap(void **state) {
  (void)state;
  for (uint32_t sched = LOOM_PORT_RR; sched <= LOOM_PORT_IBARB; sched++)
    for (uint32_t min = 1; min <= 40; min += min < 12 ? 1 : 7) {
      struct bench b;
      open_bench(&b, sched, large_far_end);
      load_tables(&b);
      write_reg(&b, LOOM_PORT_REG_CONTROL, 1);
      for (uint32_t i = 0; i < 150; i++)
        send(&b, i % 15, (i + i / 15) % 15,
             min >= 5 && i % 2 ? min + loom_below(&b.seed, 20) : min);
      cycle(&b), cycle(&b);
      assert_int_equal(b.flits_out, 0);
      write_reg(&b, LOOM_PORT_REG_CONTROL, 0);
      while (b.flits_out == 0)
        cycle(&b);
      uint64_t from = b.cycle - 1;
      while (b.flits_out < b.flits_in && b.cycle < from + 10000)
        cycle(&b);
      uint64_t took = b.last_out - from + 1;
      if (min >= 5)
        assert_int_equal(took, b.flits_in);
      else
        assert_int_equal(took, 149 * 5 + min);
      drain(&b);
      close_bench(&b);
    }
}

static void small(struct loom_sched_port_cfg *cfg) {
  cfg->VLS = 4;
  cfg->MGMT_VL = 3;
  cfg->CELLS = 64;
  cfg->RESERVED = 4;
  cfg->REMOTE_UNITS = 40;
  cfg->REMOTE_RESERVED = 2;
}

static void by_vl(struct loom_sched_port_cfg *cfg) {
  cfg->ARB_KEY = 0;
  cfg->VLS = 32;
  cfg->MGMT_VL = 32;
}

/* Random traffic: flits of several VLs interleave, credits come back late. */
static void random_traffic(struct bench *b, uint64_t packets, uint32_t longest) {
  while (b->packets_in < packets) {
    uint32_t vl = loom_below(&b->seed, b->cfg.VLS);
    if (b->left[vl] && loom_below(&b->seed, 8))
      put_body(b, vl);
    else if (!b->left[vl])
      put_head(b, vl, loom_below(&b->seed, b->cfg.KEYS), 1 + loom_below(&b->seed, longest));
    b->receiver_stops = b->cycle / 1000 % 10 == 3;
    cycle(b);
  }
  b->receiver_stops = false;
  for (uint32_t vl = 0; vl < b->cfg.VLS; vl++)
    while (b->left[vl]) {
      put_body(b, vl);
      cycle(b);
    }
  drain(b);
}

static void nothing_is_lost_under_random_traffic(void **state) {
  (void)state;
  static void (*const change[])(struct loom_sched_port_cfg *) = {NULL, small, by_vl};
  for (uint32_t sched = LOOM_PORT_RR; sched <= LOOM_PORT_IBARB; sched++)
    for (uint32_t i = 0; i < 3; i++) {
      struct bench b;
      open_bench(&b, sched, change[i]);
      b.seed = sched * 3 + i;
      load_tables(&b);
      random_traffic(&b, 10000, i == 1 ? 30 : 100);
      assert_int_equal(count(&b, LOOM_PORT_LOST), 0);
      close_bench(&b);
    }
}

/* A million; the sanitizers get by with fewer. */
#ifdef __SANITIZE_ADDRESS__
enum { MANY = 100000 };
#else
enum { MANY = 1000000 };
#endif

static void a_million_packets_pass_in_order(void **state) {
  (void)state;
  struct bench b;
  open_bench(&b, LOOM_PORT_DTABLE, NULL);
  load_tables(&b);
  random_traffic(&b, MANY, 8);
  assert_int_equal(count(&b, LOOM_PORT_LOST), 0);
  close_bench(&b);
}

/* The twin skips work when nothing changes. Beside it runs one that is kept from skipping: it must
 * show the same in every cycle. */
static void skipped_work_does_not_show(void **state) {
  (void)state;
  for (uint32_t sched = LOOM_PORT_RR; sched <= LOOM_PORT_IBARB; sched++) {
    struct loom_sched_port_cfg cfg;
    loom_sched_port_defaults(&cfg);
    small(&cfg);
    cfg.SCHED = sched;
    struct loom_sched_port lazy, busy;
    void *storage[2] = {malloc(loom_sched_port_storage_size(&cfg)),
                        malloc(loom_sched_port_storage_size(&cfg))};
    loom_sched_port_init(&lazy, &cfg, storage[0]);
    loom_sched_port_init(&busy, &cfg, storage[1]);
    uint64_t seed = sched, quiet = 0;
    for (uint32_t c = 0; c < 400000; c++) {
      struct loom_sched_port_in in = {0};
      struct loom_sched_port_out out[2];
      struct loom_sched_port_probe probe[2];
      uint32_t load = c / 5000 % 4 == 0 ? 200 : c / 5000 % 4 == 1 ? 20 : 2;
      if (loom_below(&seed, 256) < load) {
        in.in_valid = 1, in.in_head = loom_below(&seed, 4) == 0,
        in.in_tail = loom_below(&seed, 4) == 0;
        in.in_vl = loom_below(&seed, 16) ? loom_below(&seed, 4) : loom_below(&seed, 32);
        in.in_data = LOOM_PUT64(LOOM_HEAD_SC, loom_below(&seed, 32)) |
                     LOOM_PUT64(LOOM_HEAD_LEN, loom_below(&seed, 20)) | loom_below(&seed, 4096);
      }
      if (loom_below(&seed, 256) < load / 4 + 8)
        in.out_cr_valid = 1, in.out_cr_vl = loom_below(&seed, 5);
      if (loom_below(&seed, 64) == 0) {
        static const uint32_t base[] = {LOOM_PORT_REG_CONTROL,
                                        LOOM_PORT_REG_SC2SL,
                                        LOOM_PORT_REG_BUFFER,
                                        LOOM_PORT_REG_TRACKER,
                                        LOOM_PORT_REG_FLITS_IN,
                                        LOOM_PORT_REG_TABLE,
                                        LOOM_PORT_REG_TABLE + LOOM_IBARB_REG_LOW,
                                        LOOM_PORT_REG_TABLE + LOOM_DTABLE_REG_DEFICIT,
                                        LOOM_PORT_REG_TABLE + LOOM_DTABLE_REG_IB_HIGH};
        in.reg_we = loom_below(&seed, 2), in.reg_re = !in.reg_we;
        in.reg_addr = base[loom_below(&seed, 9)] + loom_below(&seed, 34);
        in.reg_wdata = in.reg_addr < LOOM_PORT_REG_FLITS_IN
                           ? 4 + loom_below(&seed, 6)
                           : loom_below(&seed, 32) << 8 | loom_below(&seed, 40);
      }
      quiet += lazy.quiet;
      busy.quiet = false;
      busy.dirty = (uint32_t)loom_mask(cfg.VLS);
      loom_sched_port_step(&lazy, &in, &out[0]);
      loom_sched_port_step(&busy, &in, &out[1]);
      loom_sched_port_probe(&lazy, &probe[0]);
      loom_sched_port_probe(&busy, &probe[1]);
      assert_memory_equal(&out[0], &out[1], sizeof out[0]);
      assert_memory_equal(&probe[0], &probe[1], sizeof probe[0]);
      assert_int_equal(lazy.scheduler.front.phase, busy.scheduler.front.phase);
    }
    assert_true(quiet > 1000); /* it did skip */
    if (lazy.counter[LOOM_PORT_PACKETS_OUT] < 500)
      fail_msg("scheduler %u: only %u packets", sched, lazy.counter[LOOM_PORT_PACKETS_OUT]);
    free(storage[0]);
    free(storage[1]);
  }
}

static void every_register_reads_what_the_page_says(void **state) {
  (void)state;
  struct bench b;
  open_bench(&b, LOOM_PORT_DTABLE, NULL);
  assert_int_equal(read_reg(&b, LOOM_PORT_REG_ID), 0x4C062420);
  for (uint32_t sc = 0; sc < 32; sc++) {
    assert_int_equal(read_reg(&b, LOOM_PORT_REG_SC2SL + sc), sc);
    write_reg(&b, LOOM_PORT_REG_SC2SL + sc, 0xFFFFFFE0u | (31 - sc));
  }
  for (uint32_t sc = 0; sc < 32; sc++)
    assert_int_equal(read_reg(&b, LOOM_PORT_REG_SC2SL + sc), 31 - sc);
  write_reg(&b, LOOM_PORT_REG_CONTROL, 0xFFFFFFFF);
  assert_int_equal(read_reg(&b, LOOM_PORT_REG_CONTROL), 1);
  write_reg(&b, LOOM_PORT_REG_TABLE + 127, 0xFFFFFFFF);
  assert_int_equal(read_reg(&b, LOOM_PORT_REG_TABLE + 127), 0x1FFF);
  for (uint32_t a = 0; a < 4096; a++) {
    bool known = a < 2 || (a >= LOOM_PORT_REG_SC2SL && a < LOOM_PORT_REG_SC2SL + 32) ||
                 a == LOOM_PORT_REG_TABLE + 127 || a == LOOM_PORT_REG_TABLE + LOOM_DTABLE_REG_PTR ||
                 a == LOOM_PORT_REG_TABLE + LOOM_IBARB_REG_LIMIT - 1;
    if (!known)
      assert_int_equal(read_reg(&b, a), 0);
  }
  close_bench(&b);
}

/* SC2SL decides the key under which a packet is scheduled. */
static void sc2sl_decides_the_key_of_a_packet(void **state) {
  (void)state;
  struct bench b;
  open_bench(&b, LOOM_PORT_DTABLE, NULL);
  write_reg(&b, LOOM_PORT_REG_TABLE, 9u << 8 | 4);
  write_reg(&b, LOOM_PORT_REG_SC2SL + 5, 9);
  send(&b, 0, 5, 8);
  send(&b, 1, 9, 8);
  send(&b, 2, 4, 8); /* SL4 has no entry: it stays */
  for (uint32_t i = 0; i < 100; i++)
    cycle(&b);
  assert_int_equal(b.packets_out, 2);
  assert_int_equal(b.first[2], 0);
  write_reg(&b, LOOM_PORT_REG_TABLE + 1, 4u << 8 | 4); /* while running */
  drain(&b);
  close_bench(&b);
}

/* Without credits nothing leaves; every unit that comes back lets one more go (OP-08). */
static void nothing_leaves_without_credits(void **state) {
  (void)state;
  struct bench b;
  open_bench(&b, LOOM_PORT_RR, small);
  b.receiver_stops = true;
  uint32_t units = 0;
  for (uint32_t i = 0; i < 48; i++)
    send(&b, i % 3, i % 3, 8);
  for (uint32_t i = 0; i < 500; i++)
    cycle(&b);
  for (uint32_t vl = 0; vl < VLS; vl++)
    units += b.receiver.owed[vl];
  assert_int_equal(units, 40 - 2); /* VL3 keeps its reserve */
  assert_int_equal(b.packets_out, 38);
  b.receiver_stops = false;
  drain(&b);
  close_bench(&b);
}

/* The management VL goes before everything that waits (IB-02). */
static void management_goes_before_everything_that_waits(void **state) {
  (void)state;
  struct bench b;
  open_bench(&b, LOOM_PORT_IBARB, NULL);
  load_tables(&b);
  write_reg(&b, LOOM_PORT_REG_CONTROL, 1);
  for (uint32_t vl = 0; vl < 16; vl++)
    send(&b, vl, vl, 8);
  write_reg(&b, LOOM_PORT_REG_CONTROL, 0);
  while (b.flits_out == 0)
    cycle(&b);
  assert_int_equal(b.out.out_vl, 15);
  drain(&b);
  close_bench(&b);
}

/* A sender without regard for credits: what does not fit is dropped whole, and counted. */
static void a_packet_that_does_not_fit_is_dropped_whole(void **state) {
  (void)state;
  struct bench b;
  open_bench(&b, LOOM_PORT_RR, small);
  write_reg(&b, LOOM_PORT_REG_CONTROL, 1);
  for (uint32_t i = 0; i < 60 * 8; i++) {
    b.in.in_valid = 1;
    b.in.in_head = i % 8 == 0;
    b.in.in_tail = i % 8 == 7;
    b.in.in_data = i % 8 == 0 ? LOOM_PUT64(LOOM_HEAD_LEN, 8) : i;
    cycle(&b);
  }
  cycle(&b), cycle(&b), cycle(&b);
  assert_int_equal(count(&b, LOOM_PORT_PACKETS_IN), 60);
  assert_int_equal(count(&b, LOOM_PORT_DROPS), 60 - (64 - 3 * 4));
  assert_int_equal(count(&b, LOOM_PORT_BUFFER_ERRORS), 0);
  close_bench(&b);
}

/* A grant that the tracker refuses is lost and counted; the packet waits and goes later. */
static void a_grant_that_the_tracker_refuses_is_lost_and_counted(void **state) {
  (void)state;
  struct bench b;
  open_bench(&b, LOOM_PORT_RR, NULL);
  put_head(&b, 0, 0, 1);
  cycle(&b); /* cycle 0; the grant is in cycle 5, the tracker's write must be decoded there */
  while (b.cycle < 4)
    cycle(&b);
  write_reg(&b, LOOM_PORT_REG_TRACKER + 64, 1000);
  for (uint32_t i = 0; i < 3; i++)
    cycle(&b);
  assert_int_equal(count(&b, LOOM_PORT_LOST), 1);
  drain(&b);
  assert_int_equal(b.port.tracker.total, 1000);
  close_bench(&b);
}

/* Hold stops the searches from the cycle after its write is decoded; what is decided goes out. */
static void hold_stops_the_searches_from_the_cycle_after_its_write(void **state) {
  (void)state;
  for (uint64_t at = 0; at < 9; at++) {
    struct bench b;
    open_bench(&b, LOOM_PORT_RR, NULL);
    while (b.cycle < 60) {
      if (b.cycle == 0)
        put_head(&b, 0, 0, 1);
      b.in.reg_we = b.cycle == at || b.cycle == 40;
      b.in.reg_wdata = b.cycle == at;
      cycle(&b);
    }
    /* The search of the packet is in cycle 3; released, it is in cycle 42. */
    assert_int_equal(b.last_out, at + 2 <= 3 ? 42 + 6 : 9);
    close_bench(&b);
  }
}

/* A credit that nobody owed is an error, and no more than that. */
static void a_credit_that_nobody_owes_is_an_error(void **state) {
  (void)state;
  struct bench b;
  open_bench(&b, LOOM_PORT_RR, NULL);
  b.in.out_cr_valid = 1;
  b.in.out_cr_vl = 4;
  cycle(&b);
  cycle(&b), cycle(&b);
  assert_int_equal(count(&b, LOOM_PORT_TRACKER_ERRORS), 1);
  close_bench(&b);
}

static void parameters_out_of_range_are_refused(void **state) {
  (void)state;
  struct loom_sched_port_cfg c;
  loom_sched_port_defaults(&c);
  assert_true(loom_sched_port_cfg_ok(&c));
  c.RESERVED = 65; /* 16 * 65 > 1024 */
  assert_false(loom_sched_port_cfg_ok(&c));
  loom_sched_port_defaults(&c);
  c.REMOTE_RESERVED = 65;
  assert_false(loom_sched_port_cfg_ok(&c));
  loom_sched_port_defaults(&c);
  c.ARB_KEY = 0, c.KEYS = 8;
  assert_false(loom_sched_port_cfg_ok(&c));
  loom_sched_port_defaults(&c);
  c.SCHED = 4;
  assert_string_equal(loom_sched_port_bad_param(&c), "SCHED");
  /* The list's own figure for the storage. */
  size_t listed = 0;
  loom_sched_port_defaults(&c);
#define LIST "sched/sched_port.def"
#define P(NAME) c.NAME
#define LOOM_STORAGE(bytes) listed = (bytes);
#include <loom/def_rest.h>
#include LIST
#include <loom/def_undef.h>
  assert_int_equal(listed, loom_sched_port_storage_size(&c));
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_packet_leaves_nine_cycles_after_its_head),
      cmocka_unit_test(packets_of_5_flits_and_more_leave_without_a_gap),
      cmocka_unit_test(nothing_is_lost_under_random_traffic),
      cmocka_unit_test(a_million_packets_pass_in_order),
      cmocka_unit_test(skipped_work_does_not_show),
      cmocka_unit_test(every_register_reads_what_the_page_says),
      cmocka_unit_test(sc2sl_decides_the_key_of_a_packet),
      cmocka_unit_test(nothing_leaves_without_credits),
      cmocka_unit_test(management_goes_before_everything_that_waits),
      cmocka_unit_test(a_packet_that_does_not_fit_is_dropped_whole),
      cmocka_unit_test(a_grant_that_the_tracker_refuses_is_lost_and_counted),
      cmocka_unit_test(hold_stops_the_searches_from_the_cycle_after_its_write),
      cmocka_unit_test(a_credit_that_nobody_owes_is_an_error),
      cmocka_unit_test(parameters_out_of_range_are_refused),
  };
  return UNIT_RUN("sched_port", tests, NULL, NULL);
}

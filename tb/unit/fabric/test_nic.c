/* SPDX-License-Identifier: Apache-2.0 */
/* test_nic.c - the output port of a host is a sched_port on every cycle (docs/fabric.md) */
#include "tb/unit/unit.h"

#include <loom/random.h>
#include <stdlib.h>
#include <string.h>

#include "fabric/nic.h"
#include "fabric/packet_words.h"
#include "sched/sched_port.h"
#include "tb/ends/credits.h"

enum { CYCLES = 40000 };

/* Both, and what the far end has to give back. */
struct bench {
  struct loom_sched_port_cfg cfg;
  struct loom_sched_port *port;
  struct loom_nic *nic;
  void *storage[2];
  uint64_t seed;
  struct loom_nic_packet packet; /* that enters */
  uint32_t left;                 /* flits of it */
  struct end_receiver receiver;
  uint64_t flits;
};

static void *memory(size_t bytes) {
  void *m = calloc(1, bytes);
  assert_non_null(m);
  return m;
}

static void open_bench(struct bench *b) {
  assert_true(loom_sched_port_cfg_ok(&b->cfg));
  b->port = memory(sizeof *b->port);
  b->nic = memory(sizeof *b->nic);
  b->storage[0] = memory(loom_sched_port_storage_size(&b->cfg));
  b->storage[1] = memory(loom_nic_storage_size(&b->cfg));
  loom_sched_port_init(b->port, &b->cfg, b->storage[0]);
  loom_nic_init(b->nic, &b->cfg, false, b->storage[1]);
}

static void close_bench(struct bench *b) {
  free(b->port);
  free(b->nic);
  free(b->storage[0]);
  free(b->storage[1]);
}

static void write_both(struct bench *b, uint32_t addr, uint32_t data) {
  const struct loom_sched_port_in in = {.reg_we = 1, .reg_addr = addr, .reg_wdata = data};
  const struct loom_sched_port_in silent = {0};
  struct loom_sched_port_out out;
  loom_sched_port_step(b->port, &in, &out);
  loom_sched_port_step(b->port, &silent, &out);
  loom_nic_write(b->nic, addr, data);
  loom_nic_edge(b->nic, false, 0);
}

/* Tables, levels and trackers at random. */
static void program(struct bench *b) {
  for (uint32_t i = 0; i < 0x110; i++)
    write_both(b, LOOM_PORT_REG_TABLE + i,
               loom_below(&b->seed, 32) << 8 | loom_below(&b->seed, 256));
  write_both(b, LOOM_PORT_REG_TABLE + LOOM_IBARB_REG_LIMIT,
             loom_below(&b->seed, 4)); /* ibarb: limit, mode */
  write_both(b, LOOM_PORT_REG_TABLE + LOOM_IBARB_REG_MODE, loom_below(&b->seed, 4));
  write_both(b, LOOM_PORT_REG_TABLE + 32,
             loom_below(&b->seed, b->cfg.SCHED == LOOM_PORT_SBT ? 4 : 0));
  for (uint32_t sc = 0; sc < 32; sc++)
    write_both(b, LOOM_PORT_REG_SC2SL + sc, loom_below(&b->seed, b->cfg.KEYS));
  for (uint32_t vl = 0; vl < b->cfg.VLS; vl++) {
    write_both(b, LOOM_PORT_REG_BUFFER + vl, loom_below(&b->seed, b->cfg.CELLS / b->cfg.VLS + 1));
    write_both(b, LOOM_PORT_REG_BUFFER + 32 + vl, loom_below(&b->seed, b->cfg.CELLS + 1));
    write_both(b, LOOM_PORT_REG_TRACKER + vl,
               loom_below(&b->seed, b->cfg.REMOTE_UNITS / b->cfg.VLS + 1));
  }
}

/* A packet of random size, if there is room for it: the same room in both. */
static void begin(struct bench *b) {
  uint32_t vl = loom_below(&b->seed, b->cfg.VLS);
  uint32_t len = 2 + loom_below(&b->seed, loom_below(&b->seed, 8) ? 20 : 120);
  uint32_t room = loom_nic_room(b->nic, vl);
  assert_int_equal(room, loom_credit_tracker_avail(&b->port->buffer.tracker, vl));
  if (end_units(len) > room)
    return;
  const struct loom_packet_head head = {.sc = loom_below(&b->seed, 32), .len = len};
  b->packet = (struct loom_nic_packet){.head = loom_packet_head(&head),
                                       .key = loom_random(&b->seed),
                                       .offset = loom_below(&b->seed, 10000),
                                       .len = (uint16_t)len,
                                       .vl = (uint8_t)vl};
  b->left = len;
  loom_nic_begin(b->nic, &b->packet);
}

static void put_flit(struct bench *b, struct loom_sched_port_in *in) {
  uint32_t place = b->packet.len - b->left;
  if (!b->left)
    return;
  b->left--;
  in->in_valid = 1;
  in->in_head = place == 0;
  in->in_tail = b->left == 0;
  in->in_vl = b->packet.vl;
  in->in_data = place ? loom_packet_flit(b->packet.key, b->packet.offset, place) : b->packet.head;
}

/* Sometimes one that nobody is owed. */
static void put_credit(struct bench *b, struct loom_sched_port_in *in) {
  uint32_t vl = loom_below(&b->seed, b->cfg.VLS);
  bool wrong = loom_below(&b->seed, 5000) == 0;
  if (end_give(&b->receiver, 1u << vl, 0) == END_NO_LANE && !wrong)
    return;
  in->out_cr_valid = 1;
  in->out_cr_vl = vl;
}

static void compare(struct bench *b, const struct loom_sched_port_out *out) {
  const struct loom_nic_flit *flit = &b->nic->out;
  assert_int_equal(flit->valid, out->out_valid);
  assert_int_equal(flit->head, out->out_head);
  assert_int_equal(flit->tail, out->out_tail);
  assert_int_equal(flit->vl, out->out_vl);
  assert_int_equal(flit->data, out->out_data);
  assert_int_equal(b->nic->free_valid, out->in_cr_valid);
  if (out->in_cr_valid)
    assert_int_equal(b->nic->free_vl, out->in_cr_vl);
  if (!out->out_valid)
    return;
  b->flits++;
  end_receive(&b->receiver, (uint32_t)out->out_vl, out->out_tail);
}

static void cycle(struct bench *b, uint32_t load, uint32_t credits) {
  struct loom_sched_port_in in = {0};
  struct loom_sched_port_out out;
  assert_int_equal(loom_nic_ready(b->nic), !b->left);
  if (!b->left && loom_chance(&b->seed, load))
    begin(b);
  put_flit(b, &in);
  if (loom_chance(&b->seed, credits))
    put_credit(b, &in);
  struct loom_sched_port *p = b->port;
  loom_sched_port_step(p, &in, &out);
  compare(b, &out);
  loom_nic_edge(b->nic, in.out_cr_valid, (uint32_t)in.out_cr_vl);
  assert_int_equal(b->nic->head_valid, p->buffer.head_valid);
  assert_memory_equal(b->nic->far.lane, p->tracker.lane, sizeof p->tracker.lane);
  assert_memory_equal(b->nic->room.lane, p->buffer.tracker.lane, sizeof p->tracker.lane);
  if (!p->tracker.error) /* which the NIC does not have */
    assert_int_equal(b->nic->quiet, p->quiet);
}

/* Busy and quiet times, with credits fast and slow. */
static void run(struct bench *b) {
  for (uint32_t i = 0, load = 0, credits = 0; i < CYCLES; i++) {
    if (i % 500 == 0) {
      load = loom_below(&b->seed, 3) * 50;
      credits = loom_below(&b->seed, 3) * 50;
    }
    cycle(b, load, credits);
  }
}

/* Every scheduler and number of VLs, with levels and with VLs as keys. */
static void the_port_of_a_host_is_a_sched_port_on_every_cycle(void **state) {
  (void)state;
  static const uint32_t vls[] = {1, 3, 16, 32};
  for (uint32_t i = 0; i < 32; i++) {
    struct bench b = {.seed = i};
    loom_sched_port_defaults(&b.cfg);
    b.cfg.SCHED = i % 4;
    b.cfg.VLS = vls[i / 4 % 4];
    b.cfg.ARB_KEY = i / 16;
    b.cfg.MGMT_VL = i % 3 ? 15 : 0;
    b.cfg.CELLS = 64;
    b.cfg.RESERVED = 2;
    b.cfg.REMOTE_UNITS = 48;
    b.cfg.REMOTE_RESERVED = 1;
    open_bench(&b);
    if (i % 8 > 3)
      program(&b);
    run(&b);
    assert_int_equal(b.port->counter[LOOM_PORT_DROPS], 0);
    assert_int_equal(b.port->counter[LOOM_PORT_BUFFER_ERRORS], 0);
    if (i % 8 <= 3 && (b.cfg.SCHED == LOOM_PORT_RR || b.cfg.SCHED == LOOM_PORT_SBT))
      assert_true(b.flits > CYCLES / 8);
    close_bench(&b);
  }
}

/* The hold bit: nothing goes, and it is quiet. */
static void a_held_port_sends_nothing_and_is_quiet(void **state) {
  (void)state;
  struct bench b = {.seed = 7};
  loom_sched_port_defaults(&b.cfg);
  b.cfg.SCHED = LOOM_PORT_RR;
  open_bench(&b);
  write_both(&b, LOOM_PORT_REG_CONTROL, 1);
  for (uint32_t i = 0; i < 1000; i++)
    cycle(&b, 50, 100);
  for (uint32_t i = 0; i < 200; i++)
    cycle(&b, 0, 0);
  assert_int_equal(b.flits, 0);
  assert_true(b.nic->quiet);
  write_both(&b, LOOM_PORT_REG_CONTROL, 0);
  for (uint32_t i = 0; i < 1000; i++)
    loom_nic_edge(b.nic, false, 0);
  assert_int_equal(b.nic->head_valid, 0);
  close_bench(&b);
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_port_of_a_host_is_a_sched_port_on_every_cycle),
      cmocka_unit_test(a_held_port_sends_nothing_and_is_quiet)};
  return UNIT_RUN("nic", tests, NULL, NULL);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* test_switch_registers.c - the registers and counters of the twins of ib_switch and opa_switch,
 * against docs/switch.md, docs/ib.md and docs/opa.md, without a circuit */
#include "tb/unit/unit.h"

#include <stdlib.h>

#include "tb/unit/switch_bench.h"

/* ---- registers ------------------------------------------------------------------------------- */

/* E5-39: a write is seen by the read in the next cycle, and not by the one before. */
static void a_write_is_seen_by_the_read_in_the_next_cycle(void **state) {
  (void)state;
  for (enum switch_kind kind = IB; kind <= OPA; kind++) {
    struct switch_bench *b = open_bench(kind, SMALL);
    static const uint32_t addr[] = {LOOM_SWITCH_REG_CONTROL, LOOM_SWITCH_REG_LFT_COUNT,
                                    LOOM_SWITCH_REG_MTU + 1, LOOM_SWITCH_REG_LFT + 3,
                                    LOOM_SWITCH_REG_PORTS + LOOM_SWITCH_WIN_HOLD};
    for (uint32_t i = 0; i < 5; i++) {
      uint32_t before = read_reg(b, addr[i]), after = before ^ 1, seen[8] = {0};
      for (uint32_t c = 0; c < 8; c++) { /* read, write, read, then nothing */
        b->in.reg_re = c == 0 || c == 2;
        b->in.reg_we = c == 1;
        b->in.reg_addr = c < 3 ? addr[i] : 0;
        b->in.reg_wdata = c == 1 ? after : 0;
        cycle(b);
        assert_int_equal(b->out.reg_rvalid, c == 3 || c == 5);
        seen[c] = (uint32_t)b->out.reg_rdata;
      }
      const uint32_t expected[8] = {0, 0, 0, before, 0, after, 0, 0};
      assert_memory_equal(seen, expected, sizeof seen);
    }
    close_bench(b);
  }
}

/* The whole map as the pages have it: what stands at each address. */
struct map {
  struct switch_bench *b;
  uint32_t *word; /* of all 2^20 addresses, as written; masked */
};

static uint32_t table_mask(const struct switch_bench *b, uint32_t sched, uint32_t t) {
  if (sched == 1)
    return t < param(b, "KEYS") ? 0xFF : t == 32 ? 3 : 0;
  if (sched == 2)
    return t < param(b, "ENTRIES") ? 0x1FFF : 0;
  if (sched != 3)
    return 0;
  if (t < param(b, "N_HIGH") ||
      (t >= LOOM_IBARB_REG_LOW && t < LOOM_IBARB_REG_LOW + param(b, "N_LOW")))
    return 0x1FFF;
  return t == LOOM_IBARB_REG_LIMIT ? 0xFF : t == LOOM_IBARB_REG_MODE ? 3 : 0;
}

/* What a read of a scheduler's table gives; w: the words of the table. */
static uint32_t table_word(const struct switch_bench *b, uint32_t sched, uint32_t t,
                           const uint32_t *w) {
  if (sched == 1)
    return t < 32 ? w[t] << 8 | w[t] : w[t];
  if (sched == 2 && t == LOOM_DTABLE_REG_PTR)
    return param(b, "ENTRIES") - 1;
  if (sched == 2 && t >= LOOM_DTABLE_REG_IB_HIGH && t < LOOM_DTABLE_REG_IB_LOW)
    return t - LOOM_DTABLE_REG_IB_HIGH < param(b, "ENTRIES")
               ? w[t - LOOM_DTABLE_REG_IB_HIGH] & 0xFFF
               : 0;
  if (sched == 3 && (t == LOOM_IBARB_REG_SELECTION_HIGH || t == LOOM_IBARB_REG_SELECTION_LOW))
    return (param(b, t == LOOM_IBARB_REG_SELECTION_HIGH ? "N_HIGH" : "N_LOW") - 1) << 16;
  return w[t];
}

/* Bits that can be written in a window of a port. */
static uint32_t port_mask(const struct switch_bench *b, uint32_t a) {
  if (a == LOOM_SWITCH_WIN_HOLD)
    return 1;
  if (a >= LOOM_SWITCH_WIN_TABLE && a < LOOM_SWITCH_WIN_MAP)
    return table_mask(b, param(b, "SCHED"), a - LOOM_SWITCH_WIN_TABLE);
  return a >= LOOM_SWITCH_WIN_MAP && a < LOOM_SWITCH_WIN_MAP + 32 * b->ports ? 31 : 0;
}

static uint32_t central_mask(const struct switch_bench *b, uint32_t a) {
  if (a < LOOM_SWITCH_WIN_TABLE || a >= LOOM_SWITCH_WIN_MAP || b->opa_cfg.CENTRAL_SCHED > 3)
    return 0;
  return table_mask(b, b->opa_cfg.CENTRAL_SCHED, a - LOOM_SWITCH_WIN_TABLE);
}

static uint32_t low_mask(const struct switch_bench *b, uint32_t addr) {
  if (addr == LOOM_SWITCH_REG_CONTROL)
    return 0x13;
  if (addr == LOOM_SWITCH_REG_LFT_COUNT)
    return 0x1FFFF;
  if (addr >= LOOM_SWITCH_REG_MTU && addr < LOOM_SWITCH_REG_MTU + b->vls)
    return 0x3FF;
  return b->kind == OPA && addr >= LOOM_OPA_REG_SC2VL && addr < LOOM_OPA_REG_SL2SC + 32 ? 31 : 0;
}

/* Bits that can be written at this address of the map. */
static uint32_t write_mask(const struct switch_bench *b, uint32_t addr) {
  if (addr < LOOM_SWITCH_REG_PORTS)
    return low_mask(b, addr);
  if (addr < LOOM_SWITCH_REG_CENTRALS)
    return (addr - LOOM_SWITCH_REG_PORTS) / LOOM_REG_WINDOW < b->ports
               ? port_mask(b, addr % LOOM_REG_WINDOW)
               : 0;
  if (addr < LOOM_SWITCH_REG_CENTRALS + 64 * LOOM_REG_WINDOW)
    return (addr - LOOM_SWITCH_REG_CENTRALS) / LOOM_REG_WINDOW < b->centrals
               ? central_mask(b, addr % LOOM_REG_WINDOW)
               : 0;
  return addr >= LOOM_SWITCH_REG_LFT && addr < LOOM_SWITCH_REG_LFT + param(b, "LIDS") ? 63 : 0;
}

static void map_put(struct map *m, uint32_t addr, uint32_t data) {
  m->word[addr] = data & write_mask(m->b, addr);
  if (addr == LOOM_SWITCH_REG_LFT_COUNT)
    m->word[addr] = loom_min(m->word[addr], param(m->b, "LIDS"));
}

/* A write, also to a window that stands for all. */
static void map_write(struct map *m, uint32_t addr, uint32_t data) {
  write_reg(m->b, addr, data);
  map_put(m, addr, data);
  uint32_t a = addr % LOOM_REG_WINDOW;
  if (addr - a == LOOM_SWITCH_REG_PORTS + R_ALL)
    for (uint32_t p = 0; p < m->b->ports; p++)
      map_put(m, port_reg(p, a), data);
  if (addr - a == LOOM_SWITCH_REG_CENTRALS + R_ALL)
    for (uint32_t c = 0; c < m->b->centrals; c++)
      map_put(m, central_reg(c, a), data);
}

static bool maps_are_read(const struct map *m) {
  uint32_t mode = m->word[LOOM_SWITCH_REG_CONTROL] & 3;
  return m->b->kind == IB ? mode & 1 : mode == 1;
}

/* What a read of this address must give. */
static uint32_t map_read(const struct map *m, uint32_t addr) {
  const struct switch_bench *b = m->b;
  uint32_t a = addr % LOOM_REG_WINDOW, base = addr - a;
  if (addr == LOOM_SWITCH_REG_ID)
    return 0x4C000000 | (uint32_t)b->kind << 16 | b->ports << 8 | b->vls;
  if (addr >= LOOM_SWITCH_REG_LFT)
    return addr - LOOM_SWITCH_REG_LFT < m->word[LOOM_SWITCH_REG_LFT_COUNT] ? m->word[addr] : 0;
  if (addr < LOOM_SWITCH_REG_PORTS || a < LOOM_SWITCH_WIN_TABLE)
    return m->word[addr];
  bool port = addr < LOOM_SWITCH_REG_CENTRALS;
  if ((port ? (base - LOOM_SWITCH_REG_PORTS) : (base - LOOM_SWITCH_REG_CENTRALS)) /
          LOOM_REG_WINDOW >=
      (port ? b->ports : b->centrals))
    return 0;
  if (a >= LOOM_SWITCH_WIN_MAP)
    return maps_are_read(m) ? m->word[addr] : 0;
  uint32_t sched = port ? param(b, "SCHED") : b->opa_cfg.CENTRAL_SCHED;
  return table_word(b, sched, a - LOOM_SWITCH_WIN_TABLE, m->word + base + LOOM_SWITCH_WIN_TABLE);
}

static void map_new(struct map *m, enum switch_kind kind, const char *params) {
  m->b = new_bench(kind, params);
  m->word = calloc(1 << 20, sizeof *m->word);
  assert_non_null(m->word);
  for (uint32_t i = 0; i < m->b->vls; i++)
    m->word[LOOM_SWITCH_REG_MTU + i] = param(m->b, "MTU_UNITS");
  for (uint32_t i = 0; kind == OPA && i < 96; i++)
    m->word[LOOM_OPA_REG_SC2VL + i] = i % 32;
}

static void map_close(struct map *m) {
  close_bench(m->b);
  free(m->word);
}

/* The next address to look at: all of the first windows of each kind and of the LFT, some of the
 * rest. */
static uint32_t next_addr(uint32_t addr) {
  uint32_t page = addr & 0xF0000, next_page = page + 0x10000;
  bool dense =
      addr - page < 0x1200 && (page <= LOOM_SWITCH_REG_PORTS || page == LOOM_SWITCH_REG_CENTRALS ||
                               page == LOOM_SWITCH_REG_LFT);
  return loom_min(addr + (dense ? 1 : 31), next_page);
}

static void map_compare(const struct map *m) {
  enum { CHUNK = 4096 };
  uint32_t *addr = malloc(2 * CHUNK * sizeof *addr), *data = addr + CHUNK, next = 0;
  assert_non_null(addr);
  while (next < 1 << 20) {
    uint32_t n = 0;
    for (; n < CHUNK && next < 1 << 20; next = next_addr(next))
      addr[n++] = next;
    read_regs(m->b, addr, n, data);
    cycles(m->b, 3);
    for (uint32_t i = 0; i < n; i++)
      if (data[i] != map_read(m, addr[i]))
        fail_msg("address 0x%05X: 0x%X, expected 0x%X", addr[i], data[i], map_read(m, addr[i]));
  }
  free(addr);
}

/* E5-39: every address after reset; after something was written everywhere; by the windows that
 * stand for all. What does not exist reads 0. */
static void every_address_reads_what_the_page_says(void **state) {
  (void)state;
  static const char *const params[] = {
      SMALL " SCHED=2 CENTRAL_SCHED=3 ENTRIES=40 N_HIGH=60 N_LOW=128 LIDS=100",
      SMALL " SCHED=3 CENTRAL_SCHED=2", SMALL " SCHED=1 CENTRAL_SCHED=1 VLS=2", SMALL};
  for (enum switch_kind kind = IB; kind <= OPA; kind++)
    for (uint32_t i = 0; i < 4; i++) {
      struct map m;
      uint64_t seed = i;
      map_new(&m, kind, params[i]);
      map_compare(&m);
      for (uint32_t addr = 0; addr < 1 << 20; addr = next_addr(addr))
        map_write(&m, addr, (uint32_t)loom_random(&seed));
      map_write(&m, LOOM_SWITCH_REG_CONTROL, kind == IB ? 3 : 1);
      map_write(&m, LOOM_SWITCH_REG_LFT_COUNT, 0x1FFFF); /* no more than there are */
      for (uint32_t p = 0; p < m.b->ports; p++)          /* entries that the last loop left out */
        for (uint32_t a = LOOM_SWITCH_WIN_MAP; a < LOOM_SWITCH_WIN_MAP + 32 * m.b->ports; a++)
          map_write(&m, port_reg(p, a), (uint32_t)loom_random(&seed));
      for (uint32_t lid = 0; lid < param(m.b, "LIDS"); lid++)
        map_write(&m, LOOM_SWITCH_REG_LFT + lid, (uint32_t)loom_random(&seed));
      map_compare(&m);
      map_write(&m, LOOM_SWITCH_REG_CONTROL, 0x12); /* no map */
      map_write(&m, LOOM_SWITCH_REG_LFT_COUNT, 7);
      for (uint32_t a = 0; a < LOOM_REG_WINDOW; a += 1 + a % 3) {
        map_write(&m, LOOM_SWITCH_REG_PORTS + R_ALL + a, (uint32_t)loom_random(&seed));
        map_write(&m, LOOM_SWITCH_REG_CENTRALS + R_ALL + a, (uint32_t)loom_random(&seed));
      }
      map_compare(&m);
      map_close(&m);
    }
}

/* E5-39: `mtu` is written only while no unit is in use in any buffer, at the last edge: with a
 * packet in flight it stays, and the attempt is counted. */
static void mtu_is_written_only_while_the_switch_is_idle(void **state) {
  (void)state;
  for (enum switch_kind kind = IB; kind <= OPA; kind++)
    for (uint32_t decoded = 0; decoded < 16; decoded++) {
      struct switch_bench *b = open_bench(kind, SMALL);
      uint64_t from = b->cycle + 10;
      uint32_t n = post_at(b, from, 1, 0, 0, 2, 1);
      cycle_until(b, from + decoded - 1);
      write_reg(b, LOOM_SWITCH_REG_MTU + 2, 5);
      await(b, n);
      cycles(b, 10);
      /* In use from cycle 1 on, read from the output buffer in 7. */
      bool taken = decoded < 2 || decoded > 8;
      assert_int_equal(read_reg(b, LOOM_SWITCH_REG_MTU + 2), taken ? 5 : 8);
      assert_int_equal(read_reg(b, LOOM_SWITCH_REG_MTU_IGNORED), !taken);
      write_reg(b, LOOM_SWITCH_REG_MTU + 4, 5); /* no such lane: nothing, not even ignored */
      assert_int_equal(read_reg(b, LOOM_SWITCH_REG_MTU_IGNORED), !taken);
      drain(b);
      close_bench(b);
    }
}

/* OP-08: `mtu` of the lane that the packet goes to decides, as it stands when it is routed, two
 * cycles after the head. */
static void mtu_of_the_lane_decides_as_the_packet_is_routed(void **state) {
  (void)state;
  for (enum switch_kind kind = IB; kind <= OPA; kind++) {
    struct switch_bench *b = open_bench(kind, SMALL);
    set_mtu(b, 0, 3);
    set_mtu(b, 2, 0);
    set_mtu(b, 3, 1023);
    cycles(b, 4);
    assert_int_equal(send_alone(b, 1, 0, 0, 2, 24), 0);
    assert_int_equal(send_alone(b, 1, 0, 0, 2, 25), trap_word(TOO_LONG, 1, 0, 2));
    assert_int_equal(send_alone(b, 1, 1, 1, 2, 64), 0);
    assert_int_equal(send_alone(b, 1, 2, 2, 6, 1), trap_word(TOO_LONG, 1, 2, 6));
    drain(b);
    check_counters(b);
    uint64_t from = b->cycle + 10;
    post_at(b, from, 1, 0, 0, 2, 25);
    cycle_until(b, from);
    set_mtu(b, 0, 4); /* decoded in cycle 1, so it stands in cycle 2 */
    uint32_t before = b->delivered;
    cycles(b, 60);
    assert_int_equal(b->delivered, before + 1);
    close_bench(b);
  }
}

/* ---- counters -------------------------------------------------------------------------------- */

/* Reads of one register in `n` cycles that follow each other, the first decoded in cycle `when`. */
static void read_often(struct switch_bench *b, uint32_t addr, uint64_t when, uint32_t n,
                       uint32_t *seen) {
  uint32_t addrs[16];
  assert_in_range(n, 1, 16);
  for (uint32_t i = 0; i < n; i++)
    addrs[i] = addr;
  cycle_until(b, when - 1);
  read_regs(b, addrs, n, seen);
}

/* OP-22: the largest use so far is in its register one cycle after it is in use: of a packet that
 * is announced to this buffer so many cycles after its head, that is two cycles later. A smaller
 * one does not show, a larger one shows only then. */
static void expect_peaks(enum switch_kind kind, uint32_t out, uint32_t addr, uint32_t announced) {
  static const uint32_t len[] = {20, 9, 40, 33, 64}, most[] = {3, 3, 5, 5, 8};
  struct switch_bench *b = open_bench(kind, SMALL);
  for (uint32_t i = 0; i < 5; i++) {
    uint64_t from = b->cycle + 4;
    uint32_t n = post_at(b, from, 1, 2, 2, out, len[i]), seen[10];
    read_often(b, addr + 2, from, 10, seen);
    for (uint32_t c = 0; c < 10; c++)
      assert_int_equal(seen[c], c >= announced + 2 ? most[i] : i ? most[i - 1] : 0);
    await(b, n);
    cycles(b, 40);
  }
  assert_int_equal(read_reg(b, addr + 2), 8);
  assert_int_equal(read_reg(b, addr + 1), 0);
  drain(b);
  check_counters(b);
  close_bench(b);
}

/* OP-22. */
static void the_registers_of_largest_use_keep_the_peak(void **state) {
  (void)state;
  for (enum switch_kind kind = IB; kind <= OPA; kind++) {
    expect_peaks(kind, 3, port_reg(1, LOOM_SWITCH_WIN_PEAK_IN), 0);
    expect_peaks(kind, 3, port_reg(3, LOOM_SWITCH_WIN_PEAK_OUT), 3);
  }
  expect_peaks(OPA, 7, central_reg(1, LOOM_SWITCH_WIN_PEAK_IN), 3);
  expect_peaks(OPA, 7, port_reg(7, LOOM_SWITCH_WIN_PEAK_OUT), 4);
}

/* OP-08: what is read of a stall that goes on grows with each cycle. */
static void a_stall_is_counted_while_it_lasts(void **state) {
  (void)state;
  for (enum switch_kind kind = IB; kind <= OPA; kind++) {
    struct switch_bench *b = open_bench(kind, SMALL " VLS=2 REMOTE_UNITS=16 REMOTE_RESERVED=4");
    b->stopped = 1 << 3;
    for (uint32_t i = 0; i < 4; i++) /* 16 units, of which VL 0 may have 12 */
      post(b, 0, 0, 0, 3, 32);
    cycles(b, 300);
    assert_int_equal(b->delivered, 3);
    uint64_t from = b->cycle;
    uint32_t before = read_port(b, 3, LOOM_SWITCH_WIN_STALLS);
    assert_in_range(before, 150, 300 - 3 * 32); /* not before three packets have gone */
    for (uint32_t i = 0; i < 5; i++) {
      cycles(b, 10 * i);
      uint32_t took = (uint32_t)(b->cycle - from);
      from = b->cycle;
      uint32_t now = read_port(b, 3, LOOM_SWITCH_WIN_STALLS);
      assert_int_equal(now - before, took);
      before = now;
    }
    b->stopped = 0;
    drain(b);
    close_bench(b);
  }
}

/* Whatever its memory held, it has no ways after reset. */
static void after_reset_all_tables_are_0(void **state) {
  (void)state;
  for (enum switch_kind kind = IB; kind <= OPA; kind++) {
    struct switch_bench *b = new_bench(kind, SMALL);
    cycles(b, 2000);
    write_reg(b, LOOM_SWITCH_REG_LFT_COUNT, 16);
    for (uint32_t lid = 0; lid < 16; lid++)
      assert_int_equal(read_reg(b, LOOM_SWITCH_REG_LFT + lid), 0);
    close_bench(b);
  }
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_write_is_seen_by_the_read_in_the_next_cycle),
      cmocka_unit_test(every_address_reads_what_the_page_says),
      cmocka_unit_test(mtu_is_written_only_while_the_switch_is_idle),
      cmocka_unit_test(mtu_of_the_lane_decides_as_the_packet_is_routed),
      cmocka_unit_test(the_registers_of_largest_use_keep_the_peak),
      cmocka_unit_test(a_stall_is_counted_while_it_lasts),
      cmocka_unit_test(after_reset_all_tables_are_0),
  };
  return UNIT_RUN("switch_registers", tests, NULL, NULL);
}

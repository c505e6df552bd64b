/* SPDX-License-Identifier: Apache-2.0 */
/* test_elite5_registers.c - the registers and counters of the twin of elite5_router against what
 * docs/elite5.md says, without a circuit */
#include "tb/unit/unit.h"

#include <stdlib.h>
#include <string.h>

#include "tb/unit/elite5_bench.h"

enum { ADDRESSES = 1 << 20, LIVE = 32 /* registers below this that are not in a window */ };

/* ---- the map --------------------------------------------------------------------------------- */

/* What was written, as the page says that it is kept. */
struct map {
  struct elite5_bench *b;
  uint32_t *word; /* of all addresses; of the mask table {mask, all} at {2 k, 2 k + 1} */
};

static const struct {
  uint32_t addr, kept, reset;
} registers[] = {{LOOM_ELITE5_REG_CONTROL, 7, 0},
                 {LOOM_ELITE5_REG_EXPIRE, 0x3FFF, 0},
                 {LOOM_ELITE5_REG_UPLINKS, 0, 0}, /* as many bits as links */
                 {LOOM_ELITE5_REG_THRESHOLD, 63, 1},
                 {LOOM_ELITE5_REG_CHIP_ID, 0xFFFF, 0},
                 {LOOM_ELITE5_REG_PROTOCOL, 0xFF, 0x51},
                 {LOOM_ELITE5_REG_PRBS_WORDS, 0xFFFF, 1024},
                 {LOOM_ELITE5_REG_PRBS_LIMIT, 0xFFFF, 0},
                 {LOOM_ELITE5_REG_TIMEOUT, 0xFFFF, 4096},
                 {LOOM_ELITE5_REG_WINDOW, 0xFFFFFF, 65536},
                 {LOOM_ELITE5_REG_LIMIT_REDUNDANT, 0xFFFF, 16},
                 {LOOM_ELITE5_REG_LIMIT_SINGLE, 0xFFFF, 1024}};
enum { REGISTERS = sizeof registers / sizeof *registers };

static uint32_t masks(const struct map *m) { return m->b->cfg.CLASSES + 2 * m->b->cfg.GROUPS; }

static void open_map(struct map *m, const char *params) {
  m->b = open_router(params);
  m->word = calloc(ADDRESSES, sizeof *m->word);
  assert_non_null(m->word);
  for (uint32_t i = 0; i < REGISTERS; i++)
    m->word[registers[i].addr] = registers[i].reset;
  for (uint32_t l = 0; l < m->b->cfg.LINKS; l++) {
    m->word[link_reg(l, LOOM_ELITE5_REG_LINK_VC_LIMIT)] = m->b->cfg.VCS;
    m->word[link_reg(l, LOOM_ELITE5_REG_LINK_CAP)] = 63;
  }
  m->word[LOOM_ELITE5_REG_ID] = 0x4C050000 | m->b->cfg.LINKS << 8 | m->b->cfg.VCS;
}

static void close_map(struct map *m) {
  free(m->word);
  close_router(m->b);
}

static void map_put_low(struct map *m, uint32_t addr, uint32_t data) {
  const struct loom_elite5_router_cfg *c = &m->b->cfg;
  for (uint32_t i = 0; i < REGISTERS; i++)
    if (registers[i].addr == addr)
      m->word[addr] = data & registers[i].kept;
  if (addr == LOOM_ELITE5_REG_UPLINKS)
    m->word[addr] = data & (uint32_t)loom_mask(c->LINKS);
  if (addr == LOOM_ELITE5_REG_DEST_COUNT)
    m->word[addr] = loom_min(data, c->DESTS);
  if (addr == LOOM_ELITE5_REG_CLASS_COUNT)
    m->word[addr] = loom_min(data, c->CLASSES);
  if (addr == LOOM_ELITE5_REG_GROUP_COUNT)
    m->word[addr] = loom_min(data, c->GROUPS);
}

static void map_put_link(struct map *m, uint32_t addr, uint32_t data) {
  static const uint32_t kept[] = {15, 0xFFFFFF, 63, 63};
  uint32_t link = (addr - LOOM_ELITE5_REG_LINKS) / LOOM_REG_WINDOW, a = addr % LOOM_REG_WINDOW;
  if (a > LOOM_ELITE5_REG_LINK_CAP)
    return;
  for (uint32_t l = 0; l < m->b->cfg.LINKS; l++)
    if (link == l || link == ALL)
      m->word[link_reg(l, a)] = data & kept[a];
}

static void map_put(struct map *m, uint32_t addr, uint32_t data) {
  if (addr < LOOM_ELITE5_REG_LINKS) {
    map_put_low(m, addr, data);
  } else if (addr < LOOM_ELITE5_REG_LINKS + 64 * LOOM_REG_WINDOW) {
    map_put_link(m, addr, data);
  } else if (addr >= LOOM_ELITE5_REG_MASK && addr < LOOM_ELITE5_REG_MASK + 2 * masks(m)) {
    m->word[addr & ~1u] = data & (uint32_t)loom_mask(m->b->cfg.LINKS);
    m->word[addr | 1] = addr & 1;
  } else if (addr >= LOOM_ELITE5_REG_DEST && addr < LOOM_ELITE5_REG_DEST + m->b->cfg.DESTS) {
    m->word[addr] = data & 0xFFF;
  }
}

/* What a read must give; of what changes by itself, nothing is known here. */
static uint32_t map_read(const struct map *m, uint32_t addr) {
  if (addr >= LOOM_ELITE5_REG_DEST)
    return addr - LOOM_ELITE5_REG_DEST < m->word[LOOM_ELITE5_REG_DEST_COUNT] ? m->word[addr] : 0;
  if (addr < LOOM_ELITE5_REG_MASK)
    return m->word[addr];
  uint32_t k = (addr - LOOM_ELITE5_REG_MASK) / 2, classes = m->b->cfg.CLASSES;
  bool known = k < classes ? k < m->word[LOOM_ELITE5_REG_CLASS_COUNT]
                           : (k - classes) / 2 < m->word[LOOM_ELITE5_REG_GROUP_COUNT];
  return known ? m->word[addr] : 0;
}

static bool changes(uint32_t addr) {
  return addr == LOOM_ELITE5_REG_TIME ||
         (addr >= LOOM_ELITE5_REG_LINKS && addr < LOOM_ELITE5_REG_LINKS + 64 * LOOM_REG_WINDOW &&
          addr % LOOM_REG_WINDOW == LOOM_ELITE5_REG_LINK_STATE);
}

/* One write a cycle. */
static void map_write(struct map *m, uint32_t addr, uint32_t data) {
  put_reg(m->b, addr, data);
  cycle(m->b);
  map_put(m, addr, data);
}

/* Reads from .. to - 1, one a cycle, and compares. */
static void map_compare(struct map *m, uint32_t from, uint32_t to) {
  for (uint32_t a = from; a < to + 3; a++) {
    m->b->in.reg_re = a < to;
    m->b->in.reg_addr = a < to ? a : 0;
    cycle(m->b);
    if (a < from + 3) {
      assert_int_equal(m->b->out.reg_rvalid, 0);
      continue;
    }
    assert_int_equal(m->b->out.reg_rvalid, 1);
    if (!changes(a - 3) && m->b->out.reg_rdata != map_read(m, a - 3))
      fail_msg("address %05X reads %08X, not %08X", a - 3, (uint32_t)m->b->out.reg_rdata,
               map_read(m, a - 3));
  }
  cycle(m->b);
  assert_true((m->b->out.reg_rvalid | m->b->out.reg_rdata) == 0);
}

/* The parts of the map in which something stands, their ends, and windows of links that are not. */
static void map_compare_most(struct map *m) {
  const struct loom_elite5_router_cfg *c = &m->b->cfg;
  map_compare(m, 0, 0x200);
  map_compare(m, LOOM_ELITE5_REG_LINKS - 0x100, LOOM_ELITE5_REG_LINKS + 2 * LOOM_REG_WINDOW);
  map_compare(m, link_reg(c->LINKS - 1, 0), link_reg(c->LINKS + 1, 0));
  map_compare(m, link_reg(ALL - 1, 0xF00), link_reg(ALL, 0x100));
  map_compare(m, LOOM_ELITE5_REG_MASK - 0x100, LOOM_ELITE5_REG_MASK + 2 * masks(m) + 0x200);
  map_compare(m, LOOM_ELITE5_REG_DEST - 0x100,
              LOOM_ELITE5_REG_DEST + loom_min(c->DESTS + 0x200, 0x10000));
  uint64_t seed = 39;
  for (uint32_t i = 0; i < 200; i++) {
    uint32_t a = loom_below(&seed, ADDRESSES - 8);
    map_compare(m, a, a + 8);
  }
}

static const char *const sizes[] = {SMALL,
                                    "LINKS=2 VCS=2 BVCS=1 POOL=0 DESTS=16 CLASSES=1 GROUPS=1",
                                    "LINKS=5 VCS=7 BVCS=3 POOL=1 DESTS=999 CLASSES=77 GROUPS=13",
                                    "DESTS=65536 CLASSES=4096 GROUPS=1024"};

/* E5-39: every register after reset. */
static void every_register_has_its_value_after_reset(void **state) {
  (void)state;
  for (uint32_t k = 0; k < 4; k++) {
    struct map m;
    open_map(&m, sizes[k]);
    map_compare_most(&m);
    close_map(&m);
  }
}

/* E5-39: ones everywhere, then zeros: the bits that are named are kept, read-only registers and
 * what is not listed ignore it. */
static void a_register_keeps_the_bits_that_are_named_and_no_others(void **state) {
  (void)state;
  for (uint32_t k = 0; k < 3; k++) {
    struct map m;
    open_map(&m, sizes[k]);
    for (uint32_t round = 0; round < 2; round++) {
      uint32_t data = round ? 0 : ~0u;
      for (uint32_t a = 0; a < LOOM_ELITE5_REG_LINKS; a += a < 0x40 ? 1 : 13)
        map_write(&m, a, data);
      for (uint32_t l = 0; l <= m.b->cfg.LINKS; l++)
        for (uint32_t a = 0; a < 0x60; a++)
          map_write(&m, link_reg(l, a), data);
      map_compare_most(&m);
    }
    close_map(&m);
  }
}

/* E5-39: other words in every register of two windows: neighbours keep theirs. */
static void a_written_register_leaves_its_neighbours_alone(void **state) {
  (void)state;
  struct map m;
  open_map(&m, SMALL);
  uint64_t seed = 1;
  for (uint32_t round = 0; round < 20; round++) {
    for (uint32_t i = 0; i < 100; i++) {
      uint32_t a = loom_below(&seed, LIVE);
      if (loom_chance(&seed, 70))
        a = link_reg(loom_below(&seed, 5) ? loom_below(&seed, S_LINKS) : loom_below(&seed, 64),
                     loom_below(&seed, 8));
      map_write(&m, a, (uint32_t)loom_random(&seed));
    }
    map_compare(&m, 0, 0x40);
    for (uint32_t l = 0; l < S_LINKS; l++)
      map_compare(&m, link_reg(l, 0), link_reg(l, 0x40));
  }
  close_map(&m);
}

/* E5-39: window 63 writes all links; it reads as nothing. */
static void window_63_writes_all_links_and_reads_as_nothing(void **state) {
  (void)state;
  struct map m;
  open_map(&m, sizes[2]);
  for (uint32_t a = 0; a <= LOOM_ELITE5_REG_LINK_CAP; a++) {
    map_write(&m, link_reg(ALL, a), 0x2A + a);
    map_write(&m, link_reg(3, a), 0x15 + a);
  }
  for (uint32_t l = 0; l < 64; l++)
    map_compare(&m, link_reg(l, 0), link_reg(l, 0x40));
  assert_int_equal(m.word[link_reg(4, 1)], 0x2B);
  close_map(&m);
}

/* E5-39: the tables, filled, with all counts: what lies at or after a count reads 0. */
static void what_lies_at_or_beyond_a_count_of_a_table_reads_0(void **state) {
  (void)state;
  for (uint32_t k = 0; k < 4; k++) {
    struct map m;
    open_map(&m, sizes[k]);
    const struct loom_elite5_router_cfg *c = &m.b->cfg;
    uint64_t seed = k;
    for (uint32_t i = 0; i < 2 * masks(&m); i += 1 + loom_below(&seed, 2))
      map_write(&m, LOOM_ELITE5_REG_MASK + (i & ~1u) + loom_below(&seed, 2),
                (uint32_t)loom_random(&seed));
    for (uint32_t i = 0; i < masks(&m); i++) /* none is left out */
      map_write(&m, LOOM_ELITE5_REG_MASK + 2 * i + loom_below(&seed, 2),
                (uint32_t)loom_random(&seed));
    for (uint32_t i = 0; i < c->DESTS; i++)
      map_write(&m, LOOM_ELITE5_REG_DEST + i, (uint32_t)loom_random(&seed));
    map_compare_most(&m); /* all counts are 0 still */
    for (uint32_t round = 0; round < 3; round++) {
      map_write(&m, LOOM_ELITE5_REG_DEST_COUNT, round ? ~0u : c->DESTS / 2 + 1);
      map_write(&m, LOOM_ELITE5_REG_CLASS_COUNT, round ? ~0u : c->CLASSES / 2);
      map_write(&m, LOOM_ELITE5_REG_GROUP_COUNT, round == 1 ? ~0u : (c->GROUPS + 1) / 2);
      map_compare_most(&m);
    }
    close_map(&m);
  }
}

/* E5-39: a write beside the tables changes nothing in them. */
static void a_write_beside_the_tables_changes_nothing(void **state) {
  (void)state;
  struct map m;
  open_map(&m, sizes[2]);
  const struct loom_elite5_router_cfg *c = &m.b->cfg;
  for (uint32_t i = 0; i < masks(&m); i++)
    map_write(&m, LOOM_ELITE5_REG_MASK + 2 * i, i);
  for (uint32_t i = 0; i < c->DESTS; i++)
    map_write(&m, LOOM_ELITE5_REG_DEST + i, i);
  map_write(&m, LOOM_ELITE5_REG_DEST_COUNT, ~0u);
  map_write(&m, LOOM_ELITE5_REG_CLASS_COUNT, ~0u);
  map_write(&m, LOOM_ELITE5_REG_GROUP_COUNT, ~0u);
  for (uint32_t i = 0; i < 300; i++) {
    map_write(&m, LOOM_ELITE5_REG_MASK + 2 * masks(&m) + i, ~i);
    map_write(&m, LOOM_ELITE5_REG_DEST + c->DESTS + i, ~i);
    map_write(&m, LOOM_ELITE5_REG_DEST - 1 - i, ~i);
    map_write(&m, LOOM_ELITE5_REG_MASK - 1 - i, ~i);
  }
  map_compare_most(&m);
  close_map(&m);
}

/* E5-39: a write is seen by the read in the next cycle, and not by the one before. */
static void a_write_is_seen_by_the_read_in_the_next_cycle(void **state) {
  (void)state;
  struct elite5_bench *b = open_small();
  static const uint32_t addr[] = {
      LOOM_ELITE5_REG_CONTROL,      LOOM_ELITE5_REG_DEST_COUNT,
      LOOM_ELITE5_REG_UPLINKS,      LOOM_ELITE5_REG_DEST + 3,
      LOOM_ELITE5_REG_MASK + 2 * 5, LOOM_ELITE5_REG_LINKS + LOOM_ELITE5_REG_LINK_CAP,
      LOOM_ELITE5_REG_WINDOW,       LOOM_ELITE5_REG_LINKS + LOOM_ELITE5_REG_LINK_EXPECTED};
  for (uint32_t i = 0; i < 8; i++) {
    uint32_t before = read_reg(b, addr[i]), after = before ? before - 1 : 1, seen[8] = {0};
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
  close_router(b);
}

/* E5-39: the time of the cycle in which the access is decoded. */
static void the_time_reads_as_in_the_cycle_of_the_decoding(void **state) {
  (void)state;
  struct elite5_bench *b = open_router(SMALL);
  cycles(b, 5);
  for (uint32_t k = 0; k < 3; k++) {
    uint64_t c = b->cycle;
    assert_int_equal(read_reg(b, LOOM_ELITE5_REG_TIME), c + 1);
  }
  close_router(b);
}

/* E5-39: a table entry that is written while packets are looked up: the old one or the new one,
 * never another. The lookup of dest falls in c, that of the mask in c + 1. */
static void a_lookup_sees_the_old_or_the_new_entry_and_no_other(void **state) {
  (void)state;
  for (uint32_t mask_table = 0; mask_table < 2; mask_table++)
    for (uint32_t w = 0; w < 8; w++) {
      struct elite5_bench *b = open_small();
      set_class(b, 9, 1 << 2, false);
      set_class(b, 10, 1 << 3, false);
      struct elite5_packet p = unicast(0, 9, 2);
      cycles(b, 10);
      uint64_t c = b->cycle + 4;
      for (uint32_t i = 0; i < 12; i++) {
        if (i == w)
          put_reg(b, mask_table ? LOOM_ELITE5_REG_MASK + 18 : LOOM_ELITE5_REG_DEST + 9,
                  mask_table ? 1 << 3 : 10);
        if (b->cycle == c)
          send(b, 0, p);
        cycle(b);
      }
      cycles(b, 20);
      /* Decoded in w + 1, written at its end; read at the end of c = 4, of the mask of 5. */
      bool old = w + 1 >= (mask_table ? 5 : 4);
      expect_packet(b, old ? 2 : 3, p, 0, c + 7);
      close_router(b);
    }
}

/* ---- counters -------------------------------------------------------------------------------- */

struct counts {
  uint32_t count[S_LINKS][COUNTERS];
};

static void read_counts(struct elite5_bench *b, struct counts *c) {
  for (uint32_t l = 0; l < S_LINKS; l++)
    read_counters(b, l, c->count[l]);
}

/* Adds to what a counter of a link must be. */
static void add(struct counts *c, uint32_t link, uint32_t a, uint32_t n) {
  c->count[link][a - LOOM_ELITE5_REG_LINK_WORDS_IN] += n;
}

static void expect_counts(struct elite5_bench *b, const struct counts *expected) {
  struct counts now = {{{0}}};
  read_counts(b, &now);
  for (uint32_t l = 0; l < S_LINKS; l++)
    for (uint32_t i = 0; i < COUNTERS; i++)
      if (now.count[l][i] != expected->count[l][i])
        fail_msg("link %u, counter %03X: %u, not %u", l, LOOM_ELITE5_REG_LINK_WORDS_IN + i,
                 now.count[l][i], expected->count[l][i]);
}

/* A packet of so many words that came in and was written. */
static void add_in(struct counts *c, uint32_t link, uint32_t words) {
  add(c, link, LOOM_ELITE5_REG_LINK_WORDS_IN, words);
  add(c, link, LOOM_ELITE5_REG_LINK_SEGMENTS_IN, (words + SEGMENT - 1) / SEGMENT);
}

static void add_out(struct counts *c, uint32_t link, uint32_t words) {
  add(c, link, LOOM_ELITE5_REG_LINK_WORDS_OUT, words);
  add(c, link, LOOM_ELITE5_REG_LINK_PACKETS_OUT, 1);
}

static void packets_that_go_count_at_both_links(void **state) {
  (void)state;
  struct elite5_bench *b = open_small();
  struct counts n = {{{0}}};
  expect_counts(b, &n);
  send(b, 0, unicast(1, 5, 70));
  cycles(b, 120);
  add_in(&n, 0, 70);
  add(&n, 0, LOOM_ELITE5_REG_LINK_PACKETS_IN, 1);
  add_out(&n, 5, 70);
  add(&n, 0, LOOM_ELITE5_REG_LINK_ACKS, 1);
  expect_counts(b, &n);
  b->refuses = 1 << 5;
  send(b, 0, unicast(1, 5, 1));
  cycles(b, 30);
  add_in(&n, 0, 1);
  add(&n, 0, LOOM_ELITE5_REG_LINK_PACKETS_IN, 1);
  add_out(&n, 5, 1);
  add(&n, 0, LOOM_ELITE5_REG_LINK_NACKS, 1);
  expect_counts(b, &n);
  set_group(b, 1, 0x62, true, 0, false);
  send(b, 2, broadcast(S_UNICAST, 1, 33));
  cycles(b, 80);
  add_in(&n, 2, 33);
  add(&n, 2, LOOM_ELITE5_REG_LINK_PACKETS_IN, 1);
  add_out(&n, 1, 33);
  add_out(&n, 5, 33);
  add_out(&n, 6, 33);
  add(&n, 2, LOOM_ELITE5_REG_LINK_NACKS, 1);
  expect_counts(b, &n);
  close_router(b);
}

static void each_error_counts_where_it_belongs(void **state) {
  (void)state;
  struct elite5_bench *b = open_small();
  struct counts n = {{{0}}};
  struct elite5_packet p = unicast(1, 5, 40);
  send(b, 0, unicast(1, S_DESTS, 40)); /* unknown */
  cycles(b, 60);
  add_in(&n, 0, 40);
  add(&n, 0, LOOM_ELITE5_REG_LINK_PACKETS_IN, 1);
  add(&n, 0, LOOM_ELITE5_REG_LINK_NACKS, 1);
  add(&n, 0, LOOM_ELITE5_REG_LINK_OWN_NACKS, 1);
  expect_counts(b, &n);
  send_word(b, 0, true, false, 1, packet_word(&p, 0, 1) ^ 1ull << 20); /* header error */
  send_part(b, 0, p, 1, 40);
  cycles(b, 60);
  add_in(&n, 0, 40);
  add(&n, 0, LOOM_ELITE5_REG_LINK_HEADER_ERRORS, 1);
  add(&n, 0, LOOM_ELITE5_REG_LINK_NACKS, 1);
  add(&n, 0, LOOM_ELITE5_REG_LINK_OWN_NACKS, 1);
  expect_counts(b, &n);
  send_part(b, 0, p, 0, 32);
  send_word(b, 0, true, false, 1, packet_word(&p, 32, 1) ^ 1ull << 35); /* void */
  send_part(b, 0, p, 33, 40);
  cycles(b, 70);
  add_in(&n, 0, 40);
  add(&n, 0, LOOM_ELITE5_REG_LINK_PACKETS_IN, 1);
  add(&n, 0, LOOM_ELITE5_REG_LINK_HEADER_ERRORS, 1);
  add_out(&n, 5, 40);
  add(&n, 0, LOOM_ELITE5_REG_LINK_ACKS, 1);
  expect_counts(b, &n);
  send(b, 0, unicast(S_VCS, 5, 10));
  send_word(b, 0, false, false, 0, 0);
  cycles(b, 30);
  add(&n, 0, LOOM_ELITE5_REG_LINK_LINK_ERRORS, 2);
  expect_counts(b, &n);
  reply(b, 3, 2, true);
  cycles(b, 10);
  add(&n, 3, LOOM_ELITE5_REG_LINK_REPLY_ERRORS, 1);
  expect_counts(b, &n);
  close_router(b);
}

/* Words count that leave while the link is UP, replies that go out. */
static void words_count_that_leave_while_the_link_is_up(void **state) {
  (void)state;
  struct elite5_bench *b = open_small();
  struct counts n = {{{0}}};
  uint64_t c = send(b, 0, unicast(1, 5, 30));
  cycle_to(b, c + 14);
  unplug(b, 5);
  cycles(b, 60);
  add_in(&n, 0, 30);
  add(&n, 0, LOOM_ELITE5_REG_LINK_PACKETS_IN, 1);
  add(&n, 5, LOOM_ELITE5_REG_LINK_WORDS_OUT, b->words[5].count);
  assert_int_equal(b->words[5].count, 10);
  add(&n, 0, LOOM_ELITE5_REG_LINK_NACKS, 1);
  expect_counts(b, &n);
  c = send_part(b, 1, unicast(1, 6, 30), 0, 10);
  cycle_to(b, c + 8);
  unplug(b, 1); /* in c + 9, with the tenth word */
  cycles(b, 60);
  add_in(&n, 1, 11); /* and the closing word */
  add(&n, 1, LOOM_ELITE5_REG_LINK_PACKETS_IN, 1);
  add_out(&n, 6, 11);
  expect_counts(b, &n); /* no reply */
  send_part(b, 2, unicast(1, 6, 64), 0, 32);
  cycles(b, 60);
  unplug(b, 2);
  cycles(b, 40);
  add_in(&n, 2, 33); /* and VOID */
  add(&n, 2, LOOM_ELITE5_REG_LINK_PACKETS_IN, 1);
  add_out(&n, 6, 33);
  expect_counts(b, &n);
  close_router(b);
}

/* Control words and PRBS are no traffic. */
static void a_bring_up_counts_no_traffic(void **state) {
  (void)state;
  struct elite5_bench *b = open_small();
  struct counts n = {{{0}}};
  for (uint32_t i = 0; i < 10; i++)
    send_control(b, 4, LOOM_ELITE5_READY, 0);
  cycles(b, 20);
  unplug(b, 4);
  cycles(b, 20);
  bring_up(b, 1 << 4);
  expect_counts(b, &n);
  assert_int_equal(read_reg(b, LOOM_ELITE5_REG_UP), 0xFF);
  close_router(b);
}

/* The UP mask is what the probe shows; in a link's window stand its own states. */
static void the_state_of_a_link_stands_in_its_own_window(void **state) {
  (void)state;
  struct elite5_bench *b = open_small();
  b->answers = 0;
  assert_int_equal(read_reg(b, LOOM_ELITE5_REG_UP), 0xFF);
  unplug(b, 6);
  cycles(b, 10);
  assert_int_equal(read_reg(b, LOOM_ELITE5_REG_UP), 0xBF);
  send(b, 2, unicast(3, 5, 4));
  send(b, 3, unicast(1, 5, 4));
  cycles(b, 30);
  for (uint32_t l = 0; l < S_LINKS; l++) {
    bool quiet = l != 2 && l != 3 && l != 5;
    assert_int_equal(read_link(b, l, LOOM_ELITE5_REG_LINK_STATE),
                     (l == 6 ? DOWN : UP) | (quiet ? 8 : 0));
    assert_int_equal(read_link(b, l, LOOM_ELITE5_REG_LINK_ALLOCATED), l == 5 ? 3 : 0);
    assert_int_equal(read_link(b, l, LOOM_ELITE5_REG_LINK_NOT_IDLE), l == 2 ? 8 : l == 3 ? 2 : 0);
    assert_int_equal(read_link(b, l, LOOM_ELITE5_REG_LINK_PENDING), l == 5 ? 2 : 0);
  }
  close_router(b);
}

/* ---- parameters ------------------------------------------------------------------------------ */

static bool legal(const char *params) {
  struct loom_elite5_router_cfg cfg;
  set_router_params(&cfg, params);
  return loom_elite5_router_cfg_ok(&cfg);
}

/* E5-30. */
static void parameters_out_of_range_are_refused(void **state) {
  (void)state;
  static const char *const good[] = {
      "", SMALL, "LINKS=2 VCS=2 BVCS=1 POOL=0 DESTS=16 CLASSES=1 GROUPS=1",
      "LINKS=32 VCS=32 BVCS=8 POOL=32 DESTS=65536 CLASSES=4096 GROUPS=1024", "VCS=9 BVCS=8"};
  static const char *const bad[] = {"LINKS=1",  "LINKS=33",    "VCS=1",        "VCS=33",
                                    "BVCS=0",   "BVCS=9",      "VCS=4 BVCS=4", "POOL=33",
                                    "DESTS=15", "DESTS=65537", "CLASSES=0",    "CLASSES=4097",
                                    "GROUPS=0", "GROUPS=1025", "VCS=8 BVCS=8", "VCS=2 BVCS=2"};
  for (size_t i = 0; i < sizeof good / sizeof *good; i++)
    assert_true(legal(good[i]));
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
    if (legal(bad[i]))
      fail_msg("%s is taken", bad[i]);
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_register_has_its_value_after_reset),
      cmocka_unit_test(a_register_keeps_the_bits_that_are_named_and_no_others),
      cmocka_unit_test(a_written_register_leaves_its_neighbours_alone),
      cmocka_unit_test(window_63_writes_all_links_and_reads_as_nothing),
      cmocka_unit_test(what_lies_at_or_beyond_a_count_of_a_table_reads_0),
      cmocka_unit_test(a_write_beside_the_tables_changes_nothing),
      cmocka_unit_test(a_write_is_seen_by_the_read_in_the_next_cycle),
      cmocka_unit_test(the_time_reads_as_in_the_cycle_of_the_decoding),
      cmocka_unit_test(a_lookup_sees_the_old_or_the_new_entry_and_no_other),
      cmocka_unit_test(packets_that_go_count_at_both_links),
      cmocka_unit_test(each_error_counts_where_it_belongs),
      cmocka_unit_test(words_count_that_leave_while_the_link_is_up),
      cmocka_unit_test(a_bring_up_counts_no_traffic),
      cmocka_unit_test(the_state_of_a_link_stands_in_its_own_window),
      cmocka_unit_test(parameters_out_of_range_are_refused),
  };
  return UNIT_RUN("elite5_registers", tests, NULL, NULL);
}

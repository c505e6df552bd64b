/* SPDX-License-Identifier: Apache-2.0 */
/* test_packet_store.c - the twin of packet_store against what docs/parts.md says, without a circuit
 *
 * Each rule of the page has a test of its own in which the cycles are counted out; then a user who
 * keeps to the contract runs beside the twin under random traffic.
 */
#include "tb/unit/unit.h"

#include <loom/bits.h>
#include <loom/random.h>
#include <stdlib.h>
#include <string.h>

#include "parts/packet_store.h"

enum { CELL = 8 };

/* ---- packet_store under a bench -------------------------------------------------------------- */

struct bench {
  struct loom_packet_store s;
  struct loom_packet_store_cfg cfg;
  struct loom_packet_store_in in;   /* of the next cycle */
  struct loom_packet_store_out out; /* of the last cycle */
  uint32_t now;                     /* the next cycle */
  void *storage;
};

static struct loom_packet_store_cfg shape(uint32_t lanes, uint32_t rd_flits, uint32_t early) {
  struct loom_packet_store_cfg cfg;
  loom_packet_store_defaults(&cfg);
  cfg.VLS = 4;
  cfg.CELLS = 32;
  cfg.LANES = lanes;
  cfg.RD_FLITS = rd_flits;
  cfg.MTU_UNITS = 4;
  cfg.EARLY = early;
  return cfg;
}

static void open_bench(struct bench *b, struct loom_packet_store_cfg cfg) {
  memset(b, 0, sizeof *b);
  b->cfg = cfg;
  assert_null(loom_packet_store_bad_param(&cfg));
  assert_true(loom_packet_store_cfg_ok(&cfg));
  b->storage = malloc(loom_packet_store_storage_size(&cfg));
  assert_non_null(b->storage);
  memset(b->storage, 0xA5, loom_packet_store_storage_size(&cfg)); /* must not show */
  loom_packet_store_init(&b->s, &cfg, b->storage);
}

static void close_bench(struct bench *b) { free(b->storage); }

static void cycle(struct bench *b) {
  loom_packet_store_step(&b->s, &b->in, &b->out);
  b->in = (struct loom_packet_store_in){0};
  b->now++;
}

static void cycles(struct bench *b, uint32_t n) {
  while (n--)
    cycle(b);
}

static void announce(struct bench *b, uint32_t len) {
  b->in.announce = 1;
  b->in.announce_len = len;
}

static void queue(struct bench *b, uint32_t vl, uint32_t len, uint64_t info) {
  b->in.queue = 1;
  b->in.queue_vl = vl;
  b->in.queue_len = len;
  b->in.queue_info = info;
}

static void take(struct bench *b, uint32_t vl) {
  b->in.take = 1;
  b->in.take_vl = vl;
}

/* The flit at this place of this packet. */
static uint64_t flit(uint64_t packet, uint32_t place) {
  return loom_scramble(packet << 16 | place) | 1;
}

static void word(struct bench *b, uint32_t vl, uint64_t packet, uint32_t place, uint32_t n,
                 bool last) {
  b->in.wr_valid = 1;
  b->in.wr_vl = vl;
  b->in.wr_last = last;
  b->in.wr_flits = n;
  for (uint32_t i = 0; i < n; i++)
    b->in.wr_data[(place + i) % b->cfg.LANES] = flit(packet, place + i);
}

/* A packet of one word, from its announcement to its place in the queue; it is whole afterwards. */
static void put(struct bench *b, uint32_t vl, uint64_t packet, uint32_t flits) {
  announce(b, flits);
  queue(b, vl, flits, packet);
  cycle(b);
  word(b, vl, packet, 0, flits, true);
  cycle(b);
}

/* ---- announce -------------------------------------------------------------------------------- */

/* OP-05 */
static void an_announcement_is_answered_two_cycles_later(void **state) {
  (void)state;
  struct bench b;
  open_bench(&b, shape(4, 1, 8));
  announce(&b, 9);
  cycle(&b);
  assert_int_equal(b.out.space, 1);
  cycle(&b);
  assert_int_equal(b.out.announce_ok, 0);
  assert_int_equal(b.out.total, 0);
  cycle(&b);
  assert_int_equal(b.out.announce_ok, 1);
  assert_int_equal(b.out.total, 2);
  cycle(&b);
  assert_int_equal(b.out.announce_ok, 0);
  close_bench(&b);
}

static void what_does_not_fit_is_refused_and_counts_nothing(void **state) {
  (void)state;
  struct bench b;
  open_bench(&b, shape(4, 1, 8));
  const struct {
    uint32_t len, ok, total;
  } step[] = {{31 * CELL, 1, 31}, {CELL + 1, 0, 31}, {0, 0, 31}, {CELL, 1, 32}, {1, 0, 32}};
  for (uint32_t i = 0; i < sizeof step / sizeof step[0]; i++) {
    announce(&b, step[i].len);
    cycles(&b, 3);
    assert_int_equal(b.out.announce_ok, step[i].ok);
    assert_int_equal(b.out.total, step[i].total);
  }
  close_bench(&b);
}

static void with_space_a_packet_of_the_mtu_is_never_refused(void **state) {
  (void)state;
  for (uint32_t seed = 1; seed <= 20; seed++) {
    struct bench b;
    uint32_t admitted = 0, asked[2] = {0};
    open_bench(&b, shape(4, 1, 8));
    for (uint32_t c = 0; c < 600; c++) {
      struct loom_packet_store_out now;
      loom_packet_store_show(&b.s, &now);
      bool ask = now.space && loom_scramble(seed << 8 | c) % seed == 0;
      uint32_t len = 1 + (uint32_t)(loom_scramble(c << 8 | seed) % (4 * CELL));
      if (ask)
        announce(&b, len);
      cycle(&b);
      assert_int_equal(b.out.announce_ok, asked[1] > 0);
      admitted += asked[1];
      assert_int_equal(b.out.total, admitted);
      asked[1] = asked[0];
      asked[0] = ask ? (len + CELL - 1) / CELL : 0;
    }
    assert_true(admitted > 28); /* full but for less than an MTU */
    close_bench(&b);
  }
}

/* ---- queues ---------------------------------------------------------------------------------- */

/* OP-02 */
static void a_packet_in_an_empty_queue_is_in_view_a_cycle_later(void **state) {
  (void)state;
  struct bench b;
  open_bench(&b, shape(4, 1, 8));
  announce(&b, 5);
  queue(&b, 2, 5, 0xABCDEF);
  cycle(&b);
  assert_int_equal(b.out.head_valid, 0);
  cycle(&b);
  assert_int_equal(b.out.head_valid, 1 << 2);
  assert_int_equal(b.out.head_event, 1);
  assert_int_equal(b.out.head_vl, 2);
  assert_int_equal(b.out.head_len, 5);
  assert_int_equal(b.out.head_info, 0xABCDEF);
  cycle(&b);
  assert_int_equal(b.out.head_valid, 1 << 2);
  assert_int_equal(b.out.head_event | b.out.head_vl | b.out.head_len | b.out.head_info, 0);
  close_bench(&b);
}

/* It is announced, queued, and its only word comes, in c and c + 1; the take is in c + 1, too. */
static void a_packet_is_taken_in_the_cycle_in_which_it_comes_into_view(void **state) {
  (void)state;
  struct bench b;
  open_bench(&b, shape(4, 4, 8));
  announce(&b, 3);
  queue(&b, 1, 3, 7);
  cycle(&b);
  word(&b, 1, 7, 0, 3, true);
  take(&b, 1);
  cycle(&b); /* c + 1 */
  assert_int_equal(b.out.head_valid, 1 << 1);
  for (uint32_t i = 2; i <= 4; i++) {
    cycle(&b);
    assert_int_equal(b.out.head_valid | b.out.head_event, 0);
    assert_int_equal(b.out.rd_valid, 0);
  }
  cycle(&b); /* c + 5 */
  assert_int_equal(b.out.rd_valid & b.out.rd_first & b.out.rd_last, 1);
  assert_int_equal(b.out.rd_data[0], flit(7, 0));
  assert_int_equal(b.out.rd_data[2], flit(7, 2));
  cycle(&b);
  assert_int_equal(b.out.total, 0);
  close_bench(&b);
}

static void packets_of_empty_queues_come_into_view_each_in_its_own_next_cycle(void **state) {
  (void)state;
  struct bench b;
  open_bench(&b, shape(4, 1, 8));
  for (uint32_t vl = 0; vl <= 4; vl++) {
    if (vl < 4) {
      announce(&b, 1 + vl);
      queue(&b, vl, 1 + vl, 100 + vl);
    }
    cycle(&b);
    assert_int_equal(b.out.head_valid, (1 << vl) - 1);
    assert_int_equal(b.out.head_event, vl > 0);
    assert_int_equal(b.out.head_len, vl);
    assert_int_equal(b.out.head_info, vl ? 99 + vl : 0);
    assert_int_equal(b.out.soon, 1);
  }
  close_bench(&b);
}

/* The cycle, after the take of the only packet of a VL, in which another one is in view that is
 * queued `after` cycles after this take. The first one is queued in the cycle before it. */
static uint32_t in_view_after_take(uint32_t after) {
  struct bench b;
  uint32_t seen = 0;
  open_bench(&b, shape(4, 1, 8));
  announce(&b, 2);
  queue(&b, 1, 2, 7);
  cycle(&b);
  take(&b, 1);
  for (uint32_t i = 0; i < 12; i++) {
    if (i == after) {
      announce(&b, 3);
      queue(&b, 1, 3, 8);
    }
    cycle(&b);
    assert_int_equal(b.out.head_valid, i == 0 || (seen && i >= seen) || b.out.head_event ? 2 : 0);
    if (!i || !b.out.head_event)
      continue;
    assert_int_equal(seen, 0);
    assert_int_equal(b.out.head_vl, 1);
    assert_int_equal(b.out.head_len, 3);
    assert_int_equal(b.out.head_info, 8);
    seen = i;
  }
  close_bench(&b);
  return seen;
}

static void a_packet_queued_after_a_take_is_in_view_as_the_page_says(void **state) {
  (void)state;
  assert_int_equal(in_view_after_take(0), 4); /* it follows the other one in the list */
  for (uint32_t after = 1; after < 8; after++)
    assert_int_equal(in_view_after_take(after), after + 1); /* the list is empty then */
}

/* Both are queued before anything is taken, in successive cycles. */
static void the_second_of_two_packets_is_in_view_four_cycles_after_the_take(void **state) {
  (void)state;
  for (uint32_t at = 1; at <= 5; at++) { /* cycles from the first one to its take */
    struct bench b;
    open_bench(&b, shape(4, 1, 8));
    announce(&b, 2);
    queue(&b, 1, 2, 7);
    cycle(&b);
    for (uint32_t i = 1; i < at + 7; i++) {
      if (i == 1) {
        announce(&b, 3);
        queue(&b, 1, 3, 8);
      }
      if (i == at)
        take(&b, 1);
      cycle(&b);
      assert_int_equal(b.out.head_event, i == 1 || i == at + 4);
      assert_int_equal(b.out.head_info, i == 1 ? 7 : i == at + 4 ? 8 : 0);
      assert_int_equal(b.out.head_valid, i <= at || i >= at + 4 ? 2 : 0);
    }
    close_bench(&b);
  }
}

static void the_next_packet_is_in_view_four_cycles_after_a_take(void **state) {
  (void)state;
  struct bench b;
  open_bench(&b, shape(4, 1, 8));
  put(&b, 1, 7, 2);
  put(&b, 1, 8, 3);
  cycles(&b, 6);
  take(&b, 1);
  cycle(&b);
  for (uint32_t i = 1; i < 4; i++) {
    cycle(&b);
    assert_int_equal(b.out.head_valid, 0);
  }
  cycle(&b);
  assert_int_equal(b.out.head_valid, 1 << 1);
  assert_int_equal(b.out.head_len, 3);
  assert_int_equal(b.out.head_info, 8);
  close_bench(&b);
}

/* A packet that joins an empty queue in c + 3 goes before one that was fetched; then no take. */
/* The cycle after its take in which the next packet is in view. */
static uint32_t next_in_view(struct bench *b) {
  uint32_t vl = 1, after = 0;
  take(b, vl);
  do {
    cycle(b);
    assert_true(after < 12);
    after++;
    loom_packet_store_show(&b->s, &b->out);
  } while (!b->out.head_event);
  assert_int_equal(b->out.head_vl, vl);
  return after;
}

static void a_packet_at_hand_is_in_view_two_cycles_after_a_take(void **state) {
  (void)state;
  for (uint32_t wait = 0; wait < 8; wait++) {
    struct bench b;
    struct loom_packet_store_cfg cfg = shape(4, 4, 8);
    cfg.PREFETCH = 1;
    open_bench(&b, cfg);
    for (uint32_t i = 0; i < 6; i++) {
      put(&b, 1, i, 3);
      cycles(&b, 3);
    }
    assert_int_equal(next_in_view(&b), 2); /* it joined behind the head */
    assert_int_equal(b.out.head_info, 1);
    cycles(&b, wait);
    assert_int_equal(next_in_view(&b), wait < 4 ? 4 : 2); /* it is read in 4 cycles */
    assert_int_equal(b.out.head_info, 2);
    cycles(&b, 8);
    assert_int_equal(next_in_view(&b), 2); /* what was not at hand once is so again */
    assert_int_equal(b.out.head_info, 3);
    close_bench(&b);
  }
}

static void one_head_comes_into_view_a_cycle(void **state) {
  (void)state;
  struct bench b;
  open_bench(&b, shape(4, 1, 8));
  put(&b, 1, 7, 2);
  put(&b, 1, 8, 3);
  cycles(&b, 6);
  take(&b, 1);
  cycles(&b, 3); /* c, c + 1, c + 2 */
  announce(&b, 1);
  queue(&b, 3, 1, 9);
  cycle(&b);
  assert_int_equal(b.out.soon, 1);
  cycle(&b); /* c + 4 */
  assert_int_equal(b.out.head_valid, 1 << 3);
  assert_int_equal(b.out.head_info, 9);
  assert_int_equal(b.out.soon, 0);
  cycle(&b);
  assert_int_equal(b.out.head_valid, 1 << 3 | 1 << 1);
  assert_int_equal(b.out.head_info, 8);
  assert_int_equal(b.out.soon, 1);
  close_bench(&b);
}

/* A fetched head can leave the line in c + 3. In each cycle from then on in which a packet joins an
 * empty queue it waits, and then the store takes none; `full`: these queues have packets. */
static void check_fetched_head(uint32_t from, uint32_t joins, bool full) {
  static const uint32_t vl[] = {0, 2, 3};
  struct bench b;
  open_bench(&b, shape(4, 1, 8));
  put(&b, 1, 7, 2);
  put(&b, 1, 8, 3);
  for (uint32_t k = 0; full && k < 3; k++)
    put(&b, vl[k], 9, 1);
  cycles(&b, 6);
  take(&b, 1);
  uint32_t waits = !full && from <= 3 && from + joins > 3 ? from + joins - 3 : 0;
  for (uint32_t i = 0; i < 10; i++) {
    if (i >= from && i < from + joins) {
      announce(&b, 1);
      queue(&b, vl[i - from], 1, 20 + i);
    }
    cycle(&b);
    assert_int_equal(b.out.soon, i < 4 || i >= 4 + waits);
    assert_int_equal(b.out.head_valid >> 1 & 1, i == 0 || i >= 4 + waits);
    if (!full && i > from && i <= from + joins)
      assert_int_equal(b.out.head_info, 20 + i - 1);
    else
      assert_int_equal(b.out.head_info, i == 4 + waits ? 8 : 0);
  }
  close_bench(&b);
}

static void a_fetched_head_waits_for_packets_that_join_empty_queues_alone(void **state) {
  (void)state;
  for (uint32_t from = 1; from <= 5; from++)
    for (uint32_t joins = 0; joins <= 3; joins++)
      for (uint32_t full = 0; full <= 1; full++)
        check_fetched_head(from, joins, full);
}

/* When heads come into view, by the rules of the page alone. */
struct heads {
  uint32_t list[4]; /* packets */
  bool take;        /* in the last cycle */
  uint32_t take_vl;
  struct {
    uint32_t vl, from; /* can leave the line in this cycle */
  } line[8];
  uint32_t lined, event; /* `event`: 1 + VL of the head that is in view from this cycle on */
  bool put_off;          /* in the last cycle */
  uint32_t followed, became, waited, longest; /* found: queued in t, in t + 1; the line */
};

static void heads_cycle(struct heads *h, const struct loom_packet_store_in *in, uint32_t now) {
  uint32_t vl = (uint32_t)in->queue_vl;
  bool removes = h->take && h->take_vl == vl;
  bool becomes = in->queue && h->list[vl] == removes, due = h->lined && h->line[0].from <= now;
  h->became += becomes && removes;
  h->followed += in->queue && in->take && in->take_vl == vl && h->list[vl] == 1;
  h->put_off = becomes && due;
  h->waited += h->put_off;
  h->event = becomes ? 1 + vl : due ? 1 + h->line[0].vl : 0;
  if (due && !becomes)
    memmove(h->line, h->line + 1, --h->lined * sizeof h->line[0]);
  if (h->take && --h->list[h->take_vl] > 0) {
    assert_in_range(h->lined, 0, 7);
    h->line[h->lined].vl = h->take_vl;
    h->line[h->lined++].from = now + 2;
  }
  h->longest = loom_max(h->longest, h->lined);
  h->list[vl] += (uint32_t)in->queue;
  h->take = in->take;
  h->take_vl = (uint32_t)in->take_vl;
}

/* OP-02. Packets of a flit, on few lanes and on many, are queued and taken often and seldom. */
static void heads_come_into_view_when_the_page_says_under_any_traffic(void **state) {
  (void)state;
  struct bench b;
  struct heads h = {0};
  uint64_t seed = 1, phase = 0;
  uint32_t queued = 0, written = 0;
  uint8_t of[64]; /* VLs of the packets */
  open_bench(&b, shape(4, 1, 4095));
  while (b.now < 100000) {
    struct loom_packet_store_out now;
    loom_packet_store_show(&b.s, &now);
    assert_int_equal(now.head_event ? 1 + now.head_vl : 0, h.event);
    assert_true(!h.put_off || !now.soon);
    phase = b.now % 64 ? phase : loom_scramble(b.now);
    uint32_t vl = loom_below(&seed, 1 + phase % 4);
    if (now.soon && now.head_valid && loom_chance(&seed, 12u << (phase >> 8) % 4))
      take(&b, loom_ctz_from(now.head_valid, loom_below(&seed, 4)));
    if (written < queued)
      word(&b, of[written % 64], written, 0, 1, true);
    written += b.in.wr_valid != 0;
    if (now.space && loom_chance(&seed, 5u << (phase >> 16) % 4)) {
      announce(&b, 1);
      queue(&b, vl, 1, queued);
      of[queued++ % 64] = (uint8_t)vl;
    }
    heads_cycle(&h, &b.in, b.now);
    cycle(&b);
  }
  assert_true(h.followed > 300 && h.became > 300 && h.waited > 300);
  assert_in_range(h.longest, 3, 6);
  close_bench(&b);
}

/* ---- read ------------------------------------------------------------------------------------ */

/* OP-04 */
static void a_take_shows_the_first_flits_four_cycles_later(void **state) {
  (void)state;
  struct bench b;
  open_bench(&b, shape(4, 2, 8));
  put(&b, 1, 7, 3);
  cycles(&b, 6);
  take(&b, 1);
  cycles(&b, 4);
  assert_int_equal(b.out.rd_valid, 0);
  assert_int_equal(b.out.free_valid, 0);
  cycle(&b);
  assert_int_equal(b.out.rd_valid, 1);
  assert_int_equal(b.out.rd_vl, 1);
  assert_int_equal(b.out.rd_first, 1);
  assert_int_equal(b.out.rd_last, 0);
  assert_int_equal(b.out.rd_flits, 2);
  assert_int_equal(b.out.rd_data[0], flit(7, 0));
  assert_int_equal(b.out.rd_data[1], flit(7, 1));
  assert_int_equal(b.out.free_valid, 1); /* a cycle before the last flits show */
  assert_int_equal(b.out.free_vl, 1);
  assert_int_equal(b.out.total, 1);
  cycle(&b);
  assert_int_equal(b.out.rd_first, 0);
  assert_int_equal(b.out.rd_last, 1);
  assert_int_equal(b.out.rd_flits, 1);
  assert_int_equal(b.out.rd_lane, 2);
  assert_int_equal(b.out.rd_data[2], flit(7, 2));
  assert_int_equal(b.out.total, 0);
  cycle(&b);
  assert_int_equal(b.out.rd_valid | b.out.rd_flits | b.out.rd_data[2], 0);
  close_bench(&b);
}

static void a_word_shows_four_cycles_later_if_the_reader_waits(void **state) {
  (void)state;
  struct bench b;
  open_bench(&b, shape(4, 4, 8));
  announce(&b, 20);
  queue(&b, 0, 20, 0);
  cycles(&b, 4);
  take(&b, 0);
  cycles(&b, 6);
  for (uint32_t i = 0; i < 5 + 4; i++) { /* 5 words, one a cycle */
    if (i < 5)
      word(&b, 0, 3, 4 * i, 4, i == 4);
    cycle(&b);
    assert_int_equal(b.out.rd_valid, i >= 4);
    for (uint32_t l = 0; i >= 4 && l < 4; l++)
      assert_int_equal(b.out.rd_data[l], flit(3, 4 * (i - 4) + l));
    assert_int_equal(b.out.rd_last, i == 8);
  }
  close_bench(&b);
}

/* Sends `n` packets of one word on the VLs in turn, taken as fast as soon_o lets; gives the cycles
 * from the first word out to the last. */
static uint32_t train(struct bench *b, uint32_t n, uint32_t flits) {
  uint32_t shown = 0, first = 0;
  for (uint32_t i = 0; i < n; i++)
    put(b, i % 4, i, flits);
  cycles(b, 6);
  uint32_t turn = 0;
  while (shown < n) {
    struct loom_packet_store_out now;
    loom_packet_store_show(&b->s, &now);
    if (now.soon && now.head_valid >> turn % 4 & 1)
      take(b, turn++ % 4);
    cycle(b);
    if (!b->out.rd_valid)
      continue;
    if (b->out.rd_first)
      assert_int_equal(b->out.rd_data[0], flit(shown, 0));
    if (!shown && b->out.rd_first)
      first = b->now;
    shown += (uint32_t)b->out.rd_last;
  }
  return b->now - first + 1;
}

static void packets_follow_without_an_empty_cycle(void **state) {
  (void)state;
  for (uint32_t flits = 1; flits <= 4; flits++) {
    struct bench b;
    open_bench(&b, shape(4, 1, 16));
    assert_int_equal(train(&b, 24, flits), 24 * flits);
    close_bench(&b);
    open_bench(&b, shape(4, 4, 16));
    assert_int_equal(train(&b, 24, flits), 24);
    close_bench(&b);
  }
}

static void the_next_packet_is_booked_when_early_flits_are_left(void **state) {
  (void)state;
  struct bench b;
  open_bench(&b, shape(4, 1, 5));
  announce(&b, 8);
  queue(&b, 1, 8, 0);
  cycle(&b);
  word(&b, 1, 7, 0, 4, false);
  cycle(&b);
  word(&b, 1, 7, 4, 4, true);
  cycles(&b, 6);
  take(&b, 1);
  cycle(&b); /* c: active from c + 2 on, 8 flits owed from c + 2 on */
  for (uint32_t i = 1; i <= 10; i++) {
    cycle(&b);
    /* In c + i those before c + i - 2 are read, the first in c + 2: 5 are owed in c + 6. */
    assert_int_equal(b.out.soon, i < 3 || i >= 7);
  }
  close_bench(&b);
}

/* ---- what soon_o tells ----------------------------------------------------------------------- */

/* Announces, queues and writes a packet of `flits`; its last word only if `whole`. */
static void put_long(struct bench *b, uint32_t vl, uint64_t packet, uint32_t flits, bool whole) {
  announce(b, flits);
  queue(b, vl, flits, packet);
  cycle(b);
  for (uint32_t at = 0; at < flits; at += 4) {
    uint32_t n = loom_min(4, flits - at);
    if (at + n == flits && !whole)
      return;
    word(b, vl, packet, at, n, at + n == flits);
    cycle(b);
  }
}

/* Cycles after the take of the second packet, by bit. */
struct seen {
  uint64_t not_soon, empty; /* soon_o was 0, rd_valid_o was 0 */
};

/* A packet of 12 flits is taken, and one of 8 flits 4 cycles later. Its last word comes `word_at`
 * cycles after that. */
static struct seen take_late(uint32_t word_at) {
  struct bench b;
  struct seen seen = {0};
  open_bench(&b, shape(4, 1, 4095));
  put_long(&b, 0, 0, 12, true);
  put_long(&b, 1, 1, 8, false);
  cycles(&b, 6);
  take(&b, 0);
  cycles(&b, 4);
  for (uint32_t i = 0; i < 40; i++) {
    if (i == 0)
      take(&b, 1);
    if (i == word_at)
      word(&b, 1, 1, 4, 4, true);
    cycle(&b);
    seen.not_soon |= (uint64_t)!b.out.soon << i;
    seen.empty |= (uint64_t)!b.out.rd_valid << i;
  }
  close_bench(&b);
  return seen;
}

/* Bits from..to - 1. */
static uint64_t span(uint32_t from, uint32_t to) { return loom_mask(to) & ~loom_mask(from); }

static void a_packet_that_is_not_whole_ends_soon_until_it_is_known_as_whole(void **state) {
  (void)state;
  /* A last word is there two cycles after it came. From 2 on this packet is asked for, as the first
   * booked one, and soon_o is 1 two cycles after it is found whole. */
  for (uint32_t word_at = 0; word_at <= 20; word_at++)
    assert_int_equal(take_late(word_at).not_soon, span(2, word_at + 4));
}

static void a_packet_that_was_booked_before_it_was_whole_costs_nothing(void **state) {
  (void)state;
  /* The first packet is read in 2..13 after its take, in -2..9 after that of the second. So this
   * one is read from 10 on, its last four flits from 14 on or as soon as they are there. */
  for (uint32_t word_at = 0; word_at <= 20; word_at++) {
    uint32_t rest = loom_max(word_at + 4, 16);
    assert_int_equal(take_late(word_at).empty, span(16, rest) | span(rest + 4, 40));
  }
}

/* While a long packet is read, a packet that is not whole is taken and one after it. */
static void only_a_take_in_the_next_cycle_comes_behind_one_that_is_not_whole(void **state) {
  (void)state;
  for (uint32_t at = 1; at <= 3; at++) {
    struct bench b;
    struct loom_packet_store_out now;
    open_bench(&b, shape(4, 1, 4095));
    put_long(&b, 0, 0, 32, true);
    announce(&b, 1);
    queue(&b, 1, 1, 0);
    cycle(&b);
    announce(&b, 1);
    queue(&b, 2, 1, 0);
    cycles(&b, 6);
    take(&b, 0);
    cycles(&b, 4);
    take(&b, 1);
    cycles(&b, at);
    loom_packet_store_show(&b.s, &now);
    assert_int_equal(now.head_valid, 1 << 2);
    assert_int_equal(now.soon, at == 1);
    close_bench(&b);
  }
}

static void a_packet_that_is_whole_when_its_take_is_done_costs_nothing(void **state) {
  (void)state;
  struct bench b;
  open_bench(&b, shape(4, 1, 4095));
  put_long(&b, 0, 0, 12, true);
  put_long(&b, 1, 1, 8, false);
  cycles(&b, 6);
  take(&b, 0);
  cycles(&b, 3);
  word(&b, 1, 1, 4, 4, true);
  cycle(&b); /* 3: the last word is there in 5, and the take is done then */
  take(&b, 1);
  cycle(&b); /* 4 */
  for (uint32_t i = 5; i < 24; i++) {
    cycle(&b);
    assert_int_equal(b.out.soon, 1);
    assert_int_equal(b.out.rd_valid, 1);
  }
  close_bench(&b);
}

/* Cycles after a soon_o that tells, in which all shows at the latest, as the page has it. */
static uint32_t shown_within(uint32_t rd_flits, uint32_t early) {
  switch (rd_flits) {
  case 1:
    return early;
  case 2:
    return early / 2 + 1;
  case 3:
    return (early + 4) / CELL * 3 + (early + 4) % CELL / 3;
  default:
    return early / 4 + 2;
  }
}

enum { AHEAD = 4096 };

/* Any user who keeps to the contract. */
struct user {
  struct bench b;
  uint64_t seed;
  uint32_t announce, write, take, narrow, longest; /* chances in percent; flits */
  uint32_t phase_end;
  uint32_t queued, written, place; /* packets so far; of the next flit */
  uint8_t vl[AHEAD];               /* of each packet, by number */
  uint16_t len[AHEAD];
  uint32_t of_vl[4][AHEAD], ends[4], heads[4]; /* packets of a VL; how many, how many taken */
  /* Taken packets, and what is known of each: when soon_o told first, with it the last one. */
  uint32_t taken, shown, flits, last_take;
  uint32_t number[AHEAD];
  uint32_t told_at[AHEAD], flits_before[AHEAD], shown_before[AHEAD];
  uint32_t told; /* packets of which it was told */
  uint32_t most; /* cycles from then until the last word shows */
};

static void new_phase(struct user *u) {
  const uint32_t rd = u->b.cfg.RD_FLITS, early = u->b.cfg.EARLY;
  const uint32_t longest[] = {1, rd + 1, CELL + 1, loom_max(early, 1), early + 3, 4 * CELL};
  const uint32_t chance[] = {5, 30, 70, 100, 100};
  u->announce = chance[1 + loom_below(&u->seed, 4)];
  u->write = chance[loom_below(&u->seed, 5)];
  u->take = chance[loom_below(&u->seed, 5)];
  u->narrow = chance[loom_below(&u->seed, 4)];
  u->longest = loom_min(longest[loom_below(&u->seed, 6)], u->b.cfg.MTU_UNITS * CELL);
  u->phase_end = u->b.now + 20 + loom_below(&u->seed, 200);
}

static void user_queues(struct user *u, bool space) {
  if (!space || u->queued - u->shown > AHEAD / 2 || !loom_chance(&u->seed, u->announce))
    return;
  uint32_t i = u->queued++ % AHEAD, vl = loom_below(&u->seed, 4);
  u->vl[i] = (uint8_t)vl;
  u->len[i] = (uint16_t)(1 + loom_below(&u->seed, u->longest));
  u->of_vl[vl][u->ends[vl]++ % AHEAD] = i;
  announce(&u->b, u->len[i]);
  queue(&u->b, vl, u->len[i], 0);
}

static void user_writes(struct user *u, uint32_t queued) {
  if (u->written == queued || !loom_chance(&u->seed, u->write))
    return;
  uint32_t i = u->written % AHEAD;
  uint32_t n = loom_min(loom_min(u->b.cfg.LANES, u->len[i] - u->place), CELL - u->place % CELL);
  if (loom_chance(&u->seed, u->narrow))
    n = 1 + loom_below(&u->seed, n);
  word(&u->b, u->vl[i], u->written, u->place, n, u->place + n == u->len[i]);
  u->place += n;
  if (u->place < u->len[i])
    return;
  u->written++;
  u->place = 0;
}

static void user_takes(struct user *u, const struct loom_packet_store_out *o) {
  uint32_t vl = loom_below(&u->seed, 4);
  for (uint32_t i = 0; i < 3 && !(o->head_valid >> vl & 1); i++)
    vl = (vl + 1) % 4;
  if (!o->soon || !(o->head_valid >> vl & 1) || !loom_chance(&u->seed, u->take))
    return;
  take(&u->b, vl);
  u->number[u->taken++ % AHEAD] = u->of_vl[vl][u->heads[vl]++ % AHEAD];
  u->last_take = u->b.now;
}

/* Before the take of this cycle, and with the words up to the last one. */
static void told_something(struct user *u) {
  if (u->taken == u->told || u->b.now < u->last_take + 3)
    return;
  u->told = u->taken;
  if (u->shown == u->taken)
    return;
  uint32_t i = (u->taken - 1) % AHEAD;
  u->told_at[i] = u->b.now;
  u->flits_before[i] = u->flits;
  u->shown_before[i] = u->shown;
  for (uint32_t k = u->shown; k != u->taken; k++) /* all are whole */
    assert_true((u->number[k % AHEAD] - u->written) % AHEAD > AHEAD / 2);
}

/* Of the packets of which it was told, this is the last one. */
static void told_of(struct user *u, uint32_t at) {
  uint32_t i = u->shown % AHEAD, lag = at - u->told_at[i];
  assert_true(u->flits - u->flits_before[i] <= u->b.cfg.EARLY);
  assert_true(u->shown + 1 - u->shown_before[i] <= 1 + 3); /* one may end in y - 2 */
  assert_true(lag <= shown_within(u->b.cfg.RD_FLITS, u->b.cfg.EARLY));
  u->most = loom_max(u->most, lag);
}

static void user_watches(struct user *u, uint32_t at) {
  const struct loom_packet_store_out *o = &u->b.out;
  u->flits += (uint32_t)o->rd_flits;
  if ((int32_t)(u->told - u->shown) > 0 && !o->rd_valid)
    assert_int_equal(u->told_at[(u->told - 1) % AHEAD], at); /* the only cycle that may be empty */
  if (!o->rd_last)
    return;
  if (u->told_at[u->shown % AHEAD])
    told_of(u, at);
  u->told_at[u->shown++ % AHEAD] = 0;
}

/* The longest time from a soon_o that tells until all of which it told shows. */
static uint32_t longest_after_soon(uint32_t rd_flits, uint32_t early, uint32_t cycles_each) {
  struct user *u = calloc(1, sizeof *u);
  assert_non_null(u);
  struct loom_packet_store_cfg cfg = shape(4, rd_flits, early);
  cfg.CELLS = 128;
  cfg.MTU_UNITS = 8;
  open_bench(&u->b, cfg);
  u->seed = rd_flits << 16 | early;
  while (u->b.now < cycles_each) {
    struct loom_packet_store_out now;
    loom_packet_store_show(&u->b.s, &now);
    if (u->b.now >= u->phase_end)
      new_phase(u);
    if (now.soon)
      told_something(u);
    user_takes(u, &now);
    user_writes(u, u->queued);
    user_queues(u, now.space);
    cycle(&u->b);
    user_watches(u, u->b.now - 1);
  }
  assert_true(u->shown > cycles_each / 100);
  uint32_t most = u->most;
  close_bench(&u->b);
  free(u);
  return most;
}

static void with_soon_all_that_was_taken_shows_within_k_cycles_without_an_empty_one(void **state) {
  (void)state;
  for (uint32_t rd_flits = 1; rd_flits <= 4; rd_flits++)
    for (uint32_t early = 1; early <= 24; early++) {
      uint32_t most = longest_after_soon(rd_flits, early, 100000);
      uint32_t k = shown_within(rd_flits, early); /* which no cycle exceeded */
      if (early < 9)
        assert_in_range(most, k - 1, k);
      else
        assert_int_equal(most, k);
    }
}

/* ---- many cycles at once --------------------------------------------------------------------- */

/* A store as it is now, which keeps no flits and has lists of its own. */
struct twin {
  struct loom_packet_store s;
  void *storage;
};

static void copy_store(const struct bench *b, struct twin *t) {
  size_t bytes = loom_packet_store_storage_size(&b->cfg);
  memcpy(t->storage, b->storage, bytes);
  t->s = b->s;
  t->s.link = (uint64_t *)t->storage + (b->s.link - (uint64_t *)b->storage);
  t->s.record = (void *)((char *)t->storage + ((char *)(void *)b->s.record - (char *)b->storage));
}

/* A cycle with a word like the last one, or with none. */
static void go_on(struct loom_packet_store *s) {
  const struct loom_packet_store_cycle in = {.word = s->word,
                                             .word_vl = s->word_vl,
                                             .word_flits =
                                                 (uint8_t)loom_packet_store_word_flits(s)};
  loom_packet_store_edge(s, &in);
}

/* `each` has gone on for so many cycles from `from` on. */
static void expect_foreseen(const struct loom_packet_store *from,
                            const struct loom_packet_store *each, uint32_t cycles, uint32_t stays) {
  struct loom_packet_store_word word = loom_packet_store_word_after(from, cycles);
  assert_memory_equal(&word, &each->rd, sizeof word);
  assert_int_equal(loom_packet_store_used(from, cycles), each->total);
  if (cycles < stays)
    assert_true(word.valid == from->rd.valid && word.last == from->rd.last &&
                word.flits == from->rd.flits);
}

/* What is foreseen of the steady cycles from now on comes; says how many there were. */
static uint32_t pass_at_once(const struct bench *b, struct twin *once, struct twin *each) {
  enum { MOST = 40 };
  copy_store(b, once);
  copy_store(b, each);
  uint32_t cycles = loom_packet_store_steady(&once->s, MOST);
  if (!cycles)
    return 0;
  each->s.rate = once->s.rate;
  uint32_t stays = loom_packet_store_word_stays(&once->s, cycles);
  uint32_t frees = loom_packet_store_frees(&once->s, 0), first = 0;
  for (uint32_t k = 0; k <= cycles; k++) {
    expect_foreseen(&once->s, &each->s, k, stays);
    first = k && !first && each->s.free ? k : first;
    if (k < cycles)
      go_on(&each->s);
  }
  assert_true(first == frees || (!first && frees > cycles));
  loom_packet_store_pass(&once->s, cycles);
  once->s.link = each->s.link;
  once->s.record = each->s.record;
  assert_memory_equal(&once->s, &each->s, sizeof once->s);
  return cycles;
}

/* docs/packet_engine.md: cycles at once are as one by one; packets come in words of any size. */
static void cycles_at_once_are_as_one_by_one(void **state) {
  (void)state;
  for (uint32_t rd_flits = 1; rd_flits <= 4; rd_flits++) {
    struct bench b;
    struct twin twin[2];
    open_bench(&b, shape(4, rd_flits, 8));
    loom_packet_store_forget(&b.s);
    for (uint32_t k = 0; k < 2; k++)
      twin[k].storage = malloc(loom_packet_store_storage_size(&b.cfg));
    uint64_t seed = rd_flits;
    uint32_t len = 0, place = 0, vl = 0, passed = 0;
    for (uint32_t c = 0; c < 4000; c++) {
      struct loom_packet_store_out now;
      passed += pass_at_once(&b, &twin[0], &twin[1]);
      loom_packet_store_show(&b.s, &now);
      if (place == len && now.space && loom_chance(&seed, c & 512 ? 90 : 10)) {
        len = 1 + loom_below(&seed, 32);
        place = 0;
        vl = loom_below(&seed, 4);
        announce(&b, len);
        queue(&b, vl, len, 0);
      } else if (place < len && loom_below(&seed, 4)) {
        uint32_t n = loom_min(1 + c / 256 % 4, len - place);
        word(&b, vl, 0, 0, n, place + n == len);
        place += n;
      }
      uint32_t head = loom_below(&seed, 4);
      if (now.soon && now.head_valid >> head & 1 && loom_chance(&seed, 30))
        take(&b, head);
      cycle(&b);
    }
    assert_true(passed > 4000);
    for (uint32_t k = 0; k < 2; k++)
      free(twin[k].storage);
    close_bench(&b);
  }
}

/* ---- everything ------------------------------------------------------------------------------ */

static void packet_store_refuses_parameters_out_of_range(void **state) {
  (void)state;
  struct loom_packet_store_cfg cfg = shape(4, 4, 8);
  assert_true(loom_packet_store_cfg_ok(&cfg));
  cfg.LANES = 3;
  assert_false(loom_packet_store_cfg_ok(&cfg));
  cfg = shape(2, 4, 8);
  assert_false(loom_packet_store_cfg_ok(&cfg));
  cfg = shape(4, 4, 8);
  cfg.MTU_UNITS = cfg.CELLS + 1;
  assert_false(loom_packet_store_cfg_ok(&cfg));
  cfg = shape(4, 4, 8);
  cfg.CELLS = 3;
  assert_string_equal(loom_packet_store_bad_param(&cfg), "CELLS");
}

/* Packets that are written a word a cycle while they are read leave in their order, each whole. */
static void what_goes_in_comes_out_once_and_in_order(void **state) {
  (void)state;
  struct bench b;
  open_bench(&b, shape(4, 3, 16));
  uint32_t sent = 0, place = 0, turn = 0, got = 0, out = 0;
  for (uint32_t c = 0; c < 20000; c++) {
    struct loom_packet_store_out now;
    uint32_t len = 1 + (uint32_t)(loom_scramble(sent) % 32);
    loom_packet_store_show(&b.s, &now);
    if (place == 0 && now.space && loom_scramble(c) % 3) {
      announce(&b, len);
      queue(&b, sent % 4, len, sent & 0xFFFFFF);
      place = 1;
    } else if (place) {
      uint32_t at = place - 1, n = loom_min(4, len - at);
      word(&b, sent % 4, sent, at, n, at + n == len);
      place += n;
      if (at + n == len) {
        place = 0;
        sent++;
      }
    }
    if (now.soon && now.head_valid >> turn % 4 & 1)
      take(&b, turn++ % 4);
    cycle(&b);
    for (uint32_t k = 0; k < b.out.rd_flits; k++, out++)
      assert_int_equal(b.out.rd_data[out % 4], flit(got, out));
    if (b.out.rd_last) {
      assert_int_equal(out, 1 + loom_scramble(got++) % 32);
      out = 0;
    }
  }
  assert_true(got > 1000 && sent - got < 32);
  close_bench(&b);
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(an_announcement_is_answered_two_cycles_later),
      cmocka_unit_test(what_does_not_fit_is_refused_and_counts_nothing),
      cmocka_unit_test(with_space_a_packet_of_the_mtu_is_never_refused),
      cmocka_unit_test(a_packet_in_an_empty_queue_is_in_view_a_cycle_later),
      cmocka_unit_test(a_packet_is_taken_in_the_cycle_in_which_it_comes_into_view),
      cmocka_unit_test(packets_of_empty_queues_come_into_view_each_in_its_own_next_cycle),
      cmocka_unit_test(a_packet_queued_after_a_take_is_in_view_as_the_page_says),
      cmocka_unit_test(the_second_of_two_packets_is_in_view_four_cycles_after_the_take),
      cmocka_unit_test(the_next_packet_is_in_view_four_cycles_after_a_take),
      cmocka_unit_test(a_packet_at_hand_is_in_view_two_cycles_after_a_take),
      cmocka_unit_test(one_head_comes_into_view_a_cycle),
      cmocka_unit_test(a_fetched_head_waits_for_packets_that_join_empty_queues_alone),
      cmocka_unit_test(heads_come_into_view_when_the_page_says_under_any_traffic),
      cmocka_unit_test(a_take_shows_the_first_flits_four_cycles_later),
      cmocka_unit_test(a_word_shows_four_cycles_later_if_the_reader_waits),
      cmocka_unit_test(packets_follow_without_an_empty_cycle),
      cmocka_unit_test(the_next_packet_is_booked_when_early_flits_are_left),
      cmocka_unit_test(a_packet_that_is_not_whole_ends_soon_until_it_is_known_as_whole),
      cmocka_unit_test(a_packet_that_was_booked_before_it_was_whole_costs_nothing),
      cmocka_unit_test(only_a_take_in_the_next_cycle_comes_behind_one_that_is_not_whole),
      cmocka_unit_test(a_packet_that_is_whole_when_its_take_is_done_costs_nothing),
      cmocka_unit_test(with_soon_all_that_was_taken_shows_within_k_cycles_without_an_empty_one),
      cmocka_unit_test(packet_store_refuses_parameters_out_of_range),
      cmocka_unit_test(what_goes_in_comes_out_once_and_in_order),
      cmocka_unit_test(cycles_at_once_are_as_one_by_one),
  };
  return UNIT_RUN("packet_store", tests, NULL, NULL);
}

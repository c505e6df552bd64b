/* SPDX-License-Identifier: Apache-2.0 */
/* test_vl_buffer.c - the twin of vl_buffer: a model of queues beside it under random traffic, and
 * the cycles of the page counted out, against what docs/parts.md says, without a circuit */
#include "tb/unit/unit.h"

#include <loom/random.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "parts/vl_buffer.h"
#include "tb/unit/parts/tracker_model.h"

/* A model of the page that keeps no cells and no data: flits carry {VL, packet, place}. It says
 * every output of every cycle. */

enum { RING = 8192 };

struct vb_queue {
  uint32_t accepted, taken; /* packets so far */
  uint32_t count;           /* flits inside */
  bool open, dropping;
  uint32_t left, place; /* of the packet that arrives */
  uint64_t visible;     /* the head is in view from this cycle on */
  uint16_t len[RING], info[RING];
};

struct vb_read { /* a taken packet */
  bool valid, known;
  uint32_t vl, packet, len, place;
};

struct vb {
  struct loom_vl_buffer_cfg cfg;
  struct loom_vl_buffer s;
  struct loom_vl_buffer_out out;
  void *storage;
  uint64_t cycle;
  uint32_t writer; /* VL of the last flit */
  struct tracker_model m;
  struct vb_queue q[32];
  struct vb_read active, pending;
  struct loom_vl_buffer_out want; /* the registered pulses of the next cycle */
  uint64_t written, read, dropped, freed, waits, errors;
};

static struct vb *vb_new(const struct loom_vl_buffer_cfg *cfg) {
  assert_true(loom_vl_buffer_cfg_ok(cfg));
  struct vb *b = calloc(1, sizeof *b);
  assert_non_null(b);
  b->cfg = *cfg;
  b->storage = malloc(loom_vl_buffer_storage_size(cfg));
  assert_non_null(b->storage);
  memset(b->storage, 0xA5, loom_vl_buffer_storage_size(cfg));
  loom_vl_buffer_init(&b->s, cfg, b->storage);
  b->m = (struct tracker_model){.vls = cfg->VLS, .total = cfg->CELLS, .max_units = cfg->CELLS};
  for (uint32_t v = 0; v < cfg->VLS; v++) {
    b->m.reserved[v] = cfg->RESERVED;
    b->m.cap[v] = cfg->CELLS;
  }
  return b;
}

static void vb_end(struct vb *b) {
  free(b->storage);
  free(b);
}

static uint64_t vb_data(uint32_t vl, uint32_t packet, uint32_t place) {
  return (uint64_t)vl << 56 | (uint64_t)packet << 16 | place;
}

static uint32_t vb_units(const struct vb *b, uint64_t len) {
  return (uint32_t)((len + b->cfg.CELL_FLITS - 1) / b->cfg.CELL_FLITS);
}

static bool vb_head_valid(const struct vb *b, uint32_t v) {
  return b->q[v].accepted != b->q[v].taken && b->q[v].visible <= b->cycle;
}

static bool vb_take_ready(const struct vb *b) {
  return !b->pending.valid && (!b->active.valid || b->active.len - b->active.place <= b->cfg.EARLY);
}

static void vb_check(const struct vb *b) {
  const struct loom_vl_buffer_out *o = &b->out, *w = &b->want;
  assert_true(o->drop_valid == w->drop_valid && o->drop_vl == w->drop_vl);
  assert_int_equal(o->error, w->error);
  assert_true(o->free_valid == w->free_valid && o->free_vl == w->free_vl);
  assert_true(o->rd_valid == w->rd_valid && o->rd_head == w->rd_head && o->rd_tail == w->rd_tail);
  assert_true(o->rd_vl == w->rd_vl && o->rd_data == w->rd_data);
  assert_int_equal(o->take_ready, vb_take_ready(b));
  for (uint32_t v = 0; v < 32; v++) {
    const struct vb_queue *q = &b->q[v];
    bool valid = vb_head_valid(b, v);
    assert_int_equal(o->head_valid >> v & 1, valid);
    assert_int_equal(o->head_size[v], valid ? vb_units(b, q->len[q->taken % RING]) : 0);
    assert_int_equal(o->head_info[v], valid ? q->info[q->taken % RING] : 0);
    assert_int_equal(o->used[v], b->m.used[v]);
    assert_true(b->m.used[v] <= b->m.cap[v]);
  }
}

/* Read side of the model; gives whether a cell is freed. */
static bool vb_read_edge(struct vb *b) {
  struct vb_read *a = &b->active;
  bool freed = false;
  if (a->valid && b->q[a->vl].count && a->known) {
    b->want.rd_valid = 1;
    b->want.rd_head = a->place == 0;
    b->want.rd_tail = a->place + 1 == a->len;
    b->want.rd_vl = a->vl;
    b->want.rd_data = vb_data(a->vl, a->packet, a->place);
    a->place++;
    b->read++;
    a->valid = a->place < a->len;
    bool over = a->place % b->cfg.CELL_FLITS == 0;
    a->known = !over || b->q[a->vl].count >= 2;
    freed = !a->valid || (over && a->known);
    b->waits += a->valid && !a->known;
    b->q[a->vl].count--;
  } else if (a->valid && b->q[a->vl].count) {
    a->known = freed = true;
  }
  if (freed) {
    b->want.free_valid = 1;
    b->want.free_vl = a->vl;
    b->freed++;
  }
  if (!a->valid && b->pending.valid) {
    *a = b->pending;
    b->pending.valid = false;
  }
  return freed;
}

static void vb_take_edge(struct vb *b, uint32_t v) {
  struct vb_queue *q = &b->q[v];
  b->pending = (struct vb_read){
      .valid = true, .known = true, .vl = v, .packet = q->taken, .len = q->len[q->taken % RING]};
  q->taken++;
  q->visible = b->cycle + 2;
}

/* A head that begins a packet. */
static void vb_head_edge(struct vb *b, const struct loom_vl_buffer_in *in, bool ok) {
  struct vb_queue *q = &b->q[in->wr_vl];
  q->open = ok && in->wr_len > 1;
  q->dropping = !ok && in->wr_len > 1;
  q->left = (uint32_t)in->wr_len - 1;
  q->place = 1;
  if (!ok) {
    b->want.drop_valid = 1;
    b->want.drop_vl = in->wr_vl;
    b->dropped++;
    return;
  }
  if (q->accepted == q->taken) /* the list is empty after this cycle's take: straight into view */
    q->visible = b->cycle + 1;
  q->len[q->accepted % RING] = (uint16_t)in->wr_len;
  q->info[q->accepted % RING] = (uint16_t)in->wr_info;
  q->accepted++;
  q->count++;
  b->written++;
}

static void vb_body_edge(struct vb *b, uint32_t v) {
  struct vb_queue *q = &b->q[v];
  if (q->open) {
    q->count++;
    b->written++;
  }
  q->place++;
  if (--q->left == 0)
    q->open = q->dropping = false;
}

/* The whole edge of the model. */
static void vb_edge(struct vb *b, const struct loom_vl_buffer_in *in) {
  bool taken = in->take && vb_take_ready(b) && in->take_vl < b->cfg.VLS &&
               vb_head_valid(b, (uint32_t)in->take_vl);
  bool known = in->wr_valid && in->wr_vl < b->cfg.VLS;
  bool arriving = known && (b->q[in->wr_vl].open || b->q[in->wr_vl].dropping);
  bool begins = known && !arriving && in->wr_head;
  uint32_t units = vb_units(b, in->wr_len);
  bool ok =
      begins && !in->cfg_we && units && units <= tracker_model_avail(&b->m, (uint32_t)in->wr_vl);
  if (begins && !in->cfg_we && units && tracker_model_ok(&b->m)) {
    const struct tracker_model *m = &b->m;
    uint32_t used = m->used[in->wr_vl];
    if (used + units <= m->reserved[in->wr_vl] && used + units <= m->cap[in->wr_vl])
      assert_true(ok); /* OP-06: the guaranteed minimum */
  }

  memset(&b->want, 0, sizeof b->want);
  struct loom_credit_tracker_in t = {.cfg_we = in->cfg_we,
                                     .cfg_addr = in->cfg_addr,
                                     .cfg_data = in->cfg_data,
                                     .consume_valid = begins,
                                     .consume_vl = in->wr_vl,
                                     .consume_size = units};
  t.return_vl = b->active.vl;
  t.return_valid = vb_read_edge(b);
  if (taken)
    vb_take_edge(b, (uint32_t)in->take_vl);
  if (begins)
    vb_head_edge(b, in, ok);
  else if (arriving)
    vb_body_edge(b, (uint32_t)in->wr_vl);
  bool wrong = in->wr_valid && !begins && (!arriving || in->wr_head);
  b->want.error = tracker_model_edge(&b->m, &t, ok);
  b->want.error |= wrong;
  b->errors += b->want.error;
}

static void vb_cycle(struct vb *b, const struct loom_vl_buffer_in *in) {
  struct loom_vl_buffer_probe p;
  loom_vl_buffer_probe(&b->s, &p);
  assert_true(p.active == b->active.valid && p.pending == b->pending.valid);
  loom_vl_buffer_step(&b->s, in, &b->out);
  vb_check(b);
  vb_edge(b, in);
  b->cycle++;
}

/* ---- vl_buffer under random traffic ---------------------------------------------------------- */

struct vb_load { /* percent */
  uint32_t write, take, begin, violate, configure;
  uint32_t stay; /* the next flit is of the same VL: the others pause in mid-packet */
};

static void vb_random_write(struct vb *b, uint64_t *seed, const struct vb_load *load,
                            struct loom_vl_buffer_in *in) {
  uint32_t v = b->writer = loom_chance(seed, load->stay) ? b->writer : loom_below(seed, b->cfg.VLS);
  bool violate = loom_chance(seed, load->violate);
  struct vb_queue *q = &b->q[v];
  bool arriving = q->open || q->dropping;
  if (!loom_chance(seed, load->write) || (!arriving && !violate && !loom_chance(seed, load->begin)))
    return;
  uint32_t most = (1u << b->cfg.LEN_W) - 1;
  in->wr_valid = 1;
  in->wr_vl = violate && loom_chance(seed, 30) ? loom_below(seed, 32) : v;
  q = &b->q[in->wr_vl];
  arriving = q->open || q->dropping;
  in->wr_head = arriving == violate;
  in->wr_len = loom_below(seed, loom_chance(seed, 95) ? loom_min(most, 4 * b->cfg.CELL_FLITS) + 1
                                                      : most + 1);
  in->wr_info = loom_below(seed, 1u << b->cfg.INFO_W);
  in->wr_data = vb_data((uint32_t)in->wr_vl, arriving ? q->accepted - 1 : q->accepted,
                        arriving ? q->place : 0);
}

static void vb_random_in(struct vb *b, uint64_t *seed, const struct vb_load *load,
                         struct loom_vl_buffer_in *in) {
  memset(in, 0, sizeof *in);
  vb_random_write(b, seed, load, in);
  in->take = loom_chance(seed, load->take);
  in->take_vl = loom_below(seed, 32);
  uint64_t heads = b->s.head_valid;
  if (heads && loom_chance(seed, 90))
    in->take_vl = loom_ctz_from(heads, (uint32_t)in->take_vl);
  in->cfg_we = loom_chance(seed, load->configure);
  in->cfg_addr = loom_chance(seed, 90) ? loom_below(seed, b->cfg.VLS) + 32 * loom_below(seed, 2)
                                       : loom_below(seed, 128);
  if (in->cfg_addr == 64)
    in->cfg_data = b->cfg.CELLS - loom_below(seed, b->cfg.CELLS / 4 + 1);
  else
    in->cfg_data = in->cfg_addr < 32 ? loom_below(seed, b->cfg.RESERVED + 3)
                                     : loom_below(seed, b->cfg.CELLS) + 1;
}

/* Ends what has begun, takes everything away: nothing may stay behind. */
static void vb_drain(struct vb *b, uint64_t *seed) {
  const struct vb_load load = {.write = 100, .take = 100};
  uint64_t limit = b->cycle + 200000;
  for (bool busy = true; busy;) {
    struct loom_vl_buffer_in in;
    vb_random_in(b, seed, &load, &in);
    vb_cycle(b, &in);
    busy = tracker_model_used(&b->m) || !loom_vl_buffer_idle(&b->s);
    for (uint32_t v = 0; v < b->cfg.VLS; v++)
      busy = busy || b->q[v].open || b->q[v].dropping;
    assert_true(b->cycle < limit);
  }
  assert_true(b->written == b->read && b->s.head_valid == 0);
}

static void vb_traffic(const struct loom_vl_buffer_cfg *cfg, uint64_t seed, int cycles) {
  static const struct vb_load loads[] = {
      {.write = 100, .take = 100, .begin = 100},
      {.write = 80, .take = 100, .begin = 90, .stay = 90},
      {.write = 100, .take = 100, .begin = 30, .violate = 1, .configure = 1},
      {.write = 25, .take = 100, .begin = 100},
      {.write = 100, .take = 5, .begin = 100, .violate = 1},
      {.write = 60, .take = 50, .begin = 10, .configure = 1, .stay = 80},
      {.write = 100, .take = 100, .begin = 100, .violate = 1, .stay = 97},
  };
  struct vb *b = vb_new(cfg);
  enum { LOADS = sizeof loads / sizeof *loads };
  for (int k = 0; k < 2 * LOADS; k++) {
    for (int i = 0; i < cycles / (2 * LOADS); i++) {
      struct loom_vl_buffer_in in;
      vb_random_in(b, &seed, &loads[k % LOADS], &in);
      vb_cycle(b, &in);
    }
    vb_drain(b, &seed);
    for (int i = 0; i < 20; i++) { /* a new configuration while nothing is in use */
      const struct vb_load configure = {.configure = 100};
      struct loom_vl_buffer_in in;
      vb_random_in(b, &seed, &configure, &in);
      vb_cycle(b, &in);
    }
    while (!tracker_model_ok(&b->m)) {
      struct loom_vl_buffer_in in = {.cfg_we = 1, .cfg_addr = loom_below(&seed, b->cfg.VLS)};
      vb_cycle(b, &in);
    }
  }
  assert_true(b->read > 1000 && b->dropped > 10 && b->freed > 100 && b->errors > 10);
  assert_true(b->waits > 10);
  vb_end(b);
}

static void a_vl_buffer_keeps_every_packet_under_random_traffic(void **state) {
  (void)state;
  static const struct loom_vl_buffer_cfg cfgs[] = {
      {.VLS = 8,
       .CELLS = 64,
       .CELL_FLITS = 8,
       .WIDTH = 64,
       .LEN_W = 12,
       .INFO_W = 5,
       .RESERVED = 4,
       .EARLY = 8},
      {.VLS = 2,
       .CELLS = 4,
       .CELL_FLITS = 2,
       .WIDTH = 64,
       .LEN_W = 3,
       .INFO_W = 1,
       .RESERVED = 1,
       .EARLY = 1},
      {.VLS = 1,
       .CELLS = 5,
       .CELL_FLITS = 4,
       .WIDTH = 64,
       .LEN_W = 4,
       .INFO_W = 3,
       .RESERVED = 0,
       .EARLY = 0},
      {.VLS = 3,
       .CELLS = 17,
       .CELL_FLITS = 4,
       .WIDTH = 64,
       .LEN_W = 6,
       .INFO_W = 16,
       .RESERVED = 5,
       .EARLY = 3},
      {.VLS = 32,
       .CELLS = 4096,
       .CELL_FLITS = 16,
       .WIDTH = 64,
       .LEN_W = 12,
       .INFO_W = 5,
       .RESERVED = 16,
       .EARLY = 4095},
      {.VLS = 4,
       .CELLS = 8,
       .CELL_FLITS = 16,
       .WIDTH = 64,
       .LEN_W = 7,
       .INFO_W = 5,
       .RESERVED = 2,
       .EARLY = 8},
  };
  for (size_t k = 0; k < sizeof cfgs / sizeof *cfgs; k++)
    vb_traffic(&cfgs[k], 100 + k, 40000);
}

static void a_small_vl_buffer_keeps_every_packet_for_many_seeds(void **state) {
  (void)state;
  const struct loom_vl_buffer_cfg cfg = {.VLS = 2,
                                         .CELLS = 4,
                                         .CELL_FLITS = 2,
                                         .WIDTH = 64,
                                         .LEN_W = 3,
                                         .INFO_W = 1,
                                         .RESERVED = 0,
                                         .EARLY = 2};
  for (uint64_t seed = 1000; seed < 1020; seed++)
    vb_traffic(&cfg, seed, 8000);
}

/* ---- vl_buffer: the cycle numbers of the page ------------------------------------------------ */

/* A script: what is written and taken in which cycle; seen: cycles in which the outputs showed. */
static struct loom_vl_buffer_cfg vb_cfg(uint32_t cell_flits) {
  struct loom_vl_buffer_cfg cfg;
  loom_vl_buffer_defaults(&cfg);
  cfg.CELL_FLITS = cell_flits;
  return cfg;
}

struct seen {
  uint32_t rd, tail, freed, head[2]; /* a bit a cycle */
};

/* Runs 32 cycles; wr[c] is the VL + 1 of the flit of cycle c or 0, take[c] likewise. Packets have
 * len flits. */
static struct seen vb_script(struct vb *b, const uint8_t wr[32], const uint8_t take[32],
                             uint32_t len) {
  struct seen seen = {0};
  for (uint32_t c = 0; c < 32; c++) {
    struct loom_vl_buffer_in in = {.wr_valid = wr[c] != 0, .take = take[c] != 0, .wr_len = len};
    if (wr[c]) {
      const struct vb_queue *q = &b->q[in.wr_vl = wr[c] - 1u];
      in.wr_head = !q->open;
      in.wr_data = vb_data((uint32_t)in.wr_vl, q->open ? q->accepted - 1 : q->accepted,
                           q->open ? q->place : 0);
    }
    if (take[c])
      in.take_vl = take[c] - 1u;
    vb_cycle(b, &in);
    seen.rd |= (uint32_t)b->out.rd_valid << c;
    seen.tail |= (uint32_t)b->out.rd_tail << c;
    seen.freed |= (uint32_t)b->out.free_valid << c;
    for (uint32_t v = 0; v < 2; v++)
      seen.head[v] |= (uint32_t)(b->out.head_valid >> v & 1) << c;
  }
  return seen;
}

static uint32_t cycles(uint32_t first, uint32_t last) {
  return (uint32_t)(loom_mask(last + 1) & ~loom_mask(first));
}

/* Head in view one cycle after it came, first flit three cycles after the take, tail and free
 * together. */
static void a_vl_buffer_shows_a_head_after_1_and_a_flit_after_3_cycles(void **state) {
  (void)state;
  struct loom_vl_buffer_cfg cfg = vb_cfg(8);
  struct vb *b = vb_new(&cfg);
  const uint8_t wr[32] = {1, 1, 1}, take[32] = {[0] = 1, [1] = 1};
  struct seen seen = vb_script(b, wr, take, 3); /* the take of cycle 0 comes too early */
  assert_int_equal(seen.head[0], cycles(1, 1));
  assert_int_equal(seen.rd, cycles(4, 6));
  assert_int_equal(seen.tail, cycles(6, 6));
  assert_int_equal(seen.freed, cycles(6, 6));
  vb_end(b);
}

/* A packet leaves while it arrives, also over the edge of a cell, without a gap if it is one flit
 * ahead. */
static void a_packet_cuts_through_a_vl_buffer(void **state) {
  (void)state;
  struct loom_vl_buffer_cfg cfg = vb_cfg(2);
  struct vb *b = vb_new(&cfg);
  const uint8_t wr[32] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1}, take[32] = {[1] = 1};
  struct seen seen = vb_script(b, wr, take, 12);
  assert_int_equal(seen.rd, cycles(4, 15));
  assert_int_equal(seen.freed, 1u << 5 | 1u << 7 | 1u << 9 | 1u << 11 | 1u << 13 | 1u << 15);
  vb_end(b);
}

/* The next flit is late: the reader waits, then needs a cycle for the link; the cell is freed with
 * it. */
static void a_vl_buffer_waits_for_a_late_flit(void **state) {
  (void)state;
  struct loom_vl_buffer_cfg cfg = vb_cfg(2);
  struct vb *b = vb_new(&cfg);
  const uint8_t wr[32] = {1, 1, [10] = 1, 1}, take[32] = {[1] = 1};
  struct seen seen = vb_script(b, wr, take, 4);
  assert_int_equal(seen.rd, 1u << 4 | 1u << 5 | 1u << 13 | 1u << 14);
  assert_int_equal(seen.freed, 1u << 12 | 1u << 14);
  vb_end(b);
}

/* With pending filled in time packets of any VL follow without a gap. */
static void a_vl_buffer_sends_packets_without_a_gap(void **state) {
  (void)state;
  struct loom_vl_buffer_cfg cfg = vb_cfg(8);
  struct vb *b = vb_new(&cfg);
  const uint8_t wr[32] = {1, 1, 1, 1, 2, 2, 2, 2, 1, 1, 1, 1};
  const uint8_t take[32] = {[5] = 1, [8] = 2, [11] = 1};
  struct seen seen = vb_script(b, wr, take, 4);
  assert_int_equal(seen.rd, cycles(8, 19));
  assert_int_equal(seen.tail, 1u << 11 | 1u << 15 | 1u << 19);
  vb_end(b);
}

/* The head after a taken one shows two cycles after the take; one that comes with the take, one
 * cycle. */
static void a_vl_buffer_shows_the_next_head_two_cycles_after_a_take(void **state) {
  (void)state;
  struct loom_vl_buffer_cfg cfg = vb_cfg(8);
  struct vb *b = vb_new(&cfg);
  const uint8_t wr[32] = {1, 1, [4] = 2, [8] = 2, [14] = 2};
  const uint8_t take[32] = {[4] = 1, [8] = 2, [13] = 2, [20] = 2};
  struct seen seen = vb_script(b, wr, take, 1);
  assert_int_equal(seen.head[0], cycles(1, 4) | cycles(6, 31));
  assert_int_equal(seen.head[1], cycles(5, 13) | cycles(15, 20));
  vb_end(b);
}

/* One VL takes all it can get; every other one still has its reserve. The cap holds before that. */
static void a_vl_buffer_keeps_reserve_and_cap(void **state) {
  (void)state;
  struct loom_vl_buffer_cfg cfg = vb_cfg(8);
  struct vb *b = vb_new(&cfg);
  struct loom_vl_buffer_in in = {.cfg_we = 1, .cfg_addr = 33, .cfg_data = 10}; /* cap of VL 1 */
  vb_cycle(b, &in);
  for (uint32_t v = 0; v < 8; v++) {
    for (uint32_t i = 0; i < 300; i++) { /* one-flit packets of one unit */
      in = (struct loom_vl_buffer_in){.wr_valid = 1, .wr_vl = v, .wr_head = 1, .wr_len = 1};
      in.wr_data = vb_data(v, b->q[v].accepted, 0);
      vb_cycle(b, &in);
    }
    assert_int_equal(b->m.used[v], v == 0 ? 256 - 7 * 4 : 4);
    if (v == 0)
      assert_int_equal(b->dropped, 300 - (256 - 7 * 4));
  }
  uint64_t seed = 11;
  vb_drain(b, &seed);
  for (uint32_t i = 0; i < 300; i++) {
    in = (struct loom_vl_buffer_in){.wr_valid = 1, .wr_vl = 1, .wr_head = 1, .wr_len = 1};
    in.wr_data = vb_data(1, b->q[1].accepted, 0);
    vb_cycle(b, &in);
  }
  assert_int_equal(b->m.used[1], 10);
  vb_end(b);
}

/* While nothing is under way an edge changes not one byte, also with packets inside. */
static void a_vl_buffer_rests_when_idle(void **state) {
  (void)state;
  struct loom_vl_buffer_cfg cfg = vb_cfg(8);
  struct vb *b = vb_new(&cfg);
  const uint8_t wr[32] = {1, 1, 1, 2, 2}, none[32] = {0};
  vb_script(b, wr, none, 8);
  assert_true(loom_vl_buffer_idle(&b->s));
  assert_int_equal(b->out.head_valid, 3);
  struct loom_vl_buffer before = b->s;
  const struct loom_vl_buffer_in in = {0};
  loom_vl_buffer_edge(&b->s, &in);
  assert_memory_equal(&before, &b->s, sizeof before);
  vb_end(b);
}

static void a_vl_buffer_refuses_bad_configurations(void **state) {
  (void)state;
  struct loom_vl_buffer_cfg cfg = vb_cfg(8);
  assert_true(loom_vl_buffer_cfg_ok(&cfg));
  cfg.CELL_FLITS = 6;
  assert_false(loom_vl_buffer_cfg_ok(&cfg));
  cfg = vb_cfg(8);
  cfg.LEN_W = 2;
  assert_false(loom_vl_buffer_cfg_ok(&cfg));
  cfg = vb_cfg(8);
  cfg.RESERVED = 33;
  assert_false(loom_vl_buffer_cfg_ok(&cfg));
  cfg = vb_cfg(8);
  cfg.CELLS = 4097;
  assert_false(loom_vl_buffer_cfg_ok(&cfg));
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_vl_buffer_keeps_every_packet_under_random_traffic),
      cmocka_unit_test(a_small_vl_buffer_keeps_every_packet_for_many_seeds),
      cmocka_unit_test(a_vl_buffer_shows_a_head_after_1_and_a_flit_after_3_cycles),
      cmocka_unit_test(a_packet_cuts_through_a_vl_buffer),
      cmocka_unit_test(a_vl_buffer_waits_for_a_late_flit),
      cmocka_unit_test(a_vl_buffer_sends_packets_without_a_gap),
      cmocka_unit_test(a_vl_buffer_shows_the_next_head_two_cycles_after_a_take),
      cmocka_unit_test(a_vl_buffer_keeps_reserve_and_cap),
      cmocka_unit_test(a_vl_buffer_rests_when_idle),
      cmocka_unit_test(a_vl_buffer_refuses_bad_configurations),
  };
  return UNIT_RUN("vl_buffer", tests, NULL, NULL);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* packet_buffer.c - traffic for packet_buffer, and a model of the page that looks at each output
 *
 * Packets on all VLs that are announced, written and queued in one order a VL, but at times of
 * their own: the queueing before, with or after the words, words of every size that fits, more
 * announced than there is room for, readers from greedy to asleep, new limits. `observe` follows
 * the page with counters (no cells, no memory) and says for each cycle what must be seen: every
 * flit of every packet once, in order, with its data.
 */
#include "parts/packet_buffer.h"

#include "parts/credit_tracker.h"

#include <inttypes.h>
#include <string.h>

#define DUT_NAME packet_buffer
#define DUT_LIST "parts/packet_buffer.def"
#include "tb/cosim/dut.h"

enum { RING = 4096, CELL = 8, VLS = 32, LEN_MAX = 4095 };

/* When a packet is queued. */
enum queueing { ANY_TIME, WITH_ANNOUNCE, WITH_FIRST, AFTER_LAST, QUEUEINGS };

/* Packets of a VL by number; a slot is free again long before its number comes round. */
struct sender {
  uint32_t announced, queued, written; /* packets so far */
  uint32_t place;                      /* of the next flit of packet `written` */
  uint16_t len[RING];
};

/* What the page says that the circuit has inside. */
struct receiver {
  uint32_t queued, taken, read; /* packets so far */
  uint32_t place;               /* of the next flit of packet `read` */
  uint32_t count;               /* flits written and not read */
  bool hidden;                  /* the head is being fetched in this cycle */
  uint16_t len[RING];
};

struct model {
  bool ready;
  struct loom_credit_tracker tracker;
  struct receiver vl[VLS];
  uint32_t order[2]; /* VLs of the packet being read and of the pending one */
  uint32_t orders;
  struct loom_packet_buffer_out rd; /* rd_*, free_* that must show in the next cycle */
  char wrong[160];
};

struct state {
  struct rng rng;
  struct loom_packet_buffer_cfg cfg;
  uint32_t announce, write, queue, take, weave, narrow; /* chances in 256 */
  uint32_t vls_used, longest;
  enum queueing queueing;
  uint32_t vl; /* being written */
  uint32_t config_left;
  uint64_t phase_end;
  /* Of the last cycle: its announcement, whether it was sure and queued at once; its config write.
   */
  bool asked, asked_queue, configured;
  uint32_t asked_vl, asked_len;
  struct sender sender[VLS];
  struct model model;
};

static uint32_t units(uint32_t flits) { return (flits + CELL - 1) / CELL; }

static uint64_t pattern(uint32_t vl, uint32_t number, uint32_t place) {
  uint64_t x = ((uint64_t)vl << 56 ^ (uint64_t)number << 16 ^ place) + 0x9e3779b97f4a7c15u;
  x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
  return x ^ x >> 27;
}

static uint64_t info_of(const struct loom_packet_buffer_cfg *c, uint32_t vl, uint32_t number) {
  return pattern(vl, number, LEN_MAX + 1) & loom_mask(c->INFO_W);
}

static void init(void *st, struct rng *rng, const void *cfg, const struct scenario *sc) {
  struct state *s = st;
  const struct loom_packet_buffer_cfg *c = cfg;
  const uint32_t count_w = loom_max(4, loom_clog2(c->CELLS + 1));
  const struct loom_credit_tracker_cfg t = {.VLS = c->VLS,
                                            .COUNT_W = count_w,
                                            .SIZE_W = 10,
                                            .UNITS = c->CELLS,
                                            .MAX_UNITS = c->CELLS,
                                            .RESERVED = c->RESERVED};
  (void)sc;
  s->rng = *rng;
  s->cfg = *c;
  loom_credit_tracker_init(&s->model.tracker, &t);
}

/* ---- the sender ------------------------------------------------------------------------------ */

static void new_phase(struct state *s, uint64_t cycle) {
  static const uint32_t chance[] = {0, 24, 128, 220, 256, 256};
  uint32_t all = s->cfg.CELLS * CELL;
  const uint32_t longest[] = {1, 7, CELL + 1, 4 * CELL + 3, all / 4 + 2, all + 9};
  s->announce = chance[1 + rng_below(&s->rng, 5)];
  s->write = chance[rng_below(&s->rng, 6)];
  s->queue = chance[rng_below(&s->rng, 6)];
  s->take = chance[rng_below(&s->rng, 6)];
  s->weave = chance[rng_below(&s->rng, 4)];
  s->narrow = chance[rng_below(&s->rng, 5)];
  s->vls_used = rng_range(&s->rng, 1, s->cfg.VLS);
  s->longest = loom_min(longest[rng_below(&s->rng, 6)], LEN_MAX);
  s->queueing = rng_below(&s->rng, QUEUEINGS);
  s->config_left = rng_chance(&s->rng, 32) ? rng_range(&s->rng, 1, 2 * s->cfg.VLS) : 0;
  s->phase_end = cycle + rng_range(&s->rng, 16, 2 * loom_min(all, 2048) + 200);
}

/* What became of the announcement of the last cycle. */
static void answer(struct state *s, const struct loom_packet_buffer_out *o) {
  struct sender *v = &s->sender[s->asked_vl];
  if (s->asked && o->announce_ok) {
    v->len[v->announced++ % RING] = (uint16_t)s->asked_len;
    v->queued += s->asked_queue;
  }
  s->asked = s->asked_queue = false;
}

static void queue_packet(struct state *s, uint32_t vl, uint32_t number, uint32_t len,
                         struct loom_packet_buffer_in *i) {
  i->queue = 1;
  i->queue_vl = vl;
  i->queue_len = len;
  i->queue_info = info_of(&s->cfg, vl, number);
}

/* Sure: units come back only, so what was free in the last cycle still is. */
static void announce(struct state *s, const struct loom_packet_buffer_out *o, bool sure,
                     struct loom_packet_buffer_in *i) {
  uint32_t vl = rng_below(&s->rng, s->vls_used);
  uint32_t len =
      rng_chance(&s->rng, 2) ? rng_below(&s->rng, LEN_MAX + 1) : rng_range(&s->rng, 1, s->longest);
  struct sender *v = &s->sender[vl];
  i->announce = 1;
  i->announce_vl = vl;
  i->announce_len = len;
  s->asked = true;
  s->asked_vl = vl;
  s->asked_len = len;
  if (s->queueing > WITH_ANNOUNCE || !sure || len == 0 || units(len) > o->avail[vl] ||
      v->queued != v->announced)
    return;
  if (s->queueing == WITH_ANNOUNCE || rng_chance(&s->rng, s->queue)) {
    s->asked_queue = true;
    queue_packet(s, vl, v->announced, len, i);
  }
}

static uint32_t to_write(const struct state *s) {
  uint32_t mask = 0;
  for (uint32_t v = 0; v < s->cfg.VLS; v++)
    mask |= (uint32_t)(s->sender[v].written < s->sender[v].announced) << v;
  return mask;
}

static bool queue_now(const struct state *s, const struct sender *v, bool first_word) {
  switch (s->queueing) {
  case AFTER_LAST:
    return v->queued < v->written;
  case WITH_FIRST:
    return first_word || v->queued < v->written || v->place > 0;
  default:
    return true;
  }
}

static void queue_some(struct state *s, struct loom_packet_buffer_in *i) {
  uint32_t start = rng_below(&s->rng, s->cfg.VLS);
  for (uint32_t k = 0; k < s->cfg.VLS; k++) {
    uint32_t vl = (start + k) % s->cfg.VLS;
    struct sender *v = &s->sender[vl];
    bool first = i->wr_valid && i->wr_first && i->wr_vl == vl;
    if (v->queued == v->announced || !queue_now(s, v, first))
      continue;
    queue_packet(s, vl, v->queued, v->len[v->queued % RING], i);
    v->queued++;
    return;
  }
}

static void write_word(struct state *s, struct loom_packet_buffer_in *i) {
  uint32_t can = to_write(s), lanes = s->cfg.LANES;
  if (!can)
    return;
  if (!(can >> s->vl & 1) || s->sender[s->vl].place == 0 || rng_chance(&s->rng, s->weave))
    s->vl = loom_ctz_from(can, rng_below(&s->rng, s->cfg.VLS));
  struct sender *v = &s->sender[s->vl];
  uint32_t place = v->place, len = v->len[v->written % RING];
  uint32_t flits = loom_min(lanes, loom_min(CELL - place % CELL, len - place));
  if (rng_chance(&s->rng, s->narrow))
    flits = rng_range(&s->rng, 1, flits);
  i->wr_valid = 1;
  i->wr_vl = s->vl;
  i->wr_first = place == 0;
  i->wr_flits = flits;
  for (uint32_t l = 0; l < lanes; l++) /* lanes without a flit are not looked at */
    i->wr_data[l] = rng_next(&s->rng);
  for (uint32_t k = 0; k < flits; k++)
    i->wr_data[(place + k) & (lanes - 1)] = pattern(s->vl, v->written, place + k);
  v->place += flits;
  if (v->place == len) {
    v->place = 0;
    v->written++;
  }
}

/* New limits count only while nothing is inside: so it is emptied first, most of the time. */
static void configure(struct state *s, const struct loom_packet_buffer_out *o,
                      struct loom_packet_buffer_in *i) {
  i->take = 1;
  if (o->total && !rng_chance(&s->rng, 4))
    return;
  uint32_t kind = rng_below(&s->rng, 4);
  i->cfg_we = 1;
  i->cfg_addr = kind == 0   ? rng_below(&s->rng, s->cfg.VLS)
                : kind == 1 ? 32 + rng_below(&s->rng, s->cfg.VLS)
                : kind == 2 ? 64
                            : rng_below(&s->rng, 128);
  i->cfg_data = kind == 0 ? rng_below(&s->rng, s->cfg.CELLS / s->cfg.VLS + 1)
                          : rng_range(&s->rng, kind == 2 ? s->cfg.CELLS / 2 : 0, s->cfg.CELLS);
  s->config_left--;
}

static void next(void *st, uint64_t cycle, const void *out, void *in) {
  struct state *s = st;
  const struct loom_packet_buffer_out *o = out;
  struct loom_packet_buffer_in *i = in;
  bool sure = cycle > 0 && !s->asked && !s->configured;
  answer(s, o);
  if (cycle >= s->phase_end)
    new_phase(s, cycle);
  bool empty_it = s->config_left > 0;
  i->take = rng_chance(&s->rng, s->take);
  i->take_vl = o->head_valid && !rng_chance(&s->rng, 8)
                   ? loom_ctz_from(o->head_valid, rng_below(&s->rng, s->cfg.VLS))
                   : rng_below(&s->rng, s->cfg.VLS);
  if (empty_it)
    configure(s, o, i);
  if (rng_chance(&s->rng, s->announce) && (!empty_it || rng_chance(&s->rng, 16)))
    announce(s, o, sure && !i->cfg_we, i);
  if (empty_it || rng_chance(&s->rng, s->write))
    write_word(s, i);
  if (!i->queue && (empty_it || rng_chance(&s->rng, s->queue)))
    queue_some(s, i);
  s->configured = i->cfg_we;
}

/* ---- what must be seen ----------------------------------------------------------------------- */

static void wrong(struct model *m, uint64_t cycle, const char *what, uint64_t is, uint64_t must) {
  if (!m->wrong[0])
    snprintf(m->wrong, sizeof m->wrong,
             "cycle %" PRIu64 ": %s is 0x%" PRIx64 ", must be 0x%" PRIx64, cycle, what, is, must);
}

static void must_be(struct model *m, uint64_t cycle, const char *what, uint64_t is, uint64_t must) {
  if (is != must)
    wrong(m, cycle, what, is, must);
}

static void check_heads(struct state *s, uint64_t cycle, const struct loom_packet_buffer_out *o) {
  struct model *m = &s->model;
  for (uint32_t v = 0; v < s->cfg.VLS; v++) {
    struct receiver *r = &m->vl[v];
    bool there = r->queued != r->taken && !r->hidden;
    must_be(m, cycle, "a bit of head_valid", o->head_valid >> v & 1, there);
    must_be(m, cycle, "head_len", o->head_len[v], there ? r->len[r->taken % RING] : 0);
    must_be(m, cycle, "head_info", o->head_info[v], there ? info_of(&s->cfg, v, r->taken) : 0);
    r->hidden = false;
  }
}

static void check_word(struct model *m, uint64_t cycle, const struct loom_packet_buffer_out *o) {
  must_be(m, cycle, "rd_valid", o->rd_valid, m->rd.rd_valid);
  must_be(m, cycle, "rd_vl", o->rd_vl, m->rd.rd_vl);
  must_be(m, cycle, "rd_first", o->rd_first, m->rd.rd_first);
  must_be(m, cycle, "rd_last", o->rd_last, m->rd.rd_last);
  must_be(m, cycle, "rd_flits", o->rd_flits, m->rd.rd_flits);
  must_be(m, cycle, "rd_lane", o->rd_lane, m->rd.rd_lane);
  for (uint32_t l = 0; l < 4; l++)
    must_be(m, cycle, "a lane of rd_data", o->rd_data[l], m->rd.rd_data[l]);
  must_be(m, cycle, "free_valid", o->free_valid, m->rd.free_valid);
  must_be(m, cycle, "free_vl", o->free_vl, m->rd.free_vl);
}

/* The tracker goes on; says whether the announcement of this cycle is admitted. */
static void check_tracker(struct state *s, uint64_t cycle, const struct loom_packet_buffer_in *i,
                          const struct loom_packet_buffer_out *o) {
  struct model *m = &s->model;
  struct loom_credit_tracker_out t;
  /* Of this cycle's edge: a cell is given back in the cycle before it shows. */
  const struct loom_credit_tracker_in ask = {.cfg_we = i->cfg_we,
                                             .cfg_addr = i->cfg_addr,
                                             .cfg_data = i->cfg_data,
                                             .consume_valid = i->announce,
                                             .consume_vl = i->announce_vl,
                                             .consume_size = units((uint32_t)i->announce_len),
                                             .return_valid = m->rd.free_valid,
                                             .return_vl = m->rd.free_vl};
  uint64_t total = 0;
  loom_credit_tracker_step(&m->tracker, &ask, &t);
  for (uint32_t v = 0; v < s->cfg.VLS; v++) {
    must_be(m, cycle, "used", o->used[v], t.used[v]);
    must_be(m, cycle, "avail", o->avail[v], t.avail[v]);
    total += t.used[v];
  }
  must_be(m, cycle, "total", o->total, total);
  must_be(m, cycle, "error", o->error, t.error);
  must_be(m, cycle, "announce_ok", o->announce_ok, t.consume_ok);
}

/* Reads what the page reads in this cycle, into m->rd: it shows in the next. Gives rd_done. */
static bool read_flits(struct state *s) {
  struct model *m = &s->model;
  memset(&m->rd, 0, sizeof m->rd);
  if (!m->orders)
    return false;
  uint32_t vl = m->order[0], lanes = s->cfg.LANES;
  struct receiver *r = &m->vl[vl];
  uint32_t left = r->len[r->read % RING] - r->place, inside = CELL - r->place % CELL;
  uint32_t n = loom_min(loom_min(s->cfg.RD_FLITS, left), loom_min(inside, r->count));
  if (!n)
    return false;
  m->rd.rd_valid = 1;
  m->rd.rd_vl = vl;
  m->rd.rd_first = r->place == 0;
  m->rd.rd_last = n == left;
  m->rd.rd_flits = n;
  m->rd.rd_lane = r->place % lanes;
  for (uint32_t k = 0; k < n; k++)
    m->rd.rd_data[(r->place + k) % lanes] = pattern(vl, r->read, r->place + k);
  m->rd.free_valid = n == left || n == inside;
  m->rd.free_vl = m->rd.free_valid ? vl : 0;
  r->count -= n;
  r->place = n == left ? 0 : r->place + n;
  r->read += n == left;
  return n == left;
}

static void take_and_read(struct state *s, uint64_t cycle, const struct loom_packet_buffer_in *i,
                          const struct loom_packet_buffer_out *o) {
  struct model *m = &s->model;
  struct receiver *now = &m->vl[m->order[0]];
  bool busy = m->orders > 0;
  bool ready = m->orders < 2 && (!busy || now->len[now->read % RING] - now->place <= s->cfg.EARLY);
  must_be(m, cycle, "take_ready", o->take_ready, ready);
  must_be(m, cycle, "rd_busy", o->rd_busy, busy);
  if (i->take && ready && (o->head_valid >> i->take_vl & 1)) {
    struct receiver *r = &m->vl[i->take_vl];
    r->hidden = r->queued - r->taken >= 2;
    r->taken++;
    m->order[m->orders++] = (uint32_t)i->take_vl;
  }
  bool done = read_flits(s);
  must_be(m, cycle, "rd_done", o->rd_done, done);
  if (done) {
    m->order[0] = m->order[1];
    m->orders--;
  }
}

static void arrive(struct model *m, const struct loom_packet_buffer_in *i) {
  if (i->queue) {
    struct receiver *r = &m->vl[i->queue_vl];
    r->len[r->queued++ % RING] = (uint16_t)i->queue_len;
  }
  if (i->wr_valid)
    m->vl[i->wr_vl].count += (uint32_t)i->wr_flits;
}

static void note(uint64_t cycle, const struct loom_packet_buffer_in *i, struct stats *stats) {
  const struct packet_note n = {
      .cycle = cycle, .vl = (uint32_t)i->queue_vl, .length = (uint32_t)i->queue_len};
  stats->packets++;
  stats_note(stats, &n);
}

static void observe(void *st, uint64_t cycle, const void *in, const void *out, const void *probe,
                    struct stats *stats) {
  const struct loom_packet_buffer_in *i = in;
  const struct loom_packet_buffer_out *o = out;
  struct state *s = st;
  (void)probe;
  if (i->queue)
    note(cycle, i, stats);
  stats->grants += o->rd_valid && o->rd_last; /* packets that left */
  check_word(&s->model, cycle, o);
  check_heads(s, cycle, o);
  take_and_read(s, cycle, i, o);
  check_tracker(s, cycle, i, o);
  arrive(&s->model, i);
}

static bool check(const void *st, char *why, size_t why_size) {
  const struct state *s = st;
  if (s->model.wrong[0])
    snprintf(why, why_size, "%s", s->model.wrong);
  return !s->model.wrong[0];
}

/* ---- the search ------------------------------------------------------------------------------ */

/* One VL, packets of 1 or 9 flits, their data 0 (each stale word would be one more state). The
 * bench keeps what the contract needs to know beside the two states. */
enum { DEPTH = 9, KINDS = 3 };

/* Announced packets that are not both queued and written, oldest first. */
struct contract {
  uint8_t announced, queued, written, place; /* packets; flits of the one being written */
  uint8_t len[12];
};

static uint32_t bfs_depth(const void *cfg) {
  (void)cfg;
  return DEPTH;
}

/* announce nothing, 1 flit, 9 flits; write nothing, one flit, as many as fit; queue; take */
static uint32_t bfs_inputs(const void *cfg) {
  (void)cfg;
  return KINDS * 3 * 2 * 2;
}

static bool bfs_input(const void *cfg, const void *twin, uint32_t i, void *in) {
  static const uint8_t len[KINDS] = {0, 1, CELL + 1};
  struct loom_packet_buffer_in *b = in;
  (void)cfg;
  (void)twin;
  b->announce_len = len[i % KINDS];
  b->announce = i % KINDS > 0;
  b->wr_flits = i / KINDS % 3; /* completed below */
  b->queue = i / (KINDS * 3) % 2;
  b->take = i / (KINDS * 3 * 2);
  return true;
}

static bool bfs_legal(const void *cfg, const void *note, void *in) {
  const struct loom_packet_buffer_cfg *c = cfg;
  const struct contract *k = note;
  struct loom_packet_buffer_in *b = in;
  if (b->queue) {
    if (k->queued == k->announced)
      return false;
    b->queue_len = k->len[k->queued];
    b->queue_info = b->queue_len & loom_mask(c->INFO_W);
  }
  if (b->wr_flits) {
    if (k->written == k->announced)
      return false;
    uint32_t most = loom_min(
        c->LANES, loom_min(CELL - k->place % CELL, (uint32_t)k->len[k->written] - k->place));
    if (b->wr_flits == 2 && most == 1)
      return false; /* the same as one flit */
    b->wr_flits = b->wr_flits == 1 ? 1 : most;
    b->wr_valid = 1;
    b->wr_first = k->place == 0;
  }
  return true;
}

static void bfs_after(void *note, const void *in, const void *out) {
  const struct loom_packet_buffer_in *b = in;
  const struct loom_packet_buffer_out *o = out;
  struct contract *k = note;
  k->place = (uint8_t)(k->place + b->wr_flits);
  if (b->wr_valid && k->place == k->len[k->written]) {
    k->written++;
    k->place = 0;
  }
  k->queued = (uint8_t)(k->queued + b->queue);
  if (b->announce && o->announce_ok)
    k->len[k->announced++] = (uint8_t)b->announce_len;
  for (; k->queued && k->written; k->announced--, k->queued--, k->written--)
    memmove(k->len, k->len + 1, sizeof k->len - 1);
  memset(k->len + k->announced, 0, sizeof k->len - k->announced);
}

static const struct stim stim = {.size = sizeof(struct state),
                                 .episode = 50000,
                                 .init = init,
                                 .next = next,
                                 .observe = observe,
                                 .check = check,
                                 .bfs_depth = bfs_depth,
                                 .bfs_inputs = bfs_inputs,
                                 .bfs_input = bfs_input,
                                 .bfs_note_size = sizeof(struct contract),
                                 .bfs_legal = bfs_legal,
                                 .bfs_after = bfs_after};
const struct dut packet_buffer_dut = DUT_INIT(&stim);

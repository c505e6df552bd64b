/* SPDX-License-Identifier: Apache-2.0 */
/* packet_store.c - traffic for packet_store, and a judge of what comes out
 *
 * Packets on all VLs that are announced, queued and written in one order, but at times of their
 * own: the queueing before, with or after the words, words of every size that fits, more announced
 * than there is room for, readers from greedy to asleep. What the user may do depends on outputs of
 * the same cycle, which are registers: a twin beside tells them. `observe` knows neither cells nor
 * stages; it judges from outside that every packet comes out once, whole and in its order.
 */
#include "parts/packet_store.h"

#include <inttypes.h>
#include <loom/bits.h>
#include <string.h>

#define DUT_NAME packet_store
#define DUT_LIST "parts/packet_store.def"
#include "tb/cosim/dut.h"

enum { RING = 8192, CELL = 8, VLS = 32, LEN_MAX = 4095, CELLS = 4096, WORD_BYTES = 8 };

/* When a packet is queued. */
enum queueing { ANY_TIME, AT_ONCE, WITH_FIRST, AFTER_LAST, QUEUEINGS };

struct packet {
  uint8_t vl;
  uint16_t len;
};

/* All packets that were admitted, by number, in the order of their announcement. */
struct sender {
  uint32_t admitted, queued, written; /* packets so far */
  uint32_t place;                     /* of the next flit of packet `written` */
  struct packet packet[RING];
  /* Announcements of the last two cycles that are not admitted for sure. */
  struct packet asked[2];
  uint32_t big; /* cycles in which one of more than MTU_UNITS may make space_o wrong */
};

/* Packets of a VL by number. */
struct receiver {
  uint32_t queued, shown, taken, read; /* packets so far */
  uint32_t place;                      /* of the next flit of packet `read` */
  uint32_t hidden;                     /* cycles since the head was to come into view */
  uint32_t number[RING];               /* of the packet among all */
  uint16_t len[RING];
};

struct judge {
  struct receiver vl[VLS];
  uint8_t order[CELLS + 8]; /* VLs of the packets that were taken and not read */
  uint32_t taken, read;
  uint32_t queued;          /* packets in all */
  uint32_t comes;           /* 1 + VL of the head that must come into view in this cycle */
  uint32_t total;           /* units */
  uint32_t ask[2], sure[3]; /* units announced 0 and 1 cycles ago, and whether that was sure */
  uint32_t units_read;      /* read flits to be freed: checked against what was read */
  uint32_t freed, to_free;
  uint32_t big; /* cycles in which space_o says nothing */
  char wrong[160];
};

struct state {
  struct rng rng;
  struct loom_packet_store_cfg cfg;
  uint32_t announce, write, queue, take, narrow, unsure; /* chances in 256 */
  uint32_t vls_used, longest;
  enum queueing queueing;
  uint64_t phase_end;
  struct sender sender;
  struct judge judge;
  struct loom_packet_store beside;
  uint64_t storage[CELLS * (CELL * WORD_BYTES + 8 + 16) / WORD_BYTES];
};

static uint32_t units(uint32_t flits) { return (flits + CELL - 1) / CELL; }

static uint64_t pattern(uint32_t number, uint32_t place) {
  uint64_t x = ((uint64_t)number << 16 ^ place) + 0x9e3779b97f4a7c15u;
  x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
  return x ^ x >> 27;
}

static uint64_t info_of(const struct loom_packet_store_cfg *c, uint32_t number) {
  return pattern(number, LEN_MAX + 1) & loom_mask(c->INFO_W);
}

static void init(void *st, struct rng *rng, const void *cfg, const struct scenario *sc) {
  struct state *s = st;
  (void)sc;
  s->rng = *rng;
  s->cfg = *(const struct loom_packet_store_cfg *)cfg;
  loom_packet_store_init(&s->beside, &s->cfg, s->storage);
}

/* ---- the sender ------------------------------------------------------------------------------ */

static void new_phase(struct state *s, uint64_t cycle) {
  static const uint32_t chance[] = {0, 24, 128, 220, 256, 256};
  uint32_t all = s->cfg.CELLS * CELL, mtu = s->cfg.MTU_UNITS * CELL;
  const uint32_t longest[] = {1, s->cfg.LANES, CELL + 1, 4 * CELL + 3, mtu, all + 9};
  s->announce = chance[1 + rng_below(&s->rng, 5)];
  s->write = chance[rng_below(&s->rng, 6)];
  s->queue = chance[rng_below(&s->rng, 6)];
  s->take = chance[rng_below(&s->rng, 6)];
  s->narrow = chance[rng_below(&s->rng, 5)];
  s->unsure = chance[rng_below(&s->rng, 4)];
  s->vls_used = rng_range(&s->rng, 1, s->cfg.VLS);
  s->longest = loom_min(longest[rng_below(&s->rng, 6)], LEN_MAX);
  s->queueing = rng_below(&s->rng, QUEUEINGS);
  s->phase_end = cycle + rng_range(&s->rng, 16, 2 * loom_min(all, 2048) + 200);
}

static void admit(struct sender *q, struct packet p) { q->packet[q->admitted++ % RING] = p; }

static bool is_sure(const struct loom_packet_store_cfg *c, bool space, uint32_t len) {
  return space && len > 0 && units(len) <= c->MTU_UNITS;
}

/* Packets keep the order of their announcements, so a sure one does not overtake an answer. */
static void announce(struct state *s, const struct loom_packet_store_out *o,
                     struct loom_packet_store_in *i) {
  struct sender *q = &s->sender;
  struct packet p = {.vl = (uint8_t)rng_below(&s->rng, s->vls_used)};
  bool any = rng_chance(&s->rng, s->unsure);
  uint32_t most = any ? s->longest : loom_min(s->longest, s->cfg.MTU_UNITS * CELL);
  p.len = (uint16_t)(any && rng_chance(&s->rng, 4) ? rng_below(&s->rng, LEN_MAX + 1)
                                                   : rng_range(&s->rng, 1, most));
  bool sure = !q->big && is_sure(&s->cfg, o->space, p.len);
  if ((!sure && !any) || (sure && (q->asked[0].len || q->asked[1].len)))
    return;
  i->announce = 1;
  i->announce_len = p.len;
  if (units(p.len) > s->cfg.MTU_UNITS)
    q->big = 4;
  if (sure)
    admit(q, p);
  else
    q->asked[0] = p;
}

static bool queue_now(const struct state *s, bool word) {
  const struct sender *q = &s->sender;
  switch (s->queueing) {
  case AFTER_LAST:
    return q->queued < q->written;
  case WITH_FIRST:
    return q->queued < q->written || (q->queued == q->written && (q->place > 0 || word));
  default:
    return true;
  }
}

static void queue_packet(struct state *s, struct loom_packet_store_in *i) {
  struct sender *q = &s->sender;
  if (q->queued == q->admitted || !queue_now(s, i->wr_valid))
    return;
  struct packet p = q->packet[q->queued % RING];
  i->queue = 1;
  i->queue_vl = p.vl;
  i->queue_len = p.len;
  i->queue_info = info_of(&s->cfg, q->queued++);
}

static void write_word(struct state *s, struct loom_packet_store_in *i) {
  struct sender *q = &s->sender;
  uint32_t lanes = s->cfg.LANES, place = q->place;
  struct packet p = q->packet[q->written % RING];
  uint32_t flits = loom_min(lanes, loom_min(CELL - place % CELL, (uint32_t)p.len - place));
  if (rng_chance(&s->rng, s->narrow))
    flits = rng_range(&s->rng, 1, flits);
  i->wr_valid = 1;
  i->wr_vl = p.vl;
  i->wr_flits = flits;
  i->wr_last = place + flits == p.len;
  for (uint32_t l = 0; l < lanes; l++) /* lanes without a flit are not looked at */
    i->wr_data[l] = rng_next(&s->rng);
  for (uint32_t k = 0; k < flits; k++)
    i->wr_data[(place + k) & (lanes - 1)] = pattern(q->written, place + k);
  q->place = i->wr_last ? 0 : place + flits;
  q->written += (uint32_t)i->wr_last;
}

static void next(void *st, uint64_t cycle, const void *out, void *in) {
  struct state *s = st;
  struct sender *q = &s->sender;
  struct loom_packet_store_out now;
  struct loom_packet_store_in *i = in;
  (void)out;
  loom_packet_store_show(&s->beside, &now);
  if (cycle >= s->phase_end)
    new_phase(s, cycle);
  if (now.announce_ok && q->asked[1].len)
    admit(q, q->asked[1]);
  q->asked[1] = q->asked[0];
  q->asked[0] = (struct packet){0};
  q->big -= q->big > 0;
  bool word = q->written < q->admitted && rng_chance(&s->rng, s->write);
  if (rng_chance(&s->rng, s->announce))
    announce(s, &now, i);
  if (word)
    write_word(s, i);
  if (s->queueing == AT_ONCE || rng_chance(&s->rng, s->queue))
    queue_packet(s, i);
  if (now.soon && now.head_valid && rng_chance(&s->rng, s->take)) {
    i->take = 1;
    i->take_vl = loom_ctz_from(now.head_valid, rng_below(&s->rng, s->cfg.VLS));
  }
  loom_packet_store_step(&s->beside, i, &now);
}

/* ---- what must be seen ----------------------------------------------------------------------- */

static void must_be(struct judge *m, uint64_t cycle, const char *what, uint64_t is, uint64_t must) {
  if (is != must && !m->wrong[0])
    snprintf(m->wrong, sizeof m->wrong,
             "cycle %" PRIu64 ": %s is 0x%" PRIx64 ", must be 0x%" PRIx64, cycle, what, is, must);
}

/* Units: what is admitted, and that space_o kept its word. */
static void judge_units(struct state *s, uint64_t cycle, const struct loom_packet_store_in *i,
                        const struct loom_packet_store_out *o) {
  struct judge *m = &s->judge;
  bool answered = m->ask[1] && m->ask[1] <= s->cfg.CELLS - m->total;
  /* ask[1] was decided in the last cycle, with the total of then. */
  must_be(m, cycle, "announce_ok", o->announce_ok, answered);
  if (m->sure[1])
    must_be(m, cycle, "announce_ok after space", o->announce_ok, 1);
  m->total += answered ? m->ask[1] : 0;
  m->total -= m->to_free;
  must_be(m, cycle, "total", o->total, m->total);
  m->to_free = (uint32_t)o->free_valid;
  bool big = i->announce && units((uint32_t)i->announce_len) > s->cfg.MTU_UNITS;
  m->ask[1] = m->ask[0];
  m->ask[0] = i->announce ? units((uint32_t)i->announce_len) : 0;
  m->sure[1] = m->sure[0];
  m->sure[0] = i->announce && !m->big && is_sure(&s->cfg, o->space, (uint32_t)i->announce_len);
  m->big = big ? 3 : m->big - (m->big > 0);
}

/* Heads come into view once each, in order; a queue with packets shows one in time, and one that is
 * empty shows a packet in the cycle after `queue`. All takes before this cycle are done then. */
static void judge_heads(struct state *s, uint64_t cycle, const struct loom_packet_store_in *i,
                        const struct loom_packet_store_out *o) {
  struct judge *m = &s->judge;
  if (m->comes)
    must_be(m, cycle, "1 + VL of the head that was queued", o->head_event + o->head_vl, m->comes);
  m->comes = 0;
  if (o->head_event) {
    struct receiver *r = &m->vl[o->head_vl];
    uint32_t n = r->shown++ % RING;
    must_be(m, cycle, "packets in view of a VL", r->shown, r->taken + 1);
    must_be(m, cycle, "packets queued before one is in view", r->queued >= r->shown, 1);
    must_be(m, cycle, "head_len", o->head_len, r->len[n]);
    must_be(m, cycle, "head_info", o->head_info, info_of(&s->cfg, r->number[n]));
  } else {
    must_be(m, cycle, "head_vl, head_len, head_info without an event",
            o->head_vl | o->head_len | o->head_info, 0);
  }
  for (uint32_t v = 0; v < s->cfg.VLS; v++) {
    struct receiver *r = &m->vl[v];
    bool there = r->shown > r->taken;
    must_be(m, cycle, "a bit of head_valid", o->head_valid >> v & 1, there);
    r->hidden = there || r->queued == r->taken ? 0 : r->hidden + 1;
    must_be(m, cycle, "a head that does not come into view", r->hidden > 3 + s->cfg.VLS + 4, 0);
  }
  if (i->queue) {
    struct receiver *r = &m->vl[i->queue_vl];
    m->comes = r->queued == r->taken ? 1 + (uint32_t)i->queue_vl : 0;
    r->len[r->queued % RING] = (uint16_t)i->queue_len;
    r->number[r->queued++ % RING] = m->queued++;
  }
  if (i->take) {
    m->vl[i->take_vl].taken++;
    m->order[m->taken++ % sizeof m->order] = (uint8_t)i->take_vl;
  }
}

static void judge_word(struct state *s, uint64_t cycle, const struct loom_packet_store_out *o) {
  struct judge *m = &s->judge;
  uint32_t vl = m->order[m->read % sizeof m->order], lanes = s->cfg.LANES;
  struct receiver *r = &m->vl[vl];
  uint32_t n = r->read % RING, flits = (uint32_t)o->rd_flits;
  uint64_t must[4] = {0};
  if (!o->rd_valid) {
    must_be(m, cycle, "a field of rd without a word",
            o->rd_vl | o->rd_first | o->rd_last | o->rd_flits | o->rd_lane, 0);
  } else {
    must_be(m, cycle, "packets that were taken before a word", m->taken > m->read, 1);
    must_be(m, cycle, "rd_vl", o->rd_vl, vl);
    must_be(m, cycle, "rd_first", o->rd_first, r->place == 0);
    must_be(m, cycle, "rd_lane", o->rd_lane, r->place % lanes);
    bool fits = flits >= 1 && flits <= s->cfg.RD_FLITS && r->place % CELL + flits <= CELL &&
                r->place + flits <= r->len[n];
    must_be(m, cycle, "rd_flits that fit", fits, 1);
    for (uint32_t k = 0; k < flits && k < lanes; k++)
      must[(r->place + k) % lanes] = pattern(r->number[n], r->place + k);
    r->place += flits;
    must_be(m, cycle, "rd_last", o->rd_last, r->place == r->len[n]);
    m->units_read += r->place % CELL == 0 || o->rd_last;
    if (o->rd_last) {
      r->place = 0;
      r->read++;
      m->read++;
    }
  }
  for (uint32_t l = 0; l < 4; l++)
    must_be(m, cycle, "a lane of rd_data", o->rd_data[l], must[l]);
  /* A unit is freed in the cycle before its last word shows. */
  must_be(m, cycle, "units freed", m->freed, m->units_read);
  m->freed += (uint32_t)o->free_valid;
}

static void note(uint64_t cycle, const struct loom_packet_store_in *i, struct stats *stats) {
  const struct packet_note n = {
      .cycle = cycle, .vl = (uint32_t)i->queue_vl, .length = (uint32_t)i->queue_len};
  stats->packets++;
  stats_note(stats, &n);
}

static void observe(void *st, uint64_t cycle, const void *in, const void *out, const void *probe,
                    struct stats *stats) {
  const struct loom_packet_store_in *i = in;
  const struct loom_packet_store_out *o = out;
  struct state *s = st;
  (void)probe;
  if (i->queue)
    note(cycle, i, stats);
  stats->grants += o->rd_valid && o->rd_last; /* packets that left */
  judge_units(s, cycle, i, o);
  judge_word(s, cycle, o);
  judge_heads(s, cycle, i, o);
}

static bool check(const void *st, char *why, size_t why_size) {
  const struct state *s = st;
  if (s->judge.wrong[0])
    snprintf(why, why_size, "%s", s->judge.wrong);
  return !s->judge.wrong[0];
}

/* ---- the search ------------------------------------------------------------------------------ */

/* Packets of 1 or 9 flits, their data 0 (each stale word would be one more state), on the VLs in
 * turn. The bench keeps what the contract needs to know beside the two states. */
enum { DEPTH = 10, KINDS = 3 };

struct contract {
  uint8_t admitted, queued, written, place; /* packets; flits of the one being written */
  uint8_t turn;                             /* VL of the next announcement */
  uint8_t asked[2], asked_vl[2];            /* lengths that wait for their answer */
  uint8_t len[12], vl[12];
};

static uint32_t bfs_depth(const void *cfg) {
  (void)cfg;
  return DEPTH;
}

/* announce nothing, 1 flit, 9 flits; write nothing, one flit, as many as fit; queue; take nothing
 * or one of the VLs */
static uint32_t bfs_inputs(const void *cfg) {
  const struct loom_packet_store_cfg *c = cfg;
  return KINDS * 3 * 2 * (1 + c->VLS);
}

static bool bfs_input(const void *cfg, const void *twin, uint32_t i, void *in) {
  static const uint8_t len[KINDS] = {0, 1, CELL + 1};
  const struct loom_packet_store *t = twin;
  struct loom_packet_store_in *b = in;
  (void)cfg;
  b->announce_len = len[i % KINDS];
  b->announce = i % KINDS > 0;
  b->wr_flits = i / KINDS % 3; /* completed below */
  b->queue = i / (KINDS * 3) % 2;
  uint32_t take = i / (KINDS * 3 * 2);
  b->take = take > 0;
  b->take_vl = take ? take - 1 : 0;
  return !take || (t->soon && (t->head_valid >> (take - 1) & 1));
}

static bool bfs_legal(const void *cfg, const void *note, void *in) {
  const struct loom_packet_store_cfg *c = cfg;
  const struct contract *k = note;
  struct loom_packet_store_in *b = in;
  uint32_t coming = (uint32_t)(k->asked[0] > 0) + (uint32_t)(k->asked[1] > 0);
  if (b->announce && k->admitted + coming >= sizeof k->len)
    return false;
  if (b->queue) {
    if (k->queued == k->admitted)
      return false;
    b->queue_vl = k->vl[k->queued] % c->VLS;
    b->queue_len = k->len[k->queued];
    b->queue_info = b->queue_len & loom_mask(c->INFO_W);
  }
  if (b->wr_flits) {
    if (k->written == k->admitted)
      return false;
    uint32_t left = (uint32_t)k->len[k->written] - k->place;
    uint32_t most = loom_min(c->LANES, loom_min(CELL - k->place % CELL, left));
    if (b->wr_flits == 2 && most == 1)
      return false; /* the same as one flit */
    b->wr_flits = b->wr_flits == 1 ? 1 : most;
    b->wr_valid = 1;
    b->wr_vl = k->vl[k->written] % c->VLS;
    b->wr_last = b->wr_flits == left;
  }
  return true;
}

/* All wait for their answer, which is known one cycle late here. */
static void bfs_after(void *note, const void *in, const void *out) {
  const struct loom_packet_store_in *b = in;
  const struct loom_packet_store_out *o = out;
  struct contract *k = note;
  k->place = (uint8_t)(k->place + b->wr_flits);
  if (b->wr_last) {
    k->written++;
    k->place = 0;
  }
  k->queued = (uint8_t)(k->queued + b->queue);
  if (o->announce_ok) {
    k->vl[k->admitted] = k->asked_vl[1];
    k->len[k->admitted++] = k->asked[1];
  }
  k->asked[1] = k->asked[0];
  k->asked_vl[1] = k->asked_vl[0];
  k->asked[0] = b->announce ? (uint8_t)b->announce_len : 0;
  k->asked_vl[0] = b->announce ? k->turn : 0;
  if (b->announce)
    k->turn ^= 1;
  for (; k->queued && k->written; k->admitted--, k->queued--, k->written--) {
    memmove(k->len, k->len + 1, sizeof k->len - 1);
    memmove(k->vl, k->vl + 1, sizeof k->vl - 1);
  }
  memset(k->len + k->admitted, 0, sizeof k->len - k->admitted);
  memset(k->vl + k->admitted, 0, sizeof k->vl - k->admitted);
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
const struct dut packet_store_dut = DUT_INIT(&stim);

/* SPDX-License-Identifier: Apache-2.0 */
/* segment_buffer.c - traffic for segment_buffer, and a model of the page that looks at each output
 *
 * Segments of 1 to 32 words on all VCs, written as long as the writer's credits allow it, with and
 * without gaps; readers from greedy to asleep that read some segments several times (`keep`), also
 * while they still arrive. `observe` follows the page with counters (no memory) and says for each
 * cycle what must be seen: every word of every segment in order, with its data (E5-08, E5-09).
 */
#include "elite5/segment_buffer.h"

#include "tb/cosim/case.h"
#include "tb/ends/elite5_ports.h"

#include <inttypes.h>
#include <string.h>

#define DUT_NAME segment_buffer
#define DUT_LIST "elite5/segment_buffer.def"
#include "tb/cosim/dut.h"

enum { WORDS = 32, VCS = 32, RING = 64, READERS = 2 };

/* What the model has: one unit for each VC and POOL units for whoever needs more. */
struct credit {
  uint32_t pool_used;
  uint8_t used[VCS];
};

/* ---- the two sides --------------------------------------------------------------------------- */

struct writer {
  struct end_segments credit;
  uint32_t left, vc; /* words of the segment being written that are still to come */
  bool tail;         /* it ends a packet */
  uint32_t place;
  uint32_t number[VCS]; /* segments begun */
};

struct segment {
  uint32_t count, slot, number; /* words written */
  bool ended, tail;
};

struct queue {
  uint32_t first, segments; /* place of the first one in the ring, how many */
  struct segment segment[RING];
  uint32_t begun;
};

struct reader {
  bool at, keep;
  uint32_t vc, place;
};

/* What the page says that the circuit has inside. */
struct model {
  bool phase;
  struct credit credit;
  uint64_t used, freed; /* slots */
  uint8_t vc_of[2 * VCS];
  struct queue queue[VCS];
  struct reader reader[READERS];
  uint32_t open; /* VC of the segment being written */
  bool is_open;
  struct loom_segment_buffer_out shown; /* registered outputs that must show in this cycle */
  char wrong[160];
};

enum step { BRIM_FIRST, BRIM_OTHERS, BRIM_FULL };

struct state {
  struct rng rng;
  struct loom_segment_buffer_cfg cfg;
  uint32_t begin, gap, take, keep, tail; /* chances in 256 */
  uint32_t vcs_used, longest;
  uint64_t phase_end;
  bool brim; /* the directed case `buffers` */
  enum step step;
  struct writer writer;
  struct model model;
  uint32_t accepted[VCS]; /* of the directed case: segments */
  uint64_t refused;       /* VCs that the circuit would take no segment of, at its end */
};

static bool credit_there(const struct credit *c, uint32_t pool, uint32_t vc) {
  return c->used[vc] == 0 || c->pool_used < pool;
}

static void credit_take(struct credit *c, uint32_t vc) { c->pool_used += c->used[vc]++ > 0; }
static void credit_back(struct credit *c, uint32_t vc) { c->pool_used -= --c->used[vc] > 0; }

static uint64_t pattern(uint32_t vc, uint32_t number, uint32_t place) {
  uint64_t x = ((uint64_t)vc << 56 ^ (uint64_t)number << 16 ^ place) + 0x9e3779b97f4a7c15u;
  x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
  return x ^ x >> 27;
}

static void init(void *st, struct rng *rng, const void *cfg, const struct scenario *sc) {
  struct state *s = st;
  s->rng = *rng;
  s->cfg = *(const struct loom_segment_buffer_cfg *)cfg;
  s->brim = sc && sc->directed && strcmp(sc->directed, "buffers") == 0;
}

static void new_phase(struct state *s, uint64_t cycle) {
  static const uint32_t chance[] = {0, 24, 128, 220, 256, 256};
  static const uint32_t longest[] = {1, 4, WORDS - 1, WORDS, WORDS, WORDS};
  s->begin = chance[rng_below(&s->rng, 6)];
  s->gap = chance[rng_below(&s->rng, 3)];
  s->take = chance[rng_below(&s->rng, 6)];
  s->keep = chance[rng_below(&s->rng, 3)];
  s->tail = chance[rng_below(&s->rng, 6)];
  s->vcs_used = rng_range(&s->rng, 1, s->cfg.VCS);
  s->longest = longest[rng_below(&s->rng, 6)];
  s->phase_end = cycle + rng_range(&s->rng, 16, 1500);
}

/* ---- the writer ------------------------------------------------------------------------------ */

/* A VC with credit from `start` on, or VCS. */
static uint32_t some_vc(const struct state *s, uint32_t start, uint32_t vcs) {
  for (uint32_t k = 0; k < vcs; k++)
    if (end_segments_there(&s->writer.credit, s->cfg.POOL, 1u << (start + k) % vcs))
      return (start + k) % vcs;
  return VCS;
}

static void begin_segment(struct state *s, uint32_t vc, uint32_t words, bool tail) {
  struct writer *w = &s->writer;
  end_segments_take(&w->credit, vc);
  w->vc = vc;
  w->left = words;
  w->place = 0;
  w->tail = tail || words < WORDS;
}

static void write_word(struct state *s, struct loom_segment_buffer_in *i) {
  struct writer *w = &s->writer;
  i->wr_valid = 1;
  i->wr_head = w->place == 0;
  i->wr_vc = i->wr_head ? w->vc : rng_below(&s->rng, VCS); /* only the head's is looked at */
  i->wr_tail = w->left == 1 && w->tail;
  i->wr_data = pattern(w->vc, w->number[w->vc], w->place);
  w->place++;
  if (--w->left == 0)
    w->number[w->vc]++;
}

static void write_some(struct state *s, struct loom_segment_buffer_in *i) {
  struct writer *w = &s->writer;
  if (!w->left && rng_chance(&s->rng, s->begin)) {
    uint32_t vc = some_vc(s, rng_below(&s->rng, s->vcs_used), s->vcs_used);
    if (vc < VCS)
      begin_segment(s, vc, s->longest == WORDS ? WORDS : rng_range(&s->rng, 1, s->longest),
                    rng_chance(&s->rng, s->tail));
  }
  if (w->left && (w->place == 0 || !rng_chance(&s->rng, s->gap)))
    write_word(s, i);
}

/* E5-08: all that VC 0 may have, then all that the others may. */
static void write_brim(struct state *s, struct loom_segment_buffer_in *i) {
  struct writer *w = &s->writer;
  if (!w->left) {
    uint32_t vc = s->step == BRIM_FIRST ? some_vc(s, 0, 1) : some_vc(s, 1, s->cfg.VCS);
    if (vc == VCS || (s->step == BRIM_OTHERS && vc == 0)) {
      s->step = s->step == BRIM_FIRST ? BRIM_OTHERS : BRIM_FULL;
      return;
    }
    begin_segment(s, vc, rng_range(&s->rng, 1, WORDS), true);
  }
  write_word(s, i);
}

/* ---- the reader ------------------------------------------------------------------------------ */

static void take_some(struct state *s, const struct loom_segment_buffer_out *o,
                      struct loom_segment_buffer_in *i) {
  if (!o->rd_free || !o->seg_valid || !rng_chance(&s->rng, s->take))
    return;
  i->take = 1;
  i->take_vc = loom_ctz_from(o->seg_valid, rng_below(&s->rng, s->cfg.VCS));
  i->take_keep = rng_chance(&s->rng, s->keep);
}

static void next(void *st, uint64_t cycle, const void *out, void *in) {
  struct state *s = st;
  const struct loom_segment_buffer_out *o = out;
  struct loom_segment_buffer_in *i = in;
  if (o->free_valid)
    end_segments_back(&s->writer.credit, (uint32_t)o->free_vc);
  if (s->brim) {
    if (s->step != BRIM_FULL)
      write_brim(s, i);
    return;
  }
  if (cycle >= s->phase_end)
    new_phase(s, cycle);
  write_some(s, i);
  take_some(s, o, i);
}

/* ---- what must be seen ----------------------------------------------------------------------- */

static void must_be(struct model *m, uint64_t cycle, const char *what, uint64_t is, uint64_t must) {
  if (is != must && !m->wrong[0])
    snprintf(m->wrong, sizeof m->wrong,
             "cycle %" PRIu64 ": %s is 0x%" PRIx64 ", must be 0x%" PRIx64, cycle, what, is, must);
}

static struct segment *first_of(struct queue *q) { return &q->segment[q->first % RING]; }

/* Reader r reads a word in this cycle; *done: the last one of its segment. */
static bool reads(struct model *m, uint32_t r, bool *done) {
  const struct reader *d = &m->reader[r];
  *done = false;
  if (!d->at || (d->place & 1) != (m->phase ^ r))
    return false;
  const struct segment *g = first_of(&m->queue[d->vc]);
  if (d->place >= g->count)
    return false;
  *done = d->place == WORDS - 1 || (g->ended && d->place + 1 == g->count);
  return true;
}

static uint64_t segments_in_view(struct state *s, const bool *done) {
  struct model *m = &s->model;
  uint64_t view = 0;
  for (uint32_t v = 0; v < s->cfg.VCS; v++) {
    bool there = m->queue[v].segments >= 1;
    for (uint32_t r = 0; r < READERS; r++)
      if (m->reader[r].at && m->reader[r].vc == v)
        there = done[r] && (m->reader[r].keep || m->queue[v].segments >= 2);
    view |= (uint64_t)there << v;
  }
  return view;
}

static void check_registers(struct state *s, uint64_t cycle,
                            const struct loom_segment_buffer_out *o) {
  struct model *m = &s->model;
  uint64_t room = 0;
  for (uint32_t v = 0; v < s->cfg.VCS; v++)
    room |= (uint64_t)credit_there(&m->credit, s->cfg.POOL, v) << v;
  must_be(m, cycle, "wr_ok", o->wr_ok, room);
  must_be(m, cycle, "phase", o->phase, m->phase);
  must_be(m, cycle, "empty", o->empty, m->used == 0);
  must_be(m, cycle, "rd_valid", o->rd_valid, m->shown.rd_valid);
  must_be(m, cycle, "rd_head", o->rd_head, m->shown.rd_head);
  must_be(m, cycle, "rd_tail", o->rd_tail, m->shown.rd_tail);
  must_be(m, cycle, "free_valid", o->free_valid, m->shown.free_valid);
  must_be(m, cycle, "free_vc", o->free_vc, m->shown.free_vc);
  for (uint32_t r = 0; r < READERS; r++)
    must_be(m, cycle, "a lane of rd_data", o->rd_data[r], m->shown.rd_data[r]);
}

/* The lowest freed slot is not in use from the next cycle on. */
static void release(struct model *m) {
  if (!m->freed)
    return;
  uint32_t slot = loom_ctz(m->freed);
  m->freed &= m->freed - 1;
  m->used &= ~(1ull << slot);
  credit_back(&m->credit, m->vc_of[slot]);
  m->shown.free_valid = 1;
  m->shown.free_vc = m->vc_of[slot];
}

static void read_word(struct model *m, uint32_t r, bool done) {
  struct reader *d = &m->reader[r];
  struct queue *q = &m->queue[d->vc];
  const struct segment *g = first_of(q);
  m->shown.rd_valid |= 1u << r;
  m->shown.rd_head |= (uint64_t)(d->place == 0) << r;
  m->shown.rd_tail |= (uint64_t)(done && g->tail) << r;
  m->shown.rd_data[r] = pattern(d->vc, g->number, d->place);
  d->place++;
  if (!done)
    return;
  d->at = false;
  if (d->keep)
    return;
  m->freed |= 1ull << g->slot;
  q->first++;
  q->segments--;
}

static void look_at_readers(struct state *s, uint64_t cycle, const struct loom_segment_buffer_in *i,
                            const struct loom_segment_buffer_out *o) {
  struct model *m = &s->model;
  bool now[READERS], done[READERS];
  uint64_t all_now = 0, all_done = 0, all_last = 0;
  if (i->take)
    m->reader[m->phase] =
        (struct reader){.at = true, .keep = i->take_keep, .vc = (uint32_t)i->take_vc, .place = 0};
  for (uint32_t r = 0; r < READERS; r++) {
    const struct reader *d = &m->reader[r];
    now[r] = reads(m, r, &done[r]);
    all_now |= (uint64_t)now[r] << r;
    all_done |= (uint64_t)done[r] << r;
    all_last |= (uint64_t)(done[r] && first_of(&m->queue[d->vc])->tail) << r;
    must_be(m, cycle, "a lane of rd_vc", o->rd_vc[r], d->at ? d->vc : 0);
  }
  must_be(m, cycle, "rd_now", o->rd_now, all_now);
  must_be(m, cycle, "rd_done", o->rd_done, all_done);
  must_be(m, cycle, "rd_last", o->rd_last, all_last);
  must_be(m, cycle, "rd_free", o->rd_free, !m->reader[!m->phase].at || done[!m->phase]);
  must_be(m, cycle, "seg_valid", o->seg_valid, segments_in_view(s, done));
  memset(&m->shown, 0, sizeof m->shown);
  release(m);
  for (uint32_t r = 0; r < READERS; r++)
    if (now[r])
      read_word(m, r, done[r]);
}

/* `used`: slots in use at the beginning of the cycle. */
static void arrive(struct state *s, const struct loom_segment_buffer_in *i, uint64_t used) {
  struct model *m = &s->model;
  if (!i->wr_valid)
    return;
  if (i->wr_head) {
    m->open = (uint32_t)i->wr_vc;
    struct queue *q = &m->queue[m->open];
    uint32_t slot = loom_ctz(~used);
    q->segment[(q->first + q->segments++) % RING] =
        (struct segment){.slot = slot, .number = q->begun++};
    m->used |= 1ull << slot;
    m->vc_of[slot] = (uint8_t)m->open;
    credit_take(&m->credit, m->open);
    s->accepted[m->open]++;
  }
  struct queue *q = &m->queue[m->open];
  struct segment *g = &q->segment[(q->first + q->segments - 1) % RING];
  g->count++;
  g->tail = i->wr_tail;
  g->ended = i->wr_tail || g->count == WORDS;
}

static void note(uint64_t cycle, const struct loom_segment_buffer_in *i, struct stats *stats) {
  const struct packet_note n = {.cycle = cycle, .vl = (uint32_t)i->wr_vc};
  stats->packets++;
  stats_note(stats, &n);
}

static void observe(void *st, uint64_t cycle, const void *in, const void *out, const void *probe,
                    struct stats *stats) {
  const struct loom_segment_buffer_in *i = in;
  const struct loom_segment_buffer_out *o = out;
  struct state *s = st;
  (void)probe;
  if (i->wr_valid && i->wr_head)
    note(cycle, i, stats);
  stats->grants += loom_popcount(o->rd_valid); /* words read */
  uint64_t used = s->model.used;
  check_registers(s, cycle, o);
  look_at_readers(s, cycle, i, o);
  arrive(s, i, used);
  s->refused = ~o->wr_ok & loom_mask(s->cfg.VCS);
  s->model.phase = !s->model.phase;
}

static bool check(const void *st, char *why, size_t why_size) {
  const struct state *s = st;
  if (s->model.wrong[0])
    snprintf(why, why_size, "%s", s->model.wrong);
  return !s->model.wrong[0];
}

/* E5-08: one VC with nothing read holds 1 + POOL segments, then every other VC still gets one. */
static bool verdict(const void *st, const struct stats *stats, char *why, size_t why_size) {
  const struct state *s = st;
  (void)stats;
  if (!s->brim)
    return true;
  bool good = s->accepted[0] == 1 + s->cfg.POOL && s->refused == loom_mask(s->cfg.VCS);
  for (uint32_t v = 1; v < s->cfg.VCS; v++)
    good = good && s->accepted[v] == 1;
  snprintf(why, why_size, "VC 0 holds %" PRIu32 " segments, then each other VC %" PRIu32 "%s",
           s->accepted[0], s->accepted[1], good ? "" : ": not as E5-08 says");
  return good;
}

static const struct stim stim = {.size = sizeof(struct state),
                                 .episode = 50000,
                                 .init = init,
                                 .next = next,
                                 .observe = observe,
                                 .check = check,
                                 .verdict = verdict};
const struct dut segment_buffer_dut = DUT_INIT(&stim);

/* SPDX-License-Identifier: Apache-2.0 */
/* segment_store.c - traffic for segment_store, and a model of the page that looks at each output
 *
 * Segments of 1 to 32 words on all VCs, written as long as the writer's credits allow it, with and
 * without gaps; readers from greedy to asleep that read some segments several times (`keep`), also
 * while they still arrive. What the user may do depends on outputs of the same cycle, which are
 * registers: a twin beside tells them. `observe` follows the page with counters and says what must
 * be seen: every word of every segment in its cycle and lane (E5-08, E5-09). Only of the order in
 * which segments come into view it knows no more than that each does, once and in time.
 */
#include "elite5/segment_store.h"

#include "tb/cosim/case.h"
#include "tb/ends/elite5_ports.h"

#include <inttypes.h>
#include <string.h>

#define DUT_NAME segment_store
#define DUT_LIST "elite5/segment_store.def"
#include "tb/cosim/dut.h"

enum { WORDS = 32, VCS = 32, RING = 64, READERS = 2 };

/* ---- the two sides --------------------------------------------------------------------------- */

struct writer {
  struct end_segments credit;
  uint32_t left, vc; /* words of the segment being written that are still to come */
  bool tail;         /* it ends a packet */
  uint32_t place;
  uint32_t number[VCS]; /* segments begun */
};

struct segment {
  uint32_t number, count; /* of its VC; words written */
  bool ended, tail;
  uint64_t end; /* cycle of the last word */
};

struct queue {
  uint32_t first, segments; /* place of the first one in the ring, how many */
  struct segment segment[RING];
  uint32_t begun;
  uint32_t used;   /* slots */
  bool view, at;   /* the first one is in view; a reader is at it */
  uint32_t hidden; /* cycles since it was to come into view */
};

struct reader {
  bool busy, done, keep; /* done: in the last cycle */
  uint32_t vc, place;
  uint64_t taken; /* cycle */
};

struct lanes {
  uint64_t valid, head, last, tail, data[READERS];
};

/* What the page says that the circuit has inside. */
struct model {
  uint64_t now; /* cycle since the reset */
  struct queue queue[VCS];
  struct reader reader[READERS];
  struct lanes read[2]; /* in even and odd cycles: shown two cycles later */
  uint32_t pool, open;  /* VC of the segment being written */
  bool is_open;
  bool rd_free, empty; /* outputs that must show in this cycle */
  uint64_t done, done_vc, done_tail, free_valid, free_vc;
  char wrong[160];
};

enum step { BRIM_FIRST, BRIM_OTHERS, BRIM_FULL };

struct state {
  struct rng rng;
  struct loom_segment_store_cfg cfg;
  uint32_t begin, gap, take, keep, tail; /* chances in 256 */
  uint32_t vcs_used, longest;
  uint64_t phase_end;
  bool brim; /* the directed case `buffers` */
  enum step step;
  bool was_free; /* rd_free_o of the last cycle */
  struct writer writer;
  struct model model;
  struct loom_segment_store beside;
  uint32_t accepted[VCS]; /* of the directed case: segments */
  uint64_t refused;       /* VCs that the circuit has no room for, at its end */
};

static uint64_t pattern(uint32_t vc, uint32_t number, uint32_t place) {
  uint64_t x = ((uint64_t)vc << 56 ^ (uint64_t)number << 16 ^ place) + 0x9e3779b97f4a7c15u;
  x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
  return x ^ x >> 27;
}

static void init(void *st, struct rng *rng, const void *cfg, const struct scenario *sc) {
  struct state *s = st;
  s->rng = *rng;
  s->cfg = *(const struct loom_segment_store_cfg *)cfg;
  s->brim = sc && sc->directed && strcmp(sc->directed, "buffers") == 0;
  s->model.rd_free = s->model.empty = true;
  s->model.reader[0].taken = s->model.reader[1].taken = UINT64_MAX; /* never */
  loom_segment_store_init(&s->beside, &s->cfg);
}

static void new_phase(struct state *s, uint64_t cycle) {
  static const uint32_t chance[] = {0, 24, 128, 220, 256, 256};
  static const uint32_t longest[] = {1, 2, 4, WORDS - 1, WORDS, WORDS};
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

static void write_word(struct state *s, struct loom_segment_store_in *i) {
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

static void write_some(struct state *s, struct loom_segment_store_in *i) {
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
static void write_brim(struct state *s, struct loom_segment_store_in *i) {
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

static void take_some(struct state *s, const struct loom_segment_store_out *now,
                      struct loom_segment_store_in *i) {
  if (!s->was_free || !now->head_valid || !rng_chance(&s->rng, s->take))
    return;
  i->take = 1;
  i->take_vc = loom_ctz_from(now->head_valid, rng_below(&s->rng, s->cfg.VCS));
  i->take_keep = rng_chance(&s->rng, s->keep);
}

/* What the outputs show in this cycle: a copy of the twin beside is asked. */
static void look(const struct state *s, struct loom_segment_store_out *now) {
  const struct loom_segment_store_in nothing = {0};
  struct loom_segment_store copy = s->beside;
  loom_segment_store_step(&copy, &nothing, now);
}

static void next(void *st, uint64_t cycle, const void *out, void *in) {
  struct state *s = st;
  struct loom_segment_store_out now;
  struct loom_segment_store_in *i = in;
  (void)out;
  look(s, &now);
  if (now.free_valid)
    end_segments_back(&s->writer.credit, (uint32_t)now.free_vc);
  if (s->brim) {
    if (s->step != BRIM_FULL)
      write_brim(s, i);
  } else {
    if (cycle >= s->phase_end)
      new_phase(s, cycle);
    write_some(s, i);
    take_some(s, &now, i);
  }
  s->was_free = now.rd_free;
  loom_segment_store_step(&s->beside, i, &now);
}

/* ---- what must be seen ----------------------------------------------------------------------- */

static void must_be(struct model *m, uint64_t cycle, const char *what, uint64_t is, uint64_t must) {
  if (is != must && !m->wrong[0])
    snprintf(m->wrong, sizeof m->wrong,
             "cycle %" PRIu64 ": %s is 0x%" PRIx64 ", must be 0x%" PRIx64, cycle, what, is, must);
}

static struct segment *first_of(struct queue *q) { return &q->segment[q->first % RING]; }

static void check_registers(struct state *s, uint64_t cycle,
                            const struct loom_segment_store_out *o) {
  struct model *m = &s->model;
  const struct lanes *read = &m->read[m->now & 1];
  uint64_t own = 0;
  for (uint32_t v = 0; v < s->cfg.VCS; v++)
    own |= (uint64_t)(m->queue[v].used == 0) << v;
  must_be(m, cycle, "own", o->own, own);
  must_be(m, cycle, "spare", o->spare, m->pool < s->cfg.POOL);
  must_be(m, cycle, "phase", o->phase, m->now & 1);
  must_be(m, cycle, "rd_free", o->rd_free, m->rd_free);
  must_be(m, cycle, "empty", o->empty, m->empty);
  must_be(m, cycle, "rd_valid", o->rd_valid, read->valid);
  must_be(m, cycle, "rd_head", o->rd_head, read->head);
  must_be(m, cycle, "rd_last", o->rd_last, read->last);
  must_be(m, cycle, "rd_tail", o->rd_tail, read->tail);
  for (uint32_t l = 0; l < READERS; l++)
    must_be(m, cycle, "a lane of rd_data", o->rd_data[l], read->data[l]);
  must_be(m, cycle, "done", o->done, m->done);
  must_be(m, cycle, "done_vc", o->done_vc, m->done_vc);
  must_be(m, cycle, "done_tail", o->done_tail, m->done_tail);
  must_be(m, cycle, "free_valid", o->free_valid, m->free_valid);
  must_be(m, cycle, "free_vc", o->free_vc, m->free_vc);
}

/* Segments come into view once each; one that is first of its queue and not read does in time. */
static void check_view(struct state *s, uint64_t cycle, const struct loom_segment_store_out *o) {
  struct model *m = &s->model;
  if (o->head_event) {
    struct queue *q = &m->queue[o->head_vc];
    must_be(m, cycle, "the queue of a segment that comes into view is empty", !q->segments, 0);
    must_be(m, cycle, "a segment that comes into view was there", q->view || q->at, 0);
    q->view = true;
  } else {
    must_be(m, cycle, "head_vc", o->head_vc, 0);
  }
  for (uint32_t v = 0; v < s->cfg.VCS; v++) {
    struct queue *q = &m->queue[v];
    must_be(m, cycle, "a bit of head_valid", o->head_valid >> v & 1, q->view);
    q->hidden = q->segments && !q->view && !q->at ? q->hidden + 1 : 0;
    must_be(m, cycle, "cycles until a segment is in view", q->hidden > 2 + 2 * s->cfg.VCS, 0);
  }
}

/* Reader r, with the words of one memory: what it reads in this cycle, and whether it is done. */
static void read_word(struct model *m, uint32_t r, struct lanes *read) {
  struct reader *d = &m->reader[r];
  uint32_t odd = (uint32_t)(m->now & 1) ^ r;
  const struct segment *g = first_of(&m->queue[d->vc]);
  bool was_done = d->done;
  bool known = g->ended && m->now >= d->taken + 2 && m->now > g->end;
  d->done = d->busy && !odd && known && d->place / 2 >= (g->count - 1) / 2;
  if ((d->busy || m->now == d->taken) && (d->place & 1) == odd && d->place < g->count) {
    bool last = g->ended && d->place + 1 == g->count;
    read->valid |= 1u << odd;
    read->head |= (uint64_t)(d->place == 0) << odd;
    read->last |= (uint64_t)last << odd;
    read->tail |= (uint64_t)(last && g->tail) << odd;
    read->data[odd] = pattern(d->vc, g->number, d->place++);
  }
  d->busy = !was_done && (d->busy || m->now == d->taken);
}

/* The reader was done in the last cycle: its segment leaves. */
static void leave(struct model *m, const struct reader *d) {
  struct queue *q = &m->queue[d->vc];
  q->at = false;
  if (d->keep)
    return;
  m->free_valid = 1;
  m->free_vc = d->vc;
  q->first++;
  q->segments--;
  m->pool -= --q->used > 0;
}

static void read_some(struct model *m, const struct loom_segment_store_in *i) {
  struct reader *even = &m->reader[m->now & 1];
  struct reader *odd = &m->reader[!(m->now & 1)];
  if (i->take) {
    *even = (struct reader){.keep = i->take_keep, .vc = (uint32_t)i->take_vc, .taken = m->now};
    m->queue[even->vc].at = true;
    m->queue[even->vc].view = false;
  }
  bool idle = !even->busy && !i->take, left = odd->done;
  struct lanes *read = &m->read[m->now & 1];
  memset(read, 0, sizeof *read);
  read_word(m, 0, read);
  read_word(m, 1, read);
  m->rd_free = even->done || idle;
  m->done = even->done;
  m->done_vc = even->done ? even->vc : 0;
  m->done_tail = even->done && first_of(&m->queue[even->vc])->tail;
  m->free_valid = m->free_vc = 0;
  if (left)
    leave(m, odd);
}

static void arrive(struct state *s, const struct loom_segment_store_in *i) {
  struct model *m = &s->model;
  if (!i->wr_valid)
    return;
  if (i->wr_head) {
    m->open = (uint32_t)i->wr_vc;
    struct queue *q = &m->queue[m->open];
    q->segment[(q->first + q->segments++) % RING] = (struct segment){.number = q->begun++};
    m->pool += q->used++ > 0;
    s->accepted[m->open]++;
  }
  struct queue *q = &m->queue[m->open];
  struct segment *g = &q->segment[(q->first + q->segments - 1) % RING];
  g->count++;
  g->tail = i->wr_tail;
  g->ended = i->wr_tail || g->count == WORDS;
  g->end = m->now;
}

static void note(uint64_t cycle, const struct loom_segment_store_in *i, struct stats *stats) {
  const struct packet_note n = {.cycle = cycle, .vl = (uint32_t)i->wr_vc};
  stats->packets++;
  stats_note(stats, &n);
}

static void observe(void *st, uint64_t cycle, const void *in, const void *out, const void *probe,
                    struct stats *stats) {
  const struct loom_segment_store_in *i = in;
  const struct loom_segment_store_out *o = out;
  const struct loom_segment_store_probe *p = probe;
  struct state *s = st;
  struct model *m = &s->model;
  if (i->wr_valid && i->wr_head)
    note(cycle, i, stats);
  stats->grants += loom_popcount(o->rd_valid); /* words read */
  must_be(m, cycle, "the probe pool", p->pool, m->pool);
  check_registers(s, cycle, o);
  check_view(s, cycle, o);
  bool empty = true;
  for (uint32_t v = 0; v < s->cfg.VCS; v++)
    empty = empty && m->queue[v].used == 0;
  m->empty = empty && !(i->wr_valid && i->wr_head);
  read_some(m, i);
  arrive(s, i);
  m->now++;
  s->refused = o->spare ? 0 : ~o->own & loom_mask(s->cfg.VCS);
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
const struct dut segment_store_dut = DUT_INIT(&stim);

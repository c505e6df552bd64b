/* SPDX-License-Identifier: Apache-2.0 */
/* crossing.c - traffic for crossing, and a judge of what it does with it
 *
 * An allocation that books by the ready and room bits of two cycles before; inputs that are sure of
 * a packet or not, say soon or late that one may start or ends, and send words early or as late as
 * they may, those of other outputs meanwhile; a store that knows its space or does not, and gives
 * units back at once, slowly or of some lanes only. Now and then all is drained, and needs and
 * limits are written anew.
 *
 * `observe` knows the ports alone. It judges that starts follow bookings, no earlier and no later
 * than the page says; that each word leaves once, in the next cycle, with the lane of its packet;
 * that records join their queue in time; that a booking has room by OP-06, and all bits of the room
 * when nothing happens.
 */
#include "switch/crossing.h"

#include <inttypes.h>
#include <loom/bits.h>
#include <string.h>

#define LOOM_NAMES "switch/input_unit.fields"
#include <loom/names.h>

#define DUT_NAME crossing
#define DUT_LIST "switch/crossing.def"
#include "tb/cosim/dut.h"
#include "tb/ends/credits.h"

enum {
  PORTS = 48,
  VLS = LOOM_VLS,
  LANES = 4,
  CELL = LOOM_UNIT_FLITS,
  LEN_MAX = 4095,    /* flits */
  TARGETS = 64,      /* that a word can name */
  APART = 3,         /* cycles from booking to booking */
  FIRST_WORD = 4,    /* cycles from a start to its first word, at least */
  STARTED = 8,       /* packets that started, whose words did not all come */
  RECORDS = 256,     /* on their way to the queue */
  WRITE_GAP = 5,     /* cycles before and after writes without a booking */
  SETTLED = 6 + VLS, /* cycles after which the bits of the room are exact, more after reset */
};

/* Between two phases of traffic all is drained, and then written at rest. */
enum stage { TRAFFIC, DRAIN, QUIET, WRITES, SETTLE };
enum giving { PROMPT, BY_CHANCE, SOME_LANES, GIVINGS };

struct packet {
  uint32_t source, vl, info, len;
};

/* A packet that started, as its input knows it. */
struct sending {
  struct packet p;
  uint64_t start, deadline; /* cycles of its start, and of its last word at the latest */
  uint32_t place;           /* of its next flit */
  bool ends;                /* its input has said so */
};

struct limits {
  uint32_t total, reserved[VLS], cap[VLS], need[VLS];
};

struct word {
  uint64_t valid, vl, last, flits, data[LANES];
};

struct judge {
  bool booked, open, is_short;
  struct packet booking;
  uint32_t open_source;
  uint64_t free_from;             /* the first cycle in which a packet may start, if none is open */
  struct packet started[STARTED]; /* by number */
  uint32_t starts, over;          /* packets that started, whose words have come */
  uint32_t place;                 /* flits of packet `over` that have come */
  struct packet record[RECORDS];  /* by number, with the cycles in which they show */
  uint64_t record_at[RECORDS];    /* */
  bool owes;                      /* with AHEAD: the record of `owed` is to go from this cycle on */
  struct packet owed;
  uint64_t owed_from;
  uint32_t records, queued; /* so many of them so far */
  struct word word;         /* of the cycle before */
  struct limits limits;
  uint32_t used[VLS], used_all;
  uint64_t event;  /* cycles since something changed the room */
  bool ignored[2]; /* an event of 0 or 1 cycles before was ignored */
  char wrong[160];
};

struct state {
  struct rng rng;
  struct loom_crossing_cfg cfg;
  uint32_t lanes; /* of what goes through */
  enum stage stage;
  enum giving giving;
  uint32_t number;                                                               /* of the output */
  uint32_t book, ok, sure, space, send, narrow, end, give, foreign, noise, wild; /* in 256 */
  uint32_t lane_mask, give_to;
  uint32_t only, longest;       /* PORTS, or the only source; flits, 0: any */
  uint64_t phase_end, at_least; /* cycles; `at_least`: of the stage */
  uint64_t last_book;           /* cycle after it, 0: none */
  bool ready[2];                /* of one cycle ago, of two; and so below */
  uint64_t room[2];
  struct packet booking;           /* the last one */
  bool booked;                     /* it did not start */
  uint64_t oks, sures;             /* start_ok and sure of the last cycle */
  struct sending sending[STARTED]; /* by number */
  uint32_t starts, over;
  uint32_t used[VLS]; /* units of the store */
  struct end_receiver store;
  struct limits limits;
  uint32_t limit_at, need_at; /* of the next one to write */
  struct judge judge;
};

static void reset_limits(const struct loom_crossing_cfg *c, struct limits *l) {
  l->total = c->CELLS;
  for (uint32_t v = 0; v < c->VLS; v++) {
    l->reserved[v] = c->RESERVED;
    l->cap[v] = c->CELLS;
    l->need[v] = c->MTU_UNITS;
  }
}

/* Most flits of a word of this input. */
static uint32_t speed_of(const struct loom_crossing_cfg *c, uint32_t source) {
  return c->FAST_FROM && source >= c->FAST_FROM ? c->FAST_SPEEDUP : c->SPEEDUP;
}

/* Lanes of words of so many flits. */
static uint32_t lanes_of(uint32_t flits) { return flits == 3 ? 4 : flits; }

/* ---- phases ---------------------------------------------------------------------------------- */

static void new_phase(struct state *s, uint64_t cycle) {
  static const uint32_t chance[] = {0, 16, 64, 128, 220, 256, 256};
  const uint32_t longest[] = {1, 2 * s->cfg.SPEEDUP, CELL, s->cfg.SHORT + 1, 40, 0, 0};
  s->stage = TRAFFIC;
  s->book = chance[1 + rng_below(&s->rng, 6)];
  s->ok = chance[1 + rng_below(&s->rng, 6)];
  s->sure = chance[rng_below(&s->rng, 7)];
  s->space = chance[rng_below(&s->rng, 7)];
  s->send = chance[rng_below(&s->rng, 7)];
  s->narrow = chance[rng_below(&s->rng, 4)];
  s->end = chance[1 + rng_below(&s->rng, 6)];
  s->give = chance[1 + rng_below(&s->rng, 6)];
  s->foreign = chance[rng_below(&s->rng, 7)];
  s->noise = rng_chance(&s->rng, 128) ? 0 : chance[rng_below(&s->rng, 5)];
  s->wild = rng_chance(&s->rng, 200) ? 0 : 8;
  s->give_to = (uint32_t)rng_next(&s->rng);
  s->giving = rng_below(&s->rng, GIVINGS);
  s->lane_mask = rng_chance(&s->rng, 128) ? ~0u : (uint32_t)rng_bits(&s->rng, 32, 96);
  s->only = rng_chance(&s->rng, 40) ? rng_below(&s->rng, s->cfg.PORTS) : PORTS;
  s->longest = longest[rng_below(&s->rng, 7)];
  s->phase_end = cycle + rng_range(&s->rng, 30, 1500);
}

/* With what is left everything ends by itself. */
static void drain(struct state *s) {
  s->stage = DRAIN;
  s->ok = s->send = s->end = 256;
  s->giving = PROMPT;
}

static bool is_empty(const struct state *s, const struct loom_crossing_out *o) {
  return o->idle && !s->booked && s->starts == s->over && !s->store.mask;
}

/* Limits with which every lane can take a packet once nothing is in use. */
static void new_limits(struct state *s) {
  struct limits *l = &s->limits;
  uint32_t vls = s->cfg.VLS, cells = s->cfg.CELLS;
  uint32_t most = rng_range(&s->rng, 1, s->cfg.MTU_UNITS);
  l->total = rng_chance(&s->rng, 64) ? most : rng_range(&s->rng, most, cells);
  uint32_t rest = rng_below(&s->rng, l->total - most + 1);
  for (uint32_t v = 0; v < vls; v++) {
    l->reserved[v] = loom_min(rest, rng_below(&s->rng, 2 * rest / (vls - v) + 1));
    rest -= l->reserved[v];
    l->cap[v] = rng_chance(&s->rng, 64) ? most : rng_range(&s->rng, most, cells);
    l->need[v] = rng_chance(&s->rng, 128) ? most : rng_range(&s->rng, 1, most);
  }
}

static void next_stage(struct state *s, uint64_t cycle, const struct loom_crossing_out *o) {
  switch (s->stage) {
  case TRAFFIC:
    if (cycle < s->phase_end)
      return;
    if (rng_chance(&s->rng, 64))
      drain(s);
    else
      new_phase(s, cycle);
    return;
  case DRAIN:
    if (!is_empty(s, o))
      return;
    s->stage = QUIET;
    s->at_least = cycle + WRITE_GAP;
    return;
  case QUIET:
    if (cycle < s->at_least)
      return;
    if (rng_chance(&s->rng, 192))
      new_limits(s);
    s->limit_at = s->need_at = 0;
    s->stage = WRITES;
    return;
  case WRITES:
    if (s->limit_at <= 2 * s->cfg.VLS || s->need_at < s->cfg.VLS)
      return;
    s->stage = SETTLE;
    s->at_least = cycle + (rng_chance(&s->rng, 128) ? WRITE_GAP : 2 * SETTLED);
    return;
  default:
    if (cycle >= s->at_least)
      new_phase(s, cycle);
  }
}

static void init(void *st, struct rng *rng, const void *cfg, const struct scenario *sc) {
  struct state *s = st;
  (void)sc;
  s->rng = *rng;
  s->cfg = *(const struct loom_crossing_cfg *)cfg;
  reset_limits(&s->cfg, &s->limits);
  reset_limits(&s->cfg, &s->judge.limits);
  s->lanes = lanes_of(loom_max(s->cfg.SPEEDUP, s->cfg.FAST_SPEEDUP));
  s->number = rng_below(&s->rng, s->cfg.PORTS);
  new_phase(s, 0);
}

/* ---- writes while nothing is in use ---------------------------------------------------------- */

static void write_limits(struct state *s, struct loom_crossing_in *i) {
  const struct limits *l = &s->limits;
  uint32_t vls = s->cfg.VLS, n = s->limit_at;
  bool limit = s->stage == WRITES && n <= 2 * vls && rng_chance(&s->rng, 200);
  bool need = s->stage == WRITES && s->need_at < vls && rng_chance(&s->rng, 200);
  if (rng_chance(&s->rng, s->noise)) {
    i->cfg_addr = rng_below(&s->rng, 128);
    i->cfg_data = rng_below(&s->rng, 4096);
    i->need_vl = rng_below(&s->rng, VLS);
    i->need_units = rng_below(&s->rng, 1024);
  }
  if (limit) {
    bool each = n < 2 * vls;
    i->cfg_we = 1;
    i->cfg_addr = !each ? 2 * VLS : n < vls ? n : VLS + n - vls;
    i->cfg_data = !each ? l->total : n < vls ? l->reserved[n] : l->cap[n - vls];
    s->limit_at++;
  }
  if (need) {
    i->need_we = 1;
    i->need_vl = s->need_at;
    i->need_units = l->need[s->need_at++];
  }
}

/* ---- the allocation -------------------------------------------------------------------------- */

/* A lane of `set` by chance, END_NO_LANE if there is none. */
static uint32_t some_lane(struct state *s, uint64_t set) {
  uint32_t from = rng_below(&s->rng, s->cfg.VLS);
  uint64_t above = set >> from << from;
  return set ? loom_ctz(above ? above : set) : END_NO_LANE;
}

static uint32_t some_len(struct state *s, uint32_t vl) {
  uint32_t most = loom_min(s->limits.need[vl] * CELL, LEN_MAX);
  if (s->longest)
    most = loom_min(most, s->longest);
  return rng_chance(&s->rng, 64) ? most : rng_range(&s->rng, 1, most);
}

/* Ready and room are those of two cycles ago. If there was a booking three cycles ago, room was
 * looked at one cycle too early, so nothing is booked when any of it was taken since. */
static bool may_book(const struct state *s, uint64_t cycle) {
  bool apart = !s->last_book || cycle + 1 >= s->last_book + APART;
  bool early = s->last_book && cycle + 1 == s->last_book + APART;
  bool fell = (s->room[1] & ~s->room[0]) != 0;
  return s->stage == TRAFFIC && s->ready[1] && apart && !(early && fell);
}

static void book(struct state *s, uint64_t cycle, struct loom_crossing_in *i) {
  if (rng_chance(&s->rng, s->noise)) {
    i->book_source = rng_below(&s->rng, s->cfg.PORTS);
    i->book_vl = rng_below(&s->rng, s->cfg.VLS);
    i->book_info = rng_bits(&s->rng, 28, 128);
  }
  uint32_t vl = some_lane(s, s->room[1] & s->lane_mask);
  if (vl == END_NO_LANE || !may_book(s, cycle) || !rng_chance(&s->rng, s->book))
    return;
  struct packet p = {.vl = vl, .len = some_len(s, vl)};
  p.source = s->only < PORTS ? s->only : rng_below(&s->rng, s->cfg.PORTS);
  p.info = (uint32_t)(LOOM_PUT(LOOM_HEAD_INFO_LEN, p.len) |
                      LOOM_PUT(LOOM_HEAD_INFO_UNITS, end_units(p.len)) |
                      LOOM_PUT(LOOM_HEAD_INFO_SL, rng_below(&s->rng, LOOM_KEYS)) |
                      LOOM_PUT(LOOM_HEAD_INFO_MORE, rng_chance(&s->rng, 64)));
  i->book = 1;
  i->book_source = p.source;
  i->book_vl = p.vl;
  i->book_info = p.info;
  s->booking = p;
  s->booked = true;
  s->last_book = cycle + 1;
  s->used[vl] += end_units(p.len);
}

/* ---- the inputs ------------------------------------------------------------------------------ */

/* Words, as wide as can be, of the flits from `place` on: a word stays within its unit. */
static uint32_t words_left(const struct state *s, const struct sending *q, uint32_t place) {
  uint32_t w = speed_of(&s->cfg, q->p.source), left = q->p.len - place;
  uint32_t first = loom_min((CELL - place % CELL) % CELL, left), rest = left - first;
  return (first + w - 1) / w + rest / CELL * ((CELL + w - 1) / w) + (rest % CELL + w - 1) / w;
}

/* An input with fewer lanes repeats them. */
static void some_data(struct state *s, uint32_t n, struct loom_crossing_in *i) {
  uint32_t own = lanes_of(speed_of(&s->cfg, n));
  uint64_t *data = &i->word_data[n * s->lanes];
  for (uint32_t k = 0; k < s->lanes; k++)
    data[k] = rng_next(&s->rng);
  for (uint32_t k = own; k < s->lanes; k++)
    data[k] = data[k - own];
}

/* Words of other outputs, and what is no word at all. */
static void send_foreign(struct state *s, struct loom_crossing_in *i) {
  for (uint32_t n = 0; n < s->cfg.PORTS; n++) {
    bool valid = rng_chance(&s->rng, s->foreign);
    if (!valid && !rng_chance(&s->rng, s->noise))
      continue;
    uint32_t target = rng_below(&s->rng, TARGETS);
    if (valid && target == s->number)
      target = (target + 1) % TARGETS;
    i->word_valid |= (uint64_t)valid << n;
    i->word_last |= (uint64_t)rng_chance(&s->rng, 64) << n;
    i->word_target[n] = target;
    i->word_flits[n] = rng_below(&s->rng, 8);
    some_data(s, n, i);
  }
}

static void send_word(struct state *s, uint64_t cycle, struct loom_crossing_in *i) {
  struct sending *q = &s->sending[s->over % STARTED];
  if (s->over == s->starts || q->place == q->p.len || cycle < q->start + FIRST_WORD)
    return;
  uint32_t n = q->p.source, left = q->p.len - q->place;
  uint64_t bit = (uint64_t)1 << n, time = q->deadline - cycle; /* after this cycle */
  bool forced = q->ends && words_left(s, q, q->place) > time;
  if (!forced && !rng_chance(&s->rng, s->send))
    return;
  uint32_t flits = loom_min(speed_of(&s->cfg, n), loom_min(CELL - q->place % CELL, left));
  uint32_t few = rng_chance(&s->rng, s->narrow) ? rng_range(&s->rng, 1, flits) : flits;
  if (!q->ends || words_left(s, q, q->place + few) <= time)
    flits = few;
  q->place += flits;
  bool last = q->place == q->p.len;
  i->word_valid |= bit;
  i->word_last = (i->word_last & ~bit) | (last ? bit : 0);
  i->word_target[n] = s->number;
  i->word_flits[n] = flits;
  some_data(s, n, i);
  for (uint32_t k = 0; k < flits; k++)
    end_receive(&s->store, q->p.vl, last && k + 1 == flits);
  s->over += last && q->ends;
}

/* The input of the open packet says that it ends when its words can be sent in time. */
static void say_ends(struct state *s, uint64_t cycle, struct loom_crossing_in *i) {
  i->end = rng_bits(&s->rng, s->cfg.PORTS, 128);
  if (s->starts == s->over)
    return;
  struct sending *q = &s->sending[(s->starts - 1) % STARTED];
  uint64_t bit = (uint64_t)1 << q->p.source;
  if (q->ends)
    return;
  uint64_t first = q->start + FIRST_WORD, from = first > cycle ? first : cycle + 1;
  uint64_t done = from + words_left(s, q, q->place), end_cycles = s->cfg.END_CYCLES;
  bool can = q->place == q->p.len || done <= cycle + end_cycles;
  i->end &= ~bit;
  if (!can || !rng_chance(&s->rng, s->end))
    return;
  i->end |= bit;
  q->ends = true;
  q->deadline = cycle + end_cycles - 1;
  s->over += q->place == q->p.len;
}

/* What was booked started in the last cycle, if the output showed that it may. */
static void start(struct state *s, uint64_t cycle, const struct loom_crossing_out *o) {
  const struct packet *p = &s->booking;
  if (!s->booked || s->last_book == cycle || !o->free || !(s->oks >> p->source & 1))
    return;
  bool sure = s->sures >> p->source & 1;
  uint32_t speed = speed_of(&s->cfg, p->source), words = (p->len + speed - 1) / speed;
  s->sending[s->starts++ % STARTED] =
      (struct sending){.p = *p,
                       .start = cycle - 1,
                       .ends = sure,
                       .deadline = sure ? cycle - 1 + FIRST_WORD + words - 1 : 0};
  s->booked = false;
}

/* Only of a packet of one unit its input can be sure. */
static void say_starts(struct state *s, struct loom_crossing_in *i) {
  uint64_t bit = s->booked ? (uint64_t)1 << s->booking.source : 0;
  i->start_ok = rng_bits(&s->rng, s->cfg.PORTS, s->ok);
  i->sure = rng_bits(&s->rng, s->cfg.PORTS, 128) & ~bit;
  if (s->booking.len <= CELL && rng_chance(&s->rng, s->sure))
    i->sure |= bit;
  s->oks = i->start_ok;
  s->sures = i->sure;
}

/* ---- the store ------------------------------------------------------------------------------- */

static void free_unit(struct state *s, struct loom_crossing_in *i) {
  bool now = s->giving == PROMPT || rng_chance(&s->rng, s->give);
  uint32_t can = s->giving == SOME_LANES ? s->give_to : ~0u;
  uint32_t lane = now ? end_give(&s->store, can, rng_below(&s->rng, s->cfg.VLS)) : END_NO_LANE;
  if (rng_chance(&s->rng, s->noise))
    i->free_vl = rng_below(&s->rng, VLS);
  if (lane != END_NO_LANE) {
    i->free_valid = 1;
    i->free_vl = lane;
    s->used[lane]--;
  } else if (rng_chance(&s->rng, s->wild)) { /* of a lane that has none, or that does not exist */
    uint32_t vl = rng_below(&s->rng, VLS);
    i->free_valid = vl >= s->cfg.VLS || !s->used[vl];
    i->free_vl = i->free_valid ? vl : i->free_vl;
  }
}

static void next(void *st, uint64_t cycle, const void *out, void *in) {
  struct state *s = st;
  const struct loom_crossing_out *o = out;
  struct loom_crossing_in *i = in;
  s->ready[1] = s->ready[0];
  s->room[1] = s->room[0];
  s->ready[0] = o->target_ready && o->ready;
  s->room[0] = o->room;
  i->number = s->number;
  i->space = rng_chance(&s->rng, s->space);
  start(s, cycle, o);
  next_stage(s, cycle, o);
  say_starts(s, i);
  free_unit(s, i); /* before the words, as a unit is not freed while it comes */
  send_foreign(s, i);
  send_word(s, cycle, i);
  say_ends(s, cycle, i);
  book(s, cycle, i);
  write_limits(s, i);
}

/* ---- what must be seen ----------------------------------------------------------------------- */

static void must_be(struct judge *m, uint64_t cycle, const char *what, uint64_t is, uint64_t must) {
  if (is != must && !m->wrong[0])
    snprintf(m->wrong, sizeof m->wrong,
             "cycle %" PRIu64 ": %s is 0x%" PRIx64 ", must be 0x%" PRIx64, cycle, what, is, must);
}

/* OP-06: is there room for so many units? */
static bool has_room(const struct loom_crossing_cfg *c, const struct judge *m, uint32_t lane,
                     uint32_t units) {
  const struct limits *l = &m->limits;
  uint32_t sum = 0, reserved = 0;
  for (uint32_t v = 0; v < c->VLS; v++) {
    sum += loom_max(m->used[v] + (v == lane ? units : 0), l->reserved[v]);
    reserved += l->reserved[v];
  }
  return reserved <= l->total && l->total <= c->CELLS && sum <= l->total &&
         m->used[lane] + units <= l->cap[lane];
}

static struct packet booking_of(const struct loom_crossing_in *i) {
  uint32_t info = (uint32_t)i->book_info;
  return (struct packet){(uint32_t)i->book_source, (uint32_t)i->book_vl, info,
                         (uint32_t)LOOM_GET(LOOM_HEAD_INFO_LEN, info)};
}

/* The record of a packet sets out for its queue. */
static void send_record(struct state *s, uint64_t cycle, const struct packet *p) {
  struct judge *m = &s->judge;
  m->record_at[m->records % RECORDS] = cycle + s->cfg.OUT_DELAY;
  m->record[m->records++ % RECORDS] = *p;
}

/* A packet that starts in this cycle; `sure`: its input is. */
static void judge_start(struct state *s, uint64_t cycle, bool sure) {
  struct judge *m = &s->judge;
  uint32_t speed = speed_of(&s->cfg, m->booking.source);
  uint32_t words = (m->booking.len + speed - 1) / speed;
  m->booked = false;
  m->open = !sure;
  m->open_source = m->booking.source % PORTS;
  m->is_short = m->booking.len <= s->cfg.SHORT;
  m->free_from = cycle + words;
  m->started[m->starts++ % STARTED] = m->booking;
  if (!s->cfg.AHEAD)
    send_record(s, cycle, &m->booking);
}

static void judge_starts(struct state *s, uint64_t cycle, const struct loom_crossing_in *i,
                         const struct loom_crossing_out *o) {
  struct judge *m = &s->judge;
  bool is_free = !m->open && cycle >= m->free_from, ends = m->open && i->end >> m->open_source & 1;
  uint32_t source = m->booking.source % PORTS;
  bool starts = m->booked && is_free && i->start_ok >> source & 1;
  bool is_short = m->booking.len <= s->cfg.SHORT;
  must_be(m, cycle, "free", o->free, is_free);
  must_be(m, cycle, "target_ready", o->target_ready,
          m->booked ? starts && is_short : !m->open || ends || m->is_short);
  if (starts)
    judge_start(s, cycle, i->sure >> source & 1);
  if (!ends)
    return;
  m->open = false;
  m->free_from = cycle + s->cfg.END_CYCLES - FIRST_WORD;
}

/* A record that goes ahead: with space_i the store takes it at once, but not while a packet is
 * open. */
static void judge_ahead(struct state *s, uint64_t cycle, const struct loom_crossing_in *i,
                        bool open) {
  struct judge *m = &s->judge;
  if (i->book) {
    m->owes = true;
    m->owed = booking_of(i);
    m->owed_from = i->space ? cycle : cycle + 2;
  }
  if (!m->owes || open || cycle < m->owed_from)
    return;
  send_record(s, cycle, &m->owed);
  m->owes = false;
}

/* Without a delay a record shows from its booking on until it joins, or if it does not go ahead,
 * until its start. `open`: a packet is, at the beginning of the cycle. */
static void judge_record(struct state *s, uint64_t cycle, const struct loom_crossing_in *i,
                         const struct loom_crossing_out *o, bool open) {
  struct judge *m = &s->judge;
  if (s->cfg.AHEAD)
    judge_ahead(s, cycle, i, open);
  uint32_t n = m->queued % RECORDS;
  bool now = m->queued < m->records && m->record_at[n] == cycle;
  const struct packet *booked =
      s->cfg.AHEAD ? (m->owes ? &m->owed : NULL) : (m->booked ? &m->booking : NULL);
  const struct packet *shows = now ? &m->record[n] : s->cfg.OUT_DELAY ? NULL : booked;
  uint32_t info = shows ? shows->info : 0;
  must_be(m, cycle, "queue", o->queue, now);
  must_be(m, cycle, "queue_vl", o->queue_vl, shows ? shows->vl : 0);
  must_be(m, cycle, "queue_len", o->queue_len, LOOM_GET(LOOM_HEAD_INFO_LEN, info));
  must_be(m, cycle, "queue_sl", o->queue_sl, LOOM_GET(LOOM_HEAD_INFO_SL, info));
  must_be(m, cycle, "queue_more", o->queue_more, LOOM_GET(LOOM_HEAD_INFO_MORE, info));
  m->queued += now;
}

static void judge_words(struct state *s, uint64_t cycle, const struct loom_crossing_in *i,
                        const struct loom_crossing_out *o) {
  struct judge *m = &s->judge;
  uint32_t w = s->lanes;
  must_be(m, cycle, "wr_valid", o->wr_valid, m->word.valid);
  must_be(m, cycle, "wr_vl", o->wr_vl, m->word.vl);
  must_be(m, cycle, "wr_last", o->wr_last, m->word.last);
  must_be(m, cycle, "wr_flits", o->wr_flits, m->word.flits);
  for (uint32_t k = 0; k < w; k++)
    must_be(m, cycle, "wr_data", o->wr_data[k], m->word.data[k]);
  memset(&m->word, 0, sizeof m->word);
  for (uint64_t left = i->word_valid; left; left &= left - 1) {
    uint32_t n = loom_ctz(left);
    if (i->word_target[n] != s->number)
      continue;
    const struct packet *p = &m->started[m->over % STARTED];
    must_be(m, cycle, "packets that started before a word", m->starts > m->over, 1);
    must_be(m, cycle, "the source of a word", n, p->source);
    m->word = (struct word){1, p->vl, i->word_last >> n & 1, i->word_flits[n], {0}};
    memcpy(m->word.data, &i->word_data[n * w], w * sizeof m->word.data[0]);
    m->place += (uint32_t)i->word_flits[n];
    if (!m->word.last)
      continue;
    must_be(m, cycle, "flits of a packet", m->place, p->len);
    m->place = 0;
    m->over++;
  }
}

/* What the tracker counts of this cycle; what it ignores is an error two cycles later. */
static void judge_room(struct state *s, uint64_t cycle, const struct loom_crossing_in *i,
                       const struct loom_crossing_out *o) {
  struct judge *m = &s->judge;
  struct limits *l = &m->limits;
  uint32_t vl = (uint32_t)i->free_vl % VLS, v = (uint32_t)i->cfg_addr % VLS;
  bool back = i->free_valid && m->used[vl];
  must_be(m, cycle, "error", o->error, m->ignored[1]);
  m->ignored[1] = m->ignored[0];
  m->ignored[0] = i->free_valid && !back;
  if (m->event > SETTLED + s->cfg.VLS)
    for (uint32_t n = 0; n < s->cfg.VLS; n++)
      must_be(m, cycle, "a bit of the room at rest", o->room >> n & 1,
              has_room(&s->cfg, m, n, l->need[n]));
  if (m->event > SETTLED + s->cfg.VLS)
    must_be(m, cycle, "idle", o->idle, m->used_all == 0);
  bool any = i->book || i->free_valid || i->need_we || i->cfg_we || !o->ready;
  m->event = any ? 0 : m->event + 1;
  if (i->book) {
    uint32_t units = end_units(m->booking.len);
    must_be(m, cycle, "room for a booking", has_room(&s->cfg, m, m->booking.vl, units), 1);
    m->used[m->booking.vl % VLS] += units;
    m->used_all += units;
  }
  if (back) {
    m->used[vl]--;
    m->used_all--;
  }
  if (i->need_we)
    l->need[i->need_vl % VLS] = (uint32_t)i->need_units;
  if (i->cfg_we)
    *(i->cfg_addr < VLS       ? &l->reserved[v]
      : i->cfg_addr < 2 * VLS ? &l->cap[v]
                              : &l->total) = (uint32_t)i->cfg_data;
}

static void note(struct judge *m, uint64_t cycle, const struct loom_crossing_in *i,
                 struct stats *stats) {
  m->booked = true;
  if (!i->space && m->free_from < cycle + 2) /* when the store knows it */
    m->free_from = cycle + 2;
  m->booking = booking_of(i);
  const struct packet_note n = {.cycle = cycle,
                                .port = m->booking.source,
                                .vl = m->booking.vl,
                                .length = m->booking.len,
                                .id = m->starts};
  stats->packets++;
  stats_note(stats, &n);
}

static void observe(void *st, uint64_t cycle, const void *in, const void *out, const void *probe,
                    struct stats *stats) {
  const struct loom_crossing_in *i = in;
  const struct loom_crossing_out *o = out;
  struct state *s = st;
  struct judge *m = &s->judge;
  bool open = m->open;
  (void)probe;
  judge_starts(s, cycle, i, o);
  judge_record(s, cycle, i, o, open);
  judge_words(s, cycle, i, o);
  if (i->book)
    note(m, cycle, i, stats);
  judge_room(s, cycle, i, o);
  must_be(m, cycle, "announce", o->announce, i->book);
  must_be(m, cycle, "announce_len", o->announce_len, i->book ? m->booking.len : 0);
  stats->grants += o->wr_valid && o->wr_last; /* packets that came whole */
}

static bool check(const void *st, char *why, size_t why_size) {
  const struct state *s = st;
  if (s->judge.wrong[0])
    snprintf(why, why_size, "%s", s->judge.wrong);
  return !s->judge.wrong[0];
}

static const struct stim stim = {.size = sizeof(struct state),
                                 .episode = 50000,
                                 .init = init,
                                 .next = next,
                                 .observe = observe,
                                 .check = check};
const struct dut crossing_dut = DUT_INIT(&stim);

/* SPDX-License-Identifier: Apache-2.0 */
/* input_unit.c - traffic for input_unit, and a judge of what comes out
 *
 * A sender that keeps to its credits, or overruns them; packets of all lengths with and without
 * gaps; heads without length or lane, flits without a head, wrong tails, wrong VLs after the head
 * (docs/link.md). A forwarding table that answers in the next cycle and changes with the phases; a
 * map that is written while it is read; MTUs that are written when the unit was drained. Heads are
 * booked as an allocation may do it, and what is booked starts as a crossing may. With RULE = 1 the
 * words of the rule are written before packets come, changed when the unit was drained, and written
 * again as they are at any time; map mode and choice of a central unit change under packets.
 *
 * `observe` knows no stages. It judges each head by the tables as they were, so that it is accepted
 * or trapped in its cycle with the right cause (OP-06, OP-13); that heads show once, in the order
 * of their lanes, not before so many flits have come as the page says; that the words are those of
 * the packets that started, whole, in the order of the starts, for the right output, do not wait
 * for flits longer than STALL_CYCLES, come when sure_o and end when end_o says; and that every unit
 * comes back once.
 */
#include "switch/input_unit.h"

#include <inttypes.h>
#include <loom/bits.h>
#include <string.h>

#define LOOM_NAMES "switch/input_unit.fields"
#include <loom/names.h>
#define LOOM_NAMES "switch/opa_switch.regs"
#include <loom/names.h>

#define DUT_NAME input_unit
#define DUT_LIST "switch/input_unit.def"
#include "tb/cosim/dut.h"
#include "tb/ends/credits.h"

enum {
  RING = 8192, /* heads whose flits may still be in the unit: at most 4096, and what was refused */
  CELL = LOOM_UNIT_FLITS,
  VLS = LOOM_VLS,
  PORTS = 48,
  SLS = 32,
  LEN_MAX = 4095,
  NO_VL = 15,     /* of an entry of the map */
  TO_BOOK = 5,    /* cycles from a head event to its booking, at least */
  APART = 3,      /* cycles from booking to booking, at least */
  TO_WORD = 4,    /* cycles from a start to its first word, at least */
  EMPTY = 8,      /* cycles with nothing in the store after which nothing is in the unit */
  STUCK = 2000,   /* cycles in which nothing moves */
  AGES = 5,       /* stages that the judge looks back */
  TO_HEAD = 4,    /* cycles from a head to its event, at least */
  BEFORE_ALL = 7, /* cycles of the path that W of the page counts on */
  END_LEAST = 5,  /* END_CYCLES at least */
  MPORT = 4,      /* ports of an MPort, and number of its first central unit as a target */
  SC_MGMT = 15,   /* the SC that no rule changes, and that none leads to */
};

/* ---- what goes on the link ------------------------------------------------------------------- */

static uint64_t flit(uint32_t number, uint32_t place) {
  uint64_t x = ((uint64_t)number << 16 ^ place) + 0x9e3779b97f4a7c15u;
  x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
  return x ^ x >> 27;
}

enum stage { TRAFFIC, DRAIN, TABLES };

/* A head that was shown and is not booked. */
struct shown {
  bool is;
  uint32_t target;
  uint64_t from; /* the first cycle in which it may be booked */
};

struct sender {
  uint32_t left, number, place, vl; /* of the open packet; its number is that of its head */
  uint32_t ask[2];                  /* units announced one and two cycles ago */
  uint32_t used[VLS];               /* units that a lane has */
};

struct user {
  struct shown shown[VLS];
  bool ready[2];         /* source_ready of one and two cycles ago */
  bool booked, any, may; /* may: its output let it start in the last cycle */
  uint32_t target;
  uint64_t booked_at;
};

struct lane_judge {
  uint32_t queued, shown, booked, sent; /* packets so far; dropped ones are in none of the last */
  uint32_t number[RING];
};

/* A flit that came some cycles ago, as far as it is judged. */
struct seen {
  bool begins, good, known, accepted, has_vl, drop;
  uint32_t lane, len, dest, sc, sl, target, entry, vl, number; /* `sl`: what its record has */
  uint32_t by_sl, to_sc;                                       /* with RULE = 1, by the tables */
};

struct packet {
  uint64_t head;
  uint32_t out, target, vl, sl, len;
  uint64_t from; /* the first cycle of its head event; 0: flits are to come */
  bool drop, gaps;
};

struct judge {
  struct seen seen[AGES];
  uint32_t left, number, place, wait; /* of the open packet; flits until its record goes */
  bool error;
  uint64_t now, came, last_move;
  struct packet packet[RING];
  struct lane_judge lane[VLS];
  uint8_t order[RING];     /* lanes of the packets that started */
  uint64_t when[RING];     /* cycles of their starts */
  bool sure[RING];         /* the unit was, of their words */
  uint64_t end_by[RING];   /* last cycles in which they may have a word, once end_o told */
  uint32_t started, ended; /* packets */
  uint32_t known_to_end;   /* of which end_o told */
  uint32_t place_out;      /* of the next flit of packet `ended`, */
  uint64_t first_out;      /* whose first word was here */
  uint32_t units[VLS], total, waiting; /* in use; heads shown and not booked */
  bool booked;
  uint32_t booked_lane, booked_target;
  uint8_t map[PORTS * SLS];
  uint16_t mtu[VLS];
  uint32_t word[SLS]; /* of the rule, by SC */
  char wrong[160];
};

struct state {
  struct rng rng;
  struct loom_input_unit_cfg cfg;
  enum stage stage;
  uint32_t load, gaps, wild, overrun, strange, known, book, start, noise, rewrite; /* in 256 */
  uint32_t longest, lanes[VLS], lane_count, cap, target, most;
  bool map_on, one_target, legal_map;
  uint64_t phase_end, seed;       /* `seed`: of the forwarding table */
  uint32_t map_at, mtu_at, empty; /* entries written; cycles since nothing is in the unit */
  uint32_t mport, mode, mode_change, adaptive; /* with RULE = 1; changes in 256 cycles */
  uint32_t rule_at, word[SLS];                 /* words of the rule written first; as they are */
  uint64_t last;                               /* the flit of the last cycle, */
  bool any_last;                               /* if there was one */
  struct sender sender;
  struct user user;
  struct judge judge;
};

/* ---- phases ---------------------------------------------------------------------------------- */

/* Mode 1 looks at the map, so it must be there. */
static uint32_t some_mode(struct state *s) {
  uint32_t mode = rng_below(&s->rng, 4);
  return s->map_at < s->cfg.PORTS * SLS && mode == LOOM_OPA_MODE_SC2SC ? 0 : mode;
}

static void choose_lanes(struct state *s) {
  uint32_t vls = s->cfg.VLS, most = rng_range(&s->rng, 1, vls);
  s->lane_count = rng_chance(&s->rng, 96) ? 1 : most;
  for (uint32_t n = 0; n < s->lane_count; n++)
    s->lanes[n] = rng_below(&s->rng, vls);
}

static void new_phase(struct state *s, uint64_t cycle) {
  static const uint32_t chance[] = {0, 3, 16, 64, 128, 220, 256, 256};
  const uint32_t mtu = loom_min(s->cfg.MTU_UNITS * CELL, LEN_MAX);
  const uint32_t longest[] = {1, 2, 8, 12, 24, 64, mtu, loom_min(mtu + 40, LEN_MAX), LEN_MAX};
  s->stage = TRAFFIC;
  s->load = chance[2 + rng_below(&s->rng, 6)];
  s->gaps = rng_chance(&s->rng, 128) ? 0 : chance[1 + rng_below(&s->rng, 5)];
  s->wild = rng_chance(&s->rng, 160) ? 0 : chance[1 + rng_below(&s->rng, 3)];
  s->overrun = rng_chance(&s->rng, 160) ? 0 : chance[1 + rng_below(&s->rng, 4)];
  s->strange = rng_chance(&s->rng, 160) ? 0 : chance[1 + rng_below(&s->rng, 4)];
  s->known = rng_chance(&s->rng, 128) ? 256 : chance[rng_below(&s->rng, 7)];
  s->book = chance[2 + rng_below(&s->rng, 6)];
  s->start = chance[2 + rng_below(&s->rng, 6)];
  s->noise = chance[rng_below(&s->rng, 6)];
  s->rewrite = rng_chance(&s->rng, 128) ? 0 : chance[1 + rng_below(&s->rng, 6)];
  s->longest = longest[rng_below(&s->rng, rng_chance(&s->rng, 24) ? 9 : 8)];
  s->cap = rng_chance(&s->rng, 128) ? s->cfg.CELLS : rng_range(&s->rng, 1, s->cfg.CELLS);
  s->target = rng_below(&s->rng, s->cfg.PORTS);
  s->one_target = rng_chance(&s->rng, 64);
  s->map_on = s->map_at == s->cfg.PORTS * SLS && rng_chance(&s->rng, 160);
  s->legal_map = rng_chance(&s->rng, 160);
  s->seed = rng_next(&s->rng);
  s->phase_end = cycle + rng_range(&s->rng, 50, 3000);
  choose_lanes(s);
  if (s->cfg.RULE) {
    s->mode = some_mode(s);
    s->mode_change = rng_chance(&s->rng, 160) ? 0 : chance[1 + rng_below(&s->rng, 5)];
    s->adaptive = chance[rng_below(&s->rng, 7)];
  }
}

/* Words of a table that says how long packets may be: by lane, or by SC. */
static uint32_t words_to_write(const struct state *s) { return s->cfg.RULE ? SLS : s->cfg.VLS; }

static void next_stage(struct state *s, uint64_t cycle, const struct loom_input_unit_out *o) {
  /* A head without units is on its way, too, though nothing is asked for it. */
  bool nothing =
      !o->total && !s->any_last && !s->sender.left && !s->sender.ask[0] && !s->sender.ask[1];
  s->empty = nothing ? s->empty + 1 : 0;
  switch (s->stage) {
  case TRAFFIC:
    if (cycle < s->phase_end)
      return;
    if (rng_chance(&s->rng, 64)) {
      s->stage = DRAIN;
      s->book = loom_max(s->book, 64);
      s->start = loom_max(s->start, 64);
    } else {
      new_phase(s, cycle);
    }
    return;
  case DRAIN:
    if (s->empty < EMPTY)
      return;
    s->stage = TABLES;
    s->mtu_at = 0;
    s->most = rng_range(&s->rng, 1, s->cfg.MTU_UNITS);
    return;
  default:
    if (s->mtu_at == words_to_write(s))
      new_phase(s, cycle);
  }
}

static void init(void *st, struct rng *rng, const void *cfg, const struct scenario *sc) {
  struct state *s = st;
  (void)sc;
  s->rng = *rng;
  s->cfg = *(const struct loom_input_unit_cfg *)cfg;
  for (uint32_t l = 0; l < s->cfg.VLS; l++)
    s->judge.mtu[l] = (uint16_t)s->cfg.MTU_UNITS;
  new_phase(s, 0);
  s->most = s->cfg.MTU_UNITS;
  if (s->cfg.RULE)
    s->mport = rng_below(&s->rng, s->cfg.PORTS / MPORT);
}

/* ---- tables ---------------------------------------------------------------------------------- */

/* What the table says of a destination in this phase. */
static void look_up(struct state *s, struct loom_input_unit_in *i) {
  uint64_t x = s->any_last ? flit((uint32_t)LOOM_GET(LOOM_HEAD_DEST, s->last), 0) ^ s->seed
                           : rng_next(&s->rng);
  x = (x ^ x >> 29) * 0xbf58476d1ce4e5b9u;
  i->found_known = (x >> 56 & 255) < s->known;
  i->found_port = x >> 32 & 63;
  if (i->found_known)
    i->found_port = s->one_target ? s->target : (x >> 32 & 0xffff) % s->cfg.PORTS;
}

static uint32_t some_entry(struct state *s) {
  uint32_t lane = rng_below(&s->rng, s->cfg.VLS);
  return s->legal_map && lane != end_mgmt_lane(s->cfg.VLS) ? lane : rng_below(&s->rng, VLS);
}

/* What may stand in the tables of an SC: one without a lane leads nowhere, SC 15 to its own. */
static uint32_t some_word(struct state *s, uint32_t sc) {
  bool mgmt = sc == SC_MGMT, has = mgmt || !rng_chance(&s->rng, 32);
  uint32_t lane = rng_below(&s->rng, s->cfg.VLS), units = s->cfg.MTU_UNITS;
  if (mgmt)
    lane = end_mgmt_lane(s->cfg.VLS);
  if (rng_chance(&s->rng, 160))
    units = rng_range(&s->rng, 1, s->most);
  return (uint32_t)(LOOM_PUT(LOOM_SC_WORD_NEW_SC, rng_below(&s->rng, SLS)) |
                    LOOM_PUT(LOOM_SC_WORD_SL, rng_below(&s->rng, SLS)) |
                    LOOM_PUT(LOOM_SC_WORD_LANE, has ? lane : 0) | LOOM_PUT(LOOM_SC_WORD_HAS, has) |
                    LOOM_PUT(LOOM_SC_WORD_MTU, has ? units : 0));
}

/* All words first; new ones while nothing is in the unit; those that are there at any time. */
static void write_rule(struct state *s, struct loom_input_unit_in *i) {
  bool first = s->rule_at < SLS, new_one = s->stage == TABLES && i->mtu_we;
  uint32_t sc = first ? s->rule_at : new_one ? s->mtu_at - 1 : rng_below(&s->rng, SLS);
  i->rule_sc = sc;
  i->rule_we = first || new_one || rng_chance(&s->rng, s->rewrite);
  i->rule_data = rng_bits(&s->rng, 26, 128);
  if (first || new_one)
    s->word[sc] = some_word(s, sc);
  if (i->rule_we)
    i->rule_data = s->word[sc];
  s->rule_at += first;
  if (rng_chance(&s->rng, s->mode_change))
    s->mode = some_mode(s);
  i->mport = s->mport;
  i->map_mode = s->mode;
  i->adaptive = rng_chance(&s->rng, s->adaptive);
  i->central_less = rng_chance(&s->rng, 128);
  i->central_equal = rng_chance(&s->rng, 64);
}

/* The whole map before it is on, then entries by chance; MTUs while nothing is in the unit. */
static void write_tables(struct state *s, struct loom_input_unit_in *i) {
  uint32_t words = s->cfg.PORTS * SLS;
  i->map_addr = rng_below(&s->rng, words);
  i->map_data = rng_below(&s->rng, VLS);
  if (s->map_at < words ? rng_chance(&s->rng, 200) : rng_chance(&s->rng, s->rewrite)) {
    i->map_we = 1;
    i->map_addr = s->map_at < words ? s->map_at++ : rng_below(&s->rng, words);
    i->map_data = some_entry(s);
  }
  i->mtu_vl = rng_below(&s->rng, VLS);
  i->mtu_units = rng_below(&s->rng, 1024);
  if (s->stage == TABLES && rng_chance(&s->rng, 128)) {
    i->mtu_we = 1;
    i->mtu_vl = s->mtu_at++;
    i->mtu_units = rng_chance(&s->rng, 96) ? s->cfg.MTU_UNITS : rng_range(&s->rng, 1, s->most);
  }
}

/* ---- the sender ------------------------------------------------------------------------------ */

/* What was announced one and two cycles ago is not in `total` yet. */
static uint32_t free_units(const struct state *s, const struct loom_input_unit_out *o) {
  uint32_t used = (uint32_t)o->total + s->sender.ask[0] + s->sender.ask[1];
  return s->cfg.CELLS > used ? s->cfg.CELLS - used : 0;
}

static bool may_send(struct state *s, const struct loom_input_unit_out *o, uint32_t lane,
                     uint32_t len) {
  uint32_t units = end_units(len);
  if (rng_chance(&s->rng, s->overrun))
    return true;
  return units <= free_units(s, o) && s->sender.used[lane] + units <= loom_max(s->cap, units);
}

static uint32_t some_length(struct state *s) {
  uint32_t all = loom_min(s->cfg.CELLS * CELL, LEN_MAX), most = s->longest;
  most = rng_chance(&s->rng, s->overrun) ? most : loom_min(most, all);
  return rng_chance(&s->rng, 64) ? most : rng_range(&s->rng, 1, most);
}

/* A VL that has no lane, if there is one. */
static uint32_t strange_vl(struct state *s) {
  uint32_t vl = rng_below(&s->rng, VLS);
  return end_lane(s->cfg.VLS, vl) == END_NO_LANE ? vl : rng_below(&s->rng, VLS);
}

static void send_head(struct state *s, const struct loom_input_unit_out *o,
                      struct loom_input_unit_in *i) {
  struct sender *q = &s->sender;
  uint32_t lane = s->lanes[rng_below(&s->rng, s->lane_count)], len = some_length(s);
  uint32_t vl = end_vl(s->cfg.VLS, lane);
  if (!may_send(s, o, lane, len))
    return;
  if (rng_chance(&s->rng, s->strange))
    vl = strange_vl(s);
  if (rng_chance(&s->rng, s->strange / 2))
    len = 0;
  struct loom_packet_head h = {.sc = rng_below(&s->rng, SLS),
                               .len = len,
                               .dest = rng_below(&s->rng, 1 << 16),
                               .src = rng_below(&s->rng, 1 << 16),
                               .id = rng_below(&s->rng, LOOM_PACKET_IDS),
                               .more = rng_chance(&s->rng, 128)};
  i->in_valid = i->in_head = 1;
  i->in_vl = q->vl = vl;
  i->in_data = loom_packet_head(&h);
  i->in_tail = len == 1;
  q->left = len ? len - 1 : 0;
  q->place = 0;
  q->number++;
  if (end_lane(s->cfg.VLS, vl) != END_NO_LANE)
    q->ask[0] = end_units(len);
}

static void send(struct state *s, const struct loom_input_unit_out *o,
                 struct loom_input_unit_in *i) {
  struct sender *q = &s->sender;
  q->ask[1] = q->ask[0];
  q->ask[0] = 0;
  if (!o->ready || (s->cfg.RULE && s->rule_at < SLS))
    return;
  if (q->left) {
    if (rng_chance(&s->rng, s->gaps))
      return;
    i->in_valid = 1;
    i->in_vl = rng_chance(&s->rng, s->strange) ? rng_below(&s->rng, VLS) : q->vl;
    i->in_data = flit(q->number, ++q->place);
    i->in_tail = --q->left == 0;
    i->in_head = rng_chance(&s->rng, s->wild);
  } else if (s->stage == TRAFFIC && rng_chance(&s->rng, s->load)) {
    send_head(s, o, i);
  } else if (s->stage == TRAFFIC && rng_chance(&s->rng, s->wild)) { /* no head */
    i->in_valid = 1;
    i->in_vl = rng_below(&s->rng, VLS);
    i->in_data = rng_next(&s->rng);
    i->in_tail = rng_chance(&s->rng, 128);
  }
  if (i->in_valid && rng_chance(&s->rng, s->wild))
    i->in_tail ^= 1;
}

/* ---- allocation and crossings ---------------------------------------------------------------- */

static void see_outputs(struct state *s, uint64_t cycle, const struct loom_input_unit_out *o) {
  struct user *u = &s->user;
  struct sender *q = &s->sender;
  u->ready[1] = u->ready[0];
  u->ready[0] = o->source_ready;
  if (o->head_event)
    u->shown[o->head_lane % VLS] =
        (struct shown){true, (uint32_t)o->head_target, cycle - 1 + TO_BOOK};
  if (o->accept)
    q->used[o->accept_vl % VLS] += end_units((uint32_t)o->accept_len);
  uint32_t lane = end_lane(s->cfg.VLS, (uint32_t)o->in_cr_vl);
  if (o->in_cr_valid && lane != END_NO_LANE && q->used[lane])
    q->used[lane]--;
}

static void book(struct state *s, uint64_t cycle, struct loom_input_unit_in *i) {
  struct user *u = &s->user;
  bool soon = u->any && cycle < u->booked_at + APART;
  if (!u->ready[1] || soon || !rng_chance(&s->rng, s->book))
    return;
  uint32_t first = rng_below(&s->rng, s->cfg.VLS);
  for (uint32_t n = 0; n < s->cfg.VLS; n++) {
    uint32_t lane = (first + n) % s->cfg.VLS;
    struct shown *h = &u->shown[lane];
    if (!h->is || cycle < h->from)
      continue;
    h->is = false;
    u->booked = u->any = true;
    u->booked_at = cycle;
    u->target = h->target;
    i->book = 1;
    i->book_lane = lane;
    i->book_target = h->target;
    return;
  }
}

/* What was booked started in the last cycle, if both ends let it. */
static void see_start(struct state *s, uint64_t cycle, const struct loom_input_unit_out *o) {
  struct user *u = &s->user;
  if (u->booked && u->booked_at + 1 < cycle && u->may && o->start_ok)
    u->booked = false;
}

/* The bits of other outputs are for other inputs. */
static void let_start(struct state *s, struct loom_input_unit_in *i) {
  struct user *u = &s->user;
  uint64_t own = u->booked ? 1ull << u->target : 0;
  u->may = rng_chance(&s->rng, s->start);
  i->free = rng_bits(&s->rng, s->cfg.PORTS, s->noise) & ~own;
  i->free |= u->may ? own : 0;
}

static void next(void *st, uint64_t cycle, const void *out, void *in) {
  struct state *s = st;
  const struct loom_input_unit_out *o = out;
  struct loom_input_unit_in *i = in;
  see_outputs(s, cycle, o);
  see_start(s, cycle, o);
  next_stage(s, cycle, o);
  look_up(s, i);
  send(s, o, i);
  s->any_last = i->in_valid;
  s->last = i->in_data;
  i->map_on = s->map_on;
  write_tables(s, i);
  if (s->cfg.RULE)
    write_rule(s, i);
  let_start(s, i);
  book(s, cycle, i);
}

/* ---- what must be seen ----------------------------------------------------------------------- */

static void must_be(struct judge *m, uint64_t cycle, const char *what, uint64_t is, uint64_t must) {
  if (is != must && !m->wrong[0])
    snprintf(m->wrong, sizeof m->wrong,
             "cycle %" PRIu64 ": %s is 0x%" PRIx64 ", must be 0x%" PRIx64, cycle, what, is, must);
}

/* Words of a packet whose flits are all there: none goes beyond a unit. */
static uint32_t words_of(const struct loom_input_unit_cfg *c, uint32_t len) {
  uint32_t w = c->SPEEDUP;
  return len / CELL * ((CELL + w - 1) / w) + (len % CELL + w - 1) / w;
}

/* Lanes of a word: a flit stands on that of its place in the packet. */
static uint32_t lanes_of(const struct loom_input_unit_cfg *c) {
  return c->SPEEDUP == 3 ? 4 : c->SPEEDUP;
}

/* Flits for which a record waits after its head, as the page says it. */
static uint32_t flits_to_wait(const struct loom_input_unit_cfg *c, uint32_t len) {
  uint32_t path = words_of(c, len) + c->IN_DELAY + BEFORE_ALL + c->STALL_CYCLES;
  return len > path ? len - path : 0;
}

/* The flit on the link, as far as it alone tells. */
static void judge_flit(struct state *s, uint64_t cycle, const struct loom_input_unit_in *i,
                       const struct loom_input_unit_out *o) {
  struct judge *m = &s->judge;
  struct seen *f = &m->seen[0];
  uint32_t lane = end_lane(s->cfg.VLS, (uint32_t)i->in_vl);
  uint32_t len = LOOM_GET(LOOM_HEAD_LEN, i->in_data);
  must_be(m, cycle, "link_error", o->link_error, m->error);
  m->error = false;
  *f = (struct seen){0};
  if (!i->in_valid)
    return;
  struct packet *p = &m->packet[m->number % RING];
  if (m->left) {
    m->error = i->in_head || (m->left == 1) != i->in_tail;
    m->left--;
    p->gaps |= m->came + 1 != m->now;
    if (m->wait && --m->wait == 0)
      p->from = m->now + s->cfg.IN_DELAY + TO_HEAD;
  } else if (!i->in_head) {
    m->error = true;
  } else {
    p = &m->packet[++m->number % RING];
    m->left = len ? len - 1 : 0;
    m->error = len && (len == 1) != i->in_tail;
    m->wait = flits_to_wait(&s->cfg, len);
    *p = (struct packet){.head = i->in_data, .len = len};
    p->from = m->wait ? 0 : m->now + s->cfg.IN_DELAY + TO_HEAD;
    f->begins = true;
    f->good = lane != END_NO_LANE && len;
    f->lane = lane == END_NO_LANE ? (uint32_t)i->in_vl : lane;
    f->len = len;
    f->dest = LOOM_GET(LOOM_HEAD_DEST, i->in_data);
    f->sc = f->sl = LOOM_GET(LOOM_HEAD_SC, i->in_data);
    f->number = m->number;
  }
  m->came = m->now;
}

/* Omni-Path's rule (OP-10, OP-18, OP-19): the new SC of a head in its second stage, */
static void judge_new_sc(struct seen *f, uint32_t mode) {
  f->to_sc = f->sc == SC_MGMT                 ? SC_MGMT
             : mode == LOOM_OPA_MODE_SC2SC    ? f->entry
             : mode == LOOM_OPA_MODE_SC2SL2SC ? f->by_sl
                                              : f->sc;
}

/* and what follows from it in the third. */
static uint32_t judge_sc(struct judge *m, struct seen *f, struct packet *p) {
  uint32_t word = m->word[f->to_sc % SLS];
  f->has_vl = LOOM_GET(LOOM_SC_WORD_HAS, word) && (f->to_sc != SC_MGMT || f->sc == SC_MGMT);
  f->vl = LOOM_GET(LOOM_SC_WORD_LANE, word);
  f->sl = LOOM_GET(LOOM_SC_WORD_SL, word);
  p->head &= ~((uint64_t)(SLS - 1) << LOOM_HEAD_SC_AT);
  p->head |= (uint64_t)f->to_sc << LOOM_HEAD_SC_AT;
  return LOOM_GET(LOOM_SC_WORD_MTU, word);
}

/* The target of a packet for output `out` (OP-05). */
static uint32_t judge_target(const struct state *s, uint32_t out,
                             const struct loom_input_unit_in *i) {
  if (!s->cfg.RULE)
    return out;
  if (out / MPORT == s->mport)
    return out % MPORT;
  return MPORT + (uint32_t)(i->adaptive && !i->central_equal ? i->central_less : out % 2);
}

/* What the tables and the store say of the heads of the last cycles. */
static void judge_ways(struct state *s, const struct loom_input_unit_in *i,
                       const struct loom_input_unit_out *o) {
  struct judge *m = &s->judge;
  struct seen *look = &m->seen[1], *rule = &m->seen[2], *verdict = &m->seen[3];
  uint32_t units = end_units(look->len), mgmt = end_mgmt_lane(s->cfg.VLS);
  look->known = i->found_known;
  look->target = (uint32_t)i->found_port;
  look->entry = look->known ? m->map[look->target * SLS + look->sc] : 0;
  look->by_sl =
      LOOM_GET(LOOM_SC_WORD_NEW_SC, m->word[LOOM_GET(LOOM_SC_WORD_SL, m->word[look->sc])]);
  look->accepted = look->good && o->total + units <= s->cfg.CELLS;
  uint32_t lane = end_lane(s->cfg.VLS, rule->entry);
  bool mapped = i->map_on && rule->lane != mgmt;
  rule->has_vl = !mapped || (rule->entry != NO_VL && lane != END_NO_LANE);
  rule->vl = mapped ? lane : rule->lane;
  judge_new_sc(rule, (uint32_t)i->map_mode);
  if (!verdict->accepted)
    return;
  struct packet *p = &m->packet[verdict->number % RING];
  struct lane_judge *l = &m->lane[verdict->lane];
  uint32_t most = s->cfg.RULE ? judge_sc(m, verdict, p) : m->mtu[verdict->vl % VLS];
  verdict->drop = !verdict->known || !verdict->has_vl || end_units(verdict->len) > most;
  p->drop = verdict->drop;
  p->out = verdict->target;
  p->target = judge_target(s, verdict->target, i);
  p->vl = verdict->vl;
  p->sl = verdict->sl;
  l->number[l->queued++ % RING] = verdict->number;
}

static void judge_verdict(struct judge *m, uint64_t cycle, const struct loom_input_unit_out *o) {
  const struct seen *f = &m->seen[4];
  bool refused = f->begins && !f->accepted, trap = refused || (f->accepted && f->drop);
  uint32_t cause = refused ? (f->good ? 2 : 1) : !f->known ? 3 : !f->has_vl ? 4 : 5;
  must_be(m, cycle, "accept", o->accept, f->accepted);
  must_be(m, cycle, "accept_vl", o->accept_vl, f->accepted ? f->lane : 0);
  must_be(m, cycle, "accept_len", o->accept_len, f->accepted ? f->len : 0);
  must_be(m, cycle, "trap", o->trap, trap);
  must_be(m, cycle, "trap_cause", o->trap_cause, trap ? cause : 0);
  must_be(m, cycle, "trap_vl", o->trap_vl, trap ? f->lane : 0);
  must_be(m, cycle, "trap_dest", o->trap_dest, trap ? f->dest : 0);
}

/* The heads of a lane show in their order, without those that are dropped. */
static void judge_head(struct state *s, uint64_t cycle, const struct loom_input_unit_out *o) {
  struct judge *m = &s->judge;
  if (!o->head_event) {
    must_be(m, cycle, "a field of a head without one",
            o->head_lane | o->head_target | o->head_vl | o->head_info | o->head_out, 0);
    return;
  }
  struct lane_judge *l = &m->lane[o->head_lane % VLS];
  while (l->shown < l->queued && m->packet[l->number[l->shown % RING] % RING].drop)
    l->shown++;
  must_be(m, cycle, "packets queued before one shows", l->shown < l->queued, 1);
  if (l->shown == l->queued)
    return;
  const struct packet *p = &m->packet[l->number[l->shown++ % RING] % RING];
  uint64_t info = LOOM_PUT(LOOM_HEAD_INFO_MORE, LOOM_GET(LOOM_HEAD_MORE, p->head)) |
                  LOOM_PUT(LOOM_HEAD_INFO_SL, p->sl) |
                  LOOM_PUT(LOOM_HEAD_INFO_UNITS, end_units(p->len)) |
                  LOOM_PUT(LOOM_HEAD_INFO_LEN, p->len);
  must_be(m, cycle, "head_out", o->head_out, p->out);
  must_be(m, cycle, "head_target", o->head_target, p->target);
  must_be(m, cycle, "head_vl", o->head_vl, p->vl);
  must_be(m, cycle, "head_info", o->head_info, info);
  must_be(m, cycle, "a head for which flits had come", p->from && p->from <= m->now, 1);
  m->waiting++;
}

/* What was booked and started, by what both ends show. */
static void judge_start(struct state *s, const struct loom_input_unit_in *i,
                        const struct loom_input_unit_out *o) {
  struct judge *m = &s->judge;
  if (m->booked && o->start_ok && i->free >> m->booked_target & 1) {
    m->order[m->started % RING] = (uint8_t)m->booked_lane;
    m->sure[m->started % RING] = o->sure;
    m->when[m->started++ % RING] = m->now;
    m->booked = false;
  }
  if (i->book) {
    m->booked = true;
    m->booked_lane = (uint32_t)i->book_lane % VLS;
    m->booked_target = (uint32_t)i->book_target % PORTS;
    m->waiting--;
  }
}

static void judge_word(struct state *s, uint64_t cycle, const struct loom_input_unit_out *o) {
  struct judge *m = &s->judge;
  if (!o->word_valid) {
    must_be(m, cycle, "a field of a word without one",
            o->word_target | o->word_last | o->word_flits | o->word_data[0], 0);
    return;
  }
  must_be(m, cycle, "packets that started before a word", m->started > m->ended, 1);
  if (m->started == m->ended)
    return;
  struct lane_judge *l = &m->lane[m->order[m->ended % RING]];
  while (m->packet[l->number[l->sent % RING] % RING].drop)
    l->sent++;
  uint32_t number = l->number[l->sent % RING], flits = (uint32_t)o->word_flits;
  const struct packet *p = &m->packet[number % RING];
  must_be(m, cycle, "cycles since the start", m->now >= m->when[m->ended % RING] + TO_WORD, 1);
  must_be(m, cycle, "word_target", o->word_target, p->target);
  must_be(m, cycle, "word_flits", flits > 0 && flits <= s->cfg.SPEEDUP, 1);
  m->first_out = m->place_out ? m->first_out : m->now;
  for (uint32_t k = 0; k < loom_min(flits, s->cfg.SPEEDUP); k++) {
    uint32_t place = m->place_out++;
    must_be(m, cycle, "word_data", o->word_data[place % lanes_of(&s->cfg)],
            place ? flit(number, place) : p->head);
  }
  must_be(m, cycle, "word_last", o->word_last, m->place_out == p->len);
  uint64_t start = m->when[m->ended % RING], words = words_of(&s->cfg, p->len);
  bool sure = m->sure[m->ended % RING];
  must_be(m, cycle, "the first word of what is sure", sure && m->first_out != start + TO_WORD, 0);
  must_be(m, cycle, "a longer packet that is sure", sure && p->len > CELL, 0);
  if (!o->word_last)
    return;
  must_be(m, cycle, "the last word of what is sure", sure && m->now != start + TO_WORD + words - 1,
          0);
  uint64_t most = m->first_out + words + s->cfg.STALL_CYCLES;
  must_be(m, cycle, "a packet without gaps that crosses for too long", !p->gaps && m->now >= most,
          0);
  m->place_out = 0;
  l->sent++;
  m->ended++;
}

/* Units: those of what is accepted, each back once, to its lane. */
static void judge_units(struct state *s, uint64_t cycle, const struct loom_input_unit_out *o) {
  struct judge *m = &s->judge;
  const struct seen *f = &m->seen[1];
  uint32_t lane = end_lane(s->cfg.VLS, (uint32_t)o->in_cr_vl), units = end_units(f->len);
  must_be(m, cycle, "total", o->total, m->total);
  if (o->in_cr_valid) {
    bool owed = lane != END_NO_LANE && m->units[lane];
    must_be(m, cycle, "a unit that is owed", owed, 1);
    if (owed)
      m->units[lane]--;
    m->total--;
  } else {
    must_be(m, cycle, "in_cr_vl without a unit", o->in_cr_vl, 0);
  }
  if (f->accepted) {
    m->units[f->lane] += units;
    m->total += units;
  }
}

/* Nothing in use stays for ever while nothing is missing from outside. */
static void judge_progress(struct state *s, uint64_t cycle, const struct loom_input_unit_in *i,
                           const struct loom_input_unit_out *o) {
  struct judge *m = &s->judge;
  bool outside = m->left || i->in_valid || m->booked;
  if (!m->total || outside || o->in_cr_valid || o->word_valid || (m->waiting && o->source_ready))
    m->last_move = m->now;
  must_be(m, cycle, "a unit that stays", m->now > m->last_move + STUCK, 0);
}

/* K of docs/parts.md: what the store tells with soon_o. */
static uint32_t cycles_to_end(const struct loom_input_unit_cfg *c) {
  uint32_t more = c->EARLY + 4;
  switch (c->SPEEDUP) {
  case 1:
    return c->EARLY;
  case 2:
    return c->EARLY / 2 + 1;
  case 3:
    return more / CELL * 3 + more % CELL / 3;
  default:
    return c->EARLY / 4 + 2;
  }
}

/* What has started when end_o shows is over in time (docs/crossing.md, END_CYCLES). What is sure
 * says so itself. */
static void judge_end(struct state *s, uint64_t cycle, const struct loom_input_unit_out *o) {
  struct judge *m = &s->judge;
  uint32_t last = loom_max(END_LEAST, cycles_to_end(&s->cfg) + 1) - 1;
  if (o->end)
    while (m->known_to_end < m->started)
      m->end_by[m->known_to_end++ % RING] = m->now + last;
  bool late = o->word_valid && m->known_to_end > m->ended && !m->sure[m->ended % RING] &&
              m->now > m->end_by[m->ended % RING];
  must_be(m, cycle, "a word after what end_o says", late, 0);
}

static void note(struct state *s, uint64_t cycle, const struct loom_input_unit_in *i,
                 struct stats *stats) {
  const struct packet_note n = {.cycle = cycle,
                                .vl = (uint32_t)i->in_vl,
                                .dest = LOOM_GET(LOOM_HEAD_DEST, i->in_data),
                                .length = LOOM_GET(LOOM_HEAD_LEN, i->in_data),
                                .id = s->judge.number};
  stats->packets++;
  stats_note(stats, &n);
}

static void observe(void *st, uint64_t cycle, const void *in, const void *out, const void *probe,
                    struct stats *stats) {
  const struct loom_input_unit_in *i = in;
  const struct loom_input_unit_out *o = out;
  struct state *s = st;
  struct judge *m = &s->judge;
  (void)probe;
  m->now++;
  memmove(m->seen + 1, m->seen, sizeof m->seen - sizeof m->seen[0]);
  judge_flit(s, cycle, i, o);
  judge_ways(s, i, o);
  judge_verdict(m, cycle, o);
  judge_units(s, cycle, o);
  judge_head(s, cycle, o);
  judge_end(s, cycle, o);
  judge_word(s, cycle, o);
  judge_start(s, i, o);
  judge_progress(s, cycle, i, o);
  if (i->map_we)
    m->map[i->map_addr] = (uint8_t)i->map_data;
  if (i->mtu_we)
    m->mtu[i->mtu_vl % VLS] = (uint16_t)i->mtu_units;
  if (i->rule_we)
    m->word[i->rule_sc] = (uint32_t)i->rule_data;
  if (m->seen[0].begins)
    note(s, cycle, i, stats);
  stats->grants += o->word_valid && o->word_last; /* packets that left */
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
const struct dut input_unit_dut = DUT_INIT(&stim);

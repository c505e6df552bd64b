/* SPDX-License-Identifier: Apache-2.0 */
/* pipelined_alloc.c - traffic for pipelined_alloc, and a judge of what it books
 *
 * Sources with few heads and with one in every lane, for targets by chance, for one, for one each;
 * ports that are busy with a booking for a while; room for one packet of a lane or for many, that
 * comes back at once, late, or in step with the offers. In half of the draws the user keeps to the
 * times that the wait bound of docs/allocation.md speaks of; in the others ports and room do as
 * they like, too. `observe` knows no stages; it judges from outside that only heads are booked,
 * once, with room, between ports that are ready, and in time.
 */
#include "switch/pipelined_alloc.h"

#include <inttypes.h>
#include <loom/bits.h>

#define DUT_NAME pipelined_alloc
#define DUT_LIST "switch/pipelined_alloc.def"
#include "tb/cosim/dut.h"

enum { PORTS = 48, LANES = 32, APART = 3, BUSY = 24, BACK = 24, NEVER = 0 };

/* Where the heads of a phase go. */
enum { ANYWHERE, ONE_TARGET, OWN_TARGET, MOSTLY_ONE, PATTERNS };

/* A port that works at its bookings one after the other. */
struct port {
  uint32_t booked;
  uint64_t done_at; /* the first of them */
};

/* A head as the judge sees it. */
struct head {
  uint64_t since; /* cycle after its event; NEVER: none */
  uint64_t info;
  uint8_t target, vl;
};

struct judge {
  char wrong[128];
  struct head head[PORTS][LANES];
  uint64_t source_at[PORTS], target_at[PORTS]; /* the cycle after the last booking */
  uint64_t source_ready[2], target_ready[2];   /* of the last two cycles */
  uint64_t room[2][PORTS];
};

struct state {
  struct rng rng;
  struct loom_pipelined_alloc_cfg cfg;
  uint64_t bound; /* of a wait in cycles; NEVER: the user does as it likes */
  uint64_t phase_end;
  uint32_t pattern, favourite, lanes_used, same_vl;
  uint32_t load, busy, back, depth, wild; /* chances in 256; cycles at most */
  uint32_t beat;                          /* room comes back in multiples of it */
  uint32_t capacity;                      /* packets of a lane, in this draw */
  bool pooled;                            /* of all lanes together */
  struct port source[PORTS], target[PORTS];
  uint32_t used[PORTS][LANES];
  uint64_t back_at[PORTS][LANES];
  bool has[PORTS][LANES];
  struct judge judge;
};

static void init(void *st, struct rng *rng, const void *cfg, const struct scenario *sc) {
  struct state *s = st;
  (void)sc;
  s->rng = *rng;
  s->cfg = *(const struct loom_pipelined_alloc_cfg *)cfg;
  s->capacity = rng_chance(&s->rng, 128) ? 1 : rng_range(&s->rng, 1, 4);
  s->pooled = rng_chance(&s->rng, 64);
  if (s->pooled || rng_chance(&s->rng, 96))
    return;
  /* T and R of the page: a booking, what was booked before it, and the steps of the beat. */
  uint64_t t = 2 * BUSY + 4, r = BACK + 16, ports = s->cfg.PORTS, lanes = s->cfg.LANES;
  uint64_t due = s->cfg.PATIENCE * (t + r + lanes + 8) + (ports + 1) * (t + 8) + r;
  s->bound = lanes * ports * (due + ports + lanes + 8);
}

static void new_phase(struct state *s, uint64_t cycle) {
  static const uint32_t chance[] = {2, 16, 64, 200, 256};
  static const uint32_t beat[] = {1, 1, 2, 3, 5, 10};
  s->pattern = rng_below(&s->rng, PATTERNS);
  s->favourite = rng_below(&s->rng, s->cfg.PORTS);
  s->lanes_used = rng_chance(&s->rng, 128) ? s->cfg.LANES : rng_range(&s->rng, 1, s->cfg.LANES);
  s->same_vl = chance[rng_below(&s->rng, 5)];
  s->load = chance[rng_below(&s->rng, 5)];
  s->busy = rng_range(&s->rng, 1, BUSY);
  s->back = rng_range(&s->rng, 1, BACK);
  s->depth = rng_range(&s->rng, 1, 2);
  s->beat = beat[rng_below(&s->rng, 6)];
  s->wild = s->bound || rng_chance(&s->rng, 128) ? 0 : chance[rng_below(&s->rng, 5)];
  s->phase_end = cycle + rng_range(&s->rng, 20, 1500);
}

/* ---- the user -------------------------------------------------------------------------------- */

static void book_at(struct state *s, struct port *p, uint64_t cycle) {
  if (!p->booked)
    p->done_at = cycle + rng_range(&s->rng, 1, s->busy);
  p->booked++;
}

/* What was booked in the cycle before. */
static void take_bookings(struct state *s, uint64_t cycle,
                          const struct loom_pipelined_alloc_out *o) {
  for (uint64_t left = o->book; left; left &= left - 1) {
    uint32_t t = loom_ctz(left);
    uint64_t from = o->book_source[t], vl = o->book_vl[t] % LANES;
    book_at(s, &s->target[t], cycle);
    book_at(s, &s->source[from], cycle);
    s->has[from][o->take_lane[from] % LANES] = false;
    if (!s->used[t][vl]++)
      s->back_at[t][vl] = cycle + rng_range(&s->rng, 1, s->back);
  }
}

static uint64_t ready(struct state *s, struct port *port, uint64_t cycle) {
  uint64_t set = 0;
  for (uint32_t i = 0; i < s->cfg.PORTS; i++) {
    struct port *p = &port[i];
    if (p->booked && cycle >= p->done_at) {
      p->booked--;
      p->done_at = cycle + rng_range(&s->rng, 1, s->busy);
    }
    set |= (uint64_t)(p->booked < s->depth && !rng_chance(&s->rng, s->wild)) << i;
  }
  return set;
}

/* The lanes of a target with room. */
static uint64_t room_of(struct state *s, uint32_t t, uint64_t cycle) {
  uint64_t set = 0;
  uint32_t sum = 0, lanes = s->cfg.LANES;
  for (uint32_t l = 0; l < lanes; l++) {
    if (s->used[t][l] && cycle >= s->back_at[t][l] && cycle % s->beat == 0) {
      s->used[t][l]--;
      s->back_at[t][l] = cycle + rng_range(&s->rng, 1, s->back);
    }
    sum += s->used[t][l];
    set |= (uint64_t)(s->used[t][l] < s->capacity) << l;
  }
  if (s->pooled && sum >= s->capacity)
    set = 0;
  return s->wild ? set & rng_bits(&s->rng, lanes, 256 - s->wild) : set;
}

static uint32_t where(struct state *s, uint32_t source) {
  bool usual = s->pattern == ONE_TARGET || (s->pattern == MOSTLY_ONE && rng_chance(&s->rng, 192));
  if (s->pattern == OWN_TARGET)
    return (source + s->favourite) % s->cfg.PORTS;
  return usual ? s->favourite : rng_below(&s->rng, s->cfg.PORTS);
}

/* A head in a lane without one, by chance. */
static void head(struct state *s, uint32_t source, struct loom_pipelined_alloc_in *i) {
  uint32_t lane = rng_below(&s->rng, s->lanes_used);
  if (s->has[source][lane] || !rng_chance(&s->rng, s->load))
    return;
  s->has[source][lane] = true;
  i->head_event |= 1ull << source;
  i->head_lane[source] = lane;
  i->head_target[source] = where(s, source);
  i->head_vl[source] = rng_chance(&s->rng, s->same_vl) ? lane : rng_below(&s->rng, s->cfg.LANES);
  i->head_info[source] = rng_bits(&s->rng, s->cfg.INFO_W, 128);
}

static void next(void *st, uint64_t cycle, const void *out, void *in) {
  struct state *s = st;
  struct loom_pipelined_alloc_in *i = in;
  if (cycle >= s->phase_end)
    new_phase(s, cycle);
  take_bookings(s, cycle, out);
  i->source_ready = ready(s, s->source, cycle);
  i->target_ready = ready(s, s->target, cycle);
  for (uint32_t p = 0; p < s->cfg.PORTS; p++) {
    i->room[p] = room_of(s, p, cycle);
    head(s, p, i);
  }
}

/* ---- the judge ------------------------------------------------------------------------------- */

static void wrong(struct judge *j, uint64_t cycle, uint32_t target, const char *what) {
  if (!j->wrong[0])
    snprintf(j->wrong, sizeof j->wrong, "cycle %" PRIu64 ", target %" PRIu32 ": %s", cycle, target,
             what);
}

/* What is wrong with a booking, NULL if nothing. */
static const char *fault_of(const struct judge *j, uint64_t cycle, uint32_t t,
                            const struct loom_pipelined_alloc_out *o) {
  uint64_t from = o->book_source[t];
  if (from >= PORTS || !(o->take >> from & 1) || o->take_target[from] != t)
    return "its source takes nothing for it";
  const struct head *h = &j->head[from][o->take_lane[from]];
  if (!h->since)
    return "there is no head";
  if (h->target != t || h->vl != o->book_vl[t] || h->info != o->book_info[t])
    return "the record is that of another head";
  if (cycle < h->since + 4)
    return "too early";
  if (!(j->source_ready[1] >> from & 1) || !(j->target_ready[1] >> t & 1))
    return "a port was not ready";
  if (!(j->room[1][t] >> h->vl & 1))
    return "there was no room";
  if (j->target_at[t] + 2 == cycle && (j->room[1][t] & ~j->room[0][t]))
    return "room fell, and the target was booked three cycles ago";
  if ((j->target_at[t] && cycle + 1 < j->target_at[t] + APART) ||
      (j->source_at[from] && cycle + 1 < j->source_at[from] + APART))
    return "too soon after the last booking";
  return NULL;
}

static void judge_bookings(struct judge *j, uint64_t cycle,
                           const struct loom_pipelined_alloc_out *o, struct stats *stats) {
  uint64_t sources = 0;
  for (uint64_t left = o->book; left; left &= left - 1) {
    uint32_t t = loom_ctz(left);
    const char *fault = fault_of(j, cycle, t, o);
    if (fault) {
      wrong(j, cycle, t, fault);
      return;
    }
    uint64_t from = o->book_source[t];
    struct packet_note n = {.cycle = cycle,
                            .port = (uint32_t)from,
                            .vl = (uint32_t)o->book_vl[t],
                            .dest = t,
                            .id = (uint32_t)o->book_info[t]};
    sources |= 1ull << from;
    j->head[from][o->take_lane[from]].since = NEVER;
    j->source_at[from] = j->target_at[t] = cycle + 1;
    stats->packets++;
    stats->grants++;
    stats_note(stats, &n);
  }
  if (sources != o->take)
    wrong(j, cycle, 0, "a source takes for nobody");
}

static void judge_waits(struct judge *j, uint64_t cycle, const struct state *s) {
  for (uint32_t p = 0; p < s->cfg.PORTS; p++)
    for (uint32_t l = 0; l < s->cfg.LANES; l++)
      if (j->head[p][l].since && cycle > j->head[p][l].since + s->bound)
        wrong(j, cycle, j->head[p][l].target, "a head waits for longer than the bound");
}

static void judge_inputs(struct judge *j, uint64_t cycle, const struct state *s,
                         const struct loom_pipelined_alloc_in *i) {
  for (uint64_t left = i->head_event; left; left &= left - 1) {
    uint32_t p = loom_ctz(left);
    struct head *h = &j->head[p][i->head_lane[p]];
    h->since = cycle + 1;
    h->target = (uint8_t)i->head_target[p];
    h->vl = (uint8_t)i->head_vl[p];
    h->info = i->head_info[p];
  }
  j->source_ready[1] = j->source_ready[0];
  j->source_ready[0] = i->source_ready;
  j->target_ready[1] = j->target_ready[0];
  j->target_ready[0] = i->target_ready;
  for (uint32_t p = 0; p < s->cfg.PORTS; p++) {
    j->room[1][p] = j->room[0][p];
    j->room[0][p] = i->room[p];
  }
}

static void observe(void *st, uint64_t cycle, const void *in, const void *out, const void *probe,
                    struct stats *stats) {
  struct state *s = st;
  (void)probe;
  judge_bookings(&s->judge, cycle, out, stats);
  judge_inputs(&s->judge, cycle, s, in);
  if (s->bound && cycle % 64 == 0)
    judge_waits(&s->judge, cycle, s);
}

static bool check(const void *st, char *why, size_t why_size) {
  const struct state *s = st;
  if (s->judge.wrong[0])
    snprintf(why, why_size, "%s", s->judge.wrong);
  return !s->judge.wrong[0];
}

/* ---- the search ------------------------------------------------------------------------------ */

/* Two ports, one lane: source 0 has no new head or one for either target, source 1 none or one for
 * target 0; all ports are ready or none, and all have room or none. The bench keeps which lanes
 * have a head. */
enum { DEPTH = 13, NEWS = 3 };

struct contract {
  uint8_t has; /* a bit a source */
};

static uint32_t bfs_depth(const void *cfg) {
  (void)cfg;
  return DEPTH;
}

static uint32_t bfs_inputs(const void *cfg) {
  (void)cfg;
  return NEWS * 2 * 2 * 2;
}

static bool bfs_input(const void *cfg, const void *twin, uint32_t i, void *in) {
  struct loom_pipelined_alloc_in *b = in;
  (void)cfg;
  (void)twin;
  for (uint32_t p = 0; p < 2; p++) {
    uint32_t news = p ? i / NEWS % 2 : i % NEWS;
    b->head_event |= (uint64_t)(news > 0) << p;
    b->head_target[p] = news == 2;
    b->head_info[p] = news > 0 && p;
    b->room[p] = i / (NEWS * 2) % 2;
  }
  b->source_ready = b->target_ready = i / (NEWS * 4) ? 3 : 0;
  return true;
}

static bool bfs_legal(const void *cfg, const void *note, void *in) {
  const struct contract *k = note;
  const struct loom_pipelined_alloc_in *b = in;
  (void)cfg;
  return !(b->head_event & k->has);
}

static void bfs_after(void *note, const void *in, const void *out) {
  const struct loom_pipelined_alloc_in *b = in;
  const struct loom_pipelined_alloc_out *o = out;
  struct contract *k = note;
  k->has = (uint8_t)((k->has | b->head_event) & ~o->take);
}

static const struct stim stim = {.size = sizeof(struct state),
                                 .episode = 40000,
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
const struct dut pipelined_alloc_dut = DUT_INIT(&stim);

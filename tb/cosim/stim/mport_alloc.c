/* SPDX-License-Identifier: Apache-2.0 */
/* mport_alloc.c - traffic for mport_alloc, and a judge of what it books
 *
 * Sources with few heads and with one in every lane, for their targets by chance, for one output
 * and the central units before it, within the MPorts, through the centre; ports that are busy with
 * a booking for a while; room for one packet of a lane or for many, that comes back at once, late,
 * or in step with the offers. In half of the draws the user keeps to the times that the wait bound
 * of docs/allocation.md speaks of; in the others ports and room do as they like, too. `observe`
 * knows no stages; it judges from outside that only heads are booked, once, between ends that know
 * each other so, with room, while both are ready, and in time.
 */
#include "switch/mport_alloc.h"

#include <inttypes.h>
#include <loom/bits.h>

#define DUT_NAME mport_alloc
#define DUT_LIST "switch/mport_alloc.def"
#include "tb/cosim/dut.h"

enum { ENDS = 72, LANES = 32, APART = 3, BUSY = 24, BACK = 24, NEVER = 0 };
enum { LOCAL = 4, CENTRALS = 2 }; /* ports and central units of an MPort */

/* Where the heads of a phase go. */
enum { ANYWHERE, ONE_TARGET, IN_MPORT, CENTRE, PATTERNS };

/* A port that works at its bookings one after the other. */
struct port {
  uint32_t booked;
  uint64_t done_at; /* the first of them */
};

/* A head as the judge sees it. */
struct head {
  uint64_t since; /* cycle after its event; NEVER: none */
  uint64_t info;
  uint8_t number, target, vl;
};

struct judge {
  char wrong[128];
  struct head head[ENDS][LANES];
  uint64_t source_at[ENDS], target_at[ENDS];         /* the cycle after the last booking */
  bool source_ready[2][ENDS], target_ready[2][ENDS]; /* of the last two cycles */
  uint64_t room[2][ENDS];
};

struct state {
  struct rng rng;
  struct loom_mport_alloc_cfg cfg;
  uint32_t ports, ends; /* inputs; those and central units */
  uint64_t bound;       /* of a wait in cycles; NEVER: the user does as it likes */
  uint64_t phase_end;
  uint32_t pattern, favourite, lanes_used, same_vl;
  uint32_t load, busy, back, depth, wild; /* chances in 256; cycles at most */
  uint32_t beat;                          /* room comes back in multiples of it */
  uint32_t capacity;                      /* packets of a lane, in this draw */
  bool pooled;                            /* of all lanes together */
  struct port source[ENDS], target[ENDS];
  uint32_t used[ENDS][LANES];
  uint64_t back_at[ENDS][LANES];
  bool has[ENDS][LANES];
  struct judge judge;
};

static void init(void *st, struct rng *rng, const void *cfg, const struct scenario *sc) {
  struct state *s = st;
  (void)sc;
  s->rng = *rng;
  s->cfg = *(const struct loom_mport_alloc_cfg *)cfg;
  s->ports = LOCAL * s->cfg.MPORTS;
  s->ends = (LOCAL + CENTRALS) * s->cfg.MPORTS;
  s->capacity = rng_chance(&s->rng, 128) ? 1 : rng_range(&s->rng, 1, 4);
  s->pooled = rng_chance(&s->rng, 64);
  if (s->pooled || rng_chance(&s->rng, 96))
    return;
  /* T and R of the page: a booking, what was booked before it, and the steps of the beat. */
  uint64_t t = 2 * BUSY + 4, r = BACK + 16, lanes = s->cfg.QUEUES * s->cfg.LANES;
  uint64_t sources = LOCAL + CENTRALS * s->cfg.MPORTS;
  uint64_t due = s->cfg.PATIENCE * (t + r + lanes + 8) + (sources + 1) * (t + 8) + r;
  s->bound = lanes * sources * (due + sources + lanes + 8);
}

static void new_phase(struct state *s, uint64_t cycle) {
  static const uint32_t chance[] = {2, 16, 64, 200, 256};
  static const uint32_t beat[] = {1, 1, 2, 3, 5, 10};
  s->pattern = rng_below(&s->rng, PATTERNS);
  s->favourite = rng_below(&s->rng, s->ports);
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

/* ---- who sends where ------------------------------------------------------------------------- */

static uint32_t mport_of(const struct state *s, uint32_t end) {
  return end < s->ports ? end / LOCAL : (end - s->ports) / CENTRALS;
}

/* The target that a source has under this number. */
static uint32_t target_of(const struct state *s, uint32_t source, uint32_t number) {
  if (source >= s->ports)
    return number;
  uint32_t m = mport_of(s, source);
  return number < LOCAL ? LOCAL * m + number : s->ports + CENTRALS * m + number - LOCAL;
}

/* The source that a target has under this number; ENDS: none. */
static uint32_t source_of(const struct state *s, uint32_t target, uint64_t number) {
  uint32_t m = mport_of(s, target);
  if (number < LOCAL)
    return LOCAL * m + (uint32_t)number;
  uint64_t central = number - LOCAL;
  bool is = target < s->ports && central < CENTRALS * s->cfg.MPORTS && central / CENTRALS != m;
  return is ? s->ports + (uint32_t)central : ENDS;
}

/* ---- the user -------------------------------------------------------------------------------- */

static void book_at(struct state *s, struct port *p, uint64_t cycle) {
  if (!p->booked)
    p->done_at = cycle + rng_range(&s->rng, 1, s->busy);
  p->booked++;
}

/* What was booked in the cycle before. */
static void take_bookings(struct state *s, uint64_t cycle, const struct loom_mport_alloc_out *o) {
  for (uint32_t t = 0; t < s->ends; t++) {
    uint32_t from = source_of(s, t, o->book_source[t]);
    uint64_t vl = o->book_vl[t] % LANES;
    if (!o->book[t] || from == ENDS)
      continue;
    book_at(s, &s->target[t], cycle);
    book_at(s, &s->source[from], cycle);
    s->has[from][o->take_lane[from] % LANES] = false;
    if (!s->used[t][vl]++)
      s->back_at[t][vl] = cycle + rng_range(&s->rng, 1, s->back);
  }
}

static bool ready(struct state *s, struct port *p, uint64_t cycle) {
  if (p->booked && cycle >= p->done_at) {
    p->booked--;
    p->done_at = cycle + rng_range(&s->rng, 1, s->busy);
  }
  return p->booked < s->depth && !rng_chance(&s->rng, s->wild);
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

/* An output that a central unit knows. */
static uint32_t from_centre(struct state *s, uint32_t source) {
  bool wants = s->pattern == ONE_TARGET && mport_of(s, s->favourite) != mport_of(s, source);
  uint32_t far = 1 + rng_below(&s->rng, s->cfg.MPORTS - 1); /* MPorts away */
  uint32_t port = (mport_of(s, source) + far) % s->cfg.MPORTS * LOCAL + rng_below(&s->rng, LOCAL);
  return wants ? s->favourite : port;
}

/* The number of a target of an input. */
static uint32_t from_input(struct state *s, uint32_t source) {
  switch (s->pattern) {
  case ONE_TARGET:
    if (mport_of(s, s->favourite) == mport_of(s, source))
      return s->favourite % LOCAL;
    return LOCAL + s->favourite % CENTRALS;
  case IN_MPORT:
    return rng_chance(&s->rng, 16) ? rng_below(&s->rng, LOCAL + CENTRALS) : s->favourite % LOCAL;
  case CENTRE:
    return LOCAL + rng_below(&s->rng, CENTRALS);
  default:
    return rng_below(&s->rng, LOCAL + CENTRALS);
  }
}

/* A head in a lane without one, by chance. */
static void head(struct state *s, uint32_t source, struct loom_mport_alloc_in *i) {
  uint32_t queues = source < s->ports ? 1 : s->cfg.QUEUES;
  uint32_t lane = rng_below(&s->rng, queues * s->lanes_used);
  if (s->has[source][lane] || !rng_chance(&s->rng, s->load))
    return;
  s->has[source][lane] = true;
  i->head_event[source] = 1;
  i->head_lane[source] = lane;
  i->head_target[source] = source < s->ports ? from_input(s, source) : from_centre(s, source);
  i->head_vl[source] =
      rng_chance(&s->rng, s->same_vl) ? lane / queues : rng_below(&s->rng, s->cfg.LANES);
  i->head_info[source] = rng_bits(&s->rng, s->cfg.INFO_W, 128);
}

static void next(void *st, uint64_t cycle, const void *out, void *in) {
  struct state *s = st;
  struct loom_mport_alloc_in *i = in;
  if (cycle >= s->phase_end)
    new_phase(s, cycle);
  take_bookings(s, cycle, out);
  for (uint32_t p = 0; p < s->ends; p++) {
    i->source_ready[p] = ready(s, &s->source[p], cycle);
    i->target_ready[p] = ready(s, &s->target[p], cycle);
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

/* What is wrong with a booking of this source, NULL if nothing. */
static const char *fault_of(const struct judge *j, uint64_t cycle, uint32_t t, uint32_t from,
                            const struct loom_mport_alloc_out *o) {
  if (from == ENDS || !o->take[from])
    return "its source takes nothing for it";
  const struct head *h = &j->head[from][o->take_lane[from]];
  if (!h->since)
    return "there is no head";
  if (h->target != t || h->number != o->take_target[from])
    return "the head is for another target";
  if (h->vl != o->book_vl[t] || h->info != o->book_info[t])
    return "the record is that of another head";
  if (cycle < h->since + 4)
    return "too early";
  if (!j->source_ready[1][from] || !j->target_ready[1][t])
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

static void judge_bookings(struct state *s, uint64_t cycle, const struct loom_mport_alloc_out *o,
                           struct stats *stats) {
  struct judge *j = &s->judge;
  uint64_t bookings = 0, taken = 0;
  for (uint32_t t = 0; t < s->ends; t++) {
    taken += o->take[t];
    if (!o->book[t])
      continue;
    uint32_t from = source_of(s, t, o->book_source[t]);
    const char *fault = fault_of(j, cycle, t, from, o);
    if (fault) {
      wrong(j, cycle, t, fault);
      return;
    }
    struct packet_note n = {.cycle = cycle,
                            .port = from,
                            .vl = (uint32_t)o->book_vl[t],
                            .dest = t,
                            .id = (uint32_t)o->book_info[t]};
    j->head[from][o->take_lane[from]].since = NEVER;
    j->source_at[from] = j->target_at[t] = cycle + 1;
    bookings++;
    stats->packets++;
    stats->grants++;
    stats_note(stats, &n);
  }
  if (bookings != taken)
    wrong(j, cycle, 0, "a source takes for nobody");
}

static void judge_waits(struct judge *j, uint64_t cycle, const struct state *s) {
  for (uint32_t p = 0; p < s->ends; p++)
    for (uint32_t l = 0; l < LANES; l++)
      if (j->head[p][l].since && cycle > j->head[p][l].since + s->bound)
        wrong(j, cycle, j->head[p][l].target, "a head waits for longer than the bound");
}

static void judge_inputs(struct judge *j, uint64_t cycle, const struct state *s,
                         const struct loom_mport_alloc_in *i) {
  for (uint32_t p = 0; p < s->ends; p++) {
    if (i->head_event[p])
      j->head[p][i->head_lane[p]] =
          (struct head){.since = cycle + 1,
                        .number = (uint8_t)i->head_target[p],
                        .target = (uint8_t)target_of(s, p, (uint32_t)i->head_target[p]),
                        .vl = (uint8_t)i->head_vl[p],
                        .info = i->head_info[p]};
    j->source_ready[1][p] = j->source_ready[0][p];
    j->source_ready[0][p] = i->source_ready[p];
    j->target_ready[1][p] = j->target_ready[0][p];
    j->target_ready[0][p] = i->target_ready[p];
    j->room[1][p] = j->room[0][p];
    j->room[0][p] = i->room[p];
  }
}

static void observe(void *st, uint64_t cycle, const void *in, const void *out, const void *probe,
                    struct stats *stats) {
  struct state *s = st;
  (void)probe;
  judge_bookings(s, cycle, out, stats);
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

static const struct stim stim = {.size = sizeof(struct state),
                                 .episode = 20000,
                                 .init = init,
                                 .next = next,
                                 .observe = observe,
                                 .check = check};
const struct dut mport_alloc_dut = DUT_INIT(&stim);

/* SPDX-License-Identifier: Apache-2.0 */
/* event_counters.c - traffic for event_counters: packets in every cycle or now and then, one
 * counter again and again until its flits wrap, slow streams as dense as they may be, pulses in
 * every cycle; reads of what counts, of any counter and of addresses without one, before it is
 * ready, too */
#include "parts/event_counters.h"

#include <inttypes.h>

#define DUT_NAME event_counters
#define DUT_LIST "parts/event_counters.def"
#include "tb/cosim/dut.h"

enum {
  ADDRS = 512,
  PAST = 64,    /* cycles that are remembered, above the longest wait of a pulse */
  FAST_AGE = 2, /* a read shows the events of stream 0 that are so old */
  SLOW_AGE = 6, /* and all of the other streams */
  GAP = 4       /* cycles from an event of a slow stream to the next */
};

struct shown { /* what a read may show: `least`, or up to `more` above it */
  uint32_t least, more;
};

struct state {
  struct rng rng;
  struct loom_event_counters_cfg cfg;
  uint32_t load[4], same[4], pulses, silent; /* chances in 256 */
  uint32_t hot, read_near;
  uint64_t phase_end;
  uint64_t last[4];                         /* the last event of each stream */
  struct loom_event_counters_in past[PAST]; /* what counted, by cycle modulo PAST */
  uint32_t came[ADDRS];                     /* all that is old enough to be seen */
  uint32_t surely[ADDRS];                   /* all that must be seen */
  struct shown shows[2];
  char wrong[160];
};

static void init(void *st, struct rng *rng, const void *cfg, const struct scenario *sc) {
  struct state *s = st;
  (void)sc;
  s->rng = *rng;
  s->cfg = *(const struct loom_event_counters_cfg *)cfg;
  s->hot = rng_below(&s->rng, 1u << s->cfg.INDEX_W);
}

static void new_phase(struct state *s, uint64_t cycle) {
  static const uint32_t load[] = {0, 8, 128, 256, 256}, same[] = {0, 128, 240, 256};
  for (uint32_t k = 0; k < 4; k++) {
    s->load[k] = load[rng_below(&s->rng, 5)];
    s->same[k] = same[rng_below(&s->rng, 4)];
  }
  if (rng_chance(&s->rng, 150)) /* often enough to wrap within an episode */
    s->load[0] = s->same[0] = 256;
  s->pulses = load[rng_below(&s->rng, 5)];
  s->read_near = load[rng_below(&s->rng, 5)];
  s->silent = rng_chance(&s->rng, 32) ? 256 : 0;
  s->phase_end = cycle + rng_range(&s->rng, 20, s->silent ? 100 : 4000);
}

static void some_event(struct state *s, uint64_t cycle, uint32_t k,
                       struct loom_event_counters_in *i) {
  uint32_t n = 1u << s->cfg.INDEX_W;
  i->index[k] =
      rng_chance(&s->rng, 128) ? (s->hot + rng_below(&s->rng, 3)) % n : rng_below(&s->rng, n);
  i->amount[k] = rng_bits(&s->rng, 12, 128);
  if (rng_chance(&s->rng, s->same[k])) {
    i->index[k] = s->hot;
    i->amount[k] = loom_mask(12);
  }
  bool may = k == 0 || cycle >= s->last[k] + GAP;
  if (!may || !rng_chance(&s->rng, s->load[k]) || rng_chance(&s->rng, s->silent))
    return;
  i->valid |= UINT64_C(1) << k;
  s->last[k] = cycle;
}

/* One of the counters that the events of this cycle are for. */
static uint32_t near_addr(struct state *s, const struct loom_event_counters_in *i) {
  uint32_t n = 1u << s->cfg.INDEX_W, k = rng_below(&s->rng, s->cfg.STREAMS + 1);
  if (k == s->cfg.STREAMS)
    return 8 * n + rng_below(&s->rng, s->cfg.PULSES);
  return 2 * n * k + n * rng_below(&s->rng, 2) + (uint32_t)i->index[k];
}

static void next(void *st, uint64_t cycle, const void *out, void *in) {
  struct state *s = st;
  struct loom_event_counters_in *i = in;
  (void)out;
  if (cycle >= s->phase_end)
    new_phase(s, cycle);
  for (uint32_t k = 0; k < s->cfg.STREAMS; k++)
    some_event(s, cycle, k, i);
  for (uint32_t p = 0; p < s->cfg.PULSES; p++)
    i->pulse |= (uint64_t)(rng_chance(&s->rng, s->pulses) && !s->silent) << p;
  i->read_addr = rng_chance(&s->rng, s->read_near) ? near_addr(s, i)
                                                   : rng_below(&s->rng, 16u << s->cfg.INDEX_W);
}

/* Add the events of one of the streams, or with k = STREAMS the pulses, in this cycle. */
static void add(const struct state *s, uint32_t *sums, uint64_t cycle, uint32_t age, uint32_t k) {
  uint32_t n = 1u << s->cfg.INDEX_W;
  if (cycle < age)
    return;
  const struct loom_event_counters_in *i = &s->past[(cycle - age) % PAST];
  if (k == s->cfg.STREAMS) {
    for (uint32_t p = 0; p < s->cfg.PULSES; p++)
      sums[8 * n + p] += i->pulse >> p & 1;
  } else if (i->valid >> k & 1) {
    sums[2 * n * k + i->index[k]] += (uint32_t)i->amount[k];
    sums[2 * n * k + n + i->index[k]]++;
  }
}

/* How long a pulse may take until a read shows it. */
static uint32_t pulse_age(const struct state *s) {
  uint32_t words = (s->cfg.PULSES + 1) / 2, turns = 5 - s->cfg.STREAMS;
  return FAST_AGE + 4 * ((words + turns - 1) / turns);
}

static void observe(void *st, uint64_t cycle, const void *in, const void *out, const void *probe,
                    struct stats *stats) {
  const struct loom_event_counters_in *i = in;
  const struct loom_event_counters_out *o = out;
  struct state *s = st;
  (void)probe;
  uint32_t above = (uint32_t)o->read_data - s->shows[1].least;
  if (above > s->shows[1].more && !s->wrong[0])
    snprintf(s->wrong, sizeof s->wrong,
             "cycle %" PRIu64 ": read %" PRIu64 ", must be %" PRIu32 " or up to %" PRIu32 " above",
             cycle, o->read_data, s->shows[1].least, s->shows[1].more);
  for (uint32_t k = 0; k <= s->cfg.STREAMS; k++) {
    uint32_t age = k == 0 ? FAST_AGE : k < s->cfg.STREAMS ? SLOW_AGE : pulse_age(s);
    add(s, s->came, cycle, FAST_AGE, k);
    add(s, s->surely, cycle, age, k);
  }
  s->past[cycle % PAST] = o->ready ? *i : (struct loom_event_counters_in){0};
  uint32_t a = (uint32_t)i->read_addr;
  s->shows[1] = s->shows[0];
  s->shows[0] =
      o->ready ? (struct shown){s->surely[a], s->came[a] - s->surely[a]} : (struct shown){0};
  stats->packets += i->valid & 1;
}

static bool check(const void *st, char *why, size_t why_size) {
  const struct state *s = st;
  if (s->wrong[0])
    snprintf(why, why_size, "%s", s->wrong);
  return !s->wrong[0];
}

static const struct stim stim = {.size = sizeof(struct state),
                                 .episode = 2000000,
                                 .init = init,
                                 .next = next,
                                 .observe = observe,
                                 .check = check};
const struct dut event_counters_dut = DUT_INIT(&stim);

/* SPDX-License-Identifier: Apache-2.0 */
#include "traffic/offers.h"

#include <loom/bits.h>
#include <stdlib.h>

enum { DIGITS = 63, NANO = 1000000000, LINKS = 4 /* of a host, at most */ };

const char *const loom_process_names[LOOM_PROCESSES + 1] = {
    [LOOM_PROCESS_CBR] = "cbr",
    [LOOM_PROCESS_POISSON] = "poisson",
    [LOOM_PROCESS_BURSTS] = "bursts",
    [LOOM_PROCESS_PING_PONG] = "ping-pong",
};

const char *const loom_operation_names[LOOM_OPERATIONS + 1] = {
    [LOOM_OPERATION_PUT] = "put",
    [LOOM_OPERATION_GET] = "get",
    [LOOM_OPERATION_QUEUE] = "queue",
    [LOOM_OPERATION_EVENT] = "event",
    [LOOM_OPERATION_CONDITIONAL] = "conditional",
};

/* What all sources of an offer have in common. */
struct offer {
  struct loom_offer_cfg cfg;
  struct loom_pattern *pattern;
  uint64_t cycles, rest;  /* of an interval: cycles + rest / load */
  uint32_t digits;        /* of a gap, that can be 1 */
  uint64_t digit[DIGITS]; /* its chance to be 1, in parts of 2^64 */
};

/* A host in an offer. */
struct source {
  uint64_t random;
  uint64_t rest; /* beyond the cycle of the next message, in parts of 1 / load cycles */
  uint64_t sent; /* messages */
};

/* A source that has something to offer. The cycle stands here, so that the heap is moved without a
 * look at the sources. */
struct turn {
  uint64_t when; /* cycle of the next message */
  size_t source;
};

struct loom_offers {
  uint32_t hosts, offers;
  size_t waiting;        /* sources in the heap */
  struct source *source; /* [host * offers + offer] */
  struct turn *heap;     /* the next one first */
  struct offer offer[];
};

/* ---- what is legal --------------------------------------------------------------------------- */

static uint32_t burst_of(const struct loom_offer_cfg *o) {
  return o->process == LOOM_PROCESS_BURSTS ? o->burst : 1;
}

const char *loom_offer_bad(const struct loom_offer_cfg *o, uint32_t classes, uint32_t hosts) {
  if (o->traffic_class >= classes)
    return "class";
  if ((unsigned)o->process >= LOOM_PROCESSES)
    return "process";
  if (o->flits < LOOM_HOST_FLITS_MIN)
    return "flits";
  if (burst_of(o) < 1 || (uint64_t)burst_of(o) * o->flits > UINT32_MAX)
    return "burst";
  bool poisson = o->process == LOOM_PROCESS_POISSON;
  if (o->load > (uint64_t)NANO * (poisson ? loom_min(o->flits, LINKS) : LINKS))
    return "load";
  return o->pattern.hosts == hosts ? NULL : "hosts";
}

/* ---- the heap -------------------------------------------------------------------------------- */

static bool before(const struct turn *a, const struct turn *b) {
  return a->when != b->when ? a->when < b->when : a->source < b->source;
}

static void sink(struct loom_offers *o, size_t place) {
  struct turn moved = o->heap[place];
  for (size_t child; (child = 2 * place + 1) < o->waiting; place = child) {
    if (child + 1 < o->waiting && before(&o->heap[child + 1], &o->heap[child]))
      child++;
    if (!before(&o->heap[child], &moved))
      break;
    o->heap[place] = o->heap[child];
  }
  o->heap[place] = moved;
}

/* ---- time ------------------------------------------------------------------------------------ */

static uint64_t later_by(uint64_t cycle, uint64_t gap) {
  return cycle > LOOM_OFFERS_NEVER - 1 - gap ? LOOM_OFFERS_NEVER - 1 : cycle + gap;
}

/* The chance that digit k of a geometric number is 1, q^(2^k) / (1 + q^(2^k)), in parts of 2^64. p
 * is 1 - q^(2^k), which keeps its digits where q^(2^k) would lose them; plain products and
 * quotients come out the same everywhere. */
static void set_digits(struct offer *o, double p) {
  while (o->digits < DIGITS && p < 1) {
    o->digit[o->digits++] = (uint64_t)((1 - p) / (2 - p) * 18446744073709551616.0);
    p *= 2 - p;
  }
}

/* Cycles up to the next message, 0 for this cycle. */
static uint64_t geometric(const struct offer *o, uint64_t *random) {
  uint64_t failures = 0;
  for (uint32_t k = 0; k < o->digits; k++)
    failures |= (uint64_t)(loom_random(random) < o->digit[k]) << k;
  return failures;
}

/* 0..n - 1, n up to 2^32 * 10^9. What is above the largest multiple of n is drawn again. */
static uint64_t below(uint64_t *random, uint64_t n) {
  uint64_t excess = (UINT64_MAX % n + 1) % n;
  uint64_t drawn;
  do
    drawn = loom_random(random);
  while (drawn > UINT64_MAX - excess);
  return drawn % n;
}

static uint64_t interval_of(const struct loom_offer_cfg *o) {
  return (uint64_t)burst_of(o) * o->flits * NANO;
}

/* The first cycle of a source. */
static uint64_t begin(const struct offer *o, struct source *s) {
  const struct loom_offer_cfg *c = &o->cfg;
  if (c->process == LOOM_PROCESS_POISSON)
    return geometric(o, &s->random);
  if (c->process == LOOM_PROCESS_PING_PONG)
    return 0;
  uint64_t phase = below(&s->random, interval_of(c));
  s->rest = phase % c->load;
  return phase / c->load;
}

/* The next one after cycle `when`. */
static uint64_t go_on(const struct offer *o, struct source *s, uint64_t when) {
  if (o->cfg.process == LOOM_PROCESS_POISSON)
    return later_by(later_by(when, geometric(o, &s->random)), 1);
  s->rest += o->rest;
  bool more = s->rest >= o->cfg.load;
  s->rest -= more ? o->cfg.load : 0;
  return later_by(when, o->cycles + more);
}

/* ---- creation -------------------------------------------------------------------------------- */

/* A state for offer and host, or for the offer alone with host UINT32_MAX. */
static uint64_t state_of(uint64_t seed, uint32_t offer, uint32_t host) {
  uint64_t state = loom_scramble(seed + 0x9E3779B97F4A7C15u);
  return loom_scramble(state ^ ((uint64_t)offer + 1) << 32 ^ host);
}

static bool start_offer(struct offer *o, const struct loom_offer_cfg *cfg, uint64_t seed) {
  o->cfg = *cfg;
  if (!o->cfg.pattern.seed)
    o->cfg.pattern.seed = seed;
  o->pattern = loom_pattern_create(&o->cfg.pattern);
  if (!o->pattern || !cfg->load)
    return o->pattern;
  uint64_t interval = interval_of(cfg);
  o->cycles = interval / cfg->load;
  o->rest = interval % cfg->load;
  if (cfg->process == LOOM_PROCESS_POISSON)
    set_digits(o, (double)cfg->load / (double)interval);
  return true;
}

static void start_source(struct loom_offers *o, size_t number, uint64_t seed) {
  struct source *s = &o->source[number];
  uint32_t host = (uint32_t)(number / o->offers);
  uint32_t offer = (uint32_t)(number % o->offers);
  const struct offer *of = &o->offer[offer];
  s->random = state_of(seed, offer, host);
  if (loom_pattern_silent(of->pattern, host) ||
      (!of->cfg.load && of->cfg.process != LOOM_PROCESS_PING_PONG))
    return;
  o->heap[o->waiting++] = (struct turn){begin(of, s), number};
}

struct loom_offers *loom_offers_create(const struct loom_offer_cfg *offer, uint32_t offers,
                                       uint32_t hosts, uint64_t seed) {
  struct loom_offers *o = calloc(1, sizeof *o + offers * sizeof o->offer[0]);
  if (!o)
    return NULL;
  size_t sources = (size_t)hosts * offers;
  *o = (struct loom_offers){.hosts = hosts, .offers = offers};
  o->source = calloc(sources + 1, sizeof *o->source);
  o->heap = calloc(sources + 1, sizeof *o->heap);
  bool good = o->source && o->heap;
  for (uint32_t i = 0; good && i < offers; i++)
    good = start_offer(&o->offer[i], &offer[i], state_of(seed, i, UINT32_MAX));
  if (!good) {
    loom_offers_destroy(o);
    return NULL;
  }
  for (size_t i = 0; i < sources; i++)
    start_source(o, i, seed);
  for (size_t i = o->waiting; i-- > 0;)
    sink(o, i);
  return o;
}

void loom_offers_destroy(struct loom_offers *o) {
  if (!o)
    return;
  for (uint32_t i = 0; i < o->offers; i++)
    loom_pattern_destroy(o->offer[i].pattern);
  free(o->source);
  free(o->heap);
  free(o);
}

void loom_offers_keep(struct loom_offers *o, const bool *mine) {
  size_t waiting = 0;
  for (size_t i = 0; i < o->waiting; i++)
    if (mine[o->heap[i].source / o->offers])
      o->heap[waiting++] = o->heap[i];
  o->waiting = waiting;
  for (size_t i = waiting; i-- > 0;)
    sink(o, i);
}

/* ---- what is due ----------------------------------------------------------------------------- */

uint64_t loom_offers_when(const struct loom_offers *o) {
  return o->waiting ? o->heap[0].when : LOOM_OFFERS_NEVER;
}

/* The source's next messages; false: it has sent all. */
static bool take(struct loom_offers *o, size_t number, struct loom_offered *due) {
  struct source *s = &o->source[number];
  struct offer *of = &o->offer[number % o->offers];
  uint64_t left = of->cfg.messages ? of->cfg.messages - s->sent : UINT64_MAX;
  uint32_t burst = burst_of(&of->cfg);
  if (!left)
    return false;
  *due = (struct loom_offered){.offer = (uint32_t)(number % o->offers),
                               .host = (uint32_t)(number / o->offers),
                               .messages = burst < left ? burst : (uint32_t)left};
  due->dst = loom_pattern_next(of->pattern, due->host, &s->random);
  s->sent += due->messages;
  return true;
}

static bool is_over(const struct loom_offers *o, size_t number) {
  const struct loom_offer_cfg *c = &o->offer[number % o->offers].cfg;
  return c->process == LOOM_PROCESS_PING_PONG ||
         (c->messages && o->source[number].sent == c->messages);
}

bool loom_offers_next(struct loom_offers *o, uint64_t now, struct loom_offered *due) {
  if (loom_offers_when(o) > now)
    return false;
  struct turn *first = o->heap;
  size_t number = first->source;
  take(o, number, due);
  if (is_over(o, number))
    *first = o->heap[--o->waiting];
  else
    first->when = go_on(&o->offer[number % o->offers], &o->source[number], first->when);
  if (o->waiting)
    sink(o, 0);
  return true;
}

bool loom_offers_round(struct loom_offers *o, uint32_t offer, uint32_t host,
                       struct loom_offered *due) {
  return take(o, (size_t)host * o->offers + offer, due);
}

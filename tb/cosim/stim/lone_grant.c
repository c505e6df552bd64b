/* SPDX-License-Identifier: Apache-2.0 */
/* lone_grant.c - traffic for lone_grant: a user and a scheduler, both at random, that keep what
 * docs/lone_grant.md asks of them
 *
 * The user has packets on one VL or on many, prompt or late, with ready bits that blink. The
 * scheduler grants what was ready two cycles before, at once or much later, and now and then a key
 * loses its entry, for a cycle or for long. `observe` knows the ports alone: it says which packets
 * must go ahead, that nothing else does, and that the scheduler is told of each head once and in
 * time. */
#include "sched/lone_grant.h"

#include <inttypes.h>
#include <loom/bits.h>
#include <string.h>

#define DUT_NAME lone_grant
#define DUT_LIST "sched/lone_grant.def"
#include "tb/cosim/dut.h"

enum {
  APART = 4,     /* cycles from one grant of a scheduler to its next, at least */
  GONE = 5,      /* cycles in which a key has no entry, at least, if not one alone */
  GIVEN_UP = 4,  /* cycles without an entry after which nobody waits for the scheduler any more */
  PATIENCE = 100 /* cycles in which the scheduler grants a VL that alone is ready */
};

typedef struct loom_lone_grant_in lone_in;
typedef struct loom_lone_grant_out lone_out;

struct head {
  uint32_t size, sl;
  bool last;
};

struct lane {
  bool there, told; /* a packet; its head event has been */
  struct head head;
  uint64_t back; /* the first cycle in which its next head may be told */
};

struct scheduler {
  struct head head[LOOM_VLS]; /* as it was told */
  uint64_t ready[2];          /* one cycle ago, two cycles ago; 0 without a request */
  uint32_t apart, rest;       /* of this one; cycles until it may grant again */
  uint32_t waits;             /* cycles in which it could have granted */
  uint64_t served;
  uint64_t change[LOOM_KEYS]; /* the first cycle in which a key may have an entry again */
  bool grants;                /* in the last cycle */
  uint32_t lone_key;          /* of the last packet that went ahead */
};

/* What the ports have shown. */
struct judge {
  struct head head[LOOM_VLS];
  uint64_t ready[2]; /* one cycle ago, two cycles ago */
  bool asked[2];
  uint64_t hidden;           /* VLs whose head the scheduler is not told yet */
  uint64_t last, last_shown; /* cycles of the last grant: of any, of one that was shown */
  bool any, any_shown;       /* there was one */
  bool expect;               /* a packet goes ahead in this cycle, unless the scheduler grants */
  uint32_t expect_vl;
  bool ahead; /* the scheduler has yet to grant this one */
  uint32_t ahead_vl, ahead_key, unserved;
  bool train; /* of this VL, of which another packet is to come */
  uint32_t train_vl;
  char wrong[160];
};

struct state {
  struct rng rng;
  struct loom_lone_grant_cfg cfg;
  struct lane lane[LOOM_VLS];
  uint64_t blinking;
  /* Phases; chances in 256. */
  uint32_t ask, arrive, prompt, blink, many, live_vls, away, longest, grant, lose;
  uint64_t phase_end;
  struct scheduler sched;
  struct judge judge;
};

static uint32_t key_of(const struct loom_lone_grant_cfg *c, uint32_t vl, uint64_t sl) {
  return c->ARB_KEY ? (uint32_t)sl : vl;
}

static bool has(uint64_t set, uint64_t i) { return set >> i & 1; }

/* ---- the user -------------------------------------------------------------------------------- */

static void init(void *st, struct rng *rng, const void *cfg, const struct scenario *sc) {
  struct state *s = st;
  (void)sc;
  s->rng = *rng;
  s->cfg = *(const struct loom_lone_grant_cfg *)cfg;
  s->sched.apart = APART + rng_below(&s->rng, 3);
}

static void new_phase(struct state *s, uint64_t cycle) {
  static const uint32_t chance[] = {2, 16, 64, 160, 240, 256}, longest[] = {1, 2, 8, 64, 4095};
  bool few = rng_chance(&s->rng, 128);
  s->ask = rng_chance(&s->rng, 128) ? 256 : chance[1 + rng_below(&s->rng, 5)];
  s->arrive = chance[rng_below(&s->rng, 6)];
  s->prompt = rng_chance(&s->rng, 128) ? 256 : chance[1 + rng_below(&s->rng, 5)];
  s->blink = rng_chance(&s->rng, 160) ? 0 : chance[rng_below(&s->rng, 4)];
  s->many = rng_chance(&s->rng, 128) ? 0 : chance[1 + rng_below(&s->rng, 3)];
  s->live_vls = few ? 1 + rng_below(&s->rng, 2) : rng_range(&s->rng, 1, s->cfg.VLS);
  s->away = rng_below(&s->rng, 3) ? rng_below(&s->rng, 12) : 0;
  s->longest = longest[rng_below(&s->rng, 5)];
  s->grant = chance[1 + rng_below(&s->rng, 5)];
  s->lose = rng_chance(&s->rng, 128) ? 0 : chance[rng_below(&s->rng, 3)];
  s->phase_end = cycle + rng_range(&s->rng, 20, 2000);
}

static void new_packet(struct state *s, uint32_t v) {
  struct lane *l = &s->lane[v];
  bool goes_on = l->told && !l->head.last;
  l->there = true;
  l->told = false;
  l->head.size = rng_range(&s->rng, 1, loom_min(s->longest, (uint32_t)loom_mask(s->cfg.SIZE_W)));
  l->head.last = !rng_chance(&s->rng, s->many);
  if (!goes_on)
    l->head.sl = rng_below(&s->rng, s->cfg.KEYS);
  if (rng_below(&s->rng, 2000) == 0) /* of either kind that is never granted */
    l->head.size = 0;
  if (rng_below(&s->rng, 2000) == 0)
    l->head.sl = rng_below(&s->rng, 32);
}

/* A VL whose packet was granted in the last cycle has none any more; one that was told of before
 * this cycle can be ready. */
static void user(struct state *s, uint64_t cycle, const lone_out *o, lone_in *i) {
  if (o->grant_valid) {
    s->lane[o->grant_vl].there = false;
    s->lane[o->grant_vl].back = cycle + s->away;
  }
  uint32_t start = rng_below(&s->rng, s->cfg.VLS);
  for (uint32_t n = 0; n < s->cfg.VLS; n++) {
    uint32_t v = (start + n) % s->cfg.VLS;
    struct lane *l = &s->lane[v];
    if (!l->there && v < s->live_vls && rng_chance(&s->rng, s->arrive))
      new_packet(s, v);
    if (l->there && l->told) {
      i->ready |= 1ull << v;
    } else if (l->there && !i->head_valid && cycle >= l->back && rng_chance(&s->rng, s->prompt)) {
      i->head_valid = 1;
      i->head_vl = v;
      i->head_size = l->head.size;
      i->head_sl = l->head.sl;
      i->head_last = l->head.last;
      l->told = true;
    }
  }
  if (rng_chance(&s->rng, s->blink))
    s->blinking ^= 1ull << rng_below(&s->rng, s->cfg.VLS);
  i->ready &= s->blink ? ~s->blinking : ~0ull;
  i->request = rng_chance(&s->rng, s->ask);
}

/* ---- the scheduler --------------------------------------------------------------------------- */

/* Which keys have an entry: none at first, then one is lost now and then, for a cycle while its
 * entry is written anew, or for long. */
static void entries(struct state *s, uint64_t cycle) {
  struct scheduler *d = &s->sched;
  uint32_t lost = rng_chance(&s->rng, s->lose) ? rng_below(&s->rng, s->cfg.KEYS) : LOOM_KEYS;
  if (lost != LOOM_KEYS && rng_chance(&s->rng, 128))
    lost = d->lone_key; /* on which most depends */
  for (uint32_t k = 0; k < s->cfg.KEYS; k++) {
    if (has(d->served, k) ? k != lost : cycle < d->change[k])
      continue;
    bool brief = rng_chance(&s->rng, 128);
    d->served ^= 1ull << k;
    if (!has(d->served, k))
      d->change[k] = cycle + (brief ? 1 : GONE + rng_below(&s->rng, 60));
  }
}

static uint32_t some_vl(struct state *s, uint64_t set) {
  return loom_ctz_from(set, rng_below(&s->rng, s->cfg.VLS));
}

/* What it was told in the last cycle. */
static void told(struct state *s, const lone_out *o) {
  struct scheduler *d = &s->sched;
  if (o->sched_head_valid)
    d->head[o->sched_head_vl] = (struct head){(uint32_t)o->sched_head_size,
                                              (uint32_t)o->sched_head_sl, o->sched_head_last != 0};
  if (o->grant_valid && !d->grants)
    d->lone_key = (uint32_t)o->grant_key;
  d->ready[1] = d->ready[0];
  d->ready[0] = o->sched_request ? o->sched_ready : 0;
}

static void scheduler(struct state *s, uint64_t cycle, const lone_out *o, lone_in *i) {
  struct scheduler *d = &s->sched;
  uint64_t can = 0;
  entries(s, cycle);
  told(s, o);
  i->sched_served = d->served;
  d->rest -= d->rest > 0;
  for (uint32_t v = 0; v < s->cfg.VLS; v++) {
    const struct head *h = &d->head[v];
    bool ok = h->size && key_of(&s->cfg, v, h->sl) < s->cfg.KEYS;
    can |= ok && has(d->ready[1], v) ? 1ull << v : 0;
  }
  d->waits = can ? d->waits + 1 : 0;
  d->grants = false;
  if (!can || d->rest || (!rng_chance(&s->rng, s->grant) && d->waits < PATIENCE))
    return;
  uint32_t v = some_vl(s, can);
  i->sched_grant_valid = 1;
  i->sched_grant_vl = v;
  i->sched_grant_key = key_of(&s->cfg, v, d->head[v].sl);
  i->sched_grant_size = d->head[v].size;
  d->rest = d->apart;
  d->grants = true;
}

static void next(void *st, uint64_t cycle, const void *out, void *in) {
  struct state *s = st;
  if (cycle >= s->phase_end)
    new_phase(s, cycle);
  user(s, cycle, out, in);
  scheduler(s, cycle, out, in);
}

/* ---- what must be seen ----------------------------------------------------------------------- */

static void must_be(struct judge *m, uint64_t cycle, const char *what, uint64_t is, uint64_t must) {
  if (is != must && !m->wrong[0])
    snprintf(m->wrong, sizeof m->wrong,
             "cycle %" PRIu64 ": %s is 0x%" PRIx64 ", must be 0x%" PRIx64, cycle, what, is, must);
}

static uint64_t bit(uint64_t vl) { return 1ull << vl; }

/* A grant of the scheduler is shown unless it is of what went ahead; what is alone goes. */
static void judge_grant(struct state *s, uint64_t cycle, const lone_in *i, const lone_out *o) {
  struct judge *m = &s->judge;
  bool lone = m->expect && !i->sched_grant_valid, pass = i->sched_grant_valid && !m->ahead;
  uint64_t vl = lone ? m->expect_vl : pass ? i->sched_grant_vl : 0;
  const struct head *h = &m->head[vl];
  must_be(m, cycle, "grant_valid", o->grant_valid, lone || pass);
  must_be(m, cycle, "grant_vl", o->grant_vl, vl);
  must_be(m, cycle, "grant_key", o->grant_key,
          lone || pass ? key_of(&s->cfg, (uint32_t)vl, h->sl) : 0);
  must_be(m, cycle, "grant_size", o->grant_size, lone || pass ? h->size : 0);
  if (!o->grant_valid)
    return;
  bool close = m->any_shown && cycle - m->last_shown < APART;
  must_be(m, cycle, "ready two cycles before a grant", has(m->ready[1], vl), 1);
  must_be(m, cycle, "request two cycles before a grant", m->asked[1], 1);
  must_be(m, cycle, "a grant too soon after the last", close, 0);
}

/* Whether a packet that was alone in the last cycle goes ahead in the next one. */
static bool expects(const struct state *s, uint64_t cycle, const lone_in *i, uint32_t *vl) {
  const struct judge *m = &s->judge;
  uint64_t set = m->ready[0];
  if (!m->asked[0] || !set || (set & (set - 1)))
    return false;
  *vl = loom_ctz(set);
  const struct head *h = &m->head[*vl];
  uint32_t key = key_of(&s->cfg, *vl, h->sl);
  bool quiet = !m->any || cycle > m->last + s->cfg.QUIET;
  bool may = h->size && key < s->cfg.KEYS && has(i->sched_served, key);
  return may && quiet && *vl != s->cfg.MGMT_VL && !m->ahead && !m->hidden &&
         (!m->train || m->train_vl == *vl);
}

static void judge_scheduler(struct judge *m, uint64_t cycle, bool expected, const lone_in *i,
                            const lone_out *o) {
  uint64_t one = m->unserved ? 0 : bit(m->ahead_vl);
  must_be(m, cycle, "sched_ready", o->sched_ready, m->ahead ? one : i->ready & ~m->hidden);
  must_be(m, cycle, "sched_request", o->sched_request,
          m->ahead || (i->request && !expected && !m->expect));
}

/* The scheduler is told of a head at once, or when it has granted what was there before. */
static void judge_head(struct judge *m, uint64_t cycle, const lone_in *i, const lone_out *o) {
  bool early = i->head_valid && m->ahead && i->head_vl == m->ahead_vl;
  bool late = !i->head_valid && !m->ahead && m->hidden;
  const struct head was = m->head[late ? m->ahead_vl : 0];
  const struct head now = {(uint32_t)i->head_size, (uint32_t)i->head_sl, i->head_last != 0};
  bool pass = i->head_valid && !early;
  const struct head must = late ? was : pass ? now : (struct head){0};
  must_be(m, cycle, "sched_head_valid", o->sched_head_valid, late || pass);
  must_be(m, cycle, "sched_head_vl", o->sched_head_vl, late ? m->ahead_vl : pass ? i->head_vl : 0);
  must_be(m, cycle, "sched_head_size", o->sched_head_size, must.size);
  must_be(m, cycle, "sched_head_sl", o->sched_head_sl, must.sl);
  must_be(m, cycle, "sched_head_last", o->sched_head_last, must.last);
  if (early)
    m->hidden = bit(i->head_vl);
  if (late)
    m->hidden = 0;
  if (i->head_valid)
    m->head[i->head_vl] = now;
}

/* What this cycle makes of the packet that is ahead: the scheduler grants it, or its key has no
 * entry any more. */
static void note_ahead(struct judge *m, bool lone, const lone_in *i, const lone_out *o) {
  m->unserved = m->ahead && !has(i->sched_served, m->ahead_key) ? m->unserved + 1 : 0;
  if (i->sched_grant_valid || m->unserved == GIVEN_UP)
    m->ahead = false;
  if (!i->sched_grant_valid && m->unserved == GIVEN_UP) {
    m->train = true;
    m->train_vl = m->ahead_vl;
  }
  if (lone) {
    m->ahead = true;
    m->ahead_vl = (uint32_t)o->grant_vl;
    m->ahead_key = (uint32_t)o->grant_key;
  }
}

static void note_grant(struct state *s, uint64_t cycle, const lone_in *i, const lone_out *o,
                       struct stats *stats) {
  struct judge *m = &s->judge;
  if (o->grant_valid || i->sched_grant_valid) {
    m->any = true;
    m->last = cycle;
  }
  if (!o->grant_valid)
    return;
  m->any_shown = true;
  m->last_shown = cycle;
  if (o->grant_vl != s->cfg.MGMT_VL) {
    m->train = !m->head[o->grant_vl].last;
    m->train_vl = (uint32_t)o->grant_vl;
  }
  struct packet_note n = {.cycle = cycle,
                          .vl = (uint32_t)o->grant_vl,
                          .dest = (uint32_t)o->grant_key,
                          .length = (uint32_t)o->grant_size};
  stats->grants++;
  stats->packets++;
  stats_note(stats, &n);
}

static void observe(void *st, uint64_t cycle, const void *in, const void *out, const void *probe,
                    struct stats *stats) {
  const lone_in *i = in;
  const lone_out *o = out;
  struct state *s = st;
  struct judge *m = &s->judge;
  (void)probe;
  uint32_t vl = 0;
  bool lone = o->grant_valid && !i->sched_grant_valid;
  judge_grant(s, cycle, i, o);
  note_grant(s, cycle, i, o, stats);
  bool expected = expects(s, cycle, i, &vl);
  judge_scheduler(m, cycle, expected, i, o);
  judge_head(m, cycle, i, o);
  note_ahead(m, lone, i, o);
  m->expect = expected;
  m->expect_vl = vl;
  m->ready[1] = m->ready[0];
  m->ready[0] = i->ready;
  m->asked[1] = m->asked[0];
  m->asked[0] = i->request;
}

static bool check(const void *st, char *why, size_t why_size) {
  const struct state *s = st;
  if (s->judge.wrong[0])
    snprintf(why, why_size, "%s", s->judge.wrong);
  return !s->judge.wrong[0];
}

static bool verdict(const void *st, const struct stats *stats, char *why, size_t why_size) {
  (void)stats;
  return check(st, why, why_size);
}

/* ---- searches -------------------------------------------------------------------------------- */

/* Two VLs, every state: a request or none, any ready bits that may be, no head event or one of
 * either VL, the last of its message or not, keys with an entry or without, a grant of either VL or
 * none. */
struct note {
  uint8_t known;    /* VLs whose head event has been, and whose packet was not granted since */
  uint8_t ready[2]; /* for the scheduler, one cycle ago and two */
  uint8_t rest;     /* cycles until it may grant again */
  uint8_t lost;     /* cycles without entries, up to GONE */
};

enum { READIES = 4, EVENTS = 5, GRANTS = 3, SERVED = 2, REQUESTS = 2 };

static uint32_t bfs_inputs(const void *cfg) {
  (void)cfg;
  return READIES * EVENTS * GRANTS * SERVED * REQUESTS;
}

static bool bfs_input(const void *cfg, const void *twin, uint32_t n, void *in) {
  lone_in *i = in;
  (void)cfg;
  (void)twin;
  uint32_t event = n / READIES % EVENTS, grant = n / (READIES * EVENTS) % GRANTS;
  i->request = n / (READIES * EVENTS * GRANTS * SERVED);
  i->ready = n % READIES;
  i->sched_served = n / (READIES * EVENTS * GRANTS) % SERVED ? 3 : 0;
  if (event) {
    i->head_valid = 1;
    i->head_vl = i->head_sl = (event - 1) % 2;
    i->head_size = 2 - i->head_vl;
    i->head_last = event < 3;
  }
  if (grant) {
    i->sched_grant_valid = 1;
    i->sched_grant_vl = i->sched_grant_key = grant - 1;
    i->sched_grant_size = 3 - grant;
  }
  return true;
}

static bool bfs_legal(const void *cfg, const void *note, void *in) {
  const struct note *n = note;
  const lone_in *i = in;
  (void)cfg;
  bool ready = !(i->ready & ~(uint64_t)n->known);
  bool head = !(i->head_valid && has(n->known, i->head_vl));
  bool grant = !i->sched_grant_valid || (!n->rest && has(n->ready[1], i->sched_grant_vl));
  return ready && head && grant && (!i->sched_served || n->lost <= 1 || n->lost == GONE);
}

static void bfs_after(void *note, const void *in, const void *out) {
  struct note *n = note;
  const lone_in *i = in;
  const lone_out *o = out;
  n->ready[1] = n->ready[0];
  n->ready[0] = (uint8_t)(o->sched_request ? o->sched_ready : 0);
  n->rest = (uint8_t)(i->sched_grant_valid ? APART - 1 : n->rest - (n->rest > 0));
  n->lost = (uint8_t)(i->sched_served ? 0 : n->lost + (n->lost < GONE));
  if (i->head_valid)
    n->known |= (uint8_t)bit(i->head_vl);
  if (o->grant_valid)
    n->known &= (uint8_t)~bit(o->grant_vl);
}

static const struct stim stim = {.size = sizeof(struct state),
                                 .episode = 20000,
                                 .init = init,
                                 .next = next,
                                 .observe = observe,
                                 .check = check,
                                 .verdict = verdict,
                                 .bfs_inputs = bfs_inputs,
                                 .bfs_input = bfs_input,
                                 .bfs_note_size = sizeof(struct note),
                                 .bfs_legal = bfs_legal,
                                 .bfs_after = bfs_after};
const struct dut lone_grant_dut = DUT_INIT(&stim);

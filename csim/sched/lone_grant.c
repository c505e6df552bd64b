/* SPDX-License-Identifier: Apache-2.0 */
/* lone_grant.c - twin of rtl/sched/loom_lone_grant.v, written from docs/lone_grant.md */
#include "sched/lone_grant.h"

#include <string.h>

#include "sched/sched_front.h"

enum { UNSERVED_END = 3 }; /* cycles after which no grant of a key without an entry can follow */

bool loom_lone_grant_cfg_ok(const struct loom_lone_grant_cfg *cfg) {
  return !loom_lone_grant_bad_param(cfg) && LOOM_SCHED_KEYS_OK(cfg);
}

void loom_lone_grant_init(struct loom_lone_grant *s, const struct loom_lone_grant_cfg *cfg) {
  memset(s, 0, sizeof *s);
  s->cfg = *cfg;
  s->mgmt = cfg->MGMT_VL < cfg->VLS ? 1u << cfg->MGMT_VL : 0;
}

static bool has(uint64_t set, uint32_t i) { return set >> i & 1; }

static uint32_t key_of(const struct loom_lone_grant *s, uint32_t vl) {
  return s->cfg.ARB_KEY ? s->head[vl].sl : vl;
}

/* ---- a packet that is alone ------------------------------------------------------------------ */

static bool is_one(const struct loom_lone_grant *s, const struct loom_sched_cycle *in) {
  uint32_t r = in->ready;
  return in->request && r && !(r & (r - 1)) && !(r & s->mgmt);
}

static bool attempts(const struct loom_lone_grant *s, const struct loom_lone_sched *sched) {
  bool waits = s->trying || s->ahead || s->late || s->quiet || sched->grant->valid;
  if (!s->one || waits || (s->train && s->train_vl != s->one_vl))
    return false;
  uint32_t key = key_of(s, s->one_vl);
  return s->head[s->one_vl].size > 0 && key < s->cfg.KEYS && has(sched->served, key);
}

struct loom_lone_granted loom_lone_grant_show(const struct loom_lone_grant *s,
                                              const struct loom_lone_granted *sched) {
  if (sched->valid && !s->ahead)
    return *sched;
  if (sched->valid || !s->trying)
    return (struct loom_lone_granted){0};
  return (struct loom_lone_granted){
      .valid = true, .early = true, .vl = s->try_vl, .key = s->try_key, .size = s->try_size};
}

/* ---- what the scheduler sees ----------------------------------------------------------------- */

static uint32_t sched_ready(const struct loom_lone_grant *s, const struct loom_sched_cycle *in) {
  uint32_t bit = 1u << s->ahead_vl;
  if (s->ahead)
    return s->unserved ? 0 : bit;
  return s->late ? in->ready & ~bit : in->ready;
}

/* The head event of this cycle is that of the VL that went ahead. */
static bool is_early(const struct loom_lone_grant *s, const struct loom_sched_cycle *in) {
  return s->ahead && in->head_valid && in->head_vl == s->ahead_vl;
}

/* A head that was kept back is told now. */
static bool shows_late(const struct loom_lone_grant *s, const struct loom_sched_cycle *in) {
  return s->late && !s->ahead && !in->head_valid;
}

static void show_head(const struct loom_lone_grant *s, const struct loom_sched_cycle *in,
                      struct loom_sched_cycle *out) {
  const struct loom_lone_head *h = &s->head[s->ahead_vl];
  out->head_valid = in->head_valid && !is_early(s, in);
  if (!shows_late(s, in))
    return;
  out->head_valid = true;
  out->head_vl = s->ahead_vl;
  out->head_size = h->size;
  out->head_sl = h->sl;
  out->head_last = h->last;
}

/* ---- a cycle --------------------------------------------------------------------------------- */

static void head_edge(struct loom_lone_grant *s, const struct loom_sched_cycle *in) {
  if (shows_late(s, in))
    s->late = false;
  if (is_early(s, in))
    s->late = true;
  if (!in->head_valid || in->head_vl >= s->cfg.VLS)
    return;
  uint32_t bit = 1u << in->head_vl;
  s->more = (s->more & ~bit) | (in->head_last ? 0 : bit);
  s->head[in->head_vl] =
      (struct loom_lone_head){.size = in->head_size, .sl = in->head_sl, .last = in->head_last};
}

static void train_edge(struct loom_lone_grant *s, const struct loom_lone_granted *g) {
  if (!g->valid || has(s->mgmt, g->vl))
    return;
  s->train = has(s->more, g->vl);
  s->train_vl = g->vl;
}

static void ahead_edge(struct loom_lone_grant *s, const struct loom_lone_sched *sched,
                       const struct loom_lone_granted *g) {
  bool lacks = s->ahead && !has(sched->served, s->ahead_key);
  bool ends = sched->grant->valid || s->unserved == UNSERVED_END;
  if (g->early) {
    s->ahead_vl = g->vl;
    s->ahead_key = g->key;
  }
  if (s->ahead && s->unserved == UNSERVED_END && !sched->grant->valid) {
    s->train = true;
    s->train_vl = s->ahead_vl;
  }
  s->ahead = g->early || (s->ahead && !ends);
  s->unserved = (uint8_t)(lacks ? (s->unserved + 1) % 4 : 0);
}

static void quiet_edge(struct loom_lone_grant *s, bool granted) {
  if (granted)
    s->quiet = (uint8_t)s->cfg.QUIET;
  else
    s->quiet = (uint8_t)(s->quiet - (s->quiet > 0));
}

static void one_edge(struct loom_lone_grant *s, const struct loom_sched_cycle *in, bool attempt) {
  s->trying = attempt;
  if (attempt) {
    s->try_vl = s->one_vl;
    s->try_key = (uint8_t)key_of(s, s->one_vl);
    s->try_size = s->head[s->one_vl].size;
  }
  s->one = is_one(s, in);
  s->one_vl = (uint8_t)(s->one ? loom_ctz(in->ready) : 0);
}

/* Nobody is granted, nothing went ahead, and no head comes. */
static bool is_quiet(const struct loom_lone_grant *s, const struct loom_lone_sched *sched,
                     const struct loom_sched_cycle *in) {
  return !s->trying && !s->ahead && !s->late && !s->unserved && !sched->grant->valid &&
         !in->head_valid;
}

bool loom_lone_grant_edge(struct loom_lone_grant *s, const struct loom_sched_cycle *in,
                          const struct loom_lone_sched *sched, struct loom_sched_cycle *out) {
  bool attempt = attempts(s, sched), quiet = is_quiet(s, sched, in);
  *out = *in;
  out->request = s->ahead || (in->request && !attempt && !s->trying);
  if (quiet) {
    bool one = s->one, ends = s->quiet == 1;
    uint8_t vl = s->one_vl;
    one_edge(s, in, attempt);
    quiet_edge(s, false);
    return attempt || ends || s->one != one || s->one_vl != vl;
  }
  const struct loom_lone_granted g = loom_lone_grant_show(s, sched->grant);
  out->ready = sched_ready(s, in);
  show_head(s, in, out);
  one_edge(s, in, attempt);
  train_edge(s, &g);
  head_edge(s, in);
  ahead_edge(s, sched, &g);
  quiet_edge(s, g.valid || sched->grant->valid);
  return true;
}

void loom_lone_grant_step(struct loom_lone_grant *s, const struct loom_lone_grant_in *in,
                          struct loom_lone_grant_out *out) {
  const struct loom_lone_granted grant = {.valid = in->sched_grant_valid != 0,
                                          .vl = (uint8_t)in->sched_grant_vl,
                                          .key = (uint8_t)in->sched_grant_key,
                                          .size = (uint16_t)in->sched_grant_size};
  const struct loom_lone_sched sched = {.grant = &grant, .served = (uint32_t)in->sched_served};
  const struct loom_sched_cycle cycle = {LOOM_SCHED_HEADS(in), .head_last = in->head_last != 0};
  const struct loom_lone_granted g = loom_lone_grant_show(s, &grant);
  struct loom_sched_cycle shown;
  loom_lone_grant_edge(s, &cycle, &sched, &shown);
  *out = (struct loom_lone_grant_out){.grant_valid = g.valid,
                                      .grant_vl = g.vl,
                                      .grant_key = g.key,
                                      .grant_size = g.size,
                                      .sched_request = shown.request,
                                      .sched_ready = shown.ready};
  if (!shown.head_valid)
    return;
  out->sched_head_valid = 1;
  out->sched_head_vl = shown.head_vl;
  out->sched_head_size = shown.head_size;
  out->sched_head_sl = shown.head_sl;
  out->sched_head_last = shown.head_last;
}

void loom_lone_grant_probe(const struct loom_lone_grant *s, struct loom_lone_grant_probe *p) {
  p->one = s->one;
  p->ahead = s->ahead;
  p->late = s->late;
  p->quiet = s->quiet;
  p->train = s->train;
  p->loom_end = 0;
}

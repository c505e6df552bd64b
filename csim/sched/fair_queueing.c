/* SPDX-License-Identifier: Apache-2.0 */
/* fair_queueing.c - twin of rtl/sched/loom_fair_queueing.v, written from docs/fair_queueing.md
 *
 * A cycle: first the decision and all steps are worked out, while the registers still hold their
 * old values; then the grant, the engine, the head event and the write take effect. */
#include "sched/fair_queueing.h"

#include <string.h>

#include "sched/sched_front.h"

enum { PAUSE = 6, PRICE_BITS_AND_MORE = 17, PICKS_AGAIN = 3 };

bool loom_fair_queueing_cfg_ok(const struct loom_fair_queueing_cfg *cfg) {
  return !loom_fair_queueing_bad_param(cfg) && LOOM_SCHED_KEYS_OK(cfg);
}

void loom_fair_queueing_init(struct loom_fair_queueing *s,
                             const struct loom_fair_queueing_cfg *cfg) {
  struct loom_turns_cfg turns = {.vls = cfg->VLS,
                                 .keys = cfg->KEYS,
                                 .mgmt_vl = cfg->MGMT_VL,
                                 .stay_cycles = cfg->STAY_CYCLES,
                                 .pause = PAUSE,
                                 .arb_key = cfg->ARB_KEY};
  memset(s, 0, sizeof *s);
  loom_turns_init(&s->turns, &turns);
  s->stamp_mask = (uint32_t)loom_mask(cfg->SIZE_W + PRICE_BITS_AND_MORE);
  memset(s->price, 1, sizeof s->price);
}

static bool before(const struct loom_fair_queueing *s, uint32_t a, uint32_t b) {
  uint32_t highest = (s->stamp_mask >> 1) + 1;
  return (a - b) & highest;
}

/* ---- the five steps -------------------------------------------------------------------------- */

static struct loom_fair_place smaller(const struct loom_fair_queueing *s, struct loom_fair_place a,
                                      struct loom_fair_place b) {
  bool takes_b = b.some && (!a.some || before(s, b.stamp, a.stamp));
  return takes_b ? b : a;
}

static struct loom_fair_place place_of(const struct loom_fair_queueing *s, uint32_t eligible,
                                       uint32_t vl) {
  return (struct loom_fair_place){
      .some = eligible >> vl & 1, .vl = (uint8_t)vl, .stamp = s->stamp[vl]};
}

static void halve(const struct loom_fair_queueing *s, struct loom_fair_place *to,
                  const struct loom_fair_place *from, uint32_t places) {
  for (uint32_t p = 0; p < places; p++)
    to[p] = smaller(s, from[2 * p], from[2 * p + 1]);
}

/* From the last to the first, as each looks at the one before it. */
static void steps_edge(struct loom_fair_queueing *s, uint32_t eligible) {
  halve(s, &s->c5, s->c4, 1);
  halve(s, s->c4, s->c3, 2);
  halve(s, s->c3, s->c2, 4);
  halve(s, s->c2, s->c1, 8);
  for (uint32_t p = 0; p < 16; p++)
    s->c1[p] = smaller(s, place_of(s, eligible, 2 * p), place_of(s, eligible, 2 * p + 1));
}

static uint32_t eligible(const struct loom_fair_queueing *s) {
  const struct loom_turns *t = &s->turns;
  return (t->held | s->kept | (t->go & s->stamped)) & ~t->mgmt;
}

/* ---- the decision ---------------------------------------------------------------------------- */

/* What c5 found is still as it was. */
static struct loom_turns_next found(const struct loom_fair_queueing *s) {
  uint32_t vl = s->c5.vl;
  bool same = s->c5.some && s->stamped >> vl & 1 && s->stamp[vl] == s->c5.stamp;
  return (struct loom_turns_next){
      .some = same, .vl = s->c5.vl, .key = (uint8_t)s->turns.head[vl].key};
}

static void grant_edge(struct loom_fair_queueing *s, const struct loom_fair_place *granted) {
  s->stamped &= ~(1u << granted->vl);
  if (before(s, s->now, granted->stamp))
    s->now = granted->stamp;
}

/* A VL that was granted by its stamp has that of a packet of one unit, until it has its own. */
static void expect_edge(struct loom_fair_queueing *s) {
  const struct loom_turns *t = &s->turns;
  if (t->grant_valid && t->grant_vl != t->cfg.mgmt_vl)
    s->stamp[t->grant_vl] = (s->now + s->price[t->grant_key]) & s->stamp_mask;
}

/* ---- the engine ------------------------------------------------------------------------------ */

/* After a stamp, and with no other to make, something is raised. */
static void pick(struct loom_fair_queueing *s) {
  struct loom_fair_job *job = &s->job;
  bool raises = job->step && job->stamps && !s->fresh;
  job->step = loom_turns_ready(&s->turns) && (s->fresh || raises);
  job->stamps = s->fresh != 0;
  if (!job->step || raises)
    return;
  job->vl = loom_turns_first(s->fresh, 0);
  s->fresh &= s->fresh - 1;
}

static void look_up(struct loom_fair_queueing *s) {
  struct loom_fair_job *job = &s->job;
  job->step = 2;
  job->size = job->price = 0;
  if (job->stamps) {
    const struct loom_turns_head *head = &s->turns.head[job->vl];
    job->key = head->key;
    job->size = head->size;
    job->price = s->price[job->key];
    job->from = s->finish[job->key];
  } else if (s->scan_keys) {
    job->from = s->finish[s->scan];
  } else {
    job->from = s->stamp[s->scan];
  }
}

static void price_it(struct loom_fair_queueing *s) {
  struct loom_fair_job *job = &s->job;
  job->step = 3;
  bool as_it_is = job->stamps && s->kept >> job->vl & 1;
  job->base = !as_it_is && before(s, job->from, s->now) ? s->now : job->from;
  job->cost = job->price * job->size;
}

/* `told`: VLs with a head event in this cycle. */
static void stamp_it(struct loom_fair_queueing *s, uint32_t told) {
  const struct loom_fair_job *job = &s->job;
  uint32_t stamp = (job->base + job->cost) & s->stamp_mask;
  s->finish[job->key] = s->stamp[job->vl] = stamp;
  uint32_t vl = 1u << job->vl & ~s->fresh & ~told;
  s->stamped |= vl;
  s->kept &= ~vl;
}

static void raise_it(struct loom_fair_queueing *s) {
  const struct loom_turns_cfg *cfg = &s->turns.cfg;
  uint32_t stamp = (s->job.base + s->job.cost) & s->stamp_mask, last = cfg->vls;
  if (s->scan_keys && s->scan < cfg->keys)
    s->finish[s->scan] = stamp;
  if (!s->scan_keys && s->scan < cfg->vls && s->stamped >> s->scan & 1)
    s->stamp[s->scan] = stamp;
  last = last > cfg->keys ? last : cfg->keys;
  if (!s->scan_keys)
    s->scan = (s->scan + 1) % last;
  s->scan_keys = !s->scan_keys;
}

static void engine_edge(struct loom_fair_queueing *s, uint32_t told) {
  uint32_t step = s->job.step;
  if (step == PICKS_AGAIN && s->job.stamps)
    stamp_it(s, told);
  else if (step == PICKS_AGAIN)
    raise_it(s);
  if (step == 1)
    look_up(s);
  else if (step == 2)
    price_it(s);
  else
    pick(s);
}

/* ---- heads and registers --------------------------------------------------------------------- */

/* The VL of the head event of this cycle, if it may get a stamp. */
static uint32_t told_in(const struct loom_fair_queueing *s, const struct loom_sched_cycle *in) {
  const struct loom_turns *t = &s->turns;
  return loom_turns_has_head(t, in) ? 1u << in->head_vl & ~t->mgmt : 0;
}

static void head_edge(struct loom_fair_queueing *s, const struct loom_sched_cycle *in,
                      uint32_t told, uint32_t held) {
  const struct loom_turns *t = &s->turns;
  if (!told)
    return;
  bool good = in->head_size > 0 && loom_turns_key(t, in) < t->cfg.keys;
  s->stamped &= ~told;
  s->fresh = (s->fresh & ~told) | (good ? told : 0);
  bool keeps = good && loom_turns_key(t, in) == t->head[in->head_vl].key;
  s->kept = keeps ? s->kept | (told & held) : s->kept & ~told;
}

static void write_edge(struct loom_fair_queueing *s, const struct loom_sched_cycle *in) {
  if (!in->table_we || !loom_turns_ready(&s->turns) || in->table_addr >= s->turns.cfg.keys)
    return;
  uint32_t price = LOOM_GET(LOOM_FAIR_REG_PRICE_PRICE, in->table_data);
  s->price[in->table_addr] = (uint8_t)(price ? price : 1);
}

static uint32_t table_read(const struct loom_fair_queueing *s, uint32_t addr) {
  if (!loom_turns_ready(&s->turns))
    return 0;
  if (addr == LOOM_FAIR_REG_NOW)
    return LOOM_PUT(LOOM_FAIR_REG_NOW_NOW, s->now);
  return addr < s->turns.cfg.keys ? LOOM_PUT(LOOM_FAIR_REG_PRICE_PRICE, s->price[addr]) : 0;
}

/* ---- step ------------------------------------------------------------------------------------ */

void loom_fair_queueing_show(const struct loom_fair_queueing *s,
                             struct loom_fair_queueing_out *out) {
  const struct loom_turns *t = &s->turns;
  memset(out, 0, sizeof *out);
  out->table_rdata = s->table_rdata;
  out->ready = loom_turns_ready(t);
  out->busy = !loom_turns_ready(t);
  out->grant_valid = t->grant_valid;
  out->grant_vl = t->grant_vl;
  out->grant_key = t->grant_key;
  out->grant_size = t->grant_size;
}

bool loom_fair_queueing_edge(struct loom_fair_queueing *s, const struct loom_sched_cycle *in) {
  struct loom_turns *t = &s->turns;
  uint32_t told = told_in(s, in), held = t->held;
  t->next = found(s);
  enum loom_turns_verdict verdict = loom_turns_decide(t, false);

  s->table_rdata = table_read(s, s->addr);
  s->addr = in->table_addr;
  struct loom_fair_place decided = s->c5;
  steps_edge(s, eligible(s));
  engine_edge(s, told);
  expect_edge(s);
  if (verdict == LOOM_TURNS_NEXT)
    grant_edge(s, &decided);
  head_edge(s, in, told, held);
  write_edge(s, in);
  loom_turns_edge(t, in, verdict);
  return true;
}

void loom_fair_queueing_step(struct loom_fair_queueing *s, const struct loom_fair_queueing_in *in,
                             struct loom_fair_queueing_out *out) {
  loom_fair_queueing_show(s, out);
  loom_fair_queueing_edge(s, &LOOM_SCHED_CYCLE(in));
}

bool loom_fair_queueing_is_calm(const struct loom_fair_queueing *s) {
  return loom_turns_is_calm(&s->turns) && !s->job.step && !s->fresh;
}

void loom_fair_queueing_probe(const struct loom_fair_queueing *s,
                              struct loom_fair_queueing_probe *p) {
  p->now = s->now;
  p->stamped = s->stamped;
  p->fresh = s->fresh;
  p->step = s->job.step;
  p->pause = s->turns.pause;
  p->held = s->turns.held;
  p->kept = s->kept;
  p->loom_end = 0;
}

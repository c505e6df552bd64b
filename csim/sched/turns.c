/* SPDX-License-Identifier: Apache-2.0 */
/* turns.c - what the twins of docs/turns.md share, written from it
 *
 * Inside: round_robin, bandwidth_table, deficit_round_robin, and fair_queueing.
 */
#include "sched/turns.h"

#include <string.h>

enum { STAY_OF_THE_OLDER = 5, TOP_BIT = LOOM_TURNS_KEY_BITS - 1 };

void loom_turns_init(struct loom_turns *t, const struct loom_turns_cfg *cfg) {
  memset(t, 0, sizeof *t);
  t->cfg = *cfg;
  t->mgmt = cfg->mgmt_vl < cfg->vls ? 1u << cfg->mgmt_vl : 0;
  memset(t->last_vl, (int)(cfg->vls - 1), sizeof t->last_vl);
}

/* ---- the steps ------------------------------------------------------------------------------- */

struct loom_turns_order loom_turns_order(const struct loom_turns *t) {
  struct loom_turns_order o = {.same = (uint32_t)loom_mask(t->cfg.vls)};
  for (uint32_t bit = LOOM_TURNS_KEY_BITS; bit-- > 0;) {
    uint32_t ones = o.same & t->key_bit[bit];
    if (t->cur >> bit & 1) {
      o.same = ones;
    } else {
      o.above |= ones;
      o.same &= ~ones;
    }
  }
  return o;
}

/* Those with the lower key stay, by one bit of it. */
static struct loom_turns_left halve(const struct loom_turns *t, struct loom_turns_left x,
                                    uint32_t bit) {
  uint32_t zeros = x.set & ~t->key_bit[bit];
  return (struct loom_turns_left){.set = zeros ? zeros : x.set, .key = x.key << 1 | !zeros};
}

struct loom_turns_left loom_turns_step1(const struct loom_turns *t, uint32_t set) {
  return halve(t, (struct loom_turns_left){.set = set}, TOP_BIT);
}

struct loom_turns_left loom_turns_step2(const struct loom_turns *t) {
  return halve(t, halve(t, t->c1, TOP_BIT - 1), TOP_BIT - 2);
}

struct loom_turns_left loom_turns_step3(const struct loom_turns *t) {
  return halve(t, halve(t, t->c2, 1), 0);
}

struct loom_turns_next loom_turns_step4(const struct loom_turns *t) {
  uint32_t from = t->last_vl[t->c3.key] + 1u;
  return (struct loom_turns_next){.some = t->c3.set != 0,
                                  .vl = (uint8_t)loom_turns_first(t->c3.set, from),
                                  .key = (uint8_t)t->c3.key};
}

/* ---- the decision ---------------------------------------------------------------------------- */

enum loom_turns_verdict loom_turns_decide(const struct loom_turns *t, bool wait) {
  if (!t->asked || t->pause || wait || !loom_turns_ready(t))
    return LOOM_TURNS_NOTHING;
  if (t->go & t->mgmt)
    return LOOM_TURNS_MGMT;
  return loom_turns_is_there(t) ? LOOM_TURNS_NEXT : LOOM_TURNS_NOTHING;
}

static void grant(struct loom_turns *t, uint32_t vl) {
  t->grant_valid = true;
  t->grant_vl = vl;
  t->grant_key = t->head[vl].key;
  t->grant_size = t->head[vl].size;
}

/* The VL that is granted is held, and the one granted shortly before it, for its rest and a bit. */
static void hold(struct loom_turns *t, uint32_t vl) {
  t->held = 1u << vl | (t->stay > 1 ? t->young : 0);
  t->young = 1u << vl;
  t->stay = t->cfg.stay_cycles;
}

static void hold_on(struct loom_turns *t) {
  if (t->stay == STAY_OF_THE_OLDER)
    t->held = t->young;
  if (t->stay == 1)
    t->held = t->young = 0;
  t->stay -= t->stay > 0;
}

static void decision_edge(struct loom_turns *t, enum loom_turns_verdict verdict) {
  t->grant_valid = false;
  t->grant_vl = t->grant_key = t->grant_size = 0;
  t->pause -= t->pause > 0;
  if (verdict != LOOM_TURNS_NOTHING || !loom_turns_ready(t))
    t->pause = t->cfg.pause;
  if (verdict == LOOM_TURNS_MGMT)
    grant(t, t->cfg.mgmt_vl);
  if (verdict == LOOM_TURNS_NEXT) {
    grant(t, t->next.vl);
    t->cur = t->next.key;
    t->last_vl[t->next.key] = t->next.vl;
  }
  if (verdict == LOOM_TURNS_NEXT && t->cfg.stay_cycles)
    hold(t, t->next.vl);
  else
    hold_on(t);
}

/* ---- heads and ready bits -------------------------------------------------------------------- */

static uint32_t with_bit(uint32_t set, uint32_t bit, bool in) {
  return (set & ~bit) | (in ? bit : 0);
}

static void head_edge(struct loom_turns *t, const struct loom_sched_cycle *in) {
  if (!loom_turns_has_head(t, in))
    return;
  uint32_t key = loom_turns_key(t, in), vl = 1u << in->head_vl;
  t->head[in->head_vl] =
      (struct loom_turns_head){.size = (uint16_t)in->head_size, .key = (uint8_t)key};
  for (uint32_t bit = 0; bit < LOOM_TURNS_KEY_BITS; bit++)
    t->key_bit[bit] = with_bit(t->key_bit[bit], vl, key >> bit & 1);
  t->ok = with_bit(t->ok, vl, in->head_size > 0 && key < t->cfg.keys);
}

void loom_turns_edge(struct loom_turns *t, const struct loom_sched_cycle *in,
                     enum loom_turns_verdict verdict) {
  decision_edge(t, verdict);
  t->go = in->ready & t->ok;
  t->asked = in->request;
  head_edge(t, in);
  t->swept += !loom_turns_ready(t);
}

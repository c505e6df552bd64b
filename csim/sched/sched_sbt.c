/* SPDX-License-Identifier: Apache-2.0 */
/* sched_sbt.c - twin of rtl/sched/loom_sched_sbt.v, written from docs/sched.md */
#include "sched/sched_sbt.h"

#include <string.h>

bool loom_sched_sbt_cfg_ok(const struct loom_sched_sbt_cfg *cfg) {
  return !loom_sched_sbt_bad_param(cfg) && LOOM_SCHED_KEYS_OK(cfg);
}

void loom_sched_sbt_init(struct loom_sched_sbt *s, const struct loom_sched_sbt_cfg *cfg) {
  memset(s, 0, sizeof *s);
  loom_sched_front_init(&s->front, cfg->VLS, cfg->KEYS, cfg->ARB_KEY, cfg->MGMT_VL);
}

/* ---- SEARCH ---------------------------------------------------------------------------------- */

/* Text and sum-zero: which key. */
static struct loom_sbt_choice search_key(const struct loom_sched_sbt *s) {
  uint32_t active = s->front.active;
  uint32_t rich = active & s->rich, weighted = active & s->weighted;
  struct loom_sbt_choice c = {.charged = true};
  if (rich) {
    c.key = (uint8_t)loom_ctz_from(rich, s->cur);
  } else if (weighted && (s->mode != LOOM_SBT_SUM_ZERO || !s->rich)) {
    c.restore = true;
    c.key = (uint8_t)loom_ctz_from(weighted, s->cur + 1);
  } else {
    c.charged = false;
    c.key = (uint8_t)loom_ctz_from(active, s->cur + 1);
  }
  return c;
}

/* VLs whose key has weight left. */
static uint32_t rich_vls(const struct loom_sched_sbt *s) {
  uint32_t vls = 0;
  for (uint32_t keys = s->front.active & s->rich; keys; keys &= keys - 1)
    vls |= s->front.vls_of[loom_ctz(keys)];
  return vls;
}

/* The last VL of a scan that starts at place p and goes around; vls must not be 0. */
static uint32_t last_of_scan(uint32_t vls, uint32_t p) {
  uint32_t wrapped = vls & (uint32_t)loom_mask(p);
  return 31u - (uint32_t)__builtin_clz(wrapped ? wrapped : vls);
}

/* Literal: which VL (SC-03, quirks 6 to 8). */
static struct loom_sbt_choice search_vl(const struct loom_sched_sbt *s) {
  uint32_t vls = loom_sched_data_vls(&s->front), rich = rich_vls(s);
  struct loom_sbt_choice c = {.literal = true};
  if (rich) {
    c.charged = true;
    c.vl = (uint8_t)loom_ctz_from(rich, s->last);
  } else {
    c.vl = (uint8_t)last_of_scan(vls, s->last);
    c.restore = loom_popcount(vls) == loom_popcount(s->weighted);
  }
  c.key = s->front.key[c.vl];
  return c;
}

static bool search(struct loom_sched_front *f) {
  struct loom_sched_sbt *s = (struct loom_sched_sbt *)f;
  if (!f->active)
    return false;
  s->choice = s->mode == LOOM_SBT_LITERAL ? search_vl(s) : search_key(s);
  return true;
}

/* ---- DECIDE ---------------------------------------------------------------------------------- */

static void set_remaining(struct loom_sched_sbt *s, uint32_t key, uint8_t remaining) {
  s->remaining[key] = remaining;
  s->rich = (s->rich & ~(1u << key)) | (remaining ? 1u << key : 0);
}

static void decide(struct loom_sched_front *f) {
  struct loom_sched_sbt *s = (struct loom_sched_sbt *)f;
  struct loom_sbt_choice c = s->choice;
  if (c.restore) {
    memcpy(s->remaining, s->weight, sizeof s->remaining);
    s->rich = s->weighted;
  }
  if (c.charged && s->remaining[c.key])
    set_remaining(s, c.key, (uint8_t)(s->remaining[c.key] - 1));
  s->cur = c.key;
  if (c.literal)
    s->last = c.vl;
  loom_sched_grant(f, c.literal ? c.vl : loom_sched_choose(f, c.key));
}

/* ---- the table ------------------------------------------------------------------------------- */

static void table_write(struct loom_sched_front *f, uint32_t addr, uint32_t data) {
  struct loom_sched_sbt *s = (struct loom_sched_sbt *)f;
  if (addr < f->keys) {
    s->weight[addr] = LOOM_GET(LOOM_SBT_REG_WEIGHT_WEIGHT, data);
    s->weighted = (s->weighted & ~(1u << addr)) | (s->weight[addr] ? 1u << addr : 0);
    set_remaining(s, addr, s->weight[addr]);
  } else if (addr == LOOM_SBT_REG_MODE) {
    s->mode = LOOM_GET(LOOM_SBT_REG_MODE_MODE, data);
  }
}

static uint32_t table_read(const struct loom_sched_front *f, uint32_t addr) {
  const struct loom_sched_sbt *s = (const struct loom_sched_sbt *)f;
  if (addr < f->keys)
    return LOOM_PUT(LOOM_SBT_REG_WEIGHT_REMAINING, s->remaining[addr]) |
           LOOM_PUT(LOOM_SBT_REG_WEIGHT_WEIGHT, s->weight[addr]);
  return addr == LOOM_SBT_REG_MODE ? s->mode : 0;
}

const struct loom_sched_policy loom_sched_sbt_policy = {
    .search = search, .decide = decide, .table_write = table_write, .table_read = table_read};

void loom_sched_sbt_step(struct loom_sched_sbt *s, const struct loom_sched_sbt_in *in,
                         struct loom_sched_sbt_out *out) {
  LOOM_SCHED_SHOW(&s->front, out);
  loom_sched_edge(&s->front, &loom_sched_sbt_policy, LOOM_SCHED_INPUTS(in));
}

void loom_sched_sbt_probe(const struct loom_sched_sbt *s, struct loom_sched_sbt_probe *p) {
  LOOM_SCHED_PROBE(&s->front, p);
  p->cur = s->cur;
  p->last = s->last;
}

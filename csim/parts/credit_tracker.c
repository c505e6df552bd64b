/* SPDX-License-Identifier: Apache-2.0 */
/* credit_tracker.c - twin of rtl/parts/loom_credit_tracker.v, written from docs/parts.md */
#include "parts/credit_tracker.h"

#include <string.h>

bool loom_credit_tracker_cfg_ok(const struct loom_credit_tracker_cfg *cfg) {
  return !loom_credit_tracker_bad_param(cfg) && (uint64_t)cfg->VLS * cfg->RESERVED <= cfg->UNITS &&
         cfg->UNITS <= cfg->MAX_UNITS && cfg->MAX_UNITS < 1u << cfg->COUNT_W;
}

/* What follows from the registers: after a change of the configuration or of pool_used. */
static void derive(struct loom_credit_tracker *s) {
  s->config_ok = s->reserved_sum <= s->total && s->total <= s->max_units;
  s->pool_free = s->config_ok ? s->total - s->reserved_sum - s->pool_used : 0;
}

void loom_credit_tracker_init(struct loom_credit_tracker *s,
                              const struct loom_credit_tracker_cfg *cfg) {
  memset(s, 0, sizeof *s);
  s->vls = cfg->VLS;
  s->max_units = cfg->MAX_UNITS;
  s->count_mask = (uint32_t)loom_mask(cfg->COUNT_W);
  s->total = cfg->UNITS;
  s->reserved_sum = cfg->VLS * cfg->RESERVED;
  for (uint32_t vl = 0; vl < s->vls; vl++) {
    s->lane[vl].reserved = (uint16_t)cfg->RESERVED;
    s->lane[vl].cap = (uint16_t)cfg->UNITS;
  }
  derive(s);
}

/* A write while no unit is in use. */
static void configure(struct loom_credit_tracker *s, uint32_t addr, uint32_t data) {
  data &= s->count_mask;
  uint32_t vl = addr % LOOM_VLS;
  if (addr < LOOM_TRACKER_REG_RESERVED + s->vls) {
    s->reserved_sum = s->reserved_sum - s->lane[vl].reserved + data;
    s->lane[vl].reserved = (uint16_t)data;
  } else if (addr >= LOOM_TRACKER_REG_CAP && addr < LOOM_TRACKER_REG_CAP + s->vls) {
    s->lane[vl].cap = (uint16_t)data;
  } else if (addr == LOOM_TRACKER_REG_TOTAL) {
    s->total = data;
  }
}

static bool means_something(const struct loom_credit_tracker *s, uint32_t addr) {
  return addr == LOOM_TRACKER_REG_TOTAL ||
         (addr < LOOM_TRACKER_REG_TOTAL && addr % LOOM_VLS < s->vls);
}

/* Units of the VL that come out of the pool. */
static uint32_t from_pool(const struct loom_credit_tracker *s, uint32_t vl) {
  return s->lane[vl].used > s->lane[vl].reserved ? (uint32_t)s->lane[vl].used - s->lane[vl].reserved
                                                 : 0;
}

static void set_used(struct loom_credit_tracker *s, uint32_t vl, uint32_t used) {
  s->pool_used -= from_pool(s, vl);
  s->lane[vl].used = (uint16_t)used;
  s->pool_used += from_pool(s, vl);
  if (used)
    s->used_mask |= 1u << vl;
  else
    s->used_mask &= ~(1u << vl);
}

bool loom_credit_tracker_cycle(struct loom_credit_tracker *s,
                               const struct loom_credit_tracker_in *in) {
  s->error = false;
  if (!(in->cfg_we | in->consume_valid | in->return_valid))
    return false;

  /* All decisions look at the state before the edge. */
  uint32_t vl = (uint32_t)in->consume_vl, back = (uint32_t)in->return_vl;
  bool ok = in->consume_valid && !in->cfg_we && vl < s->vls && in->consume_size >= 1 &&
            in->consume_size <= loom_credit_tracker_avail(s, vl);
  bool returned = in->return_valid && back < s->vls && s->used_mask >> back & 1;
  s->error = in->return_valid && !returned;

  if (in->cfg_we && !s->used_mask)
    configure(s, (uint32_t)in->cfg_addr, (uint32_t)in->cfg_data);
  else if (in->cfg_we && means_something(s, (uint32_t)in->cfg_addr))
    s->error = true;
  if (returned)
    set_used(s, back, s->lane[back].used - 1u);
  if (ok)
    set_used(s, vl, s->lane[vl].used + (uint32_t)in->consume_size);
  derive(s);
  return ok;
}

bool loom_credit_tracker_consume(struct loom_credit_tracker *s, uint32_t vl, uint32_t size) {
  if (size < 1 || size > loom_credit_tracker_avail(s, vl))
    return false;
  set_used(s, vl, s->lane[vl].used + size);
  derive(s);
  return true;
}

void loom_credit_tracker_step(struct loom_credit_tracker *s,
                              const struct loom_credit_tracker_in *in,
                              struct loom_credit_tracker_out *out) {
  memset(out, 0, sizeof *out);
  for (uint32_t vl = 0; vl < s->vls; vl++) {
    out->avail[vl] = loom_credit_tracker_avail(s, vl);
    out->used[vl] = s->lane[vl].used;
  }
  out->config_ok = s->config_ok;
  out->error = s->error;
  out->consume_ok = loom_credit_tracker_cycle(s, in);
}

void loom_credit_tracker_probe(const struct loom_credit_tracker *s,
                               struct loom_credit_tracker_probe *p) {
  p->pool_used = s->pool_used;
  p->loom_end = 0;
}

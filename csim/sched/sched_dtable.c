/* SPDX-License-Identifier: Apache-2.0 */
/* sched_dtable.c - twin of rtl/sched/loom_sched_dtable.v, written from docs/sched.md */
#include "sched/sched_dtable.h"

#include <string.h>

enum { IB_MOST = 255 }; /* of a counter in the InfiniBand image (DT-11) */

bool loom_sched_dtable_cfg_ok(const struct loom_sched_dtable_cfg *cfg) {
  return !loom_sched_dtable_bad_param(cfg) && LOOM_SCHED_KEYS_OK(cfg);
}

void loom_sched_dtable_init(struct loom_sched_dtable *s, const struct loom_sched_dtable_cfg *cfg) {
  memset(s, 0, sizeof *s);
  loom_sched_front_init(&s->front, cfg->VLS, cfg->KEYS, cfg->ARB_KEY, cfg->MGMT_VL);
  loom_sched_table_init(&s->table, cfg->ENTRIES);
  s->most = cfg->IB_WEIGHTS ? IB_MOST : UINT16_MAX;
  s->ptr = cfg->ENTRIES - 1;
}

/* The selection ends; its key keeps `rest` for its next one. */
static void drop_selection(struct loom_sched_dtable *s, uint32_t rest) {
  s->deficit[s->cur] = (uint16_t)rest;
  s->acc = 0;
  s->cur_valid = false;
}

static bool search(struct loom_sched_front *f) {
  struct loom_sched_dtable *s = (struct loom_sched_dtable *)f;
  if (f->active) {
    s->next = loom_sched_table_next(&s->table, s->ptr, f->active);
    if (s->next.valid || (s->cur_valid && loom_sched_is_active(f, s->cur)))
      return true;
  }
  if (s->cur_valid)
    drop_selection(s, 0);
  return false;
}

/* The current selection goes on if it can; true if it sends. */
static bool go_on(struct loom_sched_dtable *s) {
  struct loom_sched_front *f = &s->front;
  if (!s->cur_valid)
    return false;
  if (!loom_sched_is_active(f, s->cur)) {
    drop_selection(s, 0);
    return false;
  }
  uint32_t vl = loom_sched_keep(f, s->cur);
  if (f->size[vl] > s->acc) {
    drop_selection(s, s->acc);
    return false;
  }
  s->acc -= f->size[vl];
  loom_sched_grant(f, vl);
  return true;
}

/* The entry found becomes the selection if it can send a packet, else its weight is saved up. */
static void select_next(struct loom_sched_dtable *s) {
  struct loom_sched_front *f = &s->front;
  uint32_t key = s->next.key, vl = loom_sched_choose(f, key);
  uint32_t base = loom_min(s->deficit[key] + s->next.weight, s->most);
  s->ptr = s->next.index;
  if (f->size[vl] > base) {
    s->deficit[key] = (uint16_t)base;
    return;
  }
  s->cur = key;
  s->cur_valid = true;
  s->acc = base - f->size[vl];
  loom_sched_grant(f, vl);
}

static void decide(struct loom_sched_front *f) {
  struct loom_sched_dtable *s = (struct loom_sched_dtable *)f;
  if (!go_on(s) && s->next.valid)
    select_next(s);
}

static void table_write(struct loom_sched_front *f, uint32_t addr, uint32_t data) {
  struct loom_sched_dtable *s = (struct loom_sched_dtable *)f;
  if (addr < s->table.entries)
    loom_sched_table_write(&s->table, addr, data);
}

static uint32_t ib_high(const struct loom_sched_dtable *s, uint32_t i) {
  if (i >= s->table.entries)
    return 0;
  uint32_t entry = loom_sched_table_read(&s->table, i);
  uint32_t key = LOOM_GET(LOOM_DTABLE_REG_IB_HIGH_KEY, entry); /* without its highest bit */
  return LOOM_PUT(LOOM_DTABLE_REG_IB_HIGH_KEY, key) |
         LOOM_PUT(LOOM_DTABLE_REG_IB_HIGH_WEIGHT, LOOM_GET(LOOM_ENTRY_WEIGHT, entry));
}

static uint32_t ib_low(const struct loom_sched_dtable *s, uint32_t i) {
  return i < s->front.keys ? loom_min(s->deficit[i], IB_MOST) : 0;
}

static uint32_t table_read(const struct loom_sched_front *f, uint32_t addr) {
  const struct loom_sched_dtable *s = (const struct loom_sched_dtable *)f;
  if (addr < s->table.entries)
    return loom_sched_table_read(&s->table, addr);
  if (addr >= LOOM_DTABLE_REG_DEFICIT && addr < LOOM_DTABLE_REG_DEFICIT + f->keys)
    return s->deficit[addr - LOOM_DTABLE_REG_DEFICIT];
  if (addr >= LOOM_DTABLE_REG_IB_HIGH &&
      addr < LOOM_DTABLE_REG_IB_HIGH + LOOM_DTABLE_REG_IB_HIGH_WORDS)
    return ib_high(s, addr - LOOM_DTABLE_REG_IB_HIGH);
  if (addr >= LOOM_DTABLE_REG_IB_LOW &&
      addr < LOOM_DTABLE_REG_IB_LOW + LOOM_DTABLE_REG_IB_LOW_WORDS)
    return ib_low(s, addr - LOOM_DTABLE_REG_IB_LOW);
  switch (addr) {
  case LOOM_DTABLE_REG_ACC:
    return s->acc;
  case LOOM_DTABLE_REG_IB_ACC:
    return loom_min(s->acc, IB_MOST);
  case LOOM_DTABLE_REG_PTR:
    return s->ptr;
  case LOOM_DTABLE_REG_CUR:
    return LOOM_PUT(LOOM_DTABLE_REG_CUR_VALID, s->cur_valid) |
           LOOM_PUT(LOOM_DTABLE_REG_CUR_KEY, s->cur);
  default:
    return 0;
  }
}

static bool settled(const struct loom_sched_front *f) {
  return !((const struct loom_sched_dtable *)f)->cur_valid;
}

const struct loom_sched_policy loom_sched_dtable_policy = {.search = search,
                                                           .decide = decide,
                                                           .table_write = table_write,
                                                           .table_read = table_read,
                                                           .settled = settled};

void loom_sched_dtable_step(struct loom_sched_dtable *s, const struct loom_sched_dtable_in *in,
                            struct loom_sched_dtable_out *out) {
  LOOM_SCHED_SHOW(&s->front, out);
  loom_sched_edge(&s->front, &loom_sched_dtable_policy, LOOM_SCHED_INPUTS(in));
}

void loom_sched_dtable_probe(const struct loom_sched_dtable *s, struct loom_sched_dtable_probe *p) {
  LOOM_SCHED_PROBE(&s->front, p);
  p->acc = s->acc;
  p->cur_valid = s->cur_valid;
  p->cur = s->cur;
  p->ptr = s->ptr;
}

/* sched_dtable.c - twin of rtl/sched/loom_sched_dtable.v, written from docs/sched.md */
#include "sched/sched_dtable.h"

#include <string.h>

enum {
  ADDR_DEFICIT = 0x100,
  ADDR_ACC = 0x140,
  ADDR_PTR = 0x141,
  ADDR_CUR = 0x142,
  ADDR_IB_HIGH = 0x200, /* the InfiniBand image (DT-11) */
  ADDR_IB_LOW = 0x240,
  IB_ENTRIES = 64,
  IB_SLS = 16,
  IB_ACC = 63,
  IB_MOST = 255,
};

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
  return i < s->table.entries ? loom_sched_table_read(&s->table, i) & 0xFFF : 0;
}

static uint32_t ib_low(const struct loom_sched_dtable *s, uint32_t i) {
  if (i == IB_ACC)
    return loom_min(s->acc, IB_MOST);
  return i < IB_SLS && i < s->front.keys ? loom_min(s->deficit[i], IB_MOST) : 0;
}

static uint32_t table_read(const struct loom_sched_front *f, uint32_t addr) {
  const struct loom_sched_dtable *s = (const struct loom_sched_dtable *)f;
  if (addr < s->table.entries)
    return loom_sched_table_read(&s->table, addr);
  if (addr >= ADDR_DEFICIT && addr < ADDR_DEFICIT + f->keys)
    return s->deficit[addr - ADDR_DEFICIT];
  if (addr >= ADDR_IB_HIGH && addr < ADDR_IB_HIGH + IB_ENTRIES)
    return ib_high(s, addr - ADDR_IB_HIGH);
  if (addr >= ADDR_IB_LOW && addr < ADDR_IB_LOW + IB_ENTRIES)
    return ib_low(s, addr - ADDR_IB_LOW);
  switch (addr) {
  case ADDR_ACC:
    return s->acc;
  case ADDR_PTR:
    return s->ptr;
  case ADDR_CUR:
    return (uint32_t)s->cur_valid << 8 | s->cur;
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

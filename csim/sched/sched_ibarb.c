/* SPDX-License-Identifier: Apache-2.0 */
/* sched_ibarb.c - twin of rtl/sched/loom_sched_ibarb.v, written from docs/sched.md */
#include "sched/sched_ibarb.h"

#include <string.h>

enum {
  NO_LIMIT = 255,
  LIMIT_UNITS = 64, /* 4096 bytes */
  SENT_MOST = 16383,
};

bool loom_sched_ibarb_cfg_ok(const struct loom_sched_ibarb_cfg *cfg) {
  return !loom_sched_ibarb_bad_param(cfg) && LOOM_SCHED_KEYS_OK(cfg);
}

static void init_table(struct loom_ibarb_table *x, uint32_t entries) {
  loom_sched_table_init(&x->table, entries);
  x->entry = entries - 1;
}

void loom_sched_ibarb_init(struct loom_sched_ibarb *s, const struct loom_sched_ibarb_cfg *cfg) {
  memset(s, 0, sizeof *s);
  loom_sched_front_init(&s->front, cfg->VLS, cfg->KEYS, cfg->ARB_KEY, cfg->MGMT_VL);
  init_table(&s->side[LOOM_IBARB_HIGH], cfg->N_HIGH);
  init_table(&s->side[LOOM_IBARB_LOW], cfg->N_LOW);
}

/* ---- SEARCH ---------------------------------------------------------------------------------- */

/* High has sent so much since the last low turn that low is due (IB-06). */
static bool low_is_due(const struct loom_sched_ibarb *s) {
  return s->limit != NO_LIMIT && s->sent > 0 && s->sent >= LIMIT_UNITS * s->limit;
}

/* The selection of the side has weight left and something to send. */
static bool can_go_on(const struct loom_sched_front *f, const struct loom_ibarb_table *x) {
  return x->left > 0 && loom_sched_is_active(f, x->key);
}

static bool search(struct loom_sched_front *f) {
  struct loom_sched_ibarb *s = (struct loom_sched_ibarb *)f;
  const struct loom_ibarb_table *high = &s->side[LOOM_IBARB_HIGH], *low = &s->side[LOOM_IBARB_LOW];
  bool cont_high = can_go_on(f, high), cont_low = can_go_on(f, low);
  s->turn = s->turn && cont_low;
  if (!f->active)
    return false;
  struct loom_sched_next next_high = loom_sched_table_next(&high->table, high->entry, f->active);
  struct loom_sched_next next_low = loom_sched_table_next(&low->table, low->entry, f->active);
  bool any_high = cont_high || next_high.valid, any_low = cont_low || next_low.valid;
  bool due_or_turn = s->turn || (any_low && low_is_due(s));

  if (due_or_turn || (any_low && !any_high))
    s->choice = (struct loom_ibarb_choice){LOOM_IBARB_LOW, due_or_turn, cont_low, next_low};
  else if (any_high)
    s->choice = (struct loom_ibarb_choice){LOOM_IBARB_HIGH, false, cont_high, next_high};
  return any_high || any_low;
}

/* ---- DECIDE ---------------------------------------------------------------------------------- */

static uint32_t minus_or_0(uint32_t a, uint32_t b) { return a > b ? a - b : 0; }

/* The selection goes on; true if it sends. In deficit mode it ends when the rest of its weight does
 * not reach, and the rest is carried over (IB-05). */
static bool go_on(struct loom_sched_ibarb *s, struct loom_ibarb_table *x) {
  struct loom_sched_front *f = &s->front;
  uint32_t vl = loom_sched_keep(f, x->key);
  if (s->mode & LOOM_IBARB_DEFICIT && f->size[vl] > x->left) {
    x->deficit[x->key] = (uint16_t)x->left;
    x->left = 0;
    return false;
  }
  x->left = minus_or_0(x->left, f->size[vl]);
  loom_sched_grant(f, vl);
  return true;
}

/* The selection ends because its key has nothing to send: what it had left is lost. */
static void end_idle(struct loom_sched_ibarb *s, struct loom_ibarb_table *x) {
  if (x->left > 0 && s->mode & LOOM_IBARB_DEFICIT)
    x->deficit[x->key] = 0;
  x->left = 0;
}

/* The entry found becomes the selection; true if it sends. */
static bool select_next(struct loom_sched_ibarb *s, struct loom_ibarb_table *x) {
  struct loom_sched_front *f = &s->front;
  bool deficit = s->mode & LOOM_IBARB_DEFICIT;
  x->entry = s->choice.next.index;
  x->key = s->choice.next.key;
  uint32_t vl = loom_sched_choose(f, x->key);
  uint32_t base = s->choice.next.weight + (deficit ? x->deficit[x->key] : 0);
  if (deficit && f->size[vl] > base) {
    x->deficit[x->key] = (uint16_t)base;
    x->left = 0;
    return false;
  }
  if (deficit)
    x->deficit[x->key] = 0; /* it is in left now */
  x->left = minus_or_0(base, f->size[vl]);
  loom_sched_grant(f, vl);
  return true;
}

static void decide(struct loom_sched_front *f) {
  struct loom_sched_ibarb *s = (struct loom_sched_ibarb *)f;
  struct loom_ibarb_choice c = s->choice;
  struct loom_ibarb_table *x = &s->side[c.side];
  bool granted = false;

  if (c.cont) {
    granted = go_on(s, x);
    if (!granted && c.due_or_turn) {
      s->turn = false;
      return;
    }
  } else {
    end_idle(s, x);
  }
  if (!granted && c.next.valid)
    granted = select_next(s, x);

  if (c.side == LOOM_IBARB_LOW) {
    s->sent = 0;
    s->turn = granted && c.due_or_turn && !(s->mode & LOOM_IBARB_LOW_BY_PACKET);
  } else if (granted) {
    s->sent = loom_min(s->sent + f->grant_size, SENT_MOST);
  }
}

/* ---- the tables ------------------------------------------------------------------------------ */

static bool is_entry(const struct loom_sched_ibarb *s, uint32_t addr) {
  return addr < LOOM_IBARB_REG_LIMIT &&
         addr % LOOM_IBARB_REG_LOW < s->side[addr / LOOM_IBARB_REG_LOW].table.entries;
}

static void table_write(struct loom_sched_front *f, uint32_t addr, uint32_t data) {
  struct loom_sched_ibarb *s = (struct loom_sched_ibarb *)f;
  if (is_entry(s, addr))
    loom_sched_table_write(&s->side[addr / LOOM_IBARB_REG_LOW].table, addr % LOOM_IBARB_REG_LOW,
                           data);
  else if (addr == LOOM_IBARB_REG_LIMIT)
    s->limit = LOOM_GET(LOOM_IBARB_REG_LIMIT_LIMIT, data);
  else if (addr == LOOM_IBARB_REG_MODE)
    s->mode = data & (LOOM_IBARB_DEFICIT | LOOM_IBARB_LOW_BY_PACKET);
}

static uint32_t table_read(const struct loom_sched_front *f, uint32_t addr) {
  const struct loom_sched_ibarb *s = (const struct loom_sched_ibarb *)f;
  if (is_entry(s, addr))
    return loom_sched_table_read(&s->side[addr / LOOM_IBARB_REG_LOW].table,
                                 addr % LOOM_IBARB_REG_LOW);
  switch (addr) {
  case LOOM_IBARB_REG_LIMIT:
    return s->limit;
  case LOOM_IBARB_REG_MODE:
    return s->mode;
  case LOOM_IBARB_REG_SENT:
    return s->sent;
  case LOOM_IBARB_REG_TURN:
    return s->turn;
  case LOOM_IBARB_REG_SELECTION_HIGH:
  case LOOM_IBARB_REG_SELECTION_LOW: {
    const struct loom_ibarb_table *x = &s->side[addr - LOOM_IBARB_REG_SELECTION_HIGH];
    return LOOM_PUT(LOOM_IBARB_REG_SELECTION_HIGH_ENTRY, x->entry) |
           LOOM_PUT(LOOM_IBARB_REG_SELECTION_HIGH_LEFT, x->left);
  }
  default:
    return 0;
  }
}

static bool settled(const struct loom_sched_front *f) {
  return !((const struct loom_sched_ibarb *)f)->turn;
}

const struct loom_sched_policy loom_sched_ibarb_policy = {.search = search,
                                                          .decide = decide,
                                                          .table_write = table_write,
                                                          .table_read = table_read,
                                                          .settled = settled};

void loom_sched_ibarb_step(struct loom_sched_ibarb *s, const struct loom_sched_ibarb_in *in,
                           struct loom_sched_ibarb_out *out) {
  LOOM_SCHED_SHOW(&s->front, out);
  loom_sched_edge(&s->front, &loom_sched_ibarb_policy, LOOM_SCHED_INPUTS(in));
}

void loom_sched_ibarb_probe(const struct loom_sched_ibarb *s, struct loom_sched_ibarb_probe *p) {
  LOOM_SCHED_PROBE(&s->front, p);
  p->sent = s->sent;
  p->turn = s->turn;
  p->high_entry = s->side[LOOM_IBARB_HIGH].entry;
  p->low_entry = s->side[LOOM_IBARB_LOW].entry;
  p->high_left = s->side[LOOM_IBARB_HIGH].left;
  p->low_left = s->side[LOOM_IBARB_LOW].left;
}

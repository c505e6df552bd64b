/* SPDX-License-Identifier: Apache-2.0 */
/* two_table.c - twin of rtl/sched/loom_two_table.v, written from docs/tables.md
 *
 * A cycle: first the decision and the pick are worked out, then the next values of all that is made
 * ready, while the registers still hold their old ones; then the decision takes effect. */
#include "sched/two_table.h"

#include <string.h>

enum { HIGH = LOOM_IBARB_HIGH, LOW = LOOM_IBARB_LOW };

enum {
  NO_LIMIT = 255,
  LIMIT_UNITS = 64, /* 4096 bytes */
  SENT_MOST = 16383,
  GRANT_PAUSE = 4,
  STAY_LEAST = 3,
};

bool loom_two_table_cfg_ok(const struct loom_two_table_cfg *cfg) {
  return !loom_two_table_bad_param(cfg) && LOOM_SCHED_KEYS_OK(cfg);
}

static void init_side(struct loom_two_table_side *x, uint32_t entries) {
  x->entries = entries;
  x->entry = entries - 1;
  loom_table_search_init(&x->search, entries);
}

void loom_two_table_init(struct loom_two_table *s, const struct loom_two_table_cfg *cfg) {
  /* A word a cycle; the deficits of both sides are one memory. */
  uint32_t deficits = 2u << loom_clog2(loom_max(cfg->KEYS, 2));
  memset(s, 0, sizeof *s);
  s->cfg = *cfg;
  loom_table_view_init(&s->view, cfg->VLS, cfg->KEYS, cfg->ARB_KEY, cfg->MGMT_VL,
                       loom_max(deficits, loom_max(cfg->N_HIGH, cfg->N_LOW)));
  init_side(&s->side[HIGH], cfg->N_HIGH);
  init_side(&s->side[LOW], cfg->N_LOW);
  memset(s->last_vl, (int)(cfg->VLS - 1), sizeof s->last_vl);
}

/* The selection of the side has weight left and something to send. */
static bool goes_on(const struct loom_two_table_side *x) { return x->left > 0 && x->act; }

static bool in_deficit_mode(const struct loom_two_table *s) { return s->mode & LOOM_IBARB_DEFICIT; }

/* ---- the decision ---------------------------------------------------------------------------- */

enum verdict { NOTHING, MGMT, STEP };

struct decision {
  enum verdict what;
  bool no_turn;  /* the turn is over: its selection cannot go on */
  uint32_t side; /* enum loom_ibarb_side */
  bool granted;  /* the candidate, in a STEP */
};

static struct decision decide(const struct loom_two_table *s) {
  const struct loom_two_table_candidate *c = &s->prepared.c4;
  struct decision d = {.what = NOTHING, .side = c->low ? LOW : HIGH};
  if (!s->asked || s->pause || !loom_view_swept(&s->view))
    return d;
  if (s->prepared.mgmt_go) {
    d.what = MGMT;
    return d;
  }
  d.no_turn = s->turn && !goes_on(&s->side[LOW]);
  if (c->valid && c->go) {
    d.what = STEP;
    d.granted = c->fits || !in_deficit_mode(s);
  }
  return d;
}

static void grant(struct loom_two_table *s, uint32_t vl, uint32_t key, uint32_t size) {
  s->grant_valid = true;
  s->grant_vl = vl;
  s->grant_key = key;
  s->grant_size = size;
}

/* The limit of high, and the turn of low (IB-06). */
static void count_turn(struct loom_two_table *s, const struct decision *d) {
  const struct loom_two_table_candidate *c = &s->prepared.c4;
  if (d->side == HIGH) {
    if (d->granted)
      s->sent = loom_min(s->sent + c->size, SENT_MOST);
    return;
  }
  s->turn = d->granted && c->due_or_turn && !(s->mode & LOOM_IBARB_LOW_BY_PACKET);
  /* A turn that is due is not spent on a rest that does not reach. */
  if (d->granted || !c->cont || !c->due_or_turn)
    s->sent = 0;
}

static void take_step(struct loom_two_table *s, const struct decision *d) {
  const struct loom_two_table_candidate *c = &s->prepared.c4;
  struct loom_two_table_side *x = &s->side[d->side];
  x->left = d->granted && c->fits ? c->rest : 0;
  if (!d->granted)
    x->deficit[c->key] = (uint16_t)c->base;
  else if (!c->cont && in_deficit_mode(s))
    x->deficit[c->key] = 0; /* it is in left now */
  if (!c->cont) {
    x->entry = x->search.front_entry;
    x->key = c->key;
  }
  if (d->granted) {
    grant(s, c->vl, c->key, c->size);
    s->last_vl[c->key] = (uint8_t)c->vl;
  }
  count_turn(s, d);
}

/* The VLs that are held, of which each has its own time. */
static void stay_edge(struct loom_two_table *s, const struct decision *d) {
  uint32_t stay = s->stay;
  if (s->wane == 1)
    s->held = s->young;
  if (stay == 1)
    s->held = s->young = 0;
  s->stay -= stay > 0;
  s->wane -= s->wane > 0;
  if (d->granted) {
    s->young = 1u << s->prepared.c4.vl;
    s->held |= s->young;
    s->wane = stay ? stay - 1 : 0;
    s->stay = loom_max(s->cfg.STAY_CYCLES, STAY_LEAST) + 1;
  }
  if (s->cfg.STAY_CYCLES) {
    s->held &= ~s->view.moved;
    s->young &= ~s->view.moved;
  }
}

/* The grant registers, and the state of the policy. What is made ready and the fronts are still as
 * they were in the cycle. */
static void decision_edge(struct loom_two_table *s, const struct decision *d) {
  s->pause -= s->pause > 0;
  s->grant_valid = false;
  s->grant_vl = s->grant_key = s->grant_size = 0;
  s->turn = s->turn && !d->no_turn;
  if (d->what == NOTHING)
    return;
  s->pause = GRANT_PAUSE;
  if (d->what == STEP)
    take_step(s, d);
  else
    grant(s, s->cfg.MGMT_VL, s->view.head[s->cfg.MGMT_VL].key, s->view.head[s->cfg.MGMT_VL].size);
}

/* ---- the decision, made ready ---------------------------------------------------------------- */

/* High has sent so much since the last low turn that low is due (IB-06). */
static bool low_is_due(const struct loom_two_table *s) {
  return s->limit != NO_LIMIT && s->sent > 0 && s->sent >= LIMIT_UNITS * s->limit;
}

/* Step 1: the side, and what it goes on with. */
static struct loom_two_table_candidate choose_side(const struct loom_two_table *s) {
  const struct loom_two_table_side *high = &s->side[HIGH], *low = &s->side[LOW];
  bool any_high = goes_on(high) || high->any, any_low = goes_on(low) || low->any;
  struct loom_two_table_candidate c = {0};
  c.due_or_turn = (s->turn && goes_on(low)) || (low_is_due(s) && any_low);
  c.low = c.due_or_turn || !any_high;
  const struct loom_two_table_side *x = c.low ? low : high;
  c.cont = goes_on(x);
  c.key = c.cont ? x->key : x->search.front.key;
  c.weight = x->search.front.weight;
  c.valid = c.cont || x->search.front_valid;
  return c;
}

/* Step 2: the VLs of the key, and what it may send. A candidate that is not valid may have a key
 * beyond KEYS, which has memory here, too. */
static struct loom_two_table_candidate look_up(const struct loom_two_table *s) {
  struct loom_two_table_candidate c = s->prepared.c1;
  const struct loom_two_table_side *x = &s->side[c.low ? LOW : HIGH];
  uint32_t from = s->last_vl[c.key] + !c.cont;
  c.set = s->view.members[c.key];
  c.ahead = (uint32_t)(~0ull << from);
  c.old = c.cont ? x->left : in_deficit_mode(s) ? x->deficit[c.key] : 0;
  c.add = c.cont ? 0 : c.weight;
  return c;
}

/* Step 3: the VL. */
static struct loom_two_table_candidate choose_vl(const struct loom_two_table *s) {
  struct loom_two_table_candidate c = s->prepared.c2;
  uint32_t those = c.set & (s->view.go | s->held);
  c.some = those != 0;
  c.vl = (uint8_t)(c.some ? loom_ctz(those & c.ahead ? those & c.ahead : those) : 0);
  c.base = c.old + c.add;
  return c;
}

/* Step 4: its packet. */
static struct loom_two_table_candidate weigh(const struct loom_two_table *s, uint32_t can) {
  struct loom_two_table_candidate c = s->prepared.c3;
  c.go = c.some && (can >> c.vl & 1);
  c.size = s->view.head[c.vl].size;
  c.fits = c.size <= c.base;
  c.rest = c.base - c.size;
  return c;
}

struct cancelled {
  bool all, new_entries; /* those that are not of a selection */
};

static struct loom_two_table_candidate still(struct loom_two_table_candidate c,
                                             const struct cancelled *no) {
  c.valid = c.valid && !no->all && (c.cont || !no->new_entries);
  return c;
}

static struct loom_two_table_prepared prepare(const struct loom_two_table *s, uint32_t can,
                                              const struct cancelled *no) {
  return (struct loom_two_table_prepared){.c1 = still(choose_side(s), no),
                                          .c2 = still(look_up(s), no),
                                          .c3 = still(choose_vl(s), no),
                                          .c4 = still(weigh(s, can), no),
                                          .mgmt_go = can & s->view.mgmt};
}

/* ---- the sides ------------------------------------------------------------------------------- */

static struct loom_entry_set hit_of(const struct loom_two_table *s, uint32_t side) {
  return (struct loom_entry_set){{s->view.hit.word[side], 0}};
}

/* The front of a side is dropped: not for a key that turned idle and is another one. */
static bool drops(const struct loom_two_table *s, uint32_t side) {
  const struct loom_table_view *v = &s->view;
  const struct loom_table_search *search = &s->side[side].search;
  bool other_idle = v->flip && v->flip_idle && search->front.key != v->flip_key;
  return loom_view_restarts(v) && search->front_valid && !other_idle;
}

/* A selection's key is active. */
static bool is_active(const struct loom_two_table *s, uint32_t key) {
  return s->view.members[key] & (s->view.go | s->held);
}

/* ---- the tables ------------------------------------------------------------------------------ */

/* The number of an entry in the view; its address must be that of one. */
static uint32_t entry_number(uint32_t addr) {
  return addr / LOOM_IBARB_REG_LOW * LOOM_TWO_TABLE_ENTRIES + addr % LOOM_IBARB_REG_LOW;
}

static bool is_entry(const struct loom_two_table *s, uint32_t addr) {
  return addr < LOOM_IBARB_REG_LIMIT &&
         addr % LOOM_IBARB_REG_LOW < s->side[addr / LOOM_IBARB_REG_LOW].entries;
}

/* A write of LIMIT or MODE is taken in this cycle. */
static bool writes_policy(const struct loom_two_table *s, const struct loom_sched_cycle *in) {
  return in->table_we && !loom_view_busy(&s->view) &&
         (in->table_addr == LOOM_IBARB_REG_LIMIT || in->table_addr == LOOM_IBARB_REG_MODE);
}

static void policy_edge(struct loom_two_table *s, const struct loom_sched_cycle *in) {
  uint32_t data = in->table_data;
  if (in->table_addr == LOOM_IBARB_REG_LIMIT)
    s->limit = LOOM_GET(LOOM_IBARB_REG_LIMIT_LIMIT, data);
  else
    s->mode = data & (LOOM_IBARB_DEFICIT | LOOM_IBARB_LOW_BY_PACKET);
}

static uint32_t table_read(const struct loom_two_table *s, uint32_t addr) {
  if (!loom_view_swept(&s->view))
    return 0;
  if (is_entry(s, addr)) {
    const struct loom_table_entry *e = &s->view.entry[entry_number(addr)];
    return loom_sched_entry(e->key, e->weight);
  }
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
    const struct loom_two_table_side *x = &s->side[addr - LOOM_IBARB_REG_SELECTION_HIGH];
    return LOOM_PUT(LOOM_IBARB_REG_SELECTION_HIGH_ENTRY, x->entry) |
           LOOM_PUT(LOOM_IBARB_REG_SELECTION_HIGH_LEFT, x->left);
  }
  default:
    return 0;
  }
}

/* ---- a cycle --------------------------------------------------------------------------------- */

void loom_two_table_show(const struct loom_two_table *s, struct loom_two_table_out *out) {
  out->table_rdata = s->table_rdata;
  out->busy = loom_view_busy(&s->view);
  out->ready = loom_view_swept(&s->view);
  out->served = s->view.served;
  out->grant_valid = s->grant_valid;
  out->grant_vl = s->grant_vl;
  out->grant_key = s->grant_key;
  out->grant_size = s->grant_size;
}

static struct loom_view_in view_in(const struct loom_two_table *s,
                                   const struct loom_sched_cycle *in) {
  uint32_t data = in->table_data, addr = in->table_addr;
  bool write = in->table_we && is_entry(s, addr);
  return (struct loom_view_in){.ready = in->ready,
                               .kept = s->held,
                               .head_valid = in->head_valid,
                               .head_vl = in->head_vl,
                               .head_size = in->head_size,
                               .head_sl = in->head_sl,
                               .write = write,
                               .write_entry = write ? entry_number(addr) : 0,
                               .entry = {.key = LOOM_GET(LOOM_ENTRY_KEY, data),
                                         .weight = LOOM_GET(LOOM_ENTRY_WEIGHT, data)}};
}

/* What the edge needs of the cycle before any register changes. */
struct cycle {
  struct decision decision;
  bool pop[2], drop[2], any[2], act[2];
};

static struct cycle look(const struct loom_two_table *s) {
  struct cycle c = {.decision = decide(s)};
  for (uint32_t x = HIGH; x <= LOW; x++) {
    c.pop[x] = c.decision.what == STEP && c.decision.side == x && !s->prepared.c4.cont;
    c.drop[x] = drops(s, x);
    c.any[x] = s->view.hit.word[x] != 0;
    c.act[x] = (c.decision.granted && c.decision.side == x) || is_active(s, s->side[x].key);
  }
  return c;
}

/* The search of a side whose selection has its next value, and what follows from the view. */
static void side_edge(struct loom_two_table *s, const struct cycle *c, uint32_t x) {
  const struct loom_entry_set hit = hit_of(s, x);
  struct loom_search_in search = {.hit = &hit,
                                  .entry = &s->view.entry[x * LOOM_TWO_TABLE_ENTRIES],
                                  .pop = c->pop[x],
                                  .restart = loom_view_restarts(&s->view),
                                  .drop = c->drop[x],
                                  .selected = s->side[x].entry};
  loom_table_search_edge(&s->side[x].search, &search);
  s->side[x].any = c->any[x];
  s->side[x].act = c->act[x];
}

bool loom_two_table_edge(struct loom_two_table *s, const struct loom_sched_cycle *in) {
  struct cycle c = look(s);
  struct loom_view_in view = view_in(s, in);
  struct loom_view_pick pick = loom_view_pick_vl(&s->view);
  bool write = writes_policy(s, in);
  struct cancelled no = {.all = c.decision.what == STEP || write,
                         .new_entries = c.drop[HIGH] || c.drop[LOW]};
  uint32_t can = loom_view_can(&s->view, view.ready, &pick);
  struct loom_two_table_prepared next = prepare(s, can, &no);

  s->table_rdata = table_read(s, s->addr);
  s->addr = in->table_addr;
  stay_edge(s, &c.decision);
  decision_edge(s, &c.decision);
  s->prepared = next;
  side_edge(s, &c, HIGH);
  side_edge(s, &c, LOW);
  loom_table_view_edge(&s->view, &view, &pick, can);
  if (write)
    policy_edge(s, in);
  s->asked = in->request;
  return true;
}

void loom_two_table_step(struct loom_two_table *s, const struct loom_two_table_in *in,
                         struct loom_two_table_out *out) {
  loom_two_table_show(s, out);
  loom_two_table_edge(s, &LOOM_SCHED_CYCLE(in));
}

bool loom_two_table_is_calm(const struct loom_two_table *s) {
  return loom_view_is_calm(&s->view) && !s->pause && !s->stay && !s->wane && !s->grant_valid;
}

void loom_two_table_probe(const struct loom_two_table *s, struct loom_two_table_probe *p) {
  const struct loom_two_table_side *high = &s->side[HIGH], *low = &s->side[LOW];
  p->sent = s->sent;
  p->turn = s->turn;
  p->high_entry = high->entry;
  p->low_entry = low->entry;
  p->high_left = high->left;
  p->low_left = low->left;
  p->high_act = high->act;
  p->low_act = low->act;
  p->pause = s->pause;
  p->held = s->held;
  p->c1_valid = s->prepared.c1.valid;
  p->c4_valid = s->prepared.c4.valid;
  p->high_search = high->search.state;
  p->low_search = low->search.state;
  p->high_front_valid = high->search.front_valid;
  p->low_front_valid = low->search.front_valid;
  p->shown = s->view.shown;
  p->write_step = s->view.write_step;
}

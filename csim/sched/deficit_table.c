/* SPDX-License-Identifier: Apache-2.0 */
/* deficit_table.c - twin of rtl/sched/loom_deficit_table.v, written from docs/tables.md
 *
 * A cycle: first the decision and the pick are worked out, then the next values of all that is made
 * ready, while the registers still hold their old ones; then the decision takes effect. */
#include "sched/deficit_table.h"

#include <string.h>

enum { IB_MOST = 255 }; /* of a counter in the InfiniBand image (DT-11) */

enum { GRANT_PAUSE = 3, OTHER_PAUSE = 1 };

/* `stay` in the cycles that end the stay of the VL before the last one, and of the last one. */
enum { OLD_LEAVES = 5, YOUNG_LEAVES = 1 };

bool loom_deficit_table_cfg_ok(const struct loom_deficit_table_cfg *cfg) {
  return !loom_deficit_table_bad_param(cfg) && LOOM_SCHED_KEYS_OK(cfg);
}

void loom_deficit_table_init(struct loom_deficit_table *s,
                             const struct loom_deficit_table_cfg *cfg) {
  memset(s, 0, sizeof *s);
  s->cfg = *cfg;
  s->acc_most = cfg->IB_WEIGHTS ? IB_MOST : UINT16_MAX;
  loom_table_view_init(&s->view, cfg->VLS, cfg->KEYS, cfg->ARB_KEY, cfg->MGMT_VL,
                       loom_max(cfg->ENTRIES, cfg->KEYS));
  loom_table_search_init(&s->search, cfg->ENTRIES);
  s->ptr = cfg->ENTRIES - 1;
  memset(s->last_vl, (int)(cfg->VLS - 1), sizeof s->last_vl);
}

/* ---- the decision ---------------------------------------------------------------------------- */

enum verdict { NOTHING, MGMT, KEEP, OTHER, NEXT, DROP, SAVE };

struct decision {
  enum verdict what;
  bool drops; /* the selection, so that `rest` is the deficit of its key */
  uint32_t rest;
  bool pop, step;
};

static struct decision leave(const struct loom_deficit_table *s) {
  /* The weight that a key lost for being idle must not come back with its next entry. */
  bool next = s->prepared.fresh & 4 && s->prepared.try_go &&
              (s->prepared.keep_go || !s->prepared.next_same);
  struct decision d = {
      .what = NOTHING, .drops = s->cur_valid, .rest = s->prepared.keep_go ? s->acc : 0};
  if (next && s->prepared.try_fits)
    d.what = NEXT;
  else if (s->cur_valid)
    d.what = DROP;
  else if (next)
    d.what = SAVE;
  d.pop = d.what == NEXT || d.what == SAVE;
  d.step = d.what != NOTHING;
  return d;
}

static struct decision decide(const struct loom_deficit_table *s) {
  if (!s->asked || s->pause || !loom_view_swept(&s->view))
    return (struct decision){.what = NOTHING};
  if (s->prepared.mgmt_go)
    return (struct decision){.what = MGMT};
  if (s->cur_valid && s->prepared.keep_go && (s->prepared.keep_fits || s->open))
    return (struct decision){.what = KEEP, .step = true};
  if (s->cur_valid && s->open)
    return (struct decision){.what = NOTHING};
  if (s->cur_valid && !s->prepared.keep_go && s->prepared.keep_back)
    return (struct decision){.what = NOTHING};
  if (s->cur_valid && !s->prepared.keep_go && s->prepared.other_some)
    return (struct decision){.what = OTHER};
  return leave(s);
}

static void grant(struct loom_deficit_table *s, uint32_t vl, uint32_t key, uint32_t size) {
  s->grant_valid = true;
  s->grant_vl = vl;
  s->grant_key = key;
  s->grant_size = size;
}

static void go_on(struct loom_deficit_table *s, const struct loom_table_prepared *p) {
  grant(s, s->kept_vl, s->cur, p->keep_size);
  s->acc = p->keep_fits ? p->keep_rest : 0;
  s->last_vl[s->cur] = (uint8_t)s->kept_vl;
  s->open = s->message && !p->keep_last;
}

static void select_next(struct loom_deficit_table *s, const struct loom_table_prepared *p) {
  grant(s, p->try_vl, s->search.front.key, p->try_size);
  s->cur_valid = true;
  s->cur = s->search.front.key;
  s->acc = p->try_rest;
  s->kept_vl = p->try_vl;
  s->last_vl[s->cur] = p->try_vl;
  s->message = s->search.front.message;
  s->open = s->message && !p->try_last;
  s->ptr = s->search.front_entry;
}

/* The stay of VL `vl` begins. Grants are 4 cycles apart, so at most two VLs stay at a time. */
static void stay_begins(struct loom_deficit_table *s, uint32_t vl) {
  if (!s->cfg.STAY_CYCLES)
    return;
  s->held = (s->stay > 1 ? s->young : 0) | 1u << vl;
  s->young = 1u << vl;
  s->stay = s->cfg.STAY_CYCLES;
}

static void stay_goes_on(struct loom_deficit_table *s) {
  if (!s->stay)
    return;
  if (s->stay == YOUNG_LEAVES)
    s->young = 0;
  if (s->stay == OLD_LEAVES || s->stay == YOUNG_LEAVES)
    s->held = s->young;
  s->stay--;
}

static void stay_edge(struct loom_deficit_table *s, enum verdict what,
                      const struct loom_table_prepared *p) {
  if (what == KEEP || what == NEXT)
    stay_begins(s, what == KEEP ? s->kept_vl : p->try_vl);
  else
    stay_goes_on(s);
}

/* The grant registers. */
static void grant_edge(struct loom_deficit_table *s) {
  s->pause -= s->pause > 0;
  s->grant_valid = false;
  s->grant_vl = s->grant_key = s->grant_size = 0;
}

/* The same, and the state of the policy, if something was decided. `p` was made ready in the cycle;
 * the front is still as it was in it. */
static void decision_edge(struct loom_deficit_table *s, const struct decision *d,
                          const struct loom_table_prepared *p) {
  grant_edge(s);
  if (d->drops)
    s->deficit[s->cur] = (uint16_t)d->rest;
  switch (d->what) {
  case NOTHING:
    return;
  case OTHER:
    s->kept_vl = p->other_vl;
    s->pause = OTHER_PAUSE;
    return;
  case MGMT:
    grant(s, s->cfg.MGMT_VL, s->view.head[s->cfg.MGMT_VL].key, s->view.head[s->cfg.MGMT_VL].size);
    break;
  case KEEP:
    go_on(s, p);
    break;
  case NEXT:
    select_next(s, p);
    break;
  case DROP:
    s->cur_valid = false;
    s->acc = 0;
    break;
  case SAVE:
    s->deficit[s->search.front.key] = p->try_base;
    s->ptr = s->search.front_entry;
    break;
  }
  s->pause = GRANT_PAUSE;
}

/* ---- what is made ready ---------------------------------------------------------------------- */

static void prepare_try(struct loom_deficit_table *s, uint32_t can) {
  struct loom_table_prepared *p = &s->prepared;
  const struct loom_table_head *h = &s->view.head[p->next_vl];
  p->try_vl = p->next_vl;
  p->try_go = p->next_some && (can >> p->next_vl & 1);
  p->try_size = h->size;
  p->try_last = h->last;
  p->try_base = p->next_base;
  p->try_fits = h->size <= p->next_base;
  p->try_rest = (uint16_t)(p->next_base - h->size);
}

/* The first two steps of the next entry. */
static void prepare_next(struct loom_deficit_table *s, bool renew) {
  struct loom_table_prepared *p = &s->prepared;
  uint32_t k = s->search.front.key, set = p->next_set & s->view.go & ~s->view.mgmt;
  uint32_t key = k < s->cfg.KEYS ? k : 0; /* a front that is not valid may have any key */
  p->next_some = set != 0;
  p->next_vl = (uint8_t)loom_view_first(set, p->next_last + 1u);
  p->next_base = (uint16_t)loom_min(
      (p->next_same ? s->acc : p->next_deficit) + s->search.front.weight, s->acc_most);
  p->next_set = s->view.members[key];
  p->next_last = s->last_vl[key];
  p->next_deficit = s->deficit[key];
  p->next_same = s->cur_valid && s->cur == k;
  p->fresh = (uint8_t)(renew ? 0 : (p->fresh << 1 & 6) | s->search.front_valid);
}

static void prepare_selection(struct loom_deficit_table *s, uint32_t can) {
  struct loom_table_prepared *p = &s->prepared;
  const struct loom_table_head *h = &s->view.head[s->kept_vl];
  uint32_t set = p->other_set & s->view.go & ~s->view.mgmt;
  p->other_some = set != 0;
  p->other_vl = (uint8_t)loom_view_first(set, s->kept_vl + 1);
  p->other_set = s->view.members[s->cur];
  p->keep_go = (can >> s->kept_vl & 1) && h->key == s->cur;
  p->keep_size = h->size;
  p->keep_last = h->last;
  p->keep_fits = h->size <= s->acc;
  p->keep_rest = (uint16_t)(s->acc - h->size);
  p->keep_back = (s->young >> s->kept_vl & 1) && h->key == s->cur && s->acc > 0;
  p->mgmt_go = (can & s->view.mgmt) != 0;
}

/* For the next cycle, before anything else changes. `renew`: the next entry from its first step
 * on. */
static void prepare(struct loom_deficit_table *s, uint32_t can, bool renew) {
  prepare_try(s, can); /* each before what it looks at changes */
  prepare_next(s, renew);
  prepare_selection(s, can);
}

/* ---- the table ------------------------------------------------------------------------------- */

static uint32_t entry_word(const struct loom_deficit_table *s, uint32_t e) {
  const struct loom_table_entry *x = &s->view.entry[e];
  return e >= s->cfg.ENTRIES ? 0
                             : LOOM_PUT(LOOM_MESSAGE_ENTRY_MESSAGE, x->message) |
                                   LOOM_PUT(LOOM_MESSAGE_ENTRY_KEY, x->key) |
                                   LOOM_PUT(LOOM_MESSAGE_ENTRY_WEIGHT, x->weight);
}

static uint32_t high_word(const struct loom_deficit_table *s, uint32_t e) {
  uint32_t word = entry_word(s, e); /* without the highest bit of the key */
  return LOOM_PUT(LOOM_DTABLE_REG_IB_HIGH_KEY, LOOM_GET(LOOM_MESSAGE_ENTRY_KEY, word)) |
         LOOM_PUT(LOOM_DTABLE_REG_IB_HIGH_WEIGHT, LOOM_GET(LOOM_MESSAGE_ENTRY_WEIGHT, word));
}

static uint32_t deficit_word(const struct loom_deficit_table *s, uint32_t k) {
  return k < s->cfg.KEYS ? s->deficit[k] : 0;
}

static bool within(uint32_t addr, uint32_t base, uint32_t words) {
  return addr >= base && addr < base + words;
}

static uint32_t table_read(const struct loom_deficit_table *s, uint32_t addr) {
  if (!loom_view_swept(&s->view))
    return 0;
  if (within(addr, LOOM_DTABLE_REG_ENTRY, LOOM_DTABLE_REG_ENTRY_WORDS))
    return entry_word(s, addr - LOOM_DTABLE_REG_ENTRY);
  if (within(addr, LOOM_DTABLE_REG_DEFICIT, LOOM_DTABLE_REG_DEFICIT_WORDS))
    return deficit_word(s, addr - LOOM_DTABLE_REG_DEFICIT);
  if (within(addr, LOOM_DTABLE_REG_IB_HIGH, LOOM_DTABLE_REG_IB_HIGH_WORDS))
    return high_word(s, addr - LOOM_DTABLE_REG_IB_HIGH);
  if (within(addr, LOOM_DTABLE_REG_IB_LOW, LOOM_DTABLE_REG_IB_LOW_WORDS))
    return loom_min(deficit_word(s, addr - LOOM_DTABLE_REG_IB_LOW), IB_MOST);
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

/* ---- a cycle --------------------------------------------------------------------------------- */

static struct loom_view_in view_in(const struct loom_deficit_table *s,
                                   const struct loom_sched_cycle *in) {
  struct loom_view_in view = {.ready = in->ready,
                              .kept = s->pause && s->cur_valid ? 1u << s->kept_vl : 0,
                              .held = s->held,
                              .head_valid = in->head_valid,
                              .head_vl = in->head_vl,
                              .head_size = in->head_size,
                              .head_sl = in->head_sl,
                              .head_last = in->head_last};
  if (!in->table_we || in->table_addr >= s->cfg.ENTRIES)
    return view;
  view.write = true;
  view.write_entry = in->table_addr;
  view.entry.message = LOOM_GET(LOOM_MESSAGE_ENTRY_MESSAGE, in->table_data);
  view.entry.key = LOOM_GET(LOOM_MESSAGE_ENTRY_KEY, in->table_data);
  view.entry.weight = LOOM_GET(LOOM_MESSAGE_ENTRY_WEIGHT, in->table_data);
  return view;
}

/* An entry that is read again, and is not being written, is as it was. */
static void read_edge(struct loom_deficit_table *s, uint32_t addr) {
  if (!s->read_entry)
    s->table_rdata = table_read(s, s->addr);
  s->read_entry =
      s->addr == addr && addr < s->cfg.ENTRIES && loom_view_swept(&s->view) && !s->view.write_step;
  s->addr = addr;
}

/* The edge of all that a decision is made from and changes, if there was none. Gives whether
 * something changed but counters that go on to count. */
static bool waiting_edge(struct loom_deficit_table *s, uint32_t can, bool restart) {
  const struct loom_table_view *v = &s->view;
  unsigned char before[sizeof s->prepared]; /* by byte: padding costs one more edge at most */
  memcpy(before, &s->prepared, sizeof before);
  bool moves = s->grant_valid || s->pause == 1 || s->stay == YOUNG_LEAVES || s->stay == OLD_LEAVES;
  prepare(s, can, restart);
  stay_goes_on(s);
  grant_edge(s);
  return moves || v->differ || v->change || v->flip ||
         memcmp((const unsigned char *)&s->prepared, before, sizeof before) != 0;
}

static void deciding_edge(struct loom_deficit_table *s, const struct decision *d, uint32_t can,
                          bool restart) {
  const struct loom_table_prepared before = s->prepared;
  prepare(s, can, restart || d->step);
  stay_edge(s, d->what, &before);
  decision_edge(s, d, &before);
}

/* The same, whatever was decided. */
static bool policy_edge(struct loom_deficit_table *s, const struct decision *d, uint32_t can,
                        bool restart) {
  if (d->what == NOTHING && !d->drops)
    return waiting_edge(s, can, restart);
  deciding_edge(s, d, can, restart);
  return true;
}

bool loom_deficit_table_edge(struct loom_deficit_table *s, const struct loom_sched_cycle *in) {
  const struct decision d = decide(s);
  const struct loom_view_in view = view_in(s, in);
  const struct loom_view_pick pick = loom_view_pick_vl(&s->view);
  uint32_t can = loom_view_can(&s->view, view.ready, &pick);
  bool restart = loom_view_restarts(&s->view);
  bool moves = s->asked != in->request || !s->read_entry;

  read_edge(s, in->table_addr);
  moves |= policy_edge(s, &d, can, restart);
  const struct loom_search_in search = {.hit = &s->view.hit,
                                        .entry = s->view.entry,
                                        .pop = d.pop,
                                        .restart = restart,
                                        .drop = restart,
                                        .selected = s->ptr};
  moves |= loom_table_search_edge(&s->search, &search);
  moves |= loom_table_view_edge(&s->view, &view, &pick, can);
  s->asked = in->request;
  return moves;
}

uint32_t loom_deficit_table_counts(const struct loom_deficit_table *s, uint32_t most) {
  if (s->pause)
    most = loom_min(most, s->pause);
  if (s->stay)
    most = loom_min(most, s->stay - (s->stay > OLD_LEAVES ? OLD_LEAVES : YOUNG_LEAVES));
  return s->stay == OLD_LEAVES ? 0 : most;
}

void loom_deficit_table_count(struct loom_deficit_table *s, uint32_t cycles) {
  s->pause -= loom_min(s->pause, cycles);
  s->stay -= loom_min(s->stay, cycles);
}

void loom_deficit_table_step(struct loom_deficit_table *s, const struct loom_deficit_table_in *in,
                             struct loom_deficit_table_out *out) {
  struct loom_sched_cycle cycle = LOOM_SCHED_CYCLE(in);
  cycle.head_last = in->head_last != 0;
  loom_deficit_table_show(s, out);
  loom_deficit_table_edge(s, &cycle);
}

bool loom_deficit_table_is_calm(const struct loom_deficit_table *s) {
  return loom_view_is_calm(&s->view) && !s->pause && !s->stay && !s->grant_valid;
}

void loom_deficit_table_probe(const struct loom_deficit_table *s,
                              struct loom_deficit_table_probe *p) {
  p->acc = s->acc;
  p->cur_valid = s->cur_valid;
  p->cur = s->cur;
  p->ptr = s->ptr;
  p->kept_vl = s->kept_vl;
  p->pause = s->pause;
  p->open = s->open;
  p->search = s->search.state;
  p->front_valid = s->search.front_valid;
  p->shown = s->view.shown;
  p->write_step = s->view.write_step;
}

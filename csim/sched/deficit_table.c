/* SPDX-License-Identifier: Apache-2.0 */
/* deficit_table.c - twin of rtl/sched/loom_deficit_table.v, written from docs/tables.md
 *
 * A cycle: first the decision and the pick are worked out, then the next values of all that is made
 * ready, while the registers still hold their old ones; then the decision takes effect. */
#include "sched/deficit_table.h"

#include <string.h>

enum { IB_MOST = 255 }; /* of a counter in the InfiniBand image (DT-11) */

enum search { REST, GROUP, BITS, ENTRY, READ };

enum { GRANT_PAUSE = 3, OTHER_PAUSE = 1 };

bool loom_deficit_table_cfg_ok(const struct loom_deficit_table_cfg *cfg) {
  return !loom_deficit_table_bad_param(cfg) && LOOM_SCHED_KEYS_OK(cfg);
}

void loom_deficit_table_init(struct loom_deficit_table *s,
                             const struct loom_deficit_table_cfg *cfg) {
  memset(s, 0, sizeof *s);
  s->cfg = *cfg;
  s->acc_most = cfg->IB_WEIGHTS ? IB_MOST : UINT16_MAX;
  s->mgmt = cfg->MGMT_VL < cfg->VLS ? 1u << cfg->MGMT_VL : 0;
  s->sweep_end = loom_max(cfg->ENTRIES, cfg->KEYS);
  s->from = s->ptr = cfg->ENTRIES - 1;
  memset(s->last_vl, (int)(cfg->VLS - 1), sizeof s->last_vl);
}

static bool swept(const struct loom_deficit_table *s) { return s->sweep == s->sweep_end; }

/* ---- sets ------------------------------------------------------------------------------------ */

static void put_entry(struct loom_entry_set *set, uint32_t e, bool in) {
  uint64_t bit = 1ull << e % 64;
  set->word[e / 64] = (set->word[e / 64] & ~bit) | (in ? bit : 0);
}

static bool no_entry(const struct loom_entry_set *set) { return !(set->word[0] | set->word[1]); }

/* The first entry of a set that is not empty at from + 1, from + 2, ..., from. */
static uint32_t entry_after(const struct loom_entry_set *set, uint32_t from) {
  uint32_t w = from / 64;
  uint64_t after = set->word[w] & (~1ull << from % 64);
  if (after)
    return w * 64 + loom_ctz(after);
  w ^= set->word[w ^ 1] != 0;
  return w * 64 + loom_ctz(set->word[w]);
}

/* first(set, from): 0 of an empty set. `from` may be one beyond the last VL. */
static uint32_t first_vl(uint32_t set, uint32_t from) { return set ? loom_ctz_from(set, from) : 0; }

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
  if (!s->asked || s->pause || !swept(s))
    return (struct decision){.what = NOTHING};
  if (s->prepared.mgmt_go)
    return (struct decision){.what = MGMT};
  if (s->cur_valid && s->prepared.keep_go && (s->prepared.keep_fits || s->open))
    return (struct decision){.what = KEEP, .step = true};
  if (s->cur_valid && s->open)
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

static void go_on(struct loom_deficit_table *s) {
  grant(s, s->kept_vl, s->cur, s->prepared.keep_size);
  s->acc = s->prepared.keep_fits ? s->prepared.keep_rest : 0;
  s->last_vl[s->cur] = (uint8_t)s->kept_vl;
  s->open = s->message && !s->prepared.keep_last;
}

static void select_next(struct loom_deficit_table *s) {
  grant(s, s->prepared.try_vl, s->front_key, s->prepared.try_size);
  s->cur_valid = true;
  s->cur = s->front_key;
  s->acc = s->prepared.try_rest;
  s->kept_vl = s->prepared.try_vl;
  s->last_vl[s->cur] = (uint8_t)s->prepared.try_vl;
  s->message = s->front_message;
  s->open = s->message && !s->prepared.try_last;
  s->ptr = s->front_entry;
}

/* The grant registers, and the state of the policy. What is made ready and the front are still as
 * they were in the cycle. */
static void decision_edge(struct loom_deficit_table *s, const struct decision *d) {
  s->pause -= s->pause > 0;
  s->grant_valid = false;
  s->grant_vl = s->grant_key = s->grant_size = 0;
  if (d->drops)
    s->deficit[s->cur] = (uint16_t)d->rest;
  switch (d->what) {
  case NOTHING:
    return;
  case OTHER:
    s->kept_vl = s->prepared.other_vl;
    s->pause = OTHER_PAUSE;
    return;
  case MGMT:
    grant(s, s->cfg.MGMT_VL, s->head[s->cfg.MGMT_VL].key, s->head[s->cfg.MGMT_VL].size);
    break;
  case KEEP:
    go_on(s);
    break;
  case NEXT:
    select_next(s);
    break;
  case DROP:
    s->cur_valid = false;
    s->acc = 0;
    break;
  case SAVE:
    s->deficit[s->front_key] = (uint16_t)s->prepared.try_base;
    s->ptr = s->front_entry;
    break;
  }
  s->pause = GRANT_PAUSE;
}

/* ---- what is made ready ---------------------------------------------------------------------- */

static void prepare_try(const struct loom_deficit_table *s, uint32_t can,
                        struct loom_table_prepared *p) {
  const struct loom_table_prepared *old = &s->prepared;
  const struct loom_table_head *h = &s->head[old->next_vl];
  p->try_vl = old->next_vl;
  p->try_go = old->next_some && (can >> old->next_vl & 1);
  p->try_size = h->size;
  p->try_last = h->last;
  p->try_base = old->next_base;
  p->try_fits = h->size <= old->next_base;
  p->try_rest = old->next_base - h->size;
}

/* The first two steps of the next entry. */
static void prepare_next(const struct loom_deficit_table *s, bool renew,
                         struct loom_table_prepared *p) {
  const struct loom_table_prepared *old = &s->prepared;
  uint32_t k = s->front_key, set = old->next_set & s->go & ~s->mgmt;
  uint32_t key = k < s->cfg.KEYS ? k : 0; /* a front that is not valid may have any key */
  p->next_set = s->members[key];
  p->next_last = s->last_vl[key];
  p->next_deficit = s->deficit[key];
  p->next_same = s->cur_valid && s->cur == k;
  p->next_some = set != 0;
  p->next_vl = first_vl(set, old->next_last + 1);
  p->next_base =
      loom_min((old->next_same ? s->acc : old->next_deficit) + s->front_weight, s->acc_most);
  p->fresh = renew ? 0 : (old->fresh << 1 & 6) | s->front_valid;
}

static void prepare_selection(const struct loom_deficit_table *s, uint32_t can,
                              struct loom_table_prepared *p) {
  const struct loom_table_head *h = &s->head[s->kept_vl];
  uint32_t set = s->prepared.other_set & s->go & ~s->mgmt;
  p->other_some = set != 0;
  p->other_vl = first_vl(set, s->kept_vl + 1);
  p->other_set = s->members[s->cur];
  p->keep_go = (can >> s->kept_vl & 1) && h->key == s->cur;
  p->keep_size = h->size;
  p->keep_last = h->last;
  p->keep_fits = h->size <= s->acc;
  p->keep_rest = s->acc - h->size;
  p->mgmt_go = can & s->mgmt;
}

/* ---- the search ------------------------------------------------------------------------------ */

static bool load_front(struct loom_deficit_table *s, bool pop) {
  if (s->search != READ || (s->front_valid && !pop))
    return false;
  const struct loom_message_entry *e = &s->entry[s->found];
  s->front_entry = s->found;
  s->front_key = e->key;
  s->front_weight = e->weight;
  s->front_message = e->message;
  return true;
}

/* `ptr` is its next value. */
static void search_edge(struct loom_deficit_table *s, bool pop, bool restart, uint32_t ptr) {
  bool load = load_front(s, pop);
  if (load)
    s->from = s->found;
  s->front_valid = load || (s->front_valid && !pop);
  if (s->search == ENTRY)
    s->found = entry_after(&s->hit, s->from);
  if (restart) {
    s->search = REST;
    s->front_valid = false;
    s->from = ptr;
  } else if (s->search == READ) {
    s->search = load ? GROUP : READ;
  } else if (s->search != GROUP || !no_entry(&s->hit)) {
    s->search++;
  }
}

/* ---- the view -------------------------------------------------------------------------------- */

struct pick {
  bool allowed;
  uint32_t set; /* the one VL, or none */
  uint32_t vl, key;
};

static struct pick pick_vl(const struct loom_deficit_table *s) {
  struct pick p = {.allowed = swept(s) && !s->write_step};
  if (!p.allowed || !s->differ)
    return p;
  p.vl = loom_ctz(s->differ);
  p.set = 1u << p.vl;
  p.key = (s->shown & p.set) ? s->shown_key[p.vl] : s->head[p.vl].key;
  return p;
}

/* `pick`: the set of the VL that is picked, or none. */
static uint32_t differing(const struct loom_deficit_table *s, uint32_t ready, uint32_t pick) {
  uint32_t kept = s->pause ? 1u << s->kept_vl : 0;
  return ((ready & s->ok & ~s->moved) ^ s->shown) & ~(s->mgmt | kept | s->done | pick);
}

static void change_edge(struct loom_deficit_table *s) {
  s->flip = false;
  if (!s->change)
    return;
  uint32_t set = s->members[s->change_key];
  s->members[s->change_key] = set ^ s->change_vl;
  s->flip = !set || set == s->change_vl;
  s->flip_row = s->row[s->change_key];
}

static void pick_edge(struct loom_deficit_table *s, const struct pick *p) {
  s->change = p->set != 0;
  if (p->allowed)
    s->done = p->set ? s->done | p->set : 0;
  if (!p->set)
    return;
  s->change_vl = p->set;
  s->change_key = p->key;
  s->shown_key[p->vl] = (uint8_t)p->key;
  s->shown ^= p->set;
}

static void hit_edge(struct loom_deficit_table *s) {
  if (!s->flip)
    return;
  s->hit.word[0] ^= s->flip_row.word[0];
  s->hit.word[1] ^= s->flip_row.word[1];
}

/* ---- the table ------------------------------------------------------------------------------- */

static void write_done(struct loom_deficit_table *s) {
  uint32_t e = s->write_entry, k = s->write_key;
  bool live = s->write_weight && k < s->cfg.KEYS;
  if (live)
    put_entry(&s->row[k], e, true);
  put_entry(&s->hit, e, live && s->members[k]);
  s->entry[e] = (struct loom_message_entry){.message = s->write_message,
                                            .key = (uint8_t)s->write_key,
                                            .weight = (uint8_t)s->write_weight};
  s->write_step = 0;
}

static void write_edge(struct loom_deficit_table *s, const struct loom_deficit_table_in *in) {
  uint32_t data = (uint32_t)in->table_data;
  switch (s->write_step) {
  case 0:
    if (!in->table_we || !swept(s) || in->table_addr >= s->cfg.ENTRIES)
      return;
    s->write_step = 1;
    s->write_entry = (uint32_t)in->table_addr;
    s->write_key = LOOM_GET(LOOM_MESSAGE_ENTRY_KEY, data);
    s->write_weight = LOOM_GET(LOOM_MESSAGE_ENTRY_WEIGHT, data);
    s->write_message = LOOM_GET(LOOM_MESSAGE_ENTRY_MESSAGE, data);
    return;
  case 1:
    s->old_key = s->entry[s->write_entry].key;
    s->write_step = 2;
    return;
  case 2:
    if (s->old_key < s->cfg.KEYS)
      put_entry(&s->row[s->old_key], s->write_entry, false);
    s->write_step = 3;
    return;
  default:
    write_done(s);
  }
}

static uint32_t entry_word(const struct loom_deficit_table *s, uint32_t e) {
  const struct loom_message_entry *x = &s->entry[e];
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
  if (!swept(s))
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

/* The VLs that can be granted; `pick` is the set of the VL that is picked. */
static uint32_t can_go(const struct loom_deficit_table *s, uint32_t ready, uint32_t pick) {
  return ready & s->ok & (s->mgmt | (s->shown & ~s->moved & ~pick));
}

static void head_edge(struct loom_deficit_table *s, const struct loom_deficit_table_in *in) {
  uint32_t v = (uint32_t)in->head_vl;
  s->moved &= s->shown;
  if (!in->head_valid || v >= s->cfg.VLS)
    return;
  uint32_t key = s->cfg.ARB_KEY ? (uint32_t)in->head_sl : v, bit = 1u << v;
  bool moved = (s->shown & bit) && key != s->shown_key[v];
  bool ok = in->head_size > 0 && key < s->cfg.KEYS;
  s->moved = (s->moved & ~bit) | (moved ? bit : 0);
  s->ok = (s->ok & ~bit) | (ok ? bit : 0);
  s->head[v] = (struct loom_table_head){
      .size = (uint16_t)in->head_size, .key = (uint8_t)key, .last = in->head_last != 0};
}

void loom_deficit_table_show(const struct loom_deficit_table *s,
                             struct loom_deficit_table_out *out) {
  out->table_rdata = s->table_rdata;
  out->busy = !swept(s) || s->write_step;
  out->ready = swept(s);
  out->grant_valid = s->grant_valid;
  out->grant_vl = s->grant_vl;
  out->grant_key = s->grant_key;
  out->grant_size = s->grant_size;
}

void loom_deficit_table_step(struct loom_deficit_table *s, const struct loom_deficit_table_in *in,
                             struct loom_deficit_table_out *out) {
  loom_deficit_table_show(s, out);
  struct decision d = decide(s);
  struct pick p = pick_vl(s);
  uint32_t ready = (uint32_t)in->ready, can = can_go(s, ready, p.set);
  uint32_t differ = differing(s, ready, p.set);
  bool restart = s->flip || s->write_step == 3;

  s->table_rdata = table_read(s, s->addr);
  s->addr = (uint32_t)in->table_addr;
  struct loom_table_prepared next;
  prepare_try(s, can, &next);
  prepare_next(s, restart || d.step, &next);
  prepare_selection(s, can, &next);
  decision_edge(s, &d);
  s->prepared = next;
  search_edge(s, d.pop, restart, s->ptr);
  hit_edge(s);
  write_edge(s, in);
  change_edge(s);
  s->differ = differ;
  s->go = can;
  s->asked = in->request != 0;
  head_edge(s, in);
  pick_edge(s, &p);
  s->sweep += !swept(s);
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
  p->search = s->search;
  p->front_valid = s->front_valid;
  p->shown = s->shown;
  p->write_step = s->write_step;
}

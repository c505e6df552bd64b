/* SPDX-License-Identifier: Apache-2.0 */
/* table_view.c - twin of rtl/sched/loom_table_view.v, written from docs/tables.md
 *
 * Inside: deficit_table, and two_table.
 */
#include "sched/table_view.h"

#include <string.h>

void loom_table_view_init(struct loom_table_view *v, uint32_t vls, uint32_t keys, bool arb_key,
                          uint32_t mgmt_vl, uint32_t sweep_end) {
  memset(v, 0, sizeof *v);
  v->vls = vls;
  v->keys = keys;
  v->arb_key = arb_key;
  v->mgmt = mgmt_vl < vls ? 1u << mgmt_vl : 0;
  v->sweep_end = sweep_end;
}

/* ---- heads and ready bits -------------------------------------------------------------------- */

static void head_edge(struct loom_table_view *v, const struct loom_view_in *in) {
  v->moved &= v->shown;
  if (!in->head_valid || in->head_vl >= v->vls)
    return;
  uint32_t key = v->arb_key ? in->head_sl : in->head_vl, bit = 1u << in->head_vl;
  bool moved = (v->shown & bit) && key != v->shown_key[in->head_vl];
  bool ok = in->head_size > 0 && key < v->keys;
  v->moved = (v->moved & ~bit) | (moved ? bit : 0);
  v->ok = (v->ok & ~bit) | (ok ? bit : 0);
  v->head[in->head_vl] = (struct loom_table_head){
      .size = (uint16_t)in->head_size, .key = (uint8_t)key, .last = in->head_last};
}

/* ---- the view -------------------------------------------------------------------------------- */

static void change_edge(struct loom_table_view *v) {
  v->flip = false;
  if (!v->change)
    return;
  uint32_t set = v->members[v->change_key];
  v->members[v->change_key] = set ^ v->change_vl;
  v->flip_idle = set == v->change_vl;
  v->flip = !set || v->flip_idle;
  v->flip_key = v->change_key;
  v->flip_row = v->row[v->change_key];
}

static void pick_edge(struct loom_table_view *v, const struct loom_view_pick *p) {
  v->change = p->set != 0;
  if (p->allowed)
    v->done = p->set ? v->done | p->set : 0;
  if (!p->set)
    return;
  v->change_vl = p->set;
  v->change_key = p->key;
  v->shown_key[p->vl] = (uint8_t)p->key;
  v->shown ^= p->set;
}

static void hit_edge(struct loom_table_view *v) {
  if (!v->flip)
    return;
  v->hit.word[0] ^= v->flip_row.word[0];
  v->hit.word[1] ^= v->flip_row.word[1];
}

/* ---- table writes ---------------------------------------------------------------------------- */

static void put_entry(struct loom_entry_set *set, uint32_t e, bool in) {
  uint64_t bit = 1ull << e % 64;
  set->word[e / 64] = (set->word[e / 64] & ~bit) | (in ? bit : 0);
}

/* The row of a key gets an entry, or loses it. */
static void put_row(struct loom_table_view *v, uint32_t key, uint32_t e, bool in) {
  struct loom_entry_set *row = &v->row[key];
  put_entry(row, e, in);
  v->written = 1u << key;
  v->some = row->word[0] || row->word[1];
}

/* Which keys are served follows what was written a cycle before. */
static void served_edge(struct loom_table_view *v) {
  v->served = (v->served & ~v->written) | (v->some ? v->written : 0);
  v->written = 0;
}

static void write_done(struct loom_table_view *v) {
  uint32_t e = v->write_entry, k = v->write.key;
  bool live = v->write.weight && k < v->keys;
  if (live)
    put_row(v, k, e, true);
  put_entry(&v->hit, e, live && v->members[k]);
  v->entry[e] = v->write;
  v->write_step = 0;
}

static void write_edge(struct loom_table_view *v, const struct loom_view_in *in) {
  switch (v->write_step) {
  case 0:
    if (!in->write || !loom_view_swept(v))
      return;
    v->write_step = 1;
    v->write_entry = in->write_entry;
    v->write = in->entry;
    return;
  case 1:
    v->old_key = v->entry[v->write_entry].key;
    v->write_step = 2;
    return;
  case 2:
    if (v->old_key < v->keys)
      put_row(v, v->old_key, v->write_entry, false);
    v->write_step = 3;
    return;
  default:
    write_done(v);
  }
}

/* ---- a cycle --------------------------------------------------------------------------------- */

/* From what is looked at last to what comes first, so that each step sees the registers as they
 * were in the cycle. */
void loom_table_view_turn(struct loom_table_view *v, const struct loom_view_in *in,
                          const struct loom_view_pick *pick, uint32_t differ) {
  hit_edge(v);
  served_edge(v);
  write_edge(v, in);
  change_edge(v);
  v->differ = differ;
  head_edge(v, in);
  pick_edge(v, pick);
  v->sweep += !loom_view_swept(v);
}

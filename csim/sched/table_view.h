/* SPDX-License-Identifier: Apache-2.0 */
/* table_view.h - which keys are active, as the schedulers with their tables in RAM see it
 * (docs/tables.md#heads-and-ready-bits, #the-view, #table-writes; DT-01, IB-03)
 *
 * Inside: deficit_table, and two_table.
 *
 * Holds the heads, the view that follows the ready bits one VL a cycle, the entries, the set of
 * those whose key is active, the write of an entry and the sweep after reset.
 */
#ifndef LOOM_SCHED_TABLE_VIEW_H
#define LOOM_SCHED_TABLE_VIEW_H

#include <loom/limits.h>
#include <stdbool.h>
#include <stdint.h>

#include <loom/bits.h>

#include "sched/sched_table.h"

/* An entry of a table; key and weight are as software wrote them. */
struct loom_table_entry {
  bool message; /* the packets of a message stay together; false where the table has no such bit */
  uint8_t key;
  uint8_t weight; /* units of 64 bytes; 0: the entry is passed over */
};

/* The packet at the head of a VL; size in units of 64 bytes. */
struct loom_table_head {
  uint16_t size;
  uint8_t key;
  bool last; /* of its message */
};

/* The sets of VLs have a bit a VL. */
struct loom_table_view {
  uint32_t vls, keys;
  bool arb_key;              /* a key is an SL, not a VL */
  uint32_t mgmt;             /* the set of the management VL, 0 if there is none */
  uint32_t sweep, sweep_end; /* cycles of the sweep: done, and all */

  /* Heads and ready bits. */
  struct loom_table_head head[LOOM_VLS];
  uint32_t ok, moved, go;

  /* The view. */
  uint32_t shown, differ, done;
  uint8_t shown_key[LOOM_VLS];
  uint32_t members[LOOM_KEYS];
  bool change, flip, flip_idle;
  uint32_t change_vl, change_key, flip_key; /* change_vl: the set of the one VL */
  struct loom_entry_set row[LOOM_KEYS], flip_row, hit;
  uint32_t served;  /* keys that have an entry with a weight, a bit a key */
  uint32_t written; /* the key whose row was written in the last cycle, a bit a key */
  bool some;        /* that row has an entry */

  /* The entries, and a write of one. */
  struct loom_table_entry entry[LOOM_SCHED_ENTRIES];
  uint32_t write_step, write_entry;
  struct loom_table_entry write;
  uint32_t old_key; /* of the entry that is written, from step 1 on */
};

/* What a view is told in a cycle. */
struct loom_view_in {
  uint32_t ready;                       /* the port ready_i */
  uint32_t kept;                        /* VLs that stay in the view */
  uint32_t held;                        /* VLs that stay in it unless they moved */
  bool head_valid;                      /* the ports of the head event: */
  uint32_t head_vl, head_size, head_sl; /* size in units of 64 bytes */
  bool head_last;                       /* false where there is no such port */
  bool write;                           /* an entry is written, if not busy: */
  uint32_t write_entry;                 /* 0..127 */
  struct loom_table_entry entry;        /* and this is its new value */
};

/* The VL that turns over in the view in this cycle. */
struct loom_view_pick {
  bool allowed;
  uint32_t set; /* the one VL, or none */
  uint32_t vl, key;
};

/* The view after reset: everything 0. sweep_end: cycles of the sweep. */
void loom_table_view_init(struct loom_table_view *v, uint32_t vls, uint32_t keys, bool arb_key,
                          uint32_t mgmt_vl, uint32_t sweep_end);

/* The memories are swept. */
static inline bool loom_view_swept(const struct loom_table_view *v) {
  return v->sweep == v->sweep_end;
}

/* A table write now is ignored. */
static inline bool loom_view_busy(const struct loom_table_view *v) {
  return !loom_view_swept(v) || v->write_step;
}

/* No VL is on its way into the view or out of it, and no entry is written. `differ` may rise again
 * when a change is done: only a view that is calm for a few cycles on end, while its inputs stay as
 * they are, does not change any more. */
static inline bool loom_view_is_calm(const struct loom_table_view *v) {
  return loom_view_swept(v) && !(v->differ | v->write_step | v->written | v->change | v->flip);
}

/* The searches begin again: a key turns active or idle, or an entry takes its new value. */
static inline bool loom_view_restarts(const struct loom_table_view *v) {
  return v->flip || v->write_step == 3;
}

/* first(set, from): the first VL at from, from + 1, ... and then from 0, 0 of an empty set. `from`
 * may be one beyond the last VL. */
static inline uint32_t loom_view_first(uint32_t set, uint32_t from) {
  return set ? loom_ctz_from(set, from) : 0;
}

/* The VL that is picked in this cycle. */
static inline struct loom_view_pick loom_view_pick_vl(const struct loom_table_view *v) {
  struct loom_view_pick p = {loom_view_swept(v) && !v->write_step, 0, 0, 0};
  if (!p.allowed || !v->differ)
    return p;
  p.vl = loom_ctz(v->differ);
  p.set = 1u << p.vl;
  p.key = (v->shown & p.set) ? v->shown_key[p.vl] : v->head[p.vl].key;
  return p;
}

/* can[v]: the VLs that can be granted, from the port ready_i and the pick of this cycle. */
static inline uint32_t loom_view_can(const struct loom_table_view *v, uint32_t ready,
                                     const struct loom_view_pick *pick) {
  return ready & v->ok & (v->mgmt | (v->shown & ~v->moved & ~pick->set));
}

/* VLs that would turn over in the view from the next cycle on. */
static inline uint32_t loom_view_differing(const struct loom_table_view *v,
                                           const struct loom_view_in *in,
                                           const struct loom_view_pick *pick) {
  uint32_t stays = v->mgmt | in->kept | (in->held & ~v->moved) | v->done | pick->set;
  return ((in->ready & v->ok & ~v->moved) ^ v->shown) & ~stays;
}

/* No head comes, no VL turns over and no entry is written. */
static inline bool loom_view_is_quiet(const struct loom_table_view *v,
                                      const struct loom_view_in *in, uint32_t differ) {
  uint32_t works = differ | v->differ | v->done | v->written | v->write_step;
  return !works && !v->change && !v->flip && !in->head_valid && !in->write && loom_view_swept(v);
}

/* The edge, but for `go`; of a view that is quiet it changes nothing else. */
void loom_table_view_turn(struct loom_table_view *v, const struct loom_view_in *in,
                          const struct loom_view_pick *pick, uint32_t differ);

/* The edge that ends the cycle; `can` is what loom_view_can said. Gives whether it changed
 * something. */
static inline bool loom_table_view_edge(struct loom_table_view *v, const struct loom_view_in *in,
                                        const struct loom_view_pick *pick, uint32_t can) {
  uint32_t differ = loom_view_differing(v, in, pick);
  bool moves = v->go != can || (v->moved & ~v->shown) || !loom_view_is_quiet(v, in, differ);
  v->go = can;
  if (moves)
    loom_table_view_turn(v, in, pick, differ);
  return moves;
}

#endif

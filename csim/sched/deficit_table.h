/* SPDX-License-Identifier: Apache-2.0 */
/* deficit_table.h - twin of loom_deficit_table: deficit table with its tables in RAM
 * (docs/tables.md; DT-01..04, DT-10, DT-11)
 *
 * Registers in another form than in the circuit:
 *   any, own, next_group, bits, group: none: the entry is found in one go in ENTRY
 *   mgmt_size, mgmt_key: head of the management VL
 *   write_hit: none: worked out in step 3
 */
#ifndef LOOM_SCHED_DEFICIT_TABLE_H
#define LOOM_SCHED_DEFICIT_TABLE_H

#define LOOM_DUT deficit_table
#define LOOM_DEF "sched/deficit_table.def"
#include <loom/def.h>

#include <loom/bits.h>
#include <loom/limits.h>
#include <stdbool.h>

#define LOOM_NAMES "sched/deficit_table.fields"
#include <loom/names.h>

#include "sched/sched_dtable.h"

/* An entry of the table; key and weight are as software wrote them. */
struct loom_message_entry {
  bool message;
  uint8_t key, weight;
};

/* The packet at the head of a VL; size in units of 64 bytes. */
struct loom_table_head {
  uint16_t size;
  uint8_t key;
  bool last;
};

/* What is made ready for a decision: the next entry in steps, and the selection. */
struct loom_table_prepared {
  uint32_t fresh;
  uint32_t next_set, next_last, next_deficit, next_vl, next_base;
  bool next_same, next_some;
  uint32_t try_vl, try_size, try_base, try_rest;
  bool try_go, try_last, try_fits;
  uint32_t other_set, other_vl;
  bool other_some;
  uint32_t keep_size, keep_rest;
  bool keep_go, keep_last, keep_fits, mgmt_go;
};

/* The sets of VLs have a bit a VL. Sizes, weights and counters in units of 64 bytes. */
struct loom_deficit_table {
  struct loom_deficit_table_cfg cfg;
  uint32_t acc_most; /* where counters saturate: 255 under IB_WEIGHTS, else nothing reaches it */
  uint32_t mgmt;     /* the set of the management VL, 0 if there is none */
  uint32_t sweep, sweep_end; /* cycles of the sweep: done, and all */

  /* Heads and ready bits. */
  struct loom_table_head head[LOOM_VLS];
  uint32_t ok, moved, go;
  bool asked;

  /* The view. */
  uint32_t shown, differ, done;
  uint8_t shown_key[LOOM_VLS];
  uint32_t members[LOOM_KEYS];
  bool change, flip;
  uint32_t change_vl, change_key; /* change_vl: the set of the one VL */
  struct loom_entry_set row[LOOM_KEYS], flip_row, hit;

  /* The table, and a write of it. */
  struct loom_message_entry entry[LOOM_SCHED_ENTRIES];
  uint32_t write_step, write_entry, write_key, write_weight;
  bool write_message;
  uint32_t old_key; /* of the entry that is written, from step 1 on */

  /* The search. */
  uint32_t search, from, found;
  bool front_valid, front_message;
  uint32_t front_entry, front_key, front_weight;

  struct loom_table_prepared prepared;

  /* The policy. */
  uint32_t pause;
  bool cur_valid, open, message;
  uint32_t cur, acc, kept_vl, ptr;
  uint16_t deficit[LOOM_KEYS];
  uint8_t last_vl[LOOM_KEYS];

  /* Output registers, and the address of the last cycle. */
  bool grant_valid;
  uint32_t grant_vl, grant_key, grant_size;
  uint32_t addr, table_rdata;
};

/* The parameters are legal together. */
bool loom_deficit_table_cfg_ok(const struct loom_deficit_table_cfg *cfg);
void loom_deficit_table_init(struct loom_deficit_table *s,
                             const struct loom_deficit_table_cfg *cfg);
void loom_deficit_table_step(struct loom_deficit_table *s, const struct loom_deficit_table_in *in,
                             struct loom_deficit_table_out *out);
/* What the outputs show in the present cycle: all of them are registers. */
void loom_deficit_table_show(const struct loom_deficit_table *s,
                             struct loom_deficit_table_out *out);
void loom_deficit_table_probe(const struct loom_deficit_table *s,
                              struct loom_deficit_table_probe *p);

#endif

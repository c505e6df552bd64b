/* SPDX-License-Identifier: Apache-2.0 */
/* deficit_table.h - twin of loom_deficit_table: deficit table with its tables in RAM
 * (docs/tables.md; DT-01..04, DT-10, DT-11)
 *
 * Registers in another form than in the circuit:
 *   any, own, next_group, bits, group: none: the entry is found in one go in ENTRY
 *   swept: the count of view.sweep
 *   mgmt_size, mgmt_key: view.head of the management VL
 *   write_hit: none: worked out in step 3
 */
#ifndef LOOM_SCHED_DEFICIT_TABLE_H
#define LOOM_SCHED_DEFICIT_TABLE_H

#define LOOM_DUT deficit_table
#define LOOM_DEF "sched/deficit_table.def"
#include <loom/def.h>

#include <stdbool.h>

#define LOOM_NAMES "sched/deficit_table.fields"
#include <loom/names.h>

#include "sched/sched_cycle.h"
#include "sched/sched_dtable.h"
#include "sched/table_search.h"
#include "sched/table_view.h"

/* What is made ready for a decision: the next entry in steps, and the selection. */
struct loom_table_prepared {
  uint32_t next_set, other_set;
  uint16_t next_deficit, next_base;
  uint16_t try_size, try_base, try_rest; /* a rest means something only if it fits */
  uint16_t keep_size, keep_rest;
  uint8_t fresh;
  uint8_t next_last, next_vl, try_vl, other_vl;
  bool next_same, next_some;
  bool try_go, try_last, try_fits;
  bool other_some;
  bool keep_go, keep_last, keep_fits, keep_back, mgmt_go;
};

/* Sizes, weights and counters in units of 64 bytes. */
struct loom_deficit_table {
  struct loom_deficit_table_cfg cfg;
  uint32_t acc_most; /* where counters saturate: 255 under IB_WEIGHTS, else nothing reaches it */

  struct loom_table_view view; /* heads, view, entries */
  struct loom_table_search search;
  struct loom_table_prepared prepared;

  /* The policy. */
  bool asked;
  uint32_t pause;
  uint32_t held, young; /* VLs that were granted a short time ago, a bit a VL */
  uint32_t stay;        /* cycles in which those of `young` may still be away */
  bool cur_valid, open, message;
  uint32_t cur, acc, kept_vl, ptr;
  uint16_t deficit[LOOM_KEYS];
  uint8_t last_vl[LOOM_KEYS];

  /* Output registers, and the address of the last cycle. */
  bool grant_valid;
  uint32_t grant_vl, grant_key, grant_size;
  uint32_t addr, table_rdata;
  bool read_entry; /* no register: table_rdata is the entry at addr, which is not being written */
};

/* The parameters are legal together. */
bool loom_deficit_table_cfg_ok(const struct loom_deficit_table_cfg *cfg);
void loom_deficit_table_init(struct loom_deficit_table *s,
                             const struct loom_deficit_table_cfg *cfg);
void loom_deficit_table_step(struct loom_deficit_table *s, const struct loom_deficit_table_in *in,
                             struct loom_deficit_table_out *out);
/* The edge that ends the cycle, for users that look at the registers themselves. False: nothing
 * changed but what count says; then nothing else will, if the inputs stay and no head comes, in as
 * many of the next edges as counts says, `most` at most. */
bool loom_deficit_table_edge(struct loom_deficit_table *s, const struct loom_sched_cycle *in);
uint32_t loom_deficit_table_counts(const struct loom_deficit_table *s, uint32_t most);
/* So many of these edges. */
void loom_deficit_table_count(struct loom_deficit_table *s, uint32_t cycles);
/* What the outputs show in the present cycle: all of them are registers. */
static inline void loom_deficit_table_show(const struct loom_deficit_table *s,
                                           struct loom_deficit_table_out *out) {
  out->table_rdata = s->table_rdata;
  out->busy = loom_view_busy(&s->view);
  out->ready = loom_view_swept(&s->view);
  out->served = s->view.served;
  out->grant_valid = s->grant_valid;
  out->grant_vl = s->grant_vl;
  out->grant_key = s->grant_key;
  out->grant_size = s->grant_size;
}
/* Nothing is under way: if its inputs stay as they are, with no head and no write of the table, a
 * few cycles later nothing changes any more. */
bool loom_deficit_table_is_calm(const struct loom_deficit_table *s);
void loom_deficit_table_probe(const struct loom_deficit_table *s,
                              struct loom_deficit_table_probe *p);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* sched_table.h - an arbitration table: a ring of entries {key, weight} (docs/sched.md; DT-01,
 * IB-03)
 *
 * Inside: sched_dtable, and sched_ibarb twice.
 */
#ifndef LOOM_SCHED_TABLE_H
#define LOOM_SCHED_TABLE_H

#include <stdint.h>

#include <loom/bits.h>

#define LOOM_NAMES "sched/sched_table.fields"
#include <loom/names.h>

enum { LOOM_SCHED_ENTRIES = 128 };

/* The word of an entry. */
static inline uint32_t loom_sched_entry(uint32_t key, uint32_t weight) {
  return LOOM_PUT(LOOM_ENTRY_KEY, key) | LOOM_PUT(LOOM_ENTRY_WEIGHT, weight);
}

/* One bit an entry. */
struct loom_entry_set {
  uint64_t word[LOOM_SCHED_ENTRIES / 64];
};

struct loom_sched_table {
  uint32_t entries; /* 1..128 */
  uint8_t key[LOOM_SCHED_ENTRIES];
  uint8_t weight[LOOM_SCHED_ENTRIES]; /* units of 64 bytes, 0: the entry is passed over */
  /* Follows from the entries, so that a search is a few ANDs: those of each key with weight > 0. */
  struct loom_entry_set of_key[32];
};

/* What a search found. */
struct loom_sched_next {
  uint32_t valid;
  uint32_t index, key, weight; /* of the entry, as they were at the search */
};

/* All entries 0. */
void loom_sched_table_init(struct loom_sched_table *t, uint32_t entries);

/* The word of an entry; index < entries. */
void loom_sched_table_write(struct loom_sched_table *t, uint32_t index, uint32_t data);
uint32_t loom_sched_table_read(const struct loom_sched_table *t, uint32_t index);

/* The first entry at from + 1, from + 2, ..., from (modulo the size) with weight > 0 whose key is
 * in the set `active`. */
struct loom_sched_next loom_sched_table_next(const struct loom_sched_table *t, uint32_t from,
                                             uint32_t active);

#endif

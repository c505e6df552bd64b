/* SPDX-License-Identifier: Apache-2.0 */
/* sched_table.c - the ring of entries in sched_dtable and sched_ibarb, written from docs/sched.md
 *
 * Inside: sched_dtable, and sched_ibarb twice.
 */
#include "sched/sched_table.h"

#include <string.h>

void loom_sched_table_init(struct loom_sched_table *t, uint32_t entries) {
  memset(t, 0, sizeof *t);
  t->entries = entries;
}

void loom_sched_table_write(struct loom_sched_table *t, uint32_t index, uint32_t data) {
  uint64_t bit = 1ull << index % 64;
  t->of_key[t->key[index]].word[index / 64] &= ~bit;
  t->key[index] = LOOM_GET(LOOM_ENTRY_KEY, data);
  t->weight[index] = LOOM_GET(LOOM_ENTRY_WEIGHT, data);
  if (t->weight[index])
    t->of_key[t->key[index]].word[index / 64] |= bit;
}

uint32_t loom_sched_table_read(const struct loom_sched_table *t, uint32_t index) {
  return loom_sched_entry(t->key[index], t->weight[index]);
}

/* Entries that an active key could use. */
static struct loom_entry_set usable(const struct loom_sched_table *t, uint32_t active) {
  struct loom_entry_set set = {{0, 0}};
  for (; active; active &= active - 1) {
    const struct loom_entry_set *own = &t->of_key[loom_ctz(active)];
    set.word[0] |= own->word[0];
    set.word[1] |= own->word[1];
  }
  return set;
}

/* First member after place p, then from the start; the set must not be empty. */
static uint32_t first_behind(const struct loom_entry_set *set, uint32_t p) {
  uint64_t behind = ~1ull << p % 64; /* none when p is the last of its word */
  uint64_t near = set->word[p / 64] & behind;
  if (near)
    return p / 64 * 64 + loom_ctz(near);
  if (p < 64 && set->word[1])
    return 64 + loom_ctz(set->word[1]);
  return set->word[0] ? loom_ctz(set->word[0]) : 64 + loom_ctz(set->word[1]);
}

struct loom_sched_next loom_sched_table_next(const struct loom_sched_table *t, uint32_t from,
                                             uint32_t active) {
  struct loom_entry_set set = usable(t, active);
  struct loom_sched_next next = {.valid = (set.word[0] | set.word[1]) != 0};
  if (next.valid) {
    next.index = first_behind(&set, from);
    next.key = t->key[next.index];
    next.weight = t->weight[next.index];
  }
  return next;
}

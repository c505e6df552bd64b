/* SPDX-License-Identifier: Apache-2.0 */
/* table_search.h - finds the next entry of a table whose key is active, ahead of need
 * (docs/tables.md#the-search; DT-01, IB-03)
 *
 * Inside: deficit_table, and two_table twice.
 */
#ifndef LOOM_SCHED_TABLE_SEARCH_H
#define LOOM_SCHED_TABLE_SEARCH_H

#include "sched/table_view.h"

enum loom_search_state {
  LOOM_SEARCH_REST = 0,
  LOOM_SEARCH_GROUP = 1,
  LOOM_SEARCH_BITS = 2,
  LOOM_SEARCH_ENTRY = 3,
  LOOM_SEARCH_READ = 4
};

struct loom_table_search {
  uint32_t state; /* enum loom_search_state */
  uint32_t from;  /* it begins at the entry after this one */
  uint32_t found;
  bool front_valid;
  uint32_t front_entry; /* the number of the entry that was found ahead */
  struct loom_table_entry front;
};

/* What happens to a search in a cycle. */
struct loom_search_in {
  const struct loom_entry_set *hit;     /* the entries of its table whose key is active */
  const struct loom_table_entry *entry; /* its table */
  bool pop;                             /* the front is taken */
  bool restart;                         /* the search begins again */
  bool drop;                            /* the front is dropped; only with a restart */
  uint32_t selected;                    /* where it begins after a drop */
};

/* After reset the search begins at entry 0. */
void loom_table_search_init(struct loom_table_search *s, uint32_t entries);

/* It waits: for an active key, or until the front is taken. */
static inline bool loom_search_waits(const struct loom_table_search *s,
                                     const struct loom_search_in *in) {
  if (in->restart || in->pop)
    return false;
  return s->state == LOOM_SEARCH_READ
             ? s->front_valid
             : s->state == LOOM_SEARCH_GROUP && !(in->hit->word[0] | in->hit->word[1]);
}

/* The edge of one that does not wait. */
void loom_table_search_go_on(struct loom_table_search *s, const struct loom_search_in *in);

/* The edge that ends the cycle. Gives whether it may have changed something. */
static inline bool loom_table_search_edge(struct loom_table_search *s,
                                          const struct loom_search_in *in) {
  if (loom_search_waits(s, in))
    return false;
  loom_table_search_go_on(s, in);
  return true;
}

#endif

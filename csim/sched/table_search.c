/* SPDX-License-Identifier: Apache-2.0 */
/* table_search.c - twin of rtl/sched/loom_table_search.v, written from docs/tables.md
 *
 * Inside: deficit_table, and two_table twice.
 */
#include "sched/table_search.h"

#include <string.h>

void loom_table_search_init(struct loom_table_search *s, uint32_t entries) {
  memset(s, 0, sizeof *s);
  s->from = entries - 1;
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

static void restart(struct loom_table_search *s, const struct loom_search_in *in) {
  s->state = LOOM_SEARCH_REST;
  s->front_valid = s->front_valid && !in->pop && !in->drop;
  if (in->drop)
    s->from = in->selected;
}

static void load_front(struct loom_table_search *s, const struct loom_search_in *in) {
  s->front_entry = s->from = s->found;
  s->front = in->entry[s->found];
  s->front_valid = true;
  s->state = LOOM_SEARCH_GROUP;
}

void loom_table_search_go_on(struct loom_table_search *s, const struct loom_search_in *in) {
  if (in->restart) {
    restart(s, in);
    return;
  }
  s->front_valid = s->front_valid && !in->pop;
  switch (s->state) {
  case LOOM_SEARCH_GROUP:
    if (!no_entry(in->hit))
      s->state = LOOM_SEARCH_BITS;
    return;
  case LOOM_SEARCH_ENTRY:
    s->found = entry_after(in->hit, s->from);
    s->state = LOOM_SEARCH_READ;
    return;
  case LOOM_SEARCH_READ:
    if (!s->front_valid)
      load_front(s, in);
    return;
  default:
    s->state++;
  }
}

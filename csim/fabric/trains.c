/* SPDX-License-Identifier: Apache-2.0 */
/* trains.c - the trains that are arriving at a host (docs/link.md, docs/fabric.md; DT-10) */
#include "fabric/trains.h"

enum { SLOTS_FIRST = 16 };

/* ---- table ----------------------------------------------------------------------------------- */

/* Never 0. */
static uint64_t flow_of(const struct loom_trains_packet *p) {
  return (uint64_t)p->src << 32 | (uint32_t)p->lid << 8 | (uint32_t)(p->traffic_class + 1);
}

static uint32_t home(const struct loom_trains *t, uint64_t flow) {
  return (uint32_t)loom_scramble(flow) & (t->size - 1);
}

/* The slot of a flow, or the free one where it would stand; the table is never full. */
static struct loom_train *find(const struct loom_trains *t, uint64_t flow) {
  uint32_t at = home(t, flow);
  while (t->slot[at].flow && t->slot[at].flow != flow)
    at = (at + 1) & (t->size - 1);
  return &t->slot[at];
}

static bool grow(struct loom_trains *t, struct loom_ledger *l) {
  struct loom_trains more = {.size = t->size ? 2 * t->size : SLOTS_FIRST, .open = t->open};
  more.slot = loom_ledger_grow(l, NULL, 0, more.size * sizeof *more.slot);
  if (!more.slot)
    return false;
  for (uint32_t at = 0; at < t->size; at++)
    if (t->slot[at].flow)
      *find(&more, t->slot[at].flow) = t->slot[at];
  loom_trains_free(t, l);
  *t = more;
  return true;
}

/* Frees a slot; those after it that it kept from their places move up. */
static void end_train(struct loom_trains *t, struct loom_train *train) {
  uint32_t hole = (uint32_t)(train - t->slot), at = hole, mask = t->size - 1;
  t->slot[hole].flow = 0;
  t->open--;
  for (at = (at + 1) & mask; t->slot[at].flow; at = (at + 1) & mask)
    if (((at - home(t, t->slot[at].flow)) & mask) >= ((at - hole) & mask)) {
      t->slot[hole] = t->slot[at];
      t->slot[at].flow = 0;
      hole = at;
    }
}

void loom_trains_free(struct loom_trains *t, struct loom_ledger *l) {
  loom_ledger_free(l, t->slot, t->size * sizeof *t->slot);
}

/* ---- packets --------------------------------------------------------------------------------- */

/* `train`: of the packet's flow, NULL: none has begun. */
static bool is_in_place(const struct loom_train *train, const struct loom_trains_packet *p) {
  if (!p->after || !train)
    return !p->after && !train;
  bool known = p->placed && train->next != LOOM_TRAINS_ANY;
  return train->id == p->id && (!known || train->next == p->offset);
}

/* Of the packet after this one. `train`: as above. */
static uint32_t next_place(const struct loom_train *train, const struct loom_trains_packet *p) {
  if (p->placed)
    return p->offset + p->len;
  bool known = p->after && train && train->next != LOOM_TRAINS_ANY;
  return known ? train->next + p->len : LOOM_TRAINS_ANY;
}

bool loom_trains_arrive(struct loom_trains *t, struct loom_ledger *l,
                        const struct loom_trains_packet *p) {
  if (!p->after && !p->more && !t->open)
    return true;
  if (2 * t->open >= t->size && !grow(t, l))
    return true; /* the run is void */
  struct loom_train *slot = find(t, flow_of(p));
  const struct loom_train *train = slot->flow ? slot : NULL;
  bool good = is_in_place(train, p);
  if (p->more) {
    t->open += !train;
    *slot = (struct loom_train){flow_of(p), p->id, next_place(train, p)};
  } else if (train) {
    end_train(t, slot);
  }
  return good;
}

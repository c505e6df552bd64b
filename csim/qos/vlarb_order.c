/* SPDX-License-Identifier: Apache-2.0 */
#include "qos/vlarb_order.h"

#include <string.h>

#include <loom/random.h>

#include "qos/ratio.h"

/* ---- dealing --------------------------------------------------------------------------------- */

/* Packets of the VL's k-th entry: all alike but for one packet, the larger ones spread. */
static uint16_t part(const struct loom_order_vl *v, uint32_t k) {
  return (uint16_t)((k + 1) * v->packets / v->entries - k * v->packets / v->entries);
}

/* Whether the VL's next part ends before that of the other; the k-th of n ends at (k + 1) / n. */
static bool ends_before(const struct loom_order_vl *a, uint32_t dealt_a,
                        const struct loom_order_vl *b, uint32_t dealt_b) {
  uint64_t ahead = (uint64_t)(dealt_a + 1) * b->entries;
  uint64_t behind = (uint64_t)(dealt_b + 1) * a->entries;
  return ahead < behind || (ahead == behind && a->entries > b->entries);
}

/* The VL whose entry stands at `at` of `whole`: of those whose next part has begun the one whose
 * part ends first; where none has begun, the first that ends. */
static uint32_t next_vl(const struct loom_order *o, const uint32_t dealt[], uint64_t at,
                        uint64_t whole) {
  uint32_t found = o->count;
  bool found_begun = false;
  for (uint32_t i = 0; i < o->count; i++) {
    const struct loom_order_vl *v = &o->vl[i];
    if (dealt[i] == v->entries)
      continue;
    bool begun = dealt[i] * whole <= at * v->entries;
    if (found == o->count || (begun && !found_begun) ||
        (begun == found_begun && ends_before(v, dealt[i], &o->vl[found], dealt[found]))) {
      found = i;
      found_begun = begun;
    }
  }
  return found;
}

void loom_order_deal(struct loom_order *order, bool by_packets) {
  uint32_t dealt[LOOM_WISH_VLS] = {0};
  uint64_t at = 0;
  for (uint32_t e = 0; e < order->entries; e++) {
    uint32_t i = next_vl(order, dealt, at, by_packets ? order->packets : order->entries);
    order->slot[e].vl = (uint8_t)i;
    order->slot[e].packets = part(&order->vl[i], dealt[i]++);
    at += by_packets ? order->slot[e].packets : 1;
  }
}

/* ---- judging --------------------------------------------------------------------------------- */

static uint64_t beyond(uint64_t value, uint32_t most) {
  enum { FINE = 256 };
  return most == UINT32_MAX || value <= most ? 0 : (value - most) * FINE / (most + UINT64_C(1)) + 1;
}

/* Excess of one VL from an entry of `own` packets to its next: `between` entries of others with
 * `packets`. A turn of the other table may fall before each packet. */
static uint64_t window(const struct loom_order *o, const struct loom_order_vl *v, uint32_t own,
                       uint32_t between, uint32_t packets) {
  uint64_t padding = (uint64_t)(between + 1) * o->pad;
  if (v->gap == UINT32_MAX && v->distance == UINT32_MAX)
    return 0;
  if (!o->turn)
    return beyond(packets + padding, v->gap) + beyond(between + 1, v->distance);
  uint64_t turns = loom_ratio_up(packets + 1, o->turn);
  uint64_t all = loom_ratio_up(own + packets, o->turn);
  uint64_t inside = own > 1 ? loom_order_row(&o->other, 1) : 0; /* it may be interrupted itself */
  return beyond(packets + padding + loom_order_row(&o->other, turns), v->gap) +
         beyond(inside, v->gap) + beyond(between + 1 + all, v->distance);
}

/* What is known of a VL on the way through the table. */
struct seen {
  bool any;
  uint32_t entry; /* its last */
  uint32_t own;   /* packets of that */
  uint32_t end;   /* packets up to the end of it */
  uint32_t first; /* its first entry, and the packets before it */
  uint32_t start;
};

uint64_t loom_order_excess(const struct loom_order *order) {
  struct seen seen[LOOM_WISH_VLS] = {{.any = false}};
  uint32_t packets = 0;
  uint64_t excess = 0;
  for (uint32_t e = 0; e < order->entries; e++) {
    const struct loom_order_slot *slot = &order->slot[e];
    struct seen *s = &seen[slot->vl];
    if (s->any)
      excess += window(order, &order->vl[slot->vl], s->own, e - s->entry - 1, packets - s->end);
    else
      *s = (struct seen){.any = true, .first = e, .start = packets};
    packets += slot->packets;
    s->entry = e;
    s->own = slot->packets;
    s->end = packets;
  }
  for (uint32_t i = 0; i < order->count; i++) { /* from the last entry round to the first */
    const struct seen *s = &seen[i];
    if (s->any)
      excess += window(order, &order->vl[i], s->own, order->entries - s->entry - 1 + s->first,
                       packets - s->end + s->start);
  }
  return excess;
}

/* ---- changing -------------------------------------------------------------------------------- */

enum change { EXCHANGE, MOVE, GIVE, CHANGES };

/* Takes the entry at `from` out and puts it in at `to`. */
static void move(struct loom_order *o, uint32_t from, uint32_t to) {
  struct loom_order_slot kept = o->slot[from];
  if (from < to)
    memmove(&o->slot[from], &o->slot[from + 1], (to - from) * sizeof kept);
  else
    memmove(&o->slot[to + 1], &o->slot[to], (from - to) * sizeof kept);
  o->slot[to] = kept;
}

/* Makes a change between two entries; false: it would change nothing, or may not be. The same
 * change with a and b exchanged takes it back. */
static bool make(struct loom_order *o, enum change change, uint32_t a, uint32_t b) {
  struct loom_order_slot kept = o->slot[a];
  bool alike = kept.vl == o->slot[b].vl;
  switch (change) {
  case EXCHANGE:
    o->slot[a] = o->slot[b];
    o->slot[b] = kept;
    return !alike || kept.packets != o->slot[a].packets;
  case MOVE:
    move(o, a, b);
    return true;
  case GIVE:
    if (!alike || kept.packets == 1 || o->slot[b].packets == o->most)
      return false;
    o->slot[a].packets--;
    o->slot[b].packets++;
    return true;
  case CHANGES:
    break;
  }
  return false;
}

uint64_t loom_order_improve(struct loom_order *order, uint32_t steps, uint64_t *seed) {
  struct loom_order best = *order;
  uint64_t least = loom_order_excess(order);
  uint64_t now = least;
  uint64_t start = least / 32 + 1; /* how much worse a change may be at first; less and less */
  for (uint32_t step = 0; step < steps && least; step++) {
    uint32_t a = loom_below(seed, order->entries);
    uint32_t b = loom_below(seed, order->entries);
    enum change change = (enum change)loom_below(seed, CHANGES);
    if (a == b || !make(order, change, a, b))
      continue;
    uint64_t then = loom_order_excess(order);
    if (then <= now + start * (steps - step) / steps)
      now = then;
    else
      make(order, change, b, a);
    if (now < least) {
      least = now;
      best = *order;
    }
  }
  *order = best;
  return least;
}

void loom_order_count_rows(const struct loom_order *order, struct loom_order_rows *rows) {
  memset(rows, 0, sizeof *rows);
  rows->entries = order->entries;
  rows->packets = order->packets;
  for (uint32_t from = 0; from < order->entries; from++) {
    uint32_t packets = 0;
    for (uint32_t n = 1; n <= order->entries; n++) {
      packets += order->slot[(from + n - 1) % order->entries].packets;
      rows->most[n] = packets > rows->most[n] ? packets : rows->most[n];
    }
  }
}

uint64_t loom_order_row(const struct loom_order_rows *rows, uint64_t entries) {
  if (!rows->entries)
    return 0;
  return entries / rows->entries * rows->packets + rows->most[entries % rows->entries];
}

/* SPDX-License-Identifier: Apache-2.0 */
/* vlarb_order.h - the order of a table's entries (docs/vlarb.md)
 *
 * How many entries each VL has, and how many packets they send together, is given; who stands where
 * is found here, so that no VL waits longer than it may. All in packets.
 */
#ifndef LOOM_QOS_VLARB_ORDER_H
#define LOOM_QOS_VLARB_ORDER_H

#include "qos/vlarb_wish.h"

/* One VL in the table. */
struct loom_order_vl {
  uint32_t entries; /* 0: it has none here */
  uint32_t packets; /* of all its entries, at least one each */
  uint32_t gap;     /* most packets of others between two of its own; UINT32_MAX: any */
  uint32_t distance;
};

struct loom_order_slot {
  uint8_t vl; /* index into loom_order.vl */
  uint16_t packets;
};

/* Entries of a table in a row. */
struct loom_order_rows {
  uint32_t entries; /* of the table; 0: it is empty */
  uint32_t packets;
  uint32_t most[LOOM_WISH_ENTRIES + 1]; /* packets of 0, 1, 2 .. entries in a row, at most */
};

struct loom_order {
  uint32_t count; /* VLs */
  struct loom_order_vl vl[LOOM_WISH_VLS];
  uint32_t entries; /* of the table */
  uint32_t packets;
  uint32_t most; /* packets of one entry at most */
  uint32_t turn; /* after so many packets comes an entry of the other table; 0: never */
  struct loom_order_rows other;
  uint32_t pad; /* packets of the other table before each entry here */
  struct loom_order_slot slot[LOOM_WISH_ENTRIES];
};

/* Deals the entries out evenly: each VL's first, second, third .. in its own part of the table,
 * the earliest end of such a part first. `by_packets`: parts are counted in packets, else in
 * entries. */
void loom_order_deal(struct loom_order *order, bool by_packets);

/* How far gaps and distances are beyond what they may be; 0: they are not. */
uint64_t loom_order_excess(const struct loom_order *order);

/* Changes the order, `steps` times at most, until nothing is beyond what it may be: two entries
 * change places, one goes elsewhere, or one gives a packet to another of its VL. *order becomes the
 * best that was seen; returns its excess. */
uint64_t loom_order_improve(struct loom_order *order, uint32_t steps, uint64_t *seed);

void loom_order_count_rows(const struct loom_order *order, struct loom_order_rows *rows);

/* Most packets of `entries` in a row, any number of times round the table. */
uint64_t loom_order_row(const struct loom_order_rows *rows, uint64_t entries);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* vlarb_plan.h - how many packets and entries each VL has in which table (docs/vlarb.md)
 *
 * A plan says all of the tables but the order of their entries, so it fixes the shares. Packets are
 * those of the MTU, by entry: with weights rounded up an entry sends whole packets.
 */
#ifndef LOOM_QOS_VLARB_PLAN_H
#define LOOM_QOS_VLARB_PLAN_H

#include "qos/vlarb_order.h"

struct loom_plan {
  uint32_t limit;
  uint32_t turn;         /* high packets between two low turns; 0: the low table is empty */
  uint32_t high_packets; /* of all entries of the table */
  uint32_t high_entries;
  uint32_t low_packets;
  uint32_t low_entries;
  uint32_t error;   /* the largest of a share, parts per million */
  uint32_t squares; /* of all errors in tenths of points, together */
  uint32_t load;    /* of the tightest wish: what is needed of what is allowed, in thousandths */
  uint16_t low;     /* mask of those whose entries are in the low table, by index */
  uint32_t packets[LOOM_WISH_VLS];
  uint32_t entries[LOOM_WISH_VLS];
};

/* Best plans first, by a key of two numbers. */
enum { LOOM_PLANS = 64 };
struct loom_plans {
  uint32_t count;
  struct loom_plan plan[LOOM_PLANS];
  uint64_t key[LOOM_PLANS];
};

/* Puts the plan in its place; the last gives way. */
void loom_plans_add(struct loom_plans *plans, const struct loom_plan *plan, uint64_t key);

/* Plans of the low table alone, for VLs of the mask `low`: turns, packets and entries. Without such
 * VLs one plan, of an empty table. */
void loom_plan_low(const struct loom_wish *wish, uint16_t low, struct loom_plans *plans);

/* Completes a plan of the low table, whose entries in a row are `low`, with `packets` packets
 * of the high one. `full`: as many entries as there are, else as few as will do. False: it
 * cannot be. */
bool loom_plan_high(const struct loom_wish *wish, struct loom_plan *plan,
                    const struct loom_order_rows *low, uint32_t packets, bool full);

/* What makes a plan better than another, if both can be put in order; less is better: the
 * largest error in steps of 0.02 points; low entries of one packet each, which do the same
 * whether a low turn sends an entry or a packet (IB-06); the squares of all errors; short
 * bursts; fewer entries. */
uint64_t loom_plan_rank(const struct loom_plan *plan);

/* The share of VL i that a whole plan gives, parts per million. */
uint32_t loom_plan_share(const struct loom_plan *plan, uint32_t i);

/* One table of the plan, its entries still to be dealt out; `low` as above, for the high table. */
void loom_plan_order(const struct loom_wish *wish, const struct loom_plan *plan,
                     const struct loom_order_rows *low, struct loom_order *order);
void loom_plan_order_low(const struct loom_wish *wish, const struct loom_plan *plan,
                         struct loom_order *order);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* vlarb_wish.h - what VLs ask of InfiniBand's tables, and the tables (docs/vlarb.md; IB-14) */
#ifndef LOOM_QOS_VLARB_WISH_H
#define LOOM_QOS_VLARB_WISH_H

#include <stdbool.h>

#include "qos/vlarb.h"

enum {
  LOOM_WISH_VLS = LOOM_IB_VLS - 1, /* VLs at most: 0..14 */
  LOOM_WISH_ENTRIES = 64,          /* entries of a table at most */
  LOOM_WISH_WHOLE = 1000000,       /* a share of 1 */
};
#define LOOM_WISH_ANY UINT32_MAX /* a gap or a distance that is not asked for */

enum loom_wish_table { LOOM_WISH_EITHER, LOOM_WISH_HIGH, LOOM_WISH_LOW };

struct loom_wish_vl {
  uint8_t vl;
  uint32_t share;             /* parts per million of the link, 1.. */
  uint32_t gap;               /* most bytes of other VLs between two of its packets, or ANY */
  uint32_t distance;          /* most selections from one of the VL to its next, or ANY */
  enum loom_wish_table table; /* where its entries are to stand */
};

struct loom_wish {
  uint32_t packet_bytes; /* of all packets: the MTU; a multiple of 64 */
  uint32_t high;         /* entries that the tables have, 1..64 and 0..64 */
  uint32_t low;
  bool limit_given;
  uint32_t limit;     /* LimitOfHighPriority, if given; 0..255 */
  uint32_t tolerance; /* of each share, parts per million */
  uint32_t count;     /* 1.. */
  struct loom_wish_vl vl[LOOM_WISH_VLS];
};

struct loom_wish_tables {
  struct loom_vlarb_entry high[LOOM_WISH_ENTRIES];
  struct loom_vlarb_entry low[LOOM_WISH_ENTRIES];
  uint32_t high_count; /* 1.. */
  uint32_t low_count;
  uint32_t limit;
};

/* Packets of the MTU that others may send in a gap of the VL; UINT32_MAX: as many as they like. */
static inline uint32_t loom_wish_gap_packets(const struct loom_wish *wish, uint32_t i) {
  uint32_t gap = wish->vl[i].gap;
  return gap == LOOM_WISH_ANY ? UINT32_MAX : gap / wish->packet_bytes;
}

/* The most packets that one entry can send: weight 255, rounded up. */
static inline uint32_t loom_wish_entry_packets(const struct loom_wish *wish) {
  uint32_t units = wish->packet_bytes / LOOM_UNIT_BYTES;
  return (255 + units - 1) / units;
}

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* vlarb_conflict.h - wishes that no tables can meet, and why (docs/vlarb.md; IB-14) */
#ifndef LOOM_QOS_VLARB_CONFLICT_H
#define LOOM_QOS_VLARB_CONFLICT_H

#include "qos/vlarb_wish.h"

enum loom_wish_conflict {
  LOOM_CONFLICT_NONE,      /* none is known: tables may exist or not */
  LOOM_CONFLICT_SUM,       /* the shares sum to `value`, which is too far from 1 */
  LOOM_CONFLICT_ENTRIES,   /* more VLs than entries: of the high table, the low one, or both */
  LOOM_CONFLICT_SHARE,     /* gap or distance of one VL give it at least the share `value` */
  LOOM_CONFLICT_GAPS,      /* gaps of some VLs need at least `value` of the link together */
  LOOM_CONFLICT_DISTANCES, /* distances of some VLs need `value` of all selections together */
  LOOM_CONFLICT_OTHERS,    /* some VLs need at least `value`, so that the others get too little */
  LOOM_CONFLICT_LOW,       /* the low table gets at most `value` of the link */
};

struct loom_wish_finding {
  enum loom_wish_conflict conflict;
  uint16_t who;   /* mask of those concerned, by index */
  uint32_t value; /* parts per million */
};

/* The first conflict that can be proved. */
struct loom_wish_finding loom_wish_conflict(const struct loom_wish *wish);

/* The least share that gap and distance of VL i leave it, in parts per million, rounded down. */
uint32_t loom_wish_least_share(const struct loom_wish *wish, uint32_t i);

#endif

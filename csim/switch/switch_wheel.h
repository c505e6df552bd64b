/* SPDX-License-Identifier: Apache-2.0 */
/* switch_wheel.h - delays of the records of all ports at once (docs/switch.md; OP-14, OP-15)
 *
 * Inside: ib_switch, opa_switch, kns_node, and kns_switch. */
#ifndef LOOM_SWITCH_SWITCH_WHEEL_H
#define LOOM_SWITCH_SWITCH_WHEEL_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Where a packet goes and as what: its side information in the queues of a switch, 8 bytes. */
struct loom_route {
  uint8_t drop;   /* it goes nowhere */
  uint8_t target; /* buffer that it goes to next, by LOOM_SWITCH_BUFFER */
  uint8_t out;    /* port */
  uint8_t lane;   /* in the target (lane'); before routing, of arrival */
  uint8_t sc;     /* of the head flit when it leaves (sc'); before routing, as it came */
  uint8_t sl;
  uint8_t spare[2];
};

static inline uint64_t loom_route_pack(struct loom_route route) {
  uint64_t info;
  memcpy(&info, &route, sizeof info);
  return info;
}

static inline struct loom_route loom_route_unpack(uint64_t info) {
  struct loom_route route;
  memcpy(&route, &info, sizeof route);
  return route;
}

/* A packet on its way to a queue. */
struct loom_switch_record {
  struct loom_route route;
  uint32_t first; /* cell */
  uint16_t len;   /* flits */
  uint16_t dest;  /* LID; of use before routing */
};

/* A ring of depth + 1 slots; at most one record enters a lane in a cycle. */
struct loom_switch_wheel {
  uint32_t slots, lanes;
  uint32_t at;                       /* slot of the records that come out in this cycle */
  uint32_t busy;                     /* cycles until it is empty, if nothing enters */
  uint64_t *full;                    /* storage: a word a slot: lanes with a record */
  struct loom_switch_record *record; /* storage: slots * lanes */
};

static inline void loom_switch_wheel_init(struct loom_switch_wheel *w) {
  memset(w->full, 0, w->slots * sizeof *w->full);
}

/* Enters in this cycle; before loom_switch_wheel_out. */
static inline void loom_switch_wheel_put(struct loom_switch_wheel *w, uint32_t lane,
                                         const struct loom_switch_record *record) {
  uint32_t slot = w->at ? w->at - 1 : w->slots - 1;
  w->full[slot] |= 1ull << lane;
  w->busy = w->slots;
  w->record[(size_t)slot * w->lanes + lane] = *record;
}

/* What comes out in this cycle: the lanes, and their records by lane. Ends the cycle. */
static inline uint64_t loom_switch_wheel_out(struct loom_switch_wheel *w,
                                             const struct loom_switch_record **record) {
  *record = NULL;
  if (!w->busy)
    return 0;
  uint64_t lanes = w->full[w->at];
  *record = &w->record[(size_t)w->at * w->lanes];
  w->full[w->at] = 0;
  w->busy--;
  w->at = w->at + 1 == w->slots ? 0 : w->at + 1;
  return lanes;
}

#endif

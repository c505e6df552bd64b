/* SPDX-License-Identifier: Apache-2.0 */
/* central_unit.h - twin of loom_central_unit: the queues of a central buffer of an Omni-Path
 * switch, how packets come into them and how they go (docs/mport_switch.md; OP-02..05, OP-07)
 * Inside: mport_switch.
 */
#ifndef LOOM_SWITCH_CENTRAL_UNIT_H
#define LOOM_SWITCH_CENTRAL_UNIT_H

#include "parts/delay.h"
#include "parts/packet_store.h"
#include "switch/crossing.h"
#include "switch/departure.h"

enum { LOOM_CENTRAL_SOURCES = 4, LOOM_CENTRAL_STILL = 16 };

/* Its parts, and what else it is made of. */
struct loom_central_cfg {
  struct loom_crossing_cfg crossing;
  struct loom_packet_store_cfg store; /* RD_FLITS and EARLY are those of the departure, too */
  uint32_t delay;                     /* CENTRAL_DELAY */
  uint32_t queues;                    /* of a lane; the store has so many times its lanes */
};

struct loom_central_unit {
  uint8_t number;   /* of the packet that is booked last, modulo LOOM_DEPARTURE_NUMBERS */
  uint8_t out;      /* its output */
  uint8_t open;     /* packets that are booked or whose words come, */
  uint8_t sides;    /* and the queue of its lane of each, a bit, that of the last booking lowest */
  uint8_t queues;   /* of a lane */
  uint8_t still;    /* cycles in which nothing happened, up to LOOM_CENTRAL_STILL */
  uint32_t delayed; /* records in the delay */
  struct loom_departure departure;
  struct loom_crossing crossing;
  struct loom_packet_store store;
  struct loom_delay delay;
};

/* What a cycle brings. */
struct loom_central_cycle {
  struct loom_crossing_cycle crossing; /* but what the store says */
  uint8_t book_out;                    /* with a booking of it */
  bool take;                           /* a booking of the departure: */
  uint8_t take_lane, take_target;
  uint64_t free; /* outputs that are */
};

/* The parameters are legal together. */
bool loom_central_unit_cfg_ok(const struct loom_central_cfg *cfg);
/* Bytes of storage that init needs, aligned to 8. */
size_t loom_central_unit_storage_size(const struct loom_central_cfg *cfg);
void loom_central_unit_init(struct loom_central_unit *s, const struct loom_central_cfg *cfg,
                            void *storage);
/* The edge that ends the cycle; gives what target_ready_o shows in it. */
bool loom_central_unit_edge(struct loom_central_unit *s, struct loom_central_cycle *in);
/* Nothing changes before a booking or a write comes: until then an edge may be left out, and the
 * outputs stay as they were in the last cycle. */
static inline bool loom_central_unit_rests(const struct loom_central_unit *s) {
  return s->still == LOOM_CENTRAL_STILL && loom_crossing_rests(&s->crossing);
}
/* Which queue of its lane a packet for this output is in. */
static inline uint32_t loom_central_unit_side(const struct loom_central_unit *s, uint32_t out) {
  return s->queues > 1 ? out >> 1 & 1 : 0;
}
/* What the head_* outputs show of the head in view, `store.event`. */
struct loom_departure_offer loom_central_unit_offer(const struct loom_central_unit *s);
/* The word for the output `departure.tag.target`, in the lanes of the store, or NULL. */
static inline const struct loom_packet_store_word *
loom_central_unit_word(const struct loom_central_unit *s) {
  return s->store.rd.valid ? &s->store.rd : NULL;
}

#endif

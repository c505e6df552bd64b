/* SPDX-License-Identifier: Apache-2.0 */
/* departure.h - twin of loom_departure: the way out of a packet store, from the heads that are
 * shown to the words that are sent (docs/departure.md; OP-02, OP-05, OP-08)
 * Inside: input_unit.
 *
 * Registers in another form than in the circuit:
 *   calm: settle and busy
 *   drop_any, drop_lane: drops
 *   tail_any: tail
 *   tag_in, tag_out: ring_first, ring_used
 */
#ifndef LOOM_SWITCH_DEPARTURE_H
#define LOOM_SWITCH_DEPARTURE_H

#include <loom/bits.h>
#include <loom/limits.h>
#include <stdbool.h>
#include <stdint.h>

enum { LOOM_DEPARTURE_TAGS = 8, LOOM_DEPARTURE_NUMBERS = 64 };

/* What is kept of the head of a lane. */
struct loom_departure_head {
  bool is_long, is_unit; /* of more than EARLY flits; of one unit at most */
  uint8_t rest;          /* its words less one, if it is of one unit */
  uint8_t number;
};

/* Where the words of a packet go that was taken. */
struct loom_departure_tag {
  bool valid, drop;
  uint8_t target;
};

/* Sets of lanes and of targets as bits; lengths in flits. */
struct loom_departure {
  uint32_t speedup, early; /* parameters */
  uint32_t drops;          /* heads to be dropped */
  bool booked;
  uint8_t booked_lane, booked_target;
  bool booked_long, booked_unit; /* as in the head of its lane */
  uint8_t booked_rest;
  uint8_t booked_part; /* packets to be written to their end until it is whole */
  uint8_t settle;      /* cycles without a start */
  uint8_t busy;        /* the same, while the words of a packet are read that was sure */
  uint16_t tail, rest; /* see the page; and what `tail` begins with */
  uint8_t fresh;
  bool turn;

  struct loom_departure_tag tag, ring[LOOM_DEPARTURE_TAGS];
  uint8_t ring_first, ring_used;
  struct loom_departure_head heads[LOOM_VLS];
};

/* A head that the store shows. */
struct loom_departure_event {
  bool drop;
  uint8_t lane, number;
  uint16_t len;
};

/* The packets that are not written to their end. */
struct loom_departure_written {
  uint8_t number, open; /* of the one that got a number last; so many, that one and before it */
  bool ends;            /* the first of them is in this cycle */
};

/* A head that the allocation is told of. */
struct loom_departure_offer {
  uint8_t lane, target, vl;
  uint8_t out;   /* of the switch: of an input unit alone */
  uint32_t info; /* HEAD_INFO */
};

/* What the store is to take in a cycle. */
struct loom_departure_take {
  bool valid;
  uint8_t lane;
};

/* K of docs/parts.md: after soon_o the last word shows so many cycles later at the latest. */
uint32_t loom_departure_last_word(uint32_t speedup, uint32_t early);
/* Parameters SPEEDUP and EARLY; those of the list of what it is in are legal here, too. */
void loom_departure_init(struct loom_departure *s, uint32_t speedup, uint32_t early);
/* The edge that ends the cycle. First of all what is taken: `soon` is that of the store, `rd_last`:
 * a packet ends with the word that it shows, `free`: the targets that are. */
struct loom_departure_take loom_departure_edge(struct loom_departure *s, bool soon, bool rd_last,
                                               uint64_t free);
/* Then what else comes in the cycle. A booking: */
void loom_departure_book(struct loom_departure *s, uint8_t lane, uint8_t target,
                         struct loom_departure_written written);
/* Without a booking one packet more is written to its end. */
static inline void loom_departure_ends(struct loom_departure *s) {
  s->booked_part = (uint8_t)(s->booked_part - (s->booked_part > 0));
}
/* And last a head of the store. */
void loom_departure_see(struct loom_departure *s, struct loom_departure_event head);
/* What goes with a head of this length. */
uint32_t loom_departure_info(uint32_t len, uint32_t sl, bool more);

/* ---- what single outputs show; `soon` is that of the store in this cycle --------------------- */

static inline bool loom_departure_wants_drop(const struct loom_departure *s) {
  return s->drops && (!s->turn || !s->booked);
}

/* The store takes a packet, and what it reads does not go on for longer than a start allows. */
static inline bool loom_departure_takes(const struct loom_departure *s, bool soon) {
  return soon && !s->settle && !s->busy;
}

static inline bool loom_departure_start_ok(const struct loom_departure *s, bool soon) {
  return loom_departure_takes(s, soon) && !loom_departure_wants_drop(s);
}

static inline bool loom_departure_sure(const struct loom_departure *s) {
  return s->booked && s->booked_unit && !s->booked_part && !s->tail;
}

static inline bool loom_departure_end(const struct loom_departure *s, bool soon) {
  return !s->tail || (soon && !s->settle);
}

/* The booked packet starts. `free`: the targets that are free in this cycle. */
static inline bool loom_departure_starts(const struct loom_departure *s, bool soon, uint64_t free) {
  return s->booked && free >> s->booked_target & 1 && loom_departure_start_ok(s, soon);
}

static inline bool loom_departure_source_ready(const struct loom_departure *s, bool soon,
                                               uint64_t free) {
  return soon && !s->fresh &&
         (!s->booked || (!s->booked_long && loom_departure_starts(s, soon, free)));
}

/* Until a head or a booking comes only what was taken is read, and a few counts run out. */
static inline bool loom_departure_rests(const struct loom_departure *s) {
  return !s->booked && !s->drops && !s->tail;
}

/* For so many cycles, `most` at most, nothing changes but counts, and none that shows comes to 0
 * before the last one, until a head, a booking or another `soon` comes, or a packet ends. */
static inline uint32_t loom_departure_steady(const struct loom_departure *s, uint32_t most) {
  if (s->booked || s->drops || (!s->tag.valid && s->ring_used))
    return 0;
  most = s->settle ? loom_min(most, s->settle) : most;
  most = s->busy ? loom_min(most, s->busy) : most;
  return s->fresh ? loom_min(most, s->fresh) : most;
}

/* So many of these cycles. */
static inline void loom_departure_pass(struct loom_departure *s, bool soon, uint32_t cycles) {
  if (soon) /* `tail` begins to count once `settle` has come to its end */
    s->tail = (uint16_t)(s->tail - loom_min(s->tail, cycles - loom_min(cycles, s->settle)));
  s->settle = (uint8_t)(s->settle - loom_min(s->settle, cycles));
  s->busy = (uint8_t)(s->busy - loom_min(s->busy, cycles));
  s->fresh = (uint8_t)(s->fresh - loom_min(s->fresh, cycles));
}

#endif

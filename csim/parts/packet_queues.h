/* SPDX-License-Identifier: Apache-2.0 */
/* packet_queues.h - what a packet buffer does apart from keeping flits: its units, its queues of
 * packets, one a VL, and its reader (docs/parts.md, packet_buffer; OP-02, OP-04, OP-06)
 *
 * Inside: packet_buffer; and every buffer of the switches, where the flits of a packet stay in one
 * place on their way from buffer to buffer.
 *
 * The functions are pieces of one edge. In a cycle: announce, take, read, then what makes heads
 * visible (load, join) and flits readable, so that each looks at the state before the edge. Whoever
 * has the flits counts them: those of each VL that are in and can be read. */
#ifndef LOOM_PARTS_PACKET_QUEUES_H
#define LOOM_PARTS_PACKET_QUEUES_H

#include "parts/credit_tracker.h"

#include <assert.h>
#include <loom/bits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <loom/limits.h>

/* A packet in a queue. */
struct loom_packet {
  uint64_t info;  /* side information */
  uint32_t first; /* first cell of its flits, for devices that keep flits by packet */
  uint16_t len;   /* flits */
  uint16_t next;  /* record of the packet after it; of a free record, the next free one */
};

struct loom_packet_list {
  uint16_t waiting;    /* packets */
  uint16_t head, last; /* records of the first and the last */
};

/* What each flit that is read looks at. It stands apart from its queues, so that the readers of
 * many buffers lie close together. */
struct loom_packet_reader {
  bool active; /* a packet is being read: */
  uint8_t vl;
  uint16_t left, place; /* flits to come, without those of `run`; flits gone */
  /* For devices that keep flits by packet: */
  uint16_t run;      /* flits to come until something else is to be done */
  uint16_t from, to; /* where flits come from and go to */
  uint32_t at;       /* next flit, counted from the first of cell 0 */
};

/* What each unit looks at comes first, in one line of the cache. The size is an odd number of
 * lines, so that those of many buffers in an array fall on different places of it. */
struct loom_packet_queues {
  uint32_t total;      /* units in use */
  uint32_t head_valid; /* VLs whose head is in view */
  uint32_t loading;    /* VLs whose head comes into view at the next edge */
  struct loom_credit_tracker tracker;
  bool pending; /* a taken packet waits after the one that is read */
  uint8_t pending_vl;
  uint16_t free_record;       /* the last one freed: the next to be used; NONE: a fresh one */
  uint16_t fresh, records;    /* those from `fresh` on were never used */
  uint32_t stride;            /* from record to record in the storage */
  uint32_t early;             /* parameter */
  uint32_t vls;               /* parameter */
  struct loom_packet *record; /* storage: a record a unit */
  struct loom_packet now;     /* is read */
  struct loom_packet behind;  /* is pending */
  struct loom_packet_list list[LOOM_VLS];
  uint64_t spare[10];
};
static_assert(sizeof(struct loom_packet_queues) % 128 == 64, "no odd number of lines");

/* COUNT_W: bits of a number of units. */
static inline uint32_t loom_packet_units_bits(uint32_t cells) {
  return loom_max(4, loom_clog2(cells + 1));
}

static inline uint32_t loom_packet_units(uint32_t len) {
  return (len + LOOM_UNIT_FLITS - 1) / LOOM_UNIT_FLITS;
}

/* State after reset, its reader's too; `record` is storage for `cells` records, each `stride`
 * after the one before it. */
void loom_packet_queues_init(struct loom_packet_queues *q, struct loom_packet_reader *r,
                             uint32_t vls, uint32_t cells, uint32_t reserved, uint32_t early,
                             struct loom_packet *record, uint32_t stride);

/* Reserves the units of a packet of this length (OP-06); false if there is no room. */
bool loom_packet_queues_announce(struct loom_packet_queues *q, uint32_t vl, uint32_t len);

/* A packet joins its queue, which already is as this cycle's take leaves it. */
void loom_packet_queues_join(struct loom_packet_queues *q, uint32_t vl, uint64_t info,
                             uint32_t first, uint32_t len);

/* The head packet of a VL, whose head is in view, leaves its queue to be read (when the reader is
 * busy: to be pending). If others are after it, the VL is in `loading` afterwards. */
void loom_packet_queues_take(struct loom_packet_queues *q, struct loom_packet_reader *r,
                             uint32_t vl);

/* Heads that a take of an earlier cycle uncovered come into view. */
static inline void loom_packet_queues_load(struct loom_packet_queues *q) {
  q->head_valid |= q->loading;
  q->loading = 0;
}

/* The packet at the head of a VL in view. */
static inline const struct loom_packet *loom_packet_queues_head(const struct loom_packet_queues *q,
                                                                uint32_t vl) {
  return &q->record[(size_t)q->list[vl].head * q->stride];
}

static inline bool loom_packet_queues_take_ready(const struct loom_packet_queues *q,
                                                 const struct loom_packet_reader *r) {
  return !q->pending && (!r->active || (uint32_t)r->run + r->left <= q->early);
}

/* Flits that an active reader, of at most `most` a cycle, reads in this one when so many of its VL
 * are there. */
static inline uint32_t loom_packet_reader_flits(const struct loom_packet_reader *r, uint32_t most,
                                                uint32_t there) {
  uint32_t in_cell = LOOM_UNIT_FLITS - r->place % LOOM_UNIT_FLITS;
  return loom_min(loom_min(most, r->left), loom_min(in_cell, there));
}

/* Cycles in which it reads a packet whose flits are always there. */
static inline uint32_t loom_packet_reader_cycles(uint32_t most, uint32_t len) {
  uint32_t cell = (LOOM_UNIT_FLITS + most - 1) / most, rest = len % LOOM_UNIT_FLITS;
  return len / LOOM_UNIT_FLITS * cell + (rest + most - 1) / most;
}

/* The reader goes past n >= 1 flits; true if that frees a unit. */
static inline bool loom_packet_reader_advance(struct loom_packet_reader *r, uint32_t n) {
  r->place = (uint16_t)(r->place + n);
  r->left = (uint16_t)(r->left - n);
  return (r->place % LOOM_UNIT_FLITS == 0) | (r->left == 0);
}

/* A unit of the VL is free again. */
static inline void loom_packet_queues_give_back(struct loom_packet_queues *q, uint32_t vl) {
  loom_credit_tracker_give_back(&q->tracker, vl);
  q->total--;
}

/* The packet that is read is done; the pending one, if any, is next. */
void loom_packet_queues_finish(struct loom_packet_queues *q, struct loom_packet_reader *r);

#endif

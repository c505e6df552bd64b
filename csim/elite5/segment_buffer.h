/* SPDX-License-Identifier: Apache-2.0 */
/* segment_buffer.h - twin of loom_segment_buffer: slots of 32 words, a queue of segments a VC, two
 * readers (docs/elite5.md; E5-08, E5-09)
 *
 * Registers in another form than in the circuit:
 *   some: waiting
 *   used: spare, the other way round
 *   wr_place: count[wr_slot]
 *   tail: last
 *   last: newest
 */
#ifndef LOOM_ELITE5_SEGMENT_BUFFER_H
#define LOOM_ELITE5_SEGMENT_BUFFER_H

#define LOOM_DUT segment_buffer
#define LOOM_DEF "elite5/segment_buffer.def"
#include <loom/def.h>

#include <loom/bits.h>
#include <stdbool.h>

enum { LOOM_SEGMENT_VCS = 32, LOOM_SEGMENT_SLOTS = 64, LOOM_SEGMENT_WORDS = 32 };

/* ---- units ----------------------------------------------------------------------------------- */

/* What credit_tracker says with one unit reserved for each VC and the rest for all. */
struct loom_segment_units {
  uint32_t occupied;  /* VCs with a unit in use */
  uint32_t pool_free; /* units that any VC can have */
  uint8_t used[LOOM_SEGMENT_VCS];
};

/* The VCs with avail >= 1; all: the VCs that there are. */
static inline uint32_t loom_segment_units_room(const struct loom_segment_units *u, uint32_t all) {
  return u->pool_free ? all : all & ~u->occupied;
}

/* A VC with avail >= 1 takes a unit. */
static inline void loom_segment_units_take(struct loom_segment_units *u, uint32_t vc) {
  u->occupied |= 1u << vc;
  if (u->used[vc]++)
    u->pool_free--;
}

/* A VC with a unit in use gives one back. */
static inline void loom_segment_units_give_back(struct loom_segment_units *u, uint32_t vc) {
  if (--u->used[vc])
    u->pool_free++;
  else
    u->occupied &= ~(1u << vc);
}

/* ---- buffer ---------------------------------------------------------------------------------- */

/* Where a reader is; counts while its bit in `active` is set. */
struct loom_segment_reader {
  uint8_t vc, slot;
  uint8_t place; /* word that it reads next */
  bool keep;     /* the segment stays in the queue */
};

/* The word that a reader has read in the last cycle. */
struct loom_segment_word {
  bool head, tail;
  uint64_t data;
};

struct loom_segment_buffer {
  uint32_t vcs, slots;
  uint32_t all_vcs; /* a bit each */
  bool phase;
  bool free_valid;
  uint8_t free_vc;
  uint8_t wr_slot; /* slot of the segment that is written */
  uint8_t active;  /* a bit a reader */
  struct loom_segment_reader reader[2];
  uint32_t waiting; /* VCs with segs >= 1 */
  /* Slots, a bit each. */
  uint64_t spare;   /* not in use */
  uint64_t freed;   /* in use, to be released */
  uint64_t freeing; /* freed in this cycle */
  uint64_t ended;   /* the segment is complete */
  uint64_t last;    /* and its packet too */
  uint8_t count[LOOM_SEGMENT_SLOTS];
  uint8_t vc[LOOM_SEGMENT_SLOTS];
  uint8_t next[LOOM_SEGMENT_SLOTS]; /* slot after it in the queue of its VC */
  uint8_t segs[LOOM_SEGMENT_VCS], first[LOOM_SEGMENT_VCS], newest[LOOM_SEGMENT_VCS];
  struct loom_segment_units units;
  uint8_t rd_valid; /* a bit a reader */
  struct loom_segment_word rd[2];
  uint64_t word[LOOM_SEGMENT_SLOTS][LOOM_SEGMENT_WORDS];
};

bool loom_segment_buffer_cfg_ok(const struct loom_segment_buffer_cfg *cfg);
void loom_segment_buffer_init(struct loom_segment_buffer *s,
                              const struct loom_segment_buffer_cfg *cfg);
/* The same, of a struct that is all 0: what stays so is not touched. */
void loom_segment_buffer_start(struct loom_segment_buffer *s,
                               const struct loom_segment_buffer_cfg *cfg);
void loom_segment_buffer_step(struct loom_segment_buffer *s,
                              const struct loom_segment_buffer_in *in,
                              struct loom_segment_buffer_out *out);
void loom_segment_buffer_probe(const struct loom_segment_buffer *s,
                               struct loom_segment_buffer_probe *p);

/* ---- for devices that contain a buffer, instead of step -------------------------------------- */

/* A cycle is, in this order: take; for each reader that reads: done, word, advance; then ready is
 * seg_valid_o; then room, begin and write; then release. Each costs nothing when it is not needed.
 * The device keeps the phase, and the output registers of what is read. */

/* wr_ok_o, a bit a VC. */
static inline uint32_t loom_segment_buffer_room(const struct loom_segment_buffer *s) {
  return loom_segment_units_room(&s->units, s->all_vcs);
}

/* empty_o. */
static inline bool loom_segment_buffer_empty(const struct loom_segment_buffer *s) {
  return s->spare == loom_mask(s->slots);
}

/* A head of a VC with room: its segment gets the lowest slot and joins the queue. */
static inline void loom_segment_buffer_begin(struct loom_segment_buffer *s, uint32_t vc) {
  uint32_t slot = loom_ctz(s->spare);
  s->spare &= s->spare - 1;
  s->ended &= ~(1ull << slot);
  s->last &= ~(1ull << slot);
  s->count[slot] = 0;
  s->vc[slot] = (uint8_t)vc;
  s->wr_slot = (uint8_t)slot;
  if (s->segs[vc]++)
    s->next[s->newest[vc]] = (uint8_t)slot;
  else
    s->first[vc] = (uint8_t)slot;
  s->newest[vc] = (uint8_t)slot;
  s->waiting |= 1u << vc;
  loom_segment_units_take(&s->units, vc);
}

/* A word of the segment that has begun and not ended. */
static inline void loom_segment_buffer_write(struct loom_segment_buffer *s, uint64_t data,
                                             bool tail) {
  uint32_t slot = s->wr_slot, place = s->count[slot]++;
  s->word[slot][place] = data;
  if (tail || place == LOOM_SEGMENT_WORDS - 1) {
    s->ended |= 1ull << slot;
    s->last |= (uint64_t)tail << slot;
  }
}

/* An idle reader goes to the first segment of a VC, which has one. */
static inline void loom_segment_buffer_take(struct loom_segment_buffer *s, uint32_t reader,
                                            uint32_t vc, bool keep) {
  s->active |= (uint8_t)(1u << reader);
  s->reader[reader] = (struct loom_segment_reader){
      .vc = (uint8_t)vc,
      .slot = s->first[vc],
      .place = 0,
      .keep = keep,
  };
}

/* rd_now_o of an active reader. */
static inline bool loom_segment_buffer_reads(const struct loom_segment_buffer *s, uint32_t reader,
                                             uint32_t phase) {
  const struct loom_segment_reader *r = &s->reader[reader];
  return !((r->place ^ phase ^ reader) & 1) && r->place < s->count[r->slot];
}

/* The word at which a reader that reads is; head if it is the first. */
static inline uint64_t loom_segment_buffer_word(const struct loom_segment_buffer *s,
                                                uint32_t reader) {
  return s->word[s->reader[reader].slot][s->reader[reader].place];
}

/* rd_done_o of a reader that reads. */
static inline bool loom_segment_buffer_done(const struct loom_segment_buffer *s, uint32_t reader) {
  const struct loom_segment_reader *r = &s->reader[reader];
  return s->ended >> r->slot & 1 && r->place + 1 == s->count[r->slot];
}

/* rd_last_o of a reader that is done. */
static inline bool loom_segment_buffer_last(const struct loom_segment_buffer *s, uint32_t reader) {
  return s->last >> s->reader[reader].slot & 1;
}

/* The reader is done: it is idle, and unless it keeps, the segment leaves its queue. */
static inline void loom_segment_buffer_finish(struct loom_segment_buffer *s, uint32_t reader) {
  const struct loom_segment_reader *r = &s->reader[reader];
  s->active &= (uint8_t) ~(1u << reader);
  if (r->keep)
    return;
  s->freeing |= 1ull << r->slot;
  s->first[r->vc] = s->next[r->slot];
  if (--s->segs[r->vc] == 0)
    s->waiting &= ~(1u << r->vc);
}

/* seg_valid_o, when the readers of this cycle are through. */
static inline uint32_t loom_segment_buffer_ready(const struct loom_segment_buffer *s) {
  uint32_t at = (uint32_t)(s->active & 1) << s->reader[0].vc | (uint32_t)(s->active >> 1)
                                                                   << s->reader[1].vc;
  return s->waiting & ~at;
}

/* There is something for release in this cycle. */
static inline bool loom_segment_buffer_releases(const struct loom_segment_buffer *s) {
  return s->freed | s->freeing;
}

/* The lowest slot that was freed before this cycle is released: free_* of the next cycle. */
static inline void loom_segment_buffer_release(struct loom_segment_buffer *s) {
  s->free_valid = s->freed != 0;
  s->free_vc = 0;
  if (s->freed) {
    uint32_t slot = loom_ctz(s->freed);
    s->freed &= s->freed - 1;
    s->spare |= 1ull << slot;
    s->free_vc = s->vc[slot];
    loom_segment_units_give_back(&s->units, s->vc[slot]);
  }
  s->freed |= s->freeing;
  s->freeing = 0;
}

#endif

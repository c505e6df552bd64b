/* SPDX-License-Identifier: Apache-2.0 */
/* segment_store.h - twin of loom_segment_store: slots of 32 words, a queue of segments a VC of
 * which the first comes into view, two readers (docs/elite5.md; E5-08, E5-09)
 *
 * Registers in another form than in the circuit:
 *   spare: pool < most
 *   in, out, then, fresh, new: unused; which free slot comes next does not show
 *   open_slot: wr_slot
 *   count: length[wr_slot]
 *   even, odd: rd.data, rd.last, rd.tail, by lane
 *   free: free_valid
 */
#ifndef LOOM_ELITE5_SEGMENT_STORE_H
#define LOOM_ELITE5_SEGMENT_STORE_H

#define LOOM_DUT segment_store
#define LOOM_DEF "elite5/segment_store.def"
#include <loom/def.h>

#include <stdbool.h>

enum {
  LOOM_SEGMENT_STORE_VCS = 32,
  LOOM_SEGMENT_STORE_SLOTS = 64,
  LOOM_SEGMENT_STORE_WORDS = 32,
  LOOM_SEGMENT_STORE_READERS = 2
};

/* Where a reader is; counts while it is busy. */
struct loom_segment_store_reader {
  bool busy;
  bool leaves; /* it was done in the last cycle */
  bool keep;   /* the segment stays in its queue */
  uint8_t vc, slot;
  uint8_t place; /* word that it reads next */
};

/* The words that were read in one cycle: a bit a lane. */
struct loom_segment_store_words {
  uint8_t valid, head, last, tail;
  uint64_t data[LOOM_SEGMENT_STORE_READERS];
};

/* The segments that have joined the queue of a VC. */
struct loom_segment_store_queue {
  uint8_t segs, first, newest; /* how many; slots */
};

struct loom_segment_store {
  uint32_t all_vcs; /* a bit each */
  uint64_t all_slots;
  uint32_t most; /* POOL */
  bool phase;
  /* Room. */
  uint64_t unused; /* slots, a bit each */
  uint32_t own;    /* VCs with used = 0, a bit each */
  uint8_t used[LOOM_SEGMENT_STORE_VCS];
  uint8_t pool; /* slots in use beyond the first of each VC */
  bool empty;
  bool free_valid;
  uint8_t free_vc;
  /* The segment being written; it joins its queue in the cycle after its head. */
  bool open, join;
  uint8_t wr_slot, join_vc;
  /* Queues and what is in view. */
  struct loom_segment_store_queue queue[LOOM_SEGMENT_STORE_VCS];
  uint32_t head_valid; /* VCs, a bit each */
  bool head_event;
  uint8_t head_vc;
  uint8_t line[LOOM_SEGMENT_STORE_VCS]; /* VCs, a ring: each at most once */
  uint8_t line_first, line_count;
  /* Readers. */
  bool rd_free;
  struct loom_segment_store_reader reader[LOOM_SEGMENT_STORE_READERS];
  struct loom_segment_store_words read, rd; /* in the last cycle; in the one before: the outputs */
  bool done, done_tail;
  uint8_t done_vc;
  uint8_t soon; /* a bit a reader */
  bool early;
  /* Slots. */
  uint64_t tail;                            /* the segment ends a packet; a bit each */
  uint8_t length[LOOM_SEGMENT_STORE_SLOTS]; /* of the open one: count */
  uint8_t next[LOOM_SEGMENT_STORE_SLOTS];   /* slot after it in the queue of its VC */
  uint64_t word[LOOM_SEGMENT_STORE_SLOTS][LOOM_SEGMENT_STORE_WORDS];
};

bool loom_segment_store_cfg_ok(const struct loom_segment_store_cfg *cfg);
void loom_segment_store_init(struct loom_segment_store *s,
                             const struct loom_segment_store_cfg *cfg);
void loom_segment_store_step(struct loom_segment_store *s, const struct loom_segment_store_in *in,
                             struct loom_segment_store_out *out);
/* The edge alone; what the outputs show is in the state before it. */
void loom_segment_store_edge(struct loom_segment_store *s, const struct loom_segment_store_in *in);
/* It holds nothing, and edges without a word and without a take change its phase alone. */
bool loom_segment_store_rests(const struct loom_segment_store *s);
void loom_segment_store_probe(const struct loom_segment_store *s,
                              struct loom_segment_store_probe *p);

#endif

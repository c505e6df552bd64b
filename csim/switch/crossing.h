/* SPDX-License-Identifier: Apache-2.0 */
/* crossing.h - twin of loom_crossing: how packets come to an output, from their booking to the
 * store of the output unit (docs/crossing.md; OP-06, OP-08)
 *
 * Registers in another form than in the circuit:
 *   free: none: it follows from open, pause and wait
 *   booked_short: booked_info
 *   source_hot: source and receives; the circuit also keeps them as one bit an input
 */
#ifndef LOOM_SWITCH_CROSSING_H
#define LOOM_SWITCH_CROSSING_H

#define LOOM_DUT crossing
#define LOOM_DEF "switch/crossing.def"
#include <loom/def.h>

#include "parts/delay.h"
#include "parts/packet_store.h"
#include "parts/room_tracker.h"
#include "switch/ring_entry.h"

/* Sets of inputs and of lanes as bits; lengths in flits, sizes in units of 64 bytes. */
struct loom_crossing {
  uint32_t vls, speedup, most_short; /* parameters VLS, SPEEDUP, SHORT */
  uint32_t fast_from, fast_speedup;  /* the same; fast_from is beyond all inputs if none is fast */
  uint32_t lanes;                    /* of a word */
  bool ahead;                        /* a record goes with its booking, if none is open */
  uint8_t rest;                      /* of `pause`, once an input said that it ends */

  /* A booking that did not start. */
  bool booked;
  bool wait; /* the store has not yet said that it admits it */
  bool late; /* with `ahead`: its record has still to go */
  uint8_t booked_source, booked_vl;
  uint32_t booked_info;

  uint8_t still; /* cycles in which nothing happened, up to `stays` */
  uint8_t stays; /* after so many of them nothing changes any more */

  /* What started. */
  bool open, open_short; /* and its end is not known */
  uint8_t open_source;
  uint8_t pause; /* cycles without a start */
  bool next;     /* the words before its own are still expected */
  uint8_t next_source, next_vl;

  /* Whose words come. */
  bool receives;
  uint8_t source, vl;

  struct {
    bool valid, last;
    uint8_t vl, flits;
    uint64_t data[4];
  } wr; /* to the store; while it is not valid, only that means something */

  uint32_t delayed;                 /* records in the delay */
  struct loom_room_tracker tracker; /* of that store */
  struct loom_ring_entry entry;     /* of crossbar_switch, which turns it on */
  struct loom_delay delay;
};

/* Writes to the tracker, and of a ring's limit. */
struct loom_crossing_write {
  bool need, cfg, most;
  uint8_t need_vl, cfg_addr, most_vl;
  uint16_t need_units, cfg_data, most_units;
};

/* What a cycle brings. What follows a flag means something only with it. */
struct loom_crossing_cycle {
  uint64_t start_ok, sure, end; /* of the inputs */
  bool book;
  uint8_t book_source, book_vl;
  uint32_t book_info;
  bool space;
  bool free; /* a unit, of this lane: */
  uint8_t free_vl;
  const struct loom_packet_store_word *word; /* that the input `source` sends here, or NULL */
  const struct loom_crossing_write *write;   /* or NULL */
};

/* What two outputs show that do not follow from registers alone. */
struct loom_crossing_shown {
  bool target_ready;
  bool queue;
  uint8_t queue_vl;
  uint32_t queue_info; /* as it was booked */
};

/* The parameters are legal together. */
bool loom_crossing_cfg_ok(const struct loom_crossing_cfg *cfg);
/* Bytes of storage that init needs, aligned to 8. */
size_t loom_crossing_storage_size(const struct loom_crossing_cfg *cfg);
void loom_crossing_init(struct loom_crossing *s, const struct loom_crossing_cfg *cfg,
                        void *storage);
void loom_crossing_step(struct loom_crossing *s, const struct loom_crossing_in *in,
                        struct loom_crossing_out *out);
/* What the outputs show in the present cycle. Of `in` they follow the booking (announce_o),
 * `start_ok` and `end` (target_ready_o, queue_o), with AHEAD also the booking and `space`
 * (queue_o); the rest need not be there. */
void loom_crossing_show(const struct loom_crossing *s, const struct loom_crossing_in *in,
                        struct loom_crossing_out *out);
/* What these two show, and the edge that ends the cycle, for users that look at the registers
 * themselves. */
void loom_crossing_edge(struct loom_crossing *s, const struct loom_crossing_cycle *in,
                        struct loom_crossing_shown *shown);
/* Of the edge only what the tracker does: where nothing else but a freed unit comes. */
void loom_crossing_track(struct loom_crossing *s, bool free, uint8_t vl);
/* Words come as in the last cycle, if this one, or NULL, does; nothing changes but in the tracker
 * before another comes, or something else, or the input whose packet is open shows another end_i:
 * `end` is what it shows, and `ready` what target_ready_o showed in the last cycle. */
bool loom_crossing_steady(const struct loom_crossing *s, const struct loom_packet_store_word *word,
                          bool end, bool ready);
/* This word, or NULL, is like the one of the last cycle, within a packet. */
bool loom_crossing_goes_on(const struct loom_crossing *s,
                           const struct loom_packet_store_word *word);
/* Nothing changes before a booking, a freed unit or a write comes: until then an edge may be left
 * out, and the outputs stay as they were in the last cycle. */
static inline bool loom_crossing_rests(const struct loom_crossing *s) {
  return s->still == s->stays;
}
/* What free_o shows. */
static inline bool loom_crossing_is_free(const struct loom_crossing *s) {
  return !s->open && !s->pause && !s->wait;
}
void loom_crossing_probe(const struct loom_crossing *s, struct loom_crossing_probe *p);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* packet_store.h - twin of loom_packet_store: queues of packets, one a VL, in one memory that is
 * written and read in words of several flits (docs/parts.md; OP-02, OP-04, OP-05)
 *
 * Registers in another form than in the circuit:
 *   ask_less, ask_some: ask_len
 *   new, begins, place: lane[].place is a multiple of 8, is 0, modulo 8
 *   word_new, word_link, word_place, word_flits: word_end; the flits are in their cell at once
 *   word_data, data: flit
 *   cell: lane[].end
 *   here: none: read.data is 0 in lanes without a flit
 *   read_vl, read_first, read_last, read_flits, read_lane: those of read
 *   free_cell: the last one freed, or one that never was in use; which one is taken never shows
 */
#ifndef LOOM_PARTS_PACKET_STORE_H
#define LOOM_PARTS_PACKET_STORE_H

#define LOOM_DUT packet_store
#define LOOM_DEF "parts/packet_store.def"
#include <loom/def.h>

#include <loom/limits.h>
#include <stdbool.h>

enum { LOOM_PACKET_STORE_LINE = 8, LOOM_PACKET_STORE_BOOKED = 4, LOOM_PACKET_STORE_READS = 3 };

/* A packet in the list of its VL. */
struct loom_packet_store_record {
  uint64_t info;
  uint16_t len, next; /* flits; the record after it, of a free one the next free one */
};

/* What is known of one VL. */
struct loom_packet_store_vl {
  uint16_t waiting, head, last; /* packets in the list; records of its ends */
  uint16_t whole;               /* the page's whole[vl] */
  uint16_t cells, first, end;   /* cells with flits, a list across its packets */
  uint16_t place;               /* of the next flit in the packet that is written */
};

/* A word that was read, with what is said of it. */
struct loom_packet_store_word {
  bool valid, first, last;
  uint8_t vl, flits, lane;
  uint64_t data[4]; /* by lane */
};

/* What nearly every cycle looks at stands first, and close together. */
struct loom_packet_store {
  /* Storage; which cell or record is taken never shows. */
  uint64_t *flit; /* LOOM_UNIT_FLITS a cell */
  uint64_t *link; /* next cell of the VL, of a free cell the next free one */
  struct loom_packet_store_record *record;

  /* Taken packets; those that wait are booked, the first one first. */
  uint32_t owed;
  uint16_t left, place;
  bool active, known;
  bool check; /* whether it is whole is only asked in this cycle */
  uint8_t vl;
  uint8_t booked;
  uint8_t was_read;
  uint8_t rate; /* flits that are read in each cycle, while it is steady */
  bool soon;

  /* The word of the last cycle; the packet that is open for the reader. */
  bool word, word_last;
  uint8_t word_vl;
  uint16_t word_end; /* place after it */
  uint16_t live_end;
  bool live, ends;
  uint8_t live_vl;

  /* Units. */
  bool ask, asked; /* an announcement in the last cycle, in the one before */
  bool one, four, space, ok, free;
  uint8_t free_vl;
  uint16_t ask_len;
  uint32_t total;

  /* Queues. */
  bool event, take, fetch; /* take: in the last cycle, it is done in this one */
  bool came;               /* the head in view came from the line */
  bool fast;               /* the packet after the one that was taken was at hand */
  uint8_t take_vl, fetch_vl, lined;
  uint32_t head_valid;
  uint32_t single, second; /* lanes with a head alone; with the packet after it at hand */
  struct {
    bool valid;
    uint8_t vl;
  } joins,
      reads[LOOM_PACKET_STORE_READS]; /* a second packet on its way: that joined; that is read */

  bool prefetch;                     /* parameter PREFETCH */
  uint8_t most, lanes;               /* parameters: RD_FLITS, LANES */
  uint16_t mtu, early;               /* MTU_UNITS, EARLY */
  uint32_t cells;                    /* CELLS */
  uint16_t free_cell, free_record;   /* the next one of those that were in use, */
  uint16_t fresh_cell, fresh_record; /* and of those that never were */

  /* What was read: on its way to the outputs, and there. */
  struct loom_packet_store_word read, rd;

  struct {
    uint8_t vl;
    bool known;
    uint16_t len;
  } book[LOOM_PACKET_STORE_BOOKED];
  uint8_t head_vl;
  uint16_t head_len;
  uint64_t head_info;
  uint8_t line[LOOM_PACKET_STORE_LINE]; /* VLs whose head is fetched, the first one first */
  struct loom_packet_store_vl lane[LOOM_VLS];
};

/* What a cycle brings. What follows from a flag means something only with it. */
struct loom_packet_store_cycle {
  bool announce, queue, word, take;
  uint8_t queue_vl, take_vl;
  uint16_t announce_len, queue_len;
  uint64_t queue_info;
  uint8_t word_vl, word_flits;
  bool word_last;
  const uint64_t *word_data; /* by lane */
};

/* The parameters are legal together. */
bool loom_packet_store_cfg_ok(const struct loom_packet_store_cfg *cfg);
/* Bytes of storage that init needs, aligned to 8. */
size_t loom_packet_store_storage_size(const struct loom_packet_store_cfg *cfg);
void loom_packet_store_init(struct loom_packet_store *s, const struct loom_packet_store_cfg *cfg,
                            void *storage);
void loom_packet_store_step(struct loom_packet_store *s, const struct loom_packet_store_in *in,
                            struct loom_packet_store_out *out);
/* What the outputs show in the present cycle: all of them are registers. */
void loom_packet_store_show(const struct loom_packet_store *s, struct loom_packet_store_out *out);
/* The edge that ends the cycle, for users that look at the registers themselves. */
void loom_packet_store_edge(struct loom_packet_store *s, const struct loom_packet_store_cycle *in);
/* The packet after a head is being brought to hand. */
static inline bool loom_packet_store_prefetches(const struct loom_packet_store *s) {
  return s->joins.valid || s->reads[0].valid || s->reads[1].valid || s->reads[2].valid;
}
/* No packet is on its way in, into view or out: while nothing comes and nothing is taken, a few
 * cycles later nothing changes any more. */
static inline bool loom_packet_store_is_calm(const struct loom_packet_store *s) {
  bool comes = s->ask || s->asked || s->ok || s->word || s->ends;
  bool shows = s->event || s->take || s->fetch || s->lined || loom_packet_store_prefetches(s);
  bool goes = s->active || s->booked || s->read.valid || s->rd.valid || s->free;
  return !comes && !shows && !goes;
}
void loom_packet_store_probe(const struct loom_packet_store *s, struct loom_packet_store_probe *p);

/* ---- many cycles at once (docs/packet_engine.md) --------------------------------------------- */

/* From now on the store keeps no flits: what it shows of them is 0. While nothing is in it. */
static inline void loom_packet_store_forget(struct loom_packet_store *s) { s->flit = NULL; }
/* For so many cycles from now on, `most` at most, nothing changes but how far packets are written
 * and read, and units that are freed: if in each of them a word comes like the last one, or none if
 * none did, and nothing else. */
uint32_t loom_packet_store_steady(struct loom_packet_store *s, uint32_t most);
/* Units in use after that many of these cycles. */
uint32_t loom_packet_store_used(const struct loom_packet_store *s, uint32_t cycles);
/* That many of these cycles. */
void loom_packet_store_pass(struct loom_packet_store *s, uint32_t cycles);
/* The word that it shows after so many of them; and the first of them, up to `most`, after which
 * that is not like the present one, but for `first`: */
struct loom_packet_store_word loom_packet_store_word_after(const struct loom_packet_store *s,
                                                           uint32_t cycles);
uint32_t loom_packet_store_word_stays(const struct loom_packet_store *s, uint32_t most);
/* So many of them, more than `cycles`, after which the next unit is free; 0: none is. */
uint32_t loom_packet_store_frees(const struct loom_packet_store *s, uint32_t cycles);
/* A packet is read, or a unit is free. */
static inline bool loom_packet_store_sends(const struct loom_packet_store *s) {
  return s->active || s->read.valid || s->rd.valid || s->free;
}
/* Flits of a word that comes in each of them. */
static inline uint32_t loom_packet_store_word_flits(const struct loom_packet_store *s) {
  return s->word ? (uint32_t)s->word_end - s->live_end : 0;
}

#endif

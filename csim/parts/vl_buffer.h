/* SPDX-License-Identifier: Apache-2.0 */
/* vl_buffer.h - twin of loom_vl_buffer: queues of packets, one a VL, in one shared memory
 * (docs/parts.md; OP-06)
 *
 * Registers in another form than in the circuit:
 *   head_size, head_info, head_cell, head_len: queue[].head; its size follows from its length
 *   tail: queue[].last
 *   load, load_vl: loading, loading_vl
 *   pending_cell, pending_len: pending_packet
 *   active_cell, active_pos, active_left: cell, pos, left
 *   wait, link: known: neither of both
 */
#ifndef LOOM_PARTS_VL_BUFFER_H
#define LOOM_PARTS_VL_BUFFER_H

#define LOOM_DUT vl_buffer
#define LOOM_DEF "parts/vl_buffer.def"
#include <loom/def.h>

#include "parts/credit_tracker.h"

#include <loom/bits.h>
#include <stdbool.h>

#include <loom/limits.h>

/* What is kept of a waiting packet. */
struct loom_vl_buffer_packet {
  uint16_t first; /* its first cell */
  uint16_t len;   /* flits */
  uint16_t info;
};

/* What is kept of a cell, in the storage. */
struct loom_vl_buffer_cell {
  uint16_t link; /* next cell of the packet; of a free cell, the next free one */
  struct loom_vl_buffer_packet
      next; /* of the first cell of a packet: the packet that waits after it */
};

/* One VL. */
struct loom_vl_buffer_queue {
  uint32_t count;                    /* flits inside */
  struct loom_vl_buffer_packet head; /* of the list of waiting packets */
  uint16_t waiting;                  /* packets in the list */
  uint16_t last;                     /* first cell of the last packet in the list */
  uint16_t cell;                     /* being filled */
  uint16_t left;                     /* flits still to come of the packet that arrives */
  uint8_t pos;                       /* next place in the cell */
};

struct loom_vl_buffer {
  /* Outputs that are registers. */
  bool rd_valid, rd_head, rd_tail, drop_valid, free_valid, write_error;
  uint8_t rd_vl, drop_vl, free_vl;
  /* Read side: the packet that is read, and the taken one after it. */
  bool active, known, first, pending, loading;
  uint8_t active_vl, pending_vl, loading_vl;
  uint8_t pos;
  bool awake; /* the next edge can change something although nothing comes in */
  uint16_t left;
  uint16_t cell;
  struct loom_vl_buffer_packet pending_packet; /* taken, waits for the reader */
  struct loom_vl_buffer_packet loading_packet; /* to be the head of loading_vl at the next edge */
  uint32_t head_valid, open, dropping;         /* a bit a VL */
  uint64_t rd_data;
  /* Cells: given out freshly, then in the order of their freeing. */
  uint32_t fresh;
  uint32_t free_count;
  uint16_t free_head, free_tail;
  uint32_t vls, cells, cell_shift, early;
  uint64_t *flit;                   /* storage: cells * cell_flits */
  struct loom_vl_buffer_cell *meta; /* storage: cells */
  struct loom_credit_tracker tracker;
  struct loom_vl_buffer_queue queue[LOOM_VLS];
};

bool loom_vl_buffer_cfg_ok(const struct loom_vl_buffer_cfg *cfg);
/* Bytes of storage that init needs, aligned to 8. */
size_t loom_vl_buffer_storage_size(const struct loom_vl_buffer_cfg *cfg);
void loom_vl_buffer_init(struct loom_vl_buffer *s, const struct loom_vl_buffer_cfg *cfg,
                         void *storage);
void loom_vl_buffer_step(struct loom_vl_buffer *s, const struct loom_vl_buffer_in *in,
                         struct loom_vl_buffer_out *out);
void loom_vl_buffer_probe(const struct loom_vl_buffer *s, struct loom_vl_buffer_probe *p);

/* For devices that contain a buffer: look at the outputs with the functions below (or at rd_*,
 * drop_*, free_* and head_valid in the struct), then do the edge. */

/* The edge alone. Returns at once when nothing comes in and nothing is under way. */
void loom_vl_buffer_edge(struct loom_vl_buffer *s, const struct loom_vl_buffer_in *in);

/* Units of the packet at the head of the VL, 0 if there is none. */
static inline uint32_t loom_vl_buffer_head_size(const struct loom_vl_buffer *s, uint32_t vl) {
  if (!(s->head_valid >> vl & 1))
    return 0;
  return (s->queue[vl].head.len + (1u << s->cell_shift) - 1) >> s->cell_shift;
}

/* Side information of the packet at the head of the VL, 0 if there is none. */
static inline uint32_t loom_vl_buffer_head_info(const struct loom_vl_buffer *s, uint32_t vl) {
  return s->head_valid >> vl & 1 ? s->queue[vl].head.info : 0;
}

static inline bool loom_vl_buffer_take_ready(const struct loom_vl_buffer *s) {
  return !s->pending && (!s->active || s->left <= s->early);
}

static inline bool loom_vl_buffer_error(const struct loom_vl_buffer *s) {
  return s->write_error || s->tracker.error;
}

/* Units in use of the VL. */
static inline uint32_t loom_vl_buffer_used(const struct loom_vl_buffer *s, uint32_t vl) {
  return s->tracker.lane[vl].used;
}

/* Nothing is under way: an edge without input changes nothing. */
static inline bool loom_vl_buffer_idle(const struct loom_vl_buffer *s) { return !s->awake; }

#endif

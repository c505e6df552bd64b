/* SPDX-License-Identifier: Apache-2.0 */
/* packet_buffer.h - twin of loom_packet_buffer: queues of packets, one a VL, in one memory that is
 * written and read in words of several flits (docs/parts.md; OP-02, OP-04, OP-06)
 *
 * Registers in another form than in the circuit:
 *   some: vl[].cells is not 0
 *   first_cell, last_cell: vl[].first, vl[].last
 *   pos: vl[].place modulo 8
 *   link_vl: none: the next cell is known at once
 *   head_len, head_info, len: len and info of queues.record[queues.list[].head]
 *   first_slot, last_slot: queues.list[].head, queues.list[].last
 *   fresh_slot: queues.fresh
 *   load, load_vl: queues.loading, a bit a VL
 *   pending_len: queues.behind.len
 *   active_vl, active_left: reader.vl, reader.left
 *   active_first, active_pos: reader.place is 0, reader.place modulo 8
 *   here: none: rd_data is 0 in lanes without a flit
 *   fresh, link: free_cell and link: which cell is taken never shows
 */
#ifndef LOOM_PARTS_PACKET_BUFFER_H
#define LOOM_PARTS_PACKET_BUFFER_H

#define LOOM_DUT packet_buffer
#define LOOM_DEF "parts/packet_buffer.def"
#include <loom/def.h>

#include "parts/packet_queues.h"

/* The flits of one VL: a list of cells across its packets, each of which begins a cell. */
struct loom_packet_cells {
  uint16_t cells;       /* in the list */
  uint16_t first, last; /* read and written */
  uint16_t place;       /* next place in the last one */
};

struct loom_packet_buffer {
  uint32_t cells, lanes, most; /* parameters: CELLS, LANES, RD_FLITS */
  struct loom_packet_queues queues;
  struct loom_packet_reader reader;
  uint32_t count[LOOM_VLS]; /* flits that are in and can be read */
  /* Output registers. */
  bool rd_valid, rd_first, rd_last, free_valid;
  uint8_t rd_vl, rd_flits, rd_lane, free_vl;
  uint64_t rd_data[4]; /* by lane */
  /* Cells; which one is taken never shows. */
  uint16_t free_cell; /* the last one freed: the next to be used */
  uint64_t *flit;     /* storage: LOOM_UNIT_FLITS a cell */
  uint64_t *link;     /* storage: next cell of the VL; of a free cell, the next free one */
  struct loom_packet_cells vl[LOOM_VLS];
};

/* The parameters are legal together. */
bool loom_packet_buffer_cfg_ok(const struct loom_packet_buffer_cfg *cfg);
/* Bytes of storage that init needs, aligned to 8. */
size_t loom_packet_buffer_storage_size(const struct loom_packet_buffer_cfg *cfg);
void loom_packet_buffer_init(struct loom_packet_buffer *s, const struct loom_packet_buffer_cfg *cfg,
                             void *storage);
void loom_packet_buffer_step(struct loom_packet_buffer *s, const struct loom_packet_buffer_in *in,
                             struct loom_packet_buffer_out *out);
void loom_packet_buffer_probe(const struct loom_packet_buffer *s,
                              struct loom_packet_buffer_probe *p);

#endif

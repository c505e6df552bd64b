/* SPDX-License-Identifier: Apache-2.0 */
/* axis_link_tx.h - twin of loom_axis_link_tx: frames of an AXI4-Stream become packets on a link
 * (docs/axi.md; OP-06, OP-08)
 *
 * Registers in another form than in the circuit:
 *   next_after, next_more, next_len, next_dest, next_id, next_sc: next_head
 *   next_hot, next_known: made of next_vl when they are looked at
 *   short, short_some, short_four: need
 *   out_valid, out_head, out_tail, out_vl, out_data: out
 */
#ifndef LOOM_AXI_AXIS_LINK_TX_H
#define LOOM_AXI_AXIS_LINK_TX_H

#define LOOM_DUT axis_link_tx
#define LOOM_DEF "axi/axis_link_tx.def"
#include <loom/def.h>

#include <loom/limits.h>

#include "parts/fifo.h"

struct loom_axis_link_tx {
  struct loom_axis_link_tx_cfg cfg;
  struct loom_fifo words, packets;
  uint64_t next_head; /* the head flit, but for its source */
  uint32_t next_vl;
  uint32_t hand;           /* units of the far end that are taken for it */
  uint32_t need;           /* units that it still needs: short_q */
  uint32_t used[LOOM_VLS]; /* by lane, units at the far end or in hand */
  uint32_t pool;           /* units that are free beyond all reserves */
  uint32_t count;          /* words of the packet that comes in, so far */
  uint32_t dest, id;       /* what the first word of the frame said */
  uint32_t user;
  uint32_t left; /* words of the packet still to be sent */
  uint32_t vl;
  uint32_t waits;
  struct loom_axis_link_tx_out out;
  bool open, after; /* a frame has begun; a packet of it is complete */
  bool next_valid;
  bool drop;
  bool back; /* a unit goes into the pool */
  bool error;
  bool dropped;
};

bool loom_axis_link_tx_cfg_ok(const struct loom_axis_link_tx_cfg *cfg);
/* Bytes of storage that init needs, aligned to 8. */
size_t loom_axis_link_tx_storage_size(const struct loom_axis_link_tx_cfg *cfg);
void loom_axis_link_tx_init(struct loom_axis_link_tx *s, const struct loom_axis_link_tx_cfg *cfg,
                            void *storage);
void loom_axis_link_tx_step(struct loom_axis_link_tx *s, const struct loom_axis_link_tx_in *in,
                            struct loom_axis_link_tx_out *out);
void loom_axis_link_tx_probe(const struct loom_axis_link_tx *s, struct loom_axis_link_tx_probe *p);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* axis_link_tx.h - twin of loom_axis_link_tx: frames of an AXI4-Stream become packets on a link
 * (docs/axi.md; OP-06, OP-08)
 *
 * Registers in another form than in the circuit:
 *   next_after, next_more, next_len, next_dest, next_id, next_sc: next_head
 *   next_units, next_lane, next_known: made of next_head and next_vl when they are looked at
 *   out_valid, out_head, out_tail, out_vl, out_data: out
 */
#ifndef LOOM_AXI_AXIS_LINK_TX_H
#define LOOM_AXI_AXIS_LINK_TX_H

#define LOOM_DUT axis_link_tx
#define LOOM_DEF "axi/axis_link_tx.def"
#include <loom/def.h>

#include "parts/credit_tracker.h"
#include "parts/fifo.h"

struct loom_axis_link_tx {
  struct loom_axis_link_tx_cfg cfg;
  struct loom_fifo words, packets;
  struct loom_credit_tracker credits;
  uint64_t next_head; /* the head flit, but for its source */
  uint32_t next_vl;
  uint32_t count;    /* words of the packet that comes in, so far */
  uint32_t dest, id; /* what the first word of the frame said */
  uint32_t user;
  uint32_t left; /* words of the packet still to be sent */
  uint32_t vl;
  uint32_t waits;
  struct loom_axis_link_tx_out out;
  bool open, after; /* a frame has begun; a packet of it is complete */
  bool next_valid;
  bool drop;
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

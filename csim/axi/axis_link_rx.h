/* SPDX-License-Identifier: Apache-2.0 */
/* axis_link_rx.h - twin of loom_axis_link_rx: packets of a link become frames of an AXI4-Stream
 * (docs/axi.md; OP-08)
 *
 * Registers in another form than in the circuit:
 *   dest, src, id, sc, after, more: head
 */
#ifndef LOOM_AXI_AXIS_LINK_RX_H
#define LOOM_AXI_AXIS_LINK_RX_H

#define LOOM_DUT axis_link_rx
#define LOOM_DEF "axi/axis_link_rx.def"
#include <loom/def.h>

#include "parts/fifo.h"

struct loom_axis_link_rx {
  struct loom_fifo data, marks; /* flits, and what stands beside each */
  uint64_t head;                /* of the packet whose words are shown */
  uint64_t tdata;
  uint32_t vl;
  uint32_t unit; /* flits of the unit that have left */
  uint32_t cr_vl;
  bool tvalid, tlast;
  bool open; /* a packet has begun at the link and not ended */
  bool cr_valid;
  bool empty, error;
};

bool loom_axis_link_rx_cfg_ok(const struct loom_axis_link_rx_cfg *cfg);
/* Bytes of storage that init needs, aligned to 8. */
size_t loom_axis_link_rx_storage_size(const struct loom_axis_link_rx_cfg *cfg);
void loom_axis_link_rx_init(struct loom_axis_link_rx *s, const struct loom_axis_link_rx_cfg *cfg,
                            void *storage);
void loom_axis_link_rx_step(struct loom_axis_link_rx *s, const struct loom_axis_link_rx_in *in,
                            struct loom_axis_link_rx_out *out);
void loom_axis_link_rx_probe(const struct loom_axis_link_rx *s, struct loom_axis_link_rx_probe *p);

#endif

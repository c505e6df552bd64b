/* SPDX-License-Identifier: Apache-2.0 */
/* lanes.h - lanes, units and heads on a link of an InfiniBand or Omni-Path switch (docs/link.md,
 * docs/switch.md): what every end of such a link must know
 */
#ifndef LOOM_TB_ENDS_LANES_H
#define LOOM_TB_ENDS_LANES_H

#include <loom/bits.h>
#include <loom/limits.h>
#include <stdint.h>

#include "fabric/packet_words.h"

enum { END_NO_LANE = 255 };

/* The lane of VL 15 among `vls` of them. */
static inline uint32_t end_mgmt_lane(uint32_t vls) { return loom_min(15, vls - 1); }

/* The lane of a VL, END_NO_LANE if it has none; the VL of a lane. */
static inline uint32_t end_lane(uint32_t vls, uint32_t vl) {
  if (vl == 15)
    return end_mgmt_lane(vls);
  return vl < vls - 1 || (vls > 16 && vl < vls) ? vl : END_NO_LANE;
}

static inline uint32_t end_vl(uint32_t vls, uint32_t lane) {
  return lane == end_mgmt_lane(vls) ? 15 : lane;
}

/* Credit units of a packet. */
static inline uint32_t end_units(uint32_t flits) {
  return (flits + LOOM_UNIT_FLITS - 1) / LOOM_UNIT_FLITS;
}

/* A head flit of a packet alone; of `id` what fits. */
static inline uint64_t end_head(uint32_t sc, uint32_t length, uint32_t dest, uint32_t src,
                                uint32_t id) {
  return loom_packet_head(&(struct loom_packet_head){
      .sc = sc, .len = length, .dest = dest, .src = src, .id = id & (LOOM_PACKET_IDS - 1)});
}

#endif

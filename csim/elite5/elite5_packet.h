/* SPDX-License-Identifier: Apache-2.0 */
/* elite5_packet.h - what an Elite5 router of either edition knows of a packet, and how it names
 * what happens (docs/elite5.md)
 *
 * Inside: elite5_router, crosspoint_router. */
#ifndef LOOM_ELITE5_ELITE5_PACKET_H
#define LOOM_ELITE5_ELITE5_PACKET_H

#include "elite5/elite5_lanes.h"
#include "elite5/elite5_registers.h"

enum {
  LOOM_ELITE5_VCS = 32,
  LOOM_ELITE5_DESTS = 65536,
  LOOM_ELITE5_MASKS = 4096 + 2 * 1024, /* of classes, then two of each group */
  LOOM_ELITE5_TRAPS = 16,
};

enum loom_elite5_vc_state {
  LOOM_ELITE5_IDLE,
  LOOM_ELITE5_ROUTE,
  LOOM_ELITE5_WAIT,
  LOOM_ELITE5_OPEN,
  LOOM_ELITE5_BWAIT,
  LOOM_ELITE5_BOPEN,
  LOOM_ELITE5_SINK,
  LOOM_ELITE5_VC_STATES
};

/* What the packet of a VC needs for its route. */
struct loom_elite5_record {
  loom_links mask;
  uint16_t dest, ts;
  bool all;
};

/* Cause of a trap (E5-17, E5-25). */
enum loom_elite5_cause {
  LOOM_ELITE5_TRAP_UNKNOWN = 1,
  LOOM_ELITE5_TRAP_EXPIRED = 2,
  LOOM_ELITE5_TRAP_CLASS = 3,
  LOOM_ELITE5_TRAP_DOWN = 4,
  LOOM_ELITE5_TRAP_REMOVED = 5,
  LOOM_ELITE5_TRAP_BADID = 6,
  LOOM_ELITE5_TRAP_FAILED = 7,
};

/* A trap as its fifo keeps it: register TRAP, and TRAP_TS above. */
enum { LOOM_ELITE5_TRAP_TS_AT = 32 };

static inline uint64_t loom_elite5_trap_word(uint32_t link, enum loom_elite5_cause cause,
                                             uint32_t vc, const struct loom_elite5_record *packet) {
  return (uint64_t)packet->ts << LOOM_ELITE5_TRAP_TS_AT | LOOM_PUT(LOOM_ELITE5_REG_TRAP_VALID, 1) |
         LOOM_PUT(LOOM_ELITE5_REG_TRAP_CAUSE, cause) | LOOM_PUT(LOOM_ELITE5_REG_TRAP_LINK, link) |
         LOOM_PUT(LOOM_ELITE5_REG_TRAP_VC, vc) | LOOM_PUT(LOOM_ELITE5_REG_TRAP_DEST, packet->dest);
}

/* A fifo of replies holds the VC and this bit. */
enum { LOOM_ELITE5_REPLY_ACK = 0x80, LOOM_ELITE5_REPLY_VC = 0x1F };

/* From 0x020 in the window of a link. */
#define LOOM_ELITE5_COUNTER(name)                                                                  \
  LOOM_ELITE5_##name = LOOM_ELITE5_REG_LINK_##name - LOOM_ELITE5_REG_LINK_WORDS_IN
enum loom_elite5_counters {
  LOOM_ELITE5_COUNTER(WORDS_IN),
  LOOM_ELITE5_COUNTER(SEGMENTS_IN),
  LOOM_ELITE5_COUNTER(PACKETS_IN),
  LOOM_ELITE5_COUNTER(HEADER_ERRORS),
  LOOM_ELITE5_COUNTER(LINK_ERRORS),
  LOOM_ELITE5_COUNTER(NO_VC),
  LOOM_ELITE5_COUNTER(WORDS_OUT),
  LOOM_ELITE5_COUNTER(PACKETS_OUT),
  LOOM_ELITE5_COUNTER(ACKS),
  LOOM_ELITE5_COUNTER(NACKS),
  LOOM_ELITE5_COUNTER(OWN_NACKS),
  LOOM_ELITE5_COUNTER(REPLY_ERRORS),
  LOOM_ELITE5_COUNTER(TRAPS_LOST),
  LOOM_ELITE5_COUNTER(REMOVALS),
  LOOM_ELITE5_COUNTER(PASSED),
  LOOM_ELITE5_COUNTERS
};

static inline void loom_elite5_include(loom_links *set, uint32_t link, bool in) {
  *set = (*set & ~(1u << link)) | (loom_links)in << link;
}

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* vlarb.h - what InfiniBand's High and Low arbitration tables do to a saturated link (IB-07,
 * T-Alg4)
 *
 * Every VL always has packets and credits; all packets have one size. The tables are run for a
 * number of rounds of the high table and each VL's packets and the distances between its selections
 * counted.
 *
 * Before each high packet (in unit mode: each weight point) the bytes that high has sent since the
 * last low turn are compared with limit * 4096: when they reach it, the next low entry has its turn
 * and the count starts again (IB-06). Limit 255 means never; limit 0 means a low turn before each
 * high packet. Entries of weight 0 are skipped (IB-03). All counts are exact.
 *
 * A selection is a high entry that sends, or a low turn that sends; both take one position in the
 * sequence. A high entry that resumes after a low turn is not selected again (IB-10).
 */
#ifndef LOOM_QOS_VLARB_H
#define LOOM_QOS_VLARB_H

#include <stddef.h>
#include <stdint.h>

#include <loom/limits.h>

enum { LOOM_VLARB_NO_LIMIT = 255 };

/* What a weight point is worth (IB-05, IB-09, INC-17). */
enum loom_vlarb_mode {
  LOOM_VLARB_UNIT,    /* 64 bytes, sent as a packet of 64 bytes: the thesis' numbers */
  LOOM_VLARB_ROUNDUP, /* 64 bytes; an entry with weight left may send a whole packet */
  LOOM_VLARB_DEFICIT, /* 64 bytes; what does not reach a packet is kept for the VL's next entry */
  LOOM_VLARB_PACKET,  /* a whole packet: T-Alg4 to the letter */
};

/* How much a low turn sends (IB-06). */
enum loom_vlarb_low_grant { LOOM_VLARB_LOW_ENTRY, LOOM_VLARB_LOW_PACKET };

struct loom_vlarb_entry {
  uint8_t vl; /* 0..15 */
  uint8_t weight;
};

struct loom_vlarb_config {
  const struct loom_vlarb_entry *high;
  size_t high_count;
  const struct loom_vlarb_entry *low; /* may be empty */
  size_t low_count;
  uint32_t limit; /* LimitOfHighPriority, 0..255 */
  uint32_t runs;  /* rounds of the high table */
  enum loom_vlarb_mode mode;
  enum loom_vlarb_low_grant low_grant;
  uint32_t packet_bytes; /* multiple of 64, 64.. ; not used in unit mode */
  uint32_t limit_bytes;  /* bytes a step of the limit; 0 stands for 4096 */
  /* Told of each burst of packets in the order of sending; may be NULL. */
  void (*sent)(void *context, unsigned vl, uint64_t packets);
  void *context;
};

struct loom_vlarb_vl {
  uint64_t packets;
  uint64_t selections;
  uint64_t distance_sum; /* of the selections - 1 gaps between selections, in positions */
  uint64_t distance_max;
};

struct loom_vlarb_result {
  uint64_t packets; /* of all VLs */
  uint64_t low_turns;
  struct loom_vlarb_vl vl[LOOM_IB_VLS];
};

void loom_vlarb_analyze(const struct loom_vlarb_config *config, struct loom_vlarb_result *result);

/* The VL's part of all packets in units of 10^-digits percent, rounded half up; 0 if there are
 * none. */
uint64_t loom_vlarb_share(const struct loom_vlarb_result *result, unsigned vl, unsigned digits);

/* The mean distance between selections in units of 10^-digits positions, rounded half up; 0 with
 * less than two selections. */
uint64_t loom_vlarb_distance(const struct loom_vlarb_result *result, unsigned vl, unsigned digits);

#endif

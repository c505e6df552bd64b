/* SPDX-License-Identifier: Apache-2.0 */
/* vlarb_certificate.h - what InfiniBand's tables do in the long run, exactly (docs/vlarb.md; IB-14)
 *
 * loom_vlarb_analyze counts some rounds of the High table, and the shares that come out depend on
 * where it stops. Here they are those of a whole period, after which everything comes again.
 */
#ifndef LOOM_QOS_VLARB_CERTIFICATE_H
#define LOOM_QOS_VLARB_CERTIFICATE_H

#include <stdbool.h>

#include "qos/vlarb.h"

struct loom_vlarb_certificate {
  uint64_t rounds;    /* of the High table in a period */
  uint64_t packets;   /* of all VLs in it */
  uint64_t low_turns; /* in it */
  struct {
    uint64_t packets;  /* of this VL in a period */
    uint64_t gap;      /* most packets of other VLs between two of this VL */
    uint64_t distance; /* most selections from one of this VL to its next */
  } vl[LOOM_IB_VLS];
};

/* High packets between two turns of the low table; 0: it has none. */
uint64_t loom_vlarb_turn_packets(uint32_t limit, uint32_t packet_bytes);

/* For mode LOOM_VLARB_ROUNDUP, the default step of the limit, and at least one high entry with a
 * weight; config->runs, ->sent and ->context are not looked at. False: a period is longer than
 * LOOM_VLARB_ROUNDS rounds, and *certificate is not set. */
enum { LOOM_VLARB_ROUNDS = 1 << 21 };
bool loom_vlarb_certify(const struct loom_vlarb_config *config,
                        struct loom_vlarb_certificate *certificate);

/* The VL's part of all packets in parts per million, rounded half up. */
uint32_t loom_vlarb_certified_share(const struct loom_vlarb_certificate *certificate, unsigned vl);

#endif

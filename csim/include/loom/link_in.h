/* SPDX-License-Identifier: Apache-2.0 */
/* link_in.h - what the link of a port brings in a cycle, beside the sets of ports that say whether
 * it brings anything (docs/link.md) */
#ifndef LOOM_LINK_IN_H
#define LOOM_LINK_IN_H

#include <stdint.h>

struct loom_link_in {
  uint64_t data; /* of a flit */
  uint8_t vl;
  uint8_t cr_vl;  /* of a credit that comes back */
  uint8_t rep_vc; /* of a reply that comes back, on links that have replies */
  /* Of a head: where the words of its packet stand (docs/packet_engine.md); 0: each comes with its
   * flit. */
  uint32_t packet;
};

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* flow.h - what one end of an Elite5 link shows in a cycle (docs/elan5.md, docs/elite5.md; E5-10)
 */
#ifndef LOOM_ELAN5_FLOW_H
#define LOOM_ELAN5_FLOW_H

#include <stdint.h>

/* What a flow carries in a cycle. */
enum loom_flow_flag {
  LOOM_FLOW_VALID = 1, /* a word: data, vl, and perhaps */
  LOOM_FLOW_HEAD = 2,
  LOOM_FLOW_TAIL = 4,
  LOOM_FLOW_CREDIT = 8, /* cr_vl */
  LOOM_FLOW_REPLY = 16, /* rep_vc, and perhaps */
  LOOM_FLOW_ACK = 32,
  LOOM_FLOW_SIGNAL = 64, /* somebody is there */
};

/* All signals that one end of a link shows in a cycle: the word of its output, credit and reply of
 * its input. Fields are 0 while their flag is 0. */
struct loom_flow {
  uint64_t data;
  uint8_t flags;
  uint8_t vl;
  uint8_t cr_vl;
  uint8_t rep_vc;
  uint32_t unused;
};

#endif

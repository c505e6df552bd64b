/* SPDX-License-Identifier: Apache-2.0 */
/* kns_rule.h - what the twins of both KNS devices share (docs/kns.md; KN-01, KN-02, KN-05)
 *
 * Inside: kns_node, and kns_switch.
 *
 * Both are an ib_switch that finds the output of a packet in its destination. */
#ifndef LOOM_SWITCH_KNS_RULE_H
#define LOOM_SWITCH_KNS_RULE_H

#include "switch/kns_place.h"
#include "switch/switch.h"

/* Bytes that the lists say for the storage: there is no LFT. */
#define LOOM_KNS_BYTES(ports, in, out) loom_switch_bytes(ports, 0, in, 0, out, 0)

struct loom_kns {
  struct loom_switch core; /* first */
  struct loom_kns_place place;
};

/* The `lookup` of a family of switches, and how it writes and reads registers of its own. */
bool loom_kns_lookup(const struct loom_switch *core, uint32_t dest, uint32_t *out);
void loom_kns_write(struct loom_switch *core, uint32_t addr, uint32_t data);
uint32_t loom_kns_read(const struct loom_switch *core, uint32_t addr);

#endif

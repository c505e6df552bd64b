/* SPDX-License-Identifier: Apache-2.0 */
/* kns_rule.h - what the twins of both KNS devices share: where they are in the fabric, and what an
 * address says (docs/kns.md; KN-01, KN-02, KN-05)
 *
 * Inside: kns_node, and kns_switch.
 *
 * Both are an ib_switch that finds the output of a packet in its destination. A destination is,
 * from bit 0: the host, the coordinates of dimension 0, 1, ..., the prefix of the fabric. */
#ifndef LOOM_SWITCH_KNS_RULE_H
#define LOOM_SWITCH_KNS_RULE_H

#include <loom/bits.h>

#include "switch/switch.h"

/* Bytes that the lists say for the storage: there is no LFT. */
#define LOOM_KNS_BYTES(ports, in, out) loom_switch_bytes(ports, 0, in, 0, out, 0)

enum { LOOM_KNS_ADDRESS_BITS = 15 }; /* most of host and coordinates together */

struct loom_kns {
  struct loom_switch core; /* first */
  /* Parameters: ports of hosts, dimensions, bits of a coordinate and of the host. */
  uint32_t hosts, dims, w, hw;
  /* Registers. */
  uint32_t address;
  uint32_t dimension; /* kns_switch: the one whose nodes it joins */
  bool on;
};

/* The core is legal, and a host and all coordinates fit below the prefix. */
bool loom_kns_cfg_ok(const struct loom_switch_cfg *core, uint32_t hosts, uint32_t dims, uint32_t w);
void loom_kns_init(struct loom_kns *s, const struct loom_switch_cfg *core, uint32_t hosts,
                   uint32_t dims, uint32_t w, void *storage);

static inline uint32_t loom_kns_coordinate(const struct loom_kns *s, uint32_t dest, uint32_t d) {
  return dest >> (s->hw + d * s->w) & (uint32_t)loom_mask(s->w);
}

/* 0 if there is only one. */
static inline uint32_t loom_kns_host(const struct loom_kns *s, uint32_t dest) {
  return dest & (uint32_t)loom_mask(s->hw);
}

/* The device is on and `dest` is one of its fabric. */
static inline bool loom_kns_here(const struct loom_kns *s, uint32_t dest) {
  return s->on && (dest ^ s->address) >> (s->hw + s->dims * s->w) == 0;
}

/* Address and `on`, as a family of switches writes and reads registers of its own. */
void loom_kns_write(struct loom_switch *core, uint32_t addr, uint32_t data);
uint32_t loom_kns_read(const struct loom_switch *core, uint32_t addr);

#endif

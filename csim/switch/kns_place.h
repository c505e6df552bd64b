/* SPDX-License-Identifier: Apache-2.0 */
/* kns_place.h - where a device is in a KNS, and the output that an address has there (docs/kns.md;
 * KN-01, KN-02, KN-05)
 *
 * Inside: kns_node, kns_switch, and crossbar_switch.
 *
 * An address is, from bit 0: the host, the coordinates of dimension 0, 1, ..., the prefix of the
 * fabric. */
#ifndef LOOM_SWITCH_KNS_PLACE_H
#define LOOM_SWITCH_KNS_PLACE_H

#include <stdbool.h>

#include <loom/bits.h>

enum { LOOM_KNS_ADDRESS_BITS = 15 }; /* most of host and coordinates together */

/* The router of a node, or the switch of a dimension. */
enum loom_kns_kind { LOOM_KNS_NODE = 1, LOOM_KNS_SWITCH };

struct loom_kns_place {
  enum loom_kns_kind kind;
  /* Parameters: ports of hosts, dimensions, bits of a coordinate and of the host. */
  uint32_t hosts, dims, w, hw;
  /* Registers. */
  uint32_t address;
  uint32_t dimension; /* of a switch: the one whose nodes it joins */
  bool on;
};

/* A host and all coordinates fit below the prefix. */
bool loom_kns_fits(uint32_t hosts, uint32_t dims, uint32_t w);
void loom_kns_place_init(struct loom_kns_place *s, enum loom_kns_kind kind, uint32_t hosts,
                         uint32_t dims, uint32_t w);
/* The output for an address; false: it is unknown. It can be more than the device has ports. */
bool loom_kns_place_finds(const struct loom_kns_place *s, uint32_t dest, uint32_t *out);
/* Registers ADDRESS and DIMENSION; of others nothing is written, and they read 0. */
void loom_kns_place_write(struct loom_kns_place *s, uint32_t addr, uint32_t data);
uint32_t loom_kns_place_read(const struct loom_kns_place *s, uint32_t addr);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* group_rule.h - the rules of docs/port_groups.md by loops over ports and bits, for what the twins
 * find by words */
#ifndef LOOM_TB_UNIT_SWITCH_GROUP_RULE_H
#define LOOM_TB_UNIT_SWITCH_GROUP_RULE_H

#include <stdbool.h>
#include <stdint.h>

/* CRC-16 of CCITT over four bytes, a bit at a time. */
static inline uint32_t crc_of(uint32_t src, uint32_t dest) {
  uint32_t crc = 0xFFFF, data = src << 16 | dest;
  for (int bit = 31; bit >= 0; bit--) {
    bool turn = (crc >> 15 ^ data >> bit) & 1;
    crc = (crc << 1 & 0xFFFF) ^ (turn ? 0x1021 : 0);
  }
  return crc;
}

/* by_flow and by_lid. */
static inline uint32_t flow_index(uint32_t src, uint32_t dest, uint32_t hash) {
  uint32_t index = 0;
  for (uint32_t bit = 0; bit < 6; bit++)
    index |= (crc_of(src, dest) >> (bit + 5 * (hash % 3)) % 16 & 1) << bit;
  return index;
}

static inline uint32_t lid_index(uint32_t dest) {
  uint32_t index = 0;
  for (uint32_t bit = 0; bit < 16; bit++)
    index ^= (dest >> bit & 1) << bit % 6;
  return index;
}

/* The first member from `from` on, and then from 0, that has bit k of `above` clear; PORTS: none.
 * k = 3: any member. */
static inline uint32_t first_below(uint32_t ports, uint64_t members, const uint64_t *above,
                                   uint32_t k, uint32_t from) {
  uint32_t begin = from < ports ? from : 0;
  for (uint32_t i = 0; i < ports; i++) {
    uint32_t o = (begin + i) % ports;
    if (members >> o & 1 && (k == 3 || !(above[o] >> k & 1)))
      return o;
  }
  return ports;
}

/* By load, of a group that has members. */
static inline uint32_t port_by_load(uint32_t ports, uint64_t members, const uint64_t *above,
                                    uint32_t slot) {
  uint32_t port = ports;
  for (uint32_t k = 0; k <= 3 && port == ports; k++)
    port = first_below(ports, members, above, k, slot);
  return port;
}

#endif

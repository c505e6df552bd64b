/* SPDX-License-Identifier: Apache-2.0 */
/* packets.h - packets under way whose words stand in the fabric (docs/packet_engine.md)
 *
 * What a host sends is known by its head and a key. So a packet that no link may spoil is moved by
 * its number: whoever has its head last owns it, and frees it.
 */
#ifndef LOOM_FABRIC_PACKETS_H
#define LOOM_FABRIC_PACKETS_H

#include "fabric/packet_words.h"

/* Words as loom_packet_flit has them. */
struct loom_packets_entry {
  uint64_t head, key;
  uint32_t offset;
  uint32_t next; /* of a free one the next free one */
};

/* All zero: none. Numbers count from 1. */
struct loom_packets {
  struct loom_packets_entry *entry;
  uint32_t size, free, fresh;
};

/* The number of a new packet; 0: out of memory, so each word must come with its flit. */
uint32_t loom_packets_add(struct loom_packets *p, uint64_t head, uint64_t key, uint32_t offset);
/* Flit `place` of the packet. */
uint64_t loom_packets_word(const struct loom_packets *p, uint32_t number, uint32_t place);
void loom_packets_remove(struct loom_packets *p, uint32_t number);
void loom_packets_free(struct loom_packets *p);

#endif

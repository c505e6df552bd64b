/* packet_words.h - heads of packets and what the flits after them hold (docs/fabric.md,
 * docs/link.md) */
#ifndef LOOM_FABRIC_PACKET_WORDS_H
#define LOOM_FABRIC_PACKET_WORDS_H

#include <loom/random.h>

/* The head. */
struct loom_packet_head {
  uint32_t sc, len, dest, src, id;
};

enum {
  LOOM_PACKET_SC_AT = 59,
  LOOM_PACKET_LEN_AT = 47,
  LOOM_PACKET_DEST_AT = 31,
  LOOM_PACKET_SRC_AT = 15,
  LOOM_PACKET_IDS = 1 << 15
};

static inline uint64_t loom_packet_head(const struct loom_packet_head *h) {
  return (uint64_t)h->sc << LOOM_PACKET_SC_AT | (uint64_t)h->len << LOOM_PACKET_LEN_AT |
         (uint64_t)h->dest << LOOM_PACKET_DEST_AT | (uint64_t)h->src << LOOM_PACKET_SRC_AT | h->id;
}

static inline struct loom_packet_head loom_packet_read(uint64_t head) {
  return (struct loom_packet_head){.sc = (uint32_t)(head >> LOOM_PACKET_SC_AT),
                                   .len = (uint32_t)(head >> LOOM_PACKET_LEN_AT) & 0xFFF,
                                   .dest = (uint32_t)(head >> LOOM_PACKET_DEST_AT) & 0xFFFF,
                                   .src = (uint32_t)(head >> LOOM_PACKET_SRC_AT) & 0xFFFF,
                                   .id = (uint32_t)head & (LOOM_PACKET_IDS - 1)};
}

/* Flit `place`, 1.., of a packet whose head is flit `offset` of the message with this key. */
static inline uint64_t loom_packet_flit(uint64_t key, uint32_t offset, uint32_t place) {
  if (place == 1)
    return (loom_scramble(key ^ offset) & ~(uint64_t)UINT32_MAX) | offset;
  return loom_scramble(key + offset + place);
}

#endif

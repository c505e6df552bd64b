/* SPDX-License-Identifier: Apache-2.0 */
/* packet_words.h - heads of packets and what the flits after them hold (docs/fabric.md,
 * docs/link.md) */
#ifndef LOOM_FABRIC_PACKET_WORDS_H
#define LOOM_FABRIC_PACKET_WORDS_H

#include <loom/head.h>
#include <loom/random.h>
#include <stdbool.h>

/* The head. `after`, `more`: packets of the same train come before it, and after it. */
struct loom_packet_head {
  uint32_t sc, len, dest, src, id;
  bool after, more;
};

enum { LOOM_PACKET_IDS = 1 << LOOM_HEAD_ID_BITS };

static inline uint64_t loom_packet_head(const struct loom_packet_head *h) {
  return LOOM_PUT64(LOOM_HEAD_SC, h->sc) | LOOM_PUT64(LOOM_HEAD_LEN, h->len) |
         LOOM_PUT64(LOOM_HEAD_DEST, h->dest) | LOOM_PUT64(LOOM_HEAD_SRC, h->src) |
         LOOM_PUT64(LOOM_HEAD_AFTER, h->after) | LOOM_PUT64(LOOM_HEAD_MORE, h->more) |
         LOOM_PUT64(LOOM_HEAD_ID, h->id);
}

static inline struct loom_packet_head loom_packet_read(uint64_t head) {
  return (struct loom_packet_head){.sc = LOOM_GET(LOOM_HEAD_SC, head),
                                   .len = LOOM_GET(LOOM_HEAD_LEN, head),
                                   .dest = LOOM_GET(LOOM_HEAD_DEST, head),
                                   .src = LOOM_GET(LOOM_HEAD_SRC, head),
                                   .id = LOOM_GET(LOOM_HEAD_ID, head),
                                   .after = LOOM_GET(LOOM_HEAD_AFTER, head) != 0,
                                   .more = LOOM_GET(LOOM_HEAD_MORE, head) != 0};
}

/* Flit `place`, 1.., of a packet whose head is flit `offset` of the message with this key. */
static inline uint64_t loom_packet_flit(uint64_t key, uint32_t offset, uint32_t place) {
  if (place == 1)
    return (loom_scramble(key ^ offset) & ~(uint64_t)UINT32_MAX) | offset;
  return loom_scramble(key + offset + place);
}

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* elan5_packet.h - payloads of Elite5 packets: address word, packet id, CRC-32, and how many words
 * and segments they take (docs/elan5.md; E5-04, E5-05, E5-07) */
#ifndef LOOM_ELAN5_ELAN5_PACKET_H
#define LOOM_ELAN5_ELAN5_PACKET_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include <loom/bits.h>

#define LOOM_NAMES "elan5/elan5_packet.fields"
#include <loom/names.h>

enum loom_elan5_op {
  LOOM_ELAN5_PUT = 0,
  LOOM_ELAN5_QUEUE = 1,
  LOOM_ELAN5_EVENT = 2,
  LOOM_ELAN5_GET = 3,
  LOOM_ELAN5_GOT = 4,
  LOOM_ELAN5_CONDITIONAL = 5,
};

enum {
  LOOM_ELAN5_WORD = 8,      /* bytes */
  LOOM_ELAN5_OVERHEAD = 16, /* bytes of payload that are no data: address word, trailer */
  LOOM_ELAN5_DATA_MAX = 4096,
};

/* The first 8 bytes of a payload. */
struct loom_elan5_address {
  uint8_t op;  /* enum loom_elan5_op */
  bool once;   /* takes effect exactly once (E5-14) */
  uint8_t pad; /* bytes that fill the last word of data, 0..7 */
  uint8_t tag; /* of a get and its answer */
  uint64_t at; /* 48 bits */
};

uint64_t loom_elan5_pack_address(const struct loom_elan5_address *a);
void loom_elan5_unpack_address(struct loom_elan5_address *a, uint64_t word);

/* Bytes of payload of a packet with so many bytes of data. */
static inline uint32_t loom_elan5_payload(uint32_t data) {
  return LOOM_ELAN5_OVERHEAD + (data + LOOM_ELAN5_WORD - 1) / LOOM_ELAN5_WORD * LOOM_ELAN5_WORD;
}

/* Payload of the segment that begins at byte `from` of a payload of `all` bytes. */
uint32_t loom_elan5_segment_bytes(uint32_t from, uint32_t all);
/* Words on the link of a segment with so many bytes of payload, the first one of a packet or not.
 */
uint32_t loom_elan5_segment_words(bool first, uint32_t bytes);

/* What a packet with so many bytes of data takes on the link (E5-04). */
struct loom_elan5_wire {
  uint32_t segments, bytes, words;
};
struct loom_elan5_wire loom_elan5_wire(uint32_t data);

/* CRC-32 of a stream of bytes: start, add, finish. */
static inline uint32_t loom_elan5_crc_start(void) { return 0xFFFFFFFFu; }
uint32_t loom_elan5_crc_add(uint32_t crc, const uint8_t *bytes, uint32_t count);
/* The last 8 bytes of a payload: the packet id, and the CRC that covers it too. */
uint64_t loom_elan5_trailer(uint32_t crc, uint32_t id);

/* Words in wire order: the first byte is the most significant. */
static inline uint64_t loom_elan5_load(const uint8_t *bytes) {
  uint64_t word;
  memcpy(&word, bytes, sizeof word);
  return __builtin_bswap64(word);
}

static inline void loom_elan5_store(uint8_t *bytes, uint64_t word) {
  word = __builtin_bswap64(word);
  memcpy(bytes, &word, sizeof word);
}

#endif

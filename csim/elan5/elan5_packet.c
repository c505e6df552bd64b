/* SPDX-License-Identifier: Apache-2.0 */
/* elan5_packet.c - payloads of Elite5 packets (docs/elan5.md) */
#include "elan5/elan5_packet.h"

#include <loom/bits.h>

#include "elite5/elite5_header.h"
#include "parts/crc32.h"

enum { CONTINUATION_HEADER = 4 };

uint64_t loom_elan5_pack_address(const struct loom_elan5_address *a) {
  return LOOM_PUT64(LOOM_ELAN5_ADDRESS_OP, a->op) | LOOM_PUT64(LOOM_ELAN5_ADDRESS_ONCE, a->once) |
         LOOM_PUT64(LOOM_ELAN5_ADDRESS_PAD, a->pad) | LOOM_PUT64(LOOM_ELAN5_ADDRESS_TAG, a->tag) |
         LOOM_PUT64(LOOM_ELAN5_ADDRESS_PLACE, a->at);
}

void loom_elan5_unpack_address(struct loom_elan5_address *a, uint64_t word) {
  a->op = LOOM_GET(LOOM_ELAN5_ADDRESS_OP, word);
  a->once = LOOM_GET(LOOM_ELAN5_ADDRESS_ONCE, word);
  a->pad = LOOM_GET(LOOM_ELAN5_ADDRESS_PAD, word);
  a->tag = LOOM_GET(LOOM_ELAN5_ADDRESS_TAG, word);
  a->at = LOOM_GET64(LOOM_ELAN5_ADDRESS_PLACE, word);
}

uint32_t loom_elan5_segment_bytes(uint32_t from, uint32_t all) {
  return loom_min(all - from, from ? LOOM_ELITE5_CONTINUATION_BYTES : LOOM_ELITE5_FIRST_BYTES);
}

uint32_t loom_elan5_segment_words(bool first, uint32_t bytes) {
  uint32_t header = first ? LOOM_ELAN5_WORD : CONTINUATION_HEADER;
  return (header + bytes + LOOM_ELAN5_WORD - 1) / LOOM_ELAN5_WORD;
}

struct loom_elan5_wire loom_elan5_wire(uint32_t data) {
  struct loom_elan5_wire wire = {0};
  uint32_t all = loom_elan5_payload(data);
  for (uint32_t from = 0; from < all; wire.segments++) {
    uint32_t bytes = loom_elan5_segment_bytes(from, all);
    wire.bytes += bytes + (from ? CONTINUATION_HEADER : LOOM_ELAN5_WORD);
    wire.words += loom_elan5_segment_words(from == 0, bytes);
    from += bytes;
  }
  return wire;
}

uint32_t loom_elan5_crc_add(uint32_t crc, const uint8_t *bytes, uint32_t count) {
  for (; count >= LOOM_ELAN5_WORD; bytes += LOOM_ELAN5_WORD, count -= LOOM_ELAN5_WORD)
    crc = loom_crc32_add(crc, loom_elan5_load(bytes), LOOM_ELAN5_WORD);
  if (count) {
    uint8_t rest[LOOM_ELAN5_WORD] = {0};
    memcpy(rest, bytes, count);
    crc = loom_crc32_add(crc, loom_elan5_load(rest), count);
  }
  return crc;
}

uint64_t loom_elan5_trailer(uint32_t crc, uint32_t id) {
  crc = loom_crc32_add(crc, (uint64_t)id << 32, sizeof id);
  return (uint64_t)id << 32 | (uint32_t)~crc;
}

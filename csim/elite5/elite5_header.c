/* SPDX-License-Identifier: Apache-2.0 */
/* elite5_header.c - the words on an Elite5 link, written from docs/elite5.md
 *
 * Inside: elite5_router, and the endpoint. */
#include "elite5/elite5_header.h"

#include "parts/crc16.h"

enum { CRC_INIT = 0xFFFF, FIRST_BYTES = 6, CONTINUATION_BYTES = 2 };

static uint32_t first_crc(uint64_t word) { return loom_crc16_add(CRC_INIT, word, FIRST_BYTES); }

static uint32_t continuation_crc(uint64_t word) {
  return loom_crc16_add(CRC_INIT, word, CONTINUATION_BYTES);
}

static bool first_ok(uint64_t word) {
  return first_crc(word) == LOOM_GET(LOOM_ELITE5_FIRST_CRC16, word);
}

static bool continuation_ok(uint64_t word) {
  return continuation_crc(word) == LOOM_GET(LOOM_ELITE5_NEXT_CRC16, word);
}

bool loom_elite5_crc_ok(uint64_t word) {
  return loom_elite5_is_continuation(word) ? continuation_ok(word) : first_ok(word);
}

uint64_t loom_elite5_pack_first(const struct loom_elite5_first *h) {
  uint64_t word =
      LOOM_PUT64(LOOM_ELITE5_FIRST_TYPE, h->type) | LOOM_PUT64(LOOM_ELITE5_FIRST_PRIO, h->prio) |
      LOOM_PUT64(LOOM_ELITE5_FIRST_VC, h->vc) | LOOM_PUT64(LOOM_ELITE5_FIRST_LEN, h->len) |
      LOOM_PUT64(LOOM_ELITE5_FIRST_DEST, h->dest) | LOOM_PUT64(LOOM_ELITE5_FIRST_TS, h->ts);
  return word | first_crc(word);
}

uint64_t loom_elite5_pack_continuation(const struct loom_elite5_continuation *h) {
  uint64_t word = LOOM_PUT64(LOOM_ELITE5_NEXT_TYPE, h->type) |
                  LOOM_PUT64(LOOM_ELITE5_NEXT_VC, h->vc) | LOOM_PUT64(LOOM_ELITE5_NEXT_LEN, h->len);
  return word | LOOM_PUT64(LOOM_ELITE5_NEXT_CRC16, continuation_crc(word)) | h->payload;
}

uint64_t loom_elite5_void(uint32_t vc) {
  const struct loom_elite5_continuation h = {.type = LOOM_ELITE5_VOID, .vc = (uint8_t)vc};
  return loom_elite5_pack_continuation(&h);
}

uint64_t loom_elite5_control(enum loom_elite5_sub sub, uint64_t info) {
  uint64_t word = LOOM_PUT64(LOOM_ELITE5_CONTROL_TYPE, LOOM_ELITE5_CONTROL) |
                  LOOM_PUT64(LOOM_ELITE5_CONTROL_SUB, sub) |
                  LOOM_PUT64(LOOM_ELITE5_CONTROL_INFO, info);
  return word | first_crc(word);
}

struct loom_elite5_first loom_elite5_first_fields(uint64_t word) {
  return (struct loom_elite5_first){
      .type = LOOM_GET(LOOM_ELITE5_FIRST_TYPE, word),
      .prio = LOOM_GET(LOOM_ELITE5_FIRST_PRIO, word),
      .vc = LOOM_GET(LOOM_ELITE5_FIRST_VC, word),
      .len = LOOM_GET(LOOM_ELITE5_FIRST_LEN, word),
      .dest = LOOM_GET(LOOM_ELITE5_FIRST_DEST, word),
      .ts = LOOM_GET(LOOM_ELITE5_FIRST_TS, word),
  };
}

bool loom_elite5_unpack_first(struct loom_elite5_first *h, uint64_t word) {
  *h = loom_elite5_first_fields(word);
  return first_ok(word);
}

bool loom_elite5_unpack_continuation(struct loom_elite5_continuation *h, uint64_t word) {
  h->type = LOOM_GET(LOOM_ELITE5_NEXT_TYPE, word);
  h->vc = LOOM_GET(LOOM_ELITE5_NEXT_VC, word);
  h->len = LOOM_GET(LOOM_ELITE5_NEXT_LEN, word);
  h->payload = LOOM_GET(LOOM_ELITE5_NEXT_PAYLOAD, word);
  return continuation_ok(word);
}

bool loom_elite5_unpack_control(uint32_t *sub, uint64_t *info, uint64_t word) {
  *sub = LOOM_GET(LOOM_ELITE5_CONTROL_SUB, word);
  *info = LOOM_GET64(LOOM_ELITE5_CONTROL_INFO, word);
  return first_ok(word);
}

/* ---- another VC ------------------------------------------------------------------------------ */

/* The CRC is linear: what a change of the VC adds to it is the sum of what each changed bit adds.
 */
#define SUM(n, a, b, c, d, e)                                                                      \
  (((n)&1 ? (a) : 0) ^ ((n)&2 ? (b) : 0) ^ ((n)&4 ? (c) : 0) ^ ((n)&8 ? (d) : 0) ^                 \
   ((n)&16 ? (e) : 0))
#define FOUR(f, n) f(n), f((n) + 1), f((n) + 2), f((n) + 3)
#define SIXTEEN(f, n) FOUR(f, n), FOUR(f, (n) + 4), FOUR(f, (n) + 8), FOUR(f, (n) + 12)

/* Remainders of single bits of the VC, lowest first, with the message as long as it is. */
#define IN_FIRST(n) SUM(n, 0x1168, 0x22D0, 0x45A0, 0x8B40, 0x06A1)
#define IN_CONTINUATION(n) SUM(n, 0x3331, 0x6662, 0xCCC4, 0x89A9, 0x0373)

static const uint16_t first_difference[] = {SIXTEEN(IN_FIRST, 0), SIXTEEN(IN_FIRST, 16)};
static const uint16_t continuation_difference[] = {SIXTEEN(IN_CONTINUATION, 0),
                                                   SIXTEEN(IN_CONTINUATION, 16)};

uint64_t loom_elite5_rewrite_vc(uint64_t word, uint32_t vc) {
  if (loom_elite5_is_continuation(word)) {
    uint32_t change = LOOM_GET(LOOM_ELITE5_NEXT_VC, word ^ LOOM_PUT64(LOOM_ELITE5_NEXT_VC, vc));
    return word ^ LOOM_PUT64(LOOM_ELITE5_NEXT_VC, change) ^
           LOOM_PUT64(LOOM_ELITE5_NEXT_CRC16, continuation_difference[change]);
  }
  uint32_t change = LOOM_GET(LOOM_ELITE5_FIRST_VC, word ^ LOOM_PUT64(LOOM_ELITE5_FIRST_VC, vc));
  return word ^ LOOM_PUT64(LOOM_ELITE5_FIRST_VC, change) ^ first_difference[change];
}

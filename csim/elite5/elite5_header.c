/* SPDX-License-Identifier: Apache-2.0 */
/* elite5_header.c - the words on an Elite5 link, written from docs/elite5.md
 *
 * Inside: elite5_router, and the endpoint. */
#include "elite5/elite5_header.h"

#include "parts/crc16.h"

enum { CRC_INIT = 0xFFFF, FIRST_BYTES = 6, CONTINUATION_BYTES = 2 };

/* Places of fields: in a first word, in a continuation, in link control. */
enum { PRIO_AT = 59, VC_AT = 54, LEN_AT = 46, TS_AT = 16 };
enum { NEXT_VC_AT = 56, NEXT_LEN_AT = 48, NEXT_CRC_AT = 32 };
enum { SUB_AT = 56, INFO_AT = 16 };
enum { VC_MASK = 31, PRIO_MASK = 3, LEN_MASK = 0xFF, CRC_MASK = 0xFFFF };

static const uint64_t INFO_MASK = (1ull << 40) - 1;

static uint32_t first_crc(uint64_t word) { return loom_crc16_add(CRC_INIT, word, FIRST_BYTES); }

static uint32_t continuation_crc(uint64_t word) {
  return loom_crc16_add(CRC_INIT, word, CONTINUATION_BYTES);
}

static bool first_ok(uint64_t word) { return first_crc(word) == (word & CRC_MASK); }

static bool continuation_ok(uint64_t word) {
  return continuation_crc(word) == (word >> NEXT_CRC_AT & CRC_MASK);
}

bool loom_elite5_crc_ok(uint64_t word) {
  return loom_elite5_is_continuation(word) ? continuation_ok(word) : first_ok(word);
}

uint64_t loom_elite5_pack_first(const struct loom_elite5_first *h) {
  uint64_t word =
      (uint64_t)h->type << LOOM_ELITE5_TYPE_AT | (uint64_t)(h->prio & PRIO_MASK) << PRIO_AT |
      (uint64_t)(h->vc & VC_MASK) << VC_AT | (uint64_t)h->len << LEN_AT |
      (uint64_t)h->dest << LOOM_ELITE5_DEST_AT | (uint64_t)(h->ts & LOOM_ELITE5_TS_MASK) << TS_AT;
  return word | first_crc(word);
}

uint64_t loom_elite5_pack_continuation(const struct loom_elite5_continuation *h) {
  uint64_t word = (uint64_t)h->type << LOOM_ELITE5_TYPE_AT |
                  (uint64_t)(h->vc & VC_MASK) << NEXT_VC_AT | (uint64_t)h->len << NEXT_LEN_AT;
  return word | (uint64_t)continuation_crc(word) << NEXT_CRC_AT | h->payload;
}

uint64_t loom_elite5_void(uint32_t vc) {
  const struct loom_elite5_continuation h = {.type = LOOM_ELITE5_VOID, .vc = (uint8_t)vc};
  return loom_elite5_pack_continuation(&h);
}

uint64_t loom_elite5_control(enum loom_elite5_sub sub, uint64_t info) {
  uint64_t word = (uint64_t)LOOM_ELITE5_CONTROL << LOOM_ELITE5_TYPE_AT | (uint64_t)sub << SUB_AT |
                  (info & INFO_MASK) << INFO_AT;
  return word | first_crc(word);
}

struct loom_elite5_first loom_elite5_first_fields(uint64_t word) {
  return (struct loom_elite5_first){
      .type = (uint8_t)(word >> LOOM_ELITE5_TYPE_AT),
      .prio = (uint8_t)(word >> PRIO_AT & PRIO_MASK),
      .vc = (uint8_t)(word >> VC_AT & VC_MASK),
      .len = (uint8_t)(word >> LEN_AT & LEN_MASK),
      .dest = (uint16_t)loom_elite5_dest_of(word),
      .ts = (uint16_t)(word >> TS_AT & LOOM_ELITE5_TS_MASK),
  };
}

bool loom_elite5_unpack_first(struct loom_elite5_first *h, uint64_t word) {
  *h = loom_elite5_first_fields(word);
  return first_ok(word);
}

bool loom_elite5_unpack_continuation(struct loom_elite5_continuation *h, uint64_t word) {
  h->type = (uint8_t)(word >> LOOM_ELITE5_TYPE_AT);
  h->vc = (uint8_t)(word >> NEXT_VC_AT & VC_MASK);
  h->len = (uint8_t)(word >> NEXT_LEN_AT & LEN_MASK);
  h->payload = (uint32_t)word;
  return continuation_ok(word);
}

bool loom_elite5_unpack_control(uint32_t *sub, uint64_t *info, uint64_t word) {
  *sub = (uint32_t)(word >> SUB_AT & VC_MASK);
  *info = word >> INFO_AT & INFO_MASK;
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
    uint32_t change = (uint32_t)(word >> NEXT_VC_AT ^ vc) & VC_MASK;
    return word ^ (uint64_t)change << NEXT_VC_AT ^
           (uint64_t)continuation_difference[change] << NEXT_CRC_AT;
  }
  uint32_t change = (uint32_t)(word >> VC_AT ^ vc) & VC_MASK;
  return word ^ (uint64_t)change << VC_AT ^ first_difference[change];
}

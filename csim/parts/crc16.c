/* SPDX-License-Identifier: Apache-2.0 */
/* crc16.c - twin of rtl/parts/loom_crc16.v, written from docs/parts.md */
#include "parts/crc16.h"

enum { CRC16_INIT = 0xFFFF, CRC16_BITS = 16 };
enum { TURN = 5, TURNS = 3, SLOTS = 64 }; /* a part of the CRC: the bits, turned so far */

bool loom_crc16_cfg_ok(const struct loom_crc16_cfg *cfg) { return !loom_crc16_bad_param(cfg); }

void loom_crc16_init(struct loom_crc16 *s, const struct loom_crc16_cfg *cfg) {
  (void)cfg;
  s->crc = CRC16_INIT;
}

/* The new CRC is the rest of t * x^16 divided by P = x^16 + x^12 + x^5 + 1, t being the message
 * with the old CRC added to its first bits. The quotient q obeys q = t + q/x^4 + q/x^11 + q/x^16
 * (whole parts), so q = t * 1/(1 + a) with a = x^-4 + x^-11 + x^-16, and over GF(2) 1/(1 + a) is
 * the product of 1 + a, 1 + a^2, 1 + a^4, 1 + a^8, ... of which 64 bits see four factors. The rest
 * is then the low 16 bits of q * (x^12 + x^5 + 1). */
uint32_t loom_crc16_add(uint32_t crc, uint64_t data, uint32_t bytes) {
  uint64_t q = (data ^ (uint64_t)crc << 48) >> (64 - 8 * bytes);
  q ^= q >> 4 ^ q >> 11 ^ q >> 16;
  q ^= q >> 8 ^ q >> 22 ^ q >> 32;
  q ^= q >> 16 ^ q >> 44;
  q ^= q >> 32;
  uint32_t low = (uint32_t)(q ^ q << 5 ^ q << 12);
  if (bytes < 2) /* the part of the old CRC that one byte does not reach */
    low ^= crc << 8;
  return low & 0xFFFF;
}

uint32_t loom_crc16_slot(uint32_t src, uint32_t dest, uint32_t hash) {
  uint32_t crc = loom_crc16_add(CRC16_INIT, (uint64_t)(src << 16 | dest) << 32, 4);
  uint32_t turn = hash < TURNS ? TURN * hash : 0;
  return (crc >> turn | crc << (CRC16_BITS - turn)) % SLOTS;
}

void loom_crc16_step(struct loom_crc16 *s, const struct loom_crc16_in *in,
                     struct loom_crc16_out *out) {
  out->crc = s->crc;
  if (in->init)
    s->crc = CRC16_INIT;
  if (in->valid && in->bytes >= 1 && in->bytes <= 8)
    s->crc = loom_crc16_add(s->crc, in->data, (uint32_t)in->bytes);
}

void loom_crc16_probe(const struct loom_crc16 *s, struct loom_crc16_probe *p) {
  p->crc = s->crc;
  p->loom_end = 0;
}

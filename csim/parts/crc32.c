/* SPDX-License-Identifier: Apache-2.0 */
/* crc32.c - twin of rtl/parts/loom_crc32.v, written from docs/parts.md */
#include "parts/crc32.h"

#define CRC32_INIT 0xFFFFFFFFu

bool loom_crc32_cfg_ok(const struct loom_crc32_cfg *cfg) { return !loom_crc32_bad_param(cfg); }

void loom_crc32_init(struct loom_crc32 *s, const struct loom_crc32_cfg *cfg) {
  (void)cfg;
  s->crc = CRC32_INIT;
}

/* As loom_crc16_add (see there), with bits in transmission order, lowest first: so x is a shift to
 * the right. P = x^32 + x^26 + x^23 + x^22 + x^16 + x^12 + x^11 + x^10 + x^8 + x^7 + x^5 + x^4 +
 * x^2 + x + 1; the shifts of the first factor are 32 - e for each lower exponent e of P, doubled in
 * the next ones. */
uint32_t loom_crc32_add(uint32_t crc, uint64_t data, uint32_t bytes) {
  uint64_t q = (__builtin_bswap64(data) ^ crc) << (64 - 8 * bytes);
  q ^= q << 6 ^ q << 9 ^ q << 10 ^ q << 16 ^ q << 20 ^ q << 21 ^ q << 22 ^ q << 24 ^ q << 25 ^
       q << 27 ^ q << 28 ^ q << 30 ^ q << 31 ^ q << 32;
  q ^= q << 12 ^ q << 18 ^ q << 20 ^ q << 32 ^ q << 40 ^ q << 42 ^ q << 44 ^ q << 48 ^ q << 50 ^
       q << 54 ^ q << 56 ^ q << 60 ^ q << 62;
  q ^= q << 24 ^ q << 36 ^ q << 40;
  q ^= q << 48;
  uint64_t rest = q ^ q >> 1 ^ q >> 2 ^ q >> 4 ^ q >> 5 ^ q >> 7 ^ q >> 8 ^ q >> 10 ^ q >> 11 ^
                  q >> 12 ^ q >> 16 ^ q >> 22 ^ q >> 23 ^ q >> 26;
  uint32_t unreached = bytes < 4 ? crc >> 8 * bytes : 0;
  return (uint32_t)(rest >> 32) ^ unreached;
}

void loom_crc32_step(struct loom_crc32 *s, const struct loom_crc32_in *in,
                     struct loom_crc32_out *out) {
  out->crc = (uint32_t)~s->crc;
  if (in->init)
    s->crc = CRC32_INIT;
  if (in->valid && in->bytes >= 1 && in->bytes <= 8)
    s->crc = loom_crc32_add(s->crc, in->data, (uint32_t)in->bytes);
}

void loom_crc32_probe(const struct loom_crc32 *s, struct loom_crc32_probe *p) {
  p->crc = s->crc;
  p->loom_end = 0;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* crc32.h - twin of loom_crc32: CRC-32 of a byte stream, up to 8 bytes a clock (docs/parts.md;
 * E5-07; IEEE 802.3) */
#ifndef LOOM_PARTS_CRC32_H
#define LOOM_PARTS_CRC32_H

#define LOOM_DUT crc32
#define LOOM_DEF "parts/crc32.def"
#include <loom/def.h>

#include <stdbool.h>

struct loom_crc32 {
  uint32_t crc; /* before the final XOR */
};

bool loom_crc32_cfg_ok(const struct loom_crc32_cfg *cfg);
void loom_crc32_init(struct loom_crc32 *s, const struct loom_crc32_cfg *cfg);
void loom_crc32_step(struct loom_crc32 *s, const struct loom_crc32_in *in,
                     struct loom_crc32_out *out);
void loom_crc32_probe(const struct loom_crc32 *s, struct loom_crc32_probe *p);

/* the register crc (before the final XOR) after `bytes` = 1..8 more bytes, the first in bits 63:56
 * of data. */
uint32_t loom_crc32_add(uint32_t crc, uint64_t data, uint32_t bytes);

#endif

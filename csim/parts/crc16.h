/* SPDX-License-Identifier: Apache-2.0 */
/* crc16.h - twin of loom_crc16: CRC-16 of a byte stream, up to 8 bytes a clock (docs/parts.md;
 * E5-07) */
#ifndef LOOM_PARTS_CRC16_H
#define LOOM_PARTS_CRC16_H

#define LOOM_DUT crc16
#define LOOM_DEF "parts/crc16.def"
#include <loom/def.h>

#include <stdbool.h>

struct loom_crc16 {
  uint32_t crc;
};

bool loom_crc16_cfg_ok(const struct loom_crc16_cfg *cfg);
void loom_crc16_init(struct loom_crc16 *s, const struct loom_crc16_cfg *cfg);
void loom_crc16_step(struct loom_crc16 *s, const struct loom_crc16_in *in,
                     struct loom_crc16_out *out);
void loom_crc16_probe(const struct loom_crc16 *s, struct loom_crc16_probe *p);

/* crc (16 bits) after `bytes` = 1..8 more bytes, the first in bits 63:56 of data. */
uint32_t loom_crc16_add(uint32_t crc, uint64_t data, uint32_t bytes);

/* The slot, 0..63, of what goes from one LID to another in a group of ports that looks at part
 * `hash` of the CRC, 0..3 (docs/port_groups.md; TP-02). */
uint32_t loom_crc16_slot(uint32_t src, uint32_t dest, uint32_t hash);

#endif

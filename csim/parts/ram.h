/* SPDX-License-Identifier: Apache-2.0 */
/* ram.h - twin of loom_ram: one write port, one read port, synchronous read (docs/parts.md) */
#ifndef LOOM_PARTS_RAM_H
#define LOOM_PARTS_RAM_H

#define LOOM_DUT ram
#define LOOM_DEF "parts/ram.def"
#include <loom/def.h>

#include <stdbool.h>

struct loom_ram {
  uint32_t depth;
  uint64_t rdata; /* the word read last */
  uint64_t *word; /* storage: depth words */
};

bool loom_ram_cfg_ok(const struct loom_ram_cfg *cfg);
/* Bytes of storage that init needs, aligned to 8. */
size_t loom_ram_storage_size(const struct loom_ram_cfg *cfg);
/* Words and rdata are 0 here; the circuit leaves them undefined until written and read. */
void loom_ram_init(struct loom_ram *s, const struct loom_ram_cfg *cfg, void *storage);
/* An address beyond the depth is the caller's error: such a write is lost, such a read gives 0. */
void loom_ram_step(struct loom_ram *s, const struct loom_ram_in *in, struct loom_ram_out *out);
void loom_ram_probe(const struct loom_ram *s, struct loom_ram_probe *p);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* lfsr.h - twin of loom_lfsr: random numbers from a Galois LFSR of 32 bits (docs/parts.md; E5-20)
 */
#ifndef LOOM_PARTS_LFSR_H
#define LOOM_PARTS_LFSR_H

#define LOOM_DUT lfsr
#define LOOM_DEF "parts/lfsr.def"
#include <loom/def.h>

#include <stdbool.h>

struct loom_lfsr {
  uint32_t value; /* never 0 */
  uint32_t steps;
};

bool loom_lfsr_cfg_ok(const struct loom_lfsr_cfg *cfg);
void loom_lfsr_init(struct loom_lfsr *s, const struct loom_lfsr_cfg *cfg);
void loom_lfsr_step(struct loom_lfsr *s, const struct loom_lfsr_in *in, struct loom_lfsr_out *out);
void loom_lfsr_probe(const struct loom_lfsr *s, struct loom_lfsr_probe *p);

/* The value after `steps` = 0..32 shifts. */
uint32_t loom_lfsr_after(uint32_t value, uint32_t steps);

#endif

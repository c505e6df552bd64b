/* SPDX-License-Identifier: Apache-2.0 */
/* prbs31_gen.h - twin of loom_prbs31_gen: PRBS31, 64 bits a clock (docs/parts.md; E5-35) */
#ifndef LOOM_PARTS_PRBS31_GEN_H
#define LOOM_PARTS_PRBS31_GEN_H

#define LOOM_DUT prbs31_gen
#define LOOM_DEF "parts/prbs31_gen.def"
#include <loom/def.h>

#include <stdbool.h>

#define LOOM_PRBS31_MASK 0x7FFFFFFFu

struct loom_prbs31_gen {
  uint32_t state; /* the last 31 bits of the sequence, bit 0 the newest */
  bool valid;
  uint64_t data;
};

bool loom_prbs31_gen_cfg_ok(const struct loom_prbs31_gen_cfg *cfg);
void loom_prbs31_gen_init(struct loom_prbs31_gen *s, const struct loom_prbs31_gen_cfg *cfg);
void loom_prbs31_gen_step(struct loom_prbs31_gen *s, const struct loom_prbs31_gen_in *in,
                          struct loom_prbs31_gen_out *out);
void loom_prbs31_gen_probe(const struct loom_prbs31_gen *s, struct loom_prbs31_gen_probe *p);

/* The 64 bits that follow the 31 of state, bit 63 first in time; the new state is its low 31 bits.
 */
uint64_t loom_prbs31_word(uint32_t state);

#endif

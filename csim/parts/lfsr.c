/* SPDX-License-Identifier: Apache-2.0 */
/* lfsr.c - twin of rtl/parts/loom_lfsr.v, written from docs/parts.md */
#include "parts/lfsr.h"

#include <loom/bits.h>

bool loom_lfsr_cfg_ok(const struct loom_lfsr_cfg *cfg) { return !loom_lfsr_bad_param(cfg); }

void loom_lfsr_init(struct loom_lfsr *s, const struct loom_lfsr_cfg *cfg) {
  s->value = 1;
  s->steps = cfg->STEPS;
}

/* Bit k of `gone` is the bit that shift k drops. It sets bits 31, 21, 1 and 0 of the value, which
 * are dropped 32, 22, 2 and 1 shifts later: gone = value ^ gone << 1 ^ gone << 2 ^ gone << 22
 * (within 32 shifts). So gone = value * 1/(1 + a), a = x + x^2 + x^22, and over GF(2) 1/(1 + a) is
 * the product of the 1 + a^(2^i). Each dropped bit then adds its four bits, shifted with the rest.
 */
uint32_t loom_lfsr_after(uint32_t value, uint32_t steps) {
  uint64_t gone = value;
  gone ^= gone << 1 ^ gone << 2 ^ gone << 22;
  gone ^= gone << 2 ^ gone << 4;
  gone ^= gone << 4 ^ gone << 8;
  gone ^= gone << 8 ^ gone << 16;
  gone ^= gone << 16;
  gone &= loom_mask(steps);
  return (uint32_t)((value ^ gone << 1 ^ gone << 2 ^ gone << 22 ^ gone << 32) >> steps);
}

void loom_lfsr_step(struct loom_lfsr *s, const struct loom_lfsr_in *in, struct loom_lfsr_out *out) {
  out->value = s->value;
  if (in->load)
    s->value = in->seed ? (uint32_t)in->seed : 1;
  else if (in->enable)
    s->value = loom_lfsr_after(s->value, s->steps);
}

void loom_lfsr_probe(const struct loom_lfsr *s, struct loom_lfsr_probe *p) {
  p->value = s->value;
  p->loom_end = 0;
}

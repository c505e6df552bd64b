/* SPDX-License-Identifier: Apache-2.0 */
/* prbs31_gen.c - twin of rtl/parts/loom_prbs31_gen.v, written from docs/parts.md */
#include "parts/prbs31_gen.h"

#include <string.h>

bool loom_prbs31_gen_cfg_ok(const struct loom_prbs31_gen_cfg *cfg) {
  return !loom_prbs31_gen_bad_param(cfg);
}

void loom_prbs31_gen_init(struct loom_prbs31_gen *s, const struct loom_prbs31_gen_cfg *cfg) {
  (void)cfg;
  memset(s, 0, sizeof *s);
  s->state = LOOM_PRBS31_MASK;
}

/* b[n] = b[n-28] ^ b[n-31] looks back 28 bits at least, so 28 bits can be made at once. */
static uint64_t next_28(uint64_t state) { return (state ^ state >> 3) & 0xFFFFFFF; }

uint64_t loom_prbs31_word(uint32_t state) {
  uint64_t first = next_28(state);
  uint64_t second = next_28((uint64_t)state << 28 | first);
  uint64_t third = next_28(first << 28 | second);
  return first << 36 | second << 8 | third >> 20;
}

void loom_prbs31_gen_step(struct loom_prbs31_gen *s, const struct loom_prbs31_gen_in *in,
                          struct loom_prbs31_gen_out *out) {
  out->valid = s->valid;
  out->data = s->data;
  s->valid = in->enable && !in->load;
  s->data = 0;
  if (s->valid) {
    s->data = loom_prbs31_word(s->state);
    s->state = (uint32_t)s->data & LOOM_PRBS31_MASK;
  } else if (in->load) {
    s->state = in->seed ? (uint32_t)in->seed & LOOM_PRBS31_MASK : LOOM_PRBS31_MASK;
  }
}

void loom_prbs31_gen_probe(const struct loom_prbs31_gen *s, struct loom_prbs31_gen_probe *p) {
  p->state = s->state;
  p->loom_end = 0;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* delay.c - twin of rtl/parts/loom_delay.v, written from docs/parts.md */
#include "parts/delay.h"

#include <string.h>

bool loom_delay_cfg_ok(const struct loom_delay_cfg *cfg) { return !loom_delay_bad_param(cfg); }

size_t loom_delay_storage_size(const struct loom_delay_cfg *cfg) {
  return (size_t)cfg->DEPTH * sizeof(uint64_t);
}

void loom_delay_init(struct loom_delay *s, const struct loom_delay_cfg *cfg, void *storage) {
  memset(s, 0, sizeof *s);
  s->depth = cfg->DEPTH;
  s->word = storage;
  if (s->depth)
    memset(storage, 0, loom_delay_storage_size(cfg));
}

void loom_delay_step(struct loom_delay *s, const struct loom_delay_in *in,
                     struct loom_delay_out *out) {
  uint64_t data = in->valid ? in->data : 0;
  if (s->depth == 0) {
    out->valid = in->valid;
    out->data = data;
    return;
  }
  uint64_t *valid = &s->valid[s->at / 64], bit = 1ull << s->at % 64;
  out->valid = (*valid & bit) != 0;
  out->data = s->word[s->at];
  *valid = in->valid ? *valid | bit : *valid & ~bit;
  s->word[s->at] = data;
  s->at = s->at + 1 == s->depth ? 0 : s->at + 1;
}

void loom_delay_probe(const struct loom_delay *s, struct loom_delay_probe *p) {
  (void)s;
  p->loom_end = 0;
}

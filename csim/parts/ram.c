/* SPDX-License-Identifier: Apache-2.0 */
/* ram.c - twin of rtl/parts/loom_ram.v, written from docs/parts.md */
#include "parts/ram.h"

#include <string.h>

bool loom_ram_cfg_ok(const struct loom_ram_cfg *cfg) { return !loom_ram_bad_param(cfg); }

size_t loom_ram_storage_size(const struct loom_ram_cfg *cfg) {
  return (size_t)cfg->DEPTH * sizeof(uint64_t);
}

void loom_ram_init(struct loom_ram *s, const struct loom_ram_cfg *cfg, void *storage) {
  memset(s, 0, sizeof *s);
  s->depth = cfg->DEPTH;
  s->word = storage;
  memset(storage, 0, loom_ram_storage_size(cfg));
}

void loom_ram_step(struct loom_ram *s, const struct loom_ram_in *in, struct loom_ram_out *out) {
  out->rdata = s->rdata;
  if (in->re)
    s->rdata = in->raddr < s->depth ? s->word[in->raddr] : 0;
  if (in->we && in->waddr < s->depth)
    s->word[in->waddr] = in->wdata;
}

void loom_ram_probe(const struct loom_ram *s, struct loom_ram_probe *p) {
  (void)s;
  p->loom_end = 0;
}

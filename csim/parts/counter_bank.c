/* SPDX-License-Identifier: Apache-2.0 */
/* counter_bank.c - twin of rtl/parts/loom_counter_bank.v, written from docs/parts.md */
#include "parts/counter_bank.h"

#include <string.h>

bool loom_counter_bank_cfg_ok(const struct loom_counter_bank_cfg *cfg) {
  return !loom_counter_bank_bad_param(cfg);
}

void loom_counter_bank_init(struct loom_counter_bank *s, const struct loom_counter_bank_cfg *cfg) {
  memset(s, 0, sizeof *s);
  s->depth = cfg->DEPTH;
}

void loom_counter_bank_step(struct loom_counter_bank *s, const struct loom_counter_bank_in *in,
                            struct loom_counter_bank_out *out) {
  static const struct loom_counter none = {0, 0};
  out->read_packets = s->read.packets;
  out->read_flits = s->read.flits;
  s->read = in->read_index < s->depth ? s->counter[in->read_index] : none;
  loom_counter_bank_finish(s);
  s->index = 0;
  s->flits = 0;
  if (in->add && in->add_index < s->depth)
    loom_counter_bank_begin(s, (uint32_t)in->add_index, (uint32_t)in->add_flits);
}

void loom_counter_bank_probe(const struct loom_counter_bank *s, struct loom_counter_bank_probe *p) {
  (void)s;
  p->loom_end = 0;
}

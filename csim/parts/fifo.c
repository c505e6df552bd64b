/* SPDX-License-Identifier: Apache-2.0 */
/* fifo.c - twin of rtl/parts/loom_fifo.v, written from docs/parts.md */
#include "parts/fifo.h"

#include <string.h>

bool loom_fifo_cfg_ok(const struct loom_fifo_cfg *cfg) { return !loom_fifo_bad_param(cfg); }

size_t loom_fifo_storage_size(const struct loom_fifo_cfg *cfg) {
  return (size_t)cfg->DEPTH * sizeof(uint64_t);
}

void loom_fifo_init(struct loom_fifo *s, const struct loom_fifo_cfg *cfg, void *storage) {
  memset(s, 0, sizeof *s);
  s->depth = cfg->DEPTH;
  s->item = storage;
  memset(storage, 0, loom_fifo_storage_size(cfg));
}

void loom_fifo_edge(struct loom_fifo *s, bool push, uint64_t data, bool pop) {
  push = push && loom_fifo_ready(s);
  pop = pop && loom_fifo_valid(s);
  if (push) {
    uint32_t tail = s->rptr + s->count;
    s->item[tail >= s->depth ? tail - s->depth : tail] = data;
  }
  if (pop)
    s->rptr = s->rptr + 1 == s->depth ? 0 : s->rptr + 1;
  s->count += (uint32_t)push - (uint32_t)pop;
}

void loom_fifo_step(struct loom_fifo *s, const struct loom_fifo_in *in, struct loom_fifo_out *out) {
  out->valid = loom_fifo_valid(s);
  out->data = loom_fifo_data(s);
  out->ready = loom_fifo_ready(s);
  out->count = s->count;
  loom_fifo_edge(s, in->push, in->data, in->pop);
}

void loom_fifo_probe(const struct loom_fifo *s, struct loom_fifo_probe *p) {
  p->count = s->count;
  p->loom_end = 0;
}

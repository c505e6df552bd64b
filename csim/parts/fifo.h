/* SPDX-License-Identifier: Apache-2.0 */
/* fifo.h - twin of loom_fifo: first-in first-out queue with the head in view (docs/parts.md)
 *
 * Registers in another form than in the circuit:
 *   wptr: rptr + count, modulo depth
 *   bypass, bypass_data: none: the ring answers at once
 */
#ifndef LOOM_PARTS_FIFO_H
#define LOOM_PARTS_FIFO_H

#define LOOM_DUT fifo
#define LOOM_DEF "parts/fifo.def"
#include <loom/def.h>

#include <loom/bits.h>
#include <stdbool.h>

struct loom_fifo {
  uint32_t depth;
  uint32_t count; /* items inside */
  uint32_t rptr;  /* place of the head */
  uint64_t *item; /* storage: depth items, a ring */
};

bool loom_fifo_cfg_ok(const struct loom_fifo_cfg *cfg);
/* Bytes of storage that init needs, aligned to 8. */
size_t loom_fifo_storage_size(const struct loom_fifo_cfg *cfg);
void loom_fifo_init(struct loom_fifo *s, const struct loom_fifo_cfg *cfg, void *storage);
void loom_fifo_step(struct loom_fifo *s, const struct loom_fifo_in *in, struct loom_fifo_out *out);
void loom_fifo_probe(const struct loom_fifo *s, struct loom_fifo_probe *p);

static inline bool loom_fifo_valid(const struct loom_fifo *s) { return s->count != 0; }

static inline bool loom_fifo_ready(const struct loom_fifo *s) { return s->count < s->depth; }

/* The head, 0 when the queue is empty. */
static inline uint64_t loom_fifo_data(const struct loom_fifo *s) {
  return s->count ? s->item[s->rptr] : 0;
}

/* The edge alone. Pushes into a full queue and pops from an empty one are ignored. */
void loom_fifo_edge(struct loom_fifo *s, bool push, uint64_t data, bool pop);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* delay.h - twin of loom_delay: a word on its way for a fixed number of cycles (docs/parts.md)
 *
 * Registers in another form than in the circuit:
 *   place: at
 *   valid, data, first_valid, first_data: valid and word of the ring, whatever the depth
 *   full, live: none: the ring is all 0 after reset
 */
#ifndef LOOM_PARTS_DELAY_H
#define LOOM_PARTS_DELAY_H

#define LOOM_DUT delay
#define LOOM_DEF "parts/delay.def"
#include <loom/def.h>

#include <loom/bits.h>
#include <stdbool.h>

struct loom_delay {
  uint32_t depth;
  uint32_t at;       /* slot of the ring that comes out next */
  uint64_t valid[4]; /* a bit a slot */
  uint64_t *word;    /* storage: depth slots, a ring; 0 where not valid */
};

bool loom_delay_cfg_ok(const struct loom_delay_cfg *cfg);
/* Bytes of storage that init needs, aligned to 8. */
size_t loom_delay_storage_size(const struct loom_delay_cfg *cfg);
void loom_delay_init(struct loom_delay *s, const struct loom_delay_cfg *cfg, void *storage);
void loom_delay_step(struct loom_delay *s, const struct loom_delay_in *in,
                     struct loom_delay_out *out);
/* What a step would give, if DEPTH > 0. */
static inline struct loom_delay_out loom_delay_next(const struct loom_delay *s) {
  return (struct loom_delay_out){.valid = s->valid[s->at / 64] >> s->at % 64 & 1,
                                 .data = s->word[s->at]};
}
void loom_delay_probe(const struct loom_delay *s, struct loom_delay_probe *p);

#endif

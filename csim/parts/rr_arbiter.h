/* SPDX-License-Identifier: Apache-2.0 */
/* rr_arbiter.h - twin of loom_rr_arbiter: round robin among up to 64 requests (docs/parts.md;
 * OP-11, E5-11, SC-01)
 *
 * Registers in another form than in the circuit:
 *   last, after: p; the circuit keeps the last grant, p - 1, as one bit, and the groups after it
 *     as a row of ones
 */
#ifndef LOOM_PARTS_RR_ARBITER_H
#define LOOM_PARTS_RR_ARBITER_H

#define LOOM_DUT rr_arbiter
#define LOOM_DEF "parts/rr_arbiter.def"
#include <loom/def.h>

#include <loom/bits.h>
#include <stdbool.h>

struct loom_rr_arbiter {
  uint32_t n; /* requests */
  uint32_t p; /* who comes first, 0..n-1 */
};

bool loom_rr_arbiter_cfg_ok(const struct loom_rr_arbiter_cfg *cfg);
void loom_rr_arbiter_init(struct loom_rr_arbiter *s, const struct loom_rr_arbiter_cfg *cfg);
void loom_rr_arbiter_step(struct loom_rr_arbiter *s, const struct loom_rr_arbiter_in *in,
                          struct loom_rr_arbiter_out *out);
void loom_rr_arbiter_probe(const struct loom_rr_arbiter *s, struct loom_rr_arbiter_probe *p);

/* Place of the request that is granted; request must not be 0. */
static inline uint32_t loom_rr_arbiter_pick(const struct loom_rr_arbiter *s, uint64_t request) {
  return loom_ctz_from(request, s->p);
}

/* The edge of a cycle in which `place` was granted and the grant was taken. */
static inline void loom_rr_arbiter_advance(struct loom_rr_arbiter *s, uint32_t place) {
  s->p = place + 1 == s->n ? 0 : place + 1;
}

#endif

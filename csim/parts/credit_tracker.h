/* SPDX-License-Identifier: Apache-2.0 */
/* credit_tracker.h - twin of loom_credit_tracker: units in use of each VL in a shared buffer
 * (docs/parts.md; OP-06) */
#ifndef LOOM_PARTS_CREDIT_TRACKER_H
#define LOOM_PARTS_CREDIT_TRACKER_H

#define LOOM_DUT credit_tracker
#define LOOM_DEF "parts/credit_tracker.def"
#include <loom/def.h>

#include <loom/bits.h>
#include <stdbool.h>

#include <loom/limits.h>

/* Addresses of cfg. */
#define LOOM_NAMES "parts/credit_tracker.regs"
#include <loom/names.h>

/* What is kept for a VL: one place in memory for all that a unit's return looks at. */
struct loom_credit_lane {
  uint16_t used, reserved, cap;
};

/* All counts in units. What a unit's return looks at comes first. */
struct loom_credit_tracker {
  uint32_t used_mask; /* VLs with units in use */
  uint32_t pool_free; /* what is left of the shared pool; 0 unless config_ok */
  uint32_t pool_used;
  bool config_ok; /* reserved_sum <= total <= max_units */
  bool error;     /* the output register */
  struct loom_credit_lane lane[LOOM_VLS];
  uint32_t total;
  uint32_t reserved_sum;
  uint32_t vls;
  uint32_t max_units;
  uint32_t count_mask; /* COUNT_W ones */
};

bool loom_credit_tracker_cfg_ok(const struct loom_credit_tracker_cfg *cfg);
void loom_credit_tracker_init(struct loom_credit_tracker *s,
                              const struct loom_credit_tracker_cfg *cfg);
void loom_credit_tracker_step(struct loom_credit_tracker *s,
                              const struct loom_credit_tracker_in *in,
                              struct loom_credit_tracker_out *out);
void loom_credit_tracker_probe(const struct loom_credit_tracker *s,
                               struct loom_credit_tracker_probe *p);

/* The largest packet that VL vl could take now (OP-06); vl < VLS. */
static inline uint32_t loom_credit_tracker_avail(const struct loom_credit_tracker *s, uint32_t vl) {
  if (!s->config_ok)
    return 0;
  const struct loom_credit_lane *l = &s->lane[vl];
  uint32_t used = l->used;
  uint32_t room = l->cap > used ? l->cap - used : 0;
  uint32_t own = l->reserved > used ? l->reserved - used : 0;
  return loom_min(room, own + s->pool_free);
}

/* One cycle without the wide outputs: gives consume_ok_o of the cycle, then does its edge.
 * Costs two tests when nothing is asked. */
bool loom_credit_tracker_cycle(struct loom_credit_tracker *s,
                               const struct loom_credit_tracker_in *in);

/* The two halves of a cycle without a configuration write, for devices that do each when it comes
 * up. Where both fall into one cycle, consume goes first: it looks at the state before the edge. */

/* True if the size is granted; vl < VLS. */
bool loom_credit_tracker_consume(struct loom_credit_tracker *s, uint32_t vl, uint32_t size);
/* One unit comes back of a VL that has one in use. */
static inline void loom_credit_tracker_give_back(struct loom_credit_tracker *s, uint32_t vl) {
  uint32_t used = s->lane[vl].used;
  if (used > s->lane[vl].reserved) {
    s->pool_used--;
    s->pool_free += s->config_ok;
  }
  s->lane[vl].used = (uint16_t)(used - 1);
  if (used == 1)
    s->used_mask &= ~(1u << vl);
}

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* preempt_class.h - a switch whose links preempt, as a device of a fabric (docs/preemption.md,
 * OP-21): a crossbar_switch for each class, and a link_preempt for each port */
#ifndef LOOM_FABRIC_PREEMPT_CLASS_H
#define LOOM_FABRIC_PREEMPT_CLASS_H

#include "fabric/crossbar_class.h"

enum {
  LOOM_PREEMPT_CYCLES = 2, /* what the links add to the latency of a packet alone */
  LOOM_PREEMPT_DEPTH_MAX = 4096,
  LOOM_PREEMPT_SHORT = 64, /* flits of short packets that were granted before the one that waits */
};

/* DEPTH of a link_preempt whose hold_o is looked at, for packets of so many units. */
static inline uint32_t loom_preempt_depth(uint32_t units) {
  return units * LOOM_UNIT_FLITS + LOOM_PREEMPT_SHORT;
}

extern const struct loom_fabric_class loom_preempt_class;

struct loom_preempt_device; /* begins with the twin of the normal class */

/* In the memory of a fabric; `express`: the VLs that preempt, as bits. Both switches have these
 * parameters and all that is written. NULL: parameters that are not legal, or no memory. */
struct loom_preempt_device *loom_preempt_new(struct loom_fabric *f,
                                             const struct loom_crossbar_switch_cfg *cfg,
                                             uint32_t express);
/* Express packets that went inside a normal one, at all outputs; the most flits that ever waited
 * at one; and what its links have found wrong, which is nothing. */
uint64_t loom_preempt_interrupts(const struct loom_preempt_device *d);
uint32_t loom_preempt_most_waiting(const struct loom_preempt_device *d);
uint64_t loom_preempt_errors(const struct loom_preempt_device *d);

#endif

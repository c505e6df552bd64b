/* SPDX-License-Identifier: Apache-2.0 */
/* link_preempt.h - twin of loom_link_preempt: one end of a link on which packets of express VLs
 * preempt those of normal ones (docs/preemption.md; OP-21) */
#ifndef LOOM_SWITCH_LINK_PREEMPT_H
#define LOOM_SWITCH_LINK_PREEMPT_H

#define LOOM_DUT link_preempt
#define LOOM_DEF "switch/link_preempt.def"
#include <loom/def.h>

#include "parts/fifo.h"

/* A flit on a link; all 0 without one. */
struct loom_link_preempt_flit {
  bool valid, head, tail;
  uint8_t vl;
  uint64_t data;
};

/* A credit; all 0 without one. */
struct loom_link_preempt_credit {
  bool valid;
  uint8_t vl;
};

struct loom_link_preempt {
  /* Normal flits that wait, in two queues that move together: data, and what goes with it. */
  struct loom_fifo data, mark;
  struct loom_fifo waiting; /* VLs of normal credits */
  bool open, inside;        /* an express packet and a normal one that were sent are not over */
  bool normal_comes, express_comes; /* the same of those that came */
  bool preempts, error;
  struct loom_link_preempt_flit out, to_normal, to_express;
  struct loom_link_preempt_credit in_cr, normal_cr, express_cr;
};

/* The parameters are legal together. */
bool loom_link_preempt_cfg_ok(const struct loom_link_preempt_cfg *cfg);
/* Bytes of storage that init needs, aligned to 8. */
size_t loom_link_preempt_storage_size(const struct loom_link_preempt_cfg *cfg);
void loom_link_preempt_init(struct loom_link_preempt *s, const struct loom_link_preempt_cfg *cfg,
                            void *storage);
void loom_link_preempt_step(struct loom_link_preempt *s, const struct loom_link_preempt_in *in,
                            struct loom_link_preempt_out *out);
void loom_link_preempt_probe(const struct loom_link_preempt *s, struct loom_link_preempt_probe *p);

#endif

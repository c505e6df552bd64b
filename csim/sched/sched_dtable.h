/* SPDX-License-Identifier: Apache-2.0 */
/* sched_dtable.h - twin of loom_sched_dtable: deficit table (docs/sched.md; DT-01..04, DT-11)
 *
 * Registers in another form than in the circuit:
 *   entry_key, entry_weight: table.key, table.weight
 *   live: table.of_key, the other way round
 *   keep_vl, keep_size: none: the VL is chosen in DECIDE
 */
#ifndef LOOM_SCHED_SCHED_DTABLE_H
#define LOOM_SCHED_SCHED_DTABLE_H

#define LOOM_DUT sched_dtable
#define LOOM_DEF "sched/sched_dtable.def"
#include <loom/def.h>

#include "sched/sched_front.h"
#include "sched/sched_table.h"

#define LOOM_NAMES "sched/sched_dtable.regs"
#include <loom/names.h>

/* Weights, sizes and counters in units of 64 bytes. */
struct loom_sched_dtable {
  struct loom_sched_front front;
  struct loom_sched_table table;
  uint32_t most; /* where counters saturate: 255 under IB_WEIGHTS, else nothing reaches it */
  uint32_t acc;  /* what the current selection may still send */
  bool cur_valid;
  uint32_t cur; /* key of the current selection */
  uint32_t ptr; /* entry of the last selection */
  uint16_t deficit[LOOM_KEYS];
  struct loom_sched_next next; /* latched by SEARCH */
};

/* The parameters are legal together. */
bool loom_sched_dtable_cfg_ok(const struct loom_sched_dtable_cfg *cfg);
void loom_sched_dtable_init(struct loom_sched_dtable *s, const struct loom_sched_dtable_cfg *cfg);
void loom_sched_dtable_step(struct loom_sched_dtable *s, const struct loom_sched_dtable_in *in,
                            struct loom_sched_dtable_out *out);
void loom_sched_dtable_probe(const struct loom_sched_dtable *s, struct loom_sched_dtable_probe *p);

extern const struct loom_sched_policy loom_sched_dtable_policy;

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* alloc_model.h - pipelined_alloc as docs/allocation.md writes it, register by register and port by
 * port in every cycle: what the sets of the twin and what it keeps as a distance must equal */
#ifndef LOOM_TB_UNIT_SWITCH_ALLOC_MODEL_H
#define LOOM_TB_UNIT_SWITCH_ALLOC_MODEL_H

#include "switch/pipelined_alloc.h"

struct alloc_model_stage {
  bool valid, turn, good;
  uint32_t lane, target, vl;
  uint64_t info;
};

struct alloc_model_source {
  bool wait[LOOM_VLS], present[LOOM_VLS];
  bool known, mine, insist, ready, rest;
  uint32_t next, turn, turn_target, turn_vl;
  struct alloc_model_stage pick, look, ask, done;
  struct loom_alloc_record record[LOOM_VLS];
};

struct alloc_model_target {
  bool booked, rest[2], ready, hold, hold_room;
  uint32_t booked_source, was, position, due, count, hold_vl;
};

struct alloc_model {
  struct loom_pipelined_alloc_cfg cfg;
  struct alloc_model_source source[LOOM_ALLOC_PORTS];
  struct alloc_model_target target[LOOM_ALLOC_PORTS];
};

void alloc_model_init(struct alloc_model *m, const struct loom_pipelined_alloc_cfg *cfg);
void alloc_model_step(struct alloc_model *m, const struct loom_pipelined_alloc_in *in,
                      struct loom_pipelined_alloc_out *out);
void alloc_model_probe(const struct alloc_model *m, struct loom_pipelined_alloc_probe *p);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* alloc_model.h - an allocation as docs/allocation.md writes it, register by register and port by
 * port in every cycle: what the sets of the twins and what they keep as a distance must equal
 *
 * Who knows whom, and by which number, is a list. An array has one field a port, as those of
 * mport_alloc have.
 */
#ifndef LOOM_TB_UNIT_SWITCH_ALLOC_MODEL_H
#define LOOM_TB_UNIT_SWITCH_ALLOC_MODEL_H

#include "switch/mport_alloc.h"
#include "switch/pipelined_alloc.h"

enum { ALLOC_MODEL_NOBODY = 0xFF };

struct alloc_model_stage {
  bool valid, turn, good;
  uint32_t lane, target, vl;
  uint64_t info;
};

struct alloc_model_source {
  bool present[LOOM_VLS];
  bool known, mine, insist, ready, rest;
  uint32_t lanes;
  uint32_t next, turn, turn_target, turn_vl;
  struct alloc_model_stage pick, look, ask, done;
  struct loom_alloc_record record[LOOM_VLS];
  uint8_t to[LOOM_ALLOC_PORTS]; /* its targets by their numbers */
  uint8_t as[LOOM_ALLOC_PORTS]; /* the number that such a target has for it */
};

struct alloc_model_target {
  bool booked, rest[2], ready, hold, hold_room;
  uint32_t booked_source, was, position, due, count, hold_vl;
  uint32_t sources;               /* that it has */
  uint8_t from[LOOM_ALLOC_PORTS]; /* these by their numbers; NOBODY: there is none */
};

struct alloc_model {
  uint32_t ends, patience; /* sources, which are as many as targets */
  struct alloc_model_source source[LOOM_MPORT_ENDS];
  struct alloc_model_target target[LOOM_MPORT_ENDS];
};

/* That of pipelined_alloc, and that of mport_alloc. */
void alloc_model_init(struct alloc_model *m, const struct loom_pipelined_alloc_cfg *cfg);
void alloc_model_init_mport(struct alloc_model *m, const struct loom_mport_alloc_cfg *cfg);
/* A cycle of either. */
void alloc_model_step(struct alloc_model *m, const struct loom_pipelined_alloc_in *in,
                      struct loom_pipelined_alloc_out *out);
void alloc_model_step_mport(struct alloc_model *m, const struct loom_mport_alloc_in *in,
                            struct loom_mport_alloc_out *out);
void alloc_model_probe(const struct alloc_model *m, struct loom_pipelined_alloc_probe *p);
void alloc_model_probe_mport(const struct alloc_model *m, struct loom_mport_alloc_probe *p);

#endif

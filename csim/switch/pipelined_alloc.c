/* SPDX-License-Identifier: Apache-2.0 */
/* pipelined_alloc.c - twin of rtl/switch/loom_pipelined_alloc.v, written from docs/allocation.md
 *
 * The allocation in which every source knows every target, by its place. */
#include "switch/pipelined_alloc.h"

#include <loom/bits.h>
#include <string.h>

/* ---- what the edge asks for ------------------------------------------------------------------ */

#define ALLOC_BANKS 1
typedef struct loom_pipelined_alloc alloc;
typedef struct loom_pipelined_alloc_in alloc_in;

static inline struct loom_alloc_end target_of(uint32_t bank, uint32_t source, uint32_t number) {
  return (struct loom_alloc_end){.bank = bank, .place = number, .name = source};
}

static inline struct loom_alloc_end source_of(uint32_t bank, uint32_t target, uint32_t number) {
  (void)target;
  return (struct loom_alloc_end){.bank = bank, .place = number};
}

static inline bool knows_target(const alloc *s, const alloc_in *in, uint32_t bank,
                                uint32_t source) {
  (void)bank;
  return in->head_target[source] < s->ports;
}

static inline uint64_t head_events(const alloc_in *in, uint32_t bank) {
  (void)bank;
  return in->head_event;
}

static inline uint64_t source_ready(const alloc_in *in, uint32_t bank) {
  (void)bank;
  return in->source_ready;
}

static inline uint64_t target_ready(const alloc_in *in, uint32_t bank) {
  (void)bank;
  return in->target_ready;
}

static inline uint64_t head_lane(const alloc_in *in, uint32_t source) {
  return in->head_lane[source];
}

static inline struct loom_alloc_record head_record(const alloc_in *in, uint32_t source) {
  return (struct loom_alloc_record){in->head_info[source], (uint8_t)in->head_target[source],
                                    (uint8_t)in->head_vl[source]};
}

static inline uint64_t room_of(const alloc_in *in, uint32_t index) { return in->room[index]; }

#include "switch/allocation_edge.h"

/* ---- init ------------------------------------------------------------------------------------ */

bool loom_pipelined_alloc_cfg_ok(const struct loom_pipelined_alloc_cfg *cfg) {
  return !loom_pipelined_alloc_bad_param(cfg);
}

void loom_pipelined_alloc_init(struct loom_pipelined_alloc *s,
                               const struct loom_pipelined_alloc_cfg *cfg) {
  memset(s, 0, sizeof *s);
  s->ports = cfg->PORTS;
  s->sources[0].lanes = cfg->LANES;
  s->patience = cfg->PATIENCE;
  init_targets(s, 0, s->ports, s->ports);
}

/* ---- one cycle ------------------------------------------------------------------------------- */

void loom_pipelined_alloc_show(const struct loom_pipelined_alloc *s,
                               struct loom_pipelined_alloc_out *out) {
  memset(out, 0, sizeof *out);
  out->take = s->sources->took;
  out->book = s->targets->booked;
  for (uint64_t left = s->targets->booked; left; left &= left - 1) {
    uint32_t target = loom_ctz(left), source = s->target[target].booked_source;
    const struct loom_alloc_record *r = loom_pipelined_alloc_record(s, source, LOOM_ALLOC_DONE);
    out->take_lane[source] = loom_pipelined_alloc_lane(s, source, LOOM_ALLOC_DONE);
    out->take_target[source] = target;
    out->book_source[target] = source;
    out->book_vl[target] = r->vl;
    out->book_info[target] = r->info;
  }
}

void loom_pipelined_alloc_edge(struct loom_pipelined_alloc *s,
                               const struct loom_pipelined_alloc_in *in) {
  edge(s, in);
}

bool loom_pipelined_alloc_rests(const struct loom_pipelined_alloc *s,
                                const struct loom_pipelined_alloc_in *in) {
  return bank_rests(s, in, 0);
}

void loom_pipelined_alloc_skip(struct loom_pipelined_alloc *s, uint64_t cycles) { skip(s, cycles); }

void loom_pipelined_alloc_step(struct loom_pipelined_alloc *s,
                               const struct loom_pipelined_alloc_in *in,
                               struct loom_pipelined_alloc_out *out) {
  loom_pipelined_alloc_show(s, out);
  loom_pipelined_alloc_edge(s, in);
}

void loom_pipelined_alloc_probe(const struct loom_pipelined_alloc *s,
                                struct loom_pipelined_alloc_probe *p) {
  p->hold = s->targets->hold;
  p->known = s->sources->known;
  p->loom_end = 0;
}

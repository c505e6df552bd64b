/* SPDX-License-Identifier: Apache-2.0 */
/* mport_alloc.c - twin of rtl/switch/loom_mport_alloc.v, written from docs/mport_switch.md and
 * docs/allocation.md
 *
 * The allocation in which an input knows the outputs and the central units of its MPort, and a
 * central unit all outputs. */
#include "switch/mport_alloc.h"

#include <loom/bits.h>
#include <string.h>

enum { MPORT_PORTS = 4, MPORT_CENTRALS = 2 };
enum { OUTER = LOOM_MPORT_OUTER, CENTRAL = LOOM_MPORT_CENTRAL };

/* ---- what the edge asks for ------------------------------------------------------------------ */

#define ALLOC_BANKS LOOM_MPORT_BANKS
typedef struct loom_mport_alloc alloc;
typedef struct loom_mport_alloc_cycle alloc_in;

/* Who is the target of whom stands in the first table of the page, and who the source of whom in
 * the second one. */
static inline struct loom_alloc_end target_of(uint32_t bank, uint32_t source, uint32_t number) {
  uint32_t mport = source / MPORT_PORTS, in_mport = source % MPORT_PORTS;
  if (bank == CENTRAL)
    return (struct loom_alloc_end){OUTER, number, MPORT_PORTS + source};
  if (number < MPORT_PORTS)
    return (struct loom_alloc_end){OUTER, MPORT_PORTS * mport + number, in_mport};
  return (struct loom_alloc_end){CENTRAL, MPORT_CENTRALS * mport + number - MPORT_PORTS, in_mport};
}

static inline struct loom_alloc_end source_of(uint32_t bank, uint32_t target, uint32_t number) {
  if (number >= MPORT_PORTS)
    return (struct loom_alloc_end){CENTRAL, number - MPORT_PORTS, 0};
  uint32_t mport = target / (bank == OUTER ? MPORT_PORTS : MPORT_CENTRALS);
  return (struct loom_alloc_end){OUTER, MPORT_PORTS * mport + number, 0};
}

static inline bool knows_target(const alloc *s, const alloc_in *in, uint32_t bank,
                                uint32_t source) {
  uint32_t number = in->head[loom_mport_alloc_index(bank, source)].record.target;
  if (bank == OUTER)
    return number < MPORT_PORTS + MPORT_CENTRALS;
  return number < MPORT_PORTS * s->mports && number / MPORT_PORTS != source / MPORT_CENTRALS;
}

static inline uint64_t head_events(const alloc_in *in, uint32_t bank) {
  return in->head_event[bank];
}

static inline uint64_t source_ready(const alloc_in *in, uint32_t bank) {
  return in->source_ready[bank];
}

static inline uint64_t target_ready(const alloc_in *in, uint32_t bank) {
  return in->target_ready[bank];
}

static inline uint64_t head_lane(const alloc_in *in, uint32_t index) {
  return in->head[index].lane;
}

static inline struct loom_alloc_record head_record(const alloc_in *in, uint32_t index) {
  return in->head[index].record;
}

static inline uint64_t room_of(const alloc_in *in, uint32_t index) { return in->room[index]; }

#include "switch/allocation_edge.h"

/* ---- init ------------------------------------------------------------------------------------ */

bool loom_mport_alloc_cfg_ok(const struct loom_mport_alloc_cfg *cfg) {
  return !loom_mport_alloc_bad_param(cfg) && cfg->QUEUES * cfg->LANES <= LOOM_VLS;
}

void loom_mport_alloc_init(struct loom_mport_alloc *s, const struct loom_mport_alloc_cfg *cfg) {
  uint32_t centrals = MPORT_CENTRALS * cfg->MPORTS;
  memset(s, 0, sizeof *s);
  s->mports = cfg->MPORTS;
  s->sources[OUTER].lanes = cfg->LANES;
  s->sources[CENTRAL].lanes = cfg->QUEUES * cfg->LANES;
  s->patience = cfg->PATIENCE;
  init_targets(s, OUTER, MPORT_PORTS * cfg->MPORTS, MPORT_PORTS + centrals);
  init_targets(s, CENTRAL, centrals, MPORT_PORTS);
}

/* ---- one cycle ------------------------------------------------------------------------------- */

void loom_mport_alloc_edge(struct loom_mport_alloc *s, const struct loom_mport_alloc_cycle *in) {
  edge(s, in);
}

struct loom_alloc_end loom_mport_alloc_target(uint32_t bank, uint32_t source, uint32_t number) {
  return target_of(bank, source, number);
}

struct loom_alloc_end loom_mport_alloc_source(uint32_t bank, uint32_t target, uint32_t number) {
  return source_of(bank, target, number);
}

bool loom_mport_alloc_rests(const struct loom_mport_alloc *s,
                            const struct loom_mport_alloc_cycle *in) {
  return bank_rests(s, in, OUTER) && bank_rests(s, in, CENTRAL);
}

void loom_mport_alloc_skip(struct loom_mport_alloc *s, uint64_t cycles) { skip(s, cycles); }

/* ---- with the ports of the list -------------------------------------------------------------- */

/* Where a bank begins in the ports of the list, and how many it has. */
static uint32_t port_of(const struct loom_mport_alloc *s, uint32_t bank) {
  return bank * MPORT_PORTS * s->mports;
}

static uint32_t ends_of(const struct loom_mport_alloc *s, uint32_t bank) {
  return (bank == OUTER ? MPORT_PORTS : MPORT_CENTRALS) * s->mports;
}

static void show_target(const struct loom_mport_alloc *s, uint32_t bank, uint32_t place,
                        struct loom_mport_alloc_out *out) {
  uint32_t number = s->target[index_of(bank, place)].booked_source;
  struct loom_alloc_end source = source_of(bank, place, number);
  uint32_t index = index_of(source.bank, source.place);
  const struct loom_alloc_record *r = loom_mport_alloc_record(s, index, LOOM_ALLOC_DONE);
  uint32_t from = port_of(s, source.bank) + source.place, to = port_of(s, bank) + place;
  out->take[from] = 1;
  out->take_lane[from] = loom_mport_alloc_lane(s, index, LOOM_ALLOC_DONE);
  out->take_target[from] = r->target;
  out->book[to] = 1;
  out->book_source[to] = number;
  out->book_vl[to] = r->vl;
  out->book_info[to] = r->info;
}

void loom_mport_alloc_show(const struct loom_mport_alloc *s, struct loom_mport_alloc_out *out) {
  memset(out, 0, sizeof *out);
  for (uint32_t bank = 0; bank < LOOM_MPORT_BANKS; bank++)
    for (uint64_t left = s->targets[bank].booked; left; left &= left - 1)
      show_target(s, bank, loom_ctz(left), out);
}

static void fill(const struct loom_mport_alloc *s, uint32_t bank,
                 const struct loom_mport_alloc_in *in, struct loom_mport_alloc_cycle *c) {
  for (uint32_t place = 0; place < ends_of(s, bank); place++) {
    uint32_t port = port_of(s, bank) + place, index = index_of(bank, place);
    c->head_event[bank] |= in->head_event[port] << place;
    c->source_ready[bank] |= in->source_ready[port] << place;
    c->target_ready[bank] |= in->target_ready[port] << place;
    c->room[index] = (uint32_t)in->room[port];
    if (in->head_event[port])
      c->head[index] = (struct loom_mport_alloc_head){
          (uint8_t)in->head_lane[port],
          {in->head_info[port], (uint8_t)in->head_target[port], (uint8_t)in->head_vl[port]}};
  }
}

void loom_mport_alloc_step(struct loom_mport_alloc *s, const struct loom_mport_alloc_in *in,
                           struct loom_mport_alloc_out *out) {
  struct loom_mport_alloc_cycle cycle = {.head_event = {0}};
  loom_mport_alloc_show(s, out);
  fill(s, OUTER, in, &cycle);
  fill(s, CENTRAL, in, &cycle);
  loom_mport_alloc_edge(s, &cycle);
}

void loom_mport_alloc_probe(const struct loom_mport_alloc *s, struct loom_mport_alloc_probe *p) {
  p->hold = s->targets[OUTER].hold;
  p->central_hold = s->targets[CENTRAL].hold;
  p->known = s->sources[OUTER].known;
  p->central_known = s->sources[CENTRAL].known;
  p->loom_end = 0;
}

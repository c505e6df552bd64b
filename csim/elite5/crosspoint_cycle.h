/* SPDX-License-Identifier: Apache-2.0 */
/* crosspoint_cycle.h - the units of the twin of the Elite5 router, second edition, and what they
 * share in a cycle (docs/crosspoint_router.md)
 *
 * Inside: crosspoint_router.
 *
 * Units run in the order of this file, so that each looks at what it needs of the others before
 * they change it; what they would change too early is kept in `struct loom_crosspoint_cycle`. */
#ifndef LOOM_ELITE5_CROSSPOINT_CYCLE_H
#define LOOM_ELITE5_CROSSPOINT_CYCLE_H

#include "elite5/crosspoint_state.h"

/* A request that is fresh (F). */
struct loom_crosspoint_fresh {
  bool valid, is_new, once, small, pool;
  uint8_t v, prio, ovc, target;
};

struct loom_crosspoint_cycle {
  const struct loom_elite5_lanes *lanes;
  uint32_t phase;
  loom_links pulsing; /* links with a pulse */
  uint32_t pulse[LOOM_ELITE5_LINKS];
  loom_links writing;                                    /* inputs that write to their store */
  struct loom_segment_store_in store[LOOM_ELITE5_LINKS]; /* what they write and take */
  /* Grant. */
  loom_links shown;                                    /* inputs whose request is */
  loom_links granting, free, near;                     /* outputs; near: of the next cycle */
  struct loom_crosspoint_lock lock[LOOM_ELITE5_LINKS]; /* of an output that grants */
  loom_links granted[LOOM_ELITE5_LINKS];               /* to an input that is shown */
  /* Far and reply. */
  loom_links newvc, group_new; /* of the next cycle */
  uint8_t next_vc[LOOM_ELITE5_LINKS];
  loom_links freed; /* outputs of which a VC gets free */
  /* Link. */
  loom_links moved, drawing;
  uint8_t next_state[LOOM_ELITE5_LINKS]; /* of a link that changes its state */
  /* Traps. */
  loom_links trapping, link_trapping; /* by a decision, by a link state */
  uint64_t trap[LOOM_ELITE5_LINKS], link_trap[LOOM_ELITE5_LINKS];
  bool pop_trap;
};

/* ---- units ----------------------------------------------------------------------------------- */

/* crosspoint_bus.c: what reads show. */
void loom_crosspoint_read_bus(struct loom_crosspoint_router *s, struct loom_crosspoint_cycle *c);

/* crosspoint_output.c: words that cross and leave; VCs that there will be; grants. */
void loom_crosspoint_cross(struct loom_crosspoint_router *s, struct loom_crosspoint_cycle *c);
void loom_crosspoint_look_far(const struct loom_crosspoint_router *s,
                              struct loom_crosspoint_cycle *c);
void loom_crosspoint_grant(struct loom_crosspoint_router *s, struct loom_crosspoint_cycle *c);

/* crosspoint_link.c */
void loom_crosspoint_negotiate(struct loom_crosspoint_router *s, struct loom_crosspoint_cycle *c);

/* crosspoint_bsel.c: but for the answer, which the inputs must not see yet. */
void loom_crosspoint_select(struct loom_crosspoint_router *s);

/* crosspoint_input.c: front, choice, second way and request of all inputs that are awake. */
void loom_crosspoint_inputs(struct loom_crosspoint_router *s, struct loom_crosspoint_cycle *c);

/* crosspoint_choice.c */
void loom_crosspoint_order(struct loom_crosspoint_router *s);

/* crosspoint_bsel.c, crosspoint_reply.c */
void loom_crosspoint_answer(struct loom_crosspoint_router *s);
void loom_crosspoint_reply(struct loom_crosspoint_router *s, struct loom_crosspoint_cycle *c);

/* crosspoint_output.c: locks, far ends, pending. */
void loom_crosspoint_outputs(struct loom_crosspoint_router *s, struct loom_crosspoint_cycle *c);

/* crosspoint_input.c: the stores; what comes from the links. */
void loom_crosspoint_stores(struct loom_crosspoint_router *s, struct loom_crosspoint_cycle *c);
void loom_crosspoint_latch(struct loom_crosspoint_router *s, const struct loom_crosspoint_cycle *c);

/* crosspoint_link.c: traps; the next states. crosspoint_bus.c: counters, writes. */
void loom_crosspoint_trap(struct loom_crosspoint_router *s, struct loom_crosspoint_cycle *c);
void loom_crosspoint_move(struct loom_crosspoint_router *s, const struct loom_crosspoint_cycle *c);
void loom_crosspoint_count(struct loom_crosspoint_router *s, const struct loom_crosspoint_cycle *c);
void loom_crosspoint_write_bus(struct loom_crosspoint_router *s,
                               const struct loom_crosspoint_cycle *c);

/* crosspoint_sleep.c: but for the signals nothing shows and nothing happens by itself; so many
 * cycles of such a router. */
bool loom_crosspoint_rests(const struct loom_crosspoint_router *s);
void loom_crosspoint_pass(struct loom_crosspoint_router *s, uint64_t cycles);

/* crosspoint_link.c, for sleep: no link changes its state by itself; the trap fifo has room;
 * windows of errors that end in so many cycles. */
bool loom_crosspoint_links_sleep(const struct loom_crosspoint_router *s, loom_links signal);
bool loom_crosspoint_takes_traps(const struct loom_crosspoint_router *s);
void loom_crosspoint_pass_windows(struct loom_crosspoint_router *s, uint64_t cycles);

/* ---- for the units --------------------------------------------------------------------------- */

/* crosspoint_choice.c. The links to pick from, of those that are live, for a packet on VC v, as far
 * as the counts say; then the pick of one of them. */
void loom_crosspoint_choose(const struct loom_crosspoint_router *s, uint32_t v,
                            struct loom_crosspoint_ways *w);
/* A retry: the one that is picked, or that leaves for its stage. `taken`: a head is in stage 2, or
 * something in the stage behind it. Gives the retry that enters that stage. */
struct loom_crosspoint_retry loom_crosspoint_retry(const struct loom_crosspoint_router *s,
                                                   struct loom_crosspoint_input *x, bool taken);
/* The decision for VC v in stage W; of a packet that begins with its `cause`. Gives the link that
 * it asks for at once, or LOOM_ELITE5_LINKS. */
uint32_t loom_crosspoint_decide(struct loom_crosspoint_router *s, struct loom_crosspoint_cycle *c,
                                uint32_t i, uint32_t v, const struct loom_crosspoint_ways *w,
                                bool fresh, uint32_t cause);

/* crosspoint_front.c. The stages 1 to V of an input; stage W; a cycle's write to the store. */
void loom_crosspoint_front(struct loom_crosspoint_router *s, uint32_t i);
struct loom_crosspoint_fresh loom_crosspoint_write(struct loom_crosspoint_router *s,
                                                   struct loom_crosspoint_cycle *c, uint32_t i);

/* crosspoint_link.c. The link was calm long enough. */
bool loom_crosspoint_quiet(const struct loom_crosspoint_router *s, uint32_t l);

static inline uint32_t loom_crosspoint_time(const struct loom_crosspoint_router *s) {
  return (uint32_t)(s->now + s->time_base) & 0x3FFF;
}

static inline void loom_crosspoint_pulse(struct loom_crosspoint_cycle *c, uint32_t l,
                                         enum loom_elite5_counters which) {
  if (!(c->pulsing >> l & 1))
    c->pulse[l] = 0;
  c->pulsing |= 1u << l;
  c->pulse[l] |= 1u << which;
}

/* Place in front's ring of the word that came `cycles` ago. */
static inline uint32_t loom_crosspoint_came(const struct loom_crosspoint_router *s,
                                            uint32_t cycles) {
  return (uint32_t)(s->now - cycles) % LOOM_CROSSPOINT_FRONT;
}

/* The stage of an input that is so many cycles from the link holds a traffic word; its place. */
static inline bool loom_crosspoint_is_traffic(const struct loom_crosspoint_router *s, uint32_t i,
                                              uint32_t cycles) {
  return s->traffic[loom_crosspoint_came(s, cycles)] >> i & 1;
}
static inline struct loom_crosspoint_word *
loom_crosspoint_place(const struct loom_crosspoint_router *s, uint32_t i, uint32_t cycles) {
  return &s->port[i].input.word[loom_crosspoint_came(s, cycles)];
}

/* What stands in a stage behind stage 1. */
static inline enum loom_crosspoint_kind
loom_crosspoint_kind_in(const struct loom_crosspoint_router *s, uint32_t i, uint32_t cycles) {
  return loom_crosspoint_is_traffic(s, i, cycles)
             ? (enum loom_crosspoint_kind)loom_crosspoint_place(s, i, cycles)->kind
             : LOOM_CROSSPOINT_NOTHING;
}

static inline bool loom_crosspoint_has_head(const struct loom_crosspoint_router *s, uint32_t i,
                                            uint32_t cycles) {
  return loom_crosspoint_kind_in(s, i, cycles) == LOOM_CROSSPOINT_HEAD;
}

static inline uint32_t loom_crosspoint_prio(const struct loom_crosspoint_input *x, uint32_t v) {
  return (x->prio[0] >> v & 1) | (x->prio[1] >> v & 1) << 1;
}

/* Those of the set with the highest priority. */
static inline uint32_t loom_crosspoint_highest(uint32_t set, const uint32_t prio[2]) {
  set = set & prio[1] ? set & prio[1] : set;
  return set & prio[0] ? set & prio[0] : set;
}

/* A VC of an input goes to another state. */
static inline void loom_crosspoint_set_state(struct loom_crosspoint_router *s, uint32_t i,
                                             uint32_t v, enum loom_elite5_vc_state state) {
  struct loom_crosspoint_input *x = &s->port[i].input;
  x->in_state[x->vc[v].state] &= ~(1u << v);
  x->in_state[state] |= 1u << v;
  x->vc[v].state = (uint8_t)state;
  loom_elite5_include(&s->not_idle, i, x->in_state[LOOM_ELITE5_IDLE] != s->all_vcs);
}

/* A VC in WAIT or OPEN has this target from now on, or has it no longer. */
static inline void loom_crosspoint_aim(struct loom_crosspoint_input *x, uint32_t v, uint32_t o,
                                       bool aims) {
  loom_elite5_include(&x->aimed[o], v, aims);
  loom_elite5_include(&x->interest, o, x->aimed[o] != 0);
}

/* A VC of an output is allocated to a packet; an output has allocated one less. */
static inline void loom_crosspoint_allocate(struct loom_crosspoint_router *s, uint32_t o,
                                            uint32_t w, uint32_t i, uint32_t v) {
  struct loom_crosspoint_output *u = &s->port[o].output;
  u->alloc |= 1u << w;
  u->sent &= ~(1u << w);
  u->replied &= ~(1u << w);
  u->back[w] = (struct loom_crosspoint_back){.input = (uint8_t)i, .vc = (uint8_t)v};
  s->pending[o]++;
  s->unordered |= 1u << o;
  s->allocated |= 1u << o;
}

/* below, and room at the far end of an output for a segment of VC w. */
static inline bool loom_crosspoint_credit(const struct loom_crosspoint_router *s, uint32_t o,
                                          uint32_t w) {
  const struct loom_crosspoint_output *u = &s->port[o].output;
  bool room = u->bare >> w & 1 || (s->spare | ~s->up) >> o & 1;
  return !(s->up >> o & 1) || (u->below >> w & 1 && room);
}

/* A segment for VC w of an output needs the pool. */
static inline bool loom_crosspoint_needs_pool(const struct loom_crosspoint_router *s, uint32_t o,
                                              uint32_t w) {
  return s->up >> o & 1 && !(s->port[o].output.bare >> w & 1);
}

#endif

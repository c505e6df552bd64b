/* SPDX-License-Identifier: Apache-2.0 */
/* elite5_cycle.h - the pieces of an edge in the twin of the Elite5 router, and what they share
 * (docs/elite5.md)
 *
 * Inside: elite5_router.
 *
 * Pieces run in the order of this file. What a piece looks at that an earlier one has changed is
 * kept in `struct loom_elite5_cycle`, so that all of them see the state before the edge. */
#ifndef LOOM_ELITE5_ELITE5_CYCLE_H
#define LOOM_ELITE5_ELITE5_CYCLE_H

#include "elite5/elite5_state.h"

struct loom_elite5_cycle {
  const struct loom_elite5_lanes *lanes;
  uint32_t phase;
  loom_links locked; /* outputs, before the edge */
  loom_links ofree;  /* outputs that can be granted */
  loom_links fresh;  /* inputs with a fresh packet */
  loom_links moved;  /* links whose state changes */
  uint32_t ends;     /* of packets: entries of `end` */
};

/* ---- pieces ---------------------------------------------------------------------------------- */

/* router_regs.c: read data, the oldest trap that is read goes. */
void loom_elite5_read_bus(struct loom_elite5_router *s);

/* router_link.c: words that leave, states of links. */
void loom_elite5_leave(struct loom_elite5_router *s);
void loom_elite5_negotiate(struct loom_elite5_router *s, struct loom_elite5_cycle *c);

/* router_output.c: credits come back; readers; crosspoint. */
void loom_elite5_take_back(struct loom_elite5_router *s);
void loom_elite5_read_words(struct loom_elite5_router *s, struct loom_elite5_cycle *c);
void loom_elite5_cross(struct loom_elite5_router *s, struct loom_elite5_cycle *c);

/* router_choice.c: broadcasts get their VCs. */
void loom_elite5_broadcast(struct loom_elite5_router *s);

/* router_input.c: the words of word_q. */
void loom_elite5_arrive(struct loom_elite5_router *s, struct loom_elite5_cycle *c);

/* router_choice.c: the retries of the next cycle, the decisions of this one; what waits for a link
 * that is no longer there, or was passed over. */
void loom_elite5_retry(struct loom_elite5_router *s, const struct loom_elite5_cycle *c);
void loom_elite5_decide(struct loom_elite5_router *s, const struct loom_elite5_cycle *c);
void loom_elite5_reopen(struct loom_elite5_router *s);

/* router_reply.c */
void loom_elite5_reply(struct loom_elite5_router *s, const struct loom_elite5_cycle *c);

/* router_input.c: what comes from the links; slots that are released. */
void loom_elite5_latch(struct loom_elite5_router *s, const struct loom_elite5_cycle *c);
void loom_elite5_release(struct loom_elite5_router *s);

/* router_link.c: links get their states; router_regs.c: the bus writes; router_output.c: sets of
 * outputs follow. */
void loom_elite5_move(struct loom_elite5_router *s, const struct loom_elite5_cycle *c);
void loom_elite5_write_bus(struct loom_elite5_router *s, const struct loom_elite5_cycle *c);
void loom_elite5_refresh(struct loom_elite5_router *s);

/* router_link.c, for sleep: no link changes its state by itself; windows that have ended before
 * this cycle. */
bool loom_elite5_links_sleep(const struct loom_elite5_router *s, loom_links signal);
void loom_elite5_pass_windows(struct loom_elite5_router *s);

/* ---- for the pieces -------------------------------------------------------------------------- */

static inline uint32_t loom_elite5_time(const struct loom_elite5_router *s) {
  return (uint32_t)(s->now + s->time_base) & 0x3FFF;
}

/* Each link of the set counts one more. */
static inline void loom_elite5_count(struct loom_elite5_router *s, enum loom_elite5_counters which,
                                     loom_links set) {
  loom_links *plane = s->counter[which].plane;
  for (uint32_t bit = 0; set && bit < 32; bit++) {
    loom_links carry = plane[bit] & set;
    plane[bit] ^= set;
    set = carry;
  }
}

/* A VC goes to another state. */
static inline void loom_elite5_set_state(struct loom_elite5_router *s, uint32_t input, uint32_t vc,
                                         enum loom_elite5_vc_state state) {
  struct loom_elite5_input *x = &s->input[input];
  struct loom_elite5_packet *p = &x->packet[vc];
  x->in_state[p->state] &= ~(1u << vc);
  x->in_state[state] |= 1u << vc;
  p->state = (uint8_t)state;
}

/* The VCs in WAIT or OPEN for this output have changed. */
static inline void loom_elite5_aim(struct loom_elite5_input *x, uint32_t output) {
  loom_elite5_include(&x->interest, output, (x->waits[output] | x->opens[output]) != 0);
}

/* A VC has retry from the next cycle on. */
static inline void loom_elite5_set_retry(struct loom_elite5_router *s, uint32_t input,
                                         uint32_t vc) {
  s->input[input].retry |= 1u << vc;
  s->retries |= 1u << input;
}

/* An output has changed its units in use of a VC. */
static inline void loom_elite5_recap(struct loom_elite5_output *u, uint32_t vc) {
  if (u->units.used[vc] >= u->cap)
    u->capped |= 1u << vc;
  else
    u->capped &= ~(1u << vc);
}

/* A VC of an output is allocated to a packet. */
static inline void loom_elite5_allocate(struct loom_elite5_router *s, uint32_t output, uint32_t w,
                                        uint32_t input, uint32_t vc) {
  struct loom_elite5_output *u = &s->output[output];
  u->alloc |= 1u << w;
  u->back[w] = (struct loom_elite5_back){.input = (uint8_t)input, .vc = (uint8_t)vc};
  s->dirty |= 1u << output;
}

/* The link was calm in the last 8 cycles. */
bool loom_elite5_quiet(const struct loom_elite5_router *s, uint32_t l);
/* A trap of this cycle (E5-17); lost if the one before it is still there. */
void loom_elite5_trap(struct loom_elite5_router *s, uint32_t link, enum loom_elite5_cause cause,
                      uint32_t vc, const struct loom_elite5_record *packet);

#endif

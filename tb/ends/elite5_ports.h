/* SPDX-License-Identifier: Apache-2.0 */
/* elite5_ports.h - both ends of an Elite5 link (docs/elite5.md): the account of segment buffers
 * that a sender keeps, and what an end puts onto the ports of an elite5_router
 *
 * As in credits.h nothing here judges what the router does.
 */
#ifndef LOOM_TB_ENDS_ELITE5_PORTS_H
#define LOOM_TB_ENDS_ELITE5_PORTS_H

#include <loom/limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "elite5/elite5_router.h"

/* ---- segment buffers ------------------------------------------------------------------------- */

/* In use: one for each VC is its own, `pool` more are for whoever needs them (E5-08, E5-10). */
struct end_segments {
  uint32_t used_mask, pool_used;
  uint8_t used[LOOM_VLS];
};

/* VCs among `vcs` that may have one more segment. */
static inline uint32_t end_segments_there(const struct end_segments *s, uint32_t pool,
                                          uint32_t vcs) {
  return s->pool_used < pool ? vcs : vcs & ~s->used_mask;
}

static inline void end_segments_take(struct end_segments *s, uint32_t vc) {
  s->pool_used += s->used[vc]++ > 0;
  s->used_mask |= 1u << vc;
}

/* False if the VC has none. */
static inline bool end_segments_back(struct end_segments *s, uint32_t vc) {
  if (!s->used[vc])
    return false;
  if (--s->used[vc])
    s->pool_used--;
  else
    s->used_mask &= ~(1u << vc);
  return true;
}

/* Checks that the list of another edition agrees; its header must be included. */
#define END_SAME_ELITE5_PORTS(name)                                                                \
  _Static_assert(sizeof(struct loom_##name##_in) == sizeof(struct loom_elite5_router_in) &&        \
                     sizeof(struct loom_##name##_out) == sizeof(struct loom_elite5_router_out) &&  \
                     offsetof(struct loom_##name##_in, in_data) ==                                 \
                         offsetof(struct loom_elite5_router_in, in_data) &&                        \
                     offsetof(struct loom_##name##_in, out_rep_vc) ==                              \
                         offsetof(struct loom_elite5_router_in, out_rep_vc) &&                     \
                     offsetof(struct loom_##name##_in, reg_wdata) ==                               \
                         offsetof(struct loom_elite5_router_in, reg_wdata) &&                      \
                     offsetof(struct loom_##name##_out, in_rep_vc) ==                              \
                         offsetof(struct loom_elite5_router_out, in_rep_vc) &&                     \
                     offsetof(struct loom_##name##_out, out_data) ==                               \
                         offsetof(struct loom_elite5_router_out, out_data) &&                      \
                     offsetof(struct loom_##name##_out, trap) ==                                   \
                         offsetof(struct loom_elite5_router_out, trap),                            \
                 "the editions have the same ports")

/* ---- ports ----------------------------------------------------------------------------------- */

/* A word on the link in. */
static inline void end_put_word(struct loom_elite5_router_in *i, uint32_t link, bool head,
                                bool tail, uint32_t vc, uint64_t data) {
  i->in_valid[link] = 1;
  i->in_head[link] = head;
  i->in_tail[link] = tail;
  i->in_vl[link] = vc;
  i->in_data[link] = data;
}

/* From the far end of the link out: the reply to a packet, a segment buffer that is free again. */
static inline void end_put_reply(struct loom_elite5_router_in *i, uint32_t link, uint32_t vc,
                                 bool ack) {
  i->out_rep_valid[link] = 1;
  i->out_rep_ack[link] = ack;
  i->out_rep_vc[link] = vc;
}

static inline void end_put_segment_back(struct loom_elite5_router_in *i, uint32_t link,
                                        uint32_t vc) {
  i->out_cr_valid[link] = 1;
  i->out_cr_vl[link] = vc;
}

#endif

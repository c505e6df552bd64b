/* SPDX-License-Identifier: Apache-2.0 */
/* ready_sim.h - queues of packets before a scheduler that takes ready bits, for unit tests of those
 * that count what packets weigh (docs/turns.md)
 *
 * The structs of round_robin stand for those of every such scheduler; READY_SIM_STEP makes the
 * step of one of them.
 */
#ifndef LOOM_TB_UNIT_SCHED_READY_SIM_H
#define LOOM_TB_UNIT_SCHED_READY_SIM_H

#include "tb/unit/unit.h"

#include <loom/limits.h>
#include <stdio.h>
#include <string.h>

#include "sched/round_robin.h"

enum { NO_GRANT = -1, PATIENCE = 40000, ENDLESS = UINT32_MAX };

/* The packets of one VL, all of one SL: `size` units long, or anything from 1 to `size`. */
struct ready_flow {
  uint32_t sl, size, left;
  bool any_size;
  uint32_t head;       /* size of the packet at the head */
  uint64_t sent, gone; /* units, and packets */
};

/* A head is told `late` cycles after the cycle that follows the grant before it, and ready in the
 * cycle after that. */
struct ready_sim {
  void *scheduler;
  void (*step)(void *scheduler, const struct loom_round_robin_in *in,
               struct loom_round_robin_out *out);
  uint32_t vls, apart; /* cycles from grant to grant, at least */
  struct ready_flow flow[LOOM_VLS];
  uint32_t told, blocked, late, resting[LOOM_VLS];
  uint64_t cycle, granted_at, random;
  struct loom_round_robin_in table; /* its table accesses */
  uint32_t was_ready[2];
  bool asked[2];
  struct loom_round_robin_out shown; /* of the last cycle */
  struct loom_round_robin_out grant; /* the last one */
};

#define READY_SIM_STEP(name)                                                                       \
  static void name##_sim_step(void *scheduler, const struct loom_round_robin_in *in,               \
                              struct loom_round_robin_out *out) {                                  \
    const struct loom_##name##_in i = {.request = in->request,                                     \
                                       .ready = in->ready,                                         \
                                       .head_valid = in->head_valid,                               \
                                       .head_vl = in->head_vl,                                     \
                                       .head_size = in->head_size,                                 \
                                       .head_sl = in->head_sl,                                     \
                                       .table_we = in->table_we,                                   \
                                       .table_addr = in->table_addr,                               \
                                       .table_data = in->table_data};                              \
    struct loom_##name##_out o;                                                                    \
    loom_##name##_step(scheduler, &i, &o);                                                         \
    *out = (struct loom_round_robin_out){.table_rdata = o.table_rdata,                             \
                                         .busy = o.busy,                                           \
                                         .ready = o.ready,                                         \
                                         .grant_valid = o.grant_valid,                             \
                                         .grant_vl = o.grant_vl,                                   \
                                         .grant_key = o.grant_key,                                 \
                                         .grant_size = o.grant_size};                              \
  }                                                                                                \
  _Static_assert(true, "")

/* The same of a macro that stands for the name. */
#define READY_SIM_STEP_OF(macro) READY_SIM_STEP(macro)

static inline uint32_t ready_sim_below(struct ready_sim *s, uint32_t n) {
  s->random = s->random * 6364136223846793005u + 1442695040888963407u;
  return n > 0 ? (uint32_t)(s->random >> 33) % n : 0;
}

static inline void ready_sim_tell(struct ready_sim *s, struct loom_round_robin_in *in) {
  for (uint32_t v = 0; v < s->vls; v++) {
    struct ready_flow *f = &s->flow[v];
    if (!f->left || s->told >> v & 1 || s->resting[v])
      continue;
    f->head = f->any_size ? 1 + ready_sim_below(s, f->size) : f->size;
    in->head_valid = 1;
    in->head_vl = v;
    in->head_size = f->head;
    in->head_sl = f->sl;
    s->told |= 1u << v;
    return;
  }
}

/* What the pages promise of each grant: ready and asked for two cycles before, and so far apart. */
static inline void ready_sim_judge(struct ready_sim *s) {
  struct ready_flow *f = &s->flow[s->shown.grant_vl];
  assert_true(s->was_ready[1] >> s->shown.grant_vl & 1);
  assert_true(s->asked[1]);
  assert_int_equal(s->shown.grant_size, f->head);
  if (s->granted_at)
    assert_true(s->cycle - s->granted_at >= s->apart);
  s->granted_at = s->cycle;
  s->grant = s->shown;
  s->told &= ~(1u << s->shown.grant_vl);
  s->resting[s->shown.grant_vl] = s->late;
  f->left -= f->left != ENDLESS;
  f->sent += f->head;
  f->gone++;
}

/* One cycle; the VL that was granted in it, or NO_GRANT. */
static inline int ready_sim_cycle(struct ready_sim *s, bool request) {
  struct loom_round_robin_in in = s->table;
  in.request = request;
  in.ready = s->told & ~s->blocked;
  ready_sim_tell(s, &in);
  for (uint32_t v = 0; v < s->vls; v++)
    s->resting[v] -= s->resting[v] > 0;
  s->step(s->scheduler, &in, &s->shown);
  if (s->shown.grant_valid)
    ready_sim_judge(s);
  else
    assert_int_equal(s->shown.grant_vl | s->shown.grant_key | s->shown.grant_size, 0);
  s->was_ready[1] = s->was_ready[0], s->was_ready[0] = (uint32_t)in.ready;
  s->asked[1] = s->asked[0], s->asked[0] = request;
  s->table.table_we = false;
  s->cycle++;
  return s->shown.grant_valid ? (int)s->shown.grant_vl : NO_GRANT;
}

static inline void ready_sim_idle(struct ready_sim *s, uint32_t cycles) {
  for (uint32_t i = 0; i < cycles; i++)
    assert_int_equal(ready_sim_cycle(s, false), NO_GRANT);
}

static inline void ready_sim_queue(struct ready_sim *s, uint32_t vl, uint32_t sl, uint32_t size,
                                   uint32_t count) {
  s->flow[vl] = (struct ready_flow){.sl = sl, .size = size, .left = count};
}

static inline void ready_sim_write(struct ready_sim *s, uint32_t addr, uint32_t data) {
  s->table.table_we = true;
  s->table.table_addr = addr;
  s->table.table_data = data;
  ready_sim_cycle(s, false);
}

static inline uint32_t ready_sim_read(struct ready_sim *s, uint32_t addr) {
  s->table.table_addr = addr;
  for (uint32_t i = 0; i < 3; i++)
    ready_sim_cycle(s, false);
  return (uint32_t)s->shown.table_rdata;
}

/* The next grant; NO_GRANT if none comes. */
static inline int ready_sim_next(struct ready_sim *s) {
  for (uint32_t i = 0; i < PATIENCE; i++) {
    int vl = ready_sim_cycle(s, true);
    if (vl != NO_GRANT)
      return vl;
  }
  return NO_GRANT;
}

/* The VLs of the next grants, as digits. */
static inline void ready_sim_expect(struct ready_sim *s, const char *order) {
  char seen[128] = "";
  for (size_t i = 0; i < strlen(order); i++) {
    int vl = ready_sim_next(s);
    seen[i] = vl == NO_GRANT ? '-' : (char)('0' + vl);
  }
  assert_string_equal(seen, order);
}

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* crosspoint_output.c - outputs of the Elite5 router, second edition: crosspoint, grants, locks and
 * the far ends; written from docs/crosspoint_router.md
 *
 * Inside: crosspoint_router. */
#include "elite5/crosspoint_cycle.h"
#include "elite5/elite5_header.h"

enum { PIPE_BEHIND_CROSS = 2, PIPE_BEHIND_STORE = 4 };

/* ---- cross ----------------------------------------------------------------------------------- */

/* The words that the stores show go to the outputs that were locked to their readers when they were
 * read; heads change as the pattern says (E5-06, E5-07). */
static void cross_words(const struct loom_crosspoint_router *s, uint32_t phase,
                        struct loom_elite5_words *way) {
  way->valid = way->head = way->tail = 0;
  for (loom_links set = s->locked[2]; set; set &= set - 1) {
    uint32_t o = loom_ctz(set);
    const struct loom_crosspoint_lock *lock = &s->port[o].output.lock[2];
    const struct loom_segment_store_words *rd = &s->port[lock->input].store.rd;
    uint32_t lane = lock->reader ^ phase;
    if (!(rd->valid >> lane & 1))
      continue;
    bool head = rd->head >> lane & 1;
    uint64_t data = rd->data[lane];
    uint32_t was = loom_elite5_is_continuation(data) ? LOOM_GET(LOOM_ELITE5_NEXT_VC, data)
                                                     : LOOM_GET(LOOM_ELITE5_FIRST_VC, data);
    way->valid |= 1u << o;
    way->head |= (loom_links)head << o;
    way->tail |= (loom_links)(rd->tail >> lane & 1) << o;
    way->vl[o] = lock->w;
    way->data[o] = head ? loom_elite5_rewrite_vc(data, was ^ lock->v ^ lock->w) : data;
  }
}

void loom_crosspoint_cross(struct loom_crosspoint_router *s, struct loom_crosspoint_cycle *c) {
  uint32_t later = (s->pipe >= PIPE_BEHIND_CROSS ? 1u : 0u) + (s->pipe >= PIPE_BEHIND_STORE);
  cross_words(s, c->phase, &s->way[(s->now + later) % LOOM_CROSSPOINT_WAY]);
  struct loom_elite5_words *way = &s->way[s->now % LOOM_CROSSPOINT_WAY];
  way->valid &= s->up;
  way->head &= s->up;
  way->tail &= s->up;
  for (loom_links set = way->valid; set; set &= set - 1) {
    loom_crosspoint_pulse(c, loom_ctz(set), LOOM_ELITE5_WORDS_OUT);
    if (way->tail & set & -set)
      loom_crosspoint_pulse(c, loom_ctz(set), LOOM_ELITE5_PACKETS_OUT);
  }
}

/* ---- far: the VCs that there are ------------------------------------------------------------- */

void loom_crosspoint_look_far(const struct loom_crosspoint_router *s,
                              struct loom_crosspoint_cycle *c) {
  c->newvc = s->newvc;
  c->group_new = s->group_new;
  for (loom_links set = s->changed; set; set &= set - 1) {
    uint32_t o = loom_ctz(set);
    const struct loom_crosspoint_output *u = &s->port[o].output;
    bool up = s->up >> o & 1;
    uint32_t unicast = (uint32_t)loom_mask(loom_min(u->vc_limit, s->unicast_vcs));
    uint32_t room = s->spare >> o & 1 ? s->all_vcs : u->bare;
    uint32_t vcs = up ? unicast & ~u->alloc & u->below & room : 0;
    c->next_vc[o] = vcs ? (uint8_t)loom_ctz(vcs) : 0;
    loom_elite5_include(&c->newvc, o, vcs != 0);
    loom_elite5_include(&c->group_new, o, up && s->class_vcs & ~u->alloc);
  }
}

/* ---- grant ----------------------------------------------------------------------------------- */

/* Requests of a cycle: by output, the inputs. */
struct requests {
  loom_links outputs;
  loom_links prio[2]; /* inputs whose request has this bit of its priority */
  loom_links by[LOOM_ELITE5_LINKS];
};

/* A request that is shown goes to those of its outputs where it can be granted. */
static void show(const struct loom_crosspoint_router *s, struct loom_crosspoint_cycle *c,
                 struct requests *q, uint32_t i) {
  const struct loom_crosspoint_request *r = &s->port[i].input.req;
  loom_links outs = r->outs & ~(r->pool & s->up & ~s->spare);
  if (r->is_new)
    outs &= s->newvc;
  c->shown |= 1u << i;
  c->granted[i] = 0;
  q->prio[0] |= (loom_links)(r->prio & 1) << i;
  q->prio[1] |= (loom_links)(r->prio >> 1) << i;
  for (; outs; outs &= outs - 1) {
    uint32_t o = loom_ctz(outs);
    if (!(q->outputs >> o & 1))
      q->by[o] = 0;
    q->outputs |= 1u << o;
    q->by[o] |= 1u << i;
  }
}

static bool is_free(const struct loom_crosspoint_router *s, uint32_t phase, uint32_t o) {
  if (!(s->locked[0] >> o & 1))
    return true;
  const struct loom_crosspoint_lock *lock = &s->port[o].output.lock[0];
  const struct loom_segment_store *store = &s->port[lock->input].store;
  return lock->reader == phase ? store->early : store->done;
}

/* What an output that grants nobody knows of the end of its lock. */
static bool is_near(const struct loom_crosspoint_router *s, const struct loom_crosspoint_cycle *c,
                    uint32_t o) {
  const struct loom_crosspoint_lock *lock = &s->port[o].output.lock[0];
  if (!(s->locked[0] >> o & 1) || c->free >> o & 1 || lock->small)
    return true;
  return s->port[lock->input].store.soon >> lock->reader & 1;
}

static void grant(struct loom_crosspoint_router *s, struct loom_crosspoint_cycle *c,
                  const struct requests *q, uint32_t o) {
  struct loom_rr_arbiter *a = &s->port[o].output.granting;
  uint32_t i = loom_rr_arbiter_pick(a, loom_crosspoint_highest(q->by[o], q->prio));
  loom_rr_arbiter_advance(a, i);
  c->granting |= 1u << o;
  c->granted[i] |= 1u << o;
  const struct loom_crosspoint_request *r = &s->port[i].input.req;
  c->lock[o] = (struct loom_crosspoint_lock){.input = (uint8_t)i,
                                             .reader = !c->phase,
                                             .v = r->v,
                                             .w = r->is_new ? s->port[o].output.next_vc : r->ovc,
                                             .fresh = r->is_new,
                                             .small = r->small};
}

void loom_crosspoint_grant(struct loom_crosspoint_router *s, struct loom_crosspoint_cycle *c) {
  struct requests q;
  q.outputs = q.prio[0] = q.prio[1] = 0;
  for (loom_links set = s->awake; set; set &= set - 1) {
    const struct loom_crosspoint_port *port = &s->port[loom_ctz(set)];
    if (port->input.req.valid && port->store.rd_free)
      show(s, c, &q, loom_ctz(set));
  }
  c->free = s->all_links;
  c->near = s->all_links;
  for (loom_links set = s->locked[0] | q.outputs; set; set &= set - 1) {
    uint32_t o = loom_ctz(set);
    bool near;
    loom_elite5_include(&c->free, o, is_free(s, c->phase, o));
    if (c->free & q.outputs & set & -set) {
      grant(s, c, &q, o);
      near = c->lock[o].small;
    } else {
      near = is_near(s, c, o);
    }
    loom_elite5_include(&c->near, o, near || !(s->up >> o & 1));
  }
}

/* ---- locks ----------------------------------------------------------------------------------- */

/* Circuits that were granted in the cycle before. */
static void allocate(struct loom_crosspoint_router *s) {
  for (loom_links set = s->got; set; set &= set - 1) {
    const struct loom_crosspoint_lock *lock = s->port[loom_ctz(set)].output.lock;
    if (lock->fresh)
      loom_crosspoint_allocate(s, loom_ctz(set), lock->w, lock->input, lock->v);
  }
}

/* The tail of a packet was read (E5-12). */
static void note_tails(struct loom_crosspoint_router *s, uint32_t phase) {
  for (loom_links set = s->locked[1]; set; set &= set - 1) {
    struct loom_crosspoint_output *u = &s->port[loom_ctz(set)].output;
    const struct loom_crosspoint_lock *lock = &u->lock[1];
    const struct loom_segment_store *store = &s->port[lock->input].store;
    if (store->done && store->done_tail && lock->reader != phase)
      u->sent |= 1u << lock->w;
  }
}

static void move_locks(struct loom_crosspoint_router *s, const struct loom_crosspoint_cycle *c) {
  for (loom_links set = s->locked[1]; set; set &= set - 1) {
    struct loom_crosspoint_lock *lock = s->port[loom_ctz(set)].output.lock;
    lock[2] = lock[1];
  }
  for (loom_links set = s->locked[0]; set; set &= set - 1) {
    struct loom_crosspoint_lock *lock = s->port[loom_ctz(set)].output.lock;
    lock[1] = lock[0];
  }
  for (loom_links set = c->granting; set; set &= set - 1)
    s->port[loom_ctz(set)].output.lock[0] = c->lock[loom_ctz(set)];
  s->locked[2] = s->locked[1];
  s->locked[1] = s->locked[0];
  s->locked[0] = (s->locked[0] & ~c->free) | c->granting;
}

/* ---- far: segments and credits --------------------------------------------------------------- */

static void send_segment(struct loom_crosspoint_output *u, uint32_t w) {
  if (u->used[w]++)
    u->pool++;
  u->bare &= ~(1u << w);
}

static void return_segment(struct loom_crosspoint_output *u, uint32_t w) {
  if (--u->used[w])
    u->pool--;
  else
    u->bare |= 1u << w;
}

static void judge_cap(struct loom_crosspoint_output *u, uint32_t w) {
  loom_elite5_include(&u->below, w, u->used[w] < u->cap);
}

/* The far end of an output that is not UP. */
static void forget_far(const struct loom_crosspoint_router *s, struct loom_crosspoint_output *u) {
  for (uint32_t w = 0; w < s->vcs; w++)
    u->used[w] = 0;
  u->pool = 0;
  u->bare = s->all_vcs;
  u->below = u->cap ? s->all_vcs : 0;
}

static void count_far(struct loom_crosspoint_router *s, uint32_t o) {
  struct loom_crosspoint_output *u = &s->port[o].output;
  uint32_t back = s->cr_vl[o], sent = u->lock[0].w;
  bool credit = s->cr_valid >> o & 1 && back < s->vcs, sends = s->got >> o & 1;
  bool counts = credit && u->used[back];
  if (!(s->up >> o & 1)) {
    forget_far(s, u);
  } else {
    if (sends)
      send_segment(u, sent);
    if (counts)
      return_segment(u, back);
    if (sends)
      judge_cap(u, sent);
    if (credit)
      judge_cap(u, back);
    judge_cap(u, (uint32_t)(s->now % s->vcs));
  }
  loom_elite5_include(&s->spare, o, u->pool < s->pool);
}

static void renew(struct loom_crosspoint_router *s) {
  for (loom_links set = s->renewing; set; set &= set - 1)
    if (--s->port[loom_ctz(set)].output.renew == 0)
      s->renewing &= ~(set & -set);
}

/* ---- the end of a cycle ---------------------------------------------------------------------- */

void loom_crosspoint_outputs(struct loom_crosspoint_router *s, struct loom_crosspoint_cycle *c) {
  loom_links far = s->got | s->cr_valid | s->renewing | s->fallen;
  s->wake = s->all_links & (~s->up | s->cr_valid | c->freed | s->renewing);
  for (loom_links set = s->changed; set; set &= set - 1)
    s->port[loom_ctz(set)].output.next_vc = c->next_vc[loom_ctz(set)];
  allocate(s);
  note_tails(s, c->phase);
  s->changed = far | s->unordered;
  for (; far; far &= far - 1)
    count_far(s, loom_ctz(far));
  renew(s);
  move_locks(s, c);
  s->got = c->granting;
  s->near = c->near;
  s->newvc = c->newvc;
  s->group_new = c->group_new;
}

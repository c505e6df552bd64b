/* SPDX-License-Identifier: Apache-2.0 */
/* elite5_output.c - readers, crosspoint and VCs of the Elite5 router, written from docs/elite5.md
 *
 * Inside: elite5_router. */
#include "elite5/elite5_cycle.h"
#include "elite5/elite5_header.h"

/* ---- readers --------------------------------------------------------------------------------- */

/* A word goes on its way to the outputs that are locked to its reader (E5-33). */
static inline void send_word(struct loom_elite5_router *s, struct loom_elite5_words *way,
                             loom_links outs, bool head, uint64_t data) {
  way->valid |= outs;
  if (head)
    way->head |= outs;
  for (; outs; outs &= outs - 1) {
    uint32_t o = loom_ctz(outs);
    way->vl[o] = s->lock_vc[o];
    way->data[o] = head ? loom_elite5_rewrite_vc(data, s->lock_vc[o]) : data;
  }
}

/* A reader is done with a segment: it lets its outputs go. */
static void finish_segment(struct loom_elite5_router *s, struct loom_elite5_cycle *c, uint32_t r,
                           uint32_t l, struct loom_elite5_words *way) {
  struct loom_segment_buffer *b = &s->buffer[l];
  loom_links bit = 1u << l, outs = s->outs[r][l];
  if (loom_segment_buffer_last(b, r)) {
    way->tail |= outs;
    s->end[c->ends++] =
        (struct loom_elite5_end){.input = (uint8_t)l, .vc = b->reader[r].vc, .outs = outs};
  }
  loom_segment_buffer_finish(b, r);
  s->reading[r] &= ~bit;
  s->outs[r][l] = 0;
  s->locked &= ~outs;
  loom_elite5_include(&s->stocked, l, b->waiting != 0);
  if (b->freeing)
    s->releasing |= bit;
}

/* One cycle of all readers with this number. */
static void read_links(struct loom_elite5_router *s, struct loom_elite5_cycle *c, uint32_t r,
                       struct loom_elite5_words *way) {
  for (loom_links set = s->reading[r]; set; set &= set - 1) {
    uint32_t l = loom_ctz(set);
    struct loom_segment_buffer *b = &s->buffer[l];
    if (!loom_segment_buffer_reads(b, r, c->phase))
      continue;
    bool done = loom_segment_buffer_done(b, r);
    send_word(s, way, s->outs[r][l], b->reader[r].place == 0, loom_segment_buffer_word(b, r));
    b->reader[r].place++;
    if (done)
      finish_segment(s, c, r, l, way);
  }
}

void loom_elite5_read_words(struct loom_elite5_router *s, struct loom_elite5_cycle *c) {
  struct loom_elite5_words *way = &s->way[(s->now + LOOM_ELITE5_STAGES - 1) % LOOM_ELITE5_STAGES];
  way->valid = way->head = way->tail = 0;
  c->locked = s->locked;
  for (loom_links set = s->takes; set; set &= set - 1) {
    uint32_t l = loom_ctz(set);
    loom_segment_buffer_take(&s->buffer[l], c->phase, s->take_vc[l], s->keeps >> l & 1);
  }
  s->reading[c->phase] |= s->takes;
  s->takes = s->keeps = 0;
  for (uint32_t r = 0; r < 2; r++)
    read_links(s, c, r, way);
  c->ofree = s->all_links & ~s->locked;
}

/* ---- stage 1 --------------------------------------------------------------------------------- */

/* What inputs ask for in this cycle. */
struct requests {
  loom_links inputs;                       /* that request, or have a segment for nobody */
  loom_links outputs;                      /* that are requested */
  loom_links prio[2];                      /* inputs whose VC has this bit of its priority */
  loom_links passed;                       /* inputs that pass a VC over */
  uint8_t vc[LOOM_ELITE5_LINKS];           /* of an input that asks */
  loom_links granted[LOOM_ELITE5_LINKS];   /* to an input that asks: outputs */
  loom_links requested[LOOM_ELITE5_LINKS]; /* of an output that is requested: by inputs */
};

/* Outputs that a broadcast can send its first segment to (E5-28). */
static loom_links branches(const struct loom_elite5_router *s, const struct loom_elite5_packet *p,
                           loom_links ofree) {
  loom_links want = p->todo & ofree, can = want & ~s->up;
  for (want &= s->up; want; want &= want - 1)
    can |= (loom_links)(s->output[loom_ctz(want)].ok >> p->ovc & 1) << loom_ctz(want);
  return can;
}

/* The VCs that ask. */
static uint32_t asking(const struct loom_elite5_router *s, const struct loom_elite5_input *x,
                       uint32_t ready, loom_links ofree) {
  uint32_t ask = ready & x->in_state[LOOM_ELITE5_SINK];
  for (loom_links set = x->interest & ofree; set; set &= set - 1) {
    uint32_t o = loom_ctz(set);
    ask |= ready & x->opens[o] & ~x->passed;
    if (s->newvc >> o & 1)
      ask |= ready & x->waits[o];
  }
  for (uint32_t set = ready & x->in_state[LOOM_ELITE5_BOPEN]; set; set &= set - 1)
    if (branches(s, &x->packet[loom_ctz(set)], ofree))
      ask |= set & -set;
  return ask;
}

/* Those with the highest priority (E5-11). */
static uint32_t highest(uint32_t set, const uint32_t prio[2]) {
  set = set & prio[1] ? set & prio[1] : set;
  return set & prio[0] ? set & prio[0] : set;
}

static void request(struct requests *q, uint32_t i, loom_links outputs) {
  for (loom_links set = outputs & ~q->outputs; set; set &= set - 1)
    q->requested[loom_ctz(set)] = 0;
  q->outputs |= outputs;
  for (; outputs; outputs &= outputs - 1)
    q->requested[loom_ctz(outputs)] |= 1u << i;
}

/* An input with a VC that asks. */
static void ask(struct loom_elite5_router *s, struct requests *q, uint32_t i, uint32_t vcs,
                loom_links ofree) {
  struct loom_elite5_input *x = &s->input[i];
  uint32_t v = loom_rr_arbiter_pick(&x->ask, highest(vcs, x->prio));
  const struct loom_elite5_packet *p = &x->packet[v];
  loom_links bit = 1u << i;
  if (p->state == LOOM_ELITE5_OPEN && s->up >> p->target & 1 &&
      !(s->output[p->target].ok >> p->ovc & 1)) {
    x->passed |= 1u << v;
    s->output[p->target].passed |= bit;
    q->passed |= bit;
    loom_rr_arbiter_advance(&x->ask, v);
    return;
  }
  q->inputs |= bit;
  q->vc[i] = (uint8_t)v;
  q->granted[i] = 0;
  for (uint32_t b = 0; b < 2; b++)
    q->prio[b] |= (loom_links)(x->prio[b] >> v & 1) << i;
  if (p->state == LOOM_ELITE5_BOPEN)
    request(q, i, branches(s, p, ofree));
  else if (p->state != LOOM_ELITE5_SINK)
    request(q, i, 1u << p->target);
}

/* ---- stage 2 --------------------------------------------------------------------------------- */

/* A packet in WAIT gets its VC of the output (E5-12); gives the VC. */
static uint32_t open_vc(struct loom_elite5_router *s, uint32_t o, uint32_t i, uint32_t v) {
  struct loom_elite5_input *x = &s->input[i];
  uint32_t w = loom_ctz(s->output[o].fresh);
  x->packet[v].ovc = (uint8_t)w;
  x->waits[o] &= ~(1u << v);
  x->opens[o] |= 1u << v;
  loom_elite5_set_state(s, i, v, LOOM_ELITE5_OPEN);
  loom_elite5_allocate(s, o, w, i, v);
  return w;
}

/* An output goes to the VC of an input. */
static void grant(struct loom_elite5_router *s, struct loom_elite5_cycle *c, uint32_t o, uint32_t i,
                  uint32_t v) {
  struct loom_elite5_output *u = &s->output[o];
  const struct loom_elite5_packet *p = &s->input[i].packet[v];
  uint32_t w = p->state == LOOM_ELITE5_WAIT ? open_vc(s, o, i, v) : p->ovc;
  s->locked |= 1u << o;
  s->lock_vc[o] = (uint8_t)w;
  s->outs[!c->phase][i] |= 1u << o;
  if (s->up >> o & 1) {
    loom_segment_units_take(&u->units, w);
    loom_elite5_recap(u, w);
    s->dirty |= 1u << o;
  }
}

/* An input was granted something, or nothing to a packet that goes nowhere: it takes. */
static void take(struct loom_elite5_router *s, uint32_t i, uint32_t v, loom_links granted) {
  struct loom_elite5_input *x = &s->input[i];
  struct loom_elite5_packet *p = &x->packet[v];
  loom_rr_arbiter_advance(&x->ask, v);
  s->takes |= 1u << i;
  s->take_vc[i] = (uint8_t)v;
  if (p->state != LOOM_ELITE5_BOPEN)
    return;
  p->todo &= ~granted;
  if (p->todo)
    s->keeps |= 1u << i;
  else
    p->todo = p->bset;
}

static void choose_inputs(struct loom_elite5_router *s, struct loom_elite5_cycle *c,
                          struct requests *q) {
  for (loom_links set = q->outputs; set; set &= set - 1) {
    uint32_t o = loom_ctz(set);
    struct loom_rr_arbiter *a = &s->output[o].ask;
    uint32_t i = loom_rr_arbiter_pick(a, highest(q->requested[o], q->prio));
    loom_rr_arbiter_advance(a, i);
    grant(s, c, o, i, q->vc[i]);
    q->granted[i] |= 1u << o;
  }
}

void loom_elite5_cross(struct loom_elite5_router *s, struct loom_elite5_cycle *c) {
  struct requests q;
  q.inputs = q.outputs = q.passed = q.prio[0] = q.prio[1] = 0;
  for (loom_links set = s->stocked & ~s->reading[!c->phase]; set; set &= set - 1) {
    uint32_t i = loom_ctz(set);
    uint32_t ready = loom_segment_buffer_ready(&s->buffer[i]);
    uint32_t vcs = ready ? asking(s, &s->input[i], ready, c->ofree) : 0;
    if (vcs)
      ask(s, &q, i, vcs, c->ofree);
  }
  choose_inputs(s, c, &q);
  for (loom_links set = q.inputs; set; set &= set - 1) {
    uint32_t i = loom_ctz(set);
    if (q.granted[i] || s->input[i].packet[q.vc[i]].state == LOOM_ELITE5_SINK)
      take(s, i, q.vc[i], q.granted[i]);
  }
  loom_elite5_count(s, LOOM_ELITE5_PASSED, q.passed);
}

/* ---- credits --------------------------------------------------------------------------------- */

void loom_elite5_take_back(struct loom_elite5_router *s) {
  for (loom_links set = s->returned.cr_valid; set; set &= set - 1) {
    uint32_t o = loom_ctz(set), w = s->returned.cr_vl[o];
    struct loom_elite5_output *u = &s->output[o];
    if (!(u->units.occupied >> w & 1))
      continue;
    loom_segment_units_give_back(&u->units, w);
    loom_elite5_recap(u, w);
    s->dirty |= 1u << o;
  }
}

/* ---- sets ------------------------------------------------------------------------------------ */

void loom_elite5_refresh(struct loom_elite5_router *s) {
  for (loom_links set = s->dirty; set; set &= set - 1) {
    uint32_t o = loom_ctz(set);
    struct loom_elite5_output *u = &s->output[o];
    bool up = s->up >> o & 1;
    uint32_t unicast = (uint32_t)loom_mask(loom_min(u->vc_limit, s->unicast_vcs));
    uint32_t broadcast = s->all_vcs & ~(uint32_t)loom_mask(s->unicast_vcs);
    u->ok = loom_segment_units_room(&u->units, s->all_vcs) & ~u->capped;
    u->fresh = up ? u->ok & ~u->alloc & unicast : 0;
    s->pending[o] = (uint8_t)loom_popcount(u->alloc);
    loom_elite5_include(&s->newvc, o, u->fresh != 0);
    loom_elite5_include(&s->bfree, o, up && broadcast & ~u->alloc);
    loom_elite5_include(&s->under, o, s->pending[o] < s->set.threshold);
    loom_elite5_include(&s->allocated, o, u->alloc != 0);
  }
  s->dirty = 0;
}

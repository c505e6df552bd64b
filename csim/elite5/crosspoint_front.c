/* SPDX-License-Identifier: Apache-2.0 */
/* crosspoint_front.c - how words come into the Elite5 router, second edition, written from
 * docs/crosspoint_router.md
 *
 * Inside: crosspoint_router. */
#include "elite5/crosspoint_cycle.h"
#include "elite5/elite5_header.h"

enum { FEW_WORDS = 8, TS_MASK = LOOM_ELITE5_TS_MASK };

/* ---- stage 1 --------------------------------------------------------------------------------- */

/* Where its packet would go; the dest table was read in the cycle before. */
static void look_up(const struct loom_crosspoint_router *s, uint32_t i,
                    struct loom_crosspoint_word *w, uint32_t looked_up) {
  const struct loom_elite5_first h = loom_elite5_first_fields(w->data);
  bool conditional = h.type == LOOM_ELITE5_CONDITIONAL;
  uint32_t number = conditional ? h.dest & LOOM_ELITE5_DEST_MASK : h.dest;
  w->group = h.type == LOOM_ELITE5_BROADCAST || (conditional && h.dest & LOOM_ELITE5_GROUP_BIT);
  w->listed = number < (w->group ? s->set.group_count : s->set.dest_count);
  w->class_number = (uint16_t)looked_up;
  w->entry = w->group ? s->size.classes + 2 * number + (s->set.uplinks >> i & 1) : looked_up;
  w->age = (uint16_t)((loom_crosspoint_time(s) + 1 - h.ts) & TS_MASK);
}

static void stage_1(struct loom_crosspoint_router *s, uint32_t i, struct loom_crosspoint_word *w,
                    uint32_t looked_up) {
  struct loom_crosspoint_input *x = &s->port[i].input;
  if (!x->inside && !w->head) {
    w->kind = LOOM_CROSSPOINT_STRAY;
    w->ends = false;
    return;
  }
  w->kind = x->inside ? LOOM_CROSSPOINT_BODY : LOOM_CROSSPOINT_HEAD;
  x->words = x->inside ? (uint8_t)(x->words + 1) : 1;
  w->few = x->words <= FEW_WORDS;
  w->ends = w->tail || x->words == LOOM_ELITE5_SEGMENT_WORDS;
  x->inside = !w->ends;
  loom_elite5_include(&s->inside, i, x->inside);
  if (w->kind != LOOM_CROSSPOINT_HEAD)
    return;
  w->crc_ok = loom_elite5_crc_ok(w->data);
  w->ready = w->data == s->ready_word;
  look_up(s, i, w, looked_up);
}

/* ---- stage 2 --------------------------------------------------------------------------------- */

/* The mask table was read in the cycle before: what it held then. */
static void stage_2(const struct loom_crosspoint_router *s, struct loom_crosspoint_word *w) {
  w->known = w->listed && (w->group || w->class_number < s->set.class_count);
  w->expired = s->set.expire && w->age > s->set.expire;
  w->ways.live = w->ways.mask & s->up;
}

/* The read of the mask table, at the end of stage 1. */
static void read_mask(const struct loom_crosspoint_router *s, struct loom_crosspoint_word *w) {
  const struct loom_crosspoint_entry none = {0};
  bool there = w->entry < s->size.classes + 2 * s->size.groups;
  const struct loom_crosspoint_entry *e = there ? &loom_crosspoint_masks(s)[w->entry] : &none;
  w->ways.mask = e->mask;
  w->ways.all = e->all;
}

/* ---- stage V --------------------------------------------------------------------------------- */

static enum loom_crosspoint_rule rule_of(const struct loom_crosspoint_router *s,
                                         const struct loom_crosspoint_input *x,
                                         const struct loom_crosspoint_word *w) {
  if (w->vl >= s->vcs)
    return LOOM_CROSSPOINT_NO_VC;
  bool idle = x->vc[w->vl].state == LOOM_ELITE5_IDLE;
  enum loom_elite5_type type = loom_elite5_type_of(w->data);
  if (w->ready && w->tail)
    return LOOM_CROSSPOINT_READY;
  if (!idle && !(x->open >> w->vl & 1))
    return LOOM_CROSSPOINT_UNEXPECTED;
  if (idle)
    return w->crc_ok && type <= LOOM_ELITE5_CONDITIONAL ? LOOM_CROSSPOINT_BEGINS
                                                        : LOOM_CROSSPOINT_SINK;
  return w->crc_ok && loom_elite5_is_continuation(w->data) ? LOOM_CROSSPOINT_CONTINUATION
                                                           : LOOM_CROSSPOINT_VOID;
}

/* Why a packet goes nowhere (E5-17, E5-18, E5-30). */
static uint32_t cause_of(const struct loom_crosspoint_router *s,
                         const struct loom_crosspoint_word *w) {
  if (w->group != (w->vl >= s->unicast_vcs))
    return LOOM_ELITE5_TRAP_CLASS;
  if (!w->known)
    return LOOM_ELITE5_TRAP_UNKNOWN;
  if (w->expired)
    return LOOM_ELITE5_TRAP_EXPIRED;
  return w->ways.live ? 0 : LOOM_ELITE5_TRAP_UNKNOWN;
}

static void stage_v(const struct loom_crosspoint_router *s, const struct loom_crosspoint_input *x,
                    struct loom_crosspoint_word *w) {
  w->rule = (uint8_t)rule_of(s, x, w);
  if (w->rule == LOOM_CROSSPOINT_BEGINS)
    w->cause = (uint8_t)cause_of(s, w);
  if (w->rule != LOOM_CROSSPOINT_CONTINUATION)
    return;
  const struct loom_crosspoint_vc *vc = &x->vc[w->vl];
  w->alone = vc->state == LOOM_ELITE5_OPEN && vc->count == 0 && !(x->asks >> w->vl & 1);
  w->target = vc->target;
  w->ovc = vc->ovc;
}

/* ---- all stages before W --------------------------------------------------------------------- */

/* Stages 2 and 3 where V is 3, and what the decision of a retry looks at. */
static void long_front(struct loom_crosspoint_router *s, uint32_t i) {
  struct loom_crosspoint_input *x = &s->port[i].input;
  uint32_t at_2 = s->stage_1 + 1, at_3 = s->stage_1 + 2;
  if (loom_crosspoint_has_head(s, i, at_3)) {
    struct loom_crosspoint_word *w = loom_crosspoint_place(s, i, at_3);
    stage_v(s, x, w);
    loom_crosspoint_choose(s, w->vl, &w->ways);
  }
  if (x->retry_3.valid)
    loom_crosspoint_choose(s, x->retry_3.v, &x->retry_3.ways);
  if (loom_crosspoint_has_head(s, i, at_2))
    stage_2(s, loom_crosspoint_place(s, i, at_2));
}

/* Stage 2 where it is V. */
static void short_front(const struct loom_crosspoint_router *s,
                        const struct loom_crosspoint_input *x, struct loom_crosspoint_word *w) {
  stage_2(s, w);
  stage_v(s, x, w);
}

void loom_crosspoint_front(struct loom_crosspoint_router *s, uint32_t i) {
  struct loom_crosspoint_input *x = &s->port[i].input;
  struct loom_crosspoint_word *w = loom_crosspoint_place(s, i, s->stage_1);
  if (s->pipe)
    long_front(s, i);
  else if (loom_crosspoint_has_head(s, i, s->stage_1 + 1))
    short_front(s, x, loom_crosspoint_place(s, i, s->stage_1 + 1));
  if (!loom_crosspoint_is_traffic(s, i, s->stage_1))
    return;
  stage_1(s, i, w, x->looked_up[loom_crosspoint_came(s, s->stage_1)]);
  if (w->kind == LOOM_CROSSPOINT_HEAD)
    read_mask(s, w);
}

/* ---- stage W --------------------------------------------------------------------------------- */

static void put_word(struct loom_crosspoint_cycle *c, uint32_t i, uint32_t v, bool head, bool tail,
                     uint64_t data) {
  c->writing |= 1u << i;
  c->store[i].wr_valid = 1;
  c->store[i].wr_vc = v;
  c->store[i].wr_head = head;
  c->store[i].wr_tail = tail;
  c->store[i].wr_data = data;
  loom_crosspoint_pulse(c, i, LOOM_ELITE5_WORDS_IN);
}

/* A link error, or a header error; it counts in the window while the link is UP. */
static void err(struct loom_crosspoint_router *s, struct loom_crosspoint_cycle *c, uint32_t i,
                bool of_header) {
  loom_crosspoint_pulse(c, i, of_header ? LOOM_ELITE5_HEADER_ERRORS : LOOM_ELITE5_LINK_ERRORS);
  if (!(s->up >> i & 1))
    return;
  s->port[i].link.window_errors++;
  s->erring |= 1u << i;
}

static void set_open(struct loom_crosspoint_router *s, uint32_t i, uint32_t v, bool open) {
  struct loom_crosspoint_input *x = &s->port[i].input;
  loom_elite5_include(&x->open, v, open);
  loom_elite5_include(&s->open, i, x->open != 0);
}

static void set_prio(struct loom_crosspoint_input *x, uint32_t v, uint32_t prio) {
  loom_elite5_include(&x->prio[0], v, prio & 1);
  loom_elite5_include(&x->prio[1], v, prio >> 1 & 1);
}

static void write_body(struct loom_crosspoint_router *s, struct loom_crosspoint_cycle *c,
                       uint32_t i, const struct loom_crosspoint_word *w) {
  struct loom_crosspoint_input *x = &s->port[i].input;
  if (w->head)
    err(s, c, i, false);
  if (x->skip)
    return;
  put_word(c, i, x->cur_vc, false, w->tail, x->is_void ? 0 : w->data);
  if (w->tail)
    set_open(s, i, x->cur_vc, false);
}

/* The tail of a head's segment is in one of four places, so it has a few words only. */
static bool ends_soon(const struct loom_crosspoint_router *s, const struct loom_crosspoint_cycle *c,
                      uint32_t i) {
  for (uint32_t k = 0; k < 4; k++) {
    uint32_t cycles = s->stage_w - k;
    if (cycles == 0)
      return (c->lanes->tail & c->lanes->valid & s->up) >> i & 1;
    if (loom_crosspoint_is_traffic(s, i, cycles) && loom_crosspoint_place(s, i, cycles)->tail)
      return true;
  }
  return false;
}

/* A packet begins: it is decided. */
static struct loom_crosspoint_fresh begin_packet(struct loom_crosspoint_router *s,
                                                 struct loom_crosspoint_cycle *c, uint32_t i,
                                                 struct loom_crosspoint_word *w) {
  struct loom_crosspoint_input *x = &s->port[i].input;
  const struct loom_elite5_first h = loom_elite5_first_fields(w->data);
  uint32_t v = w->vl;
  set_prio(x, v, h.prio);
  x->record[v] = (struct loom_elite5_record){
      .mask = w->ways.mask, .dest = h.dest, .ts = h.ts, .all = w->ways.all};
  loom_crosspoint_pulse(c, i, LOOM_ELITE5_PACKETS_IN);
  if (!s->pipe)
    loom_crosspoint_choose(s, v, &w->ways);
  uint32_t target = loom_crosspoint_decide(s, c, i, v, &w->ways, true, w->cause);
  return (struct loom_crosspoint_fresh){.valid = target < LOOM_ELITE5_LINKS,
                                        .is_new = true,
                                        .small = ends_soon(s, c, i),
                                        .v = (uint8_t)v,
                                        .prio = h.prio,
                                        .target = (uint8_t)target};
}

/* A continuation whose VC has no segment in the store asks at once if it has the credit. */
static struct loom_crosspoint_fresh continue_packet(const struct loom_crosspoint_router *s,
                                                    const struct loom_crosspoint_cycle *c,
                                                    uint32_t i,
                                                    const struct loom_crosspoint_word *w) {
  const struct loom_crosspoint_port *port = &s->port[i];
  uint32_t v = w->vl;
  return (struct loom_crosspoint_fresh){.valid = w->alone &&
                                                 loom_crosspoint_credit(s, w->target, w->ovc),
                                        .pool = loom_crosspoint_needs_pool(s, w->target, w->ovc),
                                        .once = !(port->store.own >> v & 1),
                                        .small = ends_soon(s, c, i),
                                        .v = (uint8_t)v,
                                        .prio = (uint8_t)loom_crosspoint_prio(&port->input, v),
                                        .ovc = w->ovc,
                                        .target = w->target};
}

/* A head that is written. */
static struct loom_crosspoint_fresh accept_head(struct loom_crosspoint_router *s,
                                                struct loom_crosspoint_cycle *c, uint32_t i,
                                                struct loom_crosspoint_word *w) {
  struct loom_crosspoint_fresh f = {.valid = false};
  struct loom_crosspoint_input *x = &s->port[i].input;
  uint32_t v = w->vl;
  x->skip = false;
  x->is_void = w->rule == LOOM_CROSSPOINT_VOID;
  x->cur_vc = (uint8_t)v;
  put_word(c, i, v, true, w->tail, x->is_void ? loom_elite5_void(v) : w->data);
  loom_crosspoint_pulse(c, i, LOOM_ELITE5_SEGMENTS_IN);
  if (w->rule == LOOM_CROSSPOINT_BEGINS) {
    f = begin_packet(s, c, i, w);
  } else if (w->rule == LOOM_CROSSPOINT_CONTINUATION) {
    f = continue_packet(s, c, i, w);
  } else {
    err(s, c, i, !w->crc_ok);
    if (w->rule == LOOM_CROSSPOINT_SINK) {
      loom_crosspoint_set_state(s, i, v, LOOM_ELITE5_SINK);
      set_prio(x, v, 0);
    }
  }
  set_open(s, i, v, !w->tail);
  return f;
}

static struct loom_crosspoint_fresh write_head(struct loom_crosspoint_router *s,
                                               struct loom_crosspoint_cycle *c, uint32_t i,
                                               struct loom_crosspoint_word *w) {
  const struct loom_segment_store *store = &s->port[i].store;
  if (w->rule == LOOM_CROSSPOINT_READY)
    return (struct loom_crosspoint_fresh){.valid = false};
  bool room = store->pool < store->most || store->own >> w->vl & 1;
  if (w->rule >= LOOM_CROSSPOINT_BEGINS && room)
    return accept_head(s, c, i, w);
  s->port[i].input.skip = true;
  err(s, c, i, false);
  return (struct loom_crosspoint_fresh){.valid = false};
}

/* The decision of a retry, if there is one: never beside a head. */
static struct loom_crosspoint_fresh try_again(struct loom_crosspoint_router *s,
                                              struct loom_crosspoint_cycle *c, uint32_t i) {
  struct loom_crosspoint_input *x = &s->port[i].input;
  struct loom_crosspoint_retry *r = &x->retry_w;
  if (!r->valid)
    return (struct loom_crosspoint_fresh){.valid = false};
  if (!s->pipe)
    loom_crosspoint_choose(s, r->v, &r->ways);
  uint32_t target = loom_crosspoint_decide(s, c, i, r->v, &r->ways, false, 0);
  return (struct loom_crosspoint_fresh){.valid = target < LOOM_ELITE5_LINKS,
                                        .is_new = true,
                                        .small = x->small >> r->v & 1,
                                        .v = r->v,
                                        .prio = (uint8_t)loom_crosspoint_prio(x, r->v),
                                        .target = (uint8_t)target};
}

struct loom_crosspoint_fresh loom_crosspoint_write(struct loom_crosspoint_router *s,
                                                   struct loom_crosspoint_cycle *c, uint32_t i) {
  struct loom_crosspoint_word *w = loom_crosspoint_place(s, i, s->stage_w);
  switch (loom_crosspoint_kind_in(s, i, s->stage_w)) {
  case LOOM_CROSSPOINT_HEAD:
    return write_head(s, c, i, w);
  case LOOM_CROSSPOINT_BODY:
    write_body(s, c, i, w);
    break;
  case LOOM_CROSSPOINT_STRAY:
    err(s, c, i, false);
    break;
  case LOOM_CROSSPOINT_NOTHING:
    break;
  }
  return try_again(s, c, i);
}

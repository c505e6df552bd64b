/* SPDX-License-Identifier: Apache-2.0 */
/* link_preempt.c - twin of rtl/switch/loom_link_preempt.v, written from docs/preemption.md
 *
 * All outputs are registers or follow from them, so the edge looks at the inputs alone. */
#include "switch/link_preempt.h"

#include <string.h>

enum { MARK_W = 7, HEAD_AT = 6, TAIL_AT = 5, VL_W = 5 };

/* ---- init ------------------------------------------------------------------------------------ */

static struct loom_fifo_cfg data_cfg(const struct loom_link_preempt_cfg *cfg) {
  return (struct loom_fifo_cfg){.DEPTH = cfg->DEPTH, .WIDTH = 64};
}

static struct loom_fifo_cfg mark_cfg(const struct loom_link_preempt_cfg *cfg) {
  return (struct loom_fifo_cfg){.DEPTH = cfg->DEPTH, .WIDTH = MARK_W};
}

static struct loom_fifo_cfg waiting_cfg(const struct loom_link_preempt_cfg *cfg) {
  return (struct loom_fifo_cfg){.DEPTH = cfg->CREDITS, .WIDTH = VL_W};
}

bool loom_link_preempt_cfg_ok(const struct loom_link_preempt_cfg *cfg) {
  return !loom_link_preempt_bad_param(cfg);
}

size_t loom_link_preempt_storage_size(const struct loom_link_preempt_cfg *cfg) {
  struct loom_fifo_cfg data = data_cfg(cfg), mark = mark_cfg(cfg), waiting = waiting_cfg(cfg);
  return loom_fifo_storage_size(&data) + loom_fifo_storage_size(&mark) +
         loom_fifo_storage_size(&waiting);
}

void loom_link_preempt_init(struct loom_link_preempt *s, const struct loom_link_preempt_cfg *cfg,
                            void *storage) {
  struct loom_fifo_cfg data = data_cfg(cfg), mark = mark_cfg(cfg), waiting = waiting_cfg(cfg);
  char *at = storage;
  memset(s, 0, sizeof *s);
  loom_fifo_init(&s->data, &data, at);
  at += loom_fifo_storage_size(&data);
  loom_fifo_init(&s->mark, &mark, at);
  at += loom_fifo_storage_size(&mark);
  loom_fifo_init(&s->waiting, &waiting, at);
}

/* ---- sending --------------------------------------------------------------------------------- */

static uint64_t mark_of(const struct loom_link_preempt_flit *f) {
  return (uint64_t)f->head << HEAD_AT | (uint64_t)f->tail << TAIL_AT | f->vl;
}

/* The normal flit that has waited longest. */
static struct loom_link_preempt_flit first_of(const struct loom_link_preempt *s) {
  uint64_t mark = loom_fifo_data(&s->mark);
  return (struct loom_link_preempt_flit){.valid = true,
                                         .head = mark >> HEAD_AT & 1,
                                         .tail = mark >> TAIL_AT & 1,
                                         .vl = (uint8_t)(mark & loom_mask(VL_W)),
                                         .data = loom_fifo_data(&s->data)};
}

/* Gives whether a normal flit is lost. */
static bool send_edge(struct loom_link_preempt *s, const struct loom_link_preempt_flit *normal,
                      const struct loom_link_preempt_flit *express) {
  bool turn = !express->valid && !s->open; /* of the normal class */
  bool pop = turn && loom_fifo_valid(&s->data), pass = turn && !pop;
  bool push = normal->valid && !pass, lost = push && !loom_fifo_ready(&s->data);
  s->preempts = express->valid && express->head && s->inside;
  s->out = (struct loom_link_preempt_flit){0};
  if (express->valid)
    s->out = *express;
  else if (pop)
    s->out = first_of(s);
  else if (pass && normal->valid)
    s->out = *normal;
  if (express->valid)
    s->open = !express->tail;
  else if (s->out.valid)
    s->inside = !s->out.tail;
  loom_fifo_edge(&s->data, push, normal->data, pop);
  loom_fifo_edge(&s->mark, push, mark_of(normal), pop);
  return lost;
}

/* ---- receiving ------------------------------------------------------------------------------- */

static bool is_express(const struct loom_link_preempt_in *in, uint64_t vl) {
  return in->express_vls >> vl & 1;
}

/* Gives whether the flit breaks the rule. */
static bool receive_edge(struct loom_link_preempt *s, const struct loom_link_preempt_flit *in,
                         bool express) {
  s->to_normal = s->to_express = (struct loom_link_preempt_flit){0};
  if (!in->valid)
    return false;
  bool inside = !express && s->express_comes;
  bool *comes = express ? &s->express_comes : &s->normal_comes;
  bool wrong = in->head == *comes;
  *comes = !in->tail;
  *(express ? &s->to_express : &s->to_normal) = *in;
  return wrong || inside;
}

/* ---- credits --------------------------------------------------------------------------------- */

static struct loom_link_preempt_credit credit(uint64_t valid, uint64_t vl) {
  return (struct loom_link_preempt_credit){.valid = valid != 0, .vl = (uint8_t)(valid ? vl : 0)};
}

static void part_credit(struct loom_link_preempt *s, const struct loom_link_preempt_in *in) {
  bool express = is_express(in, in->out_cr_vl);
  s->express_cr = credit(in->out_cr_valid && express, in->out_cr_vl);
  s->normal_cr = credit(in->out_cr_valid && !express, in->out_cr_vl);
}

/* Gives whether a normal credit is lost. */
static bool join_credits(struct loom_link_preempt *s, const struct loom_link_preempt_in *in) {
  bool express = in->express_free_valid, normal = in->normal_free_valid;
  bool pop = !express && loom_fifo_valid(&s->waiting), pass = !express && !pop;
  bool push = normal && !pass, lost = push && !loom_fifo_ready(&s->waiting);
  if (express)
    s->in_cr = credit(1, in->express_free_vl);
  else if (pop)
    s->in_cr = credit(1, loom_fifo_data(&s->waiting));
  else
    s->in_cr = credit(normal, in->normal_free_vl);
  loom_fifo_edge(&s->waiting, push, in->normal_free_vl, pop);
  return lost;
}

/* ---- a cycle --------------------------------------------------------------------------------- */

/* The fields of a flit in the list, by the beginning of their names. */
#define FLIT_IN(in, name)                                                                          \
  {                                                                                                \
    .valid = (in)->name##_valid != 0, .head = (in)->name##_head != 0,                              \
    .tail = (in)->name##_tail != 0, .vl = (uint8_t)(in)->name##_vl, .data = (in)->name##_data      \
  }

#define FLIT_OUT(out, name, flit)                                                                  \
  do {                                                                                             \
    (out)->name##_valid = (flit).valid;                                                            \
    (out)->name##_head = (flit).head;                                                              \
    (out)->name##_tail = (flit).tail;                                                              \
    (out)->name##_vl = (flit).vl;                                                                  \
    (out)->name##_data = (flit).data;                                                              \
  } while (0)

static bool is_idle(const struct loom_link_preempt *s) {
  return !loom_fifo_valid(&s->data) && !loom_fifo_valid(&s->waiting) && !s->open && !s->inside &&
         !s->normal_comes && !s->express_comes;
}

static void show(const struct loom_link_preempt *s, struct loom_link_preempt_out *out) {
  FLIT_OUT(out, out, s->out);
  FLIT_OUT(out, to_normal, s->to_normal);
  FLIT_OUT(out, to_express, s->to_express);
  out->normal_cr_valid = s->normal_cr.valid;
  out->normal_cr_vl = s->normal_cr.vl;
  out->express_cr_valid = s->express_cr.valid;
  out->express_cr_vl = s->express_cr.vl;
  out->in_cr_valid = s->in_cr.valid;
  out->in_cr_vl = s->in_cr.vl;
  out->hold = loom_fifo_valid(&s->data);
  out->preempts = s->preempts;
  out->error = s->error;
  out->idle = is_idle(s);
}

void loom_link_preempt_step(struct loom_link_preempt *s, const struct loom_link_preempt_in *in,
                            struct loom_link_preempt_out *out) {
  const struct loom_link_preempt_flit normal = FLIT_IN(in, from_normal);
  const struct loom_link_preempt_flit express = FLIT_IN(in, from_express);
  const struct loom_link_preempt_flit came = FLIT_IN(in, in);
  show(s, out);
  bool flit_lost = send_edge(s, &normal, &express);
  bool wrong = receive_edge(s, &came, is_express(in, in->in_vl));
  part_credit(s, in);
  bool credit_lost = join_credits(s, in);
  s->error = flit_lost || wrong || credit_lost;
}

void loom_link_preempt_probe(const struct loom_link_preempt *s, struct loom_link_preempt_probe *p) {
  p->open = s->open;
  p->inside = s->inside;
  p->normal_comes = s->normal_comes;
  p->express_comes = s->express_comes;
  p->loom_end = 0;
}

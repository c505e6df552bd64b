/* SPDX-License-Identifier: Apache-2.0 */
/* axis_link_rx.c - twin of rtl/axi/loom_axis_link_rx.v, written from docs/axi.md */
#include "axi/axis_link_rx.h"

#include <loom/head.h>
#include <loom/limits.h>
#include <string.h>

enum { FIRST = 64, TAIL = 32, VL = 31 }; /* beside a flit */

bool loom_axis_link_rx_cfg_ok(const struct loom_axis_link_rx_cfg *cfg) {
  return !loom_axis_link_rx_bad_param(cfg);
}

size_t loom_axis_link_rx_storage_size(const struct loom_axis_link_rx_cfg *cfg) {
  return (size_t)cfg->UNITS * LOOM_UNIT_FLITS * 2 * sizeof(uint64_t);
}

void loom_axis_link_rx_init(struct loom_axis_link_rx *s, const struct loom_axis_link_rx_cfg *cfg,
                            void *storage) {
  const struct loom_fifo_cfg flits = {.DEPTH = cfg->UNITS * LOOM_UNIT_FLITS, .WIDTH = 64};
  memset(s, 0, sizeof *s);
  loom_fifo_init(&s->data, &flits, storage);
  loom_fifo_init(&s->marks, &flits, (uint64_t *)storage + flits.DEPTH);
}

static void show(const struct loom_axis_link_rx *s, struct loom_axis_link_rx_out *out) {
  memset(out, 0, sizeof *out);
  out->cr_valid = s->cr_valid;
  out->cr_vl = s->cr_vl;
  out->empty = s->empty;
  out->error = s->error;
  if (!s->tvalid)
    return;
  out->tvalid = 1;
  out->tdata = s->tdata;
  out->tlast = s->tlast;
  out->tdest = LOOM_GET(LOOM_HEAD_DEST, s->head);
  out->tid = LOOM_GET(LOOM_HEAD_ID, s->head);
  out->tuser =
      LOOM_GET64(LOOM_HEAD_AFTER, s->head) << 27 | LOOM_GET64(LOOM_HEAD_MORE, s->head) << 26 |
      LOOM_GET64(LOOM_HEAD_SRC, s->head) << 10 | LOOM_GET64(LOOM_HEAD_SC, s->head) << 5 | s->vl;
}

/* A flit that has left the queue: the head stands beside the words that follow. */
static void flit_out(struct loom_axis_link_rx *s, uint64_t flit, uint64_t marks) {
  bool first = marks & FIRST, tail = marks & TAIL;
  if (first) {
    s->head = flit;
    s->vl = (uint32_t)(marks & VL);
  } else {
    s->tvalid = true;
    s->tlast = tail;
    s->tdata = flit;
  }
  s->empty = first && tail;
  s->cr_valid = tail || s->unit == LOOM_UNIT_FLITS - 1;
  s->cr_vl = s->cr_valid ? (uint32_t)(marks & VL) : 0;
  s->unit = s->cr_valid ? 0 : s->unit + 1;
}

static void flit_in(struct loom_axis_link_rx *s, const struct loom_axis_link_rx_in *in,
                    bool ready) {
  bool keep = in->in_valid && (s->open || in->in_head);
  s->error = (in->in_valid && s->open == (bool)in->in_head) || (keep && !ready);
  if (keep && ready) {
    uint64_t marks = (s->open ? 0u : FIRST) | (in->in_tail ? TAIL : 0u) | in->in_vl;
    loom_fifo_edge(&s->data, true, in->in_data, false);
    loom_fifo_edge(&s->marks, true, marks, false);
  }
  if (keep)
    s->open = !in->in_tail;
}

void loom_axis_link_rx_step(struct loom_axis_link_rx *s, const struct loom_axis_link_rx_in *in,
                            struct loom_axis_link_rx_out *out) {
  bool ready = loom_fifo_ready(&s->data);
  show(s, out);
  s->cr_valid = s->empty = false;
  s->cr_vl = 0;
  if (!s->tvalid || in->tready) {
    bool there = loom_fifo_valid(&s->data);
    uint64_t flit = loom_fifo_data(&s->data), marks = loom_fifo_data(&s->marks);
    s->tvalid = s->tlast = false;
    s->tdata = 0;
    loom_fifo_edge(&s->data, false, 0, true);
    loom_fifo_edge(&s->marks, false, 0, true);
    if (there)
      flit_out(s, flit, marks);
  }
  flit_in(s, in, ready);
}

void loom_axis_link_rx_probe(const struct loom_axis_link_rx *s, struct loom_axis_link_rx_probe *p) {
  p->unit = s->unit;
  p->loom_end = 0;
}

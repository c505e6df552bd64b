/* SPDX-License-Identifier: Apache-2.0 */
/* segment_buffer.c - twin of rtl/elite5/loom_segment_buffer.v, written from docs/elite5.md */
#include "elite5/segment_buffer.h"

#include <string.h>

enum { READERS = 2 };

bool loom_segment_buffer_cfg_ok(const struct loom_segment_buffer_cfg *cfg) {
  return !loom_segment_buffer_bad_param(cfg);
}

void loom_segment_buffer_start(struct loom_segment_buffer *s,
                               const struct loom_segment_buffer_cfg *cfg) {
  s->vcs = cfg->VCS;
  s->slots = cfg->VCS + cfg->POOL;
  s->all_vcs = (uint32_t)loom_mask(s->vcs);
  s->spare = loom_mask(s->slots);
  s->units.pool_free = cfg->POOL;
}

void loom_segment_buffer_init(struct loom_segment_buffer *s,
                              const struct loom_segment_buffer_cfg *cfg) {
  memset(s, 0, sizeof *s);
  loom_segment_buffer_start(s, cfg);
}

/* What the outputs show of the state. */
static void show(const struct loom_segment_buffer *s, struct loom_segment_buffer_out *out) {
  out->wr_ok = loom_segment_buffer_room(s);
  out->phase = s->phase;
  out->empty = loom_segment_buffer_empty(s);
  out->free_valid = s->free_valid;
  out->free_vc = s->free_vc;
  out->rd_valid = s->rd_valid;
  for (uint32_t r = 0; r < READERS; r++) {
    out->rd_head |= (uint64_t)s->rd[r].head << r;
    out->rd_tail |= (uint64_t)s->rd[r].tail << r;
    out->rd_data[r] = s->rd[r].data;
  }
}

/* One cycle of an active reader. */
static void read_word(struct loom_segment_buffer *s, uint32_t r,
                      struct loom_segment_buffer_out *out) {
  out->rd_vc[r] = s->reader[r].vc;
  if (!loom_segment_buffer_reads(s, r, s->phase))
    return;
  bool done = loom_segment_buffer_done(s, r), last = done && loom_segment_buffer_last(s, r);
  out->rd_now |= 1u << r;
  out->rd_done |= (uint64_t)done << r;
  out->rd_last |= (uint64_t)last << r;
  s->rd_valid |= (uint8_t)(1u << r);
  s->rd[r] = (struct loom_segment_word){
      .head = s->reader[r].place == 0, .tail = last, .data = loom_segment_buffer_word(s, r)};
  s->reader[r].place++;
  if (done)
    loom_segment_buffer_finish(s, r);
}

static void write_word(struct loom_segment_buffer *s, const struct loom_segment_buffer_in *in) {
  uint32_t vc = (uint32_t)in->wr_vc;
  if (in->wr_head && !(loom_segment_buffer_room(s) >> vc & 1))
    return; /* outside the contract */
  if (in->wr_head)
    loom_segment_buffer_begin(s, vc);
  if (s->count[s->wr_slot] < LOOM_SEGMENT_WORDS)
    loom_segment_buffer_write(s, in->wr_data, in->wr_tail);
}

void loom_segment_buffer_step(struct loom_segment_buffer *s,
                              const struct loom_segment_buffer_in *in,
                              struct loom_segment_buffer_out *out) {
  memset(out, 0, sizeof *out);
  show(s, out);
  s->rd_valid = 0;
  memset(s->rd, 0, sizeof s->rd);

  if (in->take && s->waiting >> in->take_vc & 1)
    loom_segment_buffer_take(s, s->phase, (uint32_t)in->take_vc, in->take_keep);
  for (uint32_t r = 0; r < READERS; r++)
    if (s->active >> r & 1)
      read_word(s, r, out);
  out->rd_free = !(s->active >> !s->phase & 1);
  out->seg_valid = loom_segment_buffer_ready(s);

  if (in->wr_valid)
    write_word(s, in);
  loom_segment_buffer_release(s);
  s->phase = !s->phase;
}

void loom_segment_buffer_probe(const struct loom_segment_buffer *s,
                               struct loom_segment_buffer_probe *p) {
  p->phase = s->phase;
  p->active = s->active;
  p->used = loom_mask(s->slots) & ~s->spare;
  p->loom_end = 0;
}

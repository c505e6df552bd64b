/* SPDX-License-Identifier: Apache-2.0 */
/* packet_buffer.c - twin of rtl/parts/loom_packet_buffer.v, written from docs/parts.md
 *
 * Units, queues and reader are in packet_queues; here are the flits in their cells. */
#include "parts/packet_buffer.h"

#include <string.h>

enum { CELL = LOOM_UNIT_FLITS, NONE = 0xFFFF };

bool loom_packet_buffer_cfg_ok(const struct loom_packet_buffer_cfg *cfg) {
  return !loom_packet_buffer_bad_param(cfg) && loom_popcount(cfg->LANES) == 1 &&
         cfg->RD_FLITS <= cfg->LANES && cfg->VLS * cfg->RESERVED <= cfg->CELLS;
}

size_t loom_packet_buffer_storage_size(const struct loom_packet_buffer_cfg *cfg) {
  return cfg->CELLS * ((CELL + 1) * sizeof(uint64_t) + sizeof(struct loom_packet));
}

void loom_packet_buffer_init(struct loom_packet_buffer *s, const struct loom_packet_buffer_cfg *cfg,
                             void *storage) {
  memset(s, 0, sizeof *s);
  memset(storage, 0, loom_packet_buffer_storage_size(cfg));
  s->cells = cfg->CELLS;
  s->lanes = cfg->LANES;
  s->most = cfg->RD_FLITS;
  s->flit = storage;
  s->link = s->flit + (size_t)cfg->CELLS * CELL;
  for (uint32_t i = 0; i < cfg->CELLS; i++)
    s->link[i] = i + 1 < cfg->CELLS ? i + 1 : NONE;
  loom_packet_queues_init(&s->queues, &s->reader, cfg->VLS, cfg->CELLS, cfg->RESERVED, cfg->EARLY,
                          (struct loom_packet *)(s->link + cfg->CELLS), 1);
}

/* ---- write ----------------------------------------------------------------------------------- */

/* A free cell becomes the last one of the list. There is one: all units are announced. */
static void add_cell(struct loom_packet_buffer *s, struct loom_packet_cells *v) {
  uint16_t cell = s->free_cell;
  if (cell == NONE)
    return; /* outside the contract */
  s->free_cell = (uint16_t)s->link[cell];
  if (v->cells++)
    s->link[v->last] = cell;
  else
    v->first = cell;
  v->last = cell;
  v->place = 0;
}

static void write_word(struct loom_packet_buffer *s, uint32_t vl, bool first, uint32_t flits,
                       const uint64_t *data) {
  struct loom_packet_cells *v = &s->vl[vl];
  if (first || v->place == CELL)
    add_cell(s, v);
  uint64_t *cell = &s->flit[(size_t)v->last * CELL];
  for (uint32_t end = v->place + flits; v->place < end; v->place++)
    cell[v->place % CELL] = data[v->place & (s->lanes - 1)];
  s->count[vl] += flits;
}

/* ---- read ------------------------------------------------------------------------------------ */

/* The reader is done with the first cell of the list. */
static void drop_cell(struct loom_packet_buffer *s, struct loom_packet_cells *v) {
  uint16_t cell = v->first;
  v->first = (uint16_t)s->link[cell];
  v->cells--;
  s->link[cell] = s->free_cell;
  s->free_cell = cell;
}

/* The registers of the word that the reader reads; n >= 1 flits from its place on. */
static void show_word(struct loom_packet_buffer *s, uint32_t n) {
  const struct loom_packet_reader *r = &s->reader;
  const uint64_t *cell = &s->flit[(size_t)s->vl[r->vl].first * CELL];
  s->rd_valid = true;
  s->rd_vl = r->vl;
  s->rd_first = r->place == 0;
  s->rd_last = r->left == n;
  s->rd_flits = (uint8_t)n;
  s->rd_lane = (uint8_t)(r->place & (s->lanes - 1));
  for (uint32_t place = r->place; place < r->place + n; place++)
    s->rd_data[place & (s->lanes - 1)] = cell[place % CELL];
}

/* True if the last flits of a packet are read. */
static bool read_edge(struct loom_packet_buffer *s) {
  struct loom_packet_reader *r = &s->reader;
  uint32_t n = r->active ? loom_packet_reader_flits(r, s->most, s->count[r->vl]) : 0;
  if (!n)
    return false;
  show_word(s, n);
  s->count[r->vl] -= n;
  if (loom_packet_reader_advance(r, n)) {
    drop_cell(s, &s->vl[r->vl]);
    s->free_valid = true;
    s->free_vl = r->vl;
  }
  if (r->left)
    return false;
  loom_packet_queues_finish(&s->queues, r);
  return true;
}

static void clear_word(struct loom_packet_buffer *s) {
  s->rd_valid = s->rd_first = s->rd_last = s->free_valid = false;
  s->rd_vl = s->rd_flits = s->rd_lane = s->free_vl = 0;
  memset(s->rd_data, 0, sizeof s->rd_data);
}

/* ---- one cycle ------------------------------------------------------------------------------- */

/* The tracker's edge: the announcement of this cycle, and the unit that it has freed. */
static bool tracker_edge(struct loom_packet_buffer *s, const struct loom_packet_buffer_in *in) {
  struct loom_packet_queues *q = &s->queues;
  const struct loom_credit_tracker_in ask = {
      .cfg_we = in->cfg_we,
      .cfg_addr = in->cfg_addr,
      .cfg_data = in->cfg_data,
      .consume_valid = in->announce,
      .consume_vl = in->announce_vl,
      .consume_size = loom_packet_units((uint32_t)in->announce_len),
      .return_valid = s->free_valid,
      .return_vl = s->free_vl,
  };
  bool ok = loom_credit_tracker_cycle(&q->tracker, &ask);
  q->total += (ok ? (uint32_t)ask.consume_size : 0) - s->free_valid;
  return ok;
}

static void show_state(const struct loom_packet_buffer *s, struct loom_packet_buffer_out *out) {
  const struct loom_packet_queues *q = &s->queues;
  out->head_valid = q->head_valid;
  for (uint32_t vls = q->head_valid; vls; vls &= vls - 1) {
    uint32_t vl = loom_ctz(vls);
    out->head_len[vl] = loom_packet_queues_head(q, vl)->len;
    out->head_info[vl] = loom_packet_queues_head(q, vl)->info;
  }
  for (uint32_t vl = 0; vl < q->vls; vl++) {
    out->used[vl] = q->tracker.lane[vl].used;
    out->avail[vl] = loom_credit_tracker_avail(&q->tracker, vl);
  }
  out->take_ready = loom_packet_queues_take_ready(q, &s->reader);
  out->rd_busy = s->reader.active;
  out->rd_valid = s->rd_valid;
  out->rd_vl = s->rd_vl;
  out->rd_first = s->rd_first;
  out->rd_last = s->rd_last;
  out->rd_flits = s->rd_flits;
  out->rd_lane = s->rd_lane;
  memcpy(out->rd_data, s->rd_data, sizeof s->rd_data);
  out->free_valid = s->free_valid;
  out->free_vl = s->free_vl;
  out->total = q->total;
  out->error = q->tracker.error;
}

void loom_packet_buffer_step(struct loom_packet_buffer *s, const struct loom_packet_buffer_in *in,
                             struct loom_packet_buffer_out *out) {
  struct loom_packet_queues *q = &s->queues;
  memset(out, 0, sizeof *out);
  show_state(s, out);
  bool taken =
      in->take && loom_packet_queues_take_ready(q, &s->reader) && q->head_valid >> in->take_vl & 1;

  clear_word(s);
  loom_packet_queues_load(q);
  if (taken)
    loom_packet_queues_take(q, &s->reader, (uint32_t)in->take_vl);
  out->rd_done = read_edge(s);
  out->announce_ok = tracker_edge(s, in);
  if (in->queue)
    loom_packet_queues_join(q, (uint32_t)in->queue_vl, in->queue_info, 0, (uint32_t)in->queue_len);
  if (in->wr_valid)
    write_word(s, (uint32_t)in->wr_vl, in->wr_first, (uint32_t)in->wr_flits, in->wr_data);
}

void loom_packet_buffer_probe(const struct loom_packet_buffer *s,
                              struct loom_packet_buffer_probe *p) {
  p->active = s->reader.active;
  p->pending = s->queues.pending;
  p->total = s->queues.total;
  p->loom_end = 0;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* vl_buffer.c - twin of rtl/parts/loom_vl_buffer.v, written from docs/parts.md
 *
 * The edge goes through read side, take, write side and head registers in this order; each looks at
 * the state before the edge. That holds because what one changes the later ones do not look at,
 * except where a comment says otherwise. */
#include "parts/vl_buffer.h"

#include <string.h>

static uint32_t units_bits(uint32_t cells) { return loom_max(4, loom_clog2(cells + 1)); }

bool loom_vl_buffer_cfg_ok(const struct loom_vl_buffer_cfg *cfg) {
  return !loom_vl_buffer_bad_param(cfg) && loom_popcount(cfg->CELL_FLITS) == 1 &&
         loom_clog2(cfg->CELL_FLITS) <= cfg->LEN_W && cfg->VLS * cfg->RESERVED <= cfg->CELLS;
}

size_t loom_vl_buffer_storage_size(const struct loom_vl_buffer_cfg *cfg) {
  return cfg->CELLS * (cfg->CELL_FLITS * sizeof(uint64_t) + sizeof(struct loom_vl_buffer_cell));
}

void loom_vl_buffer_init(struct loom_vl_buffer *s, const struct loom_vl_buffer_cfg *cfg,
                         void *storage) {
  memset(s, 0, sizeof *s);
  memset(storage, 0, loom_vl_buffer_storage_size(cfg));
  s->vls = cfg->VLS;
  s->cells = cfg->CELLS;
  s->cell_shift = loom_clog2(cfg->CELL_FLITS);
  s->early = cfg->EARLY;
  s->flit = storage;
  s->meta = (struct loom_vl_buffer_cell *)(s->flit + (size_t)cfg->CELLS * cfg->CELL_FLITS);
  const struct loom_credit_tracker_cfg tracker = {
      .VLS = cfg->VLS,
      .COUNT_W = units_bits(cfg->CELLS),
      .SIZE_W = cfg->LEN_W - s->cell_shift + 1,
      .UNITS = cfg->CELLS,
      .MAX_UNITS = cfg->CELLS,
      .RESERVED = cfg->RESERVED,
  };
  loom_credit_tracker_init(&s->tracker, &tracker);
}

/* The oldest free cell. There is one: the tracker admits no packet for which there are no cells. */
static uint16_t allocate(struct loom_vl_buffer *s) {
  if (s->fresh < s->cells)
    return (uint16_t)s->fresh++;
  uint16_t cell = s->free_head;
  s->free_head = s->meta[cell].link;
  s->free_count--;
  return cell;
}

static void free_cell(struct loom_vl_buffer *s, uint16_t cell, uint8_t vl) {
  if (s->free_count++)
    s->meta[s->free_tail].link = cell;
  else
    s->free_head = cell;
  s->free_tail = cell;
  s->free_valid = true;
  s->free_vl = vl;
}

/* The reader goes from its cell to the next one of the packet. */
static void follow_link(struct loom_vl_buffer *s) {
  uint16_t next = s->meta[s->cell].link;
  free_cell(s, s->cell, s->active_vl);
  s->cell = next;
  s->known = true;
}

/* A flit cycle. */
static void read_flit(struct loom_vl_buffer *s, struct loom_vl_buffer_queue *q) {
  s->rd_valid = true;
  s->rd_head = s->first;
  s->rd_tail = s->left == 1;
  s->rd_vl = s->active_vl;
  s->rd_data = s->flit[(uint32_t)s->cell << s->cell_shift | s->pos];
  s->first = false;
  s->left--;
  s->pos++;
  q->count--;
  if (s->left == 0) {
    free_cell(s, s->cell, s->active_vl);
    s->active = false;
  } else if (s->pos >> s->cell_shift) {
    s->pos = 0;
    s->known = false;
    if (q->count) /* the next flit is already in, so its link is written */
      follow_link(s);
  }
}

static void read_side(struct loom_vl_buffer *s) {
  if (s->active) {
    struct loom_vl_buffer_queue *q = &s->queue[s->active_vl];
    if (q->count && s->known)
      read_flit(s, q);
    else if (q->count)
      follow_link(s);
  }
  if (!s->active && s->pending) {
    s->active = true;
    s->known = true;
    s->first = true;
    s->active_vl = s->pending_vl;
    s->cell = s->pending_packet.first;
    s->left = s->pending_packet.len;
    s->pos = 0;
    s->pending = false;
  }
}

/* Removes the head packet of the VL from its list. */
static void take(struct loom_vl_buffer *s, uint32_t vl) {
  struct loom_vl_buffer_queue *q = &s->queue[vl];
  s->pending = true;
  s->pending_vl = (uint8_t)vl;
  s->pending_packet = q->head;
  s->head_valid &= ~(1u << vl);
  if (--q->waiting) {
    s->loading = true;
    s->loading_vl = (uint8_t)vl;
    s->loading_packet = s->meta[q->head.first].next;
  }
}

/* Puts an accepted packet at the end of the list of its VL, as it is after this cycle's take. */
static void enqueue(struct loom_vl_buffer *s, uint32_t vl, struct loom_vl_buffer_packet packet) {
  struct loom_vl_buffer_queue *q = &s->queue[vl];
  if (q->waiting++) {
    s->meta[q->last].next = packet;
  } else {
    q->head = packet;
    s->head_valid |= 1u << vl;
  }
  q->last = packet.first;
}

static void write_flit(struct loom_vl_buffer *s, struct loom_vl_buffer_queue *q, uint64_t data) {
  s->flit[(uint32_t)q->cell << s->cell_shift | q->pos] = data;
  q->pos = (uint8_t)((q->pos + 1u) & ((1u << s->cell_shift) - 1));
  q->count++;
}

/* A head that begins a packet; admitted is the tracker's word. */
static void write_head(struct loom_vl_buffer *s, uint32_t vl, const struct loom_vl_buffer_in *in,
                       bool admitted) {
  struct loom_vl_buffer_queue *q = &s->queue[vl];
  if (in->wr_len > 1) {
    *(admitted ? &s->open : &s->dropping) |= 1u << vl;
    q->left = (uint16_t)(in->wr_len - 1);
  }
  if (!admitted) {
    s->drop_valid = true;
    s->drop_vl = (uint8_t)vl;
    return;
  }
  q->cell = allocate(s);
  q->pos = 0;
  write_flit(s, q, in->wr_data);
  enqueue(s, vl,
          (struct loom_vl_buffer_packet){q->cell, (uint16_t)in->wr_len, (uint16_t)in->wr_info});
}

/* A flit of a packet that is open or being dropped. */
static void write_body(struct loom_vl_buffer *s, uint32_t vl, uint64_t data) {
  struct loom_vl_buffer_queue *q = &s->queue[vl];
  if (s->open >> vl & 1) {
    if (q->pos == 0) {
      uint16_t cell = allocate(s);
      s->meta[q->cell].link = cell;
      q->cell = cell;
    }
    write_flit(s, q, data);
  }
  if (--q->left == 0) {
    s->open &= ~(1u << vl);
    s->dropping &= ~(1u << vl);
  }
}

/* Write side and tracker. The tracker has this cycle's return, so it follows the read side. */
static void write_side(struct loom_vl_buffer *s, const struct loom_vl_buffer_in *in) {
  uint32_t vl = (uint32_t)in->wr_vl;
  bool known = in->wr_valid && vl < s->vls;
  bool arriving = known && (s->open | s->dropping) >> vl & 1;
  bool begins = known && !arriving && in->wr_head;
  const struct loom_credit_tracker_in ask = {
      .cfg_we = in->cfg_we,
      .cfg_addr = in->cfg_addr,
      .cfg_data = in->cfg_data,
      .consume_valid = begins,
      .consume_vl = vl,
      .consume_size = (in->wr_len + (1u << s->cell_shift) - 1) >> s->cell_shift,
      .return_valid = s->free_valid,
      .return_vl = s->free_vl,
  };
  bool admitted = loom_credit_tracker_cycle(&s->tracker, &ask);
  if (begins)
    write_head(s, vl, in, admitted);
  else if (arriving)
    write_body(s, vl, in->wr_data);
  s->write_error = in->wr_valid && !begins && (!arriving || in->wr_head);
}

static void clear_pulses(struct loom_vl_buffer *s) {
  s->rd_valid = s->rd_head = s->rd_tail = s->drop_valid = s->free_valid = false;
  s->rd_vl = s->drop_vl = s->free_vl = 0;
  s->rd_data = 0;
}

void loom_vl_buffer_edge(struct loom_vl_buffer *s, const struct loom_vl_buffer_in *in) {
  if (!(s->awake || in->wr_valid || in->take || in->cfg_we))
    return;
  clear_pulses(s);
  bool taken = in->take && loom_vl_buffer_take_ready(s) && in->take_vl < s->vls &&
               s->head_valid >> in->take_vl & 1;
  bool loaded = s->loading;
  uint32_t loaded_vl = s->loading_vl;
  struct loom_vl_buffer_packet packet = s->loading_packet;
  s->loading = false;

  read_side(s);
  if (taken)
    take(s, (uint32_t)in->take_vl);
  write_side(s, in);
  if (loaded) {
    s->queue[loaded_vl].head = packet;
    s->head_valid |= 1u << loaded_vl;
  }
  s->awake = s->active || s->pending || s->loading || s->rd_valid || s->drop_valid ||
             s->free_valid || s->write_error || s->tracker.error;
}

void loom_vl_buffer_step(struct loom_vl_buffer *s, const struct loom_vl_buffer_in *in,
                         struct loom_vl_buffer_out *out) {
  memset(out, 0, sizeof *out);
  out->drop_valid = s->drop_valid;
  out->drop_vl = s->drop_vl;
  out->error = loom_vl_buffer_error(s);
  out->head_valid = s->head_valid;
  for (uint32_t vls = s->head_valid; vls; vls &= vls - 1) {
    uint32_t vl = loom_ctz(vls);
    out->head_size[vl] = loom_vl_buffer_head_size(s, vl);
    out->head_info[vl] = loom_vl_buffer_head_info(s, vl);
  }
  out->take_ready = loom_vl_buffer_take_ready(s);
  out->rd_valid = s->rd_valid;
  out->rd_head = s->rd_head;
  out->rd_tail = s->rd_tail;
  out->rd_vl = s->rd_vl;
  out->rd_data = s->rd_data;
  out->free_valid = s->free_valid;
  out->free_vl = s->free_vl;
  for (uint32_t vls = s->tracker.used_mask; vls; vls &= vls - 1) {
    uint32_t vl = loom_ctz(vls);
    out->used[vl] = s->tracker.lane[vl].used;
  }
  loom_vl_buffer_edge(s, in);
}

void loom_vl_buffer_probe(const struct loom_vl_buffer *s, struct loom_vl_buffer_probe *p) {
  p->fresh = s->fresh;
  p->active = s->active;
  p->pending = s->pending;
  p->loom_end = 0;
}

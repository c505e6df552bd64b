/* SPDX-License-Identifier: Apache-2.0 */
/* axis_link_tx.c - twin of rtl/axi/loom_axis_link_tx.v, written from docs/axi.md */
#include "axi/axis_link_tx.h"

#include <loom/head.h>
#include <string.h>

enum { MANAGEMENT_VL = 15, UNIT_FLITS = 8, COUNT_BITS = 12, SIZE_BITS = 10 };

bool loom_axis_link_tx_cfg_ok(const struct loom_axis_link_tx_cfg *cfg) {
  if (loom_axis_link_tx_bad_param(cfg) || cfg->VLS * cfg->RESERVED > cfg->UNITS)
    return false;
  return (cfg->MTU_FLITS + UNIT_FLITS - 1) / UNIT_FLITS <=
             cfg->UNITS - (cfg->VLS - 1) * cfg->RESERVED &&
         cfg->WORDS >= cfg->MTU_FLITS - 1;
}

size_t loom_axis_link_tx_storage_size(const struct loom_axis_link_tx_cfg *cfg) {
  return ((size_t)cfg->WORDS + cfg->PACKETS) * sizeof(uint64_t);
}

void loom_axis_link_tx_init(struct loom_axis_link_tx *s, const struct loom_axis_link_tx_cfg *cfg,
                            void *storage) {
  const struct loom_fifo_cfg words = {.DEPTH = cfg->WORDS, .WIDTH = 64};
  const struct loom_fifo_cfg packets = {.DEPTH = cfg->PACKETS, .WIDTH = 64};
  const struct loom_credit_tracker_cfg credits = {.VLS = cfg->VLS,
                                                  .COUNT_W = COUNT_BITS,
                                                  .SIZE_W = SIZE_BITS,
                                                  .UNITS = cfg->UNITS,
                                                  .MAX_UNITS = cfg->UNITS,
                                                  .RESERVED = cfg->RESERVED};
  memset(s, 0, sizeof *s);
  s->cfg = *cfg;
  loom_fifo_init(&s->words, &words, storage);
  loom_fifo_init(&s->packets, &packets, (uint64_t *)storage + cfg->WORDS);
  loom_credit_tracker_init(&s->credits, &credits);
  s->waits = cfg->START;
}

/* Whether the VL has a lane, and which. */
static bool lane_of(const struct loom_axis_link_tx *s, uint64_t vl, uint32_t *lane) {
  uint32_t vls = s->cfg.VLS;
  *lane = vl == MANAGEMENT_VL ? loom_min(MANAGEMENT_VL, vls - 1) : (uint32_t)vl;
  return vl == MANAGEMENT_VL || vl < (vls > MANAGEMENT_VL + 1 ? vls : vls - 1);
}

/* A word of the stream; a packet that it completes goes to the queue of packets, as its head flit
 * with the VL in the place of the source. */
static void take_word(struct loom_axis_link_tx *s, const struct loom_axis_link_tx_in *in) {
  if (!s->open) {
    s->dest = (uint32_t)in->tdest;
    s->id = (uint32_t)in->tid;
    s->user = (uint32_t)in->tuser;
  }
  loom_fifo_edge(&s->words, true, in->tdata, false);
  s->open = !in->tlast;
  if (!in->tlast && s->count != s->cfg.MTU_FLITS - 2) {
    s->count++;
    return;
  }
  uint64_t packet = LOOM_PUT64(LOOM_HEAD_SC, s->user >> 5) |
                    LOOM_PUT64(LOOM_HEAD_LEN, s->count + 2) | LOOM_PUT64(LOOM_HEAD_DEST, s->dest) |
                    LOOM_PUT64(LOOM_HEAD_SRC, s->user & 31) |
                    LOOM_PUT64(LOOM_HEAD_AFTER, s->after) | LOOM_PUT64(LOOM_HEAD_MORE, !in->tlast) |
                    LOOM_PUT64(LOOM_HEAD_ID, s->id);
  loom_fifo_edge(&s->packets, true, packet, false);
  s->after = !in->tlast;
  s->count = 0;
}

/* What the link shows in the next cycle, and whether the packet in `next` begins or is dropped. */
static bool send(struct loom_axis_link_tx *s, uint64_t src) {
  struct loom_axis_link_tx_out *out = &s->out;
  bool was_idle = s->left == 0;
  if (!was_idle) {
    if (!s->drop) {
      out->out_valid = 1;
      out->out_tail = s->left == 1;
      out->out_vl = s->vl;
      out->out_data = loom_fifo_data(&s->words);
    }
    loom_fifo_edge(&s->words, false, 0, true);
    s->left--;
    return false;
  }
  if (!s->next_valid || s->waits)
    return false;
  uint32_t lane = 0;
  uint32_t len = LOOM_GET(LOOM_HEAD_LEN, s->next_head);
  uint32_t units = (len + UNIT_FLITS - 1) / UNIT_FLITS;
  s->drop = !lane_of(s, s->next_vl, &lane);
  if (!s->drop && !loom_credit_tracker_consume(&s->credits, lane, units)) {
    return false;
  }
  s->left = len - 1;
  s->dropped = s->drop;
  if (!s->drop) {
    s->vl = s->next_vl;
    out->out_valid = out->out_head = 1;
    out->out_vl = s->vl;
    out->out_data = s->next_head | LOOM_PUT64(LOOM_HEAD_SRC, src);
  }
  return true;
}

static void credit(struct loom_axis_link_tx *s, const struct loom_axis_link_tx_in *in,
                   uint32_t used_before) {
  uint32_t lane = 0;
  s->credits.error = false;
  if (!in->cr_valid || !lane_of(s, in->cr_vl, &lane))
    return;
  if (used_before >> lane & 1)
    loom_credit_tracker_give_back(&s->credits, lane);
  else
    s->credits.error = true;
}

void loom_axis_link_tx_step(struct loom_axis_link_tx *s, const struct loom_axis_link_tx_in *in,
                            struct loom_axis_link_tx_out *out) {
  bool ready = loom_fifo_ready(&s->words) && loom_fifo_ready(&s->packets);
  bool packet_there = loom_fifo_valid(&s->packets);
  uint64_t packet = loom_fifo_data(&s->packets);
  uint32_t used = s->credits.used_mask;
  *out = s->out;
  out->tready = ready;
  out->dropped = s->dropped;
  out->error = s->credits.error;
  s->out = (struct loom_axis_link_tx_out){0};
  s->dropped = false;
  bool gone = send(s, in->src);
  s->waits -= s->waits != 0;
  if (gone)
    s->next_valid = false;
  if (packet_there && !s->next_valid) {
    s->next_valid = true;
    s->next_vl = LOOM_GET(LOOM_HEAD_SRC, packet);
    s->next_head = packet & ~LOOM_PUT64(LOOM_HEAD_SRC, UINT64_MAX);
    loom_fifo_edge(&s->packets, false, 0, true);
  }
  if (in->tvalid && ready)
    take_word(s, in);
  credit(s, in, used);
}

void loom_axis_link_tx_probe(const struct loom_axis_link_tx *s, struct loom_axis_link_tx_probe *p) {
  p->left = s->left;
  p->waits = s->waits;
  p->loom_end = 0;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* axis_link_tx.c - twin of rtl/axi/loom_axis_link_tx.v, written from docs/axi.md */
#include "axi/axis_link_tx.h"

#include <loom/head.h>
#include <loom/limits.h>
#include <string.h>

enum { MANAGEMENT_VL = 15, COUNT_BITS = 12, SIZE_BITS = 10 };

bool loom_axis_link_tx_cfg_ok(const struct loom_axis_link_tx_cfg *cfg) {
  if (loom_axis_link_tx_bad_param(cfg) || cfg->VLS * cfg->RESERVED > cfg->UNITS)
    return false;
  return (cfg->MTU_FLITS + LOOM_UNIT_FLITS - 1) / LOOM_UNIT_FLITS <=
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

/* The cycle of the tracker: a unit that comes back, and whether `next` is granted what it needs of
 * its lane, if it asks. */
static bool credit_edge(struct loom_axis_link_tx *s, const struct loom_axis_link_tx_in *in,
                        bool asks, uint32_t lane) {
  uint32_t back = 0, len = LOOM_GET(LOOM_HEAD_LEN, s->next_head);
  bool returned = in->cr_valid && lane_of(s, in->cr_vl, &back);
  const struct loom_credit_tracker_in tracker = {.consume_valid = asks,
                                                 .consume_vl = lane,
                                                 .consume_size =
                                                     (len + LOOM_UNIT_FLITS - 1) / LOOM_UNIT_FLITS,
                                                 .return_valid = returned,
                                                 .return_vl = back};
  return loom_credit_tracker_cycle(&s->credits, &tracker);
}

/* A word of the packet leaves. */
static void send_word(struct loom_axis_link_tx *s) {
  if (!s->drop)
    s->out = (struct loom_axis_link_tx_out){.out_valid = 1,
                                            .out_tail = s->left == 1,
                                            .out_vl = s->vl,
                                            .out_data = loom_fifo_data(&s->words)};
  loom_fifo_edge(&s->words, false, 0, true);
  s->left--;
}

/* The packet in `next` begins; one without a lane is dropped. */
static void begin(struct loom_axis_link_tx *s, uint64_t src, bool has_lane) {
  s->left = LOOM_GET(LOOM_HEAD_LEN, s->next_head) - 1;
  s->next_valid = false;
  s->drop = s->dropped = !has_lane;
  if (s->drop)
    return;
  s->vl = s->next_vl;
  s->out =
      (struct loom_axis_link_tx_out){.out_valid = 1,
                                     .out_head = 1,
                                     .out_vl = s->vl,
                                     .out_data = s->next_head | LOOM_PUT64(LOOM_HEAD_SRC, src)};
}

/* What the link shows in the next cycle. */
static void send(struct loom_axis_link_tx *s, const struct loom_axis_link_tx_in *in) {
  uint32_t lane = 0;
  bool due = s->next_valid && !s->left && !s->waits, has_lane = lane_of(s, s->next_vl, &lane);
  bool granted = credit_edge(s, in, due && has_lane, lane);
  s->out = (struct loom_axis_link_tx_out){0};
  s->dropped = false;
  if (s->left)
    send_word(s);
  else if (granted || (due && !has_lane))
    begin(s, in->src, has_lane);
  s->waits -= s->waits != 0;
}

void loom_axis_link_tx_step(struct loom_axis_link_tx *s, const struct loom_axis_link_tx_in *in,
                            struct loom_axis_link_tx_out *out) {
  bool ready = loom_fifo_ready(&s->words) && loom_fifo_ready(&s->packets);
  bool packet_there = loom_fifo_valid(&s->packets);
  uint64_t packet = loom_fifo_data(&s->packets);
  *out = s->out;
  out->tready = ready;
  out->dropped = s->dropped;
  out->error = s->credits.error;
  send(s, in);
  if (packet_there && !s->next_valid) {
    s->next_valid = true;
    s->next_vl = LOOM_GET(LOOM_HEAD_SRC, packet);
    s->next_head = packet & ~LOOM_PUT64(LOOM_HEAD_SRC, UINT64_MAX);
    loom_fifo_edge(&s->packets, false, 0, true);
  }
  if (in->tvalid && ready)
    take_word(s, in);
}

void loom_axis_link_tx_probe(const struct loom_axis_link_tx *s, struct loom_axis_link_tx_probe *p) {
  p->left = s->left;
  p->waits = s->waits;
  p->loom_end = 0;
}

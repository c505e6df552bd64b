/* SPDX-License-Identifier: Apache-2.0 */
/* axis_link_tx.c - twin of rtl/axi/loom_axis_link_tx.v, written from docs/axi.md */
#include "axi/axis_link_tx.h"

#include <loom/head.h>
#include <loom/limits.h>
#include <string.h>

enum { MANAGEMENT_VL = 15 };

static uint32_t units_of(uint32_t flits) { return (flits + LOOM_UNIT_FLITS - 1) / LOOM_UNIT_FLITS; }

bool loom_axis_link_tx_cfg_ok(const struct loom_axis_link_tx_cfg *cfg) {
  if (loom_axis_link_tx_bad_param(cfg) || cfg->VLS * cfg->RESERVED > cfg->UNITS)
    return false;
  return units_of(cfg->MTU_FLITS) <= cfg->UNITS - (cfg->VLS - 1) * cfg->RESERVED &&
         cfg->WORDS >= cfg->MTU_FLITS - 1;
}

size_t loom_axis_link_tx_storage_size(const struct loom_axis_link_tx_cfg *cfg) {
  return ((size_t)cfg->WORDS + cfg->PACKETS) * sizeof(uint64_t);
}

void loom_axis_link_tx_init(struct loom_axis_link_tx *s, const struct loom_axis_link_tx_cfg *cfg,
                            void *storage) {
  const struct loom_fifo_cfg words = {.DEPTH = cfg->WORDS, .WIDTH = 64};
  const struct loom_fifo_cfg packets = {.DEPTH = cfg->PACKETS, .WIDTH = 64};
  memset(s, 0, sizeof *s);
  s->cfg = *cfg;
  loom_fifo_init(&s->words, &words, storage);
  loom_fifo_init(&s->packets, &packets, (uint64_t *)storage + cfg->WORDS);
  s->pool = cfg->UNITS - cfg->VLS * cfg->RESERVED;
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

/* Units that `next` takes in this cycle, if its lane has so many in use: four, one or none. */
static uint32_t units_taken(const struct loom_axis_link_tx *s, uint32_t used) {
  uint32_t reserved = s->cfg.RESERVED;
  if (s->need >= 4 && (used + 4 <= reserved || (used >= reserved && s->pool >= 4)))
    return 4;
  return s->need >= 1 && (used < reserved || s->pool >= 1);
}

/* The far end's units: one comes back, `next` takes some. */
static void credit_edge(struct loom_axis_link_tx *s, const struct loom_axis_link_tx_in *in) {
  uint32_t lane = 0, home = 0, take = 0;
  bool has_lane = lane_of(s, s->next_vl, &lane), back = s->back;
  bool comes = in->cr_valid && lane_of(s, in->cr_vl, &home), same = has_lane && lane == home;
  if (s->next_valid && has_lane)
    take = units_taken(s, s->used[lane]);
  if (take && s->used[lane] >= s->cfg.RESERVED)
    s->pool -= take;
  s->error = comes && s->used[home] == (same ? s->hand : 0);
  comes = comes && !s->error;
  if (take) {
    s->used[lane] += take;
    s->hand += take;
    s->need -= take;
  }
  s->back = comes && s->used[home] > s->cfg.RESERVED;
  s->used[home] -= comes;
  s->pool += back;
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
  s->hand = 0;
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
  due = due && !(has_lane && s->need);
  credit_edge(s, in);
  s->out = (struct loom_axis_link_tx_out){0};
  s->dropped = false;
  if (s->left)
    send_word(s);
  else if (due)
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
  out->error = s->error;
  send(s, in);
  if (packet_there && !s->next_valid) {
    s->next_valid = true;
    s->next_vl = LOOM_GET(LOOM_HEAD_SRC, packet);
    s->next_head = packet & ~LOOM_PUT64(LOOM_HEAD_SRC, UINT64_MAX);
    s->need = units_of((uint32_t)LOOM_GET(LOOM_HEAD_LEN, packet));
    loom_fifo_edge(&s->packets, false, 0, true);
  }
  if (in->tvalid && ready)
    take_word(s, in);
}

void loom_axis_link_tx_probe(const struct loom_axis_link_tx *s, struct loom_axis_link_tx_probe *p) {
  p->left = s->left;
  p->waits = s->waits;
  p->pool = s->pool;
  p->loom_end = 0;
}

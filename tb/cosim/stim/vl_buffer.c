/* SPDX-License-Identifier: Apache-2.0 */
/* vl_buffer.c - traffic for vl_buffer: packets of all lengths that interleave flit by flit, senders
 * that know no credits (so packets are refused), readers from greedy to asleep, broken streams, new
 * limits */
#include "parts/vl_buffer.h"

#define DUT_NAME vl_buffer
#define DUT_LIST "parts/vl_buffer.def"
#include "tb/cosim/dut.h"

struct state {
  struct rng rng;
  struct loom_vl_buffer_cfg cfg;
  uint32_t write, take, broken, weave, vls_used, longest; /* chances in 256; VLs; flits */
  uint32_t vl;                                            /* of the packet being written */
  uint32_t left[32];                                      /* flits still to come, a VL */
  uint32_t config_left;
  uint64_t phase_end;
};

static void init(void *st, struct rng *rng, const void *cfg, const struct scenario *sc) {
  struct state *s = st;
  (void)sc;
  s->rng = *rng;
  s->cfg = *(const struct loom_vl_buffer_cfg *)cfg;
}

static void new_phase(struct state *s, uint64_t cycle) {
  static const uint32_t chance[] = {0, 24, 128, 220, 256, 256};
  uint32_t all = s->cfg.CELLS * s->cfg.CELL_FLITS;
  const uint32_t longest[] = {2, s->cfg.CELL_FLITS + 1, 4 * s->cfg.CELL_FLITS + 3, all / 4 + 2,
                              all + 9};
  s->write = chance[rng_below(&s->rng, 6)];
  s->take = chance[rng_below(&s->rng, 6)];
  s->weave = chance[rng_below(&s->rng, 4)];
  s->broken = rng_chance(&s->rng, 40) ? 12 : 0;
  s->vls_used = rng_range(&s->rng, 1, s->cfg.VLS);
  s->longest = longest[rng_below(&s->rng, 5)];
  s->config_left = rng_chance(&s->rng, 32) ? rng_range(&s->rng, 1, 2 * s->cfg.VLS) : 0;
  s->phase_end = cycle + rng_range(&s->rng, 16, 2 * all + 200);
}

static void write_flit(struct state *s, struct loom_vl_buffer_in *i) {
  if (rng_chance(&s->rng, s->weave) || s->left[s->vl] == 0)
    s->vl = rng_below(&s->rng, s->vls_used);
  i->wr_valid = 1;
  i->wr_vl = s->vl;
  i->wr_data = rng_bits(&s->rng, s->cfg.WIDTH, 128);
  i->wr_len = rng_bits(&s->rng, s->cfg.LEN_W, 128); /* looked at with the head only */
  i->wr_info = rng_bits(&s->rng, s->cfg.INFO_W, 128);
  if (s->left[s->vl] == 0) {
    uint32_t most = (uint32_t)loom_mask(s->cfg.LEN_W);
    i->wr_head = 1;
    i->wr_len = rng_range(&s->rng, 1, s->longest < most ? s->longest : most);
    if (rng_chance(&s->rng, s->broken))
      i->wr_len = 0;
    s->left[s->vl] = (uint32_t)i->wr_len;
  }
  if (s->left[s->vl])
    s->left[s->vl]--;
  if (rng_chance(&s->rng, s->broken)) { /* after this the two ideas of a packet may differ: fine */
    i->wr_head ^= rng_below(&s->rng, 2);
    i->wr_vl = rng_below(&s->rng, 32);
  }
}

/* New limits count only while the buffer is empty: so it is drained first, most of the time. */
static void configure(struct state *s, const struct loom_vl_buffer_out *o,
                      struct loom_vl_buffer_in *i) {
  uint64_t busy = 0;
  for (uint32_t v = 0; v < s->cfg.VLS; v++)
    busy |= o->used[v];
  i->wr_valid &= s->left[s->vl] != 0;
  i->take = 1;
  if (busy && !rng_chance(&s->rng, 4))
    return;
  uint32_t kind = rng_below(&s->rng, 4);
  i->cfg_we = 1;
  i->cfg_addr = kind == 0   ? rng_below(&s->rng, s->cfg.VLS)
                : kind == 1 ? 32 + rng_below(&s->rng, s->cfg.VLS)
                : kind == 2 ? 64
                            : rng_below(&s->rng, 128);
  i->cfg_data = kind == 0 ? rng_below(&s->rng, s->cfg.CELLS / s->cfg.VLS + 1)
                          : rng_range(&s->rng, kind == 2 ? s->cfg.CELLS / 2 : 0, s->cfg.CELLS);
  s->config_left--;
}

static void next(void *st, uint64_t cycle, const void *out, void *in) {
  struct state *s = st;
  const struct loom_vl_buffer_out *o = out;
  struct loom_vl_buffer_in *i = in;
  if (cycle >= s->phase_end)
    new_phase(s, cycle);
  if (rng_chance(&s->rng, s->write))
    write_flit(s, i);
  i->take = rng_chance(&s->rng, s->take);
  /* A waiting packet when there is one; without one (ignored) now and then, any VL at all. */
  i->take_vl = o->head_valid && !rng_chance(&s->rng, 8)
                   ? loom_ctz_from(o->head_valid, rng_below(&s->rng, s->cfg.VLS))
                   : rng_below(&s->rng, 32);
  if (s->config_left)
    configure(s, o, i);
}

static void observe(void *st, uint64_t cycle, const void *in, const void *out, const void *probe,
                    struct stats *stats) {
  (void)probe;
  const struct loom_vl_buffer_in *i = in;
  const struct loom_vl_buffer_out *o = out;
  (void)st;
  if (i->wr_valid && i->wr_head) {
    struct packet_note n = {.cycle = cycle,
                            .vl = (uint32_t)i->wr_vl,
                            .length = (uint32_t)i->wr_len,
                            .id = (uint32_t)i->wr_data};
    stats->packets++;
    stats_note(stats, &n);
  }
  stats->grants += o->rd_valid && o->rd_tail; /* packets that left */
}

/* With two VLs: no flit, or a body or head (1 or 3 flits, 0 on VL 0) of either, or a body of a VL
 * that is not there; with it a take of nobody, VL 0, 1 or (ignored) 2: every path of DEPTH cycles.
 * Without a pool: well-formed packets of 3 flits (one VL) or of 1 flit (two VLs) until no state is
 * new. The data bit stays 0: every stale word of the memory would be one more state. */
enum { DEPTH = 8, KINDS = 4 };

static bool well_formed(const struct loom_vl_buffer_cfg *c) {
  return c->VLS * c->RESERVED == c->CELLS;
}

static uint32_t bfs_depth(const void *cfg) { return well_formed(cfg) ? 0 : DEPTH; }

static uint32_t bfs_inputs(const void *cfg) {
  const struct loom_vl_buffer_cfg *c = cfg;
  return (1 + (c->VLS + 1) * KINDS) * (c->VLS + 2);
}

static bool bfs_input(const void *cfg, const void *twin, uint32_t i, void *in) {
  static const uint8_t len[KINDS] = {0, 1, 3, 0}; /* kind 0: a body */
  const struct loom_vl_buffer_cfg *c = cfg;
  const struct loom_vl_buffer *t = twin;
  struct loom_vl_buffer_in *b = in;
  uint32_t take = i % (c->VLS + 2), flit = i / (c->VLS + 2);
  b->take = take > 0;
  b->take_vl = take ? take - 1 : 0;
  if (well_formed(c) && take > c->VLS)
    return false;
  if (flit == 0)
    return true;
  uint32_t kind = (flit - 1) % KINDS;
  b->wr_valid = 1;
  b->wr_vl = (flit - 1) / KINDS;
  b->wr_head = kind > 0;
  b->wr_len = len[kind];
  if (well_formed(c)) {
    bool inside = (t->open | t->dropping) >> b->wr_vl & 1;
    uint32_t head = c->VLS == 1 ? 2 : 1;
    return b->wr_vl < c->VLS && kind == (inside ? 0 : head);
  }
  b->wr_info = b->wr_vl & loom_mask(c->INFO_W);
  if (b->wr_vl == c->VLS)
    return kind == 0 && !b->take;
  return kind < 3 || b->wr_vl == 0;
}

static const struct stim stim = {.size = sizeof(struct state),
                                 .episode = 50000,
                                 .init = init,
                                 .next = next,
                                 .observe = observe,
                                 .bfs_depth = bfs_depth,
                                 .bfs_inputs = bfs_inputs,
                                 .bfs_input = bfs_input};
const struct dut vl_buffer_dut = DUT_INIT(&stim);

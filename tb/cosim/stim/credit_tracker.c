/* SPDX-License-Identifier: Apache-2.0 */
/* credit_tracker.c - traffic for credit_tracker: takes and returns around every limit, new limits
 * when it is empty and (ignored) when it is not, returns of what nobody took */
#include "parts/credit_tracker.h"

#define DUT_NAME credit_tracker
#define DUT_LIST "parts/credit_tracker.def"
#include "tb/cosim/dut.h"

struct state {
  struct rng rng;
  struct loom_credit_tracker_cfg cfg;
  uint32_t take, give, wild, big; /* chances in 256 */
  uint32_t config_left;           /* writes still to do of a new configuration */
  uint32_t reserved[32], total;   /* as they were written */
  uint32_t none;                  /* chance in 256 that a reserve is 0 */
  uint64_t phase_end;
};

static void init(void *st, struct rng *rng, const void *cfg, const struct scenario *sc) {
  struct state *s = st;
  (void)sc;
  s->rng = *rng;
  s->cfg = *(const struct loom_credit_tracker_cfg *)cfg;
  s->total = s->cfg.UNITS;
  for (uint32_t v = 0; v < s->cfg.VLS; v++)
    s->reserved[v] = s->cfg.RESERVED;
}

static void new_phase(struct state *s, uint64_t cycle) {
  static const uint32_t chance[] = {0, 16, 64, 128, 240, 256};
  s->take = chance[rng_below(&s->rng, 6)];
  s->give = chance[rng_below(&s->rng, 6)];
  s->wild = rng_chance(&s->rng, 64) ? 32 : 0;
  s->big = chance[rng_below(&s->rng, 5)];
  s->none = chance[rng_below(&s->rng, 5)];
  s->config_left = rng_chance(&s->rng, 64) ? rng_range(&s->rng, 1, 2 * s->cfg.VLS + 1) : 0;
  s->phase_end = cycle + rng_range(&s->rng, 8, 6 * s->cfg.UNITS < 600 ? 6 * s->cfg.UNITS : 600);
}

static uint32_t any_vl(struct state *s) {
  return rng_chance(&s->rng, s->wild) ? rng_below(&s->rng, 32) : rng_below(&s->rng, s->cfg.VLS);
}

/* The reserves of all VLs but one; no VL has the number VLS. */
static uint64_t others(const struct state *s, uint32_t vl) {
  uint64_t sum = 0;
  for (uint32_t v = 0; v < s->cfg.VLS; v++)
    sum += v == vl ? 0 : s->reserved[v];
  return sum;
}

/* A reserve: none, small, or anything up to all that the others leave. */
static uint32_t any_reserve(struct state *s, uint32_t vl) {
  uint64_t taken = others(s, vl);
  if (rng_chance(&s->rng, s->none))
    return 0;
  if (rng_chance(&s->rng, 128) || taken >= s->total)
    return rng_below(&s->rng, s->cfg.UNITS / s->cfg.VLS + 1);
  return rng_below(&s->rng, s->total - (uint32_t)taken + 1);
}

/* A total that leaves room for all reserves, most of the time. */
static uint32_t any_total(struct state *s) {
  uint64_t sum = others(s, s->cfg.VLS);
  uint32_t least = s->cfg.UNITS / 2;
  if (sum > least && sum <= s->cfg.MAX_UNITS && rng_chance(&s->rng, 224))
    least = (uint32_t)sum;
  return rng_range(&s->rng, least, s->cfg.MAX_UNITS);
}

/* A limit that makes sense most of the time. */
static void configure(struct state *s, struct loom_credit_tracker_in *i) {
  uint32_t kind = rng_below(&s->rng, 8), units = s->cfg.UNITS;
  uint64_t all = loom_mask(s->cfg.COUNT_W);
  i->cfg_we = 1;
  if (kind < 3) {
    i->cfg_addr = rng_below(&s->rng, s->cfg.VLS);
    i->cfg_data = any_reserve(s, (uint32_t)i->cfg_addr);
  } else if (kind < 5) {
    i->cfg_addr = 32 + rng_below(&s->rng, s->cfg.VLS);
    i->cfg_data = rng_chance(&s->rng, 128) ? units : rng_below(&s->rng, units + 1);
  } else if (kind == 5) { /* means nothing, or nearly */
    i->cfg_addr = rng_below(&s->rng, 4) * 32 + rng_below(&s->rng, s->cfg.VLS + 1) % 32;
    i->cfg_data = rng_below(&s->rng, units + 1);
  } else if (kind == 6) {
    i->cfg_addr = 64;
    i->cfg_data = any_total(s);
  } else {
    i->cfg_addr = rng_below(&s->rng, 128);
    i->cfg_data = rng_bits(&s->rng, s->cfg.COUNT_W, 128);
  }
  i->cfg_data &= all;
}

/* What a write leaves while nothing is in use. */
static void configured(struct state *s, const struct loom_credit_tracker_in *i) {
  if (i->cfg_addr < s->cfg.VLS)
    s->reserved[i->cfg_addr] = (uint32_t)i->cfg_data;
  else if (i->cfg_addr == 64)
    s->total = (uint32_t)i->cfg_data;
}

static void next(void *st, uint64_t cycle, const void *out, void *in) {
  struct state *s = st;
  const struct loom_credit_tracker_out *o = out;
  struct loom_credit_tracker_in *i = in;
  if (cycle >= s->phase_end)
    new_phase(s, cycle);
  i->consume_valid = rng_chance(&s->rng, s->take);
  i->consume_vl = any_vl(s);
  uint64_t most = loom_mask(s->cfg.SIZE_W);
  uint64_t room = i->consume_vl < s->cfg.VLS ? o->avail[i->consume_vl] : 0;
  if (rng_chance(&s->rng, s->big)) /* at the limit: just fits, or just does not */
    i->consume_size =
        room + rng_below(&s->rng, 3) > 0 ? room + rng_below(&s->rng, 3) - (room > 0) : 0;
  else
    i->consume_size = rng_below(&s->rng, 8);
  if (i->consume_size > most)
    i->consume_size = most;
  i->return_vl = any_vl(s);
  i->return_valid = rng_chance(&s->rng, s->give);
  /* Give back what is there, unless a wild return is wanted. */
  if (!s->wild && i->return_vl < s->cfg.VLS && o->used[i->return_vl] < 2)
    i->return_valid = 0;
  if (s->config_left) {
    uint64_t busy = 0;
    for (uint32_t v = 0; v < s->cfg.VLS; v++)
      busy += o->used[v];
    if (!busy || rng_chance(&s->rng, busy < 3 ? 64 : 8)) {
      configure(s, i);
      if (!busy)
        configured(s, i);
      s->config_left--;
    } else {
      i->consume_valid = 0; /* drain first */
      i->return_vl = rng_below(&s->rng, s->cfg.VLS);
      i->return_valid = o->used[i->return_vl] > 0;
    }
  }
}

static void observe(void *st, uint64_t cycle, const void *in, const void *out, const void *probe,
                    struct stats *stats) {
  (void)probe;
  const struct loom_credit_tracker_in *i = in;
  const struct loom_credit_tracker_out *o = out;
  (void)st;
  if (i->consume_valid) {
    struct packet_note n = {.cycle = cycle,
                            .vl = (uint32_t)i->consume_vl,
                            .length = (uint32_t)i->consume_size,
                            .id = (uint32_t)o->consume_ok};
    stats->packets++;
    stats_note(stats, &n);
  }
  stats->grants += o->consume_ok;
}

/* (VL or none) x (size) taken, (VL or none) given back; or a write of a small limit with both. */
static uint32_t bfs_inputs(const void *cfg) {
  const struct loom_credit_tracker_cfg *c = cfg;
  uint32_t takes = 1 + (c->VLS + 1) * (1u << c->SIZE_W), gives = c->VLS + 2;
  return takes * gives + (2 * c->VLS + 2) * (c->UNITS + 1);
}

static bool bfs_input(const void *cfg, const void *twin, uint32_t i, void *in) {
  const struct loom_credit_tracker_cfg *c = cfg;
  struct loom_credit_tracker_in *t = in;
  uint32_t takes = 1 + (c->VLS + 1) * (1u << c->SIZE_W), gives = c->VLS + 2;
  (void)twin;
  if (i >= takes * gives) {
    i -= takes * gives;
    uint32_t place = i / (c->UNITS + 1);
    t->cfg_we = 1;
    t->cfg_data = i % (c->UNITS + 1);
    t->cfg_addr = place < c->VLS        ? place
                  : place < 2 * c->VLS  ? 32 + place - c->VLS
                  : place == 2 * c->VLS ? 64
                                        : 100;
    t->consume_valid = 1; /* refused: a write is under way */
    t->consume_size = 1;
    return true;
  }
  uint32_t take = i / gives, give = i % gives;
  t->consume_valid = take > 0;
  if (take) {
    t->consume_vl = (take - 1) >> c->SIZE_W;
    t->consume_size = (take - 1) & loom_mask(c->SIZE_W);
  }
  t->return_valid = give > 0;
  t->return_vl = give ? give - 1 : 0;
  return true;
}

static const struct stim stim = {.size = sizeof(struct state),
                                 .episode = 20000,
                                 .init = init,
                                 .next = next,
                                 .observe = observe,
                                 .bfs_inputs = bfs_inputs,
                                 .bfs_input = bfs_input};
const struct dut credit_tracker_dut = DUT_INIT(&stim);

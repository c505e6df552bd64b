/* SPDX-License-Identifier: Apache-2.0 */
/* room_tracker.c - traffic for room_tracker: users that keep to the room bits, that consume in
 * every cycle and that do not ask at all; needs around every limit, returns of what nobody took,
 * new limits when it is empty and (ignored) when it is not, events before it is ready */
#include "parts/room_tracker.h"

#define DUT_NAME room_tracker
#define DUT_LIST "parts/room_tracker.def"
#include "tb/cosim/dut.h"

struct state {
  struct rng rng;
  struct loom_room_tracker_cfg cfg;
  uint32_t take, give, need, wild, big; /* chances in 256 */
  bool every;                           /* consumes in cycles that follow each other, too */
  uint32_t config_left;                 /* writes still to do of a new configuration */
  uint64_t phase_end;
  bool consumed; /* in the last cycle */
  uint32_t needs[32];
  uint64_t have[32]; /* units that were sent, less those that came back */
};

static void init(void *st, struct rng *rng, const void *cfg, const struct scenario *sc) {
  struct state *s = st;
  (void)sc;
  s->rng = *rng;
  s->cfg = *(const struct loom_room_tracker_cfg *)cfg;
  for (uint32_t v = 0; v < 32; v++)
    s->needs[v] = s->cfg.NEED;
}

static void new_phase(struct state *s, uint64_t cycle) {
  static const uint32_t chance[] = {0, 16, 64, 128, 240, 256};
  s->take = chance[rng_below(&s->rng, 6)];
  s->give = chance[rng_below(&s->rng, 6)];
  s->need = chance[rng_below(&s->rng, 5)] / 4;
  s->wild = rng_chance(&s->rng, 64) ? 32 : 0;
  s->big = chance[rng_below(&s->rng, 5)];
  s->every = rng_chance(&s->rng, 128);
  s->config_left = rng_chance(&s->rng, 64) ? rng_range(&s->rng, 1, 2 * s->cfg.VLS + 1) : 0;
  s->phase_end = cycle + rng_range(&s->rng, 8, 6 * s->cfg.UNITS < 600 ? 6 * s->cfg.UNITS : 600);
}

static uint32_t any_vl(struct state *s) {
  return rng_chance(&s->rng, s->wild) ? rng_below(&s->rng, 32) : rng_below(&s->rng, s->cfg.VLS);
}

/* A lane with a bit in `set`, by chance; `otherwise` if there is none. */
static uint32_t one_of(struct state *s, uint64_t set, uint32_t otherwise) {
  if (!set)
    return otherwise;
  uint32_t from = rng_below(&s->rng, s->cfg.VLS);
  uint64_t above = set >> from << from;
  return loom_ctz(above ? above : set);
}

static uint64_t lanes_with_units(const struct state *s) {
  uint64_t set = 0;
  for (uint32_t v = 0; v < s->cfg.VLS; v++)
    set |= (uint64_t)(s->have[v] > 0) << v;
  return set;
}

/* A limit that makes sense most of the time. */
static void configure(struct state *s, struct loom_room_tracker_in *i) {
  uint32_t kind = rng_below(&s->rng, 8), units = s->cfg.UNITS;
  i->cfg_we = 1;
  if (kind < 3) {
    i->cfg_addr = rng_below(&s->rng, s->cfg.VLS);
    i->cfg_data = rng_below(&s->rng, units / s->cfg.VLS + 1);
  } else if (kind < 6) {
    i->cfg_addr = 32 + rng_below(&s->rng, s->cfg.VLS);
    i->cfg_data = rng_below(&s->rng, units + 1);
  } else if (kind == 6) {
    i->cfg_addr = 64;
    i->cfg_data = rng_range(&s->rng, units / 2, s->cfg.MAX_UNITS);
  } else {
    i->cfg_addr = rng_below(&s->rng, 128);
    i->cfg_data = rng_bits(&s->rng, s->cfg.COUNT_W, 128);
  }
  i->cfg_data &= loom_mask(s->cfg.COUNT_W);
}

static void consume(struct state *s, const struct loom_room_tracker_out *o,
                    struct loom_room_tracker_in *i) {
  i->consume_vl = any_vl(s);
  i->consume_valid = rng_chance(&s->rng, s->take);
  if (!s->wild) { /* keeps to the bits */
    i->consume_vl = one_of(s, o->room, 0);
    i->consume_valid &= o->room && (s->every || !s->consumed);
  }
  uint32_t need = i->consume_vl < s->cfg.VLS ? s->needs[i->consume_vl] : 0;
  i->consume_size = rng_chance(&s->rng, s->big) || !need ? need : rng_range(&s->rng, 1, need);
  if (rng_chance(&s->rng, s->wild))
    i->consume_size = rng_bits(&s->rng, s->cfg.SIZE_W, 128);
  s->consumed = i->consume_valid;
  if (i->consume_valid && i->consume_vl < 32)
    s->have[i->consume_vl] += i->consume_size;
}

static void write_need(struct state *s, struct loom_room_tracker_in *i) {
  uint32_t most = (uint32_t)loom_mask(s->cfg.SIZE_W), sensible = s->cfg.UNITS / s->cfg.VLS + 2;
  i->need_vl = any_vl(s);
  i->need_valid = rng_chance(&s->rng, s->need);
  i->need_size = rng_chance(&s->rng, 16) ? rng_bits(&s->rng, s->cfg.SIZE_W, 128)
                                         : rng_below(&s->rng, sensible < most ? sensible : most);
  if (i->need_valid && i->need_vl < 32)
    s->needs[i->need_vl] = (uint32_t)i->need_size;
}

static void next(void *st, uint64_t cycle, const void *out, void *in) {
  struct state *s = st;
  const struct loom_room_tracker_out *o = out;
  struct loom_room_tracker_in *i = in;
  if (cycle >= s->phase_end)
    new_phase(s, cycle);
  consume(s, o, i);
  write_need(s, i);
  uint64_t full = lanes_with_units(s);
  i->return_vl = s->wild ? any_vl(s) : one_of(s, full, 0);
  i->return_valid = rng_chance(&s->rng, s->give) && (s->wild || full);
  if (s->config_left) {
    if (o->idle || rng_chance(&s->rng, 8)) {
      i->consume_valid = rng_chance(&s->rng, 16) && i->consume_valid;
      configure(s, i);
      s->config_left--;
    } else { /* drain first; what was refused is given back for nothing */
      i->consume_valid = 0;
      i->return_vl = o->total && !full ? rng_below(&s->rng, s->cfg.VLS) : one_of(s, full, 0);
      i->return_valid = o->total > 0 || full;
    }
  }
  if (i->return_valid && i->return_vl < 32 && s->have[i->return_vl])
    s->have[i->return_vl]--;
}

static void observe(void *st, uint64_t cycle, const void *in, const void *out, const void *probe,
                    struct stats *stats) {
  const struct loom_room_tracker_in *i = in;
  const struct loom_room_tracker_out *o = out;
  (void)st;
  (void)probe;
  if (i->consume_valid) {
    struct packet_note n = {.cycle = cycle,
                            .vl = (uint32_t)i->consume_vl,
                            .length = (uint32_t)i->consume_size,
                            .id = (uint32_t)o->room};
    stats->packets++;
    stats_note(stats, &n);
    stats->grants += o->room >> i->consume_vl & 1;
  }
}

/* (Nothing, or a packet of each VL and size) x (nothing, or a return of each VL); a need of each VL
 * and size. Limits are written in the other runs: with them the states are too many. */
static uint32_t bfs_inputs(const void *cfg) {
  const struct loom_room_tracker_cfg *c = cfg;
  uint32_t sizes = 1u << c->SIZE_W;
  return (1 + c->VLS * sizes) * (1 + c->VLS) + c->VLS * sizes;
}

static bool bfs_input(const void *cfg, const void *twin, uint32_t i, void *in) {
  const struct loom_room_tracker_cfg *c = cfg;
  struct loom_room_tracker_in *t = in;
  uint32_t sizes = 1u << c->SIZE_W, gives = 1 + c->VLS, both = (1 + c->VLS * sizes) * gives;
  (void)twin;
  if (i >= both) {
    t->need_valid = 1;
    t->need_size = (i - both) % sizes;
    t->need_vl = (i - both) / sizes;
    return true;
  }
  uint32_t take = i / gives, give = i % gives;
  t->consume_valid = take > 0;
  t->consume_size = take ? (take - 1) % sizes : 0;
  t->consume_vl = take ? (take - 1) / sizes : 0;
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
const struct dut room_tracker_dut = DUT_INIT(&stim);

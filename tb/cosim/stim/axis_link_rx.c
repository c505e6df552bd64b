/* SPDX-License-Identifier: Apache-2.0 */
/* axis_link_rx.c - traffic for axis_link_rx: packets of any length within the credits, flits
 * without a head and heads in packets, a stream that is taken always, sometimes or not for a while
 *
 * What the stream shows must be the words that came, and each unit must come back with its last
 * flit. */
#include "axi/axis_link_rx.h"

#include <inttypes.h>
#include <loom/head.h>
#include <string.h>

#define DUT_NAME axis_link_rx
#define DUT_LIST "axi/axis_link_rx.def"
#include "tb/cosim/dut.h"
#include "tb/ends/lanes.h"

enum { RING = 8192 };

struct flit {
  uint64_t data, vl;
  bool first, last;
};

struct state {
  struct rng rng;
  uint32_t units; /* that may be sent */
  uint32_t load, take;
  uint64_t phase_end;
  uint32_t left, vl; /* flits of the packet that is being sent */
  /* The judge's. */
  struct flit ring[RING];
  uint64_t in, out;
  bool open;
  struct flit head;
  uint32_t left_it; /* flits of the packet in view that have left the circuit */
  bool error;       /* the last cycle had one */
  bool shown;       /* the word in view was shown before */
  struct loom_axis_link_rx_out before;
  char wrong[160];
};

static void init(void *st, struct rng *rng, const void *cfg, const struct scenario *sc) {
  struct state *s = st;
  (void)sc;
  s->rng = *rng;
  s->units = ((const struct loom_axis_link_rx_cfg *)cfg)->UNITS;
}

static void begin(struct state *s, struct loom_axis_link_rx_in *i) {
  uint32_t len =
      rng_below(&s->rng, 3) ? rng_range(&s->rng, 1, 20) : rng_range(&s->rng, 1, s->units * 8);
  if (end_units(len) > s->units)
    return;
  s->units -= end_units(len);
  s->left = len;
  s->vl = rng_below(&s->rng, 32);
  i->in_valid = i->in_head = 1;
}

static void next(void *st, uint64_t cycle, const void *out, void *in) {
  static const uint32_t load[] = {0, 16, 128, 256, 256}, take[] = {0, 16, 128, 256, 256};
  struct state *s = st;
  const struct loom_axis_link_rx_out *o = out;
  struct loom_axis_link_rx_in *i = in;
  if (cycle >= s->phase_end) {
    s->load = load[rng_below(&s->rng, 5)];
    s->take = take[rng_below(&s->rng, 5)];
    s->phase_end = cycle + rng_range(&s->rng, 20, 3000);
  }
  s->units += (uint32_t)o->cr_valid;
  i->tready = rng_chance(&s->rng, s->take);
  if (!rng_chance(&s->rng, s->load))
    return;
  if (s->left) {
    i->in_valid = 1;
    i->in_head = rng_below(&s->rng, 500) == 0; /* an error that changes nothing */
  } else if (rng_below(&s->rng, 200) == 0) {
    i->in_valid = 1; /* without a head: an error, too */
    i->in_data = rng_next(&s->rng);
    i->in_tail = rng_below(&s->rng, 2);
    return;
  } else {
    begin(s, i);
  }
  if (!i->in_valid)
    return;
  s->left--;
  i->in_data = rng_next(&s->rng);
  i->in_vl = s->vl;
  i->in_tail = s->left == 0;
}

static void wrong(struct state *s, uint64_t cycle, const char *what) {
  if (!s->wrong[0])
    snprintf(s->wrong, sizeof s->wrong, "cycle %" PRIu64 ": %s", cycle, what);
}

static uint64_t user_of(const struct flit *head) {
  uint64_t after = LOOM_GET(LOOM_HEAD_AFTER, head->data),
           more = LOOM_GET(LOOM_HEAD_MORE, head->data);
  return after << 27 | more << 26 | LOOM_GET64(LOOM_HEAD_SRC, head->data) << 10 |
         LOOM_GET64(LOOM_HEAD_SC, head->data) << 5 | head->vl;
}

/* The next flit that came. */
static const struct flit *leaving(struct state *s, uint64_t cycle) {
  if (s->out == s->in)
    wrong(s, cycle, "more than came");
  return &s->ring[s->out++ % RING];
}

static void take_head(struct state *s, uint64_t cycle) {
  s->head = *leaving(s, cycle);
  s->left_it = 1;
  if (!s->head.first)
    wrong(s, cycle, "a word before its head");
}

/* A word that is shown for the first time: the next that came, beside what its head said. Gives
 * whether a unit ends with it. */
static bool judge_word(struct state *s, uint64_t cycle, const struct loom_axis_link_rx_out *o) {
  if (s->ring[s->out % RING].first)
    take_head(s, cycle);
  const struct flit *w = leaving(s, cycle);
  if (w->first || o->tdata != w->data || o->tlast != w->last)
    wrong(s, cycle, "a word of the stream");
  if (o->tdest != LOOM_GET(LOOM_HEAD_DEST, s->head.data) ||
      o->tid != LOOM_GET(LOOM_HEAD_ID, s->head.data) || o->tuser != user_of(&s->head))
    wrong(s, cycle, "what stands beside a word");
  s->left_it++;
  return w->last || s->left_it % LOOM_UNIT_FLITS == 0;
}

/* What left in the last cycle: a head alone, or a word. */
static void judge_leaving(struct state *s, uint64_t cycle, const struct loom_axis_link_rx_out *o) {
  bool ends = o->empty;
  if (o->empty) {
    take_head(s, cycle);
    if (!s->head.last)
      wrong(s, cycle, "empty_o");
  }
  if (o->tvalid && !s->shown)
    ends = judge_word(s, cycle, o);
  if (o->cr_valid != ends || (ends && o->cr_vl != s->head.vl))
    wrong(s, cycle, "a credit");
}

static void judge_arrival(struct state *s, uint64_t cycle, const struct loom_axis_link_rx_in *i) {
  if (!i->in_valid || !(s->open || i->in_head))
    return;
  s->ring[s->in++ % RING] = (struct flit){i->in_data, i->in_vl, !s->open, i->in_tail};
  s->open = !i->in_tail;
  if (s->in - s->out > RING)
    wrong(s, cycle, "too much inside");
}

static void observe(void *st, uint64_t cycle, const void *in, const void *out, const void *probe,
                    struct stats *stats) {
  struct state *s = st;
  const struct loom_axis_link_rx_in *i = in;
  const struct loom_axis_link_rx_out *o = out;
  (void)probe;
  if (s->shown && (!o->tvalid || o->tdata != s->before.tdata || o->tuser != s->before.tuser ||
                   o->tlast != s->before.tlast || o->tdest != s->before.tdest))
    wrong(s, cycle, "the stream did not stay");
  judge_leaving(s, cycle, o);
  if (o->error != s->error)
    wrong(s, cycle, "error_o");
  s->error = i->in_valid && s->open == (bool)i->in_head;
  s->shown = o->tvalid && !i->tready;
  s->before = *o;
  judge_arrival(s, cycle, i);
  stats->packets += i->in_valid & i->in_tail;
  stats->grants += o->tvalid & o->tlast & i->tready;
}

static bool check(const void *st, char *why, size_t why_size) {
  const struct state *s = st;
  if (s->wrong[0])
    snprintf(why, why_size, "%s", s->wrong);
  return !s->wrong[0];
}

static const struct stim stim = {
    .size = sizeof(struct state), .init = init, .next = next, .observe = observe, .check = check};
const struct dut axis_link_rx_dut = DUT_INIT(&stim);

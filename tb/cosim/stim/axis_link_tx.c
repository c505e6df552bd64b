/* SPDX-License-Identifier: Apache-2.0 */
/* axis_link_tx.c - traffic for axis_link_tx: frames of one word to several packets, on VLs with and
 * without a lane, with pauses; a far end that gives credits back at once, late or not for a while
 *
 * What leaves must be the words that came, in packets that are whole, in order and within the
 * credits. */
#include "axi/axis_link_tx.h"

#include <inttypes.h>
#include <loom/head.h>
#include <string.h>

#define DUT_NAME axis_link_tx
#define DUT_LIST "axi/axis_link_tx.def"
#include "tb/cosim/dut.h"
#include "tb/ends/lanes.h"

enum { RING = 16384 };
enum { NO_UNIT, UNIT, ERROR }; /* what came back in the last cycle */

struct word {
  uint64_t data;
  uint32_t dest, id, user;
  bool first, last;
};

struct state {
  struct rng rng;
  struct loom_axis_link_tx_cfg cfg;
  uint64_t src;
  uint32_t load, give; /* chances in 256 */
  uint64_t phase_end;
  struct loom_axis_link_tx_in before;
  uint32_t left;           /* words of the frame that is offered */
  uint32_t owed[LOOM_VLS]; /* units that the far end has, by VL */
  /* The judge's. */
  struct word ring[RING];
  uint64_t in, out;
  bool inside;             /* a frame is being taken */
  uint32_t sent, flits;    /* words of the packet on the link so far; words it has */
  uint32_t used[LOOM_VLS]; /* units at the far end, by the judge's own count */
  struct word head;        /* the word that began the frame on the link */
  int returned;
  char wrong[160];
};

static void init(void *st, struct rng *rng, const void *cfg, const struct scenario *sc) {
  struct state *s = st;
  (void)sc;
  s->rng = *rng;
  s->cfg = *(const struct loom_axis_link_tx_cfg *)cfg;
  s->src = rng_below(rng, 65536);
}

static void new_frame(struct state *s, struct loom_axis_link_tx_in *i) {
  uint32_t mtu = s->cfg.MTU_FLITS, vls = s->cfg.VLS;
  uint32_t longest = rng_below(&s->rng, 3) ? mtu - 1 : 3 * mtu;
  s->left = rng_below(&s->rng, 4) ? rng_range(&s->rng, 1, longest) : rng_range(&s->rng, 1, 3);
  uint32_t vl = rng_below(&s->rng, 16) ? rng_below(&s->rng, vls) : rng_below(&s->rng, 32);
  i->tdest = rng_below(&s->rng, 65536);
  i->tid = rng_below(&s->rng, 8192);
  i->tuser = rng_below(&s->rng, 32) << 5 | vl;
}

/* The stream: what was not taken stays, else the next word or a pause. */
static void offer(struct state *s, const struct loom_axis_link_tx_out *o,
                  struct loom_axis_link_tx_in *i) {
  const struct loom_axis_link_tx_in *b = &s->before;
  if (b->tvalid && !o->tready) {
    i->tvalid = 1;
    i->tdata = b->tdata, i->tlast = b->tlast;
    i->tdest = b->tdest, i->tid = b->tid, i->tuser = b->tuser;
    return;
  }
  i->tdata = rng_next(&s->rng);
  i->tdest = b->tdest, i->tid = b->tid, i->tuser = b->tuser;
  if (s->left == 0)
    new_frame(s, i);
  else if (rng_below(&s->rng, 4) == 0) /* only the first word's count */
    i->tdest = rng_below(&s->rng, 65536), i->tid = rng_below(&s->rng, 8192);
  i->tvalid = rng_chance(&s->rng, s->load);
  i->tlast = i->tvalid && s->left == 1;
  s->left -= (uint32_t)i->tvalid;
}

static void give_back(struct state *s, const struct loom_axis_link_tx_out *o,
                      struct loom_axis_link_tx_in *i) {
  if (o->out_head)
    s->owed[o->out_vl] += end_units(LOOM_GET(LOOM_HEAD_LEN, o->out_data));
  uint32_t vl = rng_below(&s->rng, LOOM_VLS);
  for (uint32_t k = 0; k < LOOM_VLS && !s->owed[vl]; k++)
    vl = (vl + 1) % LOOM_VLS;
  if (rng_below(&s->rng, 500) == 0) { /* perhaps a unit that it does not have: an error */
    i->cr_valid = 1;
    i->cr_vl = vl = rng_below(&s->rng, LOOM_VLS);
    s->owed[vl] -= s->owed[vl] != 0;
  } else if (s->owed[vl] && rng_chance(&s->rng, s->give)) {
    i->cr_valid = 1;
    i->cr_vl = vl;
    s->owed[vl]--;
  }
}

static void next(void *st, uint64_t cycle, const void *out, void *in) {
  static const uint32_t load[] = {0, 16, 128, 256, 256, 256}, give[] = {0, 8, 32, 256, 256};
  struct state *s = st;
  struct loom_axis_link_tx_in *i = in;
  if (cycle >= s->phase_end) {
    s->load = load[rng_below(&s->rng, 6)];
    s->give = give[rng_below(&s->rng, 5)];
    s->phase_end = cycle + rng_range(&s->rng, 20, 2000);
  }
  i->src = s->src;
  offer(s, out, i);
  give_back(s, out, i);
  s->before = *i;
}

static void wrong(struct state *s, uint64_t cycle, const char *what) {
  if (!s->wrong[0])
    snprintf(s->wrong, sizeof s->wrong, "cycle %" PRIu64 ": %s", cycle, what);
}

/* Words of the oldest packet, as a frame is cut: MTU_FLITS - 1 or what is left of it. */
static uint32_t next_packet(const struct state *s, bool *more) {
  uint32_t n = 0;
  while (s->out + n < s->in && n < s->cfg.MTU_FLITS - 1)
    if (s->ring[(s->out + n++) % RING].last)
      break;
  *more = n && !s->ring[(s->out + n - 1) % RING].last;
  return n;
}

static void judge_head(struct state *s, uint64_t cycle, uint64_t flit, uint64_t vl) {
  bool more;
  uint32_t n = next_packet(s, &more);
  const struct word *w = &s->ring[s->out % RING];
  if (w->first)
    s->head = *w;
  if (s->sent != s->flits)
    wrong(s, cycle, "a head in a packet");
  if (LOOM_GET(LOOM_HEAD_LEN, flit) != n + 1 || LOOM_GET(LOOM_HEAD_MORE, flit) != more ||
      LOOM_GET(LOOM_HEAD_AFTER, flit) != !w->first)
    wrong(s, cycle, "length or place in the frame");
  if (LOOM_GET(LOOM_HEAD_DEST, flit) != s->head.dest ||
      LOOM_GET(LOOM_HEAD_ID, flit) != s->head.id ||
      LOOM_GET(LOOM_HEAD_SC, flit) != s->head.user >> 5 || vl != (s->head.user & 31) ||
      LOOM_GET(LOOM_HEAD_SRC, flit) != s->src)
    wrong(s, cycle, "a field of the head");
  s->used[vl] += end_units(n + 1);
  uint32_t sum = 0;
  for (uint32_t v = 0; v < LOOM_VLS; v++)
    sum += s->used[v];
  if (sum > s->cfg.UNITS)
    wrong(s, cycle, "more than the credits");
  s->sent = 0;
  s->flits = n;
}

static void judge_link(struct state *s, uint64_t cycle, const struct loom_axis_link_tx_out *o) {
  if (o->out_head) {
    judge_head(s, cycle, o->out_data, o->out_vl);
  } else if (o->out_valid) {
    const struct word *w = &s->ring[s->out++ % RING];
    if (s->sent++ == s->flits || o->out_data != w->data || o->out_vl != (s->head.user & 31))
      wrong(s, cycle, "a word");
    if (o->out_tail != (s->sent == s->flits))
      wrong(s, cycle, "a tail");
  } else if (s->sent != s->flits) {
    wrong(s, cycle, "a gap in a packet");
  }
}

static void observe(void *st, uint64_t cycle, const void *in, const void *out, const void *probe,
                    struct stats *stats) {
  struct state *s = st;
  const struct loom_axis_link_tx_in *i = in;
  const struct loom_axis_link_tx_out *o = out;
  (void)probe;
  judge_link(s, cycle, o);
  if (s->returned && o->error != (s->returned == ERROR))
    wrong(s, cycle, "error_o");
  s->returned = NO_UNIT;
  if (i->cr_valid) {
    bool known = end_lane(s->cfg.VLS, (uint32_t)i->cr_vl) != END_NO_LANE;
    s->returned = s->used[i->cr_vl] || !known ? UNIT : ERROR;
    s->used[i->cr_vl] -= s->used[i->cr_vl] != 0;
  }
  if (o->dropped) {
    bool more;
    const struct word *w = &s->ring[s->out % RING];
    s->head = w->first ? *w : s->head;
    if (end_lane(s->cfg.VLS, s->head.user & 31) != END_NO_LANE)
      wrong(s, cycle, "a packet with a lane is dropped");
    s->out += next_packet(s, &more);
  }
  if (i->tvalid && o->tready) {
    s->ring[s->in++ % RING] = (struct word){
        i->tdata, (uint32_t)i->tdest, (uint32_t)i->tid, (uint32_t)i->tuser, !s->inside, i->tlast};
    s->inside = !i->tlast;
    stats->packets += i->tlast;
  }
  stats->grants += o->out_tail;
}

static bool check(const void *st, char *why, size_t why_size) {
  const struct state *s = st;
  if (s->wrong[0])
    snprintf(why, why_size, "%s", s->wrong);
  return !s->wrong[0];
}

static const struct stim stim = {
    .size = sizeof(struct state), .init = init, .next = next, .observe = observe, .check = check};
const struct dut axis_link_tx_dut = DUT_INIT(&stim);

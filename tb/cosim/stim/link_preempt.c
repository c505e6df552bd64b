/* SPDX-License-Identifier: Apache-2.0 */
/* link_preempt.c - traffic for link_preempt: packets of both classes with gaps, the store up to its
 * last place, credits of both input units at once; the link in is the link out, or noise
 *
 * The judge keeps the order of each class, looks for levels of interruption, and while the link in
 * was always the link out, for errors that must not be. */
#include "switch/link_preempt.h"

#include <inttypes.h>

#define DUT_NAME link_preempt
#define DUT_LIST "switch/link_preempt.def"
#include "tb/cosim/dut.h"

enum { RING = 8192, LONGEST = 40, VLS = 32 };

/* A class as its sender sees it. */
struct sender {
  uint32_t load, gap; /* chances in 256: a packet begins, and a flit is missing within it */
  uint32_t left;      /* flits of the packet, 0: none is open */
  uint32_t vl;
  bool begins;
};

struct flit {
  uint64_t head, tail, vl, data;
};

struct state {
  struct rng rng;
  struct loom_link_preempt_cfg cfg;
  uint32_t express_vls;
  bool noise; /* on the link in */
  uint64_t phase_end;
  struct sender normal, express;
  uint32_t free[2];      /* chances of credits */
  uint32_t stored, owed; /* places in use in the store, and for credits */
  bool open;             /* an express packet on the link out */

  /* The judge. */
  struct flit sent[RING];
  uint64_t first, last; /* of the normal flits that are here */
  struct loom_link_preempt_in was;
  struct loom_link_preempt_out shown;
  bool within, loops_not;
  uint64_t credits[VLS];
  char wrong[160];
};

/* ---- traffic --------------------------------------------------------------------------------- */

static void new_phase(struct state *s, uint64_t cycle) {
  static const uint32_t chance[] = {0, 8, 64, 200, 256};
  s->normal.load = chance[rng_below(&s->rng, 5)];
  s->normal.gap = chance[rng_below(&s->rng, 4)];
  s->express.load = chance[rng_below(&s->rng, 5)];
  s->express.gap = chance[rng_below(&s->rng, 4)];
  s->free[0] = chance[rng_below(&s->rng, 5)];
  s->free[1] = chance[rng_below(&s->rng, 5)];
  s->phase_end = cycle + rng_range(&s->rng, 20, 400);
}

static void init(void *st, struct rng *rng, const void *cfg, const struct scenario *sc) {
  struct state *s = st;
  (void)sc;
  s->rng = *rng;
  s->cfg = *(const struct loom_link_preempt_cfg *)cfg;
  s->express_vls = ((uint32_t)rng_bits(&s->rng, 32, 128) | 1u << 15) & ~1u;
  s->noise = rng_chance(&s->rng, 64);
}

/* A VL of the class. */
static uint32_t any_vl(struct state *s, bool express) {
  uint32_t vl = rng_below(&s->rng, VLS);
  for (; (s->express_vls >> vl & 1) != express; vl = (vl + 1) % VLS) {
  }
  return vl;
}

/* Whether the sender has a flit in this cycle; it goes if it may. */
static bool wants(struct state *s, struct sender *of, bool express) {
  if (of->left)
    return !rng_chance(&s->rng, of->gap);
  if (!rng_chance(&s->rng, of->load))
    return false;
  of->left = rng_chance(&s->rng, 64) ? 1 : rng_range(&s->rng, 1, LONGEST);
  of->begins = true;
  of->vl = any_vl(s, express);
  return true;
}

static struct flit send(struct state *s, struct sender *of) {
  struct flit f = {
      .head = of->begins, .tail = of->left == 1, .vl = of->vl, .data = rng_bits(&s->rng, 64, 128)};
  of->begins = false;
  of->left--;
  return f;
}

/* What waits after a cycle; true if a new one finds place. */
static bool place(uint32_t *waits, uint32_t most, bool turn, bool comes) {
  bool joins = comes && !(turn && !*waits);
  if (joins && *waits == most)
    return false;
  *waits = *waits + (uint32_t)joins - (uint32_t)(turn && *waits);
  return true;
}

static void send_both(struct state *s, struct loom_link_preempt_in *i) {
  bool express = wants(s, &s->express, true), normal = wants(s, &s->normal, false);
  bool turn = !express && !s->open;
  if (express) {
    struct flit f = send(s, &s->express);
    s->open = !f.tail;
    i->from_express_valid = 1;
    i->from_express_head = f.head;
    i->from_express_tail = f.tail;
    i->from_express_vl = f.vl;
    i->from_express_data = f.data;
  }
  if (!place(&s->stored, s->cfg.DEPTH, turn, normal))
    place(&s->stored, s->cfg.DEPTH, turn, false);
  else if (normal) {
    struct flit f = send(s, &s->normal);
    i->from_normal_valid = 1;
    i->from_normal_head = f.head;
    i->from_normal_tail = f.tail;
    i->from_normal_vl = f.vl;
    i->from_normal_data = f.data;
  }
}

static void give_credits(struct state *s, struct loom_link_preempt_in *i) {
  bool normal = rng_chance(&s->rng, s->free[0]), express = rng_chance(&s->rng, s->free[1]);
  if (!place(&s->owed, s->cfg.CREDITS, !express, normal)) {
    place(&s->owed, s->cfg.CREDITS, !express, false);
    normal = false;
  }
  i->normal_free_valid = normal;
  i->normal_free_vl = normal ? any_vl(s, false) : 0;
  i->express_free_valid = express;
  i->express_free_vl = express ? any_vl(s, true) : 0;
  i->out_cr_valid = rng_chance(&s->rng, 100);
  i->out_cr_vl = rng_below(&s->rng, VLS);
}

static void next(void *st, uint64_t cycle, const void *out, void *in) {
  struct state *s = st;
  const struct loom_link_preempt_out *o = out;
  struct loom_link_preempt_in *i = in;
  if (cycle >= s->phase_end)
    new_phase(s, cycle);
  i->express_vls = s->express_vls;
  send_both(s, i);
  give_credits(s, i);
  i->in_valid = o->out_valid;
  i->in_head = o->out_head;
  i->in_tail = o->out_tail;
  i->in_vl = o->out_vl;
  i->in_data = o->out_data;
  if (s->noise && rng_chance(&s->rng, 128)) {
    i->in_valid = rng_chance(&s->rng, 128);
    i->in_head = rng_chance(&s->rng, 128);
    i->in_tail = rng_chance(&s->rng, 128);
    i->in_vl = rng_below(&s->rng, VLS);
    i->in_data = rng_bits(&s->rng, 64, 128);
  }
}

/* ---- the judge ------------------------------------------------------------------------------- */

static void blame(struct state *s, uint64_t cycle, const char *what) {
  if (!s->wrong[0])
    snprintf(s->wrong, sizeof s->wrong, "cycle %" PRIu64 ": %s", cycle, what);
}

static bool is(const struct flit *f, uint64_t head, uint64_t tail, uint64_t vl, uint64_t data) {
  return f->head == head && f->tail == tail && f->vl == vl && f->data == data;
}

/* What an express sender brought is on the link in the next cycle, all else in its order. */
static void judge_link(struct state *s, uint64_t cycle, const struct loom_link_preempt_out *o) {
  const struct loom_link_preempt_in *w = &s->was;
  if (w->from_normal_valid)
    s->sent[s->last++ % RING] = (struct flit){.head = w->from_normal_head,
                                              .tail = w->from_normal_tail,
                                              .vl = w->from_normal_vl,
                                              .data = w->from_normal_data};
  if (w->from_express_valid) {
    const struct flit f = {w->from_express_head, w->from_express_tail, w->from_express_vl,
                           w->from_express_data};
    if (!o->out_valid || !is(&f, o->out_head, o->out_tail, o->out_vl, o->out_data))
      blame(s, cycle, "an express flit waits, or has changed");
    s->within = !f.tail;
  } else if (o->out_valid) {
    if (s->within)
      blame(s, cycle, "a normal flit inside an express packet");
    if (s->first == s->last ||
        !is(&s->sent[s->first % RING], o->out_head, o->out_tail, o->out_vl, o->out_data))
      blame(s, cycle, "a normal flit out of order, doubled or changed");
    s->first += s->first < s->last;
  } else if (s->first < s->last && !s->within) {
    blame(s, cycle, "a normal flit waits for nothing");
  }
}

/* The other end has what this end sent, by class. */
static void judge_arrival(struct state *s, uint64_t cycle, const struct loom_link_preempt_out *o) {
  const struct loom_link_preempt_in *w = &s->was;
  bool express = w->express_vls >> w->in_vl & 1;
  const struct flit f = {w->in_head, w->in_tail, w->in_vl, w->in_data};
  if (o->to_express_valid != (w->in_valid && express) ||
      o->to_normal_valid != (w->in_valid && !express))
    blame(s, cycle, "a flit goes to the wrong class");
  else if (w->in_valid && !(express ? is(&f, o->to_express_head, o->to_express_tail,
                                         o->to_express_vl, o->to_express_data)
                                    : is(&f, o->to_normal_head, o->to_normal_tail, o->to_normal_vl,
                                         o->to_normal_data)))
    blame(s, cycle, "a flit is changed as it comes");
  if (!s->loops_not && o->error)
    blame(s, cycle, "an error on a link that was right");
}

/* So many credits of a VL come back as were given, and none before. */
static void judge_credits(struct state *s, uint64_t cycle, const struct loom_link_preempt_out *o) {
  const struct loom_link_preempt_in *w = &s->was;
  s->credits[w->normal_free_vl % VLS] += w->normal_free_valid;
  s->credits[w->express_free_vl % VLS] += w->express_free_valid;
  if (w->express_free_valid && !(o->in_cr_valid && o->in_cr_vl == w->express_free_vl))
    blame(s, cycle, "an express credit waits");
  if (!o->in_cr_valid)
    for (uint32_t vl = 0; vl < VLS; vl++)
      if (s->credits[vl])
        blame(s, cycle, "a credit is lost, or waits for nothing");
  if (o->in_cr_valid && s->credits[o->in_cr_vl]-- == 0)
    blame(s, cycle, "a credit that nobody gave");
}

static bool same_flit(const struct loom_link_preempt_in *i, const struct loom_link_preempt_out *o) {
  const struct flit f = {i->in_head, i->in_tail, i->in_vl, i->in_data};
  return i->in_valid == o->out_valid &&
         (!i->in_valid || is(&f, o->out_head, o->out_tail, o->out_vl, o->out_data));
}

static void observe(void *st, uint64_t cycle, const void *in, const void *out, const void *probe,
                    struct stats *stats) {
  const struct loom_link_preempt_in *i = in;
  const struct loom_link_preempt_out *o = out;
  struct state *s = st;
  (void)probe;
  judge_link(s, cycle, o);
  judge_arrival(s, cycle, o);
  judge_credits(s, cycle, o);
  s->loops_not = s->loops_not || !same_flit(i, &s->shown);
  s->was = *i;
  s->shown = *o;
  stats->packets += i->from_normal_valid && i->from_normal_head;
  stats->packets += i->from_express_valid && i->from_express_head;
  stats->grants += o->preempts;
}

static bool check(const void *st, char *why, size_t why_size) {
  const struct state *s = st;
  if (s->wrong[0])
    snprintf(why, why_size, "%s", s->wrong);
  return !s->wrong[0];
}

static const struct stim stim = {.size = sizeof(struct state),
                                 .episode = 10000,
                                 .init = init,
                                 .next = next,
                                 .observe = observe,
                                 .check = check};
const struct dut link_preempt_dut = DUT_INIT(&stim);

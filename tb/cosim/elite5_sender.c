/* SPDX-License-Identifier: Apache-2.0 */
/* elite5_sender.c - the sender on a link into an Elite5 router, see elite5_traffic.h
 *
 * It has one packet on a VC until the reply comes, sends segments as its credits allow, and sends
 * what was not acknowledged once more.
 */
#include "tb/cosim/elite5_traffic.h"

#include <string.h>

enum {
  BACKOFF = 60,        /* cycles until a packet is sent once more, at most, doubled */
  DOUBLINGS = 5,       /* each time, so often */
  SOURCE_BITS = 5,     /* of `len`: the link */
  LATE = 50,           /* cycles beyond `expire` */
  HOPELESS = 16,       /* chance in 256 that a packet is sent which can never be acknowledged */
  BROADCAST_WEIGHT = 3 /* of the words of a broadcast: it waits for several links at a time */
};

/* ---- packets --------------------------------------------------------------------------------- */

static uint32_t odd_length(struct rng *r) {
  static const uint32_t edge[] = {1, 2, 31, 32, 33, 63, 64, 65, 133, ELITE5_LONGEST};
  return rng_chance(r, 128) ? edge[rng_below(r, sizeof edge / sizeof edge[0])]
                            : rng_range(r, 1, 200);
}

static uint32_t some_words(struct elite5_state *s) {
  const struct elite5_traffic *t = &s->plan.traffic;
  if (t->odd && rng_chance(&s->ends.rng, t->odd))
    return odd_length(&s->ends.rng);
  return t->shortest == t->longest ? t->shortest : rng_range(&s->ends.rng, t->shortest, t->longest);
}

static uint32_t some_dest(struct elite5_state *s, uint32_t link) {
  struct rng *r = &s->ends.rng;
  const struct elite5_traffic *t = &s->plan.traffic;
  if (t->pattern == PATTERN_PARTNER)
    return t->partner[link];
  if (t->pattern == PATTERN_OTHERS) {
    uint32_t other = rng_below(r, s->facts.links - 1);
    return other + (other >= link);
  }
  return rng_below(r, s->plan.tables.dest_count + (t->bad && rng_chance(r, t->bad)));
}

/* A VC of the senders in `among` that is free, or ELITE5_VCS. */
static uint32_t free_vc(struct elite5_state *s, const struct elite5_sender *n, uint32_t among) {
  uint32_t can = s->plan.traffic.vcs & among & ~n->busy;
  if (!can)
    return ELITE5_VCS;
  return s->plan.random ? loom_ctz_from(can, rng_below(&s->ends.rng, ELITE5_VCS)) : loom_ctz(can);
}

static uint32_t broadcast_vcs(const struct elite5_facts *f) {
  return (uint32_t)(loom_mask(f->vcs) & ~loom_mask(f->unicast_vcs));
}

/* Where it leaves at worst, and whether it can never be acknowledged, whatever goes up and down. */
static void foresee(const struct elite5_state *s, uint32_t link, struct elite5_packet *p) {
  struct elite5_way w = elite5_route(&s->facts, &s->plan.tables, link, p->vc, p->type, p->dest);
  uint32_t alive = s->ends.alive;
  bool all = p->vc >= s->facts.unicast_vcs && w.set.all;
  uint32_t links = w.set.mask & alive;
  p->links = all ? links : links & -links;
  p->hopeless = p->once || w.cause || !(w.set.mask & alive) || (all && (w.set.mask & ~alive));
}

/* Longer broadcasts may wait for each other for ever in a tree of routers, see docs/elite5.md. */
static uint32_t longest_broadcast(const struct elite5_state *s) {
  return elite5_judged(&s->plan) ? ELITE5_WORDS * (1 + s->facts.pool / s->facts.bvcs)
                                 : ELITE5_LONGEST;
}

static struct elite5_packet draw_packet(struct elite5_state *s, uint32_t link) {
  struct rng *r = &s->ends.rng;
  const struct elite5_traffic *t = &s->plan.traffic;
  struct elite5_packet p = {.words = (uint16_t)some_words(s)};
  if (t->priorities && rng_chance(r, t->priorities))
    p.prio = (uint8_t)rng_below(r, 4);
  if (t->conditionals && rng_chance(r, t->conditionals))
    p.type = LOOM_ELITE5_CONDITIONAL;
  if (t->groups && s->plan.tables.group_count && rng_chance(r, t->groups)) {
    p.dest = (uint16_t)rng_below(r, s->plan.tables.group_count + (t->bad && rng_chance(r, 8)));
    p.words = (uint16_t)loom_min(p.words, longest_broadcast(s));
    if (p.type == LOOM_ELITE5_CONDITIONAL)
      p.dest |= LOOM_ELITE5_GROUP_BIT;
    else
      p.type = LOOM_ELITE5_BROADCAST;
    if (t->bad && rng_chance(r, 4)) /* a broadcast has no such bit: an unknown group */
      p.dest |= LOOM_ELITE5_GROUP_BIT;
  } else {
    p.dest = (uint16_t)some_dest(s, link);
  }
  p.expired = s->plan.expire && t->bad && rng_chance(r, t->bad);
  return p;
}

static bool to_group(const struct elite5_packet *p) {
  return p->type == LOOM_ELITE5_BROADCAST ||
         (p->type == LOOM_ELITE5_CONDITIONAL && p->dest & LOOM_ELITE5_GROUP_BIT);
}

/* ---- which packet ---------------------------------------------------------------------------- */

/* Words under way through a link out, and to be read, copy by copy, from a link in; of broadcasts,
 * which wait for several links at a time, as if they were more. */
static void count_words(struct elite5_state *s, uint32_t link, const struct elite5_packet *p,
                        int32_t words) {
  int32_t weight = p->vc >= s->facts.unicast_vcs ? BROADCAST_WEIGHT : 1;
  for (uint32_t left = p->links; left; left &= left - 1) {
    s->ends.words_out[loom_ctz(left)] += words * weight;
    s->ends.words_in[link] += words * weight;
  }
}

/* So few words are under way that all will be delivered in time. */
static bool affordable(const struct elite5_state *s, uint32_t link, const struct elite5_packet *p) {
  int32_t budget = (int32_t)s->plan.traffic.budget, most = s->ends.words_in[link];
  for (uint32_t left = p->links; left; left &= left - 1)
    if (s->ends.words_out[loom_ctz(left)] > most)
      most = s->ends.words_out[loom_ctz(left)];
  return most <= budget;
}

static void put_on_vc(struct elite5_state *s, uint32_t link, const struct elite5_packet *p) {
  struct elite5_sender *n = &s->ends.sender[link];
  n->job[p->vc] = (struct elite5_job){.state = JOB_READY, .packet = *p};
  n->busy |= 1u << p->vc;
  n->ready |= 1u << p->vc;
  s->ends.outstanding += !p->hopeless;
  count_words(s, link, p, p->words);
}

bool elite5_send(struct elite5_state *s, uint32_t link, const struct elite5_packet *p) {
  const struct elite5_sender *n = &s->ends.sender[link];
  if (s->ends.end[link].state != END_UP || n->busy >> p->vc & 1)
    return false;
  struct elite5_packet known = *p;
  foresee(s, link, &known);
  put_on_vc(s, link, &known);
  return true;
}

static void job_gone(struct elite5_state *s, uint32_t link, uint32_t vc) {
  struct elite5_sender *n = &s->ends.sender[link];
  struct elite5_job *j = &n->job[vc];
  s->ends.outstanding -= !j->packet.hopeless;
  count_words(s, link, &j->packet, -(int32_t)j->packet.words);
  j->state = JOB_NONE;
  n->busy &= ~(1u << vc);
  n->ready &= ~(1u << vc);
  n->open &= ~(1u << vc);
}

static void again(struct elite5_state *s, uint32_t link, uint32_t vc, uint64_t cycle) {
  struct elite5_sender *n = &s->ends.sender[link];
  struct elite5_job *j = &n->job[vc];
  if (j->packet.hopeless) {
    job_gone(s, link, vc);
    return;
  }
  j->state = JOB_READY;
  j->packet.expired = false;
  j->sent = 0;
  n->ready |= 1u << vc;
  n->open &= ~(1u << vc);
  j->due = cycle + rng_below(&s->ends.rng, (uint32_t)BACKOFF << loom_min(j->tries, DOUBLINGS));
  if (!s->plan.quiet_from || cycle < s->plan.quiet_from)
    return;
  /* In the end all must get through: packets that come back at once, and those of high priority,
   * would keep others from moving. */
  j->tries++;
  j->packet.prio = 0;
}

/* Exponential with mean 1, by a logarithm of straight pieces. */
static double exponential(struct rng *r) {
  uint64_t u = rng_next(r) | 1;
  uint32_t zeros = (uint32_t)__builtin_clzll(u);
  double part = (double)((u << zeros) << 1 >> 11) * 0x1p-53; /* after the leading one */
  return (zeros + 1 - part) * 2 / 3;
}

/* Whether the next packet is there in this cycle. */
static bool arrived(struct elite5_state *s, uint32_t link, uint64_t cycle) {
  const struct elite5_traffic *t = &s->plan.traffic;
  struct elite5_sender *n = &s->ends.sender[link];
  if (s->plan.quiet_from && cycle >= s->plan.quiet_from)
    return false;
  if (n->has_next)
    return true;
  if (t->load > 0 && n->at > (double)cycle)
    return false;
  n->next = draw_packet(s, link);
  n->has_next = true;
  if (t->load > 0)
    n->at = (s->plan.random && n->at < (double)cycle ? (double)cycle : n->at) +
            n->next.words / t->load * exponential(&s->ends.rng);
  return true;
}

enum placing { PLACED, NO_ROOM, SKIPPED };

/* Puts the next packet on a VC of its class, now and then of the other. */
static enum placing place_next(struct elite5_state *s, uint32_t link) {
  const struct elite5_traffic *t = &s->plan.traffic;
  struct elite5_sender *n = &s->ends.sender[link];
  uint32_t among = to_group(&n->next) ? broadcast_vcs(&s->facts) : ~broadcast_vcs(&s->facts);
  if (t->bad && rng_chance(&s->ends.rng, t->bad))
    among = ~among;
  if (!(t->vcs & among)) /* nothing of this kind is sent */
    return SKIPPED;
  uint32_t vc = free_vc(s, n, among);
  if (vc == ELITE5_VCS)
    return NO_ROOM;
  n->next.vc = (uint8_t)vc;
  foresee(s, link, &n->next);
  if (n->next.hopeless && !rng_chance(&s->ends.rng, HOPELESS)) /* some are enough */
    return SKIPPED;
  if (t->budget && !affordable(s, link, &n->next))
    return NO_ROOM;
  put_on_vc(s, link, &n->next);
  return PLACED;
}

/* A sender without a load always has another packet; else they queue. */
static void take_next(struct elite5_state *s, uint32_t link, uint64_t cycle) {
  const struct elite5_traffic *t = &s->plan.traffic;
  struct elite5_sender *n = &s->ends.sender[link];
  bool enough = n->ready && !t->weave; /* one at a time, or as many as there are VCs */
  if (enough || !(t->vcs & ~n->busy) || cycle < s->plan.start || !arrived(s, link, cycle))
    return;
  n->has_next = place_next(s, link) == NO_ROOM && t->load > 0;
}

/* ---- words ----------------------------------------------------------------------------------- */

static uint64_t first_word(struct elite5_state *s, uint32_t link, struct elite5_job *j,
                           uint64_t cycle) {
  struct elite5_sender *n = &s->ends.sender[link];
  const struct elite5_packet *p = &j->packet;
  uint32_t number = n->number++, ts = number & ELITE5_TIME, more = number >> 14;
  if (s->plan.expire) {
    uint64_t age = p->expired ? s->plan.expire + 1 + rng_below(&s->ends.rng, LATE) : 0;
    ts = (uint32_t)(cycle - age) & ELITE5_TIME;
    more = number;
  }
  const struct loom_elite5_first h = {.type = p->type,
                                      .prio = p->prio,
                                      .vc = p->vc,
                                      .len = (uint8_t)(link | more << SOURCE_BITS),
                                      .dest = p->dest,
                                      .ts = (uint16_t)ts};
  uint64_t word = loom_elite5_pack_first(&h);
  j->base = elite5_base(word);
  return word;
}

/* Up to three wrong bits where the CRC sees them. */
static uint64_t corrupt(struct rng *r, uint64_t word, bool continuation) {
  for (uint32_t k = rng_range(r, 1, 3); k > 0; k--)
    word ^= 1ull << (continuation ? rng_range(r, 32, 63) : rng_below(r, 64));
  return word;
}

static uint64_t next_word(struct elite5_state *s, uint32_t link, struct elite5_job *j,
                          uint64_t cycle) {
  struct rng *r = &s->ends.rng;
  bool bad = s->plan.traffic.corrupt && rng_below(r, 4096) < s->plan.traffic.corrupt;
  uint32_t place = j->sent, vc = j->packet.vc;
  if (place == 0) {
    uint64_t word = first_word(s, link, j, cycle);
    return bad ? corrupt(r, word, false) : word;
  }
  if (place % ELITE5_WORDS)
    return elite5_pattern(j->base, place);
  if (bad && rng_chance(r, 64)) /* as from a router that saw the errors */
    return loom_elite5_void(vc);
  uint64_t word = elite5_continuation(j->base, place, vc, j->packet.words - place <= ELITE5_WORDS);
  return bad ? corrupt(r, word, true) : word;
}

static void put_word(struct elite5_state *s, uint32_t link, uint64_t cycle, elite5_in *i) {
  struct elite5_sender *n = &s->ends.sender[link];
  struct elite5_job *j = &n->job[n->vc];
  bool head = j->sent % ELITE5_WORDS == 0, tail = j->sent + 1 == j->packet.words;
  end_put_word(i, link, head, tail, n->vc, next_word(s, link, j, cycle));
  j->sent++;
  n->left--;
  if (!tail)
    return;
  j->state = JOB_WAITING;
  n->open &= ~(1u << n->vc);
}

/* VCs that may begin their packet now. */
static uint32_t may_begin(const struct elite5_sender *n, uint64_t cycle) {
  uint32_t can = 0;
  for (uint32_t left = n->ready; left; left &= left - 1)
    if (n->job[loom_ctz(left)].due <= cycle)
      can |= left & -left;
  return can;
}

/* The highest priority is served first, in turn. */
static uint32_t choose(struct elite5_sender *n, uint32_t can) {
  uint32_t best = 0, most = 0;
  for (uint32_t left = can; left; left &= left - 1) {
    uint32_t prio = n->job[loom_ctz(left)].packet.prio + 1u;
    best = prio > most ? left & -left : prio == most ? best | (left & -left) : best;
    most = loom_max(prio, most);
  }
  uint32_t vc = loom_ctz_from(best, n->turn);
  n->turn = (vc + 1) % ELITE5_VCS;
  return vc;
}

static void begin_segment(struct elite5_state *s, uint32_t link, uint64_t cycle) {
  struct elite5_sender *n = &s->ends.sender[link];
  uint32_t there = end_segments_there(&n->credit, s->facts.pool, ~0u);
  uint32_t open = n->open & there;
  if (!open || s->plan.traffic.weave)
    open |= may_begin(n, cycle) & there;
  if (!open)
    return;
  uint32_t vc = choose(n, open);
  struct elite5_job *j = &n->job[vc];
  j->state = JOB_OPEN;
  n->ready &= ~(1u << vc);
  n->open |= 1u << vc;
  n->vc = vc;
  n->left = loom_min(ELITE5_WORDS, (uint32_t)j->packet.words - j->sent);
  end_segments_take(&n->credit, vc);
}

void elite5_sender_drive(struct elite5_state *s, uint32_t link, uint64_t cycle, elite5_in *i) {
  struct elite5_sender *n = &s->ends.sender[link];
  bool begun = n->left > 0;
  take_next(s, link, cycle);
  if (!n->left)
    begin_segment(s, link, cycle);
  if (!n->left || (begun && s->plan.traffic.gap && rng_chance(&s->ends.rng, s->plan.traffic.gap)))
    return;
  put_word(s, link, cycle, i);
}

void elite5_sender_look(struct elite5_state *s, uint32_t link, uint64_t cycle,
                        const elite5_out *o) {
  struct elite5_sender *n = &s->ends.sender[link];
  if (o->in_cr_valid[link])
    end_segments_back(&n->credit, (uint32_t)o->in_cr_vl[link]);
  if (!o->in_rep_valid[link])
    return;
  uint32_t vc = (uint32_t)o->in_rep_vc[link];
  if (n->job[vc].state != JOB_WAITING)
    return; /* only after the ends broke the contract */
  if (o->in_rep_ack[link])
    job_gone(s, link, vc);
  else
    again(s, link, vc, cycle);
}

void elite5_sender_reset(struct elite5_state *s, uint32_t link, uint64_t cycle) {
  struct elite5_sender *n = &s->ends.sender[link];
  memset(&n->credit, 0, sizeof n->credit);
  n->left = 0;
  for (uint32_t left = n->busy; left; left &= left - 1)
    again(s, link, loom_ctz(left), cycle);
}

/* Senders do not begin all at once. */
void elite5_sender_init(struct elite5_state *s, uint32_t link) {
  const struct elite5_traffic *t = &s->plan.traffic;
  double words = (t->shortest + t->longest) / 2.0;
  double gap = t->load > 0 ? words / t->load * exponential(&s->ends.rng) : 0;
  s->ends.sender[link].at = (double)s->plan.start + gap;
}

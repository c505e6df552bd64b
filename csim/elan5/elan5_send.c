/* SPDX-License-Identifier: Apache-2.0 */
/* elan5_send.c - the sending side of a link of an endpoint: VCs, credits, segments, replies
 * (docs/elan5.md; E5-03, E5-04, E5-12) */
#include <loom/bits.h>
#include <string.h>

#include "elan5/elan5_state.h"

enum {
  RESTART = 64, /* cycles without a signal: the far end notices */
  LEAD = 4,     /* unanswered packets that a link may have more than another */
};

void loom_elan5_sender_init(struct loom_elan5 *e, uint32_t link) {
  struct loom_elan5_sender *s = &e->link[link].sender;
  memset(s, 0, sizeof *s);
  struct loom_credit_tracker_cfg cfg;
  loom_credit_tracker_defaults(&cfg);
  cfg.VLS = e->cfg.vcs;
  cfg.UNITS = cfg.MAX_UNITS = e->cfg.vcs + e->cfg.pool;
  cfg.RESERVED = 1;
  loom_credit_tracker_init(&s->credit, &cfg);
  s->turn = (struct loom_rr_arbiter){.n = e->cfg.vcs};
}

/* ---- a segment ------------------------------------------------------------------------------- */

static enum loom_elite5_type first_type(const struct loom_elan5_transfer *t) {
  if (t->op == LOOM_ELAN5_CONDITIONAL)
    return LOOM_ELITE5_CONDITIONAL;
  return t->to.group ? LOOM_ELITE5_BROADCAST : LOOM_ELITE5_UNICAST;
}

static uint64_t first_word(const struct loom_elan5 *e, const struct loom_elan5_packet *p,
                           uint32_t bytes) {
  const struct loom_elan5_transfer *t = &e->transfer[p->transfer];
  uint16_t dest = t->to.dest;
  if (t->op == LOOM_ELAN5_CONDITIONAL && t->to.group)
    dest |= LOOM_ELITE5_GROUP_BIT;
  /* The output register shows it in the next cycle. */
  const struct loom_elite5_first h = {.type = (uint8_t)first_type(t),
                                      .prio = t->to.prio,
                                      .vc = p->vc,
                                      .len = (uint8_t)bytes,
                                      .dest = dest,
                                      .ts = (uint16_t)((e->now + 1) & LOOM_ELITE5_TS_MASK)};
  return loom_elite5_pack_first(&h);
}

static uint64_t next_word(const struct loom_elan5_packet *p, uint32_t bytes, bool last,
                          const uint8_t *payload) {
  const struct loom_elite5_continuation h = {.type = last ? LOOM_ELITE5_LAST_CONTINUATION
                                                          : LOOM_ELITE5_CONTINUATION,
                                             .vc = p->vc,
                                             .len = (uint8_t)bytes,
                                             .payload = (uint32_t)(loom_elan5_load(payload) >> 32)};
  return loom_elite5_pack_continuation(&h);
}

/* The next segment of a packet, from its payload. */
static void build(struct loom_elan5 *e, struct loom_elan5_packet *p, struct loom_elan5_segment *s) {
  uint8_t payload[LOOM_ELITE5_SEGMENT_WORDS * LOOM_ELAN5_WORD];
  uint32_t all = loom_elan5_payload(p->bytes);
  bool first = p->written == 0;
  uint32_t bytes = loom_elan5_segment_bytes(p->written, all);
  loom_elan5_read_payload(e, p, bytes, payload);
  memset(payload + bytes, 0, loom_min(LOOM_ELAN5_WORD, (uint32_t)sizeof payload - bytes));
  s->vc = p->vc;
  s->last = p->written == all;
  s->words = loom_elan5_segment_words(first, bytes);
  s->at = 0;
  s->active = true;
  s->word[0] = first ? first_word(e, p, bytes) : next_word(p, bytes, s->last, payload);
  const uint8_t *rest = first ? payload : payload + sizeof(uint32_t);
  for (uint32_t i = 1; i < s->words; i++, rest += LOOM_ELAN5_WORD)
    s->word[i] = loom_elan5_load(rest);
}

/* ---- what goes next -------------------------------------------------------------------------- */

/* VCs whose next segment would find room at the other end. */
static uint32_t with_credit(const struct loom_elan5_sender *s, uint32_t vcs) {
  if (s->credit.pool_free)
    return vcs;
  /* Without a pool each VC has its own unit left. */
  return vcs & ~s->credit.used_mask;
}

/* VCs of a class that a new packet could take. */
static uint32_t free_vcs(const struct loom_elan5 *e, const struct loom_elan5_sender *s,
                         bool broadcast) {
  uint32_t unicast = (uint32_t)loom_mask(e->cfg.vcs - e->cfg.bvcs);
  uint32_t class = broadcast ? (uint32_t)loom_mask(e->cfg.vcs) & ~unicast : unicast;
  return with_credit(s, class & ~s->busy);
}

static bool is_broadcast(const struct loom_elan5 *e, uint32_t packet) {
  return e->groups >> e->packet[packet].transfer & 1;
}

/* Of the VCs, those with packets of the highest priority. */
static uint32_t urgent(const struct loom_elan5 *e, const struct loom_elan5_sender *s,
                       uint32_t vcs) {
  uint32_t best = 0, set = 0;
  for (uint32_t left = vcs; left; left &= left - 1) {
    uint32_t vc = loom_ctz(left);
    uint32_t prio = e->transfer[e->packet[s->packet[vc]].transfer].to.prio;
    if (prio > best)
      set = 0;
    best = loom_max(best, prio);
    if (prio == best)
      set |= 1u << vc;
  }
  return set;
}

/* A packet that was begun on this link, LOOM_ELAN5_NONE if none can go on. */
static uint32_t pick_begun(struct loom_elan5 *e, struct loom_elan5_sender *s) {
  uint32_t vcs = with_credit(s, s->begun);
  if (!vcs)
    return LOOM_ELAN5_NONE;
  uint32_t vc = loom_rr_arbiter_pick(&s->turn, urgent(e, s, vcs));
  loom_rr_arbiter_advance(&s->turn, vc);
  return s->packet[vc];
}

/* What a link could begin. */
struct choice {
  bool answers; /* answers to gets, or requests */
  bool unicast, broadcast;
};

static bool fits(const struct loom_elan5 *e, uint32_t packet, struct choice choice) {
  return e->packet[packet].when <= e->now &&
         loom_elan5_is_answer(e->packet[packet].transfer) == choice.answers &&
         (is_broadcast(e, packet) ? choice.broadcast : choice.unicast);
}

/* A packet whose back-off is over and that finds a VC. */
static uint32_t pick_refused(struct loom_elan5 *e, struct choice choice) {
  uint64_t next = UINT64_MAX;
  if (!e->refused || e->now < e->next_due)
    return LOOM_ELAN5_NONE;
  for (uint32_t set = 0; set < LOOM_ELAN5_PACKET_SETS; set++)
    for (uint64_t left = e->waiting[set]; left; left &= left - 1) {
      uint32_t packet = 64 * set + loom_ctz(left);
      if (fits(e, packet, choice)) {
        e->waiting[set] &= ~(1ull << packet % 64);
        e->refused--;
        return packet;
      }
      if (e->packet[packet].when < next)
        next = e->packet[packet].when;
    }
  e->next_due = next;
  return LOOM_ELAN5_NONE;
}

static uint32_t pick_new(struct loom_elan5 *e, struct choice choice) {
  uint64_t ready = loom_elan5_ready(e, choice.answers, choice.unicast, choice.broadcast);
  if (!ready)
    return LOOM_ELAN5_NONE;
  uint32_t prio = LOOM_ELAN5_PRIOS - 1;
  while (!(ready & e->prio[prio]))
    prio--;
  uint32_t transfer = loom_rr_arbiter_pick(&e->turn, ready & e->prio[prio]);
  loom_rr_arbiter_advance(&e->turn, transfer);
  return loom_elan5_new_packet(e, transfer);
}

static uint32_t pick_either(struct loom_elan5 *e, struct choice choice) {
  uint32_t packet = pick_refused(e, choice);
  return packet == LOOM_ELAN5_NONE ? pick_new(e, choice) : packet;
}

/* A packet is put on a VC of this link. */
static void place(struct loom_elan5 *e, uint32_t link, uint32_t packet) {
  struct loom_elan5_sender *s = &e->link[link].sender;
  struct loom_elan5_packet *p = &e->packet[packet];
  uint32_t vc = loom_ctz(free_vcs(e, s, is_broadcast(e, packet)));
  p->state = LOOM_ELAN5_UNDER_WAY;
  p->link = (uint8_t)link;
  p->vc = (uint8_t)vc;
  p->written = 0;
  p->crc = loom_elan5_crc_start();
  p->when = e->now;
  s->packet[vc] = (uint8_t)packet;
  s->busy |= 1u << vc;
  s->begun |= 1u << vc;
  e->link[link].packets_begun++;
  e->counters.begun++;
}

/* This link is about as free as the others: a slow one does not draw all packets to itself. */
static bool in_step(const struct loom_elan5 *e, uint32_t link) {
  uint32_t own = loom_popcount(e->link[link].sender.busy);
  for (uint32_t other = 0; other < e->cfg.links; other++)
    if (loom_elan5_sends(e, other) && own > loom_popcount(e->link[other].sender.busy) + LEAD)
      return false;
  return true;
}

/* The packet whose segment goes next on this link. */
static uint32_t pick(struct loom_elan5 *e, uint32_t link) {
  struct loom_elan5_sender *s = &e->link[link].sender;
  uint32_t packet = pick_begun(e, s);
  if (packet != LOOM_ELAN5_NONE || !in_step(e, link))
    return packet;
  struct choice choice = {
      .answers = true, .unicast = free_vcs(e, s, false), .broadcast = free_vcs(e, s, true)};
  packet = pick_either(e, choice);
  choice.answers = false;
  if (packet == LOOM_ELAN5_NONE)
    packet = pick_either(e, choice);
  if (packet != LOOM_ELAN5_NONE)
    place(e, link, packet);
  return packet;
}

static bool begin_segment(struct loom_elan5 *e, uint32_t link) {
  struct loom_elan5_sender *s = &e->link[link].sender;
  if (!s->begun && !e->ready && !e->refused)
    return false;
  uint32_t packet = pick(e, link);
  if (packet == LOOM_ELAN5_NONE)
    return false;
  build(e, &e->packet[packet], &s->segment);
  loom_credit_tracker_consume(&s->credit, s->segment.vc, 1);
  return true;
}

void loom_elan5_send(struct loom_elan5 *e, uint32_t link) {
  struct loom_elan5_segment *s = &e->link[link].sender.segment;
  if (!s->active && !begin_segment(e, link))
    return;
  struct loom_flow *out = &e->link[link].out;
  out->flags |= LOOM_FLOW_VALID;
  out->vl = s->vc;
  out->data = s->word[s->at];
  if (s->at == 0)
    out->flags |= LOOM_FLOW_HEAD;
  s->at++;
  if (s->at < s->words)
    return;
  s->active = false;
  if (s->last) {
    out->flags |= LOOM_FLOW_TAIL;
    e->link[link].sender.begun &= ~(1u << s->vc);
  }
}

/* ---- what comes back ------------------------------------------------------------------------- */

static void hear_reply(struct loom_elan5 *e, struct loom_elan5_sender *s, uint32_t vc, bool ack) {
  if (vc >= e->cfg.vcs || !((s->busy & ~s->begun) >> vc & 1)) {
    e->counters.reply_errors++;
    return;
  }
  s->busy &= ~(1u << vc);
  if (ack)
    e->counters.acks++;
  else
    e->counters.nacks++;
  loom_elan5_answered(e, s->packet[vc], ack);
}

void loom_elan5_hear(struct loom_elan5 *e, uint32_t link, const struct loom_flow *in) {
  struct loom_elan5_sender *s = &e->link[link].sender;
  if (in->flags & LOOM_FLOW_CREDIT) {
    if (in->cr_vl < e->cfg.vcs && s->credit.used_mask >> in->cr_vl & 1)
      loom_credit_tracker_give_back(&s->credit, in->cr_vl);
    else
      e->counters.link_errors++;
  }
  if (in->flags & LOOM_FLOW_REPLY)
    hear_reply(e, s, in->rep_vc, in->flags & LOOM_FLOW_ACK);
}

void loom_elan5_sender_down(struct loom_elan5 *e, uint32_t link) {
  struct loom_elan5_sender *s = &e->link[link].sender;
  uint32_t busy = s->busy;
  uint8_t packet[LOOM_ELAN5_VCS];
  memcpy(packet, s->packet, sizeof packet);
  loom_elan5_sender_init(e, link);
  for (; busy; busy &= busy - 1) {
    e->counters.lost++;
    loom_elan5_answered(e, packet[loom_ctz(busy)], false);
  }
}

void loom_elan5_watch(struct loom_elan5 *e, uint32_t link) {
  const struct loom_elan5_sender *s = &e->link[link].sender;
  for (uint32_t left = s->busy; left; left &= left - 1)
    if (e->now - e->packet[s->packet[loom_ctz(left)]].when >= e->cfg.timeout) {
      e->counters.timeouts++;
      e->link[link].port.off = RESTART;
      return;
    }
}

/* SPDX-License-Identifier: Apache-2.0 */
/* elan5_receive.c - the receiving side of a link of an endpoint: segments, packets, replies
 * (docs/elan5.md; E5-07, E5-12, E5-15, E5-18) */
#include <loom/bits.h>
#include <string.h>

#include "elan5/elan5_state.h"

/* ---- replies --------------------------------------------------------------------------------- */

static void push_reply(struct loom_elan5_replies *s, uint32_t vc, bool ack, uint64_t due) {
  uint32_t at = (s->first + s->count) % LOOM_ELAN5_VCS;
  s->reply[at] = (struct loom_elan5_reply){.due = due, .vc = (uint8_t)vc, .ack = ack};
  s->count++;
}

/* The oldest reply if it is due. */
static const struct loom_elan5_reply *pop_reply(struct loom_elan5_replies *s, uint64_t now) {
  const struct loom_elan5_reply *reply = &s->reply[s->first];
  if (!s->count || reply->due > now)
    return NULL;
  s->first = (s->first + 1) % LOOM_ELAN5_VCS;
  s->count--;
  return reply;
}

static void send_reply(struct loom_elan5_link *link, const struct loom_elan5_reply *reply) {
  link->receiver.owing &= ~(1u << reply->vc);
  link->out.flags |= LOOM_FLOW_REPLY;
  if (reply->ack)
    link->out.flags |= LOOM_FLOW_ACK;
  link->out.rep_vc = reply->vc;
}

static void decide(struct loom_elan5 *e, struct loom_elan5_receiver *s, uint32_t vc, bool ack,
                   bool late) {
  s->owing |= 1u << vc;
  if (ack)
    e->counters.sent_acks++;
  else
    e->counters.sent_nacks++;
  if (ack && late)
    push_reply(&s->late, vc, ack, e->now + e->cfg.write_latency);
  else
    push_reply(&s->early, vc, ack, e->now);
}

void loom_elan5_answer(struct loom_elan5 *e, uint32_t number) {
  struct loom_elan5_link *link = &e->link[number];
  struct loom_elan5_receiver *s = &link->receiver;
  if (s->owing) {
    const struct loom_elan5_reply *reply = pop_reply(&s->late, e->now);
    if (!reply)
      reply = pop_reply(&s->early, e->now);
    if (reply)
      send_reply(link, reply);
  }
  if (s->credit) {
    link->out.flags |= LOOM_FLOW_CREDIT;
    link->out.cr_vl = (uint8_t)(s->credit - 1);
    s->credit = 0;
  }
}

/* ---- packets --------------------------------------------------------------------------------- */

static uint8_t *payload_of(struct loom_elan5 *e, uint32_t link, uint32_t vc) {
  return e->arrivals + (size_t)(link * e->cfg.vcs + vc) * e->arrival_bytes;
}

static bool crc_right(const uint8_t *payload, uint32_t bytes) {
  uint32_t body = bytes - LOOM_ELAN5_WORD;
  uint64_t trailer = loom_elan5_load(payload + body);
  uint32_t crc = loom_elan5_crc_add(loom_elan5_crc_start(), payload, body);
  return trailer == loom_elan5_trailer(crc, (uint32_t)(trailer >> 32));
}

static void count_good(struct loom_elan5 *e, struct loom_elan5_link *link, uint32_t age,
                       uint32_t bytes) {
  struct loom_elan5_counters *c = &e->counters;
  c->received++;
  c->bytes += bytes - LOOM_ELAN5_OVERHEAD;
  c->age_sum += age;
  c->age_min = loom_min(c->age_min, age);
  c->age_max = loom_max(c->age_max, age);
  link->packets_received++;
}

/* The tail is there: ACK or NACK. */
static void judge(struct loom_elan5 *e, uint32_t number, uint32_t vc) {
  struct loom_elan5_link *link = &e->link[number];
  struct loom_elan5_receiver *s = &link->receiver;
  const struct loom_elan5_arrival *a = &s->arrival[vc];
  const uint8_t *payload = payload_of(e, number, vc);
  bool good = !a->bad && a->bytes >= LOOM_ELAN5_OVERHEAD && a->bytes % LOOM_ELAN5_WORD == 0 &&
              crc_right(payload, a->bytes);
  bool late = false, ack = false;
  s->open &= ~(1u << vc);
  if (good) {
    count_good(e, link, a->age, a->bytes);
    ack = loom_elan5_apply(e, a->type, payload, a->bytes, &late);
  } else {
    e->counters.bad++;
  }
  decide(e, s, vc, ack, late);
}

/* ---- segments -------------------------------------------------------------------------------- */

/* The payload of a segment joins that of its packet; false if it does not fit its words, or the
 * packet. */
static bool append(struct loom_elan5 *e, const struct loom_elan5_segment *segment,
                   struct loom_elan5_arrival *a, uint8_t *payload, bool first, uint32_t len,
                   bool tail) {
  uint32_t most = first ? LOOM_ELITE5_FIRST_BYTES : LOOM_ELITE5_CONTINUATION_BYTES;
  if (len > most || (!tail && len != most) || a->bytes + len > e->arrival_bytes ||
      segment->words != loom_elan5_segment_words(first, len))
    return false;
  uint8_t bytes[LOOM_ELITE5_SEGMENT_WORDS * LOOM_ELAN5_WORD];
  for (uint32_t i = 0; i < segment->words; i++)
    loom_elan5_store(bytes + i * LOOM_ELAN5_WORD, segment->word[i]);
  memcpy(payload + a->bytes, bytes + (first ? LOOM_ELAN5_WORD : sizeof(uint32_t)), len);
  a->bytes += len;
  return true;
}

static void open_packet(struct loom_elan5 *e, struct loom_elan5_receiver *s, uint32_t vc, bool tail,
                        uint8_t *payload) {
  struct loom_elan5_arrival *a = &s->arrival[vc];
  struct loom_elite5_first h;
  bool right = loom_elite5_unpack_first(&h, s->segment.word[0]) &&
               h.type <= LOOM_ELITE5_CONDITIONAL && h.vc == vc;
  a->type = h.type;
  a->bytes = 0;
  a->bad = !right || !append(e, &s->segment, a, payload, true, h.len, tail);
  s->open |= 1u << vc;
  a->age = (uint32_t)(s->began - h.ts) & LOOM_ELITE5_TS_MASK;
}

static void continue_packet(struct loom_elan5 *e, struct loom_elan5_receiver *s, uint32_t vc,
                            bool tail, uint8_t *payload) {
  struct loom_elan5_arrival *a = &s->arrival[vc];
  struct loom_elite5_continuation h;
  bool right = loom_elite5_unpack_continuation(&h, s->segment.word[0]) &&
               (h.type == LOOM_ELITE5_CONTINUATION || h.type == LOOM_ELITE5_LAST_CONTINUATION) &&
               h.vc == vc;
  a->bad |= !right || !append(e, &s->segment, a, payload, false, h.len, tail);
}

static void end_segment(struct loom_elan5 *e, uint32_t number, bool tail) {
  struct loom_elan5_receiver *s = &e->link[number].receiver;
  uint32_t vc = s->segment.vc;
  s->segment.active = false;
  s->credit = vc + 1;
  if (s->dropping)
    return;
  uint8_t *payload = payload_of(e, number, vc);
  if (s->open >> vc & 1)
    continue_packet(e, s, vc, tail, payload);
  else
    open_packet(e, s, vc, tail, payload);
  if (tail)
    judge(e, number, vc);
}

static void begin_segment(struct loom_elan5 *e, struct loom_elan5_receiver *s, uint32_t vc) {
  s->segment.active = true;
  s->segment.vc = (uint8_t)vc;
  s->segment.words = 0;
  s->began = e->now;
  s->dropping = s->owing >> vc & 1;
  if (s->dropping)
    e->counters.link_errors++;
}

void loom_elan5_receive(struct loom_elan5 *e, uint32_t number, const struct loom_flow *in) {
  struct loom_elan5_receiver *s = &e->link[number].receiver;
  if (!(in->flags & LOOM_FLOW_VALID))
    return;
  bool head = in->flags & LOOM_FLOW_HEAD, tail = in->flags & LOOM_FLOW_TAIL;
  /* READY of a far end that is not UP yet. */
  if (!s->segment.active && head && in->data == loom_elite5_control(LOOM_ELITE5_READY, 0))
    return;
  if (!s->segment.active && (!head || in->vl >= e->cfg.vcs)) {
    e->counters.link_errors++;
    return;
  }
  if (!s->segment.active)
    begin_segment(e, s, in->vl);
  s->segment.word[s->segment.words++] = in->data;
  if (tail || s->segment.words == LOOM_ELITE5_SEGMENT_WORDS)
    end_segment(e, number, tail);
}

void loom_elan5_receiver_down(struct loom_elan5 *e, uint32_t link) {
  memset(&e->link[link].receiver, 0, sizeof e->link[link].receiver);
}

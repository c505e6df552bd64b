/* SPDX-License-Identifier: Apache-2.0 */
/* elite5_input.c - what comes into the Elite5 router on its links, written from docs/elite5.md
 *
 * Inside: elite5_router. */
#include "elite5/elite5_cycle.h"
#include "elite5/elite5_header.h"

/* What the words of this cycle add to the counters. */
struct tally {
  loom_links written, segments, packets, header_errors, link_errors;
};

/* ---- words ----------------------------------------------------------------------------------- */

static void close_packet(struct loom_elite5_router *s, uint32_t l, uint32_t vc) {
  struct loom_elite5_input *x = &s->input[l];
  x->open &= ~(1u << vc);
  loom_elite5_include(&s->open, l, x->open != 0);
}

/* A word of the segment that is open on the link. */
static inline void arrive_body(struct loom_elite5_router *s, uint32_t l, struct tally *t) {
  struct loom_elite5_input *x = &s->input[l];
  loom_links bit = 1u << l;
  bool tail = s->word.tail & bit;
  if (!(s->cur_skip & bit)) {
    loom_segment_buffer_write(&s->buffer[l], s->cur_void & bit ? 0 : s->word.data[l], tail);
    t->written |= bit;
    if (tail)
      close_packet(s, l, x->cur_vc);
  }
  if (++x->cur_words == LOOM_ELITE5_SEGMENT_WORDS || tail)
    s->cur &= ~bit;
}

/* A header of a packet has come: its route is looked up (in c + 1, so the dest table has been). */
static void look_up(struct loom_elite5_router *s, uint32_t l, uint32_t vc,
                    const struct loom_elite5_first *h, struct loom_elite5_question *q) {
  struct loom_elite5_record *r = &s->input[l].record[vc];
  uint32_t conditional = h->type == LOOM_ELITE5_CONDITIONAL;
  uint32_t number = conditional ? h->dest & LOOM_ELITE5_DEST_MASK : h->dest;
  uint32_t entry = s->looked_up[l];
  q->group = h->type == LOOM_ELITE5_BROADCAST || (conditional && h->dest & LOOM_ELITE5_GROUP_BIT);
  if (q->group) {
    q->known = number < s->set.group_count;
    entry = s->size.classes + 2 * number + (s->set.uplinks >> l & 1);
  } else {
    q->known = number < s->set.dest_count && entry < s->set.class_count;
  }
  r->mask = q->known ? s->mask[entry] : 0;
  r->all = q->known && s->all[entry];
  r->dest = h->dest;
  r->ts = h->ts;
}

static void new_packet(struct loom_elite5_router *s, struct loom_elite5_cycle *c, uint32_t l,
                       uint32_t vc) {
  struct loom_elite5_input *x = &s->input[l];
  struct loom_elite5_question *q = &s->question[!c->phase][l];
  const struct loom_elite5_first h = loom_elite5_first_fields(s->word.data[l]);
  for (uint32_t b = 0; b < 2; b++)
    x->prio[b] = (x->prio[b] & ~(1u << vc)) | (uint32_t)(h.prio >> b & 1) << vc;
  q->vc = (uint8_t)vc;
  q->fresh = true;
  look_up(s, l, vc, &h, q);
  c->fresh |= 1u << l;
  loom_elite5_set_state(s, l, vc, LOOM_ELITE5_ROUTE);
  s->not_idle |= 1u << l;
}

/* A head on a VC with room that can take it; gives the word that is written. */
static uint64_t accept_head(struct loom_elite5_router *s, struct loom_elite5_cycle *c, uint32_t l,
                            uint32_t vc, struct tally *t) {
  struct loom_elite5_input *x = &s->input[l];
  uint64_t word = s->word.data[l];
  loom_links bit = 1u << l;
  bool ok = loom_elite5_crc_ok(word), idle = x->packet[vc].state == LOOM_ELITE5_IDLE;
  if (idle && ok && loom_elite5_type_of(word) <= LOOM_ELITE5_CONDITIONAL) {
    new_packet(s, c, l, vc);
    t->packets |= bit;
    return word;
  }
  if (!idle && ok && loom_elite5_is_continuation(word))
    return word;
  if (ok)
    t->link_errors |= bit;
  else
    t->header_errors |= bit;
  if (!idle) {
    s->cur_void |= bit;
    return loom_elite5_void(vc);
  }
  x->prio[0] &= ~(1u << vc);
  x->prio[1] &= ~(1u << vc);
  loom_elite5_set_state(s, l, vc, LOOM_ELITE5_SINK);
  s->not_idle |= bit;
  return word;
}

static void begin_segment(struct loom_elite5_router *s, uint32_t l, uint32_t vc, uint64_t word,
                          bool tail, struct tally *t) {
  struct loom_elite5_input *x = &s->input[l];
  loom_links bit = 1u << l;
  loom_segment_buffer_begin(&s->buffer[l], vc);
  loom_segment_buffer_write(&s->buffer[l], word, tail);
  s->stocked |= bit;
  s->used |= bit;
  t->written |= bit;
  t->segments |= bit;
  x->cur_vc = (uint8_t)vc;
  if (tail) {
    close_packet(s, l, vc);
  } else {
    x->open |= 1u << vc;
    s->open |= bit;
  }
}

/* A head cannot be taken: a VC that there is not, no room, or a packet where none is expected. */
static bool refused(const struct loom_elite5_router *s, uint32_t l, uint32_t vc) {
  const struct loom_elite5_input *x = &s->input[l];
  uint32_t can =
      loom_segment_buffer_room(&s->buffer[l]) & (x->in_state[LOOM_ELITE5_IDLE] | x->open);
  return !(can >> vc & 1);
}

/* A head while no segment is open (E5-04, E5-07). */
static void arrive_head(struct loom_elite5_router *s, struct loom_elite5_cycle *c, uint32_t l,
                        struct tally *t) {
  uint32_t vc = s->word.vl[l];
  bool tail = s->word.tail >> l & 1;
  if (tail && s->word.data[l] == s->ready_word && vc < s->vcs)
    return;
  loom_elite5_include(&s->cur_skip, l, refused(s, l, vc));
  s->cur_void &= ~(1u << l);
  if (s->cur_skip >> l & 1)
    t->link_errors |= 1u << l;
  else
    begin_segment(s, l, vc, accept_head(s, c, l, vc, t), tail, t);
  s->input[l].cur_words = 1;
  loom_elite5_include(&s->cur, l, !tail);
}

static void count_words(struct loom_elite5_router *s, const struct tally *t) {
  loom_links errors = (t->header_errors | t->link_errors) & s->up;
  loom_elite5_count(s, LOOM_ELITE5_WORDS_IN, t->written);
  loom_elite5_count(s, LOOM_ELITE5_SEGMENTS_IN, t->segments);
  loom_elite5_count(s, LOOM_ELITE5_PACKETS_IN, t->packets);
  loom_elite5_count(s, LOOM_ELITE5_HEADER_ERRORS, t->header_errors);
  loom_elite5_count(s, LOOM_ELITE5_LINK_ERRORS, t->link_errors);
  s->erring |= errors;
  for (; errors; errors &= errors - 1)
    s->link[loom_ctz(errors)].window_errors++;
}

void loom_elite5_arrive(struct loom_elite5_router *s, struct loom_elite5_cycle *c) {
  /* A head is an error in a segment, what is not a head is one outside. */
  struct tally t = {.link_errors = s->word.valid & ~(s->cur ^ s->word.head)};
  loom_links bodies = s->word.valid & s->cur;
  loom_links heads = s->word.valid & ~s->cur & s->word.head;
  for (; bodies; bodies &= bodies - 1)
    arrive_body(s, loom_ctz(bodies), &t);
  for (; heads; heads &= heads - 1)
    arrive_head(s, c, loom_ctz(heads), &t);
  s->deciding[!c->phase] = c->fresh;
  count_words(s, &t);
}

/* ---- registers of the links ------------------------------------------------------------------ */

/* The word that ends what was cut short on a link that is not UP (E5-25). */
static void close_link(struct loom_elite5_router *s, uint32_t l) {
  loom_links bit = 1u << l;
  uint32_t vcs = s->input[l].open & loom_segment_buffer_room(&s->buffer[l]);
  bool in_segment = s->cur & bit;
  if (!in_segment && !vcs)
    return;
  uint32_t vc = in_segment ? 0 : loom_ctz(vcs);
  s->word.valid |= bit;
  s->word.tail |= bit;
  s->word.head |= in_segment ? 0 : bit;
  s->word.vl[l] = (uint8_t)vc;
  s->word.data[l] = in_segment ? 0 : loom_elite5_void(vc);
}

/* The dest table at the end of c. */
static void look_dest_up(struct loom_elite5_router *s, uint32_t l) {
  uint64_t word = s->word.data[l];
  uint32_t dest = loom_elite5_dest_of(word);
  if (loom_elite5_type_of(word) == LOOM_ELITE5_CONDITIONAL)
    dest &= LOOM_ELITE5_DEST_MASK;
  s->looked_up[l] = s->dest[dest];
}

/* ctl_q: words while the state is 1..4. */
static void latch_control(struct loom_elite5_router *s, const struct loom_elite5_lanes *in) {
  s->ctl.valid = in->valid & s->striving;
  s->ctl.head = in->head & s->ctl.valid;
  for (loom_links set = s->ctl.valid; set; set &= set - 1)
    s->ctl.data[loom_ctz(set)] = in->port[loom_ctz(set)].data;
}

static void latch_words(struct loom_elite5_router *s, const struct loom_elite5_lanes *in) {
  s->word.valid = in->valid & s->up;
  s->word.head = in->head & s->word.valid;
  s->word.tail = in->tail & s->word.valid;
  for (loom_links set = s->word.valid; set; set &= set - 1) {
    s->word.vl[loom_ctz(set)] = in->port[loom_ctz(set)].vl;
    s->word.data[loom_ctz(set)] = in->port[loom_ctz(set)].data;
  }
  for (loom_links set = s->word.head & ~s->cur; set; set &= set - 1)
    look_dest_up(s, loom_ctz(set));
}

static void latch_returns(struct loom_elite5_router *s, const struct loom_elite5_lanes *in) {
  s->returned.cr_valid = in->cr_valid & s->up;
  s->returned.rep_valid = in->rep_valid & s->up;
  for (loom_links set = s->returned.cr_valid; set; set &= set - 1)
    s->returned.cr_vl[loom_ctz(set)] = in->port[loom_ctz(set)].cr_vl;
  if (!s->returned.rep_valid)
    return;
  s->returned.rep_ack = in->rep_ack;
  for (loom_links set = s->returned.rep_valid; set; set &= set - 1)
    s->returned.rep_vc[loom_ctz(set)] = in->port[loom_ctz(set)].rep_vc;
}

void loom_elite5_latch(struct loom_elite5_router *s, const struct loom_elite5_cycle *c) {
  loom_links closing = ~s->up & ~s->word.valid & (s->cur | s->open);
  if (s->striving | s->ctl.valid)
    latch_control(s, c->lanes);
  latch_words(s, c->lanes);
  latch_returns(s, c->lanes);
  for (; closing; closing &= closing - 1)
    close_link(s, loom_ctz(closing));
}

void loom_elite5_release(struct loom_elite5_router *s) {
  s->back.cr_valid = 0;
  for (loom_links set = s->releasing; set; set &= set - 1) {
    uint32_t l = loom_ctz(set);
    struct loom_segment_buffer *b = &s->buffer[l];
    loom_segment_buffer_release(b);
    s->back.cr_valid |= (loom_links)b->free_valid << l;
    s->back.cr_vl[l] = b->free_vc;
    loom_elite5_include(&s->releasing, l, b->freed != 0);
    loom_elite5_include(&s->used, l, !loom_segment_buffer_empty(b));
  }
}

/* SPDX-License-Identifier: Apache-2.0 */
/* elite5_judge.c - what comes out of an Elite5 router is what went in, where and as it should be,
 * and every packet has one reply; see elite5_traffic.h
 *
 * It looks at the links of the circuit, at the plan, and at the probe that says which links are up.
 * A packet has a record from its first word to its reply. Every word that comes out is compared
 * with the one that its record asks for.
 */
#include "tb/cosim/elite5_traffic.h"

#include <inttypes.h>
#include <string.h>

static void wrong(struct elite5_state *s, uint32_t link, const char *what, uint64_t is,
                  uint64_t must) {
  struct elite5_judge *j = &s->judge;
  if (!j->wrong[0])
    snprintf(j->wrong, sizeof j->wrong,
             "cycle %" PRIu64 " (%" PRIu64 " after reset), link %u: %s is 0x%" PRIx64
             ", must be 0x%" PRIx64,
             j->run_cycle, j->now, link, what, is, must);
}

static void must_be(struct elite5_state *s, uint32_t link, const char *what, uint64_t is,
                    uint64_t must) {
  if (is != must)
    wrong(s, link, what, is, must);
}

/* ---- in -------------------------------------------------------------------------------------- */

static void close_record(struct elite5_judge *j, struct elite5_record *r) {
  j->waiting -= r->open;
  r->open = false;
  j->progress = j->now;
}

/* What stops in the middle is brought to an end by the router (E5-25). */
static void cut_short(struct elite5_state *s, uint32_t link) {
  struct elite5_judged *k = &s->judge.link[link];
  for (uint32_t v = 0; v < s->facts.vcs; v++) {
    struct elite5_record *r = &s->judge.record[link][v];
    if (!r->open || r->complete || r->cut)
      continue;
    r->cut = true;
    k->count[COUNT_WORDS_IN]++;
    k->count[COUNT_SEGMENTS_IN] += r->words % ELITE5_WORDS == 0;
  }
  k->in_left = 0;
}

static bool expired(const struct elite5_state *s, uint32_t ts) {
  uint32_t decided = (uint32_t)s->judge.now + s->facts.aged;
  return s->plan.expire && ((decided - ts) & ELITE5_TIME) > s->plan.expire;
}

static void new_packet(struct elite5_state *s, uint32_t link, uint32_t vc, uint64_t word) {
  struct elite5_judge *j = &s->judge;
  struct elite5_record *r = &j->record[link][vc];
  struct loom_elite5_first h;
  bool good = loom_elite5_unpack_first(&h, word) && h.type <= LOOM_ELITE5_CONDITIONAL;
  *r = (struct elite5_record){
      .open = true, .head = word, .base = elite5_base(word), .born = j->now, .sunk = !good};
  j->waiting++;
  if (!good) {
    j->link[link].count[loom_elite5_crc_ok(word) ? COUNT_LINK_ERRORS : COUNT_HEADER_ERRORS]++;
    return;
  }
  struct elite5_way w = elite5_route(&s->facts, &s->plan.tables, link, vc, h.type, h.dest);
  r->set = w.set;
  r->cause = w.cause ? w.cause : expired(s, h.ts) ? TRAP_EXPIRED : TRAP_NONE;
  r->sunk = r->cause != TRAP_NONE;
  j->packets++;
  j->link[link].count[COUNT_PACKETS_IN]++;
}

static void next_segment(struct elite5_state *s, uint32_t link, struct elite5_record *r,
                         uint64_t word) {
  uint32_t *count = s->judge.link[link].count;
  uint64_t part = 1ull << (r->words / ELITE5_WORDS & 63);
  if (!loom_elite5_is_continuation(word) || !loom_elite5_crc_ok(word)) {
    r->void_parts |= part;
    count[loom_elite5_crc_ok(word) ? COUNT_LINK_ERRORS : COUNT_HEADER_ERRORS]++;
  } else if (loom_elite5_type_of(word) == LOOM_ELITE5_VOID) {
    r->void_sent |= part;
  }
}

static void look_in(struct elite5_state *s, uint32_t link, const elite5_in *i) {
  struct elite5_judge *j = &s->judge;
  struct elite5_judged *k = &j->link[link];
  uint64_t word = i->in_data[link];
  if (!k->in_left) {
    if (word == loom_elite5_control(LOOM_ELITE5_READY, 0))
      return;
    k->in_vc = (uint32_t)i->in_vl[link];
    k->in_left = ELITE5_WORDS;
    struct elite5_record *r = &j->record[link][k->in_vc];
    if (!r->open)
      new_packet(s, link, k->in_vc, word);
    else
      next_segment(s, link, r, word);
    k->count[COUNT_SEGMENTS_IN]++;
    k->credits_out[k->in_vc]++;
  }
  struct elite5_record *r = &j->record[link][k->in_vc];
  k->count[COUNT_WORDS_IN]++;
  r->words++;
  k->in_left--;
  if (i->in_tail[link]) {
    r->complete = true;
    k->in_left = 0;
  }
}

/* ---- out ------------------------------------------------------------------------------------- */

static struct elite5_record *record_of(struct elite5_state *s, const struct elite5_slot *t) {
  return &s->judge.record[t->link][t->vc];
}

/* The record of the packet with this first word, or NULL. (Bit errors may have given one that must
 * not come out the same number.) */
static struct elite5_record *find_record(struct elite5_state *s, uint64_t word,
                                         struct elite5_slot *t) {
  t->link = (uint8_t)elite5_source(word);
  for (uint32_t v = 0; v < s->facts.vcs && t->link < s->facts.links; v++) {
    struct elite5_record *r = &s->judge.record[t->link][v];
    t->vc = (uint8_t)v;
    if (r->open && !r->sunk && r->base == elite5_base(word))
      return r;
  }
  return NULL;
}

/* It may leave here, on this VC, and has not yet. */
static void check_way(struct elite5_state *s, uint32_t link, uint32_t vc,
                      const struct elite5_slot *t, const struct elite5_record *r) {
  const struct elite5_facts *f = &s->facts;
  bool broadcast = t->vc >= f->unicast_vcs;
  uint32_t limit = loom_min(s->plan.cable[link].vc_limit, f->unicast_vcs);
  if (!(r->set.mask >> link & 1))
    wrong(s, link, "the link of a packet", link, r->set.mask);
  if (broadcast ? vc < f->unicast_vcs || vc >= f->vcs : vc >= limit)
    wrong(s, link, "the VC of a packet", vc, limit);
  if (r->outs && !(broadcast && r->set.all && !(r->outs >> link & 1)))
    wrong(s, link, "the links of a packet that has left already", r->outs, r->set.mask);
}

static void measure_head(struct elite5_state *s, const struct elite5_record *r,
                         struct elite5_measure *m) {
  if (!m)
    return;
  m->packets++;
  m->latency += s->judge.now - r->born;
}

static struct elite5_record *new_copy(struct elite5_state *s, uint32_t link, uint32_t vc,
                                      uint64_t word, struct elite5_measure *m) {
  struct elite5_slot *t = &s->judge.link[link].slot[vc];
  *t = (struct elite5_slot){.busy = true};
  struct elite5_record *r = find_record(s, word, t);
  if (!r) {
    wrong(s, link, "a first word that nobody sent", word, 0);
    return NULL;
  }
  check_way(s, link, vc, t, r);
  r->outs |= 1u << link;
  s->judge.copies++;
  measure_head(s, r, m);
  return r;
}

/* Segments at the other end, and those beyond the one that each VC has for itself (E5-10). */
static uint32_t segments_held(const uint8_t *used) {
  uint32_t held = 0;
  for (uint32_t v = 0; v < ELITE5_VCS; v++)
    held += used[v];
  return held;
}

static uint32_t segments_shared(const uint8_t *used) {
  uint32_t shared = 0;
  for (uint32_t v = 0; v < ELITE5_VCS; v++)
    shared += used[v] ? used[v] - 1u : 0;
  return shared;
}

static void take_credit(struct elite5_state *s, uint32_t link, uint32_t vc) {
  uint8_t *used = s->judge.link[link].far_used;
  if (used[vc] && segments_shared(used) >= s->facts.pool)
    wrong(s, link, "the VC of a segment that the other end has no room for", vc, 0);
  if (++used[vc] > s->plan.cable[link].cap)
    wrong(s, link, "segments of a VC at the other end", used[vc], s->plan.cable[link].cap);
}

static void give_credit(struct elite5_state *s, uint32_t link, uint32_t vc) {
  uint8_t *used = &s->judge.link[link].far_used[vc];
  if (*used)
    --*used;
}

/* The word that the record asks for at place `n` on VC `vc`; `is` says which kind of continuation
 * it is, which shows only at its end. */
static uint64_t word_at(const struct elite5_record *r, uint32_t n, uint32_t vc, uint64_t is) {
  uint64_t part = 1ull << (n / ELITE5_WORDS & 63);
  if (r->cut && n == r->words)
    return n % ELITE5_WORDS ? 0 : loom_elite5_void(vc);
  if (n == 0)
    return loom_elite5_rewrite_vc(r->head, vc);
  if (n % ELITE5_WORDS)
    return r->void_parts & part ? 0 : elite5_pattern(r->base, n);
  if ((r->void_parts | r->void_sent) & part)
    return loom_elite5_void(vc);
  return elite5_continuation(r->base, n, vc,
                             loom_elite5_type_of(is) == LOOM_ELITE5_LAST_CONTINUATION);
}

static void check_last(struct elite5_state *s, uint32_t link, const struct elite5_slot *t,
                       const struct elite5_record *r, uint32_t n, bool tail) {
  uint64_t part = 1ull << (n / ELITE5_WORDS & 63);
  bool ends = tail || n % ELITE5_WORDS == ELITE5_WORDS - 1;
  if (!ends || r->cut || n < ELITE5_WORDS || (r->void_parts | r->void_sent) & part)
    return;
  must_be(s, link, "the type of a segment: the last one", t->last, tail);
}

static void check_word(struct elite5_state *s, uint32_t link, const elite5_out *o) {
  struct elite5_judged *k = &s->judge.link[link];
  struct elite5_slot *t = &k->slot[k->out_vc];
  struct elite5_record *r = record_of(s, t);
  uint64_t word = o->out_data[link];
  uint32_t n = t->words++;
  bool closing = r->cut && n == r->words, tail = closing || (r->complete && n + 1 == r->words);
  if (n % ELITE5_WORDS == 0)
    t->last = loom_elite5_type_of(word) == LOOM_ELITE5_LAST_CONTINUATION;
  if (n >= r->words && !closing)
    wrong(s, link, "a word beyond the end of its packet", word, 0);
  must_be(s, link, "a word", word, word_at(r, n, k->out_vc, word));
  must_be(s, link, "the tail flag", o->out_tail[link], tail);
  check_last(s, link, t, r, n, tail);
  if (!tail)
    return;
  t->left = true;
  k->count[COUNT_PACKETS_OUT]++;
  r->left |= 1u << link;
}

static void look_out(struct elite5_state *s, uint32_t link, const elite5_out *o,
                     struct elite5_measure *m) {
  struct elite5_judged *k = &s->judge.link[link];
  uint32_t vc = (uint32_t)o->out_vl[link];
  k->count[COUNT_WORDS_OUT]++;
  if (m)
    m->words++;
  if (!k->out_left) {
    k->out_vc = vc;
    k->out_left = ELITE5_WORDS;
    struct elite5_slot *t = &k->slot[vc];
    must_be(s, link, "the head flag", o->out_head[link], 1);
    if (t->busy && t->left)
      wrong(s, link, "a VC whose packet waits for its reply", vc, 0);
    if (!t->busy && !new_copy(s, link, vc, o->out_data[link], m))
      return;
    take_credit(s, link, vc);
  } else {
    must_be(s, link, "the head flag", o->out_head[link], 0);
    must_be(s, link, "the VC of a word", vc, k->out_vc);
  }
  check_word(s, link, o);
  k->out_left = o->out_tail[link] ? 0 : k->out_left - 1;
}

/* ---- credits and replies --------------------------------------------------------------------- */

static void reply_of_end(struct elite5_state *s, uint32_t link, const elite5_in *i) {
  struct elite5_slot *t = &s->judge.link[link].slot[i->out_rep_vc[link]];
  if (!t->busy || !t->left) {
    s->judge.link[link].count[COUNT_REPLY_ERRORS]++;
    return;
  }
  struct elite5_record *r = record_of(s, t);
  *(i->out_rep_ack[link] ? &r->acked : &r->nacked) |= 1u << link;
  t->busy = false;
}

/* Links of `set` that were not up at some time since `born`; *fell: one of them was before. */
static uint32_t were_down(const struct elite5_state *s, uint32_t set, uint64_t born, bool *fell) {
  uint32_t down = 0;
  *fell = false;
  for (uint32_t left = set; left; left &= left - 1) {
    const struct elite5_judged *k = &s->judge.link[loom_ctz(left)];
    down |= k->last_down > born ? left & -left : 0;
    *fell |= k->fell > born;
  }
  return down;
}

/* E5-12, E5-29: ACK iff every copy that there had to be was acknowledged. */
static void check_ack(struct elite5_state *s, uint32_t link, uint32_t vc,
                      const struct elite5_record *r) {
  bool all = vc >= s->facts.unicast_vcs && r->set.all;
  if (r->sunk)
    wrong(s, link, "an ACK for a packet with cause", r->cause, 0);
  if (r->acked != r->outs || r->nacked)
    wrong(s, link, "an ACK with links that acknowledged", r->acked, r->outs);
  if (all ? r->outs != r->set.mask : loom_popcount(r->outs) != 1)
    wrong(s, link, "an ACK with copies on links", r->outs, r->set.mask);
}

static void check_nack(struct elite5_state *s, uint32_t link, uint32_t vc,
                       const struct elite5_record *r) {
  struct elite5_judge *j = &s->judge;
  bool all = vc >= s->facts.unicast_vcs && r->set.all, fell;
  uint32_t down = were_down(s, r->set.mask, r->born, &fell);
  bool no_way = all ? down || !r->set.mask : !r->outs && (fell || down == r->set.mask);
  j->due += r->cause || (!r->outs && !r->sunk);
  j->link[link].count[COUNT_OWN_NACKS] += !r->outs;
  if (r->sunk || r->dead || r->nacked || no_way) {
    if (!r->dead && !r->sunk && (r->acked | r->nacked) != r->outs)
      wrong(s, link, "a NACK with links that replied", r->acked | r->nacked, r->outs);
    return;
  }
  wrong(s, link, "a NACK without a reason for the packet", r->head, 0);
}

static void reply_of_router(struct elite5_state *s, uint32_t link, const elite5_out *o) {
  struct elite5_judge *j = &s->judge;
  uint32_t vc = (uint32_t)o->in_rep_vc[link];
  struct elite5_record *r = &j->record[link][vc];
  bool ack = o->in_rep_ack[link];
  j->link[link].count[ack ? COUNT_ACKS : COUNT_NACKS]++;
  if (!r->open || !r->complete) {
    wrong(s, link, "a reply for a VC without a whole packet", vc, 0);
    return;
  }
  if (ack)
    check_ack(s, link, vc, r);
  else
    check_nack(s, link, vc, r);
  close_record(j, r);
}

static void credit_of_router(struct elite5_state *s, uint32_t link, const elite5_out *o) {
  uint32_t *out = &s->judge.link[link].credits_out[o->in_cr_vl[link]];
  if (!*out)
    wrong(s, link, "a credit for a VC without segments", o->in_cr_vl[link], 0);
  else
    --*out;
}

/* ---- links that come and go ------------------------------------------------------------------ */

static void link_down(struct elite5_state *s, uint32_t link) {
  struct elite5_judge *j = &s->judge;
  struct elite5_judged *k = &j->link[link];
  j->went_down = true;
  k->fell = j->now + 1;
  for (uint32_t l = 0; l < s->facts.links; l++)
    for (uint32_t v = 0; v < s->facts.vcs; v++)
      j->record[l][v].dead |= j->record[l][v].outs >> link & 1;
  memset(k->slot, 0, sizeof k->slot);
  memset(k->far_used, 0, sizeof k->far_used);
  k->out_left = 0;
}

/* A link comes up when nothing of it is inside any more; its replies went nowhere. */
static void link_up(struct elite5_state *s, uint32_t link) {
  for (uint32_t v = 0; v < s->facts.vcs; v++)
    if (s->judge.record[link][v].open)
      close_record(&s->judge, &s->judge.record[link][v]);
  memset(s->judge.link[link].credits_out, 0, sizeof s->judge.link[link].credits_out);
}

static void look_at_state(struct elite5_state *s, uint32_t link, bool up, bool was_up) {
  if (!up)
    s->judge.link[link].last_down = s->judge.now + 1;
  if (up && !was_up)
    link_up(s, link);
  if (!up && was_up)
    cut_short(s, link);
}

static void check_silent(struct elite5_state *s, uint32_t link, const elite5_out *o) {
  if (!o->out_valid[link] &&
      (o->out_head[link] | o->out_tail[link] | o->out_vl[link] | o->out_data[link]))
    wrong(s, link, "what stands on a silent link", o->out_data[link], 0);
  /* `enable`, the state and the output register follow one another. */
  uint32_t *without = &s->judge.link[link].without_signal;
  *without = o->out_signal[link] ? 0 : *without + 1;
  if (o->out_valid[link] && *without > 2)
    wrong(s, link, "a word on a link without signal", o->out_data[link], 0);
}

static void look_at_link(struct elite5_state *s, uint32_t link, bool up, const elite5_in *i,
                         const elite5_out *o, struct elite5_measure *m) {
  bool was_up = s->judge.up >> link & 1; /* what the outputs were made from */
  look_at_state(s, link, up, was_up);
  check_silent(s, link, o);
  if (was_up && o->out_valid[link])
    look_out(s, link, o, m);
  else if (m)
    m->silent++;
  if (o->in_rep_valid[link])
    reply_of_router(s, link, o);
  if (o->in_cr_valid[link])
    credit_of_router(s, link, o);
  if (!up && was_up)
    link_down(s, link);
  if (!up)
    return;
  if (i->in_valid[link])
    look_in(s, link, i);
  if (i->out_rep_valid[link])
    reply_of_end(s, link, i);
  if (i->out_cr_valid[link])
    give_credit(s, link, (uint32_t)i->out_cr_vl[link]);
}

/* ---- registers ------------------------------------------------------------------------------- */

static void trap_read(struct elite5_judge *j, uint32_t data) {
  if (!(data >> 31))
    return;
  j->traps += (data >> 28 & 7) <= TRAP_CLASS;
  j->trap[j->trap_count++ % ELITE5_TRAPS_KEPT] = data;
}

/* A counter of a drained router, if the judge can tell. */
static void check_counter(struct elite5_state *s, uint32_t link, enum elite5_counter what,
                          uint32_t data) {
  const struct elite5_judged *k = &s->judge.link[link];
  switch (what) {
  case COUNT_NO_VC:
  case COUNT_REMOVALS:
  case COUNT_PASSED:
    break;
  case COUNT_TRAPS_LOST:
    s->judge.lost += data;
    break;
  case COUNT_OWN_NACKS:
    if (!s->judge.went_down)
      must_be(s, link, "the counter of own NACKs", data, k->count[what]);
    break;
  default:
    if (data != k->count[what])
      wrong(s, link,
            (const char *[]){"words in", "segments in", "packets in", "header errors",
                             "link errors", "", "words out", "packets out", "ACKs", "NACKs", "",
                             "reply errors"}[what],
            data, k->count[what]);
  }
}

/* E5-12: what the sweep reads of a link when everything has had its reply. */
static void check_register(struct elite5_state *s, uint32_t link, uint32_t at, uint32_t data) {
  if (at == LOOM_ELITE5_REG_LINK_STATE && s->ends.alive >> link & 1)
    must_be(s, link, "the state register (5: up)", data & 7, 5);
  else if (at == LOOM_ELITE5_REG_LINK_ALLOCATED || at == LOOM_ELITE5_REG_LINK_NOT_IDLE ||
           at == LOOM_ELITE5_REG_LINK_PENDING)
    must_be(s, link, "a register of VCs in use", data, 0);
  else if (at >= LOOM_ELITE5_REG_LINK_WORDS_IN && at <= LOOM_ELITE5_REG_LINK_PASSED)
    check_counter(s, link, at - LOOM_ELITE5_REG_LINK_WORDS_IN, data);
}

static void check_mask(struct elite5_state *s, uint32_t entry, bool flag, uint32_t data) {
  const struct elite5_tables *t = &s->plan.tables;
  uint32_t group = (entry - s->facts.classes) / 2;
  struct elite5_set set = {0}; /* what entries read as that do not exist */
  if (entry < t->class_count)
    set = t->class[entry];
  else if (entry >= s->facts.classes && group < t->group_count)
    set = t->group[group][(entry - s->facts.classes) % 2];
  must_be(s, 0, flag ? "a flag of the mask table" : "a mask", data, flag ? set.all : set.mask);
}

/* E5-39: the tables read as they were written. */
static void check_table(struct elite5_state *s, uint32_t addr, uint32_t data) {
  const struct elite5_tables *t = &s->plan.tables;
  uint32_t dest = addr - LOOM_ELITE5_REG_DEST;
  if (addr >= LOOM_ELITE5_REG_DEST)
    must_be(s, 0, "an entry of the dest table", data, dest < t->dest_count ? t->class_of[dest] : 0);
  else if (addr >= LOOM_ELITE5_REG_MASK)
    check_mask(s, (addr - LOOM_ELITE5_REG_MASK) / 2, addr & 1, data);
}

static void register_read(struct elite5_state *s, uint32_t addr, uint32_t data) {
  uint32_t link = (addr - LOOM_ELITE5_REG_LINKS) / LOOM_REG_WINDOW, at = addr % LOOM_REG_WINDOW;
  if (addr == LOOM_ELITE5_REG_TRAP)
    trap_read(&s->judge, data);
  if (s->judge.now > s->plan.start)
    check_table(s, addr, data);
  if (addr < LOOM_ELITE5_REG_LINKS || link >= s->facts.links)
    return;
  if (at <= LOOM_ELITE5_REG_LINK_PENDING)
    s->judge.value[link][at] = data;
  if (s->plan.sweep && s->judge.now > s->plan.sweep + s->facts.answer)
    check_register(s, link, at, data);
}

static void look_at_bus(struct elite5_state *s, const elite5_in *i, const elite5_out *o) {
  struct elite5_judge *j = &s->judge;
  struct elite5_access *a = &j->bus[j->now % s->facts.answer]; /* whose data come now */
  must_be(s, 0, "reg_rvalid", o->reg_rvalid, a->re);
  if (a->re)
    register_read(s, a->addr, (uint32_t)o->reg_rdata);
  *a = (struct elite5_access){.we = i->reg_we, .re = i->reg_re, .addr = (uint32_t)i->reg_addr};
}

/* Everything sent was delivered and answered, every credit is back (E5-12, E5-25). */
static void check_drained(struct elite5_state *s) {
  struct elite5_judge *j = &s->judge;
  must_be(s, 0, "the number of packets without a reply", j->waiting, 0);
  must_be(s, 0, "the number of packets that were not delivered", s->ends.outstanding, 0);
  for (uint32_t l = 0; l < s->facts.links; l++) {
    must_be(s, l, "segments at the other end", segments_held(j->link[l].far_used), 0);
    for (uint32_t v = 0; v < s->facts.vcs; v++)
      must_be(s, l, "segments without a credit back", j->link[l].credits_out[v], 0);
  }
  if (s->plan.calm && !j->went_down)
    must_be(s, 0, "the number of traps", j->traps + j->lost, j->due);
}

/* ---- a cycle --------------------------------------------------------------------------------- */

/* The part of the run that a cycle is measured in; NULL while it warms up. */
static struct elite5_measure *measured(struct elite5_state *s) {
  const struct elite5_plan *p = &s->plan;
  uint64_t at = s->judge.now - p->start;
  if (s->judge.now < p->start || p->random)
    return NULL;
  uint64_t k = p->segment_length ? at / p->segment_length : 0;
  if (k >= p->segments || (p->segment_length ? at % p->segment_length : at) < p->warm)
    return NULL;
  s->judge.measure[k].cycles++;
  return &s->judge.measure[k];
}

static void note(uint64_t cycle, uint32_t link, const elite5_in *i, struct stats *stats) {
  struct loom_elite5_first h;
  if (!loom_elite5_unpack_first(&h, i->in_data[link]) || h.type > LOOM_ELITE5_CONDITIONAL)
    return;
  const struct packet_note n = {.cycle = cycle,
                                .port = link,
                                .vl = (uint32_t)i->in_vl[link],
                                .dest = h.dest,
                                .length = h.len,
                                .id = h.ts};
  stats->packets++;
  stats_note(stats, &n);
}

void elite5_observe(struct elite5_state *s, uint64_t cycle, const elite5_in *i, const elite5_out *o,
                    uint32_t up, struct stats *stats) {
  struct elite5_judge *j = &s->judge;
  bool judging = elite5_judged(&s->plan);
  j->run_cycle = cycle;
  struct elite5_measure *m = judging ? measured(s) : NULL;
  for (uint32_t l = 0; l < s->facts.links; l++) {
    if (i->in_valid[l] && i->in_head[l])
      note(cycle, l, i, stats);
    stats->grants += o->out_valid[l] && o->out_tail[l] && j->up >> l & 1;
    if (judging)
      look_at_link(s, l, up >> l & 1, i, o, m);
  }
  j->up = up;
  if (judging) {
    look_at_bus(s, i, o);
    if (s->plan.end && j->now == s->plan.end)
      check_drained(s);
  }
  if (s->directed && s->directed->look)
    s->directed->look(s, j->now, i, o);
  j->now++;
}

bool elite5_check(const void *st, char *why, size_t why_size) {
  const struct elite5_state *s = st;
  if (s->judge.wrong[0])
    snprintf(why, why_size, "%s", s->judge.wrong);
  return !s->judge.wrong[0];
}

bool elite5_verdict(const void *st, const struct stats *stats, char *why, size_t why_size) {
  const struct elite5_state *s = st;
  (void)stats;
  return !s->directed || !s->directed->verdict || s->directed->verdict(s, why, why_size);
}

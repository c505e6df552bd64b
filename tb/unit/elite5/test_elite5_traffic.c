/* SPDX-License-Identifier: Apache-2.0 */
/* test_elite5_traffic.c - random traffic through the twins of elite5_router and of its second
 * edition: what docs/elite5.md promises of every packet, without a circuit
 *
 * Senders weave the segments of their packets, far ends give credits back and answer late, in any
 * order. Every packet comes out whole, once on each link that it goes to, in order, and its sender
 * hears ACK if and only if all far ends said so (E5-04, E5-10, E5-12, E5-19, E5-28, E5-29). Where
 * links go down and come back, what was cut short ends, and nothing stays behind (E5-25).
 */
#include "tb/unit/unit.h"

#include <stdlib.h>
#include <string.h>

#include "tb/ends/elite5_ports.h"
#include "tb/unit/elite5_bench.h"

enum {
  PACKETS = 1 << 14, /* a packet is known by its time stamp */
  NOWHERE = S_DESTS,
  CHOICES = 8, /* destinations from here on are of classes with several links */
  LATE = 32    /* replies and credits that wait at a far end */
};

struct sent {
  struct elite5_packet p;
  uint32_t links;           /* that it may go to, a bit each */
  bool all;                 /* to all of them, else to one */
  uint32_t copies, answers; /* links that its header came out of; that answered */
  bool refused;             /* by one of them */
  bool orphan;              /* its input went down before it was answered */
  uint64_t begun;           /* cycle */
};

/* The sender's view of a VC: the packet on it and how far it is. */
struct lane {
  bool busy;
  uint32_t number, place;
};

struct source {
  struct lane lane[S_VCS];
  struct end_segments slots; /* of the input buffer */
  bool open;                 /* a segment is on the link */
  uint32_t vc;
};

/* Of a far end: the packet that comes in on each VC, what it owes. */
struct sink {
  struct lane lane[S_VCS];
  bool open;
  uint32_t vc;
  uint32_t credits, answers;
  uint32_t credit[LATE], answer[LATE]; /* VCs; of answers also the number << 8 */
};

struct traffic {
  struct elite5_bench *b;
  uint64_t seed;
  uint32_t begin, word, credit, answer, refuse, longest; /* percent; words */
  bool stop;                                             /* no new packets */
  bool faults;                                           /* links go down and come back */
  uint64_t down[S_LINKS]; /* last cycle in which the link was not UP */
  uint32_t packets, answered;
  struct sent *sent;
  struct source source[S_LINKS];
  struct sink sink[S_LINKS];
};

/* ---- destinations ---------------------------------------------------------------------------- */

/* Class 8 + k and group k lead to these links. */
static const uint32_t sets[] = {0x03, 0x0C, 0xF0, 0x55, 0xFF, 0x81, 0x3C, 0x40};
enum { SETS = sizeof sets / sizeof *sets };

static void fill_sets(struct elite5_bench *b) {
  for (uint32_t k = 0; k < SETS; k++) {
    set_class(b, CHOICES + k, sets[k], false);
    set_group(b, k, sets[k], k < SETS / 2, sets[k], k < SETS / 2);
  }
}

static struct sent random_packet(struct traffic *t, uint32_t vc) {
  uint32_t words = 1 + loom_below(&t->seed, t->longest), k = loom_below(&t->seed, SETS);
  struct sent s = {.links = sets[k]};
  if (vc >= S_UNICAST) {
    s.p = loom_chance(&t->seed, 50) ? broadcast(vc, k, words) : conditional(vc, 0x8000 | k, words);
    s.all = k < SETS / 2;
  } else if (loom_chance(&t->seed, 3)) {
    s.p = unicast(vc, NOWHERE + k, words);
    s.links = 0;
  } else if (loom_chance(&t->seed, 50)) {
    s.p = unicast(vc, CHOICES + k, words);
  } else {
    s.p = conditional(vc, k, words);
    s.links = 1u << k;
  }
  s.p.prio = loom_chance(&t->seed, 70) ? 0 : loom_below(&t->seed, 4);
  s.p.ts = t->packets;
  s.p.tag = t->packets;
  s.begun = t->b->cycle;
  return s;
}

/* ---- links that go down ---------------------------------------------------------------------- */

/* UP in the next cycle, and the other end is there. */
static bool live(const struct traffic *t, uint32_t link) {
  return t->b->signal & t->b->probe.up & 1ull << link;
}

/* Both ends forget what they had on the link; nobody waits for replies any more. */
static void fall(struct traffic *t, uint32_t link) {
  struct source *s = &t->source[link];
  unplug(t->b, link);
  for (uint32_t v = 0; v < S_VCS; v++)
    if (s->lane[v].busy) {
      t->sent[s->lane[v].number].orphan = true;
      t->answered++;
    }
  memset(s, 0, sizeof *s);
  memset(&t->sink[link], 0, sizeof t->sink[link]);
}

static void come_back(struct traffic *t, uint32_t link) {
  t->b->signal |= 1ull << link;
  t->b->readies |= 1ull << link;
}

static void fault_cycle(struct traffic *t) {
  struct elite5_bench *b = t->b;
  b->readies &= ~b->probe.up;
  for (uint32_t l = 0; l < S_LINKS; l++)
    if (!live(t, l))
      t->down[l] = b->cycle + 1;
  if (!t->faults || !loom_chance(&t->seed, 1))
    return;
  uint32_t link = loom_below(&t->seed, S_LINKS);
  if (live(t, link))
    fall(t, link);
  else if (!((b->signal | b->probe.up) >> link & 1))
    come_back(t, link);
}

/* One of the links of this packet was down since it began. */
static bool met_a_fault(const struct traffic *t, const struct sent *sent) {
  for (uint32_t l = 0; l < S_LINKS; l++)
    if ((sent->links >> l & 1) && t->down[l] >= sent->begun)
      return true;
  return false;
}

/* ---- senders --------------------------------------------------------------------------------- */

/* Chooses what segment begins, if any. */
static bool begin_segment(struct traffic *t, struct source *s) {
  uint32_t vc = loom_below(&t->seed, S_VCS);
  struct lane *lane = &s->lane[vc];
  if (!end_segments_there(&s->slots, S_POOL, 1u << vc))
    return false;
  if (!lane->busy) {
    if (t->stop || t->packets == PACKETS || !loom_chance(&t->seed, t->begin))
      return false;
    t->sent[t->packets] = random_packet(t, vc);
    *lane = (struct lane){.busy = true, .number = t->packets++};
  }
  if (lane->place == t->sent[lane->number].p.words)
    return false; /* waits for its reply */
  end_segments_take(&s->slots, vc);
  s->vc = vc;
  s->open = true;
  return true;
}

static void source_cycle(struct traffic *t, uint32_t link) {
  struct source *s = &t->source[link];
  if (!loom_chance(&t->seed, t->word) || (!s->open && !begin_segment(t, s)))
    return;
  struct lane *lane = &s->lane[s->vc];
  const struct elite5_packet *p = &t->sent[lane->number].p;
  bool head = lane->place % SEGMENT == 0;
  uint64_t data = packet_word(p, lane->place++, s->vc);
  bool tail = lane->place == p->words;
  send_word(t->b, link, head, tail, head ? s->vc : loom_below(&t->seed, 32), data);
  s->open = !tail && lane->place % SEGMENT;
}

/* The reply to a packet, and the slots that are free again. */
static void hear(struct traffic *t, uint32_t link) {
  const struct loom_elite5_router_out *o = &t->b->out;
  struct source *s = &t->source[link];
  if (o->in_cr_valid[link])
    assert_true(end_segments_back(&s->slots, (uint32_t)o->in_cr_vl[link]));
  if (!o->in_rep_valid[link])
    return;
  struct lane *lane = &s->lane[o->in_rep_vc[link]];
  const struct sent *sent = &t->sent[lane->number];
  assert_true(lane->busy && lane->place == sent->p.words);
  bool ack = o->in_rep_ack[link];
  if (ack || !met_a_fault(t, sent)) {
    assert_int_equal(sent->copies, sent->answers);
    assert_int_equal(loom_popcount(sent->copies),
                     sent->all ? loom_popcount(sent->links) : sent->links != 0);
    assert_int_equal(ack, sent->links && !sent->refused);
  }
  lane->busy = false;
  t->answered++;
}

/* ---- far ends -------------------------------------------------------------------------------- */

/* Takes any of what waits; gives it. */
static uint32_t take_any(struct traffic *t, uint32_t *list, uint32_t *count) {
  uint32_t at = loom_below(&t->seed, *count), what = list[at];
  list[at] = list[--*count];
  return what;
}

static void sink_cycle(struct traffic *t, uint32_t link) {
  struct sink *k = &t->sink[link];
  if (k->credits && loom_chance(&t->seed, t->credit))
    credit(t->b, link, take_any(t, k->credit, &k->credits));
  if (!k->answers || !loom_chance(&t->seed, t->answer))
    return;
  uint32_t what = take_any(t, k->answer, &k->answers);
  struct sent *sent = &t->sent[what >> 8];
  bool ack = !loom_chance(&t->seed, t->refuse);
  sent->answers |= 1u << link;
  sent->refused |= !ack;
  reply(t->b, link, what & 0xFF, ack);
}

static void receive_head(struct traffic *t, uint32_t link, struct lane *lane) {
  const struct loom_elite5_router_out *o = &t->b->out;
  struct sink *k = &t->sink[link];
  assert_false(k->open);
  k->open = true;
  k->vc = (uint32_t)o->out_vl[link];
  k->credit[k->credits++] = k->vc;
  assert_true(k->credits <= LATE);
  if (lane->busy)
    return;
  uint32_t number = o->out_data[link] >> 16 & LOOM_ELITE5_TS_MASK;
  assert_true(number < t->packets);
  assert_false(t->sent[number].copies >> link & 1);
  assert_true(t->sent[number].links >> link & 1);
  t->sent[number].copies |= 1u << link;
  *lane = (struct lane){.busy = true, .number = number};
}

/* The end of a packet that its sender could not finish. */
static bool is_cut(const struct sent *sent, const struct loom_elite5_router_out *o, uint32_t link) {
  uint64_t closing = o->out_head[link] ? loom_elite5_void((uint32_t)o->out_vl[link]) : 0;
  return sent->orphan && o->out_tail[link] && o->out_data[link] == closing;
}

static void receive(struct traffic *t, uint32_t link) {
  const struct loom_elite5_router_out *o = &t->b->out;
  if (!o->out_valid[link] || o->out_data[link] == loom_elite5_control(LOOM_ELITE5_READY, 0))
    return;
  struct sink *k = &t->sink[link];
  uint32_t vc = (uint32_t)o->out_vl[link];
  struct lane *lane = &k->lane[vc];
  if (o->out_head[link])
    receive_head(t, link, lane);
  assert_true(k->open && k->vc == vc && lane->busy);
  const struct sent *sent = &t->sent[lane->number];
  assert_int_equal(o->out_head[link], lane->place % SEGMENT == 0);
  if (!is_cut(sent, o, link)) {
    assert_true(o->out_data[link] == packet_word(&sent->p, lane->place, vc));
    assert_int_equal(o->out_tail[link], lane->place + 1 == sent->p.words);
  }
  lane->place++;
  k->open = !o->out_tail[link] && lane->place % SEGMENT;
  if (!o->out_tail[link])
    return;
  lane->busy = false;
  k->answer[k->answers++] = lane->number << 8 | vc;
}

/* ---- play ------------------------------------------------------------------------------------ */

static void traffic_mood(struct traffic *t) {
  uint64_t *s = &t->seed;
  t->begin = 2 + loom_below(s, loom_chance(s, 50) ? 99 : 10);
  t->word = loom_chance(s, 50) ? 100 : 30 + loom_below(s, 70);
  t->credit = loom_chance(s, 30) ? 100 : 2 + loom_below(s, 60);
  t->answer = loom_chance(s, 30) ? 100 : 2 + loom_below(s, 40);
  t->refuse = loom_below(s, 60);
  t->longest = loom_chance(s, 30) ? 4 : 1 + loom_below(s, 130);
}

static void traffic_cycle(struct traffic *t) {
  fault_cycle(t);
  uint32_t up = 0;
  for (uint32_t l = 0; l < S_LINKS; l++)
    if (live(t, l)) {
      up |= 1u << l;
      source_cycle(t, l);
      sink_cycle(t, l);
    }
  cycle(t->b);
  for (uint32_t l = 0; l < S_LINKS; l++)
    if (up >> l & 1) {
      receive(t, l);
      hear(t, l);
    }
  forget_logs(t->b);
}

static void traffic_ends(struct traffic *t) {
  t->stop = true;
  t->faults = false;
  for (uint32_t l = 0; l < S_LINKS; l++)
    if (!(t->b->signal >> l & 1))
      come_back(t, l);
  t->word = t->credit = t->answer = 100;
  for (uint32_t c = 0; c < 5000 && t->answered < t->packets; c++)
    traffic_cycle(t);
  assert_int_equal(t->answered, t->packets);
  for (uint32_t c = 0; c < 200; c++)
    traffic_cycle(t);
  assert_int_equal(t->b->probe.up, 0xFF);
}

/* Traps of packets that go nowhere would fill the fifo: they are of no interest here. */
static void read_traps_away(struct elite5_bench *b) {
  while (b->out.trap)
    read_reg(b, LOOM_ELITE5_REG_TRAP);
}

static void play(struct elite5_bench *b, uint32_t control, uint32_t threshold, bool faults,
                 uint64_t seed) {
  struct traffic t = {.b = b, .seed = seed, .faults = faults};
  t.sent = calloc(PACKETS, sizeof *t.sent);
  assert_non_null(t.sent);
  b->credits = b->answers = 0;
  fill_sets(b);
  write_reg(b, LOOM_ELITE5_REG_CONTROL, control);
  write_reg(b, LOOM_ELITE5_REG_THRESHOLD, threshold);
  for (uint32_t c = 0; c < 8000; c++) {
    if (c % 500 == 0)
      traffic_mood(&t);
    traffic_cycle(&t);
  }
  traffic_ends(&t);
  assert_true(t.packets > 300);
  for (uint32_t l = 0; l < S_LINKS; l++) {
    uint32_t n[COUNTERS];
    read_counters(b, l, n);
    assert_int_equal(n[LOOM_ELITE5_REG_LINK_HEADER_ERRORS - LOOM_ELITE5_REG_LINK_WORDS_IN] +
                         n[LOOM_ELITE5_REG_LINK_LINK_ERRORS - LOOM_ELITE5_REG_LINK_WORDS_IN] +
                         n[LOOM_ELITE5_REG_LINK_REPLY_ERRORS - LOOM_ELITE5_REG_LINK_WORDS_IN],
                     0);
  }
  read_traps_away(b);
  expect_quiet(b);
  free(t.sent);
  close_router(b);
}

/* E5-04. */
static void random_traffic_arrives_whole_in_order_and_answered(void **state) {
  (void)state;
  uint64_t seed = 4;
  for (uint32_t control = 0; control < 8; control++)
    play(open_small(), control, loom_below(&seed, 4), false, loom_random(&seed));
}

/* E5-25. */
static void random_traffic_survives_links_that_come_and_go(void **state) {
  (void)state;
  uint64_t seed = 25;
  for (uint32_t i = 0; i < 16; i++)
    play(open_small(), i & 7, loom_below(&seed, 4), true, loom_random(&seed));
}

/* The second edition, with each PIPE. */
static void random_traffic_crosses_the_second_edition(void **state) {
  (void)state;
  uint64_t seed = 33;
  for (uint32_t i = 0; i < 10; i++)
    play(open_crosspoint_up(SMALL, i % 5), i & 7, loom_below(&seed, 4), false, loom_random(&seed));
}

static void links_come_and_go_in_the_second_edition(void **state) {
  (void)state;
  uint64_t seed = 26;
  for (uint32_t i = 0; i < 15; i++)
    play(open_crosspoint_up(SMALL, i % 5), i & 7, loom_below(&seed, 4), true, loom_random(&seed));
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(random_traffic_arrives_whole_in_order_and_answered),
      cmocka_unit_test(random_traffic_survives_links_that_come_and_go),
      cmocka_unit_test(random_traffic_crosses_the_second_edition),
      cmocka_unit_test(links_come_and_go_in_the_second_edition),
  };
  return UNIT_RUN("elite5_traffic", tests, NULL, NULL);
}

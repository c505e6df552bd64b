/* SPDX-License-Identifier: Apache-2.0 */
/* elite5_cases.c - directed cases of the Elite5 router that look at single packets and links, see
 * elite5_traffic.h
 */
#include "tb/cosim/elite5_traffic.h"

#include <inttypes.h>
#include <stdarg.h>
#include <string.h>

enum { NEVER = 1 << 30 };

static bool say(bool good, char *text, size_t size, const char *format, ...) {
  va_list a;
  va_start(a, format);
  vsnprintf(text, size, format, a);
  va_end(a);
  return good;
}

/* Nothing is sent but what the case sends. */
static void begin(struct elite5_state *s) {
  elite5_plan_plain(s);
  s->plan.quiet_from = 1;
}

static void finish(struct elite5_state *s) {
  elite5_plan_tables(s);
  elite5_plan_links(s);
}

static bool first_in(const elite5_in *i, uint32_t link) {
  return i->in_valid[link] && i->in_head[link] &&
         loom_elite5_type_of(i->in_data[link]) <= LOOM_ELITE5_CONDITIONAL;
}

static bool first_out(const elite5_out *o, uint32_t link) {
  return o->out_valid[link] && o->out_head[link] &&
         loom_elite5_type_of(o->out_data[link]) <= LOOM_ELITE5_CONDITIONAL;
}

static void note_first(struct elite5_state *s, uint64_t cycle, const elite5_in *i) {
  for (uint32_t l = 0; l < s->facts.links; l++)
    if (first_in(i, l))
      s->seen.since[l] = cycle;
}

/* Cycles since its first word came in. */
static uint32_t age_out(const struct elite5_state *s, uint64_t cycle, const elite5_out *o,
                        uint32_t link) {
  return (uint32_t)(cycle - s->seen.since[elite5_source(o->out_data[link])]);
}

static void keep_range(struct elite5_seen *n, uint32_t value) {
  n->least = n->most ? loom_min(n->least, value) : value;
  n->most = loom_max(n->most, value);
}

/* ---- latency: one packet alone, E5-33 -------------------------------------------------------- */

enum { LATENCY_PERIOD = 32, LATENCY_WORDS = 8 };

static void plan_latency(struct elite5_state *s) {
  begin(s);
  finish(s);
}

static void act_latency(struct elite5_state *s, uint64_t cycle, elite5_in *i) {
  uint32_t links = s->facts.links;
  (void)i;
  bool all = s->script.number == links * links;
  if (all || cycle < s->plan.start || (cycle - s->plan.start) % LATENCY_PERIOD)
    return;
  uint32_t pair = s->script.number++;
  const struct elite5_packet p = {.vc = (uint8_t)(pair % s->facts.unicast_vcs),
                                  .dest = (uint16_t)(pair % links),
                                  .words = (uint16_t)(1 + pair % LATENCY_WORDS)};
  elite5_send(s, pair / links % links, &p);
}

static void look_latency(struct elite5_state *s, uint64_t cycle, const elite5_in *i,
                         const elite5_out *o) {
  struct elite5_seen *n = &s->seen;
  note_first(s, cycle, i);
  for (uint32_t l = 0; l < s->facts.links; l++) {
    if (i->out_rep_valid[l])
      n->replied = cycle;
    if (first_out(o, l))
      n->count[age_out(s, cycle, o, l) == s->facts.header ? 0 : 1]++;
    if (o->in_rep_valid[l])
      n->count[cycle - n->replied == s->facts.reply ? 2 : 3]++;
  }
}

static bool verdict_latency(const struct elite5_state *s, char *text, size_t size) {
  const uint64_t *n = s->seen.count;
  bool good = n[0] == s->facts.links * s->facts.links && n[2] == n[0] && !n[1] && !n[3];
  return say(good, text, size,
             "%" PRIu64 " packets alone: header out %" PRIu32
             " cycles after header in (not so: %" PRIu64 "), reply out %" PRIu32
             " cycles after reply in (not so: %" PRIu64 ")",
             n[0] + n[1], s->facts.header, n[1], s->facts.reply, n[3]);
}

/* ---- adaptive: the choice among links, E5-20 ------------------------------------------------- */

enum { ADAPT_DEST = 12, ADAPT_PERIOD = 16, FEW = 10, DRAWS = 20000, PROBER = 2 };

/* First free, next free, random, first free with threshold 0. */
static const struct {
  uint32_t mode, threshold, probes;
} adapt[] = {{0, 2, FEW}, {1, 2, FEW}, {2, 2, DRAWS}, {0, 0, FEW}};
enum { ADAPTS = sizeof adapt / sizeof adapt[0] };

static void plan_adaptive(struct elite5_state *s) {
  begin(s);
  struct elite5_tables *t = &s->plan.tables;
  t->class_count = t->dest_count = ADAPT_DEST + 1;
  t->class_of[ADAPT_DEST] = ADAPT_DEST;
  t->class[ADAPT_DEST].mask = 0x0F00;
  s->plan.receiving.soonest = s->plan.receiving.longest = NEVER;
  finish(s);
  elite5_plan_write(s, LOOM_ELITE5_REG_SEED, 0x5EED1234);
}

/* Packets that are never answered: pending {3, 0, 7, 1} on links 8 to 11. */
static void put_pending(struct elite5_state *s) {
  static const uint8_t pending[] = {3, 0, 7, 1};
  uint32_t vc[2] = {0, 0};
  for (uint32_t k = 0; k < 4; k++)
    for (uint32_t n = 0; n < pending[k]; n++) {
      uint32_t link = k == 2; /* link 10 takes all VCs of a sender */
      const struct elite5_packet p = {
          .vc = (uint8_t)vc[link]++, .dest = (uint16_t)(8 + k), .words = 1};
      elite5_send(s, link, &p);
    }
}

static void act_adaptive(struct elite5_state *s, uint64_t cycle, elite5_in *i) {
  struct elite5_script *c = &s->script;
  (void)i;
  if (cycle < s->plan.start || (cycle - s->plan.start) % ADAPT_PERIOD)
    return;
  uint64_t slot = (cycle - s->plan.start) / ADAPT_PERIOD;
  if (slot == 0)
    put_pending(s);
  if (slot < 8 || c->step == ADAPTS)
    return;
  s->plan.receiving.soonest = s->plan.receiving.longest = 0;
  if (c->number == 0) { /* the registers first, a slot before the packets */
    elite5_bus_queue(s, LOOM_ELITE5_REG_CONTROL, adapt[c->step].mode);
    elite5_bus_queue(s, LOOM_ELITE5_REG_THRESHOLD, adapt[c->step].threshold);
  } else {
    const struct elite5_packet p = {.dest = ADAPT_DEST, .words = 1};
    elite5_send(s, PROBER, &p);
  }
  if (c->number++ < adapt[c->step].probes)
    return;
  c->number = 0;
  c->step++;
}

/* count[4 * step + link - 8]; in `next free` the links must alternate. */
static void look_adaptive(struct elite5_state *s, uint64_t cycle, const elite5_in *i,
                          const elite5_out *o) {
  struct elite5_seen *n = &s->seen;
  (void)cycle;
  (void)i;
  for (uint32_t l = 0; l < s->facts.links; l++) {
    if (!first_out(o, l) || elite5_source(o->out_data[l]) != PROBER)
      continue;
    uint64_t at = n->count[60]++, step = 0;
    for (; at >= adapt[step].probes; step++)
      at -= adapt[step].probes;
    if (l >= 8)
      n->count[4 * step + l - 8]++;
    if (adapt[step].mode == 1)
      n->count[61] += l != (at % 2 ? 9 : 11);
  }
}

static bool verdict_adaptive(const struct elite5_state *s, char *text, size_t size) {
  const uint64_t *n = s->seen.count;
  double nine = 100.0 * (double)n[9] / DRAWS, eleven = 100.0 * (double)n[11] / DRAWS;
  bool good = n[1] == FEW && n[61] == 0 && n[5] + n[7] == FEW && n[9] + n[11] == DRAWS &&
              nine > 48 && nine < 52 && n[13] == FEW;
  return say(good, text, size,
             "first free: 9 in %" PRIu64 " of %d; next free: 9 and 11 in turn, not so %" PRIu64
             "; random: 9 %.2f %%, 11 %.2f %%; threshold 0: 9 in %" PRIu64 " of %d",
             n[1], FEW, n[61], nine, eleven, n[13], FEW);
}

/* ---- overtake: priority at segment boundaries, E5-11 ----------------------------------------- */

enum { OVERTAKE_PERIOD = 640, OVERTAKE_AFTER = 130, OVERTAKES = 32 };

static void plan_overtake(struct elite5_state *s) {
  begin(s);
  finish(s);
}

static void act_overtake(struct elite5_state *s, uint64_t cycle, elite5_in *i) {
  (void)i;
  if (cycle < s->plan.start)
    return;
  uint64_t at = (cycle - s->plan.start) % OVERTAKE_PERIOD;
  uint64_t round = (cycle - s->plan.start) / OVERTAKE_PERIOD;
  const struct elite5_packet low = {.dest = 2, .words = ELITE5_LONGEST};
  const struct elite5_packet high = {.dest = 2, .words = 4, .prio = 3};
  if (at == 0)
    elite5_send(s, 0, &low);
  if (at == OVERTAKE_AFTER + round % ELITE5_WORDS)
    elite5_send(s, 1, &high);
}

static void look_overtake(struct elite5_state *s, uint64_t cycle, const elite5_in *i,
                          const elite5_out *o) {
  note_first(s, cycle, i);
  if (!first_out(o, 2) || elite5_source(o->out_data[2]) != 1)
    return;
  s->seen.count[0]++;
  keep_range(&s->seen, age_out(s, cycle, o, 2));
}

static bool verdict_overtake(const struct elite5_state *s, char *text, size_t size) {
  const struct elite5_seen *n = &s->seen;
  uint32_t most = ELITE5_WORDS + 1 + s->facts.header;
  return say(n->count[0] >= OVERTAKES && n->most <= most, text, size,
             "%" PRIu64 " packets passed a longer one: header latency %" PRIu32 " to %" PRIu32
             ", must be at most %" PRIu32,
             n->count[0], n->least, n->most, most);
}

/* ---- buffers: what a link holds, E5-08 ------------------------------------------------------- */

enum { BUFFERS_SETTLE = 200, BUFFERS_PARTS = 3 };

static uint32_t long_words(const struct elite5_state *s) {
  return ELITE5_WORDS * (s->facts.pool + 4);
}

/* Nothing may leave on link 1 until the buffer of link 0 is full. */
static void plan_buffers(struct elite5_state *s) {
  begin(s);
  s->plan.tables.group_count = 1;
  s->plan.tables.group[0][0] = s->plan.tables.group[0][1] =
      (struct elite5_set){.mask = 2, .all = true};
  s->plan.cable[1].cap = 0;
  finish(s);
  s->plan.sweep = s->cycles - 2000;
  s->plan.end = s->cycles - 10;
  s->plan.calm = true;
}

static void act_buffers(struct elite5_state *s, uint64_t cycle, elite5_in *i) {
  struct elite5_script *c = &s->script;
  (void)i;
  if (cycle < s->plan.start + c->at)
    return;
  if (c->step == 0) {
    const struct elite5_packet p = {.dest = 1, .words = (uint16_t)long_words(s)};
    elite5_send(s, 0, &p);
    c->at = long_words(s) + BUFFERS_SETTLE;
  } else if (c->step == 1) {
    for (uint32_t v = 1; v < s->facts.vcs; v++) {
      bool group = v >= s->facts.unicast_vcs;
      const struct elite5_packet p = {.vc = (uint8_t)v,
                                      .type = group ? LOOM_ELITE5_BROADCAST : LOOM_ELITE5_UNICAST,
                                      .dest = group ? 0 : 1,
                                      .words = BUFFERS_PARTS * ELITE5_WORDS};
      elite5_send(s, 0, &p);
    }
    c->at += s->facts.vcs * ELITE5_WORDS + BUFFERS_SETTLE;
  } else if (c->step == 2) {
    s->plan.cable[1].cap = LOOM_ELITE5_REG_ALL_LINKS;
    elite5_bus_queue(s, elite5_of_link(1, LOOM_ELITE5_REG_LINK_CAP), LOOM_ELITE5_REG_ALL_LINKS);
  }
  if (c->step < 3)
    c->step++;
}

/* Segments that came in and wait, when the register is written that lets them go. */
static void look_buffers(struct elite5_state *s, uint64_t cycle, const elite5_in *i,
                         const elite5_out *o) {
  (void)cycle;
  (void)o;
  if (i->reg_we && i->reg_addr == elite5_of_link(1, LOOM_ELITE5_REG_LINK_CAP) &&
      i->reg_wdata == LOOM_ELITE5_REG_ALL_LINKS)
    for (uint32_t v = 0; v < s->facts.vcs; v++)
      s->seen.count[v] = s->judge.link[0].credits_out[v];
}

static bool verdict_buffers(const struct elite5_state *s, char *text, size_t size) {
  const uint64_t *n = s->seen.count;
  bool good = n[0] == 1 + s->facts.pool && s->ends.outstanding == 0 && s->judge.waiting == 0;
  for (uint32_t v = 1; v < s->facts.vcs; v++)
    good = good && n[v] == 1;
  return say(good, text, size,
             "VC 0 holds %" PRIu64 " segments, then each other VC %" PRIu64
             "; all delivered in the end: %s",
             n[0], n[1], s->ends.outstanding ? "no" : "yes");
}

/* ---- replies: recombination, E5-29 ----------------------------------------------------------- */

enum { MEMBERS = 4, REPLY_APART = 4, REPLY_AFTER = 11 };

/* Case number k is members, pattern of ACKs, order of arrival. */
struct reply_case {
  uint32_t members, acks, order[MEMBERS];
};

/* Case k, counted on; false if there are not so many. */
static bool reply_case(uint32_t k, struct reply_case *c) {
  uint32_t orders = 1;
  for (c->members = 1; c->members <= MEMBERS; c->members++) {
    orders *= c->members;
    if (k < orders << c->members)
      break;
    k -= orders << c->members;
  }
  if (c->members > MEMBERS)
    return false;
  c->acks = k & (uint32_t)loom_mask(c->members);
  k >>= c->members;
  for (uint32_t n = 0; n < c->members; n++) { /* insert link n at a place among those before it */
    uint32_t place = k % (n + 1);
    k /= n + 1;
    memmove(c->order + place + 1, c->order + place, (n - place) * sizeof *c->order);
    c->order[place] = n;
  }
  return true;
}

static void plan_replies(struct elite5_state *s) {
  begin(s);
  s->plan.tables.group_count = MEMBERS;
  for (uint32_t n = 1; n <= MEMBERS; n++)
    for (uint32_t up = 0; up < 2; up++)
      s->plan.tables.group[n - 1][up] =
          (struct elite5_set){.mask = (uint32_t)loom_mask(n) << 1, .all = true};
  s->plan.receiving.soonest = s->plan.receiving.longest = NEVER;
  finish(s);
}

/* The replies of the members, one after the other in the order of the case. */
static void give_replies(struct elite5_state *s, const struct reply_case *c, uint64_t cycle) {
  for (uint32_t n = 0; n < c->members; n++) {
    struct elite5_receiver *r = &s->ends.receiver[1 + c->order[n]];
    uint32_t vc = loom_ctz(r->reply_mask);
    r->due[vc] = r->next_due = cycle + 1 + n * REPLY_APART;
    r->broken = c->acks >> c->order[n] & 1 ? 0 : 1u << vc;
  }
}

static void act_replies(struct elite5_state *s, uint64_t cycle, elite5_in *i) {
  struct elite5_script *t = &s->script;
  struct reply_case c = {0};
  (void)i;
  if (cycle < s->plan.start || cycle < t->at || !reply_case(t->number, &c))
    return;
  if (t->step == 0) {
    const struct elite5_packet p = {.type = LOOM_ELITE5_BROADCAST,
                                    .vc = (uint8_t)s->facts.unicast_vcs,
                                    .dest = (uint16_t)(c.members - 1),
                                    .words = (uint16_t)(1 + t->number % 3),
                                    .once = true};
    t->step = elite5_send(s, 0, &p);
    t->at = cycle + s->facts.broadcast + REPLY_AFTER;
    return;
  }
  give_replies(s, &c, cycle);
  t->step = 0;
  t->number++;
  t->at = cycle + MEMBERS * REPLY_APART + 10;
}

static void look_replies(struct elite5_state *s, uint64_t cycle, const elite5_in *i,
                         const elite5_out *o) {
  struct elite5_seen *n = &s->seen;
  struct reply_case c = {0};
  for (uint32_t l = 0; l < s->facts.links; l++)
    if (i->out_rep_valid[l])
      n->replied = cycle;
  if (!o->in_rep_valid[0])
    return;
  bool known = reply_case((uint32_t)n->count[0]++, &c);
  n->count[1] += known && o->in_rep_ack[0] == (c.acks == loom_mask(c.members)) &&
                 cycle - n->replied == s->facts.reply;
}

static bool verdict_replies(const struct elite5_state *s, char *text, size_t size) {
  const uint64_t *n = s->seen.count;
  struct reply_case c = {0};
  bool all = !reply_case((uint32_t)n[0], &c);
  return say(all && n[0] == n[1], text, size,
             "%" PRIu64 " patterns and orders of up to %d replies, one reply each, %" PRIu64
             " as they should be%s",
             n[0], MEMBERS, n[1], all ? "" : ": not all were tried");
}

/* ---- bring-up: E5-35 ------------------------------------------------------------------------- */

enum { UP_WORDS = 1024, UP_LIMIT = 3, UP_LINKS = 8, UP_MORE = 32 };
enum { IS_NEGOTIATE = 1, IS_UP = 5, IS_BADID = 6, IS_FAILED = 7 };

/* Good; wrong cable; too many errors; as many as may be; silent; other protocol; wrong cable that
 * nobody looks at; good and slow to say its name. */
static const uint8_t state_must[UP_LINKS] = {IS_UP,        IS_BADID,     IS_FAILED, IS_UP,
                                             IS_NEGOTIATE, IS_NEGOTIATE, IS_UP,     IS_UP};

static void plan_bringup(struct elite5_state *s) {
  begin(s);
  struct elite5_cable *c = s->plan.cable;
  for (uint32_t l = 0; l < s->facts.links; l++)
    c[l].flags = FLAG_ENABLE | FLAG_CHECK;
  c[1].chip = c[6].chip = 0xBAD;
  c[1].number = 7;
  c[2].bit_errors = 4 * UP_LIMIT;
  c[3].bit_errors = UP_LIMIT;
  c[4].silent = true;
  c[5].protocol = 0x31;
  c[5].polite = c[7].polite = true;
  c[6].flags = FLAG_ENABLE;
  s->plan.prbs_words = UP_WORDS;
  finish(s);
  elite5_plan_write(s, LOOM_ELITE5_REG_PRBS_WORDS, UP_WORDS);
  elite5_plan_write(s, LOOM_ELITE5_REG_PRBS_LIMIT, UP_LIMIT);
}

/* A trap of this link with this cause was read. */
static bool trap_seen(const struct elite5_state *s, uint32_t cause, uint32_t link) {
  for (uint32_t k = 0; k < loom_min(s->judge.trap_count, ELITE5_TRAPS_KEPT); k++)
    if ((s->judge.trap[k] >> 22 & 0x1FF) == (cause << 6 | link))
      return true;
  return false;
}

static void act_bringup(struct elite5_state *s, uint64_t cycle, elite5_in *i) {
  static const uint8_t at[] = {LOOM_ELITE5_REG_LINK_EXPECTED, LOOM_ELITE5_REG_LINK_STATE,
                               LOOM_ELITE5_REG_LINK_FAR, LOOM_ELITE5_REG_LINK_CHECKED,
                               LOOM_ELITE5_REG_LINK_BIT_ERRORS};
  (void)i;
  if (cycle != s->cycles - 400)
    return;
  elite5_bus_read_traps(s);
  for (size_t k = 0; k < sizeof at; k++)
    elite5_bus_read_all(s, at[k]);
}

/* count[0]: PRBS words on link 0, count[1]: of these right, count[2]: pauses between them. */
static void look_bringup(struct elite5_state *s, uint64_t cycle, const elite5_in *i,
                         const elite5_out *o) {
  struct elite5_seen *n = &s->seen;
  (void)cycle;
  (void)i;
  bool word = o->out_valid[0] && !o->out_head[0];
  n->count[2] += !word && n->count[0] > 0 && n->count[0] < UP_WORDS + UP_MORE;
  if (!word)
    return;
  uint64_t must = loom_prbs31_word(n->count[0] ? (uint32_t)n->count[3] : LOOM_PRBS31_MASK);
  if (s->facts.one_test && !n->count[0])
    must = o->out_data[0];
  n->count[0]++;
  n->count[1] += o->out_data[0] == must;
  n->count[3] = must & LOOM_PRBS31_MASK;
}

static bool verdict_bringup(const struct elite5_state *s, char *text, size_t size) {
  const uint64_t *n = s->seen.count;
  for (uint32_t l = 0; l < UP_LINKS; l++) {
    const uint32_t *v = s->judge.value[l];
    if ((v[LOOM_ELITE5_REG_LINK_STATE] & 7) != state_must[l])
      return say(false, text, size, "link %" PRIu32 " is in state %" PRIu32 ", must be %u", l,
                 v[LOOM_ELITE5_REG_LINK_STATE] & 7, state_must[l]);
  }
  const uint32_t *wrong = s->judge.value[1], *bad = s->judge.value[2], *good = s->judge.value[3];
  bool ids = wrong[LOOM_ELITE5_REG_LINK_FAR] == (0xBADu << 8 | 7) &&
             wrong[LOOM_ELITE5_REG_LINK_EXPECTED] == s->plan.cable[1].expected;
  bool errors = bad[LOOM_ELITE5_REG_LINK_BIT_ERRORS] > UP_LIMIT &&
                good[LOOM_ELITE5_REG_LINK_BIT_ERRORS] == UP_LIMIT &&
                good[LOOM_ELITE5_REG_LINK_CHECKED] >= UP_WORDS;
  bool words = n[0] == UP_WORDS + UP_MORE && n[1] == n[0] && n[2] == 0;
  return say(
      ids && errors && words, text, size,
      "4 good links up; wrong cable: is 0x%06x, must be 0x%06x; bit errors %u fail, %u of %u "
      "words do not; %" PRIu64 " PRBS words without a pause",
      wrong[LOOM_ELITE5_REG_LINK_FAR], wrong[LOOM_ELITE5_REG_LINK_EXPECTED],
      bad[LOOM_ELITE5_REG_LINK_BIT_ERRORS], good[LOOM_ELITE5_REG_LINK_BIT_ERRORS],
      good[LOOM_ELITE5_REG_LINK_CHECKED], n[0]);
}

/* ---- errors: which links are removed, E5-36 -------------------------------------------------- */

enum { REDUNDANT = 0, SINGLE = 1, REDUNDANT_LIMIT = 16 };

/* All senders make header errors at the same rate. */
static void plan_errors(struct elite5_state *s) {
  elite5_plan_plain(s);
  for (uint32_t l = 0; l < s->facts.links; l++)
    if (l != REDUNDANT)
      s->plan.cable[l].flags |= FLAG_SINGLE;
  s->plan.traffic.load = 0.5;
  s->plan.traffic.corrupt = 200;
  finish(s);
}

static void act_errors(struct elite5_state *s, uint64_t cycle, elite5_in *i) {
  (void)i;
  if (cycle != s->cycles - 100)
    return;
  elite5_bus_read_traps(s);
  elite5_bus_read_all(s, LOOM_ELITE5_REG_LINK_STATE);
}

static bool verdict_errors(const struct elite5_state *s, char *text, size_t size) {
  const struct elite5_judge *j = &s->judge;
  uint32_t redundant = j->value[REDUNDANT][LOOM_ELITE5_REG_LINK_STATE] & 7;
  uint32_t single = j->value[SINGLE][LOOM_ELITE5_REG_LINK_STATE] & 7;
  uint32_t many = j->link[SINGLE].count[COUNT_HEADER_ERRORS];
  uint32_t few = j->link[REDUNDANT].count[COUNT_HEADER_ERRORS];
  bool removed = redundant == IS_FAILED && trap_seen(s, TRAP_REMOVED, REDUNDANT);
  return say(removed && single == IS_UP && few > REDUNDANT_LIMIT && many > few, text, size,
             "redundant link: state %" PRIu32 " after %" PRIu32
             " header errors; single link: state %" PRIu32 " with %" PRIu32,
             redundant, few, single, many);
}

const struct elite5_case elite5_cases[] = {
    {"latency", plan_latency, act_latency, look_latency, verdict_latency},
    {"adaptive", plan_adaptive, act_adaptive, look_adaptive, verdict_adaptive},
    {"overtake", plan_overtake, act_overtake, look_overtake, verdict_overtake},
    {"buffers", plan_buffers, act_buffers, look_buffers, verdict_buffers},
    {"replies", plan_replies, act_replies, look_replies, verdict_replies},
    {"bringup", plan_bringup, act_bringup, look_bringup, verdict_bringup},
    {"errors", plan_errors, act_errors, NULL, verdict_errors},
    {0}};

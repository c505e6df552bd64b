/* SPDX-License-Identifier: Apache-2.0 */
/* elite5_loads.c - directed cases of the Elite5 router that measure what it carries, see
 * elite5_traffic.h
 */
#include "tb/cosim/elite5_traffic.h"

#include <inttypes.h>
#include <stdarg.h>
#include <string.h>

enum {
  PACKET = 133, /* words of 1 KB: the typical packet (E5-04) */
  SMALL = 4,    /* words of a put of 8 bytes (E5-05) */
  WRITE = 109,  /* cycles of a memory write of 350 ns (E5-15) */
  REST = 80     /* there and back through four more routers of 12 + 8 cycles (E5-16, E5-33) */
};

static bool say(bool good, char *text, size_t size, const char *format, ...) {
  va_list a;
  va_start(a, format);
  vsnprintf(text, size, format, a);
  va_end(a);
  return good;
}

static void begin(struct elite5_state *s, uint32_t shortest, uint32_t longest, double load) {
  elite5_plan_plain(s);
  s->plan.traffic.shortest = shortest;
  s->plan.traffic.longest = longest;
  s->plan.traffic.load = load;
  elite5_plan_tables(s);
  elite5_plan_links(s);
}

/* The rest of the run in `n` parts, the first `warm` cycles of each not measured. */
static void parts(struct elite5_state *s, uint32_t n, uint32_t warm) {
  s->plan.segments = n;
  s->plan.segment_length = (uint32_t)((s->cycles - s->plan.start) / n);
  s->plan.warm = warm;
}

/* The part that begins in this cycle, or -1. */
static int part_begins(const struct elite5_state *s, uint64_t cycle) {
  const struct elite5_plan *p = &s->plan;
  if (cycle < p->start || (cycle - p->start) % p->segment_length)
    return -1;
  return (int)((cycle - p->start) / p->segment_length);
}

/* Words a cycle and link. */
static double carried(const struct elite5_state *s, uint32_t part) {
  const struct elite5_measure *m = &s->judge.measure[part];
  return m->cycles ? (double)m->words / (double)m->cycles / s->facts.links : 0;
}

static double latency(const struct elite5_measure *m) {
  return m->packets ? (double)m->latency / (double)m->packets : 0;
}

/* ---- permutation: E5-01 ---------------------------------------------------------------------- */

enum { PERMUTATIONS = 104, PERMUTATION_WARM = 450 };

static void plan_permutation(struct elite5_state *s) {
  begin(s, PACKET, PACKET, 0);
  s->plan.traffic.pattern = PATTERN_PARTNER;
  parts(s, PERMUTATIONS, PERMUTATION_WARM);
}

static void act_permutation(struct elite5_state *s, uint64_t cycle, elite5_in *i) {
  uint8_t *partner = s->plan.traffic.partner;
  (void)i;
  if (part_begins(s, cycle) < 0)
    return;
  for (uint32_t l = 0; l < s->facts.links; l++) {
    uint32_t k = rng_below(&s->ends.rng, l + 1);
    partner[l] = partner[k];
    partner[k] = (uint8_t)l;
  }
}

static bool verdict_permutation(const struct elite5_state *s, char *text, size_t size) {
  uint64_t cycles = 0;
  for (uint32_t k = 0; k < PERMUTATIONS; k++) {
    const struct elite5_measure *m = &s->judge.measure[k];
    cycles += m->cycles;
    if (m->silent || !m->cycles)
      return say(false, text, size,
                 "permutation %" PRIu32 ": %" PRIu64 " of %" PRIu64 " cycles of links silent", k,
                 m->silent, m->cycles * s->facts.links);
  }
  return say(true, text, size,
             "%d permutations, every link out 1.0000 words a cycle in all %" PRIu64
             " cycles measured",
             PERMUTATIONS, cycles);
}

/* ---- uniform, nine tenths, one per cent ------------------------------------------------------ */

static void plan_uniform(struct elite5_state *s) {
  begin(s, PACKET, PACKET, 0);
  s->plan.traffic.weave = true;
  parts(s, 1, (uint32_t)s->cycles / 4);
}

static bool verdict_uniform(const struct elite5_state *s, char *text, size_t size) {
  return say(carried(s, 0) > 0.90, text, size,
             "accepted %.4f words a cycle and link, mean header latency %.1f", carried(s, 0),
             latency(&s->judge.measure[0]));
}

static void plan_nine_tenths(struct elite5_state *s) {
  begin(s, SMALL * 4, PACKET, 0.9);
  s->plan.traffic.weave = true;
  parts(s, 1, (uint32_t)s->cycles / 4);
}

static void plan_one_percent(struct elite5_state *s) {
  begin(s, SMALL, PACKET, 0.01);
  parts(s, 1, 0);
}

/* What is offered is carried, but for what chance makes of it. */
static bool verdict_offered(const struct elite5_state *s, char *text, size_t size) {
  double load = s->plan.traffic.load, is = carried(s, 0);
  return say(is > 0.9 * load - 0.005 && is < 1.1 * load + 0.005, text, size,
             "carried %.4f words a cycle and link, mean header latency %.1f", carried(s, 0),
             latency(&s->judge.measure[0]));
}

/* ---- small packets: what acknowledgements allow, E5-03 --------------------------------------- */

static void plan_small(struct elite5_state *s) {
  begin(s, SMALL, SMALL, 0);
  s->plan.traffic.weave = true;
  parts(s, 2, 1000);
}

static void act_small(struct elite5_state *s, uint64_t cycle, elite5_in *i) {
  int part = part_begins(s, cycle);
  (void)i;
  if (part >= 0)
    s->plan.receiving.soonest = s->plan.receiving.longest = part == 0 ? WRITE : 0;
}

/* Words a cycle that a sender can send with its unicast VCs, each with a packet of `words` words
 * under way: the header comes out, the tail after it, a cycle to see it, the reply comes out, a
 * cycle to see that. */
static double reply_limit(const struct elite5_facts *f, uint32_t words, uint32_t late) {
  double round = f->header + (words - 1) + 1 + late + f->reply + 1;
  double limit = f->unicast_vcs * words / round;
  return limit < 1 ? limit : 1;
}

static bool verdict_small(const struct elite5_state *s, char *text, size_t size) {
  uint32_t vcs = s->facts.unicast_vcs;
  double late = carried(s, 0) / reply_limit(&s->facts, SMALL, WRITE);
  double soon = carried(s, 1) / reply_limit(&s->facts, SMALL, 0);
  return say(late > 0.85 && soon > 0.85, text, size,
             "%" PRIu32 " VCs: accepted %.4f with replies after %d cycles (%.3f of the limit), "
             "%.4f with replies at once (%.3f)",
             vcs, carried(s, 0), WRITE, late, carried(s, 1), soon);
}

/* ---- VCs that it takes: E5-16 ---------------------------------------------------------------- */

static const uint8_t curve[] = {1, 2, 3, 4, 6, 8, 12, 16, 20, 24, 28};
enum { CURVE = sizeof curve / sizeof curve[0] };

static void plan_vcs(struct elite5_state *s) {
  begin(s, PACKET, PACKET, 0);
  s->plan.traffic.pattern = PATTERN_PARTNER;
  for (uint32_t l = 0; l < s->facts.links; l++)
    s->plan.traffic.partner[l] = (uint8_t)((l + 1) % s->facts.links);
  s->plan.receiving.soonest = s->plan.receiving.longest = REST;
  parts(s, 2 * CURVE, 600);
}

static void act_vcs(struct elite5_state *s, uint64_t cycle, elite5_in *i) {
  int part = part_begins(s, cycle);
  (void)i;
  if (part < 0)
    return;
  s->plan.traffic.vcs = (uint32_t)loom_mask(loom_min(curve[part % CURVE], s->facts.unicast_vcs));
  s->plan.traffic.shortest = s->plan.traffic.longest = part < CURVE ? PACKET : SMALL;
}

static bool verdict_vcs(const struct elite5_state *s, char *text, size_t size) {
  bool good = true;
  double before = 0;
  size_t n = 0;
  for (uint32_t k = 0; k < 2 * CURVE; k++) {
    uint32_t vcs = curve[k % CURVE];
    double is = carried(s, k);
    before = k % CURVE ? before : 0;
    good = good && is >= before - 0.005 && (k >= CURVE || vcs < 3 || is >= 0.98) &&
           (k < CURVE || vcs > 3 || is < 0.98);
    before = is;
    if (k % CURVE == 0)
      n += (size_t)snprintf(text + n, n < size ? size - n : 0, "%s%d words:", k ? "; " : "",
                            k ? SMALL : PACKET);
    if (n < size)
      n += (size_t)snprintf(text + n, size - n, " %" PRIu32 ":%.3f", vcs, is);
  }
  return good;
}

/* ---- broadcasts: E5-30 ----------------------------------------------------------------------- */

enum { DRAIN = 9000, MEMBERS_MOST = 6, STALL = 3000 };

static void plan_broadcasts(struct elite5_state *s) {
  struct elite5_tables *t = &s->plan.tables;
  struct rng *r = &s->ends.rng;
  elite5_plan_plain(s);
  t->group_count = loom_min(ELITE5_GROUPS, s->facts.groups);
  for (uint32_t g = 0; g < t->group_count; g++) {
    for (uint32_t k = rng_range(r, 2, MEMBERS_MOST); k > 0; k--)
      t->group[g][0].mask |= 1u << rng_below(r, s->facts.links);
    t->group[g][0].all = true;
    t->group[g][1] = t->group[g][0];
  }
  elite5_plan_tables(s);
  elite5_plan_links(s);
  s->plan.traffic.shortest = SMALL;
  s->plan.traffic.longest = PACKET;
  s->plan.traffic.groups = 24;
  s->plan.traffic.weave = true;
  s->plan.quiet_from = s->cycles - DRAIN;
  s->plan.end = s->cycles - 1;
  s->plan.calm = true;
}

static void look_broadcasts(struct elite5_state *s, uint64_t cycle, const elite5_in *i,
                            const elite5_out *o) {
  struct elite5_judge *j = &s->judge;
  uint32_t under_way = 0;
  (void)i;
  (void)o;
  if (cycle % 64 == 0)
    for (uint32_t l = 0; l < s->facts.links; l++)
      for (uint32_t v = s->facts.unicast_vcs; v < s->facts.vcs; v++)
        under_way += j->record[l][v].open;
  s->seen.most = loom_max(s->seen.most, under_way);
  if (j->waiting && cycle > s->plan.start)
    s->seen.count[0] =
        s->seen.count[0] > cycle - j->progress ? s->seen.count[0] : cycle - j->progress;
}

static bool verdict_broadcasts(const struct elite5_state *s, char *text, size_t size) {
  const struct elite5_judge *j = &s->judge;
  bool good = j->waiting == 0 && s->seen.most > 32 && s->seen.count[0] < STALL;
  return say(good, text, size,
             "%" PRIu64 " packets, %" PRIu64 " copies, all answered; up to %" PRIu32
             " broadcasts at a time; at most %" PRIu64 " cycles without a reply",
             j->packets, j->copies, s->seen.most, s->seen.count[0]);
}

/* ---- tables: all of their entries, E5-19, E5-39 ---------------------------------------------- */

enum { TABLES_READS = 16, TABLES_DRAIN = 7000, TABLES_BUDGET = 1500 };

static void plan_tables(struct elite5_state *s) {
  struct elite5_tables *t = &s->plan.tables;
  struct rng *r = &s->ends.rng;
  elite5_plan_plain(s);
  t->dest_count = loom_min(s->facts.dests, ELITE5_DESTS);
  t->class_count = loom_min(s->facts.classes, ELITE5_CLASSES);
  t->group_count = loom_min(s->facts.groups, ELITE5_GROUPS);
  t->uplinks = (uint32_t)rng_bits(r, s->facts.links, 128);
  for (uint32_t d = 0; d < t->dest_count; d++)
    t->class_of[d] = (uint16_t)rng_below(r, t->class_count);
  for (uint32_t c = 0; c < t->class_count; c++)
    t->class[c].mask = elite5_some_links(s);
  for (uint32_t g = 0; g < 2 * t->group_count; g++)
    t->group[g / 2][g % 2] =
        (struct elite5_set){.mask = elite5_some_links(s), .all = rng_chance(r, 200)};
  elite5_plan_tables(s);
  elite5_plan_links(s);
  elite5_plan_write(s, LOOM_ELITE5_REG_CONTROL, 2);
  s->plan.traffic.pattern = PATTERN_TABLES;
  s->plan.traffic.shortest = 1;
  s->plan.traffic.longest = 2 * SMALL;
  s->plan.traffic.groups = 16;
  s->plan.traffic.conditionals = 100;
  s->plan.traffic.weave = true;
  s->plan.traffic.budget = TABLES_BUDGET;
  s->ends.bus = TABLES_READS;
  s->plan.quiet_from = s->cycles - TABLES_DRAIN;
  s->plan.end = s->cycles - 1;
}

static bool verdict_tables(const struct elite5_state *s, char *text, size_t size) {
  const struct elite5_tables *t = &s->plan.tables;
  return say(s->judge.packets > t->dest_count && !s->judge.waiting, text, size,
             "%" PRIu32 " nodes, %" PRIu32 " classes, %" PRIu32 " groups: %" PRIu64
             " packets, %" PRIu64 " copies, all answered",
             t->dest_count, t->class_count, t->group_count, s->judge.packets, s->judge.copies);
}

const struct elite5_case elite5_loads[] = {
    {"tables", plan_tables, NULL, NULL, verdict_tables},
    {"permutation", plan_permutation, act_permutation, NULL, verdict_permutation},
    {"uniform", plan_uniform, NULL, NULL, verdict_uniform},
    {"nine_tenths", plan_nine_tenths, NULL, NULL, verdict_offered},
    {"one_percent", plan_one_percent, NULL, NULL, verdict_offered},
    {"small", plan_small, act_small, NULL, verdict_small},
    {"vcs", plan_vcs, act_vcs, NULL, verdict_vcs},
    {"broadcasts", plan_broadcasts, NULL, look_broadcasts, verdict_broadcasts},
    {0}};

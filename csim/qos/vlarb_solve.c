/* SPDX-License-Identifier: Apache-2.0 */
#include "qos/vlarb_solve.h"

#include <string.h>

#include "qos/ratio.h"
#include "qos/vlarb_conflict.h"

enum { SEED = 1, THOUSAND = 1000 };

/* ---- judging --------------------------------------------------------------------------------- */

/* What there is, of what is asked for, rounded up; nothing may be asked for, so both count from
 * 1. */
static uint32_t thousandths(uint64_t value, uint32_t most) {
  if (most == UINT32_MAX)
    return 0;
  uint64_t part = loom_ratio_up((value + 1) * THOUSAND, most + UINT64_C(1));
  return (uint32_t)(part < UINT32_MAX ? part : UINT32_MAX);
}

bool loom_wish_judge(const struct loom_wish *wish, struct loom_wish_answer *answer) {
  const struct loom_wish_tables *t = &answer->tables;
  const struct loom_vlarb_config config = {.high = t->high,
                                           .high_count = t->high_count,
                                           .low = t->low,
                                           .low_count = t->low_count,
                                           .limit = t->limit,
                                           .mode = LOOM_VLARB_ROUNDUP,
                                           .packet_bytes = wish->packet_bytes};
  answer->found = loom_vlarb_certify(&config, &answer->certificate);
  answer->error = 0;
  answer->wait = 0;
  for (uint32_t i = 0; answer->found && i < wish->count; i++) {
    const struct loom_wish_vl *w = &wish->vl[i];
    uint32_t share = loom_vlarb_certified_share(&answer->certificate, w->vl);
    uint32_t off = share > w->share ? share - w->share : w->share - share;
    uint32_t gap = thousandths(answer->certificate.vl[w->vl].gap, loom_wish_gap_packets(wish, i));
    uint32_t distance = thousandths(answer->certificate.vl[w->vl].distance, w->distance);
    answer->error = off > answer->error ? off : answer->error;
    answer->wait = gap > answer->wait ? gap : answer->wait;
    answer->wait = distance > answer->wait ? distance : answer->wait;
  }
  answer->shares = answer->found && answer->error <= wish->tolerance;
  answer->waits = answer->found && answer->wait <= THOUSAND;
  return answer->found;
}

static void put_table(const struct loom_wish *wish, const struct loom_order *order,
                      struct loom_vlarb_entry entry[], uint32_t *count) {
  uint32_t units = wish->packet_bytes / LOOM_UNIT_BYTES;
  *count = order->entries;
  for (uint32_t e = 0; e < order->entries; e++) {
    uint32_t weight = order->slot[e].packets * units;
    entry[e] = (struct loom_vlarb_entry){.vl = wish->vl[order->slot[e].vl].vl,
                                         .weight = (uint8_t)(weight < 255 ? weight : 255)};
  }
}

/* ---- plans ----------------------------------------------------------------------------------- */

/* The low table of a plan, in its order. */
static void order_low(const struct loom_wish *wish, const struct loom_plan *plan,
                      struct loom_order *order) {
  enum { STEPS = 2000 };
  uint64_t seed = SEED;
  loom_plan_order_low(wish, plan, order);
  loom_order_deal(order, true);
  loom_order_improve(order, STEPS, &seed);
}

static void keep_plan(const struct loom_wish *wish, struct loom_vlarb_solver *s,
                      const struct loom_plan *plan) {
  enum { STEP = 10000 }; /* a point */
  uint32_t within = plan->error <= wish->tolerance ? 0 : plan->error;
  loom_plans_add(&s->exact, plan, loom_plan_rank(plan));
  if (!within)
    loom_plans_add(&s->easy, plan, (uint64_t)plan->load << 32 | plan->error);
  loom_plans_add(&s->balanced, plan, (uint64_t)(within / STEP) << 32 | plan->load);
}

/* All whole plans for a division of the VLs between the tables. */
static void plan(const struct loom_wish *wish, uint16_t low, struct loom_vlarb_solver *s) {
  enum { FINE = 512 }; /* with so many packets a share is rounded by 0.1 points at most */
  uint32_t most = wish->high * loom_wish_entry_packets(wish);
  s->exact.count = s->easy.count = s->balanced.count = 0;
  loom_plan_low(wish, low, &s->low);
  for (uint32_t p = 0; p < s->low.count && p < 8; p++) {
    struct loom_order order;
    struct loom_order_rows rows;
    order_low(wish, &s->low.plan[p], &order);
    loom_order_count_rows(&order, &rows);
    for (uint32_t packets = 1; packets <= most; packets += 1 + packets / FINE)
      for (unsigned full = 0; full < 2; full++) {
        struct loom_plan whole = s->low.plan[p];
        if (loom_plan_high(wish, &whole, &rows, packets, full))
          keep_plan(wish, s, &whole);
      }
  }
}

/* ---- trying ---------------------------------------------------------------------------------- */

static bool same_plan(const struct loom_plan *a, const struct loom_plan *b) {
  return a->turn == b->turn && a->low_entries == b->low_entries &&
         !memcmp(a->packets, b->packets, sizeof a->packets) &&
         !memcmp(a->entries, b->entries, sizeof a->entries);
}

/* Takes plans as they come, each once, with the better of two ways to deal. */
static void take_plans(const struct loom_wish *wish, struct loom_vlarb_solver *s,
                       const struct loom_plans *plans) {
  for (uint32_t p = 0; p < plans->count; p++) {
    bool known = false;
    struct loom_order low;
    struct loom_order_rows rows;
    struct loom_order other;
    for (uint32_t t = 0; t < s->tries && !known; t++)
      known = same_plan(&s->tried[t].plan, &plans->plan[p]);
    if (known)
      continue;
    order_low(wish, &plans->plan[p], &low);
    loom_order_count_rows(&low, &rows);
    s->tried[s->tries].plan = plans->plan[p];
    struct loom_order *order = &s->tried[s->tries].order;
    loom_plan_order(wish, &plans->plan[p], &rows, order);
    loom_order_deal(order, true);
    other = *order;
    loom_order_deal(&other, false);
    s->tried[s->tries].excess = loom_order_excess(order);
    if (loom_order_excess(&other) < s->tried[s->tries].excess) {
      *order = other;
      s->tried[s->tries].excess = loom_order_excess(order);
    }
    s->tries++;
  }
}

/* The best try: within the tolerance or not, least excess, least error. */
static uint32_t best_try(const struct loom_wish *wish, const struct loom_vlarb_solver *s,
                         bool shares) {
  uint32_t best = s->tries;
  for (uint32_t t = 0; t < s->tries; t++) {
    if (shares && s->tried[t].plan.error > wish->tolerance)
      continue;
    if (best == s->tries || s->tried[t].excess < s->tried[best].excess ||
        (s->tried[t].excess == s->tried[best].excess &&
         loom_plan_rank(&s->tried[t].plan) < loom_plan_rank(&s->tried[best].plan)))
      best = t;
  }
  return best;
}

static bool are_met(const struct loom_wish *wish, const struct loom_vlarb_solver *s) {
  uint32_t best = best_try(wish, s, true);
  return best < s->tries && !s->tried[best].excess;
}

/* The try that comes nearest, of those that this pass has not had. */
static uint32_t next_try(const struct loom_vlarb_solver *s) {
  uint32_t next = s->tries;
  for (uint32_t t = 0; t < s->tries; t++)
    if (!s->tried[t].done && s->tried[t].excess &&
        (next == s->tries || s->tried[t].excess < s->tried[next].excess))
      next = t;
  return next;
}

/* Few steps for all, then more for those that come nearest. */
static void improve(const struct loom_wish *wish, struct loom_vlarb_solver *s, bool long_search) {
  static const struct {
    uint32_t tries;
    uint32_t steps;
  } pass[] = {{3 * LOOM_PLANS, 1000}, {24, 20000}, {6, 100000}};
  uint64_t seed = SEED;
  for (unsigned p = 0; p < (long_search ? 3 : 1) && !are_met(wish, s); p++) {
    for (uint32_t t = 0; t < s->tries; t++)
      s->tried[t].done = false;
    for (uint32_t left = pass[p].tries; left && !are_met(wish, s); left--) {
      uint32_t t = next_try(s);
      if (t == s->tries)
        break;
      s->tried[t].excess = loom_order_improve(&s->tried[t].order, pass[p].steps, &seed);
      s->tried[t].done = true;
    }
  }
}

/* ---- the answer ------------------------------------------------------------------------------ */

static void answer_of(const struct loom_wish *wish, const struct loom_vlarb_solver *s, uint32_t t,
                      struct loom_wish_answer *answer) {
  struct loom_order low;
  memset(answer, 0, sizeof *answer);
  if (t == s->tries)
    return;
  order_low(wish, &s->tried[t].plan, &low);
  put_table(wish, &s->tried[t].order, answer->tables.high, &answer->tables.high_count);
  put_table(wish, &low, answer->tables.low, &answer->tables.low_count);
  answer->tables.limit = s->tried[t].plan.limit;
  loom_wish_judge(wish, answer);
}

/* One division of the VLs between the tables. */
static void solve_division(const struct loom_wish *wish, uint16_t low, bool long_search,
                           struct loom_vlarb_solver *s, struct loom_wish_solution *solution) {
  struct loom_wish_answer answer;
  s->tries = 0;
  plan(wish, low, s);
  take_plans(wish, s, &s->exact);
  take_plans(wish, s, &s->easy);
  take_plans(wish, s, &s->balanced);
  improve(wish, s, long_search);
  answer_of(wish, s, best_try(wish, s, true), &answer);
  if (answer.shares && answer.waits)
    solution->best = answer;
  answer_of(wish, s, best_try(wish, s, false), &answer);
  if (answer.waits && (!solution->waits_kept.found || answer.error < solution->waits_kept.error))
    solution->waits_kept = answer;
}

/* VLs that must be in the low table. */
static uint16_t forced(const struct loom_wish *wish) {
  uint16_t low = 0;
  for (uint32_t i = 0; i < wish->count; i++)
    if (wish->vl[i].table == LOOM_WISH_LOW)
      low = (uint16_t)(low | 1U << i);
  return low;
}

/* Of the VLs that may go into the low table, the one that is missed least in the high one: no wish
 * but a share, and the least. */
static uint32_t next_low(const struct loom_wish *wish, uint16_t low) {
  uint32_t found = wish->count;
  for (uint32_t i = 0; i < wish->count; i++) {
    const struct loom_wish_vl *w = &wish->vl[i];
    if (low >> i & 1 || w->table != LOOM_WISH_EITHER || w->gap != LOOM_WISH_ANY ||
        w->distance != LOOM_WISH_ANY)
      continue;
    if (found == wish->count || w->share < wish->vl[found].share)
      found = i;
  }
  return found;
}

/* Divides the VLs between the tables in one way after the other. */
static bool solve(const struct loom_wish *wish, bool long_search, struct loom_vlarb_solver *s,
                  struct loom_wish_solution *solution) {
  uint16_t low = forced(wish);
  uint16_t all = (uint16_t)((1U << wish->count) - 1);
  memset(solution, 0, sizeof *solution);
  for (bool first = true; low != all && !solution->best.found; first = false) {
    solve_division(wish, low, long_search && first, s, solution);
    uint32_t i = next_low(wish, low);
    if (i == wish->count)
      break;
    low = (uint16_t)(low | 1U << i);
  }
  return solution->best.found;
}

/* ---- waits that fit each other --------------------------------------------------------------- */

/* The largest of base, 2 base, 4 base .. that is at most `most`. */
static uint32_t round_down(uint32_t most, uint32_t base) {
  uint32_t value = base;
  if (most == UINT32_MAX || most < base)
    return most;
  while (value <= most / 2)
    value *= 2;
  return value;
}

/* Solves with gaps and distances of which each divides the next larger one: waits such as 2 and 5
 * are in each other's way where 2 and 4 are not. Whatever keeps the shorter ones keeps those of
 * the wish. True: the wishes are met. */
static bool solve_shorter(const struct loom_wish *wish, uint32_t base, struct loom_vlarb_solver *s,
                          struct loom_wish_solution *solution) {
  struct loom_wish w = *wish;
  struct loom_wish_solution other;
  for (uint32_t i = 0; i < w.count; i++) {
    uint32_t packets = loom_wish_gap_packets(wish, i);
    w.vl[i].distance = round_down(w.vl[i].distance, base);
    if (packets != UINT32_MAX)
      w.vl[i].gap = (round_down(packets + 1, base) - 1) * w.packet_bytes;
  }
  if (solve(&w, false, s, &other)) {
    solution->best = other.best;
    return true;
  }
  if (other.waits_kept.found &&
      (!solution->waits_kept.found || other.waits_kept.error < solution->waits_kept.error))
    solution->waits_kept = other.waits_kept;
  return false;
}

/* ---- the nearest ----------------------------------------------------------------------------- */

static uint32_t longer(uint32_t most, uint32_t factor) {
  uint64_t value = (most + UINT64_C(1)) * factor / THOUSAND - 1;
  return most == UINT32_MAX || value >= UINT32_MAX ? LOOM_WISH_ANY : (uint32_t)value;
}

/* Solves with all gaps and distances longer by a factor in thousandths. */
static bool solve_longer(const struct loom_wish *wish, uint32_t factor, struct loom_vlarb_solver *s,
                         struct loom_wish_answer *answer) {
  struct loom_wish w = *wish;
  struct loom_wish_solution solution;
  for (uint32_t i = 0; i < w.count; i++) {
    uint64_t packets = longer(loom_wish_gap_packets(wish, i), factor);
    uint64_t gap = packets * w.packet_bytes;
    w.vl[i].gap = packets == UINT32_MAX || gap >= UINT32_MAX ? LOOM_WISH_ANY : (uint32_t)gap;
    w.vl[i].distance = longer(w.vl[i].distance, factor);
  }
  if (!solve(&w, false, s, &solution))
    return false;
  *answer = solution.best;
  return true;
}

/* The least factor with which the shares can be kept: doubled until it will do, then halved in. */
static void keep_shares(const struct loom_wish *wish, struct loom_vlarb_solver *s,
                        struct loom_wish_answer *answer) {
  enum { MOST = 1024 * THOUSAND, FINE = 4 };
  uint32_t from = THOUSAND;
  uint32_t to = 2 * THOUSAND;
  while (to <= MOST && !solve_longer(wish, to, s, answer)) {
    from = to;
    to *= 2;
  }
  for (uint32_t step = 0; step < FINE && to <= MOST; step++) {
    uint32_t middle = from + (to - from) / 2;
    if (solve_longer(wish, middle, s, answer))
      to = middle;
    else
      from = middle;
  }
}

/* The same shares in proportion, with the sum of 1. */
static struct loom_wish in_proportion(const struct loom_wish *wish) {
  struct loom_wish w = *wish;
  uint64_t sum = 0;
  for (uint32_t i = 0; i < w.count; i++)
    sum += w.vl[i].share;
  for (uint32_t i = 0; i < w.count; i++)
    w.vl[i].share = (uint32_t)loom_ratio(w.vl[i].share, sum, LOOM_WISH_WHOLE, 0);
  return w;
}

bool loom_vlarb_solve(const struct loom_wish *wish, struct loom_vlarb_solver *solver,
                      struct loom_wish_solution *solution) {
  enum loom_wish_conflict conflict = loom_wish_conflict(wish).conflict;
  struct loom_wish w = conflict == LOOM_CONFLICT_SUM ? in_proportion(wish) : *wish;
  bool hope = conflict == LOOM_CONFLICT_NONE;
  bool met = solve(&w, hope, solver, solution);
  for (uint32_t base = 1; base <= 3 && !met && (hope || !solution->waits_kept.found); base += 2)
    met = solve_shorter(&w, base, solver, solution);
  if (met && conflict == LOOM_CONFLICT_SUM) {
    solution->waits_kept = solution->best;
    solution->best.found = false;
  } else if (!met) {
    keep_shares(&w, solver, &solution->shares_kept);
  }
  if (solution->waits_kept.found)
    loom_wish_judge(wish, &solution->waits_kept);
  if (solution->shares_kept.found)
    loom_wish_judge(wish, &solution->shares_kept);
  return solution->best.found;
}

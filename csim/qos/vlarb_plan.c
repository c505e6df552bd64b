/* SPDX-License-Identifier: Apache-2.0 */
#include "qos/vlarb_plan.h"

#include <string.h>

#include "qos/ratio.h"
#include "qos/vlarb_certificate.h"

enum { THOUSANDTHS = 1000 };

static bool is_low(uint16_t mask, uint32_t i) { return mask >> i & 1; }

static uint32_t apart(uint32_t a, uint32_t b) { return a > b ? a - b : b - a; }

static uint32_t up(uint64_t a, uint64_t b) { return (uint32_t)loom_ratio_up(a, b); }

void loom_plans_add(struct loom_plans *plans, const struct loom_plan *plan, uint64_t key) {
  uint32_t at = plans->count;
  if (at == LOOM_PLANS && key >= plans->key[at - 1])
    return;
  at -= at == LOOM_PLANS;
  for (; at && plans->key[at - 1] > key; at--) {
    plans->plan[at] = plans->plan[at - 1];
    plans->key[at] = plans->key[at - 1];
  }
  plans->plan[at] = *plan;
  plans->key[at] = key;
  plans->count += plans->count < LOOM_PLANS;
}

/* ---- sharing out ----------------------------------------------------------------------------- */

/* Some VLs share a number of packets. */
struct sharing {
  uint32_t count;
  uint32_t wish[LOOM_WISH_VLS];
  uint32_t least[LOOM_WISH_VLS];
  uint32_t packets[LOOM_WISH_VLS];
};

/* Whoever would get less than the least has the least; the sums of the others, as far as they are
 * known. */
static void hold_least(struct sharing *s, bool held[], uint32_t total, uint64_t *wishes,
                       uint32_t *left) {
  bool more = true;
  while (more) {
    *wishes = 0;
    *left = total;
    for (uint32_t i = 0; i < s->count; i++) {
      *wishes += held[i] ? 0 : s->wish[i];
      *left -= held[i] ? s->least[i] : 0;
    }
    more = false;
    for (uint32_t i = 0; i < s->count; i++)
      if (!held[i] && (uint64_t)*left * s->wish[i] < s->least[i] * *wishes)
        more = held[i] = true;
  }
}

/* Shares `total` out by the wishes: whole packets, then one more for the largest remainders. False:
 * the total is less than all the least. */
static bool share_out(struct sharing *s, uint32_t total) {
  bool held[LOOM_WISH_VLS] = {false};
  uint64_t rest[LOOM_WISH_VLS] = {0};
  uint64_t wishes = 0;
  uint64_t least = 0;
  uint32_t left = 0;
  for (uint32_t i = 0; i < s->count; i++)
    least += s->least[i];
  if (least > total)
    return false;
  hold_least(s, held, total, &wishes, &left);
  uint32_t more = left;
  for (uint32_t i = 0; i < s->count; i++) {
    s->packets[i] = held[i] ? s->least[i] : (uint32_t)((uint64_t)left * s->wish[i] / wishes);
    rest[i] = held[i] ? 0 : (uint64_t)left * s->wish[i] % wishes + 1;
    more -= held[i] ? 0 : s->packets[i];
  }
  while (more) {
    uint32_t most = 0;
    for (uint32_t i = 1; i < s->count; i++)
      if (rest[i] > rest[most])
        most = i;
    s->packets[most]++;
    rest[most] = 0;
    more--;
  }
  return true;
}

/* ---- the low table --------------------------------------------------------------------------- */

static uint64_t sum_of(const struct loom_wish *wish, uint16_t mask) {
  uint64_t sum = 0;
  for (uint32_t i = 0; i < wish->count; i++)
    sum += is_low(mask, i) ? wish->vl[i].share : 0;
  return sum;
}

/* Entries that VL i needs in a low table of so many entries. */
static uint32_t low_entries(const struct loom_wish *wish, const struct loom_plan *p, uint32_t i,
                            uint32_t packets) {
  uint32_t gap = loom_wish_gap_packets(wish, i);
  uint32_t need = up(packets, loom_wish_entry_packets(wish));
  uint64_t others = (uint64_t)p->low_entries * p->turn + p->low_packets - packets;
  if (gap == UINT32_MAX)
    return need;
  uint32_t often = gap ? up(others, gap) : UINT32_MAX;
  return often > need ? often : need;
}

/* The rest of the entries goes to those whose entries send most. False: there is no room. */
static bool fill(const uint16_t mask, uint32_t total, uint32_t count, const uint32_t packets[],
                 uint32_t entries[]) {
  uint64_t used = 0;
  for (uint32_t i = 0; i < count; i++) {
    if (is_low(mask, i) && entries[i] > packets[i])
      return false;
    used += is_low(mask, i) ? entries[i] : 0;
  }
  for (; used < total; used++) {
    uint32_t most = count;
    for (uint32_t i = 0; i < count; i++)
      if (is_low(mask, i) && entries[i] < packets[i] &&
          (most == count ||
           (uint64_t)packets[i] * entries[most] > (uint64_t)packets[most] * entries[i]))
        most = i;
    if (most == count)
      return false;
    entries[most]++;
  }
  return used == total;
}

/* The largest error of the shares of low VLs; all high VLs together as one. */
static uint32_t low_error(const struct loom_wish *wish, const struct loom_plan *p, uint64_t whole) {
  uint64_t period = (uint64_t)p->low_entries * p->turn + p->low_packets;
  uint32_t error = 0;
  for (uint32_t i = 0; i < wish->count; i++) {
    uint64_t wanted = loom_ratio(wish->vl[i].share, whole, LOOM_WISH_WHOLE, 0);
    if (!is_low(p->low, i))
      continue;
    uint32_t off =
        apart((uint32_t)loom_ratio(p->packets[i], period, LOOM_WISH_WHOLE, 0), (uint32_t)wanted);
    error = off > error ? off : error;
  }
  return error;
}

static bool share_low(const struct loom_wish *wish, struct loom_plan *p) {
  struct sharing s = {.count = 0};
  uint32_t n = 0;
  for (uint32_t i = 0; i < wish->count; i++)
    if (is_low(p->low, i)) {
      s.wish[s.count] = wish->vl[i].share;
      s.least[s.count++] = 1;
    }
  if (!share_out(&s, p->low_packets))
    return false;
  for (uint32_t i = 0; i < wish->count; i++)
    if (is_low(p->low, i)) {
      p->packets[i] = s.packets[n++];
      p->entries[i] = low_entries(wish, p, i, p->packets[i]);
    }
  return fill(p->low, p->low_entries, wish->count, p->packets, p->entries);
}

/* All sizes of the low table with this limit whose entries send what the shares ask for. */
static void plans_of_limit(const struct loom_wish *wish, struct loom_plan *p,
                           struct loom_plans *plans) {
  enum { ALIKE = 500 }; /* errors that are as good as each other: 0.05 points */
  uint64_t high = sum_of(wish, (uint16_t)~p->low);
  uint64_t low = sum_of(wish, p->low);
  uint32_t most = loom_wish_entry_packets(wish);
  for (uint32_t m = 1; high && m <= wish->low; m++) {
    uint64_t packets = (uint64_t)m * p->turn * low / high;
    for (uint64_t n = packets; n <= packets + 1; n++) {
      p->low_entries = m;
      p->low_packets = (uint32_t)(n < m ? m : n > (uint64_t)m * most ? (uint64_t)m * most : n);
      if (!share_low(wish, p))
        continue;
      p->error = low_error(wish, p, high + low);
      loom_plans_add(plans, p, (uint64_t)(p->error / ALIKE) << 32 | p->turn << 8 | m);
    }
  }
}

void loom_plan_low(const struct loom_wish *wish, uint16_t low, struct loom_plans *plans) {
  struct loom_plan p = {.low = low, .limit = LOOM_VLARB_NO_LIMIT};
  plans->count = 0;
  if (wish->limit_given)
    p.limit = wish->limit;
  if (!low) {
    loom_plans_add(plans, &p, 0);
    return;
  }
  uint32_t last = 0;
  /* Of limits that come to the same number of packets the largest: with smaller packets it still
   * lets as many bytes go. */
  for (uint32_t limit = LOOM_VLARB_NO_LIMIT; limit-- > 0;) {
    uint32_t turn = (uint32_t)loom_vlarb_turn_packets(limit, wish->packet_bytes);
    bool again = turn == last || (wish->limit_given && limit != wish->limit);
    p.limit = limit;
    p.turn = turn;
    if (!again)
      plans_of_limit(wish, &p, plans);
    last = again ? last : turn;
  }
}

/* ---- the high table -------------------------------------------------------------------------- */

/* The most high packets of others between two of a VL, so that with the low turns that fall among
 * them there are at most `gap`; UINT32_MAX: any. */
static uint32_t high_window(const struct loom_plan *p, const struct loom_order_rows *low,
                            uint32_t gap) {
  if (gap == UINT32_MAX || !p->turn)
    return gap;
  uint32_t from = 0;
  uint32_t to = gap + 1; /* too many */
  if (loom_order_row(low, 1) > gap)
    return 0;
  while (to - from > 1) {
    uint32_t middle = from + (to - from) / 2;
    if (middle + loom_order_row(low, loom_ratio_up(middle + UINT64_C(1), p->turn)) <= gap)
      from = middle;
    else
      to = middle;
  }
  return from;
}

/* Entries that VL i needs, of `entries` in all: for its weight, its gap, its distance. */
static uint32_t high_entries(const struct loom_wish *wish, const struct loom_plan *p, uint32_t i,
                             uint32_t window, uint64_t entries) {
  uint32_t need = up(p->packets[i], loom_wish_entry_packets(wish));
  uint32_t distance = wish->vl[i].distance;
  uint32_t others = p->high_packets - p->packets[i];
  if (window != UINT32_MAX && others) {
    uint32_t often = window ? up(others, window) : UINT32_MAX;
    need = often > need ? often : need;
  }
  if (distance != UINT32_MAX) {
    uint64_t turn = p->turn ? p->turn : 1;
    uint64_t selections = entries * turn + (p->turn ? p->high_packets : 0);
    uint32_t often = up(selections, distance * turn);
    need = often > need ? often : need;
  }
  return need ? need : 1;
}

/* What a wish needs of what it allows, the tightest of them. */
static uint32_t load_of(const struct loom_wish *wish, const struct loom_plan *p,
                        const uint32_t window[]) {
  uint64_t load = 0;
  for (uint32_t i = 0; i < wish->count; i++) {
    if (is_low(p->low, i))
      continue;
    uint64_t turn = p->turn ? p->turn : 1;
    uint64_t gap = window[i] == UINT32_MAX || !window[i]
                       ? 0
                       : (uint64_t)(p->high_packets - p->packets[i]) * THOUSANDTHS /
                             ((uint64_t)p->entries[i] * window[i]);
    uint64_t distance = wish->vl[i].distance == UINT32_MAX
                            ? 0
                            : (p->high_entries * turn + (p->turn ? p->high_packets : 0)) *
                                  THOUSANDTHS / (p->entries[i] * turn * wish->vl[i].distance);
    load = gap > load ? gap : load;
    load = distance > load ? distance : load;
  }
  return (uint32_t)(load < UINT32_MAX ? load : UINT32_MAX);
}

static bool share_high(const struct loom_wish *wish, struct loom_plan *p, const uint32_t least[]) {
  struct sharing s = {.count = 0};
  uint32_t n = 0;
  for (uint32_t i = 0; i < wish->count; i++)
    if (!is_low(p->low, i)) {
      s.wish[s.count] = wish->vl[i].share;
      s.least[s.count++] = least[i];
    }
  if (!share_out(&s, p->high_packets))
    return false;
  for (uint32_t i = 0; i < wish->count; i++)
    if (!is_low(p->low, i))
      p->packets[i] = s.packets[n++];
  return true;
}

/* The least packets of each: with P of H packets a VL can have P entries and so P windows for the
 * H - P of others, or one. */
static void set_least(const struct loom_wish *wish, const struct loom_plan *p,
                      const uint32_t window[], uint32_t least[]) {
  for (uint32_t i = 0; i < wish->count; i++) {
    uint32_t often = window[i] == UINT32_MAX ? 0 : up(p->high_packets, window[i] + UINT64_C(1));
    least[i] = often > 1 ? often : 1;
  }
}

/* The fewest entries of all, with the packets as they are: more entries of one may ask for more of
 * another, until it holds. False: there is no room. */
static bool count_entries(const struct loom_wish *wish, struct loom_plan *p,
                          const uint32_t window[], uint32_t entries) {
  p->high_entries = entries;
  do {
    entries = p->high_entries;
    p->high_entries = 0;
    for (uint32_t i = 0; i < wish->count; i++) {
      if (is_low(p->low, i))
        continue;
      p->entries[i] = high_entries(wish, p, i, window[i], entries);
      if (p->entries[i] > wish->high)
        return false;
      p->high_entries += p->entries[i];
    }
  } while (p->high_entries > entries && p->high_entries <= wish->high);
  return p->high_entries <= wish->high;
}

/* Packets and entries, so that each VL has a packet for each entry that it needs: who has not gets
 * one more. False: it cannot be. */
static bool settle(const struct loom_wish *wish, struct loom_plan *p, const uint32_t window[],
                   uint32_t entries) {
  uint32_t least[LOOM_WISH_VLS];
  bool again = true;
  set_least(wish, p, window, least);
  while (again) {
    again = false;
    if (!share_high(wish, p, least))
      return false;
    bool room = count_entries(wish, p, window, entries);
    for (uint32_t i = 0; i < wish->count; i++)
      if (!is_low(p->low, i) && p->entries[i] > p->packets[i]) {
        least[i] = p->packets[i] + 1;
        again = true;
      }
    if (!room && !again)
      return false;
  }
  return true;
}

static void set_error(const struct loom_wish *wish, struct loom_plan *p) {
  enum { TENTH = 1000 };
  p->error = 0;
  p->squares = 0;
  for (uint32_t i = 0; i < wish->count; i++) {
    uint32_t off = apart(loom_plan_share(p, i), wish->vl[i].share);
    p->error = off > p->error ? off : p->error;
    p->squares += off / TENTH * (off / TENTH);
  }
}

bool loom_plan_high(const struct loom_wish *wish, struct loom_plan *plan,
                    const struct loom_order_rows *low, uint32_t packets, bool full) {
  uint32_t window[LOOM_WISH_VLS];
  plan->high_packets = packets;
  for (uint32_t i = 0; i < wish->count; i++)
    window[i] = high_window(plan, low, loom_wish_gap_packets(wish, i));
  uint32_t entries = full ? (wish->high < packets ? wish->high : packets) : 0;
  if (!settle(wish, plan, window, entries))
    return false;
  if (full && plan->high_entries < entries) {
    if (!fill((uint16_t)~plan->low, entries, wish->count, plan->packets, plan->entries))
      return false;
    plan->high_entries = entries;
  }
  plan->load = load_of(wish, plan, window);
  set_error(wish, plan);
  return true;
}

/* The most packets of an entry. */
static uint32_t burst(const struct loom_plan *plan) {
  uint32_t most = 0;
  for (uint32_t i = 0; i < LOOM_WISH_VLS; i++) {
    uint32_t packets = plan->entries[i] ? up(plan->packets[i], plan->entries[i]) : 0;
    most = packets > most ? packets : most;
  }
  return most;
}

uint64_t loom_plan_rank(const struct loom_plan *plan) {
  enum { ALIKE = 200 };
  uint64_t rank = plan->error / ALIKE;
  rank = rank << 1 | (plan->low_packets > plan->low_entries);
  rank = rank << 24 | plan->squares;
  rank = rank << 8 | burst(plan);
  return rank << 8 | (plan->high_entries + plan->low_entries);
}

uint32_t loom_plan_share(const struct loom_plan *plan, uint32_t i) {
  uint64_t turns = plan->turn ? (uint64_t)plan->turn * plan->low_entries : 1;
  uint64_t period = turns + plan->low_packets;
  if (is_low(plan->low, i))
    return (uint32_t)loom_ratio(plan->packets[i], period, LOOM_WISH_WHOLE, 0);
  return (uint32_t)loom_ratio(plan->packets[i] * turns, plan->high_packets * period,
                              LOOM_WISH_WHOLE, 0);
}

/* The wishes, and entries and packets of those in this table. */
static void put_vls(const struct loom_wish *wish, const struct loom_plan *plan, bool in_low,
                    struct loom_order *order) {
  memset(order, 0, sizeof *order);
  order->count = wish->count;
  order->most = loom_wish_entry_packets(wish);
  for (uint32_t i = 0; i < wish->count; i++) {
    struct loom_order_vl *v = &order->vl[i];
    v->gap = loom_wish_gap_packets(wish, i);
    v->distance = in_low ? UINT32_MAX : wish->vl[i].distance;
    if (is_low(plan->low, i) != in_low)
      continue;
    v->entries = plan->entries[i];
    v->packets = plan->packets[i];
  }
}

void loom_plan_order(const struct loom_wish *wish, const struct loom_plan *plan,
                     const struct loom_order_rows *low, struct loom_order *order) {
  put_vls(wish, plan, false, order);
  order->entries = plan->high_entries;
  order->packets = plan->high_packets;
  order->turn = plan->turn;
  order->other = *low;
}

void loom_plan_order_low(const struct loom_wish *wish, const struct loom_plan *plan,
                         struct loom_order *order) {
  put_vls(wish, plan, true, order);
  order->entries = plan->low_entries;
  order->packets = plan->low_packets;
  order->pad = plan->turn;
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "qos/vlarb_conflict.h"

#include "qos/vlarb_certificate.h"

static const struct loom_wish_finding none = {.conflict = LOOM_CONFLICT_NONE};

static struct loom_wish_finding finding(enum loom_wish_conflict conflict, uint16_t who,
                                        uint64_t value) {
  return (struct loom_wish_finding){.conflict = conflict, .who = who, .value = (uint32_t)value};
}

static uint16_t everyone(const struct loom_wish *wish) {
  return (uint16_t)((1U << wish->count) - 1);
}

/* Of G others between two packets of a VL, it has one of G + 1. */
static uint32_t share_of_gap(const struct loom_wish *wish, uint32_t i) {
  uint64_t gap = loom_wish_gap_packets(wish, i);
  return gap == UINT32_MAX ? 0 : (uint32_t)(LOOM_WISH_WHOLE / (gap + 1));
}

static uint32_t selections_of(const struct loom_wish *wish, uint32_t i) {
  uint32_t distance = wish->vl[i].distance;
  return distance == LOOM_WISH_ANY ? 0 : LOOM_WISH_WHOLE / distance;
}

uint32_t loom_wish_least_share(const struct loom_wish *wish, uint32_t i) {
  uint64_t distance = wish->vl[i].distance;
  uint32_t gap = share_of_gap(wish, i);
  /* A selection of others sends what an entry can at most, one of its own at least a packet. */
  uint32_t least =
      distance == LOOM_WISH_ANY
          ? 0
          : (uint32_t)(LOOM_WISH_WHOLE / (1 + (distance - 1) * loom_wish_entry_packets(wish)));
  return gap > least ? gap : least;
}

/* ---- single conflicts ------------------------------------------------------------------------ */

static struct loom_wish_finding check_sum(const struct loom_wish *wish) {
  uint64_t sum = 0;
  uint64_t slack = (uint64_t)wish->tolerance * wish->count;
  for (uint32_t i = 0; i < wish->count; i++)
    sum += wish->vl[i].share;
  if (sum > LOOM_WISH_WHOLE + slack || sum + slack < LOOM_WISH_WHOLE)
    return finding(LOOM_CONFLICT_SUM, everyone(wish), sum);
  return none;
}

static struct loom_wish_finding check_entries(const struct loom_wish *wish) {
  uint16_t who[] = {0, 0, 0};
  uint32_t count[] = {0, 0, 0};
  for (uint32_t i = 0; i < wish->count; i++) {
    who[wish->vl[i].table] = (uint16_t)(who[wish->vl[i].table] | 1U << i);
    count[wish->vl[i].table]++;
  }
  if (count[LOOM_WISH_HIGH] > wish->high)
    return finding(LOOM_CONFLICT_ENTRIES, who[LOOM_WISH_HIGH], 0);
  if (count[LOOM_WISH_LOW] > wish->low || count[LOOM_WISH_LOW] == wish->count)
    return finding(LOOM_CONFLICT_ENTRIES, who[LOOM_WISH_LOW], 0);
  if (wish->count > wish->high + wish->low)
    return finding(LOOM_CONFLICT_ENTRIES, everyone(wish), 0);
  return none;
}

static struct loom_wish_finding check_shares(const struct loom_wish *wish) {
  for (uint32_t i = 0; i < wish->count; i++) {
    uint32_t least = loom_wish_least_share(wish, i);
    if (least > (uint64_t)wish->vl[i].share + wish->tolerance)
      return finding(LOOM_CONFLICT_SHARE, (uint16_t)(1U << i), least);
  }
  return none;
}

/* The low table gets most when it has a turn as often as can be and each turn sends most. */
static struct loom_wish_finding check_low(const struct loom_wish *wish) {
  uint64_t turn = loom_vlarb_turn_packets(wish->limit_given ? wish->limit : 0, wish->packet_bytes);
  uint64_t most = loom_wish_entry_packets(wish);
  uint64_t part = turn ? LOOM_WISH_WHOLE * most / (turn + most) + 1 : 0;
  uint64_t asked = 0;
  uint16_t who = 0;
  for (uint32_t i = 0; i < wish->count; i++) {
    uint32_t share = wish->vl[i].share;
    if (wish->vl[i].table != LOOM_WISH_LOW)
      continue;
    asked += share > wish->tolerance ? share - wish->tolerance : 0;
    who = (uint16_t)(who | 1U << i);
  }
  return asked > part ? finding(LOOM_CONFLICT_LOW, who, part) : none;
}

/* ---- conflicts of several -------------------------------------------------------------------- */

/* More than a whole of needs: leaves away whom it needs not to be more. */
static struct loom_wish_finding too_much(const struct loom_wish *wish,
                                         enum loom_wish_conflict conflict, const uint32_t need[]) {
  uint64_t sum = 0;
  uint16_t who = 0;
  for (uint32_t i = 0; i < wish->count; i++) {
    sum += need[i];
    who = (uint16_t)(who | (need[i] ? 1U << i : 0));
  }
  if (sum <= LOOM_WISH_WHOLE)
    return none;
  for (uint32_t i = 0; i < wish->count; i++) {
    if (!need[i] || sum - need[i] <= LOOM_WISH_WHOLE)
      continue;
    sum -= need[i];
    who = (uint16_t)(who & ~(1U << i));
  }
  return finding(conflict, who, sum);
}

static struct loom_wish_finding check_gaps(const struct loom_wish *wish) {
  uint32_t need[LOOM_WISH_VLS];
  for (uint32_t i = 0; i < wish->count; i++)
    need[i] = share_of_gap(wish, i);
  return too_much(wish, LOOM_CONFLICT_GAPS, need);
}

static struct loom_wish_finding check_distances(const struct loom_wish *wish) {
  uint32_t need[LOOM_WISH_VLS];
  for (uint32_t i = 0; i < wish->count; i++)
    need[i] = selections_of(wish, i);
  return too_much(wish, LOOM_CONFLICT_DISTANCES, need);
}

/* Some get more than they ask for, because of their gaps or distances; the rest must be enough for
 * the others. */
static struct loom_wish_finding check_others(const struct loom_wish *wish) {
  uint64_t sum = 0;
  uint64_t needed = 0;
  uint16_t who = 0;
  for (uint32_t i = 0; i < wish->count; i++) {
    uint32_t share = wish->vl[i].share;
    uint32_t asked = share > wish->tolerance ? share - wish->tolerance : 0;
    uint32_t least = loom_wish_least_share(wish, i);
    sum += least > asked ? least : asked;
    needed += least > asked ? least : 0;
    who = (uint16_t)(who | (least > asked ? 1U << i : 0));
  }
  return sum > LOOM_WISH_WHOLE ? finding(LOOM_CONFLICT_OTHERS, who, needed) : none;
}

struct loom_wish_finding loom_wish_conflict(const struct loom_wish *wish) {
  static struct loom_wish_finding (*const checks[])(const struct loom_wish *) = {
      check_sum, check_entries, check_shares, check_low, check_gaps, check_distances, check_others,
  };
  for (unsigned c = 0; c < sizeof checks / sizeof checks[0]; c++) {
    struct loom_wish_finding f = checks[c](wish);
    if (f.conflict != LOOM_CONFLICT_NONE)
      return f;
  }
  return none;
}

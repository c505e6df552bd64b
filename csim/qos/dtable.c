/* SPDX-License-Identifier: Apache-2.0 */
#include "qos/dtable.h"

#include <stdbool.h>
#include <string.h>

#include "qos/ratio.h"

static struct loom_dtable_verdict verdict(enum loom_dtable_status status, uint32_t flow,
                                          uint32_t value) {
  return (struct loom_dtable_verdict){.status = status, .flow = flow, .value = value};
}

static const struct loom_dtable_verdict fine = {.status = LOOM_DTABLE_OK};

static bool is_free(const bool taken[], uint32_t entries, uint32_t offset, uint32_t distance) {
  for (uint32_t e = offset; e < entries; e += distance)
    if (taken[e])
      return false;
  return true;
}

/* Gives the flow its entries at the first offset where all of them are free. */
static bool place(uint8_t owner[], bool taken[], uint32_t entries, uint32_t flow,
                  uint32_t distance) {
  for (uint32_t offset = 0; offset < distance; offset++) {
    if (!is_free(taken, entries, offset, distance))
      continue;
    for (uint32_t e = offset; e < entries; e += distance) {
      owner[e] = (uint8_t)flow;
      taken[e] = true;
    }
    return true;
  }
  return false;
}

struct loom_dtable_verdict loom_dtable_layout(const struct loom_dtable_config *config,
                                              uint8_t owner[LOOM_DTABLE_ENTRIES]) {
  bool taken[LOOM_DTABLE_ENTRIES] = {false};
  uint32_t left = config->entries;
  memset(owner, 0, LOOM_DTABLE_ENTRIES);
  for (uint32_t i = 0; i < config->flow_count; i++) {
    uint32_t d = config->flow[i].distance;
    if (!d || (d & (d - 1)) || config->entries % d)
      return verdict(LOOM_DTABLE_BAD_DISTANCE, i, d);
  }
  for (uint32_t distance = 1; distance <= config->entries; distance *= 2)
    for (uint32_t i = 0; i < config->flow_count; i++) {
      if (config->flow[i].distance != distance)
        continue;
      if (!place(owner, taken, config->entries, i, distance))
        return verdict(LOOM_DTABLE_NO_ROOM, i, config->entries / distance);
      left -= config->entries / distance;
    }
  return left ? verdict(LOOM_DTABLE_FREE, 0, left) : fine;
}

uint32_t loom_dtable_rounded_up(const struct loom_dtable_config *config,
                                const struct loom_dtable_result *result, uint32_t flow) {
  uint64_t own = 0;
  uint64_t all = 0;
  for (uint32_t e = 0; e < config->entries; e++) {
    uint32_t mtu = config->flow[result->owner[e]].mtu;
    uint64_t sent = loom_ratio_up(result->weight[e], mtu) * mtu;
    own += result->owner[e] == flow ? sent : 0;
    all += sent;
  }
  return (uint32_t)loom_ratio(own, all, LOOM_DTABLE_PHI, 0);
}

static uint64_t entries_of(const struct loom_dtable_config *config, uint32_t flow) {
  return config->entries / config->flow[flow].distance;
}

/* minphi = n * MTU / pool, pool = N * GMTU * k; with k in tenths both sides are ten times as large.
 */
static uint64_t min_above(const struct loom_dtable_config *c, uint32_t flow) {
  return entries_of(c, flow) * c->flow[flow].mtu * 10;
}

static uint64_t min_below(const struct loom_dtable_config *c) {
  return (uint64_t)c->entries * c->gmtu * c->k;
}

/* maxphi = n * w / (N * k). */
static uint64_t max_above(const struct loom_dtable_config *c, uint32_t flow) {
  return entries_of(c, flow) * c->w;
}

static uint64_t max_below(const struct loom_dtable_config *c) {
  return (uint64_t)c->entries * c->k;
}

uint64_t loom_dtable_min_phi(const struct loom_dtable_config *config, uint32_t flow,
                             unsigned digits) {
  return loom_ratio(min_above(config, flow), min_below(config), 1, digits);
}

uint64_t loom_dtable_max_phi(const struct loom_dtable_config *config, uint32_t flow,
                             unsigned digits) {
  return loom_ratio(max_above(config, flow), max_below(config), 1, digits);
}

static bool min_is_below_phi(const struct loom_dtable_config *c, uint32_t flow) {
  return min_above(c, flow) * LOOM_DTABLE_PHI < min_below(c) * c->flow[flow].phi;
}

static bool max_is_above_phi(const struct loom_dtable_config *c, uint32_t flow) {
  return max_above(c, flow) * LOOM_DTABLE_PHI > max_below(c) * c->flow[flow].phi;
}

struct loom_dtable_verdict loom_dtable_search(struct loom_dtable_config *config) {
  uint32_t flow = 0;
  for (config->k = 1; flow < config->flow_count; config->k++) {
    if (config->k > LOOM_DTABLE_TENTHS)
      return verdict(LOOM_DTABLE_NO_K, flow, 0);
    while (flow < config->flow_count && min_is_below_phi(config, flow))
      flow++;
    if (flow == config->flow_count)
      break;
  }
  flow = 0;
  for (config->w = config->k; flow < config->flow_count; config->w++) {
    if (config->w > LOOM_DTABLE_TENTHS)
      return verdict(LOOM_DTABLE_NO_W, flow, 0);
    while (flow < config->flow_count && max_is_above_phi(config, flow))
      flow++;
    if (flow == config->flow_count)
      break;
  }
  return fine;
}

void loom_dtable_spread(uint32_t weight[], const uint8_t owner[], uint32_t entries, uint8_t flow,
                        int32_t d) {
  uint32_t n = 0;
  for (uint32_t e = 0; e < entries; e++)
    n += owner[e] == flow;
  if (!n)
    return;
  uint32_t units = d < 0 ? (uint32_t)-d : (uint32_t)d;
  uint32_t more = units % n; /* this many entries from the end take one unit more */
  for (uint32_t e = entries; e-- > 0;) {
    if (owner[e] != flow)
      continue;
    uint32_t change = units / n + (more > 0);
    more -= more > 0;
    weight[e] = d < 0 ? weight[e] - change : weight[e] + change;
  }
}

/* EW = ceil(pool * phi / n), at least the MTU (DT-07). */
static struct loom_dtable_verdict fill(const struct loom_dtable_config *c,
                                       struct loom_dtable_result *result) {
  for (uint32_t i = 0; i < c->flow_count; i++) {
    struct loom_dtable_row *row = &result->row[i];
    row->n = (uint32_t)entries_of(c, i);
    row->entry_weight = (uint32_t)loom_ratio_up(min_below(c) * c->flow[i].phi,
                                                UINT64_C(10) * LOOM_DTABLE_PHI * row->n);
    row->before = row->entry_weight * row->n;
    result->before += row->before;
    if (row->entry_weight < c->flow[i].mtu)
      return verdict(LOOM_DTABLE_BELOW_MTU, i, row->entry_weight);
  }
  for (uint32_t e = 0; e < c->entries; e++)
    result->weight[e] = result->row[result->owner[e]].entry_weight;
  return fine;
}

/* D = -Round((R - phi) * sum), R = before / sum (DT-08). */
static void correct(const struct loom_dtable_config *c, struct loom_dtable_result *result) {
  for (uint32_t i = 0; i < c->flow_count; i++) {
    struct loom_dtable_row *row = &result->row[i];
    int64_t wanted = (int64_t)c->flow[i].phi * result->before;
    int64_t given = (int64_t)row->before * LOOM_DTABLE_PHI;
    row->d = (int32_t)loom_ratio_round(wanted - given, LOOM_DTABLE_PHI);
    row->after = (uint32_t)((int64_t)row->before + row->d);
    result->after += row->after;
    loom_dtable_spread(result->weight, result->owner, c->entries, (uint8_t)i, row->d);
  }
}

/* The least and the largest entry of each flow, and whether the link can use them. */
static struct loom_dtable_verdict check(const struct loom_dtable_config *c,
                                        struct loom_dtable_result *result) {
  for (uint32_t i = 0; i < c->flow_count; i++)
    result->row[i].low = UINT32_MAX;
  for (uint32_t e = 0; e < c->entries; e++) {
    struct loom_dtable_row *row = &result->row[result->owner[e]];
    uint32_t weight = result->weight[e];
    row->low = row->low < weight ? row->low : weight;
    row->high = row->high > weight ? row->high : weight;
  }
  for (uint32_t i = 0; i < c->flow_count; i++) {
    if (result->row[i].low < c->flow[i].mtu)
      return verdict(LOOM_DTABLE_BELOW_MTU, i, result->row[i].low);
    if (result->row[i].high > LOOM_DTABLE_CREDITS)
      return verdict(LOOM_DTABLE_TOO_HEAVY, i, result->row[i].high);
  }
  return fine;
}

struct loom_dtable_verdict loom_dtable_solve(const struct loom_dtable_config *config,
                                             struct loom_dtable_result *result) {
  uint64_t sum = 0;
  memset(result, 0, sizeof *result);
  struct loom_dtable_verdict v = loom_dtable_layout(config, result->owner);
  if (v.status != LOOM_DTABLE_OK)
    return v;
  for (uint32_t i = 0; i < config->flow_count; i++) {
    sum += config->flow[i].phi;
    if (sum > LOOM_DTABLE_PHI)
      return verdict(LOOM_DTABLE_PHI_SUM, i, 0);
  }
  v = fill(config, result);
  if (v.status != LOOM_DTABLE_OK)
    return v;
  correct(config, result);
  return check(config, result);
}

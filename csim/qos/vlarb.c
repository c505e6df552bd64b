/* SPDX-License-Identifier: Apache-2.0 */
#include "qos/vlarb.h"

#include <stdbool.h>
#include <string.h>

#include "qos/ratio.h"

enum { UNIT_BYTES = 64, LIMIT_BYTES = 4096 };

/* One of the two tables. */
struct side {
  const struct loom_vlarb_entry *entry;
  size_t count;
  size_t next;                   /* entry to look at first */
  uint64_t deficit[LOOM_IB_VLS]; /* deficit mode: units kept for the VL's next entry */
};

struct run {
  const struct loom_vlarb_config *config;
  struct loom_vlarb_result *result;
  struct side high;
  struct side low;
  uint32_t packet_bytes;
  uint64_t packet_units;
  uint64_t limit;             /* bytes */
  uint64_t sent;              /* bytes of high since the last low turn */
  uint64_t position;          /* selections so far */
  uint64_t last[LOOM_IB_VLS]; /* position of the VL's last selection, 0: none */
  uint64_t low_left;          /* low grants by packet: packets left in the entry */
  unsigned low_vl;
};

/* The packets that an entry may send when it is selected; in deficit mode the rest is kept. */
static uint64_t open_entry(const struct run *r, struct side *side,
                           const struct loom_vlarb_entry *entry) {
  uint64_t units = entry->weight;
  switch (r->config->mode) {
  case LOOM_VLARB_ROUNDUP:
    return loom_ratio_up(units, r->packet_units);
  case LOOM_VLARB_DEFICIT:
    units += side->deficit[entry->vl];
    side->deficit[entry->vl] = units % r->packet_units;
    return units / r->packet_units;
  case LOOM_VLARB_UNIT:
  case LOOM_VLARB_PACKET:
    break;
  }
  return units;
}

/* The side's next entry with a weight, NULL when it has none. */
static const struct loom_vlarb_entry *next_entry(struct side *side) {
  for (size_t i = 0; i < side->count; i++) {
    const struct loom_vlarb_entry *entry = &side->entry[side->next];
    side->next = (side->next + 1) % side->count;
    if (entry->weight)
      return entry;
  }
  return NULL;
}

static void select_vl(struct run *r, unsigned vl) {
  struct loom_vlarb_vl *stats = &r->result->vl[vl];
  r->position++;
  if (stats->selections) {
    uint64_t distance = r->position - r->last[vl];
    stats->distance_sum += distance;
    if (distance > stats->distance_max)
      stats->distance_max = distance;
  }
  stats->selections++;
  r->last[vl] = r->position;
}

static void send(struct run *r, unsigned vl, uint64_t packets) {
  r->result->vl[vl].packets += packets;
  r->result->packets += packets;
  if (r->config->sent)
    r->config->sent(r->config->context, vl, packets);
}

/* One turn of the low table; an entry that does not reach a packet spends the turn. */
static void low_turn(struct run *r) {
  r->sent = 0;
  if (!r->low_left) {
    const struct loom_vlarb_entry *entry = next_entry(&r->low);
    if (!entry)
      return;
    r->low_vl = entry->vl;
    r->low_left = open_entry(r, &r->low, entry);
  }
  r->result->low_turns++;
  uint64_t packets = r->low_left;
  if (packets && r->config->low_grant == LOOM_VLARB_LOW_PACKET)
    packets = 1;
  r->low_left -= packets;
  if (packets) {
    select_vl(r, r->low_vl);
    send(r, r->low_vl, packets);
  }
}

/* High packets that may go before the limit has to be looked at again. */
static uint64_t until_limit(const struct run *r) {
  if (r->config->limit == LOOM_VLARB_NO_LIMIT)
    return UINT64_MAX;
  uint64_t bytes = r->limit > r->sent ? r->limit - r->sent : 1;
  return loom_ratio_up(bytes, r->packet_bytes);
}

static void high_entry(struct run *r, const struct loom_vlarb_entry *entry) {
  uint64_t left = open_entry(r, &r->high, entry);
  bool selected = false;
  while (left) {
    if (r->config->limit != LOOM_VLARB_NO_LIMIT && r->sent >= r->limit)
      low_turn(r);
    if (!selected)
      select_vl(r, entry->vl);
    selected = true;
    uint64_t packets = until_limit(r);
    if (packets > left)
      packets = left;
    send(r, entry->vl, packets);
    r->sent += packets * r->packet_bytes;
    left -= packets;
  }
}

void loom_vlarb_analyze(const struct loom_vlarb_config *config, struct loom_vlarb_result *result) {
  uint32_t limit_bytes = config->limit_bytes ? config->limit_bytes : LIMIT_BYTES;
  struct run r = {
      .config = config,
      .result = result,
      .high = {.entry = config->high, .count = config->high_count},
      .low = {.entry = config->low, .count = config->low_count},
      .packet_bytes = config->mode == LOOM_VLARB_UNIT ? UNIT_BYTES : config->packet_bytes,
      .limit = (uint64_t)config->limit * limit_bytes,
  };
  r.packet_units = r.packet_bytes / UNIT_BYTES;
  memset(result, 0, sizeof *result);
  for (uint32_t run = 0; run < config->runs; run++)
    for (size_t i = 0; i < config->high_count; i++)
      if (config->high[i].weight)
        high_entry(&r, &config->high[i]);
}

uint64_t loom_vlarb_share(const struct loom_vlarb_result *result, unsigned vl, unsigned digits) {
  return loom_ratio(result->vl[vl].packets, result->packets, 100, digits);
}

uint64_t loom_vlarb_distance(const struct loom_vlarb_result *result, unsigned vl, unsigned digits) {
  const struct loom_vlarb_vl *stats = &result->vl[vl];
  return stats->selections < 2 ? 0
                               : loom_ratio(stats->distance_sum, stats->selections - 1, 1, digits);
}

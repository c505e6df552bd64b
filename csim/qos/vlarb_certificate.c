/* SPDX-License-Identifier: Apache-2.0 */
#include "qos/vlarb_certificate.h"

#include <string.h>

#include "qos/ratio.h"

enum { UNIT_BYTES = 64, LIMIT_BYTES = 4096 };

/* Follows the packets of a run, burst by burst. */
struct gaps {
  uint64_t position;          /* packets so far */
  uint64_t last[LOOM_IB_VLS]; /* position after the VL's last packet, 0: none */
  uint64_t most[LOOM_IB_VLS];
};

static void note_burst(void *context, unsigned vl, uint64_t packets) {
  struct gaps *g = context;
  if (g->last[vl] && g->position - g->last[vl] > g->most[vl])
    g->most[vl] = g->position - g->last[vl];
  g->position += packets;
  g->last[vl] = g->position;
}

uint64_t loom_vlarb_turn_packets(uint32_t limit, uint32_t packet_bytes) {
  uint64_t packets = loom_ratio_up((uint64_t)limit * LIMIT_BYTES, packet_bytes);
  if (limit == LOOM_VLARB_NO_LIMIT)
    return 0;
  return packets ? packets : 1;
}

static uint64_t gcd(uint64_t a, uint64_t b) {
  while (b) {
    uint64_t rest = a % b;
    a = b;
    b = rest;
  }
  return a;
}

/* Packets of one round of a table, and its entries with a weight. */
static uint64_t round_of(const struct loom_vlarb_entry *entry, size_t count, uint64_t packet_units,
                         uint64_t *entries) {
  uint64_t packets = 0;
  *entries = 0;
  for (size_t i = 0; i < count; i++) {
    packets += loom_ratio_up(entry[i].weight, packet_units);
    *entries += entry[i].weight > 0;
  }
  return packets;
}

/* Low turns come after every so many high packets, so all is as before when both tables have gone
 * round a whole number of times. */
static uint64_t rounds_of_period(const struct loom_vlarb_config *c) {
  uint64_t entries = 0;
  uint64_t units = c->packet_bytes / UNIT_BYTES;
  uint64_t turn = loom_vlarb_turn_packets(c->limit, c->packet_bytes);
  uint64_t low = round_of(c->low, c->low_count, units, &entries);
  uint64_t turns = c->low_grant == LOOM_VLARB_LOW_PACKET ? low : entries;
  uint64_t high = round_of(c->high, c->high_count, units, &entries);
  if (!turn || !turns || !high)
    return 1;
  return turn * turns / gcd(turn * turns, high);
}

bool loom_vlarb_certify(const struct loom_vlarb_config *config,
                        struct loom_vlarb_certificate *certificate) {
  struct gaps gaps = {0};
  struct loom_vlarb_result two;
  struct loom_vlarb_result three;
  struct loom_vlarb_config c = *config;
  uint64_t rounds = rounds_of_period(config);
  if (rounds > LOOM_VLARB_ROUNDS)
    return false;
  /* The first period lacks the low turn that comes before its first packet, which the other periods
   * have; of three, two are whole, and between them is every wait that there is. */
  c.runs = (uint32_t)(2 * rounds);
  c.sent = NULL;
  loom_vlarb_analyze(&c, &two);
  c.runs = (uint32_t)(3 * rounds);
  c.sent = note_burst;
  c.context = &gaps;
  loom_vlarb_analyze(&c, &three);
  memset(certificate, 0, sizeof *certificate);
  certificate->rounds = rounds;
  certificate->packets = three.packets - two.packets;
  certificate->low_turns = three.low_turns - two.low_turns;
  for (unsigned vl = 0; vl < LOOM_IB_VLS; vl++) {
    certificate->vl[vl].packets = three.vl[vl].packets - two.vl[vl].packets;
    certificate->vl[vl].gap = gaps.most[vl];
    certificate->vl[vl].distance = three.vl[vl].distance_max;
  }
  return true;
}

uint32_t loom_vlarb_certified_share(const struct loom_vlarb_certificate *certificate, unsigned vl) {
  return (uint32_t)loom_ratio(certificate->vl[vl].packets, certificate->packets, 1000000, 0);
}

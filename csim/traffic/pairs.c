/* SPDX-License-Identifier: Apache-2.0 */
/* pairs.c - what was received, by source, destination and class */
#include "traffic/pairs.h"

#include <loom/random.h>
#include <stdlib.h>

enum { ROOM_FIRST = 1024 };

static struct loom_pair *place_of(const struct loom_pairs *p, uint32_t src, uint32_t dst,
                                  uint32_t traffic_class) {
  uint64_t key = loom_scramble(loom_scramble((uint64_t)src << 32 | dst) ^ traffic_class);
  uint32_t at = (uint32_t)key & (p->room - 1);
  for (;; at = (at + 1) & (p->room - 1)) {
    struct loom_pair *pair = &p->pair[at];
    if (!pair->messages ||
        (pair->src == src && pair->dst == dst && pair->traffic_class == traffic_class))
      return pair;
  }
}

static bool grow(struct loom_pairs *p) {
  const struct loom_pairs old = *p;
  p->room = old.room ? 2 * old.room : ROOM_FIRST;
  p->pair = calloc(p->room, sizeof *p->pair);
  if (!p->pair) {
    *p = old;
    return false;
  }
  for (uint32_t i = 0; i < old.room; i++)
    if (old.pair[i].messages)
      *place_of(p, old.pair[i].src, old.pair[i].dst, old.pair[i].traffic_class) = old.pair[i];
  free(old.pair);
  return true;
}

static uint64_t larger(uint64_t a, uint64_t b) { return a > b ? a : b; }

/* NULL: out of memory. */
static struct loom_pair *find(struct loom_pairs *p, uint32_t src, uint32_t dst,
                              uint32_t traffic_class) {
  if (p->count >= p->room / 2 && !grow(p))
    return NULL;
  struct loom_pair *pair = place_of(p, src, dst, traffic_class);
  p->count += !pair->messages;
  pair->src = src;
  pair->dst = dst;
  pair->traffic_class = traffic_class;
  pair->messages++;
  return pair;
}

bool loom_pairs_add(struct loom_pairs *p, const struct loom_message *message, uint32_t packets) {
  uint64_t total = message->received - message->generated;
  uint64_t net = message->received - message->injected;
  struct loom_pair *pair = find(p, message->src, message->dst, message->traffic_class);
  if (!pair)
    return false;
  pair->packets += packets;
  pair->flits += message->flits;
  pair->total_sum += total;
  pair->net_sum += net;
  pair->total_max = larger(pair->total_max, total);
  pair->net_max = larger(pair->net_max, net);
  return true;
}

bool loom_pairs_count(struct loom_pairs *p, uint32_t src, uint32_t dst, uint32_t traffic_class) {
  struct loom_pair *pair = find(p, src, dst, traffic_class);
  if (pair)
    pair->packets++;
  return pair;
}

bool loom_pairs_wait(struct loom_pairs *p, const struct loom_stall_packet *packet) {
  struct loom_pair *pair = find(p, packet->src, packet->dst, packet->traffic_class);
  if (!pair)
    return false;
  pair->packets++;
  pair->total_sum += packet->received - packet->generated;
  pair->transit += packet->transit;
  for (unsigned k = 0; k < LOOM_STALLS; k++)
    pair->stall[k] += packet->cycles[k];
  return true;
}

bool loom_pairs_join(struct loom_pairs *p, const struct loom_pair *other) {
  struct loom_pair *pair =
      other->messages ? find(p, other->src, other->dst, other->traffic_class) : NULL;
  if (!pair)
    return !other->messages;
  pair->messages += other->messages - 1;
  pair->packets += other->packets;
  pair->flits += other->flits;
  pair->total_sum += other->total_sum;
  pair->net_sum += other->net_sum;
  pair->total_max = larger(pair->total_max, other->total_max);
  pair->net_max = larger(pair->net_max, other->net_max);
  pair->transit += other->transit;
  for (unsigned k = 0; k < LOOM_STALLS; k++)
    pair->stall[k] += other->stall[k];
  return true;
}

static int compare(uint32_t a, uint32_t b) { return a < b ? -1 : a > b; }

static int by_pair(const void *left, const void *right) {
  const struct loom_pair *a = left, *b = right;
  if (!a->messages || !b->messages)
    return !a->messages - !b->messages;
  int src = compare(a->src, b->src), dst = compare(a->dst, b->dst);
  return src ? src : dst ? dst : compare(a->traffic_class, b->traffic_class);
}

void loom_pairs_sort(struct loom_pairs *p) {
  if (p->room)
    qsort(p->pair, p->room, sizeof *p->pair, by_pair);
}

void loom_pairs_free(struct loom_pairs *p) {
  free(p->pair);
  *p = (struct loom_pairs){.room = 0};
}

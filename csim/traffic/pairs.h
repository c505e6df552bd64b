/* SPDX-License-Identifier: Apache-2.0 */
/* pairs.h - what was received, by source, destination and class (docs/fabric.md) */
#ifndef LOOM_TRAFFIC_PAIRS_H
#define LOOM_TRAFFIC_PAIRS_H

#include <stdbool.h>

#include "fabric/message.h"
#include "fabric/stalls.h"

/* Of a pair of hosts and a class; latencies in cycles. */
struct loom_pair {
  uint32_t src, dst;
  uint32_t traffic_class;
  uint64_t messages, packets, flits;
  uint64_t total_sum, total_max;        /* from generated to received */
  uint64_t net_sum, net_max;            /* from injected to received */
  uint64_t transit, stall[LOOM_STALLS]; /* cycles of its packets, by cause of their waits */
};

/* Those that have messages, in a table that grows; all zero: none yet. */
struct loom_pairs {
  struct loom_pair *pair;
  uint32_t count, room; /* room: 0 or a power of two */
};

/* A message of so many packets has arrived. False: out of memory. */
bool loom_pairs_add(struct loom_pairs *p, const struct loom_message *message, uint32_t packets);
/* Packets of hosts, where `traffic_class` may be any number of the caller's. False: out of memory.
 */
bool loom_pairs_count(struct loom_pairs *p, uint32_t src, uint32_t dst, uint32_t traffic_class);
/* A packet with its waits; total_sum is that of packets then. False: out of memory. */
bool loom_pairs_wait(struct loom_pairs *p, const struct loom_stall_packet *packet);
/* What another table has of a pair. False: out of memory. */
bool loom_pairs_join(struct loom_pairs *p, const struct loom_pair *other);
/* Puts them first, in order of source, destination and class; nothing can be added after that. */
void loom_pairs_sort(struct loom_pairs *p);
void loom_pairs_free(struct loom_pairs *p);

#endif

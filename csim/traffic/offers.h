/* SPDX-License-Identifier: Apache-2.0 */
/* offers.h - who offers the next message of an experiment, and when (docs/traffic.md; TR-02, TR-03)
 *
 * Each host has a source in each offer. The sources that still have something to offer stand in a
 * heap by the cycle of their next message, then by host, then by offer. Only loom_offers_create
 * allocates.
 */
#ifndef LOOM_TRAFFIC_OFFERS_H
#define LOOM_TRAFFIC_OFFERS_H

#include "fabric/message.h"
#include "traffic/pattern.h"

#define LOOM_OFFERS_NEVER UINT64_MAX

enum loom_process {
  LOOM_PROCESS_CBR,     /* one message each interval, phase random by host (TR-02) */
  LOOM_PROCESS_POISSON, /* each cycle with the same chance */
  LOOM_PROCESS_BURSTS,  /* `burst` messages at once to one destination (TR-03), at CBR intervals */
  LOOM_PROCESS_PING_PONG, /* the receiver answers at once, then comes the next round (KN-09) */
  LOOM_PROCESSES
};

/* Names in files, by process, NULL at the end. */
extern const char *const loom_process_names[LOOM_PROCESSES + 1];

/* The same of operations (enum loom_operation). */
extern const char *const loom_operation_names[LOOM_OPERATIONS + 1];

/* One kind of traffic that all hosts, or some, offer. */
struct loom_offer_cfg {
  uint32_t traffic_class;
  struct loom_pattern_cfg pattern; /* for the network's hosts; seed 0: by seed and offer */
  enum loom_process process;
  enum loom_operation operation;
  uint32_t flits;    /* of a message, heads included, 2.. */
  uint32_t burst;    /* messages, of bursts only: 1.., burst * flits below 2^32 */
  uint64_t load;     /* offered by a host: flits a cycle in parts of 10^9, up to 4 of them, and of
                        poisson to `flits`; 0: nothing */
  uint64_t messages; /* of each host in all, of a ping-pong: rounds; 0: no end */
};

/* Messages of one host that are due together. */
struct loom_offered {
  uint32_t offer, host, dst;
  uint32_t messages; /* 1.. */
};

struct loom_offers;

/* What is wrong with an offer (`class`, `flits`, ...), NULL: nothing. */
const char *loom_offer_bad(const struct loom_offer_cfg *o, uint32_t classes, uint32_t hosts);

/* NULL: out of memory, or a pattern that is not legal. The list of offers is copied. */
struct loom_offers *loom_offers_create(const struct loom_offer_cfg *offer, uint32_t offers,
                                       uint32_t hosts, uint64_t seed);
void loom_offers_destroy(struct loom_offers *o);
/* Before the first cycle: only hosts with mine[host] send. */
void loom_offers_keep(struct loom_offers *o, const bool *mine);

/* Cycle of the next messages, or LOOM_OFFERS_NEVER. */
uint64_t loom_offers_when(const struct loom_offers *o);

/* Takes the next messages that are due in cycle `now` or before; false: there are none. */
bool loom_offers_next(struct loom_offers *o, uint64_t now, struct loom_offered *due);

/* The next round of a ping-pong of `host`; false: that was the last. */
bool loom_offers_round(struct loom_offers *o, uint32_t offer, uint32_t host,
                       struct loom_offered *due);

#endif

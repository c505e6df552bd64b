/* SPDX-License-Identifier: Apache-2.0 */
/* stalls.h - why packets wait, cycle by cycle (docs/fabric.md#stalls)
 *
 * Looks at hosts and switches after each of their steps (fabric/watch.h) and
 * keeps a record of each packet that is under way. It goes by what changes, so that a packet costs
 * something where it comes, where it goes and where the cause of its wait changes, and nothing in
 * between. */
#ifndef LOOM_FABRIC_STALLS_H
#define LOOM_FABRIC_STALLS_H

#include "fabric/watch.h"

struct loom_crossbar_switch;
struct loom_host;
struct loom_mport_switch;
struct loom_switch;

/* Causes of a wait; where several hold in a cycle the first of them is its cause. */
enum loom_stall {
  LOOM_STALL_BEHIND,   /* another packet of its queue is before it */
  LOOM_STALL_ROOM,     /* the next buffer has no room */
  LOOM_STALL_CREDIT,   /* the far end has no room: credits are missing */
  LOOM_STALL_LOST,     /* the way is in use by a packet that was chosen before it */
  LOOM_STALL_BUSY,     /* the way is in use by a packet that was there before it could go */
  LOOM_STALL_DECIDING, /* the arbiter decides, or has just decided for another */
  LOOM_STALL_GAP,      /* its own flits came with gaps */
  LOOM_STALLS
};
extern const char *const loom_stall_names[LOOM_STALLS];

/* Where packets wait. */
enum loom_stall_place {
  LOOM_STALL_SOURCE, /* queue of messages of a host */
  LOOM_STALL_NIC,
  LOOM_STALL_INPUT,
  LOOM_STALL_CENTRAL,
  LOOM_STALL_OUTPUT,
  LOOM_STALL_RECEIVER, /* its last flits come */
  LOOM_STALL_PLACES
};
extern const char *const loom_stall_place_names[LOOM_STALL_PLACES];

/* Packets that have left a place, and their cycles. */
struct loom_stall_count {
  uint64_t packets, transit; /* transit: cycles that a packet alone takes, too */
  uint64_t cycles[LOOM_STALLS];
};

/* A packet that has arrived. */
struct loom_stall_packet {
  uint32_t src, dst, traffic_class, flits;
  uint64_t generated, injected, received;
  uint64_t transit, cycles[LOOM_STALLS];
};

/* Hears of each packet that has arrived. */
typedef void loom_stalls_done(void *context, const struct loom_stall_packet *packet);

struct loom_stalls;

/* For a fabric of so many devices and so many traffic classes. NULL: out of memory. */
struct loom_stalls *loom_stalls_create(uint32_t devices, uint32_t classes, loom_stalls_done *done,
                                       void *context);
void loom_stalls_destroy(struct loom_stalls *s);

/* The fabric and its devices, which are watched, after it is built and before its first cycle.
 * False: no memory. */
void loom_stalls_attach(struct loom_stalls *s, const struct loom_fabric *f, struct loom_watch *w);
bool loom_stalls_switch(struct loom_stalls *all, uint32_t device, const struct loom_switch *s);
bool loom_stalls_crossbar(struct loom_stalls *all, uint32_t device,
                          const struct loom_crossbar_switch *s);
bool loom_stalls_mport(struct loom_stalls *all, uint32_t device, const struct loom_mport_switch *s);
bool loom_stalls_host(struct loom_stalls *all, uint32_t device, const struct loom_host *h);

/* Memory ran out, or the cycles of some packet did not add up to its latency: never. */
bool loom_stalls_exhausted(const struct loom_stalls *s);
uint64_t loom_stalls_wrong(const struct loom_stalls *s);

/* What a queue counts; NULL: the device has no such place. Ports and lanes from 0; `vl` is that on
 * the link. */
struct loom_stalls_key {
  uint32_t device, place, port, lane, traffic_class;
};
const struct loom_stall_count *loom_stalls_count(const struct loom_stalls *s,
                                                 const struct loom_stalls_key *key, uint32_t *vl);
/* Ports and lanes that a place of a device has; 0: none. */
uint32_t loom_stalls_ports(const struct loom_stalls *s, uint32_t device, uint32_t place);
uint32_t loom_stalls_lanes(const struct loom_stalls *s, uint32_t device, uint32_t place);

#endif

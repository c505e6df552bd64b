/* SPDX-License-Identifier: Apache-2.0 */
/* host.h - host interface of InfiniBand and Omni-Path fabrics: messages in, packets on a link,
 * messages out (docs/fabric.md; OP-08, OP-18, OP-22, TR-06, VF-12)
 *
 * Messages wait in an unbounded queue for each traffic class, are cut into trains of at most the
 * class's MTU and these into packets, and handed, classes taking turns, to a NIC: the output port
 * of a switch (sched_port), whose scheduler holds the same arbitration table as the switches.
 * Packets that arrive are taken at once.
 *
 * All hosts of a fabric share a ledger of the messages that are under way. Queues and the ledger
 * grow as needed; nothing else allocates.
 */
#ifndef LOOM_FABRIC_HOST_H
#define LOOM_FABRIC_HOST_H

#include "fabric/fabric.h"
#include "fabric/message.h"
#include "sched/sched_port.h"

/* What all hosts have in common. */
struct loom_host_cfg {
  struct loom_sched_port_cfg port; /* of the NIC's output; its far end is the switch's input */
  uint32_t classes;                /* 1..LOOM_HOST_CLASSES */
  /* By class: flits of a train, heads included, 3..4095; and those of a packet, 3.., of which a
   * train has a whole number (DT-10). Without the latter, 0, a train is one packet. */
  uint16_t mtu[LOOM_HOST_CLASSES], packet[LOOM_HOST_CLASSES];
  uint8_t sc[LOOM_HOST_CLASSES]; /* head field `sc` by class: service channel or level */
  uint8_t vl[32];                /* of the host's link, by that field */
  uint8_t sl[32];                /* the scheduler's key, by that field */
  /* Routing: the LID of host h is lid[h] + an offset below `paths`. With more than one the host
   * draws an offset for each train, or for each destination once if `steady`. */
  uint32_t paths;      /* 1..LOOM_HOST_PATHS */
  const uint16_t *lid; /* stays while the hosts live */
  /* Added to the head's `sc`: path[src * stride + LID] (docs/route.md, layering by path); the sum
   * stays below 32. NULL: 0. */
  const uint8_t *path;
  uint32_t stride;
  bool steady;
  uint32_t express; /* VLs whose packets may come inside others, as bits (docs/preemption.md) */
  uint64_t seed;
};

struct loom_host;

/* Host `number` of a ledger, which keeps its memory to the end. NULL: cfg out of range, or no
 * memory. */
struct loom_host *loom_host_create(const struct loom_host_cfg *cfg, struct loom_ledger *ledger,
                                   uint32_t number);
void loom_host_destroy(struct loom_host *h);
/* A device of one port, 0; its registers are those of sched_port that are written. */
extern const struct loom_fabric_class loom_host_class;
/* Tells the host where it stands, after loom_fabric_add: posting wakes it. */
void loom_host_attach(struct loom_host *h, struct loom_fabric *f, uint32_t device);

/* Gives a host that is silent another LID, which cfg.lid[number] has already. False: another host
 * has it. */
bool loom_host_renumber(struct loom_host *h, uint16_t lid);
/* The VL of its link for packets whose head field `sc` is this; one that its NIC has room for. */
void loom_host_map(struct loom_host *h, uint32_t sc, uint8_t vl);

/* Posts a message in the present cycle; `src` and `generated` are set here. It leaves in a later
 * cycle. False: no memory (and `exhausted`); or the message is not legal: class, destination, or
 * less than LOOM_HOST_FLITS_MIN flits. */
bool loom_host_post(struct loom_host *h, const struct loom_message *message);
/* Flits of a class that are posted and have not left, in queue and NIC. */
uint64_t loom_host_backlog(const struct loom_host *h, uint32_t traffic_class);
uint64_t loom_host_received_flits(const struct loom_host *h, uint32_t traffic_class);

#endif

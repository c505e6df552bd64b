/* SPDX-License-Identifier: Apache-2.0 */
/* elan5_host.h - hosts of Elite5 fabrics: messages as puts of Elan5 endpoints (docs/fabric.md,
 * docs/elan5.md; E5-14, E5-15, OP-22)
 *
 * A message is a request of its operation to its destination. It is received when this is done at
 * the endpoint that asked: of a put, when its last packet, which goes when all others are
 * acknowledged, was acknowledged after the memory write. Messages of a class wait in a queue that
 * grows; classes take turns. A message of LOOM_OPERATION_COLLECTIVE is a collective of many hosts.
 */
#ifndef LOOM_FABRIC_ELAN5_HOST_H
#define LOOM_FABRIC_ELAN5_HOST_H

#include "fabric/elan5_jobs.h"
#include "fabric/elite5_class.h"
#include "fabric/message.h"

enum {
  LOOM_ELAN5_HOST_EVENT = 0,    /* that messages of LOOM_OPERATION_EVENT count */
  LOOM_ELAN5_HOST_BARRIERS = 1, /* from here on those that barriers count */
};

/* What all hosts of a fabric have in common. */
struct loom_elan5_hosts_cfg {
  uint32_t hosts;
  uint32_t classes;                /* 1..LOOM_HOST_CLASSES */
  uint8_t prio[LOOM_HOST_CLASSES]; /* 0..3, by class */
  uint32_t
      take; /* cycles from one message that a program takes out of its queue to the next, 1.. */
  uint32_t jobs;                        /* of collectives */
  const struct loom_elan5_job_cfg *job; /* stays while they are made */
  loom_host_receive *receive;           /* it may post messages */
  void *context;
};

struct loom_elan5_hosts;

/* NULL: no memory. */
struct loom_elan5_hosts *loom_elan5_hosts_create(const struct loom_elan5_hosts_cfg *cfg);
void loom_elan5_hosts_destroy(struct loom_elan5_hosts *h);

/* Adds the host of an endpoint, its device; hosts are added in their order. */
uint32_t loom_elan5_host_add(struct loom_elan5_hosts *h, struct loom_fabric *f,
                             struct loom_elan5 *endpoint);
/* Posts a message between two cycles, or while devices are stepped: then it counts as one of the
 * next cycle, wherever its host comes in the order of the devices; `src` and `generated` are set
 * here. False: no memory (and the run is void). */
bool loom_elan5_host_post(struct loom_elan5_hosts *h, uint32_t host,
                          const struct loom_message *message);

/* What hosts count of their messages; a part of a fabric has a part of each. */
struct loom_elan5_hosts_tally {
  uint64_t messages;      /* that wait or are under way */
  uint64_t queued, taken; /* messages for queues that were acknowledged, that left a queue */
  uint64_t asked;         /* events that were acknowledged, */
  uint64_t counted;       /* and what they count */
};
struct loom_elan5_hosts_tally loom_elan5_hosts_tally(const struct loom_elan5_hosts *h);
static inline bool loom_elan5_tally_busy(const struct loom_elan5_hosts_tally *t) {
  return t->messages || t->taken < t->queued;
}
uint64_t loom_elan5_tally_stray(const struct loom_elan5_hosts_tally *t);

/* Messages wait, are under way, or lie in a queue. */
bool loom_elan5_hosts_busy(const struct loom_elan5_hosts *h);
/* Of hosts that are not busy: messages that joined a queue, and events that were counted, more or
 * less often than once. */
uint64_t loom_elan5_hosts_stray(const struct loom_elan5_hosts *h);
/* Collectives with a wrong result (loom_elan5_jobs_wrong). */
uint64_t loom_elan5_hosts_wrong(const struct loom_elan5_hosts *h);
struct loom_elan5_job_counts loom_elan5_hosts_job(const struct loom_elan5_hosts *h, uint32_t job);
/* Memory ran out. */
bool loom_elan5_hosts_exhausted(const struct loom_elan5_hosts *h);
/* Packets that were refused, and sent again. */
uint64_t loom_elan5_hosts_nacks(const struct loom_elan5_hosts *h);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* elan5_jobs.h - collectives of hosts of an Elite5 fabric, one after the other, and whether their
 * results are right (docs/fabric.md, Collectives; docs/elan5.md; E5-28..32)
 */
#ifndef LOOM_FABRIC_ELAN5_JOBS_H
#define LOOM_FABRIC_ELAN5_JOBS_H

#include "elan5/elan5_barrier.h"
#include "elan5/elan5_collective.h"
#include "fabric/message.h"

/* Nodes that do the same collective again and again. */
struct loom_elan5_job_cfg {
  bool is_barrier;
  enum loom_elan5_barrier_type barrier;
  enum loom_elan5_collective_type type; /* of the others */
  uint32_t members;                     /* 2.. */
  const uint16_t *node;                 /* by member; stays */
  const uint16_t *group;                /* by part; stays */
  uint32_t parts;                       /* 1.. */
  uint32_t words;                       /* of a member's data, 1..; not of a barrier */
  uint32_t arity;                       /* of the tree of adapters */
  uint32_t event;                       /* of a barrier */
  uint64_t address;                     /* of its memory in each node */
  uint8_t prio;                         /* 0..3 */
  uint64_t gap;                         /* cycles from one to the next */
  uint64_t skew;                        /* by which members enter later, at most */
  uint64_t seed;
};

/* Bytes of memory that a job takes in each node. */
uint64_t loom_elan5_job_bytes(const struct loom_elan5_job_cfg *cfg);

struct loom_elan5_job_counts {
  uint64_t over;  /* collectives */
  uint64_t polls; /* conditionals of the root of a barrier */
};

struct loom_elan5_jobs_cfg {
  uint32_t hosts, jobs;
  const struct loom_elan5_job_cfg *job; /* copied */
  /* A host is to be stepped from now on. */
  void (*wake)(void *context, uint32_t host);
  /* A collective is over: the message that it was begun with, and its times. */
  void (*over)(void *context, struct loom_message *message);
  void *context;
};

struct loom_elan5_jobs;

/* NULL: out of memory. */
struct loom_elan5_jobs *loom_elan5_jobs_create(const struct loom_elan5_jobs_cfg *cfg);
void loom_elan5_jobs_destroy(struct loom_elan5_jobs *s);

/* The members of job `message->tag` enter the next collective, none before `message->generated`. */
void loom_elan5_jobs_begin(struct loom_elan5_jobs *s, const struct loom_message *message);
/* A cycle of a host, after that of its endpoint. */
void loom_elan5_jobs_step(struct loom_elan5_jobs *s, uint32_t host, struct loom_elan5 *e,
                          uint64_t cycle);
/* Its jobs need no step before something arrives. */
bool loom_elan5_jobs_sleep(const struct loom_elan5_jobs *s, uint32_t host,
                           const struct loom_elan5 *e);

struct loom_elan5_job_counts loom_elan5_jobs_counts(const struct loom_elan5_jobs *s, uint32_t job);
/* Results that were wrong, and members that were let through a barrier too early: never. */
uint64_t loom_elan5_jobs_wrong(const struct loom_elan5_jobs *s);

#endif

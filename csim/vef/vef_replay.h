/* SPDX-License-Identifier: Apache-2.0 */
/* vef_replay.h - traces replayed on a network: poll, deliver, tick (docs/vef.md; VF-05..09, VF-12)
 *
 *     for (; !loom_vef_done(r); loom_vef_tick(r)) {
 *       while (loom_vef_next(r, &message))        // or loom_vef_poll for one task at a time
 *         the network takes the message
 *       for (each message that arrives in this cycle)
 *         loom_vef_deliver(r, message.trace, message.id);
 *       and loom_vef_next again: an answer may leave in the cycle of its arrival
 *     }
 *
 * A message counts as sent in the cycle in which it is polled. Records of a task go in file order;
 * records that cause no traffic (waits, messages within a node) happen inside. Only
 * loom_vef_replay_create and loom_vef_add allocate.
 */
#ifndef LOOM_VEF_VEF_REPLAY_H
#define LOOM_VEF_VEF_REPLAY_H

#include "vef/vef.h"

#define LOOM_VEF_NEVER UINT64_MAX

struct loom_vef_replay_cfg {
  uint32_t nodes;    /* of the network */
  uint32_t traces;   /* that can be added */
  uint32_t cycle_ps; /* length of a cycle in picoseconds; 0: a unit of dtime is a cycle */
  uint32_t
      window; /* records of a task that a search goes through; 0: they are found by their ids */
  /* By node: its tasks are replayed here, the others in other processes (docs/ranks.md); stays
   * while the replay lives. NULL: all are. */
  const bool *mine;
};

/* How long a message between two tasks of one node takes (VF-09). */
enum loom_vef_intra {
  LOOM_VEF_INTRA_ONE,       /* 1 cycle */
  LOOM_VEF_INTRA_LATENCY,   /* `latency` cycles: that of a .names file */
  LOOM_VEF_INTRA_BANDWIDTH, /* length / `bandwidth` cycles rounded up, at least 1 */
  LOOM_VEF_INTRA_TABLE      /* table[src * tasks + dst] cycles */
};

/* A trace to be replayed. */
struct loom_vef_load {
  const struct loom_vef_trace *trace; /* without collectives; stays while the replay lives */
  uint64_t start;                     /* cycle 0 of the trace */
  const uint32_t *node;               /* by task; copied */
  enum loom_vef_intra intra;
  uint32_t latency;
  uint32_t bandwidth;    /* bytes a cycle, 1.. */
  const uint32_t *table; /* stays while the replay lives */
};

struct loom_vef_message {
  uint32_t trace, id;
  uint32_t src, dst;           /* tasks */
  uint32_t src_node, dst_node; /* never the same */
  uint32_t length;             /* bytes */
};

struct loom_vef_counts {
  uint64_t sent;           /* to the network */
  uint64_t received;       /* from it */
  uint64_t inside;         /* messages within a node */
  uint64_t searches;       /* receptions after which a waiting record was looked for */
  uint64_t searches_saved; /* receptions that needed none: no trigger flag (VF-08) */
  uint64_t looked_at;      /* records that searches went through in windows */
  uint64_t false_fails;    /* searches whose record lay behind the window (VF-08) */
  uint64_t repaired;       /* flags that the trace misses; replayed as if they were there */
};

/* How far a trace is; of some nodes: what they have received, and nothing is left that they do. */
struct loom_vef_progress {
  uint32_t messages; /* of the trace, collectives as they were expanded */
  uint32_t received; /* of these, before the present cycle; within nodes, too */
  bool finished;     /* nothing is left of it */
};

struct loom_vef_replay;

/* NULL: out of memory, or no node. */
struct loom_vef_replay *loom_vef_replay_create(const struct loom_vef_replay_cfg *cfg);
void loom_vef_replay_destroy(struct loom_vef_replay *replay);

/* Adds a trace, at the start or while others run. False: no room, out of memory, a node that is not
 * there, or a trace that holds collectives. *number is what messages call it. */
bool loom_vef_add(struct loom_vef_replay *replay, const struct loom_vef_load *load,
                  uint32_t *number);

/* The next message of a task that is ready in this cycle; it is sent now. Trace and task must be
 * there. */
bool loom_vef_poll(struct loom_vef_replay *replay, uint32_t trace, uint32_t task,
                   struct loom_vef_message *message);

/* The same for all tasks of all traces: by trace, then by the cycle of readiness, then by task. */
bool loom_vef_next(struct loom_vef_replay *replay, struct loom_vef_message *message);

/* A message has arrived in this cycle. False: it was not under way. */
bool loom_vef_deliver(struct loom_vef_replay *replay, uint32_t trace, uint32_t id);

/* The cycle ends. */
void loom_vef_tick(struct loom_vef_replay *replay);

/* Goes on to a later cycle, when the network is empty and nothing is ready before (loom_vef_when).
 */
void loom_vef_advance(struct loom_vef_replay *replay, uint64_t cycle);

uint64_t loom_vef_now(const struct loom_vef_replay *replay);

/* First cycle from now on in which a message is ready if none arrives before, or LOOM_VEF_NEVER. */
uint64_t loom_vef_when(const struct loom_vef_replay *replay);

/* The last cycle of which something is known: the present one, or that of a record or a reception
 * which causes no traffic and lies ahead. */
uint64_t loom_vef_known_until(const struct loom_vef_replay *replay);

/* Everything is sent and received. */
bool loom_vef_done(const struct loom_vef_replay *replay);
/* Everything is sent that is to be sent from here. */
bool loom_vef_sent_all(const struct loom_vef_replay *replay);
/* Back to an earlier cycle, after which nothing has happened. */
void loom_vef_return(struct loom_vef_replay *replay, uint64_t cycle);

void loom_vef_count(const struct loom_vef_replay *replay, struct loom_vef_counts *counts);
struct loom_vef_progress loom_vef_progress(const struct loom_vef_replay *replay, uint32_t trace);

/* Cycle in which a message was sent or received, or LOOM_VEF_NEVER. */
uint64_t loom_vef_sent_at(const struct loom_vef_replay *replay, uint32_t trace, uint32_t id);
uint64_t loom_vef_received_at(const struct loom_vef_replay *replay, uint32_t trace, uint32_t id);

/* Where tasks go (VF-12, RS-06). */
enum loom_vef_mapping {
  LOOM_VEF_MAP_BLOCK,  /* task t to node t * nodes / tasks */
  LOOM_VEF_MAP_LINEAR, /* task t to node t mod nodes */
  LOOM_VEF_MAP_RANDOM  /* the linear mapping with its tasks shuffled */
};

/* Fills node[tasks]. */
void loom_vef_map(enum loom_vef_mapping mapping, uint32_t tasks, uint32_t nodes, uint64_t seed,
                  uint32_t *node);

/* Each device to the node of its tile, DMA devices to node 0 (VF-04). */
void loom_vef_map_names(const struct loom_vef_names *names, uint32_t *node);

#endif

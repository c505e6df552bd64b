/* SPDX-License-Identifier: Apache-2.0 */
/* elan5_collective.h - broadcast, reduction and gather that the adapters do (docs/elan5.md,
 * Collectives; E5-28, E5-30, E5-32, E5-40)
 */
#ifndef LOOM_ELAN5_ELAN5_COLLECTIVE_H
#define LOOM_ELAN5_ELAN5_COLLECTIVE_H

#include <stdbool.h>
#include <stdint.h>

#include "elan5/elan5.h"

enum loom_elan5_collective_type {
  LOOM_ELAN5_BROADCAST,        /* routers copy the data of member 0 */
  LOOM_ELAN5_BROADCAST_STORED, /* adapters forward them down a tree */
  LOOM_ELAN5_REDUCTION,        /* sums of words go up a tree; routers copy the result */
  LOOM_ELAN5_GATHER            /* data of all members go up a tree */
};

/* The same at all members, but for `self`. Member 0 is the root. */
struct loom_elan5_collective_cfg {
  enum loom_elan5_collective_type type;
  uint32_t members;      /* 1.. */
  uint32_t self;         /* 0..members - 1 */
  const uint16_t *node;  /* by member */
  const uint16_t *group; /* by part: of all members */
  uint32_t parts;        /* that what goes to groups is cut into, 1.. */
  uint32_t words;        /* of data of a member, 1.. */
  uint32_t arity;        /* of the tree, 1.. */
  uint64_t address;      /* of its memory, the same in all nodes */
  uint8_t prio;          /* 0..3 */
};

/* Members first..first + count - 1; the first one stands for all of them. */
struct loom_elan5_range {
  uint32_t first, count;
};

struct loom_elan5_collective {
  struct loom_elan5_collective_cfg cfg;
  struct loom_elan5_range own; /* that this member stands for */
  uint32_t parent, place;      /* member above, and which of its children this one is */
  uint64_t sequence;           /* of the last operation that the process has entered */
  bool entered;                /* and is not through with */
  bool ready;                  /* what this member waits for is there: it puts */
  uint32_t merged;             /* children whose data are in */
  uint64_t until;              /* cycle from which on the last ones are */
  uint32_t sent;               /* puts that were made */
  uint64_t transfers;          /* that are under way, a bit each */
};

/* Bytes of memory that it takes in each node. */
uint64_t loom_elan5_collective_bytes(const struct loom_elan5_collective_cfg *cfg);
void loom_elan5_collective_init(struct loom_elan5_collective *s,
                                const struct loom_elan5_collective_cfg *cfg);

/* Where the process puts word k of its data before it enters; of a broadcast only the root does. */
uint64_t loom_elan5_collective_own(const struct loom_elan5_collective *s, uint32_t word);
/* Where word k of the result is, once the member is through; of a gather at the root, data of all
 * members one after the other. */
uint64_t loom_elan5_collective_result(const struct loom_elan5_collective *s, uint32_t word);

/* The process enters the next operation; not before all are through the last one. */
void loom_elan5_collective_enter(struct loom_elan5_collective *s, struct loom_elan5 *e);
/* What the adapter does for it in a cycle; the process need not run. */
void loom_elan5_collective_step(struct loom_elan5_collective *s, struct loom_elan5 *e);
/* This member has the result, and all that it has put is acknowledged. */
bool loom_elan5_collective_through(const struct loom_elan5_collective *s);
/* It waits for nothing that comes over a link: it is to be stepped in the next cycle. */
bool loom_elan5_collective_is_busy(const struct loom_elan5_collective *s,
                                   const struct loom_elan5 *e);

#endif

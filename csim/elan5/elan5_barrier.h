/* SPDX-License-Identifier: Apache-2.0 */
/* elan5_barrier.h - barriers that the adapters progress: by polling with a network conditional, and
 * by a tree of counted events (docs/elan5.md; E5-32)
 */
#ifndef LOOM_ELAN5_ELAN5_BARRIER_H
#define LOOM_ELAN5_ELAN5_BARRIER_H

#include <stdbool.h>
#include <stdint.h>

#include "elan5/elan5.h"

enum loom_elan5_barrier_type { LOOM_ELAN5_BARRIER_POLL, LOOM_ELAN5_BARRIER_EVENTS };

/* The same at all members, but for `self`. Member 0 is the root. */
struct loom_elan5_barrier_cfg {
  enum loom_elan5_barrier_type type;
  uint16_t group; /* of all members */
  uint32_t members;
  uint32_t self;        /* 0..members - 1 */
  const uint16_t *node; /* by member */
  uint64_t address;     /* of the words `ready` and `done`, in all memories */
  uint32_t event;       /* that counts at each member */
  uint32_t arity;       /* of the tree of events */
  uint8_t prio;         /* of its packets, 0..3 */
};

struct loom_elan5_barrier {
  struct loom_elan5_barrier_cfg cfg;
  uint64_t sequence; /* of the last barrier that the process has entered */
  bool waiting;      /* entered, and its part not yet done */
  uint32_t transfer; /* under way, LOOM_ELAN5_NONE if none */
  bool polling;      /* it is a conditional */
  bool all_ready;    /* all below are in: that is to be said */
  uint64_t polls;    /* conditionals of the root */
  uint64_t sent_up;  /* events sent to the parent */
};

void loom_elan5_barrier_init(struct loom_elan5_barrier *s,
                             const struct loom_elan5_barrier_cfg *cfg);
/* The process enters the next barrier; not before it is through the last one. */
void loom_elan5_barrier_enter(struct loom_elan5_barrier *s, struct loom_elan5 *e);
/* What the adapter does for the barrier in a cycle; the process need not run. */
void loom_elan5_barrier_step(struct loom_elan5_barrier *s, struct loom_elan5 *e);
/* All have entered the barrier that this member entered last. */
bool loom_elan5_barrier_through(const struct loom_elan5_barrier *s, struct loom_elan5 *e);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* dependencies.h - which channels of one layer wait for which, while paths are added and taken away
 * (docs/route.md; KN-08)
 *
 * A channel is a port that leads to another switch. It depends on the next channel of each path
 * that goes through both. Channels are kept in an order in which each depends on later ones only,
 * so a path that agrees with it costs next to nothing. Where one does not, the channels between its
 * two ends are put in order anew (Pearce and Kelly, docs/bibliography.md).
 */
#ifndef LOOM_ROUTING_DEPENDENCIES_H
#define LOOM_ROUTING_DEPENDENCIES_H

#include "routing/routing.h"

struct loom_dependencies {
  const struct loom_routing *r; /* not owned */
  uint32_t channels;            /* switches * ports */
  uint32_t *paths; /* [channel * ports + port]: that go on from there by this port, from both */
  uint32_t *place; /* by channel, in the order */
  /* For one search. */
  uint32_t *after;  /* channels that the later end reaches */
  uint32_t *before; /* that reach the earlier end */
  uint32_t *free;   /* places */
  bool *seen;
};

/* False: out of memory. */
bool loom_dependencies_make(struct loom_dependencies *d, const struct loom_routing *r);
void loom_dependencies_drop(struct loom_dependencies *d);

static inline uint32_t loom_dependencies_channel(const struct loom_routing *r, uint32_t row,
                                                 uint32_t port) {
  return row * r->ports + port;
}

/* Paths that go on from channel `from` to `to`, a channel of the switch that it leads to. */
static inline uint32_t *loom_dependencies_paths(const struct loom_dependencies *d, uint32_t from,
                                                uint32_t to) {
  return &d->paths[(size_t)from * d->r->ports + to % d->r->ports];
}

/* Adds a path of `length` channels. False: it would close a cycle, and nothing has changed. */
bool loom_dependencies_add(struct loom_dependencies *d, const uint32_t *channel, uint32_t length);

/* Takes away a path that was added. */
void loom_dependencies_remove(struct loom_dependencies *d, const uint32_t *channel,
                              uint32_t length);

#endif

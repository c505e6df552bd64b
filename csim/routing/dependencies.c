/* SPDX-License-Identifier: Apache-2.0 */
#include "routing/dependencies.h"

#include <stdlib.h>

#include "routing/engine.h"
#include "routing/heap.h"

bool loom_dependencies_make(struct loom_dependencies *d, const struct loom_routing *r) {
  *d = (struct loom_dependencies){.r = r, .channels = r->switches * r->ports};
  d->paths = calloc((size_t)d->channels * r->ports, sizeof *d->paths);
  d->place = calloc(d->channels, sizeof *d->place);
  d->after = calloc(d->channels, sizeof *d->after);
  d->before = calloc(d->channels, sizeof *d->before);
  d->free = calloc(d->channels, sizeof *d->free);
  d->seen = calloc(d->channels, sizeof *d->seen);
  if (!d->paths || !d->place || !d->after || !d->before || !d->free || !d->seen) {
    loom_dependencies_drop(d);
    return false;
  }
  for (uint32_t c = 0; c < d->channels; c++)
    d->place[c] = c;
  return true;
}

void loom_dependencies_drop(struct loom_dependencies *d) {
  free(d->paths);
  free(d->place);
  free(d->after);
  free(d->before);
  free(d->free);
  free(d->seen);
  *d = (struct loom_dependencies){.r = NULL};
}

/* ---- the order ------------------------------------------------------------------------------- */

/* What a search goes through: channels that others depend on, or that depend on others. */
struct search {
  uint32_t *found;
  uint32_t count;
  uint32_t bound; /* the last place that it looks at, or the first */
  uint32_t goal;  /* a channel that must not be found */
};

static void find(struct loom_dependencies *d, struct search *s, uint32_t channel) {
  d->seen[channel] = true;
  s->found[s->count++] = channel;
}

/* The channels up to the bound that `start` leads to. False: the goal is one of them. */
static bool search_after(struct loom_dependencies *d, struct search *s, uint32_t start) {
  const struct loom_routing *r = d->r;
  find(d, s, start);
  for (uint32_t head = 0; head < s->count; head++) {
    uint32_t at = s->found[head];
    uint32_t next = loom_routing_peer(r, at / r->ports, at % r->ports);
    for (uint32_t p = 1; p <= loom_routing_ports(r, next); p++) {
      uint32_t to = loom_dependencies_channel(r, next, p);
      if (!*loom_dependencies_paths(d, at, to) || d->seen[to] || d->place[to] > s->bound)
        continue;
      if (to == s->goal)
        return false;
      find(d, s, to);
    }
  }
  return true;
}

/* The channels from the bound on that lead to `start`. */
static void search_before(struct loom_dependencies *d, struct search *s, uint32_t start) {
  const struct loom_routing *r = d->r;
  find(d, s, start);
  for (uint32_t head = 0; head < s->count; head++) {
    uint32_t at = s->found[head];
    uint32_t row = at / r->ports;
    for (uint32_t p = 1; p <= loom_routing_ports(r, row); p++) {
      uint32_t peer = loom_routing_peer(r, row, p);
      if (peer == LOOM_TOPO_NONE)
        continue;
      uint32_t from = loom_dependencies_channel(r, peer, loom_routing_port(r, row, p)->port);
      if (*loom_dependencies_paths(d, from, at) && !d->seen[from] && d->place[from] >= s->bound)
        find(d, s, from);
    }
  }
}

static void forget(struct loom_dependencies *d, const struct search *s) {
  for (uint32_t i = 0; i < s->count; i++)
    d->seen[s->found[i]] = false;
}

/* All that was found shares its places anew: first what is before, then what is after. */
static void renumber(struct loom_dependencies *d, struct search *before, struct search *after) {
  uint32_t a = 0, b = 0, count = 0;
  loom_heap_sort(before->found, d->place, before->count);
  loom_heap_sort(after->found, d->place, after->count);
  while (a < after->count || b < before->count) {
    bool from_after = b == before->count ||
                      (a < after->count && d->place[after->found[a]] < d->place[before->found[b]]);
    d->free[count++] = d->place[from_after ? after->found[a++] : before->found[b++]];
  }
  for (uint32_t i = 0; i < before->count; i++)
    d->place[before->found[i]] = d->free[i];
  for (uint32_t i = 0; i < after->count; i++)
    d->place[after->found[i]] = d->free[before->count + i];
}

/* Puts `from` before `to`. False: `to` leads to `from`. */
static bool put_in_order(struct loom_dependencies *d, uint32_t from, uint32_t to) {
  if (d->place[from] < d->place[to])
    return true;
  struct search after = {.found = d->after, .bound = d->place[from], .goal = from};
  struct search before = {.found = d->before, .bound = d->place[to]};
  bool ok = search_after(d, &after, to);
  if (ok) {
    search_before(d, &before, from);
    renumber(d, &before, &after);
  }
  forget(d, &after);
  forget(d, &before);
  return ok;
}

/* ---- paths ----------------------------------------------------------------------------------- */

void loom_dependencies_remove(struct loom_dependencies *d, const uint32_t *channel,
                              uint32_t length) {
  for (uint32_t i = 1; i < length; i++)
    --*loom_dependencies_paths(d, channel[i - 1], channel[i]);
}

bool loom_dependencies_add(struct loom_dependencies *d, const uint32_t *channel, uint32_t length) {
  for (uint32_t i = 1; i < length; i++) {
    uint32_t *paths = loom_dependencies_paths(d, channel[i - 1], channel[i]);
    if (!*paths && !put_in_order(d, channel[i - 1], channel[i])) {
      loom_dependencies_remove(d, channel, i);
      return false;
    }
    ++*paths;
  }
  return true;
}

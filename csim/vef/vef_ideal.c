/* SPDX-License-Identifier: Apache-2.0 */
#include "vef/vef_ideal.h"

#include <stdlib.h>

/* A message under way. */
struct flight {
  uint64_t arrival;
  uint32_t id;
};

/* The network: messages under way, a heap with the first to arrive on top. */
struct network {
  struct loom_vef_replay *replay;
  struct flight *heap;
  size_t count, room;
};

static bool before(const struct flight *a, const struct flight *b) {
  return a->arrival != b->arrival ? a->arrival < b->arrival : a->id < b->id;
}

/* False: out of memory. */
static bool take_off(struct network *n, struct flight flight) {
  if (n->count == n->room) {
    size_t room = n->room ? 2 * n->room : 64;
    struct flight *more = realloc(n->heap, room * sizeof *more);
    if (!more)
      return false;
    n->heap = more;
    n->room = room;
  }
  size_t at = n->count++;
  for (; at && before(&flight, &n->heap[(at - 1) / 2]); at = (at - 1) / 2)
    n->heap[at] = n->heap[(at - 1) / 2];
  n->heap[at] = flight;
  return true;
}

static struct flight land(struct network *n) {
  struct flight first = n->heap[0];
  struct flight last = n->heap[--n->count];
  size_t at = 0;
  for (size_t child; (child = 2 * at + 1) < n->count; at = child) {
    if (child + 1 < n->count && before(&n->heap[child + 1], &n->heap[child]))
      child++;
    if (!before(&n->heap[child], &last))
      break;
    n->heap[at] = n->heap[child];
  }
  if (n->count)
    n->heap[at] = last;
  return first;
}

/* All that happens in this cycle. False: out of memory. */
static bool play_cycle(struct network *n, const struct loom_vef_ideal_cfg *cfg) {
  struct loom_vef_message m;
  uint64_t now = loom_vef_now(n->replay);
  for (bool more = true; more;) {
    more = false;
    while (loom_vef_next(n->replay, &m)) {
      uint64_t bytes =
          cfg->bandwidth ? ((uint64_t)m.length + cfg->bandwidth - 1) / cfg->bandwidth : 0;
      if (!take_off(n, (struct flight){now + cfg->latency + bytes, m.id}))
        return false;
    }
    while (n->count && n->heap[0].arrival <= now) {
      loom_vef_deliver(n->replay, 0, land(n).id);
      more = true;
    }
  }
  return true;
}

static bool play(struct network *n, const struct loom_vef_ideal_cfg *cfg) {
  for (;;) {
    if (!play_cycle(n, cfg))
      return false;
    uint64_t when = loom_vef_when(n->replay);
    if (n->count && n->heap[0].arrival < when)
      when = n->heap[0].arrival;
    if (when == LOOM_VEF_NEVER)
      return true;
    loom_vef_advance(n->replay, when);
  }
}

/* Where the tasks are; how many nodes there are. */
static uint32_t place(const struct loom_vef_trace *trace, const struct loom_vef_names *names,
                      uint32_t *node) {
  uint32_t nodes = 0;
  if (names)
    loom_vef_map_names(names, node);
  else
    loom_vef_map(LOOM_VEF_MAP_LINEAR, trace->size.tasks, trace->size.tasks, 0, node);
  for (uint32_t t = 0; t < trace->size.tasks; t++)
    nodes = node[t] >= nodes ? node[t] + 1 : nodes;
  return nodes;
}

bool loom_vef_ideal(const struct loom_vef_trace *trace, const struct loom_vef_ideal_cfg *cfg,
                    struct loom_vef_ideal *result) {
  struct loom_vef_replay_cfg replay = {
      .traces = 1, .cycle_ps = cfg->cycle_ps, .window = cfg->window};
  struct network n = {.replay = NULL};
  uint32_t *node = calloc(trace->size.tasks, sizeof *node);
  uint32_t number = 0;
  const struct loom_vef_load load = {.trace = trace,
                                     .node = node,
                                     .intra = LOOM_VEF_INTRA_LATENCY,
                                     .latency = cfg->names ? cfg->names->latency : 0};
  if (node) {
    replay.nodes = place(trace, cfg->names, node);
    n.replay = loom_vef_replay_create(&replay);
  }
  bool ok = n.replay && loom_vef_add(n.replay, &load, &number) && play(&n, cfg);
  if (ok) {
    result->cycles = loom_vef_known_until(n.replay);
    loom_vef_count(n.replay, &result->counts);
  }
  loom_vef_replay_destroy(n.replay);
  free(node);
  free(n.heap);
  return ok;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* cycle.c - channel dependencies between hosts, and a cycle of them (docs/route.md; KN-02, KN-08,
 * TP-03)
 *
 * A channel is a port that leads to a switch, and a layer. It depends on each channel at the next
 * switch that some packet goes on to. Packets of one class for one LID that are on the same channel
 * go the same way from there, so each way is followed until it meets one that was.
 *
 * With bubble flow control a ring is never full, so packets that go on in it wait for none of the
 * others. Its channels are one then: a packet that leaves the ring may wait behind any of them.
 */
#include <stdlib.h>
#include <string.h>

#include "routing/check.h"
#include "routing/engine.h"

/* A packet at a switch. */
struct place {
  uint32_t row, in, layer; /* the layer on which it came in */
  size_t last;             /* the channel; SIZE_MAX: from its host */
};

struct graph {
  const struct loom_routing *r;
  size_t channels;  /* (row * ports + port) * layers + layer */
  size_t words;     /* of a channel's dependencies: a bit for each channel of the next switch */
  uint64_t *depend; /* [channel * words + ..] */
  uint32_t *stamp;  /* by channel: the last class and LID that were followed there */
  uint32_t stamps;
  struct place *todo; /* room for all channels, and one */
  size_t *first;      /* by channel: the first one of its ring; of no ring: itself */
  size_t *next;       /* the next one of its ring; SIZE_MAX: it is the last */
};

static bool graph_make(struct graph *g, const struct loom_routing *r) {
  *g = (struct graph){.r = r};
  g->channels = (size_t)r->switches * r->ports * r->layers;
  g->words = ((size_t)r->ports * r->layers + 63) / 64;
  g->depend = calloc(g->channels * g->words, sizeof *g->depend);
  g->stamp = calloc(g->channels, sizeof *g->stamp);
  g->todo = calloc(g->channels + 1, sizeof *g->todo);
  g->first = calloc(g->channels, sizeof *g->first);
  g->next = calloc(g->channels, sizeof *g->next);
  return g->depend && g->stamp && g->todo && g->first && g->next;
}

static void graph_free(struct graph *g) {
  free(g->depend);
  free(g->stamp);
  free(g->todo);
  free(g->first);
  free(g->next);
}

static size_t number(const struct graph *g, uint32_t row, uint32_t port, uint32_t layer) {
  return ((size_t)row * g->r->ports + port) * g->r->layers + layer;
}

/* `to` is a channel of the switch that `from` leads to. */
static void add(struct graph *g, size_t from, size_t to) {
  size_t bit = to % ((size_t)g->r->ports * g->r->layers);
  g->depend[from * g->words + bit / 64] |= UINT64_C(1) << bit % 64;
}

/* A packet that leaves a switch; true: it was not followed there before, and *next is where it
 * comes to. */
static bool leave(struct graph *g, const struct place *at, uint32_t out, uint32_t class,
                  struct place *next) {
  uint32_t peer = loom_routing_peer(g->r, at->row, out);
  if (peer == LOOM_TOPO_NONE)
    return false;
  uint32_t layer = loom_routing_layer(g->r, at->row, at->in, out, class, at->layer);
  size_t channel = number(g, at->row, out, layer);
  if (at->last != SIZE_MAX)
    add(g, at->last, channel);
  if (g->stamp[channel] == g->stamps)
    return false;
  g->stamp[channel] = g->stamps;
  *next = (struct place){.row = peer,
                         .in = loom_routing_port(g->r, at->row, out)->port,
                         .layer = layer,
                         .last = channel};
  return true;
}

/* Follows packets from an end to a LID, over each cable of trunks that they may take. Those that
 * are dropped hold channels on their way, too. */
static void follow(struct graph *g, uint32_t end, uint32_t lid, uint32_t class) {
  const struct loom_routing_end *e = &g->r->end[end];
  uint8_t list[LOOM_ROUTING_PORTS];
  size_t left = 0;
  g->todo[left++] = (struct place){.row = loom_routing_leaf(g->r, end),
                                   .in = loom_topo_port(g->r->topo, e->device, e->port)->port,
                                   .last = SIZE_MAX};
  while (left) {
    const struct place at = g->todo[--left];
    uint32_t out = at.row == LOOM_TOPO_NONE ? 0 : loom_routing_out(g->r, at.row, lid);
    if (!out || out == LOOM_ROUTING_UNREACHABLE)
      continue;
    uint32_t count = loom_routing_members(g->r, at.row, out, list);
    uint32_t other = loom_routing_other(g->r, at.row, lid);
    if (other)
      list[count++] = (uint8_t)other;
    for (uint32_t i = 0; i < count; i++)
      left += leave(g, &at, list[i], class, &g->todo[left]);
  }
}

static void follow_all(struct graph *g) {
  const struct loom_routing *r = g->r;
  for (uint32_t lid = 0; lid < r->lids; lid++) {
    uint32_t to = r->end_of[lid];
    for (uint32_t class = 0; to != LOOM_TOPO_NONE && class < r->classes; class ++) {
      g->stamps++;
      for (uint32_t e = 0; e < r->ends; e++)
        if (r->end[e].device != r->end[to].device && loom_routing_class(r, e, lid) == class)
          follow(g, e, lid, class);
    }
  }
}

/* ---- rings ----------------------------------------------------------------------------------- */

/* The channel behind which packets go on to this one; SIZE_MAX: none. */
static size_t before(const struct graph *g, size_t channel) {
  const struct loom_routing *r = g->r;
  size_t at = channel / r->layers;
  uint32_t row = (uint32_t)(at / r->ports), in = r->ring ? r->ring[at] : 0;
  uint32_t peer = in ? loom_routing_peer(r, row, in) : LOOM_TOPO_NONE;
  if (peer == LOOM_TOPO_NONE)
    return SIZE_MAX;
  return number(g, peer, loom_routing_port(r, row, in)->port, (uint32_t)(channel % r->layers));
}

/* Joins this channel to those before it, as far as they are alone: all of its ring, if it is one.
 */
static void join(struct graph *g, size_t channel) {
  size_t last = channel;
  for (size_t c = before(g, channel); c != SIZE_MAX && c != channel; c = before(g, c)) {
    if (g->first[c] != c || g->next[c] != SIZE_MAX)
      return;
    g->first[c] = channel;
    g->next[last] = c;
    last = c;
  }
}

static void find_rings(struct graph *g) {
  for (size_t c = 0; c < g->channels; c++) {
    g->first[c] = c;
    g->next[c] = SIZE_MAX;
  }
  for (size_t c = 0; g->r->ring && c < g->channels; c++)
    if (g->first[c] == c && g->next[c] == SIZE_MAX)
      join(g, c);
}

/* ---- search ---------------------------------------------------------------------------------- */

/* A depth-first search without recursion: channels on the way down, and which of their dependencies
 * is next. */
struct dive {
  size_t *stack;  /* of a ring: the channel whose dependencies are gone through */
  uint32_t *next; /* by place on the stack */
  uint8_t *state; /* by first channel */
  size_t depth;
};

enum { NEW, OPEN, DONE };

static void push(struct dive *v, size_t channel) {
  v->state[channel] = OPEN;
  v->next[v->depth] = 0;
  v->stack[v->depth++] = channel;
}

/* The next channel that a channel depends on, from bit *bit on; SIZE_MAX: no more. */
static size_t next_from(const struct graph *g, size_t at, uint32_t *bit) {
  uint32_t width = g->r->ports * g->r->layers;
  const uint64_t *depend = &g->depend[at * g->words];
  for (; *bit < width; ++*bit)
    if (depend[*bit / 64] >> *bit % 64 & 1) {
      uint32_t port = (uint32_t)(at / g->r->layers % g->r->ports);
      uint32_t row = (uint32_t)(at / g->r->layers / g->r->ports);
      return (size_t)loom_routing_peer(g->r, row, port) * width + (*bit)++;
    }
  return SIZE_MAX;
}

/* The first channel of the next ring that the top of the stack depends on, with all channels of its
 * own; SIZE_MAX: no more. */
static size_t next_of(const struct graph *g, struct dive *v) {
  size_t *at = &v->stack[v->depth - 1];
  uint32_t *bit = &v->next[v->depth - 1];
  while (true) {
    size_t to = next_from(g, *at, bit);
    if (to == SIZE_MAX && g->next[*at] == SIZE_MAX)
      return SIZE_MAX;
    if (to == SIZE_MAX) {
      *at = g->next[*at];
      *bit = 0;
    } else if (before(g, to) != *at || g->first[to] != g->first[*at]) {
      return g->first[to];
    }
  }
}

/* Where on the stack a cycle begins; SIZE_MAX: none can be reached from `start`. */
static size_t dive(const struct graph *g, struct dive *v, size_t start) {
  push(v, start);
  while (v->depth) {
    size_t next = next_of(g, v);
    if (next == SIZE_MAX) {
      v->state[g->first[v->stack[--v->depth]]] = DONE;
    } else if (v->state[next] == OPEN) {
      size_t i = v->depth - 1;
      while (g->first[v->stack[i]] != next)
        i--;
      return i;
    } else if (v->state[next] == NEW) {
      push(v, next);
    }
  }
  return SIZE_MAX;
}

static bool keep(const struct graph *g, const struct dive *v, size_t begin,
                 struct loom_routing_cycle *cycle) {
  cycle->channel = calloc(v->depth - begin, sizeof *cycle->channel);
  if (!cycle->channel)
    return false;
  for (size_t i = begin; i < v->depth; i++) {
    size_t c = v->stack[i];
    cycle->channel[cycle->channels++] =
        (struct loom_routing_channel){.row = (uint32_t)(c / g->r->layers / g->r->ports),
                                      .port = (uint8_t)(c / g->r->layers % g->r->ports),
                                      .layer = (uint8_t)(c % g->r->layers)};
  }
  return true;
}

static bool search(const struct graph *g, struct loom_routing_cycle *cycle) {
  struct dive v = {.stack = calloc(g->channels, sizeof *v.stack)};
  v.next = calloc(g->channels, sizeof *v.next);
  v.state = calloc(g->channels, 1);
  bool ok = v.stack && v.next && v.state;
  for (size_t c = 0; ok && !cycle->channels && c < g->channels; c++) {
    bool starts = g->first[c] == c && v.state[c] == NEW;
    size_t begin = starts ? dive(g, &v, c) : SIZE_MAX;
    if (begin != SIZE_MAX)
      ok = keep(g, &v, begin, cycle);
  }
  free(v.stack);
  free(v.next);
  free(v.state);
  return ok;
}

bool loom_routing_find_cycle(const struct loom_routing *r, struct loom_routing_cycle *cycle) {
  struct graph g;
  *cycle = (struct loom_routing_cycle){.channels = 0};
  bool ok = graph_make(&g, r);
  if (ok) {
    follow_all(&g);
    find_rings(&g);
    ok = search(&g, cycle);
  }
  graph_free(&g);
  return ok;
}

void loom_routing_cycle_free(struct loom_routing_cycle *cycle) {
  free(cycle->channel);
  cycle->channel = NULL;
  cycle->channels = 0;
}

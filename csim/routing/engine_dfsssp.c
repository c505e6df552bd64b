/* SPDX-License-Identifier: Apache-2.0 */
/* engine_dfsssp.c - deadlock-free single-source shortest paths: LID after LID by the least loaded
 * of the shortest paths, then layers (docs/route.md; KN-08)
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "routing/dependencies.h"
#include "routing/engine.h"
#include "routing/heap.h"

enum { NO_LAYER = 255 };

/* In a cost: more than all loads on a way. */
#define ONE_LINK (UINT64_C(1) << 48)

struct dfsssp {
  struct loom_routing *r;
  bool all;
  struct loom_routing_lids lids;
  uint32_t *hosts;  /* by row: LIDs of hosts there */
  uint32_t *source; /* by row: paths that begin there for each LID */
  uint32_t *order;  /* rows: the order in which their LIDs are routed */
  uint64_t *load;   /* [row * ports + port]: paths that leave there */

  /* One search, from the switch of a LID. */
  struct loom_heap heap; /* by row, and a host: links to the LID, then loads on the way */
  uint32_t *queue;       /* rows as they were found */
  uint64_t *passing;     /* by row: paths */

  uint8_t *layer; /* [row * lids + LID]: of the path from there; NO_LAYER: none */
  uint32_t layers, layers_max;
  uint32_t *way; /* channels, room for all switches */
};

static void dfsssp_free(struct dfsssp *s) {
  free(s->hosts);
  free(s->source);
  free(s->order);
  free(s->load);
  loom_heap_drop(&s->heap);
  free(s->queue);
  free(s->passing);
  free(s->layer);
  free(s->way);
}

static bool dfsssp_make(struct dfsssp *s) {
  size_t switches = s->r->switches;
  s->hosts = calloc(switches, sizeof *s->hosts);
  s->source = calloc(switches, sizeof *s->source);
  s->order = calloc(switches, sizeof *s->order);
  s->load = calloc(switches * s->r->ports, sizeof *s->load);
  s->queue = calloc(switches, sizeof *s->queue);
  s->passing = calloc(switches, sizeof *s->passing);
  s->layer = malloc(switches * s->r->lids);
  s->way = calloc(switches, sizeof *s->way);
  if (!s->hosts || !s->source || !s->order || !s->load || !s->queue || !s->passing || !s->layer ||
      !s->way || !loom_heap_make(&s->heap, s->r->switches + 1))
    return false;
  memset(s->layer, NO_LAYER, switches * s->r->lids);
  return true;
}

/* ---- ways ------------------------------------------------------------------------------------ */

/* Switches with more hosts first. */
static void sort_switches(struct dfsssp *s) {
  uint32_t place = 0, most = 0;
  for (uint32_t row = 0; row < s->r->switches; row++)
    if (s->hosts[row] > most)
      most = s->hosts[row];
  for (uint32_t hosts = most + 1; hosts--;)
    for (uint32_t row = 0; row < s->r->switches; row++)
      if (s->hosts[row] == hosts)
        s->order[place++] = row;
}

static void count_hosts(struct dfsssp *s) {
  for (uint32_t row = 0; row < s->r->switches; row++) {
    for (uint32_t i = s->lids.first[row]; i < s->lids.first[row + 1]; i++)
      s->hosts[row] += s->r->end_of[s->lids.lid[i]] != LOOM_TOPO_NONE;
    s->source[row] = s->hosts[row] + s->all;
  }
  sort_switches(s);
}

/* A better way for the switch at the other end of a port: shorter, or with less on it. */
static void offer(struct dfsssp *s, uint32_t lid, uint32_t at, uint32_t port, uint32_t peer) {
  uint32_t back = loom_routing_port(s->r, at, port)->port;
  uint64_t cost = s->heap.key[at] + ONE_LINK + s->load[(size_t)peer * s->r->ports + back];
  if (cost >= s->heap.key[peer])
    return;
  loom_heap_lower(&s->heap, peer, cost);
  loom_routing_set(s->r, peer, lid, back);
}

/* From the LID's switch outwards. A host comes before its switch, as one that the heap holds, too.
 * How many switches were found. */
static uint32_t search(struct dfsssp *s, uint32_t lid, uint32_t target, bool host) {
  uint32_t found = 0;
  uint32_t first = host ? s->r->switches : target;
  loom_heap_fill(&s->heap, s->r->switches + host);
  loom_heap_lower(&s->heap, first, 0);
  if (host) {
    loom_heap_take(&s->heap);
    loom_heap_lower(&s->heap, target, 0);
  }
  while (s->heap.count && s->heap.key[s->heap.element[0]] != UINT64_MAX) {
    uint32_t at = loom_heap_take(&s->heap);
    s->queue[found++] = at;
    for (uint32_t p = 1; p <= loom_routing_ports(s->r, at); p++) {
      uint32_t peer = loom_routing_peer(s->r, at, p);
      if (peer != LOOM_TOPO_NONE)
        offer(s, lid, at, p, peer);
    }
  }
  return found;
}

/* Adds the paths to a LID to the loads, from the farthest switch on. */
static void add_load(struct dfsssp *s, uint32_t lid, uint32_t found) {
  for (uint32_t i = 0; i < found; i++)
    s->passing[s->queue[i]] = s->source[s->queue[i]];
  for (uint32_t i = found; i-- > 1;) {
    uint32_t row = s->queue[i];
    uint32_t port = loom_routing_out(s->r, row, lid);
    s->load[(size_t)row * s->r->ports + port] += s->passing[row];
    s->passing[loom_routing_peer(s->r, row, port)] += s->passing[row];
  }
}

static void route_lid(struct dfsssp *s, uint32_t lid, uint32_t target) {
  struct loom_routing_target to;
  if (!loom_routing_find(s->r, lid, &to))
    return;
  uint32_t found = search(s, lid, target, to.port != 0);
  loom_routing_set(s->r, target, lid, to.port);
  if (to.port || s->all)
    add_load(s, lid, found);
  for (uint32_t i = 0; (to.port || s->all) && i < found; i++)
    if (s->hosts[s->queue[i]])
      s->layer[(size_t)s->queue[i] * s->r->lids + lid] = 0;
}

/* Hosts first, so that the LIDs of switches do not disturb their balance. */
static void route_all(struct dfsssp *s) {
  for (uint32_t switches = 0; switches < 2; switches++)
    for (uint32_t i = 0; i < s->r->switches; i++) {
      uint32_t row = s->order[i];
      for (uint32_t j = s->lids.first[row]; j < s->lids.first[row + 1]; j++)
        if ((s->r->row_of[s->lids.lid[j]] != LOOM_TOPO_NONE) == switches)
          route_lid(s, s->lids.lid[j], row);
    }
}

/* ---- cycles ---------------------------------------------------------------------------------- */

/* The channels of a path; none of its channels leads to the host. */
static uint32_t follow(const struct dfsssp *s, uint32_t row, uint32_t lid, uint32_t *channel) {
  const struct loom_routing *r = s->r;
  uint32_t length = 0;
  for (;;) {
    uint32_t port = loom_routing_out(r, row, lid);
    uint32_t peer = port ? loom_routing_peer(r, row, port) : LOOM_TOPO_NONE;
    if (peer == LOOM_TOPO_NONE)
      return length;
    channel[length++] = loom_dependencies_channel(r, row, port);
    row = peer;
  }
}

/* Dependencies of a layer, in the order in which its paths bring them up. One that has lost all its
 * paths stays until a cycle is broken there, which then costs nothing. */
struct graph {
  uint32_t channels; /* switches * ports */
  uint32_t *paths;   /* [channel * ports + port]: from hosts that go on by this port */
  uint8_t *next;     /* [channel * ports + i]: the ports that paths go on by, */
  uint8_t *nexts;    /* so many */
  uint32_t *first;   /* channels in the order of their first paths */
  uint32_t firsts;
  bool *known;     /* by channel: it stands there */
  uint32_t *list;  /* paths of this layer, row * lids + LID, in the order in which they came */
  uint32_t *moved; /* to the next one */
  uint32_t lists, moves;
  uint32_t *turn; /* by path: its place in the list */
  uint32_t *hit;  /* paths that have a dependency */
  uint32_t hits;

  /* A depth-first search. */
  uint32_t *stack; /* channels, each depends on the next */
  uint32_t depth;
  uint8_t *at;    /* by place on the stack: which of `next` is looked at */
  uint8_t *state; /* by channel */
};

enum { NEW, OPEN, DONE };

static void graph_free(struct graph *g) {
  free(g->paths);
  free(g->next);
  free(g->nexts);
  free(g->first);
  free(g->known);
  free(g->list);
  free(g->moved);
  free(g->turn);
  free(g->hit);
  free(g->stack);
  free(g->at);
  free(g->state);
}

static bool graph_make(struct graph *g, const struct loom_routing *r) {
  *g = (struct graph){.channels = r->switches * r->ports};
  g->paths = calloc((size_t)g->channels * r->ports + 1, sizeof *g->paths);
  g->next = calloc((size_t)g->channels * r->ports + 1, 1);
  g->nexts = calloc((size_t)g->channels + 1, 1);
  g->first = calloc((size_t)g->channels + 1, sizeof *g->first);
  g->known = calloc((size_t)g->channels + 1, sizeof *g->known);
  g->list = calloc((size_t)r->switches * r->lids, sizeof *g->list);
  g->moved = calloc((size_t)r->switches * r->lids, sizeof *g->moved);
  g->turn = calloc((size_t)r->switches * r->lids, sizeof *g->turn);
  g->hit = calloc((size_t)r->switches * r->lids, sizeof *g->hit);
  g->stack = calloc((size_t)g->channels + 1, sizeof *g->stack);
  g->at = calloc((size_t)g->channels + 1, 1);
  g->state = calloc((size_t)g->channels + 1, 1);
  return g->paths && g->next && g->nexts && g->first && g->known && g->list && g->moved &&
         g->turn && g->hit && g->stack && g->at && g->state;
}

static uint32_t *paths_of(const struct graph *g, const struct loom_routing *r, uint32_t from,
                          uint32_t to) {
  return &g->paths[(size_t)from * r->ports + to % r->ports];
}

static void add_channel(struct graph *g, uint32_t channel) {
  if (!g->known[channel])
    g->first[g->firsts++] = channel;
  g->known[channel] = true;
}

static void add_path(const struct dfsssp *s, struct graph *g, uint32_t path) {
  uint32_t ports = s->r->ports, row = path / s->r->lids;
  uint32_t length = follow(s, row, path % s->r->lids, s->way);
  for (uint32_t i = 0; i < length; i++) {
    add_channel(g, s->way[i]);
    if (!i)
      continue;
    uint32_t *paths = paths_of(g, s->r, s->way[i - 1], s->way[i]);
    if (!*paths)
      g->next[(size_t)s->way[i - 1] * ports + g->nexts[s->way[i - 1]]++] =
          (uint8_t)(s->way[i] % ports);
    *paths += s->hosts[row];
  }
}

/* The paths that were moved are those of the layer that is looked at now. */
static void next_layer(struct dfsssp *s, struct graph *g) {
  uint32_t *list = g->list;
  g->list = g->moved;
  g->lists = g->moves;
  g->moved = list;
  g->moves = 0;
  g->firsts = 0;
  memset(g->paths, 0, (size_t)g->channels * s->r->ports * sizeof *g->paths);
  memset(g->nexts, 0, g->channels);
  memset(g->known, 0, g->channels * sizeof *g->known);
  memset(g->state, NEW, g->channels);
  for (uint32_t i = 0; i < g->lists; i++) {
    g->turn[g->list[i]] = i;
    add_path(s, g, g->list[i]);
  }
}

static void move(struct dfsssp *s, struct graph *g, uint32_t path, uint32_t layer) {
  uint32_t row = path / s->r->lids;
  uint32_t length = follow(s, row, path % s->r->lids, s->way);
  for (uint32_t i = 1; i < length; i++)
    *paths_of(g, s->r, s->way[i - 1], s->way[i]) -= s->hosts[row];
  s->layer[path] = (uint8_t)(layer + 1);
  g->moved[g->moves++] = path;
}

/* Lists the paths of the layer to a LID that go through a switch, which is their first or a later
 * one: backwards from there. */
static void list_through(const struct dfsssp *s, struct graph *g, uint32_t layer, uint32_t row,
                         uint32_t lid) {
  const struct loom_routing *r = s->r;
  uint32_t tail = 1;
  s->queue[0] = row;
  for (uint32_t head = 0; head < tail; head++) {
    uint32_t at = s->queue[head], path = at * r->lids + lid;
    if (s->layer[path] == layer)
      g->hit[g->hits++] = path;
    for (uint32_t p = 1; p <= loom_routing_ports(r, at); p++) {
      uint32_t peer = loom_routing_peer(r, at, p);
      if (peer != LOOM_TOPO_NONE &&
          loom_routing_out(r, peer, lid) == loom_routing_port(r, at, p)->port)
        s->queue[tail++] = peer;
    }
  }
}

/* Takes a dependency away: all paths of the layer that have it, in their order. */
static void cut(struct dfsssp *s, struct graph *g, uint32_t layer, uint32_t from, uint32_t to) {
  const struct loom_routing *r = s->r;
  uint8_t *next = &g->next[(size_t)from * r->ports];
  uint32_t i = 0;
  while (next[i] != to % r->ports)
    i++;
  memmove(next + i, next + i + 1, --g->nexts[from] - i);
  g->hits = 0;
  for (uint32_t lid = 0; *paths_of(g, r, from, to) && lid < r->lids; lid++)
    if (loom_routing_out(r, from / r->ports, lid) == from % r->ports &&
        loom_routing_out(r, to / r->ports, lid) == to % r->ports)
      list_through(s, g, layer, from / r->ports, lid);
  loom_heap_sort(g->hit, g->turn, g->hits);
  for (i = 0; i < g->hits; i++)
    move(s, g, g->hit[i], layer);
}

/* The channel after place i of the cycle that begins at a place of the stack. */
static uint32_t after(const struct graph *g, uint32_t i, uint32_t begin) {
  return g->stack[i + 1 < g->depth ? i + 1 : begin];
}

/* Takes away the dependency with the fewest paths and goes back to where the cycle began. */
static void break_cycle(struct dfsssp *s, struct graph *g, uint32_t layer, uint32_t begin) {
  uint32_t best = begin;
  for (uint32_t i = begin + 1; i < g->depth; i++)
    if (*paths_of(g, s->r, g->stack[i], after(g, i, begin)) <
        *paths_of(g, s->r, g->stack[best], after(g, best, begin)))
      best = i;
  cut(s, g, layer, g->stack[best], after(g, best, begin));
  while (g->depth > begin + 1)
    g->state[g->stack[--g->depth]] = NEW;
  g->at[begin] = 0;
}

static void push(struct graph *g, uint32_t channel) {
  g->state[channel] = OPEN;
  g->at[g->depth] = 0;
  g->stack[g->depth++] = channel;
}

/* Breaks all cycles that can be reached from a channel; how many there were. */
static uint32_t dive(struct dfsssp *s, struct graph *g, uint32_t layer, uint32_t start) {
  const struct loom_routing *r = s->r;
  uint32_t cycles = 0;
  for (push(g, start); g->depth;) {
    uint32_t from = g->stack[g->depth - 1], begin = 0;
    if (g->at[g->depth - 1] == g->nexts[from]) {
      g->state[g->stack[--g->depth]] = DONE;
      continue;
    }
    uint32_t port = g->next[(size_t)from * r->ports + g->at[g->depth - 1]];
    uint32_t to =
        loom_dependencies_channel(r, loom_routing_peer(r, from / r->ports, from % r->ports), port);
    if (g->state[to] == NEW)
      push(g, to);
    else if (g->state[to] == DONE)
      g->at[g->depth - 1]++;
    else {
      while (g->stack[begin] != to)
        begin++;
      break_cycle(s, g, layer, begin);
      cycles++;
    }
  }
  return cycles;
}

/* Moves paths of a layer to the next until it has no cycle; how many it had. */
static uint32_t clear_layer(struct dfsssp *s, struct graph *g, uint32_t layer) {
  uint32_t cycles = 0;
  next_layer(s, g);
  for (uint32_t i = 0; i < g->firsts; i++)
    if (g->state[g->first[i]] == NEW)
      cycles += dive(s, g, layer, g->first[i]);
  return cycles;
}

/* All paths, in the order in which they were found: to hosts, then to switches. */
static void list_paths(const struct dfsssp *s, struct graph *g) {
  const struct loom_routing *r = s->r;
  for (uint32_t switches = 0; switches < (s->all ? 2u : 1u); switches++)
    for (uint32_t i = 0; i < r->switches; i++)
      for (uint32_t j = s->lids.first[s->order[i]]; j < s->lids.first[s->order[i] + 1]; j++)
        for (uint32_t k = 0; k < r->switches; k++) {
          uint32_t lid = s->lids.lid[j], row = s->order[k];
          uint32_t path = row * r->lids + lid;
          if ((r->row_of[lid] != LOOM_TOPO_NONE) == switches && s->layer[path] != NO_LAYER)
            g->moved[g->moves++] = path;
        }
}

static bool find_layers(struct dfsssp *s, struct loom_routing_error *err) {
  struct graph g;
  bool ok = graph_make(&g, s->r) || loom_routing_no_memory(err);
  if (ok)
    list_paths(s, &g);
  for (s->layers = 1; ok && clear_layer(s, &g, s->layers - 1); s->layers++)
    ok = s->layers < s->layers_max ||
         loom_routing_fail(err, "dfsssp: %" PRIu32 " VLs do not suffice", s->layers_max);
  graph_free(&g);
  return ok;
}

/* ---- balance --------------------------------------------------------------------------------- */

/* How a layer is split: `lanes` of them from `first` on. */
struct split {
  uint32_t first;
  uint32_t lanes;
  uint64_t paths;
};

/* Lane after lane goes to the layer that has the most paths for each of its lanes. */
static void share_lanes(struct split *split, uint32_t layers, uint32_t lanes) {
  for (uint32_t used = layers; used < lanes; used++) {
    uint32_t best = 0;
    for (uint32_t i = 1; i < layers; i++)
      if (split[i].paths * split[best].lanes > split[best].paths * split[i].lanes)
        best = i;
    split[best].lanes++;
  }
  for (uint32_t i = 1; i < layers; i++)
    split[i].first = split[i - 1].first + split[i - 1].lanes;
}

static void count_paths(const struct dfsssp *s, struct split *split) {
  for (uint32_t row = 0; row < s->r->switches; row++)
    for (uint32_t lid = 0; lid < s->r->lids; lid++) {
      uint8_t layer = s->layer[(size_t)row * s->r->lids + lid];
      if (layer != NO_LAYER)
        split[layer].paths += s->hosts[row];
    }
}

/* Destinations of a layer take its lanes in turns. */
static bool class_paths(struct dfsssp *s, const struct split *split, uint32_t lanes) {
  struct loom_routing *r = s->r;
  if (!loom_routing_layer_paths(r, lanes, lanes))
    return false;
  for (uint32_t e = 0; e < r->ends; e++) {
    uint32_t leaf = loom_routing_leaf(r, e);
    for (uint32_t lid = 0; leaf != LOOM_TOPO_NONE && lid < r->lids; lid++) {
      uint8_t layer = s->layer[(size_t)leaf * r->lids + lid];
      if (layer != NO_LAYER)
        r->path[(size_t)e * r->lids + lid] =
            (uint8_t)(split[layer].first + lid % split[layer].lanes);
    }
  }
  return true;
}

static bool spread(struct dfsssp *s, const struct loom_routing_options *o,
                   struct loom_routing_error *err) {
  struct split split[LOOM_ROUTING_VLS] = {{.first = 0}};
  uint32_t lanes = o->vls ? o->vls : s->layers;
  for (uint32_t i = 0; i < LOOM_ROUTING_VLS; i++)
    split[i].lanes = 1;
  count_paths(s, split);
  share_lanes(split, s->layers, lanes);
  return class_paths(s, split, lanes) || loom_routing_no_memory(err);
}

bool loom_routing_dfsssp(struct loom_routing *r, const struct loom_routing_options *o,
                         struct loom_routing_error *err) {
  struct dfsssp s = {.r = r, .all = o->cover == LOOM_ROUTING_COVER_ALL};
  s.layers_max = o->vls ? o->vls : LOOM_ROUTING_VLS;
  if (!loom_routing_group(r, &s.lids))
    return loom_routing_no_memory(err);
  bool ok = dfsssp_make(&s) || loom_routing_no_memory(err);
  if (ok) {
    count_hosts(&s);
    route_all(&s);
    ok = find_layers(&s, err) && spread(&s, o, err);
  }
  dfsssp_free(&s);
  loom_routing_ungroup(&s.lids);
  return ok;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* shape_qsnet3.c - QsNetIII federated networks and what they are built of (docs/topo.md; E5-42..46)
 *
 * A node switch has `way` links down and as many up; `way` top switches join the node switches,
 * top switch u by link u up of each. A router has 32 links: floor(32 / N) top switches for N node
 * switches. Above 32 a whole node-switch chassis takes the place of a router, with 128 links.
 */
#include <inttypes.h>

#include "topo/generate.h"

enum {
  ROUTER = 32, /* links */
  FRONT = 16,  /* of them on the front of a node switch's card; a blade's node switch has as many */
  CARDS = 8,   /* of a level in a node-switch chassis; that have a top router in a top chassis */
  CHASSIS = CARDS * FRONT, /* links down of a node-switch chassis, and up */
  SWITCHES_MAX = 128,
  SIDE_BY_SIDE = ROUTER / 2 / CARDS, /* links on the backplane between two cards */
};

/* Second coordinate of a router, after its rail. */
enum level { LOWER, UPPER, TOP, TOP_UPPER };

/* Numbers that follow from the configuration, of one rail. */
struct shape {
  uint32_t way;      /* links down of a node switch */
  uint32_t switches; /* node switches */
  uint32_t unit;     /* links of what holds top switches: a router or a chassis */
  uint32_t hosted;   /* top switches in one of these */
  uint32_t units;
};

static uint32_t divide_up(uint32_t a, uint32_t b) { return a / b + (a % b != 0); }

const char *loom_topo_qsnet3_bad(const struct loom_topo_qsnet3_cfg *c) {
  uint32_t room = SWITCHES_MAX * (c->blade ? FRONT : CHASSIS);
  if (c->rails < 1 || c->rails > 8)
    return "rails";
  if (c->links < 1 || c->links > 8)
    return "links";
  if (c->nodes < 1 || c->nodes > room / c->links)
    return "nodes";
  return c->spread && c->nodes < FRONT ? "spread" : NULL;
}

static struct shape shape_of(const struct loom_topo_qsnet3_cfg *c) {
  struct shape s = {.way = c->blade ? FRONT : CHASSIS};
  s.switches = divide_up(c->nodes * c->links, s.way);
  if (s.switches > 2) {
    s.unit = s.switches > ROUTER ? CHASSIS : ROUTER;
    s.hosted = s.unit / s.switches;
    s.units = divide_up(s.way, s.hosted);
  }
  return s;
}

/* ---- building -------------------------------------------------------------------------------- */

/* What is being built: one rail. */
struct rail {
  struct loom_topo *t;
  const struct loom_topo_qsnet3_cfg *cfg;
  struct shape shape;
  uint32_t number;
  uint32_t first;     /* router of the first node switch */
  uint32_t first_top; /* router of the first unit of top switches */
};

/* A place for a cable. */
struct plug {
  uint32_t device;
  uint32_t port;
};

static uint32_t add_router(const struct rail *r, enum level level, uint32_t chassis,
                           uint32_t card) {
  static const char letters[][2] = {{'N', 'L'}, {'N', 'U'}, {'T', 'L'}, {'T', 'U'}};
  char rail[16] = "";
  if (r->cfg->rails > 1)
    snprintf(rail, sizeof rail, "A%" PRIu32 "-", r->number);
  uint32_t d = loom_topo_add(r->t, LOOM_TOPO_SWITCH, ROUTER, "%s%c%" PRIu32 "-%c%" PRIu32, rail,
                             letters[level][0], chassis, letters[level][1], card);
  loom_topo_place(r->t, d, 4, (const uint32_t[]){r->number, (uint32_t)level, chassis, card});
  loom_topo_raise(r->t, d, (uint32_t)level);
  return d;
}

/* A node-switch chassis: lower cards, upper cards, and the backplane between them. */
static void add_chassis(const struct rail *r, enum level level, uint32_t chassis) {
  uint32_t first = r->t->devices;
  for (uint32_t card = 0; card < CARDS; card++)
    add_router(r, level, chassis, card);
  for (uint32_t card = 0; card < CARDS; card++)
    add_router(r, level == LOWER ? UPPER : TOP_UPPER, chassis, card);
  for (uint32_t a = 0; a < CARDS; a++)
    for (uint32_t b = 0; b < CARDS; b++)
      for (uint32_t link = 0; link < SIDE_BY_SIDE; link++)
        loom_topo_connect(r->t, first + a, FRONT + SIDE_BY_SIDE * b + link + 1, first + CARDS + b,
                          FRONT + SIDE_BY_SIDE * a + link + 1);
}

/* Link x down, or up, of node switch `at`. */
static struct plug down_link(const struct rail *r, uint32_t at, uint32_t x) {
  if (r->cfg->blade)
    return (struct plug){r->first + at, x + 1};
  return (struct plug){r->first + 2 * CARDS * at + x / FRONT, x % FRONT + 1};
}

static struct plug up_link(const struct rail *r, uint32_t at, uint32_t x) {
  if (r->cfg->blade)
    return (struct plug){r->first + at, FRONT + x + 1};
  return (struct plug){r->first + 2 * CARDS * at + CARDS + x / FRONT, x % FRONT + 1};
}

/* Link of top switch u to node switch `at`. */
static struct plug top_link(const struct rail *r, uint32_t u, uint32_t at) {
  uint32_t unit = u / r->shape.hosted, x = u % r->shape.hosted * r->shape.switches + at;
  if (r->shape.unit == ROUTER)
    return (struct plug){r->first_top + unit, x + 1};
  return (struct plug){r->first_top + 2 * CARDS * unit + x / FRONT, x % FRONT + 1};
}

static void add_switches(struct rail *r) {
  r->first = r->t->devices;
  for (uint32_t i = 0; i < r->shape.switches; i++)
    if (r->cfg->blade)
      add_router(r, LOWER, i, 0);
    else
      add_chassis(r, LOWER, i);
  r->first_top = r->t->devices;
  for (uint32_t i = 0; i < r->shape.units; i++)
    if (r->shape.unit == ROUTER)
      add_router(r, TOP, i / CARDS, i % CARDS);
    else
      add_chassis(r, TOP, i);
}

static void plug_in(const struct rail *r, struct plug a, struct plug b) {
  loom_topo_connect(r->t, a.device, a.port, b.device, b.port);
}

/* With two node switches each is the other's top. */
static void join_switches(const struct rail *r) {
  for (uint32_t u = 0; r->shape.switches == 2 && u < r->shape.way; u++)
    plug_in(r, up_link(r, 0, u), up_link(r, 1, u));
  for (uint32_t at = 0; r->shape.units && at < r->shape.switches; at++)
    for (uint32_t u = 0; u < r->shape.way; u++)
      plug_in(r, up_link(r, at, u), top_link(r, u, at));
}

/* Nodes come first in the fabric: node i is device i. */
static void join_nodes(const struct rail *r) {
  const struct loom_topo_qsnet3_cfg *c = r->cfg;
  for (uint32_t i = 0; i < c->nodes; i++)
    for (uint32_t link = 0; link < c->links; link++) {
      uint32_t x = c->spread ? link * c->nodes + i : i * c->links + link;
      plug_in(r, (struct plug){i, r->number * c->links + link + 1},
              down_link(r, x / r->shape.way, x % r->shape.way));
    }
}

static void build_qsnet3(struct loom_topo *t, const void *cfg) {
  const struct loom_topo_qsnet3_cfg *c = cfg;
  for (uint32_t i = 0; i < c->nodes; i++)
    loom_topo_place(t, loom_topo_add(t, LOOM_TOPO_HCA, c->rails * c->links, "H%" PRIu32, i), 1, &i);
  for (uint32_t number = 0; number < c->rails && !t->overflow; number++) {
    struct rail r = {.t = t, .cfg = c, .shape = shape_of(c), .number = number};
    add_switches(&r);
    join_switches(&r);
    join_nodes(&r);
  }
}

struct loom_topo *loom_topo_qsnet3_make(const struct loom_topo_qsnet3_cfg *cfg) {
  return loom_topo_qsnet3_bad(cfg) ? NULL : loom_topo_make(build_qsnet3, cfg);
}

/* ---- counting -------------------------------------------------------------------------------- */

/* What a router is part of: node switches or tops of a rail, and which chassis there. */
static bool same_chassis(const struct loom_topo_device *a, const struct loom_topo_device *b) {
  return a->coord[0] == b->coord[0] && a->coord[1] / 2 == b->coord[1] / 2 &&
         a->coord[2] == b->coord[2];
}

/* What the walk through the graph finds. */
struct tally {
  uint32_t rails, node_switches, top_chassis;
  uint32_t routers[TOP_UPPER + 1];        /* by level */
  uint32_t node_links, to_tops, sideways; /* cables but for backplanes */
};

static void tally_router(struct tally *n, const struct loom_topo_device *d) {
  enum level level = (enum level)d->coord[1];
  n->routers[level]++;
  n->rails = d->coord[0] >= n->rails ? d->coord[0] + 1 : n->rails;
  n->node_switches += level == LOWER && d->coord[3] == 0;
  n->top_chassis += level == TOP && d->coord[3] == 0;
}

/* Each cable once, from the device with the lower number; nodes have the lowest. */
static void tally_cables(struct tally *n, const struct loom_topo *t, uint32_t d) {
  const struct loom_topo_device *a = &t->device[d];
  for (uint32_t port = 1; port <= a->ports; port++) {
    uint32_t far = loom_topo_port(t, d, port)->device;
    if (far == LOOM_TOPO_NONE || far < d)
      continue;
    const struct loom_topo_device *b = &t->device[far];
    if (a->kind == LOOM_TOPO_HCA)
      n->node_links++;
    else if (!same_chassis(a, b))
      ++*(b->coord[1] >= TOP ? &n->to_tops : &n->sideways);
  }
}

void loom_topo_qsnet3_count(const struct loom_topo *t, struct loom_topo_qsnet3_parts *parts) {
  struct tally n = {.rails = 0};
  for (uint32_t d = 0; d < t->devices; d++) {
    if (t->device[d].kind == LOOM_TOPO_SWITCH)
      tally_router(&n, &t->device[d]);
    tally_cables(&n, t, d);
  }
  /* Nodes on blades need no cables, and blades have no upper cards. */
  uint32_t radix = n.to_tops && n.rails ? n.node_switches / n.rails : 0;
  *parts = (struct loom_topo_qsnet3_parts){
      .node_switches = n.node_switches,
      .top_switches = radix ? n.to_tops / radix : 0,
      .top_radix = radix,
      .top_routers = n.routers[TOP_UPPER] ? 0 : n.routers[TOP],
      .top_chassis = n.top_chassis,
      .cables = n.to_tops + n.sideways + (n.routers[UPPER] ? n.node_links : 0),
  };
}

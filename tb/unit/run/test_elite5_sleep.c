/* SPDX-License-Identifier: Apache-2.0 */
/* test_elite5_sleep.c - fabrics of Elite5 routers in which who has nothing to do sleeps, beside the
 * same ones in which nobody ever does: equal on every cycle (docs/elan5.md, docs/elite5.md). And
 * what alone keeps a router awake, seldom: the bench finds a router that sleeps though it must not.
 */
#include "tb/unit/unit.h"

#include <loom/random.h>
#include <stdlib.h>
#include <string.h>

#include "elan5/elan5_barrier.h"
#include "tb/unit/elite5_bench.h"
#include "tb/unit/elite5_tree.h"

enum { NODES = 8, ROUTERS_MAX = 8, GROUP = 1, BARRIER_GROUP = 2, MEMORY = 8192, VCS = 8 };
enum { SLEEPY, RESTLESS, BOTH }; /* the two fabrics */
enum { LONG = 64, STATE = offsetof(struct loom_elite5_router, mask) };

struct pair {
  struct tree *tree[BOTH];
  struct loom_elan5_barrier barrier[BOTH][NODES];
  uint16_t member[NODES];
  struct restless *restless;
  uint64_t edges; /* of the routers of the restless one */
  uint64_t asleep, awake;
  struct loom_elite5_router *scratch;
  uint64_t seed;
};

static struct loom_fabric *fabric_of(const struct pair *p, uint32_t side) {
  return p->tree[side]->fabric;
}

static uint64_t now_of(const struct pair *p) { return loom_fabric_now(fabric_of(p, SLEEPY)); }

static struct loom_elan5 *node_of(const struct pair *p, uint32_t side, uint32_t number) {
  return node(p->tree[side], number);
}

static struct loom_elite5_router *router_of(const struct pair *p, uint32_t side, uint32_t number) {
  return p->tree[side]->e->router[number];
}

static uint32_t links_of(const struct pair *p) { return p->tree[SLEEPY]->e->links; }

static uint32_t below(struct pair *p, uint32_t n) { return loom_below(&p->seed, n); }

/* ---- equal ----------------------------------------------------------------------------------- */

static void expect_equal(const char *what, uint32_t number, uint64_t now, const void *a,
                         const void *b, size_t size) {
  if (memcmp(a, b, size) == 0)
    return;
  const uint8_t *x = a, *y = b;
  size_t at = 0;
  while (x[at] == y[at])
    at++;
  fail_msg("cycle %llu: %s %u differ at byte %zu: %u, %u", (unsigned long long)now, what, number,
           at, x[at], y[at]);
}
#define EXPECT_EQUAL(what, number, now, a, b) expect_equal(what, number, now, &(a), &(b), sizeof(a))

/* The state as it would be without sleep; the twin itself goes on sleeping. */
static const void *caught_up(const struct pair *p, const struct loom_elite5_router *twin,
                             uint64_t now) {
  memcpy(p->scratch, twin, STATE);
  loom_elite5_router_catch_up(p->scratch, now);
  return p->scratch;
}

static void compare_router(struct pair *p, uint32_t number) {
  const struct loom_elite5_router *a = router_of(p, SLEEPY, number);
  const struct loom_elite5_router *b = router_of(p, RESTLESS, number);
  uint64_t now = now_of(p);
  *(a->now == now ? &p->awake : &p->asleep) += 1;
  assert_int_equal(b->now, now);
  EXPECT_EQUAL("signals seen, router", number, now, a->heard, b->heard);
  EXPECT_EQUAL("signals shown, router", number, now, a->told, b->told);
  expect_equal("router", number, now, caught_up(p, a, now), b, STATE);
  /* What it shows as it lies there. */
  const struct loom_elite5_words *w = loom_elite5_router_words(a);
  EXPECT_EQUAL("words, router", number, now, w->valid, loom_elite5_router_words(b)->valid);
  assert_int_equal(loom_elite5_router_signal(a), loom_elite5_router_signal(b));
}

/* But for the time of its last step and the timers of links that are UP. */
static void compare_node(struct pair *p, uint32_t number) {
  const struct loom_elan5 *a = node_of(p, SLEEPY, number), *b = node_of(p, RESTLESS, number);
  uint64_t now = now_of(p);
  size_t from = offsetof(struct loom_elan5, transfer), to = offsetof(struct loom_elan5, wake);
  expect_equal("node", number, now, (const char *)a + from, (const char *)b + from, to - from);
  for (uint32_t l = 0; l < a->cfg.links; l++) {
    EXPECT_EQUAL("port, node", number, now, a->link[l].port.state, b->link[l].port.state);
    EXPECT_EQUAL("sender, node", number, now, a->link[l].sender, b->link[l].sender);
    EXPECT_EQUAL("receiver, node", number, now, a->link[l].receiver, b->link[l].receiver);
    EXPECT_EQUAL("outputs, node", number, now, a->link[l].out, b->link[l].out);
  }
}

static void compare(struct pair *p) {
  uint64_t now = now_of(p);
  assert_int_equal(now, loom_fabric_now(fabric_of(p, RESTLESS)));
  for (uint32_t l = 0; l < links_of(p); l++) {
    uint64_t a[2], b[2];
    loom_fabric_link_flits(fabric_of(p, SLEEPY), l, a);
    loom_fabric_link_flits(fabric_of(p, RESTLESS), l, b);
    EXPECT_EQUAL("words, link", l, now, a, b);
  }
  uint64_t spoilt = loom_fabric_counts(fabric_of(p, SLEEPY)).spoilt;
  assert_int_equal(spoilt, loom_fabric_counts(fabric_of(p, RESTLESS)).spoilt);
  for (uint32_t r = 0; r < p->tree[SLEEPY]->routers; r++)
    compare_router(p, r);
  for (uint32_t n = 0; n < NODES; n++)
    compare_node(p, n);
}

/* All of it, now and then: tables, buffers, memories; and the twins really catch up. */
static void compare_all(struct pair *p) {
  uint64_t now = now_of(p);
  loom_elite5_fabric_catch_up(p->tree[SLEEPY]->e);
  for (uint32_t r = 0; r < p->tree[SLEEPY]->routers; r++)
    expect_equal("router", r, now, router_of(p, SLEEPY, r), router_of(p, RESTLESS, r),
                 sizeof *router_of(p, SLEEPY, r));
  for (uint32_t n = 0; n < NODES; n++)
    expect_equal("memory", n, now, node_of(p, SLEEPY, n)->memory, node_of(p, RESTLESS, n)->memory,
                 MEMORY);
}

/* ---- cycles ---------------------------------------------------------------------------------- */

/* A router that is counted and never sleeps. */
struct restless {
  struct loom_elite5_router *twin;
  uint64_t *edges;
};

static void step_restless(void *device, uint64_t now, const struct loom_fabric_arrival *in,
                          const struct loom_fabric_show *show) {
  const struct restless *r = device;
  ++*r->edges;
  loom_elite5_router_class.step(r->twin, now, in, show);
}

static bool never_sleeps(const void *device) {
  (void)device;
  return false;
}

static const struct loom_fabric_class restless_class = {.name = "restless",
                                                        .ports = LOOM_ELITE5_LINKS,
                                                        .wires = true,
                                                        .spared = loom_elite5_is_spared,
                                                        .step = step_restless,
                                                        .sleeps = never_sleeps};

/* The same of a node. */
static void step_node(void *device, uint64_t now, const struct loom_fabric_arrival *in,
                      const struct loom_fabric_show *show) {
  loom_elan5_fabric_step(device, now, in, show);
}

static const struct loom_fabric_class restless_node = {.name = "restless node",
                                                       .ports = LOOM_ELAN5_LINKS,
                                                       .wires = true,
                                                       .spared = loom_elite5_is_spared,
                                                       .step = step_node,
                                                       .sleeps = never_sleeps};

/* From the first cycle on: each register of the router is written by an access of its own. */
static bool rouse_router(void *context, struct loom_fabric *f, uint32_t router, uint32_t device) {
  struct pair *p = context;
  p->restless[router] = (struct restless){loom_fabric_device(f, device), &p->edges};
  loom_fabric_replace(f, device, &restless_class, &p->restless[router]);
  return true;
}

static uint32_t rouse_node(void *context, struct loom_fabric *f, struct loom_elan5 *endpoint) {
  (void)context;
  return loom_elan5_add(f, &restless_node, endpoint, endpoint);
}

/* All routers of a side never sleep, from now on; `list` stays as long. */
static void rouse(const struct tree *tree, struct restless *list, uint64_t *edges) {
  assert_in_range(tree->routers, 1, ROUTERS_MAX);
  for (uint32_t r = 0; r < tree->routers; r++) {
    list[r] = (struct restless){tree->e->router[r], edges};
    loom_fabric_replace(tree->fabric, loom_elite5_router_device(tree->e, r), &restless_class,
                        &list[r]);
  }
}

static void calm(const struct tree *tree) {
  for (uint32_t r = 0; r < tree->routers; r++)
    loom_fabric_replace(tree->fabric, loom_elite5_router_device(tree->e, r),
                        &loom_elite5_router_class, tree->e->router[r]);
}

static void step(struct pair *p) {
  uint64_t edges = p->edges + p->tree[RESTLESS]->routers;
  for (uint32_t side = 0; side < BOTH; side++) {
    for (uint32_t n = 0; n < NODES; n++)
      loom_elan5_barrier_step(&p->barrier[side][n], node_of(p, side, n));
    loom_fabric_step(fabric_of(p, side));
  }
  assert_int_equal(p->edges, edges);
  compare(p);
}

static void run(struct pair *p, uint32_t cycles) {
  for (; cycles; cycles--)
    step(p);
}

/* Comparing takes longer than the cycles. */
static void run_long(struct pair *p, uint32_t cycles) {
  for (; cycles >= LONG; cycles -= LONG) {
    for (uint32_t side = 0; side < BOTH; side++)
      loom_fabric_run(fabric_of(p, side), LONG - 1);
    step(p);
  }
  run(p, cycles);
}

/* ---- opening and closing --------------------------------------------------------------------- */

static void init_barriers(struct pair *p) {
  bool all[NODES];
  memset(all, true, sizeof all);
  for (uint32_t side = 0; side < BOTH; side++)
    for (uint32_t group = GROUP; group <= BARRIER_GROUP; group++)
      loom_elite5_fabric_group(p->tree[side]->e, group, all, group == BARRIER_GROUP);
  for (uint32_t n = 0; n < NODES; n++)
    p->member[n] = (uint16_t)n;
  for (uint32_t i = 0; i < BOTH * NODES; i++) {
    const struct loom_elan5_barrier_cfg cfg = {.type = LOOM_ELAN5_BARRIER_EVENTS,
                                               .group = BARRIER_GROUP,
                                               .members = NODES,
                                               .self = i % NODES,
                                               .node = p->member,
                                               .address = MEMORY - 16,
                                               .event = 9,
                                               .arity = 2};
    loom_elan5_barrier_init(&p->barrier[i / NODES][i % NODES], &cfg);
  }
}

static struct pair *open_pair(uint64_t seed, uint32_t latency) {
  struct pair *p = calloc(1, sizeof *p);
  assert_non_null(p);
  p->scratch = calloc(1, sizeof *p->scratch);
  assert_non_null(p->scratch);
  p->restless = calloc(ROUTERS_MAX, sizeof *p->restless);
  assert_non_null(p->restless);
  p->seed = seed;
  const struct loom_topo_tree_cfg shape = {.k = 2, .n = 2, .trunk = 1, .top = 4};
  for (uint32_t side = 0; side < BOTH; side++) {
    struct loom_elite5_fabric_cfg cfg = small_fabric();
    cfg.latency = cfg.host_latency = latency;
    cfg.router.VCS = VCS;
    cfg.router.BVCS = 2;
    cfg.router.POOL = 4;
    cfg.endpoint.memory = MEMORY;
    cfg.endpoint.timeout = 2500;
    if (side == RESTLESS) {
      cfg.added = rouse_router;
      cfg.add_node = rouse_node;
      cfg.context = p;
    }
    p->tree[side] = open_tree(&shape, &cfg);
    assert_int_equal(p->tree[side]->nodes, NODES);
    assert_in_range(p->tree[side]->routers, 1, ROUTERS_MAX);
  }
  compare(p);
  compare_all(p);
  init_barriers(p);
  run(p, 100);
  return p;
}

static void close_pair(struct pair *p) {
  for (uint32_t side = 0; side < BOTH; side++)
    free_tree(p->tree[side]);
  free(p->scratch);
  free(p->restless);
  free(p);
}

/* ---- what can happen, to both ---------------------------------------------------------------- */

static void write_both(struct pair *p, uint32_t router, uint32_t addr, uint32_t data) {
  for (uint32_t side = 0; side < BOTH; side++)
    loom_elite5_fabric_write(p->tree[side]->e, router, addr, data);
}

static void write_all(struct pair *p, uint32_t addr, uint32_t data) {
  for (uint32_t r = 0; r < p->tree[SLEEPY]->routers; r++)
    write_both(p, r, addr, data);
}

static uint32_t read_both(struct pair *p, uint32_t router, uint32_t addr) {
  uint32_t a = loom_elite5_fabric_read(p->tree[SLEEPY]->e, router, addr);
  assert_int_equal(a, loom_elite5_fabric_read(p->tree[RESTLESS]->e, router, addr));
  compare(p);
  return a;
}

static uint32_t some_router(struct pair *p) { return below(p, p->tree[SLEEPY]->routers); }

static void request(struct pair *p, uint32_t kind, uint32_t from, struct loom_elan5_target to,
                    uint32_t bytes) {
  for (uint32_t side = 0; side < BOTH; side++) {
    struct loom_elan5 *e = node_of(p, side, from);
    for (uint64_t ended = e->finished; ended; ended &= ended - 1)
      loom_elan5_done(e, (uint32_t)__builtin_ctzll(ended));
    if (kind == 0)
      loom_elan5_put(e, to, 64 * from, 1024, bytes);
    else if (kind == 1)
      loom_elan5_count(e, to, 3, 1);
    else if (kind == 2)
      loom_elan5_conditional(e, to, 2048, 0);
    else if (kind == 3 && !to.group)
      loom_elan5_get(e, to, 512, 1024, bytes);
    else
      loom_elan5_queue(e, to, 1024, 1 + bytes % LOOM_ELAN5_MESSAGE);
  }
}

static void some_request(struct pair *p) {
  bool group = loom_chance(&p->seed, 20);
  /* Nodes that there are not, too: traps. A conditional fails there, others are sent for ever. */
  bool nowhere = loom_chance(&p->seed, 5);
  uint32_t dest = nowhere ? NODES + 3 : below(p, NODES);
  const struct loom_elan5_target to = {
      .dest = (uint16_t)(group ? GROUP : dest), .group = group, .prio = (uint8_t)below(p, 4)};
  uint32_t kind = nowhere ? 2 : below(p, 5), from = below(p, NODES);
  request(p, kind, from, to, 1 + below(p, loom_chance(&p->seed, 20) ? 3000 : 100));
}

/* Many at once, or one after the other. */
static void burst(struct pair *p) {
  uint32_t apart = loom_chance(&p->seed, 50) ? 0 : 1 + below(p, 12);
  for (uint32_t left = 1 + below(p, 40); left; left--) {
    some_request(p);
    run(p, below(p, apart + 1));
  }
}

/* So that nobody is refused for long. */
static void take_messages(struct pair *p) {
  struct loom_elan5_message a, b;
  memset(&a, 0, sizeof a);
  memset(&b, 0, sizeof b);
  for (uint32_t n = 0; n < NODES; n++)
    while (loom_elan5_take_message(node_of(p, SLEEPY, n), &a)) {
      assert_true(loom_elan5_take_message(node_of(p, RESTLESS, n), &b));
      EXPECT_EQUAL("message", n, now_of(p), a, b);
    }
}

static void enter_barrier(struct pair *p) {
  uint32_t n = below(p, NODES);
  for (uint32_t side = 0; side < BOTH; side++)
    if (loom_elan5_barrier_through(&p->barrier[side][n], node_of(p, side, n)))
      loom_elan5_barrier_enter(&p->barrier[side][n], node_of(p, side, n));
}

static void join_some(struct pair *p) {
  uint32_t link = below(p, links_of(p));
  bool joined = loom_chance(&p->seed, 60);
  for (uint32_t side = 0; side < BOTH; side++)
    loom_fabric_join(fabric_of(p, side), link, joined);
}

static void switch_some(struct pair *p) {
  uint32_t router = some_router(p);
  bool on = loom_chance(&p->seed, 60);
  for (uint32_t side = 0; side < BOTH; side++)
    loom_elite5_fabric_power(p->tree[side]->e, router, on);
}

static void spoil_some(struct pair *p) {
  static const double rate[] = {0, 0, 0.002, 0.05};
  uint32_t link = below(p, links_of(p)), which = below(p, 4);
  for (uint32_t side = 0; side < BOTH; side++)
    loom_fabric_errors(fabric_of(p, side), link, rate[which]);
}

/* Registers, and values that traffic can live with. Of the time register the net knows better. */
static const struct {
  uint32_t addr, value[4];
} row[] = {
    {LOOM_ELITE5_REG_CONTROL, {0, 1, 2, 6}},
    {LOOM_ELITE5_REG_THRESHOLD, {0, 1, 2, 4}},
    {LOOM_ELITE5_REG_EXPIRE, {0, 0, 50, 2000}},
    {LOOM_ELITE5_REG_SEED, {1, 2, 3, 0x12345678}},
    {LOOM_ELITE5_REG_TIME, {0}},
    {LOOM_ELITE5_REG_WINDOW, {0, 7, 300, 5000}},
    {LOOM_ELITE5_REG_LIMIT_REDUNDANT, {0, 1, 3, 16}},
    {LOOM_ELITE5_REG_LIMIT_SINGLE, {0, 1, 3, 16}},
    {LOOM_ELITE5_REG_TIMEOUT, {0, 60, 400, 4096}},
    {LOOM_ELITE5_REG_PRBS_WORDS, {1, 16, 64, 100}},
    {LOOM_ELITE5_REG_PROTOCOL, {0x51, 0x51, 0x51, 0x52}},
    {LOOM_ELITE5_REG_CHIP_ID, {0, 1, 2, 3}},
};

/* `enable` and the class of a link, with or without its slow start, at one end or both. */
static void control_some(struct pair *p) {
  static const uint32_t value[] = {0, LOOM_ELITE5_ENABLE, LOOM_ELITE5_ENABLE | LOOM_ELITE5_QUICK,
                                   LOOM_ELITE5_ENABLE | LOOM_ELITE5_SINGLE | LOOM_ELITE5_QUICK,
                                   LOOM_ELITE5_ENABLE | LOOM_ELITE5_CHECK};
  const struct loom_elite5_routes *routes = p->tree[SLEEPY]->e->routes;
  uint32_t which = below(p, 5), router = some_router(p), link = below(p, 4);
  uint32_t off = below(p, 2), ends = 1 + below(p, 2);
  for (; ends && router != LOOM_ELITE5_ROUTES_NONE; ends--) {
    uint32_t a = loom_elite5_link_register(link, LOOM_ELITE5_REG_LINK_CONTROL);
    if (off)
      write_both(p, router, a, 0);
    write_both(p, router, a, value[which]);
    const struct loom_topo_port *far =
        loom_topo_port(routes->topo, routes->router_device[router], link + 1);
    bool node_there = routes->topo->device[far->device].kind == LOOM_TOPO_HCA;
    router = node_there ? LOOM_ELITE5_ROUTES_NONE : routes->number[far->device];
    link = far->port - 1u;
  }
}

static void write_some(struct pair *p) {
  static const uint32_t cap[] = {1, 2, 6, 63}, limit[] = {0, 1, 2, 32};
  uint32_t router = some_router(p), lane = below(p, 4), which = below(p, 4);
  uint32_t choice = below(p, 4), i = below(p, sizeof row / sizeof *row);
  if (choice == 0)
    control_some(p);
  else if (choice == 1 && which & 1)
    write_both(p, router, loom_elite5_link_register(lane, LOOM_ELITE5_REG_LINK_CAP), cap[which]);
  else if (choice == 1)
    write_both(p, router, loom_elite5_link_register(lane, LOOM_ELITE5_REG_LINK_VC_LIMIT),
               limit[which]);
  else
    write_both(p, router, row[i].addr, row[i].value[which]);
}

static void read_some(struct pair *p) {
  uint32_t router = some_router(p), lane = below(p, 4);
  static const uint32_t window[] = {LOOM_ELITE5_REG_LINK_STATE, LOOM_ELITE5_REG_LINK_CHECKED,
                                    LOOM_ELITE5_REG_LINK_ALLOCATED, LOOM_ELITE5_REG_LINK_PENDING};
  uint32_t which = below(p, 4);
  read_both(p, router, LOOM_ELITE5_REG_TIME);
  read_both(p, router, loom_elite5_link_register(lane, window[which]));
  which = below(p, LOOM_ELITE5_COUNTERS);
  read_both(p, router, loom_elite5_link_register(lane, LOOM_ELITE5_REG_LINK_WORDS_IN + which));
  /* So that the fifo of traps is often full, and often not. */
  for (uint32_t traps = below(p, 30) ? 0 : 20; traps; traps--)
    read_both(p, router, LOOM_ELITE5_REG_TRAP);
}

/* For a while somebody looks at the routers that sleep. */
static void watch_a_while(struct pair *p) {
  uint64_t edges = 0;
  struct restless list[ROUTERS_MAX];
  rouse(p->tree[SLEEPY], list, &edges);
  uint32_t cycles = 1 + below(p, 20);
  run(p, cycles);
  assert_int_equal(edges, cycles * p->tree[SLEEPY]->routers);
  calm(p->tree[SLEEPY]);
}

/* All that was broken is whole, and what was set is as after reset; all comes to an end. */
static void repair(struct pair *p) {
  for (uint32_t side = 0; side < BOTH; side++)
    for (uint32_t l = 0; l < links_of(p); l++) {
      loom_fabric_join(fabric_of(p, side), l, true);
      loom_fabric_errors(fabric_of(p, side), l, 0);
    }
  write_all(p, LOOM_ELITE5_REG_EXPIRE, 0);
  write_all(p, LOOM_ELITE5_REG_THRESHOLD, 1);
  write_all(p, LOOM_ELITE5_REG_LIMIT_REDUNDANT, 16);
  write_all(p, LOOM_ELITE5_REG_LIMIT_SINGLE, 1024);
  uint32_t every = loom_elite5_link_register(LOOM_ELITE5_REG_ALL_LINKS, 0);
  write_all(p, every + LOOM_ELITE5_REG_LINK_VC_LIMIT, VCS);
  write_all(p, every + LOOM_ELITE5_REG_LINK_CAP, 63);
  write_all(p, every + LOOM_ELITE5_REG_LINK_CONTROL, 0);
  run(p, 100);
  write_all(p, every + LOOM_ELITE5_REG_LINK_CONTROL, LOOM_ELITE5_ENABLE | LOOM_ELITE5_QUICK);
  run(p, 100);
}

static void some_event(struct pair *p) {
  static void (*const events[])(struct pair *) = {
      some_request, burst,      burst,      burst,         burst,     enter_barrier, read_some,
      read_some,    write_some, write_some, watch_a_while, join_some, switch_some,   spoil_some};
  events[below(p, sizeof events / sizeof *events)](p);
}

static void some_silence(struct pair *p) {
  uint32_t kind = below(p, 100);
  run(p, kind < 40 ? below(p, 10) : kind < 85 ? below(p, 200) : below(p, 1500));
}

/* ---- tests ----------------------------------------------------------------------------------- */

static void expect_the_same(uint64_t seed, uint32_t latency) {
  struct pair *p = open_pair(seed, latency);
  for (uint32_t round = 0; round < 12; round++) {
    for (uint32_t i = 0; i < 20; i++) {
      some_event(p);
      some_silence(p);
      take_messages(p);
    }
    compare_all(p);
    repair(p);
  }
  uint64_t acks = 0, nacks = 0, lost = 0;
  for (uint32_t n = 0; n < NODES; n++) {
    acks += node_of(p, SLEEPY, n)->counters.acks;
    nacks += node_of(p, SLEEPY, n)->counters.nacks;
    lost += node_of(p, SLEEPY, n)->counters.lost;
  }
  print_message("seed %u: asleep in %.1f %% of %u cycles; %u ACKs, %u NACKs, %u packets lost\n",
                (unsigned)seed, 100.0 * (double)p->asleep / (double)(p->asleep + p->awake),
                (unsigned)now_of(p), (unsigned)acks, (unsigned)nacks, (unsigned)lost);
  assert_true(p->asleep > p->awake / 4 && acks > 1000 && nacks && lost);
  close_pair(p);
}

static void sleep_changes_nothing(void **state) {
  (void)state;
  for (uint64_t seed = 1; seed <= 6; seed++)
    expect_the_same(seed, seed % 3 ? (uint32_t)seed : 1);
}

static void wait_for_sleep(struct pair *p) {
  for (uint32_t i = 0; i < 4000 && !loom_fabric_quiet(fabric_of(p, SLEEPY)); i++)
    step(p);
  assert_true(loom_fabric_quiet(fabric_of(p, SLEEPY)));
}

/* A fabric in which nothing happens does not wake up, and who wakes it finds the right time. */
static void idle_devices_cost_nothing(void **state) {
  (void)state;
  struct pair *p = open_pair(1, 3);
  for (uint32_t round = 0; round < 10; round++) {
    wait_for_sleep(p);
    uint64_t next[ROUTERS_MAX];
    for (uint32_t r = 0; r < p->tree[SLEEPY]->routers; r++)
      next[r] = router_of(p, SLEEPY, r)->now;
    uint64_t time[NODES];
    for (uint32_t n = 0; n < NODES; n++)
      time[n] = node_of(p, SLEEPY, n)->now;
    run_long(p, 7777);
    assert_true(loom_fabric_quiet(fabric_of(p, SLEEPY)));
    for (uint32_t r = 0; r < p->tree[SLEEPY]->routers; r++)
      assert_int_equal(router_of(p, SLEEPY, r)->now, next[r]);
    for (uint32_t n = 0; n < NODES; n++)
      assert_int_equal(node_of(p, SLEEPY, n)->now, time[n]);
    uint32_t read_at = (uint32_t)now_of(p) + 1;
    assert_int_equal(read_both(p, some_router(p), LOOM_ELITE5_REG_TIME), read_at & 0x3FFF);
    some_request(p);
    compare_all(p);
  }
  close_pair(p);
}

/* What is left when nothing comes any more goes on by itself for as long as it has to: timeouts,
 * test words, windows of errors, a packet that was cut short, traps in front of a full fifo. */
static void what_is_left_in_a_long_silence_goes_on_by_itself(void **state) {
  (void)state;
  for (uint64_t seed = 11; seed <= 16; seed++) {
    struct pair *p = open_pair(seed, 1 + seed % 4);
    for (uint32_t round = 0; round < 8; round++) {
      write_all(p, LOOM_ELITE5_REG_TIMEOUT, round & 1 ? 4096 : 300);
      write_all(p, LOOM_ELITE5_REG_WINDOW, round & 2 ? 4000 : 90);
      for (uint32_t i = 0; i < 12; i++) {
        some_request(p);
        run(p, below(p, 30));
      }
      take_messages(p);
      spoil_some(p);
      control_some(p);
      join_some(p);
      run(p, below(p, 30));
      run_long(p, 18000);
      compare_all(p);
    }
    close_pair(p);
  }
}

/* ---- a router alone -------------------------------------------------------------------------- */

enum { QUIET_BIT = 8, NOWHERE = 20 /* a node to which no link leads */ };

static bool router_sleeps(const struct elite5_bench *b) { return loom_elite5_router_sleeps(b->s); }

/* Packets whose replies are to come do not keep a router awake. */
static void open_circuits_sleep(void **state) {
  (void)state;
  struct elite5_bench *b = open_small();
  cycles(b, 20);
  assert_true(router_sleeps(b));
  b->answers = 0;
  uint64_t c = send(b, 0, unicast(0, 3, 4));
  for (uint32_t i = 0; i < 7; i++) {
    cycle(b);
    assert_false(router_sleeps(b));
  }
  cycles(b, 20);
  assert_true(router_sleeps(b));
  expect_packet(b, 3, unicast(0, 3, 4), 0, c + LATENCY);
  reply(b, 3, 0, true);
  cycle(b);
  assert_false(router_sleeps(b));
  cycles(b, 20);
  assert_true(router_sleeps(b));
  expect_reply(b, 0, 0, true, b->cycle - 21 + REPLY_LATENCY);
  close_router(b);
}

/* A stray word on a link that an open packet keeps from being calm: nothing else is left of it. */
static void an_error_beyond_the_limit_keeps_a_router_awake(void **state) {
  (void)state;
  struct elite5_bench *b = open_small();
  write_reg(b, LOOM_ELITE5_REG_LIMIT_REDUNDANT, 0);
  b->answers = 0;
  send(b, 0, unicast(0, 3, 4));
  cycles(b, 30);
  assert_true(router_sleeps(b));
  send_word(b, 0, false, false, 0, 0);
  cycles(b, 10);
  expect_trap(b, WINDOW_ERRORS, 0, 0, 0, 0);
  close_router(b);
}

/* A link falls with a word of a segment that is skipped, so that the closing word comes later. */
static void a_skipped_segment_is_closed(void **state) {
  (void)state;
  for (uint32_t at = 0; at < 12; at++) {
    struct elite5_bench *b = open_small();
    for (uint32_t i = 0; i < 10; i++)
      send_word(b, 0, i == 0, false, S_VCS, 1);
    cycles(b, at);
    unplug(b, 0);
    cycles(b, 40);
    assert_int_equal(read_link(b, 0, LOOM_ELITE5_REG_LINK_STATE), DOWN | QUIET_BIT);
    close_router(b);
  }
}

/* The same with a stray word while half a packet is there. */
static void half_a_packet_is_closed(void **state) {
  (void)state;
  for (uint32_t at = 0; at < 6; at++) {
    struct elite5_bench *b = open_small();
    send_part(b, 0, unicast(0, 3, 64), 0, SEGMENT);
    cycles(b, 60);
    assert_true(router_sleeps(b));
    for (uint32_t i = 0; i < 4; i++)
      send_word(b, 0, false, false, 0, 0);
    cycles(b, at);
    unplug(b, 0);
    cycles(b, 60);
    assert_int_equal(read_link(b, 0, LOOM_ELITE5_REG_LINK_NOT_IDLE), 0);
    assert_int_equal(read_link(b, 0, LOOM_ELITE5_REG_LINK_STATE), DOWN | QUIET_BIT);
    close_router(b);
  }
}

/* A packet that goes nowhere is cut short, and its NACK gives way to the reply of another one: both
 * end at an input that is not UP, so neither goes out. */
static void a_nack_of_its_own_that_waits_keeps_a_router_awake(void **state) {
  (void)state;
  for (uint32_t at = 0; at < 20; at++) {
    struct elite5_bench *b = open_small();
    b->answers = 0;
    send(b, 0, unicast(0, 3, 4));
    cycles(b, 10);
    send(b, 1, unicast(0, 3, 4)); /* keeps the output from being calm */
    send_part(b, 0, unicast(1, NOWHERE, 64), 0, SEGMENT);
    cycles(b, 60);
    assert_true(router_sleeps(b));
    unplug(b, 0);
    cycles(b, at);
    reply(b, 3, 0, true);
    cycles(b, 40);
    assert_int_equal(read_link(b, 0, LOOM_ELITE5_REG_LINK_NOT_IDLE), 0);
    close_router(b);
  }
}

/* The word of the last cycle in which a link was tested, when its own test words are over. */
static void the_last_word_of_a_test_keeps_a_router_awake(void **state) {
  (void)state;
  for (uint32_t at = 0; at < 4; at++) {
    struct elite5_bench *b = open_router(SMALL);
    write_reg(b, LOOM_ELITE5_REG_PRBS_WORDS, 8);
    write_reg(b, LOOM_ELITE5_REG_TIMEOUT, 0);
    write_link(b, 0, LOOM_ELITE5_REG_LINK_CONTROL, ENABLE);
    b->signal = 1;
    cycles(b, 10);
    send_control(b, 0, LOOM_ELITE5_NEGOTIATE, 0x51ull << 32);
    cycles(b, 10);
    send_control(b, 0, LOOM_ELITE5_IDENTIFY, 0);
    cycles(b, 100);
    assert_int_equal(read_link(b, 0, LOOM_ELITE5_REG_LINK_STATE) & ~(uint32_t)QUIET_BIT, PRBS);
    for (uint32_t i = 0; i < 3; i++)
      send_word(b, 0, false, false, 0, 123);
    cycles(b, at);
    unplug(b, 0);
    cycles(b, 20);
    assert_int_equal(read_link(b, 0, LOOM_ELITE5_REG_LINK_STATE), DOWN | QUIET_BIT);
    close_router(b);
  }
}

/* A pattern of names runs only these tests. */
int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(idle_devices_cost_nothing),
      cmocka_unit_test(sleep_changes_nothing),
      cmocka_unit_test(what_is_left_in_a_long_silence_goes_on_by_itself),
      cmocka_unit_test(open_circuits_sleep),
      cmocka_unit_test(an_error_beyond_the_limit_keeps_a_router_awake),
      cmocka_unit_test(a_skipped_segment_is_closed),
      cmocka_unit_test(half_a_packet_is_closed),
      cmocka_unit_test(a_nack_of_its_own_that_waits_keeps_a_router_awake),
      cmocka_unit_test(the_last_word_of_a_test_keeps_a_router_awake),
  };
  return UNIT_RUN("elite5_sleep", tests, NULL, NULL);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* test_elite5_fabric.c - whole fabrics of Elite5 routers and endpoints (docs/elan5.md): routes,
 * adaptivity, failures, broadcasts, conditionals, barriers
 */
#include "tb/unit/unit.h"

#include <loom/random.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "elan5/elan5_barrier.h"
#include "tb/unit/elite5_tree.h"

enum { PATIENCE = 300000, NODES_MAX = 128, TRAP_DEAD_END = 1, TRAP_LINK_LOST = 4 };
/* Selection of docs/elite5.md. */
enum { FIRST_FREE = 0, NEXT_FREE = 1, RANDOM = 2 };

/* ---- a fabric and its traffic ---------------------------------------------------------------- */

static void write_all(struct tree *tree, uint32_t addr, uint32_t data) {
  for (uint32_t r = 0; r < tree->routers; r++)
    loom_elite5_fabric_write(tree->e, r, addr, data);
}

static uint32_t counter(struct tree *tree, uint32_t router, uint32_t lane, uint32_t which) {
  uint32_t a = LOOM_ELITE5_REG_LINK_WORDS_IN + which;
  return loom_elite5_fabric_read(tree->e, router, loom_elite5_link_register(lane, a));
}

/* Ended transfers are freed. */
static void reap(struct loom_elan5 *e) {
  for (uint64_t left = e->finished; left; left &= left - 1)
    loom_elan5_done(e, (uint32_t)__builtin_ctzll(left));
}

static void until_idle(struct tree *tree) {
  uint32_t i = 0;
  while (i < PATIENCE && !loom_elite5_fabric_idle(tree->e)) {
    loom_fabric_step(tree->fabric);
    i++;
  }
  assert_true(i < PATIENCE);
  for (uint32_t n = 0; n < tree->nodes; n++)
    reap(node(tree, n));
}

/* Each node of `from` keeps this many puts under way, to nodes that `pick` chooses. */
struct traffic {
  struct tree *tree;
  bool from[NODES_MAX];
  uint32_t depth, bytes;
  uint32_t (*pick)(struct traffic *t, uint32_t source);
  uint64_t seed;
};

static void offer(struct traffic *t) {
  for (uint32_t n = 0; n < t->tree->nodes; n++) {
    struct loom_elan5 *e = node(t->tree, n);
    if (!t->from[n])
      continue;
    reap(e);
    if ((uint32_t)__builtin_popcountll(e->used) >= t->depth)
      continue;
    const struct loom_elan5_target to = {.dest = (uint16_t)t->pick(t, n)};
    loom_elan5_put(e, to, 64ull * n % 4096, 0, t->bytes);
  }
}

static void run(struct traffic *t, uint32_t cycles) {
  for (; cycles; cycles--) {
    offer(t);
    loom_fabric_step(t->tree->fabric);
  }
}

static uint64_t sum(const struct tree *tree, size_t counter_at) {
  uint64_t total = 0;
  for (uint32_t n = 0; n < tree->nodes; n++)
    total += *(const uint64_t *)((const char *)&node(tree, n)->counters + counter_at);
  return total;
}
#define SUM(tree, name) sum(tree, offsetof(struct loom_elan5_counters, name))

/* Nothing is under way, nothing is lost, every packet had its reply. */
static void close_tree(struct tree *tree) {
  until_idle(tree);
  assert_int_equal(SUM(tree, begun), SUM(tree, acks) + SUM(tree, nacks) + SUM(tree, lost));
  assert_int_equal(SUM(tree, reply_errors), 0);
  for (uint32_t r = 0; r < tree->routers; r++)
    for (uint32_t lane = 0; lane < tree->e->cfg.router.LINKS; lane++) {
      uint32_t a = loom_elite5_link_register(lane, LOOM_ELITE5_REG_LINK_ALLOCATED);
      assert_int_equal(loom_elite5_fabric_read(tree->e, r, a), 0);
      a = loom_elite5_link_register(lane, LOOM_ELITE5_REG_LINK_NOT_IDLE);
      assert_int_equal(loom_elite5_fabric_read(tree->e, r, a), 0);
    }
  free_tree(tree);
}

static uint32_t anybody(struct traffic *t, uint32_t source) {
  uint32_t dest = loom_below(&t->seed, t->tree->nodes - 1);
  return dest + (dest >= source);
}

static struct traffic uniform(struct tree *tree, uint32_t depth, uint32_t bytes) {
  struct traffic t = {.tree = tree, .depth = depth, .bytes = bytes, .pick = anybody, .seed = 7};
  for (uint32_t n = 0; n < tree->nodes; n++)
    t.from[n] = true;
  return t;
}

/* ---- shape ----------------------------------------------------------------------------------- */

/* Nodes and switches of a tree; it is made, but for the largest, which has closed forms. */
static void expect_size(const struct loom_topo_tree_cfg *cfg, uint32_t nodes, uint32_t switches) {
  struct loom_topo *t = loom_topo_tree_make(cfg);
  struct loom_topo_counts c;
  assert_non_null(t);
  loom_topo_count(t, &c);
  assert_int_equal(c.nodes, nodes);
  assert_int_equal(c.switches, switches);
  loom_topo_destroy(t);
}

/* E5-41. */
static void trees_have_the_sizes_of_their_closed_form(void **state) {
  (void)state;
  struct loom_topo_tree_cfg cfg = small_tree();
  expect_size(&cfg, 64, 48);
  static const uint32_t nodes[] = {32, 512, 8192, 131072}, switches[] = {1, 48, 1280, 28672};
  cfg.k = 16;
  cfg.top = 32;
  for (cfg.n = 1; cfg.n <= 4; cfg.n++)
    expect_size(&cfg, nodes[cfg.n - 1], switches[cfg.n - 1]);
  cfg.n = 3;
  cfg.links = 3;
  assert_string_equal(loom_topo_tree_bad(&cfg), "links");
}

/* The fabric has the graph's routers, nodes and cables, each at its place. */
static void routers_nodes_and_cables_stand_where_the_graph_has_them(void **state) {
  (void)state;
  struct loom_topo_tree_cfg shape = small_tree();
  shape.top = 2;
  shape.hosted = 2;
  const struct loom_elite5_fabric_cfg cfg = small_fabric();
  struct tree *tree = open_tree(&shape, &cfg);
  uint32_t router = 0;
  for (uint32_t l = 0; l < shape.n; l++)
    for (uint32_t i = 0; i < tree->per_level[l]; i++) {
      char name[LOOM_TOPO_NAME];
      assert_int_equal(tree_router(tree, l, i), router);
      snprintf(name, sizeof name, "S%u-%u", (unsigned)l, (unsigned)i);
      assert_string_equal(tree->topo->device[tree->e->routes->router_device[router++]].name, name);
    }
  struct loom_topo_counts c;
  loom_topo_count(tree->topo, &c);
  assert_int_equal(c.switches, router);
  assert_int_equal(c.nodes, tree->nodes);
  assert_int_equal(c.node_links + c.switch_links, tree->e->links);
  close_tree(tree);
}

/* Everybody to everybody in several shapes. */
static void expect_reach(const struct loom_topo_tree_cfg *shape, uint32_t latency) {
  struct loom_elite5_fabric_cfg net = small_fabric();
  net.latency = net.host_latency = latency;
  net.groups = 4;
  struct tree *tree = open_tree(shape, &net);
  for (uint32_t n = 0; n < tree->nodes; n++)
    loom_elan5_store(node(tree, n)->memory, 1000 + n);
  for (uint32_t step = 1; step < tree->nodes; step++) {
    for (uint32_t n = 0; n < tree->nodes; n++) {
      const struct loom_elan5_target to = {.dest = (uint16_t)((n + step) % tree->nodes)};
      loom_elan5_put(node(tree, n), to, 1024 + 8 * n, 0, 8);
    }
    until_idle(tree);
  }
  for (uint32_t n = 0; n < tree->nodes; n++)
    for (uint32_t from = 0; from < tree->nodes; from++)
      if (from != n)
        assert_int_equal(loom_elan5_load(node(tree, n)->memory + 1024 + 8 * from), 1000 + from);
  assert_int_equal(SUM(tree, nacks), 0);
  close_tree(tree);
}

static void every_shape_reaches_all_nodes(void **state) {
  (void)state;
  static const struct loom_topo_tree_cfg shape[] = {
      {.k = 4, .n = 1, .trunk = 1, .top = 8},
      {.k = 4, .n = 1, .trunk = 1, .top = 8, .links = 2},
      {.k = 2, .n = 4, .trunk = 1, .top = 4},
      {.k = 4, .n = 2, .trunk = 1, .top = 8, .hosted = 4},
      {.k = 4, .n = 3, .trunk = 1, .top = 2, .hosted = 2, .links = 2},
      {.k = 2, .n = 3, .trunk = 1, .top = 8, .links = 4, .spread = true},
      {.k = 2, .n = 3, .trunk = 2},
  };
  static const uint32_t latency[] = {1, 3, 1, 2, 1, 1, 1};
  for (uint32_t i = 0; i < sizeof shape / sizeof *shape; i++)
    expect_reach(&shape[i], latency[i]);
}

/* E5-35: every link negotiates, checks its other end and is tested before it comes up. */
static void every_link_is_tested_before_it_comes_up(void **state) {
  (void)state;
  const struct loom_topo_tree_cfg shape = small_tree();
  struct loom_elite5_fabric_cfg net = small_fabric();
  net.slow = true;
  net.latency = net.host_latency = 5;
  struct tree *tree = open_tree(&shape, &net);
  print_message("up after %u cycles\n", (unsigned)tree_now(tree));
  struct traffic t = uniform(tree, 4, 100);
  run(&t, 500);
  until_idle(tree);
  assert_int_equal(SUM(tree, nacks), 0);
  /* A link that was cut comes back in the same way. */
  uint32_t link = loom_elite5_router_link(tree->e, 0, 5);
  loom_fabric_join(tree->fabric, link, false);
  run(&t, 100);
  loom_fabric_join(tree->fabric, link, true);
  run(&t, 500);
  assert_false(loom_elite5_fabric_up(tree->e));
  run(&t, 1000);
  assert_true(loom_elite5_fabric_up(tree->e));
  close_tree(tree);
}

/* E5-18, E5-20: what a policy says stands in the registers of every router. */
static void a_policy_is_written_to_every_router(void **state) {
  (void)state;
  static const struct {
    struct loom_elite5_policy policy;
    uint32_t control, threshold;
  } cases[] = {{{LOOM_ELITE5_FIRST, 1, false, 0}, 0, 1},
               {{LOOM_ELITE5_NEXT, 0, true, 9}, 4 | 1, 0},
               {{LOOM_ELITE5_RANDOM, 63, false, 16383}, 2, 63},
               {{LOOM_ELITE5_OBLIVIOUS, 1, false, 0}, 2, 63},
               {{LOOM_ELITE5_OBLIVIOUS, 16, true, 0}, 2, 63},
               {{LOOM_ELITE5_STATIC, 1, true, 0}, 0, 63}};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    const struct loom_topo_tree_cfg shape = {.k = 2, .n = 2, .trunk = 1};
    struct loom_elite5_fabric_cfg net = small_fabric();
    net.policy = cases[i].policy;
    struct tree *tree = open_tree(&shape, &net);
    for (uint32_t r = 0; r < tree->routers; r++) {
      assert_int_equal(loom_elite5_fabric_read(tree->e, r, LOOM_ELITE5_REG_CONTROL),
                       cases[i].control);
      assert_int_equal(loom_elite5_fabric_read(tree->e, r, LOOM_ELITE5_REG_THRESHOLD),
                       cases[i].threshold);
      assert_int_equal(loom_elite5_fabric_read(tree->e, r, LOOM_ELITE5_REG_EXPIRE),
                       cases[i].policy.expire);
    }
    close_tree(tree);
  }
}

/* ---- latency and rate ------------------------------------------------------------------------ */

/* E5-34: five routers in a row: out, up, top, down, in. */
static void a_path_of_five_routers_has_its_latency(void **state) {
  (void)state;
  const struct loom_topo_tree_cfg shape = small_tree();
  const struct loom_elite5_fabric_cfg net = small_fabric();
  struct tree *tree = open_tree(&shape, &net);
  static const struct {
    uint16_t dest;
    uint32_t routers;
  } row[] = {{1, 1}, {4, 3}, {63, 5}};
  for (uint32_t i = 0; i < 3; i++) {
    struct loom_elan5 *e = node(tree, row[i].dest);
    const struct loom_elan5_target to = {.dest = row[i].dest};
    loom_elan5_put_word(node(tree, 0), to, 0, 1);
    until_idle(tree);
    uint32_t cycles = 7 * row[i].routers + net.latency * (row[i].routers + 1);
    assert_int_equal(e->counters.age_min, cycles);
    assert_int_equal(e->counters.age_max, cycles);
    print_message("%u routers: header latency %u cycles, %.1f ns\n", row[i].routers, cycles,
                  3.2 * cycles);
    assert_true(3.2 * cycles <= 200);
  }
  close_tree(tree);
}

/* Words that reach node 63 a cycle, sent by node 0 on so many VCs. */
static double rate_over_vcs(uint32_t vcs, uint32_t bytes) {
  const struct loom_topo_tree_cfg shape = small_tree();
  struct loom_elite5_fabric_cfg net = small_fabric();
  net.router.VCS = vcs + 1;
  net.router.BVCS = 1;
  struct tree *tree = open_tree(&shape, &net);
  struct loom_elan5 *from = node(tree, 0);
  uint32_t last = loom_elite5_node_link(tree->e, 63, 0);
  const struct loom_elan5_target target = {.dest = 63};
  enum { WARM = 2000, MEASURE = 20000 };
  uint64_t before = 0;
  for (uint32_t i = 0; i < WARM + MEASURE; i++) {
    if (i == WARM)
      before = link_words(tree, last);
    reap(from);
    loom_elan5_put(from, target, 0, 0, bytes);
    loom_fabric_step(tree->fabric);
  }
  uint64_t words = link_words(tree, last) - before;
  close_tree(tree);
  return (double)words / MEASURE;
}

/* E5-16. */
static void three_vcs_saturate_a_link_with_large_packets(void **state) {
  (void)state;
  static const uint32_t vcs[] = {1, 2, 3, 4, 8, 16, 28};
  double large[7], small[7];
  for (uint32_t i = 0; i < 7; i++) {
    large[i] = rate_over_vcs(vcs[i], 16384);
    small[i] = rate_over_vcs(vcs[i], 8);
    print_message("%2u VCs: %.3f of the line at 1 KB, %.3f at 8 B\n", vcs[i], large[i], small[i]);
    if (i > 0) {
      assert_true(large[i] >= large[i - 1] - 0.005);
      assert_true(small[i] >= small[i - 1] - 0.005);
    }
  }
  assert_true(large[2] >= 0.98);
  assert_true(small[2] < 0.5 && small[6] > small[3]);
}

/* E5-10: long cables: no buffer overflows, and the rate stays. */
static void long_cables_lose_nothing_and_keep_the_rate(void **state) {
  (void)state;
  for (uint32_t latency = 1; latency <= 63; latency += 31) {
    static const struct loom_topo_tree_cfg shape = {.k = 1, .n = 1, .trunk = 1, .top = 4};
    struct loom_elite5_fabric_cfg net = small_fabric();
    net.latency = net.host_latency = latency;
    net.groups = 1;
    struct tree *tree = open_tree(&shape, &net);
    uint32_t link = loom_elite5_node_link(tree->e, 1, 0);
    const struct loom_elan5_target to = {.dest = 1};
    enum { WARM = 3000, MEASURE = 10000 };
    uint64_t before = 0;
    for (uint32_t i = 0; i < WARM + MEASURE; i++) {
      before = i == WARM ? link_words(tree, link) : before;
      reap(node(tree, 0));
      loom_elan5_put(node(tree, 0), to, 0, 0, 16384);
      loom_fabric_step(tree->fabric);
    }
    double rate = (double)(link_words(tree, link) - before) / MEASURE;
    print_message("cables of %u cycles: %.3f of the line\n", latency, rate);
    assert_true(rate > 0.99);
    assert_int_equal(counter(tree, 0, 0, LOOM_ELITE5_LINK_ERRORS), 0);
    close_tree(tree);
  }
}

/* ---- adaptive routes ------------------------------------------------------------------------- */

static void expect_even(struct tree *tree, uint32_t level, double within) {
  uint32_t least = UINT32_MAX, most = 0;
  for (uint32_t w = 0; w < tree->per_level[level]; w++)
    for (uint32_t j = 0; j < tree->shape.k; j++) {
      uint32_t packets =
          counter(tree, tree_router(tree, level, w), tree->shape.k + j, LOOM_ELITE5_PACKETS_OUT);
      least = packets < least ? packets : least;
      most = packets > most ? packets : most;
    }
  double mean = (least + most) / 2.0;
  print_message("level %u: %u to %u packets a link up\n", level, least, most);
  assert_true(most - mean <= within * mean);
}

/* E5-22. */
static void all_ways_up_are_used_in_every_mode(void **state) {
  (void)state;
  for (uint32_t mode = 0; mode <= 3; mode++) {
    const struct loom_topo_tree_cfg shape = small_tree();
    const struct loom_elite5_fabric_cfg net = small_fabric();
    struct tree *tree = open_tree(&shape, &net);
    write_all(tree, LOOM_ELITE5_REG_CONTROL, mode);
    loom_elite5_fabric_flush(tree->e);
    struct traffic t = uniform(tree, 4, 64);
    run(&t, mode == RANDOM ? 30000 : 2000);
    until_idle(tree);
    assert_int_equal(SUM(tree, nacks), 0);
    assert_int_equal(SUM(tree, received), SUM(tree, begun));
    if (mode == RANDOM) {
      expect_even(tree, 0, 0.05);
      expect_even(tree, 1, 0.05);
    }
    close_tree(tree);
  }
}

static uint32_t to_the_last(struct traffic *t, uint32_t source) {
  (void)source;
  return t->tree->nodes - 1;
}

/* One node sends to one other: with static tables over one link up and all others stay empty. */
static void static_tables_keep_a_stream_on_one_way(void **state) {
  (void)state;
  for (uint32_t policy = LOOM_ELITE5_OBLIVIOUS; policy <= LOOM_ELITE5_STATIC; policy++) {
    const struct loom_topo_tree_cfg shape = small_tree();
    struct loom_elite5_fabric_cfg net = small_fabric();
    net.policy.choice = policy;
    struct tree *tree = open_tree(&shape, &net);
    struct traffic t = uniform(tree, 4, 64);
    memset(t.from, 0, sizeof t.from);
    t.from[0] = true;
    t.pick = to_the_last;
    run(&t, 2000);
    until_idle(tree);
    uint32_t ways = 0;
    for (uint32_t lane = 4; lane < 8; lane++)
      ways += counter(tree, 0, lane, LOOM_ELITE5_WORDS_OUT) > 0;
    assert_int_equal(ways, policy == LOOM_ELITE5_STATIC ? 1 : 4);
    close_tree(tree);
  }
}

/* From nodes 28.. of the last leaf to nodes 0 and 1 of the first. */
static uint32_t first_leaf(struct traffic *t, uint32_t source) {
  (void)t;
  return source & 1;
}

/* Four top switches in one router: their links down serve each other (E5-23). */
static void top_switches_in_one_router_share_its_links_down(void **state) {
  (void)state;
  const struct loom_topo_tree_cfg shape = {.k = 4, .n = 2, .trunk = 1, .top = 8, .hosted = 4};
  const struct loom_elite5_fabric_cfg net = small_fabric();
  struct tree *tree = open_tree(&shape, &net);
  uint32_t top = tree_router(tree, 1, 0);
  struct traffic t = {.tree = tree, .depth = 4, .bytes = 4096, .pick = first_leaf, .seed = 1};
  t.from[28] = t.from[29] = true;
  uint64_t bytes[2];
  uint32_t packets[2][4];
  for (uint32_t round = 0; round < 2; round++) {
    run(&t, 2000);
    uint64_t before = SUM(tree, bytes);
    run(&t, 20000);
    bytes[round] = SUM(tree, bytes) - before;
    for (uint32_t h = 0; h < 4; h++)
      packets[round][h] = counter(tree, top, 8 * h, LOOM_ELITE5_PACKETS_OUT);
    /* Then one of the four links down to the first leaf breaks. */
    if (!round)
      loom_fabric_join(tree->fabric, loom_elite5_router_link(tree->e, top, 8), false);
  }
  for (uint32_t h = 0; h < 4; h++) {
    uint32_t more = packets[1][h] - packets[0][h];
    assert_true(packets[0][h] > 0);
    assert_true(h == 1 ? more < 10 : more > 50);
  }
  print_message("bytes in 20000 cycles: %u over 4 links, %u over 3\n", (unsigned)bytes[0],
                (unsigned)bytes[1]);
  assert_true(fabs((double)bytes[1] - (double)bytes[0]) < 0.02 * (double)bytes[0]);
  close_tree(tree);
}

static uint32_t to_zero(struct traffic *t, uint32_t source) {
  (void)t;
  (void)source;
  return 0;
}

/* Words a cycle into node 0, that all others send to, and that sends nothing itself. */
static double hot_rate(struct tree *tree) {
  struct traffic t = uniform(tree, 24, 4096);
  t.pick = to_zero;
  t.from[0] = false;
  enum { WARM = 3000, MEASURE = 10000 };
  uint64_t words = 0;
  run(&t, WARM);
  for (uint32_t link = 0; link < tree->shape.links; link++)
    words -= link_words(tree, loom_elite5_node_link(tree->e, 0, link));
  run(&t, MEASURE);
  for (uint32_t link = 0; link < tree->shape.links; link++)
    words += link_words(tree, loom_elite5_node_link(tree->e, 0, link));
  return (double)words / MEASURE;
}

/* E5-24. */
static void more_links_of_a_node_carry_as_much_more(void **state) {
  (void)state;
  double single = 0;
  for (uint32_t links = 1; links <= 4; links *= 2)
    for (uint32_t spread = 0; spread < (links > 1 ? 2 : 1); spread++) {
      struct loom_topo_tree_cfg shape = small_tree();
      shape.n = 2;
      shape.links = links;
      shape.spread = spread;
      const struct loom_elite5_fabric_cfg net = small_fabric();
      struct tree *tree = open_tree(&shape, &net);
      double rate = hot_rate(tree);
      print_message("%u links %s: %.3f words a cycle\n", links, spread ? "spread" : "together",
                    rate);
      if (links == 1)
        single = rate;
      assert_true(fabs(rate - links * single) < 0.03 * links * single);
      if (spread && links == 4) {
        loom_elite5_fabric_power(tree->e, 3, false);
        rate = hot_rate(tree);
        print_message("and one of the four routers dead: %.3f\n", rate);
        assert_true(fabs(rate - 3 * single) < 0.03 * 3 * single);
      }
      close_tree(tree);
    }
  assert_true(single > 0.98);
}

/* ---- failures -------------------------------------------------------------------------------- */

static uint32_t link_of(const struct tree *tree, uint32_t router, uint32_t lane) {
  return loom_elite5_router_link(tree->e, router, lane);
}

/* E5-25: links that drop and return under traffic. Data are the same at the same address, so the
 * memory tells what was lost. */
static void nothing_is_lost_when_links_drop_and_return(void **state) {
  (void)state;
  const struct loom_topo_tree_cfg shape = small_tree();
  const struct loom_elite5_fabric_cfg net = small_fabric();
  struct tree *tree = open_tree(&shape, &net);
  struct traffic t = uniform(tree, 6, 1500);
  uint64_t seed = 3, fill = 1;
  for (uint32_t i = 0; i < 1500; i++)
    node(tree, 0)->memory[16384 + i] = (uint8_t)loom_random(&fill);
  for (uint32_t n = 1; n < tree->nodes; n++)
    memcpy(node(tree, n)->memory + 16384, node(tree, 0)->memory + 16384, 1500);
  for (uint32_t round = 0; round < 25; round++) {
    /* A link between routers: an up link of a leaf or of a middle router. */
    uint32_t router = loom_below(&seed, 32), lane = 4 + loom_below(&seed, 4);
    uint32_t link = link_of(tree, router, lane);
    loom_fabric_join(tree->fabric, link, false);
    run(&t, 5);
    uint32_t before = counter(tree, router, lane, LOOM_ELITE5_WORDS_OUT);
    run(&t, 300);
    assert_int_equal(counter(tree, router, lane, LOOM_ELITE5_WORDS_OUT), before);
    loom_fabric_join(tree->fabric, link, true);
    run(&t, 200);
  }
  uint64_t effects = 0, begun = 0;
  until_idle(tree);
  for (uint32_t n = 0; n < tree->nodes; n++) {
    effects += node(tree, n)->counters.effects;
    begun += node(tree, n)->window[0].next;
    assert_int_equal(node(tree, n)->window[0].unacked, 0);
  }
  assert_int_equal(effects, begun);
  assert_true(SUM(tree, nacks) > 0);
  assert_int_equal(SUM(tree, lost), 0);
  close_tree(tree);
}

/* Figure 2 of the paper: routers 10..13 below 20..23. */
enum { R10 = 0, R20 = 4 };

static uint32_t under_10(struct traffic *t, uint32_t source) {
  (void)source;
  return loom_below(&t->seed, 4);
}

static uint32_t under_11_to_13(struct traffic *t, uint32_t source) {
  uint32_t dest = 4 + loom_below(&t->seed, 8);
  return dest / 4 == source / 4 ? 4 + (dest + 4) % 12 : dest;
}

static struct tree *open_broken(void) {
  struct loom_topo_tree_cfg shape = small_tree();
  shape.n = 2;
  const struct loom_elite5_fabric_cfg net = small_fabric();
  struct tree *tree = open_tree(&shape, &net);
  write_all(tree, LOOM_ELITE5_REG_CONTROL, RANDOM);
  /* Choose among all links, however many replies they wait for. */
  write_all(tree, LOOM_ELITE5_REG_THRESHOLD, 63);
  loom_elite5_fabric_flush(tree->e);
  loom_fabric_join(tree->fabric, link_of(tree, R10, 4), false);
  loom_fabric_run(tree->fabric, 10);
  return tree;
}

static struct traffic from_11_to_13(struct tree *tree) {
  struct traffic t = {.tree = tree, .depth = 12, .bytes = 64, .pick = under_10, .seed = 5};
  for (uint32_t n = 4; n < 16; n++)
    t.from[n] = true;
  return t;
}

/* NACKs a packet in so many cycles. */
static double nack_rate(struct traffic *t, uint32_t cycles) {
  until_idle(t->tree);
  uint64_t begun = SUM(t->tree, begun), nacks = SUM(t->tree, nacks);
  run(t, cycles);
  until_idle(t->tree);
  return (double)(SUM(t->tree, nacks) - nacks) / (double)(SUM(t->tree, begun) - begun);
}

static uint32_t take_trap(struct tree *tree, uint32_t router) {
  uint32_t trap = loom_elite5_fabric_read(tree->e, router, LOOM_ELITE5_REG_TRAP);
  return trap >> 31 ? trap >> 28 & 7 : 0;
}

/* E5-26. */
static void a_broken_link_refuses_packets_until_it_is_cured(void **state) {
  (void)state;
  for (uint32_t cure = 0; cure < 2; cure++) {
    struct tree *tree = open_broken();
    struct traffic t = from_11_to_13(tree);
    assert_int_equal(take_trap(tree, R10), TRAP_LINK_LOST);
    assert_int_equal(take_trap(tree, R20), TRAP_LINK_LOST);
    double rate = nack_rate(&t, 20000);
    print_message("broken link: %.4f NACKs a packet\n", rate);
    assert_true(fabs(rate - 0.25) < 0.25 * 0.05);
    assert_int_equal(take_trap(tree, R20), TRAP_DEAD_END);
    for (uint32_t r = R10 + 1; r < tree->routers; r++)
      if (r != R20)
        assert_int_equal(take_trap(tree, r), 0);
    if (cure == 0) {
      uint32_t a =
          loom_elite5_link_register(LOOM_ELITE5_REG_ALL_LINKS, LOOM_ELITE5_REG_LINK_CONTROL);
      loom_elite5_fabric_write(tree->e, R20, a, 0);
    } else {
      loom_elite5_routes_avoid(tree->e->routes, R10, 4, true);
      assert_true(loom_elite5_fabric_route(tree->e));
    }
    loom_elite5_fabric_flush(tree->e);
    loom_fabric_run(tree->fabric, 10);
    assert_true(nack_rate(&t, 5000) == 0);
    /* Others still use router 20 only if the tables were cured. */
    t.pick = under_11_to_13;
    uint32_t before = counter(tree, R20, 1, LOOM_ELITE5_PACKETS_OUT);
    assert_true(nack_rate(&t, 5000) == 0);
    uint32_t used = counter(tree, R20, 1, LOOM_ELITE5_PACKETS_OUT) - before;
    assert_true(cure == 0 ? used == 0 : used > 20);
    close_tree(tree);
  }
}

/* ---- errors ---------------------------------------------------------------------------------- */

/* E5-37. */
static void the_rate_of_packet_errors_follows_from_that_of_words(void **state) {
  (void)state;
  const struct loom_topo_tree_cfg shape = small_tree();
  const struct loom_elite5_fabric_cfg net = small_fabric();
  static const double chance_of_word[] = {0.002, 0.008};
  for (uint32_t i = 0; i < 2; i++) {
    struct tree *tree = open_tree(&shape, &net);
    /* No link is given up. */
    write_all(tree, LOOM_ELITE5_REG_LIMIT_REDUNDANT, 0xFFFF);
    write_all(tree, LOOM_ELITE5_REG_LIMIT_SINGLE, 0xFFFF);
    loom_elite5_fabric_flush(tree->e);
    for (uint32_t link = 0; link < tree->e->links; link++)
      loom_fabric_errors(tree->fabric, link, chance_of_word[i]);
    struct traffic t = {.tree = tree, .depth = 8, .bytes = 64, .pick = anybody, .seed = 9};
    /* To the other half of the tree: six links of eleven words each. */
    for (uint32_t n = 0; n < tree->nodes; n++)
      t.from[n] = true;
    t.pick = NULL;
    uint64_t seed = 4;
    for (uint32_t cycle = 0; cycle < (i ? 4000 : 12000); cycle++) {
      for (uint32_t n = 0; n < tree->nodes; n++) {
        struct loom_elan5 *e = node(tree, n);
        reap(e);
        const struct loom_elan5_target to = {.dest =
                                                 (uint16_t)((n + 32) % 64 ^ loom_below(&seed, 16))};
        if ((uint32_t)__builtin_popcountll(e->used) < t.depth)
          loom_elan5_put(e, to, 0, 0, 64);
      }
      loom_fabric_step(tree->fabric);
    }
    until_idle(tree);
    double expected = 1 - pow(1 - chance_of_word[i], 6 * 11);
    double found = (double)SUM(tree, nacks) / (double)SUM(tree, begun);
    print_message("%u packets, %.4f wrong words: %.4f NACKs a packet, expected %.4f\n",
                  (unsigned)SUM(tree, begun), chance_of_word[i], found, expected);
    assert_true(fabs(found - expected) < 0.05 * expected);
    close_tree(tree);
  }
}

static uint32_t link_state(struct tree *tree, uint32_t router, uint32_t lane) {
  uint32_t a = loom_elite5_link_register(lane, LOOM_ELITE5_REG_LINK_STATE);
  return loom_elite5_fabric_read(tree->e, router, a) & 7;
}

/* E5-36: the same errors remove a link that others can stand in for, and leave the only link of a
 * node. */
static void errors_remove_a_redundant_link_and_leave_an_only_one(void **state) {
  (void)state;
  const struct loom_topo_tree_cfg shape = small_tree();
  const struct loom_elite5_fabric_cfg net = small_fabric();
  struct tree *tree = open_tree(&shape, &net);
  uint32_t a = loom_elite5_link_register(0, LOOM_ELITE5_REG_LINK_CONTROL);
  loom_elite5_fabric_write(tree->e, 0, a,
                           LOOM_ELITE5_ENABLE | LOOM_ELITE5_QUICK | LOOM_ELITE5_SINGLE);
  /* What a dead end refuses must go another way the next time: not always over the first link. */
  write_all(tree, LOOM_ELITE5_REG_CONTROL, RANDOM);
  loom_elite5_fabric_flush(tree->e);
  loom_fabric_errors(tree->fabric, link_of(tree, 0, 0), 0.05);
  loom_fabric_errors(tree->fabric, link_of(tree, 0, 4), 0.05);
  struct traffic t = uniform(tree, 8, 8);
  run(&t, 15000);
  uint32_t seen = counter(tree, 0, 0, LOOM_ELITE5_HEADER_ERRORS);
  print_message("node link: %u wrong headers and UP; link up: removed\n", seen);
  assert_true(seen > 16);
  assert_int_equal(link_state(tree, 0, 0), LOOM_ELITE5_UP);
  assert_int_not_equal(link_state(tree, 0, 4), LOOM_ELITE5_UP);
  close_tree(tree);
}

/* ---- broadcast ------------------------------------------------------------------------------- */

/* Edges of the tree that a broadcast takes: up to the router that spans it, then down. */
static uint32_t edges(const bool *member, uint32_t source) {
  uint32_t level = 0, block = 4, count = 0;
  for (uint32_t n = 0; n < 64; n++)
    while (member[n] && n / block != source / block) {
      block *= 4;
      level++;
    }
  for (uint32_t size = 1; size < block; size *= 4)
    for (uint32_t first = 0; first < 64; first += size) {
      bool any = false;
      for (uint32_t n = first; n < first + size; n++)
        any |= member[n];
      count += any;
    }
  return 1 + level + count;
}

static void expect_broadcast(struct tree *tree, const bool *member, uint32_t source,
                             uint16_t group) {
  uint64_t words = words_on_links(tree), nacks = SUM(tree, nacks), before[64];
  for (uint32_t n = 0; n < 64; n++)
    before[n] = node(tree, n)->event[5].count;
  const struct loom_elan5_target to = {.dest = group, .group = true};
  uint32_t t = loom_elan5_count(node(tree, source), to, 5, 1);
  uint32_t i = 0;
  while (!(node(tree, source)->finished >> t & 1) && i++ < PATIENCE)
    loom_fabric_step(tree->fabric);
  until_idle(tree);
  assert_int_equal(SUM(tree, nacks), nacks);
  for (uint32_t n = 0; n < 64; n++)
    assert_int_equal(node(tree, n)->event[5].count - before[n], member[n]);
  assert_int_equal(words_on_links(tree) - words, 4 * edges(member, source));
}

static void some_members(bool *member, uint64_t *seed) {
  uint32_t percent = loom_below(seed, 100) + 1, base = loom_below(seed, 64),
           span = loom_below(seed, 64) + 1;
  for (uint32_t n = 0; n < 64; n++)
    member[n] = (n - base) % 64 < span && loom_chance(seed, percent);
  member[base] = true;
}

/* E5-28. */
static void each_member_of_a_random_group_gets_its_broadcast(void **state) {
  (void)state;
  const struct loom_topo_tree_cfg shape = small_tree();
  const struct loom_elite5_fabric_cfg net = small_fabric();
  struct tree *tree = open_tree(&shape, &net);
  uint64_t seed = 8;
  for (uint32_t round = 0; round < 60; round++) {
    bool member[64];
    uint16_t group = (uint16_t)loom_below(&seed, net.groups);
    some_members(member, &seed);
    loom_elite5_fabric_group(tree->e, group, member, round & 1);
    loom_elite5_fabric_flush(tree->e);
    for (uint32_t i = 0; i < 3; i++)
      expect_broadcast(tree, member, loom_below(&seed, 64), group);
  }
  close_tree(tree);
}

/* Long broadcasts of all, all at once, with traffic between nodes beside them: over any way up, or
 * over the root only; with the buffers of the paper, or with nothing to spare. */
static void expect_broadcasts(bool fixed, uint32_t pool) {
  enum { BYTES = 1500, SOURCE = 64 * BYTES, OTHER = SOURCE + 2 * BYTES, MEMORY = OTHER + 1024 };
  const struct loom_topo_tree_cfg shape = small_tree();
  struct loom_elite5_fabric_cfg net = small_fabric();
  net.router.POOL = pool;
  net.endpoint.packet = 4096;
  net.endpoint.memory = MEMORY;
  struct tree *tree = open_tree(&shape, &net);
  bool all[64];
  memset(all, true, sizeof all);
  loom_elite5_fabric_group(tree->e, 2, all, fixed);
  loom_elite5_fabric_flush(tree->e);
  const struct loom_elan5_target to = {.dest = 2, .group = true};
  for (uint32_t n = 0; n < 64; n++) {
    memset(node(tree, n)->memory + SOURCE, (int)n + 1, BYTES);
    for (uint32_t i = 0; i < 3; i++)
      loom_elan5_put(node(tree, n), to, n * BYTES, SOURCE, BYTES);
  }
  struct traffic t = uniform(tree, 6, 100);
  for (uint32_t i = 0; i < 3000; i++) {
    for (uint32_t n = 0; n < 64; n++) {
      struct loom_elan5 *e = node(tree, n);
      const struct loom_elan5_target other = {.dest = (uint16_t)anybody(&t, n)};
      reap(e);
      if (__builtin_popcountll(e->used) < 6)
        loom_elan5_put(e, other, OTHER, OTHER, 800);
    }
    loom_fabric_step(tree->fabric);
  }
  until_idle(tree);
  for (uint32_t n = 0; n < 64; n++)
    for (uint32_t from = 0; from < 64; from++)
      for (uint32_t i = 0; i < BYTES; i++)
        assert_int_equal(node(tree, n)->memory[from * BYTES + i], from + 1);
  close_tree(tree);
}

/* E5-30. */
static void many_broadcasts_at_once_all_arrive(void **state) {
  (void)state;
  expect_broadcasts(false, 16);
  expect_broadcasts(true, 16);
  expect_broadcasts(false, 0);
  expect_broadcasts(true, 3);
}

/* E5-31. */
static void a_global_and_is_true_only_if_all_members_agree(void **state) {
  (void)state;
  const struct loom_topo_tree_cfg shape = small_tree();
  const struct loom_elite5_fabric_cfg net = small_fabric();
  struct tree *tree = open_tree(&shape, &net);
  /* In one leaf; in one middle router; all over the tree. */
  static const uint16_t member[3][4] = {{0, 1, 2, 3}, {1, 5, 9, 12}, {2, 21, 40, 63}};
  for (uint32_t set = 0; set < 3; set++) {
    bool in[64] = {false};
    for (uint32_t i = 0; i < 4; i++)
      in[member[set][i]] = true;
    loom_elite5_fabric_group(tree->e, (uint16_t)set, in, false);
    loom_elite5_fabric_flush(tree->e);
    for (uint32_t equal = 0; equal < 16; equal++) {
      for (uint32_t i = 0; i < 4; i++)
        loom_elan5_store(node(tree, member[set][i])->memory + 80, equal >> i & 1 ? 77 : 78);
      const struct loom_elan5_target to = {.dest = (uint16_t)set, .group = true};
      struct loom_elan5 *e = node(tree, member[set][equal & 3]);
      uint32_t t = loom_elan5_conditional(e, to, 80, 77);
      for (uint32_t i = 0; i < 2000; i++)
        loom_fabric_step(tree->fabric);
      assert_int_equal(loom_elan5_done(e, t), equal == 15 ? LOOM_ELAN5_DONE : LOOM_ELAN5_FAILED);
    }
  }
  close_tree(tree);
}

/* The root of the broadcasts dies; the next lowest takes its place (E5-40). */
static void the_root_of_broadcasts_moves_when_it_dies(void **state) {
  (void)state;
  const struct loom_topo_tree_cfg shape = small_tree();
  const struct loom_elite5_fabric_cfg net = small_fabric();
  struct tree *tree = open_tree(&shape, &net);
  bool all[64];
  memset(all, true, sizeof all);
  for (uint32_t dead = 0; dead < 6; dead++) {
    uint32_t root = loom_elite5_routes_root(tree->e->routes, 0);
    assert_int_equal(root, 32 + dead);
    assert_true(loom_elite5_fabric_route(tree->e));
    loom_elite5_fabric_group(tree->e, 1, all, true);
    loom_elite5_fabric_flush(tree->e);
    uint32_t before = counter(tree, root, 0, LOOM_ELITE5_PACKETS_OUT);
    expect_broadcast(tree, all, 9 * dead, 1);
    assert_int_equal(counter(tree, root, 0, LOOM_ELITE5_PACKETS_OUT), before + 1);
    loom_elite5_fabric_power(tree->e, root, false);
    tree->e->routes->off[root] = true;
    loom_fabric_run(tree->fabric, 20);
  }
  close_tree(tree);
}

/* ---- QsNetIII -------------------------------------------------------------------------------- */

/* Cables of the graph and links of the fabric are the same: a port has a link if it has a cable,
 * and both ends of a cable the same one. */
static void expect_the_graph(const struct loom_elite5_fabric *e) {
  const struct loom_topo *t = e->cfg.topo;
  for (uint32_t d = 0; d < t->devices; d++)
    for (uint32_t port = 1; port <= t->device[d].ports; port++) {
      const struct loom_topo_port *far = loom_topo_port(t, d, port);
      if (far->device == LOOM_TOPO_NONE) {
        if (port <= e->cfg.router.LINKS && t->device[d].kind == LOOM_TOPO_SWITCH)
          assert_int_equal(loom_fabric_link(e->fabric, e->device[d], port - 1), LOOM_FABRIC_NONE);
        continue;
      }
      uint32_t link = loom_fabric_link(e->fabric, e->device[d], port - 1);
      assert_int_not_equal(link, LOOM_FABRIC_NONE);
      assert_int_equal(link, loom_fabric_link(e->fabric, e->device[far->device], far->port - 1u));
    }
}

static struct tree *open_qsnet3(const struct loom_topo_qsnet3_cfg *shape) {
  const struct loom_elite5_fabric_cfg cfg = small_fabric();
  struct tree *tree = open_graph(loom_topo_qsnet3_make(shape), &cfg);
  expect_the_graph(tree->e);
  return tree;
}

/* Each node to some others, and to all of them at once: on rails, back to back, on blades. */
static void expect_traffic(struct tree *tree) {
  bool all[512];
  assert_true(tree->nodes <= 512);
  memset(all, true, sizeof all);
  loom_elite5_fabric_group(tree->e, 1, all, false);
  loom_elite5_fabric_group(tree->e, 2, all, true);
  loom_elite5_fabric_flush(tree->e);
  uint32_t requests = 0;
  for (uint32_t n = 0; n < tree->nodes; n++) {
    loom_elan5_store(node(tree, n)->memory, 1000 + n);
    for (uint32_t i = 1; i <= 3; i++) {
      const struct loom_elan5_target to = {.dest = (uint16_t)((n + 37 * i) % tree->nodes)};
      loom_elan5_put(node(tree, n), to, 8 * i, 0, 8);
    }
  }
  for (uint32_t n = 0; n < tree->nodes; n += 31, requests++) {
    const struct loom_elan5_target to = {.dest = (uint16_t)(1 + requests % 2), .group = true};
    loom_elan5_count(node(tree, n), to, 6, 1);
  }
  until_idle(tree);
  for (uint32_t n = 0; n < tree->nodes; n++) {
    assert_int_equal(node(tree, n)->event[6].count, requests);
    for (uint32_t i = 1; i <= 3; i++)
      assert_int_equal(loom_elan5_load(node(tree, n)->memory + 8 * i),
                       1000 + (n + tree->nodes - 37 * i % tree->nodes) % tree->nodes);
  }
}

/* E5-46. */
static void two_rails_carry_alike_and_one_goes_on_alone(void **state) {
  (void)state;
  const struct loom_topo_qsnet3_cfg shape = {.nodes = 128, .links = 1, .rails = 2};
  struct tree *tree = open_qsnet3(&shape);
  expect_traffic(tree);
  /* Both rails carry. */
  uint64_t words[2] = {0};
  for (uint32_t n = 0; n < tree->nodes; n++)
    for (uint32_t rail = 0; rail < 2; rail++)
      words[rail] += link_words(tree, loom_elite5_node_link(tree->e, n, rail));
  assert_true(words[0] > words[1] / 2 && words[1] > words[0] / 2);
  /* A router of one rail dies: what its nodes have goes over the other one. */
  uint64_t nacks = SUM(tree, nacks);
  loom_elite5_fabric_power(tree->e, 0, false);
  loom_fabric_run(tree->fabric, 10);
  for (uint32_t n = 0; n < 16; n++) {
    const struct loom_elan5_target to = {.dest = (uint16_t)(64 + n)};
    loom_elan5_put_word(node(tree, n), to, 64, 7 + n);
  }
  until_idle(tree);
  for (uint32_t n = 0; n < 16; n++)
    assert_int_equal(loom_elan5_load(node(tree, 64 + n)->memory + 64), 7 + n);
  assert_int_equal(SUM(tree, nacks), nacks);
  close_tree(tree);
}

/* E5-42. */
static void two_chassis_back_to_back_carry_traffic(void **state) {
  (void)state;
  const struct loom_topo_qsnet3_cfg shape = {.nodes = 256, .links = 1, .rails = 1};
  struct tree *tree = open_qsnet3(&shape);
  assert_int_equal(tree->routers, 32);
  expect_traffic(tree);
  close_tree(tree);
}

/* E5-45. */
static void a_fabric_of_blades_carries_traffic(void **state) {
  (void)state;
  const struct loom_topo_qsnet3_cfg shape = {.nodes = 128, .links = 1, .rails = 1, .blade = true};
  struct tree *tree = open_qsnet3(&shape);
  expect_traffic(tree);
  close_tree(tree);
}

/* ---- barriers -------------------------------------------------------------------------------- */

struct barriers {
  struct tree *tree;
  struct loom_elan5_barrier part[64];
  uint16_t node[64];
  uint32_t skew[64]; /* cycles until the process enters */
};

static void init_barriers(struct barriers *b, enum loom_elan5_barrier_type kind) {
  bool all[64];
  memset(all, true, sizeof all);
  loom_elite5_fabric_group(b->tree->e, 3, all, false);
  loom_elite5_fabric_flush(b->tree->e);
  for (uint32_t i = 0; i < 64; i++)
    b->node[i] = (uint16_t)((i * 37 + 5) % 64);
  for (uint32_t i = 0; i < 64; i++) {
    const struct loom_elan5_barrier_cfg cfg = {.type = kind,
                                               .group = 3,
                                               .members = 64,
                                               .self = i,
                                               .node = b->node,
                                               .address = 512,
                                               .event = 4,
                                               .arity = 4};
    loom_elan5_barrier_init(&b->part[i], &cfg);
  }
}

/* One cycle of all; the number that are through. */
static uint32_t step_barriers(struct barriers *b, uint32_t cycle) {
  uint32_t through = 0;
  for (uint32_t i = 0; i < 64; i++) {
    struct loom_elan5 *e = node(b->tree, b->node[i]);
    if (cycle == b->skew[i])
      loom_elan5_barrier_enter(&b->part[i], e);
    loom_elan5_barrier_step(&b->part[i], e);
    through += cycle >= b->skew[i] && loom_elan5_barrier_through(&b->part[i], e);
  }
  loom_fabric_step(b->tree->fabric);
  return through;
}

static void expect_barriers(enum loom_elan5_barrier_type kind) {
  const struct loom_topo_tree_cfg shape = small_tree();
  const struct loom_elite5_fabric_cfg net = small_fabric();
  struct barriers b = {.tree = open_tree(&shape, &net)};
  init_barriers(&b, kind);
  uint64_t seed = 2;
  for (uint32_t round = 1; round <= 12; round++) {
    uint32_t last = 0, cycle = 0, spread = 1u << round;
    uint64_t polls = b.part[0].polls;
    for (uint32_t i = 0; i < 64; i++) {
      b.skew[i] = loom_below(&seed, spread);
      last = b.skew[i] > last ? b.skew[i] : last;
    }
    /* Nobody is through before the last one is in. */
    for (; cycle < last; cycle++)
      assert_int_equal(step_barriers(&b, cycle), 0);
    while (step_barriers(&b, cycle++) < 64)
      assert_true(cycle < last + 5000);
    if (round >= 10)
      print_message("skew %u: through %u cycles after the last, %u polls\n", spread, cycle - last,
                    (unsigned)(b.part[0].polls - polls));
    uint64_t up = 0;
    for (uint32_t i = 0; i < 64; i++)
      up += b.part[i].sent_up;
    assert_int_equal(up, kind == LOOM_ELAN5_BARRIER_EVENTS ? 63 * round : 0);
    /* All parts are put away before the next barrier. */
    for (uint32_t i = 0; i < 64; i++)
      b.skew[i] = UINT32_MAX;
    for (uint32_t i = 0; i < 600; i++)
      step_barriers(&b, 0);
  }
  close_tree(b.tree);
}

/* E5-32. */
static void a_barrier_works_by_polling(void **state) {
  (void)state;
  expect_barriers(LOOM_ELAN5_BARRIER_POLL);
}

/* E5-32. */
static void a_barrier_works_by_events(void **state) {
  (void)state;
  expect_barriers(LOOM_ELAN5_BARRIER_EVENTS);
}

/* ---- the same again -------------------------------------------------------------------------- */

static uint64_t fingerprint(uint64_t seed) {
  const struct loom_topo_tree_cfg shape = small_tree();
  struct loom_elite5_fabric_cfg net = small_fabric();
  net.seed = seed;
  struct tree *tree = open_tree(&shape, &net);
  write_all(tree, LOOM_ELITE5_REG_CONTROL, RANDOM);
  for (uint32_t link = 0; link < tree->e->links; link++)
    loom_fabric_errors(tree->fabric, link, 0.001);
  struct traffic t = uniform(tree, 6, 300);
  run(&t, 3000);
  uint64_t print = SUM(tree, nacks) + 1000003 * SUM(tree, age_sum) + words_on_links(tree);
  close_tree(tree);
  return print;
}

/* A router that is stepped by its ports, as lock-step with a circuit does it. */
struct watched {
  struct loom_elite5_router *twin;
  uint64_t *seen; /* words that left it */
};

static void take_ports(const struct loom_fabric_arrival *a, struct loom_elite5_router_in *in) {
  const struct loom_fabric_wires *w = loom_fabric_wires(a);
  memset(in, 0, sizeof *in);
  for (uint32_t lane = 0; lane < LOOM_ELITE5_LINKS; lane++) {
    in->in_valid[lane] = a->valid >> lane & 1;
    in->in_head[lane] = a->head >> lane & 1;
    in->in_tail[lane] = a->tail >> lane & 1;
    in->in_vl[lane] = a->valid >> lane & 1 ? a->port[lane].vl : 0;
    in->in_data[lane] = a->valid >> lane & 1 ? a->port[lane].data : 0;
    in->in_signal[lane] = w->signal >> lane & 1;
    in->out_cr_valid[lane] = a->credit >> lane & 1;
    in->out_cr_vl[lane] = a->credit >> lane & 1 ? a->port[lane].cr_vl : 0;
    in->out_rep_valid[lane] = w->reply >> lane & 1;
    in->out_rep_ack[lane] = w->ack >> lane & 1;
    in->out_rep_vc[lane] = w->reply >> lane & 1 ? a->port[lane].rep_vc : 0;
  }
  in->reg_we = w->access && !w->access->read;
  in->reg_re = w->access && w->access->read;
  in->reg_addr = w->access ? w->access->addr : 0;
  in->reg_wdata = w->access ? w->access->data : 0;
}

static void show_ports(const struct loom_elite5_router_out *out,
                       const struct loom_fabric_show *show) {
  uint8_t rep_vc[LOOM_ELITE5_LINKS];
  struct loom_fabric_shown_wires wires = {.rep_vc = rep_vc};
  for (uint32_t lane = 0; lane < LOOM_ELITE5_LINKS; lane++) {
    if (out->out_valid[lane])
      loom_fabric_flit(show, lane, out->out_head[lane] != 0, out->out_tail[lane] != 0,
                       (uint32_t)out->out_vl[lane], out->out_data[lane]);
    if (out->in_cr_valid[lane])
      loom_fabric_credit(show, lane, (uint32_t)out->in_cr_vl[lane]);
    wires.reply |= out->in_rep_valid[lane] << lane;
    wires.ack |= out->in_rep_ack[lane] << lane;
    wires.signal |= out->out_signal[lane] << lane;
    rep_vc[lane] = (uint8_t)out->in_rep_vc[lane];
  }
  loom_fabric_show_wires(show, &wires);
}

static void step_watched(void *device, uint64_t now, const struct loom_fabric_arrival *arrival,
                         const struct loom_fabric_show *show) {
  const struct watched *w = device;
  struct loom_elite5_router_in in;
  struct loom_elite5_router_out out;
  loom_elite5_router_catch_up(w->twin, now);
  take_ports(arrival, &in);
  loom_elite5_router_step(w->twin, &in, &out);
  show_ports(&out, show);
  for (uint32_t lane = 0; lane < LOOM_ELITE5_LINKS; lane++)
    *w->seen += out.out_valid[lane];
}

static bool never_sleeps(const void *device) {
  (void)device;
  return false;
}

static const struct loom_fabric_class watched_class = {.name = "watched",
                                                       .ports = LOOM_ELITE5_LINKS,
                                                       .wires = true,
                                                       .spared = loom_elite5_is_spared,
                                                       .step = step_watched,
                                                       .sleeps = never_sleeps};

static void watch_routers(const struct tree *tree, struct watched *w, uint64_t *seen) {
  for (uint32_t r = 0; r < tree->routers; r++) {
    w[r] = (struct watched){tree->e->router[r], seen};
    loom_fabric_replace(tree->fabric, loom_elite5_router_device(tree->e, r), &watched_class, &w[r]);
  }
}

static void watching_a_router_changes_nothing(void **state) {
  (void)state;
  uint64_t words[2], acks[2];
  for (uint32_t watched = 0; watched < 2; watched++) {
    const struct loom_topo_tree_cfg shape = small_tree();
    const struct loom_elite5_fabric_cfg net = small_fabric();
    struct tree *tree = open_tree(&shape, &net);
    uint64_t before = words_on_links(tree), seen = 0, begun = 0;
    struct watched list[NODES_MAX];
    assert_true(tree->routers <= NODES_MAX);
    if (watched)
      watch_routers(tree, list, &seen);
    struct traffic t = uniform(tree, 4, 200);
    run(&t, 800);
    until_idle(tree);
    for (uint32_t n = 0; n < tree->nodes; n++)
      begun += node(tree, n)->counters.begun * loom_elan5_wire(200).words;
    words[watched] = words_on_links(tree) - before;
    acks[watched] = SUM(tree, acks);
    if (watched)
      assert_int_equal(seen + begun, words[watched]);
    close_tree(tree);
  }
  assert_int_equal(words[0], words[1]);
  assert_int_equal(acks[0], acks[1]);
}

/* A router whose registers are all written by accesses of their own. */
static bool do_not_load(void *context, struct loom_fabric *f, uint32_t router, uint32_t device) {
  struct loom_fabric_class *class = context;
  (void)router;
  *class = *loom_fabric_class_of(f, device);
  class->load = NULL;
  loom_fabric_replace(f, device, class, loom_fabric_device(f, device));
  return true;
}

static void compare_words(const struct tree *a, const struct tree *b) {
  for (uint32_t link = 0; link < a->e->links; link++)
    assert_int_equal(link_words(a, link), link_words(b, link));
}

/* Links have carried the same words when they are up, and the registers read the same. */
static void expect_loaded(bool second) {
  const struct loom_topo_tree_cfg shape = {.k = 2, .n = 2, .trunk = 1, .top = 4};
  struct loom_elite5_fabric_cfg cfg = small_fabric();
  struct loom_fabric_class class;
  cfg.second = second;
  struct tree *loaded = open_tree(&shape, &cfg);
  cfg.added = do_not_load;
  cfg.context = &class;
  struct tree *written = open_tree(&shape, &cfg);
  assert_int_equal(loom_fabric_now(loaded->fabric), loom_fabric_now(written->fabric));
  assert_in_range(loom_fabric_counts(loaded->fabric).steps, 1,
                  loom_fabric_counts(written->fabric).steps - 50);
  compare_words(loaded, written);
  static const uint32_t first[] = {LOOM_ELITE5_REG_DEST,        LOOM_ELITE5_REG_MASK,
                                   LOOM_ELITE5_REG_DEST_COUNT,  LOOM_ELITE5_REG_CLASS_COUNT,
                                   LOOM_ELITE5_REG_GROUP_COUNT, LOOM_ELITE5_REG_TIME};
  static const uint32_t count[] = {NODES_MAX, 2 * (NODES_MAX + 64), 1, 1, 1, 1};
  uint64_t sum = 0;
  for (uint32_t r = 0; r < loaded->routers; r++)
    for (uint32_t i = 0; i < sizeof first / sizeof *first; i++)
      for (uint32_t k = 0; k < count[i]; k++) {
        uint32_t value = loom_elite5_fabric_read(loaded->e, r, first[i] + k);
        assert_int_equal(value, loom_elite5_fabric_read(written->e, r, first[i] + k));
        sum += value;
      }
  assert_in_range(sum, 1, UINT64_MAX);
  compare_words(loaded, written);
  free_tree(loaded);
  free_tree(written);
}

static void tables_that_are_loaded_stand_as_if_written(void **state) {
  (void)state;
  expect_loaded(false);
  expect_loaded(true);
}

static void a_seed_gives_the_same_run(void **state) {
  (void)state;
  assert_int_equal(fingerprint(1), fingerprint(1));
  assert_int_not_equal(fingerprint(1), fingerprint(2));
}

/* A pattern of names runs only these tests. */
int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(trees_have_the_sizes_of_their_closed_form),
      cmocka_unit_test(routers_nodes_and_cables_stand_where_the_graph_has_them),
      cmocka_unit_test(every_shape_reaches_all_nodes),
      cmocka_unit_test(every_link_is_tested_before_it_comes_up),
      cmocka_unit_test(a_policy_is_written_to_every_router),
      cmocka_unit_test(a_path_of_five_routers_has_its_latency),
      cmocka_unit_test(three_vcs_saturate_a_link_with_large_packets),
      cmocka_unit_test(long_cables_lose_nothing_and_keep_the_rate),
      cmocka_unit_test(all_ways_up_are_used_in_every_mode),
      cmocka_unit_test(static_tables_keep_a_stream_on_one_way),
      cmocka_unit_test(top_switches_in_one_router_share_its_links_down),
      cmocka_unit_test(more_links_of_a_node_carry_as_much_more),
      cmocka_unit_test(nothing_is_lost_when_links_drop_and_return),
      cmocka_unit_test(a_broken_link_refuses_packets_until_it_is_cured),
      cmocka_unit_test(errors_remove_a_redundant_link_and_leave_an_only_one),
      cmocka_unit_test(the_rate_of_packet_errors_follows_from_that_of_words),
      cmocka_unit_test(each_member_of_a_random_group_gets_its_broadcast),
      cmocka_unit_test(many_broadcasts_at_once_all_arrive),
      cmocka_unit_test(a_global_and_is_true_only_if_all_members_agree),
      cmocka_unit_test(the_root_of_broadcasts_moves_when_it_dies),
      cmocka_unit_test(two_rails_carry_alike_and_one_goes_on_alone),
      cmocka_unit_test(two_chassis_back_to_back_carry_traffic),
      cmocka_unit_test(a_fabric_of_blades_carries_traffic),
      cmocka_unit_test(a_barrier_works_by_polling),
      cmocka_unit_test(a_barrier_works_by_events),
      cmocka_unit_test(watching_a_router_changes_nothing),
      cmocka_unit_test(tables_that_are_loaded_stand_as_if_written),
      cmocka_unit_test(a_seed_gives_the_same_run),
  };
  return UNIT_RUN("elite5_fabric", tests, NULL, NULL);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* test_elite5_routes.c - route tables and broadcast groups of Elite5 routers, followed through the
 * graph: every way leads to its node, up, across at most once, and down; every member of a group
 * has one copy (docs/elan5.md; E5-22, E5-24, E5-26, E5-28, E5-40, E5-42, E5-45, E5-46)
 */
#include "tb/unit/unit.h"

#include <loom/random.h>
#include <stdlib.h>
#include <string.h>

#include "routing/elite5_routes.h"
#include "topo/generate.h"

#define NONE LOOM_ELITE5_ROUTES_NONE

struct bench {
  struct loom_topo *topo;
  struct loom_elite5_routes *r;
  bool *seen;       /* by router */
  uint32_t *copies; /* by node */
  uint64_t seed;
};

static struct bench open_bench(struct loom_topo *topo) {
  struct bench b = {.topo = topo, .seed = 3};
  assert_non_null(topo);
  b.r = loom_elite5_routes_create(topo);
  assert_non_null(b.r);
  b.seen = calloc(b.r->routers, sizeof *b.seen);
  b.copies = calloc(b.r->nodes, sizeof *b.copies);
  assert_non_null(b.seen);
  assert_non_null(b.copies);
  return b;
}

static struct bench open_qsnet3(uint32_t nodes, uint32_t links, uint32_t rails, bool blade) {
  const struct loom_topo_qsnet3_cfg cfg = {
      .nodes = nodes, .links = links, .rails = rails, .blade = blade};
  return open_bench(loom_topo_qsnet3_make(&cfg));
}

static struct bench open_tree(struct loom_topo_tree_cfg cfg) {
  cfg.trunk = cfg.trunk ? cfg.trunk : 1;
  return open_bench(loom_topo_tree_make(&cfg));
}

static void close_bench(struct bench *b) {
  loom_elite5_routes_destroy(b->r);
  loom_topo_destroy(b->topo);
  free(b->seen);
  free(b->copies);
}

static struct loom_elite5_far far_of(const struct bench *b, uint32_t router, uint32_t link) {
  return b->r->far[router * LOOM_ELITE5_ROUTES_LINKS + link];
}

static uint32_t link_index(uint32_t links) { return (uint32_t)__builtin_ctz(links); }

/* ---- ways ------------------------------------------------------------------------------------ */

/* All that a packet may do from here on; `turned`: it goes down, or has crossed. */
static void follow(struct bench *b, uint32_t router, uint32_t node, bool turned) {
  uint32_t way = b->r->way[router];
  assert_int_not_equal(way, 0);
  assert_int_equal(way & ~(b->r->up[router] | b->r->down[router]), 0);
  if (!turned && b->seen[router])
    return;
  b->seen[router] |= !turned;
  for (; way; way &= way - 1) {
    uint32_t bit = way & (~way + 1);
    struct loom_elite5_far far = far_of(b, router, link_index(bit));
    assert_false(turned && b->r->up[router] & bit);
    if (far.node != NONE)
      assert_int_equal(far.node, node);
    else
      follow(b, far.router, node, b->r->down[router] & bit || b->r->cross[router] & bit);
  }
}

/* From wherever a node is plugged in. */
static void expect_ways(struct bench *b, uint32_t node) {
  loom_elite5_routes_find(b->r, node);
  memset(b->seen, 0, b->r->routers * sizeof *b->seen);
  for (uint32_t router = 0; router < b->r->routers; router++)
    for (uint32_t link = 0; link < LOOM_ELITE5_ROUTES_LINKS; link++)
      if (far_of(b, router, link).node != NONE)
        follow(b, router, node, false);
}

static void expect_all_ways(struct bench b) {
  uint32_t step = b.r->nodes > 300 ? 13 : 1;
  for (uint32_t node = 0; node < b.r->nodes; node += step)
    expect_ways(&b, node);
  close_bench(&b);
}

static void every_way_leads_to_its_node_up_and_then_down(void **state) {
  (void)state;
  expect_all_ways(open_tree((struct loom_topo_tree_cfg){.k = 4, .n = 3}));
  expect_all_ways(open_tree((struct loom_topo_tree_cfg){.k = 4, .n = 2, .top = 8, .hosted = 4}));
  expect_all_ways(open_tree((struct loom_topo_tree_cfg){
      .k = 2, .n = 3, .trunk = 2, .top = 8, .links = 4, .spread = true}));
  expect_all_ways(open_bench(loom_topo_slim_make(&(struct loom_topo_slim_cfg){.nodes = 5})));
  for (uint32_t rails = 1; rails <= 2; rails++) {
    expect_all_ways(open_qsnet3(128, 1, rails, false));
    expect_all_ways(open_qsnet3(200, 2, rails, false)); /* four chassis */
    expect_all_ways(open_qsnet3(640, 1, rails, false));
  }
  expect_all_ways(open_qsnet3(256, 1, 1, false)); /* back to back */
  expect_all_ways(open_qsnet3(32, 1, 1, true));
  expect_all_ways(open_qsnet3(528, 1, 1, true)); /* tops are chassis */
  expect_all_ways(open_qsnet3(1280, 1, 1, false));
}

/* ---- static ways ----------------------------------------------------------------------------- */

/* The link of a router to which a node is plugged in; it is the lowest router's. */
static uint32_t leaf_of(const struct bench *b, uint32_t node) {
  for (uint32_t router = 0; router < b->r->routers; router++)
    for (uint32_t link = 0; link < LOOM_ELITE5_ROUTES_LINKS; link++)
      if (far_of(b, router, link).node == node)
        return router;
  fail_msg("node %u is nowhere", node);
  return NONE;
}

/* By router and node, the only link. */
static uint32_t *static_ways(const struct bench *b) {
  uint32_t *way = calloc((size_t)b->r->routers * b->r->nodes, sizeof *way);
  assert_non_null(way);
  for (uint32_t node = 0; node < b->r->nodes; node++) {
    loom_elite5_routes_find(b->r, node);
    for (uint32_t router = 0; router < b->r->routers; router++)
      way[router * b->r->nodes + node] = b->r->way[router];
    loom_elite5_routes_find_static(b->r, node);
    for (uint32_t router = 0; router < b->r->routers; router++) {
      uint32_t *all = &way[router * b->r->nodes + node];
      uint32_t one = b->r->way[router];
      assert_int_equal(one & ~*all, 0);
      assert_int_equal(__builtin_popcount(one), *all != 0);
      *all = one;
    }
  }
  return way;
}

/* Each node of the first `nodes` sends to the one `shift` further: no link carries two streams, so
 * the tables are those of d-mod-k. */
static void expect_own_links(const struct bench *b, const uint32_t *way, const uint32_t *leaf,
                             uint32_t shift) {
  uint32_t *used = calloc(b->r->routers, sizeof *used);
  assert_non_null(used);
  for (uint32_t source = 0; source < b->r->nodes; source++) {
    uint32_t node = (source + shift) % b->r->nodes, router = leaf[source];
    while (router != NONE) {
      uint32_t one = way[router * b->r->nodes + node];
      assert_int_equal(used[router] & one, 0);
      used[router] |= one;
      router = far_of(b, router, link_index(one)).router;
    }
  }
  free(used);
}

static void expect_static_ways(struct bench b) {
  uint32_t *way = static_ways(&b), *leaf = calloc(b.r->nodes, sizeof *leaf);
  assert_non_null(leaf);
  for (uint32_t node = 0; node < b.r->nodes; node++)
    leaf[node] = leaf_of(&b, node);
  uint32_t step = b.r->nodes > 300 ? 13 : 1;
  for (uint32_t shift = 1; shift < b.r->nodes; shift += step)
    expect_own_links(&b, way, leaf, shift);
  free(way);
  free(leaf);
  close_bench(&b);
}

static void with_one_way_each_no_shift_shares_a_link(void **state) {
  (void)state;
  expect_static_ways(open_tree((struct loom_topo_tree_cfg){.k = 4, .n = 2}));
  expect_static_ways(open_tree((struct loom_topo_tree_cfg){.k = 4, .n = 3}));
  expect_static_ways(open_tree((struct loom_topo_tree_cfg){.k = 2, .n = 4}));
  expect_static_ways(open_tree((struct loom_topo_tree_cfg){.k = 4, .n = 2, .top = 8, .hosted = 4}));
  expect_static_ways(open_qsnet3(512, 1, 1, false));
  expect_static_ways(open_qsnet3(1024, 1, 1, false));
}

/* In the tree of docs/elan5.md: down to the own leaf, else over all links up. */
static void masks_are_all_links_that_lead_there(void **state) {
  (void)state;
  struct bench b = open_tree((struct loom_topo_tree_cfg){.k = 4, .n = 3});
  loom_elite5_routes_find(b.r, 21);
  assert_int_equal(b.r->way[5], 1u << 1);       /* leaf 5 holds nodes 20..23 */
  assert_int_equal(b.r->way[0], 0xF0);          /* another leaf */
  assert_int_equal(b.r->way[16 + 4], 1u << 1);  /* above leaf 5: S1-4..7 */
  assert_int_equal(b.r->way[32 + 15], 1u << 1); /* any top switch: subtree 1 */
  assert_int_equal(b.r->up[0], 0xF0);
  assert_int_equal(b.r->up[32], 0);
  close_bench(&b);
}

static void avoided_links_are_in_no_mask_and_come_back(void **state) {
  (void)state;
  struct bench b = open_tree((struct loom_topo_tree_cfg){.k = 4, .n = 2});
  loom_elite5_routes_avoid(b.r, 0, 4, true);
  loom_elite5_routes_find(b.r, 0);
  assert_int_equal(b.r->way[4], 0); /* S1-0 has no way to leaf 0 any more */
  assert_int_equal(b.r->way[1], 0xE0);
  loom_elite5_routes_find(b.r, 7);
  assert_int_equal(b.r->way[0], 0xE0);
  loom_elite5_routes_avoid(b.r, 4, 0, false);
  loom_elite5_routes_find(b.r, 0);
  assert_int_equal(b.r->way[1], 0xF0);
  b.r->off[5] = true;
  loom_elite5_routes_find(b.r, 0);
  assert_int_equal(b.r->way[1], 0xD0);
  close_bench(&b);
}

static void a_graph_without_levels_has_no_routes(void **state) {
  (void)state;
  const struct loom_topo_torus_cfg torus = {.dims = 2, .size = {3, 3}, .nodes = 1, .trunk = 1};
  const struct loom_topo_tree_cfg wide = {.k = 17, .n = 2, .trunk = 1};
  struct loom_topo *t[] = {loom_topo_torus_make(&torus), loom_topo_tree_make(&wide)};
  for (uint32_t i = 0; i < 2; i++) {
    assert_non_null(t[i]);
    assert_null(loom_elite5_routes_create(t[i]));
    loom_topo_destroy(t[i]);
  }
}

/* ---- broadcasts ------------------------------------------------------------------------------ */

/* A packet that comes into a router from below or from above: copies go out. */
static void spread_out(struct bench *b, uint32_t router, bool from_above) {
  uint32_t links = from_above ? b->r->above[router] : b->r->below[router];
  if (!from_above && !b->r->all[router]) { /* any: the draw decides */
    assert_int_not_equal(links, 0);
    for (uint32_t skip = loom_below(&b->seed, (uint32_t)__builtin_popcount(links)); skip; skip--)
      links &= links - 1;
    links &= ~links + 1;
  }
  for (; links; links &= links - 1) {
    uint32_t bit = links & (~links + 1);
    struct loom_elite5_far far = far_of(b, router, link_index(bit));
    if (far.node != NONE)
      b->copies[far.node]++;
    else
      spread_out(b, far.router, b->r->down[router] & bit || b->r->cross[router] & bit);
  }
}

/* From each link of some nodes. */
static void expect_copies(struct bench *b, const bool *member) {
  for (uint32_t i = 0; i < 6; i++) {
    uint32_t d = b->r->node_device[loom_below(&b->seed, b->r->nodes)];
    for (uint32_t port = 1; port <= b->topo->device[d].ports; port++) {
      uint32_t far = loom_topo_port(b->topo, d, port)->device;
      if (far == LOOM_TOPO_NONE)
        continue;
      memset(b->copies, 0, b->r->nodes * sizeof *b->copies);
      spread_out(b, b->r->number[far], false);
      for (uint32_t n = 0; n < b->r->nodes; n++)
        assert_int_equal(b->copies[n], member[n]);
    }
  }
}

static void expect_groups(struct bench b) {
  bool *member = calloc(b.r->nodes, sizeof *member);
  assert_non_null(member);
  for (uint32_t round = 0; round < 24; round++) {
    uint32_t percent = round < 2 ? 100 : 1 + loom_below(&b.seed, 60);
    for (uint32_t n = 0; n < b.r->nodes; n++)
      member[n] = loom_chance(&b.seed, percent);
    member[loom_below(&b.seed, b.r->nodes)] = true;
    loom_elite5_routes_group_on(b.r, member, round & 1 ? round / 2 : LOOM_ELITE5_ANY_TREE);
    expect_copies(&b, member);
  }
  free(member);
  close_bench(&b);
}

/* Q-VII: each root once before one comes again. */
static void as_many_trees_as_routers_at_the_top_have_different_roots(void **state) {
  (void)state;
  struct bench b = open_tree((struct loom_topo_tree_cfg){.k = 4, .n = 3});
  bool member[64], seen[48] = {false};
  memset(member, true, sizeof member);
  for (uint32_t tree = 0; tree < 16; tree++) {
    loom_elite5_routes_group_on(b.r, member, tree);
    assert_false(seen[b.r->root[0]]);
    seen[b.r->root[0]] = true;
  }
  b.r->off[32] = true;
  loom_elite5_routes_group_on(b.r, member, 0);
  assert_int_equal(b.r->root[0], 33);
  loom_elite5_routes_group_on(b.r, member, 15);
  assert_int_equal(b.r->root[0], 33);
  close_bench(&b);
}

static void each_member_of_a_group_has_one_copy(void **state) {
  (void)state;
  expect_groups(open_tree((struct loom_topo_tree_cfg){.k = 4, .n = 3}));
  expect_groups(open_tree((struct loom_topo_tree_cfg){.k = 4, .n = 2, .top = 8, .hosted = 4}));
  expect_groups(
      open_tree((struct loom_topo_tree_cfg){.k = 2, .n = 3, .top = 8, .links = 4, .spread = true}));
  for (uint32_t rails = 1; rails <= 2; rails++) {
    expect_groups(open_qsnet3(128, 1, rails, false));
    expect_groups(open_qsnet3(256, 1, rails, false)); /* back to back */
    expect_groups(open_qsnet3(384, 1, rails, false));
  }
  expect_groups(open_qsnet3(32, 1, 1, true));
  expect_groups(open_qsnet3(528, 1, 1, true));
}

/* The lowest of the top level, of each rail, moves on when it dies. */
static void the_root_is_the_lowest_top_router_that_lives(void **state) {
  (void)state;
  struct bench b = open_qsnet3(384, 1, 2, false);
  assert_int_equal(b.r->rails, 2);
  for (uint32_t rail = 0; rail < 2; rail++) {
    uint32_t root = loom_elite5_routes_root(b.r, rail);
    assert_int_equal(b.r->rail[root], rail);
    assert_string_equal(b.topo->device[b.r->router_device[root]].name,
                        rail ? "A1-T0-L0" : "A0-T0-L0");
    b.r->off[root] = true;
    assert_int_equal(loom_elite5_routes_root(b.r, rail), root + 1);
  }
  close_bench(&b);
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_way_leads_to_its_node_up_and_then_down),
      cmocka_unit_test(with_one_way_each_no_shift_shares_a_link),
      cmocka_unit_test(masks_are_all_links_that_lead_there),
      cmocka_unit_test(avoided_links_are_in_no_mask_and_come_back),
      cmocka_unit_test(a_graph_without_levels_has_no_routes),
      cmocka_unit_test(each_member_of_a_group_has_one_copy),
      cmocka_unit_test(as_many_trees_as_routers_at_the_top_have_different_roots),
      cmocka_unit_test(the_root_is_the_lowest_top_router_that_lives),
  };
  return UNIT_RUN("elite5_routes", tests, NULL, NULL);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Fabrics of regular shape against their closed forms: TP-01, TP-02, KN-01, KN-02, KN-05, KN-07,
 * KN-11, E5-41..46. */
#include "tb/unit/unit.h"

#include <stdlib.h>
#include <string.h>

#include "topo/generate.h"

enum { HOPS = 16 };

static void assert_sound(const struct loom_topo *t) {
  assert_non_null(t);
  struct loom_topo_verdict v = loom_topo_check(t);
  if (v.fault != LOOM_TOPO_SOUND)
    fail_msg("%s[%u]: fault %d", t->device[v.device].name, v.port, (int)v.fault);
  assert_false(t->overflow);
  assert_int_equal(t->devices, t->devices_max);
  assert_int_equal(t->ports, t->ports_max);
}

/* Counts of a sound fabric, which is destroyed. */
static struct loom_topo_counts counts_of(struct loom_topo *t) {
  struct loom_topo_counts c;
  assert_sound(t);
  loom_topo_count(t, &c);
  loom_topo_destroy(t);
  return c;
}

/* Ordered pairs of nodes by links between them. */
static void hops_of(const struct loom_topo *t, uint32_t pairs[HOPS]) {
  uint32_t *distance = calloc(t->devices, sizeof *distance);
  uint32_t *queue = calloc(t->devices, sizeof *queue);
  assert_non_null(distance);
  assert_non_null(queue);
  memset(pairs, 0, HOPS * sizeof *pairs);
  for (uint32_t d = 0; d < t->devices; d++) {
    if (t->device[d].kind != LOOM_TOPO_HCA)
      continue;
    loom_topo_distances(t, d, distance, queue);
    for (uint32_t e = 0; e < t->devices; e++)
      if (e != d && t->device[e].kind == LOOM_TOPO_HCA) {
        assert_in_range(distance[e], 1, HOPS - 1);
        pairs[distance[e]]++;
      }
  }
  free(distance);
  free(queue);
}

/* Device of that name. */
static uint32_t named(const struct loom_topo *t, const char *name) {
  for (uint32_t d = 0; d < t->devices; d++)
    if (!strcmp(t->device[d].name, name))
      return d;
  fail_msg("no device %s", name);
  return 0;
}

static void assert_leads(const struct loom_topo *t, const char *from, uint32_t port, const char *to,
                         uint32_t peer) {
  const struct loom_topo_port *p = loom_topo_port(t, named(t, from), port);
  assert_int_not_equal(p->device, LOOM_TOPO_NONE);
  assert_string_equal(t->device[p->device].name, to);
  assert_int_equal(p->port, peer);
}

/* ---- the graph itself ------------------------------------------------------------------------ */

static void a_fabric_is_built_device_by_device_within_its_bounds(void **state) {
  (void)state;
  struct loom_topo *t = loom_topo_create(3, 4 + 2 + 1);
  assert_non_null(t);
  assert_int_equal(loom_topo_add(t, LOOM_TOPO_SWITCH, 3, "S%d", 7), 0);
  assert_int_equal(loom_topo_add(t, LOOM_TOPO_HCA, 1, "H"), 1);
  assert_int_equal(loom_topo_add(t, LOOM_TOPO_HCA, 1, "no room"), LOOM_TOPO_NONE);
  assert_true(t->overflow);
  t->overflow = false;
  assert_string_equal(t->device[0].name, "S7");
  assert_true(loom_topo_connect(t, 0, 2, 1, 1));
  assert_false(loom_topo_connect(t, 0, 2, 1, 1)); /* used */
  assert_false(loom_topo_connect(t, 0, 1, 0, 3)); /* one device */
  assert_false(loom_topo_connect(t, 0, 0, 0, 3)); /* port 0 */
  assert_false(loom_topo_connect(t, 0, 4, 0, 3)); /* no such port */
  assert_false(loom_topo_connect(t, 0, 1, 2, 1)); /* no such device */
  loom_topo_number(t);
  assert_int_equal(loom_topo_lid(t, 1, 1), 1);
  assert_int_equal(loom_topo_lid(t, 0, 2), 2);
  assert_int_equal(loom_topo_check(t).fault, LOOM_TOPO_SOUND);
  loom_topo_destroy(t);
  loom_topo_destroy(NULL);
  assert_null(loom_topo_create(LOOM_TOPO_DEVICES + 1, 1));
  assert_null(loom_topo_create(1, LOOM_TOPO_ALL_PORTS + 1));
}

/* Each fault is found where it is. */
static void each_fault_is_found_where_it_is(void **state) {
  (void)state;
  static const struct {
    uint32_t d, p;
    struct loom_topo_port port;
    enum loom_topo_fault fault;
    uint32_t at, at_port;
  } damage[] = {
      {0, 1, {.device = 9, .port = 1, .lid = 1}, LOOM_TOPO_NOWHERE, 0, 1},
      {0, 1, {.device = 2, .port = 5, .lid = 1}, LOOM_TOPO_NOWHERE, 0, 1},
      {0, 1, {.device = 2, .port = 0, .lid = 1}, LOOM_TOPO_NOWHERE, 0, 1},
      {2, 0, {.device = 0, .port = 1, .lid = 3}, LOOM_TOPO_NOWHERE, 2, 0},
      {0, 1, {.device = 2, .port = 2, .lid = 1}, LOOM_TOPO_ONE_SIDED, 0, 1},
      {2, 1, {.device = LOOM_TOPO_NONE, .port = 0, .lid = 0}, LOOM_TOPO_ONE_SIDED, 0, 1},
      {2, 4, {.device = 2, .port = 3, .lid = 0}, LOOM_TOPO_LOOP, 2, 4},
      {1, 1, {.device = 2, .port = 2, .lid = 1}, LOOM_TOPO_DOUBLE_LID, 1, 1},
      {1, 1, {.device = 2, .port = 2, .lid = 0xC000}, LOOM_TOPO_BAD_LID, 1, 1},
      {2, 1, {.device = 0, .port = 1, .lid = 9}, LOOM_TOPO_BAD_LID, 2, 1},
      {1, 0, {.device = LOOM_TOPO_NONE, .port = 0, .lid = 9}, LOOM_TOPO_BAD_LID, 1, 0},
  };
  const struct loom_topo_tree_cfg cfg = {.k = 2, .n = 1, .trunk = 1};
  for (size_t i = 0; i < sizeof damage / sizeof damage[0]; i++) {
    struct loom_topo *t = loom_topo_tree_make(&cfg);
    assert_sound(t);
    *loom_topo_port(t, damage[i].d, damage[i].p) = damage[i].port;
    struct loom_topo_verdict v = loom_topo_check(t);
    assert_int_equal(v.fault, damage[i].fault);
    assert_int_equal(v.device, damage[i].at);
    assert_int_equal(v.port, damage[i].at_port);
    loom_topo_destroy(t);
  }
}

/* Two cables between two switches whose ends were mixed up: each leads back, but not to its own. */
static void two_cables_with_crossed_ends_are_a_fault(void **state) {
  (void)state;
  struct loom_topo *t = loom_topo_create(2, 6);
  assert_non_null(t);
  loom_topo_add(t, LOOM_TOPO_SWITCH, 2, "a");
  loom_topo_add(t, LOOM_TOPO_SWITCH, 2, "b");
  assert_true(loom_topo_connect(t, 0, 1, 1, 1));
  assert_true(loom_topo_connect(t, 0, 2, 1, 2));
  assert_sound(t);
  loom_topo_port(t, 0, 1)->port = 2;
  loom_topo_port(t, 0, 2)->port = 1;
  assert_int_equal(loom_topo_check(t).fault, LOOM_TOPO_ONE_SIDED);
  loom_topo_destroy(t);
}

/* A node between two switches passes nothing on. */
static void a_node_between_two_switches_passes_nothing_on(void **state) {
  (void)state;
  uint32_t distance[3];
  uint32_t queue[3];
  struct loom_topo *t = loom_topo_create(3, 2 + 3 + 2);
  assert_non_null(t);
  loom_topo_add(t, LOOM_TOPO_SWITCH, 1, "a");
  loom_topo_add(t, LOOM_TOPO_HCA, 2, "h");
  loom_topo_add(t, LOOM_TOPO_SWITCH, 1, "b");
  assert_true(loom_topo_connect(t, 0, 1, 1, 1));
  assert_true(loom_topo_connect(t, 1, 2, 2, 1));
  loom_topo_distances(t, 0, distance, queue);
  assert_int_equal(distance[1], 1);
  assert_int_equal(distance[2], LOOM_TOPO_NONE);
  loom_topo_distances(t, 1, distance, queue);
  assert_int_equal(distance[0], 1);
  assert_int_equal(distance[2], 1);
  loom_topo_destroy(t);
}

/* As many LIDs as there are, or none. */
static void all_ports_have_lids_or_none_has(void **state) {
  (void)state;
  struct loom_topo_torus_cfg cfg = {.dims = 2, .size = {255, 2}, .nodes = 95, .trunk = 1};
  struct loom_topo *t = loom_topo_torus_make(&cfg); /* 510 * 96 = 48960 */
  assert_sound(t);
  assert_int_equal(loom_topo_lid(t, 0, 1), 1);
  assert_int_equal(loom_topo_lid(t, t->devices - 1, 0), 48960);
  loom_topo_destroy(t);
  cfg.nodes = 96; /* 49470 are above 49151 */
  t = loom_topo_torus_make(&cfg);
  assert_sound(t);
  for (uint32_t p = 0; p < t->ports; p++)
    assert_int_equal(t->port[p].lid, 0);
  loom_topo_destroy(t);
}

/* ---- fat trees ------------------------------------------------------------------------------- */

static void a_tree_has_the_counts_of_its_closed_form(void **state) {
  (void)state;
  static const struct {
    uint32_t k, n, nodes, switches, ports;
  } trees[] = {{8, 3, 512, 192, 16},   {24, 2, 576, 48, 48}, {4, 3, 64, 48, 8}, {8, 2, 64, 16, 16},
               {14, 3, 2744, 588, 28}, {5, 1, 5, 1, 10},     {2, 5, 32, 80, 4}, {1, 3, 1, 3, 2}};
  for (size_t i = 0; i < sizeof trees / sizeof trees[0]; i++) {
    const struct loom_topo_tree_cfg cfg = {.k = trees[i].k, .n = trees[i].n, .trunk = 1};
    struct loom_topo_counts c = counts_of(loom_topo_tree_make(&cfg));
    assert_int_equal(c.nodes, trees[i].nodes);
    assert_int_equal(c.switches, trees[i].switches);
    assert_int_equal(c.edge, trees[i].switches / trees[i].n);
    assert_int_equal(c.ports_min, trees[i].ports);
    assert_int_equal(c.ports_max, trees[i].ports);
    assert_int_equal(c.node_links, trees[i].nodes);
    assert_int_equal(c.switch_links, trees[i].nodes * (trees[i].n - 1));
  }
}

/* n levels of Elite5: 32 x 16^(n-1) nodes (E5-41). */
static void a_full_tree_has_32_times_16_to_the_n_minus_1_nodes(void **state) {
  (void)state;
  static const uint32_t nodes[] = {32, 512, 8192, 131072};
  for (uint32_t n = 1; n <= 4; n++) {
    const struct loom_topo_tree_cfg cfg = {.k = 16, .n = n, .trunk = 1, .full = true};
    struct loom_topo_counts c = counts_of(loom_topo_tree_make(&cfg));
    assert_int_equal(c.nodes, nodes[n - 1]);
    assert_int_equal(c.switches, nodes[n - 1] / 32 * (2 * n - 1));
    assert_int_equal(c.ports_min, 32);
    assert_int_equal(c.ports_max, 32);
    assert_int_equal(c.switch_links, nodes[n - 1] * (n - 1));
  }
}

/* Nodes that share i digits from the top meet at level n - i; any two switches of neighbouring
 * levels are joined once a trunk. */
static void pairs_of_a_tree_meet_at_the_level_of_their_common_digits(void **state) {
  (void)state;
  uint32_t pairs[HOPS];
  const struct loom_topo_tree_cfg cfg = {.k = 4, .n = 3, .trunk = 2};
  struct loom_topo *t = loom_topo_tree_make(&cfg);
  assert_sound(t);
  hops_of(t, pairs);
  assert_int_equal(pairs[2], 64 * 3);
  assert_int_equal(pairs[4], 64 * 12);
  assert_int_equal(pairs[6], 64 * 48);
  assert_leads(t, "H6", 1, "S0-1", 3);
  assert_leads(t, "S0-1", 5, "S1-0", 3);
  assert_leads(t, "S0-1", 6, "S1-0", 4);
  assert_leads(t, "S0-1", 12, "S1-3", 4);
  assert_leads(t, "S1-7", 11, "S2-7", 3);
  assert_leads(t, "S1-7", 9, "S2-3", 3);
  loom_topo_destroy(t);
}

/* Two halves of four nodes a top switch, four of them. */
static void a_top_switch_of_a_full_tree_joins_two_halves(void **state) {
  (void)state;
  uint32_t pairs[HOPS];
  const struct loom_topo_tree_cfg cfg = {.k = 2, .n = 3, .trunk = 1, .full = true};
  struct loom_topo *t = loom_topo_tree_make(&cfg);
  assert_sound(t);
  hops_of(t, pairs);
  assert_int_equal(pairs[2], 16 * 1);
  assert_int_equal(pairs[4], 16 * 2);
  assert_int_equal(pairs[6], 16 * 12);
  assert_leads(t, "S1-7", 3, "S2-1", 4);
  assert_leads(t, "S1-7", 4, "S2-3", 4);
  loom_topo_destroy(t);
}

static void a_slimmed_tree_has_fewer_switches_on_top(void **state) {
  (void)state;
  uint32_t pairs[HOPS];
  struct loom_topo_slim_cfg cfg = {.nodes = 5};
  struct loom_topo_counts c = counts_of(loom_topo_slim_make(&cfg));
  assert_int_equal(c.nodes, 45);
  assert_int_equal(c.switches, 9 + 9 + 3);
  assert_int_equal(c.edge, 9);
  assert_int_equal(c.ports_min, 8);
  assert_int_equal(c.ports_max, 8);
  assert_int_equal(c.node_links, 45);
  assert_int_equal(c.switch_links, 27 + 18);
  cfg.nodes = 4;
  struct loom_topo *t = loom_topo_slim_make(&cfg);
  assert_sound(t);
  hops_of(t, pairs);
  assert_int_equal(pairs[2], 108);
  assert_int_equal(pairs[4], 288);
  assert_int_equal(pairs[6], 864);
  assert_int_equal(2 * pairs[2] + 4 * pairs[4] + 6 * pairs[6], 6552); /* 5.2 * 1260 */
  assert_leads(t, "S1-4", 4, "S2-1", 3);
  assert_leads(t, "S1-4", 5, "S2-1", 4);
  assert_leads(t, "S0-5", 7, "S1-4", 3);
  loom_topo_destroy(t);
}

/* ---- torus ----------------------------------------------------------------------------------- */

static void a_torus_has_the_counts_of_its_closed_form(void **state) {
  (void)state;
  static const struct {
    struct loom_topo_torus_cfg cfg;
    uint32_t nodes, switches, ports;
  } tori[] = {
      {{.dims = 2, .size = {8, 8}, .nodes = 8, .trunk = 10}, 512, 64, 48},
      {{.dims = 3, .size = {8, 8, 4}, .nodes = 4, .trunk = 4}, 1024, 256, 28},
      {{.dims = 3, .size = {8, 8, 8}, .nodes = 4, .trunk = 4}, 2048, 512, 28},
      {{.dims = 2, .size = {4, 4}, .nodes = 8, .trunk = 10}, 128, 16, 48},
      {{.dims = 2, .size = {2, 3}, .nodes = 1, .trunk = 1}, 6, 6, 5},
      {{.dims = 1, .size = {5}, .nodes = 2, .trunk = 3}, 10, 5, 8},
  };
  for (size_t i = 0; i < sizeof tori / sizeof tori[0]; i++) {
    const struct loom_topo_torus_cfg *cfg = &tori[i].cfg;
    struct loom_topo_counts c = counts_of(loom_topo_torus_make(cfg));
    assert_int_equal(c.nodes, tori[i].nodes);
    assert_int_equal(c.switches, tori[i].switches);
    assert_int_equal(c.edge, tori[i].switches);
    assert_int_equal(c.ports_min, tori[i].ports);
    assert_int_equal(c.ports_max, tori[i].ports);
    assert_int_equal(c.node_links, tori[i].nodes);
    assert_int_equal(c.switch_links, tori[i].switches * cfg->dims * cfg->trunk);
  }
}

static void pairs_of_a_torus_are_as_far_as_its_rings_say(void **state) {
  (void)state;
  uint32_t pairs[HOPS];
  const struct loom_topo_torus_cfg cfg = {.dims = 2, .size = {4, 4}, .nodes = 8, .trunk = 10};
  struct loom_topo *t = loom_topo_torus_make(&cfg);
  assert_sound(t);
  hops_of(t, pairs);
  /* Distances in a 4 x 4 torus: 1, 4, 6, 4, 1 switches are 0, 1, 2, 3, 4 away. */
  assert_int_equal(pairs[2], 128 * 7);
  assert_int_equal(pairs[3], 128 * 4 * 8);
  assert_int_equal(pairs[4], 128 * 6 * 8);
  assert_int_equal(pairs[5], 128 * 4 * 8);
  assert_int_equal(pairs[6], 128 * 1 * 8);
  assert_leads(t, "H17", 1, "S2-0", 2);
  assert_leads(t, "S3-1", 9, "S0-1", 19);
  assert_leads(t, "S3-1", 18, "S0-1", 28);
  assert_leads(t, "S3-1", 29, "S3-2", 39);
  loom_topo_destroy(t);
}

/* Links of the longest of the shortest ways between nodes. */
static uint32_t diameter_of(const struct loom_topo *t) {
  uint32_t pairs[HOPS], longest = 0;
  hops_of(t, pairs);
  for (uint32_t i = 0; i < HOPS; i++)
    longest = pairs[i] ? i : longest;
  return longest;
}

/* Cables between switches whose first coordinate is below `half` and the others. */
static uint32_t cut_of(const struct loom_topo *t, uint32_t half) {
  uint32_t cut = 0;
  for (uint32_t d = 0; d < t->devices; d++)
    for (uint32_t p = 1; p <= t->device[d].ports; p++) {
      uint32_t peer = loom_topo_port(t, d, p)->device;
      cut += peer != LOOM_TOPO_NONE && t->device[d].coord[0] < half &&
             t->device[peer].coord[0] >= half;
    }
  return cut;
}

/* Of N switches in sizes s: a mesh has N (s - 1) / s cables a dimension, a HyperX N (s - 1) / 2;
 * half of s to the other half are N / s, 2 N / s (torus) and N s / 4. Times the trunk. */
static void meshes_and_hyperx_have_the_counts_of_their_closed_forms(void **state) {
  (void)state;
  static const struct loom_topo_torus_cfg grids[] = {
      {.dims = 1, .size = {6}, .nodes = 3, .trunk = 2},
      {.dims = 2, .size = {4, 5}, .nodes = 2, .trunk = 3},
      {.dims = 3, .size = {4, 2, 3}, .nodes = 1, .trunk = 1},
      {.dims = 2, .size = {8, 7}, .nodes = 2, .trunk = 1}};
  for (size_t i = 0; i < sizeof grids / sizeof grids[0]; i++)
    for (enum loom_topo_joined joined = LOOM_TOPO_RING; joined <= LOOM_TOPO_ALL; joined++) {
      struct loom_topo_torus_cfg c = grids[i];
      c.joined = joined;
      uint32_t all = 1, cables = 0, far = 2, half = c.size[0] / 2;
      for (uint32_t d = 0; d < c.dims; d++)
        all *= c.size[d];
      for (uint32_t d = 0; d < c.dims; d++) {
        uint32_t s = c.size[d];
        cables += joined == LOOM_TOPO_ALL    ? all * (s - 1) / 2
                  : joined == LOOM_TOPO_LINE ? all / s * (s - 1)
                                             : all;
        far += joined == LOOM_TOPO_ALL ? 1 : joined == LOOM_TOPO_LINE ? s - 1 : s / 2;
      }
      struct loom_topo *t = loom_topo_torus_make(&c);
      assert_sound(t);
      assert_int_equal(diameter_of(t), far);
      assert_int_equal(cut_of(t, half), c.trunk * all / c.size[0] *
                                            (joined == LOOM_TOPO_ALL    ? half * half
                                             : joined == LOOM_TOPO_LINE ? 1
                                                                        : 2));
      struct loom_topo_counts n = counts_of(t);
      assert_int_equal(n.nodes, all * c.nodes);
      assert_int_equal(n.switches, all);
      assert_int_equal(n.edge, all);
      assert_int_equal(n.switch_links, cables * c.trunk);
    }
}

/* A mesh keeps the ports of the torus; a HyperX has those of a dimension by other coordinates. */
static void ports_of_a_hyperx_go_by_the_other_coordinate(void **state) {
  (void)state;
  struct loom_topo_torus_cfg c = {
      .joined = LOOM_TOPO_ALL, .dims = 2, .size = {4, 3}, .nodes = 2, .trunk = 2};
  struct loom_topo *t = loom_topo_torus_make(&c);
  assert_leads(t, "H5", 1, "S2-0", 2);
  assert_leads(t, "S2-1", 3, "S0-1", 5);
  assert_leads(t, "S2-1", 6, "S1-1", 6);
  assert_leads(t, "S2-1", 7, "S3-1", 7);
  assert_leads(t, "S2-1", 9, "S2-0", 9);
  assert_leads(t, "S2-1", 12, "S2-2", 12);
  loom_topo_destroy(t);
  c.joined = LOOM_TOPO_LINE;
  t = loom_topo_torus_make(&c);
  assert_leads(t, "S2-1", 3, "S3-1", 5);
  assert_leads(t, "S2-1", 9, "S2-0", 7);
  assert_int_equal(loom_topo_port(t, named(t, "S3-1"), 3)->device, LOOM_TOPO_NONE);
  loom_topo_destroy(t);
}

/* ---- XGFT ------------------------------------------------------------------------------------ */

/* Cables between switches that lead down from the top to the nodes of the upper half. */
static uint32_t top_cut_of(const struct loom_topo *t, uint32_t levels, uint32_t half) {
  uint32_t cut = 0;
  for (uint32_t d = 0; d < t->devices; d++)
    for (uint32_t p = 1; t->device[d].level == levels - 1 && p <= t->device[d].ports; p++)
      cut += p > half;
  return cut;
}

/* N_l = product of down above level l times product of up below it; each of N_l has up_l cables to
 * the next level, and the top down to half of the nodes half of those to all. */
static void an_xgft_has_the_counts_of_its_closed_form(void **state) {
  (void)state;
  static const struct {
    struct loom_topo_xgft_cfg cfg;
    uint32_t nodes, level[3], cables, far;
  } trees[] = {
      {{.levels = 1, .down = {5}, .trunk = 1}, 5, {1}, 0, 2},
      {{.levels = 2, .down = {6, 4}, .ups = 1, .up = {2}, .trunk = 1}, 24, {4, 2}, 8, 4},
      {{.levels = 2, .down = {18, 14}, .ups = 1, .up = {9}, .trunk = 2}, 252, {14, 9}, 252, 4},
      {{.levels = 3, .down = {6, 4, 2}, .ups = 2, .up = {3, 2}, .trunk = 1},
       48,
       {8, 6, 6},
       8 * 3 + 6 * 2,
       6}};
  for (size_t i = 0; i < sizeof trees / sizeof trees[0]; i++) {
    const struct loom_topo_xgft_cfg *c = &trees[i].cfg;
    uint32_t all = 0, top = c->levels - 1;
    struct loom_topo *t = loom_topo_xgft_make(c);
    assert_non_null(t);
    assert_sound(t);
    for (uint32_t l = 0; l < c->levels; l++) {
      assert_int_equal(loom_topo_xgft_switches(c, l), trees[i].level[l]);
      all += trees[i].level[l];
    }
    assert_int_equal(diameter_of(t), trees[i].far);
    if (top)
      assert_int_equal(top_cut_of(t, c->levels, c->down[top] / 2 * c->trunk),
                       trees[i].level[top] * c->down[top] / 2 * c->trunk);
    struct loom_topo_counts n = counts_of(t);
    assert_int_equal(n.nodes, trees[i].nodes);
    assert_int_equal(n.switches, all);
    assert_int_equal(n.edge, trees[i].level[0]);
    assert_int_equal(n.switch_links, trees[i].cables);
  }
}

static void switches_of_an_xgft_are_joined_by_their_digits(void **state) {
  (void)state;
  struct loom_topo *t = loom_topo_xgft_make(&(struct loom_topo_xgft_cfg){
      .levels = 3, .down = {2, 3, 2}, .ups = 2, .up = {2, 3}, .trunk = 2});
  assert_leads(t, "H5", 1, "S0-2", 2);
  assert_leads(t, "S0-4", 3, "S1-2", 3);
  assert_leads(t, "S0-4", 6, "S1-3", 4);
  assert_leads(t, "S1-3", 7, "S2-3", 3);
  assert_leads(t, "S1-3", 12, "S2-5", 4);
  loom_topo_destroy(t);
}

/* ---- dragonfly ------------------------------------------------------------------------------- */

/* g groups of a routers with h ports to others and p nodes: g a (a - 1) / 2 cables inside groups,
 * floor(a h / (g - 1)) between two of them, so half of an even number of groups is joined to the
 * others by (g / 2)^2 times as many; up to 3 links between routers. */
static void a_dragonfly_has_the_counts_of_its_closed_form(void **state) {
  (void)state;
  static const struct {
    struct loom_topo_dragonfly_cfg cfg;
    uint32_t groups, cables, far;
  } flies[] = {{{.routers = 4, .globals = 2, .nodes = 2}, 9, 1, 5},
               {{.routers = 3, .globals = 1, .nodes = 1}, 4, 1, 5},
               {{.routers = 4, .globals = 2, .nodes = 3, .groups = 4}, 4, 2, 5},
               {{.routers = 4, .globals = 2, .nodes = 1, .groups = 3}, 3, 4, 4},
               {{.routers = 5, .globals = 1, .nodes = 1, .groups = 1}, 1, 0, 3},
               {{.routers = 1, .globals = 5, .nodes = 2}, 6, 1, 3}};
  for (size_t i = 0; i < sizeof flies / sizeof flies[0]; i++) {
    const struct loom_topo_dragonfly_cfg *c = &flies[i].cfg;
    uint32_t g = flies[i].groups, m = flies[i].cables;
    struct loom_topo *t = loom_topo_dragonfly_make(c);
    assert_non_null(t);
    assert_sound(t);
    assert_int_equal(diameter_of(t), flies[i].far);
    if (g % 2 == 0)
      assert_int_equal(cut_of(t, g / 2), g / 2 * (g / 2) * m);
    struct loom_topo_counts n = counts_of(t);
    assert_int_equal(n.nodes, g * c->routers * c->nodes);
    assert_int_equal(n.switches, g * c->routers);
    assert_int_equal(n.edge, g * c->routers);
    assert_int_equal(n.ports_max, c->nodes + c->routers - 1 + c->globals);
    assert_int_equal(n.switch_links, g * c->routers * (c->routers - 1) / 2 + g * (g - 1) / 2 * m);
  }
}

static void cables_between_groups_of_a_dragonfly_go_by_how_far_they_are_apart(void **state) {
  (void)state;
  struct loom_topo *t =
      loom_topo_dragonfly_make(&(struct loom_topo_dragonfly_cfg){.routers = 2, .globals = 2});
  assert_null(t);
  t = loom_topo_dragonfly_make(
      &(struct loom_topo_dragonfly_cfg){.routers = 2, .globals = 2, .nodes = 1});
  assert_leads(t, "H3", 1, "S1-1", 1);
  assert_leads(t, "S1-0", 2, "S1-1", 2);
  assert_leads(t, "S0-0", 3, "S1-1", 4);
  assert_leads(t, "S0-0", 4, "S2-1", 3);
  assert_leads(t, "S0-1", 3, "S3-0", 4);
  assert_leads(t, "S0-1", 4, "S4-0", 3);
  assert_leads(t, "S3-0", 3, "S4-1", 4);
  loom_topo_destroy(t);
}

/* ---- dragonfly+ ------------------------------------------------------------------------------ */

/* g groups of l leaves with p nodes and s spines with h ports to others: g l s cables inside, and
 * floor(s h / (g - 1)) between two groups, so half of an even number of them is joined to the
 * others by (g / 2)^2 times as many; 3 links between the leaves of two groups. */
static void a_dragonflyplus_has_the_counts_of_its_closed_form(void **state) {
  (void)state;
  static const struct {
    struct loom_topo_dragonflyplus_cfg cfg;
    uint32_t groups, cables, far;
  } flies[] = {{{.leaves = 2, .spines = 2, .globals = 2, .nodes = 2}, 5, 1, 5},
               {{.leaves = 3, .spines = 4, .globals = 2, .nodes = 2, .groups = 4}, 4, 2, 5},
               {{.leaves = 4, .spines = 3, .globals = 5, .nodes = 1}, 16, 1, 5},
               {{.leaves = 1, .spines = 2, .globals = 3, .nodes = 3, .groups = 2}, 2, 6, 5},
               {{.leaves = 3, .spines = 2, .globals = 1, .nodes = 1, .groups = 1}, 1, 0, 4},
               {{.leaves = 1, .spines = 2, .globals = 1, .nodes = 2, .groups = 1}, 1, 0, 2}};
  for (size_t i = 0; i < sizeof flies / sizeof flies[0]; i++) {
    const struct loom_topo_dragonflyplus_cfg *c = &flies[i].cfg;
    uint32_t g = flies[i].groups, m = flies[i].cables;
    uint32_t leaf = c->nodes + c->spines, spine = c->leaves + c->globals;
    struct loom_topo *t = loom_topo_dragonflyplus_make(c);
    assert_non_null(t);
    assert_sound(t);
    assert_int_equal(loom_topo_dragonflyplus_groups(c), g);
    assert_int_equal(loom_topo_dragonflyplus_cables(c), m);
    assert_int_equal(diameter_of(t), flies[i].far);
    if (g % 2 == 0)
      assert_int_equal(cut_of(t, g / 2), g / 2 * (g / 2) * m);
    struct loom_topo_counts n = counts_of(t);
    assert_int_equal(n.nodes, g * c->leaves * c->nodes);
    assert_int_equal(n.switches, g * (c->leaves + c->spines));
    assert_int_equal(n.edge, g * c->leaves);
    assert_int_equal(n.ports_max, leaf > spine ? leaf : spine);
    assert_int_equal(n.switch_links, g * c->leaves * c->spines + g * (g - 1) / 2 * m);
  }
}

static void cables_between_groups_of_a_dragonflyplus_are_at_its_spines(void **state) {
  (void)state;
  struct loom_topo *t = loom_topo_dragonflyplus_make(
      &(struct loom_topo_dragonflyplus_cfg){.leaves = 3, .spines = 2, .globals = 2, .nodes = 1});
  assert_leads(t, "H5", 1, "S1-0-2", 1);
  assert_leads(t, "S1-0-2", 2, "S1-1-0", 3);
  assert_leads(t, "S1-0-2", 3, "S1-1-1", 3);
  assert_leads(t, "S0-1-0", 4, "S1-1-1", 5);
  assert_leads(t, "S0-1-0", 5, "S2-1-1", 4);
  assert_leads(t, "S0-1-1", 4, "S3-1-0", 5);
  assert_leads(t, "S0-1-1", 5, "S4-1-0", 4);
  assert_int_equal(t->device[named(t, "S3-0-2")].level, 0);
  assert_int_equal(t->device[named(t, "S3-1-1")].level, 1);
  loom_topo_destroy(t);
}

/* ---- Slim Fly -------------------------------------------------------------------------------- */

static bool is_joined(const struct loom_topo *t, uint32_t a, uint32_t b) {
  for (uint32_t p = 1; p <= t->device[a].ports; p++)
    if (loom_topo_port(t, a, p)->device == b)
      return true;
  return false;
}

/* q = 4 w + d, d = 1 or -1: 2 q^2 switches with (3 q - d) / 2 cables each, and from each one or two
 * cables to all others. */
static void a_slim_fly_has_the_counts_of_its_closed_form(void **state) {
  (void)state;
  static const struct {
    uint32_t q, nodes, degree;
  } flies[] = {{3, 1, 5}, {5, 4, 7}, {7, 1, 11}, {11, 1, 17}, {13, 2, 19}};
  for (size_t i = 0; i < sizeof flies / sizeof flies[0]; i++) {
    const uint32_t q = flies[i].q, switches = 2 * q * q;
    struct loom_topo *t =
        loom_topo_slimfly_make(&(struct loom_topo_slimfly_cfg){.q = q, .nodes = flies[i].nodes});
    assert_non_null(t);
    assert_sound(t);
    assert_int_equal(diameter_of(t), 4);
    for (uint32_t d = t->devices - switches; d < t->devices; d++)
      for (uint32_t p = 1; p <= t->device[d].ports; p++)
        assert_int_not_equal(loom_topo_port(t, d, p)->device, LOOM_TOPO_NONE);
    struct loom_topo_counts n = counts_of(t);
    assert_int_equal(n.nodes, switches * flies[i].nodes);
    assert_int_equal(n.switches, switches);
    assert_int_equal(n.edge, switches);
    assert_int_equal(n.ports_max, flies[i].nodes + flies[i].degree);
    assert_int_equal(n.switch_links, switches * flies[i].degree / 2);
  }
}

/* With q = 5 it is the graph of Hoffman and Singleton: no triangle, no square, as many switches as
 * any graph of degree 7 and diameter 2 can have, 1 + 7 + 7 * 6. */
static void the_slim_fly_of_5_is_the_largest_of_its_degree(void **state) {
  (void)state;
  struct loom_topo *t = loom_topo_slimfly_make(&(struct loom_topo_slimfly_cfg){.q = 5, .nodes = 1});
  assert_non_null(t);
  for (uint32_t a = 50; a < 100; a++)
    for (uint32_t b = 50; b < 100; b++) {
      uint32_t common = 0;
      for (uint32_t c = 50; c < 100; c++)
        common += is_joined(t, a, c) && is_joined(t, c, b);
      assert_int_equal(common, a == b ? 7 : !is_joined(t, a, b));
    }
  assert_leads(t, "S0-0-0", 2, "S0-0-1", 2);
  assert_leads(t, "S0-0-0", 3, "S0-0-4", 2);
  assert_leads(t, "S1-0-0", 2, "S1-0-2", 2);
  assert_leads(t, "S0-2-1", 7, "S1-3-0", 6);
  loom_topo_destroy(t);
}

/* ---- KNS ------------------------------------------------------------------------------------- */

static void a_kns_has_the_counts_of_its_closed_form(void **state) {
  (void)state;
  static const struct {
    uint32_t k, n, routers, networks, links;
  } kns[] = {{6, 2, 36, 12, 108}, {3, 3, 27, 27, 27 + 81},  {4, 2, 16, 8, 48},
             {5, 1, 5, 1, 10},    {2, 5, 32, 80, 32 + 160}, {2, 7, 128, 448, 128 + 896}};
  for (size_t i = 0; i < sizeof kns / sizeof kns[0]; i++) {
    struct loom_topo_kns_cfg cfg = {.k = kns[i].k, .n = kns[i].n, .nodes = 1, .trunk = 1};
    assert_int_equal(loom_topo_kns_stages(&cfg), 1);
    struct loom_topo_counts c = counts_of(loom_topo_kns_make(&cfg));
    assert_int_equal(c.nodes, kns[i].routers);
    assert_int_equal(c.edge, kns[i].routers);
    assert_int_equal(c.switches, kns[i].routers + kns[i].networks);
    assert_int_equal(c.node_links + c.switch_links, kns[i].links);
    assert_int_equal(c.ports_min, kns[i].k < kns[i].n + 1 ? kns[i].k : kns[i].n + 1);
    cfg.ports = 8;
    c = counts_of(loom_topo_kns_make(&cfg));
    assert_int_equal(c.ports_min, 8);
    assert_int_equal(c.ports_max, 8);
  }
}

static void pairs_of_a_kns_are_4_or_6_links_apart(void **state) {
  (void)state;
  uint32_t pairs[HOPS];
  const struct loom_topo_kns_cfg cfg = {.k = 6, .n = 2, .nodes = 1, .trunk = 1, .ports = 8};
  struct loom_topo *t = loom_topo_kns_make(&cfg);
  assert_sound(t);
  hops_of(t, pairs);
  assert_int_equal(pairs[4], 360);
  assert_int_equal(pairs[6], 900);
  loom_topo_destroy(t);
}

/* Node port first, then dimensions; switch [0,4] and switch [1,2] name router [4,2] (KN-05). */
static void the_router_of_a_kns_has_its_node_first_and_then_its_dimensions(void **state) {
  (void)state;
  const struct loom_topo_kns_cfg cfg = {.k = 6, .n = 2, .nodes = 1, .trunk = 1};
  struct loom_topo *t = loom_topo_kns_make(&cfg);
  assert_sound(t);
  assert_leads(t, "H26", 1, "R4-2", 1);
  assert_leads(t, "R4-2", 2, "S0-4", 3);
  assert_leads(t, "R4-2", 3, "S1-2", 5);
  const struct loom_topo_device *router = &t->device[named(t, "R4-2")];
  assert_int_equal(router->coords, 2);
  assert_int_equal(router->coord[0], 2);
  assert_int_equal(router->coord[1], 4);
  const struct loom_topo_device *node = &t->device[named(t, "H26")];
  assert_memory_equal(node->coord, router->coord, sizeof node->coord);
  assert_int_equal(loom_topo_lid(t, named(t, "H0"), 1), 1);
  assert_int_equal(loom_topo_lid(t, named(t, "R0-0"), 1), 37);
  assert_int_equal(loom_topo_lid(t, named(t, "S1-5"), 1), 84);
  loom_topo_destroy(t);
}

/* A switch of dimension d joins the routers that differ in coordinate d only. */
static void a_switch_of_a_kns_joins_the_routers_of_its_dimension_only(void **state) {
  (void)state;
  const struct loom_topo_kns_cfg cfg = {.k = 3, .n = 3, .nodes = 2, .trunk = 2};
  struct loom_topo *t = loom_topo_kns_make(&cfg);
  assert_sound(t);
  for (uint32_t s = 0; s < t->devices; s++) {
    const struct loom_topo_device *net = &t->device[s];
    if (net->name[0] != 'S')
      continue;
    const struct loom_topo_device *first = &t->device[loom_topo_port(t, s, 1)->device];
    for (uint32_t p = 1; p <= net->ports; p++) {
      const struct loom_topo_port *port = loom_topo_port(t, s, p);
      const struct loom_topo_device *router = &t->device[port->device];
      assert_int_equal(port->port, 2 + net->coord[0] * 2 + (p - 1) % 2 + 1);
      for (uint32_t d = 0; d < 3; d++)
        assert_int_equal(router->coord[d], d == net->coord[0] ? (p - 1) / 2 : first->coord[d]);
    }
  }
  loom_topo_destroy(t);
}

/* k above the radix: trees of ceil(log_radix k) levels. */
static void a_kns_beyond_the_radix_has_trees_for_switches(void **state) {
  (void)state;
  static const struct {
    uint32_t k, radix, stages, switches, hops;
  } kns[] = {
      {4, 4, 1, 8, 4},            /* one switch */
      {5, 4, 2, 10 * (2 + 4), 6}, /* two leaves, four above */
      {16, 4, 2, 32 * 8, 6},      /* a full 4-ary 2-tree */
      {9, 2, 4, 18 * (5 + 6 + 8 + 8), 10},
  };
  for (size_t i = 0; i < sizeof kns / sizeof kns[0]; i++) {
    const struct loom_topo_kns_cfg cfg = {
        .k = kns[i].k, .n = 2, .nodes = 1, .trunk = 1, .radix = kns[i].radix};
    uint32_t pairs[HOPS * 2];
    uint32_t routers = kns[i].k * kns[i].k;
    assert_int_equal(loom_topo_kns_stages(&cfg), kns[i].stages);
    struct loom_topo *t = loom_topo_kns_make(&cfg);
    assert_sound(t);
    struct loom_topo_counts c;
    loom_topo_count(t, &c);
    assert_int_equal(c.nodes, routers);
    assert_int_equal(c.switches, routers + kns[i].switches);
    uint32_t *work = calloc(2 * (size_t)t->devices, sizeof *work);
    assert_non_null(work);
    memset(pairs, 0, sizeof pairs);
    loom_topo_distances(t, 0, work, work + t->devices);
    for (uint32_t e = 1; e < routers; e++)
      pairs[work[e]]++;
    /* Some end of the same line is as far away as its tree is deep. */
    assert_true(pairs[2 + 2 * kns[i].stages] > 0);
    assert_true(pairs[2 + 4 * kns[i].stages] > 0);
    assert_int_equal(2 + 2 * kns[i].stages, kns[i].hops);
    free(work);
    loom_topo_destroy(t);
  }
}

/* ---- QsNetIII -------------------------------------------------------------------------------- */

/* The parts by the rule that reproduces Table I (E5-43). */
static struct loom_topo_qsnet3_parts by_rule(const struct loom_topo_qsnet3_cfg *c) {
  uint32_t way = c->blade ? 16 : 128, links = c->nodes * c->links;
  uint32_t switches = (links + way - 1) / way, unit = switches > 32 ? 128 : 32;
  struct loom_topo_qsnet3_parts p = {.node_switches = c->rails * switches};
  uint32_t up = switches == 1 ? 0 : switches == 2 ? way : switches * way;
  p.cables = c->rails * (up + (c->blade ? 0 : links));
  if (switches <= 2)
    return p;
  uint32_t units = (way + unit / switches - 1) / (unit / switches);
  p.top_switches = c->rails * way;
  p.top_radix = switches;
  p.top_routers = unit == 32 ? c->rails * units : 0;
  p.top_chassis = c->rails * (unit == 32 ? (units + 7) / 8 : units);
  return p;
}

/* What is counted in the graph. */
static struct loom_topo_qsnet3_parts counted(const struct loom_topo_qsnet3_cfg *cfg) {
  struct loom_topo *t = loom_topo_qsnet3_make(cfg);
  struct loom_topo_qsnet3_parts parts;
  assert_sound(t);
  loom_topo_qsnet3_count(t, &parts);
  loom_topo_destroy(t);
  return parts;
}

/* Table I; 16384 nodes by the rule, the paper prints 32576 cables (INC-1). */
static void the_counts_of_qsnet3_are_those_of_table_1(void **state) {
  (void)state;
  static const uint32_t table[][4] = {
      {128, 1, 128, 0},     {256, 2, 384, 0},      {512, 4, 1024, 2},
      {640, 5, 1280, 3},    {1024, 8, 2048, 4},    {2048, 16, 4096, 8},
      {4096, 32, 8192, 16}, {8192, 64, 16384, 64}, {16384, 128, 32768, 128}};
  for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
    const struct loom_topo_qsnet3_cfg cfg = {.nodes = table[i][0], .links = 1, .rails = 1};
    struct loom_topo_qsnet3_parts parts = counted(&cfg);
    assert_int_equal(parts.node_switches, table[i][1]);
    assert_int_equal(parts.cables, table[i][2]);
    assert_int_equal(parts.top_chassis, table[i][3]);
    struct loom_topo_counts c = counts_of(loom_topo_qsnet3_make(&cfg));
    assert_int_equal(c.nodes, table[i][0]);
    assert_int_equal(c.ports_max, 32);
  }
}

/* Graph and rule agree for numbers between those of the table, too. */
static void graph_and_rule_of_qsnet3_agree_between_the_rows_too(void **state) {
  (void)state;
  static const uint32_t nodes[] = {1, 16, 127, 129, 256, 257, 384, 1000, 2048, 3000, 4097, 5500};
  for (uint32_t i = 0; i < 8 * sizeof nodes / sizeof nodes[0]; i++) {
    const struct loom_topo_qsnet3_cfg cfg = {.nodes = nodes[i / 8],
                                             .links = 1 + i % 2,
                                             .rails = 1 + i / 2 % 2,
                                             .spread = nodes[i / 8] >= 16,
                                             .blade = i / 4 % 2};
    if (cfg.blade && cfg.nodes * cfg.links > 2048)
      continue;
    const struct loom_topo_qsnet3_parts rule = by_rule(&cfg), parts = counted(&cfg);
    assert_memory_equal(&parts, &rule, sizeof parts);
    struct loom_topo_counts c = counts_of(loom_topo_qsnet3_make(&cfg));
    assert_int_equal(c.node_links, cfg.nodes * cfg.links * cfg.rails);
    assert_int_equal(c.nodes, cfg.nodes);
  }
}

/* 5-way and 10-way top switches (E5-44). */
static void top_switches_of_qsnet3_may_be_5_way_and_10_way(void **state) {
  (void)state;
  static const uint32_t table[][4] = {{640, 5, 22, 3}, {1280, 10, 43, 6}, {1024, 8, 32, 4}};
  for (size_t i = 0; i < 3; i++) {
    const struct loom_topo_qsnet3_cfg cfg = {.nodes = table[i][0], .links = 1, .rails = 1};
    struct loom_topo_qsnet3_parts parts = counted(&cfg);
    assert_int_equal(parts.top_switches, 128);
    assert_int_equal(parts.top_radix, table[i][1]);
    assert_int_equal(parts.top_routers, table[i][2]);
    assert_int_equal(parts.top_chassis, table[i][3]);
  }
}

/* One chassis: 16 routers, 128 links down and 128 up; 1024 nodes are at most 10 links apart. */
static void one_chassis_of_qsnet3_has_16_routers_and_128_links_each_way(void **state) {
  (void)state;
  struct loom_topo_qsnet3_cfg cfg = {.nodes = 128, .links = 1, .rails = 1};
  struct loom_topo_counts c = counts_of(loom_topo_qsnet3_make(&cfg));
  assert_int_equal(c.switches, 16);
  assert_int_equal(c.edge, 8);
  assert_int_equal(c.switch_links, 128);
  uint32_t pairs[HOPS];
  cfg.nodes = 1024;
  struct loom_topo *t = loom_topo_qsnet3_make(&cfg);
  assert_sound(t);
  hops_of(t, pairs);
  assert_int_equal(pairs[2], 1024 * 15);
  assert_int_equal(pairs[4], 1024 * 112);
  assert_int_equal(pairs[6], 1024 * 896);
  assert_leads(t, "N0-L1", 17, "N0-U0", 19);
  assert_leads(t, "N3-U7", 16, "T3-L7", 28); /* top switch 127 is the last of router 31 */
  loom_topo_destroy(t);
}

static void blades_rails_and_links_change_the_counts_of_qsnet3(void **state) {
  (void)state;
  struct loom_topo_qsnet3_cfg cfg = {.nodes = 2048, .links = 1, .rails = 1, .blade = true};
  struct loom_topo_qsnet3_parts parts = counted(&cfg); /* E5-45 */
  assert_int_equal(parts.node_switches, 128);
  assert_int_equal(parts.top_switches, 16);
  assert_int_equal(parts.top_radix, 128);
  assert_int_equal(parts.top_chassis, 16);
  assert_int_equal(parts.cables, 2048);
  assert_int_equal(counts_of(loom_topo_qsnet3_make(&cfg)).nodes, 2048);
  cfg = (struct loom_topo_qsnet3_cfg){.nodes = 1024, .links = 1, .rails = 2}; /* E5-46 */
  parts = counted(&cfg);
  assert_int_equal(parts.cables, 4096);
  assert_int_equal(parts.node_switches, 16);
  struct loom_topo *t = loom_topo_qsnet3_make(&cfg);
  assert_leads(t, "H1023", 2, "A1-N7-L7", 16);
  assert_int_equal(counts_of(t).node_links, 2048);
  cfg = (struct loom_topo_qsnet3_cfg){.nodes = 512, .links = 2, .rails = 1};
  t = loom_topo_qsnet3_make(&cfg);
  assert_sound(t);
  assert_leads(t, "H1", 1, "N0-L0", 3);
  assert_leads(t, "H1", 2, "N0-L0", 4);
  assert_int_equal(counted(&cfg).cables, 2048);
  loom_topo_destroy(t);
  cfg.spread = true;
  t = loom_topo_qsnet3_make(&cfg);
  assert_sound(t);
  assert_leads(t, "H1", 1, "N0-L0", 2);
  assert_leads(t, "H1", 2, "N4-L0", 2);
  loom_topo_destroy(t);
}

/* Several top switches in one device (E5-23), several links of a node (E5-24), subtrees. */
static void trees_host_top_switches_and_spread_links_of_nodes(void **state) {
  (void)state;
  struct loom_topo_tree_cfg cfg = {.k = 4, .n = 2, .trunk = 1, .top = 8, .hosted = 4};
  struct loom_topo *t = loom_topo_tree_make(&cfg);
  assert_sound(t);
  assert_leads(t, "S0-3", 5, "S1-0", 4);
  assert_leads(t, "S0-3", 6, "S1-0", 12);
  assert_leads(t, "H31", 1, "S0-7", 4);
  assert_int_equal(t->device[named(t, "S1-0")].level, 1);
  assert_int_equal(t->device[named(t, "H0")].level, LOOM_TOPO_NONE);
  struct loom_topo_counts c = counts_of(t);
  assert_int_equal(c.nodes, 32);
  assert_int_equal(c.switches, 9);
  assert_int_equal(c.ports_max, 32);
  cfg = (struct loom_topo_tree_cfg){.k = 16, .n = 3, .trunk = 1, .top = 4, .hosted = 8};
  c = counts_of(loom_topo_tree_make(&cfg));
  assert_int_equal(c.nodes, 1024);
  assert_int_equal(c.switches, 64 + 64 + 32);
  cfg =
      (struct loom_topo_tree_cfg){.k = 2, .n = 3, .trunk = 1, .top = 8, .links = 4, .spread = true};
  t = loom_topo_tree_make(&cfg);
  assert_sound(t);
  assert_leads(t, "H1", 1, "S0-0", 2);
  assert_leads(t, "H1", 2, "S0-2", 2);
  assert_leads(t, "H4", 1, "S0-8", 1);
  assert_int_equal(counts_of(t).node_links, 32);
  cfg.spread = false;
  cfg.links = 2;
  t = loom_topo_tree_make(&cfg);
  assert_leads(t, "H1", 2, "S0-1", 2);
  loom_topo_destroy(t);
}

/* Leaves nobody out, and puts each switch where the generator put it. */
static void assert_levels(struct loom_topo *t) {
  uint32_t *level = calloc(t->devices, sizeof *level);
  assert_non_null(level);
  for (uint32_t d = 0; d < t->devices; d++)
    level[d] = t->device[d].level;
  loom_topo_raise_all(t);
  for (uint32_t d = 0; d < t->devices; d++)
    assert_int_equal(t->device[d].level, level[d]);
  free(level);
  loom_topo_destroy(t);
}

static void the_levels_of_a_tree_are_found_from_its_nodes_up(void **state) {
  (void)state;
  assert_levels(loom_topo_tree_make(&(struct loom_topo_tree_cfg){.k = 4, .n = 3, .trunk = 1}));
  assert_levels(loom_topo_tree_make(
      &(struct loom_topo_tree_cfg){.k = 2, .n = 4, .trunk = 2, .links = 2, .spread = true}));
  assert_levels(
      loom_topo_qsnet3_make(&(struct loom_topo_qsnet3_cfg){.nodes = 1024, .links = 1, .rails = 2}));
}

/* A switch on which no node stands is in no tree. */
static void a_switch_that_no_node_reaches_has_no_level(void **state) {
  (void)state;
  struct loom_topo *t =
      loom_topo_tree_make(&(struct loom_topo_tree_cfg){.k = 2, .n = 1, .trunk = 1});
  uint32_t lone = named(t, "S0-0");
  for (uint32_t port = 1; port <= t->device[lone].ports; port++)
    loom_topo_port(t, lone, port)->device = LOOM_TOPO_NONE;
  loom_topo_raise_all(t);
  assert_int_equal(t->device[lone].level, LOOM_TOPO_NONE);
  loom_topo_destroy(t);
}

/* ---- what is refused ------------------------------------------------------------------------- */

/* The coordinates of a device are the numbers in its name; those of a node of `own` coordinates are
 * those of its switch and the number of its port there. */
static void assert_coordinates(struct loom_topo *t, bool of_switch) {
  assert_non_null(t);
  for (uint32_t d = 0; d < t->devices; d++) {
    const struct loom_topo_device *device = &t->device[d];
    const char *at = device->name;
    uint32_t count = 0;
    if (device->kind == LOOM_TOPO_HCA && of_switch) {
      const struct loom_topo_port *far = loom_topo_port(t, d, 1);
      const struct loom_topo_device *s = &t->device[far->device];
      assert_int_equal(device->coords, s->coords + 1);
      assert_memory_equal(device->coord, s->coord, s->coords * sizeof s->coord[0]);
      assert_int_equal(device->coord[s->coords], far->port - 1);
      continue;
    }
    for (char *end; *at; at = end, count++)
      assert_int_equal(device->coord[count], strtoul(at + 1, &end, 10));
    assert_int_equal(device->coords, count);
  }
  loom_topo_destroy(t);
}

static void devices_have_the_coordinates_of_their_names(void **state) {
  (void)state;
  assert_coordinates(loom_topo_torus_make(&(struct loom_topo_torus_cfg){
                         .dims = 2, .size = {3, 4}, .nodes = 3, .trunk = 1}),
                     true);
  assert_coordinates(loom_topo_torus_make(&(struct loom_topo_torus_cfg){
                         .dims = 3, .size = {2, 3, 4}, .nodes = 2, .trunk = 1}),
                     true);
  assert_coordinates(loom_topo_slimfly_make(&(struct loom_topo_slimfly_cfg){.q = 5, .nodes = 3}),
                     true);
  assert_coordinates(loom_topo_dragonflyplus_make(&(struct loom_topo_dragonflyplus_cfg){
                         .leaves = 3, .spines = 2, .globals = 2, .nodes = 2}),
                     true);
  assert_coordinates(loom_topo_xgft_make(&(struct loom_topo_xgft_cfg){
                         .levels = 3, .down = {2, 3, 2}, .ups = 2, .up = {2, 3}, .trunk = 1}),
                     false);
  assert_coordinates(loom_topo_slim_make(&(struct loom_topo_slim_cfg){.nodes = 4}), false);
}

/* What is just within the bounds is made. */
static void a_dragonfly_may_use_all_ports_of_its_routers(void **state) {
  (void)state;
  const struct loom_topo_dragonfly_cfg c = {
      .routers = 4, .globals = 2, .nodes = LOOM_TOPO_PORTS - 3 - 2, .groups = 2};
  assert_null(loom_topo_dragonfly_bad(&c));
  struct loom_topo *t = loom_topo_dragonfly_make(&c);
  assert_non_null(t);
  assert_int_equal(counts_of(t).ports_max, LOOM_TOPO_PORTS);
}

static void a_dragonflyplus_may_use_all_ports_of_its_switches(void **state) {
  (void)state;
  const struct loom_topo_dragonflyplus_cfg c = {.leaves = 4,
                                                .spines = 3,
                                                .globals = LOOM_TOPO_PORTS - 4,
                                                .nodes = LOOM_TOPO_PORTS - 3,
                                                .groups = 2};
  struct loom_topo *t = loom_topo_dragonflyplus_make(&c);
  assert_non_null(t);
  assert_int_equal(counts_of(t).ports_max, LOOM_TOPO_PORTS);
}

static void parameters_out_of_range_are_refused_by_name(void **state) {
  (void)state;
  const struct loom_topo_tree_cfg tree[] = {{.k = 0, .n = 1, .trunk = 1},
                                            {.k = 2, .n = 21, .trunk = 1},
                                            {.k = 64, .n = 1, .trunk = 2},
                                            {.k = 4, .n = UINT32_MAX, .trunk = 1},
                                            {.k = 4, .n = 2, .trunk = 1, .top = 256},
                                            {.k = 4, .n = 2, .trunk = 1, .hosted = 3},
                                            {.k = 4, .n = 1, .trunk = 1, .hosted = 2},
                                            {.k = 4, .n = 3, .trunk = 1, .links = 3},
                                            {.k = 4, .n = 1, .trunk = 1, .spread = true},
                                            {.k = 4, .n = 10, .trunk = 1, .full = true}};
  static const char *const tree_bad[] = {"k",      "n",      "trunk", "n",      "top",
                                         "hosted", "hosted", "links", "spread", "n"};
  for (size_t i = 0; i < sizeof tree / sizeof tree[0]; i++) {
    assert_string_equal(loom_topo_tree_bad(&tree[i]), tree_bad[i]);
    assert_null(loom_topo_tree_make(&tree[i]));
  }
  const struct loom_topo_torus_cfg torus[] = {
      {.dims = 4, .nodes = 1, .trunk = 1},
      {.dims = 2, .size = {8, 1}, .nodes = 1, .trunk = 1},
      {.dims = 2, .size = {8, 8}, .nodes = 0, .trunk = 1},
      {.dims = 2, .size = {8, 8}, .nodes = 1, .trunk = 64},
      {.dims = 3, .size = {65535, 65535, 65535}, .nodes = 1, .trunk = 1},
      {.joined = LOOM_TOPO_ALL, .dims = 2, .size = {128, 129}, .nodes = 1, .trunk = 1},
      {.joined = LOOM_TOPO_ALL, .dims = 2, .size = {9, 9}, .nodes = 1, .trunk = 16}};
  static const char *const torus_bad[] = {"size", "size", "nodes", "trunk",
                                          "size", "size", "trunk"};
  for (size_t i = 0; i < sizeof torus / sizeof torus[0]; i++) {
    assert_string_equal(loom_topo_torus_bad(&torus[i]), torus_bad[i]);
    assert_null(loom_topo_torus_make(&torus[i]));
  }
  const struct loom_topo_dragonfly_cfg fly[] = {
      {.routers = 0, .globals = 1, .nodes = 1},
      {.routers = 4, .globals = 252, .nodes = 1},
      {.routers = 4, .globals = 2, .nodes = 1, .groups = 10},
      {.routers = 4, .globals = 2, .nodes = 251},
      {.routers = 120, .globals = 120, .nodes = 1}};
  static const char *const fly_bad[] = {"routers", "globals", "groups", "nodes", "groups"};
  for (size_t i = 0; i < sizeof fly / sizeof fly[0]; i++) {
    assert_string_equal(loom_topo_dragonfly_bad(&fly[i]), fly_bad[i]);
    assert_null(loom_topo_dragonfly_make(&fly[i]));
  }
  const struct loom_topo_dragonflyplus_cfg plus[] = {
      {.leaves = 0, .spines = 1, .globals = 1, .nodes = 1},
      {.leaves = 1, .spines = 255, .globals = 1, .nodes = 1},
      {.leaves = 4, .spines = 1, .globals = 252, .nodes = 1},
      {.leaves = 4, .spines = 4, .globals = 2, .nodes = 1, .groups = 10},
      {.leaves = 4, .spines = 4, .globals = 2, .nodes = 252},
      {.leaves = 120, .spines = 120, .globals = 120, .nodes = 1}};
  static const char *const plus_bad[] = {"leaves", "spines", "globals",
                                         "groups", "nodes",  "groups"};
  for (size_t i = 0; i < sizeof plus / sizeof plus[0]; i++) {
    assert_string_equal(loom_topo_dragonflyplus_bad(&plus[i]), plus_bad[i]);
    assert_null(loom_topo_dragonflyplus_make(&plus[i]));
  }
  const struct loom_topo_slimfly_cfg slimfly[] = {{.q = 2, .nodes = 1},   {.q = 9, .nodes = 1},
                                                  {.q = 173, .nodes = 1}, {.q = 257, .nodes = 1},
                                                  {.q = 5, .nodes = 0},   {.q = 5, .nodes = 249}};
  static const char *const slimfly_bad[] = {"q", "q", "q", "q", "nodes", "nodes"};
  for (size_t i = 0; i < sizeof slimfly / sizeof slimfly[0]; i++) {
    assert_string_equal(loom_topo_slimfly_bad(&slimfly[i]), slimfly_bad[i]);
    assert_null(loom_topo_slimfly_make(&slimfly[i]));
  }
  const struct loom_topo_xgft_cfg xgft[] = {
      {.levels = 0, .trunk = 1},
      {.levels = 2, .down = {4, 0}, .ups = 1, .up = {2}, .trunk = 1},
      {.levels = 2, .down = {4, 4}, .trunk = 1},
      {.levels = 1, .down = {4}, .ups = 1, .up = {2}, .trunk = 1},
      {.levels = 2, .down = {200, 4}, .ups = 1, .up = {56}, .trunk = 1},
      {.levels = 2, .down = {4, 128}, .ups = 1, .up = {2}, .trunk = 2},
      {.levels = 3, .down = {255, 255, 255}, .ups = 2, .up = {0, 0}, .trunk = 1}};
  static const char *const xgft_bad[] = {"down", "down", "up", "up", "up", "trunk", "up"};
  for (size_t i = 0; i < sizeof xgft / sizeof xgft[0]; i++) {
    assert_string_equal(loom_topo_xgft_bad(&xgft[i]), xgft_bad[i]);
    assert_null(loom_topo_xgft_make(&xgft[i]));
  }
  const struct loom_topo_kns_cfg kns[] = {{.k = 1, .n = 2, .nodes = 1, .trunk = 1},
                                          {.k = 2, .n = 9, .nodes = 1, .trunk = 1},
                                          {.k = 2, .n = 2, .nodes = 0, .trunk = 1},
                                          {.k = 2, .n = 2, .nodes = 1, .trunk = 0},
                                          {.k = 2, .n = 2, .nodes = 1, .trunk = 1, .radix = 1},
                                          {.k = 9, .n = 2, .nodes = 1, .trunk = 1, .ports = 8}};
  static const char *const kns_bad[] = {"k", "n", "nodes", "trunk", "radix", "ports"};
  for (size_t i = 0; i < 6; i++) {
    assert_string_equal(loom_topo_kns_bad(&kns[i]), kns_bad[i]);
    assert_null(loom_topo_kns_make(&kns[i]));
  }
  const struct loom_topo_qsnet3_cfg qsnet3[] = {
      {.nodes = 16385, .links = 1, .rails = 1},
      {.nodes = 2049, .links = 1, .rails = 1, .blade = true},
      {.nodes = 16, .links = 0, .rails = 1},
      {.nodes = 16, .links = 1, .rails = 9},
      {.nodes = 8, .links = 2, .rails = 1, .spread = true}};
  static const char *const qsnet3_bad[] = {"nodes", "nodes", "links", "rails", "spread"};
  for (size_t i = 0; i < 5; i++) {
    assert_string_equal(loom_topo_qsnet3_bad(&qsnet3[i]), qsnet3_bad[i]);
    assert_null(loom_topo_qsnet3_make(&qsnet3[i]));
  }
  const struct loom_topo_slim_cfg slim = {.nodes = 6};
  assert_string_equal(loom_topo_slim_bad(&slim), "nodes");
  assert_null(loom_topo_slim_make(&slim));
}

/* Legal numbers whose product is not. */
static void legal_numbers_whose_product_is_too_large_make_no_fabric(void **state) {
  (void)state;
  const struct loom_topo_torus_cfg torus = {
      .dims = 2, .size = {1024, 1024}, .nodes = 100, .trunk = 1};
  assert_null(loom_topo_torus_bad(&torus));
  assert_null(loom_topo_torus_make(&torus));
  const struct loom_topo_kns_cfg kns = {.k = 1000, .n = 2, .nodes = 250, .trunk = 1, .radix = 2};
  assert_null(loom_topo_kns_bad(&kns));
  assert_null(loom_topo_kns_make(&kns));
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_fabric_is_built_device_by_device_within_its_bounds),
      cmocka_unit_test(each_fault_is_found_where_it_is),
      cmocka_unit_test(two_cables_with_crossed_ends_are_a_fault),
      cmocka_unit_test(a_node_between_two_switches_passes_nothing_on),
      cmocka_unit_test(all_ports_have_lids_or_none_has),
      cmocka_unit_test(a_tree_has_the_counts_of_its_closed_form),
      cmocka_unit_test(a_full_tree_has_32_times_16_to_the_n_minus_1_nodes),
      cmocka_unit_test(pairs_of_a_tree_meet_at_the_level_of_their_common_digits),
      cmocka_unit_test(a_slimmed_tree_has_fewer_switches_on_top),
      cmocka_unit_test(a_torus_has_the_counts_of_its_closed_form),
      cmocka_unit_test(pairs_of_a_torus_are_as_far_as_its_rings_say),
      cmocka_unit_test(meshes_and_hyperx_have_the_counts_of_their_closed_forms),
      cmocka_unit_test(ports_of_a_hyperx_go_by_the_other_coordinate),
      cmocka_unit_test(an_xgft_has_the_counts_of_its_closed_form),
      cmocka_unit_test(switches_of_an_xgft_are_joined_by_their_digits),
      cmocka_unit_test(a_dragonfly_has_the_counts_of_its_closed_form),
      cmocka_unit_test(cables_between_groups_of_a_dragonfly_go_by_how_far_they_are_apart),
      cmocka_unit_test(a_dragonflyplus_has_the_counts_of_its_closed_form),
      cmocka_unit_test(cables_between_groups_of_a_dragonflyplus_are_at_its_spines),
      cmocka_unit_test(a_slim_fly_has_the_counts_of_its_closed_form),
      cmocka_unit_test(the_slim_fly_of_5_is_the_largest_of_its_degree),
      cmocka_unit_test(a_kns_has_the_counts_of_its_closed_form),
      cmocka_unit_test(pairs_of_a_kns_are_4_or_6_links_apart),
      cmocka_unit_test(the_router_of_a_kns_has_its_node_first_and_then_its_dimensions),
      cmocka_unit_test(a_switch_of_a_kns_joins_the_routers_of_its_dimension_only),
      cmocka_unit_test(a_kns_beyond_the_radix_has_trees_for_switches),
      cmocka_unit_test(the_counts_of_qsnet3_are_those_of_table_1),
      cmocka_unit_test(graph_and_rule_of_qsnet3_agree_between_the_rows_too),
      cmocka_unit_test(a_top_switch_of_a_full_tree_joins_two_halves),
      cmocka_unit_test(top_switches_of_qsnet3_may_be_5_way_and_10_way),
      cmocka_unit_test(one_chassis_of_qsnet3_has_16_routers_and_128_links_each_way),
      cmocka_unit_test(blades_rails_and_links_change_the_counts_of_qsnet3),
      cmocka_unit_test(trees_host_top_switches_and_spread_links_of_nodes),
      cmocka_unit_test(the_levels_of_a_tree_are_found_from_its_nodes_up),
      cmocka_unit_test(a_switch_that_no_node_reaches_has_no_level),
      cmocka_unit_test(devices_have_the_coordinates_of_their_names),
      cmocka_unit_test(a_dragonfly_may_use_all_ports_of_its_routers),
      cmocka_unit_test(a_dragonflyplus_may_use_all_ports_of_its_switches),
      cmocka_unit_test(parameters_out_of_range_are_refused_by_name),
      cmocka_unit_test(legal_numbers_whose_product_is_too_large_make_no_fabric),
  };
  return UNIT_RUN("topo", tests, NULL, NULL);
}

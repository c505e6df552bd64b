/* SPDX-License-Identifier: Apache-2.0 */
/* Choices among equals: cables of a trunk, lanes of a layer, LIDs of a host (docs/route.md,
 * docs/port_groups.md; KN-08, TP-02). */
#include "tb/unit/unit.h"

#include <loom/random.h>
#include <stdio.h>

#include "parts/crc16.h"
#include "routing/check.h"
#include "routing/engine.h"
#include "topo/generate.h"

static struct loom_topo *torus(uint32_t x, uint32_t y, uint32_t nodes, uint32_t trunk) {
  return loom_topo_torus_make(
      &(struct loom_topo_torus_cfg){.dims = 2, .size = {x, y}, .nodes = nodes, .trunk = trunk});
}

static struct loom_routing *route(const struct loom_topo *t, enum loom_routing_engine engine,
                                  const struct loom_routing_options *options) {
  struct loom_routing_error err = {""};
  assert_non_null(t);
  struct loom_routing *r = loom_routing_make(t, engine, options, &err);
  assert_string_equal(err.text, "");
  assert_non_null(r);
  return r;
}

static void drop(struct loom_topo *t, struct loom_routing *r) {
  loom_routing_destroy(r);
  loom_topo_destroy(t);
}

/* Flows that come together at one switch part again at the next: its place says how. */
static void a_switch_hashes_by_its_place(void **state) {
  (void)state;
  const struct loom_routing_options by_flow = {.trunk = LOOM_ROUTING_TRUNK_FLOW};
  struct loom_topo *t = torus(4, 3, 1, 2);
  struct loom_routing *r = route(t, LOOM_ROUTING_DOR, &by_flow);
  for (uint32_t row = 0; row < r->switches; row++) {
    const struct loom_topo_device *d = &t->device[r->device[row]];
    assert_int_equal(r->hash[row], (d->coord[0] % 3 + d->coord[1] % 3) % 3);
  }
  drop(t, r);
  t = loom_topo_tree_make(&(struct loom_topo_tree_cfg){.k = 2, .n = 4, .trunk = 2});
  r = route(t, LOOM_ROUTING_FTREE, &by_flow);
  for (uint32_t row = 0; row < r->switches; row++)
    assert_int_equal(r->hash[row], t->device[r->device[row]].level % 3);
  drop(t, r);
}

/* By flow: the cables of a trunk in order, by the CRC of both LIDs. */
static void a_flow_takes_the_cable_of_its_crc(void **state) {
  (void)state;
  struct loom_topo *t = torus(4, 3, 2, 3);
  struct loom_routing *r =
      route(t, LOOM_ROUTING_DOR, &(struct loom_routing_options){.trunk = LOOM_ROUTING_TRUNK_FLOW});
  for (uint32_t row = 0; row < r->switches; row++)
    for (uint32_t e = 0; e < r->ends; e++)
      for (uint32_t lid = 1; lid < r->lids; lid++) {
        uint8_t list[LOOM_ROUTING_PORTS];
        uint32_t port = loom_routing_out(r, row, lid);
        if (!port || port == LOOM_ROUTING_UNREACHABLE)
          continue;
        uint32_t count = loom_routing_members(r, row, port, list);
        assert_true(count == 1 || count == 3);
        assert_int_equal(loom_routing_member_of(r, row, port, e, lid),
                         list[loom_crc16_slot(r->end[e].lid, lid, r->hash[row]) % count]);
      }
  drop(t, r);
}

/* LIDs at one switch take the cables of a trunk in turn, at each switch on their way. */
static void lash_shares_the_cables_of_a_trunk_among_the_lids_of_a_switch(void **state) {
  (void)state;
  struct loom_topo *t = torus(3, 3, 2, 2);
  struct loom_routing *r = route(t, LOOM_ROUTING_LASH, &(struct loom_routing_options){.lmc = 0});
  uint32_t compared = 0;
  for (uint32_t a = 0; a < r->ends; a++)
    for (uint32_t b = a + 1; b < r->ends; b++) {
      uint32_t leaf = loom_routing_leaf(r, a);
      for (uint32_t row = 0; leaf == loom_routing_leaf(r, b) && row < r->switches; row++) {
        if (row == leaf)
          continue;
        uint32_t one = loom_routing_out(r, row, r->end[a].lid);
        uint32_t other = loom_routing_out(r, row, r->end[b].lid);
        assert_int_equal(loom_routing_peer(r, row, one), loom_routing_peer(r, row, other));
        assert_int_not_equal(one, other);
        compared++;
      }
    }
  assert_int_equal(compared, 9 * 8);
  drop(t, r);
}

static void count_classes(const struct loom_routing *r, uint64_t count[LOOM_ROUTING_VLS]) {
  for (uint32_t a = 0; a < r->ends; a++)
    for (uint32_t b = 0; b < r->ends; b++)
      if (loom_routing_leaf(r, a) != loom_routing_leaf(r, b))
        count[loom_routing_class(r, a, r->end[b].lid)]++;
}

/* KN-08: lane after lane goes to the layer that has the most paths for each of its own. */
static void dfsssp_gives_lanes_to_the_layers_with_most_paths(void **state) {
  (void)state;
  enum { LANES = 8 };
  uint64_t paths[LOOM_ROUTING_VLS] = {0};
  uint64_t count[LOOM_ROUTING_VLS] = {0};
  uint32_t lanes[LOOM_ROUTING_VLS];
  struct loom_topo *t = torus(5, 5, 1, 1);
  uint32_t layers = 1;
  struct loom_routing_error err = {""};
  struct loom_routing *r = NULL;
  for (; !r; layers++) /* as few as will do */
    r = loom_routing_make(t, LOOM_ROUTING_DFSSSP, &(struct loom_routing_options){.vls = layers},
                          &err);
  layers--;
  assert_in_range(layers, 2, LANES - 2);
  count_classes(r, paths);
  loom_routing_destroy(r);
  r = route(t, LOOM_ROUTING_DFSSSP, &(struct loom_routing_options){.vls = LANES});
  count_classes(r, count);
  for (uint32_t i = 0; i < layers; i++)
    lanes[i] = 1;
  for (uint32_t used = layers; used < LANES; used++) {
    uint32_t best = 0;
    for (uint32_t i = 1; i < layers; i++)
      best = paths[i] * lanes[best] > paths[best] * lanes[i] ? i : best;
    lanes[best]++;
  }
  for (uint32_t i = 0, lane = 0; i < layers; i++) {
    uint64_t sum = 0;
    for (uint32_t k = 0; k < lanes[i]; k++) {
      assert_true(count[lane] > 0);
      sum += count[lane++];
    }
    assert_int_equal(sum, paths[i]);
  }
  drop(t, r);
}

/* Each host has a LID for each way up, and no more. */
static void valiant_has_as_many_lids_as_ways(void **state) {
  (void)state;
  static const uint32_t arity[] = {2, 3, 4, 5};
  static const uint32_t lmc[] = {1, 2, 2, 3};
  const struct loom_routing_options fit = {.lmc = LOOM_ROUTING_LMC_AUTO};
  for (size_t i = 0; i < sizeof arity / sizeof arity[0]; i++) {
    struct loom_topo *t =
        loom_topo_tree_make(&(struct loom_topo_tree_cfg){.k = arity[i], .n = 2, .trunk = 1});
    struct loom_routing *r = route(t, LOOM_ROUTING_VALIANT, &fit);
    assert_int_equal(loom_routing_ways(r), arity[i]);
    assert_int_equal(r->lmc, lmc[i]);
    drop(t, r);
  }
}

/* Two hosts on one cable need no switch: a way of one link. */
static void hosts_on_one_cable_are_one_link_apart(void **state) {
  (void)state;
  struct loom_routing_report report;
  struct loom_topo *t = loom_topo_create(5, 16);
  assert_non_null(t);
  for (unsigned i = 0; i < 4; i++)
    loom_topo_add(t, LOOM_TOPO_HCA, 1, "h%u", i);
  uint32_t s = loom_topo_add(t, LOOM_TOPO_SWITCH, 2, "s");
  assert_true(loom_topo_connect(t, 0, 1, 1, 1));
  assert_true(loom_topo_connect(t, 2, 1, s, 1));
  assert_true(loom_topo_connect(t, 3, 1, s, 2));
  loom_topo_number(t);
  struct loom_routing *r = route(t, LOOM_ROUTING_MINHOP, &(struct loom_routing_options){.lmc = 0});
  assert_true(loom_routing_check(r, &report));
  assert_int_equal(report.hops[1], 2);
  assert_int_equal(report.hops[2], 2);
  loom_routing_report_free(&report);
  drop(t, r);
}

/* ---- roots of up/down ------------------------------------------------------------------------ */

enum { SWITCHES = 7 };

/* Switches with a host each, first a path through all in any order, then some cables more. */
static struct loom_topo *random_switches(uint64_t *seed) {
  struct loom_topo *t = loom_topo_create(2 * SWITCHES, 2 * SWITCHES * (SWITCHES + 2));
  uint32_t order[SWITCHES] = {0};
  uint32_t used[SWITCHES] = {0};
  assert_non_null(t);
  for (uint32_t i = 0; i < SWITCHES; i++) {
    uint32_t j = loom_below(seed, i + 1);
    order[i] = order[j];
    order[j] = i;
    used[i] = 1;
    loom_topo_add(t, LOOM_TOPO_SWITCH, SWITCHES + 1, "s%u", (unsigned)i);
  }
  for (uint32_t i = 0; i < SWITCHES; i++)
    loom_topo_connect(t, loom_topo_add(t, LOOM_TOPO_HCA, 1, "h%u", (unsigned)i), 1, i, 1);
  for (uint32_t i = 1; i < SWITCHES + 2; i++) {
    uint32_t a = order[i < SWITCHES ? i : loom_below(seed, SWITCHES)];
    uint32_t b = order[i < SWITCHES ? i - 1 : loom_below(seed, SWITCHES)];
    if (a != b)
      assert_true(loom_topo_connect(t, a, ++used[a], b, ++used[b]));
  }
  loom_topo_number(t);
  return t;
}

/* The first of those with the nearest farthest switch, and then the least sum of links. */
static uint32_t central_of(const struct loom_topo *t) {
  uint32_t best = 0;
  uint32_t best_far = UINT32_MAX;
  uint32_t best_sum = 0;
  for (uint32_t s = 0; s < SWITCHES; s++) {
    uint32_t distance[2 * SWITCHES];
    uint32_t queue[2 * SWITCHES];
    uint32_t far = 0;
    uint32_t sum = 0;
    loom_topo_distances(t, s, distance, queue);
    for (uint32_t other = 0; other < SWITCHES; other++) {
      far = distance[other] > far ? distance[other] : far;
      sum += distance[other];
    }
    if (far < best_far || (far == best_far && sum < best_sum)) {
      best = s;
      best_far = far;
      best_sum = sum;
    }
  }
  return best;
}

/* Without roots the routing is the one with these. */
static void assert_roots(struct loom_topo *t, const uint32_t *root, uint32_t roots) {
  struct loom_routing *usual =
      route(t, LOOM_ROUTING_UPDN, &(struct loom_routing_options){.lmc = 0});
  struct loom_routing *given =
      route(t, LOOM_ROUTING_UPDN, &(struct loom_routing_options){.root = root, .roots = roots});
  assert_memory_equal(usual->out, given->out, (size_t)usual->switches * usual->lids);
  loom_routing_destroy(given);
  drop(t, usual);
}

static void up_down_has_the_central_switch_or_all_on_top_for_roots(void **state) {
  (void)state;
  uint64_t seed = 3;
  for (unsigned i = 0; i < 60; i++) {
    struct loom_topo *t = random_switches(&seed);
    const uint32_t root = central_of(t);
    assert_roots(t, &root, 1);
  }
  struct loom_topo *t =
      loom_topo_tree_make(&(struct loom_topo_tree_cfg){.k = 3, .n = 2, .trunk = 1});
  uint32_t top[3];
  uint32_t tops = 0;
  for (uint32_t d = 0; d < t->devices; d++)
    if (t->device[d].kind == LOOM_TOPO_SWITCH && t->device[d].level == 1)
      top[tops++] = d;
  assert_int_equal(tops, 3);
  assert_roots(t, top, tops);
}

/* In a ring of 5 the way over its lowest cable would go down and then up: it is the long way that
 * is taken, whichever ports the cables have. */
static void ranks_of_up_down_go_over_all_ports(void **state) {
  (void)state;
  const uint32_t root = 0;
  struct loom_topo *t = loom_topo_create(10, 64);
  assert_non_null(t);
  for (unsigned i = 0; i < 5; i++)
    loom_topo_add(t, LOOM_TOPO_SWITCH, 3, "s%u", i);
  for (uint32_t i = 0; i < 5; i++) {
    loom_topo_connect(t, loom_topo_add(t, LOOM_TOPO_HCA, 1, "h%u", (unsigned)i), 1, i, 1);
    assert_true(loom_topo_connect(t, i, 2, (i + 1) % 5, 3));
  }
  loom_topo_number(t);
  struct loom_routing *r =
      route(t, LOOM_ROUTING_UPDN, &(struct loom_routing_options){.root = &root, .roots = 1});
  assert_int_equal(loom_routing_out(r, 2, r->end[4].lid), 3); /* over 1 and 0, not over 3 */
  assert_int_equal(loom_routing_out(r, 3, r->end[0].lid), 2); /* over 4 */
  drop(t, r);
}

/* Flows on the busiest link, and the squares of the flows on all. */
static void worth_of(const struct loom_topo *t, const struct loom_routing_options *options,
                     uint64_t worth[2]) {
  struct loom_routing_report report;
  struct loom_routing *r = route(t, LOOM_ROUTING_UPDN, options);
  assert_true(loom_routing_check(r, &report));
  worth[0] = report.load_max;
  worth[1] = 0;
  for (size_t i = 0; i < (size_t)r->switches * r->ports; i++)
    worth[1] += report.load[i] * report.load[i];
  loom_routing_report_free(&report);
  loom_routing_destroy(r);
}

static void the_best_root_has_the_least_load_and_then_the_least_squares(void **state) {
  (void)state;
  uint64_t seed = 8;
  for (unsigned i = 0; i < 20; i++) {
    struct loom_topo *t = random_switches(&seed);
    uint64_t best[2];
    worth_of(t, &(struct loom_routing_options){.choose = LOOM_ROUTING_CHOOSE_BEST}, best);
    for (uint32_t root = 0; root < SWITCHES; root++) {
      uint64_t other[2];
      worth_of(t, &(struct loom_routing_options){.root = &root, .roots = 1}, other);
      assert_true(best[0] < other[0] || (best[0] == other[0] && best[1] <= other[1]));
    }
    loom_topo_destroy(t);
  }
}

/* Two ways of three cables lead down from r to t, but p would have to go up to y: r takes d. */
static void a_way_down_never_turns_up_again(void **state) {
  (void)state;
  enum { Z, R, W, D, Y, P, E, T, ALL };
  static const uint32_t cable[][4] = {{Z, 1, R, 1}, {Z, 2, W, 1}, {R, 2, P, 1},
                                      {R, 3, D, 1}, {W, 2, Y, 1}, {D, 2, E, 1},
                                      {P, 2, Y, 2}, {E, 2, T, 1}, {Y, 3, T, 2}};
  const uint32_t root = Z;
  struct loom_topo *t = loom_topo_create(ALL + 2, 64);
  assert_non_null(t);
  for (unsigned i = 0; i < ALL; i++)
    loom_topo_add(t, LOOM_TOPO_SWITCH, 4, "s%u", i);
  for (size_t i = 0; i < sizeof cable / sizeof cable[0]; i++)
    assert_true(loom_topo_connect(t, cable[i][0], cable[i][1], cable[i][2], cable[i][3]));
  assert_true(loom_topo_connect(t, loom_topo_add(t, LOOM_TOPO_HCA, 1, "a"), 1, R, 4));
  assert_true(loom_topo_connect(t, loom_topo_add(t, LOOM_TOPO_HCA, 1, "b"), 1, T, 4));
  loom_topo_number(t);
  struct loom_routing *r =
      route(t, LOOM_ROUTING_UPDN, &(struct loom_routing_options){.root = &root, .roots = 1});
  assert_int_equal(loom_routing_out(r, R, r->end[1].lid), 3);
  drop(t, r);
}

/* Ways by load: 255 groups of two ports at a switch, or more, are told as 255. */
static void more_groups_than_a_number_has_room_for_are_told(void **state) {
  (void)state;
  static uint8_t group[LOOM_TOPO_LID_MAX + 1];
  struct loom_topo *t = loom_topo_dragonfly_make(
      &(struct loom_topo_dragonfly_cfg){.routers = 4, .globals = 2, .nodes = 2});
  struct loom_routing *r = route(t, LOOM_ROUTING_DRAGONFLY_UGAL,
                                 &(struct loom_routing_options){.lmc = LOOM_ROUTING_LMC_AUTO});
  static const uint32_t groups[] = {254, 256, 300};
  assert_true(r->lids > 400);
  for (size_t i = 0; i < 3; i++) {
    for (uint32_t lid = 0; lid < r->lids; lid++) {
      r->out[lid] = (uint8_t)(1 + lid / 20);
      r->other[lid] = (uint8_t)(lid < groups[i] ? 1 + lid % 20 : 0);
    }
    assert_int_equal(loom_routing_pairs(r, 0, group), i ? LOOM_ROUTING_NO_GROUP : 254);
  }
  drop(t, r);
}

/* opensm.conf has one map for all ports. */
static void a_conf_is_for_layers_that_are_alike_at_all_ports(void **state) {
  (void)state;
  struct loom_topo *t = torus(3, 3, 1, 1);
  struct loom_routing *r = route(t, LOOM_ROUTING_LASH, &(struct loom_routing_options){.vls = 4});
  FILE *file = tmpfile();
  assert_non_null(file);
  assert_true(loom_routing_write_conf(r, file));
  size_t last = (size_t)r->switches * r->ports * r->ports * r->classes - 1;
  r->layer[last]++;
  assert_false(loom_routing_write_conf(r, file));
  fclose(file);
  drop(t, r);
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_switch_hashes_by_its_place),
      cmocka_unit_test(a_flow_takes_the_cable_of_its_crc),
      cmocka_unit_test(lash_shares_the_cables_of_a_trunk_among_the_lids_of_a_switch),
      cmocka_unit_test(dfsssp_gives_lanes_to_the_layers_with_most_paths),
      cmocka_unit_test(valiant_has_as_many_lids_as_ways),
      cmocka_unit_test(up_down_has_the_central_switch_or_all_on_top_for_roots),
      cmocka_unit_test(ranks_of_up_down_go_over_all_ports),
      cmocka_unit_test(the_best_root_has_the_least_load_and_then_the_least_squares),
      cmocka_unit_test(a_way_down_never_turns_up_again),
      cmocka_unit_test(more_groups_than_a_number_has_room_for_are_told),
      cmocka_unit_test(a_conf_is_for_layers_that_are_alike_at_all_ports),
      cmocka_unit_test(hosts_on_one_cable_are_one_link_apart),
  };
  return UNIT_RUN("balance", tests, NULL, NULL);
}

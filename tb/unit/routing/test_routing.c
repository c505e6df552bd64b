/* SPDX-License-Identifier: Apache-2.0 */
/* Routing of fabrics: KN-02..KN-08 and GV-7, TP-03, TP-04, flow-level KN-09, and what can deadlock.
 */
#include "tb/unit/unit.h"

#include <loom/random.h>
#include <stdlib.h>
#include <string.h>

#include "routing/check.h"
#include "routing/engine.h"
#include "topo/generate.h"

enum { WAY_MAX = 64 };

/* ---- fabrics --------------------------------------------------------------------------------- */

static struct loom_topo *kns(uint32_t k, uint32_t n, uint32_t nodes, uint32_t trunk) {
  return loom_topo_kns_make(
      &(struct loom_topo_kns_cfg){.k = k, .n = n, .nodes = nodes, .trunk = trunk});
}

static struct loom_topo *tree(uint32_t k, uint32_t n, uint32_t trunk, bool full) {
  return loom_topo_tree_make(
      &(struct loom_topo_tree_cfg){.k = k, .n = n, .trunk = trunk, .full = full});
}

static struct loom_topo *slim(uint32_t nodes) {
  return loom_topo_slim_make(&(struct loom_topo_slim_cfg){.nodes = nodes});
}

static struct loom_topo *torus(uint32_t x, uint32_t y, uint32_t z, uint32_t nodes, uint32_t trunk) {
  return loom_topo_torus_make(&(struct loom_topo_torus_cfg){
      .dims = 1u + (y != 0) + (z != 0), .size = {x, y, z}, .nodes = nodes, .trunk = trunk});
}

static void shuffle(uint32_t *list, uint32_t count, uint64_t *seed) {
  for (uint32_t i = 0; i < count; i++) {
    uint32_t j = loom_below(seed, i + 1);
    list[i] = list[j];
    list[j] = i;
  }
}

/* The same fabric with other device numbers, port numbers and LIDs, and without coordinates. It
 * takes the place of `t`. */
static struct loom_topo *scramble(struct loom_topo *t, uint64_t *seed) {
  struct loom_topo *s = loom_topo_create(t->devices, t->ports);
  uint32_t *old = calloc(t->devices, sizeof *old); /* by new number */
  uint32_t *new = calloc(t->devices, sizeof *new);
  uint32_t *port = calloc(t->ports, sizeof *port); /* new number, by old place */
  assert_true(s && old && new &&port);
  shuffle(old, t->devices, seed);
  for (uint32_t d = 0; d < t->devices; d++) {
    const struct loom_topo_device *device = &t->device[old[d]];
    uint32_t list[LOOM_TOPO_PORTS] = {0};
    new[old[d]] = d;
    loom_topo_add(s, device->kind, device->ports, "%s", device->name);
    shuffle(list, device->ports, seed);
    for (uint32_t p = 0; p < device->ports; p++)
      port[device->first + p + 1] = list[p] + 1;
  }
  for (uint32_t d = 0; d < t->devices; d++)
    for (uint32_t p = 1; p <= t->device[d].ports; p++) {
      const struct loom_topo_port *near = loom_topo_port(t, d, p);
      if (near->device != LOOM_TOPO_NONE && near->device > d)
        assert_true(loom_topo_connect(s, new[d], port[t->device[d].first + p], new[near->device],
                                      port[t->device[near->device].first + near->port]));
    }
  loom_topo_number(s);
  free(old);
  free(new);
  free(port);
  loom_topo_destroy(t);
  return s;
}

/* Switches of 12 ports joined to some that were there before, then at random; a host or two at
 * each of most. */
static struct loom_topo *random_fabric(uint64_t *seed) {
  uint32_t switches = 2 + loom_below(seed, 24);
  struct loom_topo *t = loom_topo_create(3 * switches, 20 * switches);
  uint32_t used[26] = {0};
  assert_non_null(t);
  for (uint32_t i = 0; i < switches; i++) {
    assert_int_equal(loom_topo_add(t, LOOM_TOPO_SWITCH, 12, "s%u", (unsigned)i), i);
    uint32_t j = loom_below(seed, i);
    while (i && used[j] > 8)
      j = (j + 1) % i;
    if (i)
      assert_true(loom_topo_connect(t, i, ++used[i], j, ++used[j]));
  }
  for (uint32_t i = 0; i < 2 * switches; i++) {
    uint32_t a = loom_below(seed, switches);
    uint32_t b = loom_below(seed, switches);
    if (a != b && used[a] < 10 && used[b] < 10)
      assert_true(loom_topo_connect(t, a, ++used[a], b, ++used[b]));
  }
  for (uint32_t i = 0; i < switches; i++)
    for (uint32_t j = i ? loom_below(seed, 3) : 2; j; j--) {
      uint32_t d = loom_topo_add(t, LOOM_TOPO_HCA, 1, "h%u", (unsigned)t->devices);
      assert_true(loom_topo_connect(t, d, 1, i, ++used[i]));
    }
  loom_topo_number(t);
  assert_int_equal(loom_topo_check(t).fault, LOOM_TOPO_SOUND);
  return t;
}

/* ---- routings -------------------------------------------------------------------------------- */

static struct loom_routing *route_with(const struct loom_topo *t, enum loom_routing_engine engine,
                                       const struct loom_routing_options *o) {
  struct loom_routing_error err = {""};
  assert_non_null(t);
  struct loom_routing *r = loom_routing_make(t, engine, o, &err);
  assert_string_equal(err.text, "");
  assert_non_null(r);
  return r;
}

static struct loom_routing *route(const struct loom_topo *t, enum loom_routing_engine engine) {
  return route_with(t, engine, &(struct loom_routing_options){.lmc = LOOM_ROUTING_LMC_AUTO});
}

/* Destroys `t`. */
static void assert_refused(struct loom_topo *t, enum loom_routing_engine engine, const char *text) {
  struct loom_routing_error err = {""};
  assert_non_null(t);
  assert_null(loom_routing_make(t, engine, &(struct loom_routing_options){.lmc = 0}, &err));
  assert_string_equal(err.text, text);
  loom_topo_destroy(t);
}

static void drop(struct loom_topo *t, struct loom_routing *r) {
  loom_routing_destroy(r);
  loom_topo_destroy(t);
}

static bool is_cyclic(const struct loom_routing *r) {
  struct loom_routing_cycle c;
  assert_true(loom_routing_find_cycle(r, &c));
  bool cyclic = c.channels != 0;
  loom_routing_cycle_free(&c);
  return cyclic;
}

static struct loom_routing_report report_of(const struct loom_routing *r) {
  struct loom_routing_report report;
  assert_true(loom_routing_check(r, &report));
  return report;
}

static bool joins_switches(const struct loom_routing *r, uint32_t row, uint32_t p) {
  if (p > r->topo->device[r->device[row]].ports)
    return false;
  uint32_t peer = loom_topo_port(r->topo, r->device[row], p)->device;
  return peer != LOOM_TOPO_NONE && r->topo->device[peer].kind == LOOM_TOPO_SWITCH;
}

/* Every cable between switches carries `load`, both ways. */
static void assert_even(const struct loom_routing *r, uint64_t load) {
  struct loom_routing_report report = report_of(r);
  assert_int_equal(report.unreachable, 0);
  assert_int_equal(report.load_max, load);
  for (uint32_t row = 0; row < r->switches; row++)
    for (uint32_t p = 1; p < r->ports; p++)
      if (joins_switches(r, row, p))
        assert_int_equal(report.load[(size_t)row * r->ports + p], load);
  loom_routing_report_free(&report);
}

/* A pair of `count` pairs is so many links apart, nothing else is. `list` ends with 0. */
static void assert_hops(const struct loom_routing *r, const uint64_t (*list)[2]) {
  struct loom_routing_report report = report_of(r);
  uint64_t pairs = 0;
  assert_int_equal(report.unreachable, 0);
  for (; (*list)[0]; list++) {
    assert_true((*list)[0] <= report.hops_max);
    assert_int_equal(report.hops[(*list)[0]], (*list)[1]);
    pairs += (*list)[1];
  }
  assert_int_equal(report.pairs, pairs);
  loom_routing_report_free(&report);
}

/* Each pair of hosts is as many links apart as the fabric has it. */
static void assert_shortest(const struct loom_routing *r) {
  const struct loom_topo *t = r->topo;
  struct loom_routing_report report = report_of(r);
  uint64_t *hops = calloc((size_t)t->devices + 1, sizeof *hops);
  uint32_t *work = calloc(2 * (size_t)t->devices, sizeof *work);
  assert_true(hops && work);
  for (uint32_t d = 0; d < t->devices; d++) {
    if (t->device[d].kind != LOOM_TOPO_HCA)
      continue;
    loom_topo_distances(t, d, work, work + t->devices);
    for (uint32_t e = 0; e < t->devices; e++)
      if (e != d && t->device[e].kind == LOOM_TOPO_HCA && work[e] != LOOM_TOPO_NONE)
        hops[work[e]] += 1u << r->lmc;
  }
  assert_int_equal(report.unreachable, 0);
  for (uint32_t i = 0; i <= report.hops_max; i++)
    assert_int_equal(report.hops[i], hops[i]);
  free(hops);
  free(work);
  loom_routing_report_free(&report);
}

/* ---- the routing itself ---------------------------------------------------------------------- */

/* LIDs of ports and switches, shifted by the LMC, and nothing else, have an owner. */
static void every_lid_has_an_owner_shifted_by_the_lmc(void **state) {
  (void)state;
  struct loom_routing_error err = {""};
  struct loom_topo *t = kns(3, 2, 2, 1);
  struct loom_routing *r = loom_routing_create(t, 2, &err);
  assert_non_null(r);
  assert_int_equal(r->switches, 15);
  assert_int_equal(r->ends, 18);
  assert_int_equal(r->lids, (33 << 2) + 1);
  assert_int_equal(r->layering, LOOM_ROUTING_LAYER_NONE);
  for (uint32_t e = 0; e < r->ends; e++)
    for (uint32_t i = 0; i < 4; i++) {
      assert_int_equal(r->end[e].lid, (e + 1) << 2);
      assert_int_equal(r->end_of[r->end[e].lid + i], e);
    }
  for (uint32_t row = 0; row < r->switches; row++) {
    uint32_t lid = loom_routing_switch_lid(r, row);
    assert_int_equal(lid, (row + 19) << 2);
    assert_int_equal(r->row_of[lid], row);
    assert_int_equal(r->end_of[lid + 1 < r->lids ? lid + 1 : lid], LOOM_TOPO_NONE);
    for (uint32_t other = 0; other < r->lids; other++)
      assert_int_equal(loom_routing_out(r, row, other),
                       other == lid ? 0 : LOOM_ROUTING_UNREACHABLE);
  }
  drop(t, r);
}

static void fabrics_that_cannot_be_routed_are_refused(void **state) {
  (void)state;
  struct loom_topo *t = tree(4, 2, 1, false);
  loom_topo_port(t, 3, 1)->lid = 0;
  assert_refused(t, LOOM_ROUTING_MINHOP, "port 1 of \"H3\" has no LID");
  t = tree(4, 2, 1, false);
  loom_topo_port(t, 16, 0)->lid = 5;
  assert_refused(t, LOOM_ROUTING_MINHOP, "LID 5 stands twice");
  assert_refused(torus(2, 0, 0, 251, 2), LOOM_ROUTING_DOR, "\"S0\" has more than 254 ports");
  t = loom_topo_create(1, 2);
  loom_topo_add(t, LOOM_TOPO_SWITCH, 1, "s");
  loom_topo_number(t);
  assert_refused(t, LOOM_ROUTING_MINHOP, "a fabric without switches or hosts");
  struct loom_routing_error err = {""};
  t = tree(24, 2, 1, false);
  assert_null(loom_routing_create(t, 7, &err));
  assert_string_equal(err.text, "LID 384 of \"H383\" becomes 49279 with LMC 7, above 49151");
  assert_null(loom_routing_create(t, 8, &err));
  assert_string_equal(err.text, "LMC is at most 7");
  loom_topo_destroy(t);
}

/* ---- the checks ------------------------------------------------------------------------------ */

/* Three switches in a ring, a host each. */
static struct loom_topo *ring(void) {
  struct loom_topo *t = loom_topo_create(6, 18);
  assert_non_null(t);
  for (unsigned i = 0; i < 3; i++)
    loom_topo_add(t, LOOM_TOPO_HCA, 1, "h%u", i);
  for (unsigned i = 0; i < 3; i++)
    loom_topo_add(t, LOOM_TOPO_SWITCH, 3, "s%u", i);
  for (unsigned i = 0; i < 3; i++) {
    loom_topo_connect(t, i, 1, 3 + i, 1);
    loom_topo_connect(t, 3 + i, 2, 3 + (i + 1) % 3, 3);
  }
  loom_topo_number(t);
  return t;
}

/* Everything goes clockwise: a cycle of the three channels. One entry less: a pair less, and the
 * last channel is not waited for. */
static void tables_that_go_round_a_ring_have_a_cycle(void **state) {
  (void)state;
  struct loom_routing_error err = {""};
  struct loom_routing_cycle cycle;
  struct loom_topo *t = ring();
  struct loom_routing *r = loom_routing_create(t, 0, &err);
  assert_non_null(r);
  for (uint32_t row = 0; row < 3; row++)
    for (uint32_t lid = 1; lid <= 3; lid++)
      loom_routing_set(r, row, lid, lid == row + 1 ? 1 : 2);
  assert_hops(r, (const uint64_t[][2]){{3, 3}, {4, 3}, {0, 0}});
  struct loom_routing_report report = report_of(r);
  assert_int_equal(report.load_max, 3);
  loom_routing_report_free(&report);
  assert_true(loom_routing_find_cycle(r, &cycle));
  assert_int_equal(cycle.channels, 3);
  for (uint32_t i = 0; i < 3; i++) {
    assert_int_equal(cycle.channel[i].port, 2);
    assert_int_equal(cycle.channel[(i + 1) % 3].row, (cycle.channel[i].row + 1) % 3);
  }
  loom_routing_cycle_free(&cycle);
  loom_routing_set(r, 1, 3, LOOM_ROUTING_UNREACHABLE); /* h0 to h2 and h1 to h2 */
  report = report_of(r);
  assert_int_equal(report.pairs, 6);
  assert_int_equal(report.unreachable, 2);
  assert_int_equal(report.bad_lid, 3);
  loom_routing_report_free(&report);
  assert_false(is_cyclic(r));
  loom_routing_set(r, 1, 3, 3); /* to and fro */
  report = report_of(r);
  assert_int_equal(report.unreachable, 2);
  loom_routing_report_free(&report);
  loom_routing_set(r, 1, 3, 1); /* to h1 */
  report = report_of(r);
  assert_int_equal(report.unreachable, 2);
  loom_routing_report_free(&report);
  drop(t, r);
}

/* Layers break the ring's cycle, by turn and by path. */
static void layers_break_the_cycle_of_a_ring(void **state) {
  (void)state;
  struct loom_routing_error err = {""};
  struct loom_topo *t = ring();
  struct loom_routing *r = loom_routing_create(t, 0, &err);
  assert_non_null(r);
  for (uint32_t row = 0; row < 3; row++)
    for (uint32_t lid = 1; lid <= 3; lid++)
      loom_routing_set(r, row, lid, lid == row + 1 ? 1 : 2);
  assert_true(loom_routing_layer_turns(r, 2));
  assert_true(is_cyclic(r));
  r->turn[(2 * r->ports + 3) * r->ports + 2] = 1; /* from s1 over s2 to s0 */
  assert_false(is_cyclic(r));
  assert_true(loom_routing_layer_paths(r, 2, 2));
  assert_true(is_cyclic(r));
  r->path[1 * r->lids + 1] = 1; /* h1 to h0 over s2 */
  assert_false(is_cyclic(r));
  r->path[0 * r->lids + 3] = 1; /* the others, too: h0 to h2 */
  r->path[2 * r->lids + 2] = 1;
  assert_true(is_cyclic(r));
  drop(t, r);
}

/* A LID is one port's: at the other port of its HCA the packet is lost. */
static void a_packet_to_the_other_port_of_its_hca_is_lost(void **state) {
  (void)state;
  struct loom_topo *t = loom_topo_create(3, 9);
  assert_non_null(t);
  loom_topo_add(t, LOOM_TOPO_SWITCH, 3, "s");
  loom_topo_add(t, LOOM_TOPO_HCA, 2, "a");
  loom_topo_add(t, LOOM_TOPO_HCA, 1, "b");
  loom_topo_connect(t, 0, 1, 1, 1);
  loom_topo_connect(t, 0, 2, 1, 2);
  loom_topo_connect(t, 0, 3, 2, 1);
  loom_topo_number(t);
  struct loom_routing *r = route(t, LOOM_ROUTING_MINHOP);
  assert_hops(r, (const uint64_t[][2]){{2, 4}, {0, 0}});
  loom_routing_set(r, 0, 1, 2);
  struct loom_routing_report report = report_of(r);
  assert_int_equal(report.unreachable, 1);
  assert_int_equal(report.bad_lid, 1);
  loom_routing_report_free(&report);
  drop(t, r);
}

/* Ports in two rails are no pairs of each other. */
static void ports_in_two_rails_are_no_pairs(void **state) {
  (void)state;
  struct loom_topo *t =
      loom_topo_qsnet3_make(&(struct loom_topo_qsnet3_cfg){.nodes = 64, .links = 1, .rails = 2});
  for (unsigned i = 0; i < 3; i++) {
    static const enum loom_routing_engine engine[] = {LOOM_ROUTING_FTREE, LOOM_ROUTING_UPDN,
                                                      LOOM_ROUTING_MINHOP};
    struct loom_routing *r = route(t, engine[i]);
    struct loom_routing_report report = report_of(r);
    assert_int_equal(report.pairs, 2 * 64 * 63);
    assert_int_equal(report.unreachable, 0);
    assert_int_equal(report.hops_max, 4);
    assert_true(report.load_max <= 64); /* over all upper cards of a rail, 48 in the mean */
    loom_routing_report_free(&report);
    loom_routing_destroy(r);
  }
  loom_topo_destroy(t);
}

/* ---- KNS ------------------------------------------------------------------------------------- */

static void hops_and_loads_of_a_kns_have_their_closed_forms(void **state) {
  (void)state;
  struct loom_topo *t = kns(6, 2, 1, 1);
  struct loom_routing *r = route(t, LOOM_ROUTING_HDOR);
  assert_hops(r, (const uint64_t[][2]){{4, 360}, {6, 900}, {0, 0}}); /* GV-7 */
  assert_even(r, 30);
  assert_false(is_cyclic(r));
  assert_int_equal(r->layers, 1);
  drop(t, r);
  t = kns(2, 5, 1, 1);
  r = route(t, LOOM_ROUTING_HDOR);
  assert_hops(r,
              (const uint64_t[][2]){
                  {4, 160}, {6, 320}, {8, 320}, {10, 160}, {12, 32}, {0, 0}}); /* 32 (5 over i) */
  assert_even(r, 16);
  assert_false(is_cyclic(r));
  drop(t, r);
  t = kns(4, 2, 1, 1);
  r = route(t, LOOM_ROUTING_HDOR);
  assert_hops(r, (const uint64_t[][2]){{4, 96}, {6, 144}, {0, 0}});
  assert_even(r, 12);
  assert_false(is_cyclic(r));
  drop(t, r);
  t = kns(3, 3, 1, 1);
  r = route(t, LOOM_ROUTING_HDOR);
  assert_hops(r, (const uint64_t[][2]){{4, 162}, {6, 324}, {8, 216}, {0, 0}});
  assert_even(r, 18);
  assert_false(is_cyclic(r));
  drop(t, r);
  t = kns(5, 2, 2, 2);
  r = route(t, LOOM_ROUTING_HDOR);
  assert_even(r, 40);
  assert_false(is_cyclic(r));
  drop(t, r);
}

static uint32_t end_named(const struct loom_routing *r, const char *name) {
  for (uint32_t e = 0; e < r->ends; e++)
    if (!strcmp(r->topo->device[r->end[e].device].name, name))
      return e;
  fail_msg("no %s", name);
  return 0;
}

/* KN-02: (0,0) to (4,2), [r1,r0], goes over S[0,0], R[0,2] and S[1,2]. */
static void hybrid_dor_takes_dimension_0_first(void **state) {
  (void)state;
  static const char *const way[] = {"R0-0", "S0-0", "R0-2", "S1-2", "R4-2"};
  uint32_t row[WAY_MAX];
  uint8_t port[WAY_MAX];
  struct loom_topo *t = kns(6, 2, 1, 1);
  struct loom_routing *r = route(t, LOOM_ROUTING_HDOR);
  uint32_t from = end_named(r, "H0");
  uint32_t to = end_named(r, "H26");
  assert_int_equal(loom_routing_walk(r, from, r->end[to].lid, row, port), 5);
  for (uint32_t i = 0; i < 5; i++)
    assert_string_equal(t->device[r->device[row[i]]].name, way[i]);
  drop(t, r);
}

/* From each device every LID is reached, those of switches, too, over at most `longest` links. So
 * many walks. */
static uint32_t reach_all(const struct loom_routing *r, uint32_t longest) {
  const struct loom_topo *t = r->topo;
  uint32_t walks = 0;
  for (uint32_t d = 0; d < t->devices; d++)
    for (uint32_t lid = 1; lid < r->lids; lid++) {
      uint32_t at = d;
      uint32_t own = loom_topo_lid(t, d, 1);
      uint32_t steps = 0;
      while (own != lid && steps++ < longest) {
        uint32_t out =
            t->device[at].kind == LOOM_TOPO_HCA ? 1 : loom_routing_out(r, r->row[at], lid);
        assert_in_range(out, 1, t->device[at].ports);
        at = loom_topo_port(t, at, out)->device;
        assert_int_not_equal(at, LOOM_TOPO_NONE);
        own = loom_topo_lid(t, at, 1);
      }
      assert_int_equal(own, lid);
      walks += at != d;
    }
  return walks;
}

/* KN-06. */
static void hybrid_dor_reaches_every_lid_from_every_device(void **state) {
  (void)state;
  struct loom_topo *t = kns(6, 2, 1, 1);
  struct loom_routing *r = route(t, LOOM_ROUTING_HDOR);
  assert_int_equal(reach_all(r, 12), 84 * 83);
  drop(t, r);
}

/* Routers have all coordinates, each once; the routers of a switch differ in its dimension alone.
 */
static void assert_grid(const struct loom_routing *r, uint32_t k, uint32_t n) {
  struct loom_routing_kns found;
  struct loom_routing_error err = {""};
  bool seen[256] = {false};
  assert_true(loom_routing_kns_find(r, &found, &err));
  assert_int_equal(found.k, k);
  assert_int_equal(found.n, n);
  for (uint32_t row = 0; row < r->switches; row++) {
    const uint32_t *own = found.coord + (size_t)row * n;
    uint32_t number = 0;
    for (uint32_t d = 0; d < n; d++)
      number = number * k + own[d];
    assert_true(number < 256);
    assert_false(found.dim[row] == LOOM_TOPO_NONE && seen[number]);
    seen[number] |= found.dim[row] == LOOM_TOPO_NONE;
    uint32_t ports = r->topo->device[r->device[row]].ports;
    for (uint32_t p = 1; found.dim[row] != LOOM_TOPO_NONE && p <= ports; p++) {
      const struct loom_topo_port *near = loom_topo_port(r->topo, r->device[row], p);
      for (uint32_t d = 0; d < n && near->device != LOOM_TOPO_NONE; d++)
        if (d != found.dim[row])
          assert_int_equal(found.coord[r->row[near->device] * n + d], own[d]);
    }
  }
  loom_routing_kns_free(&found);
}

/* KN-05: whatever the cabling and the order of devices. */
static void a_kns_is_found_whatever_its_cabling_and_order(void **state) {
  (void)state;
  uint64_t seed = 5;
  for (unsigned i = 0; i < 100; i++) {
    struct loom_topo *t = scramble(kns(6, 2, 1, 1), &seed);
    struct loom_routing *r = route(t, LOOM_ROUTING_HDOR);
    assert_grid(r, 6, 2);
    assert_hops(r, (const uint64_t[][2]){{4, 360}, {6, 900}, {0, 0}});
    assert_even(r, 30);
    assert_false(is_cyclic(r));
    drop(t, r);
    t = scramble(kns(3, 3, 1, 1), &seed);
    r = route(t, LOOM_ROUTING_HDOR);
    assert_grid(r, 3, 3);
    assert_hops(r, (const uint64_t[][2]){{4, 162}, {6, 324}, {8, 216}, {0, 0}});
    assert_even(r, 18);
    assert_false(is_cyclic(r));
    drop(t, r);
  }
  struct loom_topo *t = scramble(kns(2, 4, 3, 2), &seed);
  struct loom_routing *r = route(t, LOOM_ROUTING_HDOR);
  assert_grid(r, 2, 4);
  assert_false(is_cyclic(r));
  drop(t, r);
}

/* The names of the first switch and its routers, as KN-05 gives them. */
static void a_kns_names_its_switches_and_routers(void **state) {
  (void)state;
  struct loom_routing_kns found;
  struct loom_routing_error err = {""};
  struct loom_topo *t = kns(6, 2, 1, 1);
  struct loom_routing *r = loom_routing_create(t, 0, &err);
  assert_non_null(r);
  assert_true(loom_routing_kns_find(r, &found, &err));
  for (uint32_t row = 0; row < r->switches; row++) {
    const struct loom_topo_device *device = &t->device[r->device[row]];
    if (found.dim[row] != LOOM_TOPO_NONE)
      assert_int_equal(found.dim[row], device->coord[0]);
    for (uint32_t d = 0; d < 2 && found.dim[row] == LOOM_TOPO_NONE; d++)
      assert_int_equal(found.coord[2 * row + d], device->coord[d]);
  }
  loom_routing_kns_free(&found);
  drop(t, r);
}

static void unplug(struct loom_topo *t, uint32_t d, uint32_t port) {
  struct loom_topo_port *near = loom_topo_port(t, d, port);
  struct loom_topo_port *far = loom_topo_port(t, near->device, near->port);
  near->device = LOOM_TOPO_NONE;
  far->device = LOOM_TOPO_NONE;
}

/* Exchanges the other ends of two cables. */
static void swap(struct loom_topo *t, uint32_t d, uint32_t port, uint32_t e, uint32_t other) {
  struct loom_topo_port a = *loom_topo_port(t, d, port);
  struct loom_topo_port b = *loom_topo_port(t, e, other);
  unplug(t, d, port);
  unplug(t, e, other);
  assert_true(loom_topo_connect(t, d, port, b.device, b.port));
  assert_true(loom_topo_connect(t, e, other, a.device, a.port));
}

static void a_fabric_that_is_no_kns_is_refused_with_the_reason(void **state) {
  (void)state;
  assert_refused(torus(4, 4, 0, 1, 1), LOOM_ROUTING_HDOR,
                 "no KNS: a cable joins two routers, \"S0-0\" and \"S1-0\"");
  assert_refused(tree(4, 3, 1, false), LOOM_ROUTING_HDOR,
                 "no KNS: 16 routers with 4 networks each of 16 routers");
  assert_refused(tree(4, 2, 1, false), LOOM_ROUTING_HDOR,
                 "no KNS: 4 routers with 4 networks each of 4 routers");
  struct loom_topo *t = kns(4, 2, 1, 1);
  unplug(t, 16, 3);
  assert_refused(t, LOOM_ROUTING_HDOR, "no KNS: \"R0-1\" is joined to 2 networks, others to 1");
  t = kns(4, 2, 1, 1);
  swap(t, 16, 3, 17, 3); /* two routers of a line: another KNS */
  struct loom_routing *r = route(t, LOOM_ROUTING_HDOR);
  assert_even(r, 12);
  drop(t, r);
  t = kns(4, 2, 1, 1);
  swap(t, 16, 3, 16 + 5, 3); /* of two lines: none */
  assert_refused(t, LOOM_ROUTING_HDOR, "no KNS: the routers around \"S0-1\" form no grid");
}

/* Cables exchanged at random: what is taken for a KNS is one. */
static void what_is_taken_for_a_kns_is_one(void **state) {
  (void)state;
  uint64_t seed = 3;
  unsigned taken = 0;
  for (unsigned i = 0; i < 600; i++) {
    struct loom_routing_error err = {""};
    struct loom_topo *t = i % 2 ? kns(3, 2, 1, 1) : kns(2, 3, 1, 1);
    uint32_t first = i % 2 ? 9 : 8; /* the first router */
    for (uint32_t swaps = 1 + loom_below(&seed, 3); swaps; swaps--) {
      uint32_t a = first + loom_below(&seed, first);
      uint32_t b = first + loom_below(&seed, first);
      uint32_t p = 2 + loom_below(&seed, t->device[a].ports - 1);
      uint32_t q = 2 + loom_below(&seed, t->device[b].ports - 1);
      if (a != b)
        swap(t, a, p, b, q);
    }
    struct loom_routing *r =
        loom_routing_make(t, LOOM_ROUTING_HDOR, &(struct loom_routing_options){.lmc = 0}, &err);
    if (r) {
      assert_even(r, i % 2 ? 6 : 4);
      assert_false(is_cyclic(r));
      taken++;
    }
    drop(t, r);
  }
  assert_in_range(taken, 20, 580);
}

/* KN-11: in each row of routers, whatever its dimension, the hosts have the VLs in turns; all
 * sources find a host on the same one. */
static void assert_rows_have_all_vls(const struct loom_routing *r, uint32_t vls) {
  struct loom_routing_kns found;
  struct loom_routing_error err = {""};
  assert_true(loom_routing_kns_find(r, &found, &err));
  for (uint32_t row = 0; row < r->switches; row++) {
    uint32_t count[LOOM_ROUTING_VLS] = {0};
    uint32_t hosts = 0;
    for (uint32_t e = 0; found.dim[row] != LOOM_TOPO_NONE && e < r->ends; e++) {
      const struct loom_topo_port *near = loom_topo_port(r->topo, r->end[e].device, 1);
      uint32_t router = r->row[near->device];
      bool on = true;
      for (uint32_t d = 0; d < found.n; d++)
        on &= d == found.dim[row] ||
              found.coord[router * found.n + d] == found.coord[row * found.n + d];
      if (!on)
        continue;
      hosts++;
      count[loom_routing_class(r, 0, r->end[e].lid)]++;
      for (uint32_t from = 0; from < r->ends; from++)
        assert_int_equal(loom_routing_class(r, from, r->end[e].lid),
                         loom_routing_class(r, 0, r->end[e].lid));
    }
    for (uint32_t v = 0; hosts && v < vls; v++)
      assert_in_range(count[v], hosts / vls, (hosts + vls - 1) / vls);
  }
  loom_routing_kns_free(&found);
}

static void the_hosts_of_each_row_of_a_kns_have_all_vls(void **state) {
  (void)state;
  static const uint32_t vls[] = {2, 3, 6, 8};
  uint64_t seed = 23;
  for (size_t i = 0; i < sizeof vls / sizeof vls[0]; i++) {
    const struct loom_routing_options o = {.vls = vls[i]};
    struct loom_topo *t = scramble(kns(6, 2, 1, 1), &seed);
    struct loom_routing *r = route_with(t, LOOM_ROUTING_HDOR, &o);
    assert_int_equal(r->layers, vls[i]);
    assert_rows_have_all_vls(r, vls[i]);
    assert_even(r, 30);
    assert_false(is_cyclic(r));
    for (uint32_t v = 0; v < vls[i]; v++)
      assert_int_equal(r->inject[v], v);
    drop(t, r);
  }
  struct loom_topo *t = kns(3, 3, 1, 1);
  struct loom_routing *r =
      route_with(t, LOOM_ROUTING_HDOR, &(struct loom_routing_options){.vls = 3});
  assert_rows_have_all_vls(r, 3);
  drop(t, r);
  t = kns(3, 2, 2, 1); /* two hosts at each router: the second has the next VL */
  r = route_with(t, LOOM_ROUTING_HDOR, &(struct loom_routing_options){.vls = 5});
  for (uint32_t e = 0; e < r->ends; e += 2)
    assert_int_equal(loom_routing_class(r, 0, r->end[e + 1].lid),
                     (loom_routing_class(r, 0, r->end[e].lid) + 1) % 5);
  drop(t, r);
}

/* ---- KNS of several stages ------------------------------------------------------------------- */

/* All switches have free ports. */
static struct loom_topo *staged(uint32_t k, uint32_t n, uint32_t radix, uint32_t trunk) {
  return loom_topo_kns_make(&(struct loom_topo_kns_cfg){
      .k = k, .n = n, .nodes = 1, .trunk = trunk, .radix = radix, .ports = 12});
}

/* The cables of routers carry (k-1) k^(n-1) flows, whatever is in the networks (KN-03). */
static void assert_even_at_routers(const struct loom_routing *r, uint64_t load) {
  struct loom_routing_kns found;
  struct loom_routing_error err = {""};
  struct loom_routing_report report = report_of(r);
  assert_true(loom_routing_kns_find(r, &found, &err));
  assert_int_equal(report.unreachable, 0);
  for (uint32_t row = 0; row < r->switches; row++)
    for (uint32_t p = 1; p < r->ports; p++) {
      if (!joins_switches(r, row, p))
        continue;
      uint32_t peer = r->row[loom_topo_port(r->topo, r->device[row], p)->device];
      if (found.dim[row] == LOOM_TOPO_NONE || found.dim[peer] == LOOM_TOPO_NONE)
        assert_int_equal(report.load[(size_t)row * r->ports + p], load);
    }
  loom_routing_kns_free(&found);
  loom_routing_report_free(&report);
}

/* KN-01, KN-05: networks of two and three stages, some of them not full. */
static void a_kns_of_several_stages_is_found_whatever_its_cabling(void **state) {
  (void)state;
  static const struct {
    uint32_t k, n, radix, load;
  } shape[] = {{4, 2, 2, 12}, {6, 2, 4, 30}, {8, 2, 2, 56}, {3, 3, 2, 18}, {9, 1, 3, 8}};
  uint64_t seed = 11;
  for (unsigned i = 0; i < 40; i++)
    for (size_t j = 0; j < sizeof shape / sizeof shape[0]; j++) {
      struct loom_topo *t = staged(shape[j].k, shape[j].n, shape[j].radix, 1);
      if (i)
        t = scramble(t, &seed);
      struct loom_routing *r = route(t, LOOM_ROUTING_HDOR);
      assert_grid(r, shape[j].k, shape[j].n);
      assert_shortest(r);
      assert_even_at_routers(r, shape[j].load);
      assert_int_equal(reach_all(r, WAY_MAX), t->devices * (t->devices - 1));
      assert_false(is_cyclic(r));
      drop(t, r);
    }
  struct loom_topo *t = scramble(staged(4, 2, 2, 2), &seed); /* trunks */
  struct loom_routing *r = route(t, LOOM_ROUTING_HDOR);
  assert_shortest(r);
  assert_false(is_cyclic(r));
  drop(t, r);
}

/* In full networks each cable has as many flows, up and down, as one of a router. */
static void a_kns_of_full_stages_loads_its_cables_evenly(void **state) {
  (void)state;
  struct loom_topo *t = staged(4, 2, 2, 1);
  struct loom_routing *r = route(t, LOOM_ROUTING_HDOR);
  struct loom_routing_report report = report_of(r);
  for (uint32_t row = 16; row < r->switches; row++)
    for (uint32_t p = 1; p < r->ports; p++)
      if (joins_switches(r, row, p) && r->topo->device[r->device[row]].coord[2] == 0 && p > 2)
        assert_int_equal(report.load[(size_t)row * r->ports + p], 8); /* up: 2 of 3 others */
  assert_int_equal(report.load_max, 12);
  loom_routing_report_free(&report);
  drop(t, r);
}

static uint32_t device_named(const struct loom_topo *t, const char *name) {
  uint32_t d = 0;
  while (d < t->devices && strcmp(t->device[d].name, name) != 0)
    d++;
  assert_true(d < t->devices);
  return d;
}

/* Levels and places are those of the generator, which has them in the names. */
static void a_kns_of_several_stages_names_its_switches(void **state) {
  (void)state;
  struct loom_routing_kns found;
  struct loom_routing_error err = {""};
  struct loom_topo *t = staged(8, 2, 2, 1);
  struct loom_routing *r = loom_routing_create(t, 0, &err);
  assert_non_null(r);
  assert_true(loom_routing_kns_find(r, &found, &err));
  assert_true(loom_routing_kns_levels(r, &found, &err));
  for (uint32_t row = 0; row < r->switches; row++) {
    const struct loom_topo_device *device = &t->device[r->device[row]];
    bool router = found.dim[row] == LOOM_TOPO_NONE;
    assert_int_equal(found.level[row], router ? 0 : device->coord[2]);
    assert_int_equal(found.place[row], router ? 0 : device->coord[3]);
    if (!router)
      assert_int_equal(found.dim[row], device->coord[0]);
  }
  loom_routing_kns_free(&found);
  drop(t, r);
}

static void a_network_that_is_no_fat_tree_is_refused_with_the_reason(void **state) {
  (void)state;
  struct loom_topo *t = staged(4, 2, 2, 1);
  assert_true(loom_topo_connect(t, device_named(t, "S0-0-0-0"), 9, device_named(t, "S0-0-0-1"), 9));
  assert_refused(t, LOOM_ROUTING_HDOR,
                 "no fat tree: a cable joins \"S0-0-0-0\" and \"S0-0-0-1\" of one level");
  t = staged(4, 2, 2, 1); /* two networks become one */
  assert_true(loom_topo_connect(t, device_named(t, "S0-0-1-0"), 9, device_named(t, "S0-1-1-0"), 9));
  assert_refused(t, LOOM_ROUTING_HDOR, "no KNS: \"S0-2-0-0\" is joined to 4 routers, others to 8");
  t = staged(4, 2, 2, 1); /* one becomes two */
  unplug(t, device_named(t, "S0-0-0-0"), 3);
  unplug(t, device_named(t, "S0-0-0-0"), 4);
  assert_refused(t, LOOM_ROUTING_HDOR, "no KNS: \"S0-1-0-0\" is joined to 4 routers, others to 2");
  t = staged(4, 2, 2, 1); /* a cable less: the others take its packets */
  unplug(t, device_named(t, "S0-0-0-0"), 3);
  struct loom_routing *r = route(t, LOOM_ROUTING_HDOR);
  assert_shortest(r);
  assert_false(is_cyclic(r));
  drop(t, r);
}

/* Cables exchanged at random, of routers and inside of networks. */
static void what_is_taken_for_a_kns_of_stages_delivers_and_cannot_deadlock(void **state) {
  (void)state;
  uint64_t seed = 17;
  unsigned taken = 0;
  for (unsigned i = 0; i < 400; i++) {
    struct loom_routing_error err = {""};
    struct loom_topo *t = staged(4, 2, 2, 1);
    for (uint32_t swaps = 1 + loom_below(&seed, 2); swaps; swaps--) {
      uint32_t a = 16 + loom_below(&seed, t->devices - 16);
      uint32_t b = 16 + loom_below(&seed, t->devices - 16);
      uint32_t p = 2 + loom_below(&seed, 2);
      uint32_t q = 2 + loom_below(&seed, 2);
      uint32_t c = loom_topo_port(t, a, p)->device;
      uint32_t d = loom_topo_port(t, b, q)->device;
      if (a != b && a != d && b != c && c != d && c != LOOM_TOPO_NONE && d != LOOM_TOPO_NONE)
        swap(t, a, p, b, q);
    }
    struct loom_routing *r =
        loom_routing_make(t, LOOM_ROUTING_HDOR, &(struct loom_routing_options){.lmc = 0}, &err);
    if (r) {
      assert_even_at_routers(r, 12);
      assert_false(is_cyclic(r));
      taken++;
    }
    drop(t, r);
  }
  assert_in_range(taken, 20, 380);
}

/* ---- trees ----------------------------------------------------------------------------------- */

/* d-mod-k: at level l, up by digit l of the host's number. */
static void a_fat_tree_goes_up_by_the_digits_of_the_host(void **state) {
  (void)state;
  struct loom_topo *t = tree(4, 3, 1, false);
  struct loom_routing *r = route(t, LOOM_ROUTING_FTREE);
  for (uint32_t row = 0; row < r->switches; row++) {
    uint32_t level = t->device[r->device[row]].coord[0];
    uint32_t place = t->device[r->device[row]].coord[1];
    for (uint32_t d = 0; d < 64 && level < 2; d++) {
      bool below = level ? d / 16 == place / 4 : d / 4 == place;
      uint32_t digit = level ? d / 4 % 4 : d % 4;
      if (!below)
        assert_int_equal(loom_routing_out(r, row, d + 1), 5 + digit);
    }
  }
  drop(t, r);
}

/* Also from one switch of the top to another. */
static void a_fat_tree_reaches_every_lid_from_every_device(void **state) {
  (void)state;
  struct loom_topo *t = tree(3, 3, 1, false);
  struct loom_routing *r = route(t, LOOM_ROUTING_FTREE);
  assert_int_equal(reach_all(r, 8), 54 * 53);
  drop(t, r);
  t = slim(4);
  r = route(t, LOOM_ROUTING_FTREE);
  assert_int_equal(reach_all(r, 8), 57 * 56);
  drop(t, r);
}

/* The load of the ports up, and of those down to switches, is the same in each level, or differs by
 * so many percent. */
static void assert_even_levels(const struct loom_routing *r, const uint32_t *level,
                               unsigned slack) {
  struct loom_routing_report report = report_of(r);
  uint64_t most[8][2] = {{0}};
  uint64_t least[8][2];
  memset(least, 0xff, sizeof least);
  assert_int_equal(report.unreachable, 0);
  for (uint32_t row = 0; row < r->switches; row++)
    for (uint32_t p = 1; p < r->ports; p++) {
      if (!joins_switches(r, row, p))
        continue;
      uint32_t peer = r->row[loom_topo_port(r->topo, r->device[row], p)->device];
      uint64_t here = report.load[(size_t)row * r->ports + p];
      uint64_t *up = &most[level[row]][level[peer] > level[row]];
      uint64_t *low = &least[level[row]][level[peer] > level[row]];
      *up = here > *up ? here : *up;
      *low = here < *low ? here : *low;
    }
  for (uint32_t i = 0; i < 16; i++)
    if (most[i / 2][i % 2])
      assert_true(most[i / 2][i % 2] * 100 <= least[i / 2][i % 2] * (100 + slack));
  loom_routing_report_free(&report);
}

/* By the names of the generators' switches: `S1-0`. */
static void levels_of(const struct loom_routing *r, uint32_t *level) {
  for (uint32_t row = 0; row < r->switches; row++)
    level[row] = (uint32_t)(r->topo->device[r->device[row]].name[1] - '0');
}

static void a_fat_tree_loads_its_links_evenly(void **state) {
  (void)state;
  uint32_t level[200];
  uint64_t seed = 9;
  for (unsigned i = 0; i < 12; i++) {
    struct loom_topo *t = i % 4 == 0   ? tree(4, 3, 1, false)
                          : i % 4 == 1 ? tree(3, 3, 1, true)
                          : i % 4 == 2 ? slim(4)
                                       : tree(8, 2, 1, false);
    if (i >= 4)
      t = scramble(t, &seed);
    struct loom_routing *r = route(t, LOOM_ROUTING_FTREE);
    levels_of(r, level);
    assert_even_levels(r, level, i % 4 == 2 ? 100 : 0); /* 4 hosts, 3 parents */
    assert_shortest(r);
    assert_false(is_cyclic(r));
    drop(t, r);
  }
}

/* Shapes that are no k-ary n-tree: slimmed, with trunks, federated. */
static void slimmed_and_federated_trees_are_routed_too(void **state) {
  (void)state;
  struct loom_topo *list[] = {
      slim(4),
      slim(5),
      tree(4, 3, 2, false),
      tree(1, 2, 3, false),
      tree(4, 1, 1, false),
      loom_topo_qsnet3_make(&(struct loom_topo_qsnet3_cfg){.nodes = 512, .links = 1, .rails = 1}),
      loom_topo_qsnet3_make(
          &(struct loom_topo_qsnet3_cfg){.nodes = 256, .links = 1, .rails = 1, .blade = true}),
  };
  for (size_t i = 0; i < sizeof list / sizeof list[0]; i++) {
    struct loom_routing *r = route(list[i], LOOM_ROUTING_FTREE);
    assert_shortest(r);
    assert_false(is_cyclic(r));
    drop(list[i], r);
  }
  struct loom_topo *t = tree(4, 3, 2, false); /* digits count parents, then cables */
  struct loom_routing *r = route(t, LOOM_ROUTING_FTREE);
  struct loom_routing_report report = report_of(r);
  assert_int_equal(report.load_max, 60); /* to a host from all others outside its leaf */
  loom_routing_report_free(&report);
  drop(t, r);
  t = slim(4);
  r = route(t, LOOM_ROUTING_FTREE);
  assert_hops(r, (const uint64_t[][2]){{2, 108}, {4, 288}, {6, 864}, {0, 0}}); /* KN-07 */
  drop(t, r);
}

static void a_fabric_that_is_no_fat_tree_is_refused_with_the_reason(void **state) {
  (void)state;
  assert_refused(torus(4, 4, 0, 1, 1), LOOM_ROUTING_FTREE,
                 "no fat tree: a cable joins \"S0-0\" and \"S1-0\" of one level");
  assert_refused(kns(6, 2, 1, 1), LOOM_ROUTING_FTREE,
                 "no fat tree: no way up and then down from \"R1-1\" to \"R0-0\"");
}

/* Ports up of a level carry the same, within 3 % (TP-04). */
static void assert_uniform_up(const struct loom_routing *r) {
  struct loom_routing_report report = report_of(r);
  uint64_t most[8] = {0};
  uint64_t least[8];
  memset(least, 0xff, sizeof least);
  assert_int_equal(report.unreachable, 0);
  for (uint32_t row = 0; row < r->switches; row++)
    for (uint32_t p = 1; p < r->ports; p++) {
      uint32_t level = r->topo->device[r->device[row]].coord[0];
      if (!joins_switches(r, row, p) ||
          r->topo->device[loom_topo_port(r->topo, r->device[row], p)->device].coord[0] < level)
        continue;
      uint64_t load = report.load[(size_t)row * r->ports + p];
      most[level] = load > most[level] ? load : most[level];
      least[level] = load < least[level] ? load : least[level];
    }
  for (uint32_t l = 0; l < 8 && most[l]; l++)
    assert_true(most[l] * 100 <= least[l] * 103);
  loom_routing_report_free(&report);
}

/* Switches of the top level on the ways from one end to the LIDs of another. */
static uint32_t ancestors(const struct loom_routing *r, uint32_t from, uint32_t to, uint32_t top) {
  uint32_t row[WAY_MAX];
  uint8_t port[WAY_MAX];
  bool seen[1024] = {false};
  uint32_t found = 0;
  assert_true(r->switches <= 1024);
  for (uint32_t i = 0; i < 1u << r->lmc; i++) {
    uint32_t steps = loom_routing_walk(r, from, r->end[to].lid + i, row, port);
    assert_int_equal(steps, 2 * top + 1);
    found += !seen[row[top]];
    seen[row[top]] = true;
  }
  return found;
}

static void valiant_goes_up_uniformly_to_every_root(void **state) {
  (void)state;
  static const struct {
    uint32_t k, n, lmc, roots;
  } trees[] = {{4, 3, 4, 16}, {8, 2, 3, 8}, {24, 2, 5, 24}, {8, 3, 6, 64}, {14, 3, 3, 8}};
  for (size_t i = 0; i < sizeof trees / sizeof trees[0]; i++) {
    struct loom_topo *t = tree(trees[i].k, trees[i].n, 1, false);
    struct loom_routing *r = route(t, LOOM_ROUTING_VALIANT);
    assert_int_equal(r->lmc, trees[i].lmc);
    assert_uniform_up(r);
    for (uint32_t e = 1; e < r->ends && trees[i].k < 14; e += r->ends / 8)
      if (t->device[r->end[e].device].coord[0] / (r->ends / trees[i].k))
        assert_int_equal(ancestors(r, 0, e, trees[i].n - 1), trees[i].roots);
    if (trees[i].k < 8)
      assert_false(is_cyclic(r));
    drop(t, r);
  }
}

/* ---- tori ------------------------------------------------------------------------------------ */

/* The cycle is one: each channel leads to the switch of the next, and goes on in its layer. */
static void assert_is_cycle(const struct loom_routing *r, const struct loom_routing_cycle *c) {
  assert_true(c->channels > 1);
  for (uint32_t i = 0; i < c->channels; i++) {
    const struct loom_routing_channel *a = &c->channel[i];
    const struct loom_routing_channel *b = &c->channel[(i + 1) % c->channels];
    assert_int_equal(r->row[loom_topo_port(r->topo, r->device[a->row], a->port)->device], b->row);
    for (uint32_t j = 0; j < i; j++)
      assert_memory_not_equal(a, &c->channel[j], sizeof *a);
  }
}

static const struct {
  uint32_t x, y, z, nodes, trunk;
} tori[] = {{8, 8, 0, 8, 10}, {8, 8, 4, 4, 4}, {4, 4, 0, 8, 10}, {6, 0, 0, 1, 1}, {5, 3, 2, 2, 1},
            {6, 6, 0, 1, 1},  {4, 4, 4, 1, 2}, {7, 4, 0, 3, 2},  {2, 2, 0, 1, 1}, {3, 3, 0, 2, 2}};

/* TP-03: one virtual channel can deadlock, the dateline cannot, in both its forms. */
static void one_lane_of_a_torus_can_deadlock_and_a_dateline_cannot(void **state) {
  (void)state;
  static const enum loom_routing_avoid avoid[] = {
      LOOM_ROUTING_AVOID_NONE, LOOM_ROUTING_DATELINE_TURN, LOOM_ROUTING_DATELINE_PATH};
  for (size_t i = 0; i < sizeof tori / sizeof tori[0]; i++)
    for (size_t a = 0; a < 3; a++) {
      struct loom_routing_cycle cycle;
      struct loom_topo *t = torus(tori[i].x, tori[i].y, tori[i].z, tori[i].nodes, tori[i].trunk);
      struct loom_routing *r = route_with(
          t, LOOM_ROUTING_DOR, &(struct loom_routing_options){.lmc = 0, .avoid = avoid[a]});
      bool small = tori[i].x < 4; /* no path is longer than one link: no ring */
      assert_shortest(r);
      assert_true(loom_routing_find_cycle(r, &cycle));
      assert_int_equal(cycle.channels != 0, avoid[a] == LOOM_ROUTING_AVOID_NONE && !small);
      if (cycle.channels)
        assert_is_cycle(r, &cycle);
      loom_routing_cycle_free(&cycle);
      assert_int_equal(r->layers, avoid[a] == LOOM_ROUTING_AVOID_NONE ? 1 : 2);
      drop(t, r);
    }
}

/* Without one crossing of the dateline the cycle is back. */
static void without_one_crossing_of_the_dateline_the_cycle_is_back(void **state) {
  (void)state;
  struct loom_topo *t = torus(6, 0, 0, 1, 1);
  struct loom_routing *r =
      route_with(t, LOOM_ROUTING_DOR, &(struct loom_routing_options){.lmc = 0});
  assert_int_equal(r->layering, LOOM_ROUTING_LAYER_TURN);
  for (uint32_t in = 0; in < r->ports; in++) { /* up from S5 */
    assert_int_equal(r->turn[(5 * r->ports + in) * r->ports + 2], 1);
    r->turn[(5 * r->ports + in) * r->ports + 2] = LOOM_ROUTING_KEEP;
  }
  assert_true(is_cyclic(r));
  drop(t, r);
}

/* The layer on each link: by path 1 all along a dimension in which the path crosses, by turn 1 from
 * the crossing on. */
static void assert_layers(const struct loom_routing *r, uint32_t end, uint32_t lid) {
  const struct loom_topo *t = r->topo;
  uint32_t row[WAY_MAX];
  uint8_t port[WAY_MAX];
  uint32_t in = loom_topo_port(t, r->end[end].device, 1)->port;
  uint32_t layer = 0;
  uint32_t steps = loom_routing_walk(r, end, lid, row, port);
  bool crossed[3] = {false};
  bool first = r->layering == LOOM_ROUTING_LAYER_PATH; /* look for crossings first */
  for (unsigned pass = first ? 0 : 1; pass < 2; pass++)
    for (uint32_t i = 0; i + 1 < steps; i++) {
      const uint32_t *x = t->device[r->device[row[i]]].coord;
      const uint32_t *y = t->device[r->device[row[i + 1]]].coord;
      uint32_t d = x[0] != y[0] ? 0 : x[1] != y[1] ? 1 : 2;
      crossed[d] |= (x[d] > y[d] ? x[d] - y[d] : y[d] - x[d]) > 1;
      if (!pass)
        continue;
      layer = loom_routing_layer(r, row[i], in, port[i], loom_routing_class(r, end, lid), layer);
      assert_int_equal(layer, crossed[d]);
      in = loom_topo_port(t, r->device[row[i]], port[i])->port;
    }
}

static void layers_of_a_torus_change_at_its_datelines_only(void **state) {
  (void)state;
  for (unsigned path = 0; path < 2; path++) {
    struct loom_topo *t = torus(5, 4, 3, 1, 2);
    struct loom_routing *r =
        route_with(t, LOOM_ROUTING_DOR,
                   &(struct loom_routing_options){.avoid = path ? LOOM_ROUTING_DATELINE_PATH
                                                                : LOOM_ROUTING_DATELINE_TURN});
    assert_int_equal(r->classes, path ? 8 : 1);
    for (uint32_t a = 0; a < r->ends; a++)
      for (uint32_t b = 0; b < r->ends; b++)
        if (a != b)
          assert_layers(r, a, r->end[b].lid);
    drop(t, r);
  }
}

/* First the coordinates of dimension 0 are right, then those of 1, .. */
static void dimension_order_corrects_dimension_0_first(void **state) {
  (void)state;
  uint32_t row[WAY_MAX];
  uint8_t port[WAY_MAX];
  struct loom_topo *t = torus(5, 4, 3, 1, 2);
  struct loom_routing *r =
      route_with(t, LOOM_ROUTING_DOR, &(struct loom_routing_options){.lmc = 0});
  for (uint32_t a = 0; a < r->ends; a++)
    for (uint32_t b = 0; b < r->ends; b++) {
      if (a == b)
        continue;
      uint32_t steps = loom_routing_walk(r, a, r->end[b].lid, row, port);
      uint32_t last = 0;
      assert_int_not_equal(steps, 0);
      for (uint32_t i = 1; i < steps; i++) {
        const uint32_t *x = t->device[r->device[row[i - 1]]].coord;
        const uint32_t *y = t->device[r->device[row[i]]].coord;
        uint32_t d = x[0] != y[0] ? 0 : x[1] != y[1] ? 1 : 2;
        assert_true(d >= last);
        last = d;
      }
    }
  drop(t, r);
}

/* Loads of the cables of each dimension; where the nodes fill the trunks they are the same. */
static void ties_that_all_go_up_load_the_cables_up_more(void **state) {
  (void)state;
  static const enum loom_routing_avoid avoid[] = {LOOM_ROUTING_DATELINE_TURN,
                                                  LOOM_ROUTING_DATELINE_PATH};
  for (unsigned i = 0; i < 2; i++) {
    struct loom_topo *t = torus(8, 0, 0, 1, 1);
    struct loom_routing *r =
        route_with(t, LOOM_ROUTING_DOR,
                   &(struct loom_routing_options){.avoid = avoid[i], .ties = LOOM_ROUTING_TIES_UP});
    struct loom_routing_report report = report_of(r);
    assert_int_equal(report.unreachable, 0);
    for (uint32_t row = 0; row < 8; row++) {
      assert_int_equal(report.load[(size_t)row * r->ports + 2], 1 + 2 + 3 + 4);
      assert_int_equal(report.load[(size_t)row * r->ports + 3], 1 + 2 + 3);
    }
    assert_false(is_cyclic(r));
    loom_routing_report_free(&report);
    drop(t, r);
  }
  struct loom_topo *t = torus(4, 4, 3, 2, 2);
  struct loom_routing *r =
      route_with(t, LOOM_ROUTING_DOR, &(struct loom_routing_options){.ties = LOOM_ROUTING_TIES_UP});
  assert_shortest(r);
  assert_false(is_cyclic(r));
  drop(t, r);
}

static void dimension_order_loads_the_cables_of_a_trunk_evenly(void **state) {
  (void)state;
  struct loom_topo *t = torus(8, 8, 8, 4, 4);
  struct loom_routing *r =
      route_with(t, LOOM_ROUTING_DOR, &(struct loom_routing_options){.lmc = 0});
  assert_even(r, 2048);
  drop(t, r);
  t = torus(8, 8, 0, 1, 1);
  r = route_with(t, LOOM_ROUTING_DOR, &(struct loom_routing_options){.lmc = 0});
  assert_even(r, 64);
  drop(t, r);
  t = torus(4, 0, 0, 1, 1);
  r = route_with(t, LOOM_ROUTING_DOR, &(struct loom_routing_options){.lmc = 0});
  assert_even(r, 2);
  drop(t, r);
  t = torus(8, 8, 0, 8, 10);
  r = route_with(t, LOOM_ROUTING_DOR, &(struct loom_routing_options){.lmc = 0});
  struct loom_routing_report report = report_of(r);
  assert_true(report.load_max <= 512); /* 409.6 in the mean */
  loom_routing_report_free(&report);
  drop(t, r);
}

/* A ring of its own for each cable of a trunk, up and down. */
static void assert_rings(const struct loom_routing *r, uint32_t size) {
  for (uint32_t row = 0; row < r->switches; row++)
    for (uint32_t out = 1; out < r->ports; out++) {
      uint32_t at = row, port = out, steps = 0;
      if (!r->ring[(size_t)row * r->ports + out]) {
        assert_true(out <= 2); /* a host's */
        continue;
      }
      do {
        uint32_t in = r->ring[(size_t)at * r->ports + port];
        const struct loom_topo_port *far = loom_topo_port(r->topo, r->device[at], in);
        at = r->row[far->device];
        port = far->port;
        steps++;
      } while (at != row || port != out);
      assert_int_equal(steps, size);
    }
}

static void rings_with_bubbles_have_no_cycle(void **state) {
  (void)state;
  const struct loom_routing_options bubble = {.avoid = LOOM_ROUTING_AVOID_BUBBLE};
  struct loom_routing_error err = {.text = ""};
  struct loom_topo *t = torus(5, 5, 0, 2, 2);
  struct loom_routing *r = route_with(t, LOOM_ROUTING_DOR, &bubble);
  assert_int_equal(r->layers, 1);
  assert_rings(r, 5);
  assert_false(is_cyclic(r));
  /* Packets that change between the cables of a trunk come back to a ring that they left. */
  assert_true(loom_routing_choose_trunk(r, LOOM_ROUTING_TRUNK_LOAD, &err));
  assert_true(is_cyclic(r));
  assert_true(loom_routing_choose_trunk(r, LOOM_ROUTING_TRUNK_LID, &err));
  /* One output that knows nothing of its ring. */
  uint8_t ring = r->ring[(size_t)7 * r->ports + 3];
  r->ring[(size_t)7 * r->ports + 3] = 0;
  assert_true(is_cyclic(r));
  r->ring[(size_t)7 * r->ports + 3] = ring;
  assert_false(is_cyclic(r));
  /* From dimension 1 back to 0: at S1-1, on their way up in dimension 1, packets to S1-3 go to S2-1
   * first, and from there up and back. */
  uint32_t at = 1 * 5 + 1, beside = 2 * 5 + 1, above = 2 * 5 + 2;
  for (uint32_t e = 0; e < r->ends; e++)
    if (r->row[loom_topo_port(t, r->end[e].device, r->end[e].port)->device] == 1 * 5 + 3) {
      uint32_t lid = r->end[e].lid, x = 3 + (e & 1);
      loom_routing_set(r, at, lid, x);
      loom_routing_set(r, beside, lid, x + 4);
      loom_routing_set(r, above, lid, x + 2);
    }
  assert_true(is_cyclic(r));
  drop(t, r);
  t = torus(8, 8, 8, 4, 4);
  r = route_with(t, LOOM_ROUTING_DOR, &bubble);
  assert_false(is_cyclic(r));
  drop(t, r);
  t = torus(2, 4, 0, 1, 1); /* no ring, and one */
  r = route_with(t, LOOM_ROUTING_DOR, &bubble);
  assert_false(is_cyclic(r));
  drop(t, r);
}

/* All pairs over trunks of two cables in rings of six: 432 flows a trunk. */
static void a_trunk_is_loaded_by_lid_by_flow_or_by_load(void **state) {
  (void)state;
  static const enum loom_routing_trunk trunk[] = {LOOM_ROUTING_TRUNK_LID, LOOM_ROUTING_TRUNK_FLOW,
                                                  LOOM_ROUTING_TRUNK_LOAD};
  for (unsigned i = 0; i < 3; i++) {
    struct loom_topo *t = torus(6, 6, 0, 4, 2);
    struct loom_routing *r =
        route_with(t, LOOM_ROUTING_DOR, &(struct loom_routing_options){.trunk = trunk[i]});
    struct loom_routing_report report = report_of(r);
    bool uneven = false;
    for (uint32_t row = 0; row < r->switches; row++)
      for (uint32_t port = 5; port <= 12; port += 2) {
        size_t at = (size_t)row * r->ports + port;
        uint64_t first = report.load[at];
        assert_int_equal(first + report.load[at + 1], 432);
        assert_true(first >= 216 - 54 && first <= 216 + 54);
        assert_true(trunk[i] == LOOM_ROUTING_TRUNK_FLOW || first == 216);
        uneven = uneven || first != 216;
      }
    assert_int_equal(uneven, trunk[i] == LOOM_ROUTING_TRUNK_FLOW);
    assert_int_equal(loom_routing_most_groups(r), i ? 4 : 0);
    assert_false(is_cyclic(r));
    loom_routing_report_free(&report);
    drop(t, r);
  }
}

/* The loads by flow are those of the ways that are shown. */
static void ways_by_flow_take_the_cables_that_are_counted(void **state) {
  (void)state;
  uint32_t row[WAY_MAX];
  uint8_t port[WAY_MAX];
  struct loom_topo *t = torus(4, 3, 0, 2, 3);
  struct loom_routing *r = route_with(
      t, LOOM_ROUTING_DOR, &(struct loom_routing_options){.trunk = LOOM_ROUTING_TRUNK_FLOW});
  struct loom_routing_report report = report_of(r);
  uint32_t cables = 0;
  for (uint32_t a = 0; a < r->ends; a++)
    for (uint32_t b = 0; b < r->ends; b++) {
      if (a == b)
        continue;
      uint32_t steps = loom_routing_walk(r, a, r->end[b].lid, row, port);
      for (uint32_t i = 0; i + 1 < steps; i++) {
        report.load[(size_t)row[i] * r->ports + port[i]]--;
        cables |= 1u << port[i];
      }
    }
  for (size_t i = 0; i < (size_t)r->switches * r->ports; i++)
    assert_int_equal(report.load[i], 0);
  assert_int_equal(cables, 0xFFFu << 3);
  loom_routing_report_free(&report);
  drop(t, r);
}

/* Tables that name the first cable of each trunk are acyclic, whatever happens to packets that come
 * over the second ones: these forget the dateline here. */
static void a_circle_over_other_cables_than_the_named_ones_is_found(void **state) {
  (void)state;
  struct loom_topo *t = torus(5, 0, 0, 2, 2);
  struct loom_routing *r =
      route_with(t, LOOM_ROUTING_DOR, &(struct loom_routing_options){.lmc = 0});
  struct loom_routing_error err = {.text = ""};
  for (uint32_t row = 0; row < r->switches; row++)
    for (uint32_t lid = 0; lid < r->lids; lid++) {
      uint32_t out = loom_routing_out(r, row, lid);
      if (out == 4 || out == 6)
        loom_routing_set(r, row, lid, out - 1);
    }
  assert_false(is_cyclic(r));
  assert_true(loom_routing_choose_trunk(r, LOOM_ROUTING_TRUNK_LOAD, &err));
  assert_false(is_cyclic(r));
  for (uint32_t row = 0; row < r->switches; row++)
    for (uint32_t in = 4; in <= 6; in += 2)
      memset(&r->turn[((size_t)row * r->ports + in) * r->ports + 3], 0, 4);
  assert_true(is_cyclic(r));
  assert_true(loom_routing_choose_trunk(r, LOOM_ROUTING_TRUNK_LID, &err));
  assert_false(is_cyclic(r));
  drop(t, r);
}

/* The choice of a cable must not be one of the layer. */
static void a_trunk_whose_cables_have_different_layers_is_refused(void **state) {
  (void)state;
  struct loom_topo *t = torus(5, 0, 0, 1, 2);
  struct loom_routing *r =
      route_with(t, LOOM_ROUTING_DOR, &(struct loom_routing_options){.lmc = 0});
  struct loom_routing_error err = {.text = ""};
  assert_true(loom_routing_choose_trunk(r, LOOM_ROUTING_TRUNK_FLOW, &err));
  r->turn[((size_t)2 * r->ports + 1) * r->ports + 3] = 1; /* S2, from its host to +x, first cable */
  assert_false(loom_routing_choose_trunk(r, LOOM_ROUTING_TRUNK_LOAD, &err));
  assert_string_equal(err.text,
                      "\"S2\" has other layers at port 3 than at port 2, which leads there, too");
  assert_int_equal(r->trunk, LOOM_ROUTING_TRUNK_FLOW);
  drop(t, r);
}

/* LIDs of one host take different cables of a trunk. */
static void lids_of_one_host_take_different_cables_of_a_trunk(void **state) {
  (void)state;
  struct loom_topo *t = torus(5, 5, 0, 2, 4);
  struct loom_routing *r =
      route_with(t, LOOM_ROUTING_DOR, &(struct loom_routing_options){.lmc = 2});
  uint32_t ports = 0;
  for (uint32_t i = 0; i < 4; i++)
    ports |= 1u << loom_routing_out(r, 0, r->end[2].lid + i);
  assert_int_equal(ports, 0xFu << 3); /* from S0-0 to S1-0 over ports 3..6 */
  assert_false(is_cyclic(r));
  assert_shortest(r);
  drop(t, r);
}

static void a_fabric_that_is_no_torus_is_refused_with_the_reason(void **state) {
  (void)state;
  uint64_t seed = 1;
  assert_refused(scramble(torus(4, 4, 0, 1, 1), &seed), LOOM_ROUTING_DOR,
                 "no torus: \"S0-3\" has no coordinates as others have");
  assert_refused(kns(6, 2, 1, 1), LOOM_ROUTING_DOR, "no torus: 48 switches do not fill its points");
  struct loom_topo *t = torus(4, 4, 0, 1, 1);
  unplug(t, 16, 2);
  assert_refused(t, LOOM_ROUTING_DOR, "no torus: \"S0-0\" has no cable up dimension 0");
  t = torus(4, 4, 0, 1, 1);
  memcpy(t->device[18].coord, t->device[20].coord, sizeof t->device[18].coord);
  assert_refused(t, LOOM_ROUTING_DOR, "no torus: \"S0-1\" has coordinates that another has");
  t = torus(5, 5, 0, 1, 1);
  swap(t, 25, 2, 27, 2);
  assert_refused(t, LOOM_ROUTING_DOR, "no torus: a cable joins \"S0-0\" and \"S3-0\"");
}

/* Dimension order on one layer: shortest ways, no circle. A ring of three alone is a torus. */
static void meshes_and_hyperx_need_one_layer(void **state) {
  (void)state;
  static const struct loom_topo_torus_cfg grids[] = {
      {.joined = LOOM_TOPO_LINE, .dims = 2, .size = {5, 4}, .nodes = 2, .trunk = 2},
      {.joined = LOOM_TOPO_LINE, .dims = 3, .size = {3, 2, 3}, .nodes = 1, .trunk = 1},
      {.joined = LOOM_TOPO_ALL, .dims = 2, .size = {5, 4}, .nodes = 2, .trunk = 2},
      {.joined = LOOM_TOPO_ALL, .dims = 3, .size = {4, 3, 2}, .nodes = 1, .trunk = 1}};
  for (size_t i = 0; i < sizeof grids / sizeof grids[0]; i++)
    for (unsigned path = 0; path < 2; path++) {
      struct loom_topo *t = loom_topo_torus_make(&grids[i]);
      struct loom_routing *r =
          route_with(t, LOOM_ROUTING_DOR,
                     &(struct loom_routing_options){.avoid = path ? LOOM_ROUTING_DATELINE_PATH
                                                                  : LOOM_ROUTING_DATELINE_TURN});
      assert_shortest(r);
      assert_false(is_cyclic(r));
      assert_int_equal(r->layers, 1);
      drop(t, r);
    }
}

/* The opposite order at one switch alone is enough for a circle: the check sees it. */
static void a_mesh_with_a_turn_back_is_cyclic(void **state) {
  (void)state;
  const struct loom_topo_torus_cfg c = {
      .joined = LOOM_TOPO_LINE, .dims = 2, .size = {3, 3}, .nodes = 1, .trunk = 1};
  struct loom_topo *t = loom_topo_torus_make(&c);
  struct loom_routing *r =
      route_with(t, LOOM_ROUTING_DOR, &(struct loom_routing_options){.lmc = 0});
  for (uint32_t a = 0; a < 3; a++)
    for (uint32_t b = 0; b < 3; b++)
      for (uint32_t at = 0; at < 9; at++)
        if ((a + b) % 2 && at / 3 != b) /* dimension 1 first */
          loom_routing_set(r, at, r->end[3 * b + a].lid, at / 3 < b ? 4 : 5);
        else if ((a + b) % 2 && at % 3 != a)
          loom_routing_set(r, at, r->end[3 * b + a].lid, at % 3 < a ? 2 : 3);
  assert_shortest(r);
  assert_true(is_cyclic(r));
  drop(t, r);
}

/* ---- places of switches ---------------------------------------------------------------------- */

static const uint32_t *place_of(const struct loom_routing *r, uint32_t row) {
  return r->topo->device[r->device[row]].coord;
}

/* Flows on the busiest cable, or on that between groups, if each host sends to the one `shift`
 * further, a part of its load to each of its LIDs. */
static uint32_t busiest_cable(const struct loom_routing *r, uint32_t shift, bool gates) {
  uint32_t *load = calloc((size_t)r->switches * r->ports, sizeof *load), most = 0;
  uint32_t row[WAY_MAX];
  uint8_t port[WAY_MAX];
  assert_non_null(load);
  for (uint32_t e = 0; e < r->ends; e++)
    for (uint32_t lid = 0; lid < 1u << r->lmc; lid++) {
      uint32_t to = r->end[(e + shift) % r->ends].lid + lid;
      uint32_t steps = loom_routing_walk(r, e, to, row, port);
      for (uint32_t i = 0; i + 1 < steps; i++)
        if (!gates || place_of(r, row[i])[0] != place_of(r, row[i + 1])[0])
          load[row[i] * r->ports + port[i]]++;
    }
  for (size_t i = 0; i < (size_t)r->switches * r->ports; i++)
    most = load[i] > most ? load[i] : most;
  free(load);
  return most;
}

/* ---- dor-valiant ----------------------------------------------------------------------------- */

/* Switches between those of two hosts that are on the ways of the first LIDs of the second. */
static uint32_t switches_between(const struct loom_routing *r, uint32_t from, uint32_t to) {
  uint32_t row[WAY_MAX], count = 0;
  uint8_t port[WAY_MAX];
  bool *seen = calloc(r->switches, sizeof *seen);
  assert_non_null(seen);
  for (uint32_t lid = 0; lid + 1 < r->switches; lid++) {
    uint32_t steps = loom_routing_walk(r, from, r->end[to].lid + lid, row, port);
    assert_int_equal(row[steps - 1], loom_routing_leaf(r, to));
    for (uint32_t i = 1; i + 1 < steps; i++) {
      count += !seen[row[i]];
      seen[row[i]] = true;
    }
  }
  free(seen);
  return count;
}

/* Every other switch is on some way, and no channels wait in a circle; on fewer layers, where the
 * second half is on that of the first one, they do. */
static void grids_go_over_every_other_switch_without_a_circle(void **state) {
  (void)state;
  static const struct {
    struct loom_topo_torus_cfg cfg;
    uint32_t layers;
  } grids[] = {
      {{.joined = LOOM_TOPO_ALL, .dims = 1, .size = {5}, .nodes = 2, .trunk = 1}, 2},
      {{.joined = LOOM_TOPO_ALL, .dims = 2, .size = {4, 4}, .nodes = 1, .trunk = 2}, 2},
      {{.joined = LOOM_TOPO_ALL, .dims = 3, .size = {4, 3, 2}, .nodes = 1, .trunk = 1}, 2},
      {{.joined = LOOM_TOPO_LINE, .dims = 2, .size = {4, 3}, .nodes = 1, .trunk = 1}, 2},
      {{.joined = LOOM_TOPO_RING, .dims = 1, .size = {7}, .nodes = 1, .trunk = 1}, 4},
      {{.joined = LOOM_TOPO_RING, .dims = 2, .size = {5, 4}, .nodes = 1, .trunk = 2}, 6},
      {{.joined = LOOM_TOPO_RING, .dims = 3, .size = {4, 3, 3}, .nodes = 1, .trunk = 1}, 8}};
  for (size_t i = 0; i < sizeof grids / sizeof grids[0]; i++)
    for (unsigned path = 0; path < 2; path++) {
      if (path && grids[i].cfg.joined != LOOM_TOPO_ALL)
        continue;
      struct loom_topo *t = loom_topo_torus_make(&grids[i].cfg);
      struct loom_routing *r =
          route_with(t, LOOM_ROUTING_DOR_VALIANT,
                     &(struct loom_routing_options){.lmc = LOOM_ROUTING_LMC_AUTO,
                                                    .avoid = path ? LOOM_ROUTING_DATELINE_PATH
                                                                  : LOOM_ROUTING_DATELINE_TURN});
      assert_int_equal(r->layers, grids[i].layers);
      assert_false(is_cyclic(r));
      assert_int_equal(switches_between(r, 0, r->ends - 1), r->switches - 2);
      if (path)
        memset(r->layer, 0, (size_t)r->switches * r->ports * r->ports);
      else
        memset(r->turn, 0, (size_t)r->switches * r->ports * r->ports);
      assert_true(is_cyclic(r));
      drop(t, r);
    }
}

/* With S - 1 LIDs a host, all to all: one flow for each LID goes straight, and S - 2 on the first
 * and on the second cable of their ways. */
static void switches_all_joined_carry_the_flows_of_the_closed_form_over_others(void **state) {
  (void)state;
  struct loom_topo *t = loom_topo_torus_make(&(struct loom_topo_torus_cfg){
      .joined = LOOM_TOPO_ALL, .dims = 1, .size = {9}, .nodes = 3, .trunk = 1});
  struct loom_routing *r = route(t, LOOM_ROUTING_DOR_VALIANT);
  struct loom_routing_report report = report_of(r);
  assert_int_equal(r->lmc, 3);
  for (uint32_t row = 0; row < r->switches; row++)
    for (uint32_t p = 4; p <= 11; p++)
      assert_int_equal(report.load[row * r->ports + p], 3 * 3 * (2 * 9 - 3));
  assert_int_equal(report.unreachable, 0);
  loom_routing_report_free(&report);
  drop(t, r);
}

static void ways_over_other_switches_have_layers_by_path_in_a_hyperx_only(void **state) {
  (void)state;
  struct loom_topo *t = torus(4, 4, 0, 1, 1);
  struct loom_routing_error err = {""};
  assert_null(loom_routing_make(t, LOOM_ROUTING_DOR_VALIANT,
                                &(struct loom_routing_options){.avoid = LOOM_ROUTING_DATELINE_PATH},
                                &err));
  assert_string_equal(err.text, "no HyperX: only by turn do ways over another switch of it have "
                                "layers");
  loom_topo_destroy(t);
}

/* ---- dor-ugal -------------------------------------------------------------------------------- */

/* Where a way by load is: the dimension of its last cable, and how many it took in it. */
struct leg {
  uint32_t dim, cables;
};

/* Follows all ways of a LID from `row`: how many there are. Dimensions ascend, and each has two
 * cables at most. */
static uint32_t ways_by_load(const struct loom_routing *r, uint32_t row, uint32_t lid,
                             struct leg leg) {
  uint32_t ports[2] = {loom_routing_out(r, row, lid), loom_routing_other(r, row, lid)}, ways = 0;
  const uint32_t *at = place_of(r, row);
  for (unsigned i = 0; i < 2 && ports[i]; i++) {
    uint32_t peer = loom_routing_peer(r, row, ports[i]), d = 0;
    if (peer == LOOM_TOPO_NONE) {
      assert_int_equal(loom_routing_port(r, row, ports[i])->device, r->end[r->end_of[lid]].device);
      ways++;
      continue;
    }
    while (at[d] == place_of(r, peer)[d])
      d++;
    struct leg next = {.dim = d, .cables = d == leg.dim ? leg.cables + 1 : 1};
    assert_true(d >= leg.dim && next.cables <= 2);
    ways += ways_by_load(r, peer, lid, next);
  }
  return ways;
}

static const struct loom_topo_torus_cfg by_load[] = {
    {.joined = LOOM_TOPO_ALL, .dims = 1, .size = {6}, .nodes = 2, .trunk = 1},
    {.joined = LOOM_TOPO_ALL, .dims = 2, .size = {5, 4}, .nodes = 1, .trunk = 2},
    {.joined = LOOM_TOPO_ALL, .dims = 3, .size = {4, 2, 3}, .nodes = 1, .trunk = 1},
    {.joined = LOOM_TOPO_ALL, .dims = 2, .size = {3, 3}, .nodes = 1, .trunk = 1}};
enum { BY_LOAD = sizeof by_load / sizeof by_load[0] };

/* A way doubles in each dimension whose other coordinate is not that of the switch; over all LIDs
 * each coordinate is offered. */
static void a_hyperx_by_load_has_two_ways_in_each_dimension(void **state) {
  (void)state;
  for (size_t i = 0; i < BY_LOAD; i++) {
    struct loom_topo *t = loom_topo_torus_make(&by_load[i]);
    struct loom_routing *r = route(t, LOOM_ROUTING_DOR_UGAL);
    for (uint32_t from = 0; from < r->ends; from++)
      for (uint32_t to = 0; to < r->ends; to++) {
        uint32_t row = loom_routing_leaf(r, from), goal = loom_routing_leaf(r, to), most = 1, d = 0;
        const uint32_t *a = place_of(r, row), *b = place_of(r, goal);
        uint32_t offered = 0, ways = 0;
        for (uint32_t k = by_load[i].dims; k--;) {
          most *= a[k] != b[k] && by_load[i].size[k] > 2 ? 2 : 1;
          d = a[k] != b[k] ? k : d;
        }
        for (uint32_t lid = r->end[to].lid; lid < r->end[to].lid + (1u << r->lmc); lid++) {
          uint32_t w = to == from ? 1 : ways_by_load(r, row, lid, (struct leg){0});
          assert_int_equal(w & (w - 1), 0);
          ways = w > ways ? w : ways;
          uint32_t other = loom_routing_other(r, row, lid);
          if (other)
            offered |= 1u << place_of(r, loom_routing_peer(r, row, other))[d];
        }
        assert_in_range(ways, most > 1 ? 2 : 1, most);
        if (row != goal)
          assert_int_equal(offered | 1u << a[d] | 1u << b[d], (1u << by_load[i].size[d]) - 1);
      }
    drop(t, r);
  }
}

/* Two layers, which the second cable in a dimension needs; ways that all go straight are dor's. */
static void a_hyperx_by_load_needs_two_layers(void **state) {
  (void)state;
  static const enum loom_routing_avoid avoid[] = {
      LOOM_ROUTING_DATELINE_TURN, LOOM_ROUTING_DATELINE_PATH, LOOM_ROUTING_AVOID_NONE};
  for (size_t i = 0; i < BY_LOAD; i++)
    for (size_t a = 0; a < 3; a++) {
      struct loom_topo *t = loom_topo_torus_make(&by_load[i]);
      struct loom_routing *r = route_with(
          t, LOOM_ROUTING_DOR_UGAL,
          &(struct loom_routing_options){.lmc = LOOM_ROUTING_LMC_AUTO, .avoid = avoid[a]});
      assert_int_equal(r->layers, a < 2 ? 2 : 1);
      assert_int_equal(r->classes, 1);
      assert_int_equal(is_cyclic(r), a == 2);
      assert_shortest(r);
      if (a < 2)
        memset(a ? r->layer : r->turn, 0, (size_t)r->switches * r->ports * r->ports);
      assert_true(is_cyclic(r));
      drop(t, r);
    }
}

/* t (s - 2) groups a dimension for each other coordinate that LIDs offer, 64 at most. */
static void a_hyperx_by_load_offers_what_there_are_groups_for(void **state) {
  (void)state;
  static const struct {
    uint32_t size[3], trunk, others, groups, lmc;
  } grids[] = {{{7, 7}, 1, 6, 60, 3}, {{8, 8}, 1, 5, 60, 3}, {{6, 6, 6}, 1, 5, 60, 3},
               {{5, 4}, 2, 4, 36, 2}, {{5, 4}, 4, 3, 60, 2}, {{16, 2}, 1, 4, 56, 2},
               {{2, 2}, 1, 1, 0, 0}};
  for (size_t i = 0; i < sizeof grids / sizeof grids[0]; i++) {
    struct loom_topo *t = loom_topo_torus_make(&(struct loom_topo_torus_cfg){
        .joined = LOOM_TOPO_ALL,
        .dims = grids[i].size[2] ? 3 : 2,
        .size = {grids[i].size[0], grids[i].size[1], grids[i].size[2]},
        .nodes = grids[i].size[2] ? 1 : 4,
        .trunk = grids[i].trunk});
    struct loom_routing *r = route(t, LOOM_ROUTING_DOR_UGAL);
    assert_int_equal(loom_routing_most_groups(r), grids[i].groups);
    if (grids[i].trunk == 1)
      assert_int_equal(loom_routing_others(r), grids[i].others);
    assert_int_equal(r->lmc, grids[i].lmc);
    drop(t, r);
  }
  assert_refused(loom_topo_torus_make(&(struct loom_topo_torus_cfg){
                     .joined = LOOM_TOPO_ALL, .dims = 2, .size = {67, 2}, .nodes = 1, .trunk = 1}),
                 LOOM_ROUTING_DOR_UGAL, "a switch needs 65 groups of ports, and has 64");
  assert_refused(torus(4, 3, 0, 1, 1), LOOM_ROUTING_DOR_UGAL,
                 "no HyperX: not all coordinates of dimension 0 are joined");
  assert_refused(loom_topo_torus_make(&(struct loom_topo_torus_cfg){
                     .joined = LOOM_TOPO_LINE, .dims = 2, .size = {2, 3}, .nodes = 1, .trunk = 1}),
                 LOOM_ROUTING_DOR_UGAL, "no HyperX: not all coordinates of dimension 1 are joined");
}

/* Each switch to the next one in both dimensions of 4 x 4 with 4 hosts each: straight, all of them
 * have one cable; over other switches it is less. */
static void switches_that_send_to_the_next_one_have_the_bounds_of_their_cables(void **state) {
  (void)state;
  static const struct loom_topo_torus_cfg c = {
      .joined = LOOM_TOPO_ALL, .dims = 2, .size = {4, 4}, .nodes = 4, .trunk = 1};
  struct loom_topo *t = loom_topo_torus_make(&c);
  struct loom_routing *r = route(t, LOOM_ROUTING_DOR);
  assert_int_equal(busiest_cable(r, 20, false), 4);
  loom_routing_destroy(r);
  r = route(t, LOOM_ROUTING_DOR_VALIANT);
  assert_int_equal(r->lmc, 4);
  assert_int_equal(busiest_cable(r, 20, false), 40); /* of 16 LIDs each: 2.5 hosts' load */
  drop(t, r);
}

static void a_hyperx_without_a_cable_is_refused(void **state) {
  (void)state;
  struct loom_topo *t = loom_topo_torus_make(&(struct loom_topo_torus_cfg){
      .joined = LOOM_TOPO_ALL, .dims = 2, .size = {5, 4}, .nodes = 1, .trunk = 1});
  unplug(t, 20, 3);
  assert_refused(t, LOOM_ROUTING_DOR,
                 "no torus: \"S0-0\" has no cable to coordinate 2 of dimension 0");
  t = loom_topo_torus_make(&(struct loom_topo_torus_cfg){
      .joined = LOOM_TOPO_LINE, .dims = 2, .size = {5, 4}, .nodes = 1, .trunk = 1});
  unplug(t, 21, 2);
  assert_refused(t, LOOM_ROUTING_DOR, "no torus: \"S1-0\" has no cable up dimension 0");
}

/* Flows to other leaves, or from half to half, are shared evenly by the cables up. */
static void an_xgft_is_routed_by_ftree_on_one_layer(void **state) {
  (void)state;
  static const struct loom_topo_xgft_cfg trees[] = {
      {.levels = 2, .down = {6, 4}, .ups = 1, .up = {2}, .trunk = 1},
      {.levels = 2, .down = {6, 5}, .ups = 1, .up = {3}, .trunk = 2},
      {.levels = 3, .down = {6, 4, 2}, .ups = 2, .up = {3, 2}, .trunk = 1}};
  static const uint64_t busiest[] = {6 * 18 / 2, 6 * 24 / 6, 24 * 24 / 6};
  for (size_t i = 0; i < sizeof trees / sizeof trees[0]; i++) {
    struct loom_topo *t = loom_topo_xgft_make(&trees[i]);
    struct loom_routing *r =
        route_with(t, LOOM_ROUTING_FTREE, &(struct loom_routing_options){.lmc = 0});
    assert_shortest(r);
    assert_false(is_cyclic(r));
    assert_int_equal(r->layers, 1);
    struct loom_routing_report report = report_of(r);
    assert_int_equal(report.load_max, busiest[i]);
    loom_routing_report_free(&report);
    drop(t, r);
  }
}

/* ---- dragonfly ------------------------------------------------------------------------------- */

static struct loom_topo *dragonfly(uint32_t routers, uint32_t globals, uint32_t nodes,
                                   uint32_t groups) {
  return loom_topo_dragonfly_make(&(struct loom_topo_dragonfly_cfg){
      .routers = routers, .globals = globals, .nodes = nodes, .groups = groups});
}

static bool are_joined(const struct loom_routing *r, uint32_t a, uint32_t b) {
  for (uint32_t p = 1; p < r->ports; p++)
    if (joins_switches(r, a, p) && r->row[loom_topo_port(r->topo, r->device[a], p)->device] == b)
      return true;
  return false;
}

/* Cables between switches from a to b, of which one at most leads to another group. */
static uint32_t cables_between(const struct loom_routing *r, uint32_t a, uint32_t b) {
  uint32_t least = a == b ? 0 : are_joined(r, a, b) ? 1 : 3;
  for (uint32_t c = 0; least > 2 && c < r->switches; c++)
    if (are_joined(r, a, c) && are_joined(r, c, b) &&
        (place_of(r, c)[0] == place_of(r, a)[0] || place_of(r, c)[0] == place_of(r, b)[0]))
      least = 2;
  return least;
}

static void assert_shortest_in_groups(const struct loom_routing *r) {
  uint32_t row[WAY_MAX];
  uint8_t port[WAY_MAX];
  for (uint32_t a = 0; a < r->ends; a++)
    for (uint32_t b = 0; b < r->ends; b++) {
      if (a == b)
        continue;
      uint32_t steps = loom_routing_walk(r, a, r->end[b].lid, row, port), leaves = 0;
      assert_int_equal(steps - 1, cables_between(r, row[0], row[steps - 1]));
      for (uint32_t i = 1; i < steps; i++)
        leaves += place_of(r, row[i - 1])[0] != place_of(r, row[i])[0];
      assert_int_equal(leaves, place_of(r, row[0])[0] != place_of(r, row[steps - 1])[0]);
    }
}

/* Shortest ways on two layers; on one they wait in a circle. */
static void a_dragonfly_needs_two_layers_for_its_shortest_ways(void **state) {
  (void)state;
  static const enum loom_routing_avoid avoid[] = {
      LOOM_ROUTING_AVOID_NONE, LOOM_ROUTING_DATELINE_TURN, LOOM_ROUTING_DATELINE_PATH};
  static const uint32_t fly[][4] = {{4, 2, 2, 0}, {2, 1, 1, 0}, {6, 3, 3, 5}, {4, 2, 1, 2}};
  for (size_t i = 0; i < sizeof fly / sizeof fly[0]; i++)
    for (size_t a = 0; a < 3; a++) {
      struct loom_topo *t = dragonfly(fly[i][0], fly[i][1], fly[i][2], fly[i][3]);
      struct loom_routing *r =
          route_with(t, LOOM_ROUTING_DRAGONFLY, &(struct loom_routing_options){.avoid = avoid[a]});
      assert_shortest_in_groups(r);
      assert_int_equal(r->layers, a ? 2 : 1);
      assert_int_equal(r->classes, 1);
      if (a)
        assert_false(is_cyclic(r));
      else if (i < 3)
        assert_true(is_cyclic(r));
      drop(t, r);
    }
}

/* The check sees what layers the switches go over to. */
static void a_dragonfly_that_stays_on_its_layer_behind_its_cables_is_cyclic(void **state) {
  (void)state;
  struct loom_topo *t = dragonfly(2, 1, 1, 0);
  struct loom_routing *r =
      route_with(t, LOOM_ROUTING_DRAGONFLY, &(struct loom_routing_options){.lmc = 0});
  assert_false(is_cyclic(r));
  for (uint32_t row = 0; row < r->switches; row++)
    for (uint32_t in = 0; in < r->ports; in++)
      r->turn[(row * r->ports + in) * r->ports + 2] = 0; /* into the group, from wherever */
  for (uint32_t row = 0; row < r->switches; row++)
    for (uint32_t in = 0; in < r->ports; in++)
      r->turn[(row * r->ports + in) * r->ports + 3] = 0; /* out of it */
  assert_true(is_cyclic(r));
  drop(t, r);
}

/* All to all: (a p)^2 flows go between two groups over each cable, and p^2 (1 + 2 a h) inside. */
static void a_dragonfly_carries_the_flows_of_its_closed_form(void **state) {
  (void)state;
  struct loom_topo *t = dragonfly(4, 2, 2, 0);
  struct loom_routing *r =
      route_with(t, LOOM_ROUTING_DRAGONFLY, &(struct loom_routing_options){.lmc = 0});
  struct loom_routing_report report = report_of(r);
  assert_int_equal(report.load_max, 2 * 2 * (1 + 2 * 4 * 2));
  loom_routing_report_free(&report);
  drop(t, r);
}

/* Where several cables are as good, the hosts of a switch take them in turn. */
static void hosts_of_a_dragonfly_take_cables_in_turn(void **state) {
  (void)state;
  struct loom_topo *t = dragonfly(2, 4, 2, 2); /* 8 cables between its groups */
  struct loom_routing *r =
      route_with(t, LOOM_ROUTING_DRAGONFLY, &(struct loom_routing_options){.lmc = 0});
  for (uint32_t e = 0; e < r->ends; e += 2) { /* two at a switch */
    const struct loom_routing_end *a = &r->end[e], *b = &r->end[e + 1];
    uint32_t at = r->row[loom_topo_port(t, a->device, a->port)->device], differ = 0;
    for (uint32_t row = 0; row < r->switches; row++)
      differ += row != at && loom_routing_out(r, row, a->lid) != loom_routing_out(r, row, b->lid);
    assert_true(differ > 0);
  }
  drop(t, r);
}

/* The groups of the way from an end to a LID, in their order; a way is inside each at most once. */
static uint32_t groups_on(const struct loom_routing *r, uint32_t from, uint32_t lid,
                          uint32_t *group) {
  uint32_t row[WAY_MAX], groups = 0, inside = 0;
  uint8_t port[WAY_MAX];
  uint32_t steps = loom_routing_walk(r, from, lid, row, port);
  assert_true(steps > 0);
  for (uint32_t i = 0; i < steps; i++) {
    uint32_t g = place_of(r, row[i])[0];
    if (groups && group[groups - 1] == g) {
      assert_true(++inside == 1);
      continue;
    }
    inside = 0;
    group[groups++] = g;
  }
  return groups;
}

/* Each LID of a host leads over another group than its own: once over each of them. */
static void a_dragonfly_has_a_lid_over_each_other_group(void **state) {
  (void)state;
  static const uint32_t fly[][4] = {{4, 2, 2, 0}, {2, 1, 1, 0}, {6, 3, 2, 5}, {3, 1, 2, 3}};
  for (size_t i = 0; i < sizeof fly / sizeof fly[0]; i++) {
    struct loom_topo *t = dragonfly(fly[i][0], fly[i][1], fly[i][2], fly[i][3]);
    struct loom_routing *r = route(t, LOOM_ROUTING_DRAGONFLY_VALIANT);
    uint32_t lids = 1u << r->lmc, others = loom_routing_vias(r, false), group[WAY_MAX];
    assert_in_range(others, lids / 2 + 1, lids);
    for (uint32_t from = 0; from < r->ends; from++)
      for (uint32_t to = 0; to < r->ends; to++) {
        uint32_t a = place_of(r, loom_routing_leaf(r, from))[0];
        uint32_t b = place_of(r, loom_routing_leaf(r, to))[0], over = 0, straight = 0;
        for (uint32_t lid = 0; lid < others && from != to; lid++) {
          uint32_t groups = groups_on(r, from, r->end[to].lid + lid, group);
          assert_int_equal(group[0], a);
          assert_int_equal(group[groups - 1], b);
          assert_true(groups <= 3);
          over |= groups == 3 ? 1u << group[1] : 0;
          straight += groups < 3;
        }
        if (from == to)
          continue;
        assert_int_equal(straight, a == b ? others : 1);
        if (a != b)
          assert_int_equal(over | 1u << a | 1u << b, (2u << others) - 1);
      }
    drop(t, r);
  }
}

/* Three layers, of two classes by path; each of both is needed. */
static void a_dragonfly_needs_three_layers_over_other_groups(void **state) {
  (void)state;
  static const uint32_t fly[][4] = {{4, 2, 2, 0}, {3, 2, 1, 0}, {6, 3, 2, 5}};
  static const enum loom_routing_avoid avoid[] = {
      LOOM_ROUTING_DATELINE_TURN, LOOM_ROUTING_DATELINE_PATH, LOOM_ROUTING_AVOID_NONE};
  for (size_t i = 0; i < sizeof fly / sizeof fly[0]; i++)
    for (size_t a = 0; a < 3; a++) {
      struct loom_topo *t = dragonfly(fly[i][0], fly[i][1], fly[i][2], fly[i][3]);
      struct loom_routing *r = route_with(
          t, LOOM_ROUTING_DRAGONFLY_VALIANT,
          &(struct loom_routing_options){.lmc = LOOM_ROUTING_LMC_AUTO, .avoid = avoid[a]});
      assert_int_equal(r->layers, a < 2 ? 3 : 1);
      assert_int_equal(r->classes, a == 1 ? 2 : 1);
      assert_int_equal(is_cyclic(r), a == 2);
      if (a == 0) { /* layers that do not go on */
        r->layers = 2;
        assert_true(is_cyclic(r));
      }
      if (a == 1) { /* ways that go down, then up, with the others */
        memset(r->path, 0, (size_t)r->ends * r->lids);
        assert_true(is_cyclic(r));
      }
      drop(t, r);
    }
}

/* Over other groups: (a p)^2 (2 g - 3) flows go between two groups over each cable, with g - 1 LIDs
 * a host and all to all. */
static void a_dragonfly_carries_the_flows_of_its_closed_form_over_other_groups(void **state) {
  (void)state;
  struct loom_topo *t = dragonfly(4, 2, 2, 0);
  struct loom_routing *r = route(t, LOOM_ROUTING_DRAGONFLY_VALIANT);
  struct loom_routing_report report = report_of(r);
  uint32_t cables = 0;
  assert_int_equal(r->lmc, 3);
  for (uint32_t row = 0; row < r->switches; row++)
    for (uint32_t p = 6; p <= 7; p++, cables++)
      assert_int_equal(report.load[row * r->ports + p], 8 * 8 * (2 * 9 - 3));
  assert_int_equal(cables, 9 * 8);
  assert_int_equal(report.unreachable, 0);
  loom_routing_report_free(&report);
  drop(t, r);
}

/* Each group to the next one: the a p hosts of a group share one cable, or all, twice. */
static void groups_that_send_to_the_next_one_have_the_bounds_of_their_cables(void **state) {
  (void)state;
  struct loom_topo *t = dragonfly(4, 2, 2, 0);
  struct loom_routing *r = route(t, LOOM_ROUTING_DRAGONFLY);
  assert_int_equal(busiest_cable(r, 4 * 2, true), 4 * 2);
  loom_routing_destroy(r);
  r = route(t, LOOM_ROUTING_DRAGONFLY_VALIANT);
  assert_int_equal(busiest_cable(r, 4 * 2, true), 2 * 8); /* of 8 LIDs each: 2 hosts' load */
  drop(t, r);
}

/* Ways of packets that may be at a switch, with what they have behind them. */
struct ways {
  const struct loom_routing *r;
  uint32_t lid, ends, choices;
  uint32_t shortest, longest; /* groups */
};

/* Follows all ways from `row`; `inside`: links in this group so far. */
static void follow_ways(struct ways *w, uint32_t row, uint32_t groups, uint32_t inside) {
  const struct loom_routing *r = w->r;
  uint32_t ports[2] = {loom_routing_out(r, row, w->lid), loom_routing_other(r, row, w->lid)};
  assert_true(groups <= 3 && inside <= 1);
  w->choices += ports[1] != 0;
  assert_int_equal(ports[1] && groups > 1, 0); /* only the first group chooses */
  for (unsigned i = 0; i < 2 && ports[i]; i++) {
    uint32_t peer = loom_routing_peer(r, row, ports[i]);
    if (peer == LOOM_TOPO_NONE) {
      w->ends++;
      w->shortest = groups < w->shortest ? groups : w->shortest;
      w->longest = groups > w->longest ? groups : w->longest;
      assert_int_equal(r->row_of[w->lid], LOOM_TOPO_NONE);
      assert_int_equal(loom_routing_port(r, row, ports[i])->device,
                       r->end[r->end_of[w->lid]].device);
      continue;
    }
    bool leaves = place_of(r, peer)[0] != place_of(r, row)[0];
    follow_ways(w, peer, groups + leaves, leaves ? 0 : inside + 1);
  }
}

/* All ways arrive, over one group between at most; where a switch has neither cable, or both, it
 * may take the shortest way or the one over the other group. */
static void ugal_chooses_once_and_arrives_on_both_ways(void **state) {
  (void)state;
  static const uint32_t fly[][4] = {{4, 2, 2, 0}, {2, 1, 1, 0}, {6, 3, 2, 5}, {3, 1, 2, 3}};
  for (size_t i = 0; i < sizeof fly / sizeof fly[0]; i++) {
    struct loom_topo *t = dragonfly(fly[i][0], fly[i][1], fly[i][2], fly[i][3]);
    struct loom_routing *r = route(t, LOOM_ROUTING_DRAGONFLY_UGAL);
    uint32_t both = 0, all = 0;
    for (uint32_t from = 0; from < r->ends; from++)
      for (uint32_t lid = 0; lid < r->lids; lid++) {
        if (r->end_of[lid] == LOOM_TOPO_NONE || r->end_of[lid] == from)
          continue;
        struct ways w = {.r = r, .lid = lid, .shortest = 9};
        follow_ways(&w, loom_routing_leaf(r, from), 1, 0);
        assert_int_equal(w.ends, 1 + w.choices);
        assert_true(w.choices <= 3); /* at the first switch, and at those that it leads to */
        both += w.shortest == 2 && w.longest == 3;
        all += w.shortest != 1;
      }
    /* With 2 switches of a cable each one has the one cable and the other the other. */
    if (fly[i][0] == 2)
      assert_int_equal(both, 0);
    else
      assert_in_range(both, all / 6, all - 1);
    drop(t, r);
  }
}

/* With the layers of ways over other groups, each of which is needed. */
static void ugal_is_acyclic_over_both_ways(void **state) {
  (void)state;
  static const enum loom_routing_avoid avoid[] = {
      LOOM_ROUTING_DATELINE_TURN, LOOM_ROUTING_DATELINE_PATH, LOOM_ROUTING_AVOID_NONE};
  for (size_t a = 0; a < 3; a++) {
    struct loom_topo *t = dragonfly(4, 2, 2, 0);
    struct loom_routing *r =
        route_with(t, LOOM_ROUTING_DRAGONFLY_UGAL,
                   &(struct loom_routing_options){.lmc = LOOM_ROUTING_LMC_AUTO, .avoid = avoid[a]});
    assert_int_equal(r->layers, a < 2 ? 3 : 1);
    assert_int_equal(is_cyclic(r), a == 2);
    struct loom_routing_report report = report_of(r);
    assert_int_equal(report.unreachable, 0);
    loom_routing_report_free(&report);
    if (a == 1) {
      memset(r->path, 0, (size_t)r->ends * r->lids);
      assert_true(is_cyclic(r)); /* the shortest ways alone would not be */
      memset(r->other, 0, (size_t)r->switches * r->lids);
    }
    drop(t, r);
  }
}

/* The check goes over the second port, too: one that leads astray is found, and one that closes a
 * circle. */
static void the_check_goes_over_ways_by_load(void **state) {
  (void)state;
  struct loom_topo *t = dragonfly(4, 2, 2, 0);
  struct loom_routing *r = route(t, LOOM_ROUTING_DRAGONFLY_UGAL);
  uint32_t lid = r->end[r->ends - 1].lid, row = 0;
  while (!loom_routing_other(r, row, lid))
    row++;
  uint8_t *other = &r->other[row * r->lids + lid], kept = *other;
  *other = 1; /* a host of its own */
  struct loom_routing_report report = report_of(r);
  assert_true(report.unreachable > 0);
  loom_routing_report_free(&report);
  *other = kept;
  r->layers = 2;
  assert_true(is_cyclic(r));
  drop(t, r);
}

static void groups_of_two_ports_are_counted_by_their_first_lid(void **state) {
  (void)state;
  uint8_t group[LOOM_TOPO_LID_MAX + 1];
  struct loom_topo *t = dragonfly(4, 2, 2, 0);
  struct loom_routing *r = route(t, LOOM_ROUTING_DRAGONFLY_UGAL);
  for (uint32_t row = 0; row < r->switches; row++) {
    uint32_t groups = loom_routing_pairs(r, row, group), next = 0;
    /* Two of 3 switches of the group in order, or of 2 cables to other groups. */
    assert_int_equal(groups, 3 * 2 + 2);
    for (uint32_t lid = 0; lid < r->lids; lid++) {
      assert_int_equal(group[lid] == LOOM_ROUTING_NO_GROUP, !loom_routing_other(r, row, lid));
      if (group[lid] == LOOM_ROUTING_NO_GROUP)
        continue;
      assert_true(group[lid] <= next);
      next += group[lid] == next;
      for (uint32_t b = 0; b < lid; b++)
        assert_int_equal(group[b] == group[lid],
                         loom_routing_other(r, row, b) == loom_routing_other(r, row, lid) &&
                             loom_routing_out(r, row, b) == loom_routing_out(r, row, lid));
    }
  }
  assert_int_equal(loom_routing_most_groups(r), 8);
  struct loom_routing_error err = {""};
  assert_false(loom_routing_choose_trunk(r, LOOM_ROUTING_TRUNK_FLOW, &err));
  assert_string_equal(err.text, "its groups are of ways by load, and trunks go by LID");
  drop(t, r);
  t = dragonfly(10, 1, 1, 0); /* two of 9 in order */
  const struct loom_routing_options o = {.lmc = LOOM_ROUTING_LMC_AUTO};
  assert_null(loom_routing_make(t, LOOM_ROUTING_DRAGONFLY_UGAL, &o, &err));
  assert_string_equal(err.text, "a switch needs 72 groups of ports, and has 64");
  loom_topo_destroy(t);
}

static void what_is_no_dragonfly_is_refused_with_the_reason(void **state) {
  (void)state;
  assert_refused(torus(4, 4, 4, 1, 1), LOOM_ROUTING_DRAGONFLY,
                 "no dragonfly: \"S0-0-0\" has no group and place in it");
  assert_refused(torus(4, 4, 0, 1, 1), LOOM_ROUTING_DRAGONFLY,
                 "no dragonfly: no cable joins \"S0-0\" and \"S0-2\"");
  struct loom_topo *t = dragonfly(2, 1, 1, 0);
  unplug(t, 6, 3);
  assert_refused(t, LOOM_ROUTING_DRAGONFLY, "no dragonfly: no cable joins groups 0 and 1");
  t = dragonfly(2, 1, 1, 0);
  t->device[8].coord[1] = 1;
  assert_refused(t, LOOM_ROUTING_DRAGONFLY, "no dragonfly: \"S1-1\" has the place of another");
  t = dragonfly(2, 1, 1, 0);
  t->device[8].coord[1] = 2;
  assert_refused(t, LOOM_ROUTING_DRAGONFLY, "no dragonfly: 6 switches do not fill its groups");
}

/* ---- dragonfly+ ------------------------------------------------------------------------------ */

static struct loom_topo *dragonflyplus(uint32_t leaves, uint32_t spines, uint32_t globals,
                                       uint32_t nodes, uint32_t groups) {
  return loom_topo_dragonflyplus_make(&(struct loom_topo_dragonflyplus_cfg){
      .leaves = leaves, .spines = spines, .globals = globals, .nodes = nodes, .groups = groups});
}

static const enum loom_routing_avoid plus_avoid[] = {
    LOOM_ROUTING_DATELINE_TURN, LOOM_ROUTING_DATELINE_PATH, LOOM_ROUTING_AVOID_NONE};

static const uint32_t plus_fly[][5] = {
    {2, 2, 2, 2, 0}, {3, 4, 2, 1, 4}, {1, 2, 3, 2, 0}, {2, 1, 4, 1, 0}, {4, 3, 1, 1, 0}};
enum { PLUS_FLIES = sizeof plus_fly / sizeof plus_fly[0] };

static struct loom_topo *plus_of(size_t i) {
  const uint32_t *f = plus_fly[i];
  return dragonflyplus(f[0], f[1], f[2], f[3], f[4]);
}

/* Shortest ways on one layer. */
static void a_dragonflyplus_needs_one_layer_for_its_shortest_ways(void **state) {
  (void)state;
  for (size_t i = 0; i < PLUS_FLIES; i++)
    for (size_t a = 0; a < 3; a++) {
      struct loom_topo *t = plus_of(i);
      struct loom_routing *r = route_with(t, LOOM_ROUTING_DRAGONFLYPLUS,
                                          &(struct loom_routing_options){.avoid = plus_avoid[a]});
      assert_shortest(r);
      assert_int_equal(r->layers, 1);
      assert_false(is_cyclic(r));
      drop(t, r);
    }
}

/* One of two leaves takes the spine that has no cable to the target's group, and packets go down to
 * the other leaf and up again: a circle, which the check sees. */
static void a_dragonflyplus_that_goes_up_again_is_cyclic(void **state) {
  (void)state;
  struct loom_topo *t = dragonflyplus(2, 2, 1, 1, 0);
  struct loom_routing *r =
      route_with(t, LOOM_ROUTING_DRAGONFLYPLUS, &(struct loom_routing_options){.lmc = 0});
  for (uint32_t row = 0; row < r->switches; row++)
    for (uint32_t e = 0; e < r->ends; e++) {
      const uint32_t *at = place_of(r, row), *to = place_of(r, loom_routing_leaf(r, e));
      uint32_t port = loom_routing_out(r, row, r->end[e].lid);
      if (at[0] != to[0] && !at[1] && port == 2 + at[2]) /* up to the wrong one */
        loom_routing_set(r, row, r->end[e].lid, port ^ 1);
      if (at[0] != to[0] && at[1] && port <= 2) /* from there down to the other leaf */
        loom_routing_set(r, row, r->end[e].lid, 1 + at[2]);
    }
  struct loom_routing_report report = report_of(r);
  assert_int_equal(report.unreachable, 0);
  loom_routing_report_free(&report);
  assert_true(is_cyclic(r));
  drop(t, r);
}

/* All to all: (l p)^2 flows go between two groups over each cable, and l p^2 h from a leaf to a
 * spine on their way there, with as large a part of those to other leaves as to any spine. */
static void a_dragonflyplus_carries_the_flows_of_its_closed_form(void **state) {
  (void)state;
  enum { L = 3, S = 2, H = 2, P = 4 };
  struct loom_topo *t = dragonflyplus(L, S, H, P, 0);
  struct loom_routing *r =
      route_with(t, LOOM_ROUTING_DRAGONFLYPLUS, &(struct loom_routing_options){.lmc = 0});
  struct loom_routing_report report = report_of(r);
  for (uint32_t row = 0; row < r->switches; row++) {
    bool spine = place_of(r, row)[1];
    const uint64_t inside = L * P * P * H + P * P * (L - 1) / S, outside = L * P * L * P;
    for (uint32_t p = spine ? 1 : P + 1; p <= (spine ? L + H : P + S); p++) {
      uint64_t load = report.load[row * r->ports + p];
      assert_int_equal(load, spine && p > L ? outside : inside);
    }
  }
  assert_int_equal(report.unreachable, 0);
  loom_routing_report_free(&report);
  drop(t, r);
}

/* Each LID of a host leads over another group than its own: once over each of them. */
static void a_dragonflyplus_has_a_lid_over_each_other_group(void **state) {
  (void)state;
  for (size_t i = 0; i < PLUS_FLIES; i++) {
    struct loom_topo *t = plus_of(i);
    struct loom_routing *r = route(t, LOOM_ROUTING_DRAGONFLYPLUS_VALIANT);
    uint32_t others = loom_routing_vias(r, true), row[WAY_MAX];
    uint8_t port[WAY_MAX];
    for (uint32_t from = 0; from < r->ends; from++)
      for (uint32_t to = 0; to < r->ends; to++) {
        uint32_t a = place_of(r, loom_routing_leaf(r, from))[0];
        uint32_t b = place_of(r, loom_routing_leaf(r, to))[0], over = 1u << a | 1u << b;
        for (uint32_t lid = 0; lid < others && from != to; lid++) {
          uint32_t steps = loom_routing_walk(r, from, r->end[to].lid + lid, row, port), gates = 0;
          assert_in_range(steps, 1, 7);
          for (uint32_t s = 1; s < steps; s++) {
            over |= 1u << place_of(r, row[s])[0];
            gates += place_of(r, row[s])[0] != place_of(r, row[s - 1])[0];
          }
          assert_in_range(gates, a != b, a == b ? 0 : 2);
        }
        if (from != to && a != b)
          assert_int_equal(over, (2u << others) - 1);
      }
    drop(t, r);
  }
}

/* Two layers by turn, three of two classes by path, for one way and for both. */
static void a_dragonflyplus_needs_layers_over_other_groups(void **state) {
  (void)state;
  for (unsigned ugal = 0; ugal < 2; ugal++)
    for (size_t i = 0; i < PLUS_FLIES; i++)
      for (size_t a = 0; a < 3; a++) {
        struct loom_topo *t = plus_of(i);
        struct loom_routing *r = route_with(
            t, ugal ? LOOM_ROUTING_DRAGONFLYPLUS_UGAL : LOOM_ROUTING_DRAGONFLYPLUS_VALIANT,
            &(struct loom_routing_options){.lmc = LOOM_ROUTING_LMC_AUTO, .avoid = plus_avoid[a]});
        static const uint32_t layers[] = {2, 3, 1}, classes[] = {1, 2, 1};
        assert_int_equal(r->layers, layers[a]);
        assert_int_equal(r->classes, classes[a]);
        assert_int_equal(is_cyclic(r), a == 2);
        if (a == 0) /* they do not go on */
          memset(r->turn, 0, (size_t)r->switches * r->ports * r->ports);
        if (a == 1) /* layers 1 and 2 are one */
          for (size_t k = 0; k < (size_t)r->switches * r->ports * r->ports * r->classes; k++)
            r->layer[k] = r->layer[k] > 0;
        if (a != 1 || i == 1 || i == 2) /* small ones may do without */
          assert_true(is_cyclic(r));
        drop(t, r);
      }
}

/* Over other groups: (l p)^2 (2 g - 3) flows between two groups, with g - 1 LIDs a host. Those that
 * go on in the group between take all its leaves in turns. */
static void a_dragonflyplus_carries_the_flows_of_its_closed_form_over_other_groups(void **state) {
  (void)state;
  enum { L = 4, S = 4, H = 2, P = 2, G = S * H + 1 };
  struct loom_topo *t = dragonflyplus(L, S, H, P, 0);
  struct loom_routing *r = route(t, LOOM_ROUTING_DRAGONFLYPLUS_VALIANT);
  struct loom_routing_report report = report_of(r);
  assert_int_equal(r->lmc, 3);
  uint64_t least = UINT64_MAX, most = 0;
  for (uint32_t row = 0; row < r->switches; row++)
    for (uint32_t p = 1; p <= L + H; p++) {
      uint64_t load = report.load[row * r->ports + p];
      if (place_of(r, row)[1] && p > L)
        assert_int_equal(load, L * P * L * P * (2 * G - 3));
      else if (place_of(r, row)[1]) {
        least = load < least ? load : least;
        most = load > most ? load : most;
      }
    }
  assert_true(least * 4 > most * 3);
  assert_int_equal(report.unreachable, 0);
  loom_routing_report_free(&report);
  drop(t, r);
}

/* Each group to the next one: its l p hosts share one cable, or all, twice. */
static void
groups_of_a_dragonflyplus_that_send_to_the_next_one_have_the_bounds_of_their_cables(void **state) {
  (void)state;
  struct loom_topo *t = dragonflyplus(3, 3, 3, 3, 0);
  struct loom_routing *r = route(t, LOOM_ROUTING_DRAGONFLYPLUS);
  assert_int_equal(busiest_cable(r, 3 * 3, false), 3 * 3);
  loom_routing_destroy(r);
  r = route(t, LOOM_ROUTING_DRAGONFLYPLUS_VALIANT);
  assert_int_equal(r->lmc, 4);
  assert_int_equal(busiest_cable(r, 3 * 3, true), 2 * 16); /* of 16 LIDs each: 2 hosts' load */
  assert_int_equal(busiest_cable(r, 3 * 3, false), 2 * 16);
  drop(t, r);
}

/* Follows all ways of a LID from `row`: how many choices they meet; none has more than `left`
 * switches ahead, and none chooses outside of its first group. */
static uint32_t choices_on(const struct loom_routing *r, uint32_t row, uint32_t lid, uint32_t home,
                           uint32_t left) {
  uint32_t ports[2] = {loom_routing_out(r, row, lid), loom_routing_other(r, row, lid)}, choices = 0;
  assert_true(left > 0);
  assert_false(ports[1] && place_of(r, row)[0] != home);
  for (unsigned i = 0; i < 2 && ports[i]; i++) {
    uint32_t peer = loom_routing_peer(r, row, ports[i]);
    if (peer == LOOM_TOPO_NONE)
      assert_int_equal(loom_routing_port(r, row, ports[i])->device, r->end[r->end_of[lid]].device);
    else
      choices += choices_on(r, peer, lid, home, left - 1);
  }
  return choices + (ports[1] != 0);
}

/* All ways arrive, over 7 switches at most; a leaf chooses between two spines, or one of these
 * between two groups, unless the group of the target or of the way between is its own. */
static void ugal_in_a_dragonflyplus_chooses_in_the_first_group(void **state) {
  (void)state;
  for (size_t i = 0; i < PLUS_FLIES; i++) {
    struct loom_topo *t = plus_of(i);
    struct loom_routing *r = route(t, LOOM_ROUTING_DRAGONFLYPLUS_UGAL);
    uint32_t groups = loom_routing_vias(r, true) + 1;
    for (uint32_t from = 0; from < r->ends; from++)
      for (uint32_t to = 0; to < r->ends; to++) {
        uint32_t leaf = loom_routing_leaf(r, from), a = place_of(r, leaf)[0], chosen = 0;
        for (uint32_t lid = 0; lid < groups - 1 && to != from; lid++)
          chosen += choices_on(r, leaf, r->end[to].lid + lid, a, 7) > 0;
        if (to != from)
          assert_int_equal(chosen, a == place_of(r, loom_routing_leaf(r, to))[0] ? 0 : groups - 2);
      }
    drop(t, r);
  }
}

static void what_is_no_dragonflyplus_is_refused_with_the_reason(void **state) {
  (void)state;
  assert_refused(dragonfly(2, 1, 1, 0), LOOM_ROUTING_DRAGONFLYPLUS,
                 "no Dragonfly+: \"S0-0\" has no group and place in it");
  assert_refused(torus(3, 3, 3, 1, 1), LOOM_ROUTING_DRAGONFLYPLUS,
                 "no Dragonfly+: \"S0-2-0\" has no group and place in it");
  assert_refused(dragonflyplus(2, 2, 1, 1, 0), LOOM_ROUTING_DRAGONFLY,
                 "no dragonfly: \"S0-0-0\" has no group and place in it");
  struct loom_topo *t = dragonflyplus(2, 2, 1, 1, 0); /* 6 hosts; 6, 7 leaves, 8, 9 spines */
  unplug(t, 6, 3);
  assert_refused(t, LOOM_ROUTING_DRAGONFLYPLUS,
                 "no Dragonfly+: no cable joins \"S0-0-0\" and \"S0-1-1\"");
  t = dragonflyplus(2, 2, 1, 1, 0);
  unplug(t, 8, 3);
  assert_refused(t, LOOM_ROUTING_DRAGONFLYPLUS, "no Dragonfly+: no cable joins groups 0 and 1");
  t = dragonflyplus(2, 2, 1, 1, 0);
  t->device[7].coord[2] = 0;
  assert_refused(t, LOOM_ROUTING_DRAGONFLYPLUS,
                 "no Dragonfly+: \"S0-0-1\" has the place of another");
  t = dragonflyplus(2, 2, 1, 1, 0);
  t->device[7].coord[2] = 2;
  assert_refused(t, LOOM_ROUTING_DRAGONFLYPLUS,
                 "no Dragonfly+: 12 switches do not fill its groups");
  t = dragonflyplus(2, 2, 1, 1, 0);
  swap(t, 7, 1, 8, 3); /* its host, and the gate of spine 0 */
  assert_refused(t, LOOM_ROUTING_DRAGONFLYPLUS,
                 "no Dragonfly+: a cable joins \"S0-0-1\" and \"S1-1-1\"");
  t = dragonflyplus(2, 2, 2, 1, 3);
  unplug(t, 1, 1);
  unplug(t, 8, 3);
  assert_true(loom_topo_connect(t, 1, 1, 8, 3));
  assert_refused(t, LOOM_ROUTING_DRAGONFLYPLUS, "no Dragonfly+: spine \"S0-1-0\" has a host");
}

/* ---- Slim Fly -------------------------------------------------------------------------------- */

/* Shortest ways of one cable or two, on two layers; on one they wait in a circle. */
static void a_slim_fly_needs_two_layers_for_its_shortest_ways(void **state) {
  (void)state;
  static const enum loom_routing_avoid avoid[] = {
      LOOM_ROUTING_AVOID_NONE, LOOM_ROUTING_DATELINE_TURN, LOOM_ROUTING_DATELINE_PATH};
  for (size_t a = 0; a < 3; a++)
    for (uint32_t q = 3; q <= 7; q += 2) {
      struct loom_topo *t =
          loom_topo_slimfly_make(&(struct loom_topo_slimfly_cfg){.q = q, .nodes = 2});
      struct loom_routing *r =
          route_with(t, LOOM_ROUTING_SLIMFLY, &(struct loom_routing_options){.avoid = avoid[a]});
      struct loom_routing_report report = report_of(r);
      uint32_t switches = 2 * q * q, degree = (3 * q + (q % 4 == 3)) / 2;
      assert_int_equal(report.unreachable, 0);
      assert_int_equal(report.hops[2], switches * 2);
      assert_int_equal(report.hops[3], switches * degree * 4);
      assert_int_equal(report.hops[4], switches * (switches - 1 - degree) * 4);
      loom_routing_report_free(&report);
      assert_int_equal(r->layers, a ? 2 : 1);
      assert_int_equal(r->classes, 1);
      assert_int_equal(is_cyclic(r), !a);
      if (a == 1) { /* a second cable that stays on the layer */
        memset(r->turn, LOOM_ROUTING_KEEP, (size_t)r->switches * r->ports * r->ports);
        assert_true(is_cyclic(r));
      }
      drop(t, r);
    }
}

/* In the graph of Hoffman and Singleton each way is the only one, so every cable carries as many:
 * p^2 flows of its own switches and 2 * 6 p^2 of those beside them. */
static void the_slim_fly_of_5_carries_as_much_on_each_cable(void **state) {
  (void)state;
  struct loom_topo *t = loom_topo_slimfly_make(&(struct loom_topo_slimfly_cfg){.q = 5, .nodes = 3});
  struct loom_routing *r = route(t, LOOM_ROUTING_SLIMFLY);
  struct loom_routing_report report = report_of(r);
  for (uint32_t row = 0; row < r->switches; row++)
    for (uint32_t p = 4; p <= 10; p++)
      assert_int_equal(report.load[row * r->ports + p], 9 * (1 + 2 * 6));
  loom_routing_report_free(&report);
  drop(t, r);
}

/* Over another switch a way has one cable to four, each on the next layer, and the LIDs of a host
 * go by as many switches as there are. */
static void a_slim_fly_needs_four_layers_over_another_switch(void **state) {
  (void)state;
  for (uint32_t q = 3; q <= 5; q += 2) {
    struct loom_topo *t =
        loom_topo_slimfly_make(&(struct loom_topo_slimfly_cfg){.q = q, .nodes = 2});
    struct loom_routing_options o = {.avoid = LOOM_ROUTING_DATELINE_TURN,
                                     .lmc = LOOM_ROUTING_LMC_AUTO};
    struct loom_routing *r = route_with(t, LOOM_ROUTING_SLIMFLY_VALIANT, &o);
    struct loom_routing_report report = report_of(r);
    assert_int_equal(report.unreachable, 0);
    assert_true(report.hops[4] > 0 && report.hops[6] > 0);
    assert_int_equal(report.hops[7], 0);
    loom_routing_report_free(&report);
    assert_int_equal(r->lmc, q == 3 ? 5 : 6);
    assert_int_equal(r->layers, 4);
    assert_false(is_cyclic(r));
    r->layers = 3; /* the fourth cable on the layer of the third */
    assert_true(is_cyclic(r));
    drop(t, r);
  }
}

/* The first switches that are not their own. Seven of the 50 do not come past it, as the target, or
 * the switch before it on the way from there, stands on theirs: it and its neighbours but one. */
static void a_lid_of_a_slim_fly_goes_over_the_switch_of_its_number(void **state) {
  (void)state;
  struct loom_topo *t = loom_topo_slimfly_make(&(struct loom_topo_slimfly_cfg){.q = 5, .nodes = 2});
  struct loom_routing_options o = {.avoid = LOOM_ROUTING_DATELINE_TURN, .lmc = 1};
  struct loom_routing *r = route_with(t, LOOM_ROUTING_SLIMFLY_VALIANT, &o);
  struct loom_routing_target to;
  for (uint32_t lid = 0; lid < r->lids; lid++) {
    if (!loom_routing_find(r, lid, &to) || !to.port)
      continue;
    uint32_t via = 2 * (to.port - 1) + to.offset, over = 0;
    via += via >= to.row;
    for (uint32_t row = 0; row < r->switches; row++) {
      bool came = row == via;
      for (uint32_t at = row; at != to.row; came = came || at == via)
        at = loom_routing_peer(r, at, loom_routing_out(r, at, lid));
      over += came;
    }
    assert_int_equal(over, 43);
  }
  drop(t, r);
}

static void what_is_no_slim_fly_is_refused_with_the_reason(void **state) {
  (void)state;
  assert_refused(torus(5, 5, 0, 1, 1), LOOM_ROUTING_SLIMFLY_VALIANT,
                 "no Slim Fly: \"S2-1\" and \"S0-0\" are more than two cables apart");
  assert_refused(torus(5, 5, 0, 1, 1), LOOM_ROUTING_SLIMFLY,
                 "no Slim Fly: \"S2-1\" and \"S0-0\" are more than two cables apart");
}

/* ---- up and down ----------------------------------------------------------------------------- */

/* Links from a device to all others. */
static uint32_t *ranks_of(const struct loom_topo *t, uint32_t root) {
  uint32_t *rank = calloc(2 * (size_t)t->devices, sizeof *rank);
  assert_non_null(rank);
  loom_topo_distances(t, root, rank, rank + t->devices);
  return rank;
}

/* No way goes up after it went down; ties of ranks go by the order of switches. */
static void assert_up_down(const struct loom_routing *r, uint32_t root) {
  uint32_t row[WAY_MAX];
  uint8_t port[WAY_MAX];
  uint32_t *rank = ranks_of(r->topo, root);
  for (uint32_t a = 0; a < r->ends; a++)
    for (uint32_t b = 0; b < r->ends; b++) {
      bool down = false;
      if (a == b)
        continue;
      uint32_t steps = loom_routing_walk(r, a, r->end[b].lid, row, port);
      assert_in_range(steps, 1, WAY_MAX);
      for (uint32_t i = 1; i < steps; i++) {
        uint32_t x = rank[r->device[row[i - 1]]];
        uint32_t y = rank[r->device[row[i]]];
        bool up = y < x || (y == x && row[i] < row[i - 1]);
        assert_false(up && down);
        down = !up;
      }
    }
  free(rank);
}

static void up_down_goes_up_and_then_down_on_any_fabric(void **state) {
  (void)state;
  uint64_t seed = 11;
  for (unsigned i = 0; i < 60; i++) {
    struct loom_topo *t = random_fabric(&seed);
    uint32_t root = loom_below(&seed, 2); /* the first switches */
    struct loom_routing *r =
        route_with(t, LOOM_ROUTING_UPDN, &(struct loom_routing_options){.root = &root, .roots = 1});
    assert_up_down(r, root);
    struct loom_routing_report report = report_of(r);
    assert_int_equal(report.unreachable, 0);
    loom_routing_report_free(&report);
    assert_false(is_cyclic(r));
    loom_routing_destroy(r);
    r = route(t, LOOM_ROUTING_UPDN);
    report = report_of(r);
    assert_int_equal(report.unreachable, 0);
    loom_routing_report_free(&report);
    assert_false(is_cyclic(r));
    drop(t, r);
  }
}

static void up_down_reaches_all_pairs_of_every_shape(void **state) {
  (void)state;
  struct loom_topo *list[] = {kns(6, 2, 1, 1),      kns(3, 3, 1, 1),      slim(5),
                              tree(4, 3, 1, false), torus(8, 8, 0, 2, 2), torus(4, 4, 4, 1, 1),
                              tree(3, 3, 2, true),  torus(2, 2, 0, 1, 1), ring()};
  for (size_t i = 0; i < sizeof list / sizeof list[0]; i++) {
    struct loom_routing *r = route(list[i], LOOM_ROUTING_UPDN);
    struct loom_routing_report report = report_of(r);
    assert_int_equal(report.unreachable, 0);
    loom_routing_report_free(&report);
    assert_false(is_cyclic(r));
    drop(list[i], r);
  }
  struct loom_topo *t = tree(4, 3, 1, false); /* the whole top level is root */
  struct loom_routing *r = route(t, LOOM_ROUTING_UPDN);
  assert_shortest(r);
  drop(t, r);
  t = ring();
  uint32_t twice[] = {3, 4, 3};
  struct loom_routing_error err = {""};
  assert_null(loom_routing_make(t, LOOM_ROUTING_UPDN,
                                &(struct loom_routing_options){.root = twice, .roots = 3}, &err));
  assert_string_equal(err.text, "\"s0\" is a root twice");
  twice[1] = 0;
  assert_null(loom_routing_make(t, LOOM_ROUTING_UPDN,
                                &(struct loom_routing_options){.root = twice, .roots = 2}, &err));
  assert_string_equal(err.text, "device 0 is no switch and so no root");
  loom_topo_destroy(t);
}

/* KN-08: no other root has a smaller largest load than the best, and half have one than the median.
 */
static void up_down_takes_the_best_or_the_median_root(void **state) {
  (void)state;
  struct loom_topo *list[] = {kns(4, 2, 1, 1), slim(4), ring()};
  for (size_t i = 0; i < sizeof list / sizeof list[0]; i++) {
    struct loom_topo *t = list[i];
    uint64_t load[2];
    uint32_t below[2] = {0, 0}, switches = 0;
    for (unsigned c = 0; c < 2; c++) {
      struct loom_routing *r =
          route_with(t, LOOM_ROUTING_UPDN,
                     &(struct loom_routing_options){.choose = c ? LOOM_ROUTING_CHOOSE_MEDIAN
                                                                : LOOM_ROUTING_CHOOSE_BEST});
      struct loom_routing_report report = report_of(r);
      assert_int_equal(report.unreachable, 0);
      assert_false(is_cyclic(r));
      load[c] = report.load_max;
      loom_routing_report_free(&report);
      loom_routing_destroy(r);
    }
    for (uint32_t d = 0; d < t->devices; d++) {
      if (t->device[d].kind != LOOM_TOPO_SWITCH)
        continue;
      struct loom_routing *r =
          route_with(t, LOOM_ROUTING_UPDN, &(struct loom_routing_options){.root = &d, .roots = 1});
      struct loom_routing_report report = report_of(r);
      for (unsigned c = 0; c < 2; c++)
        below[c] += report.load_max < load[c];
      switches++;
      loom_routing_report_free(&report);
      loom_routing_destroy(r);
    }
    assert_int_equal(below[0], 0);
    assert_in_range(below[1], 0, (switches - 1) / 2);
    assert_true(load[0] <= load[1]);
    loom_topo_destroy(t);
  }
}

/* ---- shortest paths -------------------------------------------------------------------------- */

static void min_hop_takes_shortest_paths_and_may_deadlock(void **state) {
  (void)state;
  uint64_t seed = 17;
  for (unsigned i = 0; i < 30; i++) {
    struct loom_topo *t = random_fabric(&seed);
    struct loom_routing *r = route_with(
        t, LOOM_ROUTING_MINHOP, &(struct loom_routing_options){.lmc = loom_below(&seed, 3)});
    assert_shortest(r);
    drop(t, r);
  }
  struct loom_topo *t = kns(6, 2, 1, 1); /* it must fail here */
  struct loom_routing *r = route(t, LOOM_ROUTING_MINHOP);
  struct loom_routing_cycle cycle;
  assert_shortest(r);
  assert_true(loom_routing_find_cycle(r, &cycle));
  assert_is_cycle(r, &cycle);
  loom_routing_cycle_free(&cycle);
  drop(t, r);
  t = slim(4);
  r = route(t, LOOM_ROUTING_MINHOP);
  assert_false(is_cyclic(r));
  drop(t, r);
}

/* ---- layers by path: LASH and DFSSSP --------------------------------------------------------- */

static const enum loom_routing_engine layered[] = {LOOM_ROUTING_LASH, LOOM_ROUTING_DFSSSP};

static struct loom_routing *route_layered(const struct loom_topo *t, enum loom_routing_engine e,
                                          enum loom_routing_cover cover, uint32_t vls) {
  return route_with(t, e, &(struct loom_routing_options){.cover = cover, .vls = vls});
}

/* Dependencies between channels, (row * ports + port) * layers + layer, a bit each. */
struct waits {
  size_t channels;
  bool *wait;
  uint32_t *waiting; /* by channel: for how many others */
};

/* Adds those of a path. */
static void add_waits(struct waits *w, const struct loom_routing *r, uint32_t end, uint32_t lid) {
  uint32_t row[WAY_MAX];
  uint8_t port[WAY_MAX];
  uint32_t class = loom_routing_class(r, end, lid);
  uint32_t steps = loom_routing_walk(r, end, lid, row, port);
  size_t last = SIZE_MAX;
  for (uint32_t i = 0; i < steps && joins_switches(r, row[i], port[i]); i++) {
    size_t turn = ((size_t)row[i] * r->ports + 1) * r->ports + port[i];
    size_t at = ((size_t)row[i] * r->ports + port[i]) * r->layers +
                (r->layering == LOOM_ROUTING_LAYER_PATH ? r->layer[turn * r->classes + class] : 0);
    if (last != SIZE_MAX && !w->wait[last * w->channels + at]) {
      w->wait[last * w->channels + at] = true;
      w->waiting[last]++;
    }
    last = at;
  }
}

/* Takes away channels that wait for none, as long as there are any: are some left? */
static bool some_wait_for_ever(struct waits *w) {
  size_t left = w->channels;
  for (bool any = true; any;) {
    any = false;
    for (size_t c = 0; c < w->channels; c++) {
      if (w->waiting[c])
        continue;
      w->waiting[c] = UINT32_MAX; /* gone */
      left--;
      any = true;
      for (size_t from = 0; from < w->channels; from++)
        if (w->wait[from * w->channels + c] && w->waiting[from] != UINT32_MAX)
          w->waiting[from]--;
    }
  }
  return left != 0;
}

/* Paths from hosts can deadlock, those to switches counted; without the help of the checker. */
static bool can_deadlock(const struct loom_routing *r) {
  struct waits w = {.channels = (size_t)r->switches * r->ports * r->layers};
  w.wait = calloc(w.channels * w.channels, sizeof *w.wait);
  w.waiting = calloc(w.channels, sizeof *w.waiting);
  assert_true(w.wait && w.waiting);
  for (uint32_t e = 0; e < r->ends; e++)
    for (uint32_t lid = 0; lid < r->lids; lid++)
      add_waits(&w, r, e, lid);
  bool result = some_wait_for_ever(&w);
  free(w.wait);
  free(w.waiting);
  return result;
}

/* KN-08: on any fabric. */
static void lash_and_dfsssp_take_shortest_paths_and_cannot_deadlock(void **state) {
  (void)state;
  uint64_t seed = 23;
  struct loom_topo *list[] = {kns(6, 2, 1, 1),
                              kns(3, 3, 2, 1),
                              kns(3, 2, 1, 2),
                              slim(4),
                              slim(5),
                              tree(3, 3, 2, true),
                              torus(5, 5, 0, 1, 1),
                              ring(),
                              torus(4, 4, 0, 3, 2),
                              scramble(kns(4, 2, 1, 1), &seed)};
  for (size_t i = 0; i < sizeof list / sizeof list[0] + 20; i++) {
    bool listed = i < sizeof list / sizeof list[0];
    struct loom_topo *t = listed ? list[i] : random_fabric(&seed);
    for (unsigned e = 0; e < 4; e++) {
      enum loom_routing_cover cover = e < 2 ? LOOM_ROUTING_COVER_HOSTS : LOOM_ROUTING_COVER_ALL;
      struct loom_routing *r = route_with(
          t, layered[e % 2],
          &(struct loom_routing_options){.cover = cover, .lmc = listed ? 0 : loom_below(&seed, 3)});
      assert_shortest(r);
      assert_int_equal(r->layering, LOOM_ROUTING_LAYER_PATH);
      assert_int_equal(r->classes, r->layers);
      assert_false(is_cyclic(r));
      if (cover == LOOM_ROUTING_COVER_ALL)
        assert_false(can_deadlock(r));
      loom_routing_destroy(r);
    }
    loom_topo_destroy(t);
  }
}

/* What OpenSM 3.3.23 says that it needs, counted as it counts (tb/peer/opensm), and what hosts
 * alone need. */
static void the_layers_are_as_many_as_those_of_opensm(void **state) {
  (void)state;
  const struct {
    struct loom_topo *topo;
    uint32_t all[2], hosts[2];
  } list[] = {{kns(6, 2, 1, 1), {4, 4}, {1, 2}},
              {kns(4, 3, 1, 1), {11, 8}, {1, 5}},
              {kns(4, 2, 1, 1), {4, 2}, {1, 2}},
              {kns(3, 3, 1, 1), {8, 5}, {1, 3}},
              {slim(4), {3, 1}, {1, 1}},
              {slim(5), {3, 1}, {1, 1}},
              {torus(4, 4, 0, 1, 1), {2, 3}, {2, 3}},
              {torus(5, 5, 0, 1, 1), {3, 4}, {3, 3}}};
  for (size_t i = 0; i < sizeof list / sizeof list[0]; i++) {
    for (unsigned e = 0; e < 2; e++) {
      struct loom_routing *r = route_layered(list[i].topo, layered[e], LOOM_ROUTING_COVER_ALL, 0);
      assert_int_equal(r->layers, list[i].all[e]);
      loom_routing_destroy(r);
      r = route_layered(list[i].topo, layered[e], LOOM_ROUTING_COVER_HOSTS, 0);
      assert_int_equal(r->layers, list[i].hosts[e]);
      loom_routing_destroy(r);
    }
    loom_topo_destroy(list[i].topo);
  }
}

static void without_its_layers_a_layered_routing_has_the_cycle_back(void **state) {
  (void)state;
  static const uint8_t same[LOOM_ROUTING_VLS] = {0};
  for (unsigned e = 0; e < 2; e++) {
    struct loom_topo *t = torus(5, 5, 0, 1, 1);
    struct loom_routing *r = route_layered(t, layered[e], LOOM_ROUTING_COVER_HOSTS, 0);
    assert_false(is_cyclic(r));
    loom_routing_map_classes(r, same);
    assert_true(is_cyclic(r));
    assert_true(can_deadlock(r));
    drop(t, r);
  }
}

/* KN-08. */
static void lash_has_the_same_layer_there_and_back(void **state) {
  (void)state;
  struct loom_topo *t = torus(5, 5, 0, 2, 1);
  struct loom_routing *r = route_layered(t, LOOM_ROUTING_LASH, LOOM_ROUTING_COVER_HOSTS, 5);
  bool used[5] = {false};
  for (uint32_t a = 0; a < r->ends; a++)
    for (uint32_t b = 0; b < r->ends; b++) {
      uint32_t class = loom_routing_class(r, a, r->end[b].lid);
      assert_int_equal(class, loom_routing_class(r, b, r->end[a].lid));
      used[class] = true;
    }
  for (unsigned i = 0; i < 5; i++)
    assert_true(used[i]);
  drop(t, r);
}

/* Paths between hosts of different switches, by class. */
static void count_classes(const struct loom_routing *r, uint32_t count[LOOM_ROUTING_VLS]) {
  for (uint32_t a = 0; a < r->ends; a++)
    for (uint32_t b = 0; b < r->ends; b++)
      if (a != b)
        count[loom_routing_class(r, a, r->end[b].lid)]++;
}

/* KN-08: LASH evens out all layers; DFSSSP splits them, so that none has more than the largest
 * needs. Hosts inject on the lane of the path. */
static void paths_are_spread_over_the_lanes_that_there_are(void **state) {
  (void)state;
  for (unsigned e = 0; e < 2; e++) {
    struct loom_topo *t = kns(6, 2, 1, 1);
    struct loom_routing *r = route_layered(t, layered[e], LOOM_ROUTING_COVER_ALL, 8);
    uint32_t count[LOOM_ROUTING_VLS] = {0};
    assert_int_equal(r->layers, 8);
    assert_false(is_cyclic(r));
    assert_false(can_deadlock(r));
    count_classes(r, count);
    for (unsigned i = 0; i < 8; i++) {
      assert_int_equal(r->inject[i], i);
      assert_in_range(count[i], e ? 0 : 156, e ? 217 : 158); /* of 1260 */
    }
    drop(t, r);
  }
}

/* One lane less than the routing needs. */
static void too_few_lanes_are_refused(void **state) {
  (void)state;
  static const char *const text[] = {"lash: 3 VLs do not suffice", "dfsssp: 3 VLs do not suffice"};
  struct loom_topo *t = kns(6, 2, 1, 1);
  for (unsigned e = 0; e < 2; e++) {
    struct loom_routing_error err = {""};
    assert_null(loom_routing_make(
        t, layered[e], &(struct loom_routing_options){.vls = 3, .cover = LOOM_ROUTING_COVER_ALL},
        &err));
    assert_string_equal(err.text, text[e]);
    drop(NULL, route_layered(t, layered[e], LOOM_ROUTING_COVER_ALL, 4));
  }
  loom_topo_destroy(t);
}

/* SLs are four bits wide. */
static void a_torus_of_five_dimensions_has_too_many_path_classes(void **state) {
  (void)state;
  struct loom_topo *t = loom_topo_create(64, 64 * 8);
  struct loom_routing_error err = {""};
  for (uint32_t i = 0; i < 32; i++) {
    const uint32_t at[] = {i & 1, i >> 1 & 1, i >> 2 & 1, i >> 3 & 1, i >> 4 & 1};
    loom_topo_place(t, loom_topo_add(t, LOOM_TOPO_SWITCH, 6, "s%u", (unsigned)i), 5, at);
  }
  for (uint32_t i = 0; i < 32; i++) {
    loom_topo_connect(t, loom_topo_add(t, LOOM_TOPO_HCA, 1, "h%u", (unsigned)i), 1, i, 6);
    for (uint32_t d = 0; d < 5; d++)
      if (!(i >> d & 1))
        loom_topo_connect(t, i, d + 1, i | 1u << d, d + 1);
  }
  loom_topo_number(t);
  assert_null(loom_routing_make(
      t, LOOM_ROUTING_DOR,
      &(struct loom_routing_options){.lmc = 0, .avoid = LOOM_ROUTING_DATELINE_PATH}, &err));
  assert_string_equal(err.text, "5 dimensions need more than 16 path classes");
  drop(t, route(t, LOOM_ROUTING_DOR));
}

/* ---- flow level ------------------------------------------------------------------------------ */

struct worth {
  uint64_t load;
  double one_way;
  double both;
};

/* Destroys both. */
static struct worth worth_of(struct loom_topo *t, struct loom_routing *r) {
  struct loom_routing_report report = report_of(r);
  struct worth w = {.load = report.load_max,
                    .one_way = loom_routing_bisection(r, LOOM_ROUTING_BISECT, 2000, 1),
                    .both = loom_routing_bisection(r, LOOM_ROUTING_EXCHANGE, 2000, 1)};
  loom_routing_report_free(&report);
  drop(t, r);
  return w;
}

static void assert_near(double value, double wanted, double tolerance) {
  assert_true(value > wanted - tolerance && value < wanted + tolerance);
}

/* KN-09, and what OpenSM's engines measured. */
static void the_effective_bandwidth_is_that_of_opensms_engines(void **state) {
  (void)state;
  struct loom_topo *t = kns(6, 2, 1, 1);
  struct worth hdor = worth_of(t, route(t, LOOM_ROUTING_HDOR));
  assert_int_equal(hdor.load, 30);
  assert_near(hdor.one_way, 0.838, 0.005);
  assert_near(hdor.both, 0.700, 0.005);
  t = kns(6, 2, 1, 1);
  struct worth minhop = worth_of(t, route(t, LOOM_ROUTING_MINHOP));
  assert_int_equal(minhop.load, 51);
  assert_near(minhop.both, 0.550, 0.005);
  t = kns(6, 2, 1, 1);
  struct worth updn = worth_of(t, route(t, LOOM_ROUTING_UPDN));
  assert_int_equal(updn.load, 180);
  assert_near(updn.both, 0.253, 0.01);
  t = kns(6, 2, 1, 1);
  struct worth lash = worth_of(t, route(t, LOOM_ROUTING_LASH));
  assert_int_equal(lash.load, 30);
  assert_near(lash.both, 0.700, 0.005);
  t = kns(6, 2, 1, 1);
  struct worth dfsssp =
      worth_of(t, route_layered(t, LOOM_ROUTING_DFSSSP, LOOM_ROUTING_COVER_ALL, 0));
  assert_int_equal(dfsssp.load, 39);
  assert_near(dfsssp.both, 0.623, 0.005);
  t = slim(4);
  struct worth ftree = worth_of(t, route(t, LOOM_ROUTING_FTREE));
  assert_near(ftree.one_way, 0.667, 0.005);
  assert_true(ftree.one_way < hdor.one_way && updn.one_way < minhop.one_way &&
              minhop.one_way < hdor.one_way);
}

/* Two hosts at one switch, alone: nobody shares; four at two, one cable between: all may. */
static void hosts_that_share_nothing_have_the_whole_bandwidth(void **state) {
  (void)state;
  struct loom_topo *t = tree(2, 1, 1, false);
  struct loom_routing *r = route(t, LOOM_ROUTING_MINHOP);
  assert_near(loom_routing_bisection(r, LOOM_ROUTING_EXCHANGE, 10, 1), 1, 1e-9);
  loom_routing_set(r, 0, 1, LOOM_ROUTING_UNREACHABLE);
  assert_near(loom_routing_bisection(r, LOOM_ROUTING_EXCHANGE, 10, 1), 0.5, 1e-9);
  drop(t, r);
}

/* ---- size ------------------------------------------------------------------------------------ */

static void a_tree_of_2744_hosts_is_routed_and_checked(void **state) {
  (void)state;
  struct loom_topo *t = tree(14, 3, 1, false);
  struct loom_routing *r = route(t, LOOM_ROUTING_FTREE);
  struct loom_routing_report report = report_of(r);
  assert_int_equal(report.pairs, 2744 * 2743);
  assert_int_equal(report.unreachable, 0);
  assert_int_equal(report.load_max, 2730); /* 14 hosts of a leaf to 2730 others, over 14 ports */
  loom_routing_report_free(&report);
  assert_false(is_cyclic(r));
  loom_routing_destroy(r);
  for (unsigned e = 0; e < 2; e++) {
    r = route(t, layered[e]);
    assert_int_equal(r->layers, 1);
    loom_routing_destroy(r);
  }
  loom_topo_destroy(t);
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_lid_has_an_owner_shifted_by_the_lmc),
      cmocka_unit_test(fabrics_that_cannot_be_routed_are_refused),
      cmocka_unit_test(tables_that_go_round_a_ring_have_a_cycle),
      cmocka_unit_test(layers_break_the_cycle_of_a_ring),
      cmocka_unit_test(a_packet_to_the_other_port_of_its_hca_is_lost),
      cmocka_unit_test(ports_in_two_rails_are_no_pairs),
      cmocka_unit_test(hops_and_loads_of_a_kns_have_their_closed_forms),
      cmocka_unit_test(hybrid_dor_takes_dimension_0_first),
      cmocka_unit_test(hybrid_dor_reaches_every_lid_from_every_device),
      cmocka_unit_test(a_kns_is_found_whatever_its_cabling_and_order),
      cmocka_unit_test(a_kns_names_its_switches_and_routers),
      cmocka_unit_test(a_fabric_that_is_no_kns_is_refused_with_the_reason),
      cmocka_unit_test(what_is_taken_for_a_kns_is_one),
      cmocka_unit_test(the_hosts_of_each_row_of_a_kns_have_all_vls),
      cmocka_unit_test(a_kns_of_several_stages_is_found_whatever_its_cabling),
      cmocka_unit_test(a_kns_of_full_stages_loads_its_cables_evenly),
      cmocka_unit_test(a_kns_of_several_stages_names_its_switches),
      cmocka_unit_test(a_network_that_is_no_fat_tree_is_refused_with_the_reason),
      cmocka_unit_test(what_is_taken_for_a_kns_of_stages_delivers_and_cannot_deadlock),
      cmocka_unit_test(a_fat_tree_goes_up_by_the_digits_of_the_host),
      cmocka_unit_test(a_fat_tree_reaches_every_lid_from_every_device),
      cmocka_unit_test(a_fat_tree_loads_its_links_evenly),
      cmocka_unit_test(slimmed_and_federated_trees_are_routed_too),
      cmocka_unit_test(a_fabric_that_is_no_fat_tree_is_refused_with_the_reason),
      cmocka_unit_test(valiant_goes_up_uniformly_to_every_root),
      cmocka_unit_test(one_lane_of_a_torus_can_deadlock_and_a_dateline_cannot),
      cmocka_unit_test(without_one_crossing_of_the_dateline_the_cycle_is_back),
      cmocka_unit_test(layers_of_a_torus_change_at_its_datelines_only),
      cmocka_unit_test(dimension_order_corrects_dimension_0_first),
      cmocka_unit_test(dimension_order_loads_the_cables_of_a_trunk_evenly),
      cmocka_unit_test(ties_that_all_go_up_load_the_cables_up_more),
      cmocka_unit_test(rings_with_bubbles_have_no_cycle),
      cmocka_unit_test(a_trunk_is_loaded_by_lid_by_flow_or_by_load),
      cmocka_unit_test(ways_by_flow_take_the_cables_that_are_counted),
      cmocka_unit_test(a_circle_over_other_cables_than_the_named_ones_is_found),
      cmocka_unit_test(a_trunk_whose_cables_have_different_layers_is_refused),
      cmocka_unit_test(lids_of_one_host_take_different_cables_of_a_trunk),
      cmocka_unit_test(a_fabric_that_is_no_torus_is_refused_with_the_reason),
      cmocka_unit_test(meshes_and_hyperx_need_one_layer),
      cmocka_unit_test(a_mesh_with_a_turn_back_is_cyclic),
      cmocka_unit_test(a_hyperx_without_a_cable_is_refused),
      cmocka_unit_test(a_hyperx_by_load_has_two_ways_in_each_dimension),
      cmocka_unit_test(a_hyperx_by_load_needs_two_layers),
      cmocka_unit_test(a_hyperx_by_load_offers_what_there_are_groups_for),
      cmocka_unit_test(switches_that_send_to_the_next_one_have_the_bounds_of_their_cables),
      cmocka_unit_test(grids_go_over_every_other_switch_without_a_circle),
      cmocka_unit_test(switches_all_joined_carry_the_flows_of_the_closed_form_over_others),
      cmocka_unit_test(ways_over_other_switches_have_layers_by_path_in_a_hyperx_only),
      cmocka_unit_test(an_xgft_is_routed_by_ftree_on_one_layer),
      cmocka_unit_test(a_dragonfly_needs_two_layers_for_its_shortest_ways),
      cmocka_unit_test(a_dragonfly_that_stays_on_its_layer_behind_its_cables_is_cyclic),
      cmocka_unit_test(a_dragonfly_carries_the_flows_of_its_closed_form),
      cmocka_unit_test(hosts_of_a_dragonfly_take_cables_in_turn),
      cmocka_unit_test(a_dragonfly_has_a_lid_over_each_other_group),
      cmocka_unit_test(a_dragonfly_needs_three_layers_over_other_groups),
      cmocka_unit_test(a_dragonfly_carries_the_flows_of_its_closed_form_over_other_groups),
      cmocka_unit_test(groups_that_send_to_the_next_one_have_the_bounds_of_their_cables),
      cmocka_unit_test(ugal_chooses_once_and_arrives_on_both_ways),
      cmocka_unit_test(ugal_is_acyclic_over_both_ways),
      cmocka_unit_test(the_check_goes_over_ways_by_load),
      cmocka_unit_test(groups_of_two_ports_are_counted_by_their_first_lid),
      cmocka_unit_test(what_is_no_dragonfly_is_refused_with_the_reason),
      cmocka_unit_test(a_dragonflyplus_needs_one_layer_for_its_shortest_ways),
      cmocka_unit_test(a_dragonflyplus_that_goes_up_again_is_cyclic),
      cmocka_unit_test(a_dragonflyplus_carries_the_flows_of_its_closed_form),
      cmocka_unit_test(a_dragonflyplus_has_a_lid_over_each_other_group),
      cmocka_unit_test(a_dragonflyplus_needs_layers_over_other_groups),
      cmocka_unit_test(a_dragonflyplus_carries_the_flows_of_its_closed_form_over_other_groups),
      cmocka_unit_test(
          groups_of_a_dragonflyplus_that_send_to_the_next_one_have_the_bounds_of_their_cables),
      cmocka_unit_test(ugal_in_a_dragonflyplus_chooses_in_the_first_group),
      cmocka_unit_test(what_is_no_dragonflyplus_is_refused_with_the_reason),
      cmocka_unit_test(a_slim_fly_needs_two_layers_for_its_shortest_ways),
      cmocka_unit_test(the_slim_fly_of_5_carries_as_much_on_each_cable),
      cmocka_unit_test(a_slim_fly_needs_four_layers_over_another_switch),
      cmocka_unit_test(a_lid_of_a_slim_fly_goes_over_the_switch_of_its_number),
      cmocka_unit_test(what_is_no_slim_fly_is_refused_with_the_reason),
      cmocka_unit_test(up_down_goes_up_and_then_down_on_any_fabric),
      cmocka_unit_test(up_down_reaches_all_pairs_of_every_shape),
      cmocka_unit_test(up_down_takes_the_best_or_the_median_root),
      cmocka_unit_test(min_hop_takes_shortest_paths_and_may_deadlock),
      cmocka_unit_test(lash_and_dfsssp_take_shortest_paths_and_cannot_deadlock),
      cmocka_unit_test(the_layers_are_as_many_as_those_of_opensm),
      cmocka_unit_test(without_its_layers_a_layered_routing_has_the_cycle_back),
      cmocka_unit_test(lash_has_the_same_layer_there_and_back),
      cmocka_unit_test(paths_are_spread_over_the_lanes_that_there_are),
      cmocka_unit_test(too_few_lanes_are_refused),
      cmocka_unit_test(a_torus_of_five_dimensions_has_too_many_path_classes),
      cmocka_unit_test(the_effective_bandwidth_is_that_of_opensms_engines),
      cmocka_unit_test(hosts_that_share_nothing_have_the_whole_bandwidth),
      cmocka_unit_test(a_tree_of_2744_hosts_is_routed_and_checked),
  };
  return UNIT_RUN("routing", tests, NULL, NULL);
}

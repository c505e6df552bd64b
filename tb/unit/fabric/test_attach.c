/* SPDX-License-Identifier: Apache-2.0 */
/* Circuits beside twins, as whoever builds a fabric sees them: which switches are handed over,
 * when, and what becomes of a refusal (docs/cosim.md). */
#include "tb/unit/unit.h"

#include <stdlib.h>
#include <string.h>

#include "fabric/elite5_class.h"
#include "run/build.h"
#include "run/read_fabric.h"

static const char elite5[] = "---\n"
                             "name: e\n"
                             "topology: {kind: tree, k: 16, n: 2, top: 4, hosted: 8}\n"
                             "switch: {kind: elite5}\n"
                             "classes: [{name: A, sl: 0, mtu: 1024}]\n"
                             "traffic: [{class: A, pattern: uniform, size: 8, load: 0.5}]\n"
                             "shadow: [S1-1, S0-2]\n"
                             "...\n";

static const char ib[] = "---\n"
                         "name: t\n"
                         "topology: {kind: tree, k: 2, n: 2}\n"
                         "switch: {kind: ib, scheduler: rr}\n"
                         "classes: [{name: A, sl: 0, vl: 0, mtu: 256}]\n"
                         "traffic: [{class: A, pattern: uniform, size: 256, load: 0.5}]\n"
                         "shadow: [S1-1, S0-0]\n"
                         "...\n";

/* ---- what is handed over --------------------------------------------------------------------- */

struct seen {
  bool refuses, stopped;
  uint32_t count;
  char name[2][8];
  uint32_t number[2];
  uint32_t links, nodes; /* parameters of an Elite5 router */
  /* The last router, in whose place the test stands. */
  struct loom_fabric *fabric;
  struct loom_elite5_router *twin;
  uint64_t before; /* its edges while links come up */
  uint64_t edges;  /* and after that */
  uint64_t now;    /* cycle of the last of them */
};

static void look_on(void *device, uint64_t now, const struct loom_fabric_arrival *in,
                    const struct loom_fabric_show *show) {
  struct seen *s = device;
  uint64_t cycle = loom_fabric_cycle(s->fabric);
  loom_elite5_router_class.step(s->twin, now, in, show);
  if (cycle == LOOM_FABRIC_BEFORE) {
    s->before++;
    return;
  }
  s->edges++;
  s->now = cycle;
}

static bool never_sleeps(const void *device) {
  (void)device;
  return false;
}

static const struct loom_fabric_class looking_class = {.name = "looking",
                                                       .ports = LOOM_ELITE5_LINKS,
                                                       .wires = true,
                                                       .spared = loom_elite5_is_spared,
                                                       .step = look_on,
                                                       .sleeps = never_sleeps};

/* Takes the place of a router; of two it leaves that of the first again. */
static void take_place(struct seen *s, const struct loom_shadow_switch *from) {
  const struct loom_elite5_router_cfg *cfg = from->cfg;
  if (s->twin)
    loom_fabric_replace(s->fabric, s->number[0], &loom_elite5_router_class, s->twin);
  s->links = cfg->LINKS;
  s->nodes = cfg->DESTS;
  s->fabric = from->fabric;
  s->twin = loom_fabric_device(from->fabric, from->device);
  loom_fabric_replace(from->fabric, from->device, &looking_class, s);
}

static bool attach(void *context, const struct loom_shadow_switch *from, char *why, size_t size) {
  struct seen *s = context;
  assert_in_range(s->count, 0, 1);
  if (from->device_class == &loom_elite5_router_class)
    take_place(s, from);
  snprintf(s->name[s->count], sizeof s->name[0], "%s", from->name);
  s->number[s->count++] = from->device;
  snprintf(why, size, "it does not fit");
  return !s->refuses;
}

static bool stopped(void *context) {
  const struct seen *s = context;
  return s->stopped;
}

static void receive(void *context, const struct loom_message *message, bool damaged) {
  (void)context;
  (void)message;
  (void)damaged;
}

/* ---- building -------------------------------------------------------------------------------- */

struct bench {
  struct loom_spec setup;
  struct loom_shadow shadow;
  struct loom_plan *plan;
  struct loom_built *built;   /* NULL: refused, */
  struct loom_plan_error err; /* and why */
};

/* Without circuits if `seen` is NULL. */
static struct bench *open_bench(const char *text, struct seen *seen) {
  struct bench *b = calloc(1, sizeof *b);
  struct loom_source src;
  struct loom_error err = {.line = ""};
  assert_non_null(b);
  assert_true(loom_source_copy(&src, "f", text, strlen(text)));
  assert_true(loom_read_fabric(&b->setup, &src, &err));
  loom_source_free(&src);
  b->plan = loom_plan_create(&b->setup, &b->err);
  assert_non_null(b->plan);
  b->shadow = (struct loom_shadow){.attach = attach, .stopped = stopped, .context = seen};
  const struct loom_build_cfg cfg = {
      .plan = b->plan, .seed = 1, .receive = receive, .shadow = seen ? &b->shadow : NULL};
  b->built = loom_build(&cfg, &b->err);
  return b;
}

static void close_bench(struct bench *b) {
  loom_built_destroy(b->built);
  loom_plan_destroy(b->plan);
  loom_spec_free(&b->setup);
  free(b);
}

/* ---- tests ----------------------------------------------------------------------------------- */

static void switches_are_handed_over_in_the_order_of_the_fabric(void **state) {
  (void)state;
  struct seen seen = {.count = 0};
  struct bench *b = open_bench(ib, &seen);
  assert_non_null(b->built);
  assert_int_equal(seen.count, 2);
  assert_string_equal(seen.name[0], "S0-0");
  assert_string_equal(seen.name[1], "S1-1");
  assert_int_equal(seen.number[1], 3);
  close_bench(b);
}

/* Four leaves, and two routers with eight top switches each (E5-23). */
static void routers_are_handed_over_before_the_fabric_stands(void **state) {
  (void)state;
  struct seen seen = {.count = 0};
  struct bench *b = open_bench(elite5, &seen);
  assert_non_null(b->built);
  assert_int_equal(seen.count, 2);
  assert_string_equal(seen.name[0], "S0-2");
  assert_int_equal(seen.number[0], 2);
  assert_string_equal(seen.name[1], "S1-1");
  assert_int_equal(seen.number[1], 5);
  assert_int_equal(seen.links, 32);
  assert_int_equal(seen.nodes, 64);
  assert_true(seen.before > 0);
  assert_int_equal(seen.edges, 0);
  close_bench(b);
}

/* The fabric's cycles are counted from 0, when links are up. A router that never sleeps does them
 * all, also those over which an idle fabric leaps. */
static void each_edge_has_its_cycle_counted_from_0(void **state) {
  (void)state;
  struct seen seen = {.count = 0};
  struct bench *b = open_bench(elite5, &seen);
  struct loom_network n = loom_built_network(b->built);
  uint64_t before = seen.before;
  n.step(n.context);
  assert_int_equal(seen.now, 0);
  n.step(n.context);
  assert_int_equal(seen.now, 1);
  assert_true(n.quiet(n.context));
  n.advance(n.context, 100);
  n.step(n.context);
  assert_int_equal(seen.now, 100);
  assert_int_equal(seen.edges, 101);
  assert_int_equal(seen.before, before);
  close_bench(b);
}

static void a_difference_stops_the_run(void **state) {
  (void)state;
  static const char *const texts[] = {ib, elite5};
  for (size_t i = 0; i < 2; i++) {
    struct seen seen = {.count = 0};
    struct bench *b = open_bench(texts[i], &seen);
    struct loom_network n = loom_built_network(b->built);
    assert_false(n.stopped(n.context));
    seen.stopped = true;
    assert_true(n.stopped(n.context));
    close_bench(b);
  }
}

static void assert_refused(const char *text, struct seen *seen, const char *why) {
  struct bench *b = open_bench(text, seen);
  assert_null(b->built);
  assert_int_equal(b->err.status, 2);
  assert_string_equal(b->err.key, "shadow");
  assert_string_equal(b->err.text, why);
  close_bench(b);
}

static void a_refused_attachment_names_the_switch_and_the_reason(void **state) {
  (void)state;
  struct seen seen[2] = {{.refuses = true}, {.refuses = true}};
  assert_refused(ib, &seen[0], "S0-0: it does not fit");
  assert_refused(elite5, &seen[1], "S0-2: it does not fit");
  assert_refused(ib, NULL, "S0-0: this command was built without circuits");
  assert_refused(elite5, NULL, "S0-2: this command was built without circuits");
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(switches_are_handed_over_in_the_order_of_the_fabric),
      cmocka_unit_test(routers_are_handed_over_before_the_fabric_stands),
      cmocka_unit_test(each_edge_has_its_cycle_counted_from_0),
      cmocka_unit_test(a_difference_stops_the_run),
      cmocka_unit_test(a_refused_attachment_names_the_switch_and_the_reason),
  };
  return UNIT_RUN("attach", tests, NULL, NULL);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Twins below the agents of a subnet (docs/ibsim.md): what is set stands in their registers, what
 * they count is read, and packets go where the tables say. */
#include "tb/unit/unit.h"

#include <stdio.h>
#include <string.h>

#include <loom/switch_registers.h>

#include "fabric/managed_class.h"
#include "ibsim/agents.h"
#include "ibsim/living.h"
#include "run/edited_spec.h"
#include "run/managed.h"
#include "sched/sched_ibarb.h"
#include "sched/sched_table.h"

enum { HOSTS = 4, UP = 3, OTHER_UP = 4 };

/* A tree of 4 hosts: two leaves of ports 1, 2 down and 3, 4 up, two tops of ports 1, 2. */
static const char file[] = "---\n"
                           "name: living\n"
                           "topology: {kind: tree, k: 2, n: 2}\n"
                           "switch: {kind: ib, scheduler: ibarb,\n"
                           "  parameters: {CELLS_IN: 64, CELLS_OUT: 64}}\n"
                           "host: {buffer: 4096}\n"
                           "high: [{vl: 0, weight: 4}, {vl: 1, weight: 4}]\n"
                           "limit: 3\n"
                           "classes:\n"
                           "  - {name: A, sl: 0, vl: 0, mtu: 256}\n"
                           "  - {name: B, sl: 1, vl: 1, mtu: 256}\n"
                           "traffic:\n"
                           "  - {class: A, pattern: uniform, size: 256, load: 0.2, process: cbr}\n"
                           "  - {class: B, pattern: uniform, size: 256, load: 0.1, process: cbr}\n"
                           "run: {warmup: 0, measure: 100, drain: 9000, seeds: 1, seed: 1}\n"
                           "...\n";

struct bench {
  struct loom_edited_spec *config;
  struct loom_plan *plan;
  struct loom_living *living;
  struct loom_subnet *subnet;
  const struct loom_topo *topo;
};

/* With messages of the second class of so many bytes, and results or not. */
static void begin_noted(struct bench *b, const char *size, bool noted) {
  const struct loom_edit edits[] = {{.path = "traffic[1].size", .value = size},
                                    {.path = "run.stats", .value = "[links, times]"}};
  struct loom_source src;
  struct loom_error err = {.line = ""};
  struct loom_plan_error refused = {.status = 0};
  assert_true(loom_source_copy(&src, "living.yaml", file, sizeof file - 1));
  b->config = loom_edited_spec_take(&src, edits, noted ? 2 : 1, &err);
  assert_string_equal(err.line, "");
  b->plan = loom_plan_create(&b->config->spec, &refused);
  assert_non_null(b->plan);
  b->living = loom_living_create(b->plan, noted, &refused);
  assert_string_equal(refused.text, "");
  b->subnet = loom_living_subnet(b->living);
  b->topo = b->plan->topo;
}

static void begin_with(struct bench *b, const char *size) { begin_noted(b, size, false); }

static void begin(struct bench *b) { begin_with(b, "256"); }

static void end(struct bench *b) {
  loom_living_destroy(b->living);
  loom_plan_destroy(b->plan);
  loom_edited_spec_free(b->config);
}

static void set(struct bench *b, uint32_t device, uint32_t attribute, uint32_t modifier,
                uint8_t *data) {
  const struct loom_agent_call call = {
      .subnet = b->subnet, .at = {device, 1}, .set = true, .modifier = modifier};
  assert_int_equal(loom_agent_of_subnet(attribute)(&call, data), LOOM_STATUS_GOOD);
}

static uint32_t leaf_of(const struct bench *b, uint32_t lid) {
  for (uint32_t h = 0; h < HOSTS; h++)
    if (b->plan->lid[h] == lid)
      return loom_topo_port(b->topo, b->plan->host[h].device, b->plan->host[h].port)->device;
  return LOOM_TOPO_NONE;
}

/* The port of a switch to a device; 0: none. */
static uint32_t port_to(const struct bench *b, uint32_t d, uint32_t device) {
  for (uint32_t port = 1; port <= b->topo->device[d].ports; port++)
    if (loom_topo_port(b->topo, d, port)->device == device)
      return port;
  return 0;
}

static uint32_t device_of(const struct bench *b, uint32_t lid) {
  for (uint32_t h = 0; h < HOSTS; h++)
    if (b->plan->lid[h] == lid)
      return b->plan->host[h].device;
  return LOOM_TOPO_NONE;
}

/* Tables that go up by this port of each leaf. */
static void route(struct bench *b, uint32_t up) {
  for (uint32_t d = 0; d < b->topo->devices; d++) {
    uint8_t block[LOOM_SMP_BYTES];
    memset(block, LOOM_SUBNET_NOWHERE, sizeof block);
    for (uint32_t h = 0; h < HOSTS && loom_subnet_is_switch(b->subnet, d); h++) {
      uint32_t lid = b->plan->lid[h], leaf = leaf_of(b, lid), out = up;
      if (port_to(b, d, leaf))
        out = port_to(b, d, leaf);
      else if (leaf == d)
        out = port_to(b, d, device_of(b, lid));
      block[lid] = (uint8_t)out;
    }
    if (loom_subnet_is_switch(b->subnet, d))
      set(b, d, LOOM_ATTRIBUTE_LINEAR, 0, block);
  }
}

static void activate(struct bench *b) {
  for (uint32_t d = 0; d < b->topo->devices; d++)
    for (uint32_t port = 1; port <= b->topo->device[d].ports; port++)
      for (uint32_t state = LOOM_PORT_ARMED; state <= LOOM_PORT_ACTIVE; state++) {
        uint8_t info[LOOM_SMP_BYTES];
        memcpy(info, loom_subnet_port(b->subnet, d, port)->info, sizeof info);
        if (loom_subnet_state(b->subnet, d, port) == LOOM_PORT_DOWN)
          continue;
        loom_mad_put(info, LOOM_PORT_STATE, state);
        loom_mad_put(info, LOOM_PORT_PHYSICAL, 0);
        set(b, d, LOOM_ATTRIBUTE_PORT_INFO, port, info);
      }
}

static uint32_t a_leaf(const struct bench *b) { return leaf_of(b, b->plan->lid[0]); }

static uint64_t sum(struct bench *b, enum loom_subnet_counter counter, bool hosts) {
  uint64_t all = 0;
  for (uint32_t d = 0; d < b->topo->devices; d++)
    for (uint32_t port = 1; port <= b->topo->device[d].ports; port++)
      if (hosts != loom_subnet_is_switch(b->subnet, d))
        all += loom_subnet_counts(b->subnet, d, port)[counter];
  return all;
}

/* So many cycles, and if traffic begins, so many of it. */
static void run_for(struct bench *b, uint64_t cycles) {
  bool begun = loom_living_counts(b->living).begun;
  loom_living_run(b->living, cycles);
  if (!begun && loom_living_counts(b->living).begun)
    loom_living_run(b->living, cycles);
}

/* ---- tests ----------------------------------------------------------------------------------- */

static void traffic_waits_until_the_subnet_is_up(void **state) {
  struct bench b;
  (void)state;
  begin(&b);
  run_for(&b, 3000);
  assert_false(loom_living_counts(b.living).begun);
  route(&b, UP);
  run_for(&b, 3000);
  assert_false(loom_living_counts(b.living).begun);
  activate(&b);
  run_for(&b, 3000);
  loom_living_drain(b.living, 9000);
  struct loom_living_counts c = loom_living_counts(b.living);
  assert_true(c.begun && c.sent > 50);
  assert_int_equal(c.delivered, c.sent);
  assert_int_equal(c.overtaken + c.lost + c.unsent, 0);
  assert_true(loom_living_rests(b.living));
  end(&b);
}

static void counters_are_those_of_the_twins(void **state) {
  struct bench b;
  (void)state;
  begin(&b);
  route(&b, UP);
  activate(&b);
  run_for(&b, 5000);
  loom_living_drain(b.living, 9000);
  uint64_t sent = loom_living_counts(b.living).sent;
  assert_int_equal(sum(&b, LOOM_COUNT_XMIT_PACKETS, true), sent);
  assert_int_equal(sum(&b, LOOM_COUNT_RCV_PACKETS, true), sent);
  assert_int_equal(sum(&b, LOOM_COUNT_XMIT_DATA, true), 64 * sent); /* 32 flits of two words */
  assert_int_equal(sum(&b, LOOM_COUNT_RCV_PACKETS, false), sum(&b, LOOM_COUNT_XMIT_PACKETS, false));
  uint32_t out = loom_switch_window(LOOM_SWITCH_REG_PORTS, UP - 1) + LOOM_SWITCH_WIN_OUT_PACKETS;
  uint64_t by_lanes = (uint64_t)loom_managed_ask(loom_living_managed(b.living), a_leaf(&b), out) +
                      loom_managed_ask(loom_living_managed(b.living), a_leaf(&b), out + 1);
  assert_int_equal(loom_subnet_counts(b.subnet, a_leaf(&b), UP)[LOOM_COUNT_XMIT_PACKETS], by_lanes);
  assert_int_not_equal(by_lanes, 0);
  end(&b);
}

/* Of a register of each port of all switches. */
static uint64_t sum_of_ports(struct bench *b, uint32_t reg) {
  uint64_t all = 0;
  for (uint32_t d = 0; d < b->topo->devices; d++)
    for (uint32_t port = 0; loom_subnet_is_switch(b->subnet, d) && port < b->topo->device[d].ports;
         port++)
      all += loom_managed_ask(loom_living_managed(b->living), d,
                              loom_switch_window(LOOM_SWITCH_REG_PORTS, port) + reg);
  return all;
}

/* Of a cable that is cut all that comes to it is lost, each packet once, until the tables lead
 * around it; its credits are not lost, so it carries again when it is joined. */
static void assert_nothing_lost(const char *size) {
  struct bench b;
  begin_with(&b, size);
  route(&b, UP);
  activate(&b);
  run_for(&b, 3000);
  assert_true(loom_subnet_join(b.subnet, a_leaf(&b), UP, false));
  run_for(&b, 40000); /* more packets than the buffers behind have units */
  struct loom_living_counts cut = loom_living_counts(b.living);
  assert_true(cut.lost > 10);
  route(&b, OTHER_UP);
  run_for(&b, 1000);
  struct loom_living_counts around = loom_living_counts(b.living);
  run_for(&b, 3000);
  struct loom_living_counts later = loom_living_counts(b.living);
  assert_int_equal(later.lost, around.lost);
  assert_true(later.delivered > around.delivered + 50);
  assert_true(loom_subnet_join(b.subnet, a_leaf(&b), UP, true));
  activate(&b);
  route(&b, UP);
  run_for(&b, 3000);
  loom_living_drain(b.living, 9000);
  struct loom_living_counts last = loom_living_counts(b.living);
  assert_int_equal(last.lost, around.lost);
  assert_int_equal(last.sent, last.delivered + last.lost);
  assert_int_equal(sum(&b, LOOM_COUNT_XMIT_DISCARDS, true) +
                       sum(&b, LOOM_COUNT_XMIT_DISCARDS, false),
                   last.lost);
  /* No more credits came back than were spent. */
  assert_int_equal(sum_of_ports(&b, LOOM_SWITCH_WIN_FAR_ERRORS), 0);
  assert_int_equal(sum_of_ports(&b, LOOM_SWITCH_WIN_LINK_ERRORS), 0);
  end(&b);
}

/* Packets of full units, and some that end within one. */
static void assert_event(const struct loom_report_event *e, uint64_t from, uint64_t to,
                         const char *what, const char *where) {
  assert_in_range(e->cycle, from, to);
  assert_string_equal(e->what, what);
  assert_string_equal(e->where, where);
}

/* Results have the messages of the traffic, and a cut, the first table after it, a cable that is
 * joined; what was written before traffic began is no event. */
static void results_have_the_traffic_and_what_happened(void **state) {
  (void)state;
  struct bench b;
  struct loom_point point;
  uint32_t events = 0;
  char where[LOOM_TOPO_NAME + 12];
  begin_noted(&b, "256", true);
  uint32_t leaf = a_leaf(&b);
  snprintf(where, sizeof where, "%s/%d", b.topo->device[leaf].name, UP);
  route(&b, UP);
  activate(&b);
  run_for(&b, 3000);
  uint64_t began = loom_living_counts(b.living).cycles;
  assert_true(loom_subnet_join(b.subnet, leaf, UP, false));
  run_for(&b, 1000);
  route(&b, OTHER_UP);
  run_for(&b, 1000);
  assert_true(loom_subnet_join(b.subnet, leaf, UP, true));
  run_for(&b, 500);
  loom_living_drain(b.living, 9000);
  const struct loom_living_counts last = loom_living_counts(b.living);
  assert_true(loom_living_point(b.living, &point));
  const struct loom_report_event *event = loom_living_events(b.living, &events);
  assert_int_equal(events, 3);
  assert_event(&event[0], began, began, "cut", where);
  assert_event(&event[1], began + 1000, began + 1000, "tables",
               b.topo->device[b.plan->row[0]].name);
  assert_event(&event[2], began + 2000, began + 2000, "join", where);
  assert_int_equal(point.result.outcome, LOOM_OUTCOME_DONE);
  assert_int_equal(point.result.posted, last.sent);
  assert_int_equal(point.result.received, last.delivered);
  assert_int_equal(loom_point_lost(&point), last.lost);
  assert_in_range(point.result.metrics[2].messages, last.delivered - 8, last.delivered);
  assert_int_equal(point.result.measured, began + 2500);
  assert_true(point.result.cycles >= point.result.measured);
  loom_point_free(&point);
  end(&b);
}

static void nothing_is_lost_around_a_cut(void **state) {
  (void)state;
  assert_nothing_lost("256");
  assert_nothing_lost("200");
}

static void a_port_that_goes_down_or_up_changes_no_other(void **state) {
  (void)state;
  static struct loom_managed_switch m;
  loom_managed_turn(&m, 1, false);
  loom_managed_turn(&m, 3, false);
  assert_int_equal(m.down, 1 << 1 | 1 << 3);
  loom_managed_turn(&m, 1, true);
  assert_int_equal(m.down, 1 << 3);
}

static void writes_that_were_freed_do_not_wait_any_more(void **state) {
  (void)state;
  static struct loom_managed_switch m;
  for (uint32_t round = 0; round < 2; round++) {
    for (uint32_t i = 0; i < 100; i++)
      assert_true(loom_managed_write(&m, i, i));
    assert_int_equal(m.count, 100);
    loom_managed_free(&m);
    assert_int_equal(m.count, 0);
  }
}

static void tables_that_are_set_stand_in_registers(void **state) {
  struct bench b;
  uint8_t data[LOOM_SMP_BYTES] = {0x11, 0x1F}; /* SLs 0, 1, 2 on VL 1; 3 is lost */
  (void)state;
  begin(&b);
  uint32_t leaf = a_leaf(&b), at = loom_switch_window(LOOM_SWITCH_REG_PORTS, 0);
  const struct loom_managed *m = loom_living_managed(b.living);
  assert_int_equal(loom_mad_get(loom_subnet_port(b.subnet, leaf, 1)->info, LOOM_PORT_VL_CAP), 2);
  assert_int_equal(b.subnet->node[leaf].sl2vl[(3 * 5 + 1) * 8] & 15, 1); /* of the file: SL 1 */
  set(&b, leaf, LOOM_ATTRIBUTE_SL2VL, 1 << 8 | UP, data);
  uint8_t low[LOOM_SMP_BYTES] = {1, 9}, high[LOOM_SMP_BYTES] = {1, 7, 0, 5};
  set(&b, leaf, LOOM_ATTRIBUTE_VLARB, 1 << 16 | 1, low);
  set(&b, leaf, LOOM_ATTRIBUTE_VLARB, 3 << 16 | 1, high);
  run_for(&b, 2000);
  uint32_t map = at + LOOM_SWITCH_WIN_MAP + 32 * (UP - 1);
  static const uint8_t want[] = {1, 1, 1, 15};
  for (uint32_t sl = 0; sl < 4; sl++)
    assert_int_equal(loom_managed_ask(m, leaf, map + sl), want[sl]);
  uint32_t table = at + LOOM_SWITCH_WIN_TABLE;
  assert_int_equal(loom_managed_ask(m, leaf, table), loom_sched_entry(1, 7));
  assert_int_equal(loom_managed_ask(m, leaf, table + 1), loom_sched_entry(0, 5));
  assert_int_equal(loom_managed_ask(m, leaf, table + LOOM_IBARB_REG_LOW), loom_sched_entry(1, 9));
  assert_int_equal(loom_managed_ask(m, leaf, table + LOOM_IBARB_REG_LIMIT), 3);
  assert_int_equal(loom_managed_ask(m, leaf, at + LOOM_SWITCH_WIN_HOLD), 0);
  route(&b, UP);
  run_for(&b, 2000);
  for (uint32_t h = 0; h < HOSTS; h++)
    assert_int_equal(loom_managed_ask(m, leaf, LOOM_SWITCH_REG_LFT + b.plan->lid[h]),
                     b.subnet->node[leaf].linear[b.plan->lid[h]] - 1u);
  end(&b);
}

/* A manager may give hosts other LIDs than the file's. */
static void hosts_take_their_lids_from_the_manager(void **state) {
  struct bench b;
  (void)state;
  begin(&b);
  for (uint32_t h = 0; h < HOSTS; h++) {
    uint8_t info[LOOM_SMP_BYTES];
    const struct loom_plan_host *at = &b.plan->host[h];
    memcpy(info, loom_subnet_port(b.subnet, at->device, at->port)->info, sizeof info);
    loom_mad_put(info, LOOM_PORT_LID, 40 + h);
    loom_mad_put(info, LOOM_PORT_STATE, LOOM_PORT_KEEP);
    set(&b, at->device, LOOM_ATTRIBUTE_PORT_INFO, at->port, info);
    assert_int_equal(b.plan->lid[h], 40 + h);
  }
  route(&b, UP);
  activate(&b);
  run_for(&b, 3000);
  loom_living_drain(b.living, 9000);
  struct loom_living_counts c = loom_living_counts(b.living);
  assert_true(c.sent > 50);
  assert_int_equal(c.sent, c.delivered);
  end(&b);
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(traffic_waits_until_the_subnet_is_up),
      cmocka_unit_test(counters_are_those_of_the_twins),
      cmocka_unit_test(nothing_is_lost_around_a_cut),
      cmocka_unit_test(results_have_the_traffic_and_what_happened),
      cmocka_unit_test(a_port_that_goes_down_or_up_changes_no_other),
      cmocka_unit_test(writes_that_were_freed_do_not_wait_any_more),
      cmocka_unit_test(tables_that_are_set_stand_in_registers),
      cmocka_unit_test(hosts_take_their_lids_from_the_manager),
  };
  return UNIT_RUN("living", tests, NULL, NULL);
}

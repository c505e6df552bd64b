/* SPDX-License-Identifier: Apache-2.0 */
/* The fabric file and the sweep file: what is read of them, what is refused and where, plans that
 * cannot be, changed copies (docs/fabric.md). */
#include "tb/unit/unit.h"

#include <stdlib.h>
#include <string.h>

#include "io/read_sweep.h"
#include "run/edited_spec.h"
#include "run/read_fabric.h"
#include "run/register_writes.h"
#include <loom/switch_registers.h>

static const char ib[] =
    "---\n"
    "name: t\n"
    "topology: {kind: torus, size: 3x2, nodes: 1}\n"
    "routing: {engine: dor}\n"
    "switch:\n"
    "  kind: ib\n"
    "  stages: A\n"
    "  scheduler: ibarb\n"
    "  parameters: {ENTRIES: 32, CELLS_IN: 64}\n"
    "link: {latency: 2, host_latency: 3, bit_errors: 0.001}\n"
    "host: {buffer: 4096}\n"
    "classes:\n"
    "  - {name: A, sl: 0, vls: [0, 1], mtu: 256}\n"
    "  - {name: B, sl: 4, vls: [2, 3], mtu: 128}\n"
    "vls:\n"
    "  - {vl: 0, reserved: 512, max: 2048}\n"
    "high: [{vl: 0, weight: 4}, {sl: 4, weight: 9}]\n"
    "low: [{vl: 1, weight: 1}]\n"
    "limit: 3\n"
    "mode: deficit\n"
    "low_grant: packet\n"
    "traffic:\n"
    "  - {class: A, pattern: uniform, size: 256, load: 0.25}\n"
    "  - {class: B, pattern: hotspot, size: 128, load: 0.1, heat: 0.5, targets: [0, 3], process: "
    "bursts, burst: 2}\n"
    "run: {warmup: 10, measure: 20, drain: 30, seeds: 2, seed: 7, interval: 5, watchdog: 60}\n"
    "...\n";

static const char opa[] = "---\n"
                          "name: o\n"
                          "topology: {file: x.net}\n"
                          "switch: {kind: opa, central: least}\n"
                          "classes: [{name: A, sl: 1, scs: [2, 3], vls: [0, 1], mtu: 64}]\n"
                          "table: [{sl: 1, weight: 4}]\n"
                          "traces: [{file: x.vef, class: A}]\n"
                          "...\n";

static const char e5[] = "---\n"
                         "name: e\n"
                         "topology: {kind: qsnet3, nodes: 64}\n"
                         "switch: {kind: elite5}\n"
                         "classes: [{name: A, sl: 3, mtu: 1024}]\n"
                         "traffic: [{class: A, pattern: shift, size: 8, load: 1}]\n"
                         "...\n";

static const char kns[] = "---\n"
                          "name: k\n"
                          "topology: {kind: kns, k: 2, n: 2}\n"
                          "switch: {kind: kns, scheduler: rr}\n"
                          "classes: [{name: A, sl: 0, vl: 0, mtu: 64}]\n"
                          "traffic: [{class: A, pattern: ptrans, size: 64, load: 1, grid: 2x2}]\n"
                          "...\n";

static const char drr[] = "---\n"
                          "name: d\n"
                          "topology: {kind: torus, size: 3x2}\n"
                          "switch: {kind: crossbar, scheduler: drr}\n"
                          "table: [{vl: 0, weight: 4}, {vl: 1, weight: 9}]\n"
                          "classes: [{name: A, sl: 0, vls: [0, 1], mtu: 64}]\n"
                          "traffic: [{class: A, pattern: uniform, size: 64, load: 1}]\n"
                          "...\n";

static const char scfq[] = "---\n"
                           "name: d\n"
                           "topology: {kind: torus, size: 3x2}\n"
                           "switch: {kind: crossbar, scheduler: scfq}\n"
                           "table: [{vl: 0, weight: 6}, {vl: 1, weight: 9}]\n"
                           "classes: [{name: A, sl: 0, vls: [0, 1], mtu: 64}]\n"
                           "traffic: [{class: A, pattern: uniform, size: 64, load: 1}]\n"
                           "...\n";

/* ---- helpers --------------------------------------------------------------------------------- */

/* `text` with the first `from` in it replaced; the caller's. */
static char *replaced(const char *text, const char *from, const char *to) {
  const char *at = strstr(text, from);
  assert_non_null(at);
  size_t size = strlen(text) + strlen(to) + 1;
  char *made = malloc(size);
  assert_non_null(made);
  snprintf(made, size, "%.*s%s%s", (int)(at - text), text, to, at + strlen(from));
  return made;
}

static bool read_text(struct loom_spec *s, const char *text, struct loom_error *err) {
  struct loom_source src;
  assert_true(loom_source_copy(&src, "f", text, strlen(text)));
  bool ok = loom_read_fabric(s, &src, err);
  loom_source_free(&src);
  return ok;
}

static struct loom_spec *read_good(const char *text) {
  struct loom_spec *s = malloc(sizeof *s);
  struct loom_error err = {.line = ""};
  assert_non_null(s);
  bool ok = read_text(s, text, &err);
  assert_string_equal(err.line, "");
  assert_true(ok);
  return s;
}

static void drop(struct loom_spec *s) {
  loom_spec_free(s);
  free(s);
}

static uint32_t parameter(const struct loom_spec *s, const char *name) {
  return loom_parameter_value(&s->parameters, s->kind, name);
}

/* ---- reading --------------------------------------------------------------------------------- */

static void a_fabric_file_says_the_shape_and_its_routing(void **state) {
  (void)state;
  struct loom_spec *s = read_good(ib);
  assert_string_equal(s->name, "t");
  assert_int_equal(s->shape.kind, LOOM_SHAPE_TORUS);
  assert_int_equal(s->shape.dims, 2);
  assert_int_equal(s->shape.size[1], 2);
  assert_int_equal(s->engine, LOOM_ROUTING_DOR);
  assert_int_equal(s->avoid, LOOM_ROUTING_DATELINE_PATH);
  drop(s);
}

static void a_fabric_file_says_the_parameters_of_its_devices(void **state) {
  (void)state;
  struct loom_spec *s = read_good(ib);
  assert_int_equal(parameter(s, "ROUTING_CYCLES"), 32);
  assert_int_equal(parameter(s, "BUFFER_CYCLES"), 50);
  assert_int_equal(parameter(s, "ALLOCATION_CYCLES"), 8);
  assert_int_equal(parameter(s, "CELLS_IN"), 64);
  assert_int_equal(parameter(s, "CELLS_OUT"), 1792);
  assert_int_equal(parameter(s, "VLS"), 5);
  assert_int_equal(parameter(s, "SCHED"), 3);
  assert_int_equal(s->latency, 2);
  assert_int_equal(s->host_latency, 3);
  assert_int_equal(s->bit_errors, 1000000000);
  assert_int_equal(s->host_units, 64);
  assert_int_equal(s->classes, 2);
  assert_int_equal(s->traffic_class[1].vl[1], 3);
  assert_int_equal(s->traffic_class[1].mtu, 16);
  assert_true(s->share[0].reserved_given && s->share[0].reserved == 8 && s->share[0].most == 32);
  drop(s);
}

/* An entry of an SL stands for one of each VL of its class where switches arbitrate VLs. */
static void an_entry_of_an_sl_stands_for_each_vl_of_its_class(void **state) {
  (void)state;
  static const struct loom_spec_entry high[] = {{0, 4}, {2, 9}, {3, 9}};
  struct loom_spec *s = read_good(ib);
  assert_int_equal(s->tables.high_count, 3);
  assert_memory_equal(s->tables.high, high, sizeof high);
  assert_int_equal(s->tables.low_count, 1);
  assert_int_equal(s->tables.limit, 3);
  assert_int_equal(s->tables.mode, 3);
  drop(s);
  s = read_good(opa);
  assert_int_equal(s->tables.high_count, 1);
  assert_int_equal(s->tables.high[0].key, 1);
  drop(s);
}

static void a_fabric_file_says_what_is_sent_and_for_how_long(void **state) {
  (void)state;
  struct loom_spec *s = read_good(ib);
  assert_int_equal(s->offers, 2);
  assert_int_equal(s->offer[0].cfg.flits, 32);
  assert_int_equal(s->offer[0].cfg.load, 250000000);
  assert_int_equal(s->offer[1].cfg.burst, 2);
  assert_int_equal(s->offer[1].cfg.pattern.heat, 500000);
  assert_int_equal(s->offer[1].targets[1], 3);
  assert_int_equal(s->run.warmup, 10);
  assert_int_equal(s->run.seeds, 2);
  assert_int_equal(s->run.watchdog, 60);
  drop(s);
  s = read_good(kns);
  assert_int_equal(s->offer[0].cfg.pattern.size[1], 2);
  drop(s);
}

/* What a trace says of its hosts, of messages within one, of collectives and flags. */
static void a_trace_says_its_mapping_collectives_and_flags(void **state) {
  (void)state;
  struct loom_spec *s = read_good(opa);
  const struct loom_spec_trace *t = &s->trace[0];
  assert_int_equal(t->intra, LOOM_VEF_INTRA_ONE);
  assert_int_equal(t->collectives, LOOM_VEF_DOUBLING);
  assert_false(t->strip);
  assert_int_equal(s->run.cycle_ps, 0);
  drop(s);
  static const struct {
    const char *keys;
    enum loom_vef_intra intra;
    uint32_t mapping;
  } cases[] = {
      {"names: n, intra: {latency: 7}", LOOM_VEF_INTRA_LATENCY, LOOM_SPEC_NAMES},
      {"names: n, mapping: linear", LOOM_VEF_INTRA_ONE, LOOM_VEF_MAP_LINEAR},
      {"intra: {bandwidth: 7}", LOOM_VEF_INTRA_BANDWIDTH, LOOM_VEF_MAP_BLOCK},
      {"intra: {table: l}", LOOM_VEF_INTRA_TABLE, LOOM_VEF_MAP_BLOCK},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    char keys[200];
    snprintf(keys, sizeof keys,
             "class: A, start: 9, collectives: ring, triggers: strip, %s}]\nrun: {cycle: 640}",
             cases[i].keys);
    char *text = replaced(opa, "class: A}]", keys);
    s = read_good(text);
    t = &s->trace[0];
    assert_int_equal(t->intra, cases[i].intra);
    assert_int_equal(t->mapping, cases[i].mapping);
    assert_int_equal(t->latency + t->bandwidth, strchr(cases[i].keys, '7') ? 7 : 0);
    assert_string_equal(t->names, strstr(cases[i].keys, "names") ? "n" : "");
    assert_string_equal(t->table, strstr(cases[i].keys, "table") ? "l" : "");
    assert_int_equal(t->collectives, LOOM_VEF_RING);
    assert_true(t->strip);
    assert_int_equal(t->start, 9);
    assert_int_equal(s->run.cycle_ps, 640);
    drop(s);
    free(text);
  }
}

/* A run with traces ends with them and has no warm-up unless the file says so. */
static void a_run_with_traces_has_no_warm_up_unless_the_file_says_so(void **state) {
  (void)state;
  struct loom_spec *s = read_good(e5);
  assert_int_equal(s->offer[0].cfg.flits, 2);
  assert_int_equal(s->run.warmup, 10000);
  assert_int_equal(s->run.measure, 20000);
  assert_false(s->run.until_replayed);
  drop(s);
  s = read_good(opa);
  assert_true(s->run.until_replayed);
  assert_int_equal(s->run.warmup, 0);
  assert_int_equal(s->trace[0].mapping, LOOM_VEF_MAP_BLOCK);
  drop(s);
}

/* ---- refusals -------------------------------------------------------------------------------- */

/* What a change of a good file leads to. */
struct refusal {
  const char *text, *from, *to, *line;
};

static const struct refusal refusals[] = {
    {ib, "name: t\n", "", "f:2: name: missing key"},
    {ib, "name: t", "name: \"\\x07\"", "f:2: name: has a character that is not plain"},
    {ib, "size: 3x2", "size: 3x2x2x2",
     "f:3: topology.size: `3x2x2x2` is not like 8x8 or 8x8x4, from 2 on"},
    {ib, "size: 3x2, ", "", "f:3: topology.size: missing key: a torus needs it"},
    {ib, "size: 3x2", "k: 2", "f:3: topology.k: is no number of a torus"},
    {ib, "size: 3x2", "size: 3x2, k: 2", "f:3: topology.k: is no number of a torus"},
    {ib, "nodes: 1", "nodes: 0", "f:3: topology.nodes: 0 is outside 1..1000000000"},
    {ib, "kind: torus", "kind: ring",
     "f:3: topology.kind: `ring` is none of tree, xgft, slim, torus, mesh, hyperx, dragonfly, "
     "dragonflyplus, slimfly, kns, qsnet3"},
    {ib, "kind: torus", "file: a, kind: torus",
     "f:3: topology.file: give a kind or a file, not both"},
    {ib, "topology: {kind: torus, size: 3x2, nodes: 1}", "topology: {file: a, nodes: 1}",
     "f:3: topology.nodes: means nothing for a file"},
    {ib, "topology: {kind: torus, size: 3x2, nodes: 1}\n", "", "f:1: topology: missing key"},
    {ib, "nodes: 1", "nodes: 1, full: true", "f:3: topology.full: means nothing for a torus"},
    {ib, "{engine: dor}", "{engine: dor, lfts: a}",
     "f:4: routing.lfts: give an engine or a file, not both"},
    {ib, "{engine: dor}", "{engine: dor, path_records: a}",
     "f:4: routing.path_records: belongs to tables from a file: lfts"},
    {opa, "switch: {kind: opa", "routing: {lfts: a, path_records: b}\nswitch: {kind: opa",
     "f:4: routing.path_records: opa finds layers by turn (SC2SC), not by path"},
    {ib, "limit: 3", "limit: 3\nopensm: a", "f:20: opensm: not together with high, low and limit"},
    {kns, "classes:", "opensm: a\nclasses:", "f:5: opensm: scheduler rr does not have it"},
    {kns, "switch: {kind: kns, scheduler: rr}",
     "switch: {kind: kns_crossbar, parameters: {ROUTE: 1}}",
     "f:4: switch.parameters.ROUTE: follows from the fabric and cannot be given (docs/fabric.md)"},
    {kns, "switch: {kind: kns, scheduler: rr}",
     "routing: {engine: updn}\nswitch: {kind: kns_crossbar, scheduler: rr}",
     "f:4: routing.engine: kns devices know only hdor"},
    {kns, "switch: {kind: kns, scheduler: rr}",
     "switch: {kind: kns, scheduler: ibarb, parameters: {ARB_KEY: 1}}\nopensm: a",
     "f:5: opensm: the switches arbitrate SLs (ARB_KEY 1)"},
    {e5, "classes:", "opensm: a\nclasses:", "f:5: opensm: elite5 has no tables"},
    {ib, "{engine: dor}", "{engine: astar}",
     "f:4: routing.engine: `astar` is none of minhop, updn, ftree, valiant, dor, hdor, lash, "
     "dfsssp, dragonfly, dragonfly-valiant, "
     "dragonfly-ugal, slimfly, dor-valiant, dragonflyplus, dragonflyplus-valiant, "
     "dragonflyplus-ugal, slimfly-valiant, dor-ugal"},
    {ib, "{engine: dor}", "{engine: updn, layering: path}",
     "f:4: routing.layering: only the engines of dor, of slimfly and of dragonflies have layers"},
    {ib, "{engine: dor}", "{engine: dragonfly-ugal}",
     "f:4: routing.engine: ib switches have no groups of ports"},
    {ib, "{engine: dor}", "{engine: dragonflyplus-ugal}",
     "f:4: routing.engine: ib switches have no groups of ports"},
    {ib, "{engine: dor}", "{engine: dor, layering: turn}",
     "f:4: routing.layering: ib switches do not change the SL of a packet: path or none"},
    {ib, "{engine: dor}", "{engine: dor, lmc: 8}", "f:4: routing.lmc: 8 is outside 0..7"},
    {ib, "{engine: dor}", "{engine: dor, lmc: auto}",
     "f:4: routing.lmc: only valiant and the engines in -valiant and -ugal find it out by "
     "themselves"},
    {ib, "{engine: dor}", "{engine: dor, ties: down}",
     "f:4: routing.ties: `down` is none of split, up"},
    {ib, "{engine: dor}", "{engine: updn, ties: up}", "f:4: routing.ties: is a key of dor"},
    {ib, "{engine: dor}", "{engine: dor, layering: bubble}",
     "f:4: routing.layering: ib switches keep no bubbles"},
    {ib, "kind: ib", "kind: ib\n  preempt: [0]", "f:7: switch.preempt: ib switches do not preempt"},
    {ib, "kind: ib", "kind: crossbar\n  preempt: [32]",
     "f:7: switch.preempt[0]: 32 is outside 0..31"},
    {ib, "{engine: dor}\nswitch:\n  kind: ib\n",
     "{engine: dragonfly, layering: bubble}\nswitch:\n  kind: crossbar\n",
     "f:4: routing.layering: bubbles are for the rings of dor"},
    {ib, "{engine: dor}", "{engine: dor, trunk: best}",
     "f:4: routing.trunk: `best` is none of lid, flow, load"},
    {ib, "{engine: dor}", "{engine: dor, trunk: flow}",
     "f:4: routing.trunk: ib switches have no groups of ports: lid"},
    {ib, "{engine: dor}", "{engine: dor, loads: [1, 2, 3]}",
     "f:4: routing.loads: belongs to `trunk: load` or an engine in -ugal"},
    {ib, "{engine: dor}\nswitch:\n  kind: ib\n",
     "{engine: dor, trunk: load, loads: [1, 2]}\nswitch:\n  kind: crossbar\n",
     "f:4: routing.loads: has 3 numbers"},
    {ib, "{engine: dor}\nswitch:\n  kind: ib\n",
     "{engine: dor, trunk: load, loads: [1, 2, 8192]}\nswitch:\n  kind: crossbar\n",
     "f:4: routing.loads[2]: 8192 is outside 0..8191"},
    {ib, "{engine: dor}\nswitch:\n  kind: ib\n",
     "{engine: dor, trunk: load, loads: [1, 2, 2]}\nswitch:\n  kind: crossbar\n",
     "f:4: routing.loads[2]: is not above the one before"},
    {ib, "{engine: dor}", "{engine: dor, vls: 2}",
     "f:4: routing.vls: is a key of hdor, lash and dfsssp"},
    {ib, "{engine: dor}", "{engine: updn, cover: all}",
     "f:4: routing.cover: is a key of lash and dfsssp"},
    {ib, "{engine: dor}", "{engine: lash, vls: 9}", "f:4: routing.vls: 9 is outside 1..8"},
    {ib, "{engine: dor}", "{engine: lash, cover: a}",
     "f:4: routing.cover: `a` is none of hosts, all"},
    {ib, "{engine: dor}", "{engine: dor, choose: best}",
     "f:4: routing.choose: is a key of updn, without roots"},
    {ib, "{engine: dor}", "{engine: updn, choose: best, roots: [a]}",
     "f:4: routing.choose: is a key of updn, without roots"},
    {ib, "{engine: dor}", "{engine: updn, choose: a}",
     "f:4: routing.choose: `a` is none of usual, best, median"},
    {ib, "{engine: dor}", "{lfts: a, vls: 2}",
     "f:4: routing.lfts: give an engine or a file, not both"},
    {kns, "switch: {kind: kns, scheduler: rr}",
     "routing: {vls: 2}\nswitch: {kind: kns, scheduler: rr}",
     "f:4: routing: kns devices route by themselves"},
    {ib, "{engine: dor}", "{engine: dor, roots: [a]}", "f:4: routing.roots: only updn has roots"},
    {ib, "{engine: dor}", "{engine: dor, allow_cycles: yes}",
     "f:4: routing.allow_cycles: `yes` is none of false, true"},
    {ib, "kind: ib", "kind: ethernet",
     "f:6: switch.kind: `ethernet` is none of ib, crossbar, opa, mport, kns, kns_crossbar, "
     "elite5, crosspoint"},
    {ib, "  kind: ib\n", "", "f:6: switch.kind: missing key"},
    {ib, "stages: A", "stages: C", "f:7: switch.stages: `C` is none of smallest, A, B"},
    {ib, "scheduler: ibarb", "scheduler: wfq",
     "f:8: switch.scheduler: `wfq` is none of rr, sbt, dtable, ibarb, drr, scfq"},
    {ib, "scheduler: ibarb", "scheduler: drr",
     "f:8: switch.scheduler: only crossbar switches have drr"},
    {drr, "weight: 4}, {vl: 1", "weight: 0}, {vl: 1",
     "f:5: table: key 0 has weight 0: a quantum is 1..255"},
    {drr, "vl: 1", "vl: 0", "f:5: table: key 0 stands twice: drr has one weight for each"},
    {ib, "scheduler: ibarb", "scheduler: scfq",
     "f:8: switch.scheduler: only crossbar switches have scfq"},
    {scfq, "weight: 6}, {vl: 1", "weight: 0}, {vl: 1",
     "f:5: table: key 0 has weight 0: a weight is 1..255"},
    {scfq, "weight: 6}, {vl: 1", "weight: 64}, {vl: 1",
     "f:5: table: weights of scfq need a least common multiple of at most 255"},
    {ib, "ENTRIES: 32", "SCHED: 1", "f:8: switch.scheduler: not together with parameter SCHED"},
    {ib, "ENTRIES: 32", "ENTRIES: 0", "f:9: switch.parameters.ENTRIES: 0 is outside 1..128"},
    {ib, "ENTRIES: 32", "ENTRIES: 129", "f:9: switch.parameters.ENTRIES: 129 is outside 1..128"},
    {ib, "ENTRIES: 32", "MPORTS: 4", "f:9: switch.parameters.MPORTS: ib has no such parameter"},
    {ib, "ENTRIES: 32", "PORTS: 4",
     "f:9: switch.parameters.PORTS: follows from the fabric and cannot be given (docs/fabric.md)"},
    {ib, "ENTRIES: 32", "FOO: 4", "f:9: switch.parameters.FOO: unknown key"},
    {ib, "ENTRIES: 32", "VLS: 4", "f:14: classes[1]: VL 3 has no lane in a switch with 4 VLS"},
    {ib, "  stages: A", "  central: least",
     "f:7: switch.central: only opa and mport have central buffers"},
    {opa, "{kind: opa,", "{kind: mport, scheduler: drr,",
     "f:4: switch.scheduler: only crossbar switches have drr"},
    {opa, "{kind: opa,", "{kind: mport, parameters: {CENTRAL_SCHED: 2},",
     "f:4: switch.parameters.CENTRAL_SCHED: mport has no such parameter"},
    {opa, "{kind: opa,", "{kind: mport, parameters: {CELLS_CENTRAL: 4096},",
     "f:4: switch.parameters.CELLS_CENTRAL: 4096 is outside 16..4095"},
    {opa, "{kind: opa,", "{kind: mport, parameters: {RESERVED_CENTRAL: 8},",
     "f:4: switch.parameters.RESERVED_CENTRAL: follows from the fabric and cannot be given "
     "(docs/fabric.md)"},
    {opa, "switch: {kind: opa", "routing: {lfts: a, path_records: b}\nswitch: {kind: mport",
     "f:4: routing.path_records: opa finds layers by turn (SC2SC), not by path"},
    {ib, "latency: 2,", "latency: 0,", "f:10: link.latency: 0 is outside 1..511"},
    {ib, "host_latency: 3", "host_latency: 512", "f:10: link.host_latency: 512 is outside 1..511"},
    {ib, "latency: 2,", "latency: 2, length: 5,",
     "f:10: link.length: link.latency says it already"},
    {ib, "host_latency: 3", "host_latency: 3, host_length: 1",
     "f:10: link.host_length: link.host_latency says it already"},
    {ib, "latency: 2,", "length: 0,", "f:10: link.length: 0 is outside 0.01..2000"},
    {ib, "bit_errors: 0.001", "bit_errors: 1.5", "f:10: link.bit_errors: 1.5 is outside 0..1"},
    {ib, "buffer: 4096", "buffer: 4097", "f:11: host.buffer: is no multiple of 64"},
    {ib, "buffer: 4096", "paths: flow", "f:11: host.paths: `flow` is none of message, pair"},
    {ib, "buffer: 4096", "buffer: 64", "f:11: host.buffer: 64 is outside 1024..262144"},
    {ib, "name: B", "name: A", "f:14: classes[1].name: is already that of classes[0]"},
    {ib, "name: B", "name: all",
     "f:14: classes[1].name: `all` is the name of all classes together"},
    {ib, "name: B", "name: a/b",
     "f:14: classes[1].name: has other characters than letters, digits, - and _"},
    {ib, "name: B", "name: abcdefghijklmnop", "f:14: classes[1].name: has more than 15 characters"},
    {ib, "sl: 4, vls", "sl: 32, vls", "f:14: classes[1].sl: 32 is outside 0..31"},
    {ib, "vls: [2, 3]", "vls: [2, 15]", "f:14: classes[1].vls[1]: 15 is management traffic"},
    {ib, "vls: [2, 3]", "vls: [2, 32]", "f:14: classes[1].vls[1]: 32 is outside 0..31"},
    {ib, "vls: [2, 3]", "vl: 2, vls: [2, 3]", "f:14: classes[1].vls: not together with vl"},
    {ib, "vls: [2, 3], ", "", "f:14: classes[1].vl: missing key"},
    {ib, "vls: [2, 3]", "scs: [2, 3], vls: [2, 3]",
     "f:14: classes[1].scs: only opa and mport have service channels"},
    {ib, "mtu: 128", "mtu: 20", "f:14: classes[1].mtu: 20 is outside 24..32760"},
    {ib, "mtu: 128", "mtu: 130", "f:14: classes[1].mtu: is no multiple of 8"},
    {ib, "mtu: 128", "mtu: 8192",
     "f:14: classes[1].mtu: does not fit into the smallest buffer, 4096 bytes"},
    {ib, "mtu: 128}", "mtu: 128, x: 1}", "f:14: classes[1].x: unknown key"},
    {ib, "mtu: 128}", "mtu: 128, packet: 16}", "f:14: classes[1].packet: 16 is outside 24..128"},
    {ib, "mtu: 128}", "mtu: 128, packet: 136}", "f:14: classes[1].packet: 136 is outside 24..128"},
    {ib, "mtu: 128}", "mtu: 128, packet: 60}", "f:14: classes[1].packet: is no multiple of 8"},
    {ib, "mtu: 128}", "mtu: 128, packet: 48}",
     "f:14: classes[1].packet: the mtu, 128, is no multiple of it"},
    {ib, "mtu: 256}", "mtu: 2376, packet: 72}",
     "f:13: classes[0].mtu: does not fit into the smallest buffer, 4096 bytes"},
    {opa, "mtu: 64}", "mtu: 64, packet: 64}",
     "f:5: classes[0].packet: with `central: least` packets of a train may overtake each other"},
    {e5, "mtu: 1024}", "mtu: 1024, packet: 256}",
     "f:5: classes[0].packet: elite5 cuts messages into its own packets and segments"},
    {ib, "vl: 0, reserved", "vl: 15, reserved", "f:16: vls[0].vl: 15 is management traffic"},
    {ib, "reserved: 512, max: 2048", "reserved: 512, max: 256",
     "f:16: vls[0].max: is below reserved"},
    {ib, ", reserved: 512, max: 2048", "", "f:16: vls[0]: give reserved or max"},
    {ib, "  - {vl: 0, reserved: 512, max: 2048}",
     "  - {vl: 0, reserved: 512}\n  - {vl: 0, reserved: 512}",
     "f:17: vls[1].vl: VL 0 stands twice"},
    {ib, "{vl: 0, weight: 4}", "{vl: 0, weight: 256}",
     "f:17: high[0].weight: 256 is outside 0..255"},
    {ib, "{vl: 0, weight: 4}", "{vl: 0, sl: 0, weight: 4}", "f:17: high[0]: give sl or vl"},
    {ib, "{vl: 0, weight: 4}", "{weight: 4}", "f:17: high[0]: give sl or vl"},
    {ib, "{sl: 4, weight: 9}", "{sl: 5, weight: 9}", "f:17: high[1].sl: no class has SL 5"},
    {ib, "{vl: 0, weight: 4}, {sl: 4, weight: 9}", "{vl: 0, weight: 0}",
     "f:17: high: no entry has a weight above 0"},
    {ib, "high: [{vl: 0, weight: 4}, {sl: 4, weight: 9}]\n", "",
     "f:1: high: missing key: scheduler ibarb needs it"},
    {ib, "limit: 3", "limit: 256", "f:19: limit: 256 is outside 0..255"},
    {ib, "mode: deficit", "mode: wide", "f:20: mode: `wide` is none of roundup, deficit"},
    {ib, "low_grant: packet", "low_grant: all", "f:21: low_grant: `all` is none of entry, packet"},
    {ib, "low_grant: packet", "table: [{vl: 0, weight: 1}]",
     "f:21: table: scheduler ibarb does not have it"},
    {ib, "low_grant: packet", "dtable: a", "f:21: dtable: scheduler ibarb does not have it"},
    {ib, "class: A", "class: C", "f:23: traffic[0].class: no class is called `C`"},
    {ib, "pattern: uniform", "pattern: unform",
     "f:23: traffic[0].pattern: `unform` is none of uniform, random, shift, reversal, complement, "
     "transpose, tornado, hotspot, neighbour, random-ring, bisection, pairs, ptrans, all-to-all, "
     "incast, file"},
    {ib, "pattern: uniform", "pattern: incast",
     "f:23: traffic[0].targets: missing key: pattern incast needs it"},
    {ib, "pattern: uniform", "pattern: incast, targets: [0], heat: 0.5",
     "f:23: traffic[0].heat: means nothing for pattern incast"},
    {ib, "pattern: uniform", "pattern: shift, heat: 0.5",
     "f:23: traffic[0].heat: means nothing for pattern shift"},
    {ib, "pattern: uniform", "pattern: uniform, shift: 2",
     "f:23: traffic[0].shift: means nothing for pattern uniform"},
    {ib, "pattern: uniform", "pattern: uniform, burst: 2",
     "f:23: traffic[0].burst: means nothing for process cbr"},
    {ib, "pattern: uniform", "pattern: file",
     "f:23: traffic[0].file: missing key: pattern file needs it"},
    {ib, "pattern: uniform", "pattern: ptrans, grid: 2x2x2",
     "f:23: traffic[0].grid: has rows and columns"},
    {ib, "pattern: uniform", "pattern: ptrans",
     "f:23: traffic[0].grid: missing key: pattern ptrans needs it"},
    {ib, ", heat: 0.5", "", "f:24: traffic[1].heat: missing key: pattern hotspot needs it"},
    {ib, ", targets: [0, 3]", "",
     "f:24: traffic[1].targets: missing key: pattern hotspot needs it"},
    {ib, "load: 0.25", "load: 1.25", "f:23: traffic[0].load: 1.25 is outside 0..1"},
    {ib, "load: 0.25", "load: -1", "f:23: traffic[0].load: `-1` is not a plain decimal number"},
    {ib, ", load: 0.25", "", "f:23: traffic[0].load: missing key"},
    {ib, "size: 256", "size: 0", "f:23: traffic[0].size: 0 is outside 1..16777216"},
    {ib, "process: bursts", "process: burst",
     "f:24: traffic[1].process: `burst` is none of cbr, poisson, bursts, ping-pong"},
    {ib, "warmup: 10", "warmup: -1", "f:25: run.warmup: `-1` is not a whole number"},
    {ib, "measure: 20", "measure: 0", "f:25: run.measure: 0 is outside 1..1099511627776"},
    {ib, "seeds: 2", "seeds: 0", "f:25: run.seeds: 0 is outside 1..1000"},
    {ib, "seeds: 2", "seeds: 1001", "f:25: run.seeds: 1001 is outside 1..1000"},
    {ib, "seed: 7", "seed: 0.5", "f:25: run.seed: `0.5` is not a whole number"},
    {ib, "watchdog: 60", "watchdog: 60, until: traces", "f:25: run.until: there are no traces"},
    {ib, "watchdog: 60", "watchdog: 60, unit: 1", "f:25: run.unit: unknown key"},
    {ib, "...\n", "",
     "f:26: end: the file is cut short: it starts with \"---\" and must end with a line \"...\""},
    {ib, "run:", "shadow: [S0-0, S0-0]\nrun:", "f:25: shadow[1]: stands twice"},
    {opa, "scs: [2, 3]", "scs: [2]", "f:5: classes[0].scs: has 1, but there are 2 VLs"},
    {opa, "scs: [2, 3]", "scs: [2, 15]", "f:5: classes[0].scs[1]: 15 is management traffic"},
    {opa, "sl: 1, weight", "vl: 1, weight",
     "f:6: table[0].vl: the switches arbitrate SLs (ARB_KEY 1)"},
    {opa, "traces: [{file: x.vef, class: A}]\n", "",
     "f:1: traffic: missing key: give traffic or traces"},
    {opa, "class: A}]", "class: A, mapping: list}]",
     "f:7: traces[0].places: missing key: `mapping: list` needs it"},
    {opa, "class: A}]", "class: A, places: [1]}]",
     "f:7: traces[0].places: goes with `mapping: list`"},
    {opa, "class: A}]", "class: A, mapping: round}]",
     "f:7: traces[0].mapping: `round` is none of block, linear, random, list, names"},
    {opa, "class: A}]", "class: A, mapping: names}]",
     "f:7: traces[0].names: missing key: `mapping: names` needs it"},
    {opa, "class: A}]", "class: A, names: a, places: [1]}]",
     "f:7: traces[0].places: goes with `mapping: list`"},
    {opa, "class: A}]", "class: A, names: \"\\x07\"}]",
     "f:7: traces[0].names: has a character that is not plain"},
    {opa, "class: A}]", "class: A, names: \"\"}]", "f:7: traces[0].names: has no value"},
    {opa, "class: A}]", "class: A, collectives: star}]",
     "f:7: traces[0].collectives: `star` is none of linear, ring, doubling, tree"},
    {opa, "file: x.vef", "program: allreduce, file: x.vef, tasks: 4",
     "f:7: traces[0].program: give one of file, program"},
    {opa, "file: x.vef, ", "", "f:7: traces[0].program: give one of file, program"},
    {opa, "file: x.vef", "program: allreduce", "f:7: traces[0].tasks: missing key"},
    {opa, "file: x.vef", "program: allreduce, tasks: 1",
     "f:7: traces[0].tasks: 1 is outside 2..65536"},
    {opa, "file: x.vef", "program: allreduce, tasks: 4, rounds: 0",
     "f:7: traces[0].rounds: 0 is outside 1..1000000"},
    {opa, "file: x.vef", "program: reduceall, tasks: 4",
     "f:7: traces[0].program: `reduceall` is none of broadcast, reduce, allreduce, gather, "
     "scatter, allgather, barrier, alltoall"},
    {opa, "file: x.vef", "program: barrier, tasks: 4, ops: \"0,1,2,3,4,5,6,7\"",
     "f:7: traces[0].ops: means nothing for a program"},
    {opa, "class: A}]", "class: A, bytes: 8}]", "f:7: traces[0].bytes: means nothing for a file"},
    {opa, "class: A}]", "class: A, triggers: set}]",
     "f:7: traces[0].triggers: `set` is none of keep, strip"},
    {opa, "class: A}]", "class: A, intra: one}]",
     "f:7: traces[0].intra: must be a mapping of keys to values"},
    {opa, "class: A}]", "class: A, intra: {}}]",
     "f:7: traces[0].intra: give one of latency, bandwidth, table"},
    {opa, "class: A}]", "class: A, intra: {latency: 1, bandwidth: 1}}]",
     "f:7: traces[0].intra: give one of latency, bandwidth, table"},
    {opa, "class: A}]", "class: A, intra: {latency: 1, table: a}}]",
     "f:7: traces[0].intra: give one of latency, bandwidth, table"},
    {opa, "class: A}]", "class: A, intra: {latency: 65536}}]",
     "f:7: traces[0].intra.latency: 65536 is outside 0..65535"},
    {opa, "class: A}]", "class: A, intra: {bandwidth: 0}}]",
     "f:7: traces[0].intra.bandwidth: 0 is outside 1..16777216"},
    {opa, "class: A}]", "class: A, intra: {bandwidth: 0.5}}]",
     "f:7: traces[0].intra.bandwidth: `0.5` is not a whole number"},
    {opa, "class: A}]", "class: A, intra: {table: \"\\x07\"}}]",
     "f:7: traces[0].intra.table: has a character that is not plain"},
    {opa, "class: A}]", "class: A, intra: {delay: 1}}]", "f:7: traces[0].intra.delay: unknown key"},
    {opa, "...", "run: {cycle: 0}\n...", "f:8: run.cycle: 0 is outside 1..1000000"},
    {opa, "...", "run: {cycle: 1000001}\n...", "f:8: run.cycle: 1000001 is outside 1..1000000"},
    {ib, "watchdog: 60", "watchdog: 60, cycle: 640", "f:25: run.cycle: there are no traces"},
    {opa, "...", "run: {limit: 50000}\n...", "f:8: run.limit: means nothing without run.precision"},
    {opa, "...", "run: {precision: 0.6}\n...", "f:8: run.precision: 0.6 is outside 0.0001..0.5"},
    {opa, "...", "run: {precision: 0.01, limit: 19999}\n...",
     "f:8: run.limit: 19999 is outside 20000..1099511627776"},
    {opa, "{name: A, sl: 1, scs: [2, 3], vls: [0, 1], mtu: 64}]",
     "{name: A, sl: 1, scs: [2, 3], vls: [0, 1], mtu: 64}, {name: B, sl: 2, sc: 2, vl: 0, mtu: "
     "64}]",
     "f:5: classes[1]: SC 2 has another SL, VL or layer in classes[0]"},
    {opa, "mtu: 64}]", "mtu: 64}]\nrouting: {layering: turn}",
     "f:6: routing.layering: only the engines of dor, of slimfly and of dragonflies have "
     "layers"},
    {opa, "table: [{sl: 1, weight: 4}]\n", "",
     "f:1: table: missing key: scheduler dtable needs it"},
    {opa, "table:", "mode: text\ntable:", "f:6: mode: scheduler dtable has none"},
    {opa, "table:", "limit: 1\ntable:", "f:6: limit: scheduler dtable has none"},
    {opa, "file: x.net", "file: x.net, kind: tree",
     "f:3: topology.file: give a kind or a file, not both"},
    {e5, "mtu: 1024", "mtu: 1024, vl: 0",
     "f:5: classes[0]: elite5 takes any VC: no vl, vls, sc, scs"},
    {e5, "sl: 3", "sl: 4", "f:5: classes[0].sl: 4 is outside 0..3"},
    {e5, "kind: elite5", "kind: elite5, scheduler: rr", "f:4: switch.scheduler: elite5 has none"},
    {e5, "kind: elite5", "kind: elite5, stages: A", "f:4: switch.stages: elite5 has none"},
    {e5, "kind: elite5", "kind: crosspoint, stages: A", "f:4: switch.stages: crosspoint has none"},
    {e5, "kind: elite5", "kind: elite5, parameters: {PIPE: 1}",
     "f:4: switch.parameters.PIPE: elite5 has no such parameter"},
    {e5, "kind: elite5", "kind: crosspoint, parameters: {PIPE: 5}",
     "f:4: switch.parameters.PIPE: 5 is outside 0..4"},
    {e5, "size: 8, load: 1", "size: 8, load: 4.1", "f:6: traffic[0].load: 4.1 is outside 0..4"},
    {e5, "class: A,", "class: A, operation: swap,",
     "f:6: traffic[0].operation: `swap` is none of put, get, queue, event, conditional"},
    {e5, "size: 8,", "size: 233, operation: queue,", "f:6: traffic[0].size: 233 is outside 1..232"},
    {e5, "size: 8,", "size: 8, operation: event,",
     "f:6: traffic[0].size: means nothing for operation event"},
    {e5, "size: 8,", "operation: get,", "f:6: traffic[0].size: missing key"},
    {e5, "classes:", "host: {queue: 0}\nclasses:", "f:5: host.queue: 0 is outside 1..1024"},
    {e5, "classes:", "host: {take: 0}\nclasses:", "f:5: host.take: 0 is outside 1..1000000"},
    {ib, "{class: A, pattern: uniform,", "{class: A, operation: put, pattern: uniform,",
     "f:23: traffic[0].operation: only elite5 and crosspoint have it"},
    {ib, "host: {buffer: 4096}", "host: {take: 1}",
     "f:11: host.take: only elite5 and crosspoint have it"},
    {e5, "kind: elite5", "kind: elite5, choice: best",
     "f:4: switch.choice: `best` is none of first, next, random, oblivious, static"},
    {e5, "kind: elite5", "kind: elite5, threshold: 64",
     "f:4: switch.threshold: 64 is outside 0..63"},
    {e5, "kind: elite5", "kind: elite5, choice: static, threshold: 2",
     "f:4: switch.threshold: choice static looks at no loads"},
    {e5, "kind: elite5", "kind: elite5, choice: oblivious, activity: true",
     "f:4: switch.activity: choice oblivious looks at no loads"},
    {e5, "kind: elite5", "kind: elite5, expire: 16384",
     "f:4: switch.expire: 16384 is outside 0..16383"},
    {e5, "classes:", "faults: [{at: 0, what: cut, link: S0-0}]\nclasses:",
     "f:5: faults[0].link: `S0-0` is not NAME/PORT"},
    {e5, "classes:", "faults: [{at: 0, what: cut, link: S0-0/0}]\nclasses:",
     "f:5: faults[0].link: 0 is outside 1..255"},
    {e5,
     "classes:", "faults: [{at: 0, what: cut}]\nclasses:", "f:5: faults[0]: give link or switch"},
    {e5, "classes:", "faults: [{at: 0, what: cut, link: A/1, switch: A}]\nclasses:",
     "f:5: faults[0]: give link or switch"},
    {e5, "classes:", "faults: [{at: 0, what: burn, link: A/1}]\nclasses:",
     "f:5: faults[0].what: `burn` is none of cut, join, errors"},
    {e5, "classes:", "faults: [{at: 0, what: errors, link: A/1}]\nclasses:",
     "f:5: faults[0].chance: missing key"},
    {e5, "classes:", "faults: [{at: 0, what: cut, link: A/1, chance: 0.1}]\nclasses:",
     "f:5: faults[0].chance: only errors have it"},
    {e5, "classes:", "faults: [{at: 99000000, what: cut, link: A/1}]\nclasses:",
     "f:5: faults[0].at: 99000000 is outside 0..29999"},
    {e5, "classes:", "management: {cure: pray}\nclasses:",
     "f:5: management.cure: `pray` is none of none, links, tables"},
    {e5, "classes:", "management: {delay: 1000000001}\nclasses:",
     "f:5: management.delay: 1000000001 is outside 0..1000000000"},
    {ib, "classes:", "faults: [{at: 0, what: cut, link: A/1}]\nclasses:",
     "f:12: faults: only elite5 and crosspoint have it"},
    {ib, "classes:", "management: {cure: none}\nclasses:",
     "f:12: management: only elite5 and crosspoint have it"},
    {ib, "  stages: A", "  choice: next", "f:7: switch.choice: only elite5 and crosspoint have it"},
    {ib, "  stages: A", "  expire: 9", "f:7: switch.expire: only elite5 and crosspoint have it"},
    {e5, "kind: elite5", "kind: elite5, parameters: {LINKS: 4}",
     "f:4: switch.parameters.LINKS: follows from the fabric and cannot be given (docs/fabric.md)"},
    {e5, "classes:", "table: [{sl: 1, weight: 4}]\nclasses:", "f:5: table: elite5 has no tables"},
    {e5, "classes:", "host: {paths: pair}\nclasses:", "f:5: host.paths: an Elan5 has one LID"},
    {e5, "classes:", "host: {buffer: 4096}\nclasses:",
     "f:5: host.buffer: an Elan5 sends out of its memory"},
    {e5, "classes:", "vls: [{vl: 0, max: 4096}]\nclasses:", "f:5: vls: elite5 has none"},
    {e5, "classes:", "routing: {engine: updn}\nclasses:",
     "f:5: routing.engine: elite5 routes by itself"},
    {e5, "mtu: 1024}]", "mtu: 1024}, {name: B, sl: 0, mtu: 512}]",
     "f:5: classes[1].mtu: all classes of elite5 have the same"},
    {e5, "classes:", "shadow: [S0-0, S1-0, S0-0]\nclasses:", "f:5: shadow[2]: stands twice"},
    {kns, "classes:", "routing: {engine: updn}\nclasses:",
     "f:5: routing.engine: kns devices know only hdor"},
    {kns,
     "classes:", "routing: {lmc: 1}\nclasses:", "f:5: routing: kns devices route by themselves"},
    {kns, "scheduler: rr", "scheduler: rr, parameters: {HOSTS: 2}",
     "f:4: switch.parameters.HOSTS: follows from the fabric and cannot be given (docs/fabric.md)"},
    {kns, "vl: 0,", "vl: 0, sc: 1,",
     "f:5: classes[0].sc: only opa and mport have service channels"},
    {ib, "reserved: 512", "reserved: 500", "f:16: vls[0].reserved: is no multiple of 64"},
    {opa, "{kind: opa,", "{kind: opa, parameters: {KEYS: 1},",
     "f:5: classes[0].sl: 1 is no key of schedulers with 1 KEYS"},
    {ib, "max: 2048", "max: 2000", "f:16: vls[0].max: is no multiple of 64"},
};

static void wrong_fabric_files_are_refused_where_they_are_wrong(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof refusals / sizeof refusals[0]; i++) {
    struct loom_spec *s = malloc(sizeof *s);
    struct loom_error err = {.line = ""};
    assert_non_null(s);
    char *text = replaced(refusals[i].text, refusals[i].from, refusals[i].to);
    assert_false(read_text(s, text, &err));
    assert_string_equal(err.line, refusals[i].line);
    if (err.count > 1)
      fail_msg("%s\n%s", err.line, err.more); /* of something wrong nothing else is said */
    free(text);
    free(s);
  }
}

/* Wrong in all sections, and some that cannot be judged: the class of traffic[0] may be the one
 * whose name is wrong, faults may be in a run that is another one. */
static void every_section_that_is_wrong_is_told_in_one_go(void **state) {
  (void)state;
  static const char text[] =
      "---\nname: f\ntopology: {kind: tree, k: 2, n: 2, size: 4x4}\nrouting: {engine: dor, roots: "
      "[S]}\nswitch: {kind: ib, scheduler: rr, central: least}\nhost: {buffer: 2000}\n"
      "classes: [{name: A, sl: 0, vl: 0, mtu: 256}, {name: %s, sl: 1, vl: 1, mtu: 257}]\n"
      "traffic: [{class: C, pattern: uniform, size: 256, load: 1}, {class: A, pattern: hotspot, "
      "size: 256, load: 1}]\nrun: {limit: 4}\nshadow: [S, S]\nfaults: [{at: 1, what: cut}]\n...\n";
  static const char *const keys[] = {"topology.size",    "routing.roots",  "switch.central",
                                     "host.buffer",      "classes[1].mtu", "traffic[0].class",
                                     "traffic[1].heat:", "run.limit",      "shadow[1]"};
  struct loom_spec *s = malloc(sizeof *s);
  struct loom_error err = {.line = ""};
  char made[sizeof text + 8], said[sizeof err.line + sizeof err.more + 2];
  assert_non_null(s);
  snprintf(made, sizeof made, text, "B");
  assert_false(read_text(s, made, &err));
  snprintf(said, sizeof said, "%s\n%s", err.line, err.more);
  for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++)
    if (!strstr(said, keys[i]))
      fail_msg("nothing of %s: %s", keys[i], said);
  assert_int_equal(err.count, sizeof keys / sizeof keys[0]);
  loom_error_clear(&err);
  snprintf(made, sizeof made, text, "all");
  assert_false(read_text(s, made, &err));
  assert_int_equal(err.count, sizeof keys / sizeof keys[0] - 2);
  assert_null(strstr(err.more, "traffic["));
  free(s);
}

static void no_beginning_of_a_fabric_file_is_taken_for_the_whole(void **state) {
  (void)state;
  static const char *const texts[] = {ib, opa, e5, kns};
  for (size_t t = 0; t < 4; t++)
    for (size_t size = 0; size < strlen(texts[t]); size++) {
      struct loom_spec *s = malloc(sizeof *s);
      struct loom_error err = {.line = ""};
      struct loom_source src;
      assert_non_null(s);
      assert_true(loom_source_copy(&src, "f", texts[t], size));
      assert_false(loom_read_fabric(s, &src, &err));
      assert_int_equal(strncmp(err.line, "f:", 2), 0);
      loom_source_free(&src);
      free(s);
    }
}

/* ---- plans ----------------------------------------------------------------------------------- */

/* What the file alone does not show, at this key; NULL: the plan is made. */
static void assert_plan(const char *text, const char *key, int status, const char *why) {
  struct loom_spec *s = read_good(text);
  struct loom_plan_error err = {.status = 0};
  struct loom_plan *p = loom_plan_create(s, &err);
  assert_string_equal(err.key, key ? key : "");
  assert_int_equal(err.status, status);
  if (key)
    assert_non_null(strstr(err.text, why));
  assert_true(!p == (key != NULL));
  loom_plan_destroy(p);
  drop(s);
}

struct bad_plan {
  const char *text, *from, *to, *key;
  int status;
  const char *why;
};

static const struct bad_plan bad_plans[] = {
    {ib, "vls: [2, 3]", "vl: 2", "classes[1].vls", 2, "needs 2 layers"},
    {ib, "{engine: dor}", "{engine: updn, roots: [H0]}", "routing.roots", 2, "no switch is called"},
    {ib, "nodes: 1", "nodes: 48", "topology", 2, "needs 52 ports"},
    {ib, "nodes: 1", "nodes: 260", "topology.nodes", 2, "docs/topo.md"},
    {ib, "nodes: 1", "nodes: 252", "topology.nodes", 2, "docs/topo.md"},
    {ib, "nodes: 1", "nodes: 1, trunk: 99", "topology.trunk", 2, "docs/topo.md"},
    {ib, "size: 3x2, nodes: 1", "size: 40x40, nodes: 40", "topology", 2,
     "needs 65600 LIDs, there are 49151"},
    {ib, "targets: [0, 3]", "targets: [0, 99]", "traffic[1].pattern", 2, "6 hosts: targets"},
    {ib, "reserved: 512", "reserved: 128", "vls", 2, "VL 0 needs reserved from 256 bytes on"},
    {ib, "reserved: 512, max: 2048", "reserved: 4096", "vls", 2, "of 4096 in an input buffer"},
    {ib, "run:", "shadow: [S9]\nrun:", "shadow[0]", 2, "no switch is called `S9`"},
    {ib, "size: 3x2, nodes: 1}\nrouting: {engine: dor}",
     "size: 5x2, nodes: 1}\nrouting: {layering: none}", "routing", 1, "may deadlock"},
    {ib, "kind: torus, size: 3x2, nodes: 1}\nrouting: {engine: dor}",
     "kind: qsnet3, nodes: 64, rails: 2}\nrouting: {engine: updn}", "routing", 1,
     "8064 of 16128 pairs of hosts are on rails that nothing connects"},
    {ib, "low: [{vl: 1, weight: 1}]", "low: [{vl: 0, weight: 1}]", "high", 2,
     "class A would never be served: no entry of VL 1"},
    {kns, "k: 2", "k: 49", "topology", 2, "docs/kns.md"},
    {kns, "n: 2", "n: 2, trunk: 2", "topology.trunk", 2, "one cable"},
    {kns, "kind: kns, k: 2, n: 2", "kind: tree, k: 2, n: 2", "topology.kind", 2, "a kns only"},
    {kns, "grid: 2x2", "grid: 3x2", "traffic[0].pattern", 2, "4 hosts"},
    {kns, "k: 2, n: 2}\nswitch: {kind: kns,", "k: 49, n: 2}\nswitch: {kind: kns_crossbar,",
     "topology", 2, "docs/kns.md"},
    {kns, "kind: kns, scheduler: rr}", "kind: kns_crossbar, scheduler: rr}\nshadow: [S0-0]",
     "shadow", 2, "no circuits of crossbar_switch"},
    {e5, "nodes: 64", "nodes: 64, links: 2, rails: 3", "topology", 2,
     "a node 6; there are 32 and 4"},
    {e5, "kind: qsnet3, nodes: 64", "kind: tree, k: 17, n: 2", "topology", 2,
     "a router would have 34 links"},
    {e5, "kind: qsnet3, nodes: 64", "kind: torus, size: 2x2", "topology.kind", 2, "folded trees"},
    {e5, "classes:", "shadow: [N0-U7, N0-L8]\nclasses:", "shadow[1]", 2,
     "no switch is called `N0-L8`"},
    {e5, "classes:", "shadow: [S2-0]\nclasses:", "shadow[0]", 2, "no switch is called `S2-0`"},
    {e5, "kind: elite5}", "kind: crosspoint}\nshadow: [S0-0]", "shadow", 2,
     "no circuits of crosspoint_router"},
    {e5, "size: 8", "size: 16777216", "traffic", 2, "1048576 bytes"},
    {ib, "latency: 2,", "length: 204.41,", "link.length", 2,
     "204.41 m take 512 cycles at 32 Gb/s, but a link takes 511 at most"},
    {e5, "kind: qsnet3, nodes: 64", "kind: dragonfly, routers: 2, globals: 1", "topology.kind", 2,
     "Elite5 makes folded trees: a tree, a slim or a qsnet3"},
    {e5, "kind: qsnet3, nodes: 64", "kind: dragonflyplus, leaves: 2, spines: 1, globals: 2",
     "topology.kind", 2, "Elite5 makes folded trees: a tree, a slim or a qsnet3"},
};

static void plans_that_cannot_be_are_refused_by_the_key(void **state) {
  (void)state;
  assert_plan(ib, NULL, 0, NULL);
  assert_plan(kns, NULL, 0, NULL);
  assert_plan(e5, NULL, 0, NULL);
  for (size_t i = 0; i < sizeof bad_plans / sizeof bad_plans[0]; i++) {
    const struct bad_plan *b = &bad_plans[i];
    char *text = replaced(b->text, b->from, b->to);
    assert_plan(text, b->key, b->status, b->why);
    free(text);
  }
}

static void assert_latencies(const char *link, uint32_t between, uint32_t to_hosts) {
  char *text = replaced(ib, "latency: 2, host_latency: 3", link);
  struct loom_spec *s = read_good(text);
  struct loom_plan_error err = {.status = 0};
  struct loom_plan *p = loom_plan_create(s, &err);
  assert_non_null(p);
  assert_int_equal(p->latency, between);
  assert_int_equal(p->host_latency, to_hosts);
  loom_plan_destroy(p);
  drop(s);
  free(text);
}

/* 5 ns a metre, in cycles of 64 bits, rounded up. */
static void the_length_of_a_cable_is_a_latency(void **state) {
  (void)state;
  assert_latencies("latency: 2", 2, 2);
  assert_latencies("length: 5", 13, 13); /* 25 ns of 2 */
  assert_latencies("length: 4.8", 12, 12);
  assert_latencies("length: 4.81", 13, 13);
  assert_latencies("length: 0.01", 1, 1);
  assert_latencies("length: 204.4", 511, 511);
  assert_latencies("length: 5, rate: 100", 40, 40); /* 25 ns of 0.64 */
  assert_latencies("length: 30, host_length: 2", 75, 5);
  assert_latencies("length: 30, host_latency: 2", 75, 2);
  assert_latencies("latency: 7, host_length: 2", 7, 5);
}

/* Every VL has room for a packet, what is reserved fits, and far ends have the same. */
static void every_vl_has_room_for_a_packet_at_both_ends(void **state) {
  (void)state;
  struct loom_spec *s = read_good(ib);
  struct loom_plan_error err = {.status = 0};
  struct loom_plan *p = loom_plan_create(s, &err);
  assert_non_null(p);
  assert_int_equal(p->used, 0xF);
  assert_int_equal(p->in.total, 64);
  assert_int_equal(p->in.reserved[0], 8);
  assert_int_equal(p->in.most[0], 32);
  uint32_t sum = 0;
  for (uint32_t vl = 0; vl < 4; vl++) {
    assert_in_range(p->in.reserved[vl], p->units[vl], p->in.most[vl]);
    sum += p->in.reserved[vl];
  }
  assert_in_range(sum, 0, 64);
  assert_int_equal(p->out.total, 1792);
  assert_int_equal(p->nic.total, 64);
  loom_plan_destroy(p);
  drop(s);
}

/* ---- registers ------------------------------------------------------------------------------- */

enum { PORTS = 16, LEVELS = 32 };

/* What the map of a switch has for {in, out, SL or SC} once its registers are written. */
struct maps {
  uint32_t entry[PORTS][PORTS][LEVELS];
};

static void write_map(void *context, uint32_t addr, uint32_t data) {
  struct maps *m = context;
  uint32_t window = (addr - LOOM_SWITCH_REG_PORTS) / LOOM_REG_WINDOW;
  uint32_t at = (addr - LOOM_SWITCH_REG_PORTS) % LOOM_REG_WINDOW - LOOM_SWITCH_WIN_MAP;
  for (uint32_t in = 0; in < PORTS && at < PORTS * LEVELS; in++)
    if (window == in || window == LOOM_SWITCH_EVERY)
      m->entry[in][at / LEVELS][at % LEVELS] = data;
}

/* SL2VL: the VL of the layer that the class of paths has on this turn. SC2SC: the channel of the
 * layer that the turn leads to. */
static void expect_maps(const struct loom_plan *p, uint32_t row, const struct maps *m) {
  const struct loom_routing *r = p->routing;
  bool path = r->layering == LOOM_ROUTING_LAYER_PATH;
  for (uint32_t in = 1; in <= p->ports; in++)
    for (uint32_t out = 1; out <= p->ports; out++)
      for (uint32_t k = 0; k < (path ? r->classes : r->layers); k++) {
        const struct loom_spec_class *c = &p->spec->traffic_class[p->spec->classes - 1];
        uint32_t layer = loom_routing_layer(r, row, in, out, path ? k : 0, path ? 0 : k);
        uint32_t level = path ? c->sl + k : c->sc[k];
        assert_int_equal(m->entry[in - 1][out - 1][level], path ? c->vl[layer] : c->sc[layer]);
      }
}

static void switches_are_written_the_maps_of_their_turns(void **state) {
  (void)state;
  static const char turns[] =
      "---\nname: o\ntopology: {kind: torus, size: 4x3}\nswitch: {kind: opa, scheduler: rr}\n"
      "classes: [{name: A, sl: 1, scs: [2, 3], vls: [0, 1], mtu: 64}]\n"
      "traffic: [{class: A, pattern: uniform, size: 64, load: 1}]\n...\n";
  for (uint32_t i = 0; i < 2; i++) {
    struct loom_plan_error err = {.status = 0};
    struct loom_spec *s = read_good(i ? turns : ib);
    struct loom_plan *p = loom_plan_create(s, &err);
    assert_non_null(p);
    assert_int_equal(p->routing->layers, 2);
    assert_in_range(p->ports, 2, PORTS);
    for (uint32_t row = 0; row < p->switches; row++) {
      struct maps m = {{{{0}}}};
      loom_write_switch_registers(p, row, &(struct loom_register_bus){write_map, &m});
      expect_maps(p, row, &m);
    }
    loom_plan_destroy(p);
    drop(s);
  }
}

/* ---- changed copies -------------------------------------------------------------------------- */

struct change {
  const char *path, *value, *has; /* a part of the copy; NULL: refused */
};

static void assert_change(const struct change *c) {
  struct loom_error err = {.line = ""};
  struct loom_source src, out = {.text = NULL};
  assert_true(loom_source_copy(&src, "f", ib, strlen(ib)));
  bool ok = loom_yaml_edit(&src, &(struct loom_edit){c->path, c->value}, 1, &out, &err);
  loom_source_free(&src);
  assert_true(ok == (c->has != NULL));
  if (!ok) {
    assert_int_equal(strncmp(err.line, "f:0: ", 5), 0);
    return;
  }
  assert_non_null(strstr(out.text, c->has));
  loom_source_free(&out);
}

static void a_change_replaces_one_value_in_its_place(void **state) {
  (void)state;
  static const struct change changes[] = {
      {"name", "u", "name: u\n"},
      {"run.measure", "99", "measure: 99,"},
      {"traffic[1].load", "0.5", "load: 0.5,"},
      {"classes[2]", "{name: C, sl: 8, vls: [4, 5], mtu: 64}", "- {name: C, sl: 8, vls: [4, 5],"},
      {"link.bit_errors", "", "link: {latency: 2, host_latency: 3}"},
      {"host", NULL, "host_latency: 3, bit_errors: 0.001}\nclasses:"},
      {"routing.lmc", "1", "routing: {engine: dor, lmc: 1}"},
      {"load", "0.5", "load: 0.125}"},
      {"load", "2", "load: 0.5}"},
      {"load.B", "0.333333333", "load: 0.033333333,"},
      {"vls[0].max", "4096", "max: 4096}"},
      {"traffic[7].load", "1", NULL},
      {"name.x", "1", NULL},
      {"run..x", "1", NULL},
      {"classes[x]", "1", NULL},
      {"classes[0", "1", NULL},
      {"name", "{", NULL},
      {"load", "x", NULL},
      {"load.Z", "1", NULL},
      {"", "1", NULL},
  };
  for (size_t i = 0; i < sizeof changes / sizeof changes[0]; i++)
    assert_change(&changes[i]);
}

/* A copy without a change is the same file. */
static void a_copy_without_a_change_is_the_same_file(void **state) {
  (void)state;
  struct loom_error err = {.line = ""};
  struct loom_source src, out;
  assert_true(loom_source_copy(&src, "f", ib, strlen(ib)));
  assert_true(loom_yaml_edit(&src, NULL, 0, &out, &err));
  struct loom_spec *a = read_good(ib), *b = read_good(out.text);
  assert_memory_equal(a->traffic_class, b->traffic_class, sizeof a->traffic_class);
  assert_memory_equal(&a->tables, &b->tables, sizeof a->tables);
  assert_memory_equal(&a->parameters, &b->parameters, sizeof a->parameters);
  drop(a);
  drop(b);
  loom_source_free(&src);
  loom_source_free(&out);
}

/* ---- sweeps ---------------------------------------------------------------------------------- */

static const char grid[] = "---\n"
                           "name: s\n"
                           "fabric: d/f.yaml\n"
                           "seeds: 2\n"
                           "set: [run.measure=50]\n"
                           "grid:\n"
                           "  - {key: load, values: [0.5, 1]}\n"
                           "  - {name: way, points: [{name: a, set: [x.y=1, z=]}, {name: b c}]}\n"
                           "...\n";

static bool read_grid(struct loom_sweep *s, const char *text, struct loom_error *err) {
  struct loom_source src;
  assert_true(loom_source_copy(&src, "p/s", text, strlen(text)));
  bool ok = loom_read_sweep(s, &src, err);
  loom_source_free(&src);
  return ok;
}

static void a_sweep_has_a_point_for_each_combination(void **state) {
  (void)state;
  struct loom_sweep s;
  struct loom_error err = {.line = ""};
  struct loom_edit edit[(LOOM_SWEEP_AXES + 1) * LOOM_SWEEP_SETS];
  char name[LOOM_SWEEP_NAME];
  assert_true(read_grid(&s, grid, &err));
  assert_string_equal(s.fabric, "p/d/f.yaml");
  assert_int_equal(s.points, 4);
  loom_sweep_point_name(&s, 1, name);
  assert_string_equal(name, "load=0.5,way=b_c");
  assert_int_equal(loom_sweep_edits(&s, 2, edit), 5);
  assert_string_equal(edit[0].path, "run.seeds");
  assert_string_equal(edit[1].value, "50");
  assert_string_equal(edit[2].value, "1");
  assert_string_equal(edit[3].path, "x.y");
  assert_string_equal(edit[4].value, "");
  loom_sweep_free(&s);
}

/* The loads of a search are exact decimals, both ends among them. */
static void a_search_has_a_point_for_each_load_of_its_ladder(void **state) {
  (void)state;
  struct loom_sweep s;
  struct loom_error err = {.line = ""};
  struct loom_edit edit[(LOOM_SWEEP_AXES + 1) * LOOM_SWEEP_SETS];
  char name[LOOM_SWEEP_NAME];
  char *text = replaced(grid, "values: [0.5, 1]", "saturation: {from: 0.9, to: 1.2, step: 0.1}");
  assert_true(read_grid(&s, text, &err));
  assert_int_equal(s.search, 0);
  assert_int_equal(s.points, 8);
  static const char *const labels[] = {"0.9", "1", "1.1", "1.2"};
  for (uint32_t v = 0; v < 4; v++)
    assert_string_equal(s.axis[0].value[v].label, labels[v]);
  loom_sweep_point_name(&s, loom_sweep_moved(&s, 7, 0, 1), name);
  assert_string_equal(name, "load=1,way=b_c");
  assert_int_equal(loom_sweep_moved(&s, 2, 1, 1), 3);
  assert_int_equal(loom_sweep_edits(&s, 3, edit), 3);
  assert_string_equal(edit[2].path, "load");
  assert_string_equal(edit[2].value, "1");
  loom_sweep_free(&s);
  free(text);
}

/* Each point has a directory of its own, however late its label differs. */
static void each_point_of_a_sweep_has_a_directory_of_its_own(void **state) {
  (void)state;
  struct loom_sweep s;
  struct loom_error err = {.line = ""};
  char name[LOOM_SWEEP_NAME];
  char *text = replaced(grid, "{name: a, set: [x.y=1, z=]}, {name: b c}",
                        "{name: 40-characters-that-differ-in-the-last--a},"
                        " {name: 40-characters-that-differ-in-the-last--b}, {name: \"c,d=e\"}");
  assert_true(read_grid(&s, text, &err));
  loom_sweep_point_name(&s, 0, name);
  assert_string_equal(name, "load=0.5,way=40-characters-that-differ-in-the-last--a");
  loom_sweep_point_name(&s, 1, name);
  assert_string_equal(name, "load=0.5,way=40-characters-that-differ-in-the-last--b");
  loom_sweep_point_name(&s, 2, name);
  assert_string_equal(name, "load=0.5,way=c_d_e");
  loom_sweep_free(&s);
  free(text);
}

/* 255 characters are the most that a directory's name may have, 15 may stand after it. */
static void the_name_of_a_point_is_cut_to_what_a_directory_may_have(void **state) {
  (void)state;
  static const char head[] = "---\nname: s\nfabric: f.yaml\ngrid:\n";
  static const char axis[] = "  - {name: %c%.*s, points: [{name: %.*s}]}\n";
  static const char forty[] = "-23456789-123456789-123456789-123456789-";
  for (int extra = 0; extra < 2; extra++) {
    struct loom_sweep s;
    struct loom_error err = {.line = ""};
    char text[1000], name[LOOM_SWEEP_NAME];
    size_t used = (size_t)snprintf(text, sizeof text, "%s", head);
    for (int a = 0; a < 4; a++) /* 4 * (1 + 27 + 1 + 30) + 3 + 1 = 240 */
      used += (size_t)snprintf(text + used, sizeof text - used, axis, 'a' + a, 27, forty,
                               30 + (a == 3) + (a == 2 && extra), forty + 1);
    snprintf(text + used, sizeof text - used, "...\n");
    assert_int_equal(read_grid(&s, text, &err), !extra);
    if (extra) {
      assert_string_equal(
          err.line, "p/s:5: grid: the name of a point would have 241 characters, 240 are the most");
      continue;
    }
    loom_sweep_point_name(&s, 0, name);
    assert_int_equal(strlen(name), LOOM_SWEEP_FOLDER);
    loom_sweep_free(&s);
  }
}

static void wrong_sweeps_are_refused_where_they_are_wrong(void **state) {
  (void)state;
  static const struct refusal cases[] = {
      {grid, "seeds: 2", "seeds: 0", "p/s:4: seeds: 0 is outside 1..1000"},
      {grid, "run.measure=50", "run.measure", "p/s:5: set[0]: `run.measure` is not KEY=VALUE"},
      {grid, "key: load, ", "",
       "p/s:7: grid[0]: give key and values, key and saturation, or name and points"},
      {grid, "[0.5, 1]", "[0.5, 1], saturation: {from: 1, to: 2, step: 1}",
       "p/s:7: grid[0]: give key and values, key and saturation, or name and points"},
      {grid, "name: way, ", "", "p/s:8: grid[1].name: missing key"},
      {grid, "name: b c", "name: a", "p/s:8: grid[1]: `a` and `a` would share a directory"},
      {grid, "{name: b c}", "{name: b c}, {name: \"b,c\"}",
       "p/s:8: grid[1]: `b c` and `b,c` would share a directory"},
      {grid, "[0.5, 1]", "[0.5, 0.00000000000000000000000000000000000000001]",
       "p/s:7: grid[0].values[1]: has more than 40 characters: give it a name"},
      {grid, "key: load", "key: a.b.c.d.e.f.g.h.i.j.k.l.m.n.o.p.q.r.s.t.u",
       "p/s:7: grid[0]: has more than 40 characters: give it a name"},
      {grid, "name: way", "name: load", "p/s:8: grid[1]: another axis is called `load`"},
      {grid, "[0.5, 1]", "[]", "p/s:7: grid[0].values: too few entries"},
      {grid, "load, values: [0.5, 1]", "run.seed, saturation: {from: 1, to: 2, step: 1}",
       "p/s:7: grid[0].saturation: is searched along load or load.CLASS, not run.seed"},
      {grid, "values: [0.5, 1]", "saturation: {from: 1, to: 2}",
       "p/s:7: grid[0].saturation.step: missing key"},
      {grid, "values: [0.5, 1]", "saturation: {from: 2, to: 1, step: 0.1}",
       "p/s:7: grid[0].saturation: has no loads, 1 to 128 are possible"},
      {grid, "values: [0.5, 1]", "saturation: {from: 0.1, to: 1.38, step: 0.01}",
       "p/s:7: grid[0].saturation: has too many loads, 1 to 128 are possible"},
      {grid, "values: [0.5, 1]", "saturation: {from: 0, to: 1, step: 0.1}",
       "p/s:7: grid[0].saturation.from: 0 is outside 0.000001..1000"},
      {grid, "values: [0.5, 1]", "saturation: {from: 1, to: 2, step: 0}",
       "p/s:7: grid[0].saturation.step: 0 is outside 0.000001..1000"},
      {grid, "values: [0.5, 1]",
       "saturation: {from: 1, to: 2, step: 1}}\n  - {key: load.A, saturation: {from: 1, to: 2, "
       "step: 1}",
       "p/s:8: grid[1]: another axis is searched for saturation"},
      {grid, "...\n", "",
       "p/s:9: end: the file is cut short: it starts with \"---\" and must end with a line "
       "\"...\""},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    struct loom_sweep s;
    struct loom_error err = {.line = ""};
    char *text = replaced(cases[i].text, cases[i].from, cases[i].to);
    assert_false(read_grid(&s, text, &err));
    assert_string_equal(err.line, cases[i].line);
    free(text);
  }
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_fabric_file_says_the_shape_and_its_routing),
      cmocka_unit_test(a_fabric_file_says_the_parameters_of_its_devices),
      cmocka_unit_test(an_entry_of_an_sl_stands_for_each_vl_of_its_class),
      cmocka_unit_test(a_fabric_file_says_what_is_sent_and_for_how_long),
      cmocka_unit_test(a_trace_says_its_mapping_collectives_and_flags),
      cmocka_unit_test(a_run_with_traces_has_no_warm_up_unless_the_file_says_so),
      cmocka_unit_test(wrong_fabric_files_are_refused_where_they_are_wrong),
      cmocka_unit_test(every_section_that_is_wrong_is_told_in_one_go),
      cmocka_unit_test(no_beginning_of_a_fabric_file_is_taken_for_the_whole),
      cmocka_unit_test(plans_that_cannot_be_are_refused_by_the_key),
      cmocka_unit_test(the_length_of_a_cable_is_a_latency),
      cmocka_unit_test(every_vl_has_room_for_a_packet_at_both_ends),
      cmocka_unit_test(switches_are_written_the_maps_of_their_turns),
      cmocka_unit_test(a_change_replaces_one_value_in_its_place),
      cmocka_unit_test(a_copy_without_a_change_is_the_same_file),
      cmocka_unit_test(a_sweep_has_a_point_for_each_combination),
      cmocka_unit_test(a_search_has_a_point_for_each_load_of_its_ladder),
      cmocka_unit_test(each_point_of_a_sweep_has_a_directory_of_its_own),
      cmocka_unit_test(the_name_of_a_point_is_cut_to_what_a_directory_may_have),
      cmocka_unit_test(wrong_sweeps_are_refused_where_they_are_wrong),
  };
  return UNIT_RUN("fabric_file", tests, NULL, NULL);
}

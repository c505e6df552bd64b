/* SPDX-License-Identifier: Apache-2.0 */
#include "run/spec_schema.h"

#include <stdio.h>
#include <string.h>

#include "elan5/elan5.h"
#include "fabric/fabric.h"
#include "io/read_vef.h"
#include "io/routing_words.h"

enum { NEEDED = LOOM_YAML_NEEDED, MAY_MISS = LOOM_YAML_MAY_MISS };

#define WORD(type, key, need) LOOM_YAML_TEXT_KEY(#key, need, type, key, 80)
#define NAMED(type, key, need) LOOM_YAML_TEXT_KEY(#key, need, type, key, LOOM_SPEC_FILE)
#define ONE_OF(type, key, words) LOOM_YAML_WORD_KEY(#key, MAY_MISS, type, key, words)
#define FLAG(type, key) ONE_OF(type, key, loom_yaml_flags)
#define COUNT(type, key, least, most)                                                              \
  LOOM_YAML_NUMBER_KEY(#key, MAY_MISS, type, key, 0, least, most)
/* One of the words, or a whole number. */
#define EITHER(type, member, list, low, high)                                                      \
  {                                                                                                \
    .key = #member, .offset = offsetof(struct type, member), .value = {                            \
      .kind = LOOM_YAML_TEXT,                                                                      \
      .min = 1,                                                                                    \
      .max = LOOM_YAML_NUMBER,                                                                     \
      .words = (list),                                                                             \
      .least = (low),                                                                              \
      .most = (high)                                                                               \
    }                                                                                              \
  }
#define PARTS(type, key, digits, least, most)                                                      \
  LOOM_YAML_NUMBER_KEY(#key, MAY_MISS, type, key, digits, least, most)
#define LIST(type, key, entry, max) LOOM_YAML_LIST_KEY(#key, MAY_MISS, type, key, entry, max)
#define PART(type, name, member, part)                                                             \
  LOOM_YAML_MAP_KEY(name, MAY_MISS, type, member, loom_raw_##member, part)

static const char *const automatic[] = {"auto", NULL};
static const char *const any[] = {"any", NULL};

static const struct loom_yaml_schema text_schema = LOOM_YAML_TEXT_OF(80);

static const struct loom_yaml_field topology_fields[] = {
    ONE_OF(loom_raw_topology, kind, loom_shape_names),
    NAMED(loom_raw_topology, file, MAY_MISS),
    COUNT(loom_raw_topology, k, 1, LOOM_TOPO_SIZE_MAX),
    COUNT(loom_raw_topology, n, 1, LOOM_TOPO_SIZE_MAX),
    WORD(loom_raw_topology, size, MAY_MISS),
    COUNT(loom_raw_topology, nodes, 1, LOOM_TOPO_SIZE_MAX),
    COUNT(loom_raw_topology, trunk, 1, LOOM_TOPO_SIZE_MAX),
    COUNT(loom_raw_topology, radix, 1, LOOM_TOPO_SIZE_MAX),
    COUNT(loom_raw_topology, ports, 1, LOOM_TOPO_SIZE_MAX),
    COUNT(loom_raw_topology, links, 1, LOOM_TOPO_SIZE_MAX),
    COUNT(loom_raw_topology, rails, 1, LOOM_TOPO_SIZE_MAX),
    FLAG(loom_raw_topology, full),
    FLAG(loom_raw_topology, spread),
    FLAG(loom_raw_topology, blade),
    COUNT(loom_raw_topology, top, 1, LOOM_TOPO_SIZE_MAX),
    COUNT(loom_raw_topology, hosted, 1, LOOM_TOPO_SIZE_MAX),
    COUNT(loom_raw_topology, routers, 1, LOOM_TOPO_SIZE_MAX),
    COUNT(loom_raw_topology, leaves, 1, LOOM_TOPO_SIZE_MAX),
    COUNT(loom_raw_topology, spines, 1, LOOM_TOPO_SIZE_MAX),
    COUNT(loom_raw_topology, globals, 1, LOOM_TOPO_SIZE_MAX),
    COUNT(loom_raw_topology, groups, 1, LOOM_TOPO_SIZE_MAX),
    WORD(loom_raw_topology, down, MAY_MISS),
    COUNT(loom_raw_topology, q, 1, LOOM_TOPO_SIZE_MAX),
    WORD(loom_raw_topology, up, MAY_MISS),
    {.key = NULL},
};

static const struct loom_yaml_field routing_fields[] = {
    ONE_OF(loom_raw_routing, engine, loom_routing_engine_words),
    ONE_OF(loom_raw_routing, layering, loom_routing_avoid_words),
    COUNT(loom_raw_routing, vls, 1, LOOM_SPEC_LAYERS),
    ONE_OF(loom_raw_routing, cover, loom_routing_cover_words),
    ONE_OF(loom_raw_routing, ties, loom_routing_ties_words),
    ONE_OF(loom_raw_routing, choose, loom_routing_choose_words),
    ONE_OF(loom_raw_routing, trunk, loom_routing_trunk_words),
    LIST(loom_raw_routing, loads, &text_schema, LOOM_SPEC_LOADS),
    EITHER(loom_raw_routing, lmc, automatic, 0, LOOM_ROUTING_LMC),
    NAMED(loom_raw_routing, lfts, MAY_MISS),
    NAMED(loom_raw_routing, path_records, MAY_MISS),
    FLAG(loom_raw_routing, allow_cycles),
    LIST(loom_raw_routing, roots, &text_schema, LOOM_SPEC_ROOTS),
    {.key = NULL},
};

static const struct loom_yaml_field link_fields[] = {
    COUNT(loom_raw_link, latency, 1, LOOM_FABRIC_LATENCY),
    COUNT(loom_raw_link, host_latency, 1, LOOM_FABRIC_LATENCY),
    PARTS(loom_raw_link, length, 2, 1, LOOM_SPEC_CENTIMETRES),
    PARTS(loom_raw_link, host_length, 2, 1, LOOM_SPEC_CENTIMETRES),
    PARTS(loom_raw_link, bit_errors, 12, 0, UINT64_C(1000000000000)),
    PARTS(loom_raw_link, rate, 3, 1, LOOM_SPEC_RATE),
    {.key = NULL},
};

static const struct loom_yaml_field host_fields[] = {
    COUNT(loom_raw_host, buffer, 16 * LOOM_UNIT_BYTES, 4096 * LOOM_UNIT_BYTES),
    COUNT(loom_raw_host, queue, 1, LOOM_SPEC_QUEUE),
    COUNT(loom_raw_host, take, 1, LOOM_SPEC_TAKE),
    WORD(loom_raw_host, paths, MAY_MISS),
    {.key = NULL},
};

enum {
  BYTES_LEAST = LOOM_HOST_MTU_MIN * LOOM_FLIT_BYTES,
  BYTES_MOST = LOOM_HOST_MTU_MAX * LOOM_FLIT_BYTES
};
static const struct loom_yaml_schema lane_schema = LOOM_YAML_NUMBER_OF(0, 0, 31);
static const struct loom_yaml_field class_fields[] = {
    WORD(loom_raw_class, name, NEEDED),
    LOOM_YAML_NUMBER_KEY("sl", NEEDED, loom_raw_class, sl, 0, 0, 31),
    COUNT(loom_raw_class, sc, 0, 31),
    COUNT(loom_raw_class, vl, 0, 31),
    LOOM_YAML_NUMBER_KEY("mtu", NEEDED, loom_raw_class, mtu, 0, BYTES_LEAST, BYTES_MOST),
    COUNT(loom_raw_class, packet, 1, BYTES_MOST),
    LIST(loom_raw_class, scs, &lane_schema, LOOM_SPEC_LAYERS),
    LIST(loom_raw_class, vls, &lane_schema, LOOM_SPEC_LAYERS),
    {.key = NULL},
};
static const struct loom_yaml_schema class_schema = LOOM_YAML_MAP_OF(loom_raw_class, class_fields);

static const struct loom_yaml_field share_fields[] = {
    LOOM_YAML_NUMBER_KEY("vl", NEEDED, loom_raw_share, vl, 0, 0, 31),
    COUNT(loom_raw_share, reserved, 0, 4096 * LOOM_UNIT_BYTES),
    COUNT(loom_raw_share, max, LOOM_UNIT_BYTES, 4096 * LOOM_UNIT_BYTES),
    {.key = NULL},
};
static const struct loom_yaml_schema share_schema = LOOM_YAML_MAP_OF(loom_raw_share, share_fields);

static const struct loom_yaml_field entry_fields[] = {
    COUNT(loom_raw_entry, sl, 0, 31),
    COUNT(loom_raw_entry, vl, 0, 31),
    LOOM_YAML_NUMBER_KEY("weight", NEEDED, loom_raw_entry, weight, 0, 0, 255),
    {.key = NULL},
};
static const struct loom_yaml_schema entry_schema = LOOM_YAML_MAP_OF(loom_raw_entry, entry_fields);

static const struct loom_yaml_schema host_schema = LOOM_YAML_NUMBER_OF(0, 0, LOOM_SPEC_HOSTS - 1);
static const struct loom_yaml_field offer_fields[] = {
    LOOM_YAML_TEXT_KEY("class", NEEDED, loom_raw_offer, class_name, 80),
    ONE_OF(loom_raw_offer, operation, loom_operation_names),
    ONE_OF(loom_raw_offer, kind, loom_spec_kind_names),
    WORD(loom_raw_offer, algorithm, MAY_MISS),
    ONE_OF(loom_raw_offer, pattern, loom_pattern_names),
    COUNT(loom_raw_offer, size, 1, LOOM_SPEC_MESSAGE),
    PARTS(loom_raw_offer, load, 9, 0, LOOM_ELAN5_LINKS *(uint64_t)LOOM_SPEC_PARTS),
    ONE_OF(loom_raw_offer, process, loom_process_names),
    COUNT(loom_raw_offer, burst, 1, LOOM_SPEC_BURST),
    COUNT(loom_raw_offer, messages, 1, UINT32_MAX),
    COUNT(loom_raw_offer, shift, 1, LOOM_SPEC_HOSTS - 1),
    PARTS(loom_raw_offer, heat, 6, 0, 1000000),
    NAMED(loom_raw_offer, file, MAY_MISS),
    COUNT(loom_raw_offer, tasks, 2, LOOM_SPEC_HOSTS),
    WORD(loom_raw_offer, mapping, MAY_MISS),
    WORD(loom_raw_offer, grid, MAY_MISS),
    COUNT(loom_raw_offer, nodes, 1, LOOM_SPEC_HOSTS),
    COUNT(loom_raw_offer, arity, 2, LOOM_SPEC_ARITY),
    COUNT(loom_raw_offer, jobs, 1, LOOM_SPEC_JOBS),
    EITHER(loom_raw_offer, trees, any, 1, LOOM_SPEC_TREES),
    COUNT(loom_raw_offer, gap, 0, LOOM_SPEC_WAIT),
    COUNT(loom_raw_offer, skew, 0, LOOM_SPEC_WAIT),
    LIST(loom_raw_offer, targets, &host_schema, 65536),
    {.key = NULL},
};
static const struct loom_yaml_schema offer_schema = LOOM_YAML_MAP_OF(loom_raw_offer, offer_fields);

static const struct loom_yaml_field intra_fields[] = {
    COUNT(loom_raw_intra, latency, 0, LOOM_VEF_NAMES_LATENCY),
    COUNT(loom_raw_intra, bandwidth, 1, LOOM_SPEC_MESSAGE),
    NAMED(loom_raw_intra, table, MAY_MISS),
    {.key = NULL},
};

static const struct loom_yaml_field trace_fields[] = {
    NAMED(loom_raw_trace, file, MAY_MISS),
    ONE_OF(loom_raw_trace, program, loom_vef_op_names),
    COUNT(loom_raw_trace, tasks, 2, LOOM_VEF_TASKS),
    COUNT(loom_raw_trace, rounds, 1, LOOM_SPEC_ROUNDS),
    COUNT(loom_raw_trace, bytes, 0, UINT32_MAX),
    LOOM_YAML_TEXT_KEY("class", NEEDED, loom_raw_trace, class_name, 80),
    COUNT(loom_raw_trace, start, 0, LOOM_SPEC_CYCLES),
    WORD(loom_raw_trace, mapping, MAY_MISS),
    NAMED(loom_raw_trace, names, MAY_MISS),
    ONE_OF(loom_raw_trace, collectives, loom_vef_algorithm_names),
    LOOM_YAML_TEXT_KEY("ops", MAY_MISS, loom_raw_trace, ops, LOOM_SPEC_OPS),
    WORD(loom_raw_trace, triggers, MAY_MISS),
    PART(loom_raw_trace, "intra", intra, intra_fields),
    LIST(loom_raw_trace, places, &host_schema, 65536),
    {.key = NULL},
};
static const struct loom_yaml_schema trace_schema = LOOM_YAML_MAP_OF(loom_raw_trace, trace_fields);

static const struct loom_yaml_field fault_fields[] = {
    LOOM_YAML_NUMBER_KEY("at", NEEDED, loom_raw_fault, at, 0, 0, LOOM_SPEC_CYCLES),
    LOOM_YAML_WORD_KEY("what", NEEDED, loom_raw_fault, what, loom_fault_names),
    WORD(loom_raw_fault, link, MAY_MISS),
    LOOM_YAML_TEXT_KEY("switch", MAY_MISS, loom_raw_fault, device, 80),
    PARTS(loom_raw_fault, chance, 12, 0, UINT64_C(1000000000000)),
    {.key = NULL},
};
static const struct loom_yaml_schema fault_schema = LOOM_YAML_MAP_OF(loom_raw_fault, fault_fields);

static const struct loom_yaml_field management_fields[] = {
    ONE_OF(loom_raw_management, cure, loom_cure_names),
    COUNT(loom_raw_management, delay, 0, LOOM_SPEC_DELAY),
    {.key = NULL},
};

static const struct loom_yaml_field run_fields[] = {
    COUNT(loom_raw_run, warmup, 0, LOOM_SPEC_CYCLES),
    COUNT(loom_raw_run, measure, 1, LOOM_SPEC_CYCLES),
    COUNT(loom_raw_run, drain, 0, LOOM_SPEC_CYCLES),
    COUNT(loom_raw_run, seeds, 1, LOOM_SPEC_SEEDS),
    COUNT(loom_raw_run, seed, 1, LOOM_SPEC_CYCLES),
    COUNT(loom_raw_run, interval, 0, LOOM_SPEC_CYCLES),
    COUNT(loom_raw_run, watchdog, 0, LOOM_SPEC_CYCLES),
    WORD(loom_raw_run, until, MAY_MISS),
    PARTS(loom_raw_run, precision, 9, LOOM_SPEC_PRECISION_LEAST, LOOM_SPEC_PRECISION_MOST),
    COUNT(loom_raw_run, limit, 1, LOOM_SPEC_CYCLES),
    COUNT(loom_raw_run, cycle, 1, LOOM_SPEC_PICOSECONDS),
    LIST(loom_raw_run, stats, &text_schema, LOOM_STATISTICS),
    {.key = NULL},
};

/* `parameters` follows at run time. */
static const struct loom_yaml_field device_fields[] = {
    LOOM_YAML_WORD_KEY("kind", NEEDED, loom_raw_switch, kind, loom_device_names),
    ONE_OF(loom_raw_switch, scheduler, loom_spec_schedulers),
    ONE_OF(loom_raw_switch, stages, loom_spec_stages),
    ONE_OF(loom_raw_switch, central, loom_spec_central),
    ONE_OF(loom_raw_switch, choice, loom_elite5_choice_names),
    COUNT(loom_raw_switch, threshold, 0, LOOM_ELITE5_THRESHOLD_MAX),
    FLAG(loom_raw_switch, activity),
    COUNT(loom_raw_switch, expire, 0, LOOM_ELITE5_EXPIRE_MAX),
    LIST(loom_raw_switch, preempt, &lane_schema, LOOM_VLS),
};

/* `switch` follows at run time. */
static const struct loom_yaml_field top_fields[] = {
    LOOM_YAML_TEXT_KEY("name", NEEDED, loom_raw_fabric, name, LOOM_SPEC_NAME),
    PART(loom_raw_fabric, "topology", topology, topology_fields),
    PART(loom_raw_fabric, "routing", routing, routing_fields),
    PART(loom_raw_fabric, "link", link, link_fields),
    PART(loom_raw_fabric, "host", host, host_fields),
    LIST(loom_raw_fabric, classes, &class_schema, LOOM_HOST_CLASSES),
    LIST(loom_raw_fabric, vls, &share_schema, 32),
    LIST(loom_raw_fabric, table, &entry_schema, LOOM_SPEC_TABLE),
    LIST(loom_raw_fabric, high, &entry_schema, LOOM_SPEC_TABLE),
    LIST(loom_raw_fabric, low, &entry_schema, LOOM_SPEC_TABLE),
    COUNT(loom_raw_fabric, limit, 0, 255),
    WORD(loom_raw_fabric, mode, MAY_MISS),
    WORD(loom_raw_fabric, low_grant, MAY_MISS),
    NAMED(loom_raw_fabric, dtable, MAY_MISS),
    NAMED(loom_raw_fabric, opensm, MAY_MISS),
    LIST(loom_raw_fabric, traffic, &offer_schema, LOOM_SPEC_OFFERS),
    LIST(loom_raw_fabric, traces, &trace_schema, LOOM_SPEC_TRACES),
    LIST(loom_raw_fabric, faults, &fault_schema, LOOM_SPEC_FAULTS),
    PART(loom_raw_fabric, "management", management, management_fields),
    PART(loom_raw_fabric, "run", run, run_fields),
    LIST(loom_raw_fabric, shadow, &text_schema, LOOM_SPEC_SHADOWS),
};

static void build_parameters(struct loom_spec_schema *s) {
  const char *name[LOOM_PARAMETERS];
  uint32_t count = loom_parameter_names(name);
  for (uint32_t i = 0; i < count; i++) {
    s->parameter[i] = (struct loom_yaml_field)LOOM_YAML_NUMBER_KEY(
        name[i], MAY_MISS, loom_raw_parameters, value, 0, 0, UINT32_MAX);
    s->parameter[i].offset += i * sizeof(char *);
  }
}

void loom_spec_schema(struct loom_spec_schema *s) {
  enum {
    DEVICE = sizeof device_fields / sizeof device_fields[0],
    TOP = sizeof top_fields / sizeof top_fields[0]
  };
  memset(s, 0, sizeof *s);
  build_parameters(s);
  memcpy(s->device, device_fields, sizeof device_fields);
  s->device[DEVICE] = (struct loom_yaml_field)LOOM_YAML_MAP_KEY(
      "parameters", MAY_MISS, loom_raw_switch, parameters, loom_raw_parameters, s->parameter);
  memcpy(s->top, top_fields, sizeof top_fields);
  s->top[TOP] = (struct loom_yaml_field)LOOM_YAML_MAP_KEY("switch", NEEDED, loom_raw_fabric, device,
                                                          loom_raw_switch, s->device);
  s->value = (struct loom_yaml_schema)LOOM_YAML_MAP_OF(loom_raw_fabric, s->top);
}

struct loom_path loom_spec_at(const char *list, uint32_t index, const char *key) {
  return loom_path(key ? "%s[%u].%s" : "%s[%u]", list, (unsigned)index, key);
}

bool loom_spec_flag(const struct loom_spec_reader *r, const char *path, const char *text,
                    bool *value) {
  static const char *const words[] = {"false", "true", NULL};
  unsigned found = *value;
  if (!loom_yaml_word(&r->yaml, path, text, words, &found))
    return false;
  *value = found;
  return true;
}

bool loom_spec_text(const struct loom_spec_reader *r, const char *path, const char *text, char *out,
                    size_t size) {
  for (const char *c = text; *c; c++)
    if (*c < ' ' || *c > '~')
      return loom_yaml_fail(&r->yaml, path, "has a character that is not plain");
  if (strlen(text) >= size)
    return loom_yaml_fail(&r->yaml, path, "has more than %zu characters", size - 1);
  snprintf(out, size, "%s", text);
  return true;
}

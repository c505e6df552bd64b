/* SPDX-License-Identifier: Apache-2.0 */
#include "run/spec_schema.h"

#include <stdio.h>
#include <string.h>

enum { NEEDED = LOOM_YAML_NEEDED, MAY_MISS = LOOM_YAML_MAY_MISS };

#define WORD(type, key, need) LOOM_YAML_TEXT_KEY(#key, need, type, key, 80)
#define NAMED(type, key, need) LOOM_YAML_TEXT_KEY(#key, need, type, key, LOOM_SPEC_FILE)
#define LIST(type, key, entry, max) LOOM_YAML_LIST_KEY(#key, MAY_MISS, type, key, entry, max)
#define PART(type, name, member, part)                                                             \
  LOOM_YAML_MAP_KEY(name, MAY_MISS, type, member, loom_raw_##member, part)

static const struct loom_yaml_schema text_schema = LOOM_YAML_TEXT_OF(80);

static const struct loom_yaml_field topology_fields[] = {
    WORD(loom_raw_topology, kind, MAY_MISS),
    NAMED(loom_raw_topology, file, MAY_MISS),
    WORD(loom_raw_topology, k, MAY_MISS),
    WORD(loom_raw_topology, n, MAY_MISS),
    WORD(loom_raw_topology, size, MAY_MISS),
    WORD(loom_raw_topology, nodes, MAY_MISS),
    WORD(loom_raw_topology, trunk, MAY_MISS),
    WORD(loom_raw_topology, radix, MAY_MISS),
    WORD(loom_raw_topology, ports, MAY_MISS),
    WORD(loom_raw_topology, links, MAY_MISS),
    WORD(loom_raw_topology, rails, MAY_MISS),
    WORD(loom_raw_topology, full, MAY_MISS),
    WORD(loom_raw_topology, spread, MAY_MISS),
    WORD(loom_raw_topology, blade, MAY_MISS),
    WORD(loom_raw_topology, top, MAY_MISS),
    WORD(loom_raw_topology, hosted, MAY_MISS),
    WORD(loom_raw_topology, routers, MAY_MISS),
    WORD(loom_raw_topology, globals, MAY_MISS),
    WORD(loom_raw_topology, groups, MAY_MISS),
    WORD(loom_raw_topology, down, MAY_MISS),
    WORD(loom_raw_topology, q, MAY_MISS),
    WORD(loom_raw_topology, up, MAY_MISS),
    {.key = NULL},
};

static const struct loom_yaml_field routing_fields[] = {
    WORD(loom_raw_routing, engine, MAY_MISS),
    WORD(loom_raw_routing, layering, MAY_MISS),
    WORD(loom_raw_routing, vls, MAY_MISS),
    WORD(loom_raw_routing, cover, MAY_MISS),
    WORD(loom_raw_routing, ties, MAY_MISS),
    WORD(loom_raw_routing, choose, MAY_MISS),
    WORD(loom_raw_routing, trunk, MAY_MISS),
    LIST(loom_raw_routing, loads, &text_schema, LOOM_SPEC_LOADS),
    WORD(loom_raw_routing, lmc, MAY_MISS),
    NAMED(loom_raw_routing, lfts, MAY_MISS),
    NAMED(loom_raw_routing, path_records, MAY_MISS),
    WORD(loom_raw_routing, allow_cycles, MAY_MISS),
    LIST(loom_raw_routing, roots, &text_schema, LOOM_SPEC_ROOTS),
    {.key = NULL},
};

static const struct loom_yaml_field link_fields[] = {
    WORD(loom_raw_link, latency, MAY_MISS),
    WORD(loom_raw_link, host_latency, MAY_MISS),
    WORD(loom_raw_link, length, MAY_MISS),
    WORD(loom_raw_link, host_length, MAY_MISS),
    WORD(loom_raw_link, bit_errors, MAY_MISS),
    WORD(loom_raw_link, rate, MAY_MISS),
    {.key = NULL},
};

static const struct loom_yaml_field host_fields[] = {
    WORD(loom_raw_host, buffer, MAY_MISS),
    WORD(loom_raw_host, queue, MAY_MISS),
    WORD(loom_raw_host, take, MAY_MISS),
    WORD(loom_raw_host, paths, MAY_MISS),
    {.key = NULL},
};

static const struct loom_yaml_field class_fields[] = {
    WORD(loom_raw_class, name, NEEDED),
    WORD(loom_raw_class, sl, NEEDED),
    WORD(loom_raw_class, sc, MAY_MISS),
    WORD(loom_raw_class, vl, MAY_MISS),
    WORD(loom_raw_class, mtu, NEEDED),
    WORD(loom_raw_class, packet, MAY_MISS),
    LIST(loom_raw_class, scs, &text_schema, LOOM_SPEC_LAYERS),
    LIST(loom_raw_class, vls, &text_schema, LOOM_SPEC_LAYERS),
    {.key = NULL},
};
static const struct loom_yaml_schema class_schema = LOOM_YAML_MAP_OF(loom_raw_class, class_fields);

static const struct loom_yaml_field share_fields[] = {
    WORD(loom_raw_share, vl, NEEDED),
    WORD(loom_raw_share, reserved, MAY_MISS),
    WORD(loom_raw_share, max, MAY_MISS),
    {.key = NULL},
};
static const struct loom_yaml_schema share_schema = LOOM_YAML_MAP_OF(loom_raw_share, share_fields);

static const struct loom_yaml_field entry_fields[] = {
    WORD(loom_raw_entry, sl, MAY_MISS),
    WORD(loom_raw_entry, vl, MAY_MISS),
    WORD(loom_raw_entry, weight, NEEDED),
    {.key = NULL},
};
static const struct loom_yaml_schema entry_schema = LOOM_YAML_MAP_OF(loom_raw_entry, entry_fields);

static const struct loom_yaml_field offer_fields[] = {
    LOOM_YAML_TEXT_KEY("class", NEEDED, loom_raw_offer, class_name, 80),
    WORD(loom_raw_offer, operation, MAY_MISS),
    WORD(loom_raw_offer, kind, MAY_MISS),
    WORD(loom_raw_offer, algorithm, MAY_MISS),
    WORD(loom_raw_offer, pattern, MAY_MISS),
    WORD(loom_raw_offer, size, MAY_MISS),
    WORD(loom_raw_offer, load, MAY_MISS),
    WORD(loom_raw_offer, process, MAY_MISS),
    WORD(loom_raw_offer, burst, MAY_MISS),
    WORD(loom_raw_offer, messages, MAY_MISS),
    WORD(loom_raw_offer, shift, MAY_MISS),
    WORD(loom_raw_offer, heat, MAY_MISS),
    NAMED(loom_raw_offer, file, MAY_MISS),
    WORD(loom_raw_offer, tasks, MAY_MISS),
    WORD(loom_raw_offer, mapping, MAY_MISS),
    WORD(loom_raw_offer, grid, MAY_MISS),
    WORD(loom_raw_offer, nodes, MAY_MISS),
    WORD(loom_raw_offer, arity, MAY_MISS),
    WORD(loom_raw_offer, jobs, MAY_MISS),
    WORD(loom_raw_offer, trees, MAY_MISS),
    WORD(loom_raw_offer, gap, MAY_MISS),
    WORD(loom_raw_offer, skew, MAY_MISS),
    LIST(loom_raw_offer, targets, &text_schema, 65536),
    {.key = NULL},
};
static const struct loom_yaml_schema offer_schema = LOOM_YAML_MAP_OF(loom_raw_offer, offer_fields);

static const struct loom_yaml_field intra_fields[] = {
    WORD(loom_raw_intra, latency, MAY_MISS),
    WORD(loom_raw_intra, bandwidth, MAY_MISS),
    NAMED(loom_raw_intra, table, MAY_MISS),
    {.key = NULL},
};

static const struct loom_yaml_field trace_fields[] = {
    NAMED(loom_raw_trace, file, MAY_MISS),
    WORD(loom_raw_trace, program, MAY_MISS),
    WORD(loom_raw_trace, tasks, MAY_MISS),
    WORD(loom_raw_trace, rounds, MAY_MISS),
    WORD(loom_raw_trace, bytes, MAY_MISS),
    LOOM_YAML_TEXT_KEY("class", NEEDED, loom_raw_trace, class_name, 80),
    WORD(loom_raw_trace, start, MAY_MISS),
    WORD(loom_raw_trace, mapping, MAY_MISS),
    NAMED(loom_raw_trace, names, MAY_MISS),
    WORD(loom_raw_trace, collectives, MAY_MISS),
    LOOM_YAML_TEXT_KEY("ops", MAY_MISS, loom_raw_trace, ops, LOOM_SPEC_OPS),
    WORD(loom_raw_trace, triggers, MAY_MISS),
    PART(loom_raw_trace, "intra", intra, intra_fields),
    LIST(loom_raw_trace, places, &text_schema, 65536),
    {.key = NULL},
};
static const struct loom_yaml_schema trace_schema = LOOM_YAML_MAP_OF(loom_raw_trace, trace_fields);

static const struct loom_yaml_field fault_fields[] = {
    WORD(loom_raw_fault, at, NEEDED),
    WORD(loom_raw_fault, what, NEEDED),
    WORD(loom_raw_fault, link, MAY_MISS),
    LOOM_YAML_TEXT_KEY("switch", MAY_MISS, loom_raw_fault, device, 80),
    WORD(loom_raw_fault, chance, MAY_MISS),
    {.key = NULL},
};
static const struct loom_yaml_schema fault_schema = LOOM_YAML_MAP_OF(loom_raw_fault, fault_fields);

static const struct loom_yaml_field management_fields[] = {
    WORD(loom_raw_management, cure, MAY_MISS),
    WORD(loom_raw_management, delay, MAY_MISS),
    {.key = NULL},
};

static const struct loom_yaml_field run_fields[] = {
    WORD(loom_raw_run, warmup, MAY_MISS),
    WORD(loom_raw_run, measure, MAY_MISS),
    WORD(loom_raw_run, drain, MAY_MISS),
    WORD(loom_raw_run, seeds, MAY_MISS),
    WORD(loom_raw_run, seed, MAY_MISS),
    WORD(loom_raw_run, interval, MAY_MISS),
    WORD(loom_raw_run, watchdog, MAY_MISS),
    WORD(loom_raw_run, until, MAY_MISS),
    WORD(loom_raw_run, precision, MAY_MISS),
    WORD(loom_raw_run, limit, MAY_MISS),
    WORD(loom_raw_run, cycle, MAY_MISS),
    LIST(loom_raw_run, stats, &text_schema, LOOM_STATISTICS),
    {.key = NULL},
};

/* `parameters` follows at run time. */
static const struct loom_yaml_field device_fields[] = {
    WORD(loom_raw_switch, kind, NEEDED),       WORD(loom_raw_switch, scheduler, MAY_MISS),
    WORD(loom_raw_switch, stages, MAY_MISS),   WORD(loom_raw_switch, central, MAY_MISS),
    WORD(loom_raw_switch, choice, MAY_MISS),   WORD(loom_raw_switch, threshold, MAY_MISS),
    WORD(loom_raw_switch, activity, MAY_MISS), WORD(loom_raw_switch, expire, MAY_MISS),
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
    WORD(loom_raw_fabric, limit, MAY_MISS),
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
    s->parameter[i] = (struct loom_yaml_field)LOOM_YAML_TEXT_KEY(name[i], MAY_MISS,
                                                                 loom_raw_parameters, value, 80);
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

/* SPDX-License-Identifier: Apache-2.0 */
/* spec_traffic.c - offers, traces and the run of the fabric file (docs/fabric.md; TR-01..06,
 * VF-12, RS-06) */
#include <stdlib.h>
#include <string.h>

#include "elan5/elan5.h"
#include "io/read_vef.h"
#include "run/spec_schema.h"

enum { PATIENCE = 100 }; /* times `measure` that a measurement may take for its precision */
enum { PROGRAM_BYTES = 1024 };

bool loom_spec_class(const struct loom_spec_reader *r, const char *list, uint32_t i,
                     const char *name, uint32_t *class) {
  const struct loom_spec *s = r->spec;
  for (*class = 0; *class < s->classes; ++*class)
    if (!strcmp(s->traffic_class[*class].name, name))
      return true;
  return loom_yaml_fail(&r->yaml, loom_spec_at(list, i, "class").text, "no class is called `%.40s`",
                        name);
}

/* A list of hosts; the caller's. */
static bool read_hosts(const struct loom_spec_reader *r, const char *path, char **text,
                       uint32_t count, uint32_t **out) {
  *out = calloc((size_t)count + 1, sizeof **out);
  if (!*out)
    return loom_yaml_no_memory(&r->yaml, path);
  for (uint32_t i = 0; i < count; i++)
    if (!loom_yaml_u32(&r->yaml, loom_spec_at(path, i, NULL).text, text[i], 0, LOOM_SPEC_HOSTS - 1,
                       &(*out)[i]))
      return false;
  return true;
}

/* ---- offers ---------------------------------------------------------------------------------- */

/* The one that is being read. */
static struct loom_spec_offer *last_offer(const struct loom_spec_reader *r) {
  return &r->spec->offer[r->spec->offers - 1];
}

/* A key that only some patterns have. */
static bool check_key(const struct loom_spec_reader *r, uint32_t i, const char *key, bool given,
                      bool needed) {
  const char *pattern = loom_pattern_names[last_offer(r)->cfg.pattern.kind];
  if (given == needed)
    return true;
  if (given)
    return loom_yaml_fail(&r->yaml, loom_spec_at("traffic", i, key).text,
                          "means nothing for pattern %s", pattern);
  return loom_yaml_fail(&r->yaml, loom_spec_at("traffic", i, key).text,
                        "missing key: pattern %s needs it", pattern);
}

/* `4x4` hosts or switches in each dimension; of a torus its own size if it is not given. */
static bool read_grid(const struct loom_spec_reader *r, uint32_t i,
                      const struct loom_raw_offer *raw) {
  struct loom_pattern_cfg *p = &last_offer(r)->cfg.pattern;
  const struct loom_shape *torus = &r->spec->shape;
  struct loom_shape grid = {.dims = 0};
  bool has = p->kind == LOOM_PATTERN_TORNADO || p->kind == LOOM_PATTERN_PTRANS;
  bool own = p->kind == LOOM_PATTERN_TORNADO && loom_shape_is_grid(torus->kind) && !raw->grid;
  if (!own && !check_key(r, i, "grid", raw->grid != NULL, has))
    return false;
  if (raw->grid && !loom_shape_size(&grid, raw->grid))
    return loom_yaml_fail(&r->yaml, loom_spec_at("traffic", i, "grid").text,
                          "`%.40s` is not like 8x8 or 8x8x4, from 2 on", raw->grid);
  if (raw->grid && p->kind == LOOM_PATTERN_PTRANS && grid.dims != 2)
    return loom_yaml_fail(&r->yaml, loom_spec_at("traffic", i, "grid").text,
                          "has rows and columns");
  const struct loom_shape *from = own ? torus : &grid;
  p->dims = from->dims;
  memcpy(p->size, from->size, sizeof p->size);
  p->nodes_at = own && torus->nodes ? torus->nodes : 1;
  if (raw->nodes && p->kind != LOOM_PATTERN_TORNADO)
    return check_key(r, i, "nodes", true, false);
  return loom_yaml_u32(&r->yaml, loom_spec_at("traffic", i, "nodes").text, raw->nodes, 1,
                       LOOM_SPEC_HOSTS, &p->nodes_at);
}

static bool read_pattern(const struct loom_spec_reader *r, uint32_t i,
                         const struct loom_raw_offer *raw) {
  static const char *const mappings[] = {"linear", "random", NULL};
  struct loom_spec_offer *o = last_offer(r);
  struct loom_pattern_cfg *p = &o->cfg.pattern;
  unsigned kind = 0, mapping = 0;
  uint64_t heat = 0;
  if (!raw->pattern)
    return loom_yaml_fail(&r->yaml, loom_spec_at("traffic", i, "pattern").text, "missing key");
  if (!loom_yaml_word(&r->yaml, loom_spec_at("traffic", i, "pattern").text, raw->pattern,
                      loom_pattern_names, &kind) ||
      !loom_yaml_word(&r->yaml, loom_spec_at("traffic", i, "mapping").text, raw->mapping, mappings,
                      &mapping))
    return false;
  p->kind = (enum loom_pattern_kind)kind;
  p->shift = 1;
  o->random_places = mapping;
  bool hotspot = p->kind == LOOM_PATTERN_HOTSPOT;
  bool targets = hotspot || p->kind == LOOM_PATTERN_INCAST;
  if ((raw->shift && !check_key(r, i, "shift", true, p->kind == LOOM_PATTERN_SHIFT)) ||
      !check_key(r, i, "heat", raw->heat != NULL, hotspot) ||
      !check_key(r, i, "targets", raw->targets_count > 0, targets) ||
      !check_key(r, i, "file", raw->file != NULL, p->kind == LOOM_PATTERN_FILE) ||
      !loom_yaml_u32(&r->yaml, loom_spec_at("traffic", i, "shift").text, raw->shift, 1,
                     LOOM_SPEC_HOSTS - 1, &p->shift) ||
      !loom_yaml_u32(&r->yaml, loom_spec_at("traffic", i, "tasks").text, raw->tasks, 2,
                     LOOM_SPEC_HOSTS, &p->tasks) ||
      !loom_yaml_number(&r->yaml, loom_spec_at("traffic", i, "heat").text, raw->heat, 6, 0, 1000000,
                        &heat) ||
      !read_grid(r, i, raw))
    return false;
  p->heat = (uint32_t)heat;
  p->target_count = raw->targets_count;
  return (!targets || read_hosts(r, loom_spec_at("traffic", i, "targets").text, raw->targets,
                                 raw->targets_count, &o->targets)) &&
         (!raw->file || loom_spec_text(r, loom_spec_at("traffic", i, "file").text, raw->file,
                                       o->file, sizeof o->file));
}

/* Bytes of a message of an operation, at most; 0: a word, whatever the file says. */
static uint32_t bytes_of(enum loom_operation operation) {
  switch (operation) {
  case LOOM_OPERATION_QUEUE:
    return LOOM_ELAN5_MESSAGE;
  case LOOM_OPERATION_EVENT:
  case LOOM_OPERATION_CONDITIONAL:
    return 0;
  case LOOM_OPERATION_PUT:
  case LOOM_OPERATION_GET:
  case LOOM_OPERATIONS:
  case LOOM_OPERATION_COLLECTIVE:
    break;
  }
  return LOOM_SPEC_MESSAGE;
}

/* What a message asks for, and how large it is. */
static bool read_operation(const struct loom_spec_reader *r, uint32_t i,
                           const struct loom_raw_offer *raw) {
  struct loom_path path = loom_spec_at("traffic", i, "operation");
  struct loom_path size = loom_spec_at("traffic", i, "size");
  struct loom_offer_cfg *c = &last_offer(r)->cfg;
  unsigned operation = LOOM_OPERATION_PUT;
  uint32_t bytes = 0;
  if (raw->operation && !loom_device_is_elite5(r->spec->kind))
    return loom_yaml_fail(&r->yaml, path.text, "only elite5 and crosspoint have it");
  if (!loom_yaml_word(&r->yaml, path.text, raw->operation, loom_operation_names, &operation))
    return false;
  c->operation = (enum loom_operation)operation;
  uint32_t most = bytes_of(c->operation);
  if (raw->size && !most)
    return loom_yaml_fail(&r->yaml, size.text, "means nothing for operation %s",
                          loom_operation_names[operation]);
  if (!raw->size && most)
    return loom_yaml_fail(&r->yaml, size.text, "missing key");
  if (most && !loom_yaml_u32(&r->yaml, size.text, raw->size, 1, most, &bytes))
    return false;
  c->flits = (bytes + LOOM_FLIT_BYTES - 1) / LOOM_FLIT_BYTES;
  if (c->flits < LOOM_HOST_FLITS_MIN)
    c->flits = LOOM_HOST_FLITS_MIN;
  return true;
}

static bool read_offer(const struct loom_spec_reader *r, uint32_t i,
                       const struct loom_raw_offer *raw) {
  struct loom_offer_cfg *c = &last_offer(r)->cfg;
  unsigned process = 0;
  struct loom_path burst = loom_spec_at("traffic", i, "burst");
  /* An Elan5 may send on all its links. */
  uint64_t links = loom_device_is_elite5(r->spec->kind) ? LOOM_ELAN5_LINKS : 1;
  if (!loom_spec_class(r, "traffic", i, raw->class_name, &c->traffic_class) ||
      !read_pattern(r, i, raw) || !read_operation(r, i, raw) ||
      !loom_yaml_number(&r->yaml, loom_spec_at("traffic", i, "load").text, raw->load, 9, 0,
                        links * LOOM_SPEC_PARTS, &c->load) ||
      !loom_yaml_word(&r->yaml, loom_spec_at("traffic", i, "process").text, raw->process,
                      loom_process_names, &process) ||
      !loom_yaml_number(&r->yaml, loom_spec_at("traffic", i, "messages").text, raw->messages, 0, 1,
                        UINT32_MAX, &c->messages))
    return false;
  c->process = (enum loom_process)process;
  bool bursts = c->process == LOOM_PROCESS_BURSTS;
  if (raw->burst && !bursts)
    return loom_yaml_fail(&r->yaml, burst.text, "means nothing for process %s",
                          loom_process_names[process]);
  if (!raw->load && c->process != LOOM_PROCESS_PING_PONG)
    return loom_yaml_fail(&r->yaml, loom_spec_at("traffic", i, "load").text, "missing key");
  c->burst = bursts ? 4 : 1;
  return loom_yaml_u32(&r->yaml, burst.text, raw->burst, 1, LOOM_SPEC_BURST, &c->burst);
}

/* Messages by a rule, or a collective. */
static bool read_entry(const struct loom_spec_reader *r, uint32_t i,
                       const struct loom_raw_offer *raw) {
  struct loom_spec *s = r->spec;
  enum loom_spec_kind kind = LOOM_SPEC_MESSAGES;
  if (!loom_spec_read_kind(r, i, raw, &kind))
    return false;
  if (kind != LOOM_SPEC_MESSAGES)
    return loom_spec_read_collective(r, i, raw, kind);
  s->offer[s->offers++].entry = i; /* what it owns is given back, whole or not */
  return read_offer(r, i, raw);
}

/* ---- traces ---------------------------------------------------------------------------------- */

/* The host of each task. */
static bool read_places(const struct loom_spec_reader *r, uint32_t i,
                        const struct loom_raw_trace *raw) {
  static const char *const mappings[] = {
      [LOOM_VEF_MAP_BLOCK] = "block",   [LOOM_VEF_MAP_LINEAR] = "linear",
      [LOOM_VEF_MAP_RANDOM] = "random", [LOOM_SPEC_PLACES] = "list",
      [LOOM_SPEC_NAMES] = "names",      NULL};
  struct loom_spec_trace *t = &r->spec->trace[i];
  struct loom_path names = loom_spec_at("traces", i, "names");
  struct loom_path places = loom_spec_at("traces", i, "places");
  unsigned mapping = raw->names ? (unsigned)LOOM_SPEC_NAMES : (unsigned)LOOM_VEF_MAP_BLOCK;
  if (!loom_yaml_word(&r->yaml, loom_spec_at("traces", i, "mapping").text, raw->mapping, mappings,
                      &mapping) ||
      (raw->names && !loom_spec_text(r, names.text, raw->names, t->names, sizeof t->names)))
    return false;
  t->mapping = mapping;
  t->place_count = raw->places_count;
  if (mapping == LOOM_SPEC_NAMES && !raw->names)
    return loom_yaml_fail(&r->yaml, names.text, "missing key: `mapping: names` needs it");
  if ((mapping == LOOM_SPEC_PLACES) != (raw->places_count > 0))
    return loom_yaml_fail(&r->yaml, places.text,
                          raw->places_count ? "goes with `mapping: list`"
                                            : "missing key: `mapping: list` needs it");
  return !raw->places_count ||
         read_hosts(r, places.text, raw->places, raw->places_count, &t->places);
}

/* How long messages within a host take (VF-09). */
static bool read_intra(const struct loom_spec_reader *r, uint32_t i,
                       const struct loom_raw_intra *raw) {
  struct loom_spec_trace *t = &r->spec->trace[i];
  if (!raw)
    return true;
  if ((raw->latency != NULL) + (raw->bandwidth != NULL) + (raw->table != NULL) != 1)
    return loom_yaml_fail(&r->yaml, loom_spec_at("traces", i, "intra").text,
                          "give one of latency, bandwidth, table");
  t->intra = raw->latency     ? LOOM_VEF_INTRA_LATENCY
             : raw->bandwidth ? LOOM_VEF_INTRA_BANDWIDTH
                              : LOOM_VEF_INTRA_TABLE;
  return loom_yaml_u32(&r->yaml, loom_spec_at("traces", i, "intra.latency").text, raw->latency, 0,
                       LOOM_VEF_NAMES_LATENCY, &t->latency) &&
         loom_yaml_u32(&r->yaml, loom_spec_at("traces", i, "intra.bandwidth").text, raw->bandwidth,
                       1, LOOM_SPEC_MESSAGE, &t->bandwidth) &&
         (!raw->table || loom_spec_text(r, loom_spec_at("traces", i, "intra.table").text,
                                        raw->table, t->table, sizeof t->table));
}

/* They are cut again when the trace is read. */
static bool read_ops(const struct loom_spec_reader *r, uint32_t i, const char *text,
                     struct loom_spec_trace *t) {
  const struct loom_path path = loom_spec_at("traces", i, "ops");
  char list[sizeof t->ops];
  const char *ops[LOOM_VEF_OPS], *twice = NULL;
  if (!text)
    return true;
  if (!loom_spec_text(r, path.text, text, t->ops, sizeof t->ops))
    return false;
  memcpy(list, t->ops, sizeof list);
  if (loom_vef_cut_ops(list, ops, &twice))
    return true;
  return twice ? loom_yaml_fail(&r->yaml, path.text, "`%.40s` stands twice", twice)
               : loom_yaml_fail(&r->yaml, path.text, "is not a list of %d words", LOOM_VEF_OPS);
}

/* A file, or a program of collectives. */
static bool read_program(const struct loom_spec_reader *r, uint32_t i,
                         const struct loom_raw_trace *raw) {
  struct loom_spec_trace *t = &r->spec->trace[i];
  const struct loom_path path = loom_spec_at("traces", i, "program");
  const struct {
    const char *key, *text;
  } only[] = {{"tasks", raw->tasks}, {"rounds", raw->rounds}, {"bytes", raw->bytes}};
  unsigned op = LOOM_VEF_ALLREDUCE;
  if (!raw->file == !raw->program)
    return loom_yaml_fail(&r->yaml, path.text, "give one of file, program");
  for (unsigned k = 0; k < sizeof only / sizeof only[0]; k++)
    if (raw->file && only[k].text)
      return loom_yaml_fail(&r->yaml, loom_spec_at("traces", i, only[k].key).text,
                            "means nothing for a file");
  if (raw->file)
    return loom_spec_text(r, loom_spec_at("traces", i, "file").text, raw->file, t->file,
                          sizeof t->file);
  if (!raw->tasks)
    return loom_yaml_fail(&r->yaml, loom_spec_at("traces", i, "tasks").text, "missing key");
  if (raw->ops)
    return loom_yaml_fail(&r->yaml, loom_spec_at("traces", i, "ops").text,
                          "means nothing for a program");
  t->rounds = 1;
  t->bytes = PROGRAM_BYTES;
  bool ok = loom_yaml_word(&r->yaml, path.text, raw->program, loom_vef_op_names, &op) &&
            loom_yaml_u32(&r->yaml, loom_spec_at("traces", i, "tasks").text, raw->tasks, 2,
                          LOOM_VEF_TASKS, &t->tasks) &&
            loom_yaml_u32(&r->yaml, loom_spec_at("traces", i, "rounds").text, raw->rounds, 1,
                          LOOM_SPEC_ROUNDS, &t->rounds) &&
            loom_yaml_u32(&r->yaml, loom_spec_at("traces", i, "bytes").text, raw->bytes, 0,
                          UINT32_MAX, &t->bytes);
  t->program = (enum loom_vef_op)op;
  return ok;
}

static bool read_trace(const struct loom_spec_reader *r, uint32_t i,
                       const struct loom_raw_trace *raw) {
  static const char *const triggers[] = {"keep", "strip", NULL};
  struct loom_spec_trace *t = &r->spec->trace[i];
  unsigned collectives = LOOM_VEF_USUAL_ALGORITHM, strip = 0;
  if (!read_program(r, i, raw) ||
      !loom_spec_class(r, "traces", i, raw->class_name, &t->traffic_class) ||
      !loom_yaml_number(&r->yaml, loom_spec_at("traces", i, "start").text, raw->start, 0, 0,
                        UINT64_C(1) << 40, &t->start) ||
      !loom_yaml_word(&r->yaml, loom_spec_at("traces", i, "collectives").text, raw->collectives,
                      loom_vef_algorithm_names, &collectives) ||
      !read_ops(r, i, raw->ops, t) ||
      !loom_yaml_word(&r->yaml, loom_spec_at("traces", i, "triggers").text, raw->triggers, triggers,
                      &strip))
    return false;
  t->collectives = (enum loom_vef_algorithm)collectives;
  t->strip = strip;
  return read_places(r, i, raw) && read_intra(r, i, raw->intra);
}

/* ---- run ------------------------------------------------------------------------------------- */

/* How exact the measurement is to be, and how long it may take for that. */
static bool read_precision(const struct loom_spec_reader *r, const struct loom_raw_run *raw) {
  struct loom_spec_run *run = &r->spec->run;
  run->limit = PATIENCE * run->measure;
  if (!loom_yaml_number(&r->yaml, "run.precision", raw->precision, 9, LOOM_SPEC_PRECISION_LEAST,
                        LOOM_SPEC_PRECISION_MOST, &run->precision) ||
      !loom_yaml_number(&r->yaml, "run.limit", raw->limit, 0, run->measure, LOOM_SPEC_CYCLES,
                        &run->limit))
    return false;
  if (run->precision && run->until_replayed)
    return loom_yaml_fail(&r->yaml, "run.precision", "means nothing with until: traces");
  return run->precision || !raw->limit ||
         loom_yaml_fail(&r->yaml, "run.limit", "means nothing without run.precision");
}

const char *const loom_statistic_names[LOOM_STATISTICS + 1] = {
    [LOOM_STATISTIC_LINKS] = "links",         [LOOM_STATISTIC_FLOWS] = "flows",
    [LOOM_STATISTIC_OCCUPANCY] = "occupancy", [LOOM_STATISTIC_ROUTES] = "routes",
    [LOOM_STATISTIC_STALLS] = "stalls",       [LOOM_STATISTIC_PACKETS] = "packets",
    [LOOM_STATISTIC_TIMES] = "times",         [LOOM_STATISTIC_TRACE] = "trace"};

/* A statistic that these switches do not have. */
static bool lacks(const struct loom_spec_reader *r, unsigned which) {
  enum loom_device_kind kind = r->spec->kind;
  bool heads = which == LOOM_STATISTIC_ROUTES || which == LOOM_STATISTIC_TRACE;
  if (heads && loom_device_is_elite5(kind))
    return !loom_yaml_fail(&r->yaml, "run.stats", "%s has no %s: heads name no source",
                           loom_device_names[kind], loom_statistic_names[which]);
  bool waits = which == LOOM_STATISTIC_STALLS || which == LOOM_STATISTIC_PACKETS;
  if (waits && loom_device_is_elite5(kind))
    return !loom_yaml_fail(&r->yaml, "run.stats", "%s has no %s", loom_device_names[kind],
                           loom_statistic_names[which]);
  return false;
}

/* The statistic that a text such as `packets:` begins with; LOOM_STATISTICS: none that has a N. */
static unsigned sampled(const char *text, size_t length) {
  static const unsigned may[] = {LOOM_STATISTIC_PACKETS, LOOM_STATISTIC_TRACE};
  for (unsigned i = 0; i < sizeof may / sizeof may[0]; i++) {
    const char *name = loom_statistic_names[may[i]];
    if (text[length] == ':' && strlen(name) == length && !strncmp(text, name, length))
      return may[i];
  }
  return LOOM_STATISTICS;
}

/* `packets:N` and `trace:N` are every N-th packet. */
static bool read_statistic(const struct loom_spec_reader *r, const char *path, const char *text) {
  size_t length = strcspn(text, ":");
  unsigned which = sampled(text, length);
  uint64_t *sample = r->spec->run.sample;
  if (which < LOOM_STATISTICS ? !loom_yaml_number(&r->yaml, path, text + length + 1, 0, 1,
                                                  LOOM_SPEC_CYCLES, &sample[which])
                              : !loom_yaml_word(&r->yaml, path, text, loom_statistic_names, &which))
    return false;
  r->spec->run.stats |= 1u << which;
  return !lacks(r, which);
}

static bool read_stats(const struct loom_spec_reader *r, const struct loom_raw_run *raw) {
  for (unsigned i = 0; i < LOOM_STATISTICS; i++)
    r->spec->run.sample[i] = 1;
  for (uint32_t i = 0; i < raw->stats_count; i++)
    if (!read_statistic(r, loom_spec_at("run.stats", i, NULL).text, raw->stats[i]))
      return false;
  return true;
}

static bool read_run(const struct loom_spec_reader *r, const struct loom_raw_run *given) {
  static const char *const ends[] = {"measure", "traces", NULL};
  static const struct loom_raw_run nothing = {.warmup = NULL};
  const struct loom_raw_run *raw = given ? given : &nothing;
  const uint64_t most = LOOM_SPEC_CYCLES;
  struct loom_spec_run *run = &r->spec->run;
  unsigned end = r->spec->traces > 0;
  *run = (struct loom_spec_run){.warmup = 10000,
                                .measure = 20000,
                                .drain = 200000,
                                .seeds = 1,
                                .seed = 1,
                                .interval = 1000,
                                .watchdog = 20000};
  if (end)
    run->warmup = 0;
  if (!loom_yaml_number(&r->yaml, "run.warmup", raw->warmup, 0, 0, most, &run->warmup) ||
      !loom_yaml_number(&r->yaml, "run.measure", raw->measure, 0, 1, most, &run->measure) ||
      !loom_yaml_number(&r->yaml, "run.drain", raw->drain, 0, 0, most, &run->drain) ||
      !loom_yaml_u32(&r->yaml, "run.seeds", raw->seeds, 1, LOOM_SPEC_SEEDS, &run->seeds) ||
      !loom_yaml_number(&r->yaml, "run.seed", raw->seed, 0, 1, most, &run->seed) ||
      !loom_yaml_number(&r->yaml, "run.interval", raw->interval, 0, 0, most, &run->interval) ||
      !loom_yaml_number(&r->yaml, "run.watchdog", raw->watchdog, 0, 0, most, &run->watchdog) ||
      !loom_yaml_word(&r->yaml, "run.until", raw->until, ends, &end) ||
      !loom_yaml_u32(&r->yaml, "run.cycle", raw->cycle, 1, LOOM_SPEC_PICOSECONDS, &run->cycle_ps))
    return false;
  run->until_replayed = end;
  if (!read_precision(r, raw) || !read_stats(r, raw))
    return false;
  if (r->spec->traces || (!end && !raw->cycle))
    return true;
  return loom_yaml_fail(&r->yaml, end ? "run.until" : "run.cycle", "there are no traces");
}

static bool read_shadow(const struct loom_spec_reader *r, char *const *text, uint32_t count) {
  struct loom_spec *s = r->spec;
  s->shadow = calloc((size_t)count + 1, sizeof *s->shadow);
  if (!s->shadow)
    return loom_yaml_no_memory(&r->yaml, "shadow");
  for (; s->shadows < count; s->shadows++) {
    struct loom_path path = loom_spec_at("shadow", s->shadows, NULL);
    if (!loom_spec_text(r, path.text, text[s->shadows], s->shadow[s->shadows], sizeof s->shadow[0]))
      return false;
    for (uint32_t i = 0; i < s->shadows; i++)
      if (!strcmp(s->shadow[i], s->shadow[s->shadows]))
        return loom_yaml_fail(&r->yaml, path.text, "stands twice");
  }
  return true;
}

/* No name of a class was refused, so that what names none is wrong itself. */
static bool have_names(const struct loom_spec *s) {
  bool all = s->classes > 0;
  for (uint32_t c = 0; c < s->classes; c++)
    all = all && s->traffic_class[c].name[0];
  return all;
}

static bool read_entries(const struct loom_spec_reader *r, const struct loom_raw_fabric *raw) {
  struct loom_spec *s = r->spec;
  bool good = true;
  for (uint32_t i = 0; i < raw->traffic_count; i++)
    good = read_entry(r, i, &raw->traffic[i]) && good;
  for (uint32_t i = 0; i < raw->traces_count; i++) {
    s->traces = i + 1;
    good = read_trace(r, i, &raw->traces[i]) && good;
  }
  return good;
}

bool loom_spec_read_traffic(const struct loom_spec_reader *r, const struct loom_raw_fabric *raw) {
  bool any = raw->traffic_count || raw->traces_count;
  bool good = any ? have_names(r->spec) && read_entries(r, raw)
                  : loom_yaml_fail(&r->yaml, "traffic", "missing key: give traffic or traces");
  r->spec->traces = raw->traces_count;
  bool run = read_run(r, raw->run);
  return read_shadow(r, raw->shadow, raw->shadow_count) && run && good;
}

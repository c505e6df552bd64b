/* SPDX-License-Identifier: Apache-2.0 */
/* spec_collective.c - collectives among the traffic of the fabric file (docs/fabric.md,
 * Collectives; E5-28..32) */
#include <string.h>

#include "elan5/elan5.h"
#include "run/spec_schema.h"

enum { ARITY = 4 };
enum { TASKS_MAX = 65536, BYTES_MAX = 1 << 20, BARRIER_WORDS = 2 };

const char *const loom_spec_kind_names[LOOM_SPEC_KINDS + 1] = {"messages",  "barrier", "broadcast",
                                                               "reduction", "gather",  NULL};

/* By kind; the first one is the default, and the second one is done by adapters. */
static const char *const algorithms[LOOM_SPEC_KINDS][3] = {
    [LOOM_SPEC_BARRIER] = {"poll", "events", NULL},
    [LOOM_SPEC_BROADCAST] = {"routers", "adapters", NULL}};

/* A key that only some entries have. */
struct key {
  const char *name, *text;
};

static bool refuse(const struct loom_spec_reader *r, uint32_t i, const struct key *key,
                   const char *kind) {
  return loom_yaml_fail(&r->yaml, loom_spec_at("traffic", i, key->name).text,
                        "means nothing for kind %s", kind);
}

bool loom_spec_read_kind(const struct loom_spec_reader *r, uint32_t i,
                         const struct loom_raw_offer *raw, enum loom_spec_kind *kind) {
  const struct key messages[] = {{"operation", raw->operation},
                                 {"pattern", raw->pattern},
                                 {"load", raw->load},
                                 {"process", raw->process},
                                 {"burst", raw->burst},
                                 {"shift", raw->shift},
                                 {"heat", raw->heat},
                                 {"file", raw->file},
                                 {"grid", raw->grid},
                                 {"nodes", raw->nodes},
                                 {"targets", raw->targets_count ? raw->targets[0] : NULL}};
  const struct key collectives[] = {
      {"algorithm", raw->algorithm}, {"arity", raw->arity}, {"jobs", raw->jobs},
      {"trees", raw->trees},         {"gap", raw->gap},     {"skew", raw->skew}};
  struct loom_path path = loom_spec_at("traffic", i, "kind");
  unsigned found = LOOM_SPEC_MESSAGES;
  if (raw->kind && !loom_device_is_elite5(r->spec->kind))
    return loom_yaml_fail(&r->yaml, path.text, "only elite5 and crosspoint have it");
  if (!loom_yaml_word(&r->yaml, path.text, raw->kind, loom_spec_kind_names, &found))
    return false;
  *kind = found;
  bool is_messages = *kind == LOOM_SPEC_MESSAGES;
  const struct key *other = is_messages ? collectives : messages;
  size_t count =
      is_messages ? sizeof collectives / sizeof *collectives : sizeof messages / sizeof *messages;
  for (size_t k = 0; k < count; k++)
    if (other[k].text)
      return refuse(r, i, &other[k], loom_spec_kind_names[*kind]);
  return true;
}

/* Which way it is done. */
static bool read_algorithm(const struct loom_spec_reader *r, uint32_t i,
                           const struct loom_raw_offer *raw, struct loom_spec_collective *c) {
  const char *const *names = algorithms[c->kind];
  unsigned found = 0;
  const struct key algorithm = {"algorithm", raw->algorithm};
  const struct key arity = {"arity", raw->arity}, trees = {"trees", raw->trees};
  if (!names[0] && raw->algorithm)
    return refuse(r, i, &algorithm, loom_spec_kind_names[c->kind]);
  if (names[0] && !loom_yaml_word(&r->yaml, loom_spec_at("traffic", i, "algorithm").text,
                                  raw->algorithm, names, &found))
    return false;
  c->algorithm = names[0] ? names[found] : NULL;
  c->adapters = found;
  if (raw->arity && names[0] && !c->adapters)
    return loom_yaml_fail(&r->yaml, loom_spec_at("traffic", i, arity.name).text,
                          "means nothing for algorithm %s", c->algorithm);
  bool copied = c->kind == LOOM_SPEC_GATHER || (c->kind == LOOM_SPEC_BROADCAST && c->adapters);
  return !raw->trees || !copied ||
         loom_yaml_fail(&r->yaml, loom_spec_at("traffic", i, trees.name).text,
                        "means nothing where routers copy nothing");
}

static bool read_size(const struct loom_spec_reader *r, uint32_t i,
                      const struct loom_raw_offer *raw, struct loom_spec_collective *c) {
  struct loom_path path = loom_spec_at("traffic", i, "size");
  const struct key size = {"size", raw->size};
  uint32_t bytes = 0;
  c->words = BARRIER_WORDS;
  if (c->kind == LOOM_SPEC_BARRIER)
    return !raw->size || refuse(r, i, &size, loom_spec_kind_names[c->kind]);
  if (!raw->size)
    return loom_yaml_fail(&r->yaml, path.text, "missing key");
  if (!loom_yaml_u32(&r->yaml, path.text, raw->size, 1, BYTES_MAX, &bytes))
    return false;
  c->words = (bytes + LOOM_ELAN5_WORD - 1) / LOOM_ELAN5_WORD;
  return true;
}

static bool read_waits(const struct loom_spec_reader *r, uint32_t i,
                       const struct loom_raw_offer *raw, struct loom_spec_collective *c) {
  const struct key skew = {"skew", raw->skew};
  if (raw->skew && c->kind == LOOM_SPEC_BROADCAST)
    return refuse(r, i, &skew, loom_spec_kind_names[c->kind]);
  return loom_yaml_number(&r->yaml, loom_spec_at("traffic", i, "gap").text, raw->gap, 0, 0,
                          LOOM_SPEC_WAIT, &c->gap) &&
         loom_yaml_number(&r->yaml, loom_spec_at("traffic", i, "skew").text, raw->skew, 0, 0,
                          LOOM_SPEC_WAIT, &c->skew);
}

/* Who takes part in how many of them. */
static bool read_jobs(const struct loom_spec_reader *r, uint32_t i,
                      const struct loom_raw_offer *raw, struct loom_spec_collective *c) {
  static const char *const mappings[] = {"linear", "random", NULL};
  unsigned mapping = 0;
  bool any = raw->trees && !strcmp(raw->trees, "any");
  c->arity = ARITY;
  c->jobs = 1;
  c->trees = !any;
  if (!loom_yaml_u32(&r->yaml, loom_spec_at("traffic", i, "arity").text, raw->arity, 2,
                     LOOM_SPEC_ARITY, &c->arity) ||
      !loom_yaml_u32(&r->yaml, loom_spec_at("traffic", i, "jobs").text, raw->jobs, 1,
                     LOOM_SPEC_JOBS, &c->jobs) ||
      !loom_yaml_u32(&r->yaml, loom_spec_at("traffic", i, "tasks").text, raw->tasks, 2, TASKS_MAX,
                     &c->tasks) ||
      (!any && !loom_yaml_u32(&r->yaml, loom_spec_at("traffic", i, "trees").text, raw->trees, 1,
                              LOOM_SPEC_TREES, &c->trees)) ||
      !loom_yaml_word(&r->yaml, loom_spec_at("traffic", i, "mapping").text, raw->mapping, mappings,
                      &mapping))
    return false;
  c->random_places = mapping;
  return true;
}

bool loom_spec_read_collective(const struct loom_spec_reader *r, uint32_t i,
                               const struct loom_raw_offer *raw, enum loom_spec_kind kind) {
  struct loom_spec *s = r->spec;
  struct loom_spec_collective *c = &s->collective[s->collectives];
  if (s->collectives == LOOM_SPEC_COLLECTIVES)
    return loom_yaml_fail(&r->yaml, loom_spec_at("traffic", i, "kind").text,
                          "there are more than %d collectives", LOOM_SPEC_COLLECTIVES);
  *c = (struct loom_spec_collective){.kind = kind};
  if (!loom_spec_class(r, "traffic", i, raw->class_name, &c->traffic_class) ||
      !read_algorithm(r, i, raw, c) || !read_size(r, i, raw, c) || !read_jobs(r, i, raw, c) ||
      !read_waits(r, i, raw, c) ||
      !loom_yaml_number(&r->yaml, loom_spec_at("traffic", i, "messages").text, raw->messages, 0, 1,
                        UINT32_MAX, &c->messages))
    return false;
  s->collectives++;
  return true;
}

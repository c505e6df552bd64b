/* SPDX-License-Identifier: Apache-2.0 */
/* spec_shape.c - topology and routing of the fabric file (docs/fabric.md; TP-01..04, KN-01..06)
 */
#include <stdlib.h>
#include <string.h>

#include "io/routing_words.h"
#include "run/spec_schema.h"

enum { LOADS_MAX = 8191 }; /* units of a threshold */

enum {
  TREE = 1 << LOOM_SHAPE_TREE,
  XGFT = 1 << LOOM_SHAPE_XGFT,
  SLIM = 1 << LOOM_SHAPE_SLIM,
  GRID = 1 << LOOM_SHAPE_TORUS | 1 << LOOM_SHAPE_MESH | 1 << LOOM_SHAPE_HYPERX,
  DRAGONFLY = 1 << LOOM_SHAPE_DRAGONFLY,
  DRAGONFLYPLUS = 1 << LOOM_SHAPE_DRAGONFLYPLUS,
  FLIES = DRAGONFLY | DRAGONFLYPLUS,
  SLIMFLY = 1 << LOOM_SHAPE_SLIMFLY,
  KNS = 1 << LOOM_SHAPE_KNS,
  QSNET3 = 1 << LOOM_SHAPE_QSNET3
};

/* ---- topology -------------------------------------------------------------------------------- */

/* A number of a shape: which kinds take it, and must have it. */
struct number {
  const char *key;
  const char *text;
  uint32_t *value;
  unsigned kinds, needed;
};

static bool read_number(const struct loom_spec_reader *r, const struct number *n) {
  struct loom_path path = loom_path("topology.%s", n->key);
  enum loom_shape_kind kind = r->spec->shape.kind;
  const char *name = loom_shape_names[kind];
  if (n->text && !(n->kinds >> kind & 1))
    return loom_yaml_fail(&r->yaml, path.text, "is no number of a %s", name);
  if (!n->text && n->needed >> kind & 1)
    return loom_yaml_fail(&r->yaml, path.text, "missing key: a %s needs it", name);
  return loom_yaml_u32(&r->yaml, path.text, n->text, 1, LOOM_TOPO_SIZE_MAX, n->value);
}

static bool read_switch_of(const struct loom_spec_reader *r, const char *key, const char *text,
                           unsigned kinds, bool *value) {
  struct loom_path path = loom_path("topology.%s", key);
  enum loom_shape_kind kind = r->spec->shape.kind;
  if (text && !(kinds >> kind & 1))
    return loom_yaml_fail(&r->yaml, path.text, "means nothing for a %s", loom_shape_names[kind]);
  return loom_spec_flag(r, path.text, text, value);
}

static bool read_size(const struct loom_spec_reader *r, const char *text) {
  struct loom_shape *s = &r->spec->shape;
  bool grid = loom_shape_is_grid(s->kind);
  if (grid != (text != NULL))
    return loom_yaml_fail(&r->yaml, "topology.size",
                          grid ? "missing key: a %s needs it" : "is no number of a %s",
                          loom_shape_names[s->kind]);
  return !text || loom_shape_size(s, text) ||
         loom_yaml_fail(&r->yaml, "topology.size", "`%.40s` is not like 8x8 or 8x8x4, from 2 on",
                        text);
}

/* `18x14` of an xgft, which must have them unless it has one level. */
static bool read_levels(const struct loom_spec_reader *r, const char *key, const char *text,
                        bool needed, uint32_t value[], uint32_t *values) {
  struct loom_path path = loom_path("topology.%s", key);
  const char *name = loom_shape_names[r->spec->shape.kind];
  if (r->spec->shape.kind != LOOM_SHAPE_XGFT)
    return !text || loom_yaml_fail(&r->yaml, path.text, "is no number of a %s", name);
  if (!text)
    return !needed || loom_yaml_fail(&r->yaml, path.text, "missing key: a %s needs it", name);
  return loom_shape_numbers(text, 1, LOOM_TOPO_XGFT_LEVELS, value, values) ||
         loom_yaml_fail(&r->yaml, path.text, "`%.40s` is not like 18x14, up to %d numbers", text,
                        LOOM_TOPO_XGFT_LEVELS);
}

static bool read_generated(const struct loom_spec_reader *r, const struct loom_raw_topology *raw) {
  struct loom_shape *s = &r->spec->shape;
  const struct number numbers[] = {
      {"k", raw->k, &s->k, TREE | KNS, TREE | KNS},
      {"n", raw->n, &s->n, TREE | KNS, TREE | KNS},
      {"nodes", raw->nodes, &s->nodes, SLIM | GRID | FLIES | SLIMFLY | KNS | QSNET3, QSNET3},
      {"trunk", raw->trunk, &s->trunk, TREE | XGFT | GRID | KNS, 0},
      {"radix", raw->radix, &s->radix, KNS, 0},
      {"ports", raw->ports, &s->ports, KNS, 0},
      {"links", raw->links, &s->links, TREE | QSNET3, 0},
      {"rails", raw->rails, &s->rails, QSNET3, 0},
      {"top", raw->top, &s->top, TREE, 0},
      {"hosted", raw->hosted, &s->hosted, TREE, 0},
      {"routers", raw->routers, &s->routers, DRAGONFLY, DRAGONFLY},
      {"leaves", raw->leaves, &s->leaves, DRAGONFLYPLUS, DRAGONFLYPLUS},
      {"spines", raw->spines, &s->spines, DRAGONFLYPLUS, DRAGONFLYPLUS},
      {"globals", raw->globals, &s->globals, FLIES, FLIES},
      {"groups", raw->groups, &s->groups, FLIES, 0},
      {"q", raw->q, &s->q, SLIMFLY, SLIMFLY},
  };
  for (unsigned i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
    if (!read_number(r, &numbers[i]))
      return false;
  return read_size(r, raw->size) && read_levels(r, "down", raw->down, true, s->down, &s->levels) &&
         read_levels(r, "up", raw->up, false, s->up, &s->ups) &&
         read_switch_of(r, "full", raw->full, TREE, &s->full) &&
         read_switch_of(r, "spread", raw->spread, TREE | QSNET3, &s->spread) &&
         read_switch_of(r, "blade", raw->blade, QSNET3, &s->blade);
}

/* The keys that go with a kind, when there is a file instead. */
static const char *other_key(const struct loom_raw_topology *raw) {
  const struct {
    const char *key, *text;
  } keys[] = {{"k", raw->k},           {"n", raw->n},           {"size", raw->size},
              {"nodes", raw->nodes},   {"trunk", raw->trunk},   {"radix", raw->radix},
              {"ports", raw->ports},   {"links", raw->links},   {"rails", raw->rails},
              {"full", raw->full},     {"spread", raw->spread}, {"blade", raw->blade},
              {"top", raw->top},       {"hosted", raw->hosted}, {"routers", raw->routers},
              {"leaves", raw->leaves}, {"spines", raw->spines}, {"globals", raw->globals},
              {"groups", raw->groups}, {"q", raw->q},           {"down", raw->down},
              {"up", raw->up}};
  for (unsigned i = 0; i < sizeof keys / sizeof keys[0]; i++)
    if (keys[i].text)
      return keys[i].key;
  return NULL;
}

static bool read_topology(const struct loom_spec_reader *r, const struct loom_raw_topology *raw) {
  struct loom_spec *s = r->spec;
  unsigned kind = LOOM_SHAPE_FILE;
  if (!raw)
    return loom_yaml_fail(&r->yaml, "topology", "missing key");
  if (!raw->file == !raw->kind)
    return loom_yaml_fail(&r->yaml, raw->file ? "topology.file" : "topology.kind",
                          "give a kind or a file%s", raw->file ? ", not both" : "");
  if (!loom_yaml_word(&r->yaml, "topology.kind", raw->kind, loom_shape_names, &kind))
    return false;
  s->shape.kind = (enum loom_shape_kind)kind;
  if (!raw->file)
    return read_generated(r, raw);
  const char *other = other_key(raw);
  return other ? loom_yaml_fail(&r->yaml, loom_path("topology.%s", other).text,
                                "means nothing for a file")
               : loom_spec_text(r, "topology.file", raw->file, s->net, sizeof s->net);
}

/* ---- routing --------------------------------------------------------------------------------- */

static enum loom_routing_engine usual_engine(const struct loom_shape *shape) {
  static const enum loom_routing_engine usual[LOOM_SHAPE_KINDS] = {
      [LOOM_SHAPE_TREE] = LOOM_ROUTING_FTREE,
      [LOOM_SHAPE_XGFT] = LOOM_ROUTING_FTREE,
      [LOOM_SHAPE_SLIM] = LOOM_ROUTING_UPDN,
      [LOOM_SHAPE_TORUS] = LOOM_ROUTING_DOR,
      [LOOM_SHAPE_MESH] = LOOM_ROUTING_DOR,
      [LOOM_SHAPE_HYPERX] = LOOM_ROUTING_DOR,
      [LOOM_SHAPE_DRAGONFLY] = LOOM_ROUTING_DRAGONFLY,
      [LOOM_SHAPE_DRAGONFLYPLUS] = LOOM_ROUTING_DRAGONFLYPLUS,
      [LOOM_SHAPE_SLIMFLY] = LOOM_ROUTING_SLIMFLY,
      [LOOM_SHAPE_KNS] = LOOM_ROUTING_HDOR,
      [LOOM_SHAPE_QSNET3] = LOOM_ROUTING_UPDN,
      [LOOM_SHAPE_FILE] = LOOM_ROUTING_MINHOP};
  return usual[shape->kind];
}

static bool read_roots(const struct loom_spec_reader *r, const struct loom_raw_routing *raw) {
  struct loom_spec *s = r->spec;
  unsigned choose = LOOM_ROUTING_CHOOSE_USUAL;
  if (raw->roots_count && (s->engine != LOOM_ROUTING_UPDN || !s->routed))
    return loom_yaml_fail(&r->yaml, "routing.roots", "only updn has roots");
  if (raw->choose && (s->engine != LOOM_ROUTING_UPDN || !s->routed || raw->roots_count))
    return loom_yaml_fail(&r->yaml, "routing.choose", "is a key of updn, without roots");
  if (!loom_yaml_word(&r->yaml, "routing.choose", raw->choose, loom_routing_choose_words, &choose))
    return false;
  s->choose = (enum loom_routing_choose)choose;
  s->root = calloc(raw->roots_count + 1, sizeof *s->root);
  if (!s->root)
    return loom_yaml_no_memory(&r->yaml, "routing.roots");
  for (; s->roots < raw->roots_count; s->roots++)
    if (!loom_spec_text(r, loom_spec_at("routing.roots", s->roots, NULL).text, raw->roots[s->roots],
                        s->root[s->roots], sizeof s->root[0]))
      return false;
  return true;
}

static bool read_lmc(const struct loom_spec_reader *r, const char *text) {
  struct loom_spec *s = r->spec;
  s->lmc = loom_routing_has_ways(s->engine) ? LOOM_ROUTING_LMC_AUTO : 0;
  if (text && !strcmp(text, "auto")) {
    s->lmc = LOOM_ROUTING_LMC_AUTO;
    return loom_routing_has_ways(s->engine) ||
           loom_yaml_fail(&r->yaml, "routing.lmc",
                          "only valiant and the engines in -valiant and -ugal find it out by "
                          "themselves");
  }
  return loom_yaml_u32(&r->yaml, "routing.lmc", text, 0, LOOM_ROUTING_LMC, &s->lmc);
}

/* hdor, lash and dfsssp put paths into layers. */
static bool read_layers(const struct loom_spec_reader *r, const struct loom_raw_routing *raw) {
  struct loom_spec *s = r->spec;
  unsigned cover = LOOM_ROUTING_COVER_HOSTS;
  bool layered = loom_routing_has_cover(s->engine);
  if (raw->vls && !layered && s->engine != LOOM_ROUTING_HDOR)
    return loom_yaml_fail(&r->yaml, "routing.vls", "is a key of hdor, lash and dfsssp");
  if (raw->cover && !layered)
    return loom_yaml_fail(&r->yaml, "routing.cover", "is a key of lash and dfsssp");
  if (!loom_yaml_word(&r->yaml, "routing.cover", raw->cover, loom_routing_cover_words, &cover) ||
      !loom_yaml_u32(&r->yaml, "routing.vls", raw->vls, 1, LOOM_SPEC_LAYERS, &s->routing_vls))
    return false;
  s->cover = (enum loom_routing_cover)cover;
  return true;
}

/* Thresholds of load. */
static bool read_loads(const struct loom_spec_reader *r, const struct loom_raw_routing *raw) {
  struct loom_spec *s = r->spec;
  s->loads_given = raw->loads_count > 0;
  if (!s->loads_given)
    return true;
  if (!loom_spec_by_load(s))
    return loom_yaml_fail(&r->yaml, "routing.loads",
                          "belongs to `trunk: load` or an engine in -ugal");
  if (raw->loads_count != LOOM_SPEC_LOADS)
    return loom_yaml_fail(&r->yaml, "routing.loads", "has %d numbers", LOOM_SPEC_LOADS);
  for (uint32_t i = 0; i < LOOM_SPEC_LOADS; i++) {
    struct loom_path path = loom_spec_at("routing.loads", i, NULL);
    if (!loom_yaml_u32(&r->yaml, path.text, raw->loads[i], 0, LOADS_MAX, &s->loads[i]))
      return false;
    if (i && s->loads[i] <= s->loads[i - 1])
      return loom_yaml_fail(&r->yaml, path.text, "is not above the one before");
  }
  return true;
}

/* Which cable of a trunk. Packets of a train could overtake each other by load. */
static bool read_trunk(const struct loom_spec_reader *r, const struct loom_raw_routing *raw) {
  struct loom_spec *s = r->spec;
  unsigned trunk = LOOM_ROUTING_TRUNK_LID;
  if (!loom_yaml_word(&r->yaml, "routing.trunk", raw->trunk, loom_routing_trunk_words, &trunk))
    return false;
  s->trunk = (enum loom_routing_trunk)trunk;
  if (s->trunk != LOOM_ROUTING_TRUNK_LID && s->kind != LOOM_DEVICE_CROSSBAR)
    return loom_yaml_fail(&r->yaml, "routing.trunk", "%s switches have no groups of ports: lid",
                          loom_device_names[s->kind]);
  if (s->routed && loom_routing_is_by_load(s->engine) && s->kind != LOOM_DEVICE_CROSSBAR)
    return loom_yaml_fail(&r->yaml, "routing.engine", "%s switches have no groups of ports",
                          loom_device_names[s->kind]);
  return read_loads(r, raw);
}

static bool read_engine(const struct loom_spec_reader *r, const struct loom_raw_routing *raw) {
  struct loom_spec *s = r->spec;
  unsigned engine = usual_engine(&s->shape);
  unsigned ties = LOOM_ROUTING_TIES_SPLIT;
  unsigned avoid =
      loom_device_is_opa(s->kind) ? LOOM_ROUTING_DATELINE_TURN : LOOM_ROUTING_DATELINE_PATH;
  if (!loom_yaml_word(&r->yaml, "routing.engine", raw->engine, loom_routing_engine_words,
                      &engine) ||
      !loom_yaml_word(&r->yaml, "routing.layering", raw->layering, loom_routing_avoid_words,
                      &avoid) ||
      !loom_yaml_word(&r->yaml, "routing.ties", raw->ties, loom_routing_ties_words, &ties))
    return false;
  s->engine = (enum loom_routing_engine)engine;
  s->avoid = (enum loom_routing_avoid)avoid;
  s->ties = (enum loom_routing_ties)ties;
  bool layered = loom_routing_has_avoid(s->engine);
  if (raw->layering && !layered)
    return loom_yaml_fail(&r->yaml, "routing.layering",
                          "only the engines of dor, of slimfly and of dragonflies have layers");
  if (s->avoid == LOOM_ROUTING_AVOID_BUBBLE && s->engine != LOOM_ROUTING_DOR)
    return loom_yaml_fail(&r->yaml, "routing.layering", "bubbles are for the rings of dor");
  if (s->avoid == LOOM_ROUTING_AVOID_BUBBLE && s->kind != LOOM_DEVICE_CROSSBAR)
    return loom_yaml_fail(&r->yaml, "routing.layering", "%s switches keep no bubbles",
                          loom_device_names[s->kind]);
  if (raw->ties && s->engine != LOOM_ROUTING_DOR)
    return loom_yaml_fail(&r->yaml, "routing.ties", "is a key of dor");
  if (s->avoid == LOOM_ROUTING_DATELINE_TURN && loom_device_is_ib(s->kind) && layered)
    return loom_yaml_fail(&r->yaml, "routing.layering",
                          "ib switches do not change the SL of a packet: path or none");
  return read_layers(r, raw) && read_lmc(r, raw->lmc);
}

/* Devices that find their ways by themselves have no routing. */
static bool read_none(const struct loom_spec_reader *r, const struct loom_raw_routing *raw) {
  const char *name = loom_device_names[r->spec->kind];
  if (loom_device_is_kns(r->spec->kind) && raw->engine && strcmp(raw->engine, "hdor") != 0)
    return loom_yaml_fail(&r->yaml, "routing.engine", "kns devices know only hdor");
  if (loom_device_is_elite5(r->spec->kind) && raw->engine)
    return loom_yaml_fail(&r->yaml, "routing.engine", "%s routes by itself", name);
  if (raw->lfts || raw->path_records || raw->lmc || raw->layering || raw->ties || raw->vls ||
      raw->cover || raw->roots_count || raw->trunk || raw->loads_count)
    return loom_yaml_fail(&r->yaml, "routing", "%s devices route by themselves", name);
  return true;
}

/* Tables from a file, and the SLs of their paths. */
static bool read_files(const struct loom_spec_reader *r, const struct loom_raw_routing *raw) {
  struct loom_spec *s = r->spec;
  if (raw->path_records && loom_device_is_opa(s->kind))
    return loom_yaml_fail(&r->yaml, "routing.path_records",
                          "opa finds layers by turn (SC2SC), not by path");
  return loom_spec_text(r, "routing.lfts", raw->lfts, s->lfts, sizeof s->lfts) &&
         (!raw->path_records || loom_spec_text(r, "routing.path_records", raw->path_records,
                                               s->path_records, sizeof s->path_records)) &&
         read_lmc(r, raw->lmc);
}

static bool read_routing(const struct loom_spec_reader *r, const struct loom_raw_routing *given) {
  static const struct loom_raw_routing nothing = {.engine = NULL};
  const struct loom_raw_routing *raw = given ? given : &nothing;
  struct loom_spec *s = r->spec;
  s->routed = !raw->lfts;
  s->engine = LOOM_ROUTING_HDOR;
  if (!loom_spec_flag(r, "routing.allow_cycles", raw->allow_cycles, &s->allow_cycles))
    return false;
  if (loom_device_is_kns(s->kind) || loom_device_is_elite5(s->kind))
    return read_none(r, raw);
  if (raw->lfts && (raw->engine || raw->layering || raw->ties || raw->vls || raw->cover))
    return loom_yaml_fail(&r->yaml, "routing.lfts", "give an engine or a file, not both");
  if (raw->path_records && !raw->lfts)
    return loom_yaml_fail(&r->yaml, "routing.path_records", "belongs to tables from a file: lfts");
  if (raw->lfts ? !read_files(r, raw) : !read_engine(r, raw))
    return false;
  return read_trunk(r, raw) && read_roots(r, raw);
}

bool loom_spec_read_shape(const struct loom_spec_reader *r, const struct loom_raw_fabric *raw) {
  unsigned kind = 0;
  if (!loom_yaml_word(&r->yaml, "switch.kind", raw->device->kind, loom_device_names, &kind))
    return false;
  r->spec->kind = (enum loom_device_kind)kind;
  const struct loom_raw_topology *shape = raw->topology;
  bool topology = read_topology(r, shape);
  bool known = shape && !shape->file != !shape->kind; /* the usual engine follows from the kind */
  return (!known || read_routing(r, raw->routing)) && topology;
}

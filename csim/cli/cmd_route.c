/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE /* argp */

#include <argp.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cmd_route.h"
#include "cli/options.h"
#include "cli/parse.h"
#include "io/net_fabric.h"
#include "io/output.h"
#include "io/read_lfts.h"
#include "io/read_opensm_conf.h"
#include "io/read_path_records.h"
#include "io/routing_words.h"
#include "io/save.h"
#include "routing/check.h"

enum { OUTPUTS = 3, ROOTS = 256, SAMPLES = 1000, SAMPLES_MAX = 1000000 };

struct options {
  const struct loom_streams *io;
  const char *command;
  const char *file;
  const char *from; /* `path` */
  const char *to;   /* NULL: all */
  const char *lfts; /* that are read */
  const char *path_records;
  const char *opensm; /* of their SLs */
  const char *root[ROOTS];
  const char *output[OUTPUTS];
  uint32_t roots, outputs;
  enum loom_routing_engine engine;
  enum loom_routing_avoid avoid;
  enum loom_routing_ties ties;
  enum loom_routing_trunk trunk;
  enum loom_routing_cover cover;
  enum loom_routing_choose choose;
  uint32_t lmc, vls, samples, seed;
  bool check, path, coordinates, json;
  /* Which of those above the command line has. */
  bool engine_given, lmc_given, avoid_given, ties_given, vls_given, cover_given, choose_given;
  bool samples_given, seed_given;
};

enum {
  OPT_LFTS = 256,
  OPT_PATH_RECORDS,
  OPT_OPENSM,
  OPT_LMC,
  OPT_DATELINE,
  OPT_TIES,
  OPT_TRUNK,
  OPT_VLS,
  OPT_COVER,
  OPT_ROOT,
  OPT_CHOOSE,
  OPT_COORDINATES,
  OPT_SAMPLES,
  OPT_SEED,
  OPT_JSON
};

static const struct argp_option option_list[] = {
    {"engine", 'e', "ENGINE", 0, "Who finds the routes", 0},
    {"lfts", OPT_LFTS, "FILE", 0, "Read forwarding tables, as OpenSM and dump_lfts print them", 0},
    {"path-records", OPT_PATH_RECORDS, "FILE", 0,
     "--lfts: read the SLs of the paths, as saquery -p prints them", 0},
    {"opensm", OPT_OPENSM, "FILE", 0,
     "--path-records: VLs of the SLs from opensm.conf, qos_swe_sl2vl (VL = SL)", 0},
    {"lmc", OPT_LMC, "N", 0,
     "2^N LIDs for each port of a node (0; valiant, ..-valiant, -ugal: enough)", 0},
    {"dateline", OPT_DATELINE, "HOW", 0,
     "dor.., dragonfly.., slimfly: layers change by turn (default), are chosen by "
     "path, or none: can deadlock; dor: or one with bubble flow control",
     0},
    {"ties", OPT_TIES, "HOW", 0,
     "dor: half way round a ring as many go up as down (split, the default), or all up", 0},
    {"trunk", OPT_TRUNK, "HOW", 0,
     "Which of several cables to a neighbour: lid (as the table says, the default), flow, or load: "
     "the least loaded one for each packet",
     0},
    {"vls", OPT_VLS, "N", 0,
     "hdor, lash, dfsssp: spread the paths over N virtual lanes (as few as the routing needs)", 0},
    {"cover", OPT_COVER, "WHICH", 0,
     "lash, dfsssp: no deadlock between hosts (default), or on all paths, as OpenSM counts", 0},
    {"root", OPT_ROOT, "NAME", 0, "updn: a switch that is a root; may be repeated", 0},
    {"choose", OPT_CHOOSE, "HOW", 0,
     "updn without --root: tops or one in the middle (usual), or the best or median of all", 0},
    {"coordinates", OPT_COORDINATES, NULL, 0, "hdor: print what was discovered", 0},
    {"output", 'o', "FILE", 0,
     "Write .lfts (forwarding tables), .sl2vl (SL2VL tables) or .conf (opensm.conf); may be "
     "repeated",
     0},
    {"samples", OPT_SAMPLES, "N", 0, "check: random pairings for the effective bisection (1000)",
     0},
    {"seed", OPT_SEED, "N", 0, "check: of these pairings (1)", 0},
    {"json", OPT_JSON, NULL, 0, "Print JSON", 0},
    {0},
};

static const char doc[] =
    "Routes a fabric, or checks a routing: does everybody reach everybody, over how many links, "
    "how much does a link carry, and can it deadlock? Or prints the path from a node to another "
    "device, or to all nodes."
    "\v"
    "FILE is a fabric in ibsim's form (`loom topo` makes some), or as ibnetdiscover or\n"
    "iblinkinfo print it.\n"
    "SRC and DST are names, LIDs or GUIDs.\n"
    "\n"
    "ENGINE:\n"
    "  minhop   shortest paths, balanced\n"
    "  updn     up, then down, from one root or some\n"
    "  ftree    d-mod-k on fat trees\n"
    "  valiant  on fat trees, each LID of a node over another common ancestor\n"
    "  dor      dimension order on tori, meshes, HyperX; coordinates are in switches' names\n"
    "  dor-valiant  the same, each LID of a node over another switch\n"
    "  dor-ugal  dor on HyperX, or over another coordinate, by load in each dimension\n"
    "  hdor     Hybrid-DOR on a KNS, discovered whatever the cabling\n"
    "  dragonfly  shortest paths from group to group of a dragonfly\n"
    "  dragonfly-valiant  the same, each LID of a node over another group\n"
    "  dragonfly-ugal  that or the shortest path, by load\n"
    "  dragonflyplus  up to a spine, to the group, and down to the leaf of a Dragonfly+\n"
    "  dragonflyplus-valiant  the same, each LID of a node over another group\n"
    "  dragonflyplus-ugal  that or the shortest path, by load\n"
    "  slimfly  shortest paths where two cables are enough\n"
    "  slimfly-valiant  the same, each LID of a node over another switch\n"
    "  lash     shortest paths in layers, the same layer there and back\n"
    "  dfsssp   shortest paths, balanced over links and layers\n"
    "\n"
    "JSON: {engine, trunk, groups, nodes, switches, lids, lmc, layers, classes}; with "
    "--coordinates also {k, n, "
    "routers: [{name, coordinates}], networks: [{name, dimension, position, level, place}]}. "
    "check: {engine, trunk, groups, pairs, unreachable, hops: [{links, pairs}], max_link_load, "
    "ebb, ebb_both, "
    "layers, acyclic, cycle: [{switch, port, peer, layer}]}. path: [{from, to, lid, class, links: "
    "[{device, port, peer, peer_port, layer}]}]. Exit status of check: 1 unless all is reached and "
    "acyclic, of path: 1 if anything does not arrive.";

/* ---- options --------------------------------------------------------------------------------- */

static const char *suffix_of(const char *name) {
  const char *slash = strrchr(name, '/');
  const char *dot = strrchr(slash ? slash : name, '.');
  return dot ? dot : "";
}

static bool refuse(const struct options *o, const char *option, const char *message) {
  loom_refuse(o->io, o->command, option, "%s", message);
  return false;
}

static bool read_argument(struct options *o, const char *arg) {
  bool first = !o->check && !o->path && !o->file;
  if (first && !strcmp(arg, "check")) {
    o->check = true;
  } else if (first && !strcmp(arg, "path")) {
    o->path = true;
  } else if (!o->file) {
    o->file = arg;
  } else if (o->path && !o->from) {
    o->from = arg;
  } else if (o->path && !o->to) {
    o->to = arg;
  } else {
    loom_refuse(o->io, o->command, "argument", "`%.40s` is too many", arg);
    return false;
  }
  return true;
}

static bool read_engine(struct options *o, const char *arg) {
  unsigned value = 0;
  if (!loom_option_word(o->io, o->command, "--engine", arg, loom_routing_engine_words, &value))
    return false;
  o->engine = (enum loom_routing_engine)value;
  o->engine_given = true;
  return true;
}

static bool read_avoid(struct options *o, const char *arg) {
  unsigned value = 0;
  if (!loom_option_word(o->io, o->command, "--dateline", arg, loom_routing_avoid_words, &value))
    return false;
  o->avoid = (enum loom_routing_avoid)value;
  o->avoid_given = true;
  return true;
}

static bool read_ties(struct options *o, const char *arg) {
  unsigned value = 0;
  if (!loom_option_word(o->io, o->command, "--ties", arg, loom_routing_ties_words, &value))
    return false;
  o->ties = (enum loom_routing_ties)value;
  o->ties_given = true;
  return true;
}

static bool read_trunk(struct options *o, const char *arg) {
  unsigned value = 0;
  if (!loom_option_word(o->io, o->command, "--trunk", arg, loom_routing_trunk_words, &value))
    return false;
  o->trunk = (enum loom_routing_trunk)value;
  return true;
}

static bool read_cover(struct options *o, const char *arg) {
  unsigned value = 0;
  if (!loom_option_word(o->io, o->command, "--cover", arg, loom_routing_cover_words, &value))
    return false;
  o->cover = (enum loom_routing_cover)value;
  o->cover_given = true;
  return true;
}

static bool read_choose(struct options *o, const char *arg) {
  unsigned value = 0;
  if (!loom_option_word(o->io, o->command, "--choose", arg, loom_routing_choose_words, &value))
    return false;
  o->choose = (enum loom_routing_choose)value;
  o->choose_given = true;
  return true;
}

static bool add_output(struct options *o, const char *arg) {
  const char *suffix = suffix_of(arg);
  if (o->outputs == OUTPUTS)
    return refuse(o, "--output", "more than 3 files");
  if (strcmp(suffix, ".lfts") != 0 && strcmp(suffix, ".sl2vl") != 0 &&
      strcmp(suffix, ".conf") != 0) {
    loom_refuse(o->io, o->command, "--output", "`%.80s` ends in none of .lfts, .sl2vl, .conf", arg);
    return false;
  }
  o->output[o->outputs++] = arg;
  return true;
}

static bool add_root(struct options *o, const char *arg) {
  if (o->roots == ROOTS)
    return refuse(o, "--root", "more than 256 roots");
  o->root[o->roots++] = arg;
  return true;
}

static bool has_dateline(const struct options *o) {
  return o->engine_given && loom_routing_has_avoid(o->engine);
}

static bool has_layers(const struct options *o) {
  return o->engine_given && loom_routing_has_cover(o->engine);
}

static bool check_options(const struct options *o) {
  if (!o->file)
    return refuse(o, "FILE", "missing; `--help` tells more");
  if (o->path && !o->from)
    return refuse(o, "SRC", "missing; `--help` tells more");
  if (o->engine_given == (o->lfts != NULL))
    return refuse(o, "--engine",
                  o->lfts ? "there are tables already: --lfts"
                          : "missing, or --lfts for tables that are there");
  if (o->path_records && !o->lfts)
    return refuse(o, "--path-records", "belongs to tables that are read: --lfts");
  if (o->opensm && !o->path_records)
    return refuse(o, "--opensm", "belongs to --path-records");
  if (o->avoid_given && !has_dateline(o))
    return refuse(o, "--dateline",
                  "is an option of the engines of dor, of slimfly and of dragonflies");
  if (o->avoid == LOOM_ROUTING_AVOID_BUBBLE && o->engine != LOOM_ROUTING_DOR)
    return refuse(o, "--dateline", "bubbles are for the rings of dor");
  if (o->ties_given && (!o->engine_given || o->engine != LOOM_ROUTING_DOR))
    return refuse(o, "--ties", "is an option of dor");
  if (o->vls_given && !has_layers(o) && !(o->engine_given && o->engine == LOOM_ROUTING_HDOR))
    return refuse(o, "--vls", "is an option of hdor, lash and dfsssp");
  if (o->cover_given && !has_layers(o))
    return refuse(o, "--cover", "is an option of lash and dfsssp");
  if (o->roots && (!o->engine_given || o->engine != LOOM_ROUTING_UPDN))
    return refuse(o, "--root", "is an option of updn");
  if (o->choose_given && (!o->engine_given || o->engine != LOOM_ROUTING_UPDN || o->roots))
    return refuse(o, "--choose", "is an option of updn, without --root");
  if (o->coordinates && (!o->engine_given || o->engine != LOOM_ROUTING_HDOR || o->check || o->path))
    return refuse(o, "--coordinates", "is an option of hdor, without `check` and `path`");
  if (o->samples_given && !o->check)
    return refuse(o, "--samples", "is an option of `check`");
  if (o->seed_given && !o->check)
    return refuse(o, "--seed", "is an option of `check`");
  return true;
}

static error_t parse_option(int key, char *arg, struct argp_state *state) {
  struct options *o = state->input;
  bool ok = true;
  switch (key) {
  case ARGP_KEY_INIT:
    state->err_stream = NULL; /* one line is enough */
    break;
  case 'e':
    ok = read_engine(o, arg);
    break;
  case 'o':
    ok = add_output(o, arg);
    break;
  case OPT_LFTS:
    o->lfts = arg;
    break;
  case OPT_PATH_RECORDS:
    o->path_records = arg;
    break;
  case OPT_OPENSM:
    o->opensm = arg;
    break;
  case OPT_LMC:
    o->lmc_given = true;
    ok = loom_option_number(o->io, o->command, "--lmc", arg, 0, LOOM_ROUTING_LMC, &o->lmc);
    break;
  case OPT_DATELINE:
    ok = read_avoid(o, arg);
    break;
  case OPT_TIES:
    ok = read_ties(o, arg);
    break;
  case OPT_TRUNK:
    ok = read_trunk(o, arg);
    break;
  case OPT_VLS:
    o->vls_given = true;
    ok = loom_option_number(o->io, o->command, "--vls", arg, 1, LOOM_ROUTING_VLS, &o->vls);
    break;
  case OPT_COVER:
    ok = read_cover(o, arg);
    break;
  case OPT_ROOT:
    ok = add_root(o, arg);
    break;
  case OPT_CHOOSE:
    ok = read_choose(o, arg);
    break;
  case OPT_COORDINATES:
    o->coordinates = true;
    break;
  case OPT_SAMPLES:
    o->samples_given = true;
    ok = loom_option_number(o->io, o->command, "--samples", arg, 1, SAMPLES_MAX, &o->samples);
    break;
  case OPT_SEED:
    o->seed_given = true;
    ok = loom_option_number(o->io, o->command, "--seed", arg, 0, UINT32_MAX - 1, &o->seed);
    break;
  case OPT_JSON:
    o->json = true;
    break;
  case ARGP_KEY_ARG:
    ok = read_argument(o, arg);
    break;
  case ARGP_KEY_END:
    ok = check_options(o);
    break;
  default:
    return ARGP_ERR_UNKNOWN;
  }
  return ok ? 0 : EINVAL;
}

/* ---- the fabric ------------------------------------------------------------------------------ */

/* Files of any size are read: fabrics and their tables are large. */
static bool open_source(const struct options *o, const char *name, struct loom_source *src) {
  struct loom_error err = {.line = ""};
  if (loom_source_read_all(src, name, &err))
    return true;
  loom_error_print(o->io->err, &err);
  return false;
}

static struct loom_topo *load_fabric(const struct options *o) {
  struct loom_source src;
  struct loom_error err = {.line = ""};
  struct loom_topo *t = NULL;
  if (!open_source(o, o->file, &src))
    return NULL;
  t = loom_net_fabric(&src, &err);
  loom_source_free(&src);
  if (!t)
    loom_error_print(o->io->err, &err);
  return t;
}

/* ---- the routing ----------------------------------------------------------------------------- */

static bool take_path_records(const struct options *o, struct loom_routing *r,
                              struct loom_error *err) {
  struct loom_source src;
  if (!loom_source_read_all(&src, o->path_records, err))
    return false;
  bool ok = loom_read_path_records(&src, r, err);
  loom_source_free(&src);
  return ok;
}

/* VL of each SL that paths have; 0 of the others, which may be dropped. */
static bool find_layers(const struct options *o, const struct loom_routing *r, const uint8_t *sl2vl,
                        uint8_t *layer, struct loom_error *err) {
  size_t paths = (size_t)r->ends * r->lids;
  memset(layer, 0, LOOM_ROUTING_CLASSES);
  for (size_t i = 0; i < paths; i++) {
    uint8_t sl = r->path[i];
    layer[sl] = sl2vl[sl];
    if (layer[sl] == LOOM_OPENSM_DROP)
      return loom_fail(err, o->opensm, 0, "qos_swe_sl2vl", "drops SL %u, which paths have",
                       (unsigned)sl);
  }
  return true;
}

static bool take_opensm(const struct options *o, struct loom_routing *r, struct loom_error *err) {
  struct loom_opensm_conf conf;
  uint8_t layer[LOOM_ROUTING_CLASSES];
  if (!loom_load_opensm_conf(&conf, o->opensm, err))
    return false;
  const struct loom_opensm_qos q = loom_opensm_of(&conf, LOOM_OPENSM_SWE);
  if (!find_layers(o, r, q.sl2vl, layer, err))
    return false;
  loom_routing_map_classes(r, layer);
  return true;
}

static struct loom_routing *load_tables(const struct options *o, const struct loom_topo *t) {
  struct loom_source src;
  struct loom_error err = {.line = ""};
  if (!open_source(o, o->lfts, &src))
    return NULL;
  struct loom_routing *r = loom_read_lfts(&src, t, o->lmc_given ? o->lmc : 0, &err);
  loom_source_free(&src);
  if (r && (!o->path_records || take_path_records(o, r, &err)) &&
      (!o->opensm || take_opensm(o, r, &err))) {
    struct loom_routing_error why = {""};
    if (loom_routing_choose_trunk(r, o->trunk, &why))
      return r;
    loom_refuse(o->io, o->command, "--trunk", "%s", why.text);
  } else {
    loom_error_print(o->io->err, &err);
  }
  loom_routing_destroy(r);
  return NULL;
}

static bool find_roots(const struct options *o, const struct loom_topo *t, uint32_t *root) {
  for (uint32_t i = 0; i < o->roots; i++) {
    root[i] = 0;
    while (root[i] < t->devices && strcmp(t->device[root[i]].name, o->root[i]) != 0)
      root[i]++;
    if (root[i] == t->devices || t->device[root[i]].kind != LOOM_TOPO_SWITCH) {
      loom_refuse(o->io, o->command, "--root", "`%.63s` is no switch of the fabric", o->root[i]);
      return false;
    }
  }
  return true;
}

static struct loom_routing *make_tables(const struct options *o, const struct loom_topo *t) {
  uint32_t root[ROOTS];
  struct loom_routing_error err = {""};
  const struct loom_routing_options options = {
      .lmc = o->lmc_given ? o->lmc : LOOM_ROUTING_LMC_AUTO,
      .avoid = o->avoid,
      .ties = o->ties,
      .vls = o->vls,
      .cover = o->cover,
      .root = root,
      .roots = o->roots,
      .choose = o->choose,
      .trunk = o->trunk,
  };
  if (!find_roots(o, t, root))
    return NULL;
  struct loom_routing *r = loom_routing_make(t, o->engine, &options, &err);
  if (!r)
    loom_refuse(o->io, o->command, loom_routing_engine_words[o->engine], "%s", err.text);
  return r;
}

/* ---- writing --------------------------------------------------------------------------------- */

static int no_memory(const struct options *o) {
  return loom_refuse(o->io, o->command, "output", "out of memory");
}

static bool write_text(const struct loom_routing *r, const char *name, FILE *file) {
  if (!strcmp(suffix_of(name), ".sl2vl"))
    return loom_routing_write_sl2vl(r, file);
  if (!strcmp(suffix_of(name), ".conf"))
    return loom_routing_write_conf(r, file);
  return loom_routing_write_lfts(r, file);
}

/* The text of an output file. */
static int make_text(const struct options *o, const struct loom_routing *r, const char *name,
                     struct loom_output *output) {
  if (!loom_output_open(output))
    return no_memory(o);
  bool can = write_text(r, name, output->file);
  bool bad = ferror(output->file) != 0;
  bad = fclose(output->file) || bad || !output->text;
  if (bad)
    return no_memory(o);
  return can ? LOOM_EXIT_DONE
             : loom_refuse(o->io, o->command, "--output",
                           "the layers of this routing do not fit `%s`", suffix_of(name));
}

/* All files are made before the first is written. */
static int save(const struct options *o, const struct loom_routing *r) {
  struct loom_output output[OUTPUTS] = {{.text = NULL}};
  struct loom_error err = {.line = ""};
  int status = LOOM_EXIT_DONE;
  for (uint32_t i = 0; status == LOOM_EXIT_DONE && i < o->outputs; i++)
    status = make_text(o, r, o->output[i], &output[i]);
  for (uint32_t i = 0; status == LOOM_EXIT_DONE && i < o->outputs; i++)
    if (!loom_save(o->output[i], output[i].text, output[i].size, &err)) {
      loom_error_print(o->io->err, &err);
      status = LOOM_EXIT_BAD_INPUT;
    }
  for (uint32_t i = 0; i < OUTPUTS; i++)
    free(output[i].text);
  return status;
}

/* ---- printing -------------------------------------------------------------------------------- */

static void print_row(struct loom_output *output, const char *name, uint64_t value) {
  fprintf(output->file, "%-18s %12" PRIu64 "\n", name, value);
}

static void set(json_t *root, const char *key, uint64_t value) {
  json_object_set_new(root, key, json_integer((json_int_t)value));
}

static const char *engine_of(const struct options *o) {
  return o->lfts ? "lfts" : loom_routing_engine_words[o->engine];
}

static void print_words(struct loom_output *output, const struct options *o,
                        const struct loom_routing *r) {
  fprintf(output->file, "%-18s %12s\n", "engine", engine_of(o));
  if (r->trunk == LOOM_ROUTING_TRUNK_LID)
    return;
  fprintf(output->file, "%-18s %12s\n", "trunk by", loom_routing_trunk_words[r->trunk]);
  print_row(output, "groups", loom_routing_most_groups(r));
}

static json_t *json_words(const struct options *o, const struct loom_routing *r) {
  json_t *root =
      json_pack("{ssss}", "engine", engine_of(o), "trunk", loom_routing_trunk_words[r->trunk]);
  set(root, "groups", loom_routing_most_groups(r));
  return root;
}

static const char *name_of(const struct loom_routing *r, uint32_t row) {
  return r->topo->device[r->device[row]].name;
}

/* Where a network stands: the coordinates that its routers share, as one number in base k. */
static uint32_t position_of(const struct loom_routing_kns *kns, uint32_t row) {
  uint32_t position = 0;
  for (uint32_t d = kns->n; d--;)
    if (d != kns->dim[row])
      position = position * kns->k + kns->coord[(size_t)row * kns->n + d];
  return position;
}

/* Has a network two switches? */
static bool has_stages(const struct loom_routing *r, const struct loom_routing_kns *kns) {
  for (uint32_t row = 0; row < r->switches; row++)
    if (kns->part[row] != row)
      return true;
  return false;
}

static void print_network(struct loom_output *output, const struct loom_routing_kns *kns,
                          uint32_t row, bool stages) {
  fprintf(output->file, "network [%" PRIu32 ",%" PRIu32, kns->dim[row], position_of(kns, row));
  if (stages)
    fprintf(output->file, ",%" PRIu32 ",%" PRIu32, kns->level[row], kns->place[row]);
  fputs("]\n", output->file);
}

static void print_coordinates(struct loom_output *output, const struct loom_routing *r,
                              const struct loom_routing_kns *kns) {
  bool stages = has_stages(r, kns);
  fputc('\n', output->file);
  print_row(output, "k", kns->k);
  print_row(output, "n", kns->n);
  for (uint32_t row = 0; row < r->switches; row++) {
    fprintf(output->file, "%-18s ", name_of(r, row));
    if (kns->dim[row] != LOOM_TOPO_NONE)
      print_network(output, kns, row, stages);
    else
      for (uint32_t d = kns->n; d--;)
        fprintf(output->file, "%s%" PRIu32 "%s", d + 1 == kns->n ? "router  [" : ",",
                kns->coord[(size_t)row * kns->n + d], d ? "" : "]\n");
  }
}

static void set_coordinates(json_t *root, const struct loom_routing *r,
                            const struct loom_routing_kns *kns) {
  json_t *routers = json_array();
  json_t *networks = json_array();
  set(root, "k", kns->k);
  set(root, "n", kns->n);
  for (uint32_t row = 0; row < r->switches; row++) {
    json_t *device = json_pack("{ss}", "name", name_of(r, row));
    if (kns->dim[row] != LOOM_TOPO_NONE) {
      set(device, "dimension", kns->dim[row]);
      set(device, "position", position_of(kns, row));
      set(device, "level", kns->level[row]);
      set(device, "place", kns->place[row]);
      json_array_append_new(networks, device);
      continue;
    }
    json_t *list = json_array();
    for (uint32_t d = 0; d < kns->n; d++)
      json_array_append_new(list, json_integer(kns->coord[(size_t)row * kns->n + d]));
    json_object_set_new(device, "coordinates", list);
    json_array_append_new(routers, device);
  }
  json_object_set_new(root, "routers", routers);
  json_object_set_new(root, "networks", networks);
}

static uint32_t nodes_of(const struct loom_routing *r) {
  struct loom_topo_counts c;
  loom_topo_count(r->topo, &c);
  return c.nodes;
}

static void print_routing(struct loom_output *output, const struct options *o,
                          const struct loom_routing *r, const struct loom_routing_kns *kns) {
  print_words(output, o, r);
  print_row(output, "nodes", nodes_of(r));
  print_row(output, "switches", r->switches);
  print_row(output, "LIDs up to", r->lids - 1);
  print_row(output, "LMC", r->lmc);
  print_row(output, "layers", r->layers);
  print_row(output, "path classes", r->classes);
  if (kns)
    print_coordinates(output, r, kns);
}

static void json_routing(struct loom_output *output, const struct options *o,
                         const struct loom_routing *r, const struct loom_routing_kns *kns) {
  json_t *root = json_words(o, r);
  set(root, "nodes", nodes_of(r));
  set(root, "switches", r->switches);
  set(root, "lids", r->lids - 1);
  set(root, "lmc", r->lmc);
  set(root, "layers", r->layers);
  set(root, "classes", r->classes);
  if (kns)
    set_coordinates(root, r, kns);
  json_dumpf(root, output->file, JSON_INDENT(2));
  fputc('\n', output->file);
  json_decref(root);
}

static int show(const struct options *o, const struct loom_routing *r) {
  struct loom_output output;
  struct loom_routing_kns kns = {.k = 0};
  struct loom_routing_error err = {.text = ""};
  bool found = !o->coordinates ||
               (loom_routing_kns_find(r, &kns, &err) && loom_routing_kns_levels(r, &kns, &err));
  if (!found) {
    loom_routing_kns_free(&kns);
    return loom_refuse(o->io, o->command, "--coordinates", "%s", err.text);
  }
  if (!loom_output_open(&output)) {
    loom_routing_kns_free(&kns);
    return no_memory(o);
  }
  if (o->json)
    json_routing(&output, o, r, o->coordinates ? &kns : NULL);
  else
    print_routing(&output, o, r, o->coordinates ? &kns : NULL);
  loom_routing_kns_free(&kns);
  return loom_output_print(&output, o->io, o->command);
}

/* ---- checking -------------------------------------------------------------------------------- */

struct findings {
  struct loom_routing_report report;
  struct loom_routing_cycle cycle;
  double ebb;
  double ebb_both;
};

static const char *peer_of(const struct loom_routing *r, const struct loom_routing_channel *c) {
  return r->topo->device[loom_topo_port(r->topo, r->device[c->row], c->port)->device].name;
}

static void print_cycle(struct loom_output *output, const struct loom_routing *r,
                        const struct loom_routing_cycle *cycle) {
  fprintf(output->file, "\ncycle of %" PRIu32 " channels\n", cycle->channels);
  for (uint32_t i = 0; i < cycle->channels; i++) {
    const struct loom_routing_channel *c = &cycle->channel[i];
    fprintf(output->file, "  %s[%u] -> %s, layer %u\n", name_of(r, c->row), (unsigned)c->port,
            peer_of(r, c), (unsigned)c->layer);
  }
}

static void print_findings(struct loom_output *output, const struct options *o,
                           const struct loom_routing *r, const struct findings *f) {
  print_words(output, o, r);
  print_row(output, "pairs", f->report.pairs);
  print_row(output, "unreachable", f->report.unreachable);
  print_row(output, "max link load", f->report.load_max);
  fprintf(output->file, "%-18s %12.3f\n", "ebb", f->ebb);
  fprintf(output->file, "%-18s %12.3f\n", "ebb both ways", f->ebb_both);
  print_row(output, "layers", r->layers);
  fprintf(output->file, "%-18s %12s\n", "acyclic", f->cycle.channels ? "no" : "yes");
  fprintf(output->file, "\n%5s %12s\n", "links", "pairs");
  for (uint32_t i = 0; i <= f->report.hops_max; i++)
    if (f->report.hops[i])
      fprintf(output->file, "%5" PRIu32 " %12" PRIu64 "\n", i, f->report.hops[i]);
  if (f->report.unreachable)
    fprintf(output->file, "\nunreachable: LID %" PRIu32 " of %s from %s\n", f->report.bad_lid,
            r->topo->device[r->end[r->end_of[f->report.bad_lid]].device].name,
            r->topo->device[r->end[f->report.bad_end].device].name);
  if (f->cycle.channels)
    print_cycle(output, r, &f->cycle);
}

static void json_findings(struct loom_output *output, const struct options *o,
                          const struct loom_routing *r, const struct findings *f) {
  json_t *root = json_words(o, r);
  json_t *hops = json_array();
  json_t *cycle = json_array();
  for (uint32_t i = 0; i <= f->report.hops_max; i++)
    if (f->report.hops[i])
      json_array_append_new(hops, json_pack("{sIsI}", "links", (json_int_t)i, "pairs",
                                            (json_int_t)f->report.hops[i]));
  for (uint32_t i = 0; i < f->cycle.channels; i++) {
    const struct loom_routing_channel *c = &f->cycle.channel[i];
    json_array_append_new(cycle,
                          json_pack("{sssisssi}", "switch", name_of(r, c->row), "port",
                                    (int)c->port, "peer", peer_of(r, c), "layer", (int)c->layer));
  }
  set(root, "pairs", f->report.pairs);
  set(root, "unreachable", f->report.unreachable);
  json_object_set_new(root, "hops", hops);
  set(root, "max_link_load", f->report.load_max);
  json_object_set_new(root, "ebb", json_real(f->ebb));
  json_object_set_new(root, "ebb_both", json_real(f->ebb_both));
  set(root, "layers", r->layers);
  json_object_set_new(root, "acyclic", json_boolean(!f->cycle.channels));
  json_object_set_new(root, "cycle", cycle);
  json_dumpf(root, output->file, JSON_INDENT(2) | JSON_REAL_PRECISION(6));
  fputc('\n', output->file);
  json_decref(root);
}

static bool find(const struct options *o, const struct loom_routing *r, struct findings *f) {
  uint32_t samples = o->samples_given ? o->samples : SAMPLES;
  uint64_t seed = o->seed_given ? o->seed : 1;
  *f = (struct findings){.ebb = 0};
  if (!loom_routing_check(r, &f->report))
    return false;
  f->ebb = loom_routing_bisection(r, LOOM_ROUTING_BISECT, samples, seed);
  f->ebb_both = loom_routing_bisection(r, LOOM_ROUTING_EXCHANGE, samples, seed);
  return f->ebb >= 0 && f->ebb_both >= 0 && loom_routing_find_cycle(r, &f->cycle);
}

static int check(const struct options *o, const struct loom_routing *r) {
  struct findings f;
  struct loom_output output;
  bool good = find(o, r, &f) && loom_output_open(&output);
  int status = LOOM_EXIT_FAILED;
  if (!good) {
    status = no_memory(o);
  } else {
    if (o->json)
      json_findings(&output, o, r, &f);
    else
      print_findings(&output, o, r, &f);
    bool passed = !f.report.unreachable && !f.cycle.channels;
    status = loom_output_print(&output, o->io, o->command);
    if (status == LOOM_EXIT_DONE && !passed)
      status = LOOM_EXIT_FAILED;
  }
  loom_routing_report_free(&f.report);
  loom_routing_cycle_free(&f.cycle);
  return status;
}

int loom_cmd_route(int argc, char **argv, const struct loom_streams *io) {
  struct options o = {.io = io, .command = argv[0]};
  struct argp argp = {.options = option_list,
                      .parser = parse_option,
                      .args_doc = "FILE\ncheck FILE\npath FILE SRC [DST]",
                      .doc = doc};
  if (loom_parse(&argp, argc, argv, 0, &o, NULL))
    return LOOM_EXIT_BAD_INPUT;
  struct loom_topo *t = load_fabric(&o);
  struct loom_routing *r = NULL;
  if (t)
    r = o.lfts ? load_tables(&o, t) : make_tables(&o, t);
  int status = r ? save(&o, r) : LOOM_EXIT_BAD_INPUT;
  if (status == LOOM_EXIT_DONE && o.path)
    status = loom_route_path(r, o.from, o.to, o.json, o.command, io);
  else if (status == LOOM_EXIT_DONE)
    status = o.check ? check(&o, r) : show(&o, r);
  loom_routing_destroy(r);
  loom_topo_destroy(t);
  return status;
}

/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE /* argp */

#include <argp.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/options.h"
#include "io/output.h"
#include "io/read_net.h"
#include "io/save.h"
#include "io/shape.h"

/* Those that are made are shapes (shape.h). */
enum kind {
  KIND_TREE = LOOM_SHAPE_TREE,
  KIND_XGFT = LOOM_SHAPE_XGFT,
  KIND_SLIM = LOOM_SHAPE_SLIM,
  KIND_TORUS = LOOM_SHAPE_TORUS,
  KIND_MESH = LOOM_SHAPE_MESH,
  KIND_HYPERX = LOOM_SHAPE_HYPERX,
  KIND_DRAGONFLY = LOOM_SHAPE_DRAGONFLY,
  KIND_DRAGONFLYPLUS = LOOM_SHAPE_DRAGONFLYPLUS,
  KIND_SLIMFLY = LOOM_SHAPE_SLIMFLY,
  KIND_KNS = LOOM_SHAPE_KNS,
  KIND_QSNET3 = LOOM_SHAPE_QSNET3,
  KIND_NET = LOOM_SHAPE_FILE
};

static const char *const kind_names[] = {
    "tree",          "xgft",    "slim", "torus",  "mesh", "hyperx", "dragonfly",
    "dragonflyplus", "slimfly", "kns",  "qsnet3", "net",  NULL};

/* Numbers and switches that say what is made. */
enum what {
  K,
  N,
  NODES,
  TRUNK,
  RADIX,
  PORTS,
  LINKS,
  RAILS,
  TOP,
  HOSTED,
  ROUTERS,
  LEAVES,
  SPINES,
  GLOBALS,
  GROUPS,
  Q,
  FULL,
  SPREAD,
  BLADE,
  SIZE,
  DOWN,
  UP,
  WHATS
};

#define GRIDS (1u << KIND_TORUS | 1u << KIND_MESH | 1u << KIND_HYPERX)
#define FLIES (1u << KIND_DRAGONFLY | 1u << KIND_DRAGONFLYPLUS)

enum { OPT_FIRST = 256, OPT_JSON = OPT_FIRST + WHATS, OPT_HOPS };

static const struct {
  const char *name;
  unsigned kinds; /* that take it, a bit each */
} whats[WHATS] = {
    [K] = {"k", 1u << KIND_TREE | 1u << KIND_KNS},
    [N] = {"n", 1u << KIND_TREE | 1u << KIND_KNS},
    [NODES] = {"nodes", 1u << KIND_SLIM | GRIDS | FLIES | 1u << KIND_SLIMFLY | 1u << KIND_KNS |
                            1u << KIND_QSNET3},
    [TRUNK] = {"trunk", 1u << KIND_TREE | 1u << KIND_XGFT | GRIDS | 1u << KIND_KNS},
    [RADIX] = {"radix", 1u << KIND_KNS},
    [PORTS] = {"ports", 1u << KIND_KNS},
    [LINKS] = {"links", 1u << KIND_TREE | 1u << KIND_QSNET3},
    [RAILS] = {"rails", 1u << KIND_QSNET3},
    [TOP] = {"top", 1u << KIND_TREE},
    [HOSTED] = {"hosted", 1u << KIND_TREE},
    [ROUTERS] = {"routers", 1u << KIND_DRAGONFLY},
    [LEAVES] = {"leaves", 1u << KIND_DRAGONFLYPLUS},
    [SPINES] = {"spines", 1u << KIND_DRAGONFLYPLUS},
    [GLOBALS] = {"globals", FLIES},
    [GROUPS] = {"groups", FLIES},
    [Q] = {"q", 1u << KIND_SLIMFLY},
    [FULL] = {"full", 1u << KIND_TREE},
    [SPREAD] = {"spread", 1u << KIND_TREE | 1u << KIND_QSNET3},
    [BLADE] = {"blade", 1u << KIND_QSNET3},
    [SIZE] = {"size", GRIDS},
    [DOWN] = {"down", 1u << KIND_XGFT},
    [UP] = {"up", 1u << KIND_XGFT},
};

struct options {
  const struct loom_streams *io;
  const char *command;
  enum kind kind;
  bool kind_given;
  const char *file; /* that is read */
  const char *output;
  bool json;
  bool hops;
  uint32_t value[WHATS];
  bool given[WHATS];
  uint32_t dims;
  uint32_t size[3];
  uint32_t levels, ups, down[LOOM_TOPO_XGFT_LEVELS], up[LOOM_TOPO_XGFT_LEVELS];
};

static const struct argp_option option_list[] = {
    {"k", OPT_FIRST + K, "K", 0, "tree, kns: links down of a switch, nodes of a dimension", 0},
    {"n", OPT_FIRST + N, "N", 0, "tree, kns: levels, dimensions", 0},
    {"size", OPT_FIRST + SIZE, "AxB[xC]", 0, "torus, mesh, hyperx: switches of each dimension", 0},
    {"down", OPT_FIRST + DOWN, "AxB[x..]", 0,
     "xgft: links down of a switch, level by level from the leaves up", 0},
    {"up", OPT_FIRST + UP, "A[xB..]", 0, "xgft: links up of a switch, of all levels but the top",
     0},
    {"nodes", OPT_FIRST + NODES, "N", 0,
     "torus, mesh, hyperx, dragonfly, dragonflyplus, slimfly, kns, slim: nodes of a switch (1; "
     "slim "
     "5); qsnet3: all nodes",
     0},
    {"trunk", OPT_FIRST + TRUNK, "N", 0,
     "tree, xgft, torus, mesh, hyperx, kns: parallel cables where the shape has one link (1)", 0},
    {"full", OPT_FIRST + FULL, NULL, 0, "tree: all ports of the top level lead down", 0},
    {"top", OPT_FIRST + TOP, "N", 0, "tree: links down of a top switch (k, or 2k if full)", 0},
    {"hosted", OPT_FIRST + HOSTED, "N", 0, "tree: top switches in one device (1)", 0},
    {"routers", OPT_FIRST + ROUTERS, "N", 0, "dragonfly: routers of a group", 0},
    {"leaves", OPT_FIRST + LEAVES, "N", 0, "dragonflyplus: switches with nodes of a group", 0},
    {"spines", OPT_FIRST + SPINES, "N", 0,
     "dragonflyplus: switches of a group that lead to other groups", 0},
    {"globals", OPT_FIRST + GLOBALS, "N", 0,
     "dragonfly, dragonflyplus: ports of a router, of a spine, to other groups", 0},
    {"groups", OPT_FIRST + GROUPS, "N", 0,
     "dragonfly, dragonflyplus: groups (as many as a group can reach: routers or spines * globals "
     "+ "
     "1)",
     0},
    {"q", OPT_FIRST + Q, "Q", 0, "slimfly: an odd prime; 2 Q^2 switches", 0},
    {"radix", OPT_FIRST + RADIX, "N", 0, "kns: links down of a switch (k); below k: trees", 0},
    {"ports", OPT_FIRST + PORTS, "N", 0, "kns: ports of each switch (as many as are used)", 0},
    {"links", OPT_FIRST + LINKS, "N", 0, "tree, qsnet3: links of a node into one network (1)", 0},
    {"spread", OPT_FIRST + SPREAD, NULL, 0, "tree, qsnet3: they lead to different routers", 0},
    {"rails", OPT_FIRST + RAILS, "N", 0, "qsnet3: networks beside each other (1)", 0},
    {"blade", OPT_FIRST + BLADE, NULL, 0, "qsnet3: 16-way node switches in blade chassis", 0},
    {"output", 'o', "FILE", 0, "Write the fabric: ibsim's .net, or Graphviz's .dot or .gv", 0},
    {"hops", OPT_HOPS, NULL, 0, "Count the pairs of nodes by links between them", 0},
    {"json", OPT_JSON, NULL, 0, "Print JSON", 0},
    {0},
};

static const char doc[] =
    "Makes a fabric of regular shape, or reads one, and counts its parts."
    "\v"
    "KIND:\n"
    "  tree     k-ary n-tree: k^n nodes, n * k^(n-1) switches of 2k ports\n"
    "  xgft     extended generalised fat tree: each level as wide as one likes\n"
    "  slim     slimmed fat tree of 21 8-port switches, up to 5 nodes at a leaf\n"
    "  torus    in up to 3 dimensions, with trunks\n"
    "  mesh     the same without the cables that close the rings\n"
    "  hyperx   the same with cables between all switches of a row\n"
    "  dragonfly  groups of routers, each joined to each, as are the groups\n"
    "  dragonflyplus  groups of leaves and spines, the groups joined by their spines\n"
    "  slimfly  two cables at most from any switch to any other\n"
    "  kns      k-ary n-direct s-indirect: a router a node, switches in each dimension\n"
    "  qsnet3   federated network of Elite5 routers, with chassis and cables\n"
    "  net      what FILE says, in ibsim's form or as ibnetdiscover or iblinkinfo print it\n"
    "\n"
    "JSON: {kind, nodes, switches, edge_switches, ports_min, ports_max, node_links, switch_links, "
    "links}; of net also {aggregation_nodes, rates: [{gbps, links}]}; of qsnet3 {node_switches, "
    "top_switches, top_radix, top_routers, top_chassis, cables}; of kns stages; with --hops also "
    "{hops: [{links, pairs}], unreachable}. Pairs have an order.";

/* ---- options --------------------------------------------------------------------------------- */

static int refuse_argument(const struct options *o, const char *arg) {
  return loom_refuse(o->io, o->command, "argument", "`%.40s` is too many", arg);
}

static bool read_kind(struct options *o, const char *arg) {
  unsigned kind = 0;
  if (!loom_option_word(o->io, o->command, "KIND", arg, kind_names, &kind))
    return false;
  o->kind = (enum kind)kind;
  o->kind_given = true;
  return true;
}

static bool read_what(struct options *o, enum what w, const char *arg) {
  char option[16];
  o->given[w] = true;
  if (w == SIZE) /* `8x8` or `8x8x4` */
    return loom_option_sizes(o->io, o->command, "--size", arg, 2, LOOM_TOPO_DEVICES, 3, o->size,
                             &o->dims);
  if (w == DOWN)
    return loom_option_sizes(o->io, o->command, "--down", arg, 1, LOOM_TOPO_DEVICES,
                             LOOM_TOPO_XGFT_LEVELS, o->down, &o->levels);
  if (w == UP)
    return loom_option_sizes(o->io, o->command, "--up", arg, 1, LOOM_TOPO_DEVICES,
                             LOOM_TOPO_XGFT_LEVELS, o->up, &o->ups);
  if (!arg) {
    o->value[w] = 1;
    return true;
  }
  snprintf(option, sizeof option, "--%s", whats[w].name);
  return loom_option_number(o->io, o->command, option, arg, 1, LOOM_TOPO_SIZE_MAX, &o->value[w]);
}

static const char *suffix_of(const char *name) {
  const char *slash = strrchr(name, '/');
  const char *dot = strrchr(slash ? slash : name, '.');
  return dot ? dot : "";
}

static bool is_graphviz(const char *name) {
  return !strcmp(suffix_of(name), ".dot") || !strcmp(suffix_of(name), ".gv");
}

/* Options that a kind must have. */
static bool check_needed(const struct options *o) {
  static const struct {
    enum kind kind;
    enum what what;
  } needed[] = {{KIND_TREE, K},
                {KIND_TREE, N},
                {KIND_KNS, K},
                {KIND_KNS, N},
                {KIND_TORUS, SIZE},
                {KIND_MESH, SIZE},
                {KIND_HYPERX, SIZE},
                {KIND_XGFT, DOWN},
                {KIND_DRAGONFLY, ROUTERS},
                {KIND_DRAGONFLY, GLOBALS},
                {KIND_DRAGONFLYPLUS, LEAVES},
                {KIND_DRAGONFLYPLUS, SPINES},
                {KIND_DRAGONFLYPLUS, GLOBALS},
                {KIND_SLIMFLY, Q},
                {KIND_QSNET3, NODES}};
  char option[16];
  for (size_t i = 0; i < sizeof needed / sizeof needed[0]; i++)
    if (needed[i].kind == o->kind && !o->given[needed[i].what]) {
      snprintf(option, sizeof option, "--%s", whats[needed[i].what].name);
      loom_refuse(o->io, o->command, option, "missing");
      return false;
    }
  return true;
}

static bool check_options(const struct options *o) {
  char option[16];
  if (!o->kind_given) {
    loom_refuse(o->io, o->command, "KIND", "missing; `--help` lists them");
    return false;
  }
  for (unsigned w = 0; w < WHATS; w++)
    if (o->given[w] && !(whats[w].kinds >> o->kind & 1)) {
      snprintf(option, sizeof option, "--%s", whats[w].name);
      loom_refuse(o->io, o->command, option, "is no option of %s", kind_names[o->kind]);
      return false;
    }
  if (o->kind == KIND_NET && !o->file) {
    loom_refuse(o->io, o->command, "FILE", "missing");
    return false;
  }
  if (o->output && strcmp(suffix_of(o->output), ".net") != 0 && !is_graphviz(o->output)) {
    loom_refuse(o->io, o->command, "--output", "`%.80s` ends in none of .net, .dot, .gv",
                o->output);
    return false;
  }
  return check_needed(o);
}

static bool read_argument(struct options *o, const char *arg) {
  if (!o->kind_given)
    return read_kind(o, arg);
  if (o->kind != KIND_NET || o->file) {
    refuse_argument(o, arg);
    return false;
  }
  o->file = arg;
  return true;
}

static error_t parse_option(int key, char *arg, struct argp_state *state) {
  struct options *o = state->input;
  bool ok = true;
  if (key >= OPT_FIRST && key < OPT_FIRST + WHATS)
    return read_what(o, (enum what)(key - OPT_FIRST), arg) ? 0 : EINVAL;
  switch (key) {
  case ARGP_KEY_INIT:
    state->err_stream = NULL; /* one line is enough */
    break;
  case 'o':
    if (o->output)
      ok = loom_refuse(o->io, o->command, "--output", "more than one file") == 0;
    o->output = arg;
    break;
  case OPT_JSON:
    o->json = true;
    break;
  case OPT_HOPS:
    o->hops = true;
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

/* ---- making ---------------------------------------------------------------------------------- */

static uint32_t value_of(const struct options *o, enum what w, uint32_t otherwise) {
  return o->given[w] ? o->value[w] : otherwise;
}

static struct loom_topo_kns_cfg kns_of(const struct options *o) {
  return (struct loom_topo_kns_cfg){.k = o->value[K],
                                    .n = o->value[N],
                                    .nodes = value_of(o, NODES, 1),
                                    .trunk = value_of(o, TRUNK, 1),
                                    .radix = value_of(o, RADIX, 0),
                                    .ports = value_of(o, PORTS, 0)};
}

/* What the options say of a shape; kinds are numbered alike. */
static struct loom_shape shape_of(const struct options *o) {
  struct loom_shape s = {.kind = (enum loom_shape_kind)o->kind,
                         .k = o->value[K],
                         .n = o->value[N],
                         .nodes = o->value[NODES],
                         .trunk = o->value[TRUNK],
                         .radix = o->value[RADIX],
                         .ports = o->value[PORTS],
                         .links = o->value[LINKS],
                         .rails = o->value[RAILS],
                         .top = o->value[TOP],
                         .hosted = o->value[HOSTED],
                         .routers = o->value[ROUTERS],
                         .leaves = o->value[LEAVES],
                         .spines = o->value[SPINES],
                         .globals = o->value[GLOBALS],
                         .groups = o->value[GROUPS],
                         .q = o->value[Q],
                         .full = o->given[FULL],
                         .spread = o->given[SPREAD],
                         .blade = o->given[BLADE],
                         .dims = o->dims,
                         .size = {o->size[0], o->size[1], o->size[2]},
                         .levels = o->levels,
                         .ups = o->ups};
  memcpy(s.down, o->down, sizeof s.down);
  memcpy(s.up, o->up, sizeof s.up);
  return s;
}

static struct loom_topo *make(const struct options *o) {
  const char *bad = NULL;
  char option[16];
  const struct loom_shape shape = shape_of(o);
  struct loom_topo *t = loom_shape_make(&shape, &bad);
  if (t)
    return t;
  snprintf(option, sizeof option, "--%s", bad ? bad : "");
  char why[LOOM_SHAPE_WHY];
  loom_shape_why(&shape, why);
  if (bad)
    loom_refuse(o->io, o->command, option, "a %s %s", kind_names[o->kind], why);
  else
    loom_refuse(o->io, o->command, "fabric", "more than %d devices or %d ports, or out of memory",
                LOOM_TOPO_DEVICES, LOOM_TOPO_ALL_PORTS);
  return NULL;
}

static struct loom_topo *load(const struct options *o) {
  struct loom_source src;
  struct loom_error err = {.line = ""};
  struct loom_topo *t = NULL;
  if (loom_source_read_all(&src, o->file, &err)) {
    t = loom_read_net(&src, &err);
    loom_source_free(&src);
  }
  if (!t)
    loom_error_print(o->io->err, &err);
  return t;
}

/* ---- counting pairs -------------------------------------------------------------------------- */

struct hops {
  uint64_t *pairs; /* by links; NULL: nobody asked */
  uint32_t count;
  uint64_t unreachable;
};

static void count_from(const struct loom_topo *t, uint32_t d, struct hops *h, uint32_t *work) {
  loom_topo_distances(t, d, work, work + t->devices);
  for (uint32_t e = 0; e < t->devices; e++) {
    if (e == d || !loom_topo_is_host(t, e))
      continue;
    if (work[e] == LOOM_TOPO_NONE)
      h->unreachable++;
    else
      h->pairs[work[e]]++;
  }
}

/* False: out of memory. */
static bool count_hops(const struct loom_topo *t, struct hops *h) {
  uint32_t *work = calloc(2 * (size_t)t->devices, sizeof *work);
  h->pairs = calloc(t->devices, sizeof *h->pairs);
  h->count = t->devices;
  bool ok = work && h->pairs;
  for (uint32_t d = 0; ok && d < t->devices; d++)
    if (loom_topo_is_host(t, d))
      count_from(t, d, h, work);
  free(work);
  return ok;
}

/* ---- printing -------------------------------------------------------------------------------- */

static void print_row(struct loom_output *output, const char *name, uint32_t value) {
  fprintf(output->file, "%-18s %10" PRIu32 "\n", name, value);
}

static void print_hops(struct loom_output *output, const struct hops *h) {
  fprintf(output->file, "\n%5s %12s\n", "links", "pairs");
  for (uint32_t i = 0; i < h->count; i++)
    if (h->pairs[i])
      fprintf(output->file, "%5" PRIu32 " %12" PRIu64 "\n", i, h->pairs[i]);
  if (h->unreachable)
    fprintf(output->file, "%5s %12" PRIu64 "\n", "none", h->unreachable);
}

/* Cables of one rate. */
struct rate {
  uint32_t mbps; /* 0: unknown */
  uint32_t links;
};

enum { RATES = 64 };

static int by_rate(const void *a, const void *b) {
  uint32_t x = ((const struct rate *)a)->mbps, y = ((const struct rate *)b)->mbps;
  return (x < y) - (x > y);
}

/* Cables by rate, the highest first; how many rates there are. */
static uint32_t count_rates(const struct loom_topo *t, struct rate rates[RATES]) {
  uint32_t count = 0;
  for (uint32_t d = 0; t->rate && d < t->devices; d++)
    for (uint32_t p = 1; p <= t->device[d].ports; p++) {
      uint32_t peer = loom_topo_port(t, d, p)->device;
      if (peer == LOOM_TOPO_NONE || peer < d)
        continue;
      uint32_t mbps = loom_topo_rate(t, d, p), i = 0;
      while (i < count && rates[i].mbps != mbps)
        i++;
      if (i == RATES)
        continue; /* there are not so many */
      if (i == count)
        rates[count++] = (struct rate){.mbps = mbps};
      rates[i].links++;
    }
  qsort(rates, count, sizeof *rates, by_rate);
  return count;
}

static void print_rates(struct loom_output *output, const struct loom_topo *t) {
  struct rate rates[RATES] = {{0}};
  uint32_t count = count_rates(t, rates);
  char name[32];
  for (uint32_t i = 0; i < count; i++) {
    snprintf(name, sizeof name, "  of %g Gb/s", rates[i].mbps / 1000.0);
    print_row(output, rates[i].mbps ? name : "  of unknown rate", rates[i].links);
  }
}

static void set_rates(json_t *root, const struct loom_topo *t) {
  struct rate rates[RATES] = {{0}};
  uint32_t count = count_rates(t, rates);
  json_t *list = json_array();
  for (uint32_t i = 0; i < count; i++)
    json_array_append_new(list,
                          json_pack("{sosI}", "gbps",
                                    rates[i].mbps ? json_real(rates[i].mbps / 1000.0) : json_null(),
                                    "links", (json_int_t)rates[i].links));
  json_object_set_new(root, "rates", list);
}

static void print_parts(struct loom_output *output, const struct options *o,
                        const struct loom_topo *t) {
  struct loom_topo_qsnet3_parts parts;
  loom_topo_qsnet3_count(t, &parts);
  fputc('\n', output->file);
  print_row(output, o->given[BLADE] ? "node switches" : "node chassis", parts.node_switches);
  print_row(output, "top switches", parts.top_switches);
  print_row(output, "  links down", parts.top_radix);
  print_row(output, "  routers", parts.top_routers);
  print_row(output, "top chassis", parts.top_chassis);
  print_row(output, "cables", parts.cables);
}

static void print_text(struct loom_output *output, const struct options *o,
                       const struct loom_topo *t, const struct hops *h) {
  struct loom_topo_counts c;
  loom_topo_count(t, &c);
  print_row(output, "nodes", c.nodes);
  if (c.aggregation)
    print_row(output, "aggregation nodes", c.aggregation);
  print_row(output, "switches", c.switches);
  print_row(output, "  with nodes", c.edge);
  if (c.ports_min == c.ports_max) {
    print_row(output, "ports of a switch", c.ports_max);
  } else {
    print_row(output, "ports of a switch", c.ports_min);
    print_row(output, "  to", c.ports_max);
  }
  print_row(output, "node links", c.node_links);
  print_row(output, "switch links", c.switch_links);
  print_row(output, "links", c.node_links + c.switch_links);
  print_rates(output, t);
  if (o->kind == KIND_KNS) {
    const struct loom_topo_kns_cfg cfg = kns_of(o);
    print_row(output, "stages", loom_topo_kns_stages(&cfg));
  }
  if (o->kind == KIND_QSNET3)
    print_parts(output, o, t);
  if (h->pairs)
    print_hops(output, h);
}

static void set(json_t *root, const char *key, uint64_t value) {
  json_object_set_new(root, key, json_integer((json_int_t)value));
}

static void set_parts(json_t *root, const struct loom_topo *t) {
  struct loom_topo_qsnet3_parts parts;
  loom_topo_qsnet3_count(t, &parts);
  set(root, "node_switches", parts.node_switches);
  set(root, "top_switches", parts.top_switches);
  set(root, "top_radix", parts.top_radix);
  set(root, "top_routers", parts.top_routers);
  set(root, "top_chassis", parts.top_chassis);
  set(root, "cables", parts.cables);
}

static void set_hops(json_t *root, const struct hops *h) {
  json_t *list = json_array();
  for (uint32_t i = 0; i < h->count; i++)
    if (h->pairs[i])
      json_array_append_new(
          list, json_pack("{sIsI}", "links", (json_int_t)i, "pairs", (json_int_t)h->pairs[i]));
  json_object_set_new(root, "hops", list);
  set(root, "unreachable", h->unreachable);
}

static void print_json(struct loom_output *output, const struct options *o,
                       const struct loom_topo *t, const struct hops *h) {
  struct loom_topo_counts c;
  json_t *root = json_pack("{ss}", "kind", kind_names[o->kind]);
  loom_topo_count(t, &c);
  set(root, "nodes", c.nodes);
  if (o->kind == KIND_NET)
    set(root, "aggregation_nodes", c.aggregation);
  set(root, "switches", c.switches);
  set(root, "edge_switches", c.edge);
  set(root, "ports_min", c.ports_min);
  set(root, "ports_max", c.ports_max);
  set(root, "node_links", c.node_links);
  set(root, "switch_links", c.switch_links);
  set(root, "links", c.node_links + c.switch_links);
  if (o->kind == KIND_NET)
    set_rates(root, t);
  if (o->kind == KIND_KNS) {
    const struct loom_topo_kns_cfg cfg = kns_of(o);
    set(root, "stages", loom_topo_kns_stages(&cfg));
  }
  if (o->kind == KIND_QSNET3)
    set_parts(root, t);
  if (h->pairs)
    set_hops(root, h);
  json_dumpf(root, output->file, JSON_INDENT(2));
  fputc('\n', output->file);
  json_decref(root);
}

static int no_memory(const struct options *o) {
  return loom_refuse(o->io, o->command, "output", "out of memory");
}

static int print_fabric(const struct options *o, const struct loom_topo *t) {
  struct loom_output output;
  struct hops h = {.pairs = NULL};
  if (o->hops && !count_hops(t, &h)) {
    free(h.pairs);
    return no_memory(o);
  }
  if (!loom_output_open(&output)) {
    free(h.pairs);
    return no_memory(o);
  }
  if (o->json)
    print_json(&output, o, t, &h);
  else
    print_text(&output, o, t, &h);
  free(h.pairs);
  return loom_output_print(&output, o->io, o->command);
}

/* Writes the file that -o names. */
static int save(const struct options *o, const struct loom_topo *t) {
  struct loom_output output;
  struct loom_error err = {.line = ""};
  if (!o->output)
    return LOOM_EXIT_DONE;
  if (!loom_output_open(&output))
    return no_memory(o);
  if (is_graphviz(o->output))
    loom_topo_write_dot(t, output.file);
  else
    loom_topo_write_net(t, output.file);
  bool bad = ferror(output.file) != 0;
  bad = fclose(output.file) || bad || !output.text;
  int status = bad ? no_memory(o) : LOOM_EXIT_DONE;
  if (!bad && !loom_save(o->output, output.text, output.size, &err)) {
    loom_error_print(o->io->err, &err);
    status = LOOM_EXIT_BAD_INPUT;
  }
  free(output.text);
  return status;
}

int loom_cmd_topo(int argc, char **argv, const struct loom_streams *io) {
  struct options o = {.io = io, .command = argv[0]};
  struct argp argp = {
      .options = option_list, .parser = parse_option, .args_doc = "KIND [FILE]", .doc = doc};
  if (loom_parse(&argp, argc, argv, 0, &o, NULL))
    return LOOM_EXIT_BAD_INPUT;
  struct loom_topo *t = o.kind == KIND_NET ? load(&o) : make(&o);
  if (!t)
    return LOOM_EXIT_BAD_INPUT;
  int status = save(&o, t);
  if (status == LOOM_EXIT_DONE)
    status = print_fabric(&o, t);
  loom_topo_destroy(t);
  return status;
}

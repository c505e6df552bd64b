/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE /* argp */

#include <argp.h>
#include <inttypes.h>
#include <jansson.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/cmd_vlarb.h"
#include "cli/options.h"
#include "io/output.h"
#include "io/read_opensm_conf.h"

enum { RUNS_MAX = 1000000, PACKET_MAX = 65472, SHARE_DIGITS = 4, DISTANCE_DIGITS = 3 };

static const char *const mode_names[] = {
    [LOOM_VLARB_UNIT] = "unit",
    [LOOM_VLARB_ROUNDUP] = "roundup",
    [LOOM_VLARB_DEFICIT] = "deficit",
    [LOOM_VLARB_PACKET] = "packet",
    NULL,
};
static const char *const ports_names[] = {
    [LOOM_OPENSM_ALL] = "all", [LOOM_OPENSM_CA] = "ca",   [LOOM_OPENSM_SW0] = "sw0",
    [LOOM_OPENSM_SWE] = "swe", [LOOM_OPENSM_RTR] = "rtr", NULL,
};
static const char *const low_grant_names[] = {
    [LOOM_VLARB_LOW_ENTRY] = "entry",
    [LOOM_VLARB_LOW_PACKET] = "packet",
    NULL,
};

/* What the options say. */
struct options {
  const struct loom_streams *io;
  const char *command;
  const char *high;
  const char *low;
  const char *opensm;
  bool ports_given;
  unsigned ports; /* enum loom_opensm_ports */
  bool limit_given;
  uint32_t limit;
  uint32_t runs;
  uint32_t packet;
  unsigned mode;
  unsigned low_grant;
  bool json;
  unsigned defaults; /* options that opensm.conf leaves out: mask of enum loom_opensm_option */
};

enum {
  OPT_HIGH = 256,
  OPT_LOW,
  OPT_OPENSM,
  OPT_PORTS,
  OPT_LIMIT,
  OPT_RUNS,
  OPT_PACKET,
  OPT_MODE,
  OPT_LOW_GRANT,
  OPT_JSON
};

static const struct argp_option option_list[] = {
    {"high", OPT_HIGH, "FILE", 0, "High table (needed, or --opensm)", 0},
    {"low", OPT_LOW, "FILE", 0, "Low table", 0},
    {"opensm", OPT_OPENSM, "FILE", 0, "Both tables and the limit, from opensm.conf", 0},
    {"ports", OPT_PORTS, "KIND", 0, "--opensm: of which ports: all, ca, sw0, swe (default), rtr",
     0},
    {"limit", OPT_LIMIT, "L", 0,
     "LimitOfHighPriority: low has a turn after L * 4096 bytes of high; 255: never; 0: before each "
     "high packet; default 1",
     0},
    {"runs", OPT_RUNS, "N", 0, "Rounds of the high table, 1..1000000, default 30", 0},
    {"packet", OPT_PACKET, "BYTES", 0,
     "Size of all packets: the MTU; a multiple of 64, 64..65472, default 4096; not used in unit "
     "mode",
     0},
    {"mode", OPT_MODE, "MODE", 0, "What weights mean: roundup (default), deficit, packet, unit", 0},
    {"low-grant", OPT_LOW_GRANT, "HOW", 0,
     "A low turn sends a whole entry (`entry', default) or one packet (`packet')", 0},
    {"json", OPT_JSON, NULL, 0, "Print JSON", 0},
    {0},
};

static const char doc[] =
    "Runs InfiniBand's High and Low arbitration tables on a saturated link: each VL's share of the "
    "link in percent, and the distances between its selections."
    "\v"
    "A table file has a line `vl,weight' for each entry, `#' starts a comment; or OpenSM's "
    "`vl:weight,vl:weight,...'. 1..128 entries, VL 0..14, weight 0..255. With a first line "
    "`# entries: N' a file that is cut short is refused.\n"
    "\n"
    "Modes: roundup: a weight point is 64 bytes, and an entry with weight left may send a whole "
    "packet: "
    "what InfiniBand says. deficit: what does not reach a packet is kept for the VL's next entry. "
    "packet: each weight point is a whole packet of --packet bytes. unit: each weight point is a "
    "packet "
    "of 64 bytes and counts 64 bytes towards the limit; --packet has no effect. These are the "
    "numbers "
    "of the published method (300 runs, any packet size).\n"
    "\n"
    "What opensm.conf leaves out is as OpenSM's manual page has it.\n"
    "\n"
    "JSON: {low_turns, vl: [{vl, share, packets, distance_avg, distance_max}]}, share in percent, "
    "distances in selections (0: selected less than twice); `defaults', "
    "the options that opensm.conf leaves out, if there are any.";

static bool check_options(const struct options *o) {
  if (o->opensm && (o->high || o->low || o->limit_given))
    return loom_refuse(o->io, o->command, "--opensm", "has the tables and the limit already") == 0;
  if (o->ports_given && !o->opensm)
    return loom_refuse(o->io, o->command, "--ports", "is an option of --opensm") == 0;
  return o->opensm || o->high || loom_refuse(o->io, o->command, "--high", "missing") == 0;
}

static error_t parse_option(int key, char *arg, struct argp_state *state) {
  struct options *o = state->input;
  bool ok = true;
  switch (key) {
  case ARGP_KEY_INIT:
    state->err_stream = NULL; /* one line is enough */
    break;
  case OPT_HIGH:
    o->high = arg;
    break;
  case OPT_LOW:
    o->low = arg;
    break;
  case OPT_OPENSM:
    o->opensm = arg;
    break;
  case OPT_PORTS:
    ok = loom_option_word(o->io, o->command, "--ports", arg, ports_names, &o->ports);
    o->ports_given = true;
    break;
  case OPT_LIMIT:
    o->limit_given = true;
    ok = loom_option_number(o->io, o->command, "--limit", arg, 0, 255, &o->limit);
    break;
  case OPT_RUNS:
    ok = loom_option_number(o->io, o->command, "--runs", arg, 1, RUNS_MAX, &o->runs);
    break;
  case OPT_PACKET:
    ok = loom_option_number(o->io, o->command, "--packet", arg, 64, PACKET_MAX, &o->packet);
    if (ok && o->packet % 64)
      ok = loom_refuse(o->io, o->command, "--packet", "%s is not a multiple of 64", arg) == 0;
    break;
  case OPT_MODE:
    ok = loom_option_word(o->io, o->command, "--mode", arg, mode_names, &o->mode);
    break;
  case OPT_LOW_GRANT:
    ok = loom_option_word(o->io, o->command, "--low-grant", arg, low_grant_names, &o->low_grant);
    break;
  case OPT_JSON:
    o->json = true;
    break;
  case ARGP_KEY_ARG:
    ok = loom_refuse(o->io, o->command, "argument", "`%.40s` is not an option", arg) == 0;
    break;
  case ARGP_KEY_END:
    ok = check_options(o);
    break;
  default:
    return ARGP_ERR_UNKNOWN;
  }
  return ok ? 0 : EINVAL;
}

static bool read_table(struct loom_vlarb_table *table, const char *file, enum loom_vlarb_side side,
                       const struct loom_streams *io) {
  struct loom_error err = {.line = ""};
  struct loom_source src;
  table->count = 0;
  if (!file)
    return true;
  bool ok = loom_source_read(&src, file, &err);
  if (ok) {
    ok = loom_read_vlarb(table, &src, side, &err);
    loom_source_free(&src);
  }
  if (!ok)
    loom_error_print(io->err, &err);
  return ok;
}

/* Tables and limit of opensm.conf. */
static bool read_opensm(struct options *o, struct loom_vlarb_table *high,
                        struct loom_vlarb_table *low) {
  struct loom_error err = {.line = ""};
  struct loom_opensm_conf conf;
  bool ok = loom_load_opensm_conf(&conf, o->opensm, &err);
  if (ok) {
    const struct loom_opensm_qos q = loom_opensm_of(&conf, (enum loom_opensm_ports)o->ports);
    *high = q.high;
    *low = q.low;
    o->limit = q.high_limit;
    o->defaults = q.defaults;
  } else {
    loom_error_print(o->io->err, &err);
  }
  return ok;
}

static bool in_table(const struct loom_vlarb_table *table, unsigned vl) {
  for (size_t i = 0; i < table->count; i++)
    if (table->entry[i].vl == vl)
      return true;
  return false;
}

/* The VLs that stand in a table, as a mask. */
static unsigned named(const struct loom_vlarb_table *high, const struct loom_vlarb_table *low) {
  unsigned mask = 0;
  for (unsigned vl = 0; vl < LOOM_IB_VLS; vl++)
    if (in_table(high, vl) || in_table(low, vl))
      mask |= 1U << vl;
  return mask;
}

/* Options of the file that the analysis needs. */
static const struct {
  enum loom_opensm_option option;
  const char *name;
} used_options[] = {
    {LOOM_OPENSM_HIGH_LIMIT, "high_limit"},
    {LOOM_OPENSM_VLARB_HIGH, "vlarb_high"},
    {LOOM_OPENSM_VLARB_LOW, "vlarb_low"},
};
enum { USED_OPTIONS = sizeof used_options / sizeof used_options[0], OPTION_ROOM = 24 };

/* Names of those that the file leaves out; how many. */
static unsigned default_names(const struct options *o, char name[USED_OPTIONS][OPTION_ROOM]) {
  unsigned count = 0;
  for (unsigned i = 0; i < USED_OPTIONS; i++)
    if (o->defaults & used_options[i].option)
      snprintf(name[count++], OPTION_ROOM, "%s%s", loom_opensm_prefix[o->ports],
               used_options[i].name);
  return count;
}

static void print_defaults(FILE *out, const struct options *o) {
  char name[USED_OPTIONS][OPTION_ROOM];
  unsigned count = default_names(o, name);
  for (unsigned i = 0; i < count; i++)
    fprintf(out, "%s%s", i ? ", " : "OpenSM's defaults for ", name[i]);
  if (count)
    fputc('\n', out);
}

static void print_text(struct loom_output *output, const struct options *o,
                       const struct loom_vlarb_result *r, unsigned vls) {
  fprintf(output->file, "mode %s, ", mode_names[o->mode]);
  if (o->mode != LOOM_VLARB_UNIT)
    fprintf(output->file, "packets of %" PRIu32 " bytes, ", o->packet);
  fprintf(output->file, "limit %" PRIu32 ", low grant by %s, %" PRIu32 " runs\n", o->limit,
          low_grant_names[o->low_grant], o->runs);
  print_defaults(output->file, o);
  fprintf(output->file, "low turns %" PRIu64 "\n\n", r->low_turns);
  fprintf(output->file, "VL   share %%       packets  distance avg  distance max\n");
  for (unsigned vl = 0; vl < LOOM_IB_VLS; vl++) {
    if (!(vls >> vl & 1))
      continue;
    fprintf(output->file, "%2u  ", vl);
    loom_output_fixed(output, 8, (int64_t)loom_vlarb_share(r, vl, SHARE_DIGITS), SHARE_DIGITS);
    fprintf(output->file, "  %12" PRIu64 "  ", r->vl[vl].packets);
    loom_output_fixed(output, 12, (int64_t)loom_vlarb_distance(r, vl, DISTANCE_DIGITS),
                      DISTANCE_DIGITS);
    fprintf(output->file, "  %12" PRIu64 "\n", r->vl[vl].distance_max);
  }
}

static json_t *json_of_vl(const struct loom_vlarb_result *r, unsigned vl) {
  const struct loom_vlarb_vl *v = &r->vl[vl];
  double share = r->packets ? 100.0 * (double)v->packets / (double)r->packets : 0;
  double avg = v->selections > 1 ? (double)v->distance_sum / (double)(v->selections - 1) : 0;
  return json_pack("{sisfsIsfsI}", "vl", (int)vl, "share", share, "packets", (json_int_t)v->packets,
                   "distance_avg", avg, "distance_max", (json_int_t)v->distance_max);
}

static void print_json(struct loom_output *output, const struct options *o,
                       const struct loom_vlarb_result *r, unsigned vls) {
  char name[USED_OPTIONS][OPTION_ROOM];
  unsigned defaults = default_names(o, name);
  json_t *list = json_array();
  for (unsigned vl = 0; vl < LOOM_IB_VLS; vl++)
    if (vls >> vl & 1)
      json_array_append_new(list, json_of_vl(r, vl));
  json_t *root = json_pack("{sIso}", "low_turns", (json_int_t)r->low_turns, "vl", list);
  if (defaults)
    json_object_set_new(root, "defaults", json_array());
  for (unsigned i = 0; i < defaults; i++)
    json_array_append_new(json_object_get(root, "defaults"), json_string(name[i]));
  json_dumpf(root, output->file, JSON_INDENT(2) | JSON_REAL_PRECISION(12));
  fputc('\n', output->file);
  json_decref(root);
}

static int analyze(struct options *o) {
  struct loom_vlarb_table high;
  struct loom_vlarb_table low;
  struct loom_vlarb_result result;
  struct loom_output output;
  bool ok = o->opensm ? read_opensm(o, &high, &low)
                      : read_table(&high, o->high, LOOM_VLARB_SIDE_HIGH, o->io) &&
                            read_table(&low, o->low, LOOM_VLARB_SIDE_LOW, o->io);
  if (!ok)
    return LOOM_EXIT_BAD_INPUT;
  struct loom_vlarb_config config = {
      .high = high.entry,
      .high_count = high.count,
      .low = low.entry,
      .low_count = low.count,
      .limit = o->limit,
      .runs = o->runs,
      .mode = (enum loom_vlarb_mode)o->mode,
      .low_grant = (enum loom_vlarb_low_grant)o->low_grant,
      .packet_bytes = o->packet,
  };
  loom_vlarb_analyze(&config, &result);
  if (!loom_output_open(&output))
    return loom_refuse(o->io, o->command, "output", "out of memory");
  if (o->json)
    print_json(&output, o, &result, named(&high, &low));
  else
    print_text(&output, o, &result, named(&high, &low));
  return loom_output_print(&output, o->io, o->command);
}

static int cmd_analyze(int argc, char **argv, const struct loom_streams *io) {
  struct options o = {.io = io,
                      .command = argv[0],
                      .ports = LOOM_OPENSM_SWE,
                      .limit = 1,
                      .runs = 30,
                      .packet = 4096,
                      .mode = LOOM_VLARB_ROUNDUP};
  struct argp argp = {.options = option_list,
                      .parser = parse_option,
                      .args_doc = "--high FILE\n--opensm FILE",
                      .doc = doc};
  if (loom_parse(&argp, argc, argv, 0, &o, NULL))
    return LOOM_EXIT_BAD_INPUT;
  return analyze(&o);
}

int loom_cmd_vlarb(int argc, char **argv, const struct loom_streams *io) {
  static const struct loom_command list[] = {
      {"analyze", "shares and distances that High and Low tables give", cmd_analyze},
      {"solve", "tables from the shares and waits that VLs ask for", loom_cmd_vlarb_solve},
      {"testbed", "tables on real hardware, and what came of it", loom_cmd_vlarb_testbed},
      {NULL, NULL, NULL},
  };
  return loom_dispatch(argc, argv, io, list, "InfiniBand arbitration tables.");
}

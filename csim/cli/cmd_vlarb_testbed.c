/* SPDX-License-Identifier: Apache-2.0 */
/* cmd_vlarb_testbed.c - loom vlarb testbed: tables on real hardware, and what came of it
 * (docs/vlarb.md; IB-15) */
#define _GNU_SOURCE /* argp */

#include <argp.h>
#include <errno.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/cmd_vlarb.h"
#include "cli/options.h"
#include "cli/parse.h"
#include "io/output.h"
#include "io/read_perftest.h"
#include "io/save.h"
#include "io/text_stream.h"
#include "io/write_testbed.h"
#include "qos/ratio.h"

enum { RUNS = 20000, WHOLE = 1000000, DIGITS = 4, BOUND_NONE = UINT32_MAX >> 1, PATH_ROOM = 512 };

enum { OPT_OPENSM = 256, OPT_PORTS, OPT_PACKET, OPT_RESULTS, OPT_BOUND, OPT_JSON };

struct options {
  const struct loom_streams *io;
  const char *command;
  const char *opensm;
  unsigned ports; /* enum loom_opensm_ports */
  const char *folder;
  const char *results;
  uint32_t bound; /* parts per million */
  bool json;
  struct loom_testbed testbed;
  struct loom_opensm_qos qos;
};

static const char *const ports_names[] = {
    [LOOM_OPENSM_ALL] = "all", [LOOM_OPENSM_CA] = "ca",   [LOOM_OPENSM_SW0] = "sw0",
    [LOOM_OPENSM_SWE] = "swe", [LOOM_OPENSM_RTR] = "rtr", NULL,
};

static const struct argp_option option_list[] = {
    {"opensm", OPT_OPENSM, "FILE", 0, "Tables, limit and SL2VL: opensm.conf (needed)", 0},
    {"ports", OPT_PORTS, "KIND", 0, "Of which ports: all, ca, sw0, swe (default), rtr", 0},
    {"packet", OPT_PACKET, "BYTES", 0, "The MTU: 256, 512, 1024, 2048 or 4096 (default)", 0},
    {"output", 'o', "FOLDER", 0, "Write opensm.conf and testbed.sh into this folder", 0},
    {"results", OPT_RESULTS, "FOLDER", 0, "Read what testbed.sh left in its folder results", 0},
    {"bound", OPT_BOUND, "POINTS", 0,
     "--results: exit status 1 if a share is further than this from the tables'", 0},
    {"json", OPT_JSON, NULL, 0, "--results: print JSON", 0},
    {0},
};

static const char doc[] =
    "Tests arbitration tables on real hardware: one flow of perftest (ib_send_bw) for each VL, "
    "each with "
    "a service level of its own and asking for the whole link, between two nodes behind a switch."
    "\v"
    "First with -o: testbed.sh says in its first lines what to do. Then with --results, where each "
    "flow's output is sl-N.txt: the share of each SL, beside that of the tables with weights "
    "rounded "
    "up to whole packets, and the difference, tables less testbed. Below stands the largest "
    "difference for each way that switches may count weights and low turns.\n"
    "\n"
    "JSON: {flows: [{sl, vl, gbits, testbed, tables, difference}], rules: [{mode, low_grant, "
    "difference}]}; shares in percent, differences in points.";

/* ---- options --------------------------------------------------------------------------------- */

static bool refuse(const struct options *o, const char *option, const char *why) {
  loom_refuse(o->io, o->command, option, "%s", why);
  return false;
}

static bool read_bound(struct options *o, const char *arg) {
  uint64_t value = 0;
  if (loom_decimal(arg, DIGITS, WHOLE, &value) != LOOM_DECIMAL_OK)
    return loom_refuse(o->io, o->command, "--bound", "`%.40s` is not a number of points up to 100",
                       arg) == 0;
  o->bound = (uint32_t)value;
  return true;
}

static bool read_packet(struct options *o, const char *arg) {
  uint32_t mtu = 0;
  if (!loom_option_number(o->io, o->command, "--packet", arg, 256, 4096, &mtu))
    return false;
  if (mtu & (mtu - 1))
    return refuse(o, "--packet", "must be 256, 512, 1024, 2048 or 4096");
  o->testbed.mtu = mtu;
  return true;
}

static bool check_options(const struct options *o) {
  if (!o->opensm)
    return refuse(o, "--opensm", "missing");
  if (!o->folder == !o->results)
    return refuse(o, "--output", "either this or --results is needed");
  if (o->folder && (o->bound != BOUND_NONE || o->json))
    return refuse(o, o->json ? "--json" : "--bound", "is an option of --results");
  return true;
}

static error_t parse_option(int key, char *arg, struct argp_state *state) {
  struct options *o = state->input;
  bool ok = true;
  switch (key) {
  case ARGP_KEY_INIT:
    state->err_stream = NULL; /* one line is enough */
    break;
  case OPT_OPENSM:
    o->opensm = arg;
    break;
  case OPT_PORTS:
    ok = loom_option_word(o->io, o->command, "--ports", arg, ports_names, &o->ports);
    break;
  case OPT_PACKET:
    ok = read_packet(o, arg);
    break;
  case 'o':
    o->folder = arg;
    break;
  case OPT_RESULTS:
    o->results = arg;
    break;
  case OPT_BOUND:
    ok = read_bound(o, arg);
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

/* ---- the tables ------------------------------------------------------------------------------ */

static bool read_tables(struct options *o) {
  struct loom_opensm_conf conf;
  struct loom_error err = {.line = ""};
  if (!loom_load_opensm_conf(&conf, o->opensm, &err)) {
    loom_error_print(o->io->err, &err);
    return false;
  }
  o->qos = loom_opensm_of(&conf, (enum loom_opensm_ports)o->ports);
  if (!conf.qos) {
    loom_fail(&err, o->opensm, 0, "qos", "must be TRUE, or OpenSM writes no tables");
  } else {
    int vl = loom_testbed_flows(&o->testbed, &o->qos);
    if (vl >= 0)
      loom_fail(&err, o->opensm, 0, "sl2vl", "no SL is mapped to VL %d, which has a weight", vl);
  }
  if (err.line[0])
    loom_error_print(o->io->err, &err);
  return !err.line[0];
}

/* How a switch may count (IB-05, IB-06, INC-17); the first is that of the specification. */
static const struct {
  enum loom_vlarb_mode mode;
  enum loom_vlarb_low_grant low_grant;
  const char *mode_name;
  const char *grant_name;
} rules[] = {
    {LOOM_VLARB_ROUNDUP, LOOM_VLARB_LOW_ENTRY, "roundup", "entry"},
    {LOOM_VLARB_ROUNDUP, LOOM_VLARB_LOW_PACKET, "roundup", "packet"},
    {LOOM_VLARB_DEFICIT, LOOM_VLARB_LOW_ENTRY, "deficit", "entry"},
    {LOOM_VLARB_DEFICIT, LOOM_VLARB_LOW_PACKET, "deficit", "packet"},
    {LOOM_VLARB_UNIT, LOOM_VLARB_LOW_ENTRY, "unit", "entry"},
};
enum { RULES = sizeof rules / sizeof rules[0] };

/* Shares of the flows by a rule, parts per million. */
static void predict(const struct options *o, unsigned rule, uint32_t share[LOOM_IB_VLS]) {
  struct loom_vlarb_result r;
  const struct loom_vlarb_config config = {.high = o->qos.high.entry,
                                           .high_count = o->qos.high.count,
                                           .low = o->qos.low.entry,
                                           .low_count = o->qos.low.count,
                                           .limit = o->qos.high_limit,
                                           .runs = RUNS,
                                           .mode = rules[rule].mode,
                                           .low_grant = rules[rule].low_grant,
                                           .packet_bytes = o->testbed.mtu};
  loom_vlarb_analyze(&config, &r);
  for (uint32_t i = 0; i < o->testbed.count; i++)
    share[i] = (uint32_t)loom_vlarb_share(&r, o->testbed.flow[i].vl, DIGITS);
}

/* ---- the kit --------------------------------------------------------------------------------- */

static bool save(const struct options *o, const char *name, const char *text, size_t size) {
  char path[PATH_ROOM];
  struct loom_error err = {.line = ""};
  snprintf(path, sizeof path, "%.400s/%s", o->folder, name);
  if (loom_save(path, text, size, &err))
    return true;
  loom_error_print(o->io->err, &err);
  return false;
}

static bool make_folder(const struct options *o) {
  if (!mkdir(o->folder, 0777) || errno == EEXIST)
    return true;
  fprintf(o->io->err, "%s:0: folder: cannot be made: %s\n", o->folder, strerror(errno));
  return false;
}

static bool make_runnable(const struct options *o) {
  char path[PATH_ROOM];
  snprintf(path, sizeof path, "%.400s/testbed.sh", o->folder);
  return !chmod(path, 0755) ||
         loom_refuse(o->io, o->command, path, "cannot be made runnable: %s", strerror(errno)) == 0;
}

static int write_kit(const struct options *o) {
  struct loom_source conf;
  struct loom_error err = {.line = ""};
  char *text = NULL;
  size_t size = 0;
  if (!loom_source_read(&conf, o->opensm, &err)) {
    loom_error_print(o->io->err, &err);
    return LOOM_EXIT_BAD_INPUT;
  }
  FILE *file = loom_text_open(&text, &size);
  bool ok = file != NULL;
  if (file) {
    loom_write_testbed(file, &o->testbed);
    ok = !ferror(file);
    ok = !fclose(file) && ok && text;
  }
  if (!ok)
    loom_refuse(o->io, o->command, "output", "out of memory");
  ok = ok && make_folder(o) && save(o, "testbed.sh", text, size) && make_runnable(o) &&
       save(o, "opensm.conf", conf.text, conf.size);
  free(text);
  loom_source_free(&conf);
  return ok ? LOOM_EXIT_DONE : LOOM_EXIT_BAD_INPUT;
}

/* ---- what came of it ------------------------------------------------------------------------- */

struct measured {
  uint64_t kbits[LOOM_IB_VLS]; /* a second, by flow */
  uint32_t share[LOOM_IB_VLS]; /* parts per million */
  uint32_t tables[RULES][LOOM_IB_VLS];
  uint32_t apart[RULES]; /* the largest difference */
};

static bool read_flow(const struct options *o, uint32_t i, uint64_t *kbits) {
  char path[PATH_ROOM];
  struct loom_error err = {.line = ""};
  struct loom_source src;
  struct loom_perftest p = {.mtu = 0};
  snprintf(path, sizeof path, "%.400s/sl-%u.txt", o->results, (unsigned)o->testbed.flow[i].sl);
  bool ok = loom_source_read(&src, path, &err);
  if (ok) {
    ok = loom_read_perftest(&p, &src, &err);
    loom_source_free(&src);
  }
  if (ok && p.mtu && p.mtu != o->testbed.mtu)
    ok = loom_fail(&err, path, 0, "Mtu", "%" PRIu32 ", but --packet is %" PRIu32, p.mtu,
                   o->testbed.mtu);
  if (ok && p.message < o->testbed.mtu)
    ok = loom_fail(&err, path, 0, "#bytes",
                   "messages of %" PRIu64 " bytes are smaller than packets of the MTU", p.message);
  if (ok)
    *kbits = p.bandwidth / 1000;
  else
    loom_error_print(o->io->err, &err);
  return ok;
}

static bool measure(const struct options *o, struct measured *m) {
  uint64_t all = 0;
  for (uint32_t i = 0; i < o->testbed.count; i++) {
    if (!read_flow(o, i, &m->kbits[i]))
      return false;
    all += m->kbits[i];
  }
  if (!all)
    return refuse(o, "--results", "no flow sent anything");
  for (uint32_t i = 0; i < o->testbed.count; i++)
    m->share[i] = (uint32_t)loom_ratio(m->kbits[i], all, WHOLE, 0);
  for (unsigned rule = 0; rule < RULES; rule++) {
    predict(o, rule, m->tables[rule]);
    m->apart[rule] = 0;
    for (uint32_t i = 0; i < o->testbed.count; i++) {
      uint32_t a = m->tables[rule][i];
      uint32_t b = m->share[i];
      uint32_t apart = a > b ? a - b : b - a;
      m->apart[rule] = apart > m->apart[rule] ? apart : m->apart[rule];
    }
  }
  return true;
}

static void print_text(struct loom_output *output, const struct options *o,
                       const struct measured *m) {
  FILE *out = output->file;
  fprintf(out, "packets of %" PRIu32 " bytes, limit %u, %" PRIu32 " flows\n\n", o->testbed.mtu,
          (unsigned)o->qos.high_limit, o->testbed.count);
  fprintf(out, "SL  VL      Gb/sec  testbed %%   tables %%  difference\n");
  for (uint32_t i = 0; i < o->testbed.count; i++) {
    fprintf(out, "%2u  %2u  ", (unsigned)o->testbed.flow[i].sl, (unsigned)o->testbed.flow[i].vl);
    loom_output_fixed(output, 10, (int64_t)(m->kbits[i] / 1000), 3);
    fputs("  ", out);
    loom_output_fixed(output, 9, m->share[i], DIGITS);
    fputs("  ", out);
    loom_output_fixed(output, 9, m->tables[0][i], DIGITS);
    fputs("  ", out);
    loom_output_fixed(output, 10, (int64_t)m->tables[0][i] - m->share[i], DIGITS);
    fputc('\n', out);
  }
  fprintf(out, "\n%-10s  %-9s  largest difference\n", "weights", "low grant");
  for (unsigned rule = 0; rule < RULES; rule++) {
    fprintf(out, "%-10s  %-9s  ", rules[rule].mode_name, rules[rule].grant_name);
    loom_output_fixed(output, 8, m->apart[rule], DIGITS);
    fputc('\n', out);
  }
}

static void print_json(struct loom_output *output, const struct options *o,
                       const struct measured *m) {
  json_t *flows = json_array();
  json_t *list = json_array();
  for (uint32_t i = 0; i < o->testbed.count; i++)
    json_array_append_new(flows,
                          json_pack("{sisisfsfsfsf}", "sl", (int)o->testbed.flow[i].sl, "vl",
                                    (int)o->testbed.flow[i].vl, "gbits", (double)m->kbits[i] / 1e6,
                                    "testbed", m->share[i] / 1e4, "tables", m->tables[0][i] / 1e4,
                                    "difference", ((double)m->tables[0][i] - m->share[i]) / 1e4));
  for (unsigned rule = 0; rule < RULES; rule++)
    json_array_append_new(list,
                          json_pack("{sssssf}", "mode", rules[rule].mode_name, "low_grant",
                                    rules[rule].grant_name, "difference", m->apart[rule] / 1e4));
  json_t *root = json_pack("{soso}", "flows", flows, "rules", list);
  json_dumpf(root, output->file, JSON_INDENT(2) | JSON_REAL_PRECISION(12));
  fputc('\n', output->file);
  json_decref(root);
}

static int print_results(const struct options *o) {
  struct loom_output output;
  struct measured m = {.kbits = {0}};
  if (!measure(o, &m))
    return LOOM_EXIT_BAD_INPUT;
  if (!loom_output_open(&output))
    return loom_refuse(o->io, o->command, "output", "out of memory");
  if (o->json)
    print_json(&output, o, &m);
  else
    print_text(&output, o, &m);
  int status = loom_output_print(&output, o->io, o->command);
  return status == LOOM_EXIT_DONE && m.apart[0] > o->bound ? LOOM_EXIT_FAILED : status;
}

int loom_cmd_vlarb_testbed(int argc, char **argv, const struct loom_streams *io) {
  struct options o = {.io = io,
                      .command = argv[0],
                      .ports = LOOM_OPENSM_SWE,
                      .bound = BOUND_NONE,
                      .testbed = {.mtu = 4096}};
  struct argp argp = {.options = option_list,
                      .parser = parse_option,
                      .args_doc = "--opensm FILE -o FOLDER\n--opensm FILE --results FOLDER",
                      .doc = doc};
  if (loom_parse(&argp, argc, argv, 0, &o, NULL) || !read_tables(&o))
    return LOOM_EXIT_BAD_INPUT;
  return o.folder ? write_kit(&o) : print_results(&o);
}

/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE /* argp */

#include <argp.h>
#include <errno.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>

#include "cli/cmd_vef.h"
#include "cli/options.h"
#include "io/output.h"
#include "vef/vef_ideal.h"

enum { CYCLE_MAX = 1000000 };

/* What the options say. */
struct options {
  const struct loom_streams *io;
  const char *command;
  struct loom_vef_choice trace;
  struct loom_vef_ideal_cfg cfg;
  const char *names;
  bool strip, json;
};

enum {
  OPT_LATENCY = 256,
  OPT_NAMES,
  OPT_BANDWIDTH,
  OPT_CYCLE,
  OPT_COLLECTIVES,
  OPT_OPS,
  OPT_STRIP,
  OPT_WINDOW,
  OPT_JSON
};

static const struct argp_option option_list[] = {
    {"latency", OPT_LATENCY, "N", 0, "Cycles that a message takes (0)", 0},
    {"bandwidth", OPT_BANDWIDTH, "N", 0, "And a cycle more for so many bytes of it", 0},
    {"cycle", OPT_CYCLE, "PS", 0, "Picoseconds of a cycle; otherwise it is a unit of dTime", 0},
    {"names", OPT_NAMES, "FILE", 0, "The .names file: tasks of a tile are on one node", 0},
    {"collectives", OPT_COLLECTIVES, "HOW", 0,
     "Collectives become messages by `linear', `ring', `tree' or `doubling' (default)", 0},
    {"ops", OPT_OPS, "LIST", 0, "The trace's words for collectives, as of `loom vef info'", 0},
    {"strip", OPT_STRIP, NULL, 0, "Without the trigger flags of VEF3, as a VEF2 trace", 0},
    {"window", OPT_WINDOW, "N", 0,
     "Look for records that wait in windows of so many, and say how many were looked at", 0},
    {"json", OPT_JSON, NULL, 0, "Print JSON", 0},
    {0},
};

static const char doc[] =
    "Replays a trace on an ideal network: every message takes the same time, whatever else is "
    "under way. With latency 0 what is left is the time that the program itself needs.";

static error_t parse_option(int key, char *arg, struct argp_state *state) {
  struct options *o = state->input;
  const struct loom_streams *io = o->io;
  bool ok = true;
  switch (key) {
  case ARGP_KEY_INIT:
    state->err_stream = NULL; /* one line is enough */
    break;
  case OPT_LATENCY:
    ok = loom_option_number(io, o->command, "--latency", arg, 0, UINT32_MAX, &o->cfg.latency);
    break;
  case OPT_BANDWIDTH:
    ok = loom_option_number(io, o->command, "--bandwidth", arg, 1, UINT32_MAX, &o->cfg.bandwidth);
    break;
  case OPT_CYCLE:
    ok = loom_option_number(io, o->command, "--cycle", arg, 1, CYCLE_MAX, &o->cfg.cycle_ps);
    break;
  case OPT_NAMES:
    o->names = arg;
    break;
  case OPT_COLLECTIVES:
    ok = loom_option_word(io, o->command, "--collectives", arg, loom_vef_algorithm_names,
                          &o->trace.algorithm);
    break;
  case OPT_OPS:
    ok = loom_vef_choose_ops(&o->trace, io, o->command, arg);
    break;
  case OPT_STRIP:
    o->strip = true;
    break;
  case OPT_WINDOW:
    ok = loom_option_number(io, o->command, "--window", arg, 1, UINT32_MAX, &o->cfg.window);
    break;
  case OPT_JSON:
    o->json = true;
    break;
  case ARGP_KEY_ARG:
    ok = loom_option_file(io, o->command, arg, &o->trace.file);
    break;
  case ARGP_KEY_END:
    ok = loom_option_file(io, o->command, NULL, &o->trace.file);
    break;
  default:
    return ARGP_ERR_UNKNOWN;
  }
  return ok ? 0 : EINVAL;
}

static void print_json(const struct options *o, struct loom_output *output,
                       const struct loom_vef_ideal *r) {
  json_t *root = json_pack("{sIsIsIsIsI}", "cycles", (json_int_t)r->cycles, "messages",
                           (json_int_t)r->counts.sent, "inside", (json_int_t)r->counts.inside,
                           "searches", (json_int_t)r->counts.searches, "searches_saved",
                           (json_int_t)r->counts.searches_saved);
  if (o->cfg.window) {
    json_object_set_new(root, "looked_at", json_integer((json_int_t)r->counts.looked_at));
    json_object_set_new(root, "false_fails", json_integer((json_int_t)r->counts.false_fails));
  }
  json_dumpf(root, output->file, JSON_INDENT(2));
  fputc('\n', output->file);
  json_decref(root);
}

static void print_text(const struct options *o, struct loom_output *output,
                       const struct loom_vef_ideal *r) {
  fprintf(output->file,
          "cycles           %" PRIu64 "\nmessages         %" PRIu64 ", within tasks %" PRIu64
          "\nsearches         %" PRIu64 ", saved by trigger flags %" PRIu64 "\n",
          r->cycles, r->counts.sent, r->counts.inside, r->counts.searches,
          r->counts.searches_saved);
  if (o->cfg.window)
    fprintf(output->file, "looked at        %" PRIu64 " records, %" PRIu64 " false fails\n",
            r->counts.looked_at, r->counts.false_fails);
}

static int print(const struct options *o, const struct loom_vef_ideal *r) {
  struct loom_output output;
  if (!loom_output_open(&output))
    return loom_refuse(o->io, o->command, "output", "out of memory");
  if (o->json)
    print_json(o, &output, r);
  else
    print_text(o, &output, r);
  return loom_output_print(&output, o->io, o->command);
}

static int play(const struct options *o, const struct loom_vef_input *in,
                const struct loom_vef_names *names) {
  struct loom_vef_ideal_cfg cfg = o->cfg;
  struct loom_vef_ideal result;
  cfg.names = names;
  if (o->strip)
    loom_vef_strip_triggers(in->expanded);
  return loom_vef_ideal(in->expanded, &cfg, &result)
             ? print(o, &result)
             : loom_refuse(o->io, o->command, "output", "out of memory");
}

static int replay(const struct options *o) {
  struct loom_error err = {.line = ""};
  struct loom_vef_input in = {.trace = NULL};
  struct loom_vef_names *names = NULL;
  int status = LOOM_EXIT_BAD_INPUT;
  if (loom_vef_open(&in, &o->trace, &err) &&
      loom_vef_open_names(&names, o->names, in.trace->size.tasks, &err))
    status = play(o, &in, names);
  else
    loom_error_print(o->io->err, &err);
  loom_vef_names_destroy(names);
  loom_vef_input_free(&in);
  return status;
}

int loom_cmd_vef_replay(int argc, char **argv, const struct loom_streams *io) {
  struct options o = {
      .io = io, .command = argv[0], .trace = {.algorithm = LOOM_VEF_USUAL_ALGORITHM}};
  struct argp argp = {
      .options = option_list, .parser = parse_option, .args_doc = "FILE", .doc = doc};
  int status = loom_parse(&argp, argc, argv, 0, &o, NULL) ? LOOM_EXIT_BAD_INPUT : replay(&o);
  free(o.trace.ops_text);
  return status;
}

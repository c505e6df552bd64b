/* SPDX-License-Identifier: Apache-2.0 */
/* cli.c - the command `loom`: finds the command that is asked for */
#define _GNU_SOURCE /* argp */

#include "cli/cli.h"

#include <argp.h>
#include <string.h>

#include "io/json_memory.h"
#include <loom/version.h>

/* What the dispatcher's parser hands on. */
struct dispatch {
  const struct loom_command *list;
  const struct loom_command *command;
  int first; /* argument that names the command */
};

static error_t parse_dispatch(int key, char *arg, struct argp_state *state) {
  struct dispatch *d = state->input;
  if (key == ARGP_KEY_INIT)
    state->err_stream = NULL; /* one line is enough: no "Try ..." after getopt's own */
  if (key != ARGP_KEY_ARG)
    return key == ARGP_KEY_INIT ? 0 : ARGP_ERR_UNKNOWN;
  d->first = state->next - 1;
  for (d->command = d->list; d->command->name; d->command++)
    if (!strcmp(d->command->name, arg))
      break;
  state->next = state->argc; /* the rest is the command's */
  return 0;
}

static int run_command(int argc, char **argv, const struct loom_streams *io,
                       const struct dispatch *d) {
  char name[64];
  char *saved = argv[d->first];
  snprintf(name, sizeof name, "%.30s %.30s", argv[0], d->command->name);
  argv[d->first] = name;
  int status = d->command->run(argc - d->first, argv + d->first, io);
  argv[d->first] = saved;
  return status;
}

int loom_dispatch(int argc, char **argv, const struct loom_streams *io,
                  const struct loom_command *list, const char *doc) {
  struct dispatch d = {.list = list};
  char help[1200];
  int used = snprintf(help, sizeof help, "%s\vCommands:\n", doc);
  for (const struct loom_command *c = list; c->name; c++)
    used += snprintf(help + used, sizeof help - (size_t)used, "  %-10s %.100s\n", c->name, c->help);
  snprintf(
      help + used, sizeof help - (size_t)used,
      "\n`%.30s COMMAND --help` tells more. Exit status: 0 done, 1 a check failed, 2 bad input.",
      argv[0]);
  struct argp argp = {
      .parser = parse_dispatch, .args_doc = "COMMAND [OPTION...] [FILE...]", .doc = help};
  if (loom_parse(&argp, argc, argv, ARGP_IN_ORDER, &d, list))
    return LOOM_EXIT_BAD_INPUT;
  if (!d.command)
    return loom_refuse(io, argv[0], "command", "missing; `--help` lists them");
  if (!d.command->name)
    return loom_refuse(io, argv[0], "command", "`%.40s` is not one; `--help` lists them",
                       argv[d.first]);
  return run_command(argc, argv, io, &d);
}

int loom_cli(int argc, char **argv, const struct loom_streams *io) {
  static const struct loom_command list[] = {
      {"vlarb", "what InfiniBand arbitration tables do to a link", loom_cmd_vlarb},
      {"dtable", "tables of the deficit table scheduler", loom_cmd_dtable},
      {"topo", "fabrics: their shape, their parts, their files", loom_cmd_topo},
      {"route", "forwarding tables of a fabric, and what they are worth", loom_cmd_route},
      {"vef", "traces of parallel programs", loom_cmd_vef},
      {"record", "an MPI program, as such a trace", loom_cmd_record},
      {"run", "a fabric under traffic", loom_cmd_run},
      {"sweep", "a fabric over a grid of loads, or of anything", loom_cmd_sweep},
      {"plot", "figures of a sweep", loom_cmd_plot},
      {"report", "a page of a run: its links, flows and switches", loom_cmd_report},
      {"schema", "what a YAML file may say, for editors", loom_cmd_schema},
      {"ibsim", "a fabric for the real tools of InfiniBand", loom_cmd_ibsim},
      {NULL, NULL, NULL},
  };
  argp_program_version = "loom " LOOM_VERSION;
  argp_err_exit_status = LOOM_EXIT_BAD_INPUT;
  loom_json_watch();
  return loom_dispatch(argc, argv, io, list,
                       "Loom: synthesizable interconnect switches and their bit-exact C twins.");
}

/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE /* argp */

#include <argp.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/options.h"
#include "ibsim/server.h"
#include "io/read_net.h"

/* What the options say. */
struct options {
  const struct loom_streams *io;
  const char *command;
  const char *file;
};

static const struct argp_option option_list[] = {
    {0},
};

static const char doc[] =
    "Serves the fabric of FILE, a topology, to the real tools of InfiniBand: what they ask and "
    "set by the library umad2sim goes to its ports, as in ibsim."
    "\v"
    "$IBSIM_SOCKNAME names the sockets, for the tools as well (sim). A console reads lines from "
    "the standard input: Unlink, Relink and Clear, each with \"NAME\"[PORT], and Quit. Exit "
    "status: 0 it was ended, 2 bad input. docs/ibsim.md tells more.";

static error_t parse_option(int key, char *arg, struct argp_state *state) {
  struct options *o = state->input;
  bool ok = true;
  switch (key) {
  case ARGP_KEY_INIT:
    state->err_stream = NULL; /* one line is enough */
    break;
  case ARGP_KEY_ARG:
    ok = loom_option_file(o->io, o->command, arg, &o->file);
    break;
  case ARGP_KEY_END:
    ok = loom_option_file(o->io, o->command, NULL, &o->file);
    break;
  default:
    return ARGP_ERR_UNKNOWN;
  }
  return ok ? 0 : EINVAL;
}

/* ---- serving --------------------------------------------------------------------------------- */

static const char *socket_name(void) {
  const char *name = getenv("IBSIM_SOCKNAME");
  return name && *name ? name : "sim";
}

static void say_ready(const struct options *o, const struct loom_topo *t) {
  uint32_t switches = 0;
  for (uint32_t d = 0; d < t->devices; d++)
    switches += t->device[d].kind == LOOM_TOPO_SWITCH;
  fprintf(o->io->out, "%" PRIu32 " switches, %" PRIu32 " adapters; simulator ready\n", switches,
          t->devices - switches);
  fflush(o->io->out);
}

static int serve(const struct options *o, struct loom_subnet *subnet) {
  struct loom_exchange exchange = {.subnet = subnet};
  char why[200];
  const struct loom_ibsim_server_cfg cfg = {.exchange = &exchange,
                                            .name = socket_name(),
                                            .console = STDIN_FILENO,
                                            .io = o->io,
                                            .command = o->command};
  struct loom_ibsim_server *server = loom_ibsim_server_create(&cfg, why);
  if (!server)
    return loom_refuse(o->io, o->command, "IBSIM_SOCKNAME", "%s", why);
  say_ready(o, subnet->topo);
  while (loom_ibsim_serve(server, -1))
    ;
  loom_ibsim_server_destroy(server);
  return LOOM_EXIT_DONE;
}

static int serve_topology(const struct options *o, const struct loom_topo *topo) {
  const struct loom_subnet_cfg cfg = {.vls = 8, .high = 8, .low = 8};
  struct loom_subnet *subnet = loom_subnet_create(topo, &cfg);
  int status = subnet ? serve(o, subnet) : loom_refuse(o->io, o->command, o->file, "out of memory");
  loom_subnet_destroy(subnet);
  return status;
}

static int serve_file(const struct options *o) {
  struct loom_error err = {.line = ""};
  struct loom_source src;
  struct loom_topo *topo = NULL;
  int status = LOOM_EXIT_BAD_INPUT;
  if (loom_source_read_all(&src, o->file, &err)) {
    topo = loom_read_net(&src, &err);
    loom_source_free(&src);
  }
  if (topo)
    status = serve_topology(o, topo);
  else
    loom_error_print(o->io->err, &err);
  loom_topo_destroy(topo);
  return status;
}

int loom_cmd_ibsim(int argc, char **argv, const struct loom_streams *io) {
  struct options o = {.io = io, .command = argv[0]};
  struct argp argp = {
      .options = option_list, .parser = parse_option, .args_doc = "FILE", .doc = doc};
  return loom_parse(&argp, argc, argv, 0, &o, NULL) ? LOOM_EXIT_BAD_INPUT : serve_file(&o);
}

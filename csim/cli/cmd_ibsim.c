/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE /* argp */

#include <argp.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/options.h"
#include "ibsim/console.h"
#include "ibsim/living.h"
#include "ibsim/server.h"
#include "io/read_net.h"
#include "run/edited_spec.h"

enum { CHANGES = 64, SLICE = 256, REST_MS = 20 };

/* A cable that is cut or joined in a cycle. */
struct change {
  const char *place;
  uint64_t cycle;
  bool joined, done;
};

/* What the options say. */
struct options {
  const struct loom_streams *io;
  const char *command;
  const char *file;
  const char *folder;    /* for results; NULL: nobody asks for them */
  const char *line;      /* of the command, without it */
  uint64_t cycles, pace; /* 0: no end; as fast as it goes */
  uint32_t changes;
  struct change change[CHANGES];
};

enum { OPT_CYCLES = 256, OPT_PACE, OPT_CUT, OPT_JOIN };

static const struct argp_option option_list[] = {
    {"output", 'o', "DIR", 0, "Write results into this directory at the end, for `loom report'", 0},
    {"cycles", OPT_CYCLES, "N", 0, "End after so many cycles of traffic (never)", 0},
    {"pace", OPT_PACE, "N", 0, "Cycles a second, at most (as many as can be)", 0},
    {"cut", OPT_CUT, "NAME[PORT]@CYCLE", 0, "Cut a cable in this cycle of traffic; may be repeated",
     0},
    {"join", OPT_JOIN, "NAME[PORT]@CYCLE", 0, "Join it again", 0},
    {0},
};

static const char doc[] =
    "Serves the fabric of FILE to the real tools of InfiniBand: what they ask and set by the "
    "library umad2sim goes to its ports, as in ibsim. Of a fabric file (`.yaml') the twins run: "
    "what is set goes into their registers, their counters are read, and its traffic moves. Any "
    "other file is a topology without traffic."
    "\v"
    "$IBSIM_SOCKNAME names the sockets, for the tools as well (sim). A console reads lines from "
    "the standard input: Unlink, Relink and Clear, each with \"NAME\"[PORT], Status and Quit. The "
    "results of --output are those of loom run with --stats links,flows,times. Exit status: 0 it "
    "was ended, 1 out of memory, 2 bad input. docs/ibsim.md tells more.";

static bool parse_number(const struct options *o, const char *option, const char *text,
                         uint64_t *value) {
  return (loom_decimal(text, 0, UINT64_C(1) << 60, value) == LOOM_DECIMAL_OK && *value) ||
         loom_refuse(o->io, o->command, option, "`%.40s` is no whole number from 1 on", text) == 0;
}

/* Splits NAME[PORT]@CYCLE, which is the program's own. */
static bool parse_change(struct options *o, const char *option, char *text, bool joined) {
  char *at = strrchr(text, '@');
  if (o->changes == CHANGES)
    return loom_refuse(o->io, o->command, option, "more than %d", CHANGES) == 0;
  if (!at)
    return loom_refuse(o->io, o->command, option, "`%.80s` is no NAME[PORT]@CYCLE", text) == 0;
  struct change *c = &o->change[o->changes++];
  *at = '\0';
  *c = (struct change){.place = text, .joined = joined};
  return parse_number(o, option, at + 1, &c->cycle);
}

static error_t parse_option(int key, char *arg, struct argp_state *state) {
  struct options *o = state->input;
  bool ok = true;
  switch (key) {
  case ARGP_KEY_INIT:
    state->err_stream = NULL; /* one line is enough */
    break;
  case 'o':
    o->folder = arg;
    break;
  case OPT_CYCLES:
    ok = parse_number(o, "--cycles", arg, &o->cycles);
    break;
  case OPT_PACE:
    ok = parse_number(o, "--pace", arg, &o->pace);
    break;
  case OPT_CUT:
    ok = parse_change(o, "--cut", arg, false);
    break;
  case OPT_JOIN:
    ok = parse_change(o, "--join", arg, true);
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

/* A fabric that is served; `living` NULL: without twins. */
struct service {
  const struct options *o;
  struct loom_exchange exchange;
  struct loom_living *living;
  struct loom_ibsim_server *server;
  struct change change[CHANGES];
  struct timespec began; /* when traffic did */
};

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

static void say_status(void *context, FILE *out) {
  const struct service *s = context;
  const struct loom_living_counts c = loom_living_counts(s->living);
  fprintf(out,
          "cycle %" PRIu64 ": %" PRIu64 " messages sent, %" PRIu64 " delivered, %" PRIu64 " lost",
          c.cycles, c.sent, c.delivered, c.lost);
  if (c.lost)
    fprintf(out, " (the last in cycle %" PRIu64 ")", c.last_lost);
  fprintf(out, ", %" PRIu64 " under way, %" PRIu64 " overtaken, %" PRIu64 " not sent\n",
          c.sent - c.delivered - c.lost, c.overtaken, c.unsent);
}

static bool open_server(struct service *s) {
  const struct options *o = s->o;
  char why[200];
  const struct loom_ibsim_server_cfg cfg = {.exchange = &s->exchange,
                                            .name = socket_name(),
                                            .console = STDIN_FILENO,
                                            .status = s->living ? say_status : NULL,
                                            .context = s,
                                            .io = o->io,
                                            .command = o->command};
  s->server = loom_ibsim_server_create(&cfg, why);
  if (!s->server)
    return loom_refuse(o->io, o->command, "IBSIM_SOCKNAME", "%s", why) == 0;
  say_ready(o, s->exchange.subnet->topo);
  return true;
}

/* ---- traffic --------------------------------------------------------------------------------- */

/* Cables that are due. */
static void do_changes(struct service *s, uint64_t cycle) {
  char why[LOOM_CONSOLE_REPLY];
  struct loom_subnet_place at;
  for (uint32_t i = 0; i < s->o->changes; i++) {
    struct change *c = &s->change[i];
    if (c->done || c->cycle > cycle)
      continue;
    c->done = true;
    if (loom_console_place(s->exchange.subnet, c->place, &at, why))
      loom_subnet_join(s->exchange.subnet, at.device, at.port, c->joined);
  }
}

static uint64_t earlier(uint64_t a, uint64_t b) { return a < b ? a : b; }

/* Cycles of traffic that the pace leaves for now. */
static uint64_t paced(const struct service *s, const struct loom_living_counts *c) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  double seconds =
      (double)(now.tv_sec - s->began.tv_sec) + (double)(now.tv_nsec - s->began.tv_nsec) / 1e9;
  double due = seconds * (double)s->o->pace - (double)c->cycles;
  return due < 1 ? 0 : due < SLICE ? (uint64_t)due : SLICE;
}

/* Cycles that may be done at once: up to the next change, to the end, as the pace allows. */
static uint64_t allowed(struct service *s, const struct loom_living_counts *c) {
  const struct options *o = s->o;
  uint64_t cycles = SLICE;
  if (!c->cycles)
    clock_gettime(CLOCK_MONOTONIC, &s->began);
  if (!c->begun)
    return cycles;
  for (uint32_t i = 0; i < o->changes; i++)
    if (!s->change[i].done)
      cycles = earlier(cycles, s->change[i].cycle - c->cycles);
  if (o->cycles)
    cycles = earlier(cycles, o->cycles - c->cycles);
  return o->pace && c->cycles ? earlier(cycles, paced(s, c)) : cycles;
}

static bool is_over(const struct service *s, const struct loom_living_counts *c) {
  return c->exhausted || (s->o->cycles && c->cycles >= s->o->cycles);
}

static int run_traffic(struct service *s) {
  struct loom_living_counts c = loom_living_counts(s->living);
  uint64_t cycles = SLICE;
  while (!is_over(s, &c) &&
         loom_ibsim_serve(s->server, loom_living_rests(s->living) ? REST_MS : !cycles)) {
    do_changes(s, c.begun ? c.cycles : 0);
    cycles = allowed(s, &c);
    loom_living_run(s->living, cycles);
    c = loom_living_counts(s->living);
  }
  return c.exhausted ? LOOM_EXIT_FAILED : LOOM_EXIT_DONE;
}

/* What came of the traffic, and what happened meanwhile. */
static int write_results(const struct service *s, const struct loom_edited_spec *config,
                         struct loom_point *point) {
  const struct options *o = s->o;
  struct loom_report report;
  struct loom_error err = {.line = ""};
  const struct loom_provenance from = {
      .command = o->line, .configuration = loom_kept_hash(&config->kept, LOOM_HASH_START)};
  if (!loom_report_make(&report, &config->spec, point, 1, &from))
    return loom_refuse(o->io, o->command, "output", "out of memory");
  report.event = loom_living_events(s->living, &report.events);
  bool ok = loom_results_write(o->folder, &report, &config->kept, &err);
  if (!ok)
    loom_error_print(o->io->err, &err);
  loom_report_free(&report);
  return ok ? LOOM_EXIT_DONE : LOOM_EXIT_BAD_INPUT;
}

static int keep_results(const struct service *s, const struct loom_edited_spec *config) {
  struct loom_point point;
  int status = loom_living_point(s->living, &point)
                   ? write_results(s, config, &point)
                   : loom_edited_spec_refuse(config, &point.refused, s->o->command, s->o->io->err);
  loom_point_free(&point);
  return status;
}

static int serve_living(struct service *s, const struct loom_edited_spec *config) {
  if (!open_server(s))
    return LOOM_EXIT_BAD_INPUT;
  int status = run_traffic(s);
  loom_living_drain(s->living, config->spec.run.drain);
  say_status(s, s->o->io->out);
  if (status)
    loom_refuse(s->o->io, s->o->command, "memory", "out of memory");
  else if (s->o->folder)
    status = keep_results(s, config);
  loom_ibsim_server_destroy(s->server);
  return status;
}

/* The cables of --cut and --join are there. */
static bool check_changes(const struct options *o, const struct loom_subnet *subnet) {
  char why[LOOM_CONSOLE_REPLY];
  struct loom_subnet_place at;
  for (uint32_t i = 0; i < o->changes; i++)
    if (!loom_console_place(subnet, o->change[i].place, &at, why))
      return loom_refuse(o->io, o->command, o->change[i].joined ? "--join" : "--cut", "%s", why) ==
             0;
  return true;
}

static int serve_plan(const struct options *o, const struct loom_edited_spec *config,
                      struct loom_plan *plan) {
  struct loom_plan_error refused = {.status = 0};
  struct service s = {.o = o};
  memcpy(s.change, o->change, sizeof s.change);
  int status = LOOM_EXIT_BAD_INPUT;
  s.living = loom_living_create(plan, o->folder, &refused);
  if (!s.living)
    return loom_edited_spec_refuse(config, &refused, o->command, o->io->err);
  s.exchange.subnet = loom_living_subnet(s.living);
  if (check_changes(o, s.exchange.subnet))
    status = serve_living(&s, config);
  loom_living_destroy(s.living);
  return status;
}

static int serve_fabric(const struct options *o) {
  struct loom_error err = {.line = ""};
  struct loom_plan_error refused = {.status = 0};
  static const struct loom_edit stats = {"run.stats", "[links, flows, times]"};
  struct loom_edited_spec *config =
      o->folder && !loom_results_may(o->folder, &err)
          ? NULL
          : loom_edited_spec_read(o->file, &stats, o->folder ? 1 : 0, &err);
  if (!config) {
    loom_error_print(o->io->err, &err);
    return LOOM_EXIT_BAD_INPUT;
  }
  struct loom_plan *plan = loom_plan_create(&config->spec, &refused);
  int status = plan ? serve_plan(o, config, plan)
                    : loom_edited_spec_refuse(config, &refused, o->command, o->io->err);
  loom_plan_destroy(plan);
  loom_edited_spec_free(config);
  return status;
}

/* ---- a topology ------------------------------------------------------------------------------ */

static int serve_topology(const struct options *o, const struct loom_topo *topo) {
  const struct loom_subnet_cfg cfg = {.vls = 8, .high = 8, .low = 8, .lids = LOOM_SUBNET_LIDS};
  struct loom_subnet *subnet = loom_subnet_create(topo, &cfg);
  struct service s = {.o = o, .exchange = {.subnet = subnet}};
  if (!subnet)
    return loom_refuse(o->io, o->command, o->file, "out of memory");
  bool ok = open_server(&s);
  while (ok && loom_ibsim_serve(s.server, -1))
    ;
  loom_ibsim_server_destroy(s.server);
  loom_subnet_destroy(subnet);
  return ok ? LOOM_EXIT_DONE : LOOM_EXIT_BAD_INPUT;
}

static int serve_net(const struct options *o) {
  struct loom_error err = {.line = ""};
  struct loom_source src;
  struct loom_topo *topo = NULL;
  int status = LOOM_EXIT_BAD_INPUT;
  if (o->cycles || o->pace || o->changes || o->folder)
    return loom_refuse(o->io, o->command, o->file,
                       "a topology has no traffic, so --cycles, --pace, --cut, --join and --output "
                       "want a fabric file, `.yaml`");
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

static bool is_fabric(const char *file) {
  const char *end = strrchr(file, '.');
  return end && (!strcmp(end, ".yaml") || !strcmp(end, ".yml"));
}

/* The command line without the place of the results: the caller's, NULL out of memory. */
static char *line_of(int argc, char **argv) {
  const char **word = calloc((size_t)argc + 1, sizeof(char *));
  size_t words = 0;
  for (int i = 1; word && i < argc; i++) {
    bool output = !strncmp(argv[i], "-o", 2) || !strncmp(argv[i], "--output", 8);
    if (!output)
      word[words++] = argv[i];
    else if (!strcmp(argv[i], "-o") || !strcmp(argv[i], "--output"))
      i++;
  }
  char *line = word ? loom_provenance_line("loom ibsim", word, words) : NULL;
  free(word);
  return line;
}

int loom_cmd_ibsim(int argc, char **argv, const struct loom_streams *io) {
  char *line = line_of(argc, argv); /* before its words are taken apart */
  struct options o = {.io = io, .command = argv[0], .line = line};
  struct argp argp = {
      .options = option_list, .parser = parse_option, .args_doc = "FILE", .doc = doc};
  int status = LOOM_EXIT_BAD_INPUT;
  if (!line)
    loom_refuse(io, argv[0], "output", "out of memory");
  else if (!loom_parse(&argp, argc, argv, 0, &o, NULL))
    status = is_fabric(o.file) ? serve_fabric(&o) : serve_net(&o);
  free(line);
  return status;
}

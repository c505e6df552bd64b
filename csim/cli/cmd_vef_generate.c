/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE /* argp */

#include <argp.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cmd_vef.h"
#include "cli/options.h"
#include "vef/vef_generate.h"

enum { ROUNDS_MAX = 1000000, MESSAGES_MAX = 100000000 };

/* Of collectives all but the last one, alltoall, which is a pattern. */
static const char *const pattern_names[] = {[LOOM_VEF_PATTERN_RING] = "ring",
                                            [LOOM_VEF_PATTERN_ALLTOALL] = "alltoall",
                                            [LOOM_VEF_PATTERN_STENCIL] = "stencil",
                                            [LOOM_VEF_PATTERN_RANDOM] = "random",
                                            "broadcast",
                                            "reduce",
                                            "allreduce",
                                            "gather",
                                            "scatter",
                                            "allgather",
                                            "barrier",
                                            NULL};

/* What the options say. */
struct options {
  const struct loom_streams *io;
  const char *command;
  const char *file;
  const char *kind;
  bool tasks, grid; /* given */
  struct loom_vef_generate_cfg cfg;
};

enum {
  OPT_TASKS = 256,
  OPT_GRID,
  OPT_ROUNDS,
  OPT_BYTES,
  OPT_COMPUTE,
  OPT_CLOCK,
  OPT_SEED,
  OPT_FORMAT,
  OPT_OUTPUT = 'o'
};

static const struct argp_option option_list[] = {
    {"output", OPT_OUTPUT, "FILE", 0, "Where the trace goes (needed)", 0},
    {"tasks", OPT_TASKS, "N", 0, "Tasks, 2..65536, default 16; not of a stencil", 0},
    {"grid", OPT_GRID, "XxY[xZ]", 0, "Tasks of a stencil in each dimension (needed there)", 0},
    {"rounds", OPT_ROUNDS, "N", 0, "1..1000000, default 1", 0},
    {"bytes", OPT_BYTES, "N", 0, "Length of each message, 0..4294967295, default 1024", 0},
    {"compute", OPT_COMPUTE, "T", 0,
     "dTime before the first message of a round is 0..T at random, default 1000", 0},
    {"clock", OPT_CLOCK, "PS", 0, "Picoseconds a unit of dTime, 1..65535, default 1000", 0},
    {"seed", OPT_SEED, "N", 0, "0..4294967295, default 1; the same seed gives the same trace", 0},
    {"format", OPT_FORMAT, "V", 0, "2: VEF2, without trigger flags; 3 (default): VEF3", 0},
    {0},
};

static const char doc[] =
    "Writes a trace of a communication pattern."
    "\v"
    "Kinds: ring: each task to the next. alltoall: each task to all others. stencil: each task to "
    "its neighbours in a 2D or 3D grid that wraps around. random: each task to some other, in "
    "answer "
    "to the newest message that it got or else after its own last one.\n"
    "\n"
    "In all but random a task sends the messages of a round in answer to those of the round "
    "before.\n"
    "\n"
    "broadcast, reduce, allreduce, gather, scatter, allgather, barrier: all tasks do this "
    "collective in each round; task 0 is the root.";

/* `XxY` or `XxYxZ` */
static bool take_grid(struct options *o, const char *text) {
  char copy[40];
  char *rest = copy;
  unsigned dimensions = 0;
  uint64_t tasks = 1;
  snprintf(copy, sizeof copy, "%s", text);
  for (char *word; (word = strsep(&rest, "x")) != NULL; dimensions++) {
    uint64_t size = 0;
    if (dimensions == 3 || loom_decimal(word, 0, LOOM_VEF_TASKS, &size) != LOOM_DECIMAL_OK || !size)
      return loom_refuse(o->io, o->command, "--grid", "`%.40s` is not XxY or XxYxZ", text) == 0;
    o->cfg.grid[dimensions] = (uint32_t)size;
    tasks *= size;
  }
  if (dimensions < 2)
    return loom_refuse(o->io, o->command, "--grid", "`%.40s` is not XxY or XxYxZ", text) == 0;
  if (tasks < 2 || tasks > LOOM_VEF_TASKS)
    return loom_refuse(o->io, o->command, "--grid", "%s has not 2..65536 tasks", text) == 0;
  o->cfg.tasks = (uint32_t)tasks;
  o->grid = true;
  return true;
}

static bool take_argument(struct options *o, const char *arg) {
  unsigned pattern = 0;
  if (o->kind)
    return loom_refuse(o->io, o->command, "argument", "`%.40s` is one kind too many", arg) == 0;
  if (!loom_option_word(o->io, o->command, "KIND", arg, pattern_names, &pattern))
    return false;
  o->kind = arg;
  o->cfg.pattern = LOOM_VEF_PATTERN_COLLECTIVE;
  if (pattern < LOOM_VEF_PATTERN_COLLECTIVE)
    o->cfg.pattern = (enum loom_vef_pattern)pattern;
  else
    o->cfg.op = (enum loom_vef_op)(pattern - LOOM_VEF_PATTERN_COLLECTIVE);
  return true;
}

static bool check(struct options *o) {
  bool stencil = o->cfg.pattern == LOOM_VEF_PATTERN_STENCIL;
  if (!o->kind)
    return loom_refuse(o->io, o->command, "KIND", "missing") == 0;
  if (!o->file)
    return loom_refuse(o->io, o->command, "--output", "missing") == 0;
  if (stencil && (!o->grid || o->tasks))
    return loom_refuse(o->io, o->command, "--grid", "a stencil has a grid, and no --tasks") == 0;
  if (!stencil && o->grid)
    return loom_refuse(o->io, o->command, "--grid", "only a stencil has one") == 0;
  if (loom_vef_generate_size(&o->cfg) > MESSAGES_MAX)
    return loom_refuse(o->io, o->command, "--rounds", "more than %d messages", MESSAGES_MAX) == 0;
  return true;
}

static bool take_number(struct options *o, const char *option, const char *arg, uint32_t min,
                        uint32_t max, uint32_t *value) {
  return loom_option_number(o->io, o->command, option, arg, min, max, value);
}

static error_t parse_option(int key, char *arg, struct argp_state *state) {
  struct options *o = state->input;
  uint32_t seed = 0;
  bool ok = true;
  switch (key) {
  case ARGP_KEY_INIT:
    state->err_stream = NULL; /* one line is enough */
    break;
  case OPT_OUTPUT:
    o->file = arg;
    break;
  case OPT_TASKS:
    ok = take_number(o, "--tasks", arg, 2, LOOM_VEF_TASKS, &o->cfg.tasks);
    o->tasks = true;
    break;
  case OPT_GRID:
    ok = take_grid(o, arg);
    break;
  case OPT_ROUNDS:
    ok = take_number(o, "--rounds", arg, 1, ROUNDS_MAX, &o->cfg.rounds);
    break;
  case OPT_BYTES:
    ok = take_number(o, "--bytes", arg, 0, UINT32_MAX, &o->cfg.bytes);
    break;
  case OPT_COMPUTE:
    ok = take_number(o, "--compute", arg, 0, UINT32_MAX, &o->cfg.compute);
    break;
  case OPT_CLOCK:
    ok = take_number(o, "--clock", arg, 1, LOOM_VEF_CLOCK, &o->cfg.clock);
    break;
  case OPT_SEED:
    ok = take_number(o, "--seed", arg, 0, UINT32_MAX, &seed);
    o->cfg.seed = seed;
    break;
  case OPT_FORMAT:
    ok = take_number(o, "--format", arg, 2, 3, &o->cfg.version);
    break;
  case ARGP_KEY_ARG:
    ok = take_argument(o, arg);
    break;
  case ARGP_KEY_END:
    ok = check(o);
    break;
  default:
    return ARGP_ERR_UNKNOWN;
  }
  return ok ? 0 : EINVAL;
}

static int write_trace(const struct options *o, const struct loom_vef_trace *trace) {
  struct loom_error err = {.line = ""};
  if (loom_vef_save(trace, o->file, &err))
    return LOOM_EXIT_DONE;
  loom_error_print(o->io->err, &err);
  return LOOM_EXIT_BAD_INPUT;
}

int loom_cmd_vef_generate(int argc, char **argv, const struct loom_streams *io) {
  struct options o = {.io = io,
                      .command = argv[0],
                      .cfg = {.tasks = 16,
                              .grid = {1, 1, 1},
                              .rounds = 1,
                              .bytes = 1024,
                              .compute = 1000,
                              .clock = LOOM_VEF_MPI_CLOCK,
                              .seed = 1,
                              .version = 3}};
  struct argp argp = {
      .options = option_list, .parser = parse_option, .args_doc = "KIND -o FILE", .doc = doc};
  if (loom_parse(&argp, argc, argv, 0, &o, NULL))
    return LOOM_EXIT_BAD_INPUT;
  struct loom_vef_trace *trace = loom_vef_generate(&o.cfg);
  if (!trace)
    return loom_refuse(io, o.command, "output", "out of memory");
  int status = write_trace(&o, trace);
  loom_vef_destroy(trace);
  return status;
}

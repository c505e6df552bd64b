/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE /* argp */

#include <argp.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/cmd_vef.h"
#include "cli/options.h"
#include "io/read_logs.h"
#include "run/recording.h"

enum { SCALE_MAX = 1000 };

/* What the options say. */
struct options {
  const struct loom_streams *io;
  const char *command; /* `loom record` */
  const char *file;
  const char *keep, *merge;
  struct loom_recording run;
  struct loom_vef_merge_cfg cfg;
};

enum { OPT_CLOCK = 256, OPT_SCALE, OPT_REGION, OPT_KEEP, OPT_MERGE, OPT_MPIRUN, OPT_LIBRARY };

static const struct argp_option option_list[] = {
    {"ranks", 'n', "N", 0, "Ranks of the program (2), which are the tasks of the trace", 0},
    {"output", 'o', "FILE", 0, "The trace", 0},
    {"clock", OPT_CLOCK, "KIND", 0,
     "What counts as computing: `cpu' (the default): the time that a rank had a core; `wall': the "
     "time that went by; `none'",
     0},
    {"scale", OPT_SCALE, "X", 0, "Multiply computing times by it (1)", 0},
    {"region", OPT_REGION, "FROM:TO", 0,
     "Only what lies between two collectives of all ranks, and these: their numbers in the logs; "
     "either may be missing",
     0},
    {"keep", OPT_KEEP, "FOLDER", 0, "Keep the logs of the ranks in this new folder", 0},
    {"merge", OPT_MERGE, "FOLDER", 0, "Run nothing; make the trace from the logs in this folder",
     0},
    {"mpirun", OPT_MPIRUN, "COMMAND", 0, "What starts the ranks (mpirun), with options of its own",
     0},
    {"library", OPT_LIBRARY, "FILE", 0,
     "The recorder; otherwise the libloom_record.so that belongs to this command", 0},
    {0},
};

static const char doc[] =
    "Runs an MPI program and writes what it sends as a VEF3 trace: messages, collectives, what "
    "they wait for, and how long it computes in between.\v"
    "The program is not changed; Open MPI's mpirun starts it. When it fails, nothing is written.";

static bool take_scale(struct options *o, const char *text) {
  uint64_t value = 0;
  enum loom_decimal found = loom_decimal(text, 3, (uint64_t)SCALE_MAX * LOOM_VEF_SCALE, &value);
  o->cfg.scale = (uint32_t)value;
  return found == LOOM_DECIMAL_OK ||
         loom_refuse(o->io, o->command, "--scale",
                     "`%.40s` is not a number 0..%d with up to 3 digits after the point", text,
                     SCALE_MAX) == 0;
}

/* FROM:TO, either may be missing. */
static bool take_region(struct options *o, char *text) {
  char *colon = strchr(text, ':');
  bool ok = colon != NULL;
  if (ok)
    *colon = 0;
  if (ok && *text)
    ok = loom_option_number(o->io, o->command, "--region", text, 0, LOOM_VEF_LOG_TAG, &o->cfg.from);
  if (ok && colon[1])
    ok = loom_option_number(o->io, o->command, "--region", colon + 1, o->cfg.from, LOOM_VEF_LOG_TAG,
                            &o->cfg.to);
  return ok || (!colon &&
                loom_refuse(o->io, o->command, "--region", "`%.40s` is not FROM:TO", text) == 0);
}

static bool take_clock(struct options *o, const char *text) {
  static const char *const clocks[] = {"cpu", "wall", "none", NULL};
  unsigned clock = 0;
  bool ok = loom_option_word(o->io, o->command, "--clock", text, clocks, &clock);
  o->run.clock = clocks[clock];
  return ok;
}

static bool check(const struct options *o) {
  if (!o->file)
    return loom_refuse(o->io, o->command, "--output", "missing") == 0;
  if (o->merge && (o->run.command || o->keep))
    return loom_refuse(o->io, o->command, "--merge", "runs no program and keeps no logs") == 0;
  return o->merge || o->run.command ||
         loom_refuse(o->io, o->command, "program", "missing: give it after --") == 0;
}

static error_t parse_option(int key, char *arg, struct argp_state *state) {
  struct options *o = state->input;
  bool ok = true;
  switch (key) {
  case ARGP_KEY_INIT:
    state->err_stream = NULL; /* one line is enough */
    break;
  case 'n':
    ok = loom_option_number(o->io, o->command, "--ranks", arg, 1, LOOM_VEF_TASKS, &o->run.ranks);
    break;
  case 'o':
    o->file = arg;
    break;
  case OPT_CLOCK:
    ok = take_clock(o, arg);
    break;
  case OPT_SCALE:
    ok = take_scale(o, arg);
    break;
  case OPT_REGION:
    ok = take_region(o, arg);
    break;
  case OPT_KEEP:
    o->keep = arg;
    break;
  case OPT_MERGE:
    o->merge = arg;
    break;
  case OPT_MPIRUN:
    o->run.mpirun = arg;
    break;
  case OPT_LIBRARY:
    o->run.library = arg;
    break;
  case ARGP_KEY_ARG: /* the program; what follows is its own */
    o->run.command = &state->argv[state->next - 1];
    state->next = state->argc;
    break;
  case ARGP_KEY_END:
    ok = check(o);
    break;
  default:
    return ARGP_ERR_UNKNOWN;
  }
  return ok ? 0 : EINVAL;
}

/* ---- the trace ------------------------------------------------------------------------------- */

static void print(const struct options *o, const struct loom_vef_trace *trace,
                  const struct loom_vef_merged *merged) {
  FILE *out = o->io->out;
  fprintf(out,
          "%s: %" PRIu32 " tasks, %" PRIu64 " messages of %" PRIu64 " bytes, %" PRIu64
          " collectives",
          o->file, trace->size.tasks, merged->messages, merged->bytes, merged->collectives);
  if (merged->parts)
    fprintf(out, ", %" PRIu64 " messages of others", merged->parts);
  fputc('\n', out);
  if (merged->unreceived)
    fprintf(out, "%" PRIu64 " messages were never received\n", merged->unreceived);
}

static int merge(const struct options *o, const char *folder) {
  struct loom_error err = {.line = ""};
  struct loom_vef_merged merged;
  struct loom_vef_trace *trace = loom_read_logs(folder, &o->cfg, &merged, &err);
  bool ok = trace && loom_vef_save(trace, o->file, &err);
  if (ok)
    print(o, trace, &merged);
  else
    loom_error_print(o->io->err, &err);
  loom_vef_destroy(trace);
  return ok ? LOOM_EXIT_DONE : LOOM_EXIT_BAD_INPUT;
}

/* ---- the program ----------------------------------------------------------------------------- */

static int run(struct options *o, const char *folder) {
  struct loom_error err = {.line = ""};
  o->run.folder = folder;
  enum loom_recording_end end = loom_recording_run(&o->run, &err);
  if (end == LOOM_RECORDING_DONE)
    return merge(o, folder);
  fprintf(o->io->err, "%s: %s\n", o->command, err.line);
  return end == LOOM_RECORDING_FAILED ? LOOM_EXIT_FAILED : LOOM_EXIT_BAD_INPUT;
}

static int record(struct options *o) {
  struct loom_error err = {.line = ""};
  if (o->merge)
    return merge(o, o->merge);
  if (o->keep)
    return mkdir(o->keep, 0777)
               ? loom_refuse(o->io, o->command, "--keep", "`%.200s`: %s", o->keep, strerror(errno))
               : run(o, o->keep);
  char *folder = loom_recording_folder(o->file, &err);
  if (!folder) {
    loom_error_print(o->io->err, &err);
    return LOOM_EXIT_BAD_INPUT;
  }
  int status = run(o, folder);
  loom_recording_remove(folder, o->run.ranks);
  free(folder);
  return status;
}

int loom_cmd_record(int argc, char **argv, const struct loom_streams *io) {
  struct options o = {.io = io,
                      .command = argv[0],
                      .run = {.mpirun = "mpirun", .ranks = 2, .clock = "cpu"},
                      .cfg = LOOM_VEF_MERGE_ALL};
  struct argp argp = {.options = option_list,
                      .parser = parse_option,
                      .args_doc = "-o FILE [--] PROGRAM [ARGUMENT...]\n-o FILE --merge FOLDER",
                      .doc = doc};
  if (loom_parse(&argp, argc, argv, ARGP_IN_ORDER, &o, NULL))
    return LOOM_EXIT_BAD_INPUT;
  return record(&o);
}

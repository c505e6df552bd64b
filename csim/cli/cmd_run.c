/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE /* argp */

#include <argp.h>
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/options.h"
#include "io/output.h"
#include "run/circuits.h"
#include "run/division.h"
#include "run/edited_spec.h"
#include "run/forecast.h"
#include "run/jobs.h"
#include "run/ranks.h"
#include <loom/bits.h>

/* What the options say. */
struct options {
  const struct loom_streams *io;
  const char *command;
  const char *file;
  const char *folder;
  uint32_t seeds; /* 0: as the file says */
  uint32_t jobs;
  bool json, quiet;
  bool circuits, dry;
  bool together;   /* with the other ranks */
  unsigned engine; /* enum loom_engine */
  const char *plant;
  const char *stats; /* NULL: as the file says */
  char *stats_text;  /* the same as a list; owned */
  const char *perfetto;
  struct loom_option_sets sets;
};

enum {
  OPT_SEEDS = 256,
  OPT_SET,
  OPT_STATS,
  OPT_PERFETTO,
  OPT_JSON,
  OPT_QUIET,
  OPT_CIRCUITS,
  OPT_DRY,
  OPT_ENGINE,
  OPT_PLANT,
  OPT_RANKS
};

static const struct argp_option option_list[] = {
    {"output", 'o', "DIR", 0, "Write the results into this directory", 0},
    {"seeds", OPT_SEEDS, "N", 0, "Runs, with one seed after the other", 0},
    {"set", OPT_SET, "KEY=VALUE", 0,
     "Change a value of the file, such as run.measure=5000; `load=0.5' scales all loads", 0},
    {"stats", OPT_STATS, "LIST", 0,
     "Write statistics, too: `links', `flows', `occupancy', `routes', `stalls', `packets' or "
     "`packets:N', `times', `trace' or `trace:N', with commas between them; needs -o",
     0},
    {"perfetto", OPT_PERFETTO, "FILE", 0,
     "Write a trace of the packets from link to link into this file, for ui.perfetto.dev", 0},
    {"jobs", 'j', "N", 0,
     "Runs at a time, and cores for them ($LOOM_JOBS, or as many as there are)", 0},
    {"engine", OPT_ENGINE, "NAME", 0,
     "What moves packets through switches: `step', flit by flit, `packet', the same but faster, or "
     "`both' side by side and compared (step)",
     0},
    {"json", OPT_JSON, NULL, 0, "Print what summary.json holds", 0},
    {"quiet", OPT_QUIET, NULL, 0, "No progress", 0},
    {"circuits", OPT_CIRCUITS, NULL, 0, "Only print which circuits the file's `shadow` needs", 0},
    {"dry-run", OPT_DRY, NULL, 0, "Only say what memory and how many cores the run will need", 0},
    {"ranks", OPT_RANKS, NULL, 0,
     "One run with all processes that mpirun started, each of which steps a part of the fabric", 0},
    {"plant", OPT_PLANT, "SWITCH:CYCLE:OUTPUT:BIT", 0,
     "Flip a bit of what a circuit beside a switch shows; this must be found", 0},
    {0},
};

static const char doc[] =
    "Builds the fabric that FILE describes, runs its traffic and tells what came of it."
    "\v"
    "The results directory holds summary.json, series.csv, latency.csv and fabric.yaml, the "
    "configuration as it was run, and with --stats links.csv and outputs.csv, flows.csv, "
    "occupancy.csv, routes.csv, stalls.csv and waits.csv, packets.csv, times.csv, "
    "trace.perfetto. The same seed gives the same bits, whatever --jobs says. Exit status: 0 "
    "everything arrived, 1 not, 2 bad input. docs/fabric.md describes the file.";

/* ---- options --------------------------------------------------------------------------------- */

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
  case OPT_SEEDS:
    ok = loom_option_number(o->io, o->command, "--seeds", arg, 1, LOOM_SPEC_SEEDS, &o->seeds);
    break;
  case OPT_SET:
    ok = loom_option_set(o->io, o->command, arg, &o->sets);
    break;
  case OPT_STATS:
    o->stats = arg;
    break;
  case OPT_PERFETTO:
    o->perfetto = arg;
    break;
  case 'j':
    ok = loom_option_number(o->io, o->command, "--jobs", arg, 1, LOOM_OPTION_JOBS, &o->jobs);
    break;
  case OPT_JSON:
    o->json = true;
    break;
  case OPT_QUIET:
    o->quiet = true;
    break;
  case OPT_CIRCUITS:
    o->circuits = true;
    break;
  case OPT_DRY:
    o->dry = true;
    break;
  case OPT_ENGINE:
    ok = loom_option_word(o->io, o->command, "--engine", arg, loom_engine_names, &o->engine);
    break;
  case OPT_RANKS:
    o->together = true;
    break;
  case OPT_PLANT:
    o->plant = arg;
    break;
  case ARGP_KEY_ARG:
    ok = loom_option_file(o->io, o->command, arg, &o->file);
    break;
  case ARGP_KEY_END:
    ok = loom_option_file(o->io, o->command, NULL, &o->file) &&
         loom_option_jobs(o->io, o->command, &o->jobs);
    break;
  default:
    return ARGP_ERR_UNKNOWN;
  }
  return ok ? 0 : EINVAL;
}

/* --stats is one more change of the file. False: refused. */
static bool add_stats(struct options *o) {
  if (!o->stats)
    return true;
  if (!o->folder)
    return loom_refuse(o->io, o->command, "--stats", "needs a directory for its files: --output") ==
           0;
  size_t room = strlen(o->stats) + 3;
  o->stats_text = malloc(room);
  if (!o->stats_text)
    return loom_refuse(o->io, o->command, "--stats", "out of memory") == 0;
  snprintf(o->stats_text, room, "[%s]", o->stats);
  o->sets.edit[o->sets.edits++] = (struct loom_edit){"run.stats", o->stats_text};
  return true;
}

/* ---- running --------------------------------------------------------------------------------- */

struct run {
  const struct options *o;
  const struct loom_edited_spec *config;
  struct loom_plan *plan;
  struct loom_point *point; /* by seed */
  bool *kept;               /* the same: it is there */
  struct loom_circuits circuits;
  const struct loom_ranks *ranks; /* NULL: there are no others */
};

static void run_seed(void *context, uint32_t index, struct loom_point *point,
                     void (*tick)(void *context, uint64_t cycle), void *tick_context) {
  const struct run *r = context;
  const struct loom_shadow *shadow = r->config->spec.shadows ? &r->circuits.shadow : NULL;
  loom_point_run(point, r->plan, r->config->spec.run.seed + index, shadow, tick, tick_context);
}

static bool keep_seed(void *context, uint32_t index, struct loom_point *point) {
  const struct run *r = context;
  r->point[index] = *point;
  *point = (struct loom_point){.seed = 0};
  r->kept[index] = true;
  return r->point[index].refused.status == 0;
}

/* The first seed that was refused, or NULL. */
static const struct loom_plan_error *refusal(const struct run *r) {
  for (uint32_t i = 0; i < r->config->spec.run.seeds; i++)
    if (r->point[i].refused.status)
      return &r->point[i].refused;
  return NULL;
}

static int print_report(const struct options *o, const struct loom_report *report) {
  struct loom_output output;
  if (!loom_output_open(&output))
    return loom_refuse(o->io, o->command, "output", "out of memory");
  if (o->json) {
    size_t size = 0;
    char *text = loom_results_summary(report, &size);
    if (!text) {
      fclose(output.file);
      free(output.text);
      return loom_refuse(o->io, o->command, "output", "out of memory");
    }
    fputs(text, output.file);
    free(text);
  } else {
    loom_report_table(report, output.file);
  }
  return loom_output_print(&output, o->io, o->command);
}

/* The command line without what changes no result: the caller's, NULL out of memory. */
static char *line_of(const struct options *o) {
  const char *word[1 + LOOM_OPTION_WORDS + 2] = {o->file};
  size_t words = 1 + loom_option_words(&o->sets, word + 1);
  if (o->stats) {
    word[words++] = "--stats";
    word[words++] = o->stats;
  }
  return loom_provenance_line("loom run", word, words);
}

static bool write_trace(const struct options *o, const struct loom_report *report) {
  struct loom_error err = {.line = ""};
  bool ok = loom_results_trace(o->perfetto, report, &err);
  if (!ok)
    loom_error_print(o->io->err, &err);
  return ok;
}

static int report_all(const struct run *r) {
  const struct options *o = r->o;
  struct loom_report report;
  struct loom_error err = {.line = ""};
  char *line = line_of(o);
  const struct loom_provenance from = {
      .command = line, .configuration = loom_kept_hash(&r->config->kept, LOOM_HASH_START)};
  if (!line ||
      !loom_report_make(&report, &r->config->spec, r->point, r->config->spec.run.seeds, &from)) {
    free(line);
    return loom_refuse(o->io, o->command, "output", "out of memory");
  }
  int status = LOOM_EXIT_DONE;
  if (o->folder && !loom_results_write(o->folder, &report, &r->config->kept, &err)) {
    loom_error_print(o->io->err, &err);
    status = LOOM_EXIT_BAD_INPUT;
  }
  if (status == LOOM_EXIT_DONE && o->perfetto && !write_trace(o, &report))
    status = LOOM_EXIT_BAD_INPUT;
  if (status == LOOM_EXIT_DONE)
    status = print_report(o, &report);
  if (status == LOOM_EXIT_DONE && !loom_report_good(&report)) {
    loom_report_faults(&report, o->command, o->io->err);
    status = LOOM_EXIT_FAILED;
  }
  loom_report_free(&report);
  free(line);
  return status;
}

/* Why it ends before the end, and that nothing comes of it. */
static int say_ended(const struct run *r, const char *why) {
  const struct options *o = r->o;
  uint32_t done = 0, seeds = r->config->spec.run.seeds;
  for (uint32_t i = 0; i < seeds; i++)
    done += r->kept[i];
  fprintf(o->io->err, "%s: runs: %s; %" PRIu32 " of %" PRIu32 " seeds were done, nothing is kept",
          o->command, why, done, seeds);
  if (o->folder)
    fprintf(o->io->err, ", %s is as it was", o->folder);
  fputc('\n', o->io->err);
  return LOOM_EXIT_FAILED;
}

/* One seed after the other, in all ranks; what comes of them is at rank 0. */
static int run_together(struct run *r) {
  const struct options *o = r->o;
  uint32_t seeds = r->config->spec.run.seeds;
  r->plan->workers = loom_max(1, o->jobs / r->ranks->count);
  for (uint32_t i = 0; i < seeds && !refusal(r); i++)
    run_seed(r, i, &r->point[i], NULL, NULL);
  const struct loom_plan_error *refused = refusal(r);
  if (refused)
    return loom_edited_spec_refuse(r->config, refused, o->command, o->io->err);
  return r->ranks->rank ? LOOM_EXIT_DONE : report_all(r);
}

static int run_all(struct run *r) {
  const struct options *o = r->o;
  const struct loom_spec_run *run = &r->config->spec.run;
  char why[200];
  r->plan->workers = loom_cores_each(o->jobs, run->seeds);
  const struct loom_jobs jobs = {.count = run->seeds,
                                 .jobs = o->jobs,
                                 .run = run_seed,
                                 .done = keep_seed,
                                 .context = r,
                                 .progress = o->quiet ? NULL : o->io->err,
                                 .cycles = run->warmup + run->measure};
  bool ok = loom_jobs_run(&jobs, why, sizeof why);
  const struct loom_plan_error *refused = refusal(r);
  if (refused)
    return loom_edited_spec_refuse(r->config, refused, o->command, o->io->err);
  return ok ? report_all(r) : say_ended(r, why);
}

/* ---- circuits -------------------------------------------------------------------------------- */

static int print_circuits(const struct options *o, const struct loom_edited_spec *config,
                          const struct loom_plan *plan) {
  struct loom_plan_error refused = {.status = 0};
  struct loom_output output;
  if (!loom_output_open(&output))
    return loom_refuse(o->io, o->command, "output", "out of memory");
  bool ok = loom_circuits_print(plan, output.file, &refused);
  int status = loom_output_print(&output, o->io, o->command);
  return ok ? status : loom_edited_spec_refuse(config, &refused, o->command, o->io->err);
}

/* ---- what it will need ----------------------------------------------------------------------- */

static int print_forecast(const struct options *o, const struct loom_forecast *f) {
  struct loom_output output;
  if (!loom_output_open(&output))
    return loom_refuse(o->io, o->command, "output", "out of memory");
  bool printed = true;
  if (o->json)
    printed = loom_forecast_print_json(f, output.file);
  else
    loom_forecast_print(f, output.file);
  if (printed)
    return loom_output_print(&output, o->io, o->command);
  fclose(output.file);
  free(output.text);
  return loom_refuse(o->io, o->command, "output", "out of memory");
}

static int foretell(const struct run *r) {
  const struct options *o = r->o;
  struct loom_plan_error refused = {.status = 0};
  struct loom_forecast forecast;
  const struct loom_shadow *shadow = r->config->spec.shadows ? &r->circuits.shadow : NULL;
  if (loom_forecast_make(&forecast, r->plan, o->jobs, shadow, &refused))
    return print_forecast(o, &forecast);
  return loom_edited_spec_refuse(r->config, &refused, o->command, o->io->err);
}

/* ---- beside circuits ------------------------------------------------------------------------- */

/* The switch that --plant names has a circuit. */
static bool check_plant(const struct options *o, const struct loom_spec *s) {
  size_t name = o->plant ? strcspn(o->plant, ":") : 0;
  for (uint32_t i = 0; o->plant && i < s->shadows; i++)
    if (strlen(s->shadow[i]) == name && !strncmp(s->shadow[i], o->plant, name))
      return true;
  return !o->plant || loom_refuse(o->io, o->command, "--plant",
                                  "`%.60s` begins with no switch of `shadow`", o->plant) == 0;
}

/* Loads what a file with `shadow` needs, and runs. */
static int run_beside(struct run *r) {
  const struct options *o = r->o;
  const struct loom_spec *s = &r->config->spec;
  struct loom_plan_error refused = {.status = 0};
  if (!check_plant(o, s))
    return LOOM_EXIT_BAD_INPUT;
  if (s->shadows && !loom_circuits_open(&r->circuits, s, o->plant, &refused))
    return loom_edited_spec_refuse(r->config, &refused, o->command, o->io->err);
  int status = o->dry ? foretell(r) : r->ranks ? run_together(r) : run_all(r);
  loom_circuits_close(&r->circuits);
  return status;
}

static int run_plan(struct run *r) {
  uint32_t seeds = r->config->spec.run.seeds;
  r->point = calloc(seeds, sizeof *r->point);
  r->kept = calloc(seeds, sizeof *r->kept);
  int status = r->point && r->kept ? run_beside(r)
                                   : loom_refuse(r->o->io, r->o->command, "runs", "out of memory");
  for (uint32_t i = 0; r->point && i < seeds; i++)
    loom_point_free(&r->point[i]);
  free(r->point);
  free(r->kept);
  return status;
}

/* Whether there is anything against the run, in any rank. */
static bool may_run(const struct run *r, struct loom_plan_error *refused) {
  struct loom_error err = {.line = ""};
  bool ok = true;
  if (r->o->folder && !(r->ranks && r->ranks->rank) && !loom_results_may(r->o->folder, &err)) {
    *refused = (struct loom_plan_error){.status = LOOM_EXIT_BAD_INPUT, .file = err};
    ok = false;
  }
  if (r->ranks)
    ok = loom_ranks_agree(r->ranks, refused);
  return ok;
}

static bool fits(const struct run *r, struct loom_plan_error *refused) {
  return loom_plan_engine(r->plan, (enum loom_engine)r->o->engine, refused) &&
         (!r->ranks || loom_division_fits(r->plan, r->ranks->count, refused));
}

static int run_file(const struct options *o, const struct loom_edited_spec *config,
                    const struct loom_ranks *ranks) {
  struct loom_plan_error refused = {.status = 0};
  struct run r = {.o = o, .config = config, .ranks = ranks};
  if (!may_run(&r, &refused))
    return loom_edited_spec_refuse(config, &refused, o->command, o->io->err);
  r.plan = loom_plan_create(&config->spec, &refused);
  if (!r.plan)
    return loom_edited_spec_refuse(config, &refused, o->command, o->io->err);
  r.plan->ranks = ranks;
  int status = LOOM_EXIT_BAD_INPUT;
  if (!fits(&r, &refused))
    loom_edited_spec_refuse(config, &refused, o->command, o->io->err);
  else
    status = o->circuits ? print_circuits(o, config, r.plan) : run_plan(&r);
  loom_plan_destroy(r.plan);
  return status;
}

/* --perfetto wants the statistic, if the file does not. False: refused. */
static bool add_trace(const struct options *o, struct loom_spec *spec) {
  if (loom_device_is_elite5(spec->kind))
    return loom_refuse(o->io, o->command, "--perfetto", "%s has no trace: heads name no source",
                       loom_device_names[spec->kind]) == 0;
  spec->run.stats |= 1u << LOOM_STATISTIC_TRACE;
  return true;
}

static int run_options(const struct options *o, const struct loom_ranks *ranks) {
  struct loom_error err = {.line = ""};
  struct loom_edited_spec *config =
      loom_edited_spec_read(o->file, o->sets.edit, o->sets.edits, &err);
  int status = LOOM_EXIT_BAD_INPUT;
  if (config && (!o->perfetto || add_trace(o, &config->spec)))
    status = run_file(o, config, ranks);
  else if (config)
    status = LOOM_EXIT_BAD_INPUT;
  else
    loom_error_print(o->io->err, &err);
  loom_edited_spec_free(config);
  return status;
}

/* ---- ranks ----------------------------------------------------------------------------------- */

/* When a rank dies, mpirun ends the others so. */
static void say_killed(int number) {
  static const char line[] =
      "loom run: ranks: ended with another rank, or by a signal; nothing is kept\n";
  (void)number;
  ssize_t written = write(STDERR_FILENO, line, sizeof line - 1);
  _exit(written < 0 ? LOOM_EXIT_BAD_INPUT : LOOM_EXIT_FAILED);
}

/* Rank 0 speaks for all. */
static int run_as_rank(const struct options *o, const struct loom_ranks *ranks) {
  if (o->circuits)
    return loom_refuse(o->io, o->command, "--ranks", "does not go with --circuits");
  if (!ranks->rank) {
    signal(SIGTERM, say_killed);
    return run_options(o, ranks);
  }
  FILE *nowhere = fopen("/dev/null", "w");
  if (!nowhere)
    return loom_refuse(o->io, o->command, "/dev/null", "%s", strerror(errno));
  const struct loom_streams io = {nowhere, nowhere};
  struct options mine = *o;
  mine.io = &io;
  int status = run_options(&mine, ranks);
  fclose(nowhere);
  return status;
}

static int run_ranks(const struct options *o) {
  struct loom_ranks_loaded loaded;
  char why[400];
  if (!loom_ranks_load(&loaded, why, sizeof why))
    return loom_refuse(o->io, o->command, "--ranks", "%s", why);
  int status = run_as_rank(o, &loaded.ranks);
  loom_ranks_unload(&loaded, status);
  return status;
}

int loom_cmd_run(int argc, char **argv, const struct loom_streams *io) {
  struct options o = {.io = io, .command = argv[0]};
  struct argp argp = {
      .options = option_list, .parser = parse_option, .args_doc = "FILE", .doc = doc};
  int status = LOOM_EXIT_BAD_INPUT;
  if (!loom_parse(&argp, argc, argv, 0, &o, NULL)) {
    loom_option_seeds(&o.sets, o.seeds);
    status = !add_stats(&o) ? LOOM_EXIT_BAD_INPUT
             : o.together   ? run_ranks(&o)
                            : run_options(&o, NULL);
  }
  free(o.stats_text);
  loom_option_sets_free(&o.sets);
  return status;
}

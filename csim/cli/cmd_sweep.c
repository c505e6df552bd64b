/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE /* argp */

#include <argp.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/options.h"
#include "io/csv.h"
#include "io/json_memory.h"
#include "io/output.h"
#include "io/path.h"
#include "io/read_sweep.h"
#include "io/save.h"
#include "run/edited_spec.h"
#include "run/jobs.h"
#include "run/saturation.h"
#include <loom/version.h>

enum { EDITS_MAX = (LOOM_SWEEP_AXES + 1) * LOOM_SWEEP_SETS + LOOM_OPTION_SETS + 1 };

struct options {
  const struct loom_streams *io;
  const char *command;
  const char *file;
  const char *folder;
  uint32_t jobs, seeds;
  bool json, quiet, dry;
  unsigned engine; /* enum loom_engine */
  struct loom_option_sets sets;
};

enum { OPT_JSON = 256, OPT_QUIET, OPT_SEEDS, OPT_SET, OPT_ENGINE, OPT_DRY };

static const struct argp_option option_list[] = {
    {"output", 'o', "DIR", 0, "Directory of the results", 0},
    {"seeds", OPT_SEEDS, "N", 0, "Runs of each point, with one seed after the other", 0},
    {"set", OPT_SET, "KEY=VALUE", 0,
     "Change a value of the fabric file at all points, before the changes of each", 0},
    {"jobs", 'j', "N", 0,
     "Runs at a time, and cores for them ($LOOM_JOBS, or as many as there are)", 0},
    {"engine", OPT_ENGINE, "NAME", 0,
     "What moves packets through switches, as of `loom run' (step)", 0},
    {"json", OPT_JSON, NULL, 0, "Print sweep.json with the summaries of all points", 0},
    {"quiet", OPT_QUIET, NULL, 0, "No progress", 0},
    {"dry-run", OPT_DRY, NULL, 0, "Only say which points are there, and which would be run", 0},
    {0},
};

static const char doc[] =
    "Runs a fabric at every point of a grid: loads, or any values of its file, times the seeds."
    "\v"
    "DIR gets points/NAME/ with the results of each point as of `loom run -o', and sweep.csv with "
    "all of them. An axis may say `saturation': then the largest load that is carried is searched, "
    "for all values of the other axes, and saturation.csv tells it. Points that are there are "
    "kept, so a sweep that was ended goes on where it was, and one with new values runs only "
    "these; a DIR of another sweep or configuration is refused. docs/fabric.md describes FILE. "
    "Exit status: 0 done (a saturated fabric need not drain), 1 a run lost messages, got stuck or "
    "was killed, or the sweep was interrupted, 2 bad input.";

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
  case OPT_JSON:
    o->json = true;
    break;
  case 'j':
    ok = loom_option_number(o->io, o->command, "--jobs", arg, 1, LOOM_OPTION_JOBS, &o->jobs);
    break;
  case OPT_QUIET:
    o->quiet = true;
    break;
  case OPT_DRY:
    o->dry = true;
    break;
  case OPT_ENGINE:
    ok = loom_option_word(o->io, o->command, "--engine", arg, loom_engine_names, &o->engine);
    break;
  case ARGP_KEY_ARG:
    ok = loom_option_file(o->io, o->command, arg, &o->file);
    break;
  case ARGP_KEY_END:
    ok = loom_option_file(o->io, o->command, NULL, &o->file) &&
         loom_option_jobs(o->io, o->command, &o->jobs);
    if (ok && !o->folder)
      ok = loom_refuse(o->io, o->command, "--output", "missing") == 0;
    break;
  default:
    return ARGP_ERR_UNKNOWN;
  }
  return ok ? 0 : EINVAL;
}

/* ---- points ---------------------------------------------------------------------------------- */

/* A point that is run now. */
struct todo {
  uint32_t point, seeds;
  uint32_t first; /* job of its first seed */
  uint32_t left;  /* seeds without a result */
  struct loom_point *result;
};

struct of_point {
  uint32_t seeds;
  uint64_t hash;                 /* of its configuration */
  bool done;                     /* its results are there */
  bool lost;                     /* a process of its seeds ended without a result, twice */
  struct loom_saturation search; /* of a point with the first load of a search */
};

struct sweep {
  const struct options *o;
  struct loom_sweep s;
  char *line;    /* the command line, without options that change no result; owned */
  uint64_t hash; /* of the configurations of all points */
  struct of_point *point;
  struct todo *todo;
  uint32_t todos, jobs;
  uint64_t cycles; /* longest run */
  int status;
};

/* With the changes of all points, those of the command line, and its own, in this order. */
static struct loom_edited_spec *read_point(const struct sweep *w, uint32_t point,
                                           struct loom_error *err) {
  struct loom_edit edit[EDITS_MAX];
  const struct loom_option_sets *sets = &w->o->sets;
  size_t edits = loom_sweep_edits(&w->s, point, edit), all = w->s.all.sets;
  memmove(edit + all + sets->edits, edit + all, (edits - all) * sizeof *edit);
  memcpy(edit + all, sets->edit, sets->edits * sizeof *edit);
  edits += sets->edits;
  return loom_edited_spec_read(w->s.fabric, edit, edits, err);
}

/* The same again, while the sweep goes on: it must still be what it was. */
static struct loom_edited_spec *reread_point(const struct sweep *w, uint32_t point,
                                             struct loom_error *err) {
  struct loom_edited_spec *c = read_point(w, point, err);
  if (!c || loom_kept_hash(&c->kept, LOOM_HASH_START) == w->point[point].hash)
    return c;
  loom_fail(err, w->s.fabric, 0, "file", "it, or a file that it names, was changed in the sweep");
  loom_edited_spec_free(c);
  return NULL;
}

/* Why something has failed; an error that says nothing is one of memory. */
static void say(const struct options *o, const struct loom_error *err) {
  if (err->line[0])
    loom_error_print(o->io->err, err);
  else
    loom_refuse(o->io, o->command, "output", "out of memory");
}

static char *path_of(const struct sweep *w, uint32_t point, const char *file) {
  char name[LOOM_SWEEP_NAME];
  loom_sweep_point_name(&w->s, point, name);
  size_t room = strlen(w->o->folder) + sizeof name + strlen(file) + 12;
  char *path = malloc(room);
  if (path)
    snprintf(path, room, "%s/points/%s%s%s", w->o->folder, name, file[0] ? "/" : "", file);
  return path;
}

static bool is_done(const struct sweep *w, uint32_t point) { return w->point[point].done; }

/* Looks once whether the results of a point are there. False: nobody can tell, which was said. */
static bool find_done(struct sweep *w, uint32_t point) {
  char *path = path_of(w, point, LOOM_RESULTS_SUMMARY);
  if (!path)
    return loom_refuse(w->o->io, w->o->command, "points", "out of memory") == 0;
  bool there = !access(path, R_OK), ok = there || errno == ENOENT || errno == ENOTDIR;
  if (!ok)
    loom_refuse(w->o->io, w->o->command, "--output", "cannot look at %.200s: %s", path,
                strerror(errno));
  w->point[point].done = there;
  free(path);
  return ok;
}

/* What is there of a point is of this very configuration. */
static bool is_as_kept(const struct sweep *w, uint32_t point, const struct loom_edited_spec *c) {
  char *folder = path_of(w, point, "");
  bool ok = folder && (!is_done(w, point) || loom_results_keep(folder, &c->kept));
  if (!ok)
    loom_refuse(w->o->io, w->o->command, "--output",
                "%.200s holds the results of another configuration", folder ? folder : "a point");
  free(folder);
  return ok;
}

/* The switches of a point know the engine. */
static bool knows_engine(const struct sweep *w, const struct loom_edited_spec *c) {
  struct loom_plan_error refused = {.status = 0};
  bool ok = loom_engine_fits(c->spec.kind, (enum loom_engine)w->o->engine, &refused);
  if (!ok)
    loom_edited_spec_refuse(c, &refused, w->o->command, w->o->io->err);
  return ok;
}

/* Reads every point, so that nothing runs of a sweep that is wrong anywhere. */
static bool read_points(struct sweep *w) {
  struct loom_error err = {.line = ""};
  char name[LOOM_SWEEP_NAME];
  w->todo = calloc(w->s.points, sizeof *w->todo);
  w->point = calloc(w->s.points, sizeof *w->point);
  w->hash = LOOM_HASH_START;
  if (!w->todo || !w->point)
    return loom_refuse(w->o->io, w->o->command, "grid", "out of memory") == 0;
  for (uint32_t p = 0; p < w->s.points; p++) {
    struct loom_edited_spec *c = read_point(w, p, &err);
    loom_sweep_point_name(&w->s, p, name);
    if (!c) {
      fprintf(w->o->io->err, "%s (point %s)\n%s", err.line, name, err.more);
      return false;
    }
    const struct loom_spec_run *run = &c->spec.run;
    w->hash = loom_hash(loom_kept_hash(&c->kept, w->hash), name, strlen(name));
    w->point[p].hash = loom_kept_hash(&c->kept, LOOM_HASH_START);
    w->point[p].seeds = run->seeds;
    if (run->warmup + run->measure > w->cycles)
      w->cycles = run->warmup + run->measure;
    bool ok = find_done(w, p) && is_as_kept(w, p, c) && knows_engine(w, c);
    loom_edited_spec_free(c);
    if (!ok)
      return false;
  }
  return true;
}

/* Its results can be put where they belong. */
static bool may_write(const struct sweep *w, uint32_t point) {
  struct loom_error err = {.line = ""};
  char *folder = path_of(w, point, "");
  bool ok = folder && loom_results_may(folder, &err);
  if (!ok)
    say(w->o, &err);
  free(folder);
  return ok;
}

/* Nothing is in the way of a point that is not there yet. */
static bool may_write_all(const struct sweep *w) {
  for (uint32_t p = 0; p < w->s.points; p++)
    if (!is_done(w, p) && !may_write(w, p))
      return false;
  return true;
}

/* ---- the search for saturation --------------------------------------------------------------- */

static bool is_searched(const struct sweep *w) { return w->s.search < w->s.axes; }

/* The load that the search to which a point belongs looks at next; false: it is over. */
static bool next_load(const struct sweep *w, uint32_t point, uint32_t *next) {
  uint32_t first = loom_sweep_moved(&w->s, point, w->s.search, 0), load = 0;
  if (!loom_saturation_next(&w->point[first].search, &load))
    return false;
  *next = loom_sweep_moved(&w->s, point, w->s.search, load);
  return !w->point[*next].lost;
}

static bool is_wanted(const struct sweep *w, uint32_t point) {
  uint32_t next = 0;
  return !is_searched(w) || (next_load(w, point, &next) && next == point);
}

/* Whether a point is the first one of a search. */
static bool begins_search(const struct sweep *w, uint32_t point) {
  return is_searched(w) && loom_sweep_place(&w->s, point, w->s.search) == 0;
}

static void begin_searches(struct sweep *w) {
  for (uint32_t p = 0; p < w->s.points; p++)
    if (begins_search(w, p))
      w->point[p].search = loom_saturation_begin(w->s.axis[w->s.search].values);
}

static json_t *summary_of(const struct sweep *w, uint32_t point) {
  char *folder = path_of(w, point, "");
  json_t *summary = folder ? loom_results_read(folder, w->o->io->err) : NULL;
  if (!folder)
    loom_refuse(w->o->io, w->o->command, "points", "out of memory");
  free(folder);
  return summary;
}

/* Each search sees what its point has shown. False: a point cannot be read, which was said. */
static bool look(struct sweep *w) {
  char why[LOOM_SATURATION_WHY];
  uint32_t next = 0;
  for (uint32_t p = 0; p < w->s.points; p++) {
    if (!begins_search(w, p) || !next_load(w, p, &next))
      continue;
    json_t *summary = summary_of(w, next);
    if (!summary)
      return false;
    loom_saturation_tell(&w->point[p].search, loom_sweep_place(&w->s, next, w->s.search),
                         loom_saturation_carries(summary, why));
    json_decref(summary);
  }
  return true;
}

static bool is_search_over(const struct sweep *w) {
  uint32_t next = 0;
  for (uint32_t p = 0; p < w->s.points; p++)
    if (begins_search(w, p) && next_load(w, p, &next))
      return false;
  return true;
}

/* ---- the directory --------------------------------------------------------------------------- */

/* What the directory is about: sweep.json. */
static json_t *manifest(const struct sweep *w) {
  char hash[20], name[LOOM_SWEEP_NAME];
  json_t *axes = json_array(), *points = json_array();
  snprintf(hash, sizeof hash, "%016" PRIx64, w->hash);
  for (uint32_t a = 0; a < w->s.axes; a++) {
    json_t *values = json_array();
    for (uint32_t v = 0; v < w->s.axis[a].values; v++)
      json_array_append_new(values, json_string(w->s.axis[a].value[v].label));
    json_array_append_new(axes, json_pack("{ssso}", "name", w->s.axis[a].name, "values", values));
  }
  for (uint32_t p = 0; p < w->s.points; p++) {
    json_t *values = json_array();
    loom_sweep_point_name(&w->s, p, name);
    for (uint32_t a = 0; a < w->s.axes; a++)
      json_array_append_new(values,
                            json_string(w->s.axis[a].value[loom_sweep_place(&w->s, p, a)].label));
    json_array_append_new(points, json_pack("{ssso}", "name", name, "values", values));
  }
  json_t *root = json_pack("{sssssssoso}", "name", w->s.name, "loom", LOOM_VERSION, "configuration",
                           hash, "axes", axes, "points", points);
  if (is_searched(w))
    json_object_set_new(root, "search", json_string(w->s.axis[w->s.search].name));
  return root;
}

static bool save(const struct sweep *w, const char *file, const char *text, size_t size) {
  struct loom_error err = {.line = ""};
  char *path = loom_path_in(w->o->folder, file, "");
  bool ok = path && loom_save(path, text, size, &err);
  free(path);
  if (!ok)
    say(w->o, &err);
  return ok;
}

static bool make(const struct sweep *w, const char *folder) {
  return !mkdir(folder, 0777) || errno == EEXIST ||
         loom_refuse(w->o->io, w->o->command, "--output", "cannot make %.80s: %s", folder,
                     strerror(errno)) == 0;
}

static bool is_same(const json_t *found, const json_t *mine, const char *key) {
  return json_equal(json_object_get(found, key), json_object_get(mine, key));
}

/* The directory is of this sweep, perhaps with other values or points than now. */
static bool is_mine(const struct sweep *w, const json_t *found, const json_t *mine) {
  const char *other = !is_same(found, mine, "name")   ? "holds the results of another sweep"
                      : !is_same(found, mine, "loom") ? "was made by another version of Loom"
                                                      : NULL;
  return !other ||
         loom_refuse(w->o->io, w->o->command, "--output", "%.80s %s", w->o->folder, other) == 0;
}

/* There is no sweep in the directory, so there must be nothing. */
static bool is_free(const struct sweep *w) {
  struct loom_error err = {.line = ""};
  bool ok = loom_results_none(w->o->folder, &err);
  if (!ok)
    loom_error_print(w->o->io->err, &err);
  return ok;
}

/* What the directory is about comes first into it, so that it can always go on. */
static bool begin_folder(const struct sweep *w, const json_t *found, const json_t *mine,
                         const char *text) {
  if (json_equal(found, mine))
    return true;
  return (found ? is_mine(w, found, mine) : is_free(w)) && make(w, w->o->folder) &&
         save(w, "sweep.json", text, strlen(text));
}

/* Makes the directory, or finds that it is of this sweep. */
static bool open_folder(const struct sweep *w) {
  json_t *mine = manifest(w);
  char *text = json_dumps(mine, JSON_INDENT(2));
  char *path = loom_path_in(w->o->folder, "sweep.json", ""),
       *points = loom_path_in(w->o->folder, "points", "");
  json_t *found = path ? json_load_file(path, 0, NULL) : NULL;
  static const char *const files[] = {"sweep.json", "sweep.csv", "saturation.csv"};
  bool ok = text && path && points && !loom_json_lacked();
  for (unsigned i = 0; i < sizeof files / sizeof files[0]; i++)
    loom_save_clean(w->o->folder, files[i]);
  if (!ok)
    loom_refuse(w->o->io, w->o->command, "--output", "out of memory");
  ok = ok && begin_folder(w, found, mine, text) && make(w, points);
  if (ok)
    loom_results_clean(points);
  json_decref(found);
  json_decref(mine);
  free(text);
  free(path);
  free(points);
  return ok;
}

/* ---- running --------------------------------------------------------------------------------- */

/* Leaves out the points that are there, and those that a search does not ask for now. */
static void find_todo(struct sweep *w) {
  w->todos = w->jobs = 0;
  for (uint32_t p = 0; p < w->s.points; p++) {
    uint32_t seeds = w->point[p].seeds;
    if (!is_wanted(w, p) || is_done(w, p))
      continue;
    w->todo[w->todos++] =
        (struct todo){.point = p, .seeds = seeds, .first = w->jobs, .left = seeds};
    w->jobs += seeds;
  }
}

static struct todo *todo_of(const struct sweep *w, uint32_t job) {
  uint32_t i = 0;
  while (w->todo[i].first + w->todo[i].seeds <= job)
    i++;
  return &w->todo[i];
}

static void run_job(void *context, uint32_t index, struct loom_point *point,
                    void (*tick)(void *context, uint64_t cycle), void *tick_context) {
  const struct sweep *w = context;
  const struct todo *t = todo_of(w, index);
  struct loom_plan_error refused = {.status = 0};
  if (w->point[t->point].lost) { /* nobody wants to know, so nothing is lost with it */
    *point = (struct loom_point){.seed = 0};
    return;
  }
  struct loom_edited_spec *c = reread_point(w, t->point, &refused.file);
  struct loom_plan *plan = c ? loom_plan_create(&c->spec, &refused) : NULL;
  if (plan && loom_plan_engine(plan, (enum loom_engine)w->o->engine, &refused)) {
    plan->workers = loom_cores_each(w->o->jobs, w->jobs);
    loom_point_run(point, plan, c->spec.run.seed + (index - t->first), NULL, tick, tick_context);
  } else {
    refused.status = refused.status ? refused.status : LOOM_EXIT_BAD_INPUT;
    *point = (struct loom_point){.refused = refused, .lost = loom_plan_lacked_memory(&refused)};
  }
  loom_plan_destroy(plan);
  loom_edited_spec_free(c);
}

static void drop(struct todo *t) {
  for (uint32_t i = 0; t->result && i < t->seeds; i++)
    loom_point_free(&t->result[i]);
  free(t->result);
  t->result = NULL;
}

/* All seeds of a point are there. */
static bool finish(struct sweep *w, struct todo *t, const struct loom_edited_spec *c) {
  const struct options *o = w->o;
  struct loom_report report;
  struct loom_error err = {.line = ""};
  const struct loom_provenance from = {.command = w->line,
                                       .configuration = loom_kept_hash(&c->kept, LOOM_HASH_START)};
  char *folder = path_of(w, t->point, "");
  if (!folder || !loom_report_make(&report, &c->spec, t->result, t->seeds, &from)) {
    free(folder);
    return loom_refuse(o->io, o->command, "points", "out of memory") == 0;
  }
  bool ok = loom_results_write(folder, &report, &c->kept, &err);
  w->point[t->point].done = ok;
  if (!ok) {
    loom_error_print(o->io->err, &err);
    w->status = LOOM_EXIT_BAD_INPUT;
  }
  loom_report_free(&report);
  free(folder);
  return ok;
}

/* A point without all of its seeds is left out; the others go on. */
static void give_up(struct sweep *w, struct todo *t, uint32_t seed,
                    const struct loom_plan_error *why) {
  char name[LOOM_SWEEP_NAME];
  loom_sweep_point_name(&w->s, t->point, name);
  fprintf(w->o->io->err, "%s: %s: run %" PRIu32 " of %" PRIu32 ": %s\n", w->o->command, name,
          seed + 1, t->seeds, why->text);
  w->point[t->point].lost = true;
  w->status = LOOM_EXIT_FAILED;
}

static bool keep_job(void *context, uint32_t index, struct loom_point *point) {
  struct sweep *w = context;
  struct todo *t = todo_of(w, index);
  struct loom_error err = {.line = ""};
  bool ok = point->refused.status == 0;
  const bool *lost = &w->point[t->point].lost;
  if (point->lost && !*lost)
    give_up(w, t, index - t->first, &point->refused);
  if (*lost) {
    drop(t);
    return true;
  }
  if (!t->result)
    t->result = calloc(t->seeds, sizeof *t->result);
  if (!t->result)
    return loom_refuse(w->o->io, w->o->command, "points", "out of memory") == 0;
  t->result[index - t->first] = *point;
  *point = (struct loom_point){.seed = 0};
  if (ok && --t->left)
    return true;
  struct loom_edited_spec *c = reread_point(w, t->point, &err);
  if (!c) {
    loom_error_print(w->o->io->err, &err);
    w->status = LOOM_EXIT_BAD_INPUT;
    ok = false;
  } else if (ok) {
    ok = finish(w, t, c);
  } else {
    w->status = loom_edited_spec_refuse(c, &t->result[index - t->first].refused, w->o->command,
                                        w->o->io->err);
  }
  loom_edited_spec_free(c);
  drop(t);
  return ok;
}

/* Why it ends before the end, what that has left, and how to go on. */
static void say_left(const struct sweep *w, const char *why) {
  uint32_t done = 0;
  for (uint32_t p = 0; p < w->s.points; p++)
    done += is_done(w, p);
  fprintf(w->o->io->err, "%s: runs: %s; %" PRIu32, w->o->command, why, done);
  if (!is_searched(w)) /* of which nobody knows how many points it takes */
    fprintf(w->o->io->err, " of %" PRIu32, w->s.points);
  fprintf(w->o->io->err, " points are done and kept in %s; the same command does the rest\n",
          w->o->folder);
}

static bool run_todo(struct sweep *w) {
  const struct options *o = w->o;
  char why[200];
  const struct loom_jobs jobs = {.count = w->jobs,
                                 .jobs = o->jobs,
                                 .run = run_job,
                                 .done = keep_job,
                                 .context = w,
                                 .progress = o->quiet ? NULL : o->io->err,
                                 .cycles = w->cycles};
  if (!w->jobs || loom_jobs_run(&jobs, why, sizeof why))
    return true;
  if (why[0])
    say_left(w, why);
  return false;
}

/* ---- sweep.csv ------------------------------------------------------------------------------- */

static void print_head(const struct sweep *w, FILE *out) {
  for (uint32_t a = 0; a < w->s.axes; a++) {
    loom_csv_text(out, w->s.axis[a].name);
    fputc(',', out);
  }
  fputs("outcome,lost,class,messages", out);
  for (unsigned m = 0; loom_report_metrics[m]; m++)
    fprintf(out, ",%s,%s_interval", loom_report_metrics[m], loom_report_metrics[m]);
  for (unsigned q = 0; q < LOOM_SETTLE_QUANTITIES; q++)
    fprintf(out, ",%s_stationary", loom_report_settled[q]);
  fputc('\n', out);
}

/* True, false, or NULL: nobody has judged it. */
static const json_t *is_stationary(const json_t *class, unsigned quantity) {
  const json_t *settled = json_object_get(class, "settled");
  return json_object_get(json_object_get(settled, loom_report_settled[quantity]), "stationary");
}

static void print_stationary(const json_t *class, FILE *out) {
  for (unsigned q = 0; q < LOOM_SETTLE_QUANTITIES; q++) {
    const json_t *is = is_stationary(class, q);
    fprintf(out, ",%s", json_is_true(is) ? "yes" : json_is_false(is) ? "no" : "");
  }
}

static double number(const json_t *class, const char *metric, const char *key) {
  return json_number_value(json_object_get(json_object_get(class, metric), key));
}

/* Of at least one seed: a run that got stuck has no loads, a class without messages no latencies.
 */
static bool is_measured(const json_t *class, const char *metric) {
  return number(class, metric, "seeds") > 0;
}

/* The fields that say which point a row is about. */
static void print_labels(const struct sweep *w, uint32_t point, FILE *out) {
  for (uint32_t a = 0; a < w->s.axes; a++) {
    loom_csv_text(out, w->s.axis[a].value[loom_sweep_place(&w->s, point, a)].label);
    fputc(',', out);
  }
}

static void print_row(const struct sweep *w, uint32_t point, const json_t *summary,
                      const json_t *class, FILE *out) {
  const char *name = json_string_value(json_object_get(class, "name"));
  print_labels(w, point, out);
  fprintf(out, "%s,%" PRId64 ",", json_string_value(json_object_get(summary, "outcome")),
          (int64_t)json_integer_value(json_object_get(summary, "lost")));
  loom_csv_text(out, name ? name : "?");
  fprintf(out, ",%" PRId64, (int64_t)json_integer_value(json_object_get(class, "messages")));
  for (unsigned m = 0; loom_report_metrics[m]; m++)
    if (is_measured(class, loom_report_metrics[m]))
      fprintf(out, ",%.10g,%.10g", number(class, loom_report_metrics[m], "mean"),
              number(class, loom_report_metrics[m], "interval"));
    else
      fputs(",,", out);
  print_stationary(class, out);
  fputc('\n', out);
}

/* What was still changing while it was measured, for people. */
static void print_unsettled(const json_t *class, FILE *out) {
  static const char *const names[LOOM_SETTLE_QUANTITIES] = {"accepted", "latency", "network"};
  const char *before = "  not stationary: ";
  for (unsigned q = 0; q < LOOM_SETTLE_QUANTITIES; q++) {
    if (!json_is_false(is_stationary(class, q)))
      continue;
    fprintf(out, "%s%s", before, names[q]);
    before = ", ";
  }
}

static void print_mean(const json_t *class, const char *metric, int width, int decimals,
                       FILE *out) {
  if (is_measured(class, metric))
    fprintf(out, " %*.*f", width, decimals, number(class, metric, "mean"));
  else
    fprintf(out, " %*s", width, "-");
}

/* What waits for what in a run that got stuck: a line. */
static void print_waits(const struct sweep *w, const char *name, const json_t *run) {
  FILE *out = w->o->io->err;
  const json_t *waits = json_object_get(run, "waits");
  const char *outcome = json_string_value(json_object_get(run, "outcome"));
  if (!json_array_size(waits))
    return;
  fprintf(out, "%s: %s: seed %" PRId64 ": %s in cycle %" PRId64, w->o->command, name,
          (int64_t)json_integer_value(json_object_get(run, "seed")), outcome ? outcome : "?",
          (int64_t)json_integer_value(json_object_get(run, "cycles")));
  for (size_t i = 0; i < json_array_size(waits); i++) {
    const char *line = json_string_value(json_array_get(waits, i));
    fprintf(out, "%s%s", i > 1 ? ", " : ": ", line ? line : "?");
  }
  fputc('\n', out);
}

/* A line for people, and what the exit status depends on. */
static void print_point(struct sweep *w, uint32_t point, const json_t *summary, FILE *out) {
  char name[LOOM_SWEEP_NAME];
  const json_t *all = json_object_get(summary, "all");
  const char *outcome = json_string_value(json_object_get(summary, "outcome"));
  int64_t lost = (int64_t)json_integer_value(json_object_get(summary, "lost"));
  loom_sweep_point_name(&w->s, point, name);
  fprintf(out, "%-40s %-10s", name, outcome);
  print_mean(all, "offered", 8, 4, out);
  print_mean(all, "accepted", 8, 4, out);
  print_mean(all, "total_mean", 10, 1, out);
  print_mean(all, "net_mean", 10, 1, out);
  print_unsettled(all, out);
  fputc('\n', out);
  for (size_t r = 0; r < json_array_size(json_object_get(summary, "runs")); r++)
    print_waits(w, name, json_array_get(json_object_get(summary, "runs"), r));
  bool fine = !strcmp(outcome, loom_outcome_names[LOOM_OUTCOME_DONE]) ||
              !strcmp(outcome, loom_outcome_names[LOOM_OUTCOME_BUSY]);
  if (!fine || lost || json_integer_value(json_object_get(summary, "dropped")))
    w->status = LOOM_EXIT_FAILED;
}

/* It has a row without figures. */
static void print_lost(const struct sweep *w, uint32_t point, FILE *csv, FILE *output) {
  char name[LOOM_SWEEP_NAME];
  loom_sweep_point_name(&w->s, point, name);
  fprintf(output, "%-40s failed\n", name);
  print_labels(w, point, csv);
  fputs("failed,,all,", csv);
  for (unsigned m = 0; loom_report_metrics[m]; m++)
    fputs(",,", csv);
  for (unsigned q = 0; q < LOOM_SETTLE_QUANTITIES; q++)
    fputc(',', csv);
  fputc('\n', csv);
}

static bool print_summary(struct sweep *w, uint32_t point, FILE *csv, FILE *output) {
  if (w->point[point].lost) {
    print_lost(w, point, csv, output);
    return true;
  }
  if (is_searched(w) && !is_done(w, point)) /* no search has asked for it */
    return true;
  json_t *summary = summary_of(w, point);
  const json_t *classes = json_object_get(summary, "classes");
  for (size_t c = 0; c < json_array_size(classes); c++)
    print_row(w, point, summary, json_array_get(classes, c), csv);
  if (!summary)
    return false;
  print_row(w, point, summary, json_object_get(summary, "all"), csv);
  print_point(w, point, summary, output);
  json_decref(summary);
  return true;
}

/* ---- saturation.csv -------------------------------------------------------------------------- */

/* Why the smallest load that is not carried is not. */
static void print_why(const struct sweep *w, uint32_t first, FILE *out) {
  const struct loom_saturation *found = &w->point[first].search;
  char why[LOOM_SATURATION_WHY];
  if (found->carried != found->refused || found->refused == w->s.axis[w->s.search].values)
    return;
  json_t *summary = summary_of(w, loom_sweep_moved(&w->s, first, w->s.search, found->refused));
  if (summary && !loom_saturation_carries(summary, why))
    fprintf(out, " (%s)", why);
  json_decref(summary);
}

/* What a search has found, for people: `saturation way=a: load 1.02 is carried, 1.04 is not (94.1 %
 * of BE accepted)`. */
static void print_found(const struct sweep *w, uint32_t first, FILE *out) {
  const struct loom_sweep_axis *loads = &w->s.axis[w->s.search];
  const struct loom_saturation *found = &w->point[first].search;
  uint32_t next = 0;
  fputs("saturation", out);
  for (uint32_t a = 0; a < w->s.axes; a++)
    if (a != w->s.search)
      fprintf(out, " %s=%s", w->s.axis[a].name,
              w->s.axis[a].value[loom_sweep_place(&w->s, first, a)].label);
  fprintf(out, ": %s", loads->name);
  if (loom_saturation_next(found, &next))
    fprintf(out, " %s failed", loads->value[next].label);
  else if (found->carried == loads->values)
    fprintf(out, " %s, the largest one, is carried", loads->value[loads->values - 1].label);
  else if (found->carried == 0)
    fprintf(out, " %s, the smallest one, is not carried", loads->value[0].label);
  else
    fprintf(out, " %s is carried, %s is not", loads->value[found->carried - 1].label,
            loads->value[found->carried].label);
  print_why(w, first, out);
  fputc('\n', out);
}

/* The same for programs, with what was offered and accepted at the load that is carried. */
static bool print_found_row(const struct sweep *w, uint32_t first, FILE *csv) {
  const struct loom_sweep_axis *loads = &w->s.axis[w->s.search];
  const struct loom_saturation *found = &w->point[first].search;
  json_t *summary = NULL;
  if (found->carried) {
    uint32_t point = loom_sweep_moved(&w->s, first, w->s.search, found->carried - 1);
    summary = summary_of(w, point);
    if (!summary)
      return false;
  }
  for (uint32_t a = 0; a < w->s.axes; a++)
    if (a != w->s.search) {
      loom_csv_text(csv, w->s.axis[a].value[loom_sweep_place(&w->s, first, a)].label);
      fputc(',', csv);
    }
  const json_t *all = json_object_get(summary, "all");
  fprintf(csv, "%s,%s,", found->carried ? loads->value[found->carried - 1].label : "",
          found->refused < loads->values ? loads->value[found->refused].label : "");
  if (summary)
    fprintf(csv, "%.10g,%.10g", number(all, "offered", "mean"), number(all, "accepted", "mean"));
  else
    fputc(',', csv);
  fputc('\n', csv);
  json_decref(summary);
  return true;
}

static bool print_searches(struct sweep *w, FILE *csv, FILE *output) {
  for (uint32_t a = 0; a < w->s.axes; a++)
    if (a != w->s.search) {
      loom_csv_text(csv, w->s.axis[a].name);
      fputc(',', csv);
    }
  fputs("carried,refused,offered,accepted\n", csv);
  for (uint32_t p = 0; p < w->s.points; p++) {
    if (!begins_search(w, p))
      continue;
    print_found(w, p, output);
    if (!print_found_row(w, p, csv))
      return false;
  }
  return true;
}

/* ---- the end --------------------------------------------------------------------------------- */

static bool print_points(struct sweep *w, FILE *csv, FILE *output) {
  bool ok = true;
  fprintf(output, "%-40s %-10s %8s %8s %10s %10s\n", "point", "outcome", "offered", "accepted",
          "latency", "network");
  print_head(w, csv);
  for (uint32_t p = 0; ok && p < w->s.points; p++)
    ok = print_summary(w, p, csv, output);
  return ok;
}

/* A table in the directory, by what prints it there and says the same for people. */
static bool save_table(struct sweep *w, const char *file, FILE *output,
                       bool (*print)(struct sweep *w, FILE *csv, FILE *output)) {
  struct loom_output csv;
  if (!loom_output_open(&csv))
    return loom_refuse(w->o->io, w->o->command, "output", "out of memory") == 0;
  bool ok = print(w, csv.file, output);
  ok = !fclose(csv.file) && ok && save(w, file, csv.text, csv.size);
  free(csv.text);
  return ok;
}

/* sweep.json with the summary of each point that is there. NULL: one cannot be read, which was
 * said. */
static json_t *manifest_with_summaries(const struct sweep *w) {
  json_t *root = manifest(w), *points = json_object_get(root, "points");
  for (uint32_t p = 0; p < w->s.points; p++) {
    json_t *summary = is_done(w, p) ? summary_of(w, p) : NULL;
    if (is_done(w, p) && !summary) {
      json_decref(root);
      return NULL;
    }
    json_object_set_new(json_array_get(points, p), "summary", summary ? summary : json_null());
  }
  return root;
}

static int print_json(const struct sweep *w) {
  struct loom_output output;
  json_t *root = manifest_with_summaries(w);
  if (!root)
    return LOOM_EXIT_BAD_INPUT;
  bool ok = loom_output_open(&output);
  if (ok) {
    json_dumpf(root, output.file, JSON_INDENT(2) | JSON_REAL_PRECISION(12));
    fputc('\n', output.file);
  }
  json_decref(root);
  return ok ? loom_output_print(&output, w->o->io, w->o->command)
            : loom_refuse(w->o->io, w->o->command, "output", "out of memory");
}

/* The table that was printed for people. */
static int print_table(const struct sweep *w, struct loom_output *output) {
  if (!w->o->json)
    return loom_output_print(output, w->o->io, w->o->command);
  fclose(output->file);
  free(output->text);
  return print_json(w);
}

static int report(struct sweep *w) {
  const struct options *o = w->o;
  struct loom_output output;
  if (!loom_output_open(&output))
    return loom_refuse(o->io, o->command, "output", "out of memory");
  bool ok = save_table(w, "sweep.csv", output.file, print_points) &&
            (!is_searched(w) || save_table(w, "saturation.csv", output.file, print_searches));
  if (!ok) {
    fclose(output.file);
    free(output.text);
    return LOOM_EXIT_BAD_INPUT;
  }
  int status = print_table(w, &output);
  return status == LOOM_EXIT_DONE ? w->status : status;
}

/* ---- before a sweep -------------------------------------------------------------------------- */

static json_t *plan_of(const struct sweep *w) {
  json_t *points = json_array();
  char name[LOOM_SWEEP_NAME];
  for (uint32_t p = 0; p < w->s.points; p++) {
    loom_sweep_point_name(&w->s, p, name);
    json_array_append_new(points, json_pack("{sssIsb}", "name", name, "seeds",
                                            (json_int_t)w->point[p].seeds, "there", is_done(w, p)));
  }
  return json_pack("{ssso}", "name", w->s.name, "points", points);
}

static void print_plan(const struct sweep *w, FILE *out) {
  uint32_t points = 0, runs = 0;
  char name[LOOM_SWEEP_NAME];
  for (uint32_t p = 0; p < w->s.points; p++)
    if (!is_done(w, p)) {
      points++;
      runs += w->point[p].seeds;
    }
  fprintf(out, "%s: %u points, %u of them are there; %s%u runs\n", w->s.name, (unsigned)w->s.points,
          (unsigned)(w->s.points - points), is_searched(w) ? "at most " : "", (unsigned)runs);
  for (uint32_t p = 0; p < w->s.points; p++) {
    loom_sweep_point_name(&w->s, p, name);
    fprintf(out, "%s  %s\n", is_done(w, p) ? "there  " : "missing", name);
  }
}

/* What would be run; nothing is written. */
static int foretell(const struct sweep *w) {
  struct loom_output output;
  json_t *root = w->o->json ? plan_of(w) : NULL;
  bool ok = !loom_json_lacked() && loom_output_open(&output);
  if (ok && root) {
    json_dumpf(root, output.file, JSON_INDENT(2));
    fputc('\n', output.file);
  } else if (ok) {
    print_plan(w, output.file);
  }
  json_decref(root);
  return ok ? loom_output_print(&output, w->o->io, w->o->command)
            : loom_refuse(w->o->io, w->o->command, "output", "out of memory");
}

/* Runs what is asked for until nothing more is: all points at once, or those of a search one after
 * the other. */
static int sweep_all(struct sweep *w) {
  if (!read_points(w))
    return LOOM_EXIT_BAD_INPUT;
  if (w->o->dry)
    return foretell(w);
  if (!open_folder(w) || !may_write_all(w))
    return LOOM_EXIT_BAD_INPUT;
  begin_searches(w);
  do {
    find_todo(w);
    if (!run_todo(w))
      return w->status ? w->status : LOOM_EXIT_FAILED;
    if (!look(w))
      return LOOM_EXIT_BAD_INPUT;
  } while (!is_search_over(w));
  return report(w);
}

/* The command line without what changes no result: the caller's, NULL out of memory. */
static char *line_of(const struct options *o) {
  const char *word[1 + LOOM_OPTION_WORDS] = {o->file};
  size_t words = 1 + loom_option_words(&o->sets, word + 1);
  return loom_provenance_line("loom sweep", word, words);
}

int loom_cmd_sweep(int argc, char **argv, const struct loom_streams *io) {
  struct options o = {.io = io, .command = argv[0]};
  struct argp argp = {
      .options = option_list, .parser = parse_option, .args_doc = "FILE", .doc = doc};
  struct loom_error err = {.line = ""};
  struct loom_source src;
  struct sweep w = {.o = &o, .status = LOOM_EXIT_DONE};
  int status = LOOM_EXIT_BAD_INPUT;
  if (loom_parse(&argp, argc, argv, 0, &o, NULL)) {
    loom_option_sets_free(&o.sets);
    return status;
  }
  loom_option_seeds(&o.sets, o.seeds);
  bool ok = loom_source_read(&src, o.file, &err);
  if (ok) {
    ok = loom_read_sweep(&w.s, &src, &err);
    loom_source_free(&src);
  }
  w.line = line_of(&o);
  if (ok)
    status = sweep_all(&w);
  else
    loom_error_print(io->err, &err);
  for (uint32_t i = 0; i < w.todos; i++)
    drop(&w.todo[i]);
  free(w.line);
  free(w.todo);
  free(w.point);
  loom_sweep_free(&w.s);
  loom_option_sets_free(&o.sets);
  return status;
}

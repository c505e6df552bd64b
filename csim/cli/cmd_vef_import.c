/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE /* argp */

#include <argp.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cmd_vef.h"
#include "cli/options.h"
#include "io/output.h"
#include "io/read_chakra.h"
#include "io/read_goal.h"
#include "io/save.h"

/* A form of schedules. */
enum form { GOAL, CHAKRA };
static const char *const form_names[] = {[GOAL] = "goal", [CHAKRA] = "chakra", NULL};

enum { OPT_GRID = 256 };

/* What the options say. */
struct options {
  const struct loom_streams *io;
  const char *command;
  bool formed; /* the form was given */
  unsigned form;
  struct loom_chakra_cfg chakra;
  const char *source;
  const char *file;
};

static const struct argp_option option_list[] = {
    {"output", 'o', "FILE", 0, "The trace; beside it a .names file, which says where its tasks are",
     0},
    {"grid", OPT_GRID, "XxY..", 0,
     "Of chakra: the grid of ranks whose dimensions involved_dim names; the first is the nearest",
     0},
    {0},
};

static const char doc[] =
    "Makes a VEF3 trace of a schedule in another form. FORM is `goal': the text that LogGOPSim "
    "reads; or `chakra': execution traces of MLCommons, FILE.0.et, FILE.1.et and so on. A rank "
    "that does several things at a time becomes several tasks on one node.";

static bool take_argument(struct options *o, const char *arg) {
  if (o->formed)
    return loom_option_file(o->io, o->command, arg, &o->source);
  o->formed = true;
  return loom_option_word(o->io, o->command, "FORM", arg, form_names, &o->form);
}

static bool check(struct options *o) {
  if (!o->formed)
    return loom_refuse(o->io, o->command, "FORM", "missing") == 0;
  if (o->chakra.dimensions && o->form != CHAKRA)
    return loom_refuse(o->io, o->command, "--grid", "is for chakra") == 0;
  if (!o->file)
    return loom_refuse(o->io, o->command, "--output", "missing") == 0;
  return loom_option_file(o->io, o->command, NULL, &o->source);
}

static error_t parse_option(int key, char *arg, struct argp_state *state) {
  struct options *o = state->input;
  bool ok = true;
  switch (key) {
  case ARGP_KEY_INIT:
    state->err_stream = NULL; /* one line is enough */
    break;
  case 'o':
    o->file = arg;
    break;
  case OPT_GRID:
    ok = loom_option_sizes(o->io, o->command, "--grid", arg, 1, LOOM_VEF_TASKS,
                           LOOM_CHAKRA_DIMENSIONS, o->chakra.grid, &o->chakra.dimensions);
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

/* ---- the .names file ------------------------------------------------------------------------- */

/* `x.names` for `x.vef`, `x.y.names` for `x.y`: the caller's. NULL: out of memory. */
static char *names_of(const char *file) {
  size_t length = strlen(file);
  char *name = malloc(length + sizeof ".names");
  if (length > 4 && !strcmp(file + length - 4, ".vef"))
    length -= 4;
  if (name)
    snprintf(name, length + sizeof ".names", "%.*s.names", (int)length, file);
  return name;
}

static bool save_names(const struct loom_vef_names *names, const char *file,
                       struct loom_error *err) {
  struct loom_output output;
  if (!loom_output_open(&output))
    return loom_fail(err, file, 0, "file", "out of memory");
  fprintf(output.file, "NODES:%" PRIu32 ":%" PRIu32 "\n", names->count, names->latency);
  for (uint32_t i = 0; i < names->count; i++)
    fprintf(output.file, "%" PRIu32 ":%s_%" PRIu32 "\n", i, names->device[i].kind,
            names->device[i].tile);
  bool ok = !fclose(output.file) && output.text;
  ok = ok ? loom_save(file, output.text, output.size, err)
          : loom_fail(err, file, 0, "file", "out of memory");
  free(output.text);
  return ok;
}

static bool save_both(const struct options *o, const struct loom_vef_trace *trace,
                      const struct loom_vef_names *names, struct loom_error *err) {
  char *file = names_of(o->file);
  bool ok = file ? save_names(names, file, err) && loom_vef_save(trace, o->file, err)
                 : loom_fail(err, o->file, 0, "file", "out of memory");
  free(file);
  return ok;
}

/* ---- the command ----------------------------------------------------------------------------- */

/* Writes what was made of a graph of so many ranks. */
static bool save(const struct options *o, uint32_t ranks, const struct loom_vef_trace *trace,
                 const struct loom_vef_names *names, struct loom_error *err) {
  if (!save_both(o, trace, names, err))
    return false;
  fprintf(o->io->out, "%s: %" PRIu32 " ranks, %" PRIu32 " tasks, %" PRIu32 " records\n", o->file,
          ranks, trace->size.tasks, trace->count);
  return true;
}

static bool import_goal(const struct options *o, struct loom_error *err) {
  struct loom_source src;
  struct loom_vef_graph graph;
  struct loom_vef_error e = {.line = 0};
  struct loom_vef_names *names = NULL;
  if (!loom_source_read_all(&src, o->source, err))
    return false;
  bool ok = loom_read_goal(&graph, &src, err);
  if (ok) {
    struct loom_vef_trace *trace = loom_vef_graph_trace(&graph, &names, &e);
    ok = trace ? save(o, graph.ranks, trace, names, err) : loom_vef_fail(o->source, &e, err);
    loom_vef_destroy(trace);
    loom_vef_names_destroy(names);
    loom_vef_graph_free(&graph);
  }
  loom_source_free(&src);
  return ok;
}

static bool import_chakra(const struct options *o, struct loom_error *err) {
  struct loom_chakra chakra;
  struct loom_vef_error e = {.line = 0};
  struct loom_vef_names *names = NULL;
  if (!loom_read_chakra(&chakra, o->source, &o->chakra, err))
    return false;
  struct loom_vef_trace *trace = loom_vef_graph_trace(&chakra.graph, &names, &e);
  bool ok = trace ? save(o, chakra.graph.ranks, trace, names, err)
                  : loom_chakra_graph_fail(&chakra, &e, err);
  loom_vef_destroy(trace);
  loom_vef_names_destroy(names);
  loom_chakra_free(&chakra);
  return ok;
}

int loom_cmd_vef_import(int argc, char **argv, const struct loom_streams *io) {
  struct options o = {.io = io, .command = argv[0]};
  struct loom_error err = {.line = ""};
  struct argp argp = {
      .options = option_list, .parser = parse_option, .args_doc = "FORM FILE -o FILE", .doc = doc};
  if (loom_parse(&argp, argc, argv, 0, &o, NULL))
    return LOOM_EXIT_BAD_INPUT;
  if (o.form == CHAKRA ? import_chakra(&o, &err) : import_goal(&o, &err))
    return LOOM_EXIT_DONE;
  loom_error_print(io->err, &err);
  return LOOM_EXIT_BAD_INPUT;
}

/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE /* argp */

#include <argp.h>
#include <errno.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/cmd_vef.h"
#include "cli/options.h"
#include "io/output.h"
#include "io/read_vef.h"
#include "io/save.h"

enum { KINDS = 16 };

/* What the options say. */
struct options {
  const struct loom_streams *io;
  const char *command;
  struct loom_vef_choice trace;
  const char *names;
  bool json;
};

enum { OPT_NAMES = 256, OPT_COLLECTIVES, OPT_OPS, OPT_JSON };

static const struct argp_option option_list[] = {
    {"names", OPT_NAMES, "FILE", 0, "The .names file of the trace", 0},
    {"collectives", OPT_COLLECTIVES, "HOW", 0,
     "Collectives become messages by `linear', `ring', `tree' or `doubling' (default)", 0},
    {"ops", OPT_OPS, "LIST", 0,
     "Words that stand for broadcast,reduce,allreduce,gather,scatter,allgather,barrier,alltoall in "
     "the trace's G lines, in this order",
     0},
    {"json", OPT_JSON, NULL, 0, "Print JSON", 0},
    {0},
};

static const char doc[] = "Reads a VEF, VEF2 or VEF3 trace and tells what is in it: messages, "
                          "bytes, what they depend on, "
                          "collectives, the longest chain of dependencies, missing trigger flags.";

/* ---- what is counted ------------------------------------------------------------------------- */

struct kind {
  const char *name;
  uint32_t devices;
};

struct figures {
  uint64_t bytes;
  uint32_t largest;
  uint32_t after[4];
  uint32_t flags;
  uint32_t op[LOOM_VEF_OPS]; /* parts */
  uint32_t within;           /* messages of a task to itself */
  struct loom_vef_triggers triggers;
  uint32_t kinds;
  struct kind kind[KINDS];
};

static void count_record(struct figures *f, const struct loom_vef_record *r) {
  f->after[r->dep & 3]++;
  if (r->kind == LOOM_VEF_COLLECTIVE) {
    f->op[r->op]++;
    return;
  }
  f->flags += (r->dep & LOOM_VEF_TRIGGER) != 0;
  f->bytes += r->length;
  f->within += r->src == r->dst;
  if (r->length > f->largest)
    f->largest = r->length;
}

/* False: out of memory. */
static bool count_trace(struct figures *f, const struct loom_vef_trace *t) {
  uint8_t *wanted = malloc((size_t)t->count + 1);
  *f = (struct figures){.bytes = 0};
  for (uint32_t i = 0; i < t->count; i++)
    count_record(f, &t->record[i]);
  if (wanted)
    loom_vef_check_triggers(t, wanted, &f->triggers);
  free(wanted);
  return wanted != NULL;
}

/* False: more than KINDS kinds. */
static bool count_names(struct figures *f, const struct loom_vef_names *names) {
  for (uint32_t i = 0; i < names->count; i++) {
    uint32_t k = 0;
    while (k < f->kinds && strcmp(f->kind[k].name, names->device[i].kind) != 0)
      k++;
    if (k == KINDS)
      return false;
    f->kind[k].name = names->device[i].kind;
    f->kind[k].devices++;
    f->kinds += k == f->kinds;
  }
  return true;
}

/* ---- print ----------------------------------------------------------------------------------- */

static void print_text(struct loom_output *output, const struct loom_vef_input *in,
                       const struct figures *f, const struct options *o,
                       const struct loom_vef_names *names) {
  const struct loom_vef_trace *t = in->trace;
  FILE *out = output->file;
  fprintf(out, "version          %" PRIu32 ", clock %" PRIu32 " ps\n", t->size.version, t->clock);
  fprintf(out, "tasks            %" PRIu32 ", %" PRIu32 " communicators\n", t->size.tasks,
          t->size.comms);
  fprintf(out, "messages         %" PRIu32 ", %" PRIu64 " bytes, the largest %" PRIu32 "\n",
          t->count - t->parts, f->bytes, f->largest);
  fprintf(out, "to the same task %" PRIu32 "\n", f->within);
  fprintf(out, "collectives      %" PRIu32 ", %" PRIu32 " lines", t->groups, t->parts);
  for (unsigned i = 0; i < LOOM_VEF_OPS; i++)
    if (f->op[i])
      fprintf(out, ", %s %" PRIu32, loom_vef_op_names[i], f->op[i]);
  fprintf(out,
          "\ndependencies     none %" PRIu32 ", sent %" PRIu32 ", received %" PRIu32
          ", group %" PRIu32 "\n",
          f->after[0], f->after[1], f->after[2], f->after[3]);
  fprintf(out, "trigger flags    %" PRIu32 ", missing %" PRIu32 ", idle %" PRIu32, f->flags,
          f->triggers.missing, f->triggers.idle);
  if (f->triggers.missing)
    fprintf(out, "; the first without: %" PRIu32, f->triggers.first);
  fprintf(out, "\nlongest chain    %" PRIu32 " messages, dTime up to %" PRIu64, in->chain.messages,
          in->chain.time);
  if (t->parts)
    fprintf(out, " (collectives %s)", loom_vef_algorithm_names[o->trace.algorithm]);
  fputc('\n', out);
  for (uint32_t i = 0; i < f->kinds; i++)
    fprintf(out, "%-16s %" PRIu32 " devices\n", f->kind[i].name, f->kind[i].devices);
  if (names)
    fprintf(out, "within a tile    %" PRIu32 " cycles\n", names->latency);
}

static json_t *json_of_ops(const struct figures *f) {
  json_t *ops = json_object();
  for (unsigned i = 0; i < LOOM_VEF_OPS; i++)
    if (f->op[i])
      json_object_set_new(ops, loom_vef_op_names[i], json_integer((json_int_t)f->op[i]));
  return ops;
}

static json_t *json_of_names(const struct figures *f, const struct loom_vef_names *names) {
  json_t *kinds = json_object();
  for (uint32_t i = 0; i < f->kinds; i++)
    json_object_set_new(kinds, f->kind[i].name, json_integer((json_int_t)f->kind[i].devices));
  return json_pack("{sIso}", "latency", (json_int_t)names->latency, "devices", kinds);
}

static void print_json(struct loom_output *output, const struct loom_vef_input *in,
                       const struct figures *f, const struct loom_vef_names *names) {
  const struct loom_vef_trace *t = in->trace;
  json_t *root =
      json_pack("{sIsIsIsIsIsIsI}", "version", (json_int_t)t->size.version, "clock_ps",
                (json_int_t)t->clock, "tasks", (json_int_t)t->size.tasks, "communicators",
                (json_int_t)t->size.comms, "messages", (json_int_t)(t->count - t->parts), "bytes",
                (json_int_t)f->bytes, "largest", (json_int_t)f->largest);
  json_object_set_new(root, "same_task", json_integer((json_int_t)f->within));
  json_object_set_new(root, "collectives",
                      json_pack("{sIsIso}", "count", (json_int_t)t->groups, "lines",
                                (json_int_t)t->parts, "ops", json_of_ops(f)));
  json_object_set_new(root, "dependencies",
                      json_pack("{sIsIsIsI}", "none", (json_int_t)f->after[0], "sent",
                                (json_int_t)f->after[1], "received", (json_int_t)f->after[2],
                                "group", (json_int_t)f->after[3]));
  json_object_set_new(root, "triggers",
                      json_pack("{sIsIsI}", "flags", (json_int_t)f->flags, "missing",
                                (json_int_t)f->triggers.missing, "idle",
                                (json_int_t)f->triggers.idle));
  json_object_set_new(root, "chain",
                      json_pack("{sIsI}", "messages", (json_int_t)in->chain.messages, "dtime",
                                (json_int_t)in->chain.time));
  if (names)
    json_object_set_new(root, "names", json_of_names(f, names));
  json_dumpf(root, output->file, JSON_INDENT(2));
  fputc('\n', output->file);
  json_decref(root);
}

/* ---- the command ----------------------------------------------------------------------------- */

bool loom_vef_choose_ops(struct loom_vef_choice *choice, const struct loom_streams *io,
                         const char *command, const char *list) {
  const char *twice = NULL;
  free(choice->ops_text);
  choice->ops_text = strdup(list);
  if (!choice->ops_text)
    return loom_refuse(io, command, "--ops", "out of memory") == 0;
  if (loom_vef_cut_ops(choice->ops_text, choice->ops, &twice))
    return true;
  if (twice)
    return loom_refuse(io, command, "--ops", "`%.40s` stands twice", twice) == 0;
  return loom_refuse(io, command, "--ops", "is not a list of 8 words") == 0;
}

static error_t parse_option(int key, char *arg, struct argp_state *state) {
  struct options *o = state->input;
  bool ok = true;
  switch (key) {
  case ARGP_KEY_INIT:
    state->err_stream = NULL; /* one line is enough */
    break;
  case OPT_NAMES:
    o->names = arg;
    break;
  case OPT_COLLECTIVES:
    ok = loom_option_word(o->io, o->command, "--collectives", arg, loom_vef_algorithm_names,
                          &o->trace.algorithm);
    break;
  case OPT_OPS:
    ok = loom_vef_choose_ops(&o->trace, o->io, o->command, arg);
    break;
  case OPT_JSON:
    o->json = true;
    break;
  case ARGP_KEY_ARG:
    ok = loom_option_file(o->io, o->command, arg, &o->trace.file);
    break;
  case ARGP_KEY_END:
    ok = loom_option_file(o->io, o->command, NULL, &o->trace.file);
    break;
  default:
    return ARGP_ERR_UNKNOWN;
  }
  return ok ? 0 : EINVAL;
}

bool loom_vef_open(struct loom_vef_input *input, const struct loom_vef_choice *choice,
                   struct loom_error *err) {
  struct loom_source src;
  if (!loom_source_read_all(&src, choice->file, err))
    return false;
  bool ok = loom_read_vef(input, &src, (enum loom_vef_algorithm)choice->algorithm,
                          choice->ops_text ? choice->ops : NULL, err);
  loom_source_free(&src);
  return ok;
}

static bool put(void *context, const char *text, size_t size) {
  return fwrite(text, 1, size, context) == size;
}

bool loom_vef_save(const struct loom_vef_trace *trace, const char *file, struct loom_error *err) {
  struct loom_output output;
  if (!loom_output_open(&output))
    return loom_fail(err, file, 0, "file", "out of memory");
  bool ok = loom_vef_write(trace, put, output.file);
  if (fclose(output.file) || !ok || !output.text)
    ok = loom_fail(err, file, 0, "file", "out of memory");
  ok = ok && loom_save(file, output.text, output.size, err);
  free(output.text);
  return ok;
}

bool loom_vef_open_names(struct loom_vef_names **names, const char *file, uint32_t tasks,
                         struct loom_error *err) {
  struct loom_source src;
  *names = NULL;
  if (!file)
    return true;
  if (!loom_source_read_all(&src, file, err))
    return false;
  *names = loom_read_vef_names(&src, tasks, err);
  loom_source_free(&src);
  return *names != NULL;
}

static int print(const struct options *o, const struct loom_vef_input *in,
                 const struct loom_vef_names *names) {
  struct figures f;
  struct loom_output output;
  bool counted = count_trace(&f, in->trace);
  if (counted && names && !count_names(&f, names))
    return loom_refuse(o->io, o->command, "--names", "more than %d kinds of devices", KINDS);
  if (!counted || !loom_output_open(&output))
    return loom_refuse(o->io, o->command, "output", "out of memory");
  if (o->json)
    print_json(&output, in, &f, names);
  else
    print_text(&output, in, &f, o, names);
  return loom_output_print(&output, o->io, o->command);
}

static int info(const struct options *o) {
  struct loom_error err = {.line = ""};
  struct loom_vef_input in = {.trace = NULL};
  struct loom_vef_names *names = NULL;
  int status = LOOM_EXIT_BAD_INPUT;
  if (loom_vef_open(&in, &o->trace, &err) &&
      loom_vef_open_names(&names, o->names, in.trace->size.tasks, &err))
    status = print(o, &in, names);
  else
    loom_error_print(o->io->err, &err);
  loom_vef_names_destroy(names);
  loom_vef_input_free(&in);
  return status;
}

static int cmd_info(int argc, char **argv, const struct loom_streams *io) {
  struct options o = {
      .io = io, .command = argv[0], .trace = {.algorithm = LOOM_VEF_USUAL_ALGORITHM}};
  struct argp argp = {
      .options = option_list, .parser = parse_option, .args_doc = "FILE", .doc = doc};
  int status = loom_parse(&argp, argc, argv, 0, &o, NULL) ? LOOM_EXIT_BAD_INPUT : info(&o);
  free(o.trace.ops_text);
  return status;
}

int loom_cmd_vef(int argc, char **argv, const struct loom_streams *io) {
  static const struct loom_command list[] = {
      {"info", "what is in a trace", cmd_info},
      {"replay", "a trace on an ideal network", loom_cmd_vef_replay},
      {"import", "a trace of a schedule in another form", loom_cmd_vef_import},
      {"generate", "a synthetic trace", loom_cmd_vef_generate},
      {NULL, NULL, NULL},
  };
  return loom_dispatch(argc, argv, io, list, "Traces of parallel programs: VEF, VEF2, VEF3.");
}

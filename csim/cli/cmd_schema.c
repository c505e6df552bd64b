/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE /* argp */

#include <argp.h>
#include <errno.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/options.h"
#include "io/output.h"
#include "io/published_table.h"
#include "io/read_dtable.h"
#include "io/read_sweep.h"
#include "io/read_wishes.h"
#include "io/yaml_json.h"
#include "run/spec_schema.h"

/* What the options say. */
struct options {
  const struct loom_streams *io;
  const char *command;
  const char *name; /* NULL: all are listed */
};

/* A format of YAML files. */
struct format {
  const char *name, *about;
  const struct loom_yaml_schema *schema;
};

static const struct argp_option option_list[] = {
    {0},
};

static const char doc[] =
    "Prints what the YAML files of format NAME may say, as a JSON Schema, which editors use to "
    "complete and check such files. Without NAME it lists the formats."
    "\v"
    "An editor with YAML's language server takes the schema from a file's first line: "
    "`# yaml-language-server: $schema=fabric.schema.json`. Exit status: 0 done, 2 bad input. "
    "docs/formats.md tells more.";

static error_t parse_option(int key, char *arg, struct argp_state *state) {
  struct options *o = state->input;
  switch (key) {
  case ARGP_KEY_INIT:
    state->err_stream = NULL; /* one line is enough */
    return 0;
  case ARGP_KEY_ARG:
    if (!o->name) {
      o->name = arg;
      return 0;
    }
    loom_refuse(o->io, o->command, "argument", "`%.40s` is one name too many", arg);
    return EINVAL;
  default:
    return ARGP_ERR_UNKNOWN;
  }
}

static void print_schema(FILE *out, const struct format *f) {
  json_t *root = loom_yaml_json(f->schema, f->about);
  json_dumpf(root, out, JSON_INDENT(2) | JSON_REAL_PRECISION(15));
  fputc('\n', out);
  json_decref(root);
}

/* The one of this name, or the list. */
static void print_formats(FILE *out, const struct format *list, const char *name) {
  for (const struct format *f = list; f->name; f++) {
    if (name && !strcmp(f->name, name))
      print_schema(out, f);
    if (!name)
      fprintf(out, "%-8s %s\n", f->name, f->about);
  }
}

static bool is_one(const struct format *list, const char *name) {
  while (list->name && strcmp(list->name, name) != 0)
    list++;
  return list->name != NULL;
}

int loom_cmd_schema(int argc, char **argv, const struct loom_streams *io) {
  struct options o = {.io = io, .command = argv[0]};
  struct argp argp = {
      .options = option_list, .parser = parse_option, .args_doc = "[NAME]", .doc = doc};
  struct loom_spec_schema fabric;
  struct loom_output output;
  const struct format list[] = {{"fabric", "a fabric under traffic", &fabric.value},
                                {"sweep", "a sweep", &loom_sweep_schema},
                                {"wishes", "arbitration wishes", &loom_wishes_schema},
                                {"dtable", "DTable configuration", &loom_dtable_schema},
                                {"fixture", "scheduler fixture", &loom_published_schema},
                                {NULL, NULL, NULL}};
  if (loom_parse(&argp, argc, argv, 0, &o, NULL))
    return LOOM_EXIT_BAD_INPUT;
  if (o.name && !is_one(list, o.name))
    return loom_refuse(io, o.command, "NAME",
                       "`%.40s` is none of fabric, sweep, wishes, dtable, fixture", o.name);
  loom_spec_schema(&fabric);
  if (!loom_output_open(&output))
    return loom_refuse(io, o.command, "output", "out of memory");
  print_formats(output.file, list, o.name);
  return loom_output_print(&output, io, o.command);
}

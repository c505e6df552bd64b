/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE /* argp */

#include <argp.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/options.h"
#include "cli/report_page.h"
#include "io/json_memory.h"
#include "io/path.h"
#include "io/save.h"
#include "io/source.h"
#include "io/text_stream.h"
#include "run/results.h"

/* Where the results go in the page. */
#define MARK "/*@DATA@*/"

struct options {
  const struct loom_streams *io;
  const char *command;
  const char *folder, *output;
};

static const struct argp_option option_list[] = {
    {"output", 'o', "FILE", 0, "Write the page into this file", 0},
    {0},
};

static const char doc[] =
    "Makes one HTML page of the results of a run with `--stats links,flows': the fabric, "
    "its links coloured by load, their flows, the ports of all switches, and the "
    "classes over time, beside their tables."
    "\v"
    "The page has all in itself and asks no network. Exit status: 0 done, 2 bad input. "
    "docs/fabric.md describes it.";

static error_t parse_option(int key, char *arg, struct argp_state *state) {
  struct options *o = state->input;
  bool ok = true;
  switch (key) {
  case ARGP_KEY_INIT:
    state->err_stream = NULL; /* one line is enough */
    break;
  case 'o':
    o->output = arg;
    break;
  case ARGP_KEY_ARG:
    ok = !o->folder || loom_refuse(o->io, o->command, "DIR", "more than one") == 0;
    o->folder = arg;
    break;
  case ARGP_KEY_END:
    if (!o->folder)
      ok = loom_refuse(o->io, o->command, "DIR", "missing") == 0;
    else if (!o->output)
      ok = loom_refuse(o->io, o->command, "--output", "missing") == 0;
    break;
  default:
    return ARGP_ERR_UNKNOWN;
  }
  return ok ? 0 : EINVAL;
}

/* Puts the text of a file of the results into `data`; one that is not there is empty. */
static bool add_table(const struct options *o, json_t *data, const char *key, bool needed) {
  char name[40];
  struct loom_source src = {.text = NULL};
  struct loom_error err = {.line = ""};
  snprintf(name, sizeof name, "%s.csv", key);
  char *path = loom_path_in(o->folder, name, "");
  bool there = path && (!access(path, F_OK) || errno != ENOENT);
  bool ok = path && (there ? loom_source_read_all(&src, path, &err) : !needed);
  json_t *text = ok ? json_stringn(there ? src.text : "", there ? src.size : 0) : NULL;
  if (ok)
    ok = text && json_object_set_new(data, key, text) == 0;
  if (!ok && err.line[0])
    loom_error_print(o->io->err, &err);
  else if (!ok && (!path || loom_json_lacked()))
    loom_refuse(o->io, o->command, "output", "out of memory");
  else if (!ok && !there)
    fprintf(o->io->err, "%s:0: file: is missing; run it with --stats links,flows\n", path);
  else if (!ok)
    fprintf(o->io->err, "%s:0: file: is no text\n", path);
  loom_source_free(&src);
  free(path);
  return ok;
}

/* What the page shows; NULL: something is missing, which has been said. */
static json_t *data_of(const struct options *o) {
  json_t *summary = loom_results_read(o->folder, o->io->err);
  json_t *data = summary ? json_pack("{soss}", "summary", summary, "folder", o->folder) : NULL;
  if (summary && !data)
    loom_refuse(o->io, o->command, "output", "out of memory");
  if (data && add_table(o, data, "devices", true) && add_table(o, data, "links", true) &&
      add_table(o, data, "flows", false) && add_table(o, data, "routes", false) &&
      add_table(o, data, "stalls", false) && add_table(o, data, "times", false) &&
      add_table(o, data, "series", false) && add_table(o, data, "latency", false))
    return data;
  json_decref(data);
  return NULL;
}

/* JSON that no browser takes for the end of a script. */
static void print_data(const json_t *data, FILE *out) {
  char *text = json_dumps(data, JSON_COMPACT);
  fputs("const DATA = ", out);
  for (const char *at = text; at && *at; at++)
    if (*at == '<')
      fputs("\\u003c", out);
    else
      fputc(*at, out);
  fputs(";", out);
  free(text);
}

static int write_page(const struct options *o, const json_t *data) {
  char *text = NULL;
  size_t size = 0;
  struct loom_error err = {.line = ""};
  const char *mark = strstr(loom_report_page, MARK);
  FILE *out = loom_text_open(&text, &size);
  if (!out)
    return loom_refuse(o->io, o->command, "output", "out of memory");
  fwrite(loom_report_page, 1, (size_t)(mark - loom_report_page), out);
  print_data(data, out);
  fputs(mark + strlen(MARK), out);
  bool ok = !fclose(out) && !loom_json_lacked() && loom_save(o->output, text, size, &err);
  if (!ok && err.line[0])
    loom_error_print(o->io->err, &err);
  else if (!ok)
    loom_refuse(o->io, o->command, "output", "out of memory");
  free(text);
  return ok ? LOOM_EXIT_DONE : LOOM_EXIT_BAD_INPUT;
}

int loom_cmd_report(int argc, char **argv, const struct loom_streams *io) {
  struct options o = {.io = io, .command = argv[0]};
  struct argp argp = {
      .options = option_list, .parser = parse_option, .args_doc = "DIR", .doc = doc};
  if (loom_parse(&argp, argc, argv, 0, &o, NULL))
    return LOOM_EXIT_BAD_INPUT;
  json_t *data = data_of(&o);
  int status = data ? write_page(&o, data) : LOOM_EXIT_BAD_INPUT;
  json_decref(data);
  return status;
}

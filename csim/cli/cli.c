#define _GNU_SOURCE /* argp, open_memstream */

#include "cli/cli.h"

#include <argp.h>
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "cli/source.h"

int loom_refuse(const struct loom_streams *io, const char *command, const char *option,
                const char *format, ...) {
  char message[300];
  va_list args;
  va_start(args, format);
  vsnprintf(message, sizeof message, format, args);
  va_end(args);
  for (char *c = message; *c; c++)
    if (*c < ' ' || *c > '~')
      *c = '?';
  fprintf(io->err, "%s: %s: %s\n", command, option, message);
  return LOOM_EXIT_BAD_INPUT;
}

bool loom_option_number(const struct loom_streams *io, const char *command, const char *option,
                        const char *text, uint32_t min, uint32_t max, uint32_t *value) {
  uint64_t number = 0;
  enum loom_decimal found = loom_decimal(text, 0, max, &number);
  if (found == LOOM_DECIMAL_OK && number >= min) {
    *value = (uint32_t)number;
    return true;
  }
  if (found == LOOM_DECIMAL_BAD || found == LOOM_DECIMAL_FINE)
    loom_refuse(io, command, option, "`%.40s` is not a whole number", text);
  else
    loom_refuse(io, command, option, "%.40s is outside %" PRIu32 "..%" PRIu32, text, min, max);
  return false;
}

bool loom_option_word(const struct loom_streams *io, const char *command, const char *option,
                      const char *text, const char *const names[], unsigned *value) {
  char all[120] = "";
  for (unsigned i = 0; names[i]; i++) {
    if (!strcmp(names[i], text)) {
      *value = i;
      return true;
    }
    size_t used = strlen(all);
    snprintf(all + used, sizeof all - used, "%s%.30s", i ? ", " : "", names[i]);
  }
  loom_refuse(io, command, option, "`%.40s` is none of %s", text, all);
  return false;
}

bool loom_option_file(const struct loom_streams *io, const char *command, const char *arg,
                      const char **file) {
  if (arg && *file)
    return loom_refuse(io, command, "argument", "`%.40s` is one file too many", arg) == 0;
  if (arg)
    *file = arg;
  return *file || loom_refuse(io, command, "FILE", "missing") == 0;
}

bool loom_page_open(struct loom_page *page) {
  page->text = NULL;
  page->size = 0;
  page->file = open_memstream(&page->text, &page->size);
  return page->file != NULL;
}

int loom_page_print(struct loom_page *page, const struct loom_streams *io, const char *command) {
  bool bad = ferror(page->file) != 0;
  if (fclose(page->file) || bad || !page->text) {
    free(page->text);
    return loom_refuse(io, command, "output", "out of memory");
  }
  errno = 0;
  bad = fwrite(page->text, 1, page->size, io->out) != page->size || fflush(io->out);
  free(page->text);
  if (bad)
    return loom_refuse(io, command, "output", "cannot write: %s", strerror(errno));
  return LOOM_EXIT_DONE;
}

void loom_page_fixed(struct loom_page *page, int width, int64_t value, unsigned digits) {
  char text[48];
  uint64_t magnitude = value < 0 ? 0 - (uint64_t)value : (uint64_t)value;
  uint64_t scale = 1;
  for (unsigned i = 0; i < digits; i++)
    scale *= 10;
  snprintf(text, sizeof text, "%s%" PRIu64 ".%0*" PRIu64, value < 0 ? "-" : "", magnitude / scale,
           (int)digits, magnitude % scale);
  fprintf(page->file, "%*s", width, text);
}

/* What the dispatcher's parser hands on. */
struct dispatch {
  const struct loom_command *list;
  const struct loom_command *command;
  int first; /* argument that names the command */
};

static error_t parse_dispatch(int key, char *arg, struct argp_state *state) {
  struct dispatch *d = state->input;
  if (key == ARGP_KEY_INIT)
    state->err_stream = NULL; /* one line is enough: no "Try ..." after getopt's own */
  if (key != ARGP_KEY_ARG)
    return key == ARGP_KEY_INIT ? 0 : ARGP_ERR_UNKNOWN;
  d->first = state->next - 1;
  for (d->command = d->list; d->command->name; d->command++)
    if (!strcmp(d->command->name, arg))
      break;
  state->next = state->argc; /* the rest is the command's */
  return 0;
}

static int run_command(int argc, char **argv, const struct loom_streams *io,
                       const struct dispatch *d) {
  char name[64];
  char *saved = argv[d->first];
  snprintf(name, sizeof name, "%.30s %.30s", argv[0], d->command->name);
  argv[d->first] = name;
  int status = d->command->run(argc - d->first, argv + d->first, io);
  argv[d->first] = saved;
  return status;
}

int loom_dispatch(int argc, char **argv, const struct loom_streams *io,
                  const struct loom_command *list, const char *doc) {
  struct dispatch d = {.list = list};
  char help[1200];
  int used = snprintf(help, sizeof help, "%s\vCommands:\n", doc);
  for (const struct loom_command *c = list; c->name; c++)
    used += snprintf(help + used, sizeof help - (size_t)used, "  %-10s %.100s\n", c->name, c->help);
  snprintf(
      help + used, sizeof help - (size_t)used,
      "\n`%.30s COMMAND --help` tells more. Exit status: 0 done, 1 a check failed, 2 bad input.",
      argv[0]);
  struct argp argp = {
      .parser = parse_dispatch, .args_doc = "COMMAND [OPTION...] [FILE...]", .doc = help};
  if (argp_parse(&argp, argc, argv, ARGP_IN_ORDER, NULL, &d))
    return LOOM_EXIT_BAD_INPUT;
  if (!d.command)
    return loom_refuse(io, argv[0], "command", "missing; `--help` lists them");
  if (!d.command->name)
    return loom_refuse(io, argv[0], "command", "`%.40s` is not one; `--help` lists them",
                       argv[d.first]);
  return run_command(argc, argv, io, &d);
}

int loom_cli(int argc, char **argv, const struct loom_streams *io) {
  static const struct loom_command list[] = {
      {"vlarb", "what InfiniBand arbitration tables do to a link", loom_cmd_vlarb},
      {"dtable", "tables of the deficit table scheduler", loom_cmd_dtable},
      {"topo", "fabrics: their shape, their parts, their files", loom_cmd_topo},
      {"route", "forwarding tables of a fabric, and what they are worth", loom_cmd_route},
      {"vef", "traces of parallel programs", loom_cmd_vef},
      {"run", "a fabric under traffic", loom_cmd_run},
      {"sweep", "a fabric over a grid of loads, or of anything", loom_cmd_sweep},
      {"plot", "figures of a sweep", loom_cmd_plot},
      {NULL, NULL, NULL},
  };
  argp_program_version = "loom " LOOM_VERSION;
  argp_err_exit_status = LOOM_EXIT_BAD_INPUT;
  return loom_dispatch(argc, argv, io, list,
                       "Loom: synthesizable interconnect switches and their bit-exact C twins.");
}

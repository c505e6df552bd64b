/* cli.h - the command `loom` */
#ifndef LOOM_CLI_CLI_H
#define LOOM_CLI_CLI_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#define LOOM_VERSION "0.1.0"

/* Exit statuses of every command. */
enum { LOOM_EXIT_DONE = 0, LOOM_EXIT_FAILED = 1, LOOM_EXIT_BAD_INPUT = 2 };

/* Where a command writes. Results go to `out` only when the command succeeds. */
struct loom_streams {
  FILE *out;
  FILE *err;
};

/* The whole command; returns the exit status. `--help`, `--usage` and `--version` print to stdout
 * and exit. */
int loom_cli(int argc, char **argv, const struct loom_streams *io);

/* Commands; argv[0] is the command's full name for messages. */
int loom_cmd_vlarb(int argc, char **argv, const struct loom_streams *io);
int loom_cmd_dtable(int argc, char **argv, const struct loom_streams *io);
int loom_cmd_topo(int argc, char **argv, const struct loom_streams *io);
int loom_cmd_route(int argc, char **argv, const struct loom_streams *io);
int loom_cmd_vef(int argc, char **argv, const struct loom_streams *io);
int loom_cmd_run(int argc, char **argv, const struct loom_streams *io);
int loom_cmd_sweep(int argc, char **argv, const struct loom_streams *io);
int loom_cmd_plot(int argc, char **argv, const struct loom_streams *io);

struct loom_command {
  const char *name;
  const char *help; /* one line */
  int (*run)(int argc, char **argv, const struct loom_streams *io);
};

/* Runs the command of the list (a NULL name ends it) that the first argument names. `doc` heads the
 * help. */
int loom_dispatch(int argc, char **argv, const struct loom_streams *io,
                  const struct loom_command *list, const char *doc);

/* Refuses an option: `command: option: message` on io->err. Returns LOOM_EXIT_BAD_INPUT. */
#ifdef __GNUC__
__attribute__((format(printf, 4, 5)))
#endif
int loom_refuse(const struct loom_streams *io, const char *command, const char *option,
                const char *format, ...);

/* Reads the whole number min..max of an option; on false the refusal is written. */
bool loom_option_number(const struct loom_streams *io, const char *command, const char *option,
                        const char *text, uint32_t min, uint32_t max, uint32_t *value);

/* Reads one of `names` (NULL ends it); on false the refusal is written. */
bool loom_option_word(const struct loom_streams *io, const char *command, const char *option,
                      const char *text, const char *const names[], unsigned *value);

/* Takes the one file of a command, which `*file` keeps; `arg` NULL: there are no more arguments. On
 * false, with a second file or none in the end, the refusal is written. */
bool loom_option_file(const struct loom_streams *io, const char *command, const char *arg,
                      const char **file);

/* Text that is printed as a whole or not at all. */
struct loom_page {
  FILE *file; /* write here */
  char *text;
  size_t size;
};

/* False: out of memory. */
bool loom_page_open(struct loom_page *page);

/* Writes the page to io->out and closes it; the exit status. */
int loom_page_print(struct loom_page *page, const struct loom_streams *io, const char *command);

/* value / 10^digits with that many decimals, in a field of `width`. */
void loom_page_fixed(struct loom_page *page, int width, int64_t value, unsigned digits);

#endif

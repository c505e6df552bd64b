/* SPDX-License-Identifier: Apache-2.0 */
/* parse.h - argp for every command alike: `-h` is `--help`, and tables can be read by programs */
#ifndef LOOM_CLI_PARSE_H
#define LOOM_CLI_PARSE_H

#include <argp.h>

#include "io/streams.h"

/* A command, or one below a command; a NULL name ends a list. */
struct loom_command {
  const char *name;
  const char *help; /* one line */
  int (*run)(int argc, char **argv, const struct loom_streams *io);
};

/* As argp_parse, with two options more. `-h` is `--help`. `--describe`, which no help shows, prints
 * the tables of the command as JSON and exits: tools/manual makes man pages and completion of it.
 * `list`: the commands below this one; NULL: none. */
int loom_parse(const struct argp *argp, int argc, char **argv, unsigned flags, void *input,
               const struct loom_command *list);

#endif

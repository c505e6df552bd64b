/* SPDX-License-Identifier: Apache-2.0 */
/* cli.h - the command `loom` */
#ifndef LOOM_CLI_CLI_H
#define LOOM_CLI_CLI_H

#include "cli/parse.h"
#include "io/streams.h"

/* The whole command; returns the exit status. `--help`, `--usage` and `--version` print to stdout
 * and exit. */
int loom_cli(int argc, char **argv, const struct loom_streams *io);

/* Commands; argv[0] is the command's full name for messages. */
int loom_cmd_vlarb(int argc, char **argv, const struct loom_streams *io);
int loom_cmd_dtable(int argc, char **argv, const struct loom_streams *io);
int loom_cmd_topo(int argc, char **argv, const struct loom_streams *io);
int loom_cmd_route(int argc, char **argv, const struct loom_streams *io);
int loom_cmd_vef(int argc, char **argv, const struct loom_streams *io);
int loom_cmd_record(int argc, char **argv, const struct loom_streams *io);
int loom_cmd_run(int argc, char **argv, const struct loom_streams *io);
int loom_cmd_sweep(int argc, char **argv, const struct loom_streams *io);
int loom_cmd_plot(int argc, char **argv, const struct loom_streams *io);
int loom_cmd_report(int argc, char **argv, const struct loom_streams *io);
int loom_cmd_schema(int argc, char **argv, const struct loom_streams *io);
int loom_cmd_ibsim(int argc, char **argv, const struct loom_streams *io);

/* Runs the command of the list (a NULL name ends it) that the first argument names. `doc` heads the
 * help. */
int loom_dispatch(int argc, char **argv, const struct loom_streams *io,
                  const struct loom_command *list, const char *doc);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* cmd_vef.h - the commands below `loom vef` */
#ifndef LOOM_CLI_CMD_VEF_H
#define LOOM_CLI_CMD_VEF_H

#include "cli/cli.h"
#include "io/read_vef.h"

/* The trace that a command reads, and how. */
struct loom_vef_choice {
  const char *file;
  char *ops_text; /* the list of --ops, cut into words; owned */
  const char *ops[LOOM_VEF_OPS];
  unsigned algorithm; /* enum loom_vef_algorithm */
};

/* Takes the list of --ops. False: it is refused. */
bool loom_vef_choose_ops(struct loom_vef_choice *choice, const struct loom_streams *io,
                         const char *command, const char *list);

/* Reads the trace. False: *err says why. Ends with loom_vef_input_free. */
bool loom_vef_open(struct loom_vef_input *input, const struct loom_vef_choice *choice,
                   struct loom_error *err);

/* Reads a .names file of so many tasks; `file` NULL: there is none. False: *err says why. */
bool loom_vef_open_names(struct loom_vef_names **names, const char *file, uint32_t tasks,
                         struct loom_error *err);

/* Saves a trace. False: *err says why. */
bool loom_vef_save(const struct loom_vef_trace *trace, const char *file, struct loom_error *err);

int loom_cmd_vef_import(int argc, char **argv, const struct loom_streams *io);
int loom_cmd_vef_replay(int argc, char **argv, const struct loom_streams *io);
int loom_cmd_vef_generate(int argc, char **argv, const struct loom_streams *io);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* cli_run.h - the command loom, run in the process of a unit test */
#ifndef LOOM_TB_UNIT_CLI_RUN_H
#define LOOM_TB_UNIT_CLI_RUN_H

#include <jansson.h>
#include <stdint.h>

/* What a run left behind. */
struct outcome {
  int status;
  char *out;
  char *err;
};

/* Runs `loom` with arguments that blanks separate. */
struct outcome loom(const char *arguments);
void drop(struct outcome *o);

/* `loom` prints this line on stderr, nothing on stdout, and says that its input is bad; of a YAML
 * file its first line, and what goes with it. */
void assert_refused(const char *arguments, const char *error);
/* What `loom` prints, which must be JSON without complaint; the caller gives it back. */
json_t *run_json(const char *arguments);
/* A whole number of an object. */
int64_t count_of(const json_t *object, const char *key);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* cli_run.c - the command loom, run in the process of a unit test */
#define _GNU_SOURCE /* open_memstream */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "tb/unit/cli_run.h"

enum { ARGS_MAX = 24 };

struct outcome loom(const char *arguments) {
  struct outcome o = {.status = -1};
  char text[400];
  char *argv[ARGS_MAX] = {"loom"};
  int argc = 1;
  size_t out_size = 0;
  size_t err_size = 0;
  struct loom_streams io = {.out = open_memstream(&o.out, &out_size),
                            .err = open_memstream(&o.err, &err_size)};
  char *rest = text;
  snprintf(text, sizeof text, "%s", arguments);
  for (char *arg; (arg = strtok_r(rest, " ", &rest)) != NULL && argc < ARGS_MAX - 1;)
    argv[argc++] = arg;
  o.status = loom_cli(argc, argv, &io);
  fclose(io.out);
  fclose(io.err);
  return o;
}

void drop(struct outcome *o) {
  free(o->out);
  free(o->err);
}

/* Below the first error of a YAML file stand its place and the file's other errors. */
static void cut_yaml(char *err, const char *error) {
  size_t file = strcspn(error, ":");
  char *line = strchr(err, '\n');
  if (file < 5 || strncmp(error + file - 5, ".yaml", 5) != 0 || !line || !line[1])
    return;
  for (char *next = line + 1; *next; next = strchr(next, '\n') + 1)
    assert_true(!strncmp(next, "  ", 2) || !strncmp(next, error, file + 1));
  line[1] = 0;
}

void assert_refused(const char *arguments, const char *error) {
  struct outcome o = loom(arguments);
  char line[300];
  snprintf(line, sizeof line, "%s\n", error);
  cut_yaml(o.err, error);
  assert_string_equal(o.err, line);
  assert_string_equal(o.out, "");
  assert_int_equal(o.status, LOOM_EXIT_BAD_INPUT);
  drop(&o);
}

json_t *run_json(const char *arguments) {
  struct outcome o = loom(arguments);
  assert_string_equal(o.err, "");
  assert_int_equal(o.status, LOOM_EXIT_DONE);
  json_t *root = json_loads(o.out, JSON_REJECT_DUPLICATES, NULL);
  assert_non_null(root);
  drop(&o);
  return root;
}

int64_t count_of(const json_t *object, const char *key) {
  const json_t *value = json_object_get(object, key);
  assert_true(json_is_integer(value));
  return (int64_t)json_integer_value(value);
}

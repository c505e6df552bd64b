/* SPDX-License-Identifier: Apache-2.0 */
/* parse.c - argp for every command alike */
#define _GNU_SOURCE /* argp, strchrnul */

#include "cli/parse.h"

#include <errno.h>
#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { OPT_DESCRIBE = 256 };

static const struct argp_option option_list[] = {
    {NULL, 'h', NULL, OPTION_HIDDEN, NULL, 0},
    {"describe", OPT_DESCRIBE, NULL, OPTION_HIDDEN, NULL, 0},
    {0},
};

struct parse {
  const struct argp *argp; /* of the command */
  void *input;             /* of its parser */
  const struct loom_command *list;
};

/* ---- description ----------------------------------------------------------------------------- */

static json_t *option_of(const struct argp_option *option) {
  bool printable = option->key > ' ' && option->key < 127;
  char letter[2] = {(char)(printable ? option->key : 0), 0};
  return json_pack("{ssssssss}", "name", option->name ? option->name : "", "letter", letter, "arg",
                   option->arg ? option->arg : "", "doc", option->doc ? option->doc : "");
}

static json_t *options_of(const struct argp_option *option) {
  json_t *list = json_array();
  for (; option && (option->name || option->key || option->doc); option++)
    if (!(option->flags & OPTION_HIDDEN))
      json_array_append_new(list, option_of(option));
  return list;
}

static json_t *commands_of(const struct loom_command *command) {
  json_t *list = json_array();
  for (; command && command->name; command++)
    json_array_append_new(list, json_pack("{ssss}", "name", command->name, "help", command->help));
  return list;
}

/* What stands before the options in the help, and after them, are one text with a \v between. */
static void describe(const struct parse *p, const char *name) {
  const char *doc = p->argp->doc ? p->argp->doc : "", *turn = strchrnul(doc, '\v');
  json_t *root =
      json_pack("{ssssss%sssoso}", "name", name, "args", p->argp->args_doc ? p->argp->args_doc : "",
                "before", doc, (size_t)(turn - doc), "after", *turn ? turn + 1 : "", "options",
                options_of(p->argp->options), "commands", commands_of(p->list));
  json_dumpf(root, stdout, JSON_INDENT(2));
  fputc('\n', stdout);
  json_decref(root);
}

/* ---- parsing --------------------------------------------------------------------------------- */

static error_t parse_own(int key, char *arg, struct argp_state *state) {
  const struct parse *p = state->input;
  (void)arg;
  switch (key) {
  case ARGP_KEY_INIT:
    state->child_inputs[0] = p->input;
    return 0;
  case 'h':
    argp_state_help(state, stdout, ARGP_HELP_STD_HELP);
    return 0;
  case OPT_DESCRIBE:
    describe(p, state->name);
    exit(LOOM_EXIT_DONE);
  default:
    return ARGP_ERR_UNKNOWN;
  }
}

int loom_parse(const struct argp *argp, int argc, char **argv, unsigned flags, void *input,
               const struct loom_command *list) {
  struct parse p = {.argp = argp, .input = input, .list = list};
  const struct argp_child children[] = {{argp, 0, NULL, 0}, {0}};
  const struct argp all = {.options = option_list, .parser = parse_own, .children = children};
  error_t bad = argp_parse(&all, argc, argv, flags, NULL, &p);
  if (bad == ENOMEM) /* of which argp says nothing */
    fprintf(stderr, "%s: options: out of memory\n", argv[0]);
  return bad;
}

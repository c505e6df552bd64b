/* SPDX-License-Identifier: Apache-2.0 */
/* options.c - values of a command's options */
#define _GNU_SOURCE /* strdup */

#include "cli/options.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "io/source.h"
#include "run/jobs.h"

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

bool loom_option_jobs(const struct loom_streams *io, const char *command, uint32_t *jobs) {
  const char *said = getenv("LOOM_JOBS");
  if (*jobs)
    return true;
  if (said && *said)
    return loom_option_number(io, command, "LOOM_JOBS", said, 1, LOOM_OPTION_JOBS, jobs);
  *jobs = loom_cores();
  return true;
}

bool loom_option_sizes(const struct loom_streams *io, const char *command, const char *option,
                       const char *text, uint32_t min, uint32_t max, uint32_t most, uint32_t size[],
                       uint32_t *sizes) {
  char part[16];
  const char *at = text;
  for (*sizes = 0; *sizes < most; at++) {
    size_t length = strcspn(at, "x");
    snprintf(part, sizeof part, "%.*s", (int)(length < 15 ? length : 15), at);
    if (!loom_option_number(io, command, option, part, min, max, &size[(*sizes)++]))
      return false;
    at += length;
    if (!*at)
      return true;
  }
  return loom_refuse(io, command, option, "`%.40s` has more than %" PRIu32 " numbers", text,
                     most) == 0;
}

bool loom_option_word(const struct loom_streams *io, const char *command, const char *option,
                      const char *text, const char *const names[], unsigned *value) {
  char all[240] = "";
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

bool loom_option_set(const struct loom_streams *io, const char *command, const char *arg,
                     struct loom_option_sets *sets) {
  const char *sign = strchr(arg, '=');
  if (!sign || sign == arg)
    return loom_refuse(io, command, "--set", "`%.40s` is not KEY=VALUE", arg) == 0;
  if (sets->edits == LOOM_OPTION_SETS)
    return loom_refuse(io, command, "--set", "more than %d", LOOM_OPTION_SETS) == 0;
  char *text = strdup(arg);
  if (!text)
    return loom_refuse(io, command, "--set", "out of memory") == 0;
  text[sign - arg] = 0;
  sets->text[sets->edits] = text;
  sets->word[sets->edits] = arg;
  sets->edit[sets->edits++] = (struct loom_edit){text, text + (sign - arg) + 1};
  return true;
}

void loom_option_seeds(struct loom_option_sets *sets, uint32_t seeds) {
  if (!seeds)
    return;
  snprintf(sets->seeds, sizeof sets->seeds, "%" PRIu32, seeds);
  sets->edit[sets->edits++] = (struct loom_edit){"run.seeds", sets->seeds};
}

size_t loom_option_words(const struct loom_option_sets *sets, const char *word[LOOM_OPTION_WORDS]) {
  size_t words = 0;
  for (size_t i = 0; i < LOOM_OPTION_SETS && sets->word[i]; i++) {
    word[words++] = "--set";
    word[words++] = sets->word[i];
  }
  if (sets->seeds[0]) {
    word[words++] = "--seeds";
    word[words++] = sets->seeds;
  }
  return words;
}

void loom_option_sets_free(struct loom_option_sets *sets) {
  for (size_t i = 0; i < LOOM_OPTION_SETS; i++)
    free(sets->text[i]);
}

bool loom_option_file(const struct loom_streams *io, const char *command, const char *arg,
                      const char **file) {
  if (arg && *file)
    return loom_refuse(io, command, "argument", "`%.40s` is one file too many", arg) == 0;
  if (arg)
    *file = arg;
  return *file || loom_refuse(io, command, "FILE", "missing") == 0;
}

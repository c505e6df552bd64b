/* SPDX-License-Identifier: Apache-2.0 */
/* options.h - values of a command's options */
#ifndef LOOM_CLI_OPTIONS_H
#define LOOM_CLI_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "io/streams.h"
#include "io/yaml_edit.h"

enum { LOOM_OPTION_SETS = 64, LOOM_OPTION_WORDS = 2 * (LOOM_OPTION_SETS + 1) };

/* Changes of a file: those of --set in their order, then that of --seeds, then perhaps one more. */
struct loom_option_sets {
  size_t edits;
  struct loom_edit edit[LOOM_OPTION_SETS + 2];
  char *text[LOOM_OPTION_SETS];       /* owned: path, NUL, value */
  const char *word[LOOM_OPTION_SETS]; /* as they were given */
  char seeds[12];
};

/* Reads the whole number min..max of an option; on false the refusal is written. */
bool loom_option_number(const struct loom_streams *io, const char *command, const char *option,
                        const char *text, uint32_t min, uint32_t max, uint32_t *value);

enum { LOOM_OPTION_JOBS = 256 };
/* What --jobs is that was not given (0): LOOM_JOBS of the environment, else one a core; on false
 * the refusal is written. */
bool loom_option_jobs(const struct loom_streams *io, const char *command, uint32_t *jobs);

/* Reads 1..most whole numbers min..max with an `x` between them; on false the refusal is written.
 */
bool loom_option_sizes(const struct loom_streams *io, const char *command, const char *option,
                       const char *text, uint32_t min, uint32_t max, uint32_t most, uint32_t size[],
                       uint32_t *sizes);

/* Reads one of `names` (NULL ends it); on false the refusal is written. */
bool loom_option_word(const struct loom_streams *io, const char *command, const char *option,
                      const char *text, const char *const names[], unsigned *value);

/* Takes a --set of KEY=VALUE; on false the refusal is written. */
bool loom_option_set(const struct loom_streams *io, const char *command, const char *arg,
                     struct loom_option_sets *sets);
/* Makes --seeds, if it is not 0, the last change. Once. */
void loom_option_seeds(struct loom_option_sets *sets, uint32_t seeds);
/* The options as words of a command line; how many. */
size_t loom_option_words(const struct loom_option_sets *sets, const char *word[LOOM_OPTION_WORDS]);
void loom_option_sets_free(struct loom_option_sets *sets);

/* Takes the one file of a command, which `*file` keeps; `arg` NULL: there are no more arguments. On
 * false, with a second file or none in the end, the refusal is written. */
bool loom_option_file(const struct loom_streams *io, const char *command, const char *arg,
                      const char **file);

#endif

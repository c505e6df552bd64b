/* SPDX-License-Identifier: Apache-2.0 */
/* options.c - values of a command's options */
#include "cli/options.h"

#include <inttypes.h>
#include <string.h>

#include "io/source.h"

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

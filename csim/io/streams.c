/* SPDX-License-Identifier: Apache-2.0 */
/* streams.c - how commands refuse their input */
#include "io/streams.h"

#include <stdarg.h>

int loom_refuse(const struct loom_streams *io, const char *command, const char *option,
                const char *format, ...) {
  char message[300];
  va_list args;
  va_start(args, format);
  vsnprintf(message, sizeof message, format, args);
  va_end(args);
  for (char *c = message; *c; c++)
    if (*c < ' ' || *c > '~')
      *c = '?';
  fprintf(io->err, "%s: %s: %s\n", command, option, message);
  return LOOM_EXIT_BAD_INPUT;
}

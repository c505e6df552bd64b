/* SPDX-License-Identifier: Apache-2.0 */
/* refuse.h - how the readers of the bench say no: one line `file:line: key: message`
 *
 * Bytes of the message that cannot be printed are written \xNN, so that what comes from a damaged
 * file stays one line of plain text.
 *
 * Inside: the lock-step bench (docs/cosim.md).
 */
#ifndef TB_COSIM_REFUSE_H
#define TB_COSIM_REFUSE_H

#include <inttypes.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>

/* Line 0 stands for the file itself; `err` NULL: say nothing. Always returns false. */
static inline bool refuse_line(FILE *err, const char *name, uint64_t line, const char *key,
                               const char *format, va_list args)
    __attribute__((format(printf, 5, 0)));

static inline bool refuse_line(FILE *err, const char *name, uint64_t line, const char *key,
                               const char *format, va_list args) {
  char message[300];
  if (!err)
    return false;
  vsnprintf(message, sizeof message, format, args);
  fprintf(err, "%s:%" PRIu64 ": %s: ", name, line, key);
  for (const char *c = message; *c; c++) {
    if (*c >= ' ' && *c <= '~')
      putc(*c, err);
    else
      fprintf(err, "\\x%02x", (unsigned char)*c);
  }
  putc('\n', err);
  return false;
}

#endif

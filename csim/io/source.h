/* SPDX-License-Identifier: Apache-2.0 */
/* source.h - one input file in memory, and the one line that says what is wrong with it
 *
 * Readers take a loom_source, so that tests and fuzzers can read from memory. A reader that refuses
 * its input fills loom_error with `file:line: key: message` and returns false.
 */
#ifndef LOOM_IO_SOURCE_H
#define LOOM_IO_SOURCE_H

#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>

#include <stddef.h>

#define LOOM_SOURCE_MAX ((size_t)1 << 20)     /* largest file that is read, bytes */
#define LOOM_SOURCE_LARGE (UINT64_C(1) << 32) /* the same of fabrics, routings and traces */

struct loom_source {
  const char *name; /* as the user gave it; not owned */
  char *text;       /* `size` bytes and a NUL after them; owned */
  size_t size;
};

struct loom_error {
  char line[800]; /* no newline; empty: nothing is wrong */
};

/* Reads a whole file. False (and *err) when it cannot be read or is larger than LOOM_SOURCE_MAX. */
bool loom_source_read(struct loom_source *src, const char *name, struct loom_error *err);

/* Copies `size` bytes of memory; `name` stands for the file in messages. False: out of memory. */
bool loom_source_copy(struct loom_source *src, const char *name, const void *bytes, size_t size);

/* The same up to LOOM_SOURCE_LARGE, piece by piece; not from a device, which has no end, and not
 * with a line above LOOM_SOURCE_MAX. */
bool loom_source_read_all(struct loom_source *src, const char *name, struct loom_error *err);

void loom_source_free(struct loom_source *src);

/* Sets `err` to `name:line: key: message`, unprintable characters replaced by `?`. `line` 0 means
 * the file as a whole. Always returns false. */
#ifdef __GNUC__
__attribute__((format(printf, 5, 6)))
#endif
bool loom_fail(struct loom_error *err, const char *name, size_t line, const char *key,
               const char *format, ...);

/* The same for a function that has the arguments. */
bool loom_fail_with(struct loom_error *err, const char *name, size_t line, const char *key,
                    const char *format, va_list args);

/* What loom_decimal finds. */
enum loom_decimal {
  LOOM_DECIMAL_OK,
  LOOM_DECIMAL_BAD,   /* not a plain decimal number */
  LOOM_DECIMAL_FINE,  /* more digits after the point than `digits` */
  LOOM_DECIMAL_LARGE, /* above `max` */
};

/* Reads all of `text` as a plain decimal number, `0`, `12` or `0.5`: no sign, no leading zero, no
 * exponent, nothing after it. *value is the number times 10^digits, exactly; at most `max`. */
enum loom_decimal loom_decimal(const char *text, unsigned digits, uint64_t max, uint64_t *value);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* source.h - one input file in memory, and the line that says what is wrong with it
 *
 * Readers take a loom_source, so that tests and fuzzers can read from memory. A reader that refuses
 * its input fills loom_error with `file:line: key: message` and returns false. Those of YAML files
 * (yaml.h) go on and add further lines, each with the place it is about.
 */
#ifndef LOOM_IO_SOURCE_H
#define LOOM_IO_SOURCE_H

#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>

#include <stddef.h>
#include <stdio.h>

#define LOOM_SOURCE_MAX ((size_t)1 << 20)     /* largest file that is read, bytes */
#define LOOM_SOURCE_LARGE (UINT64_C(1) << 32) /* the same of fabrics, routings and traces */

struct loom_source {
  const char *name; /* as the user gave it; not owned */
  char *text;       /* `size` bytes and a NUL after them; owned */
  size_t size;
  bool changed; /* not as it is in the file (yaml_edit.h): its lines are nobody's */
};

enum { LOOM_ERROR_LINE = 800, LOOM_ERROR_MORE = 6000 };
enum { LOOM_ERRORS = 10 }; /* of a file that are told */

struct loom_error {
  char line[LOOM_ERROR_LINE]; /* the first; no newline; empty: nothing is wrong */
  unsigned count;             /* errors that were found; at most LOOM_ERRORS are told */
  char more[LOOM_ERROR_MORE]; /* lines after the first, each with its newline: the place of the
                               * first error, further errors and their places */
};

/* A line as that of an error, about what is not refused. */
struct loom_warning {
  char line[LOOM_ERROR_LINE];
};

/* Nothing is wrong. */
void loom_error_clear(struct loom_error *err);

/* Writes all lines. */
void loom_error_print(FILE *out, const struct loom_error *err);

/* Reads a whole file. False (and *err) when it cannot be read or is larger than LOOM_SOURCE_MAX. */
bool loom_source_read(struct loom_source *src, const char *name, struct loom_error *err);

/* Copies `size` bytes of memory; `name` stands for the file in messages. False: out of memory. */
bool loom_source_copy(struct loom_source *src, const char *name, const void *bytes, size_t size);

/* The same up to LOOM_SOURCE_LARGE, piece by piece; not from a device, which has no end, and not
 * with a line above LOOM_SOURCE_MAX. */
bool loom_source_read_all(struct loom_source *src, const char *name, struct loom_error *err);

/* The same of a file that has no lines. */
bool loom_source_read_bytes(struct loom_source *src, const char *name, struct loom_error *err);

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

/* Adds an error to those that are there; without any it is the first. `column` counts characters
 * from 1, and the line of the source stands below with a mark under it; 0: without. Of a source
 * that was changed the line is 0, and nothing stands below. Always returns false. */
bool loom_fail_at(struct loom_error *err, const struct loom_source *src, size_t line, size_t column,
                  const char *key, const char *message);

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

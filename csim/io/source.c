/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE /* fileno */

#include "io/source.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { MESSAGE = 300, EXCERPT = 100, BEFORE = 70 /* characters left of a far place */ };

/* One line of an error: what is not plain becomes `?`. */
static void print_line(char line[LOOM_ERROR_LINE], const char *name, size_t number, const char *key,
                       const char *message) {
  snprintf(line, LOOM_ERROR_LINE, "%.300s:%zu: %.80s: %.320s", name, number, key, message);
  for (char *c = line; *c; c++)
    if (*c < ' ' || *c > '~')
      *c = '?';
}

void loom_error_clear(struct loom_error *err) {
  err->line[0] = err->more[0] = 0;
  err->count = 0;
}

void loom_error_print(FILE *out, const struct loom_error *err) {
  fprintf(out, "%s\n%s", err->line, err->more);
}

bool loom_fail_with(struct loom_error *err, const char *name, size_t line, const char *key,
                    const char *format, va_list args) {
  char message[MESSAGE];
  vsnprintf(message, sizeof message, format, args);
  loom_error_clear(err);
  print_line(err->line, name, line, key, message);
  err->count = 1;
  return false;
}

bool loom_fail(struct loom_error *err, const char *name, size_t line, const char *key,
               const char *format, ...) {
  va_list args;
  va_start(args, format);
  loom_fail_with(err, name, line, key, format, args);
  va_end(args);
  return false;
}

/* Takes a character of UTF-8 off the line; `?`: it is none of ASCII's plain ones. */
static char next_character(const char **at, const char *end) {
  char c = *(*at)++;
  while (*at < end && ((unsigned char)**at & 0xc0) == 0x80)
    ++*at;
  return c == '\t' ? ' ' : (char)(c < ' ' || c > '~' ? '?' : c);
}

/* The part of a line around a column. */
struct excerpt {
  char text[EXCERPT + 1];
  size_t first; /* column of its first character */
};

static void cut_excerpt(struct excerpt *e, const struct loom_source *src, size_t line,
                        size_t column) {
  const char *at = src->text, *end = src->text + src->size;
  for (size_t i = 1; i < line && at < end; i++) {
    const char *stop = memchr(at, '\n', (size_t)(end - at));
    at = stop ? stop + 1 : end;
  }
  const char *stop = memchr(at, '\n', (size_t)(end - at));
  stop = stop ? stop : end;
  stop -= stop > at && stop[-1] == '\r';
  e->first = column > EXCERPT - 10 ? column - BEFORE : 1;
  for (size_t i = 1; i < e->first && at < stop; i++)
    next_character(&at, stop);
  size_t used = 0;
  while (at < stop && used < EXCERPT)
    e->text[used++] = next_character(&at, stop);
  e->text[used] = 0;
}

bool loom_fail_at(struct loom_error *err, const struct loom_source *src, size_t line, size_t column,
                  const char *key, const char *message) {
  char text[LOOM_ERROR_LINE + 2 * EXCERPT + 100], said[LOOM_ERROR_LINE];
  struct excerpt e;
  size_t used = strlen(err->more), room = sizeof err->more - used;
  if (err->count++ > LOOM_ERRORS)
    return false;
  snprintf(text, sizeof text, "%.*s%s", MESSAGE - 1, message,
           src->changed ? " (after changes)" : "");
  print_line(said, src->name, src->changed ? 0 : line, key, text);
  if (err->count == 1)
    memcpy(err->line, said, sizeof said);
  if (err->count > LOOM_ERRORS)
    print_line(said, src->name, 0, "document", "there are more errors");
  int length = err->count == 1 ? 0 : snprintf(text, sizeof text, "%s\n", said);
  if (line && column && !src->changed && err->count <= LOOM_ERRORS) {
    cut_excerpt(&e, src, line, column);
    int margin = snprintf(NULL, 0, "%zu", line);
    length += snprintf(text + length, sizeof text - (size_t)length,
                       "  %zu | %s\n  %*s | %*s column %zu\n", line, e.text, margin, "",
                       (int)(column - e.first + 1), "^", column);
  }
  if (length && (size_t)length < room)
    memcpy(err->more + used, text, (size_t)length + 1);
  return false;
}

bool loom_source_copy(struct loom_source *src, const char *name, const void *bytes, size_t size) {
  src->name = name;
  src->size = size;
  src->changed = false;
  src->text = malloc(size + 1);
  if (!src->text)
    return false;
  if (size)
    memcpy(src->text, bytes, size);
  src->text[size] = 0;
  return true;
}

void loom_source_free(struct loom_source *src) {
  free(src->text);
  src->text = NULL;
  src->size = 0;
}

bool loom_source_read(struct loom_source *src, const char *name, struct loom_error *err) {
  FILE *file = fopen(name, "rb");
  if (!file)
    return loom_fail(err, name, 0, "file", "cannot open: %s", strerror(errno));
  *src = (struct loom_source){.name = name, .text = malloc(LOOM_SOURCE_MAX + 2)};
  src->size = src->text ? fread(src->text, 1, LOOM_SOURCE_MAX + 1, file) : 0;
  bool bad = ferror(file) != 0;
  int reason = errno;
  fclose(file);
  if (!src->text)
    return loom_fail(err, name, 0, "file", "out of memory");
  if (!bad && src->size <= LOOM_SOURCE_MAX) {
    src->text[src->size] = 0;
    return true;
  }
  loom_source_free(src);
  if (bad)
    return loom_fail(err, name, 0, "file", "cannot read: %s", strerror(reason));
  return loom_fail(err, name, 0, "file", "larger than %zu bytes", LOOM_SOURCE_MAX);
}

/* Refuses what has no end before anything of it is read. */
static bool has_end(FILE *file, const char *name, struct loom_error *err) {
  struct stat s;
  if (fstat(fileno(file), &s))
    return loom_fail(err, name, 0, "file", "cannot read: %s", strerror(errno));
  if (S_ISCHR(s.st_mode) || S_ISBLK(s.st_mode))
    return loom_fail(err, name, 0, "file", "is a device, not a file");
  return !S_ISREG(s.st_mode) || (uint64_t)s.st_size <= LOOM_SOURCE_LARGE ||
         loom_fail(err, name, 0, "file", "larger than %" PRIu64 " bytes", LOOM_SOURCE_LARGE);
}

/* A file in pieces, so that what no file may have is seen in the first piece that has it. */
struct pieces {
  size_t room;  /* bytes that there is memory for */
  size_t line;  /* from 1 */
  size_t start; /* of this line */
};

/* Lines, the last one too, are no longer than a file of one line may be. */
static bool check_lines(struct pieces *p, const struct loom_source *src, size_t from,
                        struct loom_error *err) {
  const char *end = src->text + src->size, *at = src->text + from;
  while (true) {
    const char *stop = memchr(at, '\n', (size_t)(end - at));
    if ((size_t)((stop ? stop : end) - src->text) - p->start > LOOM_SOURCE_MAX)
      return loom_fail(err, src->name, p->line, "line", "longer than %zu bytes", LOOM_SOURCE_MAX);
    if (!stop)
      return true;
    at = stop + 1;
    p->start = (size_t)(at - src->text);
    p->line++;
  }
}

static bool make_room(struct pieces *p, struct loom_source *src, struct loom_error *err) {
  if (p->room - src->size >= LOOM_SOURCE_MAX)
    return true;
  size_t room = p->room <= SIZE_MAX / 4 ? 2 * p->room + LOOM_SOURCE_MAX : 0;
  char *more = room ? realloc(src->text, room + 1) : NULL;
  if (!more)
    return loom_fail(err, src->name, 0, "file", "out of memory: %zu bytes are needed", room);
  src->text = more;
  p->room = room;
  return true;
}

/* Reads up to the end of the file, or one byte more than LOOM_SOURCE_LARGE, for a pipe may have no
 * end either. */
static bool read_pieces(struct loom_source *src, FILE *file, bool lines, struct loom_error *err) {
  struct pieces p = {.line = 1};
  size_t got = 0;
  src->size = 0;
  src->text = NULL;
  do {
    if (!make_room(&p, src, err))
      return false;
    got = fread(src->text + src->size, 1, LOOM_SOURCE_MAX, file);
    src->size += got;
    if (lines && !check_lines(&p, src, src->size - got, err))
      return false;
  } while (got && src->size <= LOOM_SOURCE_LARGE);
  return true;
}

static bool read_large(struct loom_source *src, const char *name, FILE *file, bool lines,
                       struct loom_error *err) {
  if (!has_end(file, name, err))
    return false;
  errno = 0;
  if (read_pieces(src, file, lines, err)) {
    src->text[src->size] = 0;
    if (ferror(file))
      loom_fail(err, name, 0, "file", "cannot read: %s", strerror(errno));
    else if (src->size > LOOM_SOURCE_LARGE)
      loom_fail(err, name, 0, "file", "larger than %" PRIu64 " bytes", LOOM_SOURCE_LARGE);
    else
      return true;
  }
  loom_source_free(src);
  return false;
}

static bool read_named(struct loom_source *src, const char *name, bool lines,
                       struct loom_error *err) {
  FILE *file = fopen(name, "rb");
  *src = (struct loom_source){.name = name};
  if (!file)
    return loom_fail(err, name, 0, "file", "cannot open: %s", strerror(errno));
  bool ok = read_large(src, name, file, lines, err);
  fclose(file);
  return ok;
}

bool loom_source_read_all(struct loom_source *src, const char *name, struct loom_error *err) {
  return read_named(src, name, true, err);
}

bool loom_source_read_bytes(struct loom_source *src, const char *name, struct loom_error *err) {
  return read_named(src, name, false, err);
}

/* Adds one decimal digit; a value that would pass `max` stays just above it. */
static uint64_t add_digit(uint64_t value, char digit, uint64_t max) {
  uint64_t d = (uint64_t)(digit - '0');
  return value > (max - (d > max ? max : d)) / 10 || d > max ? max + 1 : value * 10 + d;
}

static bool is_digit(char c) { return c >= '0' && c <= '9'; }

enum loom_decimal loom_decimal(const char *text, unsigned digits, uint64_t max, uint64_t *value) {
  uint64_t sum = 0;
  unsigned places = 0;
  if (!is_digit(*text) || (text[0] == '0' && is_digit(text[1])))
    return LOOM_DECIMAL_BAD;
  while (is_digit(*text))
    sum = add_digit(sum, *text++, max);
  if (*text == '.') {
    if (!is_digit(*++text))
      return LOOM_DECIMAL_BAD;
    for (; is_digit(*text); text++, places++)
      if (places < digits)
        sum = add_digit(sum, *text, max);
  }
  if (*text)
    return LOOM_DECIMAL_BAD;
  if (places > digits)
    return LOOM_DECIMAL_FINE;
  for (; places < digits; places++)
    sum = add_digit(sum, '0', max);
  if (sum > max)
    return LOOM_DECIMAL_LARGE;
  *value = sum;
  return LOOM_DECIMAL_OK;
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "io/words.h"

#include <inttypes.h>
#include <stdarg.h>
#include <string.h>

enum { SHOWN_MAX = 20 }; /* characters of a number in a message */

bool loom_words_line(struct loom_words *w) {
  const char *stop = w->src->text + w->src->size;
  const char *start = w->line ? w->next : w->src->text;
  if (start == stop)
    return false;
  const char *newline = memchr(start, '\n', (size_t)(stop - start));
  w->at = start;
  w->end = newline ? newline : stop;
  if (w->end > start && w->end[-1] == '\r')
    w->end--;
  w->next = newline ? newline + 1 : stop;
  w->line++;
  return true;
}

void loom_words_cut_comment(struct loom_words *w) {
  const char *comment = memchr(w->at, '#', (size_t)(w->end - w->at));
  if (comment)
    w->end = comment;
}

void loom_words_cut_blanks(struct loom_words *w) {
  while (w->end > w->at && loom_words_is_blank(w->end[-1]))
    w->end--;
}

void loom_words_skip_blanks(struct loom_words *w) {
  while (w->at < w->end && loom_words_is_blank(*w->at))
    w->at++;
}

void loom_words_skip_word(struct loom_words *w) {
  while (w->at < w->end && !loom_words_is_blank(*w->at))
    w->at++;
}

bool loom_words_starts(const struct loom_words *w, const char *text) {
  size_t size = strlen(text);
  return (size_t)(w->end - w->at) >= size && !memcmp(w->at, text, size);
}

bool loom_words_take(struct loom_words *w, const char *text) {
  bool next = loom_words_starts(w, text);
  w->at += next ? strlen(text) : 0;
  return next;
}

bool loom_words_end(struct loom_words *w, const char *key) {
  loom_words_skip_blanks(w);
  return w->at == w->end || loom_words_refuse(w, key, "something follows that is not understood");
}

bool loom_words_number(struct loom_words *w, const char *key, uint32_t min, uint32_t max,
                       uint32_t *value) {
  const char *start = w->at;
  uint64_t sum = 0;
  for (; w->at < w->end && loom_words_is_digit(*w->at); w->at++)
    if (sum <= max)
      sum = sum * 10 + (uint64_t)(*w->at - '0');
  ptrdiff_t size = w->at - start;
  if (!size)
    return loom_words_refuse(w, key, "missing number");
  if (*start == '0' && size > 1)
    return loom_words_refuse(w, key, "number with a leading zero");
  if (sum < min || sum > max)
    return loom_words_refuse(w, key, "%.*s is outside %" PRIu32 "..%" PRIu32,
                             (int)(size > SHOWN_MAX ? SHOWN_MAX : size), start, min, max);
  *value = (uint32_t)sum;
  return true;
}

int loom_words_hex(char c) {
  if (loom_words_is_digit(c))
    return c - '0';
  if (c >= 'a' && c <= 'f')
    return c - 'a' + 10;
  return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

bool loom_words_guid(struct loom_words *w, uint64_t *guid) {
  const char *start = w->at;
  *guid = 0;
  for (; w->at < w->end && loom_words_hex(*w->at) >= 0; w->at++)
    *guid = *guid << 4 | (uint64_t)loom_words_hex(*w->at);
  return (w->at > start && w->at - start <= 16) ||
         loom_words_refuse(w, "guid", "must have 1..16 hexadecimal digits");
}

bool loom_words_lax_number(struct loom_words *w, const char *key, bool hex, uint32_t max,
                           uint32_t *value) {
  bool sixteen = hex && loom_words_take(w, "0x");
  const char *start = w->at;
  uint64_t sum = 0;
  for (; w->at < w->end; w->at++) {
    int digit = loom_words_hex(*w->at);
    if (digit < 0 || (digit > 9 && !sixteen))
      break;
    if (sum <= max)
      sum = sum * (sixteen ? 16 : 10) + (uint64_t)digit;
  }
  ptrdiff_t size = w->at - start;
  if (!size)
    return loom_words_refuse(w, key, "missing number");
  if (sum > max)
    return loom_words_refuse(w, key, "%.*s is above %" PRIu32,
                             (int)(size > SHOWN_MAX ? SHOWN_MAX : size), start, max);
  *value = (uint32_t)sum;
  return true;
}

bool loom_words_refuse(const struct loom_words *w, const char *key, const char *format, ...) {
  va_list args;
  va_start(args, format);
  loom_fail_with(w->err, w->src->name, w->line, key, format, args);
  va_end(args);
  return false;
}

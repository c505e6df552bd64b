/* SPDX-License-Identifier: Apache-2.0 */
#include "vef/vef_text.h"

#include <string.h>

bool loom_vef_refuse(const struct loom_vef_text *t, const char *key, const char *message) {
  *t->error = (struct loom_vef_error){.line = t->line, .key = key, .message = message};
  return false;
}

bool loom_vef_take_line(struct loom_vef_text *t) {
  t->line++;
  if (t->next == t->stop)
    return loom_vef_refuse(t, "file", "is cut short: lines that its header promises are missing");
  const char *newline = memchr(t->next, '\n', (size_t)(t->stop - t->next));
  if (!newline)
    return loom_vef_refuse(t, "file", "is cut short: the last line does not end");
  t->at = t->next;
  t->end = newline;
  t->next = newline + 1;
  if (t->end > t->at && t->end[-1] == '\r')
    t->end--;
  return true;
}

bool loom_vef_more(struct loom_vef_text *t) {
  while (t->at < t->end && (*t->at == ' ' || *t->at == '\t'))
    t->at++;
  return t->at < t->end;
}

bool loom_vef_take_word(struct loom_vef_text *t, const char *key, struct loom_vef_word *word) {
  if (!loom_vef_more(t))
    return loom_vef_refuse(t, key, "is missing");
  word->text = t->at;
  while (t->at < t->end && *t->at != ' ' && *t->at != '\t')
    t->at++;
  word->length = (size_t)(t->at - word->text);
  return true;
}

bool loom_vef_number(const struct loom_vef_text *t, const char *key,
                     const struct loom_vef_word *word, uint64_t min, uint64_t max,
                     uint64_t *value) {
  uint64_t sum = 0;
  if (!word->length)
    return loom_vef_refuse(t, key, "is missing");
  for (size_t i = 0; i < word->length; i++) {
    if (word->text[i] < '0' || word->text[i] > '9')
      return loom_vef_refuse(t, key, "is not a plain decimal number");
    if (sum <= max) /* max is far below 2^60 */
      sum = sum * 10 + (uint64_t)(word->text[i] - '0');
  }
  if (word->length > 1 && word->text[0] == '0')
    return loom_vef_refuse(t, key, "is a number with a leading zero");
  *value = sum;
  if (sum >= min && sum <= max)
    return true;
  *t->error = (struct loom_vef_error){.line = t->line, .key = key, .min = min, .max = max};
  return false;
}

bool loom_vef_take_number(struct loom_vef_text *t, const char *key, uint64_t min, uint64_t max,
                          uint64_t *value) {
  struct loom_vef_word word;
  return loom_vef_take_word(t, key, &word) && loom_vef_number(t, key, &word, min, max, value);
}

bool loom_vef_end_line(struct loom_vef_text *t, const char *key) {
  return !loom_vef_more(t) || loom_vef_refuse(t, key, "is followed by something");
}

bool loom_vef_same(const struct loom_vef_word *word, const char *text) {
  return word->length == strlen(text) && !memcmp(word->text, text, word->length);
}

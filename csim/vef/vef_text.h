/* SPDX-License-Identifier: Apache-2.0 */
/* vef_text.h - lines and fields of the text of traces, shared by their readers (docs/formats.md) */
#ifndef LOOM_VEF_VEF_TEXT_H
#define LOOM_VEF_VEF_TEXT_H

#include "vef/vef.h"

/* A text that is read line by line, field by field. */
struct loom_vef_text {
  const char *at;
  const char *end;  /* of the line */
  const char *next; /* line */
  const char *stop; /* of the text */
  size_t line;
  struct loom_vef_error *error;
};

struct loom_vef_word {
  const char *text;
  size_t length;
};

/* Each of these says false after it has set the error. */
bool loom_vef_refuse(const struct loom_vef_text *t, const char *key, const char *message);

/* Goes to the next line, which must end with a newline. */
bool loom_vef_take_line(struct loom_vef_text *t);

/* Takes a field; blanks separate fields. */
bool loom_vef_take_word(struct loom_vef_text *t, const char *key, struct loom_vef_word *word);

/* A field that is a plain decimal number. */
bool loom_vef_take_number(struct loom_vef_text *t, const char *key, uint64_t min, uint64_t max,
                          uint64_t *value);

/* A plain decimal number that is all of `word`. */
bool loom_vef_number(const struct loom_vef_text *t, const char *key,
                     const struct loom_vef_word *word, uint64_t min, uint64_t max, uint64_t *value);

/* Whether fields are left in the line. */
bool loom_vef_more(struct loom_vef_text *t);

/* Nothing may be left in the line. */
bool loom_vef_end_line(struct loom_vef_text *t, const char *key);

bool loom_vef_same(const struct loom_vef_word *word, const char *text);

#endif

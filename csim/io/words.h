/* SPDX-License-Identifier: Apache-2.0 */
/* words.h - a text file line by line, and the words of a line
 *
 * For readers of files with one thing in a line. Blanks are spaces and tabs. A function that
 * returns false has refused the file, unless it says otherwise: loom_words.err tells why. */
#ifndef LOOM_IO_WORDS_H
#define LOOM_IO_WORDS_H

#include "io/source.h"

struct loom_words {
  const struct loom_source *src;
  struct loom_error *err;
  const char *at;   /* what is read next */
  const char *end;  /* of the line */
  const char *next; /* where the next line starts */
  size_t line;      /* 0: the first is next; who sets it so starts again */
};

static inline bool loom_words_is_digit(char c) { return c >= '0' && c <= '9'; }

static inline bool loom_words_is_blank(char c) { return c == ' ' || c == '\t'; }

/* Goes to the next line, without the newline or the CR LF that ends it. False: there is none, and
 * nothing is refused. */
bool loom_words_line(struct loom_words *w);

/* Cuts off the first `#` and what follows it. */
void loom_words_cut_comment(struct loom_words *w);

/* Cuts blanks off the end of the line. */
void loom_words_cut_blanks(struct loom_words *w);

void loom_words_skip_blanks(struct loom_words *w);

/* Goes to the next blank. */
void loom_words_skip_word(struct loom_words *w);

/* `text` is next. */
bool loom_words_starts(const struct loom_words *w, const char *text);

/* Takes `text` if it is next; false: it is not, and nothing is refused. */
bool loom_words_take(struct loom_words *w, const char *text);

/* Skips blanks; nothing else may be left of the line. */
bool loom_words_end(struct loom_words *w, const char *key);

/* Takes a plain decimal number min..max without leading zeros. */
bool loom_words_number(struct loom_words *w, const char *key, uint32_t min, uint32_t max,
                       uint32_t *value);

/* Value of a hexadecimal digit; -1: it is none. */
int loom_words_hex(char c);

/* Takes a number as tools print it: zeros may lead; hexadecimal after 0x if `hex`. At most `max`.
 */
bool loom_words_lax_number(struct loom_words *w, const char *key, bool hex, uint32_t max,
                           uint32_t *value);

/* Takes 1..16 hexadecimal digits. */
bool loom_words_guid(struct loom_words *w, uint64_t *guid);

/* loom_fail for this line. Always returns false. */
#ifdef __GNUC__
__attribute__((format(printf, 3, 4)))
#endif
bool loom_words_refuse(const struct loom_words *w, const char *key, const char *format, ...);

#endif

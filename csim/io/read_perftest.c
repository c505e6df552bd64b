/* SPDX-License-Identifier: Apache-2.0 */
#include "io/read_perftest.h"

#include <stdio.h>
#include <string.h>

#include "io/words.h"

enum { COLUMNS = 5, AVERAGE = 3, DIGITS = 6, MILLION = 1000000, MTU_MAX = 65536 };
#define BANDWIDTH_MAX (UINT64_C(100000) * MILLION) /* in its unit, with 6 decimals */

struct reader {
  struct loom_words words;
  struct loom_perftest *result;
  uint64_t bits; /* a unit of the bandwidth, bits a second; 0: no heading yet */
  bool rows;     /* there was a row of figures */
  bool ended;    /* the last line is the rule that ends the output */
};

static bool has(const struct loom_words *w, const char *text) {
  size_t size = strlen(text);
  for (const char *c = w->at; (size_t)(w->end - c) >= size; c++)
    if (!memcmp(c, text, size))
      return true;
  return false;
}

/* ` #bytes     #iterations    BW peak[Gb/sec]    BW average[Gb/sec]   MsgRate[Mpps]` */
static bool read_heading(struct reader *r) {
  if (r->bits)
    return loom_words_refuse(&r->words, "#bytes", "stands twice: one test a file");
  if (has(&r->words, "BW average[Gb/sec]"))
    r->bits = 1000000000;
  else if (has(&r->words, "BW average[MB/sec]"))
    r->bits = UINT64_C(8) << 20; /* perftest's MB are 2^20 bytes */
  return r->bits ||
         loom_words_refuse(&r->words, "#bytes", "has no `BW average` in Gb/sec or MB/sec");
}

/* A number of a row; the text is that of the word. */
static bool read_figure(const struct loom_words *w, const char *key, const char *word, size_t size,
                        unsigned digits, uint64_t max, uint64_t *value) {
  char text[32];
  snprintf(text, sizeof text, "%.*s", (int)(size < sizeof text ? size : sizeof text - 1), word);
  return (size < sizeof text && loom_decimal(text, digits, max, value) == LOOM_DECIMAL_OK) ||
         loom_words_refuse(w, key, "`%.30s` is not a number here", text);
}

static bool read_row(struct reader *r) {
  struct loom_words *w = &r->words;
  if (r->rows)
    return loom_words_refuse(w, "#bytes", "messages of more than one size");
  for (unsigned column = 0; column < COLUMNS; column++) {
    loom_words_skip_blanks(w);
    const char *word = w->at;
    loom_words_skip_word(w);
    size_t size = (size_t)(w->at - word);
    uint64_t value = 0;
    if (!size)
      return loom_words_refuse(w, "#bytes", "has %u of %d figures", column, COLUMNS);
    if (column == 0 && !read_figure(w, "#bytes", word, size, 0, UINT32_MAX, &r->result->message))
      return false;
    if (column == AVERAGE &&
        !read_figure(w, "BW average", word, size, DIGITS, BANDWIDTH_MAX, &value))
      return false;
    if (column == AVERAGE)
      r->result->bandwidth = value / MILLION * r->bits + value % MILLION * r->bits / MILLION;
  }
  r->rows = true;
  return true;
}

/* ` Mtu             : 4096[B]` */
static bool read_mtu(struct reader *r) {
  struct loom_words *w = &r->words;
  loom_words_skip_blanks(w);
  if (!loom_words_take(w, ":"))
    return loom_words_refuse(w, "Mtu", "must be `Mtu : BYTES[B]`");
  loom_words_skip_blanks(w);
  return loom_words_number(w, "Mtu", 1, MTU_MAX, &r->result->mtu) &&
         (loom_words_take(w, "[B]") || loom_words_refuse(w, "Mtu", "must be `Mtu : BYTES[B]`"));
}

static bool is_rule(const struct loom_words *w) {
  for (const char *c = w->at; c < w->end; c++)
    if (*c != '-')
      return false;
  return w->end - w->at >= 20;
}

static bool read_line(struct reader *r) {
  struct loom_words *w = &r->words;
  loom_words_skip_blanks(w);
  loom_words_cut_blanks(w);
  if (w->at == w->end)
    return true;
  r->ended = is_rule(w) && w->next[-1] == '\n';
  if (loom_words_take(w, "#bytes"))
    return read_heading(r);
  if (loom_words_take(w, "Mtu "))
    return read_mtu(r);
  if (r->bits && !is_rule(w) && (!r->rows || loom_words_is_digit(*w->at)))
    return read_row(r);
  return true;
}

bool loom_read_perftest(struct loom_perftest *result, const struct loom_source *src,
                        struct loom_error *err) {
  struct reader r = {.words = {.src = src, .err = err}, .result = result};
  memset(result, 0, sizeof *result);
  while (loom_words_line(&r.words))
    if (!read_line(&r))
      return false;
  if (!r.rows)
    return loom_fail(err, src->name, r.words.line, "#bytes", "there is no result of ib_send_bw");
  return r.ended || loom_fail(err, src->name, r.words.line, "line",
                              "the output is cut short: it ends without a line of dashes");
}

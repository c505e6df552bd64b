/* SPDX-License-Identifier: Apache-2.0 */
#include "io/read_vlarb.h"

#include <inttypes.h>
#include <string.h>

#include "io/words.h"

/* A table being read. */
struct cursor {
  struct loom_words words;
  struct loom_vlarb_table *table;
  uint32_t promised; /* entries by the first line, 0: it does not say */
};

/* How the entries of a file are written; the first line decides. */
enum syntax { SYNTAX_UNKNOWN, SYNTAX_CSV, SYNTAX_OPENSM };

/* Blanks may stand around it. */
static bool read_number(struct loom_words *w, const char *key, uint32_t min, uint32_t max,
                        uint32_t *value) {
  loom_words_skip_blanks(w);
  if (w->at < w->end && !loom_words_is_digit(*w->at))
    return loom_words_refuse(w, key, "`%.*s` is not a number",
                             (int)(w->end - w->at > 20 ? 20 : w->end - w->at), w->at);
  if (!loom_words_number(w, key, min, max, value))
    return false;
  loom_words_skip_blanks(w);
  return true;
}

/* `vl SEPARATOR weight`; the separator must be the one of the file. */
static bool read_entry(struct cursor *c, enum syntax *syntax) {
  struct loom_words *w = &c->words;
  uint32_t vl = 0;
  uint32_t weight = 0;
  if (c->table->count == LOOM_VLARB_TABLE)
    return loom_words_refuse(w, "entry", "more than %d entries", LOOM_VLARB_TABLE);
  if (c->promised && c->table->count == c->promised)
    return loom_words_refuse(w, "entries", "more entries than the first line says");
  if (!read_number(w, "vl", 0, LOOM_IB_VLS - 1, &vl))
    return false;
  if (vl == LOOM_IB_VLS - 1)
    return loom_words_refuse(w, "vl", "VL15 is management traffic and stands in no table");
  if (w->at == w->end || (*w->at != ',' && *w->at != ':'))
    return loom_words_refuse(w, "entry", "must be `vl,weight` or `vl:weight`");
  enum syntax here = *w->at == ':' ? SYNTAX_OPENSM : SYNTAX_CSV;
  if (*syntax != SYNTAX_UNKNOWN && *syntax != here)
    return loom_words_refuse(w, "entry", "`vl,weight` and `vl:weight` in one file");
  *syntax = here;
  w->at++;
  if (!read_number(w, "weight", 0, 255, &weight))
    return false;
  c->table->entry[c->table->count++] =
      (struct loom_vlarb_entry){.vl = (uint8_t)vl, .weight = (uint8_t)weight};
  return true;
}

/* An OpenSM option name such as `qos_swe_vlarb_high` may stand before the list; it must name this
 * table. */
static bool skip_option(struct loom_words *w, enum loom_vlarb_side side) {
  static const char *const prefix[] = {"qos_", "qos_ca_", "qos_sw0_", "qos_swe_", "qos_rtr_"};
  const char *name = side == LOOM_VLARB_SIDE_HIGH ? "vlarb_high" : "vlarb_low";
  const char *start = w->at;
  loom_words_skip_word(w);
  size_t length = (size_t)(w->at - start);
  for (size_t i = 0; i < sizeof prefix / sizeof prefix[0]; i++) {
    size_t head = strlen(prefix[i]);
    if (length == head + strlen(name) && !memcmp(start, prefix[i], head) &&
        !memcmp(start + head, name, length - head))
      return true;
  }
  return loom_words_refuse(w, "option", "`%.*s` is not the option of a %s table",
                           (int)(length > 40 ? 40 : length), start,
                           side == LOOM_VLARB_SIDE_HIGH ? "high" : "low");
}

static bool read_line(struct cursor *c, enum syntax *syntax, enum loom_vlarb_side side) {
  struct loom_words *w = &c->words;
  loom_words_skip_blanks(w);
  if (w->at == w->end)
    return true;
  if (*w->at == 'q' && !skip_option(w, side))
    return false;
  for (;;) {
    if (!read_entry(c, syntax))
      return false;
    if (w->at == w->end)
      return true;
    if (*syntax != SYNTAX_OPENSM || *w->at != ',')
      return loom_words_refuse(w, "entry", "something follows the weight");
    w->at++;
  }
}

/* A first line `# entries: N` promises N entries and an end of the line after the last, so that no
 * part of the file can be missing. */
static bool read_promise(struct cursor *c) {
  struct loom_words *w = &c->words;
  bool ok = true;
  if (loom_words_line(w) && loom_words_take(w, "# entries:"))
    ok = read_number(w, "entries", 1, LOOM_VLARB_TABLE, &c->promised) &&
         (w->at == w->end || loom_words_refuse(w, "entries", "something follows the number"));
  w->line = 0;
  return ok;
}

/* After the line with the last promised entry comes nothing. */
static bool check_promise(const struct cursor *c) {
  const struct loom_words *w = &c->words;
  const char *stop = w->src->text + w->src->size;
  if (c->table->count < c->promised) {
    return w->next < stop ||
           loom_words_refuse(w, "entries", "the file is cut short: %zu of %" PRIu32 " entries",
                             c->table->count, c->promised);
  }
  if (stop[-1] != '\n')
    return loom_words_refuse(w, "entries", "the file is cut short: the last line does not end");
  return w->next == stop || loom_words_refuse(w, "entries", "something follows the last entry");
}

bool loom_read_vlarb(struct loom_vlarb_table *table, const struct loom_source *src,
                     enum loom_vlarb_side side, struct loom_error *err) {
  struct cursor c = {.words = {.src = src, .err = err}, .table = table};
  enum syntax syntax = SYNTAX_UNKNOWN;
  unsigned sum = 0;
  table->count = 0;
  if (!read_promise(&c))
    return false;
  while (loom_words_line(&c.words)) {
    loom_words_cut_comment(&c.words);
    if (!read_line(&c, &syntax, side) || (c.promised && !check_promise(&c)))
      return false;
  }
  if (!table->count)
    return loom_fail(err, src->name, c.words.line, "entry", "the table has no entry");
  for (size_t i = 0; i < table->count; i++)
    sum += table->entry[i].weight;
  if (side == LOOM_VLARB_SIDE_HIGH && !sum)
    return loom_fail(err, src->name, c.words.line, "weight", "no entry has a weight above 0");
  return true;
}

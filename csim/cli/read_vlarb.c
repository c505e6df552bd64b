#include "cli/read_vlarb.h"

#include <string.h>

/* One line being read. */
struct cursor {
  const struct loom_source *src;
  struct loom_error *err;
  struct loom_vlarb_table *table;
  const char *at;
  const char *end; /* of the line, before a comment */
  size_t line;
  unsigned promised; /* entries by the first line, 0: it does not say */
};

/* How the entries of a file are written; the first line decides. */
enum syntax { SYNTAX_UNKNOWN, SYNTAX_CSV, SYNTAX_OPENSM };

static bool is_digit(char c) { return c >= '0' && c <= '9'; }

static bool is_blank(char c) { return c == ' ' || c == '\t'; }

static void skip_blanks(struct cursor *c) {
  while (c->at < c->end && is_blank(*c->at))
    c->at++;
}

static bool refuse(const struct cursor *c, const char *key, const char *message) {
  return loom_fail(c->err, c->src->name, c->line, key, "%s", message);
}

static bool read_number(struct cursor *c, const char *key, unsigned min, unsigned max,
                        unsigned *out) {
  unsigned value = 0;
  skip_blanks(c);
  if (c->at == c->end)
    return refuse(c, key, "missing number");
  if (!is_digit(*c->at))
    return loom_fail(c->err, c->src->name, c->line, key, "`%.*s` is not a number",
                     (int)(c->end - c->at > 20 ? 20 : c->end - c->at), c->at);
  const char *start = c->at;
  for (; c->at < c->end && is_digit(*c->at); c->at++)
    if (value <= max)
      value = value * 10 + (unsigned)(*c->at - '0');
  if (*start == '0' && c->at - start > 1)
    return refuse(c, key, "number with a leading zero");
  if (value < min || value > max)
    return loom_fail(c->err, c->src->name, c->line, key, "%.*s is outside %u..%u",
                     (int)(c->at - start > 20 ? 20 : c->at - start), start, min, max);
  *out = value;
  skip_blanks(c);
  return true;
}

/* `vl SEPARATOR weight`; the separator must be the one of the file. */
static bool read_entry(struct cursor *c, enum syntax *syntax) {
  unsigned vl = 0;
  unsigned weight = 0;
  if (c->table->count == LOOM_VLARB_TABLE)
    return loom_fail(c->err, c->src->name, c->line, "entry", "more than %d entries",
                     LOOM_VLARB_TABLE);
  if (c->promised && c->table->count == c->promised)
    return refuse(c, "entries", "more entries than the first line says");
  if (!read_number(c, "vl", 0, LOOM_VLARB_VLS - 1, &vl))
    return false;
  if (vl == LOOM_VLARB_VLS - 1)
    return refuse(c, "vl", "VL15 is management traffic and stands in no table");
  if (c->at == c->end || (*c->at != ',' && *c->at != ':'))
    return refuse(c, "entry", "must be `vl,weight` or `vl:weight`");
  enum syntax here = *c->at == ':' ? SYNTAX_OPENSM : SYNTAX_CSV;
  if (*syntax != SYNTAX_UNKNOWN && *syntax != here)
    return refuse(c, "entry", "`vl,weight` and `vl:weight` in one file");
  *syntax = here;
  c->at++;
  if (!read_number(c, "weight", 0, 255, &weight))
    return false;
  c->table->entry[c->table->count++] =
      (struct loom_vlarb_entry){.vl = (uint8_t)vl, .weight = (uint8_t)weight};
  return true;
}

/* An OpenSM option name such as `qos_swe_vlarb_high` may stand before the list; it must name this
 * table. */
static bool skip_option(struct cursor *c, enum loom_vlarb_side side) {
  static const char *const prefix[] = {"qos_", "qos_ca_", "qos_sw0_", "qos_swe_", "qos_rtr_"};
  const char *name = side == LOOM_VLARB_SIDE_HIGH ? "vlarb_high" : "vlarb_low";
  const char *start = c->at;
  while (c->at < c->end && !is_blank(*c->at))
    c->at++;
  size_t length = (size_t)(c->at - start);
  for (size_t i = 0; i < sizeof prefix / sizeof prefix[0]; i++) {
    size_t head = strlen(prefix[i]);
    if (length == head + strlen(name) && !memcmp(start, prefix[i], head) &&
        !memcmp(start + head, name, length - head))
      return true;
  }
  return loom_fail(c->err, c->src->name, c->line, "option",
                   "`%.*s` is not the option of a %s table", (int)(length > 40 ? 40 : length),
                   start, side == LOOM_VLARB_SIDE_HIGH ? "high" : "low");
}

static bool read_line(struct cursor *c, enum syntax *syntax, enum loom_vlarb_side side) {
  skip_blanks(c);
  if (c->at == c->end)
    return true;
  if (*c->at == 'q' && !skip_option(c, side))
    return false;
  for (;;) {
    if (!read_entry(c, syntax))
      return false;
    if (c->at == c->end)
      return true;
    if (*syntax != SYNTAX_OPENSM || *c->at != ',')
      return refuse(c, "entry", "something follows the weight");
    c->at++;
  }
}

/* Sets the cursor on the line that starts at `start`; returns the start of the next. */
static const char *take_line(struct cursor *c, const char *start) {
  const char *stop = c->src->text + c->src->size;
  const char *newline = memchr(start, '\n', (size_t)(stop - start));
  c->at = start;
  c->end = newline ? newline : stop;
  if (c->end > start && c->end[-1] == '\r')
    c->end--;
  const char *comment = memchr(start, '#', (size_t)(c->end - start));
  if (comment)
    c->end = comment;
  c->line++;
  return newline ? newline + 1 : stop;
}

/* A first line `# entries: N` promises N entries and an end of the line after the last, so that no
 * part of the file can be missing. */
static bool read_promise(const struct loom_source *src, struct loom_error *err,
                         unsigned *promised) {
  static const char mark[] = "# entries:";
  const char *newline = memchr(src->text, '\n', src->size);
  struct cursor c = {.src = src, .err = err, .line = 1};
  if (src->size < sizeof mark - 1 || memcmp(src->text, mark, sizeof mark - 1) != 0)
    return true;
  c.at = src->text + sizeof mark - 1;
  c.end = newline ? newline : src->text + src->size;
  if (c.end[-1] == '\r')
    c.end--;
  if (!read_number(&c, "entries", 1, LOOM_VLARB_TABLE, promised))
    return false;
  return c.at == c.end || refuse(&c, "entries", "something follows the number");
}

/* After the line with the last promised entry comes nothing. */
static bool check_promise(const struct cursor *c, const char *next) {
  const char *stop = c->src->text + c->src->size;
  if (c->table->count < c->promised) {
    return next < stop ||
           loom_fail(c->err, c->src->name, c->line, "entries",
                     "the file is cut short: %zu of %u entries", c->table->count, c->promised);
  }
  if (stop[-1] != '\n')
    return refuse(c, "entries", "the file is cut short: the last line does not end");
  return next == stop || refuse(c, "entries", "something follows the last entry");
}

bool loom_read_vlarb(struct loom_vlarb_table *table, const struct loom_source *src,
                     enum loom_vlarb_side side, struct loom_error *err) {
  struct cursor c = {.src = src, .err = err, .table = table};
  enum syntax syntax = SYNTAX_UNKNOWN;
  unsigned sum = 0;
  table->count = 0;
  if (!read_promise(src, err, &c.promised))
    return false;
  for (const char *next = src->text; next < src->text + src->size;) {
    next = take_line(&c, next);
    if (!read_line(&c, &syntax, side) || (c.promised && !check_promise(&c, next)))
      return false;
  }
  if (!table->count)
    return loom_fail(err, src->name, c.line, "entry", "the table has no entry");
  for (size_t i = 0; i < table->count; i++)
    sum += table->entry[i].weight;
  if (side == LOOM_VLARB_SIDE_HIGH && !sum)
    return loom_fail(err, src->name, c.line, "weight", "no entry has a weight above 0");
  return true;
}

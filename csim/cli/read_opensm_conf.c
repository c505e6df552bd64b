#include "cli/read_opensm_conf.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum what { MAX_VLS, HIGH_LIMIT, VLARB_HIGH, VLARB_LOW, SL2VL, WHATS };

struct reader {
  const struct loom_source *src;
  struct loom_error *err;
  struct loom_opensm_conf *conf;
  char key[32];
  const char *at; /* the value */
  const char *end;
  size_t line;
  unsigned options; /* of QoS, so far */
  bool qos_given;
  bool given[LOOM_OPENSM_PORTS][WHATS];
};

static bool refuse(const struct reader *r, const char *message) {
  return loom_fail(r->err, r->src->name, r->line, r->key, "%s", message);
}

static bool is_blank(char c) { return c == ' ' || c == '\t'; }

static bool is(const struct reader *r, const char *text) {
  return (size_t)(r->end - r->at) == strlen(text) && !memcmp(r->at, text, (size_t)(r->end - r->at));
}

/* ---- values ---------------------------------------------------------------------------------- */

/* The number up to `stop`. */
static bool read_number(const struct reader *r, const char *start, const char *stop, uint64_t max,
                        uint8_t *value) {
  char text[16];
  uint64_t number = 0;
  size_t size = (size_t)(stop - start);
  snprintf(text, sizeof text, "%.*s", (int)(size < 15 ? size : 15), start);
  if (loom_decimal(text, 0, max, &number) != LOOM_DECIMAL_OK || size > 3)
    return loom_fail(r->err, r->src->name, r->line, r->key,
                     "`%.20s` is not a whole number up to %" PRIu64, text, max);
  *value = (uint8_t)number;
  return true;
}

/* OpenSM's own default where it is 0. */
static bool read_max_vls(const struct reader *r, struct loom_opensm_qos *q) {
  if (!read_number(r, r->at, r->end, 15, &q->max_vls))
    return false;
  q->max_vls_given = q->max_vls != 0;
  return true;
}

/* OpenSM's own default where it is -1. */
static bool read_high_limit(const struct reader *r, struct loom_opensm_qos *q) {
  if (is(r, "-1"))
    return true;
  q->high_limit_given = true;
  return read_number(r, r->at, r->end, 255, &q->high_limit);
}

/* The list, in its line, as a file of its own. */
static bool read_vlarb(const struct reader *r, struct loom_vlarb_table *table,
                       enum loom_vlarb_side side) {
  size_t size = (size_t)(r->end - r->at);
  struct loom_source part = {.name = r->src->name, .size = r->line - 1 + size};
  part.text = malloc(part.size + 1);
  if (!part.text)
    return loom_fail(r->err, r->src->name, 0, "file", "out of memory");
  memset(part.text, '\n', r->line - 1);
  memcpy(part.text + r->line - 1, r->at, size);
  part.text[part.size] = 0;
  bool ok = loom_read_vlarb(table, &part, side, r->err);
  loom_source_free(&part);
  return ok;
}

static bool read_sl2vl(const struct reader *r, struct loom_opensm_qos *q) {
  const char *at = r->at;
  for (unsigned sl = 0; sl < LOOM_OPENSM_SLS; sl++) {
    const char *stop = memchr(at, ',', (size_t)(r->end - at));
    bool last = sl + 1 == LOOM_OPENSM_SLS;
    if (last != !stop)
      return refuse(r, "must be the VLs of 16 SLs, with commas between");
    if (!read_number(r, at, last ? r->end : stop, LOOM_OPENSM_DROP, &q->sl2vl[sl]))
      return false;
    at = last ? r->end : stop + 1;
  }
  q->sl2vl_given = true;
  return true;
}

static bool read_value(const struct reader *r, enum what what, struct loom_opensm_qos *q) {
  if (is(r, "(null)"))
    return true;
  switch (what) {
  case MAX_VLS:
    return read_max_vls(r, q);
  case HIGH_LIMIT:
    return read_high_limit(r, q);
  case VLARB_HIGH:
    return read_vlarb(r, &q->high, LOOM_VLARB_SIDE_HIGH);
  case VLARB_LOW:
    return read_vlarb(r, &q->low, LOOM_VLARB_SIDE_LOW);
  case SL2VL:
    return read_sl2vl(r, q);
  case WHATS:
    break;
  }
  return true;
}

/* ---- options --------------------------------------------------------------------------------- */

static bool read_switch(struct reader *r) {
  if (r->qos_given)
    return refuse(r, "stands twice");
  r->qos_given = true;
  r->options++;
  r->conf->qos = is(r, "TRUE");
  return r->conf->qos || is(r, "FALSE") || refuse(r, "must be TRUE or FALSE");
}

/* `qos_swe_sl2vl` and the like; the longest prefixes first. */
static bool read_option(struct reader *r) {
  static const char *const prefix[] = {"qos_", "qos_ca_", "qos_sw0_", "qos_swe_", "qos_rtr_"};
  static const char *const name[] = {"max_vls", "high_limit", "vlarb_high", "vlarb_low", "sl2vl"};
  for (unsigned p = LOOM_OPENSM_PORTS; p--;)
    for (unsigned w = 0; w < WHATS; w++) {
      size_t head = strlen(prefix[p]);
      if (strncmp(r->key, prefix[p], head) != 0 || strcmp(r->key + head, name[w]) != 0)
        continue;
      if (r->given[p][w])
        return refuse(r, "stands twice");
      r->given[p][w] = true;
      r->options++;
      return read_value(r, (enum what)w, &r->conf->ports[p]);
    }
  return refuse(r, "is no option of QoS that is known");
}

/* ---- the file -------------------------------------------------------------------------------- */

/* Splits the line that starts at `start` into key and value; the start of the next line. */
static const char *take_line(struct reader *r, const char *start) {
  const char *stop = r->src->text + r->src->size;
  const char *newline = memchr(start, '\n', (size_t)(stop - start));
  r->end = newline ? newline : stop;
  r->at = start;
  r->line++;
  if (*start != '#') {
    const char *comment = memchr(start, '#', (size_t)(r->end - start));
    r->end = comment ? comment : r->end;
  }
  while (r->end > start && (is_blank(r->end[-1]) || r->end[-1] == '\r'))
    r->end--;
  while (r->at < r->end && is_blank(*r->at))
    r->at++;
  const char *word = r->at;
  while (r->at < r->end && !is_blank(*r->at))
    r->at++;
  size_t size = (size_t)(r->at - word);
  snprintf(r->key, sizeof r->key, "%.*s", (int)(size < sizeof r->key ? size : sizeof r->key - 1),
           word);
  while (r->at < r->end && is_blank(*r->at))
    r->at++;
  return newline ? newline + 1 : stop;
}

static bool read_line(struct reader *r) {
  if (!strcmp(r->key, "qos"))
    return read_switch(r);
  if (strncmp(r->key, "qos_", 4) != 0 || !strcmp(r->key, "qos_policy_file"))
    return true;
  return r->at < r->end ? read_option(r) : refuse(r, "has no value");
}

/* A first line `# options: N` promises N options of QoS and an end of the last line. */
static bool check_promise(struct reader *r) {
  static const char mark[] = "# options: ";
  uint8_t promised = 0;
  size_t last = r->line;
  if (r->src->size < sizeof mark - 1 || memcmp(r->src->text, mark, sizeof mark - 1) != 0)
    return true;
  const char *start = r->src->text + sizeof mark - 1;
  const char *stop = memchr(start, '\n', r->src->size - (sizeof mark - 1));
  strcpy(r->key, "options");
  r->line = 1;
  if (!read_number(r, start, stop ? stop : r->src->text + r->src->size, 255, &promised))
    return false;
  r->line = last;
  if (promised != r->options)
    return loom_fail(r->err, r->src->name, last, "options",
                     "the file has %u, the first line says %u", r->options, (unsigned)promised);
  return r->src->text[r->src->size - 1] == '\n' ||
         refuse(r, "the file is cut short: the last line does not end");
}

bool loom_read_opensm_conf(struct loom_opensm_conf *conf, const struct loom_source *src,
                           struct loom_error *err) {
  struct reader r = {.src = src, .err = err, .conf = conf};
  memset(conf, 0, sizeof *conf);
  err->line[0] = 0;
  for (const char *next = src->text; next < src->text + src->size;) {
    next = take_line(&r, next);
    if (!read_line(&r))
      return false;
  }
  if (!r.options)
    return loom_fail(err, src->name, r.line, "qos", "the file has no option of QoS");
  return check_promise(&r);
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "io/read_opensm_conf.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/words.h"

const char *const loom_opensm_prefix[LOOM_OPENSM_PORTS] = {"qos_", "qos_ca_", "qos_sw0_",
                                                           "qos_swe_", "qos_rtr_"};

enum what { MAX_VLS, HIGH_LIMIT, VLARB_HIGH, VLARB_LOW, SL2VL, WHATS };

struct reader {
  struct loom_words words; /* of the value */
  struct loom_opensm_conf *conf;
  char key[32];
  unsigned options; /* of QoS, so far */
  bool qos_given;
  bool given[LOOM_OPENSM_PORTS][WHATS];
};

static bool refuse(const struct reader *r, const char *message) {
  return loom_words_refuse(&r->words, r->key, "%s", message);
}

static bool is(const struct reader *r, const char *text) {
  const struct loom_words *w = &r->words;
  return (size_t)(w->end - w->at) == strlen(text) && !memcmp(w->at, text, (size_t)(w->end - w->at));
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
    return loom_words_refuse(&r->words, r->key, "`%.20s` is not a whole number up to %" PRIu64,
                             text, max);
  *value = (uint8_t)number;
  return true;
}

/* OpenSM's own default where it is 0. */
static bool read_max_vls(const struct reader *r, struct loom_opensm_qos *q) {
  if (!read_number(r, r->words.at, r->words.end, 15, &q->max_vls))
    return false;
  q->max_vls_given = q->max_vls != 0;
  return true;
}

/* OpenSM's own default where it is -1. */
static bool read_high_limit(const struct reader *r, struct loom_opensm_qos *q) {
  if (is(r, "-1"))
    return true;
  q->high_limit_given = true;
  return read_number(r, r->words.at, r->words.end, 255, &q->high_limit);
}

/* The list, in its line, as a file of its own. */
static bool read_vlarb(const struct reader *r, struct loom_vlarb_table *table,
                       enum loom_vlarb_side side) {
  const struct loom_words *w = &r->words;
  size_t size = (size_t)(w->end - w->at);
  struct loom_source part = {.name = w->src->name, .size = w->line - 1 + size};
  part.text = malloc(part.size + 1);
  if (!part.text)
    return loom_fail(w->err, w->src->name, 0, "file", "out of memory");
  memset(part.text, '\n', w->line - 1);
  memcpy(part.text + w->line - 1, w->at, size);
  part.text[part.size] = 0;
  bool ok = loom_read_vlarb(table, &part, side, w->err);
  loom_source_free(&part);
  return ok;
}

static bool read_sl2vl(const struct reader *r, struct loom_opensm_qos *q) {
  const struct loom_words *w = &r->words;
  const char *at = w->at;
  for (unsigned sl = 0; sl < LOOM_OPENSM_SLS; sl++) {
    const char *stop = memchr(at, ',', (size_t)(w->end - at));
    bool last = sl + 1 == LOOM_OPENSM_SLS;
    if (last != !stop)
      return refuse(r, "must be the VLs of 16 SLs, with commas between");
    if (!read_number(r, at, last ? w->end : stop, LOOM_OPENSM_DROP, &q->sl2vl[sl]))
      return false;
    at = last ? w->end : stop + 1;
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
  static const char *const name[] = {"max_vls", "high_limit", "vlarb_high", "vlarb_low", "sl2vl"};
  for (unsigned p = LOOM_OPENSM_PORTS; p--;)
    for (unsigned w = 0; w < WHATS; w++) {
      size_t head = strlen(loom_opensm_prefix[p]);
      if (strncmp(r->key, loom_opensm_prefix[p], head) != 0 || strcmp(r->key + head, name[w]) != 0)
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

/* Splits the next line into key and value; false: there is none. */
static bool take_line(struct reader *r) {
  struct loom_words *w = &r->words;
  if (!loom_words_line(w))
    return false;
  loom_words_cut_comment(w);
  while (w->end > w->at && (loom_words_is_blank(w->end[-1]) || w->end[-1] == '\r'))
    w->end--;
  loom_words_skip_blanks(w);
  const char *key = w->at;
  loom_words_skip_word(w);
  size_t size = (size_t)(w->at - key);
  snprintf(r->key, sizeof r->key, "%.*s", (int)(size < sizeof r->key ? size : sizeof r->key - 1),
           key);
  loom_words_skip_blanks(w);
  return true;
}

static bool read_line(struct reader *r) {
  if (!strcmp(r->key, "qos"))
    return read_switch(r);
  if (strncmp(r->key, "qos_", 4) != 0 || !strcmp(r->key, "qos_policy_file"))
    return true;
  return r->words.at < r->words.end ? read_option(r) : refuse(r, "has no value");
}

/* A first line `# options: N` promises N options of QoS and an end of the last line. */
static bool check_promise(struct reader *r) {
  static const char mark[] = "# options: ";
  struct loom_words *w = &r->words;
  uint8_t promised = 0;
  size_t last = w->line;
  if (w->src->size < sizeof mark - 1 || memcmp(w->src->text, mark, sizeof mark - 1) != 0)
    return true;
  const char *start = w->src->text + sizeof mark - 1;
  const char *stop = memchr(start, '\n', w->src->size - (sizeof mark - 1));
  strcpy(r->key, "options");
  w->line = 1;
  if (!read_number(r, start, stop ? stop : w->src->text + w->src->size, 255, &promised))
    return false;
  w->line = last;
  if (promised != r->options)
    return loom_fail(w->err, w->src->name, last, "options",
                     "the file has %u, the first line says %u", r->options, (unsigned)promised);
  return w->src->text[w->src->size - 1] == '\n' ||
         refuse(r, "the file is cut short: the last line does not end");
}

bool loom_read_opensm_conf(struct loom_opensm_conf *conf, const struct loom_source *src,
                           struct loom_error *err) {
  struct reader r = {.words = {.src = src, .err = err}, .conf = conf};
  memset(conf, 0, sizeof *conf);
  err->line[0] = 0;
  while (take_line(&r))
    if (!read_line(&r))
      return false;
  if (!r.options)
    return loom_fail(err, src->name, r.words.line, "qos", "the file has no option of QoS");
  return check_promise(&r);
}

bool loom_load_opensm_conf(struct loom_opensm_conf *conf, const char *file,
                           struct loom_error *err) {
  struct loom_source src;
  if (!loom_source_read(&src, file, err))
    return false;
  bool ok = loom_read_opensm_conf(conf, &src, err);
  loom_source_free(&src);
  return ok;
}

/* VL 0 is the only one with a weight in the high table and the only one without in the low. */
static struct loom_vlarb_table default_table(uint8_t weight_of_0, uint8_t weight) {
  struct loom_vlarb_table t = {.count = LOOM_IB_VLS - 1};
  for (uint32_t vl = 0; vl < LOOM_IB_VLS - 1; vl++)
    t.entry[vl] = (struct loom_vlarb_entry){.vl = (uint8_t)vl, .weight = vl ? weight : weight_of_0};
  return t;
}

/* What OpenSM takes where its file says nothing: hard-coded there, listed in opensm(8). */
static void set_defaults(struct loom_opensm_qos *q) {
  enum { MAX_VLS_OF_OPENSM = 15, WEIGHT = 4, VL_OF_SL_15 = 7 };
  q->defaults = (q->max_vls_given ? 0 : LOOM_OPENSM_MAX_VLS) |
                (q->high_limit_given ? 0 : LOOM_OPENSM_HIGH_LIMIT) |
                (q->high.count ? 0 : LOOM_OPENSM_VLARB_HIGH) |
                (q->low.count ? 0 : LOOM_OPENSM_VLARB_LOW) |
                (q->sl2vl_given ? 0 : LOOM_OPENSM_SL2VL);
  if (!q->max_vls_given)
    q->max_vls = MAX_VLS_OF_OPENSM;
  if (!q->high_limit_given)
    q->high_limit = 0;
  if (!q->high.count)
    q->high = default_table(WEIGHT, 0);
  if (!q->low.count)
    q->low = default_table(0, WEIGHT);
  for (uint8_t sl = 0; !q->sl2vl_given && sl < LOOM_OPENSM_SLS; sl++)
    q->sl2vl[sl] = sl < LOOM_OPENSM_SLS - 1 ? sl : VL_OF_SL_15;
}

struct loom_opensm_qos loom_opensm_of(const struct loom_opensm_conf *conf,
                                      enum loom_opensm_ports ports) {
  const struct loom_opensm_qos *all = &conf->ports[LOOM_OPENSM_ALL];
  struct loom_opensm_qos q = conf->ports[ports];
  if (!q.max_vls_given) {
    q.max_vls_given = all->max_vls_given;
    q.max_vls = all->max_vls;
  }
  if (!q.high_limit_given) {
    q.high_limit_given = all->high_limit_given;
    q.high_limit = all->high_limit;
  }
  if (!q.high.count)
    q.high = all->high;
  if (!q.low.count)
    q.low = all->low;
  if (!q.sl2vl_given) {
    q.sl2vl_given = all->sl2vl_given;
    memcpy(q.sl2vl, all->sl2vl, sizeof q.sl2vl);
  }
  set_defaults(&q);
  return q;
}

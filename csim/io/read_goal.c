/* SPDX-License-Identifier: Apache-2.0 */
#include "io/read_goal.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "vef/vef_text.h"

enum { NS_PS = 1000 }; /* times of GOAL are nanoseconds */

/* A label of the rank that is read. */
struct label {
  const char *text;
  uint32_t length;
  uint32_t node;
};

struct reader {
  struct loom_vef_graph *graph;
  const char *name, *at, *stop;
  size_t line;
  struct loom_error *err;
  uint8_t *seen;       /* by rank: its block was there */
  uint32_t rank;       /* whose block is open, or LOOM_VEF_NONE */
  struct label *label; /* a hash table */
  size_t labels, room; /* a power of two */
};

static bool refuse(const struct reader *r, const char *key, const char *message) {
  return loom_fail(r->err, r->name, r->line, key, "%s", message);
}

static bool no_memory(const struct reader *r) {
  return loom_fail(r->err, r->name, 0, "file", "out of memory");
}

/* ---- words ----------------------------------------------------------------------------------- */

static bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
static bool is_digit(char c) { return c >= '0' && c <= '9'; }

/* Over blanks and comments, not over the end of the line. False: a comment does not end. */
static bool skip(struct reader *r) {
  for (;;) {
    while (r->at < r->stop && (*r->at == ' ' || *r->at == '\t' || *r->at == '\r'))
      r->at++;
    if (r->stop - r->at < 2 || r->at[0] != '/' || (r->at[1] != '/' && r->at[1] != '*'))
      return true;
    bool rest = r->at[1] == '/';
    for (r->at += 2; rest && r->at < r->stop && *r->at != '\n';)
      r->at++;
    while (!rest && r->stop - r->at >= 2 && (r->at[0] != '*' || r->at[1] != '/'))
      r->line += *r->at++ == '\n';
    if (!rest && r->stop - r->at < 2)
      return refuse(r, "file", "is cut short: a comment does not end");
    r->at += rest ? 0 : 2;
  }
}

/* A word of letters, digits and _, of length 0 if something else is next. False: refused. */
static bool take_word(struct reader *r, struct loom_vef_word *word) {
  if (!skip(r))
    return false;
  word->text = r->at;
  while (r->at < r->stop && (is_letter(*r->at) || is_digit(*r->at) || *r->at == '_'))
    r->at++;
  word->length = (size_t)(r->at - word->text);
  return true;
}

static bool take_number(struct reader *r, const char *key, uint64_t max, uint64_t *value) {
  if (!skip(r))
    return false;
  *value = 0;
  if (r->at < r->stop && *r->at == '-')
    return refuse(r, key, "is any that comes: only a schedule that names all can be replayed");
  if (r->at == r->stop || !is_digit(*r->at))
    return refuse(r, key, "is not a number");
  for (; r->at < r->stop && is_digit(*r->at); r->at++) {
    *value = *value * 10 + (uint64_t)(*r->at - '0');
    if (*value > max)
      return loom_fail(r->err, r->name, r->line, key, "is above %" PRIu64, max);
  }
  return true;
}

static bool take_sign(struct reader *r, char sign) {
  if (!skip(r))
    return false;
  if (r->at == r->stop || *r->at != sign)
    return loom_fail(r->err, r->name, r->line, "line", "has no `%c` where there must be one", sign);
  r->at++;
  return true;
}

static bool take_given(struct reader *r, const char *text) {
  struct loom_vef_word word;
  if (!take_word(r, &word))
    return false;
  return loom_vef_same(&word, text) ||
         loom_fail(r->err, r->name, r->line, "line", "has no `%s` where there must be one", text);
}

static bool end_line(struct reader *r) {
  if (!skip(r))
    return false;
  if (r->at == r->stop)
    return refuse(r, "file", "is cut short: the last line does not end");
  if (*r->at != '\n')
    return refuse(r, "line", "is followed by something");
  r->at++;
  r->line++;
  return true;
}

/* ---- labels ---------------------------------------------------------------------------------- */

static struct label *place_of(const struct reader *r, const struct loom_vef_word *word) {
  uint64_t hash = UINT64_C(0xCBF29CE484222325);
  for (size_t i = 0; i < word->length; i++)
    hash = (hash ^ (uint8_t)word->text[i]) * UINT64_C(0x100000001B3);
  size_t at = (size_t)(hash >> 7) & (r->room - 1);
  while (r->label[at].text && (r->label[at].length != word->length ||
                               memcmp(r->label[at].text, word->text, word->length) != 0))
    at = (at + 1) & (r->room - 1);
  return &r->label[at];
}

static bool more_labels(struct reader *r) {
  struct reader old = *r;
  r->room = old.room ? 2 * old.room : 64;
  r->label = calloc(r->room, sizeof *r->label);
  if (!r->label) {
    *r = old;
    return no_memory(r);
  }
  for (size_t i = 0; i < old.room; i++)
    if (old.label[i].text) {
      struct loom_vef_word word = {old.label[i].text, old.label[i].length};
      *place_of(r, &word) = old.label[i];
    }
  free(old.label);
  return true;
}

/* The next node gets this label. */
static bool add_label(struct reader *r, const struct loom_vef_word *word) {
  if (2 * r->labels >= r->room && !more_labels(r))
    return false;
  struct label *place = place_of(r, word);
  if (place->text)
    return refuse(r, "label", "stands twice");
  *place = (struct label){word->text, (uint32_t)word->length, r->graph->nodes};
  r->labels++;
  return true;
}

static bool take_label(struct reader *r, const struct loom_vef_word *word, uint32_t *node) {
  const struct label *place = r->room ? place_of(r, word) : NULL;
  if (!word->length || !place || !place->text)
    return refuse(r, "label", "is that of no operation above in this rank");
  *node = place->node;
  return true;
}

/* ---- lines ----------------------------------------------------------------------------------- */

/* `tag T`, `cpu C`, `nic N` in any order; the last two say where, which is not kept. */
static bool take_rest(struct reader *r, struct loom_vef_node *node) {
  for (;;) {
    struct loom_vef_word word;
    uint64_t value = 0;
    if (!take_word(r, &word))
      return false;
    if (!word.length)
      return true;
    bool tag = loom_vef_same(&word, "tag") && node->kind != LOOM_VEF_CALC;
    if (!tag && !loom_vef_same(&word, "cpu") && !loom_vef_same(&word, "nic"))
      return refuse(r, "line", "is followed by something");
    if (!take_number(r, tag ? "tag" : "cpu", UINT32_MAX, &value))
      return false;
    if (tag)
      node->tag = (uint32_t)value;
  }
}

static bool take_message(struct reader *r, struct loom_vef_node *node) {
  uint64_t bytes = 0;
  uint64_t peer = 0;
  if (!take_number(r, "bytes", UINT32_MAX, &bytes) || !take_given(r, "b") ||
      !take_given(r, node->kind == LOOM_VEF_SEND ? "to" : "from") ||
      !take_number(r, "rank", r->graph->ranks - 1, &peer))
    return false;
  node->bytes = (uint32_t)bytes;
  node->peer = (uint32_t)peer;
  return true;
}

static bool take_operation(struct reader *r, const struct loom_vef_word *word) {
  struct loom_vef_node node = {.rank = r->rank, .line = (uint32_t)r->line};
  bool calc = loom_vef_same(word, "calc");
  if (!calc && !loom_vef_same(word, "send") && !loom_vef_same(word, "recv"))
    return refuse(r, "operation", "is none of calc, send, recv");
  node.kind = (uint8_t)(calc                          ? LOOM_VEF_CALC
                        : loom_vef_same(word, "send") ? LOOM_VEF_SEND
                                                      : LOOM_VEF_RECV);
  if (!(calc ? take_number(r, "time", LOOM_VEF_DTIME_MAX, &node.time) : take_message(r, &node)) ||
      !take_rest(r, &node))
    return false;
  return loom_vef_graph_node(r->graph, &node) || no_memory(r);
}

/* `A requires B` or `A irequires B`; the first two words are read. */
static bool take_requirement(struct reader *r, const struct loom_vef_word *label, bool start) {
  struct loom_vef_edge edge = {.start = start};
  struct loom_vef_word on;
  if (!take_label(r, label, &edge.node) || !take_word(r, &on) || !take_label(r, &on, &edge.on))
    return false;
  if (edge.node == edge.on)
    return refuse(r, "label", "waits for itself");
  return loom_vef_graph_edge(r->graph, &edge) || no_memory(r);
}

/* A line within a rank that begins with this word. */
static bool take_line(struct reader *r, const struct loom_vef_word *first) {
  static const char *const words[] = {"calc", "send", "recv"};
  struct loom_vef_word second;
  for (unsigned i = 0; i < 3; i++)
    if (loom_vef_same(first, words[i]))
      return take_operation(r, first);
  if (!is_letter(*first->text))
    return refuse(r, "label", "does not begin with a letter");
  if (!take_word(r, &second))
    return false;
  if (loom_vef_same(&second, "requires") || loom_vef_same(&second, "irequires"))
    return take_requirement(r, first, *second.text == 'i');
  if (second.length)
    return refuse(r, "line", "is neither an operation nor a requirement");
  return take_sign(r, ':') && add_label(r, first) && take_word(r, &second) &&
         take_operation(r, &second);
}

/* `rank N {`, its lines, `}`. The first word is read. */
static bool take_rank(struct reader *r) {
  struct loom_vef_word word;
  uint64_t rank = 0;
  if (!take_number(r, "rank", r->graph->ranks - 1, &rank) || !take_sign(r, '{'))
    return false;
  if (r->seen[rank]++)
    return refuse(r, "rank", "stands twice");
  r->rank = (uint32_t)rank;
  r->labels = 0;
  if (r->room)
    memset(r->label, 0, r->room * sizeof *r->label);
  for (;;) {
    if (!take_word(r, &word))
      return false;
    if (word.length && !take_line(r, &word))
      return false;
    if (!word.length && r->at < r->stop && *r->at == '}')
      return take_sign(r, '}');
    if (!end_line(r))
      return false;
  }
}

static bool take_header(struct reader *r) {
  struct loom_vef_word word;
  uint64_t ranks = 0;
  for (;;) {
    if (!take_word(r, &word))
      return false;
    if (word.length)
      break;
    if (!end_line(r))
      return false;
  }
  if (!loom_vef_same(&word, "num_ranks"))
    return refuse(r, "num_ranks", "is missing");
  if (!take_number(r, "num_ranks", LOOM_VEF_TASKS, &ranks))
    return false;
  if (!ranks)
    return refuse(r, "num_ranks", "is 0");
  if (!end_line(r))
    return false;
  r->graph->ranks = (uint32_t)ranks;
  r->graph->clock = NS_PS;
  r->seen = calloc(ranks, sizeof *r->seen);
  return r->seen || no_memory(r);
}

static bool take_ranks(struct reader *r) {
  struct loom_vef_word word;
  for (;;) {
    if (!take_word(r, &word))
      return false;
    if (r->at == r->stop)
      break;
    if (word.length && !loom_vef_same(&word, "rank"))
      return refuse(r, "line", "is outside of a rank");
    if ((word.length && !take_rank(r)) || !end_line(r))
      return false;
  }
  if (word.length)
    return refuse(r, "file", "is cut short: the last line does not end");
  for (uint32_t i = 0; i < r->graph->ranks; i++)
    if (!r->seen[i])
      return loom_fail(r->err, r->name, r->line, "rank", "%" PRIu32 " is missing", i);
  return true;
}

bool loom_read_goal(struct loom_vef_graph *graph, const struct loom_source *src,
                    struct loom_error *err) {
  struct reader r = {.graph = graph,
                     .name = src->name,
                     .at = src->text,
                     .stop = src->text + src->size,
                     .line = 1,
                     .err = err,
                     .rank = LOOM_VEF_NONE};
  *graph = (struct loom_vef_graph){.ranks = 0};
  bool ok = take_header(&r) && take_ranks(&r);
  free(r.seen);
  free(r.label);
  if (!ok)
    loom_vef_graph_free(graph);
  return ok;
}

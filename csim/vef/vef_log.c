/* SPDX-License-Identifier: Apache-2.0 */
/* The log of a rank from text (docs/record.md). */
#include "vef/vef_log.h"

#include <stdlib.h>
#include <string.h>

#include "vef/vef_text.h"

struct reader {
  struct loom_vef_text text;
  struct loom_vef_log *log;
  size_t event_room, comm_room, member_room;
  uint64_t ended; /* what the last line counts */
  bool end;
};

static bool no_memory(struct reader *r) {
  *r->text.error = (struct loom_vef_error){.line = 0, .message = "out of memory"};
  return false;
}

/* Room for one more. */
static bool grow(void *list, size_t size, size_t count, size_t *room) {
  void **at = list;
  if (count < *room)
    return true;
  size_t more = *room ? 2 * *room : 64;
  void *grown = realloc(*at, more * size);
  if (!grown)
    return false;
  *at = grown;
  *room = more;
  return true;
}

static bool take(struct reader *r, const char *key, uint64_t max, uint32_t *value) {
  uint64_t number = 0;
  bool ok = loom_vef_take_number(&r->text, key, 0, max, &number);
  *value = (uint32_t)number;
  return ok;
}

/* ---- lines ----------------------------------------------------------------------------------- */

static bool read_header(struct reader *r) {
  struct loom_vef_word word;
  if (!loom_vef_take_line(&r->text) || !loom_vef_take_word(&r->text, "version", &word))
    return false;
  if (!loom_vef_same(&word, "LOG1"))
    return loom_vef_refuse(&r->text, "version", "is not LOG1");
  if (!take(r, "rank", LOOM_VEF_TASKS - 1, &r->log->rank) ||
      !take(r, "ranks", LOOM_VEF_TASKS, &r->log->ranks))
    return false;
  if (r->log->rank >= r->log->ranks)
    return loom_vef_refuse(&r->text, "rank", "is not below the number of ranks");
  return loom_vef_end_line(&r->text, "ranks");
}

static bool read_member(struct reader *r, size_t first) {
  struct loom_vef_log *l = r->log;
  uint32_t task = 0;
  if (!take(r, "rank", l->ranks - 1, &task))
    return false;
  if (!grow(&l->member, sizeof *l->member, l->members, &r->member_room))
    return no_memory(r);
  if (l->members - first >= l->ranks)
    return loom_vef_refuse(&r->text, "rank", "is one more than there can be");
  l->member[l->members++] = task;
  return true;
}

static int by_number(const void *a, const void *b) {
  uint32_t x = *(const uint32_t *)a;
  uint32_t y = *(const uint32_t *)b;
  return x < y ? -1 : x > y;
}

/* Whether this rank is among the members, and none stands twice. */
static bool check_members(struct reader *r, size_t first, uint32_t size) {
  const struct loom_vef_log *l = r->log;
  bool mine = false;
  uint32_t *sorted = malloc(size * sizeof *sorted);
  if (!sorted)
    return no_memory(r);
  memcpy(sorted, l->member + first, size * sizeof *sorted);
  qsort(sorted, size, sizeof *sorted, by_number);
  bool twice = false;
  for (uint32_t i = 0; i < size; i++) {
    mine = mine || sorted[i] == l->rank;
    twice = twice || (i && sorted[i] == sorted[i - 1]);
  }
  free(sorted);
  if (twice)
    return loom_vef_refuse(&r->text, "rank", "stands twice");
  return mine || loom_vef_refuse(&r->text, "rank", "of this log is not in its communicator");
}

static bool read_comm(struct reader *r) {
  struct loom_vef_log *l = r->log;
  uint32_t number = 0;
  size_t first = l->members;
  if (!take(r, "comm", LOOM_VEF_LOG_TAG, &number))
    return false;
  if (number != l->comms + 2)
    return loom_vef_refuse(&r->text, "comm", "is not the next number");
  while (loom_vef_more(&r->text))
    if (!read_member(r, first))
      return false;
  if (l->members == first)
    return loom_vef_refuse(&r->text, "rank", "is missing");
  uint32_t size = (uint32_t)(l->members - first);
  if (!check_members(r, first, size))
    return false;
  if (!grow(&l->comm, sizeof *l->comm, l->comms, &r->comm_room))
    return no_memory(r);
  l->comm[l->comms++] =
      (struct loom_vef_log_comm){.line = (uint32_t)r->text.line, .size = size, .first = first};
  return true;
}

static bool take_comm(struct reader *r, uint32_t *comm) {
  if (!take(r, "comm", LOOM_VEF_LOG_TAG, comm))
    return false;
  return *comm < r->log->comms + 2 ||
         loom_vef_refuse(&r->text, "comm", "has no line above that says who is in it");
}

/* `TO COMM TAG BYTES`, of a reception with the post before it. */
static bool read_message(struct reader *r, struct loom_vef_event *e) {
  if (e->kind == LOOM_VEF_EVENT_RECEIVE && !take(r, "post", LOOM_VEF_LOG_TAG, &e->post))
    return false;
  return take(r, e->kind == LOOM_VEF_EVENT_SEND ? "to" : "from", r->log->ranks - 1, &e->peer) &&
         take_comm(r, &e->comm) && take(r, "tag", LOOM_VEF_LOG_TAG, &e->tag) &&
         take(r, "bytes", UINT32_MAX, &e->bytes);
}

static bool read_op(struct reader *r, struct loom_vef_event *e) {
  struct loom_vef_word word;
  if (!loom_vef_take_word(&r->text, "operation", &word))
    return false;
  for (e->op = 0; e->op < LOOM_VEF_OPS; e->op++)
    if (loom_vef_same(&word, loom_vef_op_names[e->op]))
      return true;
  return loom_vef_refuse(&r->text, "operation", "is not the name of a collective");
}

static bool read_collective(struct reader *r, struct loom_vef_event *e) {
  return take_comm(r, &e->comm) && take(r, "number", LOOM_VEF_LOG_TAG, &e->tag) && read_op(r, e) &&
         take(r, "root", r->log->ranks - 1, &e->peer) && take(r, "bytes", UINT32_MAX, &e->bytes);
}

static bool read_end(struct reader *r) {
  r->end = true;
  return loom_vef_take_number(&r->text, "lines", 0, LOOM_VEF_ID_MAX, &r->ended);
}

/* What a line is about; false: none of these. */
static bool kind_of(const struct loom_vef_word *word, struct loom_vef_event *e) {
  static const struct {
    const char *word;
    enum loom_vef_event_kind kind;
    bool part;
  } kinds[] = {
      {"send", LOOM_VEF_EVENT_SEND, false},       {"recv", LOOM_VEF_EVENT_RECEIVE, false},
      {"part-send", LOOM_VEF_EVENT_SEND, true},   {"part-recv", LOOM_VEF_EVENT_RECEIVE, true},
      {"coll", LOOM_VEF_EVENT_COLLECTIVE, false}, {"trace", LOOM_VEF_EVENT_TRACE, false},
      {"end", LOOM_VEF_EVENT_END, false},
  };
  for (unsigned i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
    if (loom_vef_same(word, kinds[i].word)) {
      e->kind = (uint8_t)kinds[i].kind;
      e->part = kinds[i].part;
      return true;
    }
  return false;
}

static bool read_fields(struct reader *r, struct loom_vef_event *e) {
  switch ((enum loom_vef_event_kind)e->kind) {
  case LOOM_VEF_EVENT_COLLECTIVE:
    return read_collective(r, e);
  case LOOM_VEF_EVENT_TRACE:
    return take(r, "on", 1, &e->post);
  case LOOM_VEF_EVENT_END:
    return read_end(r);
  default:
    return read_message(r, e);
  }
}

static bool read_event(struct reader *r, const struct loom_vef_word *word) {
  struct loom_vef_log *l = r->log;
  struct loom_vef_event e = {.line = (uint32_t)r->text.line};
  if (!kind_of(word, &e))
    return loom_vef_refuse(&r->text, "line", "begins with a word that is none of a log's");
  if (!loom_vef_take_number(&r->text, "time", 0, LOOM_VEF_DTIME_MAX, &e.time) ||
      !read_fields(r, &e))
    return false;
  if (!grow(&l->event, sizeof *l->event, l->events, &r->event_room))
    return no_memory(r);
  l->event[l->events++] = e;
  return true;
}

static bool read_line(struct reader *r) {
  struct loom_vef_word word;
  if (r->text.next == r->text.stop) {
    r->text.line++;
    return loom_vef_refuse(&r->text, "file", "is cut short: the rank did not come to its end");
  }
  if (!loom_vef_take_line(&r->text) || !loom_vef_take_word(&r->text, "line", &word))
    return false;
  if (r->text.line > LOOM_VEF_ID_MAX)
    return loom_vef_refuse(&r->text, "line", "is one too many for a log");
  bool ok = loom_vef_same(&word, "comm") ? read_comm(r) : read_event(r, &word);
  return ok && loom_vef_end_line(&r->text, "line");
}

bool loom_vef_log_parse(struct loom_vef_log *log, const char *text, size_t size,
                        struct loom_vef_error *error) {
  struct reader r = {.text = {.next = text, .stop = text + size, .error = error}, .log = log};
  *log = (struct loom_vef_log){.rank = 0};
  bool ok = read_header(&r);
  while (ok && !r.end)
    ok = read_line(&r);
  if (ok && r.ended != r.text.line - 2)
    ok = loom_vef_refuse(&r.text, "lines", "is not the number of lines of the log");
  if (ok && r.text.next != r.text.stop)
    ok = loom_vef_refuse(&r.text, "end", "is followed by something");
  if (!ok)
    loom_vef_log_free(log);
  return ok;
}

void loom_vef_log_free(struct loom_vef_log *log) {
  free(log->event);
  free(log->comm);
  free(log->member);
  *log = (struct loom_vef_log){.rank = 0};
}

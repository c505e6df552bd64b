/* SPDX-License-Identifier: Apache-2.0 */
/* Text to trace (docs/formats.md; VF-01..05, VF-10). */
#include <stdlib.h>

#include "vef/vef.h"
#include "vef/vef_text.h"

/* A trace being read. */
struct reader {
  struct loom_vef_text text;
  struct loom_vef_trace *trace;
  const char *const *ops;
  uint32_t *mark; /* by task: number of the last list that named it, 1.. */
  uint32_t marks; /* lists so far */
  uint32_t messages, collectives;
  uint32_t clock, no_recv_dep;
};

static bool no_memory(struct loom_vef_error *error) {
  *error = (struct loom_vef_error){.message = "out of memory"};
  return false;
}

static bool read_version(struct reader *r, struct loom_vef_size *size) {
  struct loom_vef_word word;
  if (!loom_vef_take_word(&r->text, "version", &word))
    return false;
  size->version = loom_vef_same(&word, "VEF3")   ? 3
                  : loom_vef_same(&word, "VEF2") ? 2
                  : loom_vef_same(&word, "VEF")  ? 1
                                                 : 0;
  return size->version || loom_vef_refuse(&r->text, "version", "is none of `VEF`, `VEF2`, `VEF3`");
}

/* noRecvDep is a number in VEF3 and may be a word in VEF2. */
static bool read_no_recv_dep(struct reader *r) {
  struct loom_vef_word word;
  if (!loom_vef_take_word(&r->text, "noRecvDep", &word))
    return false;
  r->no_recv_dep = loom_vef_same(&word, "TRUE") || loom_vef_same(&word, "1");
  return r->no_recv_dep || loom_vef_same(&word, "FALSE") || loom_vef_same(&word, "0") ||
         loom_vef_refuse(&r->text, "noRecvDep", "is none of `0`, `1`, `FALSE`, `TRUE`");
}

static bool read_clock(struct reader *r, unsigned version) {
  uint64_t value = LOOM_VEF_MPI_CLOCK;
  if (version == 3 || loom_vef_more(&r->text))
    if (!loom_vef_take_number(&r->text, "clock", 1, LOOM_VEF_CLOCK, &value))
      return false;
  r->clock = (uint32_t)value;
  return loom_vef_end_line(&r->text, "clock");
}

static bool read_header(struct reader *r, struct loom_vef_size *size, uint64_t *groups) {
  uint64_t tasks = 0;
  uint64_t messages = 0;
  uint64_t comms = 0;
  uint64_t parts = 0;
  struct loom_vef_text *t = &r->text;
  if (!loom_vef_take_line(t) || !read_version(r, size) ||
      !loom_vef_take_number(t, "nNodes", 1, LOOM_VEF_TASKS, &tasks) ||
      !loom_vef_take_number(t, "nMsgs", 0, LOOM_VEF_ID_MAX, &messages) ||
      !loom_vef_take_number(t, "nCOMM", 1, LOOM_VEF_COMMS, &comms) ||
      !loom_vef_take_number(t, "nCollComm", 0, LOOM_VEF_ID_MAX, groups) ||
      !loom_vef_take_number(t, "nLocalCollComm", 0, LOOM_VEF_ID_MAX - messages, &parts))
    return false;
  if (size->version == 1 && (*groups || parts))
    return loom_vef_refuse(t, "nCollComm", "is not 0: VEF has no collectives");
  size->tasks = (uint32_t)tasks;
  size->comms = (uint32_t)comms;
  size->records = (uint32_t)(messages + parts);
  size->parts = (uint32_t)parts;
  return read_no_recv_dep(r) && read_clock(r, size->version);
}

/* Counts what stands in the lines after the header, so that nothing is believed of it before memory
 * is asked for. */
static bool measure(struct reader *r, struct loom_vef_size *size) {
  struct loom_vef_text ahead = r->text;
  struct loom_vef_word word;
  for (uint64_t i = 0; i < (uint64_t)size->comms + size->records; i++) {
    if (!loom_vef_take_line(&ahead))
      return false;
    while (i < size->comms && loom_vef_more(&ahead))
      size->members += loom_vef_take_word(&ahead, "task", &word);
  }
  ahead.line++;
  return ahead.next == ahead.stop ||
         loom_vef_refuse(&ahead, "file", "has more lines than its header promises");
}

/* `C0 task task ...` */
static bool read_comm(struct reader *r, uint32_t number) {
  struct loom_vef_trace *trace = r->trace;
  struct loom_vef_word word;
  uint64_t value = 0;
  size_t at = trace->comm[number];
  if (!loom_vef_take_line(&r->text) || !loom_vef_take_word(&r->text, "communicator", &word))
    return false;
  if (*word.text != 'C')
    return loom_vef_refuse(&r->text, "communicator", "does not start with `C`");
  word.text++;
  word.length--;
  if (!loom_vef_number(&r->text, "communicator", &word, number, number, &value))
    return false;
  r->marks++;
  do {
    if (!loom_vef_take_number(&r->text, "task", 0, trace->size.tasks - 1, &value))
      return false;
    if (r->mark[value] == r->marks)
      return loom_vef_refuse(&r->text, "task", "stands twice in the communicator");
    r->mark[value] = r->marks;
    trace->member[at++] = (uint32_t)value;
  } while (loom_vef_more(&r->text));
  trace->comm[number + 1] = at;
  return number || at == trace->size.tasks ||
         loom_vef_refuse(&r->text, "communicator", "0 does not hold all tasks");
}

/* `Dep dTime IDdep`; the id is left in `on`. */
static bool read_dependency(struct reader *r, struct loom_vef_record *record, unsigned max) {
  uint64_t dep = 0;
  uint64_t id = LOOM_VEF_NONE;
  struct loom_vef_word word;
  struct loom_vef_text *t = &r->text;
  if (!loom_vef_take_number(t, "Dep", 0, max, &dep) ||
      !loom_vef_take_number(t, "dTime", 0, LOOM_VEF_DTIME_MAX, &record->dtime) ||
      !loom_vef_take_word(t, "IDdep", &word))
    return false;
  record->dep = (uint8_t)dep;
  if ((dep & 3) == LOOM_VEF_AT) {
    if (!loom_vef_same(&word, "-1"))
      return loom_vef_refuse(t, "IDdep", "of an independent record is not -1");
  } else {
    if ((dep & 3) == LOOM_VEF_GROUP && *word.text != 'G')
      return loom_vef_refuse(t, "IDdep", "of a group dependency does not start with `G`");
    word.text += (dep & 3) == LOOM_VEF_GROUP;
    word.length -= (dep & 3) == LOOM_VEF_GROUP;
    if (!loom_vef_number(t, "IDdep", &word, 0, LOOM_VEF_ID_MAX, &id))
      return false;
  }
  record->on = (uint32_t)id;
  return loom_vef_end_line(t, "IDdep");
}

/* `src dst length Dep dTime IDdep` */
static bool read_message(struct reader *r, struct loom_vef_record *record) {
  uint64_t src = 0;
  uint64_t dst = 0;
  uint64_t length = 0;
  uint32_t tasks = r->trace->size.tasks;
  if (r->messages++ == r->trace->size.records - r->trace->size.parts)
    return loom_vef_refuse(&r->text, "nMsgs", "is less than the messages of the file");
  if (!loom_vef_take_number(&r->text, "src", 0, tasks - 1, &src) ||
      !loom_vef_take_number(&r->text, "dst", 0, tasks - 1, &dst) ||
      !loom_vef_take_number(&r->text, "length", 0, UINT32_MAX, &length) ||
      !read_dependency(r, record, r->trace->size.version == 3 ? 7 : 3))
    return false;
  record->kind = LOOM_VEF_MESSAGE;
  record->src = (uint16_t)src;
  record->dst = (uint16_t)dst;
  record->length = (uint32_t)length;
  return loom_vef_append(r->trace, record) ||
         loom_vef_refuse(&r->text, "ID", "is that of another message");
}

static bool read_op(struct reader *r, struct loom_vef_record *record) {
  struct loom_vef_word word;
  if (!loom_vef_take_word(&r->text, "op", &word))
    return false;
  for (record->op = 0; record->op < LOOM_VEF_OPS; record->op++)
    if (loom_vef_same(&word, r->ops[record->op]))
      return true;
  return loom_vef_refuse(&r->text, "op", "is not the name of a collective");
}

/* `comm op task send_size recv_size Dep dTime IDdep` */
static bool read_collective(struct reader *r, struct loom_vef_record *record) {
  uint64_t comm = 0;
  uint64_t task = 0;
  uint64_t sent = 0;
  uint64_t received = 0;
  struct loom_vef_size *size = &r->trace->size;
  struct loom_vef_trace *trace = r->trace;
  if (r->collectives++ == size->parts)
    return loom_vef_refuse(&r->text, "nLocalCollComm", "is less than the collectives of the file");
  if (!loom_vef_take_number(&r->text, "comm", 0, size->comms - 1, &comm) || !read_op(r, record) ||
      !loom_vef_take_number(&r->text, "task", 0, size->tasks - 1, &task) ||
      !loom_vef_take_number(&r->text, "send_size", 0, UINT32_MAX, &sent) ||
      !loom_vef_take_number(&r->text, "recv_size", 0, UINT32_MAX, &received) ||
      !read_dependency(r, record, 3))
    return false;
  record->kind = LOOM_VEF_COLLECTIVE;
  record->src = (uint16_t)task;
  record->dst = (uint16_t)comm;
  record->length = (uint32_t)sent;
  trace->part[trace->parts++] = (struct loom_vef_part){.group = record->id,
                                                       .task = record->src,
                                                       .record = trace->count,
                                                       .received = (uint32_t)received};
  return loom_vef_append(trace, record);
}

static bool read_record(struct reader *r) {
  struct loom_vef_record record = {.origin = r->trace->count};
  struct loom_vef_word word;
  uint64_t id = 0;
  if (!loom_vef_take_line(&r->text) || !loom_vef_take_word(&r->text, "ID", &word))
    return false;
  bool group = *word.text == 'G';
  word.text += group;
  word.length -= group;
  if (!loom_vef_number(&r->text, "ID", &word, 0, LOOM_VEF_ID_MAX, &id))
    return false;
  record.id = (uint32_t)id;
  return group ? read_collective(r, &record) : read_message(r, &record);
}

/* Refuses record `index`. */
static bool refuse_record(struct reader *r, uint32_t index, const char *key, const char *message) {
  r->text.line = loom_vef_line(r->trace, index);
  return loom_vef_refuse(&r->text, key, message);
}

/* Whether the part is the root of its operation. */
static bool is_root(const struct loom_vef_record *record, const struct loom_vef_part *part) {
  if (record->op == LOOM_VEF_BROADCAST || record->op == LOOM_VEF_SCATTER)
    return record->length > 0;
  return (record->op == LOOM_VEF_REDUCE || record->op == LOOM_VEF_GATHER) && part->received > 0;
}

/* Checks the parts [from, to) of one collective. */
static bool check_group(struct reader *r, uint32_t from, uint32_t to) {
  const struct loom_vef_trace *t = r->trace;
  const struct loom_vef_record *first = &t->record[t->part[from].record];
  size_t members = t->comm[first->dst + 1] - t->comm[first->dst];
  uint32_t roots = 0;
  r->marks++;
  for (size_t i = t->comm[first->dst]; i < t->comm[first->dst + 1]; i++)
    r->mark[t->member[i]] = r->marks;
  for (uint32_t i = from; i < to; i++) {
    const struct loom_vef_part *part = &t->part[i];
    const struct loom_vef_record *record = &t->record[part->record];
    if (record->dst != first->dst || record->op != first->op)
      return refuse_record(r, part->record, "ID", "names another operation of another line");
    if (r->mark[part->task] != r->marks)
      return refuse_record(r, part->record, "task", "is none of the communicator, or stands twice");
    r->mark[part->task] = 0;
    roots += is_root(record, part);
    if (roots > 1)
      return refuse_record(r, part->record, "send_size", "makes a second root of the collective");
  }
  return to - from == members ||
         refuse_record(r, t->part[to - 1].record, "task", "others of the communicator are missing");
}

static bool check_groups(struct reader *r, uint64_t groups) {
  struct loom_vef_trace *t = r->trace;
  loom_vef_sort_parts(t);
  for (uint32_t from = 0, to = 0; from < t->parts; from = to) {
    while (to < t->parts && t->part[to].group == t->part[from].group)
      to++;
    t->groups++;
    if (!check_group(r, from, to))
      return false;
  }
  r->text.line = 1;
  return t->groups == groups ||
         loom_vef_refuse(&r->text, "nCollComm", "is not the number of collectives in the file");
}

static bool resolve_group(struct reader *r, uint32_t index) {
  struct loom_vef_record *record = &r->trace->record[index];
  const struct loom_vef_part *part = loom_vef_part_of(r->trace, record->on, record->src);
  if (!part)
    return refuse_record(r, index, "IDdep", "is no collective of this task");
  if (part->record >= index)
    return refuse_record(r, index, "IDdep", "stands at or after this line of the same task");
  record->on = part->record;
  return true;
}

/* From the id that a record depends on to the index. */
static bool resolve(struct reader *r, uint32_t index) {
  struct loom_vef_record *record = &r->trace->record[index];
  unsigned after = record->dep & 3;
  if (after == LOOM_VEF_AT)
    return true;
  if (after == LOOM_VEF_GROUP)
    return resolve_group(r, index);
  uint32_t on = loom_vef_find(r->trace, record->on);
  if (on == LOOM_VEF_NONE)
    return refuse_record(r, index, "IDdep", "is no message of the file");
  const struct loom_vef_record *other = &r->trace->record[on];
  if (after == LOOM_VEF_SENT && other->src != record->src)
    return refuse_record(r, index, "IDdep", "is not sent by this task");
  if (after == LOOM_VEF_RECEIVED && other->dst != record->src)
    return refuse_record(r, index, "IDdep", "is not received by this task");
  if (other->src == record->src && on >= index)
    return refuse_record(r, index, "IDdep", "stands at or after this line of the same task");
  record->on = on;
  return true;
}

static bool read_body(struct reader *r, uint64_t groups) {
  const struct loom_vef_size *size = &r->trace->size;
  for (uint32_t i = 0; i < size->comms; i++)
    if (!read_comm(r, i))
      return false;
  for (uint32_t i = 0; i < size->records; i++)
    if (!read_record(r))
      return false;
  if (!check_groups(r, groups))
    return false;
  for (uint32_t i = 0; i < size->records; i++)
    if (!resolve(r, i))
      return false;
  return true;
}

struct loom_vef_trace *loom_vef_parse(const char *text, size_t size,
                                      const char *const ops[LOOM_VEF_OPS],
                                      struct loom_vef_error *error) {
  struct reader r = {.text = {.next = text, .stop = text + size, .error = error},
                     .ops = ops ? ops : loom_vef_op_names};
  struct loom_vef_size sizes = {.version = 0};
  uint64_t groups = 0;
  if (!read_header(&r, &sizes, &groups) || !measure(&r, &sizes))
    return NULL;
  r.trace = loom_vef_create(&sizes);
  r.mark = calloc((size_t)sizes.tasks + 1, sizeof *r.mark);
  bool ok = r.trace && r.mark ? read_body(&r, groups) : no_memory(error);
  free(r.mark);
  if (!ok) {
    loom_vef_destroy(r.trace);
    return NULL;
  }
  r.trace->clock = r.clock;
  r.trace->no_recv_dep = r.no_recv_dep;
  return r.trace;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* The logs of all ranks become a trace (docs/record.md).
 *
 * First what belongs together is found: communicators, both ends of each message, the parts of each
 * collective. Then the ranks take turns, an event each, and leave records behind. This is done
 * twice, to count the records and to write them.
 */
#include <stdlib.h>
#include <string.h>

#include "vef/vef_log.h"

enum { ALONE = 0x40000000 }; /* and the rank: the communicator of a rank alone */

/* One end of a message. */
struct end {
  uint32_t from, to, comm, tag;
  uint32_t order; /* of sends, of posts */
  uint32_t bytes;
  uint32_t rank, event;
  bool part;
};

/* A communicator in the log of a rank. */
struct view {
  const uint32_t *member;
  uint32_t size;
  uint32_t rank, index;
};

/* A communicator of the program, beyond that of all ranks. */
struct comm {
  const uint32_t *member;
  uint32_t size;
  uint32_t number; /* in the trace, or LOOM_VEF_NONE */
};

/* A rank's part in a collective. */
struct entry {
  uint32_t comm, number;
  uint32_t rank, event;
};

/* A collective. */
struct group {
  uint32_t comm;
  bool dropped; /* some rank does not record it */
  uint32_t id;  /* in the trace, or LOOM_VEF_NONE */
};

/* A rank while records are made. */
struct task {
  size_t at;        /* event */
  uint32_t last;    /* its last record, or LOOM_VEF_NONE */
  uint32_t waiting; /* record of a message that it has waited for since then, or LOOM_VEF_NONE */
  uint64_t time;    /* that it has computed since then */
};

struct merge {
  const struct loom_vef_log *log;
  uint32_t ranks;
  struct loom_vef_merge_cfg cfg;
  struct loom_vef_merged *merged;
  struct loom_vef_error *error;
  uint32_t *rank; /* of the error */

  size_t *first;     /* by rank: its first event, of all */
  uint32_t *link;    /* by event: its send; its group */
  uint8_t *off;      /* by event: not recorded */
  uint32_t **global; /* by rank and communicator of its log, from 2 on: number of `comm`, from 1 */
  struct comm *comm;
  uint32_t comms;
  struct group *group;
  uint32_t groups;
  uint32_t *sent; /* by send: its record, or LOOM_VEF_NONE */
  uint32_t sends;

  struct task *task;
  struct loom_vef_trace *out; /* NULL: only count */
  uint32_t used;              /* communicators of the trace */
  size_t members;             /* of them together */
  uint64_t records, messages, parts, ids;
};

static bool no_memory(struct merge *m) {
  *m->error = (struct loom_vef_error){.line = 0, .message = "out of memory"};
  return false;
}

static bool refuse_line(struct merge *m, uint32_t rank, uint32_t line, const char *key,
                        const char *message) {
  *m->error = (struct loom_vef_error){.line = line, .key = key, .message = message};
  *m->rank = rank;
  return false;
}

static bool refuse(struct merge *m, uint32_t rank, size_t event, const char *key,
                   const char *message) {
  return refuse_line(m, rank, m->log[rank].event[event].line, key, message);
}

static int compare(uint32_t a, uint32_t b) { return a < b ? -1 : a > b; }

/* ---- communicators --------------------------------------------------------------------------- */

static int same_members(const struct view *a, const struct view *b) {
  int order = compare(a->size, b->size);
  return order ? order : memcmp(a->member, b->member, a->size * sizeof *a->member);
}

static int by_members(const void *a, const void *b) {
  const struct view *p = a;
  const struct view *q = b;
  int order = same_members(p, q);
  if (!order)
    order = compare(p->rank, q->rank);
  return order ? order : compare(p->index, q->index);
}

/* How many communicators of these members the rank of view[i] has. */
static size_t run_of(const struct view *view, size_t i, size_t end) {
  size_t n = 1;
  while (i + n < end && view[i + n].rank == view[i].rank)
    n++;
  return n;
}

/* The views [from, to) have the same members. Each of these must have as many of them: the k-th of
 * one is the k-th of all. */
static bool join_views(struct merge *m, const struct view *view, size_t from, size_t to) {
  uint32_t size = view[from].size;
  size_t each = run_of(view, from, to);
  for (size_t i = from; i < to; i += each) {
    uint32_t line = m->log[view[i].rank].comm[view[i].index].line;
    if (run_of(view, i, to) != each || to - from != each * size)
      return refuse_line(m, view[i].rank, line, "comm",
                         "is not in the logs of all ranks that it names");
    for (size_t k = 0; k < each; k++)
      m->global[view[i].rank][view[i + k].index] = m->comms + 1 + (uint32_t)k;
  }
  for (size_t k = 0; k < each; k++)
    m->comm[m->comms++] = (struct comm){.member = view[from].member, .size = size};
  return true;
}

static bool join_all_views(struct merge *m, struct view *view, size_t views) {
  size_t to = 0;
  if (views)
    qsort(view, views, sizeof *view, by_members);
  for (size_t from = 0; from < views; from = to) {
    while (to < views && !same_members(&view[from], &view[to]))
      to++;
    if (!join_views(m, view, from, to))
      return false;
  }
  return true;
}

static bool find_comms(struct merge *m) {
  size_t views = 0;
  for (uint32_t r = 0; r < m->ranks; r++)
    views += m->log[r].comms;
  struct view *view = malloc((views + 1) * sizeof *view);
  m->comm = malloc((views + 1) * sizeof *m->comm);
  m->global = calloc(m->ranks, sizeof *m->global);
  bool ok = view && m->comm && m->global;
  views = 0;
  for (uint32_t r = 0; ok && r < m->ranks; r++) {
    const struct loom_vef_log *l = &m->log[r];
    m->global[r] = malloc((l->comms + 1) * sizeof **m->global);
    ok = m->global[r] != NULL;
    for (uint32_t c = 0; c < l->comms; c++)
      view[views++] = (struct view){
          .member = l->member + l->comm[c].first, .size = l->comm[c].size, .rank = r, .index = c};
  }
  ok = ok ? join_all_views(m, view, views) : no_memory(m);
  free(view);
  return ok;
}

/* The number of a rank's communicator in the program: 0 for all ranks, then those of `comm`. */
static uint32_t comm_of(const struct merge *m, uint32_t rank, uint32_t comm) {
  return comm == 0 ? 0 : comm == 1 ? ALONE | rank : m->global[rank][comm - 2];
}

/* ---- messages -------------------------------------------------------------------------------- */

static int by_stream(const struct end *a, const struct end *b) {
  int order = compare(a->from, b->from);
  order = order ? order : compare(a->to, b->to);
  order = order ? order : compare(a->comm, b->comm);
  order = order ? order : compare(a->part, b->part);
  order = order ? order : compare(a->tag, b->tag);
  /* Two parts of a collective between the same ranks go by their sizes: both ends know these. */
  return order || !a->part ? order : compare(a->bytes, b->bytes);
}

static int by_end(const void *a, const void *b) {
  int order = by_stream(a, b);
  return order ? order : compare(((const struct end *)a)->order, ((const struct end *)b)->order);
}

static struct end end_of(const struct merge *m, uint32_t rank, uint32_t event) {
  const struct loom_vef_event *e = &m->log[rank].event[event];
  bool send = e->kind == LOOM_VEF_EVENT_SEND;
  return (struct end){.from = send ? rank : e->peer,
                      .to = send ? e->peer : rank,
                      .comm = comm_of(m, rank, e->comm),
                      .tag = e->tag,
                      .order = send ? event : e->post,
                      .bytes = e->bytes,
                      .rank = rank,
                      .event = event,
                      .part = e->part};
}

/* All ends of one kind, sorted; NULL: no memory. */
static struct end *take_ends(const struct merge *m, enum loom_vef_event_kind kind, size_t *count) {
  size_t n = 0;
  for (uint32_t r = 0; r < m->ranks; r++)
    for (size_t i = 0; i < m->log[r].events; i++)
      n += m->log[r].event[i].kind == kind;
  struct end *end = malloc((n + 1) * sizeof *end);
  *count = 0;
  for (uint32_t r = 0; end && r < m->ranks; r++)
    for (uint32_t i = 0; i < m->log[r].events; i++)
      if (m->log[r].event[i].kind == kind)
        end[(*count)++] = end_of(m, r, i);
  if (end && n)
    qsort(end, n, sizeof *end, by_end);
  return end;
}

/* Both ends of each message in turn; a send is known by its place among them. */
static bool join_ends(struct merge *m, const struct end *send, size_t sends,
                      const struct end *receive, size_t receives) {
  size_t s = 0;
  for (size_t i = 0; i < receives; i++) {
    const struct end *r = &receive[i];
    while (s < sends && by_stream(&send[s], r) < 0)
      s++;
    if (s == sends || by_stream(&send[s], r) != 0)
      return refuse(m, r->rank, r->event, "from", "has sent no such message");
    if (send[s].bytes != r->bytes)
      return refuse(m, r->rank, r->event, "bytes", "are not those that were sent");
    m->link[m->first[r->rank] + r->event] = (uint32_t)s++;
  }
  for (s = 0; s < sends; s++)
    m->link[m->first[send[s].rank] + send[s].event] = (uint32_t)s;
  m->merged->unreceived = sends - receives;
  return true;
}

static bool find_messages(struct merge *m) {
  size_t sends = 0;
  size_t receives = 0;
  struct end *send = take_ends(m, LOOM_VEF_EVENT_SEND, &sends);
  struct end *receive = take_ends(m, LOOM_VEF_EVENT_RECEIVE, &receives);
  bool ok = send && receive;
  m->sends = (uint32_t)sends;
  ok = ok && sends <= LOOM_VEF_ID_MAX ? join_ends(m, send, sends, receive, receives) : no_memory(m);
  free(send);
  free(receive);
  return ok;
}

/* ---- collectives ----------------------------------------------------------------------------- */

static int by_number(const void *a, const void *b) {
  const struct entry *p = a;
  const struct entry *q = b;
  int order = compare(p->comm, q->comm);
  order = order ? order : compare(p->number, q->number);
  order = order ? order : compare(p->rank, q->rank);
  return order ? order : compare(p->event, q->event);
}

static uint32_t size_of(const struct merge *m, uint32_t comm) {
  return comm ? m->comm[comm - 1].size : m->ranks;
}

static bool has_member(const struct merge *m, uint32_t comm, uint32_t rank) {
  bool found = !comm;
  for (uint32_t i = 0; !found && i < m->comm[comm - 1].size; i++)
    found = m->comm[comm - 1].member[i] == rank;
  return found;
}

/* The entries [from, to) are one collective. */
static bool join_entries(struct merge *m, const struct entry *entry, size_t from, size_t to) {
  const struct entry *first = &entry[from];
  const struct loom_vef_event *e = &m->log[first->rank].event[first->event];
  struct group g = {.comm = first->comm};
  if (!has_member(m, first->comm, e->peer))
    return refuse(m, first->rank, first->event, "root", "is not in the communicator");
  for (size_t i = from; i < to; i++) {
    const struct entry *n = &entry[i];
    const struct loom_vef_event *o = &m->log[n->rank].event[n->event];
    if (o->op != e->op || o->peer != e->peer || o->bytes != e->bytes)
      return refuse(m, n->rank, n->event, "operation",
                    "is not what another rank noted under this number");
    if (i > from && n->rank == entry[i - 1].rank)
      return refuse(m, n->rank, n->event, "number", "stands twice");
    m->link[m->first[n->rank] + n->event] = m->groups;
    g.dropped = g.dropped || m->off[m->first[n->rank] + n->event];
  }
  if (to - from != size_of(m, first->comm))
    return refuse(m, first->rank, first->event, "number",
                  "is not in the logs of all ranks of the communicator");
  m->group[m->groups++] = g;
  return true;
}

static bool join_all_entries(struct merge *m, struct entry *entry, size_t entries) {
  size_t to = 0;
  if (entries)
    qsort(entry, entries, sizeof *entry, by_number);
  for (size_t from = 0; from < entries; from = to) {
    while (to < entries && entry[to].comm == entry[from].comm &&
           entry[to].number == entry[from].number)
      to++;
    if (!join_entries(m, entry, from, to))
      return false;
  }
  return true;
}

static bool find_groups(struct merge *m) {
  size_t entries = 0;
  for (uint32_t r = 0; r < m->ranks; r++)
    for (size_t i = 0; i < m->log[r].events; i++)
      entries += m->log[r].event[i].kind == LOOM_VEF_EVENT_COLLECTIVE;
  struct entry *entry = malloc((entries + 1) * sizeof *entry);
  m->group = malloc((entries + 1) * sizeof *m->group);
  bool ok = entry && m->group;
  entries = 0;
  for (uint32_t r = 0; ok && r < m->ranks; r++)
    for (uint32_t i = 0; i < m->log[r].events; i++) {
      const struct loom_vef_event *e = &m->log[r].event[i];
      if (e->kind != LOOM_VEF_EVENT_COLLECTIVE)
        continue;
      if (e->comm == 1) {
        free(entry);
        return refuse(m, r, i, "comm", "has one rank alone");
      }
      entry[entries++] = (struct entry){comm_of(m, r, e->comm), e->tag, r, i};
    }
  ok = ok ? join_all_entries(m, entry, entries) : no_memory(m);
  free(entry);
  return ok;
}

/* ---- records --------------------------------------------------------------------------------- */

static void emit(struct merge *m, struct task *t, const struct loom_vef_record *record) {
  struct loom_vef_record r = *record;
  r.origin = (uint32_t)m->records;
  if (r.kind == LOOM_VEF_MESSAGE)
    r.id = (uint32_t)m->ids++;
  if (m->out)
    loom_vef_append(m->out, &r);
  t->last = (uint32_t)m->records++;
  t->time = 0;
  t->waiting = LOOM_VEF_NONE;
}

static struct loom_vef_record pause_of(uint32_t rank) {
  return (struct loom_vef_record){
      .src = (uint16_t)rank, .dst = (uint16_t)rank, .on = LOOM_VEF_NONE};
}

/* What a record waits for whose task has done all before. */
static void depend(struct merge *m, struct task *t, struct loom_vef_record *r) {
  if (t->waiting != LOOM_VEF_NONE && t->time) { /* what came first, before the computing */
    struct loom_vef_record pause = pause_of(r->src);
    uint64_t time = t->time;
    pause.dep = LOOM_VEF_RECEIVED;
    pause.on = t->waiting;
    emit(m, t, &pause);
    t->time = time;
  }
  bool group =
      m->out && t->last != LOOM_VEF_NONE && m->out->record[t->last].kind == LOOM_VEF_COLLECTIVE;
  r->on = t->waiting != LOOM_VEF_NONE ? t->waiting : t->last;
  r->dep = (uint8_t)(t->waiting != LOOM_VEF_NONE ? LOOM_VEF_RECEIVED
                     : t->last == LOOM_VEF_NONE  ? LOOM_VEF_AT
                     : group                     ? LOOM_VEF_GROUP
                                                 : LOOM_VEF_SENT);
  r->dtime = t->time;
}

/* A pause for all that the task has done since its last record, if there was anything. */
static void rest(struct merge *m, struct task *t, uint32_t rank) {
  struct loom_vef_record pause = pause_of(rank);
  if (t->waiting == LOOM_VEF_NONE && !t->time)
    return;
  depend(m, t, &pause);
  emit(m, t, &pause);
}

static void put_send(struct merge *m, struct task *t, uint32_t rank, const struct loom_vef_event *e,
                     uint32_t send) {
  struct loom_vef_record r = {.src = (uint16_t)rank, .dst = (uint16_t)e->peer, .length = e->bytes};
  depend(m, t, &r);
  emit(m, t, &r);
  m->sent[send] = t->last;
  m->messages += !e->part;
  m->parts += e->part;
  m->merged->bytes += e->part ? 0 : e->bytes;
}

/* The number of a communicator in the trace, which it gets when it is first used. */
static uint32_t comm_in_trace(struct merge *m, uint32_t comm) {
  if (!comm)
    return 0;
  struct comm *c = &m->comm[comm - 1];
  if (c->number == LOOM_VEF_NONE) {
    c->number = m->used++;
    if (m->out) {
      memcpy(m->out->member + m->members, c->member, c->size * sizeof *c->member);
      m->out->comm[c->number + 1] = m->members + c->size;
    }
    m->members += c->size;
  }
  return c->number;
}

static bool put_collective(struct merge *m, struct task *t, uint32_t rank, size_t event) {
  const struct loom_vef_event *e = &m->log[rank].event[event];
  struct group *g = &m->group[m->link[m->first[rank] + event]];
  uint64_t sent = 0;
  uint64_t received = 0;
  loom_vef_op_bytes((enum loom_vef_op)e->op, rank == e->peer, e->bytes, size_of(m, g->comm), &sent,
                    &received);
  if (sent > UINT32_MAX || received > UINT32_MAX)
    return refuse(m, rank, event, "bytes", "of all ranks together are more than 4294967295");
  if (g->id == LOOM_VEF_NONE)
    g->id = (uint32_t)m->merged->collectives++;
  struct loom_vef_record r = {.kind = LOOM_VEF_COLLECTIVE,
                              .id = g->id,
                              .src = (uint16_t)rank,
                              .dst = (uint16_t)comm_in_trace(m, g->comm),
                              .length = (uint32_t)sent,
                              .op = e->op};
  depend(m, t, &r);
  if (m->out)
    m->out->part[m->out->parts++] = (struct loom_vef_part){
        .group = r.id, .task = rank, .record = m->out->count, .received = (uint32_t)received};
  emit(m, t, &r);
  return true;
}

/* ---- turns ----------------------------------------------------------------------------------- */

static uint64_t scaled(const struct merge *m, uint64_t time) {
  uint32_t scale = m->cfg.scale;
  return time / LOOM_VEF_SCALE * scale + time % LOOM_VEF_SCALE * scale / LOOM_VEF_SCALE;
}

/* Whether the rank may take its next event: the message has left, or never leaves. */
static bool may_go(const struct merge *m, uint32_t rank, const struct task *t) {
  const struct loom_vef_event *e = &m->log[rank].event[t->at];
  size_t i = m->first[rank] + t->at;
  return e->kind != LOOM_VEF_EVENT_RECEIVE || m->sent[m->link[i]] != LOOM_VEF_NONE;
}

enum { LEFT_OUT = 0xFFFFFFFEu }; /* in `sent`: the message is not in the trace */

/* A message has come that the task waited for. */
static void put_receive(struct merge *m, struct task *t, uint32_t rank, uint32_t send) {
  if (m->sent[send] == LEFT_OUT)
    return;
  rest(m, t, rank);
  t->waiting = m->sent[send];
}

static bool take_event(struct merge *m, uint32_t rank, struct task *t) {
  const struct loom_vef_event *e = &m->log[rank].event[t->at];
  size_t i = m->first[rank] + t->at;
  bool off = m->off[i];
  if (!off)
    t->time += scaled(m, e->time);
  if (t->time > LOOM_VEF_DTIME_MAX)
    return refuse(m, rank, t->at, "time", "is longer than a trace can say");
  if (e->kind == LOOM_VEF_EVENT_SEND && !off)
    put_send(m, t, rank, e, m->link[i]);
  else if (e->kind == LOOM_VEF_EVENT_SEND)
    m->sent[m->link[i]] = LEFT_OUT;
  else if (e->kind == LOOM_VEF_EVENT_RECEIVE && !off)
    put_receive(m, t, rank, m->link[i]);
  else if (e->kind == LOOM_VEF_EVENT_END)
    rest(m, t, rank);
  else if (e->kind == LOOM_VEF_EVENT_COLLECTIVE && !m->group[m->link[i]].dropped &&
           !put_collective(m, t, rank, t->at))
    return false;
  t->at++;
  return true;
}

/* A rank waits for a message that is never sent: not what a program did that came to its end. */
static bool refuse_circle(struct merge *m) {
  for (uint32_t r = 0; r < m->ranks; r++)
    if (m->task[r].at < m->log[r].events)
      return refuse(m, r, m->task[r].at, "from", "waits for this rank itself: a circle");
  return true;
}

static void begin(struct merge *m) {
  m->records = m->messages = m->parts = m->ids = 0;
  m->merged->bytes = m->merged->collectives = 0;
  m->used = 1;
  m->members = m->ranks;
  for (uint32_t c = 0; c < m->comms; c++)
    m->comm[c].number = LOOM_VEF_NONE;
  for (uint32_t g = 0; g < m->groups; g++)
    m->group[g].id = LOOM_VEF_NONE;
  memset(m->sent, 0xFF, ((size_t)m->sends + 1) * sizeof *m->sent);
  for (uint32_t r = 0; r < m->ranks; r++)
    m->task[r] = (struct task){.last = LOOM_VEF_NONE, .waiting = LOOM_VEF_NONE};
}

/* All events, an event of each rank in turn. */
static bool take_turns(struct merge *m) {
  bool more = true;
  begin(m);
  while (more) {
    more = false;
    for (uint32_t r = 0; r < m->ranks; r++) {
      struct task *t = &m->task[r];
      if (t->at == m->log[r].events || !may_go(m, r, t))
        continue;
      if (!take_event(m, r, t))
        return false;
      more = true;
    }
    if (m->records > LOOM_VEF_ID_MAX) {
      *m->error = (struct loom_vef_error){.line = 0, .message = "more records than a trace has"};
      return false;
    }
  }
  return refuse_circle(m);
}

/* ---- the whole ------------------------------------------------------------------------------- */

/* Whether the event belongs to a collective of all ranks. */
static bool is_of_all(const struct loom_vef_event *e) {
  return !e->comm && (e->kind == LOOM_VEF_EVENT_COLLECTIVE || e->part);
}

/* What is recorded of each rank: its region of interest, between two collectives of all ranks. */
static void find_rests(struct merge *m) {
  for (uint32_t r = 0; r < m->ranks; r++) {
    bool off = false;
    bool outside = m->cfg.from > 0;
    for (size_t i = 0; i < m->log[r].events; i++) {
      const struct loom_vef_event *e = &m->log[r].event[i];
      if (is_of_all(e))
        outside = e->tag < m->cfg.from || e->tag > m->cfg.to;
      m->off[m->first[r] + i] = off || outside;
      if (is_of_all(e))
        outside = outside || e->tag == m->cfg.to;
      if (e->kind == LOOM_VEF_EVENT_TRACE)
        off = !e->post;
    }
  }
}

static bool prepare(struct merge *m) {
  size_t events = 0;
  m->first = malloc(m->ranks * sizeof *m->first);
  m->task = malloc(m->ranks * sizeof *m->task);
  for (uint32_t r = 0; m->first && r < m->ranks; r++) {
    m->first[r] = events;
    events += m->log[r].events;
  }
  m->link = calloc(events + 1, sizeof *m->link);
  m->off = calloc(events + 1, sizeof *m->off);
  if (!m->first || !m->task || !m->link || !m->off)
    return no_memory(m);
  find_rests(m);
  if (!find_comms(m) || !find_messages(m) || !find_groups(m))
    return false;
  m->sent = malloc(((size_t)m->sends + 1) * sizeof *m->sent);
  return m->sent || no_memory(m);
}

static bool write_trace(struct merge *m) {
  struct loom_vef_size size = {.version = 3,
                               .tasks = m->ranks,
                               .comms = m->used,
                               .records = (uint32_t)m->records,
                               .parts = (uint32_t)(m->records - m->ids),
                               .members = m->members};
  if (m->used > LOOM_VEF_COMMS) {
    *m->error =
        (struct loom_vef_error){.line = 0, .message = "more communicators than a trace has"};
    return false;
  }
  m->out = loom_vef_create(&size);
  if (!m->out)
    return no_memory(m);
  for (uint32_t r = 0; r < m->ranks; r++)
    m->out->member[r] = r;
  m->out->comm[1] = m->ranks;
  if (!take_turns(m))
    return false;
  m->out->groups = (uint32_t)m->merged->collectives;
  m->merged->messages = m->messages;
  m->merged->parts = m->parts;
  loom_vef_sort_parts(m->out);
  loom_vef_set_triggers(m->out);
  return true;
}

static void drop(struct merge *m) {
  for (uint32_t r = 0; m->global && r < m->ranks; r++)
    free(m->global[r]);
  void *all[] = {m->first, m->link, m->off, m->global, m->comm, m->group, m->sent, m->task};
  for (unsigned i = 0; i < sizeof all / sizeof all[0]; i++)
    free(all[i]);
}

struct loom_vef_trace *loom_vef_merge(const struct loom_vef_log *log, uint32_t ranks,
                                      const struct loom_vef_merge_cfg *cfg,
                                      struct loom_vef_merged *merged, struct loom_vef_error *error,
                                      uint32_t *rank) {
  struct merge m = {
      .log = log, .ranks = ranks, .cfg = *cfg, .merged = merged, .error = error, .rank = rank};
  *merged = (struct loom_vef_merged){.messages = 0};
  *rank = 0;
  bool ok = prepare(&m) && take_turns(&m) && write_trace(&m);
  drop(&m);
  if (ok)
    return m.out;
  loom_vef_destroy(m.out);
  return NULL;
}

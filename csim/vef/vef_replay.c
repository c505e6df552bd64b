/* SPDX-License-Identifier: Apache-2.0 */
#include "vef/vef_replay.h"

#include <loom/random.h>
#include <stdlib.h>
#include <string.h>

enum { AWAITED = 1, FLAGGED = 2 }; /* a record waits for the reception; the flag says so */

/* One trace in the replay. Quiet records, which cause no traffic, are done as soon as their cycle
 * is known, even if it lies ahead: nothing can change it any more. */
struct part {
  struct loom_vef_load load;
  uint32_t *node;     /* by task */
  uint32_t *first;    /* by task: its records in `order` */
  uint32_t *order;    /* records by task */
  uint32_t *at;       /* by task: position of its next record */
  uint64_t *clock;    /* by task: cycle in which it was done with the record before */
  uint64_t *ready;    /* by task: cycle from which its message may go, if it is in the heap */
  uint32_t *heap;     /* tasks whose next message may go, the earliest first */
  uint32_t *place;    /* by task: where in the heap, or LOOM_VEF_NONE */
  uint32_t *stack;    /* tasks to look at */
  uint8_t *stacked;   /* by task */
  uint64_t *sent;     /* by record: cycle, or LOOM_VEF_NEVER */
  uint64_t *received; /* by record: cycle, or LOOM_VEF_NEVER */
  uint8_t *wanted;    /* by record: AWAITED and FLAGGED; neither: its reception is not looked for */
  uint32_t waiting;   /* tasks in the heap */
  uint32_t depth;     /* of the stack */
  uint32_t left;      /* records that are not done */
  uint64_t last;      /* cycle of the last quiet record or reception within a node */
};

struct loom_vef_replay {
  struct loom_vef_replay_cfg cfg;
  struct loom_vef_counts counts;
  uint64_t now;
  uint32_t parts;
  struct part part[];
};

/* ---- the heap -------------------------------------------------------------------------------- */

static bool before(const struct part *p, uint32_t a, uint32_t b) {
  return p->ready[a] != p->ready[b] ? p->ready[a] < p->ready[b] : a < b;
}

static void put(struct part *p, uint32_t place, uint32_t task) {
  p->heap[place] = task;
  p->place[task] = place;
}

static void rise(struct part *p, uint32_t place) {
  uint32_t task = p->heap[place];
  for (; place && before(p, task, p->heap[(place - 1) / 2]); place = (place - 1) / 2)
    put(p, place, p->heap[(place - 1) / 2]);
  put(p, place, task);
}

static void sink(struct part *p, uint32_t place) {
  uint32_t task = p->heap[place];
  for (uint32_t child; (child = 2 * place + 1) < p->waiting; place = child) {
    if (child + 1 < p->waiting && before(p, p->heap[child + 1], p->heap[child]))
      child++;
    if (!before(p, p->heap[child], task))
      break;
    put(p, place, p->heap[child]);
  }
  put(p, place, task);
}

static void insert(struct part *p, uint32_t task, uint64_t ready) {
  p->ready[task] = ready;
  put(p, p->waiting, task);
  rise(p, p->waiting++);
}

static void take_out(struct part *p, uint32_t task) {
  uint32_t place = p->place[task];
  uint32_t last = p->heap[--p->waiting];
  p->place[task] = LOOM_VEF_NONE;
  if (last == task)
    return;
  put(p, place, last);
  sink(p, place);
  rise(p, p->place[last]);
}

/* ---- time ------------------------------------------------------------------------------------ */

static uint64_t add(uint64_t a, uint64_t b) {
  return a > LOOM_VEF_NEVER - 1 - b ? LOOM_VEF_NEVER - 1 : a + b;
}

static uint64_t later(uint64_t a, uint64_t b) { return a > b ? a : b; }

/* dtime in cycles, rounded up; below 2^63. */
static uint64_t cycles(const struct loom_vef_replay *r, const struct part *p, uint64_t dtime) {
  uint32_t cycle = r->cfg.cycle_ps;
  return cycle ? (dtime * p->load.trace->clock + cycle - 1) / cycle : dtime;
}

static bool is_pause(const struct loom_vef_record *m) { return m->src == m->dst && !m->length; }

static uint64_t inside_latency(const struct part *p, const struct loom_vef_record *m) {
  if (is_pause(m))
    return 0;
  switch (p->load.intra) {
  case LOOM_VEF_INTRA_LATENCY:
    return p->load.latency;
  case LOOM_VEF_INTRA_BANDWIDTH:
    return m->length ? ((uint64_t)m->length + p->load.bandwidth - 1) / p->load.bandwidth : 1;
  case LOOM_VEF_INTRA_TABLE:
    return p->load.table[(size_t)m->src * p->load.trace->size.tasks + m->dst];
  default:
    return 1;
  }
}

/* ---- records --------------------------------------------------------------------------------- */

/* The task is replayed here. */
static bool is_mine(const struct loom_vef_replay *r, const struct part *p, uint32_t task) {
  return !r->cfg.mine || r->cfg.mine[p->node[task]];
}

static bool is_inside(const struct part *p, const struct loom_vef_record *m) {
  return m->kind == LOOM_VEF_MESSAGE && p->node[m->src] == p->node[m->dst];
}

static void look_at(struct part *p, uint32_t task) {
  if (p->stacked[task])
    return;
  p->stacked[task] = 1;
  p->stack[p->depth++] = task;
}

/* Goes through the window of the receiver up to the record that waits, as a library without ids
 * does (T-3.3.1.5). What it finds is known by the id already. */
static void walk(struct loom_vef_replay *r, const struct part *p, uint32_t index) {
  uint32_t task = p->load.trace->record[index].dst;
  uint32_t left = p->first[task + 1] - p->at[task];
  uint32_t window = left < r->cfg.window ? left : r->cfg.window;
  for (uint32_t i = 0; i < window; i++) {
    r->counts.looked_at++;
    if (p->load.trace->record[p->order[p->at[task] + i]].on == index)
      return;
  }
  r->counts.false_fails += p->wanted[index] & AWAITED;
}

/* A reception is known: does the receiver's next record wait for it? (VF-08) */
static void search(struct loom_vef_replay *r, struct part *p, uint32_t index) {
  uint32_t task = p->load.trace->record[index].dst;
  if (!p->wanted[index]) {
    r->counts.searches_saved++;
    return;
  }
  r->counts.searches++;
  if (r->cfg.window && !is_pause(&p->load.trace->record[index]))
    walk(r, p, index);
  if (p->at[task] < p->first[task + 1] && p->load.trace->record[p->order[p->at[task]]].on == index)
    look_at(p, task);
}

/* Cycle from which the record may go (VF-05, VF-06), LOOM_VEF_NEVER: not known yet. */
static uint64_t time_of(const struct loom_vef_replay *r, const struct part *p,
                        const struct loom_vef_record *record) {
  uint64_t delay = cycles(r, p, record->dtime);
  uint64_t clock = p->clock[record->src];
  if ((record->dep & 3) == LOOM_VEF_AT)
    return later(clock, add(p->load.start, delay));
  if ((record->dep & 3) == LOOM_VEF_RECEIVED)
    return p->received[record->on] == LOOM_VEF_NEVER
               ? LOOM_VEF_NEVER
               : later(clock, add(p->received[record->on], delay));
  uint64_t time = later(clock, add(p->sent[record->on], delay));
  return is_inside(p, &p->load.trace->record[record->on]) ? later(time, p->received[record->on])
                                                          : time;
}

static void finish(struct part *p, uint32_t index, uint64_t time) {
  uint32_t task = p->load.trace->record[index].src;
  p->sent[index] = time;
  p->clock[task] = time;
  p->at[task]++;
  p->left--;
}

static void finish_quiet(struct loom_vef_replay *r, struct part *p, uint32_t index, uint64_t time) {
  const struct loom_vef_record *record = &p->load.trace->record[index];
  finish(p, index, time);
  p->last = later(p->last, time);
  if (record->kind != LOOM_VEF_MESSAGE)
    return;
  p->received[index] = add(time, inside_latency(p, record));
  p->last = later(p->last, p->received[index]);
  r->counts.inside++;
  search(r, p, index);
}

/* Goes through a task's records up to one that needs the network or waits. */
static void advance(struct loom_vef_replay *r, struct part *p, uint32_t task) {
  while (p->at[task] < p->first[task + 1]) {
    uint32_t index = p->order[p->at[task]];
    const struct loom_vef_record *record = &p->load.trace->record[index];
    uint64_t time = time_of(r, p, record);
    if (time == LOOM_VEF_NEVER)
      return;
    if (record->kind == LOOM_VEF_MESSAGE && !is_inside(p, record)) {
      insert(p, task, time);
      return;
    }
    finish_quiet(r, p, index, time);
  }
}

/* A task that is looked at twice is in the heap by then. */
static void settle(struct loom_vef_replay *r, struct part *p) {
  while (p->depth) {
    uint32_t task = p->stack[--p->depth];
    p->stacked[task] = 0;
    if (p->place[task] == LOOM_VEF_NONE)
      advance(r, p, task);
  }
}

/* ---- creation -------------------------------------------------------------------------------- */

struct loom_vef_replay *loom_vef_replay_create(const struct loom_vef_replay_cfg *cfg) {
  struct loom_vef_replay *r = NULL;
  if (cfg->nodes)
    r = calloc(1, sizeof *r + cfg->traces * sizeof r->part[0]);
  if (r)
    r->cfg = *cfg;
  return r;
}

static void drop(struct part *p) {
  void *all[] = {p->node,  p->first, p->order,   p->at,   p->clock,    p->ready, p->heap,
                 p->place, p->stack, p->stacked, p->sent, p->received, p->wanted};
  for (unsigned i = 0; i < sizeof all / sizeof all[0]; i++)
    free(all[i]);
}

void loom_vef_replay_destroy(struct loom_vef_replay *r) {
  if (!r)
    return;
  for (uint32_t i = 0; i < r->parts; i++)
    drop(&r->part[i]);
  free(r);
}

static bool take_memory(struct part *p) {
  size_t tasks = (size_t)p->load.trace->size.tasks + 1;
  size_t records = (size_t)p->load.trace->count + 1;
  p->node = calloc(tasks, sizeof *p->node);
  p->first = calloc(tasks, sizeof *p->first);
  p->order = calloc(records, sizeof *p->order);
  p->at = calloc(tasks, sizeof *p->at);
  p->clock = calloc(tasks, sizeof *p->clock);
  p->ready = calloc(tasks, sizeof *p->ready);
  p->heap = calloc(tasks, sizeof *p->heap);
  p->place = calloc(tasks, sizeof *p->place);
  p->stack = calloc(tasks, sizeof *p->stack);
  p->stacked = calloc(tasks, sizeof *p->stacked);
  p->sent = calloc(records, sizeof *p->sent);
  p->received = calloc(records, sizeof *p->received);
  p->wanted = calloc(records, sizeof *p->wanted);
  return p->node && p->first && p->order && p->at && p->clock && p->ready && p->heap && p->place &&
         p->stack && p->stacked && p->sent && p->received && p->wanted;
}

static bool fits(const struct loom_vef_replay *r, const struct loom_vef_load *load) {
  for (uint32_t t = 0; t < load->trace->size.tasks; t++)
    if (load->node[t] >= r->cfg.nodes)
      return false;
  return r->parts < r->cfg.traces && !load->trace->parts &&
         (load->intra != LOOM_VEF_INTRA_BANDWIDTH || load->bandwidth) &&
         (load->intra != LOOM_VEF_INTRA_TABLE || load->table);
}

/* Which receptions are looked for: those with the flag, or all if the trace knows no flags. */
static void take_flags(struct loom_vef_replay *r, struct part *p) {
  const struct loom_vef_trace *t = p->load.trace;
  struct loom_vef_triggers found;
  loom_vef_check_triggers(t, p->wanted, &found);
  r->counts.repaired += found.missing;
  for (uint32_t i = 0; i < t->count; i++)
    if (t->size.version < 3 || (t->record[i].dep & LOOM_VEF_TRIGGER))
      p->wanted[i] |= FLAGGED;
}

bool loom_vef_add(struct loom_vef_replay *r, const struct loom_vef_load *load, uint32_t *number) {
  if (!fits(r, load))
    return false;
  const struct loom_vef_trace *t = load->trace;
  struct part *p = &r->part[r->parts];
  *p = (struct part){.load = *load};
  if (!take_memory(p)) {
    drop(p);
    return false;
  }
  memcpy(p->node, load->node, t->size.tasks * sizeof *p->node);
  memset(p->place, 0xFF, t->size.tasks * sizeof *p->place);
  memset(p->sent, 0xFF, ((size_t)t->count + 1) * sizeof *p->sent);
  memset(p->received, 0xFF, ((size_t)t->count + 1) * sizeof *p->received);
  loom_vef_by_task(t, p->first, p->order);
  take_flags(r, p);
  for (uint32_t task = t->size.tasks; task-- > 0;) {
    p->at[task] = p->first[task];
    p->clock[task] = r->now;
    if (!is_mine(r, p, task))
      continue;
    p->left += p->first[task + 1] - p->first[task];
    look_at(p, task);
  }
  settle(r, p);
  *number = r->parts++;
  return true;
}

/* ---- poll, deliver, tick --------------------------------------------------------------------- */

bool loom_vef_poll(struct loom_vef_replay *r, uint32_t trace, uint32_t task,
                   struct loom_vef_message *message) {
  struct part *p = &r->part[trace];
  if (p->place[task] == LOOM_VEF_NONE || p->ready[task] > r->now)
    return false;
  uint32_t index = p->order[p->at[task]];
  const struct loom_vef_record *m = &p->load.trace->record[index];
  *message = (struct loom_vef_message){.trace = trace,
                                       .id = m->id,
                                       .src = m->src,
                                       .dst = m->dst,
                                       .src_node = p->node[m->src],
                                       .dst_node = p->node[m->dst],
                                       .length = m->length};
  take_out(p, task);
  finish(p, index, r->now);
  r->counts.sent++;
  look_at(p, task);
  settle(r, p);
  return true;
}

bool loom_vef_next(struct loom_vef_replay *r, struct loom_vef_message *message) {
  for (uint32_t i = 0; i < r->parts; i++)
    if (r->part[i].waiting && loom_vef_poll(r, i, r->part[i].heap[0], message))
      return true;
  return false;
}

bool loom_vef_deliver(struct loom_vef_replay *r, uint32_t trace, uint32_t id) {
  struct part *p = trace < r->parts ? &r->part[trace] : NULL;
  uint32_t index = p ? loom_vef_find(p->load.trace, id) : LOOM_VEF_NONE;
  if (index == LOOM_VEF_NONE || p->received[index] != LOOM_VEF_NEVER ||
      (p->sent[index] == LOOM_VEF_NEVER && is_mine(r, p, p->load.trace->record[index].src)))
    return false;
  p->received[index] = r->now;
  r->counts.received++;
  search(r, p, index);
  settle(r, p);
  return true;
}

void loom_vef_tick(struct loom_vef_replay *r) { r->now++; }

void loom_vef_advance(struct loom_vef_replay *r, uint64_t cycle) { r->now = later(r->now, cycle); }

uint64_t loom_vef_now(const struct loom_vef_replay *r) { return r->now; }

uint64_t loom_vef_when(const struct loom_vef_replay *r) {
  uint64_t when = LOOM_VEF_NEVER;
  for (uint32_t i = 0; i < r->parts; i++) {
    const struct part *p = &r->part[i];
    if (p->waiting && later(r->now, p->ready[p->heap[0]]) < when)
      when = later(r->now, p->ready[p->heap[0]]);
  }
  return when;
}

uint64_t loom_vef_known_until(const struct loom_vef_replay *r) {
  uint64_t until = r->now;
  for (uint32_t i = 0; i < r->parts; i++)
    until = later(until, r->part[i].last);
  return until;
}

void loom_vef_return(struct loom_vef_replay *r, uint64_t cycle) {
  r->now = r->now < cycle ? r->now : cycle;
}

bool loom_vef_sent_all(const struct loom_vef_replay *r) {
  for (uint32_t i = 0; i < r->parts; i++)
    if (r->part[i].left || r->part[i].last > r->now)
      return false;
  return true;
}

bool loom_vef_done(const struct loom_vef_replay *r) {
  return loom_vef_sent_all(r) && r->counts.sent == r->counts.received;
}

void loom_vef_count(const struct loom_vef_replay *r, struct loom_vef_counts *counts) {
  *counts = r->counts;
}

struct loom_vef_progress loom_vef_progress(const struct loom_vef_replay *r, uint32_t trace) {
  const struct part *p = &r->part[trace];
  const struct loom_vef_trace *t = p->load.trace;
  struct loom_vef_progress progress = {.messages = 0};
  for (uint32_t i = 0; i < t->count; i++) {
    bool message = t->record[i].kind == LOOM_VEF_MESSAGE;
    progress.messages += message;
    progress.received += message && p->received[i] < r->now; /* quiet ones are known before */
  }
  progress.finished =
      !p->left && p->last < r->now && (r->cfg.mine || progress.received == progress.messages);
  return progress;
}

uint64_t loom_vef_sent_at(const struct loom_vef_replay *r, uint32_t trace, uint32_t id) {
  uint32_t index = loom_vef_find(r->part[trace].load.trace, id);
  return index == LOOM_VEF_NONE ? LOOM_VEF_NEVER : r->part[trace].sent[index];
}

uint64_t loom_vef_received_at(const struct loom_vef_replay *r, uint32_t trace, uint32_t id) {
  uint32_t index = loom_vef_find(r->part[trace].load.trace, id);
  return index == LOOM_VEF_NONE ? LOOM_VEF_NEVER : r->part[trace].received[index];
}

/* ---- mappings -------------------------------------------------------------------------------- */

void loom_vef_map(enum loom_vef_mapping mapping, uint32_t tasks, uint32_t nodes, uint64_t seed,
                  uint32_t *node) {
  for (uint32_t t = 0; t < tasks; t++)
    node[t] = mapping == LOOM_VEF_MAP_BLOCK ? (uint32_t)((uint64_t)t * nodes / tasks) : t % nodes;
  for (uint32_t t = tasks; mapping == LOOM_VEF_MAP_RANDOM && t > 1; t--) {
    uint32_t other = loom_below(&seed, t);
    uint32_t kept = node[t - 1];
    node[t - 1] = node[other];
    node[other] = kept;
  }
}

void loom_vef_map_names(const struct loom_vef_names *names, uint32_t *node) {
  for (uint32_t i = 0; i < names->count; i++)
    node[i] = strcmp(names->device[i].kind, "DMA") == 0 ? 0 : names->device[i].tile;
}

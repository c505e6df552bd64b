/* SPDX-License-Identifier: Apache-2.0 */
/* The dependencies of a trace, followed without a network (docs/vef.md). */
#include <stdlib.h>

#include "vef/vef.h"

struct walk {
  const struct loom_vef_trace *trace;
  uint32_t *first; /* by task */
  uint32_t *order; /* records by task */
  uint32_t *at;    /* by task: position in `order` */
  uint32_t *stack; /* tasks to look at */
  bool *stacked;   /* by task */
  uint32_t depth;  /* of the stack */
  bool *done;      /* by record */
  uint32_t *chain; /* by record: messages on its longest chain */
  uint64_t *time;  /* by record: sum of dtime */
  struct loom_vef_chain *found;
};

static void push(struct walk *w, uint32_t task) {
  if (w->stacked[task])
    return;
  w->stacked[task] = true;
  w->stack[w->depth++] = task;
}

static void join(struct walk *w, uint32_t record, uint32_t other) {
  if (w->chain[other] > w->chain[record])
    w->chain[record] = w->chain[other];
  if (w->time[other] > w->time[record])
    w->time[record] = w->time[other];
}

/* A wait inside a collective continues all that its task waited for before. */
static void finish(struct walk *w, uint32_t index, uint32_t before) {
  const struct loom_vef_record *r = &w->trace->record[index];
  if (r->on != LOOM_VEF_NONE)
    join(w, index, r->on);
  if (before != LOOM_VEF_NONE && r->kind == LOOM_VEF_WAIT &&
      w->trace->record[before].origin == r->origin)
    join(w, index, before);
  w->chain[index] += r->kind == LOOM_VEF_MESSAGE;
  w->time[index] = w->time[index] > UINT64_MAX - r->dtime ? UINT64_MAX : w->time[index] + r->dtime;
  w->done[index] = true;
  if (w->chain[index] > w->found->messages)
    w->found->messages = w->chain[index];
  if (w->time[index] > w->found->time)
    w->found->time = w->time[index];
  if (r->kind == LOOM_VEF_MESSAGE)
    push(w, r->dst);
}

static void advance(struct walk *w, uint32_t task) {
  for (; w->at[task] < w->first[task + 1]; w->at[task]++) {
    uint32_t position = w->at[task];
    uint32_t on = w->trace->record[w->order[position]].on;
    if (on != LOOM_VEF_NONE && !w->done[on])
      return;
    finish(w, w->order[position],
           position > w->first[task] ? w->order[position - 1] : LOOM_VEF_NONE);
  }
}

static void run(struct walk *w) {
  uint32_t tasks = w->trace->size.tasks;
  *w->found = (struct loom_vef_chain){.stuck = LOOM_VEF_NONE};
  loom_vef_by_task(w->trace, w->first, w->order);
  for (uint32_t t = tasks; t-- > 0;) {
    w->at[t] = w->first[t];
    push(w, t);
  }
  while (w->depth) {
    uint32_t task = w->stack[--w->depth];
    w->stacked[task] = false;
    advance(w, task);
  }
  for (uint32_t t = 0; t < tasks; t++)
    if (w->at[t] < w->first[t + 1] && w->order[w->at[t]] < w->found->stuck)
      w->found->stuck = w->order[w->at[t]];
}

bool loom_vef_follow(const struct loom_vef_trace *trace, struct loom_vef_chain *chain) {
  size_t tasks = (size_t)trace->size.tasks + 1;
  size_t records = (size_t)trace->count + 1;
  struct walk w = {.trace = trace,
                   .first = calloc(tasks, sizeof *w.first),
                   .order = calloc(records, sizeof *w.order),
                   .at = calloc(tasks, sizeof *w.at),
                   .stack = calloc(tasks, sizeof *w.stack),
                   .stacked = calloc(tasks, sizeof *w.stacked),
                   .done = calloc(records, sizeof *w.done),
                   .chain = calloc(records, sizeof *w.chain),
                   .time = calloc(records, sizeof *w.time),
                   .found = chain};
  bool ok = w.first && w.order && w.at && w.stack && w.stacked && w.done && w.chain && w.time;
  if (ok)
    run(&w);
  free(w.first);
  free(w.order);
  free(w.at);
  free(w.stack);
  free(w.stacked);
  free(w.done);
  free(w.chain);
  free(w.time);
  return ok;
}

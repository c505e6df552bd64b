/* SPDX-License-Identifier: Apache-2.0 */
/* Traces in memory: creation, records by number, trigger flags. */
#include "vef/vef.h"

#include <stdlib.h>
#include <string.h>

_Static_assert(sizeof(struct loom_vef_record) == 32, "a record takes 32 bytes (docs/formats.md)");

const char *const loom_vef_op_names[LOOM_VEF_OPS + 1] = {
    "broadcast", "reduce", "allreduce", "gather", "scatter", "allgather", "barrier", "alltoall"};

void loom_vef_op_bytes(enum loom_vef_op op, bool root, uint64_t block, uint32_t n, uint64_t *sent,
                       uint64_t *received) {
  *sent = *received = block;
  switch (op) {
  case LOOM_VEF_BROADCAST:
    *(root ? received : sent) = 0;
    break;
  case LOOM_VEF_SCATTER:
    *sent = root ? n * block : 0;
    break;
  case LOOM_VEF_REDUCE:
    *received = root ? block : 0;
    break;
  case LOOM_VEF_GATHER:
    *received = root ? n * block : 0;
    break;
  case LOOM_VEF_ALLGATHER:
    *received = n * block;
    break;
  default:
    break;
  }
}

/* A fifth of the slots is free: 5 bytes a record, and a few looks to find one. */
static uint32_t slots_for(uint32_t records) {
  uint64_t slots = (uint64_t)records + records / 4 + 2;
  return slots > UINT32_MAX ? UINT32_MAX : (uint32_t)slots;
}

static uint32_t slot_of(const struct loom_vef_trace *t, uint32_t id) {
  uint64_t hash = id * UINT64_C(0x9E3779B97F4A7C15) >> 32;
  return (uint32_t)(hash * t->slots >> 32);
}

static uint32_t after(const struct loom_vef_trace *t, uint32_t slot) {
  return slot + 1 < t->slots ? slot + 1 : 0;
}

/* Every task stands in communicator 0. */
static void fill_comm(struct loom_vef_trace *t) {
  for (uint32_t i = 0; i < t->size.tasks; i++)
    t->member[i] = i;
  t->comm[1] = t->size.tasks;
}

struct loom_vef_trace *loom_vef_create(const struct loom_vef_size *size) {
  struct loom_vef_trace *t = calloc(1, sizeof *t);
  if (!t)
    return NULL;
  t->size = *size;
  if (!size->members)
    t->size.members = size->tasks;
  t->clock = LOOM_VEF_MPI_CLOCK;
  t->slots = slots_for(size->records);
  t->record = calloc((size_t)size->records + 1, sizeof *t->record);
  t->part = calloc((size_t)size->parts + 1, sizeof *t->part);
  t->comm = calloc((size_t)size->comms + 1, sizeof *t->comm);
  t->member = calloc(t->size.members + 1, sizeof *t->member);
  t->slot = malloc(t->slots * sizeof *t->slot);
  if (!t->record || !t->part || !t->comm || !t->member || !t->slot) {
    loom_vef_destroy(t);
    return NULL;
  }
  memset(t->slot, 0xFF, t->slots * sizeof *t->slot);
  if (!size->members)
    fill_comm(t);
  return t;
}

void loom_vef_destroy(struct loom_vef_trace *t) {
  if (!t)
    return;
  free(t->record);
  free(t->part);
  free(t->comm);
  free(t->member);
  free(t->slot);
  free(t);
}

uint32_t loom_vef_find(const struct loom_vef_trace *t, uint32_t id) {
  for (uint32_t s = slot_of(t, id); t->slot[s] != LOOM_VEF_NONE; s = after(t, s))
    if (t->record[t->slot[s]].id == id)
      return t->slot[s];
  return LOOM_VEF_NONE;
}

bool loom_vef_append(struct loom_vef_trace *t, const struct loom_vef_record *record) {
  if (t->count == t->size.records)
    return false;
  if (record->kind == LOOM_VEF_MESSAGE) {
    uint32_t s = slot_of(t, record->id);
    for (; t->slot[s] != LOOM_VEF_NONE; s = after(t, s))
      if (t->record[t->slot[s]].id == record->id)
        return false;
    t->slot[s] = t->count;
  }
  t->record[t->count++] = *record;
  return true;
}

static int by_group(const void *a, const void *b) {
  const struct loom_vef_part *p = a;
  const struct loom_vef_part *q = b;
  if (p->group != q->group)
    return p->group < q->group ? -1 : 1;
  return p->task < q->task ? -1 : p->task > q->task;
}

void loom_vef_sort_parts(struct loom_vef_trace *t) {
  if (t->parts)
    qsort(t->part, t->parts, sizeof *t->part, by_group);
}

const struct loom_vef_part *loom_vef_part_of(const struct loom_vef_trace *t, uint32_t group,
                                             uint32_t task) {
  uint32_t low = 0;
  uint32_t high = t->parts;
  while (low < high) {
    uint32_t middle = low + (high - low) / 2;
    const struct loom_vef_part *p = &t->part[middle];
    if (p->group == group && p->task == task)
      return p;
    if (p->group < group || (p->group == group && p->task < task))
      low = middle + 1;
    else
      high = middle;
  }
  return NULL;
}

void loom_vef_by_task(const struct loom_vef_trace *t, uint32_t *first, uint32_t *order) {
  memset(first, 0, ((size_t)t->size.tasks + 1) * sizeof *first);
  for (uint32_t i = 0; i < t->count; i++)
    first[t->record[i].src + 1]++;
  for (uint32_t k = 0; k < t->size.tasks; k++)
    first[k + 1] += first[k];
  for (uint32_t i = 0; i < t->count; i++)
    order[first[t->record[i].src]++] = i;
  memmove(first + 1, first, t->size.tasks * sizeof *first);
  first[0] = 0;
}

size_t loom_vef_line(const struct loom_vef_trace *t, uint32_t record) {
  return (size_t)2 + t->size.comms + record;
}

/* Whether the record waits for a message to arrive. */
static bool waits(const struct loom_vef_record *r) {
  return (r->dep & 3) == LOOM_VEF_RECEIVED && r->on != LOOM_VEF_NONE;
}

void loom_vef_strip_triggers(struct loom_vef_trace *t) {
  t->size.version = 2;
  for (uint32_t i = 0; i < t->count; i++)
    t->record[i].dep &= 3;
}

void loom_vef_set_triggers(struct loom_vef_trace *t) {
  loom_vef_strip_triggers(t);
  t->size.version = 3;
  for (uint32_t i = 0; i < t->count; i++)
    if (waits(&t->record[i]))
      t->record[t->record[i].on].dep |= LOOM_VEF_TRIGGER;
}

void loom_vef_check_triggers(const struct loom_vef_trace *t, uint8_t *wanted,
                             struct loom_vef_triggers *found) {
  *found = (struct loom_vef_triggers){.missing = 0};
  if (t->count)
    memset(wanted, 0, t->count);
  for (uint32_t i = 0; i < t->count; i++)
    if (waits(&t->record[i]))
      wanted[t->record[i].on] = 1;
  for (uint32_t i = 0; i < t->count && t->size.version == 3; i++) {
    const struct loom_vef_record *r = &t->record[i];
    bool flag = (r->dep & LOOM_VEF_TRIGGER) != 0;
    if (wanted[i] && !flag && !found->missing++)
      found->first = r->id;
    found->idle += flag && !wanted[i];
  }
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Collectives become messages and waits (docs/vef.md; VF-10).
 *
 * Each task enters with a wait that has the dependency of its `G` line; then come its sends, each
 * at once after what stands before it, and a wait for each message that it receives. The last of
 * these records is what group dependencies mean.
 */
#include <stdlib.h>

#include "vef/vef.h"

const char *const loom_vef_algorithm_names[] = {[LOOM_VEF_LINEAR] = "linear",
                                                [LOOM_VEF_RING] = "ring",
                                                [LOOM_VEF_DOUBLING] = "doubling",
                                                [LOOM_VEF_TREE] = "tree",
                                                NULL};

/* Tags of messages, so that two between the same tasks can be told apart. */
enum { TAG_UP = 1, TAG_DOWN, TAG_FOLD, TAG_UNFOLD, TAG_STEP };

/* One end of a message of a collective. */
struct end {
  uint32_t group, from, to, tag;
  uint32_t record;
};

/* What all tasks of a collective know. */
struct group {
  uint32_t root;  /* task */
  uint32_t block; /* bytes */
};

/* An expansion; without `out` it only counts. */
struct expansion {
  const struct loom_vef_trace *in;
  struct loom_vef_trace *out;
  enum loom_vef_algorithm algorithm;
  struct group *group; /* by part */
  uint32_t *rank;      /* by task, in communicator `comm` */
  uint32_t comm;
  uint32_t *map; /* by record of `in`: the record of `out` that stands for it */
  struct end *send, *receive;
  uint64_t records, sends, receives;
  uint64_t next_id;
  bool too_much;
};

/* One task in one collective. */
struct role {
  struct expansion *e;
  const struct loom_vef_record *record;
  const uint32_t *member;
  uint32_t index; /* of the record */
  uint32_t n;     /* tasks */
  uint32_t rank;
  uint32_t root; /* rank */
  uint32_t block;
};

/* ---- records --------------------------------------------------------------------------------- */

static void emit(struct expansion *e, const struct loom_vef_record *record) {
  if (e->out)
    e->too_much = !loom_vef_append(e->out, record) || e->too_much;
  e->records++;
}

static struct loom_vef_record make(const struct role *r, enum loom_vef_kind kind, unsigned dep) {
  return (struct loom_vef_record){.id = r->record->id,
                                  .src = r->record->src,
                                  .dst = r->record->src,
                                  .on = LOOM_VEF_NONE,
                                  .origin = r->index,
                                  .kind = (uint8_t)kind,
                                  .dep = (uint8_t)dep};
}

static void enter(const struct role *r) {
  struct loom_vef_record record = make(r, LOOM_VEF_WAIT, r->record->dep);
  record.dtime = r->record->dtime;
  record.on = r->record->on;
  emit(r->e, &record);
}

static void send(const struct role *r, uint32_t to, uint64_t bytes, uint32_t tag) {
  struct expansion *e = r->e;
  unsigned trigger = e->in->size.version == 3 ? LOOM_VEF_TRIGGER : 0;
  struct loom_vef_record record = make(r, LOOM_VEF_MESSAGE, LOOM_VEF_SENT | trigger);
  record.id = (uint32_t)e->next_id++;
  record.dst = (uint16_t)r->member[to];
  record.length = (uint32_t)bytes;
  record.on = (uint32_t)e->records - 1;
  e->too_much = e->too_much || bytes > UINT32_MAX || e->next_id > LOOM_VEF_ID_MAX;
  if (e->out)
    e->send[e->sends] =
        (struct end){r->record->id, record.src, record.dst, tag, (uint32_t)e->records};
  e->sends++;
  emit(e, &record);
}

static void receive(const struct role *r, uint32_t from, uint32_t tag) {
  struct expansion *e = r->e;
  struct loom_vef_record record = make(r, LOOM_VEF_WAIT, LOOM_VEF_RECEIVED);
  if (e->out)
    e->receive[e->receives] =
        (struct end){r->record->id, r->member[from], r->record->src, tag, (uint32_t)e->records};
  e->receives++;
  emit(e, &record);
}

/* ---- trees ----------------------------------------------------------------------------------- */

/* Trees number their tasks from the root: flat, a chain, or binomial. */
static uint32_t actual(const struct role *r, uint32_t v) { return (v + r->root) % r->n; }

static uint32_t lowest_bit(uint32_t v) { return v & (0 - v); }

static uint32_t parent_of(const struct role *r, uint32_t v) {
  switch (r->e->algorithm) {
  case LOOM_VEF_RING:
    return v - 1;
  case LOOM_VEF_DOUBLING:
  case LOOM_VEF_TREE:
    return v & (v - 1);
  default:
    return 0;
  }
}

/* Tasks at and below v; v is not the root. */
static uint32_t below(const struct role *r, uint32_t v) {
  switch (r->e->algorithm) {
  case LOOM_VEF_RING:
    return r->n - v;
  case LOOM_VEF_DOUBLING:
  case LOOM_VEF_TREE:
    return lowest_bit(v) < r->n - v ? lowest_bit(v) : r->n - v;
  default:
    return 1;
  }
}

/* The child of v after `child`, the nearest first; v itself asks for the first. `n` or more: none.
 */
static uint32_t next_child(const struct role *r, uint32_t v, uint32_t child) {
  switch (r->e->algorithm) {
  case LOOM_VEF_RING:
    return child == v ? v + 1 : r->n;
  case LOOM_VEF_DOUBLING:
  case LOOM_VEF_TREE: {
    uint32_t step = child == v ? 1 : (child - v) * 2;
    return v && step >= lowest_bit(v) ? r->n : v + step;
  }
  default:
    return v ? r->n : child + 1;
  }
}

static void tree_up(const struct role *r, uint64_t bytes, bool growing) {
  uint32_t v = (r->rank + r->n - r->root) % r->n;
  for (uint32_t c = next_child(r, v, v); c < r->n; c = next_child(r, v, c))
    receive(r, actual(r, c), TAG_UP);
  if (v)
    send(r, actual(r, parent_of(r, v)), growing ? bytes * below(r, v) : bytes, TAG_UP);
}

static void tree_down(const struct role *r, uint64_t bytes, bool shrinking) {
  uint32_t v = (r->rank + r->n - r->root) % r->n;
  if (v)
    receive(r, actual(r, parent_of(r, v)), TAG_DOWN);
  for (uint32_t c = next_child(r, v, v); c < r->n; c = next_child(r, v, c))
    send(r, actual(r, c), shrinking ? bytes * below(r, c) : bytes, TAG_DOWN);
}

/* ---- exchanges ------------------------------------------------------------------------------- */

/* Sends `distance` ranks ahead and receives from as far behind. */
static void step(const struct role *r, uint32_t distance, uint64_t bytes, uint32_t number) {
  send(r, (r->rank + distance) % r->n, bytes, TAG_STEP + number);
  receive(r, (r->rank + r->n - distance) % r->n, TAG_STEP + number);
}

static void ring_steps(const struct role *r, uint32_t steps, uint64_t bytes) {
  for (uint32_t s = 0; s < steps; s++)
    step(r, 1, bytes, s);
}

/* Recursive doubling; tasks beyond the largest power of two go through a partner. */
static void allreduce_doubling(const struct role *r) {
  uint32_t whole = 1;
  while (whole <= r->n / 2)
    whole *= 2;
  if (r->rank >= whole) {
    send(r, r->rank - whole, r->block, TAG_FOLD);
    receive(r, r->rank - whole, TAG_UNFOLD);
    return;
  }
  if (r->rank + whole < r->n)
    receive(r, r->rank + whole, TAG_FOLD);
  for (uint32_t bit = 1; bit < whole; bit *= 2) {
    send(r, r->rank ^ bit, r->block, TAG_STEP + bit);
    receive(r, r->rank ^ bit, TAG_STEP + bit);
  }
  if (r->rank + whole < r->n)
    send(r, r->rank + whole, r->block, TAG_UNFOLD);
}

static void allreduce(const struct role *r) {
  if (r->e->algorithm == LOOM_VEF_RING)
    ring_steps(r, 2 * (r->n - 1), ((uint64_t)r->block + r->n - 1) / r->n);
  else if (r->e->algorithm == LOOM_VEF_DOUBLING)
    allreduce_doubling(r);
  else {
    tree_up(r, r->block, false);
    tree_down(r, r->block, false);
  }
}

static void allgather(const struct role *r) {
  if (r->e->algorithm == LOOM_VEF_RING)
    ring_steps(r, r->n - 1, r->block);
  else if (r->e->algorithm == LOOM_VEF_DOUBLING)
    for (uint32_t bit = 1; bit < r->n; bit *= 2)
      step(r, bit, (uint64_t)r->block * (bit < r->n - bit ? bit : r->n - bit), bit);
  else {
    tree_up(r, r->block, true);
    tree_down(r, (uint64_t)r->block * r->n, false);
  }
}

static void barrier(const struct role *r) {
  if (r->e->algorithm == LOOM_VEF_DOUBLING)
    for (uint32_t bit = 1; bit < r->n; bit *= 2)
      step(r, bit, 0, bit);
  else {
    tree_up(r, 0, false);
    tree_down(r, 0, false);
  }
}

/* Numbers 1..n-1 with `bit` set. */
static uint32_t numbers_with(uint32_t n, uint32_t bit) {
  uint32_t whole = n / (2 * bit) * bit;
  uint32_t left = n % (2 * bit);
  return whole + (left > bit ? left - bit : 0);
}

static void alltoall(const struct role *r) {
  if (r->e->algorithm == LOOM_VEF_DOUBLING) {
    for (uint32_t bit = 1; bit < r->n; bit *= 2)
      step(r, bit, (uint64_t)r->block * numbers_with(r->n, bit), bit);
  } else if (r->e->algorithm == LOOM_VEF_RING) {
    for (uint32_t k = 1; k < r->n; k++)
      step(r, k, r->block, k);
  } else {
    for (uint32_t k = 1; k < r->n; k++)
      send(r, (r->rank + k) % r->n, r->block, TAG_STEP);
    for (uint32_t k = 1; k < r->n; k++)
      receive(r, (r->rank + r->n - k) % r->n, TAG_STEP);
  }
}

static void play(const struct role *r) {
  enter(r);
  switch ((enum loom_vef_op)r->record->op) {
  case LOOM_VEF_BROADCAST:
    tree_down(r, r->block, false);
    break;
  case LOOM_VEF_SCATTER:
    tree_down(r, r->block, true);
    break;
  case LOOM_VEF_REDUCE:
    tree_up(r, r->block, false);
    break;
  case LOOM_VEF_GATHER:
    tree_up(r, r->block, true);
    break;
  case LOOM_VEF_ALLREDUCE:
    allreduce(r);
    break;
  case LOOM_VEF_ALLGATHER:
    allgather(r);
    break;
  case LOOM_VEF_ALLTOALL:
    alltoall(r);
    break;
  default:
    barrier(r);
  }
}

/* ---- the whole trace ------------------------------------------------------------------------- */

static void rank_comm(struct expansion *e, uint32_t comm) {
  const struct loom_vef_trace *t = e->in;
  if (e->comm == comm)
    return;
  e->comm = comm;
  for (size_t i = t->comm[comm]; i < t->comm[comm + 1]; i++)
    e->rank[t->member[i]] = (uint32_t)(i - t->comm[comm]);
}

static void expand_part(struct expansion *e, uint32_t index) {
  const struct loom_vef_trace *t = e->in;
  const struct loom_vef_record *record = &t->record[index];
  const struct loom_vef_part *part = loom_vef_part_of(t, record->id, record->src);
  const struct group *group = &e->group[part - t->part];
  size_t first = t->comm[record->dst];
  rank_comm(e, record->dst);
  struct role r = {.e = e,
                   .record = record,
                   .member = t->member + first,
                   .index = index,
                   .n = (uint32_t)(t->comm[record->dst + 1] - first),
                   .rank = e->rank[record->src],
                   .root = e->rank[group->root],
                   .block = group->block};
  play(&r);
}

/* All records; `map` says for each which record stands for it. */
static void expand_all(struct expansion *e) {
  for (uint32_t i = 0; i < e->in->count; i++) {
    if (e->in->record[i].kind == LOOM_VEF_COLLECTIVE)
      expand_part(e, i);
    else
      emit(e, &e->in->record[i]);
    if (e->records > LOOM_VEF_ID_MAX)
      e->too_much = true;
    if (e->too_much)
      return;
    e->map[i] = (uint32_t)e->records - 1;
  }
}

static bool rooted_here(const struct loom_vef_record *r, const struct loom_vef_part *part) {
  return r->op == LOOM_VEF_BROADCAST || r->op == LOOM_VEF_SCATTER ? r->length > 0
                                                                  : part->received > 0;
}

/* Root and block of the collective whose parts are [from, to). */
static void describe(struct expansion *e, uint32_t from, uint32_t to) {
  const struct loom_vef_trace *t = e->in;
  const struct loom_vef_record *first = &t->record[t->part[from].record];
  struct group g = {.root = t->member[t->comm[first->dst]]};
  bool rooted = first->op == LOOM_VEF_BROADCAST || first->op == LOOM_VEF_SCATTER ||
                first->op == LOOM_VEF_REDUCE || first->op == LOOM_VEF_GATHER;
  for (uint32_t i = from; i < to; i++) {
    const struct loom_vef_record *r = &t->record[t->part[i].record];
    uint32_t bytes = r->op == LOOM_VEF_SCATTER ? t->part[i].received : r->length;
    if (bytes > g.block)
      g.block = bytes;
    if (rooted && rooted_here(r, &t->part[i]))
      g.root = r->src;
  }
  for (uint32_t i = from; i < to; i++)
    e->group[i] = g;
}

static void describe_all(struct expansion *e) {
  const struct loom_vef_trace *t = e->in;
  for (uint32_t from = 0, to = 0; from < t->parts; from = to) {
    while (to < t->parts && t->part[to].group == t->part[from].group)
      to++;
    describe(e, from, to);
  }
}

static int by_end(const void *a, const void *b) {
  const struct end *p = a;
  const struct end *q = b;
  if (p->group != q->group)
    return p->group < q->group ? -1 : 1;
  if (p->from != q->from)
    return p->from < q->from ? -1 : 1;
  if (p->to != q->to)
    return p->to < q->to ? -1 : 1;
  return p->tag < q->tag ? -1 : p->tag > q->tag;
}

/* Each receive waits for its send; what the file's records depend on has moved. */
static void connect(struct expansion *e) {
  if (e->sends) {
    qsort(e->send, e->sends, sizeof *e->send, by_end);
    qsort(e->receive, e->receives, sizeof *e->receive, by_end);
  }
  for (uint64_t i = 0; i < e->receives; i++)
    e->out->record[e->receive[i].record].on = e->send[i].record;
  for (uint32_t i = 0; i < e->in->count; i++) {
    uint32_t entry = i ? e->map[i - 1] + 1 : 0;
    struct loom_vef_record *r = &e->out->record[entry];
    if (r->on != LOOM_VEF_NONE)
      r->on = e->map[r->on];
    if ((r->dep & 3) == LOOM_VEF_GROUP)
      r->dep = (uint8_t)(LOOM_VEF_SENT | (r->dep & LOOM_VEF_TRIGGER));
  }
}

static void start(struct expansion *e) {
  e->records = e->sends = e->receives = 0;
  e->next_id = 0;
  for (uint32_t i = 0; i < e->in->count; i++)
    if (e->in->record[i].kind == LOOM_VEF_MESSAGE && e->in->record[i].id >= e->next_id)
      e->next_id = (uint64_t)e->in->record[i].id + 1;
}

static bool build(struct expansion *e) {
  describe_all(e);
  start(e);
  expand_all(e);
  if (e->too_much)
    return false;
  struct loom_vef_size size = e->in->size;
  size.records = (uint32_t)e->records;
  size.parts = 0;
  size.comms = 1;
  size.members = 0;
  e->send = malloc((e->sends + 1) * sizeof *e->send);
  e->receive = malloc((e->receives + 1) * sizeof *e->receive);
  e->out = loom_vef_create(&size);
  if (!e->send || !e->receive || !e->out)
    return false;
  e->out->clock = e->in->clock;
  e->out->no_recv_dep = e->in->no_recv_dep;
  start(e);
  expand_all(e);
  connect(e);
  return !e->too_much;
}

struct loom_vef_trace *loom_vef_expand(const struct loom_vef_trace *trace,
                                       enum loom_vef_algorithm algorithm) {
  struct expansion e = {.in = trace, .algorithm = algorithm, .comm = LOOM_VEF_NONE};
  e.group = calloc((size_t)trace->parts + 1, sizeof *e.group);
  e.rank = calloc(trace->size.tasks, sizeof *e.rank);
  e.map = calloc((size_t)trace->count + 1, sizeof *e.map);
  bool ok = e.group && e.rank && e.map && build(&e);
  free(e.group);
  free(e.rank);
  free(e.map);
  free(e.send);
  free(e.receive);
  if (ok)
    return e.out;
  loom_vef_destroy(e.out);
  return NULL;
}

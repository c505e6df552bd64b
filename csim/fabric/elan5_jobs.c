/* SPDX-License-Identifier: Apache-2.0 */
/* elan5_jobs.c - collectives of hosts of an Elite5 fabric (docs/fabric.md, Collectives) */
#include "fabric/elan5_jobs.h"

#include <loom/random.h>
#include <stdlib.h>

enum { BARRIER_WORDS = 2 };
#define NONE UINT32_MAX

/* A host in a job. */
struct member {
  uint32_t job, number; /* which member */
  uint32_t next;        /* of the same host; NONE: there is none */
  bool waits;           /* to enter, in this cycle: */
  uint64_t at;
  bool inside;
  union {
    struct loom_elan5_barrier barrier;
    struct loom_elan5_collective collective;
  } part;
};

struct job {
  struct loom_elan5_job_cfg cfg;
  struct member *member;
  uint64_t *sum;             /* of a reduction: what its result must be */
  uint64_t round, over;      /* collectives begun, over */
  uint64_t seed;             /* of the skew */
  uint32_t entered, through; /* members, of this one */
  struct loom_message message;
};

struct loom_elan5_jobs {
  struct loom_elan5_jobs_cfg cfg;
  struct job *job;
  struct member *member; /* of all jobs, one after the other */
  uint32_t *first;       /* by host: a member */
  uint64_t wrong;
};

uint64_t loom_elan5_job_bytes(const struct loom_elan5_job_cfg *c) {
  const struct loom_elan5_collective_cfg collective = {.type = c->type,
                                                       .members = c->members,
                                                       .parts = c->parts,
                                                       .words = c->words,
                                                       .arity = c->arity};
  return c->is_barrier ? BARRIER_WORDS * LOOM_ELAN5_WORD : loom_elan5_collective_bytes(&collective);
}

/* ---- making ---------------------------------------------------------------------------------- */

static void init_part(const struct loom_elan5_job_cfg *c, struct member *m) {
  if (c->is_barrier)
    loom_elan5_barrier_init(&m->part.barrier,
                            &(struct loom_elan5_barrier_cfg){.type = c->barrier,
                                                             .group = c->group[0],
                                                             .members = c->members,
                                                             .self = m->number,
                                                             .node = c->node,
                                                             .address = c->address,
                                                             .event = c->event,
                                                             .arity = c->arity,
                                                             .prio = c->prio});
  else
    loom_elan5_collective_init(&m->part.collective,
                               &(struct loom_elan5_collective_cfg){.type = c->type,
                                                                   .members = c->members,
                                                                   .self = m->number,
                                                                   .node = c->node,
                                                                   .group = c->group,
                                                                   .parts = c->parts,
                                                                   .words = c->words,
                                                                   .arity = c->arity,
                                                                   .address = c->address,
                                                                   .prio = c->prio});
}

/* Its members stand behind those of the jobs before it. */
static bool add_job(struct loom_elan5_jobs *s, uint32_t number, uint32_t before) {
  struct job *j = &s->job[number];
  j->cfg = s->cfg.job[number];
  j->member = s->member + before;
  j->seed = j->cfg.seed;
  for (uint32_t i = 0; i < j->cfg.members; i++) {
    struct member *m = &j->member[i];
    uint32_t *first = &s->first[j->cfg.node[i]];
    *m = (struct member){.job = number, .number = i, .next = *first};
    *first = before + i;
    init_part(&j->cfg, m);
  }
  j->sum = calloc((size_t)j->cfg.words + 1, sizeof *j->sum);
  return j->sum;
}

struct loom_elan5_jobs *loom_elan5_jobs_create(const struct loom_elan5_jobs_cfg *cfg) {
  struct loom_elan5_jobs *s = calloc(1, sizeof *s);
  uint32_t members = 0;
  for (uint32_t j = 0; j < cfg->jobs; j++)
    members += cfg->job[j].members;
  if (!s)
    return NULL;
  s->cfg = *cfg;
  s->job = calloc((size_t)cfg->jobs + 1, sizeof *s->job);
  s->member = calloc((size_t)members + 1, sizeof *s->member);
  s->first = malloc(((size_t)cfg->hosts + 1) * sizeof *s->first);
  bool ok = s->job && s->member && s->first;
  for (uint32_t h = 0; ok && h < cfg->hosts; h++)
    s->first[h] = NONE;
  members = 0;
  for (uint32_t j = 0; ok && j < cfg->jobs; members += cfg->job[j++].members)
    ok = add_job(s, j, members);
  if (ok)
    return s;
  loom_elan5_jobs_destroy(s);
  return NULL;
}

void loom_elan5_jobs_destroy(struct loom_elan5_jobs *s) {
  if (!s)
    return;
  for (uint32_t j = 0; s->job && j < s->cfg.jobs; j++)
    free(s->job[j].sum);
  free(s->job);
  free(s->member);
  free(s->first);
  free(s);
}

/* ---- data ------------------------------------------------------------------------------------ */

/* Word k of what a member gives to the collective that is under way. */
static uint64_t datum(const struct job *j, uint32_t member, uint32_t k) {
  return loom_scramble(loom_scramble(j->cfg.seed + j->round) + ((uint64_t)member << 32 | k));
}

static void write_own(const struct job *j, const struct member *m, struct loom_elan5 *e) {
  for (uint32_t k = 0; k < j->cfg.words; k++)
    loom_elan5_store(loom_elan5_memory(e, loom_elan5_collective_own(&m->part.collective, k)),
                     datum(j, m->number, k));
}

static void add_up(struct job *j) {
  for (uint32_t k = 0; k < j->cfg.words; k++) {
    j->sum[k] = 0;
    for (uint32_t i = 0; i < j->cfg.members; i++)
      j->sum[k] += datum(j, i, k);
  }
}

/* What word k of the result must be. */
static uint64_t expected(const struct job *j, uint32_t k) {
  if (j->cfg.type == LOOM_ELAN5_REDUCTION)
    return j->sum[k];
  if (j->cfg.type == LOOM_ELAN5_GATHER)
    return datum(j, k / j->cfg.words, k % j->cfg.words);
  return datum(j, 0, k);
}

/* Words of the result at a member. */
static uint32_t result_words(const struct job *j, uint32_t member) {
  if (j->cfg.type == LOOM_ELAN5_GATHER)
    return member ? 0 : j->cfg.members * j->cfg.words;
  return j->cfg.words;
}

static bool is_right(const struct job *j, const struct member *m, struct loom_elan5 *e) {
  if (j->cfg.is_barrier)
    return j->entered == j->cfg.members;
  for (uint32_t k = 0; k < result_words(j, m->number); k++) {
    uint64_t at = loom_elan5_collective_result(&m->part.collective, k);
    if (loom_elan5_load(loom_elan5_memory(e, at)) != expected(j, k))
      return false;
  }
  return true;
}

/* ---- a cycle --------------------------------------------------------------------------------- */

void loom_elan5_jobs_begin(struct loom_elan5_jobs *s, const struct loom_message *message) {
  struct job *j = &s->job[message->tag];
  uint64_t from = message->generated + (j->round ? j->cfg.gap : 0);
  j->message = *message;
  j->message.generated = UINT64_MAX;
  j->message.injected = 0;
  j->round++;
  j->entered = j->through = 0;
  for (uint32_t i = 0; i < j->cfg.members; i++) {
    struct member *m = &j->member[i];
    m->at = from + loom_below(&j->seed, (uint32_t)j->cfg.skew + 1);
    m->waits = true;
    if (m->at < j->message.generated)
      j->message.generated = m->at;
    if (m->at > j->message.injected)
      j->message.injected = m->at;
    s->cfg.wake(s->cfg.context, j->cfg.node[i]);
  }
  if (!j->cfg.is_barrier && j->cfg.type == LOOM_ELAN5_REDUCTION)
    add_up(j);
}

static void enter(struct job *j, struct member *m, struct loom_elan5 *e) {
  m->waits = false;
  m->inside = true;
  j->entered++;
  if (j->cfg.is_barrier) {
    loom_elan5_barrier_enter(&m->part.barrier, e);
    return;
  }
  if (m->number == 0 || j->cfg.type == LOOM_ELAN5_REDUCTION || j->cfg.type == LOOM_ELAN5_GATHER)
    write_own(j, m, e);
  loom_elan5_collective_enter(&m->part.collective, e);
}

/* The adapter's part, also for what is left to do when the member is through. Whether it is. */
static bool step_part(const struct job *j, struct member *m, struct loom_elan5 *e) {
  if (j->cfg.is_barrier) {
    loom_elan5_barrier_step(&m->part.barrier, e);
    return loom_elan5_barrier_through(&m->part.barrier, e);
  }
  loom_elan5_collective_step(&m->part.collective, e);
  return loom_elan5_collective_through(&m->part.collective);
}

static void step_member(struct loom_elan5_jobs *s, struct member *m, struct loom_elan5 *e,
                        uint64_t cycle) {
  struct job *j = &s->job[m->job];
  if (m->waits && cycle >= m->at)
    enter(j, m, e);
  if (!step_part(j, m, e) || !m->inside)
    return;
  m->inside = false;
  s->wrong += !is_right(j, m, e);
  if (++j->through < j->cfg.members)
    return;
  struct loom_message over = j->message;
  over.received = cycle;
  j->over++;
  s->cfg.over(s->cfg.context, &over);
}

void loom_elan5_jobs_step(struct loom_elan5_jobs *s, uint32_t host, struct loom_elan5 *e,
                          uint64_t cycle) {
  for (uint32_t m = s->first[host]; m != NONE; m = s->member[m].next)
    step_member(s, &s->member[m], e, cycle);
}

/* A barrier that could not make its request in this cycle. */
static bool is_held(const struct loom_elan5_barrier *b) {
  bool asks = b->cfg.type == LOOM_ELAN5_BARRIER_POLL || b->all_ready;
  return b->waiting && asks && b->transfer == LOOM_ELAN5_NONE;
}

static bool is_busy(const struct job *j, const struct member *m, const struct loom_elan5 *e) {
  return m->waits || (j->cfg.is_barrier ? is_held(&m->part.barrier)
                                        : loom_elan5_collective_is_busy(&m->part.collective, e));
}

bool loom_elan5_jobs_sleep(const struct loom_elan5_jobs *s, uint32_t host,
                           const struct loom_elan5 *e) {
  for (uint32_t m = s->first[host]; m != NONE; m = s->member[m].next)
    if (is_busy(&s->job[s->member[m].job], &s->member[m], e))
      return false;
  return true;
}

/* ---- counts ---------------------------------------------------------------------------------- */

struct loom_elan5_job_counts loom_elan5_jobs_counts(const struct loom_elan5_jobs *s, uint32_t job) {
  const struct job *j = &s->job[job];
  return (struct loom_elan5_job_counts){
      .over = j->over, .polls = j->cfg.is_barrier ? j->member[0].part.barrier.polls : 0};
}

uint64_t loom_elan5_jobs_wrong(const struct loom_elan5_jobs *s) { return s->wrong; }

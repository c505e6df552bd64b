/* SPDX-License-Identifier: Apache-2.0 */
#include "run/collectives.h"

#include <loom/bits.h>
#include <loom/random.h>
#include <stdlib.h>
#include <string.h>

#include "io/streams.h"

enum { GROUPS_MAX = 1024 };

/* ---- what the file asks for ------------------------------------------------------------------ */

static uint32_t tasks_of(const struct loom_spec_collective *c, uint32_t hosts) {
  return c->tasks ? c->tasks : hosts / c->jobs;
}

/* Groups of a job: one for each tree over which its data go in parts. */
static uint32_t groups_of(const struct loom_spec_collective *c) {
  if (c->kind == LOOM_SPEC_GATHER || (c->kind == LOOM_SPEC_BROADCAST && c->adapters))
    return 0;
  return c->kind == LOOM_SPEC_BARRIER ? 1 : loom_max(1, c->trees);
}

/* What all jobs of an entry have in common. */
static struct loom_elan5_job_cfg job_of(const struct loom_spec *s, uint32_t hosts,
                                        const struct loom_spec_collective *c) {
  static const enum loom_elan5_collective_type types[LOOM_SPEC_KINDS] = {
      [LOOM_SPEC_BROADCAST] = LOOM_ELAN5_BROADCAST,
      [LOOM_SPEC_REDUCTION] = LOOM_ELAN5_REDUCTION,
      [LOOM_SPEC_GATHER] = LOOM_ELAN5_GATHER};
  bool stored = c->kind == LOOM_SPEC_BROADCAST && c->adapters;
  return (struct loom_elan5_job_cfg){.is_barrier = c->kind == LOOM_SPEC_BARRIER,
                                     .barrier = c->adapters ? LOOM_ELAN5_BARRIER_EVENTS
                                                            : LOOM_ELAN5_BARRIER_POLL,
                                     .type = stored ? LOOM_ELAN5_BROADCAST_STORED : types[c->kind],
                                     .members = tasks_of(c, hosts),
                                     .parts = loom_max(1, groups_of(c)),
                                     .words = c->words,
                                     .arity = c->arity,
                                     .prio = (uint8_t)s->traffic_class[c->traffic_class].sl,
                                     .gap = c->gap,
                                     .skew = c->skew};
}

static bool check_entry(const struct loom_spec *s, uint32_t hosts,
                        const struct loom_spec_collective *c, struct loom_plan_error *err) {
  uint64_t watchdog = s->run.watchdog;
  uint32_t tasks = tasks_of(c, hosts);
  const char *kind = loom_spec_kind_names[c->kind];
  if (tasks < 2 || (uint64_t)tasks * c->jobs > hosts)
    return loom_plan_fail(err, LOOM_EXIT_BAD_INPUT, "traffic",
                          "%u jobs of a %s with %u tasks each cannot be on %u hosts",
                          (unsigned)c->jobs, kind, (unsigned)tasks, (unsigned)hosts);
  return !watchdog || c->gap + c->skew < watchdog ||
         loom_plan_fail(err, LOOM_EXIT_BAD_INPUT, "run.watchdog",
                        "is not more than gap and skew of a %s together", kind);
}

bool loom_collectives_check(const struct loom_spec *s, uint32_t hosts, uint64_t *memory,
                            uint32_t *groups, struct loom_plan_error *err) {
  *memory = 0;
  *groups = 0;
  for (uint32_t i = 0; i < s->collectives; i++) {
    const struct loom_spec_collective *c = &s->collective[i];
    if (!check_entry(s, hosts, c, err))
      return false;
    const struct loom_elan5_job_cfg job = job_of(s, hosts, c);
    *memory += loom_elan5_job_bytes(&job);
    *groups += c->jobs * groups_of(c);
  }
  return *groups <= GROUPS_MAX || loom_plan_fail(err, LOOM_EXIT_BAD_INPUT, "traffic",
                                                 "collectives need %u groups, a router has %d",
                                                 (unsigned)*groups, GROUPS_MAX);
}

/* ---- making ---------------------------------------------------------------------------------- */

static bool allocate(struct loom_collectives *c, const struct loom_spec *spec, uint32_t hosts) {
  uint32_t jobs = 0, groups = 0, nodes = 0;
  for (uint32_t i = 0; i < spec->collectives; i++) {
    const struct loom_spec_collective *s = &spec->collective[i];
    jobs += s->jobs;
    groups += s->jobs * groups_of(s);
    nodes += s->jobs * tasks_of(s, hosts);
  }
  c->hosts = hosts;
  c->job = calloc((size_t)jobs + 1, sizeof *c->job);
  c->round = calloc((size_t)jobs + 1, sizeof *c->round);
  c->tree = calloc((size_t)groups + 1, sizeof *c->tree);
  c->job_of = calloc((size_t)groups + 1, sizeof *c->job_of);
  c->group = calloc((size_t)groups + 1, sizeof *c->group);
  c->node = calloc((size_t)nodes + 1, sizeof *c->node);
  c->places = calloc((size_t)hosts + 1, sizeof *c->places);
  c->member = calloc((size_t)hosts + 1, sizeof *c->member);
  return c->job && c->round && c->tree && c->job_of && c->group && c->node && c->places &&
         c->member;
}

/* Part k of job number `job` of its entry goes over the tree that follows those of the jobs and
 * parts before it. */
static void add_groups(struct loom_collectives *c, const struct loom_spec_collective *s,
                       uint32_t job) {
  c->job[c->jobs].group = c->group + c->groups;
  for (uint32_t part = 0; part < groups_of(s); part++, c->groups++) {
    c->group[c->groups] = (uint16_t)c->groups;
    c->tree[c->groups] = s->trees ? (job + part) % s->trees : LOOM_ELITE5_ANY_TREE;
    c->job_of[c->groups] = c->jobs;
  }
}

/* Its nodes stand behind the first `placed` ones. */
static void add_job(struct loom_collectives *c, const struct loom_spec_collective *s, uint32_t job,
                    uint32_t placed, uint64_t seed) {
  struct loom_elan5_job_cfg *j = &c->job[c->jobs];
  uint16_t *node = c->node + placed;
  for (uint32_t t = 0; t < j->members; t++)
    node[t] = (uint16_t)c->places[job * j->members + t];
  j->node = node;
  j->seed = loom_scramble(seed + c->jobs);
  add_groups(c, s, job);
  c->round[c->jobs++] = (struct loom_rounds_cfg){.host = node[0],
                                                 .traffic_class = s->traffic_class,
                                                 .flits = s->words,
                                                 .messages = s->messages};
}

bool loom_collectives_make(struct loom_collectives *c, const struct loom_spec *spec, uint32_t hosts,
                           uint64_t address, uint64_t seed) {
  uint32_t placed = 0;
  memset(c, 0, sizeof *c);
  if (!allocate(c, spec, hosts))
    return false;
  for (uint32_t i = 0; i < spec->collectives; i++) {
    const struct loom_spec_collective *s = &spec->collective[i];
    struct loom_elan5_job_cfg job = job_of(spec, hosts, s);
    job.address = address;
    job.event = LOOM_ELAN5_HOST_BARRIERS + i;
    for (uint32_t h = 0; h < hosts; h++)
      c->places[h] = h;
    if (s->random_places)
      loom_pattern_scatter(hosts, loom_scramble(seed ^ (i + 1)), c->places);
    for (uint32_t k = 0; k < s->jobs; k++, placed += job.members) {
      c->job[c->jobs] = job;
      add_job(c, s, k, placed, seed);
    }
    address += loom_elan5_job_bytes(&job);
  }
  return true;
}

void loom_collectives_free(struct loom_collectives *c) {
  free(c->job);
  free(c->round);
  free(c->tree);
  free(c->job_of);
  free(c->group);
  free(c->node);
  free(c->places);
  free(c->member);
  memset(c, 0, sizeof *c);
}

/* ---- groups ---------------------------------------------------------------------------------- */

void loom_collectives_write(const struct loom_collectives *c, struct loom_elite5_fabric *e) {
  for (uint32_t g = 0; g < c->groups; g++) {
    const struct loom_elan5_job_cfg *job = &c->job[c->job_of[g]];
    memset(c->member, 0, c->hosts * sizeof *c->member);
    for (uint32_t t = 0; t < job->members; t++)
      c->member[job->node[t]] = true;
    loom_elite5_fabric_group_on(e, g, c->member, c->tree[g]);
  }
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "vef/vef_generate.h"

#include <loom/random.h>
#include <stdlib.h>
#include <string.h>

enum { DIMENSIONS = 3 };

struct generator {
  const struct loom_vef_generate_cfg *cfg;
  struct loom_vef_trace *trace;
  uint32_t *newest; /* by task: the newest message to it that it has not answered */
  uint32_t per_round;
  uint64_t seed;
};

/* Messages of a task in a round. */
static uint32_t per_round(const struct loom_vef_generate_cfg *cfg) {
  uint32_t count = 0;
  if (cfg->pattern == LOOM_VEF_PATTERN_ALLTOALL)
    return cfg->tasks - 1;
  if (cfg->pattern != LOOM_VEF_PATTERN_STENCIL)
    return 1;
  for (unsigned d = 0; d < DIMENSIONS; d++)
    count += cfg->grid[d] > 1 ? 2 : 0;
  return count;
}

uint64_t loom_vef_generate_size(const struct loom_vef_generate_cfg *cfg) {
  uint64_t round = (uint64_t)cfg->tasks * per_round(cfg); /* below 2^32 */
  return cfg->rounds && round > UINT64_MAX / cfg->rounds ? UINT64_MAX : round * cfg->rounds;
}

/* The task `direction` away in the grid: 0 and 1 are ahead and back in the first dimension that has
 * more than one task, and so on. */
static uint32_t neighbour(const struct loom_vef_generate_cfg *cfg, uint32_t task,
                          uint32_t direction) {
  uint32_t stride = 1;
  for (unsigned d = 0; d < DIMENSIONS; stride *= cfg->grid[d++]) {
    uint32_t size = cfg->grid[d];
    if (size < 2)
      continue;
    if (direction >= 2) {
      direction -= 2;
      continue;
    }
    uint32_t x = task / stride % size;
    uint32_t to = (x + (direction ? size - 1 : 1)) % size;
    return task - x * stride + to * stride;
  }
  return task;
}

/* Where a task's j-th message of a round goes. */
static uint32_t target(const struct generator *g, uint32_t task, uint32_t j) {
  if (g->cfg->pattern == LOOM_VEF_PATTERN_STENCIL)
    return neighbour(g->cfg, task, j);
  return (task + 1 + j) % g->cfg->tasks;
}

/* Where the j-th message of a round that reaches the task comes from. */
static uint32_t origin(const struct generator *g, uint32_t task, uint32_t j) {
  if (g->cfg->pattern == LOOM_VEF_PATTERN_STENCIL)
    return neighbour(g->cfg, task, j ^ 1);
  return (task + g->cfg->tasks - 1 - j) % g->cfg->tasks;
}

static uint32_t index_of(const struct generator *g, uint32_t round, uint32_t task, uint32_t j) {
  return (round * g->cfg->tasks + task) * g->per_round + j;
}

/* The first message of a round comes after some work, the others at once. */
static struct loom_vef_record start(struct generator *g, uint32_t task, uint32_t j) {
  struct loom_vef_record r = {.id = g->trace->count,
                              .src = (uint16_t)task,
                              .length = g->cfg->bytes,
                              .on = LOOM_VEF_NONE,
                              .origin = g->trace->count};
  if (!j)
    r.dtime = loom_random(&g->seed) % ((uint64_t)g->cfg->compute + 1);
  return r;
}

/* Message j of a round waits for message j of the round before that came to the task: in the end
 * for all of them. */
static void add_regular(struct generator *g, uint32_t round, uint32_t task, uint32_t j) {
  struct loom_vef_record r = start(g, task, j);
  r.dst = (uint16_t)target(g, task, j);
  if (round) {
    r.dep = LOOM_VEF_RECEIVED;
    r.on = index_of(g, round - 1, origin(g, task, j), j);
  } else if (j) {
    r.dep = LOOM_VEF_SENT;
    r.on = g->trace->count - 1;
  }
  loom_vef_append(g->trace, &r);
}

/* A task answers the newest message that it has not answered, or goes on from its own last one. */
static void add_random(struct generator *g, uint32_t round, uint32_t task) {
  struct loom_vef_record r = start(g, task, 0);
  r.dst = (uint16_t)((task + 1 + loom_below(&g->seed, g->cfg->tasks - 1)) % g->cfg->tasks);
  if (round && g->newest[task] != LOOM_VEF_NONE) {
    r.dep = LOOM_VEF_RECEIVED;
    r.on = g->newest[task];
    g->newest[task] = LOOM_VEF_NONE;
  } else if (round) {
    r.dep = LOOM_VEF_SENT;
    r.on = index_of(g, round - 1, task, 0);
  }
  g->newest[r.dst] = g->trace->count;
  loom_vef_append(g->trace, &r);
}

/* Bytes that a task gives to a collective, or has of it. A block of 0 bytes has no root but task 0.
 */
static uint32_t bytes_of(const struct loom_vef_generate_cfg *cfg, uint32_t task, bool sent) {
  switch (cfg->op) {
  case LOOM_VEF_BROADCAST:
  case LOOM_VEF_SCATTER:
    return sent == !task ? cfg->bytes : 0;
  case LOOM_VEF_REDUCE:
  case LOOM_VEF_GATHER:
    return sent || !task ? cfg->bytes : 0;
  case LOOM_VEF_BARRIER:
    return 0;
  default:
    return cfg->bytes;
  }
}

/* A task enters the collective of a round when it is done with that of the round before. */
static void add_part(struct generator *g, uint32_t round, uint32_t task) {
  struct loom_vef_trace *t = g->trace;
  struct loom_vef_record r = start(g, task, 0);
  r.kind = LOOM_VEF_COLLECTIVE;
  r.op = (uint8_t)g->cfg->op;
  r.id = round;
  r.length = bytes_of(g->cfg, task, true);
  if (round) {
    r.dep = LOOM_VEF_GROUP;
    r.on = index_of(g, round - 1, task, 0);
  }
  t->part[t->parts++] = (struct loom_vef_part){
      .group = round, .task = task, .record = t->count, .received = bytes_of(g->cfg, task, false)};
  loom_vef_append(t, &r);
}

static void add(struct generator *g, uint32_t round, uint32_t task, uint32_t j) {
  if (g->cfg->pattern == LOOM_VEF_PATTERN_RANDOM)
    add_random(g, round, task);
  else if (g->cfg->pattern == LOOM_VEF_PATTERN_COLLECTIVE)
    add_part(g, round, task);
  else
    add_regular(g, round, task, j);
}

static void fill(struct generator *g) {
  memset(g->newest, 0xFF, g->cfg->tasks * sizeof *g->newest);
  for (uint32_t round = 0; round < g->cfg->rounds; round++)
    for (uint32_t task = 0; task < g->cfg->tasks; task++)
      for (uint32_t j = 0; j < g->per_round; j++)
        add(g, round, task, j);
  if (g->cfg->version == 3)
    loom_vef_set_triggers(g->trace);
}

struct loom_vef_trace *loom_vef_generate(const struct loom_vef_generate_cfg *cfg) {
  uint64_t records = loom_vef_generate_size(cfg);
  if (records > LOOM_VEF_ID_MAX)
    return NULL;
  bool collective = cfg->pattern == LOOM_VEF_PATTERN_COLLECTIVE;
  struct loom_vef_size size = {.version = cfg->version,
                               .tasks = cfg->tasks,
                               .comms = 1,
                               .records = (uint32_t)records,
                               .parts = collective ? (uint32_t)records : 0};
  struct generator g = {.cfg = cfg,
                        .trace = loom_vef_create(&size),
                        .newest = calloc(cfg->tasks, sizeof *g.newest),
                        .per_round = per_round(cfg),
                        .seed = cfg->seed};
  if (g.trace && g.newest) {
    g.trace->clock = cfg->clock;
    g.trace->groups = collective ? cfg->rounds : 0;
    fill(&g);
  } else {
    loom_vef_destroy(g.trace);
    g.trace = NULL;
  }
  free(g.newest);
  return g.trace;
}

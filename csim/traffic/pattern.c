/* SPDX-License-Identifier: Apache-2.0 */
#include "traffic/pattern.h"

#include <stdlib.h>
#include <string.h>

enum { MILLION = 1000000 };
#define NONE LOOM_PATTERN_SILENT

const char *const loom_pattern_names[LOOM_PATTERNS + 1] = {
    [LOOM_PATTERN_UNIFORM] = "uniform",       [LOOM_PATTERN_RANDOM] = "random",
    [LOOM_PATTERN_SHIFT] = "shift",           [LOOM_PATTERN_REVERSAL] = "reversal",
    [LOOM_PATTERN_COMPLEMENT] = "complement", [LOOM_PATTERN_TRANSPOSE] = "transpose",
    [LOOM_PATTERN_TORNADO] = "tornado",       [LOOM_PATTERN_HOTSPOT] = "hotspot",
    [LOOM_PATTERN_NEIGHBOUR] = "neighbour",   [LOOM_PATTERN_RANDOM_RING] = "random-ring",
    [LOOM_PATTERN_BISECTION] = "bisection",   [LOOM_PATTERN_PAIRS] = "pairs",
    [LOOM_PATTERN_PTRANS] = "ptrans",         [LOOM_PATTERN_ALL_TO_ALL] = "all-to-all",
    [LOOM_PATTERN_INCAST] = "incast",         [LOOM_PATTERN_FILE] = "file",
};

struct loom_pattern {
  struct loom_pattern_cfg cfg; /* `targets` is our own; `file` and `places` are not kept */
  uint32_t tasks;
  uint32_t *task;    /* by host, or SILENT */
  uint32_t *place;   /* by task: its host */
  uint32_t *to;      /* by task: where to, the next one on a ring, its index in `targets` */
  uint32_t *back;    /* by task: the one before on a ring */
  uint32_t *turn;    /* by task: messages so far, of patterns that take turns */
  uint32_t *targets; /* tasks */
};

/* ---- what is legal --------------------------------------------------------------------------- */

static uint32_t tasks_of(const struct loom_pattern_cfg *c) {
  return c->tasks ? c->tasks : c->hosts;
}

/* A list of numbers below `limit`, or SILENT if that may be, none of them twice. */
static bool distinct(const uint32_t *list, uint32_t count, uint32_t limit, bool silent) {
  uint8_t *seen = calloc(limit, 1);
  bool good = list != NULL;
  for (uint32_t i = 0; good && i < count; i++) {
    good = list[i] < limit ? !(seen && seen[list[i]]) : silent && list[i] == LOOM_PATTERN_SILENT;
    if (seen && list[i] < limit)
      seen[list[i]] = 1;
  }
  free(seen);
  return good;
}

/* r * r = n, 0: there is none. */
static uint32_t root_of(uint32_t n) {
  uint32_t r = 0;
  while ((uint64_t)r * r < n)
    r++;
  return (uint64_t)r * r == n ? r : 0;
}

static const char *tornado_bad(const struct loom_pattern_cfg *c) {
  uint64_t all = 1;
  bool moves = false;
  if (c->dims < 1 || c->dims > 3)
    return "size";
  for (uint32_t i = 0; i < c->dims; i++) {
    moves |= c->size[i] > 2;
    all = all * c->size[i] > UINT32_MAX ? UINT32_MAX : all * c->size[i];
  }
  if (!moves || !all)
    return "size";
  return all * c->nodes_at == tasks_of(c) ? NULL : "nodes_at";
}

static const char *targets_bad(const struct loom_pattern_cfg *c, uint32_t most) {
  bool good = c->target_count && c->target_count <= most &&
              distinct(c->targets, c->target_count, tasks_of(c), false);
  return good ? NULL : "targets";
}

/* Of the kind's own numbers. */
static const char *kind_bad(const struct loom_pattern_cfg *c, const char *count) {
  uint32_t n = tasks_of(c);
  switch (c->kind) {
  case LOOM_PATTERN_SHIFT:
    return c->shift % n ? NULL : "shift";
  case LOOM_PATTERN_REVERSAL:
    return n & (n - 1) ? count : NULL;
  case LOOM_PATTERN_TRANSPOSE:
    return root_of(n) ? NULL : count;
  case LOOM_PATTERN_TORNADO:
    return tornado_bad(c);
  case LOOM_PATTERN_HOTSPOT:
    return c->heat > MILLION ? "heat" : targets_bad(c, n);
  case LOOM_PATTERN_INCAST:
    return targets_bad(c, n - 1);
  case LOOM_PATTERN_PTRANS:
    return (uint64_t)c->size[0] * c->size[1] == n ? NULL : "size";
  case LOOM_PATTERN_FILE:
    return distinct(c->file, n, n, true) ? NULL : "file";
  default:
    return (unsigned)c->kind < LOOM_PATTERNS ? NULL : "kind";
  }
}

const char *loom_pattern_bad(const struct loom_pattern_cfg *c) {
  if (c->hosts < 2 || c->hosts == LOOM_PATTERN_SILENT)
    return "hosts";
  if (c->tasks == 1 || c->tasks > c->hosts)
    return "tasks";
  if (c->places && !distinct(c->places, tasks_of(c), c->hosts, false))
    return "places";
  return kind_bad(c, c->tasks ? "tasks" : "hosts");
}

/* ---- what is drawn or computed once ---------------------------------------------------------- */

static void shuffle(uint32_t *list, uint32_t count, uint64_t *random) {
  for (uint32_t i = count; i > 1; i--) {
    uint32_t other = loom_below(random, i);
    uint32_t kept = list[i - 1];
    list[i - 1] = list[other];
    list[other] = kept;
  }
}

static void count_up(uint32_t *list, uint32_t count) {
  for (uint32_t i = 0; i < count; i++)
    list[i] = i;
}

void loom_pattern_scatter(uint32_t hosts, uint64_t seed, uint32_t *places) {
  count_up(places, hosts);
  shuffle(places, hosts, &seed);
}

static bool moves_all(const uint32_t *to, uint32_t count) {
  for (uint32_t s = 0; s < count; s++)
    if (to[s] == s)
      return false;
  return true;
}

/* Permutations without fixed points are one in e. */
static void draw_permutation(struct loom_pattern *p) {
  uint64_t random = p->cfg.seed;
  count_up(p->to, p->tasks);
  do
    shuffle(p->to, p->tasks, &random);
  while (!moves_all(p->to, p->tasks));
}

/* `turn` is free for a while: it holds the order. */
static void draw_ring(struct loom_pattern *p) {
  uint64_t random = p->cfg.seed;
  count_up(p->turn, p->tasks);
  if (p->cfg.kind == LOOM_PATTERN_RANDOM_RING)
    shuffle(p->turn, p->tasks, &random);
  for (uint32_t i = 0; i < p->tasks; i++) {
    uint32_t s = p->turn[i];
    uint32_t next = p->turn[(i + 1) % p->tasks];
    p->to[s] = next;
    p->back[next] = s;
  }
  memset(p->turn, 0, p->tasks * sizeof *p->turn);
}

static void draw_bisection(struct loom_pattern *p) {
  uint32_t half = p->tasks / 2;
  loom_pattern_scatter(p->tasks, p->cfg.seed, p->turn);
  for (uint32_t i = 0; i < half; i++) {
    p->to[p->turn[i]] = p->turn[half + i];
    p->to[p->turn[half + i]] = p->turn[i];
  }
  if (p->tasks % 2)
    p->to[p->turn[p->tasks - 1]] = LOOM_PATTERN_SILENT;
}

static uint32_t reversed(uint32_t s, uint32_t n) {
  uint32_t r = 0;
  for (uint32_t bit = 1; bit < n; bit <<= 1, s >>= 1)
    r = r << 1 | (s & 1);
  return r;
}

static uint32_t tornado(const struct loom_pattern_cfg *c, uint32_t s) {
  uint32_t to = s % c->nodes_at;
  uint32_t rest = s / c->nodes_at;
  uint32_t weight = c->nodes_at;
  for (uint32_t i = 0; i < c->dims; i++) {
    uint32_t k = c->size[i];
    to += (rest % k + (k + 1) / 2 - 1) % k * weight;
    rest /= k;
    weight *= k;
  }
  return to;
}

/* Destination of a task by a rule that never changes. */
static uint32_t fixed(const struct loom_pattern *p, uint32_t s, uint32_t root) {
  const struct loom_pattern_cfg *c = &p->cfg;
  uint32_t n = p->tasks;
  switch (c->kind) {
  case LOOM_PATTERN_SHIFT:
    return (uint32_t)(((uint64_t)s + c->shift) % n);
  case LOOM_PATTERN_REVERSAL:
    return reversed(s, n);
  case LOOM_PATTERN_COMPLEMENT:
    return n - 1 - s;
  case LOOM_PATTERN_TRANSPOSE:
    return s % root * root + s / root;
  case LOOM_PATTERN_TORNADO:
    return tornado(c, s);
  case LOOM_PATTERN_PAIRS:
    return s % 2 == 0 && s + 1 < n ? s + 1 : LOOM_PATTERN_SILENT;
  default:
    return c->file[s];
  }
}

static void fix(struct loom_pattern *p) {
  uint32_t root = p->cfg.kind == LOOM_PATTERN_TRANSPOSE ? root_of(p->tasks) : 0;
  for (uint32_t s = 0; s < p->tasks; s++) {
    uint32_t to = fixed(p, s, root);
    p->to[s] = to == s ? LOOM_PATTERN_SILENT : to;
  }
}

static void find_targets(struct loom_pattern *p) {
  memset(p->to, 0xFF, p->tasks * sizeof *p->to);
  for (uint32_t i = 0; i < p->cfg.target_count; i++) {
    p->targets[i] = p->cfg.targets[i];
    p->to[p->targets[i]] = i;
  }
}

/* `turn` is free for a while: it marks the targets. */
static void draw_incast(struct loom_pattern *p) {
  const struct loom_pattern_cfg *c = &p->cfg;
  for (uint32_t i = 0; i < c->target_count; i++)
    p->turn[c->targets[i]] = 1;
  for (uint32_t s = 0, next = 0; s < p->tasks; s++) {
    p->to[s] = LOOM_PATTERN_SILENT;
    if (p->turn[s])
      continue;
    p->to[s] = c->targets[next];
    next = next + 1 == c->target_count ? 0 : next + 1;
  }
}

static void prepare(struct loom_pattern *p) {
  switch (p->cfg.kind) {
  case LOOM_PATTERN_RANDOM:
    draw_permutation(p);
    break;
  case LOOM_PATTERN_NEIGHBOUR:
  case LOOM_PATTERN_RANDOM_RING:
    draw_ring(p);
    break;
  case LOOM_PATTERN_BISECTION:
    draw_bisection(p);
    break;
  case LOOM_PATTERN_HOTSPOT:
    find_targets(p);
    break;
  case LOOM_PATTERN_INCAST:
    draw_incast(p);
    break;
  case LOOM_PATTERN_UNIFORM:
  case LOOM_PATTERN_PTRANS:
  case LOOM_PATTERN_ALL_TO_ALL:
    break;
  default:
    fix(p);
  }
}

/* ---- creation -------------------------------------------------------------------------------- */

static bool take_memory(struct loom_pattern *p) {
  p->task = calloc(p->cfg.hosts, sizeof *p->task);
  p->place = calloc(p->tasks, sizeof *p->place);
  p->to = calloc(p->tasks, sizeof *p->to);
  p->back = calloc(p->tasks, sizeof *p->back);
  p->turn = calloc(p->tasks, sizeof *p->turn);
  p->targets = calloc((size_t)p->cfg.target_count + 1, sizeof *p->targets);
  return p->task && p->place && p->to && p->back && p->turn && p->targets;
}

static void place(struct loom_pattern *p) {
  memset(p->task, 0xFF, p->cfg.hosts * sizeof *p->task);
  for (uint32_t t = 0; t < p->tasks; t++) {
    p->place[t] = p->cfg.places ? p->cfg.places[t] : t;
    p->task[p->place[t]] = t;
  }
}

struct loom_pattern *loom_pattern_create(const struct loom_pattern_cfg *cfg) {
  if (loom_pattern_bad(cfg))
    return NULL;
  struct loom_pattern *p = calloc(1, sizeof *p);
  if (!p)
    return NULL;
  p->cfg = *cfg;
  p->tasks = tasks_of(cfg);
  if (cfg->kind != LOOM_PATTERN_HOTSPOT && cfg->kind != LOOM_PATTERN_INCAST)
    p->cfg.target_count = 0;
  if (!take_memory(p)) {
    loom_pattern_destroy(p);
    return NULL;
  }
  place(p);
  prepare(p);
  p->cfg.file = p->cfg.places = p->cfg.targets = NULL;
  return p;
}

void loom_pattern_destroy(struct loom_pattern *p) {
  if (!p)
    return;
  free(p->task);
  free(p->place);
  free(p->to);
  free(p->back);
  free(p->turn);
  free(p->targets);
  free(p);
}

/* ---- where to -------------------------------------------------------------------------------- */

static uint32_t uniform(const struct loom_pattern *p, uint32_t s, uint64_t *random) {
  uint32_t to = loom_below(random, p->tasks - 1);
  return to + (to >= s);
}

/* Draws a target but s itself. */
static uint32_t hotspot(const struct loom_pattern *p, uint32_t s, uint64_t *random) {
  uint32_t own = p->to[s];
  uint32_t others = p->cfg.target_count - (own != NONE);
  if (!others || loom_below(random, MILLION) >= p->cfg.heat)
    return uniform(p, s, random);
  uint32_t i = loom_below(random, others);
  return p->targets[i + (own != NONE && i >= own)];
}

static uint32_t common_divisor(uint32_t a, uint32_t b) {
  while (b) {
    uint32_t rest = a % b;
    a = b;
    b = rest;
  }
  return a;
}

/* The receiver of number i of a task on the process grid; *count: how many it has. */
static uint32_t transposed(const struct loom_pattern *p, uint32_t s, uint32_t i, uint32_t *count) {
  uint32_t rows = p->cfg.size[0];
  uint32_t columns = p->cfg.size[1];
  uint32_t g = common_divisor(rows, columns);
  uint32_t row = s / columns % g;
  uint32_t column = s % columns % g;
  *count = rows / g * (columns / g);
  return (column + i / (columns / g) * g) * columns + row + i % (columns / g) * g;
}

/* The receivers in turn, without s itself. */
static uint32_t ptrans(const struct loom_pattern *p, uint32_t s, uint32_t *turn) {
  for (uint32_t tries = 0; tries < 2; tries++) {
    uint32_t count;
    transposed(p, s, 0, &count);
    uint32_t to = transposed(p, s, *turn % count, &count);
    *turn = (*turn + 1) % count;
    if (to != s)
      return to;
  }
  return LOOM_PATTERN_SILENT;
}

static uint32_t all_to_all(const struct loom_pattern *p, uint32_t s, uint32_t *turn) {
  uint32_t further = *turn + 1;
  *turn = further % (p->tasks - 1);
  return (uint32_t)(((uint64_t)s + further) % p->tasks);
}

static uint32_t next_task(struct loom_pattern *p, uint32_t s, uint64_t *random) {
  switch (p->cfg.kind) {
  case LOOM_PATTERN_UNIFORM:
    return uniform(p, s, random);
  case LOOM_PATTERN_HOTSPOT:
    return hotspot(p, s, random);
  case LOOM_PATTERN_NEIGHBOUR:
  case LOOM_PATTERN_RANDOM_RING:
    p->turn[s] ^= 1;
    return p->turn[s] ? p->to[s] : p->back[s];
  case LOOM_PATTERN_PTRANS:
    return ptrans(p, s, &p->turn[s]);
  case LOOM_PATTERN_ALL_TO_ALL:
    return all_to_all(p, s, &p->turn[s]);
  default:
    return p->to[s];
  }
}

uint32_t loom_pattern_next(struct loom_pattern *p, uint32_t host, uint64_t *random) {
  uint32_t s = p->task[host];
  uint32_t to = s == NONE ? LOOM_PATTERN_SILENT : next_task(p, s, random);
  return to == NONE ? LOOM_PATTERN_SILENT : p->place[to];
}

bool loom_pattern_silent(const struct loom_pattern *p, uint32_t host) {
  uint32_t s = p->task[host];
  uint32_t turn = 0;
  if (s == NONE)
    return true;
  switch (p->cfg.kind) {
  case LOOM_PATTERN_UNIFORM:
  case LOOM_PATTERN_HOTSPOT:
  case LOOM_PATTERN_NEIGHBOUR:
  case LOOM_PATTERN_RANDOM_RING:
  case LOOM_PATTERN_ALL_TO_ALL:
    return false;
  case LOOM_PATTERN_PTRANS:
    return ptrans(p, s, &turn) == LOOM_PATTERN_SILENT;
  default:
    return p->to[s] == LOOM_PATTERN_SILENT;
  }
}

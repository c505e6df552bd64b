/* SPDX-License-Identifier: Apache-2.0 */
#include "run/point.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "io/streams.h"
#include "run/build.h"
#include "run/division.h"
#include "run/ranks.h"
#include "run/spec_offers.h"
#include "run/statistics.h"

const char *const loom_outcome_names[LOOM_OUTCOME_NO_MEMORY + 1] = {
    [LOOM_OUTCOME_DONE] = "done",
    [LOOM_OUTCOME_BUSY] = "busy",
    [LOOM_OUTCOME_STUCK] = "stuck",
    [LOOM_OUTCOME_STOPPED] = "stopped",
    [LOOM_OUTCOME_NO_MEMORY] = "no memory"};

/* What stands while a point runs. */
struct room {
  const struct loom_plan *plan;
  uint64_t seed;
  struct loom_built *built;
  struct loom_division *division; /* NULL: all of the fabric is here */
  struct loom_network network;
  struct loom_experiment *experiment;
  struct loom_statistics *statistics; /* NULL: there are none */
  struct loom_spec_offers offers;
  struct loom_collectives collectives;
  struct loom_vef_replay *replay;
  uint8_t *replay_class;
  uint16_t packet[LOOM_HOST_CLASSES]; /* flits, by class */
  bool again;                         /* the circuits want to see the run once more */
};

/* Another process may have more: the point is lost, and the others go on. */
static bool no_memory(struct loom_point *point) {
  point->lost = true;
  return loom_plan_no_memory(&point->refused);
}

/* ---- traffic --------------------------------------------------------------------------------- */

static bool add_trace(struct room *r, uint32_t i) {
  const struct loom_spec_trace *t = &r->plan->spec->trace[i];
  uint32_t tasks = t->expanded->size.tasks, number = 0;
  uint32_t *node = calloc((size_t)tasks + 1, sizeof *node);
  if (!node)
    return false;
  if (t->places)
    memcpy(node, t->places, tasks * sizeof *node);
  else
    loom_vef_map((enum loom_vef_mapping)t->mapping, tasks, r->plan->hosts,
                 loom_scramble(r->seed ^ i), node);
  bool ok = loom_vef_add(r->replay,
                         &(struct loom_vef_load){.trace = t->expanded,
                                                 .start = t->start,
                                                 .node = node,
                                                 .intra = t->intra,
                                                 .latency = t->latency,
                                                 .bandwidth = t->bandwidth,
                                                 .table = t->latencies},
                         &number);
  r->replay_class[number] = (uint8_t)t->traffic_class;
  free(node);
  return ok;
}

static bool make_replay(struct room *r) {
  const struct loom_spec *s = r->plan->spec;
  if (!s->traces)
    return true;
  r->replay = loom_vef_replay_create(
      &(struct loom_vef_replay_cfg){.nodes = r->plan->hosts,
                                    .traces = s->traces,
                                    .cycle_ps = s->run.cycle_ps,
                                    .mine = r->division ? loom_division_hosts(r->division) : NULL});
  r->replay_class = calloc(s->traces, sizeof *r->replay_class);
  if (!r->replay || !r->replay_class)
    return false;
  for (uint32_t i = 0; i < s->traces; i++)
    if (!add_trace(r, i))
      return false;
  return true;
}

/* ---- the run --------------------------------------------------------------------------------- */

static void receive(void *context, const struct loom_message *message, bool damaged) {
  const struct room *r = context;
  loom_experiment_receive(r->experiment, message, damaged);
}

static void receive_and_note(void *context, const struct loom_message *message, bool damaged) {
  const struct room *r = context;
  loom_statistics_receive(r->statistics, message);
  loom_experiment_receive(r->experiment, message, damaged);
}

static void receive_packet(void *context, const struct loom_message *message, uint64_t injected,
                           uint64_t now) {
  const struct room *r = context;
  loom_experiment_packet(r->experiment, message, injected, now);
}

static struct loom_experiment_cfg experiment_cfg(struct room *r) {
  const struct loom_spec *s = r->plan->spec;
  for (uint32_t c = 0; c < s->classes; c++)
    r->packet[c] = (uint16_t)s->traffic_class[c].packet;
  return (struct loom_experiment_cfg){
      .classes = s->classes,
      .warmup = s->run.warmup,
      .measure = s->run.measure,
      .drain = s->run.drain,
      .interval = s->run.interval,
      .watchdog = s->run.watchdog,
      .seed = r->seed,
      .offers = s->offers,
      .offer = r->offers.offer,
      .rounds = r->collectives.jobs,
      .round = r->collectives.round,
      .replay = r->replay,
      .replay_class = r->replay_class,
      .replay_flit = LOOM_FLIT_BYTES,
      .packet = loom_device_is_elite5(s->kind) ? NULL : r->packet,
      .until_replayed = s->run.until_replayed,
      .precision = s->run.precision,
      .limit = s->run.limit,
  };
}

static bool make_experiment(struct room *r, struct loom_point *point) {
  struct loom_experiment_cfg cfg = experiment_cfg(r);
  uint32_t offer = 0;
  const char *wrong = loom_experiment_bad(&cfg, r->plan->hosts, &offer);
  char key[40] = "run";
  if (wrong && offer < cfg.offers)
    snprintf(key, sizeof key, "traffic[%u]", (unsigned)r->plan->spec->offer[offer].entry);
  if (wrong)
    return loom_plan_fail(&point->refused, LOOM_EXIT_BAD_INPUT, key, "cannot be: %s", wrong);
  r->network = r->statistics ? loom_statistics_network(r->statistics, r->built)
                             : loom_built_network(r->built);
  if (r->division)
    r->network = loom_division_network(r->division, &r->network);
  r->experiment = loom_experiment_create(&cfg, &r->network);
  return r->experiment || no_memory(point);
}

bool loom_point_keep(struct loom_point *point, const struct loom_experiment_result *from) {
  size_t metrics = ((size_t)point->classes + 1) * sizeof *from->metrics;
  size_t rows = from->rows * sizeof *from->row;
  point->result = *from;
  point->result.metrics = malloc(metrics);
  point->result.row = malloc(rows + 1);
  if (!point->result.metrics || !point->result.row)
    return no_memory(point);
  memcpy(point->result.metrics, from->metrics, metrics);
  if (rows)
    memcpy(point->result.row, from->row, rows);
  return true;
}

/* How far the traces came. */
static void keep_traces(const struct room *r, struct loom_point *point) {
  const struct loom_spec *s = r->plan->spec;
  point->traces = s->traces;
  for (uint32_t i = 0; i < s->traces; i++)
    point->trace[i] = loom_vef_progress(r->replay, i);
}

bool loom_point_tell(struct loom_point *point, const struct loom_spec *spec,
                     struct loom_statistics *statistics) {
  for (uint32_t i = 0; i < LOOM_STATISTICS_FILES; i++) {
    struct loom_point_lines *l = &point->lines[i];
    if (!(spec->run.stats >> loom_statistics_file[i].of & 1))
      continue;
    l->text = loom_statistics_lines(statistics, i, point->seed, point->result.cycles, &l->size);
    if (!l->text)
      return no_memory(point);
  }
  return true;
}

/* What the statistics say: of all parts at rank 0. */
static bool keep_lines(const struct room *r, struct loom_point *point) {
  if (loom_statistics_wrong(r->statistics))
    return loom_plan_fail(&point->refused, LOOM_EXIT_FAILED, "run.stats",
                          "cycles of %" PRIu64 " packets do not add up to their latency",
                          loom_statistics_wrong(r->statistics));
  bool here = r->statistics && !(r->division && r->plan->ranks->rank);
  return !here || loom_point_tell(point, r->plan->spec, r->statistics);
}

/* What the circuits say; false: the point is refused, or comes again. */
static bool ask_circuits(struct room *r, struct loom_point *point,
                         const struct loom_shadow *shadow) {
  char text[sizeof point->refused.text] = "";
  enum loom_shadow_verdict verdict =
      shadow->finish(shadow->context, &point->counts.compared, text, sizeof text);
  r->again = verdict == LOOM_SHADOW_AGAIN;
  if (verdict == LOOM_SHADOW_DIFFERS)
    loom_plan_fail(&point->refused, LOOM_EXIT_FAILED, "shadow", "%s", text);
  return verdict == LOOM_SHADOW_SAME;
}

static bool build_all(struct room *r, struct loom_point *point, const struct loom_build_cfg *cfg) {
  r->built = loom_build(cfg, &point->refused);
  point->lost = loom_plan_lacked_memory(&point->refused); /* alone it may have enough */
  return r->built;
}

/* Of this process, if there are others. */
static bool build_part(struct room *r, struct loom_point *point, struct loom_build_cfg cfg) {
  cfg.mine = loom_division_mine(r->division);
  return build_all(r, point, &cfg) &&
         (loom_division_begin(r->division, r->built) || no_memory(point));
}

/* The fabric stands, or the parts of it in all processes. */
static bool build(struct room *r, struct loom_point *point, const struct loom_build_cfg *cfg) {
  if (!r->plan->ranks)
    return build_all(r, point, cfg);
  build_part(r, point, *cfg);
  return loom_ranks_agree(r->plan->ranks, &point->refused);
}

/* In all processes or in none. */
static bool begin(struct room *r, struct loom_point *point) {
  bool made = make_experiment(r, point);
  return r->division ? loom_ranks_agree(r->plan->ranks, &point->refused) : made;
}

/* Of all parts, at rank 0. */
static bool gather(struct room *r, struct loom_point *point,
                   const struct loom_experiment_result **result) {
  keep_traces(r, point);
  if (!r->division)
    return true;
  const struct loom_division_results results = {.experiment = r->experiment,
                                                .statistics = r->statistics,
                                                .counts = &point->counts,
                                                .trace = point->trace,
                                                .traces = point->traces};
  if (!loom_division_gather(r->division, &results, &point->refused))
    return false;
  *result = loom_experiment_finish(r->experiment);
  return true;
}

/* Hosts and switches sleep while they wait for credits, so a deadlock can be quiet. */
static bool keep_waits(const struct room *r, struct loom_point *point) {
  static const char parts[] =
      "what waits for what is in several ranks; a run without --ranks says it\n";
  bool stuck = point->result.outcome == LOOM_OUTCOME_STUCK;
  if (!stuck && !loom_point_lost(point))
    return true;
  if (!r->division)
    point->waits = loom_built_waits(r->built);
  else if ((point->waits = malloc(sizeof parts)))
    memcpy(point->waits, parts, sizeof parts);
  return !stuck || point->waits;
}

/* What stands beside the fabric; in all processes or in none. */
static bool prepare(struct room *r, struct loom_point *point) {
  const struct loom_plan *p = r->plan;
  r->division = p->ranks ? loom_division_create(p) : NULL;
  bool made = (r->statistics || !p->spec->run.stats) && (r->division || !p->ranks) &&
              loom_spec_offers_make(&r->offers, p->spec, p->hosts, r->seed) && make_replay(r) &&
              loom_collectives_make(&r->collectives, p->spec, p->hosts, p->longest, r->seed);
  if (!made)
    no_memory(point);
  return p->ranks ? loom_ranks_agree(p->ranks, &point->refused) : made;
}

static void run(struct room *r, struct loom_point *point, const struct loom_shadow *shadow,
                void (*tick)(void *context, uint64_t cycle), void *context) {
  bool notes = r->plan->spec->run.stats;
  r->statistics = notes ? loom_statistics_create(r->plan) : NULL;
  const struct loom_build_cfg cfg = {.plan = r->plan,
                                     .seed = loom_scramble(r->seed),
                                     .receive = notes ? receive_and_note : receive,
                                     .packet = receive_packet,
                                     .context = r,
                                     .collectives = &r->collectives,
                                     .shadow = shadow,
                                     .watch = notes ? loom_statistics_watch(r->statistics) : NULL};
  if (!prepare(r, point) || !build(r, point, &cfg) || !begin(r, point))
    return;
  loom_built_share(r->built);
  const struct loom_experiment_result *result = loom_experiment_run(r->experiment, tick, context);
  if (!gather(r, point, &result) || !loom_point_keep(point, result))
    return;
  if (loom_built_unmanaged(r->built)) {
    loom_plan_fail(&point->refused, LOOM_EXIT_FAILED, "management",
                   "a router has no class free for another mask");
    return;
  }
  if (loom_built_differs(r->built, &point->refused))
    return;
  point->cut = r->plan->spec->run.until_replayed && loom_point_unfinished(point);
  if (!r->division)
    point->counts = loom_built_counts(r->built);
  if (result->outcome == LOOM_OUTCOME_NO_MEMORY || point->counts.exhausted) {
    no_memory(point);
    return;
  }
  if (!keep_lines(r, point))
    return;
  if (shadow && !ask_circuits(r, point, shadow))
    return;
  if (!keep_waits(r, point))
    no_memory(point);
}

/* Whether it is to be done once more. */
static bool run_once(struct loom_point *point, const struct loom_plan *plan, uint64_t seed,
                     const struct loom_shadow *shadow, void (*tick)(void *context, uint64_t cycle),
                     void *context) {
  struct room r = {.plan = plan, .seed = seed};
  *point = (struct loom_point){.seed = seed,
                               .classes = plan->spec->classes,
                               .hosts = plan->hosts,
                               .switches = plan->switches};
  run(&r, point, shadow, tick, context);
  loom_experiment_destroy(r.experiment);
  loom_division_destroy(r.division);
  loom_built_destroy(r.built);
  loom_statistics_destroy(r.statistics);
  loom_vef_replay_destroy(r.replay);
  loom_spec_offers_free(&r.offers);
  loom_collectives_free(&r.collectives);
  free(r.replay_class);
  return r.again;
}

void loom_point_run(struct loom_point *point, const struct loom_plan *plan, uint64_t seed,
                    const struct loom_shadow *shadow, void (*tick)(void *context, uint64_t cycle),
                    void *context) {
  while (run_once(point, plan, seed, shadow, tick, context))
    loom_point_free(point);
}

void loom_point_free(struct loom_point *point) {
  free(point->result.metrics);
  free(point->result.row);
  free(point->waits);
  for (uint32_t i = 0; i < LOOM_STATISTICS_FILES; i++)
    free(point->lines[i].text);
  memset(point, 0, sizeof *point);
}

/* ---- judging --------------------------------------------------------------------------------- */

static uint64_t missing(const struct loom_point *p) {
  return p->result.posted > p->result.received ? p->result.posted - p->result.received : 0;
}

uint64_t loom_point_lost(const struct loom_point *point) {
  return point->result.outcome == LOOM_OUTCOME_DONE ? missing(point) : 0;
}

uint64_t loom_point_under_way(const struct loom_point *point) {
  return point->result.outcome == LOOM_OUTCOME_DONE ? 0 : missing(point);
}

bool loom_point_unfinished(const struct loom_point *point) {
  for (uint32_t i = 0; i < point->traces; i++)
    if (!point->trace[i].finished)
      return true;
  return false;
}

/* A run that is stuck, for instance, says more by that. */
static bool only_cut(const struct loom_point *point) {
  return point->cut && point->result.outcome <= LOOM_OUTCOME_BUSY;
}

const char *loom_point_outcome(const struct loom_point *point) {
  return only_cut(point) ? "unfinished" : loom_outcome_names[point->result.outcome];
}

unsigned loom_point_rank(const struct loom_point *point) {
  return only_cut(point) ? 2 * LOOM_OUTCOME_BUSY + 1 : 2 * (unsigned)point->result.outcome;
}

bool loom_point_good(const struct loom_point *point) {
  const struct loom_built_counts *c = &point->counts;
  return !point->refused.status && point->result.outcome == LOOM_OUTCOME_DONE && !point->cut &&
         !loom_point_lost(point) && !c->dropped && !c->stray;
}

/* ---- as bytes -------------------------------------------------------------------------------- */

/* Bytes of all lines. */
static size_t lines_of(const struct loom_point *point) {
  size_t size = 0;
  for (uint32_t i = 0; i < LOOM_STATISTICS_FILES; i++)
    size += point->lines[i].text ? point->lines[i].size : 0;
  return size;
}

static void pack_lines(const struct loom_point *point, unsigned char *to) {
  for (uint32_t i = 0; i < LOOM_STATISTICS_FILES; i++)
    if (point->lines[i].text) {
      memcpy(to, point->lines[i].text, point->lines[i].size);
      to += point->lines[i].size;
    }
}

void *loom_point_pack(const struct loom_point *point, size_t *size) {
  const struct loom_experiment_result *r = &point->result;
  size_t metrics = r->metrics ? ((size_t)point->classes + 1) * sizeof *r->metrics : 0;
  size_t rows = r->row ? r->rows * sizeof *r->row : 0;
  size_t waits = point->waits ? strlen(point->waits) + 1 : 0;
  *size = sizeof *point + metrics + rows + waits + lines_of(point);
  unsigned char *bytes = malloc(*size);
  if (!bytes)
    return NULL;
  memcpy(bytes, point, sizeof *point);
  if (metrics)
    memcpy(bytes + sizeof *point, r->metrics, metrics);
  if (rows)
    memcpy(bytes + sizeof *point + metrics, r->row, rows);
  if (waits)
    memcpy(bytes + sizeof *point + metrics + rows, point->waits, waits);
  pack_lines(point, bytes + sizeof *point + metrics + rows + waits);
  return bytes;
}

/* A copy of `size` bytes; NULL: none are wanted, or out of memory. */
static void *copy(const unsigned char **at, size_t size, bool *ok) {
  void *made = size ? malloc(size) : NULL;
  if (made)
    memcpy(made, *at, size);
  *ok = *ok && (made || !size);
  *at += size;
  return made;
}

static void unpack_lines(struct loom_point *point, const unsigned char **at, bool *ok) {
  for (uint32_t i = 0; i < LOOM_STATISTICS_FILES; i++)
    point->lines[i].text = *ok && point->lines[i].text ? copy(at, point->lines[i].size, ok) : NULL;
}

bool loom_point_unpack(struct loom_point *point, const void *bytes, size_t size) {
  const unsigned char *at = bytes;
  bool ok = size >= sizeof *point;
  memset(point, 0, sizeof *point);
  if (ok) {
    memcpy(point, at, sizeof *point);
    at += sizeof *point;
    struct loom_experiment_result *r = &point->result;
    size_t metrics = r->metrics ? ((size_t)point->classes + 1) * sizeof *r->metrics : 0;
    size_t rows = r->row ? r->rows * sizeof *r->row : 0;
    size_t rest = sizeof *point + metrics + rows + lines_of(point);
    ok = size >= rest;
    size_t waits = ok && point->waits ? size - rest : 0;
    r->metrics = ok ? copy(&at, metrics, &ok) : NULL;
    r->row = ok ? copy(&at, rows, &ok) : NULL;
    point->waits = ok ? copy(&at, waits, &ok) : NULL;
    unpack_lines(point, &at, &ok);
  }
  if (ok)
    return true;
  loom_point_free(point);
  point->lost = true;
  return loom_plan_fail(&point->refused, LOOM_EXIT_FAILED, "run", "its process ended too early");
}

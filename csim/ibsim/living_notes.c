/* SPDX-License-Identifier: Apache-2.0 */
#include "ibsim/living_notes.h"

#include <stdio.h>
#include <stdlib.h>

#include "run/build_state.h"

enum { EVENTS_FIRST = 16 };

/* ---- making ---------------------------------------------------------------------------------- */

/* What stands in the fabric by now is watched: the switches as a subnet manager has them. */
static bool watch_all(const struct loom_living_notes *n) {
  const struct loom_plan *p = n->plan;
  const struct loom_built *b = n->built;
  struct loom_watch *w = loom_statistics_watch(n->statistics);
  bool ok = w;
  for (uint32_t row = 0; ok && row < p->switches; row++)
    ok = loom_watch_device(w, b->fabric, b->number[p->row[row]]);
  for (uint32_t h = 0; ok && h < p->hosts; h++)
    ok = loom_watch_device(w, b->fabric, b->number[p->topo->devices + h]);
  return ok;
}

struct loom_living_notes *loom_living_notes_create(const struct loom_plan *plan,
                                                   struct loom_built *built) {
  struct loom_living_notes *n = calloc(1, sizeof *n);
  if (!n)
    return NULL;
  n->plan = plan;
  n->built = built;
  n->statistics = loom_statistics_create(plan);
  bool open =
      loom_measure_open(&n->measure, plan->spec->classes, plan->hosts, plan->spec->run.interval);
  if (open && n->statistics && watch_all(n))
    return n;
  loom_living_notes_destroy(n);
  return NULL;
}

void loom_living_notes_destroy(struct loom_living_notes *n) {
  if (!n)
    return;
  loom_measure_close(&n->measure);
  loom_statistics_destroy(n->statistics);
  free(n->event);
  free(n);
}

/* ---- traffic --------------------------------------------------------------------------------- */

void loom_living_notes_begin(struct loom_living_notes *n, uint64_t now,
                             struct loom_network *network) {
  n->begin = now;
  n->begun = true;
  *network = loom_statistics_network(n->statistics, n->built);
  loom_statistics_begin(n->statistics);
  loom_measure_start(&n->measure, 0);
}

void loom_living_notes_cycle(struct loom_living_notes *n, uint64_t now) {
  loom_measure_until(&n->measure, now - n->begin);
}

void loom_living_notes_posted(struct loom_living_notes *n, const struct loom_message *message) {
  loom_measure_posted(&n->measure, message);
}

void loom_living_notes_received(struct loom_living_notes *n, const struct loom_message *message) {
  struct loom_message of_traffic = *message;
  of_traffic.generated -= n->begin;
  of_traffic.injected -= n->begin;
  of_traffic.received -= n->begin;
  loom_statistics_receive(n->statistics, &of_traffic);
  loom_measure_received(&n->measure, &of_traffic);
}

void loom_living_notes_over(struct loom_living_notes *n, uint64_t now) {
  if (!n->begun)
    return;
  n->offers = now - n->begin;
  loom_measure_stop(&n->measure, n->offers);
}

/* ---- events ---------------------------------------------------------------------------------- */

/* The next one; NULL: it is too early, or out of memory. */
static struct loom_report_event *new_event(struct loom_living_notes *n, uint64_t now) {
  if (!n->begun)
    return NULL;
  if (n->events == n->room) {
    uint32_t room = n->room ? 2 * n->room : EVENTS_FIRST;
    struct loom_report_event *grown = realloc(n->event, room * sizeof *grown);
    n->exhausted |= !grown;
    if (!grown)
      return NULL;
    n->event = grown;
    n->room = room;
  }
  n->event[n->events].cycle = now - n->begin;
  return &n->event[n->events++];
}

void loom_living_notes_cable(struct loom_living_notes *n, uint64_t now, uint32_t device,
                             uint32_t port, bool joined) {
  struct loom_report_event *e = new_event(n, now);
  n->tables_due = e != NULL;
  if (!e)
    return;
  e->what = loom_fault_names[joined ? LOOM_FAULT_JOIN : LOOM_FAULT_CUT];
  snprintf(e->where, sizeof e->where, "%s/%u", n->plan->topo->device[device].name, (unsigned)port);
}

void loom_living_notes_tables(struct loom_living_notes *n, uint64_t now, uint32_t device) {
  struct loom_report_event *e = n->tables_due ? new_event(n, now) : NULL;
  n->tables_due = false;
  if (!e)
    return;
  e->what = loom_cure_names[LOOM_CURE_TABLES];
  snprintf(e->where, sizeof e->where, "%s", n->plan->topo->device[device].name);
}

/* ---- what came of it ------------------------------------------------------------------------- */

bool loom_living_notes_point(struct loom_living_notes *n, uint64_t now, uint64_t sent,
                             uint64_t delivered, struct loom_point *point) {
  const struct loom_network network = loom_built_network(n->built);
  bool quiet = network.quiet(network.context);
  uint64_t cycles = n->begun ? now - n->begin : 0;
  *point = (struct loom_point){.seed = n->plan->spec->run.seed,
                               .classes = n->plan->spec->classes,
                               .hosts = n->plan->hosts,
                               .switches = n->plan->switches};
  loom_measure_end(&n->measure, cycles);
  if (n->exhausted || n->measure.exhausted)
    return loom_plan_no_memory(&point->refused);
  const struct loom_experiment_result result = {.outcome =
                                                    quiet ? LOOM_OUTCOME_DONE : LOOM_OUTCOME_BUSY,
                                                .complete = true,
                                                .cycles = cycles,
                                                .measured = n->offers,
                                                .posted = sent,
                                                .received = delivered,
                                                .metrics = n->measure.metrics,
                                                .row = n->measure.row,
                                                .rows = n->measure.rows};
  if (!loom_point_keep(point, &result))
    return false;
  point->counts = loom_built_counts(n->built);
  return !n->begun || loom_point_tell(point, n->plan->spec, n->statistics);
}

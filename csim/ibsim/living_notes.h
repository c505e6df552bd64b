/* SPDX-License-Identifier: Apache-2.0 */
/* living_notes.h - what results say of a fabric that is served: where its traffic went and when,
 * and what happened meanwhile (docs/ibsim.md) */
#ifndef LOOM_IBSIM_LIVING_NOTES_H
#define LOOM_IBSIM_LIVING_NOTES_H

#include "run/plan.h"
#include "run/report.h"
#include "run/statistics.h"
#include "traffic/measure.h"

struct loom_living_notes {
  const struct loom_plan *plan;
  struct loom_built *built;
  struct loom_statistics *statistics;
  struct loom_measure measure;
  uint64_t begin;  /* cycle of the fabric in which traffic began */
  uint64_t offers; /* cycles of traffic in which messages were posted */
  bool begun;      /* it has */
  bool exhausted;  /* memory ran out */
  bool tables_due; /* a cable has changed since tables were last written */
  struct loom_report_event *event;
  uint32_t events, room;
};

/* Of the plan's statistics, for a fabric that has been built. NULL: out of memory. */
struct loom_living_notes *loom_living_notes_create(const struct loom_plan *plan,
                                                   struct loom_built *built);
void loom_living_notes_destroy(struct loom_living_notes *n);

/* Traffic begins in cycle `now`, and *network is replaced by one that is looked at. */
void loom_living_notes_begin(struct loom_living_notes *n, uint64_t now,
                             struct loom_network *network);
/* Cycle `now` begins; a message was posted in it, or has arrived. */
void loom_living_notes_cycle(struct loom_living_notes *n, uint64_t now);
void loom_living_notes_posted(struct loom_living_notes *n, const struct loom_message *message);
void loom_living_notes_received(struct loom_living_notes *n, const struct loom_message *message);
/* No more messages will be posted. */
void loom_living_notes_over(struct loom_living_notes *n, uint64_t now);

/* A cable was cut or joined; a forwarding table was written, of which the first one after that
 * counts. Before traffic begins nothing is noted. */
void loom_living_notes_cable(struct loom_living_notes *n, uint64_t now, uint32_t device,
                             uint32_t port, bool joined);
void loom_living_notes_tables(struct loom_living_notes *n, uint64_t now, uint32_t device);

/* All of it, up to cycle `now`, as a run in which so many messages were sent and delivered, once;
 * false: *point says why not. */
bool loom_living_notes_point(struct loom_living_notes *n, uint64_t now, uint64_t sent,
                             uint64_t delivered, struct loom_point *point);

#endif

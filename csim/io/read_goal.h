/* SPDX-License-Identifier: Apache-2.0 */
/* read_goal.h - schedules in GOAL's text form, as LogGOPSim reads them (docs/formats.md) */
#ifndef LOOM_IO_READ_GOAL_H
#define LOOM_IO_READ_GOAL_H

#include "io/source.h"
#include "vef/vef_graph.h"

/* The graph of a schedule. False: refused, *err says why. Ends with loom_vef_graph_free. */
bool loom_read_goal(struct loom_vef_graph *graph, const struct loom_source *src,
                    struct loom_error *err);

#endif

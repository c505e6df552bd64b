/* SPDX-License-Identifier: Apache-2.0 */
/* spec_statistics.h - which statistics of a run there are (docs/fabric.md) */
#ifndef LOOM_RUN_SPEC_STATISTICS_H
#define LOOM_RUN_SPEC_STATISTICS_H

enum loom_statistic {
  LOOM_STATISTIC_LINKS,
  LOOM_STATISTIC_FLOWS,
  LOOM_STATISTIC_OCCUPANCY,
  LOOM_STATISTIC_ROUTES,
  LOOM_STATISTIC_STALLS,
  LOOM_STATISTIC_PACKETS,
  LOOM_STATISTIC_TIMES,
  LOOM_STATISTIC_TRACE,
  LOOM_STATISTICS,
};
/* Links have two more, outputs and devices; stalls have one more, waits. */
enum { LOOM_STATISTICS_FILES = LOOM_STATISTICS + 3 };
extern const char *const loom_statistic_names[LOOM_STATISTICS + 1];

#endif

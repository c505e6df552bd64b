/* SPDX-License-Identifier: Apache-2.0 */
/* read_logs.h - logs of a recorded MPI program, and the trace that they make (docs/record.md) */
#ifndef LOOM_IO_READ_LOGS_H
#define LOOM_IO_READ_LOGS_H

#include "io/source.h"
#include "vef/vef_log.h"

/* The trace of the logs `rank.0`, `rank.1`, ... of a folder. NULL: refused, *err names the log and
 * its line. Ends with loom_vef_destroy. */
struct loom_vef_trace *loom_read_logs(const char *folder, const struct loom_vef_merge_cfg *cfg,
                                      struct loom_vef_merged *merged, struct loom_error *err);

/* Reads one log. False: refused, *err says why. Ends with loom_vef_log_free. */
bool loom_read_log(struct loom_vef_log *log, const struct loom_source *src, struct loom_error *err);

#endif

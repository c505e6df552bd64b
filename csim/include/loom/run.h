/* SPDX-License-Identifier: Apache-2.0 */
/* run.h - a fabric under the traffic of its file, and what came of it (docs/library.md)
 *
 * The same as `loom run`: every seed of the file, one after the other, with warm-up, measurement
 * and drain. Errors, ownership and threads are as <loom/fabric.h> says; a run takes no longer than
 * its setup.
 */
#ifndef LOOM_RUN_H
#define LOOM_RUN_H

#include <loom/fabric.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The results of all seeds. */
struct loom_run;

/* Runs all seeds. NULL: refused, as the topology, the traffic or the routing may be. */
struct loom_run *loom_run_create(const struct loom_setup *setup, struct loom_refusal *why);
void loom_run_free(struct loom_run *run);

/* Every seed drained and lost nothing. */
bool loom_run_good(const struct loom_run *run);
/* How the run of a seed, 0.., ended: "done", "busy", "stuck", ...; NULL: there is no such seed. */
const char *loom_run_outcome(const struct loom_run *run, uint32_t seed);

/* A mean over the seeds. */
struct loom_mean {
  double mean;
  double interval; /* half width of its 95 % confidence interval; 0: there is none */
  double min, max; /* of the seeds */
  uint32_t seeds;  /* that say something; 0: nobody sent or received any */
};

/* What a traffic class got. Latencies are cycles: total from the posting of a message to its last
 * flit at the receiver, net from its first flit on. q50..q999: what 50 % to 99.9 % of the messages
 * do not pass. */
struct loom_latencies {
  struct loom_mean mean, q50, q90, q99, q999;
};
struct loom_metrics_of_class {
  struct loom_mean offered, accepted; /* flits/cycle/host */
  struct loom_latencies total, net;
};

/* Class number loom_setup_classes() is all classes together. False: there is no such class. */
bool loom_run_metrics(const struct loom_run *run, uint32_t traffic_class,
                      struct loom_metrics_of_class *metrics);

/* summary.json as a text (docs/formats.md): the caller's, for free(). NULL: out of memory. */
char *loom_run_json(const struct loom_run *run);
/* Writes the results directory that `loom run -o` writes, as a whole or not at all. */
bool loom_run_write(const struct loom_run *run, const char *folder, struct loom_refusal *why);

#ifdef __cplusplus
}
#endif

#endif

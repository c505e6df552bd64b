/* SPDX-License-Identifier: Apache-2.0 */
/* summary.h - means and confidence intervals over the seeds of an experiment (docs/traffic.md;
 * OP-22)
 */
#ifndef LOOM_TRAFFIC_SUMMARY_H
#define LOOM_TRAFFIC_SUMMARY_H

#include "traffic/experiment.h"
#include "traffic/sample.h"

enum { LOOM_SUMMARY_QUANTILES = 4 };
/* 0.5, 0.9, 0.99, 0.999 */
extern const double loom_summary_part[LOOM_SUMMARY_QUANTILES];

struct loom_summary_latency {
  struct loom_sample mean;                             /* cycles */
  struct loom_sample quantile[LOOM_SUMMARY_QUANTILES]; /* cycles */
  struct loom_latency all;                             /* of all seeds together */
};

/* Of a class, or of all. */
struct loom_summary_class {
  struct loom_sample offered, accepted; /* flits/cycle/host */
  struct loom_sample percent;           /* accepted / offered, of seeds that offered something */
  struct loom_sample worst; /* accepted of the host that got least through; of those seeds */
  struct loom_summary_latency total, net;               /* of seeds that received something */
  struct loom_summary_latency packet_total, packet_net; /* and packets in trains */
  /* Of all seeds together, if their measurements were of the same cycles. */
  struct loom_settle_record window, whole;
  /* The worst of the seeds, each by itself. */
  struct loom_settle_verdict worst_window[LOOM_SETTLE_QUANTITIES];
  struct loom_settle_verdict worst_whole[LOOM_SETTLE_QUANTITIES];
};

struct loom_summary {
  uint32_t classes, hosts;
  uint32_t outcome[LOOM_OUTCOME_NO_MEMORY + 1]; /* runs by outcome */
  uint32_t complete;                            /* runs that count */
  bool apart;                                   /* they were measured in different cycles */
  bool ends;                                    /* one ended with its traces */
  struct loom_sample replayed;                  /* cycles, of runs whose traces were done */
  struct loom_summary_class traffic_class[];    /* [classes] is all together */
};

/* NULL: out of memory. */
struct loom_summary *loom_summary_create(uint32_t classes, uint32_t hosts);
void loom_summary_destroy(struct loom_summary *s);
/* Takes the result of another seed; of a run whose measurement is not complete only the outcome. */
void loom_summary_add(struct loom_summary *s, const struct loom_experiment_result *r);

/* Whether what was measured of a class has settled, in all seeds together, or in the worst one if
 * they were measured in different cycles; and what MSER-5 says of the time from cycle 0 to the end
 * of the measurement. */
struct loom_settle_verdict loom_summary_settled(const struct loom_summary *s,
                                                uint32_t traffic_class,
                                                enum loom_settle_quantity quantity);
struct loom_settle_verdict loom_summary_warmup(const struct loom_summary *s, uint32_t traffic_class,
                                               enum loom_settle_quantity quantity);

/* Flits/cycle/host of so many flits; 0 if no cycle was measured. */
double loom_throughput(uint64_t flits, uint64_t cycles, uint32_t hosts);

#endif

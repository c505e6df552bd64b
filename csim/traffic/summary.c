/* SPDX-License-Identifier: Apache-2.0 */
#include "traffic/summary.h"

#include <stdlib.h>

const double loom_summary_part[LOOM_SUMMARY_QUANTILES] = {0.5, 0.9, 0.99, 0.999};

/* ---- samples --------------------------------------------------------------------------------- */

/* Newton's way down from above: no mathematics library is needed. */
static double root(double x) {
  double r = 0;
  double next = x > 1 ? x : 1;
  if (x <= 0)
    return 0;
  do {
    r = next;
    next = (r + x / r) / 2;
  } while (next < r);
  return r;
}

/* Mean and squares are kept so that nothing cancels out (Welford). */
void loom_sample_add(struct loom_sample *s, double value) {
  double off = value - s->mean;
  s->min = s->count && s->min < value ? s->min : value;
  s->max = s->count && s->max > value ? s->max : value;
  s->count++;
  s->mean += off / s->count;
  s->squares += off * (value - s->mean);
}

double loom_sample_deviation(const struct loom_sample *s) {
  return s->count < 2 ? 0 : root(s->squares / (s->count - 1));
}

double loom_student(uint32_t freedom) {
  static const double quantile[] = {12.7062, 4.3027, 3.1824, 2.7764, 2.5706, 2.4469, 2.3646, 2.3060,
                                    2.2622,  2.2281, 2.2010, 2.1788, 2.1604, 2.1448, 2.1314, 2.1199,
                                    2.1098,  2.1009, 2.0930, 2.0860, 2.0796, 2.0739, 2.0687, 2.0639,
                                    2.0595,  2.0555, 2.0518, 2.0484, 2.0452, 2.0423};
  const double z = 1.959963985; /* of the normal distribution */
  const double n = freedom;
  if (freedom < 1)
    return 0;
  if (freedom <= sizeof quantile / sizeof quantile[0])
    return quantile[freedom - 1];
  /* Abramowitz and Stegun 26.7.5: below 10^-4 off from here on. */
  const double z3 = z * z * z;
  const double z5 = z3 * z * z;
  return z + (z3 + z) / (4 * n) + (5 * z5 + 16 * z3 + 3 * z) / (96 * n * n);
}

double loom_sample_half(const struct loom_sample *s) {
  return s->count < 2 ? 0 : loom_student(s->count - 1) * loom_sample_deviation(s) / root(s->count);
}

/* ---- seeds ----------------------------------------------------------------------------------- */

double loom_throughput(uint64_t flits, uint64_t cycles, uint32_t hosts) {
  return cycles && hosts ? (double)flits / ((double)cycles * hosts) : 0;
}

struct loom_summary *loom_summary_create(uint32_t classes, uint32_t hosts) {
  struct loom_summary *s =
      calloc(1, sizeof *s + ((size_t)classes + 1) * sizeof s->traffic_class[0]);
  if (s) {
    s->classes = classes;
    s->hosts = hosts;
  }
  return s;
}

void loom_summary_destroy(struct loom_summary *s) { free(s); }

static void add_latency(struct loom_summary_latency *s, const struct loom_latency *l) {
  if (!l->count)
    return;
  loom_sample_add(&s->mean, loom_latency_mean(l));
  for (uint32_t i = 0; i < LOOM_SUMMARY_QUANTILES; i++)
    loom_sample_add(&s->quantile[i], (double)loom_latency_quantile(l, loom_summary_part[i]));
  loom_latency_merge(&s->all, l);
}

static void add_class(struct loom_summary *s, uint32_t class,
                      const struct loom_experiment_result *r) {
  struct loom_summary_class *c = &s->traffic_class[class];
  const struct loom_metrics *m = &r->metrics[class];
  loom_sample_add(&c->offered, loom_throughput(m->offered, r->measured, s->hosts));
  loom_sample_add(&c->accepted, loom_throughput(m->flits, r->measured, s->hosts));
  if (m->offered)
    loom_sample_add(&c->percent, 100 * (double)m->flits / (double)m->offered);
  add_latency(&c->total, &m->total);
  add_latency(&c->net, &m->net);
  add_latency(&c->packet_total, &m->packet_total);
  add_latency(&c->packet_net, &m->packet_net);
}

void loom_summary_add(struct loom_summary *s, const struct loom_experiment_result *r) {
  s->outcome[r->outcome]++;
  if (!r->complete || r->outcome == LOOM_OUTCOME_NO_MEMORY)
    return;
  s->complete++;
  if (r->replayed)
    loom_sample_add(&s->replayed, (double)r->replayed);
  for (uint32_t class = 0; class <= s->classes; class ++)
    add_class(s, class, r);
}

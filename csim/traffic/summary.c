/* SPDX-License-Identifier: Apache-2.0 */
#include "traffic/summary.h"

#include <stdlib.h>

const double loom_summary_part[LOOM_SUMMARY_QUANTILES] = {0.5, 0.9, 0.99, 0.999};

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

static double size_of(double x) { return x < 0 ? -x : x; }

/* What is worse of both, number by number. */
static void keep_worse(struct loom_settle_verdict *worst, struct loom_settle_verdict v,
                       bool first) {
  if (first) {
    *worst = v;
    return;
  }
  worst->judged = worst->judged && v.judged;
  worst->stationary = worst->stationary && v.stationary;
  worst->drift = size_of(v.drift) > size_of(worst->drift) ? v.drift : worst->drift;
  worst->within = v.within > worst->within ? v.within : worst->within;
  worst->from = v.from > worst->from ? v.from : worst->from;
}

static void add_class(struct loom_summary *s, uint32_t class,
                      const struct loom_experiment_result *r) {
  struct loom_summary_class *c = &s->traffic_class[class];
  const struct loom_metrics *m = &r->metrics[class];
  loom_sample_add(&c->offered, loom_throughput(m->offered, r->measured, s->hosts));
  loom_sample_add(&c->accepted, loom_throughput(m->flits, r->measured, s->hosts));
  if (m->offered)
    loom_sample_add(&c->percent, 100 * (double)m->flits / (double)m->offered);
  if (m->senders)
    loom_sample_add(&c->worst, loom_throughput(m->worst, r->measured, 1));
  add_latency(&c->total, &m->total);
  add_latency(&c->net, &m->net);
  add_latency(&c->packet_total, &m->packet_total);
  add_latency(&c->packet_net, &m->packet_net);
  for (unsigned q = 0; q < LOOM_SETTLE_QUANTITIES; q++) {
    keep_worse(&c->worst_window[q], loom_settle_judge(&m->window, q), s->complete == 1);
    keep_worse(&c->worst_whole[q], loom_settle_judge(&m->whole, q), s->complete == 1);
  }
  if (s->complete == 1) {
    c->window = m->window;
    c->whole = m->whole;
    return;
  }
  bool alike = loom_settle_merge(&c->window, &m->window);
  alike = loom_settle_merge(&c->whole, &m->whole) && alike;
  s->apart = s->apart || !alike;
}

void loom_summary_add(struct loom_summary *s, const struct loom_experiment_result *r) {
  s->outcome[r->outcome]++;
  if (!r->complete || r->outcome == LOOM_OUTCOME_NO_MEMORY)
    return;
  s->complete++;
  s->ends = s->ends || r->ends;
  if (r->replayed)
    loom_sample_add(&s->replayed, (double)r->replayed);
  for (uint32_t class = 0; class <= s->classes; class ++)
    add_class(s, class, r);
}

/* ---- has it settled? ------------------------------------------------------------------------- */

static struct loom_settle_verdict judge(const struct loom_summary *s,
                                        const struct loom_settle_record *together,
                                        const struct loom_settle_verdict worst[],
                                        enum loom_settle_quantity quantity) {
  if (!s->complete || s->ends)
    return (struct loom_settle_verdict){0};
  return s->apart ? worst[quantity] : loom_settle_judge(together, quantity);
}

struct loom_settle_verdict loom_summary_settled(const struct loom_summary *s,
                                                uint32_t traffic_class,
                                                enum loom_settle_quantity quantity) {
  const struct loom_summary_class *c = &s->traffic_class[traffic_class];
  return judge(s, &c->window, c->worst_window, quantity);
}

struct loom_settle_verdict loom_summary_warmup(const struct loom_summary *s, uint32_t traffic_class,
                                               enum loom_settle_quantity quantity) {
  const struct loom_summary_class *c = &s->traffic_class[traffic_class];
  return judge(s, &c->whole, c->worst_whole, quantity);
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "traffic/settle.h"

#include <string.h>

#include "traffic/sample.h"

enum { GROUP = 5 }; /* spans of a value that MSER-5 looks at */
enum { GROUPS = LOOM_SETTLE_SPANS / GROUP, BATCHES = 20 };
static const double TOLERANCE = 0.01; /* a drift below it does not matter */

/* ---- the record ------------------------------------------------------------------------------ */

void loom_settle_begin(struct loom_settle_record *r, uint64_t now) {
  memset(r, 0, sizeof *r);
  r->start = now;
  r->length = 1;
  r->end = now + 1;
}

static void add(struct loom_settle_span *to, const struct loom_settle_span *from) {
  to->flits += from->flits;
  to->messages += from->messages;
  to->total += from->total;
  to->net += from->net;
}

static void halve(struct loom_settle_record *r) {
  r->spans /= 2;
  for (uint32_t i = 0; i < r->spans; i++) {
    r->span[i] = r->span[2 * i];
    add(&r->span[i], &r->span[2 * i + 1]);
  }
  r->length *= 2;
}

void loom_settle_until(struct loom_settle_record *r, uint64_t now) {
  while (r->length && r->end <= now) {
    r->span[r->spans++] = r->under;
    r->under = (struct loom_settle_span){0};
    if (r->spans == LOOM_SETTLE_SPANS)
      halve(r);
    r->end += r->length;
  }
}

void loom_settle_received(struct loom_settle_record *r, uint64_t now,
                          const struct loom_settle_span *message) {
  loom_settle_until(r, now);
  add(&r->under, message);
}

bool loom_settle_merge(struct loom_settle_record *into, const struct loom_settle_record *from) {
  if (into->start != from->start || into->length != from->length || into->spans != from->spans)
    return false;
  for (uint32_t i = 0; i < into->spans; i++)
    add(&into->span[i], &from->span[i]);
  add(&into->under, &from->under);
  return true;
}

/* What follows from the time alone goes on as far as in the other record. */
static void catch_up(struct loom_settle_record *r, const struct loom_settle_record *with) {
  if (r->end < with->end)
    loom_settle_until(r, with->end - 1);
}

void loom_settle_join(struct loom_settle_record *into, const struct loom_settle_record *from) {
  struct loom_settle_record other = *from;
  catch_up(into, &other);
  catch_up(&other, into);
  loom_settle_merge(into, &other);
}

/* ---- the verdict ----------------------------------------------------------------------------- */

/* The quantity over some spans; false: it has no value there, as no message came. */
static bool value_of(const struct loom_settle_record *r, uint32_t from, uint32_t to,
                     enum loom_settle_quantity quantity, double *value) {
  struct loom_settle_span sum = {0};
  for (uint32_t i = from; i < to; i++)
    add(&sum, &r->span[i]);
  if (quantity == LOOM_SETTLE_ACCEPTED) {
    *value = (double)sum.flits / ((double)r->length * (to - from));
    return true;
  }
  uint64_t latency = quantity == LOOM_SETTLE_TOTAL ? sum.total : sum.net;
  *value = sum.messages ? (double)latency / (double)sum.messages : 0;
  return sum.messages > 0;
}

/* Values of groups of five spans in a row, beginning with the first that has one. */
struct groups {
  uint32_t first, count;
  double value[GROUPS];
};

/* False: a group in the midst has no value. */
static bool group_up(const struct loom_settle_record *r, enum loom_settle_quantity quantity,
                     struct groups *g) {
  double value = 0;
  *g = (struct groups){0};
  for (uint32_t i = 0; i < r->spans / GROUP; i++) {
    bool has = value_of(r, i * GROUP, (i + 1) * GROUP, quantity, &value);
    if (!has && g->count)
      return false;
    if (has)
      g->value[g->count++] = value;
    else
      g->first++;
  }
  return g->count * GROUP >= LOOM_SETTLE_LEAST;
}

static struct loom_sample sample_from(const struct groups *g, uint32_t first) {
  struct loom_sample s = {0};
  for (uint32_t i = first; i < g->count; i++)
    loom_sample_add(&s, g->value[i]);
  return s;
}

/* MSER: what is left out makes the squared standard error of the mean of the rest smallest; half of
 * the groups at most. The number of groups that are left out. */
static uint32_t cut(const struct groups *g) {
  uint32_t best = 0;
  double least = 0;
  for (uint32_t d = 0; d <= g->count / 2; d++) {
    const struct loom_sample rest = sample_from(g, d);
    double error = rest.squares / ((double)rest.count * rest.count);
    if (!d || error < least) {
      best = d;
      least = error;
    }
  }
  return best;
}

/* Means of so many parts of the record from this span on; false: one has no value. */
static bool batch_means(const struct loom_settle_record *r, enum loom_settle_quantity quantity,
                        uint32_t first, struct loom_sample *s) {
  uint32_t spans = r->spans - first;
  double value = 0;
  *s = (struct loom_sample){0};
  for (uint32_t i = 0; i < BATCHES; i++) {
    uint32_t from = first + i * spans / BATCHES, to = first + (i + 1) * spans / BATCHES;
    if (!value_of(r, from, to, quantity, &value))
      return false;
    loom_sample_add(s, value);
  }
  return true;
}

static double size_of(double x) { return x < 0 ? -x : x; }

struct loom_settle_verdict loom_settle_judge(const struct loom_settle_record *r,
                                             enum loom_settle_quantity quantity) {
  struct loom_settle_verdict v = {0};
  struct groups g;
  struct loom_sample batches;
  if (r->spans < LOOM_SETTLE_LEAST || !group_up(r, quantity, &g))
    return v;
  uint32_t out = cut(&g), first = (g.first + out) * GROUP;
  double all = sample_from(&g, 0).mean, kept = sample_from(&g, out).mean;
  if (all <= 0)
    return v;
  v.judged = true;
  v.from = r->start + first * r->length;
  v.drift = kept / all - 1;
  if (batch_means(r, quantity, first, &batches))
    v.within = loom_sample_half(&batches) / batches.mean;
  v.stationary = size_of(v.drift) <= TOLERANCE || size_of(v.drift) <= v.within;
  return v;
}

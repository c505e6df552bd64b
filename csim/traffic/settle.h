/* SPDX-License-Identifier: Apache-2.0 */
/* settle.h - whether what is measured has settled: a record over time, and what MSER-5 and batch
 * means say of it (docs/traffic.md, Has it settled?; OP-22)
 */
#ifndef LOOM_TRAFFIC_SETTLE_H
#define LOOM_TRAFFIC_SETTLE_H

#include <stdbool.h>
#include <stdint.h>

enum {
  LOOM_SETTLE_SPANS = 400, /* at most; then pairs of them become one, so there are 200 or more */
  LOOM_SETTLE_LEAST = 100, /* spans without which nothing is said */
};

/* What was received in a span of time. */
struct loom_settle_span {
  uint64_t flits, messages;
  uint64_t total, net; /* sums of the latencies of these messages, cycles */
};

/* Spans of equal length, one after the other. How many there are, and how long, follows from the
 * time alone. */
struct loom_settle_record {
  uint64_t start;  /* the first cycle */
  uint64_t length; /* cycles of a span */
  uint64_t end;    /* the cycle in which the span under way ends */
  uint32_t spans;  /* that are done */
  struct loom_settle_span under;
  struct loom_settle_span span[LOOM_SETTLE_SPANS];
};

/* The record begins with cycle `now`. */
void loom_settle_begin(struct loom_settle_record *r, uint64_t now);
/* Cycle `now` begins: the spans before it are done. */
void loom_settle_until(struct loom_settle_record *r, uint64_t now);
/* A message is received in cycle `now`. */
void loom_settle_received(struct loom_settle_record *r, uint64_t now,
                          const struct loom_settle_span *message);
/* Adds the spans of another class, or of another seed. False: they are not of the same times. */
bool loom_settle_merge(struct loom_settle_record *into, const struct loom_settle_record *from);
/* Adds a record that began in the same cycle and may have ended earlier or later: up to the later
 * end. */
void loom_settle_join(struct loom_settle_record *into, const struct loom_settle_record *from);

enum loom_settle_quantity { LOOM_SETTLE_ACCEPTED, LOOM_SETTLE_TOTAL, LOOM_SETTLE_NET };
enum { LOOM_SETTLE_QUANTITIES = LOOM_SETTLE_NET + 1 };

struct loom_settle_verdict {
  bool judged; /* there was enough to judge; else the rest means nothing */
  bool stationary;
  double drift;  /* the mean of what MSER-5 keeps, less that of all, in parts of the latter */
  double within; /* half width of the 95 % interval of what it keeps, by batch means, likewise */
  uint64_t from; /* the first cycle of what MSER-5 keeps */
};

/* Flits accepted, or a mean latency, over the time of the record. */
struct loom_settle_verdict loom_settle_judge(const struct loom_settle_record *r,
                                             enum loom_settle_quantity quantity);

#endif

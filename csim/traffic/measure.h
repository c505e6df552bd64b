/* SPDX-License-Identifier: Apache-2.0 */
/* measure.h - what an experiment counts: metrics by class and the series (docs/traffic.md; OP-22)
 */
#ifndef LOOM_TRAFFIC_MEASURE_H
#define LOOM_TRAFFIC_MEASURE_H

#include <stddef.h>

#include "fabric/message.h"
#include "traffic/latency.h"
#include "traffic/settle.h"

/* Of a class, or of all; of the messages received in the measurement, but for `offered`. */
struct loom_metrics {
  uint64_t offered;         /* flits posted in the measurement */
  uint64_t flits, messages; /* received */
  uint32_t senders;         /* hosts that offered something */
  uint64_t worst; /* flits received of what that one of them sent which got least through */
  struct loom_latency total; /* generation to reception */
  struct loom_latency net;   /* injection to reception */
  /* Of packets in trains that came undamaged: generation of the message, injection of the packet to
   * its reception (DT-10). */
  struct loom_latency packet_total, packet_net;
  /* What was received over time: in the measurement, and from cycle 0 to its end. */
  struct loom_settle_record window, whole;
};

/* A row of the series; of each interval there is one for each class, in order. */
struct loom_series_row {
  uint64_t cycle; /* end of the interval */
  uint32_t traffic_class;
  uint64_t offered, flits, messages; /* in the interval */
  uint64_t total_sum, net_sum;       /* latencies of these messages, cycles */
};

/* What a host sent in a class, in the measurement. */
struct loom_measure_host {
  uint64_t offered, received; /* flits */
};

struct loom_measure {
  uint32_t classes, hosts;
  uint64_t interval;              /* of the series, 0: none */
  uint64_t rows_end;              /* cycle in which the interval under way ends */
  bool on;                        /* the measurement is on */
  bool over;                      /* it was */
  bool exhausted;                 /* memory ran out */
  struct loom_metrics *metrics;   /* by class, then all together */
  struct loom_measure_host *host; /* by host, then class */
  struct loom_series_row *row;    /* that are done */
  uint64_t rows, room;            /* so many, and room for so many */
  struct loom_series_row *under;  /* by class: the interval under way */
};

/* False: out of memory; loom_measure_close is due in any case. */
bool loom_measure_open(struct loom_measure *m, uint32_t classes, uint32_t hosts, uint64_t interval);
void loom_measure_close(struct loom_measure *m);

/* With cycle `now` the measurement begins; it is over. */
void loom_measure_start(struct loom_measure *m, uint64_t now);
void loom_measure_stop(struct loom_measure *m, uint64_t now);
/* What another process has counted of the same run, at the same cycle, of other hosts and messages:
 * as bytes, for the same program (the caller's; NULL: out of memory), and added before
 * loom_measure_end. False: it is none. */
void *loom_measure_pack(const struct loom_measure *m, size_t *size);
bool loom_measure_join(struct loom_measure *m, const void *bytes, size_t size);
/* In cycle `now`, while it is on: accepted load and mean latencies of all classes together have
 * settled, and their intervals are `parts` of 10^9 of them at most. */
bool loom_measure_is_exact(struct loom_measure *m, uint64_t now, uint64_t parts);
/* Cycle `now` begins: the intervals before it are done. */
void loom_measure_until(struct loom_measure *m, uint64_t now);
/* `now` cycles are over, and that is all. */
void loom_measure_end(struct loom_measure *m, uint64_t now);

void loom_measure_posted(struct loom_measure *m, const struct loom_message *message);
void loom_measure_received(struct loom_measure *m, const struct loom_message *message);
/* A packet of a message. */
void loom_measure_packet(struct loom_measure *m, const struct loom_message *message,
                         uint64_t injected, uint64_t now);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
#include "traffic/measure.h"

#include <stdlib.h>
#include <string.h>

bool loom_measure_open(struct loom_measure *m, uint32_t classes, uint32_t hosts,
                       uint64_t interval) {
  *m = (struct loom_measure){
      .classes = classes, .hosts = hosts, .interval = interval, .rows_end = interval};
  m->metrics = calloc((size_t)classes + 1, sizeof *m->metrics);
  m->host = calloc((size_t)classes * hosts, sizeof *m->host);
  m->under = calloc(classes, sizeof *m->under);
  for (uint32_t class = 0; m->metrics && class <= classes; class ++)
    loom_settle_begin(&m->metrics[class].whole, 0);
  return m->metrics && m->host && m->under;
}

void loom_measure_close(struct loom_measure *m) {
  free(m->metrics);
  free(m->host);
  free(m->row);
  free(m->under);
}

/* ---- the measurement ------------------------------------------------------------------------- */

void loom_measure_start(struct loom_measure *m, uint64_t now) {
  m->on = true;
  for (uint32_t class = 0; class <= m->classes; class ++)
    loom_settle_begin(&m->metrics[class].window, now);
}

void loom_measure_stop(struct loom_measure *m, uint64_t now) {
  m->on = false;
  m->over = true;
  for (uint32_t class = 0; class <= m->classes; class ++) {
    loom_settle_until(&m->metrics[class].window, now);
    loom_settle_until(&m->metrics[class].whole, now);
  }
}

bool loom_measure_is_exact(struct loom_measure *m, uint64_t now, uint64_t parts) {
  for (uint32_t class = 0; class < m->classes; class ++)
    loom_settle_until(&m->metrics[class].window, now);
  struct loom_settle_record all = m->metrics[0].window;
  for (uint32_t class = 1; class < m->classes; class ++)
    loom_settle_merge(&all, &m->metrics[class].window);
  for (unsigned q = 0; q < LOOM_SETTLE_QUANTITIES; q++) {
    const struct loom_settle_verdict v = loom_settle_judge(&all, q);
    if (!v.judged || !v.stationary || v.within > (double)parts / 1e9)
      return false;
  }
  return true;
}

/* ---- the series ------------------------------------------------------------------------------ */

static bool make_room(struct loom_measure *m) {
  if (m->rows + m->classes <= m->room)
    return true;
  uint64_t room = 2 * m->room + 64 * (uint64_t)m->classes;
  struct loom_series_row *row = NULL;
  if (room <= SIZE_MAX / sizeof *row)
    row = realloc(m->row, (size_t)room * sizeof *row);
  if (!row) {
    m->exhausted = true;
    return false;
  }
  m->row = row;
  m->room = room;
  return true;
}

/* The interval under way ends with `end` cycles. */
static void finish_interval(struct loom_measure *m, uint64_t end) {
  if (!make_room(m))
    return;
  for (uint32_t class = 0; class < m->classes; class ++) {
    struct loom_series_row *under = &m->under[class];
    under->cycle = end;
    under->traffic_class = class;
    m->row[m->rows++] = *under;
    *under = (struct loom_series_row){0};
  }
}

void loom_measure_until(struct loom_measure *m, uint64_t now) {
  while (m->interval && m->rows_end <= now && !m->exhausted) {
    finish_interval(m, m->rows_end);
    m->rows_end += m->interval;
  }
}

static void add_counts(struct loom_metrics *into, const struct loom_metrics *from) {
  into->offered += from->offered;
  into->flits += from->flits;
  into->messages += from->messages;
  loom_latency_merge(&into->total, &from->total);
  loom_latency_merge(&into->net, &from->net);
  loom_latency_merge(&into->packet_total, &from->packet_total);
  loom_latency_merge(&into->packet_net, &from->packet_net);
}

static void add_up(struct loom_measure *m) {
  struct loom_metrics *all = &m->metrics[m->classes];
  for (uint32_t class = 0; class < m->classes; class ++) {
    const struct loom_metrics *one = &m->metrics[class];
    add_counts(all, one);
    loom_settle_merge(&all->window, &one->window);
    loom_settle_merge(&all->whole, &one->whole);
  }
}

static void look_at_host(struct loom_metrics *metrics, struct loom_measure_host h) {
  if (!h.offered)
    return;
  if (!metrics->senders || h.received < metrics->worst)
    metrics->worst = h.received;
  metrics->senders++;
}

/* Of each class, and of all, the host that got least through. */
static void find_worst(struct loom_measure *m) {
  for (uint32_t host = 0; host < m->hosts; host++) {
    struct loom_measure_host all = {0, 0};
    for (uint32_t class = 0; class < m->classes; class ++) {
      struct loom_measure_host h = m->host[(size_t)host * m->classes + class];
      look_at_host(&m->metrics[class], h);
      all.offered += h.offered;
      all.received += h.received;
    }
    look_at_host(&m->metrics[m->classes], all);
  }
}

void loom_measure_end(struct loom_measure *m, uint64_t now) {
  loom_measure_until(m, now);
  if (m->interval && now > m->rows_end - m->interval)
    finish_interval(m, now);
  add_up(m);
  find_worst(m);
}

/* ---- of several processes -------------------------------------------------------------------- */

/* Bytes of the four lists, one after the other. */
struct lists {
  size_t metrics, host, under, row, all;
};

static struct lists lists_of(const struct loom_measure *m) {
  struct lists l = {.metrics = m->classes * sizeof *m->metrics,
                    .host = (size_t)m->classes * m->hosts * sizeof *m->host,
                    .under = m->classes * sizeof *m->under,
                    .row = m->rows * sizeof *m->row};
  l.all = l.metrics + l.host + l.under + l.row;
  return l;
}

void *loom_measure_pack(const struct loom_measure *m, size_t *size) {
  const struct lists l = lists_of(m);
  char *bytes = malloc(l.all);
  *size = l.all;
  if (!bytes)
    return NULL;
  memcpy(bytes, m->metrics, l.metrics);
  memcpy(bytes + l.metrics, m->host, l.host);
  memcpy(bytes + l.metrics + l.host, m->under, l.under);
  if (l.row)
    memcpy(bytes + l.metrics + l.host + l.under, m->row, l.row);
  return bytes;
}

static void add_metrics(struct loom_metrics *into, const struct loom_metrics *from) {
  add_counts(into, from);
  loom_settle_join(&into->window, &from->window);
  loom_settle_join(&into->whole, &from->whole);
}

static void join_metrics(struct loom_measure *m, const char *from) {
  struct loom_metrics *other = malloc(sizeof *other);
  m->exhausted |= !other;
  for (uint32_t class = 0; other && class < m->classes; class ++) {
    memcpy(other, from + class * sizeof *other, sizeof *other);
    add_metrics(&m->metrics[class], other);
  }
  free(other);
}

static void join_hosts(struct loom_measure *m, const char *from) {
  for (size_t i = 0; i < (size_t)m->classes * m->hosts; i++) {
    struct loom_measure_host other;
    memcpy(&other, from + i * sizeof other, sizeof other);
    m->host[i].offered += other.offered;
    m->host[i].received += other.received;
  }
}

static void join_rows(struct loom_series_row *row, uint64_t rows, const char *from) {
  for (uint64_t i = 0; i < rows; i++) {
    struct loom_series_row other;
    memcpy(&other, from + i * sizeof other, sizeof other);
    row[i].offered += other.offered;
    row[i].flits += other.flits;
    row[i].messages += other.messages;
    row[i].total_sum += other.total_sum;
    row[i].net_sum += other.net_sum;
  }
}

bool loom_measure_join(struct loom_measure *m, const void *bytes, size_t size) {
  const struct lists l = lists_of(m);
  const char *from = bytes;
  if (size != l.all)
    return false;
  join_metrics(m, from);
  join_hosts(m, from + l.metrics);
  join_rows(m->under, m->classes, from + l.metrics + l.host);
  join_rows(m->row, m->rows, from + l.metrics + l.host + l.under);
  return true;
}

/* ---- messages -------------------------------------------------------------------------------- */

static struct loom_measure_host *host_of(struct loom_measure *m,
                                         const struct loom_message *message) {
  return &m->host[(size_t)message->src * m->classes + message->traffic_class];
}

void loom_measure_posted(struct loom_measure *m, const struct loom_message *message) {
  m->under[message->traffic_class].offered += message->flits;
  if (!m->on)
    return;
  m->metrics[message->traffic_class].offered += message->flits;
  host_of(m, message)->offered += message->flits;
}

void loom_measure_received(struct loom_measure *m, const struct loom_message *message) {
  struct loom_series_row *under = &m->under[message->traffic_class];
  struct loom_metrics *metrics = &m->metrics[message->traffic_class];
  uint64_t total = message->received - message->generated;
  uint64_t net = message->received - message->injected;
  under->flits += message->flits;
  under->messages++;
  under->total_sum += total;
  under->net_sum += net;
  const struct loom_settle_span span = {
      .flits = message->flits, .messages = 1, .total = total, .net = net};
  if (!m->over)
    loom_settle_received(&metrics->whole, message->received, &span);
  if (!m->on)
    return;
  loom_settle_received(&metrics->window, message->received, &span);
  host_of(m, message)->received += message->flits;
  metrics->flits += message->flits;
  metrics->messages++;
  loom_latency_add(&metrics->total, total);
  loom_latency_add(&metrics->net, net);
}

void loom_measure_packet(struct loom_measure *m, const struct loom_message *message,
                         uint64_t injected, uint64_t now) {
  struct loom_metrics *metrics = &m->metrics[message->traffic_class];
  if (!m->on)
    return;
  loom_latency_add(&metrics->packet_total, now - message->generated);
  loom_latency_add(&metrics->packet_net, now - injected);
}

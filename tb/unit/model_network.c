/* SPDX-License-Identifier: Apache-2.0 */
#include "tb/unit/model_network.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdlib.h>

bool model_post(void *context, uint32_t host, const struct loom_message *message) {
  struct model *m = context;
  assert_int_equal(message->src, host);
  assert_true(host < m->hosts && message->dst < m->hosts);
  assert_int_equal(message->dst == host, message->operation == LOOM_OPERATION_COLLECTIVE);
  assert_int_equal(message->generated, m->now);
  if (m->posts + 1 == m->refuse)
    return false;
  if (m->posts == m->room)
    m->log = realloc(m->log, (m->room = 2 * m->room + 64) * sizeof *m->log);
  if (m->count == m->places)
    m->flying = realloc(m->flying, (m->places = 2 * m->places + 64) * sizeof *m->flying);
  assert_non_null(m->log);
  assert_non_null(m->flying);
  m->log[m->posts++] = *message;
  if (m->lose && m->posts % m->lose == 0)
    return true;
  uint64_t arrival = m->now + m->latency + (uint64_t)message->traffic_class * m->more;
  arrival += m->now < m->slow ? m->late : 0;
  if (m->serve) {
    arrival = arrival > m->free ? arrival : m->free;
    m->free = arrival + m->serve;
  }
  m->flying[m->count] = (struct flying){*message, arrival};
  m->flying[m->count++].message.injected = m->now + m->wait;
  return true;
}

/* Takes what arrives now out of `flying`; how many there are. */
static uint64_t arrivals(struct model *m, struct loom_message *batch) {
  uint64_t n = 0;
  uint64_t kept = 0;
  for (uint64_t i = 0; i < m->count; i++)
    if (m->flying[i].arrival == m->now)
      batch[n++] = m->flying[i].message;
    else
      m->flying[kept++] = m->flying[i];
  m->count = kept;
  return n;
}

void model_step(void *context) {
  struct model *m = context;
  bool moves = false;
  for (uint64_t i = 0; i < m->count; i++)
    moves |= m->flying[i].message.injected <= m->now;
  m->steps++;
  if (moves && !(m->stuck && m->now >= m->stuck)) {
    struct loom_message *batch = calloc(m->count, sizeof *batch);
    uint64_t n = arrivals(m, batch);
    m->moved = m->now;
    for (uint64_t i = 0; i < n; i++) {
      struct loom_message *message = &batch[m->reverse ? n - 1 - i : i];
      message->received = m->now;
      loom_experiment_receive(m->experiment, message,
                              m->damage && message->generated % m->damage == 0);
    }
    free(batch);
  }
  m->now++;
}

bool model_quiet(void *context) { return !((struct model *)context)->count; }

void model_advance(void *context, uint64_t cycle) {
  struct model *m = context;
  assert_true(!m->count && cycle > m->now);
  m->now = cycle;
}

uint64_t model_last(void *context) { return ((struct model *)context)->moved; }

void model_free(struct model *m) {
  loom_experiment_destroy(m->experiment);
  free(m->log);
  free(m->flying);
}

const struct loom_experiment_result *run(struct model *m, const struct loom_experiment_cfg *cfg) {
  const struct loom_network network = {.context = m,
                                       .hosts = m->hosts,
                                       .post = model_post,
                                       .step = model_step,
                                       .quiet = model_quiet,
                                       .advance = model_advance,
                                       .last_flit = model_last};
  m->experiment = loom_experiment_create(cfg, &network);
  assert_non_null(m->experiment);
  const struct loom_experiment_result *r = loom_experiment_run(m->experiment, NULL, NULL);
  assert_int_equal(r->cycles, m->now);
  assert_int_equal(r->posted, m->posts);
  return r;
}

struct loom_offer_cfg offer_of(uint32_t hosts, enum loom_process process, uint32_t flits,
                               uint64_t load) {
  return (struct loom_offer_cfg){.pattern = {.kind = LOOM_PATTERN_UNIFORM, .hosts = hosts},
                                 .process = process,
                                 .flits = flits,
                                 .burst = 1,
                                 .load = load};
}

struct loom_experiment_cfg cfg_of(const struct loom_offer_cfg *offer, uint32_t offers) {
  return (struct loom_experiment_cfg){
      .classes = 2, .measure = 10000, .drain = 10000, .seed = 1, .offers = offers, .offer = offer};
}

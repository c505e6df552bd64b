/* SPDX-License-Identifier: Apache-2.0 */
/* elan5_host.c - hosts of Elite5 fabrics: messages as puts of Elan5 endpoints (docs/fabric.md,
 * section Host interface of Elite5) */
#include "fabric/elan5_host.h"

#include <loom/bits.h>
#include <stdlib.h>

enum { SLOTS = LOOM_ELAN5_OWN_TRANSFERS, QUEUE_FIRST = 16 };

/* Messages that wait, first in first out; grows. */
struct queue {
  struct loom_message *ring;
  uint32_t first, count, size; /* size: 0 or a power of two */
};

struct host {
  struct loom_elan5_hosts *all;
  struct loom_elan5 *endpoint;
  struct loom_fabric *fabric;
  uint32_t device, number;
  uint32_t waiting;                      /* classes with something in their queue */
  uint32_t turn;                         /* class that began last */
  uint32_t under_way[LOOM_HOST_CLASSES]; /* transfers */
  uint64_t running, fresh;               /* transfers; those that have sent nothing yet */
  uint64_t next_take;                    /* cycle from which on a message may leave the queue */
  struct queue queue[LOOM_HOST_CLASSES];
  struct loom_message slot[SLOTS];
};

struct loom_elan5_hosts {
  struct loom_elan5_hosts_cfg cfg;
  uint64_t messages;      /* that wait or are under way */
  uint64_t queued, taken; /* messages for queues that were acknowledged, that left a queue */
  uint64_t counted;       /* events that were acknowledged */
  struct loom_elan5_jobs *jobs;
  uint32_t most; /* transfers of a class at a time */
  uint32_t count;
  bool exhausted;
  struct host *host;
};

/* ---- queues ---------------------------------------------------------------------------------- */

static bool push(struct queue *q, const struct loom_message *m) {
  if (q->count == q->size) {
    uint32_t size = q->size ? 2 * q->size : QUEUE_FIRST;
    struct loom_message *ring = calloc(size, sizeof *ring);
    if (!ring)
      return false;
    for (uint32_t i = 0; i < q->count; i++)
      ring[i] = q->ring[(q->first + i) & (q->size - 1)];
    free(q->ring);
    *q = (struct queue){.ring = ring, .count = q->count, .size = size};
  }
  q->ring[(q->first + q->count++) & (q->size - 1)] = *m;
  return true;
}

static const struct loom_message *front(const struct queue *q) { return &q->ring[q->first]; }

static struct loom_message pop(struct queue *q) {
  struct loom_message m = *front(q);
  q->first = (q->first + 1) & (q->size - 1);
  q->count--;
  return m;
}

/* ---- a cycle --------------------------------------------------------------------------------- */

/* The next class that has a message of this cycle or an earlier one and may have another transfer;
 * LOOM_HOST_CLASSES: none. */
static uint32_t next_class(const struct host *h, uint64_t cycle) {
  uint32_t classes = h->all->cfg.classes;
  for (uint32_t i = 1; i <= classes; i++) {
    uint32_t c = (h->turn + i) % classes;
    if (h->waiting >> c & 1 && h->under_way[c] < h->all->most &&
        front(&h->queue[c])->generated <= cycle)
      return c;
  }
  return LOOM_HOST_CLASSES;
}

/* The request of a message; LOOM_ELAN5_NONE: the endpoint takes none now. */
static uint32_t request(struct host *h, const struct loom_message *m) {
  const uint8_t *prio = h->all->cfg.prio;
  const struct loom_elan5_target to = {.dest = (uint16_t)m->dst, .prio = prio[m->traffic_class]};
  uint32_t bytes = m->flits * LOOM_FLIT_BYTES;
  switch ((enum loom_operation)m->operation) {
  case LOOM_OPERATION_GET:
    return loom_elan5_get(h->endpoint, to, 0, 0, bytes);
  case LOOM_OPERATION_QUEUE:
    return loom_elan5_queue(h->endpoint, to, 0, bytes);
  case LOOM_OPERATION_EVENT:
    return loom_elan5_count(h->endpoint, to, LOOM_ELAN5_HOST_EVENT, 1);
  case LOOM_OPERATION_CONDITIONAL:
    return loom_elan5_conditional(h->endpoint, to, 0, 0);
  case LOOM_OPERATION_PUT:
  case LOOM_OPERATIONS:
  case LOOM_OPERATION_COLLECTIVE:
    break;
  }
  return loom_elan5_put(h->endpoint, to, 0, 0, bytes);
}

/* Requests for the messages that wait, as many as the endpoint takes. */
static void begin(struct host *h, uint64_t cycle) {
  for (uint32_t c; h->waiting && (c = next_class(h, cycle)) != LOOM_HOST_CLASSES;) {
    const struct loom_message *m = front(&h->queue[c]);
    uint32_t transfer = request(h, m);
    if (transfer == LOOM_ELAN5_NONE)
      return;
    h->slot[transfer] = pop(&h->queue[c]);
    if (!h->queue[c].count)
      h->waiting &= ~(1u << c);
    h->turn = c;
    h->under_way[c]++;
    h->running |= 1ull << transfer;
    h->fresh |= 1ull << transfer;
  }
}

/* Looks at what the cycle has done. */
static void look(struct host *h, uint64_t cycle) {
  struct loom_elan5 *e = h->endpoint;
  struct loom_elan5_hosts *all = h->all;
  for (uint64_t set = h->fresh; set; set &= set - 1)
    if (e->transfer[loom_ctz(set)].begun) {
      h->slot[loom_ctz(set)].injected = cycle;
      h->fresh &= ~(set & -set);
    }
  for (uint64_t set = h->running & e->finished; set; set &= set - 1) {
    uint32_t transfer = loom_ctz(set);
    struct loom_message m = h->slot[transfer];
    loom_elan5_done(e, transfer);
    m.received = cycle;
    h->running &= ~(1ull << transfer);
    h->under_way[m.traffic_class]--;
    all->messages--;
    all->queued += m.operation == LOOM_OPERATION_QUEUE;
    all->counted += m.operation == LOOM_OPERATION_EVENT;
    all->cfg.receive(all->cfg.context, &m, false);
  }
}

/* The program takes a message out of the queue. */
static void take(struct host *h, uint64_t cycle) {
  struct loom_elan5_message message;
  if (cycle < h->next_take || !loom_elan5_take_message(h->endpoint, &message))
    return;
  h->next_take = cycle + h->all->cfg.take;
  h->all->taken++;
}

static void step(void *device, uint64_t now, const struct loom_fabric_arrival *in,
                 const struct loom_fabric_show *show) {
  struct host *h = device;
  uint64_t cycle = loom_fabric_cycle(h->fabric);
  if (h->waiting)
    begin(h, cycle);
  loom_elan5_fabric_step(h->endpoint, now, in, show);
  if (h->running)
    look(h, cycle);
  if (h->endpoint->messages)
    take(h, cycle);
  loom_elan5_jobs_step(h->all->jobs, h->number, h->endpoint, cycle);
}

static bool sleeps(const void *device) {
  const struct host *h = device;
  return !h->waiting && !h->endpoint->messages && loom_elan5_sleeps(h->endpoint) &&
         loom_elan5_jobs_sleep(h->all->jobs, h->number, h->endpoint);
}

static const struct loom_fabric_class host_class = {.name = "elan5_host",
                                                    .ports = LOOM_ELAN5_LINKS,
                                                    .wires = true,
                                                    .spared = loom_elite5_is_spared,
                                                    .step = step,
                                                    .sleeps = sleeps};

/* ---- collectives ----------------------------------------------------------------------------- */

static void wake(void *hosts, uint32_t host) {
  const struct loom_elan5_hosts *all = hosts;
  loom_fabric_wake(all->host[host].fabric, all->host[host].device);
}

static void is_over(void *hosts, struct loom_message *message) {
  struct loom_elan5_hosts *all = hosts;
  all->messages--;
  all->cfg.receive(all->cfg.context, message, false);
}

/* ---- all hosts ------------------------------------------------------------------------------- */

struct loom_elan5_hosts *loom_elan5_hosts_create(const struct loom_elan5_hosts_cfg *cfg) {
  struct loom_elan5_hosts *h = calloc(1, sizeof *h);
  if (!h)
    return NULL;
  h->cfg = *cfg;
  h->most = SLOTS / cfg->classes;
  h->host = calloc((size_t)cfg->hosts + 1, sizeof *h->host);
  h->jobs = loom_elan5_jobs_create(&(struct loom_elan5_jobs_cfg){.hosts = cfg->hosts,
                                                                 .jobs = cfg->jobs,
                                                                 .job = cfg->job,
                                                                 .wake = wake,
                                                                 .over = is_over,
                                                                 .context = h});
  if (h->host && h->jobs)
    return h;
  loom_elan5_hosts_destroy(h);
  return NULL;
}

void loom_elan5_hosts_destroy(struct loom_elan5_hosts *h) {
  if (!h)
    return;
  for (uint32_t i = 0; h->host && i < h->count; i++)
    for (uint32_t c = 0; c < LOOM_HOST_CLASSES; c++)
      free(h->host[i].queue[c].ring);
  loom_elan5_jobs_destroy(h->jobs);
  free(h->host);
  free(h);
}

uint32_t loom_elan5_host_add(struct loom_elan5_hosts *all, struct loom_fabric *f,
                             struct loom_elan5 *endpoint) {
  struct host *h = &all->host[all->count];
  h->number = all->count++;
  h->all = all;
  h->endpoint = endpoint;
  h->fabric = f;
  h->device = loom_elan5_add(f, &host_class, h, endpoint);
  return h->device;
}

bool loom_elan5_host_post(struct loom_elan5_hosts *all, uint32_t host,
                          const struct loom_message *message) {
  struct host *h = &all->host[host];
  struct loom_message m = *message;
  m.src = host;
  m.generated = loom_fabric_cycle(h->fabric) + loom_fabric_is_stepping(h->fabric);
  if (m.operation == LOOM_OPERATION_COLLECTIVE) {
    all->messages++;
    loom_elan5_jobs_begin(all->jobs, &m);
    return true;
  }
  if (!push(&h->queue[m.traffic_class], &m)) {
    all->exhausted = true;
    return false;
  }
  h->waiting |= 1u << m.traffic_class;
  all->messages++;
  loom_fabric_wake(h->fabric, h->device);
  return true;
}

bool loom_elan5_hosts_busy(const struct loom_elan5_hosts *h) {
  return h->messages || h->taken < h->queued;
}

struct loom_elan5_hosts_tally loom_elan5_hosts_tally(const struct loom_elan5_hosts *h) {
  struct loom_elan5_hosts_tally t = {
      .messages = h->messages, .queued = h->queued, .taken = h->taken, .asked = h->counted};
  for (uint32_t i = 0; i < h->count; i++)
    t.counted += h->host[i].endpoint->event[LOOM_ELAN5_HOST_EVENT].count;
  return t;
}

uint64_t loom_elan5_tally_stray(const struct loom_elan5_hosts_tally *t) {
  if (loom_elan5_tally_busy(t))
    return 0;
  return t->taken - t->queued +
         (t->counted > t->asked ? t->counted - t->asked : t->asked - t->counted);
}

uint64_t loom_elan5_hosts_stray(const struct loom_elan5_hosts *h) {
  const struct loom_elan5_hosts_tally t = loom_elan5_hosts_tally(h);
  return loom_elan5_tally_stray(&t);
}

uint64_t loom_elan5_hosts_wrong(const struct loom_elan5_hosts *h) {
  return loom_elan5_jobs_wrong(h->jobs);
}

struct loom_elan5_job_counts loom_elan5_hosts_job(const struct loom_elan5_hosts *h, uint32_t job) {
  return loom_elan5_jobs_counts(h->jobs, job);
}

bool loom_elan5_hosts_exhausted(const struct loom_elan5_hosts *h) { return h->exhausted; }

uint64_t loom_elan5_hosts_nacks(const struct loom_elan5_hosts *h) {
  uint64_t sum = 0;
  for (uint32_t i = 0; i < h->count; i++)
    sum += h->host[i].endpoint->counters.nacks;
  return sum;
}

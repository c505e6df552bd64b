/* SPDX-License-Identifier: Apache-2.0 */
/* crew.c - threads that do the items of a list together (docs/fabric.md, section Every core) */
#include "fabric/crew.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>

/* How often a worker without an item looks for one: first it only waits, then it lets others have
 * the core, then it sleeps until it is woken. */
enum { SPINS = 2000, YIELDS = 100 };
enum { LINE = 64 };

/* Items that nobody has begun: from `first` in the high half to below `end` in the low one. */
struct part {
  _Alignas(LINE) _Atomic uint64_t left;
  struct loom_crew *crew;
  uint32_t worker;
  pthread_t thread;
};

struct loom_crew {
  _Alignas(LINE) _Atomic uint64_t round; /* lists so far */
  _Atomic uint32_t sleepers;             /* workers that sleep, or are about to */
  _Atomic bool ends;
  _Alignas(LINE) _Atomic uint32_t done; /* items of this list */
  uint32_t items;
  loom_crew_work *work;
  void *context;
  uint32_t workers;
  pthread_mutex_t mutex; /* of `wake` */
  pthread_cond_t wake;
  struct part part[];
};

/* ---- items ----------------------------------------------------------------------------------- */

static uint64_t pack(uint32_t first, uint32_t end) { return (uint64_t)first << 32 | end; }

/* The next item of a part, from its front or its back; false: there is none. */
static bool take(struct part *p, bool front, uint32_t *item) {
  uint64_t left = atomic_load_explicit(&p->left, memory_order_relaxed);
  uint32_t first, end;
  do {
    first = (uint32_t)(left >> 32);
    end = (uint32_t)left;
    if (first >= end)
      return false;
    *item = front ? first : end - 1;
  } while (!atomic_compare_exchange_weak_explicit(
      &p->left, &left, front ? pack(first + 1, end) : pack(first, end - 1), memory_order_acquire,
      memory_order_relaxed));
  return true;
}

static void empty(struct loom_crew *c, struct part *p, uint32_t worker) {
  uint32_t item, done = 0;
  for (; take(p, p->worker == worker, &item); done++)
    c->work(c->context, worker, item);
  if (done)
    atomic_fetch_add_explicit(&c->done, done, memory_order_release);
}

/* Does items until none is left anywhere. Whoever is so late that the next list has come goes on
 * with that one. */
static void help(struct loom_crew *c, uint32_t worker) {
  for (uint32_t n = 0; n < c->workers; n++)
    empty(c, &c->part[(worker + n) % c->workers], worker);
}

/* ---- threads --------------------------------------------------------------------------------- */

static void relax(void) {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#endif
}

/* The caller looks for sleepers after it began a round, and a worker for a round after it became
 * one, so one of them sees the other. */
static uint64_t fall_asleep(struct loom_crew *c, uint64_t seen) {
  uint64_t round;
  pthread_mutex_lock(&c->mutex);
  atomic_fetch_add(&c->sleepers, 1);
  while ((round = atomic_load(&c->round)) == seen)
    pthread_cond_wait(&c->wake, &c->mutex);
  atomic_fetch_sub(&c->sleepers, 1);
  pthread_mutex_unlock(&c->mutex);
  return round;
}

/* Until a round after `seen` begins, which it gives. */
static uint64_t await(struct loom_crew *c, uint64_t seen) {
  for (uint32_t n = 0; n < SPINS + YIELDS; n++) {
    uint64_t round = atomic_load_explicit(&c->round, memory_order_acquire);
    if (round != seen)
      return round;
    if (n < SPINS)
      relax();
    else
      sched_yield();
  }
  return fall_asleep(c, seen);
}

static void *live(void *argument) {
  const struct part *p = argument;
  struct loom_crew *c = p->crew;
  for (uint64_t round = 0;;) {
    round = await(c, round);
    if (atomic_load_explicit(&c->ends, memory_order_relaxed))
      return NULL;
    help(c, p->worker);
  }
}

static void begin_round(struct loom_crew *c) {
  atomic_fetch_add(&c->round, 1);
  if (!atomic_load(&c->sleepers))
    return;
  pthread_mutex_lock(&c->mutex);
  pthread_cond_broadcast(&c->wake);
  pthread_mutex_unlock(&c->mutex);
}

/* The first `workers` workers end, and what they had in common goes. */
static void dismiss(struct loom_crew *c, uint32_t workers) {
  atomic_store_explicit(&c->ends, true, memory_order_relaxed);
  begin_round(c);
  for (uint32_t w = 1; w < workers; w++)
    pthread_join(c->part[w].thread, NULL);
  pthread_cond_destroy(&c->wake);
  pthread_mutex_destroy(&c->mutex);
  free(c);
}

struct loom_crew *loom_crew_create(uint32_t workers, loom_crew_work *work, void *context) {
  if (workers < 2 || workers > LOOM_CREW_WORKERS)
    return NULL;
  struct loom_crew *c = aligned_alloc(LINE, sizeof *c + workers * sizeof c->part[0]);
  if (!c)
    return NULL;
  *c = (struct loom_crew){.work = work, .context = context, .workers = workers};
  pthread_mutex_init(&c->mutex, NULL);
  pthread_cond_init(&c->wake, NULL);
  for (uint32_t w = 0; w < workers; w++) {
    struct part *p = &c->part[w];
    *p = (struct part){.crew = c, .worker = w};
    if (w && pthread_create(&p->thread, NULL, live, p)) {
      dismiss(c, w);
      return NULL;
    }
  }
  return c;
}

void loom_crew_destroy(struct loom_crew *c) {
  if (c)
    dismiss(c, c->workers);
}

/* ---- rounds ---------------------------------------------------------------------------------- */

void loom_crew_begin(struct loom_crew *c, uint32_t items) {
  c->items = items;
  atomic_store_explicit(&c->done, 0, memory_order_relaxed);
  for (uint32_t w = 0; w < c->workers; w++) {
    uint32_t first = (uint32_t)((uint64_t)items * w / c->workers);
    uint32_t end = (uint32_t)((uint64_t)items * (w + 1) / c->workers);
    atomic_store_explicit(&c->part[w].left, pack(first, end), memory_order_release);
  }
  begin_round(c);
}

void loom_crew_end(struct loom_crew *c) {
  help(c, 0);
  for (uint32_t n = 0; atomic_load_explicit(&c->done, memory_order_acquire) < c->items; n++)
    if (n < SPINS)
      relax();
    else
      sched_yield();
}

/* SPDX-License-Identifier: Apache-2.0 */
/* elan5_barrier.c - barriers that the adapters progress (docs/elan5.md; E5-32) */
#include "elan5/elan5_barrier.h"

#include <string.h>

enum { DONE_AT = LOOM_ELAN5_WORD /* after `ready` */ };

void loom_elan5_barrier_init(struct loom_elan5_barrier *s,
                             const struct loom_elan5_barrier_cfg *cfg) {
  memset(s, 0, sizeof *s);
  s->cfg = *cfg;
  s->transfer = LOOM_ELAN5_NONE;
}

static struct loom_elan5_target everybody(const struct loom_elan5_barrier *s) {
  return (struct loom_elan5_target){.dest = s->cfg.group, .group = true, .prio = s->cfg.prio};
}

void loom_elan5_barrier_enter(struct loom_elan5_barrier *s, struct loom_elan5 *e) {
  s->sequence++;
  s->waiting = true;
  if (s->cfg.type == LOOM_ELAN5_BARRIER_POLL)
    loom_elan5_store(loom_elan5_memory(e, s->cfg.address), s->sequence);
  else
    e->event[s->cfg.event].count++;
}

bool loom_elan5_barrier_through(const struct loom_elan5_barrier *s, struct loom_elan5 *e) {
  return loom_elan5_load(loom_elan5_memory(e, s->cfg.address + DONE_AT)) == s->sequence;
}

/* Everybody is in: the root says so. */
static void write_done(struct loom_elan5_barrier *s, struct loom_elan5 *e) {
  s->transfer = loom_elan5_put_word(e, everybody(s), s->cfg.address + DONE_AT, s->sequence);
  if (s->transfer != LOOM_ELAN5_NONE)
    s->waiting = s->all_ready = false;
}

/* Algorithm A: only the root does anything. */
static void poll(struct loom_elan5_barrier *s, struct loom_elan5 *e) {
  if (s->all_ready) {
    write_done(s, e);
  } else {
    s->transfer = loom_elan5_conditional(e, everybody(s), s->cfg.address, s->sequence);
    s->polling = s->transfer != LOOM_ELAN5_NONE;
    s->polls += s->polling;
  }
}

/* Members that send their events here. */
static uint32_t children(const struct loom_elan5_barrier *s) {
  uint64_t first = (uint64_t)s->cfg.self * s->cfg.arity + 1;
  if (first >= s->cfg.members)
    return 0;
  uint64_t left = s->cfg.members - first;
  return left < s->cfg.arity ? (uint32_t)left : s->cfg.arity;
}

static void send_up(struct loom_elan5_barrier *s, struct loom_elan5 *e) {
  uint32_t parent = (s->cfg.self - 1) / s->cfg.arity;
  const struct loom_elan5_target to = {.dest = s->cfg.node[parent], .prio = s->cfg.prio};
  s->transfer = loom_elan5_count(e, to, s->cfg.event, 1);
  if (s->transfer == LOOM_ELAN5_NONE)
    return;
  s->sent_up++;
  s->waiting = s->all_ready = false;
}

/* Algorithm B: one event up when this member and all below it are in. */
static void count(struct loom_elan5_barrier *s, struct loom_elan5 *e) {
  if (!s->all_ready)
    s->all_ready = loom_elan5_take_event(e, s->cfg.event, 1 + children(s));
  if (!s->all_ready)
    return;
  if (s->cfg.self == 0)
    write_done(s, e);
  else
    send_up(s, e);
}

void loom_elan5_barrier_step(struct loom_elan5_barrier *s, struct loom_elan5 *e) {
  if (s->transfer != LOOM_ELAN5_NONE) {
    enum loom_elan5_result result = loom_elan5_done(e, s->transfer);
    if (result == LOOM_ELAN5_RUNNING)
      return;
    s->transfer = LOOM_ELAN5_NONE;
    if (s->polling)
      s->all_ready = result == LOOM_ELAN5_DONE;
    s->polling = false;
  }
  if (!s->waiting)
    return;
  if (s->cfg.type == LOOM_ELAN5_BARRIER_EVENTS)
    count(s, e);
  else if (s->cfg.self == 0)
    poll(s, e);
  else
    s->waiting = false;
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "fabric/managed_class.h"

#include <stdlib.h>

#include <loom/bits.h>

#include "fabric/switch_class.h"

enum { WRITES_FIRST = 64 };

/* ---- the link layer of a port that is down --------------------------------------------------- */

/* A flit of a port that is down, or that drops a packet. Whether it is dropped. */
static bool drop(struct loom_managed_switch *m, struct loom_managed_link *l, uint64_t down,
                 bool head, bool tail, uint8_t vl, uint64_t data, uint64_t now) {
  if (head) {
    l->drops = down;
    l->place = 0;
    l->head = data;
  }
  if (!l->drops)
    return false;
  l->flits++;
  if (++l->place % LOOM_UNIT_FLITS == 0 || tail) {
    l->owed[vl & 31]++;
    l->owes |= 1u << (vl & 31);
  }
  if (tail) {
    l->drops = false;
    l->packets++;
    m->lost(m->context, l->head, now);
  }
  return true;
}

/* A credit that is given back; its VL. */
static uint8_t give(struct loom_managed_link *l) {
  uint32_t vl = loom_ctz(l->owes);
  if (--l->owed[vl] == 0)
    l->owes &= ~(1u << vl);
  return (uint8_t)vl;
}

/* Sets of ports after a link has been looked at. */
static void note(const struct loom_managed_link *l, uint32_t port, uint64_t *drops, uint64_t *owe) {
  uint64_t bit = 1ull << port;
  *drops = l->drops ? *drops | bit : *drops & ~bit;
  *owe = l->owes ? *owe | bit : *owe & ~bit;
}

/* What leaves: the ports whose flits are dropped. */
static uint64_t drop_leaving(struct loom_managed_switch *m, uint64_t now) {
  const struct loom_switch *s = m->s;
  uint64_t dropped = 0;
  for (uint64_t left = s->shown_out & (m->down | m->drops_out); left; left &= left - 1) {
    uint32_t port = loom_ctz(left);
    uint64_t bit = left & -left;
    struct loom_managed_link *l = &m->out[port];
    if (drop(m, l, m->down & bit, s->shown_head & bit, s->shown_tail & bit, s->shown.vl[port],
             s->shown.data[port], now))
      dropped |= bit;
    note(l, port, &m->drops_out, &m->owe_out);
  }
  return dropped;
}

static uint64_t drop_coming(struct loom_managed_switch *m, const struct loom_fabric_arrival *in,
                            uint64_t now) {
  uint64_t dropped = 0;
  for (uint64_t left = in->valid & (m->down | m->drops_in); left; left &= left - 1) {
    uint32_t port = loom_ctz(left);
    uint64_t bit = left & -left;
    struct loom_managed_link *l = &m->in[port];
    if (drop(m, l, m->down & bit, in->head & bit, in->tail & bit, in->port[port].vl,
             in->port[port].data, now))
      dropped |= bit;
    note(l, port, &m->drops_in, &m->owe_in);
  }
  return dropped;
}

/* ---- step ------------------------------------------------------------------------------------ */

/* Credits that the switch does not show itself go back to the far end. */
static void show_owed(struct loom_managed_switch *m, const struct loom_fabric_show *show) {
  for (uint64_t left = m->owe_in & ~m->s->shown_cr; left; left &= left - 1) {
    uint32_t port = loom_ctz(left);
    loom_fabric_credit(show, port, give(&m->in[port]));
    note(&m->in[port], port, &m->drops_in, &m->owe_in);
  }
}

static void show_links(struct loom_managed_switch *m, const struct loom_fabric_show *show,
                       uint64_t dropped) {
  const struct loom_switch *s = m->s;
  const struct loom_fabric_shown all = {.valid = s->shown_out & ~dropped,
                                        .head = s->shown_head & ~dropped,
                                        .tail = s->shown_tail & ~dropped,
                                        .credit = s->shown_cr,
                                        .vl = s->shown.vl,
                                        .cr_vl = s->shown.cr_vl,
                                        .data = s->shown.data};
  if (all.valid | all.credit)
    loom_fabric_show(show, &all);
}

/* Credits that no link brings come from the link layer. */
static void take_owed(struct loom_managed_switch *m, const struct loom_fabric_arrival *in,
                      struct loom_switch_in *edge) {
  uint64_t owed = m->owe_out & ~in->credit;
  if (!owed)
    return;
  for (uint64_t left = in->valid | in->credit; left; left &= left - 1)
    m->port[loom_ctz(left)] = in->port[loom_ctz(left)];
  for (uint64_t left = owed; left; left &= left - 1) {
    uint32_t port = loom_ctz(left);
    m->port[port].cr_vl = give(&m->out[port]);
    note(&m->out[port], port, &m->drops_out, &m->owe_out);
  }
  edge->credit |= owed;
  edge->port = m->port;
}

static void take_write(struct loom_managed_switch *m, struct loom_switch_in *edge) {
  if (!m->count)
    return;
  const struct loom_managed_write *w = &m->write[m->first];
  edge->reg_we = true;
  edge->reg_addr = w->addr;
  edge->reg_wdata = w->data;
  m->first = (m->first + 1) & (m->size - 1);
  m->count--;
}

static void step(void *device, uint64_t now, const struct loom_fabric_arrival *in,
                 const struct loom_fabric_show *show) {
  struct loom_managed_switch *m = device;
  uint64_t kept = ~drop_coming(m, in, now);
  struct loom_switch_in edge = {.valid = in->valid & kept,
                                .head = in->head & kept,
                                .tail = in->tail & kept,
                                .credit = in->credit,
                                .port = in->port};
  show_links(m, show, drop_leaving(m, now));
  show_owed(m, show);
  take_owed(m, in, &edge);
  take_write(m, &edge);
  m->s->now = now;
  loom_switch_edge(m->s, &loom_ib_switch_family, &edge);
}

static bool sleeps(const void *device) {
  const struct loom_managed_switch *m = device;
  return !m->count && !m->owe_out && !m->owe_in && loom_switch_sleeps(m->s);
}

static uint32_t waits(const void *device, uint32_t number, struct loom_fabric_wait *list,
                      uint32_t max) {
  const struct loom_managed_switch *m = device;
  return loom_ib_switch_class.waits(m->s, number, list, max);
}

const struct loom_fabric_class loom_managed_switch_class = {
    .name = "ib_switch", .step = step, .sleeps = sleeps, .waits = waits};

/* ---- management ------------------------------------------------------------------------------ */

/* Twice as long, its first write in place 0. */
static bool grow(struct loom_managed_switch *m) {
  uint32_t size = m->size ? 2 * m->size : WRITES_FIRST;
  struct loom_managed_write *ring = malloc(size * sizeof *ring);
  if (!ring)
    return false;
  for (uint32_t i = 0; i < m->count; i++)
    ring[i] = m->write[(m->first + i) & (m->size - 1)];
  free(m->write);
  m->write = ring;
  m->first = 0;
  m->size = size;
  return true;
}

bool loom_managed_write(struct loom_managed_switch *m, uint32_t addr, uint32_t data) {
  if (m->count == m->size && !grow(m))
    return false;
  m->write[(m->first + m->count++) & (m->size - 1)] = (struct loom_managed_write){addr, data};
  return true;
}

void loom_managed_turn(struct loom_managed_switch *m, uint32_t port, bool up) {
  uint64_t bit = 1ull << port;
  m->down = up ? m->down & ~bit : m->down | bit;
}

uint32_t loom_managed_read(const struct loom_managed_switch *m, uint32_t addr) {
  return loom_switch_register(m->s, &loom_ib_switch_family, addr);
}

void loom_managed_free(struct loom_managed_switch *m) {
  free(m->write);
  m->write = NULL;
  m->size = m->count = 0;
}

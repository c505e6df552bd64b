/* SPDX-License-Identifier: Apache-2.0 */
/* stalls_host.c - why packets wait in hosts (docs/fabric.md#stalls) */
#include "fabric/stalls_state.h"

#include "fabric/host_state.h"

enum { PORT = 0 };
enum {
  POSTED = 1,   /* cycles from where a message is posted to where it can enter the NIC */
  ENTERING = 2, /* from there to where its packet is in view of the scheduler */
  TO_LINK = 7,  /* from there to the link */
};

/* What is kept of a host from step to step. */
struct kept {
  uint32_t arriving;   /* LOOM_STALL_NONE: none */
  bool taking, credit; /* as the next step begins: */
  uint8_t taken_vl;
  bool busy; /* after the last one */
  uint32_t waiting, blocked;
  /* By class: the next packet of the queue of messages. */
  struct {
    bool room;      /* it waits for room, from `since` on */
    uint32_t waits; /* cycles in which it did before that */
    uint64_t since, entered;
  } next[LOOM_HOST_CLASSES];
};

/* What the next step begins with. */
static void remember(const struct loom_host *h, struct kept *k) {
  const struct loom_sched_front *front = &h->nic.scheduler.front;
  k->taking = h->nic.deciding && front->grant_valid;
  k->taken_vl = (uint8_t)front->grant_vl;
  k->credit = h->nic.cr_valid;
}

/* ---- receiver -------------------------------------------------------------------------------- */

/* Cycles of all causes and of the transit. */
static uint64_t sum_of(const struct loom_stall_packet *p) {
  uint64_t sum = p->transit;
  for (unsigned k = 0; k < LOOM_STALLS; k++)
    sum += p->cycles[k];
  return sum;
}

static void finish(struct loom_stalls *all, const struct loom_stall_lane *lane, uint32_t at,
                   uint64_t now) {
  struct loom_stall_record *r = loom_stall_at(all, at);
  struct loom_stall_packet *p = &r->packet;
  r->here[LOOM_STALL_GAP] = (uint32_t)(now - r->since - (p->flits - 1));
  loom_stall_leave(r, lane, p->flits - 1);
  p->received = now;
  if (sum_of(p) != p->received - p->generated)
    all->wrong++;
  all->done(all->context, p);
  loom_stall_free(all, at);
}

static void receive(struct loom_stalls *all, const struct loom_stall_device *d, uint64_t now,
                    const struct loom_fabric_arrival *in) {
  struct kept *k = d->more;
  if (in->head & in->valid & 1) {
    k->arriving = loom_stall_arrive(all, d, PORT, now);
    if (k->arriving != LOOM_STALL_NONE)
      loom_stall_at(all, k->arriving)->since = now;
  }
  if (in->tail & in->valid & 1 && k->arriving != LOOM_STALL_NONE) {
    finish(all, &d->place[LOOM_STALL_RECEIVER][PORT].lane[in->port->vl], k->arriving, now);
    k->arriving = LOOM_STALL_NONE;
  }
}

/* ---- source ---------------------------------------------------------------------------------- */

/* A packet has entered the NIC in this cycle. */
static void enter(struct loom_stalls *all, const struct loom_stall_device *d, uint64_t now) {
  const struct loom_host *h = d->state;
  const struct loom_nic_packet *n = &h->nic.packet[h->nic.line_at];
  const struct loom_packet_head head = loom_packet_read(n->head);
  const struct loom_message *m = &loom_ledger_record(h->ledger, h->number, head.id)->message;
  struct kept *k = d->more;
  uint32_t class = h->turn, at = loom_stall_new(all);
  uint64_t first = m->generated > k->next[class].entered ? m->generated : k->next[class].entered;
  uint32_t room = k->next[class].waits;
  if (k->next[class].room)
    room += (uint32_t)(now - k->next[class].since);
  k->next[class].room = false;
  k->next[class].waits = 0;
  k->next[class].entered = now;
  if (at == LOOM_STALL_NONE)
    return;
  struct loom_stall_record *r = loom_stall_at(all, at);
  r->packet = (struct loom_stall_packet){.src = h->number,
                                         .dst = m->dst,
                                         .traffic_class = class,
                                         .flits = n->len,
                                         .generated = m->generated};
  r->here[LOOM_STALL_BEHIND] = (uint32_t)(first - m->generated);
  r->here[LOOM_STALL_ROOM] = room;
  r->here[LOOM_STALL_DECIDING] = (uint32_t)(now - first - POSTED) - room;
  loom_stall_leave(r, &d->place[LOOM_STALL_SOURCE][PORT].lane[n->vl], POSTED);
  r->since = now + ENTERING;
  loom_stall_push(all, &d->place[LOOM_STALL_NIC][PORT].lane[n->vl].queue, at);
}

/* Whether the next packet of a class finds no room, or its VL in use by another class. */
static bool lacks_room(const struct loom_host *h, uint32_t class) {
  const struct loom_host_queue *q = &h->queue[class];
  return q->ready && ((h->held >> q->vl & 1 && h->holder[q->vl] != class) ||
                      q->units > loom_nic_room(&h->nic, q->vl));
}

static void look_at_queues(const struct loom_stall_device *d, uint64_t now) {
  const struct loom_host *h = d->state;
  struct kept *k = d->more;
  if (!(h->nic.in_head | h->nic.free_valid) && h->waiting == k->waiting && h->blocked == k->blocked)
    return;
  k->waiting = h->waiting;
  k->blocked = h->blocked;
  for (uint32_t set = h->waiting; set; set &= set - 1) {
    uint32_t class = loom_ctz(set);
    bool room = lacks_room(h, class);
    if (room == k->next[class].room)
      continue;
    if (!room)
      k->next[class].waits += (uint32_t)(now + 1 - k->next[class].since);
    k->next[class].room = room;
    k->next[class].since = now + 1;
  }
}

/* ---- NIC ------------------------------------------------------------------------------------- */

static void look_at_nic(struct loom_stalls *all, const struct loom_stall_device *d, uint64_t now) {
  const struct loom_host *h = d->state;
  const struct loom_nic *n = &h->nic;
  struct kept *k = d->more;
  struct loom_stall_port *port = &d->place[LOOM_STALL_NIC][PORT];
  const struct loom_sched_front *front = &n->scheduler.front;
  bool busy = n->active || n->pending, chosen = n->deciding && front->grant_valid;
  if (!(k->taking | k->credit | n->deciding | (busy != k->busy)) && n->head_valid == port->present)
    return;
  k->busy = busy;
  if (k->taking) {
    uint32_t at = loom_stall_take(all, &port->lane[k->taken_vl], now + 1);
    port->present &= ~(1u << k->taken_vl);
    if (at != LOOM_STALL_NONE) {
      struct loom_stall_record *r = loom_stall_at(all, at);
      r->last = TO_LINK;
      r->transit = ENTERING;
      loom_stall_push(all, &d->leaving[PORT], at);
    }
  }
  for (uint32_t set = n->head_valid & ~port->present; set; set &= set - 1)
    loom_stall_head(all, &port->lane[loom_ctz(set)], now + 1);
  port->present = n->head_valid;
  for (uint32_t set = n->head_valid; set; set &= set - 1) {
    uint32_t vl = loom_ctz(set);
    struct loom_stall_lane *lane = &port->lane[vl];
    bool credit = loom_nic_head_size(n, vl) > loom_credit_tracker_avail(&n->far, vl);
    if (chosen)
      lane->lost = front->grant_vl != vl && front->elig >> vl & 1;
    else if (!busy)
      lane->lost = false;
    loom_stall_set(all, lane, now + 1,
                   credit       ? LOOM_STALL_CREDIT
                   : lane->lost ? LOOM_STALL_LOST
                   : busy       ? LOOM_STALL_BUSY
                                : LOOM_STALL_DECIDING);
  }
}

/* ---- the device ------------------------------------------------------------------------------ */

/* In the middle of packets, in and out, nothing that is looked at changes. */
static inline bool streams(const struct kept *k, const struct loom_host *h, uint32_t present,
                           const struct loom_fabric_arrival *in) {
  const struct loom_nic *n = &h->nic;
  bool ends = (in->head | in->tail) & in->valid & 1;
  bool room = n->free_valid && h->waiting, credit = (k->credit | n->cr_valid) && present;
  return !(ends | n->in_head | room | credit | k->taking | n->deciding) &&
         n->head_valid == present && h->waiting == k->waiting && h->blocked == k->blocked &&
         k->busy == (n->active | n->pending);
}

static void after(void *device, uint64_t now, const struct loom_fabric_arrival *in) {
  const struct loom_stall_device *d = device;
  const struct loom_host *h = d->state;
  struct loom_stalls *all = d->all;
  if (streams(d->more, h, d->place[LOOM_STALL_NIC][PORT].present, in))
    return;
  receive(all, d, now, in);
  if (h->nic.in_head)
    enter(all, d, now);
  look_at_queues(d, now);
  look_at_nic(all, d, now);
  remember(h, d->more);
}

static uint32_t vl_of(const struct loom_stall_device *d, uint32_t lane) {
  (void)d;
  return lane;
}

bool loom_stalls_host(struct loom_stalls *all, uint32_t device, const struct loom_host *h) {
  const uint32_t ports[LOOM_STALL_PLACES] = {
      [LOOM_STALL_SOURCE] = 1, [LOOM_STALL_NIC] = 1, [LOOM_STALL_RECEIVER] = 1};
  struct loom_stall_device *d = &all->device[device];
  if (!loom_stall_device_init(all, device, h, ports, h->nic.vls, 1, sizeof(struct kept)))
    return false;
  loom_watch_on_step(all->watch, device, after, d);
  d->vl_of = vl_of;
  ((struct kept *)d->more)->arriving = LOOM_STALL_NONE;
  return true;
}

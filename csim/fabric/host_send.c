/* SPDX-License-Identifier: Apache-2.0 */
/* host_send.c - queues of messages, and their way as packets into the NIC (docs/fabric.md; OP-08,
 * TR-06) */
#include "fabric/host_state.h"

#include <string.h>

enum { QUEUE_FIRST = 4 };

/* ---- queues ---------------------------------------------------------------------------------- */

/* Twice as long, its first message in place 0. */
static bool grow(struct loom_host *h, struct loom_host_queue *q) {
  if (q->size > UINT32_MAX / 4)
    return false;
  uint32_t size = q->size ? 2 * q->size : QUEUE_FIRST;
  struct loom_host_waiting *ring = loom_ledger_grow(h->ledger, NULL, 0, size * sizeof *ring);
  if (!ring)
    return false;
  uint32_t end = q->size - q->first; /* the ring is full */
  if (q->size) {
    memcpy(ring, q->ring + q->first, end * sizeof *ring);
    memcpy(ring + end, q->ring, q->first * sizeof *ring);
  }
  loom_ledger_free(h->ledger, q->ring, q->size * sizeof *ring);
  q->ring = ring;
  q->size = size;
  q->first = 0;
  return true;
}

static bool is_legal(const struct loom_host *h, const struct loom_message *m) {
  return m->traffic_class < h->cfg.classes && m->dst < h->ledger->hosts &&
         m->flits >= LOOM_HOST_FLITS_MIN;
}

bool loom_host_post(struct loom_host *h, const struct loom_message *message) {
  if (!is_legal(h, message))
    return false;
  struct loom_host_queue *q = &h->queue[message->traffic_class];
  if (q->count == q->size && !grow(h, q)) {
    h->ledger->counts.exhausted = true;
    return false;
  }
  q->ring[(q->first + q->count++) & (q->size - 1)] = (struct loom_host_waiting){
      .tag = message->tag,
      .generated = loom_fabric_now(h->fabric),
      .dst = message->dst,
      .flits = message->flits,
      .mark = message->mark,
  };
  h->waiting |= 1u << message->traffic_class;
  h->flits[message->traffic_class].backlog += message->flits;
  h->ledger->counts.posted++;
  h->ledger->counts.flits_posted += message->flits;
  loom_fabric_wake(h->fabric, h->device);
  return true;
}

/* ---- the next packet of a class -------------------------------------------------------------- */

/* Offset of the LID among those of the destination. */
static uint32_t draw_path(const struct loom_host *h, struct loom_host_queue *q, uint32_t dst) {
  if (h->cfg.paths == 1)
    return 0;
  uint64_t fixed = loom_scramble(h->cfg.seed) + ((uint64_t)h->number << 32 | dst);
  return loom_below(h->cfg.steady ? &fixed : &q->seed, h->cfg.paths);
}

/* A packet that would leave one flit behind leaves two. */
static uint32_t cut(uint32_t flits, uint32_t most) {
  if (flits <= most)
    return flits;
  return flits == most + 1 ? most - 1 : most;
}

/* All packets of a train take the path that was drawn for the first. */
static void choose_path(struct loom_host *h, uint32_t class) {
  struct loom_host_queue *q = &h->queue[class];
  const struct loom_host_cfg *cfg = &h->cfg;
  uint32_t dst = q->ring[q->first].dst;
  uint32_t lid = cfg->lid[dst] + draw_path(h, q, dst);
  uint32_t path = cfg->path ? cfg->path[(size_t)h->number * cfg->stride + lid] : 0;
  q->dest = (uint16_t)lid;
  q->sc = (uint8_t)((cfg->sc[class] + path) & 31);
  q->vl = cfg->vl[q->sc];
}

static void make_ready(struct loom_host *h, uint32_t class) {
  struct loom_host_queue *q = &h->queue[class];
  uint32_t most = h->cfg.packet[class] ? h->cfg.packet[class] : h->cfg.mtu[class];
  uint32_t len = cut(q->ring[q->first].flits - q->offset, most);
  if (!q->entered)
    choose_path(h, class);
  q->ready = true;
  q->len = (uint16_t)len;
  q->units = (uint16_t)((len + LOOM_UNIT_FLITS - 1) / LOOM_UNIT_FLITS);
}

/* The first message has a record. */
static bool open_message(struct loom_host *h, uint32_t class, uint64_t now) {
  struct loom_host_queue *q = &h->queue[class];
  if (q->open)
    return true;
  const struct loom_host_waiting *w = &q->ring[q->first];
  const struct loom_message m = {.src = h->number,
                                 .dst = w->dst,
                                 .traffic_class = (uint8_t) class,
                                 .mark = w->mark,
                                 .flits = w->flits,
                                 .tag = w->tag,
                                 .generated = w->generated};
  q->id = loom_ledger_open(h->ledger, h->number, &m, now);
  q->open = q->id != LOOM_LEDGER_NONE;
  return q->open;
}

/* ---- entering -------------------------------------------------------------------------------- */

/* There is room for the packet, and nobody else's turn on its VL. A class keeps its turn while it
 * waits: else short packets would take all room from long ones. */
static bool has_room(struct loom_host *h, uint32_t class) {
  const struct loom_host_queue *q = &h->queue[class];
  bool held = h->held >> q->vl & 1;
  if (held && h->holder[q->vl] != class)
    return false;
  if (q->units > loom_nic_room(&h->nic, q->vl)) {
    h->held |= 1u << q->vl;
    h->holder[q->vl] = (uint8_t) class;
    return false;
  }
  return true;
}

/* The next packet of the class can enter now. A message that is posted in a cycle must wait for the
 * next one, so that it does not matter whether its host is stepped before or after. */
static bool can_enter(struct loom_host *h, uint32_t class, uint64_t now) {
  struct loom_host_queue *q = &h->queue[class];
  if (!q->ready) {
    if (q->ring[q->first].generated >= now)
      return false;
    make_ready(h, class);
  }
  if (!has_room(h, class)) {
    h->blocked |= 1u << class;
    return false;
  }
  return open_message(h, class, now);
}

/* Packets of the same train follow the one that enters. */
static bool has_more(const struct loom_host *h, uint32_t class) {
  const struct loom_host_queue *q = &h->queue[class];
  return q->entered + 1 < loom_host_train(h, class) && q->offset + q->len < q->ring[q->first].flits;
}

/* A train keeps its VL until its last packet has entered: so nothing comes between its packets. */
static void keep_vl(struct loom_host *h, uint32_t class, bool more) {
  uint32_t vl = h->queue[class].vl, bit = 1u << vl;
  if (more) {
    h->held |= bit;
    h->holder[vl] = (uint8_t) class;
  } else if (h->held & bit) {
    h->held &= ~bit;
    h->blocked = 0;
  }
}

/* The packet is no longer the class's. */
static void leave_queue(struct loom_host *h, uint32_t class, bool more) {
  struct loom_host_queue *q = &h->queue[class];
  q->ready = false;
  q->entered = more ? q->entered + 1 : 0;
  q->offset += q->len;
  if (q->offset < q->ring[q->first].flits)
    return;
  q->open = false;
  q->offset = 0;
  q->first = (q->first + 1) & (q->size - 1);
  if (--q->count == 0)
    h->waiting &= ~(1u << class);
}

static void begin(struct loom_host *h, uint32_t class) {
  struct loom_host_queue *q = &h->queue[class];
  const struct loom_record *r = loom_ledger_record(h->ledger, h->number, q->id);
  bool more = has_more(h, class);
  loom_ledger_enter(h->ledger, h->number, q->id, q->offset);
  const struct loom_packet_head head = {.sc = q->sc,
                                        .len = q->len,
                                        .dest = q->dest,
                                        .src = h->lid,
                                        .id = q->id,
                                        .after = q->entered != 0,
                                        .more = more};
  const struct loom_nic_packet packet = {.head = loom_packet_head(&head),
                                         .key = r->key,
                                         .offset = q->offset,
                                         .len = q->len,
                                         .vl = q->vl};
  loom_nic_begin(&h->nic, &packet);
  keep_vl(h, class, more);
  h->turn = class;
  leave_queue(h, class, more);
}

/* Classes take turns, a packet each. */
void loom_host_enter(struct loom_host *h, uint64_t now) {
  for (uint32_t may = h->waiting & ~h->blocked; may;) {
    uint32_t class = loom_ctz_from(may, h->turn + 1);
    if (can_enter(h, class, now)) {
      begin(h, class);
      return;
    }
    may &= ~(1u << class);
  }
}

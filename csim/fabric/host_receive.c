/* SPDX-License-Identifier: Apache-2.0 */
/* host_receive.c - packets that arrive at a host, and the messages they make (docs/fabric.md;
 * OP-22) */
#include "fabric/host_state.h"

/* The message that this packet belongs to, if it is for this host. */
static const struct loom_record *expected(struct loom_host *h,
                                          const struct loom_packet_head *head) {
  struct loom_host_arriving *a = &h->arriving;
  if (head->dest < h->lid || head->dest - h->lid >= h->cfg.paths || head->len < LOOM_HOST_FLITS_MIN)
    return NULL;
  const struct loom_record *r = loom_ledger_find(h->ledger, head->src, head->id, &a->src);
  return r && r->message.dst == h->number && head->len <= r->left ? r : NULL;
}

/* The packet's words are what they were: so it is damaged as a whole, or not at all. */
static void take_known(struct loom_host *h, uint64_t data, uint32_t packet) {
  struct loom_host_arriving *a = &h->arriving;
  struct loom_packets *packets = loom_fabric_packets(h->fabric);
  const struct loom_packets_entry *e = &packets->entry[packet - 1];
  a->offset = e->offset;
  a->damaged = !a->stray && (e->key != a->key || e->head != data);
  loom_packets_remove(packets, packet);
}

static void take_head(struct loom_host *h, uint8_t vl, uint64_t data) {
  struct loom_host_arriving *a = &h->arriving;
  const struct loom_packet_head head = loom_packet_read(data);
  a->id = head.id;
  a->len = loom_max(head.len, 1);
  a->left = a->len;
  a->place = 0;
  a->lid = (uint16_t)head.dest;
  a->vl = vl;
  a->after = head.after;
  a->more = head.more;
  a->damaged = false;
  const struct loom_record *r = expected(h, &head);
  a->stray = !r;
  if (!r) {
    h->ledger->counts.stray++;
    return;
  }
  a->key = r->key;
  a->traffic_class = r->message.traffic_class;
}

static void take_second(struct loom_host_arriving *a, uint64_t data) {
  a->offset = (uint32_t)data;
  a->damaged = data != loom_packet_flit(a->key, a->offset, 1);
}

/* Of a class with trains: it must be in its place, and is counted by itself. */
static void finish_in_train(struct loom_host *h, uint64_t now) {
  const struct loom_host_arriving *a = &h->arriving;
  const struct loom_trains_packet p = {.src = a->src,
                                       .lid = a->lid,
                                       .traffic_class = a->traffic_class,
                                       .after = a->after,
                                       .more = a->more,
                                       .placed = !a->damaged,
                                       .id = a->id,
                                       .offset = a->offset,
                                       .len = a->len};
  if (!loom_trains_arrive(&h->trains, h->ledger, &p))
    h->ledger->counts.stray++;
  if (!a->damaged)
    loom_ledger_arrive(h->ledger, a->src, a->id, a->offset, now);
}

/* The packet is complete. */
static void finish(struct loom_host *h, uint64_t now) {
  const struct loom_host_arriving *a = &h->arriving;
  struct loom_record *r = loom_ledger_record(h->ledger, a->src, a->id);
  r->damaged |= a->damaged;
  if (!a->damaged)
    r->sum ^= loom_ledger_sum(a->offset);
  if (h->cfg.packet[a->traffic_class])
    finish_in_train(h, now);
  r->left -= a->len;
  if (!r->left)
    loom_ledger_close(h->ledger, a->src, a->id, now);
}

/* A credit for each eight flits and for the tail. */
static void free_unit(struct loom_host *h) {
  const struct loom_host_arriving *a = &h->arriving;
  if (a->left && a->place % LOOM_UNIT_FLITS)
    return;
  h->credit.valid = true;
  h->credit.vl = a->vl;
}

void loom_host_catch_up(struct loom_host *h, uint32_t flits) {
  struct loom_host_arriving *a = &h->arriving;
  a->place += flits;
  a->left -= flits;
  free_unit(h);
  if (a->stray)
    return;
  h->flits[a->traffic_class].received += flits;
  h->ledger->counts.flits_received += flits;
}

uint32_t loom_host_frees(const struct loom_host *h) {
  return h->hears ? LOOM_UNIT_FLITS - h->arriving.place % LOOM_UNIT_FLITS : UINT32_MAX;
}

/* A word behind the head, of a packet whose words do not stand in the fabric. */
static void take_word(struct loom_host_arriving *a, uint64_t data) {
  if (a->place == 1)
    take_second(a, data);
  else if (!a->damaged)
    a->damaged = data != loom_packet_flit(a->key, a->offset, a->place);
}

/* A flit that belongs nowhere; who has the head last frees its packet. */
static void drop(struct loom_host *h, uint32_t packet) {
  h->ledger->counts.stray++;
  if (packet)
    loom_packets_remove(loom_fabric_packets(h->fabric), packet);
}

static void count_flit(struct loom_host *h, uint64_t now) {
  const struct loom_host_arriving *a = &h->arriving;
  if (a->stray)
    return;
  h->flits[a->traffic_class].received++;
  h->ledger->counts.flits_received++;
  if (!a->left)
    finish(h, now);
}

/* A head of an express VL inside another packet, which waits until that is over: one level, and no
 * flit is lost between. Their words come with them, for such fabrics are stepped. */
static void interrupt(struct loom_host *h, uint8_t vl) {
  bool express = h->cfg.express >> vl & 1, inside = h->cfg.express >> h->arriving.vl & 1;
  if (!express || inside || h->interrupted.left)
    return;
  h->interrupted = h->arriving;
  h->arriving.left = 0;
}

/* The packet that was interrupted goes on. */
static void resume(struct loom_host *h) {
  h->arriving = h->interrupted;
  h->interrupted.left = 0;
}

/* A flit that comes by itself. */
static void take_flit(struct loom_host *h, uint64_t now, bool head, bool tail,
                      const struct loom_link_in *in) {
  struct loom_host_arriving *a = &h->arriving;
  uint8_t vl = in->vl;
  uint64_t data = in->data;
  if (head && a->left)
    interrupt(h, vl);
  if (head != !a->left || (a->left && vl != a->vl) || (!head && tail != (a->left == 1))) {
    drop(h, in->packet);
    return;
  }
  if (head) {
    take_head(h, vl, data);
    h->knows = in->packet != 0;
    if (h->knows)
      take_known(h, data, in->packet);
  } else if (!h->knows) {
    take_word(a, data);
  }
  a->place++;
  a->left--;
  free_unit(h);
  count_flit(h, now);
  if (!a->left && h->interrupted.left)
    resume(h);
}

void loom_host_arrive(struct loom_host *h, uint64_t now, const struct loom_fabric_arrival *in) {
  h->hears = in->stream & 1;
  if (in->valid & 1)
    take_flit(h, now, in->head & 1, in->tail & 1, in->port);
}

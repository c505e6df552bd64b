/* SPDX-License-Identifier: Apache-2.0 */
/* packet_queues.c - queues and reader of a packet buffer, written from docs/parts.md
 *
 * Inside: packet_buffer, and every buffer of the switches. */
#include "parts/packet_queues.h"

#include <string.h>

enum { NONE = 0xFFFF, SIZE_W = 10 };

void loom_packet_queues_init(struct loom_packet_queues *q, struct loom_packet_reader *r,
                             uint32_t vls, uint32_t cells, uint32_t reserved, uint32_t early,
                             struct loom_packet *record, uint32_t stride) {
  memset(q, 0, sizeof *q);
  memset(r, 0, sizeof *r);
  q->vls = vls;
  q->early = early;
  q->record = record;
  q->stride = stride;
  q->records = (uint16_t)cells;
  q->free_record = NONE;
  const struct loom_credit_tracker_cfg tracker = {
      .VLS = vls,
      .COUNT_W = loom_packet_units_bits(cells),
      .SIZE_W = SIZE_W,
      .UNITS = cells,
      .MAX_UNITS = cells,
      .RESERVED = reserved,
  };
  loom_credit_tracker_init(&q->tracker, &tracker);
}

bool loom_packet_queues_announce(struct loom_packet_queues *q, uint32_t vl, uint32_t len) {
  uint32_t units = loom_packet_units(len);
  if (!loom_credit_tracker_consume(&q->tracker, vl, units))
    return false;
  q->total += units;
  return true;
}

/* ---- records --------------------------------------------------------------------------------- */

static struct loom_packet *record_at(const struct loom_packet_queues *q, uint16_t at) {
  return &q->record[(size_t)at * q->stride];
}

/* NONE: all are used. */
static uint16_t take_record(struct loom_packet_queues *q) {
  uint16_t at = q->free_record;
  if (at != NONE)
    q->free_record = record_at(q, at)->next;
  else if (q->fresh < q->records)
    at = q->fresh++;
  return at;
}

static void give_record(struct loom_packet_queues *q, uint16_t at) {
  record_at(q, at)->next = q->free_record;
  q->free_record = at;
}

/* ---- queues ---------------------------------------------------------------------------------- */

void loom_packet_queues_join(struct loom_packet_queues *q, uint32_t vl, uint64_t info,
                             uint32_t first, uint32_t len) {
  struct loom_packet_list *list = &q->list[vl];
  uint16_t at = take_record(q);
  if (at == NONE)
    return; /* more packets than units: outside the contract */
  *record_at(q, at) = (struct loom_packet){info, first, (uint16_t)len, 0};
  if (list->waiting++) {
    record_at(q, list->last)->next = at;
  } else {
    list->head = at;
    q->head_valid |= 1u << vl;
  }
  list->last = at;
}

static void begin(struct loom_packet_queues *q, struct loom_packet_reader *r, uint32_t vl,
                  const struct loom_packet *packet) {
  q->now = *packet;
  r->active = true;
  r->vl = (uint8_t)vl;
  r->left = packet->len;
  r->place = 0;
  r->at = packet->first * LOOM_UNIT_FLITS;
}

void loom_packet_queues_take(struct loom_packet_queues *q, struct loom_packet_reader *r,
                             uint32_t vl) {
  struct loom_packet_list *list = &q->list[vl];
  uint16_t at = list->head;
  const struct loom_packet *packet = record_at(q, at);
  if (r->active) {
    q->pending = true;
    q->pending_vl = (uint8_t)vl;
    q->behind = *packet;
  } else {
    begin(q, r, vl, packet);
  }
  list->head = packet->next;
  give_record(q, at);
  q->head_valid &= ~(1u << vl);
  if (--list->waiting)
    q->loading |= 1u << vl;
}

void loom_packet_queues_finish(struct loom_packet_queues *q, struct loom_packet_reader *r) {
  r->active = false;
  if (!q->pending)
    return;
  q->pending = false;
  begin(q, r, q->pending_vl, &q->behind);
}

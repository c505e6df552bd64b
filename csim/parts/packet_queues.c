/* packet_queues.c - queues and reader of a packet buffer, written from docs/parts.md
 *
 * Inside: packet_buffer, and every buffer of the switches. */
#include "parts/packet_queues.h"

#include <string.h>

enum { NONE = 0xFFFF, SIZE_W = 10 };

void loom_packet_queues_init(struct loom_packet_queues *q, uint32_t vls, uint32_t cells,
                             uint32_t rd_flits, uint32_t reserved, uint32_t early,
                             struct loom_packet *record) {
  memset(q, 0, sizeof *q);
  q->vls = vls;
  q->rd_flits = rd_flits;
  q->early = early;
  q->record = record;
  memset(record, 0, cells * sizeof *record);
  for (uint32_t i = 0; i < cells; i++)
    record[i].next = (uint16_t)(i + 1 < cells ? i + 1 : NONE);
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

void loom_packet_queues_join(struct loom_packet_queues *q, uint32_t vl, uint64_t info,
                             uint32_t first, uint32_t len) {
  struct loom_packet_list *list = &q->list[vl];
  uint16_t at = q->free_record;
  if (at == NONE)
    return; /* more packets than units: outside the contract */
  q->free_record = q->record[at].next;
  q->record[at] = (struct loom_packet){info, first, (uint16_t)len, 0};
  if (list->waiting++) {
    q->record[list->last].next = at;
  } else {
    list->head = at;
    q->head_valid |= 1u << vl;
  }
  list->last = at;
}

static void begin(struct loom_packet_queues *q, uint32_t vl, const struct loom_packet *packet) {
  q->active = true;
  q->vl = (uint8_t)vl;
  q->now = *packet;
  q->left = packet->len;
  q->place = 0;
}

void loom_packet_queues_take(struct loom_packet_queues *q, uint32_t vl) {
  struct loom_packet_list *list = &q->list[vl];
  uint16_t at = list->head;
  if (q->active) {
    q->pending = true;
    q->pending_vl = (uint8_t)vl;
    q->behind = q->record[at];
  } else {
    begin(q, vl, &q->record[at]);
  }
  list->head = q->record[at].next;
  q->record[at].next = q->free_record;
  q->free_record = at;
  q->head_valid &= ~(1u << vl);
  if (--list->waiting)
    q->loading |= 1u << vl;
}

void loom_packet_queues_finish(struct loom_packet_queues *q) {
  q->active = false;
  if (!q->pending)
    return;
  q->pending = false;
  begin(q, q->pending_vl, &q->behind);
}

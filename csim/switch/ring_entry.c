/* SPDX-License-Identifier: Apache-2.0 */
/* ring_entry.c - twin of rtl/switch/loom_ring_entry.v, written from docs/crossbar_switch.md
 *
 * Inside: crossbar_switch. */
#include "switch/ring_entry.h"

#include "parts/room_tracker.h"

void loom_ring_entry_init(struct loom_ring_entry *s, bool on) {
  *s = (struct loom_ring_entry){.on = on};
}

static uint32_t lane_bit(uint32_t vl) { return vl < LOOM_VLS ? 1u << vl : 0; }

void loom_ring_entry_edge(struct loom_ring_entry *s, const struct loom_room_tracker *tracker,
                          const struct loom_ring_entry_cycle *in) {
  struct loom_room_tracker_out seen;
  uint32_t book = lane_bit(in->book_vl), write = lane_bit(in->most_vl), old = 0;
  loom_room_tracker_show(tracker, &seen);
  old = s->booked[0] | s->booked[1];
  if (seen.used_valid) {
    uint32_t bit = 1u << seen.used_vl;
    bool may = seen.used <= s->most[seen.used_vl];
    s->enter = (s->enter & ~bit) | (may ? bit & ~old : 0);
  }
  s->enter = (s->enter & ~book) | write;
  if (write)
    s->most[in->most_vl] = in->most_units;
  s->booked[1] = s->booked[0];
  s->booked[0] = book;
}

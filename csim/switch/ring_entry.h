/* SPDX-License-Identifier: Apache-2.0 */
/* ring_entry.h - which lanes of an output may get packets that enter its ring: twin of
 * loom_ring_entry (docs/crossbar_switch.md, section Rings that keep a bubble; TP-03)
 *
 * Inside: crossbar_switch.
 *
 * Registers in another form than in the circuit:
 *   booked, booked_before: `booked`, one lane each
 */
#ifndef LOOM_SWITCH_RING_ENTRY_H
#define LOOM_SWITCH_RING_ENTRY_H

#include <loom/limits.h>
#include <stdbool.h>
#include <stdint.h>

struct loom_room_tracker;

/* Sets of lanes as bits; of an output without rings all is 0. */
struct loom_ring_entry {
  bool on;                 /* parameter BUBBLE */
  uint16_t most[LOOM_VLS]; /* units in use with which a packet may enter */
  uint32_t enter;
  uint32_t booked[2]; /* in the last cycle, and in the one before */
};

/* What a cycle brings. A lane of LOOM_VLS: none. */
struct loom_ring_entry_cycle {
  uint8_t book_vl, most_vl;
  uint16_t most_units;
};

void loom_ring_entry_init(struct loom_ring_entry *s, bool on);
/* The edge, before that of the tracker. It may be left out where no booking and no write comes, if
 * the tracker rests. */
void loom_ring_entry_edge(struct loom_ring_entry *s, const struct loom_room_tracker *tracker,
                          const struct loom_ring_entry_cycle *in);

#endif

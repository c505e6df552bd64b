/* SPDX-License-Identifier: Apache-2.0 */
/* output_unit.h - twin of loom_output_unit: where packets wait for a link, and where it is decided
 * which of them goes next
 * (docs/output_unit.md; OP-06, OP-08, SC-01..04, DT-01..04, DT-10, IB-03..06) */
#ifndef LOOM_SWITCH_OUTPUT_UNIT_H
#define LOOM_SWITCH_OUTPUT_UNIT_H

#define LOOM_DUT output_unit
#define LOOM_DEF "switch/output_unit.def"
#include <loom/def.h>

#include "parts/packet_store.h"
#include "parts/room_tracker.h"
#include "sched/sched_front.h"
#include "switch/output_choice.h"

/* Sets of lanes as bits; sizes in units of 64 bytes. */
enum { LOOM_OUTPUT_SL_W = 5 };
enum { LOOM_OUTPUT_STILL = 4 }; /* after so many cycles without an event nothing changes any more */

struct loom_output_unit {
  uint32_t vls, mtu; /* parameters VLS, MTU_UNITS */
  uint32_t mgmt;     /* the management lane */

  /* Heads, and whether the far end has credits for them. */
  uint32_t waits;  /* a head is in view that was not granted */
  uint32_t judged; /* by the tracker, since the last grant of the lane */
  uint32_t exact;  /* judged for the size of its head, not for MTU_UNITS */
  uint16_t size[LOOM_VLS];
  uint32_t scan; /* the lane that is looked at */
  bool look;     /* one was found in the last cycle: its head waits for want of credits */
  uint8_t look_vl;
  uint16_t look_size;
  bool seen1, seen2; /* the tracker was judging a lane, one cycle ago and two */
  uint8_t seen1_vl, seen2_vl;

  struct loom_sched_grants grants; /* no register: for who asks what the tables decide */

  bool booked; /* a granted packet that the store did not take yet */
  uint8_t booked_vl;
  uint8_t settle; /* cycles without a request */

  struct {
    bool valid, head, tail;
    uint8_t vl;
    uint64_t data;
  } out; /* the link */

  struct loom_packet_store store;
  struct loom_room_tracker tracker; /* of the buffer at the far end */
  struct loom_output_choice choice; /* which packet goes next */

  bool hold;     /* the port hold_i of the last cycle */
  uint8_t still; /* cycles in which nothing happened, up to a few */
};

/* The parameters are legal together. */
bool loom_output_unit_cfg_ok(const struct loom_output_unit_cfg *cfg);
/* Bytes of storage that init needs, aligned to 8. */
size_t loom_output_unit_storage_size(const struct loom_output_unit_cfg *cfg);
void loom_output_unit_init(struct loom_output_unit *s, const struct loom_output_unit_cfg *cfg,
                           void *storage);
void loom_output_unit_step(struct loom_output_unit *s, const struct loom_output_unit_in *in,
                           struct loom_output_unit_out *out);
/* What the outputs show in the present cycle: all of them are registers. */
void loom_output_unit_show(const struct loom_output_unit *s, struct loom_output_unit_out *out);
/* The edge that ends the cycle, for users that look at the registers themselves. In `in`, what
 * follows a valid signal means something only with it, but for table_addr. */
void loom_output_unit_edge(struct loom_output_unit *s, const struct loom_output_unit_in *in);
/* Nothing changes but which lane is looked at, and nothing follows from that, before a packet, a
 * word, a credit, an access or another `hold` comes: until then steps may be left out, and the
 * outputs stay as they were in the last one. Before the next step, skip says how many were. */
static inline bool loom_output_unit_rests(const struct loom_output_unit *s) {
  return s->still == LOOM_OUTPUT_STILL;
}
void loom_output_unit_skip(struct loom_output_unit *s, uint64_t cycles);
/* For so many cycles from now on, `most` at most, nothing changes but how far packets are written
 * and sent, units that are freed, and what `track` does: if in each of them a word comes like the
 * last one, or none if none did, and nothing else but credits (docs/packet_engine.md). */
uint32_t loom_output_unit_steady(struct loom_output_unit *s, uint32_t most);
/* That many of these cycles, but what `track` does. */
void loom_output_unit_pass(struct loom_output_unit *s, uint32_t cycles);
/* One of them for tracker and scheduler alone; with a credit of this VL, if `credit`. Gives by how
 * many cycles the scheduler comes to rest before it would. */
uint32_t loom_output_unit_track(struct loom_output_unit *s, bool credit, uint8_t vl);
/* The tracker need not be told yet of this credit of cycle `now` (loom_room_tracker_defer). */
bool loom_output_unit_defer(struct loom_output_unit *s, struct loom_room_late *late, uint8_t vl,
                            uint64_t now);
/* After an edge in which a packet was granted: the tracker comes to its end at once, if it can
 * (loom_room_tracker_foresee). */
bool loom_output_unit_foresee(struct loom_output_unit *s, struct loom_room_late *late,
                              uint64_t now);
/* After the edge of cycle `now`: what it would have shown from then on. */
void loom_output_unit_turn(struct loom_output_unit *s, struct loom_room_late *late, uint64_t now);
/* It must be told, before the edge of cycle `now`, if something else comes for it. */
void loom_output_unit_tell(struct loom_output_unit *s, struct loom_room_late *late, uint64_t now);
/* In the next edge something does, even without a credit or an access. */
static inline bool loom_output_unit_consumes(const struct loom_output_unit *s) {
  return s->choice.shows.grant.valid || s->look;
}
/* Without it they would stay as they are, but that the scheduler counts, if `choice.counts`: so
 * many cycles at most. */
bool loom_output_unit_tracks(const struct loom_output_unit *s);
/* After it: the cycles are over, as the next one has more to do. */
bool loom_output_unit_wakes(const struct loom_output_unit *s);
/* What ready_o shows, and head_sl_o with a head event. */
static inline bool loom_output_unit_ready(const struct loom_output_unit *s) {
  return s->tracker.ready && s->choice.shows.ready;
}
static inline uint8_t loom_output_unit_head_sl(const struct loom_output_unit *s) {
  return (uint8_t)(s->store.head_info & loom_mask(LOOM_OUTPUT_SL_W));
}
void loom_output_unit_probe(const struct loom_output_unit *s, struct loom_output_unit_probe *p);

#endif

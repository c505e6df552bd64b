/* SPDX-License-Identifier: Apache-2.0 */
/* room_tracker.h - twin of loom_room_tracker: has the next packet of each VL room in a shared
 * buffer (docs/parts.md; OP-06)
 *
 * Registers in another form than in the circuit:
 *   consume, consume_hot, consume_vl, consume_size, size_ok, return, return_vl, need, need_vl,
 *     need_size: the struct `event`
 *   cfg_reserved, cfg_cap, cfg_units, cfg_vl, cfg_data, cfg_cap_data, ignored: the same
 *   sweep_lane, sweep, sweep_judge: `sweep`, the lane that is due; init has written all of them
 *   short: `lacks` of a lane
 *   read, read_hot, read_spent, read_vl: visit[0]
 *   used_valid, compare_hot, compare_spent, used_vl, used, compare_consumed, compare_returned,
 *     compare_reserved, compare_cap, compare_need: visit[1]
 *   judge, judge_hot, judge_spent, judge_vl, judge_spare, judge_left, judge_beyond, judge_consumed,
 *     judge_need: visit[2]
 */
#ifndef LOOM_PARTS_ROOM_TRACKER_H
#define LOOM_PARTS_ROOM_TRACKER_H

/* Addresses of cfg: those of credit_tracker. */
#include "parts/credit_tracker.h"

#define LOOM_DUT room_tracker
#define LOOM_DEF "parts/room_tracker.def"
#include <loom/def.h>

#include <loom/bits.h>
#include <stdbool.h>

#include <loom/limits.h>

enum {
  LOOM_ROOM_SETTLES = 8
}; /* cycles after an event or the choice of a lane; no path is longer */

/* What is kept for a VL. `lacks`: the units, less one, that it asks of the pool. */
struct loom_room_lane {
  uint16_t consumed, returned, reserved, cap, need, settled, lacks;
};

/* The events of one cycle on their way into the lanes. */
struct loom_room_event {
  bool consume, size_ok, give, need, ignored;
  bool cfg;
  uint8_t consume_vl, give_vl, need_vl, cfg_addr;
  uint16_t consume_size, need_size, cfg_data;
};

/* A lane on its way to a verdict; `in_force` until an event closes it, `spent` if a small packet
 * went meanwhile. */
struct loom_room_visit {
  bool valid, in_force, spent;
  uint8_t vl;
  struct loom_room_lane seen;
};

/* All counts in units; sets of VLs as bits. */
struct loom_room_tracker {
  uint32_t dirty, sure, ask, fit, room;
  uint32_t wide;    /* those with room below their cap for small packets until the next verdict */
  uint32_t fresh;   /* the lane with a new verdict, whose gain the pool does not have yet */
  bool moved;       /* what `fit` follows from, in the last cycle */
  uint8_t settling; /* cycles in which something may change yet, if nothing comes */
  uint8_t acts;     /* of these, those in which an event is on its way into the lanes */
  int32_t pool;     /* never more than is free of it */
  int32_t size;     /* total less all reserves */
  uint32_t units;
  uint32_t total;
  bool ready, config_ok, idle, error;
  uint32_t sweep;
  uint32_t position; /* of the arbiter */
  struct loom_room_event event;
  uint32_t take; /* admitted in the last cycle but one, and below whether a unit came back */
  bool give;
  int32_t back;
  bool back_is_cfg;
  uint32_t gain;
  struct loom_room_visit visit[3]; /* read, compared, judged in this cycle */
  struct loom_room_lane lane[LOOM_VLS];
  uint32_t vls;
  uint32_t max_units;
  uint32_t small;      /* units of the largest packet after which a lane may stay open */
  uint32_t margin;     /* units of those until the next verdict, less one */
  uint32_t count_mask; /* COUNT_W ones */
  uint32_t size_mask;  /* SIZE_W ones */
  uint64_t pool_mask;  /* those of the probe */
};

bool loom_room_tracker_cfg_ok(const struct loom_room_tracker_cfg *cfg);
void loom_room_tracker_init(struct loom_room_tracker *s, const struct loom_room_tracker_cfg *cfg);
void loom_room_tracker_step(struct loom_room_tracker *s, const struct loom_room_tracker_in *in,
                            struct loom_room_tracker_out *out);
/* What the outputs show in the present cycle: all of them are registers. */
void loom_room_tracker_show(const struct loom_room_tracker *s, struct loom_room_tracker_out *out);
/* Nothing changes before something comes: until then edges may be left out. */
static inline bool loom_room_tracker_rests(const struct loom_room_tracker *s) {
  return !s->settling;
}
/* What a cycle brings. What follows a flag means something only with it. */
struct loom_room_cycle {
  bool consume, give, need, cfg;
  uint8_t consume_vl, give_vl, need_vl, cfg_addr;
  uint16_t consume_size, need_size, cfg_data;
};
/* The edge that ends the cycle, for users that look at the registers themselves. */
void loom_room_tracker_edge(struct loom_room_tracker *s, const struct loom_room_cycle *in);

/* Units of a VL in use; and whether OP-06 would not admit so many more of it: both by the counts,
 * whatever was judged so far. */
uint32_t loom_room_tracker_used(const struct loom_room_tracker *s, uint32_t vl);
bool loom_room_tracker_lacks(const struct loom_room_tracker *s, uint32_t vl, uint32_t units);

/* ---- many cycles at once (docs/packet_engine.md) --------------------------------------------- */

enum { LOOM_ROOM_LATE = 12, LOOM_ROOM_TURNS = 3 };

/* From the edge of cycle `at` on the tracker shows this room; and it has judged these lanes. */
struct loom_room_turn {
  uint64_t at;
  uint32_t room, judged;
};

/* Units of one lane that came back, of which the tracker has not been told, and what it will show
 * of that which has come to its end in it ahead of time. */
struct loom_room_late {
  uint8_t count, vl;
  uint8_t spare;               /* so many more would show nothing new, either */
  uint64_t at[LOOM_ROOM_LATE]; /* cycles, the first one first */
  uint64_t since, until;       /* until then it is ahead; as it was before the edge of `since`: */
  struct loom_room_tracker before;
  uint8_t turns;
  struct loom_room_turn turn[LOOM_ROOM_TURNS]; /* the first one first */
  uint64_t idles; /* from the edge of this cycle on it is idle; 0: no such is known */
};

/* It need not be told yet that a unit of this VL comes back in cycle `now`, with nothing else, as
 * it would show nothing new but visits of these lanes, and that it is idle in the end; then that
 * is noted, and it rests. */
bool loom_room_tracker_defer(struct loom_room_tracker *s, struct loom_room_late *late, uint32_t vl,
                             uint32_t lanes, uint64_t now);
/* A packet was admitted in the edge of cycle `now`, with nothing else under way: then it comes to
 * its end at once, and it rests; noted are the turns, of those in which only lanes are judged the
 * ones of these lanes. Nothing is late. */
bool loom_room_tracker_foresee(struct loom_room_tracker *s, struct loom_room_late *late,
                               uint32_t lanes, uint64_t now);
/* It is not as the twin would be: something is late, or ahead of its time. */
static inline bool loom_room_late_any(const struct loom_room_late *late, uint64_t now) {
  return late->count || now < late->until;
}
/* After the edge of cycle `now`: what it shows from then on. Gives the lanes that are judged. */
uint32_t loom_room_tracker_turn(struct loom_room_tracker *s, struct loom_room_late *late,
                                uint64_t now);
/* Lanes that will be. */
static inline uint32_t loom_room_late_judged(const struct loom_room_late *late) {
  uint32_t lanes = 0;
  for (uint32_t i = 0; i < late->turns; i++)
    lanes |= late->turn[i].judged;
  return lanes;
}
/* Before another event in cycle `now`: the edges that are missing are those of the cycles from this
 * one on, until `now`. */
uint64_t loom_room_tracker_from(struct loom_room_tracker *s, struct loom_room_late *late,
                                uint64_t now);
/* One of them, in which it is told what was late; after all of them `late` is to be empty. */
void loom_room_tracker_tell(struct loom_room_tracker *s, const struct loom_room_late *late,
                            uint64_t cycle);
void loom_room_tracker_probe(const struct loom_room_tracker *s, struct loom_room_tracker_probe *p);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* stalls_state.h - inside of what is known of waits (docs/fabric.md#stalls), for stalls.c,
 * stalls_switch.c, stalls_chassis.c and stalls_host.c */
#ifndef LOOM_FABRIC_STALLS_STATE_H
#define LOOM_FABRIC_STALLS_STATE_H

#include "fabric/stalls.h"
#include <loom/bits.h>

#define LOOM_STALL_NONE UINT32_MAX /* no packet */

struct loom_stall_lane;

/* A packet under way. */
struct loom_stall_record {
  uint32_t next;              /* in its queue, or the next free record */
  uint32_t here[LOOM_STALLS]; /* cycles in this place, by cause */
  uint32_t transit;           /* of this place, once it leaves */
  /* In view at this place; once it was taken out of its queue, the first cycle after that; at the
   * receiver, the cycle of its head. */
  uint64_t since;
  uint32_t history; /* causes of its last 8 cycles as a head, 4 bits each, the last one lowest */
  uint32_t last;    /* cycles before it departs that are transit */
  const struct loom_stall_lane *lane; /* that it has left */
  struct loom_stall_packet packet;
};

/* Packets in their order; all 0: none. */
struct loom_stall_queue {
  uint32_t first, last, count;
};

/* A queue of a place, and its head. */
struct loom_stall_lane {
  struct loom_stall_queue queue;
  uint8_t cause; /* of the head, from `since` on */
  bool lost;
  uint64_t since;
  struct loom_stall_count *count; /* by class */
};

/* A port of a place. */
struct loom_stall_port {
  uint32_t present; /* lanes whose head is known */
  struct loom_stall_lane *lane;
};

/* A device, whatever it is: its places, and packets on its links out. */
struct loom_stall_device {
  struct loom_stalls *all;
  const void *state; /* of the device */
  uint32_t number, lanes;
  uint32_t ports[LOOM_STALL_PLACES];
  struct loom_stall_port *place[LOOM_STALL_PLACES];
  struct loom_stall_queue *leaving; /* by port */
  void *more;                       /* what its kind keeps besides */
  uint32_t (*vl_of)(const struct loom_stall_device *d, uint32_t lane);
};

struct loom_stalls {
  const struct loom_fabric *fabric;
  struct loom_watch *watch;
  uint32_t devices, classes;
  struct loom_stall_device *device;
  loom_stalls_done *done;
  void *context;
  struct loom_stall_record *record;
  uint32_t records, used, unused; /* places; those that were in use once; free ones: a list */
  bool exhausted;
  uint64_t wrong;
};

static inline struct loom_stall_record *loom_stall_at(const struct loom_stalls *s, uint32_t at) {
  return &s->record[at];
}

/* A device with so many ports in each of its places. False: no memory. */
bool loom_stall_device_init(struct loom_stalls *s, uint32_t number, const void *state,
                            const uint32_t ports[LOOM_STALL_PLACES], uint32_t lanes, uint32_t links,
                            size_t more);

/* A record, all 0; LOOM_STALL_NONE: no memory. */
uint32_t loom_stall_new(struct loom_stalls *s);
void loom_stall_free(struct loom_stalls *s, uint32_t at);

void loom_stall_push(struct loom_stalls *s, struct loom_stall_queue *q, uint32_t at);
/* LOOM_STALL_NONE: there is none. */
uint32_t loom_stall_pop(struct loom_stalls *s, struct loom_stall_queue *q);

/* The first packet of a queue is its head from cycle `now` on, or from its `since` on. */
void loom_stall_head(struct loom_stalls *s, struct loom_stall_lane *lane, uint64_t now);
/* The cycles of the head up to `now`, and its cause from then on. */
void loom_stall_close(struct loom_stalls *s, struct loom_stall_lane *lane, uint64_t now);
static inline void loom_stall_set(struct loom_stalls *s, struct loom_stall_lane *lane, uint64_t now,
                                  enum loom_stall cause) {
  if (lane->cause == cause)
    return;
  loom_stall_close(s, lane, now);
  lane->cause = (uint8_t)cause;
}
/* The cause of a head with room or credits. `used`: its way is in use. */
static inline enum loom_stall loom_stall_of_way(bool used, bool lost) {
  return !used ? LOOM_STALL_DECIDING : lost ? LOOM_STALL_LOST : LOOM_STALL_BUSY;
}
/* The head leaves its queue: the cycles up to `now` were its own. LOOM_STALL_NONE: there is none.
 */
uint32_t loom_stall_take(struct loom_stalls *s, struct loom_stall_lane *lane, uint64_t now);
/* The last cycles of a packet as a head were no wait. */
void loom_stall_trim(struct loom_stalls *s, struct loom_stall_record *r, uint32_t cycles);
/* It leaves the place: what it has there counts. */
void loom_stall_leave(struct loom_stall_record *r, const struct loom_stall_lane *lane,
                      uint32_t transit);
/* A head comes over the link into a port of a device: its packet, which has left the place before.
 * LOOM_STALL_NONE: it is not known. */
uint32_t loom_stall_arrive(struct loom_stalls *s, const struct loom_stall_device *d, uint32_t port,
                           uint64_t now);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* credits.h - both ends of a link with credits (OP-06, OP-08): the sender's account of the buffer
 * at the far end, and the receiver that gives its units back
 *
 * They follow the rules of docs/link.md and judge nothing: whether what comes is right is the
 * business of whoever looks at the link. What is drawn by lot (when a unit goes back, which lane's)
 * is drawn by the bench, each by its own numbers.
 */
#ifndef LOOM_TB_ENDS_CREDITS_H
#define LOOM_TB_ENDS_CREDITS_H

#include <stdbool.h>
#include <stdint.h>

#include "parts/credit_tracker.h"
#include "tb/ends/lanes.h"

/* ---- the sender ------------------------------------------------------------------------------ */

/* An account of `units` for `vls` lanes with a reserve each, all free. Counts have `count_w` bits,
 * of which limits written later keep as many. */
void end_account_init(struct loom_credit_tracker *a, uint32_t vls, uint32_t count_w, uint32_t units,
                      uint32_t reserved);

/* Whether there is room for a packet of so many flits now; takes it when there is. */
static inline bool end_may_send(const struct loom_credit_tracker *a, uint32_t lane,
                                uint32_t flits) {
  return end_units(flits) <= loom_credit_tracker_avail(a, lane);
}
bool end_send(struct loom_credit_tracker *a, uint32_t lane, uint32_t flits);

/* A unit came back. False if none was owed, or the lane does not exist. */
bool end_credit(struct loom_credit_tracker *a, uint32_t lane);

/* ---- the receiver ---------------------------------------------------------------------------- */

struct end_receiver {
  uint32_t mask;           /* lanes that are owed units */
  uint32_t part[LOOM_VLS]; /* flits of the unit that arrives */
  uint32_t owed[LOOM_VLS]; /* units */
};

/* A flit has come: a unit is owed when its last flit is there. */
void end_receive(struct end_receiver *r, uint32_t lane, bool tail);

/* Gives a unit back of the first lane among `can` that is owed one, cyclically from lane `from`:
 * its lane, END_NO_LANE if there is none. */
uint32_t end_give(struct end_receiver *r, uint32_t can, uint32_t from);

#endif

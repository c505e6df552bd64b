/* SPDX-License-Identifier: Apache-2.0 */
/* credits.c - both ends of a link with credits (credits.h) */
#include "tb/ends/credits.h"

void end_account_init(struct loom_credit_tracker *a, uint32_t vls, uint32_t count_w, uint32_t units,
                      uint32_t reserved) {
  const struct loom_credit_tracker_cfg cfg = {.VLS = vls,
                                              .COUNT_W = count_w,
                                              .SIZE_W = 10,
                                              .UNITS = units,
                                              .MAX_UNITS = units,
                                              .RESERVED = reserved};
  loom_credit_tracker_init(a, &cfg);
}

bool end_send(struct loom_credit_tracker *a, uint32_t lane, uint32_t flits) {
  const struct loom_credit_tracker_in ask = {
      .consume_valid = 1, .consume_vl = lane, .consume_size = end_units(flits)};
  return loom_credit_tracker_cycle(a, &ask);
}

bool end_credit(struct loom_credit_tracker *a, uint32_t lane) {
  const struct loom_credit_tracker_in back = {.return_valid = 1, .return_vl = lane};
  loom_credit_tracker_cycle(a, &back);
  return !a->error;
}

void end_receive(struct end_receiver *r, uint32_t lane, bool tail) {
  if (++r->part[lane] < LOOM_UNIT_FLITS && !tail)
    return;
  r->part[lane] = 0;
  r->owed[lane]++;
  r->mask |= 1u << lane;
}

uint32_t end_give(struct end_receiver *r, uint32_t can, uint32_t from) {
  can &= r->mask;
  if (!can)
    return END_NO_LANE;
  uint32_t lane = loom_ctz_from(can, from);
  if (--r->owed[lane] == 0)
    r->mask &= ~(1u << lane);
  return lane;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* ib_rule.c - twin of rtl/switch/loom_ib_rule.v, written from docs/ib.md
 *
 * Inside: ib_switch, and the devices of csim/switch. */
#include "switch/ib_rule.h"

bool loom_ib_rule(const struct loom_switch *s, uint32_t port, uint32_t entry,
                  struct loom_route *route) {
  bool mapped = route->lane != s->mgmt && s->map_mode & LOOM_IB_MODE_SL2VL;
  (void)port;
  route->sl = route->sc;
  route->target = (uint8_t)LOOM_SWITCH_BUFFER(LOOM_SWITCH_OUT, route->out);
  if (!mapped)
    return true;
  if (entry == LOOM_SWITCH_VL15 || s->lane_of[entry] == LOOM_SWITCH_NO_LANE)
    return false;
  route->lane = s->lane_of[entry];
  return true;
}

bool loom_ib_map_shows(const struct loom_switch *s) { return s->map_mode & LOOM_IB_MODE_SL2VL; }

/* SPDX-License-Identifier: Apache-2.0 */
/* elite5_link_state.h - states of a link end of Elite5, of a router or an endpoint, as the
 * registers of a router show them (docs/elite5.md; E5-35)
 *
 * Inside: elite5_router, and endpoints. */
#ifndef LOOM_ELITE5_ELITE5_LINK_STATE_H
#define LOOM_ELITE5_ELITE5_LINK_STATE_H

enum loom_elite5_link_state {
  LOOM_ELITE5_DOWN = 0,
  LOOM_ELITE5_NEGOTIATING = 1,
  LOOM_ELITE5_IDCHECK = 2,
  LOOM_ELITE5_PRBS = 3,
  LOOM_ELITE5_LINK_READY = 4,
  LOOM_ELITE5_UP = 5,
  LOOM_ELITE5_BADID = 6,
  LOOM_ELITE5_FAILED = 7,
};

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* elite5_window.c - registers of an Elite5 router and of its links, written from docs/elite5.md
 *
 * Inside: elite5_router, crosspoint_router. */
#include "elite5/elite5_window.h"

#include "elite5/elite5_registers.h"

uint32_t loom_elite5_read_global(const struct loom_elite5_settings *set,
                                 const struct loom_elite5_globals *shown, uint32_t a) {
  switch (a) {
  case LOOM_ELITE5_REG_ID:
    return loom_device_id(shown->device) | LOOM_PUT(LOOM_ELITE5_REG_ID_LINKS, shown->links) |
           LOOM_PUT(LOOM_ELITE5_REG_ID_VCS, shown->vcs);
  case LOOM_ELITE5_REG_TRAPS:
    return shown->traps;
  case LOOM_ELITE5_REG_TRAP:
    return (uint32_t)shown->trap;
  case LOOM_ELITE5_REG_TRAP_TS:
    return (uint32_t)(shown->trap >> LOOM_ELITE5_TRAP_TS_AT);
  case LOOM_ELITE5_REG_TIME:
    return shown->time;
  case LOOM_ELITE5_REG_UP:
    return shown->up;
  default:
    return loom_elite5_settings_read(set, a);
  }
}

static uint32_t read_control(const struct loom_elite5_window *shown) {
  const struct loom_elite5_link *k = shown->link;
  return (shown->enabled ? LOOM_ELITE5_ENABLE : 0u) | (k->quick ? LOOM_ELITE5_QUICK : 0u) |
         (k->single ? LOOM_ELITE5_SINGLE : 0u) | (k->check_id ? LOOM_ELITE5_CHECK : 0u);
}

uint32_t loom_elite5_read_window(const struct loom_elite5_window *shown, uint32_t a) {
  switch (a) {
  case LOOM_ELITE5_REG_LINK_CONTROL:
    return read_control(shown);
  case LOOM_ELITE5_REG_LINK_EXPECTED:
    return shown->link->expected;
  case LOOM_ELITE5_REG_LINK_VC_LIMIT:
    return shown->vc_limit;
  case LOOM_ELITE5_REG_LINK_CAP:
    return shown->cap;
  case LOOM_ELITE5_REG_LINK_STATE:
    return LOOM_PUT(LOOM_ELITE5_REG_LINK_STATE_STATE, shown->link->state) |
           LOOM_PUT(LOOM_ELITE5_REG_LINK_STATE_QUIET, shown->quiet);
  case LOOM_ELITE5_REG_LINK_FAR:
    return shown->link->far;
  case LOOM_ELITE5_REG_LINK_CHECKED:
    return shown->link->checked;
  case LOOM_ELITE5_REG_LINK_BIT_ERRORS:
    return shown->link->bit_errors;
  case LOOM_ELITE5_REG_LINK_ALLOCATED:
    return shown->allocated;
  case LOOM_ELITE5_REG_LINK_NOT_IDLE:
    return shown->not_idle;
  case LOOM_ELITE5_REG_LINK_PENDING:
    return shown->pending;
  default:
    return 0;
  }
}

bool loom_elite5_write_window(struct loom_elite5_link *k, loom_links *enabled, uint32_t l,
                              uint32_t a, uint32_t data) {
  switch (a) {
  case LOOM_ELITE5_REG_LINK_CONTROL:
    loom_elite5_include(enabled, l, data & LOOM_ELITE5_ENABLE);
    k->quick = data & LOOM_ELITE5_QUICK;
    k->single = data & LOOM_ELITE5_SINGLE;
    k->check_id = data & LOOM_ELITE5_CHECK;
    return true;
  case LOOM_ELITE5_REG_LINK_EXPECTED:
    k->expected = LOOM_GET(LOOM_ELITE5_REG_LINK_EXPECTED_IDENTITY, data);
    return true;
  default:
    return false;
  }
}

/* SPDX-License-Identifier: Apache-2.0 */
/* elite5_registers.h - the register map of the Elite5 router, for its twin and whoever writes its
 * registers (docs/elite5.md, section Registers; E5-39)
 *
 * Inside: elite5_router, and fabrics of it. */
#ifndef LOOM_ELITE5_ELITE5_REGISTERS_H
#define LOOM_ELITE5_ELITE5_REGISTERS_H

#include <stdint.h>

#include <loom/devices.h>

#define LOOM_NAMES "elite5/elite5_router.regs"
#include <loom/names.h>

/* Bits of LOOM_ELITE5_REG_LINK_CONTROL. */
enum {
  LOOM_ELITE5_ENABLE = 1 << LOOM_ELITE5_REG_LINK_CONTROL_ENABLE_AT,
  LOOM_ELITE5_QUICK = 1 << LOOM_ELITE5_REG_LINK_CONTROL_QUICK_AT,
  LOOM_ELITE5_SINGLE = 1 << LOOM_ELITE5_REG_LINK_CONTROL_SINGLE_AT,
  LOOM_ELITE5_CHECK = 1 << LOOM_ELITE5_REG_LINK_CONTROL_CHECK_AT,
};

static inline uint32_t loom_elite5_link_register(uint32_t link, uint32_t a) {
  return LOOM_ELITE5_REG_LINKS + LOOM_REG_WINDOW * link + a;
}

#endif

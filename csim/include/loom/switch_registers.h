/* SPDX-License-Identifier: Apache-2.0 */
/* switch_registers.h - the register map of the switches, for their twins and whoever writes
 * their registers (docs/switch.md, section Registers)
 *
 * Inside: ib_switch, opa_switch, kns_node, and kns_switch. */
#ifndef LOOM_SWITCH_REGISTERS_H
#define LOOM_SWITCH_REGISTERS_H

#include <loom/devices.h>

#define LOOM_NAMES "switch/switch.regs"
#include <loom/names.h>
#define LOOM_NAMES "switch/opa_switch.regs"
#include <loom/names.h>
#define LOOM_NAMES "switch/kns_node.regs"
#include <loom/names.h>

/* Window `index` of those that begin at `base`. */
static inline uint32_t loom_switch_window(uint32_t base, uint32_t index) {
  return base + index * LOOM_REG_WINDOW;
}

#endif

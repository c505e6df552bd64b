/* switch_registers.h - the register map that all switches share, for their twins and whoever writes
 * their registers (docs/switch.md, section Registers)
 *
 * Inside: ib_switch, opa_switch, kns_node, and kns_switch. */
#ifndef LOOM_SWITCH_SWITCH_REGISTERS_H
#define LOOM_SWITCH_SWITCH_REGISTERS_H

#include <stdint.h>

enum loom_switch_register {
  LOOM_SWITCH_REG_ID = 0x00000,
  LOOM_SWITCH_REG_CONTROL = 0x00001,
  LOOM_SWITCH_REG_LFT_COUNT = 0x00002,
  LOOM_SWITCH_REG_TRAP_COUNT = 0x00003,
  LOOM_SWITCH_REG_TRAP = 0x00004, /* the oldest; reading removes it */
  LOOM_SWITCH_REG_MTU_IGNORED = 0x00005,
  LOOM_SWITCH_REG_MTU = 0x00020,      /* by lane */
  LOOM_SWITCH_REG_PORTS = 0x10000,    /* windows of the ports */
  LOOM_SWITCH_REG_CENTRALS = 0x50000, /* of the central buffers */
  LOOM_SWITCH_REG_CENTRALS_END = 0x90000,
  LOOM_SWITCH_REG_LFT = 0xC0000, /* by LID */
};

/* Of LOOM_SWITCH_REG_CONTROL. */
enum {
  LOOM_SWITCH_MODE_MASK = 3, /* map mode */
  LOOM_SWITCH_CENTRAL_BIT = 4,
};

enum {
  LOOM_SWITCH_WINDOW = 0x1000, /* addresses of a window */
  LOOM_SWITCH_EVERY = 63,      /* a write to this window goes to all of them */
  LOOM_SWITCH_NOWHERE = 63,    /* LFT entry that no switch has a port for */
};

/* In a window. */
enum loom_switch_window_register {
  LOOM_SWITCH_WIN_HOLD = 0x000,
  LOOM_SWITCH_WIN_TRACKER = 0x080, /* of a central buffer, of an input buffer */
  LOOM_SWITCH_WIN_TRACKER_OUT = 0x100,
  LOOM_SWITCH_WIN_TRACKER_FAR = 0x180,
  LOOM_SWITCH_WIN_LANES = 0x200, /* groups of 32 by lane or SL */
  LOOM_SWITCH_WIN_COUNTERS = 0x320,
  LOOM_SWITCH_WIN_TABLE = 0x400, /* of the scheduler */
  LOOM_SWITCH_WIN_MAP = 0x800,   /* LOOM_SWITCH_MAP entries an output */
};

/* Window `index` of those that begin at `base`. */
static inline uint32_t loom_switch_window(uint32_t base, uint32_t index) {
  return base + index * LOOM_SWITCH_WINDOW;
}

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* axil_registers.h - twin of loom_axil_registers: AXI4-Lite to the register bus of a device
 * (docs/axi.md) */
#ifndef LOOM_AXI_AXIL_REGISTERS_H
#define LOOM_AXI_AXIL_REGISTERS_H

#define LOOM_DUT axil_registers
#define LOOM_DEF "axi/axil_registers.def"
#include <loom/def.h>

#include <loom/bits.h>
#include <stdbool.h>

struct loom_axil_registers {
  uint32_t gap; /* parameter */
  uint32_t wait;
  uint32_t aw_addr, ar_addr; /* addresses of registers */
  uint32_t w_data, w_strb;
  uint32_t r_data;
  uint32_t addr, data; /* of the register bus */
  bool aw_valid, w_valid, ar_valid, b_valid, b_error, r_valid;
  bool we, re;
  bool read; /* a read is on its way */
  bool turn; /* the last one was a write */
};

bool loom_axil_registers_cfg_ok(const struct loom_axil_registers_cfg *cfg);
void loom_axil_registers_init(struct loom_axil_registers *s,
                              const struct loom_axil_registers_cfg *cfg);
void loom_axil_registers_step(struct loom_axil_registers *s,
                              const struct loom_axil_registers_in *in,
                              struct loom_axil_registers_out *out);
void loom_axil_registers_probe(const struct loom_axil_registers *s,
                               struct loom_axil_registers_probe *p);

#endif

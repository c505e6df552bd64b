/* SPDX-License-Identifier: Apache-2.0 */
/* register_writes.h - what the registers of a fabric's devices hold (docs/fabric.md,
 * docs/switch.md, docs/sched_port.md; OP-06, OP-18, IB-02, TP-03, KN-02) */
#ifndef LOOM_RUN_REGISTER_WRITES_H
#define LOOM_RUN_REGISTER_WRITES_H

#include "run/plan.h"

/* Where the writes go, one after the other. */
struct loom_register_bus {
  void (*write)(void *context, uint32_t addr, uint32_t data);
  void *context;
};

/* Parameter SCHED of hosts: that of the switches, but dtable for drr and scfq, with an entry a key.
 */
uint32_t loom_host_sched(const struct loom_plan *p);
/* All registers of switch `row` of a plan, and of a host's NIC. */
void loom_write_switch_registers(const struct loom_plan *p, uint32_t row,
                                 const struct loom_register_bus *bus);
void loom_write_host_registers(const struct loom_plan *p, const struct loom_register_bus *bus);

#endif

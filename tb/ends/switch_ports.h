/* SPDX-License-Identifier: Apache-2.0 */
/* switch_ports.h - the ports of a whole switch, which are the same for ib_switch, opa_switch,
 * kns_node and kns_switch: those of ib_switch stand for all
 */
#ifndef LOOM_TB_ENDS_SWITCH_PORTS_H
#define LOOM_TB_ENDS_SWITCH_PORTS_H

#include <stdbool.h>
#include <stddef.h>

#include "switch/ib_switch.h"

/* Checks that the list of another switch agrees; its header must be included. */
#define END_SAME_PORTS(name)                                                                       \
  _Static_assert(sizeof(struct loom_##name##_in) == sizeof(struct loom_ib_switch_in) &&            \
                     sizeof(struct loom_##name##_out) == sizeof(struct loom_ib_switch_out) &&      \
                     offsetof(struct loom_##name##_in, in_data) ==                                 \
                         offsetof(struct loom_ib_switch_in, in_data) &&                            \
                     offsetof(struct loom_##name##_in, out_cr_vl) ==                               \
                         offsetof(struct loom_ib_switch_in, out_cr_vl) &&                          \
                     offsetof(struct loom_##name##_in, reg_wdata) ==                               \
                         offsetof(struct loom_ib_switch_in, reg_wdata) &&                          \
                     offsetof(struct loom_##name##_out, in_cr_vl) ==                               \
                         offsetof(struct loom_ib_switch_out, in_cr_vl) &&                          \
                     offsetof(struct loom_##name##_out, out_data) ==                               \
                         offsetof(struct loom_ib_switch_out, out_data) &&                          \
                     offsetof(struct loom_##name##_out, trap) ==                                   \
                         offsetof(struct loom_ib_switch_out, trap),                                \
                 "the switches have the same ports")

/* A flit on the link into a port, in the cycle of these inputs. */
static inline void end_put_flit(struct loom_ib_switch_in *i, uint32_t port, bool head, bool tail,
                                uint32_t vl, uint64_t data) {
  i->in_valid[port] = 1;
  i->in_head[port] = head;
  i->in_tail[port] = tail;
  i->in_vl[port] = vl;
  i->in_data[port] = data;
}

/* A unit of this VL back to the port, from the far end of its link out. */
static inline void end_put_credit(struct loom_ib_switch_in *i, uint32_t port, uint32_t vl) {
  i->out_cr_valid[port] = 1;
  i->out_cr_vl[port] = vl;
}

/* An access on the register bus. */
static inline void end_put_write(struct loom_ib_switch_in *i, uint32_t addr, uint32_t data) {
  i->reg_we = 1;
  i->reg_addr = addr;
  i->reg_wdata = data;
}

static inline void end_put_read(struct loom_ib_switch_in *i, uint32_t addr) {
  i->reg_re = 1;
  i->reg_addr = addr;
}

#endif

/* switch_device.h - step of a switch of either type; included by the .c of the two
 *
 * Inside: ib_switch, and opa_switch.
 *
 * Expands to code for the structs that csim/include/loom/def.h makes from the list of N. */
#ifndef LOOM_ROUTE_SWITCH_DEVICE_H
#define LOOM_ROUTE_SWITCH_DEVICE_H

#include "route/switch.h"

/* The parameters that both lists have. */
#define LOOM_SWITCH_COMMON(cfg)                                                                    \
  .SCHED = (cfg)->SCHED, .REMOTE_UNITS = (cfg)->REMOTE_UNITS,                                      \
  .REMOTE_RESERVED = (cfg)->REMOTE_RESERVED, .MTU_UNITS = (cfg)->MTU_UNITS, .LIDS = (cfg)->LIDS,   \
  .RT = (cfg)->RT, .SB = (cfg)->SB, .AT = (cfg)->AT, .X = (cfg)->X, .FLY = (cfg)->FLY,             \
  .scheduler = {                                                                                   \
      .VLS = (cfg)->VLS,                                                                           \
      .KEYS = (cfg)->KEYS,                                                                         \
      .ARB_KEY = (cfg)->ARB_KEY,                                                                   \
      .MGMT_VL = loom_min(LOOM_SWITCH_VL15, (cfg)->VLS - 1),                                       \
      .ENTRIES = (cfg)->ENTRIES,                                                                   \
      .IB8 = (cfg)->IB8,                                                                           \
      .N_HIGH = (cfg)->N_HIGH,                                                                     \
      .N_LOW = (cfg)->N_LOW,                                                                       \
  }

/* The links of the output struct are those of `shown`, in one piece. */
#define LOOM_SWITCH_LINKS_FIT(N)                                                                   \
  _Static_assert(offsetof(struct loom_##N##_out, out_data) + sizeof(uint64_t[LOOM_SWITCH_PORTS]) - \
                         offsetof(struct loom_##N##_out, in_cr_valid) ==                           \
                     sizeof(struct loom_switch_links),                                             \
                 "the links of the list are not those of the switch")

#define LOOM_SWITCH_SHOW(N, s, out)                                                                \
  do {                                                                                             \
    memcpy((char *)(out) + offsetof(struct loom_##N##_out, in_cr_valid), &(s)->shown,              \
           sizeof(s)->shown);                                                                      \
    (out)->reg_rvalid = (s)->read[1].valid;                                                        \
    (out)->reg_rdata = (s)->read[1].data;                                                          \
    (out)->trap = loom_fifo_valid(&(s)->trap_fifo);                                                \
  } while (0)

#define LOOM_SWITCH_INPUTS(in)                                                                     \
  (&(const struct loom_switch_in){.in_valid = (in)->in_valid,                                      \
                                  .in_head = (in)->in_head,                                        \
                                  .in_tail = (in)->in_tail,                                        \
                                  .in_vl = (in)->in_vl,                                            \
                                  .in_data = (in)->in_data,                                        \
                                  .out_cr_valid = (in)->out_cr_valid,                              \
                                  .out_cr_vl = (in)->out_cr_vl,                                    \
                                  .reg_we = (in)->reg_we != 0,                                     \
                                  .reg_re = (in)->reg_re != 0,                                     \
                                  .reg_addr = (uint32_t)(in)->reg_addr,                            \
                                  .reg_wdata = (uint32_t)(in)->reg_wdata})

#endif

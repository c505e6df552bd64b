/* SPDX-License-Identifier: Apache-2.0 */
/* switch_device.h - step of a switch of any type; included by the .c of each
 *
 * Inside: ib_switch, opa_switch, kns_node, and kns_switch.
 *
 * Expands to code for the structs that csim/include/loom/def.h makes from the list of N. */
#ifndef LOOM_SWITCH_SWITCH_DEVICE_H
#define LOOM_SWITCH_SWITCH_DEVICE_H

#include "switch/switch.h"

/* Parameters that every list has with a default of its own. */
#define LOOM_SWITCH_COMMON(cfg)                                                                    \
  .SCHED = (cfg)->SCHED, .ARB_KEY = (cfg)->ARB_KEY, .ENTRIES = (cfg)->ENTRIES,                     \
  .REMOTE_UNITS = (cfg)->REMOTE_UNITS

/* What a set of ports shows, by port: 1, and a field. */
static inline void loom_switch_show_bits(uint64_t *to, loom_ports set) {
  for (; set; set &= set - 1)
    to[loom_ctz(set)] = 1;
}

static inline void loom_switch_show_vls(uint64_t *to, const uint8_t *vl, loom_ports set) {
  for (; set; set &= set - 1)
    to[loom_ctz(set)] = vl[loom_ctz(set)];
}

/* The outputs of the list. */
#define LOOM_SWITCH_SHOW(s, out)                                                                   \
  do {                                                                                             \
    memset(out, 0, sizeof *(out));                                                                 \
    loom_switch_show_bits((out)->in_cr_valid, (s)->shown_cr);                                      \
    loom_switch_show_vls((out)->in_cr_vl, (s)->shown.cr_vl, (s)->shown_cr);                        \
    loom_switch_show_bits((out)->out_valid, (s)->shown_out);                                       \
    loom_switch_show_bits((out)->out_head, (s)->shown_head);                                       \
    loom_switch_show_bits((out)->out_tail, (s)->shown_tail);                                       \
    loom_switch_show_vls((out)->out_vl, (s)->shown.vl, (s)->shown_out);                            \
    for (loom_ports set = (s)->shown_out; set; set &= set - 1)                                     \
      (out)->out_data[loom_ctz(set)] = (s)->shown.data[loom_ctz(set)];                             \
    (out)->reg_rvalid = (s)->read[1].valid;                                                        \
    (out)->reg_rdata = (s)->read[1].data;                                                          \
    (out)->trap = loom_fifo_valid(&(s)->trap_fifo);                                                \
  } while (0)

/* Head and tail flags of the flits that there are. */
static inline void loom_switch_flags(struct loom_switch_in *in, const uint64_t *head,
                                     const uint64_t *tail) {
  in->head = in->tail = 0;
  for (loom_ports set = in->valid; set; set &= set - 1) {
    uint32_t port = loom_ctz(set);
    in->head |= (loom_ports)(head[port] != 0) << port;
    in->tail |= (loom_ports)(tail[port] != 0) << port;
  }
}

/* What flits and credits bring. */
static inline void loom_switch_link_in(struct loom_link_in *to, const struct loom_switch_in *in,
                                       const uint64_t *vl, const uint64_t *data,
                                       const uint64_t *cr_vl) {
  for (loom_ports set = in->valid; set; set &= set - 1) {
    to[loom_ctz(set)].vl = (uint8_t)vl[loom_ctz(set)];
    to[loom_ctz(set)].data = data[loom_ctz(set)];
  }
  for (loom_ports set = in->credit; set; set &= set - 1)
    to[loom_ctz(set)].cr_vl = (uint8_t)cr_vl[loom_ctz(set)];
}

/* One edge of a switch with the inputs of the list. */
#define LOOM_SWITCH_EDGE(s, tier, in)                                                              \
  do {                                                                                             \
    struct loom_link_in port[LOOM_SWITCH_PORTS];                                                   \
    struct loom_switch_in edge = {                                                                 \
        .valid = loom_switch_set((in)->in_valid, (s)->ports),                                      \
        .credit = loom_switch_set((in)->out_cr_valid, (s)->ports),                                 \
        .port = port,                                                                              \
        .reg_we = (in)->reg_we != 0,                                                               \
        .reg_re = (in)->reg_re != 0,                                                               \
        .reg_addr = (uint32_t)(in)->reg_addr,                                                      \
        .reg_wdata = (uint32_t)(in)->reg_wdata,                                                    \
    };                                                                                             \
    loom_switch_flags(&edge, (in)->in_head, (in)->in_tail);                                        \
    loom_switch_link_in(port, &edge, (in)->in_vl, (in)->in_data, (in)->out_cr_vl);                 \
    loom_switch_edge(s, tier, &edge);                                                              \
  } while (0)

#endif

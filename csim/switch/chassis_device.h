/* SPDX-License-Identifier: Apache-2.0 */
/* chassis_device.h - step of a switch of the second edition; included by the .c of each
 *
 * Inside: crossbar_switch, mport_switch.
 *
 * Expands to code for the structs that csim/include/loom/def.h makes from the list of the switch.
 */
#ifndef LOOM_SWITCH_CHASSIS_DEVICE_H
#define LOOM_SWITCH_CHASSIS_DEVICE_H

#include <string.h>

#include "switch/chassis.h"

/* What the inputs of the list bring: `to`, whose ports are `link`.
 * Both bounds: under its sanitizers gcc does not see that no switch has more ports than this. */
#define LOOM_CHASSIS_ARRIVE(s, in, to, link)                                                       \
  do {                                                                                             \
    for (uint32_t p = 0; p < (s)->ports && p < LOOM_CHASSIS_PORTS; p++) {                          \
      (to)->valid |= (in)->in_valid[p] << p;                                                       \
      (to)->head |= (in)->in_head[p] << p;                                                         \
      (to)->tail |= (in)->in_tail[p] << p;                                                         \
      (to)->credit |= (in)->out_cr_valid[p] << p;                                                  \
      (link)[p] = (struct loom_link_in){.data = (in)->in_data[p],                                  \
                                        .vl = (uint8_t)(in)->in_vl[p],                             \
                                        .cr_vl = (uint8_t)(in)->out_cr_vl[p]};                     \
    }                                                                                              \
  } while (0)

/* The outputs of the list. */
#define LOOM_CHASSIS_SHOW(shown, out)                                                              \
  do {                                                                                             \
    memset(out, 0, sizeof *(out));                                                                 \
    for (uint64_t left = (shown)->credit; left; left &= left - 1) {                                \
      uint32_t p = loom_ctz(left);                                                                 \
      (out)->in_cr_valid[p] = 1;                                                                   \
      (out)->in_cr_vl[p] = (shown)->cr_vl[p];                                                      \
    }                                                                                              \
    for (uint64_t left = (shown)->valid; left; left &= left - 1) {                                 \
      uint32_t p = loom_ctz(left);                                                                 \
      (out)->out_valid[p] = 1;                                                                     \
      (out)->out_head[p] = loom_chassis_has((shown)->head, p);                                     \
      (out)->out_tail[p] = loom_chassis_has((shown)->tail, p);                                     \
      (out)->out_vl[p] = (shown)->vl[p];                                                           \
      (out)->out_data[p] = (shown)->data[p];                                                       \
    }                                                                                              \
    (out)->reg_rvalid = (shown)->rvalid;                                                           \
    (out)->reg_rdata = (shown)->rdata;                                                             \
    (out)->trap = (shown)->trap;                                                                   \
  } while (0)

/* A step of the chassis `s`: `cycle` is the cycle of its switch, with `arrival`. */
#define LOOM_CHASSIS_STEP(s, in, out, cycle)                                                       \
  do {                                                                                             \
    struct loom_link_in link[LOOM_CHASSIS_PORTS];                                                  \
    struct loom_chassis_arrival arrival = {.port = link,                                           \
                                           .reg_we = (in)->reg_we != 0,                            \
                                           .reg_re = (in)->reg_re != 0,                            \
                                           .reg_addr = (uint32_t)(in)->reg_addr,                   \
                                           .reg_wdata = (uint32_t)(in)->reg_wdata};                \
    LOOM_CHASSIS_ARRIVE(s, in, &arrival, link);                                                    \
    cycle;                                                                                         \
    LOOM_CHASSIS_SHOW(&(s)->shown, out);                                                           \
  } while (0)

#endif

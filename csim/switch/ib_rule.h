/* SPDX-License-Identifier: Apache-2.0 */
/* ib_rule.h - what the twins with the crossbar of ib_switch share: the rule of routing, and the
 * parameters of one crossbar between buffers at inputs and outputs (docs/ib.md; IB-01, IB-02)
 *
 * Inside: ib_switch, and the devices of csim/switch. */
#ifndef LOOM_SWITCH_IB_RULE_H
#define LOOM_SWITCH_IB_RULE_H

#include "switch/switch_device.h"

/* The struct loom_switch_cfg of a device whose list has the parameters of ib_switch but for ports
 * and LIDs, which are given. */
#define LOOM_IB_CORE(cfg, ports, lids)                                                             \
  ((struct loom_switch_cfg){                                                                       \
      LOOM_SWITCH_COMMON(cfg),                                                                     \
      .PORTS = (ports),                                                                            \
      .LIDS = (lids),                                                                              \
      .RD_IN = (cfg)->SPEEDUP,                                                                     \
      .CELLS = {[LOOM_SWITCH_IN] = (cfg)->CELLS_IN, [LOOM_SWITCH_OUT] = (cfg)->CELLS_OUT},         \
  })

/* Of the map mode: SL2VL is on. */
enum { LOOM_IB_MODE_SL2VL = 1 };

/* SL2VL by input, output and SL while bit 0 of the map mode is set; management stays what it is
 * (IB-02). In a switch family (switch/switch.h) it is the `route`. */
bool loom_ib_rule(const struct loom_switch *s, uint32_t port, uint32_t entry,
                  struct loom_route *route);
/* Its `map_shows`. */
bool loom_ib_map_shows(const struct loom_switch *s);

#endif

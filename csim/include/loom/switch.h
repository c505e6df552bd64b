/* SPDX-License-Identifier: Apache-2.0 */
/* switch.h - switches: InfiniBand, Omni-Path and the devices of a KNS (docs/switch.md), and the
 * next edition of a switch with its parts: input unit, allocation, crossing, output unit and port
 * group (docs/crossbar_switch.md, docs/pipeline.md)
 *
 *     #include <loom/switch.h>
 *
 *     struct loom_ib_switch_cfg cfg;
 *     struct loom_ib_switch_in in = {0};
 *     struct loom_ib_switch_out out;
 *     loom_ib_switch_defaults(&cfg);
 *     cfg.PORTS = 8;
 *     struct loom_ib_switch *device = loom_ib_switch_create(&cfg);
 *     loom_ib_switch_step(device, &in, &out);                        // a clock cycle
 *
 * For each device N there are its structs and functions as <loom/device.h> describes them. What its
 * parameters, ports and registers mean stands on its page.
 */
#ifndef LOOM_SWITCH_H
#define LOOM_SWITCH_H

#include <loom/switch_registers.h>

#define LOOM_DUT ib_switch
#define LOOM_DEF "switch/ib_switch.def"
#include <loom/device.h>

#define LOOM_DUT opa_switch
#define LOOM_DEF "switch/opa_switch.def"
#include <loom/device.h>

#define LOOM_DUT kns_node
#define LOOM_DEF "switch/kns_node.def"
#include <loom/device.h>

#define LOOM_DUT kns_switch
#define LOOM_DEF "switch/kns_switch.def"
#include <loom/device.h>

#define LOOM_DUT pipelined_alloc
#define LOOM_DEF "switch/pipelined_alloc.def"
#include <loom/device.h>

#define LOOM_DUT mport_alloc
#define LOOM_DEF "switch/mport_alloc.def"
#include <loom/device.h>

#define LOOM_DUT crossbar_switch
#define LOOM_DEF "switch/crossbar_switch.def"
#include <loom/device.h>

#define LOOM_DUT mport_switch
#define LOOM_DEF "switch/mport_switch.def"
#include <loom/device.h>

#define LOOM_DUT crossing
#define LOOM_DEF "switch/crossing.def"
#include <loom/device.h>

#define LOOM_DUT input_unit
#define LOOM_DEF "switch/input_unit.def"
#include <loom/device.h>

#define LOOM_DUT link_preempt
#define LOOM_DEF "switch/link_preempt.def"
#include <loom/device.h>

#define LOOM_DUT output_unit
#define LOOM_DEF "switch/output_unit.def"
#include <loom/device.h>

#define LOOM_DUT port_group
#define LOOM_DEF "switch/port_group.def"
#include <loom/device.h>

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* axi.h - what stands between a device and AXI (docs/axi.md)
 *
 * For each device N there are its structs and functions as <loom/device.h> describes them. What its
 * parameters, ports and registers mean stands on its page.
 */
#ifndef LOOM_AXI_H
#define LOOM_AXI_H

#define LOOM_DUT axil_registers
#define LOOM_DEF "axi/axil_registers.def"
#include <loom/device.h>

#define LOOM_DUT axis_link_rx
#define LOOM_DEF "axi/axis_link_rx.def"
#include <loom/device.h>

#define LOOM_DUT axis_link_tx
#define LOOM_DEF "axi/axis_link_tx.def"
#include <loom/device.h>

#endif

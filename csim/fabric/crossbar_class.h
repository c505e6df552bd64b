/* SPDX-License-Identifier: Apache-2.0 */
/* crossbar_class.h - crossbar_switch as a device of a fabric (docs/fabric.md) */
#ifndef LOOM_FABRIC_CROSSBAR_CLASS_H
#define LOOM_FABRIC_CROSSBAR_CLASS_H

#include "fabric/fabric.h"
#include "switch/crossbar_switch.h"

extern const struct loom_fabric_class loom_crossbar_switch_class;

struct loom_crossbar_device;

/* A twin whose memories are swept, in the memory of a fabric. NULL: parameters that are not legal,
 * or no memory. */
struct loom_crossbar_device *loom_crossbar_switch_new(struct loom_fabric *f,
                                                      const struct loom_crossbar_switch_cfg *cfg);
const struct loom_crossbar_switch *
loom_crossbar_device_switch(const struct loom_crossbar_device *device);

#endif

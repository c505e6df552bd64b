/* SPDX-License-Identifier: Apache-2.0 */
/* mport_class.h - mport_switch as a device of a fabric (docs/fabric.md) */
#ifndef LOOM_FABRIC_MPORT_CLASS_H
#define LOOM_FABRIC_MPORT_CLASS_H

#include "fabric/fabric.h"
#include "switch/mport_switch.h"

extern const struct loom_fabric_class loom_mport_switch_class;

/* A device of this class, which begins with its twin after reset, in the memory of a fabric. NULL:
 * parameters that are not legal, or no memory. */
struct loom_mport_switch *loom_mport_switch_new(struct loom_fabric *f,
                                                const struct loom_mport_switch_cfg *cfg);

#endif

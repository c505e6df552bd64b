/* SPDX-License-Identifier: Apache-2.0 */
/* switch_class.h - switches as devices of a fabric: ib_switch, opa_switch, kns_node, kns_switch
 * (docs/fabric.md) */
#ifndef LOOM_FABRIC_SWITCH_CLASS_H
#define LOOM_FABRIC_SWITCH_CLASS_H

#include "fabric/fabric.h"
#include "switch/ib_switch.h"
#include "switch/kns_node.h"
#include "switch/kns_switch.h"
#include "switch/opa_switch.h"

extern const struct loom_fabric_class loom_ib_switch_class;
extern const struct loom_fabric_class loom_opa_switch_class;
extern const struct loom_fabric_class loom_kns_node_class;
extern const struct loom_fabric_class loom_kns_switch_class;

/* A twin after reset, in the memory of a fabric. NULL: parameters that are not legal, or no memory.
 */
struct loom_ib_switch *loom_ib_switch_new(struct loom_fabric *f,
                                          const struct loom_ib_switch_cfg *cfg);
struct loom_opa_switch *loom_opa_switch_new(struct loom_fabric *f,
                                            const struct loom_opa_switch_cfg *cfg);
struct loom_kns_node *loom_kns_node_new(struct loom_fabric *f, const struct loom_kns_node_cfg *cfg);
struct loom_kns_switch *loom_kns_switch_new(struct loom_fabric *f,
                                            const struct loom_kns_switch_cfg *cfg);

#endif

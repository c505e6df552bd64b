/* SPDX-License-Identifier: Apache-2.0 */
/* kns_node.h - twin of loom_kns_node: routing HCA of a KNS, the router of a node with the ports of
 * its hosts (docs/kns.md, docs/ib.md, docs/switch.md; KN-01, KN-02, KN-05, KN-11, IB-01..06) */
#ifndef LOOM_SWITCH_KNS_NODE_H
#define LOOM_SWITCH_KNS_NODE_H

#define LOOM_DUT kns_node
#define LOOM_DEF "switch/kns_node.def"
#include <loom/def.h>

#include "switch/kns_rule.h"

struct loom_kns_node {
  struct loom_kns kns; /* first */
};

/* The parameters are legal together. */
bool loom_kns_node_cfg_ok(const struct loom_kns_node_cfg *cfg);
/* Bytes of storage that init needs, aligned to 8. */
size_t loom_kns_node_storage_size(const struct loom_kns_node_cfg *cfg);
void loom_kns_node_init(struct loom_kns_node *s, const struct loom_kns_node_cfg *cfg,
                        void *storage);
/* The same, of a struct and a storage that are all 0: what stays so is not touched. */
void loom_kns_node_start(struct loom_kns_node *s, const struct loom_kns_node_cfg *cfg,
                         void *storage);
/* Costs what the packets in the device ask for, not what there are of ports and lanes. */
void loom_kns_node_step(struct loom_kns_node *s, const struct loom_kns_node_in *in,
                        struct loom_kns_node_out *out);
void loom_kns_node_probe(const struct loom_kns_node *s, struct loom_kns_node_probe *p);

/* The family of its core (switch/switch.h), for whoever steps it without the structs of the list.
 */
extern const struct loom_switch_family loom_kns_node_family;

#endif

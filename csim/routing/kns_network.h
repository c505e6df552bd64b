/* SPDX-License-Identifier: Apache-2.0 */
/* kns_network.h - an indirect network of a KNS as a fabric of its own (docs/route.md; KN-01) */
#ifndef LOOM_ROUTING_KNS_NETWORK_H
#define LOOM_ROUTING_KNS_NETWORK_H

#include "routing/routing.h"

/* Devices 0..k-1 are the routers by their coordinate in the network's dimension, each an HCA with a
 * port for each cable, in the order of the switches and ports at the other end. Then come the
 * switches, with their ports, in the order of the whole fabric. */
struct loom_routing_network {
  struct loom_topo *topo;
  struct loom_routing *routing; /* by ftree: d-mod-k, the routers are the hosts */
  uint32_t *row;                /* in the whole fabric: of each row here */
};

/* The network whose first switch is `first`. False: *err says why, nothing is left to free. */
bool loom_routing_network_make(struct loom_routing_network *n, const struct loom_routing *r,
                               const struct loom_routing_kns *kns, uint32_t first,
                               struct loom_routing_error *err);
void loom_routing_network_free(struct loom_routing_network *n);

#endif

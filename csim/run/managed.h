/* SPDX-License-Identifier: Apache-2.0 */
/* managed.h - a built fabric of ib_switches that a subnet manager programs while it runs
 * (docs/ibsim.md) */
#ifndef LOOM_RUN_MANAGED_H
#define LOOM_RUN_MANAGED_H

#include "run/build.h"

struct loom_managed;

/* The switches of `built` from now on, with empty forwarding tables and all links down. It has been
 * built of `plan`, whose LIDs change with those of the hosts. NULL: out of memory. */
struct loom_managed *loom_managed_create(struct loom_built *built, struct loom_plan *plan);
/* Before the built fabric. */
void loom_managed_destroy(struct loom_managed *m);

/* Between two cycles. Devices are those of the topology, ports its ports. */

/* A write to a register of a switch waits its turn. False: out of memory. */
bool loom_managed_register(struct loom_managed *m, uint32_t device, uint32_t addr, uint32_t data);
/* What a register of a switch reads as. */
uint32_t loom_managed_ask(const struct loom_managed *m, uint32_t device, uint32_t addr);
/* Writes that wait, of all switches. */
uint64_t loom_managed_waiting(const struct loom_managed *m);
/* A link of a switch goes down or comes up. */
void loom_managed_link(struct loom_managed *m, uint32_t device, uint32_t port, bool up);
/* What its link layer has dropped so far: packets that left the switch, or that came in. */
struct loom_managed_dropped {
  uint64_t packets, flits;
};
struct loom_managed_dropped loom_managed_dropped(const struct loom_managed *m, uint32_t device,
                                                 uint32_t port, bool out);
/* Hosts: the one at a port of an adapter, LOOM_TOPO_NONE: there is none; its LID; its lanes. */
uint32_t loom_managed_host(const struct loom_managed *m, uint32_t device, uint32_t port);
bool loom_managed_renumber(struct loom_managed *m, uint32_t host, uint16_t lid);
void loom_managed_map(struct loom_managed *m, uint32_t host, uint32_t sl, uint8_t vl);

#endif

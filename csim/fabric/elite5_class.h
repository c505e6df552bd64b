/* SPDX-License-Identifier: Apache-2.0 */
/* elite5_class.h - Elite5 routers and Elan5 endpoints as devices of a fabric (docs/fabric.md,
 * docs/elite5.md, docs/elan5.md) */
#ifndef LOOM_FABRIC_ELITE5_CLASS_H
#define LOOM_FABRIC_ELITE5_CLASS_H

#include "elan5/elan5.h"
#include "elite5/elite5_router.h"
#include "fabric/fabric.h"

/* The device is a struct loom_elite5_router; port l is its link l. One that sleeps stands at an
 * earlier cycle. */
extern const struct loom_fabric_class loom_elite5_router_class;
/* The device is a struct loom_elan5. */
extern const struct loom_fabric_class loom_elan5_class;

/* A router after reset, in the memory of a fabric. NULL: parameters that are not legal, or no
 * memory. */
struct loom_elite5_router *loom_elite5_router_new(struct loom_fabric *f,
                                                  const struct loom_elite5_router_cfg *cfg);
/* An endpoint in the same memory. */
struct loom_elan5 *loom_elan5_new(struct loom_fabric *f, const struct loom_elan5_cfg *cfg,
                                  uint32_t node);
/* Adds an endpoint as a device, or the state of which it is the inside; requests wake it.
 * LOOM_FABRIC_NONE: as loom_fabric_add. */
uint32_t loom_elan5_add(struct loom_fabric *f, const struct loom_fabric_class *device_class,
                        void *state, struct loom_elan5 *e);

/* The edges that a router has slept through, so that it stands at cycle `now` of the fabric. */
void loom_elite5_router_catch_up(struct loom_elite5_router *s, uint64_t now);

/* One cycle of an endpoint, for classes of devices that have one inside. */
void loom_elan5_fabric_step(struct loom_elan5 *e, uint64_t now,
                            const struct loom_fabric_arrival *in,
                            const struct loom_fabric_show *show);
/* For classes of routers: what a router shows, and what comes to it. */
void loom_elite5_show(const struct loom_elite5_words *words, const struct loom_elite5_returns *back,
                      loom_links signal, const struct loom_fabric_show *show);
struct loom_elite5_lanes loom_elite5_arriving(const struct loom_fabric_arrival *in);
/* What links with bit errors spare: words of link control. */
bool loom_elite5_is_spared(bool head, bool tail, uint64_t word);

#endif

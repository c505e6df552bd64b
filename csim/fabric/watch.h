/* SPDX-License-Identifier: Apache-2.0 */
/* watch.h - counts flits and packets that arrive over links, by port and VL (docs/fabric.md)
 *
 * It stands in front of the devices that are watched and looks at what arrives, so a fabric without
 * it pays nothing. */
#ifndef LOOM_FABRIC_WATCH_H
#define LOOM_FABRIC_WATCH_H

#include "fabric/fabric.h"
#include <loom/limits.h>

struct loom_watch_count {
  uint64_t flits, packets;
};

struct loom_watch;

/* For a fabric of up to so many devices. NULL: out of memory. */
struct loom_watch *loom_watch_create(uint32_t devices);
/* After the fabric. */
void loom_watch_destroy(struct loom_watch *w);

/* Hears of each head that arrives, with its word. */
typedef void loom_watch_head(void *context, uint32_t device, uint32_t port, uint64_t data);
/* Before any device is watched; until then nobody hears. */
void loom_watch_on_head(struct loom_watch *w, loom_watch_head *head, void *context);

/* Hears of what links bring to any watched device in a cycle, whole, flit by flit. */
typedef void loom_watch_flits(void *context, uint32_t device, uint64_t now,
                              const struct loom_fabric_arrival *in);
/* Before the first cycle, of devices that are watched already; until then nobody hears. */
void loom_watch_on_flits(struct loom_watch *w, loom_watch_flits *flits, void *context);

/* Watches a device from now on, before the first flit, whatever its class is. False: no memory. */
bool loom_watch_device(struct loom_watch *w, struct loom_fabric *f, uint32_t device);
/* Hears of each step of a watched device from now on, after it, with what links brought. */
typedef void loom_watch_step(void *context, uint64_t now, const struct loom_fabric_arrival *in);
void loom_watch_on_step(struct loom_watch *w, uint32_t device, loom_watch_step *after,
                        void *context);
/* Counts what is still on its way, once, after the last cycle. */
void loom_watch_finish(struct loom_watch *w, struct loom_fabric *f);
/* What came to a port of a watched device on a VL. */
const struct loom_watch_count *loom_watch_count(const struct loom_watch *w, uint32_t device,
                                                uint32_t port, uint32_t vl);
/* A device of another process (docs/ranks.md) with so many ports: there is room for what came to
 * it, as that process has it; once the counting is finished. False: no memory. */
bool loom_watch_keep(struct loom_watch *w, uint32_t device, uint32_t ports);
void loom_watch_put(struct loom_watch *w, uint32_t device, uint32_t port, uint32_t vl,
                    const struct loom_watch_count *count);

#endif

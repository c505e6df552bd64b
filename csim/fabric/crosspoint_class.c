/* SPDX-License-Identifier: Apache-2.0 */
/* crosspoint_class.c - Elite5 routers of the second edition as devices of a fabric
 * (docs/fabric.md) */
#include "fabric/crosspoint_class.h"

#include "fabric/elite5_class.h"

struct loom_crosspoint_router *
loom_crosspoint_router_new(struct loom_fabric *f, const struct loom_crosspoint_router_cfg *cfg) {
  bool ok = loom_crosspoint_router_cfg_ok(cfg);
  struct loom_crosspoint_router *s = ok ? loom_fabric_memory(f, sizeof *s) : NULL;
  void *storage = s ? loom_fabric_memory(f, loom_crosspoint_router_storage_size(cfg)) : NULL;
  if (!storage)
    return NULL;
  loom_crosspoint_router_start(s, cfg, storage);
  return s;
}

void loom_crosspoint_router_catch_up(struct loom_crosspoint_router *s, uint64_t now) {
  if (s->now != now)
    loom_crosspoint_router_skip(s, now - s->now);
}

static void step(void *device, uint64_t now, const struct loom_fabric_arrival *in,
                 const struct loom_fabric_show *show) {
  struct loom_crosspoint_router *s = device;
  const struct loom_elite5_lanes lanes = loom_elite5_arriving(in);
  loom_crosspoint_router_catch_up(s, now);
  loom_elite5_show(loom_crosspoint_router_words(s), loom_crosspoint_router_returns(s),
                   loom_crosspoint_router_signal(s), show);
  loom_crosspoint_router_edge(s, &lanes);
}

static bool load(void *device, uint32_t addr, uint32_t data) {
  return loom_crosspoint_router_load(device, addr, data);
}

static bool sleeps(const void *device) { return loom_crosspoint_router_sleeps(device); }

const struct loom_fabric_class loom_crosspoint_router_class = {.name = "crosspoint_router",
                                                               .apart = true,
                                                               .ports = LOOM_ELITE5_LINKS,
                                                               .wires = true,
                                                               .spared = loom_elite5_is_spared,
                                                               .step = step,
                                                               .load = load,
                                                               .sleeps = sleeps};

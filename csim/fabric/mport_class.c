/* SPDX-License-Identifier: Apache-2.0 */
/* mport_class.c - mport_switch as a device of a fabric (docs/fabric.md) */
#include "fabric/mport_class.h"

#include <loom/bits.h>

#include "fabric/chassis_class.h"

struct device {
  struct loom_mport_switch s;
  struct loom_chassis_time time;
};

/* ---- step, write ----------------------------------------------------------------------------- */

static void cycle(void *twin, const struct loom_chassis_arrival *in) {
  loom_mport_switch_cycle(twin, in);
}

static void skip(void *twin, uint64_t cycles) { loom_mport_switch_skip(twin, cycles); }

static const struct loom_chassis_kind kind = {
    .cycle = cycle, .skip = skip, .last = LOOM_MPORT_RULE_CYCLES};

static uint32_t pause(const void *device, uint32_t addr) {
  return loom_chassis_class_pause(&kind, device, addr);
}

static void write_register(void *device, uint32_t addr, uint32_t data) {
  struct device *d = device;
  loom_chassis_class_write(&kind, &d->s, &d->time, addr, data);
}

static void step(void *device, uint64_t now, const struct loom_fabric_arrival *in,
                 const struct loom_fabric_show *show) {
  struct device *d = device;
  loom_chassis_class_step(&kind, &d->s, &d->time, now, in, show);
}

static bool sleeps(const void *device) { return loom_mport_switch_sleeps(device); }

/* ---- waits ----------------------------------------------------------------------------------- */

static uint32_t waits(const void *device, uint32_t number, struct loom_fabric_wait *list,
                      uint32_t max) {
  const struct loom_mport_switch *s = device;
  struct loom_chassis_waits w = {
      .chassis = &s->chassis, .device = number, .wait = list, .max = max};
  for (uint32_t port = 0; port < s->chassis.ports; port++)
    for (uint32_t set = loom_mport_switch_heads(s, port); set; set &= set - 1) {
      struct loom_mport_goal goal = loom_mport_switch_goal(s, port, loom_ctz(set));
      loom_chassis_waits_input(&w, port, loom_ctz(set), goal.out, goal.lane);
    }
  loom_chassis_waits_outputs(&w);
  return w.count;
}

/* ---- the class ------------------------------------------------------------------------------- */

const struct loom_fabric_class loom_mport_switch_class = {.name = "mport_switch",
                                                          .apart = true,
                                                          .step = step,
                                                          .sleeps = sleeps,
                                                          .write = write_register,
                                                          .pause = pause,
                                                          .waits = waits};

struct loom_mport_switch *loom_mport_switch_new(struct loom_fabric *f,
                                                const struct loom_mport_switch_cfg *cfg) {
  bool ok = loom_mport_switch_cfg_ok(cfg);
  struct device *d = ok ? loom_fabric_memory(f, sizeof *d) : NULL;
  void *storage = d ? loom_fabric_memory(f, loom_mport_switch_storage_size(cfg)) : NULL;
  if (!storage)
    return NULL;
  d->time = (struct loom_chassis_time){.due = 0};
  loom_mport_switch_start(&d->s, cfg, storage);
  return &d->s;
}

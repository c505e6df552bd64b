/* SPDX-License-Identifier: Apache-2.0 */
/* crossbar_class.c - crossbar_switch as a device of a fabric (docs/fabric.md) */
#include "fabric/crossbar_class.h"

#include <loom/bits.h>

#include "fabric/chassis_class.h"

struct loom_crossbar_device {
  struct loom_crossbar_switch s;
  struct loom_chassis_time time;
};

/* ---- step, write ----------------------------------------------------------------------------- */

static void cycle(void *twin, const struct loom_chassis_arrival *in) {
  loom_crossbar_switch_cycle(twin, in);
}

static void skip(void *twin, uint64_t cycles) { loom_crossbar_switch_skip(twin, cycles); }

static const struct loom_chassis_kind kind = {
    .cycle = cycle, .skip = skip, .last = LOOM_CHASSIS_PACE};

static void write_register(void *device, uint32_t addr, uint32_t data) {
  struct loom_crossbar_device *d = device;
  loom_chassis_class_write(&kind, &d->s, &d->time, addr, data);
}

static uint32_t pause(const void *device, uint32_t addr) {
  return loom_chassis_class_pause(&kind, device, addr);
}

static void step(void *device, uint64_t now, const struct loom_fabric_arrival *in,
                 const struct loom_fabric_show *show) {
  struct loom_crossbar_device *d = device;
  loom_chassis_class_step(&kind, &d->s, &d->time, now, in, show);
}

static bool sleeps(const void *device) {
  const struct loom_crossbar_device *d = device;
  return loom_crossbar_switch_sleeps(&d->s);
}

/* ---- waits ----------------------------------------------------------------------------------- */

static void input_waits(struct loom_chassis_waits *w, const struct loom_crossbar_switch *s,
                        uint32_t port) {
  const struct loom_alloc_source *source = &s->alloc.source[port];
  for (uint32_t set = source->present; set; set &= set - 1) {
    uint32_t lane = loom_ctz(set);
    const struct loom_alloc_record *r = &source->record[lane];
    loom_chassis_waits_input(w, port, lane, r->target, r->vl);
  }
}

static uint32_t waits(const void *device, uint32_t number, struct loom_fabric_wait *list,
                      uint32_t max) {
  const struct loom_crossbar_device *d = device;
  struct loom_chassis_waits w = {
      .chassis = &d->s.chassis, .device = number, .wait = list, .max = max};
  for (uint32_t port = 0; port < d->s.chassis.ports; port++)
    input_waits(&w, &d->s, port);
  loom_chassis_waits_outputs(&w);
  return w.count;
}

/* ---- the class ------------------------------------------------------------------------------- */

const struct loom_fabric_class loom_crossbar_switch_class = {.name = "crossbar_switch",
                                                             .step = step,
                                                             .sleeps = sleeps,
                                                             .write = write_register,
                                                             .pause = pause,
                                                             .waits = waits};

static bool make(struct loom_crossbar_device *d, struct loom_fabric *f,
                 const struct loom_crossbar_switch_cfg *cfg, bool packets) {
  size_t size = packets ? loom_crossbar_switch_packets_size(cfg) : 0;
  void *storage = loom_fabric_memory(f, loom_crossbar_switch_storage_size(cfg));
  void *besides = size ? loom_fabric_memory(f, size) : NULL;
  if (!storage || (size && !besides))
    return false;
  d->time = (struct loom_chassis_time){.due = 0};
  loom_crossbar_switch_init(&d->s, cfg, storage);
  if (packets)
    loom_crossbar_switch_follow_packets(&d->s, cfg, besides);
  return true;
}

static struct loom_crossbar_device *
make_new(struct loom_fabric *f, const struct loom_crossbar_switch_cfg *cfg, bool packets) {
  bool ok = loom_crossbar_switch_cfg_ok(cfg);
  struct loom_crossbar_device *d = ok ? loom_fabric_memory(f, sizeof *d) : NULL;
  return d && make(d, f, cfg, packets) ? d : NULL;
}

struct loom_crossbar_device *loom_crossbar_switch_new(struct loom_fabric *f,
                                                      const struct loom_crossbar_switch_cfg *cfg) {
  return make_new(f, cfg, false);
}

struct loom_crossbar_device *loom_crossbar_packets_new(struct loom_fabric *f,
                                                       const struct loom_crossbar_switch_cfg *cfg) {
  return make_new(f, cfg, true);
}

/* ---- both engines side by side --------------------------------------------------------------- */

/* The stepped twin stands first, so that a pair is such a device. */
struct pair {
  struct loom_crossbar_device twin, packets;
  struct loom_crossbar_difference difference;
};

static void write_pair(void *device, uint32_t addr, uint32_t data) {
  struct pair *p = device;
  write_register(&p->twin, addr, data);
  write_register(&p->packets, addr, data);
}

/* Ports of both sets whose numbers differ. */
static uint64_t unlike(uint64_t set, const uint8_t *a, const uint8_t *b) {
  uint64_t ports = 0;
  for (; set; set &= set - 1)
    ports |= a[loom_ctz(set)] != b[loom_ctz(set)] ? set & -set : 0;
  return ports;
}

static uint64_t unlike_words(uint64_t set, const uint64_t *a, const uint64_t *b) {
  uint64_t ports = 0;
  for (; set; set &= set - 1)
    ports |= a[loom_ctz(set)] != b[loom_ctz(set)] ? set & -set : 0;
  return ports;
}

/* The first cycle in which a pair differs is kept. */
static void note(struct pair *p, uint64_t now, uint64_t ports, const char *what,
                 const uint8_t *lane) {
  if (!ports || p->difference.what)
    return;
  uint32_t port = loom_ctz(ports);
  p->difference = (struct loom_crossbar_difference){
      .what = what, .cycle = now, .port = port, .vl = lane ? lane[port] : 0};
}

static void compare(struct pair *p, uint64_t now) {
  const struct loom_chassis_shown *a = &p->twin.s.chassis.shown, *b = &p->packets.s.chassis.shown;
  uint64_t both = a->valid & b->valid;
  note(p, now, a->head ^ b->head, "head", (a->head & ~b->head) ? a->vl : b->vl);
  note(p, now, a->tail ^ b->tail, "tail", (a->tail & ~b->tail) ? a->vl : b->vl);
  note(p, now, a->valid ^ b->valid, "flit", (a->valid & ~b->valid) ? a->vl : b->vl);
  note(p, now, unlike(both, a->vl, b->vl), "lane of a flit", a->vl);
  note(p, now, unlike_words(both, a->data, b->data), "word of a flit", a->vl);
  note(p, now, a->credit ^ b->credit, "credit", (a->credit & ~b->credit) ? a->cr_vl : b->cr_vl);
  note(p, now, unlike(a->credit & b->credit, a->cr_vl, b->cr_vl), "lane of a credit", a->cr_vl);
}

static void step_pair(void *device, uint64_t now, const struct loom_fabric_arrival *in,
                      const struct loom_fabric_show *show) {
  struct pair *p = device;
  loom_chassis_class_cycle(&kind, &p->packets.s, &p->packets.time, now, in);
  step(&p->twin, now, in, show);
  compare(p, now);
  if (sleeps(&p->twin) != sleeps(&p->packets))
    note(p, now, 1, "rest", NULL);
}

const struct loom_fabric_class loom_crossbar_pair_class = {.name = "crossbar_switch",
                                                           .step = step_pair,
                                                           .sleeps = sleeps,
                                                           .write = write_pair,
                                                           .pause = pause,
                                                           .waits = waits};

struct loom_crossbar_device *loom_crossbar_pair_new(struct loom_fabric *f,
                                                    const struct loom_crossbar_switch_cfg *cfg) {
  bool ok = loom_crossbar_switch_cfg_ok(cfg);
  struct pair *p = ok ? loom_fabric_memory(f, sizeof *p) : NULL;
  if (!p || !make(&p->twin, f, cfg, false) || !make(&p->packets, f, cfg, true))
    return NULL;
  p->difference.what = NULL;
  return &p->twin;
}

const struct loom_crossbar_difference *
loom_crossbar_pair_difference(const struct loom_crossbar_device *pair) {
  const struct pair *p = (const struct pair *)pair;
  return p->difference.what ? &p->difference : NULL;
}

struct loom_crossbar_switch *loom_crossbar_pair_packets(struct loom_crossbar_device *pair) {
  struct pair *p = (struct pair *)pair;
  return &p->packets.s;
}

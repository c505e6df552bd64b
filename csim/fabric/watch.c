/* SPDX-License-Identifier: Apache-2.0 */
/* watch.c - counts what arrives at devices (docs/fabric.md) */
#include "fabric/watch.h"

#include <loom/bits.h>
#include <stdlib.h>

/* What stands in the place of a device. */
struct watched {
  const struct loom_watch *watch;
  uint32_t number;
  const struct loom_fabric_class *inner; /* NULL: of another process, whose counts come here */
  void *state;
  loom_watch_step *after;          /* of those who hear of steps */
  void *steps;                     /* their context */
  struct loom_fabric_class class;  /* as the inner one, but for what takes a state */
  struct loom_watch_count count[]; /* by port and VL */
};

struct loom_watch {
  uint32_t devices;
  loom_watch_head *head; /* NULL: nobody hears of heads */
  void *context;
  loom_watch_flits *flits; /* NULL: nobody hears of flits */
  void *flits_context;
  struct watched *device[];
};

struct loom_watch *loom_watch_create(uint32_t devices) {
  struct loom_watch *w = calloc(1, sizeof *w + devices * sizeof(struct watched *));
  if (w)
    w->devices = devices;
  return w;
}

void loom_watch_destroy(struct loom_watch *w) {
  for (uint32_t i = 0; w && i < w->devices; i++)
    free(w->device[i]);
  free(w);
}

void loom_watch_on_head(struct loom_watch *w, loom_watch_head *head, void *context) {
  w->head = head;
  w->context = context;
}

void loom_watch_on_flits(struct loom_watch *w, loom_watch_flits *flits, void *context) {
  w->flits = flits;
  w->flits_context = context;
  for (uint32_t i = 0; i < w->devices; i++)
    if (w->device[i])
      w->device[i]->class.apart = false; /* who hears of flits does so in order */
}

static void count(struct watched *d, const struct loom_fabric_arrival *in) {
  for (uint64_t set = in->valid; set; set &= set - 1) {
    uint32_t port = loom_ctz(set);
    d->count[port * LOOM_VLS + in->port[port].vl % LOOM_VLS].flits++;
  }
  for (uint64_t set = in->valid & in->head; set; set &= set - 1) {
    uint32_t port = loom_ctz(set);
    d->count[port * LOOM_VLS + in->port[port].vl % LOOM_VLS].packets++;
    if (d->watch->head)
      d->watch->head(d->watch->context, d->number, port, in->port[port].data);
  }
}

static void look(struct watched *d, uint64_t now, const struct loom_fabric_arrival *in) {
  count(d, in);
  if (d->watch->flits && in->valid)
    d->watch->flits(d->watch->flits_context, d->number, now, in);
}

static void step(void *device, uint64_t now, const struct loom_fabric_arrival *in,
                 const struct loom_fabric_show *show) {
  struct watched *d = device;
  look(d, now, in);
  d->inner->step(d->state, now, in, show);
}

static void step_heard(void *device, uint64_t now, const struct loom_fabric_arrival *in,
                       const struct loom_fabric_show *show) {
  struct watched *d = device;
  look(d, now, in);
  d->inner->step(d->state, now, in, show);
  d->after(d->steps, now, in);
}

static bool sleeps(const void *device) {
  const struct watched *d = device;
  return d->inner->sleeps(d->state);
}

static void write_register(void *device, uint32_t addr, uint32_t data) {
  const struct watched *d = device;
  d->inner->write(d->state, addr, data);
}

static bool load(void *device, uint32_t addr, uint32_t data) {
  const struct watched *d = device;
  return d->inner->load(d->state, addr, data);
}

static uint32_t waits(const void *device, uint32_t number, struct loom_fabric_wait *list,
                      uint32_t max) {
  const struct watched *d = device;
  return d->inner->waits(d->state, number, list, max);
}

static struct watched *new_watched(const struct loom_watch *w, uint32_t device, uint32_t ports) {
  struct watched *d = device < w->devices
                          ? calloc(1, sizeof *d + (size_t)ports * LOOM_VLS * sizeof d->count[0])
                          : NULL;
  if (d)
    *d = (struct watched){.watch = w, .number = device};
  return d;
}

bool loom_watch_keep(struct loom_watch *w, uint32_t device, uint32_t ports) {
  if (device < w->devices && !w->device[device])
    w->device[device] = new_watched(w, device, ports);
  return device < w->devices && w->device[device];
}

bool loom_watch_device(struct loom_watch *w, struct loom_fabric *f, uint32_t device) {
  const struct loom_fabric_class *inner = loom_fabric_class_of(f, device);
  uint32_t ports = inner->ports ? inner->ports : LOOM_FABRIC_PORTS;
  struct watched *d = new_watched(w, device, ports);
  if (!d)
    return false;
  d->inner = inner;
  d->state = loom_fabric_device(f, device);
  d->class = *inner;
  d->class.step = step;
  d->class.streams = false;                  /* each flit is counted */
  d->class.apart = inner->apart && !w->head; /* who hears of heads does so in order */
  d->class.spare = NULL;
  d->class.sleeps = sleeps;
  d->class.write = inner->write ? write_register : NULL;
  d->class.load = inner->load ? load : NULL;
  d->class.waits = inner->waits ? waits : NULL;
  w->device[device] = d;
  loom_fabric_replace(f, device, &d->class, d);
  return true;
}

void loom_watch_on_step(struct loom_watch *w, uint32_t device, loom_watch_step *after,
                        void *context) {
  struct watched *d = w->device[device];
  d->after = after;
  d->steps = context;
  d->class.step = step_heard;
  d->class.apart = false;
}

void loom_watch_finish(struct loom_watch *w, struct loom_fabric *f) {
  for (uint32_t i = 0; i < w->devices; i++)
    for (uint32_t ahead = 0; w->device[i] && ahead < loom_fabric_places(f); ahead++)
      count(w->device[i], loom_fabric_coming(f, i, ahead));
}

const struct loom_watch_count *loom_watch_count(const struct loom_watch *w, uint32_t device,
                                                uint32_t port, uint32_t vl) {
  return &w->device[device]->count[port * LOOM_VLS + vl];
}

void loom_watch_put(struct loom_watch *w, uint32_t device, uint32_t port, uint32_t vl,
                    const struct loom_watch_count *count) {
  w->device[device]->count[port * LOOM_VLS + vl] = *count;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* crossbar_class.c - crossbar_switch as a device of a fabric (docs/fabric.md)
 *
 * The switch wants time that the fabric does not give: to sweep its memories, between two writes of
 * its tables, and until an access has come to all of its ports. It has that before the first cycle
 * of the fabric. */
#include "fabric/crossbar_class.h"

#include <assert.h>
#include <loom/bits.h>

enum { VL_MGMT = 15 };

struct loom_crossbar_device {
  struct loom_crossbar_switch s;
  uint64_t due; /* the fabric's cycle that is stepped next, if none is left out */
  bool begun;
};

/* ---- step, write ----------------------------------------------------------------------------- */

static void rest(struct loom_crossbar_switch *s, uint32_t cycles) {
  const struct loom_chassis_arrival nothing = {0};
  while (cycles-- > 0)
    loom_crossbar_switch_cycle(s, &nothing);
}

static void write_register(void *device, uint32_t addr, uint32_t data) {
  struct loom_crossbar_device *d = device;
  const struct loom_chassis_arrival access = {.reg_we = true, .reg_addr = addr, .reg_wdata = data};
  bool map = (addr & LOOM_SWITCH_WIN_MAP) != 0 && addr < LOOM_SWITCH_REG_LFT;
  assert(!d->begun);
  loom_crossbar_switch_cycle(&d->s, &access);
  if (addr < LOOM_SWITCH_REG_LFT && !map)
    rest(&d->s, LOOM_CHASSIS_PACE - 1);
}

/* The accesses are done before the first flit can come. */
static void begin(struct loom_crossbar_device *d) {
  d->begun = true;
  rest(&d->s, d->s.chassis.ports + LOOM_CHASSIS_PACE); /* so far the last access has to go */
}

static void show_links(const struct loom_chassis_shown *shown,
                       const struct loom_fabric_show *show) {
  const struct loom_fabric_shown all = {.valid = shown->valid,
                                        .head = shown->head,
                                        .tail = shown->tail,
                                        .credit = shown->credit,
                                        .vl = shown->vl,
                                        .cr_vl = shown->cr_vl,
                                        .data = shown->data};
  loom_fabric_show(show, &all);
}

/* A cycle of the fabric; what it shows is in `shown` of the chassis. */
static void cycle(struct loom_crossbar_device *d, uint64_t now,
                  const struct loom_fabric_arrival *in) {
  const struct loom_chassis_arrival arrival = {.valid = in->valid,
                                               .head = in->head,
                                               .tail = in->tail,
                                               .credit = in->credit,
                                               .port = in->port};
  if (!d->begun)
    begin(d);
  if (now != d->due)
    loom_crossbar_switch_skip(&d->s, now - d->due);
  d->due = now + 1;
  loom_crossbar_switch_cycle(&d->s, &arrival);
}

static void step(void *device, uint64_t now, const struct loom_fabric_arrival *in,
                 const struct loom_fabric_show *show) {
  struct loom_crossbar_device *d = device;
  cycle(d, now, in);
  if (d->s.chassis.shown.valid | d->s.chassis.shown.credit)
    show_links(&d->s.chassis.shown, show);
}

static bool sleeps(const void *device) {
  const struct loom_crossbar_device *d = device;
  return loom_crossbar_switch_sleeps(&d->s);
}

/* ---- waits ----------------------------------------------------------------------------------- */

struct list {
  const struct loom_crossbar_switch *s;
  uint32_t device;
  struct loom_fabric_wait *wait;
  uint32_t count, max;
};

static struct loom_fabric_place place(const struct list *l, uint32_t port, uint32_t lane,
                                      bool output) {
  uint32_t vl = lane == loom_min(VL_MGMT, l->s->chassis.vls - 1) ? VL_MGMT : lane;
  return (struct loom_fabric_place){
      .device = l->device, .port = (uint8_t)port, .vl = (uint8_t)vl, .output = output};
}

static void add(struct list *l, struct loom_fabric_place from, struct loom_fabric_place to) {
  if (l->count < l->max)
    l->wait[l->count] = (struct loom_fabric_wait){.from = from, .to = to};
  l->count++;
}

static void input_waits(struct list *l, uint32_t port) {
  const struct loom_alloc_source *source = &l->s->alloc.source[port];
  for (uint32_t set = source->present; set; set &= set - 1) {
    uint32_t lane = loom_ctz(set);
    const struct loom_alloc_record *r = &source->record[lane];
    add(l, place(l, port, lane, false), place(l, r->target, r->vl, true));
  }
}

static void output_waits(struct list *l, uint32_t port) {
  const struct loom_output_unit *o = &l->s->chassis.port[port].output;
  for (uint32_t set = o->waits & ~o->tracker.room; set; set &= set - 1) {
    struct loom_fabric_place here = place(l, port, loom_ctz(set), true);
    add(l, here, here);
  }
}

static uint32_t waits(const void *device, uint32_t number, struct loom_fabric_wait *list,
                      uint32_t max) {
  const struct loom_crossbar_device *d = device;
  struct list l = {.s = &d->s, .device = number, .wait = list, .max = max};
  for (uint32_t port = 0; port < l.s->chassis.ports; port++) {
    input_waits(&l, port);
    output_waits(&l, port);
  }
  return l.count;
}

/* ---- the class ------------------------------------------------------------------------------- */

const struct loom_fabric_class loom_crossbar_switch_class = {.name = "crossbar_switch",
                                                             .step = step,
                                                             .sleeps = sleeps,
                                                             .write = write_register,
                                                             .waits = waits};

static bool make(struct loom_crossbar_device *d, struct loom_fabric *f,
                 const struct loom_crossbar_switch_cfg *cfg, bool packets) {
  size_t size = packets ? loom_crossbar_switch_packets_size(cfg) : 0;
  void *storage = loom_fabric_memory(f, loom_crossbar_switch_storage_size(cfg));
  void *besides = size ? loom_fabric_memory(f, size) : NULL;
  if (!storage || (size && !besides))
    return false;
  d->due = 0;
  d->begun = false;
  loom_crossbar_switch_init(&d->s, cfg, storage);
  if (packets)
    loom_crossbar_switch_follow_packets(&d->s, cfg, besides);
  rest(&d->s, LOOM_CHASSIS_START);
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

const struct loom_crossbar_switch *
loom_crossbar_device_switch(const struct loom_crossbar_device *device) {
  return &device->s;
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
  cycle(&p->packets, now, in);
  step(&p->twin, now, in, show);
  compare(p, now);
  if (sleeps(&p->twin) != sleeps(&p->packets))
    note(p, now, 1, "rest", NULL);
}

const struct loom_fabric_class loom_crossbar_pair_class = {.name = "crossbar_switch",
                                                           .step = step_pair,
                                                           .sleeps = sleeps,
                                                           .write = write_pair,
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

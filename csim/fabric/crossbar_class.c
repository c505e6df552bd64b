/* SPDX-License-Identifier: Apache-2.0 */
/* crossbar_class.c - crossbar_switch as a device of a fabric (docs/fabric.md) */
#include "fabric/crossbar_class.h"

#include <loom/bits.h>
#include <string.h>

#include "fabric/chassis_class.h"
#include "fabric/packets.h"
#include "switch/chassis_state.h"

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

/* ---- packets --------------------------------------------------------------------------------- */

static uint64_t word_of(void *packets, uint32_t packet, uint32_t place) {
  return loom_packets_word(packets, packet, place);
}

static void remove_packet(void *packets, uint32_t packet) { loom_packets_remove(packets, packet); }

static void step_packets(void *device, uint64_t now, const struct loom_fabric_arrival *in,
                         const struct loom_fabric_show *show) {
  struct loom_crossbar_device *d = device;
  if (!d->time.begun)
    d->s.chassis.packets->carries = loom_fabric_streams(show->fabric, show->device);
  step(device, now, in, show);
}

static uint64_t spare(const void *device) {
  const struct loom_crossbar_device *d = device;
  return loom_crossbar_switch_spare(&d->s);
}

/* ---- waits ----------------------------------------------------------------------------------- */

static void input_waits(struct loom_chassis_waits *w, const struct loom_crossbar_switch *s,
                        uint32_t port) {
  const struct loom_alloc_source *source = &s->alloc.source[port];
  for (uint32_t set = source->present; set; set &= set - 1) {
    uint32_t lane = loom_ctz(set);
    const struct loom_alloc_record *r = &source->record[lane];
    loom_chassis_waits_input(w, port, lane, r->target, loom_crossbar_switch_lane(s, r->vl));
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
                                                             .apart = true,
                                                             .step = step,
                                                             .sleeps = sleeps,
                                                             .write = write_register,
                                                             .pause = pause,
                                                             .waits = waits};

const struct loom_fabric_class loom_crossbar_packets_class = {.name = "crossbar_switch",
                                                              .streams = true,
                                                              .step = step_packets,
                                                              .sleeps = sleeps,
                                                              .spare = spare,
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
  loom_crossbar_switch_start(&d->s, cfg, storage);
  if (packets) {
    loom_crossbar_switch_follow_packets(&d->s, cfg, besides);
    d->s.chassis.packets->source =
        (struct loom_chassis_source){word_of, remove_packet, loom_fabric_packets(f)};
  }
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

uint32_t loom_crossbar_device_used(const struct loom_crossbar_device *device, uint64_t now,
                                   uint32_t port, bool output) {
  uint64_t behind = device->time.begun ? now - device->time.due : 0;
  return loom_chassis_used(&device->s.chassis, port, output, behind);
}

/* ---- both engines side by side --------------------------------------------------------------- */

/* A packet on a link, and how many of its flits came so far. */
struct flow {
  struct loom_packets_entry words;
  bool known; /* they stand in the fabric */
  uint32_t place;
};

/* The stepped twin stands first, so that a pair is such a device. */
struct pair {
  struct loom_crossbar_device twin, packets;
  struct loom_crossbar_difference difference;
  uint64_t streams; /* that came in the last cycle */
  uint64_t due;     /* the other one goes on in this cycle, if nothing comes before */
  struct flow in[LOOM_CHASSIS_PORTS], out[LOOM_CHASSIS_PORTS];
  struct loom_link_in port[LOOM_CHASSIS_PORTS]; /* of the twin: with all words */
};

static void write_pair(void *device, uint32_t addr, uint32_t data) {
  struct pair *p = device;
  write_register(&p->twin, addr, data);
  write_register(&p->packets, addr, data);
}

/* A head whose packet stands in the fabric, or not: 0. */
static void begin_flow(struct flow *f, const struct loom_packets *packets, uint32_t packet) {
  f->known = packet != 0;
  f->place = 0;
  if (packet)
    f->words = packets->entry[packet - 1];
}

/* The word of its next flit. */
static uint64_t next_word(struct flow *f) {
  uint32_t place = f->place++;
  return place ? loom_packet_flit(f->words.key, f->words.offset, place) : f->words.head;
}

/* What comes, flit by flit. */
static struct loom_chassis_arrival every_flit(struct pair *p, const struct loom_fabric_arrival *in,
                                              const struct loom_packets *packets) {
  uint64_t valid = in->valid | in->stream;
  for (uint64_t left = valid | in->credit; left; left &= left - 1)
    p->port[loom_ctz(left)] = in->port[loom_ctz(left)];
  for (uint64_t left = valid; left; left &= left - 1) {
    uint32_t port = loom_ctz(left);
    if (left & -left & in->head)
      begin_flow(&p->in[port], packets, in->port[port].packet);
    if (p->in[port].known)
      p->port[port].data = next_word(&p->in[port]);
  }
  return (struct loom_chassis_arrival){
      .valid = valid, .head = in->head, .tail = in->tail, .credit = in->credit, .port = p->port};
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

/* The words of what the other one shows, where they do not stand with the flits. */
static void find_words(struct pair *p, const struct loom_packets *packets, uint64_t data[]) {
  const struct loom_chassis_shown *b = &p->packets.s.chassis.shown;
  for (uint64_t left = b->valid | b->stream; left; left &= left - 1) {
    uint32_t port = loom_ctz(left);
    if (left & -left & b->head)
      begin_flow(&p->out[port], packets, b->packet[port]);
    data[port] = p->out[port].known ? next_word(&p->out[port]) : b->data[port];
  }
}

static void compare(struct pair *p, uint64_t now, const struct loom_packets *packets) {
  const struct loom_chassis_shown *a = &p->twin.s.chassis.shown, *b = &p->packets.s.chassis.shown;
  uint64_t flits = b->valid | b->stream, both = a->valid & flits, data[LOOM_CHASSIS_PORTS];
  find_words(p, packets, data);
  note(p, now, a->head ^ b->head, "head", (a->head & ~b->head) ? a->vl : b->vl);
  note(p, now, a->tail ^ b->tail, "tail", (a->tail & ~b->tail) ? a->vl : b->vl);
  note(p, now, a->valid ^ flits, "flit", (a->valid & ~flits) ? a->vl : b->vl);
  note(p, now, unlike(both, a->vl, b->vl), "lane of a flit", a->vl);
  note(p, now, unlike_words(both, a->data, data), "word of a flit", a->vl);
  note(p, now, a->credit ^ b->credit, "credit", (a->credit & ~b->credit) ? a->cr_vl : b->cr_vl);
  note(p, now, unlike(a->credit & b->credit, a->cr_vl, b->cr_vl), "lane of a credit", a->cr_vl);
}

/* While nothing comes the one that follows packets makes its pauses; what it showed of streams
 * stays. */
static void step_other(struct pair *p, uint64_t now, const struct loom_fabric_arrival *in,
                       const struct loom_fabric_show *show) {
  struct loom_chassis_shown *shown = &p->packets.s.chassis.shown;
  uint64_t comes = in->valid | in->credit | (in->stream ^ p->streams);
  p->streams = in->stream;
  if (comes || now >= p->due) {
    step_packets(&p->packets, now, in, show);
    p->due = now + 1 + spare(&p->packets);
    return;
  }
  shown->valid = shown->head = shown->tail = shown->credit = 0;
}

/* The fabric sees what the one that follows packets shows: the twin shows the same. */
static void step_pair(void *device, uint64_t now, const struct loom_fabric_arrival *in,
                      const struct loom_fabric_show *show) {
  struct pair *p = device;
  const struct loom_packets *packets = loom_fabric_packets(show->fabric);
  const struct loom_chassis_arrival all = every_flit(p, in, packets);
  step_other(p, now, in, show);
  loom_chassis_class_arrive(&kind, &p->twin.s, &p->twin.time, now, &all);
  compare(p, now, packets);
  if (sleeps(&p->twin) != sleeps(&p->packets))
    note(p, now, 1, "rest", NULL);
}

const struct loom_fabric_class loom_crossbar_pair_class = {.name = "crossbar_switch",
                                                           .streams = true,
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
  p->streams = p->due = 0;
  memset(p->in, 0, sizeof p->in);
  memset(p->out, 0, sizeof p->out);
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

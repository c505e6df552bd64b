/* SPDX-License-Identifier: Apache-2.0 */
/* preempt_class.c - a switch whose links preempt, as a device of a fabric (docs/preemption.md) */
#include "fabric/preempt_class.h"

#include <loom/bits.h>

#include "switch/link_preempt.h"

enum { NORMAL, EXPRESS, CLASSES };

struct loom_preempt_device {
  struct loom_crossbar_device plane[CLASSES]; /* `shown` of the first one is that of the device */
  struct loom_chassis_time time;
  uint32_t express; /* VLs */
  uint64_t held;    /* outputs of the normal plane whose link has hold_o */
  uint64_t interrupts, errors;
  uint32_t most_waiting;
  struct loom_link_preempt link[LOOM_CHASSIS_PORTS];
};

/* What comes to one plane. */
struct plane_in {
  struct loom_chassis_arrival arrival;
  struct loom_link_in port[LOOM_CHASSIS_PORTS];
};

/* ---- between links and planes ---------------------------------------------------------------- */

static void put_bit(uint64_t *set, uint32_t port, bool is) { *set |= (uint64_t)is << port; }

/* Accesses come to both planes. */
static void begin_plane(struct plane_in *to, const struct loom_chassis_arrival *in) {
  to->arrival = (struct loom_chassis_arrival){.port = to->port,
                                              .reg_we = in->reg_we,
                                              .reg_re = in->reg_re,
                                              .reg_addr = in->reg_addr,
                                              .reg_wdata = in->reg_wdata};
}

/* What a link shows to the plane of a class. */
static void to_plane(struct plane_in *to, uint32_t port, const struct loom_link_preempt_flit *f,
                     const struct loom_link_preempt_credit *credit) {
  put_bit(&to->arrival.valid, port, f->valid);
  put_bit(&to->arrival.head, port, f->head);
  put_bit(&to->arrival.tail, port, f->tail);
  put_bit(&to->arrival.credit, port, credit->valid);
  to->port[port] = (struct loom_link_in){.data = f->data, .vl = f->vl, .cr_vl = credit->vl};
}

static void hold(struct loom_preempt_device *d, uint32_t port) {
  struct loom_chassis *normal = &d->plane[NORMAL].s.chassis;
  bool holds = loom_fifo_valid(&d->link[port].data);
  if (loom_chassis_has(d->held, port) == holds)
    return;
  loom_chassis_put(&d->held, port, holds);
  normal->port[port].hold = holds;
  normal->output_awake |= 1ull << port;
}

/* The inputs of a link: what the planes show, and what comes. */
static struct loom_link_preempt_in link_in(const struct loom_preempt_device *d, uint32_t port,
                                           const struct loom_chassis_shown *n,
                                           const struct loom_chassis_arrival *in) {
  const struct loom_chassis_shown *x = &d->plane[EXPRESS].s.chassis.shown;
  struct loom_link_preempt_in to = {.express_vls = d->express};
  if (loom_chassis_has(n->valid, port)) {
    to.from_normal_valid = 1;
    to.from_normal_head = loom_chassis_has(n->head, port);
    to.from_normal_tail = loom_chassis_has(n->tail, port);
    to.from_normal_vl = n->vl[port];
    to.from_normal_data = n->data[port];
  }
  if (loom_chassis_has(x->valid, port)) {
    to.from_express_valid = 1;
    to.from_express_head = loom_chassis_has(x->head, port);
    to.from_express_tail = loom_chassis_has(x->tail, port);
    to.from_express_vl = x->vl[port];
    to.from_express_data = x->data[port];
  }
  to.normal_free_valid = loom_chassis_has(n->credit, port);
  to.normal_free_vl = to.normal_free_valid ? n->cr_vl[port] : 0;
  to.express_free_valid = loom_chassis_has(x->credit, port);
  to.express_free_vl = to.express_free_valid ? x->cr_vl[port] : 0;
  if (loom_chassis_has(in->valid, port)) {
    to.in_valid = 1;
    to.in_head = loom_chassis_has(in->head, port);
    to.in_tail = loom_chassis_has(in->tail, port);
    to.in_vl = in->port[port].vl;
    to.in_data = in->port[port].data;
  }
  if (loom_chassis_has(in->credit, port)) {
    to.out_cr_valid = 1;
    to.out_cr_vl = in->port[port].cr_vl;
  }
  return to;
}

/* What the link shows is what the device does. */
static void show(struct loom_chassis_shown *to, uint32_t port,
                 const struct loom_link_preempt_out *out) {
  put_bit(&to->valid, port, out->out_valid);
  put_bit(&to->head, port, out->out_head);
  put_bit(&to->tail, port, out->out_tail);
  put_bit(&to->credit, port, out->in_cr_valid);
  to->vl[port] = (uint8_t)out->out_vl;
  to->data[port] = out->out_data;
  to->cr_vl[port] = (uint8_t)out->in_cr_vl;
}

static void watch(struct loom_preempt_device *d, uint32_t port,
                  const struct loom_link_preempt_out *out) {
  d->interrupts += out->preempts;
  d->errors += out->error;
  d->most_waiting = loom_max(d->most_waiting, d->link[port].data.count);
}

/* ---- a cycle --------------------------------------------------------------------------------- */

static bool is_quiet(const struct loom_link_preempt *l) {
  return !l->out.valid && !l->to_normal.valid && !l->to_express.valid && !l->in_cr.valid &&
         !l->normal_cr.valid && !l->express_cr.valid && !loom_fifo_valid(&l->data) &&
         !loom_fifo_valid(&l->waiting);
}

/* All outputs of links and of planes are registers: the planes see what the links show, and the
 * links what both planes do. */
static void cycle(void *twin, const struct loom_chassis_arrival *in) {
  struct loom_preempt_device *d = twin;
  struct loom_chassis *normal = &d->plane[NORMAL].s.chassis;
  struct plane_in to[CLASSES];
  for (int i = 0; i < CLASSES; i++)
    begin_plane(&to[i], in);
  for (uint32_t port = 0; port < normal->ports; port++) {
    const struct loom_link_preempt *l = &d->link[port];
    to_plane(&to[NORMAL], port, &l->to_normal, &l->normal_cr);
    to_plane(&to[EXPRESS], port, &l->to_express, &l->express_cr);
    hold(d, port);
  }
  for (int i = 0; i < CLASSES; i++)
    loom_crossbar_switch_cycle(&d->plane[i].s, &to[i].arrival);
  const struct loom_chassis_shown shown = normal->shown;
  normal->shown.valid = normal->shown.head = normal->shown.tail = normal->shown.credit = 0;
  for (uint32_t port = 0; port < normal->ports; port++) {
    const struct loom_link_preempt_in link = link_in(d, port, &shown, in);
    struct loom_link_preempt_out out;
    loom_link_preempt_step(&d->link[port], &link, &out);
    show(&normal->shown, port, &out);
    watch(d, port, &out);
  }
}

static void skip(void *twin, uint64_t cycles) {
  struct loom_preempt_device *d = twin;
  for (int i = 0; i < CLASSES; i++)
    loom_crossbar_switch_skip(&d->plane[i].s, cycles);
}

static const struct loom_chassis_kind kind = {
    .cycle = cycle, .skip = skip, .last = LOOM_CHASSIS_PACE};

/* ---- the class ------------------------------------------------------------------------------- */

static void write_register(void *device, uint32_t addr, uint32_t data) {
  struct loom_preempt_device *d = device;
  loom_chassis_class_write(&kind, d, &d->time, addr, data);
}

static uint32_t pause(const void *device, uint32_t addr) {
  return loom_chassis_class_pause(&kind, device, addr);
}

static void step(void *device, uint64_t now, const struct loom_fabric_arrival *in,
                 const struct loom_fabric_show *to) {
  struct loom_preempt_device *d = device;
  loom_chassis_class_step(&kind, d, &d->time, now, in, to);
}

static bool sleeps(const void *device) {
  const struct loom_preempt_device *d = device;
  bool quiet = !d->held;
  for (uint32_t port = 0; quiet && port < d->plane[NORMAL].s.chassis.ports; port++)
    quiet = is_quiet(&d->link[port]);
  return quiet && loom_crossbar_switch_sleeps(&d->plane[NORMAL].s) &&
         loom_crossbar_switch_sleeps(&d->plane[EXPRESS].s);
}

/* Of both planes, one after the other. */
static uint32_t waits(const void *device, uint32_t number, struct loom_fabric_wait *list,
                      uint32_t max) {
  const struct loom_preempt_device *d = device;
  uint32_t count = 0;
  for (int i = 0; i < CLASSES; i++)
    count += loom_crossbar_switch_class.waits(&d->plane[i], number, list + loom_min(count, max),
                                              max - loom_min(count, max));
  return count;
}

const struct loom_fabric_class loom_preempt_class = {.name = "crossbar_switch",
                                                     .apart = true,
                                                     .step = step,
                                                     .sleeps = sleeps,
                                                     .write = write_register,
                                                     .pause = pause,
                                                     .waits = waits};

static bool make(struct loom_preempt_device *d, struct loom_fabric *f,
                 const struct loom_crossbar_switch_cfg *cfg) {
  const struct loom_link_preempt_cfg link = {.DEPTH = loom_preempt_depth(cfg->MTU_UNITS),
                                             .CREDITS = cfg->CELLS_IN};
  if (!loom_link_preempt_cfg_ok(&link))
    return false;
  for (int i = 0; i < CLASSES; i++) {
    void *storage = loom_fabric_memory(f, loom_crossbar_switch_storage_size(cfg));
    if (!storage)
      return false;
    loom_crossbar_switch_start(&d->plane[i].s, cfg, storage);
  }
  for (uint32_t port = 0; port < cfg->PORTS; port++) {
    void *storage = loom_fabric_memory(f, loom_link_preempt_storage_size(&link));
    if (!storage)
      return false;
    loom_link_preempt_init(&d->link[port], &link, storage);
  }
  return true;
}

struct loom_preempt_device *loom_preempt_new(struct loom_fabric *f,
                                             const struct loom_crossbar_switch_cfg *cfg,
                                             uint32_t express) {
  bool ok = loom_crossbar_switch_cfg_ok(cfg);
  struct loom_preempt_device *d = ok ? loom_fabric_memory(f, sizeof *d) : NULL;
  if (!d || !make(d, f, cfg))
    return NULL;
  d->express = express;
  return d;
}

uint64_t loom_preempt_interrupts(const struct loom_preempt_device *d) { return d->interrupts; }

uint32_t loom_preempt_most_waiting(const struct loom_preempt_device *d) { return d->most_waiting; }

uint64_t loom_preempt_errors(const struct loom_preempt_device *d) { return d->errors; }

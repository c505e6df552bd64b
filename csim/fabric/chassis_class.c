/* SPDX-License-Identifier: Apache-2.0 */
/* chassis_class.c - switches of the second edition as devices of a fabric (docs/fabric.md) */
#include "fabric/chassis_class.h"

#include <assert.h>
#include <loom/bits.h>

enum { VL_MGMT = 15 };

/* ---- step, write ----------------------------------------------------------------------------- */

static uint32_t ports_of(const void *twin) { return ((const struct loom_chassis *)twin)->ports; }

uint32_t loom_chassis_class_pause(const struct loom_chassis_kind *kind, const void *twin,
                                  uint32_t addr) {
  if (addr == LOOM_FABRIC_AFTER_RESET)
    return LOOM_CHASSIS_START;
  if (addr == LOOM_FABRIC_AFTER_WRITES) /* so far the last access has to go */
    return ports_of(twin) + kind->last;
  bool map = (addr & LOOM_SWITCH_WIN_MAP) != 0;
  return addr < LOOM_SWITCH_REG_LFT && !map ? LOOM_CHASSIS_PACE - 1 : 0;
}

static void rest(const struct loom_chassis_kind *kind, void *twin, uint32_t after) {
  const struct loom_chassis_arrival nothing = {0};
  for (uint32_t left = loom_chassis_class_pause(kind, twin, after); left > 0; left--)
    kind->cycle(twin, &nothing);
}

static void start(const struct loom_chassis_kind *kind, void *twin,
                  struct loom_chassis_time *time) {
  if (!time->started)
    rest(kind, twin, LOOM_FABRIC_AFTER_RESET);
  time->started = true;
}

void loom_chassis_class_write(const struct loom_chassis_kind *kind, void *twin,
                              struct loom_chassis_time *time, uint32_t addr, uint32_t data) {
  const struct loom_chassis_arrival access = {.reg_we = true, .reg_addr = addr, .reg_wdata = data};
  assert(!time->begun);
  start(kind, twin, time);
  kind->cycle(twin, &access);
  rest(kind, twin, addr);
}

/* The accesses are done before the first flit can come. */
static void begin(const struct loom_chassis_kind *kind, void *twin,
                  struct loom_chassis_time *time) {
  start(kind, twin, time);
  rest(kind, twin, LOOM_FABRIC_AFTER_WRITES);
  time->begun = true;
}

void loom_chassis_class_arrive(const struct loom_chassis_kind *kind, void *twin,
                               struct loom_chassis_time *time, uint64_t now,
                               const struct loom_chassis_arrival *arrival) {
  if (!time->begun)
    begin(kind, twin, time);
  if (now != time->due)
    kind->skip(twin, now - time->due);
  time->due = now + 1;
  kind->cycle(twin, arrival);
}

void loom_chassis_class_cycle(const struct loom_chassis_kind *kind, void *twin,
                              struct loom_chassis_time *time, uint64_t now,
                              const struct loom_fabric_arrival *in) {
  const struct loom_chassis_arrival arrival = {.valid = in->valid | in->stream,
                                               .head = in->head,
                                               .tail = in->tail,
                                               .credit = in->credit,
                                               .port = in->port};
  loom_chassis_class_arrive(kind, twin, time, now, &arrival);
}

static void show_links(const struct loom_chassis_shown *shown,
                       const struct loom_fabric_show *show) {
  const struct loom_fabric_shown all = {.valid = shown->valid,
                                        .head = shown->head,
                                        .tail = shown->tail,
                                        .credit = shown->credit,
                                        .vl = shown->vl,
                                        .cr_vl = shown->cr_vl,
                                        .data = shown->data,
                                        .stream = shown->stream,
                                        .packet = shown->packet};
  loom_fabric_show(show, &all);
}

void loom_chassis_class_step(const struct loom_chassis_kind *kind, void *twin,
                             struct loom_chassis_time *time, uint64_t now,
                             const struct loom_fabric_arrival *in,
                             const struct loom_fabric_show *show) {
  const struct loom_chassis *chassis = twin;
  loom_chassis_class_cycle(kind, twin, time, now, in);
  if (chassis->shown.valid | chassis->shown.credit | (chassis->shown.stream ^ time->streams))
    show_links(&chassis->shown, show);
  time->streams = chassis->shown.stream;
}

/* ---- waits ----------------------------------------------------------------------------------- */

static struct loom_fabric_place place(const struct loom_chassis_waits *w, uint32_t port,
                                      uint32_t lane, bool output) {
  uint32_t vl = lane == loom_min(VL_MGMT, w->chassis->vls - 1) ? VL_MGMT : lane;
  return (struct loom_fabric_place){
      .device = w->device, .port = (uint8_t)port, .vl = (uint8_t)vl, .output = output};
}

static void add(struct loom_chassis_waits *w, struct loom_fabric_place from,
                struct loom_fabric_place to) {
  if (w->count < w->max)
    w->wait[w->count] = (struct loom_fabric_wait){.from = from, .to = to};
  w->count++;
}

void loom_chassis_waits_input(struct loom_chassis_waits *w, uint32_t port, uint32_t lane,
                              uint32_t out, uint32_t out_lane) {
  add(w, place(w, port, lane, false), place(w, out, out_lane, true));
}

static void output_waits(struct loom_chassis_waits *w, uint32_t port) {
  const struct loom_output_unit *o = &w->chassis->port[port].output;
  for (uint32_t set = o->waits & ~o->tracker.room; set; set &= set - 1) {
    struct loom_fabric_place here = place(w, port, loom_ctz(set), true);
    add(w, here, here);
  }
}

void loom_chassis_waits_outputs(struct loom_chassis_waits *w) {
  for (uint32_t port = 0; port < w->chassis->ports; port++)
    output_waits(w, port);
}

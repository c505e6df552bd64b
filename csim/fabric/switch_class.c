/* SPDX-License-Identifier: Apache-2.0 */
/* switch_class.c - switches as devices of a fabric (docs/fabric.md)
 *
 * A step goes straight to the edge of csim/switch, with the sets of the arrival, and shows the
 * links that its own sets name. */
#include "fabric/switch_class.h"

enum { IN = LOOM_SWITCH_IN, CENTRAL = LOOM_SWITCH_CENTRAL, OUT = LOOM_SWITCH_OUT };

/* ---- step, write ----------------------------------------------------------------------------- */

static void show_links(const struct loom_switch *s, const struct loom_fabric_show *show) {
  const struct loom_fabric_shown all = {.valid = s->shown_out,
                                        .head = s->shown_head,
                                        .tail = s->shown_tail,
                                        .credit = s->shown_cr,
                                        .vl = s->shown.vl,
                                        .cr_vl = s->shown.cr_vl,
                                        .data = s->shown.data};
  loom_fabric_show(show, &all);
}

static void step(struct loom_switch *s, const struct loom_switch_family *family, uint64_t now,
                 const struct loom_fabric_arrival *in, const struct loom_fabric_show *show) {
  const struct loom_switch_in edge = {.valid = in->valid,
                                      .head = in->head,
                                      .tail = in->tail,
                                      .credit = in->credit,
                                      .port = in->port};
  if (s->shown_out | s->shown_cr)
    show_links(s, show);
  s->now = now;
  loom_switch_edge(s, family, &edge);
}

static void write_register(struct loom_switch *s, const struct loom_switch_family *family,
                           uint32_t addr, uint32_t data) {
  const struct loom_switch_in edge = {.reg_we = true, .reg_addr = addr, .reg_wdata = data};
  loom_switch_edge(s, family, &edge);
}

static bool sleeps(const void *device) { return loom_switch_sleeps(device); }

/* ---- waits ----------------------------------------------------------------------------------- */

struct list {
  const struct loom_switch *s;
  uint32_t device;
  struct loom_fabric_wait *wait;
  uint32_t count, max;
};

static struct loom_fabric_place place(const struct list *l, uint32_t port, uint32_t lane,
                                      bool output) {
  return (struct loom_fabric_place){
      .device = l->device, .port = (uint8_t)port, .vl = l->s->vl_of[lane], .output = output};
}

static void add(struct list *l, struct loom_fabric_place from, struct loom_fabric_place to) {
  if (l->count < l->max)
    l->wait[l->count] = (struct loom_fabric_wait){.from = from, .to = to};
  l->count++;
}

static struct loom_route head_route(const struct loom_switch *s, uint32_t tier, uint32_t index,
                                    uint32_t lane) {
  const struct loom_packet_queues *q = &s->buffer[tier][index];
  return loom_route_unpack(loom_packet_queues_head(q, lane)->info);
}

/* Where the head of an input goes: an output. On its way through a central buffer it waits behind
 * the head of its lane there, so for that one's output. */
static struct loom_fabric_place goal(const struct list *l, struct loom_route route) {
  const struct loom_switch *s = l->s;
  uint32_t index = LOOM_SWITCH_BUFFER_INDEX(route.target), out = route.out;
  if (LOOM_SWITCH_BUFFER_TIER(route.target) == CENTRAL &&
      s->buffer[CENTRAL][index].head_valid >> route.lane & 1)
    out = head_route(s, CENTRAL, index, route.lane).out;
  return place(l, out, route.lane, true);
}

static void input_waits(struct list *l, uint32_t port) {
  for (uint32_t set = l->s->buffer[IN][port].head_valid; set; set &= set - 1) {
    uint32_t lane = loom_ctz(set);
    struct loom_route route = head_route(l->s, IN, port, lane);
    if (!route.drop)
      add(l, place(l, port, lane, false), goal(l, route));
  }
}

static void output_waits(struct list *l, uint32_t port) {
  for (uint32_t set = l->s->output[port].stalled; set; set &= set - 1) {
    struct loom_fabric_place here = place(l, port, loom_ctz(set), true);
    add(l, here, here);
  }
}

static uint32_t waits(const void *device, uint32_t number, struct loom_fabric_wait *list,
                      uint32_t max) {
  struct list l = {.s = device, .device = number, .wait = list, .max = max};
  for (uint32_t port = 0; port < l.s->ports; port++) {
    input_waits(&l, port);
    output_waits(&l, port);
  }
  return l.count;
}

/* ---- the classes ----------------------------------------------------------------------------- */

/* Every struct begins with the core. What init does not touch of a large storage costs no memory.
 */
#define CLASS(N)                                                                                   \
  static void step_##N(void *device, uint64_t now, const struct loom_fabric_arrival *in,           \
                       const struct loom_fabric_show *show) {                                      \
    step(device, &loom_##N##_family, now, in, show);                                               \
  }                                                                                                \
  static void write_##N(void *device, uint32_t addr, uint32_t data) {                              \
    write_register(device, &loom_##N##_family, addr, data);                                        \
  }                                                                                                \
  const struct loom_fabric_class loom_##N##_class = {.name = #N,                                   \
                                                     .apart = true,                                \
                                                     .step = step_##N,                             \
                                                     .sleeps = sleeps,                             \
                                                     .write = write_##N,                           \
                                                     .waits = waits};                              \
  struct loom_##N *loom_##N##_new(struct loom_fabric *f, const struct loom_##N##_cfg *cfg) {       \
    bool ok = loom_##N##_cfg_ok(cfg);                                                              \
    struct loom_##N *s = ok ? loom_fabric_memory(f, sizeof *s) : NULL;                             \
    void *storage = s ? loom_fabric_memory(f, loom_##N##_storage_size(cfg)) : NULL;                \
    if (!storage)                                                                                  \
      return NULL;                                                                                 \
    loom_##N##_start(s, cfg, storage);                                                             \
    return s;                                                                                      \
  }

CLASS(ib_switch)
CLASS(opa_switch)
CLASS(kns_node)
CLASS(kns_switch)

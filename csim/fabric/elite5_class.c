/* SPDX-License-Identifier: Apache-2.0 */
/* elite5_class.c - Elite5 routers and Elan5 endpoints as devices of a fabric (docs/fabric.md) */
#include "fabric/elite5_class.h"

#include "elite5/elite5_header.h"

bool loom_elite5_is_spared(bool head, bool tail, uint64_t word) {
  return head && tail && loom_elite5_type_of(word) == LOOM_ELITE5_CONTROL;
}

/* ---- routers --------------------------------------------------------------------------------- */

struct loom_elite5_router *loom_elite5_router_new(struct loom_fabric *f,
                                                  const struct loom_elite5_router_cfg *cfg) {
  bool ok = loom_elite5_router_cfg_ok(cfg);
  struct loom_elite5_router *s = ok ? loom_fabric_memory(f, sizeof *s) : NULL;
  if (s)
    loom_elite5_router_start(s, cfg);
  return s;
}

void loom_elite5_router_catch_up(struct loom_elite5_router *s, uint64_t now) {
  if (s->now != now)
    loom_elite5_router_skip(s, now - s->now);
}

void loom_elite5_show(const struct loom_elite5_words *words, const struct loom_elite5_returns *back,
                      loom_links signal, const struct loom_fabric_show *show) {
  const struct loom_fabric_shown all = {.valid = words->valid,
                                        .head = words->head,
                                        .tail = words->tail,
                                        .credit = back->cr_valid,
                                        .vl = words->vl,
                                        .cr_vl = back->cr_vl,
                                        .data = words->data};
  const struct loom_fabric_shown_wires wires = {
      .reply = back->rep_valid, .ack = back->rep_ack, .signal = signal, .rep_vc = back->rep_vc};
  loom_fabric_show(show, &all);
  loom_fabric_show_wires(show, &wires);
}

struct loom_elite5_lanes loom_elite5_arriving(const struct loom_fabric_arrival *in) {
  const struct loom_fabric_wires *wires = loom_fabric_wires(in);
  struct loom_elite5_lanes lanes = {.valid = (loom_links)in->valid,
                                    .head = (loom_links)in->head,
                                    .tail = (loom_links)in->tail,
                                    .cr_valid = (loom_links)in->credit,
                                    .rep_valid = (loom_links)wires->reply,
                                    .rep_ack = (loom_links)wires->ack,
                                    .signal = (loom_links)wires->signal,
                                    .port = in->port};
  if (wires->access) {
    lanes.reg_we = !wires->access->read;
    lanes.reg_re = wires->access->read;
    lanes.reg_addr = wires->access->addr;
    lanes.reg_wdata = wires->access->data;
  }
  return lanes;
}

static void step_router(void *device, uint64_t now, const struct loom_fabric_arrival *in,
                        const struct loom_fabric_show *show) {
  struct loom_elite5_router *s = device;
  const struct loom_elite5_lanes lanes = loom_elite5_arriving(in);
  loom_elite5_router_catch_up(s, now);
  loom_elite5_show(loom_elite5_router_words(s), loom_elite5_router_returns(s),
                   loom_elite5_router_signal(s), show);
  loom_elite5_router_edge(s, &lanes);
}

static bool load_router(void *device, uint32_t addr, uint32_t data) {
  return loom_elite5_router_load(device, addr, data);
}

static bool router_sleeps(const void *device) { return loom_elite5_router_sleeps(device); }

const struct loom_fabric_class loom_elite5_router_class = {.name = "elite5_router",
                                                           .apart = true,
                                                           .ports = LOOM_ELITE5_LINKS,
                                                           .wires = true,
                                                           .spared = loom_elite5_is_spared,
                                                           .step = step_router,
                                                           .load = load_router,
                                                           .sleeps = router_sleeps};

/* ---- endpoints ------------------------------------------------------------------------------- */

struct loom_elan5 *loom_elan5_new(struct loom_fabric *f, const struct loom_elan5_cfg *cfg,
                                  uint32_t node) {
  void *storage = loom_elan5_cfg_ok(cfg) ? loom_fabric_memory(f, loom_elan5_size(cfg)) : NULL;
  return storage ? loom_elan5_create(cfg, node, storage) : NULL;
}

/* Whom a new request wakes. */
struct waker {
  struct loom_fabric *fabric;
  uint32_t device;
};

static void wake(void *context) {
  const struct waker *w = context;
  loom_fabric_wake(w->fabric, w->device);
}

uint32_t loom_elan5_add(struct loom_fabric *f, const struct loom_fabric_class *class, void *state,
                        struct loom_elan5 *e) {
  struct waker *w = loom_fabric_memory(f, sizeof *w);
  uint32_t device = w ? loom_fabric_add(f, class, state) : LOOM_FABRIC_NONE;
  if (device == LOOM_FABRIC_NONE)
    return device;
  *w = (struct waker){f, device};
  e->wake = wake;
  e->waker = w;
  return device;
}

/* What a link brings. */
static struct loom_flow flow_in(const struct loom_fabric_arrival *in, uint32_t link) {
  const struct loom_fabric_wires *wires = loom_fabric_wires(in);
  const struct loom_link_in *port = &in->port[link];
  struct loom_flow flow = {.flags = wires->signal >> link & 1 ? LOOM_FLOW_SIGNAL : 0};
  if (in->valid >> link & 1) {
    flow.flags |= LOOM_FLOW_VALID;
    flow.flags |= in->head >> link & 1 ? LOOM_FLOW_HEAD : 0;
    flow.flags |= in->tail >> link & 1 ? LOOM_FLOW_TAIL : 0;
    flow.vl = port->vl;
    flow.data = port->data;
  }
  if (in->credit >> link & 1) {
    flow.flags |= LOOM_FLOW_CREDIT;
    flow.cr_vl = port->cr_vl;
  }
  if (wires->reply >> link & 1) {
    flow.flags |= LOOM_FLOW_REPLY;
    flow.flags |= wires->ack >> link & 1 ? LOOM_FLOW_ACK : 0;
    flow.rep_vc = port->rep_vc;
  }
  return flow;
}

static void show_endpoint(const struct loom_flow *out, uint32_t links,
                          const struct loom_fabric_show *show) {
  uint8_t rep_vc[LOOM_ELAN5_LINKS] = {0};
  struct loom_fabric_shown_wires wires = {.rep_vc = rep_vc};
  for (uint32_t link = 0; link < links; link++) {
    uint8_t flags = out[link].flags;
    if (flags & LOOM_FLOW_VALID)
      loom_fabric_flit(show, link, flags & LOOM_FLOW_HEAD, flags & LOOM_FLOW_TAIL, out[link].vl,
                       out[link].data);
    if (flags & LOOM_FLOW_CREDIT)
      loom_fabric_credit(show, link, out[link].cr_vl);
    wires.reply |= (uint64_t)((flags & LOOM_FLOW_REPLY) != 0) << link;
    wires.ack |= (uint64_t)((flags & LOOM_FLOW_ACK) != 0) << link;
    wires.signal |= (uint64_t)((flags & LOOM_FLOW_SIGNAL) != 0) << link;
    rep_vc[link] = out[link].rep_vc;
  }
  loom_fabric_show_wires(show, &wires);
}

void loom_elan5_fabric_step(struct loom_elan5 *e, uint64_t now,
                            const struct loom_fabric_arrival *in,
                            const struct loom_fabric_show *show) {
  struct loom_flow flow[LOOM_ELAN5_LINKS], out[LOOM_ELAN5_LINKS];
  const struct loom_flow *arriving[LOOM_ELAN5_LINKS];
  for (uint32_t link = 0; link < e->cfg.links; link++) {
    flow[link] = flow_in(in, link);
    arriving[link] = &flow[link];
  }
  loom_elan5_step(e, now, arriving, out);
  show_endpoint(out, e->cfg.links, show);
}

static void step_endpoint(void *device, uint64_t now, const struct loom_fabric_arrival *in,
                          const struct loom_fabric_show *show) {
  loom_elan5_fabric_step(device, now, in, show);
}

static bool endpoint_sleeps(const void *device) { return loom_elan5_sleeps(device); }

const struct loom_fabric_class loom_elan5_class = {.name = "elan5",
                                                   .ports = LOOM_ELAN5_LINKS,
                                                   .wires = true,
                                                   .spared = loom_elite5_is_spared,
                                                   .step = step_endpoint,
                                                   .sleeps = endpoint_sleeps};

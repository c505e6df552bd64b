/* SPDX-License-Identifier: Apache-2.0 */
/* crosspoint_router.c - twin of rtl/elite5/loom_crosspoint_router.v, written from
 * docs/crosspoint_router.md
 *
 * Here are init, the order of an edge, and the lanes of the ports. */
#include "elite5/crosspoint_router.h"

#include "elite5/crosspoint_cycle.h"
#include "elite5/elite5_header.h"

#include <string.h>

enum { RESET_CAP = 63, HOLD_SHARE = 4, PIPE_STAGE_3 = 1, PIPE_STAGE_0 = 3 };

bool loom_crosspoint_router_cfg_ok(const struct loom_crosspoint_router_cfg *cfg) {
  return !loom_crosspoint_router_bad_param(cfg) && cfg->BVCS < cfg->VCS;
}

size_t loom_crosspoint_router_storage_size(const struct loom_crosspoint_router_cfg *cfg) {
  size_t masks = cfg->CLASSES + 2 * cfg->GROUPS;
  size_t bytes = cfg->LINKS * sizeof(struct loom_crosspoint_port) +
                 masks * sizeof(struct loom_crosspoint_entry) + cfg->DESTS * sizeof(uint16_t);
  return (bytes + 7) / 8 * 8;
}

/* ---- init ------------------------------------------------------------------------------------ */

static void init_port(struct loom_crosspoint_router *s, struct loom_crosspoint_port *port,
                      const struct loom_crosspoint_router_cfg *cfg) {
  const struct loom_segment_store_cfg store = {.VCS = cfg->VCS, .POOL = cfg->POOL};
  const struct loom_event_counters_cfg counters = {
      .STREAMS = 1, .INDEX_W = LOOM_CROSSPOINT_INDEX_BITS, .PULSES = LOOM_ELITE5_COUNTERS};
  struct loom_crosspoint_input *x = &port->input;
  struct loom_crosspoint_output *u = &port->output;
  loom_segment_store_init(&port->store, &store);
  loom_event_counters_init(&port->counters, &counters);
  loom_elite5_link_init(&port->link);
  x->in_state[LOOM_ELITE5_IDLE] = s->all_vcs;
  x->last = (uint8_t)(cfg->LINKS - 1);
  x->retrying.n = x->picking.n = cfg->VCS;
  x->offering.n = cfg->BVCS;
  x->replying.n = cfg->LINKS + 1;
  u->vc_limit = (uint8_t)cfg->VCS;
  u->cap = RESET_CAP;
  u->granting.n = cfg->LINKS;
  u->bare = u->below = s->all_vcs;
}

void loom_crosspoint_router_start(struct loom_crosspoint_router *s,
                                  const struct loom_crosspoint_router_cfg *cfg, void *storage) {
  const struct loom_prbs31_gen_cfg gen = {0};
  s->port = storage;
  s->size = (struct loom_elite5_size){
      .links = cfg->LINKS, .dests = cfg->DESTS, .classes = cfg->CLASSES, .groups = cfg->GROUPS};
  s->vcs = cfg->VCS;
  s->unicast_vcs = cfg->VCS - cfg->BVCS;
  s->pool = cfg->POOL;
  s->pipe = cfg->PIPE;
  s->hold = loom_max(1, cfg->LINKS / HOLD_SHARE);
  s->stage_1 = 1 + (cfg->PIPE >= PIPE_STAGE_0);
  s->stage_w = s->stage_1 + 2 + (cfg->PIPE >= PIPE_STAGE_3);
  s->all_links = s->down = s->near = s->counting = (loom_links)loom_mask(cfg->LINKS);
  s->changed = s->unordered = s->all_links;
  s->spare = cfg->POOL ? s->all_links : 0;
  s->all_vcs = (uint32_t)loom_mask(cfg->VCS);
  s->class_vcs = s->all_vcs & ~(uint32_t)loom_mask(s->unicast_vcs);
  s->ready_word = loom_elite5_control(LOOM_ELITE5_READY, 0);
  s->value = 1;
  loom_elite5_settings_init(&s->reg);
  loom_elite5_settings_init(&s->set);
  loom_prbs31_gen_init(&s->gen, &gen);
  s->bsel_arbiter.n = s->trap_arbiter.n = cfg->LINKS;
  for (uint32_t l = 0; l < cfg->LINKS; l++)
    init_port(s, &s->port[l], cfg);
}

void loom_crosspoint_router_init(struct loom_crosspoint_router *s,
                                 const struct loom_crosspoint_router_cfg *cfg, void *storage) {
  memset(s, 0, sizeof *s);
  memset(storage, 0, loom_crosspoint_router_storage_size(cfg));
  loom_crosspoint_router_start(s, cfg, storage);
}

/* ---- one edge -------------------------------------------------------------------------------- */

void loom_crosspoint_router_edge(struct loom_crosspoint_router *s,
                                 const struct loom_elite5_lanes *lanes) {
  struct loom_crosspoint_cycle c;
  c.lanes = lanes;
  c.phase = s->now & 1;
  c.pulsing = c.writing = c.shown = c.granting = c.freed = c.moved = c.drawing = 0;
  c.trapping = c.link_trapping = 0;
  c.pop_trap = false;
  s->heard = lanes->signal;
  s->told = loom_crosspoint_router_signal(s);
  loom_crosspoint_read_bus(s, &c);
  loom_crosspoint_cross(s, &c);
  loom_crosspoint_look_far(s, &c);
  loom_crosspoint_grant(s, &c);
  loom_crosspoint_negotiate(s, &c);
  loom_crosspoint_select(s);
  loom_crosspoint_inputs(s, &c);
  loom_crosspoint_order(s);
  loom_crosspoint_reply(s, &c);
  loom_crosspoint_answer(s);
  loom_crosspoint_outputs(s, &c);
  loom_crosspoint_latch(s, &c);
  loom_crosspoint_stores(s, &c);
  loom_crosspoint_trap(s, &c);
  loom_crosspoint_move(s, &c);
  loom_crosspoint_count(s, &c);
  loom_crosspoint_write_bus(s, &c);
  s->now++;
}

/* ---- sleep ----------------------------------------------------------------------------------- */

bool loom_crosspoint_router_sleeps(const struct loom_crosspoint_router *s) {
  return !(s->told ^ loom_crosspoint_router_signal(s)) && loom_crosspoint_rests(s);
}

void loom_crosspoint_router_skip(struct loom_crosspoint_router *s, uint64_t cycles) {
  loom_crosspoint_pass(s, cycles);
}

/* ---- lanes of the ports ---------------------------------------------------------------------- */

void loom_crosspoint_router_step(struct loom_crosspoint_router *s,
                                 const struct loom_crosspoint_router_in *in,
                                 struct loom_crosspoint_router_out *out) {
  struct loom_link_in port[LOOM_ELITE5_LINKS];
  struct loom_elite5_lanes lanes = {
      .port = port,
      .signal = loom_elite5_gather(in->in_signal),
      .reg_we = in->reg_we,
      .reg_re = in->reg_re,
      .reg_addr = (uint32_t)in->reg_addr,
      .reg_wdata = (uint32_t)in->reg_wdata,
  };
  uint64_t asked = s->now - s->size.links - LOOM_CROSSPOINT_ANSWER_CYCLES;
  memset(out, 0, sizeof *out);
  loom_elite5_show_words(loom_crosspoint_router_words(s), LOOM_ELITE5_SHOWN_WORDS(out));
  loom_elite5_show_returns(loom_crosspoint_router_returns(s), LOOM_ELITE5_SHOWN_RETURNS(out));
  loom_elite5_scatter(loom_crosspoint_router_signal(s), out->out_signal);
  out->reg_rvalid = s->bus[asked % LOOM_CROSSPOINT_BUS].re;
  out->reg_rdata = loom_crosspoint_router_answer(s);
  out->trap = s->trap_count != 0;

  loom_elite5_gather_words(&lanes, port, LOOM_ELITE5_WORD_LANES(in));
  loom_elite5_gather_returns(&lanes, port, LOOM_ELITE5_RETURN_LANES(in));
  loom_crosspoint_router_edge(s, &lanes);
}

void loom_crosspoint_router_probe(const struct loom_crosspoint_router *s,
                                  struct loom_crosspoint_router_probe *p) {
  p->up = s->up;
  p->locked = s->locked[0];
  p->bsel = s->ask.valid;
  p->time = loom_crosspoint_time(s);
  p->loom_end = 0;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* elite5_router.c - twin of rtl/elite5/loom_elite5_router.v, written from docs/elite5.md
 *
 * Here are init, the order of an edge, and the lanes of the ports. */
#include "elite5/elite5_router.h"

#include "elite5/elite5_cycle.h"
#include "elite5/elite5_header.h"

#include <string.h>

enum { RESET_CAP = 63 };

bool loom_elite5_router_cfg_ok(const struct loom_elite5_router_cfg *cfg) {
  return !loom_elite5_router_bad_param(cfg) && cfg->BVCS < cfg->VCS;
}

/* ---- init ------------------------------------------------------------------------------------ */

static void init_link(struct loom_elite5_router *s, uint32_t l,
                      const struct loom_elite5_router_cfg *cfg) {
  const struct loom_segment_buffer_cfg buffer = {.VCS = cfg->VCS, .POOL = cfg->POOL};
  const struct loom_prbs31_gen_cfg gen = {0};
  struct loom_elite5_input *x = &s->input[l];
  struct loom_elite5_output *u = &s->output[l];
  loom_segment_buffer_start(&s->buffer[l], &buffer);
  loom_prbs31_gen_init(&s->gen[l], &gen);
  loom_elite5_link_init(&s->link[l]);
  x->in_state[LOOM_ELITE5_IDLE] = s->all_vcs;
  x->last = (uint8_t)(cfg->LINKS - 1);
  x->random = 1;
  x->ask.n = x->retrying.n = cfg->VCS;
  x->offering.n = cfg->BVCS;
  x->replying.n = cfg->LINKS + 1;
  u->vc_limit = (uint8_t)cfg->VCS;
  u->cap = RESET_CAP;
  u->ask.n = cfg->LINKS;
  u->units.pool_free = cfg->POOL;
}

void loom_elite5_router_start(struct loom_elite5_router *s,
                              const struct loom_elite5_router_cfg *cfg) {
  s->size = (struct loom_elite5_size){
      .links = cfg->LINKS, .dests = cfg->DESTS, .classes = cfg->CLASSES, .groups = cfg->GROUPS};
  s->vcs = cfg->VCS;
  s->unicast_vcs = cfg->VCS - cfg->BVCS;
  s->all_links = s->down = s->dirty = (loom_links)loom_mask(cfg->LINKS);
  s->all_vcs = (uint32_t)loom_mask(cfg->VCS);
  s->ready_word = loom_elite5_control(LOOM_ELITE5_READY, 0);
  loom_elite5_settings_init(&s->set);
  s->bsel_arbiter.n = s->trap_arbiter.n = cfg->LINKS;
  for (uint32_t l = 0; l < s->size.links; l++)
    init_link(s, l, cfg);
  loom_elite5_refresh(s);
}

void loom_elite5_router_init(struct loom_elite5_router *s,
                             const struct loom_elite5_router_cfg *cfg) {
  memset(s, 0, sizeof *s);
  loom_elite5_router_start(s, cfg);
}

/* ---- one edge -------------------------------------------------------------------------------- */

void loom_elite5_router_edge(struct loom_elite5_router *s, const struct loom_elite5_lanes *lanes) {
  struct loom_elite5_cycle c = {.lanes = lanes, .phase = s->now & 1};
  s->heard = lanes->signal;
  s->told = loom_elite5_router_signal(s);
  loom_elite5_read_bus(s);
  loom_elite5_leave(s);
  loom_elite5_negotiate(s, &c);
  loom_elite5_take_back(s);
  loom_elite5_read_words(s, &c);
  loom_elite5_cross(s, &c);
  loom_elite5_broadcast(s);
  loom_elite5_arrive(s, &c);
  loom_elite5_retry(s, &c);
  loom_elite5_decide(s, &c);
  loom_elite5_reopen(s);
  loom_elite5_reply(s, &c);
  loom_elite5_latch(s, &c);
  loom_elite5_release(s);
  loom_elite5_move(s, &c);
  loom_elite5_write_bus(s, &c);
  loom_elite5_refresh(s);
  s->now++;
}

/* ---- sleep ----------------------------------------------------------------------------------- */

/* A packet that is decided, waits, or is read has a segment in the buffer, so `stocked` stands for
 * all of these. */
bool loom_elite5_router_sleeps(const struct loom_elite5_router *s) {
  if (s->stocked | s->word.valid | (s->told ^ loom_elite5_router_signal(s)))
    return false;
  loom_links under_way = s->returned.cr_valid | s->returned.rep_valid | s->back.cr_valid |
                         s->back.rep_valid | s->replies | s->owns | s->releasing;
  for (uint32_t place = 0; place < LOOM_ELITE5_STAGES; place++)
    under_way |= s->way[place].valid;
  bool bus = s->reg.we | s->reg.re | s->read[0].valid | s->read[1].valid;
  bool trap = s->trapped && s->trap_count < LOOM_ELITE5_TRAPS;
  return !under_way && !bus && !trap && loom_elite5_links_sleep(s, s->heard);
}

void loom_elite5_router_skip(struct loom_elite5_router *s, uint64_t cycles) {
  s->now += cycles;
  loom_elite5_pass_windows(s);
}

/* ---- lanes of the ports ---------------------------------------------------------------------- */

void loom_elite5_router_step(struct loom_elite5_router *s, const struct loom_elite5_router_in *in,
                             struct loom_elite5_router_out *out) {
  struct loom_link_in port[LOOM_ELITE5_LINKS];
  struct loom_elite5_lanes lanes = {
      .port = port,
      .signal = loom_elite5_gather(in->in_signal),
      .reg_we = in->reg_we,
      .reg_re = in->reg_re,
      .reg_addr = (uint32_t)in->reg_addr,
      .reg_wdata = (uint32_t)in->reg_wdata,
  };
  memset(out, 0, sizeof *out);
  loom_elite5_show_words(loom_elite5_router_words(s), LOOM_ELITE5_SHOWN_WORDS(out));
  loom_elite5_show_returns(loom_elite5_router_returns(s), LOOM_ELITE5_SHOWN_RETURNS(out));
  loom_elite5_scatter(loom_elite5_router_signal(s), out->out_signal);
  out->reg_rvalid = s->read[1].valid;
  out->reg_rdata = s->read[1].data;
  out->trap = s->trap_count != 0;

  loom_elite5_gather_words(&lanes, port, LOOM_ELITE5_WORD_LANES(in));
  loom_elite5_gather_returns(&lanes, port, LOOM_ELITE5_RETURN_LANES(in));
  loom_elite5_router_edge(s, &lanes);
}

void loom_elite5_router_probe(const struct loom_elite5_router *s,
                              struct loom_elite5_router_probe *p) {
  p->up = s->up;
  p->locked = s->locked;
  p->bsel = s->bsel.valid;
  p->time = loom_elite5_time(s);
  p->loom_end = 0;
}

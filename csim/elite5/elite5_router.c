/* SPDX-License-Identifier: Apache-2.0 */
/* elite5_router.c - twin of rtl/elite5/loom_elite5_router.v, written from docs/elite5.md
 *
 * Here are init, the order of an edge, and the lanes of the ports. */
#include "elite5/elite5_router.h"

#include "elite5/elite5_cycle.h"
#include "elite5/elite5_header.h"

#include <string.h>

/* After reset. */
enum {
  RESET_THRESHOLD = 1,
  RESET_PROTOCOL = 0x51,
  RESET_PRBS_WORDS = 1024,
  RESET_TIMEOUT = 4096,
  RESET_WINDOW = 65536,
  RESET_REDUNDANT = 16,
  RESET_SINGLE = 1024,
  RESET_CAP = 63,
};

bool loom_elite5_router_cfg_ok(const struct loom_elite5_router_cfg *cfg) {
  return !loom_elite5_router_bad_param(cfg) && cfg->BVCS < cfg->VCS;
}

/* ---- init ------------------------------------------------------------------------------------ */

static void init_link(struct loom_elite5_router *s, uint32_t l,
                      const struct loom_elite5_router_cfg *cfg) {
  const struct loom_segment_buffer_cfg buffer = {.VCS = cfg->VCS, .POOL = cfg->POOL};
  const struct loom_prbs31_gen_cfg gen = {0};
  struct loom_prbs31_check_cfg check;
  struct loom_elite5_input *x = &s->input[l];
  struct loom_elite5_output *u = &s->output[l];
  loom_prbs31_check_defaults(&check);
  loom_segment_buffer_init(&s->buffer[l], &buffer);
  loom_prbs31_gen_init(&s->link[l].gen, &gen);
  loom_prbs31_check_init(&s->link[l].check, &check);
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

void loom_elite5_router_init(struct loom_elite5_router *s,
                             const struct loom_elite5_router_cfg *cfg) {
  memset(s, 0, sizeof *s);
  s->links = cfg->LINKS;
  s->vcs = cfg->VCS;
  s->unicast_vcs = cfg->VCS - cfg->BVCS;
  s->dests = cfg->DESTS;
  s->classes = cfg->CLASSES;
  s->groups = cfg->GROUPS;
  s->all_links = s->down = s->dirty = (loom_links)loom_mask(cfg->LINKS);
  s->all_vcs = (uint32_t)loom_mask(cfg->VCS);
  s->ready_word = loom_elite5_control(LOOM_ELITE5_READY, 0);
  s->threshold = RESET_THRESHOLD;
  s->protocol = RESET_PROTOCOL;
  s->prbs_words = RESET_PRBS_WORDS;
  s->timeout = RESET_TIMEOUT;
  s->window = RESET_WINDOW;
  s->limit[0] = RESET_REDUNDANT;
  s->limit[1] = RESET_SINGLE;
  s->bsel_arbiter.n = s->trap_arbiter.n = cfg->LINKS;
  for (uint32_t l = 0; l < s->links; l++)
    init_link(s, l, cfg);
  loom_elite5_refresh(s);
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

/* The lanes whose bit is set. */
static loom_links gather(const uint64_t *lane) {
  uint64_t a = 0, b = 0, c = 0, d = 0;
  for (uint32_t i = LOOM_ELITE5_LINKS; i; i -= 4) {
    a = a << 4 | lane[i - 4];
    b = b << 4 | lane[i - 3];
    c = c << 4 | lane[i - 2];
    d = d << 4 | lane[i - 1];
  }
  return (loom_links)(a | b << 1 | c << 2 | d << 3);
}

static void gather_words(struct loom_elite5_lanes *lanes, struct loom_link_in *port,
                         const struct loom_elite5_router_in *in) {
  lanes->valid = gather(in->in_valid);
  for (loom_links set = lanes->valid; set; set &= set - 1) {
    uint32_t l = loom_ctz(set);
    lanes->head |= (loom_links)in->in_head[l] << l;
    lanes->tail |= (loom_links)in->in_tail[l] << l;
    port[l].vl = (uint8_t)in->in_vl[l];
    port[l].data = in->in_data[l];
  }
}

static void gather_returns(struct loom_elite5_lanes *lanes, struct loom_link_in *port,
                           const struct loom_elite5_router_in *in) {
  lanes->cr_valid = gather(in->out_cr_valid);
  lanes->rep_valid = gather(in->out_rep_valid);
  for (loom_links set = lanes->cr_valid; set; set &= set - 1)
    port[loom_ctz(set)].cr_vl = (uint8_t)in->out_cr_vl[loom_ctz(set)];
  for (loom_links set = lanes->rep_valid; set; set &= set - 1) {
    uint32_t l = loom_ctz(set);
    lanes->rep_ack |= (loom_links)in->out_rep_ack[l] << l;
    port[l].rep_vc = (uint8_t)in->out_rep_vc[l];
  }
}

static void show_words(const struct loom_elite5_words *w, struct loom_elite5_router_out *out) {
  for (loom_links set = w->valid; set; set &= set - 1) {
    uint32_t l = loom_ctz(set);
    out->out_valid[l] = 1;
    out->out_head[l] = w->head >> l & 1;
    out->out_tail[l] = w->tail >> l & 1;
    out->out_vl[l] = w->vl[l];
    out->out_data[l] = w->data[l];
  }
}

static void show_returns(const struct loom_elite5_returns *r, struct loom_elite5_router_out *out) {
  for (loom_links set = r->cr_valid; set; set &= set - 1) {
    out->in_cr_valid[loom_ctz(set)] = 1;
    out->in_cr_vl[loom_ctz(set)] = r->cr_vl[loom_ctz(set)];
  }
  for (loom_links set = r->rep_valid; set; set &= set - 1) {
    uint32_t l = loom_ctz(set);
    out->in_rep_valid[l] = 1;
    out->in_rep_ack[l] = r->rep_ack >> l & 1;
    out->in_rep_vc[l] = r->rep_vc[l];
  }
}

void loom_elite5_router_step(struct loom_elite5_router *s, const struct loom_elite5_router_in *in,
                             struct loom_elite5_router_out *out) {
  struct loom_link_in port[LOOM_ELITE5_LINKS];
  struct loom_elite5_lanes lanes = {
      .port = port,
      .signal = gather(in->in_signal),
      .reg_we = in->reg_we,
      .reg_re = in->reg_re,
      .reg_addr = (uint32_t)in->reg_addr,
      .reg_wdata = (uint32_t)in->reg_wdata,
  };
  memset(out, 0, sizeof *out);
  show_words(loom_elite5_router_words(s), out);
  show_returns(loom_elite5_router_returns(s), out);
  for (loom_links set = loom_elite5_router_signal(s); set; set &= set - 1)
    out->out_signal[loom_ctz(set)] = 1;
  out->reg_rvalid = s->read[1].valid;
  out->reg_rdata = s->read[1].data;
  out->trap = s->trap_count != 0;

  gather_words(&lanes, port, in);
  gather_returns(&lanes, port, in);
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

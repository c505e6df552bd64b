/* SPDX-License-Identifier: Apache-2.0 */
/* chassis_edge.h - the edges of the ports of a chassis, port by port; included by the switches
 * alone, into whose own loops the compiler takes them
 *
 * Inside: crossbar_switch, mport_switch. */
#ifndef LOOM_SWITCH_CHASSIS_EDGE_H
#define LOOM_SWITCH_CHASSIS_EDGE_H

#include <string.h>

#include "switch/chassis_state.h"

#define LOOM_NAMES "switch/input_unit.fields"
#include <loom/names.h>

/* ---- inputs ---------------------------------------------------------------------------------- */

/* Before the look at the inputs. */
static inline void loom_chassis_begin_inputs(struct loom_chassis *s,
                                             const struct loom_chassis_cycle *c) {
  if (s->packets)
    loom_chassis_packets_inputs(s, c);
  s->source_ready &= ~c->inputs;
  s->start_ok &= ~c->inputs;
  s->sure &= ~c->inputs;
  s->end &= ~c->inputs;
  s->input_used &= ~c->inputs;
}

/* What the input shows to its link, to the allocation and to the crossings; `free`: its targets
 * that are. A head, if there is one, is for the switch to tell. */
static inline void loom_chassis_look_at_input(struct loom_chassis *s, uint32_t port,
                                              uint64_t free) {
  const struct loom_input_unit *u = &s->port[port].input;
  s->source_ready |= (uint64_t)loom_input_unit_source_ready(u, free) << port;
  s->start_ok |= (uint64_t)loom_input_unit_start_ok(u) << port;
  s->sure |= (uint64_t)loom_input_unit_sure(u) << port;
  s->end |= (uint64_t)loom_input_unit_end(u) << port;
  s->input_used |= (uint64_t)(u->store.total > 0) << port;
  if (u->store.free) {
    s->shown.credit |= 1ull << port;
    s->shown.cr_vl[port] = loom_input_unit_credit_vl(u);
  }
}

/* What the LFT says for this LID. */
static inline void loom_chassis_look_up(struct loom_chassis *s, uint32_t port, uint32_t lid) {
  struct loom_chassis_port *p = &s->port[port];
  p->found_port = lid < s->lids ? s->lft[lid] : 0;
  p->found_known = lid < s->lft_count && p->found_port < s->ports;
}

/* The edge of an input. `in` has the booking and the rule; gives whether a head comes. */
static inline bool loom_chassis_input_edge(struct loom_chassis *s,
                                           const struct loom_chassis_cycle *c, uint32_t port,
                                           struct loom_input_cycle *in) {
  struct loom_chassis_port *p = &s->port[port];
  in->found_known = p->found_known;
  in->found_port = p->found_port;
  if (loom_chassis_has(c->flits->valid, port)) {
    in->valid = true;
    in->head = loom_chassis_has(c->flits->head, port);
    in->tail = loom_chassis_has(c->flits->tail, port);
    in->vl = c->flits->port[port].vl;
    in->data = c->flits->port[port].data;
  }
  if (s->packets) {
    uint8_t target = p->input.departure.booked_target;
    loom_chassis_packets_judge(s, port);
    loom_input_unit_edge(&p->input, in);
    s->noted |= (uint64_t)loom_input_unit_tells(&p->input) << port;
    if (!p->input.still)
      loom_chassis_packets_stir(s, LOOM_INPUT_STILL);
    loom_chassis_packets_take(s, port, target);
    return in->head;
  }
  loom_input_unit_edge(&p->input, in);
  s->noted |= (uint64_t)loom_input_unit_tells(&p->input) << port;
  s->input_awake |= (uint64_t)!loom_input_unit_rests(&p->input) << port;
  return in->head;
}

/* ---- crossings ------------------------------------------------------------------------------- */

/* Before the edges of crossings and outputs. */
static inline void loom_chassis_begin_outputs(struct loom_chassis *s,
                                              struct loom_chassis_cycle *c) {
  if (s->packets)
    loom_chassis_packets_outputs(s, c);
  s->target_ready &= ~c->crossings;
  s->free &= ~c->crossings;
  s->quiet &= ~c->crossings;
  s->crossing_awake = 0;
}

/* A word that the crossing has for the store. */
static inline void loom_chassis_pass_word(const struct loom_crossing *x,
                                          struct loom_output_unit_in *in) {
  in->wr_valid = 1;
  in->wr_vl = x->wr.vl;
  in->wr_last = x->wr.last;
  in->wr_flits = x->wr.flits;
  memcpy(in->wr_data, x->wr.data, sizeof in->wr_data);
}

/* The edge of a crossing. `in` has the booking, what the sources show, and their word; gives
 * whether the output gets something from it. */
static inline bool loom_chassis_cross(struct loom_chassis *s, const struct loom_chassis_cycle *c,
                                      uint32_t port, struct loom_crossing_cycle *in) {
  struct loom_chassis_port *p = &s->port[port];
  struct loom_output_unit_in *out = &s->to_output;
  struct loom_crossing *x = &p->crossing;
  struct loom_crossing_shown shown;
  struct loom_crossing_write write;
  if (s->packets && in->book)
    loom_chassis_packets_wake_output(s, port);
  in->space = p->output.store.space;
  in->free = s->packets ? loom_chassis_has(c->freed, port) : p->output.store.free;
  in->free_vl = s->packets ? loom_chassis_packets_freed_vl(s, port) : p->output.store.free_vl;
  if ((c->mtu_we || loom_chassis_has(c->bus.ports, port)) &&
      loom_chassis_crossing_write(c, port, &write))
    in->write = &write;
  /* An output that follows packets expects such a word. */
  bool goes_on = s->packets && loom_chassis_packets_goes_on(p);
  if (x->wr.valid)
    loom_chassis_pass_word(x, out);
  s->quiet |= (uint64_t)x->tracker.idle << port;
  if (s->packets && (in->book || in->free || in->write))
    loom_chassis_packets_tell_room(s, port);
  loom_crossing_edge(x, in, &shown);
  s->noted |= (uint64_t)x->tracker.error << port;
  if (s->packets && !x->still)
    loom_chassis_packets_stir(s, x->stays);
  if (s->packets && in->book)
    loom_chassis_packets_foresee_room(s, port);
  in->write = NULL;
  s->target_ready |= (uint64_t)shown.target_ready << port;
  s->free |= (uint64_t)loom_crossing_is_free(x) << port;
  s->crossing_awake |= (uint64_t)!loom_crossing_rests(x) << port;
  if (in->book) {
    out->announce = 1;
    out->announce_len = LOOM_GET(LOOM_HEAD_INFO_LEN, in->book_info);
  }
  if (shown.queue) {
    out->queue = 1;
    out->queue_vl = shown.queue_vl;
    out->queue_len = LOOM_GET(LOOM_HEAD_INFO_LEN, shown.queue_info);
    out->queue_sl = LOOM_GET(LOOM_HEAD_INFO_SL, shown.queue_info);
    out->queue_more = LOOM_GET(LOOM_HEAD_INFO_MORE, shown.queue_info);
  }
  return (out->wr_valid && !goes_on) || out->announce || out->queue;
}

/* ---- outputs --------------------------------------------------------------------------------- */

/* What the output gets from elsewhere than its crossing; before that. */
static inline void loom_chassis_begin_output(struct loom_chassis *s,
                                             const struct loom_chassis_cycle *c, uint32_t port) {
  struct loom_output_unit_in *in = &s->to_output;
  in->announce = in->queue = in->wr_valid = in->cfg_we = in->table_we = in->table_addr = 0;
  in->hold = s->port[port].hold;
  in->cr_valid = loom_chassis_has(c->credit, port);
  if (in->cr_valid)
    in->cr_vl = c->in->port[port].cr_vl;
  if (loom_chassis_has(c->bus.ports, port))
    loom_chassis_access_output(c, port, in);
}

/* Lengths and SLs of the heads, and the packet that is counted in the next cycle. */
static inline void loom_chassis_note_grant(struct loom_chassis *s, uint32_t port) {
  struct loom_chassis_port *p = &s->port[port];
  const struct loom_output_unit *u = &p->output;
  if (u->choice.shows.grant.valid) {
    p->granted = p->head[u->choice.shows.grant.vl];
    s->granted |= 1ull << port;
  }
  if (u->store.event)
    p->head[u->store.head_vl] = (struct loom_chassis_packet){
        .lane = u->store.head_vl, .sl = loom_output_unit_head_sl(u), .len = u->store.head_len};
}

/* What the output shows to its link. */
static inline void loom_chassis_show_flit(struct loom_chassis *s, uint32_t port) {
  const struct loom_output_unit *u = &s->port[port].output;
  if (!u->out.valid)
    return;
  if (s->packets && !u->out.head && !u->out.tail && loom_chassis_has(s->packets->streams, port)) {
    s->shown.stream |= 1ull << port;
    return;
  }
  s->shown.valid |= 1ull << port;
  s->shown.head |= (uint64_t)u->out.head << port;
  s->shown.tail |= (uint64_t)u->out.tail << port;
  s->shown.vl[port] = u->out.vl;
  s->shown.data[port] =
      s->packets ? loom_chassis_packets_word(s, port, u->out.head, u->out.tail) : u->out.data;
}

static inline void loom_chassis_step_output(struct loom_chassis *s,
                                            const struct loom_chassis_cycle *c, uint32_t port) {
  struct loom_chassis_port *p = &s->port[port];
  if (s->packets)
    loom_chassis_packets_step_output(s, c, port);
  else if (!loom_chassis_has(s->output_awake, port))
    loom_output_unit_skip(&p->output, s->now - p->output_slept - 1);
  p->output_slept = s->now;
  p->table_rdata = p->output.choice.shows.table_rdata;
  loom_chassis_put(&s->output_used, port, p->output.store.total);
  bool grants = p->output.choice.shows.grant.valid;
  loom_chassis_note_grant(s, port);
  loom_chassis_show_flit(s, port);
  loom_output_unit_edge(&p->output, &s->to_output);
  s->noted |= (uint64_t)p->output.tracker.error << port;
  loom_chassis_put(&s->output_awake, port, !loom_output_unit_rests(&p->output));
  loom_chassis_put(&s->freed, port, p->output.store.free);
  if (s->packets) {
    if (!p->output.still)
      loom_chassis_packets_stir(s, LOOM_OUTPUT_STILL);
    if (grants)
      loom_chassis_packets_foresee_far(s, port);
    loom_chassis_packets_taken(s, port);
  }
}

/* The edge of the output, if it has one. */
static inline void loom_chassis_end_output(struct loom_chassis *s, struct loom_chassis_cycle *c,
                                           uint32_t port, bool arrives) {
  uint32_t offset;
  if (arrives || loom_chassis_has(c->outputs, port)) {
    const struct loom_crossing *x = &s->port[port].crossing;
    if (s->packets && x->wr.valid && !loom_chassis_has(c->crossings, port))
      loom_chassis_pass_word(x, &s->to_output); /* it goes on without an edge */
    c->stepped |= 1ull << port;
    loom_chassis_step_output(s, c, port);
  } else if (loom_chassis_has(c->far, port)) {
    loom_chassis_packets_track(s, c, port);
  }
  if (loom_chassis_writes(&c->bus, port, LOOM_SWITCH_WIN_HOLD, 1, &offset)) {
    s->port[port].hold = c->bus.access[port]->data & 1;
    s->output_awake |= 1ull << port; /* sees it in the next cycle */
  }
}

#endif

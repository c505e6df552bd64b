/* SPDX-License-Identifier: Apache-2.0 */
/* elite5_ends.c - the receiver on a link out of an Elite5 router, and all ends together, see
 * elite5_traffic.h
 *
 * A receiver gives back a credit for every segment and a reply for every packet, each in its own
 * time.
 */
#include "tb/cosim/elite5_traffic.h"

#include <string.h>

/* ---- the receiver ---------------------------------------------------------------------------- */

void elite5_receiver_reset(struct elite5_state *s, uint32_t link) {
  struct elite5_receiver *r = &s->ends.receiver[link];
  uint32_t give = r->give;
  memset(r, 0, sizeof *r);
  r->give = give;
}

static void packet_ends(struct elite5_state *s, struct elite5_receiver *r, uint64_t cycle) {
  const struct elite5_receiving *p = &s->plan.receiving;
  r->due[r->vc] =
      cycle +
      (p->soonest == p->longest ? p->soonest : rng_range(&s->ends.rng, p->soonest, p->longest));
  if (!r->reply_mask || r->due[r->vc] < r->next_due)
    r->next_due = r->due[r->vc];
  r->reply_mask |= 1u << r->vc;
}

static void receive(struct elite5_state *s, uint32_t link, uint64_t cycle, const elite5_out *o) {
  struct elite5_receiver *r = &s->ends.receiver[link];
  if (!o->out_valid[link])
    return;
  if (o->out_head[link]) {
    r->vc = (uint32_t)o->out_vl[link];
    r->words = 0;
    uint32_t type = loom_elite5_type_of(o->out_data[link]);
    if (type <= LOOM_ELITE5_CONDITIONAL)
      r->broken &= ~(1u << r->vc);
    else if (type == LOOM_ELITE5_VOID)
      r->broken |= 1u << r->vc;
  }
  r->words++;
  if (r->words < ELITE5_WORDS && !o->out_tail[link])
    return;
  r->owed[r->vc]++;
  r->owed_mask |= 1u << r->vc;
  if (o->out_tail[link])
    packet_ends(s, r, cycle);
}

static void give_back(struct elite5_state *s, uint32_t link, elite5_in *i) {
  struct elite5_receiver *r = &s->ends.receiver[link];
  if (!r->owed_mask || (r->give < 256 && !rng_chance(&s->ends.rng, r->give)))
    return;
  uint32_t vc = loom_ctz(r->owed_mask);
  if (r->owed_mask & (r->owed_mask - 1)) /* more than one: in no order */
    vc = loom_ctz_from(r->owed_mask, rng_below(&s->ends.rng, ELITE5_VCS));
  if (--r->owed[vc] == 0)
    r->owed_mask &= ~(1u << vc);
  end_put_segment_back(i, link, vc);
}

static void reply(struct elite5_state *s, uint32_t link, uint64_t cycle, elite5_in *i) {
  struct elite5_receiver *r = &s->ends.receiver[link];
  if (!r->reply_mask || cycle < r->next_due)
    return;
  uint32_t can = 0, vc = 0;
  uint64_t soonest = ~0ull;
  for (uint32_t left = r->reply_mask; left; left &= left - 1)
    if (r->due[loom_ctz(left)] <= cycle)
      can |= left & -left;
  if (can) {
    vc = can & (can - 1) ? loom_ctz_from(can, rng_below(&s->ends.rng, ELITE5_VCS)) : loom_ctz(can);
    r->reply_mask &= ~(1u << vc);
    end_put_reply(i, link, vc,
                  !(r->broken >> vc & 1) && !rng_chance(&s->ends.rng, s->plan.receiving.nack));
  }
  for (uint32_t left = r->reply_mask; left; left &= left - 1)
    soonest = r->due[loom_ctz(left)] < soonest ? r->due[loom_ctz(left)] : soonest;
  r->next_due = soonest;
}

/* ---- ends that break the contract ------------------------------------------------------------ */

static void be_rude(struct elite5_state *s, uint32_t link, elite5_in *i) {
  struct rng *r = &s->ends.rng;
  switch (rng_below(r, 8)) {
  case 0: /* a head in the middle, or a body where a segment should begin */
    i->in_head[link] = i->in_valid[link] && !i->in_head[link];
    break;
  case 1: /* too early, or not at all */
    i->in_tail[link] = i->in_valid[link] && !i->in_tail[link];
    break;
  case 2: /* a word lost */
    i->in_valid[link] = i->in_head[link] = i->in_tail[link] = 0;
    i->in_vl[link] = i->in_data[link] = 0;
    break;
  case 3: /* another VC, there or not, in use or not */
    if (i->in_valid[link])
      i->in_vl[link] = rng_below(r, ELITE5_VCS);
    break;
  case 4: /* any word */
    i->in_valid[link] = 1;
    i->in_head[link] = rng_chance(r, 128);
    i->in_tail[link] = rng_chance(r, 128);
    i->in_vl[link] = rng_below(r, ELITE5_VCS);
    i->in_data[link] = rng_next(r);
    break;
  case 5: /* a reply for nothing */
    i->out_rep_valid[link] = 1;
    i->out_rep_vc[link] = rng_below(r, ELITE5_VCS);
    i->out_rep_ack[link] = rng_chance(r, 128);
    break;
  case 6: /* a credit for nothing */
    i->out_cr_valid[link] = 1;
    i->out_cr_vl[link] = rng_below(r, ELITE5_VCS);
    break;
  default: /* more segments than there are credits for */
    memset(&s->ends.sender[link].credit, 0, sizeof s->ends.sender[link].credit);
  }
}

/* ---- all of them ----------------------------------------------------------------------------- */

/* A link loses its other end for a while, or is turned off, or its end stands still. */
static void fault(struct elite5_state *s, uint64_t cycle) {
  struct elite5_ends *e = &s->ends;
  uint32_t link = rng_below(&e->rng, s->facts.links);
  uint64_t until = cycle + rng_range(&e->rng, 1, rng_chance(&e->rng, 128) ? 20 : 800);
  switch (rng_below(&e->rng, 3)) {
  case 0:
    e->end[link].off_until = until;
    break;
  case 1:
    e->end[link].mute_until = until;
    break;
  default:
    if (e->alive >> link & 1)
      elite5_bus_queue(s, elite5_of_link(link, LOOM_ELITE5_REG_LINK_CONTROL),
                       s->plan.cable[link].flags & ~(uint32_t)FLAG_ENABLE);
  }
}

/* Whoever looks after the router enables links anew that do not come up. */
static void look_after(struct elite5_state *s, uint32_t link, uint64_t cycle) {
  struct elite5_end *e = &s->ends.end[link];
  struct elite5_cable *c = &s->plan.cable[link];
  if (e->state != END_TRAINING || cycle < e->changed + s->plan.patience)
    return;
  c->silent = false;
  c->bit_errors = 0;
  c->chip = c->expected >> 8;
  c->number = c->expected & 0xff;
  c->protocol = s->plan.protocol;
  e->changed = cycle;
  elite5_bus_queue(s, elite5_of_link(link, LOOM_ELITE5_REG_LINK_CONTROL),
                   c->flags & ~(uint32_t)FLAG_ENABLE);
  elite5_bus_queue(s, elite5_of_link(link, LOOM_ELITE5_REG_LINK_CONTROL), c->flags);
}

static void end_cycle(struct elite5_state *s, uint32_t link, uint64_t cycle, const elite5_out *o,
                      elite5_in *i) {
  struct elite5_end *e = &s->ends.end[link];
  bool was_up = e->state == END_UP;
  if (!elite5_link_look(s, link, cycle, o)) {
    if (e->state == END_TRAINING)
      elite5_link_train(s, link, i);
    if (s->plan.patience)
      look_after(s, link, cycle);
    return;
  }
  i->in_signal[link] = 1;
  if (was_up) {
    elite5_sender_look(s, link, cycle, o);
    receive(s, link, cycle, o);
  }
  if (cycle >= e->mute_until) {
    give_back(s, link, i);
    reply(s, link, cycle, i);
    elite5_sender_drive(s, link, cycle, i);
  }
}

void elite5_next(struct elite5_state *s, uint64_t cycle, const elite5_out *o, elite5_in *i) {
  struct elite5_ends *e = &s->ends;
  bool quiet = s->plan.quiet_from && cycle >= s->plan.quiet_from;
  if (s->plan.random && cycle >= e->phase_end)
    elite5_new_phase(s, cycle);
  if (s->plan.faults && !quiet && rng_below(&e->rng, 65536) < s->plan.faults)
    fault(s, cycle);
  if (s->directed && s->directed->act)
    s->directed->act(s, cycle, i);
  for (uint32_t l = 0; l < s->facts.links; l++) {
    end_cycle(s, l, cycle, o, i);
    if (s->plan.rude && !quiet && rng_chance(&e->rng, 2))
      be_rude(s, l, i);
  }
  struct elite5_access a = elite5_bus(s, cycle);
  i->reg_we = a.we;
  i->reg_re = a.re;
  i->reg_addr = a.addr;
  i->reg_wdata = a.data;
}

static const struct elite5_case *find_case(const char *name) {
  const struct elite5_case *const all[] = {elite5_cases, elite5_loads};
  for (size_t k = 0; k < sizeof all / sizeof all[0]; k++)
    for (const struct elite5_case *c = all[k]; c->name; c++)
      if (strcmp(c->name, name) == 0)
        return c;
  return NULL;
}

void elite5_init(struct elite5_state *s, struct rng *rng, const struct scenario *sc) {
  s->ends.rng = *rng;
  s->plan.segments = 1;
  s->directed = sc && sc->directed ? find_case(sc->directed) : NULL;
  s->cycles = s->directed ? sc->cycles : 0;
  if (s->directed)
    s->directed->plan(s);
  else
    elite5_plan_random(s);
  for (uint32_t l = 0; l < s->facts.links; l++) {
    s->ends.alive |= (uint32_t)s->plan.cable[l].alive << l;
    elite5_sender_init(s, l);
  }
}
